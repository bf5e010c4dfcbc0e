//! Ranks that arrive last at collectives, where the clocks of several can be compared.
//!
//! The n-th communication of a kind on one device is the n-th of the same kind on each other one, where all have as many.
//! None can end on any device before the last one has begun it: where that does not hold, clocks differ by more than what
//! is asked here.

use super::exchange::{CALLS, said};
use super::{OUR_CHOICE, bars, devices};
use crate::analysis::device::class::collective;
use crate::analysis::device::{Class, Device, Work};
use crate::analysis::finding::{Evidence, Finding, Number, Saving, Severity};
use crate::base::map::Map;
use crate::base::number::{thousands, with_unit};
use crate::base::time::{Span, Ticks};
use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};
use crate::findings::place::Place;
use crate::findings::trace::{excerpt, percent};
use crate::findings::{Looked, Rule, RuleInput, Threshold};
use crate::model::id::TrackId;

/// Most communications of a device that are looked at.
const MOST: usize = 200_000;

/// One collective: when each device takes part.
type Meeting = Vec<(Span, TrackId)>;

/// Whether all meet in a collective of this kind at the same time: those between two only do not tell.
fn is_of_all(kind: &str) -> bool {
    ["all-reduce", "reduce-scatter", "all-gather", "all-to-all", "barrier"].contains(&kind)
}

/// When each device takes part in what, by kind, in order of time. Of communication whose name does not say the kind the
/// arguments are read, where that is not too many.
fn by_kind(input: &RuleInput, device: &Device) -> Map<&'static str, Vec<Meeting>> {
    let n = device.ranks.len();
    let mut of_kind: Map<&'static str, Vec<Meeting>> = Map::default();
    let mut add = |kind: &'static str, rank: u32, work: &Work| {
        let lists = of_kind.entry(kind).or_insert_with(|| vec![Vec::new(); n]);
        if let Some(list) = lists.get_mut(rank as usize).filter(|_| is_of_all(kind)) {
            list.push((work.span, work.slice.track));
        }
    };
    let mut unnamed: Vec<(u32, &Work)> = Vec::new();
    for stream in &device.streams {
        let works = device.works.get(stream.works.clone()).unwrap_or_default();
        let own = works.iter().filter(|work| work.class == Class::Communication && !work.is_part);
        for work in own.take(MOST) {
            match collective(input.trace.strings.get(super::name_id(input, work.slice))) {
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

/// Collectives that all devices take part in; otherwise why they cannot be told.
fn meetings(input: &RuleInput, device: &Device) -> Result<Vec<Meeting>, Message> {
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

pub(super) static LAST: Rule = Rule {
    id: "device-last-at-collectives",
    version: 2,
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
        let laid = |stream: &crate::analysis::device::StreamWork| {
            input.derived.timeline.laid_by(input.trace, stream.track)
        };
        let mut shifts = device.streams.iter().map(laid);
        let first = shifts.next().unwrap_or(0);
        if shifts.any(|other| other != first) {
            return Looked::Missing(message(
                "the clocks of the files are unrelated: the files are aligned by their starts",
            ));
        }
        let meetings = match meetings(input, device) {
            Ok(meetings) => meetings,
            Err(why) => return Looked::Missing(why),
        };
        let is_wrong = |meeting: &&Meeting| {
            let begun = last(meeting).map_or(0, |(_, begun, _)| begun);
            meeting.iter().any(|(span, _)| span.end < begun)
        };
        let all = meetings.len();
        let wrong = meetings.iter().filter(is_wrong).count();
        if LAST.limit(2) * (all as f64) < wrong as f64 {
            let said = message(
                "{n} of {all} collectives end on some device before the last device starts them: the device clocks differ",
            );
            return Looked::Missing(said.with("n", wrong).with("all", all));
        }
        let n = device.ranks.len();
        let (mut times, mut waits) = (vec![0_u64; n], vec![0 as Ticks; n]);
        // What each waits for the device that is last.
        let mut caused = vec![vec![0 as Ticks; n]; n];
        let mut longest: Option<(&Meeting, Ticks, usize)> = None;
        for meeting in &meetings {
            let Some((at, begun, first)) = last(meeting) else { continue };
            if let Some(times) = times.get_mut(at) {
                *times += 1;
            }
            for (other, (span, _)) in meeting.iter().enumerate() {
                let wait = begun - span.start;
                if let (Some(sum), Some(caused)) =
                    (waits.get_mut(other), caused.get_mut(at).and_then(|row| row.get_mut(other)))
                {
                    *sum += wait;
                    *caused += wait;
                }
            }
            if longest.is_none_or(|longest| longest.1 < begun - first) {
                longest = Some((meeting, begun - first, at));
            }
        }
        let Some((at, often)) = times.iter().copied().enumerate().rev().max_by_key(|(_, n)| *n) else {
            return Looked::NotHere;
        };
        let part = often as f64 / all as f64;
        let row = caused.get(at).cloned().unwrap_or_default();
        let Some((who, wait)) = row.iter().copied().enumerate().rev().max_by_key(|(_, wait)| *wait) else {
            return Looked::NotHere;
        };
        let span = device.ranks.get(who).map_or(0, |rank| rank.working.dur());
        let share = wait as f64 / span.max(1) as f64;
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
        let Some((meeting, _, _)) = longest else { return Looked::NotHere };
        let window = meeting.iter().map(|(span, _)| *span).reduce(Span::union).unwrap_or_default();
        let tracks: Vec<TrackId> = meeting.iter().map(|(_, track)| *track).take(5).collect();
        let (value, unit) = input.time(wait);
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
                .with("other", name(who))
                .with("wait", with_unit(value, &unit)),
            line: message("{n} collectives of {all} devices. Check what this device does before them: more work, lower clocks, or late launches by the host.")
                .with("n", thousands(all as u64))
                .with("all", n),
            value: part,
            unit: Unit::Share,
            saving: Saving::at_most(
                value,
                input.time(span).0,
                unit.clone(),
                message("The time by which the longest-waiting device would wait less if this one arrived with the others, as far as it could continue then."),
            ).of(phrase("{share} of device time")),
            evidence: Evidence {
                shown: if n <= 5 { message("the collective with the longest wait") } else { message("how often each arrives last") },
                figure: Some(figure),
                numbers: vec![
                    Number::new(phrase("Collectives"), all as f64, Unit::None),
                    Number::new(phrase("Arrives last"), often as f64, Unit::None).note(percent(part)),
                    Number::new(phrase("Longest total wait for it"), value, unit).note(percent(share)),
                    Number::new(phrase("Ended before the last one started"), wrong as f64, Unit::None),
                ],
                how: message(
                    "The n-th collective of a kind (all-reduce, all-gather, …; by names, else by arguments) on one device is taken as the n-th on each. The last is the one whose kernel begins last. That none ends anywhere before it begins everywhere is what makes the clocks comparable.",
                ),
                view: "timeline".to_owned(),
                address: Place::view("timeline").around(window).range(window).tracks(input.trace, &tracks).address(),
                ..Evidence::default()
            },
            ..LAST.finding()
        }])
    },
};
