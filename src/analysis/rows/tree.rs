//! Rows of a tree of functions or modules: those inside of open ones, below the one around them.

use super::device::{ticks, words};
use super::{Bar, Branch, Column, Goal, Kind, Paint, RowSource, Value};
use crate::analysis::device::tree::{Shown, SortRows, Tree};
use crate::analysis::device::{Device, Operator};
use crate::base::words::{Language, phrase};
use crate::model::Trace;

/// Functions or modules; the number of a row is that in the tree, whatever is listed.
pub struct TreeRows<'a> {
    trace: &'a Trace,
    tree: &'a Tree,
    is_modules: bool,
    is_open: Box<dyn Fn(u32) -> bool + 'a>,
    whole: i128,
}

impl<'a> TreeRows<'a> {
    /// Modules, or functions; where some are searched for, all that are listed are open.
    pub fn new(
        trace: &'a Trace,
        of: &'a Device,
        is_modules: bool,
        shown: &'a Shown,
        is_filtered: bool,
    ) -> Self {
        let tree = if is_modules { &of.modules } else { &of.stacks };
        let top = || tree.inside(None).iter().map(|row| &tree.rows[*row as usize]);
        let whole = top().map(|row| row.host_total).sum();
        let is_open = tree.is_open(shown);
        let is_open = move |row: u32| is_filtered || is_open(row);
        Self { trace, tree, is_modules, is_open: Box::new(is_open), whole }
    }

    /// The rows to list: those inside of open ones, siblings in an order; with a filter those that it finds, and those
    /// around them.
    pub fn listed(&self, sort: Option<(usize, bool)>, filter: &str) -> Vec<u32> {
        let by = |rows: &mut Vec<u32>| match sort {
            Some((0, falls)) => self.tree.sort_by_name(rows, falls, self.trace),
            Some((column, falls)) => self.tree.sort_by(rows, falls, &|row| number(row, column)),
            None => {}
        };
        let sort = sort.map(|_| &by as SortRows);
        let filter = filter.trim().to_lowercase();
        if filter.is_empty() {
            return self.tree.listed(&self.is_open, sort);
        }
        let is_kept =
            self.tree.matching(|name| self.trace.strings.get(name).to_lowercase().contains(&filter));
        let mut listed = self.tree.listed(|row| is_kept[row as usize], sort);
        listed.retain(|row| is_kept[*row as usize]);
        listed
    }

    fn row(&self, row: u32) -> &Operator {
        &self.tree.rows[row as usize]
    }
}

/// What a column of numbers holds.
fn number(row: &Operator, column: usize) -> i128 {
    match column {
        1 => row.depth.into(),
        2 => row.calls.into(),
        3 | 4 => row.host_total,
        5 => row.host_own,
        6 => row.device_total,
        7 => row.device_own,
        8 => row.launched_total.into(),
        _ => row.launched.into(),
    }
}

impl RowSource for TreeRows<'_> {
    fn columns(&self) -> Vec<Column> {
        let time = |name: &str, width| Column::new(name, Kind::Duration(self.trace.clock), width);
        let name = if self.is_modules { phrase("Module") } else { phrase("Function") };
        // Without work of devices there is nothing to tell of them.
        let of_device = |column: Column| Column { is_hidden: self.tree.most == 0, ..column };
        vec![
            Column::new(name, Kind::Text, 0.0),
            Column::new(phrase("Depth"), Kind::Count, 56.0).gives_way(3),
            Column::new(phrase("Calls"), Kind::Count, 80.0),
            time(phrase("Host total"), 110.0),
            Column::new(phrase("% of total"), Kind::Share, 80.0),
            time(phrase("Host self"), 110.0),
            of_device(time(phrase("Device total"), 200.0)),
            of_device(time(phrase("Device self"), 110.0)),
            of_device(Column::new(phrase("Kernels total"), Kind::Count, 80.0)).gives_way(2),
            of_device(Column::new(phrase("Kernels self"), Kind::Count, 80.0)).gives_way(1),
        ]
    }

    fn n_rows(&self) -> usize {
        self.tree.rows.len()
    }

    fn cell(&self, row: u32, column: usize) -> Value<'_> {
        let row = self.row(row);
        match column {
            0 => Value::text(self.trace.strings.get(row.name)),
            1..=3 | 5.. => Value::Whole(ticks(number(row, column))),
            4 => Value::Number(row.host_total as f64 / self.whole.max(1) as f64),
        }
    }

    fn branch(&self, row: u32) -> Option<Branch> {
        let has_rows = !self.tree.inside(Some(row)).is_empty();
        Some(Branch { depth: self.row(row).depth, is_open: has_rows.then(|| (self.is_open)(row)) })
    }

    fn goals(&self, row: u32) -> [Option<Goal>; 2] {
        let row = self.row(row);
        let name = self.trace.strings.get(row.name).to_owned();
        [Some(Goal::Name(name)), Some(Goal::Slice(row.longest.0))]
    }

    fn paint(&self, row: u32) -> Option<(usize, Paint)> {
        let row = self.row(row);
        Some((0, Paint::Name(row.longest.0.track, row.name)))
    }

    fn bar(&self, row: u32) -> Option<(usize, Bar)> {
        let row = self.row(row);
        let share = |ticks: i128| ticks as f64 / self.tree.most as f64;
        let bar = || Bar { inner: share(row.device_own), whole: share(row.device_total) };
        (0 < self.tree.most).then(|| (6, bar()))
    }

    fn words(&self, _: &[u32], language: Language) -> Vec<String> {
        let n = if self.is_modules { phrase("{n} modules by path") } else { phrase("{n} call paths") };
        words(self.trace, self.tree.rows.len(), n, self.tree.own, language)
    }
}
