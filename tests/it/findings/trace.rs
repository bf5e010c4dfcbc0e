//! Rules about any trace.

mod compile;

use super::{found, not_here, outcome, overview, planted, silent};
use crate::support::front_door::open;
use lanescope::analysis::finding::{Outcome, Overview, SavingKind, Severity};
use std::fmt::Write;

/// Slices of one process: thread, name, start and length in µs.
fn trace(slices: &[(u32, &str, u64, u64)]) -> Overview {
    let mut text =
        String::from(r#"{"traceEvents":[{"ph":"M","pid":1,"name":"process_name","args":{"name":"p"}}"#);
    for (tid, name, ts, dur) in slices {
        write!(text, r#",{{"ph":"X","pid":1,"tid":{tid},"name":"{name}","ts":{ts},"dur":{dur}}}"#).unwrap();
    }
    text.push_str("]}");
    overview("trace.json", text)
}

#[test]
fn gaps_that_all_tracks_have_are_found() {
    // 0 to 400 and 700 to 1,000 µs with two tracks that overlap; 300 µs with none, though each track alone has more.
    let with = trace(&[(1, "a", 0, 300), (2, "b", 200, 200), (1, "a", 700, 100), (2, "b", 750, 250)]);
    let gap = planted(&with, "trace-common-gaps", 300e3);
    assert_eq!((gap.saving.kind, gap.saving.value), (SavingKind::Bound, 300e3));
    assert!((gap.saving.share - 0.3).abs() < 1e-9);
    assert!(gap.evidence.address.contains("range=400000,700000"), "{}", gap.evidence.address);
    assert!(gap.line.to_string().contains("ends with a on p / "), "{}", gap.line);
    assert_eq!(with.tiles.len(), 5);

    let without = trace(&[(1, "a", 0, 600), (2, "b", 500, 500)]);
    silent(&without, "trace-common-gaps");

    let counters = r#"{"traceEvents":[{"ph":"C","pid":1,"name":"c","ts":1,"args":{"v":2}},{"ph":"C","pid":1,"name":"c","ts":9,"args":{"v":3}}]}"#;
    not_here(&overview("trace.json", counters), "trace-common-gaps");
}

/// Two times 24 slices of 100 µs with as much between them, 1,000 s apart: that time is in no number.
#[test]
fn the_time_between_two_recordings_is_no_gap() {
    let one = |tid: u32, from: u64| (0..24).map(move |n| (tid, "a", from + n * 200, 100));
    let of = trace(&one(1, 0).chain(one(2, 1_000_000_000)).collect::<Vec<_>>());
    let gaps = planted(&of, "trace-common-gaps", 4.6e6);
    assert!((gaps.saving.share - 4.6 / 9.4).abs() < 1e-9, "{:?}", gaps.saving);
    let line = gaps.line.to_string();
    assert!(line.starts_with("46 gaps; the longest takes 100.000 µs"), "{line}");
    assert!(line.ends_with(" 999.995 s without any event are left out."), "{line}");
    let tile = of.tiles.iter().find(|tile| tile.label == "Length").unwrap();
    assert_eq!(tile.value.to_string(), "9.400 ms");
    assert_eq!(tile.comparison.to_string(), "without 1,000.0 s that have no event; active 51.1 % of it");
    // Each track is there all the time of its own recording.
    silent(&of, "trace-cut-by-recording");
    // Of a few events nobody knows: the pause may be what happened.
    let few = trace(&[(1, "a", 0, 100), (1, "a", 200, 100), (1, "a", 1_000_000_000, 100)]);
    let tile = few.tiles.iter().find(|tile| tile.label == "Length").unwrap();
    assert_eq!(tile.value.to_string(), "1,000 s");
}

#[test]
fn what_the_recording_cut_is_found() {
    let rule = "trace-cut-by-recording";
    // One track is busy all the time, the other ends after a third of it.
    let slices = |n: u64| {
        let other = (0..n).map(|at| (2, "b", at * 100, 60));
        (0..90).map(|at| (1, "a", at * 100, 60)).chain(other).collect::<Vec<_>>()
    };
    // A third one has too few stretches to be checked.
    let partly = trace(&[slices(30), vec![(3, "c", 0, 10)]].concat());
    let cut = planted(&partly, rule, 1.0);
    assert_eq!(cut.subject, "partly");
    assert!(cut.sentence.to_string().starts_with("⟦1 of 2 tracks⟧ that can be checked"), "{}", cut.sentence);
    let all = cut.evidence.numbers.iter().find(|number| number.name == "All tracks").unwrap();
    assert_eq!(all.value.to_bits(), 3.0_f64.to_bits());
    assert!(cut.line.to_string().contains(" ends 6.000 ms before the last event"), "{}", cut.line);
    silent(&trace(&slices(88)), rule);
    // A slice that begins and does not end.
    let open = overview(
        "trace.json",
        r#"{"traceEvents":[{"ph":"B","pid":1,"tid":1,"name":"a","ts":1},{"ph":"X","pid":1,"tid":2,"name":"b","ts":1,"dur":9}]}"#,
    );
    let cut = planted(&open, rule, 1.0);
    assert_eq!(cut.subject, "open");
    assert!(cut.line.to_string().contains("never ends"), "{}", cut.line);
    let text = "# tracer: nop\n#\n            a-7     (    7) [000] ...1   100.000001: tracing_mark_write: B|7|a\n\
                CPU:0 [LOST 120 EVENTS]\n            a-7     (    7) [000] ...1   100.000900: tracing_mark_write: E|7\n";
    let lost = overview("trace.txt", text);
    let cut = planted(&lost, rule, 1.0);
    assert_eq!(cut.subject, "lost");
    assert_eq!(cut.sentence.to_string(), "The file reports lost events at ⟦1 place⟧.");
    not_here(
        &overview("trace.json", r#"{"traceEvents":[{"ph":"C","pid":1,"name":"c","ts":1,"args":{"v":2}}]}"#),
        rule,
    );
}

/// Of recordings that follow each other, or that are only laid beside each other, each track is held against its own.
#[test]
fn recordings_that_have_nothing_to_do_with_each_other_cut_nothing() {
    let rule = "trace-cut-by-recording";
    let file = |name: &str, at: u64, tracks: &[u64]| {
        let busy = |(tid, n): (usize, &u64)| {
            let slice = move |k: u64| {
                let ts = at + k * 100;
                format!(r#"{{"ph":"X","pid":1,"tid":{tid},"name":"a","ts":{ts},"dur":60}}"#)
            };
            (0..*n).map(slice).collect::<Vec<_>>()
        };
        let events: Vec<String> = tracks.iter().enumerate().flat_map(busy).collect();
        (format!("{name}.json"), format!("[{}]", events.join(",")).into_bytes())
    };
    let of = |later: u64, [one, other]: [&[u64]; 2]| {
        let (mut doc, is_ready) = open(vec![file("one", 0, one), file("other", later, other)], 1 << 16);
        assert!(is_ready);
        doc.whole_overview()
    };
    // 9 and 3 ms: 1 ms, a day and two weeks between them.
    for later in [10_000, 86_400_000_000, 1_209_600_000_000] {
        silent(&of(later, [&[90, 90], &[30, 30]]), rule);
        let cut = of(later, [&[90, 30], &[40, 40]]);
        let cut = planted(&cut, rule, 1.0);
        let said = cut.sentence.to_string();
        let expected = "⟦1 of 4 tracks⟧ that can be checked cover";
        assert!(said.starts_with(expected) && said.ends_with(" own recording."), "{said}");
        let line = cut.line.to_string();
        assert!(line.contains(" ends 6.000 ms before the last event of its own recording"), "{line}");
        let inactive = cut.evidence.numbers.iter().find(|number| number.name == "Inactive").unwrap();
        // Of 8.96 ms.
        assert_eq!(inactive.note.to_string(), "67.0 %");
    }
    // Two that overlap are one.
    let both = of(6_000, [&[90, 90], &[90, 90]]);
    let cut = planted(&both, rule, 4.0);
    assert!(cut.sentence.to_string().ends_with("cover only part of the recording."), "{}", cut.sentence);
}

/// 100 µs of work at 0, 300 and 900 µs beside a slice that begins at `open` and never ends, as of a state.
fn unfinished(open: u32) -> String {
    let work = [0, 300, 900]
        .map(|at| format!(r#"{{"ph":"X","pid":1,"tid":2,"name":"work","ts":{at},"dur":100}}"#))
        .join(",");
    format!(r#"[{{"ph":"B","pid":1,"tid":1,"name":"state","ts":{open}}},{work}]"#)
}

#[test]
fn a_name_that_is_a_number_is_not_the_most_frequent() {
    let frames = (0..20).map(|n| ("13850", n * 10)).chain((0..3).map(|n| ("draw", 500 + n * 10)));
    let events =
        frames.map(|(name, at)| format!(r#"{{"ph":"X","pid":1,"tid":1,"name":"{name}","ts":{at},"dur":5}}"#));
    let of = overview("trace.json", format!("[{}]", events.collect::<Vec<_>>().join(",")));
    let tile = of.tiles.iter().find(|tile| tile.label == "Most frequent").unwrap();
    assert_eq!((tile.value.to_string(), tile.comparison.to_string()), ("3".to_owned(), "draw".to_owned()));
}

#[test]
fn a_slice_without_an_end_is_no_time() {
    let of = overview("trace.json", unfinished(0));
    let tile = |of: &Overview, label: &str| {
        let tile = of.tiles.iter().find(|tile| tile.label == label).unwrap();
        (tile.value.to_string(), tile.comparison.to_string())
    };
    assert_eq!(tile(&of, "Length").1, "active 30.0 % of the time; 1 unfinished slice is left out");
    assert_eq!(tile(&of, "Busiest track").0, "30.0 %");
    assert_eq!(tile(&of, "Most frequent").0, "3");
    let part = |title: &str| of.parts.iter().find(|part| part.title == title).unwrap();
    let names: Vec<_> =
        part("Names with the most time").rows.iter().map(|row| (row.name.to_string(), &row.cells)).collect();
    assert_eq!(names.len(), 1, "{names:?}");
    assert_eq!((names[0].0.as_str(), names[0].1[0].as_str()), ("work", "3"));
    for part in &of.parts {
        let note = part.note.to_string();
        assert!(note.ends_with("; 1 unfinished slice is left out"), "{note}");
    }
    // It is told of, and no gap is claimed where it may go on.
    let cut = planted(&of, "trace-cut-by-recording", 1.0);
    assert_eq!(cut.sentence.to_string(), "⟦1 slice⟧ has no end event in the file.");
    assert!(cut.line.to_string().ends_with("and count in no time."), "{}", cut.line);
    silent(&of, "trace-common-gaps");
    // 100 to 300 and 400 to 500 µs, then nobody knows.
    let of = overview("trace.json", unfinished(500));
    let gap = planted(&of, "trace-common-gaps", 300e3);
    assert_eq!(tile(&of, "Longest gap").0, "200.0 µs");
    // 300 of 600 µs: of 500 to 900 µs nobody knows.
    let expected = "No track is active for ⟦300.000 µs⟧, 50.0 % of the time without unfinished slices.";
    assert_eq!(gap.sentence.to_string(), expected);
}

#[test]
fn outliers_of_a_frequent_name_are_found() {
    // 38 slices of 100 µs and two of 2,100 and 3,100 µs.
    let name = |at: usize| if usize::is_multiple_of(at, 2) { "work" } else { "rest" };
    let slices = |long: bool| {
        let mut time = 0;
        let mut all = Vec::new();
        for at in 0..80 {
            let dur = match at {
                20 if long => 2_100,
                40 if long => 3_100,
                _ => 100,
            };
            all.push((1, name(at), time, dur));
            time += dur;
        }
        all
    };
    let with = trace(&slices(true));
    let outliers = planted(&with, "trace-outliers", 5_000e3);
    assert_eq!((outliers.subject.as_str(), outliers.saving.kind), ("work", SavingKind::Estimate));
    assert!(outliers.evidence.address.contains("work"), "{}", outliers.evidence.address);
    // What one of several tracks loses need not be lost by the whole.
    let beside = trace(&[slices(true), vec![(2, "other", 0, 10)]].concat());
    assert_eq!(planted(&beside, "trace-outliers", 5_000e3).saving.kind, SavingKind::None);
    silent(&trace(&slices(false)), "trace-outliers");
    // Of few slices of a name nobody knows what is usual: that is no look.
    let few = trace(&[(1, "a", 0, 10), (1, "a", 20, 10), (1, "a", 40, 10_000)]);
    assert!(matches!(outcome(&few, "trace-outliers"), Some(Outcome::Missing(_))), "{:?}", few.rules);
}

#[test]
fn a_name_that_comes_slower_and_slower_is_found() {
    let slices = |growth: f64| {
        let (mut time, mut gap) = (0.0, 1_000.0);
        let mut all = Vec::new();
        for _ in 0..101 {
            all.push((1, "tick", time as u64, 10));
            time += gap;
            gap *= growth;
        }
        all
    };
    // Medians of the first and the last of five blocks of 20 intervals lie 80 intervals apart.
    let with = trace(&slices(1.005));
    let growing = planted(&with, "trace-growing-interval", 1.005_f64.powi(80));
    assert_eq!(growing.saving.kind, SavingKind::None);
    silent(&trace(&slices(1.0)), "trace-growing-interval");
    let nothing = |overview: &Overview| match outcome(overview, "trace-growing-interval") {
        Some(Outcome::Nothing(said)) => said.to_string(),
        other => panic!("{other:?}"),
    };
    assert_eq!(nothing(&trace(&slices(1.0))), "the only periodic name does not slow down");
    let few = trace(&slices(1.0)[..5]);
    match outcome(&few, "trace-growing-interval") {
        Some(Outcome::Missing(why)) => assert!(why.to_string().contains("20 slices"), "{why}"),
        other => panic!("{other:?}"),
    }
    // Often, but never regularly.
    let at = (0..40_u64).map(|n| (1, "rest", n * n * 100 + n % 3 * 70_000 + 200_000, 10));
    let mut at: Vec<_> = at.collect();
    at.sort_unstable();
    let said = "the only name that repeats on one track has no regular interval";
    assert_eq!(nothing(&trace(&at)), said);
    assert!(found(&trace(&slices(0.995)), "trace-growing-interval").is_empty());
    not_here(
        &overview("trace.json", r#"{"traceEvents":[{"ph":"C","pid":1,"name":"c","ts":1,"args":{"v":2}}]}"#),
        "trace-growing-interval",
    );
}

/// 40 intervals of 1 ms, then 60 of 2: fifths of 1, 1, 2, 2, 2 ms, or a little less each time.
#[test]
fn an_interval_that_jumps_once_is_told_as_a_jump() {
    let of = |change: f64| {
        let at = (0..101).scan(0.0, |time, n| {
            let at = *time as u64;
            *time += if n < 40 { 1_000.0 } else { 2_000.0 } * (1.0 + change * f64::from(n));
            Some((1, "tick", at, 10))
        });
        trace(&at.collect::<Vec<_>>())
    };
    let even = of(0.0);
    let jump = planted(&even, "trace-growing-interval", 2.0);
    assert_eq!(
        jump.sentence.to_string(),
        "tick recurs ⟦2.00 times slower⟧ after 40.000 ms than before on p / Thread 1."
    );
    assert_eq!(
        jump.line.to_string(),
        "The interval jumps from 1.000 ms to 2.000 ms there; before and after it is steady, over 101 slices."
    );
    // Rises of 0.2 % before and after, and falls, are none.
    for change in [0.0001, -0.0001] {
        let line = found(&of(change), "trace-growing-interval")[0].line.to_string();
        assert!(line.starts_with("The interval jumps from "), "{line}");
    }
}

/// A rhythm of 15 intervals, six short and nine long, over and over: its fifths begin elsewhere in it.
#[test]
fn a_rhythm_of_several_intervals_does_not_jump() {
    for n in 60..130 {
        let at = (0..n).scan(0, |time, n| {
            let at = *time;
            *time += if n % 15 < 6 { 1_500 } else { 2_000 };
            Some((1, "tick", at, 10))
        });
        super::silent(&trace(&at.collect::<Vec<_>>()), "trace-growing-interval");
    }
}

/// Two calls of a name in one of the same name, all about 10 ms long: they are one.
#[test]
fn outliers_that_lie_in_others_of_their_name_count_once() {
    let short = (0..60).map(|n| (1, "next", n * 100, 100));
    let long = [(1, "next", 6_000, 10_000), (1, "next", 6_005, 9_990), (1, "next", 6_010, 9_980)];
    let all: Vec<_> = short.chain(long).chain([(1, "end", 16_100, 10)]).collect();
    let of = trace(&all);
    let outlier = planted(&of, "trace-outliers", 9_880e3);
    assert!(outlier.sentence.to_string().starts_with("1 of 61 slices next "), "{}", outlier.sentence);
    let above = outlier.evidence.numbers.iter().find(|number| number.name == "Above the median").unwrap();
    assert!(above.value < 16_110e3, "{}", above.value);
}

/// Nothing runs from 4 ms on, until the recording ends.
#[test]
fn a_gap_may_end_with_the_recording() {
    let of = scheduled(&[(0, 0), (0, 7), (4_000, 0), (10_000, 0)], &[]);
    let gap = planted(&of, "trace-common-gaps", 6e6);
    assert_eq!(gap.line.to_string(), "1 gap; the longest takes 6.000 ms and ends with the recording.");
}

/// One that becomes slower on one of two threads only.
#[test]
fn each_track_has_intervals_of_its_own() {
    let (mut time, mut gap) = (0.0, 1_000.0);
    let mut all = Vec::new();
    for n in 0..101 {
        all.extend([(1, "step", n * 1_000, 10), (2, "step", time as u64, 10)]);
        time += gap;
        gap *= 1.005;
    }
    let one = trace(&all);
    let growing = planted(&one, "trace-growing-interval", 1.005_f64.powi(80));
    assert_eq!(
        growing.sentence.to_string(),
        "step recurs ⟦1.49 times slower⟧ at the end than at the start on p / Thread 2."
    );
    assert_eq!(growing.subject, "step, p / Thread 2");
    // On both it is one cause.
    let both: Vec<_> = all.iter().flat_map(|of| [(2, of.1, of.2, of.3), (3, of.1, of.2, of.3)]).collect();
    let both: Vec<_> = both.into_iter().enumerate().filter(|(at, _)| at % 4 >= 2).map(|(_, of)| of).collect();
    let both = trace(&both);
    let growing = planted(&both, "trace-growing-interval", 1.005_f64.powi(80));
    assert!(growing.line.to_string().contains("step (p / Thread 3)"), "{}", growing.line);
}

/// Three names that come together, nested and one after the other, are one cause; a name with a rhythm of its own is another.
#[test]
fn names_that_recur_together_are_one_finding() {
    let (mut time, mut other, mut gap) = (0.0, 0.0, 1_000.0);
    let mut all = Vec::new();
    for _ in 0..101 {
        let at = time as u64;
        all.extend([(1, "compose", at, 300), (1, "post", at + 20, 100), (1, "fence", at + 400, 50)]);
        all.push((2, "upload", other as u64, 30));
        time += gap;
        other += 0.4 * gap;
        gap *= 1.005;
    }
    let of = trace(&all);
    let growing = found(&of, "trace-growing-interval");
    let mut said: Vec<String> = growing.iter().map(|finding| finding.sentence.to_string()).collect();
    said.sort();
    assert_eq!(
        said,
        [
            "compose recurs ⟦1.49 times slower⟧ at the end than at the start on p / Thread 1, and 2 names that come with it.",
            "upload recurs ⟦1.49 times slower⟧ at the end than at the start on p / Thread 2."
        ]
    );
    let outermost = growing.iter().find(|finding| finding.subject == "compose").unwrap();
    let line = outermost.line.to_string();
    assert!(line.contains("2 more: post, fence."), "{line}");
}

/// A systrace of one processor: what it runs from when on, in µs after 100 s (0 is the idle thread), and rows of marks.
fn scheduled(runs: &[(u64, u32)], marks: &[(&str, &str)]) -> Overview {
    let mut rows: Vec<(String, String)> = marks
        .iter()
        .map(|(time, mark)| {
            ((*time).to_owned(), format!("a-7     (    7) [000] ...1 {time}: tracing_mark_write: {mark}"))
        })
        .collect();
    for two in runs.windows(2) {
        let comm = |pid: u32| if pid == 0 { "swapper/0".to_owned() } else { format!("t{pid}") };
        let (before, (at, next)) = (two[0].1, two[1]);
        let time = format!("100.{at:06}");
        let row = format!(
            "{}-{before} (    7) [000] d..2 {time}: sched_switch: prev_comm={} prev_pid={before} prev_prio=120 prev_state=S ==> next_comm={} next_pid={next} next_prio=120",
            comm(before),
            comm(before),
            comm(next),
        );
        rows.push((time, row));
    }
    rows.sort();
    let text: String = rows.iter().map(|(_, row)| format!("            {row}\n")).collect();
    overview("trace.txt", format!("# tracer: nop\n#\n{text}"))
}

#[test]
fn where_scheduling_is_recorded_processors_tell_when_something_goes_on() {
    let rule = "trace-common-gaps";
    // Marks half a second before scheduling begins; then 4 ms of t7, 2 ms of nothing, 4 ms of t8.
    let runs = [(0, 0), (0, 7), (4_000, 0), (6_000, 8), (10_000, 0)];
    let marks =
        [(" 99.500000", "B|7|early"), (" 99.501000", "E|7"), ("100.000000", "B|7|a"), ("100.000100", "E|7")];
    let with = scheduled(&runs, &marks);
    let gap = planted(&with, rule, 2e6);
    assert!(gap.sentence.to_string().contains("⟦2.000 ms⟧, 20.0 %"), "{}", gap.sentence);
    // Nothing is lost by a system that has nothing to do.
    assert_eq!((gap.saving.kind, gap.severity), (SavingKind::None, Severity::Note));
    let tile = |overview: &Overview, label: &str| {
        let tile = overview.tiles.iter().find(|tile| tile.label.text(Default::default()) == label).unwrap();
        (tile.value.to_string(), tile.comparison.to_string())
    };
    assert_eq!(tile(&with, "Length").0, "510.0 ms");
    assert_eq!(tile(&with, "Length").1, "80.0 % with anything going on, of 10.00 ms with scheduling");
    assert_eq!(tile(&with, "Busiest track").0, "80.0 %");
    assert!(tile(&with, "Busiest track").1.contains("CPU 0"), "{}", tile(&with, "Busiest track").1);
    // A scope that lasts longer, of a recording that lasts much longer, is not busier; each says of what its share is.
    let long = [(" 90.000000", "B|7|early"), (" 92.000000", "E|7")];
    let both = scheduled(&runs, &long);
    assert_eq!(tile(&both, "Busiest track").0, "80.0 %");
    assert!(
        tile(&both, "Busiest track").1.starts_with("of 10.00 ms: "),
        "{}",
        tile(&both, "Busiest track").1
    );
    let shares: Vec<&str> = both.parts[0].rows.iter().map(|row| row.cells[1].as_str()).collect();
    assert_eq!(shares[0], "80.0 %", "{shares:?}");

    // A scope that lasts all the time while its thread sleeps makes nobody busy; and nothing is a gap meanwhile.
    let poll = [("100.000000", "B|7|poll"), ("100.010000", "E|7")];
    let waits =
        scheduled(&[(0, 0), (0, 7), (1_000, 0), (9_000, 7), (9_500, 0), (9_900, 7), (10_000, 0)], &poll);
    silent(&waits, rule);
    assert_eq!(tile(&waits, "Busiest track").0, "16.0 %");
    assert!(waits.parts[0].rows.iter().all(|row| row.cells[1] == "16.0 %"), "{:?}", waits.parts[0].rows);
    // One without an end hides no gap: the scheduler tells what runs.
    let open = [("100.001000", "B|7|open")];
    let gap = scheduled(&runs, &open);
    let gap = planted(&gap, rule, 2e6);
    assert!(gap.sentence.to_string().contains("⟦2.000 ms⟧, 20.0 %"), "{}", gap.sentence);

    // As long as a processor runs something, something goes on, whatever scopes say.
    silent(&scheduled(&[(0, 0), (0, 7), (5_000, 8), (10_000, 0)], &marks), rule);
}

#[test]
fn a_file_of_counters_says_which_there_are() {
    let sample = |name: &str, ts: u32, value: &str| {
        format!(r#"{{"ph":"C","pid":1,"name":"{name}","ts":{ts},"args":{{"v":{value}}}}}"#)
    };
    let samples = [
        sample("c", 1, "2"),
        sample("c", 5, "-3.5"),
        sample("c", 9, "8"),
        sample("d", 3, "1"),
        sample("d", 4, "1"),
    ];
    let of = overview("trace.json", format!(r#"{{"traceEvents":[{}]}}"#, samples.join(",")));
    let tiles: Vec<String> = of.tiles.iter().map(|tile| tile.value.to_string()).collect();
    assert_eq!(tiles, ["8.000 µs", "2", "5"]);
    let rows: Vec<&[String]> = of.parts[0].rows.iter().map(|row| &row.cells[..]).collect();
    assert_eq!(rows, [["3", "−3.50", "8"], ["2", "1", "1"]]);
}

#[test]
fn a_file_of_instants_says_which_and_how_often() {
    let instant = |tid: u32, name: &str, ts: u32| {
        format!(r#"{{"ph":"i","s":"t","pid":1,"tid":{tid},"name":"{name}","ts":{ts}}}"#)
    };
    // 31 every 2 ms, and 5 others.
    let mut all: Vec<String> = (0..31).map(|n| instant(1, "vblank", 1_000 + n * 2_000)).collect();
    all.extend((0..5).map(|n| instant(2, "flip", 2_000 + n * 2_000)));
    let of = overview("trace.json", format!(r#"{{"traceEvents":[{}]}}"#, all.join(",")));
    let tiles: Vec<(String, String)> =
        of.tiles.iter().map(|tile| (tile.value.to_string(), tile.comparison.to_string())).collect();
    // 35 intervals in 60 ms.
    let expected = [
        ("60.00 ms", "from the first to the last instant"),
        ("36", "on 2 tracks, no slices"),
        ("31", "vblank"),
        ("583.33 per second", "one every 1.714 ms, on average"),
    ];
    assert_eq!(tiles, expected.map(|(a, b)| (a.to_owned(), b.to_owned())));
    let rows: Vec<(String, &[String])> =
        of.parts[0].rows.iter().map(|row| (row.name.to_string(), &row.cells[..])).collect();
    assert_eq!(rows[0], ("vblank".to_owned(), &["31".to_owned(), "86.1 %".to_owned()][..]));
    assert_eq!(rows[1], ("flip".to_owned(), &["5".to_owned(), "13.9 %".to_owned()][..]));
}

#[test]
fn sums_of_the_writer_are_no_track_that_was_cut() {
    // A track that ends early counts; one on which the writer tells what it added up does not.
    let of = |name: &str| {
        let mut text = format!(
            r#"[{{"ph":"M","pid":1,"name":"process_name","args":{{"name":"Ascend Hardware"}}}},
            {{"ph":"M","pid":2,"name":"process_name","args":{{"name":"{name}"}}}}"#
        );
        for (pid, n) in [(1, 90), (2, 30)] {
            for at in 0..n {
                let ts = at * 100;
                write!(text, r#",{{"ph":"X","pid":{pid},"tid":1,"name":"a","ts":{ts},"dur":60}}"#).unwrap();
            }
        }
        text.push(']');
        overview("trace_view.json", text)
    };
    let rule = "trace-cut-by-recording";
    planted(&of("Another"), rule, 1.0);
    silent(&of("Overlap Analysis"), rule);
}

/// Before one row 1,200 rows are lost, before another one 7.
#[test]
fn lost_events_are_told_with_the_first_place() {
    let text = "# tracer: nop\n#\n            a-7     (    7) [000] ...1   100.000001: tracing_mark_write: B|7|a\n\
                CPU:0 [LOST 1200 EVENTS]\n            a-7     (    7) [000] ...1   100.000900: tracing_mark_write: E|7\n\
                CPU:1 [LOST 7 EVENTS]\n            a-7     (    7) [000] ...1   100.000950: tracing_mark_write: B|7|b\n\
                \u{20}           a-7     (    7) [000] ...1   100.000990: tracing_mark_write: E|7\n";
    let lost = overview("trace.txt", text);
    let cut = planted(&lost, "trace-cut-by-recording", 2.0);
    assert_eq!(cut.sentence.to_string(), "The file reports lost events at ⟦2 places⟧.");
    assert_eq!(
        cut.line.to_string(),
        "The first: expected all rows, found 1,200 lost. Gaps and durations near them do not reflect the program: \
         record with larger buffers, or fewer kinds of events."
    );
    assert_eq!(cut.evidence.shown.to_string(), "lost events, according to the file");
    let numbers = cut.evidence.numbers.iter().map(|number| (number.name.to_string(), number.value));
    assert_eq!(numbers.collect::<Vec<_>>(), [("Places with lost events".to_owned(), 2.0)]);
    assert_eq!(cut.evidence.view, "report");
}

#[test]
fn ends_of_an_only_track_are_not_counted() {
    let of = |tracks: u32| {
        let slices = (0..40).map(|n| {
            let (tid, at) = (n % tracks, n * 10);
            format!(r#"{{"ph":"X","pid":1,"tid":{tid},"name":"a","ts":{at},"dur":5}}"#)
        });
        let all = overview("trace.json", format!("[{}]", slices.collect::<Vec<_>>().join(",")));
        match super::outcome(&all, "trace-cut-by-recording") {
            Some(Outcome::Nothing(said)) => said.to_string(),
            other => panic!("{other:?}"),
        }
    };
    assert!(of(1).ends_with("is only checked for several tracks"), "{}", of(1));
    assert!(of(2).contains("0 of 2 tracks that can be checked start late or end early"), "{}", of(2));
}
