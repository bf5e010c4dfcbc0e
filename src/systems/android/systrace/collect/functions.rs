//! Calls of functions that the kernel traces: scopes of the thread that runs them.

use super::{Collector, Ended, Mark, Open, Scope, Scopes, shortened};
use crate::base::time::{Span, Ticks};
use crate::format::Sink;
use crate::model::id::StrId;
use crate::model::strings::Strings;

impl Collector {
    /// A function begins. Constant time.
    pub(crate) fn called(&mut self, row: &Mark, name: &str, sink: &mut Sink) {
        self.time(row.time);
        let at = self.seen(row, sink);
        let name = sink.builder.intern(shortened(name));
        if let Some(thread) = self.threads.get(at) {
            let around = thread.scopes.around();
            thread.scopes.begin(Scope { around, ..scope(row, name) });
        }
    }

    /// A function ends: the innermost of its name, without a name the innermost scope. Exact times count where they are
    /// known; a function that began before the recording has no others.
    pub(crate) fn returned(&mut self, row: &Mark, (name, exact): (&str, Option<Span>), sink: &mut Sink) {
        self.time(row.time);
        let at = self.seen(row, sink);
        let name = (!name.is_empty()).then(|| sink.builder.intern(shortened(name)));
        let Some(thread) = self.threads.get(at) else { return };
        let ended = match (name, exact) {
            (None, _) => thread.scopes.end(),
            (Some(name), exact) => match (thread.scopes.end_of(name), exact) {
                (Ended::Nothing, Some(_)) => Ended::Scope(scope(row, name)),
                (ended, _) => ended,
            },
        };
        match (ended, exact) {
            (Ended::Scope(begun), Some(exact)) => {
                self.time(exact.start);
                self.slice(at, &Scope { time: exact.start, ..begun }, (exact.end, false), sink);
            }
            (ended, _) => self.ended(at, ended, row, sink),
        }
    }

    /// A function lasts so long, and nothing in it is traced.
    pub(crate) fn ran_through(&mut self, row: &Mark, (name, dur): (&str, Ticks), sink: &mut Sink) {
        let end = row.time.saturating_add(dur);
        self.time(row.time);
        self.time(end);
        let at = self.seen(row, sink);
        let name = sink.builder.intern(shortened(name));
        self.slice(at, &scope(row, name), (end, false), sink);
    }
}

impl Scopes {
    /// Ends the innermost scope of a name.
    fn end_of(&mut self, name: StrId) -> Ended {
        let is_meant = |open: &Open| matches!(open, Open::Scope(scope) if scope.name == name);
        match self.open.iter().rposition(is_meant).map(|at| self.open.remove(at)) {
            Some(Open::Scope(scope)) => Ended::Scope(scope),
            _ => Ended::Nothing,
        }
    }
}

/// A scope of a row that has nothing to do with NNAPI.
fn scope(row: &Mark, name: StrId) -> Scope {
    Scope {
        time: row.time,
        name,
        category: Strings::EMPTY,
        color: Strings::EMPTY,
        start: row.place.start,
        len: row.place.len,
        line: row.place.line,
        around: None,
    }
}
