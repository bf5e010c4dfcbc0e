//! Live registers as vertical tracks: filled left triangle = write, open right chevron = read, line = in use.

use super::columns::{REGISTER, REGISTERS};
use super::{Row, View};
use crate::analysis::code::{RegisterCell, RegisterTracks};
use crate::base::geometry::{Point, Px};
use crate::scene::palette::Ink;
use crate::scene::{Align, Font, Scene, Shape, Stroke};

const INK: Ink = Ink::Slice(11);

pub(super) fn registers(scene: &mut Scene, view: &View, tracks: &RegisterTracks, rows: &[Row], x: Px) {
    for row in rows {
        let cells = tracks.row(row.at);
        for cell in cells.iter().filter(|c| usize::from(c.slot) < REGISTERS) {
            let middle = x + Px::from(cell.slot) * REGISTER + REGISTER / 2.0;
            one(scene, cell, middle, row.y, view.frame.row_px);
        }
        let more = cells.iter().filter(|c| REGISTERS <= usize::from(c.slot)).count();
        if 0 < more {
            let at = Point { x: x + REGISTERS as Px * REGISTER, y: row.baseline(view.frame.row_px, 11.0) };
            scene.text(at, format!("+{more}"), Font::ui(11.0), Ink::Token("t3"), Align::Left);
        }
    }
}

/// One register in one row. The line begins in the middle where it is born by a write, and ends there with its last read.
fn one(scene: &mut Scene, cell: &RegisterCell, x: Px, y: Px, h: Px) {
    let middle = y + h / 2.0;
    let top = if cell.begins { middle } else { y };
    let bottom = if cell.ends { middle } else { y + h };
    if top < bottom {
        scene.line(Point { x, y: top }, Point { x, y: bottom }, Stroke::new(INK, 1.5));
    }
    let p = |dx: Px, dy: Px| Point { x: x + dx, y: middle + dy };
    if cell.is_written {
        scene.shapes.push(Shape::Polygon { points: vec![p(0.0, -4.0), p(-5.0, 0.0), p(0.0, 4.0)], ink: INK });
    }
    if cell.is_read {
        let points = vec![p(1.0, -4.0), p(5.0, 0.0), p(1.0, 4.0)];
        scene.shapes.push(Shape::Path { points, stroke: Stroke::new(INK, 1.5) });
    }
}
