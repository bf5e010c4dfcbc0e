//! dmat-csv: every page and clock with the number of accesses. Exact and sorted: the file is read as often as its accesses
//! fit into memory, some clocks at a time.

use super::feed::Feed;
use super::{ANALYSIS, BLOCKS, PAGE_SIZE, TIME, WARPS};
use crate::base::words::phrase;
use crate::export::{Export, ExportInput, Parts};
use crate::systems::neutrino::folder::Folder;
use crate::views::density::compute::{Density, page_shift};
use std::io::{Error, Result, Write};

/// Counts that are sorted at a time: some 100 MB.
const COUNTS: usize = 4 << 20;
/// Lines of a part.
const LINES: usize = 1 << 14;

/// The counts as CSV.
pub(crate) static DMAT_CSV: Export = Export {
    id: "dmat-csv",
    title: phrase("Accesses by page and clock as CSV"),
    suffix: "dmat.csv",
    mime: "text/csv",
    takes_argument: false,
    parameters: &[&PAGE_SIZE, &TIME, &BLOCKS, &WARPS],
    can: |input| input.trace.extensions.get::<Folder>().is_some_and(|f| Feed::new(f, input.values).is_some()),
    write: |input, _| Ok(write(input)),
};

/// Accesses of one page at one clock.
type Count = (u64, u64, u64);

/// Where writing is.
struct Passes {
    /// Clocks of the passes that are left: first and last.
    left: std::vec::IntoIter<(u64, u64)>,
    now: Option<(Feed, (u64, u64))>,
    counts: Vec<Count>,
    /// So many are added up.
    limit: usize,
    /// Counts that are being written.
    ready: std::vec::IntoIter<Count>,
    shift: u32,
}

fn write(input: &ExportInput) -> Parts {
    // Accesses that were counted for other values tell well enough how many there are.
    let density = input.derived.results.newest::<Density>(&[&ANALYSIS], input.values);
    let passes = density.map_or_else(|| vec![(0, u64::MAX)], |(_, density)| passes(density));
    let mut state = Passes {
        left: passes.into_iter(),
        now: None,
        counts: Vec::new(),
        limit: COUNTS,
        ready: Vec::new().into_iter(),
        // Where no size is chosen pages are those of the tool's own counts.
        shift: page_shift(input.values.text(PAGE_SIZE.id)).unwrap_or(super::PAGE_SHIFT),
    };
    let mut head = Some("page,clock,count\n");
    Box::new(move |input, out| {
        out.write_all(head.take().unwrap_or("").as_bytes())?;
        state.part(input, out)
    })
}

/// Stretches of clocks with no more accesses than are sorted at a time, where a column has no more.
fn passes(density: &Density) -> Vec<(u64, u64)> {
    let (from, to) = density.used();
    let mut sums = vec![0_u64; to];
    for page in &density.pages {
        for (sum, cell) in sums.iter_mut().zip(density.cells(page)) {
            *sum += u64::from(cell.n);
        }
    }
    let (mut passes, mut sum) = (Vec::new(), 0);
    let mut first = 0;
    for column in from..to {
        let own = sums.get(column).copied().unwrap_or(0);
        if COUNTS as u64 <= sum + own && sum != 0 {
            let end = density.clocks_of(column).0;
            passes.push((first, end - 1));
            (first, sum) = (end, 0);
        }
        sum += own;
    }
    passes.push((first, u64::MAX));
    passes
}

impl Passes {
    /// Reads or writes for some milliseconds; false when all is written.
    fn part(&mut self, input: &ExportInput, out: &mut dyn Write) -> Result<bool> {
        if 0 < self.ready.len() {
            for (clock, page, n) in self.ready.by_ref().take(LINES) {
                writeln!(out, "0x{page:x},{clock},{n}")?;
            }
            return Ok(true);
        }
        let Some((feed, (from, to))) = &mut self.now else {
            let Some(clocks) = self.left.next() else { return Ok(false) };
            let folder = input.trace.extensions.get::<Folder>();
            self.now = folder.and_then(|folder| Feed::new(folder, input.values)).map(|feed| (feed, clocks));
            return Ok(true);
        };
        let is_counts = matches!(feed, Feed::Counts(_));
        let mask = !((1_u64 << if is_counts { self.shift.max(super::PAGE_SHIFT) } else { self.shift }) - 1);
        let counts = &mut self.counts;
        let more = feed.read(&mut |clock, address, n, _| {
            if *from <= clock && clock <= *to {
                counts.push((clock, address & mask, u64::from(n)));
            }
        });
        let more = more.map_err(|error| Error::other(error.0))?;
        if self.limit <= counts.len() || !more {
            add_up(counts);
            self.limit = COUNTS.max(counts.len() * 2);
        }
        if !more {
            (self.now, self.limit) = (None, COUNTS);
            self.ready = std::mem::take(&mut self.counts).into_iter();
        }
        Ok(true)
    }
}

/// Sorts counts and adds up those of one clock and page.
fn add_up(counts: &mut Vec<Count>) {
    counts.sort_unstable();
    counts.dedup_by(|next, kept| {
        let is_same = (next.0, next.1) == (kept.0, kept.1);
        if is_same {
            kept.2 += next.2;
        }
        is_same
    });
}
