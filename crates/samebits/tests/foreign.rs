//! Iterators, 16-bit floats, complex numbers and `ndarray`: the bits of the plain operations over the same values.

use samebits::{IterSum, Queue, Sum};
use samebits_conformance::{SplitMix64, assert_biteq, hard_f32, hard_f64};

fn values(n: usize, seed: u64) -> Vec<f64> {
    let mut draws = SplitMix64::new(seed);
    (0..n).map(|_| draws.next() as i64 as f64 * 2f64.powi(draws.below(90) as i32 - 60)).collect()
}

#[test]
fn iterators() {
    for (name, x) in hard_f64().into_iter().chain([("long".to_owned(), values(5000, 8))]) {
        assert_biteq!(x.iter().sum_same().unwrap(), samebits::sum(&x).unwrap(), "{name}");
        let exact = Sum::exact();
        let expected = exact.run(&Queue::cpu().unwrap(), &x).unwrap();
        assert_biteq!(x.iter().copied().rev().sum_same_by(&exact).unwrap(), expected, "{name}");
    }
    for (name, x) in hard_f32() {
        assert_biteq!(x.iter().sum_same().unwrap(), samebits::sum(&x).unwrap(), "{name}");
    }
}

#[cfg(feature = "rayon")]
#[test]
fn parallel_iterators() {
    use rayon::prelude::*;
    use samebits::ParallelSum;
    for threads in 1..=3 {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            for (name, x) in hard_f64().into_iter().chain([("long".to_owned(), values(300_000, 1))]) {
                let expected = samebits::sum(&x).unwrap();
                assert_biteq!(x.par_iter().sum_same().unwrap(), expected, "{name}");
                assert_biteq!(x.par_iter().copied().rev().with_max_len(3).sum_same().unwrap(), expected, "{name}");
                let kept = x.par_iter().map(|v| v * 2.0).filter(|v| *v > 0.0).sum_same_by(&Sum::exact()).unwrap();
                let alone: Vec<f64> = x.iter().map(|v| v * 2.0).filter(|v| *v > 0.0).collect();
                assert_biteq!(kept, Sum::exact().run(&Queue::cpu().unwrap(), &alone).unwrap(), "{name}");
            }
        });
    }
    assert!(values(1, 1).par_iter().sum_same_by(&Sum::new().folds(50).unwrap()).is_ok());
    assert!([1f32].par_iter().sum_same_by(&Sum::new().folds(50).unwrap()).is_err());
}

#[cfg(feature = "half")]
#[test]
fn sixteen_bit_floats() {
    use half::{bf16, f16};
    use samebits::Dot;
    // Every value there is, the specials apart; then with them.
    let all: Vec<u16> = (0..=u16::MAX).collect();
    for threads in 1..=3 {
        let queue = Queue::cpu().unwrap().with_threads(threads).unwrap();
        for specials in [false, true] {
            let f: Vec<f16> = all.iter().map(|&b| f16::from_bits(b)).filter(|v| specials || v.is_finite()).collect();
            let b: Vec<bf16> = all.iter().map(|&b| bf16::from_bits(b)).filter(|v| specials || v.is_finite()).collect();
            for sum in [Sum::new(), Sum::exact(), Sum::asum()] {
                for n in [0, 1, 2, 1000, 2049, f.len()] {
                    let (f, b) = (&f[..n.min(f.len())], &b[..n.min(b.len())]);
                    let f32s =
                        [f.iter().map(|v| v.to_f32()).collect::<Vec<_>>(), b.iter().map(|v| v.to_f32()).collect()];
                    let f64s = f32s.clone().map(|x| x.into_iter().map(f64::from).collect::<Vec<_>>());
                    assert_biteq!(sum.run_half::<f32, _>(&queue, f).unwrap(), sum.run(&queue, &f32s[0]).unwrap());
                    assert_biteq!(sum.run_half::<f64, _>(&queue, f).unwrap(), sum.run(&queue, &f64s[0]).unwrap());
                    assert_biteq!(sum.run_half::<f32, _>(&queue, b).unwrap(), sum.run(&queue, &f32s[1]).unwrap());
                    assert_biteq!(sum.run_half::<f64, _>(&queue, b).unwrap(), sum.run(&queue, &f64s[1]).unwrap());
                    let backwards: Vec<bf16> = b.iter().rev().copied().collect();
                    let y: Vec<f32> = backwards.iter().map(|v| v.to_f32()).collect();
                    for dot in [Dot::new(), Dot::exact()] {
                        let expected = dot.run(&queue, &f32s[1], &y).unwrap();
                        assert_biteq!(dot.run_half::<f32, _>(&queue, b, &backwards).unwrap(), expected);
                    }
                    assert_biteq!(sum.mean_half::<f64, _>(&queue, b).unwrap(), sum.mean(&queue, &f64s[1]).unwrap());
                }
            }
        }
    }
}

#[cfg(feature = "complex")]
mod complex {
    use super::*;
    use num_complex::Complex;
    use samebits::complex::{self, ComplexDot};
    use samebits::{Binned, Cumsum, norm_inf, norm2};
    use samebits_conformance::orders;

    fn pairs(x: &[f64]) -> Vec<Complex<f64>> {
        x.iter().zip(x.iter().rev()).map(|(&re, &im)| Complex::new(re, im * 0.75)).collect()
    }

    #[test]
    fn parts_are_sums_of_their_own() {
        for (name, x) in hard_f64().into_iter().chain([("long".to_owned(), values(100_000, 2))]) {
            let z = pairs(&x);
            let re: Vec<f64> = z.iter().map(|z| z.re).collect();
            let im: Vec<f64> = z.iter().map(|z| z.im).collect();
            let both: Vec<f64> = z.iter().flat_map(|z| [z.re, z.im]).collect();
            for threads in 1..=3 {
                let queue = Queue::cpu().unwrap().with_threads(threads).unwrap();
                for sum in [Sum::new(), Sum::exact(), Sum::asum()] {
                    let got = sum.run_complex(&queue, &z).unwrap();
                    assert_biteq!(got.re, sum.run(&queue, &re).unwrap(), "{name}");
                    assert_biteq!(got.im, sum.run(&queue, &im).unwrap(), "{name}");
                }
            }
            let (mut out, mut re_sums, mut im_sums) = (z.clone(), re.clone(), im.clone());
            for scan in [Cumsum::new(), Cumsum::exact().exclusive()] {
                let queue = Queue::cpu().unwrap();
                scan.run_complex(&queue, &z, &mut out).unwrap();
                scan.run(&queue, &re, &mut re_sums).unwrap();
                scan.run(&queue, &im, &mut im_sums).unwrap();
                for (i, out) in out.iter().enumerate() {
                    assert_biteq!(out.re, re_sums[i], "{name}");
                    assert_biteq!(out.im, im_sums[i], "{name}");
                }
            }
            assert_biteq!(complex::asum(&z).unwrap(), samebits::asum(&both).unwrap(), "{name}");
            assert_biteq!(complex::norm2(&z).unwrap(), norm2(&both).unwrap(), "{name}");
            assert_biteq!(complex::norm_inf(&z).unwrap(), norm_inf(&both).unwrap(), "{name}");
        }
    }

    #[test]
    fn dots_are_sums_of_products() {
        for (name, x) in hard_f64().into_iter().chain([("long".to_owned(), values(60_000, 3))]) {
            let (a, b) = (pairs(&x), pairs(&orders::shuffled(&x, 5)));
            for conjugated in [false, true] {
                let sign = if conjugated { -1.0 } else { 1.0 };
                let mut re = Binned::<f64>::new(3).unwrap();
                let mut im = Binned::<f64>::new(3).unwrap();
                for (a, b) in a.iter().zip(&b) {
                    re.extend(&[a.re * b.re, -(sign * a.im * b.im)]).unwrap();
                    im.extend(&[a.re * b.im, sign * a.im * b.re]).unwrap();
                }
                for threads in 1..=3 {
                    let queue = Queue::cpu().unwrap().with_threads(threads).unwrap();
                    let dot = if conjugated { ComplexDot::new().conjugated() } else { ComplexDot::new() };
                    let got = dot.run(&queue, &a, &b).unwrap();
                    assert_biteq!(got.re, re.value(), "{name}");
                    assert_biteq!(got.im, im.value(), "{name}");
                    // Exact: the same in another order.
                    let places: Vec<usize> = orders::shuffled(&(0..a.len()).collect::<Vec<_>>(), 9);
                    let moved = |z: &[Complex<f64>]| places.iter().map(|&i| z[i]).collect::<Vec<_>>();
                    let exact = dot.exact().run(&queue, &a, &b).unwrap();
                    let other = dot.exact().threads(2).run(&queue, &moved(&a), &moved(&b)).unwrap();
                    assert_biteq!(exact.re, other.re, "{name}");
                    assert_biteq!(exact.im, other.im, "{name}");
                }
            }
        }
        let one = [Complex::new(1.0f32, 1e-30)];
        let square = ComplexDot::new().exact().conjugated().run(&Queue::cpu().unwrap(), &one, &one).unwrap();
        assert_biteq!(square.re, 1.0);
        assert_biteq!(square.im, 0.0);
        assert!(complex::dot(&one, &[]).is_err());
    }
}

#[cfg(feature = "ndarray")]
#[test]
fn arrays() {
    use ndarray::{Array, Axis, Ix3, ShapeBuilder, s};
    use samebits::ArraySum;
    let x = values(7 * 30 * 11, 4);
    let c = Array::from_shape_vec((7, 30, 11), x.clone()).unwrap();
    let mut fortran = Array::zeros((7, 30, 11).f());
    fortran.assign(&c);
    let whole = samebits::sum(&x).unwrap();
    assert_biteq!(c.sum_same().unwrap(), whole);
    assert_biteq!(fortran.sum_same().unwrap(), whole);
    let corner = c.slice(s![0..1, 0..1, 0..1]);
    let views = [
        c.view(),
        fortran.view(),
        c.slice(s![..;-1, 1..;2, ..]),
        fortran.slice(s![.., ..;-3, 3..7]),
        c.slice(s![.., 5..5, ..]),
        corner.broadcast((2, 3, 4)).unwrap().into_dimensionality::<Ix3>().unwrap(),
    ];
    for view in &views {
        let all: Vec<f64> = view.iter().copied().collect();
        assert_biteq!(view.sum_same().unwrap(), samebits::sum(&all).unwrap());
        assert_biteq!(view.t().sum_same().unwrap(), samebits::sum(&all).unwrap());
        for axis in 0..3 {
            let sums = view.sum_axis_same(Axis(axis)).unwrap();
            for (lane, &sum) in view.lanes(Axis(axis)).into_iter().zip(&sums) {
                assert_biteq!(sum, samebits::sum(&lane.to_vec()).unwrap(), "{view:?}");
            }
        }
    }
}
