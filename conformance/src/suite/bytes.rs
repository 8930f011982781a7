//! States as bytes.

use samebits_core::MAX_STATE_BYTES;

/// What a state writes.
pub(super) fn bytes_of(write: impl FnOnce(&mut [u8]) -> samebits_core::Result<usize>) -> Vec<u8> {
    let mut bytes = vec![0; MAX_STATE_BYTES];
    let n = write(&mut bytes).expect("room for any state");
    bytes.truncate(n);
    bytes
}
