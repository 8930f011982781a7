//! The 2-norm: a binned sum of scaled squares, and its root.
//!
//! # Definition
//! A square is rounded once, to the precision of the type but with no bound on its exponent, and deposited in a K-fold
//! accumulator (see [`crate::binned`]) whose bins go on past both ends of the type: squares span twice its range.
//! The totals are converted as those of a sum, the root of that is rounded to double precision and then to the type.
//!
//! That is what scaling does. With `z` such that the largest magnitude lies in `[2^(W z), 2^(W (z+1)))`, W being the width
//! of a bin, every value is divided by `2^(W z)`, squared and deposited, and the root is multiplied by it again. Another
//! `z` moves the squares by `2 W` binades, exactly two bins: so the totals, and the bits of the result, do not depend
//! on it, and a rise of the scale is a rise of the window by two bins. Folds are limited ([`Norm2::MAX_FOLDS`]) so that the
//! window of the scaled squares ends above the last bin of the type, which a window of a sum would repeat.

use crate::binned::convert::{self, add_away};
use crate::binned::window::Window;
use crate::format::{Class, Float, Round, classify, encode, shorten};
use crate::state::{self, Counts, Kind};
use crate::{Error, Result, integer};

/// A 2-norm in progress that neither overflows nor underflows midway: the K-fold binned sum of the squares of values.
///
/// Fixed size, no allocation, integers only. The same multiset gives the same state. For speed on arrays use the backends;
/// this is the definition.
///
/// ```
/// use samebits_core::Norm2;
/// let mut acc = Norm2::<f64>::new(3)?;
/// acc.extend(&[3e300, -4e300])?;
/// assert_eq!(acc.value(), 5e300);
/// # Ok::<(), samebits_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Norm2<T: Float> {
    folds: u8,
    /// Bin of the largest square, counted from the topmost that a square can have.
    index: u8,
    counts: Counts,
    totals: T::Totals,
}

impl<T: Float> Norm2<T> {
    /// Bin of 1 in the format of the type.
    const BIN_OF_ONE: i32 = (T::EMAX - 1) / T::WIDTH as i32;
    /// Bin of the largest square, by the numbering of the type's own bins: far below zero.
    const TOP: i32 = (-T::EMAX).div_euclid(T::WIDTH as i32);
    /// The most folds: 26 for `f64`, 11 for `f32`. The window of squares from `[1, 2^(2W))` then ends above the last bin.
    pub const MAX_FOLDS: usize = T::MAX_INDEX - Self::BIN_OF_ONE as usize;
    /// The largest index, that of the smallest square.
    pub const MAX_INDEX: usize = ((T::EMAX - 2 * T::QMIN - 1) / T::WIDTH as i32 - Self::TOP) as usize;

    /// An empty norm with `folds` folds: 2 to 26 for `f64`, 2 to 11 for `f32`. Three is the usual choice.
    pub fn new(folds: usize) -> Result<Self> {
        if !(T::MIN_FOLDS..=Self::MAX_FOLDS).contains(&folds) {
            return Err(Error::Folds { given: folds, min: T::MIN_FOLDS, max: Self::MAX_FOLDS });
        }
        Ok(Self { folds: folds as u8, index: Self::MAX_INDEX as u8, counts: Counts::default(), totals: T::ZERO_TOTALS })
    }

    /// The number of folds K.
    pub fn folds(&self) -> usize {
        self.folds as usize
    }
    /// Index of the bin of the largest square, 0 being that of the square of the largest float. See [`Norm2::index_at`].
    pub fn index(&self) -> usize {
        self.index as usize
    }
    /// The K totals, in units of bins `index .. index + K`.
    pub fn totals(&self) -> &[i128] {
        &self.totals.as_ref()[..self.folds as usize]
    }
    /// All counts; infinities count as positive.
    pub fn counts(&self) -> Counts {
        self.counts
    }
    /// Values, specials included.
    pub fn count(&self) -> u64 {
        self.counts.summands
    }
    /// NaNs among them.
    pub fn nan_count(&self) -> u64 {
        self.counts.nan
    }
    /// Infinities among them.
    pub fn inf_count(&self) -> u64 {
        self.counts.pos_inf
    }

    /// The index of what lies in bin `bin` of the type after every value was divided by `2^(WIDTH * z)`.
    pub fn index_at(z: i32, bin: usize) -> i32 {
        bin as i32 - 2 * z - Self::TOP
    }

    /// The scale `z` that brings the bin `index` to `bin` or `bin + 1`, and which of them.
    pub fn scale_for(index: usize, bin: usize) -> (i32, usize) {
        let above = index as i32 + Self::TOP - bin as i32;
        (-above.div_euclid(2), bin + above.rem_euclid(2) as usize)
    }

    /// The index of a window that begins with the square of `x`; the last one for zero. `x` must be finite.
    pub fn index_of(x: T) -> usize {
        square(x).map_or(Self::MAX_INDEX, |(m, q)| Self::index_of_square(m, q))
    }

    fn index_of_square(m: i64, q: i32) -> usize {
        let top = q + 64 - m.leading_zeros() as i32;
        ((T::EMAX - top).div_euclid(T::WIDTH as i32) - Self::TOP) as usize
    }

    /// The scale at which the largest square lies in the bins of 1 and the two above it, and its bin.
    fn scale(&self) -> (i32, usize) {
        Self::scale_for(self.index(), Self::BIN_OF_ONE as usize - 1)
    }

    /// Adds one value.
    pub fn deposit(&mut self, x: T) -> Result<()> {
        self.reserve(1)?;
        self.deposit_reserved(x);
        Ok(())
    }

    /// Adds all values of `x`. The capacity is checked before any is looked at; after an error nothing was added.
    pub fn extend(&mut self, x: &[T]) -> Result<()> {
        self.reserve(x.len() as u64)?;
        for &v in x {
            self.deposit_reserved(v);
        }
        Ok(())
    }

    /// Would `n` more values fit? Streams ask before they touch data.
    pub fn reserve(&self, n: u64) -> Result<()> {
        match self.counts.summands.checked_add(n) {
            Some(total) if total <= T::CAPACITY => Ok(()),
            _ => Err(Error::Capacity { limit: T::CAPACITY }),
        }
    }

    fn window<'a>(&'a mut self, index: &'a mut u8) -> Window<'a, T> {
        Window::new(index, &mut self.totals.as_mut()[..self.folds as usize], 1)
    }

    /// Moves the window up to `index`, if that is above it.
    fn raise(&mut self, index: usize) {
        let mut own = self.index;
        self.window(&mut own).raise(index);
        self.index = own;
    }

    fn deposit_reserved(&mut self, x: T) {
        self.counts.summands += 1;
        match classify(x) {
            Class::Finite { .. } => {
                let Some((m, q)) = square(x) else { return };
                self.raise(Self::index_of_square(m, q));
                let (z, bin) = self.scale();
                self.window(&mut (bin as u8)).deposit(m, q - 2 * z * T::WIDTH as i32);
            }
            Class::Nan => self.counts.nan += 1,
            Class::PosInf | Class::NegInf => self.counts.pos_inf += 1,
        }
    }

    /// Adds what another one holds. Associative and commutative: any tree gives the same state.
    pub fn merge(&mut self, other: &Self) -> Result<()> {
        if self.folds != other.folds {
            return Err(Error::Mismatch { what: "folds", left: self.folds as u64, right: other.folds as u64 });
        }
        self.absorb(other.index(), other.totals(), other.counts)
    }

    /// Adds a part that a backend computed: totals of this accumulator's folds, in a window that begins at the bin
    /// `index` of the largest finite square of the part (the last one if the part has no finite nonzero value).
    pub fn absorb(&mut self, index: usize, totals: &[i128], counts: Counts) -> Result<()> {
        if totals.len() != self.folds() {
            return Err(Error::Length { what: "the totals of a part", given: totals.len(), needed: self.folds() });
        }
        if index > Self::MAX_INDEX {
            return Err(Error::State { what: "an index past the last bin", at: 0 });
        }
        self.counts = self.counts.add(&counts, T::CAPACITY)?;
        let mut own = self.index;
        self.window(&mut own).merge(index, totals.iter().copied());
        self.index = own;
        Ok(())
    }

    /// Sum of the scaled squares, rounded to the type.
    fn scaled_sum(&self) -> T {
        convert::value(self.scale().1, self.totals())
    }

    /// The norm: NaN if there was a NaN, else infinity if there was an infinity, +0 for an empty or all-zero multiset,
    /// else the root of the converted sum of squares, rounded to double precision and then to the type, as a product of
    /// root and scale in double precision would be. It overflows only if the norm does.
    pub fn value(&self) -> T {
        if let Some(special) = self.counts.special() {
            return special;
        }
        // Only bytes that no multiset made can lead to a sum below zero.
        let Class::Finite { m: m @ 1.., q } = classify(self.scaled_sum()) else { return T::default() };
        let odd = q & 1;
        let root: f64 = integer::square_root(&[(m as u64) << odd], q - odd, false);
        let Class::Finite { m, q } = classify(root) else { unreachable!("the scaled sum is neither large nor small") };
        T::from_bits(encode::<T>(false, m as u128, q + self.scale().0 * T::WIDTH as i32, Round::Nearest).0)
    }

    /// A bound on `|value - exact norm|`, from the state alone, rounded up. Infinite after overflow, 0 where infinities
    /// decide, NaN where the value is NaN.
    ///
    /// Let `u` be the unit of the last bin held, in terms of the squares, `eps = 2^(1-p)` and `s` the exact sum of squares. The
    /// bins drop at most `d = count * u / 2` of the rounded squares, these differ by at most `eps / 2 * s` from the exact
    /// ones, and the conversion by `7 eps y` from what the bins hold. The root of `y` differs from that of `s` by their difference
    /// over the sum of the roots. So `|value - root(s)| <= (1 + 32 eps) d / value + 5 eps value`, and half of the smallest
    /// subnormal more where the value is rounded to a multiple of that.
    pub fn error_bound(&self) -> f64 {
        if let Some(special) = self.counts.special::<T>() {
            return if special.bits() == T::NAN.bits() { <f64 as Float>::NAN } else { 0.0 };
        }
        let Class::Finite { m, q } = classify(self.value()) else { return f64::INFINITY };
        if m == 0 {
            return 0.0;
        }
        let up = |magnitude, exponent| f64::from_bits(encode::<f64>(false, magnitude, exponent, Round::Away).0);
        let (z, bin) = self.scale();
        let half_unit = T::unit_exponent(bin + self.folds() - 1) - 1 + 2 * z * T::WIDTH as i32;
        let count = (self.counts.finite() as u128) << 60;
        let dropped = (count + (count >> (T::PRECISION - 6)) + 1) / m as u128 + 1;
        let rounding = up(5 * m as u128, q + 1 - T::PRECISION as i32);
        let subnormal = if q == T::QMIN { up(1, T::QMIN - 1) } else { 0.0 };
        add_away(add_away(up(dropped, half_unit - 60 - q), rounding), subnormal)
    }

    /// Length of the state bytes of `folds` folds.
    pub fn byte_len(folds: usize) -> usize {
        state::len::<T>(Kind::Norm2, folds)
    }

    /// Writes the state bytes (layout: see the source of `state.rs`) and returns their number.
    pub fn write_bytes(&self, out: &mut [u8]) -> Result<usize> {
        state::write::<T>(out, Kind::Norm2, self.folds(), self.index(), &self.counts, |body| {
            for (slot, s) in body.chunks_exact_mut(16).zip(self.totals()) {
                slot.copy_from_slice(&s.to_le_bytes());
            }
        })
    }

    /// Reads state bytes and checks that index and totals are such as a multiset could have made.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let (header, index, counts, body) = state::read::<T>(bytes, |_| T::CAPACITY)?;
        header.kind.expect(Kind::Norm2)?;
        if header.folds == 0 {
            return Err(Error::Mismatch { what: "folds", left: T::MIN_FOLDS as u64, right: 0 });
        }
        let mut acc = Self::new(header.folds)?;
        for (slot, chunk) in acc.totals.as_mut().iter_mut().zip(body.chunks_exact(16)) {
            let mut word = [0; 16];
            word.copy_from_slice(chunk);
            *slot = i128::from_le_bytes(word);
        }
        if index > Self::MAX_INDEX as u64 {
            return Err(state::impossible_index("an index past the last bin"));
        }
        acc.index = index as u8;
        acc.counts = counts;
        acc.check().map_err(state::impossible_index)?;
        Ok(acc)
    }

    /// Could some multiset have led to this index and these totals? Counts are checked before.
    fn check(&self) -> Result<(), &'static str> {
        let finite = self.counts.finite();
        let totals = self.totals();
        let largest = (finite as u128) << (T::WIDTH - 1);
        if totals.iter().any(|s| s.unsigned_abs() > largest) {
            return Err("a total larger than its values allow");
        }
        // The largest square takes at least one unit of its own bin; only zeros take nothing.
        let zero = totals.iter().all(|&s| s == 0);
        if (zero && self.index() != Self::MAX_INDEX) || (!zero && totals[0] < 1) {
            return Err("a window that does not begin with its largest value");
        }
        // What the first folds hold of a square, rounded there, is never negative. Once they hold more units than there
        // are values, the finer totals cannot amount to as much.
        let mut held = 0i128;
        for &s in totals {
            if held > finite as i128 {
                break;
            }
            held = (held << T::WIDTH) + s;
            if held < 0 {
                return Err("a negative sum of squares");
            }
        }
        Ok(())
    }
}

/// The square of a finite value as `m * 2^q`, rounded to the precision of the type; `None` for zero.
fn square<T: Float>(x: T) -> Option<(i64, i32)> {
    let Class::Finite { m, q } = classify(x) else { return None };
    if m == 0 {
        return None;
    }
    let (square, more) = shorten((m.unsigned_abs() as u128).pow(2), T::PRECISION);
    Some((square as i64, 2 * q + more))
}
