//! What opcodes say: whether a block ends behind one, which memory it reaches, how it is written for people.

use super::line::Operands;
use crate::systems::instrumentation::matrices::address_lanes;
use crate::views::executions::compute::{MemoryOperand, Space};

/// The first part of an opcode.
fn base(opcode: &str) -> &str {
    opcode.split('.').next().unwrap_or(opcode)
}

/// Whether what follows this instruction in the program may not be what follows it in time.
pub(super) fn ends_block(opcode: &str) -> bool {
    const OPCODES: [&str; 19] = [
        "BRA", "BRX", "BRXU", "JMP", "JMX", "JMXU", "CALL", "CAL", "JCAL", "RET", "EXIT", "BSYNC", "BREAK",
        "WARPSYNC", "SYNC", "BRK", "CONT", "PRET", "KILL",
    ];
    OPCODES.contains(&base(opcode))
}

/// Whether lanes that run it may go another way than those that do not: where they only wait, or are named to wait, they
/// all go on.
pub(super) fn parts(opcode: &str) -> bool {
    ends_block(opcode) && !matches!(base(opcode), "BSYNC" | "BREAK" | "WARPSYNC" | "PRET")
}

/// Whether the number behind it is the address of an instruction that may be the next.
pub(super) fn jumps(opcode: &str) -> bool {
    matches!(base(opcode), "BRA" | "JMP")
}

/// Whether the number behind it is an address of the program.
fn names_address(opcode: &str) -> bool {
    ends_block(opcode) || matches!(base(opcode), "BSSY" | "SSY" | "PBK" | "PCNT" | "PEXIT" | "PLONGJMP")
}

/// Whether it copies from global to shared memory: such a line is there twice, once for each side.
pub(super) fn copies(opcode: &str) -> bool {
    base(opcode) == "LDGSTS"
}

/// What it does to memory with so many bytes of a lane.
pub(super) fn memory(opcode: &str, width: u32) -> Option<MemoryOperand> {
    if width == 0 {
        return None;
    }
    let base = base(opcode);
    let space = match base {
        "LDS" | "STS" | "LDSM" | "STSM" | "ATOMS" => Space::Shared,
        "LDL" | "STL" => Space::Local,
        "LDC" | "LDCU" | "ULDC" => Space::Constant,
        _ => Space::Global,
    };
    let is_atomic =
        base.starts_with("ATOM") || base.starts_with("RED") || base == "SUATOM" || base == "SURED";
    let writes = is_atomic || base.starts_with("ST") || base == "SUST";
    // Each address of a matrix load is that of a row of 16 bytes, whatever the width of its elements.
    let bytes = if matches!(base, "LDSM" | "STSM") { 16 } else { width };
    let lanes = address_lanes(opcode);
    Some(MemoryOperand { reads: is_atomic || !writes, writes, is_atomic, bytes, lanes, space })
}

/// Its assembly, as far as the trace has it: opcode, registers, the number behind them.
pub(super) fn text(of: &Operands, immediate: Option<i64>) -> String {
    let word = |bytes: &[u8]| match String::from_utf8_lossy(bytes).into_owned() {
        zero if zero == "R255" => "RZ".to_owned(),
        other => other,
    };
    let opcode = word(of.opcode);
    let addresses = match () {
        () if of.width == 0 => 0,
        () if copies(&opcode) => 2,
        () => 1,
    };
    let source = |(n, register): (usize, &&[u8])| {
        if n < addresses { format!("[{}]", word(register)) } else { word(register) }
    };
    let to = of.to.iter().map(|register| word(register));
    let number = immediate.filter(|n| *n != 0).map(|n| match u64::try_from(n) {
        Ok(address) if names_address(&opcode) => format!("{address:#x}"),
        _ => n.to_string(),
    });
    let all: Vec<String> = to.chain(of.from.iter().enumerate().map(source)).chain(number).collect();
    if all.is_empty() { opcode } else { format!("{opcode} {}", all.join(", ")) }
}
