//! What the page asks for of host and device: figures, and pages of kernels and operators.

use super::{TRACE, open};
use crate::support::rows::{page, values, wanted};
use lanescope::analysis::device::{Options, idle::Reason};
use lanescope::analysis::rows::Goal;
use lanescope::base::time::Span;
use lanescope::document::Document;
use lanescope::wire::device::Figures;
use lanescope::wire::rows::Source;
use lanescope::wire::{Answer, Query, pack, unpack};

fn figures(doc: &mut Document, options: Options) -> Figures {
    let query: Query = unpack(&pack(&Query::Device(options))).unwrap();
    let (answer, _) = doc.query(&query);
    assert_eq!(unpack::<Answer>(&pack(&answer)).unwrap(), answer);
    match answer {
        Answer::Device(figures) => *figures,
        other => panic!("{other:?}"),
    }
}

#[test]
fn figures_hold_streams_steps_and_latencies() {
    let mut doc = open(TRACE);
    let all = figures(&mut doc, Options::default());
    assert_eq!(all.devices, ["GPU 0"]);
    let names: Vec<&str> = all.streams.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["stream 7", "stream 20"], "the busiest first");
    for (name, idle) in &all.streams {
        assert_eq!(idle.busy + idle.idle(), all.span.dur(), "{name}");
    }
    let steps: Vec<&str> = all.steps.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!((steps, all.n_steps), (vec!["ProfilerStep#1", "ProfilerStep#2"], 2));
    for (name, step) in &all.steps {
        let sum = step.compute + step.communication + step.copies + step.idle;
        assert_eq!(sum, step.span.dur(), "{name}");
    }
    let latency = &all.latency;
    assert_eq!((latency.kernels, latency.unlaunched, latency.negative), (3, 0, 0));
    assert_eq!((latency.range, latency.median, latency.p95), ((10_000, 28_000), 18_000, 28_000));
    assert_eq!((latency.bins.iter().sum::<u64>(), latency.bins[0], latency.bins[43]), (3, 1, 1));
    assert_eq!((latency.quick, latency.queue), (3, 1));
    assert_eq!(all.communication, (20_000, 10_000), "half of it lies under computing");
    assert!(all.has_launches);
    // The second half only: what is cut counts with its part.
    let half = figures(&mut doc, Options { span: Some(Span::new(100_000, 200_000)), ..Options::default() });
    assert_eq!((half.steps.len(), half.latency.kernels), (1, 2));
    let idle = &half.streams[0].1;
    assert_eq!((idle.busy, idle.reasons[Reason::Ends as usize]), (20_000, 80_000));
    let none = figures(&mut doc, Options { step: "nothing".to_owned(), ..Options::default() });
    assert!(none.steps.is_empty() && none.n_streams == 2);
}

#[test]
fn kernels_and_operators_are_tables() {
    let mut doc = open(TRACE);
    let reply = page(&mut doc, Source::Kernels(Options::default()), wanted(None, ""));
    let texts: Vec<&str> = reply.page.rows[0].iter().map(|cell| cell.text.as_str()).collect();
    assert_eq!(texts[..3], ["k2", "Computing", "stream 7"], "{texts:?}");
    assert_eq!(reply.words, ["5 slices of streams", "56.000 µs"]);
    assert!(matches!(reply.goals[0], [Some(Goal::Slice(_)), Some(Goal::Slice(_))]));
    assert_eq!(values(&mut doc, Source::Kernels(Options::default()), None, "k2").len(), 1);
    let span = Some(Span::new(0, 55_000));
    assert_eq!(values(&mut doc, Source::Kernels(Options { span, ..Options::default() }), None, "").len(), 1);
    let rows = values(&mut doc, Source::Operators(Options::default()), None, "");
    assert_eq!(rows[0], ["aten::c", "1", "15", "15", "40", "40", "2"]);
    let reply = page(&mut doc, Source::Operators(Options::default()), wanted(None, "aten::b"));
    assert_eq!(reply.goals[0][0], Some(Goal::Name("aten::b".to_owned())));
    assert_eq!(reply.words, ["1 operator", "10.000 µs"]);
}

#[test]
fn other_traces_have_empty_figures() {
    let mut doc = open(r#"{"traceEvents":[{"ph":"X","pid":1,"tid":1,"name":"f","ts":0,"dur":8}]}"#);
    let all = figures(&mut doc, Options::default());
    assert!(all.streams.is_empty() && all.steps.is_empty() && all.latency.bins.is_empty());
}
