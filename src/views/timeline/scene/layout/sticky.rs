//! Heads of groups that stay while their rows are scrolled by.

use super::{Layout, Px, Row, RowKind};

/// Most heads that stay at once.
const MOST: usize = 3;

impl Layout {
    /// The rows that stay at the top of those that scroll, outermost first: their numbers, and their top edges from the
    /// top of the rows that scroll. The end of a group pushes its head away.
    pub(super) fn sticky(&self, scroll: f64) -> Vec<(usize, Px)> {
        let mut stay: Vec<(usize, Px)> = Vec::new();
        let mut h = 0.0;
        while stay.len() < MOST {
            let edge = scroll + h;
            let under = self.rows.partition_point(|row| row.y + f64::from(row.h) <= edge);
            let Some(at) = self.group_over(under, edge, stay.last().map(|&(at, _)| at)) else { break };
            let row = &self.rows[at];
            let after = self.rows[at + 1..].iter().find(|other| other.level <= row.level);
            let end = after.map_or(self.height, |other| other.y) - scroll;
            let y = h.min(end - f64::from(row.h));
            stay.push((at, y as Px));
            if y < h {
                break;
            }
            h = y + f64::from(row.h);
        }
        stay
    }

    /// The outermost open group below `inside` that holds or is the row at `under`, and begins above the edge.
    fn group_over(&self, under: usize, edge: f64, inside: Option<usize>) -> Option<usize> {
        let row = self.rows.get(under)?;
        let least = inside.map(|at| self.rows[at].level + 1);
        let from = inside.map_or(0, |at| at + 1);
        let mut level = row.level + 1;
        let mut found = None;
        for at in (from..=under).rev() {
            let Row { level: own, kind, is_open, y, .. } = self.rows[at];
            if own < least.unwrap_or(0) {
                break;
            }
            if own < level {
                level = own;
                if kind == RowKind::Group && is_open && y < edge {
                    found = Some(at);
                }
            }
            if level == 0 {
                break;
            }
        }
        found
    }
}
