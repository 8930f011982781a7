//! Sums that other systems got wrong.

use crate::field::{Vector, lines};
use crate::{Bits, Dtype};

/// A sum that another system got wrong, and its right bits.
#[derive(Clone, Debug)]
pub struct Fault {
    /// A unique name.
    pub name: String,
    /// The element type; bits below are of this type.
    pub dtype: Dtype,
    /// Number of elements.
    pub n: usize,
    /// The exact sum, rounded once.
    pub exact_bits: u64,
    /// The binned sum with three folds.
    pub binned_bits: Option<u64>,
    /// Lengths of the parts that are to be summed apart and merged in any order; one part if the fault was none of merging.
    pub parts: Vec<usize>,
    /// What went wrong there.
    pub what: String,
    /// The hash of the input.
    pub input_fnv1a64: Option<u64>,
    x: Vector,
}

impl Fault {
    /// The input as `T`, which must be the case's type.
    pub fn inputs<T: Bits>(&self) -> Vec<T> {
        self.x.values(&self.name, self.dtype)
    }

    /// The input of an f64 case.
    pub fn inputs_f64(&self) -> Vec<f64> {
        self.inputs()
    }

    /// The input of an f32 case.
    pub fn inputs_f32(&self) -> Vec<f32> {
        self.inputs()
    }
}

/// Every fault that concerns sums. Some are long: up to 17 million elements.
pub fn faults() -> Vec<Fault> {
    lines("sum/faults.jsonl", include_str!("../data/sum/faults.jsonl"))
        .iter()
        .map(|line| {
            let n = line.count("n");
            let parts = line.get("parts").and_then(|list| list.as_array());
            Fault {
                name: line.text("name"),
                dtype: line.dtype(),
                n,
                exact_bits: line.bits("exact_bits_hex"),
                binned_bits: line.optional_bits("binned_bits_hex"),
                parts: match parts {
                    None => vec![n],
                    Some(list) => list.iter().map(|part| part.as_u64().expect("a length") as usize).collect(),
                },
                what: line.text("what"),
                input_fnv1a64: line.optional_bits("input_fnv1a64"),
                x: line.vector(),
            }
        })
        .collect()
}
