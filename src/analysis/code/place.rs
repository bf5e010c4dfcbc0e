//! Which listing a place of code is in: several may have the same addresses, or the same path.
//!
//! What names an address (a slice, an access, a cell of a map) stands in an entry of the bundle and may name a kernel. Of
//! the listings that have the address, those of the same entry count when there are any, and of these those of the same
//! kernel when there are any. What is left is all offered: none of them is more right than the others.

use crate::model::Trace;
use crate::model::code::{Code, CodeScope, Listing, ListingKind};
use crate::model::id::{ListingId, StrId, TrackId};

/// A row of a listing.
pub type Place = (ListingId, u32);

/// What names a place of code. The default knows nothing of where it belongs.
#[derive(Clone, Debug, Default)]
pub struct Referrer {
    entry: Option<u32>,
    /// Names that may be those of kernels; none is empty.
    kernels: Vec<StrId>,
}

impl Referrer {
    /// A table or an instruction that says whose code it is about.
    pub fn of(scope: CodeScope) -> Self {
        let kernels = (scope.kernel != StrId::default()).then_some(scope.kernel);
        Self { entry: scope.entry, kernels: kernels.into_iter().collect() }
    }

    /// The slices of a track: they belong to the kernel that the track, or a group above it, is named after.
    pub fn of_track(trace: &Trace, id: TrackId) -> Self {
        let mut kernels = Vec::new();
        let mut at = trace.tracks.find(id);
        let entry = at.map(|track| track.entry);
        while let Some(track) = at {
            kernels.extend(Some(track.name).filter(|name| *name != StrId::default()));
            at = track.parent.and_then(|parent| trace.tracks.find(parent));
        }
        Self { entry, kernels }
    }

    /// The places that belong to it; all where none does.
    pub fn narrow(&self, code: &Code, mut places: Vec<Place>) -> Vec<Place> {
        let scope = |place: &Place| code.listings.get(place.0.index()).map(|listing| listing.scope);
        let is_of_entry =
            |place: &Place| self.entry.is_some() && scope(place).is_some_and(|s| s.entry == self.entry);
        let is_of_kernel = |place: &Place| scope(place).is_some_and(|s| self.kernels.contains(&s.kernel));
        if places.iter().any(is_of_entry) {
            places.retain(is_of_entry);
        }
        if places.iter().any(is_of_kernel) {
            places.retain(is_of_kernel);
        }
        places
    }
}

/// The instructions that hold an address, one of each listing: the last at or before it. How long the last instruction
/// of a listing is, nobody knows: an address behind it counts only where no other listing has the address.
pub fn rows_of_address(code: &Code, address: u64, referrer: &Referrer) -> Vec<Place> {
    let rows = (0u32..).zip(&code.listings).filter_map(|(id, _)| row_in(code, ListingId(id), address));
    let mut places = referrer.narrow(code, rows.collect());
    let is_inside = |(id, _): &Place| {
        let last = code.listings.get(id.index()).and_then(|listing| listing.address.last());
        last.is_some_and(|&last| address <= last)
    };
    if places.iter().any(is_inside) {
        places.retain(is_inside);
    }
    places
}

/// The instruction of a listing that holds an address: the last at or before it.
pub fn row_in(code: &Code, listing: ListingId, address: u64) -> Option<Place> {
    let addresses = &code.listings.get(listing.index())?.address;
    let row = addresses.partition_point(|&a| a <= address).checked_sub(1)?;
    Some((listing, row as u32))
}

/// The rows of a line (from 1) in the sources with this path, or in those of the same file name when none has.
pub fn rows_of_line(code: &Code, path: &str, line: u32, referrer: &Referrer) -> Vec<Place> {
    let name = |path: &str| path.rsplit(['/', '\\']).next().unwrap_or("").to_owned();
    let rows = |is_meant: &dyn Fn(&Listing) -> bool| -> Vec<Place> {
        let sources = (0u32..).zip(&code.listings).filter(|(_, listing)| listing.kind == ListingKind::Source);
        let meant = sources.filter(|(_, listing)| is_meant(listing));
        meant.map(|(id, _)| (ListingId(id), line.saturating_sub(1))).collect()
    };
    let mut places = rows(&|listing| listing.title == path);
    let wanted = name(path);
    if places.is_empty() && !wanted.is_empty() {
        places = rows(&|listing| name(&listing.title) == wanted);
    }
    referrer.narrow(code, places)
}

/// Rows of a listing whose addresses lie in these ranges (ascending, apart, both ends inside), ascending. Costs a search
/// for each range, and the rows that are found.
pub fn rows_within(listing: &Listing, ranges: &[(u64, u64)]) -> Vec<u32> {
    let rows = ranges.iter().flat_map(|&(from, to)| {
        let first = listing.address.partition_point(|&a| a < from);
        let end = listing.address.partition_point(|&a| a <= to);
        first as u32..end as u32
    });
    rows.collect()
}
