//! Rules about where instructions go: blocks that dominate, threads that run much longer than others.

use super::{
    BARS, MOST, PlacedBlock, bars, blocks, called, count, is_own, measured, opcode, percent, place_of,
    runner, short,
};
use crate::analysis::finding::{Evidence, Finding, Number, Severity, share};
use crate::base::map::Map;
use crate::base::number::{fixed, percent_beside, thousands};
use crate::base::order;
use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};
use crate::findings::place::Place;
use crate::findings::{Looked, Rule, RuleInput, Threshold};
use crate::systems::instrumentation::metrics::{HARDWARE, KernelSum, Longest};
use crate::systems::instrumentation::rules::kinds::{CountedBlock, counted_blocks};
use crate::systems::instrumentation::rules::summary::{
    has_accesses_only, instructions, knows_runners, order_of,
};
use crate::views::executions::compute::{Block, Program};

/// Opcodes of a block that are named.
const OPCODES: usize = 4;

/// Blocks that dominate.
pub(super) static HOT: Rule = Rule {
    id: "instrumentation-hot-blocks",
    version: 1,
    title: phrase("Dominant blocks"),
    thresholds: &[Threshold {
        name: phrase("share of all executed instructions"),
        value: 0.2,
        unit: Unit::Share,
        source: phrase("our own choice: at most five blocks can reach this"),
    }],
    look: |input| {
        let missing = || {
            let said =
                message("no control flow recorded: the Accel-Sim tracer and Intel's instcount record it");
            if is_own(input.trace) { Looked::Missing(said) } else { Looked::NotHere }
        };
        let Some((kernels, recorded)) = measured(input) else {
            let (counted, is_again) = counted_blocks(input.trace);
            return if counted.is_empty() { missing() } else { hot_counted(input, counted, is_again) };
        };
        if has_accesses_only(kernels, recorded) {
            return missing();
        }
        let whole = instructions(kernels);
        let mut all = blocks(kernels, recorded);
        order::sort_by_key(&mut all, |one| std::cmp::Reverse(one.instructions));
        let part = |one: &PlacedBlock| share(one.instructions as f64, whole as f64);
        let rows = |at: usize| {
            let shown = all.iter().skip(at / BARS * BARS).take(BARS);
            shown.map(|one| (one.label(), [one.instructions as f64, 0.0])).collect::<Vec<_>>()
        };
        let find = |(at, one): (usize, &PlacedBlock)| {
            let (view, address) = place_of(input.trace, Some(one.kernel), one.program, one.block.first);
            let n = one.sum.counts.executions;
            Finding {
                subject: one.subject(),
                severity: Severity::Note,
                sentence: message("{block} accounts for ⟦{share} of all instructions⟧: {len} instructions, {n} times.")
                    .with_message("block", one.name(kernels))
                    .with("share", percent(part(one)))
                    .with("len", one.block.len)
                    .with("n", thousands(n)),
                line: message("Each instruction removed from it saves {n} of {all}. It consists of {opcodes}; {k} of its {len} instructions access memory.")
                    .with("n", thousands(n))
                    .with("all", thousands(whole))
                    .with("opcodes", opcodes(one.program, one.block))
                    .with("k", accesses(one.program, one.block))
                    .with("len", one.block.len),
                value: part(one),
                unit: Unit::Share,
                evidence: Evidence {
                    shown: message("the {k} hottest of {n} executed blocks")
                        .with("k", all.len().min(BARS))
                        .with("n", thousands(all.len() as u64)),
                    figure: Some(bars(count(phrase("instructions")), [phrase("Instructions"), ""], rows(at))),
                    numbers: vec![
                        Number::new(phrase("Instructions it executed"), one.instructions as f64, Unit::None)
                            .note(percent(part(one))),
                        Number::new(phrase("Executions"), n as f64, Unit::None),
                        Number::new(phrase("Its instructions"), f64::from(one.block.len), Unit::None),
                        Number::new(phrase("Memory accesses among these"), accesses(one.program, one.block) as f64, Unit::None),
                    ],
                    how: message("Instructions of the block over all launches, relative to all executed. No time was recorded: instructions do not all take equally long."),
                    view: view.to_owned(),
                    address,
                    list: Place::view("details").figure("plan-blocks", &[]).address(),
                    ..Evidence::default()
                },
                ..HOT.finding()
            }
        };
        let found = all.iter().enumerate().filter(|(_, one)| {
            // What runs once a thread is long, not hot.
            one.kernel.threads < one.sum.counts.executions && HOT.limit(0) <= part(one)
        });
        let found = found.take(MOST).map(find).collect();
        Looked::found_or(found, || {
            message("no block that runs more than once per {one} has {limit} of all instructions; the longest of {n} has {share}")
                .with_message("one", runner(kernels, recorded).one)
                .with("limit", percent(HOT.limit(0)))
                .with("n", thousands(all.len() as u64))
                .with("share", percent_beside(all.first().map_or(0.0, part), HOT.limit(0)))
        })
    },
};

/// The same of programs of which only counts are known.
fn hot_counted(input: &RuleInput, mut all: Vec<CountedBlock>, is_again: bool) -> Looked {
    order::sort_by(&mut all, |a, b| b.instructions.total_cmp(&a.instructions));
    let part = |one: &CountedBlock| share(one.instructions, one.whole);
    let (sentence, how) = counts_said(&all, is_again);
    let label = |one: &CountedBlock| {
        let at = one.program.address(one.block.first as usize).unwrap_or(0);
        (format!("{} {at:#x}", one.block.label), [one.instructions, 0.0])
    };
    let rows: Vec<_> = all.iter().take(BARS).map(label).collect();
    let find = |one: &CountedBlock| {
        let (view, address) = place_of(input.trace, None, one.program, one.block.first);
        let kernel = called(input, one.program, all.iter().map(|one| one.program));
        Finding {
            subject: format!("{kernel} {}", one.block.label),
            severity: Severity::Note,
            sentence: sentence
                .clone()
                .with_message("block", message("{block} of {kernel}").with("block", &one.block.label).with("kernel", kernel))
                .with("share", percent(part(one)))
                .with("len", one.block.len)
                .with("n", fixed(one.executions, 0)),
            line: message("Each instruction removed from it saves {n} of {all}. It consists of {opcodes}; {k} of its {len} instructions access memory.")
                .with("n", fixed(one.executions, 0))
                .with("all", fixed(one.whole, 0))
                .with("opcodes", opcodes(one.program, one.block))
                .with("k", accesses(one.program, one.block))
                .with("len", one.block.len),
            value: part(one),
            unit: Unit::Share,
            evidence: Evidence {
                shown: message("the {k} hottest of {n} executed blocks").with("k", rows.len()).with("n", all.len()),
                figure: Some(bars(count(phrase("instructions")), [phrase("Instructions"), ""], rows.clone())),
                numbers: vec![
                    Number::new(phrase("Instructions it executed"), one.instructions, Unit::None).note(percent(part(one))),
                    Number::new(phrase("Executions"), one.executions, Unit::None),
                    Number::new(phrase("Its instructions"), f64::from(one.block.len), Unit::None),
                ],
                how: how.clone(),
                view: view.to_owned(),
                address,
                list: Place::view("details").figure("plan-blocks", &[]).address(),
                ..Evidence::default()
            },
            ..HOT.finding()
        }
    };
    let found = all.iter().filter(|one| one.threads < one.executions && HOT.limit(0) <= part(one));
    let found = found.take(MOST).map(find).collect();
    Looked::found_or(found, || {
        message("no block that runs more than once per {one} has {limit} of all instructions; the longest of {n} has {share}")
            .with_message("one", HARDWARE.one)
            .with("limit", percent(HOT.limit(0)))
            .with("n", all.len())
            .with("share", percent_beside(all.iter().map(part).fold(0.0, f64::max), HOT.limit(0)))
    })
}

/// What is said of a block of which only counts are known, and how they were counted.
fn counts_said(all: &[CountedBlock], is_again: bool) -> (Message, Message) {
    let of_files =
        all.iter().any(|one| all.first().is_some_and(|first| first.program.entry != one.program.entry));
    let sentence = if of_files {
        message(
            "{block} accounts for ⟦{share} of all instructions of its file⟧: {len} instructions, {n} times.",
        )
    } else {
        message("{block} accounts for ⟦{share} of all instructions⟧: {len} instructions, {n} times.")
    };
    let how = if is_again {
        message(
            "Instruction counts of the block over all counts in the file; a kernel that a text and a JSON describe with the same counts is counted once. No time was recorded: instructions do not all take equally long.",
        )
    } else {
        message(
            "Instruction counts of the block over all counts in the file. No time was recorded: instructions do not all take equally long.",
        )
    };
    (sentence, how)
}

/// The most frequent opcodes of a block with how many there are: `FFMA 64, LDS 16`.
fn opcodes(program: &Program, block: &Block) -> String {
    let mut counts: Map<&str, u64> = Map::default();
    let own = program.instructions.iter().skip(block.first as usize).take(block.len as usize);
    own.for_each(|one| *counts.entry(opcode(&one.text)).or_default() += 1);
    let mut counts: Vec<(&str, u64)> = counts.into_iter().collect();
    order::sort_by_key(&mut counts, |(name, n)| (std::cmp::Reverse(*n), name.to_owned()));
    let named = counts.iter().take(OPCODES).map(|(name, n)| format!("{name} {n}"));
    let mut text = named.collect::<Vec<_>>().join(", ");
    if OPCODES < counts.len() {
        text.push_str(", …");
    }
    text
}

fn accesses(program: &Program, block: &Block) -> u64 {
    let own = program.instructions.iter().skip(block.first as usize).take(block.len as usize);
    own.filter(|one| one.memory.is_some()).count() as u64
}

// Threads that run much longer than others.

/// Launches whose longest thread runs much more than the mean.
pub(super) static UNEVEN: Rule = Rule {
    id: "instrumentation-uneven-threads",
    version: 2,
    title: phrase("Load imbalance"),
    thresholds: &[
        Threshold {
            name: phrase("instructions of the longest warp or thread, as a multiple of the mean"),
            value: 2.0,
            unit: Unit::None,
            source: phrase("our own choice: then it runs as long again as all others"),
        },
        Threshold {
            name: phrase("instructions of the longest warp or thread"),
            value: 1_000.0,
            unit: Unit::None,
            source: phrase("our own choice: shorter ones end before the next launch starts"),
        },
    ],
    look: |input| {
        let Some((kernels, recorded)) = measured(input) else { return Looked::NotHere };
        let is_part = has_accesses_only(kernels, recorded);
        let mut all: Vec<_> = kernels.iter().filter_map(|kernel| Some((kernel, kernel.longest?))).collect();
        let runner = runner(kernels, recorded);
        if !knows_runners(kernels, recorded) {
            let said = message("the records do not say which {one} made an access: choose records that do");
            return Looked::Missing(said.with_message("one", runner.one));
        }
        if all.is_empty() {
            return Looked::Missing(
                message("the work of each {one} was not recorded").with_message("one", runner.one),
            );
        }
        if let Some(why) = super::records::without(&super::records::absent(recorded), runner) {
            return Looked::Missing(why);
        }
        if all.iter().all(|(_, longest)| longest.threads < 2) {
            return Looked::Nothing(
                message("no launch has more than one {one}").with_message("one", runner.one),
            );
        }
        order::sort_by_key(&mut all, |(_, longest)| std::cmp::Reverse(longest.len));
        let worth = |(_, longest): &&(&KernelSum, Longest)| {
            UNEVEN.limit(0) <= longest.factor() && UNEVEN.limit(1) <= longest.len as f64
        };
        let find = |(kernel, longest): &(&KernelSum, Longest)| {
            let launch = recorded.launches.get(longest.launch as usize);
            let name = launch.map_or_else(String::new, |launch| {
                let thread = longest.thread as usize;
                [launch.threads.group_name(thread), launch.threads.name(thread)].join(" ").trim().to_owned()
            });
            let mean = longest.sum as f64 / longest.threads.max(1) as f64;
            let sentence = if is_part {
                message("{thread} of {kernel} has ⟦{n} accesses⟧, {factor} times the mean over {threads}.")
            } else {
                message(
                    "{thread} of {kernel} runs ⟦{n} instructions⟧, {factor} times the mean over {threads}.",
                )
            };
            Finding {
                subject: kernel.name.clone(),
                severity: Severity::Note,
                sentence: sentence
                    .with("thread", name)
                    .with("kernel", short(&kernel.name))
                    .with("n", thousands(longest.len))
                    .with("factor", fixed(longest.factor(), 1))
                    .with("threads", order_of(longest.threads, runner.many)),
                line: message(
                    "The launch lasts until its longest {one} ends: balance the work, or start the longest first.",
                )
                .with_message("one", runner.one),
                value: longest.len as f64,
                unit: count(if is_part { phrase("accesses") } else { phrase("instructions") }),
                evidence: Evidence {
                    shown: launch.map_or_else(Default::default, |launch| launch.name.clone().into()),
                    figure: Some(bars(
                        count(if is_part { phrase("accesses") } else { phrase("instructions") }),
                        [phrase("Instructions"), ""],
                        vec![
                            (phrase("Longest").to_owned(), [longest.len as f64, 0.0]),
                            (phrase("Mean").to_owned(), [mean, 0.0]),
                        ],
                    )),
                    numbers: vec![
                        Number::new(phrase("Longest"), longest.len as f64, Unit::None),
                        Number::new(phrase("Mean"), mean, Unit::None),
                        Number::new(runner.title, longest.threads as f64, Unit::None),
                    ],
                    how: message(
                        "Instructions of the blocks that a {one} ran, whole blocks each. Of a kernel's launches, the one whose longest {one} stands out most is reported.",
                    )
                    .with_message("one", runner.one),
                    view: "trace".to_owned(),
                    address: Place::view("trace")
                        .state("launch", &longest.launch.to_string())
                        .state("thread", &longest.thread.to_string())
                        .state("execution", &longest.execution.to_string())
                        .address(),
                    ..Evidence::default()
                },
                ..UNEVEN.finding()
            }
        };
        let found = all.iter().filter(worth).take(MOST).map(find).collect();
        Looked::found_or(found, || {
            let most = all.iter().max_by(|a, b| a.1.factor().total_cmp(&b.1.factor()));
            let (most, len) = most.map_or((0.0, 0), |(_, longest)| (longest.factor(), longest.len));
            let said = match (UNEVEN.limit(0) <= most, is_part) {
                (false, _) => message("the longest {one} of a launch runs at most {factor} times the mean"),
                (true, true) => message(
                    "the longest {one} of a launch makes {factor} times the mean, but only {n} accesses",
                ),
                (true, false) => message(
                    "the longest {one} of a launch runs {factor} times the mean, but only {n} instructions",
                ),
            };
            said.with_message("one", runner.one).with("factor", fixed(most, 1)).with("n", thousands(len))
        })
    },
};
