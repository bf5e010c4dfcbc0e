//! Memory accesses as CSV: all of them, with the allocation they lie in and their call stack.

use super::parts::rows_in_parts;
use super::{Export, ExportInput, Parts};
use crate::analysis::access::RegionSweep;
use crate::base::words::phrase;
use crate::model::Trace;
use crate::model::access::StackFrame;

pub(super) static ACCESSES_CSV: Export = Export {
    id: "accesses-csv",
    title: phrase("Memory accesses as CSV"),
    suffix: "accesses.csv",
    mime: "text/csv",
    takes_argument: false,
    parameters: &[],
    can: |input| !input.trace.accesses.is_empty(),
    write: |input, _| Ok(write(input)),
};

/// Heads of the columns.
const HEAD: [&str; 14] = [
    "record",
    "operation",
    "unit",
    "unit kind",
    "space",
    "address",
    "bytes",
    "pc",
    "allocation",
    "offset",
    "function",
    "file",
    "line",
    "call stack",
];

/// One line for each access in the order of the file. Addresses are hexadecimal; the call stack is innermost first.
fn write(input: &ExportInput) -> Parts {
    let mut sweep = RegionSweep::new(&input.trace.accesses);
    rows_in_parts(HEAD.map(str::to_owned).to_vec(), input.trace.accesses.len(), move |input, row| {
        let (accesses, row) = (&input.trace.accesses, row as u32);
        let Some(access) = accesses.get(row) else { return Vec::new() };
        let unit = accesses.units().get(access.class.unit as usize);
        let site = accesses.site(row);
        let stack = site.and_then(|s| s.stack).and_then(|s| accesses.stacks.get(s as usize));
        let frames = stack.and_then(|s| accesses.frames.get(s.frames.start as usize..s.frames.end as usize));
        let frames = frames.unwrap_or(&[]);
        let text = |id| input.trace.strings.get(id).to_owned();
        let inner = frames.first();
        let calls: Vec<String> = frames.iter().map(|frame| place(input.trace, frame)).collect();
        let region = sweep.region(accesses, row).and_then(|at| Some((at, accesses.regions.get(at)?)));
        let name =
            region.map(|(at, r)| if r.name.is_empty() { (at + 1).to_string() } else { r.name.clone() });
        vec![
            access.position.to_string(),
            accesses.operation(access.class).map_or(String::new(), |o| o.name.clone()),
            unit.map_or(String::new(), |u| u.name.clone()),
            unit.map_or(String::new(), |u| u.kind.clone()),
            accesses.spaces().get(usize::from(access.class.space)).cloned().unwrap_or_default(),
            format!("0x{:x}", access.address),
            access.bytes.to_string(),
            site.map_or(String::new(), |s| format!("0x{:x}", s.pc)),
            name.unwrap_or_default(),
            region.map_or(String::new(), |(_, r)| (access.address - r.start).to_string()),
            inner.map_or(String::new(), |f| text(f.function)),
            inner.map_or(String::new(), |f| text(f.file)),
            inner.filter(|f| 0 < f.line).map_or(String::new(), |f| f.line.to_string()),
            calls.join(" < "),
        ]
    })
}

/// A frame in one word: `function (file:line:column)`.
fn place(trace: &Trace, frame: &StackFrame) -> String {
    let (function, file) = (trace.strings.get(frame.function), trace.strings.get(frame.file));
    let mut at = file.to_owned();
    for number in [frame.line, frame.column] {
        if 0 < number {
            at.push_str(&format!(":{number}"));
        }
    }
    match (function, at.as_str()) {
        (function, "") => function.to_owned(),
        ("", at) => at.to_owned(),
        (function, at) => format!("{function} ({at})"),
    }
}
