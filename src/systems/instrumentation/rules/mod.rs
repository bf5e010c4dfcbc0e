//! What instrumented programs tell about themselves: rules, first figures, where their instructions go.
//!
//! Most rules look at what was measured, added up by kernel ([`Measured`]). Texts that only count, plan or time have
//! fewer rules and figures of their own; what they do not record is said, with the tool that records it.

mod accesses;
mod blocks;
mod kinds;
mod lanes;
mod memory;
mod records;
mod summary;

use super::metrics::{BlockSum, KernelSum, Measured, RowSum, Runner};
use super::nvbit::ACCESS as NAMELESS;
use crate::base::map::Map;
use crate::base::number::{fixed, thousands};
use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};
use crate::findings::place::Place;
use crate::findings::{Guide, Looked, RuleInput, more};
use crate::input::EntryId;
use crate::model::Trace;
use crate::model::code::{CodeAddress, ListingKind};
use crate::model::figure::{Bar, BarRole, Bars, Body, Figure};
use crate::views::executions::compute::{Block, Instruction, Program, Recorded};
use crate::views::plan::compute::PlanInput;
use summary::has_accesses_only;

/// The guide.
#[rustfmt::skip] // one entry a line
pub(super) static GUIDE: Guide = Guide {
    rules: &[
        &records::LOST,
        &accesses::EXCESS,
        &accesses::BANKS,
        &memory::UNUSED,
        &memory::LOCAL,
        &memory::ATOMICS,
        &lanes::IDLE,
        &lanes::OFF,
        &blocks::HOT,
        &blocks::UNEVEN,
        &records::PLAN,
    ],
    summary: summary::summary,
    advises: false,
};

/// Findings of a rule.
const MOST: usize = 3;
/// Bars of a picture.
const BARS: usize = 5;

/// What was measured by kernel, and what it is of; `None` where no launch was recorded.
fn measured<'a>(input: &RuleInput<'a>) -> Option<(&'a [KernelSum], &'a Recorded)> {
    let measured = input.trace.extensions.get::<Measured>()?;
    let recorded = input.trace.extensions.get::<Recorded>()?;
    (!measured.kernels.is_empty()).then_some((&measured.kernels[..], recorded))
}

/// What ran the instructions of kernels.
fn runner(kernels: &[KernelSum], recorded: &Recorded) -> &'static Runner {
    let launches = kernels.iter().flat_map(|kernel| &kernel.launches);
    Runner::of(launches.filter_map(|row| recorded.launches.get(*row as usize)))
}

/// Tables of this system begin with one of these.
const TABLES: [&str; 3] = ["gtpin-", "nvbit-", "pti-"];

/// Whether a trace is of this system.
fn is_own(trace: &Trace) -> bool {
    let mut ids = trace.tables.iter().map(|table| &table.id);
    let mut figures = trace.figures.iter().map(|family| &family.id);
    let is_own = |id: &String| TABLES.iter().any(|start| id.starts_with(start));
    trace.extensions.get::<Recorded>().is_some_and(|all| !all.programs.is_empty())
        || trace.extensions.get::<PlanInput>().is_some()
        || ids.any(is_own)
        || figures.any(is_own)
}

/// A share in percent, one decimal.
fn percent(part: f64) -> String {
    format!("{} %", fixed(part * 100.0, 1))
}

/// So many of something that has a name.
fn count(noun: &'static str) -> Unit {
    Unit::Count(noun.to_owned())
}

/// The opcode of an instruction without predicate and modifiers: `LDG` of `@P0 LDG.E R1, [R2]`.
fn opcode(text: &str) -> &str {
    let mut rest = text.trim_start();
    loop {
        let next = if rest.starts_with('@') {
            rest.split_once(' ').map(|(_, rest)| rest)
        } else if rest.starts_with('(') {
            rest.split_once(')').map(|(_, rest)| rest)
        } else {
            None
        };
        match next {
            Some(next) => rest = next.trim_start(),
            None => break,
        }
    }
    let end = rest.find(|c: char| c.is_whitespace() || c == ';' || c == ',').unwrap_or(rest.len());
    let whole = rest.get(..end).unwrap_or(rest);
    whole.split('.').next().unwrap_or(whole)
}

/// An instruction over all launches of its kernel, and what it is.
#[derive(Clone, Copy)]
struct Placed<'a> {
    kernel: &'a KernelSum,
    sum: &'a RowSum,
    program: &'a Program,
    instruction: &'a Instruction,
}

/// All instructions that ran.
fn placed<'a>(kernels: &'a [KernelSum], recorded: &'a Recorded) -> impl Iterator<Item = Placed<'a>> {
    kernels.iter().flat_map(move |kernel| {
        kernel.rows.iter().filter_map(move |sum| {
            let program = recorded.programs.get(sum.program as usize)?;
            let instruction = program.instructions.get(sum.row as usize)?;
            Some(Placed { kernel, sum, program, instruction })
        })
    })
}

impl Placed<'_> {
    /// What it is called in a sentence: `LDG at 0x1d0`.
    fn name(&self) -> Message {
        let text = self.instruction.text.split([' ', ';']).find(|word| !word.starts_with(['@', '(']));
        let opcode = text.unwrap_or_default();
        match self.program.address(self.sum.row as usize) {
            Some(at) => {
                message("{opcode} at {address}").with("opcode", opcode).with("address", format!("{at:#x}"))
            }
            None => opcode.to_owned().into(),
        }
    }

    /// The same in as few letters as possible, for bars.
    fn label(&self) -> String {
        let opcode = opcode(&self.instruction.text);
        match self.program.address(self.sum.row as usize) {
            Some(at) => format!("{opcode} {at:#x}"),
            None => format!("{opcode} #{}", self.sum.row),
        }
    }

    /// The same for a list: with its kernel, where there are several.
    fn listed(&self, kernels: &[KernelSum]) -> String {
        let own = &self.kernel.name;
        let is_alone = || kernels.iter().filter(|kernel| short(&kernel.name) == short(own)).count() < 2;
        match kernels.len() {
            0 | 1 => self.label(),
            _ => format!("{} {}", if is_alone() { short(own) } else { own }, self.label()),
        }
    }

    /// Accesses of which not all lanes have an address: where none has, all that a lane ran.
    fn unseen(&self) -> u64 {
        let of = &self.sum.metrics;
        if of.access.is_none() && of.unseen == 0 { of.executions.saturating_sub(of.off) } else { of.unseen }
    }

    /// What tells it apart in another profile of the same program.
    fn subject(&self) -> String {
        format!("{} {}", self.kernel.name, self.label())
    }

    /// Where it is seen: the address of a view.
    fn place(&self, trace: &Trace) -> (&'static str, String) {
        place_of(trace, Some(self.kernel), self.program, self.sum.row)
    }
}

/// Where an instruction is seen: the listing of all launches of its kernel, that of its program, or the table of accesses
/// where it has no address.
fn place_of(
    trace: &Trace,
    kernel: Option<&KernelSum>,
    program: &Program,
    row: u32,
) -> (&'static str, String) {
    let listings = trace.code.listings.iter().filter(|listing| listing.kind == ListingKind::Assembly);
    match kernel.and_then(|kernel| kernel.listing).or(program.listing).zip(program.address(row as usize)) {
        Some((listing, address)) => {
            // Of a document with one listing of instructions the address says everything.
            let listing = (1 < listings.count()).then_some(listing);
            ("source", Place::view("source").instruction(CodeAddress { listing, address }).address())
        }
        None => ("details", Place::view("details").figure("instrumentation-instructions", &[]).address()),
    }
}

/// What a program is called among others: with its number, where its file has several of its name, and with its file, where
/// those of its name come from several.
fn called<'a>(input: &RuleInput, program: &Program, among: impl Iterator<Item = &'a Program>) -> String {
    let mut same: Vec<&Program> = Vec::new();
    for other in among.filter(|other| other.name == program.name) {
        if same.iter().all(|known| !std::ptr::eq(*known, other)) {
            same.push(other);
        }
    }
    let own: Vec<&&Program> = same.iter().filter(|other| other.entry == program.entry).collect();
    let number = own.iter().position(|other| std::ptr::eq(**other, program)).filter(|_| 1 < own.len());
    let name = number.map_or_else(|| program.name.clone(), |at| format!("{} #{}", program.name, at + 1));
    let path = |entry: u32| input.bundle.get(EntryId(entry)).map_or("", |entry| entry.path.as_str());
    let others: Vec<&str> =
        same.iter().filter(|other| other.entry != program.entry).map(|other| path(other.entry)).collect();
    if others.is_empty() {
        return name;
    }
    // As little of the path as no other file ends with.
    let path = path(program.entry);
    let ends = path.rmatch_indices(['/', '!']).filter_map(|(at, _)| path.get(at + 1..));
    let end = ends.chain([path]).find(|end| {
        others.iter().all(|other| {
            other.strip_suffix(end).is_none_or(|rest| !rest.is_empty() && !rest.ends_with(['/', '!']))
        })
    });
    format!("{name} ({})", end.unwrap_or(path))
}

/// `in vecAdd`, in the order of a sentence; nothing where there is one kernel.
fn in_kernel(kernels: &[KernelSum], name: &str) -> Message {
    match kernels.len() {
        0 | 1 => Message::default(),
        _ => {
            let is_alone = kernels.iter().filter(|kernel| short(&kernel.name) == short(name)).count() < 2;
            message(" of {kernel}").with("kernel", if is_alone { short(name) } else { name })
        }
    }
}

/// A name without its result, the arguments of its template and its own: `at::native::reduce_kernel`.
fn short(name: &str) -> &str {
    const NAMELESS: &str = "(anonymous namespace)";
    let own = name.strip_prefix("void ").unwrap_or(name);
    let mut from = 0;
    while let Some(at) = own.get(from..).and_then(|rest| rest.find(['<', '('])) {
        let at = from + at;
        if !own.get(at..).is_some_and(|rest| rest.starts_with(NAMELESS)) {
            return own.get(..at).filter(|short| !short.is_empty()).unwrap_or(own);
        }
        from = at + NAMELESS.len();
    }
    own
}

/// Bars of two parts, the second of which need not be.
fn bars(unit: Unit, parts: [&'static str; 2], rows: Vec<(String, [f64; 2])>) -> Figure {
    let bar = |(name, values): (String, [f64; 2])| Bar {
        name,
        values: values.map(Some).to_vec(),
        role: BarRole::Work,
        detail: String::new(),
    };
    Figure::new(
        "",
        Body::Bars(Bars {
            unit,
            parts: parts.map(str::to_owned).to_vec(),
            bars: rows.into_iter().map(bar).collect(),
            ..Bars::default()
        }),
    )
}

/// What is said of a memory that no record names, where some records name none: they may be of any.
fn nameless(kernels: &[KernelSum], recorded: &Recorded) -> Option<Looked> {
    if !has_accesses_only(kernels, recorded) {
        return None;
    }
    let is_nameless = |one: &Placed| one.instruction.memory.is_none() || one.instruction.text == NAMELESS;
    let own = placed(kernels, recorded).filter(is_nameless);
    let n: u64 = own.map(|one| one.sum.metrics.executions).sum();
    let said = message(
        "{n} of {all} recorded accesses do not give their memory space: record the opcode with them, as NVBit's mem_trace and the Accel-Sim tracer do",
    );
    (0 < n).then(|| {
        let all = summary::instructions(kernels);
        Looked::Missing(said.with("n", thousands(n)).with("all", thousands(all)))
    })
}

/// What records addresses, for rules that need them.
const NO_ADDRESSES: &str = phrase(
    "no access addresses recorded: NVBit's mem_trace, the Accel-Sim tracer and GTPin's memorytrace record them",
);

/// A block over all launches of its kernel, and what it is.
struct PlacedBlock<'a> {
    kernel: &'a KernelSum,
    sum: &'a BlockSum,
    program: &'a Program,
    block: &'a Block,
    /// Instructions that its executions ran.
    instructions: u64,
    /// Of those with an active lane: active lanes, and lanes there are.
    lanes: (u64, u64),
    /// Lanes that are idle since they left at its end, over all instructions.
    behind: u64,
}

/// All blocks that ran.
fn blocks<'a>(kernels: &'a [KernelSum], recorded: &'a Recorded) -> Vec<PlacedBlock<'a>> {
    let mut all = Vec::new();
    for kernel in kernels {
        // Instructions by where they stand, so that those of a block are added up whatever launch they are of.
        let mut own: Map<(u32, u32), &RowSum> = Map::default();
        own.extend(kernel.rows.iter().map(|row| ((row.program, row.row), row)));
        for sum in &kernel.blocks {
            let Some(program) = recorded.programs.get(sum.program as usize) else { continue };
            let Some(block) = program.blocks.get(sum.block as usize) else { continue };
            let rows = block.first..block.first.saturating_add(block.len);
            let rows = rows.filter_map(|row| own.get(&(sum.program, row)));
            let (mut instructions, mut lanes, mut behind) = (0, (0, 0), 0);
            for row in rows {
                let (active, room) = lanes_of_row(kernel, row);
                instructions += row.metrics.executions;
                lanes = (lanes.0 + active, lanes.1 + room);
                behind += row.metrics.idle_behind;
            }
            all.push(PlacedBlock { kernel, sum, program, block, instructions, lanes, behind });
        }
    }
    all
}

impl PlacedBlock<'_> {
    /// What tells it apart in another profile of the same program.
    fn subject(&self) -> String {
        let at = self.program.address(self.block.first as usize);
        let at = at.map_or_else(|| self.block.label.clone(), |at| format!("{at:#x}"));
        format!("{} {at}", self.kernel.name)
    }

    /// The same in as few letters as possible, for bars.
    fn label(&self) -> String {
        let at = self.program.address(self.block.first as usize);
        let at = at.map_or_else(|| format!("#{}", self.block.first), |at| format!("{at:#x}"));
        format!("{} {at}", self.block.label)
    }

    /// What it is called: `BB3 at 0x120 of vecAdd`.
    fn name(&self, kernels: &[KernelSum]) -> Message {
        let label = if self.block.len <= 1 {
            let text = self.program.instructions.get(self.block.first as usize).map_or("", |one| &one.text);
            text.split([' ', ';']).find(|word| !word.starts_with(['@', '('])).unwrap_or_default()
        } else {
            &self.block.label
        };
        let name = match self.program.address(self.block.first as usize) {
            Some(at) => {
                message("{opcode} at {address}").with("opcode", label).with("address", format!("{at:#x}"))
            }
            None => label.to_owned().into(),
        };
        message("{name}{kernel}")
            .with_message("name", name)
            .with_message("kernel", in_kernel(kernels, &self.kernel.name))
    }
}

/// Of the executions of an instruction with an active lane: active lanes, and lanes there are. Where only the lanes that
/// take a jump are known, the others are not idle: those executions do not count.
fn lanes_of_row(kernel: &KernelSum, row: &RowSum) -> (u64, u64) {
    let of = &row.metrics;
    let known = of.executions.saturating_sub(of.unknown).saturating_sub(of.off).saturating_sub(of.taken);
    (of.lanes.saturating_sub(of.taken_lanes), known * u64::from(kernel.lanes.max(1)))
}
