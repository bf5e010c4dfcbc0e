//! What a plan is for, and what its letters and its types of records mean, in sentences.

use crate::base::words::phrase;

/// How a plan is used: count, size, record.
pub const STEPS: [&str; 3] = [
    phrase("First run: count how often each block runs."),
    phrase(
        "Size the buffers: for each type, records × executions × bytes of a record, added up over the blocks.",
    ),
    phrase(
        "Second run: record into these buffers, then combine the records of each thread in the order of its blocks.",
    ),
];

/// Records that one execution of a block writes.
pub const R: &str = phrase("r: records of the type that one execution of the block writes");
/// Executions of a block.
pub const C: &str = phrase("c: executions of the block by all threads together");
/// Bytes of a record.
pub const Z: &str = phrase("z: bytes of one record of the type");

/// What records of a kind say; `None` for kinds that only the file knows.
pub fn meaning_of(kind: &str) -> Option<&'static str> {
    Some(match kind {
        "flow" => phrase(
            "Flow records: one per block execution. They give the order in which a thread ran its blocks.",
        ),
        "memory" => phrase(
            "Memory records: one per memory access, with the first address or the address of each lane.",
        ),
        "simd" => phrase("SIMD records: the active lanes, per block execution or per instruction."),
        "register" => phrase("Register records: the values of a register at an instruction."),
        _ => return None,
    })
}
