//! What calls that ask the driver for memory, or free it, are known to do: which one is the longest, which are the first of
//! a library, which give memory back.
//!
//! ```text
//! counter   ▔▔▔▔▔╲▁▁▁▁      given back: reserved memory falls from the sample before the call to the one behind it
//! operator  [ alloc free alloc ]   given back: it could not get more, and asks again
//! operator  [ free … ] the first   a library that is used for the first time may free something while it is loaded
//! ```

use super::call_in;
use super::memory::RESERVED;
use crate::analysis::device::{Asked, Device};
use crate::base::map::Map;
use crate::base::number::thousands;
use crate::base::time::{Span, Ticks, Total};
use crate::base::words::{Message, message};
use crate::findings::RuleInput;
use crate::findings::trace::span_of;
use crate::model::id::StrId;

/// Calls of which something is known.
#[derive(Default)]
struct Known {
    /// How many free at all, and of these give memory back.
    frees: u64,
    given_back: u64,
    /// How many ask for memory, and how long they take.
    asks: (u64, Ticks),
    /// Those that free in the first call of an operator: how many of each, and how long.
    first: Map<(StrId, StrId), (u64, Ticks)>,
}

/// What is said of the calls of a device, all of which are so many, by the name of most of them. Those that ask for memory
/// are told apart from others where they take so long that it counts.
pub(super) fn line(
    input: &RuleInput,
    device: &Device,
    rank: usize,
    (most, all): (String, u64),
    counts: impl Fn(Ticks) -> bool,
) -> Message {
    let own: Vec<&Asked> = device.asked.iter().filter(|asked| asked.rank as usize == rank).collect();
    let known = known(input, device, rank, &own);
    let longest = own.iter().rev().max_by_key(|asked| asked.ticks);
    let said = message("Mostly {name}. The longest, {call}, takes {time}.{more}").with("name", most);
    let said = match longest {
        Some(asked) => said
            .with_message("call", call_in(input, asked.name, asked.inside))
            .with("time", input.duration(asked.ticks)),
        None => Message::default(),
    };
    let sum: Ticks = own.iter().map(|asked| asked.ticks).total();
    let first = known.first.iter().max_by_key(|of| (of.1.1, std::cmp::Reverse(of.0)));
    let first = first.filter(|(_, (_, ticks))| sum < ticks.saturating_mul(2));
    let first = first.map_or_else(Message::default, |((name, inside), (n, ticks))| {
        message(" In the first {operator}, {time} go by in {n} calls of {call}: a library that is used for the first time may be loading then. Warm up before recording.")
            .with("n", thousands(*n))
            .with("call", super::short(input, *name))
            .with("operator", super::short(input, *inside))
            .with("time", input.duration(*ticks))
    });
    let grows = message(
        " Sizes that change from step to step grow the cache: fixed shapes, or one large allocation at the start, avoid this.",
    );
    let rest = match (known.given_back, known.frees) {
        (0, 0) => grows,
        (0, _) if !counts(known.asks.1) => Message::default(),
        (0, _) => message(" {n} of {all} allocate, in {time}.{grows}")
            .with("n", thousands(known.asks.0))
            .with("all", thousands(all))
            .with("time", input.duration(known.asks.1))
            .with_message("grows", grows),
        (n, _) => message(
            " {n} of {all} give memory back. A cache does that when it is emptied or could not get more, and has to ask for it again.",
        )
        .with("n", thousands(n))
        .with("all", thousands(all)),
    };
    let more = message("{a}{b}").with_message("a", first).with_message("b", rest);
    said.with_message("more", more)
}

/// Whether a call frees memory, by its name.
fn is_free(input: &RuleInput, asked: &Asked) -> bool {
    input.trace.strings.get(asked.name).to_ascii_lowercase().contains("free")
}

fn known(input: &RuleInput, device: &Device, rank: usize, own: &[&Asked]) -> Known {
    let drops = drops(input);
    let mut first: Map<StrId, Option<Span>> = Map::default();
    let asks = own.iter().filter(|asked| !is_free(input, asked));
    let asks = asks.fold((0, 0), |sum: (u64, Ticks), asked| (sum.0 + 1, sum.1 + asked.ticks));
    let mut known = Known { asks, ..Known::default() };
    for (at, asked) in own.iter().enumerate().filter(|(_, asked)| is_free(input, asked)) {
        known.frees += 1;
        let span = span_of(input, asked.slice);
        let entry = input.trace.tracks.get(asked.slice.track).entry;
        let falls =
            |(of, drop): &(u32, Span)| *of == entry && drop.start <= span.end && span.start < drop.end;
        if drops.iter().any(falls) {
            known.given_back += 1;
            continue;
        }
        if asked.inside == StrId(0) {
            continue;
        }
        let around =
            *first.entry(asked.inside).or_insert_with(|| first_of(input, device, rank, asked.inside));
        if around.is_some_and(|around| around.start <= span.start && span.end <= around.end) {
            let sum = known.first.entry((asked.name, asked.inside)).or_default();
            *sum = (sum.0 + 1, sum.1 + asked.ticks);
        } else if is_retried(input, own, at) {
            known.given_back += 1;
        }
    }
    known
}

/// When reserved memory falls, by the entry of the counter: from the sample before to the one that is lower.
fn drops(input: &RuleInput) -> Vec<(u32, Span)> {
    let trace = input.trace;
    let reserved =
        trace.tracks.iter().filter(|(_, track)| trace.strings.get(track.name).starts_with(RESERVED));
    let of_track = reserved.filter_map(|(id, track)| {
        let (series, shift) = (track.series.first()?, input.derived.timeline.shift_of(id));
        let samples = || series.time.iter().copied().zip(series.value.iter().copied());
        let falls = samples().zip(samples().skip(1)).filter(|(before, after)| after.1 < before.1);
        let spans = falls.map(|(before, after)| {
            (track.entry, Span { start: before.0, end: after.0.max(before.0) }.shifted(shift))
        });
        Some(spans.collect::<Vec<_>>())
    });
    of_track.flatten().collect()
}

/// The first call of an operator on the host of a device.
fn first_of(input: &RuleInput, device: &Device, rank: usize, name: StrId) -> Option<Span> {
    let hosts = device.ranks.get(rank)?.hosts.iter();
    let firsts = hosts.filter_map(|id| {
        let slices = &input.trace.tracks.find(*id)?.slices;
        let row = (0..slices.len()).find(|row| slices.name_of(*row) == name)?;
        Some(slices.span(row).shifted(input.derived.timeline.shift_of(*id)))
    });
    firsts.min_by_key(|span| (span.start, std::cmp::Reverse(span.end)))
}

/// Whether the same call of an operator asks for memory before and after one that frees, with nothing but such between them.
fn is_retried(input: &RuleInput, own: &[&Asked], at: usize) -> bool {
    let Some(asked) = own.get(at) else { return false };
    let Some(around) = around(input, asked) else { return false };
    let asks = |other: &&&Asked| !is_free(input, other);
    let is_inside = |other: &Asked| {
        let span = span_of(input, other.slice);
        other.slice.track == asked.slice.track && around.start <= span.start && span.end <= around.end
    };
    let before = own.get(..at).and_then(|own| own.iter().rev().find(asks));
    let after = own.get(at + 1..).and_then(|own| own.iter().find(asks));
    [before, after].into_iter().all(|other| other.is_some_and(|other| is_inside(other)))
}

/// The innermost call of its operator around a call: rows come in order of their starts, those around others first.
fn around(input: &RuleInput, asked: &Asked) -> Option<Span> {
    let slices = &input.trace.tracks.find(asked.slice.track)?.slices;
    let own = slices.span(asked.slice.row as usize);
    let mut rows = (0..asked.slice.row as usize).rev();
    let is_around = |row: &usize| slices.name_of(*row) == asked.inside && own.end <= slices.span(*row).end;
    let span = slices.span(rows.find(is_around)?);
    Some(span.shifted(input.derived.timeline.shift_of(asked.slice.track)))
}
