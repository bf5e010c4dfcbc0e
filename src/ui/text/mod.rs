//! Text that is more than a node: a layer of it over a picture, and text that changes with every frame.

pub mod layer;
pub mod throttle;
