//! What one wants to know of a kernel and no file says: how busy each pipe was, what waited for what, which lines cost
//! most, what each kind of instruction moved. Computed of slices, flows and listings when somebody asks for it.

mod hot;
mod pipes;
mod waits;

use super::timeline::Timeline;
use crate::base::map::Map;
use crate::base::time::Clock;
use crate::base::unit::Unit;
use crate::base::words::phrase;
use crate::model::Trace;
use crate::model::figure::{Family, Figure, TableColumn};

/// The panel of all of them.
pub const SECTION: &str = phrase("Computed");

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

/// One figure that is computed.
pub struct Extra {
    /// Stable id.
    pub id: &'static str,
    /// What a person reads.
    pub title: &'static str,
    /// Kind of its body, such as `table`.
    pub kind: &'static str,
    /// How many of the page's three columns it takes.
    pub columns: u8,
    /// Whether the trace holds what it is computed of. Costs little: it is asked often.
    is_there: fn(&Trace) -> bool,
    /// Computes it. Costs the slices or the instructions once.
    make: fn(&Trace, &Timeline) -> Figure,
}

/// All of them, in the order they are shown.
static EXTRAS: [Extra; 5] = [
    Extra {
        id: "pipe-utilization",
        title: phrase("Utilization of pipes"),
        kind: "matrix",
        columns: 2,
        is_there: pipes::is_there,
        make: pipes::utilization,
    },
    Extra {
        id: "pipe-times",
        title: phrase("Time of pipes"),
        kind: "table",
        columns: 2,
        is_there: pipes::is_there,
        make: pipes::times,
    },
    Extra {
        id: "waits",
        title: phrase("Flags set and waited for"),
        kind: "table",
        columns: 2,
        is_there: waits::is_there,
        make: waits::figure,
    },
    Extra {
        id: "hottest-lines",
        title: phrase("Hottest lines"),
        kind: "table",
        columns: 2,
        is_there: hot::has_lines,
        make: hot::lines,
    },
    Extra {
        id: "instruction-kinds",
        title: phrase("Instructions by pipe and kind"),
        kind: "table",
        columns: 2,
        is_there: hot::has_instructions,
        make: hot::kinds,
    },
];

impl Extra {
    /// Computes it.
    pub fn family(&self, trace: &Trace, timeline: &Timeline) -> Family {
        let mut figure = (self.make)(trace, timeline);
        self.title.clone_into(&mut figure.title);
        Family::single(self.id, SECTION, figure)
    }
}

/// The figures that were computed so far.
#[derive(Default)]
pub struct Extras(Map<&'static str, Family>);

impl Extras {
    /// The figures that can be computed of a trace.
    pub fn of(trace: &Trace) -> impl Iterator<Item = &'static Extra> {
        EXTRAS.iter().filter(|extra| (extra.is_there)(trace))
    }

    /// Computes a figure; the second time costs nothing.
    pub fn prepare(&mut self, trace: &Trace, timeline: &Timeline, id: &str) {
        if let Some(extra) = Self::of(trace).find(|extra| extra.id == id) {
            self.0.entry(extra.id).or_insert_with(|| extra.family(trace, timeline));
        }
    }

    /// A figure that was computed.
    pub fn figure(&self, id: &str) -> Option<&Family> {
        self.0.get(id)
    }
}
