//! What single modules promise, module by module.

mod analysis;
mod android;
mod ascend;
mod base;
mod draw;
mod export;
mod gainsight;
mod input;
mod instrumentation;
mod model;
mod neutrino;
mod perfetto;
mod scene;
mod time;
mod trace_event;
mod views;
