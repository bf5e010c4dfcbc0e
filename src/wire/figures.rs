//! Questions, answers and frames of figures and long tables.

use crate::base::geometry::{Point, Size};
use crate::base::unit::Unit;
use crate::base::words::Message;
use crate::draw::page::Need;
use crate::model::figure::{Advice, Choice, Figure, FigureState, Quote, Target};
use crate::wire::Picture;
use crate::wire::Question;
use serde::{Deserialize, Serialize};

/// Before the id of a long table that is packed or compared as a figure.
pub const LONG_TABLE: &str = "table:";

/// A question about figures and long tables.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum FigureQuery {
    /// Which figures and tables there are.
    List,
    /// What is concluded of them, see [`AdviceLine`].
    Advice,
    Figure {
        /// Id of the family.
        id: String,
        /// Option numbers, one for each choice.
        chosen: Vec<usize>,
    },
    /// One variant of a figure as bytes, for the worker of another document: answered by `Answer::Packed`.
    Packed {
        /// Id of the family.
        id: String,
        /// Option numbers, one for each choice.
        chosen: Vec<usize>,
    },
    /// One variant of a figure joined with one of a baseline, whose bytes travel beside the question. It is kept until
    /// the next of this family, so that frames can show it.
    Compare {
        /// Id of the family.
        id: String,
        /// Option numbers, one for each choice.
        chosen: Vec<usize>,
    },
    /// Where a point of a drawing leads.
    Targets { frame: Frame, size: Size, at: Point },
    /// What lies under a point of a figure that is drawn in the worker.
    ReadOut { frame: Frame, size: Size, at: Point },
}

/// An answer about figures and long tables.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Reply {
    List {
        /// Figures, in the order they are shown.
        families: Vec<FamilyHead>,
        /// Long tables.
        tables: Vec<TableHead>,
    },
    /// What bounds the run first, then what costs most.
    Advice(Vec<AdviceLine>),
    Figure(Box<Shown>),
    /// Where a place leads, what is meant most first; empty when it leads nowhere.
    Targets(Vec<Target>),
    /// A name, then lines of label, tab, value; nothing where nothing lies.
    ReadOut(Option<String>),
}

/// One fact that is concluded of a figure, in the words of the finding that says it, or of the figure itself.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AdviceLine {
    /// The sentence; what counts in it stands between signs, see [`crate::analysis::finding::STRONG`].
    pub sentence: Message,
    /// The cause, or the change that follows; may be empty.
    pub line: Message,
    /// The program whose sentence it is; empty for ours.
    pub writer: String,
    /// What the writer of the file says of the same.
    pub quotes: Vec<Quote>,
    pub is_costly: bool,
    /// Id and title of the figure that shows it, and what is chosen of it.
    pub figure: String,
    pub title: String,
    pub chosen: Vec<usize>,
    /// Rows of its table that show it; empty where all of it does.
    pub rows: Vec<u32>,
}

/// One family of figures, without its numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FamilyHead {
    pub id: String,
    /// The panel it stands in.
    pub section: String,
    pub title: String,
    /// Id of the analysis that computes it; empty for figures of the files.
    pub analysis: String,
    /// Kind of its first variant, such as `heat-map`.
    pub kind: String,
    pub need: Need,
    /// What can be chosen.
    pub choices: Vec<Choice>,
    /// Advice of all of its variants, without repetition.
    pub advice: Vec<Advice>,
}

/// One long table, without its rows.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TableHead {
    pub id: String,
    pub title: String,
    pub rows: usize,
    /// Names and units of its columns, and whether they hold numbers.
    pub columns: Vec<(String, Unit, bool)>,
    /// Which columns have no value in any row.
    pub empty: Vec<usize>,
    /// The line that stands for it where its rows differ in nothing but their first column.
    pub flat: Option<Message>,
    /// Remarks below.
    pub notes: Vec<Message>,
}

/// One figure for the page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Shown {
    /// The figure. A dense one comes without its cells, bars or points.
    pub figure: Figure,
    /// Whether cells, bars or points were left out: then it is drawn in the worker.
    pub is_dense: bool,
    /// Lowest and highest value that decides a color, for the legend of a dense one.
    pub range: Option<(f64, f64)>,
    /// The line that stands for it where all of its values are the same.
    pub flat: Option<Message>,
    /// The figure in words.
    pub words: String,
}

/// One frame of a figure, at any size.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Frame {
    /// Id of the family.
    pub id: String,
    /// Option numbers, one for each choice.
    pub chosen: Vec<usize>,
    pub state: FigureState,
    /// Whether the figure is shown as it was joined with a baseline.
    pub is_compared: bool,
}

/// What the page must know of a frame.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Note {
    /// What it shows, in words, for people who do not see it.
    pub alt: String,
    /// What lies under the pointer of the state: a name, then lines of label, tab, value; empty when nothing does.
    pub under: String,
    /// Whether what lies under the pointer leads anywhere.
    pub leads: bool,
    /// Height in which it looks right at the width it was drawn in.
    pub height: f32,
}

impl Question for FigureQuery {
    const OF: &'static str = "figures";
    type Reply = Reply;
}

impl Picture for Frame {
    const OF: &'static str = "figures";
    type Note = Note;
}
