//! What combining finds wrong, in words and at its place.

use super::{Said, Spot};
use crate::base::fault::Severity;
use crate::base::number::thousands;
use crate::base::words::{Message, message, phrase};
use crate::systems::instrumentation::combine::Event;
use crate::systems::instrumentation::container::buffer::{Use, Uses};
use crate::systems::instrumentation::container::manifest::Kernel;

/// Where an event is.
pub(in crate::systems::instrumentation::container) fn spot_of<'a>(
    uses: &'a Uses,
    event: &Event,
) -> Option<Spot<'a>> {
    if let Event::Lost { of, thread, .. } = event {
        let is_meant = |buffer: &&Use| buffer.of.is_none_or(|own| own == *of);
        let mut of_type = uses.0.iter().filter(is_meant);
        let own = uses.0.iter().filter(is_meant).find(|buffer| buffer.thread == Some(*thread));
        let buffer = own.or_else(|| of_type.next_back())?;
        return Some(Spot::of(buffer, buffer.payload.start.saturating_add(buffer.used.1)));
    }
    let (buffer, byte) = uses.locate(event.place()?)?;
    Some(Spot::of(buffer, byte))
}

/// Says an event.
#[cold]
pub(in crate::systems::instrumentation::container) fn told(
    said: &mut Said,
    spot: Spot,
    kernel: &Kernel,
    names: &[String],
    event: Event,
) {
    let label = |row: u32| {
        let block = kernel.blocks.get(row as usize);
        block.map_or_else(|| "?".to_owned(), |block| block.label.clone())
    };
    let name = |of: usize| names.get(of).cloned().unwrap_or_default();
    let n = |n: u64| thousands(n);
    let nothing = Message::default;
    match event {
        Event::Successor { thread, from, to, .. } => {
            said.say(("GMT-FLOW", Severity::Loss), None, spot, || {
                let text =
                    message("{to} follows {from} in thread {thread}, which the manifest does not list");
                (text.with("to", label(to)).with("from", label(from)).with("thread", thread), nothing())
            });
        }
        Event::Sequence { of, thread, expected, found, skipped, .. } => {
            said.say(("GMT-SEQ", Severity::Loss), Some(of), spot, || {
                let text =
                    message("{type} of thread {thread}: expected a record of {expected}, found {found}");
                let text = text.with("type", name(of)).with("thread", thread);
                let text = text.with("expected", label(expected)).with("found", label(found));
                let note = match skipped {
                    Some(records) => message("{n} records are skipped.").with("n", n(records)),
                    None => message("The expected record is missing."),
                };
                (text, note)
            });
        }
        Event::Lost { of, thread, executions } => {
            said.say(("GMT-LOST", Severity::Warning), Some(of), spot, || {
                let text =
                    message("{type} of thread {thread} ends early: block executions without records: {n}");
                let text = text.with("type", name(of)).with("thread", thread).with("n", n(executions));
                (text, phrase("Their instructions say “no record”.").into())
            });
        }
        Event::Extra { of, thread, records, .. } => {
            said.say(("GMT-XTRA", Severity::Warning), Some(of), spot, || {
                let text =
                    message("{type} of thread {thread}: {n} records are left over after its last block");
                let text = text.with("type", name(of)).with("thread", thread).with("n", n(records));
                (text, phrase("They are not shown.").into())
            });
        }
        Event::Instruction { block, expected, found, .. } => {
            said.say(("GMT-INST", Severity::Warning), None, spot, || {
                let text = message("a record of {block} names instruction {found}, planned is {expected}");
                let text = text.with("block", label(block)).with("found", found).with("expected", expected);
                (text, phrase("The record is trusted.").into())
            });
        }
    }
}
