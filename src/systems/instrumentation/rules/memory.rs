//! Rules about what moves to and from memory without need: bytes of lines that no lane asked for, local memory, atomics
//! that meet.

use super::{
    BARS, MOST, NO_ADDRESSES, Placed, bars, count, in_kernel, is_own, measured, more, nameless, percent,
    placed, runner,
};
use crate::analysis::finding::{Evidence, Finding, Number, Saving, Severity, share};
use crate::base::number::{thousands, with_unit};
use crate::base::order;
use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};
use crate::findings::place::Place;
use crate::findings::{Looked, Rule, RuleInput, Threshold};
use crate::model::code::CodeAddress;
use crate::systems::instrumentation::intel::access::{KeptSend, Sends};
use crate::systems::instrumentation::rules::accesses::nothing_seen;
use crate::systems::instrumentation::rules::summary::{has_accesses_only, instructions};
use crate::views::executions::compute::Space;

// Bytes of cache lines that no lane asked for, as tools of Intel count them.

/// Sends of Intel GPUs that move more than they use.
pub(super) static UNUSED: Rule = Rule {
    id: "instrumentation-unused-bytes",
    version: 2,
    title: phrase("Unused bytes moved"),
    thresholds: &[Threshold {
        name: phrase("share of all cache line bytes moved"),
        value: 0.02,
        unit: Unit::Share,
        source: phrase("our own choice: smaller effects are not worth fixing"),
    }],
    look: |input| {
        let Some(Sends(all)) = input.trace.extensions.get::<Sends>() else { return Looked::NotHere };
        let known = all.iter().filter(|one| one.access.bytes.is_some() && 0 < one.access.moved);
        let mut known: Vec<(&KeptSend, u64)> = known.map(|one| (one, unused(one))).collect();
        let moved: u64 = known.iter().map(|(one, _)| one.access.moved).fold(0, u64::saturating_add);
        if moved == 0 && all.iter().all(|one| one.access.executed == 0) {
            return Looked::NotHere;
        }
        if moved == 0 {
            return Looked::Missing(message(
                "no send has both the bytes per lane and the cache lines it moved",
            ));
        }
        let whole = moved as f64;
        order::sort_by_key(&mut known, |(_, n)| std::cmp::Reverse(*n));
        let sum: u64 = known.iter().map(|(_, n)| n).fold(0, |sum, n| sum.saturating_add(*n));
        let worth = |n: u64| UNUSED.limit(0) <= share(n as f64, whole);
        let others = known.iter().filter(|(_, n)| worth(*n)).map(|(one, _)| format!("{:#x}", one.address));
        let others = more(MOST, others);
        let rows: Vec<_> = known
            .iter()
            .take(BARS)
            .map(|(one, n)| {
                (format!("{:#x}", one.address), [one.access.moved.saturating_sub(*n) as f64, *n as f64])
            })
            .collect();
        let find = |(one, own): &(&KeptSend, u64)| {
            let access = &one.access;
            let part = share(*own as f64, whole);
            let (view, address) = send_place(input, one);
            Finding {
                subject: format!("{} {:#x}", one.kernel, one.address),
                severity: Severity::Warning,
                sentence: message("The send at {address} of {kernel} moves ⟦{n}⟧ of cache lines that no lane requested, {share} of all: {pattern}.")
                    .with("address", format!("{:#x}", one.address))
                    .with("kernel", &one.kernel)
                    .with("n", with_unit(*own as f64, &Unit::Bytes))
                    .with("share", percent(part))
                    .with_message("pattern", pattern(one)),
                line: message("{change}{more}").with_message("change", change(one)).with_message("more", others.clone()),
                value: *own as f64,
                unit: Unit::Bytes,
                saving: Saving::at_most(
                    *own as f64,
                    whole,
                    Unit::Bytes,
                    message("If its cache lines held only the bytes lanes requested, each lane its own. Savings in bytes, not time."),
                ).of(phrase("{share} of the bytes moved")),
                evidence: Evidence {
                    shown: message("the {k} sends with the most unused bytes, of {n}").with("k", rows.len()).with("n", thousands(known.len() as u64)),
                    figure: Some(bars(Unit::Bytes, [phrase("Used"), phrase("Not used")], rows.clone())),
                    numbers: vec![
                        Number::new(phrase("Bytes moved by this send"), access.moved as f64, Unit::Bytes),
                        Number::new(phrase("Bytes requested by its lanes"), asked(one) as f64, Unit::Bytes),
                        Number::new(phrase("Executions"), access.executed as f64, Unit::None),
                        Number::new(phrase("Unaligned"), access.unaligned as f64, Unit::None)
                            .note(percent(share(access.unaligned as f64, access.executed as f64))),
                        Number::new(phrase("Bytes moved by all sends"), whole, Unit::Bytes),
                        Number::new(phrase("Of these, unused"), sum as f64, Unit::Bytes).note(percent(share(sum as f64, whole))),
                    ],
                    how: message("Cache lines as counted by the tool, minus active lanes times bytes per lane. Sends whose lanes share addresses request more than they move: they count as 0."),
                    view: view.to_owned(),
                    address,
                    list: Place::view("details").address(),
                    ..Evidence::default()
                },
                ..UNUSED.finding()
            }
        };
        let found = known.iter().filter(|(_, n)| worth(*n)).take(MOST).map(find).collect();
        Looked::found_or(found, || {
            message("{n} of {all} moved by sends are unused, no send has {share} of all")
                .with("n", with_unit(sum as f64, &Unit::Bytes))
                .with("all", with_unit(whole, &Unit::Bytes))
                .with("share", percent(UNUSED.limit(0)))
        })
    },
};

/// Where a send is seen: in the listing, where there is one.
fn send_place(input: &RuleInput, one: &KeptSend) -> (&'static str, String) {
    if input.trace.code.listings.is_empty() {
        return ("details", Place::view("details").address());
    }
    let address = CodeAddress { listing: None, address: one.address };
    ("source", Place::view("source").instruction(address).address())
}

fn asked(one: &KeptSend) -> u64 {
    one.access.bytes.unwrap_or(0).saturating_mul(one.access.lanes)
}

fn unused(one: &KeptSend) -> u64 {
    one.access.moved.saturating_sub(asked(one))
}

fn pattern(one: &KeptSend) -> Message {
    match one.access.main_stride() {
        Some((stride, part)) if one.access.pattern() == "stride" => {
            message("stride {n} in {share} of lane pairs").with("n", stride).with("share", percent(part))
        }
        _ => message(one.access.pattern()),
    }
}

fn change(one: &KeptSend) -> Message {
    let access = &one.access;
    let is_unaligned = 2 * access.unaligned > access.executed;
    match access.pattern() {
        "stride" => message("Let neighboring lanes take neighboring elements (structure of arrays, interchanged loops), or load whole blocks and redistribute them."),
        "unit" if is_unaligned => message("Lanes are contiguous, but {n} of {all} executions start inside a cache line: align the start and length of rows.")
            .with("n", thousands(access.unaligned))
            .with("all", thousands(access.executed)),
        "unit" => message("Lanes are contiguous but fill only part of a cache line: let each lane access more bytes, or use more lanes."),
        "uniform" | "single" => message("All access one address: let one lane load it once for many, from constant memory or before the loop."),
        _ => message("Lanes gather from scattered addresses. Sort or group the indices, or store data that are read together next to each other."),
    }
}

// Local memory.

/// Accesses to local memory.
pub(super) static LOCAL: Rule = Rule {
    id: "instrumentation-local-memory",
    version: 2,
    title: phrase("Local memory"),
    thresholds: &[Threshold {
        name: phrase("share of all executed instructions or recorded accesses"),
        value: 0.01,
        unit: Unit::Share,
        source: phrase("our own choice: smaller effects are not worth fixing"),
    }],
    look: |input| {
        let Some((kernels, recorded)) = measured(input) else { return Looked::NotHere };
        let whole = instructions(kernels);
        let own = placed(kernels, recorded)
            .filter(|one| one.instruction.memory.is_some_and(|memory| memory.space == Space::Local));
        let mut own: Vec<_> = own.collect();
        order::sort_by_key(&mut own, |one| std::cmp::Reverse(one.sum.metrics.executions));
        let n: u64 = own.iter().map(|one| one.sum.metrics.executions).sum();
        let part = share(n as f64, whole as f64);
        let is_part = has_accesses_only(kernels, recorded);
        let Some(worst) = own.first().filter(|_| LOCAL.limit(0) <= part) else {
            if let Some(unknown) = nameless(kernels, recorded) {
                return unknown;
            }
            let said = if is_part {
                message("{n} of {all} recorded accesses go to local memory")
            } else {
                message("{n} of {all} instructions access local memory")
            };
            return Looked::Nothing(said.with("n", thousands(n)).with("all", thousands(whole)));
        };
        let (view, address) = worst.place(input.trace);
        let unit = count(if is_part { phrase("accesses") } else { phrase("instructions") });
        let rows = own
            .iter()
            .take(BARS)
            .map(|one| (one.label(), [one.sum.metrics.executions as f64, 0.0]))
            .collect();
        let launches = worst.kernel.launches.iter().filter_map(|row| recorded.launches.get(*row as usize));
        let mut facts = launches.flat_map(|launch| &launch.facts);
        let registers = facts.find(|(name, _)| name == "nregs").and_then(|(_, n)| n.parse::<f64>().ok());
        let mut numbers = vec![
            Number::new(phrase("Accesses to local memory"), n as f64, Unit::None).note(percent(part)),
            Number::new(phrase("Instructions causing them"), own.len() as f64, Unit::None),
        ];
        numbers.extend(registers.map(|n| Number::new(phrase("Registers per thread"), n, Unit::None)));
        let sentence = if is_part {
            message("⟦{n} accesses⟧ go to local memory, {share} of all recorded ones.")
        } else {
            message("⟦{n} instructions⟧ access local memory, {share} of all.")
        };
        Looked::Found(vec![Finding {
            severity: Severity::Warning,
            sentence: sentence.with("n", thousands(n)).with("share", percent(part)),
            line: message("Most come from {instruction}{kernel}. Registers spilled, or an array is indexed by values known only at run time: allow the kernel more registers, or unroll so that indices are constants.")
                .with_message("instruction", worst.name())
                .with_message("kernel", in_kernel(kernels, &worst.kernel.name)),
            value: n as f64,
            unit: unit.clone(),
            saving: Saving::at_most(
                n as f64,
                whole as f64,
                unit.clone(),
                message("If nothing were kept in local memory. Savings in instructions, not time."),
            ),
            evidence: Evidence {
                shown: message("the {k} of {n} such instructions executed most often").with("k", own.len().min(BARS)).with("n", own.len()),
                figure: Some(bars(unit, [phrase("Executions"), ""], rows)),
                numbers,
                how: message("Executions of local memory loads and stores by opcode (LDL, STL; sends to scratch). Generic loads that reach local memory are not detected."),
                view: view.to_owned(),
                address,
                list: Place::view("details").figure("instrumentation-instructions", &[]).address(),
                ..Evidence::default()
            },
            ..LOCAL.finding()
        }])
    },
};

// Atomics that meet.

/// Atomics whose lanes want one address.
pub(super) static ATOMICS: Rule = Rule {
    id: "instrumentation-atomics-meet",
    version: 2,
    title: phrase("Same-address atomics"),
    thresholds: &[Threshold {
        name: phrase("share of atomic lanes that collide with another lane of their instruction"),
        value: 0.5,
        unit: Unit::Share,
        source: phrase("our own choice: then at least half of them could be combined first"),
    }],
    look: |input| {
        let Some((kernels, recorded)) = measured(input) else {
            return if is_own(input.trace) { Looked::Missing(NO_ADDRESSES.into()) } else { Looked::NotHere };
        };
        let own = placed(kernels, recorded).filter_map(|one| {
            let memory = one.instruction.memory.filter(|of| of.is_atomic && of.space == Space::Global)?;
            let access = one.sum.metrics.access.as_deref().filter(|access| 0 < access.requested)?;
            // Lanes whose bytes another lane of the same execution has too.
            let bytes = u64::from(memory.bytes?);
            let met = access.requested.saturating_sub(access.unique).checked_div(bytes)?;
            Some((one, met, access.requested / bytes))
        });
        let mut own: Vec<(Placed, u64, u64)> = own.collect();
        order::sort_by_key(&mut own, |(_, met, _)| std::cmp::Reverse(*met));
        let sums = own.iter().fold((0, 0), |sum, of| (sum.0 + of.1, sum.1 + of.2));
        if sums.1 == 0 {
            let is_atomic = |one: &Placed| {
                one.instruction.memory.is_some_and(|of| of.is_atomic && of.space == Space::Global)
            };
            let unseen = placed(kernels, recorded).filter(is_atomic).map(|one| one.unseen()).sum();
            let none = message("no executed instruction is a global memory atomic");
            return nothing_seen(unseen, nameless(kernels, recorded), none);
        }
        let runner = runner(kernels, recorded);
        let worth = |(_, met, all): &&(Placed, u64, u64)| ATOMICS.limit(0) <= share(*met as f64, *all as f64);
        let others = more(MOST, own.iter().filter(worth).map(|(one, ..)| one.listed(kernels)));
        let rows: Vec<_> = own
            .iter()
            .take(BARS)
            .map(|(one, met, all)| (one.label(), [(all - met) as f64, *met as f64]))
            .collect();
        let find = |(one, met, all): &(Placed, u64, u64)| {
            let (view, address) = one.place(input.trace);
            Finding {
                subject: one.subject(),
                severity: Severity::Warning,
                sentence: message("⟦{n} of {all} lanes⟧ of {instruction}{kernel} collide with another lane of the same instruction at its address.")
                    .with("n", thousands(*met))
                    .with("all", thousands(*all))
                    .with_message("instruction", one.name())
                    .with_message("kernel", in_kernel(kernels, &one.kernel.name)),
                line: message("They are serialized: reduce within the {one} first (shuffles, match), or in shared memory, and let one lane do the atomic.{more}")
                    .with_message("one", runner.one)
                    .with_message("more", others.clone()),
                value: *met as f64,
                unit: count(phrase("lanes")),
                evidence: Evidence {
                    shown: message("the {k} of {n} atomics with the most colliding lanes").with("k", rows.len()).with("n", own.len()),
                    figure: Some(bars(count(phrase("lanes")), [phrase("Distinct"), phrase("Colliding")], rows.clone())),
                    numbers: vec![
                        Number::new(phrase("Lanes of this instruction"), *all as f64, Unit::None),
                        Number::new(phrase("Of these, colliding"), *met as f64, Unit::None).note(percent(share(*met as f64, *all as f64))),
                        Number::new(phrase("Lanes of all atomics"), sums.1 as f64, Unit::None),
                    ],
                    how: message("Lanes of an execution beyond its distinct addresses. Collisions with lanes of other {many} are not counted; their duration was not recorded.")
                        .with_message("many", runner.many),
                    view: view.to_owned(),
                    address,
                    list: Place::view("details").figure("instrumentation-instructions", &[]).address(),
                    ..Evidence::default()
                },
                ..ATOMICS.finding()
            }
        };
        let found = own.iter().filter(worth).take(MOST).map(find).collect();
        Looked::found_or(found, || {
            message("{n} of {all} atomic lanes collide with another lane of their instruction")
                .with("n", thousands(sums.0))
                .with("all", thousands(sums.1))
        })
    },
};
