//! From a line or an instruction to its slices, through the front door.

use super::listing_id;
use crate::support::front_door::open_one;
use crate::support::make_ascend::Container;
use crate::support::rows::values;
use lanescope::document::Document;
use lanescope::views::code::messages::{CodeQuery, Reply};
use lanescope::views::timeline::messages::{self as timeline, Current, SearchQuery};
use lanescope::wire::rows::Source;

use std::fmt::Write;

const PATH: &str = "/home/dev/ops/add.cpp";

/// Line of the slice `i` and offset of its instruction; every seventh slice names none.
fn place(i: usize) -> Option<(usize, usize)> {
    (i % 7 != 3).then_some((2 + i * 5 % 11, i * 3 % 8))
}

/// Eight instructions, twelve lines and a trace whose slices name both; `n` slices on five pipes.
fn file(n: usize) -> Vec<u8> {
    let rows: Vec<String> = (0..8)
        .map(|i| {
            format!(
                r#"{{"Address":"{:#x}","Source":"MOV {i}","AscendC Inner Code":"{PATH}:{i}"}}"#,
                0x1000 + 8 * i
            )
        })
        .collect();
    let instructions = format!(r#"{{"Cores":["core0.veccore0"],"Instructions":[{}]}}"#, rows.join(","));
    let mut trace = String::from(r#"{"profilingType":"op","traceEvents":["#);
    for i in 0..n {
        let args = place(i).map_or_else(String::new, |(line, at)| {
            format!(r#""code":"/opt/impl.h:9\n{PATH}:{line}","pc_addr":"{:#x}""#, 0x1000 + 8 * at)
        });
        let _ = write!(
            trace,
            r#"{}{{"ph":"X","name":"MOV","pid":"core0.veccore0","tid":"P{}","ts":{}.5,"dur":0.00{},"args":{{{args}}}}}"#,
            if i == 0 { "" } else { "," },
            i * 7 % 5,
            n - i,
            1 + i % 9,
        );
    }
    trace += "]}";
    let source = "int main() {}\n".repeat(14);
    Container::default()
        .source(PATH, &source)
        .block(4, 0, instructions.as_bytes())
        .block(2, 0x5a, trace.as_bytes())
        .0
}

/// Asks until everything is known; returns how many slices, how long together, and the search.
fn slices(doc: &mut Document, title: &str, row: u32) -> (u64, String, String) {
    let listing = listing_id(doc, title);
    for _ in 0..10_000 {
        let (answer, _) = doc.query(&CodeQuery::Slices { listing, row });
        let Some(Reply::Slices { share, n, total, search }) = answer else { panic!("{answer:?}") };
        if share == 1.0 {
            return (n, total, search);
        }
    }
    panic!("it never ends");
}

fn hits(doc: &mut Document, text: &str) -> u64 {
    let search = SearchQuery { text: text.to_owned(), ..SearchQuery::default() };
    let ask = timeline::TimelineQuery::Search { search: search.clone(), current: Current::Number(0) };
    let (answer, _) = doc.query(&ask);
    let Some(timeline::Reply::Search(hits)) = answer else { panic!("{answer:?}") };
    let rows = values(doc, Source::Hits(search), None, "");
    let start = |row: &Vec<String>| row[2].parse::<i64>().unwrap();
    assert!(rows.is_sorted_by_key(start) && rows.len() as u64 == hits.n, "hits come in order of time");
    hits.n
}

#[test]
fn a_line_and_an_instruction_lead_to_their_slices() {
    let n = 3_000;
    let (mut doc, _) = open_one("a.bin", file(n));
    assert_eq!(hits(&mut doc, "pc:0x1008"), 0, "nobody has looked yet");
    for line in [2, 5, 12] {
        let expected: Vec<usize> = (0..n).filter(|&i| place(i).is_some_and(|(l, _)| l == line)).collect();
        let (found, total, search) = slices(&mut doc, PATH, line as u32 - 1);
        let micros: usize = expected.iter().map(|i| 1 + i % 9).sum();
        assert_eq!(found, expected.len() as u64);
        assert_eq!(total, lanescope::base::number::duration(micros as i64, doc.trace().clock));
        assert_eq!(hits(&mut doc, &search), found);
        assert_eq!(hits(&mut doc, &format!("line:ops/add.cpp:{line}")), found, "the end of a path is enough");
    }
    for at in [0, 7] {
        let expected = (0..n).filter(|&i| place(i).is_some_and(|(_, a)| a == at)).count() as u64;
        let (found, _, search) = slices(&mut doc, "Instructions", at as u32);
        assert_eq!((found, search.as_str()), (expected, format!("pc:{:#x}", 0x1000 + 8 * at).as_str()));
        assert_eq!(hits(&mut doc, &search), expected);
    }
    assert_eq!(hits(&mut doc, "line:impl.h:9"), (0..n).filter(|&i| place(i).is_some()).count() as u64);
    assert_eq!(hits(&mut doc, "line:impl.h:8"), 0);
    assert_eq!(hits(&mut doc, "MOV"), n as u64);
}
