//! The block schedule of a launch: from the map whose records say when a block began and how long it ran, and mostly on
//! which SM.
//!
//! A block lasts from the first start to the last end over its recorded warps, or as its first warp (the record that
//! Neutrino's own script reads) does, as the user says. Records of a map with several records a warp are one block each.

use super::folder::Folder;
use super::result::{Field, MapDef, ResultFile, Role, Section};
use super::{Record, Walk};
use crate::analysis::compare::headline::Quantity;
use crate::analysis::contract::{Analysis, AnalysisInput};
use crate::base::fault::{Fault, Kind, Place, Severity};
use crate::base::job::{Job, Turn};
use crate::base::map::Map;
use crate::base::number;
use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};
use crate::export::{Export, ExportInput};
use crate::model::Trace;
use crate::model::parameter::{Parameter, ParameterKind};
use crate::views::schedule::compute::{
    self as schedule, ALIGN, Align, CLOCK, FoundClock, Gathered, Launch, Look, Origins, Part, Schedule,
    Terms, ToolFigures, UnitRow,
};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::io::{Result, Write};

/// The schedule.
pub(super) static ANALYSIS: Analysis = Analysis {
    id: "neutrino-schedule",
    title: phrase("Block schedule"),
    parameters: &[&BLOCK_TIME],
    applies: |trace| has_schedule(trace).is_some(),
    tap: None,
    start: Some(|input, trace| {
        let is_of_all = input.values.text(BLOCK_TIME.id) != Some("first");
        let align = schedule::Look::of(input.values).align;
        Job::any(async move |turn| {
            let gathered = gather(&trace, is_of_all, &turn).await;
            schedule::arrange(gathered, align, &turn).await
        })
    }),
    add_tracks: None,
    faults: Some(faults),
    figures: schedule::figures,
    advice: None,
    is_comparable: true,
};

/// What only decides how the schedule is shown.
pub(super) static LOOK: Analysis = Analysis {
    id: "neutrino-schedule-view",
    title: phrase("Schedule view"),
    parameters: &[&schedule::ALIGN, &schedule::CLOCK, &schedule::COLOR],
    applies: |trace| has_schedule(trace).is_some(),
    tap: None,
    start: None,
    add_tracks: None,
    faults: None,
    figures: |_| Vec::new(),
    advice: None,
    is_comparable: false,
};

/// From the first to the last block: on one clock for all units, else of the unit where it is longest. Without either
/// nothing is known. Then the time of the kernel in the log.
pub(super) fn quantities(input: &ExportInput) -> Vec<Quantity> {
    let launch = input.trace.extensions.get::<Folder>().and_then(Folder::launch);
    let kernel = launch.map_or("", |launch| &launch.name);
    let named = |of: Message| match kernel {
        "" => of,
        name => message("{name}: {of}").with("name", name).with_message("of", of),
    };
    let span = |all: &Schedule| -> Option<Quantity> {
        let is_shared = all.can_align(Align::Timer);
        let span = match (is_shared, all.launch.has_units) {
            (true, _) => all.origins(Align::Timer).length,
            (false, true) => all.units.iter().map(|unit| unit.last.saturating_sub(unit.first)).max()?,
            (false, false) => return None,
        };
        let of = named(message("{n} blocks").with("n", number::thousands(all.len() as u64)));
        let key = (kernel, is_shared);
        let span = Quantity::new(phrase("Kernel span"), (span as f64, all.launch.time.clone()), &key, of);
        Some(span.over(all.len() as u64, "blocks"))
    };
    let span = input.result::<Schedule>(&ANALYSIS).and_then(span);
    let in_log = launch.and_then(|launch| launch.kernel_ms).map(|ms| {
        Quantity::new(phrase("Kernel time"), (ms, Unit::Millis), &kernel, kernel.to_owned().into())
    });
    span.into_iter().chain(in_log).collect()
}

static BLOCK_TIME: Parameter = Parameter {
    id: "neutrino-block-time",
    title: phrase("Block time"),
    help: phrase("measure a block by its first warp or by all of its warps"),
    kind: ParameterKind::Choice(&[("all", phrase("All warps")), ("first", phrase("First warp"))]),
    rereads: false,
};

/// Rates beyond these are no clock of an SM: what they were calibrated with is not the time of the kernel.
const RATES: std::ops::Range<f64> = 500.0..5_000.0;

/// The fields of a map that make a schedule.
struct Fields {
    start: Field,
    /// How long, or else when it ended.
    elapsed: Field,
    is_end: bool,
    sm: Option<Field>,
    /// A point in time on a clock that all SMs share, beside the start.
    timer: Option<Field>,
    is_cycles: bool,
}

impl Fields {
    fn of(map: &MapDef) -> Option<Self> {
        let of = |point: Role, length: Role| {
            let mut points = map.fields.iter().filter(|field| field.role == point);
            let start = points.next()?.clone();
            let length = map.field(length).map(|field| (field.clone(), false));
            let (elapsed, is_end) = length.or_else(|| Some((points.next()?.clone(), true)))?;
            Some(Self {
                start,
                elapsed,
                is_end,
                sm: map.field(Role::Sm).cloned(),
                timer: map.field(Role::Timer).filter(|_| point == Role::Clock).cloned(),
                is_cycles: point == Role::Clock,
            })
        };
        of(Role::Clock, Role::Cycles).or_else(|| of(Role::Timer, Role::Nanos))
    }
}

/// The map of the result that holds a schedule: one with SMs before one without.
fn has_schedule(trace: &Trace) -> Option<(&Folder, &ResultFile, &Section)> {
    let folder: &Folder = trace.extensions.get()?;
    let result = folder.result.as_ref()?;
    let fitting = result.sections.iter().filter_map(|section| Some((section, Fields::of(&section.map)?)));
    let best = fitting.min_by_key(|(_, fields)| fields.sm.is_none())?;
    Some((folder, result, best.0))
}

/// Blocks without a record, which the schedule shows as gaps, and blocks that lack the record of a part.
fn faults(input: &AnalysisInput) -> Vec<(u32, Fault)> {
    let found = has_schedule(input.trace).zip(input.result::<Schedule>());
    let Some(((_, file, section), all)) = found else { return Vec::new() };
    let end = section.unit_bytes.saturating_mul(section.addressed).saturating_add(section.start);
    // Of maps without any record, and of those that are cut, others speak.
    if all.is_empty() || file.source.len() < end {
        return Vec::new();
    }
    let lost = (
        all.lost(),
        message("{n} of {all} blocks have no record in {map}"),
        phrase("In the schedule their time counts as gaps or idle time."),
    );
    let partial = (
        all.launch.partial,
        incomplete(
            all,
            [
                message("{n} of {all} blocks lack a warp's record in {map}"),
                message("{n} of {all} blocks lack a thread's record in {map}"),
            ],
        ),
        phrase("In the schedule they may seem shorter than they were."),
    );
    let fault = |(n, what, note): (u64, Message, &'static str)| {
        let what = what.with("map", &section.map.name).with("n", number::thousands(n));
        let what = what.with("all", number::thousands(all.launched()));
        let place = Place::byte("", section.start);
        (file.entry.0, Fault::new("NEU-LOST", Severity::Note, place, Kind::Problem(what)).note(note))
    };
    [lost, partial].into_iter().filter(|(n, ..)| 0 < *n).map(fault).collect()
}

/// What is said of blocks that lack the record of a warp, or of a thread.
pub(super) fn incomplete(all: &Schedule, [warp, thread]: [Message; 2]) -> Message {
    if all.launch.terms.part == "Thread" { thread } else { warp }
}

/// Reads the records of all blocks.
async fn gather(trace: &Trace, is_of_all: bool, turn: &Turn) -> Gathered {
    let Some((folder, result, section)) = has_schedule(trace) else { return Gathered::default() };
    let fields = Fields::of(&section.map);
    let launch = Launch {
        terms: Terms {
            unit: "SM",
            units: phrase("SMs"),
            part: if section.map.is_warp { phrase("Warp") } else { phrase("Thread") },
            tool: "Neutrino",
            differs: phrase(
                "Neutrino measures each gap from the end of the SM's oldest block, not of the block whose lane was taken: {factor} × too long here.",
            ),
            agrees: phrase("Neutrino's method gives the same figures here."),
        },
        time: if fields.as_ref().is_none_or(|fields| fields.is_cycles) { Unit::Cycles } else { Unit::Nanos },
        grid: result.grid,
        has_units: fields.as_ref().is_some_and(|fields| fields.sm.is_some()),
        is_synchronized: fields.as_ref().is_some_and(|fields| !fields.is_cycles),
        ..Launch::default()
    };
    let mut walk = Walk::new(result, section);
    let mut reading = Reading {
        section,
        fields,
        is_of_all,
        block: u64::MAX,
        records: Vec::new(),
        parts: Vec::new(),
        has_others: false,
        spans: Map::default(),
        gathered: Gathered::new(launch),
        script: Script::default(),
    };
    // What cannot be read ends the walk: the reader of the folder has reported it.
    while walk.read(&mut |record| reading.take(&record)).unwrap_or(false) {
        turn.pause().await;
    }
    reading.flush();
    reading.finish(folder.launch().and_then(|launch| launch.kernel_ms))
}

struct Reading<'a> {
    section: &'a Section,
    fields: Option<Fields>,
    is_of_all: bool,
    /// The block whose records are being read: record, SM, timer, and the part.
    block: u64,
    records: Vec<(u64, u32, u64, Part)>,
    parts: Vec<Part>,
    /// Whether any part but the first of a block has a record.
    has_others: bool,
    /// First start and last end of each SM.
    spans: Map<u32, (u64, u64)>,
    gathered: Gathered,
    script: Script,
}

impl Reading<'_> {
    fn take(&mut self, record: &Record) {
        let Some(fields) = &self.fields else { return };
        let (block, part) = self.section.place(record.unit);
        let value = |field: &Field| field.value(record.bytes);
        let (start, mut elapsed) = (value(&fields.start), value(&fields.elapsed));
        if fields.is_end {
            elapsed = elapsed.saturating_sub(start);
        }
        let sm = fields.sm.as_ref().map_or(0, |field| u32::try_from(value(field)).unwrap_or(u32::MAX));
        let timer = fields.timer.as_ref().map_or(0, value);
        if block != self.block {
            self.flush();
            self.block = block;
        }
        let number = u32::try_from(part).unwrap_or(u32::MAX);
        self.has_others |= part != 0;
        let end = start.saturating_add(elapsed);
        let span = self.spans.entry(sm).or_insert((start, end));
        *span = (span.0.min(start), span.1.max(end));
        if part == 0 && record.index == 0 {
            self.script.block(sm, start, elapsed);
        }
        self.records.push((record.index, sm, timer, Part { number, start, elapsed }));
    }

    /// The records of a block are complete.
    fn flush(&mut self) {
        let has_timer = self.fields.as_ref().is_some_and(|fields| fields.timer.is_some());
        let order = |(index, _, _, part): &(u64, u32, u64, Part)| (*index, part.number);
        if !self.records.is_sorted_by_key(order) {
            self.records.sort_by_key(order);
        }
        let number = u32::try_from(self.block).unwrap_or(u32::MAX);
        let parts = &mut self.parts;
        for one in self.records.chunk_by(|a, b| a.0 == b.0) {
            parts.clear();
            parts.extend(one.iter().map(|(_, _, _, part)| *part));
            // The timer of the record whose start is that of the block.
            let earliest = one.iter().min_by_key(|(_, _, _, part)| part.start);
            let begins = if self.is_of_all { earliest } else { one.first() };
            // Of several records of a unit some may never be written.
            let is_single = self.section.records_per_unit() == 1;
            self.gathered.launch.partial +=
                u64::from(is_single && (one.len() as u64) < self.section.units_per_block);
            if let Some((_, sm, timer, _)) = begins {
                self.gathered.push(number, *sm, has_timer.then_some(*timer), parts, self.is_of_all);
            }
        }
        self.records.clear();
    }

    /// All of them; the log has so many milliseconds of the kernel.
    fn finish(self, kernel_ms: Option<f64>) -> Gathered {
        let Self { mut gathered, script, .. } = self;
        if gathered.launch.has_units {
            gathered.launch.tool = script.finish();
        }
        // Of blocks of several warps only the first of which was recorded nothing else is known.
        gathered.launch.is_of_first |=
            1 < self.section.units_per_block && !self.has_others && !gathered.is_empty();
        if !self.has_others {
            gathered.launch.partial = 0;
        }
        if self.has_others && self.is_of_all {
            gathered.launch.terms.differs = phrase(
                "Neutrino takes the first warp of a block for the whole block, and measures each gap from the end of the SM's oldest block: its blocks are too short, its gaps too long.",
            );
        }
        let micros = kernel_ms.map(|ms| ms * 1e3).filter(|_| gathered.launch.time == Unit::Cycles);
        let longest = self.spans.values().map(|(first, last)| last - first).max().unwrap_or(0);
        let mhz = micros.map(|micros| longest as f64 / micros);
        let (is_rate, mhz) = (mhz.is_some_and(|mhz| RATES.contains(&mhz)), mhz.filter(|mhz| 0.0 < *mhz));
        gathered.launch.clock = mhz.filter(|_| is_rate).map(|mhz| FoundClock { mhz, is_fitted: false });
        gathered.launch.implausible_mhz = mhz.filter(|_| !is_rate);
        gathered
    }
}

// The two numbers that Neutrino's own script prints of a block schedule.
//
// It reads the record of each block's first warp, in the order of block numbers, and keeps a list of live blocks for each
// SM. Only the oldest entry of the list is looked at: when it ended at or before the start of a block, the time since then
// counts as scheduling, and the entry goes. Both sums are divided by the number of SMs, without a rest.

/// The script, on its way.
#[derive(Default)]
pub struct Script {
    sms: Map<u32, Sm>,
    blocks: u64,
}

#[derive(Default)]
struct Sm {
    /// Ends of the blocks that the script takes for live, the oldest first.
    live: VecDeque<u64>,
    running: u64,
    scheduling: u64,
}

impl Script {
    /// Takes the record of a block's first warp.
    pub fn block(&mut self, sm: u32, start: u64, elapsed: u64) {
        let sm = self.sms.entry(sm).or_default();
        let end = start.saturating_add(elapsed);
        if let Some(oldest) = sm.live.front().copied().filter(|oldest| *oldest <= start) {
            sm.scheduling = sm.scheduling.saturating_add(start - oldest);
            sm.live.pop_front();
        }
        sm.live.push_back(end);
        sm.running = sm.running.saturating_add(elapsed);
        self.blocks += 1;
    }

    /// What it prints; `None` when it saw no block.
    pub fn finish(&self) -> Option<ToolFigures> {
        let units = self.sms.len() as u64;
        let mean = |sum: u64| sum.checked_div(units);
        let sum = |key: fn(&Sm) -> u64| self.sms.values().map(key).fold(0, u64::saturating_add);
        Some(ToolFigures {
            blocks: self.blocks,
            units,
            running: mean(sum(|sm| sm.running))?,
            scheduling: mean(sum(|sm| sm.scheduling))?,
        })
    }
}

// blocksched-json: all numbers of a block schedule, the SMs, and every block, in parts.

/// Blocks of a part.
const PIECE: usize = 1 << 12;

/// The schedule as JSON.
pub(crate) static SCHEDULE_JSON: Export = Export {
    id: "blocksched-json",
    title: phrase("Block schedule as JSON"),
    suffix: "schedule.json",
    mime: "application/json",
    takes_argument: false,
    parameters: &[&ALIGN, &CLOCK],
    can: |input| input.result::<Schedule>(&ANALYSIS).is_some_and(|schedule| !schedule.is_empty()),
    write: |_, _| {
        let mut at = None;
        Ok(Box::new(move |input, out| {
            let Some(schedule) = input.result::<Schedule>(&ANALYSIS) else { return Ok(false) };
            let look = Look::of(input.values);
            let origins = schedule.origins(look.align);
            let from = match at {
                Some(from) => from,
                None => head(schedule, &look, &origins, out).map(|()| 0)?,
            };
            let end = schedule.len().min(from + PIECE);
            for row in from..end {
                block(schedule, &origins, u32::try_from(row).unwrap_or(u32::MAX), out)?;
            }
            at = Some(end);
            if end == schedule.len() {
                writeln!(out, "\n]}}")?;
            }
            Ok(end < schedule.len())
        }))
    },
};

/// All but the blocks, and the begin of their list.
fn head(schedule: &Schedule, look: &Look, origins: &Origins, out: &mut dyn Write) -> Result<()> {
    let (numbers, resident) = (&schedule.numbers, schedule.resident(look.align));
    let lane_time = schedule.lane_time(look.align);
    let [p50, p90, p99] = numbers.percentiles;
    let head = json!({
        "unit": schedule.launch.time.symbol(),
        "grid": schedule.launch.grid,
        "align": schedule.aligned(look.align).id(),
        "mhz": schedule.nanos(look).map(|nanos| 1e3 / nanos),
        "blocks": numbers.blocks,
        "sms": schedule.launch.has_units.then_some(numbers.units),
        "lanes": numbers.lanes,
        "neutrino": schedule.launch.tool.map(|tool| json!({
            "blocks": tool.blocks, "sms": tool.units, "running": tool.running, "scheduling": tool.scheduling,
        })),
        "by_lane": { "running": numbers.running, "scheduling": numbers.gap },
        "lane_time": {
            "running": lane_time.running, "gap": lane_time.gap, "idle": lane_time.idle, "length": lane_time.length,
        },
        "length": origins.is_comparable.then_some(origins.length),
        "resident": origins.is_comparable.then(|| json!({ "peak": resident.peak, "mean": resident.mean })),
        "elapsed": {
            "min": numbers.shortest, "p50": p50, "p90": p90, "p99": p99, "max": numbers.longest, "tail": numbers.tail(),
        },
        "waves": { "number": numbers.waves, "last": numbers.last_wave },
        "skew": numbers.skew.map(|skew| json!({ "start": skew.start, "end": skew.end })),
        "per_sm": schedule.units.iter().map(|unit| sm(schedule, origins, unit)).collect::<Vec<_>>(),
    });
    let text = serde_json::to_string(&head)?;
    write!(out, "{},\n\"per_block\":[", text.strip_suffix('}').unwrap_or(&text))
}

fn sm(schedule: &Schedule, origins: &Origins, unit: &UnitRow) -> Value {
    let (running, gap) = schedule.shares(unit, origins);
    json!({
        "sm": unit.id, "blocks": unit.blocks, "lanes": unit.lanes.len(), "first": unit.first, "last": unit.last,
        "running": unit.running, "gap": unit.gap, "running_share": running, "gap_share": gap,
        "idle_share": (1.0 - running - gap).max(0.0),
    })
}

fn block(schedule: &Schedule, origins: &Origins, row: u32, out: &mut dyn Write) -> Result<()> {
    let at = row as usize;
    let (Some(number), Some(unit), Some(start), Some(elapsed)) =
        (schedule.number.get(at), schedule.unit.get(at), schedule.start.get(at), schedule.elapsed.get(at))
    else {
        return Ok(());
    };
    let [x, y, z] = schedule.at(row);
    let comma = if row == 0 { "" } else { "," };
    let sm = schedule.units.get(*unit as usize).map_or(0, |unit| unit.id);
    write!(
        out,
        "{comma}\n{{\"block\":{number},\"x\":{x},\"y\":{y},\"z\":{z},\"sm\":{sm},\"lane\":{},\"wave\":{},\"start\":{},\"elapsed\":{elapsed},\"gap\":{}}}",
        schedule.lane_of_unit(row),
        schedule.wave(row) + 1,
        origins.time(*unit, *start),
        schedule.gap(row).map_or_else(|| "null".to_owned(), |gap| gap.to_string()),
    )
}
