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
    /// An integer beyond what exact mode can count.
    Endless,
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
    if let Some(cell) = integer(cell, dtype) {
        return Some(cell);
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

/// A plain integer literal, of any length. `-0` is a decimal, whose sign an integer would lose.
fn integer(cell: &[u8], dtype: Dtype) -> Option<Cell> {
    let (sign, digits) = match cell {
        [b'-', digits @ ..] => (-1, digits),
        [b'+', digits @ ..] => (1, digits),
        digits => (1, digits),
    };
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    // The sign goes into every step, for the least i128 has no positive counterpart.
    let step = |n: i128, &digit: &u8| n.checked_mul(10)?.checked_add(sign * i128::from(digit - b'0'));
    match digits.iter().try_fold(0, step) {
        None => Some(Cell::Endless),
        Some(0) if sign < 0 => None,
        Some(value) if !dtype.holds(value) => Some(Cell::Integer(value)),
        Some(value) => Some(match dtype {
            Dtype::F64 => Cell::Double(value as f64),
            Dtype::F32 => Cell::Single(value as f32),
        }),
    }
}

/// Whether text that is no number begins like one: with a digit, behind signs, points or currency signs.
pub(super) fn is_malformed(cell: &str) -> bool {
    let rest = cell.trim_start_matches(['+', '-', '.', '$', '€', '£']);
    rest.starts_with(|c: char| c.is_ascii_digit())
}
