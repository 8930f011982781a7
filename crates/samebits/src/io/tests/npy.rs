use serde_json::Value;

use super::*;
use crate::io::npy::read_header;

fn case(id: &str) -> Value {
    let cases = include_str!("../../../../../conformance/data/npy/cases.jsonl");
    cases.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()).find(|case| case["id"] == id).unwrap()
}

fn unhex(text: &Value) -> Vec<u8> {
    let text = text.as_str().unwrap();
    (0..text.len()).step_by(2).map(|i| u8::from_str_radix(&text[i..i + 2], 16).unwrap()).collect()
}

fn bits(list: &Value) -> Vec<u64> {
    list.as_array()
        .unwrap()
        .iter()
        .map(|v| u64::from_str_radix(v.as_str().unwrap().trim_start_matches("0x"), 16).unwrap())
        .collect()
}

fn get(content: &[u8], options: &Options) -> Result<Numbers> {
    read(open(Desk::new().file("a.npy", content), options)?)
}

fn load(content: &[u8]) -> Result<Numbers> {
    get(content, &Options::new())
}

#[test]
fn n01_big_endian_values_are_swapped_exactly_once() {
    let case = case("N01");
    let expected = &case["expected"];
    assert_eq!(load(&unhex(&case["input"]["npy_hex"])).unwrap(), Numbers::F64(bits(&expected["values_hex"])));
    let singles = bits(&expected["f4_hex"]).into_iter().map(|b| b as u32).collect();
    assert_eq!(load(&unhex(&case["input"]["npy_f4_hex"])).unwrap(), Numbers::F32(singles));
}

#[test]
fn n02_fortran_order_is_seen() {
    let content = unhex(&case("N02")["input"]["npy_hex"]);
    let header = read_header(&mut content.as_slice(), Some(content.len() as u64)).unwrap();
    assert!(header.fortran);
    assert_eq!(header.shape, [2, 3]);
    assert_eq!(load(&content).unwrap(), f64s(&[1.0, 4.0, 2.0, 5.0, 3.0, 6.0]));
}

#[test]
fn n04_missing_bytes_are_counted() {
    let case = case("N04");
    let files: Vec<_> = case["input"]["npy_hex"].as_array().unwrap().iter().map(unhex).collect();
    for (content, facts) in files.iter().zip([
        &["32 bytes", "24 found"][..],
        &["32 bytes", "29 found"],
        &["header cut", "118 bytes", "30 found"],
        &["header cut"],
        &["empty"],
    ]) {
        let told = message(load(content));
        assert!(facts.iter().all(|fact| told.contains(fact)), "{told}");
    }
    // Bytes after the data are ignored.
    assert_eq!(load(&files[5]).unwrap(), f64s(&[1.0, 2.0, 3.0, 4.0]));
}

#[test]
fn n06_headers_of_other_writers() {
    let case = case("N06");
    let files = &case["input"]["npy_hex"];
    assert_eq!(load(&unhex(&files["v2_unpadded"])).unwrap(), f64s(&[1.0, 2.0]));
    assert_eq!(load(&unhex(&files["reordered_double_quotes"])).unwrap(), f32s(&[1.5, -2.5]));
}

#[test]
fn n07_what_is_no_array_of_numbers() {
    let case = case("N07");
    let files = case["input"]["npy_hex"].as_array().unwrap();
    let facts = [
        "(np.int64(2),)",
        "shape 2",
        "never unpickled",
        "negative",
        "complex",
        "'<f2': half precision",
        "version 9.0",
        "magic",
    ];
    assert_eq!(files.len(), facts.len());
    for (content, fact) in files.iter().zip(facts) {
        let told = message(load(&unhex(content)));
        assert!(told.contains(fact), "{fact}: {told}");
    }
}

#[test]
fn floats_of_all_orders() {
    let values = [1.5, -2.25, f64::from_bits(0x7ff8_0000_dead_beef)];
    let little: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
    let big: Vec<u8> = values.iter().flat_map(|v| v.to_be_bytes()).collect();
    for descr in ["<f8", "=f8", "|f8", "f8"] {
        assert_eq!(load(&array(descr, "(3,)", &little)).unwrap(), f64s(&values), "{descr}");
    }
    assert_eq!(load(&array(">f8", "(3,)", &big)).unwrap(), f64s(&values));
    let big: Vec<u8> = [1.5f32, 0.1].iter().flat_map(|v| v.to_be_bytes()).collect();
    let wide = get(&array(">f4", "(2,)", &big), &Options::new().dtype(Dtype::F64)).unwrap();
    assert_eq!(wide, f64s(&[1.5, f64::from(0.1f32)]));
    let told = message(get(&array("<f8", "(3,)", &little), &Options::new().dtype(Dtype::F32)));
    assert!(told.contains("never narrowed"), "{told}");
}

#[test]
fn integers_of_all_types() {
    fn check<T: Copy + Into<i128>, const N: usize>(name: &str, values: &[T], little: fn(T) -> [u8; N]) {
        let ints: Vec<i128> = values.iter().map(|&v| v.into()).collect();
        let expected = f64s(&ints.iter().map(|&v| v as f64).collect::<Vec<_>>());
        let shape = format!("({},)", values.len());
        let data: Vec<u8> = values.iter().flat_map(|&v| little(v)).collect();
        assert_eq!(load(&array(&format!("<{name}"), &shape, &data)).unwrap(), expected);
        let data: Vec<u8> = values.iter().flat_map(|&v| little(v).into_iter().rev()).collect();
        assert_eq!(load(&array(&format!(">{name}"), &shape, &data)).unwrap(), expected);
    }
    check("i1", &[i8::MIN, -1, 0, i8::MAX], i8::to_le_bytes);
    check("u1", &[0, 200, u8::MAX], u8::to_le_bytes);
    check("i2", &[i16::MIN, 0x1234, i16::MAX], i16::to_le_bytes);
    check("u2", &[0, 0x1234, u16::MAX], u16::to_le_bytes);
    check("i4", &[i32::MIN, 0x1234_5678, i32::MAX], i32::to_le_bytes);
    check("u4", &[0, 0x1234_5678, u32::MAX], u32::to_le_bytes);
    check("i8", &[-(1i64 << 53), 3, 1 << 53], i64::to_le_bytes);
    check("u8", &[0, 1u64 << 53], u64::to_le_bytes);
    assert_eq!(load(&array("|b1", "(3,)", &[0, 1, 7])).unwrap(), f64s(&[0.0, 1.0, 1.0]));
}

#[test]
fn integers_beyond_the_type_are_refused_or_delivered_in_full() {
    let exact = Options::new().exact(true);
    let values = [1i64, (1 << 53) + 1, i64::MIN];
    let data: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
    let content = array("<i8", "(3,)", &data);
    match load(&content) {
        Err(Error::Integer { value, limit_bits: 53, dtype: "f64", .. }) => assert_eq!(value, (1 << 53) + 1),
        other => panic!("{other:?}"),
    }
    assert_eq!(get(&content, &exact).unwrap(), Numbers::Ints(values.map(i128::from).to_vec()));
    let content = array(">u8", "(1,)", &u64::MAX.to_be_bytes());
    assert!(matches!(load(&content), Err(Error::Integer { .. })));
    assert_eq!(get(&content, &exact).unwrap(), Numbers::Ints(vec![i128::from(u64::MAX)]));
    // As f32 the limit is nearer, and also met by 32-bit integers.
    let single = Options::new().dtype(Dtype::F32);
    let fits = array("<i4", "(1,)", &(1i32 << 24).to_le_bytes());
    assert_eq!(get(&fits, &single).unwrap(), f32s(&[16_777_216.0]));
    let beyond = array("<i4", "(1,)", &((1i32 << 24) + 1).to_le_bytes());
    assert!(matches!(get(&beyond, &single), Err(Error::Integer { limit_bits: 24, dtype: "f32", .. })));
    assert_eq!(get(&beyond, &single.exact(true)).unwrap(), Numbers::Ints(vec![(1 << 24) + 1]));
}

#[test]
fn shapes_and_notation() {
    let one = 1.5f64.to_le_bytes();
    let two = [one, one].concat();
    assert_eq!(load(&array("<f8", "()", &one)).unwrap(), f64s(&[1.5]));
    assert_eq!(load(&array("<f8", "(0,)", b"")).unwrap(), f64s(&[]));
    assert_eq!(load(&array("<f8", "(18446744073709551615, 0, 18446744073709551615)", b"")).unwrap(), f64s(&[]));
    for shape in ["(2L,)", "(1, 2)", "(1,2,)", "(2L, 1L)", "( 1 , 1,1 ,2 )", "(2,)"] {
        assert_eq!(load(&array("<f8", shape, &two)).unwrap(), f64s(&[1.5, 1.5]), "{shape}");
    }
    for header in [
        "{'shape':(2,),'descr':'<f8','fortran_order':True}",
        "{\"descr\": \"<f8\", \"shape\": (2,), \"fortran_order\": False,}        \n",
        "  { u'descr' : u'<f8' , 'fortran_order' : False , 'shape' : (2,) , }  ",
    ] {
        assert_eq!(load(&npy(header, &two)).unwrap(), f64s(&[1.5, 1.5]), "{header}");
    }
    let mut three = array("<f8", "(2,)", &two);
    three[6] = 3;
    three.splice(10..10, [0, 0]);
    assert_eq!(load(&three).unwrap(), f64s(&[1.5, 1.5]));
}

#[test]
fn broken_headers_are_errors() {
    for (shape, fact) in [
        ("(2)", "comma"),
        ("[2]", "not a tuple"),
        ("(2.0,)", "tuple of integers"),
        ("(,)", "tuple of integers"),
        ("(1,,2)", "tuple of integers"),
        ("(-2, -2)", "negative"),
        ("(4294967296, 4294967296)", "larger than any file"),
        ("(2305843009213693952,)", "larger than any file"),
        ("(99999999999999999999,)", "2^64"),
        ("(True,)", "tuple of integers"),
        ("(2", "tuple"),
        ("None", "not a tuple"),
    ] {
        let told = message(load(&array("<f8", shape, &[0; 64])));
        assert!(told.contains(fact), "{shape}: {told}");
    }
    for (descr, fact) in [
        ("|O", "never unpickled"),
        ("O", "never unpickled"),
        ("<c8", "complex"),
        ("<f2", "half"),
        ("<f16", "f4 and f8"),
        ("float64", "not a descr of a NumPy file; '<f8'"),
        ("<U5", "text"),
        ("|S3", "text"),
        ("<M8[ns]", "dates"),
        ("|V16", "structured"),
        ("<i16", "supported"),
        ("", "supported"),
        ("\u{1F980}f8", "supported"),
    ] {
        let told = message(load(&array(descr, "(2,)", &[0; 64])));
        assert!(told.contains(fact) && told.contains("dtype"), "{descr}: {told}");
    }
    for (header, fact) in [
        ("", "'{' expected"),
        ("{", "quoted word"),
        ("{}", "'shape' is missing"),
        ("{'descr': '<f8'}", "missing"),
        ("{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': ()}", "twice"),
        ("{'descr': '<f8', 'fortran_order': False, 'shape': (), 'more': 1}", "unknown key 'more'"),
        ("{'descr': '<f8', 'fortran_order': 0, 'shape': ()}", "True or False"),
        ("{'descr': '<f8', 'fortran_order': Falsehood, 'shape': ()}", "True or False"),
        ("{'descr': '<f8', 'fortran_order': False, 'shape': ()} more", "nothing more"),
        ("{'descr: 1", "not closed"),
        ("{'descr': [('a', '<f8'), ('b', '<i4')], 'fortran_order': False, 'shape': (2,)}", "structured"),
        ("{'descr': '<f8' 'fortran_order': False, 'shape': ()}", "expected"),
    ] {
        let told = message(load(&npy(header, &[0; 64])));
        assert!(told.contains(fact), "{header}: {told}");
    }
}

#[test]
fn claims_set_no_memory_aside() {
    // A header of 4 GiB, in a file and from a pipe.
    let claim = b"\x93NUMPY\x02\x00\xff\xff\xff\xff{'descr'";
    let told = message(load(claim));
    assert!(told.contains("header cut: 4294967295 bytes"), "{told}");
    let told = read_header(&mut &claim[..], None).unwrap_err().to_string();
    assert!(told.contains("4294967295"), "{told}");
    let told = message(load(&array("<f8", "(1000000000000000000,)", b"")));
    assert!(told.contains("8000000000000000000 bytes of data expected"), "{told}");
}

#[test]
fn every_cut_is_an_error() {
    let whole = array(">i4", "(2, 2)", &[1; 16]);
    for n in 0..whole.len() {
        assert!(matches!(load(&whole[..n]), Err(Error::Format { .. })), "{n}");
        let mut slice = &whole[..n];
        let _ = read_header(&mut slice, None);
    }
}
