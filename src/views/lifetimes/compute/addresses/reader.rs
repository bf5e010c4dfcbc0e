//! Reads the bytes of a kernel again for what is seen of it, some milliseconds at a time.

use super::{Follow, STATUSES, Status, Waiting};
use crate::analysis::access::{Axis, Part, Tiling};
use crate::views::lifetimes::compute::{Access, Kernel, LevelHead, Run};

/// Stretches of the file whose cycles are known, at most.
const MARKS: u64 = 256;
/// Bytes of such a stretch, at least.
const STRETCH: u64 = 8 << 20;

/// What is looked at: a kernel at a level, and which unit; all without one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Subject {
    pub level: usize,
    pub unit: Option<u32>,
}

/// What is seen.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Wanted {
    pub tiling: Tiling,
    /// First and last cycle.
    pub cycles: (u64, u64),
    /// Stretches of addresses whose single lifetimes are wanted; none where these would be too small to be seen.
    pub ranges: Vec<(u64, u64)>,
    /// How many lifetimes are drawn one by one at most, and in how many lanes of a row.
    pub most: (usize, u32),
}

/// Where a stretch of the file begins, and which cycles it has.
struct Mark {
    at: u64,
    least: u64,
    most: u64,
    is_read: bool,
    /// What was on its way at its begin.
    waiting: Waiting,
}

/// The bytes being read.
struct Pass {
    grid: AddressGrid,
    follow: Option<Follow>,
    waiting: Waiting,
    from: u64,
    at: u64,
    end: u64,
    mark: usize,
}

/// Reads a kernel at a level again.
pub struct AddressReader {
    subject: Subject,
    head: LevelHead,
    /// The axis of addresses.
    pub axis: Axis,
    /// How many cycles the axis to the right has.
    pub cycles: u64,
    marks: Vec<Mark>,
    is_marked: bool,
    grid: Option<AddressGrid>,
    follow: Option<Follow>,
    pass: Option<Pass>,
    /// Why the file cannot be read any more.
    pub problem: Option<String>,
}

impl AddressReader {
    /// For a kernel; nothing is read yet. `None` where no accesses are known.
    pub fn new(run: &Run, kernel: &Kernel, subject: Subject) -> Option<Self> {
        let (head, level) = (run.levels.get(subject.level)?, kernel.levels.get(subject.level)?);
        if run.accesses.is_none() || level.addresses.is_empty() {
            return None;
        }
        // Cycles behind the end of the kernel are damage, but they are there.
        let bins = level.heat.width() as u64;
        let last = bins.saturating_sub(1).saturating_mul(level.heat.bin_cycles());
        let cycles = if kernel.cycles < last { last + level.heat.bin_cycles() } else { kernel.cycles + 1 };
        let waiting = Waiting::new(head.is_private, run.rules.fill_cycles);
        let first = Mark { at: kernel.bytes.start, least: u64::MAX, most: 0, is_read: false, waiting };
        Some(Self {
            subject,
            head: head.clone(),
            axis: Axis::of(&level.addresses),
            cycles,
            marks: vec![first],
            is_marked: false,
            grid: None,
            follow: None,
            pass: None,
            problem: None,
        })
    }

    /// The cells that were counted last; while there are none, those that are being counted.
    pub fn grid(&self) -> Option<&AddressGrid> {
        self.grid.as_ref().or(self.pass.as_ref().map(|pass| &pass.grid))
    }

    /// Single lifetimes, where all of what is seen are known and not too many.
    pub fn follow(&self, wanted: &Wanted) -> Option<&Follow> {
        let own = self.follow.as_ref().filter(|_| !wanted.ranges.is_empty())?;
        let is_fit = own.covers(&wanted.ranges, wanted.cycles)
            && own.bars(&wanted.ranges, wanted.cycles, wanted.most).is_some();
        is_fit.then_some(own)
    }

    fn is_there(&self, wanted: &Wanted) -> bool {
        let is_counted = self.grid.as_ref().is_some_and(|grid| grid.covers(&wanted.tiling));
        let is_followed = wanted.ranges.is_empty()
            || self.follow.as_ref().is_some_and(|own| own.covers(&wanted.ranges, wanted.cycles));
        self.follow(wanted).is_some() || (is_counted && is_followed)
    }

    /// Reads on for about 10 ms; the share of what is wanted that is there, 1 when all is. Something else than what was
    /// wanted before takes its place. A machine, as cells are drawn while they are counted.
    pub fn step(&mut self, run: &Run, kernel: &Kernel, wanted: &Wanted) -> f32 {
        if self.problem.is_some() || self.is_there(wanted) {
            self.pass = None;
            return 1.0;
        }
        let goes_on = self.pass.take().filter(|pass| {
            let is_followed = wanted.ranges.is_empty()
                || pass
                    .follow
                    .as_ref()
                    .or(self.follow.as_ref())
                    .is_some_and(|own| own.covers(&wanted.ranges, wanted.cycles));
            pass.grid.covers(&wanted.tiling) && is_followed
        });
        let mut pass = goes_on.unwrap_or_else(|| self.begin(run, kernel, wanted));
        match self.read(run, kernel, &mut pass) {
            Err(why) => {
                self.problem = Some(why);
                1.0
            }
            Ok(true) => {
                let share = (pass.at - pass.from) as f32 / (pass.end - pass.from).max(1) as f32;
                self.pass = Some(pass);
                share.min(0.999)
            }
            Ok(false) => {
                self.grid = Some(pass.grid);
                if let Some(mut follow) = pass.follow {
                    follow.finish(kernel.cycles);
                    self.follow = Some(follow);
                }
                1.0
            }
        }
    }

    fn begin(&self, run: &Run, kernel: &Kernel, wanted: &Wanted) -> Pass {
        let has = self.follow.as_ref().is_some_and(|own| own.covers(&wanted.ranges, wanted.cycles));
        let wider = self.wider(wanted);
        let follow = (!wanted.ranges.is_empty() && !has)
            .then(|| Follow::new(run.rules, &self.head, wider.ranges, wider.cycles));
        let level = wider.tiling.level;
        let columns = wider.tiling.columns.start..wider.tiling.columns.end;
        // The cycles of the columns that are counted.
        let from = columns.start << level;
        let to = columns.end.saturating_mul(1 << level).saturating_sub(1);
        let before = |mark: &&Mark| mark.is_read && mark.most < from;
        let mut first = self.marks.iter().take_while(before).count().min(self.marks.len().saturating_sub(1));
        let mut end = kernel.bytes.end;
        if follow.is_some() {
            first = 0; // lifetimes depend on all that was before
        } else if self.is_marked {
            let behind = self.marks.iter().rposition(|mark| mark.least <= to).map_or(first, |at| at + 1);
            end = self.marks.get(behind.max(first + 1)).map_or(end, |mark| mark.at);
        }
        let (waiting, from) = match self.marks.get(first) {
            Some(mark) => (mark.waiting.clone(), mark.at),
            None => (Waiting::new(self.head.is_private, run.rules.fill_cycles), kernel.bytes.start),
        };
        Pass {
            grid: AddressGrid::new(&self.axis, wider.tiling),
            follow,
            waiting,
            from,
            at: from,
            end,
            mark: first,
        }
    }

    /// What is wanted, with some room around it: small moves need nothing new.
    fn wider(&self, wanted: &Wanted) -> Wanted {
        let Tiling { level, columns, parts } = &wanted.tiling;
        let room = (columns.end - columns.start) / 4;
        let last = self.cycles.saturating_sub(1) >> level;
        let columns = columns.start.saturating_sub(room)..columns.end.saturating_add(room).min(last + 1);
        let wide = |part: &Part| {
            let Some(segment) = self.axis.segments.get(part.segment) else { return part.clone() };
            let room = u64::from(part.n / 4);
            let first = part.first.saturating_sub(room).max(segment.start >> part.shift);
            let end = (part.first + u64::from(part.n) + room).min((segment.last >> part.shift) + 1);
            Part { first, n: end.saturating_sub(first) as u32, ..part.clone() }
        };
        let range = |&(a, b): &(u64, u64)| (a.saturating_sub((b - a) / 2), b.saturating_add((b - a) / 2));
        let (from, to) = wanted.cycles;
        let beside = (to - from) / 2;
        Wanted {
            tiling: Tiling { level: *level, columns, parts: parts.iter().map(wide).collect() },
            cycles: (from.saturating_sub(beside), to.saturating_add(beside)),
            ranges: wanted.ranges.iter().map(range).collect(),
            most: wanted.most,
        }
    }

    /// Reads a piece; whether there is more.
    fn read(&mut self, run: &Run, kernel: &Kernel, pass: &mut Pass) -> Result<bool, String> {
        let Some(source) = &run.accesses else { return Ok(false) };
        let Subject { level, unit } = self.subject;
        let (mut least, mut most) = (u64::MAX, 0);
        let axis = &self.axis;
        let next = source.read(kernel, pass.at, &mut |at: usize, access: &Access| {
            if at != level {
                return;
            }
            (least, most) = (least.min(access.cycle), most.max(access.cycle));
            if unit.is_some_and(|unit| unit != access.unit) {
                return;
            }
            let status = pass.waiting.status(access);
            pass.grid.add(axis, access.cycle, access.address, status);
            if let Some(follow) = &mut pass.follow {
                follow.access(access, status);
            }
        })?;
        if let Some(follow) = &mut pass.follow {
            follow.keep();
        }
        self.mark(kernel, pass, (least, most), next);
        pass.at = next.unwrap_or(pass.end);
        Ok(next.is_some_and(|next| next < pass.end))
    }

    /// Takes the cycles of a piece, and begins another stretch now and then.
    fn mark(&mut self, kernel: &Kernel, pass: &mut Pass, (least, most): (u64, u64), next: Option<u64>) {
        if let Some(known) = self.marks.get(pass.mark + 1) {
            pass.mark += usize::from(next == Some(known.at));
            return;
        }
        if self.is_marked {
            return;
        }
        let Some(mark) = self.marks.get_mut(pass.mark) else { return };
        (mark.least, mark.most) = (mark.least.min(least), mark.most.max(most));
        let bytes = kernel.bytes.end.saturating_sub(kernel.bytes.start);
        let stretch = STRETCH.max(bytes / MARKS);
        match next {
            None => {
                mark.is_read = true;
                self.is_marked = true;
            }
            Some(next) if stretch <= next.saturating_sub(mark.at) => {
                mark.is_read = true;
                let waiting = pass.waiting.snapshot();
                self.marks.push(Mark { at: next, least: u64::MAX, most: 0, is_read: false, waiting });
                pass.mark += 1;
            }
            Some(_) => {}
        }
    }
}

// How many accesses of each status lie in each cell of cycles × addresses.

/// Counts of a tiling.
#[derive(Clone, Debug, Default)]
pub struct AddressGrid {
    /// Its cells: columns are cycles, rows are addresses.
    pub tiling: Tiling,
    /// How many cells a column has in all parts.
    height: usize,
    /// By segment of the axis: the number of the part that it has, and the cells of a column before that.
    parts: Vec<Option<(usize, usize)>>,
    /// Counts by status, cell after cell, column after column.
    counts: Vec<u32>,
    most: u32,
    /// The segment of the latest access.
    recent: usize,
}

/// A cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GridCell {
    /// First and last cycle.
    pub cycles: (u64, u64),
    /// First and last address.
    pub addresses: (u64, u64),
    /// Accesses by the number of their status.
    pub counts: [u32; 4],
}

/// Most cells; more are not asked for by any screen.
const CELLS: usize = 1 << 22;

impl AddressGrid {
    /// Nothing is counted yet.
    pub(super) fn new(axis: &Axis, tiling: Tiling) -> Self {
        let mut parts = vec![None; axis.segments.len()];
        let mut height = 0;
        for (at, part) in tiling.parts.iter().enumerate() {
            if let Some(place) = parts.get_mut(part.segment) {
                *place = Some((at, height));
            }
            height += part.n as usize;
        }
        let columns = usize::try_from(tiling.columns.end.saturating_sub(tiling.columns.start)).unwrap_or(0);
        let cells = columns.saturating_mul(height);
        let counts = vec![0; if cells <= CELLS { cells * STATUSES.len() } else { 0 }];
        Self { tiling, height, parts, counts, most: 0, recent: 0 }
    }

    /// Counts an access.
    #[inline]
    pub(super) fn add(&mut self, axis: &Axis, cycle: u64, address: u64, status: Status) {
        let column = cycle >> self.tiling.level;
        if !self.tiling.columns.contains(&column) {
            return;
        }
        let holds =
            |at: usize| axis.segments.get(at).is_some_and(|s| s.start <= address && address <= s.last);
        if !holds(self.recent) {
            let Some(found) = (0..axis.segments.len()).find(|at| holds(*at)) else { return };
            self.recent = found;
        }
        let Some(Some((at, before))) = self.parts.get(self.recent) else { return };
        let Some(part) = self.tiling.parts.get(*at) else { return };
        let row = (address >> part.shift).wrapping_sub(part.first);
        if u64::from(part.n) <= row {
            return;
        }
        let column = (column - self.tiling.columns.start) as usize;
        let cell = (column * self.height + before + row as usize) * STATUSES.len();
        if let Some(counts) = self.counts.get_mut(cell..cell + STATUSES.len()) {
            if let Some(count) = counts.get_mut(status as usize) {
                *count = count.saturating_add(1);
            }
            self.most = self.most.max(counts.iter().sum());
        }
    }

    /// The most accesses in one cell.
    pub fn most(&self) -> u32 {
        self.most
    }

    /// How many columns there are.
    pub fn width(&self) -> usize {
        self.counts.len() / (self.height * STATUSES.len()).max(1)
    }

    /// The cells of a part in a column, from the lowest on: accesses by the number of their status.
    pub fn cells(&self, column: usize, part: usize) -> impl Iterator<Item = &[u32]> {
        let before: usize = self.tiling.parts.iter().take(part).map(|part| part.n as usize).sum();
        let n = self.tiling.parts.get(part).map_or(0, |part| part.n as usize);
        let from = (column * self.height + before) * STATUSES.len();
        let cells = self.counts.get(from..from + n * STATUSES.len()).unwrap_or(&[]);
        cells.chunks_exact(STATUSES.len())
    }

    /// The cell of a cycle and an address of a segment, or the nearest beside it that has accesses.
    pub fn cell_at(&self, segment: usize, cycle: u64, address: u64) -> Option<GridCell> {
        let Tiling { level, columns, parts } = &self.tiling;
        let (at, part) = parts.iter().enumerate().find(|(_, part)| part.segment == segment)?;
        let column = (cycle >> level).checked_sub(columns.start)?.cast_signed();
        let row = (address >> part.shift).checked_sub(part.first)?.cast_signed();
        let near = [(0, 0), (0, 1), (0, -1), (1, 0), (-1, 0)];
        near.into_iter().find_map(|(right, up)| {
            let (x, y) = (usize::try_from(column + right).ok()?, usize::try_from(row + up).ok()?);
            let counts: [u32; 4] = self.cells(x, at).nth(y)?.try_into().ok()?;
            let (cycle, address) = (columns.start + x as u64, part.first + y as u64);
            let ends = |first: u64, shift: u32| (first << shift, (first << shift) | ((1 << shift) - 1));
            let (cycles, addresses) = (ends(cycle, *level), ends(address, part.shift));
            counts.iter().any(|n| 0 < *n).then_some(GridCell { cycles, addresses, counts })
        })
    }

    /// Whether all cells of a tiling are among its own.
    pub fn covers(&self, tiling: &Tiling) -> bool {
        let own = &self.tiling;
        let columns = own.columns.start <= tiling.columns.start && tiling.columns.end <= own.columns.end;
        own.level == tiling.level
            && columns
            && tiling.parts.iter().all(|part| {
                own.parts.iter().any(|own| {
                    let (end, own_end) = (part.first + u64::from(part.n), own.first + u64::from(own.n));
                    (own.segment, own.shift) == (part.segment, part.shift)
                        && own.first <= part.first
                        && end <= own_end
                })
            })
    }
}
