//! How dense accesses lie: the color tells loads from stores, the strength how many they are.

use super::{Frame, ink};
use crate::analysis::access::{Grid, SIDES, Side};
use crate::base::geometry::{Px, Rect};
use crate::draw::style::Look;
use crate::scene::palette::Ink;
use crate::scene::{Scene, Shape};

/// The color of cells that are read and written.
pub const BOTH: Ink = Ink::Slice(2);
/// A cell is mostly read when there are so many loads for a store.
const MOSTLY: u64 = 9;

/// How dense accesses lie, a picture for each segment.
pub(super) fn cells(frame: &Frame, grid: &Grid, look: &Look, scene: &mut Scene) {
    let colors = Colors::new(look, grid.most());
    let columns = &grid.tiling.columns;
    let width = columns.len();
    let per_column = f64::from(1_u32 << grid.tiling.level.min(31));
    let (x0, x1) =
        (frame.x(f64::from(columns.start) * per_column), frame.x(f64::from(columns.end) * per_column));
    let mut first = 0;
    for part in &grid.tiling.parts {
        let segment = &frame.plot.axis.segments[part.segment];
        let height = part.n as usize;
        let mut image = vec![0; width * height];
        for column in 0..width {
            for (row, cell) in grid.column(column)[first..first + height].iter().enumerate() {
                if *cell != [0; SIDES] {
                    image[(height - 1 - row) * width + column] = colors.of(*cell);
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
    sides: [u32; SIDES],
    both: u32,
    /// Strength by the number of accesses, for small numbers.
    strengths: Vec<u8>,
    most: f64,
}

impl Colors {
    fn new(look: &Look, most: u32) -> Self {
        let sides = [Side::Load, Side::Store, Side::Other].map(|side| look.palette.rgba(ink(side)));
        let most = f64::from(most).max(1.0);
        let both = look.palette.rgba(BOTH);
        Self { sides, both, strengths: (0..1024).map(|n| strength(f64::from(n), most)).collect(), most }
    }

    /// What neither reads nor writes is seen only where nothing else lies: allocations cover much.
    fn of(&self, [load, store, other]: [u32; SIDES]) -> u32 {
        let (color, n) = match (u64::from(load), u64::from(store)) {
            (0, 0) => (self.sides[2], other),
            (a, b) if b * MOSTLY <= a => (self.sides[0], load + store),
            (a, b) if a * MOSTLY <= b => (self.sides[1], load + store),
            _ => (self.both, load + store),
        };
        let alpha = match self.strengths.get(n as usize) {
            Some(alpha) => *alpha,
            None => strength(f64::from(n), self.most),
        };
        color & 0xffff_ff00 | u32::from(alpha)
    }
}

/// How strong so many accesses are painted: one is seen, the most are full.
fn strength(n: f64, most: f64) -> u8 {
    let share = if most <= 1.0 { 1.0 } else { n.max(1.0).ln() / most.ln() };
    (255.0 * (0.55 + 0.45 * share.clamp(0.0, 1.0))) as u8
}
