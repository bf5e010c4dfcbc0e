//! The main thread of a launch: which one it is, what is said where scheduling is there for a part of the launch, and which
//! launches of two traces meet.

use crate::findings::{found, overview};
use crate::support::front_door::open_one;
use lanescope::analysis::finding::{Change, Finding, Overview, compared};
use lanescope::analysis::told::{part_beside, tile_beside};
use lanescope::base::words::Language;
use lanescope::model::figure::{Body, Cell, TableFigure};
use lanescope::wire::figures::{FigureQuery, Reply};

/// Name and number of a main thread.
type Main = (&'static str, u32);

const CAMERA: &str = "com.example.camera";
/// Two processes whose names end in the same 15 characters.
const OWN: Main = (".example.camera", 5506);
const TWIN: Main = (".example.camera", 7001);

/// Rows by their milliseconds, in the order of time.
#[derive(Default)]
struct Rows(Vec<(u32, String)>);

impl Rows {
    fn mark(&mut self, millis: u32, (comm, tid): Main, mark: &str) {
        self.row(millis, (comm, tid), &format!("tracing_mark_write: {mark}"));
    }

    fn row(&mut self, millis: u32, (comm, tid): Main, text: &str) {
        let (seconds, rest) = (millis / 1000, millis % 1000);
        let row = format!("{comm:>16}-{tid:<5} ({tid:>5}) [001] d..2    {seconds}.{rest:03}000: {text}\n");
        self.0.push((millis, row));
    }

    /// A thread runs, then is in this state.
    fn runs(&mut self, (comm, tid): Main, from: u32, to: u32, state: &str) {
        let switch = |prev: (&str, u32), state: &str, next: (&str, u32)| {
            format!(
                "sched_switch: prev_comm={} prev_pid={} prev_prio=120 prev_state={state} ==> next_comm={} next_pid={} next_prio=120",
                prev.0, prev.1, next.0, next.1
            )
        };
        let idle = ("swapper/1", 0);
        self.row(from, ("<idle>", 0), &switch(idle, "R", (comm, tid)));
        self.row(to, (comm, tid), &switch((comm, tid), state, idle));
    }

    /// Some thread runs for a millisecond: scheduling is recorded.
    fn is_scheduled(&mut self, millis: u32) {
        self.runs(("kworker", 777), millis, millis + 1, "S");
    }

    fn launch(&mut self, package: &str, from: u32, to: u32) {
        self.mark(from, ("server", 100), &format!("S|100|launching: {package}|7"));
        self.mark(to, ("server", 100), &format!("F|100|launching: {package}|7"));
    }

    /// A launch of a new Android.
    fn typed(&mut self, n: u32, kind: &str, (from, to): (u32, u32)) {
        let name = format!("launchingActivity#{n}");
        self.mark(from, ("server", 100), &format!("S|100|{name}|0"));
        self.mark(to, ("server", 100), &format!("I|100|{name}:completed-{kind}:{CAMERA}"));
        self.mark(to, ("server", 100), &format!("F|100|{name}|0"));
    }

    fn text(mut self) -> String {
        self.0.sort_by_key(|row| row.0);
        let head = "# tracer: nop\n#\n#           TASK-PID    TGID   CPU#  ||||    TIMESTAMP  FUNCTION\n";
        head.to_owned() + &self.0.into_iter().map(|row| row.1).collect::<String>()
    }

    fn overview(self) -> Overview {
        overview("trace.txt", self.text())
    }
}

fn line(of: &Overview) -> String {
    found(of, "android-launch")[0].line.to_string()
}

fn labels(of: &Overview) -> Vec<String> {
    of.tiles.iter().map(|tile| tile.label.to_string()).collect()
}

/// Name, value and note of each number of the first launch, in milliseconds.
fn numbers(of: &Overview) -> Vec<(String, f64, String)> {
    let numbers = found(of, "android-launch")[0].evidence.numbers.iter();
    numbers.map(|own| (own.name.to_string(), own.value / 1e6, own.note.to_string())).collect()
}

fn number(name: &str, millis: f64, note: &str) -> (String, f64, String) {
    (name.to_owned(), millis, note.to_owned())
}

/// The table of launches.
fn table(text: String) -> TableFigure {
    let (mut doc, is_ready) = open_one("trace.txt", text.into_bytes());
    assert!(is_ready);
    let ask = FigureQuery::Figure { id: "startup".to_owned(), chosen: Vec::new() };
    let Some(Reply::Figure(shown)) = doc.query(&ask).0 else { panic!() };
    let Body::Table(table) = shown.figure.body else { panic!() };
    table
}

/// Scheduling ends at 180 ms, marks go on to 560: the thread that went to sleep then did not sleep for all the rest.
fn cut() -> Rows {
    let mut rows = Rows::default();
    rows.is_scheduled(50);
    rows.runs(OWN, 150, 180, "S");
    rows.launch(CAMERA, 100, 500);
    for (from, to, name) in [(152, 290, "bindApplication"), (300, 560, "activityStart")] {
        rows.mark(from, OWN, &format!("B|5506|{name}"));
        rows.mark(to, OWN, "E|5506");
    }
    rows
}

#[test]
fn shares_are_of_the_time_before_scheduling_ended() {
    let of = cut().overview();
    let shares = "Its main thread runs 37.5 %, is runnable 0.0 %, sleeps 0.0 %, sleeps uninterruptibly 0.0 % of the 80.000 ms with scheduling (320.000 ms not recorded).";
    assert!(line(&of).starts_with(shares), "{}", line(&of));
    let expected = [
        ("Launch", 400.0, ""),
        ("Running", 30.0, "37.5 %"),
        ("Runnable", 0.0, "0.0 %"),
        ("Sleeping", 0.0, "0.0 %"),
        ("Uninterruptible sleep", 0.0, "0.0 %"),
        ("Before its first state", 50.0, "62.5 %"),
        ("Not recorded", 320.0, "80.0 %"),
    ];
    assert_eq!(numbers(&of), expected.map(|(name, millis, note)| number(name, millis, note)));
    assert_eq!(of.tiles[1].value.to_string(), "37.5 %");
    let launches = &of.parts[0];
    assert_eq!(launches.columns, ["Duration", "Recorded", "Running"]);
    assert_eq!(launches.rows[0].cells, ["400.000 ms", "20.0 %", "37.5 %"]);
    assert!(launches.note.to_string().contains("of the time with scheduling"));
    let table = table(cut().text());
    assert_eq!(table.columns.last().map(|column| column.name.as_str()), Some("Not recorded"));
    assert_eq!(table.rows[0][3..], [400.0, 30.0, 0.0, 0.0, 0.0, 320.0].map(Cell::Number));
    // The same holds for what is said of any trace: from 50 to 180 ms.
    let length = of.tiles.iter().find(|tile| tile.label == "Length").unwrap().comparison.to_string();
    assert!(length.contains("130.0 ms with scheduling"), "{length}");
}

#[test]
fn shares_are_of_the_time_since_scheduling_began() {
    let mut rows = Rows::default();
    rows.is_scheduled(303);
    rows.runs(OWN, 350, 450, "S");
    rows.is_scheduled(600);
    rows.launch(CAMERA, 100, 500);
    rows.mark(152, OWN, "B|5506|bindApplication");
    rows.mark(290, OWN, "E|5506");
    let of = rows.overview();
    let shares = "runs 50.8 %, is runnable 0.0 %, sleeps 25.4 %, sleeps uninterruptibly 0.0 % of the 197.000 ms with scheduling (203.000 ms not recorded)";
    assert!(line(&of).contains(shares), "{}", line(&of));
    let numbers = numbers(&of);
    assert!(numbers.contains(&number("Before its first state", 47.0, "23.9 %")), "{numbers:?}");
    assert!(numbers.contains(&number("Not recorded", 203.0, "50.7 %")), "{numbers:?}");
    // Without any scheduling during the launch nothing is known of it.
    let mut rows = Rows::default();
    rows.runs(OWN, 350, 450, "S");
    rows.launch(CAMERA, 100, 200);
    assert!(line(&rows.overview()).starts_with("Scheduling of its main thread was not recorded"));
}

/// Both run during the launch.
fn twins() -> Rows {
    let mut rows = Rows::default();
    rows.is_scheduled(50);
    rows.runs(OWN, 150, 250, "S");
    rows.launch(CAMERA, 100, 300);
    rows.is_scheduled(600);
    rows
}

#[test]
fn a_cut_name_of_two_main_threads_tells_of_none_unless_something_else_does() {
    let mut both = twins();
    both.runs(TWIN, 120, 290, "S");
    let text = Rows(both.0.clone()).text();
    let of = both.overview();
    let said = "Names of threads are cut to 15 characters, and its name fits 2 main threads: which one is its own is not known.";
    assert_eq!(line(&of), said);
    assert!(!labels(&of).contains(&"Main thread runs".to_owned()), "{:?}", labels(&of));
    assert_eq!(of.parts[0].rows[0].cells[1], "–");
    assert!(table(text).rows[0][4..8].iter().all(|cell| *cell == Cell::Missing));

    // One that sleeps all the time, and one that ends meanwhile, are not launched.
    let mut sleeping = twins();
    sleeping.runs(TWIN, 60, 70, "S");
    assert!(line(&sleeping.overview()).contains("runs 50.0 %"));
    let mut killed = twins();
    killed.runs(TWIN, 120, 290, "X");
    assert!(line(&killed.overview()).contains("runs 50.0 %"));

    // A mark that names the package: the other one's ends as this one does.
    let mut named = twins();
    named.runs(TWIN, 120, 290, "S");
    named.mark(130, TWIN, "B|7001|performCreate:org.com.example.camera.Main");
    named.mark(140, TWIN, "E|7001");
    named.mark(160, OWN, "B|5506|performCreate:com.example.camera.Main");
    named.mark(170, OWN, "E|5506");
    assert!(line(&named.overview()).contains("runs 50.0 %"));
}

/// Code of an application can run in a process of another name.
#[test]
fn a_package_without_a_process_of_its_name_is_said() {
    let mut rows = Rows::default();
    rows.is_scheduled(50);
    rows.runs(("process.gapps", 7002), 150, 250, "S");
    rows.launch("com.google.android.gms", 100, 300);
    rows.is_scheduled(600);
    let said = "No process is called com.google.android.gms: it may run in one of another name, so its main thread is not known.";
    assert_eq!(line(&rows.overview()), said);
}

/// A cold and a warm launch, so long each.
fn cold_and_warm(cold: u32, warm: u32) -> Overview {
    let mut rows = Rows::default();
    rows.is_scheduled(50);
    rows.runs(OWN, 150, 250, "S");
    rows.typed(1, "cold", (100, 100 + cold));
    rows.typed(2, "warm", (1000, 1000 + warm));
    rows.is_scheduled(2_000);
    rows.overview()
}

/// Sentence, what became of it, and the time of the baseline in milliseconds.
fn met(baseline: &[Finding], comparison: &[Finding]) -> Vec<(String, Change, Option<f64>)> {
    let launches = compared(baseline, comparison).into_iter().filter_map(|pair| {
        let new = pair.comparison.filter(|new| new.rule == "android-launch")?;
        let old = pair.baseline.map(|old| old.value / 1e6);
        Some((new.said(Language::En), pair.change, old))
    });
    launches.collect()
}

fn pair(sentence: &str, change: Change, baseline: f64) -> (String, Change, Option<f64>) {
    (sentence.to_owned(), change, Some(baseline))
}

/// The cold launch took longest and now the warm one does: each is held against its own.
#[test]
fn launches_of_two_traces_meet_by_package_and_type() {
    let (old, new) = (cold_and_warm(423, 120), cold_and_warm(200, 300));
    let expected = [
        pair("Launching com.example.camera (warm) takes 300.000 ms.", Change::Grew, 120.0),
        pair("Launching com.example.camera (cold) takes 200.000 ms.", Change::Shrank, 423.0),
    ];
    assert_eq!(met(&old.findings, &new.findings), expected);
    // The longest ones are of two types: both are named, and that is no change.
    let head = |at: usize| tile_beside(&new.tiles[at], Some(&old.tiles[at]), Language::En);
    assert_eq!(head(0), "com.example.camera (warm); in A 423.0 ms, com.example.camera (cold)");
    assert!(head(1).starts_with("com.example.camera (warm); in A "), "{}", head(1));
    let rows = part_beside(&new.parts[0], &old.parts[0], Language::En).unwrap().rows;
    let cells: Vec<_> = rows.iter().map(|row| (row.name.to_string(), row.cells[..2].to_vec())).collect();
    let row = |name: &str, a: &str, b: &str| (name.to_owned(), vec![a.to_owned(), b.to_owned()]);
    let expected = [
        row("com.example.camera (warm)", "120.000 ms", "300.000 ms"),
        row("com.example.camera (cold)", "423.000 ms", "200.000 ms"),
    ];
    assert_eq!(cells, expected);
}

/// So many cold launches, one after the other, each so long.
fn cold(lengths: &[u32]) -> Overview {
    let mut rows = Rows::default();
    for (n, length) in (1..).zip(lengths) {
        rows.typed(n, "cold", (n * 1000, n * 1000 + length));
    }
    rows.overview()
}

/// The second of a type is the second one in both, however long; what has no sentence of its own is named with its time.
#[test]
fn launches_of_one_type_meet_in_the_order_of_time() {
    let (old, new) = (cold(&[100, 300]), cold(&[120, 110]));
    let expected = [
        pair("Launching com.example.camera (cold) takes 120.000 ms.", Change::Grew, 100.0),
        pair("Launching com.example.camera (cold, launch 2) takes 110.000 ms.", Change::Shrank, 300.0),
    ];
    assert_eq!(met(&old.findings, &new.findings), expected);
    let many = cold(&[100, 50, 200, 70, 300]);
    let launches = found(&many, "android-launch");
    let last = launches.last().unwrap().line.to_string();
    let more = "2 more: com.example.camera (cold, launch 4) 70.000 ms, com.example.camera (cold, launch 2) 50.000 ms.";
    assert!(launches.len() == 3 && last.ends_with(more), "{last}");
}

/// The small picture is about the launch, also where its thread sleeps longer than that.
#[test]
fn the_picture_outlines_the_launch() {
    let mut rows = Rows::default();
    rows.runs(OWN, 50, 60, "S");
    rows.runs(OWN, 900, 910, "S");
    rows.launch(CAMERA, 400, 500);
    let of = rows.overview();
    let Some(figure) = &found(&of, "android-launch")[0].evidence.figure else { panic!() };
    let Body::Gantt(gantt) = &figure.body else { panic!() };
    let outlined = gantt.outlined.map(|bar| gantt.bars[bar as usize].name.clone());
    assert_eq!(outlined.as_deref(), Some("launching: com.example.camera"));
}
