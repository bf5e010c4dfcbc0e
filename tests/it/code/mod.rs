//! Source and instructions: hand tables for the definitions, fast against obvious, and what a frame shows.

mod kernels;
mod pairs;
mod picture;
mod slices;

use lanescope::analysis::code::syntax::{Class, LexState, Token, lex};
use lanescope::analysis::code::{ColumnSummary, HOTTEST, RegisterTracks, SearchQuery, find_in, heat};
use lanescope::base::geometry::Size;
use lanescope::base::map::Set;
use lanescope::base::unit::Unit;
use lanescope::document::Document;
use lanescope::model::build::TraceBuilder;
use lanescope::model::code::{
    ALL_CORES, Cells, Code, CodeAddress, CodeScope, Column, ColumnStyle, Field, Lines, Links, Listing,
    ListingKind, Parts, RegisterUse, Rows,
};
use lanescope::model::id::ListingId;
use lanescope::scene::palette::{Ink, Palette};
use lanescope::scene::{Scene, Shape};
use lanescope::views::code::messages::{Arrange, CodeQuery, Frame, Note, Reply};

use proptest::prelude::*;

const SOURCE: ListingId = ListingId(0);
const ASSEMBLY: ListingId = ListingId(1);

/// The number of the listing with this title.
fn listing_id(doc: &Document, title: &str) -> ListingId {
    let at = doc.trace().code.listings.iter().position(|l| l.title == title);
    ListingId(at.expect("the listing is there") as u32)
}

fn numbers(name: &str, style: ColumnStyle, values: Vec<f64>, stride: usize) -> Column {
    let unit = if name == "Cycles" { Unit::Cycles } else { Unit::None };
    let cells = Cells::Numbers { values, stride, rows: Rows::All };
    Column { name: name.to_owned(), unit, style, counts: None, cells }
}

/// Six lines of source and eight instructions on two cores. Line 3 (row 2) owns instructions 1 to 3, line 5 owns 6,
/// and both own instruction 5.
fn code() -> Code {
    let text = "#include <kernel.h>\nvoid f(int n) {\n  for (int i = 0; i < n; ++i) {\n\tg<T>(i); // 你好\n  h(n);\n}\n";
    let nan = f64::NAN;
    let cycles = vec![nan, nan, 5., 7., 100., 300., 40., 0., 1., 2., nan, nan];
    let source = Listing {
        title: "/src/kernel.cpp".to_owned(),
        kind: ListingKind::Source,
        scope: CodeScope::default(),
        language: "cpp".to_owned(),
        lines: Lines::split(text),
        address: Vec::new(),
        columns: vec![numbers("Cycles", ColumnStyle::Bar, cycles, 2)],
        has_text: true,
        parts: Vec::new(),
        repeats: Vec::new(),
    };
    let mut lines = Lines::default();
    for i in 0..8 {
        lines.push(&format!("MOV X{i}, #0x{i:x}"));
    }
    let parts = |share, a, b| Parts { share, parts: vec![("wait".to_owned(), a), ("memory".to_owned(), b)] };
    let stalls = (0..8).map(|i| parts((i != 4).then_some(f64::from(i) / 10.0), f64::from(i), 1.0)).collect();
    let pipes = ["S", "V", "V", "M", "M10", "M2", "", "S"].map(str::to_owned).to_vec();
    let assembly = Listing {
        title: "Instructions".to_owned(),
        kind: ListingKind::Assembly,
        scope: CodeScope::default(),
        language: "asm".to_owned(),
        lines,
        address: (0..8).map(|i| 0x1000 + i * 8).collect(),
        columns: vec![
            Column {
                name: "Pipe".to_owned(),
                unit: Unit::None,
                style: ColumnStyle::Plain,
                counts: None,
                cells: Cells::Texts { values: pipes, stride: 1, rows: Rows::All },
            },
            numbers("Cycles", ColumnStyle::Bar, vec![5., nan, 70., 30., 70., -1., 9., 0.], 1),
            Column {
                name: "Stall Sampling(All Samples)".to_owned(),
                unit: Unit::Share,
                style: ColumnStyle::Stacked,
                counts: None,
                cells: Cells::Parts { values: stalls, stride: 1, rows: Rows::All },
            },
        ],
        has_text: true,
        parts: Vec::new(),
        repeats: Vec::new(),
    };
    let pairs = vec![(2, 3), (2, 1), (2, 2), (4, 6), (4, 5), (2, 5), (2, 1)];
    Code {
        cores: vec!["core0".to_owned(), "core1".to_owned()],
        listings: vec![source, assembly],
        links: vec![Links::new(SOURCE, ASSEMBLY, pairs)],
        missing: String::new(),
        ..Code::default()
    }
}

fn document(code: Code) -> Document {
    let mut builder = TraceBuilder::default();
    builder.head().code = code;
    Document::of(builder)
}

fn ask(doc: &mut Document, ask: CodeQuery) -> Reply {
    match doc.query(&ask).0 {
        Some(reply) => reply,
        other => panic!("{other:?}"),
    }
}

fn frame(listing: ListingId) -> Frame {
    Frame { listing, row_px: 20.0, char_px: 7.0, ..Frame::default() }
}

fn draw(doc: &mut Document, frame: Frame) -> (Scene, Note) {
    let size = Size { w: 800.0, h: 100.0 };
    match doc.draw(&frame, size, &Palette::default()) {
        (scene, Some(note)) => (scene, note),
        (_, other) => panic!("{other:?}"),
    }
}

fn texts(scene: &Scene) -> Vec<&str> {
    let text = scene
        .shapes
        .iter()
        .map(|s| if let Shape::Text { text, .. } = s { Some(text.as_str()) } else { None });
    text.flatten().collect()
}

fn rows(doc: &mut Document, arrange: Arrange) -> Vec<u32> {
    match ask(doc, CodeQuery::Rows { listing: ASSEMBLY, core: 0, arrange, from: 0, n: 100 }) {
        Reply::Rows { rows, .. } => rows.iter().map(|r| r.row).collect(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn heat_is_the_root_of_the_share_and_nothing_below_four_per_mille() {
    assert_eq!(heat(25.0, 100.0), 0.5);
    assert_eq!(heat(100.0, 100.0), 1.0);
    assert_eq!(heat(0.39, 100.0), 0.0);
    assert!(0.06 < heat(0.41, 100.0));
    for cold in [0.0, -1.0, f64::NAN] {
        assert_eq!(heat(cold, 100.0), 0.0);
        assert_eq!(heat(1.0, cold), 0.0);
    }
}

#[test]
fn columns_are_summed_for_each_core_and_missing_values_do_not_count() {
    let code = code();
    let of = |listing: usize, column: usize, core| {
        let listing = &code.listings[listing];
        ColumnSummary::of(&listing.columns[column], listing.lines.len(), core)
    };
    let (first, second) = (of(0, 0, 0), of(0, 0, 1));
    assert_eq!((first.max, first.total, first.n), (100.0, 146.0, 4));
    assert_eq!((second.max, second.total, second.n), (300.0, 309.0, 4));
    assert_eq!(first.hottest, [2, 3, 1, 4]);
    assert_eq!(second.hottest, [2, 1, 4]);
    // All together: row by row, what is missing of a core left out.
    let all = of(0, 0, usize::from(ALL_CORES));
    let column = &code.listings[0].columns[0];
    let sums = (0..code.listings[0].lines.len()).filter_map(|row| {
        (0..2).filter_map(|core| column.cells.number(row, core)).filter(|v| 0.0 <= *v).reduce(|a, b| a + b)
    });
    let sums: Vec<f64> = sums.collect();
    assert_eq!((all.total, all.n), (sums.iter().sum(), sums.len()));
    assert_eq!(all.max, sums.iter().copied().fold(0.0, f64::max));
    assert_eq!(all.total, first.total + second.total);
    let share = Column { unit: Unit::Percent, ..numbers("Cycles", ColumnStyle::Share, vec![10.0, 20.0], 2) };
    assert_eq!((share.number(0, 1), share.number(0, usize::from(ALL_CORES))), (Some(20.0), None), "no sum");
    let once = numbers("Cycles", ColumnStyle::Bar, vec![10.0], 1);
    assert_eq!(once.number(0, usize::from(ALL_CORES)), Some(10.0), "one value for all");
    let unknown_core = of(1, 1, 7);
    assert_eq!((unknown_core.max, unknown_core.n, unknown_core.decimals), (70.0, 6, 0));
    assert_eq!(unknown_core.hottest, [2, 4, 3, 6, 0], "equal values stand in the order of rows");
    let reasons: Vec<_> = of(1, 2, 0).reasons.iter().map(|r| (r.name.clone(), r.total)).collect();
    assert_eq!(reasons, [("wait".to_owned(), 28.0), ("memory".to_owned(), 8.0)]);
}

#[test]
fn lines_and_instructions_find_each_other() {
    let doc = &mut document(code());
    let linked = |doc: &mut Document, listing, row| match ask(doc, CodeQuery::Linked { listing, row }) {
        Reply::Linked(rows) => rows.into_iter().map(|l| (l.listing, l.first, l.n)).collect::<Vec<_>>(),
        other => panic!("{other:?}"),
    };
    assert_eq!(linked(doc, SOURCE, 2), [(ASSEMBLY, 1, 4)]);
    assert_eq!(linked(doc, ASSEMBLY, 5), [(SOURCE, 2, 2)]);
    assert_eq!(linked(doc, SOURCE, 0), []);
    let only = Arrange { only: Some((SOURCE, 2)), ..Arrange::default() };
    assert_eq!(rows(doc, only), [1, 2, 3, 5]);
    let mut at = |ask_for: CodeQuery| match ask(doc, ask_for) {
        Reply::At(rows) => rows.into_iter().map(|at| (at.listing, at.row)).collect::<Vec<_>>(),
        other => panic!("{other:?}"),
    };
    let address = |address| CodeQuery::Address(CodeAddress { listing: None, address });
    assert_eq!(at(address(0x1013)), [(ASSEMBLY, 2)]);
    assert_eq!(at(address(0xfff)), []);
    let line = |path: &str| CodeQuery::Line { path: path.to_owned(), line: 3 };
    assert_eq!(at(line("/src/kernel.cpp")), [(SOURCE, 2)]);
    assert_eq!(at(line("kernel.cpp")), [(SOURCE, 2)]);
    assert_eq!(at(line("/src/other.cpp")), []);
}

#[test]
fn sorted_rows_keep_missing_values_last_in_both_directions() {
    let doc = &mut document(code());
    let by = |column, is_descending| Arrange {
        sort: Some(Field::Column(column)),
        is_descending,
        ..Arrange::default()
    };
    assert_eq!(rows(doc, by(1, true)), [2, 4, 3, 6, 0, 7, 1, 5]);
    assert_eq!(rows(doc, by(1, false)), [7, 0, 6, 3, 2, 4, 1, 5]);
    assert_eq!(rows(doc, by(0, false)), [3, 5, 4, 0, 7, 1, 2, 6], "numbers in names by value");
    let filter = |text: &str| Arrange { filter: text.to_owned(), ..Arrange::default() };
    assert_eq!(rows(doc, filter("x1,")), [1]);
    assert_eq!(rows(doc, filter("m1")), [4]);
    assert_eq!(rows(doc, filter("0x1018")), [3]);
    assert_eq!(rows(doc, filter("nowhere")), [] as [u32; 0]);
}

#[test]
fn a_filter_has_terms_beside_words() {
    let doc = &mut document(code());
    let mut filter = |text: &str| rows(doc, Arrange { filter: text.to_owned(), ..Arrange::default() });
    let all: Vec<u32> = (0..8).collect();
    assert_eq!(filter("op:mo"), all);
    assert_eq!(filter("op:x1"), [] as [u32; 0], "an operand is no opcode");
    // Missing and negative values compare with nothing.
    assert_eq!(filter("cycles>9"), [2, 3, 4]);
    assert_eq!(filter("cyc<=9"), [0, 6, 7]);
    assert_eq!(filter("op:mov cycles>9 x3"), [3]);
    // Shares are percent, by the beginning of any word of the name.
    assert_eq!(filter("stall<15%"), [0, 1]);
    assert_eq!(filter("samples>=60"), [6, 7]);
    // Texts as a whole, or by the number at their end.
    assert_eq!(filter("pipe:m"), [3]);
    assert_eq!(filter("pipe:10"), [4]);
    assert_eq!(filter("pipe:1"), [] as [u32; 0]);
    // What is no term is looked for as it is.
    assert_eq!(filter("mov x5"), [5]);
    assert_eq!(filter("nothing<5"), [] as [u32; 0]);
    assert_eq!(filter("cycles<x"), [] as [u32; 0]);
}

#[test]
fn the_next_hottest_row_stops_at_both_ends() {
    let doc = &mut document(code());
    let mut hot =
        |from, step| match ask(doc, CodeQuery::Hot { listing: ASSEMBLY, column: 1, core: 0, from, step }) {
            Reply::Hot(row) => row.map(|r| (r.row, r.rank, r.ranked)),
            other => panic!("{other:?}"),
        };
    assert_eq!(hot(None, 1), Some((2, 1, 5)));
    assert_eq!(hot(Some(2), 1), Some((4, 2, 5)));
    assert_eq!(hot(Some(0), 1), Some((0, 5, 5)));
    assert_eq!(hot(Some(2), -1), Some((2, 1, 5)));
    assert_eq!(hot(Some(1), 1), Some((2, 1, 5)), "a row without rank begins at the hottest");
}

#[test]
fn search_goes_round_and_counts() {
    let doc = &mut document(code());
    let mut find = |text: &str, is_whole_word, from, is_backward, within| {
        let query = SearchQuery { text: text.to_owned(), is_case_sensitive: false, is_whole_word };
        match ask(doc, CodeQuery::Search { listing: SOURCE, query, from, is_backward, within }) {
            Reply::Found { at, number, total, .. } => (at, number, total),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(find("INT", false, (0, 0), false, None), (Some((1, 7)), 1, 2));
    assert_eq!(find("int", false, (1, 8), false, None), (Some((2, 7)), 2, 2));
    assert_eq!(find("int", false, (2, 8), false, None), (Some((1, 7)), 1, 2), "goes on at the first");
    assert_eq!(find("int", false, (1, 7), true, None), (Some((2, 7)), 2, 2), "goes on at the last");
    assert_eq!(find("n", true, (0, 0), false, None), (Some((1, 11)), 1, 3));
    assert_eq!(find("n", true, (0, 0), false, Some((4, 5))), (Some((4, 4)), 1, 1));
    assert_eq!(find("", false, (0, 0), false, None), (None, 0, 0));
    assert_eq!(find("你", false, (0, 0), false, None), (Some((3, 13)), 1, 1));
}
