//! Each diagnostic of the AOSP parser: a small trace that meets it, what is printed, and that all the rest is shown.

use super::{MODES, printed};
use crate::support::front_door::open_one;

const HEAD: &str = "#           TASK-PID    TGID   CPU#  ||||    TIMESTAMP  FUNCTION\n";
const MARK: &str = "Exception: Unable to process a trace termination mark, please check that the collected trace are \
                    including full application lifecycles.";

/// One diagnostic.
struct Case {
    /// What is wrong.
    name: &'static str,
    /// Rows, each `thread mark`; `?` in front of one writes it without process, `-` with a process of dashes, `!` as it is.
    rows: &'static [&'static str],
    /// How the exception begins.
    exception: &'static str,
    /// The row that `failed on line` names, from 1; 0 where nothing is printed before; [`END`] where it stops at the end
    /// of the run.
    failed: usize,
}

/// When the rows of a run are over: what is JSON has begun then.
const END: usize = usize::MAX;

/// A scope that is right, so that the parser has something to follow.
const GOOD: [&str; 2] = ["5 B|5|[NN_LR_PP]good", "5 E|5"];

#[rustfmt::skip] // a diagnostic a line
const CASES: &[Case] = &[
    Case { name: "a row of no form", rows: &["!  broken line with [NN_LR_PP] inside"], exception: "AssertionError:   broken line with [NN_LR_PP] inside", failed: 0 },
    Case { name: "an old end of a thread that was not seen", rows: &["?91 E"], exception: "KeyError: '91'", failed: 0 },
    Case { name: "a bare end without process", rows: &["-5 E"], exception: "AttributeError: 'NoneType' object has no attribute 'group'", failed: 0 },
    Case { name: "a client on a thread without marks", rows: &["7 B|7|HIDL::IDevice::getType::client"], exception: "AssertionError: Cannot find PID 7 in tracker_map", failed: 0 },
    Case { name: "an end without begin", rows: &["5 E|5"], exception: MARK, failed: 1 },
    Case { name: "a switch of nothing", rows: &["5 B|5|[SW][NN_LR_PC]x"], exception: MARK, failed: 1 },
    Case { name: "a begin without fields", rows: &["5 Begin", "5 E|5"], exception: MARK, failed: 2 },
    Case { name: "too few parts of a tag", rows: &["5 B|5|[NN_LR_PP]a[1]b"], exception: "ValueError: not enough values to unpack (expected 3, got 1)", failed: 1 },
    Case { name: "too many parts of a tag", rows: &["5 B|5|[NN_LR_PP_X]a"], exception: "ValueError: too many values to unpack (expected 3)", failed: 1 },
    Case { name: "an interface without role", rows: &["5 B|5|HIDL::IDevice::getType"], exception: "AssertionError: B|5|HIDL::IDevice::getType", failed: 1 },
    Case { name: "nesting", rows: &["5 B|5|[NN_LR_PP]a", "5 B|5|[NN_LA_PP]b", "5 E|5", "5 E|5"], exception: "AssertionError:  None", failed: END },
    Case { name: "a driver that does not call back", rows: &["6 B|6|HIDL::IDevice::getType::server", "6 E|6", "6 B|6|HIDL::IPreparedModel::execute::server", "6 E|6"], exception: "AssertionError", failed: END },
    Case { name: "a start that nobody waits for", rows: &["5 B|5|[NN_LR_PE]ANeuralNetworksExecution_startCompute", "5 E|5"], exception: "IndexError: list index out of range", failed: END },
    Case { name: "a loop without the other", rows: &["5 B|5|[NN_LA_PO]x", "5 B|5|[NN_LA_PBM]y", "5 B|5|[NN_LA_PE]z", "5 E|5", "5 E|5", "5 E|5"], exception: "KeyError: 'PWU'", failed: END },
    Case { name: "a helper that nobody calls", rows: &["5 B|5|[NN_LR_PU]x", "5 E|5"], exception: "TypeError: can only concatenate str (not \"NoneType\") to str", failed: END },
];

/// The text of a trace, and its lines.
fn text(rows: &[&str]) -> String {
    let row = |(i, row): (usize, &&str)| {
        let time = format!("100.{:06}", i * 100);
        let write = |thread: &str, process: &str, mark: &str| {
            format!("       demo-{thread}  {process}[000] ...1 {time}: tracing_mark_write: {mark}\n")
        };
        match row.split_at(1) {
            ("!", line) => format!("{line}\n"),
            ("?", rest) => {
                rest.split_once(' ').map_or(String::new(), |(thread, mark)| write(thread, "", mark))
            }
            ("-", rest) => {
                rest.split_once(' ').map_or(String::new(), |(thread, mark)| write(thread, "(-----) ", mark))
            }
            _ => row
                .split_once(' ')
                .map_or(String::new(), |(thread, mark)| write(thread, &format!("(    {thread}) "), mark)),
        }
    };
    HEAD.to_owned() + &rows.iter().enumerate().map(row).collect::<String>()
}

#[test]
fn each_diagnostic_is_that_of_the_parser_and_the_rest_is_shown() {
    for case in CASES {
        let rows: Vec<&str> = GOOD.iter().chain(case.rows).copied().collect();
        let trace = text(&rows);
        let (mut doc, is_ready) = open_one("case.txt", trace.clone().into_bytes());
        assert!(is_ready, "{}", case.name);
        // What is right is shown, and where the parser stops is said.
        let stops = doc.faults().rows().iter().filter(|fault| fault.code == "SYS-AOSP-STOPS").count();
        assert_eq!(stops, 1, "{}", case.name);
        let names = |doc: &lanescope::document::Document| doc.trace().strings.find("good").is_some();
        assert!(names(&doc) && 0 < doc.trace().n_slices(), "{}", case.name);
        for (mode, how) in MODES {
            let found = printed(&mut doc, how);
            let said = found.exception.unwrap_or_default();
            let is_same = if case.exception == "AssertionError" {
                said == case.exception
            } else {
                said.starts_with(case.exception)
            };
            assert!(is_same, "{}, {mode}: {said}", case.name);
            let expected = match case.failed {
                0 => String::new(),
                END => if how.is_json { "[\n" } else { "" }.to_owned(),
                at => {
                    let line = trace.lines().nth(GOOD.len() + at).unwrap_or_default();
                    format!("failed on line {} {line}\n\n", GOOD.len() + at + 1)
                }
            };
            assert_eq!(found.out, expected, "{}, {mode}", case.name);
        }
    }
}

#[test]
fn bytes_that_are_no_text_stop_the_parser_before_everything() {
    let mut bytes = text(&GOOD).into_bytes();
    let at = bytes.len();
    bytes.extend(b"\xff\n");
    let (mut doc, _) = open_one("case.txt", bytes);
    let found = printed(&mut doc, MODES[0].1);
    let said = format!(
        "UnicodeDecodeError: 'utf-8' codec can't decode byte 0xff in position {at}: invalid start byte"
    );
    assert_eq!((found.out, found.exception), (String::new(), Some(said)));
    assert_eq!(doc.trace().n_slices(), 1);
}
