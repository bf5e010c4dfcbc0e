//! What one pass over the records of a map adds up: of each field as a whole, by block and by SM.

use super::{Sample, Spread};
use crate::base::map::Map;
use crate::model::figure::Cell;
use crate::systems::neutrino::Record;
use crate::systems::neutrino::counters::Meaning;
use crate::systems::neutrino::result::{Field, ResultFile, Role, Section};

/// Records of the sample: medians of fewer are exact.
const SAMPLE: usize = 1 << 16;
/// Sums that are kept for blocks; where there are more blocks, neighbors share one.
const SUMS: u64 = 1 << 18;
/// SMs that are told apart: more than any GPU has.
const SMS: usize = 1 << 12;
/// Turns the order of numbers with a sign into that of numbers without.
const SIGN: u64 = 1 << 63;

/// Sums of one field.
#[derive(Clone, Copy, Default)]
pub(crate) struct Stat {
    pub(crate) n: u64,
    pub(crate) sum: i128,
    /// The least, by its key.
    min: u64,
    /// The greatest, by its key.
    max: u64,
}

impl Stat {
    #[inline]
    fn add(&mut self, key: u64, value: i128) {
        (self.min, self.max) = if self.n == 0 { (key, key) } else { (self.min.min(key), self.max.max(key)) };
        self.n += 1;
        self.sum += value;
    }

    /// The mean; `None` of nothing.
    pub(crate) fn mean(&self) -> Option<f64> {
        (0 < self.n).then(|| self.sum as f64 / self.n as f64)
    }

    /// Sum, mean, least and greatest as cells.
    pub(super) fn cells(&self, field: &Field) -> [Cell; 4] {
        let end = |key| if self.n == 0 { Cell::Missing } else { cell(field, key) };
        let sum = u64::try_from(self.sum).map_or(Cell::Number(self.sum as f64), Cell::Integer);
        [sum, Cell::number(self.mean()), end(self.min), end(self.max)]
    }

    /// One of them as a number.
    pub(super) fn number(&self, field: &Field, which: usize) -> Option<f64> {
        self.cells(field).get(which).and_then(Cell::as_number).filter(|_| 0 < self.n)
    }
}

/// A number that sorts as the value of a field does.
#[inline]
fn key(field: &Field, value: u64) -> u64 {
    if field.is_signed() { value ^ SIGN } else { value }
}

/// The value of a key.
pub(super) fn cell(field: &Field, key: u64) -> Cell {
    if field.is_signed() { Cell::Number(number(field, key)) } else { Cell::Integer(key) }
}

/// The value of a key, as nearly as a number of 8 bytes can say it.
pub(super) fn number(field: &Field, key: u64) -> f64 {
    if field.is_signed() { (key ^ SIGN).cast_signed() as f64 } else { key as f64 }
}

/// Sums of a map.
pub(crate) struct MapSums {
    pub(crate) section: Section,
    /// Records that were looked at, written or not.
    pub(crate) seen: u64,
    /// Written records among them.
    pub(crate) records: u64,
    /// Units that wrote records.
    pub(crate) units: u64,
    pub(crate) fields: Vec<Stat>,
    /// How the values of each field are spread, by their keys.
    pub(super) spreads: Vec<Spread>,
    /// Records by the keys of their fields.
    pub(super) sample: Sample,
    /// How many blocks share sums.
    pub(crate) group: u64,
    /// Sums by block, then field.
    pub(crate) blocks: Vec<Stat>,
    pub(super) sms: Map<u64, Vec<Stat>>,
    /// What its fields mean, where that is known.
    pub(crate) meaning: Meaning,
    signed: Vec<bool>,
    sm: Option<usize>,
    row: Vec<u64>,
    /// The unit of the last record.
    unit: u64,
}

impl MapSums {
    pub(super) fn new(file: &ResultFile, section: &Section) -> Self {
        let fields = &section.map.fields;
        let n = fields.len().max(1);
        Self {
            section: section.clone(),
            seen: 0,
            records: 0,
            units: 0,
            fields: vec![Stat::default(); fields.len()],
            spreads: vec![Spread::default(); fields.len()],
            sample: Sample::new(fields.len(), SAMPLE / n.div_ceil(8)),
            group: file.blocks().div_ceil((SUMS / n as u64).max(1)).max(1),
            blocks: Vec::new(),
            sms: Map::default(),
            meaning: Meaning::of(file, section),
            signed: fields.iter().map(Field::is_signed).collect(),
            sm: fields.iter().position(|field| field.role == Role::Sm),
            row: vec![0; fields.len()],
            unit: u64::MAX,
        }
    }

    pub(super) fn add(&mut self, file: &ResultFile, record: &Record) {
        self.records += 1;
        self.units += u64::from(self.unit != record.unit);
        self.unit = record.unit;
        let (block, in_block) = file.place(&self.section, record.unit);
        let n = self.fields.len();
        let from = usize::try_from(block / self.group).unwrap_or(0) * n;
        if self.blocks.len() < from + n {
            self.blocks.resize(from + n, Stat::default());
        }
        let of_fields = self.section.map.fields.iter().zip(&self.signed).zip(&mut self.row);
        let of_block = self.blocks.get_mut(from..).unwrap_or(&mut []).iter_mut();
        let sums = self.fields.iter_mut().zip(&mut self.spreads).zip(of_block);
        for (((field, is_signed), slot), ((stat, spread), of_block)) in of_fields.zip(sums) {
            let value = field.value(record.bytes);
            let (key, value) = if *is_signed {
                (key(field, value), i128::from(value.cast_signed()))
            } else {
                (value, i128::from(value))
            };
            *slot = key;
            stat.add(key, value);
            spread.add(key);
            of_block.add(key, value);
        }
        self.sample.add(&self.row);
        self.add_to_sm();
        self.meaning.add(&self.section, (block, in_block), record);
    }

    fn add_to_sm(&mut self) {
        let Some(sm) = self.sm.and_then(|at| self.row.get(at)) else { return };
        if SMS <= self.sms.len() && !self.sms.contains_key(sm) {
            return;
        }
        let n = self.fields.len();
        let stats = self.sms.entry(*sm).or_insert_with(|| vec![Stat::default(); n]);
        for ((stat, key), is_signed) in stats.iter_mut().zip(&self.row).zip(&self.signed) {
            let value = if *is_signed { i128::from((key ^ SIGN).cast_signed()) } else { i128::from(*key) };
            stat.add(*key, value);
        }
    }

    /// Sums of a group of blocks.
    pub(super) fn of_group(&self, group: usize) -> &[Stat] {
        let n = self.fields.len();
        self.blocks.get(group * n..(group + 1) * n).unwrap_or(&[])
    }
}
