//! Ends of lanes under a binary tree, so that the first one that fits a time is found in logarithmic time.

use crate::base::time::Ticks;

/// Times in places `0..len`, each node the least of those below it. A place that was never set holds the least time of
/// all.
#[derive(Clone)]
pub(crate) struct Ends {
    /// Children of `i` are `2i` and `2i + 1`, the places begin at `len`.
    nodes: Vec<Ticks>,
    len: usize,
}

impl Default for Ends {
    fn default() -> Self {
        Self { nodes: vec![Ticks::MIN; 2], len: 1 }
    }
}

impl Ends {
    /// How many places there are.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// The least of all.
    pub(crate) fn all(&self) -> Ticks {
        self.nodes[1]
    }

    /// What a place holds.
    #[inline]
    pub(crate) fn at(&self, place: usize) -> Ticks {
        self.nodes.get(self.len + place).copied().unwrap_or(Ticks::MIN)
    }

    /// The first place that fits. What fits must hold for a node when it holds for a place below it; for the whole tree
    /// it must hold.
    #[inline]
    pub(crate) fn first(&self, fits: impl Fn(Ticks) -> bool) -> usize {
        let mut at = 1;
        while at < self.len {
            at *= 2;
            at += usize::from(!fits(self.nodes[at]));
        }
        at - self.len
    }

    /// Sets a place.
    #[inline]
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

    #[inline]
    fn of_children(&self, at: usize) -> Ticks {
        self.nodes[2 * at].min(self.nodes[2 * at + 1])
    }
}
