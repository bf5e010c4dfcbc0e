//! Fixtures with numbers counted by hand: what becomes of each kind of row.

use super::{case, faults, marks, rows};
use crate::support::front_door::{files_of, fixtures, open, open_one, said, unfinished};
use lanescope::base::time::Span;
use lanescope::format::SliceBytes;
use lanescope::model::id::SliceId;
use lanescope::systems::android::nnapi::arena::Arena;
use lanescope::systems::android::nnapi::mark::Marks;
use lanescope::views::timeline::messages::{Reply, TimelineQuery};

#[test]
fn a_page_has_an_application_a_driver_and_processors() {
    let doc = case("page");
    let app = "Application / com.example.camera";
    let driver = "Driver / android.hardware.neuralnetworks@1.3-service";
    let expected = format!(
        "{app} / NeuralWorker: ANeuralNetworksCompilation_finish 100+700 [LR PC] [LR PC]
{app} / NeuralWorker: HIDL::IDevice::prepareModel_1_3::client 200+500 [LI PC] [LI PC]
{app} / NeuralWorker: ANeuralNetworksExecution_compute 900+900 [LR PE] [LR PE]
{app} / NeuralWorker: computeOnCpu 1000+700 [LR PE] [LR PE detail]
{app} / NeuralWorker: convQuant8 1100+100 [LC PTR] [LC PTR]
{app} / NeuralWorker: optimized_ops::Conv 1200+300 [LC PCO] [LC PCO]
{app} / NeuralWorker: copy 1650+10 [LR PE] [LR PE sub]
{app} / Worker: draw 1850+10 [] []
{app} / example.camera: doFrame 0+850 [] []
{driver} / HwBinder:700_1: HIDL::IDevice::prepareModel_1_3::server 300+300 [LD PC] [LD PC]
{driver} / HwBinder:700_1: SampleDriver::prepareModel 400+100 [LC PC] [LD PC detail]
{driver} / HwBinder:700_1 (state): Running 1900+100 [CPU 2] []
{driver} / HwBinder:700_1 (state): Sleeping 2000+0 [] []
CPU / CPU 2: HwBinder:700_1 1900+100 [] []
CPU / CPU 2 frequency: 2100=1766.4
"
    );
    assert_eq!(rows(doc.trace(), 10), expected);
    assert_eq!(faults(&doc), "");
    let marks = Marks::of(doc.trace());
    // Lines 18 to 25 and 27 to 36 are of threads with marks of NNAPI or of its driver.
    assert_eq!(marks.line, (18..=25).chain(27..=36).collect::<Vec<u32>>());
    assert!(marks.is_classic.iter().all(|is_classic| *is_classic));
    assert_eq!(marks.end, 10_002_100_000);
    let text = |id| doc.trace().strings.get(id);
    let threads: Vec<[&str; 4]> =
        marks.threads.iter().map(|t| [t.id, t.name, t.process, t.process_name].map(text)).collect();
    let service = "android.hardware.neuralnetworks@1.3-service";
    assert_eq!(
        threads,
        [["501", "NeuralWorker", "500", "com.example.camera"], ["701", "HwBinder:700_1", "700", service]]
    );
    // What a slice says of itself is its row.
    let (_, track) = doc.trace().tracks.iter().find(|(_, t)| text(t.name) == "Worker").unwrap();
    let range = track.slices.detail(0);
    let bytes = doc.bytes(track.entry, range.clone());
    let of = SliceBytes {
        bytes: &bytes,
        place: (track.entry, range.start),
        trace: doc.trace(),
        read: &|range| doc.bytes(track.entry, range),
    };
    let row = (lanescope::systems::android::systrace::FORMAT.slices.unwrap().detail)(&of).args;
    let row: Vec<(&str, &str)> = row.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
    let expected = [
        ("TASK", "Worker"),
        ("PID", "503"),
        ("TGID", "500"),
        ("CPU", "3"),
        ("TIMESTAMP", "10.001850"),
        ("FUNCTION", "tracing_mark_write: B|500|draw"),
    ];
    assert_eq!(row, expected);
}

#[test]
fn old_rows_have_the_process_of_their_marks() {
    let doc = case("old");
    assert_eq!(
        rows(doc.trace(), 407_457),
        "Application / Process 4828 / Thread 4840: ANeuralNetworksExecution_startCompute 1+3 [LR PE] [LR PE]
Driver / Process 13947 / Thread 13947: HIDL::IPreparedModel::execute::server 5+4 [LD PE] [LD PE]
"
    );
    assert_eq!(
        marks(doc.trace()),
        "6 4840 4828 B|4828|[NN_LR_PE]ANeuralNetworksExecution_startCompute
7 4840 4828 E
8 13947 13947 B|13947|HIDL::IPreparedModel::execute::server
9 13947 13947 E|13947
"
    );
    assert_eq!(Marks::of(doc.trace()).seconds[1], 407_457.000004);
    // Nothing waits for what was started.
    let stops = "SYS-AOSP-STOPS – note expected marks accepted by the AOSP parser, found IndexError: list index out of range\n";
    assert_eq!(faults(&doc), stops);
}

/// A row that was sought and that there is not is an error of the program: debug builds end with it, others say it.
#[test]
fn a_row_that_there_is_not_is_said() {
    let sought = std::panic::catch_unwind(|| Arena::from_iter([1_u32])[3]);
    assert!(sought.is_err() || sought.is_ok_and(|row| row == 0));
    let said = "SYS-MISSED-ROWS – loss expected rows that exist, found 1\n";
    assert!(faults(&case("liberal")).ends_with(said));
    assert!(!faults(&case("liberal")).contains(said));
}

#[test]
fn rows_of_any_form_are_read() {
    let doc = case("liberal");
    let app = "Application / a";
    let expected = format!(
        "{app} / Thread 80: AIDL::ndk::android.hardware.neuralnetworks.IDevice::getType::client 700+100 [LI PI] [LI PI]
{app} / a: ANeuralNetworksModel_create 100+100 [LR PP] [LR PP]
{app} / averylongthreadname12: ANeuralNetworksModel_finish 300+100 [LR PP] [LR PP]
{app} / with - dash (x): ANeuralNetworksCompilation_create 500+100.123 [LR PC] [LR PC]
"
    );
    assert_eq!(rows(doc.trace(), 5), expected);
    assert!(marks(doc.trace()).lines().all(|line| line.contains(" – ")));
    assert_eq!(Marks::of(doc.trace()).len(), 8);
    assert_eq!(
        faults(&doc),
        "SYS-AOSP-HEADER – note expected a header known to the AOSP parser, found none\n"
    );
}

#[test]
fn other_marks_are_counters_asynchronous_slices_and_instants() {
    let doc = case("marks");
    let process = "Other / Process 55";
    let expected = format!(
        "{process} / worker: vsync @600
{process} / frames: frame 1 200+300 [] []
{process} / frames: missed @700
{process} / load: load 100+300 [] []
{process} / load: load 800+100 [] []
{process} / queue: 0=3
{process} / queue: 300=2
"
    );
    assert_eq!(rows(doc.trace(), 1), expected);
    assert_eq!(unfinished(&doc).len(), 1, "{:?}", unfinished(&doc));
    assert!(unfinished(&doc)[0].ends_with("load: load"), "{:?}", unfinished(&doc));
    let dropped = [("unreadable marks", 1), ("unpaired async begins or ends", 1)];
    assert_eq!(doc.trace().dropped, dropped.map(|(reason, n)| (reason.to_owned(), n)));
    assert!(Marks::of(doc.trace()).is_empty());
}

#[test]
fn damage_is_said_and_walked_around() {
    let doc = case("damaged");
    let thread = "Application / Process 55 / worker";
    let expected = format!(
        "Application / Process 55 / other: idle 700+0 [] []
{thread}: first 100+100 [LR PE] [LR PE]
{thread}: late 200+300 [LR PE] [LR PE]
{thread}: �� 300+0 [] []
{thread}: never ends 600+100 [LR PE] [LR PE]
"
    );
    assert_eq!(rows(doc.trace(), 1), expected);
    let mut open = unfinished(&doc);
    open.sort();
    let expected = ["Application / Process 55 / other: idle".to_owned(), format!("{thread}: never ends")];
    assert_eq!(open, expected);
    assert_eq!(
        faults(&doc),
        "SYS-ORPHAN-END 5 warning end \"E|55\" without a start
SYS-BAD-ROW 7 loss expected an ftrace row, found \"          broken with [NN_LR_PE]\"…
SYS-NOT-TEXT 9 warning invalid UTF-8 text
SYS-BACKWARDS 9 warning \"��\" starts here, but it ends 100000 ns earlier
SYS-LOST 11 loss expected all rows, found 1,200 lost
SYS-BAD-TIME 12 warning expected a time in seconds, found \"99999999999999999999.0\"
SYS-SWITCH 12 warning switch \"B|55|[SW][NN_LR_PE]late\" without an open scope
SYS-OPEN 14 warning \"never ends\" never ends
SYS-OPEN 15 note \"idle\" never ends
SYS-AOSP-STOPS – note expected marks accepted by the AOSP parser, found UnicodeDecodeError: 'utf-8' codec can't decode byte 0xff in position 513: invalid start byte
"
    );
}

#[test]
fn words_before_a_trace_packing_and_line_ends_change_nothing() {
    let told = |name: &str| {
        let doc = case(name);
        assert_eq!(faults(&doc), "", "{name}");
        (rows(doc.trace(), 1), Marks::of(doc.trace()).line.clone(), doc)
    };
    let one = "Application / Process 55 / worker: ANeuralNetworksModel_create 0+100 [LR PP] [LR PP]\n";
    let (shell, lines, _) = told("shell");
    assert_eq!((shell.as_str(), lines.as_slice()), (one, &[7, 8][..]));
    let (packed, lines, doc) = told("packed");
    assert_eq!((packed.as_str(), lines.as_slice()), (one, &[5, 6][..]));
    let marks = Marks::of(doc.trace());
    let bytes = doc.bytes(marks.entry, marks.start[1]..marks.start[1] + u64::from(marks.len[1]));
    let row = " worker-60    (   55) [000] ...1   1.000100: tracing_mark_write: E|55";
    assert_eq!(String::from_utf8_lossy(&bytes), row);
    let (ends, lines, _) = told("line_ends");
    assert_eq!((ends, lines), (one.repeat(2), vec![5, 6, 7, 8]));
}

#[test]
fn rows_of_a_script_end_where_the_string_goes_on() {
    let doc = case("script");
    let expected = r"Other / No process / two words (state): Runnable 300+0 [] []
Other / worker / worker: draw 0+500 [] []
Other / worker / worker: C:\new\ 200+200 [] []
Other / worker / queue: 100=3
Other / worker / queue: 600=4
Kernel events / worker: sched_wakeup @300
";
    assert_eq!(rows(doc.trace(), 50), expected);
    let span = Span::new(50_000_000_000, 50_000_600_000);
    assert_eq!((doc.trace().span, doc.trace().dropped.len()), (Some(span), 0));
}

#[test]
fn every_event_of_the_kernel_is_shown_with_its_arguments() {
    let mut doc = case("kernel");
    let expected = "Other / No process / kworker/1:1 (state): Runnable 200+300 [] []
Other / No process / two words (state): Running 200+300 [CPU 1] []
Other / No process / two words (state): Sleeping 500+0 [] []
CPU / CPU 1: two words 200+300 [] []
Kernel events / <idle>: handle_irq @400
Kernel events / kworker/1:1: thermal_limit @100
Kernel events / two words: bprint @300
Kernel events / two words: cpu_frequency @600
";
    assert_eq!(rows(doc.trace(), 7), expected);
    let mut arguments = |name: &str| {
        let tracks = doc.trace().tracks.iter().flat_map(|(track, t)| {
            let slices = (0..).zip(&t.slices.name).map(move |(row, name)| (SliceId { track, row }, *name));
            let instants = (0..).zip(&t.instants.name);
            slices.chain(instants.map(move |(row, name)| (SliceId::of_instant(track, row), *name)))
        });
        let mut tracks = tracks.filter(|(_, n)| doc.trace().strings.get(*n) == name);
        let id = tracks.next().unwrap().0;
        drop(tracks);
        let (answer, _) = doc.query(&TimelineQuery::Slice(id));
        let Some(Reply::Slice(Some(slice))) = answer else { panic!("{answer:?}") };
        let args = slice.args.iter().filter(|(key, _)| !key.bytes().all(|b| b.is_ascii_uppercase()));
        args.map(|(key, value)| format!("{key}: {value}")).collect::<Vec<_>>().join("; ")
    };
    let said = "cpus: 00000000,00000006; load: {24 19}; freq: 1100000";
    assert_eq!(arguments("thermal_limit"), said);
    assert_eq!(arguments("cpu_frequency"), "state: many; cpu_id: 1");
    assert_eq!(arguments("handle_irq"), "");
    assert_eq!(arguments("two words"), "");
}

#[test]
fn pieces_of_any_size_and_any_name_give_the_same() {
    for name in ["page", "liberal", "marks", "damaged", "line_ends", "script", "kernel"] {
        let files = files_of(&fixtures().join("systrace").join(name));
        let whole = said(&open(files.clone(), 1 << 20).0);
        for chunk in [1, 2, 3, 61, 1_000] {
            assert_eq!(said(&open(files.clone(), chunk).0), whole, "{name} in pieces of {chunk}");
        }
    }
}

#[test]
fn long_lines_are_cut_and_all_rows_of_other_threads_are_kept() {
    let row = |n: usize, text: &str| {
        format!(" worker-60 (   55) [000] ...1 1.{n:06}: tracing_mark_write: {text}\n")
    };
    let mut text = String::from("#           TASK-PID    TGID   CPU#  ||||    TIMESTAMP  FUNCTION\n");
    text += &row(0, &format!("B|55|{}", "x".repeat(300_000)));
    text += &row(1, "E|55");
    for n in 0..250_010 {
        text += &row(2 + n, "B|55|f");
        text += &row(2 + n, "E|55");
    }
    text += " nn-61 (   55) [000] ...1 1.900000: tracing_mark_write: B|55|[NN_LR_PE]f\n";
    text += " nn-61 (   55) [000] ...1 1.900001: tracing_mark_write: E|55\n";
    let (doc, is_ready) = open_one("trace.txt", text.into_bytes());
    assert!(is_ready);
    let trace = doc.trace();
    assert_eq!(trace.n_slices(), 1 + 250_010 + 1);
    assert_eq!(Marks::of(trace).len(), 2);
    assert_eq!(trace.dropped, []);
    assert_eq!(faults(&doc), "SYS-LONG 2 warning row length: 262,145 exceeds the limit of 262,144\n");
}

#[test]
fn what_is_no_trace_is_left_alone() {
    for text in ["", "hello - world\n", "[1, 2]", "<html><body>no trace</body></html>", "a-1 b\nc-2 d\n"] {
        assert!(!open_one("trace.txt", text.into()).1, "{text:?} is no trace");
    }
}

/// Calls of functions of the kernel: their exact times where the tracer has the clock of the rows, else those of the rows;
/// one that began before the recording, one that does not end; and as they are drawn.
#[test]
fn calls_of_kernel_functions_are_slices() {
    let exit = |at: &str, name: &str, start: u64, end: u64| {
        format!(
            "{at}: funcgraph_exit:        func={name} calltime={start:#x} rettime={end:#x} overrun=0x0 depth=1"
        )
    };
    let entry = |at: &str, name: &str| format!("{at}: funcgraph_entry:       func={name} depth=0");
    let lines = [
        entry("5.000011", "0xaa"),
        entry("5.000011", "0xbb"),
        exit("5.000012", "0xbb", 5_000_011_200, 5_000_012_100),
        exit("5.000013", "0xaa", 5_000_010_500, 5_000_013_250),
        entry("5.000020", "0xcc"),
        exit("5.000023", "0xcc", 1, 900),
        exit("5.000030", "0xdd", 5_000_001_000, 5_000_030_000),
        entry("5.000031", "0xee"),
        "5.000040: funcgraph_entry:                   |  sys_open() {".to_owned(),
        "5.000041: funcgraph_entry:        0.456 us   |    getname();".to_owned(),
        "5.000044: funcgraph_exit:       + 4.100 us   |  }".to_owned(),
    ];
    let text: String =
        lines.iter().map(|line| format!("              sh-7     [002]     {line}\n")).collect();
    let (doc, _) = open_one("trace.txt", text.into_bytes());
    let expected = "Other / No process / sh: 0xdd 1+29 [] []
Other / No process / sh: 0xaa 10.5+2.75 [] []
Other / No process / sh: 0xbb 11.2+0.9 [] []
Other / No process / sh: 0xcc 20+3 [] []
Other / No process / sh: 0xee 31+13 [] []
Other / No process / sh: sys_open 40+4 [] []
Other / No process / sh: getname 41+0.456 [] []
";
    assert_eq!(rows(doc.trace(), 5), expected);
    assert_eq!(faults(&doc), "SYS-OPEN 8 note \"0xee\" never ends\n");
}
