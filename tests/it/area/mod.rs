//! What a range holds: call trees, tracks busy together, gaps, flows.

mod corpus;
mod front;
mod oracles;
mod range;
