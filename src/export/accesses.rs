//! Memory accesses as CSV: all of them, with the allocation they lie in and their call stack.

use super::parts::rows_in_parts;
use super::{Export, ExportInput, Parts};
use crate::analysis::access::RegionSweep;
use crate::base::words::phrase;
use crate::model::Trace;
use crate::model::access::{OPERATION, SPACE, StackFrame, UNIT};

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

/// Heads of the columns in front of the attributes that only some systems have, and behind them.
const FIRST: [&str; 3] = ["record", "operation", "unit"];
const LAST: [&str; 10] =
    ["space", "address", "bytes", "pc", "allocation", "offset", "function", "file", "line", "call stack"];

/// One line for each access in the order of the file. Addresses are hexadecimal; the call stack is innermost first.
fn write(input: &ExportInput) -> Parts {
    let accesses = &input.trace.accesses;
    let others: Vec<usize> = (SPACE + 1..accesses.attributes().len()).collect();
    let other = |at: &usize| {
        let attribute = &accesses.attributes()[*at];
        if attribute.is_of_unit { format!("unit {}", attribute.id) } else { attribute.id.clone() }
    };
    let (first, last) = (FIRST.map(str::to_owned), LAST.map(str::to_owned));
    let head = first.into_iter().chain(others.iter().map(other)).chain(last).collect();
    let mut sweep = RegionSweep::new(accesses);
    rows_in_parts(head, accesses.len(), move |input, row| {
        let (accesses, row) = (&input.trace.accesses, row as u32);
        let Some((access, class)) = accesses.get(row).zip(accesses.class(row)) else { return Vec::new() };
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
        let mut line = vec![
            access.position.to_string(),
            accesses.value(class, OPERATION).to_owned(),
            accesses.value(class, UNIT).to_owned(),
        ];
        line.extend(others.iter().map(|at| accesses.value(class, *at).to_owned()));
        line.extend([
            accesses.space_name(class.space()).to_owned(),
            format!("0x{:x}", access.address),
            access.bytes.to_string(),
            site.map_or(String::new(), |s| format!("0x{:x}", s.pc)),
            name.unwrap_or_default(),
            region.map_or(String::new(), |(_, r)| (access.address - r.start).to_string()),
            inner.map_or(String::new(), |f| text(f.function)),
            inner.map_or(String::new(), |f| text(f.file)),
            inner.filter(|f| 0 < f.line).map_or(String::new(), |f| f.line.to_string()),
            calls.join(" < "),
        ]);
        line
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
