//! The only way to make a [`Trace`]: grows while loading, `finish` sorts and checks.

pub mod digest;
mod digest_access;
pub mod sorting;
pub mod tap;

use super::Trace;
use super::access::Access;
use super::counter::Series;
use super::flow::FlowEnd;
use super::id::{StrId, TrackId};
use super::slice::{Instants, SliceRow, Slices};
use super::track::{Track, TrackKind};
use crate::base::time::{Span, Ticks};
use crate::base::unit::Unit;

/// Most tracks of one trace; readers say a fault when it is reached.
pub const MAX_TRACKS: usize = 1_000_000;

/// Collects rows and hands out the finished trace.
#[derive(Default)]
pub struct TraceBuilder {
    trace: Trace,
    /// How many rows of slices, instants and samples were pushed so far.
    n_rows: u64,
    /// How far putting them in order is.
    sorting: sorting::Sorting,
    /// Tracks on their way to their order while more come.
    arranging: Option<sorting::Arranging>,
}

impl TraceBuilder {
    /// What was collected so far: rows in the order they came, not yet sorted.
    pub fn trace(&self) -> &Trace {
        &self.trace
    }

    /// Title, words, clock, code, figures and blocks, to be filled in freely; rows of tracks go through the methods below.
    pub fn head(&mut self) -> &mut Trace {
        &mut self.trace
    }

    /// How many rows were pushed so far.
    pub fn n_rows(&self) -> u64 {
        self.n_rows
    }

    /// The row of a name.
    pub fn intern(&mut self, text: &str) -> StrId {
        self.trace.strings.intern(text)
    }

    /// A new track; `None` when there are too many (see [`MAX_TRACKS`]) or the parent is none of this trace.
    pub fn track(
        &mut self,
        parent: Option<TrackId>,
        kind: TrackKind,
        name: StrId,
        entry: u32,
    ) -> Option<TrackId> {
        let rows = &mut self.trace.tracks.rows;
        if MAX_TRACKS <= rows.len() || parent.is_some_and(|p| rows.len() <= p.index()) {
            return None;
        }
        let id = TrackId(rows.len() as u32);
        rows.push(Track {
            parent,
            kind,
            name,
            label: StrId(0),
            order: 0,
            entry,
            slices: Slices::default(),
            instants: Instants::default(),
            series: Vec::new(),
        });
        Some(id)
    }

    /// Names a track anew.
    pub fn name_track(&mut self, id: TrackId, name: StrId) {
        if let Some(track) = self.trace.tracks.rows.get_mut(id.index()) {
            track.name = name;
        }
    }

    /// Gives a track a second word.
    pub fn label_track(&mut self, id: TrackId, label: StrId) {
        if let Some(track) = self.trace.tracks.rows.get_mut(id.index()) {
            track.label = label;
        }
    }

    /// Gives a track its place among its siblings.
    pub fn order_track(&mut self, id: TrackId, order: i64) {
        if let Some(track) = self.trace.tracks.rows.get_mut(id.index()) {
            track.order = order;
        }
    }

    /// Adds a slice; a negative length becomes 0. Constant time.
    pub fn slice(&mut self, track: TrackId, mut row: SliceRow) {
        row.dur = row.dur.max(0);
        if let Some(track) = self.trace.tracks.rows.get_mut(track.index()) {
            track.slices.push(row);
            self.n_rows += 1;
            self.extend(Span::new(row.start, row.start.saturating_add(row.dur)));
        }
    }

    /// Adds an instant. Constant time.
    pub fn instant(&mut self, track: TrackId, time: Ticks, name: StrId, category: StrId, detail: (u64, u32)) {
        if let Some(track) = self.trace.tracks.rows.get_mut(track.index()) {
            track.instants.push(time, name, category, detail);
            self.n_rows += 1;
            self.extend(Span::new(time, time));
        }
    }

    /// Adds a sample to the series of this name on a counter track; the series is made when it is new.
    pub fn sample(&mut self, track: TrackId, series: StrId, unit: &Unit, time: Ticks, value: f64) {
        let Some(track) = self.trace.tracks.rows.get_mut(track.index()) else { return };
        let at = track.series.iter().position(|s| s.name == series).unwrap_or_else(|| {
            track.series.push(Series {
                name: series,
                unit: unit.clone(),
                time: Vec::new(),
                value: Vec::new(),
            });
            track.series.len() - 1
        });
        track.series[at].time.push(time);
        track.series[at].value.push(value);
        self.n_rows += 1;
        self.extend(Span::new(time, time));
    }

    /// Adds a flow.
    pub fn flow(&mut self, id: StrId, category: StrId, name: StrId, from: FlowEnd, to: FlowEnd) {
        let flows = &mut self.trace.flows;
        flows.id.push(id);
        flows.category.push(category);
        flows.name.push(name);
        flows.from.push(from);
        flows.to.push(to);
    }

    /// Adds a memory access; false when there are 2³² of them.
    pub fn access(&mut self, row: Access) -> bool {
        let is_added = self.trace.accesses.push(row);
        self.n_rows += u64::from(is_added);
        is_added
    }

    /// Counts something that is left out of the trace.
    pub fn drop_row(&mut self, reason: &str) {
        match self.trace.dropped.iter_mut().find(|(r, _)| r == reason) {
            Some((_, n)) => *n += 1,
            None => self.trace.dropped.push((reason.to_owned(), 1)),
        }
    }

    /// The finished trace.
    pub fn into_trace(self) -> Trace {
        self.trace
    }

    #[inline]
    fn extend(&mut self, span: Span) {
        self.trace.span = Some(self.trace.span.map_or(span, |s| s.union(span)));
    }
}

/// Compares names with the numbers in them by value: `core2` before `core10`.
pub fn natural(a: &str, b: &str) -> std::cmp::Ordering {
    let (mut a, mut b) = (a.as_bytes(), b.as_bytes());
    loop {
        match (a.first(), b.first()) {
            (None, None) => return std::cmp::Ordering::Equal,
            (None, _) => return std::cmp::Ordering::Less,
            (_, None) => return std::cmp::Ordering::Greater,
            (Some(x), Some(y)) if x.is_ascii_digit() && y.is_ascii_digit() => {
                let (x, rest_a) = split_number(a);
                let (y, rest_b) = split_number(b);
                let order = x.len().cmp(&y.len()).then_with(|| x.cmp(y));
                if order.is_ne() {
                    return order;
                }
                (a, b) = (rest_a, rest_b);
            }
            (Some(x), Some(y)) if x == y => (a, b) = (&a[1..], &b[1..]),
            (Some(x), Some(y)) => return x.cmp(y),
        }
    }
}

/// The digits at the head without leading zeros, and the rest.
fn split_number(text: &[u8]) -> (&[u8], &[u8]) {
    let end = text.iter().position(|b| !b.is_ascii_digit()).unwrap_or(text.len());
    let zeros = text[..end].iter().position(|&b| b != b'0').unwrap_or(end);
    (&text[zeros..end], &text[end..])
}
