//! What is shown and how one gets there, without a browser: addresses, the selection, windows to go back to, key
//! presses, what a search for commands finds. The page and its views connect it with signals and events.

pub mod brush;
pub mod history;
pub mod keys;
pub mod route;
pub mod search;
pub mod selection;
pub mod shown;
