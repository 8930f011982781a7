//! Other orders and other partitions of the same values: none of them may change a bit.

use crate::{Bits, SplitMix64};

/// The values in an order that depends on the seed.
pub fn shuffled<T: Clone>(values: &[T], seed: u64) -> Vec<T> {
    let mut values = values.to_vec();
    SplitMix64::new(seed).shuffle(&mut values);
    values
}

/// The values from the last to the first.
pub fn reversed<T: Clone>(values: &[T]) -> Vec<T> {
    values.iter().rev().cloned().collect()
}

/// The values by growing magnitude, NaN last: the order in which an accumulator's window must rise most often.
pub fn sorted_by_magnitude<T: Bits>(values: &[T]) -> Vec<T> {
    let sign = 1 << (T::WIDTH - 1);
    let mut values = values.to_vec();
    values.sort_by_key(|x| (x.pattern() & !sign, x.pattern()));
    values
}

/// Every order of `n` things, as places. Meant for `n` up to 6 or so.
pub fn permutations(n: usize) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for next in 0..n {
        all = all
            .iter()
            .flat_map(|order: &Vec<usize>| {
                (0..=order.len()).map(|at| {
                    let mut longer = order.clone();
                    longer.insert(at, next);
                    longer
                })
            })
            .collect();
    }
    all
}

/// Ways to cut `n` values into consecutive chunks, as lengths that add up to `n`: even and uneven ones, with empty chunks,
/// in blocks about the sizes at which kernels change their path.
pub fn chunkings(n: usize) -> Vec<Vec<usize>> {
    let mut all = vec![vec![n], vec![0, n, 0]];
    all.extend([2, 3, 7, 64].map(|parts| (0..parts).map(|i| n * (i + 1) / parts - n * i / parts).collect()));
    for block in [1, 3, 8, 63, 64, 65, 1000, 2047, 2048, 2049, 65536] {
        // Single elements of a long vector would only take time.
        if block < n && n / block <= 5000 {
            all.push(blocks(n, |_| block));
        }
    }
    all.push(blocks(n, |i| 1 << i.min(62)));
    all.push(blocks(n, |i| if i == 0 { 1 } else { n }));
    all.push(blocks(n, |i| if i == 0 { n.saturating_sub(1).max(1) } else { 1 }));
    for seed in 0..2 {
        let mut draws = SplitMix64::new(seed);
        all.push(blocks(n, move |_| draws.below(n / 4 + 2)));
    }
    all
}

/// Lengths asked for one by one until they cover `n`.
fn blocks(n: usize, mut length: impl FnMut(usize) -> usize) -> Vec<usize> {
    let mut lengths = Vec::new();
    let mut left = n;
    while left > 0 {
        let now = length(lengths.len()).min(left);
        lengths.push(now);
        left -= now;
    }
    lengths
}

/// The chunks of a vector that one of [`chunkings`] describes.
pub fn chunks<'a, T>(values: &'a [T], lengths: &[usize]) -> Vec<&'a [T]> {
    let mut rest = values;
    lengths
        .iter()
        .map(|length| {
            let (chunk, after) = rest.split_at(*length);
            rest = after;
            chunk
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_cover_everything_once() {
        for n in [0, 1, 2, 5, 64, 1000, 70_000] {
            let values: Vec<usize> = (0..n).collect();
            for lengths in chunkings(n) {
                assert_eq!(chunks(&values, &lengths).concat(), values, "{lengths:?}");
            }
        }
    }

    #[test]
    fn orders_keep_the_values() {
        let values = [3.0, -7.0, f64::NAN, -0.0, 0.0, 1.0];
        let bits = |v: Vec<f64>| v.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        let sorted = |mut b: Vec<u64>| {
            b.sort_unstable();
            b
        };
        let want = sorted(bits(values.to_vec()));
        for other in [shuffled(&values, 1), reversed(&values), sorted_by_magnitude(&values)] {
            assert_eq!(sorted(bits(other)), want);
        }
        assert_eq!(bits(sorted_by_magnitude(&values)), bits(vec![0.0, -0.0, 1.0, 3.0, -7.0, f64::NAN]));
        assert_ne!(bits(shuffled(&values, 1)), bits(values.to_vec()));
    }

    #[test]
    fn every_permutation_once() {
        let mut all = permutations(4);
        all.sort();
        all.dedup();
        assert_eq!(all.len(), 24);
        assert_eq!(permutations(0), vec![Vec::<usize>::new()]);
    }
}
