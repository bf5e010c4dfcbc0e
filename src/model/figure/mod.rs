//! Figures: what is shown as one picture or one short table, as plain data.
//!
//! A reader or an analysis yields figures; views draw any of them, and compare, export and text alternatives
//! work on any of them, without knowing who made it. A number that is missing is `None`.
//! A family is one figure in variants that the user chooses from (block 0, block 1, all; cycles, throughput).

mod chart;
mod grid;
mod table;
pub mod target;

pub use chart::{
    Bar, BarRole, Bars, Histogram, HistogramSeries, Line, LineChart, Mark, PlotPoint, Roof, RoofPoint,
    Roofline, Scatter, ScatterSeries,
};
pub use grid::{Axis, Band, CoreCell, CoreGrid, CoreRow, Fold, HeatMap, Matrix, MatrixCell, Ramp, Shading};
pub use table::{Cell, Fact, Facts, TableColumn, TableFigure, TableOf};
pub use target::{Passage, RowsOf, Target, ranges};

use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};
use serde::{Deserialize, Serialize};

/// One figure in the variants the user chooses from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Family {
    /// Stable id for the URL and exports, such as `compute-workload`.
    pub id: String,
    /// The panel it stands in; families of one section stand together, sections in order of first use.
    pub section: String,
    pub title: String,
    /// What can be chosen; empty when there is one variant.
    pub choices: Vec<Choice>,
    /// The variants: the last choice turns fastest. Exactly the product of the options' numbers.
    pub variants: Vec<Figure>,
}

/// Name of the choice between charts that are one figure: its options are tabs.
pub const CHART: &str = phrase("Chart");

/// One thing to choose.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Choice {
    /// What is chosen, such as "Block" or "Show as".
    pub name: String,
    pub options: Vec<String>,
}

impl Choice {
    /// Number of the option that is chosen by name among these names of choices with their options; the first where none is.
    pub fn number(&self, chosen: &[(String, String)]) -> usize {
        let option = chosen.iter().find(|(name, _)| *name == self.name).map(|(_, option)| option);
        option.and_then(|option| self.options.iter().position(|own| own == option)).unwrap_or(0)
    }
}

impl Family {
    /// A family with one variant.
    pub fn single(id: &str, section: &str, figure: Figure) -> Self {
        Self {
            id: id.to_owned(),
            section: section.to_owned(),
            title: figure.title.clone(),
            choices: Vec::new(),
            variants: vec![figure],
        }
    }

    /// The variant of these option numbers; options out of range are taken as 0.
    pub fn variant(&self, chosen: &[usize]) -> Option<&Figure> {
        self.variants.get(self.variant_at(chosen))
    }

    /// Which one that is.
    pub fn variant_at(&self, chosen: &[usize]) -> usize {
        let options = self.choices.iter().map(|choice| choice.options.len().max(1)).enumerate();
        options.fold(0, |at, (i, n)| at * n + chosen.get(i).copied().filter(|&o| o < n).unwrap_or(0))
    }
}

/// One figure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    pub title: String,
    /// Unit or scope behind the title, such as "share of cycles, block 0"; may be empty.
    pub scope: String,
    /// Remarks, such as definitions or why something is missing.
    pub notes: Vec<Message>,
    /// What the tool or an analysis concludes.
    pub advice: Vec<Advice>,
    /// The picture or table itself.
    pub body: Body,
}

impl Figure {
    /// A figure without scope, notes and advice.
    pub fn new(title: impl Into<String>, body: Body) -> Self {
        Self { title: title.into(), scope: String::new(), notes: Vec::new(), advice: Vec::new(), body }
    }

    /// No facts, for when there is nothing to show.
    pub fn nothing() -> Self {
        Self::of_facts(Vec::new())
    }

    /// Facts; who asks for them gives the title.
    pub fn of_facts(facts: Vec<Fact>) -> Self {
        Self::new("", Body::Facts(Facts { facts }))
    }
}

impl Body {
    /// The name of its kind, as in JSON: `heat-map`.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Facts(_) => "facts",
            Self::Table(_) => "table",
            Self::Bars(_) => "bars",
            Self::Cores(_) => "cores",
            Self::Matrix(_) => "matrix",
            Self::HeatMap(_) => "heat-map",
            Self::Graph(_) => "graph",
            Self::Roofline(_) => "roofline",
            Self::Histogram(_) => "histogram",
            Self::Scatter(_) => "scatter",
            Self::Lines(_) => "lines",
            Self::Gantt(_) => "gantt",
        }
    }
}

/// A conclusion with its weight.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Advice {
    pub text: Message,
    /// Whether it says that something costs time (shown as a warning) or only informs.
    pub is_costly: bool,
    /// Whether it names what bounds the run: such sentences come before all others of figures.
    #[serde(default)]
    pub is_bound: bool,
    /// Rows of the figure's table that show it; empty where the whole figure does.
    #[serde(default)]
    pub rows: Vec<u32>,
    /// What it claims, in short: sentences that have one of these in common are one fact. Empty for what nothing else says.
    #[serde(default)]
    pub claims: Vec<String>,
    /// The program that wrote the sentence into the file; empty for ours.
    #[serde(default)]
    pub writer: String,
}

/// A sentence of the program that wrote a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Quote {
    /// The program.
    pub writer: String,
    pub text: Message,
}

impl Quote {
    /// The sentence behind the name of its program.
    pub fn said(&self) -> Message {
        message("{writer}: {text}").with("writer", &self.writer).with_message("text", self.text.clone())
    }
}

impl Advice {
    /// A sentence that the whole figure shows.
    pub fn new(text: impl Into<Message>, is_costly: bool) -> Self {
        let (text, rows, claims, writer) = (text.into(), Vec::new(), Vec::new(), String::new());
        Self { text, is_costly, is_bound: false, rows, claims, writer }
    }

    /// The same with what it claims.
    #[must_use]
    pub fn claiming(self, claims: impl IntoIterator<Item = String>) -> Self {
        Self { claims: claims.into_iter().collect(), ..self }
    }

    /// Whether it is one fact with what claims this.
    pub fn is_of(&self, claims: &[String]) -> bool {
        self.claims.iter().any(|own| claims.contains(own))
    }

    /// As it is shown: a sentence of the writer is marked as such.
    pub fn said(&self) -> Message {
        match self.quote() {
            Some(quote) => quote.said(),
            None => self.text.clone(),
        }
    }

    /// The sentence as one of the writer; `None` for ours.
    pub fn quote(&self) -> Option<Quote> {
        let (writer, text) = (self.writer.clone(), self.text.clone());
        (!writer.is_empty()).then_some(Quote { writer, text })
    }

    /// A sentence that names what bounds the run.
    pub fn bound(text: impl Into<Message>) -> Self {
        Self { is_bound: true, ..Self::new(text, true) }
    }
}

/// The kinds of figures.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Body {
    /// Names with values.
    Facts(Facts),
    /// A short table.
    Table(TableFigure),
    /// Horizontal bars.
    Bars(Bars),
    /// Cores with colored cells.
    Cores(CoreGrid),
    /// Rows × columns of numbers with totals and shares.
    Matrix(Matrix),
    /// Many cells colored by value.
    HeatMap(HeatMap),
    Graph(BoxArrow),
    Roofline(Roofline),
    /// Counts by value.
    Histogram(Histogram),
    Scatter(Scatter),
    /// Lines over a common axis: curves, steps, cumulative shares.
    Lines(LineChart),
    /// Bars on lanes.
    Gantt(Gantt),
}

/// A number of a figure; `None` is missing.
pub type Number = Option<f64>;

/// How an axis is divided.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ScaleKind {
    /// Equal steps.
    #[default]
    Linear,
    /// Equal factors; values that are not positive are left out and counted.
    Log,
}

/// What an axis says.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AxisLabel {
    /// Name of the quantity.
    pub name: String,
    pub unit: Unit,
    pub scale: ScaleKind,
}

// What a person has set on a figure while looking at it: never part of the data, only of its drawing.

/// How a figure is being looked at. The default shows all of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FigureState {
    /// Places of the marks after dragging; empty leaves them where the figure has them.
    pub marks: Vec<f64>,
    /// Series that are switched off, by number.
    pub hidden: Vec<usize>,
    /// Draws the cumulative share instead of counts; `None` does as the figure says.
    pub is_cumulative: Option<bool>,
    /// The part of the horizontal axis that is shown, 0 to 1; `None` is all.
    pub x_window: Option<(f64, f64)>,
    /// The part of the vertical axis that is shown, 0 to 1 from the top; `None` is all.
    pub y_window: Option<(f64, f64)>,
    /// Where the pointer is, in CSS pixels of the drawing: the place read out is marked.
    pub pointer: Option<(f32, f32)>,
}

// Bars on lanes over a common axis: block schedules, lifetimes, flame graphs.

/// Bars on lanes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Gantt {
    pub x: AxisLabel,
    /// Lanes from the top; lanes of one group stand together.
    pub lanes: Vec<GanttLane>,
    /// Bars in any order.
    pub bars: Vec<GanttBar>,
    /// What the color of a bar means; empty when bars are colored by name.
    pub value: AxisLabel,
    /// Whether every lane is one level of nesting (a flame graph): rows are taller and labels are drawn in bars.
    pub is_nested: bool,
    /// Whether the time from the last bar of a group to the end is shown at the right.
    pub has_idle: bool,
    /// The bar that the figure is about, a row of [`Gantt::bars`]: it is outlined. The longest where it is about none.
    #[serde(default)]
    pub outlined: Option<u32>,
}

/// One lane.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GanttLane {
    /// Its group, such as "SM 4".
    pub group: String,
    /// Its name inside the group; may be empty.
    pub name: String,
}

/// One bar.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GanttBar {
    /// Row of [`Gantt::lanes`].
    pub lane: u32,
    /// Where it begins.
    pub start: f64,
    /// Where it ends.
    pub end: f64,
    pub name: String,
    /// Value that decides the color; `None` colors by name.
    pub value: Option<f64>,
}

// Boxes and arrows at fixed places: memory charts, control flow.

/// Boxes and arrows on a plane of `width × height` units; drawings scale it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BoxArrow {
    /// Width of the plane.
    pub width: f32,
    /// Height of the plane.
    pub height: f32,
    /// Unit of the values of arrows.
    pub unit: Unit,
    /// Boxes; containers before what they contain.
    pub boxes: Vec<GraphBox>,
    pub arrows: Vec<GraphArrow>,
}

/// What a box is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GraphRole {
    /// Holds other boxes.
    Container,
    Memory,
    Compute,
    /// Anything else, such as a basic block.
    Plain,
}

/// One box.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GraphBox {
    pub name: String,
    /// One fact below the name; may be empty.
    pub fact: Message,
    /// What hovering says, such as the formula of the fact; may be empty.
    pub detail: String,
    pub role: GraphRole,
    /// Left, top, width, height on the plane.
    pub rect: [f32; 4],
}

/// One arrow.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GraphArrow {
    /// Key that joins arrows when two graphs are compared, such as the path id.
    pub key: String,
    /// Name, such as "L1 → L0A".
    pub name: String,
    /// Corners on the plane, at least two; the head is at the last.
    pub points: Vec<[f32; 2]>,
    /// Corners of a second line of the same arrow, from another source or to another target; may be empty.
    #[serde(default)]
    pub branch: Vec<[f32; 2]>,
    pub value: Number,
    /// The baseline, written in parentheses; `None` when nothing is compared.
    pub second: Number,
    /// Words behind the value, such as "(theoretical value)".
    pub suffix: String,
    /// Share of its peak, 0 to 1; decides color and width.
    pub peak_share: Number,
    /// Where the value is written.
    pub label_at: [f32; 2],
    /// What hovering says.
    pub detail: String,
    /// Rows of tables that say more about it; there may be no such rows.
    #[serde(default)]
    pub rows: Vec<RowsOf>,
}
