//! Listings of instructions with their blocks.
//!
//! ```text
//! // BBL0
//! /* [000010] */ (W) or (1|M0) cr0.0<1>:ud …        offset in hexadecimal digits
//! [    1] (W) or (1|M0) cr0.0<1>:ud …               or the number of the instruction
//! L328:                                             a label
//! ```

use super::reading::Part;
use crate::base::map::Map;
use crate::base::words::phrase;
use crate::format::sink::Sink;
use crate::input::bundle::{Entry, EntryId};
use crate::model::code::{CodeScope, Lines, Listing, ListingKind};
use crate::model::id::ListingId;
use crate::systems::instrumentation::intel::program::{self, Listed};
use crate::views::executions::compute::Recorded;
use crate::views::plan::compute::{PackedRecords, PlanInput};
use std::collections::BTreeMap;

/// The listing so far.
#[derive(Default)]
pub(super) struct Code {
    rows: BTreeMap<u64, program::Code>,
    marks: BTreeMap<u64, u32>,
    labels: Map<String, u64>,
    /// The block and the labels whose first instruction comes next.
    mark: Option<u32>,
    open: Vec<String>,
}

/// `// BBL3`: the number of a block.
pub(super) fn block(line: &str) -> Option<u32> {
    line.trim().strip_prefix("//")?.trim().strip_prefix("BBL")?.trim_end_matches(':').trim().parse().ok()
}

/// Address and assembly.
pub(super) fn row(line: &str) -> Option<(u64, &str)> {
    let line = line.trim();
    let (radix, rest) = match line.strip_prefix("/*") {
        Some(rest) => (16, rest.trim_start()),
        None => (10, line),
    };
    let (number, text) = rest.strip_prefix('[')?.split_once(']')?;
    let number = number.trim();
    let number = u64::from_str_radix(number.strip_prefix("0x").unwrap_or(number), radix).ok()?;
    let text = if radix == 16 { text.trim_start().strip_prefix("*/")? } else { text };
    let text = text.trim();
    (!text.is_empty()).then_some((number, text))
}

/// `L328:`.
fn label(line: &str) -> Option<&str> {
    let name = line.strip_suffix(':')?;
    let is_name = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'$' || b == b'.');
    (is_name && !name.is_empty()).then_some(name)
}

impl Part for Code {
    fn line(&mut self, line: &str) -> Result<(), &'static str> {
        if let Some((address, text)) = row(line) {
            self.rows.entry(address).or_insert_with(|| program::Code { text: text.to_owned(), source: None });
            if let Some(mark) = self.mark.take() {
                self.marks.insert(address, mark);
            }
            self.labels.extend(self.open.drain(..).map(|name| (name, address)));
        } else if let Some(number) = block(line) {
            self.mark = Some(number);
        } else if let Some(name) = label(line) {
            self.open.push(name.to_owned());
        } else if line.starts_with("/*") && line.contains('[') || line.starts_with('[') {
            return Err(phrase("an instruction with its address"));
        }
        Ok(())
    }

    fn finish(&mut self, (id, entry): (EntryId, &Entry), sink: &mut Sink) {
        if self.rows.is_empty() {
            return;
        }
        let name = entry.name().to_owned();
        let listed = Listed {
            name: name.clone(),
            entry: id.0,
            code: &self.rows,
            marks: &self.marks,
            labels: &self.labels,
        };
        let mut program = listed.program();
        let kernel = sink.builder.intern(&name);
        let head = sink.builder.head();
        if head.title.is_empty() {
            head.title.clone_from(&name);
        }
        program.listing = u32::try_from(head.code.listings.len()).ok().map(ListingId);
        let mut lines = Lines::default();
        self.rows.values().for_each(|code| lines.push(&code.text));
        head.code.listings.push(Listing {
            title: name,
            kind: ListingKind::Assembly,
            scope: CodeScope { entry: Some(id.0), kernel },
            language: "asm".to_owned(),
            lines,
            address: self.rows.keys().copied().collect(),
            columns: Vec::new(),
            has_text: true,
        });
        let recorded: &mut Recorded = head.extensions.get_or_default();
        let row = u32::try_from(recorded.programs.len()).unwrap_or(u32::MAX);
        let (plan, packed) = program::plan(&program, row, |_| None);
        recorded.programs.push(program);
        let input: &mut PlanInput = head.extensions.get_or_default();
        let kernel = u32::try_from(input.kernels.len()).unwrap_or(u32::MAX);
        input.kernels.push(plan);
        input.packed.extend(packed.map(|packed| PackedRecords { kernel, ..packed }));
    }
}
