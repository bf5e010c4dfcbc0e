//! What threads ran: a lane for each thread with a box for each execution of a block, threads below their groups, an
//! overview of all of them above, and two compared threads between both.
//!
//! The color of a box is what it costs, its height the active lanes. Boxes that are narrower than 3 pixels become columns
//! of the block that is most frequent in them. A frame costs the lanes in view times the width.

mod hit;
mod lanes;
mod layout;
mod pair;

pub use hit::{Hit, hit, scroll_to};
pub use layout::{Folding, HEADS, LaneRow, Layout};

use crate::base::geometry::{Point, Px, Rect, Size};
use crate::base::number::{MISSING, fixed, thousands};
use crate::base::words::{Language, fill, phrase, tr};
use crate::draw::axis::round_step;
use crate::draw::style::{
    DrawStyle, HEAD, LABEL, LINE, LINE2, S0, T1, T2, T3, TEXT, hairline, middle, name_ink,
};
use crate::scene::palette::{Ink, RampName};
use crate::scene::{Align, Scene, Shape, SpanRect, SpanStyle, Spans, Stroke, text};
use crate::views::executions::compute::pattern::{Access, Pattern};
use crate::views::executions::compute::{Axis, NO_BLOCK, Parting, Run, Summary, Totals};
use serde::{Deserialize, Serialize};

/// What colors stand for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ColorBy {
    /// The part of the moved bytes that nobody asked for.
    #[default]
    Efficiency,
    /// Sectors beyond the fewest that would have done.
    Excess,
    Lanes,
    Block,
}

impl ColorBy {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Efficiency, Self::Excess, Self::Lanes, Self::Block];

    /// What can be shown of a launch: without bytes moved only lanes and blocks can, without lanes only blocks.
    #[must_use]
    pub fn possible(self, run: &Run) -> Self {
        match self {
            Self::Efficiency | Self::Excess if run.arranged.has_memory => self,
            Self::Block => self,
            _ if run.arranged.has_lanes => Self::Lanes,
            _ => Self::Block,
        }
    }
}

/// What is drawn.
#[derive(Clone, Copy)]
pub struct Plot<'a> {
    /// The launch.
    pub run: Run<'a>,
    pub axis: Axis,
    pub color: ColorBy,
    /// The groups of threads; `None` shows threads without groups.
    pub folding: Option<&'a Folding>,
    /// The stretch of the axis that is seen; `None` is all.
    pub window: Option<(f64, f64)>,
    /// How far the rows are scrolled, in pixels.
    pub scroll: f64,
    /// The chosen execution.
    pub selected: Option<u32>,
    /// The chosen thread.
    pub thread: Option<u32>,
    /// Two threads that are compared, and how they part.
    pub pair: Option<([u32; 2], Parting)>,
}

/// Steps of a ramp that are told apart.
const STEPS: usize = 64;
/// Where the least number of lanes stands on its ramp: the ground is kept for nothing.
const LEAST_LANES: f64 = 0.25;

/// The colors of boxes.
struct Inks {
    by: ColorBy,
    ramp: Vec<Ink>,
    blocks: Vec<Ink>,
    most_excess: f64,
    lanes: f64,
}

/// A color with its strength.
type Tint = (Ink, u8);

/// The color of what moves nothing, or of which nothing is known.
const PLAIN: Tint = (Ink::Token("pk0"), 158);

impl Inks {
    fn new(plot: &Plot, look: &DrawStyle) -> Self {
        let by = plot.color.possible(&plot.run);
        let n = if by == ColorBy::Block { 0 } else { STEPS };
        let blocks: &[_] = if by == ColorBy::Block { &plot.run.program.blocks } else { &[] };
        Self {
            by,
            ramp: (0..n).map(|at| color(look, by, at as f64 / (STEPS - 1) as f64)).collect(),
            blocks: blocks.iter().map(|block| name_ink(&block.label)).collect(),
            most_excess: f64::from(plot.run.arranged.most_excess.max(1)),
            lanes: f64::from(plot.run.program.lanes.max(1)),
        }
    }

    fn of(&self, sum: &Summary) -> Tint {
        let at = match self.by {
            ColorBy::Block => {
                let (block, _) = sum.top.first();
                let ink = self.blocks.get(block as usize).filter(|_| block != NO_BLOCK);
                return ink.map_or(PLAIN, |ink| (*ink, 255));
            }
            ColorBy::Efficiency => sum.share().map(|share| 1.0 - share),
            ColorBy::Excess if sum.moved == 0 => None,
            ColorBy::Excess => Some(sum.excess as f64 / sum.executions.max(1) as f64 / self.most_excess),
            ColorBy::Lanes => sum.mean_lanes().map(|lanes| lanes / self.lanes),
        };
        let ink = |at: f64| self.ramp.get((at.clamp(0.0, 1.0) * (STEPS - 1) as f64).round() as usize);
        at.and_then(ink).map_or(PLAIN, |ink| (*ink, 255))
    }
}

/// The color at a place (0 to 1) of the legend.
pub fn color(look: &DrawStyle, by: ColorBy, at: f64) -> Ink {
    match by {
        ColorBy::Lanes | ColorBy::Block => {
            Ink::Rgba(look.palette.ramp(RampName::Seq, LEAST_LANES + (1.0 - LEAST_LANES) * at))
        }
        ColorBy::Efficiency | ColorBy::Excess => Ink::Rgba(look.palette.ramp(RampName::Heat, at)),
    }
}

/// The color of what an execution is, for tooltips.
pub fn execution_color(plot: &Plot, execution: u32, look: &DrawStyle) -> Ink {
    let mut sum = Summary::default();
    sum.push(&plot.run.launch.executions, execution as usize);
    Inks::new(plot, look).of(&sum).0
}

/// The picture.
pub fn draw(plot: &Plot, size: Size, look: &DrawStyle) -> Scene {
    let layout = plot.layout(size);
    let inks = Inks::new(plot, look);
    let mut scene = Scene::new(size);
    scene.fill(Rect::new(0.0, 0.0, size.w, size.h), S0);
    let ticks = strip_ticks(&layout);
    let (mut spans, mut marks) = (Vec::new(), Vec::new());
    strip_grid(&layout, layout.area, &ticks, &mut spans);
    let painter = lanes::Painter { plot, layout: &layout, inks: &inks, field: layout.area };
    for row in layout.visible(plot) {
        match row {
            (LaneRow::Group(group), rect) => painter.group(group, rect, &mut spans),
            (LaneRow::Thread(thread), rect) => painter.thread(thread, rect, look, &mut spans, &mut marks),
        }
    }
    field(&mut scene, layout.area, spans, marks);
    heads(plot, &layout, look, &mut scene);
    strip_overview(plot, &layout, &inks, look, &mut scene);
    strip_ruler(plot, &layout, size, &ticks, look, &mut scene);
    if let Some((threads, parting)) = plot.pair {
        pair::pair(plot, &layout, &inks, (threads, parting), look, &mut scene);
    }
    chosen(plot, &layout, &mut scene);
    if 0.0 < layout.area.x {
        let x = layout.area.x - 0.5;
        scene.line(Point { x, y: 0.0 }, Point { x, y: size.h }, hairline(Ink::Token("line")));
    }
    scene
}

/// A dense field and what lies on it.
fn field(scene: &mut Scene, field: Rect, spans: Vec<SpanRect>, marks: Vec<Shape>) {
    scene.shapes.push(Shape::Spans(Spans { field, ground: S0, spans }));
    scene.shapes.push(Shape::Clip(field));
    scene.shapes.extend(marks);
    scene.shapes.push(Shape::Unclip);
}

/// The outline of the chosen execution.
fn chosen(plot: &Plot, layout: &Layout, scene: &mut Scene) {
    let Some(rect) = plot.selected.and_then(|execution| layout.execution_rect(plot, execution)) else {
        return;
    };
    let area = layout.area;
    let left = rect.x.max(area.x - 4.0);
    let right = rect.right().min(area.right() + 4.0).max(left + 1.0);
    scene.shapes.push(Shape::Clip(area));
    for (by, stroke) in [(2.0, Stroke::new(S0, 1.0)), (1.0, Stroke::new(T1, 2.0))] {
        let rect = Rect::new(left - by, rect.y - by, right - left + 2.0 * by, rect.h + 2.0 * by);
        scene.shapes.push(Shape::Outline { rect, radius: 1.0, stroke });
    }
    scene.shapes.push(Shape::Unclip);
}

/// The part of a rectangle inside the field, which spans do not leave.
fn put(spans: &mut Vec<SpanRect>, field: Rect, rect: Rect, (ink, alpha): Tint) {
    let (x0, x1) = (rect.x.max(field.x), rect.right().min(field.right()));
    let (y, bottom) = (rect.y.max(field.y), rect.bottom().min(field.bottom()));
    if x0 < x1 && y < bottom {
        spans.push(SpanRect { x0, x1, y, h: bottom - y, ink, alpha, look: SpanStyle::Plain });
    }
}

// Above the lanes: the overview of all threads and the ruler.

/// Least distance of labels on the ruler.
const APART: f64 = 90.0;
/// Room above and below the bars of the overview.
const EDGE: Px = 2.0;

/// What an axis is called.
fn axis_name(axis: Axis) -> &'static str {
    match axis {
        Axis::Block => phrase("block number"),
        Axis::Instruction => phrase("instruction ordinal"),
        Axis::Time => phrase("recorded time"),
    }
}

/// Places of the ticks with labels.
fn strip_ticks(layout: &Layout) -> Vec<f64> {
    let step = round_step(APART * layout.per_px).max(1.0);
    let first = (layout.window.0 / step).ceil();
    let n = ((layout.window.1 / step).floor() - first).clamp(0.0, 200.0) as u32;
    (0..=n).map(|at| (first + f64::from(at)) * step).collect()
}

/// Lines of the ticks through the lanes.
fn strip_grid(layout: &Layout, area: Rect, ticks: &[f64], spans: &mut Vec<SpanRect>) {
    for tick in ticks {
        put(spans, area, Rect::new(layout.x(*tick).floor(), area.y, 1.0, area.h), (LINE, 178));
    }
}

fn strip_ruler(plot: &Plot, layout: &Layout, size: Size, ticks: &[f64], look: &DrawStyle, scene: &mut Scene) {
    let ruler = layout.ruler;
    scene.fill(Rect::new(ruler.x, ruler.y, ruler.w, ruler.h), Ink::Token("s1"));
    for y in [ruler.y, ruler.bottom() - 1.0] {
        scene.line(Point { x: 0.0, y: y + 0.5 }, Point { x: size.w, y: y + 0.5 }, hairline(LINE));
    }
    for (number, tick) in ticks.iter().enumerate() {
        let x = layout.x(*tick).floor();
        scene.fill(Rect::new(x, ruler.bottom() - 8.0, 1.0, 7.0), LINE2);
        let mut label = thousands(*tick as i64);
        if number == 0 {
            label = format!("{label} {}", look.tr(axis_name(plot.axis)));
        }
        if x + 5.0 + text::width(&label, LABEL) <= ruler.right() {
            scene.text(Point { x: x + 5.0, y: ruler.y + 15.0 }, label, LABEL, T3, Align::Left);
        }
    }
}

/// All threads along the whole axis: the height is the mean of active lanes, and what is seen has a frame.
fn strip_overview(plot: &Plot, layout: &Layout, inks: &Inks, look: &DrawStyle, scene: &mut Scene) {
    let area = layout.overview;
    if area.h < 1.0 {
        return;
    }
    let columns = &plot.run.arranged.course(plot.axis).columns;
    let threads = plot.run.threads().max(1) as f64 * f64::from(plot.run.program.lanes.max(1));
    let w = f64::from(area.w) / columns.len().max(1) as f64;
    let mut spans = Vec::new();
    for (number, column) in columns.iter().enumerate() {
        let [x0, x1] = [number, number + 1].map(|at| area.x + (at as f64 * w) as Px);
        let apart = if 4.0 < x1 - x0 { 1.0 } else { 0.0 };
        let share = (column.active / threads).min(1.0) as Px;
        let h = if column.sum.executions == 0 { 0.0 } else { (share * (area.h - 2.0 * EDGE)).max(1.0) };
        put(
            &mut spans,
            area,
            Rect::new(x0, area.bottom() - EDGE - h, x1 - x0 - apart, h),
            inks.of(&column.sum),
        );
    }
    scene.shapes.push(Shape::Spans(Spans { field: area, ground: S0, spans }));
    let x_of = |place: f64| area.x + (f64::from(area.w) * place / layout.length) as Px;
    let (left, right) = (x_of(layout.window.0), x_of(layout.window.1));
    for (from, to) in [(area.x, left), (right, area.right())] {
        scene.fill(Rect::new(from, area.y, (to - from).max(0.0), area.h), Ink::Token("veil"));
    }
    if plot.window.is_some() {
        let rect = Rect::new(left, area.y, (right - left).max(2.0), area.h);
        let stroke = Stroke::new(Ink::Token("accent"), 1.0);
        scene.shapes.push(Shape::Outline { rect, radius: 0.0, stroke });
    }
    if 0.0 < area.x {
        let last = thousands((layout.length as i64 - 1).max(0));
        let words = look.tr(phrase("0 – {last}, {axis}"));
        let words = fill(words, &[("last", &last), ("axis", look.tr(axis_name(plot.axis)))]);
        let words = text::cut_end(&words, LABEL, area.x - 24.0).into_owned();
        scene.text(Point { x: 12.0, y: area.h / 2.0 + 4.0 }, words, LABEL, T2, Align::Left);
    }
}

// The pattern of an access in words: a fixed word, what it means, the used share.

/// An access of memory with sectors in words.
pub fn sector_words(access: &Access, sector: u64, language: Language) -> String {
    let (lanes, sectors) = (thousands(access.lanes), thousands(access.sectors));
    let words = match access.pattern {
        Pattern::None => return tr(language, phrase("none: no active lane")).to_owned(),
        Pattern::Single => tr(language, phrase("single: one lane")).to_owned(),
        Pattern::Uniform => tr(language, phrase("uniform: all lanes use one address")).to_owned(),
        Pattern::Unit => tr(language, phrase("unit: contiguous lanes")).to_owned(),
        Pattern::Stride(by) => {
            let together = sector.checked_div(by.unsigned_abs()).unwrap_or(0).max(1);
            let words = if together < 2 {
                phrase("stride {k}: one sector per lane")
            } else {
                phrase("stride {k}: {n} lanes share a sector")
            };
            fill(tr(language, words), &[("k", &thousands(by)), ("n", &thousands(together))])
        }
        Pattern::Segmented => {
            let words = tr(language, phrase("segmented: runs of neighboring lanes in {n} sectors"));
            fill(words, &[("n", &sectors)])
        }
        Pattern::Rows(row, pitch) => {
            let words = tr(
                language,
                phrase("short runs of neighboring lanes: {k} each, {pitch} B apart, {n} sectors"),
            );
            let (row, pitch) = (thousands(row), thousands(pitch));
            fill(words, &[("k", &row), ("pitch", &pitch), ("n", &sectors)])
        }
        Pattern::ShortRuns => {
            let words =
                tr(language, phrase("short runs of neighboring lanes: {lanes} lanes access {n} sectors"));
            fill(words, &[("lanes", &lanes), ("n", &sectors)])
        }
        Pattern::Irregular => {
            let words = tr(language, phrase("irregular: {lanes} lanes access {n} sectors"));
            fill(words, &[("lanes", &lanes), ("n", &sectors)])
        }
    };
    let share = fixed(access.used().unwrap_or(0.0) * 100.0, 1);
    let used = fill(tr(language, phrase("{n} % of moved bytes used")), &[("n", &share)]);
    format!("{words}, {used}")
}

/// An access of memory with banks in words; `asked` is how many times one bank is asked at most.
pub fn bank_words(access: &Access, asked: u32, language: Language) -> String {
    let word = match access.pattern {
        Pattern::None => return tr(language, phrase("none: no active lane")).to_owned(),
        Pattern::Single => tr(language, phrase("single")).to_owned(),
        Pattern::Uniform => tr(language, phrase("uniform")).to_owned(),
        Pattern::Unit => tr(language, phrase("unit")).to_owned(),
        Pattern::Stride(by) => fill(tr(language, phrase("stride {k}")), &[("k", &thousands(by))]),
        Pattern::Segmented => tr(language, phrase("segmented")).to_owned(),
        Pattern::Rows(row, pitch) => {
            let words = tr(language, phrase("short runs of neighboring lanes, {k} each, {pitch} B apart"));
            fill(words, &[("k", &thousands(row)), ("pitch", &thousands(pitch))])
        }
        Pattern::ShortRuns => tr(language, phrase("short runs of neighboring lanes")).to_owned(),
        Pattern::Irregular => tr(language, phrase("irregular")).to_owned(),
    };
    let banks = if asked < 2 {
        tr(language, phrase("no bank conflict")).to_owned()
    } else {
        fill(tr(language, phrase("one bank is accessed {n} times")), &[("n", &thousands(asked))])
    };
    format!("{word}: {banks}")
}

/// The share of lanes that were active: at most, where lanes were recorded for blocks; with how many instructions it is
/// of, where these are not all.
pub fn lanes_words(share: f64, is_at_most: bool, of: Option<u64>, language: Language) -> String {
    let words = match of {
        _ if is_at_most => phrase("≤ {n} % of lanes active (recorded per block)"),
        Some(_) => phrase("{n} % of lanes active, for {k} instructions with a mask"),
        None => phrase("{n} % of lanes active"),
    };
    let of = of.map(thousands).unwrap_or_default();
    fill(tr(language, words), &[("n", &fixed(share * 100.0, 1)), ("k", &of)])
}

/// What a launch was combined from: records by type, or just their number.
pub fn combined_words(records: &[(String, u64)], language: Language) -> Option<String> {
    let one = |(name, n): &(String, u64)| {
        let n = thousands(*n);
        if name.is_empty() { n } else { format!("{name} {n}") }
    };
    let list = records.iter().map(one).collect::<Vec<_>>().join(" + ");
    let words = tr(language, phrase("combined from {list} records"));
    (!records.is_empty()).then(|| fill(words, &[("list", &list)]))
}

/// Where two threads part, in a sentence.
pub fn parting_words(plot: &Plot, parting: Parting, language: Language) -> String {
    let label = |block: u32| plot.run.label(block).to_owned();
    let n = thousands(parting.common);
    let last = plot.pair.and_then(|([thread, _], _)| {
        let all = plot.run.range(thread);
        let at = (parting.common as usize).checked_sub(1)?.checked_add(all.start)?;
        Some(label(plot.run.block(at)))
    });
    let last = last.unwrap_or_default();
    let sentence = match (parting.common, parting.next) {
        (_, [None, None]) => phrase("Both threads executed the same {n} blocks."),
        (0, [Some(_), Some(_)]) => phrase("The threads diverge immediately: A started in {a}, B in {b}."),
        (_, [Some(_), Some(_)]) => {
            phrase("Both were in {block}; A went to {a}, B to {b}, after {n} common blocks.")
        }
        (_, [None, _]) => phrase("A ended in {block}; B went to {b}, after {n} common blocks."),
        (_, [_, None]) => phrase("B ended in {block}; A went to {a}, after {n} common blocks."),
    };
    let [a, b] = parting.next.map(|next| next.map_or_else(String::new, label));
    let mut words = fill(tr(language, sentence), &[("n", &n), ("block", &last), ("a", &a), ("b", &b)]);
    if let Some(from) = parting.lanes_from {
        let lanes = fill(
            tr(language, phrase("Their active lanes differ from block {n} on.")),
            &[("n", &thousands(from))],
        );
        words.push(' ');
        words.push_str(&lanes);
    }
    words
}

// The list of threads: name, how many blocks, share of the moved bytes that was used.

/// Room at the edges, and width of the share.
const HEADS_EDGE: Px = 12.0;
const SHARE: Px = 48.0;
/// Threads stand this far to the right of their groups.
const INDENT: Px = 16.0;

/// The list.
fn heads(plot: &Plot, layout: &Layout, look: &DrawStyle, scene: &mut Scene) {
    if plot.is_only() {
        return;
    }
    let (area, w) = (layout.area, layout.area.x);
    scene.fill(Rect::new(0.0, 0.0, w, area.bottom()), Ink::Token("s1"));
    scene.shapes.push(Shape::Clip(Rect::new(0.0, area.y, area.right(), area.h)));
    let threads = &plot.run.launch.threads;
    for (row, rect) in layout.visible(plot) {
        match row {
            LaneRow::Group(group) => {
                let Some(own) = plot.run.arranged.groups.get(group as usize) else { continue };
                let is_closed = plot.folding.is_some_and(|folding| folding.is_closed(group));
                caret(scene, Point { x: HEADS_EDGE + 3.0, y: rect.y + rect.h / 2.0 }, is_closed);
                let name = threads.group_name(own.threads.start as usize);
                line(plot, (w, rect), (&name, HEADS_EDGE + INDENT, HEAD.weight(600), T1), &own.totals, scene);
                let y = rect.y + 0.5;
                scene.line(Point { x: 0.0, y }, Point { x: area.right(), y }, hairline(LINE));
            }
            LaneRow::Thread(thread) => {
                if plot.thread == Some(thread) {
                    scene.fill(Rect::new(0.0, rect.y, w, rect.h), Ink::Token("sel"));
                }
                let totals = plot.run.arranged.threads.get(thread as usize).copied().unwrap_or_default();
                let name = name(plot, layout, thread);
                let indent = if layout.is_grouped() { HEADS_EDGE + INDENT } else { HEADS_EDGE };
                line(plot, (w, rect), (&name, indent, TEXT, T1), &totals, scene);
            }
        }
    }
    scene.shapes.push(Shape::Unclip);
    let y = layout.ruler.y + 17.0;
    let mut word =
        |x: Px, words: &str, align: Align| scene.text(Point { x, y }, look.tr(words), HEAD, T3, align);
    // Both have no room in a narrow list.
    if layout::HEADS <= w {
        word(HEADS_EDGE, phrase("Threads"), Align::Left);
    }
    word(w - HEADS_EDGE - SHARE, phrase("executions"), Align::Right);
    if plot.run.arranged.has_memory {
        word(w - HEADS_EDGE, phrase("used"), Align::Right);
    }
}

/// The name of a thread as it stands in the list: with its group where that has no row.
fn name(plot: &Plot, layout: &Layout, thread: u32) -> String {
    let threads = &plot.run.launch.threads;
    let mut name = if layout.is_grouped() { threads.name(thread as usize) } else { full_name(plot, thread) };
    for (letter, own) in ["A", "B"].into_iter().zip(plot.pair.map(|(own, _)| own).into_iter().flatten()) {
        if own == thread {
            name = format!("{name}  {letter}");
        }
    }
    name
}

/// The name of a thread behind that of its group.
fn full_name(plot: &Plot, thread: u32) -> String {
    let threads = &plot.run.launch.threads;
    let (group, name) = (threads.group_name(thread as usize), threads.name(thread as usize));
    if group.is_empty() { name } else { format!("{group} {name}") }
}

/// One line of the list.
fn line(
    plot: &Plot,
    (w, rect): (Px, Rect),
    (name, x, font, ink): (&str, Px, crate::scene::Font, Ink),
    totals: &Totals,
    scene: &mut Scene,
) {
    let y = middle(rect.y, rect.h, font);
    let count = thousands(totals.executions as i64);
    // Bold names are drawn a little wider than they are measured.
    let gap = if 600 <= font.weight { 16.0 } else { 8.0 };
    let room = w - x - HEADS_EDGE - SHARE - text::width(&count, TEXT) - gap;
    let is_narrow = room < 40.0;
    let room = if is_narrow { w - x - HEADS_EDGE } else { room };
    scene.text(Point { x, y }, text::cut_middle(name, font, room.max(8.0)), font, ink, Align::Left);
    if is_narrow {
        return;
    }
    scene.text(Point { x: w - HEADS_EDGE - SHARE, y }, count, TEXT, T2, Align::Right);
    if plot.run.arranged.has_memory {
        let share = totals.share().map_or_else(
            || MISSING.to_owned(),
            |share| match fixed(share * 100.0, 1) {
                all if all == "100.0" => "100 %".to_owned(),
                share => format!("{share} %"),
            },
        );
        scene.text(Point { x: w - HEADS_EDGE, y }, share, TEXT, T2, Align::Right);
    }
}

/// The mark of a group: to the right when it is closed, else down.
fn caret(scene: &mut Scene, at: Point, is_closed: bool) {
    let turn = |x: Px, y: Px| {
        if is_closed { Point { x: at.x + y, y: at.y + x } } else { Point { x: at.x + x, y: at.y + y } }
    };
    let points = vec![turn(-3.5, -1.75), turn(0.0, 1.75), turn(3.5, -1.75)];
    scene.shapes.push(Shape::Path { points, stroke: hairline(T2) });
}
