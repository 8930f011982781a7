//! What a page's header says that the page will be once it is unpacked.
//!
//! The `parquet` crate sets that much memory aside before it unpacks anything, up to 2 GiB for each few bytes of file.

use super::depth::{Compact, STOP};

/// As much may be claimed by any page: no writer makes pages nearly as long, a single long value aside.
const FREE: u64 = 64 << 20;

/// Beyond that, so many bytes for each packed one: a little more than the densest stream of gzip.
const DENSEST: u64 = 1100;

/// Why a page whose header begins like this is not to be unpacked; `None` if it may be.
pub(super) fn refusal(header: &[u8]) -> Option<String> {
    let Some((unpacked, packed)) = sizes(header) else {
        return Some(format!("a page header that does not tell its sizes within {} bytes", header.len()));
    };
    // What is negative is refused by the real parser.
    let (unpacked, packed) = (u64::try_from(unpacked).unwrap_or(0), u64::try_from(packed).unwrap_or(0));
    (unpacked > FREE.max(packed * DENSEST))
        .then(|| format!("a page of {packed} bytes claims to be {unpacked} bytes once it is unpacked"))
}

/// Unpacked and packed size, fields 2 and 3, whose type the real parser does not look at. A later field of the same
/// number would count, so all are looked at, as far as they are understood.
fn sizes(header: &[u8]) -> Option<(i64, i64)> {
    let mut bytes = Compact { bytes: header };
    let (mut field, mut unpacked, mut packed) = (0, None, None);
    while let Some(kind) = bytes.field(&mut field) {
        // The real parser's field numbers have 16 bits.
        match (field as i16, kind) {
            (_, STOP) => break,
            (2, _) => unpacked = unpacked.max(Some(bytes.signed()?)),
            (3, _) => packed = Some(bytes.signed()?),
            _ => {
                if bytes.skip(kind).is_none() {
                    break;
                }
            }
        }
    }
    Some((unpacked?, packed?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn zigzag(n: u32) -> Vec<u8> {
        let mut n = u64::from(n) << 1;
        let mut bytes = Vec::new();
        while n >= 0x80 {
            bytes.push(n as u8 | 0x80);
            n >>= 7;
        }
        bytes.push(n as u8);
        bytes
    }

    fn header(unpacked: u32, packed: u32) -> Vec<u8> {
        [&[0x15, 0][..], &[0x15], &zigzag(unpacked), &[0x15], &zigzag(packed), &[0]].concat()
    }

    #[test]
    fn claims_are_limited() {
        assert_eq!(sizes(&header(300, 200)), Some((300, 200)));
        assert_eq!(refusal(&header(64 << 20, 1)), None);
        assert_eq!(refusal(&header(1100 << 20, 1 << 20)), None);
        for (unpacked, packed) in [((64 << 20) + 1, 1), (i32::MAX as u32, 1000)] {
            let told = refusal(&header(unpacked, packed)).unwrap();
            assert!(told.contains(&format!("{packed} bytes claims to be {unpacked} bytes")), "{told}");
        }
        // Said twice, the larger one counts; said nowhere, it is refused.
        let twice = [&header(1, 1)[..6], &[0x05, 4], &zigzag(1 << 30), &[0]].concat();
        assert!(refusal(&twice).is_some(), "{twice:?}");
        assert!(refusal(&[0x15, 0, 0]).is_some() && refusal(&[]).is_some());
    }
}
