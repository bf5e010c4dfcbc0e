//! GPU multi-trace containers: a manifest and the buffers that an instrumented program wrote.
//!
//! ```text
//! manifest.json                  what was instrumented, what was planned, where the buffers are
//! d0.flow.bin  d0.mem.bin  …     buffers: one for each type of records, for each thread, or one for all
//! ```
//! As a folder, an archive, or loose files that are opened together.

mod buffer;

mod checks;
mod launch;
mod manifest;
mod member;
mod reading;

mod shape;
mod sorter;

pub(super) use buffer::{HEAD, Head, UNWRITTEN};

use crate::base::fault::Severity;
use crate::base::map::Set;
use crate::base::number::{fixed, thousands};
use crate::base::words::{message, phrase};
use crate::format::{Claim, Degree, Format, Probe, ProbeResult, Probed, unreadable};
use crate::input::{Bundle, ByteSource, Entry, EntryId, read_range};
use crate::model::Trace;
use crate::model::code::{CodeScope, Lines, Listing, ListingKind};
use crate::model::id::ListingId;
use crate::systems::instrumentation::combine::{Kind, NO_INSTRUCTION, Places};
use crate::systems::instrumentation::{Named, address_lanes};
use crate::views::executions::compute::{
    Block, Executed, ExecutionRows, Instruction, Launch, MemoryOperand, NO_BLOCK, Naming, Program,
    RegisterRow, Threads,
};
use buffer::{Use, Uses};
use checks::{Said, Spot};
use manifest::{Buffer, Kernel, Manifest, Type};
use shape::{Shape, word};

/// The format.
pub(super) static FORMAT: Format = Format {
    id: "gpu_multitrace",
    title: phrase("GPU multi-trace container"),
    written_by: "Lanescope, instrumented programs",
    patterns: &["manifest.json", "*.bin"],
    shows: "Plan, Trace, Source, memory accesses",
    source: "the specification of the container, version 1.0",
    probe: Probe { look, join: Some(join) },
    parameters: &[],
    read: |claim, _| Box::new(Named(reading::Container::new(claim))),
    slices: None,
    mode_note: None,
    operators: None,
};

/// Roles of files.
mod role {
    /// The manifest.
    pub(super) const MANIFEST: &str = "manifest";
    /// A buffer.
    pub(super) const BUFFER: &str = "buffer";
}

/// How much of a file is looked at.
const LOOK: u64 = 4_096;
/// How much of one is looked at that is called like a manifest.
const MANIFEST_LOOK: u64 = 4 << 20;
/// Bytes of a manifest in which names of buffers are looked for.
const NAMES: u64 = 1 << 26;

fn look(entry: &Entry) -> ProbeResult {
    // Keys may stand in any order, the long ones first.
    let n_bytes = if entry.name() == "manifest.json" { MANIFEST_LOOK } else { LOOK };
    let head = read_range(&*entry.source, 0..n_bytes).map_err(|e| (0, unreadable(&e.0)))?;
    if head.starts_with(buffer::MAGIC) {
        return Ok((Degree::Likely, role::BUFFER, message("a buffer header")));
    }
    let text = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&head).trim_ascii_start();
    let is_object = text.first() == Some(&b'{');
    let named = |word: &str| memchr::memmem::find(text, word.as_bytes()).is_some();
    match (is_object, named("\"gpu-multitrace\"")) {
        (true, true) => Ok((Degree::Certain, role::MANIFEST, message("the format is gpu-multitrace"))),
        (true, false) if named("\"dispatches\"") => {
            Err((30, message("byte 0: expected the format gpu-multitrace")))
        }
        _ => Err((0, message("byte 0: expected a manifest or a buffer header"))),
    }
}

/// The folder of a path.
fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// One claim for each manifest, with the files that it names; buffers without one are a claim of their own.
fn join(bundle: &Bundle, probed: &mut Probed) {
    let (mut manifests, mut buffers): (Vec<_>, Vec<_>) =
        std::mem::take(&mut probed.claims).into_iter().partition(|claim| claim.degree == Degree::Certain);
    for claim in &mut manifests {
        let Some((id, entry)) = claim.entries.first().and_then(|(id, _)| Some((*id, bundle.get(*id)?)))
        else {
            continue;
        };
        let text = read_range(&*entry.source, 0..NAMES).unwrap_or_default();
        let names: Set<&[u8]> = text.split(|byte| *byte == b'"').skip(1).collect();
        let root = folder(&entry.path);
        for (other, found) in bundle.iter().filter(|(other, _)| *other != id) {
            let below =
                if root.is_empty() { Some(found.path.as_str()) } else { found.path.strip_prefix(root) };
            let is_named = |path: &str| names.contains(path.trim_start_matches('/').as_bytes());
            if below.is_some_and(is_named) {
                claim.entries.push((other, role::BUFFER));
            }
        }
    }
    let taken: Set<_> = manifests.iter().flat_map(|claim| &claim.entries).map(|(id, _)| *id).collect();
    buffers.retain(|claim| claim.entries.iter().all(|(id, _)| !taken.contains(id)));
    let orphans: Vec<_> = buffers.iter().flat_map(|claim| claim.entries.clone()).collect();
    if let Some(first) = buffers.into_iter().next() {
        match manifests.as_mut_slice() {
            // Loose files from several folders: a single manifest means those that it names by their names alone.
            [only] => only.entries.extend(orphans),
            _ => manifests.push(Claim { entries: orphans, ..first }),
        }
    }
    probed.claims = manifests;
}

// What an execution did, read from its buffers again.

/// The records of a launch.
struct Records {
    places: Places,
    uses: Uses,
    shapes: Vec<Option<Shape>>,
}

impl Records {
    /// Why records of a type are missing.
    fn reason(&self, of: usize) -> &'static str {
        let is_over = |buffer: &Use| buffer.of.is_none_or(|own| own == of) && buffer.is_over();
        if self.uses.0.iter().any(is_over) { phrase("no record, buffer full") } else { phrase("no record") }
    }

    /// Bytes of the record at a place; `bytes` where these vary by block.
    fn record(&self, place: u32, shape: &Shape, bytes: usize) -> Result<Vec<u8>, String> {
        let Some((buffer, byte)) = self.uses.locate(place) else { return Ok(Vec::new()) };
        let read = |from: u64, n: usize| {
            read_range(&*buffer.source, from..from.saturating_add(n as u64)).map_err(|why| why.0)
        };
        if buffer.of.is_none() {
            let tag = read(byte, 4)?;
            let size = usize::try_from(word(&tag, 0) >> 16).unwrap_or(0);
            return read(byte.saturating_add(4), size.saturating_sub(4));
        }
        read(byte, if 0 < shape.bytes { shape.bytes } else { bytes })
    }
}

impl ExecutionRows for Records {
    fn reads(&self) -> u64 {
        self.uses.0.iter().map(|buffer| buffer.source.reads()).sum()
    }

    fn rows(&self, launch: &Launch, program: &Program, execution: u32) -> Result<Vec<Executed>, String> {
        let block = launch.executions.block.get(execution as usize).copied().unwrap_or(NO_BLOCK);
        let Some(block) = program.blocks.get(block as usize) else { return Ok(Vec::new()) };
        let row = |instruction| Executed { instruction, ..Executed::default() };
        let mut rows: Vec<Executed> = (block.first..block.first.saturating_add(block.len)).map(row).collect();
        for (of, shape) in self.shapes.iter().enumerate() {
            let Some(shape) = shape else { continue };
            let Some((emit, places)) = self.places.of(&launch.executions, execution, of) else { continue };
            let at = |n: usize| emit.at.get(n).copied().unwrap_or(NO_INSTRUCTION);
            for (n, place) in places.iter().enumerate() {
                let record = self.record(*place, shape, emit.bytes)?;
                let own = shape.instruction(&record);
                let is_own = (own as usize) < rows.len();
                add(&mut rows, if is_own { own } else { at(n) }, shape, &record);
            }
            for n in places.len()..(emit.count as usize).min(emit.at.len().max(places.len() + 1)) {
                let missing = usize::try_from(at(n)).unwrap_or(usize::MAX);
                let row = if missing < rows.len() { rows.get_mut(missing) } else { rows.first_mut() };
                if let Some(row) = row {
                    row.missing = Some(self.reason(of));
                    row.lost[0] |= shape.has_mask();
                    row.lost[1] |= shape.has_accesses();
                }
                // It would have been of all instructions.
                if shape.kind == Kind::Simd && rows.len() <= missing {
                    for row in &mut rows {
                        row.lost[0] = true;
                    }
                }
            }
        }
        Ok(rows)
    }
}

/// Adds what a record says to the row of its instruction, or to all where it is of none.
fn add(rows: &mut [Executed], at: u32, shape: &Shape, record: &[u8]) {
    if shape.head(record).0 == UNWRITTEN {
        return;
    }
    let mask = shape.mask(record);
    let Some(row) = rows.get_mut(at as usize) else {
        if shape.kind == Kind::Simd {
            rows.iter_mut().filter(|row| row.mask.is_none()).for_each(|row| row.mask = mask);
        }
        return;
    };
    match shape.kind {
        Kind::Memory => {
            row.mask = mask.or(row.mask);
            shape.addresses(record, |address| row.addresses.push(address));
        }
        Kind::Simd => row.mask = mask,
        Kind::Register => {
            let (mask, values) = shape.values(record);
            let register = shape.register(record).unwrap_or(0);
            row.registers.push(RegisterRow { register, mask, values });
        }
        Kind::Flow | Kind::Custom => {}
    }
}

// Programs and their listings, and how threads are told.

/// The program of a kernel.
fn program(kernel: &Kernel, entry: u32, listing: Option<ListingId>) -> Program {
    let mut blocks = Vec::new();
    let mut instructions: Vec<Instruction> = Vec::new();
    let narrow = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    for block in &kernel.blocks {
        let rows = block.successors.iter().filter_map(|id| kernel.block_row(*id));
        blocks.push(Block {
            id: block.id,
            label: block.label.clone(),
            first: narrow(instructions.len()),
            len: narrow(block.instructions.len()),
            is_entry: block.is_entry,
            is_exit: block.is_exit,
            successors: rows.map(narrow).collect(),
        });
        instructions.extend(block.instructions.iter().map(|instruction| Instruction {
            address: instruction.address,
            text: instruction.text.clone(),
            memory: memory(instruction),
            source: instruction.source.clone(),
        }));
    }
    let name = kernel.name.clone();
    Program { name, entry, lanes: kernel.simd, blocks, instructions, listing, is_numbered: false }
}

/// What an instruction does to memory: as the manifest says, but for instructions of SASS that say it better themselves.
fn memory(instruction: &manifest::Instruction) -> Option<MemoryOperand> {
    let mut memory = instruction.memory?;
    let is = |opcode: &str| instruction.text.split([' ', '.']).any(|word| word == opcode);
    // Each address is that of a row of 16 bytes, whatever its elements.
    if is("LDSM") || is("STSM") {
        (memory.bytes, memory.lanes) = (Some(16), address_lanes(&instruction.text));
    }
    // It writes another memory than it reads, of which there are no addresses.
    if is("LDGSTS") && memory.reads {
        (memory.writes, memory.is_atomic) = (false, false);
    }
    Some(memory)
}

/// Lists the instructions of a kernel; `None` where their addresses are in no order.
fn program_list(kernel: &Kernel, entry: u32, scope: CodeScope, trace: &mut Trace) -> Option<ListingId> {
    let all = || kernel.blocks.iter().flat_map(|block| &block.instructions);
    if all().next().is_none() || !all().is_sorted_by_key(|instruction| instruction.address) {
        return None;
    }
    let mut lines = Lines::default();
    all().for_each(|instruction| lines.push(&instruction.text));
    let scope = CodeScope { entry: Some(entry), ..scope };
    trace.code.listings.push(Listing::assembly(
        kernel.name.clone(),
        scope,
        lines,
        all().map(|instruction| instruction.address).collect(),
    ));
    for (path, text) in kernel.files.iter().filter_map(|(path, text)| Some((path, text.as_ref()?))) {
        if trace
            .code
            .listings
            .iter()
            .any(|listing| listing.kind == ListingKind::Source && listing.title == *path)
        {
            continue;
        }
        trace.code.listings.push(Listing::source(path.clone(), scope, "cpp", Lines::split(text)));
    }
    let row = trace.code.listings.iter().rposition(|listing| listing.kind == ListingKind::Assembly)?;
    u32::try_from(row).ok().map(ListingId)
}

/// How the threads of a launch are told.
fn program_naming(manifest: &Manifest, dispatch: usize) -> Naming {
    let threads = &manifest.threads;
    let grid = manifest.dispatches.get(dispatch).map_or([0; 3], |dispatch| dispatch.grid);
    match threads.warps_per_group {
        Some(warps) if !threads.is_hardware => Naming::Warps { grid, warps },
        _ if !threads.fields.is_empty() => Naming::Fields(threads.fields.clone()),
        _ => Naming::Plain,
    }
}

/// What threads are ordered by: their group.
fn order_of_threads(naming: Naming) -> impl Fn(u32) -> u32 {
    move |id| match &naming {
        Naming::Fields(_) => {
            let one = Threads { ids: vec![id], instances: Vec::new(), naming: naming.clone() };
            one.group(0)
        }
        _ => 0,
    }
}

// The buffers of a launch are found and looked at before they are read.

/// The shapes of the types; those that cannot be read are said.
fn opened_shapes(types: &[Type], said: &mut Said, spot: Spot) -> Vec<Option<Shape>> {
    let shape = |(row, of): (usize, &Type)| match Shape::of(of) {
        Ok(shape) => Some(shape),
        Err(least) => {
            said.say(("GMT-TYPE", Severity::Loss), Some(row), spot, || {
                let (name, layout) = (of.name.clone(), of.layout.clone());
                let text = match least {
                    Some(least) => {
                        let text =
                            message("records of {type} have {bytes} bytes, layout {layout} needs {least}");
                        text.with("bytes", of.bytes).with("least", least)
                    }
                    None => message("records of {type} have an unknown layout: {layout}"),
                };
                let text = text.with("type", name).with("layout", layout);
                (text, phrase("Buffers of this type are not read.").into())
            });
            None
        }
    };
    types.iter().enumerate().map(shape).collect()
}

/// The buffers of a launch.
fn opened_buffers(
    manifest: &Manifest,
    dispatch: usize,
    (bundle, files): (&Bundle, &[EntryId]),
    shapes: &[Option<Shape>],
    (said, spot): (&mut Said, Spot),
) -> Uses {
    let mut uses = Uses::default();
    let Some(dispatch) = manifest.dispatches.get(dispatch) else { return uses };
    let mut base = 0_u32;
    for buffer in &dispatch.buffers {
        let Some(found) = find(bundle, files, spot.entry.1, &buffer.file) else {
            said.say(("GMT-FILE", Severity::Loss), manifest.type_row(buffer.of), spot, || {
                let text =
                    message("the buffer {file} is not among the open files").with("file", &buffer.file);
                (text, phrase("Its records are not shown.").into())
            });
            continue;
        };
        let Some(mut buffer) = open(buffer, dispatch.run, (bundle, found), said) else { continue };
        buffer.of = buffer.of.and_then(|id| manifest.type_row(u32::try_from(id).ok()?));
        let shape = buffer.of.and_then(|of| shapes.get(of)?.as_ref());
        if buffer.head.of != 0 && shape.is_none() {
            // Of a type that is left out that was said.
            if buffer.of.is_none() && !manifest.unread_types.contains(&buffer.head.of) {
                said.say(("GMT-TYPE", Severity::Loss), None, Spot::of(&buffer, buffer.start), || {
                    let text = message("the manifest has no type {id}").with("id", buffer.head.of);
                    (text, phrase("This one is not read.").into())
                });
            }
            continue;
        }
        buffer.unit = match shape {
            Some(shape) if 0 < shape.bytes => shape.bytes as u64,
            None if shapes.iter().flatten().all(|shape| shape.bytes.is_multiple_of(4)) => 4,
            _ => 1,
        };
        check(&buffer, shape.map_or(0, |shape| shape.bytes as u64), said);
        let units = u32::try_from(buffer.used.1 / buffer.unit);
        let Some(next) = units.ok().and_then(|units| base.checked_add(units)?.checked_add(1)) else {
            said.say(("GMT-MANY", Severity::Loss), buffer.of, Spot::of(&buffer, 0), || {
                (
                    message("the buffers have more records than can be distinguished"),
                    phrase("This one is not read.").into(),
                )
            });
            continue;
        };
        (buffer.base, base) = (base, next);
        uses.0.push(buffer);
    }
    uses
}

/// The entry of a file that a manifest names: beside it, else anywhere under its name.
fn find(bundle: &Bundle, files: &[EntryId], manifest: &str, file: &str) -> Option<EntryId> {
    let folder = manifest.rsplit_once('/').map_or("", |(folder, _)| folder);
    let beside = if folder.is_empty() { file.to_owned() } else { format!("{folder}/{file}") };
    let path = |id: &&EntryId| bundle.get(**id).map_or("", |entry| entry.path.as_str());
    let name = file.rsplit('/').next().unwrap_or(file);
    let in_own = files.iter().find(|id| path(id) == beside);
    let by_name = || files.iter().find(|id| bundle.get(**id).is_some_and(|entry| entry.name() == name));
    in_own.or_else(by_name).copied()
}

/// Opens a buffer. Its type is still the number of the manifest.
fn open(buffer: &Buffer, run: u64, (bundle, id): (&Bundle, EntryId), said: &mut Said) -> Option<Use> {
    let entry = bundle.get(id)?;
    let bytes = if buffer.has_header {
        read_range(&*entry.source, buffer.offset..buffer.offset.saturating_add(HEAD)).unwrap_or_default()
    } else {
        Vec::new()
    };
    let head = Head::of(&bytes);
    let of = if buffer.is_tagged { 0 } else { buffer.of };
    let own_run = buffer.run.or(head.map(|head| u64::from(head.run))).unwrap_or(run);
    let mut opened = Use::new(buffer, own_run, (id, &entry.path, entry.source.clone()), head);
    if head.is_none() && buffer.has_header {
        said.say(("GMT-HEAD", Severity::Warning), None, Spot::of(&opened, buffer.offset), || {
            let text = message("the buffer does not start with a header");
            (text, phrase("The manifest gives its size.").into())
        });
    }
    if let Some(head) = head.filter(|head| head.of != of) {
        said.say(("GMT-HEAD", Severity::Warning), None, Spot::of(&opened, buffer.offset + 12), || {
            let text =
                message("the header gives type {a}, the manifest {b}").with("a", head.of).with("b", of);
            (text, phrase("The manifest is trusted.").into())
        });
    }
    opened.head.of = of;
    opened.of = (of != 0).then_some(of as usize);
    Some(opened)
}

/// Checks a buffer before it is read.
fn check(buffer: &Use, each: u64, said: &mut Said) {
    let head = &buffer.head;
    if buffer.is_over() {
        said.say(("GMT-OVF", Severity::Loss), buffer.of, Spot::of(buffer, buffer.start + 24), || {
            let demand = 100.0 * head.next as f64 / head.capacity.max(1) as f64;
            let text = message(
                "the buffer overflowed: {lost} records lost, {next} B of {capacity} B, demand {demand} %",
            );
            let text = text.with("lost", thousands(buffer.lost(each))).with("next", thousands(head.next));
            let text = text.with("capacity", thousands(head.capacity)).with("demand", fixed(demand, 0));
            (text, phrase("Instructions with lost records are marked as such.").into())
        });
    }
    if buffer.used.1 < buffer.used.0 {
        said.say(("GMT-SHORT", Severity::Loss), buffer.of, Spot::of(buffer, buffer.source.len()), || {
            let text = message("the file ends early: {needed} bytes of records needed, {left} available");
            let text = text.with("needed", thousands(buffer.used.0)).with("left", thousands(buffer.used.1));
            (text, phrase("Only complete records are used.").into())
        });
    }
}

/// Buffers of another run than that of the order are not read where numbers of threads are of the hardware.
fn check_runs(uses: &mut Uses, manifest: &Manifest, said: &mut Said) {
    if !manifest.threads.is_hardware {
        return;
    }
    let is_flow = |buffer: &&Use| {
        let of = buffer.of.and_then(|of| manifest.types.get(of));
        of.is_some_and(|of| of.kind == crate::systems::instrumentation::combine::Kind::Flow)
    };
    let first = uses.0.iter().find(is_flow).or(uses.0.first()).map(|buffer| buffer.run);
    for buffer in uses.0.iter_mut().filter(|buffer| first.is_some_and(|run| run != buffer.run)) {
        buffer.is_read = false;
        let runs = (first.unwrap_or(0), buffer.run);
        said.say(("GMT-RUN", Severity::Loss), buffer.of, Spot::of(buffer, buffer.start), || {
            let text = message(
                "the buffer belongs to run {b}, the order to run {a}, and threads are hardware slots",
            );
            let note = phrase("Its records cannot be combined and are not shown.");
            (text.with("a", runs.0).with("b", runs.1), note.into())
        });
    }
}
