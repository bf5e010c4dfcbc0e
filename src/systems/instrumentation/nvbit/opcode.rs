//! What an opcode says of memory: which one, in which direction, and how many bytes of a lane.

use crate::systems::instrumentation::matrices::{SHARED_END, address_lanes};
use crate::views::executions::compute::{MemoryOperand, Space};

/// What an opcode such as `LDG.E.64.SYS` does to memory; `None` for others.
pub fn operand(opcode: &str) -> Option<MemoryOperand> {
    let opcode =
        opcode.strip_prefix('@').and_then(|rest| rest.split_once(' ')).map_or(opcode, |(_, rest)| rest);
    let mut parts = opcode.split(['.', ' ', ',', ';']);
    let mnemonic = parts.next()?;
    let (reads, writes, is_atomic, space) = match mnemonic {
        "LD" | "LDG" | "LDGSTS" => (true, false, false, Space::Global),
        "ST" | "STG" => (false, true, false, Space::Global),
        "ATOM" | "ATOMG" => (true, true, true, Space::Global),
        "RED" | "REDG" => (false, true, true, Space::Global),
        "LDS" | "LDSM" => (true, false, false, Space::Shared),
        "STS" | "STSM" => (false, true, false, Space::Shared),
        "ATOMS" => (true, true, true, Space::Shared),
        "LDL" => (true, false, false, Space::Local),
        "STL" => (false, true, false, Space::Local),
        "LDC" | "LDCU" => (true, false, false, Space::Constant),
        _ => return None,
    };
    // Each address of a matrix load is that of a row of 16 bytes.
    let bytes = if matches!(mnemonic, "LDSM" | "STSM") { 16 } else { parts.find_map(width).unwrap_or(4) };
    Some(MemoryOperand { reads, writes, is_atomic, bytes, lanes: address_lanes(opcode), space })
}

/// The side of an `LDGSTS` that a record of it is of: there is one of each operand, that of shared memory with offsets for
/// addresses; `None` for other opcodes.
pub(super) fn side(opcode: &str, addresses: &[u64]) -> Option<Space> {
    let is_far = addresses.is_empty() || addresses.iter().any(|address| SHARED_END <= *address);
    opcode.contains("LDGSTS").then_some(if is_far { Space::Global } else { Space::Shared })
}

/// The bytes that a part behind the mnemonic names.
fn width(part: &str) -> Option<u32> {
    match part {
        "U8" | "S8" | "8" => Some(1),
        "U16" | "S16" | "16" | "F16" | "BF16" => Some(2),
        "32" | "U32" | "S32" | "F32" => Some(4),
        "64" | "U64" | "S64" | "F64" => Some(8),
        "128" => Some(16),
        "256" => Some(32),
        _ => None,
    }
}

/// Registers that a line of assembly names outside of addresses, in its order.
pub fn registers(assembly: &str) -> Vec<u16> {
    let (mut found, mut depth) = (Vec::new(), 0_u32);
    for word in assembly.split_inclusive(|c: char| !c.is_ascii_alphanumeric()) {
        let name = word.trim_end_matches(|c: char| !c.is_ascii_alphanumeric());
        if depth == 0 && name == "RZ" {
            found.push(255);
        } else if depth == 0 {
            found.extend(name.strip_prefix('R').and_then(|n| n.parse::<u16>().ok()));
        }
        depth += u32::from(word.ends_with('['));
        depth -= u32::from(word.ends_with(']') && 0 < depth);
    }
    found
}
