//! What a range adds up to when slices reach out of it, with hand-computed numbers: the table, the call tree and the
//! exports say the same.

use crate::support::front_door::open_one;
use crate::support::rows::{page, values, wanted};
use lanescope::base::time::Span;
use lanescope::document::Document;
use lanescope::model::id::TrackId;
use lanescope::wire::Query;
use lanescope::wire::rows::Source;
use lanescope::wire::timeline::{Area, Arrangement, TimelineQuery, TotalsBy};
use lanescope::wire::{Answer, timeline};

/// ```text
/// µs      0    2    4    6    8    10   12
/// CUBE    A-----------------------
///          B------   C---------
///                      B----
/// MTE2         B------------------------
/// range          |---------|
/// ```
const TRACE: &str = r#"{"traceEvents":[
{"ph":"X","pid":1,"tid":"CUBE","name":"A","ts":0,"dur":10},
{"ph":"X","pid":1,"tid":"CUBE","name":"B","ts":1,"dur":3},
{"ph":"X","pid":1,"tid":"CUBE","name":"C","ts":5,"dur":4},
{"ph":"X","pid":1,"tid":"CUBE","name":"B","ts":6,"dur":2},
{"ph":"X","pid":1,"tid":"MTE2","name":"B","ts":2,"dur":10}
]}"#;

fn open() -> Document {
    let (doc, is_ready) = open_one("trace.json", TRACE.as_bytes().to_vec());
    assert!(is_ready);
    doc
}

fn range() -> Area {
    Area { span: Span::new(3_000, 7_000), tracks: Vec::new() }
}

fn track(doc: &Document, name: &str) -> TrackId {
    let is_it = |id: &TrackId| doc.trace().track_path(*id).ends_with(name);
    doc.trace().tracks.iter().map(|(id, _)| id).find(is_it).unwrap()
}

fn export(doc: &mut Document, id: &str) -> String {
    String::from_utf8(doc.query(&Query::Export { id: id.to_owned() }).1.unwrap()).unwrap()
}

#[test]
fn times_are_cut_to_the_range_everywhere() {
    let mut doc = open();
    let reply = page(&mut doc, Source::Sums(range()), wanted(None, ""));
    let heads: Vec<&str> = reply.page.columns.iter().map(|c| c.title.as_str()).collect();
    assert_eq!(heads[3..8], ["Total", "Non-overlapping", "% of range", "Self", "Mean"]);
    assert_eq!(heads.last(), Some(&"Whole total"));
    let rows = values(&mut doc, Source::Sums(range()), None, "");
    let rows: Vec<String> = rows.iter().map(|row| row.join(" ")).collect();
    assert_eq!(
        rows,
        [
            "All names 2 tracks 5 12000 4000 1 8000 2400 1000 4000 29000",
            "B 2 tracks 3 6000 4000 1 6000 2000 1000 4000 15000",
            "A CUBE 1 4000 4000 1 1000 4000 4000 4000 10000",
            "C CUBE 1 2000 2000 0.5 1000 2000 2000 2000 4000",
        ]
    );
    // The call tree: level, name, total, self.
    let calls = values(&mut doc, Source::Calls(range()), None, "");
    let calls: Vec<String> =
        calls.iter().map(|row| [1, 0, 3, 5].map(|at| row[at].clone()).join(" ")).collect();
    let expected = [
        "0 CUBE 4000 0",
        "1 A 4000 1000",
        "2 C 2000 1000",
        "3 B 1000 1000",
        "2 B 1000 1000",
        "0 MTE2 4000 0",
    ];
    assert_eq!((&calls[..6], calls[6].as_str()), (&expected.map(String::from)[..], "1 B 4000 4000"));
    assert_eq!(
        export(&mut doc, "range-csv:3000,7000"),
        "name,track,count,total (ns),overlaps once (ns),self (ns),mean (ns),min (ns),max (ns),whole total (ns)\n\
         B,2 tracks,3,6000,4000,6000,2000,1000,4000,15000\n\
         A,Process 1 / CUBE,1,4000,4000,1000,4000,4000,4000,10000\n\
         C,Process 1 / CUBE,1,2000,2000,1000,2000,2000,2000,4000\n"
    );
    let ask = TimelineQuery::Totals { span: Some(range().span), by: TotalsBy::Name };
    let (Answer::Timeline(timeline::Reply::Totals(totals)), _) = doc.query(&Query::Timeline(ask)) else {
        panic!("no totals")
    };
    let totals: Vec<_> =
        totals.rows.iter().map(|(name, sum)| (name.as_str(), sum.count, sum.total)).collect();
    assert_eq!(totals, [("B", 3, 6_000.0), ("A", 1, 4_000.0), ("C", 1, 2_000.0)]);
}

#[test]
fn a_range_that_cuts_nothing_needs_no_whole_totals() {
    let mut doc = open();
    let area = Area { span: Span::new(0, 12_000), tracks: vec![track(&doc, "CUBE")] };
    let reply = page(&mut doc, Source::Sums(area), wanted(None, ""));
    assert!(reply.page.columns.iter().all(|c| c.title != "Whole total"));
    let texts: Vec<&str> = reply.page.rows[0].iter().map(|cell| cell.text.as_str()).collect();
    assert_eq!(texts[..4], ["All names", "CUBE", "4", "19.000 µs"]);
}

#[test]
fn a_merged_row_is_all_its_tracks() {
    let mut doc = open();
    let (cube, mte2) = (track(&doc, "CUBE"), track(&doc, "MTE2"));
    let rows = Arrangement { merged: vec![vec![cube, mte2]], ..Arrangement::default() };
    assert_eq!(rows.tracks_of(&[cube]), [cube, mte2]);
    assert_eq!(rows.tracks_of(&[TrackId(0), mte2]), [TrackId(0), mte2]);
    let area = Area { tracks: rows.tracks_of(&[cube]), ..range() };
    assert_eq!(values(&mut doc, Source::Sums(area), None, "All names")[0][2], "5");
}
