//! Questions, answers and frames about an area, a stretch of time on some tracks: its call tree, tracks that are busy
//! together, categories of its flows.

pub use crate::analysis::area::flame::Order;
use crate::base::geometry::{Point, Size};
use crate::model::id::StrId;
use crate::views::timeline::messages::Area;
use crate::wire::Picture;
use crate::wire::Question;
use serde::{Deserialize, Serialize};

/// A question about an area.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum AreaQuery {
    /// Which frame of its call tree lies under a point.
    Frame {
        frame: Box<Frame>,
        size: Size,
        at: Point,
    },
    /// How busy its devices are.
    Devices(Area),
    Categories(Area),
}

/// An answer about an area.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Reply {
    /// Names from the top of the call tree to a frame; `None` where none is.
    Frame(Option<Vec<StrId>>),
    /// Devices: name, number of streams, share of the time in which at least one of them is busy.
    Devices(Vec<(String, u64, f64)>),
    /// Names of categories, most flows first.
    Categories(Vec<String>),
}

/// A picture of the call tree of an area.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Frame {
    pub area: Area,
    /// How frames stand beside each other.
    pub order: Order,
    /// Id of what decides the colors; `None` is what suits the trace.
    pub color: Option<String>,
    /// Names from the top to the frame that fills the width; empty shows everything.
    pub path: Vec<StrId>,
    /// Where the pointer is: what lies there is marked and told.
    pub pointer: Option<Point>,
}

/// What the page must know of such a picture.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Note {
    /// Height in which all of it is seen.
    pub height: f32,
    /// What lies under the pointer: a name, then lines of label, tab, value; empty when nothing does.
    pub under: String,
    /// The picture in words.
    pub alt: String,
    /// Why not all frames are drawn; empty when they are.
    pub left_out: String,
}

impl Question for AreaQuery {
    const OF: &'static str = "area";
    type Reply = Reply;
}

impl Picture for Frame {
    const OF: &'static str = "area";
    type Note = Note;
}
