//! Bad input: one clear line, exit code 3, never a panic.

use crate::process::{Files, doubles, npy, npz};

#[test]
fn files_that_cannot_be_read() {
    let files = Files::new();
    std::fs::create_dir(files.path("folder.npy")).unwrap();
    std::fs::create_dir(files.path("folder")).unwrap();
    files.write("empty.npy", "");
    files.write("empty.npz", "");
    files.write("empty.parquet", "");
    files.write("x.docx", "hello");
    files.write("uneven.f64", "123456789");
    let array = npy("<f8", false, "(4,)", &doubles(&[1.0, 2.0, 3.0, 4.0]));
    files.write("short.npy", &array[..array.len() - 5]);
    files.write("header.npy", &array[..20]);
    files.write("liar.npy", npy("<f8", false, "(1000000000000,)", &doubles(&[1.0])));
    files.write("overflow.npy", npy("<f8", false, "(4294967296, 4294967296, 4294967296)", &doubles(&[1.0])));
    files.write("complex.npy", npy("<c16", false, "(1,)", &[0; 16]));
    files.write("object.npy", npy("|O", false, "(1,)", &[0; 8]));
    let archive = npz(&[("x", array.clone())], false);
    files.write("short.npz", &archive[..archive.len() - 30]);
    let mut damaged = archive.clone();
    let at = damaged.windows(8).position(|w| w == 3.0f64.to_le_bytes()).unwrap();
    damaged[at] ^= 1;
    files.write("damaged.npz", damaged);
    files.write("words.csv", "v\n1\ntwo\n");
    files.write("ragged.csv", "a,b\n1,2\n3\n");
    for (args, words) in [
        (&["missing.npy"] as &[&str], &["missing.npy"] as &[&str]),
        (&["folder.npy"], &["folder.npy", "directory"]),
        (&["folder"], &["folder", "directory"]),
        (&["empty.npy"], &["empty.npy", "0 bytes"]),
        (&["empty.npz"], &["empty.npz", "0 bytes"]),
        (&["empty.parquet"], &["empty.parquet"]),
        (&["x.docx"], &["x.docx", ".docx"]),
        (&["uneven.f64"], &["uneven.f64", "9 bytes"]),
        (&["short.npy"], &["short.npy", "32", "27"]),
        (&["header.npy"], &["header.npy"]),
        (&["liar.npy"], &["liar.npy", "8000000000000"]),
        (&["overflow.npy"], &["overflow.npy"]),
        (&["complex.npy"], &["complex.npy", "c16"]),
        (&["object.npy"], &["object.npy"]),
        (&["short.npz"], &["short.npz"]),
        (&["damaged.npz"], &["damaged.npz", "checksum"]),
        (&["words.csv"], &["words.csv:3", "'two'"]),
        (&["ragged.csv", "--column", "b"], &["ragged.csv:3"]),
        (&["short.npy", "--column", "1"], &["short.npy", "--column"]),
    ] {
        let run = files.run(["sum"].iter().chain(args));
        run.fails(3, words);
        // The file is named once, and at the beginning.
        assert!(run.err.starts_with(&format!("samebits: {}:", args[0])), "{run:?}");
        assert_eq!(run.err.matches(args[0]).count(), 1, "{run:?}");
        assert_eq!(files.run(["verify"].iter().chain(args)).code, 3);
        assert_eq!(files.run(["state", "-o", "s.sb"].iter().chain(args)).code, 3);
    }
    assert!(!files.path("s.sb").exists());
    files.pipe(["sum", "-"], "1\nx\n").fails(3, &["-:", "'x'"]);
    files.pipe(["sum", "-"], b"1\n\xff\xfe\x00\n").fails(3, &["-:"]);
}

#[cfg(unix)]
#[test]
fn files_without_permission() {
    use std::os::unix::fs::PermissionsExt;
    let files = Files::new();
    files.f64("x.f64", &[1.0]);
    std::fs::set_permissions(files.path("x.f64"), std::fs::Permissions::from_mode(0o000)).unwrap();
    // Root may read everything.
    if std::fs::read(files.path("x.f64")).is_err() {
        files.run(["sum", "x.f64"]).fails(3, &["x.f64", "ermission"]);
    }
}

#[test]
fn a_name_with_a_line_end_stays_on_one_line() {
    let files = Files::new();
    files.run(["sum", "a\nb.f64"]).fails(3, &["a\\nb.f64"]);
}

#[cfg(target_os = "linux")]
#[test]
fn more_than_the_capacity_is_refused_at_once() {
    let files = Files::new();
    // A sparse file: it claims 16 GiB and takes no room.
    let file = std::fs::File::create(files.path("x.f32")).unwrap();
    if file.set_len(4 * 4_294_966_785).is_ok() {
        files.run(["sum", "x.f32"]).fails(3, &["x.f32", "4294966784", "--exact"]);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn verify_says_when_memory_is_short() {
    let files = Files::new();
    // A sparse file of 64 TiB, where the file system has such: no machine holds it in memory.
    let file = std::fs::File::create(files.path("x.f64")).unwrap();
    if file.set_len((1 << 46) - (1 << 20)).is_err() && file.set_len((1 << 44) - (1 << 20)).is_err() {
        return;
    }
    // Where the system lends memory that it does not have, this would go on and on.
    let strict = std::fs::read_to_string("/proc/sys/vm/overcommit_memory").is_ok_and(|mode| mode.trim() != "1");
    if strict {
        files.run(["verify", "x.f64"]).fails(5, &["x.f64", "out of memory"]);
    }
}

#[cfg(unix)]
#[test]
fn pipes_with_raw_numbers_are_streams() {
    let files = Files::new();
    files.f64("x.f64", &[1.0, 2.5]);
    let mut shell = std::process::Command::new("sh");
    let script = "mkfifo pipe.f64 && { cat x.f64 > pipe.f64 & \"$0\" sum pipe.f64; }";
    shell.current_dir(files.path("")).args(["-c", script, env!("CARGO_BIN_EXE_samebits")]);
    assert_eq!(crate::process::finish(&mut shell, b"").lines(), ["400c000000000000  3.5  pipe.f64"]);
}

#[cfg(unix)]
#[test]
fn a_closed_output_does_not_hide_failures() {
    let files = Files::new();
    files.f64("x.f64", &[1.0]);
    files.write("t.csv", "k,v\na,1\n");
    for (args, code) in [
        (&["sum", "missing.npy", "x.f64"] as &[&str], 3),
        (&["sum", "x.f64"], 0),
        (&["sum", "t.csv", "--by", "k"], 0),
        (&["sum", "missing.csv", "t.csv", "--by", "k"], 3),
        (&["verify", "x.f64"], 0),
        (&["verify", "x.f64", "--json"], 0),
        (&["verify", "missing.npy", "x.f64"], 3),
        (&["dot", "x.f64", "x.f64"], 0),
        (&["cumsum", "x.f64", "-o", "y.npy", "--json"], 0),
        (&["demo"], 0),
        (&["demo", "--json"], 0),
        (&["devices"], 0),
    ] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = crate::process::command(&files).args(args).stdout(writer).output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{args:?}: {output:?}");
        // Nothing is said about it.
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(said.lines().count(), usize::from(code == 3), "{args:?}: {said}");
    }
}
