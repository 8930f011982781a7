//! State bytes: what an accumulator looks like in a file or a message.
//!
//! | offset | size | what |
//! |---|---|---|
//! | 0 | 8 | `SAMEBITS` |
//! | 8 | 1 | version of this layout, 1 |
//! | 9 | 1 | kind: 1 sum, 2 asum, 4 exact dot, 5 moments, 8 norm2 |
//! | 10 | 1 | type: 4 f32, 8 f64 |
//! | 11 | 1 | folds K, or 0 for exact |
//! | 12 | 4 | bits epoch |
//! | 16 | 8 | index of the window (0 for exact; for norm2 it holds the scale too, see [`crate::Norm2::index`]) |
//! | 24 | 32 | counts: summands, NaN, +Inf, -Inf |
//! | 56 | 16 K | totals; or, for exact, 8 bytes for each word of the two's-complement integer; moments have two: sum, squares |
//! | end | 8 | FNV-1a hash of all bytes before it |
//!
//! All numbers are little-endian. The size follows from kind, type and folds; the same multiset gives the same bytes.

use crate::{EPOCH, Error, Float, Norm2, Result};

/// What an accumulator accumulates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Kind {
    /// The values themselves.
    #[default]
    Sum,
    /// Their absolute values.
    Asum,
    /// Exact products of pairs. A binned dot is a sum of rounded products: its kind is [`Kind::Sum`].
    Dot,
    /// The values and their squares, exact.
    Moments,
    /// Their squares, scaled, for the 2-norm.
    Norm2,
}

impl Kind {
    /// `"sum"`, `"asum"`, `"dot"`, `"moments"` or `"norm2"`.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Sum => "sum",
            Kind::Asum => "asum",
            Kind::Dot => "dot",
            Kind::Moments => "moments",
            Kind::Norm2 => "norm2",
        }
    }

    fn code(self) -> u8 {
        match self {
            Kind::Sum => 1,
            Kind::Asum => 2,
            Kind::Dot => 4,
            Kind::Moments => 5,
            Kind::Norm2 => 8,
        }
    }

    /// Refuses kinds that do not sum one term for each value: they have accumulators of their own.
    pub fn check_terms(self) -> Result<()> {
        match self {
            Kind::Sum | Kind::Asum => Ok(()),
            Kind::Dot | Kind::Moments | Kind::Norm2 => self.expect(Kind::Sum),
        }
    }

    /// Refuses every kind but one.
    pub fn expect(self, kind: Kind) -> Result<()> {
        if self == kind { Ok(()) } else { Err(Error::Kinds { left: kind, right: self }) }
    }

    /// The term that `x` contributes; for the 2-norm its magnitude, which is still to be squared.
    #[inline]
    pub fn term<T: Float>(self, x: T) -> T {
        match self {
            Kind::Sum | Kind::Dot | Kind::Moments => x,
            Kind::Asum | Kind::Norm2 => T::from_bits(x.bits() & !(1 << (T::BITS - 1))),
        }
    }
}

/// How many summands there were, and how many of them were special.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Counts {
    /// All summands, the special ones included.
    pub summands: u64,
    /// NaN of any kind.
    pub nan: u64,
    /// Positive infinities.
    pub pos_inf: u64,
    /// Negative infinities.
    pub neg_inf: u64,
}

impl Counts {
    /// Summands that are finite.
    pub fn finite(&self) -> u64 {
        self.summands - self.nan - self.pos_inf - self.neg_inf
    }

    /// The result that the specials alone decide: NaN wins, opposite infinities give NaN, else the infinity.
    pub fn special<T: Float>(&self) -> Option<T> {
        match (self.nan, self.pos_inf, self.neg_inf) {
            (0, 0, 0) => None,
            (0, _, 0) => Some(T::INFINITY),
            (0, 0, _) => Some(T::from_bits(T::INFINITY.bits() | 1 << (T::BITS - 1))),
            _ => Some(T::NAN),
        }
    }

    pub(crate) fn add(&self, other: &Counts, limit: u64) -> Result<Counts> {
        let summands = self.summands.checked_add(other.summands).filter(|&n| n <= limit);
        Ok(Counts {
            summands: summands.ok_or(Error::Capacity { limit })?,
            nan: self.nan + other.nan,
            pos_inf: self.pos_inf + other.pos_inf,
            neg_inf: self.neg_inf + other.neg_inf,
        })
    }

    pub(crate) fn subtract(&self, other: &Counts) -> Result<Counts> {
        let less = |a: u64, b: u64| a.checked_sub(b).ok_or(Error::NotHeld);
        let counts = Counts {
            summands: less(self.summands, other.summands)?,
            nan: less(self.nan, other.nan)?,
            pos_inf: less(self.pos_inf, other.pos_inf)?,
            neg_inf: less(self.neg_inf, other.neg_inf)?,
        };
        if counts.specials().is_none_or(|n| n > counts.summands) { Err(Error::NotHeld) } else { Ok(counts) }
    }

    fn specials(&self) -> Option<u64> {
        self.nan.checked_add(self.pos_inf)?.checked_add(self.neg_inf)
    }

    /// Are these the counts of some multiset? Bytes from outside may claim anything.
    pub(crate) fn check(&self, kind: Kind, limit: u64) -> Result<(), &'static str> {
        if self.summands > limit {
            return Err("more summands than the format holds");
        }
        if self.specials().is_none_or(|n| n > self.summands) {
            return Err("more special values than summands");
        }
        if matches!(kind, Kind::Asum | Kind::Norm2) && self.neg_inf != 0 {
            return Err("magnitudes with a negative infinity");
        }
        Ok(())
    }
}

/// The first bytes of a state: enough to choose how to read the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// What was accumulated.
    pub kind: Kind,
    /// `"f32"` or `"f64"`.
    pub dtype: &'static str,
    /// Folds, or 0 for exact.
    pub folds: usize,
    /// Length of the whole state in bytes.
    pub len: usize,
}

const MAGIC: [u8; 8] = *b"SAMEBITS";
const VERSION: u8 = 1;
const INDEX_AT: usize = 16;
const COUNTS_AT: usize = 24;
const BODY_AT: usize = 56;
const HASH_LEN: usize = 8;

/// No state is longer than this.
pub const MAX_STATE_BYTES: usize = BODY_AT + 16 * <f64 as Float>::MAX_FOLDS + HASH_LEN;

const fn type_code(bits: u32) -> u8 {
    (bits / 8) as u8
}

pub(crate) fn len<T: Float>(kind: Kind, folds: usize) -> usize {
    let body = match (kind, folds) {
        (Kind::Dot, _) | (Kind::Norm2, 0) => 8 * T::PRODUCT_WORDS,
        (Kind::Moments, _) => 8 * (T::WORDS + T::PRODUCT_WORDS),
        (_, 0) => 8 * T::WORDS,
        (_, folds) => 16 * folds,
    };
    BODY_AT + body + HASH_LEN
}

fn max_folds<T: Float>(kind: Kind) -> usize {
    match kind {
        Kind::Sum | Kind::Asum => T::MAX_FOLDS,
        Kind::Norm2 => Norm2::<T>::MAX_FOLDS,
        Kind::Dot | Kind::Moments => 0,
    }
}

fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |h, &b| (h ^ b as u64).wrapping_mul(0x100_0000_01b3))
}

impl Header {
    /// Reads and checks the beginning of a state: magic, version, kind, type, folds, epoch.
    pub fn read(bytes: &[u8]) -> Result<Header> {
        let at = |i: usize| bytes.get(i).copied().ok_or(Error::State { what: "it ends too early", at: bytes.len() });
        for (i, m) in MAGIC.iter().enumerate() {
            if at(i)? != *m {
                return Err(Error::State { what: "it does not begin with SAMEBITS", at: i });
            }
        }
        if at(8)? != VERSION {
            return Err(Error::State { what: "written by a newer version", at: 8 });
        }
        let kind = match at(9)? {
            1 => Kind::Sum,
            2 => Kind::Asum,
            4 => Kind::Dot,
            5 => Kind::Moments,
            8 => Kind::Norm2,
            _ => return Err(Error::State { what: "unknown kind", at: 9 }),
        };
        let folds = at(11)? as usize;
        let (dtype, max, len) = match at(10)? {
            c if c == type_code(64) => (f64::NAME, max_folds::<f64>(kind), len::<f64>(kind, folds)),
            c if c == type_code(32) => (f32::NAME, max_folds::<f32>(kind), len::<f32>(kind, folds)),
            _ => return Err(Error::State { what: "unknown type", at: 10 }),
        };
        if folds == 1 || folds > max {
            return Err(Error::State { what: "a fold count that type or kind does not have", at: 11 });
        }
        let epoch = u32::from_le_bytes([at(12)?, at(13)?, at(14)?, at(15)?]);
        if epoch != EPOCH {
            return Err(Error::Mismatch { what: "epoch", left: EPOCH as u64, right: epoch as u64 });
        }
        Ok(Header { kind, dtype, folds, len })
    }
}

/// Writes header and counts, lets `body` write the rest, and closes with the hash. Returns the length.
pub(crate) fn write<T: Float>(
    out: &mut [u8],
    kind: Kind,
    folds: usize,
    index: usize,
    counts: &Counts,
    body: impl FnOnce(&mut [u8]),
) -> Result<usize> {
    let n = len::<T>(kind, folds);
    let given = out.len();
    let out = out.get_mut(..n).ok_or(Error::Length { what: "the buffer for a state", given, needed: n })?;
    out[..8].copy_from_slice(&MAGIC);
    out[8..12].copy_from_slice(&[VERSION, kind.code(), type_code(T::BITS), folds as u8]);
    out[12..16].copy_from_slice(&EPOCH.to_le_bytes());
    let words = [index as u64, counts.summands, counts.nan, counts.pos_inf, counts.neg_inf];
    for (slot, word) in out[INDEX_AT..BODY_AT].chunks_exact_mut(8).zip(words) {
        slot.copy_from_slice(&word.to_le_bytes());
    }
    body(&mut out[BODY_AT..n - HASH_LEN]);
    let h = hash(&out[..n - HASH_LEN]);
    out[n - HASH_LEN..].copy_from_slice(&h.to_le_bytes());
    Ok(n)
}

/// Checks a state of type `T` up to its body. Returns header, index, counts and the body's bytes.
pub(crate) fn read<T: Float>(bytes: &[u8], limit: impl Fn(&Header) -> u64) -> Result<(Header, u64, Counts, &[u8])> {
    let header = Header::read(bytes)?;
    if header.dtype != T::NAME {
        let other = if T::BITS == 64 { 32 } else { 64 };
        return Err(Error::Mismatch { what: "type", left: T::BITS as u64, right: other });
    }
    if bytes.len() < header.len {
        return Err(Error::State { what: "it ends too early", at: bytes.len() });
    }
    if bytes.len() > header.len {
        return Err(Error::State { what: "bytes after its end", at: header.len });
    }
    let end = header.len - HASH_LEN;
    let word = |i: usize| {
        let mut w = [0; 8];
        w.copy_from_slice(&bytes[i..i + 8]);
        u64::from_le_bytes(w)
    };
    if word(end) != hash(&bytes[..end]) {
        return Err(Error::State { what: "the hash does not fit: bytes were changed", at: end });
    }
    let counts = Counts {
        summands: word(COUNTS_AT),
        nan: word(COUNTS_AT + 8),
        pos_inf: word(COUNTS_AT + 16),
        neg_inf: word(COUNTS_AT + 24),
    };
    counts.check(header.kind, limit(&header)).map_err(|what| Error::State { what, at: COUNTS_AT })?;
    Ok((header, word(INDEX_AT), counts, &bytes[BODY_AT..end]))
}

/// Could the finite summands of `counts`, each below `2^bits` units in magnitude, amount to this total of words?
pub(crate) fn check_total(magnitude: &[u64], bits: i32, counts: &Counts) -> Result<(), &'static str> {
    if counts.finite() == 0 && magnitude.iter().any(|&w| w != 0) {
        return Err("a total without a finite summand");
    }
    // All words above the bound are two at most, and 2^64 summands fill them.
    let top = &magnitude[bits as usize / 64..];
    let multiple = (top.iter().rev().fold(0u128, |high, &w| high << 64 | w as u128)) >> (bits % 64);
    if multiple >= (counts.finite() as u128).max(1) {
        return Err("a total larger than its summands allow");
    }
    Ok(())
}

/// The error for a body that no multiset has.
pub(crate) fn impossible(what: &'static str, word: usize, size: usize) -> Error {
    Error::State { what, at: BODY_AT + word * size }
}

/// The error for an impossible index.
pub(crate) fn impossible_index(what: &'static str) -> Error {
    Error::State { what, at: INDEX_AT }
}
