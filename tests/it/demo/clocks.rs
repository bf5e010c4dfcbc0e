//! Tracks of several clocks on one axis. By hand: 3 cycles pass in 2 ns and cycle 1,000 is at 5,000 ns, so the axis
//! counts cycles and 4,000 ns is cycle 1,000 − 1,500 = −500.

use crate::support::front_door::{open_case, said};
use lanescope::base::geometry::Size;
use lanescope::base::time::Span;
use lanescope::document::Document;
use lanescope::model::id::{SliceId, TrackId};
use lanescope::scene::palette::Palette;
use lanescope::scene::{Scene, Shape};
use lanescope::views::timeline::messages::{Folding, Frame, Note, Reply, TimelineQuery};
use lanescope::wire::Query;

fn open() -> Document {
    let (doc, is_ready) = open_case("demo", "clocks");
    assert!(is_ready);
    doc
}

fn track(doc: &Document, name: &str) -> TrackId {
    let trace = doc.trace();
    trace.tracks.iter().find(|(_, track)| trace.strings.get(track.name) == name).unwrap().0
}

fn spans(doc: &Document, name: &str) -> Vec<(i64, i64)> {
    let slices = &doc.trace().tracks.get(track(doc, name)).slices;
    (0..slices.len()).map(|row| slices.span(row)).map(|span| (span.start, span.end)).collect()
}

#[test]
fn related_clocks_share_an_axis_and_others_begin_with_it() {
    let doc = open();
    // 4,001 ns is cycle −498.5, rounded up; 4,002 ns is −497.
    assert_eq!(spans(&doc, "host"), [(-500, 2_500), (-498, -497)]);
    assert_eq!(spans(&doc, "cube"), [(1_000, 1_030), (1_031, 1_032)]);
    assert_eq!(spans(&doc, "lanes"), [(-500, -495)]);
    let trace = doc.trace();
    assert_eq!((trace.span, trace.clock.symbol()), (Some(Span::new(-500, 2_500)), "cycles"));
    let own = |name: &str, row: usize| {
        let id = track(&doc, name);
        let span = trace.clock_of(id).ticks(trace.tracks.get(id).slices.span(row));
        (span.start, span.end)
    };
    assert_eq!(own("host", 0), (4_000, 6_000), "read before the clock was named");
    assert_eq!(own("host", 1), (4_001, 4_002));
    assert_eq!(own("cube", 1), (1_031, 1_032));
    assert_eq!(own("lanes", 0), (7, 12));
    assert!(said(&doc).contains("slice lost@nowhere 0 1 x"), "a clock that nobody named: {}", said(&doc));
}

#[test]
fn a_slice_is_told_in_the_clock_of_its_track() {
    let mut doc = open();
    let mut facts = |name: &str, row: u32| {
        let id = SliceId { track: track(&doc, name), row };
        let Some(Reply::Slice(Some(slice))) = doc.query(&TimelineQuery::Slice(id)).0 else {
            panic!("a slice")
        };
        let wanted = ["Start", "Duration", "Raw start", "Idle before"];
        let facts = slice.facts.into_iter().filter(|(name, _)| wanted.contains(&name.as_str()));
        facts.map(|(_, value)| value).collect::<Vec<_>>().join(" | ")
    };
    assert_eq!(facts("host", 1), "1 ns | 1 ns | 4,001");
    assert_eq!(facts("cube", 1), "31 cycles | 1 cycle | 1,031 | 1 cycle");
    assert_eq!(facts("lanes", 0), "0 | 5 | 7");
}

/// Heads and texts of a frame whose ruler shows the clock of a track.
fn drawn(doc: &mut Document, ruler: Option<TrackId>) -> (Note, Vec<String>) {
    let frame = Frame { ratio: 1.0, folding: Folding::Open, ruler, ..Frame::default() };
    let palette = Palette::from_css(include_str!("../../../style/tokens.css"), "light");
    let size = Size { w: 1_000.0, h: 400.0 };
    let (Scene { shapes, .. }, Some(note)) = doc.draw(&frame, size, &palette) else { panic!("a timeline") };
    let text =
        |shape: Shape| if let Shape::Text { text, .. } = shape { Some(text.to_string()) } else { None };
    (note, shapes.into_iter().filter_map(text).collect())
}

#[test]
fn heads_name_the_clock_and_the_ruler_follows_the_pointer() {
    let mut doc = open();
    let (note, texts) = drawn(&mut doc, None);
    let heads: Vec<(&str, &str, bool)> =
        note.heads.iter().map(|h| (h.name.as_str(), h.label.as_str(), h.has_own_clock)).collect();
    assert_eq!(
        heads,
        [
            ("cube", "clock device", true),
            ("host", "", false),
            ("lanes", "clock warp, not related to any other, from 7", true),
        ]
    );
    // 3,000 cycles are 2,000 ns from 4,000 ns on.
    assert!(texts.iter().any(|t| t == "ns · 0 = 4.000 µs"), "{texts:?}");
    assert!(texts.iter().any(|t| t == "1.8 µs") && !texts.iter().any(|t| t == "2.2 µs"), "{texts:?}");
    let (cube, lanes) = (track(&doc, "cube"), track(&doc, "lanes"));
    let (_, texts) = drawn(&mut doc, Some(cube));
    assert!(texts.iter().any(|t| t == "device · cycles · 0 = 1,000 cycles"), "{texts:?}");
    assert!(texts.iter().any(|t| t == "−1,500 cycles"), "{texts:?}");
    let (_, texts) = drawn(&mut doc, Some(lanes));
    assert!(texts.iter().any(|t| t == "warp · steps · 0 = 7"), "{texts:?}");
}

#[test]
fn exports_hold_what_the_file_said() {
    let mut doc = open();
    let ask = Query::Export { id: "slices-csv".to_owned() };
    let bytes = doc.query(&ask).1.unwrap();
    let lines = String::from_utf8(bytes).unwrap();
    let lines: Vec<&str> = lines.lines().collect();
    assert_eq!(lines[0], "track_path,name,start_ticks,duration_ticks,depth,category,clock,unfinished");
    assert!(lines.contains(&"host,poll,4001,1,1,,ns,false"), "{lines:?}");
    assert!(lines.contains(&"cube,store,1031,1,0,,device,false"), "{lines:?}");
    assert!(lines.contains(&"lanes,step,7,5,0,,warp,false"), "{lines:?}");
}
