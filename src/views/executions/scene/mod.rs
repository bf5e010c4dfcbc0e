//! What threads ran: a lane for each thread with a box for each execution of a block, threads below their groups, an
//! overview of all of them above, and two compared threads between both.
//!
//! The color of a box is what it costs, its height the active lanes. Boxes that are narrower than 3 pixels become columns
//! of the block that is most frequent in them. A frame costs the lanes in view times the width.

mod heads;
mod hit;
mod lanes;
mod layout;
mod pair;
mod strip;
mod words;

pub use hit::{Hit, hit, scroll_to};
pub use layout::{Folding, HEADS, Layout, Row};
pub use words::{bank_words, combined_words, lanes_words, parting_words, sector_words};

use crate::base::geometry::{Point, Rect, Size};
use crate::draw::style::{DrawStyle, S0, T1, hairline, name_ink};
use crate::scene::palette::{Ink, RampName};
use crate::scene::{Scene, Shape, SpanRect, SpanStyle, Spans, Stroke};
use crate::views::executions::compute::{Axis, NO_BLOCK, Parting, Run, Summary};
use serde::{Deserialize, Serialize};

/// What colors stand for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ColorBy {
    /// The part of the moved bytes that nobody asked for.
    #[default]
    Efficiency,
    /// Sectors beyond the fewest that would have done.
    Excess,
    /// Active lanes.
    Lanes,
    /// The block.
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
    /// What the axis counts.
    pub axis: Axis,
    /// What colors stand for.
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
    let ticks = strip::ticks(&layout);
    let (mut spans, mut marks) = (Vec::new(), Vec::new());
    strip::grid(&layout, layout.area, &ticks, &mut spans);
    let painter = lanes::Painter { plot, layout: &layout, inks: &inks, field: layout.area };
    for row in layout.visible(plot) {
        match row {
            (Row::Group(group), rect) => painter.group(group, rect, &mut spans),
            (Row::Thread(thread), rect) => painter.thread(thread, rect, look, &mut spans, &mut marks),
        }
    }
    field(&mut scene, layout.area, spans, marks);
    heads::heads(plot, &layout, look, &mut scene);
    strip::overview(plot, &layout, &inks, look, &mut scene);
    strip::ruler(plot, &layout, size, &ticks, look, &mut scene);
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
