//! A kernel as it was read, and what it becomes: a program, its listing, a plan of its trace buffers.

use crate::base::fault::{Fault, Kind, Place, Severity};
use crate::base::map::Map;
use crate::base::unit::Unit;
use crate::base::words::{message, phrase};
use crate::format::sink::Sink;
use crate::model::code::{Cells, CodeScope, Column, ColumnStyle, Lines, Listing, ListingKind, Rows};
use crate::model::id::ListingId;
use crate::systems::instrumentation::intel::access::{self, Access, Row};
use crate::systems::instrumentation::intel::program::{Code, Listed, plan};
use crate::views::executions::compute::{Program, Recorded};
use crate::views::plan::compute::PlanInput;
use std::collections::BTreeMap;

/// How often an instruction ran.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Count {
    /// Executions over all threads.
    pub(super) runs: u64,
    /// Active lanes over all of them.
    pub(super) lanes: Option<u64>,
    /// Where the file says it: byte and line.
    pub(super) at: (u64, u32),
}

impl Count {
    /// Active lanes of one execution in the mean.
    fn mean(&self) -> Option<f64> {
        self.lanes.filter(|_| 0 < self.runs).map(|lanes| lanes as f64 / self.runs as f64)
    }
}

/// A kernel.
#[derive(Default)]
pub(super) struct Kernel {
    /// Its name.
    pub(super) name: String,
    /// Its instructions.
    pub(super) code: BTreeMap<u64, Code>,
    /// How often they ran.
    pub(super) counts: BTreeMap<u64, Count>,
    /// What the file says of blocks: first address and number.
    pub(super) marks: BTreeMap<u64, u32>,
    /// What its sends did.
    pub(super) accesses: BTreeMap<u64, Access>,
}

impl Kernel {
    /// Adds counts of another run or tile.
    pub(super) fn count(&mut self, address: u64, count: Count) {
        let own = self.counts.entry(address).or_insert(Count { runs: 0, lanes: None, ..count });
        own.runs = own.runs.saturating_add(count.runs);
        own.lanes =
            own.lanes.map_or(count.lanes, |lanes| Some(lanes.saturating_add(count.lanes.unwrap_or(0))));
    }

    /// Puts the kernel into the trace.
    pub(super) fn finish(self, path: &str, entry: u32, sink: &mut Sink) {
        if self.code.is_empty() {
            return;
        }
        let listed = Listed {
            name: self.name.clone(),
            entry,
            code: &self.code,
            marks: &self.marks,
            labels: &Map::default(),
        };
        let mut program = listed.program();
        program.listing = self.listing(&program, entry, sink);
        let head = sink.builder.head();
        if head.title.is_empty() {
            head.title.clone_from(&self.name);
        }
        let has_counts = !self.counts.is_empty();
        if has_counts {
            self.check(&program, path, sink);
            let head = sink.builder.head();
            let recorded: &mut Recorded = head.extensions.get_or_default();
            let row = u32::try_from(recorded.programs.len()).unwrap_or(u32::MAX);
            let (mut kernel, packed) = plan(&program, row, |at| self.counts.get(&at).map(|count| count.runs));
            recorded.programs.push(program);
            phrase("instruction counts").clone_into(&mut kernel.counts_from);
            let input: &mut PlanInput = head.extensions.get_or_default();
            let row = u32::try_from(input.kernels.len()).unwrap_or(u32::MAX);
            input.kernels.push(kernel);
            input.packed.extend(
                packed.map(|packed| crate::views::plan::compute::PackedRecords { kernel: row, ..packed }),
            );
        }
        let rows: Vec<Row> = self
            .accesses
            .iter()
            .map(|(address, access)| Row {
                kernel: &self.name,
                address: *address,
                text: self.code.get(address).map_or("", |code| code.text.trim()),
                access,
            })
            .collect();
        access::show(sink.builder.head(), "pti", &rows);
    }

    /// Instructions of one block run equally often.
    fn check(&self, program: &Program, path: &str, sink: &mut Sink) {
        for block in &program.blocks {
            let own = program.instructions.iter().skip(block.first as usize).take(block.len as usize);
            let mut counts =
                own.filter_map(|one| self.counts.get(&one.address).map(|count| (one.address, count)));
            let Some((first, count)) = counts.next() else { continue };
            if let Some((address, other)) = counts.find(|(_, other)| other.runs != count.runs) {
                let said = |at: u64, n: u64| {
                    message("{address} ran {n} times").with("address", format!("{at:#x}")).with("n", n)
                };
                let (a, b) = (said(first, count.runs), said(address, other.runs));
                let (byte, line) = other.at;
                let place = Place { byte: Some(byte), ..Place::entry(path) }.block(block.label.clone());
                let place = if line == 0 { place } else { place.line(line, 1) };
                let fault = Fault::new("PTI-COUNT", Severity::Warning, place, Kind::Contradiction { a, b });
                sink.fault(fault.note(phrase("The block takes the count of its first instruction.")));
            }
        }
    }

    /// The listing with its columns.
    fn listing(&self, program: &Program, entry: u32, sink: &mut Sink) -> Option<ListingId> {
        let mut lines = Lines::default();
        self.code.values().for_each(|code| lines.push(&code.text));
        let numbers = |of: &dyn Fn(&u64) -> Option<f64>| -> Vec<f64> {
            self.code.keys().map(|at| of(at).unwrap_or(f64::NAN)).collect()
        };
        let column = |name: &str, unit, style, values: Vec<f64>| {
            let is_there = values.iter().any(|value| !value.is_nan());
            let cells = Cells::Numbers { values, stride: 1, rows: Rows::All };
            is_there.then(|| Column { name: name.to_owned(), unit, style, cells })
        };
        let access = |of: fn(&Access) -> Option<f64>| numbers(&move |at| of(self.accesses.get(at)?));
        let own = |of: fn(&Count) -> Option<u64>| numbers(&move |at| Some(of(self.counts.get(at)?)? as f64));
        let columns = [
            column(phrase("Instruction count"), Unit::None, ColumnStyle::Bar, own(|count| Some(count.runs))),
            column(phrase("SIMD lanes"), Unit::None, ColumnStyle::Bar, own(|count| count.lanes)),
            column(
                phrase("Lanes, mean"),
                Unit::None,
                ColumnStyle::Plain,
                numbers(&|at| self.counts.get(at)?.mean()),
            ),
            column(
                phrase("Executions"),
                Unit::None,
                ColumnStyle::Bar,
                access(|one| Some(one.executed as f64)),
            ),
            column(
                phrase("Active lanes"),
                Unit::None,
                ColumnStyle::Plain,
                access(|one| Some(one.lanes as f64)),
            ),
            column(phrase("Cache lines"), Unit::None, ColumnStyle::Bar, access(|one| Some(one.lines as f64))),
            column(phrase("Moved"), Unit::Bytes, ColumnStyle::Plain, access(|one| Some(one.moved as f64))),
            column(phrase("Efficiency"), Unit::Share, ColumnStyle::Share, access(Access::used)),
        ];
        let blocks = program.blocks.iter().flat_map(|block| (0..block.len).map(|_| block.label.clone()));
        let of_blocks = (!self.counts.is_empty()).then(|| Column {
            name: phrase("Block").to_owned(),
            unit: Unit::None,
            style: ColumnStyle::Plain,
            cells: Cells::Texts { values: blocks.collect(), stride: 1, rows: Rows::All },
        });
        let kernel = sink.builder.intern(&self.name);
        let listings = &mut sink.builder.head().code.listings;
        let id = u32::try_from(listings.len()).ok().map(ListingId);
        listings.push(Listing {
            title: self.name.clone(),
            kind: ListingKind::Assembly,
            scope: CodeScope { entry: Some(entry), kernel },
            language: "asm".to_owned(),
            lines,
            address: self.code.keys().copied().collect(),
            columns: of_blocks.into_iter().chain(columns.into_iter().flatten()).collect(),
            has_text: true,
        });
        id
    }
}
