//! Events of a processor, as the second pass takes them.

use super::{Second, out_of_range};
use crate::base::fault::{Fault, Kind, Severity};
use crate::base::time::Ticks;
use crate::base::words::message;
use crate::format::sink::Sink;
use crate::model::strings::Strings;
use crate::systems::android::systrace::collect::{BinderStep, RowPlace, shortened};
use crate::systems::perfetto::clock::BOOT;
use crate::systems::perfetto::first::First;
use crate::systems::perfetto::ftrace::{Described, Event, mark_of};
use crate::systems::perfetto::packet::Packet;
use crate::systems::perfetto::packet::messages::Bundle;
use crate::systems::perfetto::packet::walk::Spot;
use crate::systems::perfetto::sequence::text;

impl Second {
    /// Takes the events of a processor.
    pub(super) fn bundle(
        &mut self,
        bundle: &Bundle,
        packet: &Packet,
        spot: &Spot,
        sink: &mut Sink,
    ) -> Result<(), String> {
        self.say(bundle, spot, sink);
        let (cpu, sequence) = (bundle.cpu.unwrap_or(0), packet.sequence);
        for (nth, bytes) in bundle.event.iter().enumerate() {
            let event = Event::read(bytes)?;
            let Some(time) = self.first.clocks.time(event.time, BOOT, 0) else {
                out_of_range(event.time, spot, sink);
                continue;
            };
            let time = time.unwrap_or_else(|time| time);
            self.collector.time(time);
            let function = |id| {
                let known =
                    self.sequences.get(&sequence).and_then(|sequence| sequence.text(text::FUNCTION, id));
                known.map_or(format!("{id:#x}"), |id| sink.builder.trace().strings.get(id).to_owned())
            };
            let place = spot.part(nth, bytes);
            let is_shown = match mark_of(&event, function) {
                Some(mark) => {
                    let with = (&self.first.names, &mut self.collector);
                    self.rows.take((&event, time, &mark), spot.range(&mark), with, sink);
                    true
                }
                None => {
                    let with = (&self.first.names, &mut self.collector);
                    self.kernel.event(&event, (cpu, time, row_place(place)), with, sink)
                }
            };
            let is_shown = is_shown || self.binder(&event, time, place, sink);
            if !is_shown && event.kind != Event::TASK_RENAME {
                self.other_event(&event, time, place, sink);
            }
        }
        if let Some(compact) = &bundle.compact {
            let First { clocks, names, .. } = &mut self.first;
            let (n, priorities) = (packet.events().count(), packet.priorities().collect::<Vec<_>>());
            let place_of = |row: usize| Some(row_place(spot.part(n + row, priorities.get(row)?)));
            let place = |row| place_of(row).unwrap_or_default();
            self.kernel.compact(cpu, (compact, &place), (clocks, names, &mut self.collector), sink);
        }
        Ok(())
    }

    /// Takes a transaction between processes, sent or received; false when it is something else.
    fn binder(&mut self, event: &Event, time: Ticks, place: (u64, u32), sink: &mut Sink) -> bool {
        let step = match event.kind {
            Event::BINDER_TRANSACTION => {
                BinderStep::Sent { is_reply: event.number(5) != 0, is_one_way: event.number(7) & 1 != 0 }
            }
            Event::BINDER_RECEIVED => BinderStep::Received,
            _ => return false,
        };
        let tid = i64::from(event.pid);
        let (process, name) = self.first.names.of(tid);
        let number = tid.to_string();
        let thread = (&*process, &*number, name);
        self.collector.binder(thread, (event.number(1), step), (time, row_place(place)), sink);
        true
    }

    /// An event that nothing else is made of: an instant, as in the text of a trace.
    fn other_event(&mut self, event: &Event, time: Ticks, place: (u64, u32), sink: &mut Sink) {
        let tid = i64::from(event.pid);
        let track = *self.event_tracks.entry(tid).or_insert_with(|| {
            let (process, name) = self.first.names.of(tid);
            self.collector.event_track((&process, &tid.to_string(), name), sink)
        });
        let Some(track) = track else { return self.collector.report_tracks(sink) };
        let name = match self.event_names.get(&event.kind) {
            Some(&name) => name,
            None => {
                let name = sink.builder.intern(shortened(&self.first.events.name(event)));
                // Generic ones have a name each.
                if !Described::names_itself(event) {
                    self.event_names.insert(event.kind, name);
                }
                name
            }
        };
        sink.builder.instant(track, time, name, Strings::EMPTY, place);
    }

    /// Tells what is odd about a bundle.
    fn say(&mut self, bundle: &Bundle, spot: &Spot, sink: &mut Sink) {
        let cpu = bundle.cpu.unwrap_or(0);
        let fault = |code, severity, expected: &'static str, found| {
            let kind = Kind::Unexpected { expected: expected.into(), found };
            Fault::new(code, severity, spot.place.clone(), kind)
        };
        if bundle.lost_events == Some(true) {
            let fault =
                fault("PFT-LOST", Severity::Loss, "all rows", message("some of CPU {n} lost").with("n", cpu));
            sink.fault(fault.note("The kernel buffer was full; scopes may lack their begin or end."));
        }
        let clock = bundle.ftrace_clock.filter(|clock| *clock != 0);
        if let Some(clock) = clock.filter(|clock| self.kernel_clocks.insert(*clock)) {
            let name = match clock {
                2 => "global",
                3 => "local",
                4 => "mono_raw",
                _ => "unknown",
            };
            let found = message("events by the clock {clock} ({name}) on CPU {n}");
            let found = found.with("clock", clock).with("name", name).with("n", cpu);
            let fault = fault("PFT-CLOCK", Severity::Note, "boot clock times", found);
            sink.fault(fault.note("Times are shown unchanged."));
        }
    }
}

fn row_place((start, len): (u64, u32)) -> RowPlace {
    RowPlace { line: 0, start, len }
}
