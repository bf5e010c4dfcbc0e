//! Every hand-made figure is drawn in both themes and two widths: small ones as text, all of them by what must hold.

use super::specimen::{self, instrumentation, look, palette};
use lanescope::base::geometry::{Point, Rect, Size};
use lanescope::base::words::Language;
use lanescope::draw::record::Inks;
use lanescope::draw::style::DrawStyle;
use lanescope::draw::{self, chart, heatmap};
use lanescope::model::figure::{Body, Figure, FigureState, HeatMap};
use lanescope::scene::palette::{Ink, Palette, RampName};
use lanescope::scene::svg::{inline, svg};
use lanescope::scene::{Align, Scene, Shape, dump, text};
use plotters::prelude::SVGBackend;

fn drawn(figure: &Figure, width: f32, look: &DrawStyle) -> Scene {
    let size = Size { w: width, h: draw::height(figure, width, look.language) };
    draw::draw(figure, size, look, &FigureState::default())
}

#[test]
fn small_figures_look_as_before() {
    let palette = palette("light");
    for name in [
        "ascend-roofline",
        "ascend-bars",
        "ascend-cores",
        "ascend-memory",
        "gainsight-lifetimes",
        "gainsight-residents",
    ] {
        let figure = specimen::all().into_iter().find(|(n, _)| *n == name).unwrap().1;
        let width = if name == "ascend-memory" { 788.0 } else { 372.0 };
        let scene = drawn(&figure, width, &look(&palette));
        insta::assert_snapshot!(format!("view-{name}"), without_hits(&scene));
    }
    let matrix = draw::sheet(&specimen::nnapi::matrix(), 900.0, &look(&palette), &FigureState::default());
    insta::assert_snapshot!("view-nnapi-matrix", without_hits(&matrix));
}

/// Snapshots show what is seen; hit regions have tests of their own.
fn without_hits(scene: &Scene) -> String {
    dump(scene).lines().filter(|l| !l.starts_with("hit ")).map(|l| format!("{l}\n")).collect()
}

#[test]
fn nothing_is_drawn_outside_and_no_two_texts_touch() {
    for theme in ["light", "dark"] {
        let palette = palette(theme);
        for (name, figure) in specimen::all() {
            for width in [360.0, 790.0] {
                let scene = drawn(&figure, width, &look(&palette));
                assert!(!scene.shapes.is_empty(), "{name} draws nothing");
                for rect in scene.shapes.iter().filter_map(extent) {
                    let is_inside = -3.0 <= rect.x
                        && -6.0 <= rect.y
                        && rect.right() <= scene.size.w + 6.0
                        && rect.bottom() <= scene.size.h + 6.0;
                    assert!(is_inside, "{name} at {width}: {rect:?} is outside of {:?}", scene.size);
                }
                if draw::least_width(&figure) <= width {
                    assert_eq!(touching(&scene), Vec::<String>::new(), "{name} at {width}");
                }
            }
        }
    }
}

/// What a shape covers; `None` for hit regions and clips.
fn extent(shape: &Shape) -> Option<Rect> {
    match shape {
        Shape::Fill { rect, .. } | Shape::Outline { rect, .. } => Some(*rect),
        Shape::Spans(spans) => Some(spans.field),
        Shape::Text { turn: 0.0, .. } => Some(text_box(shape)),
        _ => None,
    }
}

fn text_box(shape: &Shape) -> Rect {
    let Shape::Text { at, text, font, align, .. } = shape else { return Rect::default() };
    // The estimate is on the wide side: nine tenths of it are surely covered.
    let w = text::width(text, *font) * 0.9;
    let x = match align {
        Align::Left => at.x,
        Align::Middle => at.x - w / 2.0,
        Align::Right => at.x - w,
    };
    Rect::new(x, at.y - font.size * 0.75, w, font.size * 0.8)
}

fn touching(scene: &Scene) -> Vec<String> {
    let texts: Vec<(&str, Rect)> = scene
        .shapes
        .iter()
        .filter_map(|s| match s {
            Shape::Text { text, turn: 0.0, .. } => Some((text.as_str(), text_box(s))),
            _ => None,
        })
        .collect();
    let mut out = Vec::new();
    for (i, (a, x)) in texts.iter().enumerate() {
        for (b, y) in &texts[i + 1..] {
            if x.x < y.right() && y.x < x.right() && x.y < y.bottom() && y.y < x.bottom() {
                out.push(format!("{a:?} and {b:?}"));
            }
        }
    }
    out
}

#[test]
fn every_figure_is_well_formed_svg_in_both_themes() {
    for theme in ["light", "dark"] {
        let palette = palette(theme);
        for (name, figure) in specimen::all() {
            let sheet = draw::sheet(&figure, 800.0, &look(&palette), &FigureState::default());
            let text = svg(&sheet, &palette, name);
            assert!(text.starts_with("<svg ") && text.ends_with("</svg>\n"), "{name}");
            assert_eq!(text.matches("<g ").count(), text.matches("</g>").count(), "{name}");
            assert!(
                !text.contains("var(--") && !text.contains("=\"NaN") && !text.contains("=\"inf"),
                "{name}"
            );
            assert!(text.contains(&figure.title), "{name}");
            let named = inline(&sheet, name);
            assert!(named.contains("var(--t1)"), "{name}");
            show(&format!("{name}-{theme}.svg"), &text);
        }
    }
}

/// Writes a picture for a person to look at, when asked to.
fn show(name: &str, text: &str) {
    if let Ok(folder) = std::env::var("LANESCOPE_SHOW") {
        std::fs::write(format!("{folder}/{name}"), text).unwrap();
    }
}

#[test]
fn charts_go_to_any_backend_of_plotters() {
    let palette = palette("light");
    for (name, figure) in specimen::all().into_iter().filter(|(_, f)| chart::is_chart(&f.body)) {
        let mut text = String::new();
        let inks = Inks::Painted(&palette);
        let backend = SVGBackend::with_string(&mut text, (400, 220));
        let over =
            chart::paint(&figure, backend, 1.0, &inks, &look(&palette), &FigureState::default()).unwrap();
        let scene =
            draw::draw(&figure, Size { w: 400.0, h: 220.0 }, &look(&palette), &FigureState::default());
        let drawn = scene.shapes.len() - over.over.len();
        let elements = text.matches("<line").count()
            + text.matches("<rect").count()
            + text.matches("<text").count()
            + text.matches("<circle").count()
            + text.matches("<poly").count();
        assert!(3 < drawn && drawn <= elements, "{name}: {elements} elements for {drawn} shapes");
        assert!(text.contains(&format!("#{:06X}", palette.rgba(Ink::Token("t3")) >> 8)), "{name}");
    }
}

#[test]
fn a_recorded_chart_keeps_the_names_of_its_colors() {
    let palette = palette("light");
    let scene = drawn(&specimen::ascend::roofline(), 372.0, &look(&palette));
    let slopes: Vec<Ink> = scene
        .shapes
        .iter()
        .filter_map(|s| match s {
            Shape::Path { stroke, .. } if stroke.width == 1.5 => Some(stroke.ink),
            _ => None,
        })
        .collect();
    assert_eq!(slopes, [Ink::Slice(1), Ink::Token("t2"), Ink::Slice(3), Ink::Token("t2")]);
}

fn body(figure: &Figure) -> &HeatMap {
    match &figure.body {
        Body::HeatMap(map) => map,
        _ => panic!("no heat map"),
    }
}

#[test]
fn a_million_cells_become_at_most_one_a_pixel() {
    let (figure, palette) = (instrumentation::heat_map(), palette("light"));
    let size = Size { w: 600.0, h: 420.0 };
    let scene = draw::draw(&figure, size, &look(&palette), &FigureState::default());
    let layout = heatmap::Layout::new(body(&figure), size, &FigureState::default());
    let Some(Shape::Cells { width, height, colors, .. }) =
        scene.shapes.iter().find(|s| matches!(s, Shape::Cells { .. }))
    else {
        panic!("no cells")
    };
    assert!(*width as f32 <= layout.map.w && *height as f32 <= layout.map.h);
    assert_eq!(colors.len(), (width * height) as usize);
    // The hottest cell has the high end of the ramp, the ground none, the missing row the ground of missing values.
    assert!(colors.contains(&palette.ramp(RampName::Seq, 1.0)));
    assert!(colors.contains(&0));
    let step_y = 1024_u32.div_ceil(*height);
    let top_row = &colors[..*width as usize];
    assert_eq!(top_row.iter().all(|c| *c == palette.rgba(Ink::Token("s2"))), step_y == 1);
}

#[test]
fn a_zoomed_heat_map_shows_single_cells() {
    let (figure, palette) = (instrumentation::heat_map(), palette("dark"));
    let size = Size { w: 600.0, h: 420.0 };
    // 64 columns around the hot cell (700, 300); row 0 is at the bottom.
    let state = FigureState {
        x_window: Some((672.0 / 1024.0, 736.0 / 1024.0)),
        y_window: Some((1.0 - 320.0 / 1024.0, 1.0 - 288.0 / 1024.0)),
        ..FigureState::default()
    };
    let map = body(&figure);
    let layout = heatmap::Layout::new(map, size, &state);
    assert_eq!((layout.columns, layout.rows), ((672, 736), (288, 320)));
    let scene = draw::draw(&figure, size, &look(&palette), &state);
    let Some(Shape::Cells { width, height, colors, .. }) =
        scene.shapes.iter().find(|s| matches!(s, Shape::Cells { .. }))
    else {
        panic!("no cells")
    };
    assert_eq!((*width, *height), (64, 32));
    let hot = (31 - (300 - 288)) * 64 + (700 - 672);
    assert_eq!(colors[hot], palette.ramp(RampName::Seq, 1.0));
    assert_eq!(colors[hot + 1], 0);
    let at =
        Point { x: layout.map.x + layout.map.w * 28.5 / 64.0, y: layout.map.y + layout.map.h * 19.5 / 32.0 };
    let said = heatmap::read_out(map, size, &look(&palette), &state, at).unwrap();
    assert_eq!(said, "address\t0x5b00 – 0x5b3f\nblock number\t700\nValue\t4,096 accesses");
}

#[test]
fn margins_sum_up_what_is_in_the_window() {
    let (figure, palette) = (specimen::neutrino::dmat(), palette("light"));
    let map = body(&figure);
    let size = Size { w: 600.0, h: 420.0 };
    let scene = draw::draw(&figure, size, &look(&palette), &FigureState::default());
    let layout = heatmap::Layout::new(map, size, &FigureState::default());
    let above = scene.shapes.iter().find_map(|s| match s {
        Shape::Spans(spans) if spans.field.y == 0.0 => Some(spans),
        _ => None,
    });
    let above = above.unwrap();
    // Heights of the stacked bars of a column are in proportion to its sum, the largest fills the margin.
    let columns = 240;
    let naive: Vec<f32> = (0..columns).map(|x| (0..120).map(|y| map.values[y * 240 + x]).sum()).collect();
    let most = naive.iter().copied().fold(0.0, f32::max);
    for x in [0, 17, 120, 239] {
        let left = layout.map.x + x as f32 * layout.map.w / columns as f32;
        let height: f32 = above.spans.iter().filter(|s| (s.x0 - left).abs() < 0.1).map(|s| s.h).sum();
        assert!((height / above.field.h - naive[x] / most).abs() < 1e-3, "column {x}");
    }
    // One color a band: blue first.
    let inks: Vec<Ink> = [1, 3, 2, 4, 6].map(Ink::Slice).to_vec();
    assert!(above.spans.iter().all(|s| inks.contains(&s.ink)));
}

#[test]
fn a_gantt_has_no_more_bars_than_pixels() {
    let (figure, palette) = (specimen::neutrino::schedule(), palette("light"));
    let Body::Gantt(gantt) = &figure.body else { panic!("no gantt") };
    let at = |window: Option<(f64, f64)>, width: f32| {
        let state = FigureState { x_window: window, ..FigureState::default() };
        let size = Size { w: width, h: draw::height(&figure, width, Language::En) };
        draw::draw(&figure, size, &look(&palette), &state)
    };
    let spans = |scene: &Scene| match scene.shapes.first() {
        Some(Shape::Spans(spans)) => spans.clone(),
        _ => panic!("no spans"),
    };
    let whole = spans(&at(None, 900.0));
    assert_eq!(whole.spans.len(), gantt.bars.len());
    let narrow = spans(&at(None, 116.0));
    for y in narrow.spans.iter().map(|s| s.y) {
        let mut lane: Vec<_> = narrow.spans.iter().filter(|s| s.y == y).collect();
        lane.sort_by(|a, b| a.x0.total_cmp(&b.x0));
        assert!(lane.len() as f32 <= narrow.field.w, "{} bars", lane.len());
        assert!(lane.windows(2).all(|w| w[0].x1 <= w[1].x0 + 0.01), "bars overlap");
    }
    // The longest is outlined, and its pixels answer with its name.
    let scene = at(None, 900.0);
    let outline = scene.shapes.iter().rev().find_map(|s| match s {
        Shape::Outline { rect, stroke, .. } if stroke.ink == Ink::Token("t1") => Some(*rect),
        _ => None,
    });
    let rect = outline.unwrap();
    let middle = Point { x: rect.x + rect.w / 2.0, y: rect.y + rect.h / 2.0 };
    let state = FigureState::default();
    let said = draw::gantt::read_out(gantt, scene.size, &look(&palette), &state, middle).unwrap();
    assert!(said.starts_with("block 77\n") && said.contains("elapsed\t19,000 cycles"), "{said}");
}

#[test]
fn marks_move_and_say_what_lies_below() {
    let (figure, palette) = (specimen::gainsight::lifetimes(), palette("light"));
    let Body::Histogram(histogram) = &figure.body else { panic!("no histogram") };
    let at = |marks: Vec<f64>| {
        let state = FigureState { marks, ..FigureState::default() };
        let scene = draw::draw(&figure, Size { w: 460.0, h: 240.0 }, &look(&palette), &state);
        scene
            .shapes
            .iter()
            .filter_map(|s| match s {
                Shape::Text { at, text, .. } if text.starts_with("silicon") => Some((at.x, text.clone())),
                _ => None,
            })
            .next()
            .unwrap()
    };
    let (x, words) = at(Vec::new());
    let (moved, later) = at(vec![3_162.277_660_168_379, 10_000.0]);
    // The edges at 1 µs and at half a decade more: the sums of the counts below them.
    assert_eq!(words, "silicon 1.000 µs: 64.7 %, 23.6 %");
    assert_eq!(later, "silicon 3.162 µs: 89.2 %, 58.3 %");
    assert!(x + 20.0 < moved);
    assert!((chart::share_of_mark(histogram, 0, 1_000.0) - 925.0 / 1430.0).abs() < 1e-9);
}

#[test]
fn names_of_marks_stand_at_the_top_of_a_low_chart() {
    let (figure, palette) = (specimen::gainsight::lifetimes(), palette("light"));
    let scene = draw::draw(&figure, Size { w: 460.0, h: 120.0 }, &look(&palette), &FigureState::default());
    let top = |shape: &Shape| match shape {
        Shape::Path { points, stroke } if 0.0 < stroke.dash => points.first().map(|point| point.y),
        _ => None,
    };
    let top = scene.shapes.iter().find_map(top).unwrap();
    let name = |shape: &Shape| match shape {
        Shape::Text { at, text, .. } if text.contains(": ") => Some(at.y - top),
        _ => None,
    };
    let names: Vec<f32> = scene.shapes.iter().filter_map(name).collect();
    assert!(names.contains(&10.0) && names.iter().all(|below| *below <= 36.0), "{names:?}");
}

#[test]
fn the_cumulative_share_ends_at_one() {
    let (figure, palette) = (specimen::gainsight::lifetimes(), palette("light"));
    let state = FigureState { is_cumulative: Some(true), ..FigureState::default() };
    let scene = draw::draw(&figure, Size { w: 460.0, h: 240.0 }, &look(&palette), &state);
    let curves: Vec<_> = scene
        .shapes
        .iter()
        .filter_map(|s| match s {
            Shape::Path { points, stroke } if stroke.width == 1.5 => Some(points),
            _ => None,
        })
        .collect();
    assert_eq!(curves.len(), 2);
    for curve in curves {
        assert!(curve.windows(2).all(|w| w[1].y <= w[0].y), "a share falls");
        assert_eq!(curve.last().unwrap().y, curve.iter().map(|p| p.y).fold(f32::MAX, f32::min));
    }
    assert!(dump(&scene).contains("\"100\""));
}

#[test]
fn a_core_off_its_mean_has_the_color_of_worse() {
    let (figure, palette) = (specimen::ascend::cores(), palette("light"));
    let scene = drawn(&figure, 420.0, &look(&palette));
    let worst: Vec<Rect> = scene
        .shapes
        .iter()
        .filter_map(|s| match s {
            Shape::Fill { rect, ink: Ink::Stop(RampName::Div, 8), .. } => Some(*rect),
            _ => None,
        })
        .collect();
    assert_eq!(worst.len(), 1);
    let middle = Point { x: worst[0].x + 5.0, y: worst[0].y + 5.0 };
    let said = draw::hit(&scene, middle).unwrap();
    // Mean of both vector units: nine times 43,000, eight times about 42,600, and 48,600.
    assert!(said.starts_with("Core 6 vector 1\n\t48,600 cycles\nFrom mean\t+12"), "{said}");
}

#[test]
fn words_describe_what_stands_out() {
    let palette = palette("light");
    let said = draw::describe::describe(&instrumentation::heat_map(), &look(&palette));
    assert!(said.contains("1,024 columns and 1,024 rows"), "{said}");
    assert!(said.contains("Highest: 4,096 accesses (700, 300)."), "{said}");
    assert!(said.contains("1,024 are missing"), "{said}");
    for (name, figure) in specimen::all() {
        let said = draw::describe::describe(&figure, &look(&palette));
        assert!(1 < said.lines().count(), "{name}: {said}");
    }
}

/// A mark that stands still may be of one series: the others are not measured by it.
#[test]
fn words_compare_series_with_marks_that_are_moved_over_all_of_them_only() {
    let palette = palette("light");
    let mut figure = specimen::gainsight::lifetimes();
    let Body::Histogram(histogram) = &mut figure.body else { panic!("no histogram") };
    histogram.series[0].name.clear();
    let said = draw::describe::describe(&figure, &look(&palette));
    assert!(said.contains("\nCount: 64.7 % below silicon (1,000 ns)\n"), "{said}");
    assert!(said.contains("\nL2: 23.6 % below silicon (1,000 ns)\n"), "{said}");
    let Body::Histogram(histogram) = &mut figure.body else { panic!("no histogram") };
    histogram.can_move_marks = false;
    let said = draw::describe::describe(&figure, &look(&palette));
    assert!(!said.contains("below"), "{said}");
    assert!(said.ends_with("\nsilicon: 1,000 ns\nhybrid: 10,000 ns"), "{said}");
}

#[test]
fn no_line_of_a_mark_crosses_the_words_of_another() {
    let palette = palette("light");
    let scene = drawn(&specimen::gainsight::lifetimes(), 372.0, &look(&palette));
    let is_words = |s: &Shape| matches!(s, Shape::Text { text, .. } if text.starts_with("silicon"));
    let words = scene.shapes.iter().position(is_words).unwrap();
    let dashed = |s: &Shape| matches!(s, Shape::Path { stroke, .. } if 1.0 < stroke.dash);
    assert_eq!(scene.shapes.iter().filter(|s| dashed(s)).count(), 2);
    assert!(!scene.shapes[words..].iter().any(dashed));
}

#[test]
fn an_empty_palette_and_no_room_are_no_reason_to_fail() {
    let palette = Palette::default();
    for (name, figure) in specimen::all() {
        for size in [Size::default(), Size { w: 3.0, h: 2.0 }, Size { w: 60.0, h: 1.0 }] {
            let scene = draw::draw(&figure, size, &look(&palette), &FigureState::default());
            assert_eq!(scene.size, size, "{name}");
        }
    }
}

#[test]
fn names_of_ceilings_stay_inside_and_keep_their_values() {
    let palette = palette("light");
    let mut figure = specimen::ascend::roofline();
    let Body::Roofline(roofline) = &mut figure.body else { panic!("no roofline") };
    roofline.roofs[0].ceiling_name = "Vec_FP32(75.057518%),Vec_MISC(24.942482%)".into();
    for width in [180.0, 240.0, 300.0, 372.0, 788.0] {
        let end = |shape: &Shape| match shape {
            Shape::Text { at, text, font, .. } if text.ends_with("280 TOps/s") => {
                Some((at.x - text::width(text, *font), at.x))
            }
            _ => None,
        };
        let ends: Vec<_> = drawn(&figure, width, &look(&palette)).shapes.iter().filter_map(end).collect();
        assert!(ends.iter().any(|(from, to)| 0.0 <= *from && *to <= width), "{width}: {ends:?}");
    }
}

#[test]
fn rows_of_cores_have_their_names_beside_them() {
    let palette = palette("light");
    let figure = specimen::ascend::cores();
    let mut rows_before = 0;
    for width in [790.0, 372.0, 200.0] {
        let scene = drawn(&figure, width, &look(&palette));
        let texts = |wanted: &str| -> Vec<Point> {
            let of = |shape: &Shape| match shape {
                Shape::Text { at, text, .. } if text == wanted => Some(*at),
                _ => None,
            };
            scene.shapes.iter().filter_map(of).collect()
        };
        let (names, last) = (texts("vector 1"), texts("9")[0]);
        assert!(names.iter().all(|at| at.x < texts("0")[0].x), "{width}: {names:?}");
        // Each row of cores has them, the last one too: below the head of its cores.
        assert!(
            last.y < names.last().unwrap().y && names.last().unwrap().y < last.y + 70.0,
            "{width}: {names:?}"
        );
        assert!(rows_before <= names.len(), "{width}");
        rows_before = names.len();
    }
    assert!(1 < rows_before);
}

#[test]
fn the_label_of_the_nearest_point_names_its_roof() {
    let palette = palette("light");
    let figure = specimen::ascend::roofline();
    let Body::Roofline(chart) = &figure.body else { panic!("no roofline") };
    let points = chart.roofs.iter().filter_map(|roof| Some((roof, roof.point.as_ref()?)));
    let (nearest, point) = points.max_by(|a, b| a.0.reached().total_cmp(&b.0.reached())).unwrap();
    let scene = drawn(&figure, 790.0, &look(&palette));
    let wanted = format!("{} {} TOps/s", nearest.bandwidth_name, lanescope::base::number::short(point.y));
    let is_there = |shape: &Shape| matches!(shape, Shape::Text { text, .. } if *text == wanted);
    assert!(scene.shapes.iter().any(is_there), "{wanted}: {}", dump(&scene));
}
