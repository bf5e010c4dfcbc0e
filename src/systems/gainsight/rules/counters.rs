//! What counters over cycles say at first sight: accesses and retries of caches, rows of memory, by kernel and level.

use super::bars;
use crate::analysis::finding::{Color, Evidence, Finding, Number, Part, PartRow, Severity, Tile, share};
use crate::base::number::{fixed, percent, thousands, with_unit};
use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};
use crate::findings::place::Place;
use crate::findings::{RuleInput, Summary};
use crate::systems::gainsight::profiler::Groups;

/// What all units of a kernel and level count in all.
pub(super) struct Counted {
    /// What they are called together, such as `mvt_kernel0_l1d`.
    pub(super) name: String,
    unit: String,
    units: usize,
    /// First and last cycle.
    span: (i64, i64),
    hits: f64,
    pending: f64,
    misses: f64,
    pub(super) fails: f64,
    /// Accesses to memory that found their row open, and those that did not.
    rows: [f64; 2],
    /// The unit with the most retries and how many those are.
    pub(super) most: (u64, f64),
    /// Number of the group, as ids of figures have it, and of the counter of retries.
    at: usize,
    counter: usize,
}

impl Counted {
    /// Accesses to a cache.
    pub(super) fn accesses(&self) -> f64 {
        self.hits + self.pending + self.misses
    }

    /// Retries for each access; `None` for what is no cache.
    pub(super) fn each(&self) -> Option<f64> {
        let accesses = self.accesses();
        (0.0 < accesses).then(|| self.fails / accesses)
    }
}

/// All groups of counters. Costs the samples.
pub(super) fn counted(input: &RuleInput) -> Vec<Counted> {
    let trace = input.trace;
    let groups = trace.extensions.get::<Groups>().map(|groups| &groups.0);
    let of = |(at, (name, group)): (usize, (&String, &crate::systems::gainsight::profiler::Group))| {
        let mut own = Counted {
            name: name.clone(),
            unit: group.unit.clone(),
            units: group.tracks.len(),
            span: (i64::MAX, i64::MIN),
            hits: 0.0,
            pending: 0.0,
            misses: 0.0,
            fails: 0.0,
            rows: [0.0; 2],
            most: (0, 0.0),
            at,
            counter: 0,
        };
        for (number, id) in &group.tracks {
            let Some(track) = trace.tracks.find(*id) else { continue };
            for (counter, series) in track.series.iter().enumerate() {
                let sum: f64 = series.value.iter().filter(|value| !value.is_nan()).sum();
                if let (Some(first), Some(last)) = (series.time.first(), series.time.last()) {
                    own.span = (own.span.0.min(*first), own.span.1.max(*last));
                }
                // What waits for a merged miss is counted twice.
                match trace.strings.get(series.name) {
                    "hit" => own.hits += sum,
                    "hit_res" => own.pending += sum,
                    "miss" | "sec_miss" => own.misses += sum,
                    "row_hit" => own.rows[0] += sum,
                    "row_miss" => own.rows[1] += sum,
                    "res_fail" => {
                        own.fails += sum;
                        own.counter = counter;
                        if own.most.1 < sum {
                            own.most = (*number, sum);
                        }
                    }
                    _ => {}
                }
            }
        }
        own
    };
    groups.into_iter().flatten().enumerate().map(of).collect()
}

fn map(of: &Counted, counter: usize) -> String {
    Place::view("details").figure(&format!("counter-map-{}", of.at), &[counter]).address()
}

/// Units that could not take accesses.
pub(super) fn retried(of: &Counted) -> Finding {
    let each = of.each().unwrap_or(0.0);
    Finding {
        subject: of.name.clone(),
        severity: Severity::Warning,
        sentence: message("{level} cannot accept accesses ⟦{n} times⟧, {each} per access.")
            .with("level", &of.name)
            .with("n", with_unit(of.fails, &Unit::None))
            .with("each", with_unit(each, &Unit::None)),
        // Of one unit there is nothing to tell apart.
        line: if of.units < 2 {
            message(
                "The counters do not say whether lines, MSHRs or the miss queue are full: fewer misses at a time reduce the stalls.",
            )
        } else {
            message("{unit} accounts for {share} of them. The counters do not say whether lines, MSHRs or the miss queue are full: fewer misses at a time reduce the stalls.")
                .with("unit", format!("{}{}", of.unit, of.most.0))
                .with("share", percent(share(of.most.1, of.fails)))
        },
        value: of.fails,
        unit: Unit::None,
        evidence: Evidence {
            shown: message("accesses and retries of {level}, whole run").with("level", &of.name),
            figure: Some(bars(
                Unit::None,
                None,
                [
                    (phrase("Hits").to_owned(), of.hits),
                    (phrase("Pending hits").to_owned(), of.pending),
                    (phrase("Misses").to_owned(), of.misses),
                    (phrase("Retries").to_owned(), of.fails),
                ],
            )),
            numbers: vec![
                Number::new(phrase("Retries"), of.fails, Unit::None),
                Number::new(phrase("Accesses"), of.accesses(), Unit::None),
                Number::new(phrase("Maximum of a unit"), of.most.1, Unit::None)
                    .note(format!("{}{}", of.unit, of.most.0)),
            ],
            how: message(
                "Counters of all units for this kernel and level in the open files: res_fail versus hit, hit_res, miss and sec_miss.",
            ),
            view: "details".to_owned(),
            address: map(of, of.counter),
            ..Evidence::default()
        },
        ..Finding::default()
    }
}

/// Caches that have a tile each, where there are several.
const LEVELS: usize = 3;

/// The level of a cache, such as `l2` of `mvt_kernel0_l2`, where that tells it from the others.
fn level(of: &Counted, caches: &[&Counted]) -> String {
    let own = |of: &Counted| of.name.rsplit('_').next().unwrap_or_default().to_owned();
    let is_told = caches.iter().filter(|other| own(other) == own(of)).count() < 2;
    if is_told { own(of) } else { of.name.clone() }
}

/// What counters are.
#[allow(clippy::too_many_lines)] // most of it is texts
pub(super) fn summary(input: &RuleInput) -> Option<Summary> {
    let all = counted(input);
    let first = all.first()?;
    let span = all.iter().fold(first.span, |sum, own| (sum.0.min(own.span.0), sum.1.max(own.span.1)));
    let cycles = span.1.saturating_sub(span.0).max(0);
    let units: usize = all.iter().map(|own| own.units).sum();
    let caches: Vec<&Counted> = all.iter().filter(|own| 0.0 < own.accesses()).collect();
    let sum = |of: &dyn Fn(&Counted) -> f64| all.iter().map(of).sum::<f64>();
    let (hits, misses) = (sum(&|own| own.hits), sum(&|own| own.misses));
    let (accesses, fails) = (sum(&Counted::accesses), sum(&|own| own.fails));
    let (open, closed) = (sum(&|own| own.rows[0]), sum(&|own| own.rows[1]));
    let tile = |label: &'static str, part: Option<f64>, comparison: Message, color: Color| Tile {
        label: label.into(),
        value: part.map_or_else(|| "–".to_owned(), percent).into(),
        amount: part.map(|part| (part, Unit::Share)),
        comparison,
        bar: part.map(|part| (part, color)).into_iter().collect(),
        address: map(first, 0),
        ..Tile::default()
    };
    let part = |n: f64, of: f64| (0.0 < of).then(|| share(n, of));
    let mut tiles = vec![Tile {
        label: message("Counted cycles"),
        value: with_unit(cycles as f64, &Unit::Cycles).into(),
        amount: Some((cycles as f64, Unit::Cycles)),
        comparison: message("{n} units").with("n", thousands(units as u64)),
        address: Place::view("timeline").address(),
        ..Tile::default()
    }];
    match caches.as_slice() {
        // Misses of one level are accesses to the next: what both count is no share of anything.
        [_, _, ..] => tiles.extend(caches.iter().take(LEVELS).map(|own| {
            Tile {
                comparison: message("{n} accesses, {retries} retries per access")
                    .with("n", with_unit(own.accesses(), &Unit::None))
                    .with("retries", with_unit(own.each().unwrap_or(0.0), &Unit::None)),
                label: message("Hits of {level}").with("level", level(own, &caches)),
                address: map(own, 0),
                ..tile("", part(own.hits, own.accesses()), Message::default(), Color::Compute)
            }
        })),
        _ => tiles.extend([
            Tile {
                label: message("Cache accesses"),
                value: with_unit(accesses, &Unit::None).into(),
                amount: Some((accesses, Unit::None)),
                comparison: message("{n} per cycle").with("n", fixed(accesses / (cycles.max(1) as f64), 2)),
                address: map(first, 0),
                ..Tile::default()
            },
            tile(phrase("Hits"), part(hits, accesses), message("of accesses to caches"), Color::Compute),
            Tile {
                label: message("Retries"),
                value: if accesses <= 0.0 {
                    "–".to_owned()
                } else {
                    with_unit(fails / accesses, &Unit::None)
                }
                .into(),
                amount: Some((fails / accesses, Unit::None)).filter(|_| 0.0 < accesses),
                comparison: message("per access; {n} in total").with("n", with_unit(fails, &Unit::None)),
                address: caches.first().map_or_else(String::new, |own| map(own, own.counter)),
                ..Tile::default()
            },
        ]),
    }
    if let Some(own) = part(open, open + closed) {
        tiles.push(tile(
            phrase("Row buffer hits"),
            Some(own),
            message("of accesses to memory"),
            Color::Compute,
        ));
    } else if caches.len() < 2 {
        let of = message("of accesses to caches");
        tiles.push(tile(phrase("Misses"), part(misses, accesses), of, Color::Wait));
    }
    let row = |own: &Counted| {
        let (n, good, bad) = if 0.0 < own.accesses() {
            (own.accesses(), own.hits, own.misses)
        } else {
            (own.rows[0] + own.rows[1], own.rows[0], own.rows[1])
        };
        PartRow {
            name: own.name.clone().into(),
            bar: vec![
                (share(good, n), Color::Compute),
                (share(own.pending, n), Color::Copy),
                (share(bad, n), Color::Wait),
            ],
            cells: vec![
                thousands(own.units as u64),
                with_unit(n, &Unit::None),
                percent(share(good, n)),
                own.each().map_or_else(|| "–".to_owned(), |each| with_unit(each, &Unit::None)),
            ],
            amount: Some((n, Unit::None)),
            address: map(own, 0),
            ..PartRow::default()
        }
    };
    let parts = vec![Part {
        title: message("By kernel and level"),
        note: message("hits in memory are row buffer hits"),
        columns: [phrase("Units"), phrase("Accesses"), phrase("Hits"), phrase("Retries per access")]
            .map(str::to_owned)
            .to_vec(),
        rows: all.iter().take(7).map(row).collect(),
        measure: 1,
        more: all.len().saturating_sub(7) as u64,
        ..Part::default()
    }];
    Some(Summary { tiles, parts })
}
