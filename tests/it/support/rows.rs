//! Rows of tables through the front door: a page as the page gets it, all values as a file has them.

use lanescope::document::Document;
use lanescope::scene::table::{Order, PageRequest};
use lanescope::views::timeline::messages::Area;
use lanescope::wire::rows::{Reply, RowsQuery, Source};
use lanescope::wire::{Answer, Query, pack, unpack};

/// Which rows, by a column and whether largest first.
pub(crate) fn wanted(sort: Option<(usize, bool)>, filter: &str) -> PageRequest {
    let order = sort.map(|(column, is_descending)| Order { column, is_descending });
    PageRequest { order, filter: filter.to_owned(), n: 500, ..PageRequest::default() }
}

/// A page of rows; question and answer are written and read again.
pub(crate) fn page(doc: &mut Document, source: Source, wanted: PageRequest) -> Reply {
    let query = Query::Rows(RowsQuery { table: 1, source, wanted });
    let query: Query = unpack(&pack(&query)).unwrap();
    let (answer, _) = doc.query(&query);
    assert_eq!(unpack::<Answer>(&pack(&answer)).unwrap(), answer);
    match answer {
        Answer::Rows(Some(reply)) => *reply,
        other => panic!("{query:?}: {other:?}"),
    }
}

/// The values of all rows, without their heads.
pub(crate) fn values(
    doc: &mut Document,
    source: Source,
    sort: Option<(usize, bool)>,
    filter: &str,
) -> Vec<Vec<String>> {
    let query = Query::RowsFile(RowsQuery { table: 1, source, wanted: wanted(sort, filter) });
    let (answer, bytes) = doc.query(&query);
    let bytes = bytes.unwrap_or_else(|| panic!("{query:?}: {answer:?}"));
    let mut csv = csv::Reader::from_reader(&bytes[..]);
    csv.records().map(|row| row.unwrap().iter().map(str::to_owned).collect()).collect()
}

/// The call tree of an area: names set in by depth, numbers of samples in all and as the innermost.
pub(crate) fn calls(doc: &mut Document, area: &Area) -> Vec<String> {
    let reply = page(doc, Source::Calls(area.clone()), wanted(None, ""));
    let at = |title: &str| reply.page.columns.iter().position(|column| column.title == title).unwrap();
    let (total, own) = (at("CPU samples"), at("Self"));
    let texts = reply.page.rows.iter().map(|row| {
        let name = row[0].text.replace('\u{2003}', "· ");
        format!("{name}: {}, {}", row[total].text, row[own].text)
    });
    texts.collect()
}
