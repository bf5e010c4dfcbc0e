//! From figures and rows to shapes: what a drawing gets, and which function draws which kind of figure.
//!
//! A figure of any kind goes through [`draw`] (the picture alone), [`legend`] (what stands beside its title) or
//! [`sheet`] (title, picture, notes: a file that stands alone). Charts can also be painted by plotters straight on any
//! of its backends, see [`chart::paint`]. To add a kind: a `Body`, a file here, and a line in each function below.

pub mod axis;
pub mod chart;
pub mod colors;
pub mod cores;
pub mod describe;
pub mod facts;
pub mod flame;
pub mod gantt;
pub mod graph;
pub mod heatmap;
pub mod matrix;
pub mod page;
pub mod record;
pub mod style;
pub mod table;
pub mod window;

use crate::analysis::rows::Folds;
use crate::base::geometry::{Point, Px, Rect, Size};
use crate::base::words::{Language, phrase};
use crate::draw::colors::Paint;
use crate::model::figure::{Body, Figure, FigureState};
use crate::model::{Coloring, Trace};
use crate::scene::palette::Ink;
use crate::scene::{Align, Font, Scene, Shape, lay, text};
use std::fmt;
use style::{DrawStyle, T1, T2, T3};

/// The picture of a figure, without title and notes, stretched to `size`.
pub fn draw(figure: &Figure, size: Size, look: &DrawStyle, state: &FigureState) -> Scene {
    match &figure.body {
        Body::HeatMap(map) => heatmap::draw(map, size, look, state),
        Body::Gantt(gantt) => gantt::draw(gantt, size, look, state),
        body if chart::is_chart(body) => chart::draw(figure, size, look, state),
        _ => draw_small(figure, size, look),
    }
}

/// The same for figures of few shapes, which the page draws itself; nothing for charts and dense ones. Apart, so that
/// the page is built without what only workers draw.
pub fn draw_small(figure: &Figure, size: Size, look: &DrawStyle) -> Scene {
    match &figure.body {
        Body::Facts(facts) => facts::draw_facts(facts, size, look),
        Body::Table(table) => facts::draw_table(table, size, look),
        Body::Cores(grid) => cores::draw(grid, size, look),
        Body::Matrix(matrix) => matrix::draw(matrix, size, look),
        Body::Graph(graph) => graph::draw(graph, size, look),
        _ => Scene::new(size),
    }
}

/// The height in which a figure looks right at this width, with names in this language.
pub fn height(figure: &Figure, width: Px, language: Language) -> Px {
    match &figure.body {
        Body::Facts(facts) => facts::facts_height(facts, width),
        Body::Table(table) => facts::table_height(table),
        Body::Bars(bars) => chart::bars_height(bars, width, language),
        Body::Cores(grid) => cores::height(grid, width),
        Body::Matrix(matrix) => matrix::height(matrix, width),
        Body::HeatMap(map) => heatmap::height(map, width),
        Body::Graph(graph) => graph::height(graph, width),
        Body::Gantt(gantt) => gantt::height(gantt),
        Body::Roofline(_) | Body::Histogram(_) | Body::Scatter(_) | Body::Lines(_) => {
            let is_roofline = matches!(figure.body, Body::Roofline(_));
            let plot = (width * 0.54).clamp(160.0, if is_roofline { 520.0 } else { 320.0 }).round();
            let bands = match &figure.body {
                Body::Histogram(histogram) => histogram.series.len(),
                _ => 1,
            };
            // Several series stand above each other.
            let plot = if 1 < bands { plot.max(56.0 * bands.min(8) as Px + 70.0) } else { plot };
            plot + if is_roofline { chart::legend_height(&figure.body, width, language) } else { 0.0 }
        }
    }
}

/// The narrowest width in which nothing of the figure is cut; narrower ones are reached by scrolling sideways.
pub fn least_width(figure: &Figure) -> Px {
    match &figure.body {
        Body::Matrix(matrix) => matrix::least_width(matrix).ceil(),
        Body::Graph(graph) => (graph.width * 0.65).ceil(),
        Body::HeatMap(_) | Body::Gantt(_) => 320.0,
        _ => 240.0,
    }
}

/// Lowest and highest value that decides a color; `None` when colors follow names or a fixed rule.
pub fn value_range(figure: &Figure) -> Option<(f64, f64)> {
    match &figure.body {
        Body::Gantt(gantt) => gantt::value_range(gantt),
        Body::HeatMap(map) => {
            let size = map.values.iter().filter(|v| v.is_finite()).fold(0.0_f32, |m, v| m.max(v.abs()));
            Some((0.0, f64::from(size)))
        }
        _ => None,
    }
}

/// What colors mean, to stand beside the title; `None` when the picture says it itself. `range` is [`value_range`] of
/// the figure with all of its values.
pub fn legend(figure: &Figure, look: &DrawStyle, range: Option<(f64, f64)>) -> Option<Scene> {
    match &figure.body {
        Body::Cores(grid) => Some(cores::legend(grid, look)),
        Body::Graph(_) => Some(graph::legend(look)),
        Body::Gantt(gantt) => Some(gantt::legend(gantt, look, range?)),
        Body::HeatMap(map) => heatmap::legend(map, look, range?.1),
        Body::Matrix(matrix) => matrix::legend(matrix),
        _ => None,
    }
}

/// The words under a point of a drawing: a name, then lines of label, tab, value. The last region drawn wins.
pub fn hit(scene: &Scene, at: Point) -> Option<&str> {
    scene.shapes.iter().rev().find_map(|shape| match shape {
        Shape::Hit { rect, name } if rect.contains(at) => Some(name.as_str()),
        _ => None,
    })
}

/// Room at the edges of a sheet.
pub const EDGE: Px = 16.0;
const TITLE: Font = Font::ui(13.0).weight(600);

/// Title, legend, picture, advice and notes of a figure on one sheet.
pub fn sheet(figure: &Figure, width: Px, look: &DrawStyle, state: &FigureState) -> Scene {
    let inner = (width - 2.0 * EDGE).max(40.0);
    let flat = page::flat::of_figure(figure);
    let is_folded = flat.is_none() && matches!(figure.body, Body::Matrix(_));
    let folds = if is_folded { Folds::of(figure) } else { Folds::default() };
    let seen = folds.seen(figure);
    let figure = seen.as_ref().unwrap_or(figure);
    let legend = legend(figure, look, value_range(figure));
    let picture =
        Size { w: inner, h: flat.as_ref().map_or_else(|| height(figure, inner, look.language), |_| 16.0) };
    let mut scene = Scene::new(Size { w: width, h: 0.0 });
    let title = look.tr(&figure.title);
    scene.text(Point { x: EDGE, y: 30.0 }, title, TITLE, T1, Align::Left);
    let after = EDGE + text::width(title, TITLE) + 8.0;
    scene.text(Point { x: after, y: 30.0 }, look.tr(&figure.scope), style::TEXT, T3, Align::Left);
    let mut top = 48.0;
    if let Some(legend) = legend {
        // Beside the title when both fit, else on a line of its own.
        let used = after + text::width(&figure.scope, style::TEXT) + 12.0;
        let x = width - EDGE - legend.size.w;
        let y = if used <= x { 18.0 } else { 40.0 };
        top = if used <= x { top } else { 64.0 };
        lay(&mut scene, legend, Point { x: x.max(EDGE), y });
    }
    match flat {
        Some(line) => {
            let at = Point { x: EDGE, y: top + 12.0 };
            scene.text(at, line.text(look.language).into_owned(), style::TEXT, T3, Align::Left);
        }
        None => lay(&mut scene, draw(figure, picture, look, state), Point { x: EDGE, y: top }),
    }
    let mut y = top + picture.h + 8.0;
    let advice = figure.advice.iter().map(|a| (a.said(), if a.is_costly { Ink::Token("warn") } else { T2 }));
    let said = advice
        .chain(figure.notes.iter().map(|n| (n.clone(), T3)))
        .map(|(words, ink)| (words.text(look.language).into_owned(), ink));
    let folded = folds.lines(look.language).into_iter().map(|line| (line, T3));
    for (words, ink) in folded.chain(said) {
        for line in wrap(&words, inner) {
            y += 16.0;
            scene.text(Point { x: EDGE, y }, line, style::TEXT, ink, Align::Left);
        }
    }
    scene.size.h = (y + EDGE).ceil();
    scene
}

/// Sheets below each other, as wide as the widest needs and at most `max_h` high; also how many did not fit. The first
/// one always fits.
pub fn sheets<'a>(
    figures: impl Iterator<Item = &'a Figure>,
    width: Px,
    max_h: Px,
    look: &DrawStyle,
) -> (Scene, usize) {
    let mut all = Scene::new(Size { w: width, h: 0.0 });
    let mut n_left_out = 0;
    for figure in figures {
        if 0 < n_left_out {
            n_left_out += 1;
            continue;
        }
        let room = width.max(least_width(figure) + 2.0 * EDGE);
        let part = sheet(figure, room, look, &FigureState::default());
        let y = all.size.h;
        if 0.0 < y && max_h < y + part.size.h {
            n_left_out += 1;
            continue;
        }
        all.size = Size { w: all.size.w.max(part.size.w), h: y + part.size.h };
        lay(&mut all, part, Point { x: 0.0, y });
    }
    (all, n_left_out)
}

/// A text in lines that fit.
fn wrap(words: &str, room: Px) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in words.split_whitespace() {
        let Some(line) = lines.last_mut() else { break };
        let longer = if line.is_empty() { word.to_owned() } else { format!("{line} {word}") };
        if line.is_empty() || text::width(&longer, style::TEXT) <= room {
            *line = longer;
        } else {
            lines.push(word.to_owned());
        }
    }
    lines
}

// Going through what a picture says with the arrow keys: from one place with words to the next.

/// Where an arrow key goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    Left,
    Right,
    Up,
    Down,
}

impl Way {
    /// The way of a key as browsers call it.
    pub fn of_key(key: &str) -> Option<Self> {
        match key {
            "ArrowLeft" => Some(Self::Left),
            "ArrowRight" => Some(Self::Right),
            "ArrowUp" => Some(Self::Up),
            "ArrowDown" => Some(Self::Down),
            _ => None,
        }
    }
}

/// How far a picture is scrolled sideways so that a place on it is seen: `left` and `width` are what is in view now. Where
/// the place is in view already nothing moves; one that is wider than the view begins at its left edge.
pub fn scrolled(rect: Rect, left: Px, width: Px) -> Px {
    left.max(rect.x + rect.w - width).min(rect.x)
}

/// How much less a step to the side is wanted than one along the way.
const ASIDE: Px = 4.0;

/// The places of a picture with words, in the order in which they were drawn.
fn places(scene: &Scene) -> impl Iterator<Item = (Rect, &str)> {
    scene.shapes.iter().filter_map(|shape| match shape {
        Shape::Hit { rect, name } => Some((*rect, name.as_str())),
        _ => None,
    })
}

/// The place with words that lies next in a direction, and the words; the first one where there is none to go from, `None`
/// where nothing lies there. Costs the shapes.
pub fn next_by_key(scene: &Scene, from: Option<Rect>, way: Way) -> Option<(Rect, &str)> {
    let Some(from) = from else { return places(scene).next() };
    let middle = |rect: Rect| (rect.x + rect.w / 2.0, rect.y + rect.h / 2.0);
    let (x, y) = middle(from);
    let cost = |rect: Rect| {
        let (to_x, to_y) = middle(rect);
        let (along, aside) = match way {
            Way::Left => (x - to_x, to_y - y),
            Way::Right => (to_x - x, to_y - y),
            Way::Up => (y - to_y, to_x - x),
            Way::Down => (to_y - y, to_x - x),
        };
        (0.5 < along).then(|| along + ASIDE * aside.abs())
    };
    let ahead = places(scene).filter_map(|place| Some((cost(place.0)?, place)));
    ahead.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, place)| place)
}

// What decides the colors of slices: what every trace has (name, row, category, length), or a color scheme of a system.

/// Colors that a system brings.
pub struct ColorScheme {
    /// Stable id: in addresses, in frames and on the command line.
    pub id: &'static str,
    /// What a person calls it where colors of slices are chosen; an English phrase of `base::words`.
    pub title: &'static str,
    /// What a person calls it where it is chosen for everything; `None` when it is only for slices. Its figures take the
    /// tokens of `[data-colors="id"]`.
    pub page_title: Option<&'static str>,
    /// Whether it is offered for a trace.
    pub applies: fn(&Trace) -> bool,
    /// How a slice with this name and this color name (empty without one) is painted.
    pub paint: fn(name: &str, color: &str) -> Paint,
    /// What its colors mean, of the color names that occur, as English phrases; `None` when names do.
    pub legend: Option<fn(&mut dyn Iterator<Item = &str>) -> Legend>,
    /// The color of a counter's series and of flows by their names; `None` when they have those of all traces.
    pub of_key: Option<fn(&str) -> Ink>,
}

/// Colors and what they mean.
pub type Legend = Vec<(Ink, &'static str)>;

impl PartialEq for ColorScheme {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl fmt::Debug for ColorScheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id)
    }
}

/// What decides the color of a slice.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum ColorBy {
    #[default]
    Name,
    /// Its row: the pipe of a core, the thread of a process.
    Row,
    /// The category the file gives it.
    Category,
    /// How long it lasts: a step of a ramp from one round length to the next.
    Duration,
    Scheme(&'static ColorScheme),
}

impl ColorBy {
    /// What every trace offers, in the order of the menu.
    pub const GENERAL: [Self; 4] = [Self::Name, Self::Row, Self::Category, Self::Duration];

    /// Stable id.
    pub fn id(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Row => Coloring::ROW,
            Self::Category => "category",
            Self::Duration => "duration",
            Self::Scheme(scheme) => scheme.id,
        }
    }

    /// What a person calls it, in English.
    pub fn title(self) -> &'static str {
        match self {
            Self::Name => phrase("Name"),
            Self::Row => phrase("Row"),
            Self::Category => phrase("Category"),
            Self::Duration => phrase("Duration"),
            Self::Scheme(scheme) => scheme.title,
        }
    }

    /// What was asked for by its id, else the scheme that is chosen for everything, else what suits the trace.
    pub fn choose(
        asked: Option<&str>,
        for_all: &str,
        trace: &Trace,
        schemes: &[&'static ColorScheme],
    ) -> Self {
        let scheme =
            |id: &str| schemes.iter().find(|scheme| scheme.id == id).map(|&scheme| Self::Scheme(scheme));
        let known = |id: &str| Self::GENERAL.into_iter().find(|by| by.id() == id).or_else(|| scheme(id));
        let chosen = asked.and_then(known).or_else(|| scheme(for_all));
        chosen.or_else(|| known(trace.coloring.best)).unwrap_or_default()
    }
}
