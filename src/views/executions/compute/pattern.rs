//! The pattern of one memory access: what its lanes asked for, and what had to be moved for that.
//!
//! With A the addresses of the lanes and w the bytes of one: sectors are distinct sectors that `[a, a + w)` touches, unique
//! is |∪ `[a, a + w)`|, moved = sectors × bytes of a sector, used = unique ÷ moved, which is never above 1.

use crate::base::order;
use serde::{Deserialize, Serialize};

/// Bytes of a sector, where nobody says otherwise.
pub const SECTOR: u64 = 32;
/// Banks of shared memory, and bytes of one.
pub const BANKS: u64 = 32;
/// Bytes of a word of a bank.
const WORD: u64 = 4;
/// Part of the differences that must be 0 or the size of a lane for runs.
const RUNS: f64 = 0.9;

/// The class of an access by the differences of addresses of active lanes that follow each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Pattern {
    /// No lane.
    #[default]
    None,
    Single,
    /// All lanes have one address.
    Uniform,
    /// Each lane follows the one before without a gap.
    Unit,
    /// The same distance everywhere, in bytes.
    Stride(i64),
    /// Mostly runs of neighbors.
    Segmented,
    /// Short runs of so many neighbors, each so many bytes behind the one before, such as rows of a small matrix.
    Rows(u32, i64),
    /// Short runs of neighbors anywhere: half of the lanes or more follow one.
    ShortRuns,
    /// Anything else.
    Irregular,
}

/// What an access moved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Access {
    pub pattern: Pattern,
    /// Lanes that took part.
    pub lanes: u32,
    /// Bytes that all lanes asked for.
    pub requested: u64,
    /// Distinct bytes of these.
    pub unique: u64,
    /// Distinct sectors.
    pub sectors: u64,
    /// The fewest sectors that hold as many distinct bytes.
    pub best: u64,
    /// Bytes that were moved.
    pub moved: u64,
}

impl Access {
    /// Sectors beyond the fewest.
    pub fn excess(&self) -> u64 {
        self.sectors.saturating_sub(self.best)
    }

    /// The used part of what was moved, 0 to 1; nothing where nothing was moved.
    pub fn used(&self) -> Option<f64> {
        (0 < self.moved).then(|| (self.unique as f64 / self.moved as f64).min(1.0))
    }
}

/// The access of lanes with these addresses, ascending by lane, each of so many bytes.
pub fn access(addresses: &[u64], bytes: u32, sector: u64) -> Access {
    let (bytes, sector) = (u64::from(bytes.max(1)), sector.max(1));
    let lanes = addresses.len() as u64;
    let unique = covered(addresses, |a| (a, a.saturating_add(bytes)));
    let sectors = covered(addresses, |a| (a / sector, a.saturating_add(bytes - 1) / sector + 1));
    Access {
        pattern: pattern(addresses, bytes),
        lanes: lanes as u32,
        requested: lanes * bytes,
        unique,
        sectors,
        best: unique.div_ceil(sector),
        moved: sectors.saturating_mul(sector),
    }
}

/// How long the union of ranges is.
fn covered(addresses: &[u64], range: impl Fn(u64) -> (u64, u64)) -> u64 {
    let mut ranges: Vec<(u64, u64)> = addresses.iter().map(|a| range(*a)).collect();
    ranges.sort_unstable();
    let (mut sum, mut reached) = (0_u64, 0_u64);
    for (from, to) in ranges {
        let from = from.max(reached);
        if from < to {
            sum = sum.saturating_add(to - from);
            reached = to;
        }
    }
    sum
}

fn pattern(addresses: &[u64], bytes: u64) -> Pattern {
    let mut steps =
        addresses.iter().zip(addresses.iter().skip(1)).map(|(a, b)| b.wrapping_sub(*a).cast_signed());
    let Some(first) = steps.clone().next() else {
        return if addresses.is_empty() { Pattern::None } else { Pattern::Single };
    };
    let unit = bytes.cast_signed();
    if steps.clone().all(|step| step == first) {
        return match first {
            0 => Pattern::Uniform,
            step if step == unit => Pattern::Unit,
            step => Pattern::Stride(step),
        };
    }
    let n = addresses.len() - 1;
    let near = steps.by_ref().filter(|step| *step == unit || *step == 0).count();
    if RUNS * n as f64 <= near as f64 {
        return Pattern::Segmented;
    }
    rows(addresses, unit).unwrap_or(if n <= 2 * near { Pattern::ShortRuns } else { Pattern::Irregular })
}

/// Runs of as many neighbors each, the last of which may be shorter, with the same distance from run to run.
fn rows(addresses: &[u64], unit: i64) -> Option<Pattern> {
    let step = |a: u64, b: u64| b.wrapping_sub(a).cast_signed();
    let runs: Vec<&[u64]> = addresses.chunk_by(|a, b| step(*a, *b) == unit).collect();
    let [first, second, ..] = runs.as_slice() else { return None };
    let pitch = step(*first.first()?, *second.first()?);
    let is_even = runs.iter().zip(runs.iter().skip(1)).all(|(a, b)| {
        let apart = a.first().zip(b.first()).map(|(a, b)| step(*a, *b));
        a.len() == first.len() && b.len() <= first.len() && apart == Some(pitch)
    });
    (is_even && 2 <= first.len()).then_some(Pattern::Rows(first.len() as u32, pitch))
}

/// How many times a bank of shared memory is asked for different words at most: 1 is no conflict, 0 no access. Accesses of
/// 16 bytes go by quarters of a warp, those of 8 bytes by halves.
pub fn conflicts(mask: u32, addresses: &[u64], bytes: u32) -> u32 {
    let together = match bytes {
        16.. => 8,
        8.. => 16,
        _ => 32,
    };
    let lanes = (0..32_u32).filter(|lane| mask >> lane & 1 == 1);
    let mut words: Vec<(u32, u64, u64)> = Vec::new(); // part of the warp, bank, word
    for (lane, address) in lanes.zip(addresses) {
        let (first, last) = (address / WORD, address.saturating_add(u64::from(bytes.max(1)) - 1) / WORD);
        words.extend((first..=last).take(4).map(|word| (lane / together, word % BANKS, word)));
    }
    order::sort(&mut words);
    words.dedup();
    let mut most = 0;
    for same in words.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        most = most.max(same.len() as u32);
    }
    most
}
