//! What a frame shows, as text: rows, labels, selection, flows, ruler, overview.

use lanescope::analysis::Derived;
use lanescope::base::geometry::{Point, Size};
use lanescope::base::time::{Span, Window};
use lanescope::base::unit::Unit;
use lanescope::model::build::TraceBuilder;
use lanescope::model::id::{SliceId, TrackId};
use lanescope::model::slice::SliceRow;
use lanescope::model::track::TrackKind;
use lanescope::model::{FlowEnd, Trace};
use lanescope::scene::palette::Palette;
use lanescope::scene::{Shape, SpanRect, dump};
use lanescope::views::timeline::scene::layout::Layout;
use lanescope::views::timeline::scene::{
    ColorBy, FlowsShown, Folding, Frame, Setting, TimelineInput, Under, draw, note, overview, under,
};

const SIZE: Size = Size { w: 640.0, h: 240.0 };

/// Two cores: the first with three pipes and a counter, the second with one pipe. A flow from MTE2 to CUBE.
fn trace() -> (Trace, Derived) {
    let mut b = TraceBuilder::default();
    let track = |b: &mut TraceBuilder, parent, kind, name: &str| {
        let name = b.intern(name);
        b.track(parent, kind, name, 0).unwrap()
    };
    let core = track(&mut b, None, TrackKind::Group, "core0");
    let pipes = ["SCALAR", "MTE2", "CUBE"].map(|n| track(&mut b, Some(core), TrackKind::Slices, n));
    let counter = track(&mut b, Some(core), TrackKind::Counter, "GM read");
    let other = track(&mut b, None, TrackKind::Group, "core1");
    let vector = track(&mut b, Some(other), TrackKind::Slices, "VECTOR");
    for (order, &id) in (0i64..).zip(&pipes) {
        b.order_track(id, order);
    }
    b.order_track(counter, 9);
    let names = ["WAIT_FLAG", "MOV_OUT_TO_L1", "MMAD", "VADD"].map(|n| b.intern(n));
    for i in 0..50 {
        b.slice(pipes[0], SliceRow::new(i * 200, 150, names[0]));
        b.slice(vector, SliceRow::new(i * 200 + 20, 2, names[3]));
    }
    b.slice(pipes[1], SliceRow::new(1000, 4000, names[1]));
    b.slice(pipes[2], SliceRow::new(5200, 3000, names[2]));
    b.slice(pipes[2], SliceRow::new(6000, 3000, names[2]));
    b.instant(pipes[1], 7000, names[3], names[0], (0, 0));
    for (time, value) in [(0, 10.0), (2500, 40.0), (5000, f64::NAN), (7500, 20.0)] {
        b.sample(counter, names[0], &Unit::GigabytesPerSec, time, value);
    }
    let ends = [(pipes[1], 5000), (pipes[2], 5200)].map(|(track, time)| FlowEnd { track, time });
    b.flow(names[0], names[1], names[2], ends[0], ends[1]);
    b.finish();
    let mut derived = Derived::default();
    derived.finish_all(b.trace());
    (b.into_trace(), derived)
}

fn find(trace: &Trace, name: &str) -> TrackId {
    trace.tracks.iter().find(|(_, t)| trace.strings.get(t.name) == name).unwrap().0
}

fn shown(setting: &Setting) -> String {
    let (trace, derived) = trace();
    let palette = Palette::default();
    let on = TimelineInput { trace: &trace, timeline: &derived.timeline, palette: &palette };
    let layout = Layout::new(&trace, &derived.timeline, setting);
    let heads = note::heads(on, setting, &layout, SIZE);
    let mut text = String::new();
    for h in &heads {
        text += &format!("{:>5} {:>3} {}{} {}\n", h.y, h.h, "  ".repeat(h.level), h.name, h.value);
    }
    text + &note::words(on, setting, &heads) + "\n" + &dump(&draw(on, setting, &layout, SIZE))
}

fn whole() -> Setting {
    let frame = Frame { ratio: 1.0, ..Frame::default() };
    Setting { window: Window::of(Span::new(0, 10_000)), frame, ..Setting::default() }
}

#[test]
fn a_frame_of_the_whole() {
    insta::assert_snapshot!("timeline_whole", shown(&whole()));
}

#[test]
fn a_frame_with_selection_range_and_flows() {
    let (trace, _) = trace();
    let selected = SliceId { track: find(&trace, "CUBE"), row: 0 };
    let setting = Setting {
        window: Window::of(Span::new(4_000, 6_000)),
        color: ColorBy::Row,
        frame: Frame {
            selected: Some(selected),
            range: Some(Span::new(4_500, 5_600)),
            pinned: vec![find(&trace, "MTE2")],
            closed: vec![find(&trace, "core1")],
            hidden: vec![find(&trace, "SCALAR")],
            is_compact: Some(true),
            flows: FlowsShown::All,
            ..whole().frame
        },
        ..whole()
    };
    insta::assert_snapshot!("timeline_selection", shown(&setting));
}

#[test]
fn closed_groups_show_their_busiest_rows() {
    let frame = Frame { folding: Folding::Closed, ..whole().frame };
    let setting = Setting { frame, ..whole() };
    insta::assert_snapshot!("timeline_closed", shown(&setting));
}

#[test]
fn the_overview_shows_the_busiest_kinds_of_rows() {
    let (trace, derived) = trace();
    let palette = Palette::default();
    let on = TimelineInput { trace: &trace, timeline: &derived.timeline, palette: &palette };
    let scene = overview::draw(on, &whole(), Size { w: 640.0, h: 36.0 });
    insta::assert_snapshot!("timeline_overview", dump(&scene));
}

#[test]
fn what_lies_under_the_pointer() {
    let (trace, derived) = trace();
    let palette = Palette::default();
    let on = TimelineInput { trace: &trace, timeline: &derived.timeline, palette: &palette };
    let setting = whole();
    let layout = Layout::new(&trace, &derived.timeline, &setting);
    let at = |x, y| under(on, &setting, &layout, SIZE, Point { x, y });
    assert_eq!(at(10.0, 10.0), Some(Under::Ruler));
    let row = |name: &str| layout.row_of(find(&trace, name)).unwrap().y as f32 + 26.0 + 5.0;
    let track = find(&trace, "CUBE");
    let text = format!("{:?}", at(400.0, row("CUBE")));
    assert!(text.contains("row: 0"), "{text}");
    let text = format!("{:?}", at(400.0, row("CUBE") + 22.0));
    assert!(text.contains("row: 1"), "the second lane: {text}");
    assert_eq!(at(20.0, row("CUBE")), Some(Under::Row(track)));
    assert_eq!(at(448.0, row("MTE2")), Some(Under::Instant(SliceId::of_instant(find(&trace, "MTE2"), 0))));
    assert_eq!(at(320.0, row("GM read")), Some(Under::Counter(find(&trace, "GM read"), 5000)));
    assert_eq!(at(320.0, 239.0), None);
}

#[test]
fn slices_that_step_back_are_weaker() {
    let (trace, derived) = trace();
    let palette = Palette::default();
    let on = TimelineInput { trace: &trace, timeline: &derived.timeline, palette: &palette };
    let name = trace.strings.find("MMAD").unwrap();
    let setting = Setting { emphasis: lanescope::views::timeline::scene::Emphasis::Name(name), ..whole() };
    let layout = Layout::new(&trace, &derived.timeline, &setting);
    let scene = draw(on, &setting, &layout, SIZE);
    let Some(Shape::Spans(field)) = scene.shapes.first() else { panic!("no field") };
    let colored = |s: &&SpanRect| s.ink.name().starts_with('p') || s.ink.name() == "wait";
    let strengths: Vec<u8> = field.spans.iter().filter(colored).map(|s| s.alpha).collect();
    assert_eq!(strengths.iter().filter(|&&a| a == 255).count(), 2, "{strengths:?}");
    assert!(strengths.iter().all(|&a| a == 255 || a <= 82));
}
