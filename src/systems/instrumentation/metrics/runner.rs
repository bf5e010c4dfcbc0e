//! What the executions of launches are of: warps, hardware threads, or threads. Texts name them as the profile does.

use crate::base::words::phrase;
use crate::views::executions::compute::{Launch, Naming};

/// The words for what runs instructions.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Runner {
    /// One of them, in a sentence.
    pub(crate) one: &'static str,
    /// Several, behind a number.
    pub(crate) many: &'static str,
    /// Several, as the name of a number or of a column.
    pub(crate) title: &'static str,
}

/// What runs the lanes of a group together.
pub(crate) static WARP: Runner =
    Runner { one: phrase("warp"), many: phrase("warps"), title: phrase("Warps") };
/// A slot of an execution unit with its lanes.
pub(crate) static HARDWARE: Runner = Runner {
    one: phrase("hardware thread"),
    many: phrase("hardware threads"),
    title: phrase("Hardware threads"),
};
/// Files say no more of them.
pub(crate) static THREAD: Runner =
    Runner { one: phrase("thread"), many: phrase("threads"), title: phrase("Threads") };

impl Runner {
    /// Of launches; where several are of different kinds the word that fits all.
    pub(crate) fn of<'a>(mut launches: impl Iterator<Item = &'a Launch>) -> &'static Self {
        let own = |launch: &Launch| match launch.threads.naming {
            Naming::Warps { .. } => &WARP,
            Naming::Fields(_) => &HARDWARE,
            Naming::Plain => &THREAD,
        };
        let Some(first) = launches.next().map(own) else { return &THREAD };
        if launches.all(|launch| own(launch) == first) { first } else { &THREAD }
    }
}
