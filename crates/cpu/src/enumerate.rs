//! The two forms of a deposit compared: integers, which are the definition, and floats, which are fast.

use crate::dispatch::Isa;
use crate::guard::with_default_environment;
use crate::kernel::deposit::{reference, shift_of};
use samebits_core::{Float, bin_index, digits};
use samebits_device::Error;

/// Values that are compared at once.
const BATCH: usize = 1024;

/// A value whose two forms differ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Difference {
    /// The value's bits.
    pub bits: u32,
    /// The first bin of the window.
    pub index: usize,
    /// The fold.
    pub fold: usize,
    /// What the integer form takes.
    pub integer: i64,
    /// What the float form takes.
    pub float: i64,
}

/// Compares both forms of a deposit of the `f32` values with the given bits, in every window that does not begin below
/// the value's own bin, with all folds (so that the last bin is repeated at least three times where the window gets that
/// far; from the topmost window only 16 folds, as many as the float form is used for there). Specials are skipped.
/// Returns the number of digits compared, or the first difference.
pub fn compare_forms(isa: Isa, values: impl Iterator<Item = u32>) -> Result<Result<u64, Difference>, Error> {
    let kernels = isa.kernels_or_error()?;
    let mut compared = 0;
    let mut batch = Vec::with_capacity(BATCH);
    let mut bins = Vec::with_capacity(BATCH);
    let mut lanes = vec![0f32; BATCH * f32::MAX_FOLDS];
    let mut values = values.map(f32::from_bits).filter(|x| x.is_finite()).peekable();
    while values.peek().is_some() {
        batch.clear();
        batch.extend(values.by_ref().take(BATCH));
        let real = batch.len();
        batch.resize(BATCH, 0.0);
        bins.clear();
        bins.extend(batch[..real].iter().map(|&x| bin_index(x)));
        let last = bins.iter().copied().max().unwrap_or(0);
        for index in 0..=last {
            let folds = if index == 0 { 16 } else { f32::MAX_FOLDS.min(f32::MAX_FOLDS - index + 3) };
            let mut call = Call { kernel: kernels.lanes_f32, index, x: &batch, out: &mut lanes[..BATCH * folds] };
            with_default_environment(run, &mut call);
            let mut origins = [0; f32::MAX_FOLDS];
            for (fold, origin) in origins[..folds].iter_mut().enumerate() {
                *origin = i64::from(reference::<f32>(index, fold, shift_of::<f32>(index)).to_bits());
            }
            for (i, &x) in batch[..real].iter().enumerate() {
                if bins[i] < index {
                    continue;
                }
                let mut expected = origins;
                digits(x, index, folds, |k, digit| expected[k] += digit);
                let found = lanes[i..].iter().step_by(BATCH);
                for (fold, (&integer, float)) in expected[..folds].iter().zip(found).enumerate() {
                    let (integer, float) = (integer - origins[fold], i64::from(float.to_bits()) - origins[fold]);
                    if float != integer {
                        return Ok(Err(Difference { bits: x.to_bits(), index, fold, integer, float }));
                    }
                }
                compared += folds as u64;
            }
        }
    }
    Ok(Ok(compared))
}

struct Call<'a> {
    kernel: unsafe fn(usize, &[f32], &mut [f32]),
    index: usize,
    x: &'a [f32],
    out: &'a mut [f32],
}

/// # Safety
/// The machine has the kernel's instructions.
#[inline(never)]
unsafe fn run(call: &mut Call<'_>) {
    // SAFETY: the caller vouches for the instructions, the guard for the environment; a batch is whole vectors.
    unsafe { (call.kernel)(call.index, call.x, call.out) }
}
