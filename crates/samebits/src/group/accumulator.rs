//! Arrays of accumulators that rows are scattered into by key.

use crate::{Accumulator, Element, Error, Kind, Mode, Queue, Result, Sum};
use samebits_core::{Error as CoreError, Exact};
use samebits_device::{Backend, Groups, capacity, check_keys};
use std::sync::{Mutex, PoisonError};

/// The sum of each group, three folds, on all cores: `sums[g]` is the sum of the `x[i]` with `keys[i] == g`, with the bits
/// of [`sum()`](crate::sum()) over these values, whatever the order of the rows. A group without rows has the sum +0.
///
/// A key that is not below `groups` is an error that names row and key; so are different lengths. Memory and cost as for
/// [`GroupAccumulator`]. Reproducibility level: full.
///
/// ```
/// let sums = samebits::group_sums(&[2, 0, 2], &[1.0, 5.0, 0.5], 3)?;
/// assert_eq!(sums, [5.0, 0.0, 1.5]);
/// # Ok::<(), samebits::Error>(())
/// ```
pub fn group_sums<T: Element>(keys: &[u32], x: &[T], groups: usize) -> Result<Vec<T>> {
    Sum::new().run_groups(Queue::shared()?, keys, x, groups)
}

impl Sum {
    /// The sum of each group, see [`group_sums`].
    ///
    /// ```
    /// # use samebits::{Queue, Sum};
    /// let sums = Sum::exact().run_groups(&Queue::cpu()?, &[0, 0, 1, 0], &[1e300, 1.0, 7.0, -1e300], 2)?;
    /// assert_eq!(sums, [1.0, 7.0]);
    /// # Ok::<(), samebits::Error>(())
    /// ```
    pub fn run_groups<T: Element>(&self, queue: &Queue, keys: &[u32], x: &[T], groups: usize) -> Result<Vec<T>> {
        let mut acc = GroupAccumulator::with_columns(self.kind(), self.fold_mode(), groups, 1)?;
        acc.extend_by(&*self.backend(queue)?, keys, &[x])?;
        Ok(acc.values())
    }
}

/// Sums in progress of many groups, which are numbered from 0; of one column of values or of several with the same keys.
/// The sums are functions of the multiset of rows, however these were ordered, cut, shared out to threads and merged.
///
/// Binned sums of `K` folds take `40 + 16 K` bytes a group and column, and `K + 1` floats more once rows were added on a
/// CPU (120 bytes for `f64` and three folds); on several threads each may hold as much. Exact sums take 312 bytes (`f32`:
/// 88). A row costs a few float additions, or for exact sums a few integer ones, and the access to its group. Nothing
/// is allocated by a call after the first, but for what several threads need.
///
/// ```
/// use samebits::{GroupAccumulator, Mode};
/// let mut acc = GroupAccumulator::<f64>::new(Mode::default(), 3)?;
/// acc.extend(&[0, 2, 0], &[1.0, 2.0, 0.5])?;
/// let mut other = GroupAccumulator::new(Mode::default(), 3)?;
/// other.extend(&[2], &[0.25])?;
/// acc.merge(&other)?;
/// assert_eq!((acc.value(0), acc.value(1), acc.value(2), acc.count(2)), (1.5, 0.0, 2.25, 2));
/// # Ok::<(), samebits::Error>(())
/// ```
#[derive(Debug)]
pub struct GroupAccumulator<T: Element> {
    kind: Kind,
    mode: Mode,
    groups: usize,
    columns: Vec<Column<T>>,
}

#[derive(Debug)]
enum Column<T: Element> {
    Binned(Groups<T>),
    Exact(Vec<Exact<T>>),
}

impl<T: Element> GroupAccumulator<T> {
    /// Empty sums of one column. An error if the type does not have that many folds.
    pub fn new(mode: Mode, groups: usize) -> Result<Self> {
        Self::with_columns(Kind::Sum, mode, groups, 1)
    }

    /// Empty accumulators of a given kind, for `columns` columns.
    ///
    /// ```
    /// # use samebits::{GroupAccumulator, Kind, Mode};
    /// let mut acc = GroupAccumulator::<f32>::with_columns(Kind::Sum, Mode::exact(), 2, 2)?;
    /// acc.extend_columns(&[1, 0, 1], &[&[1.0, 2.0, 3.0], &[10.0, 20.0, 30.0]])?;
    /// assert_eq!((acc.value_in(0, 1), acc.value_in(1, 1)), (4.0, 40.0));
    /// # Ok::<(), samebits::Error>(())
    /// ```
    pub fn with_columns(kind: Kind, mode: Mode, groups: usize, columns: usize) -> Result<Self> {
        kind.check_terms()?;
        if columns == 0 {
            return Err(Error::Argument { what: "columns", why: "0 given: groups have at least one".to_owned() });
        }
        let column = |_| {
            Ok(match mode.fold_count() {
                Some(folds) => Column::Binned(Groups::new(kind, folds, groups)?),
                None => {
                    let mut sums = Vec::new();
                    resize(&mut sums, groups, Exact::with_kind(kind))?;
                    Column::Exact(sums)
                }
            })
        };
        Ok(GroupAccumulator { kind, mode, groups, columns: (0..columns).map(column).collect::<Result<_>>()? })
    }

    /// The number of groups.
    pub fn groups(&self) -> usize {
        self.groups
    }

    /// The number of columns.
    pub fn columns(&self) -> usize {
        self.columns.len()
    }

    /// What is accumulated.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Folds or exact.
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// Makes it `groups` groups, if they are fewer; the new ones are empty.
    pub fn grow(&mut self, groups: usize) -> Result<()> {
        for column in &mut self.columns {
            match column {
                Column::Binned(sums) => sums.grow(groups)?,
                Column::Exact(sums) if sums.len() < groups => resize(sums, groups, Exact::with_kind(self.kind))?,
                Column::Exact(_) => {}
            }
        }
        self.groups = self.groups.max(groups);
        Ok(())
    }

    /// Adds `x[i]` to group `keys[i]`, on the calling thread. A key that names no group is an error, with row and key;
    /// after an error nothing was added.
    pub fn extend(&mut self, keys: &[u32], x: &[T]) -> Result<()> {
        self.extend_columns(keys, &[x])
    }

    /// The same on a queue's device and threads.
    pub fn extend_on(&mut self, queue: &Queue, keys: &[u32], x: &[T]) -> Result<()> {
        self.extend_columns_on(queue, keys, &[x])
    }

    /// Adds row `i` of each column to group `keys[i]`, on the calling thread.
    pub fn extend_columns(&mut self, keys: &[u32], columns: &[&[T]]) -> Result<()> {
        self.extend_by(crate::queue::calling_thread()?, keys, columns)
    }

    /// The same on a queue's device and threads.
    pub fn extend_columns_on(&mut self, queue: &Queue, keys: &[u32], columns: &[&[T]]) -> Result<()> {
        self.extend_by(&*queue.backend(None)?, keys, columns)
    }

    pub(crate) fn extend_by(&mut self, backend: &dyn Backend, keys: &[u32], columns: &[&[T]]) -> Result<()> {
        if columns.len() != self.columns.len() {
            let why = format!("{} given, and there are accumulators for {}", columns.len(), self.columns.len());
            return Err(Error::Argument { what: "columns", why });
        }
        // All lengths before anything is added. Keys and capacities are the same for all columns: the first one tells.
        columns.iter().try_for_each(|x| check_keys(keys, x.len(), usize::MAX, None))?;
        for (column, x) in self.columns.iter_mut().zip(columns) {
            match column {
                Column::Binned(sums) => T::scatter(backend.group(), keys, x, sums)?,
                Column::Exact(sums) => scatter_exact(backend, keys, x, sums)?,
            }
        }
        Ok(())
    }

    /// Adds what another one holds, group by group. An error if kind, mode, groups or columns differ; then nothing was
    /// added.
    pub fn merge(&mut self, other: &Self) -> Result<()> {
        let different = |what, left, right| Err(CoreError::Mismatch { what, left, right }.into());
        let folds = |s: &Self| s.mode.fold_count().unwrap_or(0) as u64;
        if self.mode != other.mode {
            return different("folds (0 is exact)", folds(self), folds(other));
        }
        other.kind.expect(self.kind)?;
        if (self.groups, self.columns()) != (other.groups, other.columns()) {
            let what = if self.groups == other.groups { "number of columns" } else { "number of groups" };
            let sizes = |s: &Self| if self.groups == other.groups { s.columns() } else { s.groups } as u64;
            return different(what, sizes(self), sizes(other));
        }
        for (mine, theirs) in self.columns.iter_mut().zip(&other.columns) {
            match (mine, theirs) {
                (Column::Binned(a), Column::Binned(b)) => a.merge(b)?,
                (Column::Exact(a), Column::Exact(b)) => merge_exact(a, b)?,
                _ => return different("folds (0 is exact)", 0, 1),
            }
        }
        Ok(())
    }

    /// Adds what another one holds, its group `i` to group `to[i]` here: for sums whose groups are numbered otherwise.
    pub(crate) fn merge_mapped(&mut self, other: &Self, to: &[u32]) -> Result<()> {
        // All counts before anything is added; they are the same in all columns.
        let limit = capacity::<T>(self.mode);
        for (i, &at) in to.iter().enumerate() {
            let count = self.count(at as usize).checked_add(other.count(i));
            count.filter(|&count| count <= limit).ok_or(CoreError::Capacity { limit })?;
        }
        for (mine, theirs) in self.columns.iter_mut().zip(&other.columns) {
            match (mine, theirs) {
                (Column::Binned(a), Column::Binned(b)) => {
                    to.iter().enumerate().try_for_each(|(i, &at)| a.absorb(at as usize, &b.get(i)))?;
                }
                (Column::Exact(a), Column::Exact(b)) => {
                    to.iter().zip(b).try_for_each(|(&at, sum)| a[at as usize].merge(sum))?;
                }
                _ => return Err(CoreError::Mismatch { what: "folds (0 is exact)", left: 0, right: 1 }.into()),
            }
        }
        Ok(())
    }

    /// Rows of group `i`, specials included. Panics if there is no such group.
    pub fn count(&self, i: usize) -> u64 {
        match self.columns.first() {
            Some(Column::Binned(sums)) => sums.count(i),
            Some(Column::Exact(sums)) => sums[i].count(),
            None => 0,
        }
    }

    /// The sum of group `i`, in the first column. Panics if there is no such group.
    pub fn value(&self, i: usize) -> T {
        self.value_in(0, i)
    }

    /// The sum of group `i` in a column. Panics if there is none.
    pub fn value_in(&self, column: usize, i: usize) -> T {
        match &self.columns[column] {
            Column::Binned(sums) => sums.get(i).value(),
            Column::Exact(sums) => sums[i].value(),
        }
    }

    /// The sums of all groups, in the first column.
    pub fn values(&self) -> Vec<T> {
        (0..self.groups).map(|i| self.value(i)).collect()
    }

    /// A copy of the accumulator of group `i` in a column: for its mean, its error bound, its bytes. Panics if there is none.
    pub fn accumulator(&self, column: usize, i: usize) -> Accumulator<T> {
        match &self.columns[column] {
            Column::Binned(sums) => sums.get(i).into(),
            Column::Exact(sums) => sums[i].into(),
        }
    }
}

fn resize<E: Clone>(sums: &mut Vec<E>, groups: usize, empty: E) -> Result<()> {
    let more = groups - sums.len();
    let bytes = more.saturating_mul(size_of::<E>());
    sums.try_reserve(more).map_err(|_| Error::OutOfMemory { what: "groups", bytes })?;
    sums.resize(groups, empty);
    Ok(())
}

fn merge_exact<T: Element>(sums: &mut [Exact<T>], others: &[Exact<T>]) -> Result<()> {
    // Only a count of 2^64 can refuse, and it must do so before anything is added.
    for (a, b) in sums.iter().zip(others) {
        a.reserve(b.count())?;
    }
    sums.iter_mut().zip(others).try_for_each(|(a, b)| Ok(a.merge(b)?))
}

/// Rows for each group that make another set of exact accumulators worth their merging.
const ROWS_PER_GROUP: usize = 16;
/// Fewer rows are not shared out.
const MIN_ROWS: usize = 1 << 14;

fn scatter_exact<T: Element>(backend: &dyn Backend, keys: &[u32], x: &[T], sums: &mut [Exact<T>]) -> Result<()> {
    check_keys(keys, x.len(), sums.len(), keys.iter().copied().max())?;
    if let Some(most) = sums.iter().map(Exact::count).max() {
        most.checked_add(x.len() as u64).ok_or(CoreError::Capacity { limit: u64::MAX })?;
    }
    let add = |sums: &mut [Exact<T>], keys: &[u32], x: &[T]| -> Result<()> {
        keys.iter().zip(x).try_for_each(|(&key, &v)| Ok(sums[key as usize].deposit(v)?))
    };
    let parts = (x.len() / (ROWS_PER_GROUP * sums.len()).max(MIN_ROWS)).min(backend.threads());
    let Some(kind) = sums.first().map(Exact::kind).filter(|_| parts > 1) else { return add(sums, keys, x) };
    let size = x.len().div_ceil(parts);
    let groups = sums.len();
    let mut fresh = Vec::new();
    for _ in 1..parts {
        let mut part = Vec::new();
        resize(&mut part, groups, Exact::with_kind(kind))?;
        fresh.push(part);
    }
    let targets: Vec<_> = std::iter::once(&mut *sums).chain(fresh.iter_mut().map(|part| &mut part[..])).collect();
    let tasks: Vec<_> = targets.into_iter().zip(keys.chunks(size).zip(x.chunks(size))).map(Mutex::new).collect();
    backend.spread(tasks.len(), &|i| {
        let mut task = tasks[i].lock().unwrap_or_else(PoisonError::into_inner);
        let (keys, x) = task.1;
        add(task.0, keys, x).expect("keys and counts that were checked");
    });
    drop(tasks);
    fresh.iter().try_for_each(|part| merge_exact(sums, part))
}
