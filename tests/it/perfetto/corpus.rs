//! The cases of Perfetto's own tests, where they are at hand: `LANESCOPE_CORPUS` names the folder. Each is a trace, a
//! question in SQL and the expected answer, a table in CSV. The answers come from the schema's authors, not from here.
//!
//! Cases about what the timeline shows are compared; of the others the table says why they are not.

use super::path;
use crate::support::corpus::{corpus, unpacked};
use crate::support::front_door::open_one;
use lanescope::document::Document;
use lanescope::model::id::SliceId;
use std::collections::BTreeMap;

/// How an expected table is compared.
enum How {
    /// Slices and instants: the words are what each column holds, `-` for one that is passed over.
    Slices(&'static str),
    /// Samples of counters: columns, the counters by their paths (those that hold one of the texts), and what a value is
    /// divided by.
    Counters(&'static str, &'static [&'static str], f64),
    /// What ran on processors.
    Processors(&'static str),
    /// States of threads.
    States(&'static str),
    /// Arguments of slices and instants: with names of their own, or as JSON.
    Arguments(&'static str),
    /// Arrows.
    Flows(&'static str),
    /// Names of tracks.
    Tracks,
}

use How::{Arguments, Counters, Flows, Processors, Slices, States, Tracks};

const CASES: &[(&str, How)] = &[
    ("AndroidStdlib__android_dvfs_counters", Counters("- ts value -", &["domain@1"], 1.0)),
    ("ArgsFunctions___intrinsic_arg_set_to_json_simple", Arguments("name args_json")),
    ("ArgsFunctions__arg_set_to_json_nested", Arguments("name args_json")),
    ("ArgsFunctions__display_value", Arguments("key - value")),
    ("Atrace__android_b2b_async_begin_list_slices", Slices("ts dur name")),
    ("Atrace__process_track_slices_android_async_slice", Slices("ts dur pid name track")),
    ("GenericKernelParser__cpu_frequency_event", Counters("ts cpu value", &["frequency"], 1e-3)),
    ("GenericKernelParser__sched_switch_multiple_threads", Processors("ts dur cpu")),
    ("GenericKernelParser__sched_switch_thread_state_simple", States("ts dur cpu - state -")),
    ("GenericKernelParser__sched_switch_interleaved_thread_state", States("ts dur cpu - state -")),
    ("GenericKernelParser__sched_switch_interleaved_mismatched_thread_state", States("ts dur cpu - state -")),
    ("GenericKernelParser__thread_state_consecutive_running_states", States("ts dur cpu - state -")),
    ("GenericKernelParser__thread_state_only_destroyed_or_dead", States("ts dur cpu - state -")),
    ("GraphicsGpuTrace__gpu_frequency_event", Counters("- - ts value", &["frequency"], 1e-3)),
    ("Linux__journald_basic", Slices("ts - tag msg - - - - -")),
    ("Parsing__funcgraph_trace_funcgraph", Slices("ts dur tid name")),
    ("Parsing__kernel_dpu_tmw_counter_process_counter_and_track", Counters("ts name value pid", &[""], 1.0)),
    ("ParsingMemoryCounters__ion_stat", Counters("- ts value", &["ION"], 1.0)),
    ("ParsingSysStats__cpuidle_stats", Counters("ts - value cpu", &["time"], 1.0)),
    ("ParsingSysStats__gpufreq", Counters("ts - value", &["frequency"], 1.0)),
    ("PowerPowerRails__power_rails_event_power_rails_custom_clock", Counters("ts value", &["Power"], 1.0)),
    ("PowerPowerRails__power_rails_multi_device", Counters("- ts value -", &["Power"], 1.0)),
    ("PowerPowerRails__power_rails_session_uuid", Counters("- ts value", &["Power"], 1.0)),
    ("PowerVoltageAndScaling__wakesource_wakesource", Slices("ts dur name")),
    ("Profiling__perf_sample_counter_only", Counters("ts - - - value - - - -", &["sample"], 1.0)),
    ("Profiling__perf_sample_counter_set", Counters("- - - value", &["sample"], 1.0)),
    ("Profiling__perf_sample_followers", Counters("ts value cpu - -", &["sample"], 1.0)),
    ("SchedParser__cpu_frequency_limits", Counters("ts value -", &["limit"], 1e-3)),
    ("SchedParser__sched_cpu_util_cfs", Counters("- ts value", &["CPU"], 1.0)),
    ("Tables__flow_table_trace_id", Flows("- - - id -")),
    ("Tables__flow_direction_corrected_by_timestamp", Flows("from from_ts to to_ts id")),
    ("TrackEvent__legacy_async_event", Slices("~track - - - ts dur category name - - -")),
    ("TrackEvent__track_event_monotonic_trace_clock_slices", Slices("track - - - ts dur category name")),
    ("TrackEvent__track_event_name_resolution_null_override", Tracks),
    ("TrackEvent__track_event_tracks_slices", Slices("- process - process ts dur category name")),
];

/// Cases about slices, counters, threads or scheduling that are not compared, and why.
const OTHERS: &[(&str, &str)] = &[
    ("AdrenoCmdbatch__", "events of this driver are shown one by one, not joined to slices"),
    ("AndroidFs__android_fs_dataread", "the same"),
    ("AndroidParser__android_system_property_counter_machine_id", "system properties are counted only"),
    ("ArgsFunctions__arg_set_to_json_empty", "a slice without arguments: nothing to compare"),
    ("BlockIo__block_io_slice", "the same"),
    ("ChromeParser__chrome_log_message_args", "the log message is one text here; compared by made traces"),
    ("DynamicTables__descendant_slice", "asks a function of the query language"),
    ("EntityStateResidency__track", "counted only"),
    ("Etw__", "Windows events are counted only"),
    ("Fs__f2fs_iostat", "events of this file system are shown one by one, not as counters"),
    ("FtraceCrop__", "what stands before the last buffers were read is shown here and cut off there"),
    ("GenericKernelParser__thread_process_tree", "threads without events of their own have no track"),
    (
        "GenericKernelParser__thread_state_running_after_destroyed",
        "a number that is used again is the same thread here",
    ),
    (
        "GraphicsDrmRelatedFtraceEvents__drm_vblank_gpu_track",
        "events of displays are shown by thread, not by display",
    ),
    (
        "GraphicsGpuTrace__gpu_counter_missing_timestamp_dropped",
        "a number of the statistics; counted here too",
    ),
    ("LinuxCpu__", "computed from the counters by the query"),
    ("LinuxSysfsPower__multiple_batteries", "the names of its counters carry units there"),
    ("NetworkParser__", "events of networks are shown one by one, not as counters"),
    ("Parsing__oom_kill", "shown as an event of the thread that is told of, under another name"),
    ("ParsingSysStats__disk_stats_multiple_disks", "counted only"),
    ("PowerVoltageAndScaling__suspend_resume", "a state that begins again lasts until then here"),
    ("ProcessTracking__", "threads without events of their own have no track"),
    ("SlicesStack__", "asks a function of the query language"),
    ("Tables__thread_main_thread", "threads without events of their own have no track"),
    ("TablesCounters__cpu_counter_track_multi_machine", "names of its counters are others there"),
    ("TrackEvent__range_of_interest", "events before the range are shown here"),
    ("TrackEvent__track_event_absolute_timestamp_us_overflow", "a number of the statistics"),
    (
        "TrackEvent__track_event_merged_debug_annotations_args",
        "arguments of the end of a slice are not shown",
    ),
    ("TrackEvent__state_track", "states of tracks are not read"),
    ("TranslatedArgs__", "translation tables are not read"),
    ("Viz__", "asks a table of the query language; compared by made traces"),
];

/// A row by the names of its columns.
type Row = BTreeMap<&'static str, String>;

/// The rows of a document that a table is compared with.
fn rows(doc: &mut Document, how: &How) -> Vec<Row> {
    match how {
        Slices(_) => slices(doc, |path| {
            let is_other = ["CPU / CPU ", "Kernel events / "].iter().any(|group| path.starts_with(group));
            !is_other && !path.ends_with(" (state)")
        }),
        States(_) => states(doc),
        Arguments(columns) => arguments(doc, columns.contains("json")),
        Processors(_) => slices(doc, |path| path.starts_with("CPU / CPU ")),
        Counters(_, parts, by) => counters(doc, parts, *by),
        Flows(_) => flows(doc),
        Tracks => {
            let trace = doc.trace();
            let names = trace.tracks.iter().map(|(_, track)| trace.strings.get(track.name).to_owned());
            names.map(|name| Row::from([("name", name)])).collect()
        }
    }
}

/// Slices and instants of tracks whose path is right. Process, thread and track are told as the tree has them.
fn slices(doc: &Document, is_right: impl Fn(&str) -> bool) -> Vec<Row> {
    let trace = doc.trace();
    let text = |id| trace.strings.get(id).to_owned();
    let mut out = Vec::new();
    for (_, track) in trace.tracks.iter().filter(|(id, _)| is_right(&path(doc, *id))) {
        let process = track.parent.map(|parent| trace.tracks.get(parent));
        // Of tracks with names the second word is the number.
        let number = |of: &lanescope::model::track::Track| {
            let (name, label) = (text(of.name), text(of.label));
            let number = if label.is_empty() { name.rsplit(' ').next().unwrap_or_default() } else { &label };
            number.to_owned()
        };
        let mut row =
            Row::from([("track", text(track.name)), ("thread", text(track.name)), ("tid", number(track))]);
        row.insert("cpu", number(track));
        if let Some(process) = process {
            row.insert("process", text(process.name));
            row.insert("pid", number(process));
        }
        let mut add = |start: i64, dur: i64, name, category| {
            let (tag, message) = trace.strings.get(name).split_once(": ").unwrap_or_default();
            let said = [
                ("tag", tag.to_owned()),
                ("msg", message.to_owned()),
                ("ts", start.to_string()),
                ("dur", dur.to_string()),
                ("name", text(name)),
                ("category", text(category)),
            ];
            out.push(row.clone().into_iter().chain(said).collect());
        };
        for n in 0..track.slices.len() {
            let (start, dur) = (track.slices.start[n], track.slices.dur_of(n));
            add(start, dur, track.slices.name[n], track.slices.category_of(n));
        }
        for n in 0..track.instants.len() {
            add(track.instants.time[n], 0, track.instants.name[n], track.instants.category[n]);
        }
    }
    out
}

/// States of threads, by the letters of the kernel.
fn states(doc: &Document) -> Vec<Row> {
    let mut rows = slices(doc, |path| path.ends_with(" (state)"));
    for row in &mut rows {
        let state = match row["name"].as_str() {
            "Dead" => "X",
            "Zombie" => "Z",
            "Unknown" => "",
            name => name,
        };
        let cpu = row["category"].trim_start_matches("CPU ").to_owned();
        row.insert("state", state.to_owned());
        row.insert("cpu", cpu);
    }
    rows
}

/// Arguments of all slices and instants, as rows of names and values or as one JSON of each.
fn arguments(doc: &mut Document, is_json: bool) -> Vec<Row> {
    let mut ids = Vec::new();
    for (track, of) in doc.trace().tracks.iter() {
        let names = of.instants.name.iter().map(|name| doc.trace().strings.get(*name).to_owned());
        ids.extend((0..).zip(names).map(|(row, name)| (SliceId::of_instant(track, row), name)));
        let names = of.slices.name.iter().map(|name| doc.trace().strings.get(*name).to_owned());
        ids.extend((0..).zip(names).map(|(row, name)| (SliceId { track, row }, name)));
    }
    let mut rows = Vec::new();
    for (id, name) in ids {
        let args = super::arguments_of(doc, id);
        if is_json {
            let mut args: Vec<_> = args.iter().map(|(key, value)| format!("{key}={value}")).collect();
            args.sort();
            let args = args.join(" ");
            rows.push(Row::from([("name", name), ("args_json", args)]));
        } else {
            let args = args.into_iter().map(|(key, value)| ("debug.".to_owned() + &key, value));
            rows.extend(args.map(|(key, value)| Row::from([("key", key), ("value", value)])));
        }
    }
    rows
}

/// A cell with arguments in JSON as names and values.
fn flat(json: &str) -> String {
    fn walk(before: &str, value: &serde_json::Value, out: &mut Vec<String>) {
        match value {
            serde_json::Value::Object(members) => {
                members.iter().for_each(|(key, value)| walk(&format!("{before}.{key}"), value, out));
            }
            serde_json::Value::String(text) => out.push(format!("{}={text}", &before[1..])),
            other => out.push(format!("{}={other}", &before[1..])),
        }
    }
    let mut out = Vec::new();
    let value: serde_json::Value = serde_json::from_str(json).unwrap();
    walk("", &value["debug"], &mut out);
    out.sort();
    out.join(" ")
}

/// Samples of counters whose path holds one of the texts.
fn counters(doc: &Document, parts: &[&str], by: f64) -> Vec<Row> {
    let trace = doc.trace();
    let mut out = Vec::new();
    for (id, track) in trace.tracks.iter() {
        let path = path(doc, id);
        for series in track.series.iter().filter(|_| parts.iter().any(|part| path.contains(part))) {
            for (time, value) in series.time.iter().zip(&series.value) {
                let name = trace.strings.get(series.name).to_owned();
                let number = |text: &str| {
                    text.split(|c: char| !c.is_ascii_digit())
                        .find(|n| !n.is_empty())
                        .unwrap_or_default()
                        .to_owned()
                };
                let pid = track.parent.map_or("", |parent| trace.strings.get(trace.tracks.get(parent).name));
                out.push(Row::from([
                    ("ts", time.to_string()),
                    ("value", format!("{:.6}", value / by)),
                    ("cpu", number(&name)),
                    ("pid", number(pid)),
                    ("name", name),
                ]));
            }
        }
    }
    out
}

/// Arrows, with the slices that they connect.
fn flows(doc: &Document) -> Vec<Row> {
    let trace = doc.trace();
    let slice = |end: lanescope::model::FlowEnd| {
        let slices = &trace.tracks.get(end.track).slices;
        let of = (0..slices.len())
            .find(|row| slices.span(*row).start <= end.time && end.time <= slices.span(*row).end);
        let of = of.unwrap();
        (trace.strings.get(slices.name[of]).to_owned(), slices.start[of].to_string())
    };
    let rows = (0..trace.flows.len()).map(|row| {
        let (from, to) = (slice(trace.flows.from[row]), slice(trace.flows.to[row]));
        let id = trace.strings.get(trace.flows.id[row]).to_owned();
        Row::from([("from", from.0), ("from_ts", from.1), ("to", to.0), ("to_ts", to.1), ("id", id)])
    });
    rows.collect()
}

/// The cells of a table in CSV that are compared, sorted. Of two columns of one name that is taken which says something;
/// what never ends, there of the length −1, lasts to the end of the trace.
fn expected(csv: &[u8], columns: &[&str], asked: &[&str], last: i64) -> Vec<Vec<String>> {
    let csv: String = String::from_utf8_lossy(csv).trim_start().to_owned();
    let csv: String = csv
        .lines()
        .map(|line| match line.split_once(",\"{") {
            Some((name, json)) => {
                let json = json.trim_end_matches('"').replace('"', "\"\"");
                format!("{name},\"{{{json}\"\n")
            }
            None => format!("{line}\n"),
        })
        .collect();
    let mut reader = csv::ReaderBuilder::new().from_reader(csv.as_bytes());
    let rows = reader.records().map(|row| {
        let row = row.unwrap();
        let cell = |name: &&str| {
            let of = |(_, column): &(&str, &&str)| *column == name;
            let mut cells = row.iter().zip(columns).filter(of).map(|(cell, _)| cell);
            let cell = cells.find(|cell| *cell != "[NULL]").unwrap_or_default();
            if *name == "args_json" { flat(cell) } else { cell.to_owned() }
        };
        let is_open = cell(&"dur") == "-1";
        let open = || (last - cell(&"ts").parse::<i64>().unwrap()).to_string();
        let cells = asked.iter().map(|name| if *name == "dur" && is_open { open() } else { cell(name) });
        cells.collect::<Vec<_>>()
    });
    let mut rows: Vec<Vec<String>> = rows.collect();
    rows.sort();
    rows
}

#[test]
fn cases_of_perfetto_have_their_expected_results() {
    let Some(folder) = corpus("real") else { return };
    let files = unpacked(&folder.join("real.tar.zst"), "perfetto/pftrace/");
    let (mut equal, mut wrong) = (0, Vec::new());
    for (case, how) in CASES {
        let file = |end: &str| files.get(&format!("{case}.{end}"));
        let bytes = file("pftrace").unwrap_or_else(|| panic!("{case} is in the archive")).clone();
        let table = file("expected.csv").or_else(|| file("expected.txt")).unwrap();
        let columns = match how {
            Slices(columns)
            | Counters(columns, ..)
            | Processors(columns)
            | Flows(columns)
            | States(columns)
            | Arguments(columns) => columns,
            Tracks => &"name",
        };
        // Arguments repeat slices.
        let is_repeated = columns.starts_with('~');
        let columns: Vec<&str> = columns.trim_start_matches('~').split(' ').collect();
        let mut asked: Vec<&str> = Vec::new();
        for column in columns.iter().copied().filter(|column| *column != "-") {
            if !asked.contains(&column) {
                asked.push(column);
            }
        }
        let (mut doc, _) = open_one("trace.pftrace", bytes);
        let rows = rows(&mut doc, how);
        let last = doc.trace().span.map_or(0, |span| span.end);
        let mut expected = expected(table, &columns, &asked, last);
        let cells =
            |row: &Row| asked.iter().map(|c| row.get(c).cloned().unwrap_or_default()).collect::<Vec<_>>();
        let mut found: Vec<Vec<String>> = rows.iter().map(cells).collect();
        found.sort();
        if is_repeated {
            expected.dedup();
            found.dedup();
        }
        if found == expected {
            equal += 1;
        } else {
            wrong.push(format!("{case}:\nfound    {found:?}\nexpected {expected:?}"));
        }
    }
    let others: Vec<&str> = OTHERS.iter().map(|(case, _)| *case).collect();
    let known = CASES.iter().map(|(case, _)| *case).chain(others);
    for case in known {
        assert!(files.keys().any(|name| name.starts_with(case)), "{case} is in the archive");
    }
    eprintln!("{equal} of {} cases equal, {} are not compared", CASES.len(), OTHERS.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
