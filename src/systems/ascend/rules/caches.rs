//! Rules on what memory is asked for: hits of L2, and conflicts of vector units. Of the container, else of the CSV files.

use super::covered::Covered;
use super::operator::Operator;
use super::{bars, details, each, needs_device, of_100};
use crate::analysis::finding::{Evidence, Finding, Number, Severity};
use crate::base::number::thousands;
use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};
use crate::findings::trace::percent;
use crate::findings::{Looked, Rule, Threshold};
use crate::model::figure::{BarRole, Cell, TableFigure};
use crate::model::{Table, TableCells};
use crate::systems::ascend::claims;

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

    fn is_there(&self) -> bool {
        0.0 < self.requests()
    }

    pub(super) fn rate(self) -> f64 {
        self.hits / self.requests()
    }
}

/// L2 of all blocks: of the table, which counts reads and writes; the numbers of a chart may be those of writes alone.
pub(super) fn cache(operator: &Operator) -> Option<Cache> {
    let table = || of_row(operator.table(CACHE_TABLE)?, "L2 Cache Total").filter(Cache::is_there);
    table().or_else(|| of_chart(operator)).or_else(|| of_sheet(operator, &["write", "read"]))
}

/// Of how many of the blocks the cache is known, where these are not all.
pub(super) fn covered(operator: &Operator) -> Option<Covered> {
    let table = operator.table(CACHE_TABLE).and_then(|table| of_row(table, "L2 Cache Total"));
    match () {
        () if table.as_ref().is_some_and(Cache::is_there) => operator.covered_by(CACHE_TABLE),
        () if of_chart(operator).is_some() => operator.covered_by(CACHE_CHART),
        () => operator.covered_by_sheet(L2_SHEET),
    }
}

/// What the memory chart says of L2.
fn of_chart(operator: &Operator) -> Option<Cache> {
    let of = |name: &str| operator.fact(CACHE_CHART, name).map(|(value, _)| value);
    let cache = of("L2 hits").zip(of("L2 misses")).map(|(hits, misses)| Cache { hits, misses });
    cache.filter(Cache::is_there)
}

/// The same where it is something else than what the cache is taken from.
pub(super) fn contradiction(operator: &Operator) -> Option<Cache> {
    let (known, chart) = (cache(operator)?, of_chart(operator)?);
    Some(chart).filter(|chart| (chart.hits, chart.misses) != (known.hits, known.misses))
}

/// Of how many of the blocks the memory chart is, where these are not all.
pub(super) fn chart_covered(operator: &Operator) -> Option<Covered> {
    operator.covered_by(CACHE_CHART)
}

/// The figures that tell of it.
const CACHE_TABLE: &str = "memory-table-cache";
const CACHE_CHART: &str = "memory-units";

/// Where the cache is shown.
pub(super) fn cache_place(operator: &Operator) -> String {
    let is_told = |id: &str| match id {
        CACHE_TABLE => operator.table(id).and_then(|table| of_row(table, "L2 Cache Total")).is_some(),
        _ => of_chart(operator).is_some(),
    };
    let known = [CACHE_TABLE, CACHE_CHART].into_iter().filter(|id| is_told(id)).find_map(|id| {
        let (_, chosen) = operator.of_all(id)?;
        Some(details(&operator.family(id)?.id, &chosen))
    });
    known.unwrap_or_else(|| sheet_place(operator, L2_SHEET))
}

/// The file that counts requests to L2.
const L2_SHEET: &str = "L2Cache";
/// The file that counts conflicts.
const CONFLICT_SHEET: &str = "ResourceConflictRatio";

/// Where a file is shown: block by block.
pub(super) fn sheet_place(operator: &Operator, name: &str) -> String {
    let family = operator.family("csv-blocks");
    let options = family.and_then(|family| family.choices.first()).map_or(&[][..], |choice| &choice.options);
    let at = options.iter().position(|option| option == name);
    details(family.map_or("csv-blocks", |family| &family.id), at.as_slice())
}

/// The name of a column of a file, whatever kind of core it is of.
fn plain(name: &str) -> &str {
    name.trim_start_matches("aic_").trim_start_matches("aiv_")
}

/// The numbers of a row of a file whose columns are named like this.
fn cells<'a>(table: &'a Table, row: usize, is: &'a dyn Fn(&str) -> bool) -> impl Iterator<Item = f64> + 'a {
    let own = table.columns.iter().filter(move |column| is(plain(&column.name)));
    own.filter_map(move |column| match &column.cells {
        TableCells::Numbers(all) => all.get(row).copied().filter(|value| value.is_finite()),
        TableCells::Integers(all) => all.get(row).map(|value| *value as f64),
        TableCells::Texts(_) => None,
    })
}

/// How many rows a file has.
fn rows(table: &Table) -> std::ops::Range<usize> {
    0..table.columns.first().map_or(0, |column| column.cells.len())
}

/// Requests of these kinds as `L2Cache.csv` counts them.
fn of_sheet(operator: &Operator, kinds: &[&str]) -> Option<Cache> {
    let table = operator.sheet(L2_SHEET)?;
    let sum = |end: &str| -> f64 {
        let is = |name: &str| name.ends_with(end) && kinds.iter().any(|kind| name.contains(kind));
        rows(table).map(|row| cells(table, row, &is).sum::<f64>()).sum()
    };
    let cache = Cache { hits: sum("_cache_hit"), misses: sum("_cache_miss_allocate") };
    Some(cache).filter(|cache| 0.0 < cache.requests())
}

fn of_row(table: &TableFigure, name: &str) -> Option<Cache> {
    cache_row(table, name).map(|(hits, misses)| Cache { hits, misses })
}

/// Hits and misses of a row of a table.
pub(super) fn cache_row(table: &TableFigure, name: &str) -> Option<(f64, f64)> {
    let row = table.rows.iter().find(|row| matches!(row.first(), Some(Cell::Text(own)) if own == name))?;
    let at = |name: &str| table.columns.iter().position(|column| column.name == name);
    let number = |name: &str| row.get(at(name)?)?.as_number();
    Some((number("Hits")?, number("Misses")?))
}

pub(super) static L2: Rule = Rule {
    id: "ascend-l2-hit-rate",
    version: 3,
    title: phrase("L2 misses"),
    thresholds: &[
        Threshold {
            name: phrase("hit rate below which it is reported"),
            value: 0.8,
            unit: Unit::Share,
            source: phrase("our own choice: then one in five requests goes to memory"),
        },
        Threshold {
            name: phrase("misses from which it is reported"),
            value: 1_000.0,
            unit: Unit::None,
            source: phrase(
                "our own choice: memory of 1 TB/s brings as many lines of 512 bytes in half a microsecond",
            ),
        },
    ],
    look: |input| {
        let is_operator = !super::operators(input.trace).is_empty();
        if !is_operator && super::seen::sums(input).is_some() {
            return needs_device(message("hits of the real L2 are not in the file"));
        }
        each(input, |operator| {
            let Some(cache) = cache(operator) else {
                return needs_device(message("L2 hits are not in the file"));
            };
            let rate = cache.rate();
            if L2.limit(0) <= rate || cache.misses < L2.limit(1) {
                let said = if L2.limit(0) <= rate {
                    message("{n} of {m} requests hit L2")
                } else {
                    message("{n} of {m} requests hit L2: too few misses to matter ({k})")
                };
                let said = said.with("n", percent(rate)).with("m", thousands(cache.requests() as u64));
                let said = said.with("k", thousands(cache.misses as u64));
                return Looked::Nothing(Covered::behind(said, covered(operator)));
            }
            let table = operator.table("memory-table-cache");
            let of_table =
                |name: &str| table.and_then(|table| of_row(table, name)).filter(|own| 0.0 < own.requests());
            let part =
                |name: &str, kind: &str| Some(of_table(name).or_else(|| of_sheet(operator, &[kind]))?.rate());
            let parts = [
                (phrase("Reads"), part("L2 Cache Read", "read")),
                (phrase("Writes"), part("L2 Cache Write", "write")),
            ];
            let known = parts.iter().filter_map(|(name, rate)| Some((*name, (*rate)?)));
            let all = std::iter::once((phrase("All requests"), rate)).chain(known);
            let moving = operator.pipes();
            let moving =
                moving.iter().flat_map(|kind| &kind.pipes).filter(|pipe| pipe.name.starts_with("MTE2"));
            let moving = moving.map(|pipe| pipe.active).fold(0.0, f64::max);
            let sentence =
                message("L2 serves ⟦{n}⟧ of the cores' requests{which}; {m} requests go to memory.");
            Looked::Found(vec![Finding {
                subject: operator.subject(""),
                severity: Severity::Note,
                sentence: sentence
                    .with("n", percent(rate))
                    .with_message("which", operator.of_which())
                    .with("m", thousands(cache.misses as u64)),
                claims: vec![claims::HITS.to_owned()],
                line: message("{reads}Data used once miss once; data used by several cores or loops should be used while in L2: let cores work on neighboring tiles, and split data larger than L2.{some}")
                    .with_message("reads", reads(moving))
                    .with_message("some", Covered::of_counts(covered(operator))),
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
                        .map(|number| number.of(covered(operator).map_or_else(Message::default, Covered::text)))
                        .chain(contradiction(operator).map(|chart| {
                            let requests = message("{n} requests").with("n", thousands(chart.requests() as u64));
                            let requests = Covered::behind(requests, chart_covered(operator));
                            Number::new(phrase("In the memory chart"), chart.rate(), Unit::Share).note(requests)
                        }))
                        .collect(),
                    how: message("Hits over hits plus misses, summed over blocks, according to device counters. A simulated hit rate may differ. No savings are given: misses overlap with other work."),
                    view: "details".to_owned(),
                    address: cache_place(operator),
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
    ("mte urgent request", phrase("moves with priority")),
];

pub(super) static CONFLICTS_RULE: Rule = Rule {
    id: "ascend-conflicts",
    version: 2,
    title: phrase("Vector instruction conflicts"),
    thresholds: &[
        Threshold {
            name: phrase("blocked counts per vector instruction"),
            value: 0.1,
            unit: Unit::Share,
            source: phrase("our own choice: saving less is hardly worth changing the program"),
        },
        Threshold {
            name: phrase("share of the cycles in which vector instructions are blocked, in percent"),
            value: 5.0,
            unit: Unit::Percent,
            source: phrase("our own choice: saving less is hardly worth changing the program"),
        },
    ],
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
                if operator.kind == "cube" {
                    return Looked::NotHere;
                }
                if let Some(shares) = blocked_shares(operator) {
                    return blocked_cycles(operator, &shares);
                }
                // Instructions of a simulator tell of them too.
                return match super::code::conflicts(input) {
                    found @ (Looked::Found(_) | Looked::Nothing(_)) if !operator.is_one_of_many => found,
                    _ => Looked::Missing(message(
                        "vector instruction conflicts are not in the file: msprof op records them with --aic-metrics=ResourceConflictRatio or Default",
                    )),
                };
            };
            let rate = blocked / instructions;
            let some = operator.covered_by_all(&ids);
            let of_some = some.map_or_else(Message::default, Covered::text);
            let of = |key: &str| {
                sum(&|name: &str| name.contains(key) && (key != "bank conflict" || !name.contains("group")))
                    .unwrap_or(0.0)
            };
            let parts: Vec<(&str, f64)> = CONFLICTS.iter().map(|(key, name)| (*name, of(key))).collect();
            if rate < CONFLICTS_RULE.limit(0) {
                let said = message("{n} vector instructions were blocked {m} times by conflicts");
                let said =
                    said.with("n", thousands(instructions as u64)).with("m", thousands(blocked as u64));
                return Looked::Nothing(Covered::behind(said, some));
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
                line: with_counts(conflict_remedy(worst), some),
                value: blocked,
                unit: Unit::None,
                evidence: Evidence {
                    shown: message("reasons for blocking"),
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
                    .map(|number| number.of(of_some.clone()))
                    .collect(),
                    how: message(
                        "Counters of blocked vector instructions over those of all vector instructions, summed over blocks. The file calls both instructions; it does not say how long each was blocked.",
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

/// In how many of the cycles of vector cores instructions are blocked, as `ResourceConflictRatio.csv` says: by any
/// conflict, and by each kind.
fn blocked_shares(operator: &Operator) -> Option<(f64, Vec<(&'static str, f64)>)> {
    let table = operator.sheet(CONFLICT_SHEET)?;
    // Shares are of the cycles of a unit, so units with more cycles count more.
    let share = |name: &str| -> Option<f64> {
        let (mut blocked, mut all) = (0.0, 0.0);
        for row in rows(table) {
            let is_share = |own: &str| own == name;
            let is_cycles = |own: &str| own == "total_cycles";
            let Some(share) = cells(table, row, &is_share).next() else { continue };
            // A row is of one unit: of cube and vector one has cycles.
            let cycles: f64 = cells(table, row, &is_cycles).sum();
            (blocked, all) = (blocked + share * cycles, all + cycles);
        }
        (0.0 < all).then(|| blocked / all * 100.0)
    };
    let names =
        ["vec_bankgroup_cflt_ratio", "vec_bank_cflt_ratio", "vec_resc_cflt_ratio", "vec_mte_cflt_ratio"];
    let parts = CONFLICTS.iter().zip(names).filter_map(|((_, said), name)| Some((*said, share(name)?)));
    Some((share("vec_total_cflt_ratio")?, parts.collect()))
}

fn blocked_cycles(operator: &Operator, (all, parts): &(f64, Vec<(&'static str, f64)>)) -> Looked {
    let some = operator.covered_by_sheet(CONFLICT_SHEET);
    if *all < CONFLICTS_RULE.limit(1) {
        let said = message("vector instructions are blocked by conflicts in {n} of the cycles");
        return Looked::Nothing(Covered::behind(said.with("n", of_100(*all)), some));
    }
    let of_some = some.map_or_else(Message::default, Covered::text);
    let worst = parts.iter().max_by(|a, b| a.1.total_cmp(&b.1)).map_or("", |worst| worst.0);
    let sentence = message(
        "Vector instructions{which} are blocked by conflicts in ⟦{n}⟧ of the cycles, mostly for {what}.",
    );
    let bar = |(name, share): &(&'static str, f64)| ((*name).to_owned(), *share, BarRole::Wait);
    let number = |(name, share): &(&'static str, f64)| Number::new((*name).to_owned(), *share, Unit::Percent);
    Looked::Found(vec![Finding {
        subject: operator.subject(""),
        severity: Severity::Warning,
        sentence: sentence
            .with_message("which", operator.of_which())
            .with("n", of_100(*all))
            .with_message("what", worst.to_owned()),
        line: message("{line}{some}")
            .with_message("line", conflict_remedy(worst))
            .with_message("some", Covered::of_shares(some)),
        value: *all,
        unit: Unit::Percent,
        evidence: Evidence {
            shown: message("reasons for blocking"),
            figure: Some(bars(Unit::Percent, Some(100.0), parts.iter().map(bar).collect())),
            numbers: std::iter::once(Number::new(phrase("Blocked"), *all, Unit::Percent))
                .chain(parts.iter().map(number))
                .map(|number| number.of(of_some.clone()))
                .collect(),
            how: message(
                "Shares of the cycles of each vector unit, as ResourceConflictRatio.csv has them, weighted by its cycles. No saving is said: other pipes may work meanwhile.",
            ),
            view: "details".to_owned(),
            address: sheet_place(operator, CONFLICT_SHEET),
            ..Evidence::default()
        },
        ..CONFLICTS_RULE.finding()
    }])
}

/// What to do, and of how many blocks the counts are where these are not all.
pub(super) fn with_counts(line: Message, some: Option<Covered>) -> Message {
    let some = Covered::of_counts(some);
    message("{line}{some}").with_message("line", line).with_message("some", some)
}

/// What to do about conflicts.
fn conflict_remedy(worst: &str) -> Message {
    match worst {
        "banks" | "bank groups" => message(
            "Two operands conflict in UB: shift one of them by a block of 32 bytes or more, or pad the end of each row.",
        ),
        "arithmetic units" => message("Neighboring instructions need the same unit: interleave others."),
        _ => message(
            "Moves and vector instructions access UB at the same time: issue moves while other units compute.",
        ),
    }
}
