//! The suite `scan`: running sums.

use crate::cases::DATA;
use crate::engines::Setup;
use crate::number::Number;
use crate::report::Report;
use crate::suites::{About, Field, Plan, Suite, python};
use std::cell::RefCell;
use std::hint::black_box;

/// The suite.
pub(crate) const SUITE: Suite = Suite {
    name: "scan",
    sizes: &[10_000, 1_000_000, 10_000_000, 50_000_000],
    quick_sizes: &[1_000, 10_000],
    engines: &[
        About { name: "plain", about: "a scalar loop" },
        About { name: "simd", about: "within vectors, AVX-512 only, other bits than the loop" },
        About { name: "numpy.cumsum", about: "NumPy, into an array that is there" },
    ],
    doubles: of_type::<f64>,
    singles: of_type::<f32>,
};

fn of_type<T: Number>(plan: &Plan, report: &mut Report) -> Result<usize, String> {
    let setups: Result<Vec<Setup<T>>, String> = plan.threads.iter().map(|&n| Setup::new(&plan.isa, n)).collect();
    let setups = setups?;
    let mut wrong = 0;
    for &n in &plan.sizes {
        let x = DATA[0].make::<T>(n);
        let x = x.as_slice();
        let y = RefCell::new(vec![T::default(); n]);
        for setup in &setups {
            let single = setup.queue.threads() == 1;
            let python = single.then(|| python::<T>(plan, "scan", 1, &[bytemuck::cast_slice(x)], report)).flatten();
            let mut field = Field::new(plan);
            if single {
                field.peer("plain", || Ok(last(&y, |y| scalar(black_box(x), y))));
                if let Some(scan) = setup.plain.scan() {
                    let y = &y;
                    field.peer("simd", move || Ok(last(y, |y| scan(black_box(x), y))));
                }
            }
            field.remote(python.as_ref());
            wrong += field.hold(("uniform".to_owned(), n, 2 * size_of_val(x)), setup, report);
        }
    }
    Ok(wrong)
}

/// Runs a scan and answers the last bits of what it left.
fn last<T: Number>(y: &RefCell<Vec<T>>, scan: impl FnOnce(&mut [T])) -> u64 {
    let mut y = y.borrow_mut();
    scan(&mut y);
    y.last().map_or(0, |last| last.bits())
}

fn scalar<T: Number>(x: &[T], y: &mut [T]) {
    let mut sum = T::default();
    for (x, y) in x.iter().zip(y) {
        sum = sum + *x;
        *y = sum;
    }
}
