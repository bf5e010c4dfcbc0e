//! Blocks 08 and 09: the memory chart in its eleven layouts, the table of paths, and the memory tables.

mod chart;
mod real;
mod spellings;
mod tables;

use super::{codes, family};
use crate::support::front_door::open_one;
use crate::support::make_ascend::Container;
use lanescope::document::Document;
use lanescope::model::figure::{Body, BoxArrow, Cell, Facts, Family, Figure, TableFigure};
use serde_json::{Value, json};

/// A document with one block.
fn block(kind: u8, payload: &Value) -> Document {
    let (doc, ready) = open_one("visualize_data.bin", Container::default().json(kind, payload).0);
    assert!(ready);
    doc
}

/// A memory graph of one core with these paths, each with numbers that tell which it is.
fn core(soc: &str, op_type: &str, paths: &[u16]) -> Value {
    let unit = |id: &u16| {
        json!({"memory_path": id, "request": (1_000_000 + u32::from(*id)).to_string(),
            "bandwidth": (12_000.5 + f64::from(*id)).to_string(), "peak_ratio": (f64::from(*id % 51) * 2.0).to_string(), "display": 1})
    };
    let units: Vec<Value> = paths.iter().map(unit).collect();
    json!({"core_no": "0", "op_type": op_type, "soc": soc, "memory_unit": units,
        "L2cache": {"hit": "30", "miss": "10", "total_request": "40", "hit_ratio": "75.0"},
        "Cube": {"cycle": 1, "ratio": "0.5", "total_cycles": 200},
        "Vector": {"cycle": 2, "ratio": 1.25, "total_cycles": "160"},
        "Vector1": {"cycle": 3, "ratio": 2.5, "total_cycles": 120}})
}

fn graph_of(figure: &Figure) -> &BoxArrow {
    let Body::Graph(graph) = &figure.body else { panic!("{:?} is no chart", figure.body.kind()) };
    graph
}

fn table_of(figure: &Figure) -> &TableFigure {
    let Body::Table(table) = &figure.body else { panic!("{:?} is no table", figure.body.kind()) };
    table
}

fn facts_of(figure: &Figure) -> &Facts {
    let Body::Facts(facts) = &figure.body else { panic!("{:?} are no facts", figure.body.kind()) };
    facts
}

/// The figure of a block, by its name in the choices; the other choices as they are numbered.
fn of_block<'a>(family: &'a Family, block: &str, other: usize) -> &'a Figure {
    let at = family.choices[0].options.iter().position(|o| o == block).expect("the block is there");
    family.variant(&[at, other]).expect("it has a variant")
}

/// Value, suffix and share of the peak (percent, to nine digits) of the arrow of a path.
fn at_path(figure: &Figure, path: u16) -> (Option<f64>, &str, Option<f64>) {
    let arrow =
        graph_of(figure).arrows.iter().find(|a| a.key == path.to_string()).expect("the path is there");
    let percent = arrow.peak_share.map(|share| (share * 1e11).round() / 1e9);
    (arrow.value, &arrow.suffix, percent)
}

fn row(table: &TableFigure, name: &str) -> Vec<Cell> {
    let is_it = |row: &&Vec<Cell>| row[0] == Cell::Text(name.to_owned());
    table.rows.iter().find(is_it).unwrap_or_else(|| panic!("{name} in {:?}", table.rows)).clone()
}
