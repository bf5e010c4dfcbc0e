//! What the recording cut: slices without an end, events that the file says are lost, tracks that are there for a part of
//! the time only.

use super::device::clocks;
use super::periods::PERIODS;
use super::place::Place;
use super::survey::{Quiet, is_told};
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
use crate::model::id::TrackId;

/// What the recording cut.
pub static CUT: Rule = Rule {
    id: "trace-cut-by-recording",
    version: 5,
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
        let (mut tracks, mut whole): (Vec<Quiet>, Ticks) = (own.collect(), survey.recorded(survey.span));
        let aligned = tracks.iter().any(|track| is_cut(whole, track)).then(|| aligned(input)).flatten();
        if let Some((clocks, span)) = &aligned {
            whole = span.dur();
            for track in &mut tracks {
                track.set_ends(span.shifted(clocks.of(input, track.track)));
            }
        }
        let quiet: Vec<&Quiet> = tracks.iter().filter(|track| is_cut(whole, track)).collect();
        let checked = tracks.iter().filter(|track| is_busy(track)).count();
        let of = Checked { n: checked, all: tracks.len(), whole, is_aligned: aligned.is_some() };
        let findings = [lost(input), open(input), partly(input, &quiet, &of)];
        Looked::found_or(findings.into_iter().flatten().collect(), || {
            match checked {
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
}

/// Where collectives tell that clocks of files differ: by how much, and from the first to the last slice on aligned ones.
fn aligned(input: &RuleInput) -> Option<(Clocks, Span)> {
    let clocks = Clocks(clocks(input));
    if clocks.0.values().all(|by| *by == 0) {
        return None;
    }
    let timeline = &input.derived.timeline;
    let spans = input.trace.tracks.iter().filter(|(_, track)| is_told(track)).filter_map(|(id, _)| {
        let by = timeline.shift_of(id) - clocks.of(input, id);
        Some(timeline.extent(input.trace, id)?.shifted(by))
    });
    let span = spans.reduce(Span::union)?;
    Some((clocks, span))
}

/// Of how many tracks it is told which are cut.
struct Checked {
    n: usize,
    all: usize,
    /// How long the recording is.
    whole: Ticks,
    /// Whether the clocks of files were aligned for that.
    is_aligned: bool,
}

impl Checked {
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
fn partly(input: &RuleInput, quiet: &[&Quiet], checked: &Checked) -> Option<Finding> {
    let survey = input.survey?;
    let of = |track: &Quiet| if track.before.dur() < track.after.dur() { track.after } else { track.before };
    let most = quiet.iter().copied().max_by_key(|track| of(track).dur())?;
    let span = of(most);
    let name = |track: &Quiet| input.trace.track_path(track.track);
    let line = if span.end <= most.before.end {
        message(
            "{track} starts {time} after the first event, though it never pauses longer than {gap}: it may have started then, or earlier events were overwritten.{more}",
        )
    } else {
        message(
            "{track} ends {time} before the last event, though it never pauses longer than {gap}: it may have ended then, or its recording stopped.{more}",
        )
    };
    let others = quiet.iter().filter(|track| track.track != most.track).map(|track| name(track));
    let tracks: Vec<TrackId> =
        std::iter::once(most.track).chain(survey.tracks.iter().map(|of| of.0)).take(MOST).collect();
    let (time, unit) = input.time(span.dur());
    let part = percent(share(span.dur() as f64, checked.whole as f64));
    Some(Finding {
        subject: "partly".to_owned(),
        severity: Severity::Note,
        sentence: message("⟦{n} of {all} tracks⟧ that can be checked cover only part of the recording.")
            .with("n", thousands(quiet.len() as u64))
            .with("all", thousands(checked.n as u64)),
        line: line
            .with("track", name(most))
            .with("time", input.duration(span.dur()))
            .with("gap", input.duration(most.longest))
            .with_message("more", checked.more(others)),
        value: quiet.len() as f64,
        evidence: Evidence {
            shown: message("where {track} is empty").with("track", name(most)),
            figure: Some(excerpt(input, survey.span, &tracks)),
            numbers: vec![
                Number::new(phrase("Inactive"), time, unit.clone()).note(part),
                Number::new(phrase("Longest pause in between"), input.time(most.longest).0, unit),
                Number::new(phrase("Busy stretches"), most.stretches as f64, Unit::None),
                Number::new(phrase("Tracks checked"), checked.n as f64, Unit::None),
                Number::new(phrase("All tracks"), checked.all as f64, Unit::None),
            ],
            how: message(
                "For each track with at least 20 busy stretches: the time before its first and after its last one, relative to the first and last of all tracks. It counts if it is at least a tenth of the recording and ten times the longest pause in between.",
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
