//! The first thing that is said of two documents: how long each took, and the change.
//!
//! Definition: both have one fact that is called [`DURATION`], in a figure of the same id, in the same unit of time, and it
//! is more than 0. Where a document has several, or only one document has one, there is no headline: what is set against
//! each other means the same on both sides.

use super::{percent, trimmed};
use crate::base::number;
use crate::base::unit::Unit;
use crate::base::words::{Message, message};
use crate::model::figure::{Body, Fact, Figure};

/// What the time of a whole run is called among facts.
pub const DURATION: &str = "Duration";

/// Most decimals of a headline.
const DECIMALS: usize = 6;

/// The sentence above a comparison, of the same facts of two documents: `Duration −35 %, 9.12 → 5.93 ms`.
pub fn headline(baseline: &Figure, comparison: &Figure) -> Option<Message> {
    let (old, new) = (duration(baseline)?, duration(comparison)?);
    let (a, b) = (old.value.as_number()?, new.value.as_number()?);
    if old.unit != new.unit {
        return None;
    }
    let change = percent(a, b, &new.unit);
    let (old, both) = values(a, b, &new.unit)?;
    Some(if change.is_empty() {
        message("Duration unchanged, {value}").with("value", both)
    } else {
        let said = message("Duration {change}, {baseline} → {comparison}").with("change", change);
        said.with("baseline", old).with("comparison", both)
    })
}

/// The one duration of a figure of facts.
fn duration(figure: &Figure) -> Option<&Fact> {
    let Body::Facts(facts) = &figure.body else { return None };
    let mut found = facts.facts.iter().filter(|fact| fact.name == DURATION);
    let one = found.next().filter(|fact| fact.value.as_number().is_some_and(|v| 0.0 < v && v.is_finite()))?;
    found.next().is_none().then_some(one)
}

/// Both values in one unit; the second with it. `None` for units that are no time.
fn values(a: f64, b: f64, unit: &Unit) -> Option<(String, String)> {
    let nanos = match unit {
        Unit::Nanos => 1.0,
        Unit::Micros => 1e3,
        Unit::Millis => 1e6,
        Unit::Cycles => {
            return Some((number::fixed(a, 0), number::of_kind(&number::fixed(b, 0), unit.symbol())));
        }
        _ => return None,
    };
    let (symbol, per) = match a.max(b) * nanos {
        v if v < 1e3 => ("ns", 1.0),
        v if v < 1e6 => ("µs", 1e3),
        v if v < 1e9 => ("ms", 1e6),
        _ => ("s", 1e9),
    };
    let [a, b] = [a, b].map(|v| v * nanos / per);
    // As many decimals as tell them apart, and from 0.
    let is_told = |decimals: &usize| {
        let [a_text, b_text, none] = [a, b, 0.0].map(|v| number::fixed(v, *decimals));
        a_text != none && b_text != none && (a == b || a_text != b_text)
    };
    let decimals = (2..DECIMALS).find(is_told).unwrap_or(DECIMALS);
    let [a, b] = [a, b].map(|v| trimmed(&number::fixed(v, decimals)).to_owned());
    Some((a, format!("{b} {symbol}")))
}
