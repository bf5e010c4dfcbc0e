//! What the recording cut: slices without an end, events that the file says are lost, tracks that are there for a part of
//! the time only.

use super::place::Place;
use super::survey::{PERIODS, Quiet};
use super::trace::{MOST, excerpt, percent};
use super::{Looked, Rule, RuleInput, Threshold, more};
use crate::analysis::finding::{Evidence, Finding, Number, Severity, share};
use crate::base::fault::Fault;
use crate::base::number::thousands;
use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};
use crate::model::id::TrackId;

/// What the recording cut.
pub static CUT: Rule = Rule {
    id: "trace-cut-by-recording",
    version: 2,
    title: phrase("Cut by the recording"),
    thresholds: &[
        Threshold {
            name: phrase(
                "share of the recorded time in which a track has nothing at the begin or at the end",
            ),
            value: 0.1,
            unit: Unit::Share,
            source: phrase("our own choice: threads begin and end within it as a rule"),
        },
        Threshold {
            name: phrase("how many times its longest gap in between that is"),
            value: 10.0,
            unit: Unit::None,
            source: phrase("our own choice: an order of magnitude"),
        },
        Threshold {
            name: phrase("stretches of work from which a track is looked at"),
            value: PERIODS as f64,
            unit: Unit::None,
            source: phrase("our own choice: of fewer nobody knows how long they pause"),
        },
    ],
    look: |input| {
        let Some(survey) = input.survey.filter(|survey| 0 < survey.span.dur()) else {
            return Looked::NotHere;
        };
        if input.is_known {
            return Looked::NotHere;
        }
        let quiet: Vec<&Quiet> =
            survey.quiet.iter().filter(|track| is_cut(survey.span.dur(), track)).collect();
        let findings = [lost(input), open(input), partly(input, &quiet)];
        Looked::found_or(findings.into_iter().flatten().collect(), || {
            message("no event is lost and no slice is without an end, as far as the file says; 0 of {n} tracks begin late or end early by these limits")
                .with("n", thousands(survey.quiet.len() as u64))
        })
    },
};

/// Whether a track that never pauses long has nothing at one end of the recording.
fn is_cut(whole: i64, track: &Quiet) -> bool {
    let most = track.before.dur().max(track.after.dur()) as f64;
    let is_busy = CUT.limit(2) <= track.stretches as f64;
    is_busy && CUT.limit(0) * whole as f64 <= most && CUT.limit(1) * track.longest.max(1) as f64 <= most
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
            how: message("As readers found it while they read the files; the report names each place."),
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
    let mut finding = reported("lost", Severity::Warning, n, message("lost events by the file's own words"));
    finding.sentence =
        message("The file says at ⟦{n} places⟧ that events were lost.").with("n", thousands(n));
    finding.line = message("The first: {what}. Around them gaps and lengths are not those of the program: record with larger buffers, or fewer kinds of events.")
        .with_message("what", first?.kind.message());
    finding.evidence.numbers = vec![Number::new(phrase("Places with lost events"), n as f64, Unit::None)];
    Some(finding)
}

/// Slices that lack an end or a begin.
fn open(input: &RuleInput) -> Option<Finding> {
    let (first, n) = faults(input, |code| code.contains("-OPEN") && !code.ends_with("-FLOW"));
    let (_, ends) = faults(input, |code| code.ends_with("-ORPHAN-END"));
    let mut finding = reported("open", Severity::Note, n, message("slices without an end"));
    finding.sentence = message("⟦{n} slices⟧ have no end in the file.").with("n", thousands(n));
    finding.line = message("The first: {what}. Recording ended inside of them, or their ends were lost: they last at least as long as is shown.")
        .with_message("what", first?.kind.message());
    finding.evidence.numbers = vec![
        Number::new(phrase("Slices without an end"), n as f64, Unit::None),
        Number::new(phrase("Ends without a begin"), ends as f64, Unit::None),
    ];
    Some(finding)
}

/// Tracks that are there for a part of the recording.
fn partly(input: &RuleInput, quiet: &[&Quiet]) -> Option<Finding> {
    let survey = input.survey?;
    let of = |track: &Quiet| if track.before.dur() < track.after.dur() { track.after } else { track.before };
    let most = quiet.iter().copied().max_by_key(|track| of(track).dur())?;
    let span = of(most);
    let name = |track: &Quiet| input.trace.track_path(track.track);
    let line = if span.start <= survey.span.start {
        message(
            "{track} begins {time} after the first event, though it never pauses longer than {gap}: it may have begun then, or what it did before was overwritten.{more}",
        )
    } else {
        message(
            "{track} ends {time} before the last event, though it never pauses longer than {gap}: it may have ended then, or recording it stopped.{more}",
        )
    };
    let others = quiet.iter().filter(|track| track.track != most.track).map(|track| name(track));
    let tracks: Vec<TrackId> =
        std::iter::once(most.track).chain(survey.tracks.iter().map(|of| of.0)).take(MOST).collect();
    let (time, unit) = input.time(span.dur());
    let part = percent(share(span.dur() as f64, survey.span.dur() as f64));
    Some(Finding {
        subject: "partly".to_owned(),
        severity: Severity::Note,
        sentence: message("⟦{n} of {all} tracks⟧ are there for a part of the recording only.")
            .with("n", thousands(quiet.len() as u64))
            .with("all", thousands(survey.quiet.len() as u64)),
        line: line
            .with("track", name(most))
            .with("time", input.duration(span.dur()))
            .with("gap", input.duration(most.longest))
            .with_message("more", more(0, others)),
        value: quiet.len() as f64,
        evidence: Evidence {
            shown: message("where {track} has nothing").with("track", name(most)),
            figure: Some(excerpt(input, survey.span, &tracks)),
            numbers: vec![
                Number::new(phrase("Without anything"), time, unit.clone()).note(part),
                Number::new(phrase("Its longest pause in between"), input.time(most.longest).0, unit),
                Number::new(phrase("Stretches of work"), most.stretches as f64, Unit::None),
            ],
            how: message(
                "Of each track with at least 20 stretches of work: the time before its first and after its last one, within the first and the last of all tracks. It counts from a tenth of the recording on, where it is ten times the longest pause in between.",
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
