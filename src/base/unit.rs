//! The unit of a number: what it counts, how it is written, and how two combine.

use super::words::{reader, tr};
use serde::{Deserialize, Serialize};

/// What a number counts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Unit {
    /// A plain number without a unit.
    #[default]
    None,
    /// Nanoseconds; written as ns, µs, ms or s.
    Nanos,
    /// Milliseconds, as some tools print all times; what is less than one is written as µs or ns.
    Millis,
    /// Microseconds as the file gives them; what is less than one is written as ns.
    Micros,
    /// Clock cycles.
    Cycles,
    /// Bytes; written as B, KiB, MiB, GiB.
    Bytes,
    /// Bytes in a second.
    BytesPerSec,
    /// 10⁹ bytes in a second, as many tools print bandwidth.
    GigabytesPerSec,
    /// 10⁶ bytes in a second.
    MegabytesPerSec,
    /// 10¹² bytes in a second.
    TerabytesPerSec,
    /// Percent, 0 to 100.
    Percent,
    /// A share, 0 to 1; written as percent.
    Share,
    /// How many of something; the word is plural, such as "instructions".
    Count(String),
    OpsPerByte,
    /// 10¹² operations in a second.
    TeraOpsPerSec,
    /// Instructions in a cycle.
    PerCycle,
    /// 10⁶ times in a second.
    Megahertz,
    /// An address; written in hexadecimal.
    Address,
    /// Any other unit, as the file writes it.
    Other(String),
}

impl Unit {
    /// The short name written behind a number or in the head of a column; empty when there is none.
    pub fn symbol(&self) -> &str {
        match self {
            Self::None | Self::Address => "",
            Self::Nanos => "ns",
            Self::Micros => "µs",
            Self::Millis => "ms",
            Self::Cycles => "cycles",
            Self::Bytes => "B",
            Self::BytesPerSec => "B/s",
            Self::GigabytesPerSec => "GB/s",
            Self::MegabytesPerSec => "MB/s",
            Self::TerabytesPerSec => "TB/s",
            Self::Percent | Self::Share => "%",
            Self::Count(what) | Self::Other(what) => what,
            Self::OpsPerByte => "Ops/Byte",
            Self::TeraOpsPerSec => "TOps/s",
            Self::PerCycle => "per cycle",
            Self::Megahertz => "MHz",
        }
    }

    /// The same as people read it: a word is in the language of the [`reader`].
    pub fn word(&self) -> &str {
        tr(reader(), self.symbol())
    }

    /// The smallest unit of the same kind, and how many of it are one of this: a millisecond is 10⁶ nanoseconds.
    pub fn smallest(&self) -> (Self, f64) {
        match self {
            Self::Micros => (Self::Nanos, 1e3),
            Self::Millis => (Self::Nanos, 1e6),
            Self::MegabytesPerSec => (Self::BytesPerSec, 1e6),
            Self::GigabytesPerSec => (Self::BytesPerSec, 1e9),
            Self::TerabytesPerSec => (Self::BytesPerSec, 1e12),
            Self::Share => (Self::Percent, 100.0),
            other => (other.clone(), 1.0),
        }
    }

    /// Whether more is worse (times, cycles), better (work in a time), or neither; decides the color of a difference.
    pub fn sense(&self) -> Preference {
        match self {
            Self::Nanos | Self::Micros | Self::Millis | Self::Cycles => Preference::LessIsBetter,
            // Bandwidth is neither: more of it may be traffic that nobody needs.
            Self::TeraOpsPerSec | Self::PerCycle => Preference::MoreIsBetter,
            _ => Preference::Neutral,
        }
    }

    /// The same of a quantity of this name. Cycles in which a unit works are work, which is neither; of what is bad by
    /// itself, such as waits and misses, less is better whatever it is counted in.
    pub fn sense_of(&self, name: &str) -> Preference {
        let name = name.to_lowercase();
        let says = |words: &[&str]| {
            let mut parts = name.split(|letter: char| !letter.is_alphanumeric());
            parts.any(|part| words.contains(&part))
        };
        match self {
            Self::Cycles | Self::None | Self::Count(_) if says(&BAD) => Preference::LessIsBetter,
            // `aiv_vec_cycles` of a file is of one unit, `aiv_total_cycles` of all.
            Self::Cycles if says(&["active", "busy"]) => Preference::Neutral,
            Self::Cycles if name.contains("_cycles") && !says(&["total"]) => Preference::Neutral,
            Self::Percent | Self::Share if GOOD.iter().any(|good| name.contains(good)) => {
                Preference::MoreIsBetter
            }
            Self::Percent | Self::Share if LESS.iter().any(|less| name.contains(less)) => {
                Preference::LessIsBetter
            }
            _ => self.sense(),
        }
    }
}

/// What is bad by itself.
const BAD: [&str; 10] =
    ["wait", "waits", "waiting", "stall", "stalls", "stalled", "conflict", "conflicts", "miss", "misses"];

/// Shares that are good by themselves, whatever else changed: other shares may fall since another part rose.
const GOOD: [&str; 4] = ["hit rate", "share of roof", "share of peak", "fits without refresh"];

/// Shares of which less is better in the same way.
const LESS: [&str; 2] = ["miss rate", "area relative to"];

/// Which direction of a difference is good.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Preference {
    /// A fall is an improvement.
    LessIsBetter,
    /// A rise is an improvement.
    MoreIsBetter,
    Neutral,
}
