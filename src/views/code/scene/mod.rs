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
mod text;

pub use cells::stall_hues;
pub use columns::{ColumnPlace, Layout, full_in, head_in, short};
pub use text::{is_line_cut, text_width};

use crate::analysis::code::syntax::Token;
use crate::analysis::code::{Arrange, ColumnSummary, GAP, Order, RegisterTracks, SearchQuery, heat};
use crate::analysis::compare::code::BaselineMatch;
use crate::base::geometry::{Point, Px, Rect, Size};
use crate::base::number::{fixed, thousands};
use crate::model::code::{ControlFlow, Edge, Listing, ListingKind, RowClass};
use crate::model::id::ListingId;
use crate::scene::palette::{Ink, Palette, RampName};
use crate::scene::{Align, Font, Scene, Shape, Stroke};
use serde::{Deserialize, Serialize};
use std::hash::Hasher;
use std::rc::Rc;

/// Width of the heat at the left edge.
const GUTTER: Px = 4.0;
/// Width of the overview at the right edge.
pub const OVERVIEW: Px = 10.0;

/// One frame of a listing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Frame {
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
    pub frame: &'a Frame,
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
    /// The column that was joined with a baseline, what each row of the listing meets there, and the row whose difference
    /// takes the most letters.
    pub joined: Option<(usize, &'a [BaselineMatch], usize)>,
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
        let value = self.listing.columns.get(column)?.number(row, self.core())?;
        warm(heat(value, self.summaries.get(column)?.max), palette)
    }
}

/// The color of a heat from 0 to 1; `None` for 0, which is the ground itself.
fn warm(heat: f64, palette: &Palette) -> Option<Ink> {
    (0.0 < heat).then(|| Ink::Rgba(palette.ramp(RampName::Heat, heat)))
}

/// One row while it is drawn.
#[derive(Clone)]
struct SeenRow {
    /// Row of the listing, or [`GAP`].
    at: usize,
    y: Px,
    ground: Ink,
}

impl SeenRow {
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
    let filled: Vec<SeenRow> = rows.iter().filter(|row| row.at != GAP as usize).cloned().collect();
    strip_blocks(&mut scene, view, &filled, body);
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
    draw_strip(&mut scene, view, (GUTTER + 6.0, size.h), palette);
    let strip = Rect::new(body.w, 0.0, OVERVIEW, size.h);
    draw_overview(&mut scene, view, strip, palette);
    (scene, layout)
}

fn rows_in_view(view: &View, height: Px) -> Vec<SeenRow> {
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
            SeenRow { at, y, ground }
        })
        .collect()
}

fn grounds(scene: &mut Scene, view: &View, rows: &[SeenRow], body: Rect) {
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
fn frozen(scene: &mut Scene, view: &View, layout: &Layout, rows: &[SeenRow], palette: &Palette) {
    let is_source = view.listing.kind == ListingKind::Source;
    let left = GUTTER + 8.0 + strip_width(view);
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

// Slice colors by name for what stands in listings: pipes and reasons to wait.

/// The slice color of a name: hardware pipes have theirs, other names one by their hash. Never 9, which is "the rest".
fn hue(name: &str) -> u8 {
    match name {
        "MTE2" => 1,
        "CUBE" => 2,
        "VECTOR" => 3,
        "MTE3" => 4,
        "MTE1" => 5,
        "FIXP" | "FIXPIPE" => 6,
        "CACHEMISS" => 8,
        "SCALAR" => 9,
        "FLOWCTRL" => 10,
        _ => {
            let mut hasher = rustc_hash::FxHasher::default();
            hasher.write(name.as_bytes());
            [1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12][(hasher.finish() % 11) as usize]
        }
    }
}

/// Gives names their colors: the same name the same, different names different ones while there are any.
#[derive(Default)]
struct Hues {
    taken: [bool; 13],
}

impl Hues {
    /// The color of the next name; 9 when all are taken.
    fn next(&mut self, name: &str) -> u8 {
        let wish = hue(name);
        let free = (0..12).map(|i| (wish - 1 + i) % 12 + 1).find(|&c| c != 9 && !self.taken[usize::from(c)]);
        let color = if self.taken[usize::from(wish)] { free.unwrap_or(9) } else { wish };
        self.taken[usize::from(color)] = true;
        color
    }
}

/// The ink of a name.
fn hue_ink(name: &str) -> Ink {
    Ink::Slice(hue(name))
}

// The whole listing as a strip: heat of every row, marks of chosen ones, and a frame around what is in view, where the
// listing scrolls alone.

fn draw_overview(scene: &mut Scene, view: &View, strip: Rect, palette: &Palette) {
    scene.fill(strip, Ink::Token("s1"));
    scene.fill(Rect::new(strip.x, strip.y, 1.0, strip.h), Ink::Token("line"));
    let total = view.order.len();
    if total == 0 || strip.h < 1.0 {
        return;
    }
    // A short listing is not stretched: its rows keep their height.
    let used = strip.h.min(total as Px * view.frame.row_px);
    overview_heat(scene, view, Rect { h: used, ..strip }, palette);
    let y_of = |place: f64| strip.y + (place / total as f64) as Px * used;
    for row in view.frame.selected.iter().chain(view.linked.iter().take(2_000)) {
        // Arranged rows are looked up one by one: only where that is cheap.
        let place = if total < 20_000 { view.order.place(*row) } else { natural_place(view, *row) };
        if let Some(place) = place {
            scene.fill(Rect::new(strip.x + 1.0, y_of(place as f64) - 0.5, 3.0, 2.0), Ink::Token("accent"));
        }
    }
    let rows_in_view = f64::from(scene.size.h / view.frame.row_px.max(1.0));
    // Listings that scroll together have one bar, which says it for both.
    if rows_in_view < total as f64 && view.frame.arrange.aligned.is_none() {
        let (top, bottom) = (y_of(view.frame.first), y_of(view.frame.first + rows_in_view));
        let frame = Rect::new(strip.x + 0.5, top, strip.w - 0.5, (bottom - top).max(6.0));
        let stroke = Stroke::new(Ink::Token("t3"), 1.0);
        scene.shapes.push(Shape::Outline { rect: frame, radius: 0.0, stroke });
    }
}

fn natural_place(view: &View, row: u32) -> Option<usize> {
    matches!(view.order, crate::analysis::code::Order::Natural(_)).then_some(row as usize)
}

/// One line of color for each pixel: the hottest of its rows.
fn overview_heat(scene: &mut Scene, view: &View, strip: Rect, palette: &Palette) {
    let n = view.overview.len();
    let height = strip.h.floor().max(1.0) as usize;
    let ground = palette.rgba(Ink::Token("s1"));
    if n == 0 {
        return;
    }
    let colors = (0..height)
        .map(|y| {
            let from = (y * n / height).min(n - 1);
            let to = ((y + 1) * n / height).max(from + 1).min(n);
            let hottest = view.overview[from..to].iter().fold(0.0_f32, |a, &b| a.max(b));
            warm(f64::from(hottest), palette).map_or(ground, |ink| palette.rgba(ink))
        })
        .collect();
    let rect = Rect::new(strip.x + 2.0, strip.y, strip.w - 2.0, height as Px);
    scene.shapes.push(Shape::Cells { rect, width: 1, height: height as u32, colors });
}

// Control flow at the left of the instructions: a line from each branch to where it leads, with how often it was taken,
// and a rule where a block begins. Only where the rows stand in the order of the listing.

/// Width of the counts, and of one line.
const COUNT: Px = 34.0;
const LANE: Px = 7.0;
/// Length of the head of a line.
const HEAD: Px = 8.0;

/// How wide the strip is.
fn strip_width(view: &View) -> Px {
    let lanes = view.flow.map_or(0, ControlFlow::lanes);
    if lanes == 0 { 0.0 } else { COUNT + Px::from(lanes) * LANE + HEAD }
}

fn shown<'a>(view: &View<'a>) -> Option<&'a ControlFlow> {
    view.flow.filter(|_| matches!(view.order, Order::Natural(_)))
}

/// Rules above the first rows of blocks.
fn strip_blocks(scene: &mut Scene, view: &View, rows: &[SeenRow], body: Rect) {
    let Some(flow) = shown(view) else { return };
    for row in rows.iter().filter(|row| 0 < row.at) {
        if u32::try_from(row.at).is_ok_and(|at| flow.blocks.binary_search(&at).is_ok()) {
            scene.fill(Rect::new(body.x, row.y.round(), body.w, 1.0), Ink::Token("line2"));
        }
    }
}

/// The lines that are in view. Costs the edges of the listing.
fn draw_strip(scene: &mut Scene, view: &View, (left, height): (Px, Px), palette: &Palette) {
    let Some(flow) = shown(view) else { return };
    let (right, most) = (left + strip_width(view), flow.most());
    let row_px = view.frame.row_px;
    let y = |row: u32| ((f64::from(row) - view.frame.first) * f64::from(row_px)) as Px + row_px / 2.0;
    let own = view.frame.selected.map(|row| flow.block_of(row));
    for edge in &flow.edges {
        let (top, bottom) = edge.ends();
        let Some(lane) = edge.lane.filter(|_| -row_px <= y(bottom) && y(top) <= height + row_px) else {
            continue;
        };
        // Beyond the edges of the picture no line is needed.
        let [from, to] = [y(edge.from) + 3.0, y(edge.to) - 3.0].map(|y| y.clamp(-row_px, height + row_px));
        let x = left + COUNT + Px::from(lane) * LANE;
        let is_chosen = own.is_some_and(|own| touches(*edge, own));
        let ink = ink(edge, most, is_chosen, palette);
        let points = [(right - HEAD / 2.0, from), (x, from), (x, to), (right, to)];
        let points = points.map(|(x, y)| Point { x, y }).to_vec();
        scene
            .shapes
            .push(Shape::Path { points, stroke: Stroke::new(ink, if is_chosen { 2.0 } else { 1.0 }) });
        for rise in [-3.0, 3.0] {
            let points = vec![Point { x: right - 4.0, y: to + rise }, Point { x: right, y: to }];
            scene.shapes.push(Shape::Path { points, stroke: Stroke::new(ink, 1.0) });
        }
    }
    // Where no jump has a lane there is no room for counts.
    if left < right {
        counts(scene, view, flow, (left + COUNT - 4.0, height));
    }
}

/// How often branches were taken, and how often control fell into a block. A row has room for one of them.
fn counts(scene: &mut Scene, view: &View, flow: &ControlFlow, (right, height): (Px, Px)) {
    let row_px = view.frame.row_px;
    let top = |row: u32| ((f64::from(row) - view.frame.first) * f64::from(row_px)) as Px;
    let mut taken = Vec::new();
    let (jumps, falls): (Vec<&Edge>, Vec<&Edge>) = flow.edges.iter().partition(|edge| edge.lane.is_some());
    for (edge, row) in jumps.iter().map(|e| (e, e.from)).chain(falls.iter().map(|e| (e, e.to))) {
        let y = top(row);
        let Some(count) = edge.count.filter(|_| -row_px <= y && y <= height) else { continue };
        if taken.contains(&row) {
            continue;
        }
        taken.push(row);
        let text = format!("{}{}", if edge.lane.is_some() { "" } else { "↓" }, compact(count));
        let at = Point { x: right, y: (y + row_px / 2.0 + 3.5).round() };
        scene.text(at, text, Font::ui(10.0), Ink::Token("t3"), Align::Right);
    }
}

/// At most six characters.
fn compact(n: u64) -> String {
    let scaled =
        |by: f64, name| format!("{}{name}", fixed(n as f64 / by, usize::from((n as f64) < by * 100.0)));
    match n {
        0..10_000 => thousands(n.cast_signed()),
        10_000..1_000_000 => scaled(1e3, "k"),
        1_000_000..1_000_000_000 => scaled(1e6, "M"),
        _ => scaled(1e9, "G"),
    }
}

/// Whether an edge leaves or enters a block.
fn touches(edge: Edge, (first, end): (u32, u32)) -> bool {
    let is_inside = |row: u32| first <= row && row < end;
    is_inside(edge.from) || is_inside(edge.to)
}

fn ink(edge: &Edge, most: u64, is_chosen: bool, palette: &Palette) -> Ink {
    let warmth = edge.count.and_then(|count| warm(heat(count as f64, most as f64), palette));
    match (is_chosen, edge.count) {
        (true, _) => Ink::Token("accent"),
        (false, Some(0)) => Ink::Token("line2"),
        (false, _) => warmth.unwrap_or(Ink::Token("t3")),
    }
}
