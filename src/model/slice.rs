//! Slices and instants of one track, as columns of equal length.

use super::build::sorting::Rows;
use super::chunked::Chunked;
use super::id::StrId;
use super::wide::Wide;
use crate::base::time::{Span, Ticks};
use std::cmp::Ordering;
use std::ops::Range;

/// Slices of one track. After the trace is finished they are sorted by start, then longest first, then as in the file.
///
/// ```text
/// row   start    dur   name  category  color  detail
///   0       0    100      4         1      0  2048 +312
///   1      10     20      5         1      0  2361 +290
/// ```
#[derive(Default)]
pub struct Slices {
    /// First tick.
    pub start: Chunked<Ticks>,
    /// Length in ticks, not negative; 0 is a slice without length.
    dur: Wide,
    pub name: Chunked<StrId>,
    /// Category; empty when no slice of the track has one.
    pub category: Chunked<StrId>,
    /// What the file says of its color (a color name); shorter than the others or empty when the file says nothing.
    pub color: Chunked<StrId>,
    /// The id by which flows find it; empty when no slice of the track has one.
    pub flag: Chunked<StrId>,
    /// Slices of one group are one interval when lanes are given out; empty when no slice of the track has one.
    pub group: Chunked<StrId>,
    /// What ties slices of the host and of a device together: those of one number belong together, 0 is none; empty when
    /// no slice of the track has one.
    pub link: Chunked<u32>,
    /// Which have no end in the file; empty when all have. They are drawn up to the end of the trace, and their time counts
    /// nowhere.
    pub unfinished: Chunked<bool>,
    details: Details,
    /// The only name whose slices are work, such as the state in which a thread runs; empty when all are.
    pub work: StrId,
}

/// One slice to be pushed.
#[derive(Clone, Copy, Debug)]
pub struct SliceRow {
    /// First tick.
    pub start: Ticks,
    /// Length in ticks; a negative one is made 0 by the builder, which counts it.
    pub dur: Ticks,
    pub name: StrId,
    pub category: StrId,
    /// Color name of the file.
    pub color: StrId,
    /// Id by which flows find it.
    pub flag: StrId,
    /// Group of slices that are one interval for the lanes.
    pub group: StrId,
    /// What ties it to slices of other tracks; 0 for nothing.
    pub link: u32,
    /// Whether its end is not in the file.
    pub is_unfinished: bool,
    /// Where its bytes begin in the entry.
    pub detail_start: u64,
    /// How many bytes they are.
    pub detail_len: u32,
}

impl SliceRow {
    /// A slice without category, color, flag, group, link and detail.
    pub fn new(start: Ticks, dur: Ticks, name: StrId) -> Self {
        let none = super::strings::Strings::EMPTY;
        Self {
            start,
            dur,
            name,
            category: none,
            color: none,
            flag: none,
            group: none,
            link: 0,
            is_unfinished: false,
            detail_start: 0,
            detail_len: 0,
        }
    }
}

impl Slices {
    /// How many slices there are.
    pub fn len(&self) -> usize {
        self.start.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.start.is_empty()
    }

    /// Whether something is done in slice `row`, not only waited, as far as the state of a thread tells.
    #[inline]
    pub fn is_work(&self, row: usize) -> bool {
        self.work == super::strings::Strings::EMPTY || self.name[row] == self.work
    }

    /// Whether slice `row` has no end in the file: how long it lasts is not known.
    #[inline]
    pub fn is_unfinished(&self, row: usize) -> bool {
        self.unfinished.get(row).copied().unwrap_or(false)
    }

    /// When slice `row` is; saturates at the end of time.
    #[inline]
    pub fn span(&self, row: usize) -> Span {
        let start = self.start[row];
        Span { start, end: start.saturating_add(self.dur_of(row)) }
    }

    /// The name of slice `row`; empty where no slice is.
    pub fn name_of(&self, row: usize) -> StrId {
        Self::sparse(&self.name, row)
    }

    /// The category of slice `row`; empty without one.
    #[inline]
    pub fn category_of(&self, row: usize) -> StrId {
        Self::sparse(&self.category, row)
    }

    /// How long slice `row` is; nothing where no slice is.
    #[inline]
    pub fn dur_of(&self, row: usize) -> Ticks {
        self.dur.get(row).map_or(0, u64::cast_signed)
    }

    /// How long each is, in the order of the rows.
    pub fn durs(&self) -> impl Iterator<Item = Ticks> {
        self.dur.iter().map(u64::cast_signed)
    }

    /// Where the bytes of slice `row` lie in the entry of its track; empty when there are none.
    pub fn detail(&self, row: usize) -> Range<u64> {
        self.details.get(row)
    }

    /// The optional text of a sparse column.
    #[inline]
    pub fn sparse(column: &Chunked<StrId>, row: usize) -> StrId {
        column.get(row).copied().unwrap_or(super::strings::Strings::EMPTY)
    }

    /// Bytes of memory held.
    pub fn bytes(&self) -> usize {
        8 * self.start.capacity()
            + self.dur.bytes()
            + self.details.bytes()
            + 4 * (self.name.capacity()
                + self.category.capacity()
                + self.color.capacity()
                + self.flag.capacity()
                + self.group.capacity()
                + self.link.capacity())
            + self.unfinished.capacity()
    }

    /// Moves all slices in time, by what their starts and ends become.
    pub(super) fn move_times(&mut self, moved: impl Fn(&mut Ticks)) {
        for (row, start) in self.start.iter_mut().enumerate() {
            let mut end = start.saturating_add(self.dur.get(row).map_or(0, u64::cast_signed));
            moved(start);
            moved(&mut end);
            self.dur.set(row, end.saturating_sub(*start).cast_unsigned());
        }
    }

    pub(super) fn push(&mut self, row: SliceRow) {
        let at = self.start.len();
        self.start.push(row.start);
        self.dur.push(row.dur.cast_unsigned());
        self.name.push(row.name);
        self.category.push_sparse(at, row.category);
        self.color.push_sparse(at, row.color);
        self.flag.push_sparse(at, row.flag);
        self.group.push_sparse(at, row.group);
        self.link.push_sparse(at, row.link);
        self.unfinished.push_sparse(at, row.is_unfinished);
        self.details.push(row.detail_start, row.detail_len);
    }
}

/// In order of start, then longest first; equal ones stay as they came.
impl Rows for Slices {
    fn n_rows(&self) -> usize {
        self.len()
    }

    fn compare(&self, a: usize, b: usize) -> Ordering {
        self.start[a].cmp(&self.start[b]).then(self.dur_of(b).cmp(&self.dur_of(a)))
    }

    fn key(&self, row: usize) -> (Ticks, Ticks) {
        // The longest first.
        (self.start[row], !self.dur_of(row))
    }

    fn fill(&mut self) {
        let n = self.len();
        for column in [&mut self.category, &mut self.color, &mut self.flag, &mut self.group] {
            if !column.is_empty() {
                column.grow_to(n, &StrId::default());
            }
        }
        if !self.link.is_empty() {
            self.link.grow_to(n, &0);
        }
        if !self.unfinished.is_empty() {
            self.unfinished.grow_to(n, &false);
        }
    }

    fn swap(&mut self, a: usize, b: usize) {
        self.start.swap(a, b);
        self.dur.swap(a, b);
        self.details.swap(a, b);
        self.name.swap(a, b);
        for column in [&mut self.category, &mut self.color, &mut self.flag, &mut self.group] {
            if !column.is_empty() {
                column.swap(a, b);
            }
        }
        if !self.link.is_empty() {
            self.link.swap(a, b);
        }
        if !self.unfinished.is_empty() {
            self.unfinished.swap(a, b);
        }
    }

    fn shrink(&mut self) {
        self.start.shrink_to_fit();
        self.dur.shrink_to_fit();
        self.name.shrink_to_fit();
        self.category.shrink_to_fit();
        self.color.shrink_to_fit();
        self.flag.shrink_to_fit();
        self.group.shrink_to_fit();
        self.link.shrink_to_fit();
        self.unfinished.shrink_to_fit();
        self.details.shrink_to_fit();
    }
}

/// Where in the entry of a track the bytes of each row lie.
#[derive(Default)]
struct Details {
    start: Wide,
    /// How many bytes they are; 0 when there is nothing to read.
    len: Chunked<u32>,
}

impl Details {
    fn push(&mut self, start: u64, len: u32) {
        self.start.push(start);
        self.len.push(len);
    }

    #[inline]
    fn get(&self, row: usize) -> Range<u64> {
        let start = self.start.get(row).unwrap_or(0);
        start..start + u64::from(self.len.get(row).copied().unwrap_or(0))
    }

    fn swap(&mut self, a: usize, b: usize) {
        self.start.swap(a, b);
        self.len.swap(a, b);
    }

    fn shrink_to_fit(&mut self) {
        self.start.shrink_to_fit();
        self.len.shrink_to_fit();
    }

    fn bytes(&self) -> usize {
        self.start.bytes() + 4 * self.len.capacity()
    }
}

/// A slice or an instant, which takes no time.
#[derive(Clone, Debug)]
pub struct Event {
    /// When it is by the file.
    pub span: Span,
    pub name: StrId,
    pub category: StrId,
    /// Where its bytes lie in the entry of its track; empty when there are none.
    pub detail: Range<u64>,
}

impl Event {
    /// A slice.
    pub fn of_slice(slices: &Slices, row: usize) -> Option<Self> {
        let (name, category) = (*slices.name.get(row)?, slices.category_of(row));
        Some(Self { span: slices.span(row), name, category, detail: slices.detail(row) })
    }

    /// An instant.
    pub fn of_instant(instants: &Instants, row: usize) -> Option<Self> {
        let (time, name) = (*instants.time.get(row)?, *instants.name.get(row)?);
        let detail = instants.detail(row);
        let category = Slices::sparse(&instants.category, row);
        Some(Self { span: Span { start: time, end: time }, name, category, detail })
    }
}

/// Instants of one track: points in time given by the file, sorted by time when the trace is finished.
#[derive(Default)]
pub struct Instants {
    /// When.
    pub time: Chunked<Ticks>,
    pub name: Chunked<StrId>,
    pub category: Chunked<StrId>,
    details: Details,
    /// The call stack of each that is a sample, as [`super::Stacks`] numbers it; empty when none of the track is.
    pub stack: Chunked<u32>,
    /// Whether one came that is before another.
    is_unsorted: bool,
}

impl Instants {
    /// How many instants there are.
    pub fn len(&self) -> usize {
        self.time.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.time.is_empty()
    }

    /// Where the bytes of instant `row` lie in the entry of its track; empty when there are none.
    pub fn detail(&self, row: usize) -> Range<u64> {
        self.details.get(row)
    }

    /// The call stack of a sample; 0 for none.
    pub fn stack_of(&self, row: usize) -> u32 {
        self.stack.get(row).copied().unwrap_or(0)
    }

    /// Whether they are in order of time, as they always are once all is read.
    pub fn is_sorted(&self) -> bool {
        !self.is_unsorted
    }

    /// Says the call stack of the row that was pushed last.
    pub(super) fn stack(&mut self, stack: u32) {
        self.stack.push_sparse(self.time.len().saturating_sub(1), stack);
    }

    pub(super) fn push(&mut self, time: Ticks, name: StrId, category: StrId, detail: (u64, u32)) {
        self.is_unsorted |= self.time.last().is_some_and(|&last| time < last);
        self.time.push(time);
        self.name.push(name);
        self.category.push(category);
        self.details.push(detail.0, detail.1);
    }
}

/// In order of time; equal ones stay as they came.
impl Rows for Instants {
    fn n_rows(&self) -> usize {
        self.len()
    }

    fn compare(&self, a: usize, b: usize) -> Ordering {
        self.time[a].cmp(&self.time[b])
    }

    fn key(&self, row: usize) -> (Ticks, Ticks) {
        (self.time[row], 0)
    }

    fn swap(&mut self, a: usize, b: usize) {
        self.time.swap(a, b);
        self.name.swap(a, b);
        self.category.swap(a, b);
        self.details.swap(a, b);
        if !self.stack.is_empty() {
            self.stack.swap(a, b);
        }
    }

    fn fill(&mut self) {
        if !self.stack.is_empty() {
            self.stack.grow_to(self.time.len(), &0);
        }
    }

    fn shrink(&mut self) {
        // Rows are in order when this is called.
        self.is_unsorted = false;
        self.stack.shrink_to_fit();
        self.time.shrink_to_fit();
        self.name.shrink_to_fit();
        self.category.shrink_to_fit();
        self.details.shrink_to_fit();
    }
}
