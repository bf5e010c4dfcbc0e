//! Logs, tables and reports of architecture simulators and of what follows lifetimes of data.

#![no_main]

lanescope_fuzz::target!("gainsight", "trace.csv");
