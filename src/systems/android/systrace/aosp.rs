//! What the AOSP parser takes of a text, and where it stops while it collects rows.
//!
//! It knows two forms of rows and two header lines; everything is as strict and as lenient as there: a thread's name has
//! 2 to 16 characters, the last ` time: tracing_mark_write: ` of a line counts, and what stands between process and time
//! is anything. Source: AOSP, `NeuralNetworks/tools/systrace_parser` (Android 11 to 13), its behaviour.

use super::text::digits;
use crate::base::map::Map;
use crate::systems::android::nnapi::mark::Refusal;
use memchr::{memmem, memrchr_iter};
use std::borrow::Cow;

/// The header lines that it knows.
const HEADERS: [&[u8]; 2] = [
    b"#           TASK-PID    TGID   CPU#  ||||    TIMESTAMP  FUNCTION",
    b"#           TASK-PID   CPU#  ||||    TIMESTAMP  FUNCTION",
];

/// A line that it cannot read must not hold one of these.
const PRECIOUS: [&str; 4] = ["HIDL::IDevice", "[NN_", "tracing_mark_write: B", "tracing_mark_write: E"];

thread_local! {
    /// Searches for these, made ready once.
    static SEARCHES: [memmem::Finder<'static>; 4] = PRECIOUS.map(memmem::Finder::new);
}

/// Before a mark.
const WRITE: &[u8] = b": tracing_mark_write: ";

/// A row in one of the two forms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Parts<'a> {
    /// Name of the thread.
    pub(crate) task: &'a [u8],
    /// Number of the thread.
    pub(crate) pid: &'a str,
    /// What stands in the parentheses; `None` in the old form, which has none.
    pub(crate) tgid: Option<&'a str>,
    /// Seconds as decimal text.
    pub(crate) time: &'a str,
    /// The mark, from `B` or `E` on.
    pub(crate) mark: &'a [u8],
}

/// Where it stands in the text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum HeaderState {
    /// No header yet.
    #[default]
    Before,
    /// Behind the header.
    Inside,
    /// Behind `</script>`.
    Behind,
}

/// Follows what the AOSP parser would do, line by line.
#[derive(Default)]
pub(crate) struct Classic {
    state: HeaderState,
    /// The process last seen of each thread.
    processes: Map<String, String>,
    /// The first row that ends it.
    pub(crate) refusal: Option<Refusal>,
}

impl Classic {
    /// Whether it reads the lines here.
    pub(crate) fn is_inside(&self) -> bool {
        self.state == HeaderState::Inside
    }

    /// Whether a header that it knows was seen.
    pub(crate) fn is_begun(&self) -> bool {
        self.state != HeaderState::Before
    }

    /// A line with `TASK-PID` or `</script>`: may begin or end what it reads.
    pub(crate) fn border(&mut self, line: &[u8]) {
        let holds = |text: &[u8]| memmem::find(line, text).is_some();
        if self.state == HeaderState::Before && HEADERS.into_iter().any(holds) {
            self.state = HeaderState::Inside;
        }
        if self.state == HeaderState::Inside && holds(b"</script>") {
            self.state = HeaderState::Behind;
        }
    }

    /// A line that may hold a mark: the row and its process, when the AOSP parser gets so far.
    pub(crate) fn row<'a>(&mut self, line: &'a [u8], number: u32) -> Option<(Parts<'a>, Cow<'a, str>)> {
        if self.state != HeaderState::Inside || self.refusal.is_some() {
            return None;
        }
        let Some(parts) = parts(line) else {
            if SEARCHES.with(|all| all.iter().any(|search| search.find(line).is_some())) {
                self.refuse("AssertionError", String::from_utf8_lossy(line).into_owned(), number);
            }
            return None;
        };
        let process = match (parts.tgid, parts.mark.contains(&b'|')) {
            (Some(tgid), _) => Cow::Borrowed(tgid),
            (None, true) => {
                let field = parts.mark.split(|b| *b == b'|').nth(1).unwrap_or(&[]);
                String::from_utf8_lossy(field)
            }
            (None, false) => match self.processes.get(parts.pid) {
                Some(known) => Cow::Owned(known.clone()),
                None => {
                    self.refuse("KeyError", format!("'{}'", parts.pid), number);
                    return None;
                }
            },
        };
        match self.processes.get_mut(parts.pid) {
            Some(known) if *known == process => {}
            Some(known) => process.as_ref().clone_into(known),
            None => _ = self.processes.insert(parts.pid.to_owned(), process.clone().into_owned()),
        }
        if process != "-----" {
            return Some((parts, process));
        }
        let named = parts.mark.get(1..).and_then(|m| m.strip_prefix(b"|")).and_then(digits);
        let Some((process, _)) = named else {
            let text = "'NoneType' object has no attribute 'group'".to_owned();
            self.refuse("AttributeError", text, number);
            return None;
        };
        Some((parts, Cow::Borrowed(process)))
    }

    fn refuse(&mut self, kind: &str, text: String, line: u32) {
        self.refusal = Some(Refusal { kind: kind.to_owned(), text, line });
    }
}

/// Reads a row of one of the two forms; the new one goes first.
pub(crate) fn parts(line: &[u8]) -> Option<Parts<'_>> {
    let (blank, time, mark) = tail(line)?;
    let (task, pid, tgid) = head(line, blank, new_form).or_else(|| head(line, blank, old_form))?;
    Some(Parts { task, pid, tgid, time, mark })
}

/// The last ` time: tracing_mark_write: ` before a `B` or `E`: where its blank stands, the time, the mark.
fn tail(line: &[u8]) -> Option<(usize, &str, &[u8])> {
    // A search for the whole text would first prepare itself, which costs more than the few colons of a row.
    memrchr_iter(b':', line).find_map(|at| {
        let (before, behind) = line.split_at_checked(at)?;
        let mark = behind.strip_prefix(WRITE)?;
        let (blank, time) = time_before(before)?;
        matches!(mark.first(), Some(b'B' | b'E')).then_some((blank, time, mark))
    })
}

/// The time that these bytes end with, and the place of the blank before it.
fn time_before(bytes: &[u8]) -> Option<(usize, &str)> {
    let is_digit = |b: &u8| b.is_ascii_digit();
    let fraction = bytes.iter().rev().take_while(|b| is_digit(b)).count();
    let point = bytes.len().checked_sub(fraction + 1).filter(|_| 0 < fraction)?;
    let whole = bytes.get(..point)?.iter().rev().take_while(|b| is_digit(b)).count();
    let start = point.checked_sub(whole).filter(|_| 0 < whole && bytes.get(point) == Some(&b'.'))?;
    let blank = start.checked_sub(1).filter(|at| bytes.get(*at) == Some(&b' '))?;
    Some((blank, std::str::from_utf8(bytes.get(start..)?).ok()?))
}

/// Tries every place where a task may begin, and where the dash behind it may stand, until one fits: first the beginning
/// behind all white space, and the longest name.
fn head(line: &[u8], blank: usize, form: Form) -> Option<Head<'_>> {
    // The usual row is looked at only as far as a name may reach; white space of other kinds may be any length.
    let spaces = line.len() - line.trim_ascii_start().len();
    let is_usual = line.get(spaces).is_some_and(u8::is_ascii_graphic);
    // Nearly all names are ASCII: the dashes behind 2 to 16 bytes, the longest first.
    let name = line.get(spaces..spaces + 17).filter(|name| is_usual && name.is_ascii());
    let mut places = (2..17).rev().filter(|&at| name.and_then(|name| name.get(at)) == Some(&b'-'));
    let found = places.find_map(|at| form(line, spaces, spaces + at, blank));
    if found.is_some() {
        return found;
    }
    let beginning = line.get(..spaces + NAME).filter(|_| is_usual).unwrap_or(line);
    let text = match std::str::from_utf8(beginning) {
        Ok(text) => text,
        Err(error) => std::str::from_utf8(beginning.get(..error.valid_up_to())?).ok()?,
    };
    let blanks = text.len() - text.trim_start_matches(is_space).len();
    let fits =
        |start: usize| dashes(text.get(start..)?).find_map(|dash| form(line, start, start + dash, blank));
    fits(blanks).or_else(|| {
        // A tab may begin a name, when nothing else fits.
        let tabs = text.get(..blanks)?.char_indices().rev().filter(|(_, c)| *c != ' ');
        tabs.take(TABS).find_map(|(start, _)| fits(start))
    })
}

/// Bytes that hold the 16 characters of a name and the dash behind it.
const NAME: usize = 80;

/// White space at the beginning of a line that is tried as the beginning of a name.
const TABS: usize = 64;

/// The dashes behind names of 2 to 16 characters, the longest first.
fn dashes(name: &str) -> impl Iterator<Item = usize> {
    let mut found = [0; 15];
    let mut n = 0;
    for (at, _) in name.char_indices().skip(2).take(15).filter(|(_, c)| *c == '-') {
        if let Some(place) = found.get_mut(n) {
            *place = at;
            n += 1;
        }
    }
    found.into_iter().take(n).rev()
}

/// What Python's `\s` takes.
fn is_space(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\u{1c}'..='\u{1f}')
}

/// The bytes behind leading white space, when there is some or `is_optional`.
fn behind_spaces(line: &[u8], is_optional: bool) -> Option<&[u8]> {
    let trimmed = line.trim_ascii_start();
    // Other white space is rare enough to be looked at as text.
    let rest = match trimmed.first() {
        Some(0x0b | 0x1c..=0x1f | 0x80..) => {
            let text = std::str::from_utf8(line).ok()?;
            text.trim_start_matches(is_space).as_bytes()
        }
        _ => trimmed,
    };
    (is_optional || rest.len() < line.len()).then_some(rest)
}

/// Name and number of a thread, and what stands in the parentheses.
type Head<'a> = (&'a [u8], &'a str, Option<&'a str>);
/// Reads one form of rows: the line, where the task begins, where the dash behind it stands, where the blank before the
/// time stands.
type Form = for<'a> fn(&'a [u8], usize, usize, usize) -> Option<Head<'a>>;

fn new_form(line: &[u8], start: usize, dash: usize, blank: usize) -> Option<Head<'_>> {
    let (pid, rest) = digits(line.get(dash + 1..)?)?;
    let rest = behind_spaces(rest, false)?.strip_prefix(b"(")?;
    let rest = behind_spaces(rest, true)?;
    let n = rest.iter().position(|b| !b.is_ascii_digit() && *b != b'-').filter(|n| 0 < *n)?;
    let (tgid, rest) = rest.split_at_checked(n)?;
    let rest = rest.strip_prefix(b") ")?;
    (line.len() - rest.len() <= blank).then_some(())?;
    Some((line.get(start..dash)?, pid, Some(std::str::from_utf8(tgid).ok()?)))
}

fn old_form(line: &[u8], start: usize, dash: usize, blank: usize) -> Option<Head<'_>> {
    let (pid, rest) = digits(line.get(dash + 1..)?)?;
    let rest = rest.strip_prefix(b" ")?;
    (line.len() - rest.len() <= blank).then_some(())?;
    Some((line.get(start..dash)?, pid, None))
}

// Whether Python would read the text as UTF-8, and in which words it would refuse: it decodes 8,192 bytes at a time,
// keeps a sequence that is cut at their end for the next ones, and counts places in what it decodes at once.

/// What it decodes at once.
const PIECE: usize = 8192;

/// Follows the decoding of a file that is fed in pieces of any size.
#[derive(Default)]
pub struct Decoder {
    /// Bytes of a sequence that was cut, then bytes of the piece.
    held: Vec<u8>,
    /// How many of them are of a sequence that was cut.
    n_kept: usize,
    refusal: Option<Refusal>,
    is_bad: bool,
}

impl Decoder {
    /// Takes the next bytes.
    pub fn feed(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() && !self.is_bad {
            let room = PIECE - (self.held.len() - self.n_kept);
            let (head, rest) = bytes.split_at_checked(room).unwrap_or((bytes, &[]));
            bytes = rest;
            // The usual case costs no copy.
            if self.held.is_empty() && head.len() == PIECE && head.is_ascii() {
                continue;
            }
            self.held.extend_from_slice(head);
            if self.held.len() - self.n_kept == PIECE {
                self.decode(false);
            }
        }
    }

    /// Nothing follows: what Python says, if it does not read the text.
    pub fn finish(mut self) -> Option<Refusal> {
        if !self.is_bad {
            // The end is decoded by itself, after the last piece.
            self.decode(false);
            self.decode(true);
        }
        self.refusal
    }

    fn decode(&mut self, is_end: bool) {
        let bad = match std::str::from_utf8(&self.held) {
            Ok(_) => None,
            Err(error) => Some((error.valid_up_to(), error.error_len())),
        };
        match bad {
            None => self.keep(self.held.len()),
            Some((at, None)) if !is_end => self.keep(at),
            Some((at, len)) => self.refuse(at, len),
        }
    }

    fn keep(&mut self, from: usize) {
        self.held.drain(..from.min(self.held.len()));
        self.n_kept = self.held.len();
    }

    fn refuse(&mut self, at: usize, len: Option<usize>) {
        let n = len.unwrap_or(self.held.len().saturating_sub(at));
        let first = self.held.get(at).copied().unwrap_or(0);
        let what = match (len, first) {
            (None, _) => "unexpected end of data",
            (_, 0x80..0xc2 | 0xf5..) => "invalid start byte",
            _ => "invalid continuation byte",
        };
        let place = if n == 1 {
            format!("byte 0x{first:02x} in position {at}")
        } else {
            format!("bytes in position {at}-{}", (at + n).saturating_sub(1))
        };
        let text = format!("'utf-8' codec can't decode {place}: {what}");
        self.is_bad = true;
        self.refusal = Some(Refusal { kind: "UnicodeDecodeError".to_owned(), text, line: 0 });
        self.held = Vec::new();
        self.n_kept = 0;
    }
}
