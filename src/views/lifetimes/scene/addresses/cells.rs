//! How dense accesses lie, a picture for each part of the axis of addresses.

use super::{View, status_ink};
use crate::base::geometry::{Px, Rect};
use crate::draw::style::DrawStyle;
use crate::scene::{Scene, Shape};
use crate::views::access::scene::strength;
use crate::views::lifetimes::compute::addresses::{AddressGrid, STATUSES};

pub(super) fn draw(view: &View, grid: &AddressGrid, look: &DrawStyle, scene: &mut Scene) {
    let inks = STATUSES.map(|status| look.palette.rgba(status_ink(status)) & 0xffff_ff00);
    let most = f64::from(grid.most()).max(1.0);
    let strengths: Vec<u8> = (0..1024).map(|n| strength(f64::from(n), most)).collect();
    let color = |cell: &[u32]| {
        let (_, ink) = cell.iter().zip(inks).rev().max_by_key(|(n, _)| **n)?;
        let n: u32 = cell.iter().sum();
        let alpha = strengths.get(n as usize).copied().unwrap_or_else(|| strength(f64::from(n), most));
        (0 < n).then_some(ink | u32::from(alpha))
    };
    let (width, columns) = (grid.width(), &grid.tiling.columns);
    let per_column = 2_f64.powi(grid.tiling.level as i32);
    let x = |column: u64| {
        let cycle = column as f64 * per_column;
        (f64::from(view.area.x) + (cycle - view.cycles.0) * view.per_cycle()) as Px
    };
    let (x0, x1) = (x(columns.start), x(columns.start + width as u64));
    let upward = view.upward();
    for (at, part) in grid.tiling.parts.iter().enumerate() {
        let Some(segment) = view.axis.segments.get(part.segment) else { continue };
        let height = part.n as usize;
        let mut colors = vec![0; width * height];
        for column in 0..width {
            for (row, cell) in grid.cells(column, at).enumerate() {
                if let Some(color) = color(cell) {
                    colors[(height - 1 - row) * width + column] = color;
                }
            }
        }
        let share = (segment.to - segment.from) / segment.bytes();
        let bytes = 2_f64.powi(part.shift as i32);
        let low = part.first as f64 * bytes - segment.start as f64;
        let bottom = upward.y(segment.from + low * share);
        let rise = (f64::from(part.n) * bytes * share * upward.per_place()) as Px;
        let rect = Rect::new(x0, bottom - rise, x1 - x0, rise);
        scene.shapes.push(Shape::Cells { rect, width: width as u32, height: height as u32, colors });
    }
}
