//! What all recorded programs have in common, whatever read them: metrics, the combined trace, the way through a container.

mod code;
mod conclusions;
mod exports;
pub(crate) mod lost;
mod metrics;
mod round;

use crate::accelsim::{export, recorded};
use lanescope::document::Document;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The files of a folder, below a name.
fn folder(path: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    for path in std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if name != "expected.json" && path.is_file() {
            files.push((format!("run/{name}"), std::fs::read(&path).unwrap()));
        }
    }
    files.sort();
    files
}

/// One instruction of a thread: its address, and lanes and addresses where it accesses memory.
type Line = (String, Option<(String, String)>);

/// What each thread ran, by the row of its launch and its own name.
fn combined(doc: &mut Document) -> BTreeMap<(usize, String), Vec<Line>> {
    let text = export(doc, "combined-text");
    let of = recorded(doc);
    let accesses = |launch: usize| -> BTreeSet<String> {
        let program = &of.programs[of.launches[launch].program as usize];
        let own = program.instructions.iter().filter(|instruction| instruction.memory.is_some());
        own.map(|instruction| format!("{:#06x}", instruction.address)).collect()
    };
    let memory: Vec<BTreeSet<String>> = (0..of.launches.len()).map(accesses).collect();
    let mut all: BTreeMap<(usize, String), Vec<Line>> = BTreeMap::new();
    for line in text.lines() {
        let cells: Vec<&str> = line.split('\t').collect();
        let (launch, thread) = match cells[0].rsplit_once(':') {
            Some((name, thread)) => {
                (of.launches.iter().position(|launch| launch.name == name).unwrap(), thread)
            }
            None => (0, cells[0]),
        };
        let access = memory[launch].contains(cells[3]).then(|| (cells[4].to_owned(), cells[5].to_owned()));
        all.entry((launch, thread.to_owned())).or_default().push((cells[3].to_owned(), access));
    }
    all
}

/// That two traces are equal, thread by thread.
fn assert_same(
    one: &BTreeMap<(usize, String), Vec<Line>>,
    other: &BTreeMap<(usize, String), Vec<Line>>,
    what: &str,
) {
    assert_eq!(one.keys().collect::<Vec<_>>(), other.keys().collect::<Vec<_>>(), "{what}");
    for (thread, lines) in one {
        let theirs = &other[thread];
        let parts = lines.iter().zip(theirs).position(|(own, their)| own != their);
        if let Some(at) = parts {
            panic!("{what}: {thread:?} at {at}: {:?} is {:?}", lines[at], theirs[at]);
        }
        assert_eq!(lines.len(), theirs.len(), "{what}: {thread:?}");
    }
}
