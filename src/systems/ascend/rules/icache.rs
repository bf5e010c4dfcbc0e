//! Misses of the instruction cache: counters of a device where the files have them, else the time for which a timeline of
//! the simulator shows them. No saving is said: pipes work on what was fetched before meanwhile.

use super::caches::{cache_row, with_counts};
use super::covered::Covered;
use super::operator::Operator;
use super::seen::{cores, sums};
use super::{bars, details, each, of_100};
use crate::analysis::finding::{Evidence, Finding, Number, Severity};
use crate::base::number::thousands;
use crate::base::order;
use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};
use crate::findings::place::Place;
use crate::findings::{Looked, Rule, RuleInput, Threshold};
use crate::model::figure::BarRole;
use crate::model::{Table, TableCells};
use crate::systems::ascend::kernel::sums::{PipeSum, Sums};

pub(super) static ICACHE: Rule = Rule {
    id: "ascend-icache-misses",
    version: 3,
    title: phrase("Instruction cache misses"),
    thresholds: &[
        Threshold {
            name: phrase("share of requests that miss, in percent"),
            value: 5.0,
            unit: Unit::Percent,
            source: phrase(
                "tilelang-op-profiling, a published guide to tuning Ascend operators: below 5 % is good, above 15 % there is too much code",
            ),
        },
        Threshold {
            name: phrase("share of the time of the cores for which a miss lasts, in percent"),
            value: 5.0,
            unit: Unit::Percent,
            source: phrase("our own choice: saving less is hardly worth changing the program"),
        },
        Threshold {
            name: phrase("minimum number of misses (if counted)"),
            value: 100.0,
            unit: Unit::None,
            source: phrase(
                "our own choice: even at 100 cycles each, fewer misses cost less than 10,000 cycles on all cores together",
            ),
        },
    ],
    look: |input| {
        let of_timeline = || sums(input).map_or(Looked::NotHere, |sums| timeline(input, sums));
        if super::operators(input.trace).is_empty() {
            return of_timeline();
        }
        each(input, |operator| match of_table(operator) {
            Some(misses) => of_counters(operator, &misses),
            None => match of_sheet(operator) {
                Some(rate) => uncounted(rate, operator.covered_by_sheet(SHEET)),
                // A timeline beside several operators does not say whose it is.
                None if operator.is_one_of_many => missing(),
                None => match of_timeline() {
                    Looked::NotHere => missing(),
                    looked => looked,
                },
            },
        })
    },
};

fn missing() -> Looked {
    Looked::Missing(message(
        "misses of the instruction cache are not in the file: msprof op counts them with --aic-metrics=Default or PipeUtilization, msprof op simulator shows them on the timeline",
    ))
}

/// What to do about them.
fn remedy() -> Message {
    message(
        "Cores wait for code. Make it smaller, so that loops stay in the cache (32 KiB on cube and 16 KiB on vector cores of Atlas A2 and A3): unroll and inline less, and give rare cases kernels of their own by tiling keys. ICachePreLoad fetches code ahead.",
    )
}

/// How many requests miss, in percent, with hits and misses.
struct Misses {
    rate: f64,
    counts: (f64, f64),
    address: String,
}

const TABLE: &str = "memory-table-cache";

fn of_table(operator: &Operator) -> Option<Misses> {
    let table = operator.table(TABLE)?;
    let counts = ["iCache Total", "iCache total"].into_iter().find_map(|name| cache_row(table, name));
    let (hits, misses) = counts.filter(|(hits, misses)| 0.0 < hits + misses)?;
    let (_, chosen) = operator.of_all(TABLE)?;
    let rate = misses / (hits + misses) * 100.0;
    Some(Misses {
        rate,
        counts: (hits, misses),
        address: details(operator.family(TABLE).map_or(TABLE, |family| &family.id), &chosen),
    })
}

/// The file that has shares, and what stands in front of the columns of each kind of core.
const SHEET: &str = "PipeUtilization";
const KINDS: [&str; 3] = ["aic_", "aiv_", ""];

/// The share that a CSV file has, in percent: of the kind of cores where most miss.
fn of_sheet(operator: &Operator) -> Option<f64> {
    let sheet = operator.sheet(SHEET)?;
    KINDS.iter().filter_map(|prefix| mean_rate(sheet, prefix)).reduce(f64::max)
}

/// Where only a share is known: of a few requests a large one costs nothing.
fn uncounted(rate: f64, some: Option<Covered>) -> Looked {
    if rate < ICACHE.limit(0) {
        let said = message("{n} of the requests for instructions miss the cache");
        return Looked::Nothing(Covered::behind(said.with("n", of_100(rate)), some));
    }
    let said = message(
        "{n} of the requests for instructions miss the cache, but CSV files do not say how many these are: the container does",
    );
    Looked::Missing(Covered::behind(said.with("n", of_100(rate)), some))
}

/// The mean rate of the cores of a kind in percent, weighted by their cycles; the file has shares of 1.
fn mean_rate(sheet: &Table, prefix: &str) -> Option<f64> {
    let column = |name: &str| {
        let name = format!("{prefix}{name}");
        sheet.columns.iter().find(|column| column.name == name).map(|column| &column.cells)
    };
    let (rates, cycles) = (column("icache_miss_rate")?, column("total_cycles")?);
    let number = |cells: &TableCells, row: usize| match cells {
        TableCells::Numbers(all) => all.get(row).copied(),
        TableCells::Integers(all) => all.get(row).map(|value| *value as f64),
        TableCells::Texts(_) => None,
    };
    let of_row = |row| {
        let rate = number(rates, row).filter(|rate| (0.0..=1.0).contains(rate))?;
        Some((rate, number(cycles, row).filter(|cycles| 0.0 < *cycles && cycles.is_finite())?))
    };
    let rows = (0..rates.len()).filter_map(of_row);
    let (missed, all) = rows.fold((0.0, 0.0), |(sum, all), (rate, own)| (sum + rate * own, all + own));
    (0.0 < all).then(|| missed / all * 100.0)
}

fn of_counters(operator: &Operator, misses: &Misses) -> Looked {
    let some = operator.covered_by(TABLE);
    if misses.rate < ICACHE.limit(0) {
        let said = message("{n} of the requests for instructions miss the cache");
        return Looked::Nothing(Covered::behind(said.with("n", of_100(misses.rate)), some));
    }
    let (hits, missed) = misses.counts;
    if missed < ICACHE.limit(2) {
        let said = message("only {n} of {all} instruction fetches miss the cache, too few to matter");
        let [few, all] = [missed, hits + missed].map(|count| thousands(count.round() as u64));
        return Looked::Nothing(Covered::behind(said.with("n", few).with("all", all), some));
    }
    let of_some = some.map_or_else(Message::default, Covered::text);
    let numbers = [
        Number::new(phrase("All cores"), misses.rate, Unit::Percent),
        Number::new(phrase("Hits"), hits, Unit::None),
        Number::new(phrase("Misses"), missed, Unit::None),
    ];
    let numbers = numbers.map(|number| number.of(of_some.clone())).to_vec();
    let bar = (phrase("All cores").to_owned(), misses.rate, BarRole::Wait);
    let sentence = message("⟦{n}⟧ of the requests for instructions{which} miss the cache.");
    Looked::Found(vec![Finding {
        subject: operator.subject(""),
        severity: Severity::Warning,
        sentence: sentence.with("n", of_100(misses.rate)).with_message("which", operator.of_which()),
        line: with_counts(remedy(), some),
        value: misses.rate,
        unit: Unit::Percent,
        evidence: Evidence {
            shown: message("misses over requests"),
            figure: Some(bars(Unit::Percent, Some(100.0), vec![bar])),
            numbers,
            how: message(
                "Misses over hits plus misses of the instruction caches, summed over blocks, according to device counters. No savings are given: misses overlap with other work.",
            ),
            view: "details".to_owned(),
            address: misses.address.clone(),
            ..Evidence::default()
        },
        ..ICACHE.finding()
    }])
}

// Of a timeline.

/// The pipe on which the simulator draws misses.
const PIPE: &str = "CACHEMISS";
/// Cores whose shares are drawn.
const DRAWN: usize = 5;

fn timeline(input: &RuleInput, sums: &Sums) -> Looked {
    let trace = input.trace;
    let name_of = |sum: &PipeSum| trace.strings.get(trace.tracks.get(sum.track).name);
    let cores = cores(input);
    let own = cores.iter().filter_map(|core| {
        let sum = sums.pipes.iter().find(|sum| sum.core == core.id && name_of(sum) == PIPE)?;
        Some((core, sum, sum.busy as f64 / core.span.dur().max(1) as f64 * 100.0))
    });
    let mut own: Vec<_> = own.collect();
    order::sort_by(&mut own, |a, b| b.2.total_cmp(&a.2));
    let Some((worst, misses, most)) = own.first() else { return missing() };
    // Cores without a miss count too.
    let whole: i128 = cores.iter().map(|core| i128::from(core.span.dur())).sum();
    let busy: i128 = own.iter().map(|(_, sum, _)| i128::from(sum.busy)).sum();
    let n: usize = own.iter().map(|(_, sum, _)| sum.slices).sum();
    let share = busy as f64 / whole.max(1) as f64 * 100.0;
    if share < ICACHE.limit(1) {
        let said = message("misses of the instruction cache last for {n} of the time of the cores");
        return Looked::Nothing(said.with("n", of_100(share)));
    }
    let shown = own.iter().take(DRAWN);
    let (sum, unit) = input.time(busy);
    let mean = sum / cores.len().max(1) as f64;
    let sentence = message("Misses of the instruction cache last for ⟦{n}⟧ of the time of the cores.");
    Looked::Found(vec![Finding {
        severity: Severity::Warning,
        sentence: sentence.with("n", of_100(share)),
        line: remedy(),
        value: share,
        unit: Unit::Percent,
        evidence: Evidence {
            shown: message("the cores with the most misses, % of their time"),
            figure: Some(bars(
                Unit::Percent,
                Some(100.0),
                shown.map(|(core, _, share)| (core.name.clone(), *share, BarRole::Wait)).collect(),
            )),
            numbers: vec![
                Number::new(phrase("Misses"), n as f64, Unit::None),
                Number::new(phrase("Mean miss time per core"), mean, unit),
                Number::new(phrase("Core with the highest value"), *most, Unit::Percent)
                    .note(message("{n} misses").with("n", thousands(misses.slices as u64))),
            ],
            how: message(
                "Time in which at least one miss of the instruction cache lasts, over the time from the first to the last slice of its core, summed over all cores. No savings are given: pipes work on what was fetched before meanwhile.",
            ),
            view: "timeline".to_owned(),
            address: Place::view("timeline")
                .around(worst.span)
                .tracks(trace, &[misses.track])
                .range(worst.span)
                .address(),
            list: details("pipe-times", &[]),
            ..Evidence::default()
        },
        ..ICACHE.finding()
    }])
}
