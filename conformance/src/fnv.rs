//! The hash that pins inputs and long outputs in the data files.

use crate::Bits;

/// FNV-1a, 64 bits, over the little-endian bytes of the values.
pub fn fnv1a64<T: Bits>(values: &[T]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for value in values {
        for byte in &value.pattern().to_le_bytes()[..T::WIDTH as usize / 8] {
            hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
    hash
}

#[cfg(test)]
mod tests {
    #[test]
    fn of_nothing_is_the_offset() {
        assert_eq!(super::fnv1a64::<f64>(&[]), 0xcbf2_9ce4_8422_2325);
    }

    #[test]
    fn of_the_four_bytes_foob() {
        let foob = f32::from_bits(u32::from_le_bytes(*b"foob"));
        assert_eq!(super::fnv1a64(&[foob]), 0xdd12_0e79_0c25_12af);
    }
}
