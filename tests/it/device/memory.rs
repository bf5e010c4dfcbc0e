//! Memory by operator: counted by hand, and against a slow version on made and real profiles.

use super::corpus::opened;
use super::slow::{self, Event, Slow};
use super::{lines, open, rows};
use crate::support::corpus::{corpus, unpacked};
use crate::support::rows::{page, values, wanted};
use lanescope::analysis::device::Options;
use lanescope::analysis::rows::Goal;
use lanescope::document::Document;
use lanescope::wire::rows::Source;
use lanescope::wire::{Answer, Query};

use serde_json::Value;
use std::collections::BTreeMap;

fn operator(thread: u32, name: &str, start: u64, dur: u64) -> String {
    format!(r#"{{"ph":"X","pid":1,"tid":{thread},"name":"{name}","cat":"cpu_op","ts":{start},"dur":{dur}}}"#)
}

fn memory(thread: u32, time: u64, device: (i64, i64), bytes: i64, total: Option<i64>) -> String {
    let total =
        total.map_or(String::new(), |total| format!(r#","Total Allocated":{total},"Total Reserved":4096"#));
    format!(
        r#"{{"ph":"i","s":"t","pid":1,"tid":{thread},"name":"[memory]","ts":{time},"args":{{"Addr":{},"Device Type":{},"Device Id":{},"Bytes":{bytes}{total}}}}}"#,
        bytes.abs() * 16,
        device.0,
        device.1
    )
}

const CPU: (i64, i64) = (0, -1);
const GPU: (i64, i64) = (1, 0);

/// ```text
/// µs   0    10   20   30   40   50   60   70   80
/// 1    a──────────────────── c─────────
///        b──────    b─b                +100 on its own
///      +512  +64   −64    −512   −7 of an address that nobody asked for
/// 2                                        +8 on a thread without slices
/// ```
fn trace() -> String {
    let events = [
        operator(1, "a", 0, 40),
        operator(1, "b", 5, 10),
        operator(1, "b", 20, 10),
        operator(1, "b", 22, 4),
        operator(1, "c", 42, 18),
        memory(1, 2, GPU, 512, Some(1512)),
        memory(1, 8, GPU, 64, Some(1576)),
        memory(1, 23, GPU, -64, Some(1512)),
        memory(1, 45, GPU, -512, Some(1000)),
        memory(1, 46, CPU, -7, None),
        memory(1, 70, CPU, 100, None),
        memory(2, 75, CPU, 8, None),
    ];
    format!("[{}]", events.join(",\n"))
}

#[test]
fn operators_have_what_they_allocate() {
    let expected = [
        "a,GPU 0,2,576,64,512,1,512,0,512,1576",
        "b,GPU 0,1,64,64,0,1,64,64,0,1576",
        "c,GPU 0,0,0,512,-512,0,0,512,-512,1576",
        ",CPU,2,108,0,108,2,108,0,108,108",
        "c,CPU,0,0,7,-7,0,0,7,-7,108",
    ];
    assert_eq!(lines(&mut open(&trace()), "operators-memory-csv"), expected);
    let cut = lines(&mut open(&trace()), "operators-memory-csv:statistics-time=20000..46000");
    assert_eq!(
        cut,
        [
            "c,GPU 0,0,0,512,-512,0,0,512,-512,1576",
            "b,GPU 0,0,0,64,-64,0,0,64,-64,1576",
            "a,GPU 0,0,0,64,-64,0,0,0,0,1576"
        ],
    );
}

#[test]
fn traces_without_allocations_offer_nothing() {
    let mut doc = open(r#"[{"ph":"X","pid":1,"tid":1,"name":"f","ts":0,"dur":8}]"#);
    for id in ["operators-memory-csv", "modules-csv", "stacks-csv"] {
        let (answer, bytes) = doc.query(&Query::Export { id: id.to_owned() });
        assert!(bytes.is_none() && matches!(answer, Answer::Failed(_)), "{id}: {answer:?}");
    }
}

#[test]
fn memory_is_a_table_with_a_choice_of_devices() {
    let mut doc = open(&trace());
    let all = Source::Memory { options: Options::default(), device: None };
    let reply = page(&mut doc, all.clone(), wanted(None, ""));
    let texts: Vec<&str> = reply.page.rows[0].iter().map(|cell| cell.text.as_str()).collect();
    assert_eq!(texts[..4], ["a", "GPU 0", "2", "576"], "{texts:?}");
    assert_eq!(reply.goals[0][0], Some(Goal::Name("a".to_owned())));
    assert_eq!(reply.words, ["5 operators", "GPU 0 1.54 KiB, CPU 108 B"]);
    let outside = values(&mut doc, all, None, "outside");
    assert_eq!(outside[0][..4], ["outside operators", "CPU", "2", "108"]);
    let cpu = Source::Memory { options: Options::default(), device: Some(1) };
    let reply = page(&mut doc, cpu, wanted(None, ""));
    assert_eq!((reply.page.total, reply.words[1].as_str()), (2, "108 B"));
}

/// Operator and device: allocations, allocated, freed in total, the same by itself, the peak.
type Uses = BTreeMap<(String, String), [i64; 7]>;

fn uses(events: &[Value]) -> Uses {
    let slow = Slow::new(events);
    let mut tracks: BTreeMap<(String, String), Vec<Event>> = BTreeMap::new();
    for event in slow.host.iter().filter(|event| slow::is_operator(event)) {
        tracks.entry(event.track.clone()).or_default().push(event.clone());
    }
    tracks.values_mut().for_each(|list| list.sort_by_key(|event| (event.start, -event.end)));
    let mut all = Uses::new();
    let mut held: BTreeMap<String, Vec<(i64, i64, Option<i64>)>> = BTreeMap::new();
    for event in events.iter().filter(|event| event["ph"] == "i" && event["name"] == "[memory]") {
        let (args, time) = (&event["args"], slow::nanos(slow::exact(&event["ts"])));
        let number = |name: &str| args[name].as_i64();
        let device = match number("Device Type") {
            Some(0) => "CPU".to_owned(),
            _ => format!("GPU {}", number("Device Id").unwrap()),
        };
        let bytes = number("Bytes").unwrap();
        held.entry(device.clone()).or_default().push((time, bytes, number("Total Allocated")));
        let track = (slow::text(&event["pid"]), slow::text(&event["tid"]));
        let mut names = slow::around(tracks.get(&track).map_or(&[], Vec::as_slice), time);
        if names.is_empty() {
            names.push(String::new());
        }
        let mut seen = Vec::new();
        for name in names.iter().rev().filter(|name| !name.is_empty() || names.len() == 1) {
            if seen.contains(&name) {
                continue;
            }
            let sums = all.entry((name.clone(), device.clone())).or_default();
            let added = [i64::from(0 < bytes), bytes.max(0), (-bytes).max(0)];
            for (at, more) in added.into_iter().enumerate() {
                sums[at] += more;
                sums[at + 3] += if seen.is_empty() { more } else { 0 };
            }
            seen.push(name);
        }
    }
    for ((_, device), sums) in &mut all {
        let list = held.get_mut(device).unwrap();
        list.sort_by_key(|row| row.0);
        let mut sum = 0;
        let sums_so_far: Vec<i64> = list
            .iter()
            .map(|row| {
                sum += row.1;
                sum
            })
            .collect();
        let least = sums_so_far.iter().copied().min().unwrap().min(0);
        let told: Option<Vec<i64>> = list.iter().map(|row| row.2).collect();
        sums[6] = told.map_or(sums_so_far.iter().max().unwrap() - least, |told| *told.iter().max().unwrap());
    }
    all
}

fn is_equal(name: &str, (mut doc, bytes): (Document, Vec<u8>)) {
    let theirs = uses(&slow::json(&bytes));
    let told = rows(&mut doc, "operators-memory-csv");
    let ours: Uses = told
        .iter()
        .map(|row| {
            let number = |at: usize| row[at].parse::<i64>().unwrap();
            assert_eq!(number(5), number(3) - number(4), "{row:?}");
            assert_eq!(number(9), number(7) - number(8), "{row:?}");
            ((row[0].clone(), row[1].clone()), [2, 3, 4, 6, 7, 8, 10].map(number))
        })
        .collect();
    assert_eq!(told.len(), ours.len(), "{name}: no row twice");
    assert_eq!(ours, theirs, "{name}");
    let allocated: i64 = ours.values().map(|sums| sums[4]).sum();
    println!("{name}: {} rows, {allocated} bytes allocated", ours.len());
}

#[test]
fn made_allocations_equal_the_slow_version() {
    let mut seed = 7_u64;
    let mut next = move |below: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % below
    };
    for n in 0..30 {
        let mut events = Vec::new();
        for _ in 0..5 + n * 6 {
            let name = ["a", "b", "c", "d"][next(4) as usize];
            let most = [5, 50, 500][next(3) as usize];
            let dur = next(most);
            events.push(operator(next(3) as u32, name, next(500), dur));
            let device = [CPU, GPU, (1, 1)][next(3) as usize];
            let bytes = next(2_000).cast_signed() - 1_000;
            let total = (device != CPU).then(|| next(9_000).cast_signed());
            // Thread 3 has no operators.
            events.push(memory(next(4) as u32, next(600), device, bytes, total));
        }
        let text = format!("[{}]", events.join(",\n"));
        is_equal(&format!("{n}"), (open(&text), text.into_bytes()));
    }
}

#[test]
fn real_allocations_equal_the_slow_version() {
    let Some(folder) = corpus("real") else { return };
    let files = unpacked(&folder.join("real.tar.zst"), "pytorch/");
    for name in [
        "kineto/resnet50_num_workers_0__worker0.1623143566756.pt.trace.json.gz",
        "tracelens/h100__Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz",
        "tracelens/perf_model__normalization__normalization_layer_test.json.gz",
    ] {
        is_equal(name, opened(&files, name));
    }
}
