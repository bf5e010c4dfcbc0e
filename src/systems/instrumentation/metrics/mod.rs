//! What memory accesses cost: sectors, lines and bytes that the lanes of an instruction ask for, and what moves for them.
//!
//! With the addresses of the active lanes and `w` bytes a lane: sectors are the distinct stretches of 32 bytes that are
//! touched, lines those of 128; requested is `lanes × w`, unique the distinct bytes, moved `sectors × 32`. Efficiency is
//! `unique / moved`, which never exceeds 1. The fewest sectors that would have done are `unique / 32`, rounded up; what is
//! beyond is excess. Shared memory has no sectors: its accesses cost wavefronts, passes over its banks.
//!
//! Knows no format: a reader that has every row at hand feeds a [`Meter`] while it parses; all other launches are measured
//! once everything is read ([`measure`]), from the rows that their sources read again. Both stand in `Trace::extensions`
//! inside [`Measured`], and [`measured`] is how everybody reads them.

mod code;
mod combined;
mod export;
mod figures;
pub mod instructions;
mod kernels;
mod measure;
mod partings;
mod records;
mod runner;
pub mod shape;
mod verdict;
mod whole;

pub(super) use code::add_listing;
pub(super) use combined::COMBINED_TEXT;
pub(super) use export::METRICS_JSON;
pub(super) use figures::{ANALYSIS, quantities};
pub(super) use kernels::{BlockSum, KernelSum, Longest, RowSum, knows_divergence};
pub(super) use measure::MEASURING;
pub use partings::Partings;
pub(super) use records::{OfLaunch, RecordCounts};
pub(super) use runner::{HARDWARE, Runner};
pub(super) use shape::{Moved, moved};
pub(super) use verdict::{global, lost, verdict};

use crate::base::words::Message;
use crate::model::Trace;
use crate::views::executions::compute::{MemoryOperand, Space};
use shape::Shape;

/// Bytes of a sector, unless the launch says others.
pub(super) const SECTOR: u64 = 32;

/// How the addresses of the lanes of one access lie to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// No lane is active.
    None,
    /// One lane is.
    Single,
    /// All lanes have one address.
    Uniform,
    /// Each lane follows the one before without a gap.
    Unit,
    /// All steps from lane to lane are equal.
    Stride,
    /// Nine of ten steps or more are as in `Unit` or `Uniform`.
    Segmented,
    /// Anything else.
    Irregular,
}

impl Class {
    /// All classes in order.
    pub(super) const ALL: [Self; 7] =
        [Self::None, Self::Single, Self::Uniform, Self::Unit, Self::Stride, Self::Segmented, Self::Irregular];

    /// Its name in files.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Single => "single",
            Self::Uniform => "uniform",
            Self::Unit => "unit",
            Self::Stride => "stride",
            Self::Segmented => "segmented",
            Self::Irregular => "irregular",
        }
    }
}

/// Accesses of one instruction that lie alike and take more sectors than needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Loss {
    pub(super) class: Class,
    /// Their step from lane to lane; 0 for classes other than `Stride`.
    pub(super) stride: i64,
    pub(super) accesses: u64,
    /// Their sectors beyond the fewest.
    pub(super) excess: u64,
    /// How far behind the border of a sector the first lane lies; `None` where that differs between them.
    pub(super) offset: Option<u64>,
}

/// Steps from lane to lane, and losses, that are told apart for one instruction.
const STRIDES: usize = 16;

/// What accesses to shared memory cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SharedMetrics {
    pub(super) active: u64,
    /// Passes over the banks that they took.
    pub wavefronts: u64,
    /// The fewest: without bank conflicts.
    pub ideal: u64,
}

impl SharedMetrics {
    /// Passes beyond the fewest.
    pub(super) fn excess(&self) -> u64 {
        self.wavefronts.saturating_sub(self.ideal)
    }
}

/// What the accesses of one instruction cost, over all its executions. Sectors, lines and bytes leave out shared memory.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AccessMetrics {
    /// Executions, also those without an active lane.
    pub(super) executions: u64,
    /// Those with one.
    pub(super) active: u64,
    /// Those of which the lanes that give addresses are off, but not all others.
    pub(super) without_address: u64,
    /// Active lanes.
    pub(super) lanes: u64,
    /// Distinct sectors of each access.
    pub sectors: u64,
    /// Their bytes.
    pub moved: u64,
    /// The fewest that would have done.
    pub(super) ideal: u64,
    /// Accesses that took more.
    pub(super) uncoalesced: u64,
    /// Distinct lines of each access.
    pub lines: u64,
    /// Lanes times bytes of a lane.
    pub(super) requested: u64,
    /// Distinct bytes of each access.
    pub unique: u64,
    /// Accesses by [`Class`].
    pub classes: [u64; 7],
    /// Steps from lane to lane with how often each was seen, in the order of their first; the rest is in `other_strides`.
    pub strides: Vec<(i64, u64)>,
    /// Steps beyond those.
    pub other_strides: u64,
    /// Accesses with excess sectors by how they lie, in the order of their first.
    pub(super) losses: Vec<Loss>,
    /// Those to shared memory.
    pub shared: SharedMetrics,
}

impl AccessMetrics {
    /// Share of the moved bytes that was asked for; `None` when nothing moved.
    pub fn efficiency(&self) -> Option<f64> {
        (0 < self.moved).then(|| self.unique as f64 / self.moved as f64)
    }

    /// Accesses with an active lane that move sectors.
    pub(super) fn sectored(&self) -> u64 {
        self.active.saturating_sub(self.shared.active)
    }

    /// Sectors beyond the fewest that would have done.
    pub(super) fn excess(&self) -> u64 {
        self.sectors.saturating_sub(self.ideal)
    }

    /// The most frequent class of accesses with active lanes.
    pub(super) fn class(&self) -> Class {
        let counted = Class::ALL.into_iter().zip(self.classes).skip(1);
        counted
            .max_by_key(|(class, n)| (*n, std::cmp::Reverse(*class)))
            .map_or(Class::None, |(class, n)| if n == 0 { Class::None } else { class })
    }

    /// The most frequent step from lane to lane.
    pub(super) fn stride(&self) -> Option<i64> {
        self.strides.iter().max_by_key(|(_, n)| *n).map(|(stride, _)| *stride)
    }

    /// Whether lanes of what counts as irregular mostly follow a neighbor, as in rows of a small matrix: half of the steps
    /// from lane to lane are the bytes of a lane, or none.
    pub(super) fn has_short_runs(&self) -> bool {
        let width = self.requested.checked_div(self.lanes).unwrap_or(0).cast_signed();
        let all: u64 = self.strides.iter().map(|(_, n)| n).sum::<u64>() + self.other_strides;
        let near = self.strides.iter().filter(|(stride, _)| *stride == width || *stride == 0);
        all <= 2 * near.map(|(_, n)| n).sum::<u64>()
    }

    /// The accesses that lie alike and have the most excess sectors.
    pub(super) fn worst(&self) -> Option<&Loss> {
        self.losses.iter().max_by_key(|loss| (loss.excess, std::cmp::Reverse(loss.class)))
    }

    /// Adds what another has.
    pub(super) fn add(&mut self, other: &Self) {
        self.executions += other.executions;
        self.active += other.active;
        self.without_address += other.without_address;
        self.lanes += other.lanes;
        self.sectors += other.sectors;
        self.moved += other.moved;
        self.ideal += other.ideal;
        self.uncoalesced += other.uncoalesced;
        self.lines += other.lines;
        self.requested += other.requested;
        self.unique += other.unique;
        self.classes.iter_mut().zip(other.classes).for_each(|(a, b)| *a += b);
        other.strides.iter().for_each(|(stride, n)| self.step(*stride, *n));
        self.other_strides += other.other_strides;
        other.losses.iter().for_each(|loss| self.lose(*loss));
        self.shared.active += other.shared.active;
        self.shared.wavefronts += other.shared.wavefronts;
        self.shared.ideal += other.shared.ideal;
    }

    fn step(&mut self, stride: i64, n: u64) {
        if let Some((_, count)) = self.strides.iter_mut().find(|(known, _)| *known == stride) {
            *count += n;
        } else if self.strides.len() < STRIDES {
            self.strides.push((stride, n));
        } else {
            self.other_strides += n;
        }
    }

    fn lose(&mut self, loss: Loss) {
        let is_alike = |own: &&mut Loss| (own.class, own.stride) == (loss.class, loss.stride);
        if let Some(own) = self.losses.iter_mut().find(is_alike) {
            own.accesses += loss.accesses;
            own.excess += loss.excess;
            own.offset = own.offset.filter(|offset| Some(*offset) == loss.offset);
        } else if self.losses.len() < STRIDES {
            self.losses.push(loss);
        }
    }
}

/// What is known of one instruction over all its executions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InstructionMetrics {
    /// How often a thread ran it.
    pub(super) executions: u64,
    /// Those of which nobody recorded the lanes.
    pub(super) unknown: u64,
    /// Those of them of which records that held the lanes are lost.
    pub(super) lost_lanes: u64,
    /// Those of which the lanes of the whole block were recorded: those of an instruction may be fewer.
    pub(super) of_block: u64,
    /// Accesses of which the addresses of all lanes are not known: records are lost, or have one only.
    pub(super) unseen: u64,
    /// Those of them of which records that held the addresses are lost.
    pub(super) lost_addresses: u64,
    /// Those without an active lane.
    pub(super) off: u64,
    /// Active lanes of all of them.
    pub(super) lanes: u64,
    /// Lanes that are idle since they left here, over all instructions that others ran meanwhile: see [`Partings`].
    pub(super) idle_behind: u64,
    /// Its executions that show only the lanes that take it as a jump, and those lanes: the others wait for nothing.
    pub(super) taken: u64,
    pub(super) taken_lanes: u64,
    /// Its accesses to memory; `None` when it makes none.
    pub access: Option<Box<AccessMetrics>>,
}

impl InstructionMetrics {
    /// Its accesses as far as they tell something: not where those with an active lane are all unseen.
    fn seen(&self) -> Option<&AccessMetrics> {
        self.access.as_deref().filter(|access| 0 < access.active || self.unseen == 0)
    }

    /// Adds what the same instruction did in another launch.
    fn add(&mut self, other: &Self) {
        self.executions += other.executions;
        self.unknown += other.unknown;
        self.lost_lanes += other.lost_lanes;
        self.of_block += other.of_block;
        self.unseen += other.unseen;
        self.lost_addresses += other.lost_addresses;
        self.off += other.off;
        self.lanes += other.lanes;
        self.idle_behind += other.idle_behind;
        self.taken += other.taken;
        self.taken_lanes += other.taken_lanes;
        if let Some(access) = &other.access {
            self.access.get_or_insert_with(Box::default).add(access);
        }
    }
}

/// Adds up rows of instructions.
#[derive(Clone, Debug, PartialEq)]
pub struct Meter {
    /// By number of the instruction, as it was fed.
    pub instructions: Vec<InstructionMetrics>,
    /// Bytes of a sector.
    sector: u64,
}

impl Default for Meter {
    fn default() -> Self {
        Self { instructions: Vec::new(), sector: SECTOR }
    }
}

impl Meter {
    /// For so many instructions, with sectors of so many bytes.
    fn of(instructions: usize, sector: u64) -> Self {
        Self { instructions: vec![InstructionMetrics::default(); instructions], sector: sector.max(1) }
    }

    /// Another instruction; its number.
    pub fn instruction(&mut self) -> usize {
        self.instructions.push(InstructionMetrics::default());
        self.instructions.len() - 1
    }

    /// At least so many instructions.
    pub(super) fn grow(&mut self, instructions: usize) {
        if self.instructions.len() < instructions {
            self.instructions.resize_with(instructions, InstructionMetrics::default);
        }
    }

    /// One row: the lanes that ran an instruction.
    #[inline]
    pub fn run(&mut self, instruction: usize, mask: u32) {
        if let Some(of) = self.instructions.get_mut(instruction) {
            of.executions += 1;
            of.off += u64::from(mask == 0);
            of.lanes += u64::from(mask.count_ones());
        }
    }

    /// One row with the lanes of its whole block.
    pub(super) fn run_of_block(&mut self, instruction: usize, mask: u32) {
        self.run(instruction, mask);
        if let Some(of) = self.instructions.get_mut(instruction) {
            of.of_block += 1;
        }
    }

    /// Executions of an instruction of which nobody recorded the lanes.
    pub(super) fn run_unknown(&mut self, instruction: usize, n: u64) {
        if let Some(of) = self.instructions.get_mut(instruction) {
            of.executions += n;
            of.unknown += n;
        }
    }

    /// That records of one row are lost which held its lanes, or its addresses.
    pub(super) fn lose(&mut self, instruction: usize, [lanes, addresses]: [bool; 2]) {
        if let Some(of) = self.instructions.get_mut(instruction) {
            of.lost_lanes += u64::from(lanes);
            of.lost_addresses += u64::from(addresses);
        }
    }

    /// An access of which the width, or the addresses of all lanes, are not known.
    pub(super) fn unseen(&mut self, instruction: usize) {
        self.instructions.get_mut(instruction).into_iter().for_each(|of| of.unseen += 1);
    }

    /// Its access, with the addresses of the active lanes in their order; none when no lane is active. Lanes that give none
    /// have what nobody reads. Without the width of a lane nothing is known of it.
    pub fn access(
        &mut self,
        instruction: usize,
        (mask, addresses): (u32, &[u64]),
        operand: MemoryOperand,
    ) -> Moved {
        let Some(width) = operand.bytes.map(u64::from) else {
            self.unseen(instruction);
            return Moved::default();
        };
        let Some(of) = self.instructions.get_mut(instruction) else { return Moved::default() };
        let of = of.access.get_or_insert_with(Box::default);
        of.executions += 1;
        let lanes = addresses.len() as u64;
        of.without_address += u64::from(mask != 0 && mask & operand.lanes == 0);
        let mask = mask & operand.lanes;
        let addresses = addresses.get(..mask.count_ones() as usize).unwrap_or(addresses);
        let shape = Shape::of(addresses, width, self.sector);
        let ideal = shape.ideal();
        if let Some(n) = of.classes.get_mut(shape.class as usize) {
            *n += 1;
        }
        if addresses.is_empty() {
            return Moved::default();
        }
        of.active += 1;
        of.lanes += lanes;
        shape::strides(shape.class, addresses, |stride, n| of.step(stride, n));
        if operand.space == Space::Shared {
            let (wavefronts, ideal) = bank_wavefronts(shape.class, (mask, addresses), width);
            of.shared.active += 1;
            of.shared.wavefronts += u64::from(wavefronts);
            of.shared.ideal += u64::from(ideal);
            return shape.moved();
        }
        of.sectors += shape.sectors;
        of.moved += shape.sectors * self.sector;
        of.lines += shape.lines;
        of.requested += lanes * width;
        of.unique += shape.unique;
        of.ideal += ideal;
        if ideal < shape.sectors {
            of.uncoalesced += 1;
            of.lose(shape.loss(addresses));
        }
        shape.moved()
    }
}

/// What the tool itself counted, where its number is at hand.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct ToolCount {
    /// Where it stands, such as `stats.csv`.
    pub(super) from: String,
    /// Instructions of all threads.
    pub(super) instructions: u64,
    /// Why ours differs; empty when it does not, or nobody knows.
    pub(super) reason: Message,
}

/// The metrics of one launch.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct LaunchMetrics {
    /// Row of the launch in `Recorded`.
    pub(super) launch: u32,
    /// By row of the instruction in the program of the launch.
    pub(super) instructions: Vec<InstructionMetrics>,
    /// Bytes of a sector.
    pub(super) sector: u64,
    pub(super) tool: Option<ToolCount>,
}

impl LaunchMetrics {
    /// Instructions of all threads, active lanes of them, and those without an active lane.
    pub(super) fn totals(&self) -> (u64, u64, u64) {
        let add = |(n, lanes, off): (u64, u64, u64), of: &InstructionMetrics| {
            (n + of.executions, lanes + of.lanes, off + of.off)
        };
        self.instructions.iter().fold((0, 0, 0), add)
    }

    /// Whether instructions have the lanes of their whole block: no more than these ran.
    pub(super) fn is_at_most(&self) -> bool {
        self.instructions.iter().any(|of| 0 < of.of_block)
    }

    /// Instructions of all threads of which the lanes are known.
    pub(super) fn known(&self) -> u64 {
        self.instructions.iter().map(|of| of.executions.saturating_sub(of.unknown)).sum()
    }
}

/// Instructions get what [`Partings`] counted.
pub(super) fn keep_partings(instructions: &mut [InstructionMetrics], partings: Partings) {
    for (of, parted) in instructions.iter_mut().zip(partings.finish()) {
        (of.idle_behind, of.taken, of.taken_lanes) = (parted.behind, parted.taken, parted.taken_lanes);
    }
}

/// The metrics of all launches that have any, of readers and of [`measure`] alike.
pub(super) fn measured(trace: &Trace) -> &[LaunchMetrics] {
    trace.extensions.get::<Measured>().map_or(&[], |all| &all.launches)
}

/// The metrics of all launches that have any. Kept in `Trace::extensions`.
#[derive(Default)]
pub(super) struct Measured {
    /// Ascending by launch.
    pub(super) launches: Vec<LaunchMetrics>,
    /// The same added up by kernel, once everything is measured.
    pub(super) kernels: Vec<KernelSum>,
}

// Wavefronts of shared memory: passes over its 32 banks, each of which gives one word of 4 bytes in a pass.
//
// Lanes of up to 4 bytes go together, those of 8 a half of the warp at a time, those of 16 a quarter. Each such part takes
// as many passes as the most distinct words that it wants of one bank, and at least one: without conflicts an access of
// 128 bits takes four. That is how Nsight Compute counts wavefronts of shared memory.

/// Banks.
const BANKS: usize = 32;

/// The wavefronts of an access, and the fewest that would have done: one for each part with an active lane. Addresses are
/// those of the lanes of the mask.
fn bank_wavefronts(class: Class, (mask, addresses): (u32, &[u64]), width: u64) -> (u32, u32) {
    // Lanes that ask for the words of one address, or for words that follow each other.
    let is_aligned = addresses.first().is_some_and(|first| first.is_multiple_of(width.max(1)));
    let is_plain = is_aligned && width <= 16 && matches!(class, Class::Single | Class::Uniform | Class::Unit);
    let part = match width {
        0..=4 => 32,
        5..=8 => 16,
        _ => 8,
    };
    let (mut rest, mut sum, mut parts) = (addresses, 0, 0);
    for first in (0..32).step_by(part) {
        let lanes = (mask >> first) & (u32::MAX >> (32 - part));
        let (own, others) = rest.split_at(rest.len().min(lanes.count_ones() as usize));
        rest = others;
        if !own.is_empty() {
            parts += 1;
            sum += if is_plain { 1 } else { of_part(own, width) };
        }
    }
    (sum, parts)
}

fn of_part(addresses: &[u64], width: u64) -> u32 {
    let mut sorted = [0; BANKS];
    sorted.iter_mut().zip(addresses).for_each(|(to, from)| *to = *from);
    let sorted = sorted.get_mut(..addresses.len().min(BANKS)).unwrap_or_default();
    if !sorted.is_sorted() {
        sorted.sort_unstable();
    }
    let (mut of_bank, mut next, mut most) = ([0_u32; BANKS], 0, 0);
    for &mut address in sorted {
        let last = address.saturating_add(width.clamp(1, 16) - 1) / 4;
        for word in (address / 4).max(next)..=last {
            let bank = usize::try_from(word % 32).unwrap_or(0);
            if let Some(count) = of_bank.get_mut(bank) {
                *count += 1;
                most = most.max(*count);
            }
            next = word + 1;
        }
    }
    most
}
