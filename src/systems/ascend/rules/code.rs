//! Rules on code: the hottest line with its share and stall, and what instructions say of moves and conflicts.

use super::caches::CONFLICTS_RULE;
use super::memory::Moves;
use super::{bars, details, of_100};
use crate::analysis::finding::{Evidence, Finding, Number, Saving, Severity, share};
use crate::base::number::{fixed, thousands, with_unit};
use crate::base::unit::Unit;
use crate::base::words::{message, phrase};
use crate::findings::place::Place;
use crate::findings::trace::percent;
use crate::findings::{Looked, Rule, RuleInput, Threshold};
use crate::model::code::{ALL_CORES_NAME, CodeAddress, ListingKind};
use crate::model::figure::BarRole;
use crate::systems::ascend::MOVES;
use crate::systems::ascend::kernel::ANALYSIS;
use crate::systems::ascend::kernel::code::{CodeSums, HotRow};
use crate::systems::ascend::kernel::sums::Sums;

/// The hottest lines, or instructions where no line is known.
pub(super) struct Hottest {
    pub(super) title: &'static str,
    pub(super) rows: Vec<Row>,
    pub(super) n: usize,
    /// Of all instructions, or where these are not known of all lines; in this unit.
    pub(super) total: f64,
    pub(super) unit: Unit,
    is_lines: bool,
    is_of_lines: bool,
}

/// One of them.
pub(super) struct Row {
    /// `k.cpp:17`, or an address.
    pub(super) name: String,
    pub(super) text: String,
    pub(super) cost: f64,
    pub(super) address: String,
    stalled: Option<f64>,
}

/// What the code of an operator costs.
fn code<'a>(input: &RuleInput<'a>) -> Option<&'a CodeSums> {
    input.result::<Sums>(&ANALYSIS).map(|sums| &sums.code)
}

/// Letters of a line that are told.
const LETTERS: usize = 60;

pub(super) fn hottest(input: &RuleInput) -> Option<Hottest> {
    let code = code(input)?;
    let is_lines = !code.lines.rows.is_empty();
    let hot = if is_lines { &code.lines } else { &code.instructions };
    if hot.rows.is_empty() {
        return None;
    }
    // A line may hold the instructions of lines that it calls, so lines may add up to more than there is.
    let most = hot.rows.first().map_or(0.0, |row| row.cost);
    // Where a line costs more than all instructions, these are not all.
    let is_alike = is_lines && code.instructions.unit == hot.unit && most <= code.instructions.total;
    let total = if is_alike { code.instructions.total } else { hot.total };
    let row = |row: &HotRow| {
        let listing = input.trace.code.listings.get(row.listing)?;
        let file = listing.title.rsplit('/').next().unwrap_or(&listing.title);
        let address = listing.address.get(row.row).copied();
        let line = u32::try_from(row.row + 1).unwrap_or(u32::MAX);
        let place = if row.is_of_several {
            Place::view("source").state("core", ALL_CORES_NAME)
        } else {
            Place::view("source")
        };
        let place = match address.filter(|_| listing.kind == ListingKind::Assembly) {
            Some(address) => place.with(|route| {
                route.selection.address = Some(CodeAddress { listing: None, address });
            }),
            None => place.line(&listing.title, line),
        };
        Some(Row {
            name: address.map_or_else(|| format!("{file}:{line}"), |address| format!("{address:#x}")),
            text: listing.lines.get(row.row).trim().chars().take(LETTERS).collect(),
            cost: row.cost,
            address: place.address(),
            stalled: row.stalled,
        })
    };
    Some(Hottest {
        title: if is_lines { phrase("Hottest lines") } else { phrase("Hottest instructions") },
        rows: hot.rows.iter().filter_map(row).collect(),
        n: hot.n,
        total,
        unit: hot.unit.clone(),
        is_lines,
        is_of_lines: is_lines && !is_alike,
    })
}

/// Whether something of an operator is there, though not the code.
fn is_ours(input: &RuleInput) -> bool {
    !super::operators(input.trace).is_empty() || super::seen::sums(input).is_some()
}

/// What costs are shares of, in words.
struct Whole {
    name: &'static str,
    model: &'static str,
    share: &'static str,
    how: &'static str,
}

/// All instructions, or all lines.
fn whole(is_of_lines: bool) -> Whole {
    if is_of_lines {
        return Whole {
            name: phrase("All lines"),
            model: phrase(
                "Relative to the cost of all lines on all cores. Pipes work in parallel, so the time may shrink by less.",
            ),
            share: phrase("{share} of all lines"),
            how: phrase(
                "Cost of each line as given in the file, summed over all cores, relative to all lines. Lines with the same addresses count once; a line may include the instructions of what it calls, which then count again.",
            ),
        };
    }
    Whole {
        name: phrase("All instructions"),
        model: phrase(
            "Relative to the cost of all instructions on all cores. Pipes work in parallel, so the time may shrink by less.",
        ),
        share: phrase("{share} of all instructions"),
        how: phrase(
            "Cost of each line or instruction as given in the file, summed over all cores, relative to all instructions. A line may include the instructions of what it calls.",
        ),
    }
}

pub(super) static HOTTEST: Rule = Rule {
    id: "ascend-hottest-line",
    version: 2,
    title: phrase("Hottest line"),
    thresholds: &[Threshold {
        name: phrase("share of the cycles of all instructions"),
        value: 0.1,
        unit: Unit::Share,
        source: phrase("our own choice: with less, several lines would have to change"),
    }],
    look: |input| {
        let Some(hot) = hottest(input) else {
            return if is_ours(input) {
                Looked::Missing(message(
                    "no line has a cost: compile the kernel with -g and record with --aic-metrics=Source, or with msprof op simulator",
                ))
            } else {
                Looked::NotHere
            };
        };
        let Some(first) = hot.rows.first() else { return Looked::NotHere };
        let part = share(first.cost, hot.total);
        if part < HOTTEST.limit(0) {
            let said = message("the hottest, {name}, accounts for {n} of the total cost");
            return Looked::Nothing(said.with("name", &first.name).with("n", percent(part)));
        }
        let stalled =
            code(input).and_then(|code| code.instructions.rows.first()?.stalled).filter(|_| !hot.is_lines);
        let stall = stalled.or(first.stalled).map(|cycles| (cycles, share(cycles, first.cost)));
        let sentence = match (hot.is_lines, hot.is_of_lines) {
            (_, true) => message("Line {name} accounts for ⟦{n}⟧ of the cost of all lines."),
            (true, _) => message("Line {name} accounts for ⟦{n}⟧ of the cost of all instructions."),
            _ => message("Instruction {name} accounts for ⟦{n}⟧ of the total cost."),
        };
        let whole = whole(hot.is_of_lines);
        let line = match &stall {
            Some((cycles, _)) if 0.0 < *cycles => {
                message("{text}: {cost}, and {stall} of stalls before it. Check what it waits for.")
                    .with("stall", with_unit(*cycles, &hot.unit))
            }
            _ => message("{text}: {cost}. Optimizing here pays off most."),
        };
        let text = if first.text.is_empty() { first.name.clone() } else { first.text.clone() };
        let top = hot.rows.iter().take(5);
        let mut numbers: Vec<Number> = top
            .clone()
            .map(|row| {
                Number::new(row.name.clone(), row.cost, hot.unit.clone())
                    .note(percent(share(row.cost, hot.total)))
            })
            .collect();
        numbers.push(Number::new(whole.name, hot.total, hot.unit.clone()));
        Looked::Found(vec![Finding {
            subject: first.name.clone(),
            severity: Severity::Note,
            sentence: sentence.with("name", &first.name).with("n", percent(part)),
            line: line.with("text", text).with("cost", with_unit(first.cost, &hot.unit)),
            value: part,
            unit: Unit::Share,
            saving: Saving::at_most(first.cost, hot.total, hot.unit.clone(), message(whole.model))
                .of(whole.share),
            evidence: Evidence {
                shown: message("the hottest of {n}").with("n", thousands(hot.n as u64)),
                figure: Some(bars(
                    hot.unit.clone(),
                    None,
                    top.map(|row| (row.name.clone(), row.cost, BarRole::Work)).collect(),
                )),
                numbers,
                how: message(whole.how),
                view: "source".to_owned(),
                address: first.address.clone(),
                list: details(if hot.is_lines { "hottest-lines" } else { "instruction-kinds" }, &[]),
                ..Evidence::default()
            },
            ..HOTTEST.finding()
        }])
    },
};

/// Bytes of an instruction of the pipes that move, as instructions say.
pub(super) fn moves(input: &RuleInput) -> Vec<Moves> {
    let Some(code) = code(input) else { return Vec::new() };
    let of = |(pipe, _): (&'static str, &str)| {
        let bytes = code.moved_by(pipe)?;
        Some(Moves { pipe, kind: "", bytes, address: details("instruction-kinds", &[]), view: "details" })
    };
    MOVES.into_iter().filter_map(of).collect()
}

/// Conflicts of UB, as instructions of a simulator say.
pub(super) fn conflicts(input: &RuleInput) -> Looked {
    let known = code(input).and_then(|code| code.conflicts).filter(|(_, all)| 0.0 < *all);
    let Some(([reads, writes], all)) = known else {
        return Looked::Missing(message(
            "UB conflicts are not in the file: instructions of msprof op simulator have them",
        ));
    };
    let (sum, rate) = (reads + writes, (reads + writes) / all);
    if rate < CONFLICTS_RULE.limit(0) {
        let said = message("{n} vector instructions had {m} conflicts in UB");
        return Looked::Nothing(said.with("n", fixed(all, 0)).with("m", fixed(sum, 0)));
    }
    let sentence = message("{n} vector instructions had ⟦{m} conflicts⟧ in UB.");
    Looked::Found(vec![Finding {
        severity: Severity::Warning,
        sentence: sentence.with("n", fixed(all, 0)).with("m", fixed(sum, 0)),
        line: message(
            "Two operands conflict in UB: shift one of them by a block of 32 bytes or more, or pad the end of each row.",
        ),
        value: sum,
        unit: Unit::None,
        evidence: Evidence {
            shown: message("read and write conflicts"),
            figure: Some(bars(
                Unit::None,
                None,
                vec![
                    (phrase("Reads").to_owned(), reads, BarRole::Wait),
                    (phrase("Writes").to_owned(), writes, BarRole::Wait),
                ],
            )),
            numbers: vec![
                Number::new(phrase("Vector instructions"), all, Unit::None),
                Number::new(phrase("Reads"), reads, Unit::None),
                Number::new(phrase("Writes"), writes, Unit::None)
                    .note(message("{n} per instruction").with("n", of_100(rate * 100.0))),
            ],
            how: message(
                "UB Read Conflict and UB Write Conflict of vector pipe instructions, summed over all cores, over the number of times these ran.",
            ),
            view: "source".to_owned(),
            address: Place::view("source").address(),
            ..Evidence::default()
        },
        ..CONFLICTS_RULE.finding()
    }])
}
