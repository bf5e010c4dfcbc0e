//! Trees of modules and functions: counted by hand, against a slow version on made and real profiles, and as they are shown.

use super::corpus::opened;
use super::slow::{self, Event, Slow};
use super::{TRACE, lines, open, rows};
use crate::support::corpus::{corpus, unpacked};
use crate::support::rows::{page, values, wanted};
use lanescope::analysis::device::Options;
use lanescope::analysis::rows::Goal;
use lanescope::document::Document;
use lanescope::wire::rows::{Opened, Shown, Source};
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// A path as a number, its sums: depth, calls, host total and self, device total and self, kernels.
type Paths = BTreeMap<u64, (String, [i64; 7])>;

fn path(around: u64, name: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    (around, name).hash(&mut hasher);
    hasher.finish()
}

/// Sums by path, from the plain events.
fn by_path(slow: &Slow, is_meant: impl Fn(&Event) -> bool) -> Paths {
    let mut tracks: BTreeMap<&(String, String), Vec<&Event>> = BTreeMap::new();
    // A process with the number of a device may be the host too: what runs there says what it is.
    for event in slow.host.iter().filter(|event| is_meant(event)) {
        tracks.entry(&event.track).or_default().push(event);
    }
    let mut sums = Paths::new();
    let mut placed = BTreeMap::new();
    for (track, list) in &mut tracks {
        list.sort_by_key(|event| (event.start, -event.end));
        let mut paths: Vec<(u64, i64, Option<usize>)> = Vec::new();
        for (at, event) in list.iter().enumerate() {
            // What is around it is the last one before it that is not at its end.
            let parent = (0..at).rev().find(|other| event.start < list[*other].end);
            let (around, depth) = parent.map_or((0, 0), |parent| (paths[parent].0, paths[parent].1 + 1));
            let own = path(around, &event.name);
            paths.push((own, depth, parent));
            let dur = event.end - event.start;
            let sum = &mut sums.entry(own).or_insert_with(|| (event.name.clone(), [0; 7])).1;
            sum[0] = depth;
            sum[1] += 1;
            sum[2] += dur;
            sum[3] += dur;
            if let Some(parent) = parent {
                let nested = event.end.min(list[parent].end) - event.start;
                sums.get_mut(&around).unwrap().1[3] -= nested;
            }
        }
        placed.insert(*track, paths);
    }
    for work in &slow.works {
        let dur = work.event.end - work.event.start;
        for (track, time) in &work.calls {
            let Some((list, paths)) = tracks.get(track).zip(placed.get(track)) else { continue };
            let begun = list.partition_point(|event| event.start <= *time);
            let mut at = (0..begun).rev().find(|at| *time <= list[*at].end);
            let mut is_innermost = true;
            while let Some(number) = at {
                if *time <= list[number].end {
                    let sum = &mut sums.get_mut(&paths[number].0).unwrap().1;
                    sum[4] += dur;
                    sum[5] += if is_innermost { dur } else { 0 };
                    sum[6] += i64::from(is_innermost);
                    is_innermost = false;
                }
                at = paths[number].2;
            }
            if !is_innermost {
                break;
            }
        }
    }
    sums
}

/// The rows of an export by path; siblings are in order.
fn told(doc: &mut Document, id: &str) -> Paths {
    let mut open: Vec<(u64, i64)> = Vec::new();
    let mut paths = Paths::new();
    for row in rows(doc, id) {
        let number = |at: usize| row[at].parse::<i64>().unwrap();
        let depth = usize::try_from(number(0)).unwrap();
        if let Some((_, before)) = open.get(depth) {
            assert!(number(3) <= *before, "{id}: most host time first, {row:?}");
        }
        open.truncate(depth);
        let own = path(open.last().map_or(0, |around| around.0), &row[1]);
        open.push((own, number(3)));
        let sums = [0, 2, 3, 4, 5, 6, 7].map(number);
        assert!(paths.insert(own, (row[1].clone(), sums)).is_none(), "{id}: {row:?} twice");
    }
    paths
}

fn is_function(event: &Event) -> bool {
    event.category.to_lowercase().starts_with("python")
}

fn is_equal(name: &str, (mut doc, bytes): (Document, Vec<u8>)) {
    let slow = Slow::new(&slow::json(&bytes));
    let is_module = |event: &Event| is_function(event) && event.name.starts_with("nn.Module: ");
    let (modules, stacks) = (by_path(&slow, is_module), by_path(&slow, is_function));
    for (id, theirs) in [("modules-csv", &modules), ("stacks-csv", &stacks)] {
        let ours = told(&mut doc, id);
        assert_eq!(ours.len(), theirs.len(), "{name}: {id}");
        for (path, sums) in &ours {
            assert_eq!(Some(sums), theirs.get(path), "{name}: {id}");
        }
    }
    let deepest = stacks.values().map(|(_, sums)| sums[0]).max().unwrap_or(0) + 1;
    let device: i64 = stacks.values().filter(|(_, sums)| sums[0] == 0).map(|(_, sums)| sums[4]).sum();
    println!(
        "{name}: {} modules by path, {} call paths, {deepest} deep, {device} ns on devices",
        modules.len(),
        stacks.len()
    );
}

#[test]
fn modules_and_functions_are_trees() {
    let mut doc = open(TRACE);
    assert_eq!(lines(&mut doc, "modules-csv"), ["0,nn.Module: Net_0,1,40000,40000,14000,14000,2,2"]);
    assert_eq!(
        lines(&mut doc, "stacks-csv"),
        ["0,train.py(3): step,1,90000,50000,14000,0,0,2", "1,nn.Module: Net_0,1,40000,40000,14000,14000,2,2"]
    );
    let cut = lines(&mut doc, "stacks-csv:statistics-time=25000..55000");
    assert_eq!(
        cut,
        ["0,train.py(3): step,1,30000,7000,5000,0,0,2", "1,nn.Module: Net_0,1,23000,23000,5000,5000,2,2"]
    );
}

/// A number that follows from the one before.
fn next(seed: &mut u64) -> u64 {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *seed >> 33
}

/// Functions that call each other and themselves, on several threads; some reach over the end of those around them.
fn made(seed: u64, n: usize) -> String {
    let mut seed = seed;
    let mut events = vec![
        r#"{"ph":"M","pid":0,"tid":0,"name":"process_labels","args":{"labels":"GPU 0"}}"#.to_owned(),
        r#"{"ph":"M","pid":0,"tid":7,"name":"thread_name","args":{"name":"stream 7"}}"#.to_owned(),
    ];
    for at in 0..n {
        let (thread, start) = (next(&mut seed) % 3, next(&mut seed) % 2_000);
        let dur = next(&mut seed) % [4, 40, 400, 2_000][next(&mut seed) as usize % 4];
        let name = ["f", "g", "nn.Module: A_0", "nn.Module: A_1", "h"][next(&mut seed) as usize % 5];
        let category = if name == "h" { "cpu_op" } else { "python_function" };
        events.push(format!(
            r#"{{"ph":"X","pid":1,"tid":{thread},"name":"{name}","cat":"{category}","ts":{start},"dur":{dur}}}"#
        ));
        if at % 3 == 0 {
            let (call, begin) = (next(&mut seed) % 2_000, 3_000 + at * 10);
            events.push(format!(
                r#"{{"ph":"X","pid":0,"tid":7,"name":"k","cat":"kernel","ts":{begin},"dur":{}}}"#,
                1 + next(&mut seed) % 9
            ));
            events.push(format!(
                r#"{{"ph":"s","id":{at},"pid":1,"tid":{thread},"ts":{call},"cat":"ac2g","name":"ac2g"}}"#
            ));
            events.push(format!(
                r#"{{"ph":"f","bp":"e","id":{at},"pid":0,"tid":7,"ts":{begin},"cat":"ac2g","name":"ac2g"}}"#
            ));
        }
    }
    format!("{{\"traceEvents\":[\n{}\n]}}", events.join(",\n"))
}

#[test]
fn made_trees_equal_the_slow_version() {
    for seed in 0..30 {
        let text = made(seed, 12 + seed as usize * 9);
        is_equal(&format!("seed {seed}"), (open(&text), text.into_bytes()));
    }
}

#[test]
fn real_trees_equal_the_slow_version() {
    let Some(folder) = corpus("real") else { return };
    let files = unpacked(&folder.join("real.tar.zst"), "pytorch/");
    for name in [
        "tracelens/perf_model__normalization__normalization_layer_test.json.gz",
        "tracelens/h100__Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz",
        "tracelens/mi300__resnet_act_checkpoint.json.gz",
        "ascend_msinsight/level0_rank0_0820fd4_trace_view.json",
        "ascend_msinsight/level2_rank0_d334aba_trace_view.json",
    ] {
        is_equal(name, opened(&files, name));
    }
}

#[test]
fn a_thousand_levels_and_many_siblings_are_walked() {
    let mut events = Vec::new();
    let slice = |name: &str, start: usize, dur: usize| {
        format!(
            r#"{{"ph":"X","pid":1,"tid":1,"name":"{name}","cat":"python_function","ts":{start},"dur":{dur}}}"#
        )
    };
    for depth in 0..1_000 {
        events.push(slice("f", depth, 100_000 - 2 * depth));
    }
    for at in 0..20_000 {
        events.push(slice(&format!("leaf {}", at % 7_000), 1_000 + 2 * at, 1));
    }
    let text = format!("[{}]", events.join(",\n"));
    let mut doc = open(&text);
    let rows = rows(&mut doc, "stacks-csv");
    assert_eq!(rows.len(), 8_000);
    assert_eq!(rows[999][0], "999");
    assert_eq!((rows[1000][1].as_str(), rows[1000][2].as_str()), ("leaf 0", "3"));
}

fn tree(shown: Shown) -> Source {
    Source::Tree { options: Options::default(), is_modules: false, shown }
}

/// ```text
/// µs  0    10   20   30   40   50   60   70   80   90  100
///     main─────────────────────────────────────────────────
///      step────────────────── step───────── log──────
///       load─ model────────── model──
/// ```
const CALLS: &str = r#"[
{"ph":"X","pid":1,"tid":1,"name":"main","cat":"python_function","ts":0,"dur":100},
{"ph":"X","pid":1,"tid":1,"name":"step","cat":"python_function","ts":1,"dur":40},
{"ph":"X","pid":1,"tid":1,"name":"load","cat":"python_function","ts":2,"dur":9},
{"ph":"X","pid":1,"tid":1,"name":"model","cat":"python_function","ts":12,"dur":25},
{"ph":"X","pid":1,"tid":1,"name":"step","cat":"python_function","ts":45,"dur":20},
{"ph":"X","pid":1,"tid":1,"name":"model","cat":"python_function","ts":46,"dur":12},
{"ph":"X","pid":1,"tid":1,"name":"log","cat":"python_function","ts":70,"dur":20},
{"ph":"X","pid":1,"tid":1,"name":"write","cat":"python_function","ts":72,"dur":10}
]"#;

#[test]
fn rows_open_and_close() {
    let mut doc = open(CALLS);
    let mut seen = |shown: Shown, sort, filter: &str| {
        let reply = page(&mut doc, tree(shown), wanted(sort, filter));
        let names = reply.page.rows.iter().zip(&reply.numbers).map(|(cells, number)| {
            let (depth, is_open) = cells[0].tree.unwrap();
            let caret = is_open.map_or("", |is_open| if is_open { "−" } else { "+" });
            format!("{}{caret}{}:{number}", ".".repeat(depth as usize), cells[0].text)
        });
        names.collect::<Vec<_>>()
    };
    let first = seen(Shown::default(), None, "");
    assert_eq!(first, ["−main:0", ".−step:1", "..model:3", "..load:2", ".+log:4"]);
    let turned = Shown { turned: vec![1, 4], ..Shown::default() };
    assert_eq!(seen(turned, None, ""), ["−main:0", ".+step:1", ".−log:4", "..write:5"]);
    let none = Shown { opened: Opened::None, turned: vec![] };
    assert_eq!(seen(none, None, ""), ["+main:0"]);
    let all = Shown { opened: Opened::All, turned: vec![] };
    assert_eq!(seen(all.clone(), None, "").len(), 6);
    // By calls, and by name: among those around which the same is.
    let by_name = seen(all.clone(), Some((0, false)), "");
    assert_eq!(by_name, ["−main:0", ".−log:4", "..write:5", ".−step:1", "..load:2", "..model:3"]);
    let by_calls = seen(all, Some((2, false)), "");
    assert_eq!(by_calls[1], ".−log:4");
    // What is searched for stands below what is around it.
    assert_eq!(seen(Shown::default(), None, "WRI"), ["−main:0", ".−log:4", "..write:5"]);
}

#[test]
fn rows_of_a_tree_lead_to_their_calls() {
    let mut doc = open(CALLS);
    let reply = page(&mut doc, tree(Shown::default()), wanted(None, ""));
    assert_eq!(reply.words, ["6 call paths", "100.000 µs"]);
    assert_eq!(reply.goals[1][0], Some(Goal::Name("step".to_owned())));
    let rows = values(&mut doc, tree(Shown::default()), None, "");
    assert_eq!(rows[1], ["step", "1", "2", "60000", "0.6", "14000", "0", "0", "0", "0"], "{rows:?}");
    let mut doc = open(r#"[{"ph":"X","pid":1,"tid":1,"name":"f","ts":0,"dur":8}]"#);
    assert!(page(&mut doc, tree(Shown::default()), wanted(None, "")).page.rows.is_empty());
}
