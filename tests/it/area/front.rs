//! Questions about a range through the front door, its pictures and exports, with hand-computed answers.

use crate::support::front_door::open_one;
use crate::support::rows::{page, values, wanted};
use lanescope::analysis::rows::Goal;
use lanescope::base::geometry::{Point, Size};
use lanescope::base::time::Span;
use lanescope::document::Document;
use lanescope::model::figure::Body;
use lanescope::scene::dump;
use lanescope::scene::palette::Palette;
use lanescope::scene::table::{Cell, PageRequest};
use lanescope::views::timeline::area::{AreaQuery, Frame, Order, Reply};
use lanescope::views::timeline::messages::Area;
use lanescope::wire::rows::{Only, Source};
use lanescope::wire::{self, Answer, Ask, Draw, Query, figures, pack, unpack};

/// ```text
/// µs      0    2    4    6    8    10   12
/// CUBE    A-----------------------
///          B------   C---------
///                      B----
/// MTE2         D------------------------
/// WAIT         wait-----
/// ```
const TRACE: &str = r#"{"traceEvents":[
{"ph":"X","pid":1,"tid":"CUBE","name":"A","ts":0,"dur":10},
{"ph":"X","pid":1,"tid":"CUBE","name":"B","ts":1,"dur":3},
{"ph":"X","pid":1,"tid":"CUBE","name":"C","ts":5,"dur":4},
{"ph":"X","pid":1,"tid":"CUBE","name":"B","ts":6,"dur":2},
{"ph":"X","pid":1,"tid":"MTE2","name":"D","ts":2,"dur":10},
{"ph":"X","pid":1,"tid":"WAIT","name":"wait","ts":2,"dur":4},
{"ph":"s","pid":1,"tid":"CUBE","name":"f","cat":"ready","id":7,"ts":1},
{"ph":"f","pid":1,"tid":"MTE2","name":"f","cat":"ready","id":7,"ts":4,"bp":"e"},
{"ph":"s","pid":1,"tid":"MTE2","name":"f","cat":"done","id":8,"ts":3},
{"ph":"f","pid":1,"tid":"CUBE","name":"f","cat":"done","id":8,"ts":8,"bp":"e"}
]}"#;

fn open() -> Document {
    let (doc, is_ready) = open_one("trace.json", TRACE.as_bytes().to_vec());
    assert!(is_ready);
    doc
}

fn whole() -> Area {
    Area { span: Span::new(0, 12_000), tracks: Vec::new() }
}

/// Asks over the wire: question and answer are written and read again.
fn ask(doc: &mut Document, ask: AreaQuery) -> Reply {
    let query: Query = unpack(&pack(&ask.query())).unwrap();
    assert_eq!(query, ask.query());
    let (answer, _) = doc.query(&query);
    assert_eq!(unpack::<Answer>(&pack(&answer)).unwrap(), answer);
    match AreaQuery::answered(answer) {
        Some(reply) => reply,
        other => panic!("{other:?}"),
    }
}

fn export(doc: &mut Document, id: &str) -> String {
    let (answer, bytes) = doc.query(&Query::Export { id: id.to_owned() });
    String::from_utf8(bytes.unwrap_or_else(|| panic!("{id}: {answer:?}"))).unwrap()
}

/// Level, name, count, total and self time of each frame.
fn calls(doc: &mut Document, area: Area) -> Vec<(u32, String, u64, i64, i64)> {
    let rows = values(doc, Source::Calls(area), None, "");
    let number = |text: &str| text.parse::<i64>().unwrap();
    let row = |row: Vec<String>| {
        let [level, n, total, own] = [1, 2, 3, 5].map(|at| number(&row[at]));
        (level as u32, row[0].clone(), n as u64, total, own)
    };
    rows.into_iter().map(row).collect()
}

#[test]
fn calls_add_up_from_the_top() {
    let mut doc = open();
    let row = |level, name: &str, n, total, own| (level, name.to_owned(), n, total, own);
    let expected = [
        row(0, "CUBE", 1, 10_000, 0),
        row(1, "A", 1, 10_000, 3_000),
        row(2, "C", 1, 4_000, 2_000),
        row(3, "B", 1, 2_000, 2_000),
        row(2, "B", 1, 3_000, 3_000),
        row(0, "MTE2", 1, 10_000, 0),
        row(1, "D", 1, 10_000, 10_000),
        row(0, "WAIT", 1, 4_000, 0),
        row(1, "wait", 1, 4_000, 4_000),
    ];
    assert_eq!(calls(&mut doc, whole()), expected);
    let track = doc.trace().tracks.iter().find(|(_, t)| t.slices.len() == 4).unwrap().0;
    let area = Area { span: Span::new(3_000, 7_000), tracks: vec![track] };
    let expected = [
        row(0, "A", 1, 4_000, 1_000),
        row(1, "C", 1, 2_000, 1_000),
        row(2, "B", 1, 1_000, 1_000),
        row(1, "B", 1, 1_000, 1_000),
    ];
    assert_eq!(calls(&mut doc, area), expected);
}

#[test]
fn a_flame_graph_is_looked_into_and_told() {
    let mut doc = open();
    let size = Size { w: 240.0, h: 200.0 };
    let at = |x: f32, row: f32| Point { x, y: row * 18.0 + 9.0 };
    let palette = Palette::from_css(include_str!("../../../style/tokens.css"), "light");
    let draw = |doc: &mut Document, frame: &Frame| {
        let frame = frame.frame();
        assert_eq!(unpack::<wire::Frame>(&pack(&frame)).unwrap(), frame);
        let (scene, note) = doc.draw(&frame, size, &palette);
        assert_eq!(unpack::<wire::Note>(&pack(&note)).unwrap(), note);
        let Some(note) = Frame::noted(note) else { panic!("another note") };
        (dump(&scene), note)
    };
    // 24 µs of all tracks on 240 px: CUBE 0–100, MTE2 100–200, WAIT 200–240.
    let mut frame = Frame { area: whole(), pointer: Some(at(20.0, 3.0)), ..Frame::default() };
    let (_, note) = draw(&mut doc, &frame);
    assert_eq!(note.height, 90.0, "all, tracks and three rows of slices");
    assert_eq!(
        note.under,
        "C\nTotal\t4.000 µs\nSelf\t2.000 µs\nCount\t1\n% of parent\t40.0 % · A\n% of total\t16.7 %"
    );
    // By time B comes before C.
    frame.order = Order::Time;
    assert!(draw(&mut doc, &frame).1.under.starts_with("B\nTotal\t3.000 µs"));
    frame.order = Order::Heavy;
    let look = AreaQuery::Frame { frame: Box::new(frame.clone()), size, at: at(20.0, 2.0) };
    let Reply::Frame(Some(path)) = ask(&mut doc, look) else { panic!("nothing there") };
    let names: Vec<&str> = path.iter().map(|id| doc.trace().strings.get(*id)).collect();
    assert_eq!(names, ["CUBE", "A"]);
    // A fills the width: C takes 40 % of it, B the next 30 %.
    frame.path = path;
    frame.pointer = Some(at(100.0, 3.0));
    let (picture, note) = draw(&mut doc, &frame);
    assert!(note.under.starts_with("B\nTotal\t3.000 µs"), "{}", note.under);
    assert!(picture.contains("\"CUBE\"") && !picture.contains("\"MTE2\""), "{picture}");
    let above = AreaQuery::Frame { frame: Box::new(frame), size, at: at(5.0, 0.0) };
    assert_eq!(ask(&mut doc, above), Reply::Frame(Some(Vec::new())));
}

#[test]
fn many_small_frames_are_one() {
    let mut events = vec![r#"{"ph":"X","pid":1,"tid":1,"name":"big","ts":0,"dur":100000}"#.to_owned()];
    events.extend(
        (0..5_000)
            .map(|i| format!(r#"{{"ph":"X","pid":1,"tid":1,"name":"small {i}","ts":{},"dur":1}}"#, 10 * i)),
    );
    let (mut doc, _) = open_one("trace.json", format!("[{}]", events.join(",")).into_bytes());
    let area = Area { span: doc.trace().span.unwrap(), tracks: Vec::new() };
    let size = Size { w: 600.0, h: 100.0 };
    let frame = Frame { area, pointer: Some(Point { x: 10.0, y: 40.0 }), ..Frame::default() };
    let (scene, note) = doc.draw(&frame, size, &Palette::default());
    let Some(note) = note else { panic!("another note") };
    assert!(note.under.starts_with("5,000 smaller\nTotal\t5.000 ms"), "{}", note.under);
    assert!(scene.shapes.len() < 20, "{}", scene.shapes.len());
}

#[test]
fn tracks_are_busy_together_and_idle() {
    let mut doc = open();
    let idle = Source::Idle { area: whole(), waits: false };
    let reply = page(&mut doc, idle.clone(), wanted(None, ""));
    let shown: Vec<_> = reply.page.rows[0].iter().map(|cell| cell.text.as_str()).collect();
    assert_eq!(shown, ["CUBE", "83.3", "1", "2.000 µs", "10.000 µs", "2.000 µs", "10.000 µs", "12.000 µs"]);
    assert_eq!(reply.goals[0], [None, Some(Goal::Time(Span::new(10_000, 12_000)))]);
    let rows = values(&mut doc, idle, Some((5, true)), "");
    // Track, gaps, longest gap and its start, idle, busy, and what was recorded.
    let rows: Vec<String> = rows.iter().map(|r| [&r[..1], &r[2..]].concat().join(" ")).collect();
    assert_eq!(
        rows,
        [
            "WAIT 1 12000 0 12000 0 12000",
            "CUBE 1 2000 10000 2000 10000 12000",
            "MTE2 1 2000 0 2000 10000 12000"
        ],
        "equal ones keep their order"
    );
    let gaps = Source::Gaps { area: whole(), waits: true };
    let reply = page(&mut doc, gaps.clone(), PageRequest { n: 2, ..wanted(None, "") });
    let spans = [Span::new(6_000, 12_000), Span::new(0, 2_000)].map(|span| Some(Goal::Time(span)));
    assert_eq!((reply.n_known, reply.page.total), (4, 4));
    assert_eq!(reply.goals.iter().map(|g| g[0].clone()).collect::<Vec<_>>(), spans);
    let starts: Vec<_> =
        values(&mut doc, gaps, Some((1, false)), "mte2").into_iter().map(|r| r[1].clone()).collect();
    assert_eq!(starts, ["0"]);
    let id = lanescope::analysis::area::overlap::figure_id(whole().span, &[], false);
    let mut figure = |chosen: usize| {
        let query = figures::FigureQuery::Figure { id: id.clone(), chosen: vec![chosen] };
        match doc.query(&query).0 {
            Some(figures::Reply::Figure(shown)) => shown.figure,
            other => panic!("{other:?}"),
        }
    };
    let Body::HeatMap(map) = figure(0).body else { panic!("no map") };
    assert_eq!(map.y.names, ["CUBE", "MTE2", "WAIT"]);
    let share = |v: f32| (f64::from(v) * 12.0).round() as i64;
    let ticks: Vec<i64> = map.values.iter().map(|v| share(*v)).collect();
    assert_eq!(ticks, [10, 8, 0, 8, 10, 0, 0, 0, 0]);
    let Body::Bars(bars) = figure(1).body else { panic!("no bars") };
    let bars: Vec<_> = bars.bars.iter().map(|b| (b.name.as_str(), b.values[0].unwrap())).collect();
    assert_eq!(bars, [("1", 4.0 / 12.0), ("2", 8.0 / 12.0)]);
}

#[test]
fn flows_are_listed_by_latency_and_category() {
    let mut doc = open();
    let flows =
        |category: Option<&str>| Source::Flows { area: whole(), category: category.map(str::to_owned) };
    let reply = page(&mut doc, flows(None), wanted(Some((3, true)), ""));
    let told = |row: &Vec<Cell>| row.iter().map(|cell| cell.text.clone()).collect::<Vec<_>>().join(" | ");
    assert_eq!(
        reply.page.rows.iter().map(told).collect::<Vec<_>>(),
        [
            "done · f | D · MTE2 | C · CUBE | 5.000 µs | 3.000 µs",
            "ready · f | B · CUBE | D · MTE2 | 3.000 µs | 1.000 µs"
        ]
    );
    assert!(reply.goals.iter().flatten().all(|goal| matches!(goal, Some(Goal::Slice(_)))));
    let found = values(&mut doc, flows(Some("ready")), None, "");
    assert_eq!((found.len(), found[0][3].as_str()), (1, "3000"));
    assert_eq!(values(&mut doc, flows(Some("no category")), None, "").len(), 0);
    for (text, n) in [("READ", 1), ("d", 2), ("c · cube", 1), ("nothing", 0)] {
        assert_eq!(values(&mut doc, flows(None), None, text).len(), n, "{text}");
    }
    let sums = values(&mut doc, Source::Categories(whole()), None, "");
    let sums: Vec<String> = sums.iter().map(|row| row.join(" ")).collect();
    assert_eq!(sums, ["ready 1 3000 3000 3000", "done 1 5000 5000 5000"]);
    let names = ask(&mut doc, AreaQuery::Categories(whole()));
    assert_eq!(names, Reply::Categories(vec!["ready".to_owned(), "done".to_owned()]));
}

#[test]
fn exports_say_the_same() {
    let mut doc = open();
    let csv = export(&mut doc, "aggregate-csv");
    assert!(csv.starts_with("path,depth,name,count,share,total (ns),self (ns),mean (ns)\n"), "{csv}");
    let path = doc.trace().tracks.iter().find(|(_, t)| t.slices.len() == 4).unwrap().0;
    assert!(csv.contains("CUBE ▸ A ▸ C ▸ B,4,B,1,0.08333333333333333,2000,2000,2000\n"), "{csv}");
    let csv = export(&mut doc, &format!("aggregate-csv:3000,7000:{}", path.0));
    assert!(csv.contains("A ▸ B,2,B,1,0.25,1000,1000,1000\n"), "{csv}");
    let csv = export(&mut doc, "gaps-csv:0,12000::waits");
    let group = "Process 1 / ";
    assert_eq!(
        csv,
        format!(
            "track,start (ns),end (ns),duration (ns)\n{group}CUBE,10000,12000,2000\n{group}MTE2,0,2000,2000\n\
             {group}WAIT,0,2000,2000\n{group}WAIT,6000,12000,6000\n"
        )
    );
    let json: serde_json::Value = serde_json::from_str(&export(&mut doc, "overlap-json")).unwrap();
    assert_eq!(json["busy_together"][0], serde_json::json!([10_000, 8_000, 0]));
    assert_eq!(json["busy_alone"], serde_json::json!([2_000, 2_000, 0]));
    assert_eq!(json["busy_at_once"], serde_json::json!([0, 4_000, 8_000, 0]));
    let csv = export(&mut doc, "flows-csv");
    assert_eq!(csv.lines().count(), 3, "{csv}");
    assert!(csv.contains(&format!("ready,f,{group}CUBE,B,{group}MTE2,D,1000,4000,3000")), "{csv}");
    assert!(export(&mut doc, "overlap-csv").contains("CUBE"));
    let svg = export(&mut doc, "flame-svg:0,5000");
    assert!(svg.starts_with("<svg") && svg.contains("MTE2"));
    let id = lanescope::analysis::area::overlap::figure_id(Span::new(0, 5_000), &[], true);
    assert!(export(&mut doc, &format!("figure-svg:{id}:0")).contains("Track overlap"));
    assert!(export(&mut doc, &format!("figures-csv:{id}:1")).starts_with("name,"));
    for wrong in
        ["gaps-csv:0", "gaps-csv:0,1:x", "gaps-csv:0,1::y", "figure-svg:overlap@1,2", "flows-csv:a,b"]
    {
        assert!(doc.query(&Query::Export { id: wrong.to_owned() }).1.is_none(), "{wrong}");
    }
}

#[test]
fn ranges_of_any_length_are_answered() {
    let mut doc = open();
    let (least, most) = (i64::MIN, i64::MAX);
    for (start, end) in [(least, most), (least, least), (most, most), (0, most), (least, 0), (5_000, 5_000)] {
        let area = Area { span: Span { start, end }, tracks: Vec::new() };
        for source in [
            Source::Gaps { area: area.clone(), waits: false },
            Source::Idle { area: area.clone(), waits: true },
            Source::Calls(area.clone()),
            Source::Sums(area.clone()),
            Source::Slices { area: area.clone(), only: Only::default() },
            Source::Flows { area: area.clone(), category: None },
        ] {
            page(&mut doc, source.clone(), wanted(Some((1, true)), ""));
            page(&mut doc, source, PageRequest { from: usize::MAX, ..wanted(None, "x") });
        }
        ask(&mut doc, AreaQuery::Categories(area.clone()));
        for id in ["aggregate-csv", "flame-svg", "gaps-csv", "overlap-csv", "overlap-json", "flows-csv"] {
            export(&mut doc, &format!("{id}:{start},{end}"));
        }
    }
    // Tracks and frames of another trace are nothing.
    let area = Area { tracks: vec![lanescope::model::id::TrackId(99)], ..whole() };
    assert_eq!(calls(&mut doc, area.clone()), []);
    let path = vec![lanescope::model::id::StrId(u32::MAX)];
    let frame = Frame { area, path, ..Frame::default() };
    let size = Size { w: 0.0, h: 0.0 };
    doc.draw(&frame.clone(), size, &Palette::default());
    let under = AreaQuery::Frame { frame: Box::new(frame), size, at: Point { x: -1.0, y: -1.0 } };
    assert_eq!(ask(&mut doc, under), Reply::Frame(None));
}
