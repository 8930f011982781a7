//! Numbers found by measurement. None of them can change a result.

/// How far ahead of the loop memory is asked for, in bytes. With so much to do for each value, fewer loads are under way
/// than the memory could serve: asking early brought a sum from DRAM from 1.35 to 1.06 times the plain one's time (Zen 3).
pub(crate) const PREFETCH_BYTES: usize = 3072;

/// A task for a thread is not smaller than this many bytes: some ten microseconds of work.
pub(crate) const MIN_TASK_BYTES: usize = 1 << 18;

/// Tasks for each thread, so that a thread that was held up does not hold up all.
pub(crate) const TASKS_PER_THREAD: usize = 4;
