//! Call trees, overlaps, gaps and flows against slow and obvious versions.

use super::{categories, idle, longest};
use crate::support::naive;
use lanescope::analysis::Derived;
use lanescope::analysis::area::flame::{Order, flame};
use lanescope::analysis::area::gaps::Finding;
use lanescope::analysis::area::{Scope, Work, links, overlap};
use lanescope::analysis::rows::{FlowRows, RowOrder};
use lanescope::analysis::timeline::{Timeline, chosen_tracks};
use lanescope::base::time::{Span, Ticks};
use lanescope::model::build::TraceBuilder;
use lanescope::model::id::{FlowId, StrId, TrackId};
use lanescope::model::slice::SliceRow;
use lanescope::model::track::TrackKind;
use lanescope::model::{FlowEnd, Trace};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// Track, start, length, number of the name.
type Row = (usize, Ticks, Ticks, usize);

const TRACKS: [&str; 4] = ["CUBE", "MTE2", "CUBE", "VECTOR"];
const NAMES: [&str; 5] = ["add", "mul", "WAIT_FLAG", "BAR_ALL", "copy"];

fn rows() -> impl Strategy<Value = Vec<Row>> {
    let row = (0..TRACKS.len(), 0i64..200, prop_oneof![Just(0), 1i64..20, 1i64..150], 0..NAMES.len());
    prop::collection::vec(row, 0..120)
}

fn ranges() -> impl Strategy<Value = Span> {
    (-20i64..220, 0i64..300).prop_map(|(start, dur)| Span::new(start, start + dur))
}

/// A trace with all tracks; while `is_loading` rows stand as they came.
fn open(rows: &[Row], is_loading: bool) -> (Trace, Derived) {
    let mut builder = TraceBuilder::default();
    let mut derived = Derived::default();
    let tracks: Vec<TrackId> = TRACKS
        .iter()
        .map(|name| {
            let name = builder.intern(name);
            builder.track(None, TrackKind::Slices, name, 0).unwrap()
        })
        .collect();
    for part in rows.chunks(7) {
        for &(track, start, dur, name) in part {
            let name = builder.intern(NAMES[name]);
            builder.slice(tracks[track], SliceRow::new(start, dur, name));
        }
        derived.extend_all(builder.trace());
    }
    builder.arrange();
    if !is_loading {
        builder.finish();
        derived.finish_all(builder.trace());
    }
    (builder.into_trace(), derived)
}

/// Count, total, self time and first start by names from the top.
type Sums = BTreeMap<Vec<StrId>, (u64, Ticks, Ticks, Ticks)>;

/// Every slice finds the one it is nested in by looking at all.
fn naive_calls(trace: &Trace, tracks: &[TrackId], range: Span) -> Sums {
    let mut sums = Sums::new();
    for &id in tracks {
        let track = trace.tracks.get(id);
        let slices = &track.slices;
        let span = |row: usize| slices.span(row);
        let contains = |a: usize, b: usize| span(b).end.max(span(b).start + 1) <= span(a).end;
        let parent = |row: usize| (0..row).rev().find(|&before| contains(before, row));
        let inside = |row: usize| span(row).intersect(range);
        for row in (0..slices.len()).filter(|&row| range.touches(span(row))) {
            let up = std::iter::successors(Some(row), |&row| parent(row));
            let mut path: Vec<StrId> = up.map(|row| slices.name[row]).collect();
            path.push(track.name);
            path.reverse();
            let children: Vec<Span> =
                (row + 1..slices.len()).filter(|&c| parent(c) == Some(row)).map(inside).collect();
            let nested: Vec<Span> = children.into_iter().filter(|s| !s.is_empty()).collect();
            let sum = sums.entry(path).or_insert((0, 0, 0, Ticks::MAX));
            sum.0 += 1;
            sum.1 += inside(row).dur();
            sum.2 += inside(row).dur() - naive::union(&nested);
            sum.3 = sum.3.min(inside(row).start);
        }
    }
    sums
}

/// Whether each track has work at each tick of the range.
fn naive_busy(
    (trace, timeline): (&Trace, &Timeline),
    tracks: &[TrackId],
    range: Span,
    work: &Work,
) -> Vec<Vec<bool>> {
    let at = |id: &TrackId, t: Ticks| {
        let slices = &trace.tracks.get(*id).slices;
        (0..slices.len()).any(|row| work.is(trace, timeline, *id, row) && slices.span(row).contains(t))
    };
    tracks.iter().map(|id| (range.start..range.end).map(|t| at(id, t)).collect()).collect()
}

proptest! {
    #[test]
    fn calls_are_those_of_the_naive_tree(rows in rows(), range in ranges()) {
        let (trace, derived) = open(&rows, false);
        let tracks = chosen_tracks(&trace, &[]);
        prop_assume!(1 < tracks.len());
        let scope = Scope { trace: &trace, timeline: &derived.timeline, tracks: &tracks, span: range };
        let tree = flame(scope);
        let path = |at: u32| -> Vec<StrId> {
            tree.path(at).into_iter().skip(1).map(|f| tree.frames[f as usize].name).collect()
        };
        let mut got = Sums::new();
        let mut tops = 0;
        for (i, frame) in (0u32..).zip(&tree.frames).skip(1) {
            prop_assert_eq!(frame.level as usize, path(i).len());
            prop_assert_eq!(frame.is_track, frame.level == 1);
            if frame.is_track {
                tops += frame.total;
            } else {
                got.insert(path(i), (frame.n, frame.total, frame.own, frame.first));
            }
        }
        let ids: Vec<TrackId> = tracks.iter().map(|t| t.0).collect();
        prop_assert_eq!(got, naive_calls(&trace, &ids, range));
        prop_assert_eq!(tree.frames[0].total, tops);
        // Both orders hold every frame once, below the frame around it, in their order.
        for order in [Order::Heavy, Order::Time] {
            let mut seen = BTreeSet::new();
            for at in 0..tree.frames.len() as u32 {
                let inside = tree.inside(at, order);
                let of = |f: &u32| tree.frames[*f as usize];
                prop_assert!(inside.iter().all(|f| of(f).parent == at));
                let is_sorted = match order {
                    Order::Heavy => inside.is_sorted_by_key(|f| std::cmp::Reverse(of(f).total)),
                    Order::Time => inside.is_sorted_by_key(|f| of(f).first),
                };
                prop_assert!(is_sorted);
                seen.extend(inside.iter().copied());
            }
            prop_assert_eq!(seen.len() + 1, tree.frames.len());
        }
        // What is listed first has a frame around it that stands before it.
        for limit in [1, 3, usize::MAX] {
            let listed = tree.heaviest(limit);
            prop_assert_eq!(listed.len(), limit.min(tree.frames.len() - 1));
            for (i, f) in listed.iter().enumerate() {
                let parent = tree.frames[*f as usize].parent;
                prop_assert!(parent == 0 || listed[..i].contains(&parent));
                prop_assert_eq!(tree.find(&path(*f)), *f);
            }
        }
    }

    #[test]
    fn tracks_are_busy_together_as_counted_tick_by_tick(rows in rows(), range in ranges(), waits in any::<bool>()) {
        let (trace, derived) = open(&rows, false);
        let tracks = chosen_tracks(&trace, &[]);
        let scope = Scope { trace: &trace, timeline: &derived.timeline, tracks: &tracks, span: range };
        let work = Work::new(waits);
        let got = overlap::overlap(scope, Work::new(waits));
        let busy = naive_busy((&trace, &derived.timeline), &got.tracks, range, &work);
        let n = got.tracks.len();
        let ticks = 0..range.dur() as usize;
        for a in 0..n {
            for b in 0..n {
                let both = ticks.clone().filter(|&t| busy[a][t] && busy[b][t]).count() as Ticks;
                prop_assert_eq!(got.pair(a, b), both, "{} {}", a, b);
            }
            let alone = ticks.clone().filter(|&t| busy[a][t] && (0..n).all(|b| a == b || !busy[b][t]));
            prop_assert_eq!(got.alone[a], alone.count() as Ticks);
        }
        for k in 0..=n {
            let times = ticks.clone().filter(|&t| (0..n).filter(|&a| busy[a][t]).count() == k);
            prop_assert_eq!(got.at_once[k], times.count() as Ticks);
        }
    }

    #[test]
    fn gaps_are_the_ticks_without_work(rows in rows(), range in ranges(), is_loading in any::<bool>(), limit in 1usize..6) {
        let (trace, derived) = open(&rows, is_loading);
        let tracks = chosen_tracks(&trace, &[]);
        let scope = Scope { trace: &trace, timeline: &derived.timeline, tracks: &tracks, span: range };
        let work = Work::new(false);
        let ids: Vec<TrackId> = tracks.iter().map(|t| t.0).collect();
        let busy = naive_busy((&trace, &derived.timeline), &ids, range, &work);
        let idle = idle(scope, false);
        let mut all: Vec<(TrackId, Span)> = Vec::new();
        for ((&id, busy), idle) in ids.iter().zip(&busy).zip(&idle) {
            let mut expected: Vec<Span> = Vec::new();
            for (t, is_busy) in (range.start..).zip(busy) {
                match expected.last_mut() {
                    Some(last) if !is_busy && last.end == t => last.end = t + 1,
                    _ if !is_busy => expected.push(Span { start: t, end: t + 1 }),
                    _ => {}
                }
            }
            let work = Work::new(false);
            let mut finding = Finding::every(vec![(id, None)], range, work);
            while finding.step(&trace, &derived.timeline) {}
            let got: Vec<Span> = finding.take().into_iter().map(|(_, gap)| gap).collect();
            prop_assert_eq!(&got, &expected);
            let sum: Ticks = expected.iter().map(|g| g.dur()).sum();
            prop_assert_eq!((idle.n, idle.idle, idle.busy), (got.len() as u64, sum, range.dur() - sum));
            let longest = expected.iter().map(|g| g.dur()).max().unwrap_or(0);
            prop_assert_eq!(idle.longest.dur(), longest);
            all.extend(expected.into_iter().map(|gap| (id, gap)));
        }
        let found = longest(scope, limit);
        prop_assert_eq!(found.n, all.len() as u64);
        all.sort_by_key(|&(id, gap)| (std::cmp::Reverse(gap.dur()), gap.start, id));
        all.truncate(limit);
        all.sort_by_key(|&(id, gap)| (gap.start, id));
        prop_assert_eq!(&found.listed, &all);
    }

    #[test]
    fn flows_are_listed_and_summed_as_one_by_one(
        flows in prop::collection::vec((0usize..4, 0i64..100, 0usize..4, 0i64..100, 0usize..3), 0..60),
        range in ranges(),
        track in 0usize..5,
        is_descending in any::<bool>(),
        by_latency in any::<bool>(),
    ) {
        let mut builder = TraceBuilder::default();
        let ids: Vec<TrackId> = (0..4)
            .map(|i| {
                let name = builder.intern(TRACKS[i]);
                let id = builder.track(None, TrackKind::Slices, name, 0).unwrap();
                let name = builder.intern(NAMES[i]);
                builder.slice(id, SliceRow::new(0, 120, name));
                id
            })
            .collect();
        for &(from, start, to, end, category) in &flows {
            let category = builder.intern(&format!("category {category}"));
            let name = builder.intern("flow");
            let ends = [(from, start), (to, end)].map(|(at, time)| FlowEnd { track: ids[at], time });
            builder.flow(StrId(0), category, name, ends[0], ends[1]);
        }
        builder.finish();
        let mut derived = Derived::default();
        derived.finish_all(builder.trace());
        let trace = builder.into_trace();
        let chosen: Vec<TrackId> = ids.get(track).copied().into_iter().collect();
        let tracks = chosen_tracks(&trace, &chosen);
        let scope = Scope { trace: &trace, timeline: &derived.timeline, tracks: &tracks, span: range };
        let is_in = |f: &(usize, Ticks, usize, Ticks, usize)| {
            let (start, end) = (f.1.min(f.3), f.1.max(f.3));
            start < range.end && range.start <= end && (track == 4 || f.0 == track || f.2 == track)
        };
        let mut expected: Vec<FlowId> =
            (0u32..).zip(&flows).filter(|(_, f)| is_in(f)).map(|(i, _)| FlowId(i)).collect();
        let key = |id: &FlowId| {
            let f = &flows[id.index()];
            let key = if by_latency { f.3 - f.1 } else { f.1 };
            if is_descending { -key } else { key }
        };
        expected.sort_by_key(key);
        let source = FlowRows { trace: &trace, timeline: &derived.timeline, links: &links::Links::new(scope, None), zero: 0 };
        let column = if by_latency { 3 } else { 4 };
        let list = |filter| {
            let order = RowOrder::new(&source, Some((column, is_descending)), filter).finish(&source);
            order.rows().iter().map(|row| FlowId(*row)).collect::<Vec<_>>()
        };
        prop_assert_eq!(&list(""), &expected);
        // The text is looked for at the ends too.
        let at_mul = expected.iter().filter(|id| [flows[id.index()].0, flows[id.index()].2].contains(&1));
        prop_assert_eq!(list("MUL"), at_mul.copied().collect::<Vec<_>>());
        for sum in categories(scope) {
            let of: Vec<Ticks> = expected
                .iter()
                .filter(|id| trace.flows.category[id.index()] == sum.name)
                .map(|id| flows[id.index()].3 - flows[id.index()].1)
                .collect();
            prop_assert_eq!(sum.n, of.len() as u64);
            prop_assert_eq!(Some(sum.min), of.iter().min().copied());
            prop_assert_eq!(Some(sum.max), of.iter().max().copied());
            prop_assert_eq!(sum.total, of.iter().sum::<Ticks>());
        }
    }
}
