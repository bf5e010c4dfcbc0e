//! Sums at the margins of a heat map: each column above, stacked by band, and each row at the right.

use super::cells::Cells;
use super::{Layout, RIGHT_MARGIN, TOP_MARGIN};
use crate::base::geometry::{Px, Rect};
use crate::draw::style::{DrawStyle, S0, series_ink};
use crate::model::figure::HeatMap;
use crate::scene::palette::Ink;
use crate::scene::shape::{SpanRect, SpanStyle};
use crate::scene::{Scene, Shape, Spans};

/// Sums of the folded cells.
pub(super) struct Sums {
    /// For each folded column: one sum for each band, or one when there are none.
    pub(super) columns: Vec<Vec<f64>>,
    /// For each folded row its sum and the band that has the most of it.
    pub(super) rows: Vec<(f64, usize)>,
}

impl Sums {
    /// Adds the folded cells up; missing cells add nothing.
    pub(super) fn new(figure: &HeatMap, cells: &Cells) -> Self {
        let folded = &cells.folded;
        let n = figure.bands.len().max(1);
        let mut columns = vec![vec![0.0; n]; folded.width];
        let mut rows = Vec::with_capacity(folded.height);
        for (y, row) in folded.values.chunks(folded.width.max(1)).enumerate() {
            let mut bands = vec![0.0_f64; n];
            for (x, value) in row.iter().enumerate().filter(|(_, v)| v.is_finite()) {
                let band = cells.band(y * folded.width + x).unwrap_or(0).min(n - 1);
                columns[x][band] += f64::from(*value);
                bands[band] += f64::from(*value);
            }
            let most = bands.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1));
            rows.push((bands.iter().sum::<f64>(), most.map_or(0, |(band, _)| band)));
        }
        Self { columns, rows }
    }
}

pub(super) fn draw(scene: &mut Scene, figure: &HeatMap, layout: &Layout, cells: &Cells, _look: &DrawStyle) {
    let sums = Sums::new(figure, cells);
    let ink = |band: usize| if figure.bands.is_empty() { Ink::Token("accent") } else { series_ink(band) };
    above(scene, layout, &sums, ink);
    beside(scene, figure, layout, &sums, ink);
}

fn above(scene: &mut Scene, layout: &Layout, sums: &Sums, ink: impl Fn(usize) -> Ink) {
    let field = Rect::new(layout.map.x, 0.0, layout.map.w, TOP_MARGIN);
    let most = sums.columns.iter().map(|c| c.iter().sum::<f64>()).fold(0.0, f64::max).max(f64::MIN_POSITIVE);
    let one = field.w / sums.columns.len().max(1) as Px;
    let mut spans = Vec::new();
    for (i, column) in sums.columns.iter().enumerate() {
        let mut y = field.bottom();
        for (band, sum) in column.iter().enumerate().filter(|(_, s)| 0.0 < **s) {
            let h = (sum / most) as Px * field.h;
            spans.push(bar(field.x + i as Px * one, one, y - h, h, ink(band)));
            y -= h;
        }
    }
    scene.shapes.push(Shape::Spans(Spans { field, ground: S0, spans }));
}

fn bar(x: Px, w: Px, y: Px, h: Px, ink: Ink) -> SpanRect {
    let gap = if 2.5 <= w { 1.0 } else { 0.0 };
    SpanRect { x0: x, x1: x + w - gap, y, h, ink, alpha: 255, look: SpanStyle::Plain }
}

fn beside(scene: &mut Scene, figure: &HeatMap, layout: &Layout, sums: &Sums, ink: impl Fn(usize) -> Ink) {
    let map = layout.map;
    let field = Rect::new(map.right() + 4.0, map.y, RIGHT_MARGIN - 12.0, map.h);
    let most = sums.rows.iter().map(|r| r.0).fold(0.0, f64::max).max(f64::MIN_POSITIVE);
    let n = sums.rows.len().max(1);
    let one = field.h / n as Px;
    let gap = if 2.5 <= one { 1.0 } else { 0.0 };
    let spans = sums.rows.iter().enumerate().filter(|(_, (sum, _))| 0.0 < *sum).map(|(i, (sum, band))| {
        let from_top = if figure.is_upward { n - 1 - i } else { i };
        let w = ((sum / most) as Px * field.w).max(1.0);
        let y = field.y + from_top as Px * one;
        SpanRect {
            x0: field.x,
            x1: field.x + w,
            y,
            h: one - gap,
            ink: ink(*band),
            alpha: 255,
            look: SpanStyle::Plain,
        }
    });
    scene.shapes.push(Shape::Spans(Spans { field, ground: S0, spans: spans.collect() }));
}
