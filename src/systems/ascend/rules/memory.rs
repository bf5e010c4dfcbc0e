//! Rules on memory: bandwidth of pipes while they move, bytes of each move, hits of the caches, conflicts of vector units.

use super::operator::{Kind, Operator, Pipe};
use super::seen::{Seen, seen};
use super::{bars, details, each, first, needs_device, of_100, together};
use crate::analysis::finding::{Evidence, Finding, Number, Saving, Severity};
use crate::base::number::{thousands, with_unit};
use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};
use crate::findings::trace::percent;
use crate::findings::{Looked, Rule, Threshold};
use crate::model::figure::{BarRole, Cell, TableFigure};

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
    let table = operator.table("memory-paths")?;
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
    version: 1,
    title: phrase("Low bandwidth while moving"),
    thresholds: &[
        Threshold {
            name: phrase("share of the peak bandwidth while a pipe moves, in percent"),
            value: 80.0,
            unit: Unit::Percent,
            source: phrase("msprof op: below it the tool advises the same"),
        },
        Threshold {
            name: phrase("share of the cycles in which the pipe moves, in percent"),
            value: 20.0,
            unit: Unit::Percent,
            source: phrase("our own choice: of a pipe that seldom moves little can be won"),
        },
    ],
    look: |input| {
        let seen: Vec<Seen> = seen(input).into_iter().filter(|seen| seen.operator.is_some()).collect();
        if seen.is_empty() {
            return if super::operators(input.trace).is_empty() && super::seen::sums(input).is_none() {
                Looked::NotHere
            } else {
                needs_device(message("peak bandwidths are not in the file"))
            };
        }
        together(seen.iter().map(|seen| {
            let Some(operator) = &seen.operator else { return Looked::NotHere };
            let pipes = seen.kinds.iter().flat_map(|kind| kind.pipes.iter().map(move |pipe| (kind, pipe)));
            let known = pipes.filter_map(|(kind, pipe)| {
                let peak = peak(operator, &kind.name, &pipe.name)?;
                (0.0 < pipe.active).then(|| (kind, pipe, (peak / pipe.active * 100.0).min(100.0)))
            });
            let known: Vec<(&Kind, &Pipe, f64)> = known.collect();
            if known.is_empty() {
                return Looked::Missing(message(
                    "no path of a pipe that moves has a peak bandwidth: --aic-metrics=Default or MemoryDetail of msprof op records it for most chips",
                ));
            }
            let is_low = |own: &&(&Kind, &Pipe, f64)| {
                own.2 < BANDWIDTH.limit(0) && BANDWIDTH.limit(1) <= own.1.active
            };
            let findings = known.iter().filter(is_low).map(|own| slow_moves(seen, operator, *own));
            Looked::found_or(first(findings.collect()), || {
                let most = known.iter().max_by(|a, b| a.1.active.total_cmp(&b.1.active));
                let said = message("{pipe} of the {kind} cores, which moves most, reaches {n} of its peak while it moves in {m} of the cycles");
                match most {
                    Some((kind, pipe, used)) => said.with("pipe", &pipe.name).with("kind", &kind.name).with("n", of_100(*used)).with("m", of_100(pipe.active)),
                    None => Message::default(),
                }
            })
        }))
    },
};

fn slow_moves(seen: &Seen, operator: &Operator, (kind, pipe, used): (&Kind, &Pipe, f64)) -> Finding {
    let saved = seen.time(kind) * pipe.active / 100.0 * (1.0 - used / 100.0);
    let sentence =
        message("{pipe} of the {kind} cores{which} reaches ⟦{n}⟧ of its peak bandwidth while it moves.");
    let chosen = operator.of_all("memory-paths").map(|(_, chosen)| chosen).unwrap_or_default();
    let id = operator.family("memory-paths").map_or("memory-paths", |family| &family.id);
    Finding {
        subject: seen.subject(&format!("{} {}", kind.name, pipe.name)),
        severity: Severity::Warning,
        sentence: sentence
            .with("pipe", &pipe.name)
            .with("kind", &kind.name)
            .with_message("which", operator.of_which())
            .with("n", of_100(used)),
        line: message("It moves in {n} of the cycles. Larger pieces with each instruction, strides instead of loops of copies, and addresses at multiples of 512 bytes come nearer to the peak.").with("n", of_100(pipe.active)),
        value: used,
        unit: Unit::Percent,
        saving: Saving::about(saved, seen.whole, seen.unit.clone(), message("If the same bytes moved at peak bandwidth, and all of that time counted.")).of(phrase("{share} of operator time")),
        evidence: Evidence {
            shown: message("share of the peak while it moves, against all of it"),
            figure: Some(bars(Unit::Percent, Some(100.0), vec![
                (pipe.name.clone(), used, BarRole::Work),
                (phrase("Told below").to_owned(), BANDWIDTH.limit(0), BarRole::Wait),
            ])),
            numbers: vec![
                Number::new(phrase("Share of the peak while it moves"), used, Unit::Percent),
                Number::new(phrase("Share of the peak over all the time"), used * pipe.active / 100.0, Unit::Percent),
                Number::new(phrase("Share of the cycles in which it moves"), pipe.active, Unit::Percent),
            ],
            how: message("Share of the peak bandwidth of the paths of the pipe, as the file has it over all the time, divided by the share of the cycles in which the pipe is active. msprof op advises by the same quotient."),
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
    pub(super) bytes: f64,
    pub(super) address: String,
    pub(super) view: &'static str,
}

/// Bytes per instruction that the CSV files tell.
fn of_sheets(operator: &Operator) -> Vec<Moves> {
    let names = [("MTE2", "Bytes per MTE2 instruction"), ("MTE3", "Bytes per MTE3 instruction")];
    let id = operator.family("traffic").map_or("traffic", |family| &family.id);
    names
        .into_iter()
        .filter_map(|(pipe, name)| {
            let (bytes, _) = operator.fact("traffic", name)?;
            Some(Moves { pipe, bytes, address: details(id, &[]), view: "details" })
        })
        .collect()
}

pub(super) static SMALL: Rule = Rule {
    id: "ascend-small-moves",
    version: 1,
    title: phrase("Small moves"),
    thresholds: &[
        Threshold {
            name: phrase("bytes of a move from which the bandwidth is good"),
            value: 16_384.0,
            unit: Unit::Bytes,
            source: phrase("Ascend C best practices, “Transferring a Large Data Block at a Time”"),
        },
        Threshold {
            name: phrase("share of the cycles in which the pipe moves, in percent"),
            value: 20.0,
            unit: Unit::Percent,
            source: phrase("our own choice: of a pipe that seldom moves little can be won"),
        },
    ],
    look: |input| {
        let all = seen(input);
        let of = |seen: &Seen| {
            let of_sheets = seen.operator.as_ref().map(of_sheets).unwrap_or_default();
            let moves = if of_sheets.is_empty() { super::code::moves(input) } else { of_sheets };
            if moves.is_empty() {
                return Looked::Missing(message(
                    "nothing says how many bytes an instruction moves: Memory.csv beside the container does, and Process Bytes of instructions, which --aic-metrics=Source or the simulator records",
                ));
            }
            let active = |pipe: &str| {
                let pipes = seen
                    .kinds
                    .iter()
                    .flat_map(|kind| &kind.pipes)
                    .filter(|own| own.name.eq_ignore_ascii_case(pipe));
                pipes.map(|own| own.active).fold(0.0, f64::max)
            };
            let is_small = |own: &&Moves| own.bytes < SMALL.limit(0) && SMALL.limit(1) <= active(own.pipe);
            let findings = moves.iter().filter(is_small).map(|own| {
                let sentence = message("{pipe}{which} moves ⟦{n}⟧ with each instruction, on average.");
                let which = seen.operator.as_ref().map_or_else(Message::default, super::operator::Operator::of_which);
                Finding {
                    subject: seen.subject(own.pipe),
                    severity: Severity::Warning,
                    sentence: sentence
                        .with("pipe", own.pipe)
                        .with_message("which", which)
                        .with("n", with_unit(own.bytes, &Unit::Bytes)),
                    line: message("It is active in {n}. From 16 KiB on a move uses the bandwidth well: copy larger tiles, and rows with a stride in one instruction instead of a loop.").with("n", of_100(active(own.pipe))),
                    value: own.bytes,
                    unit: Unit::Bytes,
                    evidence: Evidence {
                        shown: message("bytes of an instruction against what is good"),
                        figure: Some(bars(Unit::Bytes, None, vec![
                            (own.pipe.to_owned(), own.bytes, BarRole::Work),
                            (phrase("Good from").to_owned(), SMALL.limit(0), BarRole::Wait),
                        ])),
                        numbers: vec![
                            Number::new(phrase("Bytes of an instruction"), own.bytes, Unit::Bytes),
                            Number::new(phrase("Share of the cycles in which it moves"), active(own.pipe), Unit::Percent),
                        ],
                        how: message("All bytes over all instructions of the pipe, of all blocks. What it costs is said by the bandwidth while moving, where that is known."),
                        view: own.view.to_owned(),
                        address: own.address.clone(),
                        ..Evidence::default()
                    },
                    ..SMALL.finding()
                }
            });
            Looked::found_or(findings.collect(), || {
                let busiest = moves.iter().max_by(|a, b| active(a.pipe).total_cmp(&active(b.pipe)));
                let said = message("{pipe} moves {n} with each instruction and is active in {m}");
                busiest.map_or_else(Message::default, |own| {
                    said.with("pipe", own.pipe)
                        .with("n", with_unit(own.bytes, &Unit::Bytes))
                        .with("m", of_100(active(own.pipe)))
                })
            })
        };
        if all.is_empty() && super::operators(input.trace).is_empty() {
            return Looked::NotHere;
        }
        if all.is_empty() {
            return Looked::Missing(message("nothing says how long pipes moved"));
        }
        together(all.iter().map(of))
    },
};

// Caches.

/// Hits and misses.
#[derive(Clone, Copy)]
pub(super) struct Cache {
    hits: f64,
    misses: f64,
}

impl Cache {
    pub(super) fn requests(self) -> f64 {
        self.hits + self.misses
    }

    pub(super) fn rate(self) -> f64 {
        self.hits / self.requests()
    }
}

/// L2 of all blocks.
pub(super) fn cache(operator: &Operator) -> Option<Cache> {
    let of = |name: &str| operator.fact("memory-units", name).map(|(value, _)| value);
    let facts = of("L2 hits").zip(of("L2 misses")).map(|(hits, misses)| Cache { hits, misses });
    let table = || of_row(operator.table("memory-table-cache")?, "L2 Cache Total");
    facts.or_else(table).filter(|cache| 0.0 < cache.requests())
}

fn of_row(table: &TableFigure, name: &str) -> Option<Cache> {
    let row = table.rows.iter().find(|row| matches!(row.first(), Some(Cell::Text(own)) if own == name))?;
    let at = |name: &str| table.columns.iter().position(|column| column.name == name);
    let number = |name: &str| row.get(at(name)?)?.as_number();
    Some(Cache { hits: number("Hits")?, misses: number("Misses")? })
}

pub(super) static L2: Rule = Rule {
    id: "ascend-l2-hit-rate",
    version: 1,
    title: phrase("L2 misses"),
    thresholds: &[Threshold {
        name: phrase("hit rate below which it is told"),
        value: 0.8,
        unit: Unit::Share,
        source: phrase("our own choice: then one of five requests goes to memory"),
    }],
    look: |input| {
        let is_operator = !super::operators(input.trace).is_empty();
        if !is_operator && super::seen::sums(input).is_some() {
            return needs_device(message("hits of the real L2 are not in the file"));
        }
        each(input, |operator| {
            let Some(cache) = cache(operator) else {
                return needs_device(message("hits of L2 are not in the file"));
            };
            let rate = cache.rate();
            if L2.limit(0) <= rate {
                let said = message("{n} of {m} requests hit L2");
                return Looked::Nothing(
                    said.with("n", percent(rate)).with("m", thousands(cache.requests() as u64)),
                );
            }
            let table = operator.table("memory-table-cache");
            let part = |name: &str| Some(of_row(table?, name).filter(|own| 0.0 < own.requests())?.rate());
            let parts =
                [(phrase("Reads"), part("L2 Cache Read")), (phrase("Writes"), part("L2 Cache Write"))];
            let known = parts.iter().filter_map(|(name, rate)| Some((*name, (*rate)?)));
            let all = std::iter::once((phrase("All requests"), rate)).chain(known);
            let id = operator.family("memory-units").map_or("memory-table-cache", |family| &family.id);
            let chosen = operator.of_all("memory-units").map(|(_, chosen)| chosen).unwrap_or_default();
            let moving = operator.pipes();
            let moving =
                moving.iter().flat_map(|kind| &kind.pipes).filter(|pipe| pipe.name.starts_with("MTE2"));
            let moving = moving.map(|pipe| pipe.active).fold(0.0, f64::max);
            let sentence =
                message("L2 has ⟦{n}⟧ of what the cores ask for{which}; {m} requests go to memory.");
            Looked::Found(vec![Finding {
                subject: operator.subject(""),
                severity: Severity::Note,
                sentence: sentence
                    .with("n", percent(rate))
                    .with_message("which", operator.of_which())
                    .with("m", thousands(cache.misses as u64)),
                line: message("{reads}What is used once misses once; data that several cores or loops use should be used while it is in L2: let cores work on neighboring tiles, and split what is larger than L2.").with_message("reads", reads(moving)),
                value: rate,
                unit: Unit::Share,
                evidence: Evidence {
                    shown: message("hits over requests"),
                    figure: Some(bars(Unit::Percent, Some(100.0), all.clone().map(|(name, rate)| (name.to_owned(), rate * 100.0, BarRole::Work)).collect())),
                    numbers: all
                        .map(|(name, rate)| Number::new(name, rate, Unit::Share))
                        .chain([
                            Number::new(phrase("Hits"), cache.hits, Unit::None),
                            Number::new(phrase("Misses"), cache.misses, Unit::None),
                        ])
                        .collect(),
                    how: message("Hits over hits and misses of all blocks together, as counters of the device say. A simulated hit rate may differ. No saving is said: misses overlap with other work."),
                    view: "details".to_owned(),
                    address: details(id, &chosen),
                    ..Evidence::default()
                },
                ..L2.finding()
            }])
        })
    },
};

// Conflicts of vector units.

/// In how much of the time reading goes on, where that is known.
fn reads(percent: f64) -> Message {
    if percent <= 0.0 {
        return Message::default();
    }
    message("MTE2 reads in {n} of the cycles. ").with("n", of_100(percent))
}

/// What blocks vector instructions: rows of the workload, with their names in sentences.
const CONFLICTS: [(&str, &str); 4] = [
    ("bank group conflict", phrase("bank groups")),
    ("bank conflict", phrase("banks")),
    ("valu resource conflict", phrase("arithmetic units")),
    ("mte urgent request", phrase("moves that came first")),
];

pub(super) static CONFLICTS_RULE: Rule = Rule {
    id: "ascend-conflicts",
    version: 1,
    title: phrase("Conflicts of vector instructions"),
    thresholds: &[Threshold {
        name: phrase("blocked times for each vector instruction"),
        value: 0.1,
        unit: Unit::Share,
        source: phrase("our own choice: less is hardly worth a change of the program"),
    }],
    look: |input| {
        let is_operator = !super::operators(input.trace).is_empty();
        if !is_operator && super::seen::sums(input).is_some() {
            return super::code::conflicts(input);
        }
        each(input, |operator| {
            let ids =
                ["vector", "vector0", "vector1", "aicore"].map(|kind| format!("compute-workload-{kind}"));
            let tables: Vec<&TableFigure> = ids.iter().filter_map(|id| operator.table(id)).collect();
            let sum = |is: &dyn Fn(&str) -> bool| -> Option<f64> {
                let rows = tables.iter().flat_map(|table| table.rows.iter().map(move |row| (*table, row)));
                let own = rows.filter(
                    |(_, row)| matches!(row.first(), Some(Cell::Text(name)) if is(&name.to_lowercase())),
                );
                let values = own.filter_map(|(table, row)| {
                    let at = table.columns.iter().position(|column| column.name == "Instructions")?;
                    row.get(at)?.as_number()
                });
                values.reduce(|a, b| a + b)
            };
            let is_all = |name: &str| matches!(name, "vector all active" | "all_active" | "all active");
            let is_blocked = |name: &str| matches!(name, "vector all block" | "all block");
            let Some((instructions, blocked)) =
                sum(&is_all).zip(sum(&is_blocked)).filter(|(all, _)| 0.0 < *all)
            else {
                return if operator.kind == "cube" {
                    Looked::NotHere
                } else {
                    Looked::Missing(message(
                        "conflicts of vector instructions are not in the file: msprof op records them with --aic-metrics=ResourceConflictRatio or Default",
                    ))
                };
            };
            let rate = blocked / instructions;
            let of = |key: &str| {
                sum(&|name: &str| name.contains(key) && (key != "bank conflict" || !name.contains("group")))
                    .unwrap_or(0.0)
            };
            let parts: Vec<(&str, f64)> = CONFLICTS.iter().map(|(key, name)| (*name, of(key))).collect();
            if rate < CONFLICTS_RULE.limit(0) {
                let said = message("{n} vector instructions were blocked {m} times by conflicts");
                return Looked::Nothing(
                    said.with("n", thousands(instructions as u64)).with("m", thousands(blocked as u64)),
                );
            }
            let worst = parts.iter().max_by(|a, b| a.1.total_cmp(&b.1)).map_or("", |worst| worst.0);
            let id =
                ids.iter().find_map(|id| operator.family(id)).map_or("compute-workload", |family| &family.id);
            let chosen =
                ids.iter().find_map(|id| operator.of_all(id)).map(|(_, chosen)| chosen).unwrap_or_default();
            let sentence = message(
                "{n} vector instructions{which} were blocked ⟦{m} times⟧ by conflicts, mostly for {what}.",
            );
            Looked::Found(vec![Finding {
                subject: operator.subject(""),
                severity: Severity::Warning,
                sentence: sentence
                    .with("n", thousands(instructions as u64))
                    .with_message("which", operator.of_which())
                    .with("m", thousands(blocked as u64))
                    .with_message("what", worst.to_owned()),
                line: conflict_remedy(worst),
                value: blocked,
                unit: Unit::None,
                evidence: Evidence {
                    shown: message("what they were blocked for"),
                    figure: Some(bars(
                        Unit::None,
                        None,
                        parts.iter().map(|(name, n)| ((*name).to_owned(), *n, BarRole::Wait)).collect(),
                    )),
                    numbers: std::iter::once(Number::new(
                        phrase("Vector instructions"),
                        instructions,
                        Unit::None,
                    ))
                    .chain(std::iter::once(
                        Number::new(phrase("Blocked"), blocked, Unit::None).note(percent(rate)),
                    ))
                    .chain(parts.iter().map(|(name, n)| Number::new((*name).to_owned(), *n, Unit::None)))
                    .collect(),
                    how: message(
                        "Counters of blocked vector instructions over those of all vector instructions, of all blocks. The file calls both instructions; how long each was blocked it does not say.",
                    ),
                    view: "details".to_owned(),
                    address: details(id, &chosen),
                    ..Evidence::default()
                },
                ..CONFLICTS_RULE.finding()
            }])
        })
    },
};

/// What to do about conflicts.
fn conflict_remedy(worst: &str) -> Message {
    match worst {
        "banks" | "bank groups" => message(
            "Two operands lie in the same place of UB: move one of them by a block of 32 bytes or more, or leave a gap at the end of each row.",
        ),
        "arithmetic units" => message("Neighboring instructions need the same unit: mix others in between."),
        _ => message("Moves and vector instructions want UB at once: let moves pass while others compute."),
    }
}
