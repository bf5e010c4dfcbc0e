//! "Are my accesses coalesced?" in one sentence, and the pattern of an instruction in a few words.

use super::{AccessMetrics, Class, LaunchMetrics};
use crate::analysis::executions::{Program, Space};
use crate::base::number;
use crate::base::unit::Unit;
use crate::base::words::{Message, message};

/// The accesses of a launch to global memory, together.
pub(in crate::systems::instrumentation) fn global(
    program: &Program,
    metrics: &LaunchMetrics,
) -> AccessMetrics {
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

/// Whether the accesses of a launch are coalesced, in one sentence.
pub(in crate::systems::instrumentation) fn verdict(program: &Program, metrics: &LaunchMetrics) -> Message {
    let all = global(program, metrics);
    let Some(efficiency) = all.efficiency() else {
        return message("No global accesses.");
    };
    let (accesses, used) = (number::thousands(all.active), share(efficiency));
    if all.uncoalesced == 0 {
        return message("Yes: each of {n} global accesses takes the fewest sectors possible; {share} of the bytes moved are used.")
            .with("n", accesses)
            .with("share", used);
    }
    let worst = of_space(program, metrics, Space::Global).max_by_key(|(_, access)| access.excess());
    let (opcode, address, pattern) = worst.map_or_else(Default::default, |(row, access)| {
        let instruction = program.instructions.get(row);
        let opcode = instruction.and_then(|of| of.text.split(' ').next()).unwrap_or("").to_owned();
        (opcode, instruction.map_or(0, |of| of.address), pattern(access))
    });
    let template = if 2 * all.excess() < all.sectors {
        message(
            "Mostly: {part} of {n} global accesses take more sectors than needed; {share} of the bytes moved are used. Most are lost by {opcode} at {address}: {pattern}.",
        )
    } else {
        message(
            "No: {part} of {n} global accesses take more sectors than needed; {share} of the bytes moved are used. Most are lost by {opcode} at {address}: {pattern}.",
        )
    };
    template
        .with("part", number::thousands(all.uncoalesced))
        .with("n", accesses)
        .with("share", used)
        .with("opcode", opcode)
        .with("address", format!("{address:#x}"))
        .with_message("pattern", pattern)
}

/// Whether the accesses of a launch to shared memory wait for its banks, in one sentence; nothing without such accesses.
pub(super) fn banks(program: &Program, metrics: &LaunchMetrics) -> Option<(Message, bool)> {
    let (mut active, mut passes) = (0_u64, 0_u64);
    for (_, access) in of_space(program, metrics, Space::Shared) {
        active += access.active;
        passes += access.bank_passes.0;
    }
    let extra = |access: &AccessMetrics| access.bank_passes.0.saturating_sub(access.active);
    let (row, worst) = of_space(program, metrics, Space::Shared).max_by_key(|(_, access)| extra(access))?;
    let accesses = number::thousands(active);
    if extra(worst) == 0 {
        let text =
            message("No bank conflicts: each of {n} shared accesses takes one pass.").with("n", accesses);
        return (0 < active).then_some((text, false));
    }
    let instruction = program.instructions.get(row);
    let text = message(
        "Bank conflicts: {n} shared accesses take {passes} passes, {most} at most. Most are lost by {opcode} at {address}.",
    );
    let text = text.with("n", accesses).with("passes", number::thousands(passes));
    let text = text.with("most", worst.bank_passes.1);
    let text = text.with("opcode", instruction.and_then(|of| of.text.split(' ').next()).unwrap_or(""));
    let address = instruction.map_or(0, |of| of.address);
    Some((text.with("address", format!("{address:#x}")), true))
}

/// How the lanes of an instruction lie to each other most often.
pub(super) fn pattern(access: &AccessMetrics) -> Message {
    let stride = access.stride().unwrap_or(0);
    let sector = access.moved.checked_div(access.sectors).unwrap_or(0).max(1);
    match access.class() {
        Class::None => message("no lane active"),
        Class::Single => message("one lane"),
        Class::Uniform => message("all lanes at one address"),
        Class::Unit => message("each lane next to the one before"),
        Class::Stride if sector <= stride.unsigned_abs() => {
            message("stride {n}: each lane takes a sector of its own").with("n", stride)
        }
        Class::Stride => message("stride {n}").with("n", stride),
        Class::Segmented => message("runs of neighboring lanes"),
        Class::Irregular => message("irregular"),
    }
}
