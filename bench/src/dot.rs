//! The suite `dot`: sums of products.

use crate::cases::DATA;
use crate::engines::Setup;
use crate::number::Number;
use crate::report::Report;
use crate::suites::{About, Field, Plan, Suite, python};
use std::hint::black_box;

/// The suite.
pub(crate) const SUITE: Suite = Suite {
    name: "dot",
    sizes: &[1_000, 10_000, 1_000_000, 50_000_000],
    quick_sizes: &[1_000, 10_000],
    engines: &[
        About { name: "plain", about: "eight independent vectors, fused where the instruction set is, any order" },
        About { name: "numpy.dot", about: "NumPy and its BLAS" },
    ],
    doubles: of_type::<f64>,
    singles: of_type::<f32>,
};

fn of_type<T: Number>(plan: &Plan, report: &mut Report) -> Result<usize, String> {
    let setups: Result<Vec<Setup<T>>, String> = plan.threads.iter().map(|&n| Setup::new(&plan.isa, n)).collect();
    let setups = setups?;
    let mut wrong = 0;
    for &n in &plan.sizes {
        // Another size draws other numbers.
        let (x, y) = (DATA[0].make::<T>(n), DATA[0].make::<T>(n + 1));
        let (x, y) = (x.as_slice(), &y.as_slice()[..n]);
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
            field.remote(python.as_ref());
            wrong += field.hold(("uniform".to_owned(), n, 2 * size_of_val(x)), setup, report);
        }
    }
    Ok(wrong)
}
