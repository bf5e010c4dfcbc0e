//! What is busy in a trace of a scheduler: heads, idle time and statistics say the same, and it is running.

use super::make::{Message, file, new, packet};
use super::system::{bundle, kernel};
use super::{opened, path};
use crate::support::front_door::open;
use crate::support::rows::{page, values, wanted};
use lanescope::analysis::rows::Goal;
use lanescope::analysis::statistics::{By, Of, Options};
use lanescope::base::geometry::Size;
use lanescope::base::time::{Span, Ticks, Window};
use lanescope::document::Document;
use lanescope::model::id::SliceId;
use lanescope::scene::palette::Palette;
use lanescope::views::timeline::messages::{Area, Folding, Frame, Head, Reply, TimelineQuery};
use lanescope::views::timeline::scene::note::tracks_between;

use lanescope::wire::rows::Source;

use std::collections::BTreeMap;

/// When the scheduler's first row is, and when the trace ends.
const FROM: Ticks = 10_000;
const END: Ticks = 20_000;

/// A switch of a processor: when, from which thread in which state, to which.
type Switch = (i64, i64, (i64, i64), i64);

/// Thread 7 runs 600 of 10,000 ticks on two processors, thread 5 runs 2,000, thread 8 ends at once.
const SWITCHES: [Switch; 9] = [
    (0, 10_000, (0, 0), 7),
    (0, 10_500, (7, 1), 5),
    (0, 12_500, (5, 1), 0),
    (1, 10_200, (0, 0), 8),
    (1, 10_220, (8, 16), 0),
    (1, 15_000, (0, 0), 7),
    (1, 15_100, (7, 2), 0),
    (2, 11_000, (0, 0), 0),
    // The scheduler was recorded to the end.
    (2, END, (0, 0), 0),
];

fn switch((cpu, time, (prev, state), next): Switch) -> (i64, Message) {
    let body = new().int(2, prev).int(4, state).text(5, &format!("t{next}")).int(6, next).int(7, 100 + next);
    (cpu, kernel(time, prev, 4, body))
}

/// A process with three threads; scopes begin 10,000 ticks before the scheduler does.
fn packets() -> Vec<Message> {
    let process = new().int(1, 5).int(2, 1).text(3, "app");
    let thread = |tid: i64, name: &str| new().int(1, tid).text(2, name).int(3, 5);
    let tree = new().with(1, process).with(2, thread(5, "main")).with(2, thread(7, "worker"));
    let mark = |time: i64, text: &str| kernel(time, 7, 3, new().text(2, text));
    let mut packets = vec![
        packet(1, 0, 2, tree.with(2, thread(8, "short"))),
        bundle(3, vec![mark(0, "B|5|work"), mark(END, "E|5")]),
    ];
    packets.extend(switches(&SWITCHES));
    packets
}

fn switches(all: &[Switch]) -> Vec<Message> {
    all.iter().map(|one| switch(*one)).map(|(cpu, event)| bundle(cpu, vec![event])).collect()
}

fn trace() -> Document {
    opened(&packets())
}

/// Ticks of each thread in each state from the rows of its switches, one after the other.
fn naive(of: Of) -> BTreeMap<(String, String), Ticks> {
    let names = BTreeMap::from([(5, "main"), (7, "worker"), (8, "short")]);
    let mut sums = BTreeMap::new();
    for (tid, name) in names {
        let mut rows: Vec<(i64, String)> = Vec::new();
        for (cpu, time, (prev, state), next) in SWITCHES {
            if prev == tid {
                let state =
                    BTreeMap::from([(1, "Sleeping"), (2, "Uninterruptible sleep"), (16, "Dead")])[&state];
                rows.push((time, state.to_owned()));
            }
            if next == tid {
                rows.push((time, if of == Of::States { "Running".to_owned() } else { format!("CPU {cpu}") }));
            }
        }
        rows.sort();
        let ends = rows.iter().skip(1).map(|row| row.0).chain([END]);
        for ((time, state), end) in rows.iter().zip(ends) {
            *sums.entry((name.to_owned(), state.clone())).or_insert(0) += end - time;
        }
    }
    sums
}

fn heads(doc: &mut Document, window: Span) -> BTreeMap<String, String> {
    let frame =
        Frame { window: Some(Window::of(window)), ratio: 1.0, folding: Folding::Open, ..Frame::default() };
    let (_, note) = doc.draw(&frame, Size { w: 900.0, h: 2_000.0 }, &Palette::default());
    let Some(note) = note else { panic!("{note:?}") };
    note.heads.iter().map(|head| (path(doc, head.track), head.value.clone())).collect()
}

#[test]
fn busy_is_running_in_what_was_recorded_and_groups_say_what_they_tell() {
    let mut doc = trace();
    let found = heads(&mut doc, Span::new(0, END));
    let expected = [
        // Scopes last all the time, whoever runs.
        ("app / worker", "100.0 %"),
        ("app / worker (state)", "6.0 %"),
        ("app / main (state)", "20.0 %"),
        ("app / short (state)", "0.2 %"),
        ("app", "max 20.0 %"),
        ("CPU / CPU 0", "25.0 %"),
        ("CPU / CPU 1", "1.2 %"),
        ("CPU", "mean 13.1 %"),
    ];
    for (path, value) in expected {
        assert_eq!(found.get(path).map(String::as_str), Some(value), "{path}: {found:#?}");
    }
    // Before the scheduler began nothing is known of it.
    let found = heads(&mut doc, Span::new(0, FROM));
    assert_eq!(found["app / worker"], "100.0 %");
    assert_eq!((found["app / worker (state)"].as_str(), found["CPU"].as_str()), ("", ""));
}

#[test]
fn idle_time_counts_what_was_recorded_and_running_alone_as_work() {
    let mut doc = trace();
    let area = Area { span: Span::new(0, END), tracks: Vec::new() };
    let rows = values(&mut doc, Source::Idle { area, waits: false }, Some((0, false)), "");
    // Track; idle and busy.
    let rows: BTreeMap<String, (String, String)> =
        rows.into_iter().map(|row| (row[0].clone(), (row[5].clone(), row[6].clone()))).collect();
    let expected = [
        ("worker (state)", 9_400, 600),
        ("main (state)", 8_000, 2_000),
        ("short (state)", 9_980, 20),
        ("CPU 0", 7_500, 2_500),
    ];
    for (track, idle, busy) in expected {
        assert_eq!(rows[track], (idle.to_string(), busy.to_string()), "{track}");
    }
}

/// Name and total of each row of statistics, in nanoseconds.
fn sums(doc: &mut Document, options: Options) -> BTreeMap<String, f64> {
    let reply = page(doc, Source::Statistics(options), wanted(None, ""));
    let total = reply.page.columns.iter().position(|column| column.title == "Total").unwrap();
    // What is short has a unit of its own.
    let number = |text: &str| {
        let (number, unit) = text.split_once(' ').unwrap_or((text, &reply.page.columns[total].unit));
        let nanos =
            [("ns", 1.0), ("µs", 1e3), ("ms", 1e6)].into_iter().find(|(name, _)| *name == unit).unwrap().1;
        number.replace(',', "").parse::<f64>().unwrap() * nanos
    };
    let row = |row: &Vec<lanescope::scene::table::Cell>| {
        let text = if row[total].full.is_empty() { &row[total].text } else { &row[total].full };
        (row[0].text.clone(), number(text).round())
    };
    reply.page.rows.iter().map(row).collect()
}

#[test]
fn scopes_states_and_processors_never_add_up_together_and_scopes_come_first() {
    let mut doc = trace();
    assert_eq!(sums(&mut doc, Options::default()), BTreeMap::from([("work".to_owned(), 20_000.0)]));
    let of = |of| Options { of: Some(of), ..Options::default() };
    let mut states: BTreeMap<String, f64> = BTreeMap::new();
    for ((_, state), ticks) in naive(Of::States) {
        *states.entry(state).or_default() += ticks as f64;
    }
    assert_eq!(sums(&mut doc, of(Of::States)), states);
    let ran = BTreeMap::from([("t7", 600.0), ("t5", 2_000.0), ("t8", 20.0)]);
    let ran = ran.into_iter().map(|(name, ticks)| (name.to_owned(), ticks)).collect::<BTreeMap<_, _>>();
    let found = sums(&mut doc, of(Of::Processors));
    assert_eq!(found.values().sum::<f64>(), ran.values().sum::<f64>(), "{found:?}");
    // A group without scopes has what it has.
    let cpu = doc.trace().tracks.iter().find(|(id, _)| path(&doc, *id) == "CPU").unwrap().0;
    assert_eq!(sums(&mut doc, Options { tracks: vec![cpu], ..Options::default() }), found);
    let by_track = sums(&mut doc, Options { by: By::Track, ..of(Of::States) });
    assert_eq!(by_track.len(), 3);
}

#[test]
fn threads_are_listed_by_their_states_running_first() {
    let mut doc = trace();
    let source = Source::Threads(Options::default());
    let reply = page(&mut doc, source.clone(), wanted(None, ""));
    // Where not all have room, what threads do no more gives way first.
    let gives_way: Vec<u8> = reply.page.columns.iter().map(|column| column.gives_way).collect();
    assert_eq!(gives_way[3..], [0, 0, 2, 3]);
    let titles: Vec<&str> = reply.page.columns.iter().map(|column| column.title.as_str()).collect();
    let states = ["Running", "Sleeping", "Dead", "Uninterruptible sleep"];
    assert_eq!(titles, [&["Thread", "Process", "% running"][..], &states[..]].concat());
    assert!(matches!(reply.goals[0][0], Some(Goal::Track(_))));
    let expected = naive(Of::States);
    let rows = values(&mut doc, source, None, "");
    let order: Vec<&str> = rows.iter().map(|row| row[0].as_str()).collect();
    assert_eq!(order, ["main 5", "worker 7", "short 8"]);
    for row in &rows {
        let thread = row[0].split(' ').next().unwrap().to_owned();
        for (at, state) in states.iter().enumerate() {
            let ticks = expected.get(&(thread.clone(), (*state).to_owned())).copied().unwrap_or(0);
            assert_eq!(row[3 + at], ticks.to_string(), "{thread} {state}");
        }
        let running = expected[&(thread, "Running".to_owned())] as f64 / (END - FROM) as f64;
        assert!((row[2].parse::<f64>().unwrap() - running).abs() < 1e-9, "{row:?}");
    }
    // A stretch of time cuts them.
    let part = Options { span: Some(Span::new(12_000, 13_000)), ..Options::default() };
    let rows = values(&mut doc, Source::Threads(part), None, "main");
    assert_eq!((rows[0][2].as_str(), rows[0][3].as_str(), rows[0][4].as_str()), ("0.5", "500", "500"));
}

/// The other file has a scheduler from 0 to 1,000, the half of which its thread runs.
#[test]
fn files_opened_together_have_schedulers_with_times_of_their_own() {
    let tree = new()
        .with(1, new().int(1, 9).int(2, 1).text(3, "other"))
        .with(2, new().int(1, 9).text(2, "alone").int(3, 9));
    let mut other = vec![packet(1, 0, 2, tree)];
    other.extend(switches(&[(0, 0, (0, 0), 9), (0, 500, (9, 1), 0), (0, 1_000, (0, 0), 9)]));
    let files = [("a.pftrace", packets()), ("b.pftrace", other)];
    let files = files.map(|(name, packets)| (name.to_owned(), file(&packets)));
    let (mut doc, is_ready) = open(files.to_vec(), 1 << 16);
    assert!(is_ready);
    let rows = values(&mut doc, Source::Threads(Options::default()), None, "");
    let shares: BTreeMap<&str, f64> =
        rows.iter().map(|row| (row[0].as_str(), row[2].parse().unwrap())).collect();
    let expected = [("alone 9", 0.5), ("main 5", 0.2), ("worker 7", 0.06)];
    for (thread, share) in expected {
        assert!((shares[thread] - share).abs() < 1e-9, "{thread}: {shares:?}");
    }
    let found = heads(&mut doc, Span::new(0, END));
    let of =
        |name: &str| found.iter().find(|(path, _)| path.ends_with(name)).map(|(_, value)| value.as_str());
    assert_eq!((of("alone (state)"), of("main (state)")), (Some("50.0 %"), Some("20.0 %")), "{found:#?}");
}

#[test]
fn a_drag_over_rows_of_an_open_group_means_these_rows() {
    let mut doc = trace();
    let frame = Frame { ratio: 1.0, folding: Folding::Open, ..Frame::default() };
    let (_, note) = doc.draw(&frame, Size { w: 900.0, h: 2_000.0 }, &Palette::default());
    let Some(note) = note else { panic!("{note:?}") };
    let of = |name: &str| note.heads.iter().find(|head| path(&doc, head.track) == name).unwrap();
    let (group, first, second) = (of("app"), of("app / main (state)"), of("app / worker"));
    assert!(group.is_open, "{group:?}");
    // From the head of the group to the middle of the first row.
    assert_eq!(tracks_between(&note.heads, group.y + 2.0, first.y + 2.0), [first.track]);
    let (top, bottom) = (first.y.min(second.y), first.y.max(second.y));
    let both = tracks_between(&note.heads, top + 2.0, bottom + 2.0);
    assert!(both.contains(&first.track) && both.contains(&second.track), "{both:?}");
    assert_eq!(tracks_between(&note.heads, group.y + 2.0, group.y + 4.0), [group.track]);
    // Rows that share one are all meant.
    let shared = Head { others: vec![second.track], ..first.clone() };
    let mut all = vec![first.track, second.track];
    all.sort_unstable();
    assert_eq!(tracks_between(&[shared], first.y, first.y + 1.0), all);
}

/// Thread 7 runs on the first processor from 10,000 to 10,500, then sleeps; it leads to that state.
#[test]
fn slices_of_a_processor_say_thread_process_priority_and_end_state() {
    let mut doc = trace();
    let track = doc.trace().tracks.iter().find(|(id, _)| path(&doc, *id) == "CPU / CPU 0").unwrap().0;
    let id = SliceId { track, row: 0 };
    let (answer, _) = doc.query(&TimelineQuery::Slice(id));
    let Some(Reply::Slice(Some(slice))) = answer else { panic!("{answer:?}") };
    let fact =
        |label: &str| slice.facts.iter().find(|(name, _)| name == label).map(|(_, value)| value.as_str());
    assert_eq!(fact("Track"), Some("CPU / CPU 0"));
    assert_eq!(fact("Thread"), Some("t7 7"));
    assert!(fact("Process").is_some_and(|process| process.starts_with("app")), "{:?}", slice.facts);
    assert_eq!((fact("End state"), fact("Priority")), (Some("Sleeping"), Some("107")));
    // Bytes of protobuf are no text.
    assert_eq!(slice.raw, "");
    let [link] = &slice.linked[..] else { panic!("{:?}", slice.linked) };
    assert_eq!(
        (link.head.name.as_str(), path(&doc, link.head.id.track)),
        ("Running", "app / worker (state)".to_owned())
    );
}
