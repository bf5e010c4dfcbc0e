//! Waiting is not work, with one definition: the heads of rows, idle time, overlap and the tables of pipes say the same of
//! the same range. Against a slow twin over the raw events, on a generated trace and on the corpus.

use super::corpus::ascend;
use super::sentences;
use crate::support::front_door::open_one;
use crate::support::rows::values;
use lanescope::base::geometry::Size;
use lanescope::document::Document;
use lanescope::model::figure::{Body, Cell};
use lanescope::scene::palette::Palette;
use lanescope::views::timeline::messages::{Area, Folding, Frame, RowKind};
use lanescope::wire::figures::{FigureQuery, Reply};
use lanescope::wire::rows::Source;

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;

/// What is no work.
const IDLE: [&str; 5] = ["BAR", "WAIT_FLAG", "wait_event", "SET_FLAG", "set_event"];

/// Start, end and name of slices by core and pipe.
type Pipes = BTreeMap<(String, String), Vec<(f64, f64, String)>>;

/// The slices of the raw events: X, and pairs of B and E of the same name and id, in any order.
fn slices(trace: &Value) -> Pipes {
    let mut pipes = Pipes::new();
    let mut open: BTreeMap<(String, String), Value> = BTreeMap::new();
    let number = |event: &Value, key: &str| event[key].as_f64().unwrap_or(0.0);
    let text =
        |event: &Value, key: &str| event[key].as_str().map_or_else(|| event[key].to_string(), str::to_owned);
    for event in trace["traceEvents"].as_array().unwrap() {
        let mut push = |of: &Value, start: f64, end: f64| {
            let key = (text(of, "pid"), text(of, "tid"));
            pipes.entry(key).or_default().push((start, end, text(of, "name")));
        };
        match event["ph"].as_str() {
            Some("X") => push(event, number(event, "ts"), number(event, "ts") + number(event, "dur")),
            Some(phase @ ("B" | "E")) => {
                let key = (text(event, "name"), text(event, "id"));
                match open.remove(&key) {
                    Some(other) if other["ph"] != phase => {
                        let (begin, end) = if phase == "B" { (event, &other) } else { (&other, event) };
                        push(begin, number(begin, "ts"), number(end, "ts"));
                    }
                    _ => drop(open.insert(key, event.clone())),
                }
            }
            _ => {}
        }
    }
    pipes
}

/// How long at least one slice of work lasts.
fn busy(slices: &[(f64, f64, String)]) -> f64 {
    let mut work: Vec<(f64, f64)> =
        slices.iter().filter(|s| !IDLE.contains(&s.2.as_str())).map(|s| (s.0, s.1)).collect();
    work.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (mut sum, mut until) = (0.0, f64::MIN);
    for (start, end) in work {
        sum += (end - until.max(start)).max(0.0);
        until = until.max(end);
    }
    sum
}

/// The rows of a computed table: its texts joined, and its numbers.
fn table(doc: &mut Document, id: &str) -> Vec<(Vec<String>, Vec<Option<f64>>)> {
    let ask = FigureQuery::Figure { id: id.to_owned(), chosen: Vec::new() };
    let Some(Reply::Figure(shown)) = doc.query(&ask).0 else { panic!("a figure") };
    let Body::Table(table) = shown.figure.body else { panic!("a table") };
    let text = |cell: &Cell| if let Cell::Text(text) = cell { Some(text.clone()) } else { None };
    let row =
        |row: &Vec<Cell>| (row.iter().filter_map(text).collect(), row.iter().map(Cell::as_number).collect());
    table.rows.iter().map(row).collect()
}

/// Whether everything that tells how busy a pipe is says what the raw events say.
fn is_one_definition(trace: &Value) {
    let (mut doc, ready) = open_one("trace.json", trace.to_string().into_bytes());
    assert!(ready);
    let span = doc.trace().span.expect("a trace with slices");
    let whole = span.dur() as f64;
    let pipes = slices(trace);
    let share = |core: &str, pipe: &str| {
        let own = pipes.iter().find(|((c, p), _)| core.ends_with(c.as_str()) && p.eq_ignore_ascii_case(pipe));
        busy(own.unwrap_or_else(|| panic!("no {core} {pipe}")).1) * 1_000.0 / whole
    };
    let mut cores: BTreeMap<String, (f64, f64)> = BTreeMap::new();
    for ((core, _), slices) in &pipes {
        let ends = cores.entry(core.clone()).or_insert((f64::MAX, 0.0));
        *ends = slices.iter().fold(*ends, |(a, b), s| (a.min(s.0), b.max(s.1)));
    }
    let of_core = |core: &str| {
        let (start, end) = *cores.iter().find(|(name, _)| core.ends_with(name.as_str())).unwrap().1;
        (end - start) * 1_000.0
    };
    // Heads of rows: of the time of their cores, as the overview has it.
    let frame = Frame { ratio: 1.0, folding: Folding::Open, ..Frame::default() };
    let size = Size { w: 1_200.0, h: 4_000.0 };
    let Some(note) = doc.draw(&frame, size, &Palette::default()).1 else { panic!("a timeline") };
    let mut core = String::new();
    let mut n_heads = 0;
    for head in &note.heads {
        if head.kind == RowKind::Group {
            core = head.name.clone();
        } else if matches!(head.kind, RowKind::Lanes(_)) {
            let expected = share(&core, &head.name) * whole / of_core(&core) * 100.0;
            let shown: f64 = head.value.trim_end_matches(" %").parse().unwrap();
            assert!((shown - expected).abs() < 0.06, "head of {core} {}: {shown}, not {expected}", head.name);
            n_heads += 1;
        }
    }
    assert_eq!(n_heads, pipes.len());
    // Idle time: the busy ticks of each track, and of overlap the time each track is busy.
    let area = Area { span, tracks: Vec::new() };
    let idle = values(&mut doc, Source::Idle { area, waits: false }, None, "");
    let ticks: Vec<f64> = idle.iter().map(|row| row[6].parse().unwrap()).collect();
    let times = table(&mut doc, "pipe-times");
    assert_eq!(ticks.len(), times.len());
    for ((texts, numbers), ticks) in times.iter().zip(ticks) {
        let [core, pipe] = texts.as_slice() else { panic!("{texts:?}") };
        let expected = share(core, pipe);
        let is_near = |found: f64, expected: f64| (found - expected).abs() < 1e-3 * expected.max(0.01);
        assert!(is_near(ticks / whole, expected), "idle {texts:?}: {}", ticks / whole);
        // Busy, waiting, core span, utilization, share of the trace.
        let [Some(busy), _, Some(_), Some(utilization), Some(of_trace)] = numbers[2..7] else {
            panic!("{numbers:?}")
        };
        assert!(
            is_near(busy / whole, expected) && is_near(of_trace / 100.0, expected),
            "{texts:?} {numbers:?}"
        );
        let of_core = expected * whole / of_core(core);
        assert!(is_near(utilization / 100.0, of_core), "{texts:?}: {utilization}, not {of_core}");
    }
    let id = lanescope::analysis::area::overlap::figure_id(span, &[], false);
    let ask = FigureQuery::Figure { id, chosen: vec![0] };
    let Some(Reply::Figure(shown)) = doc.query(&ask).0 else { panic!("a figure") };
    let Body::HeatMap(map) = shown.figure.body else { panic!("a map") };
    let n = map.width as usize;
    assert_eq!(n, times.len());
    for (at, (texts, _)) in times.iter().enumerate() {
        let found = f64::from(map.values[at * n + at]);
        let expected = share(&texts[0], &texts[1]);
        // Starts and durations are rounded to nanoseconds, those of some hundred slices.
        let is_near = (found - expected).abs() < 1e-3 * expected.max(0.01);
        assert!(is_near, "overlap of {texts:?}: {found}, not {expected}");
    }
}

/// Two cores, the second later; pipes that only wait, that wait between work, beside it on other lanes, and never.
fn trace() -> Value {
    let x = |core: &str, pipe: &str, name: &str, ts: f64, dur: f64| json!({"ph": "X", "pid": core, "tid": pipe, "name": name, "ts": ts, "dur": dur});
    let mut events = Vec::new();
    for (core, at) in [("core0.veccore0", 0.0), ("core1.veccore0", 3.0)] {
        events.extend([
            x(core, "SCALAR", "ADD", at, 9.0),
            x(core, "SCALAR", "BAR", at + 9.0, 0.5),
            x(core, "FLOWCTRL", "BAR", at, 4.0),
            x(core, "VECTOR", "VADD", at + 2.0, 1.0),
            x(core, "VECTOR", "BAR", at + 2.5, 3.0),
            x(core, "VECTOR", "VMUL", at + 4.0, 1.0),
            x(core, "MTE2", "MOV", at + 1.0, 2.0),
            x(core, "MTE2", "MOV", at + 2.0, 3.0),
        ]);
        for (name, pipe, from, to) in [("SET_FLAG", "MTE2", 5.0, 5.5), ("WAIT_FLAG", "VECTOR", 6.0, 8.0)] {
            for (phase, ts) in [("B", at + from), ("E", at + to)] {
                events.push(json!({"ph": phase, "pid": core, "tid": pipe, "name": name, "ts": ts, "id": format!("{core}{name}")}));
            }
        }
    }
    json!({"profilingType": "op", "schemaVersion": 1, "traceEvents": events})
}

#[test]
fn heads_idle_overlap_and_tables_have_one_definition_of_busy() {
    is_one_definition(&trace());
}

#[test]
fn the_limiter_of_a_simulated_kernel_is_named() {
    let mut doc = open_one("trace.json", trace().to_string().into_bytes()).0;
    // Each core lasts 9.5 µs: SCALAR 9 of it, MTE2 4, VECTOR 2.
    assert_eq!(
        sentences(&mut doc),
        [
            "Scalar is the bottleneck of the vector cores: busy for 94.7 % of their time, then MTE2 for 42.1 %. Vector is active in 21.1 %."
        ]
    );
}

/// A pipe that one of two cores used is busy in the time of both.
#[test]
fn a_pipe_of_some_cores_does_not_bound_all() {
    let x = |core: &str, pipe: &str, ts: u32, dur: u32| json!({"ph": "X", "pid": core, "tid": pipe, "name": pipe, "ts": ts, "dur": dur});
    let events: Vec<Value> = ["core0.veccore0", "core1.veccore0"]
        .into_iter()
        .flat_map(|core| [x(core, "SCALAR", 0, 5), x(core, "VECTOR", 9, 1)])
        .chain([x("core0.veccore0", "MTE3", 0, 9)])
        .collect();
    let trace = json!({"profilingType": "op", "schemaVersion": 1, "traceEvents": events});
    let mut doc = open_one("trace.json", trace.to_string().into_bytes()).0;
    // Of 20 µs: SCALAR 10, MTE3 9, VECTOR 2. Of the core that has it, MTE3 is busy for 90 %.
    assert_eq!(
        sentences(&mut doc),
        [
            "No pipe of the vector cores is busy for 80 % of their time on average: Scalar is busy for 50.0 %, MTE3 for 45.0 %; MTE3 is the bottleneck of single cores at up to 90.0 %. Vector is active in 10.0 %."
        ]
    );
}

#[test]
fn waiting_is_named_where_much_of_it_is_recorded() {
    let x = |pipe: &str, name: &str, ts: u32, dur: u32| json!({"ph": "X", "pid": "core0.veccore0", "tid": pipe, "name": name, "ts": ts, "dur": dur});
    let said = |wait: &str| {
        let events = [x("SCALAR", "MOV", 0, 6), x("SCALAR", wait, 6, 12), x("MTE2", "MOV", 18, 2)];
        let trace = json!({"profilingType": "op", "schemaVersion": 1, "traceEvents": events});
        sentences(&mut open_one("trace.json", trace.to_string().into_bytes()).0)[0].clone()
    };
    assert_eq!(
        said("BAR"),
        "No pipe of the vector cores is busy for 80 % of their time: Scalar is busy for 30.0 %, MTE2 for 10.0 %. No recorded pipe is active in at least 60.0 %. Scalar waits in 60.0 %."
    );
    // 8, 7 and 5 of 20 µs are all of it, but MTE2 and VECTOR work at once.
    let events = [x("MTE2", "MOV", 0, 8), x("VECTOR", "ADD", 1, 7), x("SCALAR", "MOV", 15, 5)];
    let trace = json!({"profilingType": "op", "schemaVersion": 1, "traceEvents": events});
    assert_eq!(
        sentences(&mut open_one("trace.json", trace.to_string().into_bytes()).0)[0],
        "No pipe of the vector cores is busy for 80 % of their time: MTE2 is busy for 40.0 %, Vector for 35.0 %."
    );
    // Work of SCALAR up to 18 of 20 µs bounds it.
    assert!(said("ADD").starts_with("Scalar is the bottleneck of the vector cores: busy for 90.0 %"));
}

/// Waiting does not limit a core whose pipe is busy nearly all the time, though the other cores wait.
#[test]
fn a_pipe_that_bounds_one_core_alone_does_not_say_that_pipes_wait() {
    let x = |core: &str, pipe: &str, ts: u32, dur: u32| json!({"ph": "X", "pid": core, "tid": pipe, "name": pipe, "ts": ts, "dur": dur});
    let events = [
        x("core0.veccore0", "SCALAR", 0, 19),
        x("core0.veccore0", "MTE2", 2, 4),
        x("core0.veccore0", "VECTOR", 19, 1),
        x("core1.veccore0", "SCALAR", 0, 6),
        x("core1.veccore0", "MTE2", 6, 5),
        x("core1.veccore0", "VECTOR", 18, 2),
    ];
    let trace = json!({"profilingType": "op", "schemaVersion": 1, "traceEvents": events});
    let mut doc = open_one("trace.json", trace.to_string().into_bytes()).0;
    // Each core lasts 20 µs. Of 40: SCALAR 25, MTE2 9, VECTOR 3; SCALAR 19 of the first 20 and 6 of the others.
    assert_eq!(
        sentences(&mut doc),
        [
            "No pipe of the vector cores is busy for 80 % of their time on average: Scalar is busy for 62.5 % (30.0 to 95.0 % by core), MTE2 for 22.5 %. Vector is active in 7.5 %."
        ]
    );
}

#[test]
fn one_track_of_the_synthetic_kernel_has_one_number() {
    let Some(root) = ascend() else { return };
    let text = fs::read_to_string(root.join("assembled/synthetic_simulator_trace.json")).unwrap();
    let trace: Value = serde_json::from_str(&text).unwrap();
    is_one_definition(&trace);
    let mut doc = open_one("trace.json", text.into_bytes()).0;
    let times = table(&mut doc, "pipe-times");
    // Recomputed from the events: with waiting it was 25.95 of the core and 16.48 of the trace.
    let own = times.iter().find(|(texts, _)| texts == &["core0.cubecore0", "FLOWCTRL"]).unwrap();
    let [utilization, of_trace] = [own.1[5].unwrap(), own.1[6].unwrap()];
    assert!((utilization - 16.33).abs() < 0.01 && (of_trace - 10.37).abs() < 0.01, "{own:?}");
    let said = sentences(&mut doc);
    assert!(said[0].starts_with("Scalar is the bottleneck of the vector cores: busy for 8"), "{said:?}");
    assert!(said[0].contains(" (86.9 to 89.5 % by core), then "), "{said:?}");
    assert!(said[1].starts_with("Scalar is the bottleneck of the cube cores: busy for 87."), "{said:?}");
    assert!(said[1].contains("% of their time (86.8 to 87.9 % by core), then MTE1 for "), "{said:?}");
}
