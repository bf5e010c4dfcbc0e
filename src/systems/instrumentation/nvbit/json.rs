//! Reads arrays of records of the Rust port, in all members that its versions have.
//!
//! | member | meaning |
//! |---|---|
//! | `cta_id_x`, `_y`, `_z`, or `cta_id` with `x`, `y`, `z` | the group |
//! | `warp_id`, `warpid_tb` | the warp in it |
//! | `instr_opcode`, `opcode`, `opcode_id` | the instruction; some versions have only a number |
//! | `instr_offset`, `vpc` | its address |
//! | `addrs` | 32 addresses; of a record with `is_mem` false they are leftovers |
//! | `active_mask`, `predicate_mask` | lanes that ran it; without them those with an address did |
//! | `width`, `instr_mem_space`, `instr_is_load`, `instr_is_store` | what it does to memory |

use super::collect::{Collector, Record, Settled, settle};
use super::line::LANES;
use super::{CUT, LaunchHead, figures};
use crate::base::fault::{Fault, Kind, Place, Severity, excerpt};
use crate::base::job::Job;
use crate::base::words::phrase;
use crate::format::{Claim, Reading, Sink, Want};
use crate::input::json::scan::{Stop, value_end};
use crate::input::json::stream::{Item, SHOWN, Walk};
use crate::input::json::{Json, Window, parse};
use crate::input::{Bundle, Cached, EntryId, read_range};
use crate::systems::instrumentation::metrics::Measured;
use crate::views::executions::compute::{
    Executed, ExecutionRows, Launch, MemoryOperand, Program, Recorded, Space,
};
use std::rc::Rc;

/// Longest record; those of all versions have some 1,500 bytes.
const RECORD: usize = 1 << 16;

/// An array that is being read, and the object of its launch where there is one.
pub(super) struct JsonReading {
    records: Option<EntryId>,
    head: Option<EntryId>,
    path: String,
    is_asked: bool,
    walk: Walk,
    window: Window,
    collector: Collector,
    faults: Vec<Fault>,
    settling: Option<Job<Settled>>,
}

impl JsonReading {
    pub(super) fn new(claim: &Claim) -> Self {
        let of = |role: &str| claim.entries.iter().find(|(_, is)| *is == role).map(|(entry, _)| *entry);
        Self {
            records: of("records"),
            head: of("launch"),
            path: String::new(),
            is_asked: false,
            walk: Walk::new("records"),
            window: Window::default(),
            collector: Collector::default(),
            faults: Vec::new(),
            settling: None,
        }
    }

    fn entry(&self) -> EntryId {
        self.records.or(self.head).unwrap_or(EntryId(u32::MAX))
    }

    /// The launch that stands in a file of its own.
    fn launch(&mut self, bundle: &Bundle) {
        let Some(entry) = self.head.and_then(|head| bundle.get(head)) else { return };
        let bytes = read_range(&*entry.source, 0..RECORD as u64).unwrap_or_default();
        let (value, errors) = parse(&bytes, 0);
        for error in errors {
            let kind = Kind::Unexpected { expected: error.expected.into(), found: error.found.into() };
            let place = Place::byte(entry.path.as_str(), error.at);
            self.faults.push(Fault::new("NVJ-LAUNCH", Severity::Warning, place, kind));
        }
        self.collector.launch(launch_head(&value), Some((0, 1)));
    }

    fn fault(
        &mut self,
        severity: Severity,
        at: u64,
        expected: &'static str,
        found: &[u8],
        note: &'static str,
    ) {
        let kind = Kind::Unexpected { expected: expected.into(), found: excerpt(found).into() };
        self.faults
            .push(Fault::new("NVJ-RECORD", severity, Place::byte(self.path.as_str(), at), kind).note(note));
    }

    /// Walks over bytes; how many were used.
    fn walk(&mut self, bytes: &[u8], base: u64, is_last: bool) -> usize {
        if is_last {
            self.walk.last();
        }
        let mut at = 0;
        loop {
            let (used, item) = self.walk.next(bytes.get(at..).unwrap_or(&[]));
            at += used;
            let rest = bytes.get(at..).unwrap_or(&[]);
            let place = base + at as u64;
            match item {
                Item::Need => return at,
                Item::Element => match value_end(rest, 0) {
                    Ok(len) => {
                        self.walk.took();
                        self.element(rest.get(..len).unwrap_or(rest), place);
                        at += len;
                    }
                    Err(Stop::Cut) if !is_last && rest.len() < RECORD => return at,
                    Err(Stop::Cut) => {
                        let note = phrase("The record is left out.");
                        self.fault(Severity::Loss, place, phrase("a complete record"), rest, note);
                        self.walk.damaged(rest.get(..1).unwrap_or(&[]));
                        at += 1;
                    }
                    Err(Stop::Bad { at: bad, .. }) if !is_last && rest.len() < bad + SHOWN => return at,
                    Err(Stop::Bad { at: bad, expected }) => {
                        let (seen, found) = rest.split_at_checked(bad).unwrap_or((rest, &[]));
                        let note = phrase("The record is left out.");
                        self.fault(Severity::Loss, place + bad as u64, expected, found, note);
                        self.walk.damaged(seen);
                        at += bad;
                    }
                },
                Item::Damage { expected } => self.fault(Severity::Warning, place, expected, rest, ""),
                Item::Begin | Item::End | Item::Member { .. } => {}
            }
        }
    }

    fn element(&mut self, bytes: &[u8], place: u64) {
        let (value, errors) = parse(bytes, place);
        let fields = Fields::new(&value);
        if let Some(error) = errors.into_iter().next() {
            let (severity, note) = match fields {
                Some(_) => (Severity::Warning, ""),
                None => (Severity::Loss, phrase("The record is left out.")),
            };
            let kind = Kind::Unexpected { expected: error.expected.into(), found: error.found.into() };
            let at = Place::byte(self.path.as_str(), error.at);
            self.faults.push(Fault::new("NVJ-RECORD", severity, at, kind).note(note));
            if fields.is_none() {
                return;
            }
        }
        let Some(fields) = fields else {
            let expected = phrase("a record with a group, a warp, an opcode and 32 addresses");
            return self.fault(Severity::Loss, place, expected, bytes, phrase("The record is left out."));
        };
        let run = match fields.launch {
            Some((context, id)) => self.collector.launch_of(context, Some(id)),
            None => self.collector.last_launch(),
        };
        self.collector.order(run, (!fields.has_all).then_some(phrase("memory")));
        let record = Record {
            opcode: &fields.opcode,
            pc: fields.pc,
            cta: fields.cta,
            warp: fields.warp,
            sm: fields.sm,
            mask: Some(fields.mask),
            addresses: &fields.addresses,
            memory: fields.memory,
            place,
            is_incomplete: false,
        };
        self.collector.push(run, &record);
    }

    fn settle(&mut self, bundle: &Bundle, sink: &mut Sink) -> Option<Job<Settled>> {
        let mut window = std::mem::take(&mut self.window);
        window.finish(|bytes, at| self.walk(bytes, at, true));
        if self.records.is_some() && !self.walk.is_done() && !self.walk.is_lost() {
            let kind = Kind::Unexpected {
                expected: phrase("the end of the records").into(),
                found: phrase("the end of the text").into(),
            };
            let severity = if self.walk.is_between() { Severity::Note } else { Severity::Warning };
            let place = Place::byte(self.path.as_str(), window.position());
            self.faults.push(Fault::new("NVJ-CUT", severity, place, kind));
        }
        let source = Rc::new(Cached::new(bundle.get(self.entry())?.source.clone()));
        sink.step = phrase("Arranging");
        let make =
            move |places| -> Box<dyn ExecutionRows> { Box::new(JsonRows { source: source.clone(), places }) };
        let recorded: &Recorded = sink.builder.head().extensions.get_or_default();
        let (entry, known) = (self.entry().0, (recorded.programs.len(), recorded.launches.len()));
        let collector = std::mem::take(&mut self.collector);
        Some(Job::new(async move |turn| settle(collector, entry, known, Box::new(make), &turn).await))
    }
}

impl Reading for JsonReading {
    fn next(&mut self, bundle: &Bundle, sink: &mut Sink) -> Result<Want, Fault> {
        if !std::mem::replace(&mut self.is_asked, true) {
            sink.step = phrase("Reading");
            self.launch(bundle);
            if let Some((id, entry)) = self.records.and_then(|id| Some((id, bundle.get(id)?))) {
                self.path.clone_from(&entry.path);
                return Ok(Want::Stream { entry: id, range: 0..entry.source.len() });
            }
        }
        if self.settling.is_none() {
            self.settling = self.settle(bundle, sink);
            sink.faults_of(std::mem::take(&mut self.faults));
        }
        let entry = self.entry().0;
        let Some(settling) = &mut self.settling else { return Ok(Want::Done) };
        let Some(settled) = settling.poll() else { return Ok(Want::Again) };
        let (told, measured) = settled.keep(sink.builder.head().extensions.get_or_default());
        for told in &told {
            sink.faults_of(figures::outside(told, &self.path).into_iter().collect());
        }
        figures::add(sink, entry, &told, &[]);
        sink.builder.head().extensions.get_or_default::<Measured>().launches.extend(measured);
        Ok(Want::Done)
    }

    fn feed(&mut self, chunk: &[u8], _: &Bundle, sink: &mut Sink) -> Result<(), Fault> {
        let mut window = std::mem::take(&mut self.window);
        window.feed(chunk, |bytes, at| self.walk(bytes, at, false));
        self.window = window;
        sink.faults_of(std::mem::take(&mut self.faults));
        Ok(())
    }

    fn position(&self) -> Option<(EntryId, u64)> {
        Some((self.entry(), self.window.position()))
    }
}

fn launch_head(value: &Json) -> LaunchHead {
    let size = |name: &str| {
        let size = value.get(name);
        ["x", "y", "z"].map(|axis| size.and_then(|size| small(size.get(axis)?)).unwrap_or(0))
    };
    let fact = |(key, name): (&str, &str)| {
        Some((name.to_owned(), value.get(key)?.as_text()?.trim_end_matches('\0').to_owned()))
    };
    let facts = [
        ("shared_mem_bytes", "shared memory"),
        ("nregs", "registers"),
        ("binary_version", "binary version"),
        ("cuda_stream_id", "stream"),
        ("nvbit_version", "NVBit"),
    ];
    LaunchHead {
        context: 0,
        id: value.get("kernel_id").and_then(whole),
        name: value.get("name").and_then(Json::as_str).unwrap_or("").to_owned(),
        pc: 0,
        grid: size("grid"),
        group: size("block"),
        facts: facts.into_iter().filter_map(fact).collect(),
    }
}

fn whole(value: &Json) -> Option<u64> {
    value.as_text()?.parse().ok()
}

fn small(value: &Json) -> Option<u32> {
    whole(value).and_then(|n| u32::try_from(n).ok())
}

/// What a record says.
struct Fields {
    launch: Option<(u64, u64)>,
    cta: [u32; 3],
    warp: u32,
    sm: Option<u32>,
    opcode: String,
    pc: Option<u64>,
    mask: u32,
    addresses: Vec<u64>,
    memory: Option<MemoryOperand>,
    /// Whether instructions without accesses are recorded too.
    has_all: bool,
}

impl Fields {
    fn new(value: &Json) -> Option<Self> {
        let number = |name: &str| value.get(name).and_then(whole);
        let of = |name: &str| value.get(name).and_then(small);
        let axis =
            |axis: &str| of(&format!("cta_id_{axis}")).or_else(|| small(value.get("cta_id")?.get(axis)?));
        let named = value.get("instr_opcode").or_else(|| value.get("opcode")).and_then(Json::as_str);
        let opcode = match named {
            Some(opcode) => opcode.to_owned(),
            None => format!("opcode {}", number("opcode_id")?),
        };
        let all: Vec<u64> = value.get("addrs")?.items().iter().map_while(whole).collect();
        let masks = of("active_mask").zip(of("predicate_mask").or(Some(u32::MAX)));
        let is_access = value.get("is_mem").and_then(Json::as_bool).unwrap_or(true);
        let found = all.iter().rev().fold(0_u32, |mask, address| (mask << 1) | u32::from(*address != 0));
        let mask = masks.map_or(found, |(active, predicate)| active & predicate);
        let lanes =
            all.iter().enumerate().filter(|(lane, _)| is_access && *lane < 32 && mask >> lane & 1 == 1);
        let fields = Self {
            launch: number("cuda_ctx").or(Some(0)).zip(number("grid_launch_id")),
            cta: [axis("x")?, axis("y")?, axis("z")?],
            warp: of("warp_id").or_else(|| of("warpid_tb"))?,
            sm: of("sm_id"),
            memory: is_access.then(|| memory(value, &opcode)),
            opcode,
            pc: number("instr_offset").or_else(|| number("vpc")),
            mask,
            addresses: lanes.map(|(_, address)| *address).collect(),
            has_all: masks.is_some(),
        };
        (all.len() == LANES).then_some(fields)
    }
}

/// What a record and its opcode say of memory.
fn memory(value: &Json, name: &str) -> MemoryOperand {
    let is = |name: &str| value.get(name).and_then(Json::as_bool);
    // Without an opcode nobody knows how wide it is.
    let known = super::opcode_operand(name).unwrap_or(MemoryOperand { bytes: None, ..MemoryOperand::LOAD });
    let space = match value.get("instr_mem_space").and_then(Json::as_str) {
        Some("Shared") => Space::Shared,
        Some("Local") => Space::Local,
        Some("Constant") => Space::Constant,
        Some("Global" | "Generic") => Space::Global,
        _ => known.space,
    };
    MemoryOperand {
        reads: is("instr_is_load").unwrap_or(known.reads),
        writes: is("instr_is_store").unwrap_or(known.writes),
        bytes: value
            .get("width")
            .and_then(small)
            .map_or(known.bytes, |bytes| Some(bytes).filter(|bytes| 0 < *bytes)),
        space,
        ..known
    }
}

/// The rows of a launch of an array.
struct JsonRows {
    source: Rc<Cached>,
    places: Vec<u64>,
}

impl ExecutionRows for JsonRows {
    fn rows(&self, launch: &Launch, program: &Program, execution: u32) -> Result<Vec<Executed>, String> {
        let Some(place) = self.places.get(execution as usize).copied() else { return Ok(Vec::new()) };
        let block = launch.executions.block.get(execution as usize).copied().unwrap_or(0);
        let instruction = program.blocks.get(block as usize).map_or(0, |block| block.first);
        let mut window = 4_u64 << 10;
        loop {
            let bytes =
                read_range(&*self.source, place..place.saturating_add(window)).map_err(|error| error.0)?;
            let end = value_end(&bytes, 0);
            if end.is_err() && window < RECORD as u64 && window <= bytes.len() as u64 {
                window *= 2;
                continue;
            }
            let (value, _) = parse(bytes.get(..end.unwrap_or(bytes.len())).unwrap_or(&bytes), place);
            let Some(fields) = Fields::new(&value) else {
                return Ok(vec![Executed { instruction, missing: Some(CUT), ..Executed::default() }]);
            };
            let (mask, addresses) = (Some(fields.mask), fields.addresses);
            return Ok(vec![Executed { instruction, mask, addresses, ..Executed::default() }]);
        }
    }

    fn reads(&self) -> u64 {
        self.source.reads()
    }
}
