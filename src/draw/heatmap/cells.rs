//! The cells of a heat map's window: folded down to the screen, then colored.

use super::Layout;
use crate::analysis::bins::{Folded, Part, fold, quintiles};
use crate::base::geometry::{Point, Rect};
use crate::draw::style::{DrawStyle, S2, series_ink};
use crate::model::figure::{HeatMap, Ramp, Shading};
use crate::scene::Shape;
use crate::scene::palette::RampName;

/// The cells of the window after folding.
pub(super) struct Cells {
    /// Values by row number (not from the top).
    pub(super) folded: Folded,
    /// Largest size of a value.
    pub(super) largest: f32,
    /// Row of the band of each; nothing where there are none, or nothing is there.
    bands: Vec<Option<usize>>,
}

impl Cells {
    /// Folds what is in the window to at most one cell a pixel.
    pub(super) fn new(figure: &HeatMap, layout: &Layout) -> Self {
        let part = Part {
            values: &figure.values,
            stride: figure.width as usize,
            columns: layout.columns,
            rows: layout.rows,
        };
        let folded = fold(part, most(layout), figure.fold);
        let largest = folded.values.iter().filter(|v| v.is_finite()).fold(0.0_f32, |m, v| m.max(v.abs()));
        let bands = bands(figure, layout, &folded);
        Self { folded, largest, bands }
    }

    /// The band of a folded cell.
    pub(super) fn band(&self, at: usize) -> Option<usize> {
        self.bands.get(at).copied().flatten()
    }

    /// How many columns and rows share a pixel in this layout.
    pub(super) fn steps(layout: &Layout) -> (usize, usize) {
        let most = most(layout);
        let step = |(a, b): (usize, usize), most: usize| (b - a).div_ceil(most).max(1);
        (step(layout.columns, most.0), step(layout.rows, most.1))
    }

    /// The value of a block of cells, folded as the figure says.
    pub(super) fn value_of(figure: &HeatMap, columns: (usize, usize), rows: (usize, usize)) -> f32 {
        let part = Part { values: &figure.values, stride: figure.width as usize, columns, rows };
        fold(part, (1, 1), figure.fold).values.first().copied().unwrap_or(f32::NAN)
    }

    /// Where the folded cell under a point lies.
    pub(super) fn rect_at(&self, figure: &HeatMap, layout: &Layout, at: Point) -> Option<Rect> {
        layout.cell(figure, at)?;
        let area = self.area(layout, figure);
        let (w, h) = (area.w / self.folded.width as f32, area.h / self.folded.height as f32);
        let x = area.x + ((at.x - area.x) / w).floor() * w;
        let y = area.y + ((at.y - area.y) / h).floor() * h;
        Some(Rect::new(x, y, w, h))
    }

    /// What the folded cells cover: a little more than the map when the last of a row holds fewer cells.
    fn area(&self, layout: &Layout, figure: &HeatMap) -> Rect {
        let map = layout.map;
        let over = |n: usize, step: usize, (a, b): (usize, usize)| (n * step) as f32 / (b - a).max(1) as f32;
        let (sx, sy) = (
            over(self.folded.width, self.folded.step_x, layout.columns),
            over(self.folded.height, self.folded.step_y, layout.rows),
        );
        let y = if figure.is_upward { map.bottom() - map.h * sy } else { map.y };
        Rect::new(map.x, y, map.w * sx, map.h * sy)
    }

    /// The cells as one picture, row 0 of it at the top.
    pub(super) fn shape(&self, figure: &HeatMap, layout: &Layout, look: &DrawStyle) -> Shape {
        let shades = Shades::new(figure, self, look);
        let (w, h) = (self.folded.width, self.folded.height);
        let mut colors = Vec::with_capacity(w * h);
        for row in 0..h {
            let y = if figure.is_upward { h - 1 - row } else { row };
            let values = self.folded.values.get(y * w..(y + 1) * w).unwrap_or(&[]);
            colors.extend((y * w..).zip(values).map(|(at, v)| shades.color(*v, self.band(at))));
        }
        Shape::Cells { rect: self.area(layout, figure), width: w as u32, height: h as u32, colors }
    }
}

/// The band of each folded cell: that of the largest value in it.
fn bands(figure: &HeatMap, layout: &Layout, folded: &Folded) -> Vec<Option<usize>> {
    if figure.bands.is_empty() {
        return Vec::new();
    }
    let mut most = vec![(0.0_f32, None); folded.values.len()];
    for y in layout.rows.0..layout.rows.1 {
        let of_row = figure.bands.iter().position(|band| (band.start..band.end).contains(&(y as u32)));
        let row = (y - layout.rows.0) / folded.step_y * folded.width;
        for x in layout.columns.0..layout.columns.1 {
            let (at, cell) = (row + (x - layout.columns.0) / folded.step_x, y * figure.width as usize + x);
            let value = figure.values.get(cell).map_or(0.0, |value| value.abs());
            if let Some(own) = most.get_mut(at).filter(|(known, _)| *known < value) {
                *own = (value, figure.cell_bands.get(cell).map(|band| *band as usize).or(of_row));
            }
        }
    }
    most.into_iter().map(|(_, band)| band).collect()
}

/// Cells across and down that the map has pixels for.
fn most(layout: &Layout) -> (usize, usize) {
    (layout.map.w.max(1.0) as usize, layout.map.h.max(1.0) as usize)
}

/// From values to colors.
struct Shades {
    ramp: Vec<u32>,
    shading: Shading,
    is_div: bool,
    full: f32,
    missing: u32,
    /// Five shades and the four values between them, for each band (or for all, when there are none).
    fifths: Vec<([u32; 5], Option<[f32; 4]>)>,
    has_bands: bool,
}

/// Colors of a ramp: more cannot be told apart.
const STEPS: usize = 64;

impl Shades {
    fn new(figure: &HeatMap, cells: &Cells, look: &DrawStyle) -> Self {
        let (name, is_div) = match figure.ramp {
            Ramp::Seq => (RampName::Seq, false),
            Ramp::Heat => (RampName::Heat, false),
            Ramp::Div => (RampName::of_differences(&figure.unit), true),
        };
        let ramp = (0..STEPS).map(|i| look.palette.ramp(name, i as f64 / (STEPS - 1) as f64)).collect();
        let mut fifths = Vec::new();
        let folded = &cells.folded;
        let mut of_bands = vec![Vec::new(); figure.bands.len()];
        for (value, band) in folded.values.iter().zip(&cells.bands) {
            if let Some(values) = band.and_then(|band| of_bands.get_mut(band)) {
                values.push(*value);
            }
        }
        for (i, values) in of_bands.into_iter().enumerate() {
            fifths.push((look.shades(series_ink(i)), quintiles(values)));
        }
        if fifths.is_empty() && figure.shading == Shading::Quintiles {
            let shades = [0.16, 0.36, 0.56, 0.76, 0.94].map(|t| look.palette.ramp(name, t));
            fifths.push((shades, quintiles(folded.values.iter().copied())));
        }
        Self {
            ramp,
            shading: figure.shading,
            is_div,
            full: figure.full.map_or(cells.largest, |f| f as f32).max(f32::MIN_POSITIVE),
            missing: look.palette.rgba(S2),
            fifths,
            has_bands: !figure.bands.is_empty(),
        }
    }

    fn color(&self, value: f32, band: Option<usize>) -> u32 {
        if value.is_nan() {
            return self.missing;
        }
        if self.is_div {
            let at = (value / self.full).clamp(-1.0, 1.0) / 2.0 + 0.5;
            return if value == 0.0 { 0 } else { self.stop(at) };
        }
        // Nothing is the ground itself.
        if value <= 0.0 {
            return 0;
        }
        let fifths = self.fifths.get(if self.has_bands { band.unwrap_or(usize::MAX) } else { 0 });
        if let Some((shades, limits)) = fifths {
            let share = match limits {
                Some(limits) if self.shading == Shading::Quintiles => {
                    limits.iter().filter(|l| **l < value).count()
                }
                _ => ((self.share(value) * 5.0) as usize).min(4),
            };
            return shades[share];
        }
        // The low end of the ramp is the ground: what is there at all starts a step above it.
        self.stop(0.1 + 0.9 * self.share(value))
    }

    /// Where between nothing and full, 0 to 1.
    fn share(&self, value: f32) -> f32 {
        let share = match self.shading {
            Shading::Log => (value.ln_1p()) / self.full.ln_1p(),
            _ => value / self.full,
        };
        share.clamp(0.0, 1.0)
    }

    fn stop(&self, at: f32) -> u32 {
        let i = (at * (STEPS - 1) as f32).round() as usize;
        self.ramp.get(i).copied().unwrap_or(0)
    }
}
