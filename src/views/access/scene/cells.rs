//! How dense accesses lie: the color tells loads from stores, or the most frequent value; the strength how many they are.

use super::{Frame, group_ink};
use crate::analysis::access::{Grid, Groups};
use crate::base::geometry::{Px, Rect};
use crate::draw::style::DrawStyle;
use crate::scene::palette::Ink;
use crate::scene::{Scene, Shape};

/// The color of cells that are read and written.
pub const BOTH: Ink = Ink::Slice(2);
/// A cell is mostly read when there are so many loads for a store.
const MOSTLY: u64 = 9;

/// How dense accesses lie, a picture for each segment.
pub(super) fn cells(frame: &Frame, grid: &Grid, look: &DrawStyle, scene: &mut Scene) {
    let colors = Colors::new(look, frame.plot.groups, grid.most());
    let n_groups = frame.plot.groups.len();
    let columns = &grid.tiling.columns;
    let width = (columns.end - columns.start) as usize;
    let per_column = 2_f64.powi(grid.tiling.level as i32);
    let (x0, x1) = (frame.x(columns.start as f64 * per_column), frame.x(columns.end as f64 * per_column));
    let mut first = 0;
    for part in &grid.tiling.parts {
        let segment = &frame.plot.axis.segments[part.segment];
        let height = part.n as usize;
        let mut image = vec![0; width * height];
        for column in 0..width {
            let cells = &grid.column(column)[first * n_groups..(first + height) * n_groups];
            for (row, cell) in cells.chunks_exact(n_groups).enumerate() {
                if cell.iter().any(|n| *n != 0) {
                    image[(height - 1 - row) * width + column] = colors.of(cell);
                }
            }
        }
        first += height;
        let low = (part.first as f64) * 2_f64.powi(part.shift as i32) - segment.start as f64;
        let share = (segment.to - segment.from) / segment.bytes();
        let bottom = frame.y(segment.from + low * share);
        let rise = f64::from(part.n) * 2_f64.powi(part.shift as i32) * share * frame.per_place;
        let rect = Rect::new(x0, bottom - rise as Px, x1 - x0, rise as Px);
        scene.shapes.push(Shape::Cells { rect, width: width as u32, height: height as u32, colors: image });
    }
}

/// Colors of cells by the number of accesses.
struct Colors {
    groups: Vec<u32>,
    /// The color of cells that are read and written, where sides decide.
    both: Option<u32>,
    /// Strength by the number of accesses, for small numbers.
    strengths: Vec<u8>,
    most: f64,
}

impl Colors {
    fn new(look: &DrawStyle, groups: &Groups, most: u32) -> Self {
        let colors = (0..groups.len()).map(|group| look.palette.rgba(group_ink(groups, group)));
        let most = f64::from(most).max(1.0);
        let both = groups.side(0).map(|_| look.palette.rgba(BOTH));
        Self {
            groups: colors.collect(),
            both,
            strengths: (0..1024).map(|n| strength(f64::from(n), most)).collect(),
            most,
        }
    }

    fn of(&self, cell: &[u32]) -> u32 {
        let (color, n) = match (self.both, cell) {
            // What neither reads nor writes is seen only where nothing else lies: allocations cover much.
            (Some(both), &[load, store, other]) => match (u64::from(load), u64::from(store)) {
                (0, 0) => (self.groups[2], other),
                (a, b) if b * MOSTLY <= a => (self.groups[0], load + store),
                (a, b) if a * MOSTLY <= b => (self.groups[1], load + store),
                _ => (both, load + store),
            },
            _ => {
                let most = cell.iter().zip(&self.groups).rev().max_by_key(|(n, _)| **n);
                (most.map_or(0, |(_, color)| *color), cell.iter().sum())
            }
        };
        let alpha = match self.strengths.get(n as usize) {
            Some(alpha) => *alpha,
            None => strength(f64::from(n), self.most),
        };
        color & 0xffff_ff00 | u32::from(alpha)
    }
}

/// How strong so many accesses are painted: one is seen, the most are full.
pub(crate) fn strength(n: f64, most: f64) -> u8 {
    let share = if most <= 1.0 { 1.0 } else { n.max(1.0).ln() / most.ln() };
    (255.0 * (0.55 + 0.45 * share.clamp(0.0, 1.0))) as u8
}
