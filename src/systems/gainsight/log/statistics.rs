//! What the blocks of statistics at the ends of kernels say.

use crate::format::sink::Sink;

/// Collects statistics line by line.
#[derive(Default)]
pub(super) struct Statistics {}

impl Statistics {
    /// Takes a line that is about no single access, without its end; `kernel` is the row of the kernel that ended last.
    #[allow(clippy::unused_self, clippy::needless_pass_by_ref_mut)] // there is nothing yet
    pub(super) fn line(&mut self, _line: &[u8], _at: u64, _number: u64, _kernel: Option<usize>) {}

    /// Everything was read: adds what there is to the trace.
    #[allow(clippy::unused_self)] // as above
    pub(super) fn finish(self, _sink: &mut Sink, _entry: u32) {}
}
