//! Tokens of the characters that numbers are made of: the text reader takes what Rust's parser takes, and the same
//! bits of it; integers that the type cannot hold in full.
#![no_main]

use libfuzzer_sys::fuzz_target;
use samebits::io::{CHUNK, Dtype};
use samebits_cli::read::ReadOptions;
use samebits_cli::read::text::{Format, stream};
use samebits_fuzz::{Numbers, drain};
use std::path::Path;

/// Line ends cut tokens; digits are there twice, to be frequent.
const ALPHABET: &[u8; 32] = b"01234567890123456789+-.eEinfaNI\n";

fuzz_target!(|data: &[u8]| {
    let Some((&flags, data)) = data.split_first() else { return };
    let dtype = if flags & 1 == 0 { Dtype::F64 } else { Dtype::F32 };
    let text: String = data.iter().map(|&b| char::from(ALPHABET[usize::from(b % 32)])).collect();
    let tokens: Vec<&str> = text.split('\n').filter(|token| !token.is_empty()).collect();
    let opts = ReadOptions { dtype: Some(dtype), exact: true, ..ReadOptions::default() };

    let mut expected = Numbers::default();
    for token in &tokens {
        let digits = token.strip_prefix(['+', '-']).unwrap_or(token);
        let integer = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
        match (token.parse::<i128>().ok(), dtype) {
            // Integers are counted in full or refused; nobody meant to have them rounded.
            (None, _) if integer => break,
            (Some(n), _) if !dtype.holds(n) => expected.ints.push(n),
            (_, Dtype::F64) => match token.parse::<f64>() {
                Ok(value) => expected.f64s.push(value.to_bits()),
                Err(_) => break,
            },
            (_, Dtype::F32) => match token.parse::<f32>() {
                Ok(value) => expected.f32s.push(value.to_bits()),
                Err(_) => break,
            },
        }
    }
    let fine = expected.f64s.len() + expected.f32s.len() + expected.ints.len();
    // A number first, so that a token that is none cannot be a header.
    let text = format!("7\n{}\n", tokens.join("\n"));
    match dtype {
        Dtype::F64 => expected.f64s.insert(0, 7f64.to_bits()),
        Dtype::F32 => expected.f32s.insert(0, 7f32.to_bits()),
    }
    let mut text = stream(text.as_bytes(), Path::new("text"), None, Format::Csv, &opts).expect("a text that begins");
    let mut found = drain(&mut text, CHUNK);
    match found.error.take() {
        None => {
            assert_eq!(fine, tokens.len(), "a token that Rust does not take");
            assert_eq!(found, expected);
        }
        Some(error) => {
            let line = fine + 2;
            assert!(fine < tokens.len(), "Rust takes every token: {error}");
            assert!(error.starts_with(&format!("text:{line}: ")), "line {line}: {error}");
        }
    }
});
