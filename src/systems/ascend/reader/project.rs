//! Folders of results: `OPPROF_<time>_<random>/device0/<operator>/<n>/…`, one for each operator that was measured.
//!
//! ```text
//! OPPROF_…/visualize_data.bin, *.csv                  one operator
//! OPPROF_…/device0/MatMul/0/visualize_data.bin, …     several
//! OPPROF_…/simulator/trace.json, core0.veccore0/…     one, simulated
//! ```
//! The folder of an operator is the one that holds its container, its CSV files, or its folder `simulator`; every other
//! file (such as those in `dump`) belongs to the nearest of these folders above it. Of several containers those with names
//! of their own are an operator each, by their path.

use super::details::{Known, block_times, measures, op_type};
use super::field::{Fields, Within};
use super::sheets::{basic_info, folder, is_known, measure};
use super::{CONTAINER, HEADER_BYTES, Header, Type, container};
use crate::base::map::Map;
use crate::base::unit::Unit;
use crate::base::words::{Message, message};
use crate::format::{Part, Probed, Sink};
use crate::input::json::{Json, parse};
use crate::input::{Bundle, ByteSource, Entry, EntryId, read_range};
use crate::model::files::{Measure, OperatorHead};
use std::ops::Range;

/// Blocks of a container that are looked at for the base info; it is the first one in files of devices.
const BLOCKS: usize = 256;
/// Bytes at both ends of a trace that are compared with a file.
const ENDS: u64 = 4_096;
/// What the tools call containers.
const CONTAINER_NAME: &str = "visualize_data.bin";
/// Role of a file that repeats the trace of the container.
const COPY: &str = "copy";
/// Largest block that is read for a list.
const BASE_INFO_BYTES: u64 = 1 << 20;

/// The folder of the operator that a file says there is; `None` when it says nothing.
pub fn home(entry: &Entry) -> Option<&str> {
    let is_container = entry.name() == CONTAINER_NAME || is_known(entry);
    let has_result = entry.path.split('/').any(|part| part.starts_with("OPPROF_"));
    let mut home = folder(&entry.path);
    if let (true, Some(at)) = (has_result, format!("/{home}/").find("/simulator/")) {
        return Some(home.get(..at.saturating_sub(1)).unwrap_or(home));
    }
    if !(is_container || has_result && entry.name() == "trace.json") {
        return None;
    }
    while is_inner(home) {
        home = folder(home);
    }
    Some(home)
}

/// Whether a folder lies inside the folder of its operator: `simulator`, `core0.veccore0`.
fn is_inner(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let core = name.strip_prefix("core");
    name == "simulator" || core.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

/// Containers that are not called as the tools call them; those in `dump` are data of a run.
fn is_renamed(entry: &Entry) -> bool {
    let name = entry.name();
    let is_bin = name
        .len()
        .checked_sub(4)
        .and_then(|at| name.get(at..))
        .is_some_and(|end| end.eq_ignore_ascii_case(".bin"));
    is_bin && name != CONTAINER_NAME && !entry.path.contains("/dump/") && container(entry).is_ok()
}

/// The operators of a bundle. Files that belong to none come last, when there are traces among them.
pub(super) fn find(bundle: &Bundle) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    let mut by_path: Map<&str, usize> = Map::default();
    let renamed: Vec<EntryId> =
        bundle.iter().filter(|(_, entry)| is_renamed(entry)).map(|(id, _)| id).collect();
    let n_containers =
        renamed.len() + bundle.iter().filter(|(_, entry)| entry.name() == CONTAINER_NAME).count();
    for (id, entry) in bundle.iter() {
        let is_own = 1 < n_containers && renamed.contains(&id);
        let Some(home) = (if is_own { Some(entry.path.as_str()) } else { home(entry) }) else { continue };
        // Files beside each other are told apart by their paths.
        let path = if home.is_empty() && 1 < n_containers { &entry.path } else { home };
        by_path.entry(home).or_insert_with(|| {
            parts.push(Part { path: path.to_owned(), entries: Vec::new() });
            parts.len() - 1
        });
    }
    let mut rest: Vec<EntryId> = Vec::new();
    let mut has_trace = false;
    for (id, entry) in bundle.iter() {
        let mut at = entry.path.as_str();
        let part = loop {
            match by_path.get(at) {
                None if !at.is_empty() => at = folder(at),
                found => break found.and_then(|at| parts.get_mut(*at)),
            }
        };
        if let Some(part) = part {
            part.entries.push(id);
        } else {
            has_trace |= entry.name().contains(".json");
            rest.push(id);
        }
    }
    if has_trace && !parts.is_empty() {
        let path = rest.first().and_then(|id| bundle.get(*id)).map_or("", |entry| folder(&entry.path));
        parts.push(Part { path: format!("{path}/*"), entries: rest });
    }
    parts
}

/// What an operator is: from the base info of its container, else from its `OpBasicInfo.csv`.
pub(super) fn head(bundle: &Bundle, part: &Part) -> OperatorHead {
    let entries = || part.entries.iter().filter_map(|id| bundle.get(*id));
    let mut head = OperatorHead { path: part.path.clone(), ..OperatorHead::default() };
    let container = entries().find(|entry| entry.name() == CONTAINER_NAME || entry.path == part.path);
    let info = container.and_then(|entry| Some((entry, base_info(&*entry.source)?)));
    if let Some((entry, range)) = info {
        let bytes = read_range(&*entry.source, range.clone()).unwrap_or_default();
        read(&parse(&bytes, range.start).0, &mut head);
    } else if let Some(entry) = entries().find(|entry| entry.name() == "OpBasicInfo.csv") {
        let bytes = read_range(&*entry.source, 0..BASE_INFO_BYTES).unwrap_or_default();
        basic_info(&entry.path, &bytes, &mut head);
    }
    measure(entries(), &mut head);
    if let Some(container) = container {
        let has = |name: &str| entries().any(|entry| entry.name() == format!("{name}.csv"));
        let known = Known { pipes: has("PipeUtilization"), memory: has("Memory"), cache: has("L2Cache") };
        let more = brief(&*container.source, known);
        let new = more.into_iter().filter(|measure| head.measure(&measure.name).is_none());
        let new: Vec<Measure> = new.collect();
        head.measures.extend(new);
    }
    if head.name.is_empty() {
        // …/MatMul/0
        let mut names = part.path.rsplit('/');
        let name = names.find(|name| !name.bytes().all(|b| b.is_ascii_digit())).unwrap_or("");
        name.clone_into(&mut head.name);
    }
    head
}

/// Types and payloads of the first sound blocks of a container. Costs one small read each.
fn payloads(source: &dyn ByteSource) -> impl Iterator<Item = (u8, Range<u64>)> {
    let mut at = 0_u64;
    let next = move || {
        let bytes = read_range(source, at..at.saturating_add(HEADER_BYTES)).ok()?;
        let header = Header::parse(&bytes).filter(Header::is_sound)?;
        let start = at.saturating_add(header.head_bytes());
        at = at.checked_add(header.block_bytes()?)?;
        let end = at.saturating_sub(u64::from(header.padding));
        Some((header.kind, start..end.max(start)))
    };
    std::iter::from_fn(next).take(BLOCKS)
}

/// Where the payload of the first base info is.
fn base_info(source: &dyn ByteSource) -> Option<Range<u64>> {
    let (_, range) = payloads(source).find(|(kind, _)| *kind == Type::BASE_INFO)?;
    Some(range.start..range.end.min(range.start.saturating_add(BASE_INFO_BYTES)))
}

/// What the blocks of a container tell that no file beside it tells.
fn brief(source: &dyn ByteSource, known: Known) -> Vec<Measure> {
    if known.pipes && known.memory && known.cache {
        return Vec::new();
    }
    let mut found: [(Vec<u8>, u64); 3] = Default::default();
    for (kind, range) in payloads(source) {
        let wanted = [Type::BASE_INFO, Type::LOAD_GRAPH, Type::MEMORY_GRAPH];
        let slot = wanted.iter().zip(&mut found).find(|(of, (bytes, _))| **of == kind && bytes.is_empty());
        if let Some((_, slot)) = slot {
            let end = range.end.min(range.start.saturating_add(BASE_INFO_BYTES));
            *slot = (read_range(source, range.start..end).unwrap_or_default(), range.start);
        }
    }
    let [info, load, graph] = &found.each_ref().map(|(bytes, at)| parse(bytes, *at).0);
    measures([info, load, graph], known)
}

/// The simulator writes the trace of a container again into a file beside it; such a copy is claimed, so that it is not
/// shown twice.
pub(super) fn claim_copies(bundle: &Bundle, probed: &mut Probed) {
    for claim in &mut probed.claims {
        let container = claim.entries.iter().find(|(_, role)| *role == CONTAINER);
        let Some(container) = container.and_then(|(id, _)| bundle.get(*id)) else { continue };
        let is_beside =
            |entry: &Entry| entry.name() == "trace.json" && folder(&entry.path) == folder(&container.path);
        let Some((id, file)) = bundle.iter().find(|(_, entry)| is_beside(entry)) else { continue };
        let mut traces = payloads(&*container.source).filter(|(kind, _)| *kind == Type::TRACE);
        if traces.any(|(_, range)| is_copy(container, &range, file)) {
            claim.entries.push((id, COPY));
            let reason = std::mem::take(&mut claim.reason);
            claim.reason =
                message("{reason}; trace.json is a copy of its trace").with_message("reason", reason);
        }
    }
}

/// Whether a file has as many bytes as a payload, and the same ones at both ends.
fn is_copy(container: &Entry, range: &Range<u64>, file: &Entry) -> bool {
    let len = file.source.len();
    let read = |entry: &Entry, from: u64, to: u64| read_range(&*entry.source, from..to).ok();
    let is_same =
        |from: u64, to: u64| read(container, range.start + from, range.start + to) == read(file, from, to);
    range.end - range.start == len && is_same(0, len.min(ENDS)) && is_same(len.saturating_sub(ENDS), len)
}

fn read(json: &Json, head: &mut OperatorHead) {
    // What is wrong with it is said when the operator is opened.
    let mut unheard = Sink::default();
    let within = Within { entry: String::new(), byte: 0, block: Message::default() };
    let mut fields = Fields::new(&within, &mut unheard);
    head.name = fields.text(json, "name", "");
    head.chip = fields.text(json, "soc", "");
    op_type(&fields.text(json, "op_type", "")).clone_into(&mut head.kind);
    head.block_dim = fields.number(json, "block_dim", "");
    head.duration = fields.number(json, "duration", "");
    head.clock = fields.number(json, "cur_freq", "");
    head.rated_clock = fields.number(json, "rated_freq", "");
    let times = block_times(json, head.duration, &mut fields).into_iter().flatten();
    let measure = |(name, value): (&str, f64)| Measure { name: name.to_owned(), unit: Unit::Micros, value };
    head.measures = times.map(measure).collect();
}
