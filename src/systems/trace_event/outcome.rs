//! What came of begins, ends and arrows: rows of the trace, and faults for everything that is not plain.

use super::events::{Events, One, Tally};
use super::join::flows::Point;
use super::join::pairs::{Begin, End, Outcome};
use crate::base::fault::{Fault, Kind, Place, Severity};
use crate::base::number::thousands;
use crate::base::words::{message, phrase};
use crate::format::sink::Sink;
use crate::model::id::StrId;
use crate::model::strings::Strings;

const OPEN_FLOWS: &str = "flow starts without an end";
const ORPHAN_FLOWS: &str = "flow ends without a start";

impl Events {
    /// Nothing follows: everything that waits comes to something, tracks get their final places.
    pub fn finish(&mut self, sink: &mut Sink) {
        let last = sink.builder.trace().span.map_or(0, |s| s.end);
        self.pairs.finish(last, &mut self.outcomes);
        self.asyncs.pairs.finish(last, &mut self.outcomes);
        self.settle_outcomes(sink);
        let (begins, ends) = self.flags.finish();
        self.outcomes.extend(begins.into_iter().map(Outcome::Open));
        self.outcomes.extend(ends.into_iter().map(Outcome::Orphan));
        self.settle_outcomes(sink);
        for (starts, ends) in [self.flows.finish(), self.bound.finish()] {
            for point in starts {
                let what = phrase("flow start without an end");
                self.report_unpaired_flow("TEV-OPEN-FLOW", what, OPEN_FLOWS, &point, sink);
            }
            for point in ends {
                let what = phrase("flow end without a start");
                self.report_unpaired_flow("TEV-ORPHAN-FLOW", what, ORPHAN_FLOWS, &point, sink);
            }
        }
        self.finish_memory(sink);
        self.tracks.finish(sink);
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
                    sink.builder.slice(begin.track, begin.row);
                    self.report_open(&begin, sink);
                }
            }
        }
        self.outcomes = outcomes;
    }

    #[cold]
    fn report_names(&self, code: &'static str, begin: &Begin, end: &End, sink: &mut Sink) {
        let kind = Kind::Contradiction {
            a: message("the innermost open slice is {name}").with("name", quoted(begin.row.name, sink)),
            b: message("the end event names {name}").with("name", quoted(end.name, sink)),
        };
        let fault = Fault::new(code, Severity::Warning, self.place(end.detail.0, end.event), kind);
        sink.fault(fault.note("The end closes the innermost open slice."));
    }

    #[cold]
    fn report_crossed(&self, begin: &Begin, end: &End, sink: &mut Sink) {
        let kind = Kind::Contradiction {
            a: message("{name} ends").with("name", quoted(begin.row.name, sink)),
            b: message("slices inside it continue"),
        };
        let fault = Fault::new("TEV-CROSSED", Severity::Note, self.place(end.detail.0, end.event), kind);
        sink.fault(fault.note("Drawn as partly overlapping."));
    }

    #[cold]
    fn report_backwards(&self, begin: &Begin, end: &End, sink: &mut Sink) {
        let kind = Kind::Contradiction {
            a: message("the end of {name} comes first").with("name", quoted(end.name, sink)),
            b: message("its begin is event {n}").with("n", thousands(begin.event.cast_signed())),
        };
        let fault = Fault::new("TEV-ORDER", Severity::Note, self.place(end.detail.0, end.event), kind);
        sink.fault(fault.note("Both are treated as one slice."));
    }

    #[cold]
    fn report_orphan(&self, end: &End, sink: &mut Sink) {
        let kind = Kind::Problem(message("{name} ends without a begin").with("name", quoted(end.name, sink)));
        let place = self.place(end.detail.0, end.event);
        let fault = Fault::new("TEV-ORPHAN-END", Severity::Warning, place, kind);
        sink.fault(fault.note("Shown as an instant."));
    }

    #[cold]
    fn report_open(&self, begin: &Begin, sink: &mut Sink) {
        let kind = Kind::Problem(message("{name} never ends").with("name", quoted(begin.row.name, sink)));
        let place = self.place(begin.row.detail_start, begin.event);
        let fault = Fault::new("TEV-OPEN-BEGIN", Severity::Warning, place, kind);
        let note = if self.is_operator {
            "The slice is shown with zero duration."
        } else {
            "The slice extends to the end of the trace."
        };
        sink.fault(fault.note(note));
    }

    /// A start of an id that had one.
    #[cold]
    pub(super) fn report_again(&mut self, old: &Point, is_used: bool, new: &Point, sink: &mut Sink) {
        let first = message("event {n} starts a flow with the same id");
        let kind = Kind::Contradiction {
            a: first.with("n", thousands(old.event.cast_signed())),
            b: message("it starts again here"),
        };
        let (severity, note) = if is_used {
            (Severity::Note, "Later ends belong to the new start.")
        } else {
            (Severity::Warning, "The first start has no end and is skipped.")
        };
        sink.fault(Fault::new("TEV-DUP-FLOW", severity, self.place(new.at, new.event), kind).note(note));
        if !is_used && !old.is_bound {
            self.tally.flows -= 1;
            self.leave_out(OPEN_FLOWS.into(), sink);
        }
    }

    fn report_unpaired_flow(
        &mut self,
        code: &'static str,
        what: &'static str,
        reason: &'static str,
        point: &Point,
        sink: &mut Sink,
    ) {
        let fault = Fault::new(
            code,
            Severity::Warning,
            self.place(point.at, point.event),
            Kind::Problem(what.into()),
        );
        sink.fault(fault.note("No flow is drawn."));
        if !point.is_bound {
            self.tally.flows -= 1;
            self.leave_out(reason.into(), sink);
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
        sink.fault(
            fault.note("This is only recognized before the events or in the last 64 KiB of the file."),
        );
    }
}

impl Tally {
    /// The kinds with what a person calls them and how many there were.
    pub fn rows(&self) -> [(&'static str, u64); 9] {
        [
            ("Slices", self.complete),
            ("Slice begins", self.begins),
            ("Slice ends", self.ends),
            ("Instants", self.instants),
            ("Counter samples", self.counters),
            ("Flow starts and ends", self.flows),
            ("Slices with flows", self.bound),
            ("Names and sort order", self.metadata),
            ("Skipped", self.dropped),
        ]
    }
}

fn quoted(name: StrId, sink: &Sink) -> String {
    match name {
        Strings::EMPTY => "nothing".to_owned(),
        name => {
            let text: String = sink.builder.trace().strings.get(name).chars().take(80).collect();
            format!("\"{text}\"")
        }
    }
}
