//! Addresses that no floating-point number holds keep their last digit wherever they are shown, saved or compared.

use crate::support::front_door::open_one;
use crate::support::rows::{page, wanted};
use lanescope::analysis::compare::compare;
use lanescope::base::unit::Unit;
use lanescope::document::Document;
use lanescope::draw::facts::cell_text;
use lanescope::export::figure_csv;
use lanescope::model::figure::{Body, Cell, Figure, TableColumn};
use lanescope::wire::figures::{FigureQuery, Reply};
use lanescope::wire::rows::Source;

const LAST: u64 = 0xffff_ffff_ffff_fff1;

fn open(last: u64) -> (Document, Figure) {
    let text = format!("demo trace 1\nslice a 0 10 x\nslice b 0 10 y\naccess a {last:#x} 8\nmap m 1 1\n");
    let (mut doc, is_ready) = open_one("a.demo", text.into_bytes());
    assert!(is_ready);
    let ask = FigureQuery::Figure { id: "demo-work".to_owned(), chosen: Vec::new() };
    let Some(Reply::Figure(shown)) = doc.query(&ask).0 else { panic!("a figure") };
    (doc, shown.figure)
}

#[test]
fn an_address_beyond_53_bits_keeps_its_digits() {
    let (mut doc, figure) = open(LAST);
    let Body::Table(table) = &figure.body else { panic!("a table") };
    let cell = &table.rows[0][3];
    assert_eq!((cell, &table.rows[1][3]), (&Cell::Integer(LAST), &Cell::Missing));
    assert_eq!(cell_text(cell, &table.columns[3], None, None), "0xfffffffffffffff1");
    let mut csv = Vec::new();
    figure_csv(&figure, &mut csv).unwrap();
    let csv = String::from_utf8(csv).unwrap();
    assert_eq!(csv.lines().nth(1), Some("a,10,8,18446744073709551601"));
    let source = Source::Figure {
        id: "demo-work".to_owned(),
        chosen: Vec::new(),
        is_compared: false,
        is_folded: false,
    };
    let cells = &page(&mut doc, source, wanted(Some((3, true)), "fffff1")).page.rows[0];
    assert_eq!(cells[3].text, "0xfffffffffffffff1");
    assert_eq!(cells[2].text, "8");
    let text = serde_json::to_string(&figure).unwrap();
    assert!(text.contains("18446744073709551601"), "{text}");
    assert_eq!(serde_json::from_str::<Figure>(&text).unwrap(), figure);
}

#[test]
fn the_difference_of_two_addresses_is_exact() {
    let both = compare(&open(LAST).1, &open(LAST - 3).1).unwrap();
    let Body::Table(table) = &both.body else { panic!("a table") };
    let of_address = |column: &TableColumn| column.unit == Unit::Address && column.is_difference;
    let at = table.columns.iter().position(of_address).expect("a column of differences");
    let row = &table.rows[0];
    assert_eq!(row[at - 2..=at], [Cell::Integer(LAST), Cell::Integer(LAST - 3), Cell::Number(-3.0)]);
    assert_eq!(cell_text(&row[at], &table.columns[at], None, None), "−0x3");
}
