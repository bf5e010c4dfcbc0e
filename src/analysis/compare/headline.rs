//! The first thing that is said of two documents: one quantity of the whole run, in both, and how it changed.
//!
//! Which quantities a document has is said by [`crate::engine`] and by the systems, the most telling first. The headline is
//! of the first one of the comparison that the baseline has too: of the same name and unit, more than 0, and of the same
//! things (its key); where that did not change, of the first one that did. Another one that changed the other way follows
//! it. Where only the things differ, or how they were set up, the sentence says of what each is: with the change where each
//! side has one of that name, else without. Parts, such as the cycles of the pipes, follow it and say why it changed: they
//! are amounts, since a share of a whole that fell may rise where its amount fell too. Of steps the parts and the kernels
//! that changed most are named ([`steps`]).

use super::units::{Follows, UnitPart, common};
use super::{percent, steps, trimmed};
use crate::base::map::hash;
use crate::base::number;
use crate::base::order;
use crate::base::unit::Unit;
use crate::base::words::{Language, Message, message, phrase};
use crate::model::Trace;
use crate::model::figure::{Body, Cell, Facts};
use serde::{Deserialize, Serialize};
use std::hash::Hash;

/// What the time of a whole run is called among facts.
pub const DURATION: &str = "Duration";

/// Most decimals of a headline.
const DECIMALS: usize = 6;

/// A quantity of a whole run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Quantity {
    /// What it is, an English phrase.
    pub name: String,
    pub value: f64,
    /// Nanoseconds, microseconds, milliseconds, cycles, or none for a count.
    pub unit: Unit,
    /// What it is of, as [`hash`]: equal ones are the same things.
    pub key: u64,
    /// The same for a reader, in few words; may be empty.
    pub of: Message,
    /// Names, English phrases, and values of what it depends on by choice, such as the number of blocks: where one differs,
    /// more or less is neither better nor worse.
    pub setup: Vec<(String, String)>,
    /// How many things it is the sum of; 0 where it is no sum.
    pub count: u64,
    /// How many steps, blocks or events a recording has that it spans, where more of them make it more; 0 where that is no matter.
    #[serde(default)]
    pub over: u64,
    /// What these are called, a plural noun; empty where they do not matter.
    #[serde(default)]
    pub over_what: String,
    /// Whether it is a part that says why the others changed, never what is said first.
    pub is_part: bool,
    /// What each unit adds to it; of bytes for each instruction the bytes, and the instructions. Empty where nothing says it.
    #[serde(default)]
    pub units: Vec<UnitPart>,
}

impl Quantity {
    /// A quantity of what `key` names.
    pub fn new(name: &str, (value, unit): (f64, Unit), key: &impl Hash, of: Message) -> Self {
        Self {
            name: name.to_owned(),
            value,
            unit,
            key: hash(key),
            of,
            setup: Vec::new(),
            count: 0,
            over: 0,
            over_what: String::new(),
            is_part: false,
            units: Vec::new(),
        }
    }

    /// It spans so many of these.
    #[must_use]
    pub fn over(self, over: u64, what: &str) -> Self {
        Self { over, over_what: what.to_owned(), ..self }
    }

    /// Whether it grows with what was recorded, not only with how long one thing takes.
    pub fn is_sum(&self) -> bool {
        0 < self.count + self.over
    }

    /// Whether another one of the same name and things is of as many.
    pub fn is_as_many(&self, other: &Self) -> bool {
        (self.count, self.over) == (other.count, other.over)
    }

    /// It is the sum of so many.
    #[must_use]
    pub fn sum_of(self, count: u64) -> Self {
        Self { count, ..self }
    }
}

fn is_there(one: &Quantity) -> bool {
    0.0 < one.value && one.value.is_finite()
}

/// The quantities of the name and unit of another.
fn named(all: &[Quantity], new: &Quantity) -> Vec<Quantity> {
    let same =
        |one: &&Quantity| is_there(one) && !one.is_part && one.name == new.name && one.unit == new.unit;
    all.iter().filter(same).cloned().collect()
}

/// The quantity of the baseline that one of the comparison is held against.
fn met(baseline: &[Quantity], comparison: &[Quantity], new: &Quantity) -> Option<Quantity> {
    let old = named(baseline, new);
    let same = old.iter().find(|old| old.key == new.key).cloned();
    let is_only = || old.len() == 1 && named(comparison, new).len() == 1;
    same.or_else(|| old.first().filter(|_| is_only()).cloned())
}

/// The sentence above a comparison: `Duration −35 %, 0.65×, 9.12 → 5.93 ms`.
pub fn headline(baseline: &[Quantity], comparison: &[Quantity]) -> Option<Message> {
    let wholes = comparison.iter().filter(|one| is_there(one) && !one.is_part);
    let mut pairs = wholes.filter_map(|new| Some((met(baseline, comparison, new)?, new)));
    let Some(first) = pairs.next() else { return apart(baseline, comparison) };
    // Where the first stayed what it was, one that changed says more.
    let is_changed = |(old, new): &(Quantity, &Quantity)| !change(old.value, new.value, &new.unit).is_empty();
    let is_same = |(old, new): &(Quantity, &Quantity)| old.key == new.key && old.of == new.of;
    let other = (!is_changed(&first)).then(|| pairs.find(|pair| is_same(pair) && is_changed(pair))).flatten();
    let (old, new) = other.unwrap_or(first);
    let said = told(&old, new)?;
    let setups = setups(&old, new);
    let is_alike = old.key == new.key && old.of == new.of;
    let is_same = is_alike && setups.is_none();
    let said = match () {
        () if !is_alike && old.of == new.of => {
            let both = message("{said}. {of} on both sides, but different ones.");
            both.with_message("said", said).with_message("of", old.of.clone())
        }
        () if is_alike && !new.of.is_empty() => {
            message("{said} ({of})").with_message("said", said).with_message("of", new.of.clone())
        }
        () => said,
    };
    let said = match sides(&old, new, setups) {
        Some((a, b)) => {
            let both = message("{said}. Different inputs are compared: A: {a}; B: {b}.");
            let both = both.with_message("said", said).with_message("a", a).with_message("b", b);
            match means(&old, new) {
                Some(means) => {
                    message("{said} {means}").with_message("said", both).with_message("means", means)
                }
                None => both,
            }
        }
        None => said,
    };
    let why = why(baseline, comparison).filter(|_| is_same);
    let said = match turned(baseline, comparison, (&old, new)).filter(|_| why.is_none()) {
        Some(other) => {
            let said = if is_same { message("{said}.").with_message("said", said) } else { said };
            message("{said} But {other}.").with_message("said", said).with_message("other", other)
        }
        None => said,
    };
    let said = match why {
        Some((parts, is_whole)) => {
            let both = if is_whole {
                message("{said}. Active cycles: {parts}.")
            } else {
                message("{said}. Active cycles of the units that both have: {parts}.")
            };
            both.with_message("said", said).with_message("parts", parts)
        }
        None => said,
    };
    let more = [moved(baseline, comparison), steps::grown(baseline, comparison)];
    Some(more.into_iter().flatten().fold(said, followed))
}

/// A sentence behind what was said.
pub(super) fn followed(said: Message, more: Message) -> Message {
    let is_ended = said.text(Language::En).ends_with('.');
    let both = if is_ended { message("{said} {more}") } else { message("{said}. {more}") };
    both.with_message("said", said).with_message("more", more)
}

/// How a quantity changed: `Duration −35 %, 0.65×, 9.12 → 5.93 ms`.
fn told(old: &Quantity, new: &Quantity) -> Option<Message> {
    let (from, to) = values(old.value, new.value, &new.unit)?;
    let change = change(old.value, new.value, &new.unit);
    let said = if change.is_empty() {
        message("{name} unchanged, {value}").with("value", to)
    } else {
        let said = message("{name} {change}, {baseline} → {comparison}").with_message("change", change);
        said.with("baseline", from).with("comparison", to)
    };
    Some(said.with_message("name", new.name.clone()))
}

/// What each side is of, where that is not the same: other things, or the same ones set up in another way.
fn sides(old: &Quantity, new: &Quantity, setups: Option<(Message, Message)>) -> Option<(Message, Message)> {
    if old.of == new.of {
        return setups.filter(|_| old.key == new.key);
    }
    let both = |of: &Message, setup: Message| {
        message("{a}, {b}").with_message("a", of.clone()).with_message("b", setup)
    };
    Some(match setups {
        Some((a, b)) => (both(&old.of, a), both(&new.of, b)),
        None => (old.of.clone(), new.of.clone()),
    })
}

/// What of their setup differs: `block dim 32, chip Ascend910B1` and the same of the other. What one side does not say is
/// no difference.
fn setups(old: &Quantity, new: &Quantity) -> Option<(Message, Message)> {
    let differing = new.setup.iter().filter_map(|(name, after)| {
        let (_, before) = old.setup.iter().find(|(own, _)| own == name).filter(|(_, own)| own != after)?;
        let one = |value: &str| message("{name} {n}").with_message("name", name.clone()).with("n", value);
        Some((one(before), one(after)))
    });
    let and = |a, b| message("{a}, {b}").with_message("a", a).with_message("b", b);
    differing.reduce(|all, one| (and(all.0, one.0), and(all.1, one.1)))
}

/// How much each instruction of the pipe moves that takes most of the time of those that both know: fewer and larger moves
/// are what one aims at.
fn moved(baseline: &[Quantity], comparison: &[Quantity]) -> Option<Message> {
    let is_one = |one: &&Quantity| one.is_part && one.unit == Unit::Bytes && is_there(one);
    comparison.iter().filter(is_one).find_map(|new| {
        let old = baseline.iter().filter(is_one).find(|old| old.name == new.name)?;
        let of = |parts: &[UnitPart], one: &Quantity| {
            Some(Quantity { value: Follows::Quotient.of(parts)?, ..one.clone() })
        };
        match common(&old.units, &new.units) {
            None => Some(message("{said}.").with_message("said", told(old, new)?)),
            Some([before, after]) => {
                let said = told(&of(&before, old)?, &of(&after, new)?)?;
                Some(message("{said}, of the units that both have.").with_message("said", said))
            }
        }
    })
}

/// Things that a sentence names of each side.
const NAMED: usize = 2;

/// What both sides have of the first quantity that both know, where none is of the same thing.
fn apart(baseline: &[Quantity], comparison: &[Quantity]) -> Option<Message> {
    let of = |all: &[Quantity], new: &Quantity| -> Vec<Message> {
        let same =
            |one: &&Quantity| 0.0 < one.value && !one.is_part && one.name == new.name && one.unit == new.unit;
        all.iter().filter(same).map(|one| one.of.clone()).collect()
    };
    let mut wholes = comparison.iter().filter(|one| 0.0 < one.value && !one.is_part);
    let new = wholes.find(|new| !of(baseline, new).is_empty())?;
    let told = |all: &[Quantity]| {
        let all = of(all, new);
        let rest = all.len().saturating_sub(NAMED);
        let named = all.into_iter().take(NAMED);
        let named = named.reduce(|a, b| message("{a}, {b}").with_message("a", a).with_message("b", b));
        match rest {
            0 => named.unwrap_or_default(),
            n => message("{named}, {n} more").with_message("named", named.unwrap_or_default()).with("n", n),
        }
    };
    let said =
        message("{name}: nothing is the same on both sides. What is compared differs: A: {a}; B: {b}.");
    let said = said.with_message("name", new.name.clone());
    Some(said.with_message("a", told(baseline)).with_message("b", told(comparison)))
}

/// The first other quantity that changed the other way.
fn turned(
    baseline: &[Quantity],
    comparison: &[Quantity],
    (old, new): (&Quantity, &Quantity),
) -> Option<Message> {
    let way = new.value.total_cmp(&old.value);
    let others = comparison.iter().filter(|one| is_there(one) && !one.is_part && one.name != new.name);
    let others = others.filter_map(|new| Some((met(baseline, comparison, new)?, new)));
    let mut turned = others.filter(|(old, new)| new.value.total_cmp(&old.value) == way.reverse());
    let (old, new) = turned.find(|(old, new)| !change(old.value, new.value, &new.unit).is_empty())?;
    told(&old, new)
}

/// What one of them takes on both sides, where sums are of different numbers of them: more of them make more.
fn means(old: &Quantity, new: &Quantity) -> Option<Message> {
    if old.count == new.count || old.count == 0 || new.count == 0 {
        return None;
    }
    let [before, after] = [old, new].map(|of| of.value / of.count as f64);
    let (from, to) = values(before, after, &new.unit)?;
    let change = change(before, after, &new.unit);
    if change.is_empty() {
        return Some(message("Mean of one unchanged, {value}.").with("value", to));
    }
    let said = message("Mean of one {change}, {baseline} → {comparison}.").with_message("change", change);
    Some(said.with("baseline", from).with("comparison", to))
}

/// Most parts that are told.
const PARTS: usize = 3;

/// Part of the cycles of a kind below which a pipe says nothing of why the whole changed.
const LEAST: f64 = 0.01;
/// Part of a time below which it did not change: clocks are not as exact.
const NOISE: f64 = 1e-6;

/// How the parts of both changed that changed most: `vector MTE3 −95.2 %, vector Scalar −30.5 %`, and whether these are of
/// all units.
fn why(baseline: &[Quantity], comparison: &[Quantity]) -> Option<(Message, bool)> {
    let is_cycles = |one: &Quantity| one.is_part && one.unit == Unit::Cycles && !steps::is_one(one);
    let whole = |of: &Message, all: &[Quantity]| {
        let own = all.iter().filter(|one| is_cycles(one) && one.of == *of);
        own.map(|one| one.value).sum::<f64>()
    };
    let mut is_whole = true;
    let mut changed = |new: &Quantity| {
        let old = baseline.iter().find(|old| old.is_part && old.name == new.name && old.key == new.key)?;
        let common = common(&old.units, &new.units);
        let (before, after) = match &common {
            Some([before, after]) => (Follows::Sum.of(before)?, Follows::Sum.of(after)?),
            None => (old.value, new.value),
        };
        is_whole &= common.is_none();
        // What hardly any of the cycles are does not say why all of them changed.
        let is_little = before.max(after) < LEAST * whole(&new.of, comparison).max(whole(&new.of, baseline));
        let change = percent(before, after, &new.unit);
        let part = message("{kind} {pipe} {change}").with_message("kind", new.of.clone());
        let part = part.with_message("pipe", new.name.clone()).with("change", &change);
        let by = (after - before).abs();
        (!change.is_empty() && !is_little).then_some((by, part))
    };
    let mut parts: Vec<(f64, Message)> =
        comparison.iter().filter(|new| is_cycles(new)).filter_map(&mut changed).collect();
    order::sort_by(&mut parts, |a, b| b.0.total_cmp(&a.0));
    let parts = parts.into_iter().take(PARTS).map(|(_, part)| part);
    let parts = parts.reduce(|a, b| message("{a}, {b}").with_message("a", a).with_message("b", b))?;
    Some((parts, is_whole))
}

/// Facts that an operator is set up with, and what they are called in a sentence.
const SETUP: [(&str, &str); 4] = [
    ("Block dim", phrase("block dim")),
    ("Mix block dim", phrase("mix block dim")),
    ("Type", phrase("core type")),
    ("Chip", phrase("chip")),
];

/// The duration that the facts of a trace state, where they state one; of the operator that they name.
pub fn of_facts(trace: &Trace) -> Option<Quantity> {
    trace.figures.iter().filter(|family| family.choices.is_empty()).find_map(|family| {
        let Body::Facts(Facts { facts }) = &family.variants.first()?.body else { return None };
        let mut found = facts.iter().filter(|fact| fact.name == DURATION);
        let fact = found.next().filter(|_| found.next().is_none())?;
        let text = |name: &str| match &facts.iter().find(|fact| fact.name == name)?.value {
            Cell::Text(text) => Some(text.clone()),
            _ => None,
        };
        let operator = text("Operator").unwrap_or_default();
        let value = (fact.value.as_number()?, fact.unit.clone());
        let setup = SETUP.iter().filter_map(|(name, said)| {
            let fact = facts.iter().find(|fact| fact.name == *name)?;
            Some(((*said).to_owned(), fact.value.plain()))
        });
        let setup = setup.collect();
        Some(Quantity { setup, ..Quantity::new(DURATION, value, &operator, operator.clone().into()) })
    })
}

/// Both values with three digits or more: in one unit, the second with it, or each in its own. `None` for units that are
/// neither time nor counts nor bytes.
/// How a quantity changed: shares in points; empty where it did not.
fn change(baseline: f64, comparison: f64, unit: &Unit) -> Message {
    let is_time = matches!(unit, Unit::Nanos | Unit::Micros | Unit::Millis);
    if is_time && (comparison - baseline).abs() <= NOISE * baseline.abs() {
        return Message::default();
    }
    if *unit != Unit::Share {
        return super::change(baseline, comparison, unit).into();
    }
    let points = (comparison - baseline) * 100.0;
    if points.abs() < 0.05 {
        return Message::default();
    }
    let sign = if points < 0.0 { "−" } else { "+" };
    message("{n} percentage points").with("n", format!("{sign}{}", number::fixed(points.abs(), 1)))
}

fn share(value: f64) -> String {
    format!("{} %", number::fixed(value * 100.0, 1))
}

fn values(a: f64, b: f64, unit: &Unit) -> Option<(String, String)> {
    let nanos = match unit {
        Unit::Nanos => 1.0,
        Unit::Micros => 1e3,
        Unit::Millis => 1e6,
        // Means of counts are no whole numbers.
        Unit::None | Unit::Cycles => {
            return Some((number::short(a), number::of_kind(&number::short(b), unit.symbol())));
        }
        Unit::Share => return Some((share(a), share(b))),
        Unit::Bytes => return Some((number::with_unit(a, unit), number::with_unit(b, unit))),
        _ => return None,
    };
    let unit_of = |nanos: f64| match nanos {
        v if v < 1e3 => ("ns", 1.0),
        v if v < 1e6 => ("µs", 1e3),
        v if v < 1e9 => ("ms", 1e6),
        _ => ("s", 1e9),
    };
    let (symbol, per) = unit_of(a.max(b) * nanos);
    let [a, b] = [a, b].map(|v| v * nanos / per);
    // The smaller one keeps its digits in a unit of its own.
    if a.min(b) < 0.1 {
        let own = |v: f64| {
            let (symbol, own) = unit_of(v * per);
            format!("{} {symbol}", trimmed(&number::fixed(v * per / own, 2)))
        };
        return Some((own(a), own(b)));
    }
    // As many decimals as tell them apart, and from 0.
    let is_told = |decimals: &usize| {
        let [a_text, b_text, none] = [a, b, 0.0].map(|v| number::fixed(v, *decimals));
        a_text != none && b_text != none && (a == b || a_text != b_text)
    };
    let fewest = if a.min(b) < 1.0 { 3 } else { 2 };
    let decimals = (fewest..DECIMALS).find(is_told).unwrap_or(DECIMALS);
    let [a, b] = [a, b].map(|v| trimmed(&number::fixed(v, decimals)).to_owned());
    Some((a, format!("{b} {symbol}")))
}
