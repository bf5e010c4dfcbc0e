//! Records of many threads, gathered until those of each thread can be taken one after the other.
//!
//! What is kept of threads lies far apart. Records come mixed, so each would wait for memory; here a thread's share of
//! some ten thousand records waits once. Costs two visits of each record and nothing for threads that have none.

/// Records that are gathered: a part of those that came before, so that they take little memory beside them, between these.
const PART: usize = 32;
const LEAST: usize = 1 << 12;
const MOST: usize = 1 << 17;
/// Records that take longer than a thread takes to begin.
const MANY: usize = 1 << 15;
/// Rows whose memory is waited for at once.
const AHEAD: usize = 16;

/// Records of many threads as they come.
#[derive(Default)]
pub(super) struct Gather<T> {
    /// Records that were handed on; how many are gathered until the next are, at least one.
    n: usize,
    room: usize,
    /// Records with the rows of their threads, in the order in which they came.
    records: Vec<(u32, T)>,
    /// By row, how many there are; while they are put in order, where the next one goes.
    counts: Vec<u32>,
    /// Rows that have records, in the order of their first.
    seen: Vec<u32>,
}

/// Records of many threads, those of each one after the other.
#[derive(Default)]
pub(super) struct Batch<T> {
    /// Rows of threads, in the order of their first record, and where their records end.
    rows: Vec<(u32, u32)>,
    /// The records; behind the last one is what an earlier batch left.
    records: Vec<T>,
}

impl<T: Copy + Default> Gather<T> {
    /// Takes a record of a row; whether they are to be put in order now.
    #[inline]
    pub(super) fn push(&mut self, row: u32, record: T) -> bool {
        let at = row as usize;
        match self.counts.get_mut(at) {
            Some(count) if 0 < *count => *count += 1,
            _ => self.begin(row),
        }
        self.records.push((row, record));
        self.room <= self.records.len()
    }

    /// Takes the first record of a row.
    #[cold]
    fn begin(&mut self, row: u32) {
        let at = row as usize;
        if self.counts.len() <= at {
            self.counts.resize(at + 1, 0);
        }
        self.counts.get_mut(at).into_iter().for_each(|count| *count = 1);
        self.seen.push(row);
    }

    /// Whether records are many enough for another thread to look at them.
    pub(super) fn has_many(&self) -> bool {
        MANY <= self.room
    }

    /// Puts all records into an empty batch, those of a row one after the other in the order in which they came.
    pub(super) fn sort(&mut self, into: &mut Batch<T>) {
        if self.records.is_empty() {
            return;
        }
        let mut next = 0;
        for row in self.seen.drain(..) {
            if let Some(count) = self.counts.get_mut(row as usize) {
                next += std::mem::replace(count, next);
                into.rows.push((row, next));
            }
        }
        if into.records.len() < self.records.len() {
            into.records.resize(self.records.len().max(self.room), T::default());
        }
        for (row, record) in &self.records {
            let Some(at) = self.counts.get_mut(*row as usize) else { continue };
            into.records.get_mut(*at as usize).into_iter().for_each(|to| *to = *record);
            *at += 1;
        }
        for (row, _) in &into.rows {
            self.counts.get_mut(*row as usize).into_iter().for_each(|count| *count = 0);
        }
        self.n = self.n.saturating_add(self.records.len());
        self.records.clear();
        self.room = (self.n / PART).clamp(LEAST, MOST);
        self.records.reserve_exact(self.room);
    }
}

impl<T> Batch<T> {
    /// Hands on the records of each row, and leaves none. Before, `touch` reads of the memory that the records of some
    /// rows need, so that it is waited for once for all of them.
    pub(super) fn drain<S>(
        &mut self,
        to: &mut S,
        touch: impl Fn(&S, u32) -> u32,
        mut take: impl FnMut(&mut S, u32, &[T]),
    ) {
        let mut begin = 0;
        for rows in self.rows.chunks(AHEAD) {
            let touched = rows.iter().fold(0, |sum: u32, (row, _)| sum.wrapping_add(touch(to, *row)));
            std::hint::black_box(touched);
            for (row, end) in rows {
                let end = *end as usize;
                take(to, *row, self.records.get(begin..end).unwrap_or(&[]));
                begin = end;
            }
        }
        self.rows.clear();
    }
}
