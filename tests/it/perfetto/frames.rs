//! Late frames, as the timeline of frames calls them: made ones, of layers and of the display.

use super::make::{Message, new, packet};
use super::opened;
use super::system::{bundle, kernel};
use lanescope::analysis::finding::{Finding, Outcome, Overview};
use lanescope::base::words::Language;

/// Presented on time, late, early and dropped.
const ON_TIME: i64 = 1;
const LATE: i64 = 2;
const EARLY: i64 = 3;
const DROPPED: i64 = 4;

/// A frame as it was.
#[derive(Clone, Copy)]
struct Frame {
    /// Empty for one of the display itself.
    layer: &'static str,
    /// How long it lasted; `None` for one whose end is not in the file.
    millis: Option<i64>,
    present: i64,
    jank: i64,
    /// Whether one of its token was expected, for 16 ms.
    is_expected: bool,
}

fn frame(layer: &'static str, millis: i64, present: i64, jank: i64) -> Frame {
    Frame { layer, millis: Some(millis), present, jank, is_expected: true }
}

/// Each begins a second after the one before.
fn packets(all: &[Frame]) -> Vec<Message> {
    let mut packets =
        vec![packet(1, 5, 2, new().with(1, new().int(1, 9).text(3, "/system/bin/surfaceflinger")))];
    let end = |cookie: i64| new().with(5, new().int(1, cookie));
    for (at, of) in (1_i64..).zip(all) {
        let start = at * 1_000_000_000;
        let is_display = of.layer.is_empty();
        let begin = |cookie: i64| match is_display {
            true => new().int(1, cookie).int(2, at).int(3, 5),
            false => new().int(1, cookie).int(2, at).int(3, at).int(4, 5).text(5, of.layer),
        };
        let (expected, actual) = (2 * at, 2 * at + 1);
        let (kinds, fields) = if is_display { ((1, 2), (4, 7)) } else { ((3, 4), (6, 9)) };
        if of.is_expected {
            packets.push(packet(1, start, 76, new().with(kinds.0, begin(expected))));
            packets.push(packet(1, start + 16_000_000, 76, end(expected)));
        }
        let shown = begin(actual).int(fields.0, of.present).int(fields.1, of.jank);
        packets.push(packet(1, start, 76, new().with(kinds.1, shown)));
        packets.extend(of.millis.map(|millis| packet(1, start + millis * 1_000_000, 76, end(actual))));
    }
    packets
}

fn overview(all: &[Frame]) -> Overview {
    opened(&packets(all)).whole_overview()
}

fn late(of: &Overview) -> &Finding {
    let all: Vec<_> = of.findings.iter().filter(|one| one.rule == "perfetto-late-frames").collect();
    assert_eq!(all.len(), 1, "{:?}", outcome(of));
    all[0]
}

fn outcome(of: &Overview) -> Option<Outcome> {
    of.rules.iter().find(|rule| rule.id == "perfetto-late-frames").map(|rule| rule.outcome.clone())
}

/// Name, value and note of each number.
fn numbers(of: &Finding) -> Vec<(String, f64, String)> {
    let numbers = of.evidence.numbers.iter();
    numbers.map(|own| (own.name.to_string(), own.value, own.note.to_string())).collect()
}

#[test]
fn late_frames_are_found_with_their_layer_and_cause() {
    // Late by 24 and 4 ms; one early frame and one that nobody knows of.
    let planted = overview(&[
        frame("app#0", 40, LATE, 64),
        frame("app#0", 20, LATE, 64),
        frame("app#0", 10, EARLY, 1),
        frame("bar#0", 16, ON_TIME, 1),
        frame("bar#0", 30, 5, 256),
    ]);
    let found = late(&planted);
    assert_eq!(found.said(Language::En), "2 of 4 frames were presented late, by up to 24.000 ms.");
    let line = "The layer with most of them is app#0: 2 of 2 (100.0 %); it has 3 frames. The most frequent cause: app deadline missed (2).";
    assert_eq!(found.line.to_string(), line);
    assert!((found.value - 0.5).abs() < 1e-9);
    let silent = overview(&[frame("app#0", 10, ON_TIME, 1), frame("app#0", 10, EARLY, 1)]);
    let Some(Outcome::Nothing(said)) = outcome(&silent) else { panic!() };
    assert_eq!(said.to_string(), "none of 2 frames was presented late");
    let mut without = packets(&[]);
    without.push(bundle(
        0,
        vec![kernel(7, 9, 3, new().text(2, "B|9|commit")), kernel(8, 9, 3, new().text(2, "E|9"))],
    ));
    let Some(Outcome::Missing(said)) = outcome(&opened(&without).whole_overview()) else { panic!() };
    assert!(said.to_string().contains("android.surfaceflinger.frametimeline"), "{said}");
}

/// What was dropped was never presented, and what has no end is left out: neither is late. Of a frame that nobody expected
/// the delay is not known. Frames of the display have a row of their own.
#[test]
fn each_frame_counts_once_and_late_means_presented_late() {
    let unexpected = Frame { is_expected: false, ..frame("app#0", 50, LATE, 128) };
    let planted = overview(&[
        frame("app#0", 40, LATE, 64 | 128),
        frame("app#0", 20, LATE, 64 | 128),
        unexpected,
        frame("app#0", 16, ON_TIME, 1),
        frame("bar#0", 16, DROPPED, 1_024),
        Frame { millis: None, ..frame("bar#0", 0, LATE, 64) },
        frame("", 30, LATE, 16),
        frame("", 16, ON_TIME, 1),
    ]);
    let found = late(&planted);
    assert_eq!(found.said(Language::En), "3 of 5 frames were presented late, by up to 24.000 ms.");
    let line = "The layer with most of them is app#0: 3 of 3 (100.0 %); it has 4 frames. The most frequent cause: app deadline missed, buffer stuffing (2). Late frames without an expected one: 1; their delay is not known.";
    assert_eq!(found.line.to_string(), line);
    let expected = [
        ("Frames", 5.0, ""),
        ("Presented late", 3.0, "60.0 %"),
        ("Late, no expected frame", 1.0, ""),
        ("Dropped frames", 1.0, ""),
        ("Unfinished frames", 1.0, ""),
        ("Longest delay", 24e6, ""),
        ("Late display frames", 1.0, "50.0 %"),
        ("app deadline missed, buffer stuffing", 2.0, ""),
        ("buffer stuffing", 1.0, ""),
    ];
    assert_eq!(numbers(found), expected.map(|(name, value, note)| (name.to_owned(), value, note.to_owned())));
    // Causes are words for people.
    crate::words::chinese();
    let cause = &found.evidence.numbers[7].name;
    assert_eq!(cause.text(Language::Zh), "应用超过截止时间，缓冲区堆积");
}

#[test]
fn frames_of_the_display_and_dropped_ones_are_told_where_no_layer_is_late() {
    let of_display =
        overview(&[frame("app#0", 16, ON_TIME, 1), frame("", 30, LATE, 16), frame("", 16, ON_TIME, 1)]);
    let said = "1 of 2 display frames was presented late, by up to 14.000 ms.";
    assert_eq!(late(&of_display).said(Language::En), said);
    let dropped = overview(&[frame("app#0", 16, DROPPED, 1_024), frame("app#0", 16, ON_TIME, 1)]);
    assert_eq!(late(&dropped).said(Language::En), "1 of 2 frames was dropped.");
    assert_eq!(late(&dropped).evidence.numbers[1].value.to_bits(), 0.0_f64.to_bits());
}
