//! What stands for time: clocks of records, or an order where nobody took times.

use crate::base::unit::Unit;
use crate::base::words::phrase;
use serde::{Deserialize, Serialize};

/// What the clock of an access is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Order {
    /// A time.
    #[default]
    Clock,
    /// The number of the instruction in its thread.
    Instruction,
    /// The number of the thread.
    Thread,
}

/// How it is called, as phrases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrderWords {
    /// One of them.
    pub one: &'static str,
    /// Along the axis.
    pub axis: &'static str,
    /// The first that is seen.
    pub first: &'static str,
    /// The last that is seen.
    pub last: &'static str,
    /// What the strip below the picture shows.
    pub rate: &'static str,
    /// The picture in words, with `n`, `m`, `from` and `to`.
    pub picture: &'static str,
    /// How the picture is read.
    pub help: &'static str,
}

impl Order {
    /// The unit of one of them where lengths have this one: the ninetieth instruction is not 90 instructions.
    pub fn position_unit(self, of_lengths: &Unit) -> Unit {
        if self == Self::Clock { of_lengths.clone() } else { Unit::Count(String::new()) }
    }

    /// How it is called.
    pub fn words(self) -> OrderWords {
        match self {
            Self::Clock => OrderWords {
                one: phrase("Clock"),
                axis: phrase("clock"),
                first: phrase("First clock"),
                last: phrase("Last clock"),
                rate: phrase("Accesses per clock"),
                picture: phrase("{n} accesses to {m} pages, clocks {from} to {to}."),
                help: phrase(
                    "Stronger colors: more threads access a page at once. Gaps: computing, or waiting. A pale, ragged right edge: blocks that diverge or finish late.",
                ),
            },
            Self::Instruction => OrderWords {
                one: phrase("Instruction of the thread"),
                axis: phrase("instruction of the thread"),
                first: phrase("First instruction"),
                last: phrase("Last instruction"),
                rate: phrase("Accesses per instruction"),
                picture: phrase("{n} accesses to {m} pages, instructions {from} to {to}."),
                help: phrase(
                    "Instructions are counted in each thread from its start; there are no times. Stronger colors: more lanes access a page with the same instruction. Gaps: instructions without accesses.",
                ),
            },
            Self::Thread => OrderWords {
                one: phrase("Thread number"),
                axis: phrase("thread number"),
                first: phrase("First thread"),
                last: phrase("Last thread"),
                rate: phrase("Accesses per thread"),
                picture: phrase("{n} accesses to {m} pages, threads {from} to {to}."),
                help: phrase(
                    "Threads stand beside each other in the order of their numbers. A slope: each thread has pages of its own. A row: all threads share a page.",
                ),
            },
        }
    }
}
