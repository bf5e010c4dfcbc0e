//! Asynchronous ids: which begins and ends belong together, and which track they lie on.
//!
//! Events of one category and id (and scope) belong together over all threads, and over all processes unless the id is
//! said to be local (`id2.local`). Those of the old kind (S, T, p, F) must have one name, too, as in Chrome's viewer. They lie on a track of their process that bears the name and category of the
//! outermost of them; slices of several ids on one track get lanes.

use super::pairs::Pairs;
use crate::base::map::Map;

/// The stacks of all ids that are open.
#[derive(Default)]
pub(in crate::systems::trace_event) struct Asyncs {
    pub(in crate::systems::trace_event) pairs: Pairs,
    by_key: Map<Vec<u8>, usize>,
    /// Stacks whose id is done.
    free: Vec<usize>,
    n_stacks: usize,
}

impl Asyncs {
    /// The stack of an id, a new one if it is not open.
    pub(in crate::systems::trace_event) fn stack(&mut self, key: &[u8]) -> usize {
        if let Some(&stack) = self.by_key.get(key) {
            return stack;
        }
        let stack = self.free.pop().unwrap_or_else(|| {
            self.n_stacks += 1;
            self.n_stacks - 1
        });
        self.by_key.insert(key.to_vec(), stack);
        stack
    }

    /// Gives the stack back when nothing of the id waits any more.
    pub(in crate::systems::trace_event) fn settle(&mut self, key: &[u8], stack: usize) {
        if self.pairs.is_idle(stack) {
            self.by_key.remove(key);
            self.free.push(stack);
        }
    }
}
