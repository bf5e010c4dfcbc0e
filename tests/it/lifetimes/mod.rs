//! The view of lifetimes: what is drawn of hand-made lengths, and what a document answers.

mod addresses;
mod compare;
mod conclusions;
pub(crate) mod front;
mod picture;
