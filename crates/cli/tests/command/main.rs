//! The built command, run on real files.

mod conformance;
mod faults;
mod formats;
mod groups;
mod process;
mod products;
mod running;
mod states;
mod sums;
mod verify;
