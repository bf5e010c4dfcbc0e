//! Statistics by name, category and track: counted by hand, and against a slow and obvious version, through the front door.

mod tips;

use crate::support::front_door::open_one;
use crate::support::naive;
use crate::support::rows::{page, values, wanted};
use crate::words::chinese;
use lanescope::analysis::rows::{Goal, Only};
use lanescope::analysis::statistics::{By, Options};
use lanescope::base::time::{Span, Ticks};
use lanescope::base::words::Language;
use lanescope::document::Document;
use lanescope::scene::table::{Column, arranged};
use lanescope::views::timeline::messages::Area;
use lanescope::wire::rows::Source;
use lanescope::wire::{Answer, Query};

use proptest::prelude::*;
use std::collections::BTreeMap;
use std::fmt::Write;

/// ```text
/// µs       0    2    4    6    8    10   12
/// main     step#1------------  step#2--
///           load  mul--mul
/// stream        kernel----------------
/// ```
const TRACE: &str = r#"{"traceEvents":[
{"ph":"M","pid":1,"name":"process_name","args":{"name":"host"}},
{"ph":"M","pid":2,"name":"process_name","args":{"name":"device"}},
{"ph":"X","pid":1,"tid":"main","name":"step#1","cat":"user","ts":0,"dur":8},
{"ph":"X","pid":1,"tid":"main","name":"load","cat":"op","ts":1,"dur":2},
{"ph":"X","pid":1,"tid":"main","name":"mul","cat":"op","ts":3,"dur":2},
{"ph":"X","pid":1,"tid":"main","name":"mul","cat":"op","ts":5,"dur":1},
{"ph":"X","pid":1,"tid":"main","name":"step#2","cat":"user","ts":9,"dur":4},
{"ph":"X","pid":2,"tid":"stream","name":"kernel","cat":"kernel","ts":2,"dur":9},
{"ph":"X","pid":2,"tid":"stream","name":"mul","cat":"kernel","ts":12,"dur":0}
]}"#;

fn open(text: &str) -> Document {
    let (doc, is_ready) = open_one("trace.json", text.as_bytes().to_vec());
    assert!(is_ready);
    doc
}

/// The rows of an export by the name in their first cell.
fn export(doc: &mut Document, arguments: &str) -> BTreeMap<String, Vec<String>> {
    let colon = if arguments.is_empty() { "" } else { ":" };
    let (answer, bytes) = doc.query(&Query::Export { id: format!("statistics-csv{colon}{arguments}") });
    let bytes = bytes.unwrap_or_else(|| panic!("{arguments}: {answer:?}"));
    let mut csv = csv::Reader::from_reader(&bytes[..]);
    let head: Vec<String> = csv.headers().unwrap().iter().map(str::to_owned).collect();
    let first = "name,category,count,total_ns,self_ns,mean_ns,median_ns,p95_ns,min_ns,max_ns";
    assert_eq!(head[..10].join(","), first);
    let rows = csv.records().map(|row| row.unwrap().iter().map(str::to_owned).collect::<Vec<_>>());
    rows.map(|row| (row[0].clone(), row)).collect()
}

fn texts(cells: &[&str]) -> Vec<String> {
    cells.iter().map(|&cell| cell.to_owned()).collect()
}

#[test]
fn names_are_added_up_by_hand() {
    let mut doc = open(TRACE);
    let rows = export(&mut doc, "");
    let [step, mul] = ["step#1", "mul"].map(|name| rows[name][1..10].to_vec());
    assert_eq!(step, texts(&["user", "1", "8000", "3000", "8000", "8000", "8000", "8000", "8000"]));
    assert_eq!(mul, texts(&["op", "3", "3000", "3000", "1000", "1000", "1900", "0", "2000"]));
    assert_eq!(rows["mul"][11..], texts(&["2", "2", "3"]), "tracks, categories and outermost ones");
    assert_eq!(rows["mul"][10], (3_000.0 / 21_000.0).to_string(), "share of all self time");
    let joined = export(&mut doc, "statistics-joined");
    assert_eq!(joined["step#*"][1..6], texts(&["user", "2", "12000", "7000", "6000"]));
    assert!(!joined.contains_key("step#1") && joined.contains_key("load"));
}

#[test]
fn categories_tracks_and_filters_are_added_up_by_hand() {
    let mut doc = open(TRACE);
    let rows = export(&mut doc, "statistics-by=category");
    assert_eq!(
        rows["op"][1..6],
        texts(&["op", "3", "5000", "5000", (5_000.0_f64 / 3.0).to_string().as_str()])
    );
    let rows = export(&mut doc, "statistics-by=track");
    let main = rows.keys().find(|path| path.starts_with("host")).unwrap();
    // What lies in a step is time of the track once.
    assert_eq!(rows[main][2..5], texts(&["5", "12000", "12000"]));
    let rows = export(&mut doc, "statistics-track=device");
    assert_eq!(rows.keys().collect::<Vec<_>>(), ["kernel", "mul"]);
    // What a category leaves out still takes its time from what is around it.
    let rows = export(&mut doc, "statistics-category=user");
    assert_eq!(rows["step#1"][3..5], texts(&["8000", "3000"]));
    assert_eq!(rows.len(), 2);
    let rows = export(&mut doc, "statistics-time=4000..10000");
    assert_eq!(rows["step#1"][2..5], texts(&["1", "4000", "2000"]));
    assert_eq!(rows["mul"][2..5], texts(&["2", "2000", "2000"]));
    assert!(!rows.contains_key("load"));
}

/// ```text
/// µs      0    1    2    3    4    5    6    7    8
/// main    state---------------------------------…  never ends
///         A-------------------
///              wait------------------…             never ends
///              B----
///                                  C----
/// ```
#[test]
fn slices_without_an_end_are_left_out_and_what_lies_in_them_counts() {
    let mut doc = open(
        r#"[{"ph":"B","pid":1,"tid":1,"name":"state","cat":"s","ts":0},
{"ph":"X","pid":1,"tid":1,"name":"A","ts":0,"dur":4},
{"ph":"B","pid":1,"tid":1,"name":"wait for it","ts":1},
{"ph":"X","pid":1,"tid":1,"name":"B","ts":1,"dur":1},
{"ph":"X","pid":1,"tid":1,"name":"C","ts":7,"dur":1}]"#,
    );
    let rows = export(&mut doc, "");
    assert_eq!(rows.keys().collect::<Vec<_>>(), ["A", "B", "C"]);
    // B lies in A, whatever never ends between them.
    assert_eq!(rows["A"][2..5], texts(&["1", "4000", "3000"]));
    assert_eq!(rows["C"][2..5], texts(&["1", "1000", "1000"]));
    let reply = page(&mut doc, Source::Statistics(Options::default()), wanted(None, ""));
    assert_eq!(reply.words, ["3 names, 3 slices, 1 track, 8.000 µs, 2 unfinished left out", "5.000 µs"]);
    let rows = export(&mut doc, "statistics-by=track");
    assert_eq!(rows.values().next().unwrap()[2..5], texts(&["3", "5000", "5000"]));
    assert!(export(&mut doc, "statistics-category=s").is_empty());
    // Heads and Idle count the same as busy: 4 and 1 of 8 µs; nothing is said to be idle.
    let area = Area { span: Span::new(0, 8_000), tracks: Vec::new() };
    let idle = values(&mut doc, Source::Idle { area, waits: false }, None, "");
    assert_eq!(idle[0][2..], texts(&["0", "", "", "0", "5000", "8000"]));
    let track = doc.trace().tracks.iter().find(|(_, track)| !track.slices.is_empty()).unwrap().0;
    assert_eq!(doc.derived().timeline.track(track).busy(Span::new(0, 8_000)), 5_000);
}

#[test]
fn wrong_arguments_are_told() {
    let mut doc = open(TRACE);
    for wrong in ["statistics-time=4000", "statistics-track=nothing", "statistics-by=color"] {
        let (answer, bytes) = doc.query(&Query::Export { id: format!("statistics-csv:{wrong}") });
        assert!(bytes.is_none() && matches!(answer, Answer::Failed(_)), "{wrong}: {answer:?}");
    }
}

#[test]
fn rows_lead_to_their_slices() {
    let mut doc = open(TRACE);
    let options = Options { is_joined: true, ..Options::default() };
    let reply = page(&mut doc, Source::Statistics(options.clone()), wanted(None, ""));
    let first: Vec<&str> = reply.page.rows.iter().map(|row| row[0].text.as_str()).collect();
    assert_eq!(first, ["kernel", "step#*", "mul", "load"], "most self time first");
    assert_eq!(reply.words, ["4 names, 7 slices, 2 tracks, 13.000 µs", "21.000 µs"]);
    let own = reply.page.columns.iter().position(|column| column.title == "Self").unwrap();
    let bar = reply.page.rows[1][own].bar.unwrap();
    assert!((bar.0 - 7.0 / 12.0).abs() < 1e-9 && (bar.1 - 1.0).abs() < 1e-9, "{bar:?}");
    let [chosen, Some(Goal::Slice(longest))] = &reply.goals[1] else { panic!("{:?}", reply.goals) };
    assert_eq!(*chosen, Some(Goal::Name("step#*".to_owned())));
    assert_eq!(doc.trace().event(*longest).unwrap().span, Span::new(0, 8_000));
    let narrowed = page(&mut doc, Source::Statistics(options), wanted(None, "mul"));
    assert_eq!(narrowed.words, ["1 of 4 rows, 3 slices, 2 tracks, 13.000 µs", "3.000 µs"]);
    let area = Area { span: Span::new(0, 14_000), tracks: Vec::new() };
    let mut slices = |only| values(&mut doc, Source::Slices { area: area.clone(), only }, None, "").len();
    assert_eq!(slices(Only::name("step#*")), 2);
    assert_eq!(slices(Only::name("step#2")), 1);
    assert_eq!(slices(Only { name: Some("mul".to_owned()), category: Some("op".to_owned()) }), 2);
    assert_eq!(slices(Only { name: None, category: Some("kernel".to_owned()) }), 2);
}

#[test]
fn a_time_without_slices_has_a_head_and_no_rows() {
    let mut doc = open(TRACE);
    let options = Options { span: Some(Span::new(20_000, 30_000)), ..Options::default() };
    let reply = page(&mut doc, Source::Statistics(options), wanted(None, ""));
    assert!(reply.page.rows.is_empty() && 9 < reply.page.columns.len());
}

/// Track, name, category, start and length in ns.
type Row = (usize, usize, usize, Ticks, Ticks);

const NAMES: [&str; 6] = ["add", "mul", "step#1", "step#2", "step#30", "copy 7"];
const CATEGORIES: [&str; 3] = ["op", "kernel", ""];

fn rows() -> impl Strategy<Value = Vec<Row>> {
    let dur = prop_oneof![Just(0), 1i64..40, 1i64..300, Just(5_000_000_000)];
    prop::collection::vec((0..3_usize, 0..NAMES.len(), 0..CATEGORIES.len(), 0i64..400, dur), 1..80)
}

fn text_of(rows: &[Row]) -> String {
    let mut text = "{\"traceEvents\":[\n".to_owned();
    let time = |nanos: Ticks| format!("{}.{:03}", nanos / 1000, nanos % 1000);
    for (at, (track, name, category, start, dur)) in rows.iter().enumerate() {
        let comma = if at == 0 { "" } else { ",\n" };
        let (name, category) = (NAMES[*name], CATEGORIES[*category]);
        let category = if category.is_empty() { String::new() } else { format!("\"cat\":\"{category}\",") };
        let (start, dur) = (time(*start), time(*dur));
        write!(text, "{comma}{{\"ph\":\"X\",\"pid\":{},\"tid\":{track},", track % 2).unwrap();
        write!(text, "\"name\":\"{name}\",{category}\"ts\":{start},\"dur\":{dur}}}").unwrap();
    }
    text + "\n]}"
}

/// Length and self time of a slice; how much of its length its row counts beside that of the slice of the row around it, and
/// whether there is none.
type Sample = (Ticks, Ticks, Ticks, bool);

/// Of each row: its slices.
fn slow(
    doc: &Document,
    key: &dyn Fn(&str, &str, &str) -> String,
    category: Option<&str>,
    span: Option<Span>,
) -> BTreeMap<String, Vec<Sample>> {
    let trace = doc.trace();
    let mut found: BTreeMap<String, Vec<Sample>> = BTreeMap::new();
    let range = span.unwrap_or(Span::new(0, Ticks::MAX / 2));
    for (id, track) in trace.tracks.iter() {
        let own = naive::own(&track.slices, range);
        // The rows of the track that count, and of each those whose closest container of their kind it is.
        let mut before: BTreeMap<usize, (String, Vec<Span>)> = BTreeMap::new();
        for (row, own) in own.iter().enumerate() {
            let slice = track.slices.span(row);
            let is_in = slice.start < range.end && (range.start <= slice.start || range.start < slice.end);
            let text = |id| trace.strings.get(id);
            let (name, own_category) = (text(track.slices.name[row]), text(track.slices.category_of(row)));
            if is_in && category.is_none_or(|category| category == own_category) {
                let key = key(name, own_category, &trace.track_path(id));
                let inside = slice.intersect(range);
                let mut parents = std::iter::successors(naive::parent(&track.slices, row), |row| {
                    naive::parent(&track.slices, *row)
                });
                let around = parents.find(|at| before.get(at).is_some_and(|own| own.0 == key));
                let counted = match around.and_then(|at| before.get_mut(&at)) {
                    Some((_, inner)) => {
                        let known = naive::union(inner);
                        inner.push(inside);
                        inside.dur() - (naive::union(inner) - known)
                    }
                    None => inside.dur(),
                };
                before.insert(row, (key.clone(), Vec::new()));
                found.entry(key).or_default().push((inside.dur(), *own, counted, around.is_none()));
            }
        }
    }
    found
}

/// As numpy's percentile.
fn percentile(sorted: &[Ticks], percent: f64) -> f64 {
    let place = (sorted.len() - 1) as f64 * percent / 100.0;
    let (low, part) = (place.floor(), place.fract());
    let low = sorted[low as usize] as f64;
    let high = sorted[place.ceil() as usize] as f64;
    low + (high - low) * part
}

fn compare(found: &BTreeMap<String, Vec<String>>, expected: &BTreeMap<String, Vec<Sample>>) {
    assert_eq!(found.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>());
    for (name, slices) in expected {
        let mut lengths: Vec<Ticks> = slices.iter().map(|slice| slice.0).collect();
        lengths.sort_unstable();
        let own: Ticks = slices.iter().map(|slice| slice.1).sum();
        let outermost = slices.iter().filter(|slice| slice.3).count();
        let total: Ticks = slices.iter().map(|slice| slice.2).sum();
        assert!(own <= total, "{name}: self {own} is more than {total}");
        let row = &found[name];
        let number = |at: usize| row[at].parse::<f64>().unwrap();
        assert_eq!(row[2], slices.len().to_string(), "{name}");
        assert_eq!((row[3].as_str(), row[4].as_str()), (&*total.to_string(), &*own.to_string()), "{name}");
        assert_eq!(row[13], outermost.to_string(), "{name}");
        let mean = lengths.iter().sum::<Ticks>() as f64 / slices.len() as f64;
        let expected = [mean, percentile(&lengths, 50.0), percentile(&lengths, 95.0)];
        for (at, expected) in (5..8).zip(expected) {
            assert!((number(at) - expected).abs() <= expected.abs() * 1e-9, "{name}: {row:?}, {expected}");
        }
        let ends = [lengths[0], lengths[lengths.len() - 1]].map(|dur| dur.to_string());
        assert_eq!(row[8..10], ends, "{name}");
    }
}

/// ```text
/// µs    0         40   50   60        100
/// main  a-----------------------------
///         a----------             10 to 50
///                 a-------        40 to 60
/// ```
#[test]
fn self_time_is_never_more_than_total() {
    let event =
        |ts: u32, dur: u32| format!(r#"{{"ph":"X","pid":1,"tid":1,"name":"a","ts":{ts},"dur":{dur}}}"#);
    let text = |events: [String; 3]| format!(r#"{{"traceEvents":[{}]}}"#, events.join(","));
    // Those that overlap in part count each time, in self time and in total: 100 − 50 + 40 + 20.
    let rows = export(&mut open(&text([event(0, 100), event(10, 40), event(40, 20)])), "");
    assert_eq!(rows["a"][3..5], texts(&["110000", "110000"]));
    assert_eq!(rows["a"][13], "1");
    // One that is nested in another counts once.
    let rows = export(&mut open(&text([event(0, 100), event(10, 40), event(20, 20)])), "");
    assert_eq!(rows["a"][3..5], texts(&["100000", "100000"]));
}

proptest! {
    #[test]
    fn statistics_are_those_of_a_slow_version(
        rows in rows(),
        range in prop::option::of((0i64..500, 0i64..500)),
        category in prop::option::of(0..2_usize),
    ) {
        let mut doc = open(&text_of(&rows));
        let span = range.map(|(start, dur)| Span::new(start, start + dur));
        let time = span.map_or(String::new(), |span| format!(",statistics-time={}..{}", span.start, span.end));
        let category = category.map(|at| CATEGORIES[at]);
        let of = category.map_or(String::new(), |category| format!(",statistics-category={category}"));
        type Label = fn(&str, &str, &str) -> String;
        let labels: [(&str, Label); 3] = [
            ("name", |name, _, _| name.to_owned()),
            ("category", |_, category, _| category.to_owned()),
            ("track", |_, _, path| path.to_owned()),
        ];
        for (by, label) in labels {
            let found = export(&mut doc, &format!("statistics-by={by}{time}{of}"));
            compare(&found, &slow(&doc, &label, category, span));
        }
        let found = export(&mut doc, &format!("statistics-joined{time}{of}"));
        let steps = rows.iter().map(|row| row.1).filter(|name| (2..5).contains(name));
        let is_joined = 1 < steps.collect::<std::collections::BTreeSet<_>>().len();
        let label = |name: &str, _: &str, _: &str| match name.strip_prefix("step#") {
            Some(_) if is_joined => "step#*".to_owned(),
            _ => name.to_owned(),
        };
        compare(&found, &slow(&doc, &label, category, span));
    }
}

#[test]
fn percentiles_of_many_slices_are_exact() {
    // More than are sorted at once; lengths of one name need more than four bytes.
    let mut seed = 7_u64;
    let mut next = |most: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((seed >> 33) % most).cast_signed()
    };
    let row = |at: i64, next: &mut dyn FnMut(u64) -> i64| {
        let name = usize::from(at % 2 == 0);
        let dur = if name == 0 { next(100_000) } else { next(7_000_000_000) };
        (0, name, 0, at * 8_000_000_000, dur)
    };
    let rows: Vec<Row> = (0..90_001).map(|at| row(at, &mut next)).collect();
    let mut doc = open(&text_of(&rows));
    let found = export(&mut doc, "");
    // Nothing is nested.
    let mut expected: BTreeMap<String, Vec<Sample>> = BTreeMap::new();
    for row in &rows {
        expected.entry(NAMES[row.1].to_owned()).or_default().push((row.4, row.4, row.4, true));
    }
    compare(&found, &expected);
}

/// The page of the statistics by names or categories as the view shows it.
fn shown(doc: &mut Document, by: By) -> lanescope::scene::table::Page {
    page(doc, Source::Statistics(Options { by, ..Options::default() }), wanted(None, "")).page
}

#[test]
fn micros_have_one_decimal_and_all_digits_in_the_tip() {
    let mut doc = open(TRACE);
    let page = shown(&mut doc, By::Category);
    let median = page.columns.iter().position(|c| c.title == "Mean").unwrap();
    assert_eq!(page.columns[median].unit, "µs");
    let op = page.rows.iter().find(|row| row[0].text == "op").unwrap();
    assert_eq!((op[median].text.as_str(), op[median].full.as_str()), ("1.7", "1.666666667 µs"));
}

/// Seven characters of a wide face take 60 px, and a cell has 8 px at each side.
#[test]
fn numbers_have_room_in_wide_faces() {
    let long = TRACE.replace("\"ts\":2,\"dur\":9", "\"ts\":2,\"dur\":431.454");
    let fine = long.replace("\"ts\":5,\"dur\":1", "\"ts\":5,\"dur\":0.5");
    for text in [TRACE, long.as_str(), fine.as_str()] {
        let page = shown(&mut open(text), By::Name);
        for (at, column) in page.columns.iter().enumerate().filter(|(_, c)| c.is_number) {
            let longest = page.rows.iter().map(|row| row[at].text.chars().count()).max().unwrap_or(0);
            let room = column.least(true) - 16.0;
            assert!(longest as f64 * 60.0 / 7.0 <= room, "{}: {longest} in {room}", column.title);
        }
    }
}

/// As those of executions, which readers name; names of the file stay.
#[test]
fn tracks_that_readers_name_are_told_in_the_language_of_the_page() {
    chinese();
    let mut doc = open(&TRACE.replace("\"name\":\"host\"", "\"name\":\"Executions\""));
    doc.set_language(Language::Zh);
    let page = shown(&mut doc, By::Track);
    let tracks: Vec<&str> = page.rows.iter().map(|row| row[0].text.as_str()).collect();
    assert!(tracks.iter().any(|track| track.starts_with("执行 / ")), "{tracks:?}");
    assert!(tracks.iter().any(|track| track.starts_with("device / ")), "{tracks:?}");
}

/// Windows of 1280 and 1440 px beside the list of files.
const ROOMS: [f64; 2] = [1280.0 - 208.0, 1440.0 - 208.0];

#[test]
fn columns_give_way_in_their_order_and_rows_that_hold_names_say_so() {
    let mut doc = open(TRACE);
    for (by, is_group) in [(By::Name, false), (By::Category, true), (By::Track, true)] {
        let page = shown(&mut doc, by);
        let mut giving: Vec<&Column> = page.columns.iter().filter(|c| 0 < c.gives_way).collect();
        giving.sort_by_key(|column| column.gives_way);
        let titles: Vec<&str> = giving.iter().map(|column| column.title.as_str()).collect();
        assert!(titles.starts_with(&["Longest", "Mean", "Shortest"]), "{titles:?}");
        let groups: Vec<bool> = page.columns.iter().map(|c| c.is_group).collect();
        assert_eq!((groups[0], groups[1..].contains(&true)), (is_group, false));
        for room in ROOMS {
            let shown = arranged(&page.columns, room, true).shown;
            let needs: f64 = shown.iter().map(|&at| page.columns[at].wanted(true)).sum();
            assert!(needs <= room, "{needs} of {room}: {shown:?}");
            // What gave way did so in its order.
            let hidden = titles.iter().map(|title| {
                let at = page.columns.iter().position(|column| column.title == *title);
                at.is_some_and(|at| !shown.contains(&at))
            });
            let hidden: Vec<bool> = hidden.collect();
            assert!(hidden.is_sorted_by(|a, b| a >= b), "{titles:?} {hidden:?}");
        }
    }
}

#[test]
fn a_row_of_several_categories_names_them_all() {
    let page = shown(&mut open(TRACE), By::Name);
    let categories = |name: &str| page.rows.iter().find(|row| row[0].text == name).map(|row| &*row[1].text);
    // Two of three are of the first.
    assert_eq!([categories("mul"), categories("load")], [Some("op, kernel"), Some("op")]);
}
