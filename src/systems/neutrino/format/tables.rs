//! Tables of plugins, `fabricperf_*.csv`: shown as they are.

use crate::base::unit::Unit;
use crate::model::code::CodeScope;
use crate::model::table::{Table, TableCells, TableColumn};

/// Reads a table; `None` when it has no columns.
pub(super) fn read(name: &str, bytes: &[u8]) -> Option<Table> {
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(bytes);
    let heads: Vec<String> = reader
        .byte_headers()
        .ok()?
        .iter()
        .map(|head| String::from_utf8_lossy(head).trim().to_owned())
        .collect();
    let mut columns: Vec<Vec<String>> = vec![Vec::new(); heads.len()];
    for row in reader.byte_records().map_while(Result::ok) {
        for (i, column) in columns.iter_mut().enumerate() {
            column.push(String::from_utf8_lossy(row.get(i).unwrap_or(b"")).trim().to_owned());
        }
    }
    let column =
        |(name, texts): (String, Vec<String>)| TableColumn { name, unit: Unit::None, cells: cells(texts) };
    let columns: Vec<TableColumn> = heads.into_iter().zip(columns).map(column).collect();
    let id = name.strip_suffix(".csv").unwrap_or(name).to_owned();
    let title = id.clone();
    (!columns.is_empty()).then(|| Table {
        id,
        title,
        columns,
        notes: Vec::new(),
        scope: CodeScope::default(),
    })
}

/// Numbers when all texts are some.
fn cells(texts: Vec<String>) -> TableCells {
    let numbers: Option<Vec<f64>> =
        texts.iter().map(|text| if text.is_empty() { Some(f64::NAN) } else { text.parse().ok() }).collect();
    match numbers.filter(|numbers| numbers.iter().any(|number| !number.is_nan())) {
        Some(numbers) => TableCells::Numbers(numbers),
        None => TableCells::Texts(texts),
    }
}
