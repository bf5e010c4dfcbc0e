//! What came of begins, ends and arrows: rows of the trace, and faults for everything that is not plain.

use super::events::{Events, One, Tally};
use super::join::pairs::{Begin, End, Outcome};
use super::join::{Arrow, Role};
use crate::base::fault::{Fault, Kind, Place, Severity, excerpt};
use crate::base::number::thousands;
use crate::base::words::{Message, message, phrase};
use crate::format::Sink;
use crate::input::json::stream::SHOWN;
use crate::model::id::StrId;
use crate::model::slice::SliceRow;
use crate::model::strings::Strings;

const OPEN_FLOWS: &str = "flow starts without an end";
const ORPHAN_FLOWS: &str = "flow ends without a start";

/// Flow events that are joined in one step.
const FLOWS_OF_A_STEP: usize = 1 << 15;

impl Events {
    /// Nothing follows and nothing is left to settle: everything that waits comes to something, tracks get their final places.
    pub fn finish(&mut self, sink: &mut Sink) {
        let waiting = self.pairs.latest().max(self.asyncs.pairs.latest());
        let last = sink.builder.trace().span.map(|span| span.end).max(waiting).unwrap_or(0);
        self.pairs.finish(last, &mut self.outcomes);
        self.asyncs.pairs.finish(last, &mut self.outcomes);
        self.settle_outcomes(sink);
        let (begins, ends) = self.flags.finish();
        self.outcomes.extend(begins.into_iter().map(Outcome::Open));
        self.outcomes.extend(ends.into_iter().map(Outcome::Orphan));
        self.settle_outcomes(sink);
        self.report_lonely(sink);
        self.report_counted(sink);
        self.finish_memory(sink);
        self.tracks.finish(sink);
        super::device::place(self.options.entry, sink);
        if self.options.block.is_empty() {
            let of = (self.options.entry, self.options.path.as_str());
            self.top.finish(&self.tally, of, sink);
        }
    }

    /// Writes what came of begins and ends.
    pub(super) fn settle_outcomes(&mut self, sink: &mut Sink) {
        let mut outcomes = std::mem::take(&mut self.outcomes);
        for outcome in outcomes.drain(..) {
            match outcome {
                Outcome::Slice(begin) => sink.builder.slice(begin.track, begin.row),
                Outcome::Mismatch(begin, end) => {
                    sink.builder.slice(begin.track, begin.row);
                    self.report_names("TEV-MISMATCH", &begin, &end, sink);
                }
                Outcome::Crossed(begin, end) => {
                    sink.builder.slice(begin.track, begin.row);
                    self.report_crossed(&begin, &end, sink);
                }
                Outcome::Backwards(begin, end) => {
                    sink.builder.slice(begin.track, begin.row);
                    self.report_backwards(&begin, &end, sink);
                }
                Outcome::Orphan(end) => {
                    sink.builder.instant(end.track, end.time, end.name, end.category, end.detail);
                    self.report_orphan(&end, sink);
                }
                Outcome::Open(begin) => {
                    // What an operator sets and nobody waits for takes no time.
                    let row = SliceRow { is_unfinished: !self.is_operator, ..begin.row };
                    sink.builder.slice(begin.track, row);
                    self.report_open(&begin, sink);
                }
            }
        }
        self.outcomes = outcomes;
    }

    #[cold]
    fn report_names(&self, code: &'static str, begin: &Begin, end: &End, sink: &mut Sink) {
        let kind = Kind::Contradiction {
            a: message("the innermost open slice is {name}")
                .with_message("name", quoted(begin.row.name, sink)),
            b: message("the end event names {name}").with_message("name", quoted(end.name, sink)),
        };
        let fault = Fault::new(code, Severity::Warning, self.place(end.detail.0, end.event), kind);
        sink.fault(fault.note("The end closes the innermost open slice."));
    }

    #[cold]
    fn report_crossed(&self, begin: &Begin, end: &End, sink: &mut Sink) {
        let kind = Kind::Contradiction {
            a: message("{name} ends").with_message("name", quoted(begin.row.name, sink)),
            b: message("slices inside it continue"),
        };
        let fault = Fault::new("TEV-CROSSED", Severity::Note, self.place(end.detail.0, end.event), kind);
        sink.fault(fault.note("Drawn as partly overlapping."));
    }

    #[cold]
    fn report_backwards(&self, begin: &Begin, end: &End, sink: &mut Sink) {
        let kind = Kind::Contradiction {
            a: message("the end of {name} comes first").with_message("name", quoted(begin.row.name, sink)),
            b: message("its start is event {n}").with("n", thousands(begin.event.cast_signed())),
        };
        let fault = Fault::new("TEV-ORDER", Severity::Note, self.place(end.detail.0, end.event), kind);
        sink.fault(fault.note("Both are treated as one slice."));
    }

    #[cold]
    fn report_orphan(&self, end: &End, sink: &mut Sink) {
        let kind = Kind::Problem(
            message("{name} ends without a start").with_message("name", quoted(end.name, sink)),
        );
        let place = self.place(end.detail.0, end.event);
        // Recording may have started inside the slice, but a simulator writes both ends.
        let severity = if self.is_operator { Severity::Warning } else { Severity::Note };
        let fault = Fault::new("TEV-ORPHAN-END", severity, place, kind);
        sink.fault(fault.note("Shown as an instant."));
    }

    #[cold]
    fn report_open(&self, begin: &Begin, sink: &mut Sink) {
        let kind =
            Kind::Problem(message("{name} never ends").with_message("name", quoted(begin.row.name, sink)));
        let place = self.place(begin.row.detail_start, begin.event);
        let is_normal = !self.is_operator && !begin.is_outside;
        let severity = if is_normal { Severity::Note } else { Severity::Warning };
        let fault = Fault::new("TEV-OPEN-BEGIN", severity, place, kind);
        let note = if self.is_operator {
            "The slice is shown with zero duration."
        } else {
            "The slice extends to the end of the trace."
        };
        sink.fault(fault.note(note));
    }

    /// Works on some of what is only known once all was read: flows and samples. False when nothing is left to do.
    pub fn settle(&mut self, sink: &mut Sink) -> bool {
        self.join_flows(sink) || self.settle_samples(sink)
    }

    /// Joins some of the flow events; false when all are joined.
    fn join_flows(&mut self, sink: &mut Sink) -> bool {
        let (mut arrows, mut lonely) = (Vec::new(), Vec::new());
        let is_by_time = !self.is_operator;
        let goes_on = self.flows.join(is_by_time, FLOWS_OF_A_STEP, &mut arrows, &mut lonely)
            || self.bound.join(is_by_time, FLOWS_OF_A_STEP, &mut arrows, &mut lonely);
        for Arrow { key: (category, id, _), from, to } in arrows {
            sink.builder.flow(id, category, from.name, from.end, to.end);
        }
        for point in lonely {
            let is_start = point.role == Role::Start;
            if !point.is_bound {
                self.tally.flows -= 1;
                self.leave_out(if is_start { OPEN_FLOWS } else { ORPHAN_FLOWS }.into(), sink);
            }
            let (first, n) = if is_start { &mut self.lonely.0 } else { &mut self.lonely.1 };
            *n += 1;
            if first.is_none_or(|first| point.event < first.event) {
                *first = Some(point);
            }
        }
        goes_on
    }

    /// Flow events without another end: told once with their number. Profilers write them by design, for work outside
    /// the recording or the selected activities, but a simulator writes both ends.
    fn report_lonely(&mut self, sink: &mut Sink) {
        let severity = if self.is_operator { Severity::Warning } else { Severity::Note };
        let (starts, ends) = std::mem::take(&mut self.lonely);
        for (code, (first, n), text) in [
            ("TEV-OPEN-FLOW", starts, message("{n} flow starts without an end")),
            ("TEV-ORPHAN-FLOW", ends, message("{n} flow ends without a start")),
        ] {
            let Some(first) = first else { continue };
            let kind = Kind::Problem(text.with("n", thousands(n.cast_signed())));
            let fault = Fault::new(code, severity, self.place(first.at, first.event), kind);
            sink.fault(fault.note("No flow is drawn."));
        }
    }

    /// What is odd in many events and changes little: once for each file, with its number.
    fn report_counted(&mut self, sink: &mut Sink) {
        let (escapes, gaps) = (std::mem::take(&mut self.escapes), std::mem::take(&mut self.gaps));
        for (code, of, text, note) in [
            (
                "TEV-ESCAPE",
                escapes,
                message("{n} names with escapes unknown to JSON"),
                phrase("They are shown as they stand; halves of surrogate pairs as �."),
            ),
            ("TEV-NAN", gaps, message("{n} counter values are NaN"), phrase("They are shown as gaps.")),
        ] {
            if 0 < of.n {
                let kind = Kind::Problem(text.with("n", thousands(of.n.cast_signed())));
                let place = self.place(of.first.0, of.first.1);
                sink.fault(Fault::new(code, Severity::Note, place, kind).note(note));
            }
        }
    }

    /// A slice with the id of an arrow that neither comes in nor goes out.
    #[cold]
    pub(super) fn report_no_direction(&self, one: &One, sink: &mut Sink) {
        let kind = Kind::Unexpected { expected: "flow_in or flow_out".into(), found: "neither".into() };
        let fault = Fault::new("TEV-FLOW-WAY", Severity::Note, self.place(one.at, one.number), kind);
        sink.fault(fault.note("No flow is drawn."));
    }

    /// The kind of the trace is said where it is too late.
    #[cold]
    pub(super) fn report_late_type(place: Place, sink: &mut Sink) {
        let kind = Kind::Contradiction {
            a: message("the events were read as a general trace"),
            b: message("profilingType says operator"),
        };
        let fault = Fault::new("TEV-LATE-TYPE", Severity::Warning, place, kind);
        sink.fault(fault.note("This is detected only before the events or in the last 64 KiB of the file."));
    }
}

impl Tally {
    /// The kinds with what a person calls them and how many there were.
    pub fn rows(&self) -> [(&'static str, u64); 11] {
        [
            (phrase("Slices"), self.complete),
            (phrase("Slice begins"), self.begins),
            (phrase("Slice ends"), self.ends),
            (phrase("Instants"), self.instants),
            (phrase("Counter samples"), self.counters),
            (phrase("Flow starts and ends"), self.flows),
            (phrase("Slices with flows"), self.bound),
            (phrase("Parts of CPU profiles"), self.profiles),
            (phrase("CPU samples"), self.sampled),
            (phrase("Names and sort order"), self.metadata),
            (phrase("Skipped"), self.dropped),
        ]
    }
}

fn quoted(name: StrId, sink: &Sink) -> Message {
    match name {
        Strings::EMPTY => message("an unnamed event"),
        name => {
            let text: String = sink.builder.trace().strings.get(name).chars().take(80).collect();
            format!("\"{text}\"").into()
        }
    }
}

/// What stands at damage, to the end of its line.
pub(super) fn shown(found: &[u8]) -> String {
    let end = found.iter().skip(1).take(SHOWN).position(|&b| b == b'\n');
    excerpt(end.and_then(|n| found.get(..=n)).unwrap_or(found))
}
