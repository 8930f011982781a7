//! Nothing is allocated by a call after the first. One test, since the counts are those of the whole process.

use samebits::{
    Accumulator, Cumsum, Dot, Element, GroupAccumulator, IterSum, Mode, Norm, Queue, Strided, Sum, Variance, norm2,
    segment_sums,
};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use std::alloc::System;

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Allocations of `rounds` calls, after two that may allocate: the fewest of several counts, since the test runner's
/// own thread allocates now and then, too.
fn allocations(rounds: usize, mut call: impl FnMut()) -> usize {
    (0..2).for_each(|_| call());
    let mut count = || {
        let region = Region::new(ALLOCATOR);
        (0..rounds).for_each(|_| call());
        let change = region.change();
        change.allocations + change.reallocations
    };
    (0..5).map(|_| count()).min().unwrap_or(0)
}

/// Takes a result.
fn used<R>(_: R) {}

fn one_thread<T: Element + From<f32>>() {
    let n = 20_000;
    let x: Vec<T> = (0..n).map(|i| T::from((i % 1000) as f32 * 0.37 - 100.0)).collect();
    let mask: Vec<bool> = (0..n).map(|i| i % 3 != 0).collect();
    let keys: Vec<u32> = (0..n as u32).map(|i| i * 7 % 50).collect();
    let offsets: Vec<usize> = (0..=n / 10).map(|i| 10 * i).collect();
    let mut out = vec![T::default(); n / 10];
    let mut running = x.clone();
    let queue = Queue::cpu().unwrap().with_threads(1).unwrap();
    for mode in [Mode::default(), Mode::folds(6).unwrap(), Mode::exact()] {
        let sum = Sum::new().mode(mode);
        let mut acc = Accumulator::<T>::new(mode).unwrap();
        let mut groups = GroupAccumulator::<T>::new(mode, 50).unwrap();
        let scan = Cumsum::new().mode(mode);
        let dot = Dot::new().mode(mode);
        let norm = if mode == Mode::exact() { Norm::two().exact() } else { Norm::two() };
        let calls: [(&str, &mut dyn FnMut()); 11] = [
            ("sum", &mut || used(sum.run(&queue, &x).unwrap())),
            ("mean", &mut || used(sum.mean(&queue, &x).unwrap())),
            ("masked", &mut || used(sum.run_masked(&queue, &x, &mask).unwrap())),
            ("strided", &mut || used(sum.run_strided(&queue, Strided::new(&x, 0, 3, n / 3).unwrap()).unwrap())),
            ("segments", &mut || sum.run_segments(&queue, &x, &offsets, &mut out).unwrap()),
            ("extend", &mut || acc.extend(&x).unwrap()),
            ("cumsum", &mut || scan.run(&queue, &x, &mut running).unwrap()),
            ("dot", &mut || used(dot.run(&queue, &x, &x).unwrap())),
            ("norm2", &mut || used(norm.run(&queue, &x).unwrap())),
            ("variance", &mut || used(Variance::new().run(&queue, &x).unwrap())),
            ("groups", &mut || groups.extend(&keys, &x).unwrap()),
        ];
        for (name, call) in calls {
            assert_eq!(allocations(10, call), 0, "{name}, {}, {mode:?}", T::NAME);
        }
    }
}

#[test]
fn none_after_the_first_call() {
    one_thread::<f64>();
    one_thread::<f32>();

    // Short inputs take no threads, whatever the queue.
    let x = vec![0.1f64; 1000];
    let mut out = [0.0; 2];
    assert_eq!(allocations(10, || used(samebits::sum(&x).unwrap())), 0);
    assert_eq!(allocations(10, || used(x.iter().sum_same().unwrap())), 0);
    assert_eq!(allocations(10, || used(norm2(&x).unwrap())), 0);
    assert_eq!(allocations(10, || segment_sums(&x, &[0, 30, 1000], &mut out).unwrap()), 0);

    // Several threads: the queue of a pool hands out its memory in blocks, one for some dozens of calls.
    let x = vec![0.1f64; 1 << 18];
    let queue = Queue::cpu().unwrap().with_threads(2).unwrap();
    let count = allocations(200, || used(Sum::new().run(&queue, &x).unwrap()));
    assert!(count <= 20, "{count} allocations of 200 sums on two threads");
}
