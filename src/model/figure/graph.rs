//! Boxes and arrows at fixed places: memory charts, control flow.

use super::{Number, RowsOf};
use crate::base::unit::Unit;
use crate::base::words::Message;
use serde::{Deserialize, Serialize};

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
    /// Arrows.
    pub arrows: Vec<GraphArrow>,
}

/// What a box is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GraphRole {
    /// Holds other boxes.
    Container,
    /// A memory.
    Memory,
    /// A unit that computes.
    Compute,
    /// Anything else, such as a basic block.
    Plain,
}

/// One box.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GraphBox {
    /// Name inside.
    pub name: String,
    /// One fact below the name; may be empty.
    pub fact: Message,
    /// What hovering says, such as the formula of the fact; may be empty.
    pub detail: String,
    /// What it is.
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
    /// The value written at it.
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
