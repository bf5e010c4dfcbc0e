//! Searches by category, length and argument: counted by hand, and against the plain events of real profiles.

use crate::support::corpus::corpus;
use crate::support::front_door::open_one;
use crate::support::rows::values;
use lanescope::base::time::Span;
use lanescope::document::Document;
use lanescope::views::timeline::messages::{Current, Hits, Like, Reply, SearchQuery, TimelineQuery};
use lanescope::wire::Ask;
use lanescope::wire::rows::Source;

use serde_json::Value;
use std::io::Read;

const TRACE: &str = r#"{"traceEvents":[
{"ph":"X","pid":1,"tid":1,"name":"cudaLaunchKernel","cat":"cuda_runtime","ts":1,"dur":2,"args":{"correlation":17,"External id":5}},
{"ph":"X","pid":1,"tid":1,"name":"cudaLaunchKernel","cat":"cuda_runtime","ts":5,"dur":2,"args":{"correlation":171}},
{"ph":"X","pid":0,"tid":7,"name":"gemm 17","cat":"kernel","ts":4,"dur":600,"args":{"correlation":17,"grid":[8,16,5],"External id":5}},
{"ph":"X","pid":0,"tid":7,"name":"gemm relu","cat":"kernel","ts":700,"dur":500,"args":{"correlation":171,"stream":7}},
{"ph":"X","pid":0,"tid":7,"name":"Memcpy","cat":"gpu_memcpy","ts":1300,"dur":0.5,"args":{"bytes":512,"kind":"Pinned -> Device"}},
{"ph":"X","pid":1,"tid":1,"name":"thread:main","cat":"a,b","ts":10,"dur":1},
{"ph":"i","pid":1,"tid":1,"name":"mark","cat":"kernel","ts":20,"s":"t","args":{"correlation":17}}
]}"#;

fn open(text: &str) -> Document {
    let (doc, is_ready) = open_one("trace.json", text.as_bytes().to_vec());
    assert!(is_ready);
    doc
}

fn hits(doc: &mut Document, search: SearchQuery) -> Hits {
    let ask = TimelineQuery::Search { search, current: Current::Number(0) };
    match doc.query(&ask).0 {
        Some(Reply::Search(hits)) => *hits,
        other => panic!("{other:?}"),
    }
}

fn query(text: &str) -> SearchQuery {
    SearchQuery { text: text.to_owned(), ..SearchQuery::default() }
}

/// Names of what is found, in order of time; as many as are counted.
fn names(doc: &mut Document, search: &SearchQuery) -> Vec<String> {
    let rows = values(doc, Source::Hits(search.clone()), None, "");
    let n = hits(doc, search.clone()).n;
    assert_eq!(n as usize, rows.len(), "{search:?}");
    rows.into_iter().map(|row| row[0].clone()).collect()
}

/// A format may know nothing of a slice but its name: a term that stands in it fits.
#[test]
fn names_with_colons_are_found_in_every_format() {
    let text = "demo trace 1\nslice vector 0 100 load:tile\nslice vector 200 50 copy\n";
    let (mut doc, is_ready) = open_one("trace.demo", text.as_bytes().to_vec());
    assert!(is_ready);
    assert_eq!(names(&mut doc, &query("load:tile")), ["load:tile"]);
    assert_eq!(names(&mut doc, &query("stream:7")), [""; 0]);
}

#[test]
fn terms_are_combined() {
    let mut doc = open(TRACE);
    for (text, expected) in [
        ("cat:kernel", &["gemm 17", "mark", "gemm relu"][..]),
        ("cat:gpu*", &["Memcpy"]),
        ("cat:b", &["thread:main"]),
        ("dur>500us", &["gemm 17"]),
        ("dur>=500us", &["gemm 17", "gemm relu"]),
        ("dur<1us", &["Memcpy"]),
        ("dur>1us dur<0.1ms cat:cuda_runtime", &["cudaLaunchKernel", "cudaLaunchKernel"]),
        ("correlation:17", &["cudaLaunchKernel", "gemm 17", "mark"]),
        ("correlation:17 cat:kernel", &["gemm 17", "mark"]),
        ("correlation:17 cat:kernel dur>1ns", &["gemm 17"]),
        ("external_id:5 gemm", &["gemm 17"]),
        ("\"External id\":5", &["cudaLaunchKernel", "gemm 17"]),
        ("grid:[8,16,5]", &["gemm 17"]),
        ("kind:\"pinned -> device\"", &["Memcpy"]),
        ("bytes:512.0", &["Memcpy"]),
        ("GEMM dur>1us", &["gemm 17", "gemm relu"]),
        ("correlation:1", &[]),
        // What looks like a term may be a name.
        ("thread:main", &["thread:main"]),
    ] {
        assert_eq!(names(&mut doc, &query(text)), expected, "{text}");
    }
    let sensitive = SearchQuery { is_case_sensitive: true, ..query("GEMM dur>1us") };
    assert!(names(&mut doc, &sensitive).is_empty());
    let pattern = SearchQuery { is_pattern: true, ..query("cat:kernel ^gemm.*u$") };
    assert_eq!(names(&mut doc, &pattern), ["gemm relu"]);
    let within = SearchQuery { within: Some(Span::new(0, 4_500)), ..query("correlation:17") };
    assert_eq!(names(&mut doc, &within), ["cudaLaunchKernel", "gemm 17"]);
}

/// Only events of the time that is asked for are read from the file.
#[test]
fn arguments_are_read_in_the_time_that_is_searched() {
    let event = |n: u32| {
        format!(r#"{{"ph":"X","pid":1,"tid":1,"name":"a","ts":{n},"dur":1,"args":{{"n":{}}}}}"#, n % 100)
    };
    let events: Vec<String> = (0..40_000).map(event).collect();
    let mut doc = open(&format!("[{}]", events.join(",\n")));
    let mut steps = |within| {
        let search = SearchQuery { within, ..query("n:7") };
        let ask = TimelineQuery::Search { search: search.clone(), current: Current::Number(0) };
        let n = (1..).find(|_| doc.prepare_query(&ask.query()));
        (n.unwrap(), hits(&mut doc, search).n)
    };
    let (all, n_all) = steps(None);
    let (some, n_some) = steps(Some(Span::new(1_000_000, 1_250_000)));
    assert_eq!((n_all, n_some), (400, 3));
    assert!(some + 5 < all, "{some} of {all}");
}

#[test]
fn a_length_without_a_unit_is_a_problem_that_is_said() {
    let mut doc = open(TRACE);
    for text in ["dur>500", "dur>500 correlation:17"] {
        let hits = hits(&mut doc, query(text));
        assert_eq!((hits.n, hits.problem.as_deref()), (0, Some("a length needs a unit: ns, us, ms or s")));
    }
}

#[test]
fn a_length_without_a_value_is_a_problem_that_is_said() {
    let mut doc = open(TRACE);
    for text in ["dur>", "duration<", "gemm dur>"] {
        let hits = hits(&mut doc, query(text));
        assert!(
            hits.problem.is_some_and(|said| said.starts_with("a length is a number with a unit")),
            "{text}"
        );
    }
}

#[test]
fn the_palette_knows_texts_with_terms() {
    let mut doc = open(TRACE);
    let mut like = |text: &str| match doc.query(&TimelineQuery::Like(text.to_owned())).0 {
        Some(Reply::Like(like)) => *like,
        other => panic!("{other:?}"),
    };
    assert!(like("cat:kernel dur>5us").has_terms);
    assert!(!like("gemm").has_terms && !like("aten::add").has_terms);
    assert_eq!(like("gemm relu"), Like { names: vec![("gemm relu".to_owned(), 1)], ..Like::default() });
}

#[test]
fn real_profiles_equal_their_plain_events() {
    let Some(folder) = corpus("trace_event") else { return };
    let bytes = std::fs::read(folder.join("pytorch/resnet50_workers0.pt.trace.json.gz")).unwrap();
    let mut plain = Vec::new();
    flate2::read::GzDecoder::new(&bytes[..]).read_to_end(&mut plain).unwrap();
    let json: Value = serde_json::from_slice(&plain).unwrap();
    let (mut doc, is_ready) = open_one("trace.json", plain);
    assert!(is_ready);
    let events: Vec<&Value> =
        json["traceEvents"].as_array().unwrap().iter().filter(|event| event["ph"] == "X").collect();
    let number = |event: &Value| event["args"]["correlation"].as_i64();
    let some = events.iter().filter(|event| event["cat"] == "Kernel" || event["cat"] == "kernel");
    let wanted = some.filter_map(|event| number(event)).nth(100).unwrap();
    let is_long = |event: &&&Value| 500.0 < event["dur"].as_f64().unwrap_or(0.0);
    let is_kernel = |event: &&&Value| event["cat"].as_str().unwrap_or("").eq_ignore_ascii_case("kernel");
    let mut n = |text: &str| hits(&mut doc, query(text)).n as usize;
    assert_eq!(n("cat:kernel"), events.iter().filter(is_kernel).count());
    assert_eq!(n("cat:kernel dur>500us"), events.iter().filter(is_kernel).filter(is_long).count());
    let same = events.iter().filter(|event| number(event) == Some(wanted)).count();
    assert!(2 <= same, "a call and its kernel");
    assert_eq!(n(&format!("correlation:{wanted}")), same);
    assert_eq!(n(&format!("correlation:{wanted} cat:kernel")), 1);
}

/// What the command line finds: a line each, or why it found nothing.
#[test]
fn the_command_line_searches_by_the_same_terms() {
    let folder = std::env::temp_dir().join(format!("lanescope-search-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("trace.json");
    std::fs::write(&path, TRACE).unwrap();
    let run = |text: &str| {
        let program = env!("CARGO_BIN_EXE_lanescope");
        let output =
            std::process::Command::new(program).arg(&path).args(["--search", text]).output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (output.status.code(), text(output.stdout), text(output.stderr))
    };
    let (status, out, _) = run("cat:kernel dur>500us");
    let mut csv = csv::Reader::from_reader(out.as_bytes());
    let rows: Vec<csv::StringRecord> = csv.records().map(Result::unwrap).collect();
    assert_eq!((status, rows.len(), &rows[0][0]), (Some(0), 1, "gemm 17"), "{out}");
    let (status, out, err) = run("dur>500");
    assert!(err.contains("a length needs a unit: ns, us, ms or s"), "{err}");
    assert!(status != Some(0) && out.is_empty(), "{status:?} {out}");
    std::fs::remove_dir_all(folder).unwrap();
}
