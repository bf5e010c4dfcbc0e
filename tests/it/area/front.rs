//! Questions about a range through the front door, its pictures and exports, with hand-computed answers.

use crate::support::front_door::open_one;
use lanescope::base::geometry::{Point, Size};
use lanescope::base::time::Span;
use lanescope::document::Document;
use lanescope::model::figure::Body;
use lanescope::scene::dump::dump;
use lanescope::scene::palette::Palette;
use lanescope::wire::area::{Ask, Frame, Order, Reply};
use lanescope::wire::timeline::Area;
use lanescope::wire::{self, Answer, Query, figures, pack, unpack};

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
fn ask(doc: &mut Document, ask: Ask) -> Reply {
    let query: Query = unpack(&pack(&Query::Area(ask.clone()))).unwrap();
    assert_eq!(query, Query::Area(ask));
    let (answer, _) = doc.query(&query);
    assert_eq!(unpack::<Answer>(&pack(&answer)).unwrap(), answer);
    match answer {
        Answer::Area(reply) => reply,
        other => panic!("{other:?}"),
    }
}

fn export(doc: &mut Document, id: &str) -> String {
    let (answer, bytes) = doc.query(&Query::Export { id: id.to_owned() });
    String::from_utf8(bytes.unwrap_or_else(|| panic!("{id}: {answer:?}"))).unwrap()
}

/// Level, name, count, total and self time of each frame.
fn calls(doc: &mut Document, area: Area) -> Vec<(u32, String, u64, i64, i64)> {
    let Reply::Calls(calls) = ask(doc, Ask::Calls(area)) else { panic!("no calls") };
    assert_eq!(calls.n as usize, calls.rows.len());
    calls.rows.into_iter().map(|c| (c.level, c.name, c.n, c.total, c.own)).collect()
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
        let frame = wire::Frame::Area(frame.clone());
        assert_eq!(unpack::<wire::Frame>(&pack(&frame)).unwrap(), frame);
        let (scene, note) = doc.draw(&frame, size, &palette);
        assert_eq!(unpack::<wire::Note>(&pack(&note)).unwrap(), note);
        let wire::Note::Area(note) = note else { panic!("{note:?}") };
        (dump(&scene), note)
    };
    // 24 µs of all tracks on 240 px: CUBE 0–100, MTE2 100–200, WAIT 200–240.
    let mut frame = Frame { area: whole(), pointer: Some(at(20.0, 3.0)), ..Frame::default() };
    let (_, note) = draw(&mut doc, &frame);
    assert_eq!(note.height, 90.0, "all, tracks and three rows of slices");
    assert_eq!(
        note.under,
        "C\nTotal\t4.000 µs\nSelf\t2.000 µs\nCount\t1\nShare of what is around\t40.0 % · A\nShare of all\t16.7 %"
    );
    // By time B comes before C.
    frame.order = Order::Time;
    assert!(draw(&mut doc, &frame).1.under.starts_with("B\nTotal\t3.000 µs"));
    frame.order = Order::Heavy;
    let look = Ask::Frame { frame: Box::new(frame.clone()), size, at: at(20.0, 2.0) };
    let Reply::Frame(Some(path)) = ask(&mut doc, look) else { panic!("nothing there") };
    let names: Vec<&str> = path.iter().map(|id| doc.trace().strings.get(*id)).collect();
    assert_eq!(names, ["CUBE", "A"]);
    // A fills the width: C takes 40 % of it, B the next 30 %.
    frame.path = path;
    frame.pointer = Some(at(100.0, 3.0));
    let (picture, note) = draw(&mut doc, &frame);
    assert!(note.under.starts_with("B\nTotal\t3.000 µs"), "{}", note.under);
    assert!(picture.contains("\"CUBE\"") && !picture.contains("\"MTE2\""), "{picture}");
    let above = Ask::Frame { frame: Box::new(frame), size, at: at(5.0, 0.0) };
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
    let (scene, note) = doc.draw(&wire::Frame::Area(frame), size, &Palette::default());
    let wire::Note::Area(note) = note else { panic!("{note:?}") };
    assert!(note.under.starts_with("5,000 smaller\nTotal\t5.000 ms"), "{}", note.under);
    assert!(scene.shapes.len() < 20, "{}", scene.shapes.len());
}

#[test]
fn tracks_are_busy_together_and_idle() {
    let mut doc = open();
    let Reply::Idle(idle) = ask(&mut doc, Ask::Idle { area: whole(), waits: false }) else { panic!("none") };
    let rows: Vec<_> = idle
        .rows
        .iter()
        .map(|r| {
            let t = r.time;
            (r.name.as_str(), t.busy, t.idle, t.n, t.longest, r.at.as_str())
        })
        .collect();
    assert_eq!(
        rows,
        [
            ("CUBE", 10_000, 2_000, 1, Span::new(10_000, 12_000), "10.000 µs"),
            ("MTE2", 10_000, 2_000, 1, Span::new(0, 2_000), "0 ns"),
            ("WAIT", 0, 12_000, 1, Span::new(0, 12_000), "0 ns"),
        ]
    );
    let gaps =
        Ask::Gaps { area: whole(), waits: true, by_start: false, is_descending: true, from: 0, limit: 2 };
    let Reply::Gaps(gaps) = ask(&mut doc, gaps) else { panic!("none") };
    let spans: Vec<Span> = gaps.rows.iter().map(|g| g.span).collect();
    assert_eq!((gaps.n, spans), (4, vec![Span::new(6_000, 12_000), Span::new(0, 2_000)]));
    let id = lanescope::analysis::area::overlap::figure_id(whole().span, &[], false);
    let mut figure = |chosen: usize| {
        let query = Query::Figures(figures::Ask::Figure { id: id.clone(), chosen: vec![chosen] });
        match doc.query(&query).0 {
            Answer::Figures(figures::Reply::Figure(shown)) => shown.figure,
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
    let flows = |text: &str, category: Option<&str>| Ask::Flows {
        area: whole(),
        text: text.to_owned(),
        category: category.map(str::to_owned),
        by_latency: true,
        is_descending: true,
        from: 0,
        limit: 10,
    };
    let Reply::Flows(all) = ask(&mut doc, flows("", None)) else { panic!("none") };
    let told = |row: &wire::area::Flow| {
        let ends = row.ends.each_ref().map(|end| end.as_ref().map_or("", |h| h.name.as_str()).to_owned());
        (row.category.clone(), row.latency, ends)
    };
    let rows: Vec<_> = all.rows.iter().map(told).collect();
    let ends = |a: &str, b: &str| [a.to_owned(), b.to_owned()];
    assert_eq!(rows, [("done".into(), 5_000, ends("D", "C")), ("ready".into(), 3_000, ends("B", "D"))]);
    let Reply::Flows(found) = ask(&mut doc, flows("", Some("ready"))) else { panic!("none") };
    assert_eq!((found.n, found.rows[0].latency), (1, 3_000));
    for (text, n) in [("READ", 1), ("d", 2), ("c", 1), ("nothing", 0)] {
        let Reply::Flows(found) = ask(&mut doc, flows(text, None)) else { panic!("none") };
        assert_eq!(found.n, n, "{text}");
    }
    let Reply::Categories(sums) = ask(&mut doc, Ask::Categories(whole())) else { panic!("none") };
    let sums: Vec<_> = sums.iter().map(|s| (s.name.as_str(), s.n, s.min, s.mean, s.max)).collect();
    assert_eq!(sums, [("ready", 1, 3_000, 3_000.0, 3_000), ("done", 1, 5_000, 5_000.0, 5_000)]);
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
    assert!(export(&mut doc, &format!("figure-svg:{id}:0")).contains("Tracks busy together"));
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
        let page = |by_start, is_descending| Ask::Gaps {
            area: area.clone(),
            waits: false,
            by_start,
            is_descending,
            from: 0,
            limit: 500,
        };
        ask(&mut doc, page(true, true));
        ask(&mut doc, page(false, false));
        ask(&mut doc, Ask::Idle { area: area.clone(), waits: true });
        ask(&mut doc, Ask::Calls(area.clone()));
        ask(&mut doc, Ask::Categories(area.clone()));
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
    doc.draw(&wire::Frame::Area(frame.clone()), size, &Palette::default());
    let under = Ask::Frame { frame: Box::new(frame), size, at: Point { x: -1.0, y: -1.0 } };
    assert_eq!(ask(&mut doc, under), Reply::Frame(None));
}
