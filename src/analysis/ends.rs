//! Ends of lanes or of open slices under a binary tree, so that the first or last one that fits a time is found in
//! logarithmic time.

use crate::base::time::Ticks;

/// Times in places `0..len`, each node the latest (or, without `LATEST`, the least) of those below it. A place that was
/// never set holds the least time of all.
pub(crate) struct Ends<const LATEST: bool> {
    /// Children of `i` are `2i` and `2i + 1`, the places begin at `len`.
    nodes: Vec<Ticks>,
    len: usize,
}

impl<const LATEST: bool> Default for Ends<LATEST> {
    fn default() -> Self {
        Self { nodes: vec![Ticks::MIN; 2], len: 1 }
    }
}

impl<const LATEST: bool> Ends<LATEST> {
    /// How many places there are.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// The latest (or least) of all.
    pub(crate) fn all(&self) -> Ticks {
        self.nodes[1]
    }

    /// What a place holds.
    pub(crate) fn at(&self, place: usize) -> Ticks {
        self.nodes.get(self.len + place).copied().unwrap_or(Ticks::MIN)
    }

    /// The first place that fits. What fits must hold for a node when it holds for a place below it; for the whole tree
    /// it must hold.
    pub(crate) fn first(&self, fits: impl Fn(Ticks) -> bool) -> usize {
        self.descend(|left| if fits(self.nodes[left]) { left } else { left + 1 })
    }

    /// The last place that fits, on the same terms.
    pub(crate) fn last(&self, fits: impl Fn(Ticks) -> bool) -> usize {
        self.descend(|left| if fits(self.nodes[left + 1]) { left + 1 } else { left })
    }

    fn descend(&self, choose: impl Fn(usize) -> usize) -> usize {
        let mut at = 1;
        while at < self.len {
            at = choose(2 * at);
        }
        at - self.len
    }

    /// Sets a place.
    pub(crate) fn set(&mut self, place: usize, end: Ticks) {
        let mut at = self.len + place;
        self.nodes[at] = end;
        while 1 < at {
            at /= 2;
            let kept = self.of_children(at);
            if self.nodes[at] == kept {
                break;
            }
            self.nodes[at] = kept;
        }
    }

    /// Twice as many places.
    pub(crate) fn grow(&mut self) {
        let old = self.len;
        let mut nodes = vec![Ticks::MIN; 4 * old];
        nodes[2 * old..3 * old].copy_from_slice(&self.nodes[old..]);
        self.nodes = nodes;
        self.len = 2 * old;
        for at in (1..2 * old).rev() {
            self.nodes[at] = self.of_children(at);
        }
    }

    fn of_children(&self, at: usize) -> Ticks {
        let (a, b) = (self.nodes[2 * at], self.nodes[2 * at + 1]);
        if LATEST { a.max(b) } else { a.min(b) }
    }
}
