//! The 32-bit Mersenne twister, from the paper (Matsumoto and Nishimura, ACM TOMACS 8(1), 1998) with the seeding that
//! its authors published in 2002. C++ calls it `std::mt19937`.

const WORDS: usize = 624;
const SHIFT: usize = 397;

/// The 32-bit Mersenne twister.
#[derive(Clone, Debug)]
pub struct Mt19937 {
    state: [u32; WORDS],
    used: usize,
}

impl Mt19937 {
    /// A stream of draws.
    pub fn new(seed: u32) -> Self {
        let mut state = [seed; WORDS];
        for i in 1..WORDS {
            let before = state[i - 1];
            state[i] = (before ^ (before >> 30)).wrapping_mul(1_812_433_253).wrapping_add(i as u32);
        }
        Mt19937 { state, used: WORDS }
    }

    /// The next draw.
    #[expect(clippy::should_implement_trait, reason = "the stream has no end, so an Option would only be in the way")]
    pub fn next(&mut self) -> u32 {
        if self.used == WORDS {
            self.twist();
        }
        let mut y = self.state[self.used];
        self.used += 1;
        y ^= y >> 11;
        y ^= (y << 7) & 0x9d2c_5680;
        y ^= (y << 15) & 0xefc6_0000;
        y ^ (y >> 18)
    }

    fn twist(&mut self) {
        for i in 0..WORDS {
            let joined = (self.state[i] & 0x8000_0000) | (self.state[(i + 1) % WORDS] & 0x7fff_ffff);
            let odd = if joined & 1 == 1 { 0x9908_b0df } else { 0 };
            self.state[i] = self.state[(i + SHIFT) % WORDS] ^ (joined >> 1) ^ odd;
        }
        self.used = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::Mt19937;

    #[test]
    fn ten_thousandth_draw_is_what_the_standard_says() {
        let mut draws = Mt19937::new(5489);
        for _ in 1..10_000 {
            draws.next();
        }
        assert_eq!(draws.next(), 4_123_659_995);
    }
}
