//! Recognizes traces of Perfetto by their first packets.

use super::packet::{fields, packets};
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
        None => return Err((0, "expected packets, found nothing".to_owned())),
    };
    match n {
        0 if ENDINGS.iter().any(|ending| entry.name().ends_with(ending)) => {
            Ok((Degree::Possible, PACKETS, "it has a Perfetto file name".to_owned()))
        }
        0 => Err((0, "it does not begin with a Perfetto packet".to_owned())),
        1 => Ok((Degree::Likely, PACKETS, "it begins with a Perfetto packet".to_owned())),
        _ => Ok((Degree::Certain, PACKETS, "it begins with Perfetto packets".to_owned())),
    }
}
