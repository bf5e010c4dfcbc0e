//! What limits a probed kernel: how its blocks fill the units, what slow ones have in common, what probes cost, how often
//! memory is touched.
//!
//! The whole is the time of all lanes: each lane of a unit from the first block of that unit to its last. Clocks of units
//! need not agree for it.

mod summary;

use super::folder::Folder;
use super::{density, schedule};
use crate::analysis::finding::{Evidence, Finding, Number, Saving, Severity, share};
use crate::base::number::{fixed, thousands, with_unit};
use crate::base::order;
use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};
use crate::findings::place::Place;
use crate::findings::trace::{number_of, percent};
use crate::findings::{Guide, Looked, Rule, RuleInput, Threshold};
use crate::model::figure::{AxisLabel, Bar, BarRole, Bars, Body, Figure, Histogram, HistogramSeries, Mark};
use crate::views::density::compute::Density;
use crate::views::schedule::compute::{Schedule, Shared, UnitRow};

/// What the system says.
pub(super) static GUIDE: Guide = Guide {
    rules: &[&LAST_WAVE, &GAPS, &IDLE_LANES, &SLOW_BLOCKS, &SLOW_UNITS, &SLOW_DOWN, &ONCE],
    summary: summary::summary,
};

fn folder<'a>(input: &RuleInput<'a>) -> Option<&'a Folder> {
    input.trace.extensions.get()
}

/// The schedule, where blocks have records.
fn blocks<'a>(input: &RuleInput<'a>) -> Option<&'a Schedule> {
    input.result::<Schedule>(&schedule::ANALYSIS).filter(|all| !all.is_empty())
}

/// Said where nothing says which unit ran a block, or when.
fn no_schedule(input: &RuleInput) -> Looked {
    if folder(input).is_none() {
        return Looked::NotHere;
    }
    match blocks(input) {
        Some(all) if !all.launch.has_units => {
            Looked::Missing(message("the records do not say which SM ran a block: save %smid in the probe"))
        }
        _ => Looked::Missing(message(
            "no map has begin and length of blocks: probe them with a map of start and elapsed cycles, as block_sched does",
        )),
    }
}

/// The schedule with its units.
fn units<'a>(input: &RuleInput<'a>) -> Result<&'a Schedule, Looked> {
    blocks(input).filter(|all| all.launch.has_units).ok_or_else(|| no_schedule(input))
}

/// Time of all lanes, and how much of it blocks run, lanes wait between blocks, and lanes stand idle.
struct Lanes {
    all: f64,
    running: f64,
    gaps: f64,
    idle: f64,
}

fn length(unit: &UnitRow) -> f64 {
    unit.last.saturating_sub(unit.first) as f64 * unit.lanes.len() as f64
}

fn lanes(all: &Schedule) -> Lanes {
    let sum = |of: fn(&UnitRow) -> f64| all.units.iter().map(of).sum::<f64>();
    let (whole, running, gaps) = (sum(length), sum(|unit| unit.running as f64), sum(|unit| unit.gap as f64));
    Lanes { all: whole, running, gaps, idle: (whole - running - gaps).max(0.0) }
}

/// Records are missing: what is concluded of the others.
fn lost(all: &Schedule) -> Message {
    if all.lost() == 0 {
        return Message::default();
    }
    message(" {n} blocks have no record; their time counts as gap or idle.").with("n", thousands(all.lost()))
}

/// Bars of shares of the whole.
fn bars(rows: &[(&str, f64)], unit: Unit) -> Figure {
    let bar = |(name, value): &(&str, f64)| Bar {
        name: (*name).to_owned(),
        values: vec![Some(*value)],
        role: if *name == phrase("Running") { BarRole::Work } else { BarRole::Wait },
        detail: String::new(),
    };
    Figure::new("", Body::Bars(Bars { unit, bars: rows.iter().map(bar).collect(), ..Bars::default() }))
}

fn shares(of: &Lanes) -> Figure {
    let rows = [
        (phrase("Running"), of.running / of.all),
        (phrase("Gaps"), of.gaps / of.all),
        (phrase("Idle"), of.idle / of.all),
    ];
    bars(&rows, Unit::Share)
}

// The last wave.

static LAST_WAVE: Rule = Rule {
    id: "neutrino-last-wave",
    version: 1,
    title: phrase("Last wave"),
    thresholds: &[Threshold {
        name: phrase("share of all lanes and waves that the last wave leaves free"),
        value: 0.05,
        unit: Unit::Share,
        source: phrase("our own choice: less is hardly worth another grid"),
    }],
    look: |input| {
        let all = match units(input) {
            Ok(all) => all,
            Err(why) => return why,
        };
        let numbers = &all.numbers;
        let n = f64::from(numbers.n_waves());
        let free = f64::from(numbers.lanes.saturating_sub(numbers.last_wave));
        let part = share(free, f64::from(numbers.lanes) * n);
        // One wave that is not full is a small grid: lanes were counted of what ran, so it cannot be seen.
        if part < LAST_WAVE.limit(0) {
            let said = message("the last of {n} waves leaves {share} of all lanes and waves free");
            return Looked::Nothing(said.with("n", numbers.n_waves()).with("share", percent(part)));
        }
        let [median, ..] = numbers.percentiles;
        let value = free * median as f64;
        let time = all.launch.time.clone();
        let of = lanes(all);
        let sentence = message("The last of {n} waves has ⟦{last} blocks for {lanes} lanes⟧.");
        Looked::Found(vec![Finding {
            severity: Severity::Warning,
            sentence: sentence
                .with("n", numbers.n_waves())
                .with("last", thousands(numbers.last_wave))
                .with("lanes", thousands(numbers.lanes)),
            line: message("{waves} waves. A grid of a multiple of {lanes} blocks, or blocks that take several tiles in turn, fill all lanes.")
                .with("waves", fixed(numbers.waves, 2))
                .with("lanes", thousands(numbers.lanes)),
            value: part,
            unit: Unit::Share,
            saving: Saving::about(value, of.all.max(value), time.clone(), message("Free lanes of the last wave times the median block, against the time of all lanes.")).of(phrase("{share} of lane time")),
            evidence: Evidence {
                shown: message("{n} lanes free in the last wave").with("n", number_of(free)),
                figure: Some(bars(&[(phrase("Waves before"), f64::from(numbers.lanes)), (phrase("Last wave"), f64::from(numbers.last_wave))], Unit::Count(phrase("blocks").to_owned()))),
                numbers: vec![
                    Number::new(phrase("Blocks of the launch"), all.launched().max(numbers.blocks) as f64, Unit::None),
                    Number::new(phrase("Block lanes"), f64::from(numbers.lanes), Unit::None),
                    Number::new(phrase("Waves"), numbers.waves, Unit::None),
                    Number::new(phrase("Blocks of the last wave"), f64::from(numbers.last_wave), Unit::None),
                    Number::new(phrase("Median block"), median as f64, time),
                ],
                how: message("Lanes are the blocks that were resident at once, counted on each SM. Waves = blocks of the launch ÷ lanes.{lost}").with_message("lost", lost(all)),
                view: "schedule".to_owned(),
                address: Place::view("schedule").state("table", "waves").address(),
                ..Evidence::default()
            },
            ..LAST_WAVE.finding()
        }])
    },
};

// Gaps between blocks, and lanes that stand idle.

const OF_LANES: Threshold = Threshold {
    name: phrase("share of the time of all lanes"),
    value: 0.05,
    unit: Unit::Share,
    source: phrase("our own choice: less is hardly worth another grid"),
};

/// Time that lanes lose for one reason.
struct Lost {
    sentence: Message,
    line: Message,
    /// Said where it is too little.
    few: Message,
    time: f64,
    name: &'static str,
    model: Message,
    numbers: Vec<Number>,
    how: Message,
    place: Place,
}

/// What a rule says of the time that lanes lose, where it is a share of all of theirs.
fn of_lanes(rule: &Rule, input: &RuleInput, lose: fn(&Schedule, &Lanes) -> Lost) -> Looked {
    let all = match units(input) {
        Ok(all) => all,
        Err(why) => return why,
    };
    let (of, time) = (lanes(all), all.launch.time.clone());
    let own = lose(all, &of);
    let part = share(own.time, of.all);
    if part < rule.limit(0) {
        return Looked::Nothing(own.few.with("share", percent(part)));
    }
    let mut numbers = vec![
        Number::new(own.name, own.time, time.clone()).note(percent(part)),
        Number::new(phrase("Time of all lanes"), of.all, time.clone()),
    ];
    numbers.extend(own.numbers);
    Looked::Found(vec![Finding {
        severity: Severity::Warning,
        sentence: own.sentence.with("share", percent(part)),
        line: own.line,
        value: part,
        unit: Unit::Share,
        saving: Saving::at_most(own.time, of.all, time, own.model).of(phrase("{share} of lane time")),
        evidence: Evidence {
            shown: message("time of {n} lanes").with("n", thousands(all.lanes.len() as u64)),
            figure: Some(shares(&of)),
            numbers,
            how: own.how.with_message("lost", lost(all)),
            view: "schedule".to_owned(),
            address: own.place.address(),
            ..Evidence::default()
        },
        ..rule.finding()
    }])
}

static GAPS: Rule = Rule {
    id: "neutrino-scheduling-gaps",
    version: 1,
    title: phrase("Gaps between blocks"),
    thresholds: &[OF_LANES],
    look: |input| of_lanes(&GAPS, input, gaps),
};

fn gaps(all: &Schedule, of: &Lanes) -> Lost {
    let (time, [median, ..]) = (all.launch.time.clone(), all.numbers.percentiles);
    let n = (all.len() - all.lanes.len().min(all.len())) as f64;
    let mean = of.gaps / n.max(1.0);
    Lost {
        sentence: message("Lanes wait ⟦{share} of their time⟧ between two blocks."),
        line: message("A gap takes {gap} in the mean, a block {block} (median). Fewer, longer blocks that loop over tiles have fewer gaps.")
            .with("gap", with_unit(mean.round(), &time))
            .with("block", with_unit(median as f64, &time)),
        few: message("gaps between blocks take {share} of the time of all lanes"),
        time: of.gaps,
        name: phrase("Gaps"),
        model: message("If each block began as soon as the one before it on its lane ended."),
        numbers: vec![
            Number::new(phrase("Mean gap"), mean, time.clone()),
            Number::new(phrase("Median block"), median as f64, time),
        ],
        how: message("Each block takes the free lane of its SM that became free last; its gap is the time since then. Each lane counts from the first to the last block of its SM.{lost}"),
        place: Place::view("schedule"),
    }
}

static IDLE_LANES: Rule = Rule {
    id: "neutrino-idle-lanes",
    version: 1,
    title: phrase("Idle lanes"),
    thresholds: &[OF_LANES],
    look: |input| of_lanes(&IDLE_LANES, input, idle),
};

fn idle(all: &Schedule, of: &Lanes) -> Lost {
    let free = |unit: &&UnitRow| length(unit) - unit.running as f64 - unit.gap as f64;
    let most = all.units.iter().max_by(|a, b| free(a).total_cmp(&free(b)));
    let (id, own) = most.map_or((0, 0.0), |unit| (unit.id, share(free(&unit), length(unit))));
    Lost {
        sentence: message("Lanes stand ⟦idle for {share} of their time⟧ while others of their SM still run."),
        line: message("Most on SM {id}: {own}. Long blocks that begin last keep an SM alone: start them first, or split them.")
            .with("id", id)
            .with("own", percent(own)),
        few: message("lanes have no block while others of their SM run in {share} of their time"),
        time: of.idle,
        name: phrase("Idle"),
        model: message("If the same blocks filled all lanes of each SM until its last one ends."),
        numbers: vec![Number::new(phrase("Longest block"), all.numbers.longest as f64, all.launch.time.clone())],
        how: message("Idle is the time of a lane before its first and after its last block, within the first and last block of its SM. Other SMs do not count: their clocks need not agree.{lost}"),
        place: Place::view("schedule").state("order", "running-up"),
    }
}

/// How much longer than the median a slow block is.
const SLOW: f64 = 1.15;

static SLOW_BLOCKS: Rule = Rule {
    id: "neutrino-slow-blocks",
    version: 1,
    title: phrase("Slow blocks"),
    thresholds: &[
        Threshold {
            name: phrase("share of the running time that slow blocks take beyond the median"),
            value: 0.02,
            unit: Unit::Share,
            source: phrase("our own choice: less is hardly worth looking at"),
        },
        Threshold {
            name: phrase("medians from which a block is slow"),
            value: SLOW,
            unit: Unit::None,
            source: phrase("the same as in the view of the schedule"),
        },
    ],
    look: |input| {
        let Some(all) = blocks(input) else { return no_schedule(input) };
        let [median, ..] = all.numbers.percentiles;
        let (median, time) = (median as f64, all.launch.time.clone());
        let from = all.by_elapsed.partition_point(|row| all.elapsed_of(*row) as f64 <= SLOW * median);
        let slow = all.by_elapsed.get(from..).unwrap_or_default();
        let excess: f64 = slow.iter().map(|row| all.elapsed_of(*row) as f64 - median).sum();
        let running: f64 = all.units.iter().map(|unit| unit.running as f64).sum();
        let part = share(excess, running);
        if part < SLOW_BLOCKS.limit(0) {
            let said = message("{n} blocks are slow and take {share} of the running time beyond the median");
            return Looked::Nothing(
                said.with("n", thousands(slow.len() as u64)).with("share", percent(part)),
            );
        }
        let common = all.numbers.common.map_or_else(
            || message("They have no coordinate, SM or wave in common."),
            |common| {
                let what = match common.shared {
                    Shared::Is(axis, value) => {
                        message("{axis} = {n}").with("axis", axis_name(axis)).with("n", value)
                    }
                    Shared::AtLeast(axis, value) => {
                        message("{axis} ≥ {n}").with("axis", axis_name(axis)).with("n", value)
                    }
                    Shared::Unit(id) => message("SM {id}").with("id", id),
                    Shared::Wave(n) => message("wave {n}").with("n", n),
                };
                let said = message("{with} of {slow} have {what}: look at what these blocks do.");
                said.with("with", thousands(common.with))
                    .with("slow", thousands(common.slow))
                    .with_message("what", what)
            },
        );
        let sentence = message("⟦{n} of {all} blocks⟧ take more than 1.15 times the median of {median}.");
        let bins = &all.numbers.bins;
        let edges = (0..=bins.counts.len()).map(|at| bins.from + at as f64 * bins.step).collect();
        let counts = bins.counts.iter().map(|n| f64::from(*n)).collect();
        Looked::Found(vec![Finding {
            severity: Severity::Warning,
            sentence: sentence
                .with("n", thousands(slow.len() as u64))
                .with("all", thousands(all.len() as u64))
                .with("median", with_unit(median, &time)),
            line: common,
            value: slow.len() as f64,
            unit: Unit::None,
            saving: Saving::about(excess, running, time.clone(), message("If each slow block took the median; of the running time of all blocks.")).of(phrase("{share} of the running time")),
            evidence: Evidence {
                shown: message("length of all blocks"),
                figure: Some(Figure::new(
                    "",
                    Body::Histogram(Histogram {
                        x: AxisLabel { name: all.launch.elapsed().to_owned(), unit: time.clone(), ..AxisLabel::default() },
                        count_unit: Unit::Count(phrase("blocks").to_owned()),
                        edges,
                        series: vec![HistogramSeries { name: String::new(), counts, values: Vec::new() }],
                        marks: vec![Mark { name: phrase("Median").to_owned(), value: median }],
                        ..Histogram::default()
                    }),
                )),
                numbers: vec![
                    Number::new(phrase("Slow blocks"), slow.len() as f64, Unit::None).note(percent(share(slow.len() as f64, all.len() as f64))),
                    Number::new(phrase("Beyond the median"), excess, time.clone()).note(percent(part)),
                    Number::new(phrase("Median block"), median, time.clone()),
                    Number::new(phrase("Longest block"), all.numbers.longest as f64, time),
                    Number::new(phrase("Tail"), all.numbers.tail(), Unit::Share),
                ],
                how: message("Something is common when at least half of the slow blocks have it, and at least twice as many of them as of all blocks.{lost}").with_message("lost", lost(all)),
                view: "schedule".to_owned(),
                address: slow.last().map_or_else(Place::default, |row| Place::view("schedule").state("row", &row.to_string())).address(),
                ..Evidence::default()
            },
            ..SLOW_BLOCKS.finding()
        }])
    },
};

fn axis_name(axis: u8) -> &'static str {
    match axis {
        0 => "x",
        1 => "y",
        _ => "z",
    }
}

static SLOW_UNITS: Rule = Rule {
    id: "neutrino-slow-units",
    version: 1,
    title: phrase("Slow SMs"),
    thresholds: &[Threshold {
        name: phrase("median blocks that the mean block of a slow SM takes"),
        value: 1.1,
        unit: Unit::None,
        source: phrase("our own choice, for SMs with at least four blocks"),
    }],
    look: |input| {
        let all = match units(input) {
            Ok(all) => all,
            Err(why) => return why,
        };
        let mean = |unit: &UnitRow| unit.running as f64 / f64::from(unit.blocks.max(1));
        let own: Vec<&UnitRow> = all.units.iter().filter(|unit| 4 <= unit.blocks).collect();
        let mut means: Vec<f64> = own.iter().map(|unit| mean(unit)).collect();
        if means.len() < 3 {
            return Looked::Nothing(
                message("{n} SMs ran four blocks or more: too few to differ").with("n", means.len()),
            );
        }
        order::sort_floats(&mut means);
        let median = order::median(&means);
        let slow: Vec<&&UnitRow> =
            own.iter().filter(|unit| SLOW_UNITS.limit(0) * median <= mean(unit)).collect();
        let Some(worst) = slow.iter().max_by(|a, b| mean(a).total_cmp(&mean(b))) else {
            let most = means.last().copied().unwrap_or(0.0) / median.max(1.0);
            let said = message("the slowest SM takes {n} times the median of all SMs for a block");
            return Looked::Nothing(said.with("n", fixed(most, 2)));
        };
        let (factor, time) = (mean(worst) / median.max(1.0), all.launch.time.clone());
        let sentence =
            message("⟦{n} of {all} SMs⟧ are slow; SM {id} takes {factor} times the median for a block.");
        Looked::Found(vec![Finding {
            severity: Severity::Note,
            sentence: sentence
                .with("n", slow.len())
                .with("all", own.len())
                .with("id", worst.id)
                .with("factor", fixed(factor, 2)),
            line: message("Its blocks take {mean} in the mean, those of the median SM {median}. Look whether these blocks do more, or share the SM with more others.")
                .with("mean", with_unit(mean(worst).round(), &time))
                .with("median", with_unit(median.round(), &time)),
            value: slow.len() as f64,
            unit: Unit::None,
            evidence: Evidence {
                shown: message("mean block by SM"),
                figure: Some(bars(&[(phrase("Slowest SM"), mean(worst)), (phrase("Median SM"), median), (phrase("Fastest SM"), means.first().copied().unwrap_or(0.0))], time.clone())),
                numbers: vec![
                    Number::new(phrase("Slow SMs"), slow.len() as f64, Unit::None),
                    Number::new(phrase("Mean block, slowest SM"), mean(worst), time.clone()),
                    Number::new(phrase("Mean block, median SM"), median, time),
                ],
                how: message("Mean length of the blocks of each SM with at least four blocks, against the median of these means."),
                view: "schedule".to_owned(),
                address: Place::view("schedule").state("table", "units").address(),
                ..Evidence::default()
            },
            ..SLOW_UNITS.finding()
        }])
    },
};

/// Kernel with probes over kernel without, by kernel: the median of its launches, the slowest first.
fn impacts(folder: &Folder) -> Vec<(&str, f64, usize)> {
    let mut found: Vec<(&str, Vec<f64>)> = Vec::new();
    for (name, impact) in
        folder.launches.iter().filter_map(|launch| Some((launch.name.as_str(), launch.impact?)))
    {
        match found.iter_mut().find(|row| row.0 == name) {
            Some((_, impacts)) => impacts.push(impact),
            None => found.push((name, vec![impact])),
        }
    }
    let mut rows: Vec<_> = found
        .into_iter()
        .map(|(name, mut impacts)| {
            order::sort_floats(&mut impacts);
            (name, order::median(&impacts), impacts.len())
        })
        .collect();
    rows.sort_by(|a, b| b.1.total_cmp(&a.1));
    rows
}

static SLOW_DOWN: Rule = Rule {
    id: "neutrino-slow-down",
    version: 1,
    title: phrase("Slowed down by probes"),
    thresholds: &[Threshold {
        name: phrase("kernel with probes over kernel without"),
        value: 1.1,
        unit: Unit::None,
        source: phrase("our own choice: beyond it times of blocks are those of the probes too"),
    }],
    look: |input| {
        let Some(folder) = folder(input) else { return Looked::NotHere };
        let rows = impacts(folder);
        let Some((_, most, _)) = rows.first() else {
            return Looked::Missing(message(
                "the log has no time of a kernel without probes: run it once in benchmark mode",
            ));
        };
        let slow: Vec<_> = rows.iter().filter(|row| SLOW_DOWN.limit(0) <= row.1).collect();
        let finding = |(name, factor, n): &&(&str, f64, usize)| Finding {
            subject: (*name).to_owned(),
            severity: Severity::Warning,
            sentence: message("Probes make {name} ⟦{n} times slower⟧.")
                .with("name", name)
                .with("n", fixed(*factor, 2)),
            line: message(
                "Times of its blocks are too long by as much; shares and order of blocks may still hold. Save less in the probes.",
            ),
            value: *factor,
            unit: Unit::None,
            evidence: Evidence {
                shown: message("median of {n} launches").with("n", n),
                numbers: vec![
                    Number::new(phrase("Slow-down"), *factor, Unit::None),
                    Number::new(phrase("Launches"), *n as f64, Unit::None),
                ],
                how: message(
                    "The log of a benchmark has the time of each kernel with and without probes; the median of its launches counts.",
                ),
                view: "details".to_owned(),
                address: Place::view("details").figure("neutrino-slowdown", &[]).address(),
                ..Evidence::default()
            },
            ..SLOW_DOWN.finding()
        };
        Looked::found_or(slow.iter().take(3).map(finding).collect(), || {
            message("the most that probes slow a kernel down is {n} times").with("n", fixed(*most, 2))
        })
    },
};

static ONCE: Rule = Rule {
    id: "neutrino-touched-once",
    version: 1,
    title: phrase("Pages touched once"),
    thresholds: &[Threshold {
        name: phrase("share of the pages that are accessed once"),
        value: 0.5,
        unit: Unit::Share,
        source: phrase("our own choice: most pages are then never reused"),
    }],
    look: |input| {
        if folder(input).is_none() {
            return Looked::NotHere;
        }
        let counted = input.result::<Density>(&density::ANALYSIS).filter(|density| 0 < density.accesses);
        let Some(density) = counted else {
            return Looked::Missing(message(
                "no map has addresses: probe loads and stores with a map of addresses, as dmat does",
            ));
        };
        let pages = density.pages.len() as u64;
        let single = density.pages.iter().filter(|page| page.accesses == 1).count() as u64;
        let part = share(single as f64, pages as f64);
        let size = with_unit(density.page_bytes() as f64, &Unit::Bytes);
        if part < ONCE.limit(0) {
            let said = message("{share} of {n} pages of {size} are accessed once");
            return Looked::Nothing(
                said.with("share", percent(part)).with("n", thousands(pages)).with("size", size),
            );
        }
        let most = density.pages.iter().map(|page| page.accesses).max().unwrap_or(0);
        let sentence = message("⟦{single} of {pages} pages⟧ of {size} are accessed once.");
        Looked::Found(vec![Finding {
            severity: Severity::Note,
            sentence: sentence
                .with("single", thousands(single))
                .with("pages", thousands(pages))
                .with("size", size),
            line: message(
                "No cache can help these accesses. Threads that are near each other should access addresses that are near each other.",
            ),
            value: part,
            unit: Unit::Share,
            evidence: Evidence {
                shown: message("pages by their accesses"),
                figure: Some(bars(
                    &[
                        (phrase("Once"), single as f64),
                        (phrase("More often"), pages.saturating_sub(single) as f64),
                    ],
                    Unit::Count(phrase("pages").to_owned()),
                )),
                numbers: vec![
                    Number::new(phrase("Pages"), pages as f64, Unit::None),
                    Number::new(phrase("Pages accessed once"), single as f64, Unit::None).note(percent(part)),
                    Number::new(phrase("Accesses"), density.accesses as f64, Unit::None),
                    Number::new(phrase("Accesses per page, maximum"), most as f64, Unit::None),
                ],
                how: message(
                    "Accesses of all recorded threads by page; a smaller page size can be chosen in the heat map.",
                ),
                view: "heatmap".to_owned(),
                address: Place::view("heatmap").address(),
                ..Evidence::default()
            },
            ..ONCE.finding()
        }])
    },
};
