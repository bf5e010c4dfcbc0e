//! The legend of a chart's series: names at the top right, in as many lines as they take; each switches its series.

use super::{Board, Failure};
use crate::base::geometry::{Point, Px, Rect};
use crate::draw::style::{LABEL, S2, T2, T3, series_ink};
use crate::model::figure::Body;
use crate::scene::{Shape, text};
use plotters::prelude::*;
use plotters_backend::text_anchor::HPos;

/// Height of a line.
const LINE: Px = 16.0;
/// Widest name.
const WIDEST: Px = 160.0;
/// From the start of a swatch to that of its name, and from the end of a name to the next swatch.
const STEP: Px = 14.0;
/// Room at the right.
const EDGE: Px = 12.0;

/// Where a name stands: left edge of its swatch, top of its line.
struct Place {
    shown: String,
    x: Px,
    y: Px,
}

impl Place {
    fn width(&self) -> Px {
        STEP + text::width(&self.shown, LABEL)
    }
}

/// The names that a chart's legend shows, by the numbers of their series; none for charts without one or with another.
pub(super) fn of(body: &Body) -> Vec<&str> {
    match body {
        Body::Histogram(h) => h.series.iter().map(|s| s.name.as_str()).collect(),
        Body::Scatter(s) => s.series.iter().map(|s| s.name.as_str()).collect(),
        Body::Lines(l) => l.lines.iter().map(|l| l.name.as_str()).collect(),
        Body::Bars(b) => b.parts.iter().map(String::as_str).collect(),
        _ => Vec::new(),
    }
}

/// Fills lines from the left and pushes each to the right.
fn places<'a>(names: impl Iterator<Item = &'a str>, width: Px) -> Vec<Place> {
    let room = width - EDGE;
    let mut places = Vec::<Place>::new();
    let mut line = 0; // where the line begins in `places`
    let mut x = 0.0;
    for name in names {
        let shown = text::cut_end(name, LABEL, WIDEST.min(room - STEP)).into_owned();
        let place = Place { shown, x, y: places.last().map_or(0.0, |p| p.y) };
        let end = x + place.width();
        if 0.0 < x && room < end {
            push_right(&mut places[line..], room);
            line = places.len();
            x = place.width() + STEP;
            places.push(Place { x: 0.0, y: place.y + LINE, ..place });
        } else {
            x = end + STEP;
            places.push(place);
        }
    }
    push_right(&mut places[line..], room);
    places
}

fn push_right(line: &mut [Place], room: Px) {
    let end = line.last().map_or(room, |last| last.x + last.width());
    for place in line {
        place.x += (room - end).max(0.0);
    }
}

/// How far the names reach down in this width; 0 for a single one, which needs no switch.
pub(super) fn height<'a>(names: impl ExactSizeIterator<Item = &'a str>, width: Px) -> Px {
    match names.len() {
        0 | 1 => 0.0,
        _ => places(names, width).last().map_or(0.0, |last| last.y + LINE),
    }
}

/// Room above a plot for these names, and for a title of the upward axis below them where it would stand under them.
pub(super) fn room(names: &[&str], title: &str, width: Px) -> Px {
    let places = places(names.iter().copied(), width);
    let bottom = places.last().map_or(0.0, |last| last.y);
    let left = places.iter().filter(|p| p.y == bottom).map(|p| p.x).fold(width, Px::min);
    let is_under = !title.is_empty() && left < text::width(title, LABEL) + STEP;
    bottom + LINE + 6.0 + if is_under { 14.0 } else { 0.0 }
}

/// Paints swatches and names, pale where the series is hidden; gives back their hit regions.
pub(super) fn paint<DB: DrawingBackend>(board: &Board<DB>, names: &[&str]) -> Result<Vec<Shape>, Failure> {
    let mut over = Vec::new();
    let places = places(names.iter().copied(), board.size.w);
    for (number, (place, name)) in places.iter().zip(names).enumerate() {
        let (swatch, written) = if board.is_hidden(number) { (S2, T3) } else { (series_ink(number), T2) };
        let at = Point { x: place.x + STEP, y: place.y + 8.0 };
        board.write(&place.shown, at, LABEL, written, HPos::Left)?;
        board.fill(Rect::new(place.x, place.y + 4.0, 8.0, 8.0), swatch)?;
        let rect = Rect::new(place.x - 2.0, place.y, place.width() + 4.0, LINE);
        over.push(Shape::Hit { rect, name: (*name).to_owned() });
    }
    Ok(over)
}
