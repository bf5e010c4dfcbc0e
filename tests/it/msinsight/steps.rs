//! Large blocks give way: how long the longest uninterrupted step of a file with large blocks of code takes.
//!
//! `LANESCOPE_BLOCK_MB` sets how large they are (1 otherwise). The time is printed, not judged: that would make a test of
//! the machine. What is judged is that the file reads the same as in one go.

use crate::support::front_door::{drive, print_steps};
use crate::support::make_ascend::Container;
use crate::support::memory;
use std::fmt::Write;

const PATH: &str = "/home/user/kernel.cpp";

fn size() -> usize {
    std::env::var("LANESCOPE_BLOCK_MB").ok().and_then(|n| n.parse::<usize>().ok()).unwrap_or(1) << 20
}

/// Instructions in no order, with columns of every type; the table of types stands behind them.
fn instructions(bytes: usize) -> String {
    let mut out = String::with_capacity(bytes + 1_000);
    out += r#"{"Cores":["core0.veccore0","core0.veccore1"],"Instructions":["#;
    for i in 0_u64.. {
        let address = 0x1000 + 8 * (i.wrapping_mul(2_654_435_761) % (1 << 24));
        let _ = write!(
            out,
            r#"{{"Address":"{address:#x}","AscendC Inner Code":"{PATH}:{}","Cycles":[{i},{}],"GPR Status":[{{"regIndex":"R{}","survivalTime":2,"regStatus":1}}],"Instructions Executed":["{}","NA"],"Pipe":"MTE{}","Source":"MOV_OUT_TO_UB dst{i}, src","Stall Sampling(Not Issue)":{{"Percent":0.5,"Details":{{"Register_bank_conflict":2}}}}}}"#,
            i % 5_000 + 1,
            i * 2,
            i % 32,
            i % 7,
            i % 3
        );
        if bytes < out.len() {
            break;
        }
        out.push(',');
    }
    out += r#"],"Instructions Dtype":{"Instructions":{"Address":3,"AscendC Inner Code":3,"Source":3,"Pipe":3,"Cycles":1,"Instructions Executed":1,"GPR Status":5,"Stall Sampling(Not Issue)":100}}}"#;
    out
}

/// One source with very many records; the table of types stands behind them.
fn files(bytes: usize) -> String {
    let mut out = String::with_capacity(bytes + 1_000);
    out += r#"{"Cores":["core0.veccore0","core0.veccore1"],"Files":[{"Lines":["#;
    for i in 0_u64.. {
        let from = 0x1000 + 64 * (i % (1 << 21));
        let _ = write!(
            out,
            r#"{{"Line":{},"Address Range":[["{from:#x}","{:#x}"]],"Cycles":[{i},7],"Instructions Executed":"{}","L2Cache Hit Rate":"72%","Stall Sampling(All Samples)":{{"Percent":0.25,"Details":{{"IBuf_Empty":3,"Others":1}}}}}}"#,
            i + 1,
            from + 56,
            i % 9
        );
        if bytes < out.len() {
            break;
        }
        out.push(',');
    }
    let _ = write!(
        out,
        r#"],"Source":"{PATH}"}}],"Files Dtype":{{"Lines":{{"Line":1,"Address Range":0,"Cycles":1,"Instructions Executed":1,"L2Cache Hit Rate":3,"Stall Sampling(All Samples)":100}}}}}}"#
    );
    out
}

#[test]
fn large_blocks_of_code_give_way() {
    let size = size();
    let text: String = (1..=5_000).map(|i| format!("line {i}\n")).collect();
    let bytes = Container::default()
        .source(PATH, &text)
        .block(3, 0x5a, files(size).as_bytes())
        .block(4, 0, instructions(size).as_bytes())
        .0;
    let ((doc, took), peak) = memory::peak(|| drive("big.bin", bytes));
    eprintln!("two blocks of {} MiB, at most {} MiB held", size >> 20, peak >> 20);
    print_steps(&took);
    let code = &doc.trace().code;
    let addresses = &code.listings[1].address;
    assert!(addresses.is_sorted() && 1_000 < addresses.len());
    assert_eq!(code.listings[1].lines.len(), addresses.len());
    assert_eq!(code.listings[1].columns.len(), 5);
    assert_eq!(code.listings[1].columns[0].cells.text(0, 0), "MTE0");
    assert_eq!(code.listings[0].columns.len(), 4);
    assert!(0 < code.links[0].rows(code.links[0].from, 4).count());
    assert_eq!(doc.faults().rows().len(), 0, "{:?}", doc.faults().rows());
}

#[test]
fn a_block_that_becomes_a_tree_holds_few_times_its_bytes() {
    let size = size().min(63 << 20);
    let row = r#"{"block_id":"0","table_op_type":"mix","table_detail":[{"table_name":"L1","size":[1,4],"header_name":["","Requests"],"row":[{"name":"Read","value":["12","3.5"]}]}]},"#;
    for (what, piece) in [("a table", row), ("nothing but digits", "0,")] {
        let mut text = String::from(r#"{"core_memory_map":["#);
        while text.len() < size {
            text += piece;
        }
        text.pop();
        text += "]}";
        holds_few_times(what, &text);
    }
}

/// The limit of such blocks rests on this: `input::limits::TREE_BYTES`.
fn holds_few_times(what: &str, text: &str) {
    let base = br#"{"name":"Add","soc":"x"}"#;
    let bytes = Container::default().block(5, 0x5a, base).block(8, 0x5a, text.as_bytes()).0;
    let n = bytes.len();
    let ((doc, took), peak) = memory::peak(|| drive("big.bin", bytes));
    eprintln!(
        "a tree of {} MiB of {what}: at most {} MiB held, longest step {:.1} ms",
        n >> 20,
        peak >> 20,
        took[0].0.as_secs_f64() * 1e3
    );
    assert!(!doc.trace().figures.is_empty());
    assert!(peak < 24 * n, "{peak} bytes held for {n}");
}
