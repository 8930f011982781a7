//! Lists in Parquet's Thrift structures whose elements take no bytes.
//!
//! The `parquet` crate passes over fields it does not know, and goes through a list of booleans one by one without
//! reading anything. A few bytes can so claim work for hours. Real files have no such list where this looks.

use super::depth::{Compact, LIST, STOP, STRUCT};

/// More of such elements than this are refused; it takes no noticeable time to go through them.
pub(super) const MOST: u64 = 1 << 20;

/// How many elements without bytes the lists and maps within a structure claim, as far as it is understood.
pub(super) fn elements(structure: &[u8]) -> u64 {
    let mut walk = Walk { bytes: Compact { bytes: structure }, hollow: 0 };
    // Where this stops early, the real parser stops too.
    let _ = walk.skip(STRUCT, 64);
    walk.hollow
}

const BOOLEANS: [u8; 2] = [1, 2];
const SET: u8 = 10;
const MAP: u8 = 11;
const UUID: u8 = 13;

struct Walk<'a> {
    bytes: Compact<'a>,
    hollow: u64,
}

impl Walk<'_> {
    fn skip(&mut self, kind: u8, depth: u8) -> Option<()> {
        let depth = depth.checked_sub(1)?;
        match kind {
            STRUCT => loop {
                match self.bytes.field(&mut 0)? {
                    STOP => return Some(()),
                    kind => self.skip(kind, depth)?,
                }
            },
            LIST | SET => {
                let (count, kind) = self.bytes.list()?;
                self.elements(count, &[kind], depth)
            }
            MAP => match self.bytes.varint()? {
                0 => Some(()),
                count => {
                    let kinds = self.bytes.byte()?;
                    self.elements(count, &[kinds >> 4, kinds & 15], depth)
                }
            },
            UUID => self.bytes.bytes.split_off(..16).map(drop),
            kind => self.bytes.skip(kind),
        }
    }

    fn elements(&mut self, count: u64, kinds: &[u8], depth: u8) -> Option<()> {
        if kinds.iter().all(|kind| BOOLEANS.contains(kind)) {
            self.hollow = self.hollow.saturating_add(count);
            return Some(());
        }
        // Each of these takes a byte at least, so the end comes with that of the bytes.
        (0..count).try_for_each(|_| kinds.iter().try_for_each(|&kind| self.skip(kind, depth)))
    }
}

#[cfg(test)]
mod tests {
    use super::elements;

    #[test]
    fn booleans_in_lists_and_maps_are_counted() {
        assert_eq!(elements(&[0x15, 2, 0]), 0);
        assert_eq!(elements(&[0x11, 0x12, 0]), 0, "fields that are booleans take the byte of their head");
        assert_eq!(elements(&[0x19, 0x31, 0x19, 0xf2, 0xff, 0xff, 0xff, 0xff, 7, 0]), 3 + 0x7fff_ffff);
        assert_eq!(elements(&[0x1b, 0x64, 0x12, 0x1a, 0x21, 0]), 100 + 2);
        // Within lists of lists and structures, and before whatever is not understood.
        assert_eq!(elements(&[0x19, 0x29, 0x51, 0x61, 0x1c, 0x19, 0x11, 0, 0x1f]), 5 + 6 + 1);
        assert_eq!(elements(&[0x19, 0xf5, 0xff, 0xff, 0xff, 0xff, 7, 1, 2, 3]), 0);
        assert_eq!(elements(&[0x19; 1000]), 0);
    }
}
