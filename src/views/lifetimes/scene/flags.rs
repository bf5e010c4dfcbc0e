//! The retention lines with their flags, and the axis.

use super::layout::{Layout, decade, flags_height};
use super::{Line, Plot, time};
use crate::base::geometry::{Point, Px, Rect};
use crate::base::words::phrase;
use crate::draw::style::{DrawStyle, LABEL, LINE2, S0, T1, T2, T3, TEXT, hairline};
use crate::scene::{Align, Font, Scene, Shape, text};

const FLAG: Font = TEXT.weight(500);
/// Height of a flag, and where it begins in its row.
const HEIGHT: Px = 20.0;
const TOP: Px = 6.0;
/// How far the second row stands below the first.
const ROW: Px = 24.0;
/// Between two flags.
const APART: Px = 8.0;

impl Layout {
    /// Where the flags of the lines stand, in their order. A flag turns to the left where the next would cover it, and
    /// at the right edge.
    pub fn flags(&self, lines: &[Line]) -> Vec<Rect> {
        let has_two_rows = flags_height(2) < self.flags;
        let row = |at: usize| if has_two_rows { at % 2 } else { 0 };
        let place = |line: &Line| self.x(line.micros * 1000.0).round();
        let mut rects: Vec<Rect> = Vec::with_capacity(lines.len());
        for (at, line) in lines.iter().enumerate() {
            let (x, w) = (place(line), width(line));
            let next = lines.get(at + if has_two_rows { 2 } else { 1 }).map(place);
            let right = self.ends().1 + 40.0;
            let is_covered = next.is_some_and(|next| next - x < w + APART) || right < x + w;
            // Not over the one before, unless there is no other place.
            let before =
                rects.iter().enumerate().filter(|(other, _)| row(*other) == row(at)).map(|(_, r)| r.right());
            let is_free = before.fold(0.0, Px::max) <= x - w;
            let left = if is_covered && (is_free || right < x + w) { x - w } else { x };
            rects.push(Rect::new(left, TOP + ROW * row(at) as Px, w, HEIGHT));
        }
        rects
    }
}

fn value(line: &Line) -> String {
    let words = time(line.micros * 1000.0);
    if line.is_rough { format!("≈ {words}") } else { words }
}

fn width(line: &Line) -> Px {
    (text::width(&line.name, FLAG) + text::width(&value(line), LABEL) + 40.0).ceil()
}

/// The lines through all plots.
pub(super) fn lines(plot: &Plot, layout: &Layout, scene: &mut Scene) {
    for (line, flag) in plot.lines.iter().zip(layout.flags(&plot.lines)) {
        let x = layout.x(line.micros * 1000.0).round();
        scene.fill(Rect::new(x, flag.y + 2.0, 1.0, (layout.axis - flag.y - 2.0).max(0.0)), T1);
    }
}

/// Flags with swatch, name and value, and the handles.
pub(super) fn flags(plot: &Plot, layout: &Layout, look: &DrawStyle, scene: &mut Scene) {
    let flags = layout.flags(&plot.lines);
    let y = TOP + HEIGHT / 2.0 + 4.0;
    let (from, to) = layout.ends();
    if !plot.never.is_empty() {
        let first = flags.iter().map(|flag| flag.x).fold(to, Px::min);
        let words = format!("{} {}", look.tr(phrase("No line:")), plot.never.join(", "));
        let room = first - from - 12.0;
        if 60.0 < room {
            scene.text(Point { x: from, y }, text::cut_end(&words, LABEL, room), LABEL, T3, Align::Left);
        }
    }
    let (words, right) = (look.tr(phrase("share of lifetimes")), to + 36.0);
    let last = flags.iter().map(|flag| flag.right()).fold(from, Px::max);
    if last < right - text::width(words, LABEL) - 12.0 {
        scene.text(Point { x: right, y }, words, LABEL, T3, Align::Right);
    }
    for (line, flag) in plot.lines.iter().zip(flags) {
        let x = layout.x(line.micros * 1000.0).round();
        scene.shapes.push(Shape::Fill { rect: flag, radius: 4.0, ink: S0 });
        scene.shapes.push(Shape::Outline { rect: flag, radius: 4.0, stroke: hairline(LINE2) });
        let swatch = Rect::new(flag.x + 9.0, flag.y + 6.0, 8.0, 8.0);
        scene.shapes.push(Shape::Fill { rect: swatch, radius: 2.0, ink: line.ink });
        let y = flag.y + 14.0;
        scene.text(Point { x: flag.x + 23.0, y }, line.name.as_str(), FLAG, T1, Align::Left);
        let right = Point { x: flag.right() - 9.0, y };
        scene.text(right, value(line), LABEL, T2, Align::Right);
        scene.fill(Rect::new(x - 2.0, flag.y + 2.0, 5.0, 12.0), T1);
    }
}

/// Decades with their units, and eight small ticks between.
pub(super) fn axis(plot: &Plot, layout: &Layout, look: &DrawStyle, scene: &mut Scene) {
    let y = layout.axis;
    let has_clock = plot.clock_mhz.is_some();
    let last = layout.decades();
    let words = |at: u32| match decade(at, has_clock) {
        words if has_clock || at < last => words,
        words => format!("{words} {}", look.tr(phrase("cycles"))),
    };
    let begin = layout.ends().1 + 36.0 - text::width(&words(last), LABEL);
    for at in 0..=last {
        let own = 10_f64.powi(at.cast_signed());
        let x = layout.x(own).round();
        scene.fill(Rect::new(x, y, 1.0, 5.0), T3);
        let words = words(at);
        let (x, align) = if at == last { (layout.ends().1 + 36.0, Align::Right) } else { (x, Align::Middle) };
        // The last one, with the unit, is always whole.
        if at == last || x + text::width(&words, LABEL) / 2.0 + 6.0 < begin {
            scene.text(Point { x, y: y + 17.0 }, words, LABEL, T3, align);
        }
        if at < last {
            for n in 2..10 {
                let x = layout.x(own * f64::from(n)).round();
                scene.fill(Rect::new(x, y, 1.0, 3.0), LINE2);
            }
        }
    }
}
