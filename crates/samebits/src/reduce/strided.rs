//! Every so manieth element of a slice: columns, channels, diagonals, reversed slices.

use super::total::{Total, in_parts};
use crate::{Element, Error, Queue, Result, Sum};
use samebits_device::Backend;
use std::ops::Range;

/// Elements that are gathered before a kernel gets them.
const BLOCK: usize = 2048;

/// `len` elements of a slice, `stride` apart, from `offset` on. The stride may be negative or zero.
///
/// ```
/// use samebits::{Queue, Strided, Sum};
/// let matrix = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]; // two rows of three
/// let column = Strided::new(&matrix, 1, 3, 2)?;
/// assert_eq!(Sum::new().run_strided(&Queue::cpu()?, column)?, 7.0);
/// assert!(Strided::new(&matrix, 1, 3, 3).is_err());
/// # Ok::<(), samebits::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Strided<'a, T> {
    data: &'a [T],
    offset: usize,
    stride: isize,
    len: usize,
}

impl<'a, T> Strided<'a, T> {
    /// The elements `data[offset + i * stride]` for `i` in `0..len`. An error if one of them is outside of `data`.
    pub fn new(data: &'a [T], offset: usize, stride: isize, len: usize) -> Result<Self> {
        let last = len.checked_sub(1).map(|n| offset as i128 + n as i128 * stride as i128);
        let inside = |at: i128| (0..data.len() as i128).contains(&at);
        if let Some(last) = last.filter(|&last| !inside(last) || !inside(offset as i128)) {
            let n = data.len();
            let why = format!("{len} elements from {offset} to {last}, and the slice has {n}");
            return Err(Error::Argument { what: "strided view", why });
        }
        Ok(Strided { data, offset, stride, len })
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Is there none?
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The elements of `range` as a slice, if they lie side by side (in either direction).
    pub(crate) fn as_slice(&self, range: Range<usize>) -> Option<&'a [T]> {
        if range.is_empty() {
            return Some(&[]);
        }
        match self.stride {
            1 => Some(&self.data[self.offset + range.start..self.offset + range.end]),
            -1 => Some(&self.data[self.offset + 1 - range.end..self.offset + 1 - range.start]),
            _ => None,
        }
    }

    /// Element `i`, which must be below `len`.
    #[inline]
    pub(crate) fn get(&self, i: usize) -> &'a T {
        &self.data[self.offset.wrapping_add_signed((i as isize).wrapping_mul(self.stride))]
    }
}

/// Adds a range of a view.
pub(crate) fn add_strided<T: Element>(
    backend: &dyn Backend,
    total: &mut Total<T>,
    view: Strided<'_, T>,
    range: Range<usize>,
) -> Result<()> {
    if let Some(slice) = view.as_slice(range.clone()) {
        return total.add(backend, slice);
    }
    let mut gathered = [T::default(); BLOCK];
    for start in range.clone().step_by(BLOCK) {
        let n = BLOCK.min(range.end - start);
        for (i, slot) in gathered[..n].iter_mut().enumerate() {
            *slot = *view.get(start + i);
        }
        total.add(backend, &gathered[..n])?;
    }
    Ok(())
}

impl Sum {
    /// The sum of a strided view: the bits of the same values in a slice of their own. One pass, a block on the stack.
    pub fn run_strided<T: Element>(&self, queue: &Queue, view: Strided<'_, T>) -> Result<T> {
        let backend = &*self.backend(queue)?;
        let empty = self.empty()?;
        let mut total = empty;
        self.add_view(backend, &mut total, empty, view)?;
        Ok(total.value())
    }

    pub(super) fn add_view<T: Element>(
        &self,
        backend: &dyn Backend,
        total: &mut Total<T>,
        empty: Total<T>,
        view: Strided<'_, T>,
    ) -> Result<()> {
        match view.as_slice(0..view.len) {
            Some(slice) => total.add(backend, slice),
            None => in_parts(backend, total, empty, view.len, &|range, total| add_strided(backend, total, view, range)),
        }
    }
}
