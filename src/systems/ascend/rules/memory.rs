//! Rules on moves: bandwidth of pipes while they move, and bytes of each move.

use super::blocks::misfit;
use super::bound::rest;
use super::covered::Covered;
use super::operator::{Kind, Operator, Pipe};
use super::seen::{Seen, figures, seen};
use super::{bars, details, first, needs_device, of_100, together};
use crate::analysis::finding::{Evidence, Finding, Number, Saving, Severity};
use crate::base::number::with_unit;
use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};
use crate::findings::{Looked, Rule, Threshold};
use crate::model::figure::{BarRole, Cell};
use crate::systems::ascend::reader::MOVES_OF_SOME;
use crate::systems::ascend::{MOVES, MOVES_OF, claims};

// Bandwidth of a pipe while it moves.

/// Paths that a pipe of a kind of core moves over and that have a peak.
const PATHS: [(&str, &str, &[&str]); 5] = [
    ("cube", "MTE2", &["L2 → L1"]),
    ("cube", "MTE3", &["L1 → L2"]),
    ("cube", "FIXP", &["L0C → L2"]),
    ("vector", "MTE2", &["L2 → UB", "L2 → UB 1"]),
    ("vector", "MTE3", &["UB → L2", "UB 1 → L2"]),
];

/// How much of its peak bandwidth a pipe uses over all the time, in percent: the mean of its paths.
fn peak(operator: &Operator, kind: &str, pipe: &str) -> Option<f64> {
    let paths = PATHS.iter().find(|own| own.0 == kind && own.1 == pipe)?.2;
    let table = operator.table(PATHS_ID)?;
    let at = table.columns.iter().position(|column| column.name == "Share of peak")?;
    let own = table
        .rows
        .iter()
        .filter(|row| matches!(row.first(), Some(Cell::Text(name)) if paths.contains(&name.as_str())));
    let (n, sum) = own
        .filter_map(|row| row.get(at)?.as_number())
        .fold((0.0, 0.0), |(n, sum), peak| (n + 1.0, sum + peak));
    (0.0 < n).then_some(sum / n)
}

pub(super) static BANDWIDTH: Rule = Rule {
    id: "ascend-low-bandwidth",
    version: 3,
    title: phrase("Low bandwidth while moving"),
    thresholds: &[
        Threshold {
            name: phrase("share of peak bandwidth while a pipe moves data"),
            value: 80.0,
            unit: Unit::Percent,
            source: phrase("msprof op: below it, the tool gives the same advice"),
        },
        Threshold {
            name: phrase("share of cycles in which the pipe moves data"),
            value: 20.0,
            unit: Unit::Percent,
            source: phrase("our own choice: a pipe that seldom moves data has little to gain"),
        },
    ],
    look: |input| {
        let seen = figures(input);
        if seen.is_empty() {
            return if super::operators(input.trace).is_empty() && super::seen::sums(input).is_none() {
                Looked::NotHere
            } else {
                needs_device(message("no peak bandwidths in the file"))
            };
        }
        together(seen.iter().map(|seen| {
            let Some(operator) = &seen.operator else { return Looked::NotHere };
            // A share of its peak is one of the time of its block, which may be that of another run than its cycles.
            if operator.times().is_some_and(|times| !operator.fits(&times)) {
                return misfit();
            }
            let pipes = seen.kinds.iter().flat_map(|kind| kind.pipes.iter().map(move |pipe| (kind, pipe)));
            let known = pipes.filter_map(|(kind, pipe)| {
                let peak = peak(operator, &kind.name, &pipe.name)?;
                Some((kind, pipe, peak, operator.active_in(PATHS_ID, &kind.name, pipe)))
            });
            let known: Vec<(&Kind, &Pipe, f64, Option<f64>)> = known.collect();
            let has_peaks = !known.is_empty();
            let moving = known.into_iter().filter_map(|(kind, pipe, peak, active)| {
                let active = active.filter(|active| 0.0 < *active)?;
                let used = peak / active * 100.0;
                // More than its peak is none of these paths alone.
                (used <= MOST).then(|| Moving { kind, pipe, used: used.min(100.0), active })
            });
            let known: Vec<Moving> = moving.collect();
            if known.is_empty() && has_peaks {
                return Looked::Missing(message(
                    "the peak bandwidths and the pipe activity in the file are of different blocks or runs",
                ));
            }
            if known.is_empty() {
                return Looked::Missing(message(
                    "no path of a data-moving pipe has a peak bandwidth: --aic-metrics=Default or MemoryDetail of msprof op records it for most chips",
                ));
            }
            let is_low =
                |own: &&Moving| own.used < BANDWIDTH.limit(0) && BANDWIDTH.limit(1) <= own.active;
            let findings = known.iter().filter(is_low).map(|own| slow_moves(seen, operator, own));
            Looked::found_or(first(findings.collect()), || {
                let most = known.iter().max_by(|a, b| a.active.total_cmp(&b.active));
                let said = message("of the pipes whose peak bandwidth is known, {pipe} of the {kind} cores is busy most: it reaches {n} of its peak while it moves data in {m} of the cycles");
                let Some(Moving { kind, pipe, used, active }) = most else { return Message::default() };
                let said = said.with("pipe", &pipe.name).with("kind", &kind.name);
                let said = said.with("n", of_100(*used)).with("m", of_100(*active));
                Covered::behind(said, operator.covered_by(PATHS_ID))
            })
        }))
    },
};

/// The figure that has peaks.
const PATHS_ID: &str = "memory-paths";

/// The most of its peak that a pipe reaches, in percent: more is another quantity, not noise.
const MOST: f64 = 105.0;

/// A pipe that moves, in percent: of its peak while it does, and of the cycles of the blocks of which the peak is known.
struct Moving<'a> {
    kind: &'a Kind,
    pipe: &'a Pipe,
    used: f64,
    active: f64,
}

fn slow_moves(seen: &Seen, operator: &Operator, &Moving { kind, pipe, used, active }: &Moving) -> Finding {
    let won = seen.time(kind) * active / 100.0 * (1.0 - used / 100.0);
    // Whatever it moves faster, what other pipes need remains.
    let rest = Some(rest(seen, Some((kind, pipe)))).filter(|rest| rest.saved < won);
    let saved = rest.as_ref().map_or(won, |rest| rest.saved);
    let saving = if rest.is_some() { Saving::at_most } else { Saving::about };
    let model = message("If the same bytes moved at peak bandwidth, and all of that time counted.{rest}");
    let number = rest.as_ref().and_then(|rest| rest.number.clone());
    let no_more = |text: Message| message(" No more than that: {rest}").with_message("rest", text);
    let model = model.with_message("rest", rest.map_or_else(Message::default, |rest| no_more(rest.text)));
    let sentence =
        message("{pipe} of the {kind} cores{which} reaches ⟦{n}⟧ of its peak bandwidth while it moves data.");
    let chosen = operator.of_all(PATHS_ID).map(|(_, chosen)| chosen).unwrap_or_default();
    let id = operator.family(PATHS_ID).map_or(PATHS_ID, |family| &family.id);
    Finding {
        // Each pipe is a fact of its own, as its bandwidth is: what one does says nothing of another.
        subject: seen.subject(&format!("{} {}", kind.name, pipe.name)),
        severity: Severity::Warning,
        sentence: sentence
            .with("pipe", &pipe.name)
            .with("kind", &kind.name)
            .with_message("which", operator.of_which())
            .with("n", of_100(used)),
        claims: vec![claims::bandwidth(&kind.name, &pipe.name)],
        line: message("It moves data in {n} of the cycles. Larger transfers per instruction, strides instead of copy loops, and 512-byte aligned addresses get closer to the peak.{some}")
            .with("n", of_100(active))
            .with_message("some", Covered::of_shares(operator.covered_by(PATHS_ID))),
        value: used,
        unit: Unit::Percent,
        saving: if 0.0 < saved {
            saving(saved, seen.whole, seen.unit.clone(), model).of(seen.share())
        } else {
            Saving::default()
        },
        evidence: Evidence {
            shown: message("share of peak while moving versus over the whole time"),
            figure: Some(bars(Unit::Percent, Some(100.0), vec![
                (pipe.name.clone(), used, BarRole::Work),
                (phrase("Reported below").to_owned(), BANDWIDTH.limit(0), BarRole::Wait),
            ])),
            numbers: [
                Number::new(phrase("Share of peak while moving"), used, Unit::Percent),
                Number::new(phrase("Share of peak over the whole time"), used * active / 100.0, Unit::Percent),
                Number::new(phrase("Share of cycles moving data"), active, Unit::Percent),
            ]
            .into_iter()
            .chain(number)
            .collect(),
            how: message("Share of peak bandwidth of the pipe's paths, which the file gives over the whole time, divided by the share of cycles in which the pipe is active."),
            view: "details".to_owned(),
            address: details(id, &chosen),
            ..Evidence::default()
        },
        ..BANDWIDTH.finding()
    }
}

// Bytes of a move.

/// Bytes and instructions of a pipe.
pub(super) struct Moves {
    pub(super) pipe: &'static str,
    /// The kind of cores whose moves these are; empty for all.
    pub(super) kind: &'static str,
    pub(super) bytes: f64,
    pub(super) address: String,
    pub(super) view: &'static str,
}

/// Bytes per instruction that the CSV files tell.
fn of_sheets(operator: &Operator) -> Vec<Moves> {
    let id = operator.family("traffic").map_or("traffic", |family| &family.id);
    let all = MOVES.into_iter().map(|(pipe, name)| (pipe, "", name)).chain(MOVES_OF);
    all.filter_map(|(pipe, kind, name)| {
        let (bytes, _) = operator.fact("traffic", name)?;
        Some(Moves { pipe, kind, bytes, address: details(id, &[]), view: "details" })
    })
    .collect()
}

/// The pipe, with its kind of cores where those of each kind are told apart.
fn of_cores(own: &Moves) -> Message {
    if own.kind.is_empty() {
        return own.pipe.into();
    }
    message("{pipe} of the {kind} cores").with("pipe", own.pipe).with("kind", own.kind)
}

/// Of how many blocks moves are known, where these are not all.
fn of_some(operator: Option<&Operator>) -> Message {
    let figure = operator.and_then(|operator| operator.family("traffic")?.variants.first());
    let note = figure.and_then(|figure| figure.notes.iter().find(|note| note.key == MOVES_OF_SOME));
    note.map_or_else(Message::default, |note| message(" {some}").with_message("some", note.clone()))
}

pub(super) static SMALL: Rule = Rule {
    id: "ascend-small-moves",
    version: 2,
    title: phrase("Small transfers"),
    thresholds: &[
        Threshold {
            name: phrase("bytes per move from which the bandwidth is good"),
            value: 16_384.0,
            unit: Unit::Bytes,
            source: phrase("Ascend C best practices, “Transferring a Large Data Block at a Time”"),
        },
        Threshold {
            name: phrase("share of cycles in which the pipe moves data"),
            value: 20.0,
            unit: Unit::Percent,
            source: phrase("our own choice: a pipe that seldom moves data has little to gain"),
        },
    ],
    look: |input| {
        let all = seen(input);
        let of = |seen: &Seen| {
            // Files beside the container tell of it too where its pipes are those of a timeline.
            let all = super::operators(input.trace);
            let operator = seen.operator.as_ref().or(all.first());
            let of_sheets = operator.map(of_sheets).unwrap_or_default();
            let moves = if of_sheets.is_empty() { super::code::moves(input) } else { of_sheets };
            if moves.is_empty() {
                return Looked::Missing(message(
                    "bytes per instruction are not recorded: Memory.csv next to the container has them, and so has Process Bytes of instructions, recorded by --aic-metrics=Source or the simulator",
                ));
            }
            let active = |own: &Moves| {
                let pipe = own.pipe;
                let is_meant = |kind: &&Kind| own.kind.is_empty() || own.kind == kind.name;
                let pipes = seen
                    .kinds
                    .iter()
                    .filter(is_meant)
                    .flat_map(|kind| &kind.pipes)
                    .filter(|own| own.name.eq_ignore_ascii_case(pipe));
                pipes.map(|own| own.active).reduce(f64::max)
            };
            let moves: Vec<(&Moves, f64)> =
                moves.iter().filter_map(|own| Some((own, active(own)?))).collect();
            if moves.is_empty() {
                return Looked::Missing(message("time in which pipes moved data is not recorded"));
            }
            let is_small = |own: &&(&Moves, f64)| own.0.bytes < SMALL.limit(0) && SMALL.limit(1) <= own.1;
            let findings = moves.iter().filter(is_small).map(|(own, active)| {
                let sentence = message("{pipe}{which} moves ⟦{n}⟧ per instruction on average.");
                let pipe = of_cores(own);
                let which = seen.operator.as_ref().map_or_else(Message::default, super::operator::Operator::of_which);
                Finding {
                    subject: seen.subject(format!("{} {}", own.kind, own.pipe).trim()),
                    severity: Severity::Warning,
                    sentence: sentence
                        .with_message("pipe", pipe)
                        .with_message("which", which)
                        .with("n", with_unit(own.bytes, &Unit::Bytes)),
                    line: message("It is active in {n}. Moves of 16 KiB or more use the bandwidth well: copy larger tiles, and copy strided rows with one instruction instead of a loop.{some}")
                        .with("n", of_100(*active))
                        .with_message("some", of_some(operator)),
                    value: own.bytes,
                    unit: Unit::Bytes,
                    evidence: Evidence {
                        shown: message("bytes per instruction versus a good value"),
                        figure: Some(bars(Unit::Bytes, None, vec![
                            (own.pipe.to_owned(), own.bytes, BarRole::Work),
                            (phrase("Good from").to_owned(), SMALL.limit(0), BarRole::Wait),
                        ])),
                        numbers: vec![
                            Number::new(phrase("Bytes per instruction"), own.bytes, Unit::Bytes),
                            Number::new(phrase("Share of cycles moving data"), *active, Unit::Percent),
                        ],
                        how: message("All bytes over all instructions of the pipe, over all blocks. The cost is reported under bandwidth while moving, where that is known."),
                        view: own.view.to_owned(),
                        address: own.address.clone(),
                        ..Evidence::default()
                    },
                    ..SMALL.finding()
                }
            });
            Looked::found_or(findings.collect(), || {
                let busiest = moves.iter().max_by(|a, b| a.1.total_cmp(&b.1));
                let said = message("{pipe} moves {n} per instruction and is active in {m}");
                busiest.map_or_else(Message::default, |(own, active)| {
                    said.with_message("pipe", of_cores(own))
                        .with("n", with_unit(own.bytes, &Unit::Bytes))
                        .with("m", of_100(*active))
                })
            })
        };
        if all.is_empty() && super::operators(input.trace).is_empty() {
            return Looked::NotHere;
        }
        if all.is_empty() {
            return Looked::Missing(message("time in which pipes moved data is not recorded"));
        }
        together(all.iter().map(of))
    },
};
