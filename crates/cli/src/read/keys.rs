//! Keys of groups, and rows of a key and a number.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::fmt;

use samebits::io::{Chunk, Dtype};
use samebits::{Error, Result};

/// What a group is called. Keys sort as they are declared here, integers by value and text by bytes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Key {
    /// A blank cell or a NULL.
    Blank,
    /// An integer of a typed column.
    Integer(i128),
    /// Text as it stands in the file; `01` and `1` are two keys.
    Text(Box<[u8]>),
}

/// The keys met so far, each with a number: they are counted from 0 as they appear.
#[derive(Debug, Default)]
pub struct Keys {
    texts: HashMap<Box<[u8]>, u32>,
    integers: HashMap<i128, u32>,
    blank: Option<u32>,
    count: u32,
}

impl Keys {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.count as usize
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The number of the key of blank cells, if there were any.
    pub fn blank(&self) -> Option<u32> {
        self.blank
    }

    pub(super) fn of_text(&mut self, text: &[u8]) -> Result<u32> {
        if let Some(&number) = self.texts.get(text) {
            return Ok(number);
        }
        let number = next(&mut self.count)?;
        self.texts.insert(text.into(), number);
        Ok(number)
    }

    pub(super) fn of_integer(&mut self, value: i128) -> Result<u32> {
        if let Some(&number) = self.integers.get(&value) {
            return Ok(number);
        }
        let number = next(&mut self.count)?;
        self.integers.insert(value, number);
        Ok(number)
    }

    pub(super) fn of_blank(&mut self) -> Result<u32> {
        if let Some(number) = self.blank {
            return Ok(number);
        }
        let number = next(&mut self.count)?;
        self.blank = Some(number);
        Ok(number)
    }

    /// All keys with their numbers: the blank one first, then integers by value, or text. Text that is nothing but
    /// integers sorts by their values too, of any length; keys of the same value, and all other text, sort by bytes.
    pub fn sorted(self) -> Vec<(Key, u32)> {
        let mut texts: Vec<(Box<[u8]>, u32)> = self.texts.into_iter().collect();
        if texts.iter().all(|(text, _)| integer(text).is_some()) {
            texts.sort_unstable_by(|(a, _), (b, _)| by_value(a, b).then_with(|| a.cmp(b)));
        } else {
            texts.sort_unstable();
        }
        let mut integers: Vec<(i128, u32)> = self.integers.into_iter().collect();
        integers.sort_unstable();
        let blank = self.blank.map(|number| (Key::Blank, number)).into_iter();
        let integers = integers.into_iter().map(|(value, number)| (Key::Integer(value), number));
        blank.chain(integers).chain(texts.into_iter().map(|(text, number)| (Key::Text(text), number))).collect()
    }
}

fn next(count: &mut u32) -> Result<u32> {
    let number = *count;
    *count = number.checked_add(1).ok_or(Error::OutOfMemory { what: "more than 2^32 groups", bytes: usize::MAX })?;
    Ok(number)
}

/// Sign and digits without leading zeros, if the text is an integer.
fn integer(text: &[u8]) -> Option<(bool, &[u8])> {
    let (negative, digits) = match text {
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] => (false, digits),
        digits => (false, digits),
    };
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let zeros = digits.iter().take_while(|&&digit| digit == b'0').count();
    let digits = &digits[zeros..];
    Some((negative && !digits.is_empty(), digits))
}

fn by_value(a: &[u8], b: &[u8]) -> Ordering {
    let (Some((minus_a, a)), Some((minus_b, b))) = (integer(a), integer(b)) else { return Ordering::Equal };
    let size = a.len().cmp(&b.len()).then_with(|| a.cmp(b));
    match (minus_a, minus_b) {
        (false, false) => size,
        (true, true) => size.reverse(),
        (true, false) => Ordering::Less,
        (false, true) => Ordering::Greater,
    }
}

/// A part of the rows of a file; a reusable buffer.
#[derive(Debug, Default)]
pub struct Rows {
    /// The numbers.
    pub values: Chunk,
    /// For each number the number of its key.
    pub keys: Vec<u32>,
    /// For each row without a number the number of its key.
    pub blanks: Vec<u32>,
}

impl Rows {
    /// Empties it and keeps the memory.
    pub fn clear(&mut self) {
        self.values.clear();
        self.keys.clear();
        self.blanks.clear();
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.keys.len() + self.blanks.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A source of rows, read in order.
pub trait Keyed: fmt::Debug + Send {
    /// The next part of the rows. `false` at the end, where there is none.
    ///
    /// # Errors
    /// What is wrong with the file from here on. After an error the source is of no further use.
    fn next(&mut self, out: &mut Rows) -> Result<bool>;

    /// The type of the result.
    fn dtype(&self) -> Dtype;

    /// Bytes of the file read so far.
    fn position(&self) -> u64;

    /// The keys met so far.
    fn keys(&self) -> &Keys;

    /// All keys, at the end.
    fn into_keys(self: Box<Self>) -> Keys;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(texts: &[&str]) -> Vec<String> {
        let mut keys = Keys::default();
        for text in texts {
            keys.of_text(text.as_bytes()).unwrap();
        }
        let text = |key: &Key| match key {
            Key::Text(text) => String::from_utf8(text.to_vec()).unwrap(),
            other => format!("{other:?}"),
        };
        keys.sorted().iter().map(|(key, _)| text(key)).collect()
    }

    #[test]
    fn integers_sort_by_value_and_all_else_by_bytes() {
        let long = "100000000000000000000000000000000000000000";
        assert_eq!(
            sorted(&["10", "9", "-2", long, "007", "-10", "+3", "7"]),
            ["-10", "-2", "+3", "007", "7", "9", "10", long]
        );
        assert_eq!(sorted(&["0", "-0", "+0", "1"]), ["+0", "-0", "0", "1"]);
        assert_eq!(sorted(&["10", "9", "x", ""]), ["", "10", "9", "x"]);
        assert_eq!(sorted(&["b", "B", "ä", "a b"]), ["B", "a b", "b", "ä"]);
        assert_eq!(sorted(&["1", "1.5", "-1"]), ["-1", "1", "1.5"]);
    }

    #[test]
    fn a_key_keeps_its_number() {
        let mut keys = Keys::default();
        let numbers = ["a", "b", "a"].map(|text| keys.of_text(text.as_bytes()).unwrap());
        assert_eq!((numbers, keys.of_blank().unwrap(), keys.of_blank().unwrap()), ([0, 1, 0], 2, 2));
        assert_eq!((keys.of_integer(-5).unwrap(), keys.len(), keys.blank()), (3, 4, Some(2)));
        let blank = (Key::Blank, 2);
        let integer = (Key::Integer(-5), 3);
        assert_eq!(keys.sorted(), [blank, integer, (Key::Text((*b"a").into()), 0), (Key::Text((*b"b").into()), 1)]);
    }
}
