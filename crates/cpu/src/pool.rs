//! Threads: a pool of its own for each queue, made when a long input first needs it.

use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::{Arc, Mutex, PoisonError};

/// How many threads, and the pool once it exists.
#[derive(Debug)]
pub(crate) struct Pool {
    threads: usize,
    /// The pool and the process that made it: threads do not survive a fork, so a forked child makes its own.
    made: Mutex<Option<(u32, Arc<ThreadPool>)>>,
}

impl Pool {
    /// Nothing is started yet.
    pub(crate) fn new(threads: usize) -> Pool {
        Pool { threads: threads.max(1), made: Mutex::new(None) }
    }

    /// As many threads as the process may run at once: its affinity and its share of the machine count.
    pub(crate) fn default_threads() -> usize {
        std::thread::available_parallelism().map_or(1, |n| n.get())
    }

    pub(crate) fn threads(&self) -> usize {
        self.threads
    }

    /// The pool, or `None` if no thread can be started: then the calling thread does the work.
    pub(crate) fn get(&self) -> Option<Arc<ThreadPool>> {
        let process = std::process::id();
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((owner, pool)) = made.take() {
            if owner == process {
                return Some(made.insert((owner, pool)).1.clone());
            }
            // Its threads are not in this process: waiting for them to end would never end.
            std::mem::forget(pool);
        }
        let name = |i| format!("samebits-{i}");
        let pool = ThreadPoolBuilder::new().num_threads(self.threads).thread_name(name).build();
        let pool = pool.inspect_err(|e| log::warn!("no threads, using the calling one: {e}")).ok()?;
        Some(made.insert((process, Arc::new(pool))).1.clone())
    }
}
