//! The JSON of both tools: kernels with their assembly, and results by run and tile.

use super::{Count, JsonCounts, Kernel, before, repair};
use crate::base::fault::{Fault, Kind, Place, Severity};
use crate::base::words::{message, phrase};
use crate::format::{self, Sink, Want};
use crate::input::json::scan::{blanks, value_end};
use crate::input::json::{Json, JsonError, parse};
use crate::input::{Bundle, EntryId, limits};
use crate::systems::instrumentation::intel::Code;
use crate::systems::instrumentation::intel::access::Access;

/// A file that is being read: taken whole, then one kernel after the other.
pub(super) struct Reading {
    entry: EntryId,
    path: String,
    text: Vec<u8>,
    /// Where backslashes were added.
    added: Vec<u64>,
    /// The next kernel in the text.
    at: usize,
    stage: PtiStage,
}

#[derive(Clone, Copy, PartialEq)]
enum PtiStage {
    Ask,
    Repair,
    Kernels,
}

/// Bytes of a cache line.
const LINE: u64 = 64;

impl Reading {
    pub(super) fn new(entry: EntryId) -> Self {
        Self { entry, path: String::new(), text: Vec::new(), added: Vec::new(), at: 0, stage: PtiStage::Ask }
    }

    /// Goes to the first kernel.
    fn begin(&mut self) {
        (self.text, self.added) = repair(&self.text);
        let key = b"\"kernels\"";
        let found = memchr::memmem::find(&self.text, key).map_or(self.text.len(), |at| at + key.len());
        let mut at = blanks(&self.text, found);
        for sign in [b':', b'['] {
            if self.text.get(at) == Some(&sign) {
                at = blanks(&self.text, at + 1);
            }
        }
        self.at = at;
    }

    /// Reads the next kernel; false when there is none.
    fn kernel(&mut self, sink: &mut Sink) -> bool {
        self.at = blanks(&self.text, self.at);
        if self.text.get(self.at) != Some(&b'{') {
            return false;
        }
        let end = value_end(&self.text, self.at).unwrap_or(self.text.len());
        let (json, errors) = parse(self.text.get(self.at..end).unwrap_or(&[]), self.at as u64);
        let is_whole = errors.is_empty();
        for error in errors {
            self.error(&error, sink);
        }
        let mut kernel = read(&json);
        let at = before(&self.added, self.at as u64);
        kernel.counts.values_mut().for_each(|count| count.at = (at, 0));
        if kernel.code.is_empty() {
            let place = Place::byte(&self.path, at);
            let kind = Kind::Problem(message("kernel {name} has no assembly").with("name", &kernel.name));
            let fault = Fault::new("PTI-ASM", Severity::Loss, place, kind);
            sink.fault(fault.note(phrase("Its counts are not shown.")));
        }
        let json: &mut JsonCounts = sink.builder.head().extensions.get_or_default();
        if !json.0.contains(&self.entry.0) {
            json.0.push(self.entry.0);
        }
        kernel.finish(&self.path, self.entry.0, sink);
        self.at = blanks(&self.text, end);
        let has_more = self.text.get(self.at) == Some(&b',');
        if is_whole && self.text.len() <= self.at {
            let place = Place::byte(&self.path, before(&self.added, self.at as u64));
            let kind = Kind::Unexpected { expected: ", or ]".into(), found: "the end".into() };
            let fault = Fault::new("PTI-JSON", Severity::Loss, place, kind);
            sink.fault(fault.note(phrase("The kernels after it are missing.")));
        }
        self.at += usize::from(has_more);
        has_more
    }

    fn error(&self, error: &JsonError, sink: &mut Sink) {
        let place = Place::byte(&self.path, before(&self.added, error.at));
        let kind = Kind::Unexpected { expected: error.expected.into(), found: error.found.clone().into() };
        let fault = Fault::new("PTI-JSON", Severity::Loss, place, kind);
        sink.fault(fault.note(phrase("The rest of this kernel may be missing.")));
    }
}

fn whole(json: &Json, key: &str) -> Option<u64> {
    json.get(key)?.as_text()?.trim().parse().ok()
}

fn flag(json: &Json, key: &str) -> bool {
    json.get(key)
        .is_some_and(|value| value.as_bool().unwrap_or_else(|| value.as_i64().is_some_and(|n| n != 0)))
}

/// A kernel with the sums over all runs and tiles that were collected.
fn read(json: &Json) -> Kernel {
    let mut kernel = Kernel {
        name: json.get("kernel_name").and_then(Json::as_str).unwrap_or("kernel").to_owned(),
        ..Kernel::default()
    };
    for one in json.get("asm").map_or(&[][..], Json::items) {
        let Some(offset) = whole(one, "offset") else { continue };
        let source = one.get("source").and_then(|source| {
            let file = source.get("file").and_then(Json::as_str).filter(|file| !file.is_empty())?;
            Some((file.to_owned(), u32::try_from(whole(source, "line")?).ok().filter(|line| *line != 0)?))
        });
        let text = one.get("asm").and_then(Json::as_str).unwrap_or("").to_owned();
        kernel.code.insert(offset, Code { text, source });
    }
    let mut blocks: std::collections::BTreeMap<u64, Option<u32>> = std::collections::BTreeMap::default();
    let runs = json.get("invocations").map_or(&[][..], Json::items).iter();
    let runs = runs.filter(|run| run.get("is_collected").is_none() || flag(run, "is_collected"));
    let tiles = runs.flat_map(|run| run.get("tiles").map_or(&[][..], Json::items));
    for result in tiles.flat_map(|tile| tile.get("results").map_or(&[][..], Json::items)) {
        let Some(offset) = whole(result, "offset") else { continue };
        if let Some(n) = whole(result, "instruction_counter") {
            let lanes = whole(result, "simd_active_lane_counter");
            kernel.count(offset, Count { runs: n, lanes, ..Count::default() });
            blocks.insert(offset, whole(result, "bbl_id").and_then(|id| u32::try_from(id).ok()));
        }
        if result.get("access_instruction_counter").is_some() {
            kernel.accesses.entry(offset).or_default().add(access(result));
        }
    }
    // A block begins where its number changes. Numbers that are not there for all leave the splitting to control flow.
    if !blocks.is_empty() && kernel.code.keys().all(|at| blocks.get(at).is_some_and(Option::is_some)) {
        let mut last = None;
        for (at, id) in blocks {
            if last != Some(id) {
                kernel.marks.extend(id.map(|id| (at, id)));
            }
            last = Some(id);
        }
    }
    kernel
}

fn access(json: &Json) -> Access {
    let number = |key| whole(json, key).unwrap_or(0);
    let bytes = whole(json, "element_size").zip(whole(json, "num_of_elements"));
    let bytes = bytes.and_then(|(size, n)| size.checked_mul(n.max(1)));
    let strides = json.get("stride_distribution").map_or(&[][..], Json::members).iter();
    let strides =
        strides.filter_map(|(stride, n)| Some((stride.trim().parse().ok()?, n.as_text()?.parse().ok()?)));
    let addresses = json.get("addresses").map_or(&[][..], Json::items).iter();
    Access {
        kind: kind(json),
        bytes,
        executed: number("access_instruction_counter"),
        lanes: number("simd_lanes_active_counter"),
        lines: number("cache_lines_counter"),
        moved: number("cache_lines_counter").saturating_mul(LINE),
        unaligned: number("cl_not_aligned_counter"),
        printed: None,
        strides: strides.collect(),
        outside: (number("stride_overflow_lower_counter"), number("stride_overflow_higher_counter")),
        addresses: addresses.filter_map(|one| one.as_text()?.trim().parse().ok()).collect(),
    }
}

/// The attributes in one line, as the text of the tool has them.
fn kind(json: &Json) -> String {
    let number = |key: &str, name: &str| whole(json, key).map(|n| format!("{name}{n}"));
    let named = |key: &str, name: &str| flag(json, key).then(|| name.to_owned());
    let parts = [
        number("simd_width", "SIMD"),
        number("exec_size", "ExecSize_"),
        number("element_size", "").map(|n| format!("{n} bytes")),
        number("num_of_elements", "X"),
        named("is_scatter", "Scatter"),
        // Bytes here, bits in the text.
        whole(json, "addr_width").map(|n| format!("A{}", n.saturating_mul(8))),
        named("is_slm", "SLM"),
        named("is_scratch", "Scratch"),
        named("is_atomic", "Atomic"),
        Some(if flag(json, "is_write") { "Write" } else { "Read" }.to_owned()),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

impl format::Reading for Reading {
    fn next(&mut self, bundle: &Bundle, sink: &mut Sink) -> Result<Want, Fault> {
        sink.step = "Reading";
        match self.stage {
            PtiStage::Ask => {
                let entry = bundle.get(self.entry);
                self.path = entry.map_or_else(String::new, |entry| entry.path.clone());
                let len = entry.map_or(0, |entry| entry.source.len());
                if limits::TREE_BYTES < len {
                    let what = phrase("size of one JSON file").into();
                    let kind = Kind::Limit { what, asked: len, allowed: limits::TREE_BYTES };
                    return Err(Fault::new("PTI-SIZE", Severity::Fatal, Place::entry(&self.path), kind));
                }
                self.stage = PtiStage::Repair;
                Ok(Want::Stream { entry: self.entry, range: 0..len })
            }
            PtiStage::Repair => {
                self.begin();
                self.stage = PtiStage::Kernels;
                Ok(Want::Again)
            }
            PtiStage::Kernels => Ok(if self.kernel(sink) { Want::Again } else { Want::Done }),
        }
    }

    fn feed(&mut self, chunk: &[u8], _: &Bundle, _: &mut Sink) -> Result<(), Fault> {
        self.text.extend_from_slice(chunk);
        Ok(())
    }

    fn position(&self) -> Option<(EntryId, u64)> {
        Some((self.entry, before(&self.added, self.at as u64)))
    }
}
