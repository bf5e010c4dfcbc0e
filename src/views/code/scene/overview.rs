//! The whole listing as a strip: heat of every row, marks of chosen ones, and a frame around what is in view, where the
//! listing scrolls alone.

use super::{View, warm};
use crate::base::geometry::{Px, Rect};
use crate::scene::palette::{Ink, Palette};
use crate::scene::{Scene, Shape, Stroke};

pub(super) fn draw(scene: &mut Scene, view: &View, strip: Rect, palette: &Palette) {
    scene.fill(strip, Ink::Token("s1"));
    scene.fill(Rect::new(strip.x, strip.y, 1.0, strip.h), Ink::Token("line"));
    let total = view.order.len();
    if total == 0 || strip.h < 1.0 {
        return;
    }
    // A short listing is not stretched: its rows keep their height.
    let used = strip.h.min(total as Px * view.frame.row_px);
    heat(scene, view, Rect { h: used, ..strip }, palette);
    let y_of = |place: f64| strip.y + (place / total as f64) as Px * used;
    for row in view.frame.selected.iter().chain(view.linked.iter().take(2_000)) {
        // Arranged rows are looked up one by one: only where that is cheap.
        let place = if total < 20_000 { view.order.place(*row) } else { natural_place(view, *row) };
        if let Some(place) = place {
            scene.fill(Rect::new(strip.x + 1.0, y_of(place as f64) - 0.5, 3.0, 2.0), Ink::Token("accent"));
        }
    }
    let rows_in_view = f64::from(scene.size.h / view.frame.row_px.max(1.0));
    // Listings that scroll together have one bar, which says it for both.
    if rows_in_view < total as f64 && view.frame.arrange.aligned.is_none() {
        let (top, bottom) = (y_of(view.frame.first), y_of(view.frame.first + rows_in_view));
        let frame = Rect::new(strip.x + 0.5, top, strip.w - 0.5, (bottom - top).max(6.0));
        let stroke = Stroke::new(Ink::Token("t3"), 1.0);
        scene.shapes.push(Shape::Outline { rect: frame, radius: 0.0, stroke });
    }
}

fn natural_place(view: &View, row: u32) -> Option<usize> {
    matches!(view.order, crate::analysis::code::Order::Natural(_)).then_some(row as usize)
}

/// One line of color for each pixel: the hottest of its rows.
fn heat(scene: &mut Scene, view: &View, strip: Rect, palette: &Palette) {
    let n = view.overview.len();
    let height = strip.h.floor().max(1.0) as usize;
    let ground = palette.rgba(Ink::Token("s1"));
    if n == 0 {
        return;
    }
    let colors = (0..height)
        .map(|y| {
            let from = (y * n / height).min(n - 1);
            let to = ((y + 1) * n / height).max(from + 1).min(n);
            let hottest = view.overview[from..to].iter().fold(0.0_f32, |a, &b| a.max(b));
            warm(f64::from(hottest), palette).map_or(ground, |ink| palette.rgba(ink))
        })
        .collect();
    let rect = Rect::new(strip.x + 2.0, strip.y, strip.w - 2.0, height as Px);
    scene.shapes.push(Shape::Cells { rect, width: 1, height: height as u32, colors });
}
