//! Rows of counters: stepped areas, several series stacked, with a dashed line at the peak.

use super::layout::Row;
use super::{Canvas, TimelineInput};
use crate::analysis::timeline::counters::Levels;
use crate::base::geometry::{Point, Px};
use crate::model::counter::Series;
use crate::model::id::TrackId;
use crate::scene::palette::Ink;
use crate::scene::{Shape, Stroke};

/// Room above the peak.
const HEADROOM: Px = 5.0;

/// The largest value of a counter: of several series what they add up to. `None` when it has none.
pub fn peak(on: TimelineInput, track: TrackId) -> Option<f64> {
    let counters = on.timeline.counters();
    if let Some((total, levels)) = counters.total(track) {
        return levels.peak(total);
    }
    let series = on.trace.tracks.get(track).series.iter().enumerate();
    // While loading it is only known what it is at most.
    series.filter_map(|(i, one)| counters.series(track, i)?.peak(one)).reduce(|a, b| a.max(0.0) + b.max(0.0))
}

impl Canvas<'_> {
    /// Draws the row of a counter with its top edge at `y`; nothing is drawn above `clip`.
    pub(super) fn counter(&mut self, row: &Row, y: Px, clip: Px) {
        if row.is_pinned {
            self.cover(y, row.h);
        } else if y < clip {
            self.over.push(Shape::Clip(crate::base::geometry::Rect::new(
                0.0,
                clip,
                self.size.w,
                self.size.h,
            )));
        }
        let bottom = y + row.h - 1.0;
        let columns = self.columns();
        let peak = peak(self.on, row.track).unwrap_or(0.0);
        if 0.0 < peak {
            let per_value = f64::from(row.h - HEADROOM - 1.0) / peak;
            let mut below = vec![0.0; columns];
            for (i, values) in self.stack(row.track, columns).into_iter().enumerate() {
                let ink = self.colors.series(row.track, i);
                self.area(&mut below, &values, per_value, bottom, ink);
            }
            let top = bottom - (peak * per_value) as Px;
            let stroke = Stroke { ink: Ink::Token("t3"), width: 1.0, dash: 3.0 };
            let points = vec![Point { x: 0.0, y: top - 0.5 }, Point { x: self.size.w, y: top - 0.5 }];
            self.over.push(Shape::Path { points, stroke });
        }
        if !row.is_pinned && y < clip {
            self.over.push(Shape::Unclip);
        }
        if clip < bottom {
            self.rect(0.0, self.size.w, bottom, 1.0, Ink::Token("line"));
        }
    }

    /// The largest values of each series in each column. The largest of several series need not fall together: then
    /// they are lowered so that the top of the stack is the largest that they add up to.
    fn stack(&self, track: TrackId, columns: usize) -> Vec<Vec<f64>> {
        let counters = self.on.timeline.counters();
        let window = self.window_of(track);
        let cut = |one: &Series, levels: &Levels| {
            let mut values = Vec::new();
            levels.cut(one, &window, columns, &mut values);
            values
        };
        let series = self.on.trace.tracks.get(track).series.iter().enumerate();
        let mut all: Vec<Vec<f64>> =
            series.map(|(i, one)| counters.series(track, i).map_or(Vec::new(), |l| cut(one, l))).collect();
        if let Some((total, levels)) = counters.total(track) {
            for (column, top) in cut(total, levels).into_iter().enumerate() {
                let at = |values: &Vec<f64>| values.get(column).copied().filter(|v| 0.0 < *v).unwrap_or(0.0);
                let sum: f64 = all.iter().map(at).sum();
                if top < sum {
                    all.iter_mut().filter_map(|v| v.get_mut(column)).for_each(|v| *v *= top / sum);
                }
            }
        }
        all
    }

    /// One stepped area over what is stacked below it; a gap in the values is a gap in the area.
    fn area(&mut self, below: &mut [f64], values: &[f64], per_value: f64, bottom: Px, ink: Ink) {
        let ratio = self.ratio();
        let y = |value: f64| bottom - (value * per_value) as Px;
        let n = values.len();
        let mut from = 0;
        while from < n {
            if !values[from].is_finite() {
                from += 1;
                continue;
            }
            let to = (from..n).find(|&i| !values[i].is_finite()).unwrap_or(n);
            let (mut top, mut base): (Vec<Point>, Vec<Point>) = (Vec::new(), Vec::new());
            let mut start = from;
            while start < to {
                let height = values[start].max(0.0);
                let end = (start + 1..to)
                    .find(|&i| values[i] != values[start] || below[i] != below[start])
                    .unwrap_or(to);
                let (x0, x1) = (start as Px / ratio, end as Px / ratio);
                for x in [x0, x1] {
                    top.push(Point { x, y: y(below[start] + height) });
                    base.push(Point { x, y: y(below[start]) });
                }
                for sum in &mut below[start..end] {
                    *sum += height;
                }
                start = end;
            }
            let area: Vec<Point> = top.iter().copied().chain(base.into_iter().rev()).collect();
            self.over.push(Shape::Polygon { points: area, ink: self.faded(ink, 0.16) });
            self.over.push(Shape::Path { points: top, stroke: Stroke::new(ink, 1.0) });
            from = to;
        }
    }
}
