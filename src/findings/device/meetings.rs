//! Process groups, and when their devices meet in a collective, on clocks that are made comparable.
//!
//! ```text
//! group    what arguments say: the name of a process group and its ranks; without them all devices are one group
//! meeting  communications of all devices of a group that are one collective, see [`pairs`]
//! clock    a collective ends on all devices at once: by what the ends of a device differ from those of the first one, in
//!          the median over all meetings of the group, its clock is ahead; where some end sooner and some later, clocks agree
//!          as far as that tells. What is left of the differences is the spread
//! ```
//! None can end on any device before the last one has begun it. Until the last one has begun it the others only wait,
//! which is no time of communication.

use super::exchange::{CALLS, Told, told};
use super::pairing::{Paired, pairs};
use super::ranks::LAST;
use super::{devices, name_id};
use crate::analysis::device::class::collective;
use crate::analysis::device::{Class, Device, Rank, Work};
use crate::base::map::Map;
use crate::base::order::percentile;
use crate::base::time::{Span, Ticks, Total};
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
pub(super) type Own = (Span, SliceId, Ticks);

/// The collectives of a group: by kind and rank, in order of time.
pub(super) type Lists = Map<&'static str, Vec<Vec<Own>>>;

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
        let Paired { list, all: many, is_said } = pairs(input, device, &members, lists);
        if list.is_empty() {
            return Err(message(
                "it cannot be told which collectives of the devices belong together: neither numbers, names, sizes, steps nor end times say so",
            ));
        }
        if (list.len() as f64) < LAST.limit(3) {
            return Err(message("{n} collectives of a group are too few to align the clocks of its devices")
                .with("n", list.len()));
        }
        let (ahead, spread) = align(&list, members.len());
        let mut group = Self { key, members, list, all: many, ahead, spread, wrong: 0 };
        group.wrong = group.list.iter().filter(|meeting| is_wrong(meeting, &group.ahead)).count();
        let all = group.list.len();
        if LAST.limit(2) * (all as f64) < group.wrong as f64 {
            let said = if is_said {
                message(
                    "{n} of {all} collectives end on some device before the last device starts them: the device clocks differ",
                )
            } else {
                message(
                    "{n} of {all} collectives end on some device before the last device starts them: in whatever order they are paired, some do not belong together",
                )
            };
            return Err(said.with("n", group.wrong).with("all", all));
        }
        Ok(group)
    }

    /// How far the clock of a member is ahead.
    pub(super) fn ahead(&self, at: usize) -> Ticks {
        self.ahead.get(at).copied().unwrap_or(0)
    }

    /// By how much the clock of the first member is ahead, where that of any member is known.
    fn known(&self, of_ranks: &Map<usize, Ticks>) -> Option<Ticks> {
        let mut members = self.members.iter().enumerate();
        members.find_map(|(at, rank)| Some(of_ranks.get(rank)? - self.ahead(at)))
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
        waits.map(|last| last.begun - last.first).total() / (self.list.len().max(1) as Ticks)
    }

    /// The largest difference of two clocks.
    pub(super) fn offset(&self) -> Ticks {
        let ends = (self.ahead.iter().max(), self.ahead.iter().min());
        ends.0.zip(ends.1).map_or(0, |(most, least)| most - least)
    }
}

/// By how much the clocks of members are ahead of the first one's, by the ends of all meetings; and what most ends differ
/// by then.
pub(super) fn align(list: &[Meeting], n: usize) -> (Vec<Ticks>, Ticks) {
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
            // Of few ends all lie within: what is between two of them would hold for less than it says.
            let enough = (left.len() * WITHIN).div_ceil(100).saturating_sub(1);
            left.get(enough).copied().unwrap_or(0)
        };
        spread = spread.max(own);
        ahead.push(median);
    }
    (ahead, spread)
}

/// Whether a meeting ends on some device before the last one begins it, on clocks that are ahead by so much.
pub(super) fn is_wrong(meeting: &Meeting, ahead: &[Ticks]) -> bool {
    let aligned = || meeting.iter().zip(ahead).map(|((span, _), ahead)| span.shifted(-ahead));
    let begun = aligned().map(|span| span.start).max();
    begun.is_some_and(|begun| aligned().any(|span| span.end < begun))
}

/// By how much the clocks of files with devices and their hosts are ahead of a first one's, as far as their collectives say
/// so; empty where none does.
pub fn clocks(input: &RuleInput) -> Map<u32, Ticks> {
    let Some(device) = devices(input).filter(|device| 1 < device.ranks.len()) else { return Map::default() };
    let Ok(Meetings { mut groups, .. }) = Meetings::of(input, device) else { return Map::default() };
    // Groups tell of each other's clocks where they have a device in common.
    let mut of_ranks: Map<usize, Ticks> = Map::default();
    while !groups.is_empty() {
        let group =
            groups.remove(groups.iter().position(|group| group.known(&of_ranks).is_some()).unwrap_or(0));
        let by = group.known(&of_ranks).unwrap_or(0);
        for (at, rank) in group.members.iter().enumerate() {
            of_ranks.entry(*rank).or_insert(by + group.ahead(at));
        }
    }
    let on_streams = device.streams.iter().map(|stream| (stream.rank as usize, stream.track));
    let on_hosts = (0..).zip(&device.ranks).flat_map(|(at, rank)| rank.hosts.iter().map(move |id| (at, *id)));
    let mut of_files: Map<u32, Ticks> = Map::default();
    for (rank, track) in on_streams.chain(on_hosts) {
        if let Some((by, track)) = of_ranks.get(&rank).zip(input.trace.tracks.find(track)) {
            of_files.entry(track.entry).or_insert(*by);
        }
    }
    of_files
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
                    // What was launched before steps that are taken by what they launch is of none.
                    let is_by_launch = |rank: &Rank| rank.taken.lag.is_some();
                    let is_before = device.ranks.get(stream.rank as usize).is_some_and(is_by_launch);
                    let begun = if is_before { Ticks::MIN } else { work.span.start };
                    let time = work.launch.map_or(begun, |launch| launch.time);
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

    /// The communications of a device that meet others: how many devices of their group do, and how many it has; 0 where
    /// that is not said.
    pub(super) fn met(&self, rank: usize) -> Map<SliceId, [usize; 2]> {
        let own = self.groups.iter().filter_map(|group| {
            let who = group.members.iter().position(|member| *member == rank)?;
            let of = [group.members.len(), group.key.size];
            Some(group.list.iter().filter_map(move |meeting| Some((meeting.get(who)?.1, of))))
        });
        own.flatten().collect()
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
