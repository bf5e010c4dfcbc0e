//! What a frame costs does not depend on how many slices there are.

use super::open;
use lanescope::analysis::summary::summarize;
use lanescope::analysis::timeline::cut::{Labels, Piece, cut};
use lanescope::analysis::timeline::track::LaneRows;
use lanescope::analysis::timeline::tree::Tree;
use lanescope::base::time::Window;
use lanescope::base::time::{Span, Ticks};
use lanescope::model::chunked::Chunked;
use lanescope::model::id::StrId;

const TOTAL: Ticks = 1_000_000_000;
const N_NAMES: u32 = 7;

/// A lane of `n` slices that lie evenly in the same time.
fn lane(n: u32) -> Tree {
    let step = TOTAL / Ticks::from(n);
    let mut tree = Tree::default();
    for i in 0..Ticks::from(n) {
        let span = Span::new(i * step, i * step + 1 + i % (step - 1));
        tree.push(span, |i| StrId(i as u32 % N_NAMES));
    }
    tree
}

#[test]
fn a_frame_costs_pixels_not_slices() {
    let names: Chunked<StrId> = (0..N_NAMES).map(StrId).collect();
    let mut few = [0.0; 3];
    for n in [1_000_000, 5_000_000, 20_000_000] {
        let tree = lane(n);
        let rows: LaneRows = (0..n).map(|i| i % N_NAMES).collect();
        for (zoom, few) in [1.0, 16.0, 100_000.0].into_iter().zip(&mut few) {
            let window = Window::of(Span::new(0, TOTAL)).zoomed(zoom, 0.3);
            let mut pieces: Vec<Piece> = Vec::new();
            let labels = Labels { rows: &rows, names: &names };
            let visits = cut(&tree, labels, &window, 1280, &mut pieces) as f64;
            assert!(pieces.len() <= 2 * 1280, "{} pieces", pieces.len());
            assert!(visits < 20.0 * 1280.0, "{visits} nodes for 1280 columns");
            if zoom < 100.0 {
                *few = if *few == 0.0 { visits } else { *few };
                assert!(visits <= 1.2 * *few, "{visits} nodes of {n} slices, {few} of 1 M, zoom {zoom}");
            }
        }
    }
}

#[test]
fn a_slice_costs_few_bytes_of_lanes_and_levels() {
    let n: i64 = 200_000;
    let rows: Vec<_> = (0..n).map(|i| (i * 20, 1 + i % 19, (i % 7) as u8, 0)).collect();
    let (_, derived, _) = open(&rows, 10_000);
    let bytes = derived.timeline.bytes() as f64 / n as f64;
    assert!(bytes < 20.0, "{bytes} bytes");
}

#[test]
fn a_nesting_of_100_000_is_no_trouble() {
    let n: i64 = 100_000;
    let rows: Vec<_> = (0..n).map(|i| (i, 2 * (n - i), 0, 0)).collect();
    let (trace, derived, track) = open(&rows, 1000);
    let lanes = derived.timeline.track(track);
    assert_eq!(lanes.len() as i64, n);
    assert_eq!(lanes.lane_of(n as usize - 1), Some(n as usize - 1));
    let all = summarize(&trace, &derived.timeline, &[(track, None)], Span::new(0, 3 * n)).all;
    assert_eq!(all.own, 2 * n, "each holds the next, two ticks shorter");
    assert_eq!(lanes.busy(Span::new(0, 3 * n)), 2 * n);
}

#[test]
fn staggered_overlaps_are_no_trouble() {
    let n: i64 = 100_000;
    let rows: Vec<_> = (0..n).map(|i| (i, n, 0, 0)).collect();
    let (trace, derived, track) = open(&rows, 1000);
    let all = summarize(&trace, &derived.timeline, &[(track, None)], Span::new(0, 3 * n)).all;
    assert_eq!(all.own, n * n);
    assert_eq!(derived.timeline.track(track).busy(Span::new(0, 3 * n)), 2 * n - 1);
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
