//! A million doubles whose reproducible sum is known from several independent programs.

use crate::Mt19937;

/// The bits of the binned sum of [`seed_vector`]: the same with 2, 3, 4 and 6 folds, in any order.
pub const SEED_SUM_BITS: u64 = 0x430f_c878_c605_717f;

/// The first 1,000,000 doubles that a C++ program with GNU's standard library draws from
/// `std::mt19937{1}` through `std::uniform_real_distribution<double>(-1e12, 1e12)`.
///
/// Each double takes two draws, the low word first, as that library's `generate_canonical` does.
pub fn seed_vector() -> Vec<f64> {
    let mut draws = Mt19937::new(1);
    (0..1_000_000).map(|_| canonical(&mut draws) * 2e12 + -1e12).collect()
}

/// A double in [0, 1), made and rounded the way of `std::generate_canonical<double, 53>`.
fn canonical(draws: &mut Mt19937) -> f64 {
    let low = f64::from(draws.next());
    let high = f64::from(draws.next());
    let unit = (low + high * 4_294_967_296.0) / 18_446_744_073_709_551_616.0;
    if unit >= 1.0 { 1.0_f64.next_down() } else { unit }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fnv1a64;

    /// The hash is of a vector that an independent program drew, and whose integer-model sum is [`SEED_SUM_BITS`].
    #[test]
    fn draws_are_pinned() {
        let values = seed_vector();
        assert_eq!(values.len(), 1_000_000);
        assert_eq!(fnv1a64(&values), 0xe02d_0593_7f4c_6170);
    }
}
