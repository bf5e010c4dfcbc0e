//! A call tree as a flame graph, from the top down: each frame stands under the one around it, as wide as its share of
//! the frame that is looked into; frames around that one fill the width.
//!
//! Frames too narrow to be seen are one with their neighbors. At most [`MAX_DRAWN`] frames are drawn, so a picture costs
//! no more, whatever the tree.

use super::style::{DrawStyle, LABEL, T1, T2, T3, middle};
use crate::analysis::area::flame::{Flame, Frame, Order};
use crate::base::geometry::{Point, Px, Rect, Size};
use crate::base::number;
use crate::base::words::{fill, phrase};
use crate::draw::colors::{Colors, Paint};
use crate::model::Trace;
use crate::scene::palette::Ink;
use crate::scene::{Align, Scene, Shape, SpanStyle, Stroke, text};

/// Height of a row.
pub const ROW: Px = 18.0;
/// Room between a frame and its name.
const PAD: Px = 4.0;
/// Narrower frames are one with their neighbors.
const LEAST: Px = 2.0;
/// Most frames that are drawn.
pub const MAX_DRAWN: usize = 4_000;
/// Most rows that are drawn; deeper frames are reached by looking into one.
pub const MAX_ROWS: u32 = 80;

/// How a tree is looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Setting {
    /// How frames inside of one stand beside each other.
    pub order: Order,
    /// The frame that fills the width; 0 is everything.
    pub focus: u32,
    /// Where the pointer is.
    pub pointer: Option<Point>,
}

/// What stands in a place of the picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    Frame(u32),
    /// So many frames inside of one, which together take so much time.
    Rest {
        /// The frame around them.
        parent: u32,
        n: u64,
        /// Their time.
        total: i64,
    },
}

/// One place of the picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placed {
    pub what: What,
    pub rect: Rect,
}

/// Where everything stands.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layout {
    /// What is drawn, row by row from the top.
    pub placed: Vec<Placed>,
    pub n_rows: u32,
    /// Whether frames are not drawn, because they are too many or too deep.
    pub is_cut: bool,
}

impl Layout {
    /// Lays a tree out in a width. Costs the frames inside of those that are drawn.
    pub fn new(flame: &Flame, setting: &Setting, width: Px) -> Self {
        let mut layout = Self::default();
        if flame.frames.is_empty() {
            return layout;
        }
        let whole = |row: u32| Rect::new(0.0, row as Px * ROW, width, ROW - 1.0);
        for (row, frame) in (0u32..).zip(flame.path(setting.focus)) {
            layout.placed.push(Placed { what: What::Frame(frame), rect: whole(row) });
        }
        let mut at = layout.placed.len() - 1;
        while at < layout.placed.len() && layout.placed.len() < MAX_DRAWN {
            if let Placed { what: What::Frame(frame), rect } = layout.placed[at] {
                layout.inside(flame, setting.order, frame, rect);
            }
            at += 1;
        }
        layout.is_cut |= at < layout.placed.len();
        let bottom = layout.placed.iter().map(|p| p.rect.y).fold(0.0, Px::max);
        layout.n_rows = (bottom / ROW) as u32 + 1;
        layout
    }

    /// Places what is inside of a frame.
    fn inside(&mut self, flame: &Flame, order: Order, parent: u32, around: Rect) {
        let inside = flame.inside(parent, order);
        if inside.is_empty() {
            return;
        }
        let row = around.y + ROW;
        if MAX_ROWS as Px * ROW <= row {
            self.is_cut = true;
            return;
        }
        let of = |f: u32| &flame.frames[f as usize];
        let sum: i64 = inside.iter().map(|&f| of(f).total).sum();
        // Slices that overlap without being nested may add up to more than what is around them.
        let per_tick = f64::from(around.w) / sum.max(of(parent).total).max(1) as f64;
        let mut done = 0.0;
        let mut rest: Option<(Px, u64, i64)> = None;
        let place = |x: f64, w: f64| Rect::new(around.x + x as Px, row, w as Px, ROW - 1.0);
        let put = |list: &mut Vec<Placed>, rest: Option<(Px, u64, i64)>| {
            let Some((x, n, total)) = rest else { return };
            let w = total as f64 * per_tick;
            if 1.0 <= w {
                let what = What::Rest { parent, n, total };
                list.push(Placed { what, rect: Rect { x, ..place(0.0, w) } });
            }
        };
        for &frame in inside {
            let total = of(frame).total;
            let w = total as f64 * per_tick;
            if w < f64::from(LEAST) {
                let (x, n, sum) = rest.unwrap_or((place(done, w).x, 0, 0));
                rest = Some((x, n + 1, sum + total));
            } else {
                put(&mut self.placed, rest.take());
                self.placed.push(Placed { what: What::Frame(frame), rect: place(done, w) });
            }
            done += w;
        }
        put(&mut self.placed, rest);
    }

    /// What stands at a point.
    pub fn at(&self, point: Point) -> Option<What> {
        self.placed.iter().find(|p| p.rect.contains(point)).map(|p| p.what)
    }
}

/// A tree with what is needed to draw it.
#[derive(Clone, Copy)]
pub struct FlameInput<'a> {
    pub trace: &'a Trace,
    pub flame: &'a Flame,
    pub colors: &'a Colors<'a>,
    /// Colors and language.
    pub look: &'a DrawStyle<'a>,
}

/// Draws a tree.
pub fn draw(on: FlameInput, setting: &Setting, layout: &Layout, size: Size) -> Scene {
    let mut scene = Scene::new(size);
    scene.fill(Rect::new(0.0, 0.0, size.w, size.h), Ink::Token("s0"));
    let under = setting.pointer.and_then(|at| layout.at(at));
    let n_around = on.flame.path(setting.focus).len() - 1;
    for (i, placed) in layout.placed.iter().enumerate() {
        let rect = Rect { w: (placed.rect.w - 1.0).max(1.0), ..placed.rect };
        let paint = paint(on, placed.what);
        // What is around the frame that is looked into steps back.
        let strength = if i < n_around { 0.45 } else { 1.0 };
        let fill = if i < n_around { on.look.faded(paint.ink, strength) } else { paint.ink };
        scene.shapes.push(Shape::Fill { rect, radius: 2.0, ink: fill });
        let words = name(on, placed.what);
        if let Some(label) = text::label(&words, LABEL, rect.w - 2.0 * PAD) {
            let at = Point { x: rect.x + PAD, y: middle(rect.y, rect.h, LABEL) };
            let ink = match paint.text {
                _ if i < n_around => T1,
                Ink::None => on.look.ink_on(paint.ink),
                text => text,
            };
            scene.text(at, label, LABEL, ink, Align::Left);
        }
        if under == Some(placed.what) {
            scene.shapes.push(Shape::Outline { rect, radius: 2.0, stroke: Stroke::new(T1, 1.5) });
        }
    }
    scene
}

fn paint(on: FlameInput, what: What) -> Paint {
    let quiet = |ink, text| Paint { ink: Ink::Token(ink), text, look: SpanStyle::Plain, is_thin: false };
    match what {
        What::Rest { .. } => quiet("s2", T3),
        What::Frame(0) => quiet("s3", T1),
        What::Frame(frame) => {
            let frame = &on.flame.frames[frame as usize];
            if frame.is_track { quiet("s3", T2) } else { on.colors.paint(frame.track, frame.name) }
        }
    }
}

/// What a place is called.
fn name(on: FlameInput, what: What) -> String {
    match what {
        What::Rest { n, .. } => {
            fill(on.look.tr("{n} smaller"), &[("n", &number::thousands(n.cast_signed()))])
        }
        What::Frame(0) => {
            let total = on.flame.frames.first().map_or(0, |f| f.total);
            format!("{} · {}", on.look.tr("All"), amount(on, total))
        }
        What::Frame(frame) => on.trace.strings.get(on.flame.frames[frame as usize].name).to_owned(),
    }
}

/// A length of time; of samples their number.
fn amount(on: FlameInput, total: i64) -> String {
    if on.flame.is_of_samples {
        return fill(on.look.tr(phrase("{n} CPU samples")), &[("n", &number::thousands(total))]);
    }
    number::duration(total, on.trace.clock)
}

/// What a place tells: its name, then lines of label, tab, value.
pub fn tooltip(on: FlameInput, what: What) -> String {
    let of = |f: u32| &on.flame.frames[f as usize];
    let time = |t: i64| amount(on, t);
    let share =
        |part: i64, whole: i64| format!("{} %", number::fixed(part as f64 / whole.max(1) as f64 * 100.0, 1));
    let all = of(0).total;
    let title = name(on, what);
    let (parent, total) = match what {
        What::Rest { parent, total, .. } => (parent, total),
        What::Frame(frame) => (of(frame).parent, of(frame).total),
    };
    let mut lines = vec![title, format!("{}\t{}", on.look.tr("Total"), time(total))];
    if let What::Frame(frame) = what {
        let Frame { own, n, is_track, .. } = *of(frame);
        if !is_track && frame != 0 {
            lines.push(format!("{}\t{}", on.look.tr("Self"), time(own)));
        }
        let label = if is_track || frame == 0 { "Tracks" } else { "Count" };
        // The number of samples is their total.
        if !on.flame.is_of_samples {
            lines.push(format!("{}\t{}", on.look.tr(label), number::thousands(n.cast_signed())));
        }
        if frame == 0 {
            return lines.join("\n");
        }
    }
    if parent != 0 {
        let around = name(on, What::Frame(parent));
        let around = text::cut_end(&around, LABEL, 160.0);
        lines.push(format!("{}\t{} · {around}", on.look.tr("% of parent"), share(total, of(parent).total)));
    }
    lines.push(format!("{}\t{}", on.look.tr("% of total"), share(total, all)));
    lines.join("\n")
}

/// The picture in words.
pub fn words(on: FlameInput, setting: &Setting) -> String {
    let inside = on.flame.inside(setting.focus, Order::Heavy);
    let whole = on.flame.frames.get(setting.focus as usize).map_or(1, |f| f.total).max(1);
    let first = inside.iter().take(5).map(|&f| {
        let share = on.flame.frames[f as usize].total as f64 / whole as f64 * 100.0;
        format!("{} {} %", name(on, What::Frame(f)), number::fixed(share, 1))
    });
    format!("{}: {}.", name(on, What::Frame(setting.focus)), first.collect::<Vec<_>>().join(", "))
}
