//! Launches of kernels: on the timeline, as tables, and what the probes cost.

pub(super) mod tracks;
