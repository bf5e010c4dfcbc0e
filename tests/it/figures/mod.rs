//! Figures: hand-made ones of five systems, drawn, compared and saved.

mod compare;
mod export;
pub(crate) mod specimen;
mod views;
