//! What tools write that instrument kernels: tracers of accesses, of instructions, of programs in memory.

#![no_main]

lanescope_fuzz::target!("instrumentation", "kernel-1.trace");
