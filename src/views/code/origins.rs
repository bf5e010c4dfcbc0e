//! Goes through the arguments of all slices, piece by piece, to learn where each comes from.
//!
//! The first question about it begins; whoever asks goes on asking until all is known. A piece reads at most 4 MB of the
//! file and takes some ten milliseconds, so that pictures and other questions come in between.

use crate::analysis::code::origins::{Origins, Spot};
use crate::analysis::code::{Place, Referrer, rows_of_address, rows_of_line};
use crate::base::number;
use crate::base::sort::Sorting;
use crate::document::Document;
use crate::model::code::{CodeAddress, ListingKind};
use crate::model::id::ListingId;
use crate::views::code::ask::no_listing;
use crate::views::code::messages::{CodeQuery, Reply};
use crate::views::timeline::ask::search::{by_address, by_line, origin};
use crate::wire::Answer;
use crate::wire::Question;

/// Most bytes of the file that one piece reads.
const PIECE: u64 = 4 << 20;
/// Slices that one piece gathers before they are sorted by their place in the file.
const GATHERED: u32 = 1 << 18;
/// Places in the file are sorted entry by entry: the entry stands above the byte.
const ENTRY_BITS: u32 = 44;

/// Where the walk is.
#[derive(Default)]
pub(crate) struct Walk {
    stage: OriginsStage,
}

#[derive(Default)]
enum OriginsStage {
    /// Nobody has asked.
    #[default]
    Asleep,
    /// Numbers of slices with their place in the file.
    Gather(Vec<(u64, u32)>, u32),
    Sort(Sorting<(u64, u32)>),
    Read {
        order: Vec<(u64, u32)>,
        at: usize,
    },
    Done,
}

/// The slices that come from a row, as far as it is known; each call learns more.
pub(crate) fn slices(doc: &mut Document, listing: ListingId, row: u32) -> Answer {
    let share = step(doc);
    let code = &doc.trace().code;
    let Some(rows) = code.listings.get(listing.index()) else { return no_listing() };
    // The listing is named where others have this place too.
    let named = |places: Vec<Place>| (1 < places.len()).then_some(listing);
    let anyone = Referrer::default();
    let search = match rows.address.get(row as usize) {
        Some(&address) if rows.kind == ListingKind::Assembly => {
            by_address(CodeAddress { listing: named(rows_of_address(code, address, &anyone)), address })
        }
        _ => {
            let places = rows_of_line(code, &rows.title, row + 1, &anyone);
            by_line(&rows.title, row + 1, named(places))
        }
    };
    let (mut n, mut total) = (0, 0);
    if share == 1.0
        && let Some(origin) = origin(&search)
    {
        let (found, ticks) = doc.derived().origins.find(doc.trace(), &origin);
        n = found.iter().map(|(_, rows)| rows.len() as u64).sum();
        total = ticks;
    }
    let total = number::duration(total, doc.trace().clock);
    CodeQuery::reply(&Reply::Slices { share, n, total, search })
}

/// Does the next piece; returns how much of all is done, 1 at last. Nothing is done before everything is loaded. A
/// machine, as searches use what is known so far in between.
pub(crate) fn step(doc: &mut Document) -> f32 {
    if !doc.is_ready() {
        return 0.0;
    }
    let stage = std::mem::replace(&mut doc.kept.of::<Walk>().stage, OriginsStage::Done);
    let (next, share) = match stage {
        OriginsStage::Asleep => {
            let (trace, derived) = doc.parts();
            derived.origins = Origins::new(trace);
            (OriginsStage::Gather(Vec::with_capacity(derived.origins.len() as usize), 0), 0.0)
        }
        OriginsStage::Gather(list, from) => (gather(doc, list, from), 0.0),
        OriginsStage::Sort(mut sorting) => {
            if sorting.step() {
                (OriginsStage::Sort(sorting), 0.0)
            } else {
                (OriginsStage::Read { order: sorting.finish(), at: 0 }, 0.0)
            }
        }
        OriginsStage::Read { order, at } => {
            let at = read(doc, &order, at);
            if order.len() <= at {
                (OriginsStage::Done, 1.0)
            } else {
                let share = at as f32 / order.len() as f32;
                (OriginsStage::Read { order, at }, share.min(0.99))
            }
        }
        OriginsStage::Done => (OriginsStage::Done, 1.0),
    };
    doc.kept.of::<Walk>().stage = next;
    share
}

fn gather(doc: &Document, mut list: Vec<(u64, u32)>, from: u32) -> OriginsStage {
    let (tracks, origins) = (&doc.trace().tracks, &doc.derived().origins);
    let end = origins.len().min(from.saturating_add(GATHERED));
    for number in from..end {
        let id = origins.slice(number);
        let track = tracks.get(id.track);
        let start = track.slices.detail(id.row as usize).start;
        list.push((u64::from(track.entry) << ENTRY_BITS | start, number));
    }
    if end < origins.len() { OriginsStage::Gather(list, end) } else { OriginsStage::Sort(Sorting::new(list)) }
}

/// Reads the next slices whose bytes stand near each other. Returns the place of the first that was not read.
fn read(doc: &mut Document, order: &[(u64, u32)], from: usize) -> usize {
    let Some(&(first, _)) = order.get(from) else { return order.len() };
    let entry = (first >> ENTRY_BITS) as u32;
    let byte = |place: u64| place & ((1 << ENTRY_BITS) - 1);
    let is_near =
        |&&(place, _): &&(u64, u32)| place >> ENTRY_BITS == first >> ENTRY_BITS && place - first < PIECE;
    let near = &order[from..from + order[from..].iter().take_while(is_near).count()];
    let detail = |doc: &Document, number: u32| {
        let id = doc.derived().origins.slice(number);
        doc.trace().tracks.get(id.track).slices.detail(id.row as usize)
    };
    let start = byte(first);
    let end = near.last().map_or(start, |&(_, number)| detail(doc, number).end).min(start + 2 * PIECE);
    let bytes = doc.bytes(entry, start..end);
    let Some(reader) = doc.slice_reader(entry) else { return from + near.len() };
    let mut key = Vec::new();
    for &(_, number) in near {
        let range = detail(doc, number);
        let at = |byte: u64| usize::try_from(byte.saturating_sub(start)).unwrap_or(usize::MAX);
        let event = bytes.get(at(range.start)..at(range.end)).unwrap_or(&[]);
        (reader.origin_key)(event, &mut key);
        doc.derived.origins.put(number, &key, |path| {
            let (address, frames) = (reader.origin)(&key);
            let frames = frames.iter().filter_map(|f| Some((path(&f.path), f.line?)));
            Spot { address, frames: frames.collect() }
        });
    }
    from + near.len()
}
