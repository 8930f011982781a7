//! What is summed: kinds of data, types, sizes.

use crate::number::{Number, compose};
use samebits_conformance::SplitMix64;

/// A kind of data.
#[derive(Debug)]
pub(crate) struct Data {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    /// Whether there are NaNs in it. Not every peer has an answer to that.
    pub(crate) nan: bool,
    shape: Shape,
}

#[derive(Debug)]
enum Shape {
    /// Uniform in (-1, 1), all bits of the significand random.
    Uniform,
    /// Exponents uniform in -RANGE to RANGE, one range for each type.
    Wide { f64: i32, f32: i32 },
    /// Uniform, with this many NaNs in a thousand.
    Nan(u64),
}

/// All kinds.
pub(crate) const DATA: &[Data] = &[
    Data { name: "uniform", about: "uniform in (-1, 1)", nan: false, shape: Shape::Uniform },
    Data {
        name: "wide",
        about: "exponents spread over 2^-300 to 2^300 (f32: 2^-60 to 2^60)",
        nan: false,
        shape: Shape::Wide { f64: 300, f32: 60 },
    },
    Data {
        name: "wide60",
        about: "exponents spread over 2^-60 to 2^60 (f64 only: it is `wide` of f32)",
        nan: false,
        shape: Shape::Wide { f64: 60, f32: 0 },
    },
    Data { name: "nan", about: "uniform, 1 % of it NaN", nan: true, shape: Shape::Nan(10) },
];

/// Sizes unless told otherwise: in the first cache, the second, the third, and in memory.
pub(crate) const SIZES: &[usize] = &[1_000, 10_000, 1_000_000, 50_000_000];
/// Sizes of a quick run.
pub(crate) const QUICK_SIZES: &[usize] = &[1_000, 10_000];
/// Sizes at which the cost of a call itself shows.
pub(crate) const CALL_SIZES: &[usize] = &[0, 1, 16, 100];

impl Data {
    /// Whether there is such data of that type.
    pub(crate) fn suits<T: Number>(&self) -> bool {
        !matches!(self.shape, Shape::Wide { f32: 0, .. }) || T::NAME == f64::NAME
    }

    /// `n` numbers, the same ones every time.
    pub(crate) fn make<T: Number>(&self, n: usize) -> Aligned<T> {
        let mut draws = SplitMix64::new(n as u64);
        Aligned::new(n, || self.draw(&mut draws))
    }

    fn draw<T: Number>(&self, draws: &mut SplitMix64) -> T {
        match self.shape {
            Shape::Uniform => uniform(draws.next()),
            Shape::Wide { f64, f32 } => {
                let range = if T::NAME == f64::NAME { f64 } else { f32 };
                let (draw, fraction) = (draws.next(), draws.next());
                let exponent = ((draw >> 1) % (2 * range as u64 + 1)) as i32 - range;
                compose(draw & 1 == 1, exponent, fraction)
            }
            Shape::Nan(share) => {
                let draw = draws.next();
                if draw % 1000 < share { T::NAN } else { uniform(draws.next()) }
            }
        }
    }
}

use samebits::Float as _;

/// As a geometric number of leading zeros and a random fraction: uniform, with every bit of the significand random.
fn uniform<T: Number>(draw: u64) -> T {
    // The low eleven bits are the sign and the fraction's tail; a draw of zeros above them is still a number.
    let zeros = (draw | 1 << 12).leading_zeros() as i32;
    compose(draw & 1 == 1, -1 - zeros, draw << 1 << zeros)
}

/// Numbers that begin at a multiple of 64 bytes, so that no engine is slowed down by where the allocator put them.
pub(crate) struct Aligned<T> {
    room: Vec<T>,
    start: usize,
    n: usize,
}

/// The size of a cache line, and of the widest vector.
const LINE: usize = 64;

impl<T: Number> Aligned<T> {
    fn new(n: usize, mut draw: impl FnMut() -> T) -> Aligned<T> {
        let mut room: Vec<T> = Vec::with_capacity(n + LINE / size_of::<T>());
        let start = room.as_ptr().align_offset(LINE).min(LINE / size_of::<T>());
        room.resize(start, T::NAN);
        room.extend(std::iter::repeat_with(&mut draw).take(n));
        Aligned { room, start, n }
    }

    pub(crate) fn as_slice(&self) -> &[T] {
        &self.room[self.start..self.start + self.n]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_is_what_it_says() {
        let n = 10_000;
        for data in DATA {
            let made = data.make::<f64>(n);
            let x = made.as_slice();
            assert_eq!((x.len(), x.as_ptr().align_offset(LINE)), (n, 0));
            let nans = x.iter().filter(|x| x.is_nan()).count();
            assert_eq!(nans > 0, data.nan, "{}", data.name);
            assert!(nans < n / 50);
            let largest = x.iter().fold(0f64, |a, b| a.max(b.abs()));
            match data.name {
                "wide" => assert!((2f64.powi(295)..2f64.powi(301)).contains(&largest)),
                "wide60" => assert!((2f64.powi(58)..2f64.powi(61)).contains(&largest)),
                _ => assert!((0.999..1.0).contains(&largest)),
            }
            let small = x.iter().filter(|x| (-0.25..0.25).contains(*x)).count();
            assert!(!matches!(data.shape, Shape::Uniform) || (n / 5..n * 3 / 10).contains(&small));
        }
        assert!(DATA[2].suits::<f64>() && !DATA[2].suits::<f32>());
        assert!(DATA[1].make::<f32>(n).as_slice().iter().all(|x| x.is_finite() && x.is_normal()));
    }
}
