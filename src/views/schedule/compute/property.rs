//! What blocks can have in common: a value of a coordinate, a range, every so many values, units.

use super::Schedule;
use crate::base::words::{Message, message};
use serde::{Deserialize, Serialize};
use std::ops::{Range, RangeInclusive};

/// Coordinates, units and waves with more values are not looked at.
const VALUES: usize = 1 << 16;
/// Which multiples of a coordinate are looked at; two are odd and even.
pub(super) const RESIDUES: RangeInclusive<u32> = 3..=32;
/// Most units that are all listed by their ids.
const LISTED: usize = 12;
/// Those that are listed of more.
const FIRST: usize = 6;

/// What blocks have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Property {
    /// A value of a key.
    Is(Key, u32),
    /// Another value.
    IsNot(Key, u32),
    /// An odd one.
    Odd(Key),
    /// An even one.
    Even(Key),
    /// This value or a greater one.
    AtLeast(Key, u32),
    /// A smaller one.
    Below(Key, u32),
    /// From the first value to before the second.
    Within(Key, u32, u32),
    /// A smaller one than the first or at least the second.
    Outside(Key, u32, u32),
    /// One that leaves the second number as the rest of a division by the first.
    Residue(Key, u32, u32),
    /// One that leaves another rest.
    NotResidue(Key, u32, u32),
    /// They ran on one of the units with these ids, ascending.
    Units(Vec<u32>),
}

/// A number that each block has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Key {
    X,
    Y,
    Z,
    /// From 0.
    Wave,
    /// The row of its unit.
    Unit,
}

impl Key {
    /// What blocks of a launch differ in, and how many values it has.
    pub(super) fn of_launch(schedule: &Schedule) -> impl Iterator<Item = (Self, usize)> {
        let [x, y, z] = schedule.launch.grid.map(|n| n as usize);
        let (units, waves) = if schedule.launch.has_units {
            (schedule.units.len(), schedule.numbers.n_waves() as usize)
        } else {
            (0, 0)
        };
        let keys = [(Self::X, x), (Self::Y, y), (Self::Z, z), (Self::Unit, units), (Self::Wave, waves)];
        keys.into_iter().filter(|(_, values)| (2..=VALUES).contains(values))
    }

    pub(super) fn of(self, schedule: &Schedule, row: u32) -> Option<u32> {
        let [x, y, z] = schedule.at(row);
        match self {
            Self::X => Some(x),
            Self::Y => Some(y),
            Self::Z => Some(z),
            Self::Wave => Some(schedule.wave(row)),
            Self::Unit => schedule.unit.get(row as usize).copied(),
        }
    }
}

impl Property {
    pub(super) fn holds(&self, schedule: &Schedule, row: u32) -> bool {
        let of = |key: &Key| key.of(schedule, row).unwrap_or(0);
        match self {
            Self::Is(key, value) => of(key) == *value,
            Self::IsNot(key, value) => of(key) != *value,
            Self::Odd(key) => !of(key).is_multiple_of(2),
            Self::Even(key) => of(key).is_multiple_of(2),
            Self::AtLeast(key, value) => *value <= of(key),
            Self::Below(key, value) => of(key) < *value,
            Self::Within(key, from, to) => (*from..*to).contains(&of(key)),
            Self::Outside(key, from, to) => !(*from..*to).contains(&of(key)),
            Self::Residue(key, step, rest) => of(key).checked_rem(*step) == Some(*rest),
            Self::NotResidue(key, step, rest) => of(key).checked_rem(*step) != Some(*rest),
            Self::Units(ids) => schedule.unit_of(row).is_some_and(|unit| ids.contains(&unit.id)),
        }
    }

    pub(super) fn key(&self) -> Key {
        match self {
            Self::Is(key, _)
            | Self::IsNot(key, _)
            | Self::Odd(key)
            | Self::Even(key)
            | Self::AtLeast(key, _)
            | Self::Below(key, _)
            | Self::Within(key, ..)
            | Self::Outside(key, ..)
            | Self::Residue(key, ..)
            | Self::NotResidue(key, ..) => *key,
            Self::Units(_) => Key::Unit,
        }
    }

    /// What they have, such as "odd x"; `unit` is what runs blocks, such as "SM", `units` how many of these ran any.
    pub fn words(&self, unit: &str, units: u32) -> Message {
        let (text, n, m) = match self {
            Self::Units(ids) => return unit_words(ids, unit, units),
            Self::Is(_, value) => (message("{key} = {n}"), *value, 0),
            Self::IsNot(_, value) => (message("{key} ≠ {n}"), *value, 0),
            // Waves are counted from 1 where they are read.
            Self::Odd(Key::Wave) => (message("even {key}"), 0, 0),
            Self::Even(Key::Wave) => (message("odd {key}"), 0, 0),
            Self::Odd(_) => (message("odd {key}"), 0, 0),
            Self::Even(_) => (message("even {key}"), 0, 0),
            Self::AtLeast(_, value) => (message("{key} ≥ {n}"), *value, 0),
            Self::Below(_, value) => (message("{key} < {n}"), *value, 0),
            Self::Within(_, from, to) => (message("{n} ≤ {key} < {m}"), *from, *to),
            Self::Outside(_, from, to) => (message("{key} < {n} or ≥ {m}"), *from, *to),
            Self::Residue(_, step, 0) => (message("{key} a multiple of {m}"), 0, *step),
            Self::Residue(_, step, rest) => (message("{key} mod {m} = {n}"), *rest, *step),
            Self::NotResidue(_, step, 0) => (message("{key} not a multiple of {m}"), 0, *step),
            Self::NotResidue(_, step, rest) => (message("{key} mod {m} ≠ {n}"), *rest, *step),
        };
        let (name, first) = match self.key() {
            Key::X => (message("x"), 0),
            Key::Y => (message("y"), 0),
            Key::Z => (message("z"), 0),
            Key::Wave | Key::Unit => (message("wave"), 1),
        };
        text.with_message("key", name).with("n", n + first).with("m", m.saturating_add(first))
    }
}

fn unit_words(ids: &[u32], unit: &str, units: u32) -> Message {
    let (text, shown) = match ids.len() {
        ..=LISTED => (message("{unit} {list}"), LISTED),
        _ => (message("{unit} {list} and {n} more (of {all})"), FIRST),
    };
    let list: Vec<String> = ids.iter().take(shown).map(u32::to_string).collect();
    let text = text.with("n", ids.len().saturating_sub(shown)).with("all", units).with("unit", unit);
    text.with("list", list.join(", "))
}

/// The places whose sum is the greatest, without a gap; none where no value is positive.
pub(super) fn densest(values: impl Iterator<Item = f64>) -> Range<usize> {
    let (mut from, mut sum) = (0, 0.0);
    let (mut best, mut most) = (0..0, 0.0);
    for (at, value) in values.enumerate() {
        if sum <= 0.0 {
            (from, sum) = (at, 0.0);
        }
        sum += value;
        if most < sum {
            (best, most) = (from..at + 1, sum);
        }
    }
    best
}
