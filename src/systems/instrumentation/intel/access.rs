//! What the accesses of sends moved, and the tables of it.

use super::{TableText, add, add_said};
use crate::base::number;
use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};
use crate::model::Trace;
use crate::model::figure::{Advice, TableOf};

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
    pub(crate) fn main_stride(&self) -> Option<(i64, f64)> {
        let (stride, n) = self.strides.iter().max_by_key(|(_, n)| *n)?;
        Some((*stride, *n as f64 / self.n_strides().max(1) as f64))
    }

    /// The pattern in one word: the distance that nine tenths of neighbors have decides.
    pub(crate) fn pattern(&self) -> &'static str {
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
pub(crate) struct PlacedSend<'a> {
    pub(crate) kernel: &'a str,
    pub(crate) address: u64,
    pub(crate) text: &'a str,
    pub(crate) access: &'a Access,
}

/// The sends of a file. Kept in `Trace::extensions`.
#[derive(Default)]
pub(crate) struct Sends(pub(crate) Vec<KeptSend>);

/// A send that is kept.
pub(crate) struct KeptSend {
    pub(crate) kernel: String,
    pub(crate) address: u64,
    pub(crate) access: Access,
}

/// The panel of the figures.
const SECTION: &str = phrase("Memory accesses");

/// Adds the tables of sends to a trace.
pub(crate) fn show(trace: &mut Trace, tool: &str, rows: &[PlacedSend]) {
    let kept = rows.iter().map(|row| KeptSend {
        kernel: row.kernel.to_owned(),
        address: row.address,
        // Its addresses are in a table.
        access: Access { addresses: Vec::new(), ..row.access.clone() },
    });
    trace.extensions.get_or_default::<Sends>().0.extend(kept);
    let unaligned =
        |access: &Access| (access.executed != 0).then(|| access.unaligned as f64 / access.executed as f64);
    let sends = TableOf::new(rows)
        .column(phrase("Kernel"), Unit::None, |row| row.kernel)
        .column(phrase("Address"), Unit::Address, |row| row.address)
        .column(phrase("Instruction"), Unit::None, |row| row.text)
        .column(phrase("Access"), Unit::None, |row| &row.access.kind)
        .words(phrase("Pattern"), |row| row.access.pattern())
        .column(phrase("Main stride, B"), Unit::None, |row| Some(row.access.main_stride()?.0 as f64))
        .column(phrase("Share of main stride"), Unit::Share, |row| Some(row.access.main_stride()?.1))
        .column(phrase("Executions"), Unit::None, |row| row.access.executed)
        .column(phrase("Active lanes"), Unit::None, |row| row.access.lanes)
        .column(phrase("Cache lines"), Unit::None, |row| row.access.lines)
        .column(phrase("Moved"), Unit::Bytes, |row| row.access.moved)
        .bars(phrase("Used"), Unit::Share, |row| row.access.used())
        .column(phrase("Used, according to the tool"), Unit::Share, |row| row.access.printed)
        .column(phrase("Unaligned"), Unit::Share, |row| unaligned(row.access))
        .table();
    let text = TableText {
        id: &format!("{tool}-sends"),
        section: SECTION,
        title: phrase("Memory accesses by instruction"),
    };
    add_said(trace, &text, sends, verdicts(rows), notes(rows));
    show_strides(trace, tool, rows);
    show_addresses(trace, tool, rows);
}

/// Whether the sends of each kernel are coalesced, in one sentence.
fn verdicts(rows: &[PlacedSend]) -> Vec<Advice> {
    let share = |value| number::with_unit(value, &Unit::Share);
    let of_kernel = |rows: &[PlacedSend]| {
        let asked = |row: &PlacedSend| row.access.bytes.unwrap_or(0).saturating_mul(row.access.lanes);
        let known = || rows.iter().filter(|row| row.access.bytes.is_some() && 0 < row.access.moved);
        let lost = |row: &PlacedSend| row.access.moved.saturating_sub(asked(row));
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
            message("The send at {address} wastes the most, {n} of {all} bytes: {pattern}.")
        } else {
            message("{k} sends waste {n} of {all} bytes each, the first one is at {address}: {pattern}.")
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
fn notes(rows: &[PlacedSend]) -> Vec<Message> {
    let differs = |row: &&PlacedSend| {
        row.access.used().zip(row.access.printed).is_some_and(|(own, printed)| 0.0051 < (own - printed).abs())
    };
    let n = rows.iter().filter(differs).count();
    let mut notes = vec![message(
        "Used: active lanes times bytes per lane, over the bytes of the cache lines moved; above 100 % where lanes share addresses.",
    )];
    if 0 < n {
        let note = message(
            "{n} sends: the tool prints a different share than its own counts give; both are shown. The tool rounds to whole percents, per run and tile; this figure covers all together.",
        );
        notes.push(note.with("n", number::thousands(n as u64)));
    }
    notes
}

/// Adds the table of the steps between lanes.
fn show_strides(trace: &mut Trace, tool: &str, rows: &[PlacedSend]) {
    let strides = rows.iter().flat_map(|row| {
        let all = row.access.n_strides().max(1) as f64;
        row.access.strides.iter().map(move |(stride, n)| (row, *stride as f64, *n, *n as f64 / all))
    });
    let strides: Vec<_> = strides.collect();
    let strides = TableOf::new(&strides)
        .column(phrase("Kernel"), Unit::None, |(row, ..)| row.kernel)
        .column(phrase("Address"), Unit::Address, |(row, ..)| row.address)
        .column(phrase("Stride, B"), Unit::None, |(_, stride, ..)| *stride)
        .column(phrase("Lane pairs"), Unit::None, |(.., n, _)| *n)
        .bars(phrase("Share"), Unit::Share, |(.., share)| *share);
    let text = TableText { id: &format!("{tool}-strides"), section: SECTION, title: phrase("Strides") };
    add(trace, &text, strides.table());
}

/// Adds the table of the addresses that the tool kept.
fn show_addresses(trace: &mut Trace, tool: &str, rows: &[PlacedSend]) {
    let lanes = rows.iter().flat_map(|row| (0_u64..).zip(&row.access.addresses).map(move |of| (row, of)));
    let addresses: Vec<_> = lanes.collect();
    let addresses = TableOf::new(&addresses)
        .column(phrase("Kernel"), Unit::None, |(row, _)| row.kernel)
        .column(phrase("Address"), Unit::Address, |(row, _)| row.address)
        .column(phrase("Lane"), Unit::None, |(_, (lane, _))| *lane)
        .column(phrase("Sampled address"), Unit::Address, |(_, (_, address))| **address);
    let text =
        TableText { id: &format!("{tool}-addresses"), section: SECTION, title: phrase("Sampled addresses") };
    add(trace, &text, addresses.table());
}
