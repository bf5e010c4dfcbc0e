//! Kernels before and after they were probed: listings side by side, what was inserted and by which probe, which
//! instructions the probes watch, what the assembler made of both.

mod align;
mod figures;

pub(super) use figures::ANALYSIS;

use super::folder::{Folder, Kernel, Probe};
use crate::base::map::Map;
use crate::base::order;
use crate::base::words::phrase;
use crate::input::{Bundle, EntryId, read_range};
use crate::model::Trace;
use crate::model::code::{Cells, CodeScope, Column, ColumnStyle, Lines, Links, Listing, ListingKind, Rows};
use crate::model::id::ListingId;
use crate::model::parameter::{Parameter, ParameterKind, Values};
use align::{Alignment, Purpose, align, bare};
use std::fmt;

/// Longest text of a kernel that is read.
const BYTES: u64 = 16 << 20;

/// Whether the text of the module is shown from which the kernel was taken: it may hold hundreds of kernels.
pub(super) static ORIGINAL: Parameter = Parameter {
    id: "neutrino-original",
    title: phrase("Original PTX"),
    help: phrase("also list original.ptx of the kernel"),
    kind: ParameterKind::Flag,
    rereads: true,
};

/// What the texts of kernels tell, in the order in which they were added.
#[derive(Default)]
pub(super) struct Kernels(Vec<KernelCode>);

/// What the texts of one kernel tell.
struct KernelCode {
    /// Row in [`super::folder::Folder::kernels`].
    kernel: usize,
    /// How many lines were inserted, by the number of their probe and their purpose.
    inserted: Vec<(Option<usize>, &'static str, u64)>,
    coverage: Vec<Coverage>,
    shapes: Vec<Shape>,
    /// Whether there is a probed text.
    is_probed: bool,
}

impl Kernels {
    /// The shapes of matrix instructions of a kernel.
    pub(super) fn shapes(&self, kernel: usize) -> &[Shape] {
        self.0.iter().find(|code| code.kernel == kernel).map_or(&[], |code| &code.shapes)
    }
}

/// The text of a file of a kernel.
fn text(bundle: &Bundle, kernel: &Kernel, name: &str) -> Option<(EntryId, String)> {
    let (_, entry) = kernel.files.iter().find(|(file, _)| file == name)?;
    let source = &bundle.get(*entry)?.source;
    let bytes = read_range(&**source, 0..source.len().min(BYTES)).ok()?;
    Some((*entry, String::from_utf8_lossy(&bytes).into_owned()))
}

/// Adds the texts of kernels to a trace, one kernel a step: first that of the launch, then others as long as they are short.
pub(super) struct Listings {
    has_original: bool,
    /// Rows of the kernels that wait, the next one last; `None` before the first step.
    waiting: Option<Vec<usize>>,
    /// Bytes that may still be read.
    room: u64,
}

impl Listings {
    /// Begins; the values say whether original texts are listed.
    pub(super) fn new(values: &Values) -> Self {
        let has_original = values.flag(ORIGINAL.id);
        Self { has_original, waiting: None, room: BYTES }
    }

    /// Adds the next kernel; says whether there are more. A machine, as the trace that it adds to is lent for each
    /// step.
    pub(super) fn step(&mut self, bundle: &Bundle, trace: &mut Trace) -> bool {
        let Some(folder) = trace.extensions.get::<Folder>() else { return false };
        let waiting = self.waiting.get_or_insert_with(|| {
            let first = folder.launch().and_then(|launch| launch.kernel);
            let others = (0..folder.kernels.len()).rev().filter(|number| Some(*number) != first);
            others.chain(first).collect()
        });
        let Some(number) = waiting.pop() else { return false };
        let Some(kernel) = folder.kernels.get(number).cloned() else { return true };
        let probes = folder.probes.clone();
        let shown = kernel.files.iter().filter(|(name, _)| {
            ["pruned.ptx", "probed.ptx"].contains(&name.as_str())
                || (self.has_original && name == "original.ptx")
        });
        let bytes: u64 = shown.filter_map(|(_, id)| Some(bundle.get(*id)?.source.len())).sum();
        let is_first = self.room == BYTES;
        if is_first || bytes <= self.room {
            self.room = self.room.saturating_sub(bytes);
            self.add(bundle, (number, &kernel), &probes, trace);
        }
        true
    }

    /// Adds the listings of a kernel, which is of this row of the folder.
    fn add(&self, bundle: &Bundle, (number, kernel): (usize, &Kernel), probes: &[Probe], trace: &mut Trace) {
        let Some((entry, pruned)) = text(bundle, kernel, "pruned.ptx") else { return };
        let pruned: Vec<&str> = pruned.lines().collect();
        let name = trace.strings.intern(&kernel.name);
        let scope = |entry: EntryId| CodeScope { entry: Some(entry.0), kernel: name };
        let from = list(trace, "pruned.ptx", scope(entry), &pruned);
        let mut alignment = None;
        if let Some((entry, text)) = text(bundle, kernel, "probed.ptx") {
            let lines: Vec<&str> = text.lines().collect();
            let aligned = align(&pruned, &lines, probes);
            let to = list(trace, "probed.ptx", scope(entry), &lines);
            let links = Links::new(from, to, aligned.pairs.clone());
            trace.code.links.push(links.with_classes(aligned.classes.clone()));
            add_columns(trace, (from, to), &aligned, probes);
            source_add(bundle, trace, to, &source_places(&lines));
            alignment = Some(aligned);
        }
        source_add(bundle, trace, from, &source_places(&pruned));
        if self.has_original
            && let Some((entry, original)) = text(bundle, kernel, "original.ptx")
        {
            list(trace, "original.ptx", scope(entry), &original.lines().collect::<Vec<_>>());
        }
        let code = KernelCode {
            kernel: number,
            inserted: alignment.as_ref().map_or_else(Vec::new, count),
            coverage: site_coverage(&pruned, alignment.as_ref(), probes),
            shapes: site_shapes(&pruned),
            is_probed: alignment.is_some(),
        };
        trace.extensions.get_or_default::<Kernels>().0.push(code);
    }
}

/// Adds a listing.
fn list(trace: &mut Trace, title: &str, scope: CodeScope, text: &[&str]) -> ListingId {
    let mut lines = Lines::default();
    for line in text {
        lines.push(line);
    }
    let places = source_places(text);
    let name = |file| places.files.get(&file).map_or("", |path| source_name(path));
    let first = places.rows.iter().flatten().map(|(file, _)| *file).next();
    let is_one = places.rows.iter().flatten().all(|(file, _)| Some(*file) == first);
    // Lines of one file need no name of it.
    let place = |row: &Option<(u32, u32)>| match row {
        Some((_, line)) if is_one => line.to_string(),
        Some((file, line)) => format!("{}:{line}", name(*file)),
        None => String::new(),
    };
    let head = first.map(|file| if is_one { name(file) } else { phrase("Source") });
    let cells = || places.rows.iter().map(place).collect();
    let columns = head.map(|head| texts(head, cells())).into_iter().collect();
    trace.code.listings.push(Listing {
        columns,
        language: "ptx".to_owned(),
        ..Listing::assembly(title, scope, lines, Vec::new())
    });
    ListingId(u32::try_from(trace.code.listings.len() - 1).unwrap_or(u32::MAX))
}

fn texts(name: &str, values: Vec<String>) -> Column {
    Column {
        name: name.to_owned(),
        unit: crate::base::unit::Unit::None,
        style: ColumnStyle::Plain,
        counts: None,
        cells: Cells::Texts { values, stride: 1, rows: Rows::All },
    }
}

/// Beside the instructions: the probes that watch them; beside what was inserted: by which probe and for what.
fn add_columns(trace: &mut Trace, (from, to): (ListingId, ListingId), aligned: &Alignment, probes: &[Probe]) {
    let rows =
        |trace: &Trace, id: ListingId| trace.code.listings.get(id.index()).map_or(0, |l| l.lines.len());
    let mut watched = vec![String::new(); rows(trace, from)];
    let mut of = vec![String::new(); rows(trace, to)];
    let mut purposes = of.clone();
    for line in &aligned.inserted {
        let probe = line.probe.and_then(|probe| probes.get(probe));
        let name = probe.map_or(line.map.as_str(), |probe| probe.name.as_str());
        if let Some(cell) = of.get_mut(line.row as usize) {
            name.clone_into(cell);
        }
        if let Some(cell) = purposes.get_mut(line.row as usize) {
            line.kind.name().clone_into(cell);
        }
        let Some(probe) = probe.filter(|probe| !probe.positions.iter().any(|p| p == "kernel")) else {
            continue;
        };
        let hits = |line: &str| probe.positions.iter().any(|position| line.contains(position.as_str()));
        let near = [(line.before as usize).checked_sub(1), Some(line.before as usize)];
        let listing = trace.code.listings.get(from.index());
        let at = near.into_iter().flatten().find(|at| listing.is_some_and(|l| hits(l.lines.get(*at))));
        if let Some(cell) = at.and_then(|at| watched.get_mut(at))
            && !cell.split(", ").any(|known| known == probe.name)
        {
            *cell = if cell.is_empty() { probe.name.clone() } else { format!("{cell}, {}", probe.name) };
        }
    }
    if let Some(listing) =
        trace.code.listings.get_mut(from.index()).filter(|_| watched.iter().any(|w| !w.is_empty()))
    {
        listing.columns.insert(0, texts(phrase("Probe"), watched));
    }
    if let Some(listing) = trace.code.listings.get_mut(to.index()) {
        listing.columns.insert(0, texts(phrase("Probe"), of));
        listing.columns.insert(1, texts(phrase("Inserted for"), purposes));
    }
}

/// How many lines were inserted by each probe for each purpose.
fn count(aligned: &Alignment) -> Vec<(Option<usize>, &'static str, u64)> {
    let mut keys: Vec<_> = aligned.inserted.iter().map(|line| (line.probe, line.kind)).collect();
    order::sort(&mut keys);
    let mut out: Vec<(Option<usize>, &'static str, u64)> = Vec::new();
    for (probe, kind) in keys {
        match out.last_mut() {
            Some((last, name, n)) if *last == probe && *name == kind.name() => *n += 1,
            _ => out.push((probe, kind.name(), 1)),
        }
    }
    out
}

// Lines of source files that instructions come from: `.file 1 "a.cu"` names a file, `.loc 1 8 9` says that the
// instructions that follow come from its line 8.

/// Longest source file that is shown.
const SOURCE_BYTES: u64 = 8 << 20;

/// For each row of a text the number of its file and its line; `None` for rows of nothing.
struct Places {
    /// Paths by the numbers of the files.
    files: Map<u32, String>,
    /// By row.
    rows: Vec<Option<(u32, u32)>>,
}

fn source_places(text: &[&str]) -> Places {
    let mut out = Places { files: Map::default(), rows: Vec::with_capacity(text.len()) };
    let mut now = None;
    for line in text {
        let trimmed = line.trim();
        let mut words = trimmed.split_whitespace();
        let row = match words.next() {
            Some(".file") => {
                let number = words.next().and_then(|word| word.parse().ok());
                let path = trimmed.split('"').nth(1);
                out.files.extend(number.zip(path.map(str::to_owned)));
                None
            }
            Some(".loc") => {
                let mut number = || words.next().and_then(|word| word.trim_end_matches(',').parse().ok());
                now = number().zip(number()).filter(|(_, line)| *line != 0);
                None
            }
            Some(word) if word.starts_with('.') || word.starts_with("//") || word == "{" => None,
            Some("}") => {
                now = None;
                None
            }
            Some(_) => now,
            None => None,
        };
        out.rows.push(row);
    }
    // Names of files may follow behind the code.
    for row in &mut out.rows {
        *row = row.filter(|(file, _)| out.files.contains_key(file));
    }
    out
}

/// The last part of a path.
fn source_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// Adds the source files of a text that were opened too, and links their lines with it.
fn source_add(bundle: &Bundle, trace: &mut Trace, to: ListingId, places: &Places) {
    let mut files: Vec<(&u32, &String)> = places.files.iter().collect();
    order::sort(&mut files);
    for (file, path) in files {
        let rows = (0u32..).zip(&places.rows);
        let of_file = rows.filter_map(|(row, place)| Some((row, place.filter(|place| place.0 == *file)?.1)));
        let pairs: Vec<(u32, u32)> = of_file.map(|(row, line)| (line - 1, row)).collect();
        if !pairs.is_empty()
            && let Some(from) = listing(bundle, trace, path)
        {
            trace.code.links.push(Links::new(from, to, pairs));
        }
    }
}

/// The listing of a source file; `None` when it was not opened.
fn listing(bundle: &Bundle, trace: &mut Trace, path: &str) -> Option<ListingId> {
    let is_meant = |listing: &Listing| listing.kind == ListingKind::Source && listing.title == path;
    if let Some(at) = trace.code.listings.iter().position(is_meant) {
        return u32::try_from(at).ok().map(ListingId);
    }
    let (_, entry) = bundle
        .iter()
        .find(|(_, entry)| entry.name() == source_name(path) && entry.source.len() <= SOURCE_BYTES)?;
    let text = read_range(&*entry.source, 0..entry.source.len()).ok()?;
    let is_python = path.rsplit('.').next().is_some_and(|end| end.eq_ignore_ascii_case("py"));
    trace.code.listings.push(Listing::source(
        path,
        CodeScope::default(),
        if is_python { "python" } else { "cpp" },
        Lines::split(&String::from_utf8_lossy(&text)),
    ));
    u32::try_from(trace.code.listings.len() - 1).ok().map(ListingId)
}

// Instructions that a probe may want to watch, and those that it does: positions are parts of the text of instructions, so
// other forms of the same instruction, and those of functions that the kernel calls, are missed.

/// How many instructions of its kind a probe watches.
#[derive(Clone, Debug, Default, PartialEq)]
struct Coverage {
    probe: usize,
    /// Instructions of this kind.
    all: usize,
    /// Those that are probed.
    probed: usize,
    /// The others: line, from 1, and instruction.
    missed: Vec<(u32, String)>,
}

/// The opcode of a line with its parts; empty for labels, directives, comments and blank lines.
fn opcode(line: &str) -> &str {
    let text = bare(line);
    let word = text.split(|c: char| c.is_whitespace() || c == ';').next().unwrap_or("");
    let is_code = word.starts_with(|c: char| c.is_ascii_alphabetic()) && !word.ends_with(':');
    if is_code && text.contains(';') { word } else { "" }
}

/// Whether an instruction is of the kind that a position means: `ld.global` all loads from global memory.
fn is_of_kind(opcode: &str, position: &str) -> bool {
    if position.contains("mma") {
        return ["mma.sync", "mma_async", "tcgen05.mma"].iter().any(|part| opcode.contains(part))
            || opcode.starts_with("mma.");
    }
    let has = |part: &str| opcode.split('.').any(|own| own == part);
    let mut parts = position.split('.').filter(|part| !part.is_empty());
    let first = parts.next().unwrap_or("");
    if opcode.split('.').next() != Some(first) {
        // Atomic operations load from and store to global memory too.
        let is_global = position.contains("global") && has("global");
        return is_global && (opcode.starts_with("atom.") || opcode.starts_with("red."));
    }
    // Whatever is copied and however it is cached; but not waiting for it.
    let is_wait = ["commit_group", "wait_group", "wait_all", "mbarrier"].iter().any(|part| has(part));
    parts.next().is_none_or(has) && !(first == "cp" && is_wait)
}

/// What each probe of instructions watches of a kernel. Without a probed text, what it would watch.
fn site_coverage(pruned: &[&str], alignment: Option<&Alignment>, probes: &[Probe]) -> Vec<Coverage> {
    let of_probe = |(number, probe): (usize, &Probe)| {
        if probe.positions.is_empty() || probe.positions.iter().any(|position| position == "kernel") {
            return None;
        }
        let mut out = Coverage { probe: number, ..Coverage::default() };
        let mut is_in_entry = false;
        for (row, line) in pruned.iter().enumerate() {
            match line {
                _ if line.contains(".entry ") => is_in_entry = true,
                _ if line.contains(".func ") => is_in_entry = false,
                _ => {}
            }
            let opcode = opcode(line);
            let hits =
                probe.positions.iter().any(|position| !opcode.is_empty() && line.contains(position.as_str()));
            let is_meant = hits || probe.positions.iter().any(|position| is_of_kind(opcode, position));
            if opcode.is_empty() || !is_meant {
                continue;
            }
            let is_near = |inserted: u32| [row, row + 1].contains(&(inserted as usize));
            let is_probed = match alignment {
                Some(alignment) => alignment.inserted.iter().any(|line| {
                    line.probe == Some(number) && line.kind >= Purpose::Probe && is_near(line.before)
                }),
                None => is_in_entry,
            };
            out.all += 1;
            if is_probed && hits {
                out.probed += 1;
            } else {
                out.missed.push((u32::try_from(row + 1).unwrap_or(u32::MAX), opcode.to_owned()));
            }
        }
        Some(out)
    };
    probes.iter().enumerate().filter_map(of_probe).collect()
}

/// The shape of a matrix instruction: an m × k times a k × n matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    m: u64,
    n: u64,
    k: u64,
}

impl Shape {
    /// Operations of one instruction: a multiplication and an addition for each product.
    pub(crate) fn flop(&self) -> u64 {
        2 * self.m * self.n * self.k
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "m{}n{}k{}", self.m, self.n, self.k)
    }
}

/// The shapes of the matrix instructions of a text that a probe of `mma.sync` counts, each once.
fn site_shapes(pruned: &[&str]) -> Vec<Shape> {
    let mut out = Vec::new();
    for line in pruned {
        let opcode = opcode(line);
        let shape = opcode.starts_with("mma.sync").then(|| opcode.split('.').find_map(shape)).flatten();
        if let Some(shape) = shape.filter(|shape| !out.contains(shape)) {
            out.push(shape);
        }
    }
    out
}

/// `m16n8k16`.
fn shape(part: &str) -> Option<Shape> {
    let (m, rest) = part.strip_prefix('m')?.split_once('n')?;
    let (n, k) = rest.split_once('k')?;
    let number = |text: &str| text.parse().ok().filter(|n| (1..=65_536).contains(n));
    Some(Shape { m: number(m)?, n: number(n)?, k: number(k)? })
}
