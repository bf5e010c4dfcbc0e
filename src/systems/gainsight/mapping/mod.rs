//! Logs of other simulators, read through a mapping: a JSON file that says how their lines are worded.
//!
//! ```json
//! {
//!   "access": "^(?<cycle>\\d+) (?<op>RD|WR) (?<level>L1|LLC) (?<unit>\\d+) 0x(?<address>[0-9a-f]+) (?<state>\\w+)",
//!   "kernel_begin": "^begin (?<name>\\S+) (?<id>\\d+)",
//!   "kernel_end": "^end after (?<cycles>\\d+)",
//!   "capacity": "^(?<level>L1|LLC) has (?<bytes>\\d+) bytes",
//!   "words": {"load": ["RD"], "store": ["WR"], "l2": ["LLC"], "hit": ["found"], "miss": ["fetched"], "retry": ["full"]},
//!   "clock_mhz": 1132
//! }
//! ```
//! Only `access` is needed. Groups of an access: `cycle`, or `time` in nanoseconds where `clock_mhz` is given; `address`;
//! and, where lines say it, `op`, `size`, `level`, `unit`, `bank`, `state`. A mapping lies beside the logs, or is handed
//! over as `--mapping`; the page has a dialog that makes one. Other members, such as `name`, are passed over.

mod preview;
mod read;

use super::parts;
use crate::base::fault::{Fault, Kind, Place, Severity};
use crate::base::words::{message, phrase};
use crate::format::{Claim, Degree, Format, Operators, Probe, ProbeResult, Probed, unreadable};
use crate::input::bundle::{Bundle, Entry, EntryId};
use crate::input::source::read_range;
use crate::model::parameter::{Parameter, ParameterKind, PreviewProblem};
use crate::views::lifetimes::compute::parameters;
pub(super) use read::{Event, Mapping, sectors};
use std::collections::BTreeMap;
use std::rc::Rc;

/// The format.
pub(super) static FORMAT: Format = Format {
    id: "mapped_log",
    title: phrase("Log with a mapping"),
    written_by: "any simulator that prints single accesses",
    patterns: &["*.log", "*.txt", "*.json"],
    shows: "Data lifetimes, caches, kernels",
    source: "the fields that GainSight asks of a simulator",
    probe: Probe { look, join: Some(join) },
    parameters: &[&MAPPING, &parameters::LIFETIME, &parameters::REFILL, &parameters::FILL],
    read: |claim, values| Box::new(super::log::LogReading::mapped(claim, values)),
    slices: None,
    mode_note: None,
    operators: Some(Operators {
        switch: "",
        title: phrase("Logs"),
        find: parts::mapped_logs,
        head: parts::head,
    }),
};

/// The mapping, where it does not lie beside the logs.
static MAPPING: Parameter = Parameter {
    id: "mapping",
    title: phrase("Mapping"),
    help: phrase("file that says how the lines of a log are worded"),
    kind: ParameterKind::File { patterns: &["*.json"], preview: Some(preview::preview) },
    rereads: true,
};

/// The mappings that logs were read with, by the number of the log's entry.
#[derive(Default)]
pub(super) struct Mapped(pub(super) BTreeMap<u32, Rc<Mapping>>);

/// Roles of files.
mod role {
    /// A mapping.
    pub(super) const MAPPING: &str = "mapping";
    /// A log.
    pub(super) const LOG: &str = "log";
}

/// Largest mapping that is read.
const LARGEST: u64 = 1 << 20;
/// How much of a log is looked at.
const LOOK: u64 = 256 << 10;

/// The text of a mapping, if it is one.
fn text(entry: &Entry) -> Option<String> {
    let len = entry.source.len();
    let head = read_range(&*entry.source, 0..64).ok()?;
    let is_meant = len <= LARGEST && head.trim_ascii_start().starts_with(b"{");
    let bytes = is_meant.then(|| read_range(&*entry.source, 0..len).ok()).flatten()?;
    let text = String::from_utf8(bytes).ok()?;
    (text.contains("\"access\"") && text.contains("(?")).then_some(text)
}

fn look(entry: &Entry) -> ProbeResult {
    if let Err(error) = read_range(&*entry.source, 0..1) {
        return Err((0, unreadable(&error.0)));
    }
    match text(entry) {
        Some(_) => Ok((Degree::Certain, role::MAPPING, message("how the lines of a log are worded"))),
        None => Err((0, message("no mapping"))),
    }
}

/// The mapping of a bundle: the one that was handed over as the parameter, else the first; or what is wrong with it.
pub(super) fn of(bundle: &Bundle) -> Option<(EntryId, Result<Mapping, Fault>)> {
    let mut found = bundle.iter().filter_map(|(id, entry)| Some((id, entry, text(entry)?)));
    let first = found.next()?;
    let handed_over =
        |(_, entry, _): &(EntryId, &Entry, String)| entry.path.strip_suffix(".json") == Some(MAPPING.id);
    let (id, entry, text) = found.filter(handed_over).last().unwrap_or(first);
    Some((id, Mapping::parse(&text).map_err(|problem| fault(&entry.path, &text, problem))))
}

/// What is wrong with a mapping, as a fault of its file.
fn fault(path: &str, text: &str, problem: PreviewProblem) -> Fault {
    let byte = preview::byte_of(text, &problem);
    let why = match problem.field.as_str() {
        "" => problem.why,
        field => message("{field}: {why}").with("field", field).with_message("why", problem.why),
    };
    let kind = Kind::Problem(message("the mapping cannot be used: {why}").with_message("why", why));
    let place = match byte.and_then(|byte| Some((byte, text.get(..byte)?))) {
        Some((byte, before)) => {
            let line = before.matches('\n').count() + 1;
            let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
            let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
            Place::byte(path, byte as u64).line(number(line), number(column))
        }
        None => Place::entry(path),
    };
    Fault::new("MAP-FILE", Severity::Fatal, place, kind)
}

/// The entries beside a mapping with a line that it fits.
fn fitting(bundle: &Bundle, id: EntryId, mapping: &Mapping) -> Vec<EntryId> {
    let fits = |entry: &Entry| {
        let head = read_range(&*entry.source, 0..LOOK).unwrap_or_default();
        let mut lines = head.split(|byte| *byte == b'\n').take(4_096);
        !head.contains(&0) && lines.any(|line| mapping.fits(line))
    };
    bundle.iter().filter(|(log, entry)| *log != id && fits(entry)).map(|(log, _)| log).collect()
}

/// Most files of a bundle that are looked at for logs: each is read, all in one step.
const MOST: usize = 64;

/// The logs of a bundle with a mapping that fits them.
pub(super) fn logs(bundle: &Bundle) -> Vec<EntryId> {
    if bundle.iter().nth(MOST).is_some() {
        return Vec::new();
    }
    match of(bundle) {
        Some((id, Ok(mapping))) => fitting(bundle, id, &mapping),
        _ => Vec::new(),
    }
}

/// One claim for each log that a line fits; the mapping belongs to the first.
fn join(bundle: &Bundle, probed: &mut Probed) {
    let claims = std::mem::take(&mut probed.claims);
    let Some(first) = claims.into_iter().next() else { return };
    let Some((id, mapping)) = of(bundle) else { return };
    let Ok(mapping) = mapping else {
        // The reader says what is wrong.
        probed.claims.push(first);
        return;
    };
    for log in fitting(bundle, id, &mapping) {
        let reason = message("lines are worded as the mapping says");
        probed.claims.push(Claim { degree: Degree::Likely, entries: vec![(log, role::LOG)], reason });
    }
    match probed.claims.first_mut() {
        Some(claim) => claim.entries.push((id, role::MAPPING)),
        None => probed.take(id, Err((60, message("a mapping, but no log whose lines it fits")))),
    }
}
