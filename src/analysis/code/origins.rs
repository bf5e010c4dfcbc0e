//! Where slices come from: the instruction and the lines of source that their arguments name.
//!
//! The arguments stay in the file. Whoever reads them hands over, slice by slice, what each one names; few slices name
//! something of their own, so a slice costs four bytes here and every different place is kept once.

use crate::base::map::Map;
use crate::base::time::{Ticks, Total};
use crate::model::Trace;
use crate::model::code::{Code, CodeAddress, CodeScope, Listing, ListingKind};
use crate::model::id::{ListingId, SliceId, StrId, TrackId};

/// A place that slices come from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spot {
    /// Address of the instruction.
    pub address: Option<u64>,
    /// Lines of its call stack: row of [`Origins::paths`], line from 1.
    pub frames: Vec<(u32, u32)>,
}

/// What is looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OriginQuery {
    Address(CodeAddress),
    /// A line of a file, anywhere in the call stack.
    Line {
        /// The path or the end of it.
        path: String,
        /// The line from 1.
        line: u32,
        /// The listing of the file; `None` stands for all with this path.
        listing: Option<ListingId>,
    },
}

/// Where the slices of a trace come from, as far as they were looked at.
#[derive(Default)]
pub struct Origins {
    /// Number of the first slice of each track when all are counted through; at last how many there are.
    first: Vec<u32>,
    /// Row of `spots` of each slice; 0 is none.
    of: Vec<u32>,
    spots: Vec<Spot>,
    by_text: Map<Vec<u8>, u32>,
    paths: Vec<String>,
    by_path: Map<String, u32>,
    n_read: u32,
}

impl Origins {
    /// Nothing is known of the slices of this trace yet. Costs four bytes for each slice.
    pub fn new(trace: &Trace) -> Self {
        let mut first = Vec::with_capacity(trace.tracks.len() + 1);
        let mut n = 0u32;
        for (_, track) in trace.tracks.iter() {
            first.push(n);
            n = n.saturating_add(track.slices.len() as u32);
        }
        first.push(n);
        Self { of: vec![0; n as usize], first, spots: vec![Spot::default()], ..Self::default() }
    }

    /// How many slices there are.
    pub fn len(&self) -> u32 {
        self.of.len() as u32
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.of.is_empty()
    }

    /// Whether all slices were looked at.
    pub fn is_whole(&self) -> bool {
        self.n_read == self.len()
    }

    /// How many slices were looked at.
    pub fn n_read(&self) -> u32 {
        self.n_read
    }

    /// The slice with this number.
    pub fn slice(&self, number: u32) -> SliceId {
        let track = self.first.partition_point(|&first| first <= number).saturating_sub(1);
        SliceId { track: TrackId(track as u32), row: number - self.first.get(track).copied().unwrap_or(0) }
    }

    /// A slice names a place, as the text `key`; `read` makes the place when the text is new. A slice that names none is
    /// told with an empty text.
    pub fn put(&mut self, number: u32, key: &[u8], read: impl FnOnce(&mut dyn FnMut(&str) -> u32) -> Spot) {
        self.n_read += 1;
        if key.is_empty() {
            return;
        }
        let spot = match self.by_text.get(key) {
            Some(&spot) => spot,
            None => {
                let (paths, by_path) = (&mut self.paths, &mut self.by_path);
                let mut intern = |path: &str| match by_path.get(path) {
                    Some(&row) => row,
                    None => {
                        let row = paths.len() as u32;
                        paths.push(path.to_owned());
                        by_path.insert(path.to_owned(), row);
                        row
                    }
                };
                let made = read(&mut intern);
                let spot = self.spots.len() as u32;
                self.spots.push(made);
                self.by_text.insert(key.to_vec(), spot);
                spot
            }
        };
        if let Some(of) = self.of.get_mut(number as usize) {
            *of = spot;
        }
    }

    /// Which rows of a track come from a place; in their order. Costs one look at each slice of the track.
    fn rows<'a>(&'a self, track: TrackId, is_wanted: &'a [bool]) -> impl Iterator<Item = u32> + 'a {
        let at = |i: usize| self.first.get(i).map_or(0, |&n| n as usize);
        let of = self.of.get(at(track.index())..at(track.index() + 1)).unwrap_or(&[]);
        let hit = |(_, spot): &(u32, &u32)| is_wanted.get(**spot as usize).copied().unwrap_or(false);
        (0u32..).zip(of).filter(hit).map(|(row, _)| row)
    }

    /// The slices that come from a place, by track, in order of time; and the time they take together.
    pub fn find(&self, trace: &Trace, query: &OriginQuery) -> (Vec<(TrackId, Vec<u32>)>, Ticks) {
        let is_wanted: Vec<bool> = self.spots.iter().map(|spot| self.fits(spot, query)).collect();
        let mut total = 0;
        let mut found = Vec::new();
        for (id, track) in trace.tracks.iter() {
            let rows: Vec<u32> = self.rows(id, &is_wanted).collect();
            if !rows.is_empty() && is_of_track(trace, id, query) {
                total += rows.iter().map(|&row| track.slices.dur_of(row as usize)).total();
                found.push((id, rows));
            }
        }
        (found, total)
    }

    fn fits(&self, spot: &Spot, query: &OriginQuery) -> bool {
        match query {
            OriginQuery::Address(query) => spot.address == Some(query.address),
            OriginQuery::Line { path, line, .. } => {
                let is_here = |(at, of_line): &(u32, u32)| {
                    of_line == line && self.paths.get(*at as usize).is_some_and(|p| same_file(p, path))
                };
                spot.frames.iter().any(is_here)
            }
        }
    }
}

/// Whether what slices of a track name is in the listing that is wanted, if one is.
fn is_of_track(trace: &Trace, track: TrackId, query: &OriginQuery) -> bool {
    let referrer = Referrer::of_track(trace, track);
    let (places, listing) = match query {
        OriginQuery::Address(CodeAddress { listing: Some(listing), address }) => {
            (rows_of_address(&trace.code, *address, &referrer), listing)
        }
        OriginQuery::Line { path, line, listing: Some(listing) } => {
            (rows_of_line(&trace.code, path, *line, &referrer), listing)
        }
        _ => return true,
    };
    places.iter().any(|(id, _)| id == listing)
}

/// Whether two paths name one file: one is the end of the other, from a separator on.
pub fn same_file(a: &str, b: &str) -> bool {
    let (long, short) = if a.len() < b.len() { (b, a) } else { (a, b) };
    !short.is_empty()
        && long.strip_suffix(short).is_some_and(|head| {
            head.is_empty() || head.ends_with(['/', '\\']) || short.starts_with(['/', '\\'])
        })
}

// Which listing a place of code is in: several may have the same addresses, or the same path.
//
// What names an address (a slice, an access, a cell of a map) stands in an entry of the bundle and may name a kernel. Of
// the listings that have the address, those of the same entry count when there are any, and of these those of the same
// kernel when there are any. What is left is all offered: none of them is more right than the others.

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
