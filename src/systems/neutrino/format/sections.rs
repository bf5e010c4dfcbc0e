//! Where the maps of a result file really lie. The header has 16 bytes for each, in one of three shapes; offsets of all maps
//! but the first are wrong where the last warp of a block is not full, so sections are laid one behind the other and the
//! end is held against the length of the file.
//!
//! ```text
//! July 2025 on      u32 bytes of a unit   u32 1, 32 or 64 threads a unit   u64 offset
//! May, June 2025    u64 bytes of a unit   u64 offset              (all ones: counted for each launch)
//! before            u64 bytes of all      u64 offset
//! AMD               u32 bytes of all      u32 anything            u64 offset
//! ```

use crate::base::fault::{Fault, Kind, Place, Severity};
use crate::base::words::{Message, message, phrase};
use crate::systems::neutrino::result::{MapDef, Section};
use crate::systems::neutrino::schema::guessed;

/// Bytes in front of the sections.
pub(super) const HEAD: u64 = 32;
/// Most maps of a file.
const MAPS: u32 = 1_024;
/// Most threads of a block.
const THREADS: u64 = 1_024;

/// The head of a result file.
#[derive(Debug, Default)]
pub(super) struct Header {
    /// Blocks: x, y, z.
    pub(super) grid: [u32; 3],
    /// Threads of a block: x, y, z.
    pub(super) block: [u32; 3],
    /// Two words and an offset for each map.
    pub(super) sections: Vec<[u64; 3]>,
}

/// What other files say of a map.
#[derive(Clone, Default)]
pub(super) struct Hint {
    /// Its fields.
    pub(super) map: Option<MapDef>,
    /// Whether a unit is a warp.
    pub(super) is_warp: Option<bool>,
    /// Bytes of a unit.
    pub(super) unit_bytes: Option<u64>,
    /// Bytes of the section, as the log has it.
    pub(super) total: Option<u64>,
}

/// How long a head with this number of maps is.
pub(super) fn head_bytes(maps: u32) -> u64 {
    HEAD + 16 * u64::from(maps)
}

impl Header {
    /// Reads the head; what is wrong, with its byte, when it cannot be one.
    pub(super) fn parse(bytes: &[u8], len: u64) -> Result<Self, (u64, Message)> {
        let word = |at: usize| {
            bytes.get(at..).and_then(|rest| rest.first_chunk()).map_or(0, |word| u32::from_le_bytes(*word))
        };
        if len < HEAD || (bytes.len() as u64) < HEAD {
            return Err((len, message("byte {n}: expected a 32-byte header").with("n", len)));
        }
        let three = |at: usize| [word(at), word(at + 4), word(at + 8)];
        let (grid, block, n) = (three(0), three(12), word(28));
        if grid.contains(&0) {
            return Err((0, message("byte 0: expected the number of blocks, found 0")));
        }
        let threads: u64 = block.iter().map(|n| u64::from(*n)).fold(1, u64::saturating_mul);
        if threads == 0 || THREADS < threads {
            let missed = message("byte 12: expected 1 to 1,024 threads per block, found {n}");
            return Err((12, missed.with("n", block.map(|n| n.to_string()).join(" × "))));
        }
        if n == 0 || MAPS < n || len < head_bytes(n) {
            return Err((28, message("byte 28: expected 1 to 1,024 maps, found {n}").with("n", n)));
        }
        let section = |i: usize| {
            let at = 32 + 16 * i;
            let long = u64::from(word(at + 8)) | u64::from(word(at + 12)) << 32;
            [u64::from(word(at)), u64::from(word(at + 4)), long]
        };
        let sections = (0..n as usize).map(section).collect();
        Ok(Self { grid, block, sections })
    }

    /// How many bytes of a file [`Header::parse`] wants, of its first 32.
    pub(super) fn bytes(head: &[u8]) -> u64 {
        let n =
            head.get(28..).and_then(|rest| rest.first_chunk()).map_or(0, |word| u32::from_le_bytes(*word));
        head_bytes(n.min(MAPS))
    }

    /// Bytes in front of the first map.
    fn len(&self) -> u64 {
        head_bytes(u32::try_from(self.sections.len()).unwrap_or(0))
    }

    /// Whether the offset of the first map is the end of the header, as it always is.
    pub(super) fn begins_behind_itself(&self) -> bool {
        self.sections.first().is_some_and(|[_, _, offset]| *offset == self.len())
    }

    /// How many blocks ran.
    pub(super) fn blocks(&self) -> u64 {
        self.grid.iter().map(|n| u64::from(*n)).fold(1, u64::saturating_mul)
    }

    fn threads(&self) -> u64 {
        self.block.iter().map(|n| u64::from(*n)).product()
    }

    /// Units of the launch, as threads or as warps.
    fn units(&self, is_warp: bool, warp: u32) -> u64 {
        let of_block = if is_warp { self.threads().div_ceil(u64::from(warp)) } else { self.threads() };
        self.blocks().saturating_mul(of_block)
    }
}

/// One way to read the sections: the level and the bytes of a unit of each.
struct Layout {
    warp: u32,
    units: Vec<(bool, u64)>,
    /// Whether the levels stand in a file.
    has_levels: bool,
    /// Whether everything is from the log.
    is_logged: bool,
}

impl Layout {
    /// Bytes of each section.
    fn sizes<'a>(&'a self, header: &'a Header) -> impl Iterator<Item = u64> + 'a {
        let of = |(is_warp, bytes): &(bool, u64)| header.units(*is_warp, self.warp).saturating_mul(*bytes);
        self.units.iter().map(of)
    }

    /// Where the file ends.
    fn end(&self, header: &Header) -> u64 {
        self.sizes(header).fold(header.len(), u64::saturating_add)
    }

    /// Whether units can hold fields at all.
    fn is_sound(&self) -> bool {
        self.units.iter().all(|(_, bytes)| 0 < *bytes && bytes.is_multiple_of(4))
    }

    /// How many sections other files say something else of, or are warps by guess with other bytes than most have.
    fn objections(&self, header: &Header, hints: &[Hint]) -> usize {
        let differs = |((unit, size), hint): &((&(bool, u64), u64), &Hint)| {
            hint.total.is_some_and(|total| total != *size)
                || hint.is_warp.is_some_and(|is_warp| is_warp != unit.0)
                || hint.unit_bytes.is_some_and(|bytes| bytes != unit.1)
                || !self.has_levels && hint.is_warp.is_none() && unit.0 && unit.1 != 16
        };
        self.units.iter().zip(self.sizes(header)).zip(hints).filter(differs).count()
    }
}

/// All ways to read the sections that their words allow, the most likely first.
fn layouts(header: &Header, hints: &[Hint], len: u64, is_hip: bool) -> Vec<Layout> {
    let mut all = Vec::new();
    let words = || header.sections.iter();
    if words().all(|[_, threads, _]| matches!(threads, 1 | 32 | 64)) {
        let units = words().map(|[bytes, threads, _]| (1 < *threads, *bytes)).collect();
        let warp = if words().any(|[_, threads, _]| *threads == 64) { 64 } else { 32 };
        all.push(Layout { warp, units, has_levels: true, is_logged: false });
    }
    // Sizes of 8 bytes are smaller than the file, or all ones.
    let is_long = words().all(|[low, high, _]| (low | high << 32) <= len || low & high == 0xffff_ffff);
    let warps = if is_hip || !is_long { [64, 32] } else { [32, 64] };
    for (warp, level) in warps.into_iter().flat_map(|warp| [(warp, true), (warp, false)]) {
        // What nobody says is a warp in one, a thread in the other.
        let each = |unit_bytes: &dyn Fn(&[u64; 3], u64) -> u64| {
            let of = |(word, hint): (&[u64; 3], &Hint)| {
                let is_warp = hint.is_warp.unwrap_or(level);
                (is_warp, unit_bytes(word, header.units(is_warp, warp).max(1)))
            };
            Layout { warp, units: words().zip(hints).map(of).collect(), has_levels: false, is_logged: false }
        };
        if is_long {
            all.push(each(&|[low, high, offset], units| match low | high << 32 {
                u64::MAX => len.saturating_sub(*offset) / units,
                bytes => bytes,
            }));
            all.push(each(&|[low, high, _], units| (low | high << 32) / units));
        } else {
            all.push(each(&|[low, ..], units| low / units));
        }
    }
    // Where the header is damaged.
    let logged: Option<Vec<(bool, u64)>> =
        hints.iter().map(|hint| Some((hint.is_warp?, hint.unit_bytes?))).collect();
    let warp = if is_hip { 64 } else { 32 };
    all.extend(logged.map(|units| Layout { warp, units, has_levels: true, is_logged: true }));
    all.retain(Layout::is_sound);
    all
}

/// Finds the maps of a file of this length: threads of a warp, and the maps. What is healed or guessed is said.
pub(super) fn find(
    header: &Header,
    hints: &[Hint],
    (path, len): (&str, u64),
    is_hip: bool,
    faults: &mut Vec<Fault>,
) -> (u32, Vec<Section>) {
    let all = layouts(header, hints, len, is_hip);
    let best = |ends: bool| {
        let fitting = all.iter().filter(|layout| !ends || layout.end(header) == len);
        fitting.min_by_key(|layout| layout.objections(header, hints))
    };
    let mut finding = Finding { header, path, len, is_declared: false, faults };
    let Some(layout) = best(true).or_else(|| best(false)) else {
        finding.say_size(Severity::Loss, phrase("Its records are skipped."));
        return (32, Vec::new());
    };
    finding.whole(layout);
    let mut start = header.len();
    let mut out = Vec::with_capacity(layout.units.len());
    for (i, size) in layout.sizes(header).enumerate() {
        let hint = hints.get(i).cloned().unwrap_or_default();
        out.extend(finding.section((i, start, size), &hint, layout));
        start = start.saturating_add(size);
    }
    (layout.warp, out)
}

/// Maps of a file on their way.
struct Finding<'a> {
    header: &'a Header,
    path: &'a str,
    len: u64,
    /// Whether maps lie where the header says, not one behind the other.
    is_declared: bool,
    faults: &'a mut Vec<Fault>,
}

impl Finding<'_> {
    fn say(&mut self, code: &'static str, severity: Severity, byte: u64, kind: Kind, note: &'static str) {
        self.faults.push(Fault::new(code, severity, Place::byte(self.path, byte), kind).note(note));
    }

    fn say_size(&mut self, severity: Severity, note: &'static str) {
        let found = self.header.sections.first().map_or(0, |[low, high, _]| low | high << 32).to_string();
        let expected = phrase("map sizes that fit the file").into();
        let kind = Kind::Unexpected { expected, found: found.into() };
        self.say("NEU-SIZE", severity, HEAD, kind, note);
    }

    /// Holds the end of the maps against the length of the file.
    fn whole(&mut self, layout: &Layout) {
        let (len, end, words) = (self.len, layout.end(self.header), &self.header.sections);
        let last = words.last().zip(layout.sizes(self.header).last());
        self.is_declared =
            end != len && last.is_some_and(|([_, _, at], size)| at.checked_add(size) == Some(len));
        let is_minus_one = words.iter().any(|[low, high, _]| low & high == 0xffff_ffff);
        if layout.is_logged {
            self.say_size(Severity::Warning, phrase("The sizes are taken from the log."));
        } else if is_minus_one {
            let kind = Kind::Problem(phrase("a map size is 2⁶⁴ − 1").into());
            let note = phrase("The size is computed from the length of the file.");
            return self.say("NEU-SIZE", Severity::Warning, HEAD, kind, note);
        }
        if len < end && !self.is_declared {
            let kind = Kind::Truncated { needed: end, left: len };
            let note = phrase("Records after the end of the file are missing.");
            self.say("NEU-CUT", Severity::Loss, len, kind, note);
        } else if end < len && !self.is_declared {
            let a = message("the header describes {n} bytes").with("n", end);
            let kind = Kind::Contradiction { a, b: message("the file has {n}").with("n", len) };
            let note = phrase("Data after the last map is ignored.");
            self.say("NEU-LENGTH", Severity::Warning, HEAD, kind, note);
        }
    }

    /// One map, by its number, where it begins and its bytes.
    fn section(
        &mut self,
        (i, start, size): (usize, u64, u64),
        hint: &Hint,
        layout: &Layout,
    ) -> Option<Section> {
        let (is_warp, unit_bytes) = layout.units.get(i).copied()?;
        let declared = self.header.sections.get(i).map_or(0, |word| word[2]);
        let at = HEAD + 16 * i as u64;
        if declared != start && !self.is_declared {
            let a = message("the map starts at byte {n}").with("n", start);
            let kind = Kind::Contradiction { a, b: message("the header says {n}").with("n", declared) };
            let note = phrase("The offset is computed from the sizes of the maps.");
            self.say("NEU-OFFSET", Severity::Warning, at + 8, kind, note);
        }
        if let Some(total) = hint.total.filter(|total| *total != size) {
            let a = message("the map is {n} bytes long").with("n", size);
            let kind = Kind::Contradiction { a, b: message("the log says {n}").with("n", total) };
            self.say("NEU-TOTAL", Severity::Warning, at, kind, "");
        }
        let map = fitting(hint, i, is_warp, unit_bytes, &mut |a, b| {
            let kind = Kind::Contradiction { a, b };
            self.say("NEU-FIELDS", Severity::Warning, at, kind, phrase("The fields are guessed."));
        });
        let (threads, warp) = (self.header.threads(), u64::from(layout.warp));
        if is_warp && !threads.is_multiple_of(warp) {
            let what = message("blocks of {n} threads end in a partial warp, and each warp writes to {map}");
            let kind = Kind::Problem(what.with("map", &map.name).with("n", threads));
            let note = phrase(
                "The last warp of each block and the first warp of the next share a slot; one overwrites the other.",
            );
            self.say("NEU-WARP", Severity::Warning, at, kind, note);
        }
        let units_per_block = (threads / if is_warp { warp } else { 1 }).max(1);
        let start = if self.is_declared { declared } else { start };
        let held = self.len.saturating_sub(start).div_ceil(unit_bytes.max(1));
        Some(Section {
            map,
            start,
            declared,
            unit_bytes,
            units: self.header.units(is_warp, layout.warp),
            addressed: self.header.blocks().saturating_mul(units_per_block).min(held),
            units_per_block,
        })
    }
}

/// What a map holds: what the schema says, unless units have no room for a whole number of its records.
fn fitting(
    hint: &Hint,
    at: usize,
    is_warp: bool,
    unit_bytes: u64,
    say: &mut dyn FnMut(Message, Message),
) -> MapDef {
    let name = hint.map.as_ref().map_or_else(|| format!("map {at}"), |map| map.name.clone());
    let Some(map) = &hint.map else { return guessed(name, is_warp, unit_bytes) };
    let record = map.record_bytes();
    if 0 < record && unit_bytes.is_multiple_of(record) {
        return MapDef { is_warp, ..map.clone() };
    }
    let a = message("records of {map} are {n} bytes long").with("map", &name).with("n", record);
    say(a, message("a unit has {n}").with("n", unit_bytes));
    guessed(name, is_warp, unit_bytes)
}
