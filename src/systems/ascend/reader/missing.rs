//! What a profile could hold and does not, with how to record it: the writer leaves blocks out that it was not asked for.
//!
//! | block | written by |
//! |---|---|
//! | 01, 03, 04 | `msprof op --aic-metrics=Source`, the simulator; both need `-g` |
//! | 02 | the simulator |
//! | 0C, 0D | `msprof op --aic-metrics=Occupancy`, `=Roofline` |
//! | 08 | `msprof op` on a device |

use super::header::Type;
use crate::base::words::{Message, message, phrase};
use crate::model::Trace;
use crate::model::files::Missing;

/// Something that can be missing: the view or figure that shows it, its title, its blocks, and how to record it.
struct Part {
    id: &'static str,
    title: &'static str,
    blocks: &'static [u8],
    why: fn() -> Message,
}

const PARTS: [Part; 5] = [
    Part {
        id: "timeline",
        title: "Timeline",
        blocks: &[Type::TRACE],
        why: || message("No timeline in this file: record one with msprof op simulator."),
    },
    Part {
        id: "source",
        title: "Source",
        blocks: &[Type::SOURCE, Type::API_FILE, Type::API_INSTR],
        why: || {
            message(
                "No source in this file: compile the kernel with -g, and record with msprof op --aic-metrics=Source or with msprof op simulator.",
            )
        },
    },
    Part {
        id: "core-occupancy",
        title: phrase("Core occupancy"),
        blocks: &[Type::OCCUPANCY],
        why: || {
            message(
                "No core occupancy in this file: record with msprof op --aic-metrics=Occupancy on a device.",
            )
        },
    },
    Part {
        id: "roofline-chart",
        title: phrase("Roofline"),
        blocks: &[Type::ROOFLINE],
        why: || {
            message("No rooflines in this file: record with msprof op --aic-metrics=Roofline on a device.")
        },
    },
    Part {
        id: "memory-graph",
        title: phrase("Memory chart"),
        blocks: &[Type::MEMORY_GRAPH],
        why: || message("No memory chart in this file: record with msprof op on a device."),
    },
];

/// Adds what is not there. A block that is there but could not be read is no missing one; its faults say what happened.
pub(super) fn note(has_container: bool, trace: &mut Trace) {
    for part in &PARTS {
        let is_of_it = |kind: u32| part.blocks.iter().any(|own| u32::from(*own) == kind);
        if trace.blocks.iter().any(|block| is_of_it(block.kind)) {
            continue;
        }
        let why = if has_container {
            (part.why)()
        } else {
            message("CSV files do not hold this: open visualize_data.bin of the same run with them.")
        };
        trace.missing.push(Missing { id: part.id.to_owned(), title: part.title.to_owned(), why });
    }
}
