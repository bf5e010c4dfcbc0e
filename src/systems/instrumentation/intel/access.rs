//! What the accesses of sends moved, and the tables of it.

use super::{TableText, add, add_said, column};
use crate::base::number;
use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};
use crate::model::Trace;
use crate::model::figure::{Advice, Cell, TableColumn};

/// What one send did over all its executions.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Access {
    /// Its attributes in one line, such as `SIMD32 4 bytes X1 Scatter A64 Read`.
    pub(crate) kind: String,
    /// Bytes of one access of a lane.
    pub(crate) bytes: Option<u64>,
    pub(crate) executed: u64,
    /// Active lanes over all executions.
    pub(crate) lanes: u64,
    /// Cache lines that were moved, and their bytes.
    pub(crate) lines: u64,
    pub(crate) moved: u64,
    /// Executions that did not begin at a cache line.
    pub(crate) unaligned: u64,
    /// Share of moved bytes that were used, as the tool prints it.
    pub(crate) printed: Option<f64>,
    /// Distances of neighboring lanes in bytes, with their numbers.
    pub(crate) strides: Vec<(i64, u64)>,
    /// Distances that the tool did not count one by one: too small, too large.
    pub(crate) outside: (u64, u64),
    /// Addresses of the lanes of one execution.
    pub(crate) addresses: Vec<u64>,
}

impl Access {
    /// Adds what another run or tile counted.
    pub(crate) fn add(&mut self, other: Self) {
        self.executed = self.executed.saturating_add(other.executed);
        self.lanes = self.lanes.saturating_add(other.lanes);
        self.lines = self.lines.saturating_add(other.lines);
        self.moved = self.moved.saturating_add(other.moved);
        self.unaligned = self.unaligned.saturating_add(other.unaligned);
        let outside =
            (self.outside.0.saturating_add(other.outside.0), self.outside.1.saturating_add(other.outside.1));
        self.outside = outside;
        for (stride, n) in other.strides {
            match self.strides.iter_mut().find(|(own, _)| *own == stride) {
                Some((_, own)) => *own = own.saturating_add(n),
                None => self.strides.push((stride, n)),
            }
        }
        if self.kind.is_empty() {
            (self.kind, self.bytes) = (other.kind, other.bytes);
        }
        if self.addresses.is_empty() {
            self.addresses = other.addresses;
        }
        self.printed = self.printed.or(other.printed);
    }

    /// Share of moved bytes that lanes asked for.
    pub(crate) fn used(&self) -> Option<f64> {
        let moved = (self.moved != 0).then_some(self.moved)?;
        Some(self.bytes? as f64 * self.lanes as f64 / moved as f64)
    }

    /// How many distances were counted.
    fn n_strides(&self) -> u64 {
        let own = self.strides.iter().fold(0_u64, |sum, (_, n)| sum.saturating_add(*n));
        own.saturating_add(self.outside.0).saturating_add(self.outside.1)
    }

    /// The most frequent distance and its share.
    fn main_stride(&self) -> Option<(i64, f64)> {
        let (stride, n) = self.strides.iter().max_by_key(|(_, n)| *n)?;
        Some((*stride, *n as f64 / self.n_strides().max(1) as f64))
    }

    /// The pattern in one word: the distance that nine tenths of neighbors have decides.
    fn pattern(&self) -> &'static str {
        match self.main_stride().filter(|(_, share)| 0.9 <= *share) {
            _ if self.lanes == 0 => phrase("none"),
            None if self.n_strides() == 0 && self.lanes <= self.executed => phrase("single"),
            None if self.n_strides() == 0 => phrase("not recorded"),
            None => phrase("irregular"),
            Some((0, _)) => phrase("uniform"),
            Some((stride, _)) if u64::try_from(stride).ok() == self.bytes => phrase("unit"),
            Some(_) => phrase("stride"),
        }
    }
}

/// A send with its place.
pub(crate) struct Row<'a> {
    pub(crate) kernel: &'a str,
    pub(crate) address: u64,
    pub(crate) text: &'a str,
    pub(crate) access: &'a Access,
}

/// The panel of the figures.
const SECTION: &str = phrase("Memory accesses");

/// Adds the tables of sends to a trace.
pub(crate) fn show(trace: &mut Trace, tool: &str, rows: &[Row]) {
    let columns = vec![
        column(phrase("Kernel"), Unit::None),
        column(phrase("Address"), Unit::Address),
        column(phrase("Instruction"), Unit::None),
        column(phrase("Access"), Unit::None),
        TableColumn { is_phrase: true, ..column(phrase("Pattern"), Unit::None) },
        column(phrase("Main stride, B"), Unit::None),
        column(phrase("Share of main stride"), Unit::Share),
        column(phrase("Executions"), Unit::None),
        column(phrase("Active lanes"), Unit::None),
        column(phrase("Cache lines"), Unit::None),
        column(phrase("Moved"), Unit::Bytes),
        TableColumn { has_bar: true, ..column(phrase("Used"), Unit::Share) },
        column(phrase("Used, as the tool prints it"), Unit::Share),
        column(phrase("Not aligned"), Unit::Share),
    ];
    let sends = rows.iter().map(|row| {
        let access = row.access;
        let main = access.main_stride();
        let unaligned = (access.executed != 0).then(|| access.unaligned as f64 / access.executed as f64);
        vec![
            Cell::Text(row.kernel.to_owned()),
            Cell::Integer(row.address),
            Cell::Text(row.text.to_owned()),
            Cell::Text(access.kind.clone()),
            Cell::Text(access.pattern().to_owned()),
            main.map_or(Cell::Missing, |(stride, _)| Cell::Number(stride as f64)),
            Cell::number(main.map(|(_, share)| share)),
            Cell::Integer(access.executed),
            Cell::Integer(access.lanes),
            Cell::Integer(access.lines),
            Cell::Integer(access.moved),
            Cell::number(access.used()),
            Cell::number(access.printed),
            Cell::number(unaligned),
        ]
    });
    let text = TableText {
        id: &format!("{tool}-sends"),
        section: SECTION,
        title: phrase("Memory accesses by instruction"),
    };
    let sends = sends.collect();
    add_said(trace, &text, (columns, sends), verdicts(rows), notes(rows));
    show_strides(trace, tool, rows);
    show_addresses(trace, tool, rows);
}

/// Whether the sends of each kernel are coalesced, in one sentence.
fn verdicts(rows: &[Row]) -> Vec<Advice> {
    let share = |value| number::with_unit(value, &Unit::Share);
    let of_kernel = |rows: &[Row]| {
        let asked = |row: &Row| row.access.bytes.unwrap_or(0).saturating_mul(row.access.lanes);
        let known = || rows.iter().filter(|row| row.access.bytes.is_some() && 0 < row.access.moved);
        let lost = |row: &Row| row.access.moved.saturating_sub(asked(row));
        let most = known().map(lost).max()?;
        let worst = known().find(|row| lost(row) == most)?;
        let tied = known().filter(|row| lost(row) == most).count();
        let all: u64 = known().fold(0, |sum, row| sum.saturating_add(lost(row)));
        let moved: u64 = known().fold(0, |sum, row| sum.saturating_add(row.access.moved));
        let used = known().fold(0, |sum: u64, row| sum.saturating_add(asked(row).min(row.access.moved)));
        let used = used as f64 / moved as f64;
        let text = match used {
            0.995.. => message(
                "{kernel}: coalesced: sends move no more cache lines than needed; {share} of the bytes moved are used.",
            ),
            0.5.. => message("{kernel}: mostly coalesced: {share} of the bytes moved are used. {worst}"),
            _ => message("{kernel}: not coalesced: {share} of the bytes moved are used. {worst}"),
        };
        let text = text.with("kernel", worst.kernel).with("share", share(used));
        let words = if tied == 1 {
            message("The send at {address} loses most, {n} of {all} bytes: {pattern}.")
        } else {
            message("{k} sends lose {n} of {all} bytes each, the first is at {address}: {pattern}.")
        };
        let words = words
            .with("k", number::thousands(tied as u64))
            .with("n", number::thousands(most))
            .with("all", number::thousands(all))
            .with("address", format!("{:#x}", worst.address))
            .with_message("pattern", message(worst.access.pattern()));
        let text = if used < 0.995 { text.with_message("worst", words) } else { text };
        Some(Advice::new(text, used < 0.995))
    };
    rows.chunk_by(|a, b| a.kernel == b.kernel).filter_map(of_kernel).collect()
}

/// What shares mean, and why those of the tool differ where they do.
fn notes(rows: &[Row]) -> Vec<Message> {
    let differs = |row: &&Row| {
        row.access.used().zip(row.access.printed).is_some_and(|(own, printed)| 0.0051 < (own - printed).abs())
    };
    let n = rows.iter().filter(differs).count();
    let mut notes = vec![message(
        "Used: active lanes times bytes of a lane, of the bytes of the cache lines moved; above 100 % where lanes share addresses.",
    )];
    if 0 < n {
        let note = message(
            "{n} sends: the tool prints another share than its own counts give; both are shown. The tool rounds to whole percents, for each run and tile; ours is of all together.",
        );
        notes.push(note.with("n", number::thousands(n as u64)));
    }
    notes
}

/// Adds the table of the steps between lanes.
fn show_strides(trace: &mut Trace, tool: &str, rows: &[Row]) {
    let columns = vec![
        column(phrase("Kernel"), Unit::None),
        column(phrase("Address"), Unit::Address),
        column(phrase("Stride, B"), Unit::None),
        column(phrase("Pairs of lanes"), Unit::None),
        TableColumn { has_bar: true, ..column(phrase("Share"), Unit::Share) },
    ];
    let strides = rows.iter().flat_map(|row| {
        let all = row.access.n_strides().max(1) as f64;
        row.access.strides.iter().map(move |(stride, n)| {
            vec![
                Cell::Text(row.kernel.to_owned()),
                Cell::Integer(row.address),
                Cell::Number(*stride as f64),
                Cell::Integer(*n),
                Cell::Number(*n as f64 / all),
            ]
        })
    });
    let text = TableText { id: &format!("{tool}-strides"), section: SECTION, title: phrase("Strides") };
    add(trace, &text, columns, strides.collect());
}

/// Adds the table of the addresses that the tool kept.
fn show_addresses(trace: &mut Trace, tool: &str, rows: &[Row]) {
    let columns = vec![
        column(phrase("Kernel"), Unit::None),
        column(phrase("Address"), Unit::Address),
        column(phrase("Lane"), Unit::None),
        column(phrase("Sampled address"), Unit::Address),
    ];
    let addresses = rows.iter().flat_map(|row| {
        (0_u64..).zip(&row.access.addresses).map(|(lane, address)| {
            vec![
                Cell::Text(row.kernel.to_owned()),
                Cell::Integer(row.address),
                Cell::Integer(lane),
                Cell::Integer(*address),
            ]
        })
    });
    let text =
        TableText { id: &format!("{tool}-addresses"), section: SECTION, title: phrase("Sampled addresses") };
    add(trace, &text, columns, addresses.collect());
}
