//! Rooflines, cache lines, cache records, stall reasons, heat tables and unknown blocks, against numbers computed by hand.

mod alone;
mod cache;
mod groups;
mod old;
mod roofline;
mod workload;

use super::corpus::{ascend, files};
use super::{codes, family};
use crate::support::front_door::open_one;
use crate::support::make_ascend::{Container, NO_VERSION};
use lanescope::base::geometry::Size;
use lanescope::base::words::Language;
use lanescope::document::Document;
use lanescope::draw;
use lanescope::draw::style::DrawStyle;
use lanescope::model::figure::{Bars, Body, Cell, Figure, FigureState, TableFigure};
use lanescope::model::files::BlockState;
use lanescope::scene::Shape;
use lanescope::scene::palette::Palette;
use lanescope::wire::{Answer, Query};
use serde_json::{Value, json};
use std::fs;

/// A document of one block.
fn of_block(kind: u8, payload: &[u8]) -> Document {
    let (doc, ready) =
        open_one("visualize_data.bin", Container::default().block(kind, NO_VERSION, payload).0);
    assert!(ready);
    doc
}

fn of_json(kind: u8, payload: &Value) -> Document {
    of_block(kind, payload.to_string().as_bytes())
}

/// A payload of other people's tests by a part of its name, where it is at hand.
fn payload(name: &str) -> Option<Vec<u8>> {
    let files = files(ascend()?.join("payloads"), "json");
    let path = files.into_iter().find(|p| p.file_name().unwrap().to_string_lossy().contains(name));
    Some(fs::read(path.expect("the payload is in the corpus")).unwrap())
}

fn table(doc: &Document, id: &str) -> TableFigure {
    match &family(doc, id).variants[0].body {
        Body::Table(table) => table.clone(),
        other => panic!("{other:?}"),
    }
}

fn text(text: &str) -> Cell {
    Cell::Text(text.to_owned())
}

/// What hovering the drawn figure says, one text for each region.
fn hovered(figure: &Figure, state: &FigureState) -> Vec<String> {
    let palette = Palette::default();
    let look = DrawStyle { palette: &palette, language: Language::En };
    let size = Size { w: 700.0, h: draw::height(figure, 700.0, Language::En) };
    let shapes = draw::draw(figure, size, &look, state).shapes.into_iter();
    let names = shapes.filter_map(|s| if let Shape::Hit { name, .. } = s { Some(name) } else { None });
    names.collect()
}

#[test]
fn stall_reasons_are_sorted_and_what_is_no_count_is_said() {
    let reasons = json!({"Others": 3, "Nop_Cycles": "12", "IBuf_Empty": 1.5, "Resource_conflict": -2, "Active": "x", "Zero": 0});
    let doc = of_json(0x0f, &json!({"top_stall_reason_table": reasons}));
    let Body::Bars(Bars { bars, .. }) = &family(&doc, "stall-reasons").variants[0].body else {
        panic!("bars")
    };
    let shown: Vec<(&str, Option<f64>, &str)> =
        bars.iter().map(|b| (b.name.as_str(), b.values[0], b.detail.as_str())).collect();
    let expected =
        [("Nop_Cycles", Some(12.0), "80.0 %"), ("Others", Some(3.0), "20.0 %"), ("Zero", Some(0.0), "0.0 %")];
    assert_eq!(shown, expected);
    let rows = table(&doc, "stall-table").rows;
    assert_eq!(rows[1], [text("Others"), Cell::Number(3.0), Cell::Number(0.2)]);
    assert_eq!(codes(&doc), ["ASC-FIELD"; 3]);
    if let Some(bytes) = payload("stallJson") {
        // 100 + 200 + 300 + 400 + 500 + 600 + 700 + 400 = 3,200.
        let rows = table(&of_block(0x0f, &bytes), "stall-table").rows;
        assert_eq!(rows[0], [text("Divergence_Stack_Spill"), Cell::Number(700.0), Cell::Number(0.218_75)]);
        assert_eq!(rows.len(), 8);
    }
}

#[test]
fn unknown_blocks_have_names_and_can_be_read_as_text() {
    let container = Container::default()
        .json(5, &json!({"name": "x"}))
        .block(0x00, NO_VERSION, b"{\"zero\":0}")
        .block(0x10, NO_VERSION, b"{\"future\":[1,2]}")
        .block(0xff, NO_VERSION, &[1, 2, 250, 4])
        .json(15, &json!({"top_stall_reason_table": {"Others": 3}}));
    let (mut doc, ready) = open_one("visualize_data.bin", container.0);
    assert!(ready);
    let blocks: Vec<(String, BlockState)> =
        doc.trace().blocks.iter().map(|b| (b.name.clone(), b.state)).collect();
    let unknown = |name: &str| (name.to_owned(), BlockState::Unknown);
    assert_eq!(blocks[1..4], [unknown("INVALID"), unknown("UNKNOWN_0x10"), unknown("UNKNOWN_0xFF")]);
    assert_eq!(blocks[4].1, BlockState::Read);
    let mut text_of = |block: u32| match doc.query(&Query::Block { block }).0 {
        Answer::Text { text, .. } => text,
        other => panic!("{other:?}"),
    };
    assert!(text_of(1).contains("\"zero\""));
    assert!(text_of(2).contains("\"future\""));
    assert!(text_of(3).to_lowercase().contains("fa"), "{}", text_of(3));
    let (answer, file) = doc.query(&Query::Export { id: "blocks-json".to_owned() });
    assert!(matches!(answer, Answer::File { .. }), "{answer:?}");
    let file = String::from_utf8(file.expect("bytes").to_vec()).unwrap();
    let lines: Vec<Value> = file.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    assert_eq!(lines[2]["payload"]["future"], json!([1, 2]));
    assert_eq!(lines[3]["payload"], "AQL6BA==");
}
