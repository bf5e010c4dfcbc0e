//! Reads the files of one trace folder: the log first, then the small files one a step, then the head of the result.

use super::sections::{self, Header, Hint};
use super::{role, split, warnings};
use crate::base::fault::{Fault, Kind, Place, Severity, excerpt};
use crate::base::names::demangled;
use crate::base::order;
use crate::base::unit::Unit;
use crate::base::words::{message, phrase};
use crate::format::{Claim, Reading, Sink, Want};
use crate::input::{Bundle, Entry, EntryId, read_range};
use crate::model::build::natural;
use crate::model::figure::{Body, Cell, Fact, Facts, Family, Figure};
use crate::model::parameter::Values;
use crate::model::{Symbols, Table, TableCells, TableColumn};
use crate::systems::neutrino::density::Counts;
use crate::systems::neutrino::folder::{Assembled, Folder, Kernel, Outcome, SchemaSource};
use crate::systems::neutrino::kernel::Listings;
use crate::systems::neutrino::launches;
use crate::systems::neutrino::log::Log;
use crate::systems::neutrino::result::ResultFile;
use crate::systems::neutrino::schema::{self, Schema};
use std::collections::VecDeque;

/// Most bytes of a small file that are read.
const FILE_BYTES: u64 = 16 << 20;

/// The files of a folder, being read.
pub(super) struct Files {
    folder: Folder,
    /// What is still to be read, the log first, the result last.
    waiting: VecDeque<(EntryId, &'static str)>,
    log: Option<(EntryId, Log)>,
    /// The counts of a `.dmat` file without its result, which are walked to see whether all are there.
    counts: Option<(EntryId, Counts)>,
    /// What other sources say of the maps, the best first.
    schemas: Vec<Schema>,
    /// Tables of plugins.
    tables: Vec<Table>,
    faults: Vec<Fault>,
    at: Option<(EntryId, u64)>,
    /// The texts of kernels, which come last.
    listings: Listings,
    is_finished: bool,
}

impl Files {
    /// Begins with the files of a claim.
    pub(super) fn new(claim: &Claim, values: &Values) -> Self {
        let order = [role::LOG, role::PROBES, role::READER, role::TENSORS, role::KERNEL, role::TABLE];
        let of = |role: &'static str| claim.entries.iter().filter(move |(_, own)| *own == role);
        let mut waiting: VecDeque<_> = order.into_iter().flat_map(of).copied().collect();
        waiting.extend([role::DENSITY, role::RESULT].into_iter().filter_map(|role| of(role).next()));
        Self {
            folder: Folder::default(),
            waiting,
            log: None,
            counts: None,
            schemas: Vec::new(),
            tables: Vec::new(),
            faults: Vec::new(),
            at: None,
            listings: Listings::new(values),
            is_finished: false,
        }
    }

    /// Takes what the log said.
    fn end_log(&mut self) {
        let Some((entry, mut log)) = self.log.take() else { return };
        log.finish();
        self.folder.log = Some(entry);
        self.folder.process = log.process;
        self.folder.launches = log.launches;
        self.folder.allocations = log.allocations;
        self.folder.kernels = log.kernels;
        self.faults.append(&mut log.faults);
    }

    fn file(&mut self, id: EntryId, role: &'static str, entry: &Entry) {
        self.at = Some((id, 0));
        let len = entry.source.len();
        let from = if role == role::TENSORS { len.saturating_sub(FILE_BYTES) } else { 0 };
        let bytes = match role {
            role::RESULT | role::DENSITY | role::LOG => Vec::new(),
            role::KERNEL if !is_read(entry.name()) => Vec::new(),
            _ => match read_range(&*entry.source, from..from + FILE_BYTES) {
                Ok(bytes) => bytes,
                Err(error) => return self.unreadable(entry, error.0),
            },
        };
        match role {
            role::PROBES => {
                let schema = schema::of_toml(&entry.path, &bytes, &mut self.faults);
                self.folder.probes.clone_from(&schema.probes);
                self.schemas.push(schema);
            }
            role::READER => {
                let text = String::from_utf8_lossy(&bytes);
                self.schemas.extend(schema::of_reader(&text, SchemaSource::ReadPy));
            }
            role::TENSORS => {
                self.folder.tensors = super::super::read_tensors(&String::from_utf8_lossy(&bytes));
            }
            role::KERNEL => self.kernel(id, entry, &bytes),
            role::TABLE => self.tables.extend(read_tables(entry.name(), &bytes)),
            role::DENSITY => {
                (self.folder.dmat, self.folder.dmat_source) = (Some(id), Some(entry.source.clone()));
                // Beside its result it comes before the last.
                if self.waiting.is_empty() {
                    match Counts::new(&entry.source) {
                        Ok(counts) => self.counts = Some((id, counts)),
                        Err(needed) => self.faults.extend(warnings::of_counts(&entry.path, len, Err(needed))),
                    }
                }
            }
            role::RESULT => self.result(id, entry),
            _ => {}
        }
    }

    /// Walks on through counts.
    fn walk(&mut self, (id, mut counts): (EntryId, Counts), entry: &Entry) {
        match counts.read(&mut |_, _, _, _| {}) {
            Ok(true) => self.counts = Some((id, counts)),
            Ok(false) => {
                let fault = warnings::of_counts(&entry.path, entry.source.len(), Ok(&counts));
                self.faults.extend(fault);
            }
            Err(error) => self.unreadable(entry, error.0),
        }
    }

    fn unreadable(&mut self, entry: &Entry, message: String) {
        let kind = Kind::Io { message };
        self.faults.push(Fault::new("NEU-READ", Severity::Loss, Place::entry(&entry.path), kind));
    }

    /// A file of a kernel.
    fn kernel(&mut self, id: EntryId, entry: &Entry, bytes: &[u8]) {
        let (folder, name) = split(&entry.path);
        let folder = split(folder).1;
        let kernels = &mut self.folder.kernels;
        let at = kernels.iter().position(|kernel| kernel.folder == folder).unwrap_or_else(|| {
            kernels.push(Kernel { folder: folder.to_owned(), ..Kernel::default() });
            kernels.len() - 1
        });
        let Some(kernel) = kernels.get_mut(at) else { return };
        kernel.files.push((name.to_owned(), id));
        match name {
            "kernel.info" => kernel_info(kernel, &String::from_utf8_lossy(bytes)),
            "process.log" => {
                kernel_process(kernel, &entry.path, bytes, &mut self.faults);
                let text = String::from_utf8_lossy(bytes);
                self.schemas.extend(schema::of_reader(&text, SchemaSource::ProcessLog));
            }
            "probed.bin" if kernel.outcome == Outcome::Unknown => kernel.outcome = Outcome::Probed,
            _ => {}
        }
    }

    /// Kernels in the order of their folders; launches keep theirs.
    fn order_kernels(&mut self) {
        let kernels = std::mem::take(&mut self.folder.kernels);
        let mut numbered: Vec<(usize, Kernel)> = kernels.into_iter().enumerate().collect();
        order::sort_by(&mut numbered, |(_, a), (_, b)| natural(&a.folder, &b.folder));
        for launch in &mut self.folder.launches {
            launch.kernel = launch.kernel.and_then(|old| numbered.iter().position(|(n, _)| *n == old));
        }
        self.folder.kernels = numbered.into_iter().map(|(_, kernel)| kernel).collect();
    }

    /// The best of what says what the maps are.
    fn schema(&mut self, launch: Option<usize>) {
        let schemas = std::mem::take(&mut self.schemas);
        if let Some(found) = schemas.into_iter().find(|schema| !schema.maps.is_empty()) {
            (self.folder.maps, self.folder.schema) = (found.maps, found.source);
            return;
        }
        let of_launch = launch.and_then(|at| self.folder.launches.get(at)?.kernel);
        let kernel =
            of_launch.or_else(|| self.folder.kernels.iter().position(|kernel| !kernel.maps.is_empty()));
        let levels =
            kernel.and_then(|at| self.folder.kernels.get(at)).filter(|kernel| !kernel.maps.is_empty());
        if let Some(kernel) = levels {
            let found = schema::of_kernel_info(&kernel.maps);
            (self.folder.maps, self.folder.schema) = (found.maps, found.source);
        }
    }

    /// The head of the result, and where its maps lie.
    fn result(&mut self, id: EntryId, entry: &Entry) {
        let launches = &self.folder.launches;
        let is_saved = |path: &String| split(path).1 == entry.name();
        let launch = launches.iter().rposition(|launch| launch.result.as_ref().is_some_and(is_saved));
        self.schema(launch);
        let len = entry.source.len();
        let read = |n: u64| read_range(&*entry.source, 0..n);
        let bytes = match read(sections::HEAD).and_then(|head| read(Header::bytes(&head))) {
            Ok(bytes) => bytes,
            Err(error) => return self.unreadable(entry, error.0),
        };
        let header = match Header::parse(&bytes, len) {
            Ok(header) => header,
            Err((byte, _)) => {
                let expected = phrase("blocks, threads and maps of a launch").into();
                let at = usize::try_from(byte).unwrap_or(0);
                let found = excerpt(bytes.get(at..bytes.len().min(at + 12)).unwrap_or(&[])).into();
                let kind = Kind::Unexpected { expected, found };
                let fault = Fault::new("NEU-HEADER", Severity::Fatal, Place::byte(&entry.path, byte), kind);
                return self.faults.push(fault.note(phrase("Its records are skipped.")));
            }
        };
        let hints = self.hints(launch, header.sections.len());
        warnings::of_schema(&self.folder, &entry.path, header.sections.len(), &mut self.faults);
        let is_hip = self.folder.process.is_hip;
        let (warp, sections) = sections::find(&header, &hints, (&entry.path, len), is_hip, &mut self.faults);
        self.folder.result = Some(ResultFile {
            entry: id,
            source: entry.source.clone(),
            name: entry.name().to_owned(),
            launch,
            grid: header.grid,
            block: header.block,
            warp,
            sections,
        });
        warnings::of_maps(&self.folder, &entry.path, &mut self.faults);
    }

    /// What the log, `kernel.info` and the schema say of each map.
    fn hints(&self, launch: Option<usize>, n: usize) -> Vec<Hint> {
        let launch = launch.and_then(|at| self.folder.launches.get(at));
        let kernel = launch.and_then(|launch| self.folder.kernels.get(launch.kernel?));
        let has_info = self.folder.schema != SchemaSource::ReadPy;
        let hint = |i: usize| {
            let map = self.folder.maps.get(i);
            let logged = launch.and_then(|launch| launch.units.get(i)).copied();
            let info = kernel.and_then(|kernel| kernel.maps.get(i)).copied();
            Hint {
                map: map.cloned(),
                is_warp: logged
                    .or(info.map(|(is_warp, _)| (is_warp, 0)))
                    .map(|(is_warp, _)| is_warp)
                    .or(map.filter(|_| has_info).map(|map| map.is_warp)),
                unit_bytes: logged.map(|(_, bytes)| bytes),
                total: launch.and_then(|launch| launch.sections.get(i)).copied(),
            }
        };
        (0..n).map(hint).collect()
    }

    /// Writes symbols of kernels out.
    fn name_kernels(&mut self, sink: &mut Sink) {
        let symbols: &mut Symbols = sink.builder.head().extensions.get_or_default();
        let kernels = self.folder.kernels.iter_mut().map(|kernel| &mut kernel.name);
        let launches = self.folder.launches.iter_mut().map(|launch| &mut launch.name);
        kernels.chain(launches).for_each(|name| *name = symbols.name(name));
    }

    /// Everything was read.
    fn finish(&mut self, bundle: &Bundle, sink: &mut Sink) {
        if self.folder.maps.is_empty() {
            self.schema(None);
        }
        self.name_kernels(sink);
        if let Some(log) = self.folder.log.and_then(|id| bundle.get(id)) {
            warnings::of_launches(&self.folder, &log.path, &mut self.faults);
        }
        let any = self.folder.log.or(self.folder.result.as_ref().map(|result| result.entry));
        let path =
            any.or(self.at.map(|(id, _)| id)).and_then(|id| bundle.get(id)).map_or("", |entry| &entry.path);
        super::root_name(path).clone_into(&mut self.folder.name);
        sink.faults_of(std::mem::take(&mut self.faults));
        launches::track_add(&self.folder, sink);
        sink.builder.head().tables.append(&mut self.tables);
        sink.builder.head().figures.extend(launches::of_files(&self.folder));
        let dmat = self.folder.dmat.and_then(|id| bundle.get(id)).filter(|_| self.folder.result.is_none());
        let missing = warnings::missing(&self.folder, dmat.map(Entry::name), bundle);
        sink.builder.head().missing.extend(missing);
        sink.builder.head().figures.extend(dmat.and_then(density));
        let folder: &mut Folder = sink.builder.head().extensions.get_or_default();
        if folder.name.is_empty() && folder.log.is_none() && folder.result.is_none() {
            *folder = std::mem::take(&mut self.folder);
        }
    }
}

/// What a `.dmat` file without its result holds: the numbers of its pages and of its clocks stand in front.
fn density(entry: &Entry) -> Option<Family> {
    let head = read_range(&*entry.source, 0..16).ok()?;
    let word = |at: usize| head.get(at..)?.first_chunk().map(|word| u64::from_le_bytes(*word));
    let fact = |name: &str, n| Fact { name: name.to_owned(), value: Cell::Integer(n), unit: Unit::None };
    let facts = vec![fact(phrase("Pages"), word(0)?), fact(phrase("Clocks"), word(8)?)];
    let title = phrase("Accesses by page and clock");
    Some(Family::single("neutrino-dmat", title, Figure::new(title, Body::Facts(Facts { facts }))))
}

/// Files of a kernel that are read while opening; listings are read last.
fn is_read(name: &str) -> bool {
    matches!(name, "kernel.info" | "process.log")
}

impl Reading for Files {
    fn next(&mut self, bundle: &Bundle, sink: &mut Sink) -> Result<Want, Fault> {
        self.end_log();
        if let Some(counts) = self.counts.take()
            && let Some(entry) = bundle.get(counts.0)
        {
            self.walk(counts, entry);
            return Ok(Want::Again);
        }
        let Some((id, role)) = self.waiting.pop_front() else {
            if !self.is_finished {
                self.finish(bundle, sink);
                self.is_finished = true;
            }
            let goes_on = self.listings.step(bundle, sink.builder.head());
            return Ok(if goes_on { Want::Again } else { Want::Done });
        };
        sink.step = "Reading";
        let Some(entry) = bundle.get(id) else { return Ok(Want::Again) };
        if role == role::LOG {
            self.at = Some((id, 0));
            self.log = Some((id, Log::new(&entry.path)));
            return Ok(Want::Stream { entry: id, range: 0..entry.source.len() });
        }
        if role == role::RESULT {
            self.order_kernels();
        }
        self.file(id, role, entry);
        Ok(Want::Again)
    }

    fn feed(&mut self, chunk: &[u8], _: &Bundle, _: &mut Sink) -> Result<(), Fault> {
        if let Some((id, log)) = &mut self.log {
            log.feed(chunk);
            self.at = Some((*id, log.position()));
        }
        Ok(())
    }

    fn position(&self) -> Option<(EntryId, u64)> {
        self.at
    }
}

// Tables of plugins, `fabricperf_*.csv`: shown as they are.

/// Reads a table; `None` when it has no columns.
fn read_tables(name: &str, bytes: &[u8]) -> Option<Table> {
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(bytes);
    let heads: Vec<String> = reader
        .byte_headers()
        .ok()?
        .iter()
        .map(|head| String::from_utf8_lossy(head).trim().to_owned())
        .collect();
    let mut columns: Vec<Vec<String>> = vec![Vec::new(); heads.len()];
    for row in reader.byte_records().map_while(Result::ok) {
        for (i, column) in columns.iter_mut().enumerate() {
            column.push(String::from_utf8_lossy(row.get(i).unwrap_or(b"")).trim().to_owned());
        }
    }
    let column =
        |(name, texts): (String, Vec<String>)| TableColumn { name, unit: Unit::None, cells: cells(texts) };
    let columns: Vec<TableColumn> = heads.into_iter().zip(columns).map(column).collect();
    let id = name.strip_suffix(".csv").unwrap_or(name).to_owned();
    let title = id.clone();
    (!columns.is_empty()).then(|| Table::new(id, title, columns))
}

/// Numbers when all texts are some.
fn cells(texts: Vec<String>) -> TableCells {
    let numbers: Option<Vec<f64>> =
        texts.iter().map(|text| if text.is_empty() { Some(f64::NAN) } else { text.parse().ok() }).collect();
    match numbers.filter(|numbers| numbers.iter().any(|number| !number.is_nan())) {
        Some(numbers) => TableCells::Numbers(numbers),
        None => TableCells::Texts(texts),
    }
}

// Folders of kernels: `kernel.info`, and what the probe engine printed into `process.log`.

/// The line that begins the report of a failure.
const TRACEBACK: &[u8] = b"Traceback (most recent call last):";

/// Reads `kernel.info`: the name, the number of parameters, the number of maps, and level and bytes of each.
fn kernel_info(kernel: &mut Kernel, text: &str) {
    let mut lines = text.lines();
    if let Some(name) = lines.next().map(str::trim).filter(|name| !name.is_empty()) {
        name.clone_into(&mut kernel.name);
    }
    kernel.parameters = lines.next().and_then(|line| line.trim().parse().ok()).or(kernel.parameters);
    let n: usize = lines.next().and_then(|line| line.trim().parse().ok()).unwrap_or(0);
    let map = |line: &str| {
        let (level, bytes) = line.split_once(',')?;
        Some((level.trim() == "1", bytes.trim().parse().ok()?))
    };
    kernel.maps = lines.take(n).map_while(map).collect();
}

/// Reads `process.log`: what the assembler said, and how it ended.
fn kernel_process(kernel: &mut Kernel, path: &str, bytes: &[u8], faults: &mut Vec<Fault>) {
    let at = memchr::memmem::find(bytes, TRACEBACK).unwrap_or(bytes.len());
    let (head, traceback) = bytes.split_at_checked(at).unwrap_or((bytes, &[]));
    let (head, traceback) = (String::from_utf8_lossy(head), String::from_utf8_lossy(traceback));
    for line in head.lines() {
        if line.starts_with("ptxas -") {
            let form =
                ["probed", "pruned", "countd"].iter().find(|form| line.contains(&format!("/{form}.ptx")));
            let form = form.map_or_else(String::new, |form| (*form).to_owned());
            kernel.assembled.push(Assembled { form, ..Assembled::default() });
        } else if line.contains(" is not in [") {
            kernel.outcome = Outcome::Filtered;
        } else if line.contains(" filtered out from [") {
            kernel.outcome = Outcome::Excluded;
        } else if let Some(assembled) = kernel.assembled.last_mut() {
            assembler(assembled, line);
        }
    }
    if kernel.name.is_empty() {
        let mut lines = head
            .lines()
            .skip_while(|line| !line.starts_with("[objdump]") && !line.starts_with("[decompile]"));
        lines.nth(1).unwrap_or("").trim().clone_into(&mut kernel.name);
    }
    if traceback.is_empty() {
        return;
    }
    traceback.trim_end().clone_into(&mut kernel.traceback);
    kernel.outcome = Outcome::Failed;
    let last = kernel.traceback.lines().last().unwrap_or("");
    let reason: String = last.chars().take(200).collect();
    let what = message("the kernel {name} was not probed: {reason}")
        .with("name", demangled(&kernel.name).unwrap_or_else(|| kernel.name.clone()))
        .with("reason", reason);
    let line = 1 + head.matches('\n').count();
    let place = Place::byte(path, at as u64).line(u32::try_from(line).unwrap_or(u32::MAX), 1);
    faults.push(Fault::new("NEU-KERNEL", Severity::Loss, place, Kind::Problem(what)));
}

/// `Used 22 registers, used 0 barriers, 384 bytes cmem[0]` and the like.
fn assembler(assembled: &mut Assembled, line: &str) {
    let before = |name: &str| {
        let (head, _) = line.split_once(name)?;
        head.rsplit([' ', ',']).find(|word| !word.is_empty())?.parse::<u64>().ok()
    };
    if let Some(registers) = before(" registers") {
        assembled.registers = u32::try_from(registers).ok();
    }
    assembled.constant_bytes = before(" bytes cmem[0]").or(assembled.constant_bytes);
    assembled.stack_bytes = before(" bytes stack frame").or(assembled.stack_bytes);
    let spills = before(" bytes spill stores").zip(before(" bytes spill loads"));
    assembled.spill_bytes = spills.or(assembled.spill_bytes);
}
