//! Panels of figures on one page: how much room each needs, and where it stands.

pub mod flat;
pub mod place;

pub use place::{Place, ROWS, TRACKS, place};

use crate::analysis::rows::{FigureRows, Folds};
use crate::base::geometry::Px;
use crate::base::words::phrase;
use crate::draw::style::{DrawStyle, TEXT};
use crate::draw::table::TableFormat;
use crate::draw::{self, matrix};
use crate::model::figure::{Body, CHART, Choice, Family, Figure, TableFigure};
use crate::scene::{Font, table, text};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

// How much room the panel of a figure needs, from its data alone.

/// The room of a panel.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Need {
    /// Narrowest width in which nothing is cut.
    pub least: Px,
    /// Width in which it looks best: more of it is only given where nothing else wants it.
    pub best: Px,
    /// Height in that width.
    pub height: Px,
}

/// What figures are about; where several figures let it be chosen, it is chosen for all of them.
pub const SUBJECTS: [&str; 6] =
    [phrase("Block ID"), phrase("Core"), phrase("Run"), phrase("Loop"), phrase("Kernel"), phrase("Level")];

/// A variant of a figure; its scope says what it is about where there are others, and what is not the first option.
pub fn of_subject<'a>(
    family: &Family,
    figure: &'a Figure,
    numbers: &[usize],
    look: &DrawStyle,
) -> Cow<'a, Figure> {
    let is_subject = |choice: &Choice| SUBJECTS.contains(&choice.name.as_str()) && 1 < choice.options.len();
    let subject = family.choices.iter().position(is_subject);
    let told = family.choices.iter().enumerate().filter_map(|(at, choice)| {
        let number = numbers.get(at).copied().unwrap_or(0);
        let option = choice.options.get(number).filter(|_| Some(at) == subject || 0 < number)?;
        Some(format!("{} {}", look.tr(&choice.name), look.tr(option)))
    });
    let told: Vec<String> = told.collect();
    if told.is_empty() {
        return Cow::Borrowed(figure);
    }
    let scope = Some(look.tr(&figure.scope).to_owned()).filter(|scope| !scope.is_empty());
    let scope = scope.into_iter().chain(told).collect::<Vec<_>>().join(", ");
    Cow::Owned(Figure { scope, ..figure.clone() })
}

/// Narrowest panel of a map.
pub const MAP: Px = 460.0 + EDGES.0;
/// Rows of a table from which it scrolls in itself.
pub const LONG: usize = 14;
/// Edges of a panel, left and right together, and above and below.
const EDGES: (Px, Px) = (33.0, 52.0);
const ROW: Px = 20.0;
const LINE: Px = 18.0;
const TITLE: Font = Font::ui(13.0).weight(600);
/// Letters of options that stand side by side; more become a list.
const LETTERS: usize = 30;
/// Widest head of a panel that its width follows.
const HEAD: Px = 640.0;

impl Need {
    /// What is known of a figure before it is there: how many of three columns it takes.
    pub fn of_columns(columns: u8) -> Self {
        let (least, best, height) = match columns {
            0 | 1 => (300.0, 460.0, 240.0),
            2 => (520.0, 780.0, 260.0),
            _ => (900.0, 1_200.0, 300.0),
        };
        Self { least, best, height }
    }

    /// Of a long table of so many columns and rows.
    pub fn of_table(columns: usize, rows: usize) -> Self {
        let width = columns as Px * 104.0 + EDGES.0;
        Self { least: width.min(1_000.0), best: width, height: table_height(rows) + EDGES.1 }
    }

    /// Of a long table of which only the head is shown, with so many lines of remarks below.
    pub fn of_closed_table(remarks: usize) -> Self {
        Self { least: 260.0, best: 400.0, height: LINE + remarks_height(remarks) + EDGES.1 }
    }

    /// Of a list of sentences.
    pub fn of_lines(lines: usize) -> Self {
        Self { least: 420.0, best: 760.0, height: lines as Px * 22.0 + EDGES.1 }
    }

    /// Of what is folded to a line, with so many lines of remarks below.
    pub fn of_fold(remarks: usize) -> Self {
        Self { height: LINE + remarks_height(remarks) + EDGES.1, ..Self::WHOLE }
    }

    /// Whether this takes a whole row.
    pub fn is_whole(&self) -> bool {
        Self::WHOLE.least <= self.least
    }

    /// What takes a whole row.
    pub const WHOLE: Self = Self { least: 4_000.0, best: 4_000.0, height: 40.0 };
}

/// The room of a figure with what stands in its head: the choices of its own, and whether more is switched there. One
/// that says nothing is folded.
pub fn of_figure(figure: &Figure, range: Option<(f64, f64)>, choices: &[Choice], look: &DrawStyle) -> Need {
    match flat::of_figure(figure) {
        Some(_) => Need::of_fold(figure.notes.len() + figure.advice.len()),
        None => of_open_figure(figure, range, (choices, true), look),
    }
}

/// The same of one that is shown, with the choices in its head, and whether its rows and columns that say nothing are left
/// out.
pub fn of_open_figure(
    figure: &Figure,
    range: Option<(f64, f64)>,
    (choices, is_folded): (&[Choice], bool),
    look: &DrawStyle,
) -> Need {
    let folds = if is_folded { Folds::of(figure) } else { Folds::default() };
    let seen = folds.seen(figure);
    let figure = seen.as_ref().unwrap_or(figure);
    let lines = figure.notes.len() + figure.advice.len();
    if matches!(&figure.body, Body::Table(table) if table.rows.is_empty()) {
        // That there is nothing takes a line, and no room beside what is tall.
        return Need::of_fold(lines);
    }
    let (least, best) = widths(figure, is_folded, look);
    // Maps of one kind have one width, whatever their legends are: a head that is longer has two lines.
    let head = match &figure.body {
        Body::HeatMap(_) => 0.0,
        _ => head_width(figure, range, choices, look).min(HEAD),
    };
    let (least, best) = (least.max(head), best.max(head).max(least));
    // Lines of many names are broken.
    let folded = folds.lines(look.language).into_iter().map(|line| (text::width(&line, TEXT) / best).ceil());
    let remarks = remarks_height(lines + folded.sum::<Px>() as usize);
    let body = match &figure.body {
        Body::Table(table) => table_height(table.rows.len() + table.more_rows - folds.rows.len()),
        Body::HeatMap(_) | Body::Gantt(_) => draw::height(figure, best, look.language).min(560.0),
        _ => draw::height(figure, best, look.language),
    };
    Need { least: least + EDGES.0, best: best + EDGES.0, height: body + remarks + EDGES.1 }
}

fn remarks_height(lines: usize) -> Px {
    if lines == 0 { 0.0 } else { 8.0 + LINE * lines as Px }
}

/// Narrowest and best width of the picture or the table.
fn widths(figure: &Figure, is_folded: bool, look: &DrawStyle) -> (Px, Px) {
    match &figure.body {
        Body::Facts(facts) => (240.0, if facts.facts.len() < 4 { 300.0 } else { 420.0 }),
        Body::Table(table) => table_widths(table, is_folded, look),
        Body::Bars(_) => (280.0, 420.0),
        Body::Cores(grid) => (300.0, (44.0 * grid.cores.len().div_ceil(3) as Px).clamp(360.0, 720.0)),
        Body::Matrix(figure) => (matrix::least_width(figure).ceil(), matrix::best_width(figure)),
        Body::HeatMap(_) => (MAP - EDGES.0, 900.0),
        Body::Graph(graph) => ((graph.width * 0.65).ceil(), graph.width),
        Body::Gantt(_) => (760.0, 1_600.0),
        Body::Histogram(histogram) => (300.0, if histogram.series.len() < 4 { 420.0 } else { 560.0 }),
        // A row for itself: how near a point is to its roof is read the better the larger the chart is.
        Body::Roofline(_) => (Need::WHOLE.least - EDGES.0, Need::WHOLE.best - EDGES.0),
        Body::Scatter(_) | Body::Lines(_) => (360.0, 560.0),
    }
}

/// Narrowest width, in which names give way, and the one in which all is read.
fn table_widths(table: &TableFigure, is_folded: bool, look: &DrawStyle) -> (Px, Px) {
    let rows = if is_folded { FigureRows::folded(table) } else { FigureRows::new(table) };
    let columns = TableFormat::new(&rows).heads(&rows, look);
    let sum = |width: fn(&table::Column) -> f64| columns.iter().map(width).sum::<f64>() as Px;
    (sum(|column| column.least(false)), sum(|column| column.wanted(false)))
}

fn table_height(rows: usize) -> Px {
    let tools = if LONG < rows { 32.0 } else { 0.0 };
    26.0 + tools + ROW * rows.clamp(1, LONG) as Px
}

/// Title, scope, legend and controls side by side.
fn head_width(figure: &Figure, range: Option<(f64, f64)>, choices: &[Choice], look: &DrawStyle) -> Px {
    let title = text::width(look.tr(&figure.title), TITLE);
    let scope = text::width(look.tr(&figure.scope), TEXT).min(120.0);
    let legend = draw::legend(figure, look, range).map_or(0.0, |legend| legend.size.w + 8.0);
    let curve = if matches!(figure.body, Body::Histogram(_)) {
        text::width(look.tr("Counts"), TEXT) + text::width(look.tr("Cumulative"), TEXT) + 44.0
    } else {
        0.0
    };
    let controls: Px = choices.iter().map(|choice| choice_width(choice, look)).sum();
    // The button that saves it stands at the end.
    title + 8.0 + scope + legend + curve + controls + 40.0
}

/// Width of the control of a choice.
fn choice_width(choice: &Choice, look: &DrawStyle) -> Px {
    let widths = || choice.options.iter().map(|option| text::width(look.tr(option), TEXT));
    let n = choice.options.len();
    if n < 2 {
        return text::width(look.tr(&choice.name), TEXT) + widths().sum::<Px>() + 14.0;
    }
    if are_side_by_side(choice) {
        widths().map(|width| width + 18.0).sum::<Px>() + 8.0
    } else {
        text::width(look.tr(&choice.name), TEXT) + widths().fold(0.0, Px::max) + 54.0
    }
}

/// Whether the options of a choice stand side by side: few and short ones, and charts, which are tabs.
pub fn are_side_by_side(choice: &Choice) -> bool {
    let letters: usize = choice.options.iter().map(|option| option.chars().count()).sum();
    let (most, room) = if choice.name == CHART { (6, 100) } else { (4, LETTERS) };
    choice.options.len() <= most && letters <= room
}
