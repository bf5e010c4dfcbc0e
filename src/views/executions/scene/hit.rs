//! What lies under a point, and where something lies.

use super::Plot;
use super::layout::LaneRow;
use crate::base::geometry::{Point, Size};
use serde::{Deserialize, Serialize};

/// What lies under a point.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Hit {
    Group(u32),
    /// A thread, beside its executions.
    Thread(u32),
    /// An execution of a thread; of many under a pixel the first.
    Execution(u32, u32),
    /// The overview, at a share of its width.
    Overview(f64),
}

/// What lies under a point.
pub fn hit(plot: &Plot, size: Size, at: Point) -> Option<Hit> {
    let layout = plot.layout(size);
    if layout.overview.contains(at) {
        return Some(Hit::Overview(f64::from((at.x - layout.overview.x) / layout.overview.w)));
    }
    let pair = layout.pair;
    let thread = if let Some((threads, _)) = plot.pair.filter(|_| pair.y <= at.y && at.y < pair.bottom()) {
        *threads.get(usize::from(44.0 <= at.y - pair.y))?
    } else if layout.area.y <= at.y && at.y < layout.area.bottom() {
        match layout.row_at(plot, f64::from(at.y - layout.area.y) + layout.scroll)?.0 {
            LaneRow::Group(group) => return Some(Hit::Group(group)),
            LaneRow::Thread(thread) => thread,
        }
    } else {
        return None;
    };
    if at.x < layout.area.x {
        return Some(Hit::Thread(thread));
    }
    let (all, place) = (plot.run.range(thread), layout.place(at.x));
    let found = plot.run.behind(plot.axis, &all, all.clone(), place);
    let is_there = found < all.end && plot.run.span(plot.axis, &all, found).0 <= place;
    Some(if is_there { Hit::Execution(thread, found as u32) } else { Hit::Thread(thread) })
}

/// How far the rows must be scrolled and which stretch of the axis must be seen so that an execution is in view; `None`
/// for what need not change.
pub fn scroll_to(plot: &Plot, size: Size, execution: u32) -> (Option<f64>, Option<(f64, f64)>) {
    let layout = plot.layout(size);
    let Some(thread) = plot.run.thread(execution) else { return (None, None) };
    let scroll = layout.top_of(plot, thread).and_then(|top| {
        let h = f64::from(layout.area.h);
        let is_seen = layout.scroll <= top && top + 18.0 <= layout.scroll + h;
        (!is_seen).then(|| (top - h / 2.0).clamp(0.0, layout.max_scroll))
    });
    let (start, end) = plot.run.span(plot.axis, &plot.run.range(thread), execution as usize);
    let (from, to) = layout.window;
    let window = (start < from || to < end).then(|| {
        let width = to - from;
        let from = (f64::midpoint(start, end) - width / 2.0).clamp(0.0, (layout.length - width).max(0.0));
        (from, from + width)
    });
    (scroll, window)
}
