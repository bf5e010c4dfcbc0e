//! Bytes before any reader sees them: archives and JSON.

mod json;
mod unpack;
