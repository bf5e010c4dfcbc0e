//! Ranks that arrive last at collectives, where the clocks of several can be compared.
//!
//! The n-th communication of a kind on one device is the n-th of the same kind on each other one, where all have as many.
//! None can end on any device before the last one has begun it: where that does not hold, clocks differ by more than what
//! is asked here. Until the last one has begun it the others only wait, which is no time of communication.

use super::exchange::{CALLS, said};
use super::{OUR_CHOICE, Scope, bare, bars, devices, name_id};
use crate::analysis::device::class::collective;
use crate::analysis::device::{Class, Device, Work};
use crate::analysis::finding::{Evidence, Finding, Number, Saving, Severity};
use crate::base::map::Map;
use crate::base::number::thousands;
use crate::base::time::{Span, Ticks};
use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};
use crate::findings::place::Place;
use crate::findings::trace::{excerpt, percent};
use crate::findings::{Looked, Rule, RuleInput, Threshold};
use crate::model::id::{SliceId, TrackId};

/// Most communications of a stream that are looked at.
const MOST: usize = 200_000;
/// Most communications for which it is asked what lies around them and around their launches.
const AROUND: usize = 20_000;

/// One collective: when each device takes part.
type Meeting = Vec<(Span, SliceId)>;

/// Whether all meet in a collective of this kind at the same time: those between two only do not tell.
fn is_of_all(kind: &str) -> bool {
    ["all-reduce", "reduce-scatter", "all-gather", "all-to-all", "barrier"].contains(&kind)
}

/// What names around a communication say that it is: of notes over it on its stream, else of what the host is in when it
/// launches it.
fn kind_around(input: &RuleInput, work: &Work) -> Option<&'static str> {
    let (trace, timeline) = (input.trace, &input.derived.timeline);
    let kind = |track: TrackId, row: u32| {
        let slices = &trace.tracks.find(track)?.slices;
        collective(trace.strings.get(*slices.name.get(row as usize)?))
    };
    let around = |track: TrackId, time: Ticks| {
        timeline.track(track).reaching(time.saturating_sub(timeline.shift_of(track)))
    };
    let own = work.slice.track;
    let notes = around(own, work.span.start.midpoint(work.span.end)).into_iter();
    let mut notes = notes.filter(|row| timeline.is_note(trace, own, *row as usize));
    let launch = || {
        let launch = work.launch?;
        // The innermost says most.
        around(launch.track, launch.time).into_iter().rev().find_map(|row| kind(launch.track, row))
    };
    notes.find_map(|row| kind(own, row)).or_else(launch)
}

/// When each device takes part in what, by kind, in order of time. Of communication whose name does not say the kind it is
/// told by what lies around it, else by its arguments, where that is not too much to read.
fn by_kind(input: &RuleInput, device: &Device) -> Map<&'static str, Vec<Meeting>> {
    let n = device.ranks.len();
    let mut of_kind: Map<&'static str, Vec<Meeting>> = Map::default();
    let mut add = |kind: &'static str, rank: u32, work: &Work| {
        let lists = of_kind.entry(kind).or_insert_with(|| vec![Vec::new(); n]);
        if let Some(list) = lists.get_mut(rank as usize).filter(|_| is_of_all(kind)) {
            list.push((work.span, work.slice));
        }
    };
    let mut unnamed: Vec<(u32, &Work)> = Vec::new();
    let mut left = AROUND;
    for stream in &device.streams {
        let works = device.works.get(stream.works.clone()).unwrap_or_default();
        let own = works.iter().filter(|work| work.class == Class::Communication && !work.is_part);
        for work in own.take(MOST) {
            let kind = collective(input.trace.strings.get(name_id(input, work.slice))).or_else(|| {
                left = left.checked_sub(1)?;
                kind_around(input, work)
            });
            match kind {
                Some(kind) => add(kind, stream.rank, work),
                None => unnamed.push((stream.rank, work)),
            }
        }
    }
    if unnamed.len() <= CALLS {
        for (rank, work) in unnamed {
            if let Some(kind) = said(input, work.slice).1 {
                add(kind, rank, work);
            }
        }
    }
    for list in of_kind.values_mut().flatten() {
        list.sort_by_key(|(span, _)| span.start);
    }
    of_kind
}

/// Collectives that all devices take part in, on clocks that can be compared.
pub(super) struct Meetings {
    list: Vec<Meeting>,
    /// How many end somewhere before the last device begins them.
    wrong: usize,
}

/// Collectives that all devices take part in; otherwise why they cannot be told.
fn listed(input: &RuleInput, device: &Device) -> Result<Vec<Meeting>, Message> {
    let of_kind = by_kind(input, device);
    if of_kind.values().flatten().all(Vec::is_empty) {
        return Err(message(
            "neither names nor arguments of communication tell a collective in which all devices wait for each other",
        ));
    }
    let mut meetings = Vec::new();
    for lists in of_kind.values() {
        let many = lists.first().map_or(0, Vec::len);
        // Devices of other groups have their own.
        if lists.iter().any(|list| list.len() != many) {
            continue;
        }
        meetings.extend(
            (0..many).map(|at| lists.iter().filter_map(|list| list.get(at).copied()).collect::<Meeting>()),
        );
    }
    if meetings.is_empty() {
        return Err(message(
            "the devices have different collectives in the file: they belong to several groups, or were recorded at different times",
        ));
    }
    Ok(meetings)
}

/// When the last one begins, its place, and when the first one begins.
fn last(meeting: &Meeting) -> Option<(usize, Ticks, Ticks)> {
    let (at, (span, _)) = meeting.iter().enumerate().rev().max_by_key(|(_, (span, _))| span.start)?;
    Some((at, span.start, meeting.iter().map(|(span, _)| span.start).min()?))
}

impl Meetings {
    /// Those of a trace with several devices; otherwise why they cannot be told.
    fn of(input: &RuleInput, device: &Device) -> Result<Self, Message> {
        let laid = |stream: &crate::analysis::device::StreamWork| {
            input.derived.timeline.laid_by(input.trace, stream.track)
        };
        let mut shifts = device.streams.iter().map(laid);
        let first = shifts.next().unwrap_or(0);
        if shifts.any(|other| other != first) {
            return Err(message(
                "the clocks of the files are unrelated: the files are aligned by their starts",
            ));
        }
        let list = listed(input, device)?;
        let is_wrong = |meeting: &&Meeting| {
            let begun = last(meeting).map_or(0, |(_, begun, _)| begun);
            meeting.iter().any(|(span, _)| span.end < begun)
        };
        let (all, wrong) = (list.len(), list.iter().filter(is_wrong).count());
        if LAST.limit(2) * (all as f64) < wrong as f64 {
            let said = message(
                "{n} of {all} collectives end on some device before the last device starts them: the device clocks differ",
            );
            return Err(said.with("n", wrong).with("all", all));
        }
        Ok(Self { list, wrong })
    }

    /// The stretches in which a device waits at collectives, for one that is the last, or for any.
    fn waits(&self, who: usize, last_is: Option<usize>) -> Vec<(Ticks, Ticks)> {
        let wait = |meeting: &Meeting| {
            let (at, begun, _) = last(meeting)?;
            let (span, _) = meeting.get(who)?;
            let is_meant = last_is.is_none_or(|meant| meant == at);
            (is_meant && span.start < begun).then_some((span.start, begun.min(span.end)))
        };
        self.list.iter().filter_map(wait).collect()
    }

    /// How long each communication of a device only waits for the last one.
    fn by_slice(&self, who: usize) -> Map<SliceId, Span> {
        let wait = |meeting: &Meeting| {
            let (_, begun, _) = last(meeting)?;
            let (span, slice) = *meeting.get(who)?;
            (span.start < begun).then(|| (slice, Span { start: span.start, end: begun.min(span.end) }))
        };
        self.list.iter().filter_map(wait).collect()
    }
}

/// When communications of each device only wait for the last one to arrive; nothing where that cannot be told.
pub(super) fn waits(input: &RuleInput, device: &Device) -> Vec<Map<SliceId, Span>> {
    if device.ranks.len() < 2 {
        return Vec::new();
    }
    let Ok(meetings) = Meetings::of(input, device) else { return Vec::new() };
    (0..device.ranks.len()).map(|rank| meetings.by_slice(rank)).collect()
}

pub(super) static LAST: Rule = Rule {
    id: "device-last-at-collectives",
    version: 3,
    title: phrase("Last to arrive at collectives"),
    thresholds: &[
        Threshold {
            name: phrase("share of collectives at which one device is last, times the number of devices"),
            value: 1.5,
            unit: Unit::None,
            source: phrase("our own choice: 50 % more often than by chance"),
        },
        Threshold {
            name: phrase("share of the time that another device waits"),
            value: 0.01,
            unit: Unit::Share,
            source: OUR_CHOICE,
        },
        Threshold {
            name: phrase("share of collectives that may end before the last device starts"),
            value: 0.05,
            unit: Unit::Share,
            source: phrase("our own choice: none should, so the clocks differ if more do"),
        },
    ],
    look: |input| {
        let Some(device) = devices(input).filter(|device| 1 < device.ranks.len()) else {
            return Looked::NotHere;
        };
        if !device.exposed.iter().any(|of| of.class == Class::Communication) {
            return Looked::NotHere;
        }
        let meetings = match Meetings::of(input, device) {
            Ok(meetings) => meetings,
            Err(why) => return Looked::Missing(why),
        };
        let (all, n) = (meetings.list.len(), device.ranks.len());
        let mut times = vec![0_u64; n];
        for (at, ..) in meetings.list.iter().filter_map(last) {
            if let Some(times) = times.get_mut(at) {
                *times += 1;
            }
        }
        let Some((at, often)) = times.iter().copied().enumerate().rev().max_by_key(|(_, n)| *n) else {
            return Looked::NotHere;
        };
        let part = often as f64 / all as f64;
        // Of the others the one that waits for the largest share of its time while it computes nothing.
        let others = Scope::all(device).filter(|scope| scope.rank != at).map(|scope| {
            let wait = bare::idle(scope.of, meetings.waits(scope.rank, Some(at)));
            (scope.share(wait), wait, scope)
        });
        let longest = others.collect::<Vec<_>>().into_iter().rev().max_by(|a, b| a.0.total_cmp(&b.0));
        let Some((share, wait, scope)) = longest else { return Looked::NotHere };
        let name = |at: usize| device.ranks.get(at).map_or(String::new(), |rank| rank.name.clone());
        if part * (n as f64) < LAST.limit(0) || share < LAST.limit(1) {
            let said = message(
                "{device} most often arrives last, at {share} of {n} collectives; the others wait at most {wait} for it",
            );
            return Looked::Nothing(
                said.with("device", name(at))
                    .with("share", percent(part))
                    .with("n", thousands(all as u64))
                    .with("wait", input.duration(wait)),
            );
        }
        let own = meetings.list.iter().filter_map(|meeting| Some((meeting, last(meeting)?)));
        let own = own.filter(|(_, (last, ..))| *last == at);
        let longest = own.max_by_key(|(_, (_, begun, first))| begun - first);
        let Some((meeting, _)) = longest else { return Looked::NotHere };
        let window = meeting.iter().map(|(span, _)| *span).reduce(Span::union).unwrap_or_default();
        let tracks: Vec<TrackId> = meeting.iter().map(|(_, slice)| slice.track).take(5).collect();
        let (value, unit) = scope.value(input, wait);
        let figure = if n <= 5 {
            excerpt(input, window, &tracks)
        } else {
            let mut rows: Vec<(String, f64)> =
                times.iter().enumerate().map(|(at, n)| (name(at), *n as f64)).collect();
            rows.sort_by(|a, b| b.1.total_cmp(&a.1));
            bars(Unit::None, rows.into_iter().take(5))
        };
        Looked::Found(vec![Finding {
            subject: name(at),
            severity: Severity::Warning,
            sentence: message("{device} arrives last at ⟦{share}⟧ of the collectives; {other} waits {wait} for it.")
                .with("device", name(at))
                .with("share", percent(part))
                .with("other", &scope.of.name)
                .with_message("wait", scope.said(input, wait)),
            line: message("{n} collectives of {all} devices. Check what this device does before them: more work, lower clocks, or late launches by the host.")
                .with("n", thousands(all as u64))
                .with("all", n),
            value: part,
            unit: Unit::Share,
            saving: Saving::at_most(
                value,
                scope.all_value(input),
                unit.clone(),
                message("The time by which the longest-waiting device would wait less if this one arrived with the others, as far as it could continue then."),
            ).of(scope.whole()),
            evidence: Evidence {
                shown: if n <= 5 { message("the collective with the longest wait") } else { message("how often each arrives last") },
                figure: Some(figure),
                numbers: vec![
                    Number::new(phrase("Collectives"), all as f64, Unit::None),
                    Number::new(phrase("Arrives last"), often as f64, Unit::None).note(percent(part)),
                    Number::new(phrase("Longest total wait for it"), value, unit).note(scope.note(wait)),
                    Number::new(phrase("Ended before the last one started"), meetings.wrong as f64, Unit::None),
                ],
                how: message(
                    "The n-th collective of a kind (all-reduce, all-gather, …; by names, else by what lies around it, else by arguments) on one device is taken as the n-th on each. The last is the one whose kernel begins last; until then the others wait, which counts where they compute nothing. That none ends anywhere before it begins everywhere is what makes the clocks comparable.",
                ),
                view: "timeline".to_owned(),
                address: Place::view("timeline").around(window).range(window).tracks(input.trace, &tracks).address(),
                ..Evidence::default()
            },
            ..LAST.finding()
        }])
    },
};
