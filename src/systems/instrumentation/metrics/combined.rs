//! combined-text: each instruction that each thread ran, one line each, for other programs.
//!
//! ```text
//! thread  block  ordinal  pc  mask  addresses  registers       between tabs
//! 0       BB1    3        0x00a0  ffffffff  0x7f00,0x7f04     R12=7,9
//! ```
//! The ordinal counts the executions of a thread. With several launches the thread has the name of its launch in front:
//! `kernel-2:0`; a thread that follows another in its hardware slot has its number behind: `7#1`. What nobody recorded is
//! `-`. Addresses are those of the lanes of the mask, in their order.

use crate::base::words::phrase;
use crate::export::{Export, ExportInput, ExportMessage, Parts};
use crate::views::executions::compute::{
    Executed, Executions, Launch, NO_BLOCK, Program, Recorded, RegisterRow,
};
use std::fmt::Write as _;
use std::io::Result;

/// The export.
pub(crate) static COMBINED_TEXT: Export = Export {
    id: "combined-text",
    title: phrase("Combined trace as text"),
    suffix: "combined.txt",
    mime: "text/plain",
    takes_argument: false,
    parameters: &[],
    can: |input| launches(input).iter().any(|launch| launch.rows.is_some()),
    write: |_, _| Ok(parts()),
};

/// Bytes of a part.
const PART: usize = 1 << 18;

fn launches<'a>(input: &ExportInput<'a>) -> &'a [Launch] {
    input.trace.extensions.get::<Recorded>().map_or(&[], |all| &all.launches)
}

/// Where the writing stands.
#[derive(Default)]
struct Place {
    launch: usize,
    thread: usize,
    execution: u32,
}

fn parts() -> Parts {
    let (mut at, mut text) = (Place::default(), String::new());
    Box::new(move |input, out| {
        text.clear();
        let is_more = part(input, &mut at, &mut text)?;
        out.write_all(text.as_bytes())?;
        Ok(is_more)
    })
}

fn part(input: &ExportInput, at: &mut Place, out: &mut String) -> Result<bool> {
    let all = launches(input);
    while out.len() < PART {
        let Some(launch) = all.get(at.launch) else { return Ok(false) };
        let recorded = input.trace.extensions.get::<Recorded>();
        let program = recorded.and_then(|all| all.programs.get(launch.program as usize));
        let (Some(program), Some((first, end))) = (program, span(&launch.executions, at.thread)) else {
            *at = Place { launch: at.launch + 1, ..Place::default() };
            continue;
        };
        let execution = first.saturating_add(at.execution);
        if end <= execution {
            (at.thread, at.execution) = (at.thread + 1, 0);
            continue;
        }
        let Some(source) = &launch.rows else {
            *at = Place { launch: at.launch + 1, ..Place::default() };
            continue;
        };
        let rows = source.rows(launch, program, execution);
        let rows = rows.map_err(|text| ExportMessage { text, is_whole: false })?;
        let mut thread = if all.len() == 1 { String::new() } else { format!("{}:", launch.name) };
        let id = launch.threads.ids.get(at.thread).copied().unwrap_or(0);
        let instance = launch.threads.instances.get(at.thread).filter(|n| **n != 0);
        let _ = write!(thread, "{id}");
        if let Some(instance) = instance {
            let _ = write!(thread, "#{instance}");
        }
        let block = launch.executions.block.get(execution as usize).copied().unwrap_or(NO_BLOCK);
        let block = program.blocks.get(block as usize).map_or("-", |block| &block.label);
        for row in &rows {
            let _ = write!(out, "{thread}\t{block}\t{}\t", at.execution);
            line(program, row, out);
        }
        at.execution += 1;
    }
    Ok(true)
}

/// The executions of a thread.
fn span(executions: &Executions, thread: usize) -> Option<(u32, u32)> {
    Some((*executions.starts.get(thread)?, *executions.starts.get(thread + 1)?))
}

/// What an instruction did, and the end of the line.
fn line(program: &Program, row: &Executed, out: &mut String) {
    // Writing to a string does not fail.
    let _ = match program.address(row.instruction as usize) {
        Some(address) => write!(out, "{address:#06x}\t"),
        None => write!(out, "-\t"),
    };
    let _ = match row.mask {
        Some(mask) => write!(out, "{mask:08x}\t"),
        None => write!(out, "-\t"),
    };
    list(out, row.addresses.iter(), |out, address| _ = write!(out, "{address:#x}"), ",");
    out.push('\t');
    list(out, row.registers.iter(), register, ";");
    out.push('\n');
}

fn register(out: &mut String, of: &RegisterRow) {
    let _ = write!(out, "R{}=", of.register);
    list(out, of.values.iter(), |out, value| _ = write!(out, "{value:#x}"), ",");
}

fn list<T>(out: &mut String, all: impl Iterator<Item = T>, one: impl Fn(&mut String, T), between: &str) {
    let begin = out.len();
    for item in all {
        if begin < out.len() {
            out.push_str(between);
        }
        one(out, item);
    }
    if begin == out.len() {
        out.push('-');
    }
}
