//! How many of each length, small: for the units of a level, which are many.

/// Lengths with how often each occurs, ascending.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Histogram(Vec<(u32, u32)>);

impl Histogram {
    /// Distinct lengths, ascending, each with how often it occurs.
    pub fn pairs(&self) -> impl Iterator<Item = (u64, u64)> {
        // What occurs more often than a number can say stands there several times.
        self.0.chunk_by(|a, b| a.0 == b.0).filter_map(|same| {
            let n = same.iter().map(|(_, n)| u64::from(*n)).sum();
            Some((u64::from(same.first()?.0), n))
        })
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// A histogram that still grows. Lengths beyond 2³² count as the longest.
#[derive(Clone, Debug, Default)]
pub struct Growing {
    /// How often each short length occurs.
    short: Vec<u64>,
    rows: Vec<(u32, u32)>,
    waiting: Vec<u32>,
}

/// Lengths below this are counted at once.
const SHORT: usize = 512;
/// Lengths that wait at least before they are sorted in.
const WAITING: usize = 512;
/// Lengths that wait at most while there are less than eight times as many rows: sorted within 20 ms.
const SORTED: usize = 1 << 18;

impl Growing {
    /// Adds one. Takes constant time but for sorting, whose cost is spread.
    pub fn push(&mut self, length: u64) {
        if let Some(at) = usize::try_from(length).ok().filter(|length| *length < SHORT) {
            if self.short.len() <= at {
                self.short.resize(at + 1, 0);
            }
            self.short[at] += 1;
            return;
        }
        self.waiting.push(u32::try_from(length).unwrap_or(u32::MAX));
        let enough = self.rows.len().min((self.rows.len() / 8).max(SORTED)).max(WAITING);
        if enough <= self.waiting.len() {
            self.settle();
        }
    }

    /// Sorts in what waits.
    fn settle(&mut self) {
        self.waiting.sort_unstable();
        let old = std::mem::take(&mut self.rows);
        let mut rows: Vec<(u32, u32)> = Vec::with_capacity(old.len() + self.waiting.len() / 4);
        let mut add = |length: u32, n: u32| match rows.last_mut().filter(|last| last.0 == length) {
            Some(last) if last.1.checked_add(n).is_some() => last.1 += n,
            _ => rows.push((length, n)),
        };
        let mut old = old.into_iter().peekable();
        for length in self.waiting.drain(..) {
            while let Some((own, n)) = old.next_if(|(own, _)| *own <= length) {
                add(own, n);
            }
            add(length, 1);
        }
        old.for_each(|(own, n)| add(own, n));
        self.rows = rows;
    }

    /// Distinct lengths that are sorted in.
    pub(super) fn settled(&self) -> usize {
        self.rows.len()
    }

    /// All are half as long.
    pub(super) fn halve(&mut self) {
        for (length, n) in std::mem::take(self).finish().0 {
            let length = length / 2;
            if let Some(at) = usize::try_from(length).ok().filter(|at| *at < SHORT) {
                self.short.resize(SHORT, 0);
                self.short[at] += u64::from(n);
            } else {
                match self.rows.last_mut().filter(|last| last.0 == length && last.1.checked_add(n).is_some())
                {
                    Some(last) => last.1 += n,
                    None => self.rows.push((length, n)),
                }
            }
        }
    }

    /// What was collected.
    pub fn finish(mut self) -> Histogram {
        self.settle();
        let mut rows = Vec::with_capacity(self.short.len() + self.rows.len());
        for (length, n) in self.short.iter().enumerate() {
            let mut left = *n;
            while 0 < left {
                let n = u32::try_from(left).unwrap_or(u32::MAX);
                rows.push((length as u32, n));
                left -= u64::from(n);
            }
        }
        rows.append(&mut self.rows);
        rows.shrink_to_fit();
        Histogram(rows)
    }
}
