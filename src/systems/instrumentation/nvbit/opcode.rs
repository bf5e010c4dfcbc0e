//! What an opcode says of memory: which one, in which direction, and how many bytes of a lane.

use crate::systems::instrumentation::matrices::{SHARED_END, address_lanes};
use crate::views::executions::compute::{MemoryOperand, Space};

/// What an opcode such as `LDG.E.64.SYS` does to memory; `None` for others.
pub(super) fn operand(opcode: &str) -> Option<MemoryOperand> {
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
pub(super) fn registers(assembly: &str) -> Vec<u16> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opcodes_tell_memory_and_width() {
        let is = |text: &str| operand(text).map(|o| (o.reads, o.writes, o.bytes, o.space));
        assert_eq!(is("LDG.E.64.SYS"), Some((true, false, 8, Space::Global)));
        assert_eq!(is("STS.U8"), Some((false, true, 1, Space::Shared)));
        assert_eq!(is("LDSM.16.M88.4"), Some((true, false, 16, Space::Shared)));
        assert_eq!(operand("@P0 LDSM.16.M88.2").map(|of| of.lanes), Some(0xffff));
        assert_eq!(is("STG.E"), Some((false, true, 4, Space::Global)));
        assert_eq!(is("IADD3"), None);
    }

    #[test]
    fn registers_stand_outside_of_addresses() {
        assert_eq!(registers("LDG.E.64 R4, [R2.64+0x8] ;"), [4]);
        assert_eq!(registers("IMAD R0, R3.reuse, c[0x0][0x0], RZ ;"), [0, 3, 255]);
        assert_eq!(registers("@P0 EXIT ;"), [0_u16; 0]);
    }
}
