//! `verify`.

use crate::process::{Files, numbers};

#[test]
fn every_way_is_equal() {
    let files = Files::new();
    let values = numbers(2000);
    files.f64("x.f64", &values);
    files.f32("x.f32", &values.iter().map(|&v| v as f32).collect::<Vec<_>>());
    files.f64("none.f64", &[]);
    for options in [&[] as &[&str], &["--exact"], &["--op", "mean", "--folds", "2"], &["--op", "norm"]] {
        let run = files.run(["verify", "x.f64", "x.f32", "none.f64"].iter().chain(options));
        let lines = run.lines();
        let ends: Vec<_> = lines.iter().filter(|line| line.ends_with(" equal")).collect();
        assert_eq!(ends.len(), 3);
        for end in ends {
            let (good, all) = end.strip_suffix(" equal").unwrap().split_once(" of ").unwrap();
            assert!(good == all && all.parse::<u32>().unwrap() >= 24, "{end}");
        }
        assert_eq!(lines[0], "x.f64");
        assert!(lines[1].starts_with("device"));
        assert!(run.out.contains("  ok\n") && !run.out.contains("DIFFERS"));
    }
}

#[test]
fn objects_name_every_way() {
    let files = Files::new();
    files.f64("x.f64", &numbers(100));
    let sum = files.run(["sum", "x.f64"]).out[..16].to_owned();
    let run = files.run(["verify", "x.f64", "--json"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    let objects = run.objects();
    for object in &objects {
        assert_eq!((object["bits"].as_str(), object["equal"].as_bool()), (Some(&*sum), Some(true)));
        assert_eq!((object["n"].as_u64(), object["schema"].as_u64()), (Some(100), Some(1)));
    }
    let has = |key: &str, value: serde_json::Value| objects.iter().any(|object| object[key] == value);
    assert!(has("device", "cpu".into()) && has("device", "reference".into()) && has("isa", "scalar".into()));
    assert!(has("threads", 1.into()) && has("threads", 2.into()));
    for order in ["as stored", "reversed", "shuffled 1", "shuffled 2", "shuffled 3"] {
        assert!(has("order", order.into()));
    }
    for pieces in ["whole", "1", "7", "1000", "half"] {
        assert!(has("pieces", pieces.into()));
    }
}

#[test]
fn good_files_are_checked_beside_bad_ones() {
    let files = Files::new();
    files.f64("x.f64", &[1.0]);
    let run = files.run(["verify", "bad.npy", "x.f64"]);
    assert_eq!(run.code, 3);
    assert!(run.out.starts_with("x.f64\n"));
    run.complains(&["bad.npy"]);
}

/// Every row equal, and how many there are.
#[track_caller]
fn all_equal(run: &crate::process::Run) -> usize {
    let lines = run.lines();
    let (good, all) = lines.last().unwrap().strip_suffix(" equal").unwrap().split_once(" of ").unwrap();
    assert_eq!(good, all);
    assert!(!run.out.contains("DIFFERS"));
    all.parse().unwrap()
}

#[test]
fn norms_variances_and_dots() {
    let files = Files::new();
    let values = numbers(1500);
    files.f64("x.f64", &values);
    files.f64("y.f64", &values.iter().rev().copied().collect::<Vec<_>>());
    files.f32("x.f32", &values.iter().map(|&v| v as f32).collect::<Vec<_>>());
    for options in [
        &["--op", "norm", "--kind", "2"] as &[&str],
        &["--op", "norm", "--kind", "2", "--exact"],
        &["--op", "norm", "--kind", "inf"],
        &["--op", "var"],
        &["--op", "dot", "y.f64"],
        &["--op", "dot", "y.f64", "--exact"],
    ] {
        assert!(all_equal(&files.run(["verify", "x.f64"].iter().chain(options))) >= 24, "{options:?}");
    }
    assert!(all_equal(&files.run(["verify", "--op", "dot", "x.f32", "x.f32"])) >= 24);
    assert!(all_equal(&files.run(["verify", "--op", "var", "x.f32"])) >= 24);
    let dot = files.run(["dot", "x.f64", "y.f64"]).out;
    let objects = files.run(["verify", "--op", "dot", "x.f64", "y.f64", "--json"]).objects();
    assert!(objects.iter().all(|o| o["bits"] == dot[..16] && o["file"] == "x.f64 y.f64" && o["op"] == "dot"));
}

#[test]
fn running_sums_in_every_form() {
    let files = Files::new();
    let values = numbers(2500);
    files.f64("x.f64", &values);
    files.f32("x.f32", &values.iter().map(|&v| v as f32).collect::<Vec<_>>());
    files.f64("none.f64", &[]);
    files.write("gap.csv", "v\n1\n\n2\n");
    for file in ["x.f64", "x.f32", "none.f64"] {
        for options in [&[] as &[&str], &["--exact"], &["--folds", "2"]] {
            let run = files.run(["verify", "--op", "cumsum", file].iter().chain(options));
            assert!(all_equal(&run) >= 24, "{file} {options:?}");
            assert!(run.out.contains("form") && run.out.contains("digest"));
        }
    }
    let objects = files.run(["verify", "--op", "cumsum", "x.f64", "--json"]).objects();
    let last = files.run(["sum", "x.f64"]).out;
    for form in ["beside", "in place", "exclusive", "exclusive in place"] {
        let of: Vec<_> = objects.iter().filter(|object| object["form"] == form).collect();
        assert!(of.len() > 5 && of.iter().all(|object| object["digest"] == of[0]["digest"]), "{form}");
        assert_eq!(of[0]["bits"] == last[..16], !form.starts_with("exclusive"), "{form}");
    }
    files.run(["verify", "--op", "cumsum", "gap.csv"]).fails(3, &["gap.csv", "blank"]);
}

#[test]
fn sums_by_key_in_every_order() {
    let files = Files::new();
    let rows: String = numbers(2500).iter().enumerate().map(|(i, v)| format!("{},{v:?}\n", i * i % 13)).collect();
    files.write("t.csv", format!("k,v\n{rows}"));
    for options in [&[] as &[&str], &["--exact"], &["--folds", "2"], &["--dtype", "f32"]] {
        let run = files.run(["verify", "--op", "by", "--by", "k", "t.csv"].iter().chain(options));
        assert!(all_equal(&run) >= 24, "{options:?}");
    }
    let objects = files.run(["verify", "--op", "by", "--by", "k", "t.csv", "--json"]).objects();
    assert!(objects.iter().all(|object| object["digest"] == objects[0]["digest"] && object["n"] == 2500));
    assert_eq!(files.run(["verify", "--op", "by", "t.csv"]).code, 2);
    files.run(["verify", "--by", "k", "t.csv"]).fails(2, &["--op by"]);
    files.run(["verify", "--op", "by", "--by", "x", "t.csv"]).fails(3, &["'x'", "k, v"]);
}
