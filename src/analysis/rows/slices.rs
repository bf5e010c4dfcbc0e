//! Rows of slices and instants: those of an area, and those that a search found.

use super::{Column, Goal, Key, Kind, Paint, RowSource, Value, name, path};
use crate::analysis::statistics::stem;
use crate::analysis::timeline::Timeline;
use crate::analysis::timeline::order::{Chosen, Rows, rows_in};
use crate::base::time::{Span, Ticks};
use crate::base::words::phrase;
use crate::model::Trace;
use crate::model::id::{SliceId, StrId, TrackId};
use crate::model::strings::Strings;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// The rows of each track that lie at least partly in a stretch of time.
#[derive(Default)]
pub struct SliceRuns {
    runs: Vec<Run>,
    is_of_instants: bool,
    n: usize,
}

/// Rows of one track.
struct Run {
    /// Number of its first row among all.
    first: usize,
    track: TrackId,
    /// Rows one by one, those that begin before the stretch among them.
    listed: Vec<u32>,
    /// Rows that follow one another.
    range: Range<u32>,
}

impl SliceRuns {
    /// Costs no more than the tracks, where those are in order.
    pub fn new(trace: &Trace, timeline: &Timeline, tracks: Chosen, span: Span) -> Self {
        let mut all = Self::default();
        for &(track, _) in tracks {
            let (mut listed, rows) = rows_in(trace, timeline, track, span);
            let range = match rows {
                Rows::Range(range) => range,
                Rows::Listed(rows) => {
                    listed.extend(rows);
                    0..0
                }
            };
            let n = listed.len() + range.len();
            all.runs.push(Run { first: all.n, track, listed, range });
            all.n += n;
        }
        all
    }

    /// The instants in a stretch of time. Costs the logarithm of those of each track.
    pub fn of_instants(trace: &Trace, timeline: &Timeline, tracks: &[TrackId], span: Span) -> Self {
        let mut all = Self { is_of_instants: true, ..Self::default() };
        for &track in tracks {
            let times = &trace.tracks.get(track).instants.time;
            let span = span.shifted(timeline.shift_of(track).saturating_neg());
            let at = |time: Ticks| times.partition_point(|&t| t < time) as u32;
            let range = at(span.start)..at(span.end);
            let n = range.len();
            all.runs.push(Run { first: all.n, track, listed: Vec::new(), range });
            all.n += n;
        }
        all
    }

    /// How many slices or instants there are.
    pub fn len(&self) -> usize {
        self.n
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.n == 0
    }

    fn slice(&self, row: u32) -> SliceId {
        let row = row as usize;
        let run = &self.runs[self.runs.partition_point(|run| run.first <= row) - 1];
        let at = row - run.first;
        let row = run.listed.get(at).copied();
        let row = row.unwrap_or_else(|| run.range.start + (at - run.listed.len()) as u32);
        if self.is_of_instants {
            return SliceId::of_instant(run.track, row as usize);
        }
        SliceId { track: run.track, row }
    }
}

/// What is told of a slice in a row.
struct Slices<'a> {
    trace: &'a Trace,
    timeline: &'a Timeline,
    /// When the trace starts.
    zero: Ticks,
}

const NAME: usize = 0;
const TRACK: usize = 1;
const START: usize = 2;
const DURATION: usize = 3;
const CATEGORY: usize = 4;

impl<'a> Slices<'a> {
    fn columns(&self) -> Vec<Column> {
        let clock = self.trace.clock;
        vec![
            Column::new(phrase("Name"), Kind::Text, 0.0),
            Column::new(phrase("Track"), Kind::Text, 200.0).phrases(),
            Column::new(phrase("Start"), Kind::Instant(clock, self.zero), 128.0),
            Column::new(phrase("Duration"), Kind::Duration(clock), 104.0),
            // Shown where there are no lengths.
            Column { is_hidden: true, ..Column::new(phrase("Category"), Kind::Text, 128.0) },
        ]
    }

    fn name_of(&self, id: SliceId) -> StrId {
        self.trace.event(id).map_or(Strings::EMPTY, |event| event.name)
    }

    fn cell(&self, id: SliceId, column: usize) -> Value<'a> {
        match column {
            NAME => name(self.trace, self.name_of(id)),
            TRACK => path(self.trace, id.track),
            START => Value::Whole(self.start(id)),
            CATEGORY => name(self.trace, self.trace.event(id).map_or(Strings::EMPTY, |event| event.category)),
            _ if id.instant().is_some() => Value::Missing,
            _ => Value::Whole(self.trace.event(id).map_or(0, |event| event.span.dur())),
        }
    }

    fn key(&self, id: SliceId, column: usize) -> Key<'a> {
        match column {
            NAME => Key::Name(self.name_of(id).0),
            TRACK => Key::Name(id.track.0),
            _ => super::key_of(self.cell(id, column)),
        }
    }

    fn start(&self, id: SliceId) -> Ticks {
        self.timeline.span_of(self.trace, id).map_or(0, |span| span.start)
    }
}

/// Which slices are listed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Only {
    /// Those of this name; a `*` at its end stands for any number, as in statistics.
    pub name: Option<String>,
    pub category: Option<String>,
}

impl Only {
    /// Those of a name.
    pub fn name(name: &str) -> Self {
        Self { name: Some(name.to_owned()), category: None }
    }
}

/// Slices of an area.
pub struct SliceRows<'a> {
    slices: Slices<'a>,
    runs: &'a SliceRuns,
    /// Only those of this name, or of names that begin so; a name that the trace does not have is `Some(None)`.
    #[allow(clippy::option_option)] // all, one, or one that is not there
    name: Option<Option<StrId>>,
    stem: Option<String>,
    /// Only those of this category.
    #[allow(clippy::option_option)] // the same
    category: Option<Option<StrId>>,
}

impl<'a> SliceRows<'a> {
    /// The slices in some runs.
    pub fn new(
        trace: &'a Trace,
        timeline: &'a Timeline,
        zero: Ticks,
        runs: &'a SliceRuns,
        only: &Only,
    ) -> Self {
        let find = |text: &String| trace.strings.find(text);
        let name = only.name.as_ref().map(find);
        // A name that ends so itself is that name.
        let is_stem = name == Some(None);
        let stem = only.name.as_deref().filter(|_| is_stem).and_then(|name| name.strip_suffix('*'));
        let category = only.category.as_ref().map(find);
        Self { slices: Slices { trace, timeline, zero }, runs, name, stem: stem.map(str::to_owned), category }
    }
}

impl RowSource for SliceRows<'_> {
    fn columns(&self) -> Vec<Column> {
        let mut columns = self.slices.columns();
        columns[DURATION].is_hidden = self.runs.is_of_instants;
        columns[CATEGORY].is_hidden = !self.runs.is_of_instants;
        columns
    }

    fn n_rows(&self) -> usize {
        self.runs.n
    }

    fn has(&self, row: u32) -> bool {
        let (trace, id) = (self.slices.trace, self.runs.slice(row));
        let is_named = match (&self.stem, self.name) {
            (Some(wanted), _) => stem(trace.strings.get(self.slices.name_of(id))) == Some(wanted),
            (None, wanted) => wanted.is_none_or(|wanted| Some(self.slices.name_of(id)) == wanted),
        };
        let category = || trace.event(id).map(|event| event.category);
        is_named && self.category.is_none_or(|wanted| category() == wanted)
    }

    fn cell(&self, row: u32, column: usize) -> Value<'_> {
        self.slices.cell(self.runs.slice(row), column)
    }

    fn key(&self, row: u32, column: usize) -> Key<'_> {
        self.slices.key(self.runs.slice(row), column)
    }

    fn order(&self) -> Option<(usize, bool)> {
        Some((START, false))
    }

    fn goals(&self, row: u32) -> [Option<Goal>; 2] {
        let slice = Goal::Slice(self.runs.slice(row));
        [Some(slice.clone()), Some(slice)]
    }

    fn paint(&self, row: u32) -> Option<(usize, Paint)> {
        Some((NAME, Paint::Slice(self.runs.slice(row))))
    }
}

/// What a search found, in order of time.
pub struct HitRows<'a> {
    slices: Slices<'a>,
    hits: &'a [SliceId],
    /// How many there are; more than those listed are only counted.
    n: u64,
}

impl<'a> HitRows<'a> {
    /// The hits that the timeline knows.
    pub fn new(trace: &'a Trace, timeline: &'a Timeline, zero: Ticks) -> Self {
        let (hits, n) = timeline.found().map_or((&[][..], 0), |found| (&found.listed[..], found.n));
        Self { slices: Slices { trace, timeline, zero }, hits, n }
    }
}

impl RowSource for HitRows<'_> {
    fn columns(&self) -> Vec<Column> {
        self.slices.columns()
    }

    fn n_rows(&self) -> usize {
        self.hits.len()
    }

    fn cell(&self, row: u32, column: usize) -> Value<'_> {
        self.slices.cell(self.hits[row as usize], column)
    }

    fn key(&self, row: u32, column: usize) -> Key<'_> {
        self.slices.key(self.hits[row as usize], column)
    }

    fn goals(&self, row: u32) -> [Option<Goal>; 2] {
        let slice = Goal::Slice(self.hits[row as usize]);
        [Some(slice.clone()), Some(slice)]
    }

    fn paint(&self, row: u32) -> Option<(usize, Paint)> {
        Some((NAME, Paint::Slice(self.hits[row as usize])))
    }

    fn n_known(&self) -> u64 {
        self.n
    }
}
