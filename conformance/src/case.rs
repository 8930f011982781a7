//! Cases with expected bits from an independent implementation.

use crate::field::{Line, Vector, hex, lines};
use crate::{Bits, Dtype, Op};

/// Inputs and the bits that must come out.
#[derive(Clone, Debug)]
pub struct Case {
    /// A unique name.
    pub name: String,
    /// The operation.
    pub op: Op,
    /// The element type; bits below are of this type.
    pub dtype: Dtype,
    /// Folds of the binned result.
    pub fold: usize,
    /// Number of elements.
    pub n: usize,
    /// The binned result with [`fold`](Case::fold) folds; of a running sum, its last element (+0 if there is none).
    pub expected_bits: u64,
    /// The mathematically exact result, rounded once.
    pub exact_bits: Option<u64>,
    /// For dots: the exact sum of the products, each rounded first. That is the value which the binned dot approximates.
    pub exact_rounded_products_bits: Option<u64>,
    /// For running sums: what is known of all elements.
    pub prefixes: Option<Prefixes>,
    /// The hash of the (first) input vector.
    pub input_fnv1a64: Option<u64>,
    x: Vector,
    y: Option<Vector>,
}

/// The elements of a running sum.
#[derive(Clone, Debug)]
pub struct Prefixes {
    /// Places and the binned bits there: all places of a short case.
    pub bits: Vec<(usize, u64)>,
    /// The hash of all binned elements.
    pub fnv1a64: u64,
    /// Every exact element, rounded once: short cases only.
    pub exact_bits: Option<Vec<u64>>,
    /// The hash of all exact elements, each rounded once.
    pub exact_fnv1a64: u64,
}

impl Case {
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

    /// The second vector of a dot as `T`, which must be the case's type.
    pub fn inputs_y<T: Bits>(&self) -> Vec<T> {
        match &self.y {
            Some(y) => y.values(&self.name, self.dtype),
            None => panic!("{}: this case has one input vector", self.name),
        }
    }

    /// The expected value.
    pub fn expected<T: Bits>(&self) -> T {
        T::from_pattern(self.expected_bits)
    }

    fn read(op: Op, line: &Line) -> Self {
        let prefixes = (op == Op::Cumsum).then(|| Prefixes::read(line));
        let expected_bits = match (op, &prefixes) {
            (Op::Sum, _) => line.bits("sum_bits_hex"),
            (Op::Asum, _) => line.bits("asum_bits_hex"),
            (Op::Dot, _) => line.bits("dot_bits_hex"),
            (Op::Norm2, _) => line.bits("nrm2_bits_hex"),
            (Op::Cumsum, prefixes) => prefixes.as_ref().and_then(|p| p.bits.last()).map_or(0, |last| last.1),
        };
        let exact_bits = line.optional_bits("exact_bits_hex");
        let exact_last = || prefixes.as_ref().and_then(|p| p.exact_bits.as_ref()).and_then(|bits| bits.last().copied());
        Case {
            name: line.text("name"),
            op,
            dtype: line.dtype(),
            fold: line.count("fold"),
            n: line.count("n"),
            expected_bits,
            exact_bits: exact_bits.or_else(exact_last),
            exact_rounded_products_bits: line.optional_bits("exact_rounded_products_bits_hex"),
            prefixes,
            input_fnv1a64: line.optional_bits("input_fnv1a64"),
            x: line.vector(),
            y: line.optional_vector("_y"),
        }
    }
}

impl Prefixes {
    fn read(line: &Line) -> Self {
        let all = line.bits_list("prefix_bits_hex").map(|bits| bits.into_iter().enumerate().collect::<Vec<_>>());
        let mut bits = all.unwrap_or_else(|| match line.get("checkpoints").and_then(|c| c.as_object()) {
            Some(places) => places.iter().map(|(at, bits)| (place(at), hex(bits))).collect(),
            None => panic!("{}: neither prefixes nor checkpoints", line.text("name")),
        });
        bits.sort_unstable();
        Prefixes {
            bits,
            fnv1a64: line.bits("prefix_fnv1a64"),
            exact_bits: line.bits_list("exact_prefix_bits_hex"),
            exact_fnv1a64: line.bits("exact_prefix_fnv1a64"),
        }
    }
}

fn place(text: &str) -> usize {
    text.parse().unwrap_or_else(|_| panic!("not a place: {text:?}"))
}

/// Every case of an operation.
pub fn cases(op: Op) -> Vec<Case> {
    let (file, text) = match op {
        Op::Sum => ("sum/sum.jsonl", include_str!("../data/sum/sum.jsonl")),
        Op::Asum => ("sum/asum.jsonl", include_str!("../data/sum/asum.jsonl")),
        Op::Cumsum => ("cumsum/cumsum.jsonl", include_str!("../data/cumsum/cumsum.jsonl")),
        Op::Dot => ("dot/dot.jsonl", include_str!("../data/dot/dot.jsonl")),
        Op::Norm2 => (
            "norm2/norm2.jsonl and folds.jsonl",
            concat!(include_str!("../data/norm2/norm2.jsonl"), include_str!("../data/norm2/folds.jsonl")),
        ),
    };
    lines(file, text).iter().map(|line| Case::read(op, line)).collect()
}

/// Dots that other systems got wrong.
pub fn dot_faults() -> Vec<Case> {
    let text = include_str!("../data/dot/faults.jsonl");
    lines("dot/faults.jsonl", text).iter().map(|line| Case::read(Op::Dot, line)).collect()
}

/// 2-norms that other systems got wrong.
pub fn norm_faults() -> Vec<Case> {
    let text = include_str!("../data/norm2/faults.jsonl");
    lines("norm2/faults.jsonl", text).iter().map(|line| Case::read(Op::Norm2, line)).collect()
}
