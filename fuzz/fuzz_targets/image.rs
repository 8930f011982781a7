//! Any words as a reduction image: refused, or an accumulator whose own image gives it back.
#![no_main]

use libfuzzer_sys::fuzz_target;
use samebits_core::{Binned, Float, Kind};

fuzz_target!(|data: &[u8]| {
    let [flags, folds, rank, data @ ..] = data else { return };
    let kind = if flags & 1 == 0 { Kind::Sum } else { Kind::Asum };
    // Most words in use are 32-bit digits; whole words reach the rest.
    let mut words: Vec<i64> = if flags & 2 == 0 {
        data.chunks_exact(4).map(|b| i64::from(i32::from_le_bytes([b[0], b[1], b[2], b[3]]))).collect()
    } else {
        data.chunks_exact(8).map(|b| b.iter().rev().fold(0, |n, &b| n << 8 | i64::from(b))).collect()
    };
    let rank = i64::from(*rank as i8);
    let folds = usize::from(folds % 54);
    if flags & 4 == 0 {
        check::<f64>(kind, folds, rank, &mut words);
    } else {
        check::<f32>(kind, folds, rank, &mut words);
    }
});

fn check<T: Float + std::fmt::Debug>(kind: Kind, folds: usize, rank: i64, words: &mut Vec<i64>) {
    let _ = Binned::<T>::from_image(kind, folds, rank, words);
    words.resize(Binned::<T>::image_len(folds), 0);
    let Ok(acc) = Binned::<T>::from_image(kind, folds, rank, words) else { return };
    let _ = (acc.value(), acc.mean(), acc.error_bound());
    assert_eq!((acc.kind(), acc.folds()), (kind, folds));

    let mut bytes = [0; samebits_core::MAX_STATE_BYTES];
    let n = acc.write_bytes(&mut bytes).expect("the buffer holds any state");
    assert_eq!(Binned::from_bytes(&bytes[..n]).as_ref(), Ok(&acc));

    let mut image = words.clone();
    acc.write_image(acc.window_rank(), &mut image).expect("its own rank");
    assert_eq!(Binned::<T>::from_image(kind, folds, acc.window_rank(), &image).as_ref(), Ok(&acc));
    // In a window that is nobody's own an image alone need not stand for anything.
    if acc.write_image(acc.window_rank() + 1, &mut image).is_ok() {
        let _ = Binned::<T>::from_image(kind, folds, acc.window_rank() + 1, &image);
    }

    let mut twice = acc;
    if twice.merge(&acc).is_ok() {
        let _ = (twice.value(), twice.mean(), twice.error_bound());
        let rank = twice.window_rank().max(acc.window_rank());
        let mut image = words.clone();
        acc.write_image(rank, &mut image).expect("a rank that is not below");
        image.iter_mut().for_each(|word| *word *= 2);
        assert_eq!(Binned::<T>::from_image(kind, folds, rank, &image).as_ref(), Ok(&twice));
    }
}
