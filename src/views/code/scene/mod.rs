//! Source and instructions: one frame of a listing, only the rows in view.
//!
//! ```text
//! ┃ heat 4 │ number │ (pipe) │ code …                │ metric │ metric │ stalls │ overview 10 ┃
//! ```
//! Heat and number stand still when the rest scrolls sideways; where not everything fits, the first metric and the one
//! that heat follows stay at the right edge. The head of the columns is no part of the picture: the
//! page writes it as text from the [`Layout`], so that it can be clicked, sorted and read aloud.

mod cells;
mod columns;
mod hue;
mod overview;
mod registers;
mod strip;
mod text;

pub use cells::stall_hues;
pub use columns::{ColumnPlace, Layout, full_in, short};
pub use text::text_width;

use crate::analysis::code::syntax::Token;
use crate::analysis::code::{Arrange, ColumnSummary, GAP, Order, RegisterTracks, SearchQuery, heat};
use crate::analysis::compare::code::BaselineMatch;
use crate::base::geometry::{Point, Px, Rect, Size};
use crate::model::code::{ControlFlow, Listing, ListingKind, RowClass};
use crate::model::id::ListingId;
use crate::scene::palette::{Ink, Palette, RampName};
use crate::scene::{Align, Font, Scene, Shape, Stroke};
use serde::{Deserialize, Serialize};
use std::rc::Rc;

/// Width of the heat at the left edge.
const GUTTER: Px = 4.0;
/// Width of the overview at the right edge.
pub const OVERVIEW: Px = 10.0;

/// One frame of a listing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Frame {
    /// The listing.
    pub listing: ListingId,
    /// Row of `cores`.
    pub core: u16,
    /// The column that the gutter and the overview show.
    pub heat: Option<u16>,
    /// Columns to be shown; `None` for all.
    pub columns: Option<Vec<u16>>,
    /// Place of the first visible row; parts of a row are parts of its height.
    pub first: f64,
    /// How far it is scrolled sideways.
    pub left: Px,
    /// Height of a row.
    pub row_px: Px,
    /// Width of a character of the code face, as the page measured it.
    pub char_px: Px,
    /// Width of the column of code; 0 takes what the others leave.
    pub code_px: Px,
    /// Which rows in which order.
    pub arrange: Arrange,
    /// The chosen row of this listing.
    pub selected: Option<u32>,
    /// Rows that belong to this row of another listing are marked.
    pub linked_to: Option<(ListingId, u32)>,
    /// Where there are any, rows with addresses in these ranges are marked instead; as in [`Arrange::within`].
    pub marked: Vec<(u64, u64)>,
    /// The listing at the other side: rows that differ from it are marked at their edge.
    pub beside: Option<ListingId>,
    /// The place under the pointer.
    pub hover: Option<u32>,
    /// Every place of this is marked.
    pub search: Option<SearchQuery>,
    /// Whether differences to the baseline stand behind the column that was joined with it.
    pub is_compared: bool,
}

impl Frame {
    /// The same without lengths that nothing can be drawn with.
    #[must_use]
    pub fn bounded(&self) -> Self {
        Self {
            first: self.first.max(0.0),
            left: self.left.max(0.0),
            row_px: self.row_px.max(8.0),
            char_px: self.char_px.max(1.0),
            ..self.clone()
        }
    }
}

/// Everything a frame shows.
pub struct View<'a> {
    /// What is to be shown.
    pub frame: &'a Frame,
    /// The listing.
    pub listing: &'a Listing,
    /// Which rows in which order.
    pub order: &'a Order,
    /// Totals of each column of the listing.
    pub summaries: &'a [Rc<ColumnSummary>],
    /// Tracks of each column of the listing, where it has registers.
    pub registers: &'a [Option<Rc<RegisterTracks>>],
    /// Heat of the whole listing, from its first row to its last.
    pub overview: &'a [f32],
    /// Tokens of the rows in view, from the top.
    pub tokens: &'a [Vec<Token>],
    /// How the rows in view differ from the listing beside, from the top; rows without are the same.
    pub classes: &'a [RowClass],
    /// Rows that are marked, ascending.
    pub linked: &'a [u32],
    /// How control went through the listing.
    pub flow: Option<&'a ControlFlow>,
    /// The column that was joined with a baseline, and what each row of the listing meets there.
    pub joined: Option<(usize, &'a [BaselineMatch])>,
}

impl View<'_> {
    /// The places in view: whole and partly visible rows.
    pub fn places(first: f64, row_px: Px, height: Px, total: usize) -> std::ops::Range<usize> {
        let from = (first.max(0.0).floor() as usize).min(total);
        let n = (f64::from(height / row_px.max(1.0)) + first.fract()).ceil().clamp(0.0, 10_000.0) as usize;
        from..(from + n).min(total)
    }

    /// Row of the trace's cores.
    fn core(&self) -> usize {
        usize::from(self.frame.core)
    }

    fn in_view(&self, height: Px) -> std::ops::Range<usize> {
        Self::places(self.frame.first, self.frame.row_px, height, self.order.len())
    }

    fn is_linked(&self, row: usize) -> bool {
        self.linked.binary_search(&(row as u32)).is_ok()
    }

    /// Color of a row's heat; `None` when it is not warm.
    fn heat_of(&self, row: usize, palette: &Palette) -> Option<Ink> {
        let column = usize::from(self.frame.heat?);
        let value = self.listing.columns.get(column)?.cells.number(row, self.core())?;
        warm(heat(value, self.summaries.get(column)?.max), palette)
    }
}

/// The color of a heat from 0 to 1; `None` for 0, which is the ground itself.
fn warm(heat: f64, palette: &Palette) -> Option<Ink> {
    (0.0 < heat).then(|| Ink::Rgba(palette.ramp(RampName::Heat, heat)))
}

/// One row while it is drawn.
#[derive(Clone)]
struct Row {
    /// Row of the listing, or [`GAP`].
    at: usize,
    /// Its top edge.
    y: Px,
    /// Color of its ground.
    ground: Ink,
}

impl Row {
    /// The base line of text of this size in the middle of the row.
    fn baseline(&self, height: Px, size: Px) -> Px {
        (self.y + height / 2.0 + size * 0.35).round()
    }
}

/// Draws a frame. Costs the rows in view and the stripes of the overview.
pub fn draw(view: &View, size: Size, palette: &Palette) -> (Scene, Layout) {
    let layout = Layout::of(view, size);
    let mut scene = Scene::new(size);
    scene.fill(Rect::new(0.0, 0.0, size.w, size.h), Ink::Token("s0"));
    let body = Rect::new(0.0, 0.0, size.w - OVERVIEW, size.h);
    let rows = rows_in_view(view, size.h);
    grounds(&mut scene, view, &rows, body);
    let filled: Vec<Row> = rows.iter().filter(|row| row.at != GAP as usize).cloned().collect();
    strip::blocks(&mut scene, view, &filled, body);
    let moving = Rect::new(layout.frozen, 0.0, (layout.pinned - layout.frozen).max(0.0), size.h);
    scene.shapes.push(Shape::Clip(moving));
    text::code_column(&mut scene, view, &layout, &rows, palette);
    cells::columns(&mut scene, view, &layout, &filled, false);
    scene.shapes.push(Shape::Unclip);
    if layout.pinned < body.w {
        cells::columns(&mut scene, view, &layout, &filled, true);
        scene.fill(Rect::new(layout.pinned.round(), 0.0, 1.0, size.h), Ink::Token("line"));
    }
    frozen(&mut scene, view, &layout, &rows, palette);
    strip::draw(&mut scene, view, (GUTTER + 6.0, size.h), palette);
    let strip = Rect::new(body.w, 0.0, OVERVIEW, size.h);
    overview::draw(&mut scene, view, strip, palette);
    (scene, layout)
}

fn rows_in_view(view: &View, height: Px) -> Vec<Row> {
    let above = view.frame.first;
    view.in_view(height)
        .map(|place| {
            let at = view.order.row_or_gap(place) as usize;
            // Differences in f64: places of long listings do not fit f32.
            let y = ((place as f64 - above) * f64::from(view.frame.row_px)) as Px;
            let is_chosen = view.frame.selected == Some(at as u32) || view.is_linked(at);
            let ground = match (is_chosen, view.frame.hover == Some(place as u32)) {
                (true, _) => Ink::Token("sel"),
                (false, true) => Ink::Token("hover"),
                (false, false) if at == GAP as usize => Ink::Token("s1"),
                (false, false) => Ink::Token("s0"),
            };
            Row { at, y, ground }
        })
        .collect()
}

fn grounds(scene: &mut Scene, view: &View, rows: &[Row], body: Rect) {
    for row in rows.iter().filter(|r| r.ground != Ink::Token("s0")) {
        let rect = Rect::new(body.x, row.y, body.w, view.frame.row_px);
        scene.fill(rect, row.ground);
        // Among many marked rows the chosen one is still to be found.
        if view.frame.selected == Some(row.at as u32) && 1 < view.linked.len() {
            let stroke = Stroke::new(Ink::Token("sel-line"), 1.0);
            scene.shapes.push(Shape::Outline { rect, radius: 0.0, stroke });
        }
    }
}

/// Heat, the edge of chosen rows, and the number.
fn frozen(scene: &mut Scene, view: &View, layout: &Layout, rows: &[Row], palette: &Palette) {
    let is_source = view.listing.kind == ListingKind::Source;
    let left = GUTTER + 8.0 + strip::width(view);
    for (i, row) in rows.iter().enumerate().filter(|(_, row)| row.at != GAP as usize) {
        if let Some(ink) = view.heat_of(row.at, palette) {
            scene.fill(Rect::new(0.0, row.y, GUTTER, view.frame.row_px), ink);
        }
        let is_chosen = row.ground == Ink::Token("sel");
        if is_chosen {
            scene.fill(Rect::new(GUTTER, row.y, 2.0, view.frame.row_px), Ink::Token("accent"));
        }
        if let Some(ink) = view.classes.get(i).and_then(|class| class_ink(*class)) {
            scene.fill(Rect::new(GUTTER + 2.0, row.y, 3.0, view.frame.row_px), ink);
        }
        let ink = Ink::Token(if is_chosen { "t1" } else { "t3" });
        let (text, font, size) = if is_source {
            ((row.at + 1).to_string(), Font::ui(11.0), 11.0)
        } else {
            (label(view.listing, row.at), Font::mono(12.0), 12.0)
        };
        let y = row.baseline(view.frame.row_px, size);
        if is_source {
            let at = Point { x: layout.frozen - columns::NUMBER_GAP, y };
            scene.text(at, text, font, ink, Align::Right);
        } else {
            scene.text(Point { x: left, y }, text, font, ink, Align::Left);
        }
    }
}

/// The color at the edge of a row that differs from the listing beside.
fn class_ink(class: RowClass) -> Option<Ink> {
    match class {
        RowClass::Same => None,
        RowClass::Changed => Some(Ink::Token("warn")),
        RowClass::Inserted => Some(Ink::Token("better")),
        RowClass::Removed => Some(Ink::Token("worse")),
    }
}

/// What a row is called: its line number, or its address.
pub fn label(listing: &Listing, row: usize) -> String {
    match listing.address.get(row) {
        Some(address) => format!("{address:x}"),
        None => (row + 1).to_string(),
    }
}
