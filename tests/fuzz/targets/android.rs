//! Android systrace, and the marks of NNAPI in it.

#![no_main]

lanescope_fuzz::target!("android", "trace.txt");
