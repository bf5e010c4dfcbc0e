//! Rooflines: order of the charts, distance to the roof, what bounds, what is left out.

use super::{family, hovered, of_block, of_json, payload, table, text};
use crate::support::front_door::open_one;
use crate::support::make_ascend::{Container, NO_VERSION};
use lanescope::base::geometry::{Point, Size};
use lanescope::base::words::Language;
use lanescope::draw;
use lanescope::draw::chart;
use lanescope::draw::style::{DrawStyle, S0};
use lanescope::model::figure::{Body, Cell, Figure, FigureState, Roofline};
use lanescope::model::files::BlockState;
use lanescope::scene::palette::Palette;
use lanescope::scene::{self, Align, Shape};
use serde_json::{Value, json};

fn roofline(figure: &Figure) -> &Roofline {
    match &figure.body {
        Body::Roofline(roofline) => roofline,
        other => panic!("{other:?}"),
    }
}

#[test]
fn rooflines_come_in_the_order_of_the_tabs_with_distance_and_bound() {
    let roof = |bw: f64, point: [f64; 2], ratio: Value| {
        json!({"bw": bw, "bw_name": format!("path {bw}"), "computility": 320.0, "computility_name": "Cube_FP(100%)",
            "point": point, "ratio": ratio})
    };
    let block = json!({"advice": "latency bound:pipeline caused", "multiple_rooflines": [
        {"title": "Pipe Line Cube", "rooflines": [roof(4.0, [40.0, 20.0], json!("0.125"))]},
        {"title": "Something new", "rooflines": [roof(4.0, [0.0, 20.0], json!(0.1))]},
        {"title": "GM/L2", "rooflines": [
            roof(2.0, [10.0, 5.0], json!("NA")),
            // 40 of min(320, 8 · 80) is 0.125; the file says 0.2.
            roof(8.0, [80.0, 40.0], json!(0.2)),
            roof(0.0, [1.0, 1.0], json!("NA")),
        ]},
    ]});
    let doc = of_json(0x0d, &block);
    let ids: Vec<&str> = doc.trace().figures.iter().map(|f| f.id.as_str()).collect();
    assert_eq!(ids, ["roofline-chart", "roofline-values"]);
    let charts = family(&doc, "roofline-chart");
    assert_eq!(charts.choices[0].options, ["GM/L2", "Pipe Line Cube", "Something new"]);
    let first = &charts.variants[0];
    assert_eq!(first.scope, "memory unit");
    assert_eq!(first.advice[0].text, "latency bound:pipeline caused");
    assert_eq!(
        first.notes,
        [
            "Roofs not drawn because log axes only show positive values: 1. See the table.",
            "Shares missing from the file, computed as performance ÷ roof: 1.",
            "Nearest roof: path 2, 25.0 % reached.",
            "path 8: 20 % of the roof in the file, but performance ÷ roof is 12.5 %.",
        ]
    );
    let points: Vec<_> = roofline(first).roofs.iter().map(|r| r.point.clone().unwrap()).collect();
    // Left of the ridge at 160: 2 · 10 = 20 are possible, 5 are reached.
    assert_eq!((points[0].share, points[0].is_share_computed), (Some(0.25), true));
    assert_eq!((points[1].share, points[1].is_share_computed), (Some(0.2), false));
    let said = hovered(first, &FigureState::default());
    let of_point = said.iter().find(|s| s.starts_with("path 2 ·")).expect("the point can be hovered");
    assert_eq!(
        of_point.lines().collect::<Vec<_>>(),
        [
            "path 2 · Cube_FP(100%)",
            "Bandwidth\t2 TB/s",
            "Arithmetic intensity\t10 Ops/Byte",
            "Performance\t5 TOps/s",
            "Share of roof\t25 % (computed)",
            "Roof at this point\t20 TOps/s",
            "Distance to roof\t4×, 75 %",
            "Bound by\tmemory (left of ridge)",
        ]
    );
    let rows = table(&doc, "roofline-values").rows;
    assert_eq!(rows.len(), 5);
    let numbers = [8.0, 320.0, 80.0, 40.0, 0.2, 0.125, 8.0].map(Cell::Number);
    assert_eq!(rows[1][..3], [text("GM/L2"), text("path 8"), text("Cube_FP(100%)")]);
    assert_eq!((&rows[1][3..10], &rows[1][10]), (&numbers[..], &text("compute")));
    assert_eq!(rows[2][3], Cell::Number(0.0), "what is not drawn is in the table");
    assert!(doc.faults().rows().is_empty(), "{:?}", doc.faults().rows());
    assert_eq!(doc.trace().blocks[0].state, BlockState::Read);
}

#[test]
fn labels_belong_to_their_points_and_near_slopes_are_all_named() {
    let roofs = [("FIXP", 4.45, 80.0), ("MTE1", 6.42, 66.0), ("MTE2", 5.2, 35.0), ("MTE3", 4.45, 129.0)];
    let json_of = |(name, bw, x): (&str, f64, f64)| json!({"bw": bw, "bw_name": name, "computility": 320.0, "computility_name": "Cube", "point": [x, 16.0], "ratio": "NA"});
    let all: Vec<Value> = roofs.into_iter().map(json_of).collect();
    let doc = of_json(0x0d, &json!({"multiple_rooflines": [{"title": "Pipe Line Cube", "rooflines": all}]}));
    let figure = &family(&doc, "roofline-chart").variants[0];
    let palette = Palette::default();
    let look = DrawStyle { palette: &palette, language: Language::En };
    for w in [500.0, 700.0] {
        let size = Size { w, h: draw::height(figure, w, Language::En) };
        let shapes = draw::draw(figure, size, &look, &FigureState::default()).shapes;
        let dots: Vec<(&str, Point)> = shapes
            .iter()
            .filter_map(|shape| match shape {
                Shape::Hit { rect, name } => {
                    Some((name.split_once(" · ")?.0, Point { x: rect.x + 7.0, y: rect.y + 7.0 }))
                }
                _ => None,
            })
            .collect();
        assert_eq!(dots.len(), 4, "{dots:?}");
        let mut labels = 0;
        let mut slopes = Vec::new();
        for shape in &shapes {
            let Shape::Text { at, text, font, align, turn, .. } = shape else { continue };
            if *turn != 0.0 {
                slopes.push(text.as_str());
            }
            let Some((name, own)) = dots.iter().find(|(name, _)| text.starts_with(&format!("{name} ")))
            else {
                continue;
            };
            if *turn != 0.0 || !text.ends_with('%') {
                continue;
            }
            labels += 1;
            let width = scene::text::width(text, *font);
            let x = if *align == Align::Right { at.x - width } else { at.x };
            let far = |dot: Point| {
                let dx = (x - dot.x).max(dot.x - x - width).max(0.0);
                dx.hypot((at.y - 10.0 - dot.y).max(dot.y - at.y - 3.0).max(0.0))
            };
            let is_nearest = dots.iter().all(|(other, dot)| other == name || far(*own) < far(*dot));
            let leads = |shape: &Shape| matches!(shape, Shape::Path { points, stroke } if stroke.dash == 0.0 && points.len() == 2 && (points[0].x - own.x).hypot(points[0].y - own.y) < 0.1);
            assert!(is_nearest || shapes.iter().any(leads), "{w}: {text} at {at:?}, {dots:?}");
        }
        assert_eq!(labels, 3, "all but the nearest to its roof");
        // Larger than the rim of a point.
        let ground =
            |shape: &&Shape| matches!(shape, Shape::Fill { rect, ink, .. } if *ink == S0 && 12.0 < rect.w);
        assert_eq!(shapes.iter().filter(ground).count(), 0, "nothing covers lines");
        let has_all = |text: &&str| roofs.iter().all(|(name, ..)| text.contains(name));
        assert!(slopes.iter().any(has_all), "{slopes:?}");
    }
}

/// Two known titles begin with "Memory Unit(", one with "Memory Unit(C".
#[test]
fn a_title_that_was_cut_with_its_block_is_whole_or_says_so() {
    const TITLE: &str = "Memory Unit(Cube)";
    let roof = json!({"bw": 2.0, "bw_name": "L1", "computility": 10.0, "computility_name": "Cube",
        "point": [1.0, 1.0], "ratio": "0.5"});
    let payload = json!({"multiple_rooflines": [{"rooflines": [roof], "title": TITLE}]}).to_string();
    let whole = Container::default().block(0x0d, NO_VERSION, payload.as_bytes()).0;
    let at = whole.windows(TITLE.len()).position(|part| part == TITLE.as_bytes()).unwrap();
    for (letters, shown) in [(16, TITLE), (13, TITLE), (12, "Memory Unit(…"), (9, "Memory Un")] {
        let (doc, ready) = open_one("visualize_data.bin", whole[..at + letters].to_vec());
        assert!(ready);
        assert_eq!(family(&doc, "roofline-chart").choices[0].options, [shown], "{letters} letters");
    }
    // A number that is cut is left out, as before: what is left of it is another number.
    let end = whole.windows(3).position(|part| part == b"0.5").unwrap() + 2;
    let (doc, _) = open_one("visualize_data.bin", whole[..end].to_vec());
    let point = roofline(&family(&doc, "roofline-chart").variants[0]).roofs[0].point.clone().unwrap();
    assert!(point.is_share_computed, "{point:?}");
}

#[test]
fn names_of_the_legend_switch_roofs() {
    let roof = |bw_name: &str, name: &str| json!({"bw": 2.0, "bwName": bw_name, "computility": "10.0", "computilityName": name, "point": ["1.0", "1.0"]});
    let roofs = [roof("L1", "Cube"), roof("L2", "Cube"), roof("L1", "Vector")];
    let doc = of_json(0x0d, &json!({"multiple_rooflines": [{"title": "Memory Unit", "rooflines": roofs}]}));
    let figure = &family(&doc, "roofline-chart").variants[0];
    let of_points = |hidden: &[usize]| {
        let state = FigureState { hidden: hidden.to_vec(), ..FigureState::default() };
        hovered(figure, &state).iter().filter(|s| s.contains('·')).cloned().collect::<Vec<_>>().len()
    };
    let series = |name: &str| chart::series(&figure.body, name).expect("a name of the legend");
    assert_eq!(of_points(&[]), 3);
    assert_eq!(of_points(&[series("L1")]), 1);
    assert_eq!(of_points(&[series("Cube")]), 1);
    assert_eq!(of_points(&[series("Vector"), series("L2")]), 1);
    assert!(hovered(figure, &FigureState::default()).contains(&"Vector".to_owned()));
}

#[test]
fn the_rooflines_of_a_device_have_the_numbers_of_their_payload() {
    let Some(bytes) = payload("L52__ROOFLINE_DATA_JSON") else { return };
    let doc = of_block(0x0d, &bytes);
    let charts = family(&doc, "roofline-chart");
    let expected = [
        "Memory Unit(Cube)",
        "Memory Unit(Vector)",
        "Memory Pipe Cube",
        "Pipe Line Cube",
        "Pipe Line Vector",
    ];
    assert_eq!(charts.choices[0].options, expected);
    let roofs = &roofline(&charts.variants[3]).roofs;
    let mte2 = roofs.iter().find(|r| r.bandwidth_name == "MTE2").unwrap();
    let point = mte2.point.as_ref().unwrap();
    // 5.207109 · 34.860416 = 181.522004, below the ceiling of 324.403: memory bound, 11.802 times away.
    assert!((mte2.limit(point.x) - 181.522_003_776_8).abs() < 1e-9);
    assert!(mte2.is_memory_bound(point.x));
    let fixp = &roofs[0];
    assert!(!fixp.is_memory_bound(fixp.point.as_ref().unwrap().x));
    let table = table(&doc, "roofline-values");
    let row = table.rows.iter().find(|r| r[1] == text("MTE2")).unwrap();
    assert_eq!(row[7], Cell::Number(0.084731));
    assert!((row[9].as_number().unwrap() - 11.802_053_032_6).abs() < 1e-9);
    // All ratios of the file agree with performance ÷ roof. The nearest roof is the one with the largest ratio.
    let notes = |at: usize| charts.variants[at].notes.iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(notes(3), ["Nearest roof: MTE2, 8.5 % reached."]);
    assert_eq!(notes(0), ["Nearest roof: Cube_FP(100%), 4.7 % reached."]);
    assert!(charts.variants.iter().all(|variant| variant.notes.len() == 1));
}

/// How far above the line of a text a piece of a path runs at some places of it; nothing of one in another direction.
fn above(at: Point, turn: f32, width: f32, [from, to]: [Point; 2]) -> Vec<f32> {
    let (dx, dy) = (turn.to_radians().cos(), turn.to_radians().sin());
    let (px, py) = (to.x - from.x, to.y - from.y);
    if 0.1 * px.hypot(py) < (px * dy - py * dx).abs() {
        return Vec::new();
    }
    let place = |n: u8| {
        let along = width * f32::from(n) / 10.0;
        let (x, y) = (at.x + dx * along, at.y + dy * along);
        let part = ((x - from.x) * px + (y - from.y) * py) / (px * px + py * py);
        let (lx, ly) = (from.x + px * part - x, from.y + py * part - y);
        (0.0..=1.0).contains(&part).then_some(lx * dy - ly * dx)
    };
    (0..=10).filter_map(place).collect()
}

#[test]
fn names_along_slopes_lie_on_no_line() {
    let charts: [&[(&str, f64, f64)]; 3] = [
        &[("MTE2 vector", 4.142_578, 1.637), ("MTE3 vector", 4.576_641, 3.35)],
        &[
            ("FIXP", 4.450_547, 80.5),
            ("MTE1", 6.420_711, 66.3),
            ("MTE2", 5.207_109, 34.9),
            ("MTE3", 4.450_547, 128.9),
        ],
        &[("Read from UB", 9.220_094, 3.35), ("UB Read + Write", 36.880_375, 0.0936)],
    ];
    for roofs in charts {
        let ceiling = if roofs.len() == 4 { 324.4 } else { 4.444_128 };
        let of = |(name, bw, x): &(&str, f64, f64)| {
            json!({"bw": bw, "bw_name": name, "computility": ceiling,
            "computility_name": "Vec", "point": [x, ceiling / 12.0], "ratio": "NA"})
        };
        let all: Vec<Value> = roofs.iter().map(of).collect();
        let doc =
            of_json(0x0d, &json!({"multiple_rooflines": [{"title": "Pipe Line Cube", "rooflines": all}]}));
        let figure = &family(&doc, "roofline-chart").variants[0];
        let palette = Palette::default();
        let look = DrawStyle { palette: &palette, language: Language::En };
        for w in [400.0, 520.0, 760.0, 1_000.0, 1_600.0] {
            let size = Size { w, h: draw::height(figure, w, Language::En) };
            let shapes = draw::draw(figure, size, &look, &FigureState::default()).shapes;
            let paths = || {
                shapes.iter().filter_map(|shape| match shape {
                    Shape::Path { points, .. } => Some(points),
                    _ => None,
                })
            };
            let (mut n, mut n_lines) = (0, 0);
            for shape in &shapes {
                let Shape::Text { at, text, font, turn, .. } = shape else { continue };
                // The name of an axis stands upright.
                if *turn == 0.0 || 80.0 < turn.abs() {
                    continue;
                }
                n += 1;
                let width = scene::text::width(text, *font);
                for pair in paths().flat_map(|points| points.windows(2)) {
                    let off = above(*at, *turn, width, [pair[0], pair[1]]);
                    n_lines += usize::from(!off.is_empty());
                    assert!(
                        off.iter().all(|off| !(-1.0..9.0).contains(off)),
                        "{w}: {text}: {off:?} {pair:?}"
                    );
                }
            }
            assert!(0 < n && n <= n_lines, "{w}: {n} names along {n_lines} lines");
        }
    }
}
