//! Masks, strides and axes: the bits of `sum` over the same values, however they lie in memory.

use samebits::{Element, Mode, NdView, Queue, Strided, Sum, masked_sum, sum_axis};
use samebits_conformance::{Bits, SplitMix64, assert_biteq, hard, hard_f64};

/// Queues with one to three threads, every instruction set, and the oracle.
fn queues() -> Vec<Queue> {
    let info = &samebits::devices().unwrap()[0];
    let mut all = vec![Queue::new(samebits::Device::Reference).unwrap()];
    for (i, isa) in info.isas.iter().enumerate() {
        all.push(Queue::cpu().unwrap().with_isa(isa).unwrap().with_threads(i % 3 + 1).unwrap());
    }
    all.extend([2, 3].map(|threads| Queue::cpu().unwrap().with_threads(threads).unwrap()));
    all
}

fn modes() -> [Sum; 4] {
    [Sum::new(), Sum::exact(), Sum::asum(), Sum::new().folds(6).unwrap()]
}

/// Values that spread over many binades, long enough to be shared out.
fn long(n: usize, seed: u64) -> Vec<f64> {
    let mut draws = SplitMix64::new(seed);
    let value = |_| (draws.next() as i64 as f64) * 2f64.powi(draws.below(200) as i32 - 100);
    (0..n).map(value).collect()
}

fn masks_of<T: Element + Bits>(queue: &Queue, name: &str, x: &[T]) {
    for seed in 0..3u64 {
        let mut draws = SplitMix64::new(seed);
        let mask: Vec<bool> =
            x.iter().map(|_| [draws.below(2) == 0, draws.below(50) == 0, true][seed as usize]).collect();
        let chosen: Vec<T> = x.iter().zip(&mask).filter(|(_, m)| **m).map(|(v, _)| *v).collect();
        // What is not selected may be anything.
        let spoilt: Vec<T> = x.iter().zip(&mask).map(|(v, m)| if *m { *v } else { T::NAN }).collect();
        for sum in modes() {
            let expected = sum.run(queue, &chosen).unwrap();
            assert_biteq!(sum.run_masked(queue, &spoilt, &mask).unwrap(), expected, "{name}, {queue:?}, seed {seed}");
        }
    }
}

#[test]
fn masks_select() {
    for queue in queues() {
        for (name, x) in hard::<f64>().into_iter().filter(|(_, x)| x.len() < 5000) {
            masks_of(&queue, &name, &x);
        }
        for (name, x) in hard::<f32>().into_iter().filter(|(_, x)| x.len() < 5000) {
            masks_of(&queue, &name, &x);
        }
        masks_of(&queue, "long", &long(300_000, 1));
    }
    assert_biteq!(masked_sum(&[f64::NAN, -0.0], &[false, true]).unwrap(), 0.0);
    assert_biteq!(masked_sum::<f32>(&[], &[]).unwrap(), 0.0);
    let error = masked_sum(&[1.0], &[]).unwrap_err().to_string();
    assert!(error.contains("mask: 0 for 1 values"), "{error}");
}

#[test]
fn strides_of_either_sign() {
    for queue in queues() {
        let hard = hard_f64().into_iter().filter(|(_, x)| x.len() < 3000);
        for (name, x) in hard.chain([("long".to_owned(), long(100_000, 2))]) {
            let n = x.len();
            // Every third value of a spoilt slice, both ways.
            let mut wide = vec![f64::NAN; 3 * n + 2];
            x.iter().enumerate().for_each(|(i, &v)| wide[2 + 3 * i] = v);
            let last = if n > 0 { 2 + 3 * (n - 1) } else { 0 };
            for sum in modes() {
                let expected = sum.run(&queue, &x).unwrap();
                for (data, offset, stride) in
                    [(&wide, 2, 3), (&wide, last, -3), (&x, 0, 1), (&x, n.saturating_sub(1), -1)]
                {
                    let view = Strided::new(data, offset, stride, n).unwrap();
                    assert_eq!((view.len(), view.is_empty()), (n, n == 0));
                    assert_biteq!(sum.run_strided(&queue, view).unwrap(), expected, "{name}, {queue:?}, {stride}");
                }
            }
        }
    }
    let queue = Queue::cpu().unwrap();
    let repeated = Strided::new(&[0.1f64], 0, 0, 10).unwrap();
    assert_biteq!(Sum::exact().run_strided(&queue, repeated).unwrap(), 1.0);
}

#[test]
fn views_outside_of_their_slice_are_refused() {
    let x = [1.0f64; 6];
    for (offset, stride, len) in [
        (6, 1, 1),
        (0, 1, 7),
        (5, -1, 7),
        (0, -1, 2),
        (0, isize::MAX, 3),
        (0, isize::MIN, usize::MAX),
        (usize::MAX, 1, 1),
    ] {
        let error = Strided::new(&x, offset, stride, len).unwrap_err().to_string();
        assert!(error.contains("slice has 6"), "{error}");
        assert!(NdView::new(&x, offset, &[len], &[stride]).is_err(), "{offset} {stride} {len}");
    }
    assert!(Strided::new(&x, usize::MAX, isize::MAX, 0).is_ok());
    assert!(NdView::row_major(&x, &[2, 2]).is_err());
    assert!(NdView::row_major(&x, &[usize::MAX, usize::MAX]).is_err());
    assert!(NdView::row_major(&x[..0], &[usize::MAX, 0, usize::MAX]).is_ok());
    assert!(NdView::new(&x, 0, &[2], &[1, 1]).is_err());
    assert!(NdView::new(&x, 0, &[usize::MAX; 3], &[isize::MAX; 3]).is_err());
    let view = NdView::row_major(&x, &[2, 3]).unwrap();
    let says = |error: samebits::Error, word: &str| assert!(error.to_string().contains(word), "{error}");
    says(sum_axis(&view, 2, &mut [0.0; 2]).unwrap_err(), "axis: 2 of an array with 2 dimensions");
    says(sum_axis(&view, 0, &mut [0.0; 2]).unwrap_err(), "output");
}

/// A reported fault: the sum along axis 0 and the sum of the sliced column came from different loops.
#[test]
fn a_column_is_a_column() {
    let bits = [
        [0x4B80_0000, 0x3DCC_CCCD],
        [0x3F80_0000, 0x3E4C_CCCD],
        [0x3F80_0000, 0x3E99_999A],
        [0x3F80_0000, 0xBF19_999A],
    ];
    let rows = bits.map(|row| row.map(f32::from_bits));
    let expected = [0x4B80_0002, 0xB200_0000].map(f32::from_bits);
    let c: Vec<f32> = rows.concat();
    let fortran: Vec<f32> = (0..2).flat_map(|j| rows.map(|row| row[j])).collect();
    for queue in queues() {
        let sum = Sum::exact();
        let views = [NdView::row_major(&c, &[4, 2]).unwrap(), NdView::column_major(&fortran, &[4, 2]).unwrap()];
        for view in &views {
            let mut out = [0.0; 2];
            sum.run_axis(&queue, view, 0, &mut out).unwrap();
            assert_biteq!(out[0], expected[0], "axis");
            assert_biteq!(out[1], expected[1], "axis");
        }
        for j in 0..2 {
            let column = Strided::new(&c, j, 2, 4).unwrap();
            assert_biteq!(sum.run_strided(&queue, column).unwrap(), expected[j], "sliced");
            assert_biteq!(sum.run(&queue, &fortran[4 * j..4 * j + 4]).unwrap(), expected[j], "copied");
        }
    }
}

#[test]
fn every_axis_of_every_layout() {
    let draw = |n, seed| -> Vec<f64> {
        let mut x = long(n, seed);
        x.iter_mut().step_by(97).for_each(|v| *v = f64::NEG_INFINITY);
        x.iter_mut().step_by(1301).for_each(|v| *v = f64::NAN);
        x
    };
    let shapes: [&[usize]; 9] =
        [&[5], &[1, 1], &[2, 3], &[1100, 19], &[3, 700, 33], &[40_000, 3], &[2, 3, 4, 5], &[0, 3], &[3, 0, 2]];
    for queue in queues() {
        for shape in shapes {
            let n = shape.iter().product();
            let x = draw(n, n as u64);
            let row = NdView::row_major(&x, shape).unwrap();
            // The same array in Fortran order, and backwards in memory with gaps.
            let index = |mut i: usize| -> Vec<usize> {
                let mut at: Vec<usize> = shape.iter().rev().map(|&d| (i % d, i /= d).0).collect();
                at.reverse();
                at
            };
            let mut fortran = vec![0.0; n];
            let mut back = vec![f64::NAN; 2 * n];
            for (i, &v) in x.iter().enumerate() {
                let place = index(i).iter().zip(shape).rev().fold(0, |p, (&k, &d)| p * d + k);
                fortran[place] = v;
                back[2 * (n - 1 - i)] = v;
            }
            let column = NdView::column_major(&fortran, shape).unwrap();
            let mut strides: Vec<isize> = vec![-2; shape.len()];
            for dim in (0..shape.len() - 1).rev() {
                strides[dim] = strides[dim + 1] * shape[dim + 1] as isize;
            }
            let back = NdView::new(&back, (2 * n).saturating_sub(2), shape, &strides).unwrap();
            for sum in modes() {
                let whole = sum.run(&queue, &x).unwrap();
                for view in [&row, &column, &back] {
                    assert_biteq!(sum.run_nd(&queue, view).unwrap(), whole, "{shape:?}, {queue:?}");
                }
                for axis in 0..shape.len() {
                    let others: Vec<usize> = (0..shape.len()).filter(|&d| d != axis).collect();
                    let count: usize = others.iter().map(|&d| shape[d]).product();
                    let mut lanes = vec![Vec::new(); count];
                    for (i, &v) in x.iter().enumerate() {
                        let at = index(i);
                        lanes[others.iter().fold(0, |p, &d| p * shape[d] + at[d])].push(v);
                    }
                    let expected: Vec<f64> = lanes.iter().map(|lane| sum.run(&queue, lane).unwrap()).collect();
                    for view in [&row, &column, &back] {
                        let mut out = vec![f64::NAN; count];
                        sum.run_axis(&queue, view, axis, &mut out).unwrap();
                        for (i, (&got, &want)) in out.iter().zip(&expected).enumerate() {
                            assert_biteq!(got, want, "{shape:?}, axis {axis}, result {i}, {queue:?}");
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn threads_of_the_call_count() {
    let x = long(200_000, 7);
    let queue = Queue::cpu().unwrap();
    let mask = vec![true; x.len()];
    let expected = samebits::sum(&x).unwrap();
    for threads in 1..=3 {
        let sum = Sum::new().mode(Mode::default()).threads(threads);
        assert_biteq!(sum.run_masked(&queue, &x, &mask).unwrap(), expected, "{threads}");
    }
}
