//! How a sum is accumulated.

use crate::Result;
use samebits_core::{Error, Float};

/// Binned with K folds, or exact. Three folds unless said otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Mode {
    /// Zero means exact.
    folds: u8,
}

impl Default for Mode {
    fn default() -> Self {
        Mode { folds: 3 }
    }
}

impl Mode {
    /// Binned with `folds` folds: 2 to 52 for `f64`, 2 to 21 for `f32` (which is checked where the type is known).
    pub fn folds(folds: usize) -> Result<Mode> {
        if (f64::MIN_FOLDS..=f64::MAX_FOLDS).contains(&folds) {
            Ok(Mode { folds: folds as u8 })
        } else {
            Err(Error::Folds { given: folds, min: f64::MIN_FOLDS, max: f64::MAX_FOLDS }.into())
        }
    }

    /// The exact sum, rounded once.
    pub fn exact() -> Mode {
        Mode { folds: 0 }
    }

    /// The number of folds, unless exact.
    pub fn fold_count(self) -> Option<usize> {
        (!self.is_exact()).then_some(self.folds as usize)
    }

    /// Is it exact?
    pub fn is_exact(self) -> bool {
        self.folds == 0
    }
}
