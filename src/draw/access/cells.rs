//! How dense accesses lie: the color tells loads from stores, the strength how many they are.

use super::{Frame, ink};
use crate::analysis::access::{Grid, SIDES, Side};
use crate::base::geometry::{Px, Rect};
use crate::draw::style::Look;
use crate::scene::palette::mix;
use crate::scene::{Scene, Shape};

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
    /// Strength by the number of accesses, for small numbers.
    strengths: Vec<u8>,
    most: f64,
}

impl Colors {
    fn new(look: &Look, most: u32) -> Self {
        let sides = [Side::Load, Side::Store, Side::Other].map(|side| look.palette.rgba(ink(side)));
        let most = f64::from(most).max(1.0);
        Self { sides, strengths: (0..1024).map(|n| strength(f64::from(n), most)).collect(), most }
    }

    fn of(&self, cell: [u32; SIDES]) -> u32 {
        let total: u32 = cell.iter().sum();
        let alpha = match self.strengths.get(total as usize) {
            Some(alpha) => *alpha,
            None => strength(f64::from(total), self.most),
        };
        let [load, store, other] = self.sides;
        let color = match cell {
            [_, 0, 0] => load,
            [0, _, 0] => store,
            [0, 0, _] => other,
            [a, b, c] => {
                let both = mix(load, store, f64::from(b) / f64::from((a + b).max(1)));
                mix(both, other, f64::from(c) / f64::from(total))
            }
        };
        color & 0xffff_ff00 | u32::from(alpha)
    }
}

/// How strong so many accesses are painted: one is seen, the most are full.
fn strength(n: f64, most: f64) -> u8 {
    let share = if most <= 1.0 { 1.0 } else { n.max(1.0).ln() / most.ln() };
    (255.0 * (0.4 + 0.6 * share.clamp(0.0, 1.0))) as u8
}
