//! Parquet and Arrow of data sets.

#![no_main]

lanescope_fuzz::target!("dataset", "part.parquet");
