//! Something wrong in the input: what kind, how bad, and exactly where.
//!
//! Faults are plain data: readers write them into the sink, the report shows them, the command line prints them.
//! The text puts the place first, then the complaint, then the consequence.

use super::{number, order};
use crate::base::words::{Language, Message, message};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;

/// One thing wrong in the input.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fault {
    /// Stable short name such as `ASC-CUT`, used by tests, help and exports.
    pub code: Cow<'static, str>,
    /// How much the user loses.
    pub severity: Severity,
    /// Where it is.
    pub place: Place,
    pub kind: Kind,
    /// The consequence in one sentence, such as "The memory graph is not shown."; may be empty.
    pub note: Message,
    /// How many more of the same code were folded into this one.
    pub repeats: u64,
    /// Byte of the last one folded in.
    pub last: Option<u64>,
}

/// How much the user loses by a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Odd, nothing lost.
    Note,
    /// Guessed or repaired; the note says how.
    Warning,
    /// Some rows or a view are missing; the note says which.
    Loss,
    /// Nothing of this entry could be used.
    Fatal,
}

impl Severity {
    /// All severities, least first.
    pub const ALL: [Self; 4] = [Self::Note, Self::Warning, Self::Loss, Self::Fatal];

    /// Its name in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Loss => "loss",
            Self::Fatal => "fatal",
        }
    }
}

/// Where a fault is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Place {
    /// Path of the entry; inner paths of archives follow a `!`.
    pub entry: String,
    /// Byte offset from the start of the entry.
    pub byte: Option<u64>,
    /// Line (from 1) and column (from 1), for text.
    pub line: Option<(u32, u32)>,
    /// The structure inside, such as `block 7 MEMORY_GRAPH ▸ vector ▸ row 12`; may be empty.
    pub block: Message,
}

/// What is wrong. Expected is a fixed phrase; found is the value, or at most 32 bytes as hex and text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Kind {
    /// The bytes end too early.
    Truncated {
        /// Bytes that were needed.
        needed: u64,
        /// Bytes that were left.
        left: u64,
    },
    /// Something else stands there.
    Unexpected {
        /// What the format asks for.
        expected: Cow<'static, str>,
        found: Message,
    },
    /// A number is outside what it may be.
    OutOfRange { field: Cow<'static, str>, value: String, min: String, max: String },
    /// Two places of the file disagree.
    Contradiction {
        /// What one place says.
        a: Message,
        /// What the other says.
        b: Message,
    },
    /// A feature or version that is not read.
    Unsupported { what: Message, version: String },
    /// A limit of this program was reached.
    Limit {
        /// Which limit.
        what: Cow<'static, str>,
        asked: u64,
        allowed: u64,
    },
    /// Something that is said in full, such as a flow end without a start.
    Problem(Message),
    /// The bytes are not UTF-8 text.
    NotText,
    /// The bytes could not be read at all.
    Io {
        /// What the system said.
        message: String,
    },
}

impl Fault {
    /// A fault at a byte of an entry.
    pub fn new(code: &'static str, severity: Severity, place: Place, kind: Kind) -> Self {
        Self {
            code: Cow::Borrowed(code),
            severity,
            place,
            kind,
            note: Message::default(),
            repeats: 0,
            last: None,
        }
    }

    /// Whether both say the same, whatever values their sentences have.
    fn is_like(&self, other: &Self) -> bool {
        let is_same_sentence = match (&self.kind, &other.kind) {
            (Kind::Unexpected { expected: a, .. }, Kind::Unexpected { expected: b, .. })
            | (Kind::OutOfRange { field: a, .. }, Kind::OutOfRange { field: b, .. })
            | (Kind::Limit { what: a, .. }, Kind::Limit { what: b, .. }) => a == b,
            (Kind::Problem(a), Kind::Problem(b)) => a.key == b.key,
            (a, b) => std::mem::discriminant(a) == std::mem::discriminant(b),
        };
        is_same_sentence && self.severity == other.severity && self.code == other.code
    }

    /// Place, complaint and consequence in a language.
    pub fn text(&self, language: Language) -> String {
        let [colon, stop, gap] = if language == Language::Zh { ["：", "。", ""] } else { [": ", ".", " "] };
        let mut out = self.place.text(language);
        if !out.is_empty() {
            out.push_str(colon);
        }
        let complaint = self.kind.message().text(language).into_owned();
        // A reason that was said elsewhere has its stop.
        out.push_str(complaint.strip_suffix(stop).unwrap_or(&complaint));
        out.push_str(stop);
        if !self.note.is_empty() {
            out.push_str(gap);
            out.push_str(&self.note.text(language));
        }
        out
    }

    /// The same fault with its consequence.
    #[must_use]
    pub fn note(mut self, note: impl Into<Message>) -> Self {
        self.note = note.into();
        self
    }
}

/// Whether something of the file is missing by it: more than odd, and not repaired.
pub fn is_damage(fault: &Fault) -> bool {
    matches!(fault.severity, Severity::Loss | Severity::Fatal)
}

/// Whether rows that the file had are missing by it: figures do not cover them. Others lose what is drawn or a part of this
/// program; what was lost while recording is a finding.
pub fn loses_rows(fault: &Fault) -> bool {
    is_damage(fault) && !matches!(&*fault.code, "TIM-LANES" | "INP-PART") && !fault.code.ends_with("-LOST")
}

/// Faults that say the same about different places.
#[derive(Clone, Debug, PartialEq)]
pub struct SameFaults {
    /// Those that are known one by one, in the order they were found; at least one.
    pub faults: Vec<Fault>,
    /// How many there are, also those that were only counted.
    pub n: u64,
}

impl SameFaults {
    /// How many there are beside the first so many that are listed: those left out, and those that were only counted.
    pub fn n_beside(&self, listed: usize) -> u64 {
        self.n.saturating_sub(self.faults.len().min(listed) as u64)
    }
}

/// Puts faults of one kind together: same severity, code and sentence, whatever values the sentence has. The worst
/// come first.
pub fn of_one_kind(faults: &[Fault]) -> Vec<SameFaults> {
    let mut groups: Vec<SameFaults> = Vec::new();
    for fault in faults {
        let n = 1 + fault.repeats;
        match groups.iter_mut().find(|group| group.faults[0].is_like(fault)) {
            Some(group) => {
                group.n += n;
                group.faults.push(fault.clone());
            }
            None => groups.push(SameFaults { faults: vec![fault.clone()], n }),
        }
    }
    order::sort_by_key(&mut groups, |group| std::cmp::Reverse(group.faults[0].severity));
    groups
}

impl Place {
    /// A byte of an entry.
    pub fn byte(entry: impl Into<String>, byte: u64) -> Self {
        Self { entry: entry.into(), byte: Some(byte), ..Self::default() }
    }

    /// A whole entry.
    pub fn entry(entry: impl Into<String>) -> Self {
        Self { entry: entry.into(), ..Self::default() }
    }

    /// The same place with the structure inside.
    #[must_use]
    pub fn block(mut self, block: impl Into<Message>) -> Self {
        self.block = block.into();
        self
    }

    /// The same place with its line and column, both from 1.
    #[must_use]
    pub fn line(mut self, line: u32, column: u32) -> Self {
        self.line = Some((line, column));
        self
    }

    /// The entry and the structure inside, to be said in a sentence of any language.
    pub fn message(&self) -> Message {
        if self.block.is_empty() {
            return self.entry.clone().into();
        }
        let both = message("{a}, {b}").with_message("b", self.block.clone());
        both.with("a", &self.entry)
    }

    /// The same with the byte.
    pub fn with_byte(&self) -> Message {
        let Some(byte) = self.byte else { return self.message() };
        message("{a}, {b}")
            .with_message("a", self.message())
            .with_message("b", message("byte {byte}").with("byte", number::offset(byte)))
    }

    /// The place in a language.
    pub fn text(&self, language: Language) -> String {
        let mut parts = vec![self.entry.clone(), self.block.text(language).into_owned()];
        parts.retain(|part| !part.is_empty());
        if let Some((line, column)) = self.line {
            let at = message("line {line}, column {column}").with("line", line).with("column", column);
            parts.push(at.text(language).into_owned());
        }
        if let Some(byte) = self.byte {
            let at = message("byte {byte}").with("byte", number::offset(byte));
            parts.push(at.text(language).into_owned());
        }
        parts.join(if language == Language::Zh { "，" } else { ", " })
    }
}

impl Kind {
    /// What is wrong, without its full stop.
    pub fn message(&self) -> Message {
        let n = |v: u64| number::thousands(i64::try_from(v).unwrap_or(i64::MAX));
        match self {
            Self::Truncated { needed, left } => message("{needed} bytes needed, only {left} left")
                .with("needed", n(*needed))
                .with("left", n(*left)),
            Self::Unexpected { expected, found: own } => message("expected {expected}, {found}")
                .with_message("expected", expected.clone())
                .with_message("found", found(own.clone())),
            Self::OutOfRange { field, value, min, max } => {
                message("{field} is {value}, must be {min} to {max}")
                    .with_message("field", field.clone())
                    .with("value", value)
                    .with("min", min)
                    .with("max", max)
            }
            Self::Contradiction { a, b } => {
                message("{a}, but {b}").with_message("a", a.clone()).with_message("b", b.clone())
            }
            Self::Unsupported { what, version } if version.is_empty() => {
                message("{what} is not supported").with_message("what", what.clone())
            }
            Self::Unsupported { what, version } => message("{what} version {version} is not supported")
                .with_message("what", what.clone())
                .with("version", version),
            Self::Limit { what, asked, allowed } => message("{what}: {asked} exceeds the limit of {allowed}")
                .with_message("what", what.clone())
                .with("asked", n(*asked))
                .with("allowed", n(*allowed)),
            Self::Problem(message) => message.clone(),
            Self::NotText => message("invalid UTF-8 text"),
            Self::Io { message: why } => message("read error: {message}").with("message", why),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(Language::En))
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.message().fmt(f)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(Language::En))?;
        if 0 < self.repeats {
            write!(f, " {} more like this", number::thousands(self.repeats.cast_signed()))?;
            match self.last {
                Some(last) => write!(f, ", last at byte {}.", number::offset(last))?,
                None => f.write_str(".")?,
            }
        }
        Ok(())
    }
}

/// What stands where something else is expected, as the end of a sentence: `found 7`. That there is none is said in words
/// of its own, since not every language finds nothing.
pub fn found(found: impl Into<Message>) -> Message {
    let found = found.into();
    match &*found.key {
        "none" => message("found none"),
        "nothing" => message("found nothing"),
        _ => message("found {found}").with_message("found", found),
    }
}

/// At most 32 bytes as a person can read them: quoted text when printable, else hexadecimal.
pub fn excerpt(bytes: &[u8]) -> String {
    if bytes.is_empty() {
        return "nothing".to_owned();
    }
    let head = &bytes[..bytes.len().min(32)];
    let more = if head.len() < bytes.len() { "…" } else { "" };
    match std::str::from_utf8(head) {
        Ok(text) if text.chars().all(|c| !c.is_control()) => format!("\"{text}\"{more}"),
        _ => {
            let hex: Vec<String> = head.iter().take(16).map(|b| format!("{b:02X}")).collect();
            format!("{}{}", hex.join(" "), if 16 < bytes.len() { " …" } else { "" })
        }
    }
}
