//! What files are made of: blocks of containers, operators of projects.

pub mod block;
pub mod operator;

use crate::base::words::Message;
use serde::{Deserialize, Serialize};

/// Something that files of a format can hold and these do not.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Missing {
    /// Id of the view or the figure that would show it.
    pub id: String,
    /// What a person calls it, an English phrase of `base::words`.
    pub title: String,
    /// Why it is not there and how to get it, in one sentence.
    pub why: Message,
}
