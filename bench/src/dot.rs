//! The suite `dot`: sums of products.

use crate::cases::DATA;
use crate::engines::Setup;
use crate::number::Number;
use crate::report::Report;
use crate::suites::{About, Field, Plan, Suite, python, same};
use samebits::{Device, Dot, Queue};
use std::hint::black_box;

/// The suite.
pub(crate) const SUITE: Suite = Suite {
    name: "dot",
    sizes: &[1_000, 10_000, 1_000_000, 50_000_000],
    quick_sizes: &[1_000, 10_000],
    engines: &[
        About { name: "plain", about: "eight independent vectors, fused where the instruction set is, any order" },
        About { name: "k2", about: "samebits, 2 folds" },
        About { name: "k3", about: "samebits, 3 folds" },
        About { name: "k4", about: "samebits, 4 folds" },
        About { name: "exact", about: "samebits, exact products and an exact sum" },
        About { name: "numpy.dot", about: "NumPy and its BLAS" },
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
        // Another size draws other numbers.
        let (x, y) = (DATA[0].make::<T>(n), DATA[0].make::<T>(n + 1));
        let (x, y) = (x.as_slice(), &y.as_slice()[..n]);
        let modes = modes()?;
        let mut expected = Vec::new();
        for (_, dot) in &modes {
            expected.push(dot.run(&reference, x, y).map_err(|e| e.to_string())?.bits());
        }
        for setup in &setups {
            let arrays = [bytemuck::cast_slice(x), bytemuck::cast_slice(y)];
            let python = python::<T>(plan, "dot", setup.queue.threads(), &arrays, report);
            let mut field = Field::new(plan);
            let plain = setup.plain;
            match &setup.pool {
                Some(pool) => {
                    field.peer("plain", move || Ok(plain.shared_dot(pool, black_box(x), black_box(y)).bits()));
                }
                None => field.peer("plain", move || Ok(plain.dot(black_box(x), black_box(y)).bits())),
            }
            for ((name, dot), expected) in modes.iter().zip(&expected) {
                let run = move || dot.run(&setup.queue, black_box(x), black_box(y)).map_err(|e| e.to_string());
                field.ours(name, move || Ok(run()?.bits()), move || same(run()?.bits(), *expected));
            }
            field.remote(python.as_ref(), setup.queue.threads());
            wrong += field.hold(("uniform".to_owned(), n, 2 * size_of_val(x)), setup, report);
        }
    }
    Ok(wrong)
}

/// Engines of ours, and what they run.
fn modes() -> Result<Vec<(&'static str, Dot)>, String> {
    let folds = |folds| Dot::new().folds(folds).map_err(|e| e.to_string());
    Ok(vec![("k2", folds(2)?), ("k3", folds(3)?), ("k4", folds(4)?), ("exact", Dot::exact())])
}
