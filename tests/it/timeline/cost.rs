//! What a frame costs does not depend on how many slices there are.

use super::open;
use lanescope::analysis::timeline::cut::Piece;
use lanescope::base::time::Window;
use lanescope::base::time::{Span, Ticks};

/// Visited nodes for the same view over `n` slices that lie `step` ticks apart.
fn visits(n: i64, zoom: f64) -> u64 {
    let total: Ticks = 100_000_000;
    let step = total / n;
    let rows: Vec<_> = (0..n).map(|i| (i * step, 1 + i % (step - 1), (i % 7) as u8, 0)).collect();
    let (trace, derived, track) = open(&rows, 1 << 20);
    let window = Window::of(Span::new(0, total)).zoomed(zoom, 0.3);
    let mut pieces: Vec<Piece> = Vec::new();
    let slices = &trace.tracks.get(track).slices;
    let visits = derived.timeline.track(track).cut(slices, 0, &window, 1280, &mut pieces);
    assert!(pieces.len() <= 2 * 1280, "{} pieces", pieces.len());
    visits
}

#[test]
fn a_frame_costs_pixels_not_slices() {
    for zoom in [1.0, 16.0] {
        let (few, many) = (visits(1_000_000, zoom), visits(5_000_000, zoom));
        assert!(many as f64 <= 1.2 * few as f64, "{few} nodes of 1 M slices, {many} of 5 M");
        assert!(few < 64 * 1280, "{few} nodes for 1280 columns");
    }
}

#[test]
fn a_nesting_of_100_000_is_no_trouble() {
    let n: i64 = 100_000;
    let rows: Vec<_> = (0..n).map(|i| (i, 2 * (n - i), 0, 0)).collect();
    let (trace, derived, track) = open(&rows, 1000);
    let lanes = derived.timeline.track(track);
    assert_eq!(lanes.len() as i64, n);
    assert_eq!(lanes.lane_of(n as usize - 1), Some(n as usize - 1));
    let slices = &trace.tracks.get(track).slices;
    let own = lanescope::analysis::summary::own_times(slices, 0, slices.len());
    assert_eq!(own[0], 2);
    assert_eq!(lanes.busy(slices, Span::new(0, 3 * n)), 2 * n);
}

#[test]
fn staggered_overlaps_are_no_trouble() {
    let n: i64 = 100_000;
    let rows: Vec<_> = (0..n).map(|i| (i, n, 0, 0)).collect();
    let (trace, derived, track) = open(&rows, 1000);
    let slices = &trace.tracks.get(track).slices;
    let own = lanescope::analysis::summary::own_times(slices, 0, slices.len());
    assert!(own.iter().all(|&own| own == n));
    assert_eq!(derived.timeline.track(track).busy(slices, Span::new(0, 3 * n)), 2 * n - 1);
}

#[test]
fn a_single_nanosecond_in_an_empty_second_is_seen() {
    let at = 1_766_000_000_000_000_001;
    let (trace, derived, track) = open(&[(at, 1, 0, 0), (at + 1_000_000_000, 0, 1, 0)], 10);
    let slices = &trace.tracks.get(track).slices;
    let mut pieces = Vec::new();
    let window = Window::new(at - 500, 0.5, 1.1e9);
    derived.timeline.track(track).cut(slices, 0, &window, 1000, &mut pieces);
    let columns: Vec<u32> =
        pieces.iter().map(|p| if let Piece::Column { x, .. } = p { *x } else { u32::MAX }).collect();
    assert_eq!(columns, [0, 909]);
}

#[test]
fn two_slices_a_nanosecond_apart_at_an_epoch_stay_two() {
    let at = 1_766_000_000_000_000_001;
    let (trace, derived, track) = open(&[(at, 1, 0, 0), (at + 1, 1, 1, 0)], 10);
    let slices = &trace.tracks.get(track).slices;
    let mut pieces = Vec::new();
    let window = Window::new(at, 0.0, 2.0);
    derived.timeline.track(track).cut(slices, 0, &window, 1000, &mut pieces);
    let expected =
        [Piece::Slice { row: 0, x0: 0.0, x1: 500.0 }, Piece::Slice { row: 1, x0: 500.0, x1: 1000.0 }];
    assert_eq!(pieces, expected);
}
