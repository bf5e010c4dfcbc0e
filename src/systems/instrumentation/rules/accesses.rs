//! Rules about accesses to memory: sectors of global memory beyond the fewest, wavefronts of shared memory.
//!
//! Both are one question ([`Cost`]): what instructions take, and the fewest that would have done.

use super::{
    BARS, MOST, NO_ADDRESSES, Placed, bars, count, in_kernel, is_own, measured, more, nameless, percent,
    placed,
};
use crate::analysis::finding::{Evidence, Finding, Number, Saving, Severity, share};
use crate::base::number::{thousands, with_unit};
use crate::base::order;
use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};
use crate::findings::place::Place;
use crate::findings::{Looked, Rule, RuleInput, Threshold};
use crate::systems::instrumentation::intel::access::Sends;
use crate::systems::instrumentation::metrics::{AccessMetrics, Class, Loss, lost};
use crate::views::executions::compute::Space;

/// What accesses to a memory cost.
struct Cost {
    rule: &'static Rule,
    space: Space,
    /// What is counted.
    noun: &'static str,
    /// How many accesses take, and the fewest that would have done.
    of: fn(&AccessMetrics) -> (u64, u64),
    sentence: fn(&AccessMetrics) -> Message,
    change: fn(&Placed, &AccessMetrics) -> Message,
    /// Numbers of one instruction.
    numbers: fn(&AccessMetrics) -> Vec<Number>,
    /// The name of the number of all.
    all: &'static str,
    model: &'static str,
    shown: &'static str,
    how: fn(&Placed) -> Message,
    /// Said where no instruction accesses this memory, and where none has many.
    none: &'static str,
    few: &'static str,
    /// Said where all accesses are too few to conclude from.
    too_few: &'static str,
}

/// The instructions that access a memory, those that cost most first.
struct Costs<'a> {
    all: Vec<(Placed<'a>, &'a AccessMetrics)>,
    taken: u64,
    excess: u64,
    /// Accesses of which not all lanes have an address.
    unseen: u64,
}

impl Cost {
    fn excess(&self, access: &AccessMetrics) -> u64 {
        let (taken, fewest) = (self.of)(access);
        taken.saturating_sub(fewest)
    }

    /// Accesses of this memory with addresses, of kernels that are meant; `Err` where there is nothing to count.
    fn costs<'a>(&self, input: &RuleInput<'a>, is_meant: fn(&Placed) -> bool) -> Result<Costs<'a>, Looked> {
        let Some((kernels, recorded)) = measured(input) else {
            let is_own = is_own(input.trace);
            return Err(if is_own { Looked::Missing(NO_ADDRESSES.into()) } else { Looked::NotHere });
        };
        let (mut all, mut unseen, mut n_others) = (Vec::new(), 0, 0);
        let is_here = |one: &Placed| one.instruction.memory.is_some_and(|memory| memory.space == self.space);
        for one in placed(kernels, recorded).filter(is_here) {
            unseen += one.unseen();
            let Some(access) = one.sum.metrics.access.as_deref().filter(|access| 0 < access.active) else {
                continue;
            };
            if is_meant(&one) {
                all.push((one, access));
            } else {
                n_others += 1;
            }
        }
        let taken: u64 = all.iter().map(|(_, access)| (self.of)(access).0).sum();
        if taken == 0 && 0 < n_others {
            let said = message("{n} instructions access shared memory of a GPU with an unknown bank layout");
            return Err(Looked::Missing(said.with("n", thousands(n_others))));
        }
        if taken == 0 {
            return Err(nothing_seen(unseen, nameless(kernels, recorded), message(self.none)));
        }
        order::sort_by_key(&mut all, |(_, access)| std::cmp::Reverse(self.excess(access)));
        let excess = all.iter().map(|(_, access)| self.excess(access)).sum();
        Ok(Costs { all, taken, excess, unseen })
    }

    /// Instructions whose excess is at least the share of the rule.
    fn look(&self, input: &RuleInput, is_meant: fn(&Placed) -> bool) -> Looked {
        let costs = match self.costs(input, is_meant) {
            Ok(costs) => costs,
            Err(why) => return why,
        };
        let (limit, least) = (self.rule.limit(0), self.rule.limit(1));
        if (costs.taken as f64) < least {
            let said = message(self.too_few).with("n", thousands(costs.excess));
            let said = said.with("all", thousands(costs.taken));
            return Looked::Nothing(said.with("least", with_unit(least, &Unit::None)));
        }
        let is_much = |(_, access): &&(Placed, &AccessMetrics)| {
            limit <= share(self.excess(access) as f64, costs.taken as f64)
        };
        let kernels = measured(input).map_or(&[][..], |(kernels, _)| kernels);
        let others = more(MOST, costs.all.iter().filter(is_much).map(|(one, _)| one.listed(kernels)));
        let found = costs.all.iter().filter(is_much).take(MOST);
        let found = found.map(|(one, access)| self.finding(input, &costs, (one, access), &others)).collect();
        Looked::found_or(found, || {
            message(self.few)
                .with("n", thousands(costs.excess))
                .with("all", thousands(costs.taken))
                .with("share", percent(limit))
        })
    }

    fn finding(
        &self,
        input: &RuleInput,
        costs: &Costs,
        (one, access): (&Placed, &AccessMetrics),
        others: &Message,
    ) -> Finding {
        let kernels = measured(input).map_or(&[][..], |(kernels, _)| kernels);
        let (view, address) = one.place(input.trace);
        let (own, whole, unit) = (self.excess(access), costs.taken as f64, count(self.noun));
        let mut numbers = (self.numbers)(access);
        numbers.extend([
            Number::new(self.all, whole, Unit::None),
            Number::new(phrase("Of these, in excess"), costs.excess as f64, Unit::None)
                .note(percent(share(costs.excess as f64, whole))),
        ]);
        if 0 < costs.unseen {
            let name = phrase("Accesses without lane addresses (not counted)");
            numbers.push(Number::new(name, costs.unseen as f64, Unit::None));
        }
        let rows: Vec<_> = costs
            .all
            .iter()
            .take(BARS)
            .map(|(one, access)| (one.label(), [(self.of)(access).1 as f64, self.excess(access) as f64]))
            .collect();
        Finding {
            subject: one.subject(),
            severity: Severity::Warning,
            sentence: (self.sentence)(access)
                .with_message("instruction", one.name())
                .with_message("kernel", in_kernel(kernels, &one.kernel.name))
                .with("n", thousands(own))
                .with("share", percent(share(own as f64, whole))),
            line: message("{change}{more}")
                .with_message("change", (self.change)(one, access))
                .with_message("more", others.clone()),
            value: own as f64,
            unit: unit.clone(),
            saving: Saving::at_most(own as f64, whole, unit.clone(), message(self.model)),
            evidence: Evidence {
                shown: message(self.shown).with("k", rows.len()).with("n", thousands(costs.all.len() as u64)),
                figure: Some(bars(unit, [phrase("Fewest"), phrase("Excess")], rows)),
                numbers,
                how: (self.how)(one),
                view: view.to_owned(),
                address,
                list: Place::view("details").figure("instrumentation-instructions", &[]).address(),
                ..Evidence::default()
            },
            ..self.rule.finding()
        }
    }
}

/// What is said where no access of a kind has addresses.
pub(super) fn nothing_seen(unseen: u64, nameless: Option<Looked>, none: Message) -> Looked {
    if let Some(unknown) = nameless {
        return unknown;
    }
    if unseen == 0 {
        return Looked::Nothing(none);
    }
    let said = message(
        "{n} accesses were recorded without their width or an address per lane: choose records that have both",
    );
    Looked::Missing(said.with("n", thousands(unseen)))
}

// Sectors of global memory.

/// Instructions with more sectors than needed.
pub(super) static EXCESS: Rule = Rule {
    id: "instrumentation-excess-sectors",
    version: 3,
    title: phrase("Excess sectors"),
    thresholds: &[
        Threshold {
            name: phrase("share of all global memory sectors"),
            value: 0.02,
            unit: Unit::Share,
            source: phrase("our own choice: smaller effects are not worth fixing"),
        },
        Threshold {
            name: phrase("minimum global memory sectors"),
            value: 64.0,
            unit: Unit::None,
            source: phrase(
                "our own choice: two fully scattered accesses; fewer are too few for a conclusion",
            ),
        },
    ],
    look: |input| {
        // What its sends move is said in bytes.
        let sends = input.trace.extensions.get::<Sends>();
        if sends.is_some_and(|all| all.0.iter().any(|one| 0 < one.access.moved)) {
            return Looked::NotHere;
        }
        SECTORS.look(input, |_| true)
    },
};

static SECTORS: Cost = Cost {
    rule: &EXCESS,
    space: Space::Global,
    noun: phrase("sectors"),
    of: |access| (access.sectors, access.ideal),
    sentence: |access| {
        message("{instruction}{kernel} takes ⟦{n} sectors⟧ more than needed, {share} of all: {pattern}.")
            .with_message("pattern", lost(access))
    },
    change: change_of_sectors,
    numbers: |access| {
        let (each, used) = (access.sectored().max(1) as f64, access.efficiency().unwrap_or(0.0));
        vec![
            Number::new(phrase("Sectors of this instruction"), access.sectors as f64, Unit::None),
            Number::new(phrase("Minimum needed"), access.ideal as f64, Unit::None),
            Number::new(phrase("Executions with excess sectors"), access.uncoalesced as f64, Unit::None)
                .note(percent(share(access.uncoalesced as f64, access.sectored() as f64))),
            Number::new(phrase("Sectors per execution"), access.sectors as f64 / each, Unit::None),
            Number::new(phrase("Moved bytes used"), used, Unit::Share),
        ]
    },
    all: phrase("All global memory sectors"),
    model: phrase(
        "If each access used the minimum number of sectors for its distinct bytes. Savings in sectors, not time: caches hide a part.",
    ),
    shown: phrase("the {k} instructions with the most excess sectors, of {n} that access global memory"),
    how: |one| {
        message("Sectors of an execution are the distinct {bytes}-byte segments that its active lanes touch. The minimum is its distinct bytes divided by that size, rounded up. Summed over all launches of the kernel.")
            .with("bytes", one.kernel.sector)
    },
    none: phrase("no executed instruction accesses global memory"),
    few: phrase("{n} of {all} sectors of global memory are in excess, no instruction has {share} of all"),
    too_few: phrase("{n} of {all} sectors of global memory are in excess; a conclusion needs {least} in all"),
};

/// What to do about accesses that lie as those do that lose most.
fn change_of_sectors(one: &Placed, access: &AccessMetrics) -> Message {
    let sector = one.kernel.sector;
    let bytes = one.instruction.memory.and_then(|memory| memory.bytes).map_or(0, u64::from);
    let Some(loss) = access.worst() else { return Message::default() };
    let stride = loss.stride.unsigned_abs();
    match loss.class {
        Class::Stride if sector <= stride => message("Lanes are {stride} B apart: each uses {bytes} of the {sector} B that it moves. Let neighboring lanes take neighboring elements (structure of arrays, interchanged loops), or load a tile through shared memory.")
            .with("stride", thousands(stride))
            .with("bytes", bytes)
            .with("sector", sector),
        Class::Stride if bytes < stride => message("Lanes are {stride} B apart and use {bytes} B each. Place data that are used together next to each other (structure of arrays), or load whole elements with one wider access.")
            .with("stride", thousands(stride))
            .with("bytes", bytes),
        Class::Stride | Class::Unit => misaligned(loss, sector),
        Class::Segmented => message("Runs of neighboring lanes start or end inside a sector. Start runs at multiples of {sector} B and make their length a multiple too.")
            .with("sector", sector),
        Class::Irregular if access.has_short_runs() => message("Lanes access short runs of neighboring elements that lie apart, such as rows of a small matrix. Make rows longer, let them follow each other without gaps, or start each at a multiple of {sector} B.")
            .with("sector", sector),
        Class::Irregular => message("Lanes gather from scattered addresses. Sort or group the indices, store data that are read together next to each other, or keep reused data in shared memory."),
        Class::Single | Class::Uniform | Class::None => message("The element crosses a sector boundary: align it to its own size."),
    }
}

/// Lanes that lie next to each other, but not where sectors begin.
fn misaligned(loss: &Loss, sector: u64) -> Message {
    match loss.offset {
        Some(0) => message("Lanes are contiguous and start on a sector boundary, but end inside a sector.")
            .with("sector", sector),
        Some(offset) => message("Lanes are contiguous, but start {offset} B past a sector boundary: align the start and length of rows to {sector} B.")
            .with("offset", offset)
            .with("sector", sector),
        None => message("Lanes are contiguous, but start inside sectors, at varying offsets: align the start and length of rows to {sector} B.")
            .with("sector", sector),
    }
}

// Banks of shared memory.

/// Sectors of GPUs whose shared memory has 32 banks of 4 bytes: how many banks others have is not known.
const NVIDIA: u64 = 32;

/// Instructions that wait for banks.
pub(super) static BANKS: Rule = Rule {
    id: "instrumentation-bank-conflicts",
    version: 4,
    title: phrase("Bank conflicts"),
    thresholds: &[
        Threshold {
            name: phrase("share of all shared memory wavefronts"),
            value: 0.05,
            unit: Unit::Share,
            source: phrase("our own choice: smaller effects are not worth fixing"),
        },
        Threshold {
            name: phrase("minimum shared memory wavefronts"),
            value: 64.0,
            unit: Unit::None,
            source: phrase(
                "our own choice: two fully scattered accesses; fewer are too few for a conclusion",
            ),
        },
    ],
    look: |input| WAVEFRONTS.look(input, |one| one.kernel.sector == NVIDIA),
};

static WAVEFRONTS: Cost = Cost {
    rule: &BANKS,
    space: Space::Shared,
    noun: phrase("wavefronts"),
    of: |access| (access.shared.wavefronts, access.shared.ideal),
    sentence: |_| {
        message(
            "{instruction}{kernel} takes ⟦{n} wavefronts⟧ of shared memory more than without bank conflicts, {share} of all.",
        )
    },
    change: change_of_banks,
    numbers: |access| {
        let each = access.shared.wavefronts as f64 / access.shared.ideal.max(1) as f64;
        vec![
            Number::new(
                phrase("Wavefronts of this instruction"),
                access.shared.wavefronts as f64,
                Unit::None,
            ),
            Number::new(phrase("Minimum without conflicts"), access.shared.ideal as f64, Unit::None),
            Number::new(phrase("Multiple of the minimum"), each, Unit::None),
            Number::new(phrase("Executions"), access.shared.active as f64, Unit::None),
        ]
    },
    all: phrase("Shared memory wavefronts, total"),
    model: phrase(
        "If no access had conflicts. Savings in shared memory wavefronts, not time: other work may hide them.",
    ),
    shown: phrase("the {k} instructions with the most excess wavefronts, of {n} that access shared memory"),
    how: |_| {
        message(
            "Shared memory has 32 banks of 4 bytes, as on NVIDIA GPUs. An access takes as many wavefronts as the largest number of distinct words its lanes access in one bank; 8-byte lanes are served per half-warp, 16-byte lanes per quarter-warp.",
        )
    },
    none: phrase("no executed instruction accesses shared memory"),
    few: phrase("{n} of {all} shared memory wavefronts are in excess, no instruction has {share} of all"),
    too_few: phrase("{n} of {all} shared memory wavefronts are in excess; a conclusion needs {least} in all"),
};

/// What to do about conflicts of lanes that lie as most do.
fn change_of_banks(one: &Placed, access: &AccessMetrics) -> Message {
    let bytes = one.instruction.memory.and_then(|memory| memory.bytes).map_or(4, i64::from);
    match (access.class(), access.stride()) {
        (Class::Stride, Some(stride)) if bytes < stride.abs() => message("Lanes are {stride} B apart, so several access the same bank: pad array rows by one element, or change the order in which lanes take elements.")
            .with("stride", thousands(stride.abs())),
        _ => message("Several lanes access different words in the same bank: pad array rows, or swizzle the column by XOR with the row."),
    }
}
