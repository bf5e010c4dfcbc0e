//! Pages above each other, the lowest address at the bottom; and what is seen of a density.
//!
//! The axis counts in pages: unit 0 is the lower edge of the first page. Pages that nobody accessed are left out, or not.
//! A page that is split between regions has a place for each piece where pages are left out.

use super::{Density, Page};
use std::ops::Range;

/// The axis of a density of all records; what is counted anew of a window stands on the same axis.
#[derive(Clone, Copy)]
pub struct Axis<'a> {
    density: &'a Density,
    /// Whether every address has a place, accessed or not.
    is_linear: bool,
}

/// What is seen: a window of clocks and of places, which are shares of the axis.
#[derive(Clone, Copy)]
pub struct View<'a> {
    pub axis: Axis<'a>,
    /// What is drawn: the density of the axis, or a window of the same records.
    pub density: &'a Density,
    /// Clocks from the first one on.
    pub clocks: (f64, f64),
    /// Shares of the axis.
    pub places: (f64, f64),
}

impl<'a> Axis<'a> {
    /// The axis of a density.
    pub fn new(density: &'a Density, is_linear: bool) -> Self {
        Self { density, is_linear }
    }

    /// The density whose pages it has.
    pub(super) fn density(&self) -> &'a Density {
        self.density
    }

    /// How many pages long it is.
    pub fn len(&self) -> f64 {
        match (self.density.pages.first(), self.density.pages.last()) {
            (Some(first), Some(last)) if self.is_linear => (last.number - first.number) as f64 + 1.0,
            _ => self.density.pages.len() as f64,
        }
    }

    /// Whether there is no page.
    pub fn is_empty(&self) -> bool {
        self.density.pages.is_empty()
    }

    /// Where an address stands; `None` when it has no place.
    pub fn unit(&self, address: u64) -> Option<f64> {
        let (pages, shift) = (&self.density.pages, self.density.shift);
        let number = address >> shift;
        let whole = if self.is_linear {
            number.checked_sub(pages.first()?.number)? as f64
        } else {
            // The last piece that begins up to there, else the first of the page.
            let at = pages.partition_point(|page| page.start <= address);
            let is_it = |at: &usize| pages.get(*at).is_some_and(|page| page.number == number);
            [at.wrapping_sub(1), at].into_iter().find(is_it)? as f64
        };
        let inside = address & (self.density.page_bytes() - 1);
        Some(whole + inside as f64 / self.density.page_bytes() as f64)
    }

    /// The address at a place, kept inside.
    pub fn address(&self, unit: f64) -> u64 {
        let (pages, bytes) = (&self.density.pages, self.density.page_bytes());
        let whole = unit.max(0.0).min(self.len() - 1.0).max(0.0).floor();
        let inside = (((unit - whole).clamp(0.0, 1.0) * bytes as f64) as u64).min(bytes - 1);
        if self.is_linear {
            let last = pages.last().map_or(0, |page| page.number);
            let number = pages.first().map_or(0, |page| page.number.saturating_add(whole as u64).min(last));
            return (number << self.density.shift) | inside;
        }
        let page = pages.get(whole as usize);
        page.map_or(0, |page| ((page.number << self.density.shift) | inside).clamp(page.start, page.last))
    }

    /// The last address of the page or piece at a place.
    fn last_address(&self, unit: f64) -> u64 {
        let page = self.density.pages.get(unit.max(0.0) as usize).filter(|_| !self.is_linear);
        page.map_or_else(|| self.address(unit) | (self.density.page_bytes() - 1), |page| page.last)
    }

    /// Bytes of its pages.
    pub fn page_bytes(&self) -> u64 {
        self.density.page_bytes()
    }

    /// Doublings from a page of the axis to one of what is drawn; not more than 0.
    pub(super) fn finest(&self, drawn: &Density) -> i32 {
        (i64::from(drawn.shift) - i64::from(self.density.shift)).min(0) as i32
    }

    /// First clock of all.
    pub fn zero(&self) -> u64 {
        self.density.clocks.0
    }

    /// Clocks from the first to the last.
    pub fn clocks(&self) -> f64 {
        (self.density.clocks.1 - self.density.clocks.0) as f64 + 1.0
    }
}

impl<'a> View<'a> {
    /// First and last clock that is seen.
    pub fn seen_clocks(&self) -> (u64, u64) {
        let (zero, n) = (self.axis.zero(), self.axis.clocks());
        let at = |clock: f64| zero.saturating_add(clock.clamp(0.0, n - 1.0) as u64);
        (at(self.clocks.0), at(self.clocks.1.ceil() - 1.0))
    }

    /// What is seen of the axis, in pages.
    pub fn seen_units(&self) -> (f64, f64) {
        let n = self.axis.len();
        ((self.places.0 * n).clamp(0.0, n), (self.places.1 * n).clamp(0.0, n))
    }

    /// First and last address that is seen: whole pages.
    pub fn seen_addresses(&self) -> (u64, u64) {
        let (low, high) = self.seen_units();
        let bytes = self.axis.density.page_bytes() - 1;
        (self.axis.address(low) & !bytes, self.axis.address((high.ceil() - 1.0).max(0.0)) | bytes)
    }

    /// The columns that are seen.
    pub fn columns(&self) -> Range<usize> {
        let (from, to) = self.seen_clocks();
        if self.axis.is_empty() {
            return 0..0;
        }
        self.density.column_at(from)..self.density.column_at(to) + 1
    }

    /// The pages between two places of the axis, in pages.
    pub fn pages(&self, (low, high): (f64, f64)) -> &'a [Page] {
        let all = &self.density.pages;
        if high <= low || all.is_empty() {
            return &[];
        }
        let first = self.axis.address(low);
        // The last address below the upper edge.
        let last = if high.fract() == 0.0 {
            self.axis.last_address(high - 1.0)
        } else {
            self.axis.address(high).saturating_sub(1)
        };
        let from = all.partition_point(|page| page.last < first);
        let to = all.partition_point(|page| page.start <= last);
        all.get(from..to).unwrap_or(&[])
    }
}
