//! Questions through the front door, with hand-computed answers; and their messages there and back.

use crate::support::rows::{page, values, wanted};
use lanescope::base::geometry::{Point, Size};
use lanescope::base::time::{Span, Window};
use lanescope::document::Document;
use lanescope::input::unpack::MemoryStore;
use lanescope::input::{Entry, Memory};
use lanescope::model::id::SliceId;
use lanescope::scene::palette::Palette;
use lanescope::scene::table::PageRequest;
use lanescope::views::timeline::messages::{
    Area, Current, Folding, Frame, Reply, RowKind, SearchQuery, TimelineQuery, Under,
};
use lanescope::wire::rows::{Only, Source};
use lanescope::wire::{Answer, Ask, Query, pack, unpack};
use std::rc::Rc;

const SIZE: Size = Size { w: 1000.0, h: 300.0 };

/// An operator trace: two slices of CUBE that overlap in part, one of MTE2 with a flow to the first.
const TRACE: &str = r#"{"profilingType":"op","schemaVersion":1,"traceEvents":[
{"ph":"X","pid":"core0","tid":"MTE2","name":"MOV_OUT_TO_L1","id":"7","ts":1.000,"dur":4.000,"args":{"code":"/k/a.cpp:12\n/k/b.h:3","bytes":512}},
{"ph":"X","pid":"core0","tid":"CUBE","name":"MMAD","id":"7","ts":5.000,"dur":3.000},
{"ph":"X","pid":"core0","tid":"CUBE","name":"MMAD","ts":6.000,"dur":4.000},
{"ph":"s","pid":"core0","tid":"MTE2","name":"flow","cat":"MTE2ToCUBE","id":"7","ts":5.0},
{"ph":"t","pid":"core0","tid":"CUBE","name":"flow","cat":"MTE2ToCUBE","id":"7","ts":5.0}
]}"#;

fn open() -> Document {
    let entry = Entry { path: "trace.json".to_owned(), source: Rc::new(Memory(TRACE.as_bytes().to_vec())) };
    let (doc, is_ready) = Document::open(vec![entry], Box::new(MemoryStore::default()));
    assert!(is_ready);
    doc
}

/// Asks over the wire: question and answer are written and read again.
fn ask(doc: &mut Document, ask: TimelineQuery) -> Reply {
    let query: Query = unpack(&pack(&ask.query())).unwrap();
    assert_eq!(query, ask.query());
    let (answer, _) = doc.query(&query);
    assert_eq!(unpack::<Answer>(&pack(&answer)).unwrap(), answer);
    match TimelineQuery::answered(answer) {
        Some(reply) => reply,
        other => panic!("{other:?}"),
    }
}

fn slice(doc: &Document, name: &str, nth: usize) -> SliceId {
    let trace = doc.trace();
    let rows = trace.tracks.iter().flat_map(|(track, t)| {
        (0u32..).zip(&t.slices.name).map(move |(row, &name)| (SliceId { track, row }, name))
    });
    rows.filter(|(_, n)| trace.strings.get(*n) == name).nth(nth).unwrap().0
}

#[test]
fn slices_that_find_no_lane_are_told_and_found() {
    let n = lanescope::analysis::timeline::MAX_LANES + 3;
    let mut text = String::from("[");
    for i in 0..n {
        text += &format!("{{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"name\":\"n\",\"ts\":{i},\"dur\":9000000}},\n");
    }
    let entry = Entry { path: "t.json".to_owned(), source: Rc::new(Memory(text.into_bytes())) };
    let (mut doc, _) = Document::open(vec![entry], Box::new(MemoryStore::default()));
    let said: Vec<String> = doc.faults().rows().iter().map(ToString::to_string).collect();
    let expected = "overlapping slices on a track: 262,147 exceeds the limit of 262,144";
    assert!(said.iter().any(|fault| fault.contains(expected)), "{said:?}");
    let search = SearchQuery { text: "n".to_owned(), ..SearchQuery::default() };
    let asked = TimelineQuery::Search { search, current: Current::Number(0) };
    let Reply::Search(hits) = ask(&mut doc, asked) else { panic!("no hits") };
    assert_eq!(hits.n, n as u64);
}

#[test]
fn a_point_names_its_slice() {
    let mut doc = open();
    let frame = Frame { window: Some(Window::of(Span::new(0, 10_000))), ratio: 1.0, ..Frame::default() };
    let (_, note) = doc.draw(&frame.clone(), SIZE, &Palette::default());
    let Some(note) = note else { panic!("not of the timeline") };
    let cube = note.heads.iter().find(|h| h.name == "CUBE").unwrap();
    let at = Point { x: 620.0, y: cube.y + 10.0 };
    let Reply::Hit(Some(under)) =
        ask(&mut doc, TimelineQuery::Hit { frame: Box::new(frame), size: SIZE, at })
    else {
        panic!("nothing there")
    };
    let Under::Slice(head) = *under else { panic!("{under:?}") };
    assert_eq!((head.name.as_str(), head.track.as_str(), head.group.as_str()), ("MMAD", "CUBE", "core0"));
    assert_eq!((head.start.as_str(), head.duration.as_str()), ("5.000 µs", "3.000 µs"));
    assert_eq!(head.span, Span::new(5_000, 8_000));
}

#[test]
fn a_slice_tells_its_arguments_stack_and_links() {
    let mut doc = open();
    let id = slice(&doc, "MOV_OUT_TO_L1", 0);
    let Reply::Slice(Some(slice)) = ask(&mut doc, TimelineQuery::Slice(id)) else { panic!("it is gone") };
    assert!(slice.args.contains(&("bytes".to_owned(), "512".to_owned())), "{:?}", slice.args);
    let places: Vec<_> = slice.stack.iter().filter_map(|call| call.at.clone()).collect();
    assert_eq!(places, [("/k/a.cpp".to_owned(), 12), ("/k/b.h".to_owned(), 3)]);
    assert_eq!(slice.linked.len(), 1);
    assert_eq!((slice.linked[0].head.name.as_str(), slice.linked[0].is_from), ("MMAD", false));
    assert_eq!(slice.linked[0].head.span.start, 5_000);
    assert_eq!(slice.rank, (1, 1));
    assert!(slice.raw.contains("MOV_OUT_TO_L1"));
    assert!(slice.facts.contains(&("Duration".to_owned(), "4.000 µs".to_owned())), "{:?}", slice.facts);
}

#[test]
fn an_area_adds_up_by_name_overlaps_once_and_each_time() {
    let mut doc = open();
    let area = Area { span: Span::new(2_000, 9_000), tracks: Vec::new() };
    assert_eq!(ask(&mut doc, TimelineQuery::Count(area.clone())), Reply::Count(3));
    let sums = values(&mut doc, Source::Sums(area.clone()), None, "");
    let sums: Vec<String> = sums.iter().map(|row| row.join(" ")).collect();
    // Name, track, count, total, once, share, self, mean, shortest, longest, whole total, outermost.
    assert_eq!(
        sums,
        [
            "All names 2 tracks 3 9000 7000 1 9000 3000 3000 3000 11000 3",
            "MMAD CUBE 2 6000 4000 0.5714285714285714 6000 3000 3000 3000 7000 2",
            "MOV_OUT_TO_L1 MTE2 1 3000 3000 0.42857142857142855 3000 3000 3000 3000 4000 1",
        ]
    );
    let slices = Source::Slices { area, only: Only::name("MMAD") };
    let reply = page(&mut doc, slices.clone(), PageRequest { n: 1, ..wanted(Some((3, true)), "") });
    let texts: Vec<&str> = reply.page.rows[0].iter().map(|cell| cell.text.as_str()).collect();
    assert_eq!((reply.page.total, texts), (2, vec!["MMAD", "core0 / CUBE", "6.000 µs", "4.000 µs"]));
    assert!(reply.page.rows[0][0].swatch.is_some());
    let starts: Vec<_> = values(&mut doc, slices, None, "").into_iter().map(|row| row[2].clone()).collect();
    assert_eq!(starts, ["5000", "6000"], "in order of time");
}

#[test]
fn a_search_goes_round() {
    let mut doc = open();
    let search = SearchQuery { text: "mmad".to_owned(), ..SearchQuery::default() };
    let find = |current| TimelineQuery::Search { search: search.clone(), current };
    let Reply::Search(hits) = ask(&mut doc, find(Current::Time(5_500))) else { panic!("no hits") };
    assert_eq!((hits.n, hits.listed), (2, 2));
    assert_eq!(values(&mut doc, Source::Hits(search.clone()), None, "").len(), 2);
    assert_eq!(hits.after.as_ref().unwrap().span.start, 6_000);
    assert_eq!(hits.before.as_ref().unwrap().span.start, 5_000);
    let last = Current::Slice(hits.after.unwrap().id);
    let Reply::Search(hits) = ask(&mut doc, find(last)) else { panic!("no hits") };
    assert_eq!((hits.current, hits.after.unwrap().span.start), (Some(1), 5_000));
    let none = SearchQuery { is_case_sensitive: true, ..search };
    let ask_none = TimelineQuery::Search { search: none, current: Current::Time(0) };
    let Reply::Search(hits) = ask(&mut doc, ask_none) else { panic!("no hits") };
    assert_eq!((hits.n, hits.after), (0, None));
}

#[test]
fn the_next_of_the_same_name_and_where_it_is() {
    let mut doc = open();
    let first = slice(&doc, "MMAD", 0);
    let Reply::Neighbor(Some(next)) = ask(&mut doc, TimelineQuery::Neighbor { id: first, forward: true })
    else {
        panic!("none")
    };
    assert_eq!(next.span.start, 6_000);
    assert_eq!(ask(&mut doc, TimelineQuery::Neighbor { id: next.id, forward: true }), Reply::Neighbor(None));
    let group = doc.trace().tracks.get(first.track).parent.unwrap();
    let frame = Frame { closed: vec![group], ratio: 1.0, ..Frame::default() };
    let find = TimelineQuery::Find { id: next.id, frame: Box::new(frame), size: SIZE };
    let Reply::Found(Some(place)) = ask(&mut doc, find) else { panic!("gone") };
    assert_eq!((place.to_open, place.scroll), (vec![group], 0.0));
}

#[test]
fn numbers_that_are_not_of_the_trace_are_answered_with_nothing() {
    let mut doc = open();
    let stale = SliceId { track: lanescope::model::id::TrackId(99), row: 7 };
    assert_eq!(ask(&mut doc, TimelineQuery::Slice(stale)), Reply::Slice(None));
    assert_eq!(ask(&mut doc, TimelineQuery::Neighbor { id: stale, forward: false }), Reply::Neighbor(None));
    let frame =
        Frame { selected: Some(stale), hovered: Some(stale), pinned: vec![stale.track], ..Frame::default() };
    let (scene, _) = doc.draw(&frame, SIZE, &Palette::default());
    assert!(!scene.shapes.is_empty());
}

#[test]
fn a_pattern_is_counted_and_a_bad_one_is_told() {
    let mut doc = open();
    let find = |text: &str, is_whole_word| TimelineQuery::Search {
        search: SearchQuery {
            text: text.to_owned(),
            is_pattern: true,
            is_whole_word,
            ..SearchQuery::default()
        },
        current: Current::Time(0),
    };
    let Reply::Search(hits) = ask(&mut doc, find("^m(mad|ov).*", false)) else { panic!("no hits") };
    assert_eq!((hits.n, hits.problem), (3, None));
    let Reply::Search(hits) = ask(&mut doc, find("mov", true)) else { panic!("no hits") };
    assert_eq!(hits.n, 0, "an underscore is part of the word");
    let Reply::Search(hits) = ask(&mut doc, find("m(m", false)) else { panic!("no hits") };
    let problem = hits.problem.unwrap();
    assert_eq!((hits.n, problem.as_str()), (0, "Invalid pattern: found open group without closing ')'"));
}

/// Two processes, the second 1,000 later, with a flow from the first to the second.
const TWO: &str = r#"[
{"ph":"M","pid":1,"name":"process_name","args":{"name":"left"}},{"ph":"M","pid":2,"name":"process_name","args":{"name":"right"}},
{"ph":"X","pid":1,"tid":1,"name":"step","cat":"a","ts":1,"dur":4},{"ph":"X","pid":1,"tid":1,"name":"rest","cat":"a","ts":6,"dur":1},
{"ph":"X","pid":2,"tid":1,"name":"step","cat":"b","ts":1001,"dur":2},{"ph":"X","pid":2,"tid":1,"name":"SET_FLAG","ts":1004,"dur":1},
{"ph":"s","pid":1,"tid":1,"name":"f","cat":"copy","id":1,"ts":2},{"ph":"f","bp":"e","pid":2,"tid":1,"name":"f","cat":"copy","id":1,"ts":1002}
]"#;

#[test]
fn a_slice_is_aligned_by_the_offset_of_its_process_and_all_answers_follow() {
    let entry = Entry { path: "two.json".to_owned(), source: Rc::new(Memory(TWO.as_bytes().to_vec())) };
    let (mut doc, is_ready) = Document::open(vec![entry], Box::new(MemoryStore::default()));
    assert!(is_ready);
    let (base, other, rest) = (slice(&doc, "step", 0), slice(&doc, "step", 1), slice(&doc, "rest", 0));
    let align = |id, base, is_end| TimelineQuery::Align { id, base, is_end };
    let Reply::Aligned(Some((group, by))) = ask(&mut doc, align(other, base, false)) else {
        panic!("not aligned")
    };
    assert_eq!((doc.trace().tracks.get(other.track).parent, by), (Some(group), -1_000_000));
    let ends = ask(&mut doc, align(other, base, true));
    assert_eq!(ends, Reply::Aligned(Some((group, -998_000))));
    assert_eq!(ask(&mut doc, align(rest, base, false)), Reply::Aligned(None), "one process has one clock");

    let offsets = vec![(group, by)];
    let shifted = ask(&mut doc, TimelineQuery::Shift(offsets.clone()));
    assert_eq!(shifted, Reply::Shifted(Some(Span::new(1_000, 7_000))));
    let Reply::Slice(Some(told)) = ask(&mut doc, TimelineQuery::Slice(other)) else { panic!("it is gone") };
    assert_eq!(told.head.span, Span::new(1_000, 3_000));
    assert!(told.facts.contains(&("Offset".to_owned(), "−1.000 ms".to_owned())), "{:?}", told.facts);
    assert!(told.facts.contains(&("Raw start".to_owned(), "1,001,000".to_owned())), "{:?}", told.facts);
    let area = Area { span: Span::new(0, 5_500), tracks: Vec::new() };
    let sums = values(&mut doc, Source::Sums(area), None, "step");
    assert_eq!(sums[0][2..5], ["2", "6000", "4000"], "they overlap now");
    // Aligning again needs no more.
    assert_eq!(ask(&mut doc, align(other, base, false)), Reply::Aligned(Some((group, 0))));

    let rows = Box::new(lanescope::views::timeline::messages::Arrangement { offsets, ..Default::default() });
    let frame = Frame { ratio: 1.0, rows, ..Frame::default() };
    let (_, note) = doc.draw(&frame.clone(), SIZE, &Palette::default());
    let Some(note) = note else { panic!("not of the timeline") };
    assert_eq!(note.span, Some(Span::new(1_000, 7_000)));
    let head = note.heads.iter().find(|h| h.track == group).unwrap();
    assert_eq!(head.shift, "−1.000 ms");
    assert!(!head.has_long_shift());

    let Reply::Choices(choices) = ask(&mut doc, TimelineQuery::Choices) else { panic!("no choices") };
    assert_eq!(choices.flows, [("copy".to_owned(), 1)]);
    assert!(choices.has_sync && choices.has_categories);
    let Reply::Tracks(below) = ask(&mut doc, TimelineQuery::Below(group)) else { panic!("no tracks") };
    assert_eq!(below, [group], "a thread of one lane does not open");
}

#[test]
fn what_is_gone_to_is_shown_whatever_was_hidden_or_filtered_away() {
    let mut doc = open();
    let id = slice(&doc, "MMAD", 0);
    let core = doc.trace().tracks.get(id.track).parent.unwrap();
    let mut rows = Box::new(lanescope::views::timeline::messages::Arrangement::default());
    rows.filter.push_str("MTE2");
    let frame = Frame { ratio: 1.0, hidden: vec![core, id.track], rows, ..Frame::default() };
    let Reply::Found(Some(place)) =
        ask(&mut doc, TimelineQuery::Find { id, frame: Box::new(frame), size: SIZE })
    else {
        panic!("it is gone")
    };
    assert_eq!(place.to_show, [id.track, core]);
    assert!(place.is_filtered);
}

#[test]
fn what_is_below_a_hidden_flag_moves_up() {
    // A long flag over two short slices: they stand on a lane of their own, and on the first when flags are hidden.
    let events = r#"[
{"ph":"X","pid":1,"tid":1,"name":"WAIT_FLAG","ts":0,"dur":100},
{"ph":"X","pid":1,"tid":1,"name":"work","ts":10,"dur":20},{"ph":"X","pid":1,"tid":1,"name":"work","ts":40,"dur":20}
]"#;
    let entry = Entry { path: "flags.json".to_owned(), source: Rc::new(Memory(events.as_bytes().to_vec())) };
    let (mut doc, _) = Document::open(vec![entry], Box::new(MemoryStore::default()));
    let at = |is_sync_hidden| {
        let display = Box::new(lanescope::views::timeline::messages::DisplayOptions {
            is_sync_hidden,
            ..Default::default()
        });
        Frame { ratio: 1.0, folding: Folding::Open, display, ..Frame::default() }
    };
    let mut row = |is_sync_hidden| {
        let frame = at(is_sync_hidden);
        let (_, note) = doc.draw(&frame.clone(), SIZE, &Palette::default());
        let Some(note) = note else { panic!("not of the timeline") };
        let head = note.heads.iter().find(|h| matches!(h.kind, RowKind::Lanes(_))).unwrap().clone();
        // At 20 µs of 100, on the first lane.
        let at = Point { x: SIZE.w * 0.2, y: head.y + 8.0 };
        let reply = ask(&mut doc, TimelineQuery::Hit { frame: Box::new(frame), size: SIZE, at });
        let Reply::Hit(Some(under)) = reply else { panic!("nothing there") };
        let Under::Slice(slice) = *under else { panic!("{under:?}") };
        (head.h, slice.name)
    };
    let (both, over) = row(false);
    let (one, below) = row(true);
    assert_eq!((over.as_str(), below.as_str(), both), ("WAIT_FLAG", "work", 2.0 * one));
    assert_eq!(row(false), (both, over), "they come back");
}
