//! `lanescope tables` as a script sees it: what is found, what is skipped, what fails, what stands on the disk.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A folder of one test, gone afterwards.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("lanescope-tables-{}-{name}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0); // a leftover in the temporary folder harms nobody
    }
}

fn tables() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lanescope"));
    command.arg("tables").stdin(Stdio::null());
    command
}

fn convert(paths: &[&Path], out: &Path, more: &[&str]) -> Output {
    tables().args(paths).arg("--out").arg(out).args(more).output().unwrap()
}

fn said(output: &Output) -> (i32, String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}

/// A trace that no other one equals.
fn trace(number: usize) -> String {
    format!(r#"{{"traceEvents":[{{"ph":"X","name":"n{number}","pid":1,"tid":1,"ts":{number},"dur":2}}]}}"#)
}

/// All files below a folder with their bytes; what begins with a dot is told too.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let (mut found, mut open) = (BTreeMap::new(), vec![folder.to_owned()]);
    while let Some(at) = open.pop() {
        for path in fs::read_dir(&at).unwrap().map(|row| row.unwrap().path()) {
            if path.is_dir() {
                open.push(path);
            } else {
                let name = path.strip_prefix(folder).unwrap().to_string_lossy().replace('\\', "/");
                found.insert(name, fs::read(&path).unwrap());
            }
        }
    }
    found
}

fn parts<'a>(files: &'a BTreeMap<String, Vec<u8>>, table: &str) -> Vec<&'a str> {
    files.keys().map(String::as_str).filter(|name| name.starts_with(&format!("{table}/"))).collect()
}

#[test]
fn files_of_a_folder_are_traces_each_and_runs_are_their_folders() {
    let (from, to) = (Folder::new("folders"), Folder::new("folders-out"));
    for run in 0..2 {
        for at in 0..3 {
            from.file(&format!("night {run}/t{at}.json"), trace(10 * run + at));
        }
    }
    from.file("README.txt", "words");
    from.file("settings.json", "{\"a\": 1}");
    let (status, out, err) = said(&convert(&[&from.0], &to.0, &[]));
    assert_eq!(
        (status, out.split(';').next()),
        (0, Some("6 traces converted, 0 were there, 0 failed")),
        "{err}"
    );
    let all = files(&to.0);
    let slices = parts(&all, "slices");
    assert_eq!(slices.len(), 6, "{slices:?}");
    assert!(slices[0].starts_with("slices/system=trace_event/run=night%200/part-"), "{slices:?}");
    assert!(all.contains_key("_lanescope.json") && all.values().all(|bytes| !bytes.is_empty()));
    assert!(err.contains("README.txt: not a profile"), "{err}");
}

#[test]
fn what_is_there_is_skipped_and_what_was_interrupted_becomes_the_same() {
    let (from, to) = (Folder::new("resume"), Folder::new("resume-out"));
    for at in 0..4 {
        from.file(&format!("t{at}.json"), trace(at));
    }
    assert_eq!(said(&convert(&[&from.0], &to.0, &["--jobs", "1"])).0, 0);
    let whole = files(&to.0);
    let (status, out, _) = said(&convert(&[&from.0], &to.0, &[]));
    assert_eq!((status, out.trim()), (0, "0 traces converted, 4 were there, 0 failed; 0 rows."));
    // As if it had been killed: one trace is not there, its slices are not whole.
    let lost = parts(&whole, "traces")[1].to_owned();
    fs::remove_file(to.0.join(&lost)).unwrap();
    let half = to.0.join(lost.replace("traces/", "slices/"));
    fs::write(half.with_file_name(".part-x.parquet.tmp"), b"half").unwrap();
    let (status, out, _) = said(&convert(&[&from.0], &to.0, &["--jobs", "3"]));
    assert_eq!((status, out.split(',').next()), (0, Some("1 traces converted")), "{out}");
    assert!(files(&to.0) == whole, "every byte is the same");
}

#[test]
fn broken_files_are_rows_of_faults_and_the_status_says_how_many() {
    let (from, to) = (Folder::new("broken"), Folder::new("broken-out"));
    from.file("good.json", trace(1));
    from.file("cut.json", r#"{"displayTimeUnit":"ns","other":[1,2"#);
    from.file("empty.json", "");
    let (status, out, err) = said(&convert(&[&from.0], &to.0, &[]));
    assert_eq!(
        (status, out.split(';').next()),
        (1, Some("1 traces converted, 0 were there, 2 failed")),
        "{err}"
    );
    let all = files(&to.0);
    let faults = parts(&all, "faults");
    assert_eq!(faults.iter().filter(|name| name.contains("system=unknown")).count(), 2, "{faults:?}");
    assert!(err.contains("cut.json") && err.contains("empty.json"), "{err}");
}

#[test]
fn archives_pipes_and_lists_bring_the_same_traces() {
    let (from, to) = (Folder::new("ways"), Folder::new("ways-out"));
    let plain = from.file("a/t.json", trace(5));
    let mut zip = zip::ZipWriter::new(fs::File::create(from.0.join("all.zip")).unwrap());
    for at in 0..2 {
        let options: zip::write::SimpleFileOptions =
            zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
        zip.start_file(format!("in/t{at}.json"), options).unwrap();
        zip.write_all(trace(100 + at).as_bytes()).unwrap();
    }
    zip.finish().unwrap();
    let (status, out, err) = said(&convert(&[&from.0], &to.0, &[]));
    assert_eq!((status, out.split(',').next()), (0, Some("3 traces converted")), "{out}{err}");
    // A pipe brings bytes that are there already, in their run.
    let piped = tables()
        .args(["-", "--name", "t.json", "--run", "a", "--out"])
        .arg(&to.0)
        .stdin(fs::File::open(&plain).unwrap())
        .output()
        .unwrap();
    assert_eq!(said(&piped).1.trim(), "0 traces converted, 1 were there, 0 failed; 0 rows.");
    let list = from.file("list.txt", format!("{}\n", plain.display()));
    let other = Folder::new("ways-list");
    let output =
        tables().arg("--files-from").arg(&list).arg("--out").arg(&other.0).args(["--run", "r/1"]).output();
    assert_eq!(said(&output.unwrap()).0, 0);
    assert!(parts(&files(&other.0), "traces")[0].contains("/run=r%2F1/"), "{:?}", files(&other.0).keys());
}

#[test]
fn only_the_tables_that_are_named_are_written() {
    let (from, to) = (Folder::new("named"), Folder::new("named-out"));
    from.file("t.json", trace(1));
    assert_eq!(said(&convert(&[&from.0], &to.0, &["--tables", "tracks", "--format", "arrow"])).0, 0);
    let all = files(&to.0);
    let names: Vec<&str> = all.keys().map(|name| name.split('/').next().unwrap()).collect();
    assert_eq!(names, ["._lanescope.lock", "_lanescope.json", "traces", "tracks"]);
    assert!(all.iter().all(|(name, bytes)| !name.ends_with(".arrow") || bytes.starts_with(b"ARROW1")));
    let (status, _, err) = said(&tables().output().unwrap());
    assert!(status == 2 && err.contains("Usage: lanescope tables "), "{err}");
    let (status, _, err) = said(&convert(&[&from.0], &to.0, &["--tables", "kernel"]));
    assert!(status == 2 && err.contains("known: tracks, slices"), "{status} {err}");
}

#[test]
fn a_data_set_of_another_version_is_left_alone() {
    let (from, to) = (Folder::new("version"), Folder::new("version-out"));
    from.file("t.json", trace(1));
    to.file("_lanescope.json", r#"{"version": "99.0.0"}"#);
    let (status, _, err) = said(&convert(&[&from.0], &to.0, &[]));
    assert!(status == 1 && err.contains("99.0.0"), "{status} {err}");
    assert_eq!(files(&to.0).len(), 1);
}

#[test]
fn a_second_run_into_a_data_set_is_refused_unless_both_share_it() {
    let (from, to) = (Folder::new("second"), Folder::new("second-out"));
    from.file("t.json", trace(1));
    fs::create_dir_all(&to.0).unwrap();
    let held =
        fs::File::options().create(true).truncate(false).write(true).open(to.0.join("._lanescope.lock"));
    let held = held.unwrap();
    held.lock().unwrap();
    let (status, out, err) = said(&convert(&[&from.0], &to.0, &[]));
    assert!(status == 1 && out.is_empty() && err.contains("another run writes into"), "{status} {out} {err}");
    assert_eq!(said(&convert(&[&from.0], &to.0, &["--shared"])).0, 1);
    held.unlock().unwrap();
    held.lock_shared().unwrap();
    assert_eq!(said(&convert(&[&from.0], &to.0, &[])).0, 1);
    assert!(parts(&files(&to.0), "traces").is_empty());
    assert_eq!(said(&convert(&[&from.0], &to.0, &["--shared"])).0, 0);
    drop(held);
    assert_eq!(
        said(&convert(&[&from.0], &to.0, &[])).1.trim(),
        "0 traces converted, 1 were there, 0 failed; 0 rows."
    );
}

#[test]
fn two_processes_at_once_write_whole_files() {
    let (from, to, alone) = (Folder::new("twice"), Folder::new("twice-out"), Folder::new("twice-alone"));
    for at in 0..20 {
        from.file(&format!("t{at}.json"), trace(at));
    }
    let start = || {
        let mut command = tables();
        command.arg(&from.0).arg("--out").arg(&to.0).arg("--shared").stdout(Stdio::null());
        command.spawn().unwrap()
    };
    let both = [start(), start()];
    for mut one in both {
        assert!(one.wait().unwrap().success());
    }
    assert_eq!(said(&convert(&[&from.0], &alone.0, &[])).0, 0);
    assert!(files(&to.0) == files(&alone.0), "{:?}", files(&to.0).keys());
}

#[test]
fn tables_and_formats_that_are_missing_are_written() {
    let (from, to) = (Folder::new("missing"), Folder::new("missing-out"));
    from.file("t.json", trace(1));
    let run = |more: &[&str]| said(&convert(&[&from.0], &to.0, more));
    assert_eq!(run(&["--tables", "tracks"]).0, 0);
    assert!(parts(&files(&to.0), "slices").is_empty());
    let (status, out, _) = run(&["--tables", "slices"]);
    assert_eq!((status, out.split(',').next()), (0, Some("1 traces converted")));
    assert_eq!(parts(&files(&to.0), "slices").len(), 1);
    // What was written in two runs is there.
    for more in [&["--tables", "tracks,slices"][..], &["--tables", "tracks"]] {
        assert!(run(more).1.starts_with("0 traces converted, 1 were there"), "{more:?}");
    }
    assert!(run(&[]).1.starts_with("1 traces converted"));
    assert!(run(&["--format", "arrow"]).1.starts_with("1 traces converted"));
    for more in [&[][..], &["--format", "arrow"]] {
        assert!(run(more).1.starts_with("0 traces converted, 1 were there"), "{more:?}");
    }
    let all = files(&to.0);
    assert_eq!(parts(&all, "slices").len(), 2, "{:?}", all.keys());
}

#[test]
fn a_file_that_has_changed_takes_the_place_of_what_it_was() {
    let (from, to) = (Folder::new("changed"), Folder::new("changed-out"));
    let path = from.file("t.json", trace(1));
    let other = from.file("other.json", trace(7));
    assert_eq!(said(&convert(&[&from.0], &to.0, &[])).0, 0);
    from.file("t.json", trace(2));
    let (status, out, err) = said(&convert(&[&from.0], &to.0, &[]));
    assert!(status == 0 && out.starts_with("1 traces converted, 1 were there"), "{out}");
    assert!(err.contains("t.json has changed: its former tables were removed."), "{err}");
    let all = files(&to.0);
    assert_eq!((parts(&all, "traces").len(), parts(&all, "slices").len()), (2, 2), "{:?}", all.keys());
    // What another file holds stays, and so does what was whole before a file broke.
    fs::rename(&other, from.0.join("renamed.json")).unwrap();
    fs::copy(from.0.join("renamed.json"), &path).unwrap();
    let (_, out, _) = said(&convert(&[&from.0], &to.0, &[]));
    assert!(out.starts_with("0 traces converted, 2 were there"), "{out}");
    assert_eq!(parts(&files(&to.0), "traces").len(), 1);
    from.file("t.json", "{\"broken\": [");
    from.file("renamed.json", "");
    assert_eq!(said(&convert(&[&from.0], &to.0, &[])).0, 1);
    let all = files(&to.0);
    assert_eq!((parts(&all, "traces").len(), parts(&all, "faults").len()), (1, 2), "{:?}", all.keys());
}

#[test]
fn damage_of_what_was_unpacked_stands_in_faults() {
    let (from, to) = (Folder::new("crc"), Folder::new("crc-out"));
    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gz.write_all(trace(1).as_bytes()).unwrap();
    let mut bytes = gz.finish().unwrap();
    let at = bytes.len() - 8;
    bytes[at] ^= 0x55;
    from.file("t.json.gz", bytes);
    let (status, out, err) = said(&convert(&[&from.0], &to.0, &[]));
    assert!(status == 0 && out.starts_with("1 traces converted"), "{out} {err}");
    assert!(err.contains("loss INP-UNPACK: ") && err.contains("t.json.gz"), "{err}");
    let all = files(&to.0);
    let faults = parts(&all, "faults");
    assert!(faults.len() == 1 && faults[0].contains("system=trace_event"), "{faults:?}");
}
