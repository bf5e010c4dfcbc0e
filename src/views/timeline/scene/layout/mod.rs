//! Which rows there are, how high, and which are on screen.
//!
//! ```text
//! ┌──────────────┐ 0
//! │ ruler        │
//! ├──────────────┤ RULER
//! │ pinned rows  │ do not scroll
//! ├──────────────┤ RULER + pinned
//! │ rows         │ scroll; the head of the group that is scrolled by stays at the top of them
//! ```

mod arrange;

pub use arrange::{Arrangement, Move};

use super::{Folding, Setting};
use crate::analysis::timeline::Timeline;
use crate::base::geometry::Px;
use crate::base::map::{Map, Set};
use crate::model::Trace;
use crate::model::id::TrackId;
use crate::model::track::TrackKind;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Height of the ruler above the rows.
pub const RULER: Px = 26.0;
/// Height of a group's row.
pub const GROUP: Px = 22.0;
/// Height above the lanes of a row that instants have to themselves, so that they lie over no slice.
pub const STRIP: Px = 10.0;
/// Height of a counter's row.
pub const COUNTER: Px = 36.0;
/// Heights of a lane: compact, and with room.
pub const LANE: [Px; 2] = [18.0, 22.0];
/// With more lanes than this they are compact unless the user says otherwise.
const MANY_LANES: usize = 40;
/// Groups stand open until about so many rows are seen.
const OPEN_ROWS: usize = 60;
/// A track with more lanes stands closed until it is opened.
const OPEN_LANES: usize = 64;
/// The same beside streams of devices: stacks of the host are deep, and not what is looked at first.
const OPEN_LANES_OF_HOST: usize = 8;
/// Most height of a closed track.
const CLOSED: Px = 64.0;

/// What a row shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum RowKind {
    Group,
    /// So many lanes of slices, and instants.
    Lanes(usize),
    Counter,
}

/// One row.
#[derive(Clone, Debug, PartialEq)]
pub struct TrackRow {
    pub track: TrackId,
    pub kind: RowKind,
    /// How many groups stand above it.
    pub level: usize,
    /// Top edge from the top of its part: of the pinned rows or of those that scroll.
    pub y: f64,
    pub h: Px,
    /// Height above the lanes for instants; 0 where only slices or only instants are.
    pub strip: Px,
    /// Height of one lane; less than a pixel when very many lanes stand closed.
    pub lane: Px,
    /// Whether what is below it (rows of a group, lanes at full height) is shown.
    pub is_open: bool,
    /// Whether it can be opened and closed.
    pub can_open: bool,
    /// Whether it stands above the rows that scroll.
    pub is_pinned: bool,
    /// Where the tracks below it stand in `Tracks::shown`; empty for other kinds.
    pub below: Range<usize>,
    /// Tracks that the user merged into this row; see [`Timeline::stack`].
    pub with: Vec<TrackId>,
    /// The rows before and after it in the same group.
    pub siblings: [Option<TrackId>; 2],
}

impl TrackRow {
    /// The tracks that are drawn in it, the last one on top.
    pub fn tracks(&self) -> impl DoubleEndedIterator<Item = TrackId> {
        std::iter::once(self.track).chain(self.with.iter().copied())
    }

    /// Whether a track is drawn in it.
    pub fn shows(&self, track: TrackId) -> bool {
        self.track == track || self.with.contains(&track)
    }
}

/// One row on screen.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a> {
    pub row: &'a TrackRow,
    /// Its top edge in the picture.
    pub y: Px,
    /// Above this nothing of it is seen: other rows lie over it.
    pub clip: Px,
    /// Whether it is the head of a group that was scrolled by.
    pub is_sticky: bool,
}

/// All rows.
#[derive(Debug, Default, PartialEq)]
pub struct Layout {
    /// Rows that do not scroll.
    pub pinned: Vec<TrackRow>,
    /// Rows that scroll, from the top.
    pub rows: Vec<TrackRow>,
    pub pinned_h: Px,
    /// Height of the rows that scroll.
    pub height: f64,
    /// Rows that the user hides.
    pub n_hidden: usize,
    /// How many tracks have a name that the filter wants; `None` without a filter.
    pub n_matches: Option<usize>,
}

impl Layout {
    /// Lays out the rows. Costs the tracks.
    pub fn new(trace: &Trace, timeline: &Timeline, setting: &Setting) -> Self {
        Builder::new(trace, timeline, setting).build()
    }

    /// The rows that are seen in a picture of this height: pinned ones, heads that stay, rows that scroll.
    pub fn on_screen(&self, scroll: f64, height: Px) -> impl Iterator<Item = Seen<'_>> {
        let top = RULER + self.pinned_h;
        let first = self.rows.partition_point(|row| row.y + f64::from(row.h) <= scroll);
        let sticky = self.sticky(scroll);
        let stays: Vec<usize> = sticky.iter().map(|&(at, _)| at).collect();
        // Each head lies over those that are inside of its group.
        let mut bottom = top;
        let mut clips = Vec::new();
        for &(at, y) in &sticky {
            clips.push(bottom);
            bottom = bottom.max(top + y + self.rows[at].h);
        }
        let seen = |row, y, clip| Seen { row, y, clip, is_sticky: false };
        let pinned = self.pinned.iter().map(move |row| seen(row, RULER + row.y as Px, RULER));
        let heads = sticky
            .into_iter()
            .zip(clips)
            .map(move |((at, y), clip)| Seen { is_sticky: true, ..seen(&self.rows[at], top + y, clip) });
        let rows = self.rows.iter().enumerate().skip(first).filter(move |(at, _)| !stays.contains(at));
        let rows = rows.map(move |(_, row)| seen(row, top + (row.y - scroll) as Px, bottom));
        pinned.chain(heads).chain(rows.take_while(move |seen| seen.y < height))
    }

    /// The tracks that are drawn in a picture of this height: those of rows, and those below closed groups.
    pub fn tracks_on_screen(&self, trace: &Trace, scroll: f64, height: Px) -> Vec<TrackId> {
        let mut tracks = Vec::new();
        for Seen { row, .. } in self.on_screen(scroll, height) {
            match row.kind {
                RowKind::Group if row.is_open => {}
                RowKind::Group => {
                    tracks.extend(trace.tracks.shown().get(row.below.clone()).into_iter().flatten());
                }
                _ => tracks.extend(row.tracks()),
            }
        }
        tracks
    }

    /// The farthest that can be scrolled in a picture of this height.
    pub fn max_scroll(&self, height: Px) -> f64 {
        (self.height - f64::from(height - RULER - self.pinned_h)).max(0.0)
    }

    /// The row of a track, the one that scrolls.
    pub fn row_of(&self, track: TrackId) -> Option<&TrackRow> {
        self.rows.iter().find(|row| row.shows(track))
    }
}

struct Builder<'a> {
    trace: &'a Trace,
    timeline: &'a Timeline,
    setting: &'a Setting,
    /// By number of the track: whether it or anything below it holds something.
    holds: Vec<bool>,
    /// By number of the track: how many groups stand above it.
    levels: Vec<usize>,
    opened: Set<TrackId>,
    closed: Set<TrackId>,
    hidden: Set<TrackId>,
    lane: Px,
    /// Most lanes of a track that stands open by itself.
    open_lanes: usize,
}

impl<'a> Builder<'a> {
    fn new(trace: &'a Trace, timeline: &'a Timeline, setting: &'a Setting) -> Self {
        let mut holds = vec![false; trace.tracks.len()];
        let (mut n_lanes, mut deepest) = (0, 0);
        for &id in trace.tracks.shown().iter().rev() {
            let track = trace.tracks.get(id);
            let rows = !track.slices.is_empty() || !track.instants.is_empty() || !track.series.is_empty();
            n_lanes += timeline.shown(id).len();
            deepest = deepest.max(timeline.shown(id).len());
            if rows {
                holds[id.index()] = true;
            }
            if let (true, Some(parent)) = (holds[id.index()], track.parent) {
                holds[parent.index()] = true;
            }
        }
        let mut levels = vec![0; trace.tracks.len()];
        for &id in trace.tracks.shown() {
            levels[id.index()] = trace.tracks.get(id).parent.map_or(0, |p| levels[p.index()] + 1);
        }
        let has_deep = OPEN_LANES_OF_HOST < deepest && timeline.has_streams(trace);
        let is_compact = setting.frame.is_compact.unwrap_or(MANY_LANES < n_lanes);
        Self {
            trace,
            timeline,
            setting,
            holds,
            levels,
            opened: setting.frame.opened.iter().copied().collect(),
            closed: setting.frame.closed.iter().copied().collect(),
            hidden: setting.frame.hidden.iter().copied().collect(),
            lane: LANE[usize::from(!is_compact)],
            open_lanes: if has_deep { OPEN_LANES_OF_HOST } else { OPEN_LANES },
        }
    }

    fn build(&self) -> Layout {
        let mut layout = Layout::default();
        let shown = self.trace.tracks.shown();
        let sifted = arrange::sift(self.trace, &self.setting.frame.rows);
        layout.n_matches = sifted.as_ref().map(|sifted| sifted.n);
        // The levels of open groups above the current row; a group that is closed or hidden covers what is below it.
        let mut covered_from = usize::MAX;
        let (mut y, mut seen) = (0.0, 0);
        for at in arrange::places(self.trace, &self.setting.frame.rows.moved) {
            let id = shown[at];
            let level = self.levels[id.index()];
            if level <= covered_from {
                covered_from = usize::MAX;
            }
            let is_wanted = sifted.as_ref().is_none_or(|sifted| sifted.is_kept(id));
            if covered_from != usize::MAX || !self.holds[id.index()] || !is_wanted {
                continue;
            }
            if self.hidden.contains(&id) {
                layout.n_hidden += 1;
                covered_from = level;
                continue;
            }
            if self.is_merged_away(id) {
                continue;
            }
            let mut row = self.row(id, at, seen);
            // What the filter wants is shown, however its group stands.
            row.is_open |= row.can_open && sifted.as_ref().is_some_and(|sifted| sifted.is_above(id));
            if row.kind == RowKind::Group && !row.is_open {
                covered_from = level;
            }
            row.y = y;
            y += f64::from(row.h);
            seen += 1;
            layout.rows.push(row);
        }
        layout.height = y;
        self.join_siblings(&mut layout.rows);
        self.pin(&mut layout);
        layout
    }

    fn is_merged_away(&self, id: TrackId) -> bool {
        self.setting.frame.rows.merged.iter().any(|list| list.iter().skip(1).any(|&other| other == id))
    }

    /// Tells each row which stand before and after it in its group.
    fn join_siblings(&self, rows: &mut [TrackRow]) {
        let mut last: Map<Option<TrackId>, usize> = Map::default();
        for at in 0..rows.len() {
            let id = rows[at].track;
            if let Some(before) = last.insert(self.trace.tracks.get(id).parent, at) {
                rows[at].siblings[0] = Some(rows[before].track);
                rows[before].siblings[1] = Some(id);
            }
        }
    }

    /// The tracks below the one at this place of the order shown.
    fn below(&self, at: usize) -> Range<usize> {
        let shown = self.trace.tracks.shown();
        let level = |id: &TrackId| self.levels[id.index()];
        let n = shown[at + 1..].iter().take_while(|id| level(&shown[at]) < level(id)).count();
        at + 1..at + 1 + n
    }

    fn row(&self, id: TrackId, at: usize, seen: usize) -> TrackRow {
        let track = self.trace.tracks.get(id);
        let with = self.setting.frame.rows.merged_with(id).to_vec();
        let reach = |id: TrackId| self.timeline.first_lane(id) + self.timeline.shown(id).len();
        let lanes = std::iter::once(id).chain(with.iter().copied()).map(reach);
        let n_lanes = lanes.max().unwrap_or(0).max(1);
        let kind = match track.kind {
            TrackKind::Group => RowKind::Group,
            TrackKind::Slices => RowKind::Lanes(n_lanes),
            TrackKind::Counter => RowKind::Counter,
        };
        let can_open = match kind {
            RowKind::Group => true,
            RowKind::Lanes(n) => 1 < n,
            RowKind::Counter => false,
        };
        let by_itself = match kind {
            RowKind::Lanes(n) => n <= self.open_lanes,
            _ => seen < OPEN_ROWS,
        };
        let is_open = can_open && self.is_open(id, by_itself);
        let (h, lane) = match kind {
            RowKind::Group => (GROUP, GROUP),
            RowKind::Counter => (COUNTER, COUNTER),
            RowKind::Lanes(n) if is_open || n == 1 => (self.lane * n as Px, self.lane),
            RowKind::Lanes(n) => {
                let h = (3.0 * n as Px).clamp(self.lane, CLOSED);
                (h, (h - 2.0) / n as Px)
            }
        };
        let tracks = || std::iter::once(&id).chain(&with).filter_map(|&id| self.trace.tracks.find(id));
        let has_both = tracks().any(|t| !t.slices.is_empty()) && tracks().any(|t| !t.instants.is_empty());
        let strip = if has_both { STRIP } else { 0.0 };
        TrackRow {
            track: id,
            kind,
            strip,
            level: self.levels[id.index()],
            y: 0.0,
            h: h + strip,
            lane,
            is_open,
            can_open,
            is_pinned: false,
            below: if kind == RowKind::Group { self.below(at) } else { 0..0 },
            with,
            siblings: [None; 2],
        }
    }

    fn is_open(&self, id: TrackId, by_itself: bool) -> bool {
        if self.opened.contains(&id) {
            return true;
        }
        if self.closed.contains(&id) {
            return false;
        }
        match self.setting.frame.folding {
            Folding::Auto => by_itself,
            Folding::Open => true,
            Folding::Closed => false,
        }
    }

    fn pin(&self, layout: &mut Layout) {
        let mut y = 0.0;
        for &id in &self.setting.frame.pinned {
            let Some(at) = self.trace.tracks.shown().iter().position(|&shown| shown == id) else { continue };
            let row = self.row(id, at, usize::MAX);
            let h = f64::from(row.h);
            layout.pinned.push(TrackRow {
                y,
                level: 0,
                is_open: false,
                can_open: false,
                is_pinned: true,
                ..row
            });
            y += h;
        }
        layout.pinned_h = y as Px;
    }
}

// Heads of groups that stay while their rows are scrolled by.

/// Most heads that stay at once.
const MOST: usize = 3;

impl Layout {
    /// The rows that stay at the top of those that scroll, outermost first: their numbers, and their top edges from the
    /// top of the rows that scroll. The end of a group pushes its head away.
    fn sticky(&self, scroll: f64) -> Vec<(usize, Px)> {
        let mut stay: Vec<(usize, Px)> = Vec::new();
        let mut h = 0.0;
        while stay.len() < MOST {
            let edge = scroll + h;
            let under = self.rows.partition_point(|row| row.y + f64::from(row.h) <= edge);
            let Some(at) = self.group_over(under, edge, stay.last().map(|&(at, _)| at)) else { break };
            let row = &self.rows[at];
            let after = self.rows[at + 1..].iter().find(|other| other.level <= row.level);
            let end = after.map_or(self.height, |other| other.y) - scroll;
            let y = h.min(end - f64::from(row.h));
            stay.push((at, y as Px));
            if y < h {
                break;
            }
            h = y + f64::from(row.h);
        }
        stay
    }

    /// The outermost open group below `inside` that holds or is the row at `under`, and begins above the edge.
    fn group_over(&self, under: usize, edge: f64, inside: Option<usize>) -> Option<usize> {
        let row = self.rows.get(under)?;
        let least = inside.map(|at| self.rows[at].level + 1);
        let from = inside.map_or(0, |at| at + 1);
        let mut level = row.level + 1;
        let mut found = None;
        for at in (from..=under).rev() {
            let TrackRow { level: own, kind, is_open, y, .. } = self.rows[at];
            if own < least.unwrap_or(0) {
                break;
            }
            if own < level {
                level = own;
                if kind == RowKind::Group && is_open && y < edge {
                    found = Some(at);
                }
            }
            if level == 0 {
                break;
            }
        }
        found
    }
}
