//! Records of many threads, gathered until those of each thread can be taken one after the other.
//!
//! What is kept of threads lies far apart. Records come mixed, so each would wait for memory; here a thread's share of
//! some ten thousand records waits once. Costs a visit of each record and nothing for threads that have none.

/// Records that are gathered: a part of those that came before, so that they take little memory beside them, between these.
const PART: usize = 32;
const LEAST: usize = 1 << 12;
const MOST: usize = 1 << 17;

/// Records of many threads.
#[derive(Default)]
pub(super) struct Batch<T> {
    /// Records that were handed on; how many are gathered until the next are, at least one.
    n: usize,
    room: usize,
    /// The rows of the threads of the records, in the order in which they came.
    rows: Vec<u32>,
    records: Vec<T>,
    /// By row, how many there are; while they are put in order, where the next one goes.
    counts: Vec<u32>,
    /// Rows that have records, in the order of their first.
    seen: Vec<u32>,
    /// Those of a row one after the other.
    sorted: Vec<T>,
}

impl<T: Copy + Default> Batch<T> {
    /// Takes a record of a row; whether they are to be handed on now.
    #[inline]
    pub(super) fn push(&mut self, row: u32, record: T) -> bool {
        self.rows.push(row);
        self.records.push(record);
        self.room <= self.rows.len()
    }

    /// Hands on all records, those of a row one after the other in the order in which they came.
    pub(super) fn drain(&mut self, mut take: impl FnMut(u32, &[T])) {
        for row in &self.rows {
            let at = *row as usize;
            if self.counts.len() <= at {
                self.counts.resize(at + 1, 0);
            }
            if let Some(count) = self.counts.get_mut(at) {
                if *count == 0 {
                    self.seen.push(*row);
                }
                *count += 1;
            }
        }
        let mut next = 0;
        for row in &self.seen {
            if let Some(count) = self.counts.get_mut(*row as usize) {
                next += std::mem::replace(count, next);
            }
        }
        self.sorted.resize(self.records.len(), T::default());
        for (row, record) in self.rows.iter().zip(&self.records) {
            let Some(at) = self.counts.get_mut(*row as usize) else { continue };
            self.sorted.get_mut(*at as usize).into_iter().for_each(|to| *to = *record);
            *at += 1;
        }
        let mut begin = 0;
        for row in self.seen.drain(..) {
            let end = self.counts.get_mut(row as usize).map_or(0, std::mem::take) as usize;
            take(row, self.sorted.get(begin..end).unwrap_or(&[]));
            begin = end;
        }
        self.n = self.n.saturating_add(self.rows.len());
        self.rows.clear();
        self.records.clear();
        self.sorted.clear();
        self.room = (self.n / PART).clamp(LEAST, MOST);
        self.rows.reserve_exact(self.room);
        self.records.reserve_exact(self.room);
        self.sorted.reserve_exact(self.room);
    }
}
