//! What `cargo xtask` is made of. `main.rs` chooses the command; the browser tests use [`server`] too.
//!
//! Everything here is std only. Whatever is missing on a machine is named, with what is done about it and
//! how long that usually takes; what cannot be done ends in a [`say::Issue`], a sentence for the user.

pub mod say;

pub mod packages;
pub mod place;
pub mod tools;

pub mod browser;
pub mod browsers;
pub mod page;

pub mod archive;
pub mod server;

pub mod bench;

pub mod tally;

pub mod engines;

pub mod suite;

pub mod check;
