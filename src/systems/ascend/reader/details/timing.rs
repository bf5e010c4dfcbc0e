//! Whether values of 0x06 are percent: durations of 0x05 and cycles beside the values tell.
//!
//! A share of cycles, its cycles and the duration of its block give the clock: cycles ÷ (share × duration). Chips run at
//! some hundred to a few thousand megahertz, so that a share of 1 that was taken for percent gives a clock that is a
//! hundred times too low or too high. Values that are said to be instructions but are no whole numbers are shares, too.
//!
//! | file says | clock says | shown |
//! |---|---|---|
//! | percent | percent, or nothing | percent |
//! | percent | share of 1 | percent, × 100, with a note |
//! | instructions that are not whole, or nothing | percent or share of 1 | percent, with a note |
//! | instructions between 0 and 1 that are not whole | nothing | percent, × 100, with a note |
//!
//! Verified on three old files of `Ascend910B4`: percent of unit 3 at 1,650 MHz (0.66 % of 608 µs are 6,656 cycles), and
//! shares of 1 of unit 1.

use super::base_info::{CORE_TYPE, detail, op_type};
use super::load::{Entry, PERCENT};
use crate::base::map::Map;
use crate::base::order;
use crate::base::unit::Unit;
use crate::base::words::{Message, message};
use crate::format::sink::Sink;
use crate::input::json::Json;
use crate::model::figure::Cell;
use crate::systems::ascend::reader::field::{Fields, Within};

/// A clock in megahertz where the file says none, and how far from it a clock may be.
const CLOCK: f64 = 1_200.0;
const FACTOR: f64 = 4.0;

/// How long the operator and its blocks took, in microseconds, and at which clock.
#[derive(Default)]
pub(in crate::systems::ascend::reader) struct Timing {
    clock: Option<f64>,
    whole: Option<f64>,
    /// By block and unit of its core, such as `vector` or `cube0`; empty where the file names none.
    blocks: Map<(String, String), f64>,
}

impl Timing {
    /// What a base info says.
    pub(in crate::systems::ascend::reader) fn of(json: &Json) -> Self {
        // What is wrong with it is said when it is shown.
        let (within, mut unheard) =
            (Within { entry: String::new(), byte: 0, block: Message::default() }, Sink::default());
        let mut fields = Fields::new(&within, &mut unheard);
        let mut number = |key: &str| fields.number(json, key, "").filter(|v| 0.0 < *v);
        let clock = number("cur_freq").or_else(|| number("rated_freq"));
        let mut timing = Self { clock, whole: number("duration"), blocks: Map::default() };
        for key in ["block_detail", "mix_block_detail"] {
            let Some(table) = detail(json, key, &mut fields) else { continue };
            let named = |name: &str| table.columns.iter().position(|column| column.name == name);
            let (block, kind) = (named("Block ID"), named(CORE_TYPE));
            let text = |row: &[Cell], at: Option<usize>| {
                at.and_then(|at| row.get(at)).map_or_else(String::new, Cell::plain)
            };
            for row in &table.rows {
                let times = table.columns.iter().zip(row).filter(|(column, _)| column.unit == Unit::Micros);
                for (column, time) in times.filter_map(|(column, cell)| Some((column, cell.as_number()?))) {
                    // "Vector0 Duration"
                    let unit = column.name.split_once(' ').map_or("", |(unit, _)| unit).to_lowercase();
                    let unit = if kind.is_some() { text(row, kind) } else { unit };
                    timing.blocks.insert((text(row, block), op_type(&unit).to_owned()), time);
                }
            }
        }
        timing
    }

    /// How long the block of a value took, or the operator.
    pub(super) fn duration(&self, entry: &Entry) -> Option<f64> {
        let stem = entry.kind.trim_end_matches(|c: char| c.is_ascii_digit());
        let units = [entry.kind.clone(), op_type(stem).to_owned(), format!("{stem}0"), String::new()];
        let of_block = units.into_iter().find_map(|unit| self.blocks.get(&(entry.block.clone(), unit)));
        of_block.copied().or(self.whole)
    }

    /// By what values are multiplied to be percent; `None` when nothing tells.
    fn factor<'a>(&self, values: impl Iterator<Item = &'a Entry>) -> Option<f64> {
        let clock = |entry: &Entry| {
            let (value, cycles) = (entry.value?, entry.cycles?);
            let clock = cycles / (value / 100.0 * self.duration(entry)?);
            (clock.is_finite() && 0.0 < clock).then_some(clock)
        };
        let mut clocks: Vec<f64> = values.filter_map(clock).collect();
        order::sort_floats(&mut clocks);
        let clock = *clocks.get(clocks.len() / 2)?;
        let known = self.clock.unwrap_or(CLOCK);
        let is_near = |clock: f64| known / FACTOR < clock && clock < known * FACTOR;
        [1.0, 100.0].into_iter().find(|factor| is_near(clock / factor))
    }

    /// Makes values percent that are shares of cycles. Returns remarks on the values of a unit, as they are shown.
    pub(super) fn settle(&self, values: &mut [Entry]) -> Vec<(Option<u8>, Message)> {
        let mut remarks = Vec::new();
        for unit in [Some(1), PERCENT, None] {
            let own = || values.iter().filter(|v| v.unit == unit);
            let numbers = || own().filter_map(|v| v.value);
            let (is_whole, is_share) =
                (numbers().all(|v| v.fract() == 0.0), numbers().all(|v| (0.0..=1.0).contains(&v)));
            // Counts are whole.
            if unit == Some(1) && is_whole {
                continue;
            }
            let factor = self.factor(own());
            let is_unsure = is_share && !is_whole;
            let (factor, remark) = match (unit, factor) {
                (PERCENT | None, Some(1.0)) => (1.0, None),
                (PERCENT, Some(_)) => (
                    100.0,
                    Some(message(
                        "The unit in the file is percent, but cycles, durations and clock show fractions from 0 to 1.",
                    )),
                ),
                (PERCENT, None) => (
                    1.0,
                    is_unsure.then(|| message("No value is above 1: they may be fractions from 0 to 1.")),
                ),
                (None, None) => (1.0, is_unsure.then(|| message("The file has no unit."))),
                (Some(_), None) if !is_share => {
                    remarks.push((
                        unit,
                        message(
                            "The unit in the file is instructions, but the values are not whole numbers.",
                        ),
                    ));
                    continue;
                }
                (Some(_), factor) => (
                    factor.unwrap_or(100.0),
                    Some(message(
                        "The unit in the file is instructions, but the values are shares of cycles.",
                    )),
                ),
                (None, Some(factor)) => (
                    factor,
                    Some(message(
                        "The file has no unit; cycles, durations and clock show fractions from 0 to 1.",
                    )),
                ),
            };
            for entry in values.iter_mut().filter(|v| v.unit == unit) {
                entry.unit = PERCENT;
                // The digits of the file, two places on.
                let scaled = |v: f64| if factor == 1.0 { Some(v) } else { format!("{v}e2").parse().ok() };
                entry.value = entry.value.and_then(scaled);
            }
            remarks.extend(remark.map(|remark| (PERCENT, remark)));
        }
        remarks
    }
}
