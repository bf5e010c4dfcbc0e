//! The trace of one kernel while it is read: what its instructions are, and a few bytes for each time one ran.

use super::line::{self, Cursor, Head, Lanes, Operands, Wrong};
use super::{Header, Warps, three};
use crate::base::map::Map;
use crate::base::words::phrase;
use crate::model::chunked::Chunked;
use crate::systems::instrumentation::metrics::{Meter, Moved};
use crate::systems::instrumentation::{SHARED_END, address_lanes};
use crate::views::executions::compute::{MemoryOperand, Space};

/// An instruction of the program.
pub(super) struct Static {
    pub(super) pc: u64,
    pub(super) text: String,
    pub(super) memory: Option<MemoryOperand>,
    /// Whether a block ends behind it.
    pub(super) ends_block: bool,
    /// Whether lanes may part there.
    pub(super) parts: bool,
    /// Where it may jump.
    pub(super) target: Option<u64>,
    pub(super) line: Option<u32>,
    /// Whether its line is there twice, once for each memory.
    copies: bool,
    /// What stands between mask and addresses: the same each time, so it is compared and not read.
    middle: Box<[u8]>,
    /// What stood behind that when it was seen first.
    tail: Box<[u8]>,
}

/// Rows of instructions that ran, in columns; those of a warp follow each other unless warps are interleaved.
#[derive(Default)]
pub(super) struct Rows {
    /// Number of the instruction.
    pub(super) of: Chunked<u32>,
    /// Lanes that ran it.
    pub(super) masks: Chunked<u32>,
    /// Bytes of the line, up to where the next row is expected.
    pub(super) lens: Chunked<u16>,
    /// Rows that do not stand where they are expected, and where they do.
    pub(super) jumps: Vec<(u32, u64)>,
    /// Rows whose access moved something in global memory: sectors, distinct bytes, sectors too many.
    pub(super) moved: Chunked<(u32, [u16; 3])>,
    /// Where the next row is expected.
    next: u64,
}

impl Rows {
    /// How many there are; never 2³².
    pub(super) fn len(&self) -> u32 {
        u32::try_from(self.of.len()).unwrap_or(u32::MAX)
    }

    fn push(&mut self, of: u32, mask: u32, at: u64, len: usize) {
        if at != self.next {
            self.jumps.push((self.len(), at));
        }
        let len = u16::try_from(len).unwrap_or(u16::MAX);
        self.next = at + u64::from(len);
        self.of.push(of);
        self.masks.push(mask);
        self.lens.push(len);
    }
}

/// Addresses of instructions up to this one are found without hashing.
const NEAR: u64 = 8 << 20;

/// Numbers of instructions by their addresses.
#[derive(Default)]
struct Pcs {
    near: Vec<u32>,
    far: Map<u64, u32>,
}

impl Pcs {
    #[inline]
    fn find(&self, pc: u64) -> Option<u32> {
        if pc < NEAR && pc.is_multiple_of(8) {
            let found = usize::try_from(pc / 8).ok().and_then(|at| self.near.get(at)).copied();
            return found.filter(|number| *number != u32::MAX);
        }
        self.far.get(&pc).copied()
    }

    fn insert(&mut self, pc: u64, number: u32) {
        if pc < NEAR && pc.is_multiple_of(8) {
            let at = usize::try_from(pc / 8).unwrap_or(0);
            if self.near.len() <= at {
                self.near.resize(at + 1, u32::MAX);
            }
            if let Some(cell) = self.near.get_mut(at) {
                *cell = number;
            }
        } else {
            self.far.insert(pc, number);
        }
    }
}

/// Why a line was not taken, whole or in part.
#[derive(Debug)]
pub(super) enum Trouble {
    /// It is none of those that are known here.
    Line(&'static str),
    /// A line of the head says what no GPU has.
    Head(&'static str),
    /// Its addresses are not those of its lanes: how many lanes it has.
    Lanes(Wrong, u32),
    /// The warp before it has another number of lines than its head says: warp, declared, found.
    Count(u32, u64, u64),
    /// There are 2³² rows.
    Full,
}

/// The trace of a kernel while it is read.
#[derive(Default)]
pub(super) struct Kernel {
    pub(super) header: Header,
    /// Its instructions in the order in which they were seen.
    pub(super) statics: Vec<Static>,
    pub(super) meter: Meter,
    /// Each time that one ran, until executions are made of them.
    pub(super) rows: Rows,
    /// How many there were.
    pub(super) n_rows: u32,
    pub(super) warps: Warps,
    /// Columns in front of the address of an instruction.
    pub(super) columns: Option<usize>,
    /// Lines of instructions that copy to shared memory.
    pub(super) copies: u64,
    /// Second lines of those, which are one row with the first.
    pub(super) seconds: u64,
    /// Whether a thread block began that has not ended yet.
    pub(super) is_open: bool,
    /// The row of the first line of a copy whose second may follow.
    pair: Map<u32, u32>,
    pcs: Pcs,
}

impl Kernel {
    /// Takes a line without its end, and where it stands with how many bytes.
    #[inline]
    pub(super) fn line(&mut self, line: &[u8], at: u64, len: usize) -> Result<(), Trouble> {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        match line.first() {
            Some(b'0'..=b'9' | b'a' | b'b' | b'd'..=b'f') => self.instruction(line, at, len),
            _ => self.other(line, at, len),
        }
    }

    fn other(&mut self, line: &[u8], at: u64, len: usize) -> Result<(), Trouble> {
        let text = line.trim_ascii();
        let value = |key: &[u8]| text.strip_prefix(key)?.trim_ascii_start().strip_prefix(b"=");
        if text.is_empty() || value(b"cluster id").is_some() {
            return Ok(());
        }
        if text.starts_with(b"#") {
            return self.mark(text);
        }
        if text.starts_with(b"-") && self.rows.len() == 0 {
            return self.header.take(text);
        }
        if let Some(value) = value(b"thread block") {
            let place = std::str::from_utf8(value).ok().and_then(three);
            let done = self.warps.end_run(self.rows.len());
            self.warps.group = place.ok_or(Trouble::Line("x,y,z"))?;
            return done;
        }
        if let Some(value) = value(b"warp") {
            let done = self.warps.end_run(self.rows.len());
            let warp = Cursor(value).small().ok_or(Trouble::Line(phrase("a number")))?;
            self.warps.begin_run(warp, self.rows.len());
            // Where the lines of a warp begin is not where those of the one before end.
            self.rows.next = u64::MAX;
            return done;
        }
        if let Some(value) = value(b"insts") {
            let n = Cursor(value).small().ok_or(Trouble::Line(phrase("a number")))?;
            self.warps.declare(n);
            return Ok(());
        }
        self.instruction(line, at, len)
    }

    fn mark(&mut self, text: &[u8]) -> Result<(), Trouble> {
        match text {
            b"#BEGIN_TB" => {
                self.warps.is_grouped = true;
                self.is_open = true;
                self.warps.end_run(self.rows.len())
            }
            b"#END_TB" => {
                self.is_open = false;
                self.warps.end_run(self.rows.len())
            }
            _ => Ok(()),
        }
    }

    /// Everything was read.
    pub(super) fn end(&mut self) -> Result<(), Trouble> {
        self.n_rows = self.rows.len();
        self.warps.end_run(self.rows.len())
    }

    /// Executions are made of what ran: other launches may be read before it is used.
    pub(super) fn forget_rows(&mut self) {
        (self.rows, self.pair, self.pcs) = (Rows::default(), Map::default(), Pcs::default());
        self.warps.interleaved = super::Interleaved::default();
    }

    /// Reads the columns in front of the address: the warp where lines name it, the line of source, the head behind them.
    #[inline]
    fn place<'a>(&mut self, text: &'a [u8]) -> Option<(Option<[u32; 4]>, Option<u32>, Head<'a>)> {
        let columns = match self.columns {
            Some(columns) => columns,
            None => line::columns(text)?,
        };
        let mut cursor = Cursor(text);
        let mut left = columns;
        let mut key = None;
        if !self.warps.is_grouped {
            left = columns.checked_sub(4)?;
            key = Some([cursor.small()?, cursor.small()?, cursor.small()?, cursor.small()?]);
        }
        let mut before = None;
        for _ in 0..left {
            before = cursor.token();
        }
        let head = line::head(cursor.0)?;
        self.columns = Some(columns);
        let number = before.filter(|_| self.header.has_lines).and_then(|word| Cursor(word).small());
        Some((key, number, head))
    }

    #[inline]
    fn instruction(&mut self, text: &[u8], at: u64, len: usize) -> Result<(), Trouble> {
        let found = self.place(text).ok_or(Trouble::Line(phrase("an instruction")));
        if self.warps.is_grouped {
            self.warps.count_line();
        }
        let (key, number, (pc, mask, rest)) = found?;
        if u32::MAX - 1 <= self.rows.len() {
            return Err(Trouble::Full);
        }
        let known = self.pcs.find(pc);
        let fits = |number: &u32| -> Option<&[u8]> {
            let of = self.statics.get(usize::try_from(*number).ok()?)?;
            let tail = rest.strip_prefix(&*of.middle)?;
            matches!(tail.first(), None | Some(b' ')).then_some(tail)
        };
        let (of, tail) = match known.and_then(|number| fits(&number).map(|tail| (number, tail))) {
            Some(found) => found,
            None => self.learn(pc, rest, number, known).ok_or(Trouble::Line(phrase("an instruction")))?,
        };
        let thread = match key {
            Some(key) => self.warps.of_key(key),
            None => self.warps.current().ok_or(Trouble::Line("warp = …"))?,
        };
        self.row(thread, (of, mask, tail), at, len)
    }

    /// An instruction that is seen for the first time, or that has other operands than before.
    #[cold]
    fn learn<'a>(
        &mut self,
        pc: u64,
        rest: &'a [u8],
        number: Option<u32>,
        known: Option<u32>,
    ) -> Option<(u32, &'a [u8])> {
        let operands = line::operands(rest)?;
        if let Some(known) = known {
            let of = self.statics.get(usize::try_from(known).ok()?)?;
            let has_access = of.memory.is_some();
            return (has_access == (operands.width != 0)).then_some((known, operands.tail));
        }
        let opcode = String::from_utf8_lossy(operands.opcode).into_owned();
        let is_plain = operands.width == 0;
        let has_number = self.header.has_immediate() != Some(false);
        let value = if has_number && is_plain { line::immediate(operands.tail) } else { None };
        let middle = rest.strip_suffix(operands.tail).unwrap_or(rest);
        let row = u32::try_from(self.statics.len()).ok()?;
        self.statics.push(Static {
            pc,
            text: opcode_text(&operands, value),
            memory: opcode_memory(&opcode, operands.width),
            ends_block: ends_block(&opcode),
            parts: opcode_parts(&opcode),
            target: value.filter(|_| opcode_jumps(&opcode)).and_then(|pc| u64::try_from(pc).ok()),
            line: number.filter(|line| *line != 0),
            copies: opcode_copies(&opcode),
            middle: middle.into(),
            tail: operands.tail.into(),
        });
        self.meter.instruction();
        self.pcs.insert(pc, row);
        Some((row, operands.tail))
    }

    #[inline]
    fn row(&mut self, thread: u32, row: (u32, u32, &[u8]), at: u64, len: usize) -> Result<(), Trouble> {
        let (of, mask, tail) = row;
        let number = of as usize;
        let Some(known) = self.statics.get(number) else { return Ok(()) };
        let Some(memory) = known.memory else {
            if *tail != *known.tail
                && (line::immediate(tail).is_none() || 1 < words(tail))
                && words(tail) != 0
            {
                return Err(Trouble::Line(phrase("a trailing number")));
            }
            self.meter.run(number, mask);
            self.push(thread, of, mask, at, len);
            return Ok(());
        };
        let copies = known.copies;
        let mut lanes: Lanes = [0; 32];
        let found = line::addresses(tail, mask, self.header.has_immediate(), &mut lanes);
        let addresses = found.ok().and_then(|n| lanes.get(..n)).unwrap_or(&[]);
        let is_far = addresses.iter().any(|address| SHARED_END <= *address);
        let mut is_second = false;
        if copies {
            self.copies += 1;
            is_second = self.is_second(thread, of);
        }
        if !is_second {
            self.meter.run(number, mask);
            self.push(thread, of, mask, at, len);
        }
        let own = if is_second {
            self.seconds += 1;
            let first = self.pair.remove(&thread).unwrap_or(0);
            if is_far {
                self.warps.move_row(first, at);
            }
            first
        } else {
            if copies {
                self.pair.insert(thread, self.rows.len() - 1);
            }
            self.rows.len() - 1
        };
        if let Err(wrong) = found {
            return Err(Trouble::Lanes(wrong, mask.count_ones()));
        }
        // Of a copy the side of global memory counts; one without lanes counts once.
        if copies && !is_far && (is_second || !addresses.is_empty()) {
            return Ok(());
        }
        let moved = self.meter.access(number, (mask, addresses), memory);
        if memory.space == Space::Global && moved != Moved::default() {
            let small = |n: u32| u16::try_from(n).unwrap_or(u16::MAX);
            self.rows.moved.push((own, [moved.sectors, moved.unique, moved.excess].map(small)));
        }
        Ok(())
    }

    /// Whether this line of a copy is the second one of the row before it in its warp.
    fn is_second(&self, thread: u32, of: u32) -> bool {
        let Some(first) = self.pair.get(&thread) else { return false };
        let is_last = self.warps.last_row(thread, self.rows.len()) == Some(*first);
        is_last && self.rows.of.get(*first as usize) == Some(&of)
    }

    #[inline]
    fn push(&mut self, thread: u32, of: u32, mask: u32, at: u64, len: usize) {
        self.warps.push(thread, self.rows.len(), at);
        self.rows.push(of, mask, at, len);
    }
}

fn words(tail: &[u8]) -> usize {
    let mut cursor = Cursor(tail);
    std::iter::from_fn(|| cursor.token()).count()
}

// What opcodes say: whether a block ends behind one, which memory it reaches, how it is written for people.

/// The first part of an opcode.
fn base(opcode: &str) -> &str {
    opcode.split('.').next().unwrap_or(opcode)
}

/// Whether what follows this instruction in the program may not be what follows it in time.
fn ends_block(opcode: &str) -> bool {
    const OPCODES: [&str; 19] = [
        "BRA", "BRX", "BRXU", "JMP", "JMX", "JMXU", "CALL", "CAL", "JCAL", "RET", "EXIT", "BSYNC", "BREAK",
        "WARPSYNC", "SYNC", "BRK", "CONT", "PRET", "KILL",
    ];
    OPCODES.contains(&base(opcode))
}

/// Whether lanes that run it may go another way than those that do not: where they only wait, or are named to wait, they
/// all go on.
fn opcode_parts(opcode: &str) -> bool {
    ends_block(opcode) && !matches!(base(opcode), "BSYNC" | "BREAK" | "WARPSYNC" | "PRET")
}

/// Whether the number behind it is the address of an instruction that may be the next.
fn opcode_jumps(opcode: &str) -> bool {
    matches!(base(opcode), "BRA" | "JMP")
}

/// Whether the number behind it is an address of the program.
fn names_address(opcode: &str) -> bool {
    ends_block(opcode) || matches!(base(opcode), "BSSY" | "SSY" | "PBK" | "PCNT" | "PEXIT" | "PLONGJMP")
}

/// Whether it copies from global to shared memory: such a line is there twice, once for each side.
fn opcode_copies(opcode: &str) -> bool {
    base(opcode) == "LDGSTS"
}

/// What it does to memory with so many bytes of a lane.
fn opcode_memory(opcode: &str, width: u32) -> Option<MemoryOperand> {
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
    let bytes = Some(if matches!(base, "LDSM" | "STSM") { 16 } else { width });
    let lanes = address_lanes(opcode);
    Some(MemoryOperand { reads: is_atomic || !writes, writes, is_atomic, bytes, lanes, space })
}

/// Its assembly, as far as the trace has it: opcode, registers, the number behind them.
fn opcode_text(of: &Operands, immediate: Option<i64>) -> String {
    let word = |bytes: &[u8]| match String::from_utf8_lossy(bytes).into_owned() {
        zero if zero == "R255" => "RZ".to_owned(),
        other => other,
    };
    let opcode = word(of.opcode);
    let addresses = match () {
        () if of.width == 0 => 0,
        () if opcode_copies(&opcode) => 2,
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
