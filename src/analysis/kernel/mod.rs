//! What one wants to know of a kernel and no file says: how busy each pipe was, what waited for what, which lines cost
//! most, what each kind of instruction moved. Computed of slices, flows and listings when somebody asks for it.

mod hot;
mod pipes;
mod waits;

use super::extras::Extra;
use crate::base::time::Clock;
use crate::base::unit::Unit;
use crate::base::words::phrase;
use crate::model::figure::TableColumn;

/// The panel of all of them.
const SECTION: &str = phrase("Computed");

/// What ticks of a clock are counted in.
fn ticks(clock: Clock) -> Unit {
    match clock {
        Clock::Nanos => Unit::Nanos,
        Clock::Cycles { .. } => Unit::Cycles,
        Clock::Steps => Unit::None,
    }
}

/// Head of a column.
fn column(name: &str, unit: Unit, has_bar: bool) -> TableColumn {
    TableColumn { name: name.to_owned(), unit, has_bar, ..TableColumn::default() }
}

/// All of them, in the order they are shown.
pub(super) static EXTRAS: &[Extra] = &[
    Extra {
        id: "pipe-utilization",
        title: phrase("Utilization of pipes"),
        section: SECTION,
        kind: "matrix",
        columns: 2,
        is_there: |ground| pipes::is_there(ground.trace),
        choices: Extra::no_choices,
        make: |ground, _| pipes::utilization(ground.trace, ground.timeline),
    },
    Extra {
        id: "pipe-times",
        title: phrase("Time of pipes"),
        section: SECTION,
        kind: "table",
        columns: 2,
        is_there: |ground| pipes::is_there(ground.trace),
        choices: Extra::no_choices,
        make: |ground, _| pipes::times(ground.trace, ground.timeline),
    },
    Extra {
        id: "waits",
        title: phrase("Flags set and waited for"),
        section: SECTION,
        kind: "table",
        columns: 2,
        is_there: |ground| waits::is_there(ground.trace),
        choices: Extra::no_choices,
        make: |ground, _| waits::figure(ground.trace, ground.timeline),
    },
    Extra {
        id: "hottest-lines",
        title: phrase("Hottest lines"),
        section: SECTION,
        kind: "table",
        columns: 2,
        is_there: |ground| hot::has_lines(ground.trace),
        choices: Extra::no_choices,
        make: |ground, _| hot::lines(ground.trace, ground.timeline),
    },
    Extra {
        id: "instruction-kinds",
        title: phrase("Instructions by pipe and kind"),
        section: SECTION,
        kind: "table",
        columns: 2,
        is_there: |ground| hot::has_instructions(ground.trace),
        choices: Extra::no_choices,
        make: |ground, _| hot::kinds(ground.trace, ground.timeline),
    },
];
