//! The binned sum, of values or of products: one pass that deposits and watches the maximum.
//!
//! The input is cut into blocks of `ITERATIONS` rounds over `U` independent vectors. A block is deposited into fresh
//! lanes in the window found so far, while the largest magnitude is tracked. If that lies above the window, the window
//! is raised and the block done again, so a block is repeated at most once for each bin that the window rises: rare.
//! Lanes are read back at the end of a block as integers, so nothing is renormalised and nothing is lost.
//!
//! Specials send a block through a cleaned copy; the topmost window, whose references are beyond the range, through
//! a scaled one. Memory: one block on the stack.

use super::Pair;
use super::clean::{copy_clean, may_scale, scale_down};
use super::deposit::{ITERATIONS, fold, last_fold, reference, shift_of};
use super::terms::{LONGEST_STEP, Products, Terms, Values, no_padding};
use super::vector::Vector;
use core::hint::black_box;
use core::mem::MaybeUninit;
use core::ops::Mul;
use samebits_core::{Binned, Counts, Float, Kind, bin_index, round_nearest};

/// Rounds over `U` vectors after which the integer lanes are added up. A lane of `f32` gains at most
/// `U * ITERATIONS * 2^(W-1)` a block, so `2^31 / (8 * 64 * 2^12) = 1024` blocks fit 32 bits.
const BLOCKS_PER_DRAIN: usize = 1000;

/// The largest block, in elements.
pub(super) const MAX_BLOCK: usize = LONGEST_STEP * ITERATIONS;

/// Adds all of `x` to `acc`.
///
/// # Safety
/// The machine has the room's instructions, the environment is the default one. The capacity was reserved.
#[inline(always)]
pub(crate) unsafe fn binned<V: Vector, const U: usize>(x: &[V::Elem], acc: &mut Binned<V::Elem>)
where
    V::Elem: Mul<Output = V::Elem>,
{
    // SAFETY: passed on from the caller.
    unsafe {
        let x = Values::of(x);
        match (acc.folds(), acc.kind()) {
            (2, Kind::Sum) => Sum::<V, Few<V, U, 2, false>, U>::add(x, acc),
            (3, Kind::Sum) => Sum::<V, Few<V, U, 3, false>, U>::add(x, acc),
            (4, Kind::Sum) => Sum::<V, Few<V, U, 4, false>, U>::add(x, acc),
            (_, Kind::Sum) => Sum::<V, Many<V, U, false>, U>::add(x, acc),
            (2, _) => Sum::<V, Few<V, U, 2, true>, U>::add(x, acc),
            (3, _) => Sum::<V, Few<V, U, 3, true>, U>::add(x, acc),
            (4, _) => Sum::<V, Few<V, U, 4, true>, U>::add(x, acc),
            _ => Sum::<V, Many<V, U, true>, U>::add(x, acc),
        }
    }
}

/// Adds the products of `x` and `y`, each rounded, to `acc`, which is a sum.
///
/// # Safety
/// As for [`binned`]; the slices have one length.
#[inline(always)]
pub(crate) unsafe fn binned_dot<V: Vector, const U: usize>((x, y): Pair<'_, V::Elem>, acc: &mut Binned<V::Elem>)
where
    V::Elem: Mul<Output = V::Elem>,
{
    let products = Products::of(x, y);
    // SAFETY: passed on from the caller.
    unsafe {
        match acc.folds() {
            2 => Sum::<V, Few<V, U, 2, false>, U>::add(products, acc),
            3 => Sum::<V, Few<V, U, 3, false>, U>::add(products, acc),
            4 => Sum::<V, Few<V, U, 4, false>, U>::add(products, acc),
            _ => Sum::<V, Many<V, U, false>, U>::add(products, acc),
        }
    }
}

/// What a block showed of its values.
pub(super) struct Seen<V> {
    pub(super) max: V,
    pub(super) nan: bool,
}

/// The lanes of all folds of one window.
pub(super) trait Bins<V: Vector> {
    /// Counts of a block that is not yet accepted.
    type Pending;
    fn new(folds: usize) -> Self;
    /// Sets the references; `at(k)` is that of fold k.
    unsafe fn set_references(&mut self, at: impl Fn(usize) -> V::Elem);
    /// Deposits whole rounds of terms.
    unsafe fn deposit(&mut self, terms: impl Terms<V>) -> (Self::Pending, Seen<V>);
    /// Accepts the block.
    unsafe fn commit(&mut self, pending: Self::Pending, rounds: usize);
    /// The count of fold k since it was last asked for.
    unsafe fn take(&mut self, k: usize) -> i64;
}

/// Deposits a block in F folds: the counts of the lanes, what was seen (if `SEE`), the rests to `rest` (if `REST`).
#[inline(always)]
unsafe fn block<V, T, const U: usize, const F: usize, const ABS: bool, const SEE: bool, const REST: bool>(
    references: &[V::Elem; F],
    terms: T,
    rest: *mut V::Elem,
) -> ([V::Int; F], Seen<V>)
where
    V: Vector,
    T: Terms<V>,
{
    // SAFETY: the caller vouches for the room; `terms` (and `rest`) are whole rounds.
    unsafe {
        let sticky = V::splat(V::Elem::from_bits(1));
        let one = V::splat(black_box(round_nearest(1, 0)));
        let zero = V::splat(V::Elem::default());
        let mut acc = [[zero; U]; F];
        for (lanes, &r) in acc.iter_mut().zip(references) {
            *lanes = [V::splat(r); U];
        }
        let mut max = [zero; 2];
        for i in 0..terms.len() / (U * V::LANES) {
            for u in 0..U {
                let at = (i * U + u) * V::LANES;
                let mut v = terms.load(at);
                if SEE {
                    terms.prefetch(at, u);
                    max[u & 1] = v.max_abs(max[u & 1]);
                }
                if ABS {
                    v = v.abs();
                }
                for (k, lanes) in acc.iter_mut().enumerate() {
                    if k + 1 < F || REST {
                        v = fold(&mut lanes[u], v, sticky, one, (u + k) & 1 == 1);
                    } else {
                        last_fold(&mut lanes[u], v, sticky);
                    }
                }
                if REST {
                    v.store(rest.add(at));
                }
            }
        }
        let mut nan = false;
        if SEE && !V::MAX_SEES_NAN {
            // A NaN stays in its lane.
            let mut all = acc[0][0];
            for &lane in &acc[0][1..] {
                all = all.add(lane);
            }
            nan = all.has_nan();
        }
        let mut counts = [V::int_zero(); F];
        for ((count, lanes), &r) in counts.iter_mut().zip(&acc).zip(references) {
            for &lane in lanes {
                *count = V::int_add_difference(*count, lane, V::splat(r));
            }
        }
        (counts, Seen { max: max[0].max_abs(max[1]), nan })
    }
}

/// Two, three or four folds: all lanes in registers.
pub(super) struct Few<V: Vector, const U: usize, const F: usize, const ABS: bool> {
    references: [V::Elem; F],
    counts: [V::Int; F],
}

impl<V: Vector, const U: usize, const F: usize, const ABS: bool> Bins<V> for Few<V, U, F, ABS> {
    type Pending = [V::Int; F];

    #[inline(always)]
    fn new(_folds: usize) -> Self {
        // SAFETY: a room's `int_zero` is only called from its own entry points.
        Few { references: [V::Elem::default(); F], counts: unsafe { [V::int_zero(); F] } }
    }
    #[inline(always)]
    unsafe fn set_references(&mut self, at: impl Fn(usize) -> V::Elem) {
        for (k, r) in self.references.iter_mut().enumerate() {
            *r = at(k);
        }
    }
    #[inline(always)]
    unsafe fn deposit(&mut self, terms: impl Terms<V>) -> (Self::Pending, Seen<V>) {
        // SAFETY: passed on from the caller.
        unsafe { block::<V, _, U, F, ABS, true, false>(&self.references, terms, core::ptr::null_mut()) }
    }
    #[inline(always)]
    unsafe fn commit(&mut self, pending: Self::Pending, _rounds: usize) {
        for (count, more) in self.counts.iter_mut().zip(pending) {
            // SAFETY: passed on from the caller.
            *count = unsafe { V::int_add(*count, more) };
        }
    }
    #[inline(always)]
    unsafe fn take(&mut self, k: usize) -> i64 {
        // SAFETY: passed on from the caller.
        unsafe { V::int_sum(core::mem::replace(&mut self.counts[k], V::int_zero())) }
    }
}

/// Folds that are done in one go; the rests wait in memory for the next.
const PANEL: usize = 4;
/// Panels of the most folds, 52.
const PANELS: usize = 13;

/// Any number of folds from five up, a panel of four at a time.
pub(super) struct Many<V: Vector, const U: usize, const ABS: bool> {
    folds: usize,
    references: [[V::Elem; PANEL]; PANELS],
    counts: [[V::Int; PANEL]; PANELS],
    rest: [MaybeUninit<V::Elem>; MAX_BLOCK],
}

impl<V: Vector, const U: usize, const ABS: bool> Many<V, U, ABS> {
    /// Deposits the rests of the block in the F folds of panel `j`.
    #[inline(always)]
    unsafe fn panel<const F: usize, const REST: bool>(&mut self, j: usize, rounds: usize) {
        // SAFETY: passed on from the caller; `rest` holds a whole block.
        unsafe {
            let rest = self.rest.as_mut_ptr().cast();
            let mut references = [V::Elem::default(); F];
            references.copy_from_slice(&self.references[j][..F]);
            let terms = Values::at(rest, rounds * U * V::LANES);
            let (counts, _) = block::<V, _, U, F, false, false, REST>(&references, terms, rest);
            for (count, more) in self.counts[j].iter_mut().zip(counts) {
                *count = V::int_add(*count, more);
            }
        }
    }
}

impl<V: Vector, const U: usize, const ABS: bool> Bins<V> for Many<V, U, ABS> {
    type Pending = [V::Int; PANEL];

    #[inline(always)]
    fn new(folds: usize) -> Self {
        Many {
            folds,
            references: [[V::Elem::default(); PANEL]; PANELS],
            // SAFETY: a room's `int_zero` is only called from its own entry points.
            counts: unsafe { [[V::int_zero(); PANEL]; PANELS] },
            rest: [MaybeUninit::uninit(); MAX_BLOCK],
        }
    }
    #[inline(always)]
    unsafe fn set_references(&mut self, at: impl Fn(usize) -> V::Elem) {
        for k in 0..self.folds {
            self.references[k / PANEL][k % PANEL] = at(k);
        }
    }
    #[inline(always)]
    unsafe fn deposit(&mut self, terms: impl Terms<V>) -> (Self::Pending, Seen<V>) {
        // SAFETY: passed on from the caller; `rest` holds a whole block.
        unsafe { block::<V, _, U, PANEL, ABS, true, true>(&self.references[0], terms, self.rest.as_mut_ptr().cast()) }
    }
    #[inline(always)]
    unsafe fn commit(&mut self, pending: Self::Pending, rounds: usize) {
        // SAFETY: passed on from the caller.
        unsafe {
            for (count, more) in self.counts[0].iter_mut().zip(pending) {
                *count = V::int_add(*count, more);
            }
            for j in 1..self.folds.div_ceil(PANEL) {
                match self.folds - j * PANEL {
                    1 => self.panel::<1, false>(j, rounds),
                    2 => self.panel::<2, false>(j, rounds),
                    3 => self.panel::<3, false>(j, rounds),
                    4 => self.panel::<4, false>(j, rounds),
                    _ => self.panel::<4, true>(j, rounds),
                }
            }
        }
    }
    #[inline(always)]
    unsafe fn take(&mut self, k: usize) -> i64 {
        let slot = &mut self.counts[k / PANEL][k % PANEL];
        // SAFETY: passed on from the caller.
        unsafe { V::int_sum(core::mem::replace(slot, V::int_zero())) }
    }
}

/// A sum in progress.
struct Sum<V: Vector, B, const U: usize> {
    bins: B,
    kind: Kind,
    folds: usize,
    /// Bin of the largest magnitude so far.
    index: usize,
    /// Values below this fit the window.
    limit: V::Elem,
    totals: <V::Elem as Float>::Totals,
    counts: Counts,
    /// Had the last block specials? Then the next one is cleaned at once.
    specials: bool,
    /// Blocks since the lanes were last added up.
    blocks: usize,
}

impl<V: Vector, B: Bins<V>, const U: usize> Sum<V, B, U>
where
    V::Elem: Mul<Output = V::Elem>,
{
    const STEP: usize = V::LANES * U;

    #[inline(always)]
    fn new(acc: &Binned<V::Elem>) -> Self {
        Sum {
            bins: B::new(acc.folds()),
            kind: acc.kind(),
            folds: acc.folds(),
            index: <V::Elem as Float>::MAX_INDEX,
            limit: V::Elem::default(),
            totals: <V::Elem as Float>::ZERO_TOTALS,
            counts: Counts::default(),
            specials: false,
            blocks: 0,
        }
    }

    #[inline(always)]
    unsafe fn add(x: impl Terms<V, Elem = V::Elem>, acc: &mut Binned<V::Elem>) {
        let mut sum = Self::new(acc);
        // SAFETY: passed on from the caller.
        unsafe { sum.run(x, acc) }
    }

    #[inline(always)]
    unsafe fn run(&mut self, x: impl Terms<V, Elem = V::Elem>, acc: &mut Binned<V::Elem>) {
        // SAFETY: passed on from the caller.
        unsafe {
            let whole = x.len() / Self::STEP * Self::STEP;
            let first = Self::first_max(x.part(0, whole.min(Self::STEP * ITERATIONS)));
            if first.bits() < V::Elem::INFINITY.bits() {
                self.index = bin_index(first);
            }
            self.open_window();
            let mut padding = no_padding();
            for part in x.blocks(Self::STEP, Self::STEP * ITERATIONS, &mut padding) {
                self.block(part);
            }
            self.drain();
            self.counts.summands = x.len() as u64;
            let totals = &self.totals.as_ref()[..self.folds];
            acc.absorb(self.index, totals, self.counts).expect("the capacity was reserved");
        }
    }

    /// The largest magnitude of whole rounds, so that the window is right from the start on ordinary data.
    #[inline(always)]
    unsafe fn first_max(x: impl Terms<V>) -> V::Elem {
        // SAFETY: passed on from the caller; rounds are pairs of whole vectors.
        unsafe {
            let (mut a, mut b) = (V::splat(V::Elem::default()), V::splat(V::Elem::default()));
            for at in (0..x.len()).step_by(2 * V::LANES) {
                a = x.load(at).max_abs(a);
                b = x.load(at + V::LANES).max_abs(b);
            }
            a.max_abs(b).max_lane()
        }
    }

    /// Is the window at the top of the range, where the block must be scaled? With nearly all folds not even that
    /// helps; then the definition itself does the work.
    fn scaled(&self) -> bool {
        self.index == 0 && may_scale::<V::Elem>(self.folds)
    }

    #[inline(always)]
    unsafe fn open_window(&mut self) {
        let index = self.index;
        if index == 0 && !self.scaled() {
            return;
        }
        let shift = shift_of::<V::Elem>(index);
        // SAFETY: passed on from the caller.
        unsafe { self.bins.set_references(|k| reference(index, k, shift)) };
        self.limit = round_nearest(1, V::Elem::unit_exponent(index) + V::Elem::WIDTH as i32 - 1);
    }

    /// Adds whole rounds, at most a block.
    #[inline(always)]
    unsafe fn block(&mut self, x: impl Terms<V>) {
        // SAFETY: passed on from the caller; `copy` has room for any block.
        unsafe {
            let rounds = x.len() / Self::STEP;
            while self.index != 0 && !self.specials {
                let (pending, seen) = self.bins.deposit(x);
                if !(seen.nan || seen.max.reaches(V::splat(self.limit))) {
                    return self.accept(pending, rounds);
                }
                let max = seen.max.max_lane();
                if seen.nan || max.bits() >= V::Elem::INFINITY.bits() || bin_index(max) == 0 {
                    break;
                }
                self.raise(bin_index(max));
            }
            let mut copy = [MaybeUninit::uninit(); MAX_BLOCK];
            let copy = &mut copy[..x.len()];
            let before = self.counts;
            let max = copy_clean::<V, _>(x, copy.as_mut_ptr().cast(), self.kind, &mut self.counts);
            self.specials = self.counts != before;
            self.raise(bin_index(max));
            if self.index == 0 {
                if !self.scaled() {
                    return self.by_definition(copy);
                }
                scale_down(copy);
            }
            let (pending, _) = self.bins.deposit(Values::at(copy.as_ptr().cast(), copy.len()));
            self.accept(pending, rounds);
        }
    }

    #[inline(always)]
    unsafe fn accept(&mut self, pending: B::Pending, rounds: usize) {
        // SAFETY: passed on from the caller.
        unsafe { self.bins.commit(pending, rounds) };
        self.blocks += 1;
        if self.blocks == BLOCKS_PER_DRAIN {
            // SAFETY: passed on from the caller.
            unsafe { self.drain() };
        }
    }

    /// Moves the counts of the lanes to the totals.
    #[inline(always)]
    unsafe fn drain(&mut self) {
        for k in 0..self.folds {
            // SAFETY: passed on from the caller.
            self.totals.as_mut()[k] += unsafe { self.bins.take(k) } as i128;
        }
        self.blocks = 0;
    }

    /// Raises the window to bin `index`, if that is above it.
    #[inline(always)]
    unsafe fn raise(&mut self, index: usize) {
        if index >= self.index {
            return;
        }
        // SAFETY: passed on from the caller.
        unsafe { self.drain() };
        let kept = self.folds.saturating_sub(self.index - index);
        let totals = &mut self.totals.as_mut()[..self.folds];
        totals.copy_within(..kept, self.folds - kept);
        totals[..self.folds - kept].fill(0);
        self.index = index;
        // SAFETY: passed on from the caller.
        unsafe { self.open_window() };
    }

    /// Adds a cleaned block in integers, in the topmost window.
    #[cold]
    fn by_definition(&mut self, x: &[MaybeUninit<V::Elem>]) {
        let mut part = Binned::with_kind(self.kind, self.folds).expect("the fold count was checked");
        for v in x {
            // SAFETY: a cleaned block is written whole.
            part.deposit(unsafe { v.assume_init() }).expect("a block is far below the capacity");
        }
        // The window of the part may begin lower: its totals then go to finer folds.
        let offset = part.index() - self.index;
        for (total, more) in self.totals.as_mut()[..self.folds].iter_mut().skip(offset).zip(part.totals()) {
            *total += more;
        }
    }
}
