//! Colors: that every one can be written on, that a name has the same everywhere, and that cores, memory charts and
//! timelines take those of a color scheme.

use crate::support::front_door::{open_case, open_one};
use lanescope::base::geometry::Size;
use lanescope::base::unit::Unit;
use lanescope::base::words::Language;
use lanescope::document::Document;
use lanescope::draw::colors::Colors;
use lanescope::draw::graph::peak_ink;
use lanescope::draw::style::{DrawStyle, name_ink};
use lanescope::draw::{ColorBy, draw, legend};
use lanescope::model::figure::{
    Body, CoreCell, CoreGrid, CoreRow, Figure, FigureState, GraphRole, Matrix, MatrixCell,
};
use lanescope::scene::palette::{Ink, OWN, Palette, RampName};
use lanescope::scene::{Scene, Shape};
use lanescope::views::timeline::messages::{FlowsShown, Folding, Frame, Note, RowKind};

const SIZE: Size = Size { w: 1_200.0, h: 900.0 };

/// The color scheme that is chosen for everything.
const CHOSEN: &str = "mindstudio";

fn palette(theme: &str, scheme: &str) -> Palette {
    Palette::with_scheme(include_str!("../../style/tokens.css"), theme, scheme)
}

/// Color `n` of slices in the scheme.
fn scheme_ink(n: usize) -> Ink {
    let names =
        ["ms-0", "ms-1", "ms-2", "ms-3", "ms-4", "ms-5", "ms-6", "ms-7", "ms-8", "ms-9", "ms-10", "ms-11"];
    Ink::Token(names[n])
}

/// The contrast of two colors, 1 to 21, by WCAG 2.2.
fn contrast(a: u32, b: u32) -> f64 {
    let luminance = |color: u32| {
        let linear = |shift: u32| {
            let c = f64::from(color >> shift & 0xff) / 255.0;
            if c <= 0.040_45 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
        };
        0.212_6 * linear(24) + 0.715_2 * linear(16) + 0.072_2 * linear(8)
    };
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

#[test]
fn every_color_of_the_scheme_is_there_and_can_be_written_on() {
    for theme in ["light", "dark"] {
        let palette = palette(theme, CHOSEN);
        let boxes = ["chart-core", "box-0", "box-1", "box-2"].map(Ink::Token);
        let fills = (0..12).map(scheme_ink).chain((0..=10).map(Ink::Level)).chain(boxes);
        for fill in fills {
            let color = palette.rgba(fill);
            assert_eq!(color & 0xff, 0xff, "{theme}: {} is missing", fill.name());
            let ink = palette.rgba(palette.ink_on(color));
            // Neither ink has 4.5 on this one; it is the scheme's color all the same.
            let least = if color == 0xd53f_78ff { 4.4 } else { 4.5 };
            let has = contrast(color, ink);
            assert!(least <= has, "{theme}: {has} on {}", fill.name());
        }
        for line in (0..=5).map(Ink::Peak).chain([Ink::Token("chart-line")]) {
            assert_eq!(palette.rgba(line) & 0xff, 0xff, "{theme}: {} is missing", line.name());
        }
    }
    let color = |theme, ink| palette(theme, CHOSEN).rgba(ink) >> 8;
    assert_eq!((color("light", Ink::Level(7)), color("dark", Ink::Level(7))), (0xef5353, 0xef5353));
    assert_eq!((color("light", scheme_ink(4)), color("dark", scheme_ink(4))), (0xd53f78, 0xec4f83));
    assert_eq!((color("light", Ink::Peak(5)), color("dark", Ink::Peak(5))), (0xe9e9e9, 0xffffff));
    let plain = Ink::Token("chart-line");
    assert_eq!((color("light", plain), color("dark", plain)), (0x000000, 0x808080));
}

/// All colors of slices.
const SLICES: std::ops::RangeInclusive<u8> = 1..=34;

#[test]
fn every_color_of_slices_can_be_written_on_and_told_from_the_others() {
    for theme in ["light", "dark"] {
        let palette = palette(theme, OWN);
        let color = |ink| palette.rgba(ink);
        assert!(!palette.has(Ink::Slice(35)), "there is one more than is tested here");
        for n in SLICES {
            assert_eq!(color(Ink::Slice(n)) & 0xff, 0xff, "{theme}: {n} is missing");
            let written = contrast(color(Ink::Slice(n)), color(Ink::OnSlice(n)));
            assert!(4.5 <= written, "{theme}: {written} on {n}");
            let seen = contrast(color(Ink::Slice(n)), color(Ink::Token("s0")));
            assert!(1.3 <= seen, "{theme}: {seen} of {n} on the ground");
            for other in SLICES.filter(|&other| n < other) {
                let far = distance(color(Ink::Slice(n)), color(Ink::Slice(other)));
                assert!(0.08 <= far, "{theme}: {n} and {other} are only {far} apart");
            }
        }
    }
}

/// How far two colors are apart, by OKLab: 1 from black to white, 0.02 can just be told apart.
fn distance(a: u32, b: u32) -> f64 {
    let lab = |color: u32| {
        let linear = |shift: u32| {
            let c = f64::from(color >> shift & 0xff) / 255.0;
            if c <= 0.040_45 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
        };
        let mixed = |of: [f64; 3]| (of[0] * linear(24) + of[1] * linear(16) + of[2] * linear(8)).cbrt();
        let l = mixed([0.412_221_5, 0.536_332_5, 0.051_446_0]);
        let m = mixed([0.211_903_5, 0.680_699_5, 0.107_397_0]);
        let s = mixed([0.088_302_5, 0.281_718_8, 0.629_978_7]);
        let of = |x: f64, y: f64, z: f64| x * l + y * m + z * s;
        [
            of(0.210_454_3, 0.793_617_8, -0.004_072_0),
            of(1.977_998_5, -2.428_592_2, 0.450_593_7),
            of(0.025_904_0, 0.782_771_8, -0.808_675_8),
        ]
    };
    let (a, b) = (lab(a), lab(b));
    (0..3).map(|i| (a[i] - b[i]).powi(2)).sum::<f64>().sqrt()
}

/// The colors of names, each of a slice that takes so long.
fn inks_of(names: &[(String, usize)]) -> Vec<String> {
    let event = |(i, (name, dur)): (usize, &(String, usize))| {
        format!(r#"{{"ph":"X","name":"{name}","pid":1,"tid":1,"ts":{},"dur":{dur}}}"#, 10_000 * i)
    };
    let events: Vec<String> = names.iter().enumerate().map(event).collect();
    let (doc, _) = open_one("trace.json", format!("[{}]", events.join(",")).into_bytes());
    let (trace, timeline) = (doc.trace(), &doc.derived().timeline);
    let colors = Colors::new(trace, timeline.names(), ColorBy::Name);
    let track = trace.tracks.iter().find(|(_, t)| !t.slices.is_empty()).unwrap().0;
    assert_eq!(
        colors.legend(timeline.names().top(), &[]).len(),
        if names.len() <= 12 { names.len() } else { 11 }
    );
    let ink = |(name, _): &(String, usize)| {
        colors.paint(track, trace.strings.find(name).unwrap()).ink.name().into_owned()
    };
    names.iter().map(ink).collect()
}

#[test]
fn a_name_has_the_same_color_in_every_file_and_none_is_gray() {
    let names: Vec<String> = (0..1_000).map(|i| format!("aten::operator_{i}")).collect();
    let own = |name: &String| name_ink(name).name().into_owned();
    for name in names.iter().step_by(100) {
        assert_eq!(inks_of(&[(name.clone(), 5)]), [own(name)]);
    }
    let inks: std::collections::BTreeSet<_> = names.iter().map(own).collect();
    assert_eq!(inks.len(), 33);
    assert!(!inks.contains("p9"));
    // The one with most time has it among many too, and so have all that are not among the 33 with most.
    let many: Vec<(String, usize)> = names.iter().cloned().zip((1..=1_000).rev()).collect();
    let inks = inks_of(&many);
    assert_eq!(inks[0], own(&names[0]));
    assert!(inks.iter().zip(&names).skip(33).all(|(ink, name)| *ink == own(name)));
}

#[test]
fn no_two_names_have_one_color_while_colors_are_left() {
    for n in [2, 5, 12, 20, 33, 60] {
        for seed in 0..8_usize {
            // In any order in the file, each with another time.
            let named = |i: usize| (format!("kernel_{}", seed * 1_000 + i), 10 + (i * 37 + seed) % n);
            let mut all: Vec<(String, usize)> = (0..n).map(named).collect();
            let inks = inks_of(&all);
            let mut most: Vec<usize> = (0..n).collect();
            most.sort_by(|a, b| all[*b].1.cmp(&all[*a].1).then_with(|| all[*a].0.cmp(&all[*b].0)));
            let first: std::collections::BTreeSet<&String> =
                most.iter().take(33).map(|at| &inks[*at]).collect();
            assert_eq!(first.len(), n.min(33), "{n} {seed}: {inks:?}");
            // Where it stands in the file is no matter.
            let before: std::collections::BTreeMap<String, String> =
                all.iter().map(|of| of.0.clone()).zip(inks).collect();
            all.reverse();
            let inks = inks_of(&all);
            assert!(all.iter().zip(&inks).all(|(of, ink)| before[&of.0] == *ink), "{n} {seed}");
        }
    }
}

/// One core of a cell for each level, and one whose values are all equal.
fn grid(is_difference: bool) -> Figure {
    let core = |level: Option<u8>| CoreRow {
        name: level.map_or("equal".to_owned(), |l| l.to_string()),
        is_measured: true,
        cells: vec![CoreCell {
            name: "cube".to_owned(),
            value: Some(f64::from(level.unwrap_or(5))),
            level,
            pair: is_difference.then_some((Some(1.0), Some(2.0))),
            ..CoreCell::default()
        }],
    };
    let cores = (0..=10).map(Some).chain([None]).map(core).collect();
    Figure::new(
        "Cores",
        Body::Cores(CoreGrid { cores, is_difference, is_by_level: true, ..CoreGrid::default() }),
    )
}

fn fills(scene: &Scene) -> Vec<Ink> {
    let fill = |shape: &Shape| if let Shape::Fill { ink, .. } = shape { Some(*ink) } else { None };
    scene.shapes.iter().filter_map(fill).collect()
}

#[test]
fn cores_have_the_colors_of_their_levels() {
    let levels: Vec<Ink> = (0..=10).map(Ink::Level).collect();
    let cells: Vec<Ink> = levels.iter().copied().chain([Ink::Level(0)]).collect();
    let drawn = |scheme, is_difference| {
        let (palette, figure) = (palette("light", scheme), grid(is_difference));
        let look = DrawStyle { palette: &palette, language: Language::En };
        let scene = draw(&figure, SIZE, &look, &FigureState::default());
        (fills(&scene), legend(&figure, &look, None).unwrap())
    };
    let (inks, key) = drawn(CHOSEN, false);
    assert_eq!((inks, fills(&key)), (cells, levels));
    let words: Vec<&str> = key.shapes.iter().filter_map(text).collect();
    assert_eq!(words, ["Level 0", "10"]);
    // The look's own colors follow the levels on the ramp of better and worse, each level in its own.
    let (inks, key) = drawn(OWN, false);
    assert_eq!(inks[..11], fills(&key));
    assert!((1..11).all(|level| !inks[..level].contains(&inks[level])), "{inks:?}");
    assert_eq!([inks[0], inks[5], inks[10]], [0, 4, 8].map(|stop| Ink::Stop(RampName::Div, stop)));
    for (inks, key) in [drawn(OWN, true), drawn(CHOSEN, true)] {
        assert!(inks.iter().chain(&fills(&key)).all(|ink| matches!(ink, Ink::Stop(..))), "{inks:?}");
    }
}

#[test]
fn the_same_relative_change_of_cores_has_one_color_whatever_they_take() {
    let core = |before: f64, after: f64| CoreRow {
        name: before.to_string(),
        is_measured: true,
        cells: vec![CoreCell {
            name: "cube".to_owned(),
            value: Some(after - before),
            pair: Some((Some(before), Some(after))),
            ..CoreCell::default()
        }],
    };
    let cores = vec![core(540_000.0, 432_000.0), core(216_000.0, 172_800.0), core(100_000.0, 110_000.0)];
    let body =
        Body::Cores(CoreGrid { cores, unit: Unit::Cycles, is_difference: true, ..CoreGrid::default() });
    let (figure, palette) = (Figure::new("Cores", body), palette("light", OWN));
    let look = DrawStyle { palette: &palette, language: Language::En };
    let inks = fills(&draw(&figure, SIZE, &look, &FigureState::default()));
    assert!(inks[0] == inks[1] && inks[0] != inks[2], "{inks:?}");
    let key = legend(&figure, &look, None).unwrap();
    let words: Vec<&str> = key.shapes.iter().filter_map(text).collect();
    assert_eq!(words, ["−20 %", "+20 %"]);
}

#[test]
fn cores_of_one_kind_are_compared_and_equal_texts_have_equal_colors() {
    let cell = |name: &str, value: f64, level: u8| CoreCell {
        name: name.to_owned(),
        value: Some(value),
        level: Some(level),
        ..CoreCell::default()
    };
    let core = |name: &str, cells: Vec<CoreCell>| CoreRow { name: name.to_owned(), is_measured: true, cells };
    let palette = palette("light", OWN);
    let look = DrawStyle { palette: &palette, language: Language::En };
    for (low, high, texts) in [
        (219_790.0, 408_574.0, ["220k", "409k"]),
        (10_670_742.0, 10_670_800.0, ["10.6707M", "10.6708M"]),
        (5_928.19, 5_928.2, ["5,928.19", "5,928.2"]),
        (0.000_26, 0.000_27, ["0.00026", "0.00027"]),
    ] {
        let cores = vec![core("0", vec![cell("vector 0", low, 3), cell("vector 1", high, 7)])];
        let figure = Figure::new("Cores", Body::Cores(CoreGrid { cores, ..CoreGrid::default() }));
        let scene = draw(&figure, SIZE, &look, &FigureState::default());
        let inks = fills(&scene);
        // What hardly differs has one color, though its numbers tell it apart.
        assert_eq!(inks[0] != inks[1], 1.01 < high / low, "{low} {high}");
        let shown: Vec<&str> = scene.shapes.iter().filter_map(text).collect();
        assert!(texts.iter().all(|text| shown.contains(text)), "{shown:?}");
        let hits = scene
            .shapes
            .iter()
            .filter_map(|s| if let Shape::Hit { name, .. } = s { Some(name) } else { None });
        let hits: Vec<&String> = hits.collect();
        // Above the mean of both units, and the first of two.
        assert!(hits[1].contains("From mean\t+") && hits[1].contains("Rank\t1 of 2"), "{hits:?}");
        assert!(hits[0].contains("From mean\t−") && !hits[0].contains("−0.0 %"), "{hits:?}");
    }
    // Values that are written alike have one color, whatever is behind the seventh digit.
    let columns = vec!["x".to_owned()];
    let cells = [1.000_000_01, 1.000_000_02, 1.000_000_03]
        .map(|v| MatrixCell { value: Some(v), ..MatrixCell::default() });
    let rows = ["a", "b", "c"].map(str::to_owned).to_vec();
    for column_units in [vec![Unit::None], Vec::new()] {
        let matrix = Matrix {
            rows: rows.clone(),
            columns: columns.clone(),
            cells: cells.to_vec(),
            column_units,
            is_shaded: true,
            unit: Unit::Percent,
            ..Matrix::default()
        };
        let figure = Figure::new("x", Body::Matrix(matrix));
        let scene = draw(&figure, SIZE, &look, &FigureState::default());
        let inks: Vec<Ink> = fills(&scene)
            .into_iter()
            .filter(|ink| !matches!(ink, Ink::Token(name) if *name != "s2"))
            .collect();
        assert!(inks.iter().all(|ink| *ink == inks[0]) && 3 <= inks.len(), "{inks:?}");
    }
}

fn text(shape: &Shape) -> Option<&str> {
    if let Shape::Text { text, .. } = shape { Some(text) } else { None }
}

#[test]
fn a_memory_chart_has_the_colors_of_shares_and_boxes() {
    let palette = palette("dark", CHOSEN);
    let look = DrawStyle { palette: &palette, language: Language::En };
    let color = |share| palette.rgba(peak_ink(share, &look)) >> 8;
    for (share, wanted) in [(0.0, 0x4c008a), (0.2, 0xc42627), (0.4, 0xff5f03), (0.6, 0xffc55b)] {
        assert_eq!(color(Some(share)), wanted);
    }
    assert_eq!([color(Some(0.8)), color(Some(1.0)), color(Some(7.0))], [0xfcc95e, 0xffffff, 0xffffff]);
    // Half way from the first stop to the second: (4c+c4)/2, (00+26)/2, (8a+27)/2.
    assert_eq!(color(Some(0.1)), 0x881359);
    assert_eq!([color(None), color(Some(f64::NAN))], [0x808080, 0x808080]);

    let (doc, _) = open_case("msinsight", "device");
    let charts = doc.trace().figures.iter().flat_map(|family| &family.variants);
    let mut n = 0;
    for figure in charts {
        let Body::Graph(graph) = &figure.body else { continue };
        let scene = draw(figure, SIZE, &look, &FigureState::default());
        let wanted: Vec<Ink> = graph
            .boxes
            .iter()
            .map(|one| match one.name.as_str() {
                _ if one.role == GraphRole::Container => Ink::Token("chart-core"),
                "GM" | "L2 Cache" => Ink::Token("box-0"),
                "UB" | "Vector" | "Dcache (SIMT)" => Ink::Token("box-1"),
                _ => Ink::Token("box-2"),
            })
            .collect();
        assert_eq!(fills(&scene), wanted, "{}", figure.title);
        n += wanted.len();
    }
    assert!(0 < n);
}

/// A frame with all rows open.
fn frame() -> Frame {
    Frame { ratio: 1.0, folding: Folding::Open, ..Frame::default() }
}

fn drawn(doc: &mut Document, frame: Frame, palette: &Palette) -> (Scene, Note) {
    match doc.draw(&frame, SIZE, palette) {
        (scene, Some(note)) => (scene, note),
        _ => panic!("a timeline has notes of a timeline"),
    }
}

/// The colors of the spans in the row of a track.
fn inks(scene: &Scene, note: &Note, track: &str) -> Vec<Ink> {
    let is_meant = |head: &&lanescope::views::timeline::messages::Head| {
        head.name == track && matches!(head.kind, RowKind::Lanes(_))
    };
    let head = note.heads.iter().find(is_meant).unwrap_or_else(|| panic!("{track} has no row"));
    let (top, bottom) = (head.y, head.y + head.h);
    let all = scene.shapes.iter().filter_map(|shape| match shape {
        Shape::Spans(spans) => Some(&spans.spans),
        _ => None,
    });
    let mut inks: Vec<Ink> =
        all.flatten().filter(|s| 3.0 < s.h && top <= s.y && s.y + s.h <= bottom).map(|s| s.ink).collect();
    inks.dedup();
    inks
}

/// Pipes, the color names their writer gives them, and the numbers of their colors.
const PIPES: [(&str, &str, usize); 12] = [
    ("MTE1", "thread_state_running", 0),
    ("SCALAR", "startup", 1),
    ("VECTOR", "cq_build_failed", 1),
    ("CACHEMISS", "thread_state_runnable", 2),
    ("CUBE", "background_memory_dump", 3),
    ("MTE2", "thread_state_iowait", 4),
    ("USERMARK", "rail_load", 5),
    ("MTE3", "rail_response", 6),
    ("FIXP", "thread_state_unknown", 9),
    ("FLOWCTRL", "cq_build_passed", 10),
    ("ALL", "good", 11),
    ("EVENT", "rail_animation", 9),
];

#[test]
fn slices_have_the_colors_of_their_color_names() {
    // The same name on every pipe: each slice goes by its own color name.
    let events = PIPES.iter().enumerate().map(|(i, (pipe, cname, _))| {
        format!(
            r#"{{"ph":"X","name":"BAR","pid":"core0","tid":"{pipe}","ts":{i},"dur":5,"cname":"{cname}"}}"#
        )
    });
    let text = format!(
        r#"{{"profilingType":"op","schemaVersion":2,"traceEvents":[{}]}}"#,
        events.collect::<Vec<_>>().join(",")
    );
    let (mut doc, _) = open_one("trace.json", text.into_bytes());
    let (scene, note) = drawn(&mut doc, frame(), &palette("light", CHOSEN));
    for (pipe, cname, number) in PIPES {
        assert_eq!(inks(&scene, &note, pipe), [scheme_ink(number)], "{pipe} {cname}");
    }
}

#[test]
fn the_choice_of_the_page_holds_until_the_view_has_its_own() {
    let (mut doc, _) = open_case("msinsight", "device");
    let mut of = |scheme: &str, color: Option<&str>| {
        let (scene, note) =
            drawn(&mut doc, Frame { color: color.map(str::to_owned), ..frame() }, &palette("light", scheme));
        (inks(&scene, &note, "MTE2"), inks(&scene, &note, "VECTOR"))
    };
    let (mte2, vector) = of(CHOSEN, None);
    assert!(mte2.contains(&scheme_ink(4)), "{mte2:?}");
    assert_eq!(vector, [scheme_ink(1)]);
    assert_eq!(of(OWN, Some(CHOSEN)).1, vector);
    for (scheme, color) in [(OWN, None), (CHOSEN, Some("row"))] {
        assert!(matches!(of(scheme, color).1[..], [Ink::Slice(_)]));
    }
}

#[test]
fn counters_and_flows_have_colors_by_their_names() {
    let events = r#"
        {"ph":"X","name":"a","pid":"core0","tid":"MTE2","ts":0,"dur":5,"id":"f"},
        {"ph":"X","name":"b","pid":"core0","tid":"VECTOR","ts":50,"dur":5,"id":"f"},
        {"ph":"s","name":"f","cat":"MTE2ToVECTOR","id":"f","pid":"core0","tid":"MTE2","ts":1},
        {"ph":"t","name":"f","cat":"MTE2ToVECTOR","id":"f","pid":"core0","tid":"VECTOR","ts":51},
        {"ph":"C","name":"GM_TO_UB","pid":"MTE Throughput","ts":1,"args":{"v":3}},
        {"ph":"C","name":"GM_TO_UB","pid":"MTE Throughput","ts":9,"args":{"v":4}}"#;
    let text = format!(r#"{{"profilingType":"op","traceEvents":[{events}]}}"#);
    let (mut doc, _) = open_one("trace.json", text.into_bytes());
    let palette = palette("light", CHOSEN);
    let (scene, _) = drawn(&mut doc, Frame { flows: FlowsShown::All, ..frame() }, &palette);
    // 31 × the sum of the characters, modulo 12: of "v" + "GM_TO_UB" and of "MTE2ToVECTOR".
    let number = |text: &str| 31 * text.bytes().map(usize::from).sum::<usize>() % 12;
    let line = scheme_ink(number("vGM_TO_UB"));
    let is_line = |shape: &Shape| matches!(shape, Shape::Path { stroke, .. } if stroke.ink == line);
    assert!(scene.shapes.iter().any(is_line));
    let flow = palette.rgba(scheme_ink(number("MTE2ToVECTOR"))) >> 8;
    let is_flow = |shape: &Shape| {
        let Shape::Curve { stroke, .. } = shape else { return false };
        matches!(stroke.ink, Ink::Rgba(color) if color >> 8 == flow)
    };
    assert!(scene.shapes.iter().any(is_flow));
}
