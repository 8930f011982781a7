//! The suite `group`: a sum for each key, the keys in random order.

use crate::cases::DATA;
use crate::engines::Setup;
use crate::number::Number;
use crate::report::Report;
use crate::suites::{About, Field, Plan, Suite, digest, python, same};
use samebits::{Device, Grouped, Mode, Queue, Sum};
use samebits_conformance::SplitMix64;
use std::collections::HashMap;
use std::hint::black_box;

/// The suite.
pub(crate) const SUITE: Suite = Suite {
    name: "group",
    sizes: &[10_000_000],
    quick_sizes: &[100_000],
    engines: &[
        About { name: "plain", about: "sums[key] += x, in an array that is made anew, on one thread" },
        About { name: "hashmap", about: "the same in std's HashMap, on one thread" },
        About { name: "k3", about: "samebits, 3 folds, into an array" },
        About { name: "exact", about: "samebits, exact, into an array" },
        About { name: "keyed", about: "samebits, 3 folds, Grouped: any keys" },
        About { name: "numpy.add.at", about: "NumPy, into zeros" },
        About { name: "numpy.bincount", about: "NumPy, with weights, f64 only" },
        About { name: "polars", about: "Polars, group_by(key).agg(sum)" },
    ],
    doubles: of_type::<f64>,
    singles: of_type::<f32>,
};

fn of_type<T: Number>(plan: &Plan, report: &mut Report) -> Result<usize, String> {
    let setups: Result<Vec<Setup<T>>, String> = plan.threads.iter().map(|&n| Setup::new(&plan.isa, n)).collect();
    let setups = setups?;
    let reference = Queue::new(Device::Reference).map_err(|e| e.to_string())?;
    let mut wrong = 0;
    for &n in &plan.sizes {
        let x = DATA[0].make::<T>(n);
        let x = x.as_slice();
        for &groups in &plan.groups {
            let keys = keys(n, groups);
            let keys = &keys[..];
            let run = |sum: &Sum| sum.run_groups(&reference, keys, x, groups).map_err(|e| e.to_string());
            let right = run(&Sum::new())?;
            let exact = digest(&run(&Sum::exact())?);
            let ours = [("k3", Sum::new(), digest(&right)), ("exact", Sum::exact(), exact)];
            for setup in &setups {
                let threads = setup.queue.threads();
                let arrays = [bytemuck::cast_slice(x), bytemuck::cast_slice(keys)];
                let python = python::<T>(plan, "group", threads, &arrays, report);
                let mut field = Field::new(plan);
                field.peer("plain", move || Ok(dense(black_box(keys), black_box(x), groups)[0].bits()));
                if threads == 1 {
                    field.peer("hashmap", move || Ok(hashed(black_box(keys), black_box(x))[&0].bits()));
                }
                for (name, sum, expected) in &ours {
                    let run = move || {
                        let sums = sum.run_groups(&setup.queue, black_box(keys), black_box(x), groups);
                        sums.map_err(|e| e.to_string())
                    };
                    field.ours(name, move || Ok(run()?[0].bits()), move || same(digest(&run()?), *expected));
                }
                let run = move || keyed(&setup.queue, black_box(keys), black_box(x));
                let first = move || Ok(run()?.value(&0).map_or(0, |sum| sum.bits()));
                let right = &right;
                let check = move || {
                    let found = run()?;
                    let wrong = |(key, sum): &(&u32, T)| sum.bits() != right[**key as usize].bits();
                    same(found.sorted().iter().filter(|group| wrong(group)).count() as u64, 0)
                };
                field.ours("keyed", first, check);
                field.remote(python.as_ref(), threads);
                let bytes = size_of_val(x) + size_of_val(keys);
                wrong += field.hold((format!("{groups} groups, uniform"), n, bytes), setup, report);
            }
        }
    }
    Ok(wrong)
}

/// Random keys below `groups`, the same ones every time; key 0 is among them.
fn keys(n: usize, groups: usize) -> Vec<u32> {
    let mut draws = SplitMix64::new(groups as u64);
    let mut keys: Vec<u32> = (0..n).map(|_| (((draws.next() >> 32) * groups as u64) >> 32) as u32).collect();
    if let Some(first) = keys.first_mut() {
        *first = 0;
    }
    keys
}

fn dense<T: Number>(keys: &[u32], x: &[T], groups: usize) -> Vec<T> {
    let mut sums = vec![T::default(); groups];
    for (&key, &x) in keys.iter().zip(x) {
        sums[key as usize] = sums[key as usize] + x;
    }
    sums
}

fn hashed<T: Number>(keys: &[u32], x: &[T]) -> HashMap<u32, T> {
    let mut sums = HashMap::new();
    for (&key, &x) in keys.iter().zip(x) {
        let sum = sums.entry(key).or_insert(T::default());
        *sum = *sum + x;
    }
    sums
}

fn keyed<T: Number>(queue: &Queue, keys: &[u32], x: &[T]) -> Result<Grouped<u32, T>, String> {
    let mut sums = Grouped::new(Mode::default()).map_err(|e| e.to_string())?;
    sums.extend_on(queue, keys, x).map_err(|e| e.to_string())?;
    Ok(sums)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_all_there() {
        let mut found = keys(10_000, 100);
        assert_eq!((found.len(), found[0]), (10_000, 0));
        found.sort_unstable();
        found.dedup();
        assert!(found.iter().copied().eq(0..100));
    }
}
