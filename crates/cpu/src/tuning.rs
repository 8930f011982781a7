//! Numbers found by measurement. None of them can change a result.

/// How far ahead of the loop memory is asked for, in bytes. With so much to do for each value, fewer loads are under way
/// than the memory could serve. Into all cache levels: the non-temporal hint is a little better from the DRAM of Zen 3 but
/// costs a factor of 2.5 where an Intel server has the data in its last cache.
pub(crate) const PREFETCH_BYTES: usize = 8192;

/// A task for a thread is not smaller than this many bytes: some ten microseconds of work.
pub(crate) const MIN_TASK_BYTES: usize = 1 << 18;

/// Tasks for each thread, so that a thread that was held up does not hold up all.
pub(crate) const TASKS_PER_THREAD: usize = 4;

/// Rows for each group that make another thread's accumulators worth their merging.
pub(crate) const ROWS_PER_GROUP: usize = 16;
