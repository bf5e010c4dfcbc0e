//! The last steps of opening: analyses run, rows are sorted, and what the result shows is reported.

use super::Need;
use crate::analysis::contract::Analysis;
use crate::analysis::timeline::{Apart, MAX_LANES, Recording};
use crate::base::fault::{Fault, Kind, Place, Severity};
use crate::base::job::Job;
use crate::base::map::Map;
use crate::base::number;
use crate::base::time::Ticks;
use crate::base::words::{message, phrase};
use crate::document::{Document, Finish, OpeningStage};
use crate::input::EntryId;
use crate::model::build::sorting::Sorted;
use crate::model::id::TrackId;
use crate::model::parameter::AnalysisHead;
use crate::model::track::Track;
use crate::systems;
use std::any::Any;
use std::collections::VecDeque;
use std::rc::Rc;

/// Analyses that are to be run, one after the other.
#[derive(Default)]
pub(crate) struct Analyzing {
    waiting: VecDeque<&'static Analysis>,
    running: Option<(&'static Analysis, Job<Box<dyn Any>>)>,
}

impl Analyzing {
    /// Whether nothing is left to do.
    pub(crate) fn is_done(&self) -> bool {
        self.running.is_none() && self.waiting.is_empty()
    }

    /// Whether an analysis is still to be run.
    fn has(&self, analysis: &Analysis) -> bool {
        let running = self.running.as_ref().map(|(running, _)| running);
        self.waiting.iter().chain(running).any(|other| other.id == analysis.id)
    }
}

impl Document {
    /// The analyses that can be made of what was read.
    pub fn analyses(&self) -> &[&'static Analysis] {
        &self.analyses
    }

    /// Looks anew which analyses can be made of what was read.
    pub(crate) fn find_analyses(&mut self) {
        let trace = self.sink.builder.trace();
        self.analyses = systems::analyses().filter(|analysis| (analysis.applies)(trace)).collect();
        self.guides = systems::systems().map(|system| system.guide).collect();
    }

    /// The analyses that have parameters, with their values; before them the formats that have some.
    pub fn analysis_heads(&self) -> Vec<AnalysisHead> {
        let (trace, values) = (self.trace(), &self.values);
        let of_formats = self.formats().into_iter().map(|format| AnalysisHead {
            id: format.id.to_owned(),
            title: format.title.to_owned(),
            is_running: false,
            parameters: format.parameters.iter().map(|parameter| parameter.head(trace, values)).collect(),
        });
        let of_analyses = self.analyses.iter().map(|a| {
            a.head(trace, values, self.kept.get::<Analyzing>().is_some_and(|analyzing| analyzing.has(a)))
        });
        of_formats.chain(of_analyses).filter(|head| !head.parameters.is_empty()).collect()
    }

    /// The result of an analysis as what it is; `None` when it was not made.
    pub fn result<T: Any>(&self, analysis: &Analysis) -> Option<&T> {
        let derived = &self.derived;
        derived.results.input(analysis, self.trace(), &derived.timeline, &self.values).result()
    }

    /// Analyses without a result for the values of now.
    pub(crate) fn outdated(&self, is_meant: fn(&Analysis) -> bool) -> Analyzing {
        let has = |analysis: &&Analysis| self.derived.results.has(analysis, &self.values);
        let waiting = self.analyses.iter().filter(|analysis| is_meant(analysis) && !has(analysis));
        Analyzing { waiting: waiting.copied().collect(), running: None }
    }

    /// Everything is read: analyses that add tracks come before the rows are sorted.
    pub(crate) fn begin_finish(&mut self) -> Need {
        self.sink.step = "Sorting and summing";
        self.derived.results.collect(self.sink.take_taps());
        self.find_analyses();
        *self.kept.of::<Analyzing>() = self.outdated(|analysis| analysis.add_tracks.is_some());
        self.stage = OpeningStage::Analyze { is_sorted: false };
        Need::Again
    }

    /// Works on the analyses that wait; true when there is more to do.
    pub(crate) fn analyze(&mut self) -> bool {
        let begun = self.kept.of::<Analyzing>().running.take();
        let Some((analysis, mut job)) = begun.or_else(|| self.next_job()) else { return false };
        let Some(result) = job.poll() else {
            self.kept.of::<Analyzing>().running = Some((analysis, job));
            return true;
        };
        drop(job);
        if let Some(add_tracks) = analysis.add_tracks {
            self.sink.builder.reclaim();
            add_tracks(&*result, &mut self.sink.builder);
        }
        self.derived.results.insert(analysis, &self.values, result);
        self.revision += 1;
        self.kept.get::<Analyzing>().is_some_and(|analyzing| !analyzing.is_done())
    }

    fn next_job(&mut self) -> Option<(&'static Analysis, Job<Box<dyn Any>>)> {
        let analysis = self.kept.of::<Analyzing>().waiting.pop_front()?;
        let shared = self.sink.builder.share();
        let derived = &self.derived;
        let input = derived.results.input(analysis, &shared, &derived.timeline, &self.values);
        analysis.start.map(|start| (analysis, start(&input, Rc::clone(&shared))))
    }

    /// Does the next piece of sorting the rows and computing what follows from all of them.
    pub(crate) fn finish(&mut self, finish: Finish) -> Need {
        let next = match finish {
            Finish::TakeIn if self.take_in() => Finish::Sort,
            Finish::TakeIn => Finish::TakeIn,
            Finish::Sort => match self.sink.builder.sort() {
                Sorted::Again => Finish::Sort,
                Sorted::Moves(track) => {
                    self.derived.timeline.forget(track);
                    Finish::Sort
                }
                Sorted::Done => Finish::Derive,
            },
            Finish::Derive if self.derived.finish(self.sink.builder.trace()) => {
                self.sink.builder.share();
                self.report_lanes();
                self.lay_side_by_side();
                self.report_far();
                self.find_analyses();
                *self.kept.of::<Analyzing>() = self.outdated(|analysis| analysis.add_tracks.is_none());
                self.stage = OpeningStage::Analyze { is_sorted: true };
                return Need::Again;
            }
            Finish::Derive => Finish::Derive,
        };
        self.stage = OpeningStage::Finish(next);
        Need::Again
    }

    /// Everything is computed.
    pub(crate) fn end_finish(&mut self) -> Need {
        self.report_analyses();
        if self.is_empty() {
            self.stage = OpeningStage::Failed;
            return Need::Failed;
        }
        self.stage = OpeningStage::Ready;
        Need::Ready
    }

    /// Reports a part of the program that could not be loaded beside the readers; readers say so themselves.
    pub(super) fn report_parts(&mut self) {
        let formats = self.formats();
        let reads = |part: usize| formats.iter().any(|format| systems::reads(part, format));
        if self.without.iter().any(|part| !reads(*part)) {
            let what = message(
                "Part of Lanescope could not be loaded: some colors, analyses and commands are missing",
            );
            let fault = Fault::new("INP-PART", Severity::Loss, Place::default(), Kind::Problem(what));
            self.sink.fault(fault.note(phrase("Check your connection and open the file again.")));
        }
    }

    /// Reports which tracks have slices that found no lane: they are not drawn.
    fn report_lanes(&mut self) {
        let trace = self.sink.builder.trace();
        let full = trace.tracks.iter().find(|(id, _)| 0 < self.derived.timeline.track(*id).n_unplaced());
        let Some((id, track)) = full else { return };
        let place = Place {
            entry: self.bundle.get(EntryId(track.entry)).map_or(String::new(), |e| e.path.clone()),
            block: trace.strings.get(track.name).to_owned().into(),
            ..Place::default()
        };
        let n = self.derived.timeline.track(id).n_unplaced();
        let allowed = MAX_LANES as u64;
        let kind =
            Kind::Limit { what: phrase("overlapping slices on a track").into(), asked: allowed + n, allowed };
        let note = phrase("The others are not drawn; find them in tables and searches.");
        self.sink.fault(Fault::new("TIM-LANES", Severity::Loss, place, kind).note(note));
    }

    /// Gives files whose times lie far from those of others offsets, so that they can be seen together, and says so.
    fn lay_side_by_side(&mut self) {
        let chosen = self.ranking.iter().filter(|_| self.sink.is_shared).flat_map(|ranking| &ranking.chosen);
        let claimed: Vec<&[(EntryId, &str)]> = chosen.map(|(_, claim)| &claim.entries[..]).collect();
        let path = |file: usize| {
            let entry = claimed.get(file).and_then(|entries| entries.first());
            entry.and_then(|(entry, _)| self.bundle.get(*entry)).map_or("", |entry| entry.path.as_str())
        };
        let of_entries =
            (0..).zip(&claimed).flat_map(|(file, of)| of.iter().map(move |(id, _)| (id.0, file)));
        let files: Map<u32, usize> = of_entries.collect();
        let trace = self.sink.builder.trace();
        let placed = self.derived.timeline.placed(trace, &files);
        let Some(first) = placed.first().map(|first| path(first.file).to_owned()) else { return };
        let note = phrase("An offset aligns it with that file; exported files keep the recorded times.");
        let mut faults = Vec::new();
        for far in placed.iter().filter(|file| file.by != 0) {
            let what = message("the times in this file start {later} after those in {first}")
                .with("later", number::duration(far.later, trace.clock))
                .with("first", first.as_str());
            let place = Place::entry(path(far.file));
            let fault = Fault::new("TIM-APART", Severity::Note, place, Kind::Problem(what));
            faults.push(fault.note(note));
        }
        let moved: Map<usize, Ticks> = placed.iter().map(|placed| (placed.file, placed.by)).collect();
        let roots = trace.tracks.iter().filter(|(_, track)| track.parent.is_none());
        let offset = |(id, track): (TrackId, &Track)| {
            let by = *moved.get(files.get(&track.entry)?)?;
            (by != 0).then_some((id, by))
        };
        self.offsets = roots.filter_map(offset).collect();
        self.derived.timeline.lay(trace, &self.offsets);
        self.sink.faults_of(faults);
    }

    /// Reports events that are so far from all others of their file that nothing of these is seen.
    fn report_far(&mut self) {
        let trace = self.sink.builder.trace();
        let note = phrase("The timeline shows the whole time: zoom in to see the others.");
        let mut faults = Vec::new();
        for far in self.derived.timeline.far(trace) {
            let entry = trace.tracks.find(far.track).and_then(|track| self.bundle.get(EntryId(track.entry)));
            let place = Place {
                entry: entry.map_or(String::new(), |entry| entry.path.clone()),
                byte: (!far.detail.is_empty()).then_some(far.detail.start),
                block: trace.track_path(far.track).into(),
                ..Place::default()
            };
            let said = if far.is_later {
                message("{n} events start {time} after all others of the file, which take {others}: {name}")
            } else {
                message("{n} events end {time} before all others of the file, which take {others}: {name}")
            };
            let said = said
                .with("n", number::thousands(far.n as u64))
                .with("time", number::duration(far.distance, trace.clock))
                .with("others", number::duration(far.others, trace.clock))
                .with("name", trace.strings.get(far.name));
            faults.push(Fault::new("TIM-FAR", Severity::Warning, place, Kind::Problem(said)).note(note));
        }
        for apart in self.derived.timeline.recordings_apart(trace) {
            faults.push(self.apart(&apart));
        }
        self.sink.faults_of(faults);
    }

    /// What is said of a file that is two recordings.
    fn apart(&self, apart: &Apart) -> Fault {
        let trace = self.sink.builder.trace();
        let entry = trace.tracks.find(apart.track).and_then(|track| self.bundle.get(EntryId(track.entry)));
        let place = Place::entry(entry.map_or(String::new(), |entry| entry.path.clone()));
        let [first, second] = apart.recordings;
        let one = |of: Recording| {
            message("{n} events on {tracks} tracks in {time}")
                .with("n", number::thousands(of.n as u64))
                .with("tracks", number::thousands(of.n_tracks as u64))
                .with("time", number::duration(of.span.dur(), trace.clock))
        };
        let what = message("two groups of events {time} apart: {first}, then {second}")
            .with("time", number::duration(apart.between().dur(), trace.clock))
            .with_message("first", one(first))
            .with_message("second", one(second));
        let fault = Fault::new("TIM-FAR", Severity::Warning, place, Kind::Problem(what));
        fault.note(phrase(
            "Two clocks, or a long pause. Findings ignore the time in between; zoom in to see one group.",
        ))
    }

    /// Reports what analyses find wrong with the files.
    fn report_analyses(&mut self) {
        for analysis in self.analyses.clone() {
            let (trace, derived) = (self.sink.builder.trace(), &self.derived);
            let input = derived.results.input(analysis, trace, &derived.timeline, &self.values);
            let faults = analysis.faults.map_or_else(Vec::new, |faults| faults(&input));
            for (entry, mut fault) in faults {
                let path = self.bundle.get(EntryId(entry)).map(|e| e.path.clone());
                fault.place.entry = path.unwrap_or_default();
                self.sink.fault(fault);
            }
        }
    }
}
