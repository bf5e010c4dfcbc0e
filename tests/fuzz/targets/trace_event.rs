//! Trace Event JSON.

#![no_main]

lanescope_fuzz::target!("trace_event", "trace.json");
