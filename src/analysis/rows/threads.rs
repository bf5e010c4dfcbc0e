//! Rows of threads by their states.

use super::{Column, Goal, Kind, RowSource, Value, name};
use crate::analysis::statistics::{ThreadTime, Threads};
use crate::base::number::{duration, thousands};
use crate::base::words::{Language, fill, phrase, tr};
use crate::model::Trace;
use crate::model::id::StrId;
use std::borrow::Cow;

/// Threads, how long each was in which state, and which share of what was recorded it ran.
pub struct ThreadRows<'a> {
    trace: &'a Trace,
    of: &'a Threads,
}

/// Columns before those of the states.
const BEFORE: usize = 3;

impl<'a> ThreadRows<'a> {
    /// The rows of threads.
    pub fn new(trace: &'a Trace, of: &'a Threads) -> Self {
        Self { trace, of }
    }

    fn row(&self, row: u32) -> &ThreadTime {
        &self.of.rows[row as usize]
    }
}

impl RowSource for ThreadRows<'_> {
    fn columns(&self) -> Vec<Column> {
        // Where not all have room, the states that take least give way to names.
        let state = |(at, id): (usize, &StrId)| Column {
            can_fold: 1 < at,
            ..Column::new(self.trace.strings.get(*id), Kind::Duration(self.trace.clock), 104.0)
        };
        let mut columns = vec![
            Column::new(phrase("Thread"), Kind::Text, 0.0),
            Column { width: None, ..Column::new(phrase("Process"), Kind::Text, 0.0) },
            Column::new(phrase("% running"), Kind::Share, 88.0),
        ];
        columns.extend(self.of.states.iter().enumerate().map(state));
        columns
    }

    fn n_rows(&self) -> usize {
        self.of.rows.len()
    }

    fn cell(&self, row: u32, column: usize) -> Value<'_> {
        let row = self.row(row);
        let track = self.trace.tracks.get(row.track);
        match column {
            0 => {
                let (own, label) = (self.trace.strings.get(track.name), self.trace.strings.get(track.label));
                let text = if label.is_empty() { own.to_owned() } else { format!("{own} {label}") };
                Value::Text(Cow::Owned(text))
            }
            1 => track.parent.map_or(Value::Missing, |id| name(self.trace, self.trace.tracks.get(id).name)),
            2 => Value::Number(row.running as f64 / row.recorded.max(1) as f64),
            _ => row.ticks.get(column - BEFORE).map_or(Value::Missing, |ticks| Value::Whole(*ticks)),
        }
    }

    fn order(&self) -> Option<(usize, bool)> {
        Some((2, true))
    }

    fn goals(&self, row: u32) -> [Option<Goal>; 2] {
        [Some(Goal::Track(self.row(row).track)), None]
    }

    fn words(&self, rows: &[u32], language: Language) -> Vec<String> {
        let n = thousands(rows.len() as i128);
        let all = || rows.iter().map(|row| self.row(*row));
        // Of several files each may have recorded another time.
        let recorded = all().next().map(|row| row.recorded).filter(|of| all().all(|row| row.recorded == *of));
        let text = match recorded {
            Some(_) => phrase("{n} threads, {time} recorded"),
            None => phrase("{n} threads"),
        };
        let recorded = duration(recorded.unwrap_or(0), self.trace.clock);
        let running: i64 = all().map(|row| row.running).fold(0, i64::saturating_add);
        let text = fill(tr(language, text), &[("n", &n), ("time", &recorded)]);
        vec![text, duration(running, self.trace.clock)]
    }
}
