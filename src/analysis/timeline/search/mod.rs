//! Text search: first over the names, each once, then over the rows that have one of them.

mod automaton;
mod matcher;
mod pattern;

pub use matcher::Matcher;

use super::Timeline;
use super::order::in_order;
use crate::analysis::code::origins::{OriginQuery, Origins};
use crate::base::map::Map;
use crate::base::order;
use crate::base::time::{Span, Ticks};
use crate::model::Trace;
use crate::model::id::{SliceId, StrId, TrackId};
use crate::model::slice::Slices;
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
}

/// What of a slice a search is about, as prefixes of its text say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SearchTarget {
    /// Its name.
    Name,
    /// Where it comes from.
    Origin(OriginQuery),
    /// Its color name: one of these.
    ColorName(Vec<String>),
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
    /// How many slices.
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

impl Found {
    /// Searches the names of all slices. Costs the names once, then one look at each row of tracks.
    pub fn search(trace: &Trace, timeline: &Timeline, query: &SearchQuery) -> Self {
        let mut found = Self { names: vec![0; trace.strings.len().div_ceil(64)], ..Self::default() };
        let matcher = match query.matcher() {
            Ok(matcher) => matcher,
            Err(problem) => return Self { problem: Some(problem), ..found },
        };
        for &name in timeline.names().used() {
            if matcher.is_in(trace.strings.get(name)) {
                found.names[name.index() / 64] |= 1 << (name.index() % 64);
                found.n += timeline.names().total(name).n;
            }
        }
        if 0 < found.n {
            found.listed = found.list(trace, timeline);
        }
        found
    }

    fn list(&self, trace: &Trace, timeline: &Timeline) -> Vec<SliceId> {
        let mut listed = Vec::new();
        let tracks: Vec<_> = trace.tracks.shown().iter().map(|&id| (id, None)).collect();
        let names: Vec<&[StrId]> =
            tracks.iter().map(|&(id, _)| trace.tracks.get(id).slices.name.as_slice()).collect();
        let hit = |order: usize, id: SliceId| self.has(names[order][id.row as usize]).then_some(id);
        let all = Span { start: Ticks::MIN, end: Ticks::MAX };
        _ = in_order(trace, timeline, &tracks, all, hit, |_, id| {
            listed.push(id);
            if listed.len() < MAX_LISTED { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        listed
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
                found.names[name.index() / 64] |= 1 << (name.index() % 64);
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
            // What no file says has no bytes: bands are made of the slices that are searched for.
            let is_read = |row: u32| 0 < slices.detail_len.get(row as usize).copied().unwrap_or(0);
            let rows = (0u32..).zip(&slices.color).filter(|(_, color)| wanted.contains(color));
            rows.map(|(row, _)| row).filter(|&row| is_read(row)).collect::<Vec<_>>()
        };
        let all = trace.tracks.iter().map(|(id, track)| (id, of_track(&track.slices)));
        Self::of_rows(trace, timeline, all.filter(|(_, rows)| !rows.is_empty()).collect())
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
        self.names.get(name.index() / 64).is_some_and(|bits| bits >> (name.index() % 64) & 1 == 1)
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
