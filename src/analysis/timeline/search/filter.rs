//! Terms of a search beside names: `cat:kernel dur>500us correlation:157512 gemm`. All of them must hold.
//!
//! ```text
//! cat:TEXT     the category, or one of those between commas, is the text; `*` at its end stands for any ending
//! dur>TIME     the slice is longer than a number of ns, us (µs), ms or s; also >=, < and <=
//! NAME:VALUE   the event has an argument of this name with this value: texts in any case, numbers by what they are worth.
//!              Blanks, `_` and `-` in names are one: external_id:42. A name that has the term as text in it fits too.
//! ```
//! All else is the text that is searched for in names. Quotes hold blanks: `"External id":42`.

use super::{Found, SearchQuery};
use crate::analysis::timeline::Timeline;
use crate::base::map::Map;
use crate::base::time::{Clock, Span};
use crate::base::words::phrase;
use crate::model::Trace;
use crate::model::id::{SliceId, StrId};
use crate::model::slice::Event;

/// What a text with terms asks for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Filter {
    /// What is searched for in names; empty for all.
    pub name: String,
    pub categories: Vec<String>,
    /// Limits that lengths keep.
    pub lengths: Vec<Length>,
    pub args: Vec<Arg>,
    /// Whether a length is asked for that is no number with a unit.
    is_wrong: bool,
}

/// A limit of lengths: whether longer ones are meant, whether the limit itself is, the number, and nanoseconds in its unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Length {
    is_longer: bool,
    is_included: bool,
    number: f64,
    nanos: Option<f64>,
}

/// An argument that is asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Arg {
    pub key: String,
    /// A part of its text.
    pub value: String,
    /// The term as it was typed, in small letters.
    text: String,
}

/// Units of lengths, and nanoseconds in each.
const UNITS: [(&str, f64); 6] = [("ns", 1.0), ("us", 1e3), ("µs", 1e3), ("μs", 1e3), ("ms", 1e6), ("s", 1e9)];

/// Why a length cannot be read.
pub const NO_LENGTH: &str = phrase("a length is a number with a unit, such as dur>500us: ns, us, ms or s");

/// Why a length cannot be compared.
pub const NO_UNIT: &str = phrase("a length needs a unit: ns, us, ms or s");

impl Filter {
    /// Reads a text; `None` when it has no term.
    pub fn parse(text: &str) -> Option<Self> {
        let mut filter = Self::default();
        let mut names: Vec<&str> = Vec::new();
        for word in words(text) {
            if !filter.take(word) {
                names.push(word);
            }
        }
        filter.name = names.join(" ");
        let n = filter.categories.len() + filter.lengths.len() + filter.args.len();
        (0 < n || filter.is_wrong).then_some(filter)
    }

    /// Takes in a word when it is a term.
    fn take(&mut self, word: &str) -> bool {
        if let Some(length) = length(word) {
            self.lengths.push(length);
            return true;
        }
        if asks_length(word) {
            self.is_wrong = true;
            return true;
        }
        let Some((key, value)) = pair(word) else { return false };
        match normal(&key).as_str() {
            "cat" | "category" => self.categories.push(value.to_lowercase()),
            _ => self.args.push(Arg {
                key: normal(&key),
                value: value.to_lowercase(),
                text: word.replace('"', "").to_lowercase(),
            }),
        }
        true
    }

    /// Whether arguments must be read from the file to answer it.
    pub fn reads_args(&self) -> bool {
        !self.args.is_empty()
    }

    /// The slices and instants of the time that is asked for that fit as far as the trace knows, without a look at
    /// arguments; or why none can be told. Costs a look at each of them.
    pub fn candidates(
        &self,
        trace: &Trace,
        timeline: &Timeline,
        query: &SearchQuery,
    ) -> Result<Vec<SliceId>, String> {
        if self.is_wrong {
            return Err(NO_LENGTH.to_owned());
        }
        let names = SearchQuery { text: self.name.clone(), ..query.clone() }.matcher()?;
        let limits = self.lengths.iter().map(|length| length.ticks(trace.clock));
        let limits = limits.collect::<Option<Vec<_>>>().ok_or_else(|| NO_UNIT.to_owned())?;
        let (mut of_name, mut of_category) = (Map::<StrId, bool>::default(), Map::<StrId, bool>::default());
        let text = |id| trace.strings.get(id);
        let mut fits = |event: &Event, is_slice: bool| {
            let dur = event.span.dur();
            let is_long = |(limit, length): (&f64, &Length)| length.fits(dur as f64, *limit);
            let is_name = |id| self.name.is_empty() || names.is_in(text(id));
            let is_category = |id| self.categories.iter().all(|wanted| is_category(wanted, text(id)));
            (is_slice || limits.is_empty())
                && limits.iter().zip(&self.lengths).all(is_long)
                && *of_category.entry(event.category).or_insert_with(|| is_category(event.category))
                && *of_name.entry(event.name).or_insert_with(|| is_name(event.name))
        };
        let is_within = |id: SliceId| {
            let of = |within: Span| timeline.span_of(trace, id).is_some_and(|span| within.touches(span));
            query.within.is_none_or(of)
        };
        let mut found = Vec::new();
        for &track in trace.tracks.shown() {
            let of = trace.tracks.get(track);
            let slices = (0..of.slices.len() as u32).map(|row| SliceId { track, row });
            let instants = (0..of.instants.len()).map(|row| SliceId::of_instant(track, row));
            let is_one = |id: &SliceId| {
                let event = trace.event(*id);
                event.is_some_and(|event| fits(&event, id.instant().is_none())) && is_within(*id)
            };
            found.extend(slices.chain(instants).filter(is_one));
        }
        Ok(found)
    }

    /// Whether the terms of arguments hold, by what the bytes of an event say.
    pub fn has_args(&self, name: &str, args: &[(String, String)]) -> bool {
        self.args.iter().all(|wanted| {
            args.iter().any(|(key, value)| wanted.fits(key, value))
                || name.to_lowercase().contains(&wanted.text)
        })
    }

    /// Whether bytes of an event that is written as text cannot have the arguments: a number among them is not in it, nor
    /// is the term in its name. For not reading most events.
    pub fn is_without(&self, name: &str, bytes: &[u8]) -> bool {
        let is_number = |wanted: &&Arg| wanted.value.bytes().all(|byte| byte.is_ascii_digit());
        self.args.iter().filter(is_number).any(|wanted| {
            memchr::memmem::find(bytes, wanted.value.as_bytes()).is_none()
                && !name.to_lowercase().contains(&wanted.text)
        })
    }
}

impl Length {
    /// The limit in ticks of a clock; `None` when the unit is missing, or means nothing.
    pub fn ticks(&self, clock: Clock) -> Option<f64> {
        match (self.nanos, clock.nanos()) {
            (Some(nanos), Some(tick)) => Some(self.number * nanos / tick),
            (None, None) => Some(self.number),
            _ => None,
        }
    }

    fn fits(&self, dur: f64, limit: f64) -> bool {
        let is_beyond = if self.is_longer { limit < dur } else { dur < limit };
        is_beyond || self.is_included && (dur - limit).abs() < 0.5 * f64::EPSILON.max(limit.abs() * 1e-12)
    }
}

impl Arg {
    fn fits(&self, key: &str, value: &str) -> bool {
        let key = normal(key);
        let is_key = key == self.key || key.strip_suffix(&self.key).is_some_and(|path| path.ends_with('.'));
        is_key && is_equal(&self.value, value)
    }
}

/// Whether a category is the wanted one, which is in small letters.
fn is_category(wanted: &str, category: &str) -> bool {
    let category = category.to_lowercase();
    let is_one = |part: &str| match wanted.strip_suffix('*') {
        Some(stem) => part.starts_with(stem),
        None => part == wanted,
    };
    is_one(&category) || category.split(',').any(|part| is_one(part.trim()))
}

/// Whether two values are one: as texts without blanks, or as numbers.
fn is_equal(wanted: &str, value: &str) -> bool {
    let plain = |text: &str| text.to_lowercase().split_whitespace().collect::<String>();
    let numbers = || Some((wanted.parse::<f64>().ok()?, value.parse::<f64>().ok()?));
    plain(wanted) == plain(value) || numbers().is_some_and(|(a, b)| a.total_cmp(&b).is_eq())
}

/// A name as it is compared.
fn normal(name: &str) -> String {
    name.trim().to_lowercase().replace([' ', '-'], "_")
}

/// The words of a text; quotes hold blanks.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let mut is_quoted = false;
    let is_between = move |c: char| {
        is_quoted ^= c == '"';
        c.is_whitespace() && !is_quoted
    };
    text.split(is_between).filter(|word| !word.is_empty())
}

/// `NAME:VALUE` of a word, without quotes.
fn pair(word: &str) -> Option<(String, String)> {
    let (key, value) = match word.strip_prefix('"') {
        Some(rest) => rest.split_once('"').and_then(|(key, rest)| Some((key, rest.strip_prefix(':')?)))?,
        None => word.split_once(':')?,
    };
    // `at::add` is a name, `C:\` and `http://` are places.
    let is_place = value.starts_with([':', '\\']) || value.starts_with("//");
    let is_name = key.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && key.chars().all(|c| c.is_alphanumeric() || " _-.%#/".contains(c));
    let value = value.trim_matches('"');
    (is_name && !is_place && !value.is_empty()).then(|| (key.to_owned(), value.to_owned()))
}

/// Whether a word asks for a length, also for one that is none: a name such as `dur<int>` is none, it goes on behind.
fn asks_length(word: &str) -> bool {
    let rest = word.strip_prefix("duration").or_else(|| word.strip_prefix("dur"));
    let rest = rest.map(|rest| rest.strip_prefix(':').unwrap_or(rest));
    rest.is_some_and(|rest| {
        // Without a value it still asks.
        rest == ">" || rest.starts_with(['>', '<']) && !rest.ends_with(['>', ')'])
    })
}

/// `dur>500us` of a word.
fn length(word: &str) -> Option<Length> {
    let rest = word.strip_prefix("duration").or_else(|| word.strip_prefix("dur"))?;
    let rest = rest.strip_prefix(':').unwrap_or(rest);
    let (is_longer, rest) = match rest.strip_prefix('>') {
        Some(rest) => (true, rest),
        None => (false, rest.strip_prefix('<')?),
    };
    let (is_included, rest) = rest.strip_prefix('=').map_or((false, rest), |rest| (true, rest));
    let of_unit = |(unit, nanos): &(&str, f64)| {
        let number = rest.strip_suffix(unit)?.trim().replace(',', "").parse().ok()?;
        Some(Length { is_longer, is_included, number, nanos: Some(*nanos) })
    };
    UNITS.iter().find_map(of_unit).or_else(|| {
        let number = rest.replace(',', "").parse().ok()?;
        Some(Length { is_longer, is_included, number, nanos: None })
    })
}

impl Found {
    /// What fits a filter that asks for no arguments.
    pub(in crate::analysis::timeline) fn of_filter(
        trace: &Trace,
        timeline: &Timeline,
        query: &SearchQuery,
        filter: &Filter,
    ) -> Self {
        match filter.candidates(trace, timeline, query) {
            Ok(ids) => Self::of_ids(trace, timeline, ids),
            Err(problem) => Self::of_problem(problem),
        }
    }
}
