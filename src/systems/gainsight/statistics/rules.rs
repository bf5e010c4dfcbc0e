//! What statistics of a simulator say at first sight, of logs without accesses: cycles, instructions, caches, warps, memory.

use super::{Domains, Log, Logs, Snapshot};
use crate::analysis::finding::{
    Color, Evidence, Finding, Number, Part, PartRow, Saving, Severity, Tile, share,
};
use crate::base::map::Map;
use crate::base::number::{fixed, percent, thousands, with_unit};
use crate::base::order;
use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};
use crate::findings::place::Place;
use crate::findings::{RuleInput, Summary};
use crate::model::Trace;
use crate::systems::gainsight::rules::{bars, kernel_names};
use crate::views::lifetimes::compute::{Recorded, Run, called};

/// Accesses, misses, pending hits and reservation fails of a cache, as a log prints them over the whole run.
#[derive(Clone, Copy, Default)]
pub(in crate::systems::gainsight) struct Cache {
    pub(in crate::systems::gainsight) accesses: f64,
    misses: f64,
    pending: f64,
    pub(in crate::systems::gainsight) fails: f64,
}

impl Cache {
    /// Of the units of a level; `None` where the log says nothing of it.
    fn of(shown: &Snapshot, name: &str) -> Option<Self> {
        let (units, fields) = shown.units(name);
        let column = |field: &str| fields.iter().position(|known| *known == field);
        let columns = ["Access", "Miss", "Pending_hits", "Reservation_fails"].map(column);
        let sum = |column: Option<usize>| -> f64 {
            units.values().filter_map(|values| values.get(column?).copied().flatten()).sum()
        };
        let [accesses, misses, pending, fails] = columns.map(sum);
        (0.0 < accesses).then_some(Self { accesses, misses, pending, fails })
    }

    fn hits(&self) -> f64 {
        (self.accesses - self.misses - self.pending).max(0.0)
    }

    fn hit_share(&self) -> f64 {
        share(self.hits(), self.accesses)
    }
}

/// Names of the caches in logs.
const CACHES: [(&str, &str); 2] = [("L1", "L1D_cache_core"), ("L2", "L2_cache_bank")];

fn logs(trace: &Trace) -> &[Log] {
    trace.extensions.get::<Logs>().map_or(&[], |logs| &logs.0)
}

/// The caches of the first log, with what a person calls them.
pub(in crate::systems::gainsight) fn caches(trace: &Trace) -> Vec<(&'static str, Cache)> {
    let Some(log) = logs(trace).first() else { return Vec::new() };
    let shown = Snapshot::new(log, None);
    CACHES.iter().filter_map(|(level, name)| Some((*level, Cache::of(&shown, name)?))).collect()
}

/// Reasons for retries as a log counts them, most first. Nothing where they do not add up to these retries: then they are
/// of other caches too, or of another part of the run.
fn reasons<'a>(shown: &Snapshot<'a>, level: &str, fails: f64) -> Vec<(&'a str, f64)> {
    let begin = match level {
        "L1" => "Total_core_cache_fail_stats_breakdown[",
        "L2" => "L2_cache_stats_fail_breakdown[",
        _ => return Vec::new(),
    };
    let mut all: Vec<(&str, f64)> = Vec::new();
    // Of each stream the last value counts.
    for (rest, n) in shown.under(begin) {
        let reason = rest.strip_suffix(']').and_then(|rest| rest.rsplit('[').next());
        let Some((reason, n)) = reason.zip(n) else { continue };
        let row = super::place(&mut all, |known| known.0 == reason, || (reason, 0.0));
        if let Some((_, sum)) = all.get_mut(row) {
            *sum += n;
        }
    }
    order::sort_by(&mut all, |a, b| b.1.total_cmp(&a.1));
    let sum: f64 = all.iter().map(|(_, n)| n).sum();
    if 0.5 <= (sum - fails).abs() { Vec::new() } else { all }
}

/// What to change for a reason; `None` for one that nobody knows.
fn change(reason: &str) -> Option<Message> {
    Some(match reason {
        "MISS_QUEUE_FULL" => message(
            "{share} of these retries find the miss queue full: a longer miss queue, or fewer misses and stores at a time, avoid them.",
        ),
        "MSHR_ENRTY_FAIL" => message(
            "{share} of these retries find no free MSHR: more MSHRs, or fewer different lines missing at a time, avoid them.",
        ),
        "MSHR_MERGE_ENRTY_FAIL" => message(
            "{share} of these retries find no room to merge with a pending miss: more merged requests per MSHR, or fewer requests at a time for the same line, avoid them.",
        ),
        "LINE_ALLOC_FAIL" => message(
            "{share} of these retries find every line of their set reserved: more ways, or addresses spread over more sets, avoid them.",
        ),
        "MSHR_RW_PENDING" => message(
            "{share} of these retries find a store pending on their line: loads that do not follow stores to the same line so closely avoid them.",
        ),
        _ => return None,
    })
}

/// Why a level could not take accesses, and what avoids that: the largest reason that the log states, of an entry or else the
/// first, with a number of it.
pub(in crate::systems::gainsight) fn why(
    trace: &Trace,
    entry: Option<u32>,
    level: &str,
    fails: f64,
) -> (Message, Option<Number>) {
    let log = logs(trace).iter().find(|log| entry.is_none_or(|entry| log.entry == entry));
    let all = log.map_or_else(Vec::new, |log| reasons(&Snapshot::new(log, None), level, fails));
    let Some(((reason, n), change)) = all.first().and_then(|first| Some((first, change(first.0)?))) else {
        return (
            message(
                "Requests wait for a free line, MSHR or place in the miss queue; the log does not state which: fewer misses at a time avoid the stalls.",
            ),
            None,
        );
    };
    let part = percent(share(*n, fails));
    let number = Number::new(phrase("Most frequent reason"), *n, Unit::None).note((*reason).to_owned());
    (change.with("share", part), Some(number))
}

/// A level whose cache could not take accesses; without a bound, as nobody says which cycles that took.
pub(in crate::systems::gainsight) fn retried(trace: &Trace, level: &str, cache: &Cache) -> Finding {
    let each = cache.fails / cache.accesses;
    let (line, reason) = why(trace, None, level, cache.fails);
    let mut numbers = vec![
        Number::new(phrase("Retries"), cache.fails, Unit::None),
        Number::new(phrase("Accesses"), cache.accesses, Unit::None),
        Number::new(phrase("Misses"), cache.misses, Unit::None)
            .note(percent(share(cache.misses, cache.accesses))),
    ];
    numbers.extend(reason);
    Finding {
        subject: level.to_owned(),
        severity: Severity::Warning,
        sentence: message("{level} cannot accept accesses ⟦{n} times⟧, {each} per access.")
            .with("level", level)
            .with("n", with_unit(cache.fails, &Unit::None))
            .with("each", with_unit(each, &Unit::None)),
        line,
        value: cache.fails,
        unit: Unit::None,
        saving: Saving::default(),
        evidence: Evidence {
            shown: message("accesses and retries of {level}, whole run").with("level", level),
            figure: Some(bars(
                Unit::None,
                None,
                [
                    (phrase("Hits").to_owned(), cache.hits()),
                    (phrase("Pending hits").to_owned(), cache.pending),
                    (phrase("Misses").to_owned(), cache.misses),
                    (phrase("Retries").to_owned(), cache.fails),
                ],
            )),
            numbers,
            how: message(
                "Reservation_fails and Access of all units at the end of the log. A reservation fail is an attempt that is retried, not an access.",
            ),
            view: "details".to_owned(),
            address: Place::view("details")
                .figure("cache-units-0", &[usize::from(level != "L1"), 1])
                .address(),
            ..Evidence::default()
        },
        ..Finding::default()
    }
}

/// A number of the whole run by its name.
fn value(shown: &Snapshot, key: &str) -> Option<f64> {
    shown.printed(shown.log.keys.iter().position(|own| own == key)?)
}

/// Of how many kernels it was printed last.
fn printed(shown: &Snapshot, key: &str) -> Option<usize> {
    let row = shown.log.keys.iter().position(|own| own == key)?;
    shown.log.printed.get(row).map(|n| *n as usize)
}

/// What a log without accesses is.
#[allow(clippy::too_many_lines)] // most of it is texts
pub(in crate::systems::gainsight) fn summary(input: &RuleInput) -> Option<Summary> {
    let log = logs(input.trace).first().filter(|log| !log.kernels.is_empty())?;
    let shown = Snapshot::new(log, None);
    let run = input.trace.extensions.get::<Recorded>().and_then(|recorded| recorded.runs.first());
    let n = run.map_or(log.kernels.len() as u64, |run| run.launches().iter().map(|[_, all]| all).sum());
    let cycles =
        value(&shown, "gpu_tot_sim_cycle").or_else(|| run.map(|run| run.cycles() as f64)).unwrap_or(0.0);
    let instructions = value(&shown, "gpu_tot_sim_insn");
    let figure = |id: &str, chosen: &[usize]| Place::view("details").figure(id, chosen).address();
    let per_cycle = instructions.filter(|_| 0.0 < cycles).map(|n| n / cycles);
    let time = run.and_then(|run| run.clock_mhz).filter(|mhz| 0.0 < *mhz).map(|mhz| cycles / mhz);
    let kernels = message("{n} kernels").with("n", thousands(n));
    let mut tiles = vec![
        Tile {
            label: message("Simulated cycles"),
            value: with_unit(cycles, &Unit::Cycles).into(),
            comparison: match time {
                Some(time) => message("{kernels}, {time}")
                    .with_message("kernels", kernels)
                    .with("time", with_unit(time, &Unit::Micros)),
                None => kernels,
            },
            address: Place::view("timeline").address(),
            amount: Some((cycles, Unit::Cycles)),
            ..Tile::default()
        },
        Tile {
            label: message("Instructions per cycle"),
            value: per_cycle.map_or_else(|| "–".to_owned(), |n| fixed(n, 2)).into(),
            amount: per_cycle.map(|n| (n, Unit::PerCycle)),
            comparison: match instructions {
                Some(n) => message("{n} thread instructions").with("n", with_unit(n, &Unit::None)),
                None => Message::default(),
            },
            address: figure("kernel-statistics-0", &[]),
            ..Tile::default()
        },
    ];
    for (at, (level, name)) in CACHES.iter().enumerate() {
        let cache = Cache::of(&shown, name);
        let part = |n: f64, cache: &Cache| share(n, cache.accesses);
        tiles.push(Tile {
            label: message("Hits of {level}").with("level", *level),
            value: cache.map_or_else(|| "–".to_owned(), |cache| percent(cache.hit_share())).into(),
            amount: cache.map(|cache| (cache.hit_share(), Unit::Share)),
            comparison: match cache {
                Some(cache) => message("{n} accesses, {retries} retries per access")
                    .with("n", with_unit(cache.accesses, &Unit::None))
                    .with("retries", with_unit(cache.fails / cache.accesses, &Unit::None)),
                None => message("not reported"),
            },
            bar: cache.map_or_else(Vec::new, |cache| {
                vec![
                    (part(cache.hits(), &cache), Color::Compute),
                    (part(cache.pending, &cache), Color::Copy),
                    (part(cache.misses, &cache), Color::Wait),
                ]
            }),
            address: figure("cache-units-0", &[at]),
            ..Tile::default()
        });
    }
    tiles.push(warps_tile(&shown));
    let parts = [run.map(hottest), stalls(&shown, run, cycles), warps(&shown)];
    Some(Summary { tiles, parts: parts.into_iter().flatten().filter(|part| !part.rows.is_empty()).collect() })
}

/// The clock of a domain, MHz, where it is known.
type Clock = fn(&Domains) -> Option<f64>;

/// What stops memory requests: its key in logs, its name, what it counts, and the clock that counts it.
const STALLS: [(&str, &str, &str, Clock); 2] = [
    (
        "gpu_stall_dramfull",
        phrase("Memory queue full"),
        phrase(
            "Cycles in which the queue of an L2 slice had no room for a request, summed over the slices (gpu_stall_dramfull)",
        ),
        |domains| domains.l2,
    ),
    (
        "gpu_stall_icnt2sh",
        phrase("Network to the cores full"),
        phrase(
            "Cycles in which an L2 slice had a reply and the network to the cores had no room for it, summed over the slices (gpu_stall_icnt2sh)",
        ),
        |domains| domains.network,
    ),
];

/// How often memory was stopped, the largest stall first, with its share of the cycles of all L2 slices: each slice counts
/// at most one of each kind in a cycle of the clock that counts it. `None` where the log does not print them.
fn stalls(shown: &Snapshot, run: Option<&Run>, cycles: f64) -> Option<Part> {
    let domains = &shown.log.domains;
    let level = run.and_then(|run| run.levels.iter().find(|level| level.name == "L2"));
    let slices = level.and_then(|level| level.units).filter(|slices| 0 < *slices);
    // More than all cycles is no share.
    let part = |n: f64, mhz: Option<f64>| {
        let all = cycles * slices? as f64 * domains.per_core(mhz)?;
        (0.0 < all && n <= all).then(|| share(n, all))
    };
    // Counts of the first kernels are none of the whole run.
    let all = shown.log.kernels.len();
    let of = STALLS.iter().filter_map(|(key, ..)| printed(shown, key)).min()?;
    let told = STALLS.iter().filter_map(|(key, name, meaning, clock)| {
        let n = value(shown, key)?;
        Some(((*name, *meaning), n, part(n, clock(domains)).filter(|_| of == all)))
    });
    let mut told: Vec<((&str, &str), f64, Option<f64>)> = told.collect();
    order::sort_by(&mut told, |a, b| b.1.total_cmp(&a.1));
    if told.is_empty() {
        return None;
    }
    let has_shares = told.iter().any(|(.., part)| part.is_some());
    let row = |((name, meaning), n, part): ((&str, &str), f64, Option<f64>)| PartRow {
        name: name.to_owned().into(),
        meaning: meaning.to_owned(),
        bar: part.map(|part| (part, Color::Wait)).into_iter().collect(),
        cells: vec![with_unit(n, &Unit::None), part.map_or_else(|| "–".to_owned(), percent)],
        amount: Some((n, Unit::None)),
        address: Place::view("details").figure("kernel-statistics-0", &[]).address(),
        ..PartRow::default()
    };
    let note = match slices.filter(|_| has_shares) {
        Some(n) => message("share of the cycles of {n} L2 slices, whole run; memory queue at the clock of L2, network at its own").with("n", thousands(n)),
        None if of < all => message("first {n} of {all} kernels").with("n", of).with("all", all),
        None => message("whole run"),
    };
    Some(Part {
        title: message("Memory stalls"),
        note,
        columns: [phrase("Count"), phrase("Share")].map(str::to_owned).to_vec(),
        rows: told.into_iter().map(row).collect(),
        ..Part::default()
    })
}

/// Issue slots of schedulers by what warps do: issued, waiting for data, nothing to issue, stalled.
fn slots(shown: &Snapshot) -> Option<[f64; 4]> {
    let mut slots = [0.0; 4];
    for (name, value) in shown.under("warps.") {
        let at = match name {
            "W0_Scoreboard" => 1,
            "W0_Idle" => 2,
            "Stall" => 3,
            _ => 0,
        };
        if let Some(sum) = slots.get_mut(at) {
            *sum += value.unwrap_or(0.0);
        }
    }
    (0.0 < slots.iter().sum::<f64>()).then_some(slots)
}

fn warps_tile(shown: &Snapshot) -> Tile {
    let label = message("Issuing slots");
    let Some(slots) = slots(shown) else {
        return Tile {
            label,
            value: "–".into(),
            comparison: message("no information on warps"),
            ..Tile::default()
        };
    };
    let all: f64 = slots.iter().sum();
    let [issued, waiting, idle, stalled] = slots.map(|n| share(n, all));
    Tile {
        label,
        value: percent(issued).into(),
        amount: Some((issued, Unit::Share)),
        comparison: message("{share} waiting for data").with("share", percent(waiting)),
        bar: vec![
            (issued, Color::Compute),
            (waiting, Color::Wait),
            (stalled, Color::Copy),
            (idle, Color::Idle),
        ],
        address: Place::view("details").figure("warp-occupancy-0", &[]).address(),
        ..Tile::default()
    }
}

fn warps(shown: &Snapshot) -> Option<Part> {
    let slots = slots(shown)?;
    let all: f64 = slots.iter().sum();
    let names = [
        (phrase("Issued"), Color::Compute),
        (phrase("Waiting for data"), Color::Wait),
        (phrase("Nothing to issue"), Color::Idle),
        (phrase("Pipeline full"), Color::Copy),
    ];
    let row = |((name, color), n): ((&'static str, Color), f64)| PartRow {
        name: name.into(),
        color: Some(color),
        share: share(n, all),
        cells: vec![with_unit(n, &Unit::None), percent(share(n, all))],
        amount: Some((n, Unit::None)),
        address: Place::view("details").figure("warp-occupancy-0", &[]).address(),
        ..PartRow::default()
    };
    Some(Part {
        title: message("Scheduler slots"),
        note: message("whole run"),
        rows: names.into_iter().zip(slots).map(row).collect(),
        ..Part::default()
    })
}

fn hottest(run: &Run) -> Part {
    let mut rows: Map<&str, usize> = Map::default();
    // Name, launches, cycles, cycles with known instructions, instructions.
    let mut all: Vec<(&str, u64, f64, f64, f64)> = Vec::new();
    for (kernel, [launches, _]) in run.kernels.iter().zip(run.launches()) {
        let row = *rows.entry(&kernel.name).or_insert(all.len());
        if row == all.len() {
            all.push((&kernel.name, 0, 0.0, 0.0, 0.0));
        }
        let Some((_, n, cycles, known, instructions)) = all.get_mut(row) else { continue };
        let own = kernel.cycles as f64 * kernel.times() as f64;
        *n += launches;
        *cycles += own;
        if let Some(ipc) = kernel.ipc {
            *known += own;
            *instructions += ipc * own;
        }
    }
    order::sort_by(&mut all, |a, b| b.2.total_cmp(&a.2));
    let cycles: f64 = all.iter().map(|own| own.2).sum();
    let row = |(name, n, own, known, instructions): &(&str, u64, f64, f64, f64)| PartRow {
        name: called(name).to_owned().into(),
        cells: vec![
            thousands(*n),
            with_unit(*own, &Unit::None),
            fixed(share(*own, cycles) * 100.0, 1),
            if *known <= 0.0 { "–".to_owned() } else { fixed(instructions / known, 2) },
        ],
        amount: Some((*own, Unit::Cycles)),
        address: Place::view("details").figure("kernel-statistics-0", &[]).address(),
        ..PartRow::default()
    };
    Part {
        title: message("Hottest kernels"),
        note: kernel_names(run.kernels.iter()),
        columns: [phrase("Count"), phrase("Cycles"), "%", phrase("Instructions per cycle")]
            .map(str::to_owned)
            .to_vec(),
        rows: all.iter().take(7).map(row).collect(),
        measure: 1,
        more: all.len().saturating_sub(7) as u64,
        list: Place::view("details").figure("kernel-statistics-0", &[]).address(),
        ..Part::default()
    }
}
