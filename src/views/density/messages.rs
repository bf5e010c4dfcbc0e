//! Questions, answers and frames of accesses by page and clock.

use crate::base::geometry::{Point, Rect, Size};
use crate::base::unit::Unit;
use crate::base::words::Message;
use crate::model::figure::Fact;
pub use crate::model::figure::Shading;
use crate::views::density::compute::Order;
use crate::wire::Picture;
use crate::wire::Question;
use serde::{Deserialize, Serialize};

/// Most bands of one answer; the others have no row in the legend.
pub const MAX_BANDS: usize = 100;

/// A question about accesses by page and clock.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum DensityQuery {
    Head,
    /// What a window adds up to.
    Sums(Look),
    /// How a window goes over time.
    Course(Look),
    /// Count a window anew, in finer columns and pages. The picture of that window is exact afterwards.
    Zoom(Look),
    /// What lies under a point of the picture.
    Under {
        frame: Box<Frame>,
        size: Size,
        at: Point,
    },
}

/// An answer about accesses by page and clock.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Reply {
    /// What there is; `None` while nothing is counted.
    Head(Option<Box<Head>>),
    Sums(Vec<Fact>),
    /// The course; `None` while nothing is counted.
    Course(Option<Box<Course>>),
    /// The window is counted.
    Zoomed,
    /// What lies there; `None` where nothing does.
    Under(Option<Box<Cell>>),
}

/// What is looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Look {
    /// Clocks from the first one on; `None` is all.
    pub clocks: Option<(f64, f64)>,
    /// Shares of the axis of pages from below; `None` is all.
    pub places: Option<(f64, f64)>,
    /// Whether pages that nobody accessed have a place too.
    pub is_linear: bool,
}

/// A picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Frame {
    pub look: Look,
    /// What decides the strength of the colors.
    pub shading: Shading,
    /// The chosen cell: a clock and an address.
    pub selected: Option<(u64, u64)>,
    /// Counts up when something was counted anew; says nothing to the drawing.
    pub revision: u64,
}

/// Accesses over time, in columns of the same width.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Course {
    /// Where the first column begins, in clocks from the first access on.
    pub from: f64,
    /// Clocks of a column.
    pub step: f64,
    /// Accesses of each column.
    pub accesses: Vec<f64>,
    /// Bytes of the pages that are accessed in each column.
    pub working_set: Vec<f64>,
}

impl Course {
    /// The column at a time, in clocks from the first access on.
    pub fn column(&self, clock: f64) -> Option<usize> {
        let at = ((clock - self.from) / self.step).floor();
        (0.0 <= at && at < self.accesses.len() as f64).then_some(at as usize)
    }

    /// Accesses per clock of a column: so courses with columns of other widths can be compared.
    pub fn rate(&self, column: usize) -> f64 {
        self.accesses.get(column).map_or(0.0, |n| n / self.step.max(1.0))
    }
}

/// What there is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Head {
    /// What the accesses are called.
    pub title: Message,
    /// Id of the analysis that counted them.
    pub analysis: String,
    /// Unit of the clock.
    pub unit: Unit,
    /// What the clock is.
    pub order: Order,
    /// First and last clock.
    pub clocks: (u64, u64),
    /// Pages with accesses.
    pub pages: u64,
    pub page_bytes: u64,
    /// The bytes that were asked for; less where that were too many pages.
    pub asked_bytes: u64,
    pub accesses: u64,
    /// Regions by address, at most [`MAX_BANDS`].
    pub bands: Vec<Band>,
    /// All accesses in numbers, those that can be compared with other results.
    pub facts: Vec<Fact>,
    /// What is to be said of it.
    pub notes: Vec<Message>,
    /// A parameter, an option of it that these records do not allow, and why, an English phrase.
    pub denied: Option<[String; 3]>,
}

/// Pages of one region.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Band {
    pub name: Message,
    /// What else is known of it, such as a shape.
    pub detail: String,
    /// Its bytes; 0 for pages that belong to nothing.
    pub bytes: u64,
    pub accesses: u64,
    /// Its first address; 0 for pages that belong to nothing.
    pub start: u64,
    /// Part of the axis of its pages: shares from below.
    pub places: (f64, f64),
}

/// A cell of the picture.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Cell {
    pub band: u32,
    /// Name of its band.
    pub name: Message,
    /// First and last clock.
    pub clocks: (u64, u64),
    /// First and last address.
    pub addresses: (u64, u64),
    /// Pages with accesses.
    pub pages: u64,
    pub accesses: u64,
    /// First and last block that made some, where somebody knows.
    pub blocks: Option<(u32, u32)>,
}

/// What the page must know of a picture.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Note {
    /// Where cells are drawn.
    pub plot: Rect,
    /// Clocks and bytes of a cell.
    pub cell: (u64, u64),
    /// The picture in words.
    pub alt: String,
}

impl Question for DensityQuery {
    const OF: &'static str = "density";
    type Reply = Reply;
}

impl Picture for Frame {
    const OF: &'static str = "density";
    type Note = Note;
}
