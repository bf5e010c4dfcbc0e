//! Where slices come from: the instruction and the lines of source that their arguments name.
//!
//! The arguments stay in the file. Whoever reads them hands over, slice by slice, what each one names; few slices name
//! something of their own, so a slice costs four bytes here and every different place is kept once.

use super::place::{Referrer, rows_of_address, rows_of_line};
use crate::base::map::Map;
use crate::base::time::Ticks;
use crate::model::Trace;
use crate::model::code::CodeAddress;
use crate::model::id::{ListingId, SliceId, TrackId};

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
    /// The instruction at an address.
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
                total += rows.iter().map(|&row| track.slices.dur[row as usize]).sum::<Ticks>();
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
