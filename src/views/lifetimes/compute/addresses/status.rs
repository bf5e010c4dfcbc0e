//! What became of an access, as it is shown: loads that wait are told from those that miss.

use crate::base::map::Map;
use crate::views::lifetimes::compute::{Access, Operation, Outcome, SECTOR_BYTES};

/// What became of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// The data were there.
    Hit,
    /// The data were on their way.
    Pending,
    /// The data were not there.
    Miss,
    /// The access could not be taken and comes again.
    Retry,
}

/// All of them, by their numbers.
pub const STATUSES: [Status; 4] = [Status::Hit, Status::Pending, Status::Miss, Status::Retry];

/// Keys that are kept before those are dropped that do not matter any more.
const KEPT: usize = 1 << 14;

/// Tells loads that wait from those that miss. A load that misses waits where the same data were missed within the fill
/// time, and have not come since.
#[derive(Clone, Default)]
pub(super) struct Waiting {
    is_private: bool,
    fill_cycles: u64,
    /// When data were asked for, by unit and sector.
    asked: Map<(u32, u64), u64>,
    latest: u64,
    room: usize,
}

impl Waiting {
    pub(super) fn new(is_private: bool, fill_cycles: u64) -> Self {
        Self { is_private, fill_cycles, room: KEPT, ..Self::default() }
    }

    /// The status of the next access.
    #[inline]
    pub(super) fn status(&mut self, access: &Access) -> Status {
        if access.outcome == Outcome::Retry {
            return Status::Retry;
        }
        let unit = if self.is_private { access.unit } else { 0 };
        let key = (unit, access.address / SECTOR_BYTES);
        self.latest = self.latest.max(access.cycle);
        if access.operation == Operation::Store || access.outcome == Outcome::Hit {
            self.asked.remove(&key);
        }
        match access.outcome {
            Outcome::Hit => Status::Hit,
            Outcome::Pending => Status::Pending,
            Outcome::Miss if access.operation == Operation::Load => self.missed(key, access.cycle),
            _ => Status::Miss,
        }
    }

    fn missed(&mut self, key: (u32, u64), cycle: u64) -> Status {
        if let Some(asked) = self.asked.get(&key)
            && cycle.saturating_sub(*asked) <= self.fill_cycles
        {
            return Status::Pending;
        }
        self.asked.insert(key, cycle);
        if self.room < self.asked.len() {
            self.drop_old();
            self.room = KEPT.max(self.asked.len() * 2);
        }
        Status::Miss
    }

    fn drop_old(&mut self) {
        let (latest, fill) = (self.latest, self.fill_cycles);
        self.asked.retain(|_, asked| latest.saturating_sub(*asked) <= fill);
    }

    /// The same at this place, with no more than matters.
    pub(super) fn snapshot(&mut self) -> Self {
        self.drop_old();
        self.clone()
    }
}
