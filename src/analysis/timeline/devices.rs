//! When devices with several streams work: while at least one of their streams does.

use super::Timeline;
use super::order::InOrder;
use super::track::Busy;
use crate::base::time::{Span, Ticks};
use crate::model::Trace;
use crate::model::id::{SliceId, TrackId};
use std::ops::ControlFlow;

/// Parts of some thousand slices that are taken in in one step.
const PARTS: usize = 8;

/// A device with several streams.
pub(super) struct Device {
    /// The group of its streams.
    group: TrackId,
    streams: Vec<(TrackId, Option<usize>)>,
    busy: Busy,
}

/// Devices in progress.
pub(super) struct Uniting {
    devices: Vec<Device>,
    /// The device that comes next, and where in its slices it is.
    at: usize,
    order: Option<InOrder>,
}

impl Uniting {
    /// Begins. Costs the tracks.
    pub(super) fn new(trace: &Trace, timeline: &Timeline) -> Self {
        let mut devices: Vec<Device> = Vec::new();
        for (id, track) in trace.tracks.iter() {
            let is_stream = timeline.streams().kind(id).is_some() && !track.is_derived;
            let Some(group) = track.parent.filter(|_| is_stream) else { continue };
            match devices.iter_mut().find(|device| device.group == group) {
                Some(device) => device.streams.push((id, None)),
                None => devices.push(Device { group, streams: vec![(id, None)], busy: Busy::default() }),
            }
        }
        // Streams that are shown at offsets of their own are in no common order.
        devices.retain(|device| 1 < device.streams.len() && timeline.shift_of_all(&device.streams).is_some());
        Self { devices, at: 0, order: None }
    }

    /// Takes in the next slices; says whether none are left. A machine, as an inner loop of machines that run while the
    /// trace still grows, too.
    pub(super) fn step(&mut self, trace: &Trace, timeline: &Timeline) -> bool {
        let Some(Device { streams, busy, .. }) = self.devices.get_mut(self.at) else { return true };
        let streams = &streams[..];
        let all = Span { start: Ticks::MIN, end: Ticks::MAX };
        let order = self.order.get_or_insert_with(|| InOrder::new(trace, timeline, streams, all));
        let take = |_: usize, id: SliceId| {
            let row = id.row as usize;
            timeline.is_work(trace, id.track, row).then(|| trace.tracks.get(id.track).slices.span(row))
        };
        let has_more = order.step(PARTS, (trace, timeline, streams), take, |_, span| {
            busy.push(span, true);
            ControlFlow::Continue(())
        });
        if !has_more {
            (self.order, self.at) = (None, self.at + 1);
        }
        false
    }

    /// The devices, after the last step.
    pub(super) fn finish(self) -> Vec<Device> {
        self.devices
    }
}

impl Timeline {
    /// In which share of a stretch of time, as far as it was recorded, at least one stream of a device works; `None` for
    /// other groups than of several streams, and where these are shown at offsets of their own.
    pub fn busy_device(&self, trace: &Trace, group: TrackId, span: Span) -> Option<f64> {
        let device = self.devices.iter().find(|device| device.group == group)?;
        let by = self.shift_of_all(&device.streams)?;
        let span = self.recorded(trace, device.streams.first()?.0, span);
        let covered = device.busy.covered(span.shifted(by.saturating_neg()));
        (!span.is_empty()).then(|| covered as f64 / span.dur() as f64)
    }

    /// The offset of some tracks, if it is one.
    fn shift_of_all(&self, tracks: &[(TrackId, Option<usize>)]) -> Option<Ticks> {
        let mut shifts = tracks.iter().map(|(id, _)| self.shift_of(*id));
        let first = shifts.next()?;
        shifts.all(|by| by == first).then_some(first)
    }
}
