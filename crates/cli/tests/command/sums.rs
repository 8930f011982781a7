//! Lines, objects and exit codes of `sum`, `mean` and `norm`; devices, demo and completions.

use crate::process::{Files, command, finish, numbers};

#[test]
fn a_line_has_bits_value_and_file() {
    let files = Files::new();
    files.f64("a b.f64", &[0.5, 0.25]);
    files.f32("-c.f32", &[0.1]);
    files.f64("nan.f64", &[f64::INFINITY, f64::NEG_INFINITY]);
    files.f64("minus.f64", &[f64::NEG_INFINITY, 1.0]);
    files.f64("zero.f64", &[-0.0, -0.0]);
    let run = files.run(["sum", "a b.f64", "nan.f64", "minus.f64", "zero.f64", "a b.f64", "--", "-c.f32"]);
    assert_eq!(
        run.lines(),
        [
            "3fe8000000000000  0.75  a b.f64",
            "7ff8000000000000  NaN  nan.f64",
            "fff0000000000000  -inf  minus.f64",
            "0000000000000000  0.0  zero.f64",
            "3fe8000000000000  0.75  a b.f64",
            "3dcccccd  0.1  -c.f32",
        ]
    );
}

#[test]
fn mean_and_norm() {
    let files = Files::new();
    files.f64("x.f64", &[1e300, -1e300, 3.0]);
    files.f64("none.f64", &[]);
    assert_eq!(files.run(["mean", "x.f64", "--exact"]).lines(), ["3ff0000000000000  1.0  x.f64"]);
    assert_eq!(files.run(["mean", "none.f64"]).lines(), ["7ff8000000000000  NaN  none.f64"]);
    let norm = format!("{:016x}  2e300  x.f64", 2e300f64.to_bits());
    assert_eq!(files.run(["norm", "--kind", "1", "x.f64", "--exact"]).lines(), [norm]);
    assert_eq!(files.run(["norm", "x.f64"]).code, 2);
    let object = &files.run(["mean", "x.f64", "--json"]).objects()[0];
    assert_eq!((object["op"].as_str(), object["n"].as_u64()), (Some("mean"), Some(3)));
}

#[test]
fn objects_have_the_fields_of_the_contract() {
    let files = Files::new();
    files.f32("x.f32", &[0.1, 0.2]);
    files.write("t.csv", "v\n1\n\n2.5\n\n\n");
    let run = files.run(["sum", "x.f32", "t.csv", "--json", "--threads", "2"]);
    assert_eq!(run.code, 0);
    let objects = run.objects();
    let keys = |o: &serde_json::Value| o.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    let mut fields = [
        "schema", "epoch", "version", "file", "op", "dtype", "n", "nulls", "folds", "exact", "value", "bits", "bound",
        "device", "threads",
    ];
    fields.sort_unstable();
    assert_eq!(keys(&objects[0]), fields);
    // The digits of an f32, not those of the same number as f64.
    assert!(run.out.lines().next().unwrap().contains(r#""value":0.3,"#) || run.out.contains(r#""value":0.30000001,"#));
    let x = &objects[0];
    let expected = serde_json::json!({
        "schema": 1, "epoch": 1, "version": env!("CARGO_PKG_VERSION"), "file": "x.f32", "op": "sum", "dtype": "f32",
        "n": 2, "nulls": 0, "folds": 3, "exact": false, "device": "cpu", "threads": 2,
    });
    for (key, value) in expected.as_object().unwrap() {
        assert_eq!(&x[key], value, "{key}");
    }
    let t = &objects[1];
    assert_eq!((t["n"].as_u64(), t["nulls"].as_u64(), t["dtype"].as_str()), (Some(2), Some(1), Some("f64")));
    run.complains(&["t.csv", "1 blank cell skipped"]);

    let exact = &files.run(["sum", "t.csv", "--json", "--exact"]).objects()[0];
    assert!(exact["folds"].is_null() && exact["exact"] == true && exact["bound"] == 0.0);
    files.f64("special.f64", &[f64::INFINITY]);
    let special = &files.run(["sum", "special.f64", "--json"]).objects()[0];
    assert_eq!(special["value"], "inf");
}

#[test]
fn values_read_back_to_their_bits() {
    let files = Files::new();
    let values = numbers(50);
    let names: Vec<_> = (0..values.len()).map(|i| format!("{i}.f64")).collect();
    for (name, &value) in names.iter().zip(&values) {
        files.f64(name, &[value]);
    }
    let run = files.run(["sum", "--json"].into_iter().chain(names.iter().map(String::as_str)));
    for (line, value) in run.lines().iter().zip(&values) {
        // Not through the JSON reader of this test, which rounds wrongly now and then.
        let (_, text) = line.split_once("\"value\":").unwrap();
        let (text, _) = text.split_once(',').unwrap();
        assert_eq!(text.parse::<f64>().unwrap().to_bits(), value.to_bits());
        assert!(line.contains(&format!("\"bits\":\"{:016x}\"", value.to_bits())));
    }
}

#[test]
fn good_files_are_printed_and_the_worst_code_wins() {
    let files = Files::new();
    files.f64("good.f64", &[1.0]);
    files.write("bad.npy", "no");
    let run = files.run(["sum", "bad.npy", "good.f64", "missing.f64"]);
    assert_eq!(run.code, 3);
    assert_eq!(run.out, "3ff0000000000000  1.0  good.f64\n");
    let errors: Vec<_> = run.err.lines().collect();
    assert!(
        errors.len() == 2
            && errors[0].starts_with("samebits: bad.npy: ")
            && errors[1].starts_with("samebits: missing.f64: ")
    );
}

#[test]
fn usage_is_checked_before_any_file() {
    let files = Files::new();
    files.f64("x.f64", &[1.0]);
    files.f32("x.f32", &[1.0]);
    for args in [
        &["sum"] as &[&str],
        &["sum", "x.f64", "--folds", "3", "--exact"],
        &["sum", "x.f64", "--folds", "1"],
        &["sum", "x.f64", "--folds", "53"],
        &["sum", "x.f64", "--folds", "three"],
        &["sum", "x.f64", "--threads", "0"],
        &["sum", "x.f64", "--dtype", "f16"],
        &["sum", "x.f64", "--device", "tpu"],
        &["sum", "x.f64", "--sep", "ab"],
        &["sum", "x.f64", "--what"],
        &["sum", "-", "-"],
        &["state", "x.f64"],
        &["state", "x.f64", "-o", "s.sb", "--device", "all"],
        &["state", "x.f64", "-o", "-"],
        &["merge"],
        &["what"],
        &[],
    ] {
        let run = files.run(args);
        assert_eq!((run.code, run.out.as_str()), (2, ""), "{args:?}: {run:?}");
        assert_ne!(run.err, "");
    }
    assert!(files.run(["sum", "x.f64", "--folds", "52"]).lines()[0].starts_with("3ff0000000000000  1.0"));
    // Only the file tells that it has no more than 21 folds.
    let run = files.run(["sum", "x.f32", "x.f64", "--folds", "22"]);
    assert_eq!((run.code, run.out.as_str()), (2, "3ff0000000000000  1.0  x.f64\n"));
    run.complains(&["x.f32", "22 folds", "2 to 21"]);
}

#[test]
fn devices_and_instruction_sets() {
    let files = Files::new();
    files.f64("x.f64", &numbers(1000));
    let line = files.run(["sum", "x.f64"]).out;
    let line = line.trim_end();
    assert_eq!(files.run(["sum", "x.f64", "--device", "reference"]).lines(), [line]);
    let both = [format!("{line}  cpu"), format!("{line}  reference")];
    assert_eq!(files.run(["sum", "x.f64", "--device", "all"]).lines(), both);
    assert_eq!(files.run(["sum", "x.f64", "--device", "cpu", "--device", "reference"]).lines(), both);
    // Standard input can be read once only, and every device gets all of it.
    let stdin = files.pipe(["sum", "-", "--device", "all"], "1 \n2\n");
    assert_eq!(stdin.lines(), ["4008000000000000  3.0  -  cpu", "4008000000000000  3.0  -  reference"]);

    files.run(["sum", "x.f64", "--device", "cuda:0"]).fails(4, &["cuda:0"]);
    files.run(["sum", "x.f64", "--device", "opencl:7"]).fails(4, &["opencl:7"]);
    finish(command(&files).args(["sum", "x.f64"]).env("SAMEBITS_ISA", "mmx"), b"").fails(4, &["mmx", "scalar"]);
    let scalar = finish(command(&files).args(["sum", "x.f64"]).env("SAMEBITS_ISA", "scalar"), b"");
    assert_eq!(scalar.lines(), [line]);

    let devices = files.run(["devices"]);
    assert!(devices.lines()[0].starts_with("device"));
    assert!(devices.lines()[1].starts_with("cpu") && devices.lines()[1].contains("scalar"));
    let objects = files.run(["devices", "--json"]).objects();
    assert_eq!((objects[0]["device"].as_str(), objects[1]["device"].as_str()), (Some("cpu"), Some("reference")));
    assert_eq!(objects[0]["schema"], 1);
}

#[test]
fn a_large_file_gives_the_same_bits_for_any_thread_count() {
    let files = Files::new();
    let values = numbers(300_001);
    files.f64("x.f64", &values);
    files.f64("reversed.f64", &values.iter().rev().copied().collect::<Vec<_>>());
    let bits = |args: &[&str]| {
        files
            .run(["sum", "reversed.f64", "x.f64"].iter().chain(args))
            .lines()
            .iter()
            .map(|line| line[..16].to_owned())
            .collect::<Vec<_>>()
    };
    let expected = bits(&["--device", "reference"]);
    assert_eq!(expected[0], expected[1]);
    for threads in ["1", "2", "3", "17"] {
        assert_eq!(bits(&["--threads", threads]), expected);
    }
}

#[test]
fn the_demo_shows_its_point() {
    let files = Files::new();
    let run = files.run(["demo"]);
    let text = run.lines().join("\n");
    assert_eq!(text.matches("one answer").count(), 4, "{text}");
    let objects = files.run(["demo", "--json"]).objects();
    for data in ["unit_square", "olm1000", "olm1000 in f32", "olm1000, dot"] {
        let answers = |method: &str| {
            let of = objects.iter().filter(|o| o["data"] == data && o["method"] == method);
            of.map(|o| o["bits"].as_str().unwrap().to_owned()).collect::<std::collections::HashSet<_>>().len()
        };
        assert!(answers("plain") > 2, "{data}");
        assert_eq!((answers("samebits"), answers("exact")), (1, 1), "{data}");
    }
}

#[test]
fn help_version_and_completions() {
    let files = Files::new();
    let version = files.run(["--version"]);
    assert_eq!(version.lines(), [format!("samebits {} (bits epoch 1)", env!("CARGO_PKG_VERSION"))]);
    for name in
        ["demo", "devices", "sum", "mean", "var", "dot", "norm", "cumsum", "state", "merge", "verify", "completions"]
    {
        let help = files.run([name, "--help"]);
        assert_eq!(help.code, 0);
        assert!(help.out.contains("Examples:"), "{name}");
    }
    // Lines are wrapped anywhere.
    let words = |name| files.run([name, "--help"]).out.split_whitespace().collect::<Vec<_>>().join(" ");
    let (sum, dot) = (words("sum"), words("dot"));
    assert!(sum.contains("bytes each") && sum.contains("begin with # are skipped") && sum.contains("becomes inf"));
    assert!(dot.contains("the sum of the rounded products; how far") && dot.contains("at the end of the file"));
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        assert!(files.run(["completions", shell]).out.contains("samebits"));
    }
}

#[cfg(unix)]
#[test]
fn a_closed_pipe_ends_quietly() {
    let files = Files::new();
    files.f64("x.f64", &[1.0]);
    let many: Vec<_> = std::iter::repeat_n("x.f64", 5000).collect();
    let binary = env!("CARGO_BIN_EXE_samebits");
    let script = "(\"$@\"; echo \"code $?\" >&2) | head -n 1";
    let mut shell = std::process::Command::new("sh");
    shell.current_dir(files.path("")).args(["-c", script, "sh", binary, "sum"]).args(many);
    let run = finish(&mut shell, b"");
    assert_eq!((run.out.as_str(), run.err.as_str()), ("3ff0000000000000  1.0  x.f64\n", "code 0\n"));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_told() {
    let files = Files::new();
    files.f64("x.f64", &[1.0]);
    let mut shell = std::process::Command::new("sh");
    let script = "\"$0\" sum x.f64 > /dev/full";
    shell.current_dir(files.path("")).args(["-c", script, env!("CARGO_BIN_EXE_samebits")]);
    finish(&mut shell, b"").fails(3, &["standard output"]);
}
