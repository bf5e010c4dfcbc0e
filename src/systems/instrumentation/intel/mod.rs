//! Assembly of Intel GPUs as its tools print it: where blocks end, where branches go, what sends do to memory.
//!
//! ```text
//! (W&f0.0) while (32|M0)   -280                 predicate, opcode, lanes, targets relative to the instruction
//! send.dc1 (16|M0) r35 r30 null 0x0 0x04205E00 {@4,$0} // wr:2+0, rd:2; untyped surface read with x
//! send.ugm (32|M0) r32 r27 null:0 0x0 0x08200580 {$5}  // wr:4+0, rd:2; load.ugm.d32.a64
//! ```

pub(super) mod access;
pub(super) mod lines;
pub(super) mod program;
pub(super) mod table;

use crate::base::map::Map;
use crate::views::executions::compute::{MemoryOperand, Space};

/// How an instruction goes on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Flow {
    /// Whether the next instruction may follow.
    pub falls: bool,
    /// Whether the thread ends.
    pub is_exit: bool,
    /// Addresses that begin a block because of it.
    pub leaders: Vec<u64>,
    /// Those of them that may follow.
    pub targets: Vec<u64>,
}

/// An instruction in its parts.
struct Parts<'a> {
    is_predicated: bool,
    opcode: &'a str,
    lanes: u32,
    operands: Vec<&'a str>,
    comment: &'a str,
}

impl<'a> Parts<'a> {
    fn of(text: &'a str) -> Self {
        let (code, comment) = text.split_once("//").map_or((text, ""), |(code, rest)| (code, rest.trim()));
        let mut rest = code.trim();
        let mut is_predicated = false;
        while let Some((inside, after)) = rest.strip_prefix('(').and_then(|rest| rest.split_once(')')) {
            is_predicated |= inside.contains('f');
            rest = after.trim_start();
        }
        let (opcode, rest) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        let rest = rest.trim_start();
        let inside = rest.strip_prefix('(').and_then(|rest| rest.split_once(')'));
        let lanes = inside.and_then(|(inside, _)| inside.split('|').next()?.trim().parse().ok()).unwrap_or(1);
        let rest = inside.map_or(rest, |(_, after)| after);
        let operands = rest.split('{').next().unwrap_or("").split_whitespace().collect();
        Self { is_predicated, opcode, lanes, operands, comment }
    }

    fn base(&self) -> &'a str {
        self.opcode.split('.').next().unwrap_or("")
    }

    fn is_send(&self) -> bool {
        matches!(self.base(), "send" | "sendc" | "sends" | "sendsc")
    }
}

/// How control flow goes on behind an instruction; `None` when it is none of control flow.
#[allow(clippy::implicit_hasher)] // the project has one
pub fn flow(address: u64, text: &str, labels: &Map<String, u64>) -> Option<Flow> {
    let parts = Parts::of(text);
    let named = |word: &str| labels.get(word.trim_end_matches([':', ','])).copied();
    let leaders: Vec<u64> =
        parts.operands.iter().filter_map(|word| named(word).or_else(|| relative(address, word))).collect();
    let first: Vec<u64> = leaders.iter().copied().take(1).collect();
    let flow = |falls, targets: &[u64]| {
        let targets = targets.to_vec();
        Some(Flow { falls, is_exit: false, leaders: leaders.clone(), targets })
    };
    match parts.base() {
        "if" | "while" => flow(true, &first),
        "else" => flow(false, &first),
        "endif" | "join" | "call" | "calla" | "do" => flow(true, &[]),
        "brd" | "brc" | "goto" | "break" | "cont" | "continue" | "halt" => flow(true, &leaders),
        "jmpi" | "brw" => flow(parts.is_predicated, &first),
        "ret" => Some(Flow { falls: parts.is_predicated, is_exit: true, ..Flow::default() }),
        _ if parts.is_send() && text.contains("EOT") => Some(Flow { is_exit: true, ..Flow::default() }),
        _ => None,
    }
}

/// The address that a distance such as `-280` or `0x30` leads to.
fn relative(address: u64, word: &str) -> Option<u64> {
    let distance = match word.strip_prefix("0x") {
        Some(hex) => i64::from_str_radix(hex, 16).ok()?,
        None => word.parse().ok()?,
    };
    address.checked_add_signed(distance)
}

/// What a send does to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Send {
    /// What it does.
    pub operand: MemoryOperand,
    /// Its lanes.
    pub lanes: u32,
    /// Whether its addresses have 64 bits.
    pub(super) is_wide: bool,
    /// Registers that carry its addresses, when the listing says.
    pub registers: Option<u64>,
}

/// What an instruction does to memory; `None` for those that reach none: arithmetic, fences, messages, ends of threads.
pub fn send(text: &str) -> Option<Send> {
    let parts = Parts::of(text);
    if !parts.is_send() || text.contains("EOT") {
        return None;
    }
    let comment = parts.comment.to_ascii_lowercase();
    let port = parts.opcode.split('.').nth(1).unwrap_or("");
    if ["ts", "gtwy", "smpl", "urb", "rc", "rta", "btd"].contains(&port) || comment.contains("fence") {
        return None;
    }
    let has = |words: &[&str]| words.iter().any(|word| comment.contains(word));
    let is_atomic = has(&["atomic"]);
    let is_read = has(&["read", "load"]) || is_atomic;
    let is_write = has(&["write", "store"]) || is_atomic;
    // Without a comment a send that returns nothing writes; one of the fence type of its port is none.
    let is_silent = !is_read && !is_write;
    if is_silent && port == "dc0" && descriptor(&parts).is_some_and(|word| word >> 14 & 0x1f == 7) {
        return None;
    }
    let has_result = parts.operands.first().is_some_and(|word| !word.starts_with("null"));
    let (reads, writes) = if is_silent { (has_result, !has_result) } else { (is_read, is_write) };
    let is_shared = port == "slm" || has(&["slm", "shared local"]);
    let is_local = has(&["scratch"]);
    let operand = MemoryOperand {
        reads,
        writes,
        is_atomic,
        bytes: lane_bytes(&comment),
        lanes: u32::MAX,
        space: if is_shared {
            Space::Shared
        } else if is_local {
            Space::Local
        } else {
            Space::Global
        },
    };
    let written = comment.split("wr:").nth(1).and_then(|rest| {
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        digits.parse().ok()
    });
    Some(Send { operand, lanes: parts.lanes.clamp(1, 32), is_wide: has(&["a64"]), registers: written })
}

/// The last operand, which describes the message.
fn descriptor(parts: &Parts) -> Option<u64> {
    let word = parts.operands.last()?;
    u64::from_str_radix(word.strip_prefix("0x")?, 16).ok()
}

/// Bytes of one lane: `d32x2` is 8, `d16u32` is 2, `with xy` is 8; 4 where nothing is said.
fn lane_bytes(comment: &str) -> u32 {
    let words = || comment.split(|c: char| !c.is_ascii_alphanumeric());
    let element = words().find_map(|word| {
        let rest = word.strip_prefix('d')?;
        let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let bits: u32 = rest.get(..digits)?.parse().ok().filter(|bits| [8, 16, 32, 64].contains(bits))?;
        let times = rest.split('x').nth(1).and_then(|n| n.trim_end_matches('t').parse().ok());
        Some(bits / 8 * times.filter(|n| (1..=64).contains(n)).unwrap_or(1))
    });
    let channels = || {
        let word = comment.split("with ").nth(1)?.split_whitespace().next()?;
        let is_channels = word.bytes().all(|b| b"xyzw".contains(&b));
        u32::try_from(word.len()).ok().filter(|n| is_channels && *n <= 4).map(|n| 4 * n)
    };
    element.or_else(channels).unwrap_or(4)
}
