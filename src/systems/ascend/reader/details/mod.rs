//! Blocks that become figures: 0x05 base info, 0x06 and 0x07 compute workload, 0x08 and 0x09 memory, 0x0C core occupancy,
//! 0x0B and 0x0E cache lines, 0x0D rooflines, 0x0F stall reasons.
//!
//! Each block is one JSON value, held as a tree only while it is turned into figures.

mod base_info;
mod cache;
pub mod groups;
mod imbalance;
mod load;
mod load_blocks;
mod memory;
mod occupancy;
mod pipe_shares;
mod pipes;
mod roofline;
mod units;

pub(super) use base_info::{base_info, block_times};
pub(crate) use base_info::{heads_of, op_type};
pub(super) use cache::{CacheRecords, cache_lines};
pub(crate) use load::shown_units;
pub(super) use load::{load_graph, load_tables};
pub(super) use memory::{memory_graph, memory_tables};
pub(super) use occupancy::occupancy;
pub(crate) use occupancy::{SHOWN as SHOWN_OF_CORES, chip_cores};
pub(crate) use pipes::{
    AT_MOST, IN_LONGEST, OF_SOME, PIPES, WAITS_COARSE, WAITS_OF_SOME, WAITS_UNTIMED, is_of_some,
};
pub(super) use pipes::{Pipes, pipe_of};
pub(super) use roofline::roofline;
pub(crate) use units::{OfUnit, UnitParts, unit_key};

use crate::base::map::Map;
use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};
use crate::base::{number, order};
use crate::format::Sink;
use crate::input::json::Json;
use crate::model::figure::{Advice, Bar, BarRole, Bars, Body, Cell, Family, Figure, TableOf};
use crate::model::files::Measure;
use crate::systems::ascend::claims::{self, WRITER};
use crate::systems::ascend::reader::field::{self, Fields, Within, shown};
use base_info::{CORE_TYPE, detail};
use load::{Entry, PERCENT};
use occupancy::{Kind, whole};

/// Most rows of one table. A block that becomes a tree is too small for more, so none is left out in practice.
const TABLE_ROWS: usize = 10_000_000;

/// Sentences of a tool as advice. Numbers and tabs before a sentence are left away.
fn advice<'a>(sentences: impl Iterator<Item = &'a str>, is_costly: bool) -> Vec<Advice> {
    let clean = |line: &str| {
        let line = line.trim();
        let digits = line.bytes().take_while(u8::is_ascii_digit).count();
        let rest = line.get(digits..).unwrap_or(line);
        match rest.strip_prefix(')') {
            Some(rest) if 0 < digits => rest.trim().to_owned(),
            _ => line.to_owned(),
        }
    };
    let lines = sentences.flat_map(str::lines).map(clean).filter(|text| !text.is_empty());
    let of_writer = |text: String| {
        let kind = [Kind::Cube, Kind::Vector].map(Kind::name).into_iter().find(|kind| text.contains(kind));
        let claims = claims::of_writer(&text, kind);
        let advice = Advice::new(message_of(text), is_costly).claiming(claims);
        Advice { writer: WRITER.to_owned(), ..advice }
    };
    lines.map(of_writer).collect()
}

/// The advice of a block: one text of several lines, or a list.
fn advice_of(json: &Json) -> Vec<Advice> {
    let sentences: Vec<&str> = match json.get("advice") {
        Some(Json::Array(items)) => items.iter().filter_map(Json::as_str).collect(),
        Some(other) => other.as_str().into_iter().collect(),
        None => Vec::new(),
    };
    advice(sentences.into_iter(), true)
}

/// A cell of a text that may be a number or stand for nothing.
fn cell(text: &str) -> Cell {
    let text = text.trim();
    if super::field::is_missing(text) {
        return Cell::Missing;
    }
    text.parse()
        .ok()
        .filter(|v: &f64| v.is_finite())
        .map_or_else(|| Cell::Text(text.to_owned()), Cell::Number)
}

/// Adds advice to the variants of a family that show a block, once; whether there is such a family.
fn advise(families: &mut [Family], id: &str, block: &str, said: &[Advice]) -> bool {
    let Some(family) = families.iter_mut().find(|family| family.id == id) else { return false };
    let Some((first, others)) = family.choices.split_first() else { return false };
    let n_each = others.iter().map(|choice| choice.options.len()).product::<usize>().max(1);
    let Some(at) = first.options.iter().position(|option| option == block) else { return false };
    for figure in family.variants.iter_mut().skip(at * n_each).take(n_each) {
        for advice in said {
            if !figure.advice.contains(advice) {
                figure.advice.push(advice.clone());
            }
        }
    }
    true
}

// Sentences of the writer that hold numbers of cores, as messages, so that they can be read in every language.

/// The sentence, with its values apart where it is a known one.
fn message_of(text: String) -> Message {
    slower(&text).or_else(|| colder(&text)).unwrap_or_else(|| text.into())
}

/// `core16 vector1 took more time than other vector cores.`
fn slower(text: &str) -> Option<Message> {
    let (who, others) = text.trim_end_matches('.').split_once(" took more time than other ")?;
    let (core, unit) = unit(who)?;
    let said = match others {
        "core" | "cores" => message("core{core} {unit} took more time than other cores."),
        others => {
            let kind = others.strip_suffix(" cores").or_else(|| others.strip_suffix(" core"))?;
            message("core{core} {unit} took more time than other {kind} cores.").with("kind", kind)
        }
    };
    Some(said.with("core", core).with("unit", unit))
}

/// `core0 vector1 cache hit rate lower than other core.`
fn colder(text: &str) -> Option<Message> {
    let (who, _) = text.split_once(" cache hit rate lower than other core")?;
    let (core, unit) = unit(who)?;
    let said = message("core{core} {unit} cache hit rate lower than other cores.");
    Some(said.with("core", core).with("unit", unit))
}

/// The number of a core and the name of its unit.
fn unit(who: &str) -> Option<(&str, &str)> {
    let (core, unit) = who.strip_prefix("core")?.split_once(' ')?;
    core.bytes().all(|b| b.is_ascii_digit()).then_some((core, unit))
}

// 0x0F stall reasons: why warps had to wait, and how often.
//
// `{top_stall_reason_table: {<reason>: <count>, …}}`

/// The panel of these figures.
const SECTION: &str = "Stall reasons";

/// Adds the bars and the table of reasons, the most frequent first.
pub(crate) fn stall_reasons(json: &Json, within: &Within, sink: &mut Sink) {
    let mut fields = Fields::new(within, sink);
    let table = json.get("top_stall_reason_table").unwrap_or(&Json::Null);
    let mut reasons: Vec<(String, f64)> = Vec::new();
    for (reason, value) in table.members() {
        let count = value.as_text().and_then(field::number);
        match whole(count) {
            Some(_) => reasons.extend(count.map(|count| (reason.to_string(), count))),
            None => {
                let inside = format!("top_stall_reason_table ▸ {reason}");
                fields.left_out(&inside, "a non-negative integer", shown(value));
            }
        }
    }
    if reasons.is_empty() {
        return;
    }
    order::sort_by(&mut reasons, |a, b| b.1.total_cmp(&a.1));
    let total: f64 = reasons.iter().map(|(_, count)| count).sum();
    let share = |count: f64| if 0.0 < total { count / total } else { 0.0 };
    let unit = Unit::Count("stalls".to_owned());
    let bars = reasons.iter().map(|(reason, count)| Bar {
        name: reason.clone(),
        values: vec![Some(*count)],
        role: BarRole::Wait,
        detail: format!("{} %", number::fixed(share(*count) * 100.0, 1)),
    });
    let bars = Bars { unit: unit.clone(), bars: bars.collect(), ..Bars::default() };
    let table = TableOf::new(&reasons)
        .words("Reason", |(reason, _)| reason)
        .bars("Count", unit, |(_, count)| *count)
        .bars("Share", Unit::Share, |(_, count)| share(*count))
        .table();
    sink.builder.head().figures.extend([
        Family::single("stall-reasons", SECTION, Figure::new("Top warp stall reasons", Body::Bars(bars))),
        Family::single("stall-table", SECTION, Figure::new("Stalls by reason", Body::Table(table))),
    ]);
}

// What one compares of operators where their containers have no CSV files beside them.
//
// | measure | of |
// |---|---|
// | `Vector All Active`, … | 0x06: shares of cycles, of the average over all cores, or weighted by the cycles of the cores |
// | L2 hit rate | 0x08: hits ÷ requests of all cores |
// | GM ↔ L2 | 0x08: bandwidth of the paths between them, all cores together in the time of the longest |
// | L2 → UB, share of peak, … | 0x08: `peak_ratio`, weighted by the cycles of the cores that have one |

/// Paths of a core between memory and second cache.
static TO_MEMORY: [u8; 2] = [0, 1];
/// Paths that have a peak; those of both vector units are one.
const PEAKS: [(&[u8], &str); 6] = [
    (&[2], phrase("L2 → L1, share of peak (by time)")),
    (&[3], phrase("L1 → L2, share of peak (by time)")),
    (&[9], phrase("L0C → L1, share of peak (by time)")),
    (&[10], phrase("L0C → L2, share of peak (by time)")),
    (&[12, 16], phrase("L2 → UB, share of peak (by time)")),
    (&[13, 17], phrase("UB → L2, share of peak (by time)")),
];

/// What files beside the container tell already.
#[derive(Clone, Copy, Default)]
pub(crate) struct Known {
    pub(crate) pipes: bool,
    pub(crate) memory: bool,
    pub(crate) cache: bool,
}

/// All measures of a container: its base info, 0x06 and 0x08. What is wrong with them is said when it is opened.
pub(crate) fn measures([info, load, graph]: [&Json; 3], known: Known) -> Vec<Measure> {
    let mut all = Vec::new();
    let (mut pipes, timing) = (Pipes::default(), Timing::of(info));
    pipes.add_graph(graph);
    let load = load::entries(load, &timing);
    pipes.add_load(&load, &timing);
    if !known.pipes {
        let shares = load::shares(&load, &timing, &pipes);
        let named =
            |(name, value)| Measure { name: format!("{name} (by cycles)"), unit: Unit::Percent, value };
        all.extend(shares.into_iter().map(named));
    }
    let within = Within { entry: String::new(), byte: 0, block: Message::default() };
    let mut unheard = Sink::default();
    let mut fields = Fields::new(&within, &mut unheard);
    let mut number = |json: &Json, key: &str| fields.number(json, key, "").filter(|value| value.is_finite());
    let cores = graph.get("core_memory_map").map_or(&[][..], Json::items);
    if !known.cache {
        all.extend(hit_rate(cores, &mut number));
    }
    if known.memory {
        return all;
    }
    let mut units = Vec::new();
    for core in cores {
        let block = core.get("core_no").and_then(Json::as_text).unwrap_or("");
        for unit in core.get("memory_unit").map_or(&[][..], Json::items) {
            let Some(path) = number(unit, "memory_path") else { continue };
            units.push((path, number(unit, "bandwidth"), number(unit, "peak_ratio"), block));
        }
    }
    let of_paths = |paths: &'static [u8]| {
        let is = move |of: f64| paths.iter().any(|path| of == f64::from(*path));
        units.iter().filter(move |(of, ..)| is(*of))
    };
    // A rate of a block is over its own time, that of all over the time of the longest.
    let has_cycles = units.iter().all(|(.., block)| pipes.cycles(block, None).is_some());
    let cycles = |block: &str, unit: Option<&str>| {
        let own = pipes.cycles(block, unit).or_else(|| pipes.cycles(block, None));
        own.filter(|_| has_cycles).unwrap_or(1.0)
    };
    let moved =
        of_paths(&TO_MEMORY).filter_map(|(_, rate, _, block)| Some((*rate.as_ref()?, cycles(block, None))));
    let moved: Vec<(f64, f64)> = moved.collect();
    let longest = moved.iter().map(|(_, cycles)| *cycles).fold(0.0, f64::max);
    let rate = moved.iter().map(|(rate, cycles)| rate * (cycles / longest)).reduce(|a, b| a + b);
    let measure = |name: &str, unit, value| Measure { name: name.to_owned(), unit, value };
    all.extend(rate.map(|value| measure(phrase("GM ↔ L2"), Unit::GigabytesPerSec, value)));
    for (paths, name) in PEAKS {
        let peaks = of_paths(paths).filter_map(|(path, _, peak, block)| {
            Some((*peak.as_ref()?, cycles(block, Some(unit_of(*path)))))
        });
        let peak = brief_weighted(peaks);
        all.extend(peak.map(|value| measure(name, Unit::Percent, value)));
    }
    all
}

/// The unit whose paths these are: those of a vector unit have their own numbers.
fn unit_of(path: f64) -> &'static str {
    if (12.0..=15.0).contains(&path) {
        "vector0"
    } else if (16.0..=19.0).contains(&path) {
        "vector1"
    } else {
        "cube0"
    }
}

/// Hits by requests of all cores.
fn hit_rate(cores: &[Json], number: &mut impl FnMut(&Json, &str) -> Option<f64>) -> Option<Measure> {
    let (mut hits, mut all) = (0.0, 0.0);
    for cache in cores.iter().filter_map(|core| core.get("L2cache")) {
        let hit = number(cache, "hit");
        let requests = number(cache, "total_request").or_else(|| Some(hit? + number(cache, "miss")?));
        if let Some((hit, requests)) = hit.zip(requests) {
            (hits, all) = (hits + hit, all + requests);
        }
    }
    let name = phrase("L2 hit rate (by requests)").to_owned();
    (0.0 < all).then(|| Measure { name, unit: Unit::Percent, value: hits / all * 100.0 })
}

/// The mean of values with their weights; `None` of nothing.
fn brief_weighted(values: impl Iterator<Item = (f64, f64)>) -> Option<f64> {
    let (sum, whole) =
        values.fold((0.0, 0.0), |(sum, whole), (value, weight)| (sum + value * weight, whole + weight));
    (0.0 < whole).then(|| sum / whole)
}

// Whether values of 0x06 are percent: durations of 0x05 and cycles beside the values tell.
//
// A share of cycles, its cycles and the duration of its block give the clock: cycles ÷ (share × duration). Chips run at
// some hundred to a few thousand megahertz, so that a share of 1 that was taken for percent gives a clock that is a
// hundred times too low or too high. Values that are said to be instructions but are no whole numbers are shares, too.
//
// | file says | clock says | shown |
// |---|---|---|
// | percent | percent, or nothing | percent |
// | percent | share of 1 | percent, × 100, with a note |
// | instructions that are not whole, or nothing | percent or share of 1 | percent, with a note |
// | instructions between 0 and 1 that are not whole | nothing | percent, × 100, with a note |
//
// Verified on three old files of `Ascend910B4`: percent of unit 3 at 1,650 MHz (0.66 % of 608 µs are 6,656 cycles), and
// shares of 1 of unit 1.

/// A clock in megahertz where the file says none, and how far from it a clock may be.
const CLOCK: f64 = 1_200.0;
const FACTOR: f64 = 4.0;
/// How much longer than the operator its blocks may be timed.
const FITS: f64 = 1.05;

/// How long the operator and its blocks took, in microseconds, and at which clock.
#[derive(Default)]
pub(crate) struct Timing {
    clock: Option<f64>,
    whole: Option<f64>,
    /// By block and unit of its core, such as `vector` or `cube0`; empty where the file names none.
    blocks: Map<(String, String), f64>,
}

impl Timing {
    /// What a base info says.
    pub(crate) fn of(json: &Json) -> Self {
        // What is wrong with it is said when it is shown.
        let (within, mut unheard) =
            (Within { entry: String::new(), byte: 0, block: Message::default() }, Sink::default());
        let mut fields = Fields::new(&within, &mut unheard);
        let mut number = |key: &str| fields.number(json, key, "").filter(|v| 0.0 < *v);
        let clock = number("cur_freq").or_else(|| number("rated_freq"));
        let mut timing = Self { clock, whole: number("duration"), blocks: Map::default() };
        for key in ["block_detail", "mix_block_detail"] {
            let Some(table) = detail(json, key, &mut fields) else { continue };
            let named = |name: &str| table.columns.iter().position(|column| column.name == name);
            let (block, kind) = (named("Block ID"), named(CORE_TYPE));
            let text = |row: &[Cell], at: Option<usize>| {
                at.and_then(|at| row.get(at)).map_or_else(String::new, Cell::plain)
            };
            for row in &table.rows {
                let times = table.columns.iter().zip(row).filter(|(column, _)| column.unit == Unit::Micros);
                for (column, time) in times.filter_map(|(column, cell)| Some((column, cell.as_number()?))) {
                    // "Vector0 Duration"
                    let unit = column.name.split_once(' ').map_or("", |(unit, _)| unit).to_lowercase();
                    let unit = if kind.is_some() { text(row, kind) } else { unit };
                    timing.blocks.insert((text(row, block), op_type(&unit).to_owned()), time);
                }
            }
        }
        timing
    }

    /// How long the block of a value took, or the operator.
    fn duration(&self, entry: &Entry) -> Option<f64> {
        let stem = entry.kind.trim_end_matches(|c: char| c.is_ascii_digit());
        let units = [entry.kind.clone(), op_type(stem).to_owned(), format!("{stem}0"), String::new()];
        let of_block = units.into_iter().find_map(|unit| self.blocks.get(&(entry.block.clone(), unit)));
        of_block.copied().or(self.whole)
    }

    /// Whether no block took longer than the operator: both may be of different runs.
    fn all_fit(&self) -> bool {
        self.whole.is_none_or(|whole| self.blocks.values().all(|block| *block <= FITS * whole))
    }

    /// Whether the block of a value took no longer than the operator: both may be of different runs.
    fn fits(&self, entry: &Entry) -> bool {
        self.duration(entry).zip(self.whole).is_none_or(|(block, whole)| block <= FITS * whole)
    }

    /// By what values are multiplied to be percent; `None` when nothing tells.
    fn factor<'a>(&self, values: impl Iterator<Item = &'a Entry>) -> Option<f64> {
        let clock = |entry: &Entry| {
            let (value, cycles) = (entry.value?, entry.cycles?);
            let clock = cycles / (value / 100.0 * self.duration(entry)?);
            (clock.is_finite() && 0.0 < clock).then_some(clock)
        };
        let mut clocks: Vec<f64> = values.filter_map(clock).collect();
        order::sort_floats(&mut clocks);
        let clock = *clocks.get(clocks.len() / 2)?;
        let known = self.clock.unwrap_or(CLOCK);
        let is_near = |clock: f64| known / FACTOR < clock && clock < known * FACTOR;
        [1.0, 100.0].into_iter().find(|factor| is_near(clock / factor))
    }

    /// Makes values percent that are shares of cycles. Returns remarks on the values of a unit, as they are shown.
    fn settle(&self, values: &mut [Entry]) -> Vec<(Option<u8>, Message)> {
        let mut remarks = Vec::new();
        for unit in [Some(1), PERCENT, None] {
            let own = || values.iter().filter(|v| v.unit == unit);
            let numbers = || own().filter_map(|v| v.value);
            let (is_whole, is_share) =
                (numbers().all(|v| v.fract() == 0.0), numbers().all(|v| (0.0..=1.0).contains(&v)));
            // Counts are whole.
            if unit == Some(1) && is_whole {
                continue;
            }
            let factor = self.factor(own());
            let is_unsure = is_share && !is_whole;
            let (factor, remark) = match (unit, factor) {
                (PERCENT | None, Some(1.0)) => (1.0, None),
                (PERCENT, Some(_)) => (
                    100.0,
                    Some(message(
                        "The unit in the file is percent, but cycles, durations and clock show fractions from 0 to 1.",
                    )),
                ),
                (PERCENT, None) => (
                    1.0,
                    is_unsure.then(|| message("No value is above 1: they may be fractions from 0 to 1.")),
                ),
                (None, None) => (1.0, is_unsure.then(|| message("The file has no unit."))),
                (Some(_), None) if !is_share => {
                    remarks.push((
                        unit,
                        message(
                            "The unit in the file is instructions, but the values are not whole numbers.",
                        ),
                    ));
                    continue;
                }
                (Some(_), factor) => (
                    factor.unwrap_or(100.0),
                    Some(message(
                        "The unit in the file is instructions, but the values are shares of cycles.",
                    )),
                ),
                (None, Some(factor)) => (
                    factor,
                    Some(message(
                        "The file has no unit; cycles, durations and clock show fractions from 0 to 1.",
                    )),
                ),
            };
            for entry in values.iter_mut().filter(|v| v.unit == unit) {
                entry.unit = PERCENT;
                // The digits of the file, two places on.
                let scaled = |v: f64| if factor == 1.0 { Some(v) } else { format!("{v}e2").parse().ok() };
                entry.value = entry.value.and_then(scaled);
            }
            remarks.extend(remark.map(|remark| (PERCENT, remark)));
        }
        remarks
    }
}
