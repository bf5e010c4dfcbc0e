//! Sentences on what bounds cores of a kind: the threshold and the parts that those of slices and those of cycles share.

use crate::base::words::{Message, message};
use crate::model::figure::Advice;

/// Share of time or cycles from which a pipe bounds its cores, in percent; below it the writer calls an operator latency
/// bound.
pub(super) const BOUND: f64 = 80.0;

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
