//! "Are my accesses coalesced?" in one sentence, and the pattern of an instruction in a few words.

use super::{AccessMetrics, Class, LaunchMetrics};
use crate::base::number;
use crate::base::unit::Unit;
use crate::base::words::{Message, message};
use crate::views::executions::compute::{Program, Space};

/// The accesses of a launch to global memory, together.
pub(crate) fn global(program: &Program, metrics: &LaunchMetrics) -> AccessMetrics {
    let mut all = AccessMetrics::default();
    for (_, access) in of_space(program, metrics, Space::Global) {
        all.add(access);
    }
    all
}

/// The rows of the instructions that access a memory, with their metrics.
pub(super) fn of_space<'a>(
    program: &'a Program,
    metrics: &'a LaunchMetrics,
    space: Space,
) -> impl Iterator<Item = (usize, &'a AccessMetrics)> {
    let pairs = program.instructions.iter().zip(&metrics.instructions).enumerate();
    pairs.filter_map(move |(row, (instruction, metrics))| {
        let is_of = instruction.memory.is_some_and(|memory| memory.space == space);
        metrics.access.as_deref().filter(|_| is_of).map(|access| (row, access))
    })
}

/// A share as people read it.
fn share(value: f64) -> String {
    number::with_unit(value, &Unit::Share)
}

/// Accesses of a launch to a memory of which the addresses of all lanes are not known.
pub(super) fn unseen(program: &Program, metrics: &LaunchMetrics, space: Space) -> u64 {
    let pairs = program.instructions.iter().zip(&metrics.instructions);
    let own = pairs.filter(|(instruction, _)| instruction.memory.is_some_and(|memory| memory.space == space));
    own.map(|(_, metrics)| metrics.unseen).sum()
}

/// Adds to a sentence about accesses how many more there are.
fn of_seen(text: Message, seen: u64, unseen: u64) -> Message {
    if unseen == 0 {
        return text;
    }
    message("{text} This covers only what was recorded; accesses without the width or the addresses of all lanes: {n} of {all}.")
        .with("n", number::thousands(unseen))
        .with("all", number::thousands(seen.saturating_add(unseen)))
        .with_message("text", text)
}

/// Whether the accesses of a launch are coalesced, in one sentence, and of how many of them that is said.
pub(crate) fn verdict(program: &Program, metrics: &LaunchMetrics) -> Message {
    let all = global(program, metrics);
    match (all.efficiency(), unseen(program, metrics, Space::Global)) {
        (None, 0) => message("No global accesses."),
        (None, n) => message("Cannot tell whether {n} global accesses are coalesced: their width, or the addresses of all lanes, were not recorded.")
            .with("n", number::thousands(n)),
        (Some(efficiency), n) => of_seen(coalesced(program, metrics, &all, efficiency), all.active, n),
    }
}

/// The sentence about accesses whose addresses are known.
fn coalesced(program: &Program, metrics: &LaunchMetrics, all: &AccessMetrics, efficiency: f64) -> Message {
    let (accesses, used) = (number::thousands(all.active), share(efficiency));
    if all.uncoalesced == 0 {
        return message("Coalesced: each of {n} global accesses uses the fewest sectors possible; {share} of the bytes moved are used.")
            .with("n", accesses)
            .with("share", used);
    }
    let losses: Vec<(usize, u64)> =
        of_space(program, metrics, Space::Global).map(|(row, access)| (row, access.excess())).collect();
    let (row, rank) = first(&losses);
    let worst = match rank {
        Rank::Only => message("All {all} excess sectors come from {instruction}: {pattern}."),
        Rank::First => message("{instruction} has the most, {n} of {all} excess sectors: {pattern}."),
        Rank::Tied => message(
            "{k} instructions have {n} of {all} excess sectors each, the first one is {instruction}: {pattern}.",
        ),
    };
    let access = metrics.instructions.get(row).and_then(|of| of.access.as_deref());
    let worst = numbers(worst, program, row, &losses)
        .with_message("pattern", access.map_or_else(|| message(""), lost));
    let template = if 2 * all.excess() < all.sectors {
        message(
            "Mostly coalesced: {part} of {n} global accesses use more sectors than needed; {share} of the bytes moved are used. {worst}",
        )
    } else {
        message(
            "Not coalesced: {part} of {n} global accesses use more sectors than needed; {share} of the bytes moved are used. {worst}",
        )
    };
    template
        .with("part", number::thousands(all.uncoalesced))
        .with("n", accesses)
        .with("share", used)
        .with_message("worst", worst)
}

/// How the greatest loss stands to the others.
enum Rank {
    /// There is no other.
    Only,
    /// It is greater than all others.
    First,
    /// Others are as great.
    Tied,
}

/// The first row with the greatest loss.
fn first(losses: &[(usize, u64)]) -> (usize, Rank) {
    let most = losses.iter().map(|(_, n)| *n).max().unwrap_or(0);
    let row = losses.iter().find(|(_, n)| *n == most).map_or(usize::MAX, |(row, _)| *row);
    let rank = match losses.iter().filter(|(_, n)| *n == most).count() {
        1 if losses.iter().filter(|(_, n)| 0 < *n).count() == 1 => Rank::Only,
        1 => Rank::First,
        _ => Rank::Tied,
    };
    (row, rank)
}

/// Puts the numbers of the greatest loss into a sentence about it.
fn numbers(words: Message, program: &Program, row: usize, losses: &[(usize, u64)]) -> Message {
    let most = losses.iter().map(|(_, n)| *n).max().unwrap_or(0);
    let all: u64 = losses.iter().map(|(_, n)| n).sum();
    let tied = losses.iter().filter(|(_, n)| *n == most).count();
    let opcode = program.instructions.get(row).and_then(|of| of.text.split(' ').next()).unwrap_or("");
    // Where it stands is not always recorded.
    let instruction = match program.address(row) {
        Some(at) => {
            message("{opcode} at {address}").with("opcode", opcode).with("address", format!("{at:#x}"))
        }
        None => opcode.to_owned().into(),
    };
    words
        .with("k", number::thousands(tied as u64))
        .with("n", number::thousands(most))
        .with("all", number::thousands(all))
        .with_message("instruction", instruction)
}

/// Whether the accesses of a launch to shared memory wait for its banks, in one sentence; nothing without such accesses.
pub(super) fn banks(program: &Program, metrics: &LaunchMetrics) -> Option<(Message, bool)> {
    let mut all = AccessMetrics::default();
    of_space(program, metrics, Space::Shared).for_each(|(_, access)| all.add(access));
    let all = all.shared;
    let unseen = unseen(program, metrics, Space::Shared);
    if all.active == 0 {
        let words = message(
            "Cannot tell whether {n} shared accesses have bank conflicts: their width, or the addresses of all lanes, were not recorded.",
        );
        return (0 < unseen).then(|| (words.with("n", number::thousands(unseen)), false));
    }
    let put = |words: Message| {
        words
            .with("accesses", number::thousands(all.active))
            .with("waves", number::thousands(all.wavefronts))
            .with("ideal", number::thousands(all.ideal))
    };
    if all.excess() == 0 {
        let words = message(
            "No bank conflicts: {accesses} shared accesses take {waves} wavefronts, the fewest possible.",
        );
        return Some((of_seen(put(words), all.active, unseen), false));
    }
    let losses: Vec<(usize, u64)> = of_space(program, metrics, Space::Shared)
        .map(|(row, access)| (row, access.shared.excess()))
        .collect();
    let (row, rank) = first(&losses);
    let worst = match rank {
        Rank::Only => message("All {all} excess wavefronts come from {instruction}."),
        Rank::First => message("{instruction} has the most, {n} of {all} excess wavefronts."),
        Rank::Tied => message(
            "{k} instructions have {n} of {all} excess wavefronts each, the first one is {instruction}.",
        ),
    };
    let words = message(
        "Bank conflicts: {accesses} shared accesses take {waves} wavefronts, {ideal} without conflicts. {worst}",
    );
    let words = put(words).with_message("worst", numbers(worst, program, row, &losses));
    Some((of_seen(words, all.active, unseen), true))
}

/// The pattern of accesses that lose sectors, and how many of an instruction these are, where they are not all.
pub(crate) fn lost(access: &AccessMetrics) -> Message {
    let Some(worst) = access.worst().filter(|worst| worst.accesses < access.active) else {
        return pattern(access);
    };
    let text = if worst.excess == access.excess() {
        message("{pattern}, in {n} of {all} executions")
    } else {
        message("{pattern}, {lost} of them in {n} of {all} executions")
    };
    text.with_message("pattern", pattern(access))
        .with("lost", number::thousands(worst.excess))
        .with("n", number::thousands(worst.accesses))
        .with("all", number::thousands(access.active))
}

/// How the lanes of an instruction lie to each other: where sectors are lost in the accesses that lose most, else most
/// often.
pub(super) fn pattern(access: &AccessMetrics) -> Message {
    let most = || (access.class(), access.stride().unwrap_or(0));
    let (class, stride) = access.worst().map_or_else(most, |loss| (loss.class, loss.stride));
    // Shared memory has none.
    let sector = access.moved.checked_div(access.sectors);
    match class {
        Class::None if 0 < access.without_address => message("active lanes, no address recorded"),
        Class::None => message("no active lanes"),
        Class::Single => message("one lane"),
        Class::Uniform => message("all lanes at one address"),
        Class::Unit => message("contiguous lanes"),
        Class::Stride if sector.is_some_and(|bytes| bytes <= stride.unsigned_abs()) => {
            message("stride {n}: one sector per lane").with("n", stride)
        }
        Class::Stride => message("stride {n}").with("n", stride),
        Class::Segmented => message("runs of neighboring lanes"),
        Class::Irregular if access.has_short_runs() => message("short runs of neighboring lanes"),
        Class::Irregular => message("irregular"),
    }
}
