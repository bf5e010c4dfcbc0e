//! Legends of charts: swatches and names above the plot, in as many lines as they take; each switches what it names.
//!
//! Names of series stand at the right. Those of a roofline stand at the left: bandwidths, then units of computation. More
//! numbered series than there are colors, such as those of many warps, have a scale with its ends instead of names.

use super::bars::part_ink;
use super::{BARE, ChartArea, Failure};
use crate::base::geometry::{Point, Px, Rect};
use crate::base::words::{Language, tr_path};
use crate::draw::style::{DrawStyle, LABEL, S2, SERIES, T2, T3, series_ink};
use crate::model::build::natural;
use crate::model::figure::{Bars, Body, Roof, Roofline, Scatter};
use crate::scene::palette::{Ink, RampName};
use crate::scene::{Shape, text};
use plotters::prelude::*;
use plotters_backend::text_anchor::HPos;

/// Height of a line.
const LINE: Px = 16.0;
/// From the start of a swatch to that of its name, and from the end of a name to the next swatch.
const STEP: Px = 14.0;

/// Length of a scale, and of one of its steps.
const SCALE: Px = 96.0;
const SCALE_STEP: Px = 4.0;

/// The names of a chart that can be switched.
pub(super) struct Legend<'a> {
    /// What a scale stands for instead: how many series, names of the first and of the last.
    scale: Option<(usize, [&'a str; 2])>,
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
            Body::Scatter(s) => Self::of_points(s, language),
            Body::Lines(l) => Self::of_series(l.lines.iter().map(|l| l.name.as_str()), language),
            Body::Bars(b) => Self::of_parts(b, language),
            Body::Roofline(r) => Self::of_roofline(r, language),
            _ => Self::of_series(std::iter::empty(), language),
        }
    }

    /// That of series, by their numbers.
    pub(super) fn of_series(names: impl Iterator<Item = &'a str>, language: Language) -> Self {
        let names: Vec<&str> = names.collect();
        let scale = scale_of(&names);
        let listed = names.into_iter().take(if scale.is_some() { 0 } else { usize::MAX });
        Self { scale, ..Self::of_names(listed, language, series_ink) }
    }

    /// The color of a series.
    pub(super) fn ink(&self, look: &DrawStyle, number: usize) -> Ink {
        match self.scale {
            Some((n, _)) => scale_ink(look, number as f64 / (n - 1) as f64),
            None => series_ink(number),
        }
    }

    /// That of points.
    pub(super) fn of_points(scatter: &'a Scatter, language: Language) -> Self {
        let names = scatter.series.iter().map(|series| series.name.as_str());
        if scatter.colors.is_empty() {
            return Self::of_series(names, language);
        }
        Self::of_names(names, language, |number| part_ink(&scatter.colors, number))
    }

    /// That of the parts of bars; compared bars have none.
    pub(super) fn of_parts(bars: &'a Bars, language: Language) -> Self {
        let names = bars.parts.iter().filter(|_| !bars.is_comparison).map(String::as_str);
        Self::of_names(names, language, |part| part_ink(&bars.colors, part))
    }

    fn of_names(
        names: impl Iterator<Item = &'a str>,
        language: Language,
        ink: impl Fn(usize) -> Ink,
    ) -> Self {
        let entry = |(number, name)| Entry { number, name, ink: ink(number), is_stroke: false };
        let named = names.enumerate().filter(|(_, name)| !name.is_empty()).map(entry);
        Self {
            groups: switches(vec![named.collect()]),
            widest: 160.0,
            right: Some(12.0),
            language,
            scale: None,
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
        Self { groups: switches(vec![slopes, ceilings]), widest: 260.0, right: None, language, scale: None }
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
                let name = tr_path(self.language, entry.name);
                let shown = text::cut_middle(&name, LABEL, self.widest.min(room - STEP)).into_owned();
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

    /// The ends of a scale as they are written in this width, and where they and the scale begin.
    fn scale(&self, width: Px) -> Option<[(String, Px); 3]> {
        let (_, ends) = self.scale?;
        let [from, to] =
            ends.map(|end| text::cut_middle(end, LABEL, self.widest.min(width / 4.0)).into_owned());
        let last = width - self.right.unwrap_or(0.0) - text::width(&to, LABEL);
        let scale = last - STEP / 2.0 - SCALE;
        let first = scale - STEP / 2.0 - text::width(&from, LABEL);
        Some([(from, first), (String::new(), scale), (to, last)])
    }

    /// How far it reaches down in this width; 0 when there is nothing to switch.
    pub(super) fn height(&self, width: Px) -> Px {
        self.places(width).last().map_or(0.0, |last| last.y + LINE)
    }

    /// Room above a plot for it, and for a title of the upward axis below it where it would stand under a name.
    pub(super) fn room(&self, title: &str, width: Px) -> Px {
        let places = self.places(width);
        let scale = self.scale(width).map(|[(_, first), ..]| first);
        let Some(bottom) = places.last().map(|last| last.y).or(scale.map(|_| 0.0)) else { return BARE };
        let left = places.iter().filter(|p| p.y == bottom).map(|p| p.x).chain(scale).fold(width, Px::min);
        let is_under = !title.is_empty() && left < text::width(title, LABEL) + STEP;
        bottom + LINE + 6.0 + if is_under { 14.0 } else { 0.0 }
    }

    /// Paints swatches and names, pale where they are switched off; gives back their hit regions.
    pub(super) fn paint<DB: DrawingBackend>(&self, board: &ChartArea<DB>) -> Result<Vec<Shape>, Failure> {
        let mut over = Vec::new();
        if let Some([from, (_, x), to]) = self.scale(board.size.w) {
            for (words, x) in [from, to] {
                board.write(&words, Point { x, y: 8.0 }, LABEL, T2, HPos::Left)?;
            }
            let n = (SCALE / SCALE_STEP) as usize;
            for step in 0..n {
                let rect = Rect::new(x + step as Px * SCALE_STEP, 4.0, SCALE_STEP, 8.0);
                board.fill(rect, scale_ink(board.look, step as f64 / (n - 1) as f64))?;
            }
        }
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

/// The scale of series that are too many for a color each, where their names are alike but for numbers that rise.
fn scale_of<'a>(names: &[&'a str]) -> Option<(usize, [&'a str; 2])> {
    let (first, last) = (names.first()?, names.last()?);
    let letters = |name: &'a str| name.chars().filter(|letter| !letter.is_ascii_digit());
    let is_alike =
        |name: &&'a str| name.contains(|c: char| c.is_ascii_digit()) && letters(name).eq(letters(first));
    let is_scale = SERIES < names.len()
        && names.iter().all(is_alike)
        && names.is_sorted_by(|a, b| natural(a, b).is_le());
    is_scale.then_some((names.len(), [*first, *last]))
}

/// The color at a place (0 to 1) of a scale: the lowest is still seen.
fn scale_ink(look: &DrawStyle, at: f64) -> Ink {
    look.ramp(RampName::Seq, 0.25 + 0.75 * at)
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
