//! The axis of addresses: clusters above each other with the empty gaps between them left out, or one plain scale.
//!
//! Places on it are shares: 0 is the lowest address, 1 the highest. A cluster's part of the axis grows with the
//! logarithm of its bytes, so that a small one stays visible beside a large one; within a cluster the scale is linear.

use super::spread::Cluster;

/// Share of the axis between two clusters.
const BREAK: f64 = 0.014;

/// The axis.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Axis {
    /// Stretches from the lowest place; those of one space stand together, in the order of their addresses.
    pub segments: Vec<Segment>,
}

/// A stretch of addresses on the axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Segment {
    /// Its address space; `None` holds all spaces.
    pub space: Option<u32>,
    /// First address.
    pub start: u64,
    /// Last address.
    pub last: u64,
    /// Place of the first address.
    pub from: f64,
    /// Place behind the last address.
    pub to: f64,
}

impl Segment {
    /// How many addresses it holds.
    pub fn bytes(&self) -> f64 {
        (self.last - self.start) as f64 + 1.0
    }

    /// The place of the lower edge of an address, counted from `start`; may lie outside.
    pub fn place(&self, address: u64) -> f64 {
        let offset = (i128::from(address) - i128::from(self.start)) as f64;
        self.from + offset / self.bytes() * (self.to - self.from)
    }

    /// The address at a place, kept inside.
    pub fn address(&self, place: f64) -> u64 {
        let offset = (place - self.from) / (self.to - self.from) * self.bytes();
        self.start.saturating_add(offset.max(0.0) as u64).min(self.last)
    }
}

impl Axis {
    /// The axis of these clusters, which are in order.
    pub(super) fn new(clusters: &[Cluster], is_linear: bool) -> Self {
        let Some(start) = clusters.iter().map(|c| c.1).min() else { return Self::default() };
        if is_linear {
            let last = clusters.iter().map(|c| c.2).max().unwrap_or(start);
            return Self { segments: vec![Segment { space: None, start, last, from: 0.0, to: 1.0 }] };
        }
        let weight = |&(_, a, b): &Cluster| 4.0 + ((b - a) as f64 / 64.0 + 1.0).log2();
        let total: f64 = clusters.iter().map(weight).sum();
        let room = 1.0 - BREAK * (clusters.len() - 1) as f64;
        let mut at = 0.0;
        let one = |cluster: &Cluster| {
            let from = at;
            let to = from + weight(cluster) / total * room;
            at = to + BREAK;
            Segment { space: Some(cluster.0), start: cluster.1, last: cluster.2, from, to }
        };
        Self { segments: clusters.iter().map(one).collect() }
    }

    /// The axis of stretches of one space, which are in order.
    pub fn of(stretches: &[(u64, u64)]) -> Self {
        let clusters: Vec<Cluster> = stretches.iter().map(|&(start, last)| (0, start, last)).collect();
        Self::new(&clusters, false)
    }

    /// The segment that holds an address of a space.
    pub fn segment(&self, space: u32, address: u64) -> Option<usize> {
        let holds =
            |s: &Segment| s.space.is_none_or(|own| own == space) && s.start <= address && address <= s.last;
        self.segments.iter().position(holds)
    }

    /// The segment at a place.
    pub fn at(&self, place: f64) -> Option<usize> {
        self.segments.iter().position(|s| s.from <= place && place <= s.to)
    }

    /// The addresses of each segment that are seen between two places; `None` for those outside.
    pub fn seen(&self, (low, high): (f64, f64)) -> Vec<Option<(u64, u64)>> {
        let one = |s: &Segment| {
            let is_seen = s.from < high && low < s.to;
            is_seen.then(|| (s.address(low.max(s.from)), s.address(high.min(s.to))))
        };
        self.segments.iter().map(one).collect()
    }
}
