//! The frame around the views: top bar, rail, tabs, status bar, and what stands in place of a view.

pub mod compare;
pub mod export;
pub mod file_menu;
pub mod operators;
pub mod rail;
pub mod states;
pub mod status;
pub mod top;
pub mod views;
