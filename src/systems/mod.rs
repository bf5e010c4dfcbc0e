//! What each system brings: one folder with everything that knows it, and the registry of them.
//!
//! To add a system: a folder here with one `pub static SYSTEM: System`, and three lines below: the `mod` line and the items
//! of `SYSTEMS` and `CORE` (or, for what is loaded when it is recognized, of a row of `PARTS`, and a part in the program of
//! the worker); where it explains something, the items of `GUIDES` too. Rooms above this one walk the registry and never name
//! a system; rooms below do not know it.

pub mod guides;

#[cfg(feature = "engine")]
mod registry;
#[cfg(feature = "engine")]
pub use registry::*;

#[cfg(feature = "engine")]
use crate::format::Format;

#[cfg(feature = "engine")]
pub mod android;
#[cfg(feature = "engine")]
pub mod ascend;
#[cfg(feature = "engine")]
pub mod dataset;
#[cfg(all(feature = "engine", feature = "demo"))]
pub mod demo;
#[cfg(feature = "engine")]
pub mod gainsight;
#[cfg(feature = "engine")]
pub mod instrumentation;
#[cfg(feature = "engine")]
pub mod neutrino;
#[cfg(feature = "engine")]
pub mod perfetto;
#[cfg(feature = "engine")]
pub mod trace_event;

/// All systems. Where formats of two claim the same files with the same degree, the one that stands first here wins.
///
/// The command line holds all of them. The worker in the browser begins with [`CORE`] and loads [`PARTS`] as their
/// files are recognized.
#[cfg(all(feature = "engine", not(target_arch = "wasm32")))]
#[rustfmt::skip] // one entry a line, so that adding one is one line
pub static SYSTEMS: &[&System] = &[
    &ascend::SYSTEM,
    &trace_event::SYSTEM,
    &android::SYSTEM,
    &perfetto::SYSTEM,
    &neutrino::SYSTEM,
    &instrumentation::SYSTEM,
    &gainsight::SYSTEM,
    &dataset::SYSTEM,
    #[cfg(feature = "demo")] &demo::SYSTEM,
];

/// Tables of a data set that systems fill.
#[cfg(all(feature = "engine", feature = "columns", not(target_arch = "wasm32")))]
#[rustfmt::skip] // one entry a line
pub static TABLES: &[&crate::export::tables::SystemTable] = &[
    &neutrino::tables::LAUNCHES,
    &neutrino::tables::BLOCKS,
    &instrumentation::tables::LAUNCHES,
    &instrumentation::tables::ACCESSES,
    &gainsight::export::rows::TABLE,
];

/// Systems that the worker always holds.
#[cfg(feature = "engine")]
#[rustfmt::skip] // one entry a line
pub static CORE: &[&System] = &[
    &trace_event::SYSTEM,
    #[cfg(feature = "demo")] &demo::SYSTEM,
];

/// What the worker recognizes from the beginning and loads when it is needed: one row for each of its parts. `None` stands
/// for the place of [`CORE`] among them.
#[cfg(feature = "engine")]
#[rustfmt::skip] // one entry a line
pub static PARTS: [Option<&[&[Format]]>; 6] = [
    Some(&[ascend::RECOGNIZED]),
    None,
    Some(&[android::RECOGNIZED, perfetto::RECOGNIZED]),
    Some(&[neutrino::RECOGNIZED, instrumentation::RECOGNIZED]),
    Some(&[gainsight::RECOGNIZED]),
    Some(&[dataset::RECOGNIZED]),
];

/// Parts that are loaded together with each: analyses of pipes, colors and commands of scripts serve traces of all kinds.
#[cfg(feature = "engine")]
const LOADED_WITH: [&[usize]; PARTS.len()] = [&[], &[0], &[0], &[], &[], &[]];

/// The guides of all systems that have one.
#[rustfmt::skip] // one entry a line, so that adding one is one line
pub static GUIDES: &[&guides::Guide] = &[
    &guides::PAGE,
    &trace_event::guide::RECORDING,
    &trace_event::guide::IDLE,
    &trace_event::guide::STEPS,
    &trace_event::guide::LATENCY,
    &trace_event::guide::QUEUE,
    &ascend::guide::GUIDE,
    &ascend::guide::RECORDING,
    &instrumentation::guide::GUIDE,
    &instrumentation::guide::RECORDING,
    &neutrino::guide::GUIDE,
    &neutrino::guide::RECORDING,
    &gainsight::guide::GUIDE,
    &gainsight::guide::RECORDING,
    &android::guide::GUIDE,
    &android::guide::RECORDING,
];

// What the page tells of them.
#[cfg(not(feature = "engine"))]
mod android {
    pub(super) mod guide;
    mod nnapi {
        pub(super) mod lesson;
        pub(super) mod mark;
    }
}
#[cfg(not(feature = "engine"))]
mod ascend {
    pub(super) mod guide;
}
#[cfg(not(feature = "engine"))]
mod gainsight {
    pub(super) mod guide;
}
#[cfg(not(feature = "engine"))]
mod instrumentation {
    pub(super) mod guide;
}
#[cfg(not(feature = "engine"))]
mod neutrino {
    pub(super) mod guide;
}
#[cfg(not(feature = "engine"))]
mod trace_event {
    pub(super) mod guide;
}
