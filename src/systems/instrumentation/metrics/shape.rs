//! How the addresses of one access lie: sectors, lines, distinct bytes, class.

use super::{Class, Loss};

/// Bytes of a line.
const LINE: u64 = 128;

/// Lanes that are looked at; no thread has more.
const LANES: usize = 32;

/// What one access moved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moved {
    /// Sectors.
    pub sectors: u32,
    /// Distinct bytes.
    pub unique: u32,
    /// Sectors beyond the fewest that would have done.
    pub excess: u32,
}

/// What lanes move that ask for `width` bytes each at these addresses.
pub(crate) fn moved(addresses: &[u64], width: u64, sector: u64) -> Moved {
    if addresses.is_empty() || width == 0 {
        return Moved::default();
    }
    Shape::of(addresses, width, sector.max(1)).moved()
}

impl Moved {
    /// Bytes of the sectors.
    pub(crate) fn bytes(self, sector: u64) -> u32 {
        small(u64::from(self.sectors).saturating_mul(sector))
    }
}

fn small(n: u64) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

/// How the addresses of one access lie.
pub(super) struct Shape {
    pub(super) class: Class,
    pub(super) sectors: u64,
    pub(super) lines: u64,
    pub(super) unique: u64,
    sector: u64,
}

impl Shape {
    /// Looks at the addresses of the active lanes, in the order of the lanes.
    pub(super) fn of(addresses: &[u64], width: u64, sector: u64) -> Self {
        let class = class(addresses, width);
        let stretch = match (class, addresses.first()) {
            (Class::Single | Class::Uniform, Some(first)) => Some((*first, width)),
            (Class::Unit, Some(first)) => Some((*first, width * addresses.len() as u64)),
            _ => None,
        };
        // Most accesses are one stretch of bytes.
        if let Some((first, unique)) = stretch
            && let Some(last) = first.checked_add(unique - 1)
        {
            let parts = |of: u64| last / of - first / of + 1;
            return Self { class, sectors: parts(sector), lines: parts(LINE), unique, sector };
        }
        if addresses.is_sorted() {
            return Self::of_sorted(class, addresses, width, sector);
        }
        let mut sorted = [0; LANES];
        let n = addresses.len().min(LANES);
        sorted.iter_mut().zip(addresses).for_each(|(to, from)| *to = *from);
        let sorted = sorted.get_mut(..n).unwrap_or_default();
        sorted.sort_unstable();
        Self::of_sorted(class, sorted, width, sector)
    }

    /// One pass: whatever is counted begins behind what was counted before.
    fn of_sorted(class: Class, sorted: &[u64], width: u64, bytes: u64) -> Self {
        let mut shape = Self { class, sectors: 0, lines: 0, unique: 0, sector: bytes };
        let (mut sector, mut line, mut byte) = (0, 0, 0);
        for &first in sorted {
            let last = first.saturating_add(width - 1);
            shape.sectors += beyond(&mut sector, first / bytes, last / bytes);
            shape.lines += beyond(&mut line, first / LINE, last / LINE);
            shape.unique += beyond(&mut byte, first, last);
        }
        shape
    }

    /// The fewest sectors that would have done.
    pub(super) fn ideal(&self) -> u64 {
        self.unique.div_ceil(self.sector)
    }

    /// The sectors beyond those.
    fn excess(&self) -> u64 {
        self.sectors.saturating_sub(self.ideal())
    }

    /// What one access at these addresses loses.
    pub(super) fn loss(&self, addresses: &[u64]) -> Loss {
        let stride = match addresses {
            [first, second, ..] if self.class == Class::Stride => second.wrapping_sub(*first).cast_signed(),
            _ => 0,
        };
        let offset = addresses.first().map(|first| first % self.sector);
        Loss { class: self.class, stride, accesses: 1, excess: self.excess(), offset }
    }

    /// What moved.
    pub(super) fn moved(&self) -> Moved {
        Moved { sectors: small(self.sectors), unique: small(self.unique), excess: small(self.excess()) }
    }
}

/// How many of `first..=last` are not below `next`, which is then behind them.
#[inline]
fn beyond(next: &mut u64, first: u64, last: u64) -> u64 {
    if last < *next {
        return 0;
    }
    let new = (last - first.max(*next)).saturating_add(1);
    *next = last.saturating_add(1);
    new
}

/// The steps from lane to lane, equal ones in a row together.
pub(super) fn strides(class: Class, addresses: &[u64], mut step: impl FnMut(i64, u64)) {
    let mut steps =
        addresses.iter().zip(addresses.iter().skip(1)).map(|(a, b)| b.wrapping_sub(*a).cast_signed());
    let Some(mut last) = steps.next() else { return };
    if matches!(class, Class::Uniform | Class::Unit | Class::Stride) {
        return step(last, addresses.len() as u64 - 1);
    }
    let mut n = 1;
    for next in steps {
        if next == last {
            n += 1;
        } else {
            step(last, n);
            (last, n) = (next, 1);
        }
    }
    step(last, n);
}

/// The class by the steps from lane to lane.
fn class(addresses: &[u64], width: u64) -> Class {
    let [first, second, ..] = addresses else {
        return if addresses.is_empty() { Class::None } else { Class::Single };
    };
    let head = second.wrapping_sub(*first);
    let steps = || addresses.iter().zip(addresses.iter().skip(1)).map(|(a, b)| b.wrapping_sub(*a));
    // Without a way out, so that several lanes are looked at together.
    if steps().fold(0, |all, step| all | (step ^ head)) == 0 {
        return match head {
            0 => Class::Uniform,
            _ if head == width => Class::Unit,
            _ => Class::Stride,
        };
    }
    let near = steps().filter(|step| *step == width || *step == 0).count();
    if 9 * (addresses.len() - 1) <= 10 * near { Class::Segmented } else { Class::Irregular }
}
