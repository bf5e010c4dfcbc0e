//! The legend of a roofline: bandwidths, then units of computation when there are several; each switches its roofs.

use super::{Board, Failure};
use crate::base::geometry::{Point, Px, Rect};
use crate::draw::style::{LABEL, S2, T2, T3, series_ink};
use crate::model::figure::{Roof, Roofline};
use crate::scene::palette::Ink;
use crate::scene::{Shape, text};
use plotters::prelude::*;
use plotters_backend::text_anchor::HPos;

/// Height of a line.
const LINE: Px = 17.0;
/// Widest name.
const WIDEST: Px = 260.0;

/// What can be switched: bandwidths by their number, then ceilings.
pub(super) struct Series<'a> {
    bandwidths: Vec<&'a str>,
    ceilings: Vec<&'a str>,
    /// How many of the bandwidths are those of a baseline, which come first.
    n_baseline: usize,
}

impl<'a> Series<'a> {
    /// The names of the roofs that can be drawn, in order of first use.
    pub(super) fn of(figure: &'a Roofline) -> Self {
        let mut series = Self { bandwidths: Vec::new(), ceilings: Vec::new(), n_baseline: 0 };
        let is_drawn = |r: &&Roof| 0.0 < r.bandwidth && 0.0 < r.ceiling;
        let n_old = figure.roofs.iter().take(figure.n_baseline).filter(is_drawn).count();
        for (at, roof) in figure.roofs.iter().filter(is_drawn).enumerate() {
            let names = [
                (&mut series.bandwidths, roof.bandwidth_name.as_str()),
                (&mut series.ceilings, roof.ceiling_name.as_str()),
            ];
            for (known, name) in names {
                if !known.contains(&name) {
                    known.push(name);
                }
            }
            if at < n_old {
                series.n_baseline = series.bandwidths.len();
            }
        }
        series
    }

    /// The numbers of a roof's bandwidth and ceiling, as the state of a figure hides them.
    pub(super) fn numbers(&self, roof: &Roof) -> [usize; 2] {
        let place = |names: &[&str], name: &str| names.iter().position(|n| *n == name).unwrap_or(0);
        [
            place(&self.bandwidths, &roof.bandwidth_name),
            self.bandwidths.len() + place(&self.ceilings, &roof.ceiling_name),
        ]
    }

    /// The color of a bandwidth: those of two documents share theirs by their place.
    pub(super) fn ink(&self, number: usize) -> Ink {
        series_ink(number.checked_sub(self.n_baseline).unwrap_or(number))
    }

    /// The number behind a name of the legend.
    pub(super) fn number(&self, name: &str) -> Option<usize> {
        self.bandwidths.iter().chain(&self.ceilings).position(|n| *n == name)
    }

    /// Lines of the legend: names with their numbers. A single name needs no switch.
    fn groups(&self) -> Vec<Vec<(usize, &'a str)>> {
        let numbered = |names: &[&'a str], from: usize| {
            names.iter().enumerate().map(|(i, name)| (from + i, *name)).collect::<Vec<_>>()
        };
        let groups = [numbered(&self.bandwidths, 0), numbered(&self.ceilings, self.bandwidths.len())];
        groups.into_iter().filter(|names| 1 < names.len()).collect()
    }
}

/// Where each name stands: number, name, left, top.
fn places<'a>(series: &Series<'a>, width: Px) -> Vec<(usize, &'a str, Px, Px)> {
    let mut places = Vec::new();
    let mut y = 0.0;
    for group in series.groups() {
        let mut x = 0.0;
        for (number, name) in group {
            let w = text::width(&text::cut_end(name, LABEL, WIDEST.min(width - 16.0)), LABEL) + 28.0;
            if 0.0 < x && width < x + w - 14.0 {
                x = 0.0;
                y += LINE;
            }
            places.push((number, name, x, y));
            x += w;
        }
        y += LINE;
    }
    places
}

/// Height of the legend of a roofline in this width; 0 when there is none.
pub(super) fn height(figure: &Roofline, width: Px) -> Px {
    places(&Series::of(figure), width).last().map_or(0.0, |(_, _, _, y)| y + LINE + 4.0)
}

/// Paints swatches and names; gives back their hit regions.
pub(super) fn paint<DB: DrawingBackend>(board: &Board<DB>, figure: &Roofline) -> Result<Vec<Shape>, Failure> {
    let series = Series::of(figure);
    let mut over = Vec::new();
    for (number, name, x, y) in places(&series, board.size.w) {
        let shown = text::cut_end(name, LABEL, WIDEST.min(board.size.w - 16.0));
        let is_bandwidth = number < series.bandwidths.len();
        let (swatch, ink): (Ink, Ink) = match (board.is_hidden(number), is_bandwidth) {
            (true, _) => (S2, T3),
            (false, true) => (series.ink(number), T2),
            (false, false) => (T2, T2),
        };
        // Slopes are squares, ceilings are strokes.
        let (h, down) = if is_bandwidth { (8.0, 4.0) } else { (2.0, 7.0) };
        board.fill(Rect::new(x, y + down, 8.0, h), swatch)?;
        board.write(&shown, Point { x: x + 14.0, y: y + 8.0 }, LABEL, ink, HPos::Left)?;
        let rect = Rect::new(x, y, 14.0 + text::width(&shown, LABEL), LINE - 1.0);
        over.push(Shape::Hit { rect, name: name.to_owned() });
    }
    Ok(over)
}
