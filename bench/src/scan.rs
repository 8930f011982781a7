//! The suite `scan`: running sums.

use crate::cases::DATA;
use crate::engines::Setup;
use crate::number::Number;
use crate::report::Report;
use crate::suites::{About, Field, Plan, Suite, digest, python, same};
use samebits::{Cumsum, Device, Queue};
use std::cell::RefCell;
use std::hint::black_box;

/// The suite.
pub(crate) const SUITE: Suite = Suite {
    name: "scan",
    sizes: &[10_000, 1_000_000, 10_000_000, 50_000_000],
    quick_sizes: &[1_000, 10_000],
    engines: &[
        About { name: "plain", about: "a scalar loop, on one thread" },
        About { name: "simd", about: "within vectors, AVX-512 only, other bits than the loop" },
        About { name: "k2", about: "samebits, 2 folds" },
        About { name: "k3", about: "samebits, 3 folds" },
        About { name: "k4", about: "samebits, 4 folds" },
        About { name: "exact", about: "samebits, exact: each sum rounded once" },
        About { name: "numpy.cumsum", about: "NumPy, into an array that is there" },
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
        let y = RefCell::new(vec![T::default(); n]);
        let modes = modes()?;
        // What all sums must be, engine by engine: a digest, so that they need not all be held.
        let mut expected = Vec::new();
        for (name, cumsum) in &modes {
            if plan.has(name) {
                cumsum.run(&reference, x, &mut y.borrow_mut()).map_err(|e| e.to_string())?;
                expected.push(digest(&y.borrow()));
            } else {
                expected.push(0);
            }
        }
        for setup in &setups {
            let single = setup.queue.threads() == 1;
            let python = single.then(|| python::<T>(plan, "scan", 1, &[bytemuck::cast_slice(x)], report)).flatten();
            let mut field = Field::new(plan);
            field.peer("plain", || {
                last(&y, |y| {
                    scalar(black_box(x), y);
                    Ok(())
                })
            });
            if let (true, Some(scan)) = (single, setup.plain.scan()) {
                let y = &y;
                field.peer("simd", move || {
                    last(y, |y| {
                        scan(black_box(x), y);
                        Ok(())
                    })
                });
            }
            for ((name, cumsum), expected) in modes.iter().zip(&expected) {
                let work = || last(&y, |y| cumsum.run(&setup.queue, black_box(x), y).map_err(|e| e.to_string()));
                let check = || same(digest(&y.borrow()), *expected);
                field.ours(name, work, check);
            }
            field.remote(python.as_ref(), 1);
            wrong += field.hold(("uniform".to_owned(), n, 2 * size_of_val(x)), setup, report);
        }
    }
    Ok(wrong)
}

/// Engines of ours, and what they run.
fn modes() -> Result<Vec<(&'static str, Cumsum)>, String> {
    let folds = |folds| Cumsum::new().folds(folds).map_err(|e| e.to_string());
    Ok(vec![("k2", folds(2)?), ("k3", folds(3)?), ("k4", folds(4)?), ("exact", Cumsum::exact())])
}

/// Runs a scan and answers the last bits of what it left.
fn last<T: Number>(y: &RefCell<Vec<T>>, scan: impl FnOnce(&mut [T]) -> Result<(), String>) -> Result<u64, String> {
    let mut y = y.borrow_mut();
    scan(&mut y)?;
    Ok(y.last().map_or(0, |last| last.bits()))
}

fn scalar<T: Number>(x: &[T], y: &mut [T]) {
    let mut sum = T::default();
    for (x, y) in x.iter().zip(y) {
        sum = sum + *x;
        *y = sum;
    }
}
