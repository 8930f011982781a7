//! Reduction images: an accumulator as words that plain integer sums can reduce (MPI, NCCL, any collective).
//!
//! First one MAX over [`Binned::window_rank`], then one SUM over the words of [`Binned::write_image`], all as `i64`.
//! Each total is cut into 32-bit digits, one a word, so up to 2^31 ranks can be summed without a carry being lost.

use super::Binned;
use crate::format::Float;
use crate::state::{Counts, Kind};
use crate::{Error, Result};

const COUNT_WORDS: usize = 2;
const TOTAL_WORDS: usize = 4;
const DIGIT: u32 = 32;

impl<T: Float> Binned<T> {
    /// Number of words of an image.
    pub fn image_len(folds: usize) -> usize {
        4 * COUNT_WORDS + TOTAL_WORDS * folds
    }

    /// How high this accumulator's window begins: the larger, the larger the values. Reduce it with MAX over all ranks.
    pub fn window_rank(&self) -> i64 {
        (T::MAX_INDEX - self.index()) as i64
    }

    /// Writes the words of the image whose window begins at `rank`, the maximum over all ranks.
    ///
    /// ```
    /// use samebits_core::{Binned, Kind};
    /// let (mut a, mut b) = (Binned::<f64>::new(3)?, Binned::<f64>::new(3)?);
    /// a.extend(&[1.0, 2.5])?;
    /// b.extend(&[1e9])?;
    /// let rank = a.window_rank().max(b.window_rank());
    /// let (mut words, mut more) = ([0; 20], [0; 20]);
    /// a.write_image(rank, &mut words)?;
    /// b.write_image(rank, &mut more)?;
    /// words.iter_mut().zip(more).for_each(|(w, m)| *w += m);
    /// a.merge(&b)?;
    /// assert_eq!(Binned::from_image(Kind::Sum, 3, rank, &words)?, a);
    /// # Ok::<(), samebits_core::Error>(())
    /// ```
    pub fn write_image(&self, rank: i64, words: &mut [i64]) -> Result<()> {
        check_len::<T>(self.folds(), words.len())?;
        let index = index_of_rank::<T>(rank)?;
        if index > self.index() {
            return Err(Error::State { what: "the rank is below this accumulator's own", at: 0 });
        }
        let mut aligned = *self;
        aligned.window().raise(index);
        let Counts { summands, nan, pos_inf, neg_inf } = self.counts;
        let (counts, totals) = words.split_at_mut(4 * COUNT_WORDS);
        for (slot, n) in counts.chunks_exact_mut(COUNT_WORDS).zip([summands, nan, pos_inf, neg_inf]) {
            slot.copy_from_slice(&[(n & 0xffff_ffff) as i64, (n >> DIGIT) as i64]);
        }
        for (slot, &s) in totals.chunks_exact_mut(TOTAL_WORDS).zip(aligned.totals()) {
            for (d, word) in slot.iter_mut().enumerate() {
                let digit = s >> (DIGIT * d as u32);
                // The last digit keeps the sign.
                *word = if d + 1 < TOTAL_WORDS { digit & 0xffff_ffff } else { digit } as i64;
            }
        }
        Ok(())
    }

    /// The accumulator that the summed words stand for; checked like state bytes.
    pub fn from_image(kind: Kind, folds: usize, rank: i64, words: &[i64]) -> Result<Self> {
        let mut acc = Self::with_kind(kind, folds)?;
        check_len::<T>(folds, words.len())?;
        acc.index = index_of_rank::<T>(rank)? as u8;
        let impossible = |what| Error::State { what, at: 0 };
        // Words may come from anywhere: sum digits without overflow, highest first.
        let join = |digits: &[i64]| {
            digits.iter().rev().try_fold(0i128, |n, &d| n.checked_mul(1 << DIGIT)?.checked_add(d as i128))
        };
        let (counts, totals) = words.split_at(4 * COUNT_WORDS);
        let mut numbers = [0u64; 4];
        for (n, digits) in numbers.iter_mut().zip(counts.chunks_exact(COUNT_WORDS)) {
            *n = join(digits).and_then(|v| u64::try_from(v).ok()).ok_or(impossible("a count out of range"))?;
        }
        let [summands, nan, pos_inf, neg_inf] = numbers;
        if summands > T::CAPACITY {
            return Err(Error::Capacity { limit: T::CAPACITY });
        }
        acc.counts = Counts { summands, nan, pos_inf, neg_inf };
        acc.counts.check(kind, T::CAPACITY).map_err(impossible)?;
        for (slot, digits) in acc.totals.as_mut().iter_mut().zip(totals.chunks_exact(TOTAL_WORDS)) {
            *slot = join(digits).ok_or(impossible("a total out of range"))?;
        }
        acc.check().map_err(impossible)?;
        Ok(acc)
    }
}

fn check_len<T: Float>(folds: usize, given: usize) -> Result<()> {
    let needed = Binned::<T>::image_len(folds);
    if given == needed { Ok(()) } else { Err(Error::Length { what: "a reduction image", given, needed }) }
}

fn index_of_rank<T: Float>(rank: i64) -> Result<usize> {
    usize::try_from(rank)
        .ok()
        .and_then(|r| T::MAX_INDEX.checked_sub(r))
        .ok_or(Error::State { what: "a rank that the type does not have", at: 0 })
}
