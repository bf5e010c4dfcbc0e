//! Lanes, levels of detail, windows, sums and searches against slow and obvious versions.

use super::{Row, open};
use crate::support::naive;
use lanescope::analysis::summary::{Sum, summarize};
use lanescope::analysis::timeline::cut::Piece;
use lanescope::analysis::timeline::search::{Found, SearchQuery};
use lanescope::analysis::timeline::window::{self, Hit};
use lanescope::base::time::Window;
use lanescope::base::time::{Span, Ticks};
use lanescope::model::id::{SliceId, StrId};
use proptest::prelude::*;

fn rows(groups: u8) -> impl Strategy<Value = Vec<Row>> {
    let row = (0i64..400, prop_oneof![Just(0), 1i64..20, 1i64..300], 0u8..4, 0..=groups);
    let rows = prop::collection::vec(row, 0..160);
    (rows, any::<bool>()).prop_map(|(mut rows, is_sorted)| {
        if is_sorted {
            rows.sort_by_key(|r| (r.0, -r.1));
        }
        rows
    })
}

fn windows() -> impl Strategy<Value = Window> {
    let dur = prop_oneof![1.0f64..8.0, 1.0f64..100.0, 100.0f64..2000.0];
    (-100i64..700, 0.0f64..1.0, dur).prop_map(|(start, part, dur)| Window::new(start, part, dur))
}

proptest! {
    #[test]
    fn lanes_are_the_lowest_free_ones(rows in rows(3), chunk in 1usize..50) {
        let (trace, derived, track) = open(&rows, chunk);
        let slices = &trace.tracks.get(track).slices;
        let lanes = derived.timeline.track(track);
        let got: Vec<usize> = (0..slices.len()).map(|row| lanes.lane_of(row).unwrap()).collect();
        prop_assert_eq!(&got, &naive::lanes(slices));
        for lane in 0..lanes.len() {
            let on_lane = (0u32..).zip(&got).filter(|(_, at)| **at == lane).map(|(row, _)| row);
            prop_assert!(lanes.lane(lane).unwrap().rows.iter().eq(on_lane));
        }
    }

    #[test]
    fn lanes_without_names_are_those_of_a_file_without_them(rows in rows(3), names in prop::collection::vec(0u8..4, 1..3)) {
        let is_left = |row: &Row| !names.contains(&row.2);
        let left: Vec<Row> = rows.iter().copied().filter(is_left).collect();
        let (trace, mut derived, track) = open(&rows, 1_000);
        let ids: Vec<StrId> = names.iter().filter_map(|n| trace.strings.find(&format!("name {n}"))).collect();
        derived.timeline.leave_out(&trace, &ids);
        let slices = &trace.tracks.get(track).slices;
        let is_shown = |row: &usize| !ids.contains(&slices.name[*row]);
        let lanes = derived.timeline.shown(track);
        let got: Vec<_> = (0..slices.len()).filter(is_shown).map(|row| lanes.lane_of(row)).collect();
        let (other, alone, only) = open(&left, 1_000);
        let rest = alone.timeline.track(only);
        let wanted: Vec<_> = (0..other.tracks.get(only).slices.len()).map(|row| rest.lane_of(row)).collect();
        prop_assert_eq!((&got, lanes.len()), (&wanted, rest.len()));
        prop_assert!((0..slices.len()).filter(|row| !is_shown(row)).all(|row| lanes.lane_of(row).is_none()));
        // Numbers are of all slices still, and all come back.
        prop_assert_eq!(derived.timeline.track(track).lane_of(0).is_some(), !rows.is_empty());
        derived.timeline.leave_out(&trace, &[]);
        prop_assert_eq!(derived.timeline.shown(track).len(), derived.timeline.track(track).len());
    }

    #[test]
    fn a_pixel_never_lies(rows in rows(2), window in windows(), n in 1usize..60, chunk in 1usize..50) {
        let (trace, derived, track) = open(&rows, chunk);
        let slices = &trace.tracks.get(track).slices;
        let lanes = derived.timeline.track(track);
        for lane in 0..lanes.len() {
            let mut pieces = Vec::new();
            lanes.cut(slices, lane, &window, n, &mut pieces);
            let spans: Vec<Span> =
                lanes.lane(lane).unwrap().rows.iter().map(|r| slices.span(r as usize)).collect();
            check_columns(&pieces, &spans, &window, n)?;
        }
        let mut pieces = Vec::new();
        lanes.cut_busy(&window, n, &mut pieces);
        let busy = columns_of(&pieces, n);
        let spans: Vec<Span> = (0..slices.len()).map(|row| slices.span(row)).collect();
        for (i, (share, _)) in busy.iter().enumerate() {
            let left = window.start as f64 + window.part + i as f64 * window.dur / n as f64;
            let expected = union_share(&spans, left, window.dur / n as f64);
            prop_assert!((share - expected).abs() <= 1.0 / 255.0, "column {i}: {share}, not {expected}");
        }
    }

    #[test]
    fn sums_of_a_range_equal_the_naive_ones(rows in rows(0), start in 0i64..400, dur in 1i64..400) {
        let (trace, derived, track) = open(&rows, 16);
        let slices = &trace.tracks.get(track).slices;
        let range = Span::new(start, start + dur);
        let own = naive::own(slices, range);
        let got = summarize(&trace, &derived.timeline, &[(track, None)], range);
        let inside: Vec<usize> = (0..slices.len()).filter(|&r| range.touches(slices.span(r))).collect();
        let cut: Vec<Span> = inside.iter().map(|&r| slices.span(r).intersect(range)).collect();
        let tops: Vec<usize> = inside.iter().copied().filter(|&r| naive::parent(slices, r).is_none()).collect();
        let told = |sum: &Sum| (sum.n_outermost, sum.total, sum.whole);
        prop_assert_eq!(told(&got.all), naive::totals(slices, &tops, range));
        prop_assert_eq!(got.all.n, inside.len() as u64);
        prop_assert_eq!(got.all.own, inside.iter().map(|&r| own[r]).sum::<Ticks>());
        prop_assert_eq!(got.all.sum, cut.iter().map(|s| s.dur()).sum::<Ticks>());
        prop_assert_eq!(got.all.union, naive::union(&cut));
        prop_assert_eq!(got.names.iter().map(|n| n.2.n).sum::<u64>(), got.all.n);
        for (name, _, sum) in &got.names {
            let of: Vec<usize> = inside.iter().copied().filter(|&r| slices.name[r] == *name).collect();
            prop_assert_eq!(sum.own, of.iter().map(|&r| own[r]).sum::<Ticks>());
            prop_assert_eq!(told(sum), naive::totals(slices, &of, range));
        }
        prop_assert_eq!(derived.timeline.track(track).busy(range), naive::union(&cut));
    }

    #[test]
    fn a_hit_is_what_lies_there(rows in rows(0), time in -20i64..500, reach in 0i64..40) {
        let (trace, derived, track) = open(&rows, 1000);
        let slices = &trace.tracks.get(track).slices;
        let lanes = derived.timeline.track(track);
        let near = Span { start: time - reach, end: time + reach.max(1) };
        for lane in 0..lanes.len() {
            let on_lane = &lanes.lane(lane).unwrap().rows;
            let around = |r: &u32| near.touches(slices.span(*r as usize));
            let close: Vec<u32> = on_lane.iter().filter(around).collect();
            match window::hit(&trace, &derived.timeline, track, lane, time, reach) {
                None => prop_assert!(close.is_empty()),
                Some(Hit::Slice(id)) => {
                    let contains = slices.span(id.row as usize).contains(time);
                    prop_assert!(close == [id.row] || (contains && reach <= slices.dur_of(id.row as usize)));
                }
                Some(Hit::Fold(fold)) => {
                    prop_assert_eq!(fold.n, close.len() as u64);
                    let longest = close.iter().map(|&r| slices.dur_of(r as usize)).max();
                    prop_assert_eq!(fold.longest.map(|l| l.1), longest);
                }
            }
        }
    }

    #[test]
    fn a_search_finds_every_row_of_matching_names(rows in rows(0), digit in 0u8..6, part in (0..=100i64, 0..=100i64)) {
        let (trace, derived, track) = open(&rows, 16);
        let text = format!("NAME {digit}");
        let wanted = SearchQuery { text, is_whole_word: true, ..SearchQuery::default() };
        let found = Found::search(&trace, &derived.timeline, &wanted);
        let slices = &trace.tracks.get(track).slices;
        let name = format!("name {digit}");
        let expected: Vec<SliceId> = (0u32..)
            .zip(&slices.name)
            .filter(|(_, n)| trace.strings.get(**n) == name)
            .map(|(row, _)| SliceId { track, row })
            .collect();
        prop_assert_eq!(found.n, expected.len() as u64);
        prop_assert_eq!(&found.listed, &expected);
        for (i, &id) in expected.iter().enumerate() {
            prop_assert_eq!(found.position(&trace, &derived.timeline, id), Some(i));
        }
        let at = |percent: i64| trace.span.map_or(0, |span| span.start + span.dur() / 100 * percent);
        let within = Span::new(at(part.0), at(part.1));
        let found = Found::search(&trace, &derived.timeline, &SearchQuery { within: Some(within), ..wanted });
        let is_inside = |id: &SliceId| within.touches(slices.span(id.row as usize));
        let inside: Vec<SliceId> = expected.iter().copied().filter(is_inside).collect();
        prop_assert_eq!((found.n, &found.listed), (inside.len() as u64, &inside));
        for &id in &expected {
            prop_assert_eq!(found.is_hit(id, slices.name[id.row as usize]), is_inside(&id));
        }
    }
}

/// Covered share of each column, and whether anything is drawn in it.
fn columns_of(pieces: &[Piece], n: usize) -> Vec<(f64, bool)> {
    let mut columns = vec![(0.0, false); n];
    for piece in pieces {
        match *piece {
            Piece::Column { x, share, .. } => {
                columns[x as usize].0 += f64::from(share);
                columns[x as usize].1 = true;
            }
            Piece::Slice { x0, x1, .. } => {
                for (i, column) in columns.iter_mut().enumerate() {
                    let covered = x1.min(i as f64 + 1.0) - x0.max(i as f64);
                    column.0 += covered.max(0.0);
                    column.1 |= 0.0 < covered;
                }
            }
        }
    }
    columns
}

fn check_columns(pieces: &[Piece], spans: &[Span], window: &Window, n: usize) -> Result<(), TestCaseError> {
    let expected = naive::columns(spans, window, n);
    for (i, ((share, is_drawn), column)) in columns_of(pieces, n).iter().zip(&expected).enumerate() {
        prop_assert!((share - column.share).abs() <= 1.0 / 255.0, "column {i}: {share}, not {column:?}");
        prop_assert!(!column.is_hit || *is_drawn, "column {i} is invisible");
        prop_assert!(!is_drawn || column.may_be_hit, "column {i} is empty");
    }
    Ok(())
}

fn union_share(spans: &[Span], left: f64, width: f64) -> f64 {
    let mut edges: Vec<(f64, f64)> = spans
        .iter()
        .map(|s| ((s.start as f64).max(left), (s.end as f64).min(left + width)))
        .filter(|(a, b)| a < b)
        .collect();
    edges.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (mut sum, mut until) = (0.0, left);
    for (a, b) in edges {
        sum += (b - a.max(until)).max(0.0);
        until = b.max(until);
    }
    sum / width
}

proptest! {
    #[test]
    fn a_pattern_finds_what_the_library_finds(
        pattern in patterns(),
        names in prop::collection::vec("[abAB_1 .é\n-]{0,8}", 1..12),
        is_case_sensitive in any::<bool>(),
        is_whole_word in any::<bool>(),
    ) {
        let text = if is_whole_word { format!(r"\b(?:{pattern})\b") } else { pattern.clone() };
        let library = regex_lite::RegexBuilder::new(&text).case_insensitive(!is_case_sensitive).build();
        let wanted =
            SearchQuery { text: pattern, is_case_sensitive, is_whole_word, is_pattern: true, within: None };
        let ours = wanted.matcher();
        prop_assert_eq!(library.is_ok(), ours.is_ok());
        if let (Ok(library), Ok(ours)) = (library, ours) {
            for name in &names {
                prop_assert_eq!(ours.is_in(name), library.is_match(name), "{} in {:?}", wanted.text, name);
            }
        }
    }
}

/// Patterns of all that is usual, some of them none.
fn patterns() -> impl Strategy<Value = String> {
    let one = prop_oneof![
        5 => "[abAB_1é]",
        1 => Just(".".to_owned()),
        1 => prop::sample::select(vec![r"\d", r"\w", r"\s", r"\S", r"\W", r"\b", r"\B", "^", "$", r"\."]).prop_map(str::to_owned),
        1 => prop::sample::select(vec!["[ab]", "[^a]", "[A-B_]", r"[\d ]", "[^b-é]", "[a-", "(?i)a", "[]a]", r"\x41"]).prop_map(str::to_owned),
    ];
    one.prop_recursive(4, 24, 4, |part| {
        let repeat = prop::sample::select(vec!["*", "+", "?", "{2}", "{1,}", "{0,2}", "+?", "{,2}"]);
        prop_oneof![
            3 => prop::collection::vec(part.clone(), 0..4).prop_map(|parts| parts.concat()),
            2 => (part.clone(), repeat).prop_map(|(part, repeat)| format!("(?:{part}){repeat}")),
            1 => (part.clone(), part.clone()).prop_map(|(a, b)| format!("({a}|{b})")),
            1 => (part.clone(), part).prop_map(|(a, b)| format!("{a}|{b}")),
        ]
    })
}
