//! The mix of opcodes of a kernel, by data type; its folder names the kernel.
//!
//! ```text
//! DATA TYPE: ud
//! Opcode  SIMD  Static(%)  Dynamic(%)
//! add     16    12.50      30.10
//! ```

use super::reading::Part;
use crate::base::unit::Unit;
use crate::base::words::phrase;
use crate::format::sink::Sink;
use crate::input::bundle::{Entry, EntryId};
use crate::model::figure::{Cell, TableColumn};
use crate::systems::instrumentation::intel::table::{TableText, add, column};

/// The rows so far.
#[derive(Default)]
pub(super) struct Opcodes {
    data_type: String,
    has_head: bool,
    rows: Vec<Vec<Cell>>,
}

impl Part for Opcodes {
    fn line(&mut self, line: &str) -> Result<(), &'static str> {
        if let Some(name) = line.strip_prefix("DATA TYPE:") {
            (self.data_type, self.has_head) = (name.trim().to_owned(), false);
            return Ok(());
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        if words.contains(&"Opcode") {
            self.has_head = true;
            return Ok(());
        }
        // Rules between parts, sums and remarks have no four words.
        let &[opcode, simd, fixed, dynamic] = &words[..] else { return Ok(()) };
        if !self.has_head {
            return Ok(());
        }
        let number = |word: &str| word.trim_end_matches('%').parse().ok().filter(|n: &f64| n.is_finite());
        let (fixed, dynamic) =
            number(fixed).zip(number(dynamic)).ok_or(phrase("an opcode with its shares"))?;
        self.rows.push(vec![
            Cell::Text(self.data_type.clone()),
            Cell::Text(opcode.to_owned()),
            Cell::Text(simd.to_owned()),
            Cell::Number(fixed),
            Cell::Number(dynamic),
        ]);
        Ok(())
    }

    fn finish(&mut self, (_, entry): (EntryId, &Entry), sink: &mut Sink) {
        let folder = entry.path.rsplit('/').nth(1).map_or("", super::sizes::kernel_name);
        let head = sink.builder.head();
        if head.title.is_empty() {
            folder.clone_into(&mut head.title);
        }
        let columns = vec![
            column(phrase("Data type"), Unit::None),
            column(phrase("Opcode"), Unit::None),
            column("SIMD", Unit::None),
            column(phrase("Static"), Unit::Percent),
            TableColumn { has_bar: true, ..column(phrase("Dynamic"), Unit::Percent) },
        ];
        let title = phrase("Mix of opcodes");
        let title = if folder.is_empty() { title.to_owned() } else { format!("{title} {folder}") };
        let text = TableText { id: "gtpin-opcodes", section: phrase("Instructions"), title: &title };
        add(head, &text, columns, std::mem::take(&mut self.rows));
    }
}
