//! Counts over two axes whose ranges nobody knows before: bins of a power of two, doubled when there are too many.

/// Bins along an axis.
#[derive(Clone, Copy, Debug)]
pub struct Bins {
    /// A bin is 2 to the power of this wide.
    pub level: u32,
    /// Number of the first; number 0 begins with value 0.
    base: i64,
    n: usize,
    /// First and last value.
    seen: Option<(i64, i64)>,
}

/// Counts.
#[derive(Clone, Debug)]
pub struct Grid {
    /// The horizontal axis.
    pub x: Bins,
    /// The vertical axis.
    pub y: Bins,
    cells: Vec<u32>,
}

impl Bins {
    fn new(n: usize) -> Self {
        Self { level: 0, base: 0, n, seen: None }
    }

    fn at(&self, value: i64) -> Option<usize> {
        usize::try_from((value >> self.level).checked_sub(self.base)?).ok().filter(|at| *at < self.n)
    }

    /// The narrowest bins that hold a further value too, with all spare room on its side.
    fn with(self, value: i64) -> Self {
        let (from, to) = self.seen.map_or((value, value), |(a, b)| (a.min(value), b.max(value)));
        let n = i64::try_from(self.n).unwrap_or(i64::MAX);
        let mut level = self.level;
        while n <= (to >> level).saturating_sub(from >> level) {
            level += 1;
        }
        let is_below = self.seen.is_some_and(|(first, _)| value < first);
        let base = if is_below { (to >> level).saturating_sub(n - 1) } else { from >> level };
        Self { level, base, seen: Some((from, to)), ..self }
    }

    /// Numbers of the first and the last bin in use, bin 0 beginning with value 0.
    pub(super) fn used(&self) -> Option<(i64, i64)> {
        self.seen.map(|(from, to)| (from >> self.level, to >> self.level))
    }
}

impl Grid {
    /// At most so many bins along each axis.
    pub fn new(width: usize, height: usize) -> Self {
        Self { x: Bins::new(width), y: Bins::new(height), cells: vec![0; width * height] }
    }

    /// Counts one.
    #[inline]
    pub fn add(&mut self, x: i64, y: i64) {
        let (Some(column), Some(row)) = (self.x.at(x), self.y.at(y)) else {
            return self.grow(x, y);
        };
        for (bins, value) in [(&mut self.x, x), (&mut self.y, y)] {
            bins.seen = Some(bins.seen.map_or((value, value), |(a, b)| (a.min(value), b.max(value))));
        }
        if let Some(cell) = self.cells.get_mut(row * self.x.n + column) {
            *cell = cell.saturating_add(1);
        }
    }

    #[cold]
    fn grow(&mut self, x: i64, y: i64) {
        let mut wider = Self::new(self.x.n, self.y.n);
        let with = |bins: Bins, value| if bins.at(value).is_some() { bins } else { bins.with(value) };
        (wider.x, wider.y) = (with(self.x, x), with(self.y, y));
        for (column, row, n) in self.cells() {
            let place = (wider.x.at(column << self.x.level), wider.y.at(row << self.y.level));
            if let (Some(column), Some(row)) = place
                && let Some(cell) = wider.cells.get_mut(row * wider.x.n + column)
            {
                *cell = cell.saturating_add(n);
            }
        }
        *self = wider;
        // There is room for both now.
        if self.x.at(x).is_some() && self.y.at(y).is_some() {
            self.add(x, y);
        }
    }

    /// Cells that are not 0: numbers of their bins as in [`Bins::used`], and counts.
    pub fn cells(&self) -> impl Iterator<Item = (i64, i64, u32)> {
        let rows = self.cells.chunks(self.x.n.max(1)).zip(self.y.base..);
        rows.flat_map(|(cells, row)| {
            cells.iter().zip(self.x.base..).map(move |(n, column)| (column, row, *n))
        })
        .filter(|(.., n)| *n != 0)
    }

    /// Whether nothing was counted.
    pub(super) fn is_empty(&self) -> bool {
        self.x.seen.is_none()
    }
}
