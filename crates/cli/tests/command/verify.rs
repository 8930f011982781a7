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
