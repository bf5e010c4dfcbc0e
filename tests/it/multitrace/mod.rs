//! GPU multi-trace containers: read, checked, combined, written.

mod cases;
mod corpus;
pub(crate) mod make;
mod round;
mod twin;

use lanescope::document::Document;
use lanescope::views::executions::compute::{NO_BLOCK, Recorded};
use std::fmt::Write;

/// What was recorded.
fn recorded(doc: &Document) -> &Recorded {
    doc.trace().extensions.get::<Recorded>().expect("something was recorded")
}

/// The codes of what is wrong, each once.
fn codes(doc: &Document) -> Vec<String> {
    let mut codes: Vec<String> = doc.faults().rows().iter().map(|fault| fault.code.to_string()).collect();
    codes.sort();
    codes.dedup();
    codes
}

/// The final trace, a line for each instruction: thread, block, ordinal, address, mask, addresses, registers.
fn dump(doc: &Document) -> String {
    let recorded = recorded(doc);
    let mut out = String::new();
    for launch in &recorded.launches {
        let program = &recorded.programs[launch.program as usize];
        for (thread, id) in launch.threads.ids.iter().enumerate() {
            let starts = &launch.executions.starts;
            for (ordinal, execution) in (starts[thread]..starts[thread + 1]).enumerate() {
                let block = launch.executions.block[execution as usize];
                if block == NO_BLOCK {
                    writeln!(out, "{id} ? {ordinal}").unwrap();
                    continue;
                }
                let label = &program.blocks[block as usize].label;
                for row in launch.rows.as_ref().unwrap().rows(launch, program, execution).unwrap() {
                    let address = program.instructions[row.instruction as usize].address;
                    write!(out, "{id} {label} {ordinal} {address:#x}").unwrap();
                    if let Some(mask) = row.mask {
                        write!(out, " {mask:x}").unwrap();
                    }
                    row.addresses.iter().for_each(|address| write!(out, " {address:#x}").unwrap());
                    for register in &row.registers {
                        let values: Vec<String> = register.values.iter().map(u64::to_string).collect();
                        write!(out, " r{}={}", register.register, values.join(",")).unwrap();
                    }
                    writeln!(out, "{}", row.missing.map_or(String::new(), |why| format!(" {why}"))).unwrap();
                }
            }
        }
    }
    out
}
