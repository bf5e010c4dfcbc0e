//! Rules about accesses to memory: sectors of global memory beyond the fewest, passes over the banks of shared memory.

use super::{
    BARS, MOST, NO_ADDRESSES, Placed, bars, count, in_kernel, is_own, measured, more, percent, placed,
};
use crate::analysis::finding::{Evidence, Finding, Number, Saving, Severity, share};
use crate::base::number::thousands;
use crate::base::order;
use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};
use crate::findings::place::Place;
use crate::findings::{Looked, Rule, Threshold};
use crate::systems::instrumentation::intel::access::Sends;
use crate::systems::instrumentation::metrics::{AccessMetrics, Class, Loss, lost};
use crate::systems::instrumentation::rules::summary::knows_memory;
use crate::views::executions::compute::Space;

/// The instructions that access a memory and have addresses, and accesses of which not all lanes have one.
fn accesses<'a>(
    all: impl Iterator<Item = Placed<'a>>,
    space: Space,
) -> (Vec<(Placed<'a>, &'a AccessMetrics)>, u64) {
    let (mut found, mut unseen) = (Vec::new(), 0);
    for one in all.filter(|one| one.instruction.memory.is_some_and(|memory| memory.space == space)) {
        unseen += one.sum.metrics.unseen;
        if let Some(access) = one.sum.metrics.access.as_deref().filter(|access| 0 < access.active) {
            found.push((one, access));
        }
    }
    (found, unseen)
}

/// What is said where no access of a kind has addresses.
fn nothing_seen(unseen: u64, none: Message) -> Looked {
    if unseen == 0 {
        return Looked::Nothing(none);
    }
    let said = message(
        "{n} accesses were recorded without the address of each lane: choose records that have one for each lane",
    );
    Looked::Missing(said.with("n", thousands(unseen)))
}

/// What is not counted.
fn numbers_unseen(numbers: &mut Vec<Number>, unseen: u64) {
    if 0 < unseen {
        let name = phrase("Accesses without lane addresses (not counted)");
        numbers.push(Number::new(name, unseen as f64, Unit::None));
    }
}

// Sectors of global memory.

/// Instructions with more sectors than needed.
pub(super) static EXCESS: Rule = Rule {
    id: "instrumentation-excess-sectors",
    version: 1,
    title: phrase("Excess sectors"),
    thresholds: &[Threshold {
        name: phrase("share of all sectors of global accesses"),
        value: 0.02,
        unit: Unit::Share,
        source: phrase("our own choice: less changes little, whatever is done about it"),
    }],
    look: |input| {
        // What its sends move is said in bytes.
        if input
            .trace
            .extensions
            .get::<Sends>()
            .is_some_and(|all| all.0.iter().any(|one| 0 < one.access.moved))
        {
            return Looked::NotHere;
        }
        let Some((kernels, recorded)) = measured(input) else {
            return if is_own(input.trace) { Looked::Missing(NO_ADDRESSES.into()) } else { Looked::NotHere };
        };
        let (mut all, unseen) = accesses(placed(kernels, recorded), Space::Global);
        let sectors: u64 = all.iter().map(|(_, access)| access.sectors).sum();
        if sectors == 0 {
            if !knows_memory(kernels, recorded) {
                return Looked::Missing(message(
                    "records are addresses only: neither lanes nor opcodes were recorded",
                ));
            }
            return nothing_seen(unseen, message("no instruction accessed global memory"));
        }
        let excess: u64 = all.iter().map(|(_, access)| access.excess()).sum();
        let whole = sectors as f64;
        order::sort_by_key(&mut all, |(_, access)| std::cmp::Reverse(access.excess()));
        let worth = |access: &AccessMetrics| EXCESS.limit(0) <= share(access.excess() as f64, whole);
        let n = all.iter().filter(|(_, access)| worth(access)).count();
        let rows: Vec<_> = all
            .iter()
            .take(BARS)
            .map(|(one, access)| (one.label(), [access.ideal as f64, access.excess() as f64]))
            .collect();
        let find = |(one, access): &(Placed, &AccessMetrics)| {
            let (view, address) = one.place(input.trace);
            let own = access.excess();
            let part = share(own as f64, whole);
            let sentence = message(
                "{instruction}{kernel} takes ⟦{n} sectors⟧ more than needed, {share} of all: {pattern}.",
            );
            let mut numbers = vec![
                Number::new(phrase("Sectors of this instruction"), access.sectors as f64, Unit::None),
                Number::new(phrase("Fewest that would have done"), access.ideal as f64, Unit::None),
                Number::new(phrase("Executions with excess sectors"), access.uncoalesced as f64, Unit::None)
                    .note(percent(share(access.uncoalesced as f64, access.sectored() as f64))),
                Number::new(
                    phrase("Sectors per execution"),
                    access.sectors as f64 / access.sectored().max(1) as f64,
                    Unit::None,
                ),
                Number::new(
                    phrase("Bytes used of those moved"),
                    access.efficiency().unwrap_or(0.0),
                    Unit::Share,
                ),
                Number::new(phrase("Sectors of all global accesses"), whole, Unit::None),
                Number::new(phrase("Of these beyond the fewest"), excess as f64, Unit::None)
                    .note(percent(share(excess as f64, whole))),
            ];
            numbers_unseen(&mut numbers, unseen);
            Finding {
                subject: one.subject(),
                severity: Severity::Warning,
                sentence: sentence
                    .with_message("instruction", one.name())
                    .with_message("kernel", in_kernel(kernels, &one.kernel.name))
                    .with("n", thousands(own))
                    .with("share", percent(part))
                    .with_message("pattern", lost(access)),
                line: message("{change}{more}")
                    .with_message("change", change(one, access))
                    .with_message("more", more(n)),
                value: own as f64,
                unit: count(phrase("sectors")),
                saving: Saving::at_most(
                    own as f64,
                    whole,
                    count(phrase("sectors")),
                    message("If each access took the fewest sectors that hold its distinct bytes. Of sectors, not of time: caches hide a part."),
                ),
                evidence: Evidence {
                    shown: message("the {k} instructions with the most excess sectors, of {n} that access global memory")
                        .with("k", rows.len())
                        .with("n", thousands(all.len() as u64)),
                    figure: Some(bars(count(phrase("sectors")), [phrase("Fewest"), phrase("Excess")], rows.clone())),
                    numbers,
                    how: message("Sectors of an execution are the distinct stretches of {bytes} bytes that its active lanes touch. The fewest are its distinct bytes, divided by that and rounded up. Added up over all launches of the kernel.")
                        .with("bytes", one.kernel.sector),
                    view: view.to_owned(),
                    address,
                    list: Place::view("details").figure("instrumentation-instructions", &[]).address(),
                    ..Evidence::default()
                },
                ..EXCESS.finding()
            }
        };
        let found = all.iter().filter(|(_, access)| worth(access)).take(MOST).map(find).collect();
        Looked::found_or(found, || {
            message("{n} of {all} sectors of global accesses are beyond the fewest, no instruction has {share} of all")
                .with("n", thousands(excess))
                .with("all", thousands(sectors))
                .with("share", percent(EXCESS.limit(0)))
        })
    },
};

/// What to do about accesses that lie as those do that lose most.
fn change(one: &Placed, access: &AccessMetrics) -> Message {
    let sector = one.kernel.sector;
    let bytes = one.instruction.memory.map_or(0, |memory| u64::from(memory.bytes));
    let Some(loss) = access.worst() else { return Message::default() };
    let stride = loss.stride.unsigned_abs();
    match loss.class {
        Class::Stride if sector <= stride => message("Lanes lie {stride} B apart: each uses {bytes} of the {sector} B that it moves. Let neighboring lanes take neighboring elements (an array for each field, loops swapped), or load a tile through shared memory.")
            .with("stride", thousands(stride))
            .with("bytes", bytes)
            .with("sector", sector),
        Class::Stride if bytes < stride => message("Lanes lie {stride} B apart and use {bytes} B each. Put what is used together next to each other (an array for each field), or take whole elements with one wider access.")
            .with("stride", thousands(stride))
            .with("bytes", bytes),
        Class::Stride | Class::Unit => misaligned(loss, sector),
        Class::Segmented => message("Runs of neighboring lanes begin or end inside of a sector. Let runs begin at multiples of {sector} B and be as long.")
            .with("sector", sector),
        Class::Irregular => message("Lanes gather from scattered addresses. Sort or group the indices, store what is read together side by side, or keep what is reused in shared memory."),
        Class::Single | Class::Uniform | Class::None => message("The element crosses the border of a sector: align it to its own size."),
    }
}

/// Lanes that lie next to each other, but not where sectors begin.
fn misaligned(loss: &Loss, sector: u64) -> Message {
    match loss.offset {
        Some(0) => message("Lanes lie next to each other and begin at the border of a sector, but end inside of one.")
            .with("sector", sector),
        Some(offset) => message("Lanes lie next to each other, but begin {offset} B behind the border of a sector: align the begin and the length of rows to {sector} B.")
            .with("offset", offset)
            .with("sector", sector),
        None => message("Lanes lie next to each other, but begin inside of sectors, not always at the same place: align the begin and the length of rows to {sector} B.")
            .with("sector", sector),
    }
}

// Banks of shared memory.

/// Sectors of GPUs whose shared memory has 32 banks of 4 bytes.
const NVIDIA: u64 = 32;

/// Instructions that wait for banks.
pub(super) static BANKS: Rule = Rule {
    id: "instrumentation-bank-conflicts",
    version: 1,
    title: phrase("Bank conflicts"),
    thresholds: &[Threshold {
        name: phrase("share of all passes over the banks of shared memory"),
        value: 0.05,
        unit: Unit::Share,
        source: phrase("our own choice: less changes little, whatever is done about it"),
    }],
    look: |input| {
        let Some((kernels, recorded)) = measured(input) else {
            return if is_own(input.trace) { Looked::Missing(NO_ADDRESSES.into()) } else { Looked::NotHere };
        };
        let (all, unseen) = accesses(placed(kernels, recorded), Space::Shared);
        let n_all = all.len();
        // How many banks others have is not known.
        let (mut all, others): (Vec<_>, Vec<_>) =
            all.into_iter().partition(|(one, _)| one.kernel.sector == NVIDIA);
        let waves: u64 = all.iter().map(|(_, access)| access.shared.wavefronts).sum();
        if waves == 0 && !others.is_empty() {
            let said =
                message("{n} instructions access shared memory of a GPU whose banks are not known here");
            return Looked::Missing(said.with("n", thousands(n_all as u64)));
        }
        if waves == 0 {
            if !knows_memory(kernels, recorded) {
                return Looked::Missing(message(
                    "records are addresses only: neither lanes nor opcodes were recorded",
                ));
            }
            return nothing_seen(unseen, message("no instruction accessed shared memory"));
        }
        let excess: u64 = all.iter().map(|(_, access)| access.shared.excess()).sum();
        let whole = waves as f64;
        order::sort_by_key(&mut all, |(_, access)| std::cmp::Reverse(access.shared.excess()));
        let worth = |access: &AccessMetrics| BANKS.limit(0) <= share(access.shared.excess() as f64, whole);
        let n = all.iter().filter(|(_, access)| worth(access)).count();
        let rows: Vec<_> = all
            .iter()
            .take(BARS)
            .map(|(one, access)| (one.label(), [access.shared.ideal as f64, access.shared.excess() as f64]))
            .collect();
        let find = |(one, access): &(Placed, &AccessMetrics)| {
            let (view, address) = one.place(input.trace);
            let own = access.shared.excess();
            let each = access.shared.wavefronts as f64 / access.shared.ideal.max(1) as f64;
            let sentence = message(
                "{instruction}{kernel} takes ⟦{n} passes⟧ over the banks of shared memory more than without conflicts, {share} of all.",
            );
            let mut numbers = vec![
                Number::new(
                    phrase("Passes of this instruction"),
                    access.shared.wavefronts as f64,
                    Unit::None,
                ),
                Number::new(phrase("Fewest without conflicts"), access.shared.ideal as f64, Unit::None),
                Number::new(phrase("Passes for one that would do"), each, Unit::None),
                Number::new(phrase("Executions"), access.shared.active as f64, Unit::None),
                Number::new(phrase("Passes of all shared accesses"), whole, Unit::None),
                Number::new(phrase("Of these beyond the fewest"), excess as f64, Unit::None)
                    .note(percent(share(excess as f64, whole))),
            ];
            numbers_unseen(&mut numbers, unseen);
            Finding {
                subject: one.subject(),
                severity: Severity::Warning,
                sentence: sentence
                    .with_message("instruction", one.name())
                    .with_message("kernel", in_kernel(kernels, &one.kernel.name))
                    .with("n", thousands(own))
                    .with("share", percent(share(own as f64, whole))),
                line: message("{change}{more}")
                    .with_message("change", change_of_banks(one, access))
                    .with_message("more", more(n)),
                value: own as f64,
                unit: count(phrase("passes")),
                saving: Saving::at_most(
                    own as f64,
                    whole,
                    count(phrase("passes")),
                    message(
                        "If no access had conflicts. Of passes over shared memory, not of time: other work may hide them.",
                    ),
                ),
                evidence: Evidence {
                    shown: message(
                        "the {k} instructions with the most excess passes, of {n} that access shared memory",
                    )
                    .with("k", rows.len())
                    .with("n", thousands(all.len() as u64)),
                    figure: Some(bars(
                        count(phrase("passes")),
                        [phrase("Fewest"), phrase("Excess")],
                        rows.clone(),
                    )),
                    numbers,
                    how: message(
                        "Shared memory has 32 banks of 4 bytes, as on NVIDIA GPUs. An access takes as many passes as the most distinct words that its lanes want of one bank; lanes of 8 bytes go in halves of the warp, those of 16 in quarters.",
                    ),
                    view: view.to_owned(),
                    address,
                    list: Place::view("details").figure("instrumentation-instructions", &[]).address(),
                    ..Evidence::default()
                },
                ..BANKS.finding()
            }
        };
        let found = all.iter().filter(|(_, access)| worth(access)).take(MOST).map(find).collect();
        Looked::found_or(found, || {
            message("{n} of {all} passes over the banks of shared memory are beyond the fewest, no instruction has {share} of all")
                .with("n", thousands(excess))
                .with("all", thousands(waves))
                .with("share", percent(BANKS.limit(0)))
        })
    },
};

/// What to do about conflicts of lanes that lie as most do.
fn change_of_banks(one: &Placed, access: &AccessMetrics) -> Message {
    let bytes = one.instruction.memory.map_or(4, |memory| i64::from(memory.bytes));
    match (access.class(), access.stride()) {
        (Class::Stride, Some(stride)) if bytes < stride.abs() => message("Lanes lie {stride} B apart, so that several want one bank: pad rows of the array by one element, or change the order in which lanes take elements.")
            .with("stride", thousands(stride.abs())),
        _ => message("Several lanes want different words of one bank: pad rows of the array, or mix the row into the column by exclusive or."),
    }
}
