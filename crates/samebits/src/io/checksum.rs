//! A checksum over bytes that threads read in parts, in any order.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use crc32fast::Hasher;

use super::Fault;

/// Collects the checksums of parts and joins neighbours, until the whole is there and can be compared.
#[derive(Debug)]
pub(crate) struct Ledger {
    begin: u64,
    end: u64,
    expected: u32,
    parts: Mutex<Parts>,
}

#[derive(Debug, Default)]
struct Parts {
    complete: bool,
    /// Start of a part: its end and the checksum of its bytes.
    known: BTreeMap<u64, (u64, Hasher)>,
}

impl Ledger {
    /// For the bytes of a file from `begin` to `end`, which must have the checksum `expected`.
    pub(crate) fn new(begin: u64, end: u64, expected: u32) -> Self {
        Ledger { begin, end, expected, parts: Mutex::default() }
    }

    /// Takes note of the bytes read from place `at` on. Parts read twice count once; what overlaps a known part
    /// without being its neighbour is left out, so reading the same parts again is always fine.
    pub(crate) fn add(&self, at: u64, bytes: &[u8]) -> Result<(), Fault> {
        let end = at + bytes.len() as u64;
        if bytes.is_empty() && self.begin != self.end || !self.wants(at, end) {
            return Ok(());
        }
        let mut crc = Hasher::new();
        crc.update(bytes);
        self.note(at, end, crc)
    }

    fn wants(&self, at: u64, end: u64) -> bool {
        let parts = self.parts.lock().unwrap_or_else(PoisonError::into_inner);
        !parts.complete && parts.is_free(at, end)
    }

    fn note(&self, at: u64, end: u64, crc: Hasher) -> Result<(), Fault> {
        let mut parts = self.parts.lock().unwrap_or_else(PoisonError::into_inner);
        // Another thread may have read the same place while this one computed.
        if parts.complete || !parts.is_free(at, end) {
            return Ok(());
        }
        let (mut begin, mut end, mut crc) = (at, end, crc);
        if let Some((next_end, next)) = parts.known.remove(&end) {
            crc.combine(&next);
            end = next_end;
        }
        let before = parts.known.range(..begin).next_back().map(|(&start, &(stop, _))| (start, stop));
        if let Some((start, stop)) = before
            && stop == begin
            && let Some((_, mut first)) = parts.known.remove(&start)
        {
            first.combine(&crc);
            (begin, crc) = (start, first);
        }
        if (begin, end) != (self.begin, self.end) {
            parts.known.insert(begin, (end, crc));
            return Ok(());
        }
        parts.complete = true;
        let found = crc.finalize();
        if found == self.expected {
            return Ok(());
        }
        Err(Fault::bad(format!(
            "the data is damaged: its checksum (CRC-32) is {found:08x}, and the archive says {:08x}",
            self.expected
        )))
    }
}

impl Parts {
    fn is_free(&self, at: u64, end: u64) -> bool {
        // Parts never overlap each other, so only the last one that begins before our end can reach into us.
        self.known.range(..end).next_back().is_none_or(|(_, &(stop, _))| stop <= at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ledger(data: &[u8]) -> Ledger {
        Ledger::new(100, 100 + data.len() as u64, crc32fast::hash(data))
    }

    #[test]
    fn parts_in_any_order_make_the_whole() {
        let data: Vec<u8> = (0..=255u8).cycle().take(1000).collect();
        let mut damaged = data.clone();
        damaged[777] ^= 1;
        for order in [[0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1], [1, 3, 0, 2]] {
            let ledger = ledger(&data);
            for part in order {
                let (from, to) = (part * 250, part * 250 + 250);
                ledger.add(100 + from as u64, &data[from..to]).unwrap();
                ledger.add(100 + from as u64, &data[from..to]).unwrap();
            }
            assert!(ledger.parts.lock().unwrap().complete);
            // Once compared, later passes cost nothing and change nothing.
            ledger.add(100, &damaged).unwrap();

            let ledger = self::ledger(&data);
            let results: Vec<_> = order
                .iter()
                .map(|&part| ledger.add(100 + part as u64 * 250, &damaged[part * 250..][..250]).is_ok())
                .collect();
            assert_eq!(results, [true, true, true, false]);
        }
    }
}
