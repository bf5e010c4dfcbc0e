//! What the user does to rows: filter, order, merging, heads that stay, offsets, what is left out, colors.

use lanescope::analysis::Derived;
use lanescope::analysis::timeline::search::{SearchQuery, SearchTarget};
use lanescope::base::geometry::{Point, Size};
use lanescope::base::time::{Span, Ticks, Window};
use lanescope::draw::colors::Colors;
use lanescope::model::Trace;
use lanescope::model::build::TraceBuilder;
use lanescope::model::id::{SliceId, TrackId};
use lanescope::model::slice::SliceRow;
use lanescope::model::track::TrackKind;
use lanescope::scene::palette::{Ink, Palette, RampName};
use lanescope::scene::{Shape, SpanRect};
use lanescope::views::timeline::scene::layout::{Arrangement, Layout, Move};
use lanescope::views::timeline::scene::{
    ColorBy, Folding, Frame, Setting, TimelineInput, Under, draw, note, overview, under,
};

const SIZE: Size = Size { w: 640.0, h: 900.0 };

/// Two processes of three threads each; on thread `t` ten slices at `100 i + 10 t` that last `10 · 10^t`, named `op t`, of
/// category `kind t`, but `WAIT_FLAG` on the last thread.
fn trace() -> (Trace, Derived) {
    let mut b = TraceBuilder::default();
    for p in 0..2 {
        let name = b.intern(&format!("process {p}"));
        let process = b.track(None, TrackKind::Group, name, 0).unwrap();
        for t in 0..3 {
            let name = b.intern(&format!("thread {p}.{t}"));
            let thread = b.track(Some(process), TrackKind::Slices, name, 0).unwrap();
            let name = b.intern(&if t == 2 { "WAIT_FLAG".to_owned() } else { format!("op {t}") });
            let category = b.intern(&format!("kind {t}"));
            for i in 0..10 {
                let row =
                    SliceRow { category, ..SliceRow::new(100 * i + 10 * t, 10 * 10_i64.pow(t as u32), name) };
                b.slice(thread, row);
            }
        }
    }
    b.finish();
    let mut derived = Derived::default();
    derived.finish_all(b.trace());
    (b.into_trace(), derived)
}

fn find(trace: &Trace, name: &str) -> TrackId {
    trace.tracks.iter().find(|(_, t)| trace.strings.get(t.name) == name).unwrap().0
}

fn whole() -> Setting {
    let window = Window::of(Span::new(0, 2_000));
    let frame = Frame { ratio: 1.0, folding: Folding::Open, ..Frame::default() };
    Setting { window, frame, ..Setting::default() }
}

fn with(rows: Arrangement) -> Setting {
    Setting { frame: Frame { rows: Box::new(rows), ..whole().frame }, ..whole() }
}

/// The names of the rows on screen, indented.
fn names(trace: &Trace, derived: &Derived, setting: &Setting) -> Vec<String> {
    let palette = Palette::default();
    let on = TimelineInput { trace, timeline: &derived.timeline, palette: &palette };
    let layout = Layout::new(trace, &derived.timeline, setting);
    let heads = note::heads(on, setting, &layout, SIZE);
    heads.iter().map(|h| format!("{}{}", "  ".repeat(h.level), h.name)).collect()
}

/// The slices and columns that are drawn of a frame.
fn drawn(trace: &Trace, derived: &Derived, setting: &Setting) -> Vec<SpanRect> {
    let palette = Palette::default();
    let on = TimelineInput { trace, timeline: &derived.timeline, palette: &palette };
    let layout = Layout::new(trace, &derived.timeline, setting);
    let scene = draw(on, setting, &layout, SIZE);
    let Some(Shape::Spans(field)) = scene.shapes.into_iter().next() else { panic!("no field") };
    let is_slice = |s: &SpanRect| s.ink.name().starts_with('p') || s.ink.name() == "wait";
    field.spans.into_iter().filter(is_slice).collect()
}

#[test]
fn a_filter_leaves_what_it_wants_with_all_above_and_below() {
    let (trace, derived) = trace();
    let filter = |text: &str| with(Arrangement { filter: text.to_owned(), ..Arrangement::default() });
    assert_eq!(names(&trace, &derived, &filter("1.2")), ["process 1", "  thread 1.2"]);
    let wanted = filter("PROCESS 1");
    assert_eq!(names(&trace, &derived, &wanted).len(), 4);
    assert_eq!(Layout::new(&trace, &derived.timeline, &wanted).n_matches, Some(1));
    let mut closed = filter(" 0.0 ");
    closed.frame.folding = Folding::Closed;
    assert_eq!(names(&trace, &derived, &closed), ["process 0", "  thread 0.0"], "closed groups open for it");
    assert!(names(&trace, &derived, &filter("nothing")).is_empty());
    assert_eq!(Layout::new(&trace, &derived.timeline, &whole()).n_matches, None);
    let aliases = vec![(find(&trace, "thread 1.0"), "Copies".to_owned())];
    let renamed = with(Arrangement { filter: "copies".to_owned(), aliases, ..Arrangement::default() });
    assert_eq!(names(&trace, &derived, &renamed), ["process 1", "  Copies"]);
}

#[test]
fn rows_move_among_their_siblings_only() {
    let (trace, derived) = trace();
    let id = |name| find(&trace, name);
    let steps = [
        Move { track: id("process 1"), before: Some(id("process 0")) },
        Move { track: id("thread 0.0"), before: None },
        Move { track: id("thread 0.2"), before: Some(id("thread 0.1")) },
        Move { track: id("thread 1.0"), before: Some(id("thread 0.1")) }, // of another group: nothing happens
        Move { track: TrackId(999), before: None },
    ];
    let setting = with(Arrangement { moved: steps.to_vec(), ..Arrangement::default() });
    let expected = [
        "process 1",
        "  thread 1.0",
        "  thread 1.1",
        "  thread 1.2",
        "process 0",
        "  thread 0.2",
        "  thread 0.1",
        "  thread 0.0",
    ];
    assert_eq!(names(&trace, &derived, &setting), expected);
    let layout = Layout::new(&trace, &derived.timeline, &setting);
    let siblings = |name| layout.row_of(id(name)).unwrap().siblings;
    assert_eq!(siblings("thread 0.1"), [Some(id("thread 0.2")), Some(id("thread 0.0"))]);
    assert_eq!(siblings("process 1"), [None, Some(id("process 0"))]);
}

#[test]
fn merged_rows_are_drawn_and_hit_as_one() {
    let (trace, mut derived) = trace();
    let threads = ["thread 0.0", "thread 0.1", "thread 0.2"].map(|name| find(&trace, name));
    let setting = with(Arrangement { merged: vec![threads.to_vec()], ..Arrangement::default() });
    derived.timeline.stack(&trace, &setting.frame.rows.merged);
    let shown = names(&trace, &derived, &setting);
    assert_eq!(shown[..3], ["process 0", "  thread 0.0 + thread 0.1 + thread 0.2", "process 1"]);
    let palette = Palette::default();
    let on = TimelineInput { trace: &trace, timeline: &derived.timeline, palette: &palette };
    let layout = Layout::new(&trace, &derived.timeline, &setting);
    let row = layout.row_of(threads[1]).unwrap();
    assert_eq!(row.track, threads[0]);
    // [100, 110) of the first lies in [10, 110) of the second; those of the third last ten times as long.
    assert_eq!(threads.map(|track| derived.timeline.first_lane(track)), [0, 1, 2]);
    let at = |tick: f32, lane: f32| {
        let y = row.y as f32 + 26.0 + (lane + 0.5) * row.lane;
        match under(on, &setting, &layout, SIZE, Point { x: tick / 2_000.0 * SIZE.w, y }) {
            Some(Under::Lane { track, lane, .. }) => (track, lane),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!((at(5.0, 0.0), at(60.0, 1.0)), ((threads[0], 0), (threads[1], 0)));
    assert_eq!((at(160.0, 2.0), at(500.0, 3.0)), ((threads[2], 0), (threads[2], 1)));
    assert_eq!(drawn(&trace, &derived, &setting).len(), drawn(&trace, &derived, &whole()).len());
    let spans = drawn(&trace, &derived, &setting);
    let lies_over = |a: &SpanRect, b: &SpanRect| a.y == b.y && a.x0 < b.x1 && b.x0 < a.x1;
    let n = spans.iter().enumerate().filter(|(i, a)| spans[..*i].iter().any(|b| lies_over(a, b))).count();
    assert_eq!(n, 0, "nothing is drawn over anything else");
}

#[test]
fn the_head_of_a_group_stays_until_its_rows_are_gone() {
    let (trace, derived) = trace();
    let setting = whole();
    let layout = Layout::new(&trace, &derived.timeline, &setting);
    let end = layout.row_of(find(&trace, "process 1")).unwrap().y;
    let first = |scroll: f64| {
        let seen = layout.on_screen(scroll, SIZE.h).next().unwrap();
        (trace.strings.get(trace.tracks.get(seen.row.track).name), seen.y, seen.is_sticky)
    };
    assert_eq!(first(0.0), ("process 0", 26.0, false));
    assert_eq!(first(30.0), ("process 0", 26.0, true));
    assert_eq!(first(end - 10.0), ("process 0", 26.0 + 10.0 - 22.0, true), "the next group pushes it away");
    assert_eq!(first(end), ("process 1", 26.0, false));
    // What lies under it is not hit, and each row is there once.
    let tracks: Vec<TrackId> = layout.on_screen(30.0, SIZE.h).map(|seen| seen.row.track).collect();
    let mut once = tracks.clone();
    once.sort_unstable();
    once.dedup();
    assert_eq!(once.len(), tracks.len());
    let palette = Palette::default();
    let on = TimelineInput { trace: &trace, timeline: &derived.timeline, palette: &palette };
    let mut scrolled = setting;
    scrolled.frame.scroll = 30.0;
    let hit = under(on, &scrolled, &layout, SIZE, Point { x: 2.0, y: 30.0 });
    assert_eq!(hit, Some(Under::Row(find(&trace, "process 0"))));
}

#[test]
fn offsets_shift_what_is_drawn_hit_and_told_of_a_group() {
    let (trace, mut derived) = trace();
    let (group, thread) = (find(&trace, "process 1"), find(&trace, "thread 1.0"));
    let before = drawn(&trace, &derived, &whole());
    derived.timeline.shift(&trace, &[(group, 700), (thread, 300)]);
    let shift = |name| derived.timeline.shift_of(find(&trace, name));
    assert_eq!((shift("thread 1.0"), shift("thread 1.1"), shift("thread 0.0")), (1_000, 700, 0));
    assert_eq!(derived.timeline.span(&trace), Some(Span::new(0, 2_620)));
    assert_eq!(
        derived.timeline.span_of(&trace, SliceId { track: thread, row: 2 }),
        Some(Span::new(1_200, 1_210))
    );
    let palette = Palette::default();
    let on = TimelineInput { trace: &trace, timeline: &derived.timeline, palette: &palette };
    let setting = whole();
    let layout = Layout::new(&trace, &derived.timeline, &setting);
    let y = layout.row_of(thread).unwrap().y as f32 + 26.0 + 5.0;
    let at = |tick: f32| under(on, &setting, &layout, SIZE, Point { x: tick / 2_000.0 * SIZE.w, y });
    assert!(matches!(at(1_205.0), Some(Under::Lane { track, .. }) if track == thread), "{:?}", at(1_205.0));
    assert_eq!(at(205.0), Some(Under::Row(thread)));
    let after = drawn(&trace, &derived, &setting);
    let left = |spans: &[SpanRect]| {
        spans.iter().filter(|s| y - 5.0 < s.y && s.y < y).map(|s| s.x0).fold(1e9, f32::min)
    };
    assert_eq!((left(&before), left(&after)), (0.0, 320.0));
    derived.timeline.shift(&trace, &[]);
    assert_eq!(drawn(&trace, &derived, &whole()), before);
}

#[test]
fn names_that_are_left_out_are_neither_drawn_nor_hit() {
    let (trace, mut derived) = trace();
    let wait = trace.strings.find("WAIT_FLAG").unwrap();
    let setting = Setting { without: vec![wait], ..whole() };
    let track = find(&trace, "thread 0.2");
    let is_hit = |derived: &Derived| {
        let palette = Palette::default();
        let on = TimelineInput { trace: &trace, timeline: &derived.timeline, palette: &palette };
        let layout = Layout::new(&trace, &derived.timeline, &setting);
        let y = layout.row_of(track).unwrap().y as f32 + 26.0 + 5.0;
        matches!(under(on, &setting, &layout, SIZE, Point { x: 100.0, y }), Some(Under::Lane { .. }))
    };
    assert!(drawn(&trace, &derived, &setting).iter().any(|s| s.ink.name() == "wait"));
    assert!(is_hit(&derived));
    derived.timeline.leave_out(&trace, &setting.without);
    assert!(drawn(&trace, &derived, &setting).iter().all(|s| s.ink.name() != "wait"));
    assert!(!is_hit(&derived));
}

#[test]
fn categories_and_lengths_have_colors_and_a_legend() {
    let (trace, derived) = trace();
    let colors = |by| Colors::new(&trace, derived.timeline.names(), by);
    let names = derived.timeline.names().top();
    let legend = |by| colors(by).legend(names, &[]).into_iter().map(|item| item.1).collect::<Vec<_>>();
    // What only waits is no work, and so not among the names that take most of it.
    assert_eq!(legend(ColorBy::Category), ["kind 1", "kind 0"], "most time first");
    assert_eq!(legend(ColorBy::Duration), ["< 10 ns", "≥ 10 ns", "≥ 100 ns", "≥ 1.000 µs"]);
    let (by, track) = (colors(ColorBy::Category), find(&trace, "thread 0.1"));
    let name = trace.strings.find("op 1").unwrap();
    assert_eq!(by.paint_slice(track, 0), by.paint(track, name));
    assert_ne!(by.paint_slice(track, 0).ink, by.paint_slice(find(&trace, "thread 0.0"), 0).ink);
    let by = colors(ColorBy::Duration);
    let stop = |name: &str| by.paint_slice(find(&trace, name), 0).ink;
    assert_eq!(stop("thread 0.0"), Ink::Stop(RampName::Seq, 4));
    assert_eq!(stop("thread 0.2"), Ink::Stop(RampName::Seq, 8));
}

#[test]
fn hits_are_ticked_in_the_overview_once_in_a_column() {
    let (trace, mut derived) = trace();
    let query = SearchQuery { text: "^op [01]$".to_owned(), is_pattern: true, ..SearchQuery::default() };
    derived.timeline.find(&trace, &derived.origins, &query, &SearchTarget::Name);
    let ticks = |w: f32, derived: &Derived| -> Vec<f32> {
        let palette = Palette::default();
        let on = TimelineInput { trace: &trace, timeline: &derived.timeline, palette: &palette };
        let scene = overview::draw(on, &whole(), Size { w, h: 36.0 });
        let Some(Shape::Spans(field)) = scene.shapes.into_iter().next() else { panic!("no field") };
        field.spans.iter().filter(|s| s.ink == Ink::Token("warn")).map(|s| s.x0).collect()
    };
    // 1,920 ticks in all: hits at 0, 10, 100, 110, … each on both processes.
    let expected: Vec<f32> = (0..10).flat_map(|i| [100 * i, 100 * i + 10]).map(|t| t as f32).collect();
    assert_eq!(ticks(1_920.0, &derived), expected);
    assert_eq!(ticks(19.2, &derived).len(), 10);
    derived.timeline.shift(&trace, &[(find(&trace, "process 1"), 1_000)]);
    derived.timeline.find(&trace, &derived.origins, &query, &SearchTarget::Name);
    let starts: Vec<Ticks> = derived
        .timeline
        .found()
        .unwrap()
        .listed
        .iter()
        .map(|&id| derived.timeline.span_of(&trace, id).unwrap().start)
        .collect();
    assert_eq!(starts.len(), 40);
    assert!(starts.is_sorted(), "hits stand in the order that is shown: {starts:?}");
    assert_eq!(ticks(2_920.0, &derived).len(), 40);
}
