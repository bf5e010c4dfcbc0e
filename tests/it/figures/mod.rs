//! Figures: hand-made ones of five systems, drawn, compared and saved.

mod compare;
mod export;
mod keys;
mod layout;
mod legend;
mod parts;
pub(crate) mod specimen;
mod views;
