use super::*;

#[test]
fn little_endian_numbers_keep_their_bits() {
    let desk = Desk::new();
    let doubles = [1.5, -0.0, f64::from_bits(0x7ff0_0000_0000_0001), 5e-324, f64::INFINITY];
    let data: Vec<u8> = doubles.iter().flat_map(|v| v.to_le_bytes()).collect();
    assert_eq!(read(open(desk.file("a.f64", &data), &Options::new()).unwrap()).unwrap(), f64s(&doubles));

    let singles = [1.5f32, -0.0, 1e-45, 0.1];
    let data: Vec<u8> = singles.iter().flat_map(|v| v.to_le_bytes()).collect();
    let path = desk.file("a.f32", &data);
    assert_eq!(read(open(&path, &Options::new()).unwrap()).unwrap(), f32s(&singles));
    let wide = open(&path, &Options::new().dtype(Dtype::F64)).unwrap();
    assert_eq!((wide.dtype(), wide.bytes()), (Dtype::F64, Some(16)));
    assert_eq!(read(wide).unwrap(), f64s(&singles.map(f64::from)));
}

#[test]
fn never_narrowed() {
    let desk = Desk::new();
    let path = desk.file("a.f64", &[0; 8]);
    let told = message(open(&path, &Options::new().dtype(Dtype::F32)));
    assert!(told.contains("never narrowed"), "{told}");
}

#[test]
fn empty_is_no_error_and_uneven_is() {
    let desk = Desk::new();
    assert_eq!(read(open(desk.file("a.f64", b""), &Options::new()).unwrap()).unwrap(), f64s(&[]));
    let told = message(open(desk.file("b.f64", &[0; 13]), &Options::new()));
    assert!(told.contains("13 bytes") && told.contains("8 bytes") && told.contains("5 bytes"), "{told}");
}

#[test]
fn a_file_that_shrinks_is_an_error() {
    let desk = Desk::new();
    let path = desk.file("a.f64", &[0; 80]);
    let Source::Flat(flat) = open(&path, &Options::new()).unwrap() else { panic!() };
    desk.file("a.f64", &[0; 44]);
    let mut chunk = Chunk::new();
    flat.read_at(0, &mut chunk, 5).unwrap();
    let told = message(flat.read_at(0, &mut chunk, 10));
    assert!(told.contains("shorter") && chunk.is_empty(), "{told}");
}

#[test]
fn buffers_are_reused() {
    let desk = Desk::new();
    let data: Vec<u8> = (0..10_000).flat_map(|v| f64::from(v).to_le_bytes()).collect();
    let Source::Flat(flat) = open(desk.file("a.f64", &data), &Options::new()).unwrap() else { panic!() };
    let mut chunk = Chunk::new();
    flat.read_at(0, &mut chunk, 1000).unwrap();
    let before = chunk.f64s.as_ptr();
    for start in [1000, 9000, 5, 2000] {
        flat.read_at(start, &mut chunk, 1000).unwrap();
        assert_eq!(chunk.f64s[999].to_bits(), ((start + 999) as f64).to_bits());
        flat.read_at(start, &mut chunk, 10).unwrap();
        assert_eq!(chunk.len(), 10);
    }
    assert_eq!(before, chunk.f64s.as_ptr());
}

#[cfg(unix)]
#[test]
fn pipes_are_streams() {
    let desk = Desk::new();
    let pipe = |name: &str, content: Vec<u8>| {
        let path = desk.0.path().join(name);
        assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
        let writer = path.clone();
        // The reader may stop early, which breaks the pipe.
        std::thread::spawn(move || drop(fs::write(writer, content)));
        path
    };
    let values: Vec<f64> = (0..200_000).map(|v| f64::from(v) * 0.1).collect();
    let data: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
    let source = open(pipe("a.f64", data.clone()), &Options::new()).unwrap();
    assert_eq!(source.bytes(), None);
    assert_eq!(read(source).unwrap(), f64s(&values));
    let source = open(pipe("a.npy", array("<f8", "(200000,)", &data)), &Options::new()).unwrap();
    assert_eq!(read(source).unwrap(), f64s(&values));
    let told = message(read(open(pipe("b.f64", data[..20].to_vec()), &Options::new()).unwrap()));
    assert!(told.contains("20 bytes"), "{told}");
    let told =
        message(read(open(pipe("b.npy", array("<f8", "(70000,)", &data[..69_999 * 8])), &Options::new()).unwrap()));
    assert!(told.contains("560000 bytes") && told.contains("559992 found"), "{told}");
    assert!(message(open(pipe("a.npz", Vec::new()), &Options::new())).contains("pipe"));
}
