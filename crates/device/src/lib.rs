//! Devices, the traits that a backend implements, the one public error type, and the plain reference backend.
//!
//! A [`Device`] is a plain descriptor; a backend is an object that implements [`Backend`] and, topic by topic, small
//! kernel traits ([`Reduce`], [`Scans`], [`Dots`], [`Norms`]). The [`Reference`] backend is the oracle of all others: one
//! thread, one element at a time, in integers. Which backend serves which device is decided by the facade, `samebits`.
#![forbid(unsafe_code)]

mod backend;
mod device;
mod dots;
mod error;
mod groups;
mod mode;
mod norms;
mod reference;
mod scan;

pub use backend::{Backend, Element, Reduce};
pub use device::Device;
pub use dots::{Dots, check_lengths, check_sum};
pub use error::{Error, Result};
pub use groups::{Group, GroupPart, Groups, capacity, check_keys, check_offsets};
pub use mode::Mode;
pub use norms::Norms;
pub use reference::Reference;
pub use scan::{Bound, Scans, Span};
