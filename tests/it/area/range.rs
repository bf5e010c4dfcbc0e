//! What a range adds up to when slices reach out of it, with hand-computed numbers: the table, the call tree and the
//! exports say the same.

use crate::support::front_door::open_one;
use crate::support::rows::{page, values, wanted};
use lanescope::analysis::statistics::{Options, statistics};
use lanescope::analysis::summary::summarize;
use lanescope::analysis::timeline::chosen_tracks;
use lanescope::base::time::Span;
use lanescope::document::Document;
use lanescope::model::id::TrackId;
use lanescope::views::timeline::messages as timeline;
use lanescope::views::timeline::messages::{Area, Arrangement, TotalsBy, WorkQuery};

use lanescope::wire::Query;
use lanescope::wire::rows::Source;

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
    assert_eq!(heads[10..], ["Whole total", "Outermost"]);
    let rows = values(&mut doc, Source::Sums(range()), None, "");
    let rows: Vec<String> = rows.iter().map(|row| row.join(" ")).collect();
    assert_eq!(
        rows,
        [
            "All names 2 tracks 5 8000 4000 1 8000 2400 1000 4000 20000 2",
            "B 2 tracks 3 6000 4000 1 6000 2000 1000 4000 15000 3",
            "A CUBE 1 4000 4000 1 1000 4000 4000 4000 10000 1",
            "C CUBE 1 2000 2000 0.5 1000 2000 2000 2000 4000 1",
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
        "name,track,count,total (ns),overlaps once (ns),self (ns),mean (ns),min (ns),max (ns),whole total (ns),outermost\n\
         B,2 tracks,3,6000,4000,6000,2000,1000,4000,15000,3\n\
         A,Process 1 / CUBE,1,4000,4000,1000,4000,4000,4000,10000,1\n\
         C,Process 1 / CUBE,1,2000,2000,1000,2000,2000,2000,4000,1\n"
    );
    let row = |name: &str, n: u64, total: f64| (name.to_owned(), n, total);
    let by_name = [row("B", 3, 6_000.0), row("A", 1, 4_000.0), row("C", 1, 2_000.0)];
    assert_eq!(totals(&mut doc, range().span, TotalsBy::Name), by_name);
}

/// Name, count and total as another document joins them.
fn totals(doc: &mut Document, span: Span, by: TotalsBy) -> Vec<(String, u64, f64)> {
    let ask = WorkQuery::Totals { span: Some(span), by };
    let (Some(timeline::WorkReply::Totals(totals)), _) = doc.query(&ask) else { panic!("no totals") };
    totals.rows.into_iter().map(|(name, sum)| (name, sum.count, sum.total)).collect()
}

/// ```text
/// µs      0    2    4    6    8    10
/// one     call-------------------
///           call--------   call
///             call load
/// two          call------
/// range          |---------|
/// ```
const RECURSION: &str = r#"{"traceEvents":[
{"ph":"X","pid":1,"tid":"one","name":"call","ts":0,"dur":10},
{"ph":"X","pid":1,"tid":"one","name":"call","ts":1,"dur":5},
{"ph":"X","pid":1,"tid":"one","name":"call","ts":2,"dur":2},
{"ph":"X","pid":1,"tid":"one","name":"load","ts":4,"dur":1},
{"ph":"X","pid":1,"tid":"one","name":"call","ts":7,"dur":2},
{"ph":"X","pid":1,"tid":"two","name":"call","ts":2,"dur":4}
]}"#;

#[test]
fn calls_of_functions_that_call_themselves_count_once() {
    let (mut doc, is_ready) = open_one("trace.json", RECURSION.as_bytes().to_vec());
    assert!(is_ready);
    let sums = |doc: &mut Document, area: Area| -> Vec<String> {
        let mut rows: Vec<_> =
            values(doc, Source::Sums(area), None, "").iter().map(|r| r.join(" ")).collect();
        rows.sort();
        rows
    };
    // Count, total, once, share, self, mean, shortest, longest, whole total, outermost.
    let all = Area { span: Span::new(0, 10_000), tracks: Vec::new() };
    assert_eq!(
        sums(&mut doc, all),
        [
            "All names 2 tracks 6 14000 10000 1 14000 4000 1000 10000 14000 2",
            "call 2 tracks 5 14000 10000 1 13000 4600 2000 10000 14000 2",
            "load one 1 1000 1000 0.1 1000 1000 1000 1000 1000 1",
        ]
    );
    let one = Area { span: Span::new(0, 10_000), tracks: vec![track(&doc, "one")] };
    assert_eq!(
        sums(&mut doc, one),
        [
            "All names one 5 10000 10000 1 10000 4000 1000 10000 10000 1",
            "call one 4 10000 10000 1 9000 4750 2000 10000 10000 1",
            "load one 1 1000 1000 0.1 1000 1000 1000 1000 1000 1",
        ]
    );
    // The range cuts the outermost and the nested ones.
    let cut = Area { span: Span::new(3_000, 8_000), tracks: Vec::new() };
    let rows = sums(&mut doc, cut.clone());
    assert_eq!(rows[1], "call 2 tracks 5 8000 5000 1 7000 2600 1000 5000 14000 2");
    assert!(rows[0].starts_with("All names 2 tracks 6 8000 5000 1 8000 ") && rows[0].ends_with(" 14000 2"));
    // The call tree has the nested ones as frames of their own: depth, name, count, total.
    let calls = values(&mut doc, Source::Calls(cut.clone()), None, "");
    let mut calls: Vec<String> =
        calls.iter().map(|row| [1, 0, 2, 3].map(|at| row[at].clone()).join(" ")).collect();
    calls.sort();
    let expected = [
        "0 one 1 5000",
        "0 two 1 3000",
        "1 call 1 3000",
        "1 call 1 5000",
        "2 call 2 4000",
        "3 call 1 1000",
        "3 load 1 1000",
    ];
    assert_eq!(calls, expected);
    let exported = export(&mut doc, "range-csv:3000,8000");
    assert!(exported.contains("\ncall,2 tracks,5,8000,5000,7000,2600,1000,5000,14000,2\n"), "{exported}");
    // The statistics say the same, and so does what is compared.
    let statistics = export(&mut doc, "statistics-csv:statistics-time=3000..8000");
    let call = statistics.lines().find(|line| line.starts_with("call,")).unwrap();
    let call: Vec<&str> = call.split(',').collect();
    assert_eq!((call[2], call[3], call[4], call.last()), ("5", "8000", "7000", Some(&"2")));
    let row = |name: &str, n: u64, total: f64| (name.to_owned(), n, total);
    let by_name = [row("call", 2, 8_000.0), row("load", 1, 1_000.0)];
    assert_eq!(totals(&mut doc, cut.span, TotalsBy::Name), by_name);
    let by_track = [row("one", 1, 5_000.0), row("two", 1, 3_000.0)];
    assert_eq!(totals(&mut doc, cut.span, TotalsBy::Track), by_track);
}

#[test]
fn a_range_that_cuts_nothing_needs_no_whole_totals() {
    let mut doc = open();
    let area = Area { span: Span::new(0, 12_000), tracks: vec![track(&doc, "CUBE")] };
    let reply = page(&mut doc, Source::Sums(area), wanted(None, ""));
    assert!(reply.page.columns.iter().all(|c| c.title != "Whole total"));
    let texts: Vec<&str> = reply.page.rows[0].iter().map(|cell| cell.text.as_str()).collect();
    assert_eq!(texts[..4], ["All names", "CUBE", "4", "10.000 µs"]);
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

/// ```text
/// µs    0    10   20   30   40
/// id 1  a--------------------
///         x-
/// id 2       a----
/// ```
#[test]
fn asynchronous_slices_of_several_ids_do_not_nest() {
    let event = |ph: &str, name: &str, id: u32, ts: u32| {
        format!(r#"{{"ph":"{ph}","cat":"c","pid":1,"tid":1,"name":"{name}","id":{id},"ts":{ts}}}"#)
    };
    let events = [
        event("b", "a", 1, 0),
        event("b", "x", 1, 4),
        event("e", "x", 1, 7),
        event("b", "a", 2, 10),
        event("e", "a", 2, 20),
        event("e", "a", 1, 40),
    ];
    let (doc, _) = open_one("trace.json", format!("[{}]", events.join(",")).into_bytes());
    let (trace, timeline) = (doc.trace(), &doc.derived().timeline);
    let sums = summarize(trace, timeline, &chosen_tracks(trace, &[]), trace.span.unwrap());
    let told: Vec<_> = sums
        .names
        .iter()
        .map(|(name, _, sum)| (trace.strings.get(*name), sum.n_outermost, sum.total, sum.union, sum.own))
        .collect();
    assert_eq!(told, [("a", 2, 50_000, 40_000, 47_000), ("x", 1, 3_000, 3_000, 3_000)]);
    assert_eq!((sums.all.n_outermost, sums.all.total), (2, 50_000));
    let rows = statistics(trace, timeline, &Options::default()).rows;
    let told: Vec<_> =
        rows.iter().map(|row| (trace.strings.get(row.name), row.n_outermost, row.total, row.own)).collect();
    assert_eq!(told, [("a", 2, 50_000, 47_000), ("x", 1, 3_000, 3_000)]);
}
