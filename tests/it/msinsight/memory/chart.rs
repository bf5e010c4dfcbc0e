//! Each layout: every path is one arrow between the right boxes, and everything can be read.

use super::{block, core, family, graph_of};
use lanescope::base::geometry::{Rect, Size};
use lanescope::base::words::Language;
use lanescope::draw::style::DrawStyle;
use lanescope::draw::{draw, height, least_width};
use lanescope::model::figure::{BoxArrow, Figure, FigureState, GraphRole};
use lanescope::scene::palette::Palette;
use lanescope::scene::{Align, Shape, text};
use lanescope::wire::Query;
use serde_json::json;
use std::collections::BTreeMap;

/// A path: its id, and the boxes at its ends.
type Path = (u16, &'static str, &'static str);

const SHARED: [Path; 2] = [(0, "GM", "L2 Cache"), (1, "L2 Cache", "GM")];
const CUBE: [Path; 8] = [
    (2, "L2 Cache", "L1"),
    (3, "L1", "L2 Cache"),
    (6, "L0A", "Cube"),
    (7, "L0B", "Cube"),
    (8, "Cube", "L0C"),
    (11, "L0C", "Cube"),
    (9, "L0C", "L1"),
    (10, "L0C", "L2 Cache"),
];
const L0: [Path; 2] = [(4, "L1", "L0A"), (5, "L1", "L0B")];
const L0_SPLIT: [Path; 4] =
    [(35, "L2 Cache", "L0A"), (36, "L2 Cache", "L0B"), (37, "L1", "L0A"), (38, "L1", "L0B")];
const VECTOR: [Path; 4] =
    [(12, "L2 Cache", "UB"), (13, "UB", "L2 Cache"), (14, "UB", "Vector"), (15, "Vector", "UB")];
const VECTOR_1: [Path; 4] =
    [(16, "L2 Cache", "UB 1"), (17, "UB 1", "L2 Cache"), (18, "UB 1", "Vector 1"), (19, "Vector 1", "UB 1")];
/// The first lines of paths with two; the others are in [`FORKS`].
const SMALL: [Path; 12] = [
    (20, "L2 Cache", "L1"),
    (25, "L2 Cache", "UB"),
    (13, "UB", "L2 Cache"),
    (21, "L1", "L0A"),
    (22, "L1", "L0B"),
    (6, "L0A", "Cube"),
    (7, "L0B", "Cube"),
    (8, "Cube", "L0C"),
    (24, "L0C", "UB"),
    (23, "UB", "L0C"),
    (15, "Vector", "UB"),
    (14, "UB", "Vector"),
];
const FORKS: [Path; 3] = [(20, "UB", "L1"), (25, "L1", "UB"), (22, "L2 Cache", "L0B")];
const CUBE_A5: [Path; 9] = [
    (2, "L2 Cache", "L1"),
    (6, "L0A", "Cube"),
    (7, "L0B", "Cube"),
    (8, "Cube", "L0C"),
    (39, "L0C", "FIXP"),
    (41, "FIXP", "L1"),
    (40, "FIXP", "L2 Cache"),
    (37, "L1", "L0A"),
    (38, "L1", "L0B"),
];
const CACHE: [Path; 3] =
    [(48, "L2 Cache", "Dcache (SIMT)"), (52, "Vector", "Dcache (SIMT)"), (54, "Dcache (SIMT)", "Vector")];
const CACHE_1: [Path; 3] = [
    (49, "L2 Cache", "Dcache (SIMT) 1"),
    (53, "Vector 1", "Dcache (SIMT) 1"),
    (55, "Dcache (SIMT) 1", "Vector 1"),
];
const WRITTEN: [Path; 1] = [(50, "Dcache (SIMT)", "L2 Cache")];
const WRITTEN_1: [Path; 1] = [(51, "Dcache (SIMT) 1", "L2 Cache")];
const BETWEEN: [Path; 6] = [
    (42, "FIXP", "UB"),
    (43, "FIXP", "UB 1"),
    (44, "L1", "UB"),
    (45, "L1", "UB 1"),
    (46, "UB", "L1"),
    (47, "UB 1", "L1"),
];

/// Name, chip, type of operator, height, paths.
fn layouts() -> Vec<(&'static str, &'static str, &'static str, f32, Vec<Path>)> {
    let all = |parts: &[&[Path]]| [&[&SHARED[..]], parts].concat().concat();
    vec![
        ("cube910", "910B", "cube", 420.0, all(&[&CUBE, &L0])),
        ("cube910V2", "910B", "cube", 420.0, all(&[&CUBE, &L0_SPLIT])),
        ("vector910", "910B", "vector", 420.0, all(&[&VECTOR])),
        ("mix910", "910B", "mix", 670.0, all(&[&CUBE, &L0, &VECTOR, &VECTOR_1])),
        ("mix910V2", "910B", "mix", 670.0, all(&[&CUBE, &L0_SPLIT, &VECTOR, &VECTOR_1])),
        ("mix310", "310P", "AiCore", 420.0, all(&[&SMALL])),
        ("cubeA5", "910A5", "cube", 420.0, all(&[&CUBE_A5])),
        ("vectorA5", "910A5", "vector", 420.0, all(&[&VECTOR, &CACHE])),
        ("vectorA5V2", "910A5", "vector", 420.0, all(&[&VECTOR, &CACHE, &WRITTEN])),
        ("mixA5", "910A5", "mix", 670.0, all(&[&CUBE_A5, &VECTOR, &VECTOR_1, &CACHE, &CACHE_1, &BETWEEN])),
        (
            "mixA5V2",
            "910A5",
            "mix",
            670.0,
            all(&[&CUBE_A5, &VECTOR, &VECTOR_1, &CACHE, &CACHE_1, &BETWEEN, &WRITTEN, &WRITTEN_1]),
        ),
    ]
}

/// The charts of a layout: bandwidth and requests.
fn charts(soc: &str, op_type: &str, paths: &[Path]) -> [Figure; 2] {
    let ids: Vec<u16> = paths.iter().map(|path| path.0).collect();
    let doc = block(8, &json!({"core_memory_map": [core(soc, op_type, &ids)]}));
    let family = family(&doc, "memory-graph");
    assert_eq!(family.choices[1].options, ["Bandwidth", "Requests"]);
    [0, 1].map(|shown| family.variant(&[0, shown]).unwrap().clone())
}

/// Name and rectangle of every box but containers; boxes of the second vector core have a 1 behind their name.
fn boxes(graph: &BoxArrow) -> Vec<(String, [f32; 4])> {
    let second = graph.boxes.iter().find(|b| b.name == "veccore1").map(|b| b.rect);
    let is_second = |rect: [f32; 4]| second.is_some_and(|s| s[0] <= rect[0] && s[1] <= rect[1]);
    let plain = graph.boxes.iter().filter(|b| b.role != GraphRole::Container);
    plain
        .map(|b| (if is_second(b.rect) { format!("{} 1", b.name) } else { b.name.clone() }, b.rect))
        .collect()
}

/// The box whose edge a point lies on.
fn at_edge(boxes: &[(String, [f32; 4])], [px, py]: [f32; 2]) -> String {
    let on_edge = |[x, y, w, h]: [f32; 4]| {
        let near = |a: f32, b: f32| (a - b).abs() < 0.01;
        let (inside_x, inside_y) = ((x..=x + w).contains(&px), (y..=y + h).contains(&py));
        inside_y && (near(px, x) || near(px, x + w)) || inside_x && (near(py, y) || near(py, y + h))
    };
    let mut found = boxes.iter().filter(|(_, rect)| on_edge(*rect));
    let name = found.next().unwrap_or_else(|| panic!("no box has {px}, {py} on its edge")).0.clone();
    assert!(found.next().is_none(), "two boxes at {px}, {py}");
    name
}

#[test]
fn every_path_is_one_arrow_between_its_boxes() {
    for (name, soc, op_type, height, paths) in layouts() {
        let [bandwidth, requests] = charts(soc, op_type, &paths);
        let graph = graph_of(&bandwidth);
        assert_eq!((graph.width, graph.height), (1550.0, height), "{name}");
        assert!(bandwidth.notes.is_empty(), "{name}: {:?}", bandwidth.notes);
        let boxes = boxes(graph);
        let ends =
            |points: &[[f32; 2]]| (at_edge(&boxes, points[0]), at_edge(&boxes, points[points.len() - 1]));
        let drawn: BTreeMap<u16, (String, String)> =
            graph.arrows.iter().map(|a| (a.key.parse().unwrap(), ends(&a.points))).collect();
        assert_eq!(drawn.len(), graph.arrows.len(), "{name}: a path is drawn twice");
        let expected: BTreeMap<u16, (String, String)> =
            paths.iter().map(|(id, from, to)| (*id, ((*from).to_owned(), (*to).to_owned()))).collect();
        assert_eq!(drawn, expected, "{name}");
        let forks: Vec<(u16, String, String)> = graph
            .arrows
            .iter()
            .filter(|a| !a.branch.is_empty())
            .map(|a| {
                let (from, to) = ends(&a.branch);
                (a.key.parse().unwrap(), from, to)
            })
            .collect();
        let n_forks = if name == "mix310" { FORKS.len() } else { 0 };
        assert_eq!(forks.len(), n_forks, "{name}");
        for (id, from, to) in FORKS.iter().take(n_forks) {
            assert!(forks.contains(&(*id, (*from).to_owned(), (*to).to_owned())), "{forks:?}");
        }
        // The numbers of each are its own.
        for arrow in &graph.arrows {
            let id: f64 = arrow.key.parse().unwrap();
            assert_eq!(arrow.value, Some(12_000.5 + id), "{name}");
            assert!((arrow.peak_share.unwrap() - id % 51.0 * 0.02).abs() < 1e-12, "{name} {id}");
            assert!(arrow.detail.contains(&format!("Requests\t1,000,{id:03}")));
        }
        for arrow in &graph_of(&requests).arrows {
            assert_eq!(arrow.value, Some(1_000_000.0 + arrow.key.parse::<f64>().unwrap()), "{name}");
        }
    }
}

#[test]
fn boxes_do_not_touch_and_arrows_run_around_them() {
    for (name, soc, op_type, _, paths) in layouts() {
        let [figure, _] = charts(soc, op_type, &paths);
        let graph = graph_of(&figure);
        let boxes = boxes(graph);
        let rects: Vec<Rect> = boxes.iter().map(|(_, [x, y, w, h])| Rect::new(*x, *y, *w, *h)).collect();
        for (i, a) in rects.iter().enumerate() {
            assert!(
                0.0 <= a.x && a.x + a.w <= graph.width && 0.0 <= a.y && a.y + a.h <= graph.height,
                "{name}"
            );
            for b in &rects[i + 1..] {
                assert!(!overlap(*a, *b), "{name}: {a:?} {b:?}");
            }
        }
        for arrow in &graph.arrows {
            for pair in arrow.points.windows(2).chain(arrow.branch.windows(2)) {
                let [[ax, ay], [bx, by]] = [pair[0], pair[1]];
                assert!(ax == bx || ay == by, "{name} {}: lines are level or upright", arrow.key);
                let line = Rect::new(ax.min(bx), ay.min(by), (ax - bx).abs(), (ay - by).abs());
                for ((other, _), rect) in boxes.iter().zip(&rects) {
                    // Inside by more than the edge: ends lie on edges.
                    let inner = Rect::new(rect.x + 0.5, rect.y + 0.5, rect.w - 1.0, rect.h - 1.0);
                    assert!(!overlap(line, inner), "{name}: {} runs through {other}", arrow.key);
                }
            }
        }
        // Lines of different arrows cross at right angles, but never lie on each other.
        let stretches: Vec<(&str, [[f32; 2]; 2])> = graph
            .arrows
            .iter()
            .flat_map(|a| a.points.windows(2).chain(a.branch.windows(2)).map(|p| (&*a.key, [p[0], p[1]])))
            .collect();
        for (i, (one, a)) in stretches.iter().enumerate() {
            for (other, b) in &stretches[i + 1..] {
                let along = |axis: usize| {
                    let (low, high) = (a[0][axis].min(a[1][axis]), a[0][axis].max(a[1][axis]));
                    b[0][axis].min(b[1][axis]) < high && low < b[0][axis].max(b[1][axis])
                };
                for (across, axis) in [(0, 1), (1, 0)] {
                    let is_same =
                        [a[0], a[1], b[0], b[1]].iter().all(|p| (p[across] - a[0][across]).abs() < 6.0);
                    assert!(!(is_same && along(axis)), "{name}: {one} lies on {other}");
                }
            }
        }
    }
}

/// Strictly: touching edges do not overlap.
fn overlap(a: Rect, b: Rect) -> bool {
    a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h
}

/// Where texts stand when the chart is so wide.
fn texts(figure: &Figure, size: Size) -> Vec<(String, Rect)> {
    let palette = Palette::from_css(include_str!("../../../../style/tokens.css"), "light");
    let look = DrawStyle { palette: &palette, language: Language::En };
    let scene = draw(figure, size, &look, &FigureState::default());
    let place = |shape: &Shape| {
        let Shape::Text { at, text, font, align, .. } = shape else { return None };
        let w = text::width(text, *font);
        let left = match align {
            Align::Left => at.x,
            Align::Middle => at.x - w / 2.0,
            Align::Right => at.x - w,
        };
        // Letters from the baseline up, and a little below it.
        Some((text.clone(), Rect::new(left, at.y - 0.75 * font.size, w, 0.95 * font.size)))
    };
    scene.shapes.iter().filter_map(place).collect()
}

#[test]
fn every_number_can_be_read_at_every_width() {
    for (name, soc, op_type, _, paths) in layouts() {
        for figure in charts(soc, op_type, &paths) {
            for width in [least_width(&figure), 1_200.0, 1_550.0, 2_200.0] {
                let size = Size { w: width, h: height(&figure, width, Language::En) };
                let graph = graph_of(&figure);
                let (sx, sy) = (size.w / graph.width, size.h / graph.height);
                let texts = texts(&figure, size);
                let names: Vec<String> = graph.boxes.iter().map(|b| b.name.clone()).collect();
                for (i, (one, a)) in texts.iter().enumerate() {
                    let is_in = 0.0 <= a.x && a.x + a.w <= size.w && 0.0 <= a.y && a.y + a.h <= size.h;
                    assert!(is_in, "{name} {width}: {one} leaves the plane");
                    assert!(!one.contains('…'), "{name} {width}: {one} is cut");
                    for (other, b) in &texts[i + 1..] {
                        assert!(!overlap(*a, *b), "{name} {width}: {one} lies on {other}");
                    }
                }
                let numbers: Vec<&(String, Rect)> =
                    texts.iter().filter(|(text, _)| text.starts_with('1') && text.contains(',')).collect();
                assert_eq!(numbers.len(), graph.arrows.len(), "{name} {width}: every arrow has its number");
                for (number, a) in numbers {
                    for (other, [x, y, w, h]) in boxes(graph) {
                        let rect = Rect::new(x * sx, y * sy, w * sx, h * sy);
                        assert!(!overlap(*a, rect), "{name} {width}: {number} lies on {other}");
                    }
                    for arrow in &graph.arrows {
                        for pair in arrow.points.windows(2).chain(arrow.branch.windows(2)) {
                            let [[ax, ay], [bx, by]] = [pair[0], pair[1]];
                            let line = Rect::new(
                                ax.min(bx) * sx - 0.5,
                                ay.min(by) * sy - 0.5,
                                (ax - bx).abs() * sx + 1.0,
                                (ay - by).abs() * sy + 1.0,
                            );
                            assert!(!overlap(*a, line), "{name} {width}: {} crosses {number}", arrow.key);
                        }
                    }
                }
                assert!(names.iter().all(|n| texts.iter().any(|(text, _)| text == n)), "{name}: {texts:?}");
            }
        }
    }
}

#[test]
fn the_chart_follows_chip_operator_and_paths() {
    let has = |soc: &str, op_type: &str, paths: &[u16], key: &str| {
        let doc = block(8, &json!({"core_memory_map": [core(soc, op_type, paths)]}));
        let figure = family(&doc, "memory-graph").variants[0].clone();
        graph_of(&figure).arrows.iter().any(|a| a.key == key)
    };
    assert!(has("910A5", "AiCore", &[0], "42"), "any other operator of A5 is mixed");
    assert!(!has("910A5", "cube", &[35], "35"), "A5 has no path around L1");
    assert!(has("Ascend910B4", "aic", &[0], "4"), "a long name holds the number too");
    assert!(has("310P", "vector", &[0], "20"), "310 has one chart");
    assert!(!has("910B", "vector", &[35], "35"));
    assert!(!has("910A5", "vector", &[12], "50"));
    // Names outside the lists: the paths tell chip and units.
    assert!(has("950", "VECTOR", &[12, 48], "54"), "a vector unit with a data cache");
    assert!(!has("950", "VECTOR", &[12, 48], "2"));
    assert!(has("950", "mix", &[0], "42"));
    assert!(has("9999", "simt", &[12, 13, 48], "52"), "only newer chips have data caches");
    assert!(has("9999", "simt", &[2, 39, 12], "42"), "cube and vector");
    assert!(has("", "", &[2, 4, 6], "11") && !has("", "", &[2, 4, 6], "12"), "a cube");
    assert!(has("910B", "AiCore", &[2, 12], "16"), "cube and vector");
    assert!(has("", "AiCore", &[0, 20], "25"), "only 310 has these");
}

/// A saved chart stands alone: it says of which block it is, and what its numbers are.
#[test]
fn a_saved_chart_names_its_block() {
    let cores = ["3", "7"].map(|block| {
        let mut one = core("910B", "vector", &[12, 13]);
        one["core_no"] = json!(block);
        one
    });
    let mut doc = block(8, &json!({"core_memory_map": cores}));
    let options = family(&doc, "memory-graph").choices[0].options.clone();
    assert_eq!(options, ["3", "7", "All blocks"]);
    let mut saved = |chosen: &str| {
        let (answer, bytes) = doc.query(&Query::Export { id: format!("figure-svg:memory-graph:{chosen}") });
        let svg = String::from_utf8(bytes.unwrap_or_else(|| panic!("{answer:?}"))).unwrap();
        let texts = svg.split("</text>").filter_map(|part| Some(part.rsplit_once('>')?.1.to_owned()));
        texts.take(2).collect::<Vec<_>>()
    };
    for (chosen, scope) in [
        ("0,0", "GB/s, Block ID 3"),
        ("1,0", "GB/s, Block ID 7"),
        ("2,0", "GB/s, Block ID All blocks"),
        ("1,1", "requests, Block ID 7, Show as Requests"),
    ] {
        assert_eq!(saved(chosen), ["Memory chart", scope], "{chosen}");
    }
}
