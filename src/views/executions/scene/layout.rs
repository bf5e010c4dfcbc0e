//! Where everything is: rows of groups and threads, the axis, what stands above.

use super::Plot;
use crate::base::geometry::{Px, Rect, Size};
use serde::{Deserialize, Serialize};

/// Width of the list of threads.
pub const HEADS: Px = 216.0;
/// The same in a narrow picture, and how wide that is.
const NARROW_HEADS: Px = 160.0;
const NARROW: Px = 760.0;
/// Height of the overview, of the ruler below it, of two compared threads.
const OVERVIEW: Px = 36.0;
const RULER: Px = 26.0;
const PAIR: Px = 94.0;
/// Height of a lane, of the only lane, of the row of a group.
const LANE: Px = 18.0;
const ONLY_LANE: Px = 36.0;
const GROUP: Px = 22.0;

/// Which groups are closed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Folding {
    /// Whether all are, but some.
    pub is_closed: bool,
    /// Numbers of those that are not like the others, ascending.
    pub but: Vec<u32>,
}

impl Folding {
    /// Whether a group is closed.
    pub fn is_closed(&self, group: u32) -> bool {
        self.is_closed != self.but.binary_search(&group).is_ok()
    }

    /// Closes or opens a group.
    pub fn turn(&mut self, group: u32) {
        match self.but.binary_search(&group) {
            Ok(at) => drop(self.but.remove(at)),
            Err(at) => self.but.insert(at, group),
        }
    }
}

/// What a row shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaneRow {
    Group(u32),
    Thread(u32),
}

/// Where everything is.
pub struct Layout {
    /// Where lanes are drawn.
    pub area: Rect,
    /// Where the overview is drawn; without height where there is none.
    pub overview: Rect,
    /// Where the ruler is drawn.
    pub ruler: Rect,
    /// Where two threads are compared; without height where none are.
    pub pair: Rect,
    /// How far the rows are scrolled, and the most that they can be.
    pub scroll: f64,
    pub max_scroll: f64,
    /// How high all rows are.
    pub rows_h: f64,
    /// The stretch of the axis that is seen.
    pub window: (f64, f64),
    /// Where the axis ends.
    pub length: f64,
    /// Units of the axis in a pixel.
    pub per_px: f64,
    lane: Px,
    /// Where each group begins below the first, and where the last ends; empty without groups.
    tops: Vec<f64>,
}

impl Plot<'_> {
    /// Whether there is one thread only: it needs no list.
    pub(super) fn is_only(&self) -> bool {
        self.run.threads() < 2
    }

    /// Where everything is in a picture of this size.
    pub fn layout(&self, size: Size) -> Layout {
        let is_only = self.is_only();
        let heads = match size.w {
            _ if is_only => 0.0,
            w if w < NARROW => NARROW_HEADS,
            _ => HEADS,
        };
        let w = (size.w - heads).max(1.0);
        let overview_h = if self.run.program.blocks.len() < 2 { 0.0 } else { OVERVIEW };
        let overview = Rect::new(heads, 0.0, w, overview_h);
        let ruler = Rect::new(heads, overview.bottom(), w, RULER);
        let pair = Rect::new(heads, ruler.bottom(), w, if self.pair.is_some() { PAIR } else { 0.0 });
        let area = Rect::new(heads, pair.bottom(), w, (size.h - pair.bottom()).max(0.0));
        let lane = if is_only { ONLY_LANE } else { LANE };
        let tops = self.tops(lane);
        let rows_h = tops.last().copied().unwrap_or(self.run.threads() as f64 * f64::from(lane));
        let max_scroll = (rows_h - f64::from(area.h)).max(0.0);
        let scroll = if self.scroll.is_finite() { self.scroll.clamp(0.0, max_scroll) } else { 0.0 };
        let length = self.run.end_of(self.axis);
        let window = self.seen_window(length);
        let per_px = (window.1 - window.0) / f64::from(area.w);
        Layout { area, overview, ruler, pair, scroll, max_scroll, rows_h, window, length, per_px, lane, tops }
    }

    fn tops(&self, lane: Px) -> Vec<f64> {
        let groups = &self.run.arranged.groups;
        let Some(folding) = self.folding.filter(|_| 1 < groups.len()) else { return Vec::new() };
        let mut top = 0.0;
        let mut tops = Vec::with_capacity(groups.len() + 1);
        tops.push(0.0);
        for (number, group) in groups.iter().enumerate() {
            let threads = if folding.is_closed(number as u32) { 0 } else { group.threads.len() };
            top += f64::from(GROUP) + threads as f64 * f64::from(lane);
            tops.push(top);
        }
        tops
    }

    /// The stretch of the axis that is seen.
    fn seen_window(&self, length: f64) -> (f64, f64) {
        let asked = self.window.filter(|(from, to)| from.is_finite() && to.is_finite() && from < to);
        asked.map_or((0.0, length), |(from, to)| {
            let width = (to - from).clamp(4.0_f64.min(length), length);
            let from = from.clamp(0.0, length - width);
            (from, from + width)
        })
    }
}

impl Layout {
    /// Where a place of the axis is.
    pub fn x(&self, place: f64) -> Px {
        (f64::from(self.area.x) + (place - self.window.0) / self.per_px) as Px
    }

    /// The place of the axis at a pixel.
    pub fn place(&self, x: Px) -> f64 {
        self.window.0 + f64::from(x - self.area.x) * self.per_px
    }

    /// Whether threads stand below their groups.
    pub fn is_grouped(&self) -> bool {
        !self.tops.is_empty()
    }

    /// Where a row that begins so far below the first lies.
    fn rect(&self, top: f64, h: Px) -> Rect {
        Rect::new(0.0, (f64::from(self.area.y) + top - self.scroll) as Px, self.area.right(), h)
    }

    /// The row at a distance below the first, with its place.
    pub(super) fn row_at(&self, plot: &Plot, y: f64) -> Option<(LaneRow, Rect)> {
        let lane = f64::from(self.lane);
        if y < 0.0 || self.rows_h <= y {
            return None;
        }
        if self.tops.is_empty() {
            let thread = (y / lane) as usize;
            return Some((LaneRow::Thread(thread as u32), self.rect(thread as f64 * lane, self.lane)));
        }
        let group = self.tops.partition_point(|top| *top <= y).checked_sub(1)?;
        let top = *self.tops.get(group)?;
        let inside = y - top - f64::from(GROUP);
        if inside < 0.0 {
            return Some((LaneRow::Group(group as u32), self.rect(top, GROUP)));
        }
        let by = (inside / lane) as u32;
        let thread = plot.run.arranged.groups.get(group)?.threads.start + by;
        Some((LaneRow::Thread(thread), self.rect(top + f64::from(GROUP) + f64::from(by) * lane, self.lane)))
    }

    /// The rows in view, from top to bottom.
    pub fn visible(&self, plot: &Plot) -> Vec<(LaneRow, Rect)> {
        let mut rows = Vec::new();
        let mut y = self.scroll;
        let end = self.scroll + f64::from(self.area.h);
        while y < end
            && let Some((row, rect)) = self.row_at(plot, y)
        {
            // A pixel more than the bottom: places of rows are rounded.
            y = f64::from(rect.bottom() - self.area.y) + self.scroll + 0.01;
            rows.push((row, rect));
        }
        rows
    }

    /// How far below the first row that of a thread begins; that of its group where it is closed.
    pub fn top_of(&self, plot: &Plot, thread: u32) -> Option<f64> {
        let lane = f64::from(self.lane);
        if plot.run.threads() <= thread as usize {
            return None;
        }
        if self.tops.is_empty() {
            return Some(f64::from(thread) * lane);
        }
        let group = plot.run.arranged.group_of(thread);
        let top = *self.tops.get(group)?;
        let by = thread - plot.run.arranged.groups.get(group)?.threads.start;
        let is_closed = plot.folding.is_some_and(|folding| folding.is_closed(group as u32));
        Some(if is_closed { top } else { top + f64::from(GROUP) + f64::from(by) * lane })
    }

    /// Where an execution is drawn, also when that is not in view; `None` where its group is closed.
    pub(super) fn execution_rect(&self, plot: &Plot, execution: u32) -> Option<Rect> {
        let thread = plot.run.thread(execution)?;
        let group = plot.run.arranged.group_of(thread) as u32;
        if self.is_grouped() && plot.folding.is_some_and(|folding| folding.is_closed(group)) {
            return None;
        }
        let all = plot.run.range(thread);
        let (start, end) = plot.run.span(plot.axis, &all, execution as usize);
        let (x0, x1) = (self.x(start), self.x(end));
        let lane = lane_rect(self.rect(self.top_of(plot, thread)?, self.lane));
        Some(Rect::new(x0, lane.y, (x1 - x0 - 1.0).max(1.0), lane.h))
    }
}

/// Where boxes lie in the row of a thread.
pub(super) fn lane_rect(row: Rect) -> Rect {
    Rect::new(row.x, row.y + 2.0, row.w, row.h - 4.0)
}
