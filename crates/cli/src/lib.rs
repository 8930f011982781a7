//! The parts of the command `samebits` that other programs in this repository call: the readers of files.
#![forbid(unsafe_code)]

pub mod read;
