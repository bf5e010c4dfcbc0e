//! The system to copy from: what each of its parts does, through the front door. Expected values are added up by hand.

mod addresses;
mod clocks;

use crate::support::front_door::{files_of, fixtures, open_case};
use lanescope::base::geometry::Size;
use lanescope::document::Document;
use lanescope::input::unpack::MemoryStore;
use lanescope::input::{Entry, Memory};
use lanescope::model::figure::{Body, Cell};
use lanescope::model::id::SliceId;
use lanescope::scene::palette::{Ink, Palette};
use lanescope::scene::{Scene, Shape};
use lanescope::views::timeline::messages::{self as timeline, Current, Folding, SearchQuery};
use lanescope::wire::figures::{FigureQuery, Reply};
use lanescope::wire::{Answer, Query};
use std::path::PathBuf;
use std::process::Command;
use std::rc::Rc;

fn fixture() -> PathBuf {
    fixtures().join("demo/units/trace.demo")
}

/// The rows of the table of work: unit, work, bytes.
fn work(doc: &mut Document) -> Vec<(String, f64, f64)> {
    let ask = FigureQuery::Figure { id: "demo-work".to_owned(), chosen: Vec::new() };
    let (Some(Reply::Figure(shown)), _) = doc.query(&ask) else {
        return Vec::new();
    };
    let Body::Table(table) = shown.figure.body else { panic!("a table") };
    let row = |row: &Vec<Cell>| {
        let Cell::Text(unit) = &row[0] else { panic!("a name") };
        (unit.clone(), row[1].as_number().unwrap(), row[2].as_number().unwrap())
    };
    table.rows.iter().map(row).collect()
}

/// Sets parameters; whether files have to be read again, and what was not taken.
fn set(doc: &mut Document, values: &[(&str, &str)]) -> (bool, Vec<String>) {
    let texts = values.iter().map(|(id, text)| ((*id).to_owned(), (*text).to_owned())).collect();
    let Answer::ParametersSet { rereads, problems } = doc.query(&Query::SetParameters(texts)).0 else {
        panic!("parameters are set")
    };
    while doc.has_work() {
        doc.step();
    }
    (rereads, problems)
}

fn row(unit: &str, work: f64, bytes: f64) -> (String, f64, f64) {
    (unit.to_owned(), work, bytes)
}

#[test]
fn work_follows_its_parameters_and_the_tap_saw_every_access() {
    let (mut doc, is_ready) = open_case("demo", "units");
    assert!(is_ready);
    assert_eq!(work(&mut doc), [row("vector", 150.0, 96.0), row("cube", 300.0, 512.0)]);
    assert_eq!(doc.trace().accesses.len(), 0, "the tap keeps sums, not rows");
    assert_eq!(set(&mut doc, &[("demo-least", "60")]), (false, vec![]));
    assert_eq!(work(&mut doc)[0], row("vector", 100.0, 96.0));
    let before = doc.head().revision;
    set(&mut doc, &[("demo-least", "60"), ("demo-weights", "vector,3;cube,0.5")]);
    assert_eq!(work(&mut doc), [row("vector", 300.0, 96.0), row("cube", 150.0, 512.0)]);
    assert!(before < doc.head().revision, "the page is told of the new result");
    // Values that were set before are known still.
    set(&mut doc, &[]);
    assert_eq!(work(&mut doc)[0], row("vector", 150.0, 96.0));
    let heads = doc.head().analyses;
    assert_eq!((heads[0].id.as_str(), heads[0].parameters.len()), ("demo", 1), "the parameter of reading");
    let ids: Vec<&str> = heads[1].parameters.iter().map(|p| p.id.as_str()).collect();
    assert_eq!((heads[1].id.as_str(), &ids[..]), ("demo-work", &["demo-least", "demo-weights"][..]));
    assert_eq!(heads[1].parameters[1].default, "vector,1;cube,1");
}

#[test]
fn wrong_values_are_reported_and_change_nothing() {
    let (mut doc, _) = open_case("demo", "units");
    let (_, problems) =
        set(&mut doc, &[("demo-least", "-1"), ("demo-weights", "vector"), ("demo-none", "1")]);
    assert_eq!(
        problems,
        [
            "demo-least: expected a number from 0 to 1000000000, found -1.",
            "demo-weights: expected rows of Unit,Weight, separated by semicolons, found vector.",
        ]
    );
    assert_eq!(work(&mut doc)[0].1, 150.0);
}

#[test]
fn there_is_a_figure_for_each_map() {
    let (mut doc, _) = open_case("demo", "units");
    let (Some(Reply::List { families, .. }), _) = doc.query(&FigureQuery::List) else { panic!("a list") };
    let heads: Vec<(&str, &str)> = families.iter().map(|f| (f.id.as_str(), f.title.as_str())).collect();
    assert_eq!(heads, [("demo-work", "Work by unit"), ("demo-map-0", "tiles"), ("demo-map-1", "banks")]);
    let ask = FigureQuery::Figure { id: "demo-map-1".to_owned(), chosen: Vec::new() };
    let (Some(Reply::Figure(shown)), _) = doc.query(&ask) else { panic!("a figure") };
    let Body::Matrix(matrix) = shown.figure.body else { panic!("a matrix") };
    let values: Vec<_> = matrix.cells.iter().filter_map(|cell| cell.value).collect();
    assert_eq!((matrix.rows.len(), matrix.columns.len(), values), (1, 3, vec![1.0, 2.0, 3.0]));
}

#[test]
fn parameters_of_reading_reread_the_file() {
    let (mut doc, _) = open_case("demo", "units");
    assert!(set(&mut doc, &[("demo-offset", "1000")]).0);
    let entries = files_of(&fixtures().join("demo/units")).into_iter();
    let entries = entries.map(|(path, bytes)| Entry { path, source: Rc::new(Memory(bytes)) }).collect();
    let (values, _) = Document::parse_values(&[("demo-offset".to_owned(), "1000".to_owned())]);
    let (doc, is_ready) = Document::open_with(entries, "", &values, Box::new(MemoryStore::default()));
    assert!(is_ready);
    assert_eq!(doc.trace().span.map(|span| (span.start, span.end)), Some((1000, 1320)));
}

#[test]
fn the_command_line_knows_the_parameters() {
    let run = |words: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lanescope"));
        let output = command.arg(fixture()).args(words).output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
    };
    let (code, out, _) = run(&["--export", "demo-csv"]);
    assert_eq!((code, out.as_str()), (0, "unit,work,bytes\nvector,150,96\ncube,300,512\n"));
    let (code, out, _) = run(&[
        "--export",
        "demo-csv",
        "--demo-weights",
        "cube,2",
        "--demo-separator",
        "tab",
        "--demo-least",
        "60",
    ]);
    assert_eq!((code, out.as_str()), (0, "unit\twork\tbytes\nvector\t100\t96\ncube\t600\t512\n"));
    let (code, out, _) = run(&["--export", "demo-csv:demo-separator=tab"]);
    assert_eq!((code, out.lines().next()), (0, Some("unit\twork\tbytes")));
    let (code, _, why) = run(&["--demo-least", "-3"]);
    assert!(
        code == 2 && why.contains("demo-least: expected a number from 0 to 1000000000, found -3"),
        "{why}"
    );
    let (code, _, why) = run(&["--demo-separator", "tab"]);
    assert!(code == 2 && why.contains("--demo-separator goes with --export demo-csv"), "{why}");
    let (_, help, _) = run(&["--help"]);
    assert!(help.contains("  lanescope trace.demo --export demo-csv"), "an example of the system");
    let (head, rest) = help.split_once("\nDemo:\n").expect("a heading for the system");
    assert!(rest.contains("--demo-least <NUMBER>") && rest.contains("ignore shorter slices"));
    assert!(!head.contains("--demo"), "parameters stand below their system only");
}

#[test]
fn requests_answer_for_the_values_that_are_set() {
    let (mut doc, _) = open_case("demo", "units");
    let ask = r#"{"id": 1, "command": "demo/units", "params": {"unit": "vector"}}"#;
    assert!(
        doc.request(ask).text.contains(r#""body":{"units":[["vector",150.0]]}"#),
        "{}",
        doc.request(ask).text
    );
    set(&mut doc, &[("demo-weights", "vector,2")]);
    assert!(doc.request(ask).text.contains(r#"["vector",300.0]"#));
    let unknown = doc.request(r#"{"command": "demo/units", "params": {"unit": "scalar"}}"#);
    assert!(unknown.text.contains("Unknown unit scalar: expected one of vector, cube."), "{}", unknown.text);
}

/// The numbers of the colors of slices in the timeline, and what its legend says.
fn colored(doc: &mut Document, color: Option<&str>) -> (Vec<u8>, Vec<(String, String)>) {
    let frame = timeline::Frame { ratio: 1.0, folding: Folding::Open, ..timeline::Frame::default() };
    let frame = timeline::Frame { color: color.map(str::to_owned), ..frame };
    let palette = Palette::from_css(include_str!("../../../style/tokens.css"), "light");
    let size = Size { w: 1_000.0, h: 600.0 };
    let (Scene { shapes, .. }, Some(note)) = doc.draw(&frame, size, &palette) else { panic!("a timeline") };
    let spans = shapes.iter().filter_map(|shape| match shape {
        Shape::Spans(spans) => Some(spans.spans.iter()),
        _ => None,
    });
    let mut numbers: Vec<u8> = spans
        .flatten()
        .filter_map(|span| if let Ink::Slice(number) = span.ink { Some(number) } else { None })
        .collect();
    numbers.sort_unstable();
    numbers.dedup();
    (numbers, note.legend.into_iter().map(|item| (item.ink, item.name)).collect())
}

#[test]
fn slices_have_the_colors_of_their_units() {
    let (mut doc, _) = open_case("demo", "units");
    let head = doc.head();
    let offered: Vec<&str> = head.colors.iter().filter(|c| c.applies).map(|c| c.id.as_str()).collect();
    assert!(head.color == "demo-unit" && offered.contains(&"demo-unit"), "{} of {offered:?}", head.color);
    let (numbers, legend) = colored(&mut doc, None);
    assert_eq!(numbers, [1, 4]);
    let item = |ink: &str, name: &str| (ink.to_owned(), name.to_owned());
    assert_eq!(legend, [item("p1", "Vector units"), item("p4", "Cube units")]);
    let (_, by_name) = colored(&mut doc, Some("name"));
    assert_eq!(by_name.len(), 3, "copy, matmul and add: {by_name:?}");
    // A trace of another system is not offered the scheme.
    let (doc, _) = open_case("trace_event", "operator_late");
    assert!(doc.head().colors.iter().any(|c| c.id == "demo-unit" && !c.applies));
}

#[test]
fn a_prefix_finds_the_slices_of_a_unit() {
    let (mut doc, _) = open_case("demo", "units");
    let mut found = |text: &str| -> Vec<String> {
        let search = SearchQuery { text: text.to_owned(), ..SearchQuery::default() };
        doc.query(&timeline::TimelineQuery::Search { search, current: Current::Time(0) });
        let (trace, listed) = (doc.trace(), &doc.derived().timeline.found().expect("a search").listed);
        let name = |id: &SliceId| trace.tracks.get(id.track).slices.name[id.row as usize];
        listed.iter().map(|id| trace.strings.get(name(id)).to_owned()).collect()
    };
    assert_eq!(found("unit:vector"), ["copy", "add"]);
    assert_eq!(found("unit: cube"), ["matmul"]);
    assert_eq!(found("unit:scalar"), [""; 0]);
    assert_eq!(found("vector"), [""; 0], "without the prefix names are searched");
}

/// Parameters stand in the address beside what the page writes there, and on the command line beside its own options.
#[test]
fn parameters_have_names_of_their_own() {
    let taken = [
        "view", "window", "slice", "range", "tracks", "line", "address", "figure", "baseline", "lang",
        "theme", "colors", "help", "open", "list", "compare", "export", "svg", "operator", "request", "out",
        "size", "version",
    ];
    let mut ids: Vec<&str> = lanescope::systems::parameters().map(|parameter| parameter.id).collect();
    let wrong: Vec<&&str> = ids.iter().filter(|id| taken.contains(*id) || id.contains('.')).collect();
    assert!(wrong.is_empty(), "{wrong:?} are taken");
    ids.sort_unstable();
    assert!(ids.windows(2).all(|pair| pair[0] != pair[1]), "a parameter of two systems: {ids:?}");
}
