//! What the processors did, from rows of the kernel: which thread ran (`sched_switch`), how fast (`cpu_frequency`), and
//! every other event of it.

use super::threads::Group;
use super::{Collector, RowPlace, shortened};
use crate::base::map::Map;
use crate::base::order;
use crate::base::time::Ticks;
use crate::base::unit::Unit;
use crate::format::Sink;
use crate::model::id::{StrId, TrackId};
use crate::model::slice::SliceRow;
use crate::model::strings::Strings;
use crate::model::track::{Role, TrackKind};

/// What runs on each processor.
#[derive(Default)]
pub(crate) struct Kernel {
    running: Map<u32, Running>,
    tracks: Map<u32, TrackId>,
}

/// A thread that got a processor.
#[derive(Clone, Copy)]
struct Running {
    since: Ticks,
    name: StrId,
    place: RowPlace,
}

impl Collector {
    /// A processor goes over to another thread; `next` is its number and name, a thread with the number 0 is idling.
    pub(crate) fn sched_switch(
        &mut self,
        cpu: u32,
        (pid, comm): (&str, &str),
        time: Ticks,
        place: RowPlace,
        sink: &mut Sink,
    ) {
        self.schedules(time);
        if let Some(before) = self.kernel.running.remove(&cpu) {
            self.ran(cpu, before, time, sink);
        }
        if pid != "0" {
            let name = sink.builder.intern(shortened(comm));
            self.kernel.running.insert(cpu, Running { since: time, name, place });
        }
    }

    /// A processor changes its frequency, in kHz.
    pub(crate) fn cpu_frequency(&mut self, cpu: u32, kilohertz: f64, time: Ticks, sink: &mut Sink) {
        let name = format!("CPU {cpu} frequency");
        self.of_cpu(&name, &Unit::Megahertz, (time, kilohertz / 1000.0), sink);
    }

    /// A value of a counter beside those of the processors, with its time.
    pub(crate) fn of_cpu(&mut self, name: &str, unit: &Unit, (time, value): (Ticks, f64), sink: &mut Sink) {
        self.time(time);
        let name = sink.builder.intern(name);
        if let Some(track) = self.of_processors(TrackKind::Counter, name, sink) {
            sink.builder.sample(track, name, unit, time, value);
        }
    }

    /// A value of a counter of a GPU, with its time.
    pub(crate) fn of_gpu(&mut self, name: &str, unit: &Unit, (time, value): (Ticks, f64), sink: &mut Sink) {
        self.time(time);
        let name = sink.builder.intern(name);
        let group = self.threads.group(Group::Gpus, sink);
        if let Some(track) = group.and_then(|of| self.threads.other(Some(of), TrackKind::Counter, name, sink))
        {
            sink.builder.sample(track, name, unit, time, value);
        }
    }

    /// Something that a processor did for a while, on a track of this name.
    pub(crate) fn on_cpu(&mut self, name: &str, row: SliceRow, sink: &mut Sink) {
        let name = sink.builder.intern(name);
        if let Some(track) = self.of_processors(TrackKind::Slices, name, sink) {
            sink.builder.role_track(track, Role::Interrupts, Strings::EMPTY);
            sink.builder.slice(track, row);
        }
    }

    /// Any other event: an instant with arguments. The thread is told by its number, its name and its process, which may be
    /// empty.
    pub(crate) fn event(
        &mut self,
        name: &str,
        thread: (&str, &str, &str),
        time: Ticks,
        place: RowPlace,
        sink: &mut Sink,
    ) {
        self.time(time);
        let (pid, name_of, process) = thread;
        let track = self.event_track((process, pid, name_of), sink);
        let Some(track) = track else { return self.report_tracks(sink) };
        let name = sink.builder.intern(shortened(name));
        sink.builder.instant(track, time, name, Strings::EMPTY, (place.start, place.len));
    }

    fn ran(&mut self, cpu: u32, running: Running, end: Ticks, sink: &mut Sink) {
        let track = self.kernel.tracks.get(&cpu).copied().or_else(|| {
            let name = sink.builder.intern(&format!("CPU {cpu}"));
            let track = self.of_processors(TrackKind::Slices, name, sink)?;
            sink.builder.role_track(track, Role::Processor, Strings::EMPTY);
            Some(track)
        });
        let Some(track) = track else { return };
        self.kernel.tracks.insert(cpu, track);
        let row = SliceRow {
            detail_start: running.place.start,
            detail_len: running.place.len,
            ..SliceRow::new(running.since, end.saturating_sub(running.since), running.name)
        };
        sink.builder.slice(track, row);
    }

    fn of_processors(&mut self, kind: TrackKind, name: StrId, sink: &mut Sink) -> Option<TrackId> {
        let group = self.threads.group(Group::Processors, sink)?;
        self.threads.other(Some(group), kind, name, sink)
    }

    /// What still runs, runs to the end of scheduling.
    pub(super) fn finish_kernel(&mut self, end: Ticks, sink: &mut Sink) {
        let running = std::mem::take(&mut self.kernel.running);
        let mut running: Vec<_> = running.into_iter().collect();
        order::sort_by_key(&mut running, |(cpu, _)| *cpu);
        for (cpu, running) in running {
            self.ran(cpu, running, end, sink);
        }
    }
}
