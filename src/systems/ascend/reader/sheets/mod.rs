//! The CSV files that msprof writes beside a container: tables, heat tables of blocks, and what container and files both
//! say, compared.
//!
//! | file | a row for each | holds |
//! |---|---|---|
//! | `OpBasicInfo.csv` | operator | name, type, duration, block dim, clocks |
//! | `PipeUtilization.csv`, `ArithmeticUtilization.csv`, `ResourceConflictRatio.csv` | unit of a block | times, shares, conflicts |
//! | `Memory.csv`, `MemoryL0.csv`, `MemoryUB.csv`, `L2Cache.csv` | unit of a block | bandwidths, volumes, hits |
//! | `core*_instr_exe*.csv`, `core*_code_exe*.csv` | instruction, line | calls, cycles (simulator; by document only) |
//! | any other | – | shown as a table |
//!
//! Verified on the eight files of one vector operator; columns are taken as the heads name them.

mod alone;
mod cross;
mod measures;
pub mod parse;
mod pipes;

pub(crate) use measures::MOVES_OF_SOME;

use super::details::{Pipes, UnitParts, op_type};
use super::reading::Container;
use super::walk::block_name;
use super::{CONTAINER, SHEET};
use crate::analysis::compare::units::FigureUnits;
use crate::base::fault::{Fault, Kind, Place, Severity};
use crate::base::map::Set;
use crate::base::order;
use crate::base::terms::Terms;
use crate::base::unit::Unit;
use crate::base::words::{message, phrase};
use crate::format::{Claim, Degree, Probed, Reading, Sink, Want};
use crate::input::json::parse;
use crate::input::{Bundle, Entry, EntryId, limits, read_range};
use crate::model::figure::{Body, Cell, Choice, Family, Figure, Matrix, MatrixCell};
use crate::model::files::{BlockState, OperatorHead};
use crate::model::{Table, TableCells, TableColumn};
use crate::systems::ascend::reader::field;
use crate::systems::trace_event;
use cross::Said;
use parse::{Sheet, SheetRow};
use std::borrow::Cow;
use std::collections::VecDeque;
use std::ops::Range;

/// Names of the files that msprof writes, without their ending.
const KNOWN: [&str; 8] = [
    "ArithmeticUtilization",
    "L2Cache",
    "Memory",
    "MemoryL0",
    "MemoryUB",
    "OpBasicInfo",
    "PipeUtilization",
    "ResourceConflictRatio",
];

/// The folder of a path, without the slash at its end.
pub(super) fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Whether a file is one of those that msprof writes beside a container.
pub(super) fn is_known(entry: &Entry) -> bool {
    is_csv(entry) && KNOWN.contains(&Sheet::name_of(&entry.path))
}

fn is_csv(entry: &Entry) -> bool {
    entry
        .path
        .len()
        .checked_sub(4)
        .and_then(|at| entry.path.get(at..))
        .is_some_and(|e| e.eq_ignore_ascii_case(".csv"))
}

/// Largest CSV file that is read for a list of operators; real ones have some ten thousand bytes.
const MEASURED_BYTES: u64 = 512 << 10;

/// The file that says what the operator is.
const BASIC_INFO: &str = "OpBasicInfo";

/// Reads what an operator is from the text of its `OpBasicInfo.csv`.
pub(super) fn basic_info(path: &str, bytes: &[u8], head: &mut OperatorHead) {
    tell(&parse::parse(path, bytes).0, head);
}

fn tell(basic: &Sheet, head: &mut OperatorHead) {
    let text = |name: &str| basic.rows.first()?.text(basic.column(name)?);
    let number = |name: &str| text(name).and_then(super::field::number);
    text("Op Name").unwrap_or("").clone_into(&mut head.name);
    op_type(text("Op Type").unwrap_or("")).clone_into(&mut head.kind);
    head.block_dim = number("Block Dim");
    head.duration = number("Task Duration");
    head.clock = number("Current Freq");
    head.rated_clock = number("Rated Freq");
}

/// Adds what the CSV files of an operator measured, those of reasonable size.
pub(super) fn measure<'a>(entries: impl Iterator<Item = &'a Entry>, head: &mut OperatorHead) {
    let is_meant = |entry: &&Entry| {
        is_csv(entry)
            && (measures::FILES.contains(&Sheet::name_of(&entry.path))
                || Sheet::name_of(&entry.path) == BASIC_INFO)
            && entry.source.len() <= MEASURED_BYTES
    };
    let sheet = |entry: &Entry| {
        let bytes = read_range(&*entry.source, 0..entry.source.len()).unwrap_or_default();
        parse::parse(&entry.path, &bytes).0
    };
    let sheets: Vec<Sheet> = entries.filter(is_meant).map(sheet).collect();
    let found = measures::of(&sheets, head);
    // What the container says comes first.
    let new = found.into_iter().filter(|measure| head.measure(&measure.name).is_none());
    let new: Vec<_> = new.collect();
    head.measures.extend(new);
}

/// Adds the CSV files of each folder to the container in it, or claims them alone where at least one is known.
pub(super) fn claim(bundle: &Bundle, probed: &mut Probed) {
    let files: Vec<(EntryId, &Entry)> =
        bundle.iter().filter(|(_, entry)| is_csv(entry) && looks_like_text(entry)).collect();
    let mut taken: Set<EntryId> = Set::default();
    for claim in &mut probed.claims {
        let Some(container) = claim.entries.first().and_then(|(id, _)| bundle.get(*id)) else { continue };
        let own = folder(&container.path);
        for (id, entry) in &files {
            let inner = folder(&entry.path).strip_prefix(own).unwrap_or("/");
            // The simulator writes files of each core into a folder of the core's name.
            let is_core = inner.trim_start_matches('/').starts_with("core");
            if (inner.is_empty() || is_core) && taken.insert(*id) {
                claim.entries.push((*id, SHEET));
            }
        }
    }
    let folders: Set<&str> =
        files.iter().filter(|(_, entry)| is_known(entry)).map(|(_, entry)| folder(&entry.path)).collect();
    let mut alone: Vec<(&str, Vec<(EntryId, &'static str)>)> = Vec::new();
    for (id, entry) in files.into_iter().filter(|(id, _)| !taken.contains(id)) {
        let own = folder(&entry.path);
        if folders.contains(own) {
            // Entries are sorted by path, so those of a folder follow each other, but for the folders in it.
            match alone.iter_mut().find(|(folder, _)| *folder == own) {
                Some((_, entries)) => entries.push((id, SHEET)),
                None => alone.push((own, vec![(id, SHEET)])),
            }
        }
    }
    probed.claims.extend(alone.into_iter().map(|(_, entries)| Claim {
        degree: Degree::Likely,
        reason: message("{n} CSV files written by msprof op").with("n", entries.len()),
        entries,
    }));
}

/// Whether a file begins with a line of text that has several cells.
fn looks_like_text(entry: &Entry) -> bool {
    let head = read_range(&*entry.source, 0..4_096).unwrap_or_default();
    let line = head.split(|b| *b == b'\n').next().unwrap_or(&head);
    !line.contains(&0) && line.contains(&parse::separator(&head))
}

/// One operator being read: its container, its CSV files, and what both say.
pub(super) struct Operator {
    container: Option<Container>,
    /// What the container said of pipes.
    pipes: Pipes,
    entry: Option<EntryId>,
    /// Files that are still to be read.
    files: VecDeque<EntryId>,
    /// Blocks that are still to be compared: kind, name, payload. `None` before they were listed.
    blocks: Option<VecDeque<(u8, String, Range<u64>)>>,
    /// What the bytes are of that are coming.
    now: Option<Now>,
    bytes: Vec<u8>,
    sheets: Vec<Sheet>,
    said: Vec<Said>,
    /// Names of the blocks that were compared, by type.
    names: Vec<(u8, String)>,
    at: (EntryId, u64),
    /// Figures before this one belong to other files.
    first_figure: usize,
    is_begun: bool,
}

enum Now {
    File(EntryId),
    Block(u8),
}

impl Operator {
    /// The operator of a claim.
    pub(super) fn new(claim: &Claim) -> Self {
        let of =
            |role: &'static str| claim.entries.iter().filter(move |(_, r)| *r == role).map(|(id, _)| *id);
        let entry = of(CONTAINER).next();
        let first = claim.entries.first().map_or(EntryId(0), |(id, _)| *id);
        Self {
            container: entry.map(Container::new),
            pipes: Pipes::default(),
            entry,
            files: of(SHEET).collect(),
            blocks: None,
            now: None,
            bytes: Vec::new(),
            sheets: Vec::new(),
            said: Vec::new(),
            names: Vec::new(),
            at: (first, 0),
            first_figure: 0,
            is_begun: false,
        }
    }

    /// The bytes of a file or a block are all there.
    fn take(&mut self, now: Now, bundle: &Bundle, sink: &mut Sink) {
        let bytes = std::mem::take(&mut self.bytes);
        match now {
            Now::File(id) => {
                let Some(entry) = bundle.get(id) else { return };
                let (mut sheet, faults) = parse::parse(&entry.path, &bytes);
                sink.faults_of(faults);
                if sheet.heads.is_empty() {
                    return;
                }
                // Files of cores have the same names in different folders.
                if self.sheets.iter().any(|s| s.name == sheet.name) {
                    Sheet::name_of(bundle.short(id)).clone_into(&mut sheet.name);
                }
                let tables = &mut sink.builder.head().tables;
                let id = id_of(&sheet.name, tables.iter().map(|t| t.id.as_str()));
                tables.push(table(&sheet, id));
                self.sheets.push(sheet);
            }
            Now::Block(kind) => self.said.extend(cross::values(kind, &parse(&bytes, 0).0)),
        }
    }

    /// The blocks that say what the files say too.
    fn list_blocks(&self, sink: &Sink) -> VecDeque<(u8, String, Range<u64>)> {
        let (Some(entry), false) = (self.entry, self.sheets.is_empty()) else { return VecDeque::new() };
        let own = sink.builder.trace().blocks.iter().filter(|block| block.entry == entry.0);
        let wanted = (1..).zip(own).filter_map(|(n, block)| {
            let kind = u8::try_from(block.kind).ok().filter(|kind| cross::KINDS.contains(kind))?;
            let is_whole = !matches!(block.state, BlockState::Superseded | BlockState::Damaged);
            let size = block.payload.end.saturating_sub(block.payload.start);
            (is_whole && size <= limits::TREE_BYTES)
                .then(|| (kind, block_name(block, n).to_string(), block.payload.clone()))
        });
        wanted.collect()
    }

    /// Everything was read: figures of the files, and the comparison.
    fn finish(&mut self, sink: &mut Sink) {
        let names = std::mem::take(&mut self.names);
        let name = |kind: u8| names.iter().find(|(k, _)| *k == kind).map_or("", |(_, name)| name).to_owned();
        self.own_figures(sink);
        let basic = self.sheets.iter().find(|sheet| sheet.name == BASIC_INFO);
        let mut read = OperatorHead::default();
        if let Some(basic) = basic {
            tell(basic, &mut read);
        }
        if let Some(family) = measures::figure(&self.sheets, read.duration) {
            let head = sink.builder.head();
            let units = measures::units(&self.sheets);
            head.extensions.get_or_default::<FigureUnits>().take(&family.id, units, true);
            head.figures.push(family);
        }
        let moves = measures::moves(&self.sheets);
        if !moves.is_empty() {
            sink.builder.head().extensions.get_or_default::<UnitParts>().moves.extend(moves);
        }
        let compared = cross::check(&self.said, &self.sheets, name);
        let heat = heat_tables(&self.sheets);
        if let Some((family, faults)) = compared {
            sink.builder.head().figures.push(family);
            sink.faults_of(faults);
        }
        sink.builder.head().figures.extend(heat);
        if sink.builder.trace().title.is_empty() {
            self.entitle(sink);
        }
        super::missing_note(self.entry.is_some(), sink.builder.head());
    }

    /// What the container does not say is shown from the files: more files never show less.
    fn own_figures(&mut self, sink: &mut Sink) {
        let own = sink.builder.trace().figures.get(self.first_figure..).unwrap_or(&[]);
        // Of several containers figures of the same id have a number behind it.
        let has = |id: &str| own.iter().any(|family| family.id.strip_prefix(id).is_some_and(is_own_id));
        let (has_info, has_cores) = (has("base-info"), has("core-occupancy"));
        let has_blocks = has("block-detail") || has("mix-block-detail");
        if !has_info || !has_blocks {
            alone::info(&self.sheets, (has_info, has_blocks), self.first_figure, sink);
        }
        if !has_cores {
            alone::cores(&self.sheets, self.first_figure, sink);
        }
        if self.pipes.fill(&pipes::of(&self.sheets)) {
            self.pipes.show(self.first_figure, sink);
        }
    }

    /// Without a container the basic info names the operator.
    fn entitle(&self, sink: &mut Sink) {
        let Some(basic) = self.sheets.iter().find(|sheet| sheet.name == BASIC_INFO) else { return };
        let mut read = OperatorHead::default();
        tell(basic, &mut read);
        let duration = read.duration.map(|d| Cell::Number(d).with_unit(&Unit::Micros));
        let head = sink.builder.head();
        head.title = read.name;
        head.headline = Some(read.kind).filter(|kind| !kind.is_empty()).into_iter().chain(duration).collect();
    }

    /// The next file or block, as a range of an entry.
    fn next_range(&mut self, bundle: &Bundle, sink: &mut Sink) -> Option<(Now, EntryId, Range<u64>)> {
        while let Some(id) = self.files.pop_front() {
            let Some(entry) = bundle.get(id) else { continue };
            let len = entry.source.len();
            if len <= limits::TREE_BYTES {
                return Some((Now::File(id), id, 0..len));
            }
            let what = Cow::Borrowed("CSV file size in bytes");
            let kind = Kind::Limit { what, asked: len, allowed: limits::TREE_BYTES };
            let fault = Fault::new("ASC-LIMIT", Severity::Loss, Place::entry(&*entry.path), kind);
            sink.fault(fault.note("Skipped."));
        }
        if self.blocks.is_none() {
            self.blocks = Some(self.list_blocks(sink));
        }
        let (kind, name, range) = self.blocks.as_mut()?.pop_front()?;
        self.names.push((kind, name));
        Some((Now::Block(kind), self.entry?, range))
    }
}

impl Reading for Operator {
    fn next(&mut self, bundle: &Bundle, sink: &mut Sink) -> Result<Want, Fault> {
        if !self.is_begun {
            (self.first_figure, self.is_begun) = (sink.builder.trace().figures.len(), true);
        }
        if let Some(container) = &mut self.container {
            let want = container.next(bundle, sink)?;
            if want == Want::Done {
                self.pipes = self.container.take().map(Container::into_pipes).unwrap_or_default();
                return Ok(Want::Again);
            }
            return Ok(want);
        }
        sink.step = phrase("Reading CSV files");
        if let Some(now) = self.now.take() {
            self.take(now, bundle, sink);
        } else if self.entry.is_none() {
            sink.builder.head().terms = Terms::of(trace_event::OPERATOR_TERMS);
        }
        let Some((now, entry, range)) = self.next_range(bundle, sink) else {
            self.finish(sink);
            return Ok(Want::Done);
        };
        self.now = Some(now);
        self.at = (entry, range.start);
        Ok(Want::Stream { entry, range })
    }

    fn feed(&mut self, chunk: &[u8], bundle: &Bundle, sink: &mut Sink) -> Result<(), Fault> {
        if let Some(container) = &mut self.container {
            return container.feed(chunk, bundle, sink);
        }
        self.at.1 += chunk.len() as u64;
        self.bytes.extend_from_slice(chunk);
        Ok(())
    }

    fn position(&self) -> Option<(EntryId, u64)> {
        self.container.as_ref().map_or(Some(self.at), Reading::position)
    }
}

/// Whether what stands behind an id is nothing or the number of a file.
pub(super) fn is_own_id(rest: &str) -> bool {
    rest.strip_prefix('-').unwrap_or(rest).bytes().all(|b| b.is_ascii_digit())
}

/// An id that no other table has: the name in lower case, with a number when it is taken.
fn id_of<'a>(name: &str, others: impl Iterator<Item = &'a str> + Clone) -> String {
    let plain = |c: char| if c.is_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    let stem: String = name.chars().map(plain).collect();
    let is_free = |id: &str| others.clone().all(|other| other != id);
    if is_free(&stem) {
        return stem;
    }
    (2..=u32::MAX).map(|n| format!("{stem}-{n}")).find(|id| is_free(id)).unwrap_or(stem)
}

// What a CSV file becomes: a long table, and, when its rows are blocks, a heat table of blocks × columns.

/// The panel of what the CSV files say.
const SECTION: &str = "CSV files";
/// Most cells of one heat table; longer files are tables only.
const CELLS: usize = 10_000;

/// The columns that say which block a row is about.
const BLOCK: &str = "block_id";
/// … and which unit of its core.
const SUB_BLOCK: &str = "sub_block_id";
/// What stands in front of columns of cubes and of vectors; nothing where a chip has one kind of core.
const PREFIXES: [&str; 3] = ["aic_", "aiv_", ""];

/// Columns of numbers that are names.
const NAMES: [&str; 2] = ["Pid", "Device Id"];

/// The number of a cell.
fn number(row: &SheetRow, column: usize) -> Option<f64> {
    row.text(column).and_then(field::number)
}

/// The whole file as a table.
fn table(sheet: &Sheet, id: String) -> Table {
    let column = |(at, head): (usize, &parse::Head)| TableColumn {
        name: head.name.clone(),
        unit: head.unit.clone(),
        cells: cells(sheet, at),
    };
    Table::new(id, sheet.name.clone(), sheet.heads.iter().enumerate().map(column).collect())
}

/// Numbers where all cells that are not missing are numbers, else texts. Whole numbers that a float does not hold
/// exactly stay whole.
fn cells(sheet: &Sheet, column: usize) -> TableCells {
    let texts = || sheet.rows.iter().map(|row| row.text(column));
    // Numbers that name something are no quantities.
    let is_name = sheet.heads.get(column).is_some_and(|head| NAMES.contains(&head.name.as_str()));
    let is_exact = |text: &str| text.parse::<u64>().map_or(true, |n| n <= 1 << 53);
    if is_name || !texts().flatten().all(|text| text.parse().is_ok_and(f64::is_finite)) {
        return TableCells::Texts(texts().map(|text| text.unwrap_or_default().to_owned()).collect());
    }
    if !texts().flatten().all(is_exact)
        && let Some(whole) = texts().map(|text| text?.parse().ok()).collect()
    {
        return TableCells::Integers(whole);
    }
    TableCells::Numbers(texts().map(|text| text.and_then(field::number).unwrap_or(f64::NAN)).collect())
}

/// Heat tables of all files whose rows are blocks, in one family; `None` when there is none.
fn heat_tables(sheets: &[Sheet]) -> Option<Family> {
    let mut sheets: Vec<&Sheet> = sheets.iter().collect();
    // What pipes did comes first: it says what bounds the operator.
    order::sort_by_key(&mut sheets, |sheet| sheet.name != "PipeUtilization");
    let (options, variants): (Vec<String>, Vec<Figure>) =
        sheets.into_iter().filter_map(|sheet| Some((sheet.name.clone(), heat_table(sheet)?))).unzip();
    (!variants.is_empty()).then(|| Family {
        id: "csv-blocks".to_owned(),
        section: SECTION.to_owned(),
        title: "Block heatmap".to_owned(),
        choices: vec![Choice { name: "File".to_owned(), options }],
        variants,
    })
}

/// Rows × columns of numbers; columns without a number are left out.
fn heat_table(sheet: &Sheet) -> Option<Figure> {
    let block = sheet.column(BLOCK)?;
    let sub_block = sheet.column(SUB_BLOCK);
    let is_name = |at: usize| at == block || Some(at) == sub_block;
    let has_number = |at: &usize| !is_name(*at) && sheet.rows.iter().any(|row| number(row, *at).is_some());
    let columns: Vec<usize> = (0..sheet.heads.len()).filter(has_number).collect();
    let n_cells = columns.len().checked_mul(sheet.rows.len())?;
    if n_cells == 0 || CELLS < n_cells {
        return None;
    }
    let heads: Vec<_> = columns.iter().filter_map(|at| sheet.heads.get(*at)).collect();
    let name = |row: &SheetRow| {
        let sub_block = sub_block.and_then(|at| row.text(at)).unwrap_or("");
        format!("{} {sub_block}", row.text(block).unwrap_or("NA")).trim_end().to_owned()
    };
    let cells = sheet.rows.iter().flat_map(|row| {
        let cell = |at: &usize| MatrixCell { value: number(row, *at), ..MatrixCell::default() };
        columns.iter().map(cell)
    });
    let matrix = Matrix {
        row_name: "Block ID".to_owned(),
        column_name: "Column".to_owned(),
        unit: Unit::None,
        rows: sheet.rows.iter().map(name).collect(),
        columns: heads.iter().map(|head| head.name.clone()).collect(),
        column_units: heads.iter().map(|head| head.unit.clone()).collect(),
        cells: cells.collect(),
        ..Matrix::default()
    };
    let mut figure = Figure::new("Block heatmap", Body::Matrix(matrix));
    figure.scope.clone_from(&sheet.name);
    figure.notes.push(message("Each column has its own color scale, from its minimum to its maximum."));
    let n_left = sheet.heads.len() - columns.len() - 1 - usize::from(sub_block.is_some());
    if 0 < n_left {
        let left = message("{n} columns without numbers are hidden; see the table.");
        figure.notes.push(left.with("n", n_left));
    }
    Some(figure)
}
