//! The suite `norm`: the 1-norm, the 2-norm and the largest absolute value.

use crate::cases::DATA;
use crate::engines::Setup;
use crate::number::Number;
use crate::report::Report;
use crate::suites::{About, Field, Plan, Suite, python, same};
use samebits::{Device, Norm, Queue};
use std::hint::black_box;

/// The suite.
pub(crate) const SUITE: Suite = Suite {
    name: "norm",
    sizes: &[10_000, 1_000_000, 50_000_000],
    quick_sizes: &[1_000, 10_000],
    engines: &[
        About {
            name: "plain",
            about: "eight independent vectors, any order; the 2-norm overflows and underflows early",
        },
        About { name: "k3", about: "samebits, 3 folds" },
        About { name: "exact", about: "samebits, exact" },
        About { name: "numpy.linalg.norm", about: "NumPy" },
    ],
    doubles: of_type::<f64>,
    singles: of_type::<f32>,
};

const KINDS: [&str; 3] = ["1", "2", "inf"];

fn of_type<T: Number>(plan: &Plan, report: &mut Report) -> Result<usize, String> {
    let setups: Result<Vec<Setup<T>>, String> = plan.threads.iter().map(|&n| Setup::new(&plan.isa, n)).collect();
    let setups = setups?;
    let reference = Queue::new(Device::Reference).map_err(|e| e.to_string())?;
    let mut wrong = 0;
    for kind in KINDS {
        for &n in &plan.sizes {
            let x = DATA[0].make::<T>(n);
            let x = x.as_slice();
            let mut ours = Vec::new();
            for (name, norm) in modes(kind) {
                ours.push((name, norm, norm.run(&reference, x).map_err(|e| e.to_string())?.bits()));
            }
            for setup in &setups {
                let (suite, threads) = (format!("norm{kind}"), setup.queue.threads());
                let python = python::<T>(plan, &suite, threads, &[bytemuck::cast_slice(x)], report);
                let mut field = Field::new(plan);
                field.peer("plain", move || Ok(plain(kind, setup, black_box(x)).bits()));
                for (name, norm, expected) in &ours {
                    let run = move || norm.run(&setup.queue, black_box(x)).map_err(|e| e.to_string());
                    field.ours(name, move || Ok(run()?.bits()), move || same(run()?.bits(), *expected));
                }
                field.remote(python.as_ref(), threads);
                wrong += field.hold((format!("{kind}-norm, uniform"), n, size_of_val(x)), setup, report);
            }
        }
    }
    Ok(wrong)
}

/// Engines of ours, and what they run. A largest absolute value has no folds.
fn modes(kind: &str) -> Vec<(&'static str, Norm)> {
    match kind {
        "inf" => vec![("exact", Norm::inf())],
        "1" => vec![("k3", Norm::one()), ("exact", Norm::one().exact())],
        _ => vec![("k3", Norm::two()), ("exact", Norm::two().exact())],
    }
}

fn plain<T: Number>(kind: &str, setup: &Setup<T>, x: &[T]) -> T {
    match (kind, &setup.pool) {
        ("1", None) => setup.plain.asum(x),
        ("1", Some(pool)) => setup.plain.shared_asum(pool, x),
        ("inf", None) => setup.plain.amax(x),
        ("inf", Some(pool)) => setup.plain.shared_amax(pool, x),
        (_, None) => setup.plain.dot(x, x).sqrt(),
        (_, Some(pool)) => setup.plain.shared_dot(pool, x, x).sqrt(),
    }
}
