//! `state` and `merge`.

use crate::process::{Files, numbers};

#[test]
fn splits_merge_to_the_bits_of_the_whole() {
    let files = Files::new();
    let values = numbers(10_007);
    files.f64("whole.f64", &values);
    files.f64("a.f64", &values[..1]);
    files.f64("b.f64", &values[1..4000]);
    files.f64("c.f64", &values[4000..]);
    files.f64("none.f64", &[]);
    for options in [&[] as &[&str], &["--folds", "2"], &["--folds", "52"], &["--exact"]] {
        let run = |args: &[&str]| files.run(args.iter().chain(options));
        let line = run(&["sum", "whole.f64"]).lines()[0].replace("whole.f64", "");
        assert_eq!(run(&["state", "whole.f64", "-o", "whole.sb"]).lines().len(), 0);
        run(&["state", "a.f64", "c.f64", "-o", "ac.sb"]).lines();
        run(&["state", "b.f64", "-o", "b.sb"]).lines();
        run(&["state", "none.f64", "-o", "none.sb"]).lines();
        let merge = |args: &[&str]| files.run(["merge"].iter().chain(args));
        assert_eq!(merge(&["ac.sb", "b.sb", "none.sb"]).lines(), [format!("{line}merged")]);
        assert_eq!(merge(&["none.sb", "b.sb", "ac.sb", "-o", "all.sb"]).lines(), [format!("{line}all.sb")]);
        assert_eq!(merge(&["whole.sb"]).lines(), [format!("{line}whole.sb")]);
        // The same multiset, the same bytes.
        let bytes = |name: &str| std::fs::read(files.path(name)).unwrap();
        assert_eq!(bytes("all.sb"), bytes("whole.sb"));
        run(&["state", "whole.f64", "-o", "other.sb", "--device", "reference"]).lines();
        assert_eq!(bytes("other.sb"), bytes("whole.sb"));
    }
    let leftovers: Vec<_> = files.names().into_iter().filter(|name| name.starts_with('.')).collect();
    assert_eq!(leftovers, [] as [String; 0]);
}

#[test]
fn objects_and_norms() {
    let files = Files::new();
    files.f32("x.f32", &[-1.5, 2.0]);
    let run = files.run(["state", "--op", "norm", "x.f32", "-o", "n.sb", "--json"]);
    let object = &run.objects()[0];
    assert_eq!(
        (object["op"].as_str(), object["bits"].as_str(), object["n"].as_u64()),
        (Some("norm"), Some("40600000"), Some(2))
    );
    let merged = &files.run(["merge", "n.sb", "n.sb", "--json"]).objects()[0];
    assert_eq!(
        (merged["op"].as_str(), merged["value"].as_f64(), merged["n"].as_u64()),
        (Some("norm"), Some(7.0), Some(4))
    );
    assert_eq!(merged["file"], "merged");
}

#[test]
fn states_that_do_not_go_together() {
    let files = Files::new();
    files.f64("x.f64", &[1.0]);
    files.f32("x.f32", &[1.0]);
    files.run(["state", "x.f64", "-o", "3.sb"]).lines();
    files.run(["state", "x.f64", "--folds", "4", "-o", "4.sb"]).lines();
    files.run(["state", "x.f64", "--exact", "-o", "exact.sb"]).lines();
    files.run(["state", "x.f32", "-o", "f32.sb"]).lines();
    files.run(["state", "x.f64", "--op", "norm", "-o", "norm.sb"]).lines();
    for (other, words) in [("4.sb", "4 folds"), ("exact.sb", "exact"), ("f32.sb", "f32"), ("norm.sb", "norm of")] {
        let run = files.run(["merge", "3.sb", other, "-o", "out.sb"]);
        run.fails(3, &[other, words, "3 folds"]);
    }
    files.run(["state", "x.f64", "x.f32", "-o", "out.sb"]).fails(3, &["x.f32", "f32", "f64"]);
    assert!(!files.path("out.sb").exists());
    files.run(["state", "x.f64", "x.f32", "--dtype", "f64", "-o", "out.sb"]).lines();
    // An existing file stays as it was after a failure.
    let before = std::fs::read(files.path("out.sb")).unwrap();
    files.run(["state", "x.f64", "missing.f64", "-o", "out.sb"]).fails(3, &["missing.f64"]);
    assert_eq!(std::fs::read(files.path("out.sb")).unwrap(), before);
}

#[test]
fn bytes_that_are_no_state() {
    let files = Files::new();
    files.f64("x.f64", &numbers(100));
    files.run(["state", "x.f64", "-o", "good.sb"]).lines();
    let good = std::fs::read(files.path("good.sb")).unwrap();
    std::fs::create_dir(files.path("folder.sb")).unwrap();
    for name in ["missing.sb", "folder.sb"] {
        let run = files.run(["merge", name]);
        run.fails(3, &[name]);
        assert_eq!(run.err.matches(name).count(), 1);
    }
    let mut longer = good.clone();
    longer.push(0);
    let twice = [good.clone(), good.clone()].concat();
    let huge = [good.clone(), vec![0; 1 << 20]].concat();
    let mut bad: Vec<Vec<u8>> = vec![Vec::new(), b"SAMEBITS".to_vec(), vec![0; 1000], longer, twice, huge];
    bad.extend((0..good.len()).map(|n| good[..n].to_vec()));
    bad.extend((0..good.len()).map(|at| {
        let mut bytes = good.clone();
        bytes[at] ^= 1 << (at % 8);
        bytes
    }));
    for (number, bytes) in bad.iter().enumerate().step_by(7).chain(bad.iter().enumerate().take(6)) {
        let name = format!("bad{number}.sb");
        files.write(&name, bytes);
        files.run(["merge", "good.sb", &name]).fails(3, &[&name]);
    }
}

#[test]
fn what_cannot_be_written() {
    let files = Files::new();
    files.f64("x.f64", &[1.0]);
    std::fs::create_dir(files.path("folder")).unwrap();
    files.run(["state", "x.f64", "-o", "folder"]).fails(3, &["folder", "directory"]);
    files.run(["state", "x.f64", "-o", "no/such/s.sb"]).fails(3, &["no/such/s.sb"]);
    assert_eq!(files.names(), ["folder", "x.f64"]);
}

#[cfg(unix)]
#[test]
fn links_are_followed_and_devices_kept() {
    let files = Files::new();
    files.f64("x.f64", &[1.0]);
    files.write("target.sb", "old");
    std::os::unix::fs::symlink("target.sb", files.path("link.sb")).unwrap();
    files.run(["state", "x.f64", "-o", "link.sb"]).lines();
    assert!(files.path("link.sb").is_symlink());
    assert!(std::fs::read(files.path("target.sb")).unwrap().starts_with(b"SAMEBITS"));
    files.run(["state", "x.f64", "-o", "/dev/null"]).lines();
    assert!(!std::path::Path::new("/dev/null").is_file());
}

#[test]
fn inputs_and_existing_targets_are_respected() {
    let files = Files::new();
    files.f64("x.f64", &[1.0]);
    files.f32("y.f32", &[1.0]);
    files.run(["state", "x.f64", "-o", "./x.f64"]).fails(2, &["would overwrite an input"]);
    assert_eq!(std::fs::read(files.path("x.f64")).unwrap(), 1f64.to_le_bytes());
    files.run(["state", "x.f64", "y.f32", "-o", "s.sb"]).fails(3, &["y.f32", "--dtype f64"]);
    files.run(["state", "x.f64", "y.f32", "--dtype", "f64", "-o", "s.sb"]).lines();
    files.run(["state", "--op", "norm", "x.f64", "-o", "n.sb"]).lines();
    files.run(["merge", "s.sb", "n.sb"]).fails(3, &["a norm of f64, 3 folds", "a sum of f64, 3 folds"]);
    files.run(["merge", "-"]).fails(2, &["states cannot be read from standard input"]);
    let mut permissions = std::fs::metadata(files.path("s.sb")).unwrap().permissions();
    permissions.set_readonly(true);
    std::fs::set_permissions(files.path("s.sb"), permissions).unwrap();
    files.run(["state", "x.f64", "-o", "s.sb"]).fails(3, &["s.sb", "read-only"]);
}

#[cfg(unix)]
#[test]
fn permissions_of_the_target_are_kept() {
    use std::os::unix::fs::PermissionsExt;
    let files = Files::new();
    files.f64("x.f64", &[1.0]);
    files.run(["state", "x.f64", "-o", "s.sb"]).lines();
    std::fs::set_permissions(files.path("s.sb"), PermissionsExt::from_mode(0o600)).unwrap();
    files.run(["state", "x.f64", "-o", "s.sb"]).lines();
    assert_eq!(std::fs::metadata(files.path("s.sb")).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn merged_states_outlive_the_merge() {
    let files = Files::new();
    files.f64("x.f64", &[1.0]);
    files.run(["state", "x.f64", "-o", "a.sb"]).lines();
    files.run(["state", "x.f64", "-o", "b.sb"]).lines();
    let before = std::fs::read(files.path("a.sb")).unwrap();
    for output in ["a.sb", "./b.sb"] {
        files.run(["merge", "a.sb", "b.sb", "-o", output]).fails(2, &["would overwrite an input"]);
    }
    assert_eq!(std::fs::read(files.path("a.sb")).unwrap(), before);
    assert_eq!(files.run(["merge", "a.sb", "b.sb", "-o", "c.sb"]).lines(), ["4000000000000000  2.0  c.sb"]);
}

#[test]
fn options_without_an_effect_are_refused() {
    let files = Files::new();
    files.f64("x.f64", &[1.0, 3.0]);
    files.run(["state", "x.f64", "-o", "sum.sb"]).lines();
    files.run(["state", "--op", "var", "x.f64", "-o", "var.sb"]).lines();
    for option in ["--std", "--ddof=1", "--ddof=0"] {
        files.run(["merge", "sum.sb", "-o", "out.sb", option]).fails(2, &["--std", "variance", "sum"]);
    }
    assert_eq!(files.run(["merge", "var.sb"]).lines(), ["4000000000000000  2.0  var.sb"]);
    assert_eq!(files.run(["merge", "var.sb", "--ddof", "0", "--std"]).lines(), ["3ff0000000000000  1.0  var.sb"]);
    let refused: [(&[&str], &str); 12] = [
        (&["--kind", "1"], "--op norm"),
        (&["--op", "sum", "--kind", "2"], "--op norm"),
        (&["--op", "var", "--kind", "inf"], "--op norm"),
        (&["--op", "dot", "x.f64", "--kind", "2"], "--op norm"),
        (&["--column-y", "2"], "--op dot"),
        (&["--array-y", "a"], "--op dot"),
        (&["--op", "norm", "--column-y", "2"], "--op dot"),
        (&["--op", "var", "--array-y", "a"], "--op dot"),
        (&["--op", "var", "--folds", "3"], "--folds"),
        (&["--op", "var", "--folds", "4"], "--folds"),
        (&["--op", "var", "--exact"], "--exact"),
        (&["--op", "var", "--exact", "--kind", "2"], "--"),
    ];
    for (args, word) in refused {
        files.run(["state", "x.f64", "-o", "out.sb"].iter().chain(args)).fails(2, &[word]);
        files.run(["verify", "x.f64"].iter().chain(args)).fails(2, &[word]);
    }
    for op in ["mean", "cumsum"] {
        files.run(["verify", "x.f64", "--op", op, "--kind", "1"]).fails(2, &["--op norm"]);
    }
    assert!(!files.path("out.sb").exists());
    // The kind of a norm is 1 unless it is given.
    for kind in [&[] as &[&str], &["--kind", "1"]] {
        files.run(["state", "--op", "norm", "x.f64", "-o", "norm.sb"].iter().chain(kind)).lines();
        assert_eq!(files.run(["merge", "norm.sb"]).lines(), ["4010000000000000  4.0  norm.sb"]);
        assert_eq!(files.run(["verify", "--op", "norm", "x.f64"].iter().chain(kind)).code, 0);
    }
}
