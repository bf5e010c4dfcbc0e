//! Kernels on the timeline: a track for each stream, in cycles since the first kernel began.

use super::scan::Ran;
use crate::base::order;
use crate::base::terms::Terms;
use crate::base::time::{Clock, Ticks};
use crate::base::words::{message, phrase};
use crate::format::sink::Sink;
use crate::model::slice::SliceRow;
use crate::model::track::TrackKind;
use crate::views::lifetimes::compute::Run;

/// Adds headline and tracks.
pub(super) fn add(run: &Run, ran: &[Ran], sink: &mut Sink) {
    let unit = Clock::Cycles { hz: run.clock_mhz.map(|mhz| mhz * 1e6) };
    let is_first = sink.builder.n_rows() == 0 && sink.builder.trace().tracks.is_empty();
    let own = (!is_first).then(|| sink.builder.clock(&run.name, unit, None));
    let head = sink.builder.head();
    if is_first {
        head.clock = unit;
        head.terms = Terms::of(["GPU", "Stream", "Kernel", "Thread block", "Slice", "Instructions"]);
        head.headline.push(message("{n} kernels").with("n", run.kernels.len()).to_string());
    }
    if ran.is_empty() {
        return;
    }
    let name = if sink.is_shared { run.name.as_str() } else { phrase("Kernels") };
    let name = sink.builder.intern(name);
    let Some(group) = sink.builder.track(None, TrackKind::Group, name, run.entry) else { return };
    if let Some(clock) = own {
        sink.builder.clock_track(group, clock);
    }
    let mut streams: Vec<Option<u64>> = ran.iter().map(|ran| ran.kernel.stream).collect();
    order::sort(&mut streams);
    streams.dedup();
    for stream in streams {
        let name = stream.map_or_else(|| message("Kernels"), |id| message("Stream {n}").with("n", id));
        let name = sink.builder.intern(&name.to_string());
        let Some(track) = sink.builder.track(Some(group), TrackKind::Slices, name, run.entry) else { return };
        for ran in ran.iter().filter(|ran| ran.kernel.stream == stream) {
            let name = if ran.kernel.name.is_empty() { phrase("Kernel") } else { ran.kernel.name.as_str() };
            let name = sink.builder.intern(name);
            let ticks = |cycles: u64| Ticks::try_from(cycles).unwrap_or(Ticks::MAX);
            let row = SliceRow::new(ticks(ran.start), ticks(ran.end.saturating_sub(ran.start)), name);
            sink.builder.slice(track, row);
        }
    }
}
