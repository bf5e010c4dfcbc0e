//! Logs of other simulators, read through a mapping: a JSON file that says how their lines are worded.
//!
//! ```json
//! {
//!   "access": "^(?<cycle>\\d+) (?<op>RD|WR) (?<level>L1|LLC) (?<unit>\\d+) 0x(?<address>[0-9a-f]+) (?<state>\\w+)",
//!   "kernel_begin": "^begin (?<name>\\S+) (?<id>\\d+)",
//!   "kernel_end": "^end after (?<cycles>\\d+)",
//!   "capacity": "^(?<level>L1|LLC) has (?<bytes>\\d+) bytes",
//!   "words": {"load": ["RD"], "store": ["WR"], "l2": ["LLC"], "hit": ["found"], "miss": ["fetched"], "retry": ["full"]},
//!   "clock_mhz": 1132
//! }
//! ```
//! Only `access` is needed. Groups of an access: `cycle`, or `time` in nanoseconds where `clock_mhz` is given; `address`;
//! and, where lines say it, `op`, `size`, `level`, `unit`, `bank`, `state`. A mapping lies beside the logs, or is handed
//! over as `--mapping`; the page has a dialog that makes one. Other members, such as `name`, are passed over.

use crate::base::fault::{Fault, Kind, Place, Severity};
use crate::base::words::{Message, message, phrase};
use crate::format::{Claim, Degree, Format, Operators, Probe, ProbeResult, Probed, unreadable};
use crate::input::json::scan::{Members, unquoted};
use crate::input::{Bundle, Entry, EntryId, read_range};
use crate::model::parameter::{LineMatch, LineReader, Parameter, ParameterKind, PreviewProblem};
use crate::views::lifetimes::compute::{Access, Operation, Outcome, SECTOR_BYTES, parameters};
use regex_lite::{Captures, Regex, RegexBuilder};
use serde_json::Value;
use std::collections::BTreeMap;
use std::rc::Rc;

/// The format.
pub(super) static FORMAT: Format = Format {
    id: "mapped_log",
    title: phrase("Log with a mapping"),
    written_by: "any simulator that prints individual accesses",
    patterns: &["*.log", "*.txt", "*.json"],
    shows: "Data lifetimes, caches, kernels",
    source: "the fields that GainSight asks of a simulator",
    probe: Probe { look, join: Some(join) },
    parameters: &[&MAPPING, &parameters::LIFETIME, &parameters::REFILL, &parameters::FILL],
    read: |claim, values| Box::new(super::log::LogReading::mapped(claim, values)),
    slices: None,
    mode_note: None,
    operators: Some(Operators {
        switch: "",
        title: phrase("Logs"),
        find: super::mapped_logs,
        head: super::part_head,
    }),
};

/// The mapping, where it does not lie beside the logs.
static MAPPING: Parameter = Parameter {
    id: "mapping",
    title: phrase("Mapping"),
    help: phrase("file that describes the format of log lines"),
    kind: ParameterKind::File { patterns: &["*.json"], preview: Some(preview) },
    rereads: true,
};

/// The mappings that logs were read with, by the number of the log's entry.
#[derive(Default)]
pub(super) struct Mapped(pub(super) BTreeMap<u32, Rc<Mapping>>);

/// Roles of files.
mod role {
    /// A mapping.
    pub(super) const MAPPING: &str = "mapping";
    /// A log.
    pub(super) const LOG: &str = "log";
}

/// Largest mapping that is read.
const LARGEST: u64 = 1 << 20;
/// How much of a log is looked at.
const LOOK: u64 = 256 << 10;

/// The text of a mapping, if it is one.
fn text(entry: &Entry) -> Option<String> {
    let len = entry.source.len();
    let head = read_range(&*entry.source, 0..64).ok()?;
    let is_meant = len <= LARGEST && head.trim_ascii_start().starts_with(b"{");
    let bytes = is_meant.then(|| read_range(&*entry.source, 0..len).ok()).flatten()?;
    let text = String::from_utf8(bytes).ok()?;
    (text.contains("\"access\"") && text.contains("(?")).then_some(text)
}

fn look(entry: &Entry) -> ProbeResult {
    if let Err(error) = read_range(&*entry.source, 0..1) {
        return Err((0, unreadable(&error.0)));
    }
    match text(entry) {
        Some(_) => Ok((Degree::Certain, role::MAPPING, message("format of the log lines"))),
        None => Err((0, message("no mapping"))),
    }
}

/// The mapping of a bundle: the one that was handed over as the parameter, else the first; or what is wrong with it.
pub(super) fn of(bundle: &Bundle) -> Option<(EntryId, Result<Mapping, Fault>)> {
    let mut found = bundle.iter().filter_map(|(id, entry)| Some((id, entry, text(entry)?)));
    let first = found.next()?;
    let handed_over =
        |(_, entry, _): &(EntryId, &Entry, String)| entry.path.strip_suffix(".json") == Some(MAPPING.id);
    let (id, entry, text) = found.filter(handed_over).last().unwrap_or(first);
    Some((id, Mapping::parse(&text).map_err(|problem| fault(&entry.path, &text, problem))))
}

/// What is wrong with a mapping, as a fault of its file.
fn fault(path: &str, text: &str, problem: PreviewProblem) -> Fault {
    let byte = byte_of(text, &problem);
    let why = match problem.field.as_str() {
        "" => problem.why,
        field => message("{field}: {why}").with("field", field).with_message("why", problem.why),
    };
    let kind = Kind::Problem(message("the mapping cannot be used: {why}").with_message("why", why));
    let place = match byte.and_then(|byte| Some((byte, text.get(..byte)?))) {
        Some((byte, before)) => {
            let line = before.matches('\n').count() + 1;
            let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
            let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
            Place::byte(path, byte as u64).line(number(line), number(column))
        }
        None => Place::entry(path),
    };
    Fault::new("MAP-FILE", Severity::Fatal, place, kind)
}

/// The entries beside a mapping with a line that it fits.
fn fitting(bundle: &Bundle, id: EntryId, mapping: &Mapping) -> Vec<EntryId> {
    let fits = |entry: &Entry| {
        let head = read_range(&*entry.source, 0..LOOK).unwrap_or_default();
        let mut lines = head.split(|byte| *byte == b'\n').take(4_096);
        !head.contains(&0) && lines.any(|line| mapping.fits(line))
    };
    bundle.iter().filter(|(log, entry)| *log != id && fits(entry)).map(|(log, _)| log).collect()
}

/// Most files of a bundle that are looked at for logs: each is read, all in one step.
const MOST: usize = 64;

/// The logs of a bundle with a mapping that fits them.
pub(super) fn logs(bundle: &Bundle) -> Vec<EntryId> {
    if bundle.iter().nth(MOST).is_some() {
        return Vec::new();
    }
    match of(bundle) {
        Some((id, Ok(mapping))) => fitting(bundle, id, &mapping),
        _ => Vec::new(),
    }
}

/// One claim for each log that a line fits; the mapping belongs to the first.
fn join(bundle: &Bundle, probed: &mut Probed) {
    let claims = std::mem::take(&mut probed.claims);
    let Some(first) = claims.into_iter().next() else { return };
    let Some((id, mapping)) = of(bundle) else { return };
    let Ok(mapping) = mapping else {
        // The reader says what is wrong.
        probed.claims.push(first);
        return;
    };
    for log in fitting(bundle, id, &mapping) {
        let reason = message("line format as in the mapping");
        probed.claims.push(Claim { degree: Degree::Likely, entries: vec![(log, role::LOG)], reason });
    }
    match probed.claims.first_mut() {
        Some(claim) => claim.entries.push((id, role::MAPPING)),
        None => probed.take(id, Err((60, message("a mapping, but no log with lines that match it")))),
    }
}

// What a mapping makes of single lines, for a look before a log is opened with it; what is wrong with it, and where.

/// Most bytes of a compiled expression: each byte of a line costs as many steps as it has states.
const SIZE: usize = 1 << 18;
/// Most expressions that are tried to find where one is wrong.
const TRIES: usize = 512;

/// Reads a mapping, to be tried on lines.
fn preview(text: &str) -> Result<Box<dyn LineReader>, PreviewProblem> {
    Mapping::parse(text).map(|mapping| Box::new(mapping) as Box<dyn LineReader>)
}

/// An expression, or what is wrong with it.
fn preview_regex(text: &str) -> Result<Regex, PreviewProblem> {
    let build = |text: &str| RegexBuilder::new(text).size_limit(SIZE).build();
    build(text).map_err(|error| {
        let why = error.to_string();
        // The engine names no place. What follows the first wrong character changes nothing of what it says.
        let is_same = |end: &usize| build(text.get(..*end).unwrap_or("")).err().as_ref() == Some(&error);
        let ends = text.char_indices().map(|(at, _)| at).rev();
        let end = || ends.take(TRIES).take_while(is_same).last().unwrap_or(text.len());
        let wrong =
            || text.get(..end()).and_then(|before| before.char_indices().last()).map_or(0, |(at, _)| at);
        let at = unclosed(text, &why).unwrap_or_else(wrong);
        PreviewProblem { field: String::new(), at: Some(at as u64), why: plain(&why) }
    })
}

/// Where the group or the set of characters begins that is not closed, where that is what is wrong.
fn unclosed(text: &str, why: &str) -> Option<usize> {
    let is_group = why == UNCLOSED[0] || why == UNCLOSED[1];
    if !is_group && !is_unclosed_set(why) {
        return None;
    }
    let (mut groups, mut set) = (Vec::new(), None);
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match (c, set) {
            ('\\', _) => drop(chars.next()),
            (']', Some(start)) if start + 1 < at => set = None,
            (_, Some(_)) => {}
            ('[', None) => set = Some(at),
            ('(', None) => groups.push(at),
            (')', None) => drop(groups.pop()),
            _ => {}
        }
    }
    if is_group { groups.last().copied() } else { set }
}

/// What the engine says of a group that is not closed.
const UNCLOSED: [&str; 2] =
    ["found open group without closing ')'", "expected closing ')', but got end of pattern"];

fn is_unclosed_set(why: &str) -> bool {
    why.contains("class") && (why.contains("no closing bracket") || why.contains("unclosed"))
}

/// What the engine says, in plain words where there are some.
fn plain(why: &str) -> Message {
    match why {
        "found closing ')' without matching '('" => message("unmatched closing bracket"),
        "look-around is not supported" => message("look-around is not supported"),
        "backreferences are not supported" => message("backreferences are not supported"),
        "duplicate capture group name" => message("two groups have the same name"),
        "unrecognized escape sequence" => message("unknown escape sequence"),
        "invalid group name" | "empty capture group names are not allowed" => message("invalid group name"),
        _ if UNCLOSED.contains(&why) => message("a group is not closed"),
        _ if why.contains("repetition operator must be") => message("nothing to repeat"),
        _ if is_unclosed_set(why) => message("a set of characters is not closed"),
        _ if why.contains("size limit") => message("the expression is too large"),
        _ => message("{why}").with("why", why),
    }
}

/// A text that is no JSON.
fn no_json(text: &str, why: &serde_json::Error) -> PreviewProblem {
    let before: usize = text.split_inclusive('\n').take(why.line().saturating_sub(1)).map(str::len).sum();
    let at = text.floor_char_boundary((before + why.column().saturating_sub(1)).min(text.len()));
    let said = why.to_string();
    let said = said.split(" at line ").next().unwrap_or(&said);
    PreviewProblem {
        field: String::new(),
        at: Some(at as u64),
        why: message("it is not JSON: {why}").with("why", said),
    }
}

/// The byte of the text of a mapping where a problem is.
fn byte_of(text: &str, problem: &PreviewProblem) -> Option<usize> {
    let at = problem.at.and_then(|at| usize::try_from(at).ok());
    if problem.field.is_empty() {
        return at;
    }
    let name = |key: &[u8]| unquoted(key) == problem.field.as_bytes();
    let (_, value) = Members::new(text.as_bytes()).find(|(key, _)| name(key))?;
    // Both lie in the same text.
    let start = value.as_ptr().addr().checked_sub(text.as_ptr().addr())?;
    let Some(at) = at else { return Some(start) };
    let mut raw = 1;
    for _ in 0..at {
        raw += match (value.get(raw)?, value.get(raw + 1)) {
            (b'\\', Some(b'u')) => 6,
            (b'\\', _) => 2,
            _ => 1,
        };
    }
    Some(start + raw)
}

impl LineReader for Mapping {
    fn match_line(&self, line: &str) -> Option<LineMatch> {
        let (field, regex, caught) = self.find(line)?;
        let place = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        let groups = regex.capture_names().enumerate().filter_map(|(at, name)| {
            let group = caught.get(at)?;
            Some((name?.to_owned(), place(group.start()), place(group.end())))
        });
        let mut groups: Vec<_> = groups.collect();
        crate::base::order::sort_by_key(&mut groups, |(_, start, end)| (*start, *end));
        let mut found = LineMatch { field: field.to_owned(), groups, ..LineMatch::default() };
        let text = |name: &str| caught.name(name).map(|group| group.as_str().to_owned());
        let said: Vec<(&str, Option<String>)> = match self.event(field, &caught) {
            Event::Access(level, access, _) => vec![
                ("cycle", Some(access.cycle.to_string())),
                ("op", text("op").map(|_| operation(access.operation).to_owned())),
                ("size", text("size")),
                ("level", text("level").map(|_| ["L1", "L2"].get(level).copied().unwrap_or("").to_owned())),
                ("unit", text("unit")),
                ("bank", text("bank")),
                ("address", Some(format!("0x{:x}", access.address))),
                ("state", text("state").map(|_| outcome(access.outcome).to_owned())),
            ],
            Event::Begin(name, id, stream) => vec![
                ("name", Some(name)),
                ("id", id.map(|id| id.to_string())),
                ("stream", stream.map(|stream| stream.to_string())),
            ],
            Event::End(name, cycles) => vec![("name", name), ("cycles", cycles.map(|n| n.to_string()))],
            Event::Capacity(level, bytes) => vec![
                ("level", ["L1", "L2"].get(level).map(|&name| name.to_owned())),
                ("bytes", Some(bytes.to_string())),
            ],
            Event::Wrong(group, _) => {
                found.wrong = Some(group.to_owned());
                Vec::new()
            }
            Event::Nothing => {
                found.wrong = Some("bytes".to_owned());
                Vec::new()
            }
        };
        found.values = said.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect();
        Some(found)
    }
}

fn operation(operation: Operation) -> &'static str {
    match operation {
        Operation::Load => phrase("Load"),
        Operation::Store => phrase("Store"),
    }
}

fn outcome(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Hit => phrase("Hit"),
        Outcome::Pending => phrase("Pending hit"),
        Outcome::Miss => phrase("Miss"),
        Outcome::Retry => phrase("Retry"),
    }
}

// A mapping: what it says, and what a line says by it.

/// How the lines of a log are worded.
pub(crate) struct Mapping {
    access: Regex,
    begin: Option<Regex>,
    end: Option<Regex>,
    capacity: Option<Regex>,
    words: Vec<(&'static str, Vec<String>)>,
    /// Cycles in a microsecond.
    pub(crate) clock_mhz: Option<f64>,
    is_decimal: bool,
}

/// What a line says.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Event {
    /// An access to the level of this row, and to as many sectors from its address on.
    Access(usize, Access, u64),
    /// A kernel begins: its name, number and stream.
    Begin(String, Option<u64>, Option<u64>),
    /// A kernel ends: its name and cycles, where they are said.
    End(Option<String>, Option<u64>),
    /// A level has so many bytes.
    Capacity(usize, u64),
    /// An access whose group of this name is none.
    Wrong(&'static str, String),
    /// Nothing that the mapping knows.
    Nothing,
}

/// Words when a mapping has no others, in any case: the words of levels and outcomes, and their numbers.
const WORDS: [(&str, &[&str]); 8] = [
    ("load", &["load", "read", "ld", "rd", "r"]),
    ("store", &["store", "write", "st", "wr", "w"]),
    ("l1", &["l1", "l1d", "1"]),
    ("l2", &["l2", "2"]),
    ("hit", &["hit", "0"]),
    ("pending", &["pending", "hit_reserved", "mshr_hit", "1", "5"]),
    ("miss", &["miss", "sector_miss", "2", "4"]),
    ("retry", &["retry", "reservation_fail", "3"]),
];

/// Most sectors of one access.
const SECTORS: u64 = 1 << 16;

impl Mapping {
    /// Reads a mapping.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(crate) fn parse(text: &str) -> Result<Self, PreviewProblem> {
        let json: Value = serde_json::from_str(text).map_err(|why| no_json(text, &why))?;
        let pattern = |key: &str| {
            let text = json.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
            text.map(|text| {
                preview_regex(text).map_err(|problem| PreviewProblem { field: key.to_owned(), ..problem })
            })
            .transpose()
        };
        let missing = |why: Message| PreviewProblem { field: "access".to_owned(), at: None, why };
        let access = pattern("access")?.ok_or_else(|| missing(message("missing expression")))?;
        let clock_mhz = json.get("clock_mhz").and_then(Value::as_f64).filter(|mhz| 0.0 < *mhz);
        let has = |name: &str| access.capture_names().flatten().any(|own| own == name);
        if !has("address") {
            return Err(missing(message("no group named address")));
        }
        if !(has("cycle") || has("time") && clock_mhz.is_some()) {
            return Err(missing(message("no group named cycle, and no group named time next to a clock")));
        }
        let mut words = Vec::new();
        for (name, default) in WORDS {
            let own = json.get("words").and_then(|words| words.get(name)).and_then(Value::as_array);
            let own = own.map(|own| own.iter().filter_map(Value::as_str).map(str::to_lowercase).collect());
            words
                .push((name, own.unwrap_or_else(|| default.iter().map(|word| (*word).to_owned()).collect())));
        }
        let is_decimal = json.get("address_base").is_some_and(|base| base.as_u64() == Some(10));
        Ok(Self {
            access,
            begin: pattern("kernel_begin")?,
            end: pattern("kernel_end")?,
            capacity: pattern("capacity")?,
            words,
            clock_mhz,
            is_decimal,
        })
    }

    /// Whether a line says anything.
    fn fits(&self, line: &[u8]) -> bool {
        self.read(line) != Event::Nothing
    }

    /// What a line says.
    pub(crate) fn read(&self, line: &[u8]) -> Event {
        let text = String::from_utf8_lossy(line);
        self.find(&text).map_or(Event::Nothing, |(field, _, groups)| self.event(field, &groups))
    }

    /// The expression that fits a line, with its name and what its groups caught.
    fn find<'t>(&self, line: &'t str) -> Option<(&'static str, &Regex, Captures<'t>)> {
        let all = [
            ("access", Some(&self.access)),
            ("kernel_begin", self.begin.as_ref()),
            ("kernel_end", self.end.as_ref()),
            ("capacity", self.capacity.as_ref()),
        ];
        all.into_iter().find_map(|(field, regex)| Some((field, regex?, regex?.captures(line)?)))
    }

    /// What the groups of an expression say.
    fn event(&self, field: &str, groups: &Captures) -> Event {
        let number = |name: &str| groups.name(name)?.as_str().replace('_', "").parse().ok();
        let name = || groups.name("name").map(|name| name.as_str().to_owned());
        match field {
            "access" => self.access(groups).unwrap_or_else(|wrong| {
                Event::Wrong(wrong, groups.name(wrong).map_or("", |group| group.as_str()).to_owned())
            }),
            "kernel_begin" => Event::Begin(name().unwrap_or_default(), number("id"), number("stream")),
            "kernel_end" => {
                let time = || self.cycle(groups.name("time")?.as_str());
                Event::End(name(), number("cycles").or_else(|| number("cycle")).or_else(time))
            }
            _ => {
                let level = groups.name("level").map_or(Some(0), |level| self.level(level.as_str()));
                let kib = || number("kib").and_then(|kib: u64| kib.checked_mul(1024));
                let capacity = level.zip(number("bytes").or_else(kib));
                capacity.map_or(Event::Nothing, |(level, bytes)| Event::Capacity(level, bytes))
            }
        }
    }

    fn is(&self, name: &str, word: &str) -> bool {
        let mut own = self.words.iter().filter(|(own, _)| *own == name).flat_map(|(_, own)| own);
        own.any(|own| own.eq_ignore_ascii_case(word))
    }

    fn level(&self, word: &str) -> Option<usize> {
        ["l1", "l2"].iter().position(|name| self.is(name, word))
    }

    /// Cycles of a time in nanoseconds.
    fn cycle(&self, nanos: &str) -> Option<u64> {
        let cycles = nanos.parse::<f64>().ok()? * self.clock_mhz? / 1e3;
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // it was looked at
        (0.0..9e15).contains(&cycles).then(|| cycles.round() as u64)
    }

    fn access(&self, groups: &Captures) -> Result<Event, &'static str> {
        let group = |name: &str| groups.name(name).map(|group| group.as_str());
        let cycle = match group("cycle") {
            Some(cycle) => cycle.parse().map_err(|_| "cycle")?,
            None => group("time").and_then(|time| self.cycle(time)).ok_or("time")?,
        };
        let address = group("address").unwrap_or("");
        let (digits, base) = match address.strip_prefix("0x").or_else(|| address.strip_prefix("0X")) {
            Some(digits) => (digits, 16),
            None => (address, if self.is_decimal { 10 } else { 16 }),
        };
        let address = u64::from_str_radix(digits, base).map_err(|_| "address")?;
        let operation = match group("op") {
            Some(word) if self.is("store", word) => Operation::Store,
            Some(word) if !self.is("load", word) => return Err("op"),
            _ => Operation::Load,
        };
        let level = group("level").map_or(Some(0), |word| self.level(word)).ok_or("level")?;
        let outcome = match group("state") {
            None => Outcome::Hit,
            Some(word) if self.is("hit", word) => Outcome::Hit,
            Some(word) if self.is("pending", word) => Outcome::Pending,
            Some(word) if self.is("miss", word) => Outcome::Miss,
            Some(word) if self.is("retry", word) => Outcome::Retry,
            Some(_) => return Err("state"),
        };
        // As in the log: L1 by its processor, L2 by its slice.
        let names = if level == 0 { ["unit", "bank"] } else { ["bank", "unit"] };
        let unit = names.iter().find_map(|name| group(name)).map_or(Ok(0), str::parse).map_err(|_| "unit")?;
        let bytes: u64 = group("size").map_or(Ok(1), str::parse).map_err(|_| "size")?;
        let last = address.saturating_add(bytes.max(1) - 1) / SECTOR_BYTES;
        let sectors = (last - address / SECTOR_BYTES).saturating_add(1).min(SECTORS);
        Ok(Event::Access(level, Access { cycle, unit, address, operation, outcome }, sectors))
    }
}

/// The accesses to single sectors that an access is made of.
pub(crate) fn sectors(access: Access, n: u64) -> impl Iterator<Item = Access> {
    (0..n).map(move |at| Access { address: access.address.saturating_add(at * SECTOR_BYTES), ..access })
}
