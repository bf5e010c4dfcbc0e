//! What the recording cut: slices without an end, events that the file says are lost, tracks that are there for a part of
//! the time only.

use super::device::clocks;
use super::periods::PERIODS;
use super::place::Place;
use super::survey::{Quiet, Survey, is_told};
use super::trace::{MOST, excerpt, percent};
use super::{Looked, Rule, RuleInput, Threshold, more};
use crate::analysis::device::ranks::is_stated;
use crate::analysis::finding::{Evidence, Finding, Number, Severity, share};
use crate::base::fault::Fault;
use crate::base::map::Map;
use crate::base::number::thousands;
use crate::base::time::{Span, Ticks};
use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};
use crate::model::id::{ClockId, TrackId};

/// What the recording cut.
pub static CUT: Rule = Rule {
    id: "trace-cut-by-recording",
    version: 6,
    title: phrase("Incomplete recording"),
    thresholds: &[
        Threshold {
            name: phrase("share of the recorded time for which a track is empty at the start or end"),
            value: 0.1,
            unit: Unit::Share,
            source: phrase("our own choice: threads usually start and end within it"),
        },
        Threshold {
            name: phrase("multiple of the track's longest pause in between"),
            value: 10.0,
            unit: Unit::None,
            source: phrase("our own choice: an order of magnitude"),
        },
        Threshold {
            name: phrase("minimum busy stretches to check a track"),
            value: PERIODS as f64,
            unit: Unit::None,
            source: phrase("our own choice: with fewer, usual pauses are unknown"),
        },
    ],
    look: |input| {
        let Some(survey) = input.survey.filter(|survey| 0 < survey.span.dur()) else {
            return Looked::NotHere;
        };
        if input.is_known {
            return Looked::NotHere;
        }
        // What the writer of a file added up is no recording of its own.
        let own = survey.quiet.iter().filter(|own| !is_stated(input.trace, own.track)).copied();
        let of = Checked::of(input, survey, own.collect());
        let checked = of.n();
        let findings = [lost(input), open(input), partly(input, &of)];
        Looked::found_or(findings.into_iter().flatten().collect(), || {
            match of.most() {
                // The recording may begin and end with its only track.
                0 | 1 => message("no lost events and no slices without an end, according to the file; whether tracks start late or end early is only checked for several tracks"),
                _ => message("no lost events and no slices without an end, according to the file; 0 of {n} tracks that can be checked start late or end early by these limits")
                    .with("n", thousands(checked as u64)),
            }
        })
    },
};

/// By how much the clocks of files are ahead.
struct Clocks(Map<u32, Ticks>);

impl Clocks {
    fn of(&self, input: &RuleInput, track: TrackId) -> Ticks {
        let entry = input.trace.tracks.find(track).map(|track| track.entry);
        entry.and_then(|entry| self.0.get(&entry)).copied().unwrap_or(0)
    }

    /// Whether any differs from the others.
    fn is_aligned(&self) -> bool {
        self.0.values().any(|by| *by != 0)
    }
}

/// Which tracks were recorded together: only their times tell of each other.
struct Recordings {
    /// From the first to the last slice of each, on clocks that are aligned.
    spans: Vec<Span>,
    places: Map<Part, usize>,
}

/// The file of a track, and its clock, if that is related to no other.
type Part = (u32, Option<ClockId>);

impl Recordings {
    /// Files whose times overlap are one, unless they are only laid beside each other.
    fn of(input: &RuleInput, clocks: &Clocks) -> Self {
        let (trace, timeline) = (input.trace, &input.derived.timeline);
        let mut parts: Map<Part, (Ticks, Span)> = Map::default();
        for (id, _) in trace.tracks.iter().filter(|(_, track)| is_told(track)) {
            let own = timeline.extent(trace, id).zip(Self::part(input, id));
            let Some((extent, part)) = own else { continue };
            let span = extent.shifted(timeline.shift_of(id) - clocks.of(input, id));
            let all = parts.entry(part).or_insert((timeline.laid_by(trace, id), span));
            all.1 = all.1.union(span);
        }
        let mut parts: Vec<_> = parts.into_iter().collect();
        parts.sort_by_key(|((file, alone), (laid, span))| (*alone, *laid, span.start, *file));
        let (mut all, mut last) = (Self { spans: Vec::new(), places: Map::default() }, None);
        for (part, (laid, span)) in parts {
            let related = (part.1, laid);
            match all.spans.last_mut().filter(|all| last == Some(related) && span.start <= all.end) {
                Some(all) => *all = all.union(span),
                None => all.spans.push(span),
            }
            last = Some(related);
            all.places.insert(part, all.spans.len() - 1);
        }
        all
    }

    fn part(input: &RuleInput, id: TrackId) -> Option<Part> {
        let track = input.trace.tracks.find(id)?;
        Some((track.entry, input.trace.clock_of(id).relation.is_none().then_some(track.clock)))
    }

    /// The number of that of a track.
    fn place(&self, input: &RuleInput, track: TrackId) -> Option<usize> {
        self.places.get(&Self::part(input, track)?).copied()
    }
}

/// A track, and the recording that it is held against: its number and how long it is.
struct Held {
    track: Quiet,
    at: usize,
    whole: Ticks,
}

/// Of how many tracks it is told which are cut.
struct Checked {
    tracks: Vec<Held>,
    recordings: Recordings,
    /// Whether the clocks of files were aligned for that.
    is_aligned: bool,
}

impl Checked {
    /// Holds each track against its recording; clocks are asked for where any would be cut.
    fn of(input: &RuleInput, survey: &Survey, tracks: Vec<Quiet>) -> Self {
        let whole = survey.recorded(survey.span);
        let may_be_cut = tracks.iter().any(|track| is_cut(whole, track));
        let unaligned = Self::held(input, survey, &tracks, &Clocks(Map::default()));
        if !may_be_cut && unaligned.cut().next().is_none() {
            return unaligned;
        }
        let clocks = Clocks(clocks(input));
        if clocks.is_aligned() { Self::held(input, survey, &tracks, &clocks) } else { unaligned }
    }

    fn held(input: &RuleInput, survey: &Survey, tracks: &[Quiet], clocks: &Clocks) -> Self {
        let (recordings, is_aligned) = (Recordings::of(input, clocks), clocks.is_aligned());
        let apart = survey.apart.filter(|_| !is_aligned);
        let is_whole = recordings.spans.len() < 2 && !is_aligned;
        let held = tracks.iter().map(|track| {
            let (mut track, at) = (*track, recordings.place(input, track.track).unwrap_or(0));
            let own = recordings.spans.get(at).filter(|_| !is_whole).copied().unwrap_or(survey.span);
            track.set_ends(own.shifted(clocks.of(input, track.track)), apart);
            let whole = own.dur() - apart.map_or(0, |apart| own.intersect(apart).dur());
            Held { track, at, whole }
        });
        Self { tracks: held.collect(), recordings, is_aligned }
    }

    /// Those that are cut.
    fn cut(&self) -> impl Iterator<Item = &Held> {
        self.tracks.iter().filter(|held| is_cut(held.whole, &held.track))
    }

    /// Whether each is held against one of several recordings.
    fn are_several(&self) -> bool {
        1 < self.recordings.spans.len()
    }

    /// How many can be checked.
    fn n(&self) -> usize {
        self.tracks.iter().filter(|held| is_busy(&held.track)).count()
    }

    /// The same of the recording with most of them.
    fn most(&self) -> usize {
        let mut n = vec![0; self.recordings.spans.len()];
        let busy = self.tracks.iter().filter(|held| is_busy(&held.track));
        busy.for_each(|held| n.get_mut(held.at).into_iter().for_each(|n| *n += 1));
        n.into_iter().max().unwrap_or(0)
    }

    /// What is said of all, and behind the first and the last event.
    fn said(&self) -> (Message, Message) {
        if self.are_several() {
            let said =
                message("⟦{n} of {all} tracks⟧ that can be checked cover only part of their own recording.");
            (said, message(" of its own recording"))
        } else {
            let said = message("⟦{n} of {all} tracks⟧ that can be checked cover only part of the recording.");
            (said, Message::default())
        }
    }

    /// The end of what is said of one: its others.
    fn more(&self, others: impl Iterator<Item = String>) -> Message {
        if !self.is_aligned {
            return more(0, others);
        }
        message(" The clocks of the files were aligned by the ends of collectives.{more}")
            .with_message("more", more(0, others))
    }
}

/// Whether a track has enough stretches to know its usual pauses.
fn is_busy(track: &Quiet) -> bool {
    CUT.limit(2) <= track.stretches as f64
}

/// Whether a track that never pauses long has nothing at one end of the recording.
fn is_cut(whole: i64, track: &Quiet) -> bool {
    let most = track.before.dur().max(track.after.dur()) as f64;
    is_busy(track)
        && CUT.limit(0) * whole as f64 <= most
        && CUT.limit(1) * track.longest.max(1) as f64 <= most
}

/// Faults of one kind, and how many there are with those that were folded.
fn faults<'a>(input: &RuleInput<'a>, is_meant: fn(&str) -> bool) -> (Option<&'a Fault>, u64) {
    let all = input.faults.rows().iter().filter(|fault| is_meant(&fault.code));
    let n = all.clone().map(|fault| 1 + fault.repeats).sum();
    (all.clone().next(), n)
}

/// A finding that the report shows.
fn reported(subject: &'static str, severity: Severity, n: u64, shown: Message) -> Finding {
    Finding {
        subject: subject.to_owned(),
        severity,
        value: n as f64,
        evidence: Evidence {
            shown,
            how: message("Found while reading the files; the report lists each place."),
            view: "report".to_owned(),
            address: Place::view("report").address(),
            ..Evidence::default()
        },
        ..CUT.finding()
    }
}

/// Events that the file says are lost.
fn lost(input: &RuleInput) -> Option<Finding> {
    let (first, n) = faults(input, |code| code.ends_with("-LOST"));
    let mut finding = reported("lost", Severity::Warning, n, message("lost events, according to the file"));
    finding.sentence = message("The file reports lost events at ⟦{n} places⟧.").with("n", thousands(n));
    finding.line = message("The first: {what}. Gaps and durations near them do not reflect the program: record with larger buffers, or fewer kinds of events.")
        .with_message("what", first?.kind.message());
    finding.evidence.numbers = vec![Number::new(phrase("Places with lost events"), n as f64, Unit::None)];
    Some(finding)
}

/// Slices that lack an end or a begin.
fn open(input: &RuleInput) -> Option<Finding> {
    let (first, n) = faults(input, |code| code.contains("-OPEN") && !code.ends_with("-FLOW"));
    let (_, ends) = faults(input, |code| code.ends_with("-ORPHAN-END"));
    let mut finding = reported("open", Severity::Note, n, message("slices without an end"));
    finding.sentence = message("⟦{n} slices⟧ have no end event in the file.").with("n", thousands(n));
    finding.line = message("The first: {what}. Recording stopped before they ended, or their end events were lost: they last at least as long as shown, and count in no time.")
        .with_message("what", first?.kind.message());
    finding.evidence.numbers = vec![
        Number::new(phrase("Slices without an end"), n as f64, Unit::None),
        Number::new(phrase("Ends without a start"), ends as f64, Unit::None),
    ];
    Some(finding)
}

/// Tracks that are there for a part of the recording.
fn partly(input: &RuleInput, checked: &Checked) -> Option<Finding> {
    let survey = input.survey?;
    let of = |track: &Quiet| if track.before.dur() < track.after.dur() { track.after } else { track.before };
    let Held { track: most, at, whole } = checked.cut().max_by_key(|held| of(&held.track).dur())?;
    let span = of(most);
    let name = |track: &Quiet| input.trace.track_path(track.track);
    let line = if span.end <= most.before.end {
        message(
            "{track} starts {time} after the first event{of}, though it never pauses longer than {gap}: it may have started then, or earlier events were overwritten.{more}",
        )
    } else {
        message(
            "{track} ends {time} before the last event{of}, though it never pauses longer than {gap}: it may have ended then, or its recording stopped.{more}",
        )
    };
    let (sentence, of_its) = checked.said();
    let shown = Span { start: most.before.start, end: most.after.end };
    let shown = if checked.are_several() { shown } else { survey.span };
    let others = checked.cut().map(|held| &held.track).filter(|track| track.track != most.track).map(name);
    let beside = survey.tracks.iter().map(|of| of.0);
    let beside = beside.filter(|track| checked.recordings.place(input, *track) == Some(*at));
    let tracks: Vec<TrackId> = std::iter::once(most.track).chain(beside).take(MOST).collect();
    let n = checked.cut().count();
    let (time, unit) = input.time(span.dur());
    let part = percent(share(span.dur() as f64, *whole as f64));
    let numbers = vec![
        Number::new(phrase("Inactive"), time, unit.clone()).note(part),
        Number::new(phrase("Longest pause"), input.time(most.longest).0, unit),
        Number::new(phrase("Busy stretches"), most.stretches as f64, Unit::None),
        Number::new(phrase("Tracks checked"), checked.n() as f64, Unit::None),
        Number::new(phrase("All tracks"), checked.tracks.len() as f64, Unit::None),
    ];
    Some(Finding {
        subject: "partly".to_owned(),
        severity: Severity::Note,
        sentence: sentence.with("n", thousands(n as u64)).with("all", thousands(checked.n() as u64)),
        line: line
            .with("track", name(most))
            .with_message("of", of_its)
            .with("time", input.duration(span.dur()))
            .with("gap", input.duration(most.longest))
            .with_message("more", checked.more(others)),
        value: n as f64,
        evidence: Evidence {
            shown: message("where {track} is empty").with("track", name(most)),
            figure: Some(excerpt(input, shown, &tracks)),
            numbers,
            how: message(
                "For each track with at least 20 busy stretches: the time before its first and after its last one, relative to the first and last of all tracks recorded with it: files whose times overlap count as one recording, unless they are only aligned by their starts. It counts if it is at least a tenth of that recording and ten times the longest pause in between.",
            ),
            view: "timeline".to_owned(),
            address: Place::view("timeline")
                .around(span)
                .range(span)
                .tracks(input.trace, &[most.track])
                .address(),
            ..Evidence::default()
        },
        ..CUT.finding()
    })
}
