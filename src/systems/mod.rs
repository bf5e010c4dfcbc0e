//! What each system brings: one folder with everything that knows it, and the registry of them.
//!
//! To add a system: a folder here with one `pub static SYSTEM: System`, and three lines: the `mod` line below and the items
//! of `SYSTEMS` and `CORE` in `registry.rs` (or, for what is loaded when it is recognized, of a row of `PARTS`, and a part in the
//! program of the worker). Rooms above this one walk the registry and never name a system; rooms below do not know it.

pub mod guides;

#[cfg(feature = "engine")]
mod registry;
#[cfg(feature = "engine")]
pub use registry::*;

#[cfg(feature = "engine")]
pub mod android;
#[cfg(feature = "engine")]
pub mod ascend;
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
