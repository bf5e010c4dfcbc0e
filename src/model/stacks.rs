//! Call stacks of samples, as a tree: each frame once for all stacks that begin alike.
//!
//! ```text
//! number  around  name
//!      1       0  main
//!      2       1  work          main ▸ work
//!      3       1  wait          main ▸ wait
//! ```
//! A stack is the number of its innermost frame; 0 is none.

use super::chunked::Chunked;
use super::id::StrId;

/// All frames; what is around one comes before it.
#[derive(Default)]
pub struct Stacks {
    around: Chunked<u32>,
    name: Chunked<StrId>,
    category: Chunked<StrId>,
}

/// A frame of a call stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StackFrame {
    /// Number of the frame around it; 0 for the outermost.
    pub around: u32,
    /// The function.
    pub name: StrId,
    /// Where it is from, such as a library.
    pub category: StrId,
}

impl Stacks {
    /// Adds a frame, whose number is told; 0 when there are too many, or nothing is around it that is known.
    pub(super) fn push(&mut self, frame: StackFrame) -> u32 {
        if self.around.len() < frame.around as usize || u32::MAX as usize <= self.around.len() + 1 {
            return 0;
        }
        self.around.push(frame.around);
        self.name.push(frame.name);
        self.category.push(frame.category);
        self.around.len() as u32
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.around.is_empty()
    }

    /// A frame by its number; `None` for 0 and for numbers that are not of this trace.
    pub fn get(&self, number: u32) -> Option<StackFrame> {
        let at = (number as usize).checked_sub(1)?;
        let (around, name) = (*self.around.get(at)?, *self.name.get(at)?);
        Some(StackFrame { around, name, category: *self.category.get(at)? })
    }

    /// The frames of a stack, from the innermost out.
    pub fn frames(&self, innermost: u32) -> impl Iterator<Item = StackFrame> + '_ {
        // What is around a frame has a lower number: this ends.
        std::iter::successors(self.get(innermost), |frame| self.get(frame.around))
    }
}
