//! The list of threads: name, how many blocks, share of the moved bytes that was used.

use super::Plot;
use super::layout::{Layout, Row};
use crate::base::geometry::{Point, Px, Rect};
use crate::base::number::{MISSING, fixed, thousands};
use crate::base::words::phrase;
use crate::draw::style::{DrawStyle, HEAD, LINE, T1, T2, T3, TEXT, hairline, middle};
use crate::scene::palette::Ink;
use crate::scene::{Align, Scene, Shape, text};
use crate::views::executions::compute::Totals;

/// Room at the edges, and width of the share.
const EDGE: Px = 12.0;
const SHARE: Px = 48.0;
/// Threads stand this far to the right of their groups.
const INDENT: Px = 16.0;

/// The list.
pub(super) fn heads(plot: &Plot, layout: &Layout, look: &DrawStyle, scene: &mut Scene) {
    if plot.is_only() {
        return;
    }
    let (area, w) = (layout.area, layout.area.x);
    scene.fill(Rect::new(0.0, 0.0, w, area.bottom()), Ink::Token("s1"));
    scene.shapes.push(Shape::Clip(Rect::new(0.0, area.y, area.right(), area.h)));
    let threads = &plot.run.launch.threads;
    for (row, rect) in layout.visible(plot) {
        match row {
            Row::Group(group) => {
                let Some(own) = plot.run.arranged.groups.get(group as usize) else { continue };
                let is_closed = plot.folding.is_some_and(|folding| folding.is_closed(group));
                caret(scene, Point { x: EDGE + 3.0, y: rect.y + rect.h / 2.0 }, is_closed);
                let name = threads.group_name(own.threads.start as usize);
                line(plot, (w, rect), (&name, EDGE + INDENT, HEAD.weight(600), T1), &own.totals, scene);
                let y = rect.y + 0.5;
                scene.line(Point { x: 0.0, y }, Point { x: area.right(), y }, hairline(LINE));
            }
            Row::Thread(thread) => {
                if plot.thread == Some(thread) {
                    scene.fill(Rect::new(0.0, rect.y, w, rect.h), Ink::Token("sel"));
                }
                let totals = plot.run.arranged.threads.get(thread as usize).copied().unwrap_or_default();
                let name = name(plot, layout, thread);
                let indent = if layout.is_grouped() { EDGE + INDENT } else { EDGE };
                line(plot, (w, rect), (&name, indent, TEXT, T1), &totals, scene);
            }
        }
    }
    scene.shapes.push(Shape::Unclip);
    let y = layout.ruler.y + 17.0;
    let mut word =
        |x: Px, words: &str, align: Align| scene.text(Point { x, y }, look.tr(words), HEAD, T3, align);
    word(EDGE, phrase("Threads"), Align::Left);
    word(w - EDGE - SHARE, phrase("blocks"), Align::Right);
    if plot.run.arranged.has_memory {
        word(w - EDGE, phrase("used"), Align::Right);
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
pub(super) fn full_name(plot: &Plot, thread: u32) -> String {
    let threads = &plot.run.launch.threads;
    let (group, name) = (threads.group_name(thread as usize), threads.name(thread as usize));
    if group.is_empty() { name } else { format!("{group} {name}") }
}

/// One line of the list.
pub(super) fn line(
    plot: &Plot,
    (w, rect): (Px, Rect),
    (name, x, font, ink): (&str, Px, crate::scene::Font, Ink),
    totals: &Totals,
    scene: &mut Scene,
) {
    let y = middle(rect.y, rect.h, font);
    let count = thousands(totals.executions as i64);
    let room = w - x - EDGE - SHARE - text::width(&count, TEXT) - 8.0;
    let is_narrow = room < 40.0;
    let room = if is_narrow { w - x - EDGE } else { room };
    scene.text(Point { x, y }, text::cut_middle(name, font, room.max(8.0)), font, ink, Align::Left);
    if is_narrow {
        return;
    }
    scene.text(Point { x: w - EDGE - SHARE, y }, count, TEXT, T2, Align::Right);
    if plot.run.arranged.has_memory {
        let share = totals.share().map_or_else(
            || MISSING.to_owned(),
            |share| match fixed(share * 100.0, 1) {
                all if all == "100.0" => "100 %".to_owned(),
                share => format!("{share} %"),
            },
        );
        scene.text(Point { x: w - EDGE, y }, share, TEXT, T2, Align::Right);
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
