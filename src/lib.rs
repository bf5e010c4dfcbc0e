//! Lanescope opens profiles of AI accelerators and GPUs in the browser and shows what the hardware did.
//!
//! This page is the map of the source. One package, small programs over one library: `page` (the leptos page), `worker`
//! (owns one opened document and draws it; most systems are parts of it, loaded when their files are recognized) and
//! `lanescope` (the same library on the command line).
//!
//! # The picture
//!
//! ```text
//!    files, folders                                                               pixels
//!         │                                                                         ▲
//!  ═══════╪═══════════════════ main thread: the page ═══════════════════════════════╪══════
//!         ▼                                                                         │
//!    page::opening      page::state ◀── selection, window, words            <canvas> whose
//!         │                  │   ▲                                         surface was handed
//!         │ File handles     ▼   │ answers: rows, figures, facts           to the worker
//!         ▼            views::*::page ──┘ (small)                                   │
//!    page::documents ─ wire: Open, Query, Draw ────────────┐                        │
//!         ▲            wire: Progress, Answer, Drawn ──────┤                        │
//!  ═══════╪══════════════ one worker for each document ════╪════════════════════════╪══════
//!         │                                                ▼                        │
//!    engine::worker   input          format           model         analysis    views::*::scene
//!    File ─▶ ByteSource ─▶ Bundle ─▶ probe ─▶ read ─▶ TraceBuilder ─▶ Trace ─▶ derive ─▶ Scene
//!             (stream, slices)        claims   Sink  ─▶ faults    └─▶ views::*::ask ─▶ Answer
//! ```
//!
//! # Rooms
//!
//! | room | may import | what it holds |
//! | --- | --- | --- |
//! | [`base`] | – | words: time, unit, number text, fault, geometry, languages; jobs |
//! | [`input`] | base | bytes with addresses, archives, text and JSON with offsets |
//! | [`model`] | base | what the files said, as tables; figures |
//! | [`format`](mod@format) | base, input, model | what a reader is: probe, claim, reading, sink, taps |
//! | [`analysis`] | base, model | what several views compute; what an analysis and a parameter are |
//! | [`scene`] | base | what is drawn, without a screen |
//! | [`draw`] | base, model, analysis, scene | from rows and figures to shapes and charts |
//! | [`export`] | base, input, model, format, analysis, scene, draw | what an export and a request are; the general exports |
//! | [`navigation`] | base, model | what is shown and how one gets there: addresses, selection, history, keys, search |
//! | [`findings`] | base, input, model, format, analysis, navigation | what limits a program: rules, places, the general ones |
//! | `browser` | base, scene | what both programs need of the browser: a brush for its canvas, texts of its errors |
//! | `ui` | base, scene, browser | widgets that know nothing of traces |
//! | [`wire`] | base, model, analysis, scene, draw | the messages across the worker border; views have their own |
//! | [`document`] | base, input, model, format, analysis, scene, draw, findings, wire | what is kept of an opened document; what a view is in the worker |
//! | `pane` | base, model, analysis, scene, draw, navigation, browser, ui, wire | what the pages of all views share |
//! | [`views`] | all above but export | one folder for each view, see there |
//! | [`systems`] | base, input, model, format, analysis, scene, draw, export, findings, views | one folder for each system: its readers, analyses, exports, requests |
//! | [`engine`] | all above but ui, pane and navigation | the front door: opens a bundle, answers, draws; walks the registry of systems; the worker around it |
//! | `page` | base, model, analysis, scene, navigation, browser, ui, wire, pane, views, [guides](systems::guides) of systems | the program around the views |
//!
//! `browser`, `ui`, `pane`, `page`, `engine::worker` and the pages of views name the browser and exist only for wasm;
//! everything else compiles and is tested natively. Each program compiles its own rooms: the page has no `input`, `format`,
//! `export`, `document`, `engine` or readers (feature `engine`), the worker no `ui`, `pane`, `page` or pages of views
//! (feature `page`). `tests/it/tidy.rs` holds this table true.
//!
//! # What holds everywhere
//!
//! 1. A worker is a document: it reads, answers and draws. The page holds no trace, only what is on its panels.
//! 2. What grows with the trace stays in the worker; what crosses is bounded by the screen or is a file for saving.
//! 3. Loading is cooperative: between pieces of some 10 ms the worker draws, answers and can be ended.
//! 4. Details of single events stay in the file; the trace keeps their byte range.
//! 5. Figures are data; views draw any of them, export and compare work on any of them.
//! 6. A view asks what a document holds, never who wrote it. Vendor words come from [`base::terms::Terms`].
//! 7. A [`model::Trace`] is made only by [`model::build::TraceBuilder`] and never changes afterwards.
//! 8. A reader never fails on damage it can walk around, never panics, and never allocates by a number from the file.
//! 9. A frame costs at most visible rows × width in pixels.
//! 10. Everything that can be asked goes through [`document::Document::query`]: what the page shows, the command line prints.

// Each program uses a part of the rooms that both share; lints judge them together.
#![cfg_attr(
    not(all(feature = "page", feature = "engine")),
    allow(dead_code, unreachable_pub, unused_imports)
)]

pub mod analysis;
pub mod base;
pub mod draw;
pub mod model;
pub mod navigation;
pub mod scene;
pub mod systems;
pub mod views;
pub mod wire;

#[cfg(feature = "engine")]
pub mod document;
#[cfg(feature = "engine")]
pub mod engine;
#[cfg(feature = "engine")]
pub mod export;
#[cfg(feature = "engine")]
pub mod findings;
#[cfg(feature = "engine")]
pub mod format;
#[cfg(feature = "engine")]
pub mod input;

#[cfg(target_arch = "wasm32")]
pub mod browser;
#[cfg(all(target_arch = "wasm32", feature = "page"))]
pub mod page;
#[cfg(all(target_arch = "wasm32", feature = "page"))]
pub mod pane;
#[cfg(all(target_arch = "wasm32", feature = "page"))]
pub mod ui;
