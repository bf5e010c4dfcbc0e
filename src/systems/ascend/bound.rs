//! Sentences on what bounds cores of a kind: the threshold and the parts that those of slices and those of cycles share.

use crate::base::number;
use crate::base::words::{Message, message};
use crate::model::figure::Advice;

/// Share of time or cycles from which a pipe bounds its cores, in percent; below it the writer calls an operator latency
/// bound.
pub(super) const BOUND: f64 = 80.0;

/// How far the sum of all shares of each core may be from the whole where pipes seem to take turns, in percent.
const TURNS: f64 = 5.0;
/// The share from which waiting is told, in percent.
const WAITS: f64 = 20.0;

/// The share of the core where it is least, and where it is most; nothing where both read the same.
pub(super) fn each_core(least: String, most: String) -> Message {
    if least == most {
        return Message::default();
    }
    message(" ({least} to {most} % of each core)").with("least", least).with("most", most)
}

/// The pipe that bounds single cores, where it is not the busiest of all, and in how much of the one where it is most.
pub(super) fn single_core(pipe: &str, most: String) -> Message {
    message("; {pipe} bounds single cores with up to {n} %").with("pipe", pipe).with("n", most)
}

/// Where no pipe bounds the cores, what their shares allow: whether the pipes seem to take turns or in how much at least
/// none works, and the pipe that waits most, where that was recorded and is much. `each` is what the shares of no core add
/// up to less than, and to more than; `None` where times tell which pipes work at once.
pub(super) fn unbound<'a>(
    text: Message,
    active: f64,
    each: Option<[f64; 2]>,
    waiting: impl Iterator<Item = (&'a str, f64)>,
) -> Message {
    let rest = 100.0 - active;
    let is_whole = |[least, most]: [f64; 2]| 100.0 - TURNS <= least && most <= 100.0 + TURNS;
    let turns = if each.is_some_and(is_whole) {
        message(" All pipes add up to {n} %, as if they took turns.").with("n", number::fixed(active, 1))
    } else if TURNS < rest {
        // It is the least, so it is rounded down.
        let least = (rest * 10.0).floor() / 10.0;
        message(" In at least {n} % no recorded pipe works.").with("n", number::fixed(least, 1))
    } else {
        Message::default()
    };
    let most = waiting.max_by(|a, b| a.1.total_cmp(&b.1)).filter(|(_, share)| WAITS <= *share);
    let waits = most.map_or_else(Message::default, |(pipe, share)| {
        message(" {pipe} waits in {n} %.").with("pipe", pipe).with("n", number::fixed(share, 1))
    });
    text.with_message("turns", turns).with_message("waits", waits)
}

/// The first of these pipes, and those behind it that read the same share; how many they are.
pub(super) fn tied(pipes: &[(&str, String)]) -> (Message, usize) {
    let share = pipes.first().map_or("", |(_, share)| share);
    let is_tied = |(_, own): &&(&str, String)| own == share && share != "0.0";
    let n = pipes.iter().take_while(is_tied).count().max(1);
    let names = pipes.iter().take(n).map(|(name, _)| Message::from((*name).to_owned()));
    let both = |a, b| message("{a} and {b}").with_message("a", a).with_message("b", b);
    (names.reduce(both).unwrap_or_default(), n)
}

/// The sentence on the two busiest pipes as advice; behind it what the pipe that computes did, where it is neither: its
/// name and its share.
pub(super) fn advice_of(text: Message, computing: Option<(&str, String)>) -> Advice {
    Advice::bound(match computing {
        Some((pipe, share)) => {
            let both = message("{bound} {pipe} itself computes in {n} %.").with_message("bound", text);
            both.with("pipe", pipe).with("n", share)
        }
        None => text,
    })
}
