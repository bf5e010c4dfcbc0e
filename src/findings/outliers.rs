//! The longest outliers of a frequent name.
//!
//! Outliers often lie in each other (`aten::to` around `aten::copy_`): the innermost is named. Where devices work, one of
//! the host costs at most what the device is idle meanwhile, one of a stream is time of the device, and what only sums up
//! others (tracks that writers compute) costs nothing.

use super::alike::{alone, of_equal};
use super::device::Scope;
use super::place::Place;
use super::survey::{FREQUENT, NameSum, OUTLIER, OnTrack, SLOW, Survey};
use super::trace::{MOST, around, percent, span_of};
use super::{Looked, Rule, RuleInput, Threshold, device};
use crate::analysis::device::class::is_host;
use crate::analysis::device::dialect::Dialect;
use crate::analysis::device::ranks::is_mark;
use crate::analysis::device::{Class, Device, Rank, Times};
use crate::analysis::finding::{Evidence, Finding, Number, Saving, Severity};
use crate::base::map::Map;
use crate::base::number::{fixed, thousands, with_unit};
use crate::base::order::{self, percentile};
use crate::base::time::{Span, Ticks, Total};
use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};
use crate::model::id::{SliceId, StrId, TrackId};

/// Names that are looked at.
const NAMES: usize = 48;
/// Outliers of a name that are held against those of others.
const HELD: usize = 32;

/// Slices that take much longer than others of their name.
pub static OUTLIERS: Rule = Rule {
    id: "trace-outliers",
    version: 8,
    title: phrase("Longer than usual"),
    thresholds: &[
        Threshold {
            name: phrase("share of the recorded time that outliers take above the median"),
            value: 0.01,
            unit: Unit::Share,
            source: phrase("our own choice: shorter ones are hardly worth a look"),
        },
        Threshold {
            name: phrase("multiple of the median from which a slice is an outlier"),
            value: OUTLIER,
            unit: Unit::None,
            source: phrase("our own choice: an order of magnitude"),
        },
        Threshold {
            name: phrase("minimum slices for a name to be frequent"),
            value: FREQUENT as f64,
            unit: Unit::None,
            source: phrase("our own choice: at most one in twenty is an outlier"),
        },
    ],
    look: |input| {
        let Some(survey) = input.survey.filter(|survey| 0 < survey.span.dur()) else {
            return Looked::NotHere;
        };
        let is_frequent = |sum: &NameSum| FREQUENT <= sum.n;
        if survey.n_names <= survey.names.len() as u64 && !survey.names.iter().any(is_frequent) {
            let said = message("no name has {n} slices or more, which are needed to know what is usual");
            return Looked::Missing(said.with("n", thousands(FREQUENT)));
        }
        let costs: Vec<Cost> = costs(input, survey);
        let counts = |cost: &&Cost| OUTLIERS.limit(0) <= cost.share();
        let findings = costs.iter().filter(counts).take(MOST).map(|cost| finding(input, cost));
        Looked::found_or(findings.collect(), || {
            let most = costs.first().map_or(0.0, Cost::share);
            message("the outliers of any single name cost at most {share} of the time{others}")
                .with("share", percent(most))
                .with_message("others", too_many(input, survey))
        })
    },
};

/// The frequent name whose long slices take most beyond its median though they are too many to be outliers, where that is
/// as much as would be told of outliers; of names around each other the innermost that has most of the time.
fn too_many(input: &RuleInput, survey: &Survey) -> Message {
    let is_side = |sum: &&NameSum| device::devices(input).is_none_or(|of| side(input, of, sum).is_some());
    let counts = |sum: &&NameSum| OUTLIERS.limit(0) * survey.recorded(survey.span) as f64 <= sum.excess;
    let work = |sum: &&NameSum| input.derived.timeline.names().is_work(sum.name);
    let varies = |sum: &&NameSum| FREQUENT <= sum.n && !sum.stands_out();
    let names = survey.names.iter().filter(varies).filter(counts).filter(work).filter(is_side);
    let names: Vec<&NameSum> = names.collect();
    // A wrapper may lie around several calls of one name: none of them is most of it.
    let is_most = |outer: &NameSum, inner: &NameSum| {
        let [around, own] = [outer, inner].map(|sum| span_of(input, sum.longest.0));
        let is_inside = around.start <= own.start && own.end <= around.end && own.dur() < around.dur();
        is_inside && outer.longest.0.track == inner.longest.0.track && outer.excess <= 2.0 * inner.excess
    };
    let is_inner = |sum: &&&NameSum| {
        let is_around =
            |other: &&NameSum| lies_in(input, sum.longest.0, other.longest.0) || is_most(sum, other);
        !names.iter().any(is_around)
    };
    let most = names.iter().filter(is_inner).rev().max_by(|a, b| a.excess.total_cmp(&b.excess));
    most.map_or(Message::default(), |sum| {
        message(
            "; not looked at: {n} of {all} slices {name} take at least ten medians, more than one in twenty",
        )
        .with("n", thousands(sum.n_outliers))
        .with("all", thousands(sum.n))
        .with("name", device::brief(input.trace.strings.get(sum.name)))
    })
}

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
    /// Of several devices those of the one that loses most.
    sum: NameSum,
    side: Side,
    /// Whether those on a device were held against work of their own size; else sizes are not in the file.
    is_sized: bool,
    /// Whether the median is that of their size, and another one than that of the name.
    has_own_median: bool,
    /// That device.
    rank: Option<usize>,
    /// On how many devices it counts.
    n_ranks: usize,
    /// Where steps count, how many more outliers lie outside of them.
    n_outside: u64,
    /// Beyond the median, of these what the device is idle meanwhile.
    ticks: f64,
    /// Of so much: of the steps of a device, where it has any.
    whole: f64,
    /// What a share of that is of.
    of: &'static str,
}

impl Cost {
    fn share(&self) -> f64 {
        self.ticks / self.whole
    }
}

/// What outliers cost, the most first; those that lie around others are left out.
fn costs(input: &RuleInput, survey: &Survey) -> Vec<Cost> {
    let known = device::devices(input);
    let apart = known.filter(|device| is_apart(device)).map(|device| own_lengths(input, device, survey));
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
            let (own, slow) = ended(input, survey, sum, slow, survey.on_tracks.get(place)?)?;
            let all = sum_of(sum, own.iter())?;
            let Some(device) = known else {
                let (ticks, whole) = (all.excess, survey.recorded(survey.span) as f64);
                let of = phrase("{share} of the recording");
                return Some(Cost {
                    sum: all,
                    side: Side::Any,
                    is_sized: true,
                    has_own_median: false,
                    rank: None,
                    n_ranks: 0,
                    n_outside: 0,
                    ticks,
                    whole,
                    of,
                });
            };
            let apart = apart.as_ref().map(|of| of.get(&sum.name).map(Vec::as_slice).unwrap_or_default());
            of_devices(input, device, (&all, &slow), (&own, apart))
        })
        .collect();
    order::sort_by(&mut costs, |a, b| b.share().total_cmp(&a.share()).then(a.sum.name.cmp(&b.sum.name)));
    costs
}

/// What the outliers of a name cost the device that loses most by them, of several the first: each has its own host.
fn of_devices(
    input: &RuleInput,
    device: &Device,
    (all, slow): (&NameSum, &[SliceId]),
    (own, apart): (&[OnTrack], Option<&[Lengths]>),
) -> Option<Cost> {
    let side = side(input, device, all)?;
    let costs = device.ranks.iter().enumerate().filter_map(|(at, rank)| {
        let own_usual = match apart {
            Some(apart) => Some(usual(input, all, apart.get(2 * at + usize::from(side == Side::Device))?)?),
            None => None,
        };
        let is_its = |track: TrackId| match side {
            Side::Host => rank.hosts.contains(&track),
            _ => device.streams.iter().any(|stream| stream.track == track && stream.rank as usize == at),
        };
        let (sum, slow) = match own_usual {
            Some(told) => told,
            None => {
                let sum = sum_of(all, own.iter().filter(|own| is_its(own.track)))?;
                (sum, slow.iter().filter(|id| is_its(id.track)).copied().collect())
            }
        };
        let scope = Scope::of(device, at).filter(|scope| 0 < scope.n);
        let steps = if side == Side::Host { &rank.marked } else { &rank.steps };
        let (sum, slow, n_outside) = match &scope {
            Some(_) if sum.n_outliers == slow.len() as u64 => in_steps(input, steps, sum, &slow)?,
            _ => (sum, slow, 0),
        };
        let (whole, of) = match &scope {
            Some(scope) if scope.n == 1 => (scope.whole, phrase("{share} of a step")),
            Some(scope) => (scope.whole, phrase("{share} of all steps")),
            None => (rank.working.dur(), phrase("{share} of device time")),
        };
        let whole = whole.max(1) as f64;
        let within = scope.as_ref().map_or(std::slice::from_ref(&rank.working), |_| rank.steps.spans());
        // Sizes are read from the file, so only of what would be told.
        let is_meant = side == Side::Device && OUTLIERS.limit(0) * whole <= sum.excess;
        let median = sum.median;
        let (sum, slow, is_sized) =
            if is_meant { of_equal(input, device, sum, &slow)? } else { (sum, slow, true) };
        let excess = match &scope {
            Some(_) if side == Side::Device => {
                let inside = slow.iter().map(|id| rank.steps.inside(span_of(input, *id)) as f64 - sum.median);
                sum.excess.min(inside.map(|excess| excess.max(0.0)).sum())
            }
            _ => sum.excess,
        };
        let ticks = match side {
            Side::Host => excess.min(idle(input, rank, within, slow.iter()) as f64),
            // What other streams do meanwhile has to be done all the same.
            Side::Device if is_meant => excess.min(alone(input, device, at, within, &slow) as f64),
            _ => excess,
        };
        let has_own_median = sum.median.total_cmp(&median).is_ne();
        let rank = Some(at);
        Some(Cost { sum, side, is_sized, has_own_median, rank, n_ranks: 0, n_outside, ticks, whole, of })
    });
    let costs: Vec<Cost> = costs.collect();
    let n_ranks = costs.iter().filter(|cost| OUTLIERS.limit(0) <= cost.share()).count();
    let most = costs.into_iter().rev().max_by(|a, b| a.share().total_cmp(&b.share()))?;
    Some(Cost { n_ranks, ..most })
}

/// The outliers of a name that lie in steps, what they come to, and how many others there are; `None` where none lies in one.
fn in_steps(
    input: &RuleInput,
    steps: &Times,
    sum: NameSum,
    slow: &[SliceId],
) -> Option<(NameSum, Vec<SliceId>, u64)> {
    let spans = slow.iter().map(|id| (*id, span_of(input, *id)));
    let inside: Vec<(SliceId, Span)> = spans.filter(|own| 0 < steps.inside(own.1)).collect();
    let longest = inside.iter().rev().max_by_key(|own| own.1.dur()).map(|own| (own.0, own.1.dur()))?;
    let n_outside = sum.n_outliers - inside.len() as u64;
    let excess = sum.excess.min(excess(&inside, sum.median));
    let sum = NameSum { n_outliers: inside.len() as u64, longest, excess, ..sum };
    Some((sum, inside.into_iter().map(|own| own.0).collect(), n_outside))
}

/// Which of some slices of one name, track by track in order of their starts, are told: half of one that lies around others
/// of its name is theirs.
fn innermost(spans: &[(SliceId, Span)]) -> Vec<bool> {
    let is_told = |(at, (id, span)): (usize, &(SliceId, Span))| {
        let behind = spans.get(at + 1..).unwrap_or_default().iter();
        let begun = behind.take_while(|own| own.0.track == id.track && own.1.start < span.end);
        let inside = begun.filter(|own| own.1.end <= span.end).map(|own| (own.1.start, own.1.end));
        let inner: Ticks = Times::of_sorted(inside).spans().iter().map(|own| own.dur()).total();
        inner.saturating_mul(2) < span.dur()
    };
    spans.iter().enumerate().map(is_told).collect()
}

/// What some slices of one name, track by track in order of their starts, take beyond its median: where one lies in
/// another, its time counts once.
fn excess(spans: &[(SliceId, Span)], median: f64) -> f64 {
    let of_track = |own: &[(SliceId, Span)]| {
        let sum: f64 = own.iter().map(|own| own.1.dur() as f64 - median).sum();
        let all = Times::of_sorted(own.iter().map(|own| (own.1.start, own.1.end)));
        sum.min(all.spans().iter().map(|span| span.dur()).total() as f64)
    };
    spans.chunk_by(|a, b| a.0.track == b.0.track).map(of_track).sum()
}

/// How long a slice is.
type Length = (Ticks, SliceId);

/// Lengths of the slices of a name on one side of one device.
type Lengths = Vec<Length>;

/// Whether what is usual for a name is to be found out for each device: there are several, each with lengths of its own, or
/// names of what is work on some streams are those of parts of a communication on others.
fn is_apart(device: &Device) -> bool {
    1 < device.ranks.len() || device.works.iter().any(|work| work.is_part)
}

/// The lengths of names with outliers: by name, of each device those of its host and those of its streams. Costs the slices
/// of the tracks that have any.
fn own_lengths(input: &RuleInput, device: &Device, survey: &Survey) -> Map<StrId, Vec<Lengths>> {
    let names = survey.outliers.iter().take(NAMES);
    let mut found: Map<StrId, Vec<Lengths>> =
        names.map(|sum| (sum.name, vec![Lengths::new(); 2 * device.ranks.len()])).collect();
    let mut add = |name: StrId, at: usize, length: (Ticks, SliceId)| {
        if let Some(list) = found.get_mut(&name).and_then(|of| of.get_mut(at)) {
            list.push(length);
        }
    };
    for stream in &device.streams {
        let works = device.works.get(stream.works.clone()).unwrap_or_default();
        for work in works.iter().filter(|work| work.is_work()) {
            let name = device::name_id(input, work.slice);
            add(name, 2 * stream.rank as usize + 1, (work.span.dur(), work.slice));
        }
    }
    let mut tracks: Vec<TrackId> =
        survey.on_tracks.iter().take(NAMES).flatten().map(|own| own.track).collect();
    tracks.sort_unstable();
    tracks.dedup();
    for id in tracks {
        let Some(track) = input.trace.tracks.find(id) else { continue };
        let (slices, hosts) = (&track.slices, device.ranks.iter().enumerate());
        let its: Vec<usize> = hosts.filter(|(_, rank)| rank.hosts.contains(&id)).map(|(at, _)| at).collect();
        for row in (0..slices.len()).filter(|row| !its.is_empty() && !slices.is_unfinished(*row)) {
            let length = (slices.span(row).dur(), SliceId { track: id, row: row as u32 });
            for at in &its {
                add(slices.name[row], 2 * at, length);
            }
        }
    }
    found
}

/// What some slices of a name come to by their own median, with the outliers among them; those that last until the recording
/// ends do not count. `None` where they are too few to know what is usual, or none or too many are outliers.
fn usual(input: &RuleInput, sum: &NameSum, lengths: &[(Ticks, SliceId)]) -> Option<(NameSum, Vec<SliceId>)> {
    let end = input.survey?.span.end;
    let mut durs: Vec<Ticks> = lengths.iter().map(|(dur, _)| *dur).collect();
    durs.sort_unstable();
    let median = percentile(&durs, 50);
    let is_slow = |dur: Ticks| OUTLIER * median.max(1.0) <= dur as f64;
    let all_slow = lengths.iter().filter(|(dur, _)| is_slow(*dur));
    let all_slow: Vec<(SliceId, Span)> = all_slow.map(|own| (own.1, span_of(input, own.1))).collect();
    let told = innermost(&all_slow);
    let is_told = |((_, span), is_inner): &(&(SliceId, Span), bool)| *is_inner && span.end < end;
    let slow = all_slow.iter().zip(told).filter(is_told).map(|own| *own.0);
    let slow: Vec<(SliceId, Span)> = slow.collect();
    let n = (lengths.len() - all_slow.len() + slow.len()) as u64;
    let longest = slow.iter().rev().max_by_key(|own| own.1.dur()).map(|own| (own.0, own.1.dur()))?;
    let n_outliers = slow.len() as u64;
    let excess = excess(&slow, median);
    let total = lengths.iter().map(|(dur, _)| i128::from(*dur)).sum();
    let own = NameSum { n, total, median, longest, n_outliers, excess, ..*sum };
    let is_told = FREQUENT <= lengths.len() as u64 && n_outliers * 20 <= lengths.len() as u64;
    is_told.then(|| (own, slow.into_iter().map(|own| own.0).collect()))
}

/// What the slices of a name on some tracks come to; `None` where none of them is an outlier.
fn sum_of<'a>(sum: &NameSum, own: impl Iterator<Item = &'a OnTrack>) -> Option<NameSum> {
    let mut of: Option<NameSum> = None;
    for own in own {
        let all =
            of.get_or_insert(NameSum { n: 0, n_outliers: 0, excess: 0.0, longest: own.longest, ..*sum });
        all.n += own.n;
        all.n_outliers += own.n_outliers;
        all.excess += own.excess;
        if all.longest.1 < own.longest.1 {
            all.longest = own.longest;
        }
    }
    of.filter(|of| 0 < of.n_outliers)
}

/// The slices of a name track by track, and its outliers: without those that last until the recording ends, which may have
/// no end, and without those that lie around others. `None` for names of waiting, which is not slow.
fn ended(
    input: &RuleInput,
    survey: &Survey,
    sum: &NameSum,
    slow: &[SliceId],
    on_tracks: &[OnTrack],
) -> Option<(Vec<OnTrack>, Vec<SliceId>)> {
    if !input.derived.timeline.names().is_work(sum.name) {
        return None;
    }
    let mut own = on_tracks.to_vec();
    let spans: Vec<(SliceId, Span)> = slow.iter().map(|slice| (*slice, span_of(input, *slice))).collect();
    let told = innermost(&spans);
    let told = spans.iter().zip(told).map(|((_, span), is_inner)| is_inner && span.end < survey.span.end);
    let told: Vec<bool> = told.collect();
    let kept = || spans.iter().zip(&told).filter(|own| *own.1).map(|own| *own.0);
    for ((slice, span), _) in spans.iter().zip(&told).filter(|own| !*own.1) {
        let Some(own) = own.iter_mut().find(|own| own.track == slice.track) else { continue };
        own.n = own.n.saturating_sub(1);
        own.n_outliers = own.n_outliers.saturating_sub(1);
        own.excess -= span.dur() as f64 - sum.median;
        let kept = kept().filter(|(id, _)| id.track == slice.track).map(|(id, span)| (id, span.dur()));
        let longest = kept.collect::<Vec<_>>().into_iter().rev().max_by_key(|(_, dur)| *dur);
        own.longest = longest.unwrap_or((*slice, Ticks::MIN));
    }
    // Not all may be kept; otherwise what lies in each other counts once.
    for own in own.iter_mut().filter(|_| slow.len() < SLOW) {
        let its: Vec<(SliceId, Span)> = kept().filter(|(id, _)| id.track == own.track).collect();
        own.excess = own.excess.min(excess(&its, sum.median));
    }
    let slow = kept().map(|(id, _)| id).collect();
    Some((own, slow))
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

/// How long a device does nothing during some slices of its host, within some stretches.
fn idle<'a>(
    input: &RuleInput,
    rank: &Rank,
    within: &[Span],
    slices: impl Iterator<Item = &'a SliceId>,
) -> Ticks {
    let mut spans: Vec<(Ticks, Ticks)> =
        slices.map(|slice| span_of(input, *slice)).map(|span| (span.start, span.end)).collect();
    spans.sort_unstable();
    // Those that lie in each other, or on several threads, count once.
    let spans = Times::of_sorted(spans);
    let idle = |span: Span| span.dur() - rank.busy.inside(span);
    within.iter().map(|within| spans.parts(*within).map(idle).total()).sum()
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
            "{n} of {all} slices {name} take at least ten times the median of {median}; the device is idle meanwhile for ⟦{time}⟧{on}.{others}",
        ),
        // Not all of what they take longer is time of the device.
        Side::Device if cost.ticks < 0.995 * sum.excess => message(
            "{n} of {all} slices {name} take {more} more than the median of {median}{size}, ⟦{time}⟧ of it while all other streams are idle{on}.{others}",
        )
        .with("more", with_unit(excess, &unit)),
        _ => {
            message("{n} of {all} slices {name} take ⟦{time} more⟧ than the median of {median}{size}{on}.{others}")
        }
    };
    let size = if cost.has_own_median { message(" for work of the same size") } else { Message::default() };
    // Of several devices one is told.
    let several = device::devices(input).filter(|device| 1 < device.ranks.len());
    let on = several.zip(cost.rank).and_then(|(device, rank)| device.ranks.get(rank));
    let on = on.map_or(Message::default(), |rank| message(" on {device}").with("device", &rank.name));
    let others = several.map_or(Message::default(), |device| device::on_devices(device, cost.n_ranks));
    let value = time(cost.ticks);
    let (whole, saving_unit) = (time(cost.whole), unit.clone());
    let saving = match cost.side {
        // What one of several tracks loses need not be lost by the whole.
        Side::Any if is_aside(input) => Saving::default(),
        Side::Any => {
            let model =
                message("If each of them took the median time, and all time saved there shortened the run.");
            Saving::about(value, whole, saving_unit, model).of(cost.of)
        }
        Side::Device => {
            let model = if cost.is_sized {
                message(
                    "If each took the median time of equally sized work. Time when other streams are busy is left out.",
                )
            } else {
                message(
                    "If each took the median time (their sizes are not recorded). Time when other streams are busy is left out.",
                )
            };
            Saving::about(value, whole, saving_unit, model).of(cost.of)
        }
        Side::Host => {
            let model = message(
                "The device is idle for this long while they run; the same time is also reported under other causes.",
            );
            Saving::at_most(value, whole, saving_unit, model).of(cost.of)
        }
    };
    let mut numbers = vec![
        Number::new(phrase("Slices"), sum.n as f64, Unit::None),
        Number::new(phrase("Outliers"), sum.n_outliers as f64, Unit::None),
        Number::new(phrase("Median"), usual, unit.clone()),
        Number::new(phrase("Longest"), longest, unit.clone()),
        Number::new(phrase("Above the median"), excess, unit.clone()),
    ];
    if cost.side == Side::Host {
        numbers.push(Number::new(phrase("Device idle meanwhile"), value, unit.clone()));
    }
    let outside = match cost.n_outside {
        0 => Message::default(),
        n => message(" Outside of steps lie {n} more.").with("n", thousands(n)),
    };
    let outside = match cost.side {
        Side::Host => message(
            " This idle time also counts under its cause, such as data loading or late launches: do not add them up.{outside}",
        )
        .with_message("outside", outside),
        _ => outside,
    };
    let how: Message = message(
        "Lengths of all slices of this name. An outlier takes at least ten medians; at most one in twenty may. Of outliers that lie in each other, also of the same name, the innermost is told, of several devices the one that loses most: by its own slices and those of its own host. Where a device has steps, the time in them counts. Work of a device is held against that of its own size (grid and block, bytes, elements) where the file says it.",
    );
    let scope = cost.rank.zip(input.device).and_then(|(rank, device)| Scope::of(device, rank));
    let how = scope.map_or(how.clone(), |scope| scope.how(input, how));
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
            .with("median", with_unit(usual, &unit))
            .with_message("size", size)
            .with_message("on", on)
            .with_message("others", others),
        line: message("The longest takes {time}, {n} times the median, on {track}.{more}")
            .with_message("more", outside)
            .with("time", with_unit(longest, &unit))
            .with("n", fixed(sum.longest.1 as f64 / sum.median.max(1.0), 1))
            .with("track", trace.track_path(slice.track).trim_end()),
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
