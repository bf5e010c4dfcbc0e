//! What is drawn of a window: cells of whole columns and whole pages, and what they add up to.

use super::axis::View;
use super::{Band, Cell, Density, Page};
use crate::base::order::whole_median;
use std::ops::Range;

/// Where the cells of a window lie.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Grid {
    /// The first column of the density.
    first_column: usize,
    /// How many columns of the density make one here.
    per: usize,
    /// How many columns.
    pub width: usize,
    /// A row is so many pages of the axis high: a power of two.
    pub row_pages: f64,
    /// Number of the lowest row; number 0 begins at the bottom of the axis.
    first_row: f64,
    /// How many rows.
    pub height: usize,
}

/// Cells of a window.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Raster {
    /// Where they lie.
    pub grid: Grid,
    /// Accesses, row by row from the lowest.
    pub cells: Vec<f32>,
    /// Row of the axis's band of each cell: that of the page with the most accesses in it.
    pub cell_bands: Vec<u32>,
    /// Pages with accesses by column.
    pub working_set: Vec<u32>,
    /// The rows of each band of the axis.
    pub bands: Vec<Range<usize>>,
    /// What the window adds up to.
    pub sums: Sums,
}

/// What a window adds up to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sums {
    pub accesses: u64,
    /// Pages with accesses.
    pub pages: u64,
    /// Accesses of the page in the middle, and of the one with the most.
    pub per_page: (u64, u64),
    /// The most pages of one column.
    pub working_set: u64,
}

impl Grid {
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
        let first_column = seen.start / per * per;
        let first_row = (low / row_pages).floor();
        Self {
            first_column,
            per,
            width: seen.end.saturating_sub(first_column).div_ceil(per),
            row_pages,
            first_row,
            height: ((high / row_pages).ceil() - first_row).max(0.0) as usize,
        }
    }

    /// First and last clock of a column.
    pub fn clocks_of(&self, density: &Density, column: usize) -> (u64, u64) {
        let columns = self.columns_of(column);
        (density.clocks_of(columns.start).0, density.clocks_of(columns.end.max(1) - 1).1)
    }

    /// The columns of the density that make a column here.
    fn columns_of(&self, column: usize) -> Range<usize> {
        let from = self.first_column + column * self.per;
        from..from + self.per
    }

    /// The places of a row on the axis, in pages.
    pub fn units_of(&self, row: usize) -> (f64, f64) {
        let from = (self.first_row + row as f64) * self.row_pages;
        (from, from + self.row_pages)
    }

    /// The row of a place; may lie above the last.
    fn row_of(&self, unit: f64) -> usize {
        ((unit / self.row_pages).floor() - self.first_row).max(0.0) as usize
    }

    /// All of a cell: its pages with accesses and what they add up to.
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

impl Raster {
    /// Counts the cells of a view.
    pub fn new(view: &View, most_columns: usize, most_rows: usize) -> Self {
        Self::of(view, Grid::new(view, most_columns, most_rows))
    }

    /// The same where it is known where they lie.
    pub fn of(view: &View, grid: Grid) -> Self {
        let mut raster = Self {
            grid,
            cells: vec![0.0; grid.width * grid.height],
            cell_bands: vec![0; grid.width * grid.height],
            working_set: vec![0; grid.width],
            bands: bands(view, &grid),
            sums: Sums::default(),
        };
        raster.fill(view);
        raster
    }

    /// Accesses of a column.
    pub fn accesses(&self, column: usize) -> f64 {
        self.cells.iter().skip(column).step_by(self.grid.width.max(1)).map(|n| f64::from(*n)).sum()
    }

    /// Bytes of the pages of a column that are accessed.
    pub fn bytes(&self, density: &Density, column: usize) -> f64 {
        f64::from(self.working_set.get(column).copied().unwrap_or(0)) * density.page_bytes() as f64
    }

    fn fill(&mut self, view: &View) {
        let Grid { first_column, per, width, height, .. } = self.grid;
        if width == 0 || height == 0 {
            return;
        }
        let seen = view.columns();
        // Pieces of a page follow each other, and are one page together.
        let mut of_pages: Vec<u64> = Vec::new();
        let (mut counted, mut in_column) = (None, vec![None; width]);
        let (numbers, mut most) = (band_numbers(view), vec![0_u64; self.cells.len()]);
        for page in view.pages(view.seen_units()) {
            let Some(unit) = view.axis.unit(page.start) else { continue };
            // Numbers of addresses may be too large to be exact.
            let row = self.grid.row_of(unit).min(height.max(1) - 1);
            let cells = view.density.cells(page).get(first_column..seen.end).unwrap_or(&[]);
            let mut of_page = 0_u64;
            let row = row * width..(row + 1) * width;
            let sums = self.cells.get_mut(row.clone()).unwrap_or_default();
            let largest = most.get_mut(row.clone()).unwrap_or_default();
            let bands = self.cell_bands.get_mut(row).unwrap_or_default();
            let of_row = sums.iter_mut().zip(largest).zip(bands);
            let of_columns = in_column.iter_mut().zip(&mut self.working_set);
            for ((cells, ((sum, most), band)), (last, pages)) in cells.chunks(per).zip(of_row).zip(of_columns)
            {
                let n: u64 = cells.iter().map(|cell| u64::from(cell.n)).sum();
                if n != 0 {
                    of_page += n;
                    *sum += n as f32;
                    if *most < n {
                        *most = n;
                        *band = numbers.get(page.band as usize).copied().unwrap_or(0);
                    }
                    let is_known = last.replace(page.number) == Some(page.number);
                    *pages += u32::from(!is_known);
                }
            }
            match of_pages.last_mut().filter(|_| counted == Some(page.number)) {
                Some(page) => *page += of_page,
                None if of_page != 0 => {
                    of_pages.push(of_page);
                    counted = Some(page.number);
                }
                None => {}
            }
        }
        let most = of_pages.iter().max().copied().unwrap_or(0);
        let median = whole_median(&mut of_pages).unwrap_or(0);
        self.sums = Sums {
            accesses: of_pages.iter().sum(),
            pages: of_pages.len() as u64,
            per_page: (median, most),
            working_set: u64::from(self.working_set.iter().max().copied().unwrap_or(0)),
        };
    }
}

/// Rows of the bands of the axis, for each band of what was counted.
fn band_numbers(view: &View) -> Vec<u32> {
    let axis = view.axis.density();
    if std::ptr::eq(axis, view.density) {
        return (0..axis.bands.len() as u32).collect();
    }
    let number =
        |own: &Band| axis.bands.iter().position(|band| band.region == own.region).unwrap_or(0) as u32;
    view.density.bands.iter().map(number).collect()
}

/// The rows of each band: where two share a row it belongs to the lower one.
fn bands(view: &View, grid: &Grid) -> Vec<Range<usize>> {
    let axis = view.axis.density();
    let mut bands = vec![0..0; axis.bands.len()];
    let mut end = 0;
    let seen = View { density: axis, ..*view };
    for page in seen.pages(view.seen_units()) {
        let Some(unit) = view.axis.unit(page.start).map(f64::floor) else { continue };
        let (from, to) = (grid.row_of(unit).max(end), grid.row_of(unit + 1.0 - grid.row_pages.min(1.0)) + 1);
        let Some(band) = bands.get_mut(page.band as usize).filter(|_| from < to) else { continue };
        if band.end == 0 {
            *band = from..to.min(grid.height);
        } else {
            band.end = to.min(grid.height);
        }
        end = end.max(band.end);
    }
    bands
}
