//! Opens the devices that the command line names.

use samebits::{Device, Queue};

use crate::args::{DeviceChoice, Places};
use crate::failure::Failure;

/// A queue for each device asked for, each once, in the order given.
pub(crate) fn open(places: &Places) -> Result<Vec<Queue>, Failure> {
    let mut wanted: Vec<Device> = Vec::new();
    for choice in &places.device {
        let named = match choice {
            DeviceChoice::One(device) => vec![*device],
            DeviceChoice::All => samebits::devices()?.into_iter().map(|info| info.device).collect(),
        };
        for device in named {
            if !wanted.contains(&device) {
                wanted.push(device);
            }
        }
    }
    let open = |device| {
        let queue = Queue::new(device)?;
        Ok(match places.threads {
            Some(threads) => queue.with_threads(threads.into())?,
            None => queue,
        })
    };
    wanted.into_iter().map(open).collect()
}

/// The only device asked for; `why` says why there can be no more.
pub(crate) fn open_one(places: &Places, why: &str) -> Result<Queue, Failure> {
    let mut queues = open(places)?;
    match (queues.pop(), queues.is_empty()) {
        (Some(queue), true) => Ok(queue),
        _ => Err(Failure::usage(format!("{why}: give one --device"))),
    }
}

/// Thread counts worth a comparison: all small ones, then ever larger ones, up to the machine's.
pub(crate) fn thread_counts(cores: usize) -> Vec<usize> {
    let doublings = (2..usize::BITS - 1).flat_map(|bit| [1usize << bit, (1 << bit) + (1 << (bit - 1))]);
    let mut counts: Vec<usize> = [1, 2, 3].into_iter().chain(doublings).take_while(|&n| n <= cores.max(2)).collect();
    if counts.last().is_some_and(|&last| last < cores) {
        counts.push(cores);
    }
    counts
}

#[cfg(test)]
mod tests {
    #[test]
    fn thread_counts_reach_the_machine() {
        assert_eq!(super::thread_counts(1), [1, 2]);
        assert_eq!(super::thread_counts(2), [1, 2]);
        assert_eq!(super::thread_counts(5), [1, 2, 3, 4, 5]);
        assert_eq!(super::thread_counts(20), [1, 2, 3, 4, 6, 8, 12, 16, 20]);
    }
}
