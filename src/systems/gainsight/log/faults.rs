//! What may be wrong with a log.

use crate::base::fault::{Fault, Kind, Place, Severity, excerpt};
use crate::base::words::{Message, message, phrase};

/// What is wrong.
pub(super) enum Problem<'a> {
    /// An access line is damaged.
    Access,
    /// A status that nobody knows.
    Status(&'a [u8]),
    /// A group of a mapping that caught what it should not.
    Group(&'static str, String),
    /// Cycles run backwards: this one behind that one.
    Backwards(u64, u64),
    /// The end of a kernel is missing.
    End,
    /// The number of cycles of a kernel cannot be read.
    Cycles,
    /// Lines were left out.
    Elision,
    /// Addresses may be cut.
    Short,
    /// Lines and totals differ.
    Totals(Message, Message),
}

fn unexpected(expected: &'static str, found: &[u8]) -> Kind {
    Kind::Unexpected { expected: expected.into(), found: excerpt(found).into() }
}

/// Says it, with the place of the line and the byte inside of it.
#[allow(clippy::too_many_lines)] // one arm for each problem
pub(super) fn fault(
    path: &str,
    problem: Problem,
    line: &[u8],
    (at, number): (u64, u64),
    column: usize,
) -> Fault {
    let (code, severity, kind, note) = match problem {
        Problem::Access => (
            "GPS-ACCESS",
            Severity::Loss,
            unexpected(phrase("an access to a cache"), line.get(column..).unwrap_or(line)),
            phrase("The line is left out."),
        ),
        Problem::Status(status) => (
            "GPS-STATUS",
            Severity::Loss,
            unexpected(phrase("a status from 0 to 5"), status),
            phrase("The line is left out."),
        ),
        Problem::Group(group, found) => (
            "MAP-GROUP",
            Severity::Loss,
            Kind::Problem(
                message("the group {group} of the mapping caught {found}")
                    .with("group", group)
                    .with("found", excerpt(found.as_bytes())),
            ),
            phrase("The line is left out."),
        ),
        Problem::Backwards(cycle, latest) => (
            "GPS-ORDER",
            Severity::Warning,
            Kind::Problem(
                message("cycle {cycle} stands behind cycle {latest}")
                    .with("cycle", cycle)
                    .with("latest", latest),
            ),
            phrase("The lifetimes it belongs to may have wrong lengths."),
        ),
        Problem::End => (
            "GPS-END",
            Severity::Loss,
            Kind::Problem(message("the end of the kernel whose accesses begin here is missing")),
            phrase("It is shown up to its last access."),
        ),
        Problem::Cycles => (
            "GPS-CYCLES",
            Severity::Loss,
            unexpected(phrase("the cycles of a kernel"), line),
            phrase("Its accesses count for the next kernel."),
        ),
        Problem::Elision => (
            "GPS-ELISION",
            Severity::Warning,
            Kind::Problem(message("lines were left out of the log here")),
            phrase("Lifetimes are of the accesses that are there."),
        ),
        Problem::Short => (
            "GPS-ADDRESS",
            Severity::Note,
            Kind::Problem(message("all addresses have at most 32 bits, as some printers cut them")),
            phrase("Data 4 GiB apart may count as one."),
        ),
        Problem::Totals(lines, totals) => (
            "GPS-TOTALS",
            Severity::Warning,
            Kind::Contradiction { a: lines, b: totals },
            phrase("Lifetimes are of the accesses that are there."),
        ),
    };
    let place = Place::byte(path, at.saturating_add(column as u64));
    let number = u32::try_from(number).unwrap_or(u32::MAX);
    let column = u32::try_from(column).unwrap_or(u32::MAX).saturating_add(1);
    Fault::new(code, severity, place.line(number, column), kind).note(note)
}
