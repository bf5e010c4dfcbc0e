//! Reads one container: walks over it, takes stock, then reads block after block.
//!
//! ```text
//! walk ─▶ stock: which block counts ─▶ figures (05 0C 06 07 0D 0F 08 09 0E 0B) ─▶ code (01 03 04) ─▶ traces (02) ─▶ done
//! ```
//! Small blocks come first, so that something can be looked at while a long trace is still read.

use super::code::{Assembly, Built, Collected, FilesRead, FilesReader, InstructionsReader, build};
use super::details::{
    CacheRecords, Pipes, Timing, base_info, cache_lines, load_graph, load_tables, memory_graph,
    memory_tables, occupancy, roofline, stall_reasons,
};
use super::field::Within;
use super::records::RecordsReader;
use super::walk::{Told, block_name, walk};
use super::{Job, Type};
use crate::base::fault::{Fault, Kind, Place, Severity};
use crate::base::words::Message;
use crate::base::{job, order};
use crate::format::{Reading, Sink, Want};
use crate::input::json::{Json, parse};
use crate::input::{Bundle, Entry, EntryId, limits};
use crate::model::Trace;
use crate::model::figure::{Body, Family};
use crate::model::files::{self, BlockState};
use crate::systems::trace_event;
use crate::systems::trace_event::{Events, Options};
use std::borrow::Cow;
use std::collections::VecDeque;
use std::ops::Range;
use std::rc::Rc;

/// One container being read.
pub(super) struct Container {
    entry: EntryId,
    stage: ReadingStage,
    /// Name of the group of its tracks when several files make one trace; else empty.
    group: String,
    /// Row of the first block of this file.
    first: usize,
    /// What other files of the trace had before.
    before: Before,
    jobs: VecDeque<Job>,
    /// What the base info said of durations and clock.
    timing: Timing,
    /// What all blocks say of pipes.
    pipes: Pipes,
    code: Collected,
    is_code_built: bool,
    /// All traces of the file are one timeline.
    events: Option<Events>,
    byte: u64,
}

enum ReadingStage {
    Begin,
    Walk(job::Job<Vec<files::Block>>, Rc<Told>),
    /// The next job is to be begun.
    Ready,
    /// The bytes of a block are coming.
    Block(Box<Block>),
    /// All bytes of a block with code came; its rows are brought into their order.
    End(Box<Block>, job::Job<End>),
    /// All code was read; it becomes listings and links.
    Build(job::Job<Built>),
    Done,
}

/// The block that is being read.
struct Block {
    job: Job,
    within: Within,
    range: Range<u64>,
    version: u8,
    path: String,
    is_cut: bool,
    reader: Reader,
}

/// What a block with code held.
enum End {
    Files(FilesRead),
    Instructions(Box<(Assembly, Vec<Fault>)>),
}

enum Reader {
    /// The whole payload, turned into something at its end.
    Whole(Vec<u8>),
    Files(FilesReader),
    Instructions(InstructionsReader),
    CacheRecords(CacheRecords),
    Records(Box<RecordsReader>),
    /// The reader of events, which all trace blocks share.
    Trace,
}

impl Container {
    /// A container that is read from its first byte.
    pub(super) fn new(entry: EntryId) -> Self {
        Self {
            entry,
            stage: ReadingStage::Begin,
            group: String::new(),
            first: 0,
            jobs: VecDeque::new(),
            before: Before::default(),
            timing: Timing::default(),
            pipes: Pipes::default(),
            code: Collected::default(),
            is_code_built: false,
            events: None,
            byte: 0,
        }
    }

    /// What it said of pipes.
    pub(super) fn into_pipes(self) -> Pipes {
        self.pipes
    }

    /// Begins the next block; `None` when there is no more.
    fn begin(&mut self, file: &Entry, sink: &mut Sink) -> Option<Block> {
        while !self.wants_build()
            && let Some(job) = self.jobs.pop_front()
        {
            let Some(row) = sink.builder.trace().blocks.get(job.row) else { continue };
            let range = row.payload.clone();
            let kind = job.kind;
            let within = Within {
                entry: file.path.clone(),
                byte: range.start,
                block: block_name(row, job.row - self.first + 1),
            };
            let size = range.end - range.start;
            let is_streamed =
                matches!(kind, Type::API_FILE | Type::API_INSTR | Type::TRACE) || Type::is_binary(kind);
            if !is_streamed && limits::TREE_BYTES < size {
                let allowed = limits::TREE_BYTES;
                let limit = Kind::Limit { what: Cow::Borrowed("block size in bytes"), asked: size, allowed };
                let place = Place::byte(&*file.path, row.offset).block(within.block.clone());
                let fault = Fault::new("ASC-LIMIT", Severity::Loss, place, limit);
                sink.fault(fault.note("The block can be exported, but is not shown."));
                continue;
            }
            let reader = match kind {
                Type::API_FILE => Reader::Files(FilesReader::new(&within)),
                Type::API_INSTR => Reader::Instructions(InstructionsReader::new(&within)),
                Type::CACHE_RECORDS => Reader::CacheRecords(CacheRecords::default()),
                Type::MEMORY_RECORDS => {
                    Reader::Records(Box::new(RecordsReader::new(&within, &self.group, size)))
                }
                Type::TRACE => {
                    self.begin_trace(file, &within);
                    Reader::Trace
                }
                _ => Reader::Whole(Vec::new()),
            };
            let (version, path) = (row.version, row.path.clone().unwrap_or_default());
            let is_cut = row.state == BlockState::Damaged;
            return Some(Block { job, within, range, version, path, is_cut, reader });
        }
        None
    }

    /// Whether all code was read and is to become listings now: traces and the end come after.
    fn wants_build(&self) -> bool {
        !self.is_code_built && self.jobs.front().is_none_or(|job| job.kind == Type::TRACE)
    }

    fn begin_trace(&mut self, file: &Entry, within: &Within) {
        let (entry, path) = (self.entry.0, file.path.clone());
        let group = self.group.clone();
        let options = Options {
            entry,
            path,
            block: Message::default(),
            is_operator: Some(true),
            group,
            is_core: false,
        };
        self.events.get_or_insert_with(|| Events::new(options)).begin_block(&within.block);
    }

    /// All bytes of the block came. Returns what is next.
    fn end(&mut self, mut block: Block, sink: &mut Sink) -> ReadingStage {
        match std::mem::replace(&mut block.reader, Reader::Trace) {
            Reader::Files(reader) => {
                let end = async move |turn| End::Files(reader.finish(&turn).await);
                return ReadingStage::End(Box::new(block), job::Job::new(end));
            }
            Reader::Instructions(reader) => {
                let end = async move |turn| End::Instructions(Box::new(reader.finish(&turn).await));
                return ReadingStage::End(Box::new(block), job::Job::new(end));
            }
            Reader::CacheRecords(reader) => reader.finish(&block.within, sink),
            Reader::Records(reader) => {
                let is_damaged = reader.finish(block.is_cut, sink);
                if let Some(row) = sink.builder.head().blocks.get_mut(block.job.row).filter(|_| is_damaged) {
                    row.state = BlockState::Damaged;
                }
            }
            Reader::Trace => {
                if let Some(events) = &mut self.events {
                    events.end_text(sink);
                }
            }
            Reader::Whole(bytes) if block.job.kind == Type::SOURCE => {
                self.code.source(&block.path, &bytes, &block.within, sink);
            }
            Reader::Whole(mut bytes) => {
                if block.is_cut {
                    end_cut(&mut bytes);
                }
                let (json, errors) = parse(&bytes, block.range.start);
                if !errors.is_empty()
                    && let Some(row) = sink.builder.head().blocks.get_mut(block.job.row)
                {
                    row.state = BlockState::Damaged;
                }
                block.within.report_json(errors, sink);
                self.figures(block.job.kind, &json, &block.within, sink);
            }
        }
        ReadingStage::Ready
    }

    /// The next piece of what is left of a block with code. Returns what is next.
    fn settle(&mut self, block: Box<Block>, mut end: job::Job<End>, sink: &mut Sink) -> ReadingStage {
        match end.poll() {
            None => return ReadingStage::End(block, end),
            Some(End::Files(read)) => self.code.files(read, block.within, sink),
            Some(End::Instructions(read)) => {
                let read = *read;
                self.code.instructions(read, block.version, block.within, sink);
            }
        }
        ReadingStage::Ready
    }

    fn figures(&mut self, kind: u8, json: &Json, within: &Within, sink: &mut Sink) {
        if json.members().is_empty() {
            let found = super::field::shown(json);
            let fault = within.odd("", "a JSON object with members", found);
            sink.fault(fault.note("The block is not shown."));
            return;
        }
        match kind {
            Type::BASE_INFO => {
                self.timing = Timing::of(json);
                base_info(json, within, sink);
            }
            Type::MEMORY_GRAPH => {
                memory_graph(json, &self.timing, self.before.figures, within, sink);
                self.pipes.add_graph(json);
                self.pipes.show(self.before.figures, sink);
            }
            Type::MEMORY_TABLE => {
                memory_tables(json, self.before.figures, within, sink);
                self.pipes.add_tables(json);
                self.pipes.show(self.before.figures, sink);
            }
            Type::LOAD_GRAPH => {
                load_graph(json, &self.timing, &mut self.pipes, within, sink);
                self.pipes.show(self.before.figures, sink);
            }
            Type::LOAD_TABLE => {
                load_tables(json, &self.timing, &mut self.pipes, within, sink);
                self.pipes.show(self.before.figures, sink);
            }
            Type::OCCUPANCY => occupancy(json, self.before.figures, within, sink),
            Type::ROOFLINE => roofline(json, within, sink),
            Type::CACHE_LINES => cache_lines(json, within, sink),
            Type::STALL_REASONS => stall_reasons(json, within, sink),
            _ => {}
        }
    }
}

impl Container {
    /// There is no block to begin with.
    fn rest(&mut self, sink: &mut Sink) -> ReadingStage {
        if self.wants_build() {
            let code = std::mem::take(&mut self.code);
            return ReadingStage::Build(job::Job::new(async move |turn| build(code, &turn).await));
        }
        if let Some(mut events) = self.events.take() {
            if events.settle(sink) {
                self.events = Some(events);
                return ReadingStage::Ready;
            }
            events.finish(sink);
        }
        self.before.scope_code(self.entry, sink.builder.head());
        self.before.in_order(sink.builder.head());
        self.before.own_ids(self.entry, &self.group, sink.builder.head());
        ReadingStage::Done
    }
    /// Begins to look which blocks there are.
    fn find_blocks(&mut self, file: &Entry, bundle: &Bundle, sink: &mut Sink) -> ReadingStage {
        sink.step = "Finding blocks";
        self.first = sink.builder.trace().blocks.len();
        self.before = Before::of(sink.builder.trace());
        if sink.is_shared {
            bundle.short(self.entry).clone_into(&mut self.group);
        }
        sink.builder.head().terms = crate::base::terms::Terms::of(trace_event::OPERATOR_TERMS);
        let (entry, file, told) = (self.entry, file.clone(), Rc::<Told>::default());
        let tells = Rc::clone(&told);
        ReadingStage::Walk(job::Job::new(async move |turn| walk(entry, file, &tells, &turn).await), told)
    }
}

impl Reading for Container {
    fn next(&mut self, bundle: &Bundle, sink: &mut Sink) -> Result<Want, Fault> {
        let Some(file) = bundle.get(self.entry) else { return Ok(Want::Done) };
        match std::mem::replace(&mut self.stage, ReadingStage::Ready) {
            ReadingStage::Begin => {
                self.stage = self.find_blocks(file, bundle, sink);
                Ok(Want::Again)
            }
            ReadingStage::Walk(mut walk, told) => {
                let blocks = walk.poll();
                sink.faults_of(told.faults.take());
                if let Some(blocks) = blocks {
                    sink.builder.head().blocks.extend(blocks);
                    self.jobs = super::take_block_order(self.first, file, sink);
                } else {
                    self.byte = told.byte.get();
                    self.stage = ReadingStage::Walk(walk, told);
                }
                Ok(Want::Again)
            }
            ReadingStage::Block(block) => {
                self.stage = self.end(*block, sink);
                Ok(Want::Again)
            }
            ReadingStage::End(block, end) => {
                self.stage = self.settle(block, end, sink);
                Ok(Want::Again)
            }
            ReadingStage::Build(mut build) => {
                if let Some(built) = build.poll() {
                    built.finish(sink);
                    self.is_code_built = true;
                    self.before.scope_code(self.entry, sink.builder.head());
                } else {
                    self.stage = ReadingStage::Build(build);
                }
                Ok(Want::Again)
            }
            ReadingStage::Ready => {
                sink.step = "Reading blocks";
                let Some(block) = self.begin(file, sink) else {
                    self.stage = self.rest(sink);
                    return Ok(Want::Again);
                };
                let range = block.range.clone();
                self.byte = range.start;
                self.stage = ReadingStage::Block(Box::new(block));
                Ok(Want::Stream { entry: self.entry, range })
            }
            ReadingStage::Done => {
                self.stage = ReadingStage::Done;
                Ok(Want::Done)
            }
        }
    }

    fn feed(&mut self, chunk: &[u8], _: &Bundle, sink: &mut Sink) -> Result<(), Fault> {
        let at = self.byte;
        self.byte += chunk.len() as u64;
        let ReadingStage::Block(block) = &mut self.stage else { return Ok(()) };
        let faults = match &mut block.reader {
            Reader::Whole(bytes) => {
                bytes.extend_from_slice(chunk);
                Vec::new()
            }
            Reader::Files(reader) => reader.feed(chunk),
            Reader::Instructions(reader) => reader.feed(chunk),
            Reader::CacheRecords(reader) => {
                reader.feed(chunk);
                Vec::new()
            }
            Reader::Records(reader) => {
                reader.feed(chunk, sink);
                Vec::new()
            }
            Reader::Trace => {
                if let Some(events) = &mut self.events {
                    events.feed(chunk, at, sink);
                }
                Vec::new()
            }
        };
        sink.faults_of(faults);
        Ok(())
    }

    fn position(&self) -> Option<(EntryId, u64)> {
        Some((self.entry, self.byte))
    }
}

// What files that make one trace together must not have in common: whose code addresses are about, and ids.

/// How much there was before a file was read.
#[derive(Clone, Copy, Default)]
struct Before {
    pub(super) figures: usize,
    tables: usize,
    listings: usize,
    sites: usize,
}

impl Before {
    /// What a trace has.
    pub(super) fn of(trace: &Trace) -> Self {
        Self {
            figures: trace.figures.len(),
            tables: trace.tables.len(),
            listings: trace.code.listings.len(),
            sites: trace.accesses.sites.len(),
        }
    }

    /// All addresses of a file are about its own kernel: those of another may be the same.
    pub(super) fn scope_code(self, entry: EntryId, trace: &mut Trace) {
        let tables = trace.tables.iter_mut().skip(self.tables).map(|table| &mut table.scope);
        let listings = trace.code.listings.iter_mut().skip(self.listings).map(|listing| &mut listing.scope);
        let sites = trace.accesses.sites.iter_mut().skip(self.sites).map(|site| &mut site.scope);
        for scope in tables.chain(listings).chain(sites) {
            scope.entry = Some(entry.0);
        }
    }

    /// What one looks at comes first: what the operator is, then pictures with the memory of a block, then those of all blocks,
    /// then tables.
    pub(super) fn in_order(self, trace: &mut Trace) {
        let mut own = trace.figures.split_off(self.figures.min(trace.figures.len()));
        let place = |family: &Family| match (family.id.as_str(), family.variants.first().map(|v| &v.body)) {
            ("base-info" | "pipes", _) => 0,
            ("memory-paths" | "memory-units", _) => 1,
            (_, Some(Body::Cores(_) | Body::Roofline(_) | Body::Bars(_) | Body::Graph(_))) => 1,
            // As tall as there are blocks.
            (_, Some(Body::Matrix(_))) => 2,
            _ => 3,
        };
        order::sort_by_key(&mut own, place);
        trace.figures.extend(own);
    }

    /// Figures and tables with the id of one of another file get an id of their own, figures also the name of the file.
    pub(super) fn own_ids(self, entry: EntryId, file: &str, trace: &mut Trace) {
        let own = |id: &str| format!("{id}-{}", entry.0);
        let n = self.figures.min(trace.figures.len());
        let (others, figures) = trace.figures.split_at_mut(n);
        let taken: Vec<String> = others.iter().map(|family| family.id.clone()).collect();
        let n = self.tables.min(trace.tables.len());
        let (others, tables) = trace.tables.split_at_mut(n);
        let taken_tables: Vec<String> = others.iter().map(|table| table.id.clone()).collect();
        for table in tables.iter_mut().filter(|table| taken_tables.contains(&table.id)) {
            table.id = own(&table.id);
            table.title = format!("{} · {file}", table.title);
        }
        let rename = |id: &mut String, taken: &[String]| {
            if taken.contains(id) {
                *id = own(id);
            }
        };
        for family in figures {
            if taken.contains(&family.id) {
                family.id = own(&family.id);
                name_file(family, file);
            }
            for figure in &mut family.variants {
                match &mut figure.body {
                    Body::HeatMap(map) => rename(&mut map.table, &taken_tables),
                    Body::Graph(graph) => {
                        let rows = graph.arrows.iter_mut().flat_map(|arrow| &mut arrow.rows);
                        rows.for_each(|rows| rename(&mut rows.table, &taken));
                    }
                    _ => {}
                }
            }
        }
    }
}

/// The last number or word of a cut JSON text may be cut itself: it is left out. What is left of a longer text between quotes
/// stays, since it does not become another one as a number does.
fn end_cut(text: &mut Vec<u8>) {
    let is_word = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'+' | b'-');
    let end = text.len() - text.iter().rev().take_while(|b| is_word(b)).count();
    let before = text.get(..end).unwrap_or_default().trim_ascii_end();
    if matches!(before.last(), None | Some(b':' | b',' | b'[' | b']' | b'{' | b'}' | b'"')) {
        text.truncate(end);
    }
}

fn name_file(family: &mut Family, file: &str) {
    for figure in &mut family.variants {
        let of = [figure.scope.as_str(), file];
        figure.scope = of.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join(", ");
    }
}
