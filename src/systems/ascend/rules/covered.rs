//! Of how many of its blocks an operator's figures and files tell: a sum of some of them is no sum of all.

use super::operator::{Operator, Pipe, Times};
use crate::analysis::compare::units::UnitPart;
use crate::base::map::{Map, Set};
use crate::base::words::{Message, message};
use crate::model::TableCells;
use crate::systems::ascend::reader::unit_key;
use crate::systems::ascend::{Whole, known_blocks, timed};

/// Of how many of all a number is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Covered {
    pub(super) n: usize,
    pub(super) m: usize,
    /// Whether these are vector units, of blocks that are all there.
    pub(super) is_of_units: bool,
}

impl Covered {
    /// `16 of 32 blocks`.
    pub(super) fn text(self) -> Message {
        let said =
            if self.is_of_units { message("{n} of {m} vector units") } else { message("{n} of {m} blocks") };
        said.with("n", self.n).with("m", self.m)
    }

    /// What was looked at, with of how many blocks that is.
    pub(super) fn behind(said: Message, some: Option<Self>) -> Message {
        match some {
            Some(some) => {
                message("{said}; {some}").with_message("said", said).with_message("some", some.text())
            }
            None => said,
        }
    }

    /// The sentence behind one on shares.
    pub(super) fn of_shares(some: Option<Self>) -> Message {
        let said = |some: Self| message(" The shares are of {some}.").with_message("some", some.text());
        some.map_or_else(Message::default, said)
    }

    /// The sentence behind one on counts.
    pub(super) fn of_counts(some: Option<Self>) -> Message {
        let said = |some: Self| message(" The counts are of {some}.").with_message("some", some.text());
        some.map_or_else(Message::default, said)
    }
}

impl Operator<'_> {
    /// Of how many of its blocks a figure that is chosen by block tells, where these are not all.
    pub(super) fn covered_by(&self, id: &str) -> Option<Covered> {
        let choice = self.family(id)?.choices.first()?;
        self.covered(choice.options.iter().map(String::as_str).filter(|name| is_number(name)).collect())
    }

    /// The same of several figures that each tell of other units: of an operator with both kinds of cores, of how many of
    /// its vector units.
    pub(super) fn covered_by_all(&self, ids: &[String]) -> Option<Covered> {
        let choices = || ids.iter().filter_map(|id| self.family(id)?.choices.first());
        let blocks = || choices().flat_map(|choice| &choice.options).map(String::as_str);
        let own: Vec<&str> = blocks().filter(|name| is_number(name)).collect();
        self.covered_units(own.len()).or_else(|| self.covered(own.into_iter().collect()))
    }

    /// In how many percent of the cycles a pipe was active in the blocks that a figure tells of; `None` where it is not known
    /// of all of these.
    pub(super) fn active_in(&self, id: &str, kind: &str, pipe: &Pipe) -> Option<f64> {
        let choice = self.family(id)?.choices.first()?;
        let blocks: Vec<&str> =
            choice.options.iter().map(String::as_str).filter(|name| is_number(name)).collect();
        // A mean of all blocks stands beside another.
        if pipe.units.is_empty() || blocks.is_empty() {
            return Some(pipe.active).filter(|_| blocks.is_empty() || self.covered_by(id).is_none());
        }
        let numbers = if kind == "vector" { 0..2 } else { 0..1 };
        let (mut active, mut all) = (0.0, 0.0);
        let parts: Map<u64, &UnitPart> = pipe.units.iter().map(|part| (part.unit, part)).collect();
        for block in blocks {
            let keys = numbers.clone().map(|number| unit_key(block, &format!("{kind}{number}")));
            let own: Vec<&&UnitPart> = keys.filter_map(|key| parts.get(&key)).collect();
            if own.is_empty() {
                return None;
            }
            for part in own {
                (active, all) = (active + part.value, all + part.of);
            }
        }
        (0.0 < all).then(|| active / all * 100.0)
    }

    /// The same of a file.
    pub(super) fn covered_by_sheet(&self, name: &str) -> Option<Covered> {
        let table = self.sheet(name)?;
        let column = |name: &str| table.columns.iter().find(|column| column.name.eq_ignore_ascii_case(name));
        let blocks: Vec<String> = match &column("block_id")?.cells {
            TableCells::Numbers(all) => all.iter().map(f64::to_string).collect(),
            TableCells::Integers(all) => all.iter().map(ToString::to_string).collect(),
            TableCells::Texts(all) => all.clone(),
        };
        let blocks: Set<&str> = blocks.iter().map(String::as_str).collect();
        let has_all = self.n_blocks.is_some_and(|all| all <= blocks.len() as f64);
        let vectors = match column("sub_block_id").map(|column| &column.cells) {
            Some(TableCells::Texts(all)) => all.iter().filter(|name| name.starts_with("vector")).count(),
            _ => 0,
        };
        self.covered(blocks).or_else(|| self.covered_units(vectors).filter(|_| has_all))
    }

    /// How many of the vector units of an operator with both kinds of cores these are, where these are not all.
    fn covered_units(&self, n: usize) -> Option<Covered> {
        let (of, _) = self.fact("base-info", "Mix block dim").filter(|_| self.kind == "mix")?;
        // A whole number that is not negative.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let m = of as usize;
        (0 < n && n < m).then_some(Covered { n, m, is_of_units: true })
    }

    /// Against the blocks that there are times of, those that any figure tells of, else those that the file states.
    fn covered(&self, own: Set<&str>) -> Option<Covered> {
        if own.is_empty() {
            return None;
        }
        let times = self.times().filter(|times| !times.rows_are_cores);
        let known: Set<&str> = times
            .iter()
            .flat_map(|times| &times.units)
            .map(|unit| unit.block.as_str())
            .chain(self.shown_blocks())
            .collect();
        let of = |(n, m): (usize, usize)| Covered { n, m, is_of_units: false };
        if own.len() < known.len() && own.iter().all(|block| known.contains(block)) {
            let m = known_blocks(known.iter().copied(), self.n_blocks, None).map_or(known.len(), |(_, m)| m);
            // Figures may number other things than blocks: there are no more of these than the file states.
            // A whole number that is not negative.
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
            let m = self.n_blocks.map_or(m, |all| m.min(all as usize));
            return (own.len() < m).then(|| of((own.len(), m)));
        }
        let n_cores = self.n_units(self.kind_of_blocks());
        known_blocks(own.into_iter(), self.n_blocks, n_cores).map(of)
    }

    /// Of how many units there are times, where these are not all: a sentence without its end. Of `vector`, whichever units
    /// have none.
    pub(super) fn timed(&self, times: &Times, kind: &str) -> Option<Message> {
        let names = times.units.iter().map(|unit| unit.block.as_str());
        let is_of_vectors = kind == "vector" && self.kind == "mix";
        let vectors = || self.fact("base-info", "Mix block dim").filter(|_| is_of_vectors);
        let whole = Whole {
            // Units whose time is 0 are counted by themselves.
            blocks: self.n_blocks.filter(|_| times.are_all() && !times.rows_are_cores),
            cores: self.n_units(self.kind_of_blocks()),
            vectors: vectors().map(|(n, _)| n),
        };
        timed(names, times.of("vector").count(), whole)
    }
}

/// Whether an option is the number of a block, not all of them.
pub(super) fn is_number(name: &str) -> bool {
    name.bytes().all(|b| b.is_ascii_digit())
}
