//! What the user changed of a plan.

use super::parameters::{COUNTS, RECORDS, SIZES, WITHOUT};
use crate::base::words::{Message, message};
use crate::model::parameter::Values;

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
