//! Columns of tables: what their values are, which of them are read, and what is said of those that cannot be.

use super::parquet::MAX_VALUES;
use super::read::Table;
use crate::base::fault::{Fault, Kind, Place, Severity};
use crate::base::number;
use crate::base::words::{message, phrase};
use std::rc::Rc;

/// What the values of a column are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    Text,
    /// Whole numbers: engines make them of texts such as the run 12.
    Whole,
    Number,
    /// Times in nanoseconds, whatever the unit in the file.
    Duration,
    /// Days since 1970.
    Day,
    /// There is none.
    Nothing,
    /// What is not read.
    Other,
}

/// What values are called of which nobody knows what they are.
pub(super) const UNKNOWN: &str = phrase("an unknown type");

/// What a file says of a column.
#[derive(Clone, Debug)]
pub(super) struct Head {
    pub(super) name: String,
    pub(super) what: What,
    /// What the format calls its values.
    pub(super) called: &'static str,
}

/// Where a column is.
pub(super) enum Found<'a> {
    /// Its number among those that are not nested.
    At(usize, &'a Head),
    /// It is a field of the column of this name.
    Within(&'a str),
    Missing,
}

/// What a file says of all columns.
#[derive(Debug, Default)]
pub(super) struct Heads {
    pub(super) columns: Vec<Head>,
    /// Names of fields, each with the number of the column that has it.
    pub(super) fields: Vec<(String, usize)>,
}

impl Heads {
    pub(super) fn find(&self, name: &str) -> Found<'_> {
        if let Some((at, head)) = self.columns.iter().enumerate().find(|(_, head)| head.name == name) {
            return Found::At(at, head);
        }
        let field = self.fields.iter().find(|(field, _)| field == name);
        let of = field.and_then(|(_, at)| self.columns.get(*at));
        of.map_or(Found::Missing, |head| Found::Within(&head.name))
    }
}

/// What a whole number of a file is in the unit of its column: so many times this, divided by that.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    times: f64,
    by: f64,
}

impl Scale {
    pub(super) const ONE: Self = Self { times: 1.0, by: 1.0 };

    /// Of numbers with so many digits behind the point.
    pub(super) fn decimal(digits: i64) -> Option<Self> {
        let power = |digits: i64| format!("1e{digits}").parse().ok();
        let digits = Some(digits).filter(|digits| (-76..=76).contains(digits))?;
        // Powers of ten are exact, their inverses are not.
        Some(Self { times: power((-digits).max(0))?, by: power(digits.max(0))? })
    }

    /// Of seconds, milliseconds, microseconds and nanoseconds to nanoseconds.
    pub(super) fn nanos(unit: i64) -> Option<Self> {
        let times = [1e9, 1e6, 1e3, 1.0].get(usize::try_from(unit).ok()?).copied()?;
        Some(Self { times, by: 1.0 })
    }

    pub(super) fn of(self, number: f64) -> f64 {
        number * self.times / self.by
    }
}

/// A number of 16 bits with a point.
pub(super) fn half(bits: u16) -> f64 {
    let (exponent, rest) = (i32::from(bits >> 10 & 0x1F), f64::from(bits & 0x3FF));
    let size = match exponent {
        0 => rest * 2_f64.powi(-24),
        31 if rest == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1024.0 + rest) * 2_f64.powi(exponent - 25),
    };
    if bits >> 15 == 1 { -size } else { size }
}

/// A whole number with a sign of up to 16 bytes, the highest first.
pub(super) fn signed<'a>(mut bytes: impl Iterator<Item = &'a u8>) -> f64 {
    let first = i128::from(bytes.next().map_or(0, |byte| byte.cast_signed()));
    bytes.fold(first, |all, byte| all << 8 | i128::from(*byte)) as f64
}

/// A day as it stands in names of folders: `2026-11-21`.
pub(super) fn day(days: i64) -> String {
    let text = number::date(days.saturating_mul(86_400_000_000_000));
    text.split(' ').next().unwrap_or_default().to_owned()
}

/// Values of a column; what is missing is `None`, or the number [`NONE`].
#[derive(Clone, Debug)]
pub(super) enum Values {
    Numbers(Vec<Option<f64>>),
    /// Each row by its number in the pool.
    Texts(Vec<u32>, Rc<Vec<String>>),
}

/// No text.
pub(super) const NONE: u32 = u32::MAX;

impl Values {
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Numbers(values) => values.len(),
            Self::Texts(values, _) => values.len(),
        }
    }

    /// With more of the same kind behind them; `None` where they are too many.
    pub(super) fn and(mut self, more: Self) -> Option<Self> {
        match (&mut self, more) {
            (Self::Numbers(all), Self::Numbers(more)) => all.extend(more),
            (Self::Texts(all, pool), Self::Texts(more, more_pool)) => {
                let before = pool.len() as u32;
                all.extend(more.into_iter().map(|at| if at == NONE { NONE } else { at + before }));
                Rc::make_mut(pool).extend(more_pool.iter().cloned());
            }
            _ => return None,
        }
        (self.len() <= MAX_VALUES).then_some(self)
    }

    pub(super) fn number(&self, row: usize) -> Option<f64> {
        match self {
            Self::Numbers(values) => values.get(row).copied().flatten(),
            Self::Texts(..) => None,
        }
    }

    pub(super) fn text(&self, row: usize) -> &str {
        match self {
            Self::Texts(values, pool) => {
                values.get(row).and_then(|at| pool.get(*at as usize)).map_or("", String::as_str)
            }
            Self::Numbers(_) => "",
        }
    }
}

/// As what a column is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum As {
    Text,
    Number,
    Nanos,
}

impl As {
    /// Whether values can be read so.
    pub(super) fn can_be(self, what: What) -> bool {
        match what {
            What::Nothing => true,
            What::Text | What::Day => self == Self::Text,
            What::Whole => true,
            What::Number => self != Self::Text,
            What::Duration => self == Self::Nanos,
            What::Other => false,
        }
    }

    fn expected(self) -> &'static str {
        match self {
            Self::Text => phrase("texts or whole numbers"),
            Self::Number => phrase("numbers"),
            Self::Nanos => phrase("numbers or durations"),
        }
    }
}

/// A column that is read.
pub(super) struct Wanted {
    pub(super) name: &'static str,
    pub(super) read_as: As,
    need: Need,
}

/// What is shown without a column.
enum Need {
    /// Nothing.
    All,
    /// The rows, less clear than with it.
    Part(&'static str),
    /// The same, as something else stands for it.
    None(&'static str),
}

const fn all(name: &'static str, read_as: As) -> Wanted {
    Wanted { name, read_as, need: Need::All }
}

const fn part(name: &'static str, without: &'static str) -> Wanted {
    Wanted { name, read_as: As::Text, need: Need::Part(without) }
}

const ID: Wanted = all("trace_id", As::Text);
/// Files of single traces have it in their path.
const RUN: Wanted = Wanted {
    name: "run",
    read_as: As::Text,
    need: Need::None(phrase("The run is taken from the file path.")),
};
const IN_NAMES: &str = phrase("Rows that differ only in it count as one.");

const STEP: Wanted = Wanted {
    name: "step",
    read_as: As::Text,
    need: Need::None(phrase("Launches per step are not counted.")),
};

/// Engines make fractions of whole numbers where some are missing.
const RANK: Wanted =
    Wanted { name: "rank", read_as: As::Number, need: Need::None(phrase("All ranks are taken together.")) };

const KERNELS: &[Wanted] =
    &[ID, RUN, STEP, RANK, all("name", As::Text), all("class", As::Text), all("dur", As::Nanos)];
const METRICS: &[Wanted] = &[
    ID,
    RUN,
    part("figure", IN_NAMES),
    part("choice", IN_NAMES),
    part("name", IN_NAMES),
    part("subject", IN_NAMES),
    part("unit", phrase("Values are shown without a unit.")),
    all("value", As::Number),
];
const FINDINGS: &[Wanted] = &[ID, RUN, all("code", As::Text), part("subject", IN_NAMES)];
const TRACES: &[Wanted] = &[ID, part("name", phrase("Traces are shown by their ids."))];

/// The columns of a table that are read.
pub(super) fn of_table(table: Table) -> &'static [Wanted] {
    match table {
        Table::Kernels => KERNELS,
        Table::Metrics => METRICS,
        Table::Findings => FINDINGS,
        Table::Traces => TRACES,
    }
}

/// What is said of the columns of a file, and whether its rows can be read.
pub(super) fn check(path: &str, heads: &Heads, table: Table) -> (Vec<Fault>, bool) {
    let (mut faults, mut is_read) = (Vec::new(), true);
    for wanted in of_table(table) {
        let unread = |found| Kind::Unexpected { expected: wanted.read_as.expected().into(), found };
        let (is_there, kind) = match heads.find(wanted.name) {
            Found::At(_, head) if wanted.read_as.can_be(head.what) => continue,
            Found::At(_, head) => (true, unread(head.called.into())),
            Found::Within(column) => {
                (true, unread(message("a nested field of {column}").with("column", column)))
            }
            Found::Missing => {
                (false, Kind::Problem(message("column {name} is missing").with("name", wanted.name)))
            }
        };
        let (severity, note) = match wanted.need {
            Need::None(_) if !is_there => continue,
            Need::All => (Severity::Loss, phrase("The file is not read.")),
            Need::Part(note) if !is_there => (Severity::Warning, note),
            Need::Part(note) | Need::None(note) => (Severity::Loss, note),
        };
        is_read &= !matches!(wanted.need, Need::All);
        let mut place = Place::entry(path);
        if is_there {
            place = place.block(message("column {name}").with("name", wanted.name));
        }
        faults.push(Fault::new("DST-COLUMN", severity, place, kind).note(note));
    }
    (faults, is_read)
}

/// The text of a row of a column, if there is one.
pub(super) fn text_of(of: Option<&Values>, row: usize) -> &str {
    of.map_or("", |of| of.text(row))
}
