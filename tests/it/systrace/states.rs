//! States of threads out of rows of text, and launches that are told by them.

use super::rows;
use crate::support::front_door::open_one;
use lanescope::document::Document;
use lanescope::model::figure::{Body, Cell, Target};
use lanescope::wire::figures::{FigureQuery, Reply};
use lanescope::wire::{Answer, Query};

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
    let Answer::Figures(Reply::Figure(shown)) = doc.query(&Query::Figures(ask)).0 else { panic!() };
    let Body::Table(table) = &shown.figure.body else { panic!() };
    let [row] = &table.rows[..] else { panic!("{:?}", table.rows) };
    assert_eq!(row[0], Cell::Text("com.example.camera".to_owned()));
    let Cell::Text(place) = &row[2] else { panic!() };
    assert_eq!(Target::shown(place), "0.000000");
    assert_eq!(row[3..], [7.0, 3.5, 1.5, 1.0, 0.0].map(Cell::Number));
}

/// From Android 13 on the kind of the launch and the package are said apart.
#[test]
fn a_launch_of_a_new_android_has_its_package() {
    let text = LAUNCH.replace("launching: com.example.camera", "launchingActivity#3");
    let said = "  system_server-100  (  100) [001] ...1    7.007100: tracing_mark_write: I|100|launchingActivity#3:completed-cold:com.example.camera\n";
    let mut doc = doc(format!("{DUMP}{HEADER}{text}{said}</script>"));
    let ask = FigureQuery::Figure { id: "startup".to_owned(), chosen: Vec::new() };
    let Answer::Figures(Reply::Figure(shown)) = doc.query(&Query::Figures(ask)).0 else { panic!() };
    let Body::Table(table) = &shown.figure.body else { panic!() };
    let text = |text: &str| Cell::Text(text.to_owned());
    assert_eq!(table.rows[0][..2], [text("com.example.camera"), text("cold")]);
    assert_eq!(table.rows[0][4], Cell::Number(3.5));
}
