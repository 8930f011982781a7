//! Any bytes as the directory of a `.npz` file.
#![no_main]

use libfuzzer_sys::fuzz_target;
use samebits::io::npz::list;
use std::io::Cursor;

fuzz_target!(|data: &[u8]| {
    let len = data.len() as u64;
    match list(Cursor::new(data), len) {
        Ok(members) => {
            for member in members.iter().filter(|member| member.unreadable.is_none()) {
                let end = member.start.checked_add(member.packed).expect("a member that ends");
                assert!(end <= len, "{member:?} ends beyond the file at {len}");
                assert!(member.deflated || member.packed == member.size, "{member:?}");
            }
        }
        Err(fault) => assert!(!fault.to_string().is_empty()),
    }
});
