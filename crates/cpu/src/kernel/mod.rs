//! Data loops, written once over the [`Vector`] trait. An instruction set is a room in `arch`.

mod clean;
pub(crate) mod deposit;
pub(crate) mod exact;
pub(crate) mod norm2;
pub(crate) mod norm_inf;
pub(crate) mod scan;
pub(crate) mod scan_exact;
pub(crate) mod scatter;
pub(crate) mod segments;
pub(crate) mod sum;
mod summands;
mod table;
mod terms;
mod tile;
mod vector;

pub(crate) use terms::Terms;
#[cfg(target_arch = "x86_64")]
pub(crate) use tile::SIGNED_MAGIC;
pub(crate) use tile::{STEPS, StoreTo, Tile};
pub(crate) use vector::{Load, ProductError, Vector};

use samebits_core::{Binned, BinnedArray, Exact, ExactDot, Kind, Norm2, NormInf};

/// Two slices of one length.
pub(crate) type Pair<'a, T> = (&'a [T], &'a [T]);

/// The sums of values and of their squares.
pub(crate) type PowerSums<T> = (Exact<T>, ExactDot<T>);
use samebits_device::Mode;

/// [`scatter::scatter`]: keys, values, slots, accumulators.
pub(crate) type Scatter<T> = unsafe fn(&[u32], &[T], &mut [T], &mut BinnedArray<'_, T>);
/// [`segments::segments`]: values, offsets, how, sums.
pub(crate) type Segments<T> = unsafe fn(&[T], &[usize], (Kind, Mode), &mut [T]);

/// The entry points of one instruction set.
///
/// # Safety
/// The machine must have the instruction set, and the floating-point environment must be the default one.
pub(crate) struct Kernels {
    pub(crate) binned_f64: unsafe fn(&[f64], &mut Binned<f64>),
    pub(crate) binned_f32: unsafe fn(&[f32], &mut Binned<f32>),
    pub(crate) exact_f64: unsafe fn(&[f64], &mut Exact<f64>),
    pub(crate) exact_f32: unsafe fn(&[f32], &mut Exact<f32>),
    pub(crate) norm2_f64: unsafe fn(&[f64], &mut Norm2<f64>),
    pub(crate) norm2_f32: unsafe fn(&[f32], &mut Norm2<f32>),
    pub(crate) norm_inf_f64: unsafe fn(&[f64], &mut NormInf<f64>),
    pub(crate) norm_inf_f32: unsafe fn(&[f32], &mut NormInf<f32>),
    pub(crate) binned_dot_f64: unsafe fn(Pair<'_, f64>, &mut Binned<f64>),
    pub(crate) binned_dot_f32: unsafe fn(Pair<'_, f32>, &mut Binned<f32>),
    pub(crate) exact_dot_f64: unsafe fn(Pair<'_, f64>, &mut ExactDot<f64>),
    pub(crate) exact_dot_f32: unsafe fn(Pair<'_, f32>, &mut ExactDot<f32>),
    pub(crate) moments_f64: unsafe fn(&[f64], &mut PowerSums<f64>),
    pub(crate) moments_f32: unsafe fn(&[f32], &mut PowerSums<f32>),
    pub(crate) scatter_f64: Scatter<f64>,
    pub(crate) scatter_f32: Scatter<f32>,
    /// [`scatter::largest`].
    pub(crate) largest: unsafe fn(&[u32]) -> u32,
    pub(crate) segments_f64: Segments<f64>,
    pub(crate) segments_f32: Segments<f32>,
    pub(crate) scan_f64: unsafe fn(scan::Part<f64>, &mut Binned<f64>),
    pub(crate) scan_f32: unsafe fn(scan::Part<f32>, &mut Binned<f32>),
    pub(crate) exact_scan_f64: unsafe fn(scan::Part<f64>, &mut Exact<f64>),
    pub(crate) exact_scan_f32: unsafe fn(scan::Part<f32>, &mut Exact<f32>),
    /// [`deposit::lanes`], for the proof by enumeration.
    pub(crate) lanes_f32: unsafe fn(usize, &[f32], &mut [f32]),
}

/// Defines `KERNELS` for a room: functions compiled for its features around the kernels inlined into them.
macro_rules! entries {
    ($(#[$feature:meta])? $f64:ty, $f32:ty, $unroll:literal) => {
        /// The kernels of this room.
        pub(crate) static KERNELS: $crate::kernel::Kernels = $crate::kernel::Kernels {
            binned_f64,
            binned_f32,
            exact_f64,
            exact_f32,
            norm2_f64,
            norm2_f32,
            norm_inf_f64,
            norm_inf_f32,
            binned_dot_f64,
            binned_dot_f32,
            exact_dot_f64,
            exact_dot_f32,
            moments_f64,
            moments_f32,
            scatter_f64,
            scatter_f32,
            largest,
            segments_f64,
            segments_f32,
            scan_f64,
            scan_f32,
            exact_scan_f64,
            exact_scan_f32,
            lanes_f32,
        };

        $(#[$feature])?
        unsafe fn binned_f64(x: &[f64], acc: &mut samebits_core::Binned<f64>) {
            // SAFETY: the caller vouches for features and environment (`Kernels`).
            unsafe { $crate::kernel::sum::binned::<$f64, $unroll>(x, acc) }
        }
        $(#[$feature])?
        unsafe fn binned_f32(x: &[f32], acc: &mut samebits_core::Binned<f32>) {
            // SAFETY: as above.
            unsafe { $crate::kernel::sum::binned::<$f32, $unroll>(x, acc) }
        }
        $(#[$feature])?
        unsafe fn exact_f64(x: &[f64], acc: &mut samebits_core::Exact<f64>) {
            // SAFETY: as above.
            unsafe { $crate::kernel::exact::exact::<$f64, f64, $unroll>(x, acc) }
        }
        $(#[$feature])?
        unsafe fn exact_f32(x: &[f32], acc: &mut samebits_core::Exact<f32>) {
            // SAFETY: as above.
            unsafe { $crate::kernel::exact::exact::<$f64, f32, $unroll>(x, acc) }
        }
        $(#[$feature])?
        unsafe fn norm2_f64(x: &[f64], acc: &mut samebits_core::Norm2<f64>) {
            // SAFETY: as above.
            unsafe { $crate::kernel::norm2::norm2::<$f64, $unroll>(x, acc) }
        }
        $(#[$feature])?
        unsafe fn norm2_f32(x: &[f32], acc: &mut samebits_core::Norm2<f32>) {
            // SAFETY: as above.
            unsafe { $crate::kernel::norm2::norm2::<$f32, $unroll>(x, acc) }
        }
        $(#[$feature])?
        unsafe fn norm_inf_f64(x: &[f64], acc: &mut samebits_core::NormInf<f64>) {
            // SAFETY: as above.
            unsafe { $crate::kernel::norm_inf::norm_inf::<$f64, $unroll>(x, acc) }
        }
        $(#[$feature])?
        unsafe fn norm_inf_f32(x: &[f32], acc: &mut samebits_core::NormInf<f32>) {
            // SAFETY: as above.
            unsafe { $crate::kernel::norm_inf::norm_inf::<$f32, $unroll>(x, acc) }
        }
        $(#[$feature])?
        unsafe fn binned_dot_f64(x: $crate::kernel::Pair<'_, f64>, acc: &mut samebits_core::Binned<f64>) {
            // SAFETY: as above.
            unsafe { $crate::kernel::sum::binned_dot::<$f64, $unroll>(x, acc) }
        }
        $(#[$feature])?
        unsafe fn exact_dot_f64(x: $crate::kernel::Pair<'_, f64>, acc: &mut samebits_core::ExactDot<f64>) {
            // SAFETY: as above.
            unsafe { $crate::kernel::exact::exact_dot::<$f64, f64, $unroll>(x, acc) }
        }
        $(#[$feature])?
        unsafe fn moments_f64(x: &[f64], acc: &mut $crate::kernel::PowerSums<f64>) {
            // SAFETY: as above.
            unsafe { $crate::kernel::exact::moments(x, acc, exact_f64, exact_dot_f64) }
        }
        $(#[$feature])?
        unsafe fn binned_dot_f32(x: $crate::kernel::Pair<'_, f32>, acc: &mut samebits_core::Binned<f32>) {
            // SAFETY: as above.
            unsafe { $crate::kernel::sum::binned_dot::<$f32, $unroll>(x, acc) }
        }
        $(#[$feature])?
        unsafe fn exact_dot_f32(x: $crate::kernel::Pair<'_, f32>, acc: &mut samebits_core::ExactDot<f32>) {
            // SAFETY: as above.
            unsafe { $crate::kernel::exact::exact_dot::<$f64, f32, $unroll>(x, acc) }
        }
        $(#[$feature])?
        unsafe fn moments_f32(x: &[f32], acc: &mut $crate::kernel::PowerSums<f32>) {
            // SAFETY: as above.
            unsafe { $crate::kernel::exact::moments(x, acc, exact_f32, exact_dot_f32) }
        }
        $(#[$feature])?
        unsafe fn scatter_f64(
            keys: &[u32],
            x: &[f64],
            slots: &mut [f64],
            array: &mut samebits_core::BinnedArray<'_, f64>,
        ) {
            // SAFETY: as above.
            unsafe { $crate::kernel::scatter::scatter::<$f64>(keys, x, slots, array) }
        }
        $(#[$feature])?
        unsafe fn scatter_f32(
            keys: &[u32],
            x: &[f32],
            slots: &mut [f32],
            array: &mut samebits_core::BinnedArray<'_, f32>,
        ) {
            // SAFETY: as above.
            unsafe { $crate::kernel::scatter::scatter::<$f32>(keys, x, slots, array) }
        }
        $(#[$feature])?
        unsafe fn largest(keys: &[u32]) -> u32 {
            $crate::kernel::scatter::largest(keys)
        }
        $(#[$feature])?
        unsafe fn segments_f64(
            x: &[f64],
            offsets: &[usize],
            how: (samebits_core::Kind, samebits_device::Mode),
            out: &mut [f64],
        ) {
            // SAFETY: as above.
            unsafe {
                let long = $crate::kernel::segments::Long { binned: binned_f64, exact: exact_f64 };
                $crate::kernel::segments::segments::<$f64, $f64>(x, offsets, how, out, &long)
            }
        }
        $(#[$feature])?
        unsafe fn segments_f32(
            x: &[f32],
            offsets: &[usize],
            how: (samebits_core::Kind, samebits_device::Mode),
            out: &mut [f32],
        ) {
            // SAFETY: as above.
            unsafe {
                let long = $crate::kernel::segments::Long { binned: binned_f32, exact: exact_f32 };
                $crate::kernel::segments::segments::<$f32, $f64>(x, offsets, how, out, &long)
            }
        }
        $(#[$feature])?
        unsafe fn scan_f64(part: $crate::kernel::scan::Part<f64>, acc: &mut samebits_core::Binned<f64>) {
            // SAFETY: as above.
            unsafe { $crate::kernel::scan::binned::<$f64, f64>(part, acc, binned_f64) }
        }
        $(#[$feature])?
        unsafe fn scan_f32(part: $crate::kernel::scan::Part<f32>, acc: &mut samebits_core::Binned<f32>) {
            // SAFETY: as above.
            unsafe { $crate::kernel::scan::binned::<$f64, f32>(part, acc, binned_f32) }
        }
        $(#[$feature])?
        unsafe fn exact_scan_f64(part: $crate::kernel::scan::Part<f64>, acc: &mut samebits_core::Exact<f64>) {
            // SAFETY: as above.
            unsafe { $crate::kernel::scan_exact::exact::<$f64, f64>(part, acc, exact_f64) }
        }
        $(#[$feature])?
        unsafe fn exact_scan_f32(part: $crate::kernel::scan::Part<f32>, acc: &mut samebits_core::Exact<f32>) {
            // SAFETY: as above.
            unsafe { $crate::kernel::scan_exact::exact::<$f64, f32>(part, acc, exact_f32) }
        }
        $(#[$feature])?
        unsafe fn lanes_f32(index: usize, x: &[f32], out: &mut [f32]) {
            // SAFETY: as above.
            unsafe { $crate::kernel::deposit::lanes::<$f32>(index, x, out) }
        }
    };
}
pub(crate) use entries;
