//! Kernels: the hottest one, and those whose names say that they compute in single precision without tensor cores.

use super::memory::property;
use super::{OUR_CHOICE, bars, brief, devices};
use crate::analysis::device::dialect::{Dialect, Guide, Said};
use crate::analysis::device::{Class, KernelSum, launch_arg};
use crate::analysis::finding::{Evidence, Finding, Number, Severity};
use crate::base::number::{fixed, thousands, with_unit};
use crate::base::order;
use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};
use crate::findings::place::Place;
use crate::findings::trace::{percent, span_of};
use crate::findings::{Looked, Rule, RuleInput, Threshold};

/// Sums of what computes, the longest first, and of all together.
fn computing<'a>(input: &RuleInput<'a>) -> Option<(Vec<&'a KernelSum>, i128)> {
    let device = devices(input)?;
    let mut kernels: Vec<_> = device.kernels.iter().filter(|sum| sum.class == Class::Compute).collect();
    order::sort_by_key(&mut kernels, |sum| (std::cmp::Reverse(sum.total), sum.name));
    let all: i128 = kernels.iter().map(|sum| sum.total).sum();
    (0 < all).then_some((kernels, all))
}

/// By how many percent an occupancy that is told in whole ones may differ from what it is told of.
const ROUNDED: f64 = 1.0;

/// A multiprocessor: as the file says, or what the vendor's guide says of its compute capability, or the most that any has.
struct Multiprocessor {
    /// Threads that it holds.
    holds: f64,
    registers: f64,
    shared: Option<f64>,
    /// Of the shared memory of each block, what it takes itself.
    reserved: f64,
    guide: &'static Guide,
}

impl Multiprocessor {
    fn of(input: &RuleInput, number: Option<u64>) -> Option<Self> {
        let said = Dialect::of(input.trace).said;
        let ([threads, major, minor, registers, shared], guide) = (said.room, said.guide.as_ref()?);
        let property = |name: &str| property(input.trace, number, name).filter(|value| 0.0 <= *value);
        let some = |name: &str| property(name).filter(|value| 0.0 < *value);
        let capability = property(major);
        let of_capability = || {
            let (major, minor) = (capability? as u32, property(minor).map(|minor| minor as u32));
            let is_meant =
                |own: &&(u32, Option<u32>, f64)| own.0 == major && (own.1.is_none() || own.1 == minor);
            guide.fewer.iter().find(is_meant).map(|own| own.2)
        };
        Some(Self {
            holds: some(threads).or_else(of_capability).unwrap_or(guide.threads),
            registers: some(registers).unwrap_or(guide.registers),
            shared: some(shared),
            reserved: capability.filter(|major| guide.reserved.0 <= *major).map_or(0.0, |_| guide.reserved.1),
            guide,
        })
    }
}

/// What a launch was made with, by its arguments.
struct Launch {
    occupancy: Option<f64>,
    registers: Option<f64>,
    shared: Option<f64>,
    /// Threads of a block.
    threads: Option<f64>,
    blocks_per_sm: Option<f64>,
    /// Of its device, where it is known what one has.
    on: Option<Multiprocessor>,
}

fn launch(input: &RuleInput, args: &[(String, String)]) -> Launch {
    let device = args.iter().find(|(name, _)| name == "device");
    let device = device.and_then(|(_, value)| value.trim().parse().ok());
    let text = |at: usize| launch_arg(args, at);
    let number = |at: usize| text(at)?.trim().parse::<f64>().ok();
    let block = text(1).and_then(|text| {
        let parts = text.trim_matches(['[', ']', '(', ')']).split(',');
        parts.map(|part| part.trim().parse::<f64>().ok()).collect::<Option<Vec<f64>>>()
    });
    let threads = block.filter(|block| !block.is_empty()).map(|block| block.iter().product());
    Launch {
        occupancy: number(4),
        registers: number(2).filter(|n| 0.0 < *n),
        shared: number(3).filter(|n| 0.0 < *n),
        threads: threads.filter(|n| 0.0 < *n),
        blocks_per_sm: number(5).filter(|n| 0.0 < *n),
        on: Multiprocessor::of(input, device),
    }
}

impl Launch {
    /// Whole blocks for which a multiprocessor has registers, and shared memory; without end where that is not known.
    fn blocks(&self, on: &Multiprocessor, threads: f64) -> [f64; 2] {
        let &Guide { warp, register_unit, partitions, shared_unit, .. } = on.guide;
        let of_registers = |registers: f64| {
            let of_warp = (registers * warp / register_unit).ceil() * register_unit;
            let warps = (on.registers / of_warp / partitions).floor() * partitions;
            (warps / (threads / warp).ceil()).floor()
        };
        let of_shared = |(shared, all): (f64, f64)| {
            let of_block = ((shared + on.reserved) / shared_unit).ceil() * shared_unit;
            (all / of_block).floor()
        };
        let (registers, shared) =
            (self.registers.map(of_registers), self.shared.zip(on.shared).map(of_shared));
        [registers, shared].map(|blocks| blocks.unwrap_or(f64::INFINITY))
    }

    /// What lets no more threads run at once than the profiler estimates, behind that; nothing where none of what is known
    /// gives as many.
    fn limit(&self, occupancy: f64) -> Option<Message> {
        let (on, threads) = (self.on.as_ref()?, self.threads?);
        let [registers, shared] = self.blocks(on, threads);
        let whole = (on.holds / threads).floor();
        let grid = self.blocks_per_sm.unwrap_or(f64::INFINITY);
        let least = registers.min(shared).min(grid).min(whole);
        let room = least * threads;
        if ROUNDED < (room * 100.0 / on.holds - occupancy).abs() {
            return None;
        }
        let number = |n: f64| thousands(n.round() as u64);
        let bytes = |bytes: Option<f64>| with_unit(bytes.unwrap_or(0.0), &Unit::Bytes);
        let by_registers = (registers <= least).then_some(()).and(self.registers).map(number);
        let by_shared = (shared <= least).then(|| bytes(self.shared));
        let said = match (by_registers, by_shared) {
            _ if on.holds <= room => {
                message("; {registers} registers per thread allow all {room} threads that a multiprocessor holds")
                    .with("registers", number(self.registers?))
            }
            _ if whole <= least => return None,
            (Some(registers), Some(shared)) => message("; {registers} registers per thread and {shared} of shared memory per block each allow {room} threads on a multiprocessor")
                .with("registers", registers)
                .with("shared", shared),
            (Some(registers), None) => message("; {registers} registers per thread allow {room} threads on a multiprocessor with {all}")
                .with("registers", registers)
                .with("all", number(on.registers)),
            (None, Some(shared)) => message("; {shared} of shared memory per block allow {room} threads on a multiprocessor with {all}")
                .with("shared", shared)
                .with("all", bytes(on.shared)),
            (None, None) => message("; its grid has {n} blocks of {threads} threads per multiprocessor, {room} threads")
                .with("n", fixed(grid, 2))
                .with("threads", number(threads)),
        };
        Some(said.with("room", number(room)))
    }

    /// What it says of the occupancy, a sentence.
    fn said(&self) -> Option<Message> {
        if let Some(blocks) = self.blocks_per_sm.filter(|blocks| *blocks < 1.0) {
            return Some(
                message("Its grid has {blocks} blocks per multiprocessor: {share} of the multiprocessors get none.")
                    .with("blocks", fixed(blocks, 2))
                    .with("share", percent(1.0 - blocks)),
            );
        }
        let occupancy = self.occupancy?;
        Some(
            message("Occupancy {occupancy} % as estimated by the profiler{limit}.")
                .with("occupancy", fixed(occupancy, 0))
                .with_message("limit", self.limit(occupancy).unwrap_or_default()),
        )
    }

    fn numbers(&self) -> Vec<Number> {
        let of = [
            (phrase("Estimated occupancy"), self.occupancy, Unit::Percent),
            (phrase("Registers per thread"), self.registers, Unit::None),
            (phrase("Shared memory of a block"), self.shared, Unit::Bytes),
            (phrase("Threads of a block"), self.threads, Unit::None),
            (phrase("Blocks per SM"), self.blocks_per_sm, Unit::None),
        ];
        of.into_iter().filter_map(|(name, value, unit)| Some(Number::new(name, value?, unit))).collect()
    }
}

pub(super) static HOTTEST: Rule = Rule {
    id: "device-hottest-kernel",
    version: 4,
    title: phrase("Hottest kernel"),
    thresholds: &[Threshold {
        name: phrase("share of all compute"),
        value: 0.1,
        unit: Unit::Share,
        source: phrase("our own choice: a tenth of the work is worth a look"),
    }],
    look: |input| {
        let Some((kernels, all)) = computing(input) else { return Looked::NotHere };
        let Some(hottest) = kernels.first() else { return Looked::NotHere };
        let part = hottest.total as f64 / all as f64;
        let name = input.trace.strings.get(hottest.name);
        if part < HOTTEST.limit(0) {
            let said = message("the hottest of {n} kernels takes {share} of compute time");
            return Looked::Nothing(
                said.with("n", thousands(kernels.len() as u64)).with("share", percent(part)),
            );
        }
        let is_of_all = !devices(input)
            .is_some_and(|device| device.kernels.iter().any(|sum| sum.class == Class::Communication));
        let sentence = if is_of_all {
            message("{name} is the hottest kernel: ⟦{share}⟧ of compute time.")
        } else {
            message("{name} is the hottest kernel apart from communication: ⟦{share}⟧ of compute time.")
        };
        let launch = launch(input, &(input.args)(hottest.longest));
        let (total, unit) = input.time(hottest.total);
        let span = span_of(input, hottest.longest);
        let time = |sum: &KernelSum| input.time(sum.total).0;
        let figure = bars(
            unit.clone(),
            kernels.iter().take(5).map(|sum| (brief(input.trace.strings.get(sum.name)), time(sum))),
        );
        let calls = message("{n} calls of {median} (median).{limit}")
            .with("n", thousands(hottest.n))
            .with("median", with_unit(input.time(hottest.median.round() as i128).0, &unit));
        let limit = launch
            .said()
            .map_or(Message::default(), |said| message(" {sentence}").with_message("sentence", said));
        let mut numbers = vec![
            Number::new(phrase("Calls"), hottest.n as f64, Unit::None),
            Number::new(phrase("Sum"), total, unit.clone()).note(percent(part)),
            Number::new(phrase("Median"), input.time(hottest.median.round() as i128).0, unit.clone()),
            Number::new(phrase("Longest"), input.time(hottest.max).0, unit),
        ];
        numbers.extend(launch.numbers());
        Looked::Found(vec![Finding {
            subject: name.to_owned(),
            severity: Severity::Note,
            sentence: sentence.with("name", brief(name)).with("share", percent(part)),
            line: calls.with_message("limit", limit),
            value: part,
            unit: Unit::Share,
            evidence: Evidence {
                shown: message("the hottest of {n}").with("n", thousands(kernels.len() as u64)),
                figure: Some(figure),
                numbers,
                how: message(
                    "Total time of all kernels with this name on all streams and devices, compared with all compute kernels. Launch parameters are those of its longest call. Registers, shared memory and threads of a multiprocessor are those that the file gives, else 65,536 registers and 2,048 threads, or fewer by compute capability, as the vendor's programming guide has it; from compute capability 8.0 on 1 KiB of shared memory more is taken for each block; what limits the occupancy is named where it gives the estimated one.",
                ),
                view: "timeline".to_owned(),
                address: Place::view("timeline").around(span).slice(input.trace, hottest.longest).address(),
                list: Place::view("statistics").state("by", "kernels").address(),
                ..Evidence::default()
            },
            ..HOTTEST.finding()
        }])
    },
};

/// Whether the name of a kernel says that it multiplies in single precision without tensor cores. What says so begins a word:
/// the word for it also ends and begins inside of others.
fn is_single(words: &Said, name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let begins = |at: usize| !name[..at].ends_with(|c: char| c.is_ascii_alphanumeric());
    let is_said = words.single.iter().any(|text| name.match_indices(text).any(|(at, _)| begins(at)));
    is_said && !words.tensor.iter().any(|text| name.contains(text))
}

pub(super) static FULL: Rule = Rule {
    id: "device-single-precision",
    version: 2,
    title: phrase("Single precision, by name"),
    thresholds: &[Threshold {
        name: phrase("share of all compute"),
        value: 0.05,
        unit: Unit::Share,
        source: OUR_CHOICE,
    }],
    look: |input| {
        let Some((kernels, all)) = computing(input) else { return Looked::NotHere };
        let words = Dialect::of(input.trace).said;
        if words.single.is_empty() {
            return Looked::NotHere;
        }
        let is_meant = |sum: &&&KernelSum| is_single(words, input.trace.strings.get(sum.name));
        let own: Vec<&&KernelSum> = kernels.iter().filter(is_meant).collect();
        let sum: i128 = own.iter().map(|sum| sum.total).sum();
        let part = sum as f64 / all as f64;
        let Some(first) = own.first().filter(|_| FULL.limit(0) <= part) else {
            let said = message(
                "{n} of {all} kernels have single-precision names without tensor cores, {share} of compute time",
            );
            return Looked::Nothing(
                said.with("n", thousands(own.len() as u64))
                    .with("all", thousands(kernels.len() as u64))
                    .with("share", percent(part)),
            );
        };
        let (total, unit) = input.time(sum);
        let span = span_of(input, first.longest);
        let name = |sum: &KernelSum| brief(input.trace.strings.get(sum.name));
        Looked::Found(vec![Finding {
            severity: Severity::Note,
            sentence: message("Kernels with single-precision names take ⟦{share}⟧ of compute time.")
                .with("share", percent(part)),
            line: message("{n} names, the top one {name}. Tensor cores would need TF32 or 16-bit types, if the results allow it and the device has tensor cores; the names say no more.")
                .with("n", own.len())
                .with("name", name(first)),
            value: part,
            unit: Unit::Share,
            evidence: Evidence {
                shown: message("the longest of {n}").with("n", own.len()),
                figure: Some(bars(
                    unit.clone(),
                    own.iter().take(5).map(|sum| (name(sum), input.time(sum.total).0)),
                )),
                numbers: vec![
                    Number::new(phrase("Total of these"), total, unit.clone()).note(percent(part)),
                    Number::new(phrase("All compute"), input.time(all).0, unit),
                    Number::new(phrase("Calls"), own.iter().map(|sum| sum.n).sum::<u64>() as f64, Unit::None),
                ],
                how: message(words.precision),
                view: "timeline".to_owned(),
                address: Place::view("timeline").around(span).slice(input.trace, first.longest).address(),
                list: Place::view("statistics").state("by", "kernels").state("filter", "gemm").address(),
                ..Evidence::default()
            },
            ..FULL.finding()
        }])
    },
};
