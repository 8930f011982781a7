//! The number core.
#![no_std]
#![forbid(unsafe_code)]
mod error;
pub use error::Error;
