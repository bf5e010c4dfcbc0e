//! Files on disk or in memory to an opened document, as a program would open them.

use lanescope::document::Document;
use lanescope::engine::Need;
use lanescope::input::unpack::MemoryStore;
use lanescope::input::{Entry, Memory};
use lanescope::systems;
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::{Duration, Instant};

/// The folder of the fixtures.
pub(crate) fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")
}

/// Cases of a format: name and folder.
pub(crate) fn cases(format: &str) -> Vec<(String, PathBuf)> {
    let folders = fs::read_dir(fixtures().join(format)).into_iter().flatten().flatten().map(|e| e.path());
    let mut cases: Vec<(String, PathBuf)> = folders
        .filter(|path| path.is_dir())
        .map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), path))
        .collect();
    cases.sort();
    cases
}

/// The files of a case without the note where they come from.
pub(crate) fn files_of(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(at) = open.pop() {
        for path in fs::read_dir(&at).unwrap().map(|e| e.unwrap().path()) {
            if path.is_dir() {
                open.push(path);
            } else if path.file_name().unwrap() != "source.toml" {
                let name = path.strip_prefix(folder).unwrap().to_string_lossy().into_owned();
                files.push((name, fs::read(&path).unwrap()));
            }
        }
    }
    files.sort();
    files
}

/// Opens files that are fed in pieces of `chunk` bytes; whether the document became ready.
pub(crate) fn open(files: Vec<(String, Vec<u8>)>, chunk: usize) -> (Document, bool) {
    let entry = |(path, bytes)| Entry { path, source: Rc::new(Memory(bytes)) };
    let mut doc = Document::new(files.into_iter().map(entry).collect(), Box::new(MemoryStore::default()));
    let mut buffer = vec![0; chunk];
    loop {
        match doc.step() {
            Need::Again => {}
            Need::Ready => return (doc, true),
            Need::Failed | Need::Part(_) => return (doc, false),
            Need::Stream { source, range } => {
                let mut at = range.start;
                while at < range.end {
                    let wanted = usize::try_from(range.end - at).unwrap().min(chunk);
                    let n = source.read_at(at, &mut buffer[..wanted]).unwrap();
                    if n == 0 || !doc.feed(&buffer[..n]) {
                        break;
                    }
                    at += n as u64;
                }
            }
        }
    }
}

/// Opens one file under a name.
pub(crate) fn open_one(name: &str, bytes: Vec<u8>) -> (Document, bool) {
    open(vec![(name.to_owned(), bytes)], 1 << 16)
}

/// Opens a fixture by format and case.
pub(crate) fn open_case(format: &str, case: &str) -> (Document, bool) {
    assert!(systems::formats().any(|f| f.id == format), "{format} is a format");
    open(files_of(&fixtures().join(format).join(case)), 1 << 16)
}

/// Everything a document says, as text that is equal when two documents are.
pub(crate) fn said(doc: &Document) -> String {
    let trace = doc.trace();
    let mut out = format!("{} {:?}\n", trace.title, trace.headline);
    for (id, track) in trace.tracks.iter() {
        out += &format!("{} {} slices", trace.track_path(id), track.slices.len());
        let times: Vec<_> = track.slices.start.iter().zip(track.slices.durs()).collect();
        out += &format!(" {times:?}\n");
    }
    for listing in &trace.code.listings {
        out += &format!("{} {} lines {:x?}\n", listing.title, listing.lines.len(), listing.address);
        for column in &listing.columns {
            let cells: Vec<String> = (0..listing.lines.len())
                .map(|row| format!("{:?}{}", column.cells.number(row, 0), column.cells.text(row, 0)))
                .collect();
            out += &format!("  {} {:?} {}\n", column.name, column.style, cells.join(" "));
        }
    }
    for links in &trace.code.links {
        let rows = trace.code.listings[links.from.index()].lines.len();
        let linked: Vec<Vec<u32>> =
            (0..rows as u32).map(|row| links.rows(links.from, row).collect()).collect();
        out += &format!("links {} {linked:?}\n", links.from.0);
    }
    let accesses = &trace.accesses;
    for row in 0..accesses.len() as u32 {
        out += &format!("{:?} {:?}\n", accesses.get(row), accesses.site(row));
    }
    out += &format!("{:?} {:?} {:?}\n", accesses.stacks, accesses.frames, accesses.regions);
    for family in &trace.figures {
        out += &format!("{family:?}\n");
    }
    for block in &trace.blocks {
        out += &format!("{block:?}\n");
    }
    out += &format!("{:?}\n", trace.dropped);
    for fault in doc.faults().rows() {
        out += &format!("{} {fault}\n", fault.code);
    }
    out
}

/// Bytes that are handed over at once.
const CHUNK: usize = 1 << 18;

/// Drives a document; returns it with the longest feeds and steps, longest first.
#[allow(clippy::disallowed_methods)] // the tests run natively
pub(crate) fn drive(name: &str, bytes: Vec<u8>) -> (Document, Vec<(Duration, String)>) {
    let entry = Entry { path: name.to_owned(), source: Rc::new(Memory(bytes)) };
    let mut doc = Document::new(vec![entry], Box::new(MemoryStore::default()));
    let mut took: Vec<(Duration, String)> = Vec::new();
    let mut buffer = vec![0; CHUNK];
    for n in 0.. {
        let begin = Instant::now();
        let need = doc.step();
        let progress = doc.progress();
        took.push((begin.elapsed(), format!("step {n}, {}, byte {:?}", progress.step, progress.place.byte)));
        match need {
            Need::Again => {}
            Need::Ready => break,
            Need::Failed | Need::Part(_) => panic!("it opens"),
            Need::Stream { source, range } => {
                let mut at = range.start;
                while at < range.end {
                    let wanted = usize::try_from(range.end - at).unwrap().min(CHUNK);
                    let n = source.read_at(at, &mut buffer[..wanted]).unwrap();
                    let begin = Instant::now();
                    assert!(doc.feed(&buffer[..n]));
                    took.push((begin.elapsed(), format!("feed at {at}")));
                    at += n as u64;
                }
            }
        }
    }
    took.sort_by_key(|(time, _)| std::cmp::Reverse(*time));
    (doc, took)
}

/// Prints the longest feeds and steps.
pub(crate) fn print_steps(took: &[(Duration, String)]) {
    for kind in ["step", "feed"] {
        for (time, what) in took.iter().filter(|(_, what)| what.starts_with(kind)).take(4) {
            eprintln!("  {:6.1} ms  {what}", time.as_secs_f64() * 1e3);
        }
    }
}

/// The slices that have no end in the file: path of the track and name, in the order of tracks.
pub(crate) fn unfinished(doc: &Document) -> Vec<String> {
    let trace = doc.trace();
    let rows = trace.tracks.iter().flat_map(|(id, track)| {
        let rows = (0..track.slices.len()).filter(|row| track.slices.is_unfinished(*row));
        rows.map(move |row| {
            format!("{}: {}", trace.track_path(id), trace.strings.get(track.slices.name[row]))
        })
    });
    rows.collect()
}
