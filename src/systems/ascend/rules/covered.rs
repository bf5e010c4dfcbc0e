//! Of how many of its blocks an operator's figures and files tell: a sum of some of them is no sum of all.

use super::operator::{Operator, Times};
use crate::base::map::Set;
use crate::base::words::{Message, message};
use crate::model::TableCells;
use crate::systems::ascend::known_blocks;

/// Of how many of all a number is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Covered {
    pub(super) n: usize,
    pub(super) m: usize,
}

impl Covered {
    /// `16 of 32 blocks`.
    pub(super) fn text(self) -> Message {
        message("{n} of {m} blocks").with("n", self.n).with("m", self.m)
    }
}

impl Operator<'_> {
    /// Of how many of its blocks a figure that is chosen by block tells, where these are not all.
    pub(super) fn covered_by(&self, id: &str) -> Option<Covered> {
        let choice = self.family(id)?.choices.first()?;
        let blocks = choice.options.iter().map(String::as_str);
        self.covered(blocks.filter(|name| name.bytes().all(|b| b.is_ascii_digit())).collect())
    }

    /// The same of a file.
    pub(super) fn covered_by_sheet(&self, name: &str) -> Option<Covered> {
        let table = self.sheet(name)?;
        let column = table.columns.iter().find(|column| column.name.eq_ignore_ascii_case("block_id"))?;
        let blocks: Vec<String> = match &column.cells {
            TableCells::Numbers(all) => all.iter().map(f64::to_string).collect(),
            TableCells::Integers(all) => all.iter().map(ToString::to_string).collect(),
            TableCells::Texts(all) => all.clone(),
        };
        self.covered(blocks.iter().map(String::as_str).collect())
    }

    /// Against the blocks that there are times of, else against those that the file states.
    fn covered(&self, own: Set<&str>) -> Option<Covered> {
        if own.is_empty() {
            return None;
        }
        let times = self.times().filter(|times| !times.rows_are_cores);
        let timed: Set<&str> =
            times.iter().flat_map(|times| &times.units).map(|unit| unit.block.as_str()).collect();
        if own.len() < timed.len() && own.iter().all(|block| timed.contains(block)) {
            let m = known_blocks(timed.iter().copied(), self.n_blocks, None).map_or(timed.len(), |(_, m)| m);
            return Some(Covered { n: own.len(), m });
        }
        let n_cores = self.n_units(self.kind_of_blocks());
        known_blocks(own.into_iter(), self.n_blocks, n_cores).map(|(n, m)| Covered { n, m })
    }

    /// Of how many units there are times, where these are not all: a sentence without its end.
    pub(super) fn timed(&self, times: &Times, kind: &str) -> Option<Message> {
        if let Some((n, m)) = self.timed_blocks(times) {
            return Some(message("times of {n} of {m} blocks").with("n", n).with("m", m));
        }
        // All blocks of an operator with both kinds of cores are there, but not all of their vector units.
        let (of, _) = self.fact("base-info", "Mix block dim").filter(|_| self.kind == "mix")?;
        let blocks: Set<&str> = times.units.iter().map(|unit| unit.block.as_str()).collect();
        let (n, without) = (times.of("vector").count(), times.without("vector"));
        let is_meant = kind == "vector" && 0 < n && without == 0 && !times.rows_are_cores;
        let has_blocks = self.n_blocks.is_some_and(|all| all <= blocks.len() as f64);
        let said = || message("times of {n} of {m} vector units").with("n", n).with("m", of);
        (is_meant && has_blocks && (n as f64) < of).then(said)
    }
}
