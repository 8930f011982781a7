//! Devices, queues, errors and the plain reference backend.
mod error;
pub use error::{Error, Result};
