//! Any bytes as the header of a `.npy` file.
#![no_main]

use libfuzzer_sys::fuzz_target;
use samebits::io::npy::read_header;
use samebits_fuzz::Drops;

fuzz_target!(|data: &[u8]| {
    let len = data.len() as u64;
    let mut rest = data;
    let piped = read_header(&mut rest, None);
    let consumed = len - rest.len() as u64;

    // However the bytes arrive, the result is the same.
    let drops = read_header(&mut Drops(data), None);
    assert_eq!(format!("{piped:?}"), format!("{drops:?}"));

    match (&piped, read_header(&mut { data }, Some(len))) {
        (Ok(header), Ok(known)) => {
            assert_eq!(header, &known);
            assert_eq!(header.data_offset, consumed, "the header is read, and no byte beyond it");
            assert_eq!(header.data_len(), header.count * header.scalar.size() as u64);
            if header.shape.iter().all(|&extent| extent > 0) {
                assert_eq!(header.shape.iter().product::<u64>(), header.count);
            } else {
                assert_eq!(header.count, 0);
            }
        }
        (Err(one), Err(other)) => assert!(!one.to_string().is_empty() && !other.to_string().is_empty()),
        (piped, known) => panic!("the length of the file makes a difference: {piped:?}, {known:?}"),
    }
});
