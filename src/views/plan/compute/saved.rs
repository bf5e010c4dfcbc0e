//! A plan that was saved: what `plan-json` writes and `--plan` reads again.

use super::Sheet;
use crate::base::words::{Message, message};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A saved plan. What it does not say stays as it is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Saved {
    /// Types of records.
    pub types: Vec<SavedType>,
    /// Blocks.
    pub blocks: Vec<SavedBlock>,
}

/// A type of a saved plan.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SavedType {
    /// Its name.
    pub name: String,
    /// flow, memory, simd, register or custom.
    pub kind: String,
    /// Its layout.
    pub layout: String,
    /// Bytes of a record.
    pub record_bytes: Option<u64>,
    /// Whether it is left out.
    pub left_out: bool,
}

/// A block of a saved plan.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SavedBlock {
    /// What a person calls it.
    pub label: String,
    /// Executions over all threads.
    pub executions: Option<u64>,
    /// Records of one execution by the name of their type.
    pub records: BTreeMap<String, u64>,
    /// Whether it is left out.
    pub left_out: bool,
}

impl Saved {
    /// Reads the text of a file.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(text: &str) -> Result<Self, Message> {
        serde_json::from_str(text)
            .map_err(|error| message("The saved plan is not read: {error}").with("error", error.to_string()))
    }

    /// Puts what it says into a sheet; returns what does not fit.
    pub(super) fn apply(&self, sheet: &mut Sheet) -> Vec<Message> {
        for own in &self.types {
            let known = sheet.types.iter_mut().find(|one| one.record_type.name == own.name);
            if let Some(known) = known {
                known.set_bytes(own.record_bytes.unwrap_or(known.bytes));
                known.is_out |= own.left_out;
            }
        }
        let mut unknown = 0_u64;
        for own in &self.blocks {
            let Some(known) = sheet.blocks.iter_mut().find(|one| one.block.label == own.label) else {
                unknown += 1;
                continue;
            };
            known.is_out |= own.left_out;
            if let Some(count) = own.executions {
                known.set_count(count);
            }
            for (name, records) in &own.records {
                if let Some(at) = sheet.types.iter().position(|one| one.record_type.name == *name) {
                    known.set_records(at, *records);
                }
            }
        }
        let unknown = (unknown != 0).then_some(unknown);
        unknown
            .map(|n| message("{n} blocks of the saved plan are not in this program").with("n", n))
            .into_iter()
            .collect()
    }
}
