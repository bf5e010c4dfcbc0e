//! Runs that were dropped together: each log, and the counters of each kernel, are a document of their own, so that they
//! are listed by their names and can be compared.

use super::{log, mapping};
use crate::base::order;
use crate::base::unit::Unit;
use crate::base::words::phrase;
use crate::format::Part;
use crate::input::bundle::{Bundle, Entry, EntryId};
use crate::input::source::{ByteSource, read_range};
use crate::model::build::natural;
use crate::model::files::operator::{Measure, OperatorHead};
use memchr::memmem;

/// Endings of names of logs; some have none.
const ENDINGS: [&str; 3] = [".log", ".txt", ".out"];

/// Bytes at the end of a log that hold what it says of its last kernel.
const END: u64 = 256 << 10;

/// A file's name without the endings of logs.
fn stem(name: &str) -> &str {
    ENDINGS
        .iter()
        .fold(name, |name, end| name.strip_suffix(end).filter(|left| !left.is_empty()).unwrap_or(name))
}

/// Folder and name.
fn split(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or(("", path))
}

/// A part for each log, when there are several. Other files go to the log that they are called after, such as
/// `run.sim.csv` to `run.log`, or else to all.
fn of_logs(bundle: &Bundle, logs: &[EntryId]) -> Vec<Part> {
    if logs.len() < 2 {
        return Vec::new();
    }
    let path = |id: &EntryId| bundle.get(*id).map_or("", |entry| entry.path.as_str());
    let mut parts: Vec<Part> =
        logs.iter().map(|id| Part { path: path(id).to_owned(), entries: vec![*id] }).collect();
    for (id, entry) in bundle.iter().filter(|(id, _)| !logs.contains(id)) {
        let (folder, name) = split(&entry.path);
        let is_called_after = |part: &Part| {
            let (own, log) = split(&part.path);
            own == folder && name.strip_prefix(stem(log)).is_some_and(|rest| rest.starts_with('.'))
        };
        let is_of_one = parts.iter().any(is_called_after);
        for part in parts.iter_mut().filter(|part| !is_of_one || is_called_after(part)) {
            part.entries.push(id);
        }
    }
    order::sort_by(&mut parts, |a, b| natural(&a.path, &b.path));
    parts
}

/// The logs of a bundle.
pub(super) fn logs(bundle: &Bundle) -> Vec<Part> {
    let may_be =
        |entry: &Entry| ENDINGS.iter().any(|end| entry.name().ends_with(end)) || !entry.name().contains('.');
    let named = || bundle.iter().filter(|(_, entry)| may_be(entry));
    if named().nth(1).is_none() {
        return Vec::new();
    }
    let logs: Vec<EntryId> = named().filter(|(_, entry)| log::is_log(entry)).map(|(id, _)| id).collect();
    of_logs(bundle, &logs)
}

/// The logs of a bundle that its mapping fits.
pub(super) fn mapped_logs(bundle: &Bundle) -> Vec<Part> {
    of_logs(bundle, &mapping::logs(bundle))
}

/// The kernel of a file of counters, with its folder: `mvt_kernel0` of `mvt_kernel0_l1d_sm0.csv`.
fn kernel_of(path: &str) -> Option<&str> {
    const MARK: &str = "kernel";
    let (folder, name) = split(path);
    let at = name.find(MARK)? + MARK.len();
    let digits = name.get(at..)?.bytes().take_while(u8::is_ascii_digit).count();
    let start = if folder.is_empty() { 0 } else { folder.len() + 1 };
    (0 < digits).then(|| path.get(..start + at + digits))?
}

/// A part for the counters of each kernel, when there are several; other files go to all.
pub(super) fn kernels(bundle: &Bundle) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    let mut rest: Vec<EntryId> = Vec::new();
    for (id, entry) in bundle.iter() {
        let Some(kernel) = kernel_of(&entry.path).filter(|_| super::profiler::is_counters(entry)) else {
            rest.push(id);
            continue;
        };
        match parts.iter_mut().find(|part| part.path == kernel) {
            Some(part) => part.entries.push(id),
            None => parts.push(Part { path: kernel.to_owned(), entries: vec![id] }),
        }
    }
    if parts.len() < 2 {
        return Vec::new();
    }
    for part in &mut parts {
        part.entries.extend(&rest);
    }
    order::sort_by(&mut parts, |a, b| natural(&a.path, &b.path));
    parts
}

/// What a part is called, and how long the run of a log was: the rest is known when it was read.
pub(super) fn head(bundle: &Bundle, part: &Part) -> OperatorHead {
    let name = stem(split(&part.path).1).to_owned();
    let mut entries = part.entries.iter().filter_map(|id| bundle.get(*id));
    let log = entries.find(|entry| entry.path == part.path);
    let measure = |value| Measure { name: phrase("Cycles").to_owned(), unit: Unit::Cycles, value };
    let measures = log.and_then(|log| cycles(&*log.source)).map(measure).into_iter().collect();
    OperatorHead { path: part.path.clone(), name, measures, ..OperatorHead::default() }
}

/// Simulated cycles of all kernels that ended, as the end of a log says.
fn cycles(source: &dyn ByteSource) -> Option<f64> {
    const SAYS: &[u8] = b"\ngpu_tot_sim_cycle = ";
    let end = read_range(source, source.len().saturating_sub(END)..source.len()).ok()?;
    let text = end.get(memmem::rfind(&end, SAYS)? + SAYS.len()..)?;
    let digits = text.get(..text.iter().position(|byte| !byte.is_ascii_digit())?)?;
    std::str::from_utf8(digits).ok()?.parse().ok()
}
