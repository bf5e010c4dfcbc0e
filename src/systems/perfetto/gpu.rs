//! What graphics processors did: stages of their queues, and their counters.
//!
//! ```text
//! file       10: 3   20: 7   30: 5      each value is of the time before its stamp
//! timeline   10 ──7── 20 ──5── 30       as counters are drawn, from a stamp on; behind the last one nothing is known
//! ```

use super::lossy;
use super::packet::messages::messages;
use super::sequence::{Sequence, text};
use crate::analysis::device::dialect::Dialect;
use crate::base::map::Map;
use crate::base::order;
use crate::base::time::Ticks;
use crate::base::unit::Unit;
use crate::format::Sink;
use crate::model::id::{StrId, TrackId};
use crate::model::slice::SliceRow;
use crate::model::strings::Strings;
use crate::model::track::TrackKind;
use crate::systems::android::systrace::collect::{Collector, shortened};
use crate::systems::trace_event::device::SAID;

/// The words of traces with streams of devices: names of copies and kernels are those of the runtimes below.
pub(crate) static DIALECT: Dialect = Dialect { said: &SAID, ..Dialect::PLAIN };

/// What is known of graphics processors.
#[derive(Default)]
pub(crate) struct Gpus {
    /// Names of queues and stages by number, as old traces list them.
    queues: Vec<String>,
    stages: Vec<String>,
    /// Counters by sequence, processor and number.
    counters: Map<(u32, i32, u32), Spec>,
    /// Values that belong to the time before them, by their tracks.
    backward: Map<TrackId, Backward>,
}

/// A counter whose values belong to the time before their stamps.
struct Backward {
    name: StrId,
    unit: Unit,
    values: Vec<(Ticks, f64)>,
}

/// What is said of a counter.
#[derive(Clone, Debug)]
struct Spec {
    name: String,
    unit: Unit,
    /// Its values belong to the time from their stamp on, not to that before it.
    is_forward: bool,
}

impl Spec {
    /// Of `GpuCounterSpec.ValueDirection`.
    const FORWARD: i32 = 2;

    fn of(said: &GpuCounterName) -> Self {
        let name = lossy(said.name.as_deref());
        Self { name, unit: unit(said), is_forward: said.direction == Some(Self::FORWARD) }
    }
}

impl Gpus {
    /// Takes a stage that ran.
    pub(crate) fn stage(
        &mut self,
        stage: &GpuStage,
        (time, place): (Ticks, (u64, u32)),
        sequence: &Sequence,
        (collector, sink): (&mut Collector, &mut Sink),
    ) {
        if let Some(said) = &stage.specifications {
            let names = |list: &[GpuName]| list.iter().map(|of| lossy(of.name.as_deref())).collect();
            (self.queues, self.stages) = (names(&said.queues), names(&said.stages));
            if stage.duration.is_none() && stage.queue.is_none() {
                return;
            }
        }
        let of_list = |list: &[String], n: Option<i32>| {
            let name = usize::try_from(n.unwrap_or(0)).ok().and_then(|n| list.get(n));
            name.cloned()
        };
        let interned = |id: Option<u64>, kind| id.and_then(|id| sequence.text(kind, id));
        let strings = &sink.builder.trace().strings;
        let of_text = |id: StrId| strings.get(id).to_owned();
        let queue = interned(stage.queue_id, text::GPU_STAGE).map(of_text);
        let queue = queue.or_else(|| of_list(&self.queues, stage.queue));
        let queue = queue.unwrap_or_else(|| format!("Queue {}", stage.queue.unwrap_or(0)));
        let own = stage.name.as_deref().map(|name| lossy(Some(name)));
        let name = own.or_else(|| interned(stage.name_id, text::NAME).map(of_text));
        let name = name.or_else(|| interned(stage.stage_id, text::GPU_STAGE).map(of_text));
        let name = name.or_else(|| of_list(&self.stages, stage.stage));
        let name = name.unwrap_or_else(|| format!("Stage {}", stage.stage.unwrap_or(0)));
        let group = group(stage.gpu, collector, sink);
        let Some(track) = collector.track_in(group, TrackKind::Slices, &queue, sink) else { return };
        let name = sink.builder.intern(shortened(&name));
        let Some(dur) = stage.duration else {
            return sink.builder.instant(track, time, name, Strings::EMPTY, place);
        };
        let dur = dur.cast_signed();
        let row = SliceRow { detail_start: place.0, detail_len: place.1, ..SliceRow::new(time, dur, name) };
        collector.time(time.saturating_add(dur.max(0)));
        sink.builder.slice(track, row);
    }

    /// Takes names of counters, and their values.
    pub(crate) fn values(
        &mut self,
        said: &GpuCounters,
        (time, sequence): (Option<Ticks>, u32),
        interned: Option<&InternedGpuCounters>,
        (collector, sink): (&mut Collector, &mut Sink),
    ) {
        let gpu = said.gpu.or(interned.and_then(|interned| interned.gpu));
        let number = gpu.unwrap_or(0);
        for counter in said.descriptor.iter().flat_map(|descriptor| &descriptor.counters) {
            self.counters.insert((sequence, number, counter.id.unwrap_or(0)), Spec::of(counter));
        }
        let of_packet = interned.and_then(|interned| interned.descriptor.as_ref());
        for counter in &said.counters {
            let (Some(time), Some(value)) = (time, counter.double.or(counter.number.map(|n| n as f64)))
            else {
                sink.builder.drop_row("GPU counter values without a time or a value");
                continue;
            };
            collector.time(time);
            let id = counter.id.unwrap_or(0);
            let listed = of_packet.and_then(|of| of.counters.iter().find(|of| of.id.unwrap_or(0) == id));
            // One description may stand for all processors.
            let known = |gpu| self.counters.get(&(sequence, gpu, id)).cloned();
            let spec = listed.map(Spec::of).or_else(|| known(number)).or_else(|| known(0));
            let name = spec.as_ref().map_or_else(|| format!("Counter {id}"), |spec| spec.name.clone());
            let unit = spec.as_ref().map_or(Unit::None, |spec| spec.unit.clone());
            let group = group(gpu, collector, sink);
            if spec.is_some_and(|spec| spec.is_forward) {
                sample((group, &name), &unit, (time, value), (collector, sink));
                continue;
            }
            let Some(track) = collector.track_in(group, TrackKind::Counter, &name, sink) else { continue };
            let name = sink.builder.intern(shortened(&name));
            let new = || Backward { name, unit, values: Vec::new() };
            self.backward.entry(track).or_insert_with(new).values.push((time, value));
        }
    }

    /// All packets were read: the values of a counter go to the stamps before theirs; false when all did.
    pub(crate) fn hand_on(&mut self, sink: &mut Sink) -> bool {
        let Some(track) = self.backward.keys().min_by_key(|track| track.0).copied() else { return false };
        let Some(Backward { name, unit, mut values }) = self.backward.remove(&track) else { return false };
        order::sort_by_number(&mut values, |(time, _)| *time);
        let later = values.iter().skip(1).map(|(_, value)| *value).chain([f64::NAN]);
        for ((time, _), value) in values.iter().zip(later) {
            sink.builder.sample(track, name, &unit, *time, value);
        }
        sink.builder.drop_row("first GPU counter values, whose time has no begin");
        true
    }
}

/// The group of a graphics processor.
fn group(gpu: Option<i32>, collector: &mut Collector, sink: &mut Sink) -> Option<TrackId> {
    collector.track_in(None, TrackKind::Group, &format!("GPU {}", gpu.unwrap_or(0)), sink)
}

/// Adds a value to the counter of a name in a group.
pub(crate) fn sample(
    (group, name): (Option<TrackId>, &str),
    unit: &Unit,
    (time, value): (Ticks, f64),
    (collector, sink): (&mut Collector, &mut Sink),
) {
    if let Some(track) = collector.track_in(group, TrackKind::Counter, name, sink) {
        let name = sink.builder.intern(shortened(name));
        sink.builder.sample(track, name, unit, time, value);
    }
}

/// Units by their numbers, as a person writes them.
const UNITS: [&str; 41] = [
    "",
    "bit",
    "kbit",
    "Mbit",
    "Gbit",
    "Tbit",
    "Pbit",
    "B",
    "kB",
    "MB",
    "GB",
    "TB",
    "PB",
    "Hz",
    "kHz",
    "MHz",
    "GHz",
    "THz",
    "PHz",
    "ns",
    "µs",
    "ms",
    "s",
    "min",
    "h",
    "vertices",
    "pixels",
    "triangles",
    "mW",
    "W",
    "kW",
    "J",
    "V",
    "A",
    "°C",
    "°F",
    "K",
    "%",
    "primitives",
    "fragments",
    "instructions",
];

fn unit(counter: &GpuCounterName) -> Unit {
    let name = |unit: &i32| usize::try_from(*unit).ok().and_then(|unit| UNITS.get(unit)).copied();
    let text = |units: &[i32]| units.iter().filter_map(name).collect::<Vec<_>>().join("·");
    match (text(&counter.units), text(&counter.per_units)) {
        (above, below) if above.is_empty() && below.is_empty() => Unit::None,
        (above, below) if below.is_empty() => match above.as_str() {
            "%" => Unit::Percent,
            "B" => Unit::Bytes,
            "ns" => Unit::Nanos,
            "MHz" => Unit::Megahertz,
            _ => Unit::Other(above),
        },
        (above, below) => Unit::Other(format!("{above}/{below}")),
    }
}

messages! {
    /// `GpuRenderStageEvent`.
    GpuStage {
        [2 optional uint64] duration: Option<u64>,
        [3 optional int32] queue: Option<i32>,
        [4 optional int32] stage: Option<i32>,
        [7 optional message] specifications: Option<GpuSpecifications>,
        [11 optional int32] gpu: Option<i32>,
        [13 optional uint64] queue_id: Option<u64>,
        [14 optional uint64] stage_id: Option<u64>,
        [17 optional bytes = "vec"] name: Option<Vec<u8>>,
        [20 optional uint64] name_id: Option<u64>,
    }

    /// `GpuRenderStageEvent.Specifications`.
    GpuSpecifications {
        [2 repeated message] queues: Vec<GpuName>,
        [3 repeated message] stages: Vec<GpuName>,
    }

    /// `GpuRenderStageEvent.Specifications.Description`.
    GpuName {
        [1 optional bytes = "vec"] name: Option<Vec<u8>>,
    }

    /// `GpuCounterEvent`.
    GpuCounters {
        [1 optional message] descriptor: Option<GpuDescriptor>,
        [2 repeated message] counters: Vec<GpuCounter>,
        [3 optional int32] gpu: Option<i32>,
        [4 optional uint64] descriptor_id: Option<u64>,
    }

    /// `GpuCounterEvent.GpuCounter`.
    #[derive(Copy)]
    GpuCounter {
        [1 optional uint32] id: Option<u32>,
        [2 optional int64] number: Option<i64>,
        [3 optional double] double: Option<f64>,
    }

    /// `GpuCounterDescriptor`.
    GpuDescriptor {
        [1 repeated message] counters: Vec<GpuCounterName>,
    }

    /// `GpuCounterDescriptor.GpuCounterSpec`.
    GpuCounterName {
        [1 optional uint32] id: Option<u32>,
        [2 optional bytes = "vec"] name: Option<Vec<u8>>,
        [7 repeated int32] units: Vec<i32>,
        [8 repeated int32] per_units: Vec<i32>,
        [11 optional int32] direction: Option<i32>,
    }

    /// `InternedGpuCounterDescriptor`.
    InternedGpuCounters {
        [1 optional uint64] id: Option<u64>,
        [2 optional message] descriptor: Option<GpuDescriptor>,
        [3 optional int32] gpu: Option<i32>,
    }
}
