//! The second pass over a trace: events become rows.

use super::gpu::DIALECT;
use crate::analysis::device::dialect::{PLAIN, Spoken};
use crate::base::fault::{Fault, Kind, Severity};
use crate::base::map::{Map, Set, ordered};
use crate::base::order;
use crate::base::time::Ticks;
use crate::base::unit::Unit;
use crate::base::words::{Message, message};
use crate::format::Sink;
use crate::model::id::{StrId, TrackId};
use crate::model::strings::Strings;
use crate::systems::android::systrace::collect::{BinderStep, Collector, Options, RowPlace, shortened};
use crate::systems::perfetto::clock::{BOOT, MONOTONIC, Odd, REALTIME};
use crate::systems::perfetto::ftrace::{Described, Event, Kernel, Rows, mark_of};
use crate::systems::perfetto::gpu::{GpuCounters, GpuStage, Gpus};
use crate::systems::perfetto::packet::fields::{Fields, numbers};
use crate::systems::perfetto::packet::messages::{Bundle, ThreadDescriptor, TrackDescriptor, TrackEvent};
use crate::systems::perfetto::packet::walk::Spot;
use crate::systems::perfetto::packet::{Packet, number};
use crate::systems::perfetto::samples::Samples;
use crate::systems::perfetto::sequence::{Arguments, Sequence, text};
use crate::systems::perfetto::stats::{Rails, Target};
use crate::systems::perfetto::track::{Around, TrackEvents};
use crate::systems::perfetto::{First, Frames, LogLine, faults, packet};

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
    /// What packets are about, by their numbers.
    kinds: Set<u64>,
    /// When the packet that is read is: by its clock, and on the timeline.
    now: ((i128, u32), Result<Ticks, Odd>),
}

impl Second {
    pub(crate) fn new(mut options: Options, mut first: First, sink: &mut Sink) -> Self {
        first.tracks.cut_circles();
        options.is_general = first.survey.n_threads() == 0;
        let survey = std::mem::take(&mut first.survey);
        let head = sink.builder.head();
        head.extensions.get_or_default::<Described>().extend(first.events.clone());
        let spoken = head.extensions.get_or_default::<Spoken>();
        // Files beside it may have said theirs.
        if std::ptr::eq(spoken.0, &raw const PLAIN) {
            spoken.0 = &DIALECT;
        }
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
            kinds: Set::default(),
            now: ((0, 0), Ok(0)),
        }
    }

    /// Takes a packet.
    pub(crate) fn packet(&mut self, packet: &Packet, spot: &Spot, sink: &mut Sink) {
        let place = spot.whole();
        if place.1 == 0 {
            Arguments::packed(sink, (self.entry, spot.start, spot.end));
        }
        self.kinds.extend(packet.data.as_ref().map(|(kind, _)| *kind));
        if let Some(circle) = self.first.tracks.circle(packet) {
            sink.fault(faults::circle(circle, spot));
        }
        let sequence = self.sequences.entry(packet.sequence).or_default();
        if !sequence.take(packet, (self.entry, place.0), sink) {
            sink.builder.drop_row("packets that rely on lost ones");
            return;
        }
        // Also of packets that are not shown: differences count from the packet before, whatever it is about.
        let time = i128::from(packet.timestamp.unwrap_or(0));
        let clock = packet.clock.or(sequence.clock).unwrap_or(0);
        self.now = ((time, clock), self.first.clocks.time(time, clock, packet.sequence));
        if let Err(error) = self.message(packet, spot, sink) {
            sink.fault(faults::broken(spot, error));
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
                for kind in self.first.clocks.pass(&snapshot, packet.sequence) {
                    sink.fault(faults::snapshot(kind, spot));
                }
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
                let (stage, said) = packet.message::<GpuStage>();
                if let Some(time) = self.time(spot, sink) {
                    // Numbers without a sign that would be longer than all time.
                    if let Some(dur) = stage.duration.map(u64::cast_signed).filter(|dur| *dur < 0) {
                        sink.fault(faults::negative(dur, spot.place.clone()));
                    }
                    let Some(sequence) = self.sequences.get(&packet.sequence) else { return said };
                    let target = (&mut self.collector, sink);
                    self.gpus.stage(&stage, (time, spot.whole()), sequence, target);
                }
                said
            }
            number::GPU_COUNTERS => {
                let (values, said) = packet.message::<GpuCounters>();
                let time = packet.timestamp.and_then(|_| self.time(spot, sink));
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
        sequence.micros = said.reference_micros.map(i128::from).or(sequence.micros);
    }

    fn track_event(&mut self, event: &TrackEvent, packet: &Packet, spot: &Spot, sink: &mut Sink) {
        let micros = match (event.absolute_micros, event.delta_micros) {
            (Some(micros), _) => Some(Ok(i128::from(micros))),
            (None, Some(by)) => {
                Some(self.later((by, packet.timestamp.is_none()), packet.sequence, spot, sink))
            }
            (None, None) => None,
        };
        let time = match micros.filter(|_| packet.timestamp.is_none()) {
            Some(micros) => self.micros(micros, packet.sequence, spot, sink),
            None => self.time(spot, sink),
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

    /// Microseconds so many later than the last ones of the sequence, and whether they are what an event goes by.
    fn later(
        &mut self,
        (by, is_used): (i64, bool),
        sequence: u32,
        spot: &Spot,
        sink: &mut Sink,
    ) -> Result<i128, Odd> {
        let sequence = self.sequences.get_mut(&sequence).ok_or(Odd::Unset)?;
        if is_used && sequence.micros.is_none() && sequence.thread.is_some() {
            // Who writes it is said; a number that is not said is 0.
            sequence.micros = Some(0);
            sink.fault(faults::difference(spot, Severity::Warning).note("Times count from 0."));
        }
        let last = sequence.micros.as_mut().ok_or(Odd::Unset)?;
        *last = last.saturating_add(by.into());
        Ok(*last)
    }

    /// A time in microseconds, as old traces have it, on the timeline.
    fn micros(
        &mut self,
        micros: Result<i128, Odd>,
        sequence: u32,
        spot: &Spot,
        sink: &mut Sink,
    ) -> Option<Ticks> {
        let clocks = &mut self.first.clocks;
        let moved = micros.and_then(|micros| clocks.time(micros.saturating_mul(1000), MONOTONIC, sequence));
        self.told(((micros.unwrap_or(0), MONOTONIC), moved), spot, sink)
    }

    /// When the packet is, by the clock of the timeline.
    fn time(&mut self, spot: &Spot, sink: &mut Sink) -> Option<Ticks> {
        self.told(self.now, spot, sink)
    }

    /// A time of a clock; 0 is the clock of the timeline itself.
    fn moment(
        &mut self,
        time: i128,
        clock: u32,
        sequence: u32,
        spot: &Spot,
        sink: &mut Sink,
    ) -> Option<Ticks> {
        let moved = self.first.clocks.time(time, clock, sequence);
        self.told(((time, clock), moved), spot, sink)
    }

    /// A time as it is shown; what is odd about it is said, of each clock without a relation once.
    fn told(
        &mut self,
        (own, moved): ((i128, u32), Result<Ticks, Odd>),
        spot: &Spot,
        sink: &mut Sink,
    ) -> Option<Ticks> {
        let odd = match moved {
            Ok(time) => return Some(time),
            Err(odd) => odd,
        };
        if odd.shown().is_none() || self.clocks.insert(own.1) {
            sink.fault(faults::odd_time(odd, own, spot));
        }
        odd.shown()
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
        others.into_iter().map(|(number, n)| (packet::name_packet(*number), *n)).collect()
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
}

/// What a file without rows holds, by what all its machines have.
pub(crate) fn found<'a>(machines: impl Iterator<Item = &'a Second> + Clone) -> Message {
    let kinds = ordered(machines.clone().flat_map(|machine| machine.kinds.iter().copied()));
    let others = ordered(machines.clone().flat_map(|machine| machine.other_packets.keys().copied()));
    faults::found(kinds, others, machines.clone().any(|machine| machine.first.has_names()))
}

// Packets that are neither track events nor events of the kernel, as the second pass takes them.

impl Second {
    /// Counters and call stacks that are sampled, states of threads, and what services tell.
    fn other(
        &mut self,
        kind: u64,
        bytes: &[u8],
        (packet, spot): (&Packet, &Spot),
        sink: &mut Sink,
    ) -> Result<(), String> {
        let is_known = matches!(
            kind,
            number::SYS_STATS
                | number::PROCESS_STATS
                | number::BATTERY
                | number::POWER_RAILS
                | number::GPU_MEMORY
                | number::GENERIC_TASK
                | number::GENERIC_FREQUENCY
                | number::GENERIC_GPU_FREQUENCY
                | number::ANDROID_LOG
                | number::JOURNAL
                | number::FRAME_TIMELINE
                | number::PERF_SAMPLE
                | number::STREAMING_PROFILE
        );
        if !is_known {
            *self.other_packets.entry(kind).or_insert(0) += 1;
            return Ok(());
        }
        let Some(time) = self.time(spot, sink) else { return Ok(()) };
        if matches!(kind, number::ANDROID_LOG | number::STREAMING_PROFILE) {
            self.timed(kind, bytes, (packet, spot), sink);
            return Ok(());
        }
        self.collector.time(time);
        if kind == number::GENERIC_TASK {
            let (task, said) = packet.message();
            self.kernel.task(&task, time, (&self.first.names, &mut self.collector), sink);
            return said;
        }
        let with = (&mut self.collector, &mut *sink);
        match kind {
            number::FRAME_TIMELINE => {
                let dur = self.frames.take(bytes, (time, spot.whole()), with);
                if let Some(dur) = dur.filter(|dur| *dur < 0) {
                    sink.fault(faults::negative(dur, spot.place.clone()));
                }
            }
            number::JOURNAL => LogLine::journal(bytes).show(time, with),
            number::PERF_SAMPLE => {
                if let Some(sequence) = self.sequences.get(&packet.sequence) {
                    self.samples.perf(bytes, time, sequence, with);
                }
            }
            _ => self.sampled(kind, (bytes, packet.sequence), time, sink),
        }
        Ok(())
    }

    /// Packets that say the times of what they hold.
    fn timed(&mut self, kind: u64, bytes: &[u8], (packet, spot): (&Packet, &Spot), sink: &mut Sink) {
        if kind == number::ANDROID_LOG {
            for line in LogLine::all(bytes) {
                let Some(time) = line.time else {
                    sink.builder.drop_row("log packets without a time");
                    continue;
                };
                if let Some(time) = self.moment(time.into(), REALTIME, packet.sequence, spot, sink) {
                    line.show(time, (&mut self.collector, sink));
                }
            }
            return;
        }
        let numbers = |of: u64| {
            let fields = Fields::of(bytes).filter(move |(field, _)| *field == of);
            fields.flat_map(|(_, value)| numbers(value)).collect::<Vec<_>>()
        };
        for (stack, passed) in numbers(1).into_iter().zip(numbers(2)) {
            let micros = self.later((passed.cast_signed(), true), packet.sequence, spot, sink);
            let time = self.micros(micros, packet.sequence, spot, sink);
            let sequence = self.sequences.get(&packet.sequence);
            if let (Some(time), Some(sequence)) = (time, sequence)
                && let Some(thread) = sequence.thread
            {
                self.collector.time(time);
                self.samples.add(thread, (time, stack), sequence, sink);
            }
        }
    }

    /// Values of counters.
    fn sampled(&mut self, kind: u64, (bytes, sequence): (&[u8], u32), time: Ticks, sink: &mut Sink) {
        let mut target = Target { collector: &mut self.collector, sink, time };
        match kind {
            number::SYS_STATS => target.system(bytes),
            number::PROCESS_STATS => target.processes(bytes),
            number::BATTERY => target.battery(bytes),
            number::GPU_MEMORY => target.gpu_memory(bytes),
            number::POWER_RAILS => {
                let clocks = &mut self.first.clocks;
                let time_of =
                    |ms: u64| clocks.time(i128::from(ms) * 1_000_000, BOOT, 0).map_or_else(Odd::shown, Some);
                self.rails.take((bytes, sequence), time_of, &mut target);
            }
            _ => {
                // Processor or GPU, and its frequency in hertz or kilohertz.
                let event = Event { time: 0, pid: 0, kind, body: bytes };
                let (number, value) = (event.number(1), event.number(2) as f64);
                if kind == number::GENERIC_FREQUENCY {
                    let name = format!("CPU {number} frequency");
                    self.collector.of_cpu(&name, &Unit::Megahertz, (time, value / 1e6), sink);
                } else {
                    let name = format!("GPU {number} frequency");
                    self.collector.of_gpu(&name, &Unit::Megahertz, (time, value / 1e3), sink);
                }
            }
        }
    }
}

// Events of a processor, as the second pass takes them.

impl Second {
    /// Takes the events of a processor.
    fn bundle(
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
            let Some(time) = self.moment(event.time.into(), BOOT, 0, spot, sink) else { continue };
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
            let is_shown =
                is_shown || self.binder(&event, time, place, sink) && event.kind != Event::BINDER_RETURN;
            if !is_shown && event.kind != Event::TASK_RENAME {
                self.other_event(&event, time, place, sink);
            }
        }
        if let Some(compact) = &bundle.compact {
            let n_switches = compact.next_pid.len().min(compact.next_name.len());
            let switched = self.column(&compact.switch_time, n_switches, spot, sink);
            let woken = self.column(&compact.woken_time, compact.woken_pid.len(), spot, sink);
            let (n, priorities) = (packet.events().count(), packet.priorities().collect::<Vec<_>>());
            let place_of = |row: usize| Some(row_place(spot.part(n + row, priorities.get(row)?)));
            let place = |row| place_of(row).unwrap_or_default();
            let with = (&self.first.names, &mut self.collector);
            self.kernel.compact(cpu, (compact, &place), [&switched, &woken], with, sink);
        }
        Ok(())
    }

    /// The first times of a column, each but the first as what passed since the one before.
    fn column(&mut self, passed: &[u64], n: usize, spot: &Spot, sink: &mut Sink) -> Vec<Option<Ticks>> {
        let mut time = 0;
        let times = passed.iter().take(n).map(|passed| {
            time += i128::from(*passed);
            self.moment(time, BOOT, 0, spot, sink)
        });
        times.collect()
    }

    /// Takes a transaction between processes, sent, received or failed; false when it is something else.
    fn binder(&mut self, event: &Event, time: Ticks, place: (u64, u32), sink: &mut Sink) -> bool {
        let step = match event.kind {
            Event::BINDER_TRANSACTION => {
                BinderStep::Sent { is_reply: event.number(5) != 0, is_one_way: event.number(7) & 1 != 0 }
            }
            Event::BINDER_RECEIVED => BinderStep::Received,
            Event::BINDER_RETURN => match BinderStep::returned(event.number(1).cast_unsigned()) {
                Some(step) => step,
                None => return false,
            },
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
            let fault = fault(
                "PFT-LOST",
                Severity::Loss,
                "all rows",
                message("some events of CPU {n} lost").with("n", cpu),
            );
            sink.fault(fault.note("The kernel buffer was full; scopes may lack their start or end."));
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
