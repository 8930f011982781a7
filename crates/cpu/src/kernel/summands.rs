//! What an exact sum needs to know of its terms: their errors, how a block is cleaned, and where values go that spread
//! too far for a window.

use super::clean::{copy_clean, count_special};
use super::table::Table;
use super::terms::{LONGEST_STEP, Products, Terms, Values};
use super::vector::{LoadFrom, ProductError, Vector};
use core::mem::MaybeUninit;
use core::slice;
use samebits_core::{Counts, Exact, ExactDot, Float, Kind, eft};

/// Rounds of a block of single terms: a lane holds `2^51` units in each direction, and a value has at most `2^44`.
const ROUNDS: usize = 64;
/// The longest block: an `f64` vector has half as many lanes as the longest one.
const MAX_BLOCK: usize = LONGEST_STEP / 2 * ROUNDS;

/// An exact total that backends add integers to.
pub(crate) trait Total {
    /// Adds `v * 2^exponent`.
    fn add_scaled(&mut self, v: i128, exponent: i32);
    /// Counts terms that were reserved.
    fn count_in(&mut self, counts: &Counts);
}

macro_rules! total {
    ($total:ident) => {
        impl<E: Float> Total for $total<E> {
            #[inline(always)]
            fn add_scaled(&mut self, v: i128, exponent: i32) {
                $total::add_scaled(self, v, exponent)
            }
            fn count_in(&mut self, counts: &Counts) {
                $total::count_in(self, counts).expect("the count was reserved")
            }
        }
    };
}
total!(Exact);
total!(ExactDot);

/// Terms of an exact sum.
pub(crate) trait Summands<V: Vector<Elem = f64>>: Terms<V> {
    /// Are the terms rounded, so that each has an error to be added too?
    const ROUNDED: bool = false;
    /// Folds at first, and where those do not hold all.
    const FOLDS: (usize, usize) = if Self::ROUNDED { (3, 5) } else { (2, 4) };
    /// Rounds of a block. With an error, a lane takes in twice as many.
    const ROUNDS: usize = if Self::ROUNDED { ROUNDS / 2 } else { ROUNDS };

    /// What holds the clean copy of a block, and its terms.
    type Copy;
    type Clean: Summands<V, Scattered = Self::Scattered>;
    /// What holds values that spread too far.
    type Scattered;

    /// The errors of the terms `p` at `at`.
    unsafe fn error(self, _at: usize, p: V) -> V {
        p
    }
    /// Lane by lane the smaller of `min` and `|p|`, if that tells whether errors are exact.
    unsafe fn watch(self, _p: V, min: V) -> V {
        min
    }
    /// Is every error exact, if the smallest terms are those of `min`?
    unsafe fn errors_are_exact(self, _min: V) -> bool {
        true
    }

    /// Copies the block without what the folds cannot add: specials are counted, other terms added to `total`. Was
    /// there any?
    ///
    /// # Safety
    /// `copy` is valid for writes, and holds `ROUNDS` rounds.
    unsafe fn clean(
        self,
        copy: *mut Self::Copy,
        total: &mut impl Total,
        kind: Kind,
        counts: &mut Counts,
    ) -> (Self::Clean, bool);

    fn none_scattered() -> Self::Scattered;
    /// Adds the block term by term; specials are counted.
    unsafe fn scatter(self, to: &mut Self::Scattered, total: &mut impl Total, kind: Kind, counts: &mut Counts);
    /// Adds what was scattered.
    fn gather(scattered: &Self::Scattered, total: &mut impl Total);
}

impl<V: LoadFrom<E>, E: Float + Into<f64>> Summands<V> for Values<E> {
    type Copy = [f64; MAX_BLOCK];
    type Clean = Values<f64>;
    type Scattered = Table;

    #[inline(always)]
    unsafe fn clean(
        self,
        copy: *mut [f64; MAX_BLOCK],
        _total: &mut impl Total,
        kind: Kind,
        counts: &mut Counts,
    ) -> (Values<f64>, bool) {
        let before = *counts;
        // SAFETY: passed on from the caller.
        unsafe { copy_clean::<V, Self>(self, copy.cast(), kind, counts) };
        (Values::at(copy.cast(), Terms::<V>::len(self)), *counts != before)
    }
    #[inline(always)]
    fn none_scattered() -> Table {
        Table::new()
    }
    #[inline(always)]
    unsafe fn scatter(self, to: &mut Table, _total: &mut impl Total, kind: Kind, counts: &mut Counts) {
        // SAFETY: passed on from the caller.
        to.add(unsafe { self.slice() }, kind, counts);
    }
    #[inline(always)]
    fn gather(table: &Table, total: &mut impl Total) {
        table.drain(total);
    }
}

/// Below this a product may have bits below the smallest subnormal, and its error is not exact: `2^-968`.
const SMALLEST: f64 = f64::from_bits((1023 - 968) << 52);
/// From here on a product may be too large for any window: `2^1000`.
const LARGEST: f64 = f64::from_bits((1023 + 1000) << 52);

/// Products of `E`: exact ones (`f32` in `f64`), or (`f64`) rounded ones with an error. The error is not exact where the
/// product is too small; if then nothing is left of a block after the last fold, it may still not be all. So the
/// smallest magnitude is watched, and if it is too small every such product must be one of a zero.
macro_rules! products {
    ($elem:ty, $rounded:literal) => {
        impl<V: LoadFrom<$elem> + ProductError> Summands<V> for Products<$elem> {
            const ROUNDED: bool = $rounded;
            type Copy = [[$elem; MAX_BLOCK]; 2];
            type Clean = Self;
            type Scattered = ();

            #[inline(always)]
            unsafe fn error(self, at: usize, p: V) -> V {
                // SAFETY: passed on from the caller.
                unsafe { V::product_error(Terms::<V>::load(self.x, at), Terms::<V>::load(self.y, at), p) }
            }
            #[inline(always)]
            unsafe fn watch(self, p: V, min: V) -> V {
                // SAFETY: passed on from the caller.
                unsafe { p.min_abs(min) }
            }
            #[inline(always)]
            unsafe fn errors_are_exact(self, min: V) -> bool {
                if !$rounded {
                    return true;
                }
                let mut lanes = [f64::INFINITY; 8];
                // SAFETY: passed on from the caller; no vector is longer.
                unsafe {
                    min.store(lanes.as_mut_ptr());
                    lanes.iter().all(|&p| p >= SMALLEST) || small_products_are_of_zeros(self)
                }
            }

            #[inline(always)]
            unsafe fn clean(
                self,
                copy: *mut Self::Copy,
                total: &mut impl Total,
                _kind: Kind,
                counts: &mut Counts,
            ) -> (Self, bool) {
                // SAFETY: passed on from the caller.
                unsafe { clean_products(self, copy.cast(), total, counts) }
            }
            #[inline(always)]
            fn none_scattered() {}
            #[inline(always)]
            unsafe fn scatter(self, _to: &mut (), total: &mut impl Total, _kind: Kind, counts: &mut Counts) {
                // SAFETY: passed on from the caller.
                let (x, y) = unsafe { (self.x.slice(), self.y.slice()) };
                x.iter().zip(y).for_each(|(&a, &b)| add_by_integers(a, b, total, counts));
            }
            #[inline(always)]
            fn gather(_: &(), _: &mut impl Total) {}
        }
    };
}
products!(f64, true);
products!(f32, false);

/// Is a zero among the factors of each product that is too small?
///
/// # Safety
/// The slices are there.
#[inline(always)]
unsafe fn small_products_are_of_zeros<E: Float + Into<f64>>(products: Products<E>) -> bool {
    // SAFETY: passed on from the caller.
    let (x, y) = unsafe { (products.x.slice(), products.y.slice()) };
    let mut found = false;
    for (&a, &b) in x.iter().zip(y) {
        let (a, b): (f64, f64) = (a.into(), b.into());
        found |= ((a * b).abs() < SMALLEST) & (a != 0.0) & (b != 0.0);
    }
    !found
}

/// Copies the factors. Products that are special or have no place in a window are counted or added and leave zeros.
///
/// # Safety
/// The slices are there, `copy` is valid for writes, the block not longer than it.
#[inline(never)]
unsafe fn clean_products<E: Float + Into<f64>>(
    products: Products<E>,
    copy: *mut [E; MAX_BLOCK],
    total: &mut impl Total,
    counts: &mut Counts,
) -> (Products<E>, bool) {
    // SAFETY: passed on from the caller.
    let (x, y) = unsafe { (products.x.slice(), products.y.slice()) };
    let copy: *mut [MaybeUninit<E>; MAX_BLOCK] = copy.cast();
    // SAFETY: `copy` is two arrays; nothing else refers to them.
    let (to_x, to_y) = unsafe { (&mut (&mut *copy)[..x.len()], &mut (&mut *copy.add(1))[..y.len()]) };
    let mut found = false;
    for (((&a, &b), to_a), to_b) in x.iter().zip(y).zip(to_x.iter_mut()).zip(to_y.iter_mut()) {
        let (fa, fb): (f64, f64) = (a.into(), b.into());
        let magnitude = (fa * fb).abs();
        let of_zero = magnitude == 0.0 && (fa == 0.0 || fb == 0.0);
        let fits = (SMALLEST..LARGEST).contains(&magnitude) || of_zero;
        if !fits {
            found = true;
            add_by_integers(a, b, total, counts);
        }
        to_a.write(if fits { a } else { E::default() });
        to_b.write(if fits { b } else { E::default() });
    }
    // SAFETY: both were written whole.
    unsafe {
        let x = slice::from_raw_parts(to_x.as_ptr().cast(), x.len());
        let y = slice::from_raw_parts(to_y.as_ptr().cast(), y.len());
        (Products::of(x, y), found)
    }
}

/// Adds one product by the definition, or counts it.
#[inline]
fn add_by_integers<E: Float>(a: E, b: E, total: &mut impl Total, counts: &mut Counts) {
    match eft::exact_prod(a, b) {
        Some((0, _)) => {}
        Some((m, q)) => total.add_scaled(m, q),
        None => count_special(eft::prod(a, b), counts),
    }
}
