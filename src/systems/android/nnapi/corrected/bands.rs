//! Bands for the timeline: what the application was doing, executions, and driver executions.

use super::executions::{DriverExecution, Kind};
use super::scope::{App, NONE};
use super::{Corrected, Run};
use crate::base::time::Span;
use crate::base::words::phrase;
use crate::model::build::TraceBuilder;
use crate::model::id::TrackId;
use crate::model::slice::SliceRow;
use crate::model::track::TrackKind;
use crate::systems::android::nnapi::mark::Marks;
use crate::systems::android::nnapi::mark::{Layer, Part, Phase, Tint};

/// One slice of a band.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Band {
    /// What a person reads: `run 2`, `warmup`, `benchmark`, `execution 12`; of several runs `run 2 execution 12`.
    pub name: String,
    /// How an execution was called, or what a run is called.
    pub kind: String,
    /// When.
    pub span: Span,
    /// Row of `Marks` where it begins.
    pub row: u32,
    /// Whether its end is not in the trace.
    pub is_unfinished: bool,
    /// How it is drawn.
    pub tint: Tint,
}

/// The group of the tracks, and the tracks in their order.
const GROUP: &str = "NNAPI";
const TRACKS: [&str; 3] = [phrase("Application phases"), phrase("Executions"), phrase("Driver executions")];

/// The group stands in front of everything that a reader makes.
const FIRST: i64 = -1_000_000;

impl Corrected {
    /// The bands of a run: application phases, executions, driver executions; each in the order of begins. Executions
    /// are numbered from 1 in each run, driver executions as the executions that they compute for. The bands of an execution
    /// are its stretches: their lengths add up to its time.
    pub fn bands(&self, run: &Run) -> [Vec<Band>; 3] {
        [self.phases(run), self.execution_bands(run), self.driver_bands(run)]
    }

    /// The number of a run, from 1.
    pub fn run_number(&self, run: &Run) -> usize {
        self.runs.partition_point(|other| other.scopes.start < run.scopes.start) + 1
    }

    /// What an execution is called, by its row; of several runs with that of its run.
    pub fn execution_name(&self, run: &Run, execution: usize) -> String {
        let number = (execution + 1).saturating_sub(run.executions.start);
        match self.runs.len() {
            1 => format!("execution {number}"),
            _ => format!("run {} execution {number}", self.run_number(run)),
        }
    }

    fn phases(&self, run: &Run) -> Vec<Band> {
        let number = self.run_number(run);
        let scopes = self.scopes.get(run.scopes.clone()).unwrap_or_default();
        let bands = scopes.iter().filter(|s| s.layer == Layer::Application).filter_map(|scope| {
            let (name, kind) = match (scope.phase, App::of_loop(scope.layer, scope.phase)) {
                (_, Some(App::Warmup)) => ("warmup".to_owned(), ""),
                (_, Some(_)) => ("benchmark".to_owned(), ""),
                (Phase::Overall, None) => (format!("run {number}"), self.name(scope.name)),
                _ => return None,
            };
            let tint = Tint { layer: Layer::Application, phase: scope.phase, part: Part::Counted };
            let span = Span::new(scope.start, scope.end);
            let (row, is_unfinished) = (scope.row, scope.is_unfinished);
            Some(Band { name, kind: kind.to_owned(), span, row, is_unfinished, tint })
        });
        bands.collect()
    }

    fn execution_bands(&self, run: &Run) -> Vec<Band> {
        let tint = Tint { layer: Layer::Runtime, phase: Phase::Execution, part: Part::Counted };
        // Drivers' executions have a track of their own.
        let of_clients =
            run.executions.clone().zip(self.executions_of(run)).filter(|(_, e)| e.kind != Kind::Driver);
        let bands = of_clients.flat_map(|(at, execution)| {
            let name = self.execution_name(run, at) + unfinished(execution.is_cut);
            let band = move |span| Band {
                name: name.clone(),
                kind: execution.kind.id().to_owned(),
                span,
                row: execution.row,
                is_unfinished: execution.is_cut,
                tint,
            };
            self.stretches(at).into_iter().map(band)
        });
        bands.collect()
    }

    fn driver_bands(&self, run: &Run) -> Vec<Band> {
        let tint = Tint { layer: Layer::Driver, phase: Phase::Execution, part: Part::Counted };
        let name = |driver: &DriverExecution| match driver.execution as usize {
            at if driver.execution != NONE && run.executions.contains(&at) => {
                format!("driver of {}", self.execution_name(run, at))
            }
            _ => "driver".to_owned(),
        };
        let bands = self.drivers_of(run).iter().map(|driver| Band {
            name: name(driver) + unfinished(driver.is_cut),
            kind: if driver.is_later { "callback" } else { "synchronous" }.to_owned(),
            span: Span::new(driver.start, driver.end),
            row: driver.row,
            is_unfinished: driver.is_cut,
            tint,
        });
        bands.collect()
    }
}

/// Behind the name of what has no end.
fn unfinished(is_cut: bool) -> &'static str {
    if is_cut { " (unfinished)" } else { "" }
}

/// Adds the bands of all runs as tracks of their own, in front of all others. Call once, before the trace is finished.
pub fn add_tracks(builder: &mut TraceBuilder, corrected: &Corrected) {
    if corrected.runs.is_empty() {
        return;
    }
    let entry = Marks::of(builder.trace()).entry;
    let name = builder.intern(GROUP);
    let Some(group) = builder.track(None, TrackKind::Group, name, entry) else { return };
    builder.order_track(group, FIRST);
    builder.derive_track(group);
    let mut bands: [Vec<Band>; 3] = Default::default();
    for run in &corrected.runs {
        for (all, more) in bands.iter_mut().zip(corrected.bands(run)) {
            all.extend(more);
        }
    }
    for (order, (name, bands)) in (0..).zip(TRACKS.into_iter().zip(bands)) {
        if bands.is_empty() {
            continue;
        }
        let name = builder.intern(name);
        let Some(track) = builder.track(Some(group), TrackKind::Slices, name, entry) else { return };
        builder.order_track(track, order);
        add(builder, track, &bands);
    }
}

fn add(builder: &mut TraceBuilder, track: TrackId, bands: &[Band]) {
    for band in bands {
        let name = builder.intern(&band.name);
        let mut slice = SliceRow::new(band.span.start, band.span.dur(), name);
        slice.category = builder.intern(&band.kind);
        slice.color = builder.intern(&band.tint.name());
        slice.is_unfinished = band.is_unfinished;
        let (marks, row) = (Marks::of(builder.trace()), band.row as usize);
        slice.detail_start = marks.start.get(row).copied().unwrap_or(0);
        slice.detail_len = marks.len.get(row).copied().unwrap_or(0);
        builder.slice(track, slice);
    }
}
