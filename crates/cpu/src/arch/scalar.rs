//! One element at a time, for any machine.

use crate::kernel::{Load, ProductError, STEPS, StoreTo, Tile, Vector, entries};
use samebits_core::{Class, Float, classify};

macro_rules! scalar {
    ($name:ident, $elem:ty, $int:ty) => {
        /// A vector of one.
        #[derive(Clone, Copy)]
        pub(crate) struct $name($elem);

        impl Vector for $name {
            type Elem = $elem;
            type Int = $int;
            const LANES: usize = 1;
            const MAX_SEES_NAN: bool = false;

            #[inline(always)]
            unsafe fn splat(x: $elem) -> Self {
                $name(x)
            }
            #[inline(always)]
            unsafe fn load(p: *const $elem) -> Self {
                // SAFETY: the caller vouches for the pointer.
                $name(unsafe { *p })
            }
            #[inline(always)]
            unsafe fn store(self, p: *mut $elem) {
                // SAFETY: the caller vouches for the pointer.
                unsafe { *p = self.0 }
            }
            #[inline(always)]
            unsafe fn add(self, b: Self) -> Self {
                $name(self.0 + b.0)
            }
            #[inline(always)]
            unsafe fn sub(self, b: Self) -> Self {
                $name(self.0 - b.0)
            }
            #[inline(always)]
            unsafe fn times(self, b: Self) -> Self {
                $name(self.0 * b.0)
            }
            #[inline(always)]
            unsafe fn or(self, b: Self) -> Self {
                $name(<$elem>::from_bits(self.0.to_bits() | b.0.to_bits()))
            }
            #[inline(always)]
            unsafe fn abs(self) -> Self {
                $name(<$elem>::from_bits(self.0.to_bits() & !(1 << (<$elem as Float>::BITS - 1))))
            }
            #[inline(always)]
            unsafe fn max_abs(self, max: Self) -> Self {
                // SAFETY: as for this method.
                let a = unsafe { self.abs() };
                if a.0 > max.0 { a } else { max }
            }
            #[inline(always)]
            unsafe fn max_magnitude(self, max: Self) -> Self {
                // SAFETY: as for this method.
                let a = unsafe { self.abs() };
                // The bits of magnitudes are ordered as integers, NaN above all.
                $name(<$elem>::from_bits(a.0.to_bits().max(max.0.to_bits())))
            }
            #[inline(always)]
            unsafe fn reaches(self, limit: Self) -> bool {
                self.0 >= limit.0
            }
            #[inline(always)]
            unsafe fn max_lane(self) -> $elem {
                self.0
            }
            #[inline(always)]
            unsafe fn has_nan(self) -> bool {
                classify(self.0) == Class::Nan
            }
            #[inline(always)]
            unsafe fn finite_or_zero(self) -> Self {
                $name(if matches!(classify(self.0), Class::Finite { .. }) { self.0 } else { 0.0 })
            }
            #[inline(always)]
            unsafe fn special_lanes(self) -> u32 {
                !matches!(classify(self.0), Class::Finite { .. }) as u32
            }
            #[inline(always)]
            unsafe fn is_nonzero(self) -> bool {
                self.0.to_bits() << 1 != 0
            }
            #[inline(always)]
            unsafe fn int_zero() -> $int {
                0
            }
            #[inline(always)]
            unsafe fn int_add_difference(total: $int, a: Self, b: Self) -> $int {
                total.wrapping_add(a.0.to_bits().wrapping_sub(b.0.to_bits()) as $int)
            }
            #[inline(always)]
            unsafe fn int_add(a: $int, b: $int) -> $int {
                a.wrapping_add(b)
            }
            #[inline(always)]
            unsafe fn int_sum(total: $int) -> i64 {
                total as i64
            }
        }
    };
}

scalar!(F64, f64, i64);
scalar!(F32, f32, i32);

impl ProductError for F64 {
    #[inline(always)]
    unsafe fn min_abs(self, min: Self) -> Self {
        if self.0.abs() < min.0 { F64(self.0.abs()) } else { min }
    }
}

impl Load<f32> for F64 {
    #[inline(always)]
    unsafe fn load_from(p: *const f32) -> Self {
        // SAFETY: the caller vouches for the pointer.
        F64(unsafe { *p } as f64)
    }
}

impl Tile for F64 {
    #[inline(always)]
    unsafe fn transpose(_: &mut [Self; STEPS]) {}
    #[inline(always)]
    unsafe fn int_splat(x: i64) -> i64 {
        x
    }
    #[inline(always)]
    unsafe fn int_bits(self) -> i64 {
        self.0.to_bits() as i64
    }
    #[inline(always)]
    unsafe fn from_int_bits(bits: i64) -> Self {
        F64(f64::from_bits(bits as u64))
    }
    #[inline(always)]
    unsafe fn int_any(a: i64) -> bool {
        a != 0
    }
    #[inline(always)]
    unsafe fn int_sub(a: i64, b: i64) -> i64 {
        a.wrapping_sub(b)
    }
    #[inline(always)]
    unsafe fn int_and(a: i64, b: i64) -> i64 {
        a & b
    }
    #[inline(always)]
    unsafe fn int_or(a: i64, b: i64) -> i64 {
        a | b
    }
    #[inline(always)]
    unsafe fn int_shl(a: i64, by: u32) -> i64 {
        a << by
    }
    #[inline(always)]
    unsafe fn int_sar(a: i64, by: u32) -> i64 {
        a >> by
    }
    #[inline(always)]
    unsafe fn int_greater(a: i64, b: i64) -> i64 {
        -((a > b) as i64)
    }
    #[inline(always)]
    unsafe fn int_running(a: i64) -> i64 {
        a
    }
    #[inline(always)]
    unsafe fn int_last(a: i64) -> i64 {
        a
    }
    #[inline(always)]
    unsafe fn int_to_float(a: i64) -> Self {
        F64(a as f64)
    }
    #[inline(always)]
    unsafe fn small_to_float(a: i64) -> Self {
        F64(a as f64)
    }
    #[inline(always)]
    unsafe fn low_bits(a: i64, mask: i64, magic: Self) -> Self {
        F64(f64::from_bits((a & mask) as u64 | magic.0.to_bits()) - magic.0)
    }
}

impl StoreTo<f32> for F64 {
    #[inline(always)]
    unsafe fn store_to(self, p: *mut f32) {
        // SAFETY: the caller vouches for the pointer.
        unsafe { *p = self.0 as f32 }
    }
}

entries!(F64, F32, 2);
