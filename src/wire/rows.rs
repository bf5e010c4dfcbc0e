//! The question for rows of any table, and its answer: bounded by a page.

use super::Look;
use crate::analysis::access::AccessScope;
use crate::analysis::area::Area;
use crate::analysis::device;
pub use crate::analysis::device::tree::{Opened, Shown};
use crate::analysis::rows::Goal;
pub use crate::analysis::rows::Only;
use crate::analysis::statistics::Options;
use crate::analysis::timeline::search::SearchQuery;
use crate::scene::table::{Page, PageRequest};
use serde::{Deserialize, Serialize};

/// Most rows of one page that is scrolled through.
pub const MAX_ROWS: usize = 500;
/// Most cells of one answer.
pub const MAX_CELLS: usize = 20_000;

/// A question for rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RowsQuery {
    /// The page's number of the table: a newer question of the same table overtakes an older one.
    pub table: u32,
    /// Where the rows come from.
    pub source: Source,
    pub wanted: PageRequest,
}

/// Where rows come from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Source {
    /// A long table.
    Table {
        id: String,
        /// Whether columns without any value are shown too.
        has_empty: bool,
    },
    /// A figure that is a table.
    Figure {
        /// Id of the family.
        id: String,
        /// Option numbers, one for each choice.
        chosen: Vec<usize>,
        /// Whether it is the figure as it was joined with a baseline.
        is_compared: bool,
        /// Whether rows and columns that say nothing are left out.
        is_folded: bool,
    },
    Slices {
        area: Area,
        only: Only,
    },
    Instants(Area),
    /// Slices and instants that a search finds.
    Hits(SearchQuery),
    /// What an area adds up to, by name.
    Sums(Area),
    /// Statistics by name, category or track.
    Statistics(Options),
    Threads(Options),
    /// Kernels, copies and waiting of devices by name.
    KernelSums(device::Options),
    /// Slices of streams of devices.
    Kernels(device::Options),
    /// Those of one name.
    Launches {
        /// What is asked for of host and device.
        options: device::Options,
        name: String,
    },
    /// Operators with what they launched.
    Operators(device::Options),
    /// Functions of an interpreter with what was launched in them.
    Functions(device::Options),
    /// Functions of an interpreter, or modules, inside of each other.
    Tree {
        /// What is asked for of host and device.
        options: device::Options,
        /// Whether only modules are listed.
        is_modules: bool,
        /// Which rows are open.
        shown: Shown,
    },
    /// Operators with what they allocate.
    Memory {
        /// What is asked for of host and device.
        options: device::Options,
        /// Only of this device.
        device: Option<u32>,
    },
    /// Frames of the call tree of an area.
    Calls(Area),
    /// How each track of an area spends the time.
    Idle {
        area: Area,
        /// Whether waiting is work.
        waits: bool,
    },
    /// The longest gaps of an area.
    Gaps {
        area: Area,
        /// Whether waiting is work.
        waits: bool,
    },
    /// What the flows of an area add up to by category.
    Categories(Area),
    Flows {
        area: Area,
        /// Only those of this category.
        category: Option<String>,
    },
    Accesses(AccessScope),
    Blocks {
        look: Look,
        /// Only those that run in this stretch of time.
        range: Option<(f64, f64)>,
    },
}

impl Source {
    /// What the table is called in an address, whatever part of it is shown.
    pub fn name(&self) -> &str {
        match self {
            Self::Table { id, .. } | Self::Figure { id, .. } => id,
            Self::Slices { .. } => "slices",
            Self::Instants(_) => "instants",
            Self::Hits(_) => "hits",
            Self::Sums(_) => "sums",
            Self::Statistics(_) => "statistics",
            Self::Threads(_) => "threads",
            Self::KernelSums(_) => "kernels",
            Self::Kernels(_) | Self::Launches { .. } => "launches",
            Self::Operators(_) => "operators",
            Self::Functions(_) => "functions",
            Self::Tree { .. } => "tree",
            Self::Memory { .. } => "memory",
            Self::Calls(_) => "calls",
            Self::Idle { .. } => "idle",
            Self::Gaps { .. } => "gaps",
            Self::Categories(_) => "categories",
            Self::Flows { .. } => "flows",
            Self::Accesses(_) => "accesses",
            Self::Blocks { .. } => "blocks",
        }
    }
}

/// Rows of a table.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Reply {
    /// The rows as they are shown.
    pub page: Page,
    /// The number of each in the table, whatever the order.
    pub numbers: Vec<u32>,
    /// What each leads to: when it is chosen, and when it is opened.
    pub goals: Vec<[Option<Goal>; 2]>,
    /// What the rows that fit are and add up to, in words.
    pub words: Vec<String>,
    /// How many rows there would be if all could be listed.
    pub n_known: u64,
}
