//! What one line says.

use crate::views::lifetimes::compute::{Access, Operation, Outcome};
use memchr::{memchr, memmem};

/// What lines about cycles begin with.
pub(super) const MARK: &[u8] = b"GPGPU-Sim Cycle ";

/// What a line says.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Line<'a> {
    /// An access to the level of this row: 0 for L1, 1 for L2.
    Access(usize, Access),
    /// An access to L2 as tracing builds print it, in cycles since the first kernel began.
    Probe(Access),
    /// An access with a status that nobody knows.
    Status(&'a [u8]),
    /// The beginning of an access line, damaged behind this byte.
    Broken(usize),
    /// Other lines about cycles.
    Trace,
    /// `-option value # help`; also `-key = value` of a trace's header.
    Option(&'a str, &'a str),
    /// `key = value`.
    Pair(&'a str, &'a str),
    /// `Processing kernel PATH`: a header follows.
    Processing(&'a str),
    /// A kernel is launched: name, number of the launch, stream.
    Launch(&'a str, Option<u64>, Option<u64>),
    /// From now on, L1 has so many bytes.
    Reconfigure(u64),
    /// The simulation ended as it should.
    Exit,
    /// Lines were left out here by who copied the log.
    Elision,
    Other,
}

/// Reads a decimal number that fills a text.
pub(crate) fn decimal(text: &[u8]) -> Option<u64> {
    let is_number = !text.is_empty() && text.len() <= 20;
    is_number.then_some(())?;
    text.iter().try_fold(0_u64, |sum, b| {
        let digit = b.wrapping_sub(b'0');
        (digit < 10).then_some(())?;
        sum.checked_mul(10)?.checked_add(u64::from(digit))
    })
}

/// Reads a number that simulators print, `-nan` and `none` being none.
pub(crate) fn float(text: &str) -> Option<f64> {
    let text = text.split_whitespace().next()?;
    text.trim_end_matches('%').parse::<f64>().ok().filter(|number| number.is_finite())
}

/// Reads the digits of an address; with `0x` or without.
fn hex(text: &[u8]) -> Option<u64> {
    let text = text.strip_prefix(b"0x").or_else(|| text.strip_prefix(b"0X")).unwrap_or(text);
    (!text.is_empty() && text.len() <= 16).then_some(())?;
    text.iter().try_fold(0_u64, |sum, b| Some(sum << 4 | u64::from(digit(*b)?)))
}

/// A digit of an address.
#[inline]
fn digit(b: u8) -> Option<u8> {
    /// What each byte means; 16 for none.
    #[allow(clippy::indexing_slicing, clippy::cast_possible_truncation)] // computed by the compiler
    static VALUES: [u8; 256] = {
        let mut values = [16; 256];
        let mut n = 0;
        while n < 16 {
            values[b"0123456789abcdef"[n] as usize] = n as u8;
            values[b"0123456789ABCDEF"[n] as usize] = n as u8;
            n += 1;
        }
        values
    };
    VALUES.get(usize::from(b)).copied().filter(|value| *value < 16)
}

impl<'a> Line<'a> {
    /// Reads a line without its end.
    pub(crate) fn read(line: &'a [u8]) -> Self {
        match line.first() {
            Some(b'G') if line.starts_with(MARK) => Self::marked(line),
            Some(b'-') => Self::option(line).unwrap_or(Self::Other),
            Some(b'[') if line.trim_ascii() == b"[...]" => Self::Elision,
            None | Some(b'\t' | b' ') => Self::Other,
            _ => Self::text(line).unwrap_or(Self::Other),
        }
    }

    /// A line about a cycle.
    fn marked(line: &'a [u8]) -> Self {
        if let Some(usual) = usual(line) {
            return usual;
        }
        let mut at = MARK.len();
        let Some(rest) = line.get(at..) else { return Self::Broken(at) };
        let Some(colon) = rest.iter().position(|b| !b.is_ascii_digit()) else {
            return Self::Broken(line.len());
        };
        let cycle = rest.get(..colon).and_then(decimal);
        let (Some(cycle), Some(b':')) = (cycle, rest.get(colon)) else { return Self::Broken(at + colon) };
        at += colon + 1;
        let mut words = Words { line, at };
        let word = words.next().unwrap_or(&[]);
        let operation = match word {
            b"Load" => Operation::Load,
            b"Store" => Operation::Store,
            _ if word.eq_ignore_ascii_case(b"load") => Operation::Load,
            _ if word.eq_ignore_ascii_case(b"store") => Operation::Store,
            b"MEMORY_SUBPARTITION_UNIT" => return probe(cycle, words).map_or(Self::Trace, Self::Probe),
            _ => {
                let is_last = words.next().is_none();
                let is_cut = is_last && [&b"Load"[..], b"Store"].iter().any(|whole| whole.starts_with(word));
                let has = |part: &[u8]| memmem::find(line, part).is_some();
                let is_meant = is_cut || has(b" instr from ") || (has(b" addr ") && has(b" status "));
                return if is_meant { Self::Broken(at + 1) } else { Self::Trace };
            }
        };
        access(cycle, operation, words)
    }

    fn option(line: &'a [u8]) -> Option<Self> {
        let text = std::str::from_utf8(line.get(1..)?).ok()?;
        if let Some((key, value)) = text.split_once(" = ") {
            let is_option = key.contains(" # ");
            if !is_option {
                return Some(Self::Option(key.trim(), value.trim()));
            }
        }
        let (key, rest) = text.split_once([' ', '\t'])?;
        let value = rest.split_once(" # ").map_or(rest, |(value, _)| value);
        Some(Self::Option(key, value.trim()))
    }

    fn text(line: &'a [u8]) -> Option<Self> {
        if let Some(rest) = line.strip_prefix(b"GPGPU-Sim: Reconfigure L1 cache to ") {
            let end = rest.iter().position(|b| !b.is_ascii_digit()).unwrap_or(rest.len());
            return Some(Self::Reconfigure(decimal(rest.get(..end)?)?.checked_mul(1024)?));
        }
        let looks = [&b"GPGPU-Sim: *** exit detected"[..], b"GPGPU-Sim: *** simulation thread exiting"];
        if looks.iter().any(|begin| line.starts_with(begin)) {
            return Some(Self::Exit);
        }
        let first = memchr(b' ', line)?;
        let text = std::str::from_utf8(line).ok()?;
        if let Some(path) = text.strip_prefix("Processing kernel ") {
            return Some(Self::Processing(path.trim()));
        }
        if let Some(rest) = text.strip_prefix("launching kernel name: ") {
            let (name, rest) = rest.split_once(" uid: ")?;
            let (uid, stream) = rest.split_once(" cuda_stream_id: ").unwrap_or((rest, ""));
            return Some(Self::Launch(
                name,
                decimal(uid.trim().as_bytes()),
                decimal(stream.trim().as_bytes()),
            ));
        }
        if let Some(rest) = text.strip_prefix("GPGPU-Sim PTX: pushing kernel '") {
            let (name, rest) = rest.split_once('\'')?;
            let stream = rest.split_once("to stream ").map_or("", |(_, rest)| rest);
            let end = stream.find(|c: char| !c.is_ascii_digit()).unwrap_or(stream.len());
            return Some(Self::Launch(name, None, decimal(stream.get(..end)?.as_bytes())));
        }
        let value = text.get(first..)?.trim_start_matches(' ').strip_prefix('=')?;
        Some(Self::Pair(text.get(..first)?, value.trim()))
    }
}

/// The usual wording, which nearly all lines of a large log have, taken apart without looking for words.
fn usual(line: &[u8]) -> Option<Line<'_>> {
    let (cycle, rest) = digits(line.get(MARK.len()..)?)?;
    let (operation, rest) = match rest.strip_prefix(b": Load instr from ") {
        Some(rest) => (Operation::Load, rest),
        None => (Operation::Store, rest.strip_prefix(b": Store instr from ")?),
    };
    let (level, unit, rest) = match rest.strip_prefix(b"L1D cache at SM ") {
        Some(rest) => {
            let (unit, rest) = digits(rest)?;
            let (_, rest) = digits(rest.strip_prefix(b" bank ")?)?;
            (0, unit, rest)
        }
        None => {
            let (unit, rest) = digits(rest.strip_prefix(b"L2 cache at bank ")?)?;
            (1, unit, rest)
        }
    };
    let rest = rest.strip_prefix(b" addr ")?;
    let (mut address, mut n) = (0_u64, 0);
    for b in rest {
        let Some(digit) = digit(*b) else { break };
        address = address << 4 | u64::from(digit);
        n += 1;
    }
    let outcome = match (rest.get(n..)?, n) {
        (_, 0 | 17..) => return None,
        (b" status 0", _) => Outcome::Hit,
        (b" status 2" | b" status 4", _) => Outcome::Miss,
        (b" status 3", _) => Outcome::Retry,
        (b" status 1" | b" status 5", _) => Outcome::Pending,
        _ => return None,
    };
    let unit = u32::try_from(unit).unwrap_or(u32::MAX);
    Some(Line::Access(level, Access { cycle, unit, address, operation, outcome }))
}

/// The number that a text begins with, of at most 18 digits, and the rest.
fn digits(text: &[u8]) -> Option<(u64, &[u8])> {
    let (mut sum, mut n) = (0_u64, 0);
    for b in text.iter().take(19) {
        let digit = b.wrapping_sub(b'0');
        if 9 < digit {
            break;
        }
        sum = sum.wrapping_mul(10).wrapping_add(u64::from(digit));
        n += 1;
    }
    (0 < n && n < 19).then_some(())?;
    Some((sum, text.get(n..)?))
}

/// The words of a line from a place on.
struct Words<'a> {
    line: &'a [u8],
    at: usize,
}

impl<'a> Words<'a> {
    fn next(&mut self) -> Option<&'a [u8]> {
        let rest = self.line.get(self.at..)?;
        let begin = rest.iter().position(|b| *b != b' ')?;
        let rest = rest.get(begin..)?;
        let len = memchr(b' ', rest).unwrap_or(rest.len());
        self.at += begin + len;
        rest.get(..len)
    }

    /// The next word as a number.
    fn number(&mut self) -> Option<u64> {
        self.next().and_then(decimal)
    }
}

/// `instr from L1D cache at SM 0 bank 0 addr 93ce6a00 status 2`; what stands behind does not matter.
fn access(cycle: u64, operation: Operation, mut words: Words<'_>) -> Line<'_> {
    let (mut level, mut processor, mut slice, mut address) = (None, None, None, None);
    while let Some(word) = words.next() {
        let is_known = match Word::of(word) {
            Some(Word::Filler) => true,
            Some(Word::Level(row)) => {
                level = Some(row);
                true
            }
            Some(Word::Processor) => words.number().map(|found| processor = Some(found)).is_some(),
            Some(Word::Slice) => words.number().map(|found| slice = Some(found)).is_some(),
            Some(Word::Address) => words.next().and_then(hex).map(|found| address = Some(found)).is_some(),
            Some(Word::Status) => {
                let (Some(level), Some(address)) = (level, address) else { return Line::Broken(words.at) };
                let Some(status) = words.next() else { return Line::Broken(words.at) };
                let unit = if level == 0 { processor.or(slice) } else { slice.or(processor) };
                let unit = u32::try_from(unit.unwrap_or(0)).unwrap_or(u32::MAX);
                return match outcome(status) {
                    Ok(outcome) => Line::Access(level, Access { cycle, unit, address, operation, outcome }),
                    Err(true) => Line::Status(status),
                    Err(false) => Line::Broken(words.at.saturating_sub(status.len())),
                };
            }
            None => false,
        };
        if !is_known {
            return Line::Broken(words.at.saturating_sub(word.len()));
        }
    }
    Line::Broken(words.line.len())
}

/// What a word of an access announces.
enum Word {
    Filler,
    Level(usize),
    Processor,
    Slice,
    Address,
    Status,
}

impl Word {
    /// Any case will do; the usual ones are looked for first.
    fn of(word: &[u8]) -> Option<Self> {
        match word {
            b"instr" | b"from" | b"cache" | b"at" => Some(Self::Filler),
            b"addr" => Some(Self::Address),
            b"SM" => Some(Self::Processor),
            b"bank" => Some(Self::Slice),
            b"L1D" => Some(Self::Level(0)),
            b"L2" => Some(Self::Level(1)),
            b"status" => Some(Self::Status),
            _ => match word.to_ascii_lowercase().as_slice() {
                b"instr" | b"from" | b"cache" | b"at" => Some(Self::Filler),
                b"addr" | b"address" => Some(Self::Address),
                b"sm" => Some(Self::Processor),
                b"bank" | b"partition" | b"slice" | b"subpartition" => Some(Self::Slice),
                b"l1d" | b"l1" => Some(Self::Level(0)),
                b"l2d" | b"l2" => Some(Self::Level(1)),
                b"status" => Some(Self::Status),
                _ => None,
            },
        }
    }
}

/// What a status means; whether what is unknown is a number at least.
fn outcome(status: &[u8]) -> Result<Outcome, bool> {
    let status = status.strip_suffix(b",").unwrap_or(status);
    match status {
        b"0" => Ok(Outcome::Hit),
        b"1" | b"5" => Ok(Outcome::Pending),
        b"2" | b"4" => Ok(Outcome::Miss),
        b"3" => Ok(Outcome::Retry),
        _ => Err(decimal(status).is_some()),
    }
}

/// `-  0 - Probing L2 cache Address=7f2ad321b400, status=2`.
fn probe(cycle: u64, words: Words) -> Option<Access> {
    let rest = words.line.get(words.at..)?;
    let at = memmem::find(rest, b"Probing L2 cache Address=")?;
    let mut numbers = Words { line: rest.get(..at)?, at: 0 };
    (numbers.next()? == b"-").then_some(())?;
    let unit = u32::try_from(numbers.number()?).ok()?;
    let rest = rest.get(at + "Probing L2 cache Address=".len()..)?;
    let end = memchr(b',', rest)?;
    let address = hex(rest.get(..end)?)?;
    let status = rest.get(end..)?.strip_prefix(b", status=")?;
    let outcome = outcome(status.trim_ascii()).ok()?;
    Some(Access { cycle, unit, address, operation: Operation::Load, outcome })
}
