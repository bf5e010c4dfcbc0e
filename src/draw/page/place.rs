//! Where panels stand: they are broken into rows as words are into lines, so that the least area stays empty.
//!
//! A row is a few columns; a column is one panel, or a stack of short ones beside a tall one. What is left of the width of a
//! row is given to its columns: first up to the width each looks best in, then in proportion. Nothing stays empty at the
//! right, and what is next to each other in the list is next to each other on the page.

use super::{MAP, Need};
use crate::base::geometry::Px;

/// Tracks of the grid across its width: edges of columns stand on them.
pub const TRACKS: usize = 120;
/// Tracks of the grid in the height of one row of panels, so that two or three in a stack share it.
pub const ROWS: usize = 6;
/// Most panels of one row.
const MOST: usize = 9;
/// Most panels above each other.
const STACK: usize = 3;
/// How much taller than the tallest panel a stack may be, as a factor.
const TALLER: Px = 1.1;
/// What a pixel of width that a panel would like to have costs, in pixels that stay empty.
const NARROW: Px = 0.35;

/// What it costs when maps of one size have different widths: more than any room that stays empty.
const TORN: Px = 1e7;

/// Where a panel stands on the grid: first track, counted from 1, and how many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Across.
    pub column: (usize, usize),
    /// Down.
    pub row: (usize, usize),
}

/// A column of a row: panels above each other.
struct Column {
    panels: usize,
    need: Need,
}

/// Where panels of these needs stand in this width.
pub fn place(needs: &[Need], room: Px) -> Vec<Place> {
    let mut places = Vec::with_capacity(needs.len());
    let (mut from, mut row) = (0, 0);
    for to in breaks(needs, room) {
        let columns = columns(needs.get(from..to).unwrap_or_default());
        let mut left = 0.0;
        for (column, width) in columns.iter().zip(widths(&columns, room)) {
            let (first, end) = (track(left, room), track(left + width, room));
            left += width;
            let each = ROWS / column.panels;
            places.extend((0..column.panels).map(|n| Place {
                column: (first + 1, end.saturating_sub(first).max(1)),
                row: (row * ROWS + n * each + 1, each),
            }));
        }
        (from, row) = (to, row + 1);
    }
    places
}

/// The track whose left edge is nearest.
fn track(at: Px, room: Px) -> usize {
    ((at / room.max(1.0) * TRACKS as Px).round() as usize).min(TRACKS)
}

/// Whether two panels are maps of the same size: one compares them cell by cell, so both are equally wide.
fn are_alike(needs: &[Need], first: usize) -> bool {
    needs.get(first).zip(needs.get(first + 1)).is_some_and(|(a, b)| a == b && a.least == MAP)
}

/// Whether a row ends between maps that are alike and has other panels too, so that the two get different widths.
fn tears(needs: &[Need], (from, to): (usize, usize)) -> bool {
    let is_torn = 0 < from && are_alike(needs, from - 1) || 0 < to && are_alike(needs, to - 1);
    is_torn && (from..to.saturating_sub(1)).any(|at| !are_alike(needs, at))
}

/// Behind which panels a row ends.
fn breaks(needs: &[Need], room: Px) -> Vec<usize> {
    // From the last panel to the first: what the rows that begin there cost at least, and where the first of them ends.
    let mut costs: Vec<(Px, usize)> = vec![(0.0, needs.len()); needs.len() + 1];
    for from in (0..needs.len()).rev() {
        let last = needs.len().min(from + MOST);
        let torn = |to: usize| if tears(needs, (from, to)) { TORN } else { 0.0 };
        let row = |to: usize| (waste(&columns(&needs[from..to]), room) + torn(to) + costs[to].0, to);
        let best = (from + 1..=last).map(row).min_by(|a, b| a.0.total_cmp(&b.0));
        costs[from] = best.unwrap_or((0.0, from + 1));
    }
    let next = |&at: &usize| (at < needs.len()).then(|| costs[at].1);
    std::iter::successors(next(&0), next).collect()
}

/// The columns of a row of these panels.
fn columns(needs: &[Need]) -> Vec<Column> {
    let tallest = needs.iter().map(|need| need.height).fold(0.0, Px::max);
    let mut columns: Vec<Column> = Vec::new();
    for need in needs {
        let last = columns.last_mut().filter(|last| {
            let is_near = last.need.least <= need.best && need.least <= last.need.best;
            is_near && last.panels < STACK && last.need.height + need.height <= tallest * TALLER
        });
        match last {
            Some(last) => {
                last.panels += 1;
                last.need = Need {
                    least: last.need.least.max(need.least),
                    best: last.need.best.max(need.best),
                    height: last.need.height + need.height,
                };
            }
            None => columns.push(Column { panels: 1, need: *need }),
        }
    }
    columns
}

/// The widths of the columns of a row, which fill it.
fn widths(columns: &[Column], room: Px) -> Vec<Px> {
    let least: Px = columns.iter().map(|c| c.need.least).sum();
    let best: Px = columns.iter().map(|c| c.need.best).sum();
    let width = |c: &Column| {
        let Need { least: own, best: wish, .. } = c.need;
        if best <= room {
            wish * room / best.max(1.0)
        } else if least <= room {
            own + (wish - own) * (room - least) / (best - least).max(1.0)
        } else {
            own * room / least.max(1.0)
        }
    };
    columns.iter().map(width).collect()
}

/// The area of a row in which nothing stands, and what its panels lack.
fn waste(columns: &[Column], room: Px) -> Px {
    let height = columns.iter().map(|c| c.need.height).fold(0.0, Px::max);
    let least: Px = columns.iter().map(|c| c.need.least).sum();
    if room < least && 1 < columns.iter().map(|c| c.panels).sum::<usize>() {
        return Px::INFINITY;
    }
    let best: Px = columns.iter().map(|c| c.need.best).sum();
    let below = columns.iter().zip(widths(columns, room)).map(|(c, width)| width * (height - c.need.height));
    let lacks = (best - room).max(0.0) * height * NARROW;
    below.sum::<Px>() + (room - best).max(0.0) * height + lacks
}
