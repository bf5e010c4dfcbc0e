//! Levels of detail of lanes that are dense, far apart or at an epoch, against looking at every slice; rows of several
//! tracks in one order.

use crate::support::naive;
use lanescope::analysis::Derived;
use lanescope::analysis::area::Scope;
use lanescope::analysis::area::flame::flame;
use lanescope::analysis::summary::summarize;
use lanescope::analysis::timeline::cut::{Labels, Piece, WALKED, cut};
use lanescope::analysis::timeline::search::{Found, SearchQuery};
use lanescope::analysis::timeline::track::LaneRows;
use lanescope::analysis::timeline::tree::Tree;
use lanescope::analysis::timeline::window;
use lanescope::base::time::{Span, Ticks, Window};
use lanescope::model::Trace;
use lanescope::model::build::TraceBuilder;
use lanescope::model::chunked::Chunked;
use lanescope::model::id::{SliceId, StrId, TrackId};
use lanescope::model::slice::SliceRow;
use lanescope::model::track::TrackKind;
use proptest::prelude::*;

const EPOCH: Ticks = 1_766_000_000_000_000_001;

/// Slices that do not overlap: a gap before each and its length, most of them short and some far beyond 32 bits.
fn lanes() -> impl Strategy<Value = Vec<(Span, StrId)>> {
    let length = || prop_oneof![6 => 0i64..12, 2 => 0i64..1_000, 1 => (1i64 << 31)..(1i64 << 34)];
    let start = prop_oneof![Just(0), Just(EPOCH), Just(-500)];
    let is_dense = any::<bool>();
    (prop::collection::vec((length(), length(), 0u32..3), 1..400), start, is_dense).prop_map(
        |(slices, start, is_dense)| {
            let mut at = start;
            let mut lane = Vec::new();
            for (gap, dur, name) in slices {
                let (gap, dur) = if is_dense { (gap % 12, dur % 12) } else { (gap, dur) };
                let span = Span::new(at + gap, at + gap + dur);
                // A slice without length takes a tick.
                at = span.end.max(span.start + 1);
                lane.push((span, StrId(name)));
            }
            lane
        },
    )
}

fn tree(lane: &[(Span, StrId)]) -> Tree {
    let mut tree = Tree::default();
    for (span, _) in lane {
        tree.push(*span, |i| lane[i].1);
    }
    tree
}

proptest! {
    #[test]
    fn an_edge_tells_what_lies_before_it(lane in lanes(), picks in prop::collection::vec((0usize..400, -2i64..3), 1..40)) {
        let tree = tree(&lane);
        let spans: Vec<Span> = lane.iter().map(|slice| slice.0).collect();
        let time = |&(i, by): &(usize, i64)| spans[i % spans.len()].start + by;
        let mut times: Vec<Ticks> = picks.iter().map(time).chain(spans.iter().map(|span| span.end)).collect();
        times.sort_unstable();
        let mut edges = Vec::new();
        tree.edges(&times, &mut edges);
        prop_assert_eq!(edges.len(), times.len());
        for (&time, edge) in times.iter().zip(&edges) {
            let before: Vec<&Span> = spans.iter().filter(|span| span.start < time).collect();
            let covered: u64 = before.iter().map(|span| span.dur() as u64).sum();
            prop_assert_eq!((edge.first, edge.covered), (before.len(), covered));
            if let Some(last) = before.last() {
                prop_assert_eq!(edge.before, **last);
            }
            let alone = tree.edge(time);
            prop_assert_eq!((alone.first, alone.covered, alone.before), (edge.first, edge.covered, edge.before));
            let after = tree.edge_after(time);
            prop_assert_eq!(after.first, spans.iter().filter(|span| span.start <= time).count());
            let from = edge.first.saturating_sub(1);
            let rest: Vec<Span> = tree.across(edge).map(|leaf| leaf.1).collect();
            prop_assert_eq!(&rest, &spans[from..]);
        }
    }

    #[test]
    fn columns_of_many_slices_never_lie(lane in lanes(), n in 1usize..9, from in 0usize..400, to in 0usize..400) {
        let tree = tree(&lane);
        let spans: Vec<Span> = lane.iter().map(|slice| slice.0).collect();
        let names: Chunked<StrId> = lane.iter().map(|slice| slice.1).collect();
        let rows: LaneRows = (0..names.len() as u32).collect();
        let (a, b) = (spans[from % spans.len()], spans[to % spans.len()]);
        let window = Window::of(a.union(b)).zoomed(0.97, 0.5);
        let mut pieces = Vec::new();
        cut(&tree, Labels { rows: &rows, names: &names }, &window, n, &mut pieces);
        let expected = naive::columns(&spans, &window, n);
        let mut got = vec![(0.0, None); n];
        for piece in &pieces {
            match *piece {
                Piece::Column { x, share, common } => {
                    got[x as usize].0 += f64::from(share);
                    got[x as usize].1 = Some(common);
                }
                Piece::Slice { row, x0, x1 } => {
                    for (i, column) in got.iter_mut().enumerate() {
                        let covered = (x1.min(i as f64 + 1.0) - x0.max(i as f64)).max(0.0);
                        column.0 += covered;
                        column.1 = column.1.or((0.0 < covered).then(|| names[row as usize]));
                    }
                }
            }
        }
        for (i, ((share, name), column)) in got.iter().zip(&expected).enumerate() {
            prop_assert!((share - column.share).abs() <= 1.0 / 255.0, "column {i}: {share}, not {column:?}");
            prop_assert!(!column.is_hit || name.is_some(), "column {i} is invisible");
            prop_assert!(name.is_none() || column.may_be_hit, "column {i} is empty");
        }
    }

    #[test]
    fn a_name_with_nearly_all_time_colors_its_column(lane in lanes(), rare in 0usize..60) {
        // All slices have one name but every sixtieth.
        let names: Chunked<StrId> = (0..lane.len()).map(|i| StrId(u32::from(i % 60 == rare))).collect();
        let spans: Vec<Span> = lane.iter().map(|(span, _)| Span::new(span.start, span.start + 1)).collect();
        let relabeled: Vec<(Span, StrId)> = spans.iter().copied().zip(names.iter().copied()).collect();
        let tree = tree(&relabeled);
        let rows: LaneRows = (0..names.len() as u32).collect();
        let window = Window::of(spans[0].union(spans[spans.len() - 1])).zoomed(0.9, 0.5);
        let mut pieces = Vec::new();
        cut(&tree, Labels { rows: &rows, names: &names }, &window, 1, &mut pieces);
        if WALKED < spans.len() && 8 < spans.len() {
            let is_common = |piece: &Piece| matches!(piece, Piece::Column { common: StrId(0), .. });
            prop_assert!(pieces.iter().all(is_common), "{pieces:?}");
        }
    }

    #[test]
    fn of_merged_tracks_nothing_lies_over_anything(
        mut rows in rows(),
        is_finished in any::<bool>(),
        order in Just([0, 1, 2, 3]).prop_shuffle(),
        shifts in prop_oneof![Just([0; 4]), prop::array::uniform4(-90i64..90)],
    ) {
        rows.truncate(120); // few enough to compare each with each
        let (trace, mut derived, tracks) = tracks(&rows, is_finished);
        let offsets: Vec<(TrackId, Ticks)> = tracks.iter().copied().zip(shifts).collect();
        derived.timeline.shift(&trace, &offsets);
        let merged: Vec<TrackId> = order.into_iter().map(|i| tracks[i]).collect();
        derived.timeline.stack(&trace, std::slice::from_ref(&merged));
        let timeline = &derived.timeline;
        // Where each slice would be with its track from a lane on: lane and time, at least a tick.
        let stand = |track: TrackId, at: usize| {
            let slices = &trace.tracks.get(track).slices;
            let lanes = (0..slices.len()).filter_map(move |row| Some((at + timeline.track(track).lane_of(row)?, row)));
            let by = timeline.shift_of(track);
            lanes.map(|(lane, row)| {
                let span = slices.span(row).shifted(by);
                (lane, span.start, span.end.max(span.start + 1))
            }).collect::<Vec<_>>()
        };
        let collides = |a: &[(usize, Ticks, Ticks)], b: &[(usize, Ticks, Ticks)]| {
            a.iter().any(|a| b.iter().any(|b| a.0 == b.0 && a.1 < b.2 && b.1 < a.2))
        };
        let mut above = Vec::new();
        for track in merged {
            let at = timeline.first_lane(track);
            prop_assert!(!collides(&stand(track, at), &above));
            prop_assert!((0..at).all(|higher| collides(&stand(track, higher), &above)), "as high as it goes");
            above.extend(stand(track, at));
        }
        derived.timeline.stack(&trace, &[]);
        prop_assert!(tracks.iter().all(|&track| derived.timeline.first_lane(track) == 0));
    }

    #[test]
    fn tracks_come_in_one_order(
        rows in rows(),
        start in -20i64..400,
        dur in 1i64..600,
        is_finished in any::<bool>(),
        shifts in prop_oneof![Just([0; 4]), prop::array::uniform4(-90i64..90)],
    ) {
        let (trace, mut derived, tracks) = tracks(&rows, is_finished);
        let offsets: Vec<(TrackId, Ticks)> = tracks.iter().copied().zip(shifts).collect();
        derived.timeline.shift(&trace, &offsets);
        let derived = derived;
        let chosen: Vec<(TrackId, Option<usize>)> = tracks.iter().map(|&id| (id, None)).collect();
        let range = Span::new(start, start + dur);
        let span = |id: SliceId| {
            let by = shifts[tracks.iter().position(|&t| t == id.track).unwrap()];
            trace.tracks.get(id.track).slices.span(id.row as usize).shifted(by)
        };
        let name = |id: SliceId| trace.tracks.get(id.track).slices.name[id.row as usize];
        let mut all: Vec<SliceId> = Vec::new();
        for (id, track) in trace.tracks.iter() {
            all.extend((0..track.slices.len() as u32).map(|row| SliceId { track: id, row }));
        }
        let mut got = Vec::new();
        window::rows(&trace, &derived.timeline, &chosen, range, |_, id| got.push(id));
        prop_assert!(got.is_sorted_by_key(|&id| span(id).start));
        let mut inside: Vec<SliceId> = all.iter().copied().filter(|&id| range.touches(span(id))).collect();
        got.sort_unstable();
        inside.sort_unstable();
        prop_assert_eq!(&got, &inside);
        let sums = summarize(&trace, &derived.timeline, &chosen, range);
        let tree = flame(Scope { trace: &trace, timeline: &derived.timeline, tracks: &chosen, span: range });
        let frames = || tree.frames.iter().filter(|f| f.level != 0 && !f.is_track);
        prop_assert_eq!(sums.all.own, frames().map(|f| f.own).sum::<Ticks>());
        prop_assert_eq!(sums.all.sum, frames().map(|f| f.total).sum::<Ticks>());
        prop_assert_eq!(sums.all.total, tree.frames[0].total);
        let cut = |of: &dyn Fn(SliceId) -> bool| -> Vec<Span> {
            inside.iter().copied().filter(|&id| of(id)).map(|id| span(id).intersect(range)).collect()
        };
        prop_assert_eq!(sums.all.union, naive::union(&cut(&|_| true)));
        prop_assert_eq!(sums.all.n, inside.len() as u64);
        let with_rows: std::collections::BTreeSet<TrackId> = inside.iter().map(|id| id.track).collect();
        prop_assert_eq!(sums.all.n_tracks, with_rows.len() as u32);
        for (wanted, first, sum) in &sums.names {
            let of: Vec<SliceId> = inside.iter().copied().filter(|&id| name(id) == *wanted).collect();
            prop_assert_eq!(sum.n, of.len() as u64);
            prop_assert_eq!(sum.union, naive::union(&cut(&|id| name(id) == *wanted)));
            let durs = of.iter().map(|&id| span(id).intersect(range).dur()).collect::<Vec<_>>();
            prop_assert_eq!(sum.sum, durs.iter().sum::<Ticks>());
            let of_track = |track: TrackId| {
                let rows: Vec<usize> =
                    of.iter().filter(|id| id.track == track).map(|id| id.row as usize).collect();
                naive::totals(&trace.tracks.get(track).slices, &rows, range)
            };
            let tracks: std::collections::BTreeSet<TrackId> = of.iter().map(|id| id.track).collect();
            let all = tracks.into_iter().map(of_track);
            let all = all.fold((0, 0, 0), |all, own| (all.0 + own.0, all.1 + own.1, all.2 + own.2));
            // Rows of a trace that is still read have no order; shifts change what of them is in the range, not the whole.
            if is_finished {
                prop_assert_eq!((sum.n_outermost, sum.whole), (all.0, all.2));
            }
            prop_assert_eq!((Some(&sum.min), Some(&sum.max)), (durs.iter().min(), durs.iter().max()));
            let on: std::collections::BTreeSet<TrackId> = of.iter().map(|id| id.track).collect();
            prop_assert_eq!(sum.n_tracks, on.len() as u32);
            let expected = of.iter().min_by_key(|&&id| (span(id).start, id.track)).unwrap().track;
            prop_assert_eq!(*first, expected);
        }
        let wanted = SearchQuery { text: "name 1".to_owned(), ..SearchQuery::default() };
        let found = Found::search(&trace, &derived.timeline, &wanted);
        let hits: Vec<SliceId> = all.into_iter().filter(|&id| trace.strings.get(name(id)) == "name 1").collect();
        prop_assert_eq!(found.n, hits.len() as u64);
        prop_assert!(found.listed.is_sorted_by_key(|&id| span(id).start));
        let mut listed = found.listed.clone();
        listed.sort_unstable();
        prop_assert_eq!(&listed, &hits);
    }
}

/// Track, start, length and number of the name; some thousand slices so that the time is divided.
fn rows() -> impl Strategy<Value = Vec<(u8, Ticks, Ticks, u8)>> {
    let row = |until: i64| (0u8..4, 0i64..until, prop_oneof![Just(0), 1i64..20, 1i64..300], 0u8..5);
    let few = prop::collection::vec(row(400), 0..120);
    let many = prop::collection::vec(row(3_000), 5_000..6_000).no_shrink();
    let rows = prop_oneof![30 => few, 1 => many];
    (rows, any::<bool>()).prop_map(|(mut rows, is_sorted)| {
        if is_sorted {
            rows.sort_by_key(|row| (row.1, -row.2));
        }
        rows
    })
}

/// A trace of four tracks, taken in by chunks.
fn tracks(rows: &[(u8, Ticks, Ticks, u8)], is_finished: bool) -> (Trace, Derived, Vec<TrackId>) {
    let mut builder = TraceBuilder::default();
    let mut track = |i: usize| {
        let name = builder.intern(&format!("track {i}"));
        builder.track(None, TrackKind::Slices, name, 0).unwrap()
    };
    let tracks: Vec<TrackId> = (0..4).map(&mut track).collect();
    builder.arrange();
    let mut derived = Derived::default();
    for part in rows.chunks(50) {
        for &(track, start, dur, name) in part {
            let name = builder.intern(&format!("name {name}"));
            builder.slice(tracks[usize::from(track)], SliceRow::new(start, dur, name));
        }
        derived.extend_all(builder.trace());
    }
    if is_finished {
        builder.finish();
        derived.finish_all(builder.trace());
    }
    (builder.into_trace(), derived, tracks)
}

#[test]
fn a_million_hits_are_the_first_ones() {
    // More hits than are listed, on two tracks: the later ones of both are left out, not the second track.
    let n = 1_200_000;
    let wanted = SearchQuery { text: "name".to_owned(), ..SearchQuery::default() };
    let mut builder = TraceBuilder::default();
    let name = builder.intern("name");
    let tracks = [(); 2].map(|()| builder.track(None, TrackKind::Slices, name, 0).unwrap());
    for i in 0..n {
        builder.slice(tracks[i as usize % 2], SliceRow::new(i, 1, name));
    }
    builder.finish();
    let mut derived = Derived::default();
    derived.finish_all(builder.trace());
    let found = Found::search(builder.trace(), &derived.timeline, &wanted);
    assert_eq!((found.n, found.listed.len()), (n as u64, 1_000_000));
    assert_eq!(found.listed[999_999], SliceId { track: tracks[1], row: 499_999 });
}
