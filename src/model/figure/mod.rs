//! Figures: what is shown as one picture or one short table, as plain data.
//!
//! A reader or an analysis yields figures; views draw any of them, and compare, export and text alternatives
//! work on any of them, without knowing who made it. A number that is missing is `None`.
//! A family is one figure in variants that the user chooses from (block 0, block 1, all; cycles, throughput).

mod cell;
mod chart;
mod facts;
mod gantt;
mod graph;
mod grid;
mod state;
pub mod target;

pub use chart::{
    Bar, BarRole, Bars, Histogram, HistogramSeries, Line, LineChart, Mark, PlotPoint, Roof, RoofPoint,
    Roofline, Scatter, ScatterSeries,
};
pub use facts::{Cell, Fact, Facts, TableColumn, TableFigure};
pub use gantt::{Gantt, GanttBar, GanttLane};
pub use graph::{BoxArrow, GraphArrow, GraphBox, GraphRole};
pub use grid::{Axis, Band, CoreCell, CoreGrid, CoreRow, Fold, HeatMap, Matrix, MatrixCell, Ramp, Shading};
pub use state::FigureState;
pub use target::{Passage, RowsOf, Target, ranges};

use crate::base::unit::Unit;
use crate::base::words::{Message, phrase};
use serde::{Deserialize, Serialize};

/// One figure in the variants the user chooses from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Family {
    /// Stable id for the URL and exports, such as `compute-workload`.
    pub id: String,
    /// The panel it stands in; families of one section stand together, sections in order of first use.
    pub section: String,
    /// What a person reads.
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
    /// The options, in order.
    pub options: Vec<String>,
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
        let mut at = 0;
        for (i, choice) in self.choices.iter().enumerate() {
            let n = choice.options.len().max(1);
            let option = chosen.get(i).copied().filter(|&o| o < n).unwrap_or(0);
            at = at * n + option;
        }
        self.variants.get(at)
    }
}

/// One figure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    /// What a person reads.
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
    /// The sentence.
    pub text: Message,
    /// Whether it says that something costs time (shown as a warning) or only informs.
    pub is_costly: bool,
    /// Whether it names what bounds the run: such sentences come before all others.
    #[serde(default)]
    pub is_bound: bool,
    /// Rows of the figure's table that show it; empty where the whole figure does.
    #[serde(default)]
    pub rows: Vec<u32>,
}

impl Advice {
    /// A sentence that the whole figure shows.
    pub fn new(text: impl Into<Message>, is_costly: bool) -> Self {
        Self { text: text.into(), is_costly, is_bound: false, rows: Vec::new() }
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
    /// Boxes and arrows.
    Graph(BoxArrow),
    /// Rooflines with points.
    Roofline(Roofline),
    /// Counts by value.
    Histogram(Histogram),
    /// Points.
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
    /// Its unit.
    pub unit: Unit,
    /// How it is divided.
    pub scale: ScaleKind,
}
