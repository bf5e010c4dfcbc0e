//! The second pass over a trace: events become rows.

mod bundle;
mod others;

use crate::base::fault::{Fault, Kind, Place, Severity};
use crate::base::map::{Map, Set};
use crate::base::order;
use crate::base::time::Ticks;
use crate::format::sink::Sink;
use crate::model::id::{StrId, TrackId};
use crate::systems::android::systrace::collect::{Collector, Options};
use crate::systems::perfetto::clock::MONOTONIC;
use crate::systems::perfetto::first::First;
use crate::systems::perfetto::ftrace::{Described, Kernel, Rows};
use crate::systems::perfetto::gpu::{GpuCounters, Gpus};
use crate::systems::perfetto::packet::messages::{ThreadDescriptor, TrackDescriptor, TrackEvent};
use crate::systems::perfetto::packet::walk::Spot;
use crate::systems::perfetto::packet::{Packet, names, number};
use crate::systems::perfetto::samples::Samples;
use crate::systems::perfetto::sequence::{Arguments, Sequence};
use crate::systems::perfetto::services::Frames;
use crate::systems::perfetto::stats::Rails;
use crate::systems::perfetto::track::{Around, TrackEvents};

/// The state of the second pass.
pub(crate) struct Second {
    path: String,
    entry: u32,
    first: First,
    collector: Collector,
    sequences: Map<u32, Sequence>,
    rows: Rows,
    kernel: Kernel,
    events: TrackEvents,
    gpus: Gpus,
    rails: Rails,
    frames: Frames,
    samples: Samples,
    /// Packets that are not shown, by their numbers.
    other_packets: Map<u64, u64>,
    /// Tracks of threads, and names, of events of the kernel that nothing else is made of.
    event_tracks: Map<i64, Option<TrackId>>,
    event_names: Map<u64, StrId>,
    /// Clocks that were said: of the kernel, and of packets.
    kernel_clocks: Set<i32>,
    clocks: Set<u32>,
}

impl Second {
    pub(crate) fn new(mut options: Options, mut first: First, sink: &mut Sink) -> Self {
        options.is_general = first.survey.n_threads() == 0;
        let survey = std::mem::take(&mut first.survey);
        sink.builder.head().extensions.get_or_default::<Described>().extend(first.events.clone());
        Self {
            path: options.path.clone(),
            entry: options.entry,
            collector: Collector::new(options, survey, sink),
            first,
            sequences: Map::default(),
            rows: Rows::default(),
            kernel: Kernel::default(),
            events: TrackEvents::default(),
            gpus: Gpus::default(),
            rails: Rails::default(),
            frames: Frames::default(),
            samples: Samples::default(),
            other_packets: Map::default(),
            event_tracks: Map::default(),
            event_names: Map::default(),
            kernel_clocks: Set::default(),
            clocks: Set::default(),
        }
    }

    /// Takes a packet.
    pub(crate) fn packet(&mut self, packet: &Packet, spot: &Spot, sink: &mut Sink) {
        let place = spot.whole();
        if place.1 == 0 {
            Arguments::packed(sink, (self.entry, spot.start, spot.end));
        }
        let sequence = self.sequences.entry(packet.sequence).or_default();
        if !sequence.take(packet, (self.entry, place.0), sink) {
            sink.builder.drop_row("packets that rely on lost ones");
            return;
        }
        if let Err(error) = self.message(packet, spot, sink) {
            sink.fault(broken(spot, error));
        }
    }

    /// What the packet is about.
    fn message(&mut self, packet: &Packet, spot: &Spot, sink: &mut Sink) -> Result<(), String> {
        let Some((kind, bytes)) = &packet.data else { return Ok(()) };
        match *kind {
            number::FTRACE => {
                let (bundle, said) = packet.message();
                self.bundle(&bundle, packet, spot, sink).and(said)
            }
            number::TRACK_EVENT => {
                let (event, said) = packet.message();
                self.track_event(&event, packet, spot, sink);
                said
            }
            number::CLOCK_SNAPSHOT => {
                let (snapshot, said) = packet.message();
                self.first.clocks.pass(&snapshot, packet.sequence);
                said
            }
            number::TRACK => {
                let (track, said) = packet.message::<TrackDescriptor>();
                self.writer(track.thread, packet.sequence);
                said
            }
            number::THREAD => {
                let (thread, said) = packet.message();
                self.writer(Some(thread), packet.sequence);
                said
            }
            number::PROCESS
            | number::PROCESS_TREE
            | number::GENERIC_TREE
            | number::GENERIC_RENAME
            | number::REMOTE_CLOCKS
            | number::DEFLATED
            | number::ZSTD => Ok(()),
            number::GPU_STAGE => {
                let (stage, said) = packet.message();
                if let Some(time) = self.time(packet, spot, sink) {
                    let Some(sequence) = self.sequences.get(&packet.sequence) else { return said };
                    let target = (&mut self.collector, sink);
                    self.gpus.stage(&stage, (time, spot.whole()), sequence, target);
                }
                said
            }
            number::GPU_COUNTERS => {
                let (values, said) = packet.message::<GpuCounters>();
                let time = packet.timestamp.and_then(|_| self.time(packet, spot, sink));
                let of = self.sequences.get(&packet.sequence);
                let listed = of.and_then(|of| of.gpu_counters.get(&values.descriptor_id?));
                let target = (&mut self.collector, sink);
                self.gpus.values(&values, (time, packet.sequence), listed, target);
                said
            }
            _ => self.other(*kind, bytes, (packet, spot), sink),
        }
    }

    /// Old traces say who writes a sequence, and where its times count from.
    fn writer(&mut self, said: Option<ThreadDescriptor>, sequence: u32) {
        let (Some(said), Some(sequence)) = (said, self.sequences.get_mut(&sequence)) else { return };
        sequence.thread = Some((i64::from(said.pid.unwrap_or(0)), said.tid.unwrap_or(0)));
        sequence.micros = said.reference_micros.unwrap_or(sequence.micros);
    }

    fn track_event(&mut self, event: &TrackEvent, packet: &Packet, spot: &Spot, sink: &mut Sink) {
        let Some(sequence) = self.sequences.get_mut(&packet.sequence) else { return };
        let micros = event.absolute_micros.or_else(|| {
            sequence.micros = sequence.micros.saturating_add(event.delta_micros?);
            Some(sequence.micros)
        });
        let time = match (packet.timestamp, micros) {
            (None, Some(micros)) => {
                let nanos = u64::try_from(micros).ok().and_then(|micros| micros.checked_mul(1000));
                self.moment(nanos, MONOTONIC, packet.sequence, spot, sink)
            }
            _ => self.time(packet, spot, sink),
        };
        let Some(time) = time else { return };
        self.collector.time(time);
        let Some(sequence) = self.sequences.get_mut(&packet.sequence) else { return };
        let mut around = Around {
            all: &self.first.tracks,
            collector: &mut self.collector,
            sequence,
            sink,
            time,
            place: spot.whole(),
            path: &self.path,
        };
        self.events.take(event, &mut around);
    }

    /// When a packet is, by the clock of the timeline.
    fn time(&mut self, packet: &Packet, spot: &Spot, sink: &mut Sink) -> Option<Ticks> {
        let usual = self.sequences.get(&packet.sequence).and_then(|sequence| sequence.clock);
        let clock = packet.clock.or(usual).unwrap_or(0);
        self.moment(Some(packet.timestamp.unwrap_or(0)), clock, packet.sequence, spot, sink)
    }

    /// A time of a clock; 0 is the clock of the timeline itself.
    fn moment(
        &mut self,
        time: Option<u64>,
        clock: u32,
        sequence: u32,
        spot: &Spot,
        sink: &mut Sink,
    ) -> Option<Ticks> {
        let moved = time.and_then(|time| self.first.clocks.time(time, clock, sequence));
        match moved {
            Some(Ok(time)) => Some(time),
            Some(Err(time)) => {
                if self.clocks.insert(clock) {
                    let kind = Kind::Unexpected {
                        expected: "a clock related to the trace clock".into(),
                        found: format!("clock {clock}").into(),
                    };
                    let fault = Fault::new("PFT-CLOCK", Severity::Warning, spot.place.clone(), kind);
                    sink.fault(fault.note("Times are shown unchanged."));
                }
                Some(time)
            }
            None => {
                out_of_range(time.unwrap_or(u64::MAX), spot, sink);
                None
            }
        }
    }

    /// All packets were read: rows are put in order.
    pub(crate) fn sort(&mut self) {
        self.rows.sort();
    }

    /// Hands on the next rows; false when there are no more.
    pub(crate) fn hand_on(&mut self, sink: &mut Sink) -> bool {
        self.rows.hand_on(&mut self.collector, sink)
            || self.collector.join_binder(sink)
            || self.gpus.hand_on(sink)
            || self.kernel.hand_on((&self.first.names, &mut self.collector), sink)
            || self.samples.finish((&self.first.names, &mut self.collector), sink)
            || self.events.finish(self.collector.last(), &self.path, sink)
    }

    /// Packets that are not shown, and how many there are of each kind.
    fn others(&self) -> Vec<(String, u64)> {
        let mut others: Vec<_> = self.other_packets.iter().collect();
        order::sort(&mut others);
        others.into_iter().map(|(number, n)| (names::packet(*number), *n)).collect()
    }

    /// Nothing follows.
    pub(crate) fn finish(&mut self, sink: &mut Sink) {
        for (pid, name) in self.first.names.processes() {
            let pid = pid.to_string();
            self.collector.named((&pid, &pid, name), true, sink);
        }
        self.first.tracks.name_all(&mut self.collector, sink);
        self.frames.finish(self.collector.last(), sink);
        self.kernel.finish(&mut self.collector, sink);
        let others = self.others().into_iter().map(|(name, n)| (format!("packets of {name}"), n));
        sink.builder.head().dropped.extend(others);
        self.collector.finish(self.rows.refusal().cloned(), sink);
    }

    /// Tells when nothing can be shown; `is_empty` when the file gave no rows.
    pub(crate) fn report_whole(&self, is_empty: bool, sink: &mut Sink) {
        if is_empty {
            let others: Vec<String> = self.others().into_iter().map(|(name, _)| name).collect();
            let found = match others.as_slice() {
                [] => "names of processes, threads and tracks only".into(),
                _ => others.join(", ").into(),
            };
            let kind = Kind::Unexpected { expected: "events or counters".into(), found };
            let place = Place::entry(self.path.clone());
            sink.fault(Fault::new("PFT-EMPTY", Severity::Loss, place, kind).note("Nothing to show."));
        }
    }
}

/// A packet that cannot be read to its end.
pub(crate) fn broken(spot: &Spot, error: String) -> Fault {
    let kind = Kind::Unexpected { expected: "packet fields".into(), found: error.into() };
    let fault = Fault::new("PFT-PACKET", Severity::Loss, spot.place.clone(), kind);
    fault.note("The rest of the packet is skipped.")
}

/// A time that no timeline holds.
fn out_of_range(time: u64, spot: &Spot, sink: &mut Sink) {
    let kind = Kind::OutOfRange {
        field: "timestamp".into(),
        value: time.to_string(),
        min: "0".to_owned(),
        max: Ticks::MAX.to_string(),
    };
    let fault = Fault::new("PFT-PACKET", Severity::Loss, spot.place.clone(), kind);
    sink.fault(fault.note("The event is skipped."));
}
