//! Ascend operators: profiles of msprof op and the simulator, figures of kernels, requests of the design document.

pub mod colors;
pub mod guide;
pub mod kernel;
pub mod reader;
pub mod requests;

mod bound;

use super::System;
use crate::analysis::compare::headline::of_facts;
use crate::base::words::phrase;
use crate::format::Format;

/// Its formats where it is not loaded.
pub(super) static RECOGNIZED: &[Format] = &[reader::FORMAT.recognized()];

/// The system.
pub static SYSTEM: System = System {
    id: "ascend",
    title: phrase("Ascend operators"),
    formats: &[&reader::FORMAT],
    analyses: &[&kernel::ANALYSIS],
    exports: &[],
    requests: requests::REQUESTS,
    color_schemes: &[&colors::MINDSTUDIO],
    examples: &["visualize_data.bin --svg details --colors mindstudio --out details.svg"],
    search_prefixes: &[],
    headline: |input| of_facts(input.trace).into_iter().collect(),
};
