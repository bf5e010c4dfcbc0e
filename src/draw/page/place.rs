//! Where panels stand: they are broken into rows as words are into lines, so that the least area stays empty.
//!
//! A row is a few columns; a column is one panel, or a stack of short ones beside a tall one. What is left of the width of a
//! row is given to its columns: first up to the width each looks best in, then in proportion. Nothing stays empty at the
//! right, and what is next to each other in the list is next to each other on the page.

use super::Need;
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

/// Behind which panels a row ends.
fn breaks(needs: &[Need], room: Px) -> Vec<usize> {
    // From the last panel to the first: what the rows that begin there cost at least, and where the first of them ends.
    let mut costs: Vec<(Px, usize)> = vec![(0.0, needs.len()); needs.len() + 1];
    for from in (0..needs.len()).rev() {
        let last = needs.len().min(from + MOST);
        let row = |to: usize| (waste(&columns(&needs[from..to]), room) + costs[to].0, to);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::map::Set;

    fn need(least: Px, best: Px, height: Px) -> Need {
        Need { least, best, height }
    }

    /// First and last track across, and the row of panels with the part of it.
    fn told(needs: &[Need], room: Px) -> Vec<(usize, usize, usize, usize)> {
        let all = place(needs, room);
        assert_eq!(all.len(), needs.len());
        all.into_iter()
            .map(|p| (p.column.0, p.column.0 + p.column.1 - 1, (p.row.0 - 1) / ROWS, (p.row.0 - 1) % ROWS))
            .collect()
    }

    #[test]
    fn rows_are_filled_to_their_ends() {
        // Two that fit beside each other share what is left; a wide one has a row of its own.
        let needs = [need(300.0, 500.0, 200.0), need(300.0, 500.0, 200.0), need(900.0, 1_100.0, 300.0)];
        assert_eq!(told(&needs, 1_200.0), [(1, 60, 0, 0), (61, 120, 0, 0), (1, 120, 1, 0)]);
        // A narrow page has one column, and a panel that is wider than the page is as wide as the page.
        assert_eq!(told(&needs, 500.0), [(1, 120, 0, 0), (1, 120, 1, 0), (1, 120, 2, 0)]);
        assert!(place(&[], 1_200.0).is_empty());
    }

    #[test]
    fn short_panels_stand_above_each_other_beside_a_tall_one() {
        let short = need(300.0, 400.0, 150.0);
        let needs = [need(500.0, 800.0, 320.0), short, short, need(400.0, 600.0, 200.0)];
        assert_eq!(told(&needs, 1_200.0), [(1, 50, 0, 0), (51, 80, 0, 0), (51, 80, 0, 3), (81, 120, 0, 0)]);
        // Not those of widths that have nothing in common.
        let needs = [need(300.0, 500.0, 320.0), short, need(450.0, 700.0, 150.0)];
        assert!(told(&needs, 1_200.0).iter().all(|panel| panel.3 == 0));
    }

    #[test]
    fn no_panel_is_narrower_than_it_must_be_and_none_overlap() {
        let mut seed = 7_u32;
        let mut next = |n: u32| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 8) % n
        };
        for _ in 0..200 {
            let needs: Vec<Need> = (0..next(24))
                .map(|_| {
                    let least = 200.0 + next(500) as Px;
                    need(least, least + next(400) as Px, 80.0 + next(400) as Px)
                })
                .collect();
            let room = 760.0 + next(1_000) as Px;
            let mut cells = Set::default();
            let places = place(&needs, room);
            for (place, need) in places.iter().zip(&needs) {
                let width = place.column.1 as Px * room / TRACKS as Px;
                assert!(need.least.min(room) <= width + room / TRACKS as Px, "{place:?} {need:?} in {room}");
                for x in place.column.0..place.column.0 + place.column.1 {
                    for y in place.row.0..place.row.0 + place.row.1 {
                        assert!(x <= TRACKS && cells.insert((x, y)), "{place:?}");
                    }
                }
            }
            // Nothing stays empty.
            let rows = places.iter().map(|p| p.row.0 + p.row.1 - 1).max().unwrap_or(0);
            assert_eq!(cells.len(), rows * TRACKS);
        }
    }
}
