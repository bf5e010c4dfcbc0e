//! Where places of figures lead, by clicks at points of their drawings, against what the files have.

use super::family;
use crate::support::front_door::{open, open_one};
use crate::support::make_ascend::{Container, NO_VERSION};
use lanescope::base::geometry::{Point, Size};
use lanescope::base::words::Language;
use lanescope::document::Document;
use lanescope::draw;
use lanescope::model::figure::{Body, FigureState, Passage, Target};
use lanescope::model::track::TrackKind;
use lanescope::scene::palette::Palette;
use lanescope::scene::{Scene, Shape};
use lanescope::views::code::messages::{Arrange, CodeQuery, Reply as CodeReply};
use lanescope::views::timeline::messages::{Frame as TimeFrame, Reply as TimeReply, TimelineQuery};
use lanescope::wire::figures::{FigureQuery, Frame, Reply};
use lanescope::wire::{pack, unpack};

use serde_json::{Value, json};

const WIDTH: f32 = 800.0;

fn frame(id: &str, chosen: &[usize]) -> Frame {
    Frame { id: id.to_owned(), chosen: chosen.to_vec(), state: FigureState::default(), is_compared: false }
}

fn size(doc: &Document, frame: &Frame) -> Size {
    let figure = family(doc, &frame.id).variant(&frame.chosen).expect("the variant is there");
    Size { w: WIDTH, h: draw::height(figure, WIDTH, Language::En) }
}

/// Asks over the wire where a point leads; what a frame with the pointer there says is the same.
fn leads(doc: &mut Document, frame: &Frame, at: Point) -> Vec<Target> {
    let size = size(doc, frame);
    let query = FigureQuery::Targets { frame: frame.clone(), size, at };
    let (answer, _) = doc.query(&query);
    assert_eq!(unpack::<Option<Reply>>(&pack(&answer)).unwrap(), answer);
    let Some(Reply::Targets(targets)) = answer else { panic!("{answer:?}") };
    let mut pointed = frame.clone();
    pointed.state.pointer = Some((at.x, at.y));
    let (_, note) = doc.draw(&pointed, size, &Palette::default());
    let Some(note) = note else { panic!("no figure") };
    assert_eq!(note.leads, !targets.is_empty());
    targets
}

fn drawn(doc: &mut Document, frame: &Frame) -> Scene {
    let size = size(doc, frame);
    doc.draw(&frame.clone(), size, &Palette::default()).0
}

/// The middle of the first place whose words begin so.
fn place(doc: &mut Document, frame: &Frame, words: &str) -> Point {
    let scene = drawn(doc, frame);
    let found = scene.shapes.iter().find_map(|shape| match shape {
        Shape::Hit { rect, name } if name.starts_with(words) => {
            Some(Point { x: rect.x + rect.w / 2.0, y: rect.y + rect.h / 2.0 })
        }
        _ => None,
    });
    found.unwrap_or_else(|| panic!("no place says {words}"))
}

fn sub_core(kind: &str, number: u32) -> Value {
    json!({"subcore_id": number.to_string(), "subcore_type": kind, "cycles": "100", "throughput": "5",
        "L2cache_hit_rate": "80.5"})
}

/// A container with the occupancy of two cores, and a trace of a simulator in the same folder.
#[test]
fn a_core_leads_to_its_track() {
    let cores = json!({"soc": "Ascend910B4", "op_type": "mix", "advice": "", "op_detail": [
        {"core_id": "0", "core_detail": [sub_core("cube", 0), sub_core("vector", 0), sub_core("vector", 1)]},
        {"core_id": "1", "core_detail": [sub_core("cube", 0)]},
    ]});
    let slice =
        |core: &str| json!({"ph": "X", "pid": core, "tid": "SCALAR", "name": "ADD", "ts": 1.0, "dur": 2.0});
    let trace = json!({"profilingType": "op", "schemaVersion": 1,
        "traceEvents": [slice("core0.cubecore0"), slice("core0.veccore1"), slice("core11.cubecore0")]});
    let container =
        Container::default().json(0x0c, &cores).block(2, NO_VERSION, trace.to_string().as_bytes()).0;
    let (mut doc, ready) = open_one("visualize_data.bin", container);
    assert!(ready, "{:?}", doc.faults().rows());
    let occupancy = frame("core-occupancy", &[0]);
    let track = |doc: &mut Document, words: &str| {
        let at = place(doc, &occupancy, words);
        match leads(doc, &occupancy, at).as_slice() {
            [Target::Track { track, name }] => {
                let found = doc.trace().tracks.get(*track);
                assert_eq!(found.kind, TrackKind::Group);
                assert_eq!(doc.trace().strings.get(found.name), name);
                Some((*track, name.clone()))
            }
            [] => None,
            other => panic!("{other:?}"),
        }
    };
    let name = |found: Option<_>| found.map(|(_, name): (_, String)| name);
    assert_eq!(name(track(&mut doc, "Core 0 cube")).as_deref(), Some("core0.cubecore0"));
    let vector = track(&mut doc, "Core 0 vector1").expect("the trace has it");
    assert_eq!(vector.1, "core0.veccore1");
    // The trace has no such core, though one whose name begins with the same number.
    assert_eq!(track(&mut doc, "Core 0 vector0"), None);
    assert_eq!(track(&mut doc, "Core 1 cube"), None);
    assert_eq!(leads(&mut doc, &occupancy, Point { x: 1.0, y: 1.0 }), []);
    // The timeline shows it: closed groups are opened, what was hidden is shown.
    let hidden = TimeFrame { closed: vec![vector.0], hidden: vec![vector.0], ..TimeFrame::default() };
    let ask = TimelineQuery::FindTrack {
        track: vector.0,
        frame: Box::new(hidden),
        size: Size { w: 900.0, h: 300.0 },
    };
    let answer = doc.query(&ask).0;
    let Some(TimeReply::Found(Some(found))) = answer else { panic!("{answer:?}") };
    assert_eq!((found.head, found.to_open, found.to_show), (None, vec![vector.0], vec![vector.0]));
    let stale = TimelineQuery::FindTrack {
        track: lanescope::model::id::TrackId(999),
        frame: Box::default(),
        size: Size { w: 900.0, h: 300.0 },
    };
    assert_eq!(doc.query(&stale).0, Some(TimeReply::Found(None)));
}

/// A path leads to its row of the paths and to rows of the memories at both of its ends, of the same block.
#[test]
fn a_memory_path_leads_to_its_rows() {
    let unit = |id: u32| json!({"memory_path": id, "request": "5", "bandwidth": "2.5", "peak_ratio": "10", "display": 1});
    let core = |block: &str, paths: &[u32]| json!({"core_no": block, "op_type": "vector", "soc": "910B4", "memory_unit": paths.iter().map(|&p| unit(p)).collect::<Vec<_>>()});
    let graph = json!({"core_memory_map": [core("0", &[12, 13]), core("1", &[13, 12, 14])]});
    let row = |name: &str| json!({"name": name, "value": ["1", "2"]});
    let table = |name: &str, rows: &[&str]| json!({"table_name": name, "size": [2, 2], "header_name": ["", "requests", "throughput"], "row": rows.iter().map(|n| row(n)).collect::<Vec<_>>()});
    let tables = json!({"table_per_block": [
        {"block_id": "0", "table_op_type": "vector", "advice": [], "table_detail": [table("UB", &["Read", "Write"])]},
        {"block_id": "1", "table_op_type": "vector", "advice": [], "table_detail": [
            table("UB", &["Total", "VEC Write", "Vec Read"]), table("Cache", &["L2 Cache Write", "L2 Cache Read"])]},
    ]});
    let container = Container::default().json(8, &graph).json(9, &tables).0;
    let (mut doc, ready) = open_one("visualize_data.bin", container);
    assert!(ready);
    let rows = |doc: &mut Document, chosen: &[usize], words: &str| {
        let chart = frame("memory-graph", chosen);
        let at = place(doc, &chart, words);
        let rows = leads(doc, &chart, at).into_iter().map(|target| match target {
            Target::Rows { id, rows, .. } => (id, rows),
            other => panic!("{other:?}"),
        });
        rows.collect::<Vec<_>>()
    };
    let said = |list: &[(&str, u32)]| {
        list.iter().map(|(id, row)| ((*id).to_owned(), vec![*row])).collect::<Vec<_>>()
    };
    assert_eq!(rows(&mut doc, &[0, 0], "L2 → UB"), said(&[("memory-paths", 0), ("memory-table-ub", 1)]));
    // In block 1 the paths have another order, and there is a table of the cache.
    assert_eq!(
        rows(&mut doc, &[1, 1], "L2 → UB"),
        said(&[("memory-paths", 1), ("memory-table-cache", 1), ("memory-table-ub", 1)])
    );
    assert_eq!(rows(&mut doc, &[1, 0], "UB → Vector"), said(&[("memory-paths", 2), ("memory-table-ub", 2)]));
    // The file does not have this path.
    assert_eq!(rows(&mut doc, &[0, 0], "UB → Vector"), []);
    let chart = frame("memory-graph", &[0, 0]);
    // A box leads nowhere.
    let at = place(&mut doc, &chart, "GM");
    assert_eq!(leads(&mut doc, &chart, at), []);
}

/// Ten instructions at 0x100, 0x104, …, and cells with addresses.
fn cached() -> Document {
    let instruction = |i: u64| {
        json!({"Address": format!("{:#x}", 0x100 + 4 * i), "Source": format!("ADD X{i}"), "Pipe": "SCALAR",
            "AscendC Inner Code": "/a.cpp:1", "Instructions Executed": [1], "Cycles": [2]})
    };
    let code = json!({"Cores": ["core0"],
        "Instructions Dtype": {"Instructions": {"Address": 3, "Source": 3, "Pipe": 3, "AscendC Inner Code": 3,
            "Instructions Executed": 0, "Cycles": 0}},
        "Instructions": (0..10).map(instruction).collect::<Vec<_>>()});
    let side = |count: u32, ranges: Value| json!({"Value": [count, 0.5], "Address Range": ranges});
    let line = |id: u32, hit: Value, miss: Value| json!({"Cacheline Id": id, "Hit": side(7, hit), "Miss": side(3, miss)});
    let lines = json!({"Cacheline Records": [
        line(40, json!([]), json!([])),
        // 0x104 and 0x108 at both ends, and 0x118 between.
        line(41, json!([["0x116", "0x11a"], ["0x104", "0x108"]]), json!([["0x100", "0x100"]])),
        // No instruction lies there.
        line(42, json!([["0x101", "0x103"]]), json!([])),
    ]});
    let container = Container::default().block(4, 0, code.to_string().as_bytes()).json(0x0e, &lines).0;
    let (doc, ready) = open_one("visualize_data.bin", container);
    assert!(ready);
    doc
}

#[test]
fn a_cache_line_leads_to_its_instructions() {
    let mut doc = cached();
    let cell = |doc: &mut Document, id: &str, cell: usize| {
        let map = frame(id, &[0]);
        let size = size(doc, &map);
        let Body::HeatMap(body) = &family(doc, id).variants[0].body else { panic!("no map") };
        let layout = draw::heatmap::Layout::new(body, size, &map.state);
        let at = Point {
            x: layout.map.x + layout.map.w * (cell as f32 + 0.5) / body.width as f32,
            y: layout.map.y + layout.map.h / 2.0,
        };
        leads(doc, &map, at)
    };
    let passage = |ranges: &[(u64, u64)], first, n| {
        let of = ("Cache line".to_owned(), "41".to_owned());
        let (listing, listing_name) = (lanescope::model::id::ListingId(0), String::new());
        vec![Target::Instructions(Passage { of, listing, listing_name, ranges: ranges.to_vec(), first, n })]
    };
    let hits = [(0x104, 0x108), (0x116, 0x11a)];
    assert_eq!(cell(&mut doc, "cache-hit", 1), passage(&hits, 0x104, 3));
    assert_eq!(cell(&mut doc, "cache-miss", 1), passage(&[(0x100, 0x100)], 0x100, 1));
    assert_eq!(cell(&mut doc, "cache-hit", 0), []);
    assert_eq!(cell(&mut doc, "cache-hit", 2), []);
    // Only these instructions are shown, or they are marked among all.
    let listing = lanescope::model::id::ListingId(0);
    let arrange = Arrange { within: hits.to_vec(), ..Arrange::default() };
    let answer = doc.query(&CodeQuery::Rows { listing, core: 0, arrange, from: 0, n: 9 }).0;
    let Some(CodeReply::Rows { total, rows, .. }) = answer else { panic!("{answer:?}") };
    assert_eq!((total, rows.iter().map(|r| r.row).collect::<Vec<_>>()), (3, vec![1, 2, 6]));
}

/// Without instructions nothing can be gone to.
#[test]
fn a_cache_line_of_a_file_without_instructions_leads_nowhere() {
    let record = json!({"Cacheline Records": [{"Cacheline Id": 0,
        "Hit": {"Value": [1, 1.0], "Address Range": [["0x100", "0x200"]]}, "Miss": {"Value": [0, 0.0], "Address Range": []}}]});
    let files = vec![("visualize_data.bin".to_owned(), Container::default().json(0x0e, &record).0)];
    let (mut doc, ready) = open(files, 1 << 16);
    assert!(ready);
    assert_eq!(leads(&mut doc, &frame("cache-hit", &[0]), Point { x: 400.0, y: 20.0 }), []);
}
