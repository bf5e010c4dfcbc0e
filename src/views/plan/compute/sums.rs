//! What a table adds up to: `N(t) = Σ r(t, b) × c(b)`, `S(t) = N(t) × z(t)`, `total = Σ S(t)`.

use super::{Sheet, SheetBlock};
use serde::{Deserialize, Serialize};

/// The largest number that is counted: beyond it programs that read JSON would round.
pub const LARGEST: u64 = 1 << 53;

/// Sums. What is not known is `None`: counts are missing, or it exceeds [`LARGEST`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sums {
    /// Records by type, of blocks that are not left out.
    pub records: Vec<Option<u64>>,
    /// Bytes by type, of blocks that are not left out.
    pub bytes: Vec<Option<u64>>,
    /// Bytes by block, of types that are not left out.
    pub of_block: Vec<Option<u64>>,
    /// Bytes by block, then type, whatever is left out.
    pub cells: Vec<Vec<Option<u64>>>,
    /// Records of what is not left out.
    pub total_records: Option<u64>,
    /// Bytes of what is not left out.
    pub total: Option<u64>,
    /// Bytes without leaving anything out.
    pub whole: Option<u64>,
    /// The cell with most bytes: block and type.
    pub hottest: Option<(usize, usize)>,
    /// Whether a number exceeds [`LARGEST`].
    pub is_too_large: bool,
    /// How many blocks write records and have no count.
    pub uncounted: usize,
}

/// A number, or what is wrong with it.
#[derive(Clone, Copy)]
struct Sum {
    n: u128,
    is_known: bool,
}

impl Sum {
    const ZERO: Self = Self { n: 0, is_known: true };

    fn plus(self, other: Self) -> Self {
        Self { n: self.n.saturating_add(other.n), is_known: self.is_known && other.is_known }
    }

    fn value(self) -> Option<u64> {
        u64::try_from(self.n).ok().filter(|n| self.is_known && *n <= LARGEST)
    }

    fn is_too_large(self) -> bool {
        u128::from(LARGEST) < self.n
    }
}

impl Sums {
    /// Adds a table up. Costs blocks × types.
    pub fn of(sheet: &Sheet) -> Self {
        let n_types = sheet.types.len();
        let mut records = vec![Sum::ZERO; n_types];
        let mut bytes = vec![Sum::ZERO; n_types];
        let (mut whole, mut sums) = (Sum::ZERO, Self::default());
        let mut largest = 0;
        for (row, block) in sheet.blocks.iter().enumerate() {
            let mut of_block = Sum::ZERO;
            let mut cells = Vec::with_capacity(n_types);
            for (of, one) in sheet.types.iter().enumerate() {
                let (n, size) = cell(block, of, one.bytes);
                cells.push(size.value());
                sums.is_too_large |= n.is_too_large() || size.is_too_large();
                whole = whole.plus(size);
                if !one.is_out {
                    of_block = of_block.plus(size);
                }
                if !block.is_out {
                    (records[of], bytes[of]) = (records[of].plus(n), bytes[of].plus(size));
                }
                if !one.is_out && !block.is_out && largest < size.n && size.is_known {
                    (largest, sums.hottest) = (size.n, Some((row, of)));
                }
            }
            sums.uncounted += usize::from(block.count.is_none() && block.records.iter().any(|n| *n != 0));
            sums.of_block.push(of_block.value());
            sums.cells.push(cells);
        }
        let included = |all: &[Sum]| {
            let own = sheet.types_in().filter_map(|(of, _)| all.get(of).copied());
            own.fold(Sum::ZERO, Sum::plus)
        };
        let (n, total) = (included(&records), included(&bytes));
        sums.is_too_large |= n.is_too_large() || total.is_too_large();
        sums.total_records = n.value();
        sums.total = total.value();
        sums.whole = whole.value();
        sums.records = records.into_iter().map(Sum::value).collect();
        sums.bytes = bytes.into_iter().map(Sum::value).collect();
        sums
    }

    /// The share of the total that some bytes have, 0 to 1.
    pub fn share(&self, bytes: Option<u64>) -> Option<f64> {
        let total = self.total.filter(|total| *total != 0)?;
        Some(bytes? as f64 / total as f64)
    }
}

/// Records and bytes of a cell.
fn cell(block: &SheetBlock, of: usize, size: u64) -> (Sum, Sum) {
    let records = u128::from(block.records.get(of).copied().unwrap_or(0));
    let one = block.bytes(of, size).map_or(u128::MAX, u128::from);
    match block.count {
        Some(count) => {
            let times = |n: u128| Sum { n: n.saturating_mul(u128::from(count)), is_known: true };
            (times(records), times(one))
        }
        None => {
            let unknown = Sum { n: 0, is_known: records == 0 };
            (unknown, unknown)
        }
    }
}
