//! One counter for each sign and exponent: the exact sum of values that spread too far for a window.

use super::summands::Total;
use core::mem::MaybeUninit;
use samebits_core::{Counts, Float, Kind};

const ENTRIES: usize = 1 << 12;
const SPECIAL: usize = 0x7ff;

/// Sums of significands, 96 bits wide, by the top 12 bits of an `f64`: enough for `2^43` values.
/// The first use clears it, so that a sum which needs no table does not pay for it.
pub(crate) struct Table {
    used: bool,
    low: [MaybeUninit<u64>; ENTRIES],
    high: [MaybeUninit<u32>; ENTRIES],
}

impl Table {
    #[inline(always)]
    pub(super) fn new() -> Self {
        Table { used: false, low: [MaybeUninit::uninit(); ENTRIES], high: [MaybeUninit::uninit(); ENTRIES] }
    }

    /// Adds all of `x`; specials are counted instead.
    #[inline(never)]
    pub(super) fn add<E: Float + Into<f64>>(&mut self, x: &[E], kind: Kind, counts: &mut Counts) {
        if !self.used {
            self.low.fill(MaybeUninit::new(0));
            self.high.fill(MaybeUninit::new(0));
            self.used = true;
        }
        let mask = if kind == Kind::Asum { SPECIAL } else { ENTRIES - 1 };
        for &x in x {
            let value: f64 = x.into();
            let bits = value.to_bits();
            let entry = (bits >> 52) as usize & mask;
            let mantissa = bits & ((1 << 52) - 1);
            let significand = match entry & SPECIAL {
                0 => mantissa,
                SPECIAL => {
                    count_special(mantissa == 0, entry >> 11 == 1, counts);
                    continue;
                }
                _ => mantissa | 1 << 52,
            };
            // SAFETY: all entries were cleared at the first use.
            let (low, high) = unsafe { (self.low[entry].assume_init_mut(), self.high[entry].assume_init_mut()) };
            let (sum, carry) = low.overflowing_add(significand);
            *low = sum;
            if carry {
                *high += 1;
            }
        }
    }

    /// Moves everything to `total`.
    pub(super) fn drain(&self, total: &mut impl Total) {
        if !self.used {
            return;
        }
        for entry in 0..ENTRIES {
            // SAFETY: all entries were cleared at the first use.
            let (low, high) = unsafe { (self.low[entry].assume_init(), self.high[entry].assume_init()) };
            let sum = (high as i128) << 64 | low as i128;
            if sum != 0 {
                let exponent = (entry & SPECIAL).max(1) as i32 - 1075;
                total.add_scaled(if entry >> 11 == 1 { -sum } else { sum }, exponent);
            }
        }
    }
}

#[cold]
fn count_special(infinite: bool, negative: bool, counts: &mut Counts) {
    match (infinite, negative) {
        (false, _) => counts.nan += 1,
        (true, false) => counts.pos_inf += 1,
        (true, true) => counts.neg_inf += 1,
    }
}
