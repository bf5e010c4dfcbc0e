//! Plans of trace buffers, and the texts of tools that they start from.

mod corpus;
mod fixtures;
pub(crate) mod make;
mod maths;
mod texts;

use crate::support::front_door::open_case;
use lanescope::base::words::Language;
use lanescope::document::Document;
use lanescope::model::figure::{Body, Cell};
use lanescope::views::plan::messages::{PlanQuery, Reply as PlanReply};
use lanescope::wire::figures::{FigureQuery, Reply};
use lanescope::wire::{Answer, Query};

use serde_json::Value;

/// Lets a document compute all there is.
fn settle(doc: &mut Document) {
    while doc.has_work() {
        doc.step();
    }
}

fn case(format: &str, name: &str) -> Document {
    let (mut doc, is_ready) = open_case(format, name);
    assert!(is_ready, "{:?}", doc.faults().rows());
    settle(&mut doc);
    doc
}

/// Sets parameters; what was wrong with them.
fn set(doc: &mut Document, values: &[(&str, &str)]) -> Vec<String> {
    let texts = values.iter().map(|(id, text)| ((*id).to_owned(), (*text).to_owned())).collect();
    let Answer::ParametersSet { problems, .. } = doc.query(&Query::SetParameters(texts)).0 else {
        panic!("not set")
    };
    settle(doc);
    problems
}

/// The plan as JSON.
fn plan(doc: &mut Document) -> Value {
    let (answer, bytes) = doc.query(&Query::Export { id: "plan-json".to_owned() });
    serde_json::from_slice(&bytes.unwrap_or_else(|| panic!("{answer:?}"))).unwrap()
}

/// Name, records, record bytes and bytes of each type.
fn types(plan: &Value) -> Vec<String> {
    let cells = |one: &Value| {
        let parts =
            ["name", "records", "record_bytes", "bytes"].map(|key| one[key].to_string().replace('"', ""));
        parts.join(" ")
    };
    plan["types"].as_array().unwrap().iter().map(cells).collect()
}

/// Label, role, executions, records of memory and bytes of each block.
fn blocks(plan: &Value) -> Vec<String> {
    let cells = |one: &Value| {
        let text = |value: &Value| value.to_string().replace('"', "");
        let parts = [&one["label"], &one["role"], &one["executions"], &one["records"]["mem"], &one["bytes"]];
        parts.map(text).join(" ")
    };
    plan["blocks"].as_array().unwrap().iter().map(cells).collect()
}

/// Cells of a figure, as text with all digits.
fn rows(doc: &mut Document, id: &str) -> Vec<String> {
    let ask = FigureQuery::Figure { id: id.to_owned(), chosen: Vec::new() };
    let (Some(Reply::Figure(shown)), _) = doc.query(&ask) else { panic!("{id} is a figure") };
    let plain = |cells: &[Cell]| cells.iter().map(Cell::plain).collect::<Vec<_>>().join(" | ");
    match shown.figure.body {
        Body::Table(table) => table.rows.iter().map(|row| plain(row)).collect(),
        Body::Facts(facts) => facts.facts.iter().map(|f| format!("{} {}", f.name, f.value.plain())).collect(),
        body => panic!("{id} is {}", body.kind()),
    }
}

/// What is said below a figure, in English.
fn notes(doc: &mut Document, id: &str) -> Vec<String> {
    let ask = FigureQuery::Figure { id: id.to_owned(), chosen: Vec::new() };
    let (Some(Reply::Figure(shown)), _) = doc.query(&ask) else { panic!("{id} is a figure") };
    shown.figure.notes.iter().map(|note| note.text(Language::En).into_owned()).collect()
}

/// What writes the records of a block: address, type, records, bytes; whether at its entry, whether left out.
fn emitters(doc: &mut Document, row: usize, values: &[(&str, &str)]) -> Vec<String> {
    let values: Vec<_> = values.iter().map(|(id, text)| ((*id).to_owned(), (*text).to_owned())).collect();
    let mut ask = |query| match doc.query(&query).0 {
        Some(reply) => reply,
        _ => panic!("an answer about the plan"),
    };
    let PlanReply::Plan(Some(shown)) = ask(PlanQuery::Plan(values.clone())) else { panic!("a plan") };
    let PlanReply::Block(all) = ask(PlanQuery::Block { row, values }) else { panic!("a block") };
    let line = |one: &lanescope::views::plan::compute::Emitter| {
        let name = &shown.plan.sheet.types[one.record_type].record_type.name;
        let mut line = format!("{:#x} {name} {} {}", one.address, one.records, one.bytes.unwrap());
        line += if one.text.is_empty() { " entry" } else { "" };
        line + if one.is_out { " out" } else { "" }
    };
    all.iter().map(line).collect()
}

fn said(doc: &Document) -> Vec<String> {
    let line = |fault: &lanescope::base::fault::Fault| format!("{} {}", fault.severity.name(), fault.code);
    doc.faults().rows().iter().map(line).collect()
}
