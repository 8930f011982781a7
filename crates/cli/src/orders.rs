//! Orders that are the same on every machine.

/// Names and effects of the orders that are compared. They build on each other: each is applied to what the one before
/// left, so that no second copy of the data is needed.
pub(crate) const ORDERS: [(&str, Step); 5] = [
    ("as stored", Step::Keep),
    ("reversed", Step::Reverse),
    ("shuffled 1", Step::Shuffle(1)),
    ("shuffled 2", Step::Shuffle(2)),
    ("shuffled 3", Step::Shuffle(3)),
];

/// What makes an order of the one before.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step {
    Keep,
    Reverse,
    Shuffle(u64),
}

impl Step {
    pub(crate) fn apply<T>(self, values: &mut [T]) {
        match self {
            Step::Keep => {}
            Step::Reverse => values.reverse(),
            Step::Shuffle(seed) => shuffle(values, seed),
        }
    }
}

/// Fisher and Yates' shuffle with the generator `SplitMix64`.
pub(crate) fn shuffle<T>(values: &mut [T], seed: u64) {
    let mut state = seed;
    for end in (1..values.len()).rev() {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^= z >> 31;
        // The high half of the product is below `end + 1`: no division, and the bias is beyond notice.
        let other = (u128::from(z) * (end as u128 + 1)) >> 64;
        values.swap(end, other as usize);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shuffle_keeps_every_element() {
        let mut values: Vec<u32> = (0..1000).collect();
        shuffle(&mut values, 1);
        assert_ne!(values[..10], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
        values.sort_unstable();
        assert!(values.iter().copied().eq(0..1000));
        shuffle(&mut [] as &mut [u8], 1);
    }
}
