//! Text search: first over the names of slices, each once, then over instants, then over the slices that have a name.
//! Texts with terms such as `cat:kernel dur>500us` are a [`Filter`].

mod automaton;
pub mod filter;
mod pattern;

pub use filter::{Filter, NO_LENGTH, NO_UNIT};

use super::Timeline;
use super::order::InOrder;
use crate::analysis::code::origins::{OriginQuery, Origins};
use crate::base::map::Map;
use crate::base::order;
use crate::base::time::{Span, Ticks};
use crate::model::Trace;
use crate::model::id::{SliceId, StrId, TrackId};
use crate::model::slice::Slices;
use automaton::Automaton;
use regex_lite::{Regex, RegexBuilder};
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;

/// Most hits that are put in order of time; the number of all is always told.
pub const MAX_LISTED: usize = 1_000_000;

/// What is searched for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchQuery {
    /// The text; nothing is found by an empty one.
    pub text: String,
    /// Whether capitals matter.
    pub is_case_sensitive: bool,
    /// Whether the text must stand alone, between characters that are neither letter, digit nor `_`.
    pub is_whole_word: bool,
    /// Whether the text is a regular expression.
    pub is_pattern: bool,
    /// The shown time that is searched; `None` is all of it.
    #[serde(default)]
    pub within: Option<Span>,
}

/// What of a slice a search is about, as prefixes of its text say.
#[derive(Clone, Debug, PartialEq)]
pub enum SearchTarget {
    Name,
    /// Where it comes from.
    Origin(OriginQuery),
    /// Its color name: one of these.
    ColorName(Vec<String>),
    /// Category, length, arguments and name.
    Filter(Filter),
}

/// What a text may begin with that asks for color names instead of names. Slices without bytes in a file are not found.
pub struct SearchPrefix {
    /// What it begins with, such as `scope:`.
    pub prefix: &'static str,
    /// The color names that the rest of the text asks for; at least one.
    pub color_names: fn(&str) -> Vec<String>,
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// How many slices and instants.
    pub n: u64,
    /// The first of them in order of time, then of the rows shown; at most [`MAX_LISTED`].
    pub listed: Vec<SliceId>,
    /// Why the text is no pattern; then nothing is found.
    pub problem: Option<String>,
    /// Which names match, as bits by number.
    names: Vec<u64>,
    /// The rows of each track, in order, where the name does not decide.
    rows: Option<Map<TrackId, Vec<u32>>>,
}

/// A search of names in progress.
pub struct Searching {
    /// What is found so far.
    pub found: Found,
    matcher: Option<Matcher>,
    within: Option<Span>,
    /// How many of the names of slices were looked at.
    n_names: usize,
    /// Names that were looked at, as bits by number.
    looked: Vec<u64>,
    /// The next instant: number of its track, and its row.
    at: (usize, usize),
    instants: Vec<SliceId>,
    tracks: Vec<(TrackId, Option<usize>)>,
    order: Option<InOrder>,
}

/// Names and instants that are looked at in one step, and parts of the rows.
const NAMES: usize = 1 << 13;
const INSTANTS: usize = 1 << 16;
const PARTS: usize = 16;

impl Searching {
    /// Begins.
    pub fn new(query: &SearchQuery) -> Self {
        let (matcher, problem) = match query.matcher() {
            Ok(matcher) => (Some(matcher), None),
            Err(problem) => (None, Some(problem)),
        };
        let found = Found { problem, ..Found::default() };
        let (looked, instants) = (Vec::new(), Vec::new());
        let within = query.within;
        Self {
            found,
            matcher,
            within,
            n_names: 0,
            looked,
            at: (0, 0),
            instants,
            tracks: Vec::new(),
            order: None,
        }
    }

    /// Does the next piece; false when nothing is left to do. Rows must keep their places meanwhile. A machine, as it
    /// runs while the trace still grows, too.
    pub fn step(&mut self, trace: &Trace, timeline: &Timeline) -> bool {
        let found = &mut self.found;
        for bits in [&mut found.names, &mut self.looked] {
            bits.resize(bits.len().max(trace.strings.len().div_ceil(64)), 0);
        }
        let Some(matcher) = &self.matcher else { return false };
        let Some(order) = &mut self.order else {
            let used = timeline.names().used().get(self.n_names..).unwrap_or(&[]);
            for &name in used.iter().take(NAMES) {
                set(&mut self.looked, name);
                if matcher.is_in(trace.strings.get(name)) {
                    set(&mut found.names, name);
                    found.n += timeline.names().total(name).n;
                }
            }
            self.n_names += used.len().min(NAMES);
            if NAMES < used.len() || self.instants_step(trace, timeline) {
                return true;
            }
            let found = &self.found;
            if 0 < found.n {
                self.tracks = trace.tracks.shown().iter().map(|&id| (id, None)).collect();
                let all = Span { start: Ticks::MIN, end: Ticks::MAX };
                let span = self.within.unwrap_or(all);
                self.order = Some(InOrder::new(trace, timeline, &self.tracks, span));
            }
            return 0 < found.n;
        };
        let Found { names, listed, .. } = found;
        let hit = |_, id: SliceId| {
            let name = trace.tracks.get(id.track).slices.name[id.row as usize];
            has(names, name).then_some(id)
        };
        let is_more = order.step(PARTS, (trace, timeline, &self.tracks), hit, |_, id| {
            listed.push(id);
            if listed.len() < MAX_LISTED { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        if !is_more && !self.instants.is_empty() {
            listed.append(&mut self.instants);
            order::sort_by_key(listed, |id| timeline.span_of(trace, *id).map(|span| span.start));
            listed.truncate(MAX_LISTED);
        }
        if !is_more && self.within.is_some() {
            found.only_listed();
        }
        is_more
    }

    /// Looks at the next instants; says whether there are more.
    fn instants_step(&mut self, trace: &Trace, timeline: &Timeline) -> bool {
        let Self { found, matcher: Some(matcher), within, looked, at: (track, row), instants, .. } = self
        else {
            return false;
        };
        let mut left = INSTANTS;
        while let Some(&id) = trace.tracks.shown().get(*track).filter(|_| 0 < left) {
            let names = &trace.tracks.get(id).instants.name;
            let end = names.len().min(*row + left);
            for at in *row..end {
                let name = names[at];
                if !has(looked, name) {
                    set(looked, name);
                    if matcher.is_in(trace.strings.get(name)) {
                        set(&mut found.names, name);
                    }
                }
                let one = SliceId::of_instant(id, at);
                let is_within =
                    |within: Span| timeline.span_of(trace, one).is_some_and(|s| within.touches(s));
                if has(&found.names, name) && within.is_none_or(is_within) {
                    found.n += 1;
                    instants.extend((instants.len() < MAX_LISTED).then_some(one));
                }
            }
            left = left.saturating_sub(end - *row + 1);
            (*track, *row) = if end == names.len() { (*track + 1, 0) } else { (*track, end) };
        }
        *track < trace.tracks.shown().len()
    }
}

fn set(bits: &mut [u64], name: StrId) {
    if let Some(bits) = bits.get_mut(name.index() / 64) {
        *bits |= 1 << (name.index() % 64);
    }
}

/// Whether a name is among the bits.
fn has(names: &[u64], name: StrId) -> bool {
    names.get(name.index() / 64).is_some_and(|bits| bits >> (name.index() % 64) & 1 == 1)
}

impl Found {
    /// Searches the names of all slices and instants. Costs the names once, then one look at each row of tracks.
    pub fn search(trace: &Trace, timeline: &Timeline, query: &SearchQuery) -> Self {
        let mut searching = Searching::new(query);
        while searching.step(trace, timeline) {}
        searching.found
    }

    /// The names do not decide alone: what is listed is all there is.
    fn only_listed(&mut self) {
        let mut rows: Map<TrackId, Vec<u32>> = Map::default();
        for id in &self.listed {
            rows.entry(id.track).or_default().push(id.row);
        }
        for rows in rows.values_mut() {
            rows.sort_unstable();
        }
        self.n = self.listed.len() as u64;
        self.rows = Some(rows);
    }

    /// What of it lies at least partly in a stretch of time, if one is given.
    pub(super) fn within(mut self, trace: &Trace, timeline: &Timeline, within: Option<Span>) -> Self {
        let Some(within) = within else { return self };
        self.listed.retain(|&id| timeline.span_of(trace, id).is_some_and(|span| within.touches(span)));
        self.only_listed();
        self
    }

    /// The slices that come from a place, as far as it is known where slices come from. Costs a look at each slice.
    pub fn of_origin(trace: &Trace, timeline: &Timeline, origins: &Origins, query: &OriginQuery) -> Self {
        Self::of_rows(trace, timeline, origins.find(trace, query).0)
    }

    fn of_rows(trace: &Trace, timeline: &Timeline, by_track: Vec<(TrackId, Vec<u32>)>) -> Self {
        let mut found = Self { names: vec![0; trace.strings.len().div_ceil(64)], ..Self::default() };
        for (track, rows) in &by_track {
            let names = &trace.tracks.get(*track).slices.name;
            for name in rows.iter().filter_map(|&row| names.get(row as usize)) {
                set(&mut found.names, *name);
            }
            found.n += rows.len() as u64;
            let id = |&row: &u32| SliceId { track: *track, row };
            found.listed.extend(rows.iter().take(MAX_LISTED).map(id));
        }
        let place = |id: &SliceId| (timeline.span_of(trace, *id).map(|span| span.start), *id);
        order::sort_by_key(&mut found.listed, place);
        found.listed.truncate(MAX_LISTED);
        found.rows = Some(by_track.into_iter().collect());
        found
    }

    /// The slices with one of these color names. Costs a look at each slice.
    pub fn of_colors(trace: &Trace, timeline: &Timeline, wanted: &[String]) -> Self {
        let wanted: Vec<StrId> = wanted.iter().filter_map(|name| trace.strings.find(name)).collect();
        let of_track = |slices: &Slices| {
            let rows = (0u32..).zip(&slices.color).filter(|(_, color)| wanted.contains(color));
            rows.map(|(row, _)| row).collect::<Vec<_>>()
        };
        // Bands are made of the slices that are searched for.
        let read = trace.tracks.iter().filter(|(_, track)| !track.is_derived);
        let all = read.map(|(id, track)| (id, of_track(&track.slices)));
        Self::of_rows(trace, timeline, all.filter(|(_, rows)| !rows.is_empty()).collect())
    }

    /// Nothing, and why.
    pub(super) fn of_problem(problem: String) -> Self {
        Self { problem: Some(problem), ..Self::default() }
    }

    /// Slices and instants that are known to be hits.
    pub(super) fn of_ids(trace: &Trace, timeline: &Timeline, ids: Vec<SliceId>) -> Self {
        let mut found = Self { names: vec![0; trace.strings.len().div_ceil(64)], ..Self::default() };
        let mut rows: Map<TrackId, Vec<u32>> = Map::default();
        for id in &ids {
            rows.entry(id.track).or_default().push(id.row);
            if let Some(event) = trace.event(*id) {
                set(&mut found.names, event.name);
            }
        }
        for rows in rows.values_mut() {
            rows.sort_unstable();
        }
        (found.n, found.listed, found.rows) = (ids.len() as u64, ids, Some(rows));
        let place = |id: &SliceId| (timeline.span_of(trace, *id).map(|span| span.start), *id);
        order::sort_by_key(&mut found.listed, place);
        found.listed.truncate(MAX_LISTED);
        found
    }

    /// Whether a slice of this name is a hit.
    pub fn is_hit(&self, id: SliceId, name: StrId) -> bool {
        match &self.rows {
            Some(rows) => rows.get(&id.track).is_some_and(|rows| rows.binary_search(&id.row).is_ok()),
            None => self.has(name),
        }
    }

    /// Whether a name matched.
    pub fn has(&self, name: StrId) -> bool {
        has(&self.names, name)
    }

    /// Where a slice stands among the hits.
    pub fn position(&self, trace: &Trace, timeline: &Timeline, id: SliceId) -> Option<usize> {
        let start = |id: SliceId| timeline.span_of(trace, id).map(|span| span.start);
        let time = start(id)?;
        let from = self.listed.partition_point(|&hit| start(hit) < Some(time));
        let alike = self.listed[from..].iter().take_while(|&&hit| start(hit) == Some(time));
        Some(from + alike.into_iter().position(|&hit| hit == id)?)
    }

    /// The first hit that starts at or after a time; as many as are listed when there is none.
    pub fn first_after(&self, trace: &Trace, timeline: &Timeline, time: Ticks) -> usize {
        self.listed.partition_point(|&hit| timeline.span_of(trace, hit).is_some_and(|s| s.start < time))
    }
}

// Whether a name is what is searched for: as plain text, or as a regular expression.

/// A search made ready, so that looking at a name costs its length.
pub enum Matcher {
    Text {
        /// The text; in small letters unless capitals matter.
        text: String,
        /// Whether capitals matter.
        is_case_sensitive: bool,
        /// Whether it must stand alone.
        is_whole_word: bool,
    },
    /// A regular expression.
    Pattern(Box<Pattern>),
}

/// A regular expression made ready.
pub struct Pattern {
    regex: Regex,
    /// The same, much faster, when it is of the usual kind.
    automaton: Option<Automaton>,
}

impl SearchQuery {
    /// Makes the search ready. Says what is wrong with a pattern that is none, in the words of the library.
    ///
    /// In patterns only ASCII letters are equal to their capitals and only ASCII words have ends: the tables for all of
    /// Unicode would be larger than everything else that searches.
    pub fn matcher(&self) -> Result<Matcher, String> {
        if self.is_pattern {
            let pattern =
                if self.is_whole_word { format!(r"\b(?:{})\b", self.text) } else { self.text.clone() };
            let regex = RegexBuilder::new(&pattern).case_insensitive(!self.is_case_sensitive).build();
            let automaton = || Automaton::new(&pattern, self.is_case_sensitive);
            let pattern = regex.map(|regex| Pattern { regex, automaton: automaton() });
            return pattern.map(|pattern| Matcher::Pattern(Box::new(pattern))).map_err(|why| why.to_string());
        }
        let Self { is_case_sensitive, is_whole_word, .. } = *self;
        let text = if is_case_sensitive { self.text.clone() } else { self.text.to_lowercase() };
        Ok(Matcher::Text { text, is_case_sensitive, is_whole_word })
    }
}

impl Matcher {
    /// Whether the search is in a name; an empty text is in none.
    pub fn is_in(&self, name: &str) -> bool {
        match self {
            Self::Pattern(pattern) => match &pattern.automaton {
                Some(automaton) => automaton.is_in(name),
                None => pattern.regex.is_match(name),
            },
            Self::Text { text, .. } if text.is_empty() => false,
            Self::Text { text, is_case_sensitive: true, is_whole_word } => {
                is_text_in(name, text, *is_whole_word)
            }
            Self::Text { text, is_whole_word, .. } => is_text_in(&name.to_lowercase(), text, *is_whole_word),
        }
    }
}

fn is_text_in(name: &str, text: &str, is_whole_word: bool) -> bool {
    if !is_whole_word {
        return name.contains(text);
    }
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let mut from = 0;
    while let Some(at) = name[from..].find(text).map(|at| at + from) {
        let before = name[..at].chars().next_back();
        let after = name[at + text.len()..].chars().next();
        if !before.is_some_and(is_part) && !after.is_some_and(is_part) {
            return true;
        }
        from = at + name[at..].chars().next().map_or(1, char::len_utf8);
    }
    false
}
