//! The float form of a deposit against its definition: a sample of what `cargo xtask enumerate` does for all of `f32`.

use samebits_cpu::{Isa, compare_forms};

#[test]
fn sampled_and_around_every_power_of_two() {
    let sampled = (0..=u32::MAX).step_by(999_983);
    let borders = (0..512u32).flat_map(|e| (0..9u32).map(move |d| (e << 23).wrapping_add(d).wrapping_sub(4)));
    // Values with one, two or three bits set and the low ones free: ties at every place.
    let ties = (0..512u32)
        .flat_map(|e| (0..23).flat_map(move |b| [e << 23 | 1 << b, e << 23 | 3 << b | 1, e << 23 | 1 << b | 1 << 22]));
    let values: Vec<u32> = sampled.chain(borders).chain(ties).collect();
    for isa in Isa::available() {
        let compared = compare_forms(isa, values.iter().copied()).expect("an available instruction set");
        assert!(compared.expect("equal digits") > 1_000_000, "{isa}");
    }
}
