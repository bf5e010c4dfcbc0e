//! Rules about lanes: those that are idle while others of their instruction work, and instructions that no lane ran.

use super::{
    BARS, MOST, Placed, PlacedBlock, bars, blocks, count, in_kernel, is_own, lanes_of_row, measured, more,
    opcode, percent, place_of, placed, runner, short,
};
use crate::analysis::finding::{Evidence, Finding, Number, Saving, Severity, share};
use crate::base::number::{fixed, thousands};
use crate::base::order;
use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};
use crate::findings::place::Place;
use crate::findings::{Looked, Rule, RuleInput, Threshold};
use crate::systems::instrumentation::metrics::{KernelSum, Runner, knows_divergence};
use crate::systems::instrumentation::rules::kinds::counted_lanes;
use crate::systems::instrumentation::rules::summary::has_accesses_only;
use crate::views::executions::compute::{Launch, Naming, Recorded};

/// What records lanes, for rules that need them.
const NO_LANES: &str = phrase(
    "no active lanes recorded: the Accel-Sim tracer, NVBit's mem_trace and records of type simd have them",
);

/// Of all instructions of a kernel with an active lane: active lanes, and lanes there are.
fn lanes_of(kernel: &KernelSum) -> (u64, u64) {
    let all = kernel.rows.iter().map(|row| lanes_of_row(kernel, row));
    all.fold((0, 0), |sum, (lanes, room)| (sum.0 + lanes, sum.1 + room))
}

// Idle lanes.

/// Kernels whose lanes are idle while others of the same instruction work.
pub(super) static IDLE: Rule = Rule {
    id: "instrumentation-idle-lanes",
    version: 3,
    title: phrase("Idle lanes"),
    thresholds: &[Threshold {
        name: phrase("share of all lanes of instructions with an active lane"),
        value: 0.05,
        unit: Unit::Share,
        source: phrase("our own choice: smaller effects are not worth fixing"),
    }],
    look: |input| {
        let Some((kernels, recorded)) = measured(input) else {
            if let Some(sums) = counted_lanes(input.trace) {
                return idle_of_counts(sums);
            }
            return if is_own(input.trace) { Looked::Missing(NO_LANES.into()) } else { Looked::NotHere };
        };
        let mut all: Vec<(&KernelSum, u64, u64)> = kernels
            .iter()
            .map(|kernel| (kernel, lanes_of(kernel)))
            .map(|(kernel, (lanes, room))| (kernel, lanes, room))
            .collect();
        let (lanes, room) = all.iter().fold((0, 0), |sum, of| (sum.0 + of.1, sum.1 + of.2));
        if room == 0 {
            return Looked::Missing(NO_LANES.into());
        }
        let idle = |of: &(&KernelSum, u64, u64)| of.2.saturating_sub(of.1);
        order::sort_by_key(&mut all, |of| std::cmp::Reverse(idle(of)));
        // Where not one instruction less would do, nothing is to be saved.
        let worth = |of: &&(&KernelSum, u64, u64)| {
            IDLE.limit(0) <= share(idle(of) as f64, room as f64) && u64::from(of.0.lanes.max(1)) <= idle(of)
        };
        let others = more(MOST, all.iter().filter(worth).map(|of| short(&of.0.name).to_owned()));
        let found = all.iter().filter(worth).take(MOST);
        let found = found.map(|of| idle_in(input, (kernels, recorded), *of, &others)).collect();
        Looked::found_or(found, || {
            let said = if all.iter().all(|of| idle(of) < u64::from(of.0.lanes.max(1))) && lanes < room {
                message(
                    "{share} of the lanes of instructions with an active lane are idle: fewer lanes than one instruction has",
                )
            } else {
                message("{share} of the lanes of instructions with an active lane are idle")
            };
            said.with("share", percent(1.0 - share(lanes as f64, room as f64)))
        })
    },
};

/// Idle lanes of programs whose instructions were counted with their lanes.
fn idle_of_counts((lanes, room): (f64, f64)) -> Looked {
    let part = 1.0 - share(lanes, room);
    if part < IDLE.limit(0) {
        let said = message("{share} of the lanes of counted instructions were idle");
        return Looked::Nothing(said.with("share", percent(part)));
    }
    let unit = count(phrase("lanes"));
    Looked::Found(vec![Finding {
        severity: Severity::Warning,
        sentence: message("⟦{share} of the lanes⟧ of counted instructions were idle.")
            .with("share", percent(part)),
        line: message("Divergence points are unknown: control flow was not recorded with lanes."),
        value: part,
        unit: Unit::Share,
        saving: Saving::at_most(
            room - lanes,
            room,
            unit.clone(),
            message("If the same lane work filled whole instructions. Savings in lanes, not time."),
        ),
        evidence: Evidence {
            shown: message("lanes of all counted instructions"),
            figure: Some(bars(
                unit,
                [phrase("Active"), phrase("Idle")],
                vec![(phrase("Lanes").to_owned(), [lanes, room - lanes])],
            )),
            numbers: vec![
                Number::new(phrase("Active lanes"), lanes, Unit::None).note(percent(1.0 - part)),
                Number::new(phrase("Lanes of these instructions"), room, Unit::None),
            ],
            how: message(
                "Lanes as counted for each instruction, relative to its SIMD width times its executions. Instructions without lane counts are left out.",
            ),
            view: "source".to_owned(),
            address: Place::view("source").address(),
            ..Evidence::default()
        },
        ..IDLE.finding()
    }])
}

#[allow(clippy::too_many_lines)] // most of it is texts and tables
fn idle_in(
    input: &RuleInput,
    (kernels, recorded): (&[KernelSum], &Recorded),
    (kernel, lanes, room): (&KernelSum, u64, u64),
    others: &Message,
) -> Finding {
    let width = f64::from(kernel.lanes.max(1));
    let part = 1.0 - share(lanes as f64, room as f64);
    let whole: u64 = kernels.iter().flat_map(|kernel| &kernel.rows).map(|row| row.metrics.executions).sum();
    // All lanes that worked would fit into so many fewer instructions.
    let fewer = (room.saturating_sub(lanes) as f64 / width).floor();
    let is_at_most = kernel.rows.iter().any(|row| 0 < row.metrics.of_block);
    let mut own = blocks(std::slice::from_ref(kernel), recorded);
    let most = own.iter().map(|one| one.behind).max().filter(|behind| 0 < *behind);
    let mut branches = own.iter().filter(|one| Some(one.behind) == most);
    let branch =
        branches.next().map(|one| Branch { one, others: branches.count(), idle: room.saturating_sub(lanes) });
    let behind: u64 = own.iter().map(|one| one.behind).sum();
    let unfilled = unfilled((recorded, kernel), 1.0 - part);
    let can_save = unfilled.as_ref().is_none_or(|(_, can_save)| *can_save);
    let (line, place) = match unfilled {
        Some((line, _)) => (line, None),
        None => cause(input, (recorded, kernel), branch.as_ref()),
    };
    let idle = |one: &PlacedBlock| one.lanes.1.saturating_sub(one.lanes.0);
    let parts: u64 = own.iter().map(|one| one.sum.counts.parts).sum();
    order::sort_by_key(&mut own, |one| std::cmp::Reverse(idle(one)));
    let place = place.unwrap_or_else(|| {
        own.first().map_or_else(Default::default, |one| {
            place_of(input.trace, Some(kernel), one.program, one.block.first)
        })
    });
    let rows: Vec<_> = own
        .iter()
        .filter(|one| 0 < idle(one))
        .take(BARS)
        .map(|one| (one.label(), [one.lanes.0 as f64 / width, idle(one) as f64 / width]))
        .collect();
    let model = if is_at_most {
        message(
            "If all lanes were filled in fewer instructions. Lanes were recorded once per block execution: predicated instructions may have run with fewer, so the savings may be larger.",
        )
    } else {
        message(
            "If the same lane work filled whole instructions: active lanes divided by the lanes per instruction. Savings in instructions, not time.",
        )
    };
    let is_part = has_accesses_only(kernels, recorded);
    let unit = count(if is_part { phrase("accesses") } else { phrase("instructions") });
    let saving = if !can_save {
        Saving::default()
    } else if is_at_most {
        Saving::about(fewer, whole as f64, unit.clone(), model)
    } else {
        Saving::at_most(fewer, whole as f64, unit.clone(), model)
    };
    let known = parts != 0;
    let runner = runner(kernels, recorded);
    let mut numbers = vec![
        Number::new(phrase("Active lanes of an instruction, mean"), (1.0 - part) * width, Unit::None),
        Number::new(message("Lanes of a {one}").with_message("one", runner.one), width, Unit::None),
        Number::new(phrase("Instructions with an active lane"), room as f64 / width, Unit::None),
        Number::new(phrase("Instructions needed with full lanes"), lanes as f64 / width, Unit::None),
    ];
    if known {
        numbers.push(Number::new(
            phrase("Block executions after which lanes diverge"),
            parts as f64,
            Unit::None,
        ));
        let idle = Number::new(
            phrase("Idle lanes of these instructions"),
            (room - lanes.min(room)) as f64,
            Unit::None,
        );
        let name = phrase("Of these since they left at a jump");
        numbers.extend([
            idle,
            Number::new(name, behind as f64, Unit::None)
                .note(percent(share(behind as f64, room.saturating_sub(lanes) as f64))),
        ]);
    }
    Finding {
        subject: kernel.name.clone(),
        severity: Severity::Warning,
        sentence: message("⟦{share} of the lanes⟧{kernel} are idle while others work: {mean} of {lanes} are active on average.")
            .with("share", percent(part))
            .with_message("kernel", in_kernel(kernels, &kernel.name))
            .with("mean", fixed((1.0 - part) * width, 1))
            .with("lanes", kernel.lanes),
        line: message("{change}{more}").with_message("change", line).with_message("more", others.clone()),
        value: part,
        unit: Unit::Share,
        saving,
        evidence: Evidence {
            shown: message("blocks with the most idle lanes, in full-lane instructions"),
            figure: Some(bars(unit, [phrase("Active"), phrase("Idle")], rows)),
            numbers,
            how: message("Active lanes of all instructions that at least one lane ran, of all lanes that these have. Instructions that no lane ran count apart, and jumps of which only the lanes that take them are recorded are left out: the other lanes are there and go on. Lanes part at the end of a block where some of them take the jump and some do not; until they run again they count there."),
            view: place.0.to_owned(),
            address: place.1,
            list: Place::view("details").figure("instrumentation-kernels", &[]).address(),
            ..Evidence::default()
        },
        ..IDLE.finding()
    }
}

/// The jump behind which most lanes are idle.
struct Branch<'a> {
    /// The block that it ends.
    one: &'a PlacedBlock<'a>,
    /// How many others have as many.
    others: usize,
    /// All idle lanes.
    idle: u64,
}

/// What to do about groups whose threads fill no whole warps, which leaves lanes that no branch could use, where these are
/// most of the idle ones; and whether another group size would take fewer warps.
fn unfilled((recorded, kernel): (&Recorded, &KernelSum), active: f64) -> Option<(Message, bool)> {
    let product = |of: [u32; 3]| of.into_iter().fold(1, |all: u64, n| all.saturating_mul(n.into()));
    let launches = kernel.launches.iter().filter_map(|row| recorded.launches.get(*row as usize));
    let launches = launches.filter(|launch| matches!(launch.threads.naming, Naming::Warps { .. }));
    let sizes = launches.map(|launch| (product(launch.grid), product(launch.group)));
    let sizes: Vec<(u64, u64)> = sizes.filter(|(_, n)| 0 < *n).collect();
    let lanes = u64::from(kernel.lanes.max(1));
    let filled = |n: u64| n as f64 / n.div_ceil(lanes).saturating_mul(lanes) as f64;
    let (groups, n) = *sizes.iter().min_by(|a, b| filled(a.1).total_cmp(&filled(b.1)))?;
    if 2.0 * (1.0 - filled(n)) <= 1.0 - active || 1.0 <= filled(n) {
        return None;
    }
    // Of a grid that nobody says this is not known.
    let can_save = |(groups, n): &(u64, u64)| {
        let threads = groups.saturating_mul(*n);
        *groups == 0 || threads.div_ceil(lanes) < groups.saturating_mul(n.div_ceil(lanes))
    };
    let can_save = sizes.iter().any(can_save);
    let line = if can_save {
        message(
            "Groups of {n} threads fill {share} of the lanes of their warps: make the group size a multiple of {lanes} threads.",
        )
        .with("n", n)
    } else {
        message(
            "A launch of {n} threads uses {share} of the lanes of its warps, whatever its group size: give it more work, or merge it with another kernel.",
        )
        .with("n", groups.saturating_mul(n))
    };
    Some((line.with("share", percent(filled(n))).with("lanes", lanes), can_save))
}

/// Why lanes are idle, what to do, and where that is seen.
fn cause(
    input: &RuleInput,
    (recorded, kernel): (&Recorded, &KernelSum),
    branch: Option<&Branch>,
) -> (Message, Option<(&'static str, String)>) {
    let launches = || kernel.launches.iter().filter_map(|row| recorded.launches.get(*row as usize));
    let Some(Branch { one, others, idle }) = branch else {
        let line = if launches().any(knows_divergence) {
            message("No branch diverges: lanes exited early, or predicates switch them off.")
        } else {
            message("Divergence points are unknown: control flow was not recorded with lanes.")
        };
        return (line, None);
    };
    let last = one.block.first.saturating_add(one.block.len.max(1) - 1);
    let text = one.program.instructions.get(last as usize);
    let at = one.program.address(last as usize).map_or_else(String::new, |at| format!(" {at:#x}"));
    let source = text.and_then(|one| one.source.as_ref());
    let source = source.map_or_else(Message::default, |(file, line)| {
        let file = file.rsplit('/').next().unwrap_or(file);
        message(" ({file}:{line})").with("file", file).with("line", line)
    });
    let opcode = text.map_or("", |one| opcode(&one.text));
    let advice = advice(opcode, launches()).with_message("one", Runner::of(launches()).one);
    let ties = match others {
        0 => Message::default(),
        n => message(", as many as behind {n} others").with("n", n),
    };
    let line = message(
        "{share} of the idle lanes left at the {opcode}{at}{source} that ends {block}{ties}: lanes part there in {n} of {all} executions. {advice}",
    )
    .with("share", percent(share(one.behind as f64, *idle as f64)))
    .with_message("ties", ties)
    .with_message("advice", advice);
    let line = line
        .with("opcode", opcode)
        .with("at", at)
        .with_message("source", source)
        .with("block", &one.block.label)
        .with("n", thousands(one.sum.counts.parts))
        .with("all", thousands(one.sum.counts.executions));
    (line, Some(place_of(input.trace, Some(kernel), one.program, last)))
}

/// What to do about lanes that leave at an instruction.
fn advice<'a>(opcode: &str, mut launches: impl Iterator<Item = &'a Launch>) -> Message {
    // A grid of one group cannot be smaller.
    let has_groups = launches.any(|launch| 1 < launch.grid.iter().map(|n| u64::from(*n)).product::<u64>());
    match (["EXIT", "RET", "ret"].contains(&opcode), has_groups) {
        (true, true) => message("Give all lanes of a {one} work until its end, or launch a smaller grid."),
        (true, false) => message("Give all lanes of a {one} work until its end."),
        (false, _) => message(
            "Let lanes of a {one} take the same way (sort or group the work), or compute both ways without a jump.",
        ),
    }
}

// Instructions that no lane ran.

/// Opcodes of control flow: without a lane they still decide the way.
const CONTROL: [&str; 24] = [
    "BRA",
    "BRX",
    "BRXU",
    "JMP",
    "JMX",
    "EXIT",
    "RET",
    "CALL",
    "BREAK",
    "BSSY",
    "BSYNC",
    "BMOV",
    "WARPSYNC",
    "YIELD",
    "SSY",
    "SYNC",
    "PBK",
    "BRK",
    "KILL",
    "NANOSLEEP",
    "BAR",
    "DEPBAR",
    "NOP",
    "RPCMOV",
];

/// How many branches, exits and barriers ran without an active lane, where `n` others did.
fn apart(kernels: &[KernelSum], recorded: &Recorded, n: u64) -> Message {
    let all: u64 = placed(kernels, recorded).map(|one| one.sum.metrics.off).sum();
    match all.saturating_sub(n) {
        0 => Message::default(),
        more => message("; {n} of these did").with("n", thousands(more)),
    }
}

/// Instructions that run without an active lane.
pub(super) static OFF: Rule = Rule {
    id: "instrumentation-predicated-off",
    version: 1,
    title: phrase("Instructions without an active lane"),
    thresholds: &[Threshold {
        name: phrase("share of all executed instructions"),
        value: 0.02,
        unit: Unit::Share,
        source: phrase("our own choice: smaller effects are not worth fixing"),
    }],
    look: |input| {
        let Some((kernels, recorded)) = measured(input) else {
            return if is_own(input.trace) { Looked::Missing(NO_LANES.into()) } else { Looked::NotHere };
        };
        let rows = || kernels.iter().flat_map(|kernel| &kernel.rows);
        if rows().any(|row| 0 < row.metrics.of_block) {
            return Looked::Missing(message(
                "lanes were recorded once per block execution: choose records with lanes for each instruction",
            ));
        }
        let known: u64 = rows().map(|row| row.metrics.executions.saturating_sub(row.metrics.unknown)).sum();
        if known == 0 {
            return Looked::Missing(NO_LANES.into());
        }
        let off = placed(kernels, recorded).filter(|one| 0 < one.sum.metrics.off);
        let off = off.filter(|one| !CONTROL.contains(&opcode(&one.instruction.text)));
        let mut off: Vec<_> = off.collect();
        order::sort_by_key(&mut off, |one| std::cmp::Reverse(one.sum.metrics.off));
        let n: u64 = off.iter().map(|one| one.sum.metrics.off).sum();
        let part = share(n as f64, known as f64);
        let Some(worst) = off.first().filter(|_| OFF.limit(0) <= part) else {
            return Looked::Nothing(
                message("{n} of {all} instructions ran without an active lane, not counting branches, exits and barriers{control}")
                    .with("n", thousands(n))
                    .with("all", thousands(known))
                    .with_message("control", apart(kernels, recorded, n)),
            );
        };
        let rows = off.iter().take(BARS).map(|one| {
            let of = &one.sum.metrics;
            (one.label(), [of.executions.saturating_sub(of.off) as f64, of.off as f64])
        });
        let unit = count(phrase("instructions"));
        let (view, address) = worst.place(input.trace);
        let often = |one: &Placed| (one.sum.metrics.off, one.sum.metrics.executions);
        // All that did so as often, of as many executions, stand beside the one that is named.
        let ties = match off.iter().filter(|one| often(one) == often(worst)).count() {
            0 | 1 => Message::default(),
            n => message(", as {n} others did").with("n", n - 1),
        };
        let cut = off.get(BARS.max(1) - 1).zip(off.get(BARS));
        let shown = match cut.filter(|(last, next)| last.sum.metrics.off == next.sum.metrics.off) {
            None => message("the {k} of {n} such instructions that did so most often"),
            Some(_) => message(
                "{k} of {n} such instructions, the most frequent first; others did so as often as the last",
            ),
        };
        let all_off: u64 = placed(kernels, recorded).map(|one| one.sum.metrics.off).sum();
        let control = all_off.saturating_sub(n);
        Looked::Found(vec![Finding {
            severity: Severity::Warning,
            sentence: message("⟦{n} instructions⟧ ran without an active lane, {share} of all; branches, exits and barriers do not count.")
                .with("n", thousands(n))
                .with("share", percent(part)),
            line: message("They take an issue slot and do nothing; {instruction}{kernel} did so {k} of {all} times{ties}. Branch around long predicated-off stretches, or hoist the condition out of the loop.")
                .with_message("instruction", worst.name())
                .with_message("kernel", in_kernel(kernels, &worst.kernel.name))
                .with_message("ties", ties)
                .with("k", thousands(worst.sum.metrics.off))
                .with("all", thousands(worst.sum.metrics.executions)),
            value: n as f64,
            unit: unit.clone(),
            saving: Saving::at_most(
                n as f64,
                known as f64,
                unit.clone(),
                message("If none of them were issued. Savings in instructions, not time; the branches around them are not counted."),
            ),
            evidence: Evidence {
                shown: shown
                    .with("k", off.len().min(BARS))
                    .with("n", thousands(off.len() as u64)),
                figure: Some(bars(unit, [phrase("With an active lane"), phrase("Without")], rows.collect())),
                numbers: vec![
                    Number::new(phrase("Without an active lane"), n as f64, Unit::None).note(percent(part)),
                    Number::new(phrase("Branches, exits and barriers without an active lane"), control as f64, Unit::None).note(message("not counted")),
                    Number::new(phrase("Instructions with known lanes"), known as f64, Unit::None),
                ],
                how: message("Executions with an empty mask, out of all with recorded lanes. Branches, exits and barriers do not count: they control flow even without an active lane."),
                view: view.to_owned(),
                address,
                list: Place::view("details").figure("instrumentation-kernels", &[]).address(),
                ..Evidence::default()
            },
            ..OFF.finding()
        }])
    },
};
