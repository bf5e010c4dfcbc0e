//! Folders of Neutrino.

#![no_main]

lanescope_fuzz::target!("neutrino", "event.log");
