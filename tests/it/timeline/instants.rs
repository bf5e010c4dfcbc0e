//! Instants as slices: drawn beside labels, hit, told, found, listed, named by addresses and exported.

use crate::support::front_door::open_one;
use crate::support::rows::{page, values, wanted};
use lanescope::analysis::rows::Goal;
use lanescope::analysis::timeline::search::SearchQuery;
use lanescope::base::geometry::{Point, Size};
use lanescope::base::time::Span;
use lanescope::document::Document;
use lanescope::model::id::{SliceId, TrackId};
use lanescope::scene::palette::Palette;
use lanescope::scene::{Scene, Shape};
use lanescope::views::timeline::messages::{Area, Current, Frame, Reply, TimelineQuery, Under};
use lanescope::wire::Query;
use lanescope::wire::rows::Source;

/// ```text
/// µs       0   10   20   30   40
/// worker          ◆alloc   ◆alloc  ◆free
///          alloc pool-----------------
/// marks        ◆step
/// ```
const TRACE: &str = r#"[
{"ph":"M","pid":1,"tid":1,"name":"thread_name","args":{"name":"worker"}},
{"ph":"M","pid":1,"tid":2,"name":"thread_name","args":{"name":"marks"}},
{"ph":"X","pid":1,"tid":1,"name":"alloc pool","cat":"cpu","ts":0,"dur":40},
{"ph":"i","pid":1,"tid":1,"name":"[alloc]","cat":"memory","ts":10,"s":"t","args":{"bytes":512}},
{"ph":"i","pid":1,"tid":1,"name":"[alloc]","cat":"memory","ts":20,"s":"t","args":{"bytes":64}},
{"ph":"i","pid":1,"tid":1,"name":"[free]","cat":"memory","ts":30,"s":"t","args":{"bytes":64}},
{"ph":"i","pid":1,"tid":2,"name":"step","cat":"user","ts":5,"s":"t"}
]"#;

const SIZE: Size = Size { w: 400.0, h: 300.0 };

fn open() -> Document {
    let (doc, is_ready) = open_one("trace.json", TRACE.as_bytes().to_vec());
    assert!(is_ready);
    doc
}

fn ask(doc: &mut Document, ask: TimelineQuery) -> Reply {
    match doc.query(&ask).0 {
        Some(reply) => reply,
        other => panic!("{other:?}"),
    }
}

fn track(doc: &Document, n: usize) -> TrackId {
    doc.trace().tracks.iter().find(|(_, track)| track.instants.len() == n).unwrap().0
}

fn draw(doc: &mut Document, frame: Frame) -> (Scene, lanescope::views::timeline::messages::Note) {
    let palette = Palette::from_css(include_str!("../../../style/tokens.css"), "light");
    let (scene, note) = doc.draw(&frame, SIZE, &palette);
    let Some(note) = note else { panic!("not of the timeline") };
    (scene, note)
}

/// The middles and inks of the diamonds, from the left.
fn diamonds(scene: &Scene) -> Vec<(Point, String)> {
    let middle = |points: &[Point]| Point { x: points[0].x, y: points[1].y };
    let marks = scene.shapes.iter().filter_map(|shape| match shape {
        Shape::Polygon { points, ink } if points.len() == 4 => {
            Some((middle(points), ink.name().into_owned()))
        }
        _ => None,
    });
    let mut marks: Vec<_> = marks.collect();
    marks.sort_by(|a, b| a.0.x.total_cmp(&b.0.x));
    marks
}

#[test]
fn a_diamond_lies_over_no_slice_and_is_hit_told_and_outlined() {
    let mut doc = open();
    let (scene, note) = draw(&mut doc, Frame { ratio: 1.0, ..Frame::default() });
    let marks = diamonds(&scene);
    assert_eq!(marks.iter().map(|m| m.0.x).collect::<Vec<_>>(), [50.0, 100.0, 200.0, 300.0]);
    let Some(Shape::Spans(field)) = scene.shapes.first() else { panic!("no field") };
    let bars = field.spans.iter().filter(|s| s.ink.name().starts_with('p')).collect::<Vec<_>>();
    let [bar] = bars[..] else { panic!("{bars:?}") };
    for (at, _) in &marks[1..] {
        assert!(at.y + 3.5 <= bar.y, "{at:?} lies over {bar:?}");
    }
    // The lane keeps its height, the row grows.
    let worker = track(&doc, 3);
    let head = note.heads.iter().find(|h| h.track == worker).unwrap();
    assert_eq!((head.h, bar.h), (32.0, 20.0));

    let mut hit = |at: Point| {
        let frame = Box::new(Frame { ratio: 1.0, ..Frame::default() });
        match ask(&mut doc, TimelineQuery::Hit { frame, size: SIZE, at }) {
            Reply::Hit(Some(under)) => *under,
            other => panic!("{other:?}"),
        }
    };
    let Under::Slice(under) = hit(marks[2].0) else { panic!("no instant there") };
    assert_eq!(under.id, SliceId::of_instant(worker, 1));
    assert_eq!(
        (under.name.as_str(), under.start.as_str(), under.duration.as_str()),
        ("[alloc]", "20.000 µs", "")
    );
    let Under::Slice(slice) = hit(Point { x: 200.0, y: bar.y + 2.0 }) else { panic!("no slice there") };
    assert_eq!(slice.name, "alloc pool", "below the diamond is the slice");
    assert!(matches!(hit(Point { x: 150.0, ..marks[2].0 }), Under::Row { .. }), "between two diamonds");
    let Under::Slice(alone) = hit(marks[0].0) else { panic!("no instant there") };
    assert_eq!(alone.name, "step", "in the middle of a row without slices");

    let frame = Frame { ratio: 1.0, selected: Some(under.id), ..Frame::default() };
    let (scene, _) = draw(&mut doc, frame);
    let outline = scene.shapes.iter().rev().find_map(|shape| match shape {
        Shape::Outline { rect, .. } => Some(*rect),
        _ => None,
    });
    let outline = outline.unwrap();
    assert_eq!((outline.x + outline.w / 2.0, outline.y + outline.h / 2.0), (200.0, marks[2].0.y));
}

#[test]
fn a_closed_group_shows_the_instants_of_its_tracks() {
    let mut doc = open();
    let group = doc.trace().tracks.get(track(&doc, 3)).parent.unwrap();
    let (scene, note) = draw(&mut doc, Frame { ratio: 1.0, closed: vec![group], ..Frame::default() });
    let head = note.heads.iter().find(|head| head.track == group).unwrap();
    let middle = head.y + head.h / 2.0;
    let marks: Vec<(f32, f32)> = diamonds(&scene).iter().map(|(at, _)| (at.x, at.y)).collect();
    assert_eq!(marks, [50.0, 100.0, 200.0, 300.0].map(|x| (x, middle)));
}

#[test]
fn an_instant_tells_its_category_and_arguments_and_the_next_of_its_name() {
    let mut doc = open();
    let worker = track(&doc, 3);
    let first = SliceId::of_instant(worker, 0);
    let Reply::Slice(Some(told)) = ask(&mut doc, TimelineQuery::Slice(first)) else { panic!("it is gone") };
    let fact = |name: &str| told.facts.iter().find(|(of, _)| of == name).map(|(_, value)| value.as_str());
    assert_eq!((fact("Time"), fact("Category"), fact("Duration")), (Some("10.000 µs"), Some("memory"), None));
    assert!(told.args.contains(&("bytes".to_owned(), "512".to_owned())), "{:?}", told.args);
    assert!(told.raw.contains("\"ts\":10"), "{}", told.raw);
    assert_eq!((told.rank, told.linked.len()), ((0, 0), 0));
    let next = TimelineQuery::Neighbor { id: first, forward: true };
    let Reply::Neighbor(Some(next)) = ask(&mut doc, next) else { panic!("no other") };
    assert_eq!(next.id, SliceId::of_instant(worker, 1));
    let last = TimelineQuery::Neighbor { id: next.id, forward: true };
    assert_eq!(ask(&mut doc, last), Reply::Neighbor(None));
    // By the name in an address, the same instant.
    for row in 0..3 {
        let id = SliceId::of_instant(worker, row);
        let Reply::NameOf(Some(name)) = ask(&mut doc, TimelineQuery::NameOf(id)) else { panic!("no name") };
        assert_eq!(ask(&mut doc, TimelineQuery::Named(name)), Reply::Named(Some(id)));
    }
    let stale = SliceId::of_instant(worker, 3);
    assert_eq!(ask(&mut doc, TimelineQuery::Slice(stale)), Reply::Slice(None));
}

#[test]
fn a_search_steps_through_slices_and_instants_in_order_of_time() {
    let mut doc = open();
    let search = SearchQuery { text: "alloc".to_owned(), ..SearchQuery::default() };
    let find = |doc: &mut Document, current| {
        let Reply::Search(hits) = ask(doc, TimelineQuery::Search { search: search.clone(), current }) else {
            panic!("no hits")
        };
        hits
    };
    let hits = find(&mut doc, Current::Time(0));
    assert_eq!((hits.n, hits.listed), (3, 3));
    let starts = [0, 1, 2].map(|at| find(&mut doc, Current::Number(at)).at.unwrap().span.start);
    assert_eq!(starts, [0, 10_000, 20_000]);
    let instant = find(&mut doc, Current::Number(1)).at.unwrap().id;
    assert_eq!(find(&mut doc, Current::Slice(instant)).current, Some(1));
    let rows = values(&mut doc, Source::Hits(search.clone()), None, "");
    let names: Vec<[&str; 3]> = rows.iter().map(|r| [&r[0], &r[2], &r[3]].map(String::as_str)).collect();
    assert_eq!(names, [["alloc pool", "0", "40000"], ["[alloc]", "10000", ""], ["[alloc]", "20000", ""]]);
    // What is not found steps back.
    let frame = Frame { ratio: 1.0, search: search.clone(), ..Frame::default() };
    let (scene, _) = draw(&mut doc, frame);
    let is_bright: Vec<bool> = diamonds(&scene).iter().map(|(_, ink)| ink == "t2").collect();
    assert_eq!(is_bright, [false, true, true, false]);
}

#[test]
fn instants_of_a_range_are_listed_and_all_are_exported() {
    let mut doc = open();
    let area = Area { span: Span::new(5_000, 20_001), tracks: Vec::new() };
    let reply = page(&mut doc, Source::Instants(area.clone()), wanted(None, ""));
    let heads: Vec<&str> = reply.page.columns.iter().map(|c| c.title.as_str()).collect();
    assert_eq!(heads, ["Name", "Track", "Start", "Category"]);
    let rows = reply.page.rows.iter().map(|row| row.iter().map(|c| c.text.as_str()).collect::<Vec<_>>());
    assert_eq!(
        rows.collect::<Vec<_>>(),
        [
            ["step", "Process 1 / marks", "5.000 µs", "user"],
            ["[alloc]", "Process 1 / worker", "10.000 µs", "memory"],
            ["[alloc]", "Process 1 / worker", "20.000 µs", "memory"],
        ]
    );
    let worker = track(&doc, 3);
    assert_eq!(reply.goals[1][0], Some(Goal::Slice(SliceId::of_instant(worker, 0))));
    let on_track = Area { tracks: vec![track(&doc, 1)], ..area.clone() };
    assert_eq!(values(&mut doc, Source::Instants(on_track), None, "").len(), 1);
    assert_eq!(ask(&mut doc, TimelineQuery::Count(area)), Reply::Count(1), "slices are counted as before");
    let csv = doc.query(&Query::Export { id: "instants-csv".to_owned() }).1.unwrap();
    assert_eq!(
        String::from_utf8(csv).unwrap(),
        "track_path,name,time_ns,category\n\
         Process 1 / marks,step,5000,user\n\
         Process 1 / worker,[alloc],10000,memory\n\
         Process 1 / worker,[alloc],20000,memory\n\
         Process 1 / worker,[free],30000,memory\n"
    );
    let csv = doc.query(&Query::Export { id: "slices-csv".to_owned() }).1.unwrap();
    assert_eq!(
        String::from_utf8(csv).unwrap(),
        "track_path,name,start_ns,duration_ns,depth,category,unfinished\nProcess 1 / worker,alloc pool,0,40000,0,cpu,false\n"
    );
}
