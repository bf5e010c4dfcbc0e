//! Sentences that figures and findings have in common, and what they claim: what bounds cores of a kind, a low clock, time
//! outside of all blocks. Whoever says one of them says it in these words; what the writer of a file claims in its own is
//! the same fact ([`of_writer`]).

use super::{BOUND, SPREAD, TURNS};
use crate::base::number;
use crate::base::unit::Unit;
use crate::base::words::{Message, message};

/// Who writes sentences into files.
pub(crate) const WRITER: &str = "msprof op";

// What is claimed, in short. The kind of core stands behind it.

/// Which pipe bounds the cores of a kind.
pub(crate) fn limiter(kind: &str) -> String {
    format!("limiter {kind}")
}

/// A pipe of a kind of core does not use its bandwidth.
pub(crate) fn bandwidth(kind: &str, pipe: &str) -> String {
    format!("bandwidth {kind} {pipe}")
}

/// Units of a kind take unequal times.
pub(crate) fn imbalance(kind: &str) -> String {
    format!("imbalance {kind}")
}

/// Units of a kind take unequal cycles, where these are of another run than their times.
pub(crate) fn imbalance_of_cycles(kind: &str) -> String {
    format!("imbalance {kind} cycles")
}

/// The clock is below its rate.
pub(crate) const CLOCK: &str = "clock";
/// Much passes outside of all blocks.
pub(crate) const HEAD: &str = "head";
/// How near the operator comes to its roofs.
pub(crate) const ROOF: &str = "roof";
/// What it is bound by: moves of data, or units that compute.
pub(crate) const MEMORY: &str = "memory";
pub(crate) const COMPUTE: &str = "compute";
/// L2 has not what is asked for.
pub(crate) const HITS: &str = "hits";

/// What a sentence of the writer claims, where it is a known one; `unit` is the kind of a unit that it names.
pub(crate) fn of_writer(text: &str, unit: Option<&str>) -> Option<String> {
    match text {
        _ if text.contains("cache hit rate lower than other") => Some(HITS.to_owned()),
        _ if text.contains("lower than the rated frequency") => Some(CLOCK.to_owned()),
        _ if text.contains(" took more time than other ") => Some(imbalance(unit?)),
        _ => None,
    }
}

/// What the advice of the writer on roofs claims.
pub(crate) fn of_roofs(text: &str) -> impl Iterator<Item = String> {
    let bound = [MEMORY, COMPUTE].into_iter().find(|what| text.to_lowercase().starts_with(what));
    std::iter::once(ROOF).chain(bound).map(str::to_owned)
}

// What bounds cores of a kind.

/// The share from which waiting is told, in percent.
pub(crate) const WAITS: f64 = 20.0;

/// What shares of pipes are parts of.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Parts<'a> {
    /// Cycles that counters count: they do not tell which pipes work at once.
    Cycles,
    /// Cycles of the block that alone takes the time of the cores.
    Block(&'a str),
    /// The time of slices.
    Time,
}

/// A pipe of the cores of a kind: shares in percent of all of them, of the one where it is least, and where it is most.
pub(crate) struct Share<'a> {
    pub(crate) pipe: &'a str,
    pub(crate) active: f64,
    pub(crate) least: f64,
    pub(crate) most: f64,
    pub(crate) waiting: Option<f64>,
}

/// A share that a reader should not take for nothing.
fn percent(share: f64) -> String {
    if share == 0.0 || 0.05 <= share { number::fixed(share, 1) } else { number::short(share) }
}

/// Which pipe bounds cores of a kind, with its share and the next, of pipes in order, the busiest first; and what the unit
/// that computes did, where it is neither. What its share is marked with is up to `strong`. `None` where there is nothing to
/// compare.
#[allow(clippy::too_many_lines)] // most of it is texts
pub(crate) fn bound(
    kind: &str,
    pipes: &[Share],
    of: Parts,
    strong: impl Fn(String) -> String,
) -> Option<Message> {
    let [first, others @ ..] = pipes else { return None };
    if first.active <= 0.0 {
        return None;
    }
    let shown: Vec<(&str, String)> = others.iter().map(|own| (own.pipe, percent(own.active))).collect();
    let (_, m) = shown.first()?;
    let (next, n_next) = tied(&shown);
    // Of pipes that reach as much the busiest counts.
    let most = pipes.iter().rev().max_by(|a, b| a.most.total_cmp(&b.most));
    let single = most.filter(|most| BOUND <= most.most);
    let range = each_core(percent(first.least), percent(first.most));
    let text = if BOUND <= first.active {
        match of {
            Parts::Block(_) => message(
                "Block {block} alone takes the time of the {kind} cores: {pipe} is its bottleneck, active in {n} % of its cycles, then {next} in {m} %.",
            ),
            Parts::Cycles => message(
                "{pipe} is the bottleneck of the {kind} cores: active in {n} % of their cycles, then {next} in {m} %.",
            ),
            Parts::Time => message(
                "{pipe} is the bottleneck of the {kind} cores: busy for {n} % of their time{range}, then {next} for {m} %.",
            ),
        }
    } else if let Some(most) = single {
        let text = match of {
            Parts::Cycles | Parts::Block(_) => message(
                "No pipe of the {kind} cores is active in 80 % of their cycles on average: {pipe} is active in {n} %{range}, {next} in {m} %{single}.",
            ),
            Parts::Time => message(
                "No pipe of the {kind} cores is busy for 80 % of their time on average: {pipe} is busy for {n} %{range}, {next} for {m} %{single}.",
            ),
        };
        let single = (most.pipe != first.pipe).then(|| single_core(most.pipe, percent(most.most)));
        text.with_message("single", single.unwrap_or_default())
    } else {
        let text = match of {
            Parts::Block(_) => message(
                "Block {block} alone takes the time of the {kind} cores, and no pipe is active in 80 % of its cycles: {pipe} is active in {n} %, {next} in {m} %.{turns}{waits}",
            ),
            Parts::Cycles => message(
                "No pipe of the {kind} cores is active in 80 % of their cycles: {pipe} is active in {n} %, {next} in {m} %.{turns}{waits}",
            ),
            Parts::Time => message(
                "No pipe of the {kind} cores is busy for 80 % of their time: {pipe} is busy for {n} %{range}, {next} for {m} %.{turns}{waits}",
            ),
        };
        unbound(text, pipes, of)
    };
    let text = match of {
        Parts::Block(block) => text.with("block", block),
        Parts::Cycles | Parts::Time => text,
    };
    let text = text.with("pipe", first.pipe).with("kind", kind).with("n", strong(percent(first.active)));
    let text = text.with_message("range", range).with_message("next", next).with("m", m);
    let computes = |pipe: &str| matches!(pipe.to_ascii_lowercase().as_str(), "cube" | "vector" | "vec");
    Some(match shown.iter().skip(n_next).find(|(pipe, _)| computes(pipe)) {
        Some((pipe, share)) => {
            let both = message("{bound} {pipe} is active in {n} %.").with_message("bound", text);
            both.with("pipe", pipe).with("n", share)
        }
        None => text,
    })
}

/// Why nothing says which pipe bounds cores of a kind: one has cycles, but not of how many, and none of the others does.
pub(crate) fn no_share(kind: &str, pipe: &str, cycles: f64) -> Message {
    let text = message(
        "Which pipe bounds the {kind} cores is not known: {pipe} is active in {n} cycles, and the file does not say of how many.",
    );
    text.with("kind", kind).with("pipe", pipe).with("n", number::exact(cycles))
}

/// The share of the core where it is least, and where it is most; nothing where both read the same.
fn each_core(least: String, most: String) -> Message {
    if least == most {
        return Message::default();
    }
    message(" ({least} to {most} % by core)").with("least", least).with("most", most)
}

/// The pipe that bounds single cores, where it is not the busiest of all, and in how much of the one where it is most.
fn single_core(pipe: &str, most: String) -> Message {
    message("; {pipe} is the bottleneck of single cores at up to {n} %").with("pipe", pipe).with("n", most)
}

/// Whether the pipes of each core seem to take turns: their shares add up to the whole, on average closely, of the least and
/// the most, which may be of several cores, about. Times tell which work at once.
pub(crate) fn take_turns(pipes: &[Share], of: Parts) -> bool {
    let sum = |of: fn(&Share) -> f64| pipes.iter().map(of).sum::<f64>();
    let is_whole = (sum(|own| own.active) - 100.0).abs() <= TURNS;
    of != Parts::Time
        && is_whole
        && 100.0 - SPREAD <= sum(|own| own.least)
        && sum(|own| own.most) <= 100.0 + SPREAD
}

/// Where no pipe bounds the cores, what their shares allow: whether the pipes seem to take turns or in how much at least
/// none works, and the pipe that waits most, where that was recorded and is much.
fn unbound(text: Message, pipes: &[Share], of: Parts) -> Message {
    let active: f64 = pipes.iter().map(|own| own.active).sum();
    let rest = 100.0 - active;
    let turns = if take_turns(pipes, of) {
        message(" All pipes add up to {n} %, as if they took turns.").with("n", number::fixed(active, 1))
    } else if TURNS < rest {
        // It is the least, so it is rounded down.
        let least = (rest * 10.0).floor() / 10.0;
        message(" No recorded pipe is active in at least {n} %.").with("n", number::fixed(least, 1))
    } else {
        Message::default()
    };
    let waiting = pipes.iter().filter_map(|own| Some((own.pipe, own.waiting?)));
    let most = waiting.max_by(|a, b| a.1.total_cmp(&b.1)).filter(|(_, share)| WAITS <= *share);
    let waits = most.map_or_else(Message::default, |(pipe, share)| {
        message(" {pipe} waits in {n} %.").with("pipe", pipe).with("n", number::fixed(share, 1))
    });
    text.with_message("turns", turns).with_message("waits", waits)
}

/// The first of these pipes, and those behind it that read the same share; how many they are.
fn tied(pipes: &[(&str, String)]) -> (Message, usize) {
    let share = pipes.first().map_or("", |(_, share)| share);
    let is_tied = |(_, own): &&(&str, String)| own == share && share != "0.0";
    let n = pipes.iter().take_while(is_tied).count().max(1);
    let names = pipes.iter().take(n).map(|(name, _)| Message::from((*name).to_owned()));
    let both = |a, b| message("{a} and {b}").with_message("a", a).with_message("b", b);
    (names.reduce(both).unwrap_or_default(), n)
}

// The clock, and what no block does.

/// What a clock below its rate means, both in megahertz.
pub(crate) fn slow_clock(clock: f64, rated: f64, strong: impl Fn(String) -> String) -> Message {
    let text = message(
        "The chip ran at {n} of {m} MHz, {share} of its rated clock: computing takes longer than at full clock.",
    );
    let text = text.with("n", number::exact(clock)).with("m", number::exact(rated));
    text.with("share", strong(number::with_unit(clock / rated, &Unit::Share)))
}

/// Whose blocks pass outside of the longest one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outside {
    /// There is one block.
    Alone,
    /// All ran at once.
    AtOnce,
    /// A core may have run one after the other.
    InTurn,
}

/// What of a duration passed outside of the longest block, both in microseconds.
pub(crate) fn outside(
    (duration, longest): (f64, f64),
    blocks: Outside,
    strong: impl Fn(String) -> String,
) -> Message {
    let text = match blocks {
        Outside::Alone => message("{n} of {m}, {share} % of the time, were spent outside the only block."),
        Outside::AtOnce => message(
            "{n} of {m}, {share} % of the time, were spent outside the longest block: before and after all blocks.",
        ),
        Outside::InTurn => message(
            "{n} of {m}, {share} % of the time, were spent outside the longest block: before and after all blocks or, with more blocks than cores, in blocks that ran before and after it.",
        ),
    };
    let share = (duration - longest) / duration;
    let text = text.with("n", strong(number::in_sentence(duration - longest, &Unit::Micros)));
    let text = text.with("m", number::in_sentence(duration, &Unit::Micros));
    text.with("share", number::fixed(share * 100.0, 1))
}

/// As a figure shows it.
pub(crate) fn plainly(text: String) -> String {
    text
}

/// As a finding marks what counts.
pub(crate) fn strongly(text: String) -> String {
    format!("⟦{text}⟧")
}
