//! Rows of an area: sums by name, frames of the call tree, busy and idle tracks, gaps, flows and their categories.

use super::{Column, Goal, Key, Kind, Paint, RowSource, SET_IN, Value, name, path};
use crate::analysis::area::flame::Flame;
use crate::analysis::area::gaps::{Idle, Longest};
use crate::analysis::area::links::{Category, Links, latency, time};
use crate::analysis::summary::{Sum, Summary};
use crate::analysis::timeline::Timeline;
use crate::base::number::thousands;
use crate::base::time::{Clock, Ticks};
use crate::base::words::{fill, phrase};
use crate::model::Trace;
use crate::model::id::{FlowId, TrackId};
use std::borrow::Cow;

/// What an area adds up to: all names in the first row, then each.
pub struct SumRows<'a> {
    pub trace: &'a Trace,
    pub summary: &'a Summary,
    /// Length of the area.
    pub dur: Ticks,
    /// What the row of all names is called.
    pub all: &'a str,
    /// What several tracks are called, with their number for `{n}`.
    pub tracks: &'a str,
}

impl SumRows<'_> {
    /// The track of the first slice of a row, and what it adds up to.
    fn sum(&self, row: u32) -> (Option<TrackId>, &Sum) {
        match row.checked_sub(1).map(|at| &self.summary.names[at as usize]) {
            Some((_, track, sum)) => (Some(*track), sum),
            None => (self.summary.names.first().map(|first| first.1), &self.summary.all),
        }
    }
}

impl RowSource for SumRows<'_> {
    fn columns(&self) -> Vec<Column> {
        let time = Kind::Duration(self.trace.clock);
        let whole = Column::new(phrase("Whole total"), time, 96.0);
        let outermost = Column::new(phrase("Outermost"), Kind::Count, 88.0);
        let all = &self.summary.all;
        vec![
            Column::new(phrase("Name"), Kind::Text, 0.0),
            Column::new(phrase("Track"), Kind::Text, 96.0).phrases().gives_way(6),
            Column::new(phrase("Count"), Kind::Count, 72.0),
            Column::new(phrase("Total"), time, 96.0),
            Column::new(phrase("Non-overlapping"), time, 116.0),
            Column::new(phrase("% of range"), Kind::Share, 80.0),
            Column::new(phrase("Self"), time, 96.0),
            Column::new(phrase("Mean"), time, 88.0).gives_way(2),
            Column::new(phrase("Shortest"), time, 88.0).gives_way(3),
            Column::new(phrase("Longest"), time, 88.0).gives_way(1),
            // Only where slices reach out of the range.
            Column { is_hidden: all.whole == all.total, ..whole }.gives_way(5),
            // Only where fewer slices than are counted make up the total.
            Column { is_hidden: all.n_outermost == all.n, ..outermost }.gives_way(4),
        ]
    }

    fn n_rows(&self) -> usize {
        self.summary.names.len() + 1
    }

    fn cell(&self, row: u32, column: usize) -> Value<'_> {
        let (track, sum) = self.sum(row);
        match column {
            0 => row
                .checked_sub(1)
                .map_or(Value::text(self.all), |at| name(self.trace, self.summary.names[at as usize].0)),
            1 if 1 < sum.n_tracks => {
                let n = thousands(i64::from(sum.n_tracks));
                Value::Text(Cow::Owned(fill(self.tracks, &[("n", &n)])))
            }
            1 => track.map_or(Value::Missing, |id| name(self.trace, self.trace.tracks.get(id).name)),
            2 => Value::Whole(sum.n.cast_signed()),
            3 => Value::Whole(sum.total),
            4 => Value::Whole(sum.union),
            5 => Value::Number(sum.union as f64 / self.dur.max(1) as f64),
            6 => Value::Whole(sum.own),
            7 => Value::Number(sum.mean()),
            8 => Value::Whole(if sum.n == 0 { 0 } else { sum.min }),
            9 => Value::Whole(sum.max),
            10 => Value::Whole(sum.whole),
            _ => Value::Whole(sum.n_outermost.cast_signed()),
        }
    }

    fn order(&self) -> Option<(usize, bool)> {
        Some((3, true))
    }

    fn goals(&self, row: u32) -> [Option<Goal>; 2] {
        let of = row.checked_sub(1).map_or("", |at| {
            let (id, ..) = self.summary.names[at as usize];
            self.trace.strings.get(id)
        });
        [None, Some(Goal::Name(of.to_owned()))]
    }

    fn paint(&self, row: u32) -> Option<(usize, Paint)> {
        let (id, track, _) = self.summary.names[row.checked_sub(1)? as usize];
        Some((0, Paint::Name(track, id)))
    }
}

/// The frames of the call tree, each after the one around it.
pub struct CallRows<'a> {
    pub trace: &'a Trace,
    pub flame: &'a Flame,
    /// Its frames as they are listed.
    pub listed: &'a [u32],
}

impl RowSource for CallRows<'_> {
    fn columns(&self) -> Vec<Column> {
        // Of samples all sums are numbers.
        let is_of_samples = self.flame.is_of_samples;
        let time = if is_of_samples { Kind::Count } else { Kind::Duration(self.trace.clock) };
        let hidden = |column: Column| Column { is_hidden: is_of_samples, ..column };
        let total = if is_of_samples { phrase("CPU samples") } else { phrase("Total") };
        vec![
            Column::new(phrase("Name"), Kind::Text, 0.0),
            Column::new(phrase("Depth"), Kind::Count, 56.0),
            hidden(Column::new(phrase("Count"), Kind::Count, 72.0)),
            Column::new(total, time, 96.0),
            Column::new(phrase("% of total"), Kind::Share, 80.0),
            Column::new(phrase("Self"), time, 96.0),
            hidden(Column::new(phrase("Mean"), time, 88.0)),
        ]
    }

    fn n_rows(&self) -> usize {
        self.listed.len()
    }

    fn cell(&self, row: u32, column: usize) -> Value<'_> {
        let frame = &self.flame.frames[self.listed[row as usize] as usize];
        let level = frame.level - 1;
        match column {
            0 => {
                let mut text = SET_IN.to_string().repeat(level.min(24) as usize);
                text.push_str(self.trace.strings.get(frame.name));
                Value::Text(Cow::Owned(text))
            }
            1 => Value::Whole(i64::from(level)),
            2 => Value::Whole(frame.n.cast_signed()),
            3 => Value::Whole(frame.total),
            4 => Value::Number(frame.total as f64 / self.flame.frames[0].total.max(1) as f64),
            5 => Value::Whole(frame.own),
            _ => Value::Number(frame.mean()),
        }
    }

    fn key(&self, row: u32, column: usize) -> Key<'_> {
        match (column, self.cell(row, column)) {
            (0, Value::Text(text)) => Key::Text(Cow::Owned(text.trim_start_matches(SET_IN).to_owned())),
            (_, value) => super::key_of(value),
        }
    }

    fn paint(&self, row: u32) -> Option<(usize, Paint)> {
        let frame = &self.flame.frames[self.listed[row as usize] as usize];
        (!frame.is_track).then_some((0, Paint::Name(frame.track, frame.name)))
    }
}

/// How each track spends the time.
pub struct IdleRows<'a> {
    /// The sums, and what each track is called.
    pub rows: &'a [(Idle, String)],
    /// What a tick means.
    pub clock: Clock,
    /// When the trace starts.
    pub zero: Ticks,
}

impl RowSource for IdleRows<'_> {
    fn columns(&self) -> Vec<Column> {
        let time = Kind::Duration(self.clock);
        vec![
            Column::new(phrase("Track"), Kind::Text, 0.0).phrases(),
            Column::new(phrase("Busy"), Kind::Share, 64.0),
            Column::new(phrase("Gaps"), Kind::Count, 64.0),
            Column::new(phrase("Longest gap"), time, 96.0),
            Column::new(phrase("Begins"), Kind::Instant(self.clock, self.zero), 120.0),
            Column::new(phrase("Idle"), time, 88.0),
            Column::new(phrase("Busy"), time, 88.0),
            // What shares are of: less than the range where the track was not recorded all of the time.
            Column::new(phrase("Recorded time"), time, 104.0),
        ]
    }

    fn n_rows(&self) -> usize {
        self.rows.len()
    }

    fn cell(&self, row: u32, column: usize) -> Value<'_> {
        let (sum, name) = &self.rows[row as usize];
        match column {
            0 => Value::text(name),
            1 => Value::Number(sum.busy as f64 / sum.recorded.max(1) as f64),
            2 => Value::Whole(sum.n.cast_signed()),
            3 | 4 if sum.longest.is_empty() => Value::Missing,
            3 => Value::Whole(sum.longest.dur()),
            4 => Value::Whole(sum.longest.start),
            5 => Value::Whole(sum.idle),
            6 => Value::Whole(sum.busy),
            _ => Value::Whole(sum.recorded),
        }
    }

    fn goals(&self, row: u32) -> [Option<Goal>; 2] {
        let longest = self.rows[row as usize].0.longest;
        [None, (!longest.is_empty()).then_some(Goal::Time(longest))]
    }
}

/// The longest gaps of an area, the longest first.
pub struct GapRows<'a> {
    pub trace: &'a Trace,
    pub gaps: &'a Longest,
    /// When the trace starts.
    pub zero: Ticks,
}

impl RowSource for GapRows<'_> {
    fn columns(&self) -> Vec<Column> {
        let clock = self.trace.clock;
        vec![
            Column::new(phrase("Track"), Kind::Text, 0.0).phrases(),
            Column::new(phrase("Begins"), Kind::Instant(clock, self.zero), 128.0),
            Column::new(phrase("Duration"), Kind::Duration(clock), 112.0),
        ]
    }

    fn n_rows(&self) -> usize {
        self.gaps.listed.len()
    }

    fn cell(&self, row: u32, column: usize) -> Value<'_> {
        let (track, span) = self.gaps.listed[row as usize];
        match column {
            0 => path(self.trace, track),
            1 => Value::Whole(span.start),
            _ => Value::Whole(span.dur()),
        }
    }

    fn key(&self, row: u32, column: usize) -> Key<'_> {
        match column {
            0 => Key::Name(self.gaps.listed[row as usize].0.0),
            _ => super::key_of(self.cell(row, column)),
        }
    }

    fn order(&self) -> Option<(usize, bool)> {
        Some((2, true))
    }

    fn goals(&self, row: u32) -> [Option<Goal>; 2] {
        let time = Goal::Time(self.gaps.listed[row as usize].1);
        [Some(time.clone()), Some(time)]
    }

    fn n_known(&self) -> u64 {
        self.gaps.n
    }
}

/// The flows of an area.
pub struct FlowRows<'a> {
    pub trace: &'a Trace,
    pub timeline: &'a Timeline,
    /// Which flows are meant.
    pub links: &'a Links,
    /// When the trace starts.
    pub zero: Ticks,
}

impl FlowRows<'_> {
    /// The slice at an end with its track, or the track where there is none.
    fn end(&self, flow: FlowId, is_to: bool) -> Value<'_> {
        let [from, to] = self.timeline.flows().ends(self.trace, flow);
        let flows = &self.trace.flows;
        let (end, slice) = if is_to { (&flows.to, to) } else { (&flows.from, from) };
        let track = end[flow.index()].track;
        let Some(slice) = slice else { return path(self.trace, track) };
        let slices = &self.trace.tracks.get(slice.track).slices;
        let name = self.trace.strings.get(slices.name[slice.row as usize]);
        let track = self.trace.tracks.find(slice.track).map_or("", |t| self.trace.strings.get(t.name));
        Value::Text(Cow::Owned(format!("{name} · {track}")))
    }
}

impl RowSource for FlowRows<'_> {
    fn columns(&self) -> Vec<Column> {
        let clock = self.trace.clock;
        vec![
            Column::new(phrase("Category"), Kind::Text, 168.0),
            Column::new(phrase("From"), Kind::Text, 0.0),
            Column::new(phrase("To"), Kind::Text, 0.0),
            Column::new(phrase("Latency"), Kind::Duration(clock), 88.0),
            Column::new(phrase("Start"), Kind::Instant(clock, self.zero), 112.0),
        ]
    }

    fn n_rows(&self) -> usize {
        self.trace.flows.len()
    }

    fn has(&self, row: u32) -> bool {
        self.links.has(self.trace, self.timeline, FlowId(row))
    }

    fn cell(&self, row: u32, column: usize) -> Value<'_> {
        let (flows, at) = (&self.trace.flows, row as usize);
        match column {
            0 => {
                let text = |id| self.trace.strings.get(id);
                let (category, name) = (text(flows.category[at]), text(flows.name[at]));
                if name.is_empty() || name == category {
                    Value::text(category)
                } else {
                    Value::Text(Cow::Owned(format!("{category} · {name}")))
                }
            }
            1 | 2 => self.end(FlowId(row), column == 2),
            3 => Value::Whole(latency(self.trace, self.timeline, FlowId(row))),
            _ => Value::Whole(time(self.timeline, flows.from[at])),
        }
    }

    fn order(&self) -> Option<(usize, bool)> {
        Some((4, false))
    }

    fn goals(&self, row: u32) -> [Option<Goal>; 2] {
        self.timeline.flows().ends(self.trace, FlowId(row)).map(|end| end.map(Goal::Slice))
    }
}

/// What the flows of an area add up to by category.
pub struct CategoryRows<'a> {
    pub trace: &'a Trace,
    pub rows: &'a [Category],
}

impl RowSource for CategoryRows<'_> {
    fn columns(&self) -> Vec<Column> {
        let time = Kind::Duration(self.trace.clock);
        vec![
            Column::new(phrase("Category"), Kind::Text, 0.0),
            Column::new(phrase("Count"), Kind::Count, 80.0),
            Column::new(phrase("Min latency"), time, 112.0),
            Column::new(phrase("Mean latency"), time, 112.0),
            Column::new(phrase("Max latency"), time, 120.0),
        ]
    }

    fn n_rows(&self) -> usize {
        self.rows.len()
    }

    fn cell(&self, row: u32, column: usize) -> Value<'_> {
        let sum = &self.rows[row as usize];
        match column {
            0 => name(self.trace, sum.name),
            1 => Value::Whole(sum.n.cast_signed()),
            2 => Value::Whole(sum.min),
            3 => Value::Number(sum.mean()),
            _ => Value::Whole(sum.max),
        }
    }

    fn goals(&self, row: u32) -> [Option<Goal>; 2] {
        let name = self.trace.strings.get(self.rows[row as usize].name);
        [None, Some(Goal::Name(name.to_owned()))]
    }
}
