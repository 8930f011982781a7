//! The generator behind all data files: SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators").

/// SplitMix64 with its state as the seed.
#[derive(Clone, Debug)]
pub struct SplitMix64(u64);

impl SplitMix64 {
    /// A stream of draws.
    pub fn new(seed: u64) -> Self {
        SplitMix64(seed)
    }

    /// The next draw.
    #[expect(clippy::should_implement_trait, reason = "the stream has no end, so an Option would only be in the way")]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A draw reduced to `0..bound` by remainder: the data files are defined that way, small bias and all.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    /// Shuffles from the end to the front (Fisher and Yates), one draw an element.
    pub fn shuffle<T>(&mut self, values: &mut [T]) {
        for i in (1..values.len()).rev() {
            values.swap(i, self.below(i + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::SplitMix64;

    #[test]
    fn published_outputs() {
        let mut draws = SplitMix64::new(0);
        assert_eq!(draws.next(), 0xe220_a839_7b1d_cdaf);
        assert_eq!(draws.next(), 0x6e78_9e6a_a1b9_65f4);
    }
}
