//! Memory by operator: what was allocated and given back while it ran, and the most that each device held.
//!
//! ```text
//! self   what happens while the operator is the innermost one at that time on the thread
//! total  what happens while a call of it runs, in operators nested in it too; each row once, also where it calls itself
//! net    allocated − freed: memory may be given back by another operator than the one that asked for it
//! peak   the greatest value of the device's counter in the time, and the one that it begins with
//! ```
//! What happens outside of all operators has a row without a name. Other tools put allocations to operators in the
//! same way, by time and thread.

use super::host::{NONE, Open, Operator};
use super::{Device, Options};
use crate::analysis::timeline::Timeline;
use crate::base::map::Map;
use crate::base::time::{Span, Ticks};
use crate::model::id::{SliceId, StrId, TrackId};
use crate::model::{MemoryDevice, Trace};

/// What allocations add up to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sums {
    /// How often memory was asked for.
    pub n: u64,
    /// Bytes that were asked for.
    pub allocated: i64,
    /// Bytes that were given back.
    pub freed: i64,
}

impl Sums {
    /// What is more at the end than at the begin.
    pub fn net(&self) -> i64 {
        self.allocated.saturating_sub(self.freed)
    }

    fn add(&mut self, bytes: i64) {
        self.n += u64::from(0 < bytes);
        self.allocated = self.allocated.saturating_add(bytes.max(0));
        self.freed = self.freed.saturating_sub(bytes.min(0));
    }
}

/// What an operator does to the memory of one device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryUse {
    /// Its name; empty for what happens outside of all operators.
    pub name: StrId,
    /// Its longest call.
    pub longest: Option<SliceId>,
    pub device: u32,
    /// While it is the innermost.
    pub own: Sums,
    /// With operators nested in it.
    pub total: Sums,
}

/// What was found out of one device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Peak {
    /// Its name; with the group it belongs to where two have the same.
    pub name: String,
    /// The most that it held.
    pub bytes: i64,
}

/// Where and when something was allocated, and its row.
pub(super) type Allocated = (TrackId, Ticks, u32);

/// Allocations that are being given to their operators.
#[derive(Default)]
pub(super) struct MemoryPass {
    rows: Vec<Allocated>,
    at: usize,
    of: Map<(StrId, u32), u32>,
    /// Rows that one allocation was counted for.
    counted: Vec<u32>,
}

impl MemoryPass {
    /// Begins with allocations in the order of their tracks and times.
    pub(super) fn new(rows: Vec<Allocated>) -> Self {
        Self { rows, ..Self::default() }
    }

    /// Goes to the first one of a track.
    pub(super) fn begin(&mut self, track: TrackId, out: &mut Device, trace: &Trace, options: &Options) {
        // Those on tracks without slices lie in no operator.
        while self.rows.get(self.at).is_some_and(|row| row.0 < track) {
            self.take(&[], out, trace, options);
        }
    }

    /// Gives what is allocated on a track before a time to the operators around it.
    pub(super) fn until(
        &mut self,
        (track, time): (TrackId, Ticks),
        open: &[Open],
        out: &mut Device,
        (trace, options): (&Trace, &Options),
    ) {
        while let Some(&(of, at, _)) = self.rows.get(self.at) {
            if of != track || (time <= at && time != Ticks::MAX) {
                return;
            }
            self.take(open, out, trace, options);
        }
    }

    /// What is left lies in no operator.
    pub(super) fn end(&mut self, out: &mut Device, trace: &Trace, options: &Options) {
        while self.at < self.rows.len() {
            self.take(&[], out, trace, options);
        }
    }

    fn take(&mut self, open: &[Open], out: &mut Device, trace: &Trace, options: &Options) {
        let Some(&(_, at, row)) = self.rows.get(self.at) else { return };
        self.at += 1;
        if options.span.is_some_and(|span| at < span.start || span.end <= at) {
            return;
        }
        let all = &trace.allocations;
        let (device, bytes) = (all.device[row as usize], all.bytes[row as usize]);
        self.counted.clear();
        for open in open.iter().rev().filter(|open| at <= open.end && open.at != NONE) {
            let Some(operator) = out.operators.get(open.at as usize).copied() else { continue };
            if !self.counted.contains(&open.at) {
                let uses = self.row(operator.name, device, Some(&operator), &mut out.memory);
                if self.counted.is_empty() {
                    uses.own.add(bytes);
                }
                uses.total.add(bytes);
                self.counted.push(open.at);
            }
        }
        if self.counted.is_empty() {
            let outside = self.row(StrId(0), device, None, &mut out.memory);
            outside.own.add(bytes);
            outside.total.add(bytes);
        }
    }

    fn row<'a>(
        &mut self,
        name: StrId,
        device: u32,
        operator: Option<&Operator>,
        rows: &'a mut Vec<MemoryUse>,
    ) -> &'a mut MemoryUse {
        let next = rows.len() as u32;
        let at = *self.of.entry((name, device)).or_insert(next);
        if at == next {
            let (own, total) = (Sums::default(), Sums::default());
            rows.push(MemoryUse { name, longest: None, device, own, total });
        }
        let row = &mut rows[at as usize];
        row.longest = operator.map(|operator| operator.longest.0);
        row
    }
}

/// The most that each device held in a time.
pub(super) fn peaks(trace: &Trace, timeline: &Timeline, span: Option<Span>) -> Vec<Peak> {
    let devices = &trace.allocations.devices;
    let name = |device: &MemoryDevice| {
        let own = trace.strings.get(device.name);
        let is_one = devices.iter().filter(|other| other.name == device.name).count() == 1;
        let group = trace.tracks.find(device.track).and_then(|track| track.parent);
        match group {
            Some(group) if !is_one => format!("{} / {own}", trace.track_path(group)),
            _ => own.to_owned(),
        }
    };
    let peak = |device: &MemoryDevice| {
        let series = trace.tracks.find(device.track).and_then(|track| track.series.first());
        let bytes = series.map_or(0.0, |series| {
            let by = timeline.shift_of(device.track);
            let (mut before, mut most) = (0.0, 0.0_f64);
            for (time, value) in series.time.iter().zip(series.value.iter()) {
                let time = time.saturating_add(by);
                if span.is_some_and(|span| span.end <= time) {
                    break;
                }
                if span.is_some_and(|span| time <= span.start) {
                    before = *value;
                } else {
                    most = most.max(*value);
                }
            }
            most.max(before)
        });
        Peak { name: name(device), bytes: bytes as i64 }
    };
    devices.iter().map(peak).collect()
}
