//! Sums of arrays of the crate `ndarray`.

use crate::{Element, NdView, Queue, Result, Sum};
use ndarray::{Array, ArrayBase, Axis, Data, Dimension, RemoveAxis};

/// Reproducible sums of `ndarray`'s arrays and views: `sum_same` instead of `sum`, `sum_axis_same` instead of `sum_axis`.
/// Feature `ndarray`.
///
/// The bits are those of [`sum()`](crate::sum()) over the same values, whatever the layout: C or Fortran order, transposed,
/// sliced, broadcast. A view whose elements lie apart, or backwards, is copied first. Reproducibility level: full.
///
/// ```
/// use ndarray::{Axis, array};
/// use samebits::ArraySum;
/// let a = array![[1e9f32, 2.0], [1.0, 3.0], [-1e9, 4.0]];
/// assert_eq!(a.sum_axis_same(Axis(0))?, array![1.0, 9.0]);
/// assert_eq!(a.t().sum_axis_same(Axis(1))?, array![1.0, 9.0]);
/// assert_eq!(a.sum_same()?, 10.0);
/// # Ok::<(), samebits::Error>(())
/// ```
pub trait ArraySum {
    /// The element.
    type Elem: Element;
    /// The dimension of the array.
    type Dim: Dimension;

    /// The sum of all elements, three folds, on all cores.
    fn sum_same(&self) -> Result<Self::Elem> {
        self.sum_same_by(&Sum::new(), Queue::shared()?)
    }

    /// The sum of all elements, with a choice of folds, exact mode, threads and device.
    fn sum_same_by(&self, how: &Sum, queue: &Queue) -> Result<Self::Elem>;

    /// The sums along an axis, three folds, on all cores. Panics, as `ndarray` does, if there is no such axis.
    fn sum_axis_same(&self, axis: Axis) -> Result<Array<Self::Elem, <Self::Dim as Dimension>::Smaller>>
    where
        Self::Dim: RemoveAxis,
    {
        self.sum_axis_same_by(axis, &Sum::new(), Queue::shared()?)
    }

    /// The sums along an axis, with a choice of folds, exact mode, threads and device.
    fn sum_axis_same_by(
        &self,
        axis: Axis,
        how: &Sum,
        queue: &Queue,
    ) -> Result<Array<Self::Elem, <Self::Dim as Dimension>::Smaller>>
    where
        Self::Dim: RemoveAxis;
}

impl<T: Element, S: Data<Elem = T>, D: Dimension> ArraySum for ArrayBase<S, D> {
    type Elem = T;
    type Dim = D;

    fn sum_same_by(&self, how: &Sum, queue: &Queue) -> Result<T> {
        match self.as_slice_memory_order() {
            Some(x) => how.run(queue, x),
            None => how.run(queue, &self.iter().copied().collect::<Vec<_>>()),
        }
    }

    fn sum_axis_same_by(&self, axis: Axis, how: &Sum, queue: &Queue) -> Result<Array<T, D::Smaller>>
    where
        D: RemoveAxis,
    {
        let mut out = Array::from_elem(self.raw_dim().remove_axis(axis), T::default());
        let sums = out.as_slice_mut().expect("a new array is in standard order");
        // Strides of other signs would need the place of the first element in the slice.
        let forwards = self.strides().iter().all(|&stride| stride >= 0);
        match self.as_slice_memory_order().filter(|_| forwards) {
            Some(x) => how.run_axis(queue, &NdView::new(x, 0, self.shape(), self.strides())?, axis.index(), sums)?,
            None => {
                let copy: Vec<T> = self.iter().copied().collect();
                how.run_axis(queue, &NdView::row_major(&copy, self.shape())?, axis.index(), sums)?;
            }
        }
        Ok(out)
    }
}
