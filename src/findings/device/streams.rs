//! Streams: two that never work at the same time, and device time that goes by while they wait for events. Where a stream
//! waits in a collective for another device, it does not work.

use super::waiting::waits;
use super::{OUR_CHOICE, Scope, devices, streams_of};
use crate::analysis::device::dialect::Dialect;
use crate::analysis::device::{Class, Device, StreamWork, Times, Work};
use crate::analysis::finding::{Evidence, Finding, Number, Saving, Severity};
use crate::base::map::Map;
use crate::base::number::thousands;
use crate::base::time::{Span, Ticks, Total};
use crate::base::unit::Unit;
use crate::base::words::{message, phrase};
use crate::findings::place::Place;
use crate::findings::trace::{excerpt, percent, span_of};
use crate::findings::{Looked, Rule, RuleInput, Threshold};
use crate::model::id::TrackId;

/// The works of a stream that are work.
pub(super) fn works_of<'a>(device: &'a Device, stream: &StreamWork) -> impl Iterator<Item = &'a Work> {
    let works = device.works.get(stream.works.clone()).unwrap_or_default();
    works.iter().filter(|work| work.is_work())
}

/// How long a stream works.
fn busy(device: &Device, stream: &StreamWork) -> Ticks {
    let all = Times::of_sorted(works_of(device, stream).map(|work| (work.span.start, work.span.end)));
    all.spans().iter().map(|span| span.dur()).sum()
}

/// How long both streams work at the same time, and how often the one that works becomes the other one.
fn overlap(device: &Device, a: &StreamWork, b: &StreamWork) -> (Ticks, u64) {
    let (mut a, mut b) = (works_of(device, a).peekable(), works_of(device, b).peekable());
    let (mut sum, mut turns, mut last) = (0, 0, None);
    while let (Some(one), Some(other)) = (a.peek(), b.peek()) {
        let both = one.span.intersect(other.span);
        sum += both.dur();
        let is_first = one.span.end <= other.span.end;
        turns += u64::from(last.is_some_and(|last| last != is_first));
        last = Some(is_first);
        if is_first {
            a.next()
        } else {
            b.next()
        };
    }
    // What is left when one of them is done is one more turn, if the other one was last.
    let rest = [a.next(), b.next()].map(|work| work.is_some());
    turns += u64::from(last.is_some_and(|last| rest[usize::from(last)]));
    (sum, turns)
}

/// Whether a slice of a stream waits for an event: one that records an event, or sets a flag, is no work and no waiting.
fn is_wait(input: &RuleInput, work: &Work) -> bool {
    let name = || input.trace.strings.get(super::name_id(input, work.slice)).trim().to_ascii_lowercase();
    work.class == Class::Wait && !Dialect::of(input.trace).sets.fit(&name())
}

/// How long the second stream works, without its waiting for other devices, while no other stream of the device does.
fn alone(device: &Device, second: &StreamWork, waits: impl Iterator<Item = Span>) -> Ticks {
    let own = device.streams.iter();
    let others = own.filter(|stream| stream.rank == second.rank && stream.track != second.track);
    let mut spans: Vec<(Ticks, Ticks)> = others
        .flat_map(|stream| works_of(device, stream).map(|work| (work.span.start, work.span.end)))
        .collect();
    spans.sort_unstable();
    let others = Times::of_sorted(spans);
    let own = Times::of_sorted(works_of(device, second).map(|work| (work.span.start, work.span.end)));
    let bare = |span: Span| span.dur() - others.inside(span);
    let all: Ticks = own.spans().iter().map(|span| bare(*span)).total();
    (all - waits.map(bare).total()).max(0)
}

pub(super) static SERIAL: Rule = Rule {
    id: "device-streams-one-after-the-other",
    version: 4,
    title: phrase("Serialized streams"),
    thresholds: &[
        Threshold {
            name: phrase("share of a device's time in which the second stream is busy"),
            value: 0.05,
            unit: Unit::Share,
            source: OUR_CHOICE,
        },
        Threshold {
            name: phrase("share of its work up to which the two count as not overlapping"),
            value: 0.01,
            unit: Unit::Share,
            source: phrase("our own choice: practically never"),
        },
    ],
    look: |input| {
        let Some(device) = devices(input) else { return Looked::NotHere };
        let waits = waits(input, device).of_rank;
        let all_busy: Map<TrackId, Ticks> =
            device.streams.iter().map(|stream| (stream.track, busy(device, stream))).collect();
        let busy_of = |stream: &StreamWork| all_busy.get(&stream.track).copied().unwrap_or(0);
        // What a stream works: all but the wait for other devices.
        let works = |stream: &StreamWork| {
            let own = waits.get(stream.rank as usize).into_iter().flatten();
            let own = own.filter(|(slice, _)| slice.track == stream.track);
            (busy_of(stream) - own.map(|(_, wait)| wait.0.dur()).total()).max(0)
        };
        // The least part that overlaps, and how often those take turns.
        let mut least: Option<(f64, u64)> = None;
        let mut found: Option<(Scope, [&StreamWork; 2], Ticks, u64)> = None;
        for scope in Scope::all(device) {
            let own = device.streams.iter().filter(|stream| stream.rank as usize == scope.rank);
            let mut own: Vec<&StreamWork> = own.filter(|stream| 0 < busy_of(stream)).collect();
            own.sort_by_cached_key(|stream| (std::cmp::Reverse(works(stream)), stream.track));
            let [first, second, ..] = own.as_slice() else { continue };
            if (works(second) as f64) < SERIAL.limit(0) * scope.of.working.dur() as f64 {
                continue;
            }
            let (both, turns) = overlap(device, first, second);
            let part = both as f64 / busy_of(second).max(1) as f64;
            least = least.filter(|least| least.0 <= part).or(Some((part, turns)));
            let is_more = found.as_ref().is_none_or(|of| works(of.1[1]) < works(second));
            // One that works before or after the other has no reason to overlap.
            if part <= SERIAL.limit(1) && is_more && 2 <= turns {
                found = Some((scope, [first, second], both, turns));
            }
        }
        let Some(least) = least else {
            return Looked::Nothing(
                message("no device has a second stream that is busy for more than {share} of the time")
                    .with("share", percent(SERIAL.limit(0))),
            );
        };
        let Some((scope, [first, second], both, turns)) = found else {
            let said = match least {
                (part, turns) if part <= SERIAL.limit(1) && turns < 2 => message(
                    "the second stream of each device works only before or after the first: they do not alternate",
                ),
                (part, _) => message(
                    "the second stream of a device overlaps with the first for at least {share} of its work",
                )
                .with("share", percent(part)),
            };
            return Looked::Nothing(said);
        };
        let busy = busy_of(second);
        let (value, unit) = input.time(busy);
        let waited = busy - works(second);
        let model = match waited {
            0 => message(
                "If all work of the second stream overlapped with the first and nothing took longer. What other streams hide already is left out.",
            ),
            _ => message(
                "Assumes that all work of the second stream, except waiting for other devices, overlaps with the first and nothing takes longer. What other streams hide already is left out.",
            ),
        };
        let waiting = phrase("Part spent waiting for other devices");
        let waiting = (waited != 0).then(|| Number::new(waiting, input.time(waited).0, unit.clone()));
        let name = |stream: &StreamWork| {
            let at = device.streams.iter().position(|own| own.track == stream.track).unwrap_or(0);
            device.stream_name(input.trace, at as u32)
        };
        let of_second = waits.get(second.rank as usize).into_iter().flatten();
        let of_second = of_second.filter(|(slice, _)| slice.track == second.track).map(|(_, wait)| wait.0);
        let waits = [first, second].map(|stream| {
            let works = device.works.get(stream.works.clone()).unwrap_or_default();
            works.iter().filter(|work| is_wait(input, work)).count() as u64
        });
        let n_waits = waits[0] + waits[1];
        let line = match n_waits {
            0 => message(
                "They alternate {turns} times. Events between them, or work that fills the device, may keep them from overlapping; waits for events are not recorded.",
            ),
            _ => message(
                "They alternate {turns} times; {n} waits for events are recorded on them. Look whether each is needed, and whether work that fills the device keeps them from overlapping.",
            ),
        };
        let start = works_of(device, second).next().map_or(0, |work| work.span.start);
        let around = Span { start, end: start.saturating_add((scope.of.span.dur() / 50).max(1)) };
        let tracks = [first.track, second.track];
        let sentence = message("{first} and {second} are busy at the same time for ⟦{both} of {time}⟧.");
        Looked::Found(vec![Finding {
            severity: Severity::Note,
            sentence: sentence
                .with("first", name(first))
                .with("second", name(second))
                .with("both", input.duration(both))
                .with("time", input.duration(busy)),
            line: line.with("turns", thousands(turns)).with("n", thousands(n_waits)),
            value,
            unit: unit.clone(),
            saving: Saving::at_most(
                input.time(alone(device, second, of_second)).0,
                input.time(scope.of.working.dur()).0,
                unit.clone(),
                model,
            )
            .of(phrase("{share} of device time")),
            evidence: Evidence {
                shown: message("both, from the start of the second stream's work"),
                figure: Some(excerpt(input, around, &tracks)),
                numbers: [
                    Some(Number::new(
                        phrase("First stream busy"),
                        input.time(busy_of(first)).0,
                        unit.clone(),
                    )),
                    Some(Number::new(phrase("Second stream busy"), value, unit.clone())),
                    waiting,
                    Some(Number::new(phrase("Both busy"), input.time(both).0, unit)),
                    Some(Number::new(phrase("Alternations"), turns as f64, Unit::None)),
                    Some(Number::new(phrase("Waits for events"), n_waits as f64, Unit::None)),
                ]
                .into_iter()
                .flatten()
                .collect(),
                how: message(
                    "The two busiest streams of the device, over the whole recording. The lack of overlap is measured; its cause is not. Device time is that from the first to the last work of the device.",
                ),
                view: "timeline".to_owned(),
                address: Place::view("timeline").around(around).tracks(input.trace, &tracks).address(),
                ..Evidence::default()
            },
            ..SERIAL.finding()
        }])
    },
};

/// Time of a device in which no stream works and at least one waits for an event: how much, the longest such wait.
fn waiting(
    input: &RuleInput,
    device: &Device,
    scope: &Scope,
) -> (Ticks, Option<(crate::model::id::SliceId, Ticks)>, u64) {
    let own = || device.streams.iter().filter(|stream| stream.rank as usize == scope.rank);
    let works = || own().flat_map(|stream| device.works.get(stream.works.clone()).unwrap_or_default());
    let span = scope.of.working;
    let mut waits: Vec<(Ticks, Ticks)> = works()
        .filter(|work| span.touches(work.span) && is_wait(input, work))
        .map(|work| (work.span.start, work.span.end))
        .collect();
    if waits.is_empty() {
        return (0, None, 0);
    }
    let n = waits.len() as u64;
    waits.sort_unstable();
    let waits = Times::of_sorted(waits);
    let busy = &scope.of.busy;
    let sum = busy.rest(span).map(|gap| waits.inside(gap)).sum();
    let each = works().filter(|work| is_wait(input, work)).map(|work| {
        let inside = work.span.intersect(span);
        (work.slice, inside.dur() - busy.inside(inside))
    });
    (sum, each.max_by_key(|of| of.1), n)
}

pub(super) static EVENTS: Rule = Rule {
    id: "device-idle-for-events",
    version: 3,
    title: phrase("Idle while streams wait for events"),
    thresholds: &[Threshold {
        name: phrase("share of the time from the first to the last work of a device"),
        value: 0.02,
        unit: Unit::Share,
        source: OUR_CHOICE,
    }],
    look: |input| {
        let Some(device) = devices(input) else { return Looked::NotHere };
        if !device.works.iter().any(|work| is_wait(input, work)) {
            let [_, option] = Dialect::of(input.trace).options;
            return Looked::Missing(
                message("no event waits of streams recorded: {option}").with_message("option", option),
            );
        }
        let all = Scope::all(device).map(|scope| {
            let (ticks, longest, n) = waiting(input, device, &scope);
            (ticks as f64 / scope.of.working.dur().max(1) as f64, scope, ticks, longest, n)
        });
        let all: Vec<_> = all.collect();
        let most = all.into_iter().rev().max_by(|a, b| a.0.total_cmp(&b.0));
        let Some((part, scope, ticks, longest, n)) = most else { return Looked::NotHere };
        let Some((slice, most)) = longest.filter(|_| EVENTS.limit(0) <= part) else {
            let said = message("streams wait for events with no stream busy at most {share} of the time");
            return Looked::Nothing(said.with("share", percent(part)));
        };
        let (value, unit) = input.time(ticks);
        let name = super::short(input, super::name_id(input, slice));
        let span = span_of(input, slice);
        let mut tracks = vec![slice.track];
        tracks
            .extend(streams_of(device, scope.rank).into_iter().filter(|track| *track != slice.track).take(3));
        Looked::Found(vec![Finding {
            severity: Severity::Warning,
            sentence: message("No stream is busy for ⟦{time}⟧ while at least one waits for an event{on}.")
                .with("time", input.duration(ticks))
                .with_message("on", scope.on(device)),
            line: message("The longest is {name} with {one}, on {track}. Check what records the event: another stream, another device or the host.")
                .with("name", name)
                .with("one", input.duration(most))
                .with("track", input.trace.track_path(slice.track).trim_end()),
            value,
            unit: unit.clone(),
            // The same time counts by what comes next too: late launches, synchronization.
            saving: Saving::default(),
            evidence: Evidence {
                shown: message("the longest, {one}").with("one", input.duration(most)),
                figure: Some(crate::findings::trace::around(input, span, &tracks)),
                numbers: vec![
                    Number::new(phrase("Waiting, no stream busy"), value, unit.clone()).note(percent(part)),
                    Number::new(phrase("Longest"), input.time(most).0, unit),
                    Number::new(phrase("Waits for events"), n as f64, Unit::None),
                ],
                how: message(
                    "Between the first and the last work of the device: time in which some stream waits for an event and no stream is busy. Where the next work is known, the same time is also reported under its cause.",
                ),
                view: "timeline".to_owned(),
                address: Place::view("timeline").around(span).slice(input.trace, slice).address(),
                ..Evidence::default()
            },
            ..EVENTS.finding()
        }])
    },
};
