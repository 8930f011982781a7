//! How time is taken: in turns, so that what slows the machine for a while slows every engine alike.

use crate::engines::Contender;

/// How much to measure.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Effort {
    /// A sample repeats calls until it is this long, well above what the clock can tell.
    pub(crate) sample_ns: f64,
    /// Samples at least, of data that fits into a cache.
    pub(crate) fewest_cached: usize,
    /// Samples at least, of data that does not.
    pub(crate) fewest_in_memory: usize,
    /// Samples at most.
    pub(crate) most: usize,
    /// Time for each engine and case; the fewest samples are taken all the same.
    pub(crate) seconds: f64,
}

impl Effort {
    /// For figures to be kept.
    pub(crate) const FULL: Effort =
        Effort { sample_ns: 2e6, fewest_cached: 15, fewest_in_memory: 7, most: 61, seconds: 0.5 };
    /// To see that everything runs.
    pub(crate) const QUICK: Effort =
        Effort { sample_ns: 2e5, fewest_cached: 3, fewest_in_memory: 3, most: 5, seconds: 0.01 };

    /// What is certainly larger than a core's caches, and mostly than its share of the last one.
    const CACHE_BYTES: usize = 1 << 24;

    /// How many samples, if one takes this long. An engine so slow that the fewest would take four times the time it
    /// has gets three: its figure needs no second digit.
    fn samples(self, bytes: usize, sample_ns: f64) -> usize {
        let fewest = if bytes > Self::CACHE_BYTES { self.fewest_in_memory } else { self.fewest_cached };
        let affordable = (self.seconds * 1e9 / sample_ns) as usize;
        if affordable * 4 < fewest { fewest.min(3) } else { affordable.clamp(fewest, self.most.max(fewest)) }
    }
}

/// What was measured of one engine, nanoseconds for a call.
#[derive(Clone, Debug, Default)]
pub(crate) struct Timing {
    pub(crate) loops: u64,
    /// In ascending order.
    pub(crate) samples: Vec<f64>,
}

impl Timing {
    pub(crate) fn min(&self) -> f64 {
        self.samples.first().copied().unwrap_or(f64::NAN)
    }

    pub(crate) fn max(&self) -> f64 {
        self.samples.last().copied().unwrap_or(f64::NAN)
    }

    pub(crate) fn median(&self) -> f64 {
        match self.samples.len() {
            0 => f64::NAN,
            n => (self.samples[(n - 1) / 2] + self.samples[n / 2]) / 2.0,
        }
    }
}

/// Times the contenders in turns. `bytes` is how much data each call reads.
pub(crate) fn in_turns(
    contenders: &mut [Box<dyn Contender + '_>],
    bytes: usize,
    effort: Effort,
) -> Vec<Result<Timing, String>> {
    let mut runs: Vec<Result<Run, String>> =
        contenders.iter_mut().map(|contender| Run::warm_up(&mut **contender, bytes, effort)).collect();
    let rounds = runs.iter().flatten().map(|run| run.wanted).max().unwrap_or(0);
    for round in 0..rounds {
        for (contender, run) in contenders.iter_mut().zip(&mut runs) {
            let Ok(state) = run else { continue };
            // An engine with fewer samples than there are rounds sits some out, evenly.
            if state.wanted * (round + 1) / rounds == state.wanted * round / rounds {
                continue;
            }
            // The engine before may have read a copy of its own, and pushed this one's data out of the cache.
            let primed = if bytes > Effort::CACHE_BYTES { Ok(0.0) } else { contender.time(1) };
            match primed.and_then(|_| contender.time(state.timing.loops)) {
                Ok(ns) => state.timing.samples.push(ns / state.timing.loops as f64),
                Err(fault) => *run = Err(fault),
            }
        }
    }
    let sorted = |mut run: Run| {
        run.timing.samples.sort_by(f64::total_cmp);
        run.timing
    };
    runs.into_iter().map(|run| run.map(sorted)).collect()
}

struct Run {
    timing: Timing,
    wanted: usize,
}

impl Run {
    /// Finds out how many calls make a sample; what that takes warms caches, pools and clocks.
    fn warm_up(contender: &mut dyn Contender, bytes: usize, effort: Effort) -> Result<Run, String> {
        let mut loops = 1;
        contender.time(1)?;
        loop {
            let ns = contender.time(loops)?.max(1.0);
            if ns >= effort.sample_ns {
                let timing = Timing { loops, samples: Vec::new() };
                return Ok(Run { timing, wanted: effort.samples(bytes, ns) });
            }
            let missing = (effort.sample_ns / ns).clamp(1.1, 10.0);
            loops = (loops as f64 * missing * 1.05).ceil() as u64;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Costs a fixed time for each call, and tells whose turn it was.
    struct Fixed<'a>(f64, char, &'a std::cell::RefCell<String>);

    impl Contender for Fixed<'_> {
        fn bits(&mut self) -> Result<u64, String> {
            Ok(0)
        }
        fn time(&mut self, loops: u64) -> Result<f64, String> {
            self.2.borrow_mut().push(self.1);
            if self.0 > 0.0 { Ok(self.0 * loops as f64) } else { Err("no".to_owned()) }
        }
    }

    #[test]
    fn engines_take_turns() {
        let turns = std::cell::RefCell::default();
        let effort = Effort { sample_ns: 1000.0, fewest_cached: 9, fewest_in_memory: 4, most: 8, seconds: 8e-6 };
        let names = [(100.0, 'a'), (0.0, 'x'), (2000.0, 'b'), (50_000.0, 'c')];
        let mut contenders: Vec<Box<dyn Contender>> =
            names.into_iter().map(|(ns, name)| Box::new(Fixed(ns, name, &turns)) as Box<dyn Contender>).collect();
        let timings = in_turns(&mut contenders, 1 << 25, effort);
        let samples: Vec<Option<usize>> = timings.iter().map(|t| t.as_ref().ok().map(|t| t.samples.len())).collect();
        assert_eq!(samples, [Some(7), None, Some(4), Some(3)]);
        drop(contenders);
        let turns = turns.into_inner();
        assert!(turns.ends_with("aabacabacababc"), "{turns}");
        let first = timings[0].as_ref().expect("timed");
        assert_eq!((first.loops, first.median().to_bits()), (11, 100f64.to_bits()));
    }

    #[test]
    fn the_median_is_in_the_middle() {
        let timing = |samples: &[f64]| Timing { loops: 1, samples: samples.to_vec() };
        assert_eq!(timing(&[1.0, 2.0, 9.0]).median().to_bits(), 2f64.to_bits());
        assert_eq!(timing(&[1.0, 2.0, 4.0, 9.0]).median().to_bits(), 3f64.to_bits());
        assert!(timing(&[]).median().is_nan());
    }
}
