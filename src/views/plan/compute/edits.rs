//! What the user changed of a plan.

use crate::base::unit::Unit;
use crate::base::words::{Message, message, phrase};
use crate::model::Trace;
use crate::model::parameter::{Parameter, ParameterKind, Values};

/// Changes, by the names of blocks and types.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Edits {
    /// Block, type and records of an execution.
    pub records: Vec<(String, String, u64)>,
    /// Block and executions.
    pub counts: Vec<(String, u64)>,
    /// Type and bytes of a record.
    pub sizes: Vec<(String, u64)>,
    /// Types and blocks that are left out.
    pub without: Vec<String>,
    /// What was not understood.
    pub refused: Vec<Message>,
}

impl Edits {
    /// What the values of parameters say.
    pub fn of(values: &Values) -> Self {
        let mut edits = Self::default();
        let mut refused = Vec::new();
        let mut rows = |id: &str| {
            let mut known: Vec<(String, u64)> = Vec::new();
            for row in values.table(id).unwrap_or(&[]) {
                let (Some(name), Some(text)) = (row.first(), row.get(1)) else { continue };
                let Some(n) = number(text) else {
                    let found = if text.len() < 40 { text.as_str() } else { "…" };
                    let sentence = message("{name}: expected a whole number below 2⁵³, found {found}");
                    refused.push(sentence.with("name", name).with("found", found));
                    continue;
                };
                match known.iter_mut().find(|(other, _)| other == name) {
                    Some(row) => row.1 = n,
                    None => known.push((name.clone(), n)),
                }
            }
            known
        };
        (edits.counts, edits.sizes) = (rows(COUNTS.id), rows(SIZES.id));
        for (cell, n) in rows(RECORDS.id) {
            if let Some((block, kind)) = cell.rsplit_once('/') {
                edits.records.push((block.trim().to_owned(), kind.trim().to_owned(), n));
            }
        }
        let without = values.text(WITHOUT.id).unwrap_or("").split(';').map(str::trim);
        edits.without = without.filter(|name| !name.is_empty()).map(str::to_owned).collect();
        edits.refused = refused;
        edits
    }
}

/// A whole number that every program of JSON can hold.
fn number(text: &str) -> Option<u64> {
    let text = text.trim();
    let whole = match text.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).ok()?,
        None => match text.parse() {
            Ok(n) => n,
            // Tables write 5 as 5 or as 5.0.
            Err(_) => text.strip_suffix(".0")?.parse().ok()?,
        },
    };
    (whole <= super::LARGEST).then_some(whole)
}

// What the user may set of a plan.

/// All of them.
pub static PARAMETERS: &[&Parameter] =
    &[&KERNEL, &COUNTS_FROM, &RECORDS, &COUNTS, &SIZES, &WITHOUT, &LAYOUT, &SLACK, &PAGE, &CAP, &FILE];

fn none(_: &Trace) -> Vec<Vec<String>> {
    Vec::new()
}

/// Which kernel or launch.
pub static KERNEL: Parameter = Parameter {
    id: "plan-kernel",
    title: phrase("Kernel"),
    help: phrase("kernel or launch to plan buffers for: its name, or its number from 1"),
    kind: ParameterKind::Text,
    rereads: false,
};

/// Where the executions of blocks come from.
pub static COUNTS_FROM: Parameter = Parameter {
    id: "plan-counts-from",
    title: phrase("Counts from"),
    help: phrase("source of block executions"),
    kind: ParameterKind::Choice(&[
        ("auto", phrase("Automatic")),
        ("file", phrase("Counts in the file")),
        ("trace", phrase("Recorded executions")),
    ]),
    rereads: false,
};

/// Edited records of a type that one execution of a block writes.
pub static RECORDS: Parameter = Parameter {
    id: "plan-records",
    title: phrase("Records per execution"),
    help: phrase("records r(t,b) written per execution of a block, as block/type,number"),
    kind: ParameterKind::Table {
        columns: &[(phrase("Block/type"), Unit::None), (phrase("Records"), Unit::None)],
        default: none,
    },
    rereads: false,
};

/// Edited executions of blocks.
pub static COUNTS: Parameter = Parameter {
    id: "plan-counts",
    title: phrase("Block executions"),
    help: phrase("executions c(b) of a block, over all threads, as block,number"),
    kind: ParameterKind::Table {
        columns: &[(phrase("Block"), Unit::None), (phrase("Executions"), Unit::None)],
        default: none,
    },
    rereads: false,
};

/// Edited bytes of records.
pub static SIZES: Parameter = Parameter {
    id: "plan-sizes",
    title: phrase("Bytes per record"),
    help: phrase("bytes z(t) per record, as type,number"),
    kind: ParameterKind::Table {
        columns: &[(phrase("Type"), Unit::None), (phrase("Bytes"), Unit::Bytes)],
        default: none,
    },
    rereads: false,
};

/// Types and blocks that are left out.
pub static WITHOUT: Parameter = Parameter {
    id: "plan-without",
    title: phrase("Leave out"),
    help: phrase("types and blocks to leave out, separated by semicolons"),
    kind: ParameterKind::Text,
    rereads: false,
};

/// How records are spread over buffers.
pub static LAYOUT: Parameter = Parameter {
    id: "plan-layout",
    title: phrase("Buffers"),
    help: phrase("how records are distributed over buffers"),
    kind: ParameterKind::Choice(&[
        ("type", phrase("One per type")),
        ("thread", phrase("Per thread")),
        ("tagged", phrase("Tagged")),
    ]),
    rereads: false,
};

/// What is added to each buffer.
pub static SLACK: Parameter = Parameter {
    id: "plan-slack",
    title: phrase("Slack"),
    help: phrase("added to each buffer: bytes such as 0x2000, or a share such as 10%"),
    kind: ParameterKind::Text,
    rereads: false,
};

/// To what buffers are rounded up.
pub static PAGE: Parameter = Parameter {
    id: "plan-page",
    title: phrase("Page size"),
    help: phrase("round each buffer up to whole pages"),
    kind: ParameterKind::Choice(&[
        ("none", phrase("No rounding")),
        ("4096", "4 KiB"),
        ("65536", "64 KiB"),
        ("2097152", "2 MiB"),
    ]),
    rereads: false,
};

/// The most that one buffer may have.
pub static CAP: Parameter = Parameter {
    id: "plan-cap",
    title: phrase("Cap"),
    help: phrase("maximum buffer size: none, or a size such as 3072MiB or 4GiB-1"),
    kind: ParameterKind::Text,
    rereads: false,
};

/// A plan that was saved before.
pub static FILE: Parameter = Parameter {
    id: "plan",
    title: phrase("Saved plan"),
    help: phrase("start from a plan saved as plan-json"),
    kind: ParameterKind::File { patterns: &["*.json"], preview: None },
    rereads: false,
};
