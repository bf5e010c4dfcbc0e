//! What is drawn of a window: cells of whole columns and whole pages, and their sums to the side.

use super::axis::View;
use super::{Cell, Density, Page, Shading};
use std::ops::Range;

/// Cells of a window.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Raster {
    /// The first column of the density, and how many make one here.
    pub column: (usize, usize),
    /// How many columns.
    pub width: usize,
    /// A row is so many pages of the axis high: a power of two.
    pub row_pages: f64,
    /// Number of the lowest row; number 0 begins at the bottom of the axis.
    pub first_row: f64,
    /// How many rows.
    pub height: usize,
    /// Accesses and band, row by row from the lowest.
    pub cells: Vec<(u32, u32)>,
    /// Accesses by column and band.
    pub over_time: Vec<u64>,
    /// Pages with accesses by column.
    pub working_set: Vec<u32>,
    /// Accesses and band by row.
    pub by_row: Vec<(u64, u32)>,
    /// What the window adds up to.
    pub sums: Sums,
    n_bands: usize,
}

/// What a window adds up to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sums {
    /// Accesses.
    pub accesses: u64,
    /// Pages with accesses.
    pub pages: u64,
    /// Accesses of the page in the middle, and of the one with the most.
    pub per_page: (u64, u64),
    /// The most pages of one column.
    pub working_set: u64,
}

impl Raster {
    /// The cells of a view: at most about so many columns and rows.
    pub fn new(view: &View, most_columns: usize, most_rows: usize) -> Self {
        let (seen, (low, high)) = (view.columns(), view.seen_units());
        let mut per = 1;
        while most_columns.max(1) < seen.len().div_ceil(per) {
            per *= 2;
        }
        let mut row_pages = 2_f64.powi(view.axis.finest(view.density));
        while most_rows.max(1) as f64 * row_pages < high - low {
            row_pages *= 2.0;
        }
        let (first_column, first_row) = (seen.start / per * per, (low / row_pages).floor());
        let (width, height) = (
            seen.end.saturating_sub(first_column).div_ceil(per),
            ((high / row_pages).ceil() - first_row).max(0.0) as usize,
        );
        let n_bands = view.density.bands.len();
        let mut raster = Self {
            column: (first_column, per),
            width,
            row_pages,
            first_row,
            height,
            cells: vec![(0, 0); width * height],
            over_time: vec![0; width * n_bands],
            working_set: vec![0; width],
            by_row: vec![(0, 0); height],
            sums: Sums::default(),
            n_bands,
        };
        raster.fill(view, (low, high));
        raster
    }

    fn fill(&mut self, view: &View, (low, high): (f64, f64)) {
        let (first, per) = self.column;
        let seen = view.columns();
        let mut of_pages = Vec::new();
        for page in view.pages((low, high)) {
            let Some(unit) = view.axis.unit(page.number << view.density.shift) else { continue };
            // The page of a window may begin below what is seen of it.
            let row = ((unit / self.row_pages).floor() - self.first_row).max(0.0) as usize;
            if self.height <= row {
                continue;
            }
            let cells = view.density.cells(page).get(first..seen.end).unwrap_or(&[]);
            let mut of_page = 0_u64;
            for (column, cells) in cells.chunks(per).enumerate() {
                let n: u32 = cells.iter().fold(0, |sum, cell| sum.saturating_add(cell.n));
                if n != 0 {
                    of_page += u64::from(n);
                    self.add(column, row, n, page.band);
                }
            }
            if of_page != 0 {
                of_pages.push(of_page);
                let place = &mut self.by_row[row];
                *place = (place.0 + of_page, page.band);
            }
        }
        let middle = of_pages.len() / 2;
        let most = of_pages.iter().max().copied().unwrap_or(0);
        let median = if of_pages.is_empty() { 0 } else { *of_pages.select_nth_unstable(middle).1 };
        self.sums = Sums {
            accesses: of_pages.iter().sum(),
            pages: of_pages.len() as u64,
            per_page: (median, most),
            working_set: u64::from(self.working_set.iter().max().copied().unwrap_or(0)),
        };
    }

    fn add(&mut self, column: usize, row: usize, n: u32, band: u32) {
        let cell = &mut self.cells[row * self.width + column];
        // Where pages of several bands share a cell, it has the color of the last.
        *cell = (cell.0.saturating_add(n), band);
        self.over_time[column * self.n_bands + band as usize] += u64::from(n);
        self.working_set[column] += 1;
    }

    /// Accesses of a column by band.
    pub fn bands_of(&self, column: usize) -> &[u64] {
        self.over_time.get(column * self.n_bands..(column + 1) * self.n_bands).unwrap_or(&[])
    }

    /// First and last clock of a column.
    pub fn clocks_of(&self, density: &Density, column: usize) -> (u64, u64) {
        let columns = self.columns_of(column);
        (density.clocks_of(columns.start).0, density.clocks_of(columns.end - 1).1)
    }

    /// The columns of the density that make a column here.
    fn columns_of(&self, column: usize) -> Range<usize> {
        let from = self.column.0 + column * self.column.1;
        from..from + self.column.1
    }

    /// The places of a row on the axis, in pages.
    pub fn units_of(&self, row: usize) -> (f64, f64) {
        let from = (self.first_row + row as f64) * self.row_pages;
        (from, from + self.row_pages)
    }

    /// All of a cell: its pages and what they add up to.
    pub fn cell<'a>(&self, view: &View<'a>, column: usize, row: usize) -> (Vec<&'a Page>, Cell) {
        let columns = self.columns_of(column);
        let mut sum = Cell::default();
        let mut pages = Vec::new();
        for page in view.pages(self.units_of(row)) {
            let cells = view.density.cells(page).get(columns.start..).unwrap_or(&[]);
            let before = sum.n;
            cells.iter().take(columns.len()).for_each(|cell| sum.merge(cell));
            if before != sum.n {
                pages.push(page);
            }
        }
        (pages, sum)
    }
}

/// The strength of each cell, 1 to 5; 0 where nothing lies.
pub fn shades(raster: &Raster, shading: Shading) -> Vec<u8> {
    let most = raster.cells.iter().map(|(n, _)| *n).max().unwrap_or(0).max(1);
    let mut of_bands: Vec<Vec<u32>> = vec![Vec::new(); raster.n_bands];
    if shading == Shading::Percentiles {
        for (n, band) in raster.cells.iter().filter(|(n, _)| *n != 0) {
            of_bands[*band as usize].push(*n);
        }
    }
    let limits: Vec<[f64; 4]> = of_bands.iter_mut().map(|values| limits(values)).collect();
    let share = |share: f64| 1 + (share.clamp(0.0, 1.0) * 4.99) as u8;
    let shade = |&(n, band): &(u32, u32)| match shading {
        _ if n == 0 => 0,
        Shading::Percentiles => {
            1 + limits[band as usize].iter().filter(|limit| **limit < f64::from(n)).count() as u8
        }
        Shading::Log if most == 1 => 5,
        Shading::Log => share(f64::from(n).ln() / f64::from(most).ln()),
        Shading::Linear => share(f64::from(n) / f64::from(most)),
    };
    raster.cells.iter().map(shade).collect()
}

/// The 20th, 40th, 60th and 80th percentile, between two values where none lies there.
fn limits(values: &mut [u32]) -> [f64; 4] {
    values.sort_unstable();
    let last = values.len().saturating_sub(1);
    [0.2, 0.4, 0.6, 0.8].map(|share| {
        let at = share * last as f64;
        let value = |at: f64| values.get(at as usize).map_or(0.0, |n| f64::from(*n));
        let (low, high) = (value(at.floor()), value(at.ceil()));
        low + (high - low) * at.fract()
    })
}
