//! Counters over cycles, as the runtime profiler for GPGPU-Sim writes them: a file for each unit of a kernel.
//!
//! ```text
//! mvt_kernel0_l1d_sm0.csv                    kernel and level, then the unit with its number
//! cycle,hit,hit_res,miss,res_fail,sec_miss,mshr_hit
//! 5100,0,0,25,13,0,0                         counts since the kernel began
//! ```
//! Counts are shown as what each stretch between two rows adds.

use crate::analysis::contract::{Analysis, AnalysisInput, ComputedFigure};
use crate::base::fault::{Fault, Kind, Place, Severity, excerpt};
use crate::base::map::Map;
use crate::base::number::fixed;
use crate::base::order;
use crate::base::time::Clock;
use crate::base::unit::Unit;
use crate::base::words::{message, phrase};
use crate::format::{
    Claim, Degree, Format, Operators, Probe, ProbeResult, Probed, Reading, Sink, Want, unreadable,
};
use crate::input::{Bundle, Entry, EntryId, read_range};
use crate::model::Trace;
use crate::model::build::natural;
use crate::model::figure::{Axis, AxisLabel, Body, Choice, Figure, HeatMap, TableFigure, TableOf};
use crate::model::id::{StrId, TrackId};
use crate::model::track::TrackKind;
use crate::systems::gainsight::{Line, Lines};
use std::collections::{BTreeMap, VecDeque};

/// The format.
pub(crate) static FORMAT: Format = Format {
    id: "runtime_profiler",
    title: phrase("Counters by cycle"),
    written_by: "the runtime profiler for GPGPU-Sim",
    patterns: &["*_sm*.csv", "*_slice*.csv", "*_ch*.csv"],
    shows: "Counters of cores, cache slices and memory channels over time",
    source: "github.com/topcuburak/GPGPU-Sim_Runtime_MemAccess-EnergyConsumption_Profiler, and files of it",
    probe: Probe { look, join: Some(join) },
    parameters: &[],
    read: |claim, _| Box::new(Files::new(claim)),
    slices: None,
    mode_note: None,
    operators: Some(Operators {
        switch: "",
        title: phrase("Kernels"),
        find: super::part_kernels,
        head: super::part_head,
    }),
};

/// The figures.
pub(crate) static ANALYSIS: Analysis = Analysis {
    id: "counters-over-cycles",
    title: phrase("Counters by cycle"),
    parameters: &[],
    applies: |trace| trace.extensions.get::<Groups>().is_some(),
    tap: None,
    start: None,
    add_tracks: None,
    faults: None,
    figures,
    advice: None,
    is_comparable: true,
};

/// Whether there are such counters.
pub(super) fn has_counters(trace: &Trace) -> bool {
    trace.extensions.get::<Groups>().is_some_and(|groups| !groups.0.is_empty())
}

/// Units that count the same things in one kernel, by what they are called together.
#[derive(Default)]
pub(super) struct Groups(pub(super) BTreeMap<String, Group>);

/// Units that count the same things.
#[derive(Default)]
pub(super) struct Group {
    /// What a unit is called, such as `sm`.
    pub(super) unit: String,
    /// The tracks of the units by their numbers.
    pub(super) tracks: BTreeMap<u64, TrackId>,
}

/// The counters that are known.
const KNOWN: [&str; 8] =
    ["hit", "hit_res", "miss", "res_fail", "sec_miss", "mshr_hit", "row_hit", "row_miss"];

/// The only role.
const COUNTERS: &str = "counters";

/// Counters of a head, if it is one.
fn head(line: &str) -> Option<Vec<&str>> {
    let mut cells = line.trim_start_matches('\u{feff}').trim().split(',').map(str::trim);
    cells.next().filter(|cell| *cell == "cycle")?;
    let counters: Vec<&str> = cells.take(64).collect();
    let is_known = counters.iter().any(|counter| KNOWN.contains(counter));
    (is_known && counters.iter().all(|counter| !counter.is_empty())).then_some(counters)
}

/// What the units of a kernel and level are called together, what one is called, and its number.
fn unit_of(name: &str) -> (String, String, u64) {
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let digits = stem.len() - stem.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let (text, number) = stem.split_at(stem.len() - digits);
    let (group, unit) = text.rsplit_once('_').unwrap_or(("", text));
    (group.to_owned(), unit.to_owned(), number.parse().unwrap_or(0))
}

fn look(entry: &Entry) -> ProbeResult {
    let bytes = read_range(&*entry.source, 0..1_024).map_err(|e| (0, unreadable(&e.0)))?;
    let text = String::from_utf8_lossy(&bytes);
    let Some(counters) = head(text.lines().next().unwrap_or("")) else {
        return Err((0, message("line 1: expected cycle and counters")));
    };
    let degree =
        if counters.iter().all(|one| KNOWN.contains(one)) { Degree::Certain } else { Degree::Likely };
    Ok((degree, COUNTERS, message("a header of counters by cycle")))
}

/// Whether an entry has counters.
pub(super) fn is_counters(entry: &Entry) -> bool {
    look(entry).is_ok()
}

/// One claim for each folder.
fn join(bundle: &Bundle, probed: &mut Probed) {
    let mut folders: Vec<Claim> = Vec::new();
    let mut known: Map<&str, usize> = Map::default();
    for claim in std::mem::take(&mut probed.claims) {
        let Some(entry) = claim.entries.first().and_then(|(id, _)| bundle.get(*id)) else { continue };
        let folder = entry.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let at = *known.entry(folder).or_insert(folders.len());
        match folders.get_mut(at) {
            Some(known) => {
                known.degree = known.degree.max(claim.degree);
                known.entries.extend(claim.entries);
            }
            None => folders.push(claim),
        }
    }
    probed.claims = folders;
}

// Units over time: what each stretch of cycles added to a counter.

/// The panel of the figures.
const SECTION: &str = phrase("Counters by cycle");
/// Columns of a map.
const COLUMNS: usize = 512;

fn group_of<'a>(input: &AnalysisInput<'a>, id: &str) -> Option<(&'a str, &'a Group)> {
    let number: usize = id.rsplit('-').next()?.parse().ok()?;
    let group = input.trace.extensions.get::<Groups>()?.0.iter().nth(number);
    group.map(|(name, group)| (name.as_str(), group))
}

/// Names of the counters of a group.
fn counters<'a>(trace: &'a Trace, group: &Group) -> Vec<&'a str> {
    let mut names = Vec::new();
    let tracks = group.tracks.values().filter_map(|id| trace.tracks.find(*id));
    for series in tracks.flat_map(|track| &track.series) {
        let name = trace.strings.get(series.name);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// Two figures for each group: a map, and the sums.
fn figures(input: &AnalysisInput) -> Vec<ComputedFigure> {
    let Some(groups) = input.trace.extensions.get::<Groups>() else { return Vec::new() };
    let mut all = Vec::new();
    for (number, (name, group)) in groups.0.iter().enumerate() {
        let options: Vec<String> = counters(input.trace, group).into_iter().map(str::to_owned).collect();
        if options.is_empty() {
            continue;
        }
        // Both are listed under their names: these say which is which.
        let of = |id: &str, what: &str| (format!("{id}-{number}"), SECTION, format!("{name}: {what}"));
        let choice = Choice { name: "Show as".to_owned(), options };
        let map = ComputedFigure::new(of("counter-map", phrase("Over time")), ("heat-map", 3), map);
        all.push(map.choosing(vec![choice]));
        all.push(ComputedFigure::new(of("counter-sums", phrase("Totals")), ("table", 2), sums));
    }
    all
}

fn map(input: &AnalysisInput, id: &str, chosen: &[usize]) -> Figure {
    let trace = input.trace;
    let Some((_, group)) = group_of(input, id) else {
        return Figure::new("", Body::HeatMap(HeatMap::default()));
    };
    let names = counters(trace, group);
    let counter = names.get(chosen.first().copied().unwrap_or(0)).copied().unwrap_or("");
    let series = |id| {
        let track = trace.tracks.find(id);
        track.and_then(|track| track.series.iter().find(|one| trace.strings.get(one.name) == counter))
    };
    let all: Vec<_> = group.tracks.iter().map(|(number, id)| (*number, series(*id))).collect();
    let times =
        || all.iter().filter_map(|(_, series)| *series).flat_map(|series| series.time.iter().copied());
    let (Some(from), Some(to)) = (times().min(), times().max()) else {
        return Figure::new("", Body::HeatMap(HeatMap::default()));
    };
    let width = usize::try_from(to.saturating_sub(from)).unwrap_or(COLUMNS).clamp(1, COLUMNS);
    let stretch = (to.saturating_sub(from) as f64 / width as f64).max(1.0);
    let mut values = vec![0.0_f32; width * all.len()];
    for (row, (_, series)) in all.iter().enumerate() {
        let Some(series) = series else { continue };
        for (time, value) in series.time.iter().zip(series.value.iter()).filter(|(_, value)| !value.is_nan())
        {
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // below the width
            let column = ((time.saturating_sub(from) as f64 / stretch) as usize).min(width - 1);
            if let Some(cell) = values.get_mut(row * width + column) {
                *cell += HeatMap::cell(Some(*value));
            }
        }
    }
    let label = |name: &str, unit| AxisLabel { name: name.to_owned(), unit, ..AxisLabel::default() };
    let map = HeatMap {
        x: Axis {
            label: label(phrase("Cycle"), Unit::Cycles),
            from: from as f64,
            to: to as f64,
            names: Vec::new(),
        },
        y: Axis {
            label: label(&group.unit, Unit::None),
            from: 0.0,
            to: all.len() as f64,
            names: all.iter().map(|(number, _)| format!("{}{number}", group.unit)).collect(),
        },
        width: u32::try_from(width).unwrap_or(0),
        height: u32::try_from(all.len()).unwrap_or(0),
        values,
        has_margins: true,
        ..HeatMap::default()
    };
    let mut figure = Figure { scope: counter.to_owned(), ..Figure::new("", Body::HeatMap(map)) };
    figure.notes.push(
        message("A column is {n} cycles wide.")
            .with("n", fixed(stretch, usize::from(stretch.fract() != 0.0))),
    );
    figure
}

fn sums(input: &AnalysisInput, id: &str, _: &[usize]) -> Figure {
    let trace = input.trace;
    let Some((_, group)) = group_of(input, id) else {
        return Figure::new("", Body::Table(TableFigure::default()));
    };
    let names = counters(trace, group);
    let rows: Vec<_> = group.tracks.iter().collect();
    let table = TableOf::new(&rows)
        .column(phrase("Unit"), Unit::None, |(number, _)| format!("{}{number}", group.unit));
    let table = names.iter().fold(table, |table, name| {
        table.column(name, Unit::None, |(_, id)| {
            let own = trace.tracks.find(**id).map_or(&[][..], |track| &track.series);
            let series = own.iter().find(|one| trace.strings.get(one.name) == *name);
            series.map(|one| one.value.iter().filter(|value| !value.is_nan()).sum::<f64>())
        })
    });
    table.figure()
}

// Files of counters, one after the other.

/// The files of a folder.
struct Files {
    waiting: VecDeque<EntryId>,
    now: Option<Now>,
    groups: BTreeMap<String, Option<TrackId>>,
    has_begun: bool,
}

/// The file that is being read.
struct Now {
    entry: EntryId,
    path: String,
    lines: Lines,
    track: Option<TrackId>,
    counters: Vec<StrId>,
    /// Cycle and counts of the row before.
    before: Option<(i64, Vec<u64>)>,
    /// Counts of the first row, which wait for the length of a stretch.
    first: Option<(i64, Vec<u64>)>,
}

impl Files {
    fn new(claim: &Claim) -> Self {
        let waiting = claim.entries.iter().map(|(entry, _)| *entry).collect();
        Self { waiting, now: None, groups: BTreeMap::new(), has_begun: false }
    }

    fn open(&mut self, entry: EntryId, bundle: &Bundle, sink: &mut Sink) -> u64 {
        let of = bundle.get(entry);
        let path = of.map_or_else(String::new, |of| of.path.clone());
        let (group, unit, number) = unit_of(of.map_or("", |of| of.name()));
        let builder = &mut sink.builder;
        let above = match self.groups.get(&group) {
            Some(known) => *known,
            None if group.is_empty() => None,
            None => {
                let name = builder.intern(&group);
                let track = builder.track(None, TrackKind::Group, name, entry.0);
                self.groups.insert(group.clone(), track);
                track
            }
        };
        let name = builder.intern(&format!("{unit}{number}"));
        let track = builder.track(above, TrackKind::Counter, name, entry.0);
        if let Some(track) = track {
            let groups: &mut Groups = builder.head().extensions.get_or_default();
            let own = groups.0.entry(group).or_insert_with(|| Group { unit, ..Group::default() });
            // Files of one number, such as copies, stand behind each other.
            let free = (number..=u64::MAX).find(|number| !own.tracks.contains_key(number));
            own.tracks.insert(free.unwrap_or(number), track);
        }
        self.now = Some(Now {
            entry,
            path,
            lines: Lines::default(),
            track,
            counters: Vec::new(),
            before: None,
            first: None,
        });
        of.map_or(0, |of| of.source.len())
    }
}

impl Now {
    fn line(&mut self, line: Line, sink: &mut Sink) {
        let text = String::from_utf8_lossy(line.bytes);
        let text = text.trim();
        if line.number == 1 || text.is_empty() {
            let names = head(text).unwrap_or_default();
            if line.number == 1 {
                self.counters = names.iter().map(|name| sink.builder.intern(name)).collect();
            }
            return;
        }
        let mut cells = text.split(',').map(str::trim);
        let cycle = cells.next().and_then(|cell| cell.parse::<i64>().ok()).filter(|cycle| 0 <= *cycle);
        let counts: Option<Vec<u64>> = cells.map(|cell| cell.parse().ok()).collect();
        let row = cycle.zip(counts.filter(|counts| counts.len() == self.counters.len()));
        let Some((cycle, counts)) = row else {
            let expected = phrase("a cycle and its counts").into();
            let kind = Kind::Unexpected { expected, found: excerpt(line.bytes).into() };
            return self.fault("PRC-ROW", Severity::Loss, line, kind, phrase("The row is skipped."), sink);
        };
        let Some((last, before)) = self.before.take() else {
            self.first = Some((cycle, counts.clone()));
            self.before = Some((cycle, counts));
            return;
        };
        if cycle <= last {
            let a = message("the previous row has cycle {n}").with("n", last);
            let kind = Kind::Contradiction { a, b: message("this one has cycle {n}").with("n", cycle) };
            self.before = Some((last, before));
            return self.fault("PRC-ORDER", Severity::Loss, line, kind, phrase("The row is skipped."), sink);
        }
        if let Some((at, first)) = self.first.take() {
            self.push(at.saturating_sub(cycle - last).max(0), &first, sink);
        }
        if counts.iter().zip(&before).any(|(now, before)| now < before) {
            let kind = Kind::Problem(message("a counter decreases"));
            let note = phrase("It is treated as a new one.");
            self.fault("PRC-FALL", Severity::Warning, line, kind, note, sink);
        }
        let added: Vec<u64> = counts
            .iter()
            .zip(&before)
            .map(|(now, before)| now.checked_sub(*before).unwrap_or(*now))
            .collect();
        self.push(last, &added, sink);
        self.before = Some((cycle, counts));
    }

    fn push(&self, cycle: i64, counts: &[u64], sink: &mut Sink) {
        let Some(track) = self.track else { return };
        for (counter, count) in self.counters.iter().zip(counts) {
            sink.builder.sample(track, *counter, &Unit::None, cycle, *count as f64);
        }
    }

    /// Everything was read: nothing is known from the last row on.
    fn finish(&mut self, sink: &mut Sink) {
        let mut lines = std::mem::take(&mut self.lines);
        lines.finish(|line| self.line(line, sink));
        if let Some((at, first)) = self.first.take() {
            self.push(at.saturating_sub(1).max(0), &first, sink);
        }
        if let (Some((last, _)), Some(track)) = (&self.before, self.track) {
            for counter in &self.counters {
                sink.builder.sample(track, *counter, &Unit::None, *last, f64::NAN);
            }
        }
    }

    #[cold]
    fn fault(
        &self,
        code: &'static str,
        severity: Severity,
        line: Line,
        kind: Kind,
        note: &'static str,
        sink: &mut Sink,
    ) {
        let place = Place::byte(&self.path, line.at).line(line.number, 1);
        sink.fault(Fault::new(code, severity, place, kind).note(note));
    }
}

impl Reading for Files {
    fn next(&mut self, bundle: &Bundle, sink: &mut Sink) -> Result<Want, Fault> {
        if !self.has_begun {
            self.has_begun = true;
            sink.step = "Reading";
            sink.builder.head().clock = Clock::Cycles { hz: None };
            let name = |id: &EntryId| bundle.get(*id).map_or("", |entry| entry.path.as_str());
            order::sort_by(self.waiting.make_contiguous(), |a, b| natural(name(a), name(b)));
        }
        if let Some(mut now) = self.now.take() {
            now.finish(sink);
        }
        let Some(entry) = self.waiting.pop_front() else { return Ok(Want::Done) };
        let len = self.open(entry, bundle, sink);
        Ok(Want::Stream { entry, range: 0..len })
    }

    fn feed(&mut self, chunk: &[u8], _: &Bundle, sink: &mut Sink) -> Result<(), Fault> {
        let Some(now) = &mut self.now else { return Ok(()) };
        let mut lines = std::mem::take(&mut now.lines);
        lines.feed(chunk, |line| now.line(line, sink));
        now.lines = lines;
        Ok(())
    }

    fn position(&self) -> Option<(EntryId, u64)> {
        self.now.as_ref().map(|now| (now.entry, now.lines.position()))
    }
}
