//! `cumsum`.

use crate::process::{Files, doubles, npy, numbers, singles};

/// What follows the header of a .npy file of one dimension, after a check of that.
#[track_caller]
fn data(files: &Files, name: &str, descr: &str, count: usize) -> Vec<u8> {
    let bytes = std::fs::read(files.path(name)).unwrap();
    let (header, data) = bytes.split_at(128);
    let text = String::from_utf8_lossy(&header[10..]);
    assert!(header.starts_with(b"\x93NUMPY\x01\x00\x76\x00") && header.ends_with(b"\n"), "{text}");
    assert!(text.contains(&format!("'descr': '{descr}'")) && text.contains(&format!("'shape': ({count},)")), "{text}");
    data.to_vec()
}

#[test]
fn sums_run_on() {
    let files = Files::new();
    files.f64("x.f64", &[1.5, 1e100, -1e100, 2.0]);
    assert_eq!(files.run(["cumsum", "x.f64", "-o", "y.npy"]).lines(), [] as [&str; 0]);
    assert_eq!(data(&files, "y.npy", "<f8", 4), doubles(&[1.5, 1e100, 0.0, 0.0]));
    files.run(["cumsum", "x.f64", "-o", "y.npy", "--exact"]).lines();
    assert_eq!(data(&files, "y.npy", "<f8", 4), doubles(&[1.5, 1e100, 1.5, 3.5]));
    files.run(["cumsum", "x.f64", "-o", "y.npy", "--exact", "--exclusive"]).lines();
    assert_eq!(data(&files, "y.npy", "<f8", 4), doubles(&[0.0, 1.5, 1e100, 1.5]));
    // One after the other, and text as well as arrays; an empty file in between changes nothing.
    files.write("t.csv", "v\n1\n0.25\n");
    files.write("none.npy", npy("<f8", false, "(0,)", b""));
    for (options, expected) in
        [(&[] as &[&str], [2.0, 3.0, 3.25, 4.25, 4.5]), (&["--exclusive"], [0.0, 2.0, 3.0, 3.25, 4.25])]
    {
        files.write("first.npy", npy("<f8", false, "(1,)", &doubles(&[2.0])));
        let inputs = ["cumsum", "first.npy", "t.csv", "none.npy", "t.csv", "-o", "y.npy"];
        files.run(inputs.iter().chain(options)).lines();
        assert_eq!(data(&files, "y.npy", "<f8", 5), doubles(&expected), "{options:?}");
    }
    // The output can be summed itself, and is of the input's type.
    files.f32("s.f32", &[0.5, 0.25]);
    files.run(["cumsum", "s.f32", "-o", "s.npy"]).lines();
    assert_eq!(data(&files, "s.npy", "<f4", 2), singles(&[0.5, 0.75]));
    assert_eq!(files.run(["sum", "s.npy"]).lines(), ["3fa00000  1.25  s.npy"]);
    files.run(["cumsum", "s.f32", "--dtype", "f64", "-o", "s.npy"]).lines();
    assert_eq!(data(&files, "s.npy", "<f8", 2), doubles(&[0.5, 0.75]));
    files.pipe(["cumsum", "-", "-o", "y.npy"], "1\n2\n").lines();
    assert_eq!(data(&files, "y.npy", "<f8", 2), doubles(&[1.0, 3.0]));
    assert!(files.names().iter().all(|name| !name.starts_with('.')));
}

#[test]
fn objects_tell_the_last_sum() {
    let files = Files::new();
    files.f64("x.f64", &[1.5, 2.0]);
    files.f64("none.f64", &[]);
    for (args, n, bits, exclusive) in [
        (&["x.f64"] as &[&str], 2, "400c000000000000", false),
        (&["x.f64", "--exclusive"], 2, "3ff8000000000000", true),
        (&["x.f64", "x.f64"], 4, "401c000000000000", false),
        (&["none.f64"], 0, "0000000000000000", false),
        (&["none.f64", "--exclusive"], 0, "0000000000000000", true),
    ] {
        let run = files.run(["cumsum", "--json", "-o", "y.npy"].iter().chain(args));
        let object = &run.objects()[0];
        assert_eq!((object["op"].as_str(), object["file"].as_str()), (Some("cumsum"), Some("y.npy")), "{args:?}");
        assert_eq!((object["n"].as_u64(), object["bits"].as_str()), (Some(n), Some(bits)), "{args:?}");
        assert_eq!(object["exclusive"].as_bool(), Some(exclusive), "{args:?}");
        data(&files, "y.npy", "<f8", n as usize);
    }
}

/// Longer than the parts in which files are read: each prefix has the bits of its own sum.
#[test]
fn each_sum_has_the_bits_of_its_prefix() {
    let files = Files::new();
    let values = numbers(600_000);
    files.f64("x.f64", &values);
    let text: String = values[..70_000].iter().map(|value| format!("{value:?}\n")).collect();
    files.write("x.txt", text);
    for options in [&[] as &[&str], &["--exact"], &["--folds", "5"]] {
        files.run(["cumsum", "x.f64", "-o", "y.npy"].iter().chain(options)).lines();
        let sums = data(&files, "y.npy", "<f8", values.len());
        let ends = [1, 2, 1000, 524_288, 524_289, 600_000];
        for end in ends {
            files.f64(&format!("{end}.f64"), &values[..end]);
        }
        let names = ends.map(|end| format!("{end}.f64"));
        let run = files.run(["sum"].iter().chain(options).copied().chain(names.iter().map(String::as_str)));
        for (line, end) in run.lines().iter().zip(ends) {
            let bits = u64::from_le_bytes(sums[8 * end - 8..8 * end].try_into().unwrap());
            assert_eq!(line[..16], format!("{bits:016x}"), "{options:?} {end}");
        }
        files.run(["cumsum", "x.f64", "-o", "z.npy", "--threads", "1"].iter().chain(options)).lines();
        assert!(data(&files, "z.npy", "<f8", values.len()) == sums, "{options:?}");
        files.run(["cumsum", "x.f64", "-o", "z.npy", "--exclusive"].iter().chain(options)).lines();
        let shifted = data(&files, "z.npy", "<f8", values.len());
        assert!(shifted[..8] == [0; 8] && shifted[8..] == sums[..sums.len() - 8], "{options:?}");
        files.run(["cumsum", "x.txt", "-o", "z.npy"].iter().chain(options)).lines();
        assert!(data(&files, "z.npy", "<f8", 70_000) == sums[..8 * 70_000], "{options:?}");
    }
}

#[test]
fn integers_count_in_full_in_exact_mode() {
    let files = Files::new();
    files.write("i.csv", "v\n9007199254740993\n-9007199254740992\n0.5\n");
    files.run(["cumsum", "i.csv", "-o", "y.npy"]).fails(3, &["i.csv", "--exact"]);
    files.run(["cumsum", "i.csv", "-o", "y.npy", "--exact"]).lines();
    assert_eq!(data(&files, "y.npy", "<f8", 3), doubles(&[9007199254740992.0, 1.0, 1.5]));
    files.run(["cumsum", "i.csv", "-o", "y.npy", "--exact", "--exclusive"]).lines();
    assert_eq!(data(&files, "y.npy", "<f8", 3), doubles(&[0.0, 9007199254740992.0, 1.0]));
}

#[test]
fn nothing_is_left_of_a_failure() {
    let files = Files::new();
    files.f64("x.f64", &[1.0]);
    files.f32("x.f32", &[1.0]);
    files.write("gap.csv", "v\n1\n\n2\n");
    files.write("bad.csv", "v\n1\ntwo\n");
    files.write("old.npy", "old");
    std::fs::create_dir(files.path("folder")).unwrap();
    let before = files.names();
    for (args, code, words) in [
        (&["gap.csv", "-o", "y.npy"] as &[&str], 3, &["gap.csv", "blank cell"] as &[&str]),
        (&["bad.csv", "-o", "y.npy"], 3, &["bad.csv:3", "'two'"]),
        (&["x.f64", "x.f32", "-o", "y.npy"], 3, &["x.f32", "--dtype f64"]),
        (&["x.f64", "missing.f64", "-o", "old.npy"], 3, &["missing.f64"]),
        (&["x.f64", "-o", "folder"], 3, &["folder", "directory"]),
        (&["x.f64", "-o", "no/such.npy"], 3, &["no/such.npy"]),
        (&["x.f64", "-o", "x.f64"], 2, &["overwrite an input"]),
        (&["x.f64", "-o", "-"], 2, &["-o"]),
        (&["x.f32", "-o", "y.npy", "--folds", "22"], 2, &["x.f32", "2 to 21"]),
        (&["x.f64", "-o", "y.npy", "--device", "all"], 2, &["one --device"]),
    ] {
        files.run(["cumsum"].iter().chain(args)).fails(code, words);
        assert_eq!(files.names(), before, "{args:?}");
    }
    assert_eq!(std::fs::read(files.path("old.npy")).unwrap(), b"old");
    assert_eq!(files.run(["cumsum", "x.f64"]).code, 2);
    #[cfg(target_os = "linux")]
    files.run(["cumsum", "x.f64", "-o", "/dev/null"]).fails(3, &["/dev/null", "regular file"]);
}
