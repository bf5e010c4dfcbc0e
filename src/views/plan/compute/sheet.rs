//! The table that a plan is made of: blocks × types with records, executions and sizes, as files say them and as the user
//! changed them.

use super::subject::{self, Known};
use super::{Edits, PlanBlock, RecordType, Saved};
use crate::base::words::{Message, message};
use crate::model::Trace;
use crate::model::parameter::Values;
use crate::views::executions::compute::Recorded;
use serde::{Deserialize, Serialize};

/// The table.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sheet {
    /// Name of the kernel or launch.
    pub name: String,
    /// Number of the entry of the bundle that says it.
    pub entry: u32,
    /// Row of its program in `Recorded`.
    pub program: Option<u32>,
    pub types: Vec<SheetType>,
    pub blocks: Vec<SheetBlock>,
    /// Where counts come from, an English phrase; empty without counts.
    pub counts_from: String,
    /// What was not understood of what the user set.
    pub notes: Vec<Message>,
}

/// A type of records.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SheetType {
    /// As the file says it.
    pub record_type: RecordType,
    /// Bytes of a record now; 0 where they vary by block.
    pub bytes: u64,
    pub is_out: bool,
}

/// A block.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SheetBlock {
    /// As the file says it.
    pub block: PlanBlock,
    /// Records of each type that one execution writes now.
    pub records: Vec<u64>,
    /// Executions over all threads now; `None` when nobody says.
    pub count: Option<u64>,
    /// Executions before edits.
    pub counted: Option<u64>,
    pub is_out: bool,
}

impl SheetType {
    /// Sets the bytes of a record.
    pub(super) fn set_bytes(&mut self, bytes: u64) {
        self.bytes = bytes.min(super::LARGEST);
    }

    /// Whether the user changed it.
    pub fn is_edited(&self) -> bool {
        self.bytes != self.record_type.bytes
    }
}

impl SheetBlock {
    pub(super) fn set_records(&mut self, of: usize, records: u64) {
        if let Some(own) = self.records.get_mut(of) {
            *own = records;
        }
    }

    pub(super) fn set_count(&mut self, count: u64) {
        self.count = Some(count);
    }

    /// Whether the user changed the records of a type.
    pub fn is_edited(&self, of: usize) -> bool {
        self.block.records.get(of).map_or(0, |(n, _)| *n) != self.records.get(of).copied().unwrap_or(0)
    }

    /// Whether the user changed its executions.
    pub fn is_count_edited(&self) -> bool {
        self.count != self.counted
    }

    /// Bytes that one execution writes of a type; `None` beyond what is counted.
    pub fn bytes(&self, of: usize, size: u64) -> Option<u64> {
        let records = self.records.get(of).copied().unwrap_or(0);
        if size != 0 {
            return records.checked_mul(size);
        }
        match self.block.records.get(of) {
            Some((n, bytes)) if *n == records => Some(*bytes),
            Some((n, bytes)) if *n != 0 => bytes.checked_mul(records)?.checked_div(*n),
            _ => Some(0),
        }
    }
}

impl Sheet {
    /// The table of a subject with all that the user set.
    pub(super) fn of(trace: &Trace, known: &Known, name: &str, values: &Values) -> Self {
        let from = values.text(super::COUNTS_FROM.id).unwrap_or("auto");
        let has_counts = known.plan.blocks.iter().any(|block| block.count.is_some());
        let is_traced = known.traced.is_some() && (from == "trace" || (from != "file" && !has_counts));
        let recorded = trace.extensions.get::<Recorded>();
        let program = known.plan.program.and_then(|row| recorded?.programs.get(row as usize));
        let traced = |at: usize, block: &PlanBlock| {
            let counts = known.traced.as_ref().filter(|_| is_traced)?;
            let is_own =
                |row: &usize| program.and_then(|p| p.blocks.get(*row)).is_some_and(|b| b.id == block.id);
            let same = Some(at).filter(is_own);
            let row = same.or_else(|| program?.blocks.iter().position(|own| own.id == block.id))?;
            Some(counts.get(row).copied().unwrap_or(0))
        };
        let types: Vec<SheetType> = known.plan.types.iter().map(SheetType::from).collect();
        let block = |(at, block): (usize, &PlanBlock)| {
            let count = if is_traced { traced(at, block) } else { block.count };
            let records = (0..types.len()).map(|of| block.records.get(of).map_or(0, |(n, _)| *n)).collect();
            SheetBlock { block: block.clone(), records, count, counted: count, is_out: false }
        };
        let blocks: Vec<SheetBlock> = known.plan.blocks.iter().enumerate().map(block).collect();
        let has_counts = blocks.iter().any(|block| block.count.is_some());
        let counts_from = if has_counts { subject::source_of(known, is_traced) } else { "" };
        let mut sheet = Self {
            name: name.to_owned(),
            entry: known.plan.entry,
            program: known.plan.program,
            types,
            blocks,
            counts_from: counts_from.to_owned(),
            notes: Vec::new(),
        };
        sheet.edit(values);
        sheet
    }

    fn edit(&mut self, values: &Values) {
        let saved = values.text(super::FILE.id).unwrap_or("");
        if !saved.trim().is_empty() {
            let notes = Saved::parse(saved).map_or_else(|error| vec![error], |saved| saved.apply(self));
            self.notes.extend(notes);
        }
        let edits = Edits::of(values);
        self.notes.extend(edits.refused);
        let mut unknown: Vec<String> = Vec::new();
        for (block, kind, n) in edits.records {
            let of = self.type_named(&kind);
            match (self.block_named(&block).and_then(|row| self.blocks.get_mut(row)), of) {
                (Some(block), Some(of)) => block.set_records(of, n),
                _ => unknown.push(format!("{block}/{kind}")),
            }
        }
        for (name, n) in edits.counts {
            match self.block_named(&name).and_then(|row| self.blocks.get_mut(row)) {
                Some(block) => block.set_count(n),
                None => unknown.push(name),
            }
        }
        for (name, n) in edits.sizes {
            match self.type_named(&name).and_then(|row| self.types.get_mut(row)) {
                Some(of) => of.set_bytes(n),
                None => unknown.push(name),
            }
        }
        for name in edits.without {
            let of = self.type_named(&name).and_then(|row| self.types.get_mut(row));
            if let Some(of) = of {
                of.is_out = true;
                continue;
            }
            match self.block_named(&name).and_then(|row| self.blocks.get_mut(row)) {
                Some(block) => block.is_out = true,
                None => unknown.push(name),
            }
        }
        let note = |name: String| message("{name} is not a block or type in this plan").with("name", name);
        self.notes.extend(unknown.into_iter().take(20).map(note));
    }

    /// The row of a block by its label.
    pub fn block_named(&self, label: &str) -> Option<usize> {
        self.blocks.iter().position(|block| block.block.label == label)
    }

    /// The row of a type by its name.
    pub fn type_named(&self, name: &str) -> Option<usize> {
        self.types.iter().position(|one| one.record_type.name == name)
    }

    /// How many numbers the user changed.
    pub fn n_edits(&self) -> usize {
        let of_block = |block: &SheetBlock| {
            let records = (0..self.types.len()).filter(|of| block.is_edited(*of)).count();
            records + usize::from(block.is_count_edited())
        };
        let sizes = self.types.iter().filter(|one| one.is_edited()).count();
        sizes + self.blocks.iter().map(of_block).sum::<usize>()
    }

    /// Whether it is another one than the file has.
    pub fn is_changed(&self) -> bool {
        let is_out = self.types.iter().any(|one| one.is_out) || self.blocks.iter().any(|block| block.is_out);
        is_out || self.n_edits() != 0
    }

    /// The types that are not left out, with their rows.
    pub fn types_in(&self) -> impl Iterator<Item = (usize, &SheetType)> {
        self.types.iter().enumerate().filter(|(_, one)| !one.is_out)
    }

    /// The blocks that are not left out, with their rows.
    pub fn blocks_in(&self) -> impl Iterator<Item = (usize, &SheetBlock)> {
        self.blocks.iter().enumerate().filter(|(_, block)| !block.is_out)
    }
}

impl From<&RecordType> for SheetType {
    fn from(record_type: &RecordType) -> Self {
        Self { record_type: record_type.clone(), bytes: record_type.bytes, is_out: false }
    }
}
