//! The timeline: what is computed, what is drawn, what is answered.

mod cost;
mod counters;
mod device;
mod filter;
mod front;
mod instants;
mod keys;
mod levels;
mod named;
mod oracles;
mod picture;
mod rows;
mod steps;

use lanescope::analysis::Derived;
use lanescope::base::time::Ticks;
use lanescope::model::Trace;
use lanescope::model::build::TraceBuilder;
use lanescope::model::id::TrackId;
use lanescope::model::slice::SliceRow;
use lanescope::model::track::TrackKind;

/// Start, length, number of the name, number of the group (0 is none).
type Row = (Ticks, Ticks, u8, u8);

/// A trace with one track, taken in by chunks of `chunk` rows.
fn open(rows: &[Row], chunk: usize) -> (Trace, Derived, TrackId) {
    let mut builder = TraceBuilder::default();
    let name = builder.intern("track");
    let track = builder.track(None, TrackKind::Slices, name, 0).unwrap();
    let mut derived = Derived::default();
    for part in rows.chunks(chunk.max(1)) {
        for &(start, dur, name, group) in part {
            let name = builder.intern(&format!("name {name}"));
            let mut row = SliceRow::new(start, dur, name);
            if group != 0 {
                row.group = builder.intern(&format!("group {group}"));
            }
            builder.slice(track, row);
        }
        derived.extend_all(builder.trace());
    }
    builder.finish();
    derived.finish_all(builder.trace());
    (builder.into_trace(), derived, track)
}
