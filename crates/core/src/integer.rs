//! Long integers for exact totals: little-endian words, two's complement where signed.

use crate::format::{Class, Float, Round, classify, encode, opaque_bits};

/// The longest integer that any computation here needs: the square of an exact `f64` sum and two words for a root.
pub(crate) const LONGEST: usize = 2 * <f64 as Float>::WORDS + 2;

#[inline]
fn carrying_add(a: u64, b: u64, carry: bool) -> (u64, bool) {
    let (s, c1) = a.overflowing_add(b);
    let (s, c2) = s.overflowing_add(carry as u64);
    (s, c1 || c2)
}

/// `a += b`.
pub(crate) fn add(a: &mut [u64], b: &[u64]) {
    let mut carry = false;
    for (a, &b) in a.iter_mut().zip(b) {
        (*a, carry) = carrying_add(*a, b, carry);
    }
}

/// `a -= b`.
pub(crate) fn subtract(a: &mut [u64], b: &[u64]) {
    // a - b = a + !b + 1
    let mut carry = true;
    for (a, &b) in a.iter_mut().zip(b) {
        (*a, carry) = carrying_add(*a, !b, carry);
    }
}

/// Adds `±magnitude * 2^position`, which must be an integer and fit.
#[inline]
pub(crate) fn add_shifted(words: &mut [u64], negative: bool, mut magnitude: u128, mut position: i32) {
    if position < 0 {
        debug_assert!(magnitude.trailing_zeros() as i32 >= -position || magnitude == 0, "below the unit");
        magnitude = magnitude.checked_shr(-position as u32).unwrap_or(0);
        position = 0;
    }
    let (word, bit) = (position as usize / 64, position as u32 % 64);
    let low = (magnitude as u64 as u128) << bit;
    let high = (magnitude >> 64) << bit;
    let middle = (low >> 64) + (high as u64 as u128);
    let parts = [low as u64, middle as u64, ((high >> 64) + (middle >> 64)) as u64];
    let mut carry = negative;
    for (i, w) in words[word..].iter_mut().enumerate() {
        let part = parts.get(i).copied().unwrap_or(0);
        (*w, carry) = carrying_add(*w, if negative { !part } else { part }, carry);
        // From here on the words only change while a carry (or, subtracting, a borrow) runs.
        if i >= 2 && carry == negative {
            break;
        }
    }
}

/// Sign and magnitude of a signed integer.
pub(crate) fn magnitude<W: Copy + AsRef<[u64]> + AsMut<[u64]>>(signed: &W) -> (bool, W) {
    let mut words = *signed;
    let negative = words.as_ref().last().is_some_and(|w| w >> 63 == 1);
    if negative {
        let mut carry = true;
        for w in words.as_mut() {
            (*w, carry) = carrying_add(!*w, 0, carry);
        }
    }
    (negative, words)
}

pub(crate) fn is_zero(words: &[u64]) -> bool {
    words.iter().all(|&w| w == 0)
}

/// Divides in place and gives the rest.
pub(crate) fn divide(words: &mut [u64], divisor: u64) -> u64 {
    let mut rest = 0;
    for w in words.iter_mut().rev() {
        let part = (rest as u128) << 64 | *w as u128;
        *w = (part / divisor as u128) as u64;
        rest = (part % divisor as u128) as u64;
    }
    rest
}

/// Multiplies in place; the product must fit.
pub(crate) fn multiply(words: &mut [u64], factor: u64) {
    let mut carry = 0;
    for w in words {
        let part = *w as u128 * factor as u128 + carry as u128;
        (*w, carry) = (part as u64, (part >> 64) as u64);
    }
}

/// `out -= a * a`, for a magnitude `a` whose square is not larger than `out`.
pub(crate) fn subtract_square(out: &mut [u64], a: &[u64]) {
    for (i, &factor) in a.iter().enumerate().filter(|&(_, &factor)| factor != 0) {
        let (mut carry, mut borrow) = (0u64, false);
        for (j, w) in out[i..].iter_mut().enumerate() {
            let part = factor as u128 * a.get(j).copied().unwrap_or(0) as u128 + carry as u128;
            carry = (part >> 64) as u64;
            let (d, b1) = w.overflowing_sub(part as u64);
            let (d, b2) = d.overflowing_sub(borrow as u64);
            (*w, borrow) = (d, b1 || b2);
        }
    }
}

/// Rounds `words * 2^unit`, with `more` nonzero digits below, once to `T`; and whether nothing was lost.
pub(crate) fn round<T: Float>(negative: bool, words: &[u64], unit: i32, more: bool) -> (T, bool) {
    let Some(top) = words.iter().rposition(|&w| w != 0) else {
        // What lies below the last word can only round to zero.
        return (T::default(), !more);
    };
    let low = top.saturating_sub(1);
    let kept = if top == 0 { words[0] as u128 } else { (words[top] as u128) << 64 | words[low] as u128 };
    // The bits below 65 or more kept ones only matter as a sticky bit. With fewer words nothing lies below but `more`.
    let below = more || !is_zero(&words[..low]);
    let (bits, exact) = if below {
        // One more bit makes room for the sticky bit without moving a tie.
        let spare = kept.leading_zeros();
        let (kept, exponent) =
            if spare > 0 { (kept << 1 | 1, unit + 64 * low as i32 - 1) } else { (kept | 1, unit + 64 * low as i32) };
        encode::<T>(negative, kept, exponent, Round::Nearest)
    } else {
        encode::<T>(negative, kept, unit + 64 * low as i32, Round::Nearest)
    };
    (T::from_bits(bits), exact && !below)
}

/// The value with -0 replaced by +0: a result that rounds to zero has no sign.
pub(crate) fn without_minus_zero<T: Float>(x: T) -> T {
    if opaque_bits(x) << (65 - T::BITS) == 0 { T::default() } else { x }
}

/// The square root of `words * 2^unit`, with `more` nonzero digits below, rounded once to `T`. `unit` is even, and the
/// digits reach so far that what is not there lies below a quarter of the square of the smallest subnormal.
pub(crate) fn square_root<T: Float>(words: &[u64], unit: i32, more: bool) -> T {
    let Some(top) = words.iter().rposition(|&w| w != 0) else { return T::default() };
    // The highest 127 or 128 bits, so many that an even number is cut off: their root has 64 bits.
    let word = |at: Option<usize>| at.map_or(0, |at| words[at]);
    let [high, middle, low] = [Some(top), top.checked_sub(1), top.checked_sub(2)].map(word);
    let shift = high.leading_zeros() & !1;
    let mut kept = ((high as u128) << 64 | middle as u128) << shift;
    let mut below = more || words[..top.saturating_sub(2)].iter().any(|&w| w != 0);
    if shift > 0 {
        kept |= (low >> (64 - shift)) as u128;
    }
    below |= low << shift != 0;
    let root = kept.isqrt();
    below |= root * root != kept;
    let exponent = (unit + 64 * (top as i32 - 1) - shift as i32) / 2;
    T::from_bits(encode::<T>(false, root << 1 | below as u128, exponent - 1, Round::Nearest).0)
}

/// A bound on the error of `value`: 0 if it is `exact`, infinite after overflow, else half a unit in its last place.
pub(crate) fn bound<T: Float>((value, exact): (T, bool)) -> f64 {
    match classify(value) {
        _ if exact => 0.0,
        // Just above a power of two the unit below it is smaller: the larger one still is a bound.
        Class::Finite { q, .. } => f64::from_bits(encode::<f64>(false, 1, q - 1, Round::Away).0),
        _ => f64::INFINITY,
    }
}

/// Writes words as bytes.
pub(crate) fn write(words: &[u64], out: &mut [u8]) {
    for (slot, w) in out.chunks_exact_mut(8).zip(words) {
        slot.copy_from_slice(&w.to_le_bytes());
    }
}

/// Reads words from bytes.
pub(crate) fn read(words: &mut [u64], bytes: &[u8]) {
    for (slot, chunk) in words.iter_mut().zip(bytes.chunks_exact(8)) {
        let mut word = [0; 8];
        word.copy_from_slice(chunk);
        *slot = u64::from_le_bytes(word);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    extern crate std;

    /// The root of a double is rounded once by IEEE 754: all doubles that are integers, moved far up and down.
    #[test]
    fn roots_agree_with_the_processor() {
        let large = (0..3000u64).map(|i| 0x0f_ffff_ffff_ffff - i * i);
        let squares = (0..3000u64).flat_map(|i| [i * i * 99_991 * 99_991 + 1, i * i * 99_991 * 99_991]);
        for n in (0..5000).chain(large).chain(squares) {
            let expected = (n as f64).sqrt();
            assert_eq!(square_root::<f64>(&[n], 0, false).to_bits(), expected.to_bits(), "root of {n}");
            let down = square_root::<f64>(&[0, 0, n, 0], -256, false);
            assert_eq!((down * 2f64.powi(64)).to_bits(), expected.to_bits(), "root of {n} far down");
            let up = square_root::<f64>(&[0, 0, 0, n << 8, n >> 56, 0], 0, false);
            assert_eq!((up * 2f64.powi(-100)).to_bits(), expected.to_bits(), "root of {n} far up");
        }
    }

    /// A square of 54 bits whose root is a tie, and what lies far below it.
    #[test]
    fn ties_of_roots() {
        for (odd, even) in
            [(0x20_0000_0000_0001u64, 0x20_0000_0000_0000u64), (0x20_0000_0000_0003, 0x20_0000_0000_0004)]
        {
            let n = odd as u128 * odd as u128;
            let words = |n: u128| [0, 0, 0, n as u64, (n >> 64) as u64];
            let root = |n: u128, more| square_root::<f64>(&words(n), 0, more);
            let unit = 2f64.powi(96);
            assert_eq!(root(n, false).to_bits(), (even as f64 * unit).to_bits());
            let mut above = words(n);
            above[0] = 1;
            let next = ((odd + 1) as f64 * unit).to_bits();
            assert_eq!((square_root::<f64>(&above, 0, false).to_bits(), root(n, true).to_bits()), (next, next));
            assert_eq!(root(n - 1, true).to_bits(), ((odd - 1) as f64 * unit).to_bits());
        }
    }

    #[test]
    fn squares_divisions_and_rests() {
        let a = [u64::MAX, 7, u64::MAX];
        let mut out = [0u64; 7];
        out[6] = 1;
        let before = out;
        subtract_square(&mut out, &a);
        // Add the square back by repeated shifted additions.
        for (i, &x) in a.iter().enumerate() {
            for (j, &y) in a.iter().enumerate() {
                add_shifted(&mut out, false, x as u128 * y as u128, 64 * (i + j) as i32);
            }
        }
        assert_eq!(out, before);
        let mut words = [5, 9, 1 << 40];
        let rest = divide(&mut words, 1_000_003);
        multiply(&mut words, 1_000_003);
        add_shifted(&mut words, false, rest as u128, 0);
        assert_eq!(words, [5, 9, 1 << 40]);
        let (negative, back) = magnitude(&[u64::MAX - 4, u64::MAX]);
        assert_eq!((negative, back), (true, [5, 0]));
    }
}
