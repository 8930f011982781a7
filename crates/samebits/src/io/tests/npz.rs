use std::io::{Cursor, Write};

use ::zip::write::SimpleFileOptions;
use ::zip::{CompressionMethod, ZipWriter};

use super::*;
use crate::io::npz::list;

const METHODS: [CompressionMethod; 2] = [CompressionMethod::Stored, CompressionMethod::Deflated];

fn archive(method: CompressionMethod, members: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in members {
        zip.start_file(*name, SimpleFileOptions::default().compression_method(method)).unwrap();
        zip.write_all(content).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

fn doubles(values: &[f64]) -> Vec<u8> {
    let data: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
    array("<f8", &format!("({},)", values.len()), &data)
}

fn load(content: &[u8], name: Option<&str>) -> Result<Numbers> {
    let mut options = Options::new();
    options.array = name.map(str::to_owned);
    read(open(Desk::new().file("a.npz", content), &options)?)
}

#[test]
fn one_array_needs_no_name_and_several_do() {
    let long: Vec<f64> = (0..150_000).map(|v| f64::from(v) * 0.1).collect();
    for method in METHODS {
        let one = archive(method, &[("readme.txt", b"hello".to_vec()), ("x.npy", doubles(&long))]);
        assert_eq!(load(&one, None).unwrap(), f64s(&long));
        let two =
            archive(method, &[("x.npy", doubles(&[1.0])), ("a/b.npy", doubles(&[0.1, 0.2])), ("e.npy", doubles(&[]))]);
        assert_eq!(load(&two, Some("x")).unwrap(), f64s(&[1.0]));
        assert_eq!(load(&two, Some("x.npy")).unwrap(), f64s(&[1.0]));
        assert_eq!(load(&two, Some("a/b")).unwrap(), f64s(&[0.1, 0.2]));
        assert_eq!(load(&two, Some("e")).unwrap(), f64s(&[]));
        for (name, fact) in [(None, "several"), (Some("y"), "no array 'y'")] {
            let told = message(load(&two, name));
            assert!(told.contains(fact) && told.contains("x, a/b, e"), "{told}");
        }
        assert!(message(load(&archive(method, &[("a.txt", vec![])]), None)).contains("no .npy array"));
    }
}

#[test]
fn stored_arrays_can_be_read_at_any_place() {
    let path = Desk::new();
    let path = path.file("a.npz", &archive(METHODS[0], &[("x.npy", doubles(&[1.0, 2.0, 3.0]))]));
    assert!(matches!(open(path, &Options::new()).unwrap(), Source::Flat(_)));
}

#[test]
fn damage_is_found() {
    let values: Vec<f64> = (0..100_000u32).map(|v| f64::from(v.wrapping_mul(2_654_435_761)) * 1e-3).collect();
    for method in METHODS {
        let good = archive(method, &[("x.npy", doubles(&values))]);
        assert_eq!(load(&good, None).unwrap(), f64s(&values));
        for place in [500, good.len() / 2, good.len() - 5000] {
            let mut bad = good.clone();
            bad[place] ^= 0x10;
            let desk = Desk::new();
            let result = open(desk.file("a.npz", &bad), &Options::new()).and_then(|source| match source {
                // Backwards, in parts: the checksum does not depend on the order.
                Source::Flat(flat) => {
                    let mut chunk = Chunk::new();
                    let mut result = Ok(());
                    for part in (0..100).rev() {
                        result = result.and(flat.read_at(part * 1000, &mut chunk, 1000));
                    }
                    result
                }
                stream => read(stream).map(drop),
            });
            let told = message(result);
            assert!(told.contains("damaged"), "{method} {place}: {told}");
        }
    }
}

#[test]
fn what_is_no_archive() {
    assert!(message(load(b"", None)).contains("empty"));
    assert!(message(load(b"hello, this is no archive", None)).contains("zip"));
    for method in METHODS {
        let good = archive(method, &[("x.npy", doubles(&[0.1; 100]))]);
        for n in 0..good.len() {
            assert!(matches!(load(&good[..n], None), Err(Error::Format { .. })), "{n}");
        }
        // Any byte wrong: an error or the right numbers, and never a panic.
        for n in 0..good.len() {
            for flip in [0xff, 1, 0x80] {
                let mut bad = good.clone();
                bad[n] ^= flip;
                if let Ok(numbers) = load(&bad, None) {
                    assert_eq!(numbers, f64s(&[0.1; 100]), "{n}");
                }
                let _ = list(Cursor::new(&bad), bad.len() as u64);
            }
        }
    }
}

#[test]
fn unreadable_members_say_why() {
    let mut bad = archive(METHODS[0], &[("x.npy", doubles(&[1.0]))]);
    let directory = bad.windows(4).rposition(|w| w == b"PK\x01\x02").unwrap();
    // The flag of encryption, in the directory and in front of the member.
    bad[directory + 8] |= 1;
    bad[6] |= 1;
    let told = message(load(&bad, None));
    assert!(told.contains("encrypted"), "{told}");

    let mut bad = archive(METHODS[0], &[("x.npy", doubles(&[1.0]))]);
    bad[directory + 10] = 12;
    bad[8] = 12;
    let told = message(load(&bad, None));
    assert!(told.contains("not supported") && told.contains("'x'"), "{told}");

    let short = archive(METHODS[1], &[("x.npy", array("<f8", "(1000,)", &[0; 80]))]);
    let told = message(load(&short, None));
    assert!(told.contains("8000 bytes") && told.contains("80 found") && told.contains("'x'"), "{told}");
}
