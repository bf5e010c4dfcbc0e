//! Containers and projects of MindStudio Insight.

#![no_main]

lanescope_fuzz::target!("ascend", "visualize_data.bin");
