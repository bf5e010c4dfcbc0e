//! What of communication is waiting for devices that are late, where that is known, and what to do about it.

use super::exchange::Group;
use super::meetings::Meetings;
use super::{Scope, bare, name_id, ranks};
use crate::analysis::device::{Device, Rank, Work};
use crate::base::map::{Map, Set};
use crate::base::number::thousands;
use crate::base::order;
use crate::base::time::{Span, Ticks};
use crate::base::words::{Message, message};
use crate::findings::RuleInput;
use crate::model::id::{SliceId, StrId};
use std::cmp::Reverse;

/// When communications of a device only wait, and the number of the device they wait for.
pub(super) type Waits = Map<SliceId, (Span, usize)>;

/// What is known of waiting in communications.
#[derive(Default)]
pub(super) struct Waiting {
    /// When those of each device only wait for the last one to arrive.
    pub(super) of_rank: Vec<Waits>,
    /// Those that meet others, see [`Meetings::met`].
    pub(super) met: Vec<Map<SliceId, [usize; 2]>>,
    /// Whether clocks were aligned to tell.
    pub(super) are_aligned: bool,
    /// The devices that are late by more than chance.
    late: Vec<usize>,
    /// Why it cannot be told of any.
    unknown: Option<Message>,
}

impl Waiting {
    /// Why it is not known how long a group waits, or not in all its calls; and whether files are missing for that.
    pub(super) fn open(&self, device: &Device, group: &Group) -> Option<(Message, bool)> {
        let n = device.ranks.len();
        let why = match (&self.unknown, group.met, group.size) {
            _ if n < 2 => {
                let why = match group.size {
                    0 => message("the files show only one device"),
                    1 => return None,
                    size => message("the files show only one of the {size} devices in the group")
                        .with("size", size),
                };
                return Some((why, true));
            }
            (Some(why), ..) => why.clone(),
            (_, Some([n, size]), _) if n < size => {
                let why = message("the files show only {n} of the {size} devices in the group");
                return Some((why.with("n", n).with("size", size), true));
            }
            (_, Some(_), _) if group.unmet.n == 0 => return None,
            (_, Some(_), _) => {
                let why = message("{n} of {all} calls cannot be matched with those of the other devices");
                let why = why.with("n", thousands(group.unmet.n as u64));
                return Some((why.with("all", thousands(group.unmet.all as u64)), false));
            }
            _ => message("no other device in the files has matching calls"),
        };
        Some((why, n < group.size))
    }
}

/// What can be told of waiting; nothing of one device.
pub(super) fn waits(input: &RuleInput, device: &Device) -> Waiting {
    if device.ranks.len() < 2 {
        return Waiting::default();
    }
    let meetings = match Meetings::of(input, device) {
        Ok(meetings) => meetings,
        Err(why) => return Waiting { unknown: Some(why), ..Waiting::default() },
    };
    let ranks = 0..device.ranks.len();
    Waiting {
        of_rank: ranks.clone().map(|rank| meetings.by_slice(rank)).collect(),
        met: ranks.map(|rank| meetings.met(rank)).collect(),
        are_aligned: meetings.are_aligned(),
        late: ranks::late(device, &meetings),
        unknown: None,
    }
}

/// Calls of a group that meet none of other devices, of names of which others do: how long it waits in them is not known.
#[derive(Default)]
pub(super) struct Unmet {
    /// How many of how many; 0 where they are next to nothing.
    pub(super) n: usize,
    pub(super) all: usize,
    /// What nothing hides of them.
    bare: Ticks,
    /// When they begin, and when those that meet others do.
    begun: [Moments; 2],
}

/// Points in time, in order.
#[derive(Default)]
pub(super) struct Moments(Vec<Ticks>);

impl FromIterator<Ticks> for Moments {
    fn from_iter<I: IntoIterator<Item = Ticks>>(times: I) -> Self {
        let mut times: Vec<Ticks> = times.into_iter().collect();
        order::sort(&mut times);
        Self(times)
    }
}

impl Moments {
    /// Whether one of them lies inside. Two searches.
    pub(super) fn touch(&self, span: Span) -> bool {
        self.0.partition_point(|time| *time < span.start) < self.0.partition_point(|time| *time < span.end)
    }

    /// Whether each lies inside of one of these.
    fn are_in(&self, mut spans: Vec<Span>) -> bool {
        order::sort_by_key(&mut spans, |span| span.start);
        let mut spans = spans.iter().peekable();
        let mut end = Ticks::MIN;
        self.0.iter().all(|time| {
            while let Some(span) = spans.next_if(|span| span.start <= *time) {
                end = end.max(span.end);
            }
            *time < end
        })
    }
}

impl Unmet {
    /// Those among the calls of a group, of which so much is hidden by nothing.
    pub(super) fn of(
        input: &RuleInput,
        rank: &Rank,
        works: &[&Work],
        met: &Map<SliceId, [usize; 2]>,
        alone: Ticks,
    ) -> Self {
        let (meeting, others): (Vec<&Work>, Vec<&Work>) =
            works.iter().partition(|work| met.contains_key(&work.slice));
        let names: Set<StrId> = meeting.iter().map(|work| name_id(input, work.slice)).collect();
        let others = others.into_iter().filter(|work| names.contains(&name_id(input, work.slice)));
        let others: Vec<&Work> = others.collect();
        let bare = bare::idle(rank, others.iter().map(|work| (work.span.start, work.span.end)).collect());
        // What a hundredth of it would be is no other sentence.
        if bare.saturating_mul(100) <= alone {
            return Self::default();
        }
        let begun = [&others, &meeting].map(|list| list.iter().map(|work| work.span.start).collect());
        Self { n: others.len(), all: others.len() + meeting.len(), bare, begun }
    }

    /// What is known of a device: the steps in which all calls meet others, where all that do lie in these; else sums.
    pub(super) fn scope<'a>(&self, device: &Device, scope: &Scope<'a>) -> Scope<'a> {
        if self.n == 0 {
            return scope.clone();
        }
        let [unmet, met] = &self.begun;
        let is_known = |step: Span| met.touch(step) && !unmet.touch(step);
        let own = device.steps.iter().filter(|step| step.rank as usize == scope.rank && step.slice.is_some());
        let known: Vec<Span> = own.map(|step| step.span).filter(|step| is_known(*step)).collect();
        let is_all = met.are_in(known);
        let some = scope.over(device, |step| is_all && is_known(step.span));
        some.unwrap_or_else(|| Scope { n: 0, of_all: 0, is_uneven: false, ..scope.clone() })
    }

    /// Behind a time of that, of which calls it is.
    fn known(&self, scope: &Scope) -> Message {
        match scope.n {
            0 if 0 < self.n => message(" in {n} of {all} calls")
                .with("n", thousands((self.all - self.n) as u64))
                .with("all", thousands(self.all as u64)),
            _ => scope.known(),
        }
    }
}

/// How long a device waits in some communications while it computes nothing.
pub(super) fn waiting_of<'a>(of: &Rank, waits: impl Iterator<Item = &'a (Span, usize)>) -> Ticks {
    bare::idle(of, waits.map(|(wait, _)| (wait.start, wait.end)).collect())
}

/// For which devices it waits then and how long, the longest first.
pub(super) fn awaited_of<'a>(
    of: &Rank,
    waits: impl Iterator<Item = &'a (Span, usize)>,
) -> Vec<(usize, Ticks)> {
    let mut by_last: Map<usize, Vec<(Ticks, Ticks)>> = Map::default();
    for (wait, last) in waits {
        by_last.entry(*last).or_default().push((wait.start, wait.end));
    }
    let times = by_last.into_iter().map(|(last, own)| (last, bare::idle(of, own)));
    let mut times: Vec<(usize, Ticks)> = times.filter(|(_, time)| 0 < *time).collect();
    order::sort_by_key(&mut times, |(last, time)| (Reverse(*time), *last));
    times
}

/// The devices that one waits for; of several how long for each.
pub(super) fn lasts(
    input: &RuleInput,
    device: &Device,
    scope: &Scope,
    awaited: &[(usize, Ticks)],
) -> Message {
    let name = |rank: usize| device.ranks.get(rank).map(|rank| rank.name.clone());
    let named: Vec<(String, Ticks)> =
        awaited.iter().filter_map(|(rank, time)| Some((name(*rank)?, *time))).collect();
    match named.as_slice() {
        [] => message("another device"),
        [(name, _)] => name.clone().into(),
        _ => {
            let each = named.iter().map(|(name, time)| format!("{name} ({})", scope.time(input, *time)));
            each.collect::<Vec<_>>().join(", ").into()
        }
    }
}

/// What is said of waiting in a group: how long for whom, what is no transfer, and why more is not known; else what is said of
/// other devices.
pub(super) fn told_of(
    input: &RuleInput,
    device: &Device,
    scope: &Scope,
    (group, open, elsewhere): (&Group, Option<Message>, &Message),
) -> Message {
    let long = match group.overlong {
        (_, 0) => Message::default(),
        (n, time) => message(" {n} calls take at least ten times as long as another one of the same kind with as much data or more: {time} of it is probably no transfer, but waiting for other devices or setup.")
            .with("n", thousands(n as u64))
            .with("time", scope.time(input, time)),
    };
    let waits = match (group.waiting, open) {
        (0, None) => elsewhere.clone(),
        (0, Some(why)) => message(" How much of it is waiting for another device is unknown: {why}.")
            .with_message("why", why),
        (waiting, open) => {
            let more = open.map_or_else(Message::default, |why| {
                message(" How much more of it is waiting is unknown: {why}.").with_message("why", why)
            });
            let known = group.unmet.scope(device, scope);
            let said = message(" For {time} of it{known}, this device only waits for {last} to arrive.")
                .with_message("time", known.said(input, waiting))
                .with_message("known", group.unmet.known(&known))
                .with_message("last", lasts(input, device, &known, &group.awaited));
            message("{a}{b}").with_message("a", said).with_message("b", more)
        }
    };
    message("{a}{b}").with_message("a", waits).with_message("b", long)
}

/// What is to be done: by what most of it is. `open` is why waiting is not known, and whether files are missing for that.
pub(super) fn advice(
    input: &RuleInput,
    scope: &Scope,
    group: &Group,
    (open, waiting): (Option<&(Message, bool)>, &Waiting),
) -> Message {
    let of_known = group.sum.alone - group.unmet.bare;
    let is_most = |part: Ticks| of_known <= part.saturating_mul(2);
    let why = match group.awaited.as_slice() {
        [(rank, _)] if waiting.late.contains(rank) => message("Check why that device is late."),
        // It may as well be chance, or come from others.
        [] | [_] => message("Check why the devices arrive at different times."),
        _ => message("Check why those devices are late."),
    };
    match group.waiting {
        // Most of it ends when the late one arrives in time.
        waiting if 0 < waiting && is_most(waiting) => why,
        _ if open.is_some_and(|open| open.1) => message(
            "Open the files of the other devices together with these. Smaller buckets or less data shorten only the transfer, not the waiting.",
        ),
        waiting if is_most(waiting + group.overlong.1) => message(
            "Look at the longest call first: the first one of a group also sets up its connections, so warm up before recording. Smaller buckets or less data shorten only the transfer.",
        ),
        0 if open.is_some() => message(
            "An earlier start (smaller buckets) or less data helps with the transfer, not with the waiting.",
        ),
        _ if open.is_some() => message(
            "{why} An earlier start (smaller buckets) or less data helps with the transfer, not with the waiting.",
        )
        .with_message("why", why),
        0 => message("Start it earlier (smaller buckets), or send less data."),
        _ => message("{why} For the remaining {rest}, start communication earlier (smaller buckets) or send less data.")
            .with_message("why", why)
            .with("rest", scope.time(input, group.exchanging())),
    }
}
