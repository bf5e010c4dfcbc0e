//! Process groups, and when their devices meet in a collective, on clocks that are made comparable.
//!
//! ```text
//! group    what arguments say: the name of a process group and its ranks; without them all devices are one group
//! meeting  the n-th communication of a kind of a group on each of its devices, where all have as many; else those with
//!          one number in the group, or the n-th of one step
//! clock    a collective ends on all devices at once: by what the ends of a device differ from those of the first one, in
//!          the median over all meetings of the group, its clock is ahead; where some end sooner and some later, clocks agree
//!          as far as that tells. What is left of the differences is the spread
//! ```
//! None can end on any device before the last one has begun it. Until the last one has begun it the others only wait,
//! which is no time of communication.

use super::exchange::{CALLS, Told, told};
use super::name_id;
use super::ranks::LAST;
use crate::analysis::device::class::collective;
use crate::analysis::device::{Class, Device, Work};
use crate::base::map::{Map, Set};
use crate::base::order::percentile;
use crate::base::time::{Span, Ticks};
use crate::base::words::{Message, message};
use crate::findings::RuleInput;
use crate::model::id::{SliceId, StrId, TrackId};

/// Most communications of a stream that are looked at.
const MOST: usize = 200_000;
/// Most communications for which it is asked what lies around them and around their launches.
const AROUND: usize = 20_000;
/// Names of a stream whose first and last communication are asked for their group.
const NAMES: usize = 8;
/// Most communications that are asked for their group one by one, where those of a stream are of several.
const EACH: usize = 4_000;
/// The share of the ends that lie within the spread, in percent.
const WITHIN: usize = 90;

/// One collective: when each device of a group takes part, by its own clock.
pub(super) type Meeting = Vec<(Span, SliceId)>;

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

/// A communication in which all of a group meet, and its kind.
type Kinded<'a> = (&'a Work, &'static str);

/// The collectives of each stream, in order of time. Where a name does not say the kind, it is told by what lies around the
/// communication, else by its arguments, where that is not too much to read.
fn collectives<'a>(input: &RuleInput, device: &'a Device) -> Vec<Vec<Kinded<'a>>> {
    let mut found: Vec<Vec<Kinded>> = Vec::new();
    let mut unnamed: Vec<(usize, &Work)> = Vec::new();
    let mut left = AROUND;
    for (at, stream) in device.streams.iter().enumerate() {
        let works = device.works.get(stream.works.clone()).unwrap_or_default();
        let own = works.iter().filter(|work| work.class == Class::Communication && !work.is_part);
        let mut list = Vec::new();
        for work in own.take(MOST) {
            let kind = collective(input.trace.strings.get(name_id(input, work.slice))).or_else(|| {
                left = left.checked_sub(1)?;
                kind_around(input, work)
            });
            match kind {
                Some(kind) => list.push((work, kind)),
                None => unnamed.push((at, work)),
            }
        }
        found.push(list);
    }
    if unnamed.len() <= CALLS {
        for (at, work) in unnamed {
            if let Some((kind, list)) = told(input, work.slice).kind.zip(found.get_mut(at)) {
                list.push((work, kind));
            }
        }
    }
    for list in &mut found {
        list.retain(|(_, kind)| is_of_all(kind));
        list.sort_by_key(|(work, _)| work.span.start);
    }
    found
}

/// A process group, as far as arguments say which.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Key {
    pub(super) name: String,
    members: String,
    /// How many devices it has; 0 where that is not said.
    pub(super) size: usize,
}

impl Key {
    fn of(told: Told) -> Self {
        let (name, members) = (told.group.unwrap_or_default(), told.members.unwrap_or_default());
        let is_none = name.is_empty() && members.is_empty();
        Self { name, members, size: told.size.filter(|_| !is_none).unwrap_or(0) }
    }

    /// What it is called behind `of`.
    pub(super) fn title(&self) -> Message {
        let name = if self.name.is_empty() { &self.members } else { &self.name };
        message("process group {name}").with("name", name)
    }
}

/// The groups of the collectives of a stream; `None` where these are of several and too many to ask each.
fn keys(input: &RuleInput, list: &[Kinded], left: &mut usize) -> Option<Vec<Key>> {
    let ask = |(work, _): &Kinded| Key::of(told(input, work.slice));
    let mut asked = vec![0, list.len() / 2, list.len().saturating_sub(1)];
    let mut ends: Map<StrId, (usize, usize)> = Map::default();
    for (at, (work, _)) in list.iter().enumerate() {
        let name = name_id(input, work.slice);
        if ends.len() < NAMES || ends.contains_key(&name) {
            ends.entry(name).or_insert((at, at)).1 = at;
        }
    }
    asked.extend(ends.values().flat_map(|(first, last)| [*first, *last]));
    asked.sort_unstable();
    asked.dedup();
    let mut said = asked.iter().filter_map(|at| list.get(*at)).map(ask);
    let first = said.next()?;
    if said.all(|other| other == first) {
        return Some(vec![first; list.len()]);
    }
    *left = left.checked_sub(list.len())?;
    Some(list.iter().map(ask).collect())
}

/// A collective on a device, and when it was launched, else begins: by that it is of a step.
type Own = (Span, SliceId, Ticks);

/// The collectives of a group: by kind and rank, in order of time.
type Lists = Map<&'static str, Vec<Vec<Own>>>;

/// A process group whose devices meet.
pub(super) struct Group {
    pub(super) key: Key,
    /// Numbers of its devices.
    pub(super) members: Vec<usize>,
    pub(super) list: Vec<Meeting>,
    /// How many there are on the device with most of them: others may have been recorded for a shorter time.
    pub(super) all: usize,
    /// By how much the clock of each of these is ahead of the first one's.
    ahead: Vec<Ticks>,
    /// What most ends differ by at most, once that is taken off.
    pub(super) spread: Ticks,
    /// How many end somewhere before the last device begins them.
    pub(super) wrong: usize,
}

/// Who comes last to a meeting, by clocks that are aligned.
pub(super) struct Last {
    /// Its place among the members.
    pub(super) at: usize,
    pub(super) begun: Ticks,
    /// When the first one begins.
    pub(super) first: Ticks,
}

impl Group {
    /// The meetings of a group; otherwise why they cannot be told.
    fn of(input: &RuleInput, device: &Device, key: Key, lists: &Lists) -> Result<Self, Message> {
        let n = device.ranks.len();
        let has = |rank: usize| lists.values().any(|of| of.get(rank).is_some_and(|list| !list.is_empty()));
        let members: Vec<usize> = (0..n).filter(|rank| has(*rank)).collect();
        if members.len() < 2 {
            return Err(message("no process group has two of its devices in the files"));
        }
        if key.members.is_empty() && 0 < key.size && key.size < members.len() {
            return Err(message(
                "process groups of one name have different devices, and the file does not say which",
            ));
        }
        let (mut list, mut many): (Vec<Meeting>, usize) = (Vec::new(), 0);
        let mut is_apart = false;
        let is_same_time = have_same_steps(input, device, &members);
        for lists in lists.values() {
            let own: Vec<&Vec<Own>> = members.iter().filter_map(|rank| lists.get(*rank)).collect();
            let most = own.iter().map(|list| list.len()).max().unwrap_or(0);
            let is_even = own.iter().all(|list| list.len() == most);
            let firsts: Vec<SliceId> = own.iter().filter_map(|list| Some(list.first()?.1)).collect();
            if is_even && is_same_time && is_one(input, &firsts) {
                let nth =
                    |at: usize| own.iter().filter_map(move |list| list.get(at)).map(|own| (own.0, own.1));
                list.extend((0..most).map(|at| nth(at).collect::<Meeting>()));
                many += most;
                continue;
            }
            // Some may have been recorded longer than others.
            let mut common = common(input, device, &members, &own);
            if common.is_empty() && !is_even {
                common = at_one_time(&own);
            }
            is_apart |= is_even && common.is_empty();
            if !common.is_empty() {
                many += most;
                list.extend(common);
            }
        }
        if is_apart || list.is_empty() {
            return Err(message(
                "the devices have different collectives in the file: they belong to several groups, or were recorded at different times",
            ));
        }
        if (list.len() as f64) < LAST.limit(3) {
            return Err(message("{n} collectives of a group are too few to align the clocks of its devices")
                .with("n", list.len()));
        }
        let (ahead, spread) = align(&list, members.len());
        let mut group = Self { key, members, list, all: many, ahead, spread, wrong: 0 };
        group.wrong = group.list.iter().filter(|meeting| group.is_wrong(meeting)).count();
        let all = group.list.len();
        if LAST.limit(2) * (all as f64) < group.wrong as f64 {
            let said = message(
                "{n} of {all} collectives end on some device before the last device starts them: the device clocks differ",
            );
            return Err(said.with("n", group.wrong).with("all", all));
        }
        Ok(group)
    }

    /// How far the clock of a member is ahead.
    pub(super) fn ahead(&self, at: usize) -> Ticks {
        self.ahead.get(at).copied().unwrap_or(0)
    }

    pub(super) fn last(&self, meeting: &Meeting) -> Option<Last> {
        let begun = || meeting.iter().enumerate().map(|(at, (span, _))| (at, span.start - self.ahead(at)));
        let (at, last) = begun().rev().max_by_key(|(_, begun)| *begun)?;
        Some(Last { at, begun: last, first: begun().map(|(_, begun)| begun).min()? })
    }

    /// The same where it comes later than the first one by more than the clocks tell.
    pub(super) fn late(&self, meeting: &Meeting) -> Option<Last> {
        self.last(meeting).filter(|last| self.spread < last.begun - last.first)
    }

    fn is_wrong(&self, meeting: &Meeting) -> bool {
        let begun = self.last(meeting).map_or(Ticks::MIN, |last| last.begun);
        meeting.iter().enumerate().any(|(at, (span, _))| span.end - self.ahead(at) < begun)
    }

    /// When a member waits at a meeting, by its own clock, where the last one is this one, or any.
    pub(super) fn wait(
        &self,
        meeting: &Meeting,
        who: usize,
        last_is: Option<usize>,
    ) -> Option<(SliceId, Span)> {
        let last = self.last(meeting)?;
        let (span, slice) = *meeting.get(who)?;
        let begun = last.begun + self.ahead(who);
        let is_meant = last_is.is_none_or(|meant| meant == last.at) && span.start < begun;
        is_meant.then(|| (slice, Span { start: span.start, end: begun.min(span.end) }))
    }

    /// Mean of what the first one waits for the last one.
    fn mean(&self) -> Ticks {
        let waits = self.list.iter().filter_map(|meeting| self.last(meeting));
        waits.map(|last| last.begun - last.first).sum::<Ticks>() / (self.list.len().max(1) as Ticks)
    }

    /// The largest difference of two clocks.
    pub(super) fn offset(&self) -> Ticks {
        let ends = (self.ahead.iter().max(), self.ahead.iter().min());
        ends.0.zip(ends.1).map_or(0, |(most, least)| most - least)
    }
}

/// Whether collectives of several devices are one, as far as their numbers in the group say.
fn is_one(input: &RuleInput, calls: &[SliceId]) -> bool {
    let mut numbers = calls.iter().filter_map(|slice| told(input, *slice).sequence);
    numbers.next().is_none_or(|first| numbers.all(|other| other == first))
}

/// Whether the first steps of devices are called the same, where all have steps.
fn have_same_steps(input: &RuleInput, device: &Device, members: &[usize]) -> bool {
    let first = |rank: &usize| {
        let mut own = device.steps.iter().filter(|step| step.rank as usize == *rank);
        own.find_map(|step| step.slice).map(|slice| name_id(input, slice))
    };
    let names: Vec<StrId> = members.iter().filter_map(first).collect();
    names.len() < members.len() || names.iter().all(|name| names.first() == Some(name))
}

/// The collectives that all of some devices recorded: those with one number in the group, else the n-th of steps of one
/// name in which all have as many.
fn common(input: &RuleInput, device: &Device, members: &[usize], own: &[&Vec<Own>]) -> Vec<Meeting> {
    let n: usize = own.iter().map(|list| list.len()).sum();
    let numbers = |list: &&Vec<Own>| -> Option<Vec<(u64, Own)>> {
        list.iter().map(|one| Some((told(input, one.1).sequence?, *one))).collect()
    };
    let numbered = (n <= EACH).then(|| own.iter().map(numbers).collect::<Option<Vec<_>>>()).flatten();
    if let Some(lists) = numbered.filter(|lists| lists.iter().all(|list| !list.is_empty())) {
        return together(&lists);
    }
    let lists: Vec<Vec<(StrId, Own)>> = members
        .iter()
        .zip(own)
        .map(|(rank, list)| {
            let steps = device.steps.iter().filter(|step| step.rank as usize == *rank);
            let steps: Vec<(Span, SliceId)> =
                steps.filter_map(|step| Some((step.span, step.slice?))).collect();
            let step = |one: &&Own| {
                let at = steps.partition_point(|step| step.0.start <= one.2).checked_sub(1)?;
                steps.get(at).filter(|step| one.2 < step.0.end).map(|step| name_id(input, step.1))
            };
            list.iter().filter_map(|one| Some((step(&one)?, *one))).collect()
        })
        .collect();
    together(&lists)
}

/// The collectives that go on at the same time on all devices, each the one that lasts longest during the others: what one
/// device has alone is left out. None where fewer than half of those of the device with fewest meet: clocks differ.
fn at_one_time(own: &[&Vec<Own>]) -> Vec<Meeting> {
    /// Collectives before a time that may still go on.
    const BACK: usize = 8;
    let during = |list: &[Own], span: Span| {
        let end = list.partition_point(|one| one.0.start < span.end);
        let near =
            (end.saturating_sub(BACK)..end).filter_map(|at| Some((list.get(at)?.0.intersect(span), at)));
        let most = near.filter(|(both, _)| both.start < both.end).max_by_key(|(both, _)| both.dur());
        most.map(|(_, at)| at)
    };
    let Some((first, others)) = own.split_first() else { return Vec::new() };
    let meet = |(at, one): (usize, &Own)| -> Option<Meeting> {
        let met = others.iter().map(|list| {
            let other = list.get(during(list, one.0)?)?;
            (during(first, other.0)? == at).then_some((other.0, other.1))
        });
        std::iter::once(Some((one.0, one.1))).chain(met).collect()
    };
    let met: Vec<Meeting> = first.iter().enumerate().filter_map(meet).collect();
    let fewest = own.iter().map(|list| list.len()).min().unwrap_or(0);
    if fewest <= 2 * met.len() { met } else { Vec::new() }
}

/// Those of one key on each device, in order of the first one's, where all have as many.
fn together<K: Copy + Eq + std::hash::Hash>(lists: &[Vec<(K, Own)>]) -> Vec<Meeting> {
    let mut by_key: Vec<Map<K, Vec<Own>>> = Vec::new();
    for list in lists {
        let mut own: Map<K, Vec<Own>> = Map::default();
        for (key, one) in list {
            own.entry(*key).or_default().push(*one);
        }
        by_key.push(own);
    }
    let mut keys: Vec<K> = Vec::new();
    for (key, _) in lists.first().into_iter().flatten() {
        if keys.last() != Some(key) {
            keys.push(*key);
        }
    }
    let mut done: Set<K> = Set::default();
    let mut meetings = Vec::new();
    for key in keys.into_iter().filter(|key| done.insert(*key)) {
        let own: Vec<&Vec<Own>> = by_key.iter().filter_map(|of| of.get(&key)).collect();
        let many = own.first().map_or(0, |list| list.len());
        if own.len() < lists.len() || own.iter().any(|list| list.len() != many) {
            continue;
        }
        let nth = |at: usize| own.iter().filter_map(move |list| list.get(at)).map(|own| (own.0, own.1));
        meetings.extend((0..many).map(|at| nth(at).collect::<Meeting>()));
    }
    meetings
}

/// By how much the clocks of members are ahead of the first one's, by the ends of all meetings; and what most ends differ
/// by then.
fn align(list: &[Meeting], n: usize) -> (Vec<Ticks>, Ticks) {
    let (mut ahead, mut spread) = (Vec::with_capacity(n), 0);
    for at in 0..n {
        let differs = |meeting: &Meeting| Some(meeting.get(at)?.0.end - meeting.first()?.0.end);
        let mut ends: Vec<Ticks> = list.iter().filter_map(differs).collect();
        ends.sort_unstable();
        // Where ends differ in both directions, but for a few on each side, there is no offset that could be told.
        let few = ends.len() * (100 - WITHIN) / 200;
        let sides = (ends.get(few), ends.iter().rev().nth(few));
        let agree = sides.0.zip(sides.1).is_some_and(|(least, most)| *least <= 0 && 0 <= *most);
        let median = if agree { 0 } else { percentile(&ends, 50).round() as Ticks };
        let own = if agree {
            // Then the clocks may be apart by as much as any of these ends.
            sides.0.into_iter().chain(sides.1).map(|end| end.abs()).max().unwrap_or(0)
        } else {
            let mut left: Vec<Ticks> = ends.iter().map(|end| (end - median).abs()).collect();
            left.sort_unstable();
            percentile(&left, WITHIN).round() as Ticks
        };
        spread = spread.max(own);
        ahead.push(median);
    }
    (ahead, spread)
}

/// The groups whose devices meet, on clocks that can be compared.
pub(super) struct Meetings {
    pub(super) groups: Vec<Group>,
    /// How many groups there are, with those that cannot be told.
    pub(super) n_groups: usize,
}

impl Meetings {
    /// Those of a trace with several devices; otherwise why they cannot be told.
    pub(super) fn of(input: &RuleInput, device: &Device) -> Result<Self, Message> {
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
        let found = collectives(input, device);
        if found.iter().all(Vec::is_empty) {
            return Err(message(
                "neither names nor arguments of communication tell a collective in which all devices wait for each other",
            ));
        }
        let (mut left, mut all): (usize, Vec<(Key, Lists)>) = (EACH, Vec::new());
        let mut places: Map<Key, usize> = Map::default();
        let mut why: Option<Message> = None;
        for (stream, list) in device.streams.iter().zip(&found).filter(|(_, list)| !list.is_empty()) {
            let Some(keys) = keys(input, list, &mut left) else {
                why = Some(message(
                    "streams carry collectives of several process groups, too many to read the group of each",
                ));
                continue;
            };
            for ((work, kind), key) in list.iter().zip(keys) {
                let at = *places.entry(key.clone()).or_insert(all.len());
                if at == all.len() {
                    all.push((key, Lists::default()));
                }
                let Some((_, lists)) = all.get_mut(at) else { continue };
                let lists = lists.entry(kind).or_insert_with(|| vec![Vec::new(); device.ranks.len()]);
                if let Some(list) = lists.get_mut(stream.rank as usize) {
                    let time = work.launch.map_or(work.span.start, |launch| launch.time);
                    list.push((work.span, work.slice, time));
                }
            }
        }
        let n_groups = all.len();
        let mut groups = Vec::new();
        for (key, mut lists) in all {
            for list in lists.values_mut().flatten() {
                list.sort_by_key(|own| own.0.start);
            }
            match Group::of(input, device, key, &lists) {
                Ok(group) => groups.push(group),
                Err(reason) => why = Some(why.unwrap_or(reason)),
            }
        }
        match why {
            Some(why) if groups.is_empty() => Err(why),
            _ => Ok(Self { groups, n_groups }),
        }
    }

    /// Whether clocks of devices were aligned for what [`Self::by_slice`] tells.
    pub(super) fn are_aligned(&self) -> bool {
        self.groups.iter().any(|group| group.spread <= group.mean() && group.offset() != 0)
    }

    /// When each communication of a device only waits for the last one, and the number of that one, in groups whose ends
    /// differ by less than that.
    pub(super) fn by_slice(&self, rank: usize) -> Map<SliceId, (Span, usize)> {
        let groups = self.groups.iter().filter(|group| group.spread <= group.mean());
        let waits = groups.filter_map(|group| {
            let who = group.members.iter().position(|member| *member == rank)?;
            Some(group.list.iter().filter_map(move |meeting| {
                let (slice, wait) = group.wait(meeting, who, None)?;
                let last = *group.members.get(group.last(meeting)?.at)?;
                Some((slice, (wait, last)))
            }))
        });
        waits.flatten().collect()
    }
}
