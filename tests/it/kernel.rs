//! What is computed of a kernel: pipes, flags, lines, kinds of instructions, each against numbers made by hand.

use crate::support::front_door::open_one;
use crate::support::make_ascend::Container;
use lanescope::base::unit::Unit;
use lanescope::document::Document;
use lanescope::model::figure::{Body, Cell, Figure};
use lanescope::wire::figures::{FigureQuery, Reply};

/// Two cores. On core 0 the pipe MTE2 is busy from 0 to 10 and from 5 to 25 (two lanes, 25 ns), VECTOR waits from 10 to 40
/// for a flag that MTE2 sets, then works from 40 to 50; so its core spans 50 ns. Core 1 has one slice.
const TRACE: &str = r#"{"profilingType":"op","traceEvents":[
{"ph":"X","name":"MOV","pid":"core0.veccore0","tid":"MTE2","ts":0,"dur":0.01},
{"ph":"X","name":"MOV","pid":"core0.veccore0","tid":"MTE2","ts":0.005,"dur":0.02},
{"ph":"B","name":"SET_FLAG","pid":"core0.veccore0","tid":"MTE2","ts":0.039,"id":"7"},
{"ph":"E","name":"SET_FLAG","pid":"core0.veccore0","tid":"MTE2","ts":0.04,"id":"7"},
{"ph":"B","name":"WAIT_FLAG","pid":"core0.veccore0","tid":"VECTOR","ts":0.01,"id":"7"},
{"ph":"E","name":"WAIT_FLAG","pid":"core0.veccore0","tid":"VECTOR","ts":0.04,"id":"7"},
{"ph":"s","name":"f","cat":"MTE2ToVECTOR","pid":"core0.veccore0","tid":"MTE2","ts":0.039,"id":"7"},
{"ph":"t","name":"f","cat":"MTE2ToVECTOR","pid":"core0.veccore0","tid":"VECTOR","ts":0.01,"id":"7"},
{"ph":"X","name":"VADD","pid":"core0.veccore0","tid":"VECTOR","ts":0.04,"dur":0.01},
{"ph":"X","name":"VADD","pid":"core1.veccore0","tid":"VECTOR","ts":0.1,"dur":0.02}]}"#;

const LINES: &str = r#"{"Cores":["a","b"],"Files Dtype":{"Lines":{"Cycles":1,"Instructions Executed":1}},"Files":[
{"Source":"/k.cpp","Lines":[{"Line":2,"Address Range":[["0x10","0x18"]],"Cycles":[30,10],"Instructions Executed":[3,1]},
{"Line":3,"Address Range":[["0x20","0x28"]],"Cycles":[100,60],"Instructions Executed":[9,9]}]}]}"#;

const INSTRUCTIONS: &str = r#"{"Cores":["a","b"],"Instructions Dtype":{"Instructions":{"Address":3,"Source":3,"Pipe":3,"AscendC Inner Code":3,
"Cycles":1,"Instructions Executed":1,"Process Bytes":1}},"Instructions":[
{"Address":"0x10","Source":"MOV X1","Pipe":"MTE2","AscendC Inner Code":"/k.cpp:2","Cycles":[10,20],"Instructions Executed":[2,3],"Process Bytes":32},
{"Address":"0x18","Source":"MOV X2","Pipe":"MTE2","AscendC Inner Code":"/k.cpp:2","Cycles":[1,1],"Instructions Executed":[1,0],"Process Bytes":64},
{"Address":"0x20","Source":"VADD X2","Pipe":"VECTOR","AscendC Inner Code":"/k.cpp:3","Cycles":[50,18],"Instructions Executed":[4,4],"Process Bytes":0}]}"#;

fn document() -> Document {
    let file = Container::default()
        .source("/k.cpp", "one\ntwo\n  three\n")
        .block(3, 0x5a, LINES.as_bytes())
        .block(4, 0, INSTRUCTIONS.as_bytes())
        .block(2, 0x5a, TRACE.as_bytes());
    open_one("a.bin", file.0).0
}

fn figure(doc: &mut Document, id: &str) -> Figure {
    let ask = FigureQuery::Figure { id: id.to_owned(), chosen: Vec::new() };
    match doc.query(&ask).0 {
        Some(Reply::Figure(shown)) => shown.figure,
        other => panic!("{other:?}"),
    }
}

/// The rows of a table as words.
fn rows(doc: &mut Document, id: &str) -> Vec<String> {
    let Body::Table(table) = figure(doc, id).body else { panic!("{id} is a table") };
    let cell = |cell: &Cell| match cell {
        Cell::Number(v) => format!("{}", (v * 1e6).round() / 1e6),
        other => other.with_unit(&Unit::None),
    };
    table.rows.iter().map(|row| row.iter().map(cell).collect::<Vec<_>>().join(" | ")).collect()
}

#[test]
fn what_is_computed_of_a_kernel_is_right() {
    let mut doc = document();
    let Some(Reply::List { families, .. }) = doc.query(&FigureQuery::List).0 else { panic!("a list") };
    let ids: Vec<&str> = families.iter().filter(|f| f.section == "Computed").map(|f| f.id.as_str()).collect();
    assert_eq!(
        ids,
        ["pipe-utilization", "pipe-times", "double-buffering", "waits", "hottest-lines", "instruction-kinds"]
    );
    // MTE2: 25 ns of work, of 50; setting a flag is none. VECTOR: 30 ns of waiting and 10 of work. The trace lasts 120 ns.
    assert_eq!(
        rows(&mut doc, "pipe-times"),
        [
            "core0.veccore0 | MTE2 | 25 | 0 | 50 | 50 | 20.833333 | 3",
            "core0.veccore0 | Vector | 10 | 30 | 50 | 20 | 8.333333 | 2",
            "core1.veccore0 | Vector | 20 | 0 | 20 | 100 | 16.666667 | 1",
        ]
    );
    // Neither setting a flag nor waiting for it is work; the second core only computes.
    assert_eq!(
        rows(&mut doc, "double-buffering"),
        ["core0.veccore0 | 25 | 10 | 0 | 0 | take turns", "core1.veccore0 | 0 | 20 | 0 | – | –"]
    );
    assert_eq!(rows(&mut doc, "waits"), ["MTE2 | Vector | 1 | 1 | 30 | 30 | 30"]);
    assert_eq!(
        rows(&mut doc, "hottest-lines"),
        ["/k.cpp:3 | three | 160 | 80 | 18", "/k.cpp:2 | two | 40 | 20 | 4"]
    );
    // Bytes are those of all executions: 32 and 64 are 96.
    assert_eq!(
        rows(&mut doc, "instruction-kinds"),
        ["VECTOR | VADD | 1 | 8 | 68 | 68 | 0", "MTE2 | MOV | 2 | 6 | 32 | 32 | 96"]
    );
    let Body::Matrix(matrix) = figure(&mut doc, "pipe-utilization").body else { panic!("a matrix") };
    assert_eq!(matrix.rows, ["core0.veccore0", "core1.veccore0"]);
    let at = |core: usize, pipe: &str| {
        let column = matrix.columns.iter().position(|c| c == pipe).unwrap();
        matrix.cells[core * matrix.columns.len() + column].value
    };
    assert_eq!(
        [at(0, "MTE2"), at(0, "Vector"), at(1, "Vector"), at(1, "MTE2")],
        [Some(50.0), Some(20.0), Some(100.0), None]
    );
}

#[test]
fn a_trace_of_another_kind_has_nothing_computed() {
    let text = r#"[{"ph":"X","name":"a","pid":1,"tid":2,"ts":1,"dur":2}]"#;
    let mut doc = open_one("a.json", text.as_bytes().to_vec()).0;
    let Some(Reply::List { families, .. }) = doc.query(&FigureQuery::List).0 else { panic!("a list") };
    assert!(families.iter().all(|f| f.section != "Computed"));
}
