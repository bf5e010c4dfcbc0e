//! Counts records as they pass.

use super::{Band, COLUMNS, Cell, Columns, Density, Page, Region, Window};
use crate::base::map::Set;
use crate::base::order;
use crate::base::words::phrase;

/// A sector of memory: the least that is fetched.
const SECTOR: u32 = 5;
/// Most words of 64 sectors: 32 MB.
const MAX_WORDS: usize = 4 << 20;
/// A page has at most 2 to the power of this many sectors that are told apart: so many that they are never kept.
const MAX_BITS: u32 = 29;
/// Most edges that split pages: pieces must become few when pages become large.
const MAX_EDGES: usize = MAX_PAGES / 4;

/// Most rows of a heat map whose pages follow the data; and of how many the best size is found.
pub const ROWS: usize = 200;
const FITTING: usize = 1024;

/// What was counted so far.
pub struct Counter {
    shift: u32,
    asked: u32,
    /// Whether pages follow the data.
    is_fitting: bool,
    window: Option<Window>,
    columns: Columns,
    clocks: (u64, u64),
    pages: Pages,
    /// Where pages are split, ascending.
    edges: Vec<u64>,
    cells: Vec<Cell>,
    /// A bit for each sector of each page; `None` where that would be too much, or nothing says.
    sectors: Option<Vec<u64>>,
    /// Words of sectors that a page takes.
    words: usize,
    /// First and last address of the piece of the last record, and its slot.
    last: (u64, u64, u32),
    n: u64,
}

impl Counter {
    /// Begins to count in pages of 2 to the power of `shift` bytes.
    pub fn new(shift: u32, has_sectors: bool, window: Option<Window>) -> Self {
        let shift = shift.clamp(SECTOR, 62);
        Self {
            shift,
            asked: shift,
            is_fitting: false,
            window,
            columns: window.map_or_else(Columns::default, |window| Columns::over(window.clocks)),
            clocks: (u64::MAX, 0),
            pages: Pages::new(MAX_PAGES),
            edges: Vec::new(),
            cells: Vec::new(),
            sectors: has_sectors.then(Vec::new),
            words: words(shift),
            last: (u64::MAX, 0, 0),
            n: 0,
        }
    }

    /// Has pages follow the data: where no size is asked for, they are as large as in `known`, and else the smallest,
    /// from those that it began with on, of which there are at most [`ROWS`].
    #[must_use]
    pub fn fitting(mut self, asked: Option<u32>, known: Option<&Density>) -> Self {
        match asked.or(known.map(|known| known.shift)) {
            Some(shift) => {
                self.shift = shift.clamp(self.shift, 62);
                (self.asked, self.words) = (self.shift, words(self.shift));
            }
            None => {
                self.is_fitting = true;
                self.pages.most = if self.edges.len() < FITTING / 4 { FITTING } else { MAX_PAGES };
            }
        }
        self
    }

    /// All is counted: pages get the size that fits, if they follow the data.
    pub fn settle(&mut self) {
        if self.is_fitting {
            self.coarsen(ROWS);
            self.asked = self.shift;
        }
    }

    /// Splits pages where one of these regions begins or ends, so that each access counts for the region that holds its
    /// address. Where there are very many regions pages stay whole.
    #[must_use]
    pub fn split_by(mut self, regions: impl Iterator<Item = (u64, u64)>) -> Self {
        let regions = regions.filter(|(_, bytes)| 0 < *bytes);
        let mut edges: Vec<u64> =
            regions.flat_map(|(start, bytes)| [Some(start), start.checked_add(bytes)]).flatten().collect();
        edges.sort_unstable();
        edges.dedup();
        self.edges = if MAX_EDGES < edges.len() { Vec::new() } else { edges };
        self
    }

    /// Counts `n` accesses of a block.
    #[inline]
    pub fn add(&mut self, clock: u64, address: u64, n: u32, block: u32) {
        if let Some(Window { clocks, addresses }) = &self.window
            && (clock < clocks.0 || clocks.1 < clock || address < addresses.0 || addresses.1 < address)
        {
            return;
        }
        let column = match self.columns.of(clock) {
            Some(column) if self.n != 0 => column,
            _ => self.make_column(clock),
        };
        self.clocks = (self.clocks.0.min(clock), self.clocks.1.max(clock));
        if address < self.last.0 || self.last.1 < address {
            let edge = self.edge(address);
            let slot = self.slot(address, edge);
            // Pages may have become larger.
            let (first, last) = ends((address >> self.shift, edge), self.shift, &self.edges);
            self.last = (first, last, slot);
        }
        let slot = self.last.2 as usize;
        if let Some(cell) = self.cells.get_mut(slot * COLUMNS + column) {
            if cell.n == 0 {
                cell.first = block;
            }
            // Records come in the order of blocks.
            cell.last = block;
            cell.n = cell.n.saturating_add(n);
        }
        if let Some(sectors) = &mut self.sectors {
            let sector = (address >> SECTOR & ((1 << (self.shift - SECTOR)) - 1)) as usize;
            let at = slot * self.words + sector / 64;
            if let Some(word) = sectors.get_mut(at) {
                *word |= 1 << (sector % 64);
            }
        }
        self.n += u64::from(n);
    }

    /// The column of a clock that lies in none.
    #[cold]
    fn make_column(&mut self, clock: u64) -> usize {
        if self.window.is_none() {
            let before = self.columns;
            if self.n == 0 {
                self.columns = Columns::over((clock, clock));
            } else if before.of(clock).is_none() {
                self.columns = before.with(self.clocks, clock);
                let columns = self.columns;
                self.cells.chunks_exact_mut(COLUMNS).for_each(|cells| before.move_cells(columns, cells));
            }
        }
        self.columns.of(clock).unwrap_or(0)
    }

    /// How many edges lie up to an address.
    fn edge(&self, address: u64) -> u32 {
        self.edges.partition_point(|edge| *edge <= address) as u32
    }

    /// The slot of the piece that holds an address behind so many edges, with room for it.
    #[inline]
    fn slot(&mut self, address: u64, edge: u32) -> u32 {
        let piece = (address >> self.shift, edge);
        match self.pages.slot(piece) {
            Some((slot, false)) => slot,
            Some((slot, true)) => {
                self.make_room();
                slot
            }
            None => {
                let by = self.coarsen(self.pages.most / 2);
                let slot = self.pages.slot((piece.0 >> by, piece.1)).unwrap_or_default();
                if slot.1 {
                    self.make_room();
                }
                slot.0
            }
        }
    }

    fn make_room(&mut self) {
        self.cells.resize(self.pages.pieces.len() * COLUMNS, Cell::default());
        let n = self.pages.pieces.len().saturating_mul(self.words);
        if MAX_WORDS < n {
            self.sectors = None;
        }
        if let Some(sectors) = &mut self.sectors {
            sectors.resize(n, 0);
        }
    }

    /// Makes pages larger, until there are so many at most; returns how many times they doubled.
    #[cold]
    fn coarsen(&mut self, most: usize) -> u32 {
        let by = self.pages.doublings(most);
        if by == 0 {
            return 0;
        }
        let empty = Pages::new(self.pages.most);
        let before = std::mem::replace(&mut self.pages, empty);
        let cells = std::mem::take(&mut self.cells);
        let sectors = self.sectors.as_mut().map(std::mem::take);
        let (old_words, old_bits) = (self.words, 1_usize << (self.shift - SECTOR).min(MAX_BITS));
        self.shift += by;
        self.words = words(self.shift);
        for (at, (page, edge)) in before.pieces.into_iter().enumerate() {
            let (slot, is_new) = self.pages.slot((page >> by, edge)).unwrap_or_default();
            if is_new {
                self.make_room();
            }
            let (to, from) = (slot as usize * COLUMNS, at * COLUMNS);
            let (to, from) = (self.cells.get_mut(to..to + COLUMNS), cells.get(from..from + COLUMNS));
            for (to, from) in to.into_iter().flatten().zip(from.into_iter().flatten()) {
                to.merge(from);
            }
            if let (Some(all), Some(old)) = (&mut self.sectors, &sectors) {
                let first = (page & ((1 << by) - 1)) as usize * old_bits;
                let old = old.get(at * old_words..(at + 1) * old_words).unwrap_or(&[]);
                for (n, word) in old.iter().enumerate() {
                    let bit = first + n * 64;
                    if let Some(place) = all.get_mut(slot as usize * self.words + bit / 64) {
                        *place |= word << (bit % 64);
                    }
                }
            }
        }
        by
    }

    /// First and last address of each page that was accessed so far, or of each of its pieces, ascending.
    pub fn touched(&self) -> Vec<(u64, u64)> {
        let pieces = self.pages.pieces.iter();
        let mut all: Vec<(u64, u64)> = pieces.map(|piece| ends(*piece, self.shift, &self.edges)).collect();
        all.sort_unstable();
        all
    }

    /// The result: pages in the order of their addresses, each in the first of these regions that holds it.
    pub fn finish(mut self, regions: &[Region]) -> Density {
        self.settle();
        let slots = (0_u32..).zip(&self.pages.pieces);
        let mut pages: Vec<Page> = slots
            .map(|(slot, piece)| {
                let cells = self.cells.chunks_exact(COLUMNS).nth(slot as usize).unwrap_or(&[]);
                let (start, last) = ends(*piece, self.shift, &self.edges);
                let accesses = cells.iter().map(|cell| u64::from(cell.n)).sum();
                Page { number: piece.0, start, last, accesses, sectors: 0, band: 0, slot }
            })
            .collect();
        order::sort_by_number(&mut pages, |page| page.start);
        if let Some(sectors) = &self.sectors {
            count_sectors(&mut pages, sectors, self.words);
        }
        Density {
            shift: self.shift,
            asked: self.asked,
            clocks: if self.n == 0 { (0, 0) } else { self.clocks },
            accesses: self.n,
            bands: bands(&mut pages, regions),
            pages,
            has_sectors: self.sectors.is_some(),
            window: self.window,
            columns: self.columns,
            cells: self.cells,
            ..Density::default()
        }
    }
}

/// First and last address of a piece.
fn ends((page, edge): (u64, u32), shift: u32, edges: &[u64]) -> (u64, u64) {
    let (start, last) = (page << shift, (page << shift) | ((1 << shift) - 1));
    let lower = edge.checked_sub(1).and_then(|edge| edges.get(edge as usize));
    let upper = edges.get(edge as usize).map(|edge| edge - 1);
    (lower.map_or(start, |edge| start.max(*edge)), upper.map_or(last, |edge| last.min(edge)))
}

/// Counts the sectors of each piece: one that two pieces of a page share counts for the lower one.
fn count_sectors(pages: &mut [Page], sectors: &[u64], words: usize) {
    let bits = |page: &Page| sectors.chunks_exact(words).nth(page.slot as usize).unwrap_or(&[]);
    for of_page in pages.chunk_by_mut(|a, b| a.number == b.number) {
        let mut known: Vec<u64> = Vec::new();
        let is_split = 1 < of_page.len();
        for page in of_page {
            let own = bits(page);
            known.resize(if is_split { words } else { 0 }, 0);
            let new = |(at, word): (usize, &u64)| (word & !known.get(at).copied().unwrap_or(0)).count_ones();
            page.sectors = own.iter().enumerate().map(new).sum();
            known.iter_mut().zip(own).for_each(|(known, own)| *known |= own);
        }
    }
}

/// Words of 64 sectors that a page takes.
fn words(shift: u32) -> usize {
    (1_usize << (shift - SECTOR).min(MAX_BITS)).div_ceil(64)
}

/// Puts pages into bands.
fn bands(pages: &mut [Page], regions: &[Region]) -> Vec<Band> {
    let mut order: Vec<&Region> = regions.iter().collect();
    order::sort_by_number(&mut order, |region| region.start);
    let mut bands: Vec<Band> =
        order.iter().map(|region| Band { region: (*region).clone(), ..Band::default() }).collect();
    bands.push(Band {
        region: Region { name: phrase("Unknown").into(), ..Region::default() },
        ..Band::default()
    });
    // Regions are asked in the order in which they were given: the first that holds the start of the piece, else the
    // first that begins inside it, which happens where pages are whole.
    let place = |region: &Region| order.iter().position(|other| std::ptr::eq(*other, region));
    let mut numbers: Vec<Option<u64>> = vec![None; bands.len()];
    for page in pages.iter_mut() {
        let holds = |r: &&Region| r.start <= page.start && page.start - r.start < r.bytes;
        let begins = |r: &&Region| page.start <= r.start && r.start <= page.last && 0 < r.bytes;
        let found = regions.iter().find(holds).or_else(|| regions.iter().find(begins));
        page.band = found.and_then(place).unwrap_or(bands.len() - 1) as u32;
        if let Some(band) = bands.get_mut(page.band as usize) {
            band.accesses += page.accesses;
            let last = numbers.get_mut(page.band as usize).and_then(|last| last.replace(page.number));
            band.pages += u64::from(last != Some(page.number));
        }
    }
    // Regions that nobody touched are left out.
    let mut numbers = vec![0; bands.len()];
    let mut n = 0;
    for (band, number) in bands.iter().zip(&mut numbers) {
        *number = n;
        n += u32::from(0 < band.pages);
    }
    for page in pages {
        page.band = numbers.get(page.band as usize).copied().unwrap_or(0);
    }
    bands.retain(|band| 0 < band.pages);
    bands
}

// Pages by number, and by the part of a page where pages are split: a small table with open addressing, since every
// record asks it.

/// Most pages; where there are more, pages become larger.
pub const MAX_PAGES: usize = 8192;

/// Places of the table: a power of two, four times as many as pages.
const PLACES: usize = MAX_PAGES * 4;
/// Marks an empty place.
const NONE: u32 = u32::MAX;

/// A page, and how many edges lie up to its part: all parts of a page that no edge splits have one number.
type Piece = (u64, u32);

/// Pieces of pages and the slots that they have.
struct Pages {
    table: Vec<(Piece, u32)>,
    /// The piece of each slot.
    pub(super) pieces: Vec<Piece>,
    pub(super) most: usize,
}

impl Pages {
    /// None yet, of so many at most.
    pub(super) fn new(most: usize) -> Self {
        Self { table: vec![((0, 0), NONE); PLACES], pieces: Vec::new(), most: most.min(MAX_PAGES) }
    }

    /// The slot of a piece, and whether it is new; `None` when there are too many.
    #[inline]
    pub(super) fn slot(&mut self, piece: Piece) -> Option<(u32, bool)> {
        let mixed = piece.0.rotate_left(16) ^ u64::from(piece.1);
        let mut at = (mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - PLACES.trailing_zeros())) as usize;
        loop {
            let place = self.table.get_mut(at)?;
            if place.1 == NONE {
                if self.pieces.len() == self.most {
                    return None;
                }
                let slot = self.pieces.len() as u32;
                *place = (piece, slot);
                self.pieces.push(piece);
                return Some((slot, true));
            }
            if place.0 == piece {
                return Some((place.1, false));
            }
            at = (at + 1) % PLACES;
        }
    }

    /// How many times pages have to double so that they have so many pieces at most; or, where edges split them into
    /// more, not more than twice as many as there are parts between edges.
    pub(super) fn doublings(&self, most: usize) -> u32 {
        let mut pieces = self.pieces.clone();
        pieces.sort_unstable();
        let parts: Set<u32> = pieces.iter().map(|piece| piece.1).collect();
        let most = most.max(parts.len() * 2);
        let mut by = 0;
        while most < pieces.len() {
            for piece in &mut pieces {
                piece.0 >>= 1;
            }
            pieces.dedup();
            by += 1;
        }
        by
    }
}
