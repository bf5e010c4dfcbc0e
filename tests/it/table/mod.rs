//! Rows of tables through the front door: orders that take a while, changed questions, files.

mod columns;
mod names;

use crate::support::front_door::open_one;
use crate::support::rows::{page, values, wanted};
use lanescope::base::time::Span;
use lanescope::document::Document;
use lanescope::scene::table::PageRequest;
use lanescope::views::timeline::messages::{Area, SearchQuery};
use lanescope::wire::Answer;
use lanescope::wire::rows::{Only, RowsQuery, Source};
use std::fmt::Write;

/// A trace with slices of many lengths on two threads.
fn open(n: usize) -> Document {
    let mut text = "[".to_owned();
    for i in 0..n {
        let (thread, dur) = (1 + i % 2, 1 + i * 37 % 1_000);
        let between = if i == 0 { "" } else { "," };
        let _ = write!(
            text,
            r#"{between}{{"ph":"X","pid":1,"tid":{thread},"name":"op {}","ts":{},"dur":{dur}}}"#,
            i % 11,
            i * 2_000
        );
    }
    let (doc, is_ready) = open_one("trace.json", (text + "]").into_bytes());
    assert!(is_ready);
    doc
}

fn slices(doc: &Document) -> Source {
    let span = doc.trace().span.unwrap();
    let span = Span::new(span.start, span.end + 1);
    Source::Slices { area: Area { span, tracks: Vec::new() }, only: Only::default() }
}

#[test]
fn an_order_that_takes_a_while_gives_way_and_goes_on() {
    let mut doc = open(30_000);
    let source = slices(&doc);
    let ask = RowsQuery { table: 3, source: source.clone(), wanted: wanted(Some((3, true)), "op 1") };
    let mut n_pauses = 0;
    let answer = loop {
        match doc.rows(&ask, &mut || false) {
            Some(answer) => break answer,
            None => n_pauses += 1,
        }
        // Another table is asked meanwhile.
        if n_pauses == 3 {
            assert_eq!(page(&mut doc, Source::Hits(SearchQuery::default()), wanted(None, "")).page.total, 0);
        }
    };
    assert!(10 < n_pauses, "{n_pauses}");
    let Answer::Rows(Some(reply)) = answer else { panic!("{answer:?}") };
    // "op 1" and "op 10".
    assert_eq!((reply.page.all, reply.page.total), (30_000, 30_000 * 2 / 11 + 1));
    assert_eq!(*reply, page(&mut doc, source, ask.wanted.clone()));
}

#[test]
fn rows_are_asked_for_by_any_column_and_place() {
    let mut doc = open(2_000);
    let source = slices(&doc);
    let by = |doc: &mut Document, column, falls| values(doc, source.clone(), Some((column, falls)), "");
    let number = |row: &Vec<String>, at: usize| row[at].parse::<i64>().unwrap();
    assert!(by(&mut doc, 2, false).is_sorted_by_key(|row| number(row, 2)));
    assert!(by(&mut doc, 3, true).is_sorted_by_key(|row| -number(row, 3)));
    let op = |row: &Vec<String>| row[0]["op ".len()..].parse::<u32>().unwrap();
    assert!(by(&mut doc, 0, false).is_sorted_by_key(op), "numbers in names count by their value");
    let tracks: Vec<String> = by(&mut doc, 1, true).into_iter().map(|row| row[1].clone()).collect();
    let mut ordered = tracks.clone();
    ordered.sort_by(|a, b| lanescope::model::build::natural(b, a));
    ordered.dedup();
    let mut runs = tracks;
    runs.dedup();
    assert_eq!(runs, ordered);
    let sought = page(&mut doc, source.clone(), PageRequest { seek: Some(7), ..wanted(Some((3, true)), "") });
    let at = sought.page.at.unwrap();
    let there = page(&mut doc, source.clone(), PageRequest { from: at, n: 1, ..wanted(Some((3, true)), "") });
    assert_eq!(there.numbers, [7]);
    let beyond = page(&mut doc, source, PageRequest { from: 5_000, ..wanted(None, "") });
    assert_eq!((beyond.page.from, beyond.page.rows.len(), beyond.page.total), (2_000, 0, 2_000));
}
