//! Going through what a picture says with the arrow keys: from one place with words to the next.

use crate::base::geometry::{Px, Rect};
use crate::scene::{Scene, Shape};

/// Where an arrow key goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// To the left.
    Left,
    /// To the right.
    Right,
    /// Up.
    Up,
    /// Down.
    Down,
}

impl Way {
    /// The way of a key as browsers call it.
    pub fn of_key(key: &str) -> Option<Self> {
        match key {
            "ArrowLeft" => Some(Self::Left),
            "ArrowRight" => Some(Self::Right),
            "ArrowUp" => Some(Self::Up),
            "ArrowDown" => Some(Self::Down),
            _ => None,
        }
    }
}

/// How far a picture is scrolled sideways so that a place on it is seen: `left` and `width` are what is in view now. Where
/// the place is in view already nothing moves; one that is wider than the view begins at its left edge.
pub fn scrolled(rect: Rect, left: Px, width: Px) -> Px {
    left.max(rect.x + rect.w - width).min(rect.x)
}

/// How much less a step to the side is wanted than one along the way.
const ASIDE: Px = 4.0;

/// The places of a picture with words, in the order in which they were drawn.
fn places(scene: &Scene) -> impl Iterator<Item = (Rect, &str)> {
    scene.shapes.iter().filter_map(|shape| match shape {
        Shape::Hit { rect, name } => Some((*rect, name.as_str())),
        _ => None,
    })
}

/// The place with words that lies next in a direction, and the words; the first one where there is none to go from, `None`
/// where nothing lies there. Costs the shapes.
pub fn next(scene: &Scene, from: Option<Rect>, way: Way) -> Option<(Rect, &str)> {
    let Some(from) = from else { return places(scene).next() };
    let middle = |rect: Rect| (rect.x + rect.w / 2.0, rect.y + rect.h / 2.0);
    let (x, y) = middle(from);
    let cost = |rect: Rect| {
        let (to_x, to_y) = middle(rect);
        let (along, aside) = match way {
            Way::Left => (x - to_x, to_y - y),
            Way::Right => (to_x - x, to_y - y),
            Way::Up => (y - to_y, to_x - x),
            Way::Down => (to_y - y, to_x - x),
        };
        (0.5 < along).then(|| along + ASIDE * aside.abs())
    };
    let ahead = places(scene).filter_map(|place| Some((cost(place.0)?, place)));
    ahead.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, place)| place)
}
