//! What the page says of Android before a file is opened: the lessons of the NNAPI contract.

use super::nnapi::lesson::{self, Drawn, LESSONS, Lesson, Sum, THREADS, Thread};
use super::nnapi::mark::{Layer, Part, Tint};
use crate::base::words::phrase;
use crate::scene::palette::Ink;
use crate::systems::guides::{self, Cell, Event, Guide, Key, Lane, Pattern, Results, Scope, Terms};

/// The guide.
pub static GUIDE: Guide = Guide {
    subject: "Android NNAPI",
    title: phrase("Android NNAPI: marks and times"),
    lessons: || LESSONS.into_iter().map(page_of).collect(),
    terms: None,
};

/// Columns of the times that follow.
const TIMES: [&str; 6] =
    [phrase("Layer"), phrase("Phase"), phrase("Total time"), "ms", phrase("Self time"), "ms"];

/// A lesson as the page shows it.
fn page_of(lesson: &'static Lesson) -> guides::Lesson {
    let drawn = lesson.drawn();
    let is_drawn = |thread: usize| drawn.scopes.iter().any(|scope| scope.thread == thread);
    let (threads, lanes): (Vec<usize>, Vec<&Thread>) =
        THREADS.iter().enumerate().filter(|(thread, _)| is_drawn(*thread)).unzip();
    guides::Lesson {
        id: lesson.id,
        title: lesson.title,
        paragraphs: lesson.text,
        program: lesson.program,
        events: events(lesson, &drawn),
        columns: &["TASK-PID", "TIMESTAMP", "tracing_mark_write"],
        unit: "ms",
        lanes: lanes
            .iter()
            .map(|of| Lane { title: of.title, name: format!("{}-{}", of.name, of.id) })
            .collect(),
        scopes: drawn.scopes.iter().map(|scope| slice_of(scope, &threads)).collect(),
        colors: colors(&drawn),
        patterns: patterns(&drawn),
        results: Results {
            title: phrase("Times"),
            columns: &TIMES,
            rows: lesson.sums.iter().map(result).collect(),
        },
        note: phrase(
            "The AOSP parser prints these numbers for this trace. Layers and phases not listed are zero or missing.",
        ),
        file_name: lesson.file_name(),
        file: lesson.trace(),
    }
}

fn events(lesson: &Lesson, drawn: &Drawn) -> Vec<Event> {
    let event = |(event, &scope): (&lesson::Event, &usize)| {
        let thread = event.thread();
        let cells = vec![format!("{}-{}", thread.name, thread.id), event.stamp(), event.marked()];
        Event { at: event.at, line: event.line, scope, cells }
    };
    lesson.events.iter().zip(&drawn.of_event).map(event).collect()
}

fn slice_of(scope: &lesson::Scope, threads: &[usize]) -> Scope {
    let letters = scope.tint.map(|tint| format!("{} {}", tint.layer.code(), tint.phase.code()));
    Scope {
        lane: threads.iter().position(|n| *n == scope.thread).unwrap_or(0),
        depth: scope.depth,
        events: scope.begin..scope.end,
        name: short(scope.name),
        tip: [letters.as_deref().unwrap_or_default(), scope.name].join(" "),
        ink: scope
            .tint
            .map_or(Ink::Shade("nn-other", 60), |tint| Ink::Shade(tint.layer.token(), tint.phase.shade())),
        pattern: match scope.tint.map(|tint| tint.part) {
            Some(Part::Detail) => Pattern::Thin,
            Some(Part::Subtracted) => Pattern::Hatched,
            Some(Part::Counted) | None => Pattern::Full,
        },
        rest: scope.rest.map(|slot| slot.begin..slot.end),
    }
}

/// `execute::client` of `HIDL::IPreparedModel::execute::client`; other names as they are.
fn short(name: &'static str) -> &'static str {
    let method = name.strip_prefix("HIDL::").and_then(|path| path.split_once("::"));
    method.map_or(name, |(_, method)| method)
}

fn tints(drawn: &Drawn) -> impl Iterator<Item = Tint> {
    drawn.scopes.iter().filter_map(|scope| scope.tint)
}

/// The layers that the lesson has.
fn colors(drawn: &Drawn) -> Vec<Key> {
    let all = Layer::REPORTED.into_iter().chain([Layer::Utility]);
    all.filter(|layer| tints(drawn).any(|tint| tint.layer == *layer)).map(layer_key).collect()
}

fn layer_key(layer: Layer) -> Key {
    Key { token: Some(layer.token()), title: layer.title(), letters: layer.code() }
}

fn patterns(drawn: &Drawn) -> Vec<&'static str> {
    let has = |part: Part| tints(drawn).any(|tint| tint.part == part);
    let all = [
        (has(Part::Subtracted), phrase("Hatched: subtracted from the enclosing scope")),
        (has(Part::Detail), phrase("Thin: only a detail, not counted")),
        (drawn.scopes.iter().any(|s| s.rest.is_some()), phrase("Dashed: still open, not counted")),
    ];
    all.into_iter().filter(|(is_there, _)| *is_there).map(|(_, text)| text).collect()
}

fn result(sum: &Sum) -> Vec<Cell> {
    let phase = Key { token: None, title: sum.phase.title(), letters: sum.phase.code() };
    let number = |ms: u32| Cell::Number(format!("{ms}.00"));
    vec![
        Cell::Term(layer_key(sum.layer)),
        Cell::Term(phase),
        Cell::Formula(sum.total.formula),
        number(sum.total.ms),
        Cell::Formula(sum.own.formula),
        number(sum.own.ms),
    ]
}

/// How one records, what is shown, and what that cannot say.
pub static RECORDING: Guide = Guide {
    subject: "Android NNAPI",
    title: phrase("Android NNAPI: marks and times"),
    lessons: Vec::new,
    terms: Some(Terms {
        id: "nnapi-recording",
        title: phrase("Recording, views and limits"),
        rows: RECORDING_ROWS,
    }),
};

const RECORDING_ROWS: &[(&str, &str)] = &[
    (
        phrase("How do I record a profile?"),
        phrase(
            "Perfetto: record with the atrace categories nnapi, hal and aidl, and with scheduling (sched/sched_switch), in ui.perfetto.dev or by adb shell perfetto. Older devices: systrace.py -o trace.html -a APP nnapi hal freq sched idle load binder_driver. Open the trace, HTML or text.",
        ),
    ),
    (
        phrase("What is shown?"),
        phrase(
            "Overview: time per inference, first against steady, driver share, CPU fallback, waits. Details: layers, phases, executions and launches of apps, as AOSP's parser counts them and corrected. Timeline: marks by layer beside scheduling.",
        ),
    ),
    (
        phrase("What are the limits?"),
        phrase(
            "What is not marked cannot be seen: without runtime marks CPU fallback is unknown, without scheduling it is unknown what a thread waits for. An execution that is cut by the recording counts nowhere.",
        ),
    ),
];
