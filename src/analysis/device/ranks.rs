//! Which device belongs to which rank. Nothing of different ranks is joined: each has its own steps, and its communication
//! hides under its own computing only.
//!
//! ```text
//! rank    a program, and what it runs on: its file, its process, a device
//! device  groups of tracks of one file that a reader says are one device; otherwise each group is one. Groups of a file
//!         that bear no number are one device too: writers give a device several
//! host    tracks of the same file; where several of its processes launch work, those of the process that launches most
//!         of the device's. A file without a host has that of files without devices of its rank; without numbers of
//!         ranks, where no other file is without one
//! ```

use super::class::{self, Stream};
use super::dialect::Dialect;
use super::gather::Call;
use super::idle::{Gaps, Idle, REASONS, Waited};
use super::making::ROW;
use super::waits::InSteps;
use super::{Device, Taken, Times, device_name};
use crate::analysis::timeline::Timeline;
use crate::base::job::Turn;
use crate::base::map::{Map, Set};
use crate::base::time::{Span, Ticks};
use crate::model::Trace;
use crate::model::id::{StrId, TrackId};
use crate::model::track::Track;

/// The process that a group of tracks belongs to, and the number of the device that it is, if it is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Owner {
    pub process: u64,
    pub device: Option<u64>,
}

/// What readers know of ranks, in `Trace::extensions`.
#[derive(Default)]
pub struct KnownRanks {
    /// Owners of groups.
    pub owners: Map<TrackId, Owner>,
    /// Number of the rank by entry of the bundle.
    pub of_entry: Map<u32, u64>,
    /// How many ranks there are, by entry of the bundle.
    pub world_of_entry: Map<u32, u64>,
}

/// A device with the host that works for it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rank {
    /// What it is called: its rank and its device where there are several.
    pub name: String,
    pub device: String,
    /// When its files were recorded, as far as it is asked for: another rank may have begun earlier or ended later.
    pub span: Span,
    /// Ticks of computing, of communication, and of communication while nothing is computed.
    pub sums: [Ticks; 3],
    /// The same as the writer of the file says; `None` where it says nothing.
    pub stated: Option<[Ticks; 3]>,
    /// How the device as a whole spends its time: idle is what no stream of it works in, by what comes next.
    pub idle: Idle,
    /// Its gaps by reason.
    pub gaps: [Gaps; REASONS],
    /// Those before whose end the host waited for it.
    pub waited: Vec<Waited>,
    /// The same of its steps only; `None` without steps.
    pub in_steps: Option<InSteps>,
    /// From the first to the last work of it.
    pub working: Span,
    /// When some stream of it works, when something is computed, and when something is computed or exchanged.
    pub busy: Times,
    pub compute: Times,
    pub work: Times,
    /// Its steps, and the same as its host marks them.
    pub steps: Times,
    pub marked: Times,
    pub taken: Taken,
    /// Tracks of the host that work for it.
    pub hosts: Vec<TrackId>,
}

impl Rank {
    /// Whether what the writer says differs by more than one part in a thousand.
    pub fn is_contradicted(&self) -> bool {
        let differs = |(ours, theirs): (&Ticks, Ticks)| theirs / 1000 < ours.abs_diff(theirs).cast_signed();
        self.stated.is_some_and(|stated| self.sums.iter().zip(stated).any(differs))
    }
}

/// What makes groups one device.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Key {
    Owned(Owner),
    Numberless,
    Group(TrackId),
}

/// The devices, while it is found out what they do.
pub(super) struct Ranks {
    /// File, key, and the first group of each.
    units: Vec<(u32, Key, TrackId)>,
    /// The unit of each stream.
    pub(super) of_stream: Vec<u32>,
    /// The units that each track of the host works for.
    of_host: Map<TrackId, Vec<u32>>,
    /// Whether a track says what a unit exchanges.
    pub(super) has_exchange: Vec<bool>,
}

impl Ranks {
    /// Puts streams together by their devices.
    pub(super) fn new(trace: &Trace, streams: &[(TrackId, Stream)]) -> Self {
        let mut ranks = Self {
            units: Vec::new(),
            of_stream: Vec::new(),
            of_host: Map::default(),
            has_exchange: Vec::new(),
        };
        let groups = groups(trace, streams);
        let mut known: Map<TrackId, u32> = Map::default();
        for &(id, kind) in streams {
            let group = group_of(trace, id);
            let at = *known.entry(group).or_insert_with(|| {
                let key = (trace.tracks.get(id).entry, key_of(trace, group, &groups));
                let same = ranks.units.iter().position(|unit| (unit.0, unit.1) == key);
                same.unwrap_or_else(|| {
                    ranks.units.push((key.0, key.1, group));
                    ranks.has_exchange.push(false);
                    ranks.units.len() - 1
                }) as u32
            });
            ranks.has_exchange[at as usize] |= kind == Stream::Communication;
            ranks.of_stream.push(at);
        }
        ranks
    }

    /// How many there are; a host without a device is one too.
    pub(super) fn len(&self) -> usize {
        self.units.len().max(1)
    }

    /// Finds the units that tracks of the host work for, by what they launch.
    pub(super) fn find_hosts(
        &mut self,
        (trace, timeline): (&Trace, &Timeline),
        hosts: &[TrackId],
        calls: &[Call],
        stream_of: impl Fn(u32) -> u32,
    ) {
        let mut launches: Map<(u32, TrackId), u64> = Map::default();
        let mut last = (TrackId(u32::MAX), TrackId(0));
        for &(track, _, number) in calls {
            if last.0 != track {
                last = (track, group_of(trace, track));
            }
            if let Some(unit) = self.of_stream.get(stream_of(number) as usize) {
                *launches.entry((*unit, last.1)).or_default() += 1;
            }
        }
        let main: Vec<Option<TrackId>> = (0..self.units.len() as u32)
            .map(|unit| {
                let own = launches.iter().filter(|((of, _), _)| *of == unit);
                own.max_by_key(|((_, group), n)| (**n, std::cmp::Reverse(*group)))
                    .map(|((_, group), _)| *group)
            })
            .collect();
        let with_units: Set<u32> = self.units.iter().map(|unit| unit.0).collect();
        let with_hosts: Set<u32> = hosts.iter().map(|id| trace.tracks.get(*id).entry).collect();
        let known = trace.extensions.get::<KnownRanks>();
        let owner = |group| known.and_then(|known| known.owners.get(&group).copied());
        let number = |entry: u32| known.and_then(|known| known.of_entry.get(&entry).copied());
        let is_only = with_units.difference(&with_hosts).count() == 1;
        let laid_by = |track| timeline.laid_by(trace, track);
        for &host in hosts {
            if self.units.is_empty() {
                self.of_host.insert(host, vec![0]);
                continue;
            }
            let (entry, group) = (trace.tracks.get(host).entry, group_of(trace, host));
            let works_for = |(at, unit): (usize, &(u32, Key, TrackId))| {
                if unit.0 != entry {
                    let is_free = !with_hosts.contains(&unit.0) && !with_units.contains(&entry);
                    let is_its = match (number(unit.0), number(entry)) {
                        (Some(of_unit), Some(of_host)) => of_unit == of_host,
                        _ => is_only,
                    };
                    return is_free && is_its && laid_by(unit.2) == laid_by(host);
                }
                match (unit.1, owner(group)) {
                    (Key::Owned(own), Some(other)) => own.process == other.process,
                    _ => {
                        let others = self.units.iter().zip(&main).filter(|(other, _)| other.0 == entry);
                        let mut mains = others.filter_map(|(_, main)| *main);
                        let is_one = mains.next().is_none_or(|first| mains.all(|other| other == first));
                        is_one || main[at].is_none_or(|main| main == group)
                    }
                }
            };
            let of = self.units.iter().enumerate().filter(|unit| works_for(*unit)).map(|(at, _)| at as u32);
            let of: Vec<u32> = of.collect();
            self.of_host.insert(host, of);
        }
    }

    /// The units that a track of the host works for.
    pub(super) fn of_host(&self, track: TrackId) -> &[u32] {
        self.of_host.get(&track).map_or(&[], Vec::as_slice)
    }

    /// What they are called, without sums.
    pub(super) fn named(&self, trace: &Trace) -> Vec<Rank> {
        let known = trace.extensions.get::<KnownRanks>();
        let device = |(_, key, group): &(u32, Key, TrackId)| {
            let (name, label) = (device_name(trace, *group), trace.tracks.get(*group).label);
            match (key, trace.strings.get(label).trim()) {
                (Key::Owned(Owner { device: Some(n), .. }), label) if !label.is_empty() => {
                    format!("{label} {n}")
                }
                _ => name,
            }
        };
        let mut ranks: Vec<Rank> =
            self.units.iter().map(|unit| Rank { device: device(unit), ..Rank::default() }).collect();
        let is_many = 1 < ranks.len();
        if ranks.is_empty() {
            ranks.push(Rank::default());
        }
        let file = |unit: &(u32, Key, TrackId)| {
            let parent = |id: TrackId| trace.tracks.get(id).parent;
            std::iter::successors(parent(unit.2), |id| parent(*id)).last()
        };
        // Names of files that say the rank are long; where each says another one it is enough.
        let mut said: Map<u32, Option<u64>> = Map::default();
        for unit in &self.units {
            let name = file(unit).map_or("", |file| trace.strings.get(trace.tracks.get(file).name));
            said.entry(unit.0).or_insert_with(|| rank_in(name));
        }
        let numbers: Set<u64> = said.values().filter_map(|number| *number).collect();
        let are_said = numbers.len() == said.len() && known.is_none_or(|known| known.of_entry.is_empty());
        for ((at, rank), unit) in (0..).zip(&mut ranks).zip(&self.units) {
            let in_name = said.get(&unit.0).copied().flatten().filter(|_| are_said);
            let of_entry = known.and_then(|known| known.of_entry.get(&unit.0)).copied().or(in_name);
            let above = file(unit);
            let rank_name = match (of_entry, above) {
                (Some(n), _) => format!("rank {n}"),
                (None, Some(file)) => trace.strings.get(trace.tracks.get(file).name).trim().to_owned(),
                (None, None) => self.host_name(trace, unit.0, at),
            };
            let parts = [rank_name.as_str(), rank.device.as_str()];
            let parts: Vec<&str> = parts.into_iter().filter(|part| is_many && !part.is_empty()).collect();
            rank.name = if is_many { parts.join(" / ") } else { rank.device.clone() };
        }
        for at in 0..ranks.len() {
            let n = ranks[..at].iter().filter(|other| other.name == ranks[at].name).count();
            if 0 < n {
                ranks[at].name = format!("{} #{}", ranks[at].name, n + 1);
            }
        }
        ranks
    }

    /// The tracks of the host that work for each rank, and when the files of it were recorded: that of the device and those
    /// of the host.
    pub(super) fn record(&self, trace: &Trace, timeline: &Timeline, asked: Span, ranks: &mut [Rank]) {
        let (files, has_marks) = (extents(trace, timeline, |id| timeline.shift_of(id)), has_marks(trace));
        for (at, rank) in (0..).zip(ranks) {
            let of_host = self.of_host.iter().filter(|(_, of)| of.contains(&at));
            rank.hosts = of_host.map(|(id, _)| *id).collect();
            rank.hosts.sort_unstable();
            let mut entries: Set<u32> = rank.hosts.iter().map(|id| trace.tracks.get(*id).entry).collect();
            entries.extend(self.units.get(at as usize).map(|unit| unit.0));
            let is_all = !has_marks && files.keys().all(|entry| entries.contains(entry));
            let own = entries.iter().filter_map(|entry| files.get(entry).copied()).reduce(Span::union);
            rank.span = own.filter(|_| !is_all).map_or(asked, |own| own.intersect(asked));
        }
    }

    /// The process of the host that a unit has for itself, where its file has several.
    fn host_name(&self, trace: &Trace, entry: u32, unit: u32) -> String {
        let groups = |unit: Option<u32>| -> Set<TrackId> {
            let of = self.of_host.iter().filter(|(id, of)| {
                trace.tracks.get(**id).entry == entry && unit.is_none_or(|unit| of.contains(&unit))
            });
            of.map(|(id, _)| group_of(trace, *id)).collect()
        };
        let own = groups(Some(unit));
        match own.iter().min() {
            Some(&group) if own.len() < groups(None).len() => {
                let track = trace.tracks.get(group);
                let parts = [track.name, track.label].map(|id| trace.strings.get(id).trim());
                let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
                parts.join(" ")
            }
            _ => String::new(),
        }
    }

    /// The tracks on which the writer says what a unit adds up to: its number, which of the sums, the track.
    pub(super) fn stated(&self, trace: &Trace) -> Vec<(u32, usize, TrackId)> {
        let said = &Dialect::of(trace).stated;
        if said.group.is_empty() {
            return Vec::new();
        }
        let small = |id| trace.strings.get(id).trim().to_ascii_lowercase();
        let of_track = |(id, track): (TrackId, &Track)| {
            let group = track.parent.filter(|group| small(trace.tracks.get(*group).name) == said.group)?;
            let name = small(track.name);
            let part =
                [said.compute, said.communication, said.exposed].iter().position(|own| *own == name)?;
            let owner =
                trace.extensions.get::<KnownRanks>().and_then(|known| known.owners.get(&group).copied());
            let mut units = (0..).zip(&self.units).filter(|(_, unit)| unit.0 == track.entry);
            let unit = match owner {
                Some(owner) => units.find(|(_, unit)| unit.1 == Key::Owned(owner)),
                None => units.next().filter(|_| units.next().is_none()),
            };
            unit.map(|(unit, _)| (unit, part, id))
        };
        // A part that has no track is 0: writers leave out what there is none of.
        trace.tracks.iter().filter_map(of_track).collect()
    }
}

/// The rank that the name of a file says: `level0_rank1_trace_view.json` is of rank 1.
fn rank_in(name: &str) -> Option<u64> {
    let name = name.to_ascii_lowercase();
    let (_, behind) = name.rsplit_once("rank")?;
    let digits = behind.trim_start_matches(['_', '-', '=', ' ']);
    let n = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    digits.get(..n)?.parse().ok()
}

/// Whether a track only says when recording began or ended: that may be long before or after anything was recorded.
pub fn is_mark(trace: &Trace, track: &Track) -> bool {
    let words = Dialect::of(trace);
    let is_named = |name: &StrId| words.marks.fit(&trace.strings.get(*name).to_ascii_lowercase());
    let (groups, category) = words.recordings;
    let (slices, text) = (&track.slices, |id: StrId| trace.strings.get(id));
    let is_recording = || {
        let group = track.parent.and_then(|id| trace.tracks.find(id));
        group.is_some_and(|group| groups.contains(&text(group.name)))
            && (0..slices.len()).all(|row| text(slices.category_of(row)) == category)
    };
    let is_any = !slices.is_empty() || !track.instants.is_empty();
    is_any
        && track.series.is_empty()
        && (slices.is_empty() || is_recording())
        && track.instants.name.iter().all(is_named)
}

/// Whether a track is of a group in which the writer of the file says what it added up.
pub fn is_stated(trace: &Trace, id: TrackId) -> bool {
    let group = trace.tracks.find(id).and_then(|track| trace.tracks.find(track.parent?));
    let name = group.map_or("", |group| trace.strings.get(group.name).trim());
    !name.is_empty() && name.eq_ignore_ascii_case(Dialect::of(trace).stated.group)
}

fn has_marks(trace: &Trace) -> bool {
    trace.tracks.iter().any(|(_, track)| is_mark(trace, track))
}

/// From the first to the last time of each file, each track later by so much; marks of the recording do not count.
fn extents(trace: &Trace, timeline: &Timeline, by: impl Fn(TrackId) -> Ticks) -> Map<u32, Span> {
    let mut files: Map<u32, Span> = Map::default();
    for (id, track) in trace.tracks.iter().filter(|(_, track)| !is_mark(trace, track)) {
        if let Some(own) = timeline.extent(trace, id) {
            let own = own.shifted(by(id));
            files.entry(track.entry).and_modify(|all| *all = all.union(own)).or_insert(own);
        }
    }
    files
}

/// When the files of a rank were recorded, by the file, not shifted: a device's with the host that works for it, as
/// [`Ranks::record`] has it. Files that are of no rank are left out, and all where there is but one without marks of the
/// recording.
pub fn recorded(trace: &Trace, timeline: &Timeline) -> Map<u32, Span> {
    let mut files = extents(trace, timeline, |_| 0);
    if files.len() < 2 {
        return if has_marks(trace) { files } else { Map::default() };
    }
    let (streams, words) = (timeline.streams(), Dialect::of(trace));
    let on_streams = trace.tracks.iter().filter(|(id, _)| streams.kind(*id).is_some());
    let (groups, with_streams): (Set<Option<TrackId>>, Set<u32>) =
        on_streams.map(|(_, track)| (track.parent, track.entry)).unzip();
    let is_beside = |track: &Track| track.parent.is_some() && groups.contains(&track.parent);
    let is_host = |(id, track): &(TrackId, &Track)| {
        !track.slices.is_empty()
            && streams.kind(*id).is_none()
            && class::is_host(trace, words, *id, || is_beside(track))
    };
    let with_hosts: Set<u32> = trace.tracks.iter().filter(is_host).map(|(_, track)| track.entry).collect();
    let of_ranks = trace.extensions.get::<KnownRanks>().map(|known| &known.of_entry);
    // Devices without a host in their file have those of files without devices.
    let is_hostless = |entry: &u32| with_streams.contains(entry) && !with_hosts.contains(entry);
    let is_deviceless = |entry: &u32| with_hosts.contains(entry) && !with_streams.contains(entry);
    let union = |of: &dyn Fn(&u32) -> bool| {
        files.iter().filter(|(entry, _)| of(entry)).map(|(_, own)| *own).reduce(Span::union)
    };
    let (devices, hosts) = (union(&is_hostless), union(&is_deviceless));
    files.retain(|entry, own| {
        if let Some(others) = hosts.filter(|_| is_hostless(entry)) {
            *own = own.union(others);
        } else if let Some(others) = devices.filter(|_| is_deviceless(entry)) {
            *own = hosts.map_or(others, |hosts| hosts.union(others));
        } else {
            return with_streams.contains(entry) || of_ranks.is_some_and(|of| of.contains_key(entry));
        }
        true
    });
    files
}

fn group_of(trace: &Trace, id: TrackId) -> TrackId {
    trace.tracks.find(id).and_then(|track| track.parent).unwrap_or(id)
}

/// The groups of streams with their files and names.
fn groups(trace: &Trace, streams: &[(TrackId, Stream)]) -> Vec<(TrackId, u32, String)> {
    let all: Set<TrackId> = streams.iter().map(|(id, _)| group_of(trace, *id)).collect();
    all.into_iter().map(|id| (id, trace.tracks.get(id).entry, device_name(trace, id))).collect()
}

fn key_of(trace: &Trace, group: TrackId, groups: &[(TrackId, u32, String)]) -> Key {
    let owner = trace.extensions.get::<KnownRanks>().and_then(|known| known.owners.get(&group));
    if let Some(owner) = owner.filter(|owner| owner.device.is_some()) {
        return Key::Owned(*owner);
    }
    let name = device_name(trace, group);
    let is_numbered = name.contains(|c: char| c.is_ascii_digit());
    // Two of one name are two devices.
    let entry = trace.tracks.get(group).entry;
    let alike = groups.iter().filter(|(_, of, other)| *of == entry && *other == name).count();
    if is_numbered || 1 < alike { Key::Group(group) } else { Key::Numberless }
}

/// Adds up what the writer of a file says of ranks, on these tracks: rank, which of the sums, track.
pub(super) async fn state(
    (trace, timeline): (&Trace, &Timeline),
    tracks: &[(u32, usize, TrackId)],
    of: &mut Device,
    turn: &Turn,
) {
    for &(unit, part, id) in tracks {
        let (slices, by) = (&trace.tracks.get(id).slices, timeline.shift_of(id));
        let mut until = Ticks::MIN;
        let mut sum: Ticks = 0;
        for row in 0..slices.len() {
            let inside = slices.span(row).shifted(by).intersect(of.span);
            sum = sum.saturating_add(inside.end.saturating_sub(inside.start.max(until)).max(0));
            until = until.max(inside.end);
            if turn.is_over(ROW) {
                turn.pause().await;
            }
        }
        if let Some(rank) = of.ranks.get_mut(unit as usize) {
            rank.stated.get_or_insert_default()[part] = sum;
        }
    }
}
