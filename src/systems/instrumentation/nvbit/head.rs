//! Lines around the records: launches, counts of instructions, allocations, and the heads of register values.

use super::line::{MARK, decimal, hex, number, triple};
use crate::views::executions::compute::NamedRange;
use memchr::memmem;

/// What a line says of a launch.
#[allow(missing_docs)] // named as in the line
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LaunchHead {
    pub(super) context: u64,
    /// The number that the line prints.
    pub id: Option<u64>,
    pub name: String,
    pub pc: u64,
    pub grid: [u32; 3],
    pub group: [u32; 3],
    /// The rest, as name and value.
    pub facts: Vec<(String, String)>,
}

/// Keys behind the name, with what they are called in facts.
const FACTS: [(&str, &str); 3] =
    [("nregs", "registers"), ("shmem", "shared memory"), ("cuda stream id", "stream")];

/// `MEMTRACE: CTX 0x… - LAUNCH - Kernel pc 0x… - Kernel name … - grid launch id 1 - grid size 8,1,1 - …`: the name may hold
/// ` - ` and commas; the shorter variant ends with the number of the launch.
pub fn launch(line: &[u8]) -> Option<LaunchHead> {
    let rest = line.strip_prefix(MARK)?.strip_prefix(b"CTX 0x")?;
    let split = memmem::find(rest, b" - LAUNCH - ")?;
    let context = hex(rest.get(..split)?)?;
    let text = String::from_utf8_lossy(rest.get(split + " - LAUNCH - ".len()..)?);
    let (before, named) = text.split_once("Kernel name ")?;
    let pc = before.split_once("0x").and_then(|(_, pc)| hex(pc.split(' ').next()?.as_bytes()));
    let (name, keys) = named.rsplit_once(" - grid launch id ").unwrap_or((named, ""));
    let mut head = LaunchHead { context, name: name.to_owned(), pc: pc?, ..LaunchHead::default() };
    let (id, keys) = keys.split_once(" - ").unwrap_or((keys, ""));
    head.id = decimal(id.as_bytes());
    head.keys(keys);
    head.id.is_some().then_some(head)
}

/// `Kernel <name> - grid size 8,1,1 - block size 1024,1,1 - nregs 12 - shmem 0 - cuda stream id 0`: written before the
/// values of registers.
pub fn kernel(line: &[u8]) -> Option<LaunchHead> {
    let text = String::from_utf8_lossy(line.strip_prefix(b"Kernel ")?);
    let (name, keys) = text.rsplit_once(" - grid size ")?;
    let mut head = LaunchHead { name: name.to_owned(), ..LaunchHead::default() };
    head.keys(&format!("grid size {keys}"));
    (head.grid != [0; 3]).then_some(head)
}

impl LaunchHead {
    /// Keys and values between ` - `.
    fn keys(&mut self, text: &str) {
        for part in text.split(" - ") {
            if let Some(grid) = part.strip_prefix("grid size ") {
                self.grid = triple(grid.as_bytes()).unwrap_or_default();
            } else if let Some(group) = part.strip_prefix("block size ") {
                self.group = triple(group.as_bytes()).unwrap_or_default();
            }
            let fact = FACTS.iter().find_map(|(key, name)| {
                let value = part.strip_prefix(key)?.strip_prefix(' ')?;
                Some(((*name).to_owned(), value.to_owned()))
            });
            self.facts.extend(fact);
        }
    }
}

/// Instructions that a kernel ran.
#[allow(missing_docs)] // named as in the line
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Count {
    pub kernel: u64,
    pub name: String,
    pub groups: u64,
    pub instructions: u64,
    pub total: u64,
    /// The same by opcode, where the tool counts them.
    pub(super) opcodes: Vec<(String, u64)>,
}

/// `kernel 0 - <name> - #thread-blocks 98,  kernel instructions 50077, total instructions 50077`.
pub fn count(line: &[u8]) -> Option<Count> {
    let text = String::from_utf8_lossy(line.strip_prefix(b"kernel ")?);
    let (kernel, rest) = text.split_once(" - ")?;
    let (name, rest) = rest.rsplit_once(" - #thread-blocks ")?;
    let mut numbers = rest.split(',').map(|part| part.trim().rsplit(' ').next().unwrap_or(""));
    let mut next = || decimal(numbers.next()?.as_bytes());
    let (groups, instructions, total) = (next()?, next()?, next()?);
    let kernel = decimal(kernel.as_bytes())?;
    Some(Count { kernel, name: name.to_owned(), groups, instructions, total, opcodes: Vec::new() })
}

/// `  LDG.E.SYS = 1234`, below a count.
pub fn opcode(line: &[u8]) -> Option<(String, u64)> {
    let text = std::str::from_utf8(line.strip_prefix(b"  ")?).ok()?;
    let (name, n) = text.split_once(" = ")?;
    let is_name = name.starts_with(|c: char| c.is_ascii_uppercase())
        && name.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b"._".contains(&b));
    Some((name.to_owned(), decimal(n.as_bytes())?)).filter(|_| is_name)
}

/// `alloc address : 140608994803712, Size : 8192`.
pub(super) fn allocation(line: &[u8]) -> Option<NamedRange> {
    let rest = line.strip_prefix(b"alloc address : ")?;
    let split = memmem::find(rest, b", Size : ")?;
    let start = decimal(rest.get(..split)?)?;
    Some(NamedRange { name: String::new(), start, bytes: decimal(rest.get(split + 9..)?)? })
}

/// The head of register values.
#[allow(missing_docs)] // named as in the line
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegisterHead<'a> {
    pub(super) launch: Option<u64>,
    pub cta: [u32; 3],
    pub warp: u32,
    pub pc: Option<u64>,
    pub assembly: &'a str,
}

/// `CTA 0,0,0 - warp 0 - MOV R1, c[0x0][0x28] ;:`, in some dialects with `CTX …`, `grid_launch_id n` and `PC n`.
pub fn register_head(line: &[u8]) -> Option<RegisterHead<'_>> {
    let text = std::str::from_utf8(line).ok()?.strip_suffix(':')?;
    let mut head = RegisterHead { launch: None, cta: [0; 3], warp: 0, pc: None, assembly: "" };
    let mut has = (false, false);
    let mut rest = text;
    loop {
        let (field, behind) = rest.split_once(" - ").unwrap_or((rest, ""));
        let (key, value) = field.split_once(' ').unwrap_or((field, ""));
        match (key, value.as_bytes()) {
            ("CTA", value) => (head.cta, has.0) = (triple(value)?, true),
            ("warp", value) => (head.warp, has.1) = (number(value)?, true),
            ("PC" | "pc", value) => head.pc = Some(decimal(value)?),
            ("grid_launch_id", value) => head.launch = Some(decimal(value)?),
            ("CTX", _) if !has.0 => {}
            _ => break,
        }
        rest = behind;
    }
    head.assembly = rest.trim();
    (has == (true, true) && !head.assembly.is_empty()).then_some(head)
}

/// `* Reg0_T0: 0x00000000 Reg0_T1: 0x… `: the number of the register in the list of the instruction, and its values by lane.
pub fn registers(line: &[u8]) -> Option<(u16, Vec<u64>)> {
    let mut words = std::str::from_utf8(line).ok()?.trim_start().strip_prefix("* ")?.split_ascii_whitespace();
    let mut found: Option<(u16, Vec<u64>)> = None;
    while let Some(word) = words.next() {
        let (register, lane) = word.strip_prefix("Reg")?.strip_suffix(':')?.split_once("_T")?;
        let (register, lane) = (register.parse().ok()?, lane.parse::<usize>().ok()?);
        let value = hex(words.next()?.strip_prefix("0x")?.as_bytes())?;
        let (known, values) = found.get_or_insert_with(|| (register, Vec::new()));
        if *known != register || lane != values.len() {
            return None;
        }
        values.push(value);
    }
    found.filter(|(_, values)| values.len() <= super::line::LANES)
}
