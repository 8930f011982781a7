//! Sums of many groups at once, and of the segments of a slice.

use crate::{Error, Mode, Reference};
use samebits_core::binned::{slot_count, slot_len};
use samebits_core::{Binned, BinnedArray, Exact, Float, Head, Kind};

/// Sums by key and by segment. The state or the results are functions of the multisets, whichever backend did it.
pub trait Group {
    /// Adds `x[i]` to the group `keys[i]`, for all i. An error, and nothing is added, if lengths differ, a key names no
    /// group, or a group would hold more than its capacity.
    fn scatter_f64(&self, keys: &[u32], x: &[f64], groups: &mut Groups<f64>) -> Result<(), Error>;
    /// The same for `f32`.
    fn scatter_f32(&self, keys: &[u32], x: &[f32], groups: &mut Groups<f32>) -> Result<(), Error>;
    /// `out[i]` becomes the sum of `x[offsets[i]..offsets[i + 1]]`. The offsets are one more than the sums, do not
    /// decrease and end within `x`; this is an error otherwise. No segment may be longer than the capacity.
    fn segments_f64(&self, x: &[f64], offsets: &[usize], how: (Kind, Mode), out: &mut [f64]) -> Result<(), Error>;
    /// The same for `f32`.
    fn segments_f32(&self, x: &[f32], offsets: &[usize], how: (Kind, Mode), out: &mut [f32]) -> Result<(), Error>;
}

/// Binned accumulators of many groups. A backend may keep them in several parts, one for each thread, and the most recent
/// summands of a group in a slot (see [`samebits_core::binned`]); no result shows it.
///
/// Memory for each group and part: `40 + 16 K` bytes, and once a backend with float kernels added something, `K + 1` floats.
#[derive(Debug)]
pub struct Groups<T: Float> {
    kind: Kind,
    folds: usize,
    groups: usize,
    parts: Vec<GroupPart<T>>,
    /// No group holds more summands than this.
    most: u64,
}

/// The accumulators of all groups, from a part of the rows.
#[derive(Debug)]
pub struct GroupPart<T: Float> {
    kind: Kind,
    folds: usize,
    heads: Vec<Head>,
    totals: Vec<i128>,
    slots: Vec<T>,
}

impl<T: Float> GroupPart<T> {
    fn new(kind: Kind, folds: usize, groups: usize) -> Result<Self, Error> {
        let mut part = GroupPart { kind, folds, heads: Vec::new(), totals: Vec::new(), slots: Vec::new() };
        part.grow(groups)?;
        Ok(part)
    }

    /// Makes room for `groups` groups; those that are there keep what they hold.
    fn grow(&mut self, groups: usize) -> Result<(), Error> {
        let old = self.heads.len();
        reserve(&mut self.heads, groups - old)?;
        // Fresh memory of zeros is not touched before it is used.
        let mut totals = zeros(0i128, groups.saturating_mul(self.folds))?;
        for k in 0..self.folds {
            totals[k * groups..k * groups + old].copy_from_slice(&self.totals[k * old..(k + 1) * old]);
        }
        if !self.slots.is_empty() {
            let more = (groups - old) * slot_len(self.folds);
            reserve(&mut self.slots, more)?;
            self.slots.resize(self.slots.len() + more, T::default());
        }
        self.heads.resize(groups, Head::empty::<T>());
        self.totals = totals;
        Ok(())
    }

    /// The accumulators as integers.
    pub fn array(&mut self) -> BinnedArray<'_, T> {
        BinnedArray::resume(self.kind, self.folds, &mut self.heads, &mut self.totals)
            .expect("lengths that were checked")
    }

    /// The accumulators as integers and their slots, which are made if they are not there.
    pub fn with_slots(&mut self) -> Result<(BinnedArray<'_, T>, &mut [T]), Error> {
        if self.slots.is_empty() {
            self.slots = zeros(T::default(), self.heads.len().saturating_mul(slot_len(self.folds)))?;
        }
        let array = BinnedArray::resume(self.kind, self.folds, &mut self.heads, &mut self.totals);
        Ok((array.expect("lengths that were checked"), &mut self.slots))
    }

    fn slot(&self, i: usize) -> Option<&[T]> {
        self.slots.chunks_exact(slot_len(self.folds)).nth(i)
    }

    fn count(&self, i: usize) -> u64 {
        self.heads[i].counts().summands + self.slot(i).map_or(0, slot_count)
    }

    /// Adds what accumulator `i` holds.
    fn add_to(&self, i: usize, sum: &mut Binned<T>) -> Result<(), Error> {
        let counts = self.heads[i].counts();
        if counts.summands > 0 {
            let mut totals = [0; <f64 as Float>::MAX_FOLDS];
            for (k, slot) in totals[..self.folds].iter_mut().enumerate() {
                *slot = self.totals[k * self.heads.len() + i];
            }
            sum.absorb(self.heads[i].index(), &totals[..self.folds], counts)?;
        }
        match self.slot(i) {
            Some(slot) => Ok(sum.absorb_slot(slot)?),
            None => Ok(()),
        }
    }
}

impl<T: Float> Groups<T> {
    /// Empty accumulators of `groups` groups.
    pub fn new(kind: Kind, folds: usize, groups: usize) -> Result<Self, Error> {
        Binned::<T>::with_kind(kind, folds)?;
        Ok(Groups { kind, folds, groups, parts: vec![GroupPart::new(kind, folds, groups)?], most: 0 })
    }

    /// The number of groups.
    pub fn len(&self) -> usize {
        self.groups
    }

    /// Is there none?
    pub fn is_empty(&self) -> bool {
        self.groups == 0
    }

    /// What is accumulated.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The number of folds K.
    pub fn folds(&self) -> usize {
        self.folds
    }

    /// Makes it `groups` groups, if they are fewer; the new ones are empty.
    pub fn grow(&mut self, groups: usize) -> Result<(), Error> {
        let room = self.parts[0].heads.len();
        if groups > room {
            // Twice as many, so that growing one by one costs little.
            let room = groups.max(room.saturating_mul(2));
            for part in &mut self.parts {
                part.grow(room)?;
            }
        }
        self.groups = self.groups.max(groups);
        Ok(())
    }

    /// Summands of group `i`, specials included. Panics if there is no such group.
    pub fn count(&self, i: usize) -> u64 {
        assert!(i < self.groups, "group {i} of {}", self.groups);
        self.parts.iter().map(|part| part.count(i)).sum()
    }

    /// The accumulator of group `i`. Panics if there is no such group.
    pub fn get(&self, i: usize) -> Binned<T> {
        assert!(i < self.groups, "group {i} of {}", self.groups);
        let mut sum = Binned::with_kind(self.kind, self.folds).expect("a fold count that was checked");
        for part in &self.parts {
            part.add_to(i, &mut sum).expect("a capacity that was checked");
        }
        sum
    }

    /// Adds what `other` holds to group `i`.
    pub fn absorb(&mut self, i: usize, other: &Binned<T>) -> Result<(), Error> {
        assert!(i < self.groups, "group {i} of {}", self.groups);
        self.reserve(other.count(), || core::iter::once((i, other.count())))?;
        Ok(self.parts[0].array().absorb(i, other)?)
    }

    /// Adds what the groups of `other` hold to the same groups here. Nothing is added after an error.
    pub fn merge(&mut self, other: &Self) -> Result<(), Error> {
        let different = |what, left: usize, right: usize| {
            Err(samebits_core::Error::Mismatch { what, left: left as u64, right: right as u64 }.into())
        };
        if self.groups != other.groups {
            return different("number of groups", self.groups, other.groups);
        }
        if self.folds != other.folds {
            return different("folds", self.folds, other.folds);
        }
        other.kind.expect(self.kind)?;
        self.reserve(other.most, || (0..other.groups).map(|i| (i, other.count(i))))?;
        let mut array = self.parts[0].array();
        for i in 0..other.groups {
            array.absorb(i, &other.get(i))?;
        }
        Ok(())
    }

    /// Checks the arguments of a scatter; what every backend calls first. `most_key` is the largest key, if there is one.
    pub fn check(&mut self, keys: &[u32], rows: usize, most_key: Option<u32>) -> Result<(), Error> {
        check_keys(keys, rows, self.groups, most_key)?;
        self.reserve(rows as u64, || keys.iter().map(|&key| (key as usize, 1)))
    }

    /// Is there room for `added` (group, count) pairs of `more` summands in all? Counted group by group only when the
    /// simple bound does not tell.
    fn reserve<I: Iterator<Item = (usize, u64)>>(&mut self, more: u64, added: impl Fn() -> I) -> Result<(), Error> {
        if let Some(most) = self.most.checked_add(more).filter(|&most| most <= T::CAPACITY) {
            self.most = most;
            return Ok(());
        }
        let mut counts = zeros(0u64, self.groups)?;
        counts.iter_mut().enumerate().for_each(|(i, count)| *count = self.count(i));
        for (i, n) in added() {
            counts[i] = counts[i].saturating_add(n);
        }
        let most = counts.iter().copied().max().unwrap_or(0);
        if most > T::CAPACITY {
            return Err(samebits_core::Error::Capacity { limit: T::CAPACITY }.into());
        }
        self.most = most;
        Ok(())
    }

    /// At least one and at most `n` parts to add to at the same time; parts that are not there yet are made.
    pub fn parts(&mut self, n: usize) -> Result<&mut [GroupPart<T>], Error> {
        let room = self.parts[0].heads.len();
        while self.parts.len() < n {
            self.parts.push(GroupPart::new(self.kind, self.folds, room)?);
        }
        Ok(&mut self.parts[..n.max(1)])
    }

    /// How many parts there are.
    pub fn part_count(&self) -> usize {
        self.parts.len()
    }
}

/// Checks that there is a key for each row, and that each names a group.
pub fn check_keys(keys: &[u32], rows: usize, groups: usize, most_key: Option<u32>) -> Result<(), Error> {
    if keys.len() != rows {
        let why = format!("{} for {rows} values: one for each is needed", keys.len());
        return Err(Error::Argument { what: "keys", why });
    }
    if most_key.is_some_and(|key| key as usize >= groups)
        && let Some((row, key)) = keys.iter().enumerate().find(|(_, key)| **key as usize >= groups)
    {
        let why = format!("{key} in row {row}, and there are {groups} groups, counted from 0");
        return Err(Error::Argument { what: "keys", why });
    }
    Ok(())
}

/// Checks offsets of segments of a slice of `len` elements with `sums` results; no segment may be longer than `limit`.
pub fn check_offsets(offsets: &[usize], len: usize, sums: usize, limit: u64) -> Result<(), Error> {
    let wrong = |why| Err(Error::Argument { what: "offsets", why });
    if offsets.len() != sums + 1 {
        return wrong(format!("{} of them for {sums} sums: one more than sums is needed", offsets.len()));
    }
    let falls = offsets.windows(2).position(|pair| pair[0] > pair[1]);
    if let Some(i) = falls {
        return wrong(format!("offset {} is {}, below {} before it", i + 1, offsets[i + 1], offsets[i]));
    }
    match offsets.last() {
        Some(&end) if end > len => wrong(format!("offset {sums} is {end}, past the end of {len} values")),
        _ if len as u64 > limit && offsets.windows(2).any(|pair| (pair[1] - pair[0]) as u64 > limit) => {
            Err(samebits_core::Error::Capacity { limit }.into())
        }
        _ => Ok(()),
    }
}

/// The most summands of one sum of this mode.
pub fn capacity<T: Float>(mode: Mode) -> u64 {
    if mode.is_exact() { u64::MAX } else { T::CAPACITY }
}

/// A vector of copies, or an error that says what was asked for.
fn zeros<E: Clone>(zero: E, n: usize) -> Result<Vec<E>, Error> {
    // Asking first turns an abort into an error; the memory of the answer itself would not be fresh zeros.
    reserve(&mut Vec::<E>::new(), n)?;
    Ok(vec![zero; n])
}

fn reserve<E>(vector: &mut Vec<E>, more: usize) -> Result<(), Error> {
    let bytes = more.saturating_mul(size_of::<E>());
    vector.try_reserve_exact(more).map_err(|_| Error::OutOfMemory { what: "groups", bytes })
}

/// The definition: one row at a time.
fn scatter<T: Float>(keys: &[u32], x: &[T], groups: &mut Groups<T>) -> Result<(), Error> {
    groups.check(keys, x.len(), keys.iter().copied().max())?;
    let mut array = groups.parts[0].array();
    keys.iter().zip(x).try_for_each(|(&key, &v)| Ok(array.deposit(key as usize, v)?))
}

fn segments<T: Float>(x: &[T], offsets: &[usize], (kind, mode): (Kind, Mode), out: &mut [T]) -> Result<(), Error> {
    check_offsets(offsets, x.len(), out.len(), capacity::<T>(mode))?;
    for (pair, slot) in offsets.windows(2).zip(out) {
        let x = &x[pair[0]..pair[1]];
        *slot = match mode.fold_count() {
            Some(folds) => {
                let mut sum = Binned::with_kind(kind, folds)?;
                sum.extend(x)?;
                sum.value()
            }
            None => {
                let mut sum = Exact::with_kind(kind);
                sum.extend(x)?;
                sum.value()
            }
        };
    }
    Ok(())
}

impl Group for Reference {
    fn scatter_f64(&self, keys: &[u32], x: &[f64], groups: &mut Groups<f64>) -> Result<(), Error> {
        scatter(keys, x, groups)
    }
    fn scatter_f32(&self, keys: &[u32], x: &[f32], groups: &mut Groups<f32>) -> Result<(), Error> {
        scatter(keys, x, groups)
    }
    fn segments_f64(&self, x: &[f64], offsets: &[usize], how: (Kind, Mode), out: &mut [f64]) -> Result<(), Error> {
        segments(x, offsets, how, out)
    }
    fn segments_f32(&self, x: &[f32], offsets: &[usize], how: (Kind, Mode), out: &mut [f32]) -> Result<(), Error> {
        segments(x, offsets, how, out)
    }
}
