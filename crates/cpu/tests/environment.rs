//! The caller's floating-point environment never reaches a result, and is left as it was found.
#![cfg(target_arch = "x86_64")]

use samebits_conformance::{assert_biteq, hard_f64};
use samebits_core::Float;
use samebits_core::{Binned, Exact, ExactDot, Kind, Moments, Norm2, NormInf};
use samebits_cpu::{Cpu, Isa};
use samebits_device::{Dots, Group, Groups, Mode, Norms, Reduce};
use std::arch::asm;

const ROUND_DOWN: u32 = 1 << 13;
const ROUND_UP: u32 = 2 << 13;
const ROUND_TO_ZERO: u32 = 3 << 13;
const FLUSH_TO_ZERO: u32 = 1 << 15;
const DENORMALS_ARE_ZERO: u32 = 1 << 6;
const MASKED: u32 = 0x1f80;
const FLAGS: u32 = 0x3f;

fn read() -> u32 {
    let mut value = 0u32;
    // SAFETY: stores MXCSR to a valid place.
    unsafe { asm!("stmxcsr [{}]", in(reg) &mut value, options(nostack)) };
    value
}

fn write(value: u32) {
    // SAFETY: loads MXCSR; no reserved bit is set in the values used here. Each test puts the default back before it
    // computes with floats of its own.
    unsafe { asm!("ldmxcsr [{}]", in(reg) &value, options(nostack)) };
}

/// Runs `work` in an environment and returns its result and the environment it left.
fn under<R>(environment: u32, work: impl FnOnce() -> R) -> (R, u32) {
    let saved = read();
    write(environment);
    let result = work();
    let left = read();
    write(saved);
    (result, left)
}

/// Subnormals, ties and large values: each rounding direction and each way of flushing would change this.
fn sensitive() -> Vec<f64> {
    let mut x: Vec<f64> =
        (0..5000u64).map(|i| f64::from_bits(i * 0x0003_1234_5678_9abd % 0x0020_0000_0000_0000)).collect();
    x.extend(
        (0..5000u64).map(|i| f64::from_bits(0x3ff0_0000_0000_0000 + i.wrapping_mul(0x9e37_79b9_7f4a_7c15) % (1 << 54))),
    );
    x
}

#[test]
fn results_do_not_depend_on_it() {
    let (tiny, mixed) = (sensitive()[..5000].to_vec(), sensitive());
    let singles: Vec<f32> = (0..70_000u32).map(|i| f32::from_bits(i.wrapping_mul(0x9e37_79b9) % 0x0100_0000)).collect();
    for isa in Isa::available() {
        for threads in [1, 2] {
            let cpu = Cpu::new().unwrap().with_isa(isa).with_threads(threads);
            let sums = || {
                let mut states = Vec::new();
                for x in [&tiny, &mixed] {
                    for folds in [2, 3, 6] {
                        let mut acc = Binned::new(folds).unwrap();
                        cpu.binned_f64(x, &mut acc).unwrap();
                        states.push(acc.value().to_bits());
                    }
                    let mut acc = Exact::new();
                    cpu.exact_f64(x, &mut acc).unwrap();
                    states.push(acc.value().to_bits());
                    let (mut norm, mut max) = (Norm2::new(5).unwrap(), NormInf::new());
                    cpu.norm2_f64(x, &mut norm).unwrap();
                    cpu.norm_inf_f64(x, &mut max).unwrap();
                    states.extend([norm.value().to_bits(), max.value().to_bits()]);
                }
                let (mut binned, mut exact) = (Binned::new(3).unwrap(), Exact::new());
                cpu.binned_f32(&singles, &mut binned).unwrap();
                cpu.exact_f32(&singles, &mut exact).unwrap();
                states.push(binned.value().to_bits().into());
                states.push(exact.value().to_bits().into());
                // Segments convert in floats, groups deposit in them.
                let offsets: Vec<usize> = (0..=singles.len() / 7).map(|i| 7 * i).collect();
                let mut sums = vec![0.0; offsets.len() - 1];
                for mode in [Mode::default(), Mode::exact()] {
                    cpu.segments_f32(&singles, &offsets, (Kind::Sum, mode), &mut sums).unwrap();
                    states.extend(sums.iter().map(|sum| u64::from(sum.to_bits())));
                    let mut sums = [0.0; 1000];
                    cpu.segments_f64(&mixed, &offsets[..1001], (Kind::Sum, mode), &mut sums).unwrap();
                    states.extend(sums.map(f64::to_bits));
                }
                let keys: Vec<u32> = (0..mixed.len() as u32).map(|i| i % 3).collect();
                let mut groups = Groups::new(Kind::Sum, 3, 3).unwrap();
                cpu.scatter_f64(&keys, &mixed, &mut groups).unwrap();
                states.extend((0..3).map(|i| groups.get(i).value().to_bits()));
                let mut norm = Norm2::new(3).unwrap();
                cpu.norm2_f32(&singles, &mut norm).unwrap();
                states.push(norm.value().to_bits().into());
                states
            };
            let expected = sums();
            for environment in [
                ROUND_DOWN,
                ROUND_UP,
                ROUND_TO_ZERO,
                FLUSH_TO_ZERO,
                DENORMALS_ARE_ZERO,
                FLUSH_TO_ZERO | DENORMALS_ARE_ZERO | ROUND_DOWN,
            ] {
                let (found, left) = under(MASKED | environment, sums);
                assert_eq!(found, expected, "{isa}, {threads} threads, MXCSR {environment:#x}");
                assert_eq!(left, MASKED | environment, "{isa} changed the caller's environment");
            }
        }
    }
}

#[test]
fn dots_do_not_depend_on_it() {
    let (x, y) = (sensitive(), sensitive().into_iter().rev().collect::<Vec<_>>());
    for isa in Isa::available() {
        for threads in [1, 2] {
            let cpu = Cpu::new().unwrap().with_isa(isa).with_threads(threads);
            let dots = || {
                let mut states = Vec::new();
                for (x, y) in [(&x[..5000], &y[..5000]), (&x[..5000], &y[5000..]), (&x[..], &y[..])] {
                    let (mut binned, mut exact) = (Binned::new(3).unwrap(), ExactDot::new());
                    cpu.binned_dot_f64(x, y, &mut binned).unwrap();
                    cpu.exact_dot_f64(x, y, &mut exact).unwrap();
                    let mut moments = Moments::new();
                    cpu.moments_f64(x, &mut moments).unwrap();
                    states.extend([binned.value(), exact.value(), moments.variance(1), moments.std_dev(0)]);
                }
                states.iter().map(|v| v.to_bits()).collect::<Vec<_>>()
            };
            let expected = dots();
            for environment in [ROUND_DOWN, ROUND_UP, ROUND_TO_ZERO, FLUSH_TO_ZERO, DENORMALS_ARE_ZERO] {
                let (found, left) = under(MASKED | environment, dots);
                assert_eq!(found, expected, "{isa}, {threads} threads, MXCSR {environment:#x}");
                assert_eq!(left, MASKED | environment, "{isa} changed the caller's environment");
            }
        }
    }
}

#[test]
fn flags_of_the_caller_stay() {
    let x = sensitive();
    for isa in Isa::available() {
        let cpu = Cpu::new().unwrap().with_isa(isa).with_threads(1);
        for flags in [0, FLAGS, 0x21] {
            let mut acc = Binned::<f64>::new(3).unwrap();
            let ((), left) = under(MASKED | flags, || cpu.binned_f64(&x, &mut acc).unwrap());
            assert_eq!(left, MASKED | flags, "{isa}");
        }
    }
}

/// A caller that traps floating-point exceptions is not killed by ours: inexact additions, overflow, NaN.
#[test]
fn unmasked_exceptions_do_not_trap() {
    for (name, x) in hard_f64().into_iter().filter(|(_, x)| x.len() < 300) {
        for isa in Isa::available() {
            let cpu = Cpu::new().unwrap().with_isa(isa).with_threads(1);
            let (mut acc, mut expected) = (Binned::<f64>::new(3).unwrap(), Binned::<f64>::new(3).unwrap());
            expected.extend(&x).unwrap();
            let ((), left) = under(0, || cpu.binned_f64(&x, &mut acc).unwrap());
            assert_eq!(left, 0, "{name} on {isa}");
            assert_biteq!(acc.value(), expected.value(), "{name} on {isa}");
        }
    }
}

/// The core computes by integers, and the compiler must leave it so: a float comparison made out of a test of bits would
/// take subnormals for zeros, or raise a flag.
fn core_alone<T: Float>() {
    let tiny: Vec<T> = [3u64, 5, 1, 9].map(T::from_bits).to_vec();
    let quiet_bit = T::NAN.bits() & !T::INFINITY.bits();
    let signalling = T::from_bits(T::INFINITY.bits() | (quiet_bit >> 1));
    let one = samebits_core::round_nearest::<T>(1, 0);
    let results = || {
        let mut exact = Exact::<T>::new();
        let mut binned = Binned::<T>::new(3).unwrap();
        let mut dot = ExactDot::<T>::new();
        let mut moments = Moments::<T>::new();
        let (mut norm, mut inf, mut other) = (Norm2::<T>::new(3).unwrap(), NormInf::<T>::new(), NormInf::<T>::new());
        for &x in &tiny {
            exact.deposit(x).unwrap();
            binned.deposit(x).unwrap();
            dot.deposit(x, one).unwrap();
            moments.deposit(x).unwrap();
            norm.deposit(x).unwrap();
            other.deposit(x);
        }
        inf.merge(&other);
        let finite = [
            exact.value(),
            exact.mean(),
            binned.value(),
            binned.mean(),
            dot.value(),
            moments.mean(),
            moments.variance(0),
            moments.std_dev(0),
            norm.value(),
            inf.value(),
        ];
        // A signalling NaN would raise a flag in any float operation.
        exact.deposit(signalling).unwrap();
        binned.deposit(signalling).unwrap();
        inf.deposit(signalling);
        let nan = [exact.value(), binned.value(), inf.value()];
        finite.into_iter().chain(nan).map(|x| x.bits()).collect::<Vec<u64>>()
    };
    let (expected, _) = under(MASKED, results);
    for environment in [MASKED, MASKED | DENORMALS_ARE_ZERO, MASKED | FLUSH_TO_ZERO | DENORMALS_ARE_ZERO | ROUND_UP] {
        let (found, left) = under(environment, results);
        assert_eq!(found, expected, "{} under {environment:#x}", T::NAME);
        assert_eq!(left, environment, "flags of {} under {environment:#x}", T::NAME);
    }
    // The exact results are subnormals; the binned ones lie below the last bin's unit.
    assert!([0, 1, 4, 5, 9].iter().all(|&i| expected[i] != 0), "{expected:?}");
}

#[test]
fn the_core_uses_no_float_operation() {
    core_alone::<f64>();
    core_alone::<f32>();
}
