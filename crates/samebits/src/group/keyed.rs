//! Groups by keys of any type.

use crate::{Element, Error, GroupAccumulator, Kind, Mode, Queue, Result};
use hashbrown::HashMap;
use std::hash::Hash;

/// Sums in progress by key, for keys of any type: names, dates, pairs. Groups come into being with their first row.
///
/// As a [`GroupAccumulator`] behind a hash map; the map costs memory for a key and 4 bytes a group. Results are given in the
/// order of the keys, so they do not depend on the order of the rows either.
///
/// ```
/// use samebits::{Grouped, Mode};
/// let mut sums = Grouped::<&str, f64>::new(Mode::default())?;
/// sums.extend(&["b", "a", "b"], &[1.0, 2.0, 0.5])?;
/// sums.push("a", 0.25)?;
/// assert_eq!(sums.sorted(), [(&"a", 2.25), (&"b", 1.5)]);
/// assert_eq!(sums.value(&"c"), None);
/// # Ok::<(), samebits::Error>(())
/// ```
#[derive(Debug)]
pub struct Grouped<K, T: Element> {
    numbers: HashMap<K, u32>,
    sums: GroupAccumulator<T>,
    /// The numbers of the keys of a call.
    scratch: Vec<u32>,
}

impl<K: Hash + Eq + Clone, T: Element> Grouped<K, T> {
    /// No groups yet; one column of sums.
    pub fn new(mode: Mode) -> Result<Self> {
        Self::with_columns(Kind::Sum, mode, 1)
    }

    /// No groups yet, of a given kind and number of columns.
    pub fn with_columns(kind: Kind, mode: Mode, columns: usize) -> Result<Self> {
        let sums = GroupAccumulator::with_columns(kind, mode, 0, columns)?;
        Ok(Grouped { numbers: HashMap::new(), sums, scratch: Vec::new() })
    }

    /// The number of groups.
    pub fn len(&self) -> usize {
        self.numbers.len()
    }

    /// Is there none?
    pub fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    /// Adds one row. For more than a few, [`Grouped::extend`] is many times faster.
    pub fn push(&mut self, key: K, x: T) -> Result<()> {
        self.extend(&[key], &[x])
    }

    /// Adds `x[i]` to the group of `keys[i]`, on the calling thread. Different lengths are an error; after an error nothing
    /// was added.
    pub fn extend(&mut self, keys: &[K], x: &[T]) -> Result<()> {
        self.extend_columns(keys, &[x])
    }

    /// The same on a queue's device and threads.
    pub fn extend_on(&mut self, queue: &Queue, keys: &[K], x: &[T]) -> Result<()> {
        self.numbered(keys, &[x], |sums, numbers| sums.extend_on(queue, numbers, x))
    }

    /// Adds row `i` of each column to the group of `keys[i]`, on the calling thread.
    pub fn extend_columns(&mut self, keys: &[K], columns: &[&[T]]) -> Result<()> {
        self.numbered(keys, columns, |sums, numbers| sums.extend_columns(numbers, columns))
    }

    fn numbered(
        &mut self,
        keys: &[K],
        columns: &[&[T]],
        add: impl FnOnce(&mut GroupAccumulator<T>, &[u32]) -> Result<()>,
    ) -> Result<()> {
        if let Some(x) = columns.iter().find(|x| x.len() != keys.len()) {
            let why = format!("{} for {} values: one for each is needed", keys.len(), x.len());
            return Err(Error::Argument { what: "keys", why });
        }
        let before = self.numbers.len();
        self.scratch.clear();
        let outcome = keys
            .iter()
            .try_for_each(|key| number(&mut self.numbers, key).map(|number| self.scratch.push(number)))
            .and_then(|()| self.sums.grow(self.numbers.len()))
            .and_then(|()| add(&mut self.sums, &self.scratch));
        if outcome.is_err() {
            // No group without a row.
            self.numbers.retain(|_, number| (*number as usize) < before);
        }
        outcome
    }

    /// Adds what another one holds. An error if kind, mode or columns differ; then nothing was added.
    pub fn merge(&mut self, other: &Self) -> Result<()> {
        // Both empty or not: this compares what must be equal.
        let mut empty =
            GroupAccumulator::<T>::with_columns(self.sums.kind(), self.sums.mode(), 0, self.sums.columns())?;
        empty.merge(&GroupAccumulator::with_columns(other.sums.kind(), other.sums.mode(), 0, other.sums.columns())?)?;
        let before = self.numbers.len();
        let mut to = vec![0; other.numbers.len()];
        let outcome = other
            .numbers
            .iter()
            .try_for_each(|(key, &theirs)| number(&mut self.numbers, key).map(|mine| to[theirs as usize] = mine))
            .and_then(|()| self.sums.grow(self.numbers.len()))
            .and_then(|()| self.sums.merge_mapped(&other.sums, &to));
        if outcome.is_err() {
            self.numbers.retain(|_, number| (*number as usize) < before);
        }
        outcome
    }

    /// The sum of a group, in the first column; nothing if there is no row with that key.
    pub fn value(&self, key: &K) -> Option<T> {
        self.numbers.get(key).map(|&i| self.sums.value(i as usize))
    }

    /// Rows of a group, 0 if there is none.
    pub fn count(&self, key: &K) -> u64 {
        self.numbers.get(key).map_or(0, |&i| self.sums.count(i as usize))
    }

    /// The keys and the sums of the first column, in the order of the keys.
    pub fn sorted(&self) -> Vec<(&K, T)>
    where
        K: Ord,
    {
        self.sorted_places().into_iter().map(|(key, i)| (key, self.sums.value(i))).collect()
    }

    /// The keys in order, each with the place of its sums in [`Grouped::sums`].
    ///
    /// ```
    /// # use samebits::{Grouped, Kind, Mode};
    /// let mut sums = Grouped::<u64, f64>::with_columns(Kind::Sum, Mode::exact(), 2)?;
    /// sums.extend_columns(&[7, 5], &[&[1.0, 2.0], &[3.0, 4.0]])?;
    /// let rows: Vec<_> = sums.sorted_places().iter().map(|(key, i)| (**key, sums.sums().value_in(1, *i))).collect();
    /// assert_eq!(rows, [(5, 4.0), (7, 3.0)]);
    /// # Ok::<(), samebits::Error>(())
    /// ```
    pub fn sorted_places(&self) -> Vec<(&K, usize)>
    where
        K: Ord,
    {
        let mut places: Vec<_> = self.numbers.iter().map(|(key, &i)| (key, i as usize)).collect();
        places.sort_unstable();
        places
    }

    /// The sums of all groups, numbered as they came into being.
    pub fn sums(&self) -> &GroupAccumulator<T> {
        &self.sums
    }
}

/// The number of a key, which is given one if it has none.
fn number<K: Hash + Eq + Clone>(numbers: &mut HashMap<K, u32>, key: &K) -> Result<u32> {
    if let Some(&number) = numbers.get(key) {
        return Ok(number);
    }
    let next = u32::try_from(numbers.len())
        .map_err(|_| Error::Argument { what: "keys", why: "more than 2^32 different ones".to_owned() })?;
    numbers.insert(key.clone(), next);
    Ok(next)
}
