//! What limits a probed kernel: how its blocks fill the units, what slow ones have in common, what probes cost, how often
//! memory is touched.

mod groups;
mod lanes;
mod summary;

use super::folder::{Folder, SchemaSource};
use super::{density, schedule};
use crate::analysis::finding::{Evidence, Finding, Number, Saving, Severity, share};
use crate::base::number::{fixed, thousands, with_unit};
use crate::base::order;
use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};
use crate::findings::place::Place;
use crate::findings::trace::percent;
use crate::findings::{Guide, Looked, Rule, RuleInput, Threshold};
use crate::model::figure::{AxisLabel, Bar, BarRole, Bars, Body, Figure, Histogram, HistogramSeries, Mark};
use crate::views::density::compute::Density;
use crate::views::schedule::compute::{Schedule, UnitRow};
use lanes::{GAPS, IDLE_LANES, LAST_WAVE};

/// What the system says.
pub(super) static GUIDE: Guide = Guide {
    rules: &[&LAST_WAVE, &GAPS, &IDLE_LANES, &SLOW_BLOCKS, &SLOW_UNITS, &SLOW_DOWN, &ONCE],
    summary: summary::summary,
    advises: false,
};

fn folder<'a>(input: &RuleInput<'a>) -> Option<&'a Folder> {
    input.trace.extensions.get()
}

/// The schedule, where blocks have records.
fn blocks<'a>(input: &RuleInput<'a>) -> Option<&'a Schedule> {
    input.result::<Schedule>(&schedule::ANALYSIS).filter(|all| !all.is_empty())
}

/// Why what would fill a view is not there, where probes record it or no result tells what they record.
fn missing(input: &RuleInput, view: &str) -> Option<Message> {
    let folder = folder(input)?;
    let is_known = !matches!(folder.schema, SchemaSource::KernelInfo | SchemaSource::Guessed);
    let is_any = folder.result.is_none() && !is_known;
    let meant = |id: &str| id == view || is_any && id == "neutrino-results";
    input.trace.missing.iter().find(|missing| meant(&missing.id)).map(|missing| missing.why.clone())
}

/// Said where nothing says which unit ran a block, or when.
fn no_schedule(input: &RuleInput) -> Looked {
    if folder(input).is_none() {
        return Looked::NotHere;
    }
    if let Some(why) = missing(input, "schedule") {
        return Looked::Missing(why);
    }
    match blocks(input) {
        Some(all) if !all.launch.has_units => {
            Looked::Missing(message("the records have no SM of a block: save %smid in the probe"))
        }
        _ => Looked::Missing(message(
            "no map has block start and duration: probe blocks with a map of start and elapsed cycles, as block_sched does",
        )),
    }
}

/// Of launches that lost records of a greater share of their blocks nothing is said of the time of lanes: what ran there is not known.
const LOST: f64 = 0.01;

/// The schedule with its units, where it is whole: what lanes did without a block, and how many blocks filled them, is
/// known only then.
fn whole<'a>(input: &RuleInput<'a>) -> Result<&'a Schedule, Looked> {
    let all = units(input)?;
    if is_whole(all) { Ok(all) } else { Err(Looked::Missing(unrecorded(all))) }
}

/// Whether hardly a block is without a record of its own or of a part.
fn is_whole(all: &Schedule) -> bool {
    share((all.lost() + all.launch.partial) as f64, all.launched() as f64) <= LOST
}

/// How many blocks have no record, and how many lack that of a part.
fn unrecorded(all: &Schedule) -> Message {
    let lost = message("{n} of {all} blocks have no record").with("n", thousands(all.lost()));
    let words = [
        message("{n} of {all} blocks lack a warp's record"),
        message("{n} of {all} blocks lack a thread's record"),
    ];
    let partial = schedule::incomplete(all, words).with("n", thousands(all.launch.partial));
    let all_of = thousands(all.launched());
    let [lost, partial] = [lost, partial].map(|words| words.with("all", &all_of));
    match (all.lost(), all.launch.partial) {
        (_, 0) => lost,
        (0, _) => partial,
        _ => message("{a}, {b}").with_message("a", lost).with_message("b", partial),
    }
}

/// Blocks of the launch, or those with a record, in a sentence.
fn blocks_of(all: &Schedule) -> Message {
    let words = if all.lost() == 0 { message("{n} blocks") } else { message("{n} recorded blocks") };
    words.with("n", thousands(all.len() as u64))
}

/// The schedule with its units.
fn units<'a>(input: &RuleInput<'a>) -> Result<&'a Schedule, Looked> {
    blocks(input).filter(|all| all.launch.has_units).ok_or_else(|| no_schedule(input))
}

/// Records are missing: what is concluded of the others.
fn lost(all: &Schedule) -> Message {
    let lost = message(" {n} blocks have no record; their time counts as gaps or idle time.");
    let words = [
        message(" {n} blocks lack a warp's record; they may have run longer."),
        message(" {n} blocks lack a thread's record; they may have run longer."),
    ];
    let partial = schedule::incomplete(all, words).with("n", thousands(all.launch.partial));
    let lost = lost.with("n", thousands(all.lost()));
    match (all.lost(), all.launch.partial) {
        (0, 0) => Message::default(),
        (_, 0) => lost,
        (0, _) => partial,
        _ => message("{a}{b}").with_message("a", lost).with_message("b", partial),
    }
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

/// How much longer than the median a slow block is.
const SLOW: f64 = 1.15;

static SLOW_BLOCKS: Rule = Rule {
    id: "neutrino-slow-blocks",
    version: 1,
    title: phrase("Slow blocks"),
    thresholds: &[
        Threshold {
            name: phrase("share of running time that slow blocks take above the median"),
            value: 0.02,
            unit: Unit::Share,
            source: phrase("our own choice: less is hardly worth a look"),
        },
        Threshold {
            name: phrase("multiple of the median from which a block is slow"),
            value: SLOW,
            unit: Unit::None,
            source: phrase("same as in the schedule view"),
        },
    ],
    look: |input| {
        let Some(all) = blocks(input) else { return no_schedule(input) };
        if let Some(groups) = &all.numbers.groups {
            return Looked::Found(vec![groups::finding(all, groups)]);
        }
        let [median, ..] = all.numbers.percentiles;
        let (median, time) = (median as f64, all.launch.time.clone());
        let from = all.by_elapsed.partition_point(|row| all.elapsed_of(*row) as f64 <= SLOW * median);
        let slow = all.by_elapsed.get(from..).unwrap_or_default();
        let excess: f64 = slow.iter().map(|row| all.elapsed_of(*row) as f64 - median).sum();
        let running: f64 = all.units.iter().map(|unit| unit.running as f64).sum();
        let part = share(excess, running);
        if part < SLOW_BLOCKS.limit(0) {
            let said = message("{n} blocks are slow and take {share} of the running time above the median");
            return Looked::Nothing(
                said.with("n", thousands(slow.len() as u64)).with("share", percent(part)),
            );
        }
        let sentence = message("⟦{n} of {blocks}⟧ take more than 1.15 times the median of {median}.");
        Looked::Found(vec![Finding {
            severity: Severity::Warning,
            sentence: sentence
                .with("n", thousands(slow.len() as u64))
                .with_message("blocks", blocks_of(all))
                .with("median", with_unit(median, &time)),
            line: groups::common_line(all),
            value: slow.len() as f64,
            unit: Unit::None,
            saving: Saving::about(excess, running, time.clone(), message("If each slow block took the median; relative to the running time of all blocks.")).of(phrase("{share} of the running time")),
            evidence: Evidence {
                shown: message("durations of all blocks"),
                figure: Some(durations(all, &[(phrase("Median"), median)])),
                numbers: vec![
                    Number::new(phrase("Slow blocks"), slow.len() as f64, Unit::None).note(percent(share(slow.len() as f64, all.len() as f64))),
                    Number::new(phrase("Above the median"), excess, time.clone()).note(percent(part)),
                    Number::new(phrase("Median block"), median, time.clone()),
                    Number::new(phrase("Longest block"), all.numbers.longest as f64, time),
                    Number::new(phrase("Tail"), all.numbers.tail(), Unit::Share),
                ],
                how: message("Looked at: values and ranges of x, y and z, every so many of them up to 32, SMs and waves. A property is named if at least half of the slow blocks have it and it is at least twice as frequent among them as among all blocks, or if at least 90 % of the blocks with it are slow and chance does not explain them.{lost}").with_message("lost", lost(all)),
                view: "schedule".to_owned(),
                address: slow.last().map_or_else(Place::default, |row| Place::view("schedule").state("row", &row.to_string())).address(),
                ..Evidence::default()
            },
            ..SLOW_BLOCKS.finding()
        }])
    },
};

/// How many blocks ran how long, with marks.
fn durations(all: &Schedule, marks: &[(&str, f64)]) -> Figure {
    let bins = &all.numbers.bins;
    let edges = (0..=bins.counts.len()).map(|at| bins.from + at as f64 * bins.step).collect();
    let counts = bins.counts.iter().map(|n| f64::from(*n)).collect();
    let unit = all.launch.time.clone();
    let x = AxisLabel { name: all.launch.elapsed().to_owned(), unit, ..AxisLabel::default() };
    Figure::new(
        "",
        Body::Histogram(Histogram {
            x,
            count_unit: Unit::Count(phrase("blocks").to_owned()),
            edges,
            series: vec![HistogramSeries { name: String::new(), counts, values: Vec::new() }],
            marks: marks
                .iter()
                .map(|(name, value)| Mark { name: (*name).to_owned(), value: *value })
                .collect(),
            ..Histogram::default()
        }),
    )
}

/// Whether the median of the SMs is the time of none of them.
fn is_between(all: &Schedule) -> bool {
    let mut medians: Vec<f64> = all.units.iter().map(|unit| unit.median).collect();
    order::sort_floats(&mut medians);
    let median = order::median(&medians);
    !medians.iter().any(|own| (own - median).abs() <= (SLOW_UNITS.limit(0) - 1.0) * median)
}

static SLOW_UNITS: Rule = Rule {
    id: "neutrino-slow-units",
    version: 2,
    title: phrase("Slow SMs"),
    thresholds: &[Threshold {
        name: phrase("median block of a slow SM, times that of the median SM"),
        value: 1.1,
        unit: Unit::None,
        source: phrase("our own choice, for SMs with four or more blocks"),
    }],
    look: |input| {
        let all = match units(input) {
            Ok(all) => all,
            Err(why) => return why,
        };
        // Slow SMs that only run more of the slow blocks are told with these, and so are groups of SMs with their median
        // between them.
        let is_within = match &all.numbers.groups {
            Some(groups) => !groups.is_of_units() || is_between(all),
            None => false,
        };
        let of = |unit: &UnitRow| if is_within { unit.median_within } else { unit.median };
        let own: Vec<&UnitRow> = all.units.iter().filter(|unit| 4 <= unit.blocks).collect();
        let mut medians: Vec<f64> = own.iter().map(|unit| of(unit)).collect();
        if medians.len() < 3 {
            return Looked::Missing(
                message("{n} SMs ran four or more blocks: too few to compare").with("n", medians.len()),
            );
        }
        order::sort_floats(&mut medians);
        let median = order::median(&medians);
        let slow: Vec<&&UnitRow> =
            own.iter().filter(|unit| SLOW_UNITS.limit(0) * median <= of(unit)).collect();
        let Some(worst) = slow.iter().max_by(|a, b| of(a).total_cmp(&of(b))) else {
            let most = medians.last().copied().unwrap_or(0.0) / median.max(1.0);
            let said = if is_within {
                message(
                    "blocks on the slowest SM take {n} times as long as on the median SM, each compared with its own group",
                )
            } else {
                message("the slowest SM takes {n} times the median over all SMs per block")
            };
            return Looked::Nothing(said.with("n", fixed(most, 2)));
        };
        let (factor, time) = (of(worst) / median.max(1.0), all.launch.time.clone());
        let is_of_all = own.len() == all.units.len();
        let sentence = if is_of_all {
            message("⟦{n} of {all} SMs⟧ are slow; SM {id} takes {factor} times the median per block.")
        } else {
            message(
                "⟦{n} of the {all} SMs with four or more blocks⟧ are slow; SM {id} takes {factor} times the median per block.",
            )
        };
        Looked::Found(vec![Finding {
            severity: Severity::Note,
            sentence: sentence
                .with("n", slow.len())
                .with("all", own.len())
                .with("id", worst.id)
                .with("factor", fixed(factor, 2)),
            line: message("The median of its blocks takes {own}, that of the median SM {median}. Look whether these blocks do more, or share the SM with more others.")
                .with("own", with_unit(of(worst).round(), &time))
                .with("median", with_unit(median.round(), &time)),
            value: slow.len() as f64,
            unit: Unit::None,
            evidence: Evidence {
                shown: message("median block by SM"),
                figure: Some(bars(&[(phrase("Slowest SM"), of(worst)), (phrase("Median SM"), median), (phrase("Fastest SM"), medians.first().copied().unwrap_or(0.0))], time.clone())),
                numbers: vec![
                    Number::new(phrase("Slow SMs"), slow.len() as f64, Unit::None),
                    Number::new(phrase("Median block, slowest SM"), of(worst), time.clone()),
                    Number::new(phrase("Median block, median SM"), median, time),
                ],
                how: if is_within {
                    message("Median length of the recorded blocks of each SM with at least four, against the median of these. Each block counts relative to the mean of its group, slow or fast: an SM with more of the slow blocks is no slow SM.")
                } else {
                    message("Median length of the recorded blocks of each SM with at least four, against the median of these: one slow block makes no slow SM.")
                },
                view: "schedule".to_owned(),
                address: Place::view("schedule").state("table", "units").address(),
                ..Evidence::default()
            },
            ..SLOW_UNITS.finding()
        }])
    },
};

/// What probes cost the launches of a kernel.
struct Impact<'a> {
    name: &'a str,
    /// Kernel with probes over kernel without: the median of its launches.
    factor: f64,
    /// Of so many.
    launches: usize,
    /// Whether its first launch is left out.
    is_later: bool,
}

/// By kernel, the slowest first. The first launch of each is left out where there are others: what is compiled and loaded
/// before it is in its times.
fn impacts(folder: &Folder) -> Vec<Impact<'_>> {
    let mut found: Vec<(&str, Vec<f64>, Vec<f64>)> = Vec::new();
    for launch in &folder.launches {
        let Some(impact) = launch.impact else { continue };
        let at = found.iter().position(|row| row.0 == launch.name).unwrap_or_else(|| {
            found.push((&launch.name, Vec::new(), Vec::new()));
            found.len() - 1
        });
        if let Some((_, first, later)) = found.get_mut(at) {
            if launch.is_first || first.is_empty() { first.push(impact) } else { later.push(impact) }
        }
    }
    let of = |(name, first, later): (_, Vec<f64>, Vec<f64>)| {
        let is_later = !later.is_empty() && !first.is_empty();
        let mut own = if later.is_empty() { first } else { later };
        order::sort_floats(&mut own);
        Impact { name, factor: order::median(&own), launches: own.len(), is_later }
    };
    let mut rows: Vec<Impact> = found.into_iter().map(of).collect();
    order::sort_by(&mut rows, |a, b| b.factor.total_cmp(&a.factor));
    rows
}

impl Impact<'_> {
    /// Of which launches the factor is.
    fn of(&self) -> Message {
        let words = match (self.is_later, self.launches) {
            (true, 1) => message("of the launch after the first"),
            (true, _) => message("median of {n} launches without the first"),
            (false, 1) => message("of one launch"),
            (false, _) => message("median of {n} launches"),
        };
        words.with("n", self.launches)
    }
}

static SLOW_DOWN: Rule = Rule {
    id: "neutrino-slow-down",
    version: 2,
    title: phrase("Probe overhead"),
    thresholds: &[Threshold {
        name: phrase("kernel time with probes over kernel time without"),
        value: 1.1,
        unit: Unit::None,
        source: phrase("our own choice: beyond this, block durations mostly reflect the probes"),
    }],
    look: |input| {
        let Some(folder) = folder(input) else { return Looked::NotHere };
        let rows = impacts(folder);
        let Some(most) = rows.first().map(|row| row.factor) else {
            return Looked::Missing(message(
                "the log has no kernel time without probes: run it once in benchmark mode",
            ));
        };
        let slow: Vec<_> = rows.iter().filter(|row| SLOW_DOWN.limit(0) <= row.factor).collect();
        let finding = |of: &&Impact| Finding {
            subject: of.name.to_owned(),
            severity: Severity::Warning,
            sentence: message("Probes make {name} ⟦{n} times slower⟧, {launches}.")
                .with("name", of.name)
                .with("n", fixed(of.factor, 2))
                .with_message("launches", of.of()),
            line: message(
                "Its block durations are too long by about as much; shares and the order of blocks may still hold. Save less in the probes.",
            ),
            value: of.factor,
            unit: Unit::None,
            evidence: Evidence {
                shown: of.of(),
                numbers: vec![
                    Number::new(phrase("Slowdown"), of.factor, Unit::None),
                    Number::new(phrase("Launches"), of.launches as f64, Unit::None),
                ],
                how: message(
                    "The benchmark log has the time of each kernel with and without probes; the median over its launches is used. The first launch of a kernel is left out where there are others: what is compiled and loaded before it is in its times.",
                ),
                view: "details".to_owned(),
                address: Place::view("details").figure("neutrino-slowdown", &[]).address(),
                ..Evidence::default()
            },
            ..SLOW_DOWN.finding()
        };
        Looked::found_or(slow.iter().take(3).map(finding).collect(), || {
            message("the largest slowdown of a kernel by probes is {n} times").with("n", fixed(most, 2))
        })
    },
};

static ONCE: Rule = Rule {
    id: "neutrino-touched-once",
    version: 1,
    title: phrase("Pages touched once"),
    thresholds: &[Threshold {
        name: phrase("share of pages accessed once"),
        value: 0.5,
        unit: Unit::Share,
        source: phrase("our own choice: then most pages are never reused"),
    }],
    look: |input| {
        if folder(input).is_none() {
            return Looked::NotHere;
        }
        let counted = input.result::<Density>(&density::ANALYSIS).filter(|density| 0 < density.accesses);
        let Some(density) = counted else {
            if let Some(why) = missing(input, "heatmap") {
                return Looked::Missing(why);
            }
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
                "No cache can help these accesses. Neighboring threads should access neighboring addresses.",
            ),
            value: part,
            unit: Unit::Share,
            evidence: Evidence {
                shown: message("pages by number of accesses"),
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
