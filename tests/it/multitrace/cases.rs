//! Every check has a fixture of its own. `UPDATE=1` writes them.

use super::make::{Buffer, Container, ORDER, accesses, by_thread, flow, mem, tagged, tiny};
use super::{codes, dump, recorded};
use crate::support::front_door::{files_of, fixtures, open, open_case};
use lanescope::base::geometry::Size;
use lanescope::base::words::Language;
use lanescope::scene::palette::Palette;
use lanescope::views::executions::messages::{ExecutionsQuery, Reply};
use lanescope::views::executions::scene::combined_words;
use lanescope::views::plan::compute::PlanInput;

use serde_json::{Value, json};
use std::fs;

/// What a case changes in the worked example.
fn changed(made: Container, change: impl FnOnce(&mut Container)) -> Container {
    let mut made = made;
    change(&mut made);
    made
}

fn records(made: &mut Container, of: u32, records: &[Vec<u8>]) {
    made.buffer(of).payload = records.concat();
}

/// A case: its name, its container, the codes that it triggers, and what it shows.
type Case = (&'static str, Container, &'static [&'static str], &'static str);

/// One case for each check.
fn of_checks() -> Vec<Case> {
    let bare = || tiny().without_plan();
    let order = |more: &[(u32, u32)]| {
        let all: Vec<_> = ORDER.iter().chain(more).map(|(thread, block)| flow(*thread, *block)).collect();
        all
    };
    let overflow = changed(tiny(), |made| {
        let buffer = made.buffer(2);
        buffer.payload.truncate(144);
        (buffer.next, buffer.dropped, buffer.flags) = (Some(192), 2, 1);
    });
    let plan = changed(by_thread(), |made| {
        let swapped = json!({"1": [[0, 1], [1, 2], [2, 1]], "0": [[0, 1], [2, 1]]});
        made.manifest["dispatches"][0]["plan"]["counts_by_thread"] = swapped;
    });
    let hole = changed(bare(), |made| {
        let mut all = order(&[]);
        all.insert(2, vec![0xff; 8]);
        records(made, 1, &all);
    });
    let block = changed(bare(), |made| {
        let mut all = order(&[]);
        all.insert(2, flow(1, 9));
        records(made, 1, &all);
    });
    let sequence = changed(bare(), |made| {
        let mut all = accesses();
        all.insert(4, mem((1, 1), 0, false, 0x9000));
        records(made, 2, &all);
    });
    let lost = changed(bare(), |made| records(made, 2, &accesses()[..7]));
    let extra = changed(bare(), |made| {
        let mut all = accesses();
        all.push(mem((1, 2), 0, true, 0x9000));
        records(made, 2, &all);
    });
    let successor = changed(tiny(), |made| made.block(0)["succ"] = json!([1]));
    let sum = changed(tiny(), |made| {
        made.manifest["dispatches"][0]["plan"] = json!({"run": 0, "counts": [[0, 1], [1, 2], [2, 3]]});
    });
    let size = changed(tiny(), |made| {
        made.manifest["dispatches"][0]["plan"]["counts"] = json!([[0, 2], [1, "0x40000000000000"], [2, 2]]);
    });
    let inst = changed(tiny(), |made| {
        let mut all = accesses();
        all[0] = mem((0, 0), 2, false, 0x1000);
        records(made, 2, &all);
    });
    vec![
        ("overflow", overflow, &["GMT-OVF", "GMT-LOST"], "two records were lost"),
        ("flag", changed(tiny(), |made| made.buffer(1).flags = 1), &["GMT-OVF"], "the flag of an overflow"),
        ("plan", plan, &["GMT-PLAN"], "threads used their buffers otherwise than planned"),
        (
            "short",
            changed(tiny(), |made| made.buffer(2).short = 36),
            &["GMT-SHORT", "GMT-LOST"],
            "a file is cut",
        ),
        ("crc", changed(tiny(), |made| made.buffer(3).crc = 1), &["GMT-CRC"], "a checksum is wrong"),
        ("hole", hole, &["GMT-HOLE"], "a record was never written"),
        ("block", block, &["GMT-BLK"], "a record of a block that nobody knows"),
        ("sequence", sequence, &["GMT-SEQ"], "a record of a block that did not run"),
        ("lost", lost, &["GMT-LOST"], "the last record is missing"),
        ("extra", extra, &["GMT-XTRA"], "a record is left over"),
        ("successor", successor, &["GMT-FLOW"], "a block that may not follow"),
        ("sum", sum, &["GMT-SUM"], "counts of the plan that the run did not have"),
        ("run", changed(tiny(), |made| made.buffer(2).run = 2), &["GMT-RUN"], "buffers of two runs"),
        ("size", size, &["GMT-SIZE"], "counts beyond what a number keeps"),
        ("instruction", inst, &["GMT-INST"], "a record of another instruction"),
    ]
}

/// Ways in which the same can be written.
fn of_ways() -> Vec<Case> {
    let slack = changed(tiny(), |made| {
        for (of, capacity) in [(1, 64), (2, 240), (3, 96)] {
            let buffer = made.buffer(of);
            (buffer.capacity, buffer.next) = (Some(capacity), Some(buffer.payload.len() as u64));
        }
    });
    let no_flow = changed(tiny(), |made| made.buffers.retain(|buffer| buffer.of != 1));
    let plan_only = changed(tiny(), |made| made.buffers.clear());
    let fields = changed(tiny(), |made| {
        made.manifest["version"] = json!("1.3");
        made.manifest["news"] = json!({"of": "a later version"});
        made.manifest["types"][1] = json!({
            "id": 2, "name": "mem", "kind": "memory", "layout": "fields", "bytes": 24, "fields": [
                {"name": "thread", "off": 0, "type": "u32"}, {"name": "block", "off": 4, "type": "u32"},
                {"name": "inst", "off": 8, "type": "u16"}, {"name": "bytes", "off": 10, "type": "u8"},
                {"name": "flags", "off": 11, "type": "u8"}, {"name": "exec_mask", "off": 12, "type": "u32"},
                {"name": "address", "off": 16, "type": "u64"},
            ],
        });
        made.buffer(2).has_header = false;
    });
    let twice = changed(tiny().without_plan(), |made| {
        let again = |records: Vec<Vec<u8>>| [records.clone(), records].concat();
        let order = ORDER.iter().map(|(thread, block)| flow(*thread, *block)).collect();
        made.buffer(1).payload = again(order).concat();
        made.buffer(2).payload = again(accesses()).concat();
        made.buffers.retain(|buffer: &Buffer| buffer.of != 3);
    });
    vec![
        ("tiny", tiny(), &[], "the worked example of the specification"),
        ("slack", slack, &[], "the same with room to spare"),
        ("threads", by_thread(), &[], "the same with buffers for each thread"),
        ("tagged", tagged(), &[], "the same with one buffer for all types"),
        ("fields", fields, &["GMT-VERS"], "the same with fields that the manifest says, and a later version"),
        ("no_flow", no_flow, &[], "the same without the flow"),
        ("plan_only", plan_only, &[], "the plan alone"),
        ("slots", twice, &[], "slots of the hardware that ran two threads each"),
    ]
}

#[test]
fn every_check_has_a_fixture_with_exactly_its_codes() {
    for (case, made, expected, shows) in of_checks().into_iter().chain(of_ways()) {
        let folder = fixtures().join("gpu_multitrace").join(case);
        if std::env::var_os("UPDATE").is_some() {
            fs::create_dir_all(&folder).unwrap();
            for (path, bytes) in made.files() {
                fs::write(folder.join(path), bytes).unwrap();
            }
            let origin =
                "origin = \"made by tests/it/multitrace/make.rs\"\nlicence = \"Apache-2.0\"\nreal = false\n";
            fs::write(folder.join("source.toml"), format!("{origin}shows = \"{shows}\"\n")).unwrap();
        }
        assert!(files_of(&folder) == made.files(), "{case} is old; UPDATE=1 cargo test writes it");
        let (doc, is_ready) = open(made.files(), 1 << 16);
        assert!(is_ready, "{case}");
        let mut expected = expected.to_vec();
        expected.sort_unstable();
        let said: Vec<String> = doc.faults().rows().iter().map(ToString::to_string).collect();
        assert_eq!(codes(&doc), expected, "{case}: {said:#?}");
    }
}

/// The final trace of the worked example.
const FINAL: &str = "\
0 A 0 0x0
0 A 0 0x10 ffff 0x1000
0 A 0 0x20
0 B 1 0x30 ffff 0x2000
0 B 1 0x40 r12=7
0 B 1 0x50 ffff 0x3000
0 B 1 0x60
0 B 2 0x30 ffff 0x2040
0 B 2 0x40 r12=9
0 B 2 0x50 ffff 0x3040
0 B 2 0x60
0 C 3 0x70 ffff 0x4000
0 C 3 0x80
1 A 0 0x0
1 A 0 0x10 ffff 0x1040
1 A 0 0x20
1 C 1 0x70 ffff 0x4040
1 C 1 0x80
";

#[test]
fn all_ways_of_writing_combine_to_the_same() {
    for case in ["tiny", "slack", "threads", "tagged", "fields"] {
        let (doc, _) = open_case("gpu_multitrace", case);
        assert_eq!(dump(&doc), FINAL, "{case}");
        let plan = doc.trace().extensions.get::<PlanInput>().unwrap();
        let of_plan = |kernel: &lanescope::views::plan::compute::KernelPlan| {
            let bytes = |of: usize| -> u64 {
                let blocks = kernel.blocks.iter();
                blocks.map(|b| b.records[of].0 * b.count.unwrap() * kernel.types[of].bytes).sum()
            };
            [bytes(0), bytes(1), bytes(2)]
        };
        assert_eq!(of_plan(&plan.kernels[0]), [48, 192, 48], "{case}");
    }
}

#[test]
fn records_that_were_lost_are_missing_where_they_belong() {
    let (doc, _) = open_case("gpu_multitrace", "overflow");
    let full = " no record, buffer full";
    let expected = FINAL
        .replace("0 B 2 0x50 ffff 0x3040", &format!("0 B 2 0x50{full}"))
        .replace("0 C 3 0x70 ffff 0x4000", &format!("0 C 3 0x70{full}"));
    assert_eq!(dump(&doc), expected);
    let said: Vec<String> = doc.faults().rows().iter().map(ToString::to_string).collect();
    assert!(said[0].contains("2 records lost, 192 B of 144 B, demand 133 %"), "{said:#?}");
    let plan = doc.trace().extensions.get::<PlanInput>().unwrap();
    let lost: Vec<u64> = plan.kernels[0].buffers.iter().map(|buffer| buffer.lost).collect();
    assert_eq!(lost, [0, 2, 0]);
    let flags = &recorded(&doc).launches[0].executions.flags;
    assert_eq!(flags.iter().map(|flags| flags & 4).collect::<Vec<_>>(), [0, 0, 4, 4, 0, 0]);
}

/// What the head of a trace says that it was combined from, whether it has boxes without records, and its picture.
fn trace_of(case: &str) -> (Option<String>, bool, String) {
    let (mut doc, _) = open_case("gpu_multitrace", case);
    let ask = ExecutionsQuery::Head { launch: None };
    let Some(Reply::Head(Some(head))) = doc.query(&ask).0 else { panic!("{case} has a head") };
    let svg = doc.svg("trace", Size { w: 1000.0, h: 400.0 }, &Palette::default()).unwrap();
    (combined_words(&head.records, Language::En), head.has.missing, svg)
}

#[test]
fn a_trace_says_what_it_was_combined_from_and_hatches_what_lacks_records() {
    let (words, is_missing, svg) = trace_of("tiny");
    assert_eq!(words.as_deref(), Some("combined from flow 6 + mem 8 + reg 2 records"));
    assert!(!is_missing && !svg.contains("hatch)"));
    let (words, is_missing, svg) = trace_of("overflow");
    assert_eq!(words.as_deref(), Some("combined from flow 6 + mem 6 + reg 2 records"));
    assert!(is_missing && svg.contains("hatch)"));
    // All types in one buffer: 6 + 8 + 2.
    assert_eq!(trace_of("tagged").0.as_deref(), Some("combined from 16 records"));
}

#[test]
fn without_a_flow_another_type_says_the_order() {
    let (doc, _) = open_case("gpu_multitrace", "no_flow");
    assert_eq!(recorded(&doc).launches[0].order_from.as_deref(), Some("memory"));
    assert_eq!(dump(&doc), FINAL);
}

#[test]
fn slots_of_the_hardware_are_split_where_threads_begin() {
    let (doc, _) = open_case("gpu_multitrace", "slots");
    let launch = &recorded(&doc).launches[0];
    assert_eq!(launch.threads.ids, [0, 0, 1, 1]);
    assert_eq!(launch.threads.instances, [0, 1, 0, 1]);
    assert_eq!(launch.executions.starts, [0, 4, 8, 10, 12]);
}

#[test]
fn what_is_checked_is_listed_with_its_outcome() {
    let (doc, _) = open_case("gpu_multitrace", "overflow");
    let plan = doc.trace().extensions.get::<PlanInput>().unwrap();
    let of = |wanted: Option<bool>| {
        let checks = plan.kernels[0].checks.iter().filter(move |check| check.holds == wanted);
        checks.map(|check| check.code.trim_start_matches("GMT-")).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(of(Some(false)), "OVF LOST");
    assert_eq!(of(Some(true)), "PLAN SHORT CRC HOLE BLK SEQ XTRA FLOW SUM RUN SIZE");
    let (doc, _) = open_case("gpu_multitrace", "plan_only");
    let plan = doc.trace().extensions.get::<PlanInput>().unwrap();
    assert!(plan.kernels[0].checks.iter().all(|check| check.holds.is_none() || check.code == "GMT-SIZE"));
    assert_eq!(plan.kernels[0].blocks.iter().map(|block| block.count).collect::<Vec<_>>(), [Some(2); 3]);
}

#[test]
fn records_are_kept_in_eight_bytes_each() {
    // As many that another thread looks at them.
    const N: u32 = 1_200_000;
    let (mut order, mut all) = (Vec::new(), Vec::new());
    for n in 0..N {
        // 512 threads that go round B; a stride that shares no factor with their number mixes them.
        let thread = n * 37 % 512;
        order.extend(flow(thread, 1));
        all.extend(mem((thread, 1), 0, false, u64::from(n)));
        all.extend(mem((thread, 1), 2, true, u64::from(n)));
    }
    let mut made = tiny().without_plan();
    made.buffers.retain(|buffer| buffer.of != 3);
    made.buffer(1).payload = order;
    made.buffer(2).payload = all;
    let files = made.files();
    let ((doc, is_ready), peak) = crate::support::memory::peak(|| open(files, 1 << 16));
    assert!(is_ready);
    assert_eq!(codes(&doc), [""; 0]);
    assert_eq!(recorded(&doc).launches[0].executions.block.len(), N as usize);
    // Beside the records: what is being read.
    let each = (peak - (1 << 20)) / (3 * N as usize);
    eprintln!("{peak} bytes held for {} records", 3 * N);
    assert!(each < 8, "{peak} bytes held");
}

/// The worked example with another value at a place of its manifest, and the text of that manifest.
fn with(pointer: &str, value: &Value) -> (Vec<(String, Vec<u8>)>, String) {
    let mut files = tiny().files();
    let manifest = files.iter_mut().find(|(name, _)| name == "manifest.json").unwrap();
    let mut json: Value = serde_json::from_slice(&manifest.1).unwrap();
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    match json.pointer_mut(parent).unwrap() {
        Value::Array(items) => items[key.parse::<usize>().unwrap()] = value.clone(),
        parent => parent[key] = value.clone(),
    }
    let text = serde_json::to_string_pretty(&json).unwrap();
    manifest.1 = text.clone().into_bytes();
    (files, text)
}

#[test]
fn numbers_that_cannot_be_read_are_said_with_their_way_and_not_guessed() {
    let kernel = "/kernels/0/blocks";
    let cases = [
        ("/device/sector_bytes".to_owned(), json!("wide"), "32 is assumed."),
        ("/device/sector_bytes".to_owned(), json!(0), "32 is assumed."),
        ("/kernels/0/simd".to_owned(), json!("x"), "32 is assumed."),
        ("/thread_id/warps_per_group".to_owned(), json!(-2), "This number is left out."),
        ("/types/1/bytes".to_owned(), json!(-24), "types[1] is left out."),
        ("/types/0/id".to_owned(), json!(1e30), "types[0] is left out."),
        (format!("{kernel}/1/pc"), json!("0xzz"), "kernels[0].blocks[1] is left out."),
        (format!("{kernel}/1/insts/2/pc"), json!(-80), "kernels[0].blocks[1] is left out."),
        (format!("{kernel}/0/insts/1/mem/bytes"), json!(1.5), "This number is left out."),
        (format!("{kernel}/0/succ/1"), json!(null), "kernels[0].blocks[0] is left out."),
        (format!("{kernel}/0/emits/0/count"), json!("many"), "kernels[0].blocks[0] is left out."),
        (format!("{kernel}/0/emits/0/at/0"), json!(-1), "kernels[0].blocks[0] is left out."),
        ("/dispatches/0/grid/1".to_owned(), json!(-1), "dispatches[0].grid is left out."),
        ("/dispatches/0/run".to_owned(), json!(1e30), "dispatches[0] is left out."),
        ("/dispatches/0/plan/run".to_owned(), json!("first"), "dispatches[0].plan is left out."),
        ("/dispatches/0/plan/counts/1".to_owned(), json!([1, -2]), "dispatches[0].plan is left out."),
        ("/dispatches/0/buffers/1/offset".to_owned(), json!(-8), "dispatches[0].buffers[1] is left out."),
        ("/dispatches/0/buffers/1/type".to_owned(), json!("2 "), ""),
        ("/dispatches/0/buffers/1/next".to_owned(), json!("much"), "This number is left out."),
        ("/dispatches/0/buffers/1/capacity".to_owned(), json!(null), "It counts as missing."),
        ("/dispatches/0/buffers/1/offset".to_owned(), json!("0x0"), ""),
    ];
    for (pointer, value, note) in cases {
        let (files, manifest) = with(&pointer, &value);
        let (doc, _) = open(files, 1 << 16);
        let said: Vec<_> = doc.faults().rows().iter().filter(|fault| fault.code == "GMT-NUM").collect();
        assert_eq!(said.len(), usize::from(!note.is_empty()), "{pointer}: {:?}", doc.faults().rows());
        let Some(fault) = said.first() else { continue };
        let way = pointer.trim_start_matches('/').split('/').map(|step| match step.parse::<usize>() {
            Ok(at) => format!("[{at}]"),
            Err(_) => format!(".{step}"),
        });
        let way = way.collect::<String>();
        let text = fault.text(Language::En);
        assert_eq!(fault.place.block.to_string(), way.trim_start_matches('.'), "{text}");
        assert!(text.contains("expected a") && text.ends_with(note), "{text}");
        let found = match &value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        assert!(text.contains(&found), "{text}");
        if !matches!(value, Value::Null | Value::Array(_)) {
            let at = usize::try_from(fault.place.byte.unwrap()).unwrap();
            assert!(manifest[at..].starts_with(&found), "{text}");
        }
    }
}

#[test]
fn what_has_a_number_that_cannot_be_read_is_left_out_and_nothing_else() {
    let (files, _) = with("/dispatches/0/buffers/1/offset", &json!("here"));
    let (doc, is_ready) = open(files, 1 << 16);
    let plan = doc.trace().extensions.get::<PlanInput>().unwrap();
    assert!(is_ready);
    assert_eq!(
        plan.kernels[0].buffers.iter().map(|one| one.record_type).collect::<Vec<_>>(),
        [Some(0), Some(2)]
    );
    // A plan that cannot be read counts nothing: the flow does.
    let (files, _) = with("/dispatches/0/plan/counts/1", &json!([1, "two"]));
    let (doc, _) = open(files, 1 << 16);
    let plan = doc.trace().extensions.get::<PlanInput>().unwrap();
    assert_eq!(
        (codes(&doc), plan.kernels[0].counts_from.as_str()),
        (vec!["GMT-NUM".to_owned()], "flow buffer")
    );
    assert_eq!(plan.kernels[0].blocks.iter().map(|block| block.count).collect::<Vec<_>>(), [Some(2); 3]);
    // Buffers of a type that is left out are not read, and the manifest is not said to have no such type.
    let (files, _) = with("/types/1/lanes", &json!("sixteen"));
    let (doc, _) = open(files, 1 << 16);
    assert_eq!(codes(&doc), ["GMT-NUM"]);
    // All numbers of one buffer are said.
    let (mut files, text) = with("/dispatches/0/buffers/1/offset", &json!(-1));
    let mut json: Value = serde_json::from_str(&text).unwrap();
    json["dispatches"][0]["buffers"][1]["run"] = json!("one");
    files.iter_mut().find(|(name, _)| name == "manifest.json").unwrap().1 = json.to_string().into_bytes();
    let (doc, _) = open(files, 1 << 16);
    assert_eq!(doc.faults().rows().iter().filter(|fault| fault.code == "GMT-NUM").count(), 2);
    // Where there is no number, the default counts and nothing is said.
    let (mut files, text) = with("/device/sector_bytes", &json!(64));
    let mut json: Value = serde_json::from_str(&text).unwrap();
    json["device"].as_object_mut().unwrap().remove("sector_bytes");
    json["kernels"][0].as_object_mut().unwrap().remove("simd");
    json["dispatches"][0].as_object_mut().unwrap().remove("grid");
    files.iter_mut().find(|(name, _)| name == "manifest.json").unwrap().1 = json.to_string().into_bytes();
    let (doc, _) = open(files, 1 << 16);
    assert_eq!((codes(&doc), recorded(&doc).programs[0].lanes), (Vec::new(), 32));
}
