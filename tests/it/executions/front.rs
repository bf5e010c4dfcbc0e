//! Executions through the front door: heads, details, steps, pairs and pictures of a document.

use super::{Shape, USUAL, launch, program};
use lanescope::base::geometry::{Point, Size};
use lanescope::document::Document;
use lanescope::model::build::TraceBuilder;
use lanescope::scene::palette::Palette;
use lanescope::views::executions::compute::pattern::Pattern;
use lanescope::views::executions::compute::{Kind, Recorded};
use lanescope::views::executions::messages::{
    ColorBy, Detail, ExecutionsQuery, Folding, Frame, Head, Hit, Reply,
};
use lanescope::wire::Draw;

const SIZE: Size = Size { w: 1000.0, h: 600.0 };

fn document(shape: Shape) -> Document {
    let mut builder = TraceBuilder::default();
    let recorded: &mut Recorded = builder.head().extensions.get_or_default();
    recorded.programs.push(program(shape.blocks));
    recorded.launches.push(launch(Shape { threads: 0, ..shape }));
    recorded.launches.push(launch(shape));
    Document::of(builder)
}

fn ask(doc: &mut Document, ask: ExecutionsQuery) -> Reply {
    match doc.query(&ask).0 {
        Some(reply) => reply,
        other => panic!("{other:?}"),
    }
}

fn head(doc: &mut Document) -> Head {
    match ask(doc, ExecutionsQuery::Head { launch: None }) {
        Reply::Head(Some(head)) => *head,
        other => panic!("{other:?}"),
    }
}

fn detail(doc: &mut Document, execution: u32, row: Option<u32>) -> Detail {
    match ask(doc, ExecutionsQuery::Detail { launch: 1, execution, row }) {
        Reply::Detail(Some(detail)) => *detail,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_document_with_executions_has_a_head() {
    let mut doc = document(USUAL);
    assert!(0 < doc.head().contents.executions);
    let head = head(&mut doc);
    // Launches without executions are not listed.
    assert_eq!(head.launches, [(1, "kernel-1".to_owned(), "spmv".to_owned())]);
    assert_eq!((head.launch, head.threads, head.blocks, head.groups.as_str()), (1, 12, 6, "CTA"));
    assert!(head.has.memory && head.has.lanes && head.has.rows && !head.has.time);
    let svg = doc.svg("trace", SIZE, &Palette::default()).unwrap();
    assert!(svg.contains("CTA 2,0,0") && !svg.contains("NaN"));
}

#[test]
fn the_trace_that_is_seen_is_saved() {
    let mut doc = document(USUAL);
    let mut saved = |color| {
        let frame = Frame { launch: 1, folding: Some(Folding::default()), color, ..Frame::default() };
        crate::pictures::saved(&mut doc, "trace", vec![(frame.frame(), SIZE)])
    };
    let (name, svg) = saved(ColorBy::Efficiency);
    assert!(name.ends_with(".trace.svg"), "{name}");
    // Its head is 34 pixels high.
    assert!(svg.contains("width=\"1000\" height=\"634\""), "{svg}");
    for words in [">Trace · spmv</text>", ">Efficiency 100 %</text>", "CTA 0,0,0"] {
        assert!(svg.contains(words), "{words}");
    }
    assert!(saved(ColorBy::Lanes).1.contains(">Active lanes 0</text>"));
}

#[test]
fn an_execution_is_told_in_detail() {
    let mut doc = document(USUAL);
    let found = detail(&mut doc, 5, None);
    assert_eq!((found.execution, found.thread.0, found.known.ordinals.0), (5, 0, 5));
    let grid = found.chosen.clone().unwrap();
    let access = found.rows[grid.row as usize].access.unwrap();
    let lanes = found.known.lanes.unwrap();
    assert_eq!((grid.row, access.access.lanes), (1, u32::from(lanes)));
    assert_eq!(
        (grid.base, grid.places[0].map(|place| place.0), grid.registers[0].0),
        (Some(0x1000), Some(0), 8)
    );
    let is_stride = access.access.pattern == Pattern::Stride(128);
    assert!(is_stride || lanes < 2, "{access:?}");
    // Shared memory has banks: lanes 128 bytes apart all ask the same.
    let banked = (0..90).map(|execution| detail(&mut doc, execution, None)).find(|detail| {
        detail.rows.iter().any(|row| row.access.is_some_and(|access| access.conflicts.is_some()))
    });
    let banked = banked.unwrap();
    let access = banked.rows.iter().find_map(|row| row.access).unwrap();
    assert_eq!(access.conflicts, Some(u32::from(banked.known.lanes.unwrap())));
    let full =
        (0..90).map(|execution| detail(&mut doc, execution, Some(0))).find(|d| d.rows[0].missing.is_some());
    assert_eq!(full.unwrap().chosen.unwrap().row, 0);
    let beyond = ask(&mut doc, ExecutionsQuery::Detail { launch: 1, execution: u32::MAX, row: None });
    assert_eq!(beyond, Reply::Detail(None));
    assert_eq!(
        ask(&mut doc, ExecutionsQuery::Detail { launch: 9, execution: 0, row: None }),
        Reply::Detail(None)
    );
}

#[test]
fn pictures_steps_and_pairs_answer() {
    let mut doc = document(Shape { has_time: true, ..USUAL });
    let frame =
        Frame { launch: 1, folding: Some(Folding::default()), pair: Some([0, 4]), ..Frame::default() };
    let (scene, note) = doc.draw(&frame.clone(), SIZE, &Palette::default());
    let Some(note) = note else { panic!("another note") };
    assert!(!scene.shapes.is_empty() && 0.0 < note.pair.h && note.length == 90.0);
    assert!(note.alt.starts_with("Trace of kernel-1"), "{}", note.alt);
    let label = |head: &str| note.parting.contains(head);
    assert!(label("Both were in BB") || label("diverge immediately") || label("ended"), "{}", note.parting);
    let alone = Frame { pair: None, ..frame.clone() };
    let (_, Some(other)) = doc.draw(&alone, SIZE, &Palette::default()) else { panic!("another note") };
    assert_eq!(other.parting, "");
    let at = Point { x: note.area.x + 1.0, y: note.area.y + 30.0 };
    let Reply::Under(Some(under)) =
        ask(&mut doc, ExecutionsQuery::Under { frame: frame.clone(), size: SIZE, at })
    else {
        panic!("nothing is there");
    };
    assert_eq!((under.hit, under.name.as_str()), (Hit::Execution(0, 0), "CTA 0,0,0 warp 0"));
    assert!(under.execution.is_some() && under.color.is_some());
    let step = ExecutionsQuery::Step { launch: 1, from: None, kind: Kind::Divergent, is_forward: true };
    assert!(matches!(ask(&mut doc, step), Reply::Step(Some(_))));
    assert!(matches!(
        ask(&mut doc, ExecutionsQuery::Nearest { launch: 1, thread: 0 }),
        Reply::Nearest(Some(_))
    ));
    let execution = head(&mut doc).executions as u32 - 1;
    let last = ExecutionsQuery::ScrollTo { frame, size: Size { w: 500.0, h: 240.0 }, execution };
    assert!(matches!(ask(&mut doc, last), Reply::ScrollTo(Some(_), _)));
    // Garbage is answered with nothing.
    let wild = Frame {
        launch: 1,
        window: Some((f64::NAN, 1.0)),
        scroll: f64::INFINITY,
        selected: Some(u32::MAX),
        thread: Some(u32::MAX),
        pair: Some([3, u32::MAX]),
        ..Frame::default()
    };
    doc.draw(&wild, Size { w: 3.0, h: 2.0 }, &Palette::default());
    doc.draw(&Frame { launch: 77, ..Frame::default() }, SIZE, &Palette::default());
}

#[test]
fn values_of_registers_are_whole_or_floats() {
    use lanescope::views::executions::compute::float_of_bits;
    assert_eq!(float_of_bits(u64::from(1.5_f32.to_bits())), 1.5);
    assert_eq!(float_of_bits((-2.25_f64).to_bits()), -2.25);
    let mut doc = document(USUAL);
    let found = detail(&mut doc, 5, None);
    let of = found.rows.iter().flat_map(|row| &row.registers).next().unwrap();
    assert!(of.whole.0 <= of.whole.1 && (of.float.0.is_nan() || of.float.0 <= of.float.1), "{of:?}");
}
