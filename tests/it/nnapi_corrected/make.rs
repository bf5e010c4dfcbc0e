//! Traces of marks out of short texts.

use lanescope::model::Trace;
use lanescope::model::build::TraceBuilder;
use lanescope::systems::android::nnapi::corrected::{App, Corrected, Run};
use lanescope::systems::android::nnapi::mark::Marks;
use lanescope::systems::android::nnapi::mark::{Layer, MarkThread, Phase};

/// A trace of rows `TIME THREAD MARK`, the time in microseconds. The process of a thread is what its first begin says.
/// Lines that begin with `#` say something.
pub(crate) fn trace(text: &str) -> Trace {
    let rows = text.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#'));
    let rows = rows.map(|line| {
        let mut words = line.splitn(3, ' ');
        let time: i64 = words.next().unwrap().parse().unwrap();
        (time * 1000, words.next().unwrap(), words.next().unwrap())
    });
    trace_of(rows)
}

/// A trace of rows: nanoseconds, thread, mark.
pub(crate) fn trace_of<'a>(rows: impl Iterator<Item = (i64, &'a str, &'a str)>) -> Trace {
    let mut builder = TraceBuilder::default();
    for (line, (time, thread, mark)) in (1..).zip(rows) {
        let (id, text) = (builder.intern(thread), builder.intern(mark));
        let process = mark.split('|').nth(1).filter(|_| mark.starts_with('B')).unwrap_or("");
        let process = builder.intern(process);
        let marks = Marks::of_mut(builder.head());
        let known = marks.threads.iter().position(|t| t.id == id);
        let number = known.unwrap_or_else(|| {
            let process_name = lanescope::model::strings::Strings::EMPTY;
            marks.threads.push(MarkThread { id, name: id, process, process_name, track: None });
            marks.threads.len() - 1
        });
        let empty = lanescope::model::strings::Strings::EMPTY;
        if marks.threads[number].process == empty {
            marks.threads[number].process = process;
        }
        marks.seconds.push(time as f64 / 1e9);
        marks.time.push(time);
        marks.thread.push(number as u32);
        marks.process.push(process);
        marks.text.push(text);
        marks.line.push(line);
        marks.start.push(0);
        marks.len.push(0);
        marks.is_classic.push(true);
        marks.end = marks.end.max(time);
    }
    Marks::of_mut(builder.head()).bound();
    builder.finish();
    builder.into_trace()
}

/// The only run of a text.
pub(crate) fn only(text: &str) -> (Corrected, Run) {
    let corrected = Corrected::of(&trace(text));
    assert_eq!(corrected.runs.len(), 1);
    let run = corrected.runs[0].clone();
    (corrected, run)
}

/// Total and self time of a cell such as `LR_PE`, in microseconds.
pub(crate) fn cell(run: &Run, name: &str) -> (f64, f64) {
    of(run, None, name)
}

/// The same in one application phase.
pub(crate) fn of(run: &Run, app: Option<App>, name: &str) -> (f64, f64) {
    let (layer, phase) = name.split_once('_').unwrap();
    let cell = run.matrix.cell(app, Layer::of(layer).unwrap(), Phase::of(phase).unwrap());
    (cell.total as f64 / 1e3, cell.own as f64 / 1e3)
}
