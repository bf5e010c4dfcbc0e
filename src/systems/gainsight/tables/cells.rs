//! Faults of tables, and numbers in their cells.

use crate::base::fault::{Fault, Kind, Place, Severity, excerpt};
use crate::base::words::{Message, phrase};

/// A number of a cell; none for what is none.
pub(super) fn number(cell: &[u8]) -> Option<f64> {
    std::str::from_utf8(cell.trim_ascii()).ok()?.parse::<f64>().ok().filter(|number| number.is_finite())
}

/// A whole number that may be written with a point.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // it has bounds
pub(super) fn whole(cell: &[u8]) -> Option<u64> {
    let cell = cell.trim_ascii();
    std::str::from_utf8(cell).ok()?.parse::<u64>().ok().or_else(|| {
        number(cell).filter(|number| (0.0..1.8e19).contains(number)).map(|number| number.round() as u64)
    })
}

/// A cell that holds something else.
pub(super) fn unexpected(
    path: &str,
    (at, line): (u64, u64),
    expected: &'static str,
    found: &[u8],
    note: Message,
) -> Fault {
    let line = u32::try_from(line).unwrap_or(u32::MAX);
    let kind = Kind::Unexpected { expected: expected.into(), found: excerpt(found).into() };
    Fault::new("GSC-CELL", Severity::Loss, Place::byte(path, at).line(line, 1), kind).note(note)
}

/// The consequence of a row that is left out.
pub(super) const ROW: &str = phrase("The row is left out.");
