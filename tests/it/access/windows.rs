//! The seen part of the picture: moved and zoomed anywhere, it stays where something is.

use crate::support::front_door::open_one;
use crate::support::make_accesses::{Record, container, tiled};
use lanescope::analysis::access::Axis;
use lanescope::base::geometry::Size;
use lanescope::draw::window::{ALL_PLACES, places, rows, zoomed_places, zoomed_rows};
use lanescope::scene::palette::Palette;
use lanescope::views::access::messages::{AccessScope, Frame};
use proptest::prelude::*;

#[test]
fn the_whole_is_no_window() {
    assert_eq!(places(ALL_PLACES), None);
    assert_eq!(rows((0.0, 6.0), 6.0), None);
    // Moved up or down by a drag while everything is seen: the sum is a little off, the picture stays.
    assert_eq!(places((ALL_PLACES.0 + 0.3, ALL_PLACES.1 + 0.3)), None);
    assert_eq!(rows((-3.0, 3.0), 6.0), None);
}

#[test]
fn zooming_in_and_out_comes_back_to_the_whole() {
    let mut seen = ALL_PLACES;
    for _ in 0..9 {
        seen = zoomed_places(seen, 1.25, 0.37).expect("a part");
    }
    for _ in 0..9 {
        seen = zoomed_places(seen, 1.0 / 1.25, 0.71).unwrap_or(ALL_PLACES);
    }
    assert_eq!(zoomed_places(seen, 1.0 / 1.25, 0.71), None);
    let (from, to) = zoomed_rows((0.0, 100.0), 2.0, 0.25, 100.0).expect("a part");
    assert_eq!((from, to), (12.5, 62.5), "the quarter stays at 25");
    let nearest = zoomed_rows((10.0, 14.0), 2.0, 0.0, 100.0);
    assert_eq!(nearest, Some((10.0, 14.0)), "the nearest window does not creep to the pointer");
}

#[test]
fn windows_that_somebody_wrote_into_an_address_are_drawn() {
    let (mut doc, _) = open_one("visualize_data.bin", container(&tiled(500), "[]"));
    let odd = [0.0, -1e300, 1e300, 1e-300, -7.0, f64::MAX, 499.0, 0.5];
    for rows in odd.map(|a| odd.map(|b| (a, b))).concat() {
        for places in [None, Some(rows)] {
            let look = AccessScope { rows: Some(rows), places, ..AccessScope::default() };
            let frame = Frame { look, selected: None };
            doc.draw(&frame, Size { w: 600.0, h: 300.0 }, &Palette::default());
        }
    }
}

/// Each of 120 spaces with accesses at both ends of all addresses: what lies between them leaves room for them.
#[test]
fn many_spaces_have_room_on_the_axis() {
    let record = |id: u32| Record {
        kind: 3,
        core: 0,
        space: (id / 2) as i8,
        block: 0,
        id,
        address: u64::from(id % 2) << 63,
        bytes: 64,
        pc: 0,
    };
    let (mut doc, _) =
        open_one("visualize_data.bin", container(&(0..240).map(record).collect::<Vec<_>>(), "[]"));
    for places in [None, Some((0.4, 0.5))] {
        let look = AccessScope { places, ..AccessScope::default() };
        let frame = Frame { look, selected: None };
        let (scene, _) = doc.draw(&frame, Size { w: 600.0, h: 300.0 }, &Palette::default());
        let drawn = scene.shapes.len();
        assert!((100..10_000).contains(&drawn), "{drawn}");
    }
    let axis = Axis::of(&(0..120).map(|n| (n << 32, (n << 32) + 63)).collect::<Vec<_>>());
    let segments = &axis.segments;
    assert!(segments.iter().all(|segment| segment.from < segment.to && segment.to <= 1.0));
    assert!(segments.windows(2).all(|pair| pair[0].to < pair[1].from));
}

proptest! {
    #[test]
    fn any_window_stays_where_something_is(
        from in -1e9..1e9_f64,
        width in 0.0..1e9_f64,
        n in 1.0..1e7_f64,
        factor in 0.1..10.0_f64,
        share in 0.0..1.0_f64,
    ) {
        if let Some((from, to)) = rows((from, from + width), n) {
            prop_assert!(from < n && 0.0 < to && to - from < n, "{from} {to}");
            let zoomed = zoomed_rows((from, to), factor, share, n);
            prop_assert!(zoomed.is_none_or(|(from, to)| from < n && 0.0 < to), "{zoomed:?}");
        }
        if let Some((low, high)) = places((from / 1e9, (from + width) / 1e9)) {
            prop_assert!(low < 1.0 && 0.0 < high && low < high, "{low} {high}");
            let zoomed = zoomed_places((low, high), factor, share);
            prop_assert!(zoomed.is_none_or(|(low, high)| low < high && low < 1.0 && 0.0 < high), "{zoomed:?}");
        }
    }
}
