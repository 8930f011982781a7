//! Arrays of several dimensions and their sums along an axis.

use super::strided::add_strided;
use super::total::{Total, part, parts_of, share};
use crate::{Element, Error, Queue, Result, Strided, Sum};
use samebits_device::Backend;
use std::sync::{Mutex, PoisonError};

/// Elements of each result that are gathered together.
const ROWS: usize = 512;
/// Lanes side by side that are summed in one call.
const SLICES: usize = 256;
/// Bytes of a row that are gathered together: a cache line.
const ROW_BYTES: usize = 64;

/// An array of several dimensions over a slice: a shape, a stride for each dimension (in elements, of any sign), and
/// the place of element `[0, 0, ..]`.
///
/// ```
/// use samebits::NdView;
/// let matrix = NdView::row_major(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], &[2, 3])?;
/// let mut sums = [0.0; 3];
/// samebits::sum_axis(&matrix, 0, &mut sums)?;
/// assert_eq!(sums, [5.0, 7.0, 9.0]);
/// # Ok::<(), samebits::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct NdView<'a, T> {
    data: &'a [T],
    offset: usize,
    shape: Vec<usize>,
    strides: Vec<isize>,
}

impl<'a, T> NdView<'a, T> {
    /// Any strides. An error if an element is outside of `data`.
    pub fn new(data: &'a [T], offset: usize, shape: &[usize], strides: &[isize]) -> Result<Self> {
        let wrong = |why| Err(Error::Argument { what: "array view", why });
        if shape.len() != strides.len() {
            return wrong(format!("{} strides for {} dimensions", strides.len(), shape.len()));
        }
        // The lowest and the highest place.
        let (mut low, mut high) = (offset as i128, offset as i128);
        for (&n, &stride) in shape.iter().zip(strides) {
            // Both factors are below 2^64: a few dimensions cannot overflow, absurd ones saturate.
            let reach = (n as i128 - 1).max(0).saturating_mul(stride as i128);
            low = low.saturating_add(reach.min(0));
            high = high.saturating_add(reach.max(0));
        }
        if !shape.contains(&0) && (low < 0 || high >= data.len() as i128) {
            return wrong(format!("its elements lie from {low} to {high}, and the slice has {}", data.len()));
        }
        Ok(NdView { data, offset, shape: shape.to_vec(), strides: strides.to_vec() })
    }

    /// The last index moves fastest (C order). The slice must have as many elements as the shape.
    pub fn row_major(data: &'a [T], shape: &[usize]) -> Result<Self> {
        Self::dense(data, shape, true)
    }

    /// The first index moves fastest (Fortran order). The slice must have as many elements as the shape.
    pub fn column_major(data: &'a [T], shape: &[usize]) -> Result<Self> {
        Self::dense(data, shape, false)
    }

    fn dense(data: &'a [T], shape: &[usize], last_fastest: bool) -> Result<Self> {
        if volume(shape) != Some(data.len()) {
            let why = format!("shape {shape:?} over a slice of {} elements", data.len());
            return Err(Error::Argument { what: "array view", why });
        }
        let mut strides = vec![0; shape.len()];
        let mut next = 1isize;
        for i in 0..shape.len() {
            let dim = if last_fastest { shape.len() - 1 - i } else { i };
            strides[dim] = next;
            // It can only overflow where a dimension is 0, and then no element is ever asked for.
            next = next.wrapping_mul(shape[dim] as isize);
        }
        Self::new(data, 0, shape, &strides)
    }

    /// The lengths of the dimensions.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Place of the first element of lane `i` along `axis`; lanes are counted in row-major order of the other dimensions.
    fn lane(&self, axis: usize, mut i: usize) -> usize {
        let mut place = self.offset;
        for dim in (0..self.shape.len()).rev().filter(|&dim| dim != axis) {
            let n = self.shape[dim];
            place = place.wrapping_add_signed((i % n) as isize * self.strides[dim]);
            i /= n;
        }
        place
    }
}

/// The number of elements of a shape.
fn volume(shape: &[usize]) -> Option<usize> {
    // A zero anywhere makes it zero, whatever the others are.
    if shape.contains(&0) { Some(0) } else { shape.iter().try_fold(1usize, |a, &n| a.checked_mul(n)) }
}

/// Sums along `axis`, three folds, on all cores: `out` has one sum for each element of the array without that axis, in
/// row-major order. Each has the bits of [`sum()`](crate::sum()) over the same values, whatever the strides.
///
/// One pass that reads cache lines whole where the results lie side by side; some 32 KiB a thread. A wrong axis or
/// length of `out` is an error. An axis of length 0 gives +0. Reproducibility level: full.
///
/// ```
/// # use samebits::NdView;
/// let data = [1.0f32, 2.0, 3.0, 4.0];
/// let (mut a, mut b) = ([0.0; 2], [0.0; 2]);
/// samebits::sum_axis(&NdView::row_major(&data, &[2, 2])?, 1, &mut a)?;
/// samebits::sum_axis(&NdView::column_major(&data, &[2, 2])?, 0, &mut b)?;
/// assert_eq!((a, b), ([3.0, 7.0], [3.0, 7.0]));
/// # Ok::<(), samebits::Error>(())
/// ```
pub fn sum_axis<T: Element>(view: &NdView<'_, T>, axis: usize, out: &mut [T]) -> Result<()> {
    Sum::new().run_axis(Queue::shared()?, view, axis, out)
}

impl Sum {
    /// Sums along `axis`, see [`sum_axis`].
    pub fn run_axis<T: Element>(&self, queue: &Queue, view: &NdView<'_, T>, axis: usize, out: &mut [T]) -> Result<()> {
        let Some(&along) = view.shape.get(axis) else {
            let why = format!("{axis} of an array with {} dimensions", view.shape.len());
            return Err(Error::Argument { what: "axis", why });
        };
        let mut others = view.shape.clone();
        others.remove(axis);
        if volume(&others) != Some(out.len()) {
            let why = format!("it has {} elements, and the other dimensions are {others:?}", out.len());
            return Err(Error::Argument { what: "output", why });
        }
        let backend = &*self.backend(queue)?;
        let empty = self.empty::<T>()?;
        empty.reserve(along as u64)?;
        if along == 0 {
            out.fill(empty.value());
            return Ok(());
        }
        let lanes = Lanes { view, axis, along, stride: view.strides[axis] };
        let parts = parts_of(backend, view.data.len().min(along.saturating_mul(out.len())) * size_of::<T>());
        if out.len() < 2 * parts {
            // Few long lanes: each is shared out by itself.
            for (i, slot) in out.iter_mut().enumerate() {
                let mut total = empty;
                self.add_view(backend, &mut total, empty, lanes.get(i)?)?;
                *slot = total.value();
            }
            return Ok(());
        }
        if parts == 1 {
            return lanes.sums(backend, empty, 0, out);
        }
        let size = part(out.len(), parts, 0).len();
        let pieces: Vec<_> = out.chunks_mut(size).map(|piece| Mutex::new((piece, Ok(())))).collect();
        backend.spread(pieces.len(), &|i| {
            let mut piece = pieces[i].lock().unwrap_or_else(PoisonError::into_inner);
            piece.1 = lanes.sums(backend, empty, i * size, piece.0);
        });
        pieces.into_iter().try_for_each(|piece| piece.into_inner().unwrap_or_else(PoisonError::into_inner).1)
    }

    /// The sum of all elements of an array: the bits of [`sum()`](crate::sum()) over the same values.
    ///
    /// ```
    /// # use samebits::{NdView, Queue, Sum};
    /// let corner = NdView::new(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 1, &[2, 2], &[3, 1])?;
    /// assert_eq!(Sum::new().run_nd(&Queue::cpu()?, &corner)?, 16.0);
    /// # Ok::<(), samebits::Error>(())
    /// ```
    pub fn run_nd<T: Element>(&self, queue: &Queue, view: &NdView<'_, T>) -> Result<T> {
        let backend = &*self.backend(queue)?;
        let empty = self.empty::<T>()?;
        let mut total = empty;
        let count = volume(&view.shape).unwrap_or(usize::MAX);
        total.reserve(count as u64)?;
        if count == 0 {
            return Ok(total.value());
        }
        // Along the axis with the smallest steps; of equal ones the longest.
        let step = |&axis: &usize| (view.strides[axis].unsigned_abs(), std::cmp::Reverse(view.shape[axis]));
        let axis = (0..view.shape.len()).filter(|&axis| view.shape[axis] > 1).min_by_key(step);
        let Some(axis) = axis else {
            total.add(backend, &view.data[view.offset..=view.offset])?;
            return Ok(total.value());
        };
        let along = view.shape[axis];
        let lanes = Lanes { view, axis, along, stride: view.strides[axis] };
        let parts = parts_of(backend, count.saturating_mul(size_of::<T>()));
        let n = count / along;
        if n < 2 * parts {
            for i in 0..n {
                self.add_view(backend, &mut total, empty, lanes.get(i)?)?;
            }
            return Ok(total.value());
        }
        share(backend, &mut total, empty, (n, parts), &|range, total| {
            range.into_iter().try_for_each(|i| add_strided(backend, total, lanes.get(i)?, 0..along))
        })?;
        Ok(total.value())
    }
}

/// The lanes of a view along an axis.
struct Lanes<'v, 'a, T> {
    view: &'v NdView<'a, T>,
    axis: usize,
    along: usize,
    stride: isize,
}

impl<'a, T: Element> Lanes<'_, 'a, T> {
    fn get(&self, i: usize) -> Result<Strided<'a, T>> {
        Strided::new(self.view.data, self.view.lane(self.axis, i), self.stride, self.along)
    }

    /// The sums of the lanes from `first` on.
    fn sums(&self, backend: &dyn Backend, empty: Total<T>, first: usize, out: &mut [T]) -> Result<()> {
        let width = ROW_BYTES / size_of::<T>();
        if self.stride == 1 {
            return self.slices(backend, empty, first, out);
        }
        if self.stride == -1 || out.len() == 1 {
            for (i, slot) in out.iter_mut().enumerate() {
                let mut total = empty;
                add_strided(backend, &mut total, self.get(first + i)?, 0..self.along)?;
                *slot = total.value();
            }
            return Ok(());
        }
        // Rows of neighbouring lanes are gathered together, so that a cache line is read once.
        let mut tile = vec![T::default(); width * ROWS];
        let mut totals = vec![empty; width];
        for (block, out) in out.chunks_mut(width).enumerate() {
            totals.fill(empty);
            let views = (0..out.len()).map(|i| self.get(first + block * width + i)).collect::<Result<Vec<_>>>()?;
            for start in (0..self.along).step_by(ROWS) {
                let rows = ROWS.min(self.along - start);
                for row in 0..rows {
                    for (i, view) in views.iter().enumerate() {
                        tile[i * ROWS + row] = *view.get(start + row);
                    }
                }
                for (total, lane) in totals.iter_mut().zip(tile.chunks(ROWS)).take(out.len()) {
                    total.add(backend, &lane[..rows])?;
                }
            }
            for (slot, total) in out.iter_mut().zip(&totals) {
                *slot = total.value();
            }
        }
        Ok(())
    }

    /// The same for lanes that are slices: those that follow each other in memory are segments.
    fn slices(&self, backend: &dyn Backend, empty: Total<T>, first: usize, out: &mut [T]) -> Result<()> {
        let mut offsets = [0; SLICES + 1];
        let mut done = 0;
        while done < out.len() {
            let start = self.view.lane(self.axis, first + done);
            let follows = |&i: &usize| self.view.lane(self.axis, first + done + i) == start + i * self.along;
            let n = (0..SLICES.min(out.len() - done)).take_while(follows).count();
            for (i, offset) in offsets[..=n].iter_mut().enumerate() {
                *offset = start + i * self.along;
            }
            T::segments(backend.group(), self.view.data, &offsets[..=n], empty.how(), &mut out[done..done + n])?;
            done += n;
        }
        Ok(())
    }
}
