//! Any bytes as numbers: running sums, dots, norms and moments on every instruction set, against the reference device.
#![no_main]

use libfuzzer_sys::fuzz_target;
use samebits::{Cumsum, Device, Dot, DotAccumulator, Element, Mode, Norm, Queue, Variance, devices};
use std::sync::OnceLock;

fuzz_target!(|data: &[u8]| {
    let [choice, flags, repeat, cut, data @ ..] = data else { return };
    // Long enough for whole blocks now and then.
    let repeat = usize::from(*repeat) % 24 + 1;
    if flags & 1 == 0 {
        let x: Vec<f64> = data.chunks_exact(8).map(|b| f64::from_bits(word(b))).collect();
        check(&x.repeat(repeat), *choice, *flags, *cut);
    } else {
        let x: Vec<f32> = data.chunks_exact(4).map(|b| f32::from_bits(word(b) as u32)).collect();
        check(&x.repeat(repeat), *choice, *flags, *cut);
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

/// Bits of everything that is computed, in order.
fn results<T: Element>(queue: &Queue, x: &[T], y: &[T], mode: Mode, exclusive: bool, cut: usize) -> Vec<u64> {
    let scan = if exclusive { Cumsum::new().mode(mode).exclusive() } else { Cumsum::new().mode(mode) };
    let mut running = x.to_vec();
    let (head, tail) = running.split_at_mut(cut);
    let mut state = scan.start().expect("a mode of the type");
    state.next_in_place(queue, head).expect("room for a few numbers");
    state.next_in_place(queue, tail).expect("room for a few numbers");
    let mut bits: Vec<u64> = running.iter().map(|v| v.bits()).collect();

    let mut dot = DotAccumulator::<T>::new(mode).expect("a mode of the type");
    dot.extend_on(queue, &x[..cut], &y[..cut]).expect("equal lengths");
    dot.extend_on(queue, &x[cut..], &y[cut..]).expect("equal lengths");
    bits.push(dot.value().bits());
    bits.extend(dot.to_bytes().into_iter().map(u64::from));
    bits.push(Dot::new().mode(mode).run(queue, y, x).expect("equal lengths").bits());

    let most = if T::BITS == 64 { 26 } else { 11 };
    let two = match mode.fold_count() {
        Some(folds) => Norm::two().folds(folds.min(most)).expect("folds of a norm"),
        None => Norm::two().exact(),
    };
    for norm in [two, Norm::inf(), Norm::one()] {
        bits.push(norm.run(queue, x).expect("a norm").bits());
    }
    let moments = Variance::new().accumulate(queue, x).expect("room for a few numbers");
    bits.extend([moments.mean(), moments.variance(1), moments.std_dev(0)].map(|v| v.bits()));
    bits.extend(moments.to_bytes().into_iter().map(u64::from));
    bits
}

fn check<T: Element>(x: &[T], choice: u8, flags: u8, cut: u8) {
    // 0 and what is beyond the type is the exact mode; few folds are the most usual.
    let folds = usize::from(if choice < 128 { choice % 5 } else { choice % 64 });
    let modes = (T::MIN_FOLDS..=T::MAX_FOLDS).contains(&folds).then(|| Mode::folds(folds).expect("folds in range"));
    let mode = modes.unwrap_or(Mode::exact());
    let y: Vec<T> = x.iter().rev().copied().collect();
    let cut = x.len() * usize::from(cut) / 256;
    let (reference, cpus) = queues();
    let right = results(reference, x, &y, mode, flags & 2 != 0, cut);
    for queue in cpus {
        let found = results(queue, x, &y, mode, flags & 2 != 0, 0);
        assert!(found == right, "{queue:?}, {mode:?}, at {:?}", found.iter().zip(&right).position(|(a, b)| a != b));
    }
}
