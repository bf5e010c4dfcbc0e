//! Counters of track events: their units, and how their values are meant.

use super::{Described, Descriptors, Owner};
use crate::base::time::Ticks;
use crate::base::unit::Unit;
use crate::format::sink::Sink;
use crate::model::id::{StrId, TrackId};
use crate::model::track::TrackKind;
use crate::systems::android::systrace::collect::shortened;
use crate::systems::perfetto::names::lossy;
use crate::systems::perfetto::packet::messages::CounterDescriptor;
use crate::systems::perfetto::sequence::Sequence;

/// A counter that has values.
#[derive(Clone)]
pub(crate) struct Counter {
    track: TrackId,
    name: StrId,
    unit: Unit,
    multiplier: i64,
    is_incremental: bool,
}

/// A value as the file has it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Amount {
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
pub(super) fn make(
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
