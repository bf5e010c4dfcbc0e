//! Drives the built page in real browsers, through their drivers: Chromium, Firefox and `WebKit`.
//!
//! A journey gets a fresh browser and a server of its own, with the page under a sub-path as on GitHub Pages; as many run
//! at a time as there are processors.
//! Whatever a journey looks at, it fails when the page wrote an error to the console or asked another origin.
//! `cargo xtask test` says where the page and the browser are (`LANESCOPE_DIST`, `CHROME`, `CHROMEDRIVER`; with
//! `--engines` also `FIREFOX`, `GECKODRIVER`, `MINIBROWSER`, `WEBKITDRIVER`).

pub mod journey;

pub mod driver;
pub mod engine;
pub mod page;

mod actions;
pub mod pointer;
pub mod screen;

pub mod probe;

pub mod traces;

/// What a journey ends with; `?` works on everything that can go wrong in one.
pub type Outcome<T = ()> = Result<T, Box<dyn std::error::Error>>;

pub use journey::{journey, journey_in, journey_kept, journey_recorded};
pub use page::Page;
