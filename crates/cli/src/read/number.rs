//! The numbers of text: decimals, rounded once and directly to the type of the result.

use samebits::io::Dtype;

/// What a cell holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Cell {
    /// Nothing.
    Blank,
    /// A number of the type f64.
    Double(f64),
    /// A number of the type f32.
    Single(f32),
    /// An integer that the type cannot be trusted to hold.
    Integer(i128),
}

/// Reads a cell; `None` if it is neither blank nor a number.
///
/// Numbers are what Rust's own parser takes (correctly rounded, `inf`, `nan` in any case, a leading `+`, `.5`, `5.`),
/// and Fortran's exponents `1.5D+3`. Blanks around them are free.
pub(super) fn parse(cell: &[u8], dtype: Dtype) -> Option<Cell> {
    let cell = cell.trim_ascii();
    if cell.is_empty() {
        return Some(Cell::Blank);
    }
    if let Some(value) = integer(cell) {
        return Some(match dtype {
            _ if !dtype.holds(value) => Cell::Integer(value),
            Dtype::F64 => Cell::Double(value as f64),
            Dtype::F32 => Cell::Single(value as f32),
        });
    }
    decimal(cell, dtype).or_else(|| {
        let at = cell.iter().position(|b| matches!(b, b'd' | b'D'))?;
        let mut cell = cell.to_vec();
        cell[at] = b'e';
        decimal(&cell, dtype)
    })
}

fn decimal(cell: &[u8], dtype: Dtype) -> Option<Cell> {
    let cell = std::str::from_utf8(cell).ok()?;
    match dtype {
        Dtype::F64 => cell.parse().ok().map(Cell::Double),
        Dtype::F32 => cell.parse().ok().map(Cell::Single),
    }
}

/// A plain integer literal that fits 64 bits, signed or unsigned. Longer ones are decimals; so is `-0`, whose sign
/// an integer would lose.
pub(super) fn integer(cell: &[u8]) -> Option<i128> {
    let (negative, digits) = match cell {
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] => (false, digits),
        digits => (false, digits),
    };
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let zeros = digits.iter().take_while(|&&b| b == b'0').count();
    let digits = &digits[zeros..];
    if digits.len() > 20 || negative && digits.is_empty() {
        return None;
    }
    let value = digits.iter().fold(0i128, |n, &b| n * 10 + i128::from(b - b'0'));
    let value = if negative { -value } else { value };
    (i128::from(i64::MIN)..=i128::from(u64::MAX)).contains(&value).then_some(value)
}
