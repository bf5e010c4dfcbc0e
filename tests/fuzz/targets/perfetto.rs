//! Packets of Perfetto.

#![no_main]

lanescope_fuzz::target!("perfetto", "trace.pftrace");
