//! The longest outliers of a frequent name.
//!
//! Outliers often lie in each other (`aten::to` around `aten::copy_`): the innermost is named. Where devices work, one of
//! the host costs at most what the device is idle meanwhile, one of a stream is time of the device, and what only sums up
//! others (tracks that writers compute) costs nothing.

use super::place::Place;
use super::survey::{FREQUENT, NameSum, OUTLIER, Survey};
use super::trace::{MOST, around, percent, span_of};
use super::{Looked, Rule, RuleInput, Threshold, device};
use crate::analysis::device::class::is_host;
use crate::analysis::device::dialect::Dialect;
use crate::analysis::device::ranks::is_mark;
use crate::analysis::device::{Class, Device, Times};
use crate::analysis::finding::{Evidence, Finding, Number, Saving, Severity};
use crate::base::number::{fixed, thousands, with_unit};
use crate::base::time::Ticks;
use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};
use crate::model::id::{SliceId, TrackId};

/// Names that are looked at.
const NAMES: usize = 48;
/// Outliers of a name that are held against those of others.
const HELD: usize = 32;

/// Slices that take much longer than others of their name.
pub static OUTLIERS: Rule = Rule {
    id: "trace-outliers",
    version: 2,
    title: phrase("Longer than usual"),
    thresholds: &[
        Threshold {
            name: phrase("share of the recorded time that outliers take beyond the median"),
            value: 0.01,
            unit: Unit::Share,
            source: phrase("our own choice: shorter ones are hardly worth looking at"),
        },
        Threshold {
            name: phrase("medians from which a slice is an outlier"),
            value: OUTLIER,
            unit: Unit::None,
            source: phrase("our own choice: an order of magnitude"),
        },
        Threshold {
            name: phrase("slices from which a name is frequent"),
            value: FREQUENT as f64,
            unit: Unit::None,
            source: phrase("our own choice: at most one in twenty is an outlier"),
        },
    ],
    look: |input| {
        let Some(survey) = input.survey.filter(|survey| 0 < survey.span.dur()) else {
            return Looked::NotHere;
        };
        let costs: Vec<Cost> = costs(input, survey);
        let counts = |cost: &&Cost| OUTLIERS.limit(0) <= cost.ticks / cost.whole;
        let findings = costs.iter().filter(counts).take(MOST).map(|cost| finding(input, cost));
        Looked::found_or(findings.collect(), || {
            let is_frequent = |sum: &NameSum| FREQUENT <= sum.n;
            if survey.n_names <= survey.names.len() as u64 && !survey.names.iter().any(is_frequent) {
                return message("no name has {n} slices or more").with("n", thousands(FREQUENT));
            }
            let most = costs.first().map_or(0.0, |cost| cost.ticks / cost.whole);
            message("outliers of no name cost more than {share} of the time").with("share", percent(most))
        })
    },
};

/// Where the outliers of a name are.
#[derive(Clone, Copy, PartialEq)]
enum Side {
    /// Nothing is known of devices.
    Any,
    Host,
    Device,
}

/// Outliers of a name, and what they cost.
struct Cost {
    sum: NameSum,
    side: Side,
    /// Beyond the median, of these what the device is idle meanwhile.
    ticks: f64,
    /// Of so much.
    whole: f64,
}

/// What outliers cost, the most first; those that lie around others are left out.
fn costs(input: &RuleInput, survey: &Survey) -> Vec<Cost> {
    let known = device::devices(input);
    let all: Vec<(NameSum, &[SliceId])> = survey
        .outliers
        .iter()
        .zip(&survey.slow)
        .take(NAMES)
        .map(|(sum, slow)| (*sum, slow.get(..slow.len().min(HELD)).unwrap_or_default()))
        .collect();
    let inner = |at: usize| {
        let Some((_, own)) = all.get(at) else { return false };
        let others = || all.iter().enumerate().filter(move |(other, _)| *other != at);
        let is_around = |slice: &&SliceId| {
            others().any(|(_, (_, slow))| slow.iter().any(|inner| lies_in(input, **slice, *inner)))
        };
        own.iter().filter(is_around).count() * 2 <= own.len()
    };
    let meant = all.iter().enumerate().filter(|(at, _)| inner(*at));
    let mut costs: Vec<Cost> = meant
        .filter_map(|(_, (sum, _))| {
            let place = survey.outliers.iter().position(|other| other.name == sum.name)?;
            let slow = survey.slow.get(place)?;
            let sum = &ended(input, survey, sum, slow)?;
            let Some(device) = known else {
                let whole = survey.span.dur() as f64;
                return Some(Cost { sum: *sum, side: Side::Any, ticks: sum.excess, whole });
            };
            let whole = device.ranks.iter().map(|rank| rank.working.dur()).max().unwrap_or(0).max(1) as f64;
            match side(input, device, sum)? {
                Side::Device => Some(Cost { sum: *sum, side: Side::Device, ticks: sum.excess, whole }),
                _ => {
                    let idle = idle(input, device, slow) as f64;
                    Some(Cost { sum: *sum, side: Side::Host, ticks: idle.min(sum.excess), whole })
                }
            }
        })
        .collect();
    costs.sort_by(|a, b| b.ticks.total_cmp(&a.ticks).then(a.sum.name.cmp(&b.sum.name)));
    costs
}

/// The same without slices that last until the recording ends: they may have no end. `None` where nothing is left, and for
/// names of waiting, which is not slow.
fn ended(input: &RuleInput, survey: &Survey, sum: &NameSum, slow: &[SliceId]) -> Option<NameSum> {
    if !input.derived.timeline.names().is_work(sum.name) {
        return None;
    }
    let spans = slow.iter().map(|slice| (*slice, span_of(input, *slice)));
    let kept: Vec<(SliceId, Ticks)> = spans
        .filter(|(_, span)| span.end < survey.span.end)
        .map(|(slice, span)| (slice, span.dur()))
        .collect();
    if kept.len() == slow.len() {
        return Some(*sum);
    }
    let longest = kept.iter().copied().max_by_key(|(_, dur)| *dur)?;
    Some(NameSum {
        n: sum.n.saturating_sub((slow.len() - kept.len()) as u64),
        n_outliers: kept.len() as u64,
        excess: kept.iter().map(|(_, dur)| *dur as f64 - sum.median).sum(),
        longest,
        ..*sum
    })
}

/// Whether slices may lie beside what the trace is about, or beside each other.
fn is_aside(input: &RuleInput) -> bool {
    input.is_known || input.survey.is_none_or(|survey| 1 < survey.tracks.len())
}

/// Whether most of a slice is another one inside of it.
fn lies_in(input: &RuleInput, outer: SliceId, inner: SliceId) -> bool {
    if outer.track != inner.track || outer == inner {
        return false;
    }
    let [around, own] = [outer, inner].map(|id| input.trace.event(id).map(|event| event.span));
    let (Some(around), Some(own)) = (around, own) else { return false };
    let is_inside = around.start <= own.start && own.end <= around.end;
    // Of two with the same times the later one lies inside.
    is_inside && around.dur() / 2 <= own.dur() && (around != own || outer.row < inner.row)
}

/// Where the outliers of a name are; `None` where they cost nothing: they wait, or sum up others.
fn side(input: &RuleInput, device: &Device, sum: &NameSum) -> Option<Side> {
    let track = sum.longest.0.track;
    let group = |id: TrackId| input.trace.tracks.find(id).and_then(|track| track.parent);
    if device.streams.iter().any(|stream| stream.track == track) {
        let is_work = device.kernels.iter().any(|own| own.name == sum.name && own.class != Class::Wait);
        return is_work.then_some(Side::Device);
    }
    let is_beside = || device.streams.iter().any(|stream| group(stream.track) == group(track));
    let own = input.trace.tracks.find(track)?;
    let is_calling =
        is_host(input.trace, Dialect::of(input.trace), track, is_beside) && !is_mark(input.trace, own);
    is_calling.then_some(Side::Host)
}

/// How long a device does nothing during some slices of the host; of several the one that is idle longest.
fn idle(input: &RuleInput, device: &Device, slices: &[SliceId]) -> Ticks {
    let mut spans: Vec<(Ticks, Ticks)> =
        slices.iter().map(|slice| span_of(input, *slice)).map(|span| (span.start, span.end)).collect();
    spans.sort_unstable();
    // Those that lie in each other, or on several threads, count once.
    let spans = Times::of_sorted(spans);
    let of = device
        .ranks
        .iter()
        .map(|rank| spans.parts(rank.working).map(|span| span.dur() - rank.busy.inside(span)).sum());
    of.max().unwrap_or(0)
}

#[allow(clippy::too_many_lines)] // most of it is texts and tables
fn finding(input: &RuleInput, cost: &Cost) -> Finding {
    let (sum, trace) = (&cost.sum, input.trace);
    let name = trace.strings.get(sum.name);
    let time = |ticks: f64| input.time(ticks.round() as i128).0;
    let unit = input.time(0).1;
    let excess = time(sum.excess);
    let (longest, usual) = (input.time(sum.longest.1).0, time(sum.median));
    let slice = sum.longest.0;
    let span = span_of(input, slice);
    let sentence = match cost.side {
        Side::Host => message(
            "{n} of {all} slices {name} take at least ten times the median of {median}; the device is idle meanwhile for ⟦{time}⟧.",
        ),
        _ => message("{n} of {all} slices {name} take ⟦{time} more⟧ than the median of {median}."),
    };
    let value = time(cost.ticks);
    let (whole, saving_unit) = (time(cost.whole), unit.clone());
    let saving = match cost.side {
        // What one of several tracks loses need not be lost by the whole.
        Side::Any if is_aside(input) => Saving::default(),
        Side::Any => {
            let model = message("If each of them took the median, and all of that time counted.");
            Saving::about(value, whole, saving_unit, model).of(phrase("{share} of the recording"))
        }
        Side::Device => {
            let model =
                message("If each of them took the median, and nothing else ran on the device meanwhile.");
            Saving::about(value, whole, saving_unit, model).of(phrase("{share} of device time"))
        }
        Side::Host => {
            let model = message(
                "The device does nothing for so long while these run; other reasons tell the same time too.",
            );
            Saving::at_most(value, whole, saving_unit, model).of(phrase("{share} of device time"))
        }
    };
    let mut numbers = vec![
        Number::new(phrase("Slices"), sum.n as f64, Unit::None),
        Number::new(phrase("Outliers"), sum.n_outliers as f64, Unit::None),
        Number::new(phrase("Median"), usual, unit.clone()),
        Number::new(phrase("Longest"), longest, unit.clone()),
        Number::new(phrase("Beyond the median"), excess, unit.clone()),
    ];
    if cost.side == Side::Host {
        numbers.push(Number::new(phrase("Device idle meanwhile"), value, unit.clone()));
    }
    let how: Message = message(
        "Lengths of all slices of this name. An outlier takes at least ten medians; at most one in twenty may. Of outliers that lie in each other the innermost is told.",
    );
    Finding {
        subject: name.to_owned(),
        severity: match cost.side {
            Side::Any if is_aside(input) => Severity::Note,
            _ => Severity::Warning,
        },
        sentence: sentence
            .with("n", thousands(sum.n_outliers))
            .with("all", thousands(sum.n))
            .with("name", device::brief(name))
            .with("time", with_unit(value, &unit))
            .with("median", with_unit(usual, &unit)),
        line: message("The longest takes {time}, {n} times the median, on {track}.")
            .with("time", with_unit(longest, &unit))
            .with("n", fixed(sum.longest.1 as f64 / sum.median.max(1.0), 1))
            .with("track", trace.track_path(slice.track)),
        value,
        unit,
        saving,
        evidence: Evidence {
            shown: message("the longest, {one}").with("one", with_unit(longest, &input.time(0).1)),
            figure: Some(around(input, span, &[slice.track])),
            numbers,
            how,
            view: "timeline".to_owned(),
            address: Place::view("timeline").around(span).slice(trace, slice).address(),
            list: Place::view("statistics").state("by", "name").state("filter", name).address(),
            ..Evidence::default()
        },
        ..OUTLIERS.finding()
    }
}
