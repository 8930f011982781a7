//! `dot`, `var` and the norms that are made of squares.

use crate::process::{Files, doubles, npy, npz, numbers};

#[test]
fn dots_of_two_files() {
    let files = Files::new();
    files.f64("x.f64", &[1.0, 1e200, 3.0]);
    files.write("y.npy", npy("<f8", false, "(3,)", &doubles(&[0.5, 1e100, 2.0])));
    files.write("t.csv", "a,b\n1,0.5\n1e200,1e100\n3,2\n");
    let line = |value: f64, file: &str| format!("{:016x}  {value:?}  {file}", value.to_bits());
    for (args, file) in [
        (&["x.f64", "y.npy"] as &[&str], "x.f64 y.npy"),
        (&["y.npy", "x.f64"], "y.npy x.f64"),
        (&["x.f64", "t.csv", "--column-y", "b"], "x.f64 t.csv"),
        (&["t.csv", "t.csv", "--column", "a", "--column-y", "2"], "t.csv t.csv"),
        (&["t.csv", "--column", "a", "--column-y", "b"], "t.csv"),
    ] {
        for mode in [&[] as &[&str], &["--exact"], &["--threads", "1"]] {
            assert_eq!(files.run(["dot"].iter().chain(args).chain(mode)).lines(), [line(1e300, file)], "{args:?}");
        }
    }
    files.f64("z.f64", &[-1.0, 1e100, 0.0]);
    assert_eq!(files.pipe(["dot", "-", "z.f64"], "1 \n0\n1\n").lines(), [line(-1.0, "- z.f64")]);
    let x = npy("<f8", false, "(2,)", &doubles(&[1.0, 2.0]));
    let y = npy("<f8", false, "(2,)", &doubles(&[3.0, 4.0]));
    files.write("both.npz", npz(&[("x", x), ("y", y)], true));
    let run = files.run(["dot", "both.npz", "--array", "x", "--array-y", "y", "--device", "all"]);
    assert_eq!(run.lines(), ["both.npz  cpu", "both.npz  reference"].map(|end| line(11.0, end)));
    // Products that cancel: exact only with --exact.
    files.f64("p.f64", &[1e200, 1e200, 1.0]);
    files.f64("q.f64", &[1e200, -1e200, 1.0]);
    assert_eq!(files.run(["dot", "p.f64", "q.f64"]).lines(), ["7ff8000000000000  NaN  p.f64 q.f64"]);
    assert_eq!(files.run(["dot", "p.f64", "q.f64", "--exact"]).lines(), [line(1.0, "p.f64 q.f64")]);
    files.f64("none.f64", &[]);
    assert_eq!(files.run(["dot", "none.f64", "none.f64"]).lines(), [line(0.0, "none.f64 none.f64")]);
    let object = &files.run(["dot", "x.f64", "y.npy", "--json", "--folds", "2"]).objects()[0];
    assert_eq!((object["op"].as_str(), object["file"].as_str()), (Some("dot"), Some("x.f64 y.npy")));
    assert_eq!((object["n"].as_u64(), object["folds"].as_u64()), (Some(3), Some(2)));
}

#[test]
fn dots_that_make_no_sense() {
    let files = Files::new();
    files.f64("two.f64", &[1.0, 2.0]);
    files.f64("three.f64", &[1.0, 2.0, 3.0]);
    files.f32("two.f32", &[1.0, 2.0]);
    files.write("three.txt", "1\n2\n3\n");
    files.write("gap.csv", "a,b\n1,2\n,3\n");
    files.write("long.csv", "v\n9007199254740993\n2\n");
    for (x, y, counts) in [
        ("two.f64", "three.f64", ["two.f64 has 2", "three.f64 has 3"]),
        ("three.f64", "two.f64", ["three.f64 has 3", "two.f64 has 2"]),
        ("three.txt", "two.f64", ["three.txt has 3", "two.f64 has 2"]),
        ("two.f64", "three.txt", ["two.f64 has 2", "three.txt has 3"]),
    ] {
        files.run(["dot", x, y]).fails(3, &counts);
        files.run(["verify", "--op", "dot", x, y]).fails(3, &counts);
        files.run(["state", "--op", "dot", x, y, "-o", "s.sb"]).fails(3, &counts);
    }
    files.run(["dot", "two.f64", "two.f32"]).fails(3, &["two.f32", "--dtype f64"]);
    assert_eq!(files.run(["dot", "two.f64", "two.f32", "--dtype", "f64"]).lines()[0][..16], *"4014000000000000");
    files.run(["dot", "gap.csv", "--column", "b", "--column-y", "a"]).fails(3, &["gap.csv", "blank cell"]);
    files.run(["dot", "two.f64", "long.csv", "--exact"]).fails(3, &["long.csv", "9007199254740993", "`dot`"]);
    files.run(["dot", "two.f64", "missing.f64"]).fails(3, &["missing.f64"]);
    files.run(["dot", "two.f64"]).fails(2, &["two files", "--column-y"]);
    files.run(["dot", "-", "-"]).fails(2, &["standard input"]);
    files.run(["verify", "--op", "dot", "two.f64", "two.f64", "two.f64"]).fails(2, &["two files"]);
    files.run(["dot", "two.f32", "two.f32", "--folds", "22"]).fails(2, &["2 to 21"]);
}

#[test]
fn long_dots_do_not_depend_on_threads_or_formats() {
    let files = Files::new();
    let values = numbers(100_000);
    let others: Vec<f64> = values.iter().rev().map(|value| value * 1e-9).collect();
    files.f64("x.f64", &values);
    files.f64("y.f64", &others);
    let text: String = others.iter().map(|value| format!("{value:?}\n")).collect();
    files.write("y.txt", text);
    for mode in [&[] as &[&str], &["--exact"]] {
        let bits = |args: &[&str]| files.run(["dot"].iter().chain(args).chain(mode)).lines()[0][..16].to_owned();
        let expected = bits(&["x.f64", "y.f64", "--device", "reference"]);
        for threads in ["1", "2", "3"] {
            assert_eq!(bits(&["x.f64", "y.f64", "--threads", threads]), expected);
        }
        assert_eq!(bits(&["x.f64", "y.txt"]), expected);
        assert_eq!(bits(&["y.txt", "x.f64"]), expected);
    }
}

#[test]
fn variances_and_deviations() {
    let files = Files::new();
    files.f64("x.f64", &[1e8 + 1.0, 1e8 + 2.0, 1e8 + 3.0, 1e8 + 6.0]);
    files.f64("one.f64", &[5.0]);
    files.f64("none.f64", &[]);
    files.write("t.csv", "k,v\na,3\nb,\nc,5\n");
    let line = |value: f64, file: &str| format!("{:016x}  {value:?}  {file}", value.to_bits());
    let var = |args: &[&str]| files.run(["var"].iter().chain(args)).lines()[0].to_owned();
    assert_eq!(var(&["x.f64"]), line(14.0 / 3.0, "x.f64"));
    assert_eq!(var(&["x.f64", "--ddof", "0"]), line(3.5, "x.f64"));
    assert_eq!(var(&["x.f64", "--ddof", "0", "--std"]), line(3.5f64.sqrt(), "x.f64"));
    assert_eq!(var(&["one.f64", "--ddof", "0"]), line(0.0, "one.f64"));
    assert_eq!(var(&["one.f64"]), line(f64::NAN, "one.f64"));
    assert_eq!(var(&["none.f64", "--std"]), line(f64::NAN, "none.f64"));
    let run = files.run(["var", "t.csv", "--column", "v", "--json"]);
    let object = &run.objects()[0];
    assert_eq!(
        (object["op"].as_str(), object["ddof"].as_u64(), object["nulls"].as_u64()),
        (Some("var"), Some(1), Some(1))
    );
    assert_eq!(
        (object["value"].as_f64(), object["exact"].as_bool(), object["n"].as_u64()),
        (Some(2.0), Some(true), Some(2))
    );
    assert!(object["folds"].is_null() && object["bound"].as_f64().is_some_and(|bound| bound < 1e-15));
    assert_eq!(files.run(["var", "x.f64", "--std", "--json"]).objects()[0]["op"], "std");
    assert_eq!(files.run(["var", "x.f64", "--ddof", "2"]).code, 2);
    assert_eq!(files.run(["var", "x.f64", "--folds", "3"]).code, 2);
    files.write("long.csv", "v\n9007199254740993\n2\n");
    files.run(["var", "long.csv"]).fails(3, &["long.csv", "9007199254740993", "`var`"]);
}

#[test]
fn norms_of_three_kinds() {
    let files = Files::new();
    files.f64("x.f64", &[3e300, -4e300]);
    files.f64("tiny.f64", &[-5e-324]);
    files.f64("nan.f64", &[f64::INFINITY, f64::NAN]);
    files.f64("none.f64", &[]);
    let line = |value: f64, file: &str| format!("{:016x}  {value:?}  {file}", value.to_bits());
    for (kind, values) in [("1", [7e300, 0.0]), ("2", [5e300, 0.0]), ("inf", [4e300, 0.0])] {
        for mode in [&[] as &[&str], &["--exact"], &["--folds", "4"]] {
            let run = files.run(["norm", "x.f64", "none.f64", "nan.f64", "--kind", kind].iter().chain(mode));
            let nan = "7ff8000000000000  NaN  nan.f64".to_owned();
            assert_eq!(run.lines(), [line(values[0], "x.f64"), line(values[1], "none.f64"), nan], "{kind} {mode:?}");
        }
    }
    assert_eq!(files.run(["norm", "--kind", "2", "tiny.f64"]).lines(), [line(5e-324, "tiny.f64")]);
    let run = files.run(["norm", "--kind", "inf", "x.f64", "--json"]);
    let object = &run.objects()[0];
    assert_eq!(
        (object["kind"].as_str(), object["op"].as_str(), object["n"].as_u64()),
        (Some("inf"), Some("norm"), Some(2))
    );
    assert_eq!((object["exact"].as_bool(), object["bound"].as_f64()), (Some(true), Some(0.0)));
    files.run(["norm", "--kind", "2", "x.f64", "--folds", "27"]).fails(2, &["x.f64", "27 folds", "2 to 26"]);
    files.write("long.csv", "v\n9007199254740993\n2\n");
    files.run(["norm", "--kind", "2", "long.csv", "--exact"]).fails(3, &["long.csv", "`norm`"]);
    assert_eq!(files.run(["norm", "x.f64", "--kind", "3"]).code, 2);
}

#[test]
fn states_merge_to_the_bits_of_the_whole() {
    let files = Files::new();
    let values = numbers(3001);
    let others: Vec<f64> = values.iter().rev().copied().collect();
    files.f64("x.f64", &values);
    files.f64("y.f64", &others);
    files.f64("xa.f64", &values[..1000]);
    files.f64("xb.f64", &values[1000..]);
    files.f64("ya.f64", &others[..1000]);
    files.f64("yb.f64", &others[1000..]);
    let bits = |args: &[&str]| files.run(args).lines()[0].split("  ").next().unwrap().to_owned();
    for (op, command) in [
        (&["--op", "norm", "--kind", "2"] as &[&str], &["norm", "--kind", "2"] as &[&str]),
        (&["--op", "norm", "--kind", "2", "--exact"], &["norm", "--kind", "2", "--exact"]),
        (&["--op", "norm", "--kind", "1"], &["norm", "--kind", "1"]),
        (&["--op", "var"], &["var"]),
    ] {
        for part in ["xa", "xb"] {
            let (file, state) = (format!("{part}.f64"), format!("{part}.sb"));
            files.run(["state"].iter().chain(op).chain(&[file.as_str(), "-o", &state])).lines();
        }
        files.run(["state"].iter().chain(op).chain(&["x.f64", "-o", "x.sb"])).lines();
        let whole: Vec<&str> = command.iter().copied().chain(["x.f64"]).collect();
        assert_eq!(bits(&["merge", "xb.sb", "xa.sb", "-o", "all.sb"]), bits(&whole), "{op:?}");
        assert_eq!(std::fs::read(files.path("all.sb")).unwrap(), std::fs::read(files.path("x.sb")).unwrap());
    }
    assert_eq!(
        bits(&["merge", "xa.sb", "xb.sb", "--ddof", "0", "--std"]),
        bits(&["var", "x.f64", "--ddof", "0", "--std"])
    );
    for mode in [&[] as &[&str], &["--exact"]] {
        for part in ["a", "b"] {
            let (x, y, state) = (format!("x{part}.f64"), format!("y{part}.f64"), format!("d{part}.sb"));
            files.run(["state", "--op", "dot", &x, &y, "-o", &state].iter().chain(mode)).lines();
        }
        let whole: Vec<&str> = ["dot", "x.f64", "y.f64"].iter().chain(mode).copied().collect();
        assert_eq!(bits(&["merge", "da.sb", "db.sb"]), bits(&whole), "{mode:?}");
    }
    files.run(["merge", "da.sb", "xa.sb"]).fails(3, &["xa.sb", "variance of f64", "dot of f64"]);
    files.run(["state", "--op", "norm", "--kind", "inf", "x.f64", "-o", "s.sb"]).fails(2, &["no state"]);
    files.run(["state", "--op", "dot", "x.f64", "-o", "s.sb"]).fails(2, &["two files"]);
}

#[test]
fn arrays_pair_by_index() {
    let files = Files::new();
    let data = doubles(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let array = |fortran, shape| npy("<f8", fortran, shape, &data);
    for (name, fortran, shape) in [
        ("c", false, "(2, 3)"),
        ("f", true, "(2, 3)"),
        ("wide", false, "(3, 2)"),
        ("flat", false, "(6,)"),
        ("row_c", false, "(1, 6, 1)"),
        ("row_f", true, "(1, 6, 1)"),
    ] {
        files.write(&format!("{name}.npy"), array(fortran, shape));
    }
    files.write("both.npz", npz(&[("c", array(false, "(2, 3)")), ("f", array(true, "(2, 3)"))], false));
    files.write("deflated.npz", npz(&[("f", array(true, "(2, 3)"))], true));
    files.write("raw.f64", &data);
    let refused: [(&[&str], [&str; 2]); 6] = [
        (&["c.npy", "f.npy"], ["(2, 3) in C order", "(2, 3) in Fortran order"]),
        (&["c.npy", "wide.npy"], ["(2, 3) in C order", "(3, 2) in C order"]),
        (&["flat.npy", "c.npy"], ["array of (6,),", "of (2, 3) in C"]),
        (&["both.npz", "--array", "c", "--array-y", "f"], ["(2, 3) in C order", "(2, 3) in Fortran order"]),
        (&["c.npy", "both.npz", "--array-y", "f.npy"], ["(2, 3) in C order", "(2, 3) in Fortran order"]),
        (&["c.npy", "deflated.npz"], ["(2, 3) in C order", "(2, 3) in Fortran order"]),
    ];
    for (args, words) in refused {
        files.run(["dot"].iter().chain(args)).fails(3, &words);
        files.run(["verify", "--op", "dot"].iter().chain(args)).fails(3, &words);
        files.run(["state", "--op", "dot", "-o", "s.sb"].iter().chain(args)).fails(3, &words);
    }
    let bits = format!("{:016x}", 91f64.to_bits());
    for args in [
        &["c.npy", "c.npy"] as &[&str],
        &["f.npy", "deflated.npz"],
        &["f.npy", "both.npz", "--array-y", "f"],
        &["row_c.npy", "row_f.npy"],
        &["c.npy", "raw.f64"],
        &["both.npz", "--array", "c", "--array-y", "c.npy"],
    ] {
        assert_eq!(files.run(["dot"].iter().chain(args)).lines()[0][..16], bits, "{args:?}");
    }
}

#[test]
fn blank_lines_above_the_first_number() {
    let files = Files::new();
    files.write("x.csv", "\n1\n2\n");
    files.write("y.csv", "1\n2\n\n");
    files.write("headed.csv", "\n\nv\n1\n2\n");
    files.run(["dot", "x.csv", "y.csv"]).fails(3, &["x.csv", "blank cell"]);
    files.run(["dot", "y.csv", "x.csv"]).fails(3, &["x.csv", "blank cell"]);
    files.run(["verify", "--op", "dot", "y.csv", "x.csv"]).fails(3, &["x.csv", "blank cell"]);
    files.run(["cumsum", "x.csv", "-o", "out.npy"]).fails(3, &["x.csv", "blank cell"]);
    assert!(!files.path("out.npy").exists());
    // Above a header and at the end there are no rows.
    assert_eq!(files.run(["dot", "headed.csv", "y.csv"]).lines(), ["4014000000000000  5.0  headed.csv y.csv"]);
    let run = files.run(["sum", "x.csv"]);
    assert_eq!((run.code, run.out.as_str()), (0, "4008000000000000  3.0  x.csv\n"));
    run.complains(&["x.csv", "1 blank cell skipped"]);
    assert_eq!(files.pipe(["sum", "-", "--json"], "# c\n\n \n1\n").objects()[0]["nulls"], 2);
    assert_eq!(files.run(["sum", "y.csv"]).lines(), ["4008000000000000  3.0  y.csv"]);
}
