//! What a backend offers: a general part and small traits by topic.

use crate::{Bound, Device, Dots, Error, Group, Groups, Mode, Norms, Scans, Span};
use samebits_core::{Binned, Exact, ExactDot, ExactNorm2, Float, Kind, Moments, Norm2, NormInf};

/// A device that was opened: object-safe, shared by threads.
pub trait Backend: Send + Sync {
    /// The device it drives.
    fn device(&self) -> Device;
    /// What the device is, for people: `AMD EPYC, avx2`.
    fn name(&self) -> String;
    /// Threads that a call may use; 1 for anything that is not a CPU.
    fn threads(&self) -> usize {
        1
    }
    /// Calls `work` once for each of `0..tasks`, on the threads of the device or on the calling one, in any order.
    /// For what is cut into independent parts above the kernels: masks, strides, groups.
    fn spread(&self, tasks: usize, work: &(dyn Fn(usize) + Sync)) {
        (0..tasks).for_each(work);
    }
    /// The reductions.
    fn reduce(&self) -> &dyn Reduce;
    /// The norms.
    fn norms(&self) -> &dyn Norms;
    /// Dots and moments.
    fn dots(&self) -> &dyn Dots;
    /// Sums by key and by segment.
    fn group(&self) -> &dyn Group;
    /// The running sums.
    fn scans(&self) -> &dyn Scans;
}

/// Reductions of host slices. Each call adds all of `x` to the accumulator: the state afterwards is a function of the
/// multiset of everything added, whichever backend did it. After an error the accumulator is unchanged.
pub trait Reduce {
    /// Adds `x` to a binned `f64` accumulator.
    fn binned_f64(&self, x: &[f64], acc: &mut Binned<f64>) -> Result<(), Error>;
    /// Adds `x` to a binned `f32` accumulator.
    fn binned_f32(&self, x: &[f32], acc: &mut Binned<f32>) -> Result<(), Error>;
    /// Adds `x` to an exact `f64` accumulator.
    fn exact_f64(&self, x: &[f64], acc: &mut Exact<f64>) -> Result<(), Error>;
    /// Adds `x` to an exact `f32` accumulator.
    fn exact_f32(&self, x: &[f32], acc: &mut Exact<f32>) -> Result<(), Error>;
}

/// A type with kernels: picks the method of a kernel trait for generic code.
pub trait Element: Float {
    /// [`Reduce::binned_f64`] or [`Reduce::binned_f32`].
    fn binned(kernels: &dyn Reduce, x: &[Self], acc: &mut Binned<Self>) -> Result<(), Error>;
    /// [`Reduce::exact_f64`] or [`Reduce::exact_f32`].
    fn exact(kernels: &dyn Reduce, x: &[Self], acc: &mut Exact<Self>) -> Result<(), Error>;
    /// [`Norms::norm2_f64`] or [`Norms::norm2_f32`].
    fn norm2(kernels: &dyn Norms, x: &[Self], acc: &mut Norm2<Self>) -> Result<(), Error>;
    /// [`Norms::exact_norm2_f64`] or [`Norms::exact_norm2_f32`].
    fn exact_norm2(kernels: &dyn Norms, x: &[Self], acc: &mut ExactNorm2<Self>) -> Result<(), Error>;
    /// [`Norms::norm_inf_f64`] or [`Norms::norm_inf_f32`].
    fn norm_inf(kernels: &dyn Norms, x: &[Self], acc: &mut NormInf<Self>) -> Result<(), Error>;
    /// [`Dots::binned_dot_f64`] or [`Dots::binned_dot_f32`].
    fn binned_dot(kernels: &dyn Dots, x: &[Self], y: &[Self], acc: &mut Binned<Self>) -> Result<(), Error>;
    /// [`Dots::exact_dot_f64`] or [`Dots::exact_dot_f32`].
    fn exact_dot(kernels: &dyn Dots, x: &[Self], y: &[Self], acc: &mut ExactDot<Self>) -> Result<(), Error>;
    /// [`Dots::moments_f64`] or [`Dots::moments_f32`].
    fn moments(kernels: &dyn Dots, x: &[Self], acc: &mut Moments<Self>) -> Result<(), Error>;
    /// [`Group::scatter_f64`] or [`Group::scatter_f32`].
    fn scatter(kernels: &dyn Group, keys: &[u32], x: &[Self], groups: &mut Groups<Self>) -> Result<(), Error>;
    /// [`Group::segments_f64`] or [`Group::segments_f32`].
    fn segments(
        kernels: &dyn Group,
        x: &[Self],
        offsets: &[usize],
        how: (Kind, Mode),
        out: &mut [Self],
    ) -> Result<(), Error>;
    /// [`Scans::binned_scan_f64`] or [`Scans::binned_scan_f32`].
    fn binned_scan(k: &dyn Scans, span: Span<'_, Self>, bound: Bound, acc: &mut Binned<Self>) -> Result<(), Error>;
    /// [`Scans::exact_scan_f64`] or [`Scans::exact_scan_f32`].
    fn exact_scan(k: &dyn Scans, span: Span<'_, Self>, bound: Bound, acc: &mut Exact<Self>) -> Result<(), Error>;
}

impl Element for f64 {
    fn binned(kernels: &dyn Reduce, x: &[f64], acc: &mut Binned<f64>) -> Result<(), Error> {
        kernels.binned_f64(x, acc)
    }
    fn exact(kernels: &dyn Reduce, x: &[f64], acc: &mut Exact<f64>) -> Result<(), Error> {
        kernels.exact_f64(x, acc)
    }
    fn norm2(kernels: &dyn Norms, x: &[f64], acc: &mut Norm2<f64>) -> Result<(), Error> {
        kernels.norm2_f64(x, acc)
    }
    fn exact_norm2(kernels: &dyn Norms, x: &[f64], acc: &mut ExactNorm2<f64>) -> Result<(), Error> {
        kernels.exact_norm2_f64(x, acc)
    }
    fn norm_inf(kernels: &dyn Norms, x: &[f64], acc: &mut NormInf<f64>) -> Result<(), Error> {
        kernels.norm_inf_f64(x, acc)
    }
    fn binned_dot(kernels: &dyn Dots, x: &[f64], y: &[f64], acc: &mut Binned<f64>) -> Result<(), Error> {
        kernels.binned_dot_f64(x, y, acc)
    }
    fn exact_dot(kernels: &dyn Dots, x: &[f64], y: &[f64], acc: &mut ExactDot<f64>) -> Result<(), Error> {
        kernels.exact_dot_f64(x, y, acc)
    }
    fn moments(kernels: &dyn Dots, x: &[f64], acc: &mut Moments<f64>) -> Result<(), Error> {
        kernels.moments_f64(x, acc)
    }
    fn scatter(kernels: &dyn Group, keys: &[u32], x: &[f64], groups: &mut Groups<f64>) -> Result<(), Error> {
        kernels.scatter_f64(keys, x, groups)
    }
    fn segments(
        kernels: &dyn Group,
        x: &[f64],
        offsets: &[usize],
        how: (Kind, Mode),
        out: &mut [f64],
    ) -> Result<(), Error> {
        kernels.segments_f64(x, offsets, how, out)
    }
    fn binned_scan(k: &dyn Scans, span: Span<'_, f64>, bound: Bound, acc: &mut Binned<f64>) -> Result<(), Error> {
        k.binned_scan_f64(span, bound, acc)
    }
    fn exact_scan(k: &dyn Scans, span: Span<'_, f64>, bound: Bound, acc: &mut Exact<f64>) -> Result<(), Error> {
        k.exact_scan_f64(span, bound, acc)
    }
}

impl Element for f32 {
    fn binned(kernels: &dyn Reduce, x: &[f32], acc: &mut Binned<f32>) -> Result<(), Error> {
        kernels.binned_f32(x, acc)
    }
    fn exact(kernels: &dyn Reduce, x: &[f32], acc: &mut Exact<f32>) -> Result<(), Error> {
        kernels.exact_f32(x, acc)
    }
    fn norm2(kernels: &dyn Norms, x: &[f32], acc: &mut Norm2<f32>) -> Result<(), Error> {
        kernels.norm2_f32(x, acc)
    }
    fn exact_norm2(kernels: &dyn Norms, x: &[f32], acc: &mut ExactNorm2<f32>) -> Result<(), Error> {
        kernels.exact_norm2_f32(x, acc)
    }
    fn norm_inf(kernels: &dyn Norms, x: &[f32], acc: &mut NormInf<f32>) -> Result<(), Error> {
        kernels.norm_inf_f32(x, acc)
    }
    fn binned_dot(kernels: &dyn Dots, x: &[f32], y: &[f32], acc: &mut Binned<f32>) -> Result<(), Error> {
        kernels.binned_dot_f32(x, y, acc)
    }
    fn exact_dot(kernels: &dyn Dots, x: &[f32], y: &[f32], acc: &mut ExactDot<f32>) -> Result<(), Error> {
        kernels.exact_dot_f32(x, y, acc)
    }
    fn moments(kernels: &dyn Dots, x: &[f32], acc: &mut Moments<f32>) -> Result<(), Error> {
        kernels.moments_f32(x, acc)
    }
    fn scatter(kernels: &dyn Group, keys: &[u32], x: &[f32], groups: &mut Groups<f32>) -> Result<(), Error> {
        kernels.scatter_f32(keys, x, groups)
    }
    fn segments(
        kernels: &dyn Group,
        x: &[f32],
        offsets: &[usize],
        how: (Kind, Mode),
        out: &mut [f32],
    ) -> Result<(), Error> {
        kernels.segments_f32(x, offsets, how, out)
    }
    fn binned_scan(k: &dyn Scans, span: Span<'_, f32>, bound: Bound, acc: &mut Binned<f32>) -> Result<(), Error> {
        k.binned_scan_f32(span, bound, acc)
    }
    fn exact_scan(k: &dyn Scans, span: Span<'_, f32>, bound: Bound, acc: &mut Exact<f32>) -> Result<(), Error> {
        k.exact_scan_f32(span, bound, acc)
    }
}
