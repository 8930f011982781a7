//! Fields of a line of the data files; what is missing or malformed is a panic that names the line.

use crate::Dtype;
use crate::generator::Generator;
use serde_json::Value;

/// One line of a data file.
pub(crate) struct Line {
    value: Value,
    name: String,
}

/// The non-empty lines of a data file.
pub(crate) fn lines(file: &str, text: &str) -> Vec<Line> {
    text.lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(at, line)| {
            let value = serde_json::from_str(line).unwrap_or_else(|e| panic!("{file}:{}: not JSON: {e}", at + 1));
            let mut line = Line { value, name: format!("{file}:{}", at + 1) };
            line.name = line.text("name");
            line
        })
        .collect()
}

impl Line {
    pub(crate) fn get(&self, key: &str) -> Option<&Value> {
        self.value.get(key)
    }

    pub(crate) fn text(&self, key: &str) -> String {
        match self.get(key).and_then(Value::as_str) {
            Some(text) => text.to_owned(),
            None => panic!("{}: no text {key:?}", self.name),
        }
    }

    pub(crate) fn count(&self, key: &str) -> usize {
        match self.get(key).and_then(Value::as_u64) {
            Some(count) => count as usize,
            None => panic!("{}: no count {key:?}", self.name),
        }
    }

    pub(crate) fn bits(&self, key: &str) -> u64 {
        self.optional_bits(key).unwrap_or_else(|| panic!("{}: no bits {key:?}", self.name))
    }

    pub(crate) fn optional_bits(&self, key: &str) -> Option<u64> {
        self.get(key).map(hex)
    }

    pub(crate) fn bits_list(&self, key: &str) -> Option<Vec<u64>> {
        self.get(key).map(|list| array(list).iter().map(hex).collect())
    }

    pub(crate) fn dtype(&self) -> Dtype {
        match self.text("dtype").as_str() {
            "f32" => Dtype::F32,
            "f64" => Dtype::F64,
            other => panic!("{}: unknown dtype {other:?}", self.name),
        }
    }

    /// A vector: given in full as `values_hex` or made by `generator`, both with `suffix`.
    pub(crate) fn optional_vector(&self, suffix: &str) -> Option<Vector> {
        let n = self.count("n");
        if let Some(values) = self.bits_list(&format!("values_hex{suffix}")) {
            assert_eq!(values.len(), n, "{}: n and the number of values differ", self.name);
            return Some(Vector::Listed(values));
        }
        self.get(&format!("generator{suffix}")).map(|g| Vector::Made { n, generator: Generator::read(&self.name, g) })
    }

    pub(crate) fn vector(&self) -> Vector {
        self.optional_vector("").unwrap_or_else(|| panic!("{}: neither values_hex nor generator", self.name))
    }
}

/// An input vector.
#[derive(Clone, Debug)]
pub(crate) enum Vector {
    /// Bit patterns.
    Listed(Vec<u64>),
    /// To be generated.
    Made { n: usize, generator: Generator },
}

impl Vector {
    pub(crate) fn values<T: crate::Bits>(&self, name: &str, dtype: Dtype) -> Vec<T> {
        assert!(dtype == T::DTYPE, "{name}: the case is {dtype:?}, and its inputs were asked for as {:?}", T::DTYPE);
        match self {
            Vector::Listed(patterns) => patterns.iter().map(|p| T::from_pattern(*p)).collect(),
            Vector::Made { n, generator } => generator.run(name, *n),
        }
    }
}

pub(crate) fn array(value: &Value) -> &[Value] {
    value.as_array().unwrap_or_else(|| panic!("not a list: {value}"))
}

/// Hex digits of a bit pattern or a hash.
pub(crate) fn hex(value: &Value) -> u64 {
    let digits = value.as_str().unwrap_or_else(|| panic!("not a text of hex digits: {value}"));
    u64::from_str_radix(digits, 16).unwrap_or_else(|e| panic!("not hex digits: {digits:?}: {e}"))
}
