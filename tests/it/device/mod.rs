//! Host and device: counted by hand, against a slow and obvious version, and against what other tools print.

mod busy;
mod compared;
mod corpus;
mod links;
mod memory;
mod queues;
mod ranks;
mod said;
mod shown;
mod slow;
mod stated;
mod trees;

use crate::support::front_door::open_one;
use lanescope::document::Document;
use lanescope::wire::{Answer, Query};

/// ```text
/// µs        0    20    40    60    80   100   120   140   160   180   200
/// main      ProfilerStep#1------------- ProfilerStep#2-------------------
///             a-b-b-a                     load load  c--c       sync sync
/// stream 7                k1 copy                         k2---
/// stream 20                                             nccl---
/// ```
const TRACE: &str = r#"{"traceEvents":[
{"ph":"M","pid":1,"tid":0,"name":"process_name","args":{"name":"python"}},
{"ph":"M","pid":1,"tid":0,"name":"process_labels","args":{"labels":"CPU"}},
{"ph":"M","pid":0,"tid":0,"name":"process_name","args":{"name":"python"}},
{"ph":"M","pid":0,"tid":0,"name":"process_labels","args":{"labels":"GPU 0"}},
{"ph":"M","pid":0,"tid":7,"name":"thread_name","args":{"name":"stream 7 "}},
{"ph":"M","pid":0,"tid":20,"name":"thread_name","args":{"name":"stream 20 "}},
{"ph":"X","pid":1,"tid":1,"name":"ProfilerStep#1","cat":"user_annotation","ts":0,"dur":100},
{"ph":"X","pid":1,"tid":1,"name":"train.py(3): step","cat":"python_function","ts":5,"dur":90},
{"ph":"X","pid":1,"tid":1,"name":"nn.Module: Net_0","cat":"python_function","ts":8,"dur":40},
{"ph":"X","pid":1,"tid":1,"name":"aten::a","cat":"cpu_op","ts":10,"dur":30},
{"ph":"X","pid":1,"tid":1,"name":"aten::b","cat":"cpu_op","ts":20,"dur":10},
{"ph":"X","pid":1,"tid":1,"name":"cudaLaunchKernel","cat":"cuda_runtime","ts":22,"dur":2},
{"ph":"s","id":1,"pid":1,"tid":1,"ts":22,"cat":"ac2g","name":"ac2g"},
{"ph":"X","pid":1,"tid":1,"name":"cudaMemcpyAsync","cat":"cuda_runtime","ts":32,"dur":1},
{"ph":"s","id":2,"pid":1,"tid":1,"ts":32,"cat":"ac2g","name":"ac2g"},
{"ph":"X","pid":1,"tid":1,"name":"ProfilerStep#2","cat":"user_annotation","ts":100,"dur":100},
{"ph":"X","pid":1,"tid":1,"name":"enumerate(DataLoader)#x","cat":"cpu_op","ts":110,"dur":20},
{"ph":"X","pid":1,"tid":1,"name":"aten::c","cat":"cpu_op","ts":135,"dur":15},
{"ph":"X","pid":1,"tid":1,"name":"cudaLaunchKernel","cat":"cuda_runtime","ts":140,"dur":1},
{"ph":"s","id":3,"pid":1,"tid":1,"ts":140,"cat":"ac2g","name":"ac2g"},
{"ph":"X","pid":1,"tid":1,"name":"cudaLaunchKernel","cat":"cuda_runtime","ts":142,"dur":1},
{"ph":"s","id":4,"pid":1,"tid":1,"ts":142,"cat":"ac2g","name":"ac2g"},
{"ph":"X","pid":1,"tid":1,"name":"cudaDeviceSynchronize","cat":"cuda_runtime","ts":181,"dur":14},
{"ph":"X","pid":0,"tid":7,"name":"k1","cat":"kernel","ts":50,"dur":10,"args":{"grid":[8,16,5],"block":[128,1,1],"registers per thread":122,"shared memory":12544,"est. achieved occupancy %":25,"blocks per SM":5.9}},
{"ph":"f","id":1,"pid":0,"tid":7,"ts":50,"cat":"ac2g","name":"ac2g","bp":"e"},
{"ph":"X","pid":0,"tid":7,"name":"Memcpy HtoD","cat":"gpu_memcpy","ts":60,"dur":4,"args":{"bytes":512}},
{"ph":"f","id":2,"pid":0,"tid":7,"ts":60,"cat":"ac2g","name":"ac2g","bp":"e"},
{"ph":"X","pid":0,"tid":7,"name":"note","cat":"gpu_user_annotation","ts":50,"dur":130},
{"ph":"X","pid":0,"tid":20,"name":"ncclKernel_AllReduce","cat":"kernel","ts":150,"dur":20},
{"ph":"f","id":3,"pid":0,"tid":20,"ts":150,"cat":"ac2g","name":"ac2g","bp":"e"},
{"ph":"X","pid":0,"tid":7,"name":"k2","cat":"kernel","ts":160,"dur":20},
{"ph":"f","id":4,"pid":0,"tid":7,"ts":160,"cat":"ac2g","name":"ac2g","bp":"e"},
{"ph":"X","pid":0,"tid":7,"name":"Stream Wait Event","cat":"cuda_sync","ts":152,"dur":2}
]}"#;

fn open(text: &str) -> Document {
    let (doc, is_ready) = open_one("trace.json", text.as_bytes().to_vec());
    assert!(is_ready);
    doc
}

/// The rows of an export, without its head.
fn rows(doc: &mut Document, id: &str) -> Vec<Vec<String>> {
    let (answer, bytes) = doc.query(&Query::Export { id: id.to_owned() });
    let bytes = bytes.unwrap_or_else(|| panic!("{id}: {answer:?}"));
    let mut csv = csv::Reader::from_reader(&bytes[..]);
    csv.records().map(|row| row.unwrap().iter().map(str::to_owned).collect()).collect()
}

/// The same as lines.
fn lines(doc: &mut Document, id: &str) -> Vec<String> {
    rows(doc, id).into_iter().map(|row| row.join(",")).collect()
}

#[test]
fn kernels_have_their_launches() {
    let mut doc = open(TRACE);
    let rows = rows(&mut doc, "kernels-csv");
    let told: Vec<String> = rows.iter().map(|row| [&row[..7], &row[15..]].concat().join(",")).collect();
    assert_eq!(
        told,
        [
            "k1,compute,kernel,GPU 0,stream 7,50000,10000,aten::b,cudaLaunchKernel,22000,28000,1",
            "Memcpy HtoD,copy,gpu_memcpy,GPU 0,stream 7,60000,4000,aten::a,cudaMemcpyAsync,32000,28000,2",
            "ncclKernel_AllReduce,communication,kernel,GPU 0,stream 20,150000,20000,aten::c,cudaLaunchKernel,140000,10000,1",
            "k2,compute,kernel,GPU 0,stream 7,160000,20000,aten::c,cudaLaunchKernel,142000,18000,1",
            "Stream Wait Event,wait,cuda_sync,GPU 0,stream 7,152000,2000,,,,,",
        ]
    );
    assert_eq!(rows[0][7..15], ["[8, 16, 5]", "[128, 1, 1]", "122", "12544", "25", "5.9", "", ""]);
    assert_eq!(rows[1][14], "512");
}

/// Slices are written last, when little of the document is left.
#[test]
fn slices_in_tables_have_their_device_and_step() {
    let slices = crate::tables::table(&mut open(TRACE), "slices");
    let mut told: Vec<String> =
        slices.of(&["name", "device", "step", "depth"]).into_iter().map(|row| row.join(",")).collect();
    told.retain(|row| {
        ["k1", "k2", "Memcpy HtoD", "aten::b", "aten::c"].iter().any(|name| row.starts_with(name))
    });
    told.sort();
    assert_eq!(
        told,
        [
            "Memcpy HtoD,GPU 0,ProfilerStep#1,1",
            "aten::b,,ProfilerStep#1,4",
            "aten::c,,ProfilerStep#2,1",
            "k1,GPU 0,ProfilerStep#1,1",
            "k2,GPU 0,ProfilerStep#2,1",
        ]
    );
}

#[test]
fn operators_have_the_time_of_their_kernels() {
    let expected = [
        "aten::c,1,15000,15000,40000,40000,2,2,1",
        "aten::b,1,10000,10000,10000,10000,1,1,1",
        "aten::a,1,30000,20000,14000,4000,1,2,1",
        "enumerate(DataLoader)#x,1,20000,20000,0,0,0,0,1",
    ];
    assert_eq!(lines(&mut open(TRACE), "operators-device-csv"), expected);
    // Cut to a stretch of time: what lies in it counts, with its part.
    let cut = lines(&mut open(TRACE), "operators-device-csv:statistics-time=25000..55000");
    assert_eq!(cut, ["aten::b,1,5000,5000,5000,5000,1,1,1", "aten::a,1,15000,10000,5000,0,1,2,1"]);
}

#[test]
fn functions_and_modules_have_the_time_of_what_was_launched_in_them() {
    let expected =
        ["nn.Module: Net_0,1,40000,40000,14000,14000,2,2,1", "train.py(3): step,1,90000,50000,14000,0,0,2,1"];
    assert_eq!(lines(&mut open(TRACE), "functions-device-csv"), expected);
}

#[test]
fn steps_are_the_sum_of_their_parts() {
    let expected = [
        "ProfilerStep#1,0,100000,10000,0,4000,86000,30000,GPU 0",
        "ProfilerStep#2,100000,100000,20000,10000,0,70000,49000,GPU 0",
    ];
    assert_eq!(lines(&mut open(TRACE), "steps-csv"), expected);
    let other = lines(&mut open(TRACE), "steps-csv:step-name=aten::*");
    assert_eq!(other.len(), 4);
    assert_eq!(other[2], "aten::c,135000,15000,0,0,0,15000,2000,GPU 0");
    // All kernels run outside of these, 55 of 200 µs lie in them; the host goes on for 20 and for 14 µs more.
    assert_eq!(other[3], "Outside steps,0,155000,30000,10000,4000,111000,34000,GPU 0");
}

#[test]
fn idle_time_has_its_reasons_and_its_three_classes() {
    let mut doc = open(TRACE);
    let mut told = |arguments: &str| {
        let rows = rows(&mut doc, &format!("idle-csv{arguments}")).into_iter();
        let rows = rows.filter(|row| row[4] != "0").map(|row| row[1..5].join(","));
        rows.collect::<Vec<_>>()
    };
    assert_eq!(
        told(":idle-loading=5000"),
        [
            "stream 7,reasons,busy,34000",
            "stream 7,reasons,host_loads_data,20000",
            "stream 7,reasons,launched_late,59000",
            "stream 7,reasons,waits_for_communication,10000",
            "stream 7,reasons,launched_not_started,7000",
            "stream 7,reasons,before_first_after_last,70000",
            "stream 20,reasons,busy,20000",
            "stream 20,reasons,before_first_after_last,180000",
        ]
    );
    assert!(told("").contains(&"stream 7,reasons,launched_late,79000".to_owned()));
    // A call that takes until 1 µs before other streams communicate.
    let call = r#""name":"cudaLaunchKernel","cat":"cuda_runtime","ts":142,"dur":"#;
    let rows = lines(&mut open(&TRACE.replace(&format!("{call}1"), &format!("{call}7"))), "idle-csv");
    for (reason, ticks) in
        [("launched_late", 85_000), ("waits_for_communication", 10_000), ("launched_not_started", 1_000)]
    {
        let row = format!("stream 7,reasons,{reason},{ticks},");
        assert!(rows.iter().any(|told| told.contains(&row)), "{row}: {rows:?}");
    }
    assert!(told(":idle-short=96000").contains(&"stream 7,reasons,short_gap,96000".to_owned()));
    assert_eq!(told(":idle=classes"), ["stream 7,hta,host_wait,96000"]);
}

#[test]
fn gaps_that_the_host_waits_through_are_told() {
    let text = TRACE.replace(r#""ts":181,"dur":14"#, r#""ts":65,"dur":60"#);
    let rows = lines(&mut open(&text), "idle-csv");
    // It waits from 65 to 125 of the gap from 64 to 160 µs, and launches at 142.
    for reason in ["host_synchronizes,60000", "launched_late,19000"] {
        assert!(
            rows.iter().any(|row| row.contains(&format!("stream 7,reasons,{reason},"))),
            "{reason}: {rows:?}"
        );
    }
}

#[test]
fn without_flows_and_with_clocks_apart_everything_is_still_told() {
    let is_flow = |line: &&str| !line.contains(r#""ph":"s""#) && !line.contains(r#""ph":"f""#);
    let text: Vec<&str> = TRACE.lines().filter(is_flow).collect();
    let mut doc = open(&text.join("\n"));
    let rows = lines(&mut doc, "idle-csv");
    assert!(rows.iter().any(|row| row.contains("stream 7,reasons,not_known,96000")), "{rows:?}");
    let hta = lines(&mut doc, "idle-csv:idle=classes");
    assert!(hta.iter().any(|row| row.contains("stream 7,hta,other,96000")), "{hta:?}");
    assert_eq!(lines(&mut doc, "operators-device-csv").len(), 4);
    assert_eq!(lines(&mut doc, "steps-csv").len(), 2);
    // Kernels that begin before their launch: the host is late by nothing.
    let text = TRACE.replace(r#""ts":142,"#, r#""ts":172,"#).replace(
        r#""tid":1,"name":"aten::c","cat":"cpu_op","ts":135,"dur":15"#,
        r#""tid":1,"name":"aten::c","cat":"cpu_op","ts":135,"dur":45"#,
    );
    let mut doc = open(&text);
    let kernels = lines(&mut doc, "kernels-csv");
    assert!(kernels.iter().any(|row| row.ends_with("172000,-12000,0")), "{kernels:?}");
    let rows = lines(&mut doc, "idle-csv");
    assert!(rows.iter().any(|row| row.contains("stream 7,reasons,launched_late,96000")), "{rows:?}");
    // No steps, and then no host at all.
    let mut doc = open(&TRACE.replace("ProfilerStep", "iteration"));
    assert!(lines(&mut doc, "steps-csv").is_empty());
    assert_eq!(lines(&mut doc, "steps-csv:step-name=iteration#*").len(), 2);
    let device: Vec<&str> = TRACE.lines().filter(|line| !line.contains(r#""pid":1,"tid":1"#)).collect();
    let mut doc = open(&device.join("\n"));
    assert_eq!(lines(&mut doc, "kernels-csv").len(), 5);
    assert!(lines(&mut doc, "operators-device-csv").is_empty());
}

#[test]
fn traces_without_streams_offer_nothing() {
    let text = r#"{"traceEvents":[{"ph":"X","pid":1,"tid":"stream","name":"k","ts":0,"dur":8}]}"#;
    let mut doc = open(text);
    for id in ["kernels-csv", "operators-device-csv", "steps-csv", "idle-csv"] {
        let (answer, bytes) = doc.query(&Query::Export { id: id.to_owned() });
        assert!(bytes.is_none() && matches!(answer, Answer::Failed(_)), "{id}: {answer:?}");
    }
}
