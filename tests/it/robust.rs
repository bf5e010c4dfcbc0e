//! Readers of every format on its fixtures, whole and damaged: no panic, places inside the file, memory and rows within
//! bounds, and damage that reaches the typed readers at all. `cargo xtask damage` damages many more files of each format.

use crate::support::corpus::corpus;
use crate::support::front_door::{cases, files_of, open, open_one, said};
use crate::support::memory;
use crate::support::mutate::{Seeded, damaged_files, mutate, told};
use lanescope::base::geometry::Size;
use lanescope::document::Document;
use lanescope::scene::palette::Palette;
use lanescope::systems;
use lanescope::wire::Query;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Memory a reader may hold for a small file, and for each byte of it. What comes from few bytes is bounded (cells that
/// stand for all cores, rows of lines without text); what comes from many is a few columns and a tree.
const BASE_BYTES: usize = 48 << 20;
const BYTES_EACH: usize = 400;

/// What a document must be, whatever was in its files. Returns whether a typed reader got to see something.
fn check(doc: &Document, n_bytes: usize) -> Result<bool, String> {
    for fault in doc.faults().rows() {
        let named = &fault.place.entry;
        if doc.bundle().iter().any(|(_, e)| e.path.starts_with(&format!("{named}!/"))) {
            continue; // of an archive: only what came out of it is at hand
        }
        let Some((_, entry)) = doc.bundle().iter().find(|(_, e)| e.path == *named) else {
            return Err(format!("a fault names no file: {fault}"));
        };
        if fault.place.byte.or(fault.last).is_some_and(|byte| entry.source.len() < byte) {
            return Err(format!("a fault lies behind the end: {fault}"));
        }
        if fault.to_string().len() > 4_000 {
            return Err(format!("a fault is too long to read: {fault}"));
        }
    }
    let trace = doc.trace();
    for block in &trace.blocks {
        let len = doc.bundle().get(lanescope::input::EntryId(block.entry)).map_or(0, |e| e.source.len());
        if len < block.payload.end || block.payload.end < block.payload.start {
            return Err(format!("a block lies behind the end: {block:?}"));
        }
    }
    let n_rows = trace.n_slices() + trace.n_instants() + trace.n_samples();
    if n_bytes as u64 + 1_000 < n_rows {
        return Err(format!("{n_rows} rows from {n_bytes} bytes"));
    }
    Ok(!trace.figures.is_empty() || !trace.code.listings.is_empty() || 0 < n_rows)
}

/// The fixtures of a format: each with its name and its files.
type Fixtures = Vec<(String, Vec<(String, Vec<u8>)>)>;

/// Damages the fixtures of a format in turn, once for each seed. Returns how many reached a typed reader, and the most
/// memory that was held. The first seed that breaks something is named.
fn damage(format: &str, fixtures: &Fixtures, seeds: Range<u64>) -> Result<(u64, usize), String> {
    let (mut reached, mut most) = (0, 0);
    for seed in seeds {
        let (case, files) = &fixtures[seed as usize % fixtures.len()];
        let mut random = Seeded(seed);
        let mut files = files.clone();
        let which = random.below(files.len());
        files[which].1 = mutate(&files[which].1, &mut random);
        let n_bytes: usize = files.iter().map(|(_, bytes)| bytes.len()).sum();
        let chunk = [61, 1_024, 1 << 20][random.below(3)];
        let opened = catch_unwind(AssertUnwindSafe(|| memory::peak(|| open(files, chunk).0)));
        let (doc, peak) = opened.map_err(|_| format!("{format}/{case} with seed {seed} panics"))?;
        let is_read = check(&doc, n_bytes).map_err(|e| format!("{format}/{case} with seed {seed}: {e}"))?;
        reached += u64::from(is_read);
        most = most.max(peak);
        if BASE_BYTES + BYTES_EACH * n_bytes < peak {
            return Err(format!(
                "{format}/{case} with seed {seed}: {peak} bytes held for a file of {n_bytes}"
            ));
        }
    }
    Ok((reached, most))
}

/// Damages the fixtures of each format so many times, on all processors. Returns of each how many reached a typed reader,
/// and the most memory that was held.
fn damage_all(formats: &[(&str, Fixtures)], n: u64) -> Vec<(u64, usize)> {
    /// Seeds of a piece of work; formats differ in how long a file takes.
    const PIECE: u64 = 250;
    let pieces: Vec<(usize, u64)> = (0..n)
        .step_by(PIECE as usize)
        .flat_map(|seed| (0..formats.len()).map(move |at| (at, seed)))
        .collect();
    let (next, found) = (AtomicUsize::new(0), Mutex::new(vec![(0, 0); formats.len()]));
    std::thread::scope(|scope| {
        // Memory is counted for each thread.
        for _ in 0..std::thread::available_parallelism().map_or(2, usize::from) {
            scope.spawn(|| {
                while let Some(&(at, seed)) = pieces.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let (format, fixtures) = &formats[at];
                    assert!(!fixtures.is_empty(), "{format} has fixtures");
                    match damage(format, fixtures, seed..n.min(seed + PIECE)) {
                        Ok((reached, most)) => {
                            let of = &mut found.lock().unwrap()[at];
                            *of = (of.0 + reached, of.1.max(most));
                        }
                        Err(wrong) => {
                            next.store(pieces.len(), Ordering::Relaxed); // the other threads end too
                            panic!("{wrong}");
                        }
                    }
                }
            });
        }
    });
    let found = found.into_inner().unwrap();
    for ((format, _), (reached, most)) in formats.iter().zip(&found) {
        let share = 100 * reached / n.max(1);
        told(&format!(
            "{format}: {n} damaged files, {share} % reached a typed reader, at most {most} bytes held"
        ));
    }
    found
}

#[test]
fn damaged_files_of_every_format_break_nothing() {
    let n = damaged_files();
    let formats: Vec<(&str, Fixtures)> = systems::formats()
        .map(|format| {
            let cases = cases(format.id).into_iter();
            (format.id, cases.map(|(case, folder)| (case, files_of(&folder))).collect())
        })
        .collect();
    for ((format, _), (reached, _)) in formats.iter().zip(damage_all(&formats, n)) {
        assert!(
            n * 3 / 10 <= reached,
            "{format}: only {reached} of {n} damaged files reached a typed reader"
        );
    }
}

/// Longest real profile that is damaged: longer ones take long and say little more.
const REAL_BYTES: u64 = 48 << 10;

#[test]
fn damaged_files_of_every_format_of_real_profiles_break_nothing() {
    let Some(root) = corpus("") else { return };
    let mut found: Fixtures = Vec::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap().map(Result::unwrap) {
            let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
            // What is packed holds more than its bytes say.
            let is_packed =
                [".gz", ".xz", ".zst", ".zip", ".tar"].iter().any(|ending| name.ends_with(ending));
            if path.is_dir() {
                folders.push(path);
            } else if !is_packed && entry.metadata().unwrap().len() <= REAL_BYTES {
                let case = path.strip_prefix(&root).unwrap_or(&path).display().to_string();
                found.push((case, vec![(name, std::fs::read(&path).unwrap())]));
            }
        }
    }
    found.retain(|(_, files)| check(&open(files.clone(), 1 << 20).0, files[0].1.len()) == Ok(true));
    found.sort_unstable_by(|a, b| a.0.cmp(&b.0));
    let n = damaged_files();
    let (reached, _) = damage_all(&[("real profiles", found)], n)[0];
    assert!(n * 3 / 10 <= reached, "only {reached} of {n} damaged files reached a typed reader");
}

#[test]
fn every_case_says_the_same_in_any_pieces_and_under_another_name() {
    for format in systems::formats() {
        for (case, folder) in cases(format.id) {
            let (files, case) = (files_of(&folder), format!("{}/{case}", format.id));
            let (doc, is_ready) = open(files.clone(), 1 << 20);
            assert!(is_ready, "{case}");
            let expected = said(&doc);
            for chunk in [1, 7, 100] {
                assert_eq!(said(&open(files.clone(), chunk).0), expected, "{case} in pieces of {chunk}");
            }
            // Folders are known by the names of their files, and counters say their unit by theirs.
            let Some((name, bytes)) = files.first().filter(|(name, _)| {
                files.len() == 1 && !name.contains('/') && format.id != "runtime_profiler"
            }) else {
                continue;
            };
            let (renamed, is_ready) = open_one("other-name", bytes.clone());
            assert!(is_ready, "{case} is recognized by what is in it");
            assert_eq!(said(&renamed).replace("other-name", name), expected, "{case} under another name");
        }
    }
}

#[test]
fn bytes_of_no_format_break_nothing() {
    let mut random = Seeded(7);
    for n in 0..500 {
        let mut bytes: Vec<u8> = (0..random.below(3_000)).map(|_| random.next() as u8).collect();
        if n % 2 == 0 && 12 <= bytes.len() {
            // A sound header before noise.
            bytes[..12].copy_from_slice(&[
                (n % 200) as u8,
                2,
                0,
                0,
                0,
                0,
                0,
                0,
                (n % 16) as u8,
                1,
                0x5a,
                0x5a,
            ]);
        }
        let n_bytes = bytes.len();
        let ((doc, _), peak) = memory::peak(|| open(vec![("noise.bin".to_owned(), bytes)], 1_000));
        check(&doc, n_bytes).unwrap();
        assert!(peak < BASE_BYTES, "{peak}");
    }
}

#[test]
fn a_sparse_file_of_five_gigabytes_is_refused_at_once() {
    use lanescope::input::Entry;
    use lanescope::input::{ByteSource, ReadError};
    use std::cell::Cell;
    use std::rc::Rc;

    /// Zeros behind a first block, as a file with a hole has them.
    struct Sparse(Vec<u8>, Rc<Cell<u64>>);

    impl ByteSource for Sparse {
        fn len(&self) -> u64 {
            5 << 30
        }

        fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<usize, ReadError> {
            self.1.set(self.1.get() + buf.len() as u64);
            for (i, b) in (offset..).zip(&mut *buf) {
                *b = usize::try_from(i).ok().and_then(|i| self.0.get(i)).copied().unwrap_or(0);
            }
            Ok(buf.len())
        }
    }

    let block =
        crate::support::make_ascend::Container::default().block(5, 0x5a, br#"{"name":"Add","soc":"x"}"#).0;
    for (head, is_ready) in [(Vec::new(), false), (block, true)] {
        let read = Rc::new(Cell::new(0));
        let source = Rc::new(Sparse(head, Rc::clone(&read)));
        let entries = vec![Entry { path: "hole.bin".to_owned(), source }];
        let ((doc, ready), peak) = memory::peak(|| {
            Document::open(entries, Box::new(lanescope::input::unpack::MemoryStore::default()))
        });
        assert_eq!(ready, is_ready);
        assert_eq!(doc.trace().title, if is_ready { "Add" } else { "" });
        assert!(read.get() < 600 << 20, "{} bytes read", read.get());
        assert!(peak < 32 << 20, "{peak}");
    }
}

#[path = "../fuzz/src/bundle.rs"]
#[allow(dead_code, unreachable_pub)] // only a part of it
mod bundle;

/// What fuzzing found, and what was mended then: opened, asked and drawn.
#[test]
fn inputs_that_broke_something_once_are_read() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/regressions");
    let within = |path: &std::path::Path| -> Vec<std::path::PathBuf> {
        std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()).collect()
    };
    let inputs: Vec<_> = within(&folder).iter().flat_map(|target| within(target)).collect();
    assert!(!inputs.is_empty());
    for input in inputs {
        let files = bundle::split(&std::fs::read(&input).unwrap(), "input");
        let n_bytes = files.iter().map(|(_, bytes)| bytes.len()).sum();
        let (mut doc, _) = open(files, 1_024);
        check(&doc, n_bytes).unwrap_or_else(|e| panic!("{}: {e}", input.display()));
        doc.whole_overview();
        doc.query(&Query::Headline);
        doc.query(&Query::Report);
        for picture in lanescope::engine::pictures() {
            let _ = doc.svg(picture.id, Size { w: 640.0, h: 400.0 }, &Palette::default());
        }
    }
}
