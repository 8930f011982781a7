//! Placeholder.
#![forbid(unsafe_code)]
#[cfg(feature = "files")]
pub mod io;
pub use samebits_device::{Error, Result};
