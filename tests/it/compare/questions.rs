//! Two opened documents: one packs, the other joins, answers and draws.

use crate::support::front_door::open_one;
use crate::support::make_ascend::{Container, NO_VERSION};
use lanescope::base::geometry::{Point, Size};
use lanescope::base::time::Span;
use lanescope::base::unit::Unit;
use lanescope::document::Document;
use lanescope::model::build::TraceBuilder;
use lanescope::model::code::{CodeScope, ListingKind};
use lanescope::model::figure::{Axis, Body, Cell, Family, Figure, HeatMap};
use lanescope::model::id::ListingId;
use lanescope::model::{Table, TableCells, TableColumn};
use lanescope::scene::palette::{Ink, Palette};
use lanescope::scene::table::PageRequest;
use lanescope::scene::{Scene, Shape};
use lanescope::views::code::messages::{Arrange, CodeQuery as Code, Column, Frame, Note, Reply as CodeReply};
use lanescope::views::timeline::messages::{TotalsBy, WorkQuery, WorkReply};
use lanescope::wire::figures::{
    FigureQuery as Figures, Frame as FigureFrame, LONG_TABLE, Reply as FigureReply,
};
use lanescope::wire::rows::{RowsQuery, Source};
use lanescope::wire::{Answer, Ask, Query};
use serde_json::json;

/// A kernel of four lines and three instructions, and a trace of two pipes. `lines` are the source's texts, `cycles`
/// those of line 2 and of line 3, `instructions` their texts with cycles, and every copy lasts `copy` µs.
pub(crate) fn kernel(
    duration: f64,
    lines: [&str; 4],
    cycles: [u32; 2],
    instructions: [(&str, u32); 3],
    copies: &[f64],
) -> Vec<u8> {
    let base = json!({"name": "scale_add", "soc": "Ascend910B4", "op_type": "vector", "block_dim": "2",
        "duration": duration, "device_id": "0", "pid": "7"});
    let line = |line: u32, cycles: u32| json!({"Line": line, "Address Range": [], "Cycles": [cycles]});
    let files = json!({"Cores": ["core0.veccore0"],
        "Files": [{"Source": "/k/scale.cpp", "Lines": [line(2, cycles[0]), line(3, cycles[1])]}],
        "Files Dtype": {"Lines": {"Address Range": 0, "Line": 1, "Cycles": 1}}});
    let rows: Vec<_> = instructions
        .iter()
        .enumerate()
        .map(|(i, (text, cycles))| {
            json!({"Address": format!("0x{:x}", 0x1000 + i * 8), "Source": text, "Cycles": [cycles]})
        })
        .collect();
    let code = json!({"Cores": ["core0.veccore0"], "Instructions": rows,
        "Instructions Dtype": {"Instructions": {"Address": 3, "Source": 3, "Cycles": 1}}});
    let mut events = Vec::new();
    let mut at = 10.0;
    for copy in copies {
        events.push(json!({"ph": "X", "name": "COPY", "pid": "core0", "tid": "MTE2", "ts": at, "dur": copy}));
        events.push(
            json!({"ph": "X", "name": "MUL", "pid": "core0", "tid": "VECTOR", "ts": at + copy, "dur": 2.0}),
        );
        at += copy + 2.0;
    }
    let trace = json!({"traceEvents": events}).to_string();
    Container::default()
        .json(5, &base)
        .source("/k/scale.cpp", &(lines.join("\n") + "\n"))
        .json(3, &files)
        .block(4, 0, code.to_string().as_bytes())
        .block(2, NO_VERSION, trace.as_bytes())
        .0
}

pub(crate) fn before() -> Vec<u8> {
    let lines = ["void f() {", "  copy();", "  mul();", "}"];
    kernel(120.5, lines, [100, 40], [("MOV a, b", 60), ("MUL c, d", 40), ("ADD e, f", 7)], &[4.0, 4.0])
}

pub(crate) fn after() -> Vec<u8> {
    let lines = ["void f() {", "  copy_fast();", "  copy();", "}"];
    kernel(100.25, lines, [30, 80], [("MOV a, b", 50), ("MULA c, d", 41), ("ADD e, f", 9)], &[3.0, 3.0, 3.5])
}

pub(super) fn two() -> (Document, Document) {
    let (a, b) = (open_one("before.bin", before()), open_one("after.bin", after()));
    assert!(a.1 && b.1);
    (a.0, b.0)
}

/// One document packs, the other joins.
fn join<A: Ask>(a: &mut Document, b: &mut Document, packed: A, joined: A) -> Result<A::Answer, String> {
    let answer = match a.query(&packed.query()) {
        (Answer::Packed, Some(bytes)) => b.query_with(&joined.query(), &bytes).0,
        (answer, _) => answer,
    };
    if let Answer::Failed(why) = answer { Err(why) } else { Ok(A::answered(answer)) }
}

#[test]
fn a_figure_is_joined_in_the_worker_of_the_comparison() {
    let (mut a, mut b) = two();
    let id = "base-info".to_owned();
    let packed = Figures::Packed { id: id.clone(), chosen: Vec::new() };
    let joined = Figures::Compare { id, chosen: Vec::new() };
    let Ok(Some(FigureReply::Figure(shown))) = join(&mut a, &mut b, packed, joined.clone()) else {
        panic!("no figure");
    };
    let Body::Table(table) = &shown.figure.body else { panic!("no table") };
    let duration = table.rows.iter().find(|r| r[0] == Cell::Text("Duration".into())).unwrap();
    assert_eq!(duration[1..], [Cell::Number(120.5), Cell::Number(100.25), Cell::Number(-20.25)]);
    // It can be saved as it is shown.
    let (answer, bytes) = b.query(&Query::Export { id: "figures-csv:base-info::compared".into() });
    let text = String::from_utf8(bytes.unwrap_or_default()).unwrap();
    assert!(text.contains("Duration") && text.contains("-20.25"), "{answer:?} {text}");
    // Bytes that are no figure are refused.
    assert!(matches!(b.query_with(&joined.query(), &[0xff; 9]).0, Answer::Failed(_)));
}

const CORE: &str = "core0.veccore0";

fn cycles(kind: ListingKind, title: &str) -> Code {
    let column = Column {
        kind,
        title: title.to_owned(),
        kernel: String::new(),
        nth: 0,
        is_of_all: false,
        column: "Cycles".to_owned(),
        core: CORE.to_owned(),
    };
    Code::Packed(column)
}

/// Number of the listing of a kind, its title, and of its cycles.
fn listing(doc: &mut Document, kind: ListingKind) -> (ListingId, String, u16) {
    let Some(CodeReply::Listings(all)) = doc.query(&Code::Listings).0 else { panic!() };
    let head = all.listings.iter().find(|l| l.kind == kind).unwrap();
    let column = head.columns.iter().position(|c| c.name == "Cycles").unwrap();
    (head.id, head.title.clone(), column as u16)
}

fn differences(doc: &mut Document, listing: ListingId) -> Vec<String> {
    let ask = Code::Rows { listing, core: 0, arrange: Arrange::default(), from: 0, n: 9 };
    match doc.query(&ask).0 {
        Some(CodeReply::Rows { rows, .. }) => rows.into_iter().map(|r| r.difference).collect(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn lines_and_instructions_say_their_difference() {
    let (mut a, mut b) = two();
    let (id, title, column) = listing(&mut b, ListingKind::Source);
    assert_eq!(differences(&mut b, id), ["", "", "", ""]);
    let compare = Code::Compare { listing: id, column, core: 0 };
    let answer = join(&mut a, &mut b, cycles(ListingKind::Source, &title), compare);
    // copy() moved from line 2 to 3 and fell from 100 to 80; copy_fast() is new; mul() with its 40 is gone.
    assert_eq!(answer, Ok(Some(CodeReply::Compared { met: 3, new: 1, gone: 1 })));
    assert_eq!(differences(&mut b, id), ["", "added", "−20 (−20 %, 0.8×)", ""]);

    let (id, title, column) = listing(&mut b, ListingKind::Assembly);
    let compare = Code::Compare { listing: id, column, core: 0 };
    let answer = join(&mut a, &mut b, cycles(ListingKind::Assembly, &title), compare);
    assert_eq!(answer, Ok(Some(CodeReply::Compared { met: 2, new: 1, gone: 1 })));
    assert_eq!(differences(&mut b, id), ["−10 (−16.7 %, 0.833×)", "added", "+2 (+28.6 %, 1.29×)"]);
    let (scene, note) = drawn(&mut b, id, true);
    assert!(note.columns.iter().any(|c| c.title == "Δ Cycles"), "{:?}", note.columns);
    assert_eq!(ink_of(&scene, "−10 (−16.7 %, 0.833×)"), Some(Ink::Token("better")));
    assert_eq!(ink_of(&scene, "+2 (+28.6 %, 1.29×)"), Some(Ink::Token("worse")));
    // The same frame without a baseline has no such column.
    assert_eq!(ink_of(&drawn(&mut b, id, false).0, "−10 (−16.7 %, 0.833×)"), None);
}

/// What a difference is in percent may take more letters than the values do.
#[test]
fn the_longest_difference_is_drawn_whole() {
    let lines = ["void f() {", "  copy();", "  mul();", "}"];
    let of = |cycles: u32| {
        kernel(9.0, lines, [1, 1], [("MOV a, b", cycles), ("MUL c, d", 4), ("ADD e, f", 7)], &[4.0])
    };
    let (mut a, mut b) = (open_one("before.bin", of(192)).0, open_one("after.bin", of(24_576)).0);
    let (id, title, column) = listing(&mut b, ListingKind::Assembly);
    let compare = Code::Compare { listing: id, column, core: 0 };
    join(&mut a, &mut b, cycles(ListingKind::Assembly, &title), compare).unwrap();
    assert!(ink_of(&drawn(&mut b, id, true).0, "+24,384 (+12,700 %, 128×)").is_some());
    // Where the code has less than its share of the width, the factor gives way to it.
    assert!(ink_of(&drawn_in(&mut b, id, 420.0).0, "+24,384 (+12,700 %)").is_some());
}

fn drawn(doc: &mut Document, listing: ListingId, is_compared: bool) -> (Scene, Note) {
    let frame = Frame { listing, row_px: 20.0, char_px: 7.0, is_compared, ..Frame::default() };
    let (scene, note) = doc.draw(&frame, Size { w: 900.0, h: 200.0 }, &Palette::default());
    (scene, note.unwrap())
}

/// Beside a baseline, in a width.
fn drawn_in(doc: &mut Document, listing: ListingId, w: f32) -> (Scene, Option<Note>) {
    let frame = Frame { listing, row_px: 20.0, char_px: 7.0, is_compared: true, ..Frame::default() };
    doc.draw(&frame, Size { w, h: 200.0 }, &Palette::default())
}

fn ink_of(scene: &Scene, words: &str) -> Option<Ink> {
    scene.shapes.iter().find_map(|s| match s {
        Shape::Text { text, ink, .. } if text == words => Some(*ink),
        _ => None,
    })
}

#[test]
fn what_the_baseline_does_not_have_is_said() {
    let (mut a, _) = two();
    let refused = |doc: &mut Document, column: Column| match doc.query(&Code::Packed(column).query()).0 {
        Answer::Failed(why) => why,
        other => panic!("{other:?}"),
    };
    let column = |title: &str, column: &str, core: &str| Column {
        kind: ListingKind::Source,
        kernel: String::new(),
        nth: 0,
        is_of_all: false,
        title: title.to_owned(),
        column: column.to_owned(),
        core: core.to_owned(),
    };
    assert_eq!(
        refused(&mut a, column("/k/other.cpp", "Cycles", CORE)),
        "This listing is not in the baseline."
    );
    assert_eq!(refused(&mut a, column("/k/scale.cpp", "Bytes", CORE)), "This column is not in the baseline.");
    let why = refused(&mut a, column("/k/scale.cpp", "Cycles", "core9"));
    assert_eq!(why, "No data for this core in the baseline.");
    // The same file in another folder is the same listing.
    let (answer, _) = a.query(&Code::Packed(column("/home/me/scale.cpp", "Cycles", CORE)).query());
    assert_eq!(answer, Answer::Packed);
}

#[test]
fn slices_add_up_by_name_and_by_pipe() {
    let (_, mut b) = two();
    let mut totals = |span: Option<Span>, by: TotalsBy| -> Vec<(String, u64, f64)> {
        match b.query(&WorkQuery::Totals { span, by }).0 {
            Some(WorkReply::Totals(totals)) => {
                totals.rows.into_iter().map(|(name, sum)| (name, sum.count, sum.total)).collect()
            }
            other => panic!("{other:?}"),
        }
    };
    let row = |name: &str, n: u64, total: f64| (name.to_owned(), n, total);
    assert_eq!(totals(None, TotalsBy::Name), [row("COPY", 3, 9_500.0), row("MUL", 3, 6_000.0)]);
    assert_eq!(totals(None, TotalsBy::Track), [row("MTE2", 3, 9_500.0), row("VECTOR", 3, 6_000.0)]);
    // The first COPY and the first MUL: from 10 to 15 µs.
    let first = totals(Some(Span::new(10_000, 15_000)), TotalsBy::Name);
    assert_eq!(first, [row("COPY", 1, 3_000.0), row("MUL", 1, 2_000.0)]);
}

/// A document with one heat map of 512 × 256 cells: all are `value`, but for one that is 9.
fn mapped(value: f32) -> Document {
    let axis = || Axis { to: 512.0, ..Axis::default() };
    let mut values = vec![value; 512 * 256];
    values[512 * 128 + 256] = 9.0;
    let map = HeatMap { x: axis(), y: axis(), width: 512, height: 256, values, ..HeatMap::default() };
    let mut builder = TraceBuilder::default();
    builder.head().figures = vec![Family::single("map", "", Figure::new("Map", Body::HeatMap(map)))];
    Document::of(builder)
}

#[test]
fn a_dense_heat_map_is_joined_and_drawn_without_its_cells_crossing_to_the_page() {
    let (mut a, mut b) = (mapped(2.0), mapped(5.0));
    let id = || "map".to_owned();
    let frame = |is_compared| FigureFrame { id: id(), is_compared, ..FigureFrame::default() };
    let packed = Figures::Packed { id: id(), chosen: Vec::new() };
    let joined = Figures::Compare { id: id(), chosen: Vec::new() };
    let answer = join(&mut a, &mut b, packed, joined);
    assert!(lanescope::wire::pack(answer.as_ref().unwrap()).len() < 10_000);
    let Ok(Some(FigureReply::Figure(shown))) = answer else { panic!("no figure") };
    // 5 − 2 everywhere, and nothing where both have 9.
    assert_eq!((shown.is_dense, shown.range), (true, Some((0.0, 3.0))));
    let size = Size { w: 700.0, h: 500.0 };
    let mut said = |is_compared| {
        let at = Point { x: 350.0, y: 100.0 };
        let ask = Figures::ReadOut { frame: frame(is_compared), size, at };
        match b.query(&ask).0 {
            Some(FigureReply::ReadOut(words)) => words.unwrap_or_default(),
            other => panic!("{other:?}"),
        }
    };
    assert!(said(true).ends_with("\t+3"), "{}", said(true));
    assert!(said(false).ends_with("\t5"), "{}", said(false));
}

/// A document with a long table of blocks: number, unit, cycles.
fn listed(id: &str, rows: &[(u64, &str, f64)]) -> Document {
    let column = |name: &str, unit, cells| TableColumn { name: name.to_owned(), unit, cells };
    let columns = vec![
        column("Block", Unit::None, TableCells::Integers(rows.iter().map(|row| row.0).collect())),
        column("Unit", Unit::None, TableCells::Texts(rows.iter().map(|row| row.1.to_owned()).collect())),
        column("Cycles", Unit::Cycles, TableCells::Numbers(rows.iter().map(|row| row.2).collect())),
    ];
    let (title, notes) = ("Blocks".to_owned(), Vec::new());
    let table =
        Table { id: id.to_owned(), title, columns, notes, scope: CodeScope::default(), phrases: Vec::new() };
    let mut builder = TraceBuilder::default();
    builder.head().tables = vec![table];
    Document::of(builder)
}

#[test]
fn a_long_table_is_joined_by_its_names_with_value_baseline_and_difference() {
    let mut a = listed("blocks", &[(0, "cube", 100.0), (0, "vector", 40.0), (1, "cube", 7.0)]);
    // The order of rows is another; block 2 is new, block 1 is gone.
    let mut b = listed("blocks", &[(0, "vector", 50.0), (0, "cube", 65.0), (2, "cube", f64::NAN)]);
    let id = || format!("{LONG_TABLE}blocks");
    let packed = || Figures::Packed { id: id(), chosen: Vec::new() };
    let joined = || Figures::Compare { id: id(), chosen: Vec::new() };
    let answer = join(&mut a, &mut b, packed(), joined());
    let Ok(Some(FigureReply::Figure(shown))) = answer else { panic!("{answer:?}") };
    assert_eq!(shown.figure.notes, ["Only in the baseline: 1 cube", "Only in the comparison: 2 cube"]);
    let source = Source::Figure { id: id(), chosen: Vec::new(), is_compared: true, is_folded: false };
    let wanted = PageRequest { n: 9, ..PageRequest::default() };
    let Answer::Rows(Some(reply)) = b.query(&Query::Rows(RowsQuery { table: 1, source, wanted })).0 else {
        panic!("no rows")
    };
    let heads: Vec<&str> = reply.page.columns.iter().map(|column| column.title.as_str()).collect();
    assert_eq!(heads, ["Block", "Unit", "Cycles A", "Cycles B", "Cycles (difference)"]);
    let last = |row: usize| reply.page.rows[row].last().map_or("", |cell| cell.text.as_str());
    assert!(last(0).ends_with("(+25 %, 1.25×)"), "{}", last(0));
    assert!(last(1).ends_with("(−35 %, 0.65×)"), "{}", last(1));
    // What one side lacks stays missing.
    assert_eq!((reply.page.rows.len(), last(2), last(3)), (4, "", ""));
    let mut other = listed("other", &[(0, "cube", 1.0)]);
    let answer = join(&mut other, &mut b, packed(), joined());
    assert_eq!(answer.unwrap_err(), "This table is not in the baseline.");
}
