//! What the user may set of a schedule. Nothing is computed anew for it: it decides how the schedule is shown and saved.

use super::{Align, ColorBy, Look, Schedule};
use crate::base::unit::Unit;
use crate::base::words::phrase;
use crate::model::parameter::{Parameter, ParameterKind, Values};

/// How units are aligned.
pub static ALIGN: Parameter = Parameter {
    id: "schedule-align",
    title: phrase("Align"),
    help: phrase("where time 0 of each unit is"),
    kind: ParameterKind::Choice(&[
        ("first", phrase("First block")),
        ("raw", phrase("Raw clock")),
        ("timer", phrase("Global timer")),
    ]),
    rereads: false,
};

/// The clock rate that turns cycles into time.
pub static CLOCK: Parameter = Parameter {
    id: "schedule-clock",
    title: phrase("Clock"),
    help: phrase("clock rate for times beside cycles; 0 takes the rate that the file tells"),
    kind: ParameterKind::Number {
        unit: Unit::Megahertz,
        min: 0.0,
        max: 100_000.0,
        default: 0.0,
        none: phrase("not set"),
    },
    rereads: false,
};

/// What decides the colors of blocks.
pub static COLOR: Parameter = Parameter {
    id: "schedule-color",
    title: phrase("Color"),
    help: phrase("what block colors show"),
    kind: ParameterKind::Choice(&[
        ("elapsed", phrase("Elapsed")),
        ("wave", phrase("Wave")),
        ("block", phrase("Block")),
    ]),
    rereads: false,
};

impl Look {
    /// What the user set.
    pub fn of(values: &Values) -> Self {
        let text = |parameter: &Parameter| values.text(parameter.id).unwrap_or_default().to_owned();
        Self::of_texts(&text(&ALIGN), values.number(CLOCK.id), &text(&COLOR))
    }

    /// The same of the values as texts.
    pub fn of_texts(align: &str, mhz: Option<f64>, color: &str) -> Self {
        Self {
            align: match align {
                "raw" => Align::Raw,
                "timer" => Align::Timer,
                _ => Align::First,
            },
            mhz: mhz.filter(|mhz| 0.0 < *mhz && mhz.is_finite()),
            color: match color {
                "wave" => ColorBy::Wave,
                "block" => ColorBy::Block,
                _ => ColorBy::Elapsed,
            },
        }
    }

    /// The id of the alignment, as [`ALIGN`] has it.
    pub fn align_id(&self) -> &'static str {
        match self.align {
            Align::First => "first",
            Align::Raw => "raw",
            Align::Timer => "timer",
        }
    }
}

impl Schedule {
    /// Nanoseconds of a unit of its times; `None` where nothing tells a clock rate.
    pub fn nanos(&self, look: &Look) -> Option<f64> {
        if self.launch.time == Unit::Nanos {
            return Some(1.0);
        }
        let mhz = look.mhz.or_else(|| self.launch.clock.map(|clock| clock.mhz))?;
        Some(1e3 / mhz)
    }
}
