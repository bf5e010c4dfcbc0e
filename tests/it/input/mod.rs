//! Bytes before any reader sees them: archives and JSON; parts of the program that cannot be had.

mod json;
mod parts;
mod unpack;
