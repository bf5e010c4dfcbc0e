//! Ranks: what is opened together equals what is opened alone; devices, hosts and files that are told apart.

use super::{lines, open, rows};
use crate::support::front_door::open as open_files;
use lanescope::analysis::device::Options;
use lanescope::base::geometry::Size;
use lanescope::base::time::{Span, Window};
use lanescope::document::Document;
use lanescope::scene::palette::Palette;
use lanescope::views::timeline::messages::{Arrangement, Folding, Frame, Head};
use lanescope::wire::Query;

/// A slice: process, thread, name, category, start, length, number of its launch.
fn slice(place: (&str, &str), name: &str, category: &str, times: (i64, i64), number: i64) -> String {
    let (pid, tid) = place;
    let (start, dur) = times;
    format!(
        r#"{{"ph":"X","pid":{pid},"tid":{tid},"name":"{name}","cat":"{category}","ts":{start},"dur":{dur},"args":{{"correlation":{number}}}}}"#
    )
}

fn label(pid: &str, label: &str) -> String {
    format!(r#"{{"ph":"M","pid":{pid},"tid":0,"name":"process_labels","args":{{"labels":"{label}"}}}}"#)
}

/// A rank: its host process, its device, and by how much its steps lie later than those of another.
fn rank(host: &str, device: &str, by: i64) -> Vec<String> {
    let (main, compute, exchange) = ((host, "1"), (device, "7"), (device, "20"));
    vec![
        label(host, "CPU"),
        label(device, &format!("GPU {device}")),
        slice(main, "ProfilerStep#1", "user_annotation", (by, 100), 0),
        slice(main, "aten::a", "cpu_op", (by + 5, 20), 0),
        slice(main, "cudaLaunchKernel", "cuda_runtime", (by + 6, 2), by + 1),
        slice(main, "cudaLaunchKernel", "cuda_runtime", (by + 9, 2), by + 2),
        slice(main, "ProfilerStep#2", "user_annotation", (by + 100, 60), 0),
        slice(compute, "k1", "kernel", (by + 10, 40), by + 1),
        slice(exchange, "ncclDevKernel_AllReduce", "kernel", (by + 40, 30), by + 2),
        slice(compute, "k2", "kernel", (by + 165, 20), 0),
    ]
}

fn text(events: &[String]) -> String {
    format!("{{\"traceEvents\":[\n{}\n]}}", events.join(",\n"))
}

fn steps_of(text: &str) -> Vec<Vec<String>> {
    rows(&mut open(text), "steps-csv")
}

/// The sums of steps, by name: without the time, and without what depends on how long the whole is.
fn sums(steps: &[Vec<String>]) -> Vec<(String, Vec<String>)> {
    let parts = |row: &Vec<String>| match row[0].as_str() {
        "Outside steps" => row[3..6].to_vec(),
        _ => row[2..8].to_vec(),
    };
    steps.iter().map(|row| (row[0].clone(), parts(row))).collect()
}

/// What heads of rows of a name say in a window; all of it without one.
fn shares(doc: &mut Document, name: &str, window: Option<Span>) -> Vec<String> {
    let window = window.map(Window::of);
    let frame = Frame { window, ratio: 1.0, folding: Folding::Open, ..Frame::default() };
    let (_, note) = doc.draw(&frame, Size { w: 900.0, h: 4_000.0 }, &Palette::default());
    let Some(note) = note else { panic!("{note:?}") };
    note.heads.iter().filter(|head| head.name.trim() == name).map(|head| head.value.clone()).collect()
}

#[test]
fn a_rank_is_as_busy_as_its_own_files_say() {
    // Stream 7 works for 40 + 20 of 185 µs; the second rank was recorded a day later.
    let texts = [text(&rank("100", "0", 0)), text(&rank("200", "1", 86_400_000_000))];
    let files =
        ["a.json", "b.json"].map(str::to_owned).into_iter().zip(texts.clone().map(String::into_bytes));
    let (mut both, _) = open_files(files.collect(), 1 << 16);
    assert_eq!(shares(&mut both, "Thread 7", None), ["32.4 %"; 2]);
    // Beside another trace the window may be longer than its own.
    let [first, _] = texts;
    let mut alone = open(&first);
    assert_eq!(shares(&mut alone, "Thread 7", Some(Span::new(0, 370_000))), ["32.4 %"]);
    assert_eq!(shares(&mut alone, "Thread 7", Some(Span::new(370_000, 400_000))), [""]);
}

fn figures(doc: &mut Document) -> lanescope::views::statistics::messages::Figures {
    match doc.query(&Options::default()).0 {
        Some(figures) => figures,
        other => panic!("{other:?}"),
    }
}

#[test]
fn files_of_several_ranks_have_steps_of_their_own() {
    // The second one computes while the first communicates: nothing of that is hidden.
    let texts = [text(&rank("100", "0", 0)), text(&rank("200", "1", 37))];
    let files =
        ["a.json", "b.json"].map(str::to_owned).into_iter().zip(texts.clone().map(String::into_bytes));
    let (mut both, is_ready) = open_files(files.collect(), 1 << 16);
    assert!(is_ready);
    let together = rows(&mut both, "steps-csv");
    // All but the names of devices: also when a rank was recorded, of which it is idle and outside of steps.
    let numbers = |rows: &[Vec<String>], at: std::ops::Range<usize>| -> Vec<Vec<String>> {
        rows.iter().map(|row| row[at.clone()].to_vec()).collect()
    };
    let alone: Vec<Vec<String>> = texts.iter().flat_map(|text| steps_of(text)).collect();
    assert_eq!(numbers(&together, 0..8), numbers(&alone, 0..8));
    let idle: Vec<Vec<String>> = texts.iter().flat_map(|text| rows(&mut open(text), "idle-csv")).collect();
    assert_eq!(numbers(&rows(&mut both, "idle-csv"), 2..6), numbers(&idle, 2..6));
    let devices: Vec<&str> = together.iter().map(|row| row[8].as_str()).collect();
    assert_eq!(devices[0], "a.json / GPU 0");
    assert_eq!(devices[5], "b.json / GPU 1");
    // Ten of each 30 µs are hidden; in one machine, all would be.
    let figures = figures(&mut both);
    assert_eq!((figures.communication, figures.n_communicating), ((60_000, 40_000), 2));
    let names: Vec<&str> = figures.streams.iter().map(|(name, _)| name.as_str()).collect();
    assert!(names.contains(&"a.json / GPU 0 / Thread 20"), "{names:?}");
}

#[test]
fn files_of_clocks_that_lie_far_apart_are_laid_beside_each_other() {
    // The first begins at 0, the others with the µs since 1970: these are near each other and stay so.
    let epoch = 1_700_000_000_000_000;
    let ranks = [rank("100", "0", 0), rank("200", "1", epoch), rank("300", "2", epoch + 37)];
    let files = ["a.json", "b.json", "c.json"].map(str::to_owned).into_iter();
    let texts = ranks.map(|events| text(&events).into_bytes());
    let (mut doc, _) = open_files(files.clone().zip(texts.clone()).collect(), 1 << 16);
    let trace = doc.trace();
    let offsets: Vec<(&str, i64)> = doc
        .head()
        .offsets
        .iter()
        .map(|(id, by)| (trace.strings.get(trace.tracks.get(*id).name), *by))
        .collect();
    assert_eq!(offsets, [("b.json", -epoch * 1_000), ("c.json", -epoch * 1_000)]);
    // All see the time as it is laid, also before a timeline is drawn.
    let laid = doc.head().laid.unwrap();
    assert!(laid.start == 0 && laid.end < 1_000_000_000, "{laid:?}");
    let said = |doc: &Document| -> Vec<String> {
        let faults = doc.faults().rows().iter().filter(|fault| fault.code == "TIM-APART");
        faults.map(ToString::to_string).collect()
    };
    let notes = said(&doc);
    assert_eq!(notes.len(), 2);
    assert!(notes[0].contains("b.json") && notes[0].contains("s after those in a.json"), "{notes:?}");
    // What is seen is from the first begin to the last end: 37 and 185 µs.
    let svg = doc.svg("timeline", Size { w: 900.0, h: 600.0 }, &Palette::default()).unwrap();
    assert!(svg.contains(">222.000 µs</text>"), "{svg}");
    // Files that are written have the times of the files.
    let kernels = rows(&mut doc, "kernels-csv");
    let mut first: Vec<[&str; 3]> = kernels
        .iter()
        .filter(|row| row[0] == "k1")
        .map(|row| [5, 17, 18].map(|at| row[at].as_str()))
        .collect();
    first.sort_unstable();
    let at =
        [10_000, epoch * 1_000 + 10_000, epoch * 1_000 + 47_000].map(|start| [start, start - 4_000, 4_000]);
    assert_eq!(first, at.map(|row| row.map(|n: i64| n.to_string())));
    let steps = rows(&mut doc, "steps-csv");
    assert!(steps.iter().any(|row| row[1] == (epoch * 1_000).to_string()), "{steps:?}");
    let gaps = rows(&mut doc, "gaps-csv").into_iter().filter(|row| row[0].ends_with("Thread 7"));
    let mut gaps: Vec<Vec<i64>> =
        gaps.map(|row| row[1..].iter().map(|text| text.parse().unwrap()).collect()).collect();
    gaps.sort_unstable();
    let of_rank = |by: i64| [[by, by + 10_000, 10_000], [by + 50_000, by + 165_000, 115_000]];
    let mut expected = [0, epoch * 1_000, (epoch + 37) * 1_000].map(of_rank).concat();
    expected.sort_unstable();
    assert_eq!(gaps, expected);
    let summary = doc.query(&Query::Export { id: "summary-json".to_owned() }).1.unwrap();
    let summary: serde_json::Value = serde_json::from_slice(&summary).unwrap();
    assert_eq!(
        summary["offsets_ns"],
        serde_json::json!({"b.json": -epoch * 1_000, "c.json": -epoch * 1_000})
    );
    // Those of one run are left as they are.
    let (near, _) = open_files(files.skip(1).zip(texts.into_iter().skip(1)).collect(), 1 << 16);
    assert!(near.head().offsets.is_empty() && said(&near).is_empty());
}

#[test]
fn a_long_offset_leaves_room_for_the_name_and_the_rank() {
    let ranks = [rank("100", "0", 0), rank("200", "1", 1_700_000_000_000_000)];
    let files = ["a.json", "b.json"].map(str::to_owned).into_iter();
    let (mut doc, _) = open_files(files.zip(ranks.map(|of| text(&of).into_bytes())).collect(), 1 << 16);
    let rows = Box::new(Arrangement { offsets: doc.head().offsets.clone(), ..Arrangement::default() });
    let frame = Frame { ratio: 1.0, rows, ..Frame::default() };
    let (_, note) = doc.draw(&frame, Size { w: 900.0, h: 4_000.0 }, &Palette::default());
    let Some(note) = note else { panic!("{note:?}") };
    let head = note.heads.iter().find(|head| head.name == "b.json").unwrap();
    assert_eq!((head.shift.as_str(), head.has_long_shift()), ("−1,700,000,000.000 s", true));
    let has_id = |label: &str| Head { label: label.to_owned(), ..head.clone() }.has_id();
    assert_eq!(["rank 12", "7", "CPU"].map(has_id), [true, true, false]);
}

/// What a host in a file of its own tells of the gap of a device, from 15 to 80 µs: it synchronizes in 40 of these.
fn gap_of(files: &[(&str, i64)]) -> Vec<[String; 2]> {
    let main = ("100", "1");
    let host = [
        label("100", "CPU"),
        slice(main, "aten::a", "cpu_op", (0, 100), 0),
        slice(main, "cudaDeviceSynchronize", "cuda_runtime", (20, 40), 0),
    ];
    let device = |by: i64| {
        let stream = ("0", "7");
        let [first, second] = [(10, 5), (80, 10)].map(|(start, dur)| (by + start, dur));
        text(&[
            label("0", "GPU 0"),
            slice(stream, "k1", "kernel", first, 0),
            slice(stream, "k2", "kernel", second, 0),
        ])
    };
    let host = ("host.json".to_owned(), text(&host).into_bytes());
    let devices = files.iter().map(|(name, by)| ((*name).to_owned(), device(*by).into_bytes()));
    let (mut doc, _) = open_files(std::iter::once(host).chain(devices).collect(), 1 << 16);
    let rows = rows(&mut doc, "idle-csv").into_iter();
    let rows =
        rows.filter(|row| ["host_synchronizes", "not_known"].contains(&row[3].as_str()) && row[4] != "0");
    rows.map(|row| [row[3].clone(), row[4].clone()]).collect()
}

#[test]
fn only_a_host_that_is_known_to_be_its_own_is_the_cause_of_a_gap() {
    let of = |id: &str, ticks: &str| [id.to_owned(), ticks.to_owned()];
    let unknown = of("not_known", "65000");
    assert_eq!(gap_of(&[("a.json", 0)]), [of("host_synchronizes", "40000"), of("not_known", "25000")]);
    // Whose host it is nobody knows where there are two devices, and when it was where the clocks are not one.
    assert_eq!(gap_of(&[("a.json", 0), ("b.json", 5)]), [unknown.clone(), unknown.clone()]);
    assert_eq!(gap_of(&[("a.json", 1_700_000_000_000_000)]), [unknown]);
}

#[test]
fn ranks_are_named_by_their_number_where_the_file_says_it() {
    let said = |n: u32, events: Vec<String>| {
        text(&events).replacen('{', &format!("{{\"distributedInfo\":{{\"rank\":{n}}},"), 1)
    };
    let texts = [said(3, rank("100", "0", 0)), said(5, rank("200", "0", 37))];
    let files = ["a.json", "b.json"].map(str::to_owned).into_iter().zip(texts.map(String::into_bytes));
    let (mut both, _) = open_files(files.collect(), 1 << 16);
    let devices: Vec<String> = rows(&mut both, "steps-csv").iter().map(|row| row[8].clone()).collect();
    assert_eq!(devices[0], "rank 3 / GPU 0");
    assert_eq!(devices[3], "rank 5 / GPU 0");
    // Rows say it too, and devices stand above hosts as in a file alone.
    let trace = both.trace();
    let labels = trace.tracks.shown().iter().map(|id| trace.strings.get(trace.tracks.get(*id).label));
    let labels: Vec<&str> = labels.filter(|label| !label.is_empty()).collect();
    assert_eq!(labels, ["rank 3", "GPU 0", "CPU", "rank 5", "GPU 0", "CPU"]);
    // Figures of one title say of which file they are.
    let scopes = |doc: &Document| -> Vec<String> {
        let figures = doc.head().figures.into_iter().filter(|figure| figure.2 == "Events in the file");
        figures.map(|figure| figure.3).collect()
    };
    assert_eq!(scopes(&both), ["a.json", "b.json"]);
    assert_eq!(scopes(&open(&text(&rank("100", "0", 0)))), [""]);
}

#[test]
fn every_rank_is_told_of_by_its_busiest_stream_its_time_and_its_steps() {
    // Of the first rank 20 streams work for longer than any of the second, which was recorded for shorter, without steps.
    let (mut first, mut second) = (rank("100", "0", 0), rank("200", "0", 0));
    let tids: Vec<String> = (100..120).map(|tid: i64| tid.to_string()).collect();
    first.extend(tids.iter().map(|tid| slice(("0", tid), "k", "kernel", (100, 300), 0)));
    second.retain(|event| !event.contains("ProfilerStep"));
    let said = |n: u32, events: &[String]| {
        text(events).replacen('{', &format!("{{\"distributedInfo\":{{\"rank\":{n}}},"), 1).into_bytes()
    };
    let files = vec![("a.json".to_owned(), said(0, &first)), ("b.json".to_owned(), said(1, &second))];
    let (mut both, _) = open_files(files, 1 << 16);
    let figures = figures(&mut both);
    assert_eq!((figures.streams.len(), figures.n_streams), (16, 24));
    // The second one's kernels: 40 and 20 µs on stream 7, 30 on stream 20.
    let chosen = figures.chosen_streams(2);
    let told: Vec<(i64, u32)> =
        chosen.iter().map(|at| (figures.streams[*at].1.busy, figures.ranks[*at])).collect();
    assert_eq!(told, [(300_000, 0), (60_000, 1)]);
    assert_eq!(figures.chosen_streams(4).len(), 4);
    assert_eq!(figures.recorded, [400_000, 180_000]);
    for (at, rank) in chosen.iter().zip([0, 1]) {
        assert_eq!(figures.streams[*at].1.time(), figures.recorded[rank]);
    }
    let steps: Vec<(u32, usize)> =
        figures.steps_by_rank().into_iter().map(|(rank, steps)| (rank, steps.len())).collect();
    assert_eq!(steps, [(0, 3), (1, 0)]);
}

#[test]
fn processes_of_one_file_have_the_devices_that_they_launch_on() {
    let events = [rank("100", "0", 0), rank("200", "1", 37)].concat();
    let together = steps_of(&text(&events));
    let alone = [rank("100", "0", 0), rank("200", "1", 37)].map(|events| sums(&steps_of(&text(&events))));
    assert_eq!(sums(&together), alone.concat());
    assert_eq!(together[0][8], "Process 100 CPU / GPU 0");
}

#[test]
fn a_process_with_two_devices_has_its_steps_on_both() {
    let mut events = rank("100", "0", 0);
    events.push(label("1", "GPU 1"));
    events.push(slice(("1", "7"), "k3", "kernel", (10, 80), 1));
    let steps = steps_of(&text(&events));
    let told: Vec<[&str; 4]> =
        steps.iter().map(|row| [&row[0], &row[3], &row[4], &row[8]].map(String::as_str)).collect();
    // The communication of device 0 lies under computing of device 1: that hides nothing.
    assert_eq!(
        told,
        [
            ["ProfilerStep#1", "40000", "20000", "GPU 0"],
            ["ProfilerStep#2", "0", "0", "GPU 0"],
            ["Outside steps", "20000", "0", "GPU 0"],
            ["ProfilerStep#1", "80000", "0", "GPU 1"],
            ["ProfilerStep#2", "0", "0", "GPU 1"],
        ]
    );
}

/// In a container the host may be process 1, and the profiler labels the devices 0 to 7 after it.
#[test]
fn a_process_is_a_device_by_what_it_does_and_not_by_its_last_label() {
    let plain = text(&rank("100", "0", 0));
    for device in ["0", "1"] {
        let mut events = rank("1", device, 0);
        events.push(label("1", "GPU 1"));
        let mut doc = open(&text(&events));
        assert_eq!(sums(&rows(&mut doc, "steps-csv")), sums(&steps_of(&plain)), "device {device}");
        assert_eq!(lines(&mut doc, "operators-device-csv"), ["aten::a,1,20000,20000,70000,70000,2,2,1"]);
        let kernels = rows(&mut doc, "kernels-csv");
        assert!(kernels.iter().all(|row| row[3] == format!("GPU {device}")), "{kernels:?}");
        // What nothing says of itself is still told by the label.
        let silent =
            text(&events).replace("\"cat\":\"kernel\",", "").replace(r#""tid":7,"#, r#""tid":"stream 7","#);
        let mut doc = open(&silent);
        assert_eq!(rows(&mut doc, "kernels-csv").len(), 2, "device {device}");
    }
}

/// What AMD's profiler writes in a container: the host is process 1 and is labeled after the GPUs too. Operators, modules and
/// functions are all there, with the numbers that they have without that label.
#[test]
fn a_host_that_is_labeled_as_a_device_keeps_its_operators_and_modules() {
    let (main, stream) = (("1", "1"), ("0", "7"));
    let mut events = vec![
        label("1", "CPU"),
        label("0", "GPU 0"),
        slice(main, "ProfilerStep#1", "user_annotation", (0, 100), 0),
        slice(main, "train.py(3): step", "python_function", (2, 96), 0),
        slice(main, "nn.Module: Net_0", "python_function", (5, 60), 0),
        slice(main, "aten::linear", "cpu_op", (10, 40), 0),
        slice(main, "aten::addmm", "cpu_op", (15, 20), 0),
        slice(main, "hipLaunchKernel", "cuda_runtime", (20, 2), 1),
        slice(main, "aten::relu", "cpu_op", (52, 8), 0),
        slice(main, "hipLaunchKernel", "cuda_runtime", (54, 2), 2),
        slice(main, "aten::sum", "cpu_op", (70, 20), 0),
        slice(main, "hipLaunchKernel", "cuda_runtime", (75, 2), 3),
        slice(stream, "gemm", "kernel", (30, 30), 1),
        slice(stream, "relu_kernel", "kernel", (60, 5), 2),
        slice(stream, "reduce_kernel", "kernel", (80, 15), 3),
    ];
    let mut plain = open(&text(&events));
    events.push(label("1", "GPU 1"));
    let mut doc = open(&text(&events));
    // By hand: calls, time, own time, time of kernels, of own kernels, how many own ones and all.
    let operators = [
        "aten::addmm,1,20000,20000,30000,30000,1,1,1",
        "aten::sum,1,20000,20000,15000,15000,1,1,1",
        "aten::relu,1,8000,8000,5000,5000,1,1,1",
        "aten::linear,1,40000,20000,30000,0,0,1,1",
    ];
    assert_eq!(lines(&mut doc, "operators-device-csv"), operators);
    let functions = [
        "nn.Module: Net_0,1,60000,60000,35000,35000,2,2,1",
        "train.py(3): step,1,96000,36000,50000,15000,1,3,1",
    ];
    assert_eq!(lines(&mut doc, "functions-device-csv"), functions);
    assert_eq!(rows(&mut doc, "steps-csv")[0][..7].join(","), "ProfilerStep#1,0,100000,50000,0,0,50000");
    let kernels = rows(&mut doc, "kernels-csv");
    let told: Vec<[&str; 3]> =
        kernels.iter().map(|row| [&row[0], &row[3], &row[15]].map(String::as_str)).collect();
    assert_eq!(
        told,
        [
            ["gemm", "GPU 0", "aten::addmm"],
            ["relu_kernel", "GPU 0", "aten::relu"],
            ["reduce_kernel", "GPU 0", "aten::sum"],
        ]
    );
    for id in ["operators-device-csv", "functions-device-csv", "steps-csv", "idle-csv", "modules-csv"] {
        assert_eq!(rows(&mut doc, id), rows(&mut plain, id), "{id}");
    }
}

#[test]
fn work_outside_of_steps_is_a_row() {
    let steps = steps_of(&text(&rank("100", "0", 0)));
    assert_eq!(steps.len(), 3);
    assert_eq!(steps[2].join(","), "Outside steps,0,25000,20000,0,0,5000,0,GPU 0");
    let kernels: i64 =
        [&steps[0], &steps[1], &steps[2]].iter().map(|row| row[3].parse::<i64>().unwrap()).sum();
    assert_eq!(kernels, 60_000, "nothing is lost");
}

#[test]
fn calls_that_lie_in_each_other_count_once() {
    let main = ("100", "1");
    let mut events = vec![
        slice(main, "f", "python_function", (0, 100), 0),
        slice(main, "f", "python_function", (10, 80), 0),
        slice(main, "f", "python_function", (20, 60), 0),
        slice(main, "aten::conv", "cpu_op", (30, 20), 0),
        slice(main, "aten::conv", "cpu_op", (31, 18), 0),
        slice(main, "cudaLaunchKernel", "cuda_runtime", (35, 2), 1),
        slice(main, "f", "python_function", (120, 10), 0),
        // Another thread calls it at the same time: that is its own.
        slice(("100", "2"), "f", "python_function", (20, 60), 0),
        slice(("0", "7"), "k", "kernel", (60, 50), 1),
    ];
    events.push(label("0", "GPU 0"));
    let mut doc = open(&text(&events));
    assert_eq!(lines(&mut doc, "operators-device-csv"), ["aten::conv,2,20000,20000,50000,50000,1,1,1"]);
    assert_eq!(lines(&mut doc, "functions-device-csv"), ["f,5,170000,170000,50000,50000,1,1,3"]);
    let statistics = rows(&mut doc, "statistics-csv");
    let row = |name: &str| statistics.iter().find(|row| row[0] == name).unwrap().clone();
    // Name, category, count, total, self, mean; outermost.
    assert_eq!(row("f")[2..6], ["5", "170000", "150000", "62000"]);
    assert_eq!((row("f")[13].as_str(), row("aten::conv")[13].as_str()), ("3", "1"));
    assert_eq!(row("aten::conv")[2..5], ["2", "20000", "18000"]);
}

#[test]
fn kernels_of_communication_libraries_are_known_by_their_names() {
    let names = [
        "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
        "rcclGenericKernel<1>",
        "hcom_allReduce__538_0_1",
        "oneccl::reduce",
        "void (anonymous namespace)::multimem_all_reduce_kernel<c10::BFloat16, 16>",
        "two_shot_all_reduce_kernel_inplace<c10::BFloat16, 16, 2>",
        "nvshmemi_broadcast_kernel",
        "void vllm::cross_device_reduce_1stage<__nv_bfloat16, 8>",
        "oneShotAllReduceKernel<half, 8>",
        "flashinfer::trtllm_allreduce_fusion::allreduce_fusion_kernel_oneshot_lamport",
        "userbuffers_fp16_sum_inplace_gpu_rw_ag",
        "deep_ep::internode_ll::dispatch",
        "ucp_device_put_kernel",
        "mscclKernel_Sum_hip_bfloat16_Simple_false",
        "void aiter::reduce_scatter_cross_device_store<__hip_bfloat16, 8>",
        "void aiter::reduce_scatter_split_first_dim<__hip_bfloat16, 8>",
        "void aiter::allgather_lastdim<__hip_bfloat16, 8>",
        "void aiter::allgather_vec<__hip_bfloat16, 8>",
        "void aiter::allgather_naive<__hip_bfloat16, 8>",
    ];
    // What a fused all-reduce does after it exchanged is computed on one device.
    let computing = [
        "void aiter::local_device_load_rmsnorm<float, 8>",
        "sgemm_128x64",
        "reduce_kernel<512, 1>",
        "deep_ep::layout::get_dispatch_layout",
        "my_allreduce",
    ];
    let all: Vec<&str> = names.into_iter().chain(computing).collect();
    let mut events: Vec<String> =
        (0..).zip(&all).map(|(at, name)| slice(("0", "7"), name, "kernel", (10 * at, 5), 0)).collect();
    events.push(label("0", "GPU 0"));
    let mut doc = open(&text(&events));
    let class = |doc: &mut Document, id: &str| -> Vec<String> {
        rows(doc, id).iter().filter(|row| row[1] == "communication").map(|row| row[0].clone()).collect()
    };
    assert_eq!(class(&mut doc, "kernels-csv"), names);
    // And those that a person names.
    let more = class(&mut doc, "kernels-csv:communication-names=MY_ALL");
    assert_eq!(more.last().map(String::as_str), Some("my_allreduce"));
    assert_eq!(more.len(), names.len() + 1);
    let options = Options { communication: " , my_allreduce,sgemm".to_owned(), ..Options::default() };
    match doc.query(&options).0 {
        Some(figures) => assert_eq!(figures.communication.0, 5_000 * (names.len() as i64 + 2)),
        other => panic!("{other:?}"),
    }
}

#[test]
fn events_of_another_accelerator_are_told_apart_by_their_names() {
    let stream = ("17", "\"Stream 8\"");
    let events = [
        label("17", "MTIA 17"),
        slice(stream, "pe_exe", "mtia_ccp_events", (0, 10), 0),
        slice(stream, "dma_request", "mtia_ccp_events", (10, 4), 0),
        slice(stream, "event_wait", "mtia_ccp_events", (20, 50), 0),
        slice(("17", "\"Stream 8 Submission Queue\""), "enqueue", "mtia_runtime", (0, 3), 0),
    ];
    let told: Vec<String> =
        rows(&mut open(&text(&events)), "kernels-csv").iter().map(|row| row[..4].join(",")).collect();
    assert_eq!(
        told,
        [
            "pe_exe,compute,mtia_ccp_events,MTIA 17",
            "dma_request,copy,mtia_ccp_events,MTIA 17",
            "event_wait,wait,mtia_ccp_events,MTIA 17",
        ]
    );
}

/// Each pattern says where in a name it stands, what it is, whose, and where that is written; no library is left out.
#[test]
fn patterns_of_communication_say_whose_they_are_and_where_they_are_written() {
    let table = include_str!("../../../src/systems/trace_event/device/communication.tsv");
    let rows: Vec<Vec<&str>> =
        table.lines().filter(|line| !line.starts_with('#')).map(|line| line.split('\t').collect()).collect();
    for row in &rows {
        let [place, text, library, source] = &row[..] else { panic!("{row:?}") };
        assert!(["holds", "begins"].contains(place) && *text == text.to_lowercase(), "{row:?}");
        assert!(
            !library.is_empty() && (source.contains("github.com/") || source.contains("CANN")),
            "{row:?}"
        );
    }
    let libraries = [
        "NCCL",
        "RCCL",
        "HCCL",
        "oneCCL",
        "MSCCL++",
        "NVSHMEM",
        "rocSHMEM",
        "symmetric memory",
        "vLLM",
        "SGLang",
        "AITER",
        "TensorRT-LLM",
        "FlashInfer",
        "Transformer Engine",
        "DeepEP",
        "UCX",
    ];
    for library in libraries {
        assert!(rows.iter().any(|row| row[2].split(", ").any(|name| name.starts_with(library))), "{library}");
    }
}
