//! How far the opening of a document is.

use crate::format::probe::Probing;
use crate::format::{Claim, Format, Reading};
use crate::input::unpack::Unpacker;
use std::collections::VecDeque;

/// How far a document is.
pub enum Stage {
    /// Archives become entries.
    Unpack(Unpacker),
    /// Formats are asked.
    Probe(Probing),
    /// It is known who reads what; the parts of the program that read it are loaded.
    Load,
    /// Claims are read, one after the other.
    Read {
        /// What is being read.
        reading: Option<Box<dyn Reading>>,
        /// What is still to be read.
        rest: VecDeque<(&'static Format, Claim)>,
    },
    /// Analyses run: those that add tracks before the rows are sorted, all others after it.
    Analyze {
        /// Which of them.
        is_sorted: bool,
    },
    /// Rows are sorted and the rest is computed.
    Finish(Finish),
    /// Everything can be asked.
    Ready,
    /// Nothing can be asked but the report.
    Failed,
}

/// What is done once everything is read, piece by piece.
#[derive(Clone, Copy, Debug)]
pub enum Finish {
    /// Names are counted in the order of the file.
    TakeIn,
    /// Rows and tracks are put in order.
    Sort,
    /// What follows from all rows is computed.
    Derive,
}
