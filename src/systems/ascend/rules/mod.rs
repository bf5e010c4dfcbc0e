//! What limits an operator: rules on its blocks, the pipes of its cores, its memories and its code, and the first figures.
//!
//! Times and shares are those of figures that the reader made of a container and its CSV files ([`operator`]); where there
//! is a timeline only, those of its slices ([`seen`]). Of several operators each is looked at; shares are of all of them.

mod blocks;
mod bound;
mod caches;
mod code;
mod covered;
mod heads;
mod icache;
mod memory;
mod needs;
mod operator;
mod pipes;
mod roofs;
mod seen;
mod sides;
mod summary;
mod tail;
mod waits;
mod writer;

use crate::analysis::finding::Finding;
use crate::base::words::{Message, message};
use crate::findings::trace::MOST;
use crate::findings::{Guide, Looked, RuleInput, cut_off};
use crate::model::figure::{Bar, BarRole, Bars, Body, Figure};
use crate::{base::unit::Unit, findings::place::Place};
use operator::{Operator, operators};

pub(super) use operator::set_up;
pub(super) use seen::of_cores;

/// What is said of operators.
pub static GUIDE: Guide = Guide {
    rules: &[
        &pipes::SCALAR,
        &pipes::PIPE,
        &pipes::UNBOUND,
        &pipes::OVERLAP,
        &waits::WAITS,
        &sides::SIDES,
        &blocks::UNUSED,
        &blocks::IMBALANCE,
        &tail::TAIL,
        &heads::HEAD,
        &heads::CLOCK,
        &memory::BANDWIDTH,
        &memory::SMALL,
        &caches::L2,
        &caches::CONFLICTS_RULE,
        &icache::ICACHE,
        &roofs::ROOF,
        &roofs::STALLS,
        &code::HOTTEST,
        &writer::SAYS,
    ],
    summary: summary::summary,
    advises: true,
};

/// Asks of each operator; what is found in any of them is told, those that could save most first.
fn each(input: &RuleInput, ask: impl Fn(&Operator) -> Looked) -> Looked {
    together(operators(input.trace).iter().map(ask))
}

/// What is said of several as one answer: of what is found, those that could save most.
fn together(all: impl Iterator<Item = Looked>) -> Looked {
    match all_of(all) {
        Looked::Found(found) => Looked::Found(first(found)),
        other => other,
    }
}

/// What is said of several as one answer, with all that is found.
fn all_of(all: impl Iterator<Item = Looked>) -> Looked {
    let (mut found, mut nothing, mut missing) = (Vec::new(), None, None);
    for looked in all {
        match looked {
            Looked::Found(mut findings) => found.append(&mut findings),
            Looked::Nothing(said) => nothing = nothing.or(Some(said)),
            Looked::Missing(said) => missing = missing.or(Some(said)),
            Looked::NotHere => {}
        }
    }
    if !found.is_empty() {
        return Looked::Found(found);
    }
    nothing.map(Looked::Nothing).or_else(|| missing.map(Looked::Missing)).unwrap_or(Looked::NotHere)
}

/// Those that could save most, with the names of the others.
fn first(mut findings: Vec<Finding>) -> Vec<Finding> {
    crate::analysis::finding::rank(&mut findings);
    cut_off(findings, MOST)
}

/// Bars of evidence, each with its name.
fn bars(unit: Unit, full: Option<f64>, bars: Vec<(String, f64, BarRole)>) -> Figure {
    let bar = |(name, value, role): (String, f64, BarRole)| Bar {
        name,
        values: vec![Some(value)],
        role,
        detail: String::new(),
    };
    let bars = bars.into_iter().map(bar).collect();
    Figure::new("", Body::Bars(Bars { unit, full, bars, ..Bars::default() }))
}

/// The place of a figure of Details.
fn details(id: &str, chosen: &[usize]) -> String {
    Place::view("details").figure(id, chosen).address()
}

/// What is missing where only a timeline is there.
fn needs_device(what: Message) -> Looked {
    Looked::Missing(
        message("{what}: record the operator on a device with msprof op").with_message("what", what),
    )
}

/// A share of 100 as text; one that is hardly anything is not said to be nothing.
fn of_100(percent: f64) -> String {
    if 0.0 < percent && percent < 0.05 {
        return format!("{} %", crate::base::number::short(percent));
    }
    crate::findings::trace::percent(percent / 100.0)
}
