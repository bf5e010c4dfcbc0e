//! How values are spread, counted in one pass: bins of one width, a power of two, which doubles whenever the values do not
//! fit; and a fair sample of records for what has to be sorted.

/// Bins that are kept: a figure shows fewer.
const BINS: usize = 4096;

/// Counts of values by bins of equal width.
#[derive(Clone, Default)]
pub struct Spread {
    /// The width of a bin is 2 to this power.
    shift: u32,
    /// Number of the first bin: its values begin at `first << shift`.
    first: u64,
    /// First and last bin that is not empty, by number.
    used: Option<(u64, u64)>,
    counts: Vec<u64>,
}

impl Spread {
    /// Counts a value.
    #[inline]
    pub fn add(&mut self, value: u64) {
        let mut bin = value >> self.shift;
        let is_inside = self.used.is_some_and(|_| self.first <= bin && bin - self.first < BINS as u64);
        if !is_inside {
            bin = self.make_room(value);
        }
        if let Some(count) = self.counts.get_mut(index(bin - self.first)) {
            *count += 1;
        }
        let (low, high) = self.used.unwrap_or((bin, bin));
        self.used = Some((low.min(bin), high.max(bin)));
    }

    /// Bins that are not empty: number and count.
    fn filled(&self) -> impl Iterator<Item = (u64, u64)> {
        let filled = self.counts.iter().enumerate().filter(|(_, count)| 0 < **count);
        filled.map(|(at, count)| (self.first + at as u64, *count))
    }

    /// Moves and widens the bins until one of them holds the value; returns its number.
    fn make_room(&mut self, value: u64) -> u64 {
        let Some((mut low, mut high)) = self.used else {
            self.counts = vec![0; BINS];
            self.first = (value >> self.shift).saturating_sub(BINS as u64 / 2);
            return value >> self.shift;
        };
        let mut join = 0;
        let end = |shift: u32, number: u64, pick: fn(u64, u64) -> u64| pick(number, value >> shift);
        while BINS as u64 <= end(self.shift + join, high, u64::max) - end(self.shift + join, low, u64::min) {
            (low, high, join) = (low >> 1, high >> 1, join + 1);
        }
        let bin = value >> (self.shift + join);
        // Both ends are less than all bins apart.
        let first = low.min(bin);
        let first = if bin < low { high.saturating_sub(BINS as u64 - 1) } else { first };
        let mut moved = vec![0; BINS];
        for (number, count) in self.filled() {
            if let Some(place) = moved.get_mut(index((number >> join) - first)) {
                *place += count;
            }
        }
        (self.first, self.counts, self.shift) = (first, moved, self.shift + join);
        self.used = Some((low, high));
        bin
    }

    /// Counts in at most `n` bins, with the edges of the bins: one more than counts.
    pub fn bins(&self, n: usize) -> (Vec<u64>, Vec<u64>) {
        let Some((low, high)) = self.used else { return Default::default() };
        // Bins of a power of two at multiples of it, so that edges are round in binary as widths are.
        let mut join = 0;
        while n as u64 <= (high >> join) - (low >> join) {
            join += 1;
        }
        let (from, to) = (low >> join, high >> join);
        let shift = self.shift + join;
        // The edge behind the last value may not fit.
        let edge = |at| u64::try_from((u128::from(from) + at) << shift).unwrap_or(u64::MAX);
        let mut counts = vec![0; index(to - from + 1)];
        for (number, count) in self.filled() {
            if let Some(sum) = counts.get_mut(index((number >> join) - from)) {
                *sum += count;
            }
        }
        ((0..=u128::from(to - from + 1)).map(edge).collect(), counts)
    }
}

/// A place in a list; beyond the end of every list when it does not fit.
pub(in crate::systems::neutrino) fn index(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

/// Rows of numbers, each as likely to be among them as any other.
pub struct Sample {
    width: usize,
    room: usize,
    seen: u64,
    state: u64,
    values: Vec<u64>,
}

impl Sample {
    /// A sample of at most `room` rows of `width` numbers.
    pub fn new(width: usize, room: usize) -> Self {
        Self { width, room, seen: 0, state: 0x9e37_79b9_7f4a_7c15, values: Vec::new() }
    }

    /// Shows it the next row.
    #[inline]
    pub fn add(&mut self, row: &[u64]) {
        self.seen += 1;
        if self.seen <= self.room as u64 {
            self.values.extend_from_slice(row);
            return;
        }
        // xorshift64*: the same sample of the same file each time.
        self.state ^= self.state >> 12;
        self.state ^= self.state << 25;
        self.state ^= self.state >> 27;
        let random = self.state.wrapping_mul(0x2545_f491_4f6c_dd1d);
        let at = ((u128::from(random) * u128::from(self.seen)) >> 64) as u64;
        if at < self.room as u64 {
            let from = index(at) * self.width;
            if let Some(old) = self.values.get_mut(from..from + self.width) {
                old.copy_from_slice(row);
            }
        }
    }

    /// Whether every row is among them.
    pub fn is_all(&self) -> bool {
        self.seen <= self.room as u64
    }

    /// The rows.
    pub fn rows(&self) -> impl Iterator<Item = &[u64]> {
        self.values.chunks_exact(self.width.max(1))
    }

    /// The numbers of a column, ascending.
    pub fn sorted(&self, column: usize) -> Vec<u64> {
        let mut all: Vec<u64> = self.rows().filter_map(|row| row.get(column).copied()).collect();
        all.sort_unstable();
        all
    }
}

/// The value below which this share of sorted values lies; of an even number of values the median is the mean of two.
#[allow(clippy::cast_possible_truncation)] // places in a list, and parts of a distance
pub fn quantile(sorted: &[u64], share: f64) -> Option<u64> {
    let last = sorted.len().checked_sub(1)?;
    let place = share * last as f64;
    let (low, high) = (place.floor() as usize, place.ceil() as usize);
    let (low, high) = (*sorted.get(low)?, *sorted.get(high)?);
    Some(low.saturating_add(((high - low) as f64 * place.fract()) as u64))
}
