//! Views as SVG without a screen: names, lanes and figures are in them, and the height follows what is shown.

use crate::support::front_door::{open_case, open_one};
use lanescope::base::geometry::Size;
use lanescope::base::unit::Unit;
use lanescope::base::words::Language;
use lanescope::document::{Document, MAX_HEIGHT};
use lanescope::model::build::TraceBuilder;
use lanescope::model::figure::{Body, Cell, Choice, Fact, Facts, Family, Figure};
use lanescope::scene::palette::Palette;
use lanescope::wire::{Answer, Frame, Query, ViewPicture};

const SIZE: Size = Size { w: 900.0, h: 600.0 };

fn palette() -> Palette {
    Palette::from_css(include_str!("../../style/tokens.css"), "light")
}

/// Width and height of a picture.
fn extent(svg: &str) -> (f32, f32) {
    let number = |name: &str| {
        let text = svg.split(&format!(" {name}=\"")).nth(1).and_then(|t| t.split('"').next());
        text.and_then(|t| t.parse().ok()).expect("the first element has its size")
    };
    (number("width"), number("height"))
}

/// A trace of so many rows, each with one slice.
fn rows(n: usize) -> Vec<u8> {
    let events: Vec<String> =
        (0..n).map(|i| format!(r#"{{"ph":"X","name":"work","pid":{i},"tid":1,"ts":{i},"dur":5}}"#)).collect();
    format!("[{}]", events.join(",")).into_bytes()
}

/// The picture that is saved of what the page shows of a view: its suggested name, and its text.
pub(crate) fn file(doc: &mut Document, seen: ViewPicture) -> (String, String) {
    let (answer, bytes) = doc.query(&Query::ViewPicture(Box::new(seen)));
    let Answer::File { name, mime, is_whole: true, .. } = answer else { panic!("{answer:?}") };
    assert_eq!(mime, "image/svg+xml");
    let svg = String::from_utf8(bytes.expect("a file")).unwrap();
    assert!(svg.ends_with("</svg>\n") && !svg.contains("NaN"), "{svg}");
    (name, svg)
}

/// The same of pictures that stand beside each other; of none for all of the view.
pub(crate) fn saved(doc: &mut Document, view: &str, panes: Vec<(Frame, Size)>) -> (String, String) {
    file(doc, ViewPicture { view: view.to_owned(), panes, ..ViewPicture::default() })
}

#[test]
fn the_timeline_names_its_rows() {
    let (mut doc, _) = open_case("msinsight", "device");
    let svg = doc.svg("timeline", SIZE, &palette()).unwrap();
    for name in ["core0.veccore0", "MTE2", "VECTOR", "GM_TO_UB", "VMUL", "Tracks"] {
        assert!(svg.contains(&format!(">{name}</text>")), "{name} is missing");
    }
    assert_eq!(extent(&svg).0, SIZE.w);
    assert!(!svg.contains("NaN"));
}

#[test]
fn the_height_of_the_timeline_follows_its_rows() {
    let height = |n| {
        let (mut doc, _) = open_one("rows.json", rows(n));
        extent(&doc.svg("timeline", SIZE, &palette()).unwrap()).1
    };
    let (few, more, very_many) = (height(2), height(20), height(3_000));
    assert!(60.0 < few && few < 160.0, "{few}");
    assert!(few < more && more < SIZE.h * 2.0, "{more}");
    assert_eq!(very_many, MAX_HEIGHT);
    let (mut doc, _) = open_one("rows.json", rows(3_000));
    assert!(doc.svg("timeline", SIZE, &palette()).unwrap().contains("More rows are not shown"));
}

#[test]
fn a_narrow_timeline_is_still_whole() {
    let (mut doc, _) = open_case("msinsight", "device");
    let svg = doc.svg("timeline", Size { w: 64.0, h: 64.0 }, &palette()).unwrap();
    assert_eq!(extent(&svg).0, 64.0);
    assert!(!svg.contains("NaN") && !svg.contains("width=\"-"));
}

#[test]
fn details_hold_every_figure_with_units_and_advice() {
    let (mut doc, _) = open_case("msinsight", "device");
    let svg = doc.svg("details", SIZE, &palette()).unwrap();
    for family in &doc.trace().figures {
        let title = family.variants[0].title.replace('&', "&amp;");
        assert!(svg.contains(&format!(">{title}</text>")), "{title} is missing");
    }
    for words in [">Duration, µs</text>", ">The chip ran at "] {
        assert!(svg.contains(words), "{words} is missing");
    }
    assert!(extent(&svg).1 <= MAX_HEIGHT);
}

#[test]
fn saved_details_have_what_is_chosen_of_figures() {
    let variant = |title: &str| {
        let fact = Fact { name: "Duration".into(), value: Cell::Number(1.0), unit: Unit::Micros };
        Figure::new(title, Body::Facts(Facts { facts: vec![fact] }))
    };
    let choice = |name: &str, options: [&str; 2]| Choice {
        name: name.into(),
        options: options.map(str::to_owned).to_vec(),
    };
    let mut builder = TraceBuilder::default();
    builder.head().figures = vec![Family {
        id: "work".into(),
        section: "Work".into(),
        title: "Work".into(),
        choices: vec![choice("Block ID", ["7", "9"]), choice("Order", ["time", "size"])],
        variants: ["first", "second", "third", "fourth"].map(variant).to_vec(),
    }];
    let mut doc = Document::of(builder);
    let mut shown = |chosen: &[(&str, &str)]| {
        let chosen = chosen.iter().map(|(name, option)| ((*name).to_owned(), (*option).to_owned()));
        let seen =
            ViewPicture { view: "details".to_owned(), chosen: chosen.collect(), ..ViewPicture::default() };
        let (name, svg) = file(&mut doc, seen);
        assert!(name.ends_with(".details.svg"), "{name}");
        svg
    };
    let svg = shown(&[]);
    assert!(svg.contains(">first</text>") && svg.contains("Block ID 7") && !svg.contains("Order"), "{svg}");
    // What the figure does not have says nothing.
    assert_eq!(shown(&[("Order", "name"), ("Core", "9")]), svg);
    let svg = shown(&[("Order", "size"), ("Block ID", "9")]);
    assert!(svg.contains(">fourth</text>") && svg.contains("Block ID 9, Order size"), "{svg}");
    assert!(!svg.contains(">first</text>"));
}

#[test]
fn a_view_without_data_says_why() {
    let mut doc = Document::of(TraceBuilder::default());
    for (view, why) in [
        ("timeline", "No timeline events"),
        ("source", "No source"),
        ("accesses", "No memory accesses"),
        ("schedule", "No block schedule"),
        ("trace", "No block executions"),
        ("plan", "No buffer plan"),
        ("heatmap", "No memory accesses"),
        ("details", "No figures"),
    ] {
        assert!(doc.svg(view, SIZE, &palette()).unwrap_err().contains(why), "{view}");
    }
    let known = doc.svg("no-such", SIZE, &palette()).unwrap_err();
    for view in
        ["timeline", "source", "details", "accesses", "schedule", "trace", "lifetimes", "heatmap", "plan"]
    {
        assert!(known.contains(view), "{view} in {known}");
    }
}

#[test]
fn units_follow_the_language_in_pictures_and_stay_english_in_files() {
    crate::words::chinese();
    let (mut doc, _) = open_case("msinsight", "device");
    let export =
        |doc: &mut Document| doc.query(&Query::Export { id: "figures-csv".to_owned() }).1.expect("a file");
    let english = export(&mut doc);
    assert!(String::from_utf8_lossy(&english).contains("instructions"));
    doc.set_language(Language::Zh);
    let svg = doc.svg("details", SIZE, &palette()).unwrap();
    for words in ["周期</text>", "指令</text>", "Vector 等待</text>"] {
        assert!(svg.contains(words), "{words} is missing");
    }
    for words in [" cycles<", " instructions<", " requests<"] {
        assert!(!svg.contains(words), "{words} is English");
    }
    assert_eq!(export(&mut doc), english);
}
