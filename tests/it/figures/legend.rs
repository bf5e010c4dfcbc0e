//! Names in the legends of charts do not lie on each other, in either language.

use lanescope::base::geometry::{Rect, Size};
use lanescope::base::words::{Language, tr};
use lanescope::draw::style::DrawStyle;
use lanescope::draw::{self, draw};
use lanescope::model::figure::{
    Bar, BarRole, Bars, Body, Figure, FigureState, Gantt, GanttBar, GanttLane, Line, LineChart,
};
use lanescope::scene::palette::{Ink, Palette, RampName};
use lanescope::scene::{Align, Scene, Shape, Stroke, text};
use std::collections::BTreeSet;

/// Names whose Chinese is wider, and others whose Chinese is narrower.
const NAMES: [&str; 7] =
    ["IPC", "I/O", "Active", "Touched pages", "CACHEMISS", "COMPUTE DATA SIZE", "Cube Compute Data Size"];

/// The names in the legend and where each stands, its letters from left to right.
fn names(scene: &Scene, language: Language) -> Vec<(String, Rect)> {
    let shown = NAMES.map(|name| tr(language, name));
    let place = |shape: &Shape| {
        let Shape::Text { at, text, font, align: Align::Left, .. } = shape else { return None };
        let rect = Rect::new(at.x, at.y - font.size, text::width(text, *font), font.size);
        shown.contains(&text.as_str()).then(|| (text.clone(), rect))
    };
    scene.shapes.iter().filter_map(place).collect()
}

#[test]
fn names_of_legends_have_room_in_both_languages() {
    crate::words::chinese();
    let line = |name: &str| Line {
        name: name.to_owned(),
        x: vec![0.0, 1.0],
        y: vec![Some(1.0); 2],
        is_stepped: false,
    };
    let lines = LineChart { lines: NAMES.map(line).to_vec(), ..LineChart::default() };
    let figure = Figure::new("Lines", Body::Lines(lines));
    let palette = Palette::default();
    for language in [Language::En, Language::Zh] {
        let look = DrawStyle { palette: &palette, language };
        for width in [260.0, 320.0, 420.0, 640.0, 1_200.0] {
            let size = Size { w: width, h: draw::height(&figure, width, language) };
            let all = names(&draw(&figure, size, &look, &FigureState::default()), language);
            assert_eq!(all.len(), NAMES.len(), "{language:?} {width}: {all:?}");
            for (at, (name, a)) in all.iter().enumerate() {
                assert!(0.0 <= a.x && a.x + a.w <= width, "{language:?} {width}: {name} leaves the picture");
                for (other, b) in &all[at + 1..] {
                    let is_apart = a.y != b.y || a.x + a.w + 10.0 <= b.x || b.x + b.w + 10.0 <= a.x;
                    assert!(is_apart, "{language:?} {width}: {name} lies on {other}");
                }
            }
        }
    }
}

/// Long names of kernels often differ only at their ends.
#[test]
fn long_names_are_cut_in_the_middle() {
    const ENDS: [&str; 2] = ["forward", "backward"];
    let names = ENDS.map(|end| {
        format!(
            "void library::space::vectorized_elementwise_kernel_of_four_elements_for_the_pass_that_goes_{end}"
        )
    });
    let bar = |name: &String| Bar {
        name: name.clone(),
        values: vec![Some(1.0)],
        role: BarRole::Work,
        detail: String::new(),
    };
    let line = |name: &String| Line {
        name: name.clone(),
        x: vec![0.0, 1.0],
        y: vec![Some(1.0); 2],
        is_stepped: false,
    };
    let lane = |name: &String| GanttLane { group: String::new(), name: name.clone() };
    let span = |lane| GanttBar { lane, start: 0.0, end: 1.0, name: String::new(), value: None };
    let bodies = [
        Body::Bars(Bars { bars: names.each_ref().map(bar).to_vec(), ..Bars::default() }),
        Body::Lines(LineChart { lines: names.each_ref().map(line).to_vec(), ..LineChart::default() }),
        Body::Gantt(Gantt {
            lanes: names.each_ref().map(lane).to_vec(),
            bars: [0, 1].map(span).to_vec(),
            ..Gantt::default()
        }),
    ];
    let palette = Palette::default();
    let look = DrawStyle { palette: &palette, language: Language::En };
    for body in bodies {
        let figure = Figure::new("Names", body);
        let size = Size { w: 420.0, h: draw::height(&figure, 420.0, Language::En) };
        let scene = draw(&figure, size, &look, &FigureState::default());
        let texts = scene.shapes.iter().filter_map(|shape| match shape {
            Shape::Text { text, .. } if text.contains('…') => Some(text.as_str()),
            _ => None,
        });
        let cut: Vec<&str> = texts.collect();
        assert!(!cut.is_empty(), "{:?}", figure.body);
        for text in cut {
            assert!(text.starts_with("void ") && ENDS.iter().any(|end| text.ends_with(end)), "{text}");
        }
    }
}

/// The texts of a chart with a line of each name, and how many colors its lines have.
fn lines_of(names: &[String]) -> (Vec<String>, usize) {
    let line = |name: &String| Line {
        name: name.clone(),
        x: vec![0.0, 1.0],
        y: vec![Some(1.0); 2],
        is_stepped: false,
    };
    let lines = LineChart { lines: names.iter().map(line).collect(), ..LineChart::default() };
    let figure = Figure::new("Lines", Body::Lines(lines));
    let mut palette = Palette::default();
    for stop in 0..=8_u8 {
        let name = Ink::Stop(RampName::Seq, stop).name().into_owned();
        palette.colors.insert(name, (u32::from(stop) * 0x1010_1000) | 0xff);
    }
    let look = DrawStyle { palette: &palette, language: Language::En };
    let size = Size { w: 640.0, h: draw::height(&figure, 640.0, Language::En) };
    let scene = draw(&figure, size, &look, &FigureState::default());
    let mut inks = BTreeSet::new();
    let mut texts = Vec::new();
    for shape in scene.shapes {
        match shape {
            Shape::Path { stroke: Stroke { ink, width: 1.5, .. }, .. } => {
                inks.insert(format!("{ink:?}"));
            }
            Shape::Text { text, .. } => texts.push(text),
            _ => {}
        }
    }
    (texts.into_iter().filter(|text| names.contains(text)).collect(), inks.len())
}

#[test]
fn more_numbered_lines_than_colors_have_a_scale_with_its_ends() {
    let warps = |n: u32| (0..n).map(|at| format!("{}:{}", at / 4, at % 4)).collect::<Vec<_>>();
    assert_eq!(lines_of(&warps(12)), (warps(12), 12));
    assert_eq!(lines_of(&warps(40)), (vec!["0:0".to_owned(), "9:3".to_owned()], 40));
    // Names that say what things are stay, whatever their number; and numbers that do not rise have no scale.
    let names: Vec<String> = ('a'..='n').map(|letter| format!("{letter} kernel")).collect();
    assert_eq!(lines_of(&names).0.len(), 14);
    let turned: Vec<String> = warps(14).into_iter().rev().collect();
    assert_eq!(lines_of(&turned).0.len(), 14);
}
