//! Sorting and computing the rest gives way: what one step does is bounded, however many rows a track has.

use lanescope::analysis::Derived;
use lanescope::analysis::area::overlap::figure_id;
use lanescope::analysis::timeline::Timeline;
use lanescope::base::geometry::{Point, Size};
use lanescope::base::job::run;
use lanescope::document::{Document, Finish, OpeningStage};
use lanescope::engine::Need;
use lanescope::findings::survey::survey;
use lanescope::input::unpack::MemoryStore;
use lanescope::input::{Entry, Memory};
use lanescope::model::FlowEnd;
use lanescope::model::build::TraceBuilder;
use lanescope::model::build::sorting::Sorted;
use lanescope::model::id::SliceId;
use lanescope::model::slice::SliceRow;
use lanescope::model::track::TrackKind;
use lanescope::scene::palette::Palette;
use lanescope::scene::table::PageRequest;
use lanescope::views::timeline::{area, messages as timeline};
use lanescope::wire::figures::FigureQuery;
use lanescope::wire::{Answer, Ask, Query, rows};
use std::fmt::Write;
use std::rc::Rc;

/// Rows of one track; a step looks at 2¹⁵ to 2¹⁶ of them.
const ROWS: usize = 1 << 18;

/// One track with rows in no order at all, as its numbers tell; with groups or else with a flow for each row.
fn shuffled(is_grouped: bool) -> TraceBuilder {
    let mut builder = TraceBuilder::default();
    let name = builder.intern("track");
    let track = builder.track(None, TrackKind::Slices, name, 0).unwrap();
    for i in 0..ROWS as i64 {
        let start = i.wrapping_mul(2_654_435_761) % (1 << 30);
        let mut row = SliceRow::new(start, 5_000, name);
        row.detail_start = (start as u64) << 4; // farther than 32 bits reach
        if is_grouped {
            row.group = name;
        }
        builder.slice(track, row);
        if !is_grouped {
            let end = |time| FlowEnd { track, time };
            builder.flow(name, name, name, end(start), end(start + 1));
        }
    }
    builder
}

#[test]
fn a_timeline_grows_and_is_finished_although_a_job_holds_a_snapshot() {
    let mut builder = TraceBuilder::default();
    let name = builder.intern("name");
    let track = builder.track(None, TrackKind::Slices, name, 0).unwrap();
    let mut derived = Derived::default();
    let id = |row: u32| SliceId { track, row };
    let seen = |timeline: &Timeline| {
        (timeline.lane_of(id(0)), timeline.lane_of(id(1)), timeline.names().total(name).n)
    };
    builder.slice(track, SliceRow::new(10, 5, name));
    derived.extend_all(builder.trace());
    let first = derived.timeline.snapshot();
    builder.slice(track, SliceRow::new(0, 20, name));
    derived.extend_all(builder.trace());
    let second = derived.timeline.snapshot();
    assert_eq!(seen(&derived.timeline), (Some(0), None, 2));
    derived.timeline.forget(track);
    assert_eq!(seen(&derived.timeline), (None, None, 2));
    builder.finish();
    derived.finish_all(builder.trace());
    assert_eq!(seen(&derived.timeline), (Some(0), Some(1), 2));
    assert_eq!((seen(&first), seen(&second)), ((Some(0), None, 1), (Some(0), None, 2)));
}

/// More slices than lengths that lie in memory at once: names are gone through a few at a time.
#[test]
fn medians_of_many_slices_are_those_of_each_name() {
    const EACH: i64 = 500_000;
    let mut builder = TraceBuilder::default();
    // Texts that no slice has lie between them.
    let texts: Vec<_> = (0..10).map(|i| builder.intern(&format!("text {i}"))).collect();
    let names: Vec<_> = texts.into_iter().step_by(2).collect();
    let track = builder.track(None, TrackKind::Slices, names[0], 0).unwrap();
    for i in 0..EACH {
        for (at, name) in (0_i64..).zip(&names) {
            // Lengths of 1,000 to 1,999 times the number of the name; one in 100,000 is a hundred times as long.
            let long = if i % 100_000 == 7 { 100 } else { 1 };
            let dur = (1_000 + i * 7_919 % 1_000) * (at + 1) * long;
            builder.slice(track, SliceRow::new((i * 5 + at) * 20_000, dur, *name));
        }
    }
    builder.finish();
    let mut derived = Derived::default();
    derived.extend_all(builder.trace());
    derived.finish_all(builder.trace());
    let found = run(async |turn| survey(builder.trace(), &derived.timeline, &turn).await);
    assert_eq!(found.n_names, 5);
    for (at, name) in (1_i64..).zip(&names) {
        let mut lengths: Vec<i64> = (0..EACH)
            .map(|i| (1_000 + i * 7_919 % 1_000) * at * if i % 100_000 == 7 { 100 } else { 1 })
            .collect();
        lengths.sort_unstable();
        let total: i128 = lengths.iter().map(|length| i128::from(*length)).sum();
        let own = found.names.iter().find(|sum| sum.name == *name).unwrap();
        assert_eq!((own.n, own.total, own.n_outliers), (EACH as u64, total, 5));
        assert_eq!(own.longest.1, *lengths.last().unwrap());
        let middle = [EACH / 2 - 1, EACH / 2].map(|place| lengths[place as usize] as f64);
        assert!(middle[0] <= own.median && own.median <= middle[1], "{own:?}, {middle:?}");
    }
}

#[test]
fn one_large_track_is_sorted_and_arranged_in_many_steps() {
    for is_grouped in [false, true] {
        let mut builder = shuffled(is_grouped);
        let (mut n_steps, mut n_moves) = (0, 0);
        loop {
            match builder.sort() {
                Sorted::Again => n_steps += 1,
                Sorted::Moves(_) => n_moves += 1,
                Sorted::Done => break,
            }
        }
        // Each row is looked at when the first runs are sorted, in each pass that joins them, and when it moves.
        let passes = (ROWS >> 15).ilog2() as usize;
        assert!((2 + passes) * (ROWS >> 15) <= n_steps, "{n_steps} steps");
        assert_eq!(n_moves, 1);
        let slices = &builder.trace().tracks.iter().next().unwrap().1.slices;
        assert!(slices.start.iter().is_sorted());
        assert!((0..ROWS).all(|row| (slices.start[row] as u64) << 4 == slices.detail(row).start));
        let mut derived = Derived::default();
        let mut n_steps = 0;
        while !derived.finish(builder.trace()) {
            n_steps += 1;
        }
        assert!(ROWS >> 16 <= n_steps, "{n_steps} steps");
    }
}

#[test]
fn a_growing_track_in_no_order_is_built_anew_in_many_steps() {
    let builder = shuffled(false);
    let mut derived = Derived::default();
    let mut n_steps = 1;
    while !derived.extend(builder.trace()) {
        n_steps += 1;
    }
    assert!(4 < n_steps, "{n_steps} steps");
    let lanes = derived.timeline.track(lanescope::model::id::TrackId(0));
    assert_eq!(lanes.n_placed(), ROWS);
}

#[test]
fn pictures_are_drawn_between_the_steps_of_sorting() {
    let mut text = String::from("[");
    for i in 0..40_000_u64 {
        let at = i.wrapping_mul(2_654_435_761) % 1_000_000;
        let _ = writeln!(
            text,
            r#"{{"name":"n{}","ph":"X","pid":1,"tid":{},"ts":{at},"dur":{}}},"#,
            i % 20,
            i % 2,
            i % 300
        );
        let _ = writeln!(
            text,
            r#"{{"name":"c","ph":"C","pid":1,"ts":{at},"args":{{"a":{},"b":{}}}}},"#,
            i % 7,
            i % 11
        );
    }
    text.push_str("{}]");
    let entry = Entry { path: "a.json".to_owned(), source: Rc::new(Memory(text.clone().into_bytes())) };
    let mut doc = Document::new(vec![entry], Box::new(MemoryStore::default()));
    let frame = timeline::Frame { ratio: 1.0, ..timeline::Frame::default() };
    let mut n_drawn = 0;
    loop {
        match doc.step() {
            Need::Again => {}
            Need::Ready => break,
            Need::Failed | Need::Part(_) => panic!("it opens"),
            Need::Stream { .. } => {
                for chunk in text.as_bytes().chunks(1 << 16) {
                    doc.feed(chunk);
                }
            }
        }
        let draws_now = matches!(doc.stage(), OpeningStage::Finish(Finish::Sort | Finish::Derive));
        if draws_now {
            doc.grow();
            doc.draw(&frame, Size { w: 800.0, h: 400.0 }, &Palette::default());
            n_drawn += 1;
        }
    }
    assert!(6 < n_drawn, "{n_drawn} steps");
    let trace = doc.trace();
    for (id, track) in trace.tracks.iter() {
        assert!(
            track.slices.start.iter().is_sorted() && track.series.iter().all(|s| s.time.iter().is_sorted())
        );
        assert_eq!(doc.derived().timeline.track(id).n_placed(), track.slices.len());
    }
}

#[test]
fn a_long_file_is_written_in_parts() {
    let mut doc = Document::of(shuffled(false));
    let rows = rows::RowsQuery {
        table: 1,
        source: rows::Source::Slices {
            area: timeline::Area { span: doc.trace().span.unwrap(), tracks: Vec::new() },
            only: rows::Only::default(),
        },
        wanted: PageRequest::default(),
    };
    let slices = Query::Export { id: "slices-csv".to_owned() };
    for (query, most) in [(slices, 4_097), (Query::RowsFile(rows), 4_097)] {
        let mut file = doc.begin_file(&query).ok().unwrap();
        let (mut n_lines, mut is_more) = (0, true);
        while is_more {
            let mut part = Vec::new();
            is_more = doc.write_file(&mut file, &mut part).unwrap();
            let lines = part.iter().filter(|b| **b == b'\n').count();
            assert!(lines <= most, "{lines} lines in a part");
            n_lines += lines;
        }
        assert_eq!(n_lines, ROWS + 1);
        assert!(file.name().ends_with(".csv"));
    }
}

#[test]
fn gaps_and_flows_of_one_track_are_written_in_parts() {
    let mut doc = Document::of(shuffled(false));
    for (id, n) in [("gaps-csv", 1_000), ("flows-csv", ROWS)] {
        let mut file = doc.begin_file(&Query::Export { id: id.to_owned() }).ok().unwrap();
        let (mut n_lines, mut n_parts, mut is_more) = (0, 0, true);
        while is_more {
            let mut part = Vec::new();
            is_more = doc.write_file(&mut file, &mut part).unwrap();
            let lines = part.iter().filter(|b| **b == b'\n').count();
            assert!(lines <= 8_193, "{lines} lines in a part of {id}");
            (n_lines, n_parts) = (n_lines + lines, n_parts + 1);
        }
        assert!(n < n_lines && ROWS >> 13 <= n_parts, "{n_lines} lines in {n_parts} parts of {id}");
    }
}

#[test]
fn questions_about_all_slices_are_prepared_in_many_steps() {
    let mut doc = Document::of(shuffled(false));
    let area = timeline::Area { span: doc.trace().span.unwrap(), tracks: Vec::new() };
    let search = timeline::SearchQuery { text: "track".to_owned(), ..timeline::SearchQuery::default() };
    let rows = |source| Query::Rows(rows::RowsQuery { table: 1, source, wanted: PageRequest::default() });
    let find = timeline::TimelineQuery::Search { search, current: timeline::Current::Number(0) };
    let calls = Box::new(area::Frame { area: area.clone(), ..area::Frame::default() });
    let calls = area::AreaQuery::Frame {
        frame: calls,
        size: Size { w: 800.0, h: 400.0 },
        at: Point { x: 1.0, y: 1.0 },
    };
    let all = [
        find.query(),
        rows(rows::Source::Sums(area.clone())),
        rows(rows::Source::Calls(area.clone())),
        rows(rows::Source::Idle { area: area.clone(), waits: false }),
        rows(rows::Source::Gaps { area: area.clone(), waits: true }),
        // Before the rows, which keep what both are made of.
        area::AreaQuery::Categories(area.clone()).query(),
        rows(rows::Source::Categories(area.clone())),
        calls.query(),
        FigureQuery::Figure { id: figure_id(area.span, &[], false), chosen: Vec::new() }.query(),
    ];
    for query in all {
        let mut n_steps = 1;
        while !doc.prepare_query(&query) {
            n_steps += 1;
        }
        assert!(ROWS >> 16 <= n_steps, "{query:?}: {n_steps} steps");
        assert!(doc.prepare_query(&query), "{query:?}: prepared once");
        assert!(!matches!(doc.query_prepared(&query, &[]).0, Answer::Failed(_)), "{query:?}");
    }
}
