//! How logs are recognized: by the banner, by lines that only these simulators write.

use super::line::{Line, MARK};
use crate::base::words::message;
use crate::format::{Degree, ProbeResult, unreadable};
use crate::input::bundle::Entry;
use crate::input::source::read_range;
use memchr::memmem;

/// Bytes that are looked at: others may print before the simulator does.
const HEAD: u64 = 64 << 10;

/// What only these simulators write.
const MARKS: [&[u8]; 5] = [
    b"GPGPU-Sim Simulator Version ",
    b"GPGPU-Sim: Configuration options",
    b"GPGPU-Sim PTX: ",
    b"GPGPU-Sim uArch: ",
    b"\ngpu_tot_sim_cycle = ",
];

/// Looks at an entry.
pub(super) fn look(entry: &Entry) -> ProbeResult {
    let bytes = read_range(&*entry.source, 0..HEAD).map_err(|error| (0, unreadable(&error.0)))?;
    if let Some(mark) = MARKS.iter().find(|mark| memmem::find(&bytes, mark).is_some()) {
        let what = String::from_utf8_lossy(mark.trim_ascii()).into_owned();
        return Ok((Degree::Certain, "log", message("a line has {what}").with("what", what)));
    }
    let is_access = |at: usize| {
        let rest = bytes.get(at..).unwrap_or(&[]);
        let line = rest.split(|b| matches!(b, b'\n' | b'\r')).next().unwrap_or(rest);
        matches!(Line::read(line), Line::Access(..) | Line::Probe(_))
    };
    let mut marked = memmem::find_iter(&bytes, MARK).peekable();
    let has_marks = marked.peek().is_some();
    if marked.any(is_access) {
        return Ok((Degree::Certain, "log", message("a line is an access to a cache")));
    }
    Err((if has_marks { 40 } else { 0 }, message("no line is of the simulator")))
}
