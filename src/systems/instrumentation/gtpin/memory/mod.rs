//! `memorytrace_compressed.bin`: what blocks of a program sent to memory, by hardware threads.
//!
//! ```text
//! file   := nBlocks { id nSends descriptor… }…  registerBytes [hasTimes] [nTiles] tile…
//! tile   := [id] nThreads thread…
//! thread := slice dualSubslice subslice EU slot nRecords record…      (0xFFFFFFFF for a missing field)
//! record := block mask [time] payload [gap] payload …
//! ```
//! Despite the name nothing is compressed. There is no magic and no version: the variant is the one that ends where the file
//! ends. Checked on made files only; no file of the tool is public.

mod export;
mod layout;
mod settle;
mod walk;

pub(crate) use export::ACCESSES_CSV;

use crate::base::fault::{Fault, Kind, Place, Severity};
use crate::base::job::Job;
use crate::base::unit::Unit;
use crate::base::words::{message, phrase};
use crate::format::{Claim, Degree, Format, Probe, ProbeResult, Reading, Sink, Want, unreadable};
use crate::input::{Bundle, Cached, Entry, EntryId, read_range};
use crate::model::code::{CodeScope, Lines, Listing};
use crate::model::figure::{Body, Cell, Fact, Facts, Family, Figure};
use crate::model::id::ListingId;
use crate::model::{Table, TableCells, TableColumn};
use crate::systems::instrumentation::Named;
use crate::views::executions::compute::{
    Area, Executed, ExecutionRows, Instruction, Launch, Program, Recorded,
};
use layout::{Block, Touched};
use settle::{ABSENT, FIELDS, OfLaunch, Settled, SoftwareThreads, settle};
use std::rc::Rc;
use walk::{Walk, Wrong, best, is_table};

/// Whether a record of an instruction is of an access to memory, as far as its line tells: heads of threads, fences and
/// ends without a payload are recorded beside them.
pub(crate) fn is_access(instruction: &Instruction) -> bool {
    let text = &instruction.text;
    instruction.memory.is_some() || !(text == layout::HEAD || text.starts_with("send"))
}

/// The format.
pub(crate) static FORMAT: Format = Format {
    id: "gtpin_memory",
    title: phrase("GTPin memory trace"),
    written_by: "GTPin memorytrace since 2022 (tested on synthetic files only)",
    patterns: &["memorytrace_compressed.bin"],
    shows: "Trace, Source, memory accesses",
    source: "https://www.intel.com/content/www/us/en/developer/articles/tool/gtpin.html",
    probe: Probe { look, join: None },
    parameters: &[],
    read: |claim, _| Box::new(Named(MemoryReading::new(claim))),
    slices: None,
    mode_note: None,
    operators: None,
};

/// Bytes of the table of blocks that are looked at.
const HEAD: u64 = 64 << 10;

fn look(entry: &Entry) -> ProbeResult {
    let head = read_range(&*entry.source, 0..HEAD).map_err(|error| (0, unreadable(&error.0)))?;
    if is_table(&head) {
        return Ok((Degree::Certain, "records", message("it starts with a table of sends")));
    }
    if entry.path.contains("memorytrace_compressed.bin") {
        return Ok((Degree::Possible, "records", message("its name is memorytrace_compressed.bin")));
    }
    Err((0, message("it does not start with a table of sends")))
}

/// The walk that comes furthest, and what stopped it.
type Tried = (Walk, Option<Wrong>);

/// A file that is being read.
struct MemoryReading {
    entry: EntryId,
    /// How far the walk is that is tried.
    at: Rc<std::cell::Cell<u64>>,
    trying: Option<Job<Option<Tried>>>,
    settling: Option<Job<Settled>>,
    facts: Vec<(String, String)>,
}

impl MemoryReading {
    fn new(claim: &Claim) -> Self {
        let entry = claim.entries.first().map_or(EntryId(u32::MAX), |(entry, _)| *entry);
        Self { entry, at: Rc::default(), trying: None, settling: None, facts: Vec::new() }
    }

    /// Begins to arrange what the chosen variant found.
    fn arrange(
        &mut self,
        chosen: Option<(Walk, Option<Wrong>)>,
        entry: &Entry,
        sink: &mut Sink,
    ) -> Result<(), Fault> {
        let Some((walk, wrong)) = chosen else {
            let what = phrase("the layout of this file, which is not a known one,").into();
            let kind = Kind::Unsupported { what, version: String::new() };
            let fault = Fault::new("GTP-LAYOUT", Severity::Fatal, Place::byte(entry.path.as_str(), 0), kind);
            return Err(fault.note(phrase(
                "Kits from 2021 compress it in a proprietary way; those since 2022 can be read.",
            )));
        };
        if let Some(wrong) = wrong {
            let found = if wrong.is_end { phrase("the end of the file") } else { phrase("other bytes") };
            let kind = Kind::Unexpected { expected: wrong.expected.into(), found: found.into() };
            let place = Place::byte(entry.path.as_str(), wrong.at.min(entry.source.len()));
            let note = message("The {n} records before it are shown.").with("n", walk.found.place.len());
            sink.fault(Fault::new("GTP-CUT", Severity::Loss, place, kind).note(note));
        }
        let found = walk.found;
        self.facts = vec![
            ("layout".to_owned(), walk.variant.name.to_owned()),
            ("register bytes".to_owned(), found.register.to_string()),
            ("hardware threads".to_owned(), found.threads.len().to_string()),
            ("sector_bytes".to_owned(), walk::SECTOR.to_string()),
        ];
        let mut folders = entry.path.rsplit('/').skip(1);
        let name = folders.next().filter(|name| !name.is_empty()).unwrap_or("memorytrace");
        let (name, entry) = (name.to_owned(), self.entry.0);
        self.settling = Some(Job::new(async move |turn| settle(found, name, entry, &turn).await));
        Ok(())
    }
}

impl Reading for MemoryReading {
    fn next(&mut self, bundle: &Bundle, sink: &mut Sink) -> Result<Want, Fault> {
        let Some(entry) = bundle.get(self.entry) else { return Ok(Want::Done) };
        if let Some(settling) = &mut self.settling {
            let Some(settled) = settling.poll() else { return Ok(Want::Again) };
            let recorded: &mut Recorded = sink.builder.head().extensions.get_or_default();
            let facts = std::mem::take(&mut self.facts);
            let of_launch = settled.finish(entry.source.clone(), facts, recorded);
            show(sink, self.entry.0, &of_launch);
            let all: &mut SoftwareThreads = sink.builder.head().extensions.get_or_default();
            all.0.push(of_launch);
            return Ok(Want::Done);
        }
        sink.step = phrase("Reading");
        let trying = self.trying.get_or_insert_with(|| {
            let (source, told) = (entry.source.clone(), Rc::clone(&self.at));
            Job::new(async move |turn| best(&source, &told, &turn).await)
        });
        if let Some(chosen) = trying.poll() {
            self.arrange(chosen, entry, sink)?;
        }
        Ok(Want::Again)
    }

    fn feed(&mut self, _: &[u8], _: &Bundle, _: &mut Sink) -> Result<(), Fault> {
        Ok(())
    }

    fn position(&self) -> Option<(EntryId, u64)> {
        Some((self.entry, self.at.get()))
    }
}

/// Facts, the software threads, and the listing of the sends.
fn show(sink: &mut Sink, entry: u32, of_launch: &OfLaunch) {
    let recorded: &mut Recorded = sink.builder.head().extensions.get_or_default();
    let Some(launch) = recorded.launches.get(of_launch.launch) else { return };
    let (records, n) = (launch.executions.block.len() as u64, launch.threads.len() as u64);
    let starts = &launch.executions.starts;
    let lens = starts.windows(2).map(|pair| match pair {
        [from, to] => u64::from(to.saturating_sub(*from)),
        _ => 0,
    });
    let lens: Vec<u64> = lens.collect();
    let text = |(name, value): &(String, String)| Fact {
        name: name.clone(),
        value: Cell::Text(value.clone()),
        unit: Unit::None,
    };
    let whole = |name: &str, n| Fact { name: name.to_owned(), value: Cell::Integer(n), unit: Unit::None };
    let mut facts: Vec<Fact> = launch.facts.iter().map(text).collect();
    facts.extend([whole(phrase("Software threads"), n), whole(phrase("Records"), records)]);
    let Some(program) = recorded.programs.get_mut(launch.program as usize) else { return };
    let addresses: Vec<u64> = program.instructions.iter().map(|instruction| instruction.address).collect();
    let name = program.name.clone();
    let mut lines = Lines::default();
    program.instructions.iter().for_each(|instruction| lines.push(&instruction.text));
    let title = name.clone();
    let is_listed = !addresses.is_empty() && addresses.is_sorted();
    let mut figure = Figure::new(phrase("Block memory trace"), Body::Facts(Facts { facts }));
    figure
        .notes
        .push(message("This reader was tested on synthetic files only: no files of the tool are public."));
    figure.notes.push(message("Order from memory accesses; blocks without sends are invisible."));
    let kernel = sink.builder.intern(&name);
    let trace = sink.builder.head();
    trace.figures.push(Family::single("gtpin-memory", phrase("Recorded programs"), figure));
    trace.tables.push(threads(of_launch, lens));
    if trace.title.is_empty() {
        trace.title = name;
    }
    if is_listed {
        let id = ListingId(u32::try_from(trace.code.listings.len()).unwrap_or(u32::MAX));
        trace.code.listings.push(Listing::assembly(
            title,
            CodeScope { entry: Some(entry), kernel },
            lines,
            addresses,
        ));
        let recorded: &mut Recorded = trace.extensions.get_or_default();
        let program = recorded.launches.get(of_launch.launch).map(|launch| launch.program as usize);
        if let Some(program) = program.and_then(|program| recorded.programs.get_mut(program)) {
            program.listing = Some(id);
        }
    }
}

/// Software threads with their work groups.
fn threads(of_launch: &OfLaunch, records: Vec<u64>) -> Table {
    let numbers = |name: &str, values: Vec<f64>| TableColumn {
        name: name.to_owned(),
        unit: Unit::None,
        cells: TableCells::Numbers(values),
    };
    let some = |value: Option<u32>| value.filter(|value| *value != ABSENT).map_or(f64::NAN, f64::from);
    let threads = &of_launch.threads;
    let field = |at: usize| threads.iter().map(|thread| some(thread.fields.get(at).copied())).collect();
    let group = |at: usize| {
        let of = |group: [u32; 3]| group.get(at).copied();
        threads.iter().map(|thread| some(thread.group.and_then(of))).collect()
    };
    let mut columns: Vec<TableColumn> =
        FIELDS.iter().enumerate().map(|(at, name)| numbers(name, field(at))).collect();
    columns
        .push(numbers(phrase("Instance"), threads.iter().map(|thread| f64::from(thread.instance)).collect()));
    columns.extend(
        ["x", "y", "z"].iter().enumerate().map(|(at, axis)| numbers(&format!("Group {axis}"), group(at))),
    );
    columns.push(TableColumn {
        name: phrase("Records").to_owned(),
        unit: Unit::None,
        cells: TableCells::Integers(records),
    });
    Table {
        notes: vec![message("A hardware thread runs several software threads one after another.")],
        ..Table::new("gtpin-threads", phrase("Software threads"), columns)
    }
}

// Reads the record of an execution again.

/// The rows of a launch.
struct BlockRows {
    source: Cached,
    /// Where the record of each execution begins.
    places: Vec<u64>,
    /// Blocks in the order of the program.
    blocks: Vec<Block>,
    /// Where payloads of their records lie, and how many bytes these have.
    layouts: Vec<(Vec<(usize, usize)>, usize)>,
    has_times: bool,
}

impl BlockRows {
    /// What each send of an execution did, and the lanes of the execution.
    fn touched(&self, launch: &Launch, execution: u32) -> Result<(u32, Vec<Touched>), String> {
        let at = execution as usize;
        let place = self.places.get(at).copied();
        let row = launch.executions.block.get(at).map(|row| *row as usize);
        let block = row.and_then(|row| Some((self.blocks.get(row)?, self.layouts.get(row)?)));
        let Some((place, (block, (parts, bytes)))) = place.zip(block) else { return Ok((0, Vec::new())) };
        let head = if self.has_times { 16 } else { 8 };
        let end = place.saturating_add(head as u64).saturating_add(*bytes as u64);
        let record = read_range(&self.source, place..end).map_err(|error| error.0)?;
        let mask =
            record.get(4..8).unwrap_or(&[]).iter().rev().fold(0, |n, byte| (n << 8) | u32::from(*byte));
        let sends = block.sends.iter().zip(parts).map(|(send, (from, len))| {
            send.touched(block.id, mask, record.get(head + from..head + from + len).unwrap_or(&[]))
        });
        Ok((mask, sends.collect()))
    }
}

/// The same, for a launch.
struct SharedRows(Rc<BlockRows>);

impl ExecutionRows for SharedRows {
    fn rows(&self, launch: &Launch, program: &Program, execution: u32) -> Result<Vec<Executed>, String> {
        let (mask, sends) = self.0.touched(launch, execution)?;
        let block = launch.executions.block.get(execution as usize).copied().unwrap_or(0);
        let first = program.blocks.get(block as usize).map_or(0, |block| block.first);
        let row = |(instruction, touched): (u32, Touched)| match touched {
            Touched::Lanes(mask, addresses) => {
                Executed { instruction, mask: Some(mask), addresses, ..Executed::default() }
            }
            Touched::Nothing | Touched::Group(_) => {
                Executed { instruction, mask: Some(mask), ..Executed::default() }
            }
            Touched::Media { x, y, width, rows } => {
                let area = Some(Area { x, y, width, rows });
                let missing = Some(phrase("a surface rectangle has no addresses"));
                Executed { instruction, mask: Some(mask), area, missing, ..Executed::default() }
            }
        };
        Ok((first..).zip(sends).map(row).collect())
    }

    fn reads(&self) -> u64 {
        self.0.source.reads()
    }
}
