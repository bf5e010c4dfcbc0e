//! Tracks of track events: what descriptors say of them, and their places in the tree.
//!
//! ```text
//! process 5                 descriptor with a process
//! ├── thread 7              descriptor with a thread
//! ├── name                  descriptor whose parent is the process: slices
//! │   └── name              its child
//! └── name                  descriptor with a counter
//! name                      descriptor without a parent
//! ```
//! Siblings of one name are one track, as in Perfetto's UI. Children of threads stand beside them. All descriptors are known
//! before the first event is put on a track.

mod event;
mod flow;

pub(crate) use event::{Around, TrackEvents};

use super::packet::messages::{
    ChromeProcess, CounterDescriptor, ProcessDescriptor, ThreadDescriptor, TrackDescriptor,
};
use super::packet::{Packet, number};
use super::{Names, Source, lossy};
use crate::base::map::{Map, Set};
use crate::base::time::Ticks;
use crate::base::unit::Unit;
use crate::format::Sink;
use crate::model::id::{StrId, TrackId};
use crate::model::track::TrackKind;
use crate::systems::android::systrace::collect::{Collector, shortened};
use crate::systems::perfetto::sequence::Sequence;
use std::iter::successors;

/// Most parents that are followed.
const DEPTH: usize = 64;

/// Who a track is of: texts as threads and processes are found by.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Owner {
    #[default]
    Nobody,
    Process(String),
    Thread(String, String),
}

/// What is known of a track.
#[derive(Clone, Debug, Default)]
pub(crate) struct Described {
    pub(crate) parent: u64,
    /// The number of the descriptor that named this parent.
    parent_since: usize,
    pub(crate) name: String,
    pub(crate) owner: Owner,
    pub(crate) counter: Option<CounterDescriptor>,
    /// Of its children: 2 by their first events, 3 by rank.
    ordering: i32,
    rank: i32,
    has_children: bool,
}

/// All descriptors, by their numbers.
#[derive(Default)]
pub(crate) struct Descriptors {
    rows: Map<u64, Described>,
    /// How many were learned.
    n: usize,
    /// Parents that were taken away, by their tracks.
    cut: Map<u64, u64>,
    /// The processes of a number, the last one being the present one: name and text that it is found by.
    processes: Map<i64, Vec<(String, String)>>,
    /// The same for threads, by the text of the process and the number.
    threads: Map<(String, i64), Vec<(String, String)>>,
}

/// Processes of Chrome by their kinds.
const CHROME: [&str; 9] =
    ["", "Browser", "Renderer", "Utility", "Zygote", "SandboxHelper", "Gpu", "PpapiPlugin", "PpapiBroker"];

impl Descriptors {
    /// Learns a descriptor.
    pub(crate) fn learn(&mut self, said: &TrackDescriptor, names: &mut Names) {
        let owner = match (&said.thread, &said.process) {
            (Some(thread), _) => self.thread(thread, names),
            (None, Some(process)) => self.process(process, said.chrome_process, names),
            (None, None) => Owner::Nobody,
        };
        let name = [&said.name, &said.static_name, &said.atrace_name].into_iter().flatten().next();
        let row = self.rows.entry(said.uuid.unwrap_or(0)).or_default();
        if owner != Owner::Nobody && row.owner == Owner::Nobody {
            row.owner = owner;
        }
        if row.name.is_empty() {
            row.name = lossy(name.map(Vec::as_slice));
        }
        if let Some(parent) = said.parent.filter(|parent| *parent != row.parent) {
            (row.parent, row.parent_since) = (parent, self.n);
        }
        self.n += 1;
        row.counter = said.counter.clone().or(row.counter.take());
        row.ordering = said.child_ordering.unwrap_or(row.ordering);
        row.rank = said.rank.unwrap_or(row.rank);
        if let Some(parent) = said.parent.filter(|parent| *parent != 0 && Some(*parent) != said.uuid) {
            self.rows.entry(parent).or_default().has_children = true;
        }
    }

    /// Cuts circles of parents, each at the link that comes first in the file. All descriptors are known.
    pub(crate) fn cut_circles(&mut self) {
        let parent = |uuid: u64| {
            let row = self.rows.get(&uuid).filter(|row| row.owner == Owner::Nobody && row.parent != 0)?;
            Some(row.parent)
        };
        let since = |uuid: &u64| self.rows.get(uuid).map(|row| row.parent_since);
        // Each track with the one that the walk began at that came by first.
        let mut walks: Map<u64, u64> = Map::default();
        let mut first = Vec::new();
        for start in self.rows.keys().copied() {
            let mut at = Some(start);
            while let Some(uuid) = at.filter(|uuid| !walks.contains_key(uuid)) {
                walks.insert(uuid, start);
                at = parent(uuid);
            }
            let Some(met) = at.filter(|uuid| walks.get(uuid) == Some(&start)) else { continue };
            let circle = successors(Some(met), |uuid| parent(*uuid).filter(|next| *next != met));
            first.extend(circle.min_by_key(since));
        }
        for uuid in first {
            if let Some(row) = self.rows.get_mut(&uuid) {
                self.cut.insert(uuid, std::mem::take(&mut row.parent));
            }
        }
        if self.cut.is_empty() {
            return;
        }
        let parents: Set<u64> = self.rows.values().map(|row| row.parent).collect();
        for parent in self.cut.values().filter(|parent| !parents.contains(parent)) {
            if let Some(row) = self.rows.get_mut(parent) {
                row.has_children = false;
            }
        }
    }

    /// The track and its parent when a packet is the one that says a parent that was taken away.
    pub(crate) fn circle(&mut self, packet: &Packet) -> Option<(u64, u64)> {
        if self.cut.is_empty() || packet.data.as_ref()?.0 != number::TRACK {
            return None;
        }
        let said: TrackDescriptor = packet.message().0;
        let uuid = said.uuid.unwrap_or(0);
        self.cut.get(&uuid).filter(|parent| said.parent == Some(**parent))?;
        self.cut.remove_entry(&uuid)
    }

    /// Whether any track has a name of its own.
    pub(crate) fn has_names(&self) -> bool {
        self.rows.values().any(|row| !row.name.is_empty())
    }

    /// Learns a process; another name than before makes it another process.
    pub(crate) fn process(
        &mut self,
        said: &ProcessDescriptor,
        chrome: Option<ChromeProcess>,
        names: &mut Names,
    ) -> Owner {
        let pid = i64::from(said.pid.unwrap_or(0));
        let mut name = lossy(said.name.as_ref().or(said.cmdline.first()).map(Vec::as_slice));
        if name.is_empty() {
            let kind = chrome.and_then(|chrome| usize::try_from(chrome.kind?).ok());
            name = kind.and_then(|kind| CHROME.get(kind)).copied().unwrap_or_default().into();
        }
        let known = self.processes.entry(pid).or_default();
        let text = again(known, &pid.to_string(), &name);
        if known.len() == 1 {
            names.process(pid, &name, Source::Track);
        }
        Owner::Process(text)
    }

    /// The same for a thread.
    pub(crate) fn thread(&mut self, said: &ThreadDescriptor, names: &mut Names) -> Owner {
        let (pid, tid) = (i64::from(said.pid.unwrap_or(0)), said.tid.unwrap_or(0));
        let process = self.processes.get(&pid).and_then(|known| known.last());
        let process = process.map_or_else(|| pid.to_string(), |(_, text)| text.clone());
        let name = lossy(said.name.as_deref());
        let of = names.threads.get(&tid).map_or(0, |thread| thread.process);
        // Threads of several processes may share a number.
        let is_own = (of == 0 || of == pid) && process == pid.to_string();
        let number = if is_own { tid.to_string() } else { format!("{process}/{tid}") };
        let known = self.threads.entry((process.clone(), tid)).or_default();
        let text = again(known, &number, &name);
        if known.len() == 1 && is_own {
            names.thread(tid, &name, Source::Track);
            names.belongs(tid, pid);
        }
        Owner::Thread(process, text)
    }

    /// The thread of these numbers, as far as descriptors know it.
    pub(crate) fn thread_of(&self, pid: i64, tid: i64) -> Owner {
        let process = self.processes.get(&pid).and_then(|known| known.last());
        let process = process.map_or_else(|| pid.to_string(), |(_, text)| text.clone());
        let thread = self.threads.get(&(process.clone(), tid)).and_then(|known| known.last());
        let thread = thread.map_or_else(|| tid.to_string(), |(_, text)| text.clone());
        Owner::Thread(process, thread)
    }

    /// What is known of a track.
    pub(crate) fn get(&self, uuid: u64) -> Option<&Described> {
        self.rows.get(&uuid)
    }

    /// Hands names to threads and processes that have tracks: those that share a number with others.
    pub(crate) fn name_all(&self, collector: &mut Collector, sink: &mut Sink) {
        for (name, text) in self.processes.values().flatten().filter(|(name, _)| !name.is_empty()) {
            collector.named((text, text, name), true, sink);
        }
    }

    /// Who the track is of, over its parents.
    pub(crate) fn owner(&self, uuid: u64) -> Owner {
        let mut at = uuid;
        for _ in 0..DEPTH {
            let Some(row) = self.rows.get(&at) else { break };
            if row.owner != Owner::Nobody {
                return row.owner.clone();
            }
            at = row.parent;
        }
        Owner::Nobody
    }

    fn thread_name(&self, process: &str, thread: &str) -> &str {
        // `12`, `7/12` or `12 (2)`.
        let number = thread.rsplit('/').next().unwrap_or(thread);
        let number = number.split_once(" (").map_or(number, |(number, _)| number).parse().unwrap_or(0);
        let mut known = self.threads.get(&(process.to_owned(), number)).into_iter().flatten();
        known.find(|(_, text)| text == thread).map_or("", |(name, _)| name)
    }
}

/// The text that something of this number and name is found by: a new one when its name differs from those before.
fn again(known: &mut Vec<(String, String)>, number: &str, name: &str) -> String {
    if let Some(row) = known.iter().position(|(of, _)| of == name || of.is_empty() || name.is_empty()) {
        let mut found = known.remove(row);
        if found.0.is_empty() {
            name.clone_into(&mut found.0);
        }
        known.push(found.clone());
        return found.1;
    }
    let text = if known.is_empty() { number.to_owned() } else { format!("{number} ({})", known.len() + 1) };
    known.push((name.to_owned(), text.clone()));
    text
}

/// Tracks that were made.
#[derive(Default)]
pub(crate) struct Places {
    /// Slices of a track, or samples.
    slices: Map<u64, Option<TrackId>>,
    groups: Map<u64, Option<TrackId>>,
}

impl Places {
    /// The track of a descriptor, made when it is new; `first` is the time and the name of its first event.
    pub(crate) fn track(
        &mut self,
        (uuid, first): (u64, (i64, &str)),
        all: &Descriptors,
        collector: &mut Collector,
        sink: &mut Sink,
    ) -> Option<TrackId> {
        if let Some(track) = self.slices.get(&uuid) {
            return *track;
        }
        let track = self.make((uuid, first), all, collector, sink);
        self.slices.insert(uuid, track);
        track
    }

    fn make(
        &mut self,
        (uuid, (time, first)): (u64, (i64, &str)),
        all: &Descriptors,
        collector: &mut Collector,
        sink: &mut Sink,
    ) -> Option<TrackId> {
        let unknown = Described::default();
        let row = all.get(uuid).unwrap_or(&unknown);
        let name = [row.name.as_str(), first].into_iter().find(|name| !name.is_empty()).unwrap_or("Events");
        match &row.owner {
            Owner::Thread(process, thread) => {
                let of = all.thread_name(process, thread);
                return collector.thread_track((process, thread, of), sink);
            }
            Owner::Process(process) => {
                let group = collector.process_track(process, sink)?;
                let name = if row.name.is_empty() { "Process events" } else { &row.name };
                return collector.track_in(Some(group), TrackKind::Slices, name, sink);
            }
            Owner::Nobody if uuid == 0 => {
                return collector.track_in(None, TrackKind::Slices, "Global events", sink);
            }
            Owner::Nobody => {}
        }
        let at = if row.has_children { (uuid, 0) } else { (row.parent, 1) };
        let group = self.group(at, all, collector, sink);
        let track = match row.counter {
            Some(_) => make_counter(row, group, all, (collector.entry(), sink)),
            None => collector.track_in(group, TrackKind::Slices, name, sink),
        }?;
        if !row.has_children {
            order(all, row, track, time, sink);
        } else if row.counter.is_none() {
            sink.builder.order_track(track, i64::MIN);
        }
        Some(track)
    }

    /// The group that children of a track stand in; `None` for the top.
    fn group(
        &mut self,
        (uuid, depth): (u64, usize),
        all: &Descriptors,
        collector: &mut Collector,
        sink: &mut Sink,
    ) -> Option<TrackId> {
        if let Some(group) = self.groups.get(&uuid) {
            return *group;
        }
        let row = all.get(uuid).filter(|_| uuid != 0 && depth < DEPTH)?;
        let group = match &row.owner {
            Owner::Process(process) | Owner::Thread(process, _) => collector.process_track(process, sink),
            Owner::Nobody => {
                let parent = self.group((row.parent, depth + 1), all, collector, sink);
                let name = if row.name.is_empty() { "Events" } else { &row.name };
                let group = collector.track_in(parent, TrackKind::Group, name, sink);
                if let Some(group) = group {
                    order(all, row, group, i64::MAX, sink);
                }
                group
            }
        };
        self.groups.insert(uuid, group);
        group
    }
}

/// Gives a track its place among its siblings, as their parent says.
fn order(all: &Descriptors, row: &Described, track: TrackId, time: i64, sink: &mut Sink) {
    match all.get(row.parent).filter(|_| row.parent != 0).map_or(0, |parent| parent.ordering) {
        2 => sink.builder.order_track(track, time),
        3 => sink.builder.order_track(track, i64::from(row.rank)),
        _ => {}
    }
}

// Counters of track events: their units, and how their values are meant.

/// A counter that has values.
#[derive(Clone)]
struct Counter {
    track: TrackId,
    name: StrId,
    unit: Unit,
    multiplier: i64,
    is_incremental: bool,
}

/// A value as the file has it.
#[derive(Clone, Copy, Debug)]
enum Amount {
    Number(i64),
    Double(f64),
}

impl Counter {
    /// The counter of a descriptor, on its track.
    pub(crate) fn of(said: &CounterDescriptor, track: TrackId, sink: &Sink) -> Self {
        let name = sink.builder.trace().tracks.get(track).name;
        let is_incremental = said.is_incremental == Some(true);
        let multiplier = said.multiplier.filter(|by| *by != 0).unwrap_or(1);
        Self { track, name, unit: unit(said), multiplier, is_incremental }
    }

    /// Takes a value.
    pub(crate) fn take(
        &self,
        (uuid, time, amount): (u64, Ticks, Amount),
        sequence: &mut Sequence,
        sink: &mut Sink,
    ) {
        let mut value = match amount {
            Amount::Number(number) => number.saturating_mul(self.multiplier) as f64,
            Amount::Double(number) => number * self.multiplier as f64,
        };
        if self.is_incremental {
            let sum = sequence.sums.entry(uuid).or_insert(0.0);
            *sum += value;
            value = *sum;
        }
        sink.builder.sample(self.track, self.name, &self.unit, time, value);
    }
}

fn unit(said: &CounterDescriptor) -> Unit {
    if let Some(name) = said.unit_name.as_deref().filter(|name| !name.is_empty()) {
        return Unit::Other(lossy(Some(name)));
    }
    match (said.unit, said.kind) {
        (Some(1), _) | (None | Some(0), Some(1)) => Unit::Nanos,
        (Some(3), _) => Unit::Bytes,
        (None | Some(0), Some(2)) => Unit::Count("instructions".to_owned()),
        _ => Unit::None,
    }
}

/// Makes the track of a counter; one of a thread stands beside it and bears its name.
fn make_counter(
    row: &Described,
    group: Option<TrackId>,
    all: &Descriptors,
    (entry, sink): (u32, &mut Sink),
) -> Option<TrackId> {
    let kind = row.counter.as_ref().and_then(|counter| counter.kind);
    let name = match kind {
        _ if !row.name.is_empty() => &row.name,
        Some(1) => "Thread time",
        Some(2) => "Thread instructions",
        _ => "Counter",
    };
    let name = sink.builder.intern(shortened(name));
    let track = sink.builder.track(group, TrackKind::Counter, name, entry)?;
    sink.builder.order_track(track, 1 << 40);
    if let Owner::Thread(process, thread) = all.owner(row.parent) {
        let of = all.thread_name(&process, &thread);
        let of = sink.builder.intern(if of.is_empty() { &thread } else { of });
        sink.builder.label_track(track, of);
    }
    Some(track)
}
