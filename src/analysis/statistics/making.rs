//! Statistics in progress: names are joined, slices summed, then their lengths put into ranks, a piece at a time.

use super::{By, Options, Ranks, Statistics, StatisticsRow, stem};
use crate::analysis::area::{AreaRows, Scope};
use crate::analysis::summary::Nesting;
use crate::analysis::timeline::Timeline;
use crate::base::map::Map;
use crate::base::order;
use crate::base::time::{Span, Ticks};
use crate::model::Trace;
use crate::model::id::{SliceId, StrId, TrackId};

/// Slices that are taken in in one step, and names.
const STEP: usize = 1 << 16;
/// No row.
const NONE: u32 = u32::MAX;

/// Statistics in progress.
pub struct Making {
    done: Statistics,
    tracks: Vec<(TrackId, Option<usize>)>,
    /// Only slices of this category; one that the trace does not have is `Some(None)`.
    #[allow(clippy::option_option)] // all, one, or one that is not there
    category: Option<Option<StrId>>,
    joining: Joining,
    /// The row of each name, category or track.
    at: Vec<u32>,
    /// Of rows with several categories how many slices each has.
    mixed: Map<(u32, StrId), u64>,
    /// The last track that a row was seen on.
    seen: Vec<u32>,
    stage: StatisticsStage,
    /// Number of the track that comes next, and where in it.
    order: usize,
    open: Option<(AreaRows, Nesting, bool)>,
}

enum StatisticsStage {
    Join(usize),
    Sum,
    Place(Ranks),
    Rank(Ranks),
    Done,
}

/// Names that differ in a number at their end.
#[derive(Default)]
struct Joining {
    /// The first name of each stem.
    first: Map<Box<str>, StrId>,
    /// By number of a name the one it is joined with: itself at least.
    with: Vec<StrId>,
    /// Names that others are joined with.
    several: Vec<bool>,
}

impl Joining {
    fn take(&mut self, name: StrId, text: &str) {
        let Some(stem) = stem(text) else { return };
        match self.first.get(stem) {
            None => drop(self.first.insert(stem.into(), name)),
            Some(&first) => {
                if let Some(with) = self.with.get_mut(name.index()) {
                    *with = first;
                    self.several[first.index()] = true;
                }
            }
        }
    }

    fn name(&self, name: StrId) -> StrId {
        self.with.get(name.index()).copied().unwrap_or(name)
    }
}

impl Making {
    /// Begins.
    pub fn new(trace: &Trace, timeline: &Timeline, options: Options) -> Self {
        let category = options.category.as_ref().map(|text| trace.strings.find(text));
        let n = trace.strings.len().max(trace.tracks.len());
        let mut joining = Joining::default();
        if options.is_joined && options.by == By::Name {
            joining.with = (0..trace.strings.len() as u32).map(StrId).collect();
            joining.several = vec![false; trace.strings.len()];
        }
        Self {
            tracks: options.tracks(trace),
            done: Statistics {
                span: options.time(trace, timeline),
                options,
                rows: Vec::new(),
                n_tracks: 0,
                n_cut: 0,
                n_unfinished: 0,
            },
            category,
            joining,
            at: vec![NONE; n],
            mixed: Map::default(),
            seen: Vec::new(),
            stage: StatisticsStage::Join(0),
            order: 0,
            open: None,
        }
    }

    /// Does the next piece; false when nothing is left to do. Rows must keep their places meanwhile. A machine, as it
    /// runs while the trace still grows, too.
    pub fn step(&mut self, trace: &Trace, timeline: &Timeline) -> bool {
        self.stage = match std::mem::replace(&mut self.stage, StatisticsStage::Done) {
            StatisticsStage::Join(at) => {
                let names = timeline.names().used();
                let end = if self.joining.with.is_empty() { names.len() } else { names.len().min(at + STEP) };
                if !self.joining.with.is_empty() {
                    let names = names.get(at..end).unwrap_or_default();
                    for &name in names {
                        self.joining.take(name, trace.strings.get(name));
                    }
                }
                if end < names.len() { StatisticsStage::Join(end) } else { StatisticsStage::Sum }
            }
            StatisticsStage::Sum => {
                if self.pass(trace, timeline, &mut None) {
                    StatisticsStage::Sum
                } else {
                    self.order = 0;
                    self.count_categories();
                    let rows = self.done.rows.iter();
                    StatisticsStage::Place(Ranks::new(rows.map(|row| (row.n, row.min, row.max))))
                }
            }
            StatisticsStage::Place(ranks) => {
                let mut ranks = Some(ranks);
                let is_more = self.pass(trace, timeline, &mut ranks);
                match ranks {
                    Some(ranks) if is_more => StatisticsStage::Place(ranks),
                    Some(ranks) => StatisticsStage::Rank(ranks),
                    None => StatisticsStage::Done,
                }
            }
            StatisticsStage::Rank(mut ranks) => {
                let rows = &mut self.done.rows;
                let is_more = ranks.step(|at, median, p95| (rows[at].median, rows[at].p95) = (median, p95));
                if is_more { StatisticsStage::Rank(ranks) } else { StatisticsStage::Done }
            }
            StatisticsStage::Done => StatisticsStage::Done,
        };
        !matches!(self.stage, StatisticsStage::Done)
    }

    /// The statistics, after the last step.
    pub fn finish(self) -> Statistics {
        self.done
    }

    /// Goes through slices of the next tracks, as [`crate::analysis::summary::Summing::step`] does: sums them, or puts their
    /// lengths into ranks. Says whether there are more.
    fn pass(&mut self, trace: &Trace, timeline: &Timeline, ranks: &mut Option<Ranks>) -> bool {
        let mut left = STEP;
        while let Some(&(id, _)) = self.tracks.get(self.order) {
            if left == 0 {
                return true;
            }
            let tracks = std::mem::take(&mut self.tracks);
            let scope = Scope { trace, timeline, tracks: &tracks, span: self.done.span };
            let mut open = self.open.take().unwrap_or_else(|| (scope.rows(id), Nesting::default(), false));
            match ranks {
                Some(ranks) => self.place(scope, id, &mut open.0, &mut left, ranks),
                None => self.sum(scope, id, &mut open, &mut left),
            }
            self.tracks = tracks;
            if left == 0 {
                self.open = Some(open);
                return true;
            }
            left = left.saturating_sub(8);
            self.done.n_tracks += u32::from(open.2);
            self.order += 1;
        }
        false
    }

    /// What a slice is added up by.
    fn key(&self, trace: &Trace, id: TrackId, row: usize) -> u32 {
        let slices = &trace.tracks.get(id).slices;
        match self.done.options.by {
            By::Name => self.joining.name(slices.name[row]).0,
            By::Category => slices.category_of(row).0,
            By::Track => id.0,
            By::Group => {
                let parent = |id: &TrackId| trace.tracks.find(*id).and_then(|track| track.parent);
                std::iter::successors(Some(id), parent).last().unwrap_or(id).0
            }
        }
    }

    fn is_meant(&self, category: StrId) -> bool {
        self.category.is_none_or(|meant| meant == Some(category))
    }

    fn place(&mut self, scope: Scope, id: TrackId, rows: &mut AreaRows, left: &mut usize, ranks: &mut Ranks) {
        let slices = &scope.trace.tracks.get(id).slices;
        for row in rows.by_ref().take(*left) {
            *left -= 1;
            if self.is_meant(slices.category_of(row)) && !slices.is_unfinished(row) {
                let key = self.key(scope.trace, id, row) as usize;
                let inside = scope.slice(id, row).intersect(scope.span);
                ranks.push(self.at.get(key).copied().unwrap_or(NONE), inside.dur());
            }
        }
    }

    fn sum(
        &mut self,
        scope: Scope,
        id: TrackId,
        (rows, nesting, is_used): &mut (AreaRows, Nesting, bool),
        left: &mut usize,
    ) {
        let track = scope.trace.tracks.get(id);
        let slices = &track.slices;
        for row in rows.by_ref().take(*left) {
            *left -= 1;
            let is_apart = track.begins_stack(slices.name[row]);
            let span = scope.slice(id, row);
            let inside = span.intersect(scope.span);
            // What lies in one without an end lies in what is around that.
            if slices.is_unfinished(row) {
                self.done.n_unfinished += u64::from(self.is_meant(slices.category_of(row)));
                continue;
            }
            if let Some((around, nested)) = nesting.around(span, inside, is_apart)
                && let Some(around) = self.done.rows.get_mut(around as usize)
            {
                around.own -= i128::from(nested);
            }
            let category = slices.category_of(row);
            let mut at = NONE;
            if self.is_meant(category) {
                let key = self.key(scope.trace, id, row);
                at = self.row(key, SliceId { track: id, row: row as u32 }, category);
                self.take(at, (id, row), (span, inside), category);
                *is_used = true;
            }
            let known = nesting.open(span, inside, at, is_apart);
            if let Some(row) = self.done.rows.get_mut(at as usize) {
                row.n_outermost += u64::from(known.is_none());
                row.total += i128::from(inside.dur() - known.unwrap_or_default().inside);
            }
        }
    }

    /// The row for a key, which is made for its first slice.
    fn row(&mut self, key: u32, first: SliceId, category: StrId) -> u32 {
        let known = self.at.get(key as usize).copied().unwrap_or(NONE);
        if known != NONE {
            return known;
        }
        let at = self.done.rows.len() as u32;
        if let Some(slot) = self.at.get_mut(key as usize) {
            *slot = at;
        }
        let is_of_track = matches!(self.done.options.by, By::Track | By::Group);
        self.done.rows.push(StatisticsRow {
            name: if is_of_track { StrId(0) } else { StrId(key) },
            track: if is_of_track { TrackId(key) } else { first.track },
            is_joined: self.joining.several.get(key as usize).copied().unwrap_or(false),
            category,
            others: Vec::new(),
            n_tracks: 0,
            n: 0,
            n_outermost: 0,
            total: 0,
            sum: 0,
            own: 0,
            min: Ticks::MAX,
            max: 0,
            longest: first,
            median: 0.0,
            p95: 0.0,
        });
        self.seen.push(NONE);
        at
    }

    fn take(
        &mut self,
        at: u32,
        (id, number): (TrackId, usize),
        (span, inside): (Span, Span),
        category: StrId,
    ) {
        self.done.n_cut += u64::from(inside != span);
        let (row, seen) = (&mut self.done.rows[at as usize], &mut self.seen[at as usize]);
        let dur = inside.dur();
        row.n += 1;
        if *seen != id.0 {
            *seen = id.0;
            row.n_tracks += 1;
        }
        row.sum += i128::from(dur);
        row.own += i128::from(dur);
        row.min = row.min.min(dur);
        if row.max < dur {
            (row.max, row.longest) = (dur, SliceId { track: id, row: number as u32 });
        }
        if row.category != category {
            *self.mixed.entry((at, category)).or_insert(0) += 1;
        }
    }

    /// Of rows with several categories puts those of most slices first; of equal ones the first, then by number.
    fn count_categories(&mut self) {
        let mut others: Vec<((u32, StrId), u64)> = self.mixed.drain().collect();
        order::sort(&mut others);
        for rows in others.chunk_by(|a, b| a.0.0 == b.0.0) {
            let Some(row) = rows.first().and_then(|other| self.done.rows.get_mut(other.0.0 as usize)) else {
                continue;
            };
            let first = row.n - rows.iter().map(|other| other.1).sum::<u64>();
            let others = rows.iter().map(|((_, category), n)| (*category, *n));
            let mut all: Vec<(StrId, u64)> = std::iter::once((row.category, first)).chain(others).collect();
            order::sort_by_key(&mut all, |(_, n)| std::cmp::Reverse(*n));
            let mut all = all.into_iter().map(|(category, _)| category);
            row.category = all.next().unwrap_or(row.category);
            row.others = all.collect();
        }
    }
}
