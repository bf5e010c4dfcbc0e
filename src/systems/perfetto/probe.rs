//! Recognizes traces of Perfetto by their first packets.

use super::packet::{fields, packets};
use crate::base::words::message;
use crate::format::{Degree, ProbeResult};
use crate::input::bundle::Entry;
use crate::input::source::read_range;

/// How much of a file is looked at.
const HEAD: u64 = 1 << 16;

/// Role of a trace.
const PACKETS: &str = "packets";

/// Names of its files.
const ENDINGS: [&str; 3] = [".pftrace", ".perfetto-trace", ".perfetto"];

/// Looks at an entry.
pub(super) fn look(entry: &Entry) -> ProbeResult {
    let read = |n: u64| read_range(&*entry.source, 0..n).unwrap_or_default();
    let n = match read(1).first() {
        Some(&packets::PACKET) => fields::packets_in(&read(HEAD), entry.source.len()),
        Some(_) => 0,
        None => return Err((0, message("expected packets, found nothing"))),
    };
    match n {
        0 if ENDINGS.iter().any(|ending| entry.name().ends_with(ending)) => {
            Ok((Degree::Possible, PACKETS, message("it has a Perfetto file name")))
        }
        0 => Err((0, message("it does not begin with a Perfetto packet"))),
        1 => Ok((Degree::Likely, PACKETS, message("it begins with a Perfetto packet"))),
        _ => Ok((Degree::Certain, PACKETS, message("it begins with Perfetto packets"))),
    }
}
