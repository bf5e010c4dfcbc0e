//! Every place of a picture that says something is reached by the arrow keys.

use super::specimen;
use lanescope::base::geometry::{Rect, Size};
use lanescope::base::words::Language;
use lanescope::draw::style::DrawStyle;
use lanescope::draw::{self, Way, next_by_key, scrolled};
use lanescope::model::figure::Body;
use lanescope::scene::palette::Palette;
use lanescope::scene::{Scene, Shape};

const WAYS: [Way; 4] = [Way::Left, Way::Right, Way::Up, Way::Down];

fn places(scene: &Scene) -> Vec<Rect> {
    let place = |shape: &Shape| if let Shape::Hit { rect, .. } = shape { Some(*rect) } else { None };
    scene.shapes.iter().filter_map(place).collect()
}

/// The places that are reached from the first one.
fn reached(scene: &Scene) -> Vec<Rect> {
    let mut seen: Vec<Rect> =
        next_by_key(scene, None, Way::Right).map(|(rect, _)| rect).into_iter().collect();
    let mut at = 0;
    while let Some(from) = seen.get(at).copied() {
        at += 1;
        for (rect, _) in WAYS.into_iter().filter_map(|way| next_by_key(scene, Some(from), way)) {
            if !seen.contains(&rect) {
                seen.push(rect);
            }
        }
    }
    seen
}

#[test]
fn all_cells_of_a_matrix_are_reached_by_the_arrow_keys() {
    let palette = Palette::default();
    let look = DrawStyle { palette: &palette, language: Language::En };
    let figure = specimen::nnapi::matrix();
    let Body::Matrix(matrix) = &figure.body else { panic!() };
    let width = draw::least_width(&figure).max(900.0);
    let size = Size { w: width, h: draw::height(&figure, width, Language::En) };
    let scene = draw::draw_small(&figure, size, &look);
    let all = places(&scene);
    assert!(matrix.cells.len() <= all.len());
    let reached = reached(&scene);
    let lost: Vec<&Rect> = all.iter().filter(|rect| !reached.contains(rect)).collect();
    assert!(lost.is_empty(), "{lost:?}");
    // To the right lies the next column, below it the next row.
    let words = |rect: Option<Rect>, way| {
        next_by_key(&scene, rect, way).map(|(rect, words)| (rect, words.to_owned()))
    };
    let runtime =
        |at: &&Shape| matches!(at, Shape::Hit { name, .. } if name.starts_with("Runtime · Preparation"));
    let Some(Shape::Hit { rect, .. }) = scene.shapes.iter().find(runtime) else { panic!() };
    assert!(words(Some(*rect), Way::Right).unwrap().1.starts_with("Runtime · Compilation"));
    assert!(words(Some(*rect), Way::Left).unwrap().1.starts_with("Runtime · Initialization"));
    assert!(words(Some(*rect), Way::Up).unwrap().1.starts_with("Application · Preparation"));
    assert!(words(Some(*rect), Way::Down).unwrap().1.starts_with("IPC · Preparation"));
}

#[test]
fn a_wide_picture_is_scrolled_to_where_the_keys_are() {
    let cell = |x: f32| Rect::new(x, 40.0, 80.0, 20.0);
    // In view from 100 to 400: what is there stays, what lies beside comes to the nearer edge.
    assert_eq!(scrolled(cell(200.0), 100.0, 300.0), 100.0);
    assert_eq!(scrolled(cell(380.0), 100.0, 300.0), 160.0);
    assert_eq!(scrolled(cell(20.0), 100.0, 300.0), 20.0);
    assert_eq!(scrolled(cell(500.0), 0.0, 60.0), 500.0, "wider than the view");
    // Through all columns of a table that is wider than its place: each is seen whole.
    let palette = Palette::default();
    let look = DrawStyle { palette: &palette, language: Language::En };
    let figure = specimen::nnapi::matrix();
    let width = draw::least_width(&figure).max(900.0);
    let size = Size { w: width, h: draw::height(&figure, width, Language::En) };
    let scene = draw::draw_small(&figure, size, &look);
    let (mut at, mut left, mut n) = (next_by_key(&scene, None, Way::Right), 0.0, 0);
    while let Some((rect, _)) = at {
        left = scrolled(rect, left, 300.0);
        assert!(left <= rect.x && rect.x + rect.w <= left + 300.01, "{rect:?} from {left}");
        (at, n) = (next_by_key(&scene, Some(rect), Way::Right), n + 1);
    }
    assert!(1 < n && 0.0 < left, "{n} columns, {left}");
}
