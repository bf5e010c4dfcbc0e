//! Archives: .zip, .tar, .gz, .xz and .zst, also within each other, with files of any system in them.

#![no_main]

lanescope_fuzz::target!("archives", "files.zip");
