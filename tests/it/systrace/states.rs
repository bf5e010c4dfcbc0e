//! States of threads out of rows of text, and launches that are told by them.

use super::rows;
use crate::support::front_door::open_one;
use crate::support::rows::{page, values, wanted};
use lanescope::analysis::statistics::{Of, Options};
use lanescope::base::geometry::Size;
use lanescope::document::Document;
use lanescope::model::figure::{Body, Cell, Target};
use lanescope::model::id::SliceId;
use lanescope::scene::palette::Palette;
use lanescope::views::timeline::messages::{self as timeline, Folding, Frame, TimelineQuery};

use lanescope::wire::figures::{FigureQuery, Reply};
use lanescope::wire::rows::Source;

use std::collections::BTreeSet;

const DUMP: &str = "<script class=\"trace-data\" type=\"application/text\">
PROCESS DUMP
USER           PID  PPID     VSZ    RSS WCHAN  PC S NAME                        COMM
app            500     1   18956   2244 SyS_epoll_wait 5327b0 S com.example.camera  example.camera
  </script>
  <script class=\"trace-data\" type=\"application/text\">
";

const HEADER: &str = "# tracer: nop
#
#           TASK-PID    TGID   CPU#  ||||    TIMESTAMP  FUNCTION
#              | |        |      |   ||||       |         |
";

/// A launch of 7 ms: the main thread runs 2 + 0.5 + 1, sleeps 1, waits for a processor 0.5 and 1 after it was preempted.
const LAUNCH: &str = "
  system_server-100  (  100) [001] ...1    7.000000: tracing_mark_write: S|100|launching: com.example.camera|1
          <idle>-0   (-----) [000] d..3    7.001000: sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=example.camera next_pid=500 next_prio=120
  example.camera-500 (  500) [000] d..3    7.003000: sched_switch: prev_comm=example.camera prev_pid=500 prev_prio=120 prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120
          <idle>-0   (-----) [000] d..4    7.004000: sched_waking: comm=example.camera pid=500 prio=120 target_cpu=000
          <idle>-0   (-----) [000] d..3    7.004500: sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=example.camera next_pid=500 next_prio=120
  example.camera-500 (  500) [000] d..3    7.005000: sched_switch: prev_comm=example.camera prev_pid=500 prev_prio=120 prev_state=R+ ==> next_comm=two words next_pid=600 next_prio=100
       two words-600 (-----) [000] d..3    7.006000: sched_switch: prev_comm=two words prev_pid=600 prev_prio=100 prev_state=D ==> next_comm=example.camera next_pid=500 next_prio=120
  system_server-100  (  100) [001] ...1    7.007000: tracing_mark_write: F|100|launching: com.example.camera|1
  example.camera-500 (  500) [000] d..3    7.009000: sched_switch: prev_comm=example.camera prev_pid=500 prev_prio=120 prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120
";

fn doc(text: String) -> Document {
    let (doc, is_ready) = open_one("trace.html", text.into_bytes());
    assert!(is_ready);
    doc
}

#[test]
fn rows_of_text_say_the_states_of_threads() {
    let doc = doc(format!("{DUMP}{HEADER}{LAUNCH}</script>"));
    let all = rows(doc.trace(), 7);
    let states: Vec<&str> = all.lines().filter(|line| line.contains(" (state): ")).collect();
    let of = "Other / com.example.camera / example.camera (state)";
    let other = "Other / No process / two words (state)";
    let mut expected = vec![
        format!("{of}: Running 1000+2000 [CPU 0] []"),
        format!("{of}: Sleeping 3000+1000 [] []"),
        format!("{of}: Runnable 4000+500 [] []"),
        format!("{of}: Running 4500+500 [CPU 0] []"),
        format!("{of}: Runnable (preempted) 5000+1000 [] []"),
        format!("{of}: Running 6000+3000 [CPU 0] []"),
        format!("{of}: Sleeping 9000+0 [] []"),
        format!("{other}: Running 5000+1000 [CPU 0] []"),
        format!("{other}: Uninterruptible sleep 6000+3000 [] []"),
    ];
    let mut states: Vec<String> = states.into_iter().map(str::to_owned).collect();
    states.sort();
    expected.sort();
    assert_eq!(states, expected);
}

/// In a trace with marks of NNAPI only its threads have states: the others are not what it is looked at for.
#[test]
fn beside_marks_of_nnapi_only_their_threads_have_states() {
    let mark = "  example.camera-500 (  500) [000] ...1    7.000500: tracing_mark_write: B|500|[NN_LR_PC]f\n";
    let doc = doc(format!("{HEADER}{mark}{LAUNCH}"));
    let all = rows(doc.trace(), 7);
    assert!(all.contains("example.camera (state): Running") && !all.contains("two words (state)"), "{all}");
}

#[test]
fn a_launch_tells_what_its_main_thread_did() {
    let mut doc = doc(format!("{DUMP}{HEADER}{LAUNCH}</script>"));
    let ask = FigureQuery::Figure { id: "startup".to_owned(), chosen: Vec::new() };
    let Some(Reply::Figure(shown)) = doc.query(&ask).0 else { panic!() };
    let Body::Table(table) = &shown.figure.body else { panic!() };
    let [row] = &table.rows[..] else { panic!("{:?}", table.rows) };
    assert_eq!(row[0], Cell::Text("com.example.camera".to_owned()));
    let Cell::Text(place) = &row[2] else { panic!() };
    assert_eq!(Target::shown(place), "0.000000");
    // Scheduling begins 1 ms after the launch.
    assert_eq!(row[3..], [7.0, 3.5, 1.5, 1.0, 0.0, 1.0].map(Cell::Number));
}

/// From Android 13 on the kind of the launch and the package are said apart.
#[test]
fn a_launch_of_a_new_android_has_its_package() {
    let text = LAUNCH.replace("launching: com.example.camera", "launchingActivity#3");
    let said = "  system_server-100  (  100) [001] ...1    7.007100: tracing_mark_write: I|100|launchingActivity#3:completed-cold:com.example.camera\n";
    let mut doc = doc(format!("{DUMP}{HEADER}{text}{said}</script>"));
    let ask = FigureQuery::Figure { id: "startup".to_owned(), chosen: Vec::new() };
    let Some(Reply::Figure(shown)) = doc.query(&ask).0 else { panic!() };
    let Body::Table(table) = &shown.figure.body else { panic!() };
    let text = |text: &str| Cell::Text(text.to_owned());
    assert_eq!(table.rows[0][..2], [text("com.example.camera"), text("cold")]);
    assert_eq!(table.rows[0][4], Cell::Number(3.5));
}

/// What Statistics add up, by name.
fn names(doc: &mut Document, of: Option<Of>) -> BTreeSet<String> {
    let source = Source::Statistics(Options { of, ..Options::default() });
    values(doc, source, None, "").into_iter().map(|row| row[0].clone()).collect()
}

/// The scheduler's rows reach from 7.001 to 7.009 s; the main thread runs 2 + 0.5 + 3 of these 8 ms, the other one 1.
#[test]
fn scopes_states_and_processors_of_text_are_apart_and_busy_is_running() {
    let mut doc = doc(format!("{DUMP}{HEADER}{LAUNCH}</script>"));
    let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>();
    assert_eq!(names(&mut doc, None), set(&["launching: com.example.camera"]));
    let states = ["Running", "Runnable", "Runnable (preempted)", "Sleeping", "Uninterruptible sleep"];
    assert_eq!(names(&mut doc, Some(Of::States)), set(&states));
    assert_eq!(names(&mut doc, Some(Of::Processors)), set(&["example.camera", "two words"]));
    let rows = values(&mut doc, Source::Threads(Options::default()), None, "");
    let said: Vec<[&str; 3]> =
        rows.iter().map(|row| [row[0].as_str(), row[2].as_str(), row[3].as_str()]).collect();
    let expected = [["example.camera 500", "0.6875", "5500000"], ["two words 600", "0.125", "1000000"]];
    assert_eq!(said, expected);
    // Where not all have room, states that take least give way: names can be read.
    let columns = page(&mut doc, Source::Threads(Options::default()), wanted(None, "")).page.columns;
    let gives_way: Vec<u8> = columns.iter().map(|column| column.gives_way).collect();
    assert_eq!(gives_way, [0, 0, 0, 0, 0, 5, 0, 0]);
    let frame = Frame { ratio: 1.0, folding: Folding::Open, ..Frame::default() };
    let (_, note) = doc.draw(&frame, Size { w: 900.0, h: 2_000.0 }, &Palette::default());
    let Some(note) = note else { panic!("{note:?}") };
    let path = "Other / com.example.camera";
    let head = note.heads.iter().find(|head| doc.trace().track_path(head.track) == path).unwrap();
    assert_eq!(head.value, "max 68.8 %");
}

/// What a slice of the first processor says of its thread, and the track that it leads to.
fn ran(doc: &mut Document, row: u32) -> (Vec<String>, Vec<String>) {
    let track = doc.trace().tracks.iter().find(|(id, _)| doc.trace().track_path(*id) == "CPU / CPU 0");
    let id = SliceId { track: track.unwrap().0, row };
    let (answer, _) = doc.query(&TimelineQuery::Slice(id));
    let Some(timeline::Reply::Slice(Some(slice))) = answer else { panic!("{answer:?}") };
    let labels = ["Track", "Thread", "Process", "End state", "Priority"];
    let facts = slice.facts.iter().filter(|(label, _)| labels.contains(&label.as_str()));
    let facts = facts.map(|(label, value)| format!("{label}: {value}")).collect();
    (facts, slice.linked.iter().map(|link| link.head.track.clone()).collect())
}

#[test]
fn slices_of_a_processor_say_thread_process_priority_and_end_state() {
    let mut launch = doc(format!("{DUMP}{HEADER}{LAUNCH}</script>"));
    let of = |(thread, process): (&str, &str), state: &str, priority: &str| {
        let facts = [("Thread", thread), ("Process", process), ("End state", state), ("Priority", priority)];
        let facts = facts.into_iter().map(|(label, value)| format!("{label}: {value}"));
        std::iter::once("Track: CPU / CPU 0".to_owned()).chain(facts).collect::<Vec<_>>()
    };
    let camera = ("example.camera 500", "com.example.camera 500");
    let states = |name: &str| vec![format!("{name} (state)")];
    let expected = (of(camera, "Sleeping", "120"), states("example.camera"));
    assert_eq!(ran(&mut launch, 0), expected);
    assert_eq!(ran(&mut launch, 1).0, of(camera, "Runnable (preempted)", "120"));
    let other = of(("two words 600", "No process"), "Uninterruptible sleep", "100");
    assert_eq!(ran(&mut launch, 2), (other, states("two words")));
    assert_eq!(ran(&mut launch, 3), expected);
    // As trace-cmd writes them.
    let rows = "
          <idle>-0     [000]     7.001000: sched_switch: swapper/0:0 [120] R ==> sh:3 [98]
              sh-3     [000]     7.002000: sched_switch: sh:3 [98] D ==> swapper/0:0 [120]
";
    let mut report = doc(format!("{HEADER}{rows}"));
    let shell = of(("sh 3", "No process"), "Uninterruptible sleep", "98");
    assert_eq!(ran(&mut report, 0), (shell, states("sh")));
}
