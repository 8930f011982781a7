//! Any bytes as numbers to be summed: every instruction set, whole, split, merged and continued, against the
//! reference device.
#![no_main]

use libfuzzer_sys::fuzz_target;
use samebits::{Accumulator, Device, Element, Kind, Mode, Queue, devices};
use std::sync::OnceLock;

fuzz_target!(|data: &[u8]| {
    let [choice, flags, cut, data @ ..] = data else { return };
    let kind = if flags & 1 == 0 { Kind::Sum } else { Kind::Asum };
    if flags & 2 == 0 {
        let x: Vec<f64> = data.chunks_exact(8).map(|b| f64::from_bits(word(b))).collect();
        check(&x, kind, *choice, *cut);
    } else {
        let x: Vec<f32> = data.chunks_exact(4).map(|b| f32::from_bits(word(b) as u32)).collect();
        check(&x, kind, *choice, *cut);
    }
});

fn word(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |n, &b| n << 8 | u64::from(b))
}

/// The reference device, and the CPU once for each instruction set.
fn queues() -> &'static (Queue, Vec<Queue>) {
    static QUEUES: OnceLock<(Queue, Vec<Queue>)> = OnceLock::new();
    QUEUES.get_or_init(|| {
        let devices = devices().expect("devices");
        let isas = devices.iter().flat_map(|device| &device.isas);
        let cpu = |isa: &&str| Queue::cpu()?.with_threads(1)?.with_isa(isa);
        let cpus = isas.map(|isa| cpu(isa).expect("an instruction set that was listed")).collect();
        (Queue::new(Device::Reference).expect("the reference device"), cpus)
    })
}

fn check<T: Element>(x: &[T], kind: Kind, choice: u8, cut: u8) {
    // 0 and what is beyond the type is the exact mode, so that it is not rare.
    let folds = usize::from(choice % 64);
    let modes = (T::MIN_FOLDS..=T::MAX_FOLDS).contains(&folds).then(|| Mode::folds(folds).expect("folds in range"));
    let mode = modes.unwrap_or(Mode::exact());
    let empty = Accumulator::<T>::with_kind(kind, mode).expect("a mode of the type");
    let (head, tail) = x.split_at(x.len() * usize::from(cut) / 256);

    let (reference, cpus) = queues();
    let of = |queue: &Queue, parts: &[&[T]]| {
        let mut acc = empty.clone();
        for part in parts {
            acc.extend_on(queue, part).expect("room for a few numbers");
        }
        acc
    };
    let right = of(reference, &[x]);
    let right_head = of(reference, &[head]);
    let same = |found: &Accumulator<T>, right: &Accumulator<T>, how: &str, queue: &Queue| {
        assert_eq!(found.to_bytes(), right.to_bytes(), "{how} on {queue:?}, {mode:?}");
        assert_eq!(found.value().bits(), right.value().bits(), "{how} on {queue:?}, {mode:?}");
        assert_eq!(found.mean().bits(), right.mean().bits(), "{how} on {queue:?}, {mode:?}");
    };
    for queue in cpus {
        same(&of(queue, &[x]), &right, "whole", queue);
        same(&of(queue, &[head, tail]), &right, "in two parts", queue);
        let (mut merged, other) = (of(queue, &[tail]), of(queue, &[head]));
        same(&other, &right_head, "the first part", queue);
        merged.merge(&other).expect("the same mode");
        same(&merged, &right, "merged", queue);
        if mode.is_exact() {
            merged.subtract(&of(queue, &[tail])).expect("it is in there");
            same(&merged, &right_head, "taken back", queue);
        }
    }
    let mut pushed = empty;
    x.iter().rev().for_each(|&x| pushed.push(x).expect("room for a few numbers"));
    same(&pushed, &right, "one at a time, backwards", reference);
}
