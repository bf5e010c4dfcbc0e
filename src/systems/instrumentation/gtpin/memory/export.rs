//! gtpin-accesses-csv: a line for each send of each record.

use super::layout::Touched;
use super::settle::{ABSENT, OfLaunch, SoftwareThreads};
use crate::base::words::phrase;
use crate::export::{Export, ExportInput, Parts};
use crate::views::executions::compute::{Launch, Recorded};
use std::fmt::Write as _;
use std::io::{Error, Result, Write};

/// Records that are written at once.
const AT_ONCE: usize = 4096;

/// The sends as CSV.
pub(crate) static ACCESSES_CSV: Export = Export {
    id: "gtpin-accesses-csv",
    title: phrase("Memory sends as CSV"),
    suffix: "sends.csv",
    mime: "text/csv",
    takes_argument: false,
    parameters: &[],
    can: |input| input.trace.extensions.get::<SoftwareThreads>().is_some_and(|all| !all.0.is_empty()),
    write: |_, _| Ok(write()),
};

/// The heads. Lanes and addresses are hexadecimal; addresses of a rectangle are its x, y, bytes of a row and rows.
const HEAD: &str = "launch,tile,slice,dual_subslice,subslice,eu,slot,instance,group_x,group_y,group_z,ordinal,block,mask,time,offset,lanes,addresses";

fn write() -> Parts {
    let (mut at, mut execution, mut thread) = (0, 0, 0);
    Box::new(move |input: &ExportInput, out: &mut dyn Write| {
        let trace = input.trace;
        let all = trace.extensions.get::<SoftwareThreads>().zip(trace.extensions.get::<Recorded>());
        let Some((all, recorded)) = all else { return Ok(false) };
        if (at, execution) == (0, 0) {
            writeln!(out, "{HEAD}")?;
        }
        let mut left = AT_ONCE;
        let mut text = String::new();
        while let Some(of) = all.0.get(at) {
            let Some(launch) = recorded.launches.get(of.launch) else { return Ok(false) };
            while execution < launch.executions.block.len() && 0 < left {
                let next = |thread: usize| launch.executions.starts.get(thread + 1).map(|end| *end as usize);
                while next(thread).is_some_and(|end| end <= execution) {
                    thread += 1;
                }
                lines(&mut text, (at, of, launch), recorded, thread, execution)?;
                execution += 1;
                left -= 1;
            }
            if left == 0 {
                break;
            }
            (at, execution, thread) = (at + 1, 0, 0);
        }
        out.write_all(text.as_bytes())?;
        Ok(at < all.0.len())
    })
}

/// The lines of one record.
fn lines(
    text: &mut String,
    (at, of, launch): (usize, &OfLaunch, &Launch),
    recorded: &Recorded,
    thread: usize,
    execution: usize,
) -> Result<()> {
    let number = u32::try_from(execution).map_err(Error::other)?;
    let (mask, sends) = of.rows.touched(launch, number).map_err(Error::other)?;
    let block = launch.executions.block.get(execution).map_or(0, |row| *row as usize);
    let program = recorded.programs.get(launch.program as usize);
    let row = program.and_then(|program| program.blocks.get(block));
    let first = row.map_or(0, |block| block.first as usize);
    let software = of.threads.get(thread);
    let known = |value: u32| if value == ABSENT { String::new() } else { value.to_string() };
    let fields = software.map_or([ABSENT; 6], |software| software.fields).map(known).join(",");
    let group =
        software.and_then(|software| software.group).map_or([ABSENT; 3], |group| group).map(known).join(",");
    let instance = software.map_or(0, |software| software.instance);
    let ordinal = number.saturating_sub(launch.executions.starts.get(thread).copied().unwrap_or(0));
    let time = launch.executions.time.get(execution).map_or_else(String::new, u64::to_string);
    let id = row.map_or(0, |block| block.id);
    let head = format!("{at},{fields},{instance},{group},{ordinal},{id},{mask:08x},{time}");
    if sends.is_empty() {
        writeln!(text, "{head},,,").map_err(Error::other)?;
    }
    for (n, touched) in sends.into_iter().enumerate() {
        let instruction = program.and_then(|program| program.instructions.get(first + n));
        let offset = instruction.map_or(0, |instruction| instruction.address);
        let (lanes, list) = match touched {
            Touched::Nothing | Touched::Group(_) => (String::new(), String::new()),
            Touched::Media { x, y, width, rows } => (String::new(), format!("{x} {y} {width} {rows}")),
            Touched::Lanes(lanes, addresses) => {
                let mut list = String::new();
                for address in addresses {
                    let blank = if list.is_empty() { "" } else { " " };
                    write!(list, "{blank}{address:x}").map_err(Error::other)?;
                }
                (format!("{lanes:08x}"), list)
            }
        };
        writeln!(text, "{head},{offset},{lanes},{list}").map_err(Error::other)?;
    }
    Ok(())
}
