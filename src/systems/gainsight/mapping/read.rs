//! A mapping: what it says, and what a line says by it.

use super::preview;
use crate::base::words::{Message, message};
use crate::model::parameter::PreviewProblem;
use crate::views::lifetimes::compute::{Access, Operation, Outcome, SECTOR_BYTES};
use regex_lite::{Captures, Regex};
use serde_json::Value;

/// How the lines of a log are worded.
pub(in crate::systems::gainsight) struct Mapping {
    access: Regex,
    begin: Option<Regex>,
    end: Option<Regex>,
    capacity: Option<Regex>,
    words: Vec<(&'static str, Vec<String>)>,
    /// Cycles in a microsecond.
    pub(in crate::systems::gainsight) clock_mhz: Option<f64>,
    is_decimal: bool,
}

/// What a line says.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::systems::gainsight) enum Event {
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
    pub(in crate::systems::gainsight) fn parse(text: &str) -> Result<Self, PreviewProblem> {
        let json: Value = serde_json::from_str(text).map_err(|why| preview::no_json(text, &why))?;
        let pattern = |key: &str| {
            let text = json.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
            text.map(|text| {
                preview::regex(text).map_err(|problem| PreviewProblem { field: key.to_owned(), ..problem })
            })
            .transpose()
        };
        let missing = |why: Message| PreviewProblem { field: "access".to_owned(), at: None, why };
        let access = pattern("access")?.ok_or_else(|| missing(message("missing expression")))?;
        let clock_mhz = json.get("clock_mhz").and_then(Value::as_f64).filter(|mhz| 0.0 < *mhz);
        let has = |name: &str| access.capture_names().flatten().any(|own| own == name);
        if !has("address") {
            return Err(missing(message("there is no group named address")));
        }
        if !(has("cycle") || has("time") && clock_mhz.is_some()) {
            return Err(missing(message(
                "there is no group named cycle, and no group named time beside a clock",
            )));
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
    pub(super) fn fits(&self, line: &[u8]) -> bool {
        self.read(line) != Event::Nothing
    }

    /// What a line says.
    pub(in crate::systems::gainsight) fn read(&self, line: &[u8]) -> Event {
        let text = String::from_utf8_lossy(line);
        self.find(&text).map_or(Event::Nothing, |(field, _, groups)| self.event(field, &groups))
    }

    /// The expression that fits a line, with its name and what its groups caught.
    pub(super) fn find<'t>(&self, line: &'t str) -> Option<(&'static str, &Regex, Captures<'t>)> {
        let all = [
            ("access", Some(&self.access)),
            ("kernel_begin", self.begin.as_ref()),
            ("kernel_end", self.end.as_ref()),
            ("capacity", self.capacity.as_ref()),
        ];
        all.into_iter().find_map(|(field, regex)| Some((field, regex?, regex?.captures(line)?)))
    }

    /// What the groups of an expression say.
    pub(super) fn event(&self, field: &str, groups: &Captures) -> Event {
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
pub(in crate::systems::gainsight) fn sectors(access: Access, n: u64) -> impl Iterator<Item = Access> {
    (0..n).map(move |at| Access { address: access.address.saturating_add(at * SECTOR_BYTES), ..access })
}
