//! Launches that are told twice, that are none, of long names, and of two files.

use crate::findings::{found, missing, not_here, outcome, overview, planted};
use crate::support::front_door::{open, open_one};
use lanescope::analysis::compare::compare;
use lanescope::analysis::finding::Overview;
use lanescope::document::Document;
use lanescope::model::figure::{Body, Cell, Figure, TableFigure};
use lanescope::wire::figures::{FigureQuery, Reply};

const HEADER: &str = "# tracer: nop
#
#           TASK-PID    TGID   CPU#  ||||    TIMESTAMP  FUNCTION
#              | |        |      |   ||||       |         |
";

/// A file of rows `MILLISECONDS MARK` of the system's server.
fn file(rows: &str) -> String {
    let row = |line: &str| {
        let (millis, mark) = line.trim().split_once(' ').unwrap();
        let millis: u32 = millis.parse().unwrap();
        format!("  system_server-100  (  100) [001] ...1    7.{millis:03}000: tracing_mark_write: {mark}\n")
    };
    HEADER.to_owned() + &rows.lines().map(row).collect::<String>()
}

fn launches(mut doc: Document) -> Figure {
    let ask = FigureQuery::Figure { id: "startup".to_owned(), chosen: Vec::new() };
    let Some(Reply::Figure(shown)) = doc.query(&ask).0 else { panic!() };
    shown.figure
}

fn table(figure: Figure) -> TableFigure {
    let Body::Table(table) = figure.body else { panic!() };
    table
}

fn figure(text: String) -> Figure {
    let (doc, is_ready) = open_one("trace.txt", text.into_bytes());
    assert!(is_ready);
    launches(doc)
}

fn of_one(text: String) -> Vec<Vec<Cell>> {
    table(figure(text)).rows
}

/// Package, kind and duration of each launch.
fn told(rows: &[Vec<Cell>]) -> Vec<(String, String, Option<f64>)> {
    let text = |cell: &Cell| if let Cell::Text(text) = cell { text.clone() } else { panic!("{cell:?}") };
    let number = |cell: &Cell| if let Cell::Number(number) = cell { Some(*number) } else { None };
    rows.iter().map(|row| (text(&row[0]), text(&row[1]), number(&row[3]))).collect()
}

fn row(package: &str, kind: &str, millis: Option<f64>) -> (String, String, Option<f64>) {
    (package.to_owned(), kind.to_owned(), millis)
}

/// A new Android writes the mark of an old one too: from 10 to 110 ms it is one launch. A later one without a mark of the
/// new kind stands by itself.
#[test]
fn a_launch_that_two_marks_tell_stands_once() {
    let rows = of_one(file(
        "10 S|100|launchingActivity#1|0
        12 S|100|launching: com.one|7
        108 F|100|launching: com.one|7
        110 F|100|launchingActivity#1|0
        111 I|100|launchingActivity#1:completed-cold:com.one
        200 S|100|launching: com.one|8
        230 F|100|launching: com.one|8",
    ));
    assert_eq!(told(&rows), [row("com.one", "cold", Some(100.0)), row("com.one", "", Some(30.0))]);
}

/// Two that overlap are told apart by their packages.
#[test]
fn launches_that_overlap_are_two() {
    let rows = of_one(file(
        "10 S|100|launchingActivity#1|0
        11 S|100|launching: com.one|7
        20 S|100|launchingActivity#2|0
        21 S|100|launching: com.two|8
        50 F|100|launching: com.one|7
        51 F|100|launchingActivity#1|0
        51 I|100|launchingActivity#1:completed-hot:com.one
        60 F|100|launching: com.two|8
        60 F|100|launchingActivity#2|0
        61 I|100|launchingActivity#2:completed-warm:com.two",
    ));
    assert_eq!(told(&rows), [row("com.one", "hot", Some(41.0)), row("com.two", "warm", Some(40.0))]);
}

/// What was canceled, failed, came to a process that ran, or never ended has no times; its mark of the old kind says of which
/// application it is.
#[test]
fn what_is_no_launch_has_no_times() {
    let text = file(
        "10 S|100|launchingActivity#1|0
        20 F|100|launchingActivity#1|0
        20 I|100|launchingActivity#1:canceled:com.one
        30 S|100|launchingActivity#2|0
        31 S|100|launching: com.two|7
        39 F|100|launching: com.two|7
        40 F|100|launchingActivity#2|0
        40 I|100|launchingActivity#2:failed
        50 S|100|launchingActivity#3|0
        60 F|100|launchingActivity#3|0
        60 I|100|launchingActivity#3:completed-same-process:com.one
        70 S|100|launchingActivity#4|0
        80 F|100|launchingActivity#4|0
        80 I|100|launchingActivity#4:completed:com.one
        90 S|100|launchingActivity#5|0
        99 B|100|other",
    );
    let figure = figure(text);
    assert!(figure.notes.iter().any(|note| note.to_string().contains("stayed in the same process")));
    let TableFigure { columns, rows, .. } = table(figure);
    let expected = [
        row("com.one", "canceled", None),
        row("com.two", "failed", None),
        row("com.one", "same process", None),
        row("com.one", "", Some(10.0)),
        row("", "end not recorded", None),
    ];
    assert_eq!(told(&rows), expected);
    // The kinds are words for people.
    assert!(columns[1].is_phrase);
}

/// The name of a thread is the last 15 characters of the package: it ran from 206 to 250 ms, the launch ends at 240.
#[test]
fn a_long_package_has_the_states_of_its_thread() {
    let ran = "          <idle>-0   (-----) [000] d..3    7.206000: sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=oid.apps.photos next_pid=300 next_prio=120
 oid.apps.photos-300 (  300) [000] ...1    7.207000: tracing_mark_write: B|300|activityStart
 oid.apps.photos-300 (  300) [000] ...1    7.230000: tracing_mark_write: E|300
";
    let slept = " oid.apps.photos-300 (  300) [000] d..3    7.250000: sched_switch: prev_comm=oid.apps.photos prev_pid=300 prev_prio=120 prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120\n";
    let begin = file("200 S|100|launching: com.google.android.apps.photos|7");
    let end = file("240 F|100|launching: com.google.android.apps.photos|7").replace(HEADER, "");
    let rows = of_one(format!("{begin}{ran}{end}{slept}"));
    assert_eq!(rows[0][3..5], [Cell::Number(40.0), Cell::Number(34.0)]);
}

/// Each file counts its launches from 1.
#[test]
fn a_launch_has_the_package_of_its_own_file() {
    let begun = "10 S|100|launchingActivity#1|0\n30 F|100|launchingActivity#1|0\n";
    let said = |package| file(&format!("{begun}31 I|100|launchingActivity#1:completed-cold:{package}"));
    let files = [("a.txt", said("com.one")), ("b.txt", said("com.two")), ("c.txt", file(begun))];
    let files = files.map(|(name, text)| (name.to_owned(), text.into_bytes()));
    let (doc, is_ready) = open(files.into(), 1 << 16);
    assert!(is_ready);
    let TableFigure { columns, rows, .. } = table(launches(doc));
    let mut found = told(&rows);
    found.sort_by(|a, b| a.0.cmp(&b.0));
    let cold = |package| row(package, "cold", Some(20.0));
    assert_eq!(found, [row("", "result not recorded", None), cold("com.one"), cold("com.two")]);
    // And says which that is, also where nobody knows the package; of one file nobody asks.
    assert_eq!(columns.last().map(|column| column.name.as_str()), Some("File"));
    let file_of = |package: &str| {
        let row = rows.iter().find(|row| row[0] == Cell::Text(package.to_owned()));
        row.and_then(|row| row.last()).map(Cell::plain)
    };
    let files = ["com.one", "com.two", ""].map(file_of);
    assert_eq!(files, ["a.txt", "b.txt", "c.txt"].map(|name| Some(name.to_owned())));
    let one = table(figure(said("com.one")));
    assert!(one.columns.iter().all(|column| column.name != "File"));
}

/// Launches meet by package and kind: the cold one of 100 ms that of 80, not the one that was canceled.
#[test]
fn launches_of_two_files_meet_by_package_and_kind() {
    let launch = |from: u32, n: u32, to: u32, said: &str| {
        let name = format!("launchingActivity#{n}");
        file(&format!("{from} S|100|{name}|0\n{to} F|100|{name}|0\n{to} I|100|{name}:{said}:com.one"))
    };
    let both = launch(10, 1, 20, "canceled") + &launch(100, 2, 200, "completed-cold").replace(HEADER, "");
    let joined = compare(&figure(both), &figure(launch(100, 1, 180, "completed-cold"))).unwrap();
    let rows = table(joined).rows;
    let cold = rows.iter().find(|row| row.contains(&Cell::Text("cold".to_owned()))).unwrap();
    assert!(cold.contains(&Cell::Number(100.0)) && cold.contains(&Cell::Number(80.0)), "{cold:?}");
    assert_eq!(rows.len(), 2);
}

/// Nobody tells when it ended: it lasts to the end of the recording, and that is no time of a launch.
#[test]
fn a_launch_without_an_end_has_no_times() {
    let rows = of_one(file(
        "10 S|100|launching: com.one|7
        60 F|100|launching: com.one|7
        100 S|100|launching: com.two|8
        500 B|100|x
        510 E|100",
    ));
    assert_eq!(told(&rows), [row("com.one", "", Some(50.0)), row("com.two", "end not recorded", None)]);
    // One whose end is the last event ended.
    let rows = of_one(file(
        "10 S|100|launching: com.one|7
        60 F|100|launching: com.one|7",
    ));
    assert_eq!(told(&rows), [row("com.one", "", Some(50.0))]);
}

/// From 0 to 100 ms; the main thread runs from 10 to 60 and from 85 ms on, sleeps from 60 and is woken at 80 ms.
const SCHEDULED: &str = "          <idle>-0     (    0) [000] d..2    6.900000: sched_switch: prev_comm=swapper/0 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=system_server next_pid=100 next_prio=120
   system_server-100   (  100) [000] ...1    7.000000: tracing_mark_write: S|100|launching: com.one|7
          <idle>-0     (    0) [001] d..2    7.010000: sched_switch: prev_comm=swapper/1 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=com.one next_pid=300 next_prio=120
         com.one-300   (  300) [001] ...1    7.011000: tracing_mark_write: B|300|bindApplication
         com.one-300   (  300) [001] ...1    7.050000: tracing_mark_write: E|300
         com.one-300   (  300) [001] d..2    7.060000: sched_switch: prev_comm=com.one prev_pid=300 prev_prio=120 prev_state=S ==> next_comm=swapper/1 next_pid=0 next_prio=120
   system_server-100   (  100) [000] d..2    7.080000: sched_waking: comm=com.one pid=300 prio=120 target_cpu=001
          <idle>-0     (    0) [001] d..2    7.085000: sched_switch: prev_comm=swapper/1 prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=com.one next_pid=300 next_prio=120
   system_server-100   (  100) [000] ...1    7.100000: tracing_mark_write: F|100|launching: com.one|7
         com.one-300   (  300) [001] d..2    7.110000: sched_switch: prev_comm=com.one prev_pid=300 prev_prio=120 prev_state=S ==> next_comm=swapper/1 next_pid=0 next_prio=120
";

#[test]
fn the_overview_tells_of_launches() {
    let of = overview("trace.txt", HEADER.to_owned() + SCHEDULED);
    let launch = planted(&of, "android-launch", 100e6);
    assert_eq!(launch.sentence.to_string(), "Launching com.one takes ⟦100.000 ms⟧.");
    let line = launch.line.to_string();
    let shares = "runs 65.0 %, is runnable 5.0 %, sleeps 20.0 %, sleeps uninterruptibly 0.0 %";
    assert!(
        line.contains(shares) && line.contains("Its longest slices: bindApplication 39.000 ms."),
        "{line}"
    );
    let tiles: Vec<String> = of.tiles.iter().map(|tile| tile.label.to_string()).collect();
    assert_eq!(tiles, ["Longest launch", "Main thread runs", "Length", "Tracks", "Busiest track"]);
    assert_eq!(of.tiles[1].value.to_string(), "65.0 %");
    let titles: Vec<String> = of.parts.iter().map(|part| part.title.to_string()).collect();
    assert_eq!(titles, ["Launches", "Longest on the main thread", "Names with the most time"]);
    // Rules about any trace look too.
    assert!(outcome(&of, "trace-common-gaps").is_some());
    // Without an end there is none; without launches nothing is said.
    let open = SCHEDULED.replace("F|100|launching: com.one|7", "I|100|other");
    missing(&overview("trace.txt", HEADER.to_owned() + &open), "android-launch");
    let none = SCHEDULED.replace("launching: ", "other: ");
    not_here(&overview("trace.txt", HEADER.to_owned() + &none), "android-launch");
}

/// What is said of each launch: subject, sentence and nanoseconds.
fn said(of: &Overview) -> Vec<(String, String, f64)> {
    let all = found(of, "android-launch").into_iter();
    all.map(|one| (one.subject.clone(), one.sentence.to_string(), one.value)).collect()
}

fn takes(subject: &str, sentence: &str, millis: f64) -> (String, String, f64) {
    (subject.to_owned(), sentence.to_owned(), millis * 1e6)
}

/// The longest first, though it is the later one; a further launch of an application is told with its number.
#[test]
fn unequal_launches_are_told_each_with_its_time() {
    let of = overview(
        "trace.txt",
        file(
            "10 S|100|launching: com.one|7
            60 F|100|launching: com.one|7
            100 S|100|launching: com.two|8
            300 F|100|launching: com.two|8
            400 S|100|launching: com.two|9
            420 F|100|launching: com.two|9",
        ),
    );
    let expected = [
        takes("com.two", "Launching com.two takes ⟦200.000 ms⟧.", 200.0),
        takes("com.one", "Launching com.one takes ⟦50.000 ms⟧.", 50.0),
        takes("com.two 2", "Launching com.two (launch 2) takes ⟦20.000 ms⟧.", 20.0),
    ];
    assert_eq!(said(&of), expected);
    for one in found(&of, "android-launch") {
        let line = "Scheduling of its main thread was not recorded: what it waited for is not known.";
        assert_eq!(one.line.to_string(), line);
    }
    let all = found(&of, "android-launch").into_iter();
    let places: Vec<&str> = all.map(|one| one.evidence.address.as_str()).collect();
    assert!(places[0] != places[1] && places[1] != places[2] && places[0] != places[2], "{places:?}");
    assert_eq!(of.tiles[0].comparison.to_string(), "com.two");
}

/// The same application is launched in both files, for 20 and for 30 ms.
#[test]
fn launches_of_two_files_are_told_each_with_its_time() {
    let cold = |end: u32| {
        file(&format!(
            "10 S|100|launchingActivity#1|0\n{end} F|100|launchingActivity#1|0\n{end} I|100|launchingActivity#1:completed-cold:com.one"
        ))
    };
    let files = [("a.txt", cold(30)), ("b.txt", cold(40))];
    let files = files.map(|(name, text)| (name.to_owned(), text.into_bytes()));
    let (mut doc, is_ready) = open(files.into(), 1 << 16);
    assert!(is_ready);
    let of = doc.whole_overview();
    let expected = [
        takes("com.one (cold) 2", "Launching com.one (cold) in b.txt takes ⟦30.000 ms⟧.", 30.0),
        takes("com.one (cold)", "Launching com.one (cold) in a.txt takes ⟦20.000 ms⟧.", 20.0),
    ];
    assert_eq!(said(&of), expected);
    let all = found(&of, "android-launch");
    assert_ne!(all[0].evidence.address, all[1].evidence.address);
    let names = of.parts[0].rows.iter().map(|row| row.name.to_string());
    assert_eq!(names.collect::<Vec<_>>(), ["com.one (cold) in b.txt", "com.one (cold) in a.txt"]);
}
