//! Legends of charts: swatches and names above the plot, in as many lines as they take; each switches what it names.
//!
//! Names of series stand at the right. Those of a roofline stand at the left: bandwidths, then units of computation.

use super::bars::part_ink;
use super::{BARE, ChartArea, Failure};
use crate::base::geometry::{Point, Px, Rect};
use crate::base::words::{Language, tr};
use crate::draw::style::{LABEL, S2, T2, T3, series_ink};
use crate::model::figure::{Bars, Body, Roof, Roofline};
use crate::scene::palette::Ink;
use crate::scene::{Shape, text};
use plotters::prelude::*;
use plotters_backend::text_anchor::HPos;

/// Height of a line.
const LINE: Px = 16.0;
/// From the start of a swatch to that of its name, and from the end of a name to the next swatch.
const STEP: Px = 14.0;

/// The names of a chart that can be switched.
pub(super) struct Legend<'a> {
    /// Each begins on a line of its own.
    groups: Vec<Vec<Entry<'a>>>,
    /// Widest name.
    widest: Px,
    /// Whether lines end at the right, so far from the edge.
    right: Option<Px>,
    /// Language of the names as they are written.
    language: Language,
}

/// One name with the number of what it switches, see [`crate::model::figure::FigureState::hidden`].
#[derive(Clone, Copy)]
struct Entry<'a> {
    number: usize,
    name: &'a str,
    ink: Ink,
    /// Whether its swatch is a stroke instead of a square.
    is_stroke: bool,
}

/// Where an entry stands: left edge of its swatch, top of its line.
struct Place<'a> {
    entry: Entry<'a>,
    shown: String,
    x: Px,
    y: Px,
}

impl Place<'_> {
    fn width(&self) -> Px {
        STEP + text::width(&self.shown, LABEL)
    }
}

impl<'a> Legend<'a> {
    /// The legend of a chart.
    pub(super) fn of(body: &'a Body, language: Language) -> Self {
        match body {
            Body::Histogram(h) => Self::of_series(h.series.iter().map(|s| s.name.as_str()), language),
            Body::Scatter(s) => Self::of_series(s.series.iter().map(|s| s.name.as_str()), language),
            Body::Lines(l) => Self::of_series(l.lines.iter().map(|l| l.name.as_str()), language),
            Body::Bars(b) => Self::of_parts(b, language),
            Body::Roofline(r) => Self::of_roofline(r, language),
            _ => Self::of_series(std::iter::empty(), language),
        }
    }

    /// That of series, by their numbers.
    pub(super) fn of_series(names: impl Iterator<Item = &'a str>, language: Language) -> Self {
        Self::of_names(names, language, series_ink)
    }

    /// That of the parts of bars; compared bars have none.
    pub(super) fn of_parts(bars: &'a Bars, language: Language) -> Self {
        let names = bars.parts.iter().filter(|_| !bars.is_comparison).map(String::as_str);
        Self::of_names(names, language, |part| part_ink(bars, part))
    }

    fn of_names(
        names: impl Iterator<Item = &'a str>,
        language: Language,
        ink: impl Fn(usize) -> Ink,
    ) -> Self {
        let entry = |(number, name)| Entry { number, name, ink: ink(number), is_stroke: false };
        Self {
            groups: switches(vec![names.enumerate().map(entry).collect()]),
            widest: 160.0,
            right: Some(12.0),
            language,
        }
    }

    /// That of a roofline: slopes are squares, ceilings are strokes.
    pub(super) fn of_roofline(figure: &'a Roofline, language: Language) -> Self {
        let series = Series::of(figure);
        let n = series.bandwidths.len();
        let slope = |(number, &name)| Entry { number, name, ink: series.ink(number), is_stroke: false };
        let ceiling = |(at, &name)| Entry { number: n + at, name, ink: T2, is_stroke: true };
        let slopes = series.bandwidths.iter().enumerate().map(slope).collect();
        let ceilings = series.ceilings.iter().enumerate().map(ceiling).collect();
        Self { groups: switches(vec![slopes, ceilings]), widest: 260.0, right: None, language }
    }

    /// The number behind a name.
    pub(super) fn number(&self, name: &str) -> Option<usize> {
        self.groups.iter().flatten().find(|entry| entry.name == name).map(|entry| entry.number)
    }

    /// Fills lines from the left and pushes each to where it ends.
    fn places(&self, width: Px) -> Vec<Place<'a>> {
        let room = width - self.right.unwrap_or(0.0);
        let mut places = Vec::<Place>::new();
        for group in &self.groups {
            let mut y = places.last().map_or(0.0, |last| last.y + LINE);
            let mut line = places.len(); // where the line begins in `places`
            let mut x = 0.0;
            for &entry in group {
                let shown =
                    text::cut_middle(tr(self.language, entry.name), LABEL, self.widest.min(room - STEP))
                        .into_owned();
                let mut place = Place { entry, shown, x, y };
                if 0.0 < x && room < x + place.width() {
                    self.push(&mut places[line..], room);
                    line = places.len();
                    y += LINE;
                    (place.x, place.y) = (0.0, y);
                }
                x = place.x + place.width() + STEP;
                places.push(place);
            }
            self.push(&mut places[line..], room);
        }
        places
    }

    fn push(&self, line: &mut [Place], room: Px) {
        let end = line.last().map_or(room, |last| last.x + last.width());
        for place in line.iter_mut().filter(|_| self.right.is_some()) {
            place.x += (room - end).max(0.0);
        }
    }

    /// How far it reaches down in this width; 0 when there is nothing to switch.
    pub(super) fn height(&self, width: Px) -> Px {
        self.places(width).last().map_or(0.0, |last| last.y + LINE)
    }

    /// Room above a plot for it, and for a title of the upward axis below it where it would stand under a name.
    pub(super) fn room(&self, title: &str, width: Px) -> Px {
        let places = self.places(width);
        let Some(bottom) = places.last().map(|last| last.y) else { return BARE };
        let left = places.iter().filter(|p| p.y == bottom).map(|p| p.x).fold(width, Px::min);
        let is_under = !title.is_empty() && left < text::width(title, LABEL) + STEP;
        bottom + LINE + 6.0 + if is_under { 14.0 } else { 0.0 }
    }

    /// Paints swatches and names, pale where they are switched off; gives back their hit regions.
    pub(super) fn paint<DB: DrawingBackend>(&self, board: &ChartArea<DB>) -> Result<Vec<Shape>, Failure> {
        let mut over = Vec::new();
        for place in self.places(board.size.w) {
            let Entry { number, name, ink, is_stroke } = place.entry;
            let (swatch, written) = if board.is_hidden(number) { (S2, T3) } else { (ink, T2) };
            let (h, down) = if is_stroke { (2.0, 7.0) } else { (8.0, 4.0) };
            let at = Point { x: place.x + STEP, y: place.y + 8.0 };
            board.write(&place.shown, at, LABEL, written, HPos::Left)?;
            board.fill(Rect::new(place.x, place.y + down, 8.0, h), swatch)?;
            let rect = Rect::new(place.x - 2.0, place.y, place.width() + 4.0, LINE);
            over.push(Shape::Hit { rect, name: name.to_owned() });
        }
        Ok(over)
    }
}

/// A single name needs no switch.
fn switches(groups: Vec<Vec<Entry>>) -> Vec<Vec<Entry>> {
    groups.into_iter().filter(|names| 1 < names.len()).collect()
}

/// What of a roofline can be switched: bandwidths by their number, then ceilings.
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
}
