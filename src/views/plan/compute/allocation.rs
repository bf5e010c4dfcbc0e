//! How the records of a plan are spread over buffers, and what these take: headers, tags, slack, pages, a cap.

use super::{BlockCounts, Sheet, Sums};
use crate::base::words::phrase;
use crate::model::parameter::Values;
use serde::{Deserialize, Serialize};

/// Bytes before the records of a buffer.
const HEADER: u64 = 64;
/// Bytes before a record of a buffer of several types.
const TAG: u64 = 4;

/// How records are spread over buffers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Layout {
    /// One buffer for each type.
    #[default]
    Type,
    /// One for each type and thread.
    Thread,
    /// One for all, each record behind its type and length.
    Tagged,
}

impl Layout {
    /// All, in the order of the switch.
    pub const ALL: [Self; 3] = [Self::Type, Self::Thread, Self::Tagged];

    /// Its id.
    pub fn id(self) -> &'static str {
        match self {
            Self::Type => "type",
            Self::Thread => "thread",
            Self::Tagged => "tagged",
        }
    }

    /// What a person calls it.
    pub fn title(self) -> &'static str {
        match self {
            Self::Type => phrase("One per type"),
            Self::Thread => phrase("Per thread"),
            Self::Tagged => phrase("Tagged"),
        }
    }
}

/// What is added to each buffer.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Slack {
    Bytes(u64),
    /// Percent of its records.
    Percent(f64),
}

impl Slack {
    /// What is added to a buffer with these bytes.
    pub fn of(self, bytes: u64) -> u64 {
        match self {
            Self::Bytes(n) => n,
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // within 2⁵³ × 10
            Self::Percent(share) => (bytes as f64 * share / 100.0).ceil() as u64,
        }
    }
}

/// What the user set of buffers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Room {
    /// How records are spread.
    pub layout: Layout,
    /// What is added to each buffer.
    pub slack: Slack,
    /// Whole pages of this many bytes; 1 for no rounding.
    pub page: u64,
    /// Most bytes of a buffer.
    pub cap: Option<u64>,
}

impl Default for Room {
    fn default() -> Self {
        Self { layout: Layout::Type, slack: Slack::Bytes(0), page: 1, cap: None }
    }
}

impl Room {
    /// What the values of parameters say; what is not understood counts as not set.
    pub fn of(values: &Values) -> Self {
        let layout = values.text(super::LAYOUT.id).unwrap_or("");
        let slack = values.text(super::SLACK.id).unwrap_or("").trim();
        let percent = |text: &str| text.trim().parse().ok().filter(|n: &f64| (0.0..=1_000.0).contains(n));
        Self {
            layout: Layout::ALL.into_iter().find(|one| one.id() == layout).unwrap_or_default(),
            slack: slack
                .strip_suffix('%')
                .and_then(percent)
                .map_or_else(|| Slack::Bytes(bytes(slack).unwrap_or(0)), Slack::Percent),
            page: values.text(super::PAGE.id).and_then(bytes).unwrap_or(1).max(1),
            cap: values.text(super::CAP.id).and_then(bytes).filter(|n| *n != 0),
        }
    }
}

/// Bytes: `8192`, `0x2000`, `64KiB`, `3072 MiB`, `4GiB-1`.
fn bytes(text: &str) -> Option<u64> {
    let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    if let Some(hex) = text.strip_prefix("0x") {
        return u64::from_str_radix(hex, 16).ok().filter(|n| *n <= super::LARGEST);
    }
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let (unit, less) =
        unit.split_once(['-', '−']).map_or((unit, 0), |(unit, n)| (unit, n.parse().unwrap_or(0)));
    let factor = match unit.to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" | "kb" | "kib" => 1 << 10,
        "m" | "mb" | "mib" => 1 << 20,
        "g" | "gb" | "gib" => 1_u64 << 30,
        _ => return None,
    };
    let n = number.parse::<u64>().ok()?.checked_mul(factor)?.checked_sub(less)?;
    (n <= super::LARGEST).then_some(n)
}

/// What one layout takes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Allocation {
    pub layout: Layout,
    /// Why it cannot be counted, an English phrase; empty when it can.
    pub why_not: String,
    pub buffers: u64,
    /// Headers and tags.
    pub extra: u64,
    pub slack: u64,
    /// What rounding to pages adds.
    pub padding: u64,
    /// All bytes; `None` beyond 2⁵³ or without counts.
    pub bytes: Option<u64>,
    pub largest: u64,
    /// Runs that are needed when no buffer may exceed the cap: a power of two.
    pub passes: u64,
}

impl Allocation {
    /// What this layout takes.
    pub fn of(
        sheet: &Sheet,
        sums: &Sums,
        layout: Layout,
        room: &Room,
        counts: Option<&ThreadCounts>,
    ) -> Self {
        let mut own = Self { layout, passes: 1, ..Self::default() };
        let (Some(total), Some(records)) = (sums.total, sums.total_records) else {
            own.why_not = if sums.is_too_large {
                phrase("the plan is too large").to_owned()
            } else {
                phrase("block executions unknown").to_owned()
            };
            return own;
        };
        own.bytes = Some(0);
        match layout {
            Layout::Tagged if total != 0 => own.add(total, TAG.saturating_mul(records), room),
            Layout::Tagged => {}
            Layout::Type => {
                let sizes = sheet.types_in().filter_map(|(of, _)| *sums.bytes.get(of)?);
                sizes.filter(|bytes| *bytes != 0).for_each(|bytes| own.add(bytes, 0, room));
            }
            Layout::Thread => match counts {
                Some(counts) if sheet.blocks.iter().all(|block| !block.is_count_edited()) => {
                    counts.each(sheet, |bytes| own.add(bytes, 0, room));
                }
                Some(_) => phrase("executions were edited").clone_into(&mut own.why_not),
                None => phrase("per-thread executions unknown").clone_into(&mut own.why_not),
            },
        }
        if !own.why_not.is_empty() {
            own.bytes = None;
        }
        if let Some(cap) = room.cap {
            own.passes = own.largest.div_ceil(cap.max(1)).max(1).next_power_of_two();
        }
        own
    }

    /// Adds a buffer of records.
    fn add(&mut self, bytes: u64, tags: u64, room: &Room) {
        let slack = room.slack.of(bytes);
        let needed = bytes.saturating_add(tags).saturating_add(HEADER).saturating_add(slack);
        let whole = needed.checked_next_multiple_of(room.page).unwrap_or(u64::MAX);
        self.buffers += 1;
        self.extra = self.extra.saturating_add(tags + HEADER);
        self.slack = self.slack.saturating_add(slack);
        self.padding = self.padding.saturating_add(whole - needed);
        self.largest = self.largest.max(whole);
        let sum = self.bytes.and_then(|sum| sum.checked_add(whole));
        self.bytes = sum.filter(|sum| *sum <= super::LARGEST);
    }
}

/// Executions by thread, as the file or the recorded executions have them.
pub enum ThreadCounts<'a> {
    /// As the file says: row of the block in the plan, executions.
    File(&'a [(u32, Vec<(u32, u64)>)]),
    /// As they were recorded: row of the block in the program, and for each such row that of the plan.
    Trace(&'a BlockCounts, Vec<Option<usize>>),
}

impl ThreadCounts<'_> {
    /// Hands out the bytes of each thread and type that has any.
    fn each(&self, sheet: &Sheet, mut add: impl FnMut(u64)) {
        let mut thread = |counts: &mut dyn Iterator<Item = (usize, u64)>| {
            let mut sizes = vec![0_u64; sheet.types.len()];
            for (row, n) in counts {
                let Some(block) = sheet.blocks.get(row).filter(|block| !block.is_out) else { continue };
                for (of, one) in sheet.types_in() {
                    let bytes = block.bytes(of, one.bytes).unwrap_or(u64::MAX).saturating_mul(n);
                    if let Some(size) = sizes.get_mut(of) {
                        *size = size.saturating_add(bytes);
                    }
                }
            }
            sizes.into_iter().filter(|bytes| *bytes != 0).for_each(&mut add);
        };
        match self {
            Self::File(threads) => {
                for (_, counts) in *threads {
                    thread(&mut counts.iter().map(|(row, n)| (*row as usize, *n)));
                }
            }
            Self::Trace(counts, rows) => {
                for own in counts.threads() {
                    let rows =
                        own.iter().filter_map(|(row, n)| Some(((*rows.get(*row as usize)?)?, u64::from(*n))));
                    thread(&mut { rows });
                }
            }
        }
    }
}
