//! A folder of traces while it is read: the lists, then one kernel after the other.

use super::fold::{Fold, fold};
use super::kernel::{Kernel, Trouble};
use super::line::Wrong;
use super::{Counted, Listed, result, role};
use crate::base::fault::{Fault, Kind, Place, Severity, excerpt};
use crate::base::job::Job;
use crate::base::map::{Map, Set};
use crate::base::order;
use crate::base::words::{Message, message, phrase};
use crate::format::{Claim, Reading, Sink, Want};
use crate::input::{Bundle, EntryId, limits, read_range};
use crate::model::build::natural;
use crate::views::executions::compute::Recorded;
use std::collections::VecDeque;

/// Longest line of a trace.
const LINE: usize = 1 << 20;

/// The files of a folder.
///
/// Blocks begin where warps come from elsewhere, which each launch of a kernel shows a part of. So a trace is read again,
/// with where blocks begin in the other launches, when these show more: blocks are then the same in all.
pub(super) struct Files {
    all: Vec<(EntryId, &'static str)>,
    /// The traces in order.
    traces: Vec<Trace>,
    /// Rows of traces that are to be read, the next first.
    waiting: VecDeque<usize>,
    /// How many traces were added to what is recorded.
    added: usize,
    counts: Map<String, Counted>,
    has_begun: bool,
    now: Option<Now>,
}

/// A trace of a folder.
struct Trace {
    entry: EntryId,
    stem: String,
    /// What its launch is called: the stem, behind its folder where others have the same.
    name: String,
    /// The name of its kernel, as its head has it.
    kernel: String,
    /// Where blocks begin in other launches of the kernel, once these are known.
    leads: Vec<u64>,
    /// What was read, until it is added.
    read: Option<Box<(Kernel, Fold)>>,
    /// Whether it was read for the last time.
    is_whole: bool,
}

/// The trace that is being read.
struct Now {
    row: usize,
    entry: EntryId,
    /// Whether it was read before: what is wrong with it was told.
    is_again: bool,
    kernel: Kernel,
    /// Executions on their way, when all lines were read.
    fold: Option<Job<(Kernel, Fold)>>,
    /// The begin of a line whose end has not come yet.
    rest: Vec<u8>,
    /// Where the next line begins.
    at: u64,
    line: u32,
    is_full: bool,
}

impl Files {
    pub(super) fn new(claim: &Claim) -> Self {
        Self {
            all: claim.entries.clone(),
            traces: Vec::new(),
            waiting: VecDeque::new(),
            added: 0,
            counts: Map::default(),
            has_begun: false,
            now: None,
        }
    }

    /// Reads the lists, and puts the traces in order: as listed, then by name.
    fn begin(&mut self, bundle: &Bundle, sink: &mut Sink) {
        let of_role = |wanted| self.all.iter().filter(move |(_, role)| *role == wanted).map(|(id, _)| *id);
        let mut traces: Vec<(EntryId, &str)> = of_role(role::TRACE)
            .filter_map(|id| Some((id, super::folder_stem(bundle.get(id)?.name()))))
            .collect();
        order::sort_by(&mut traces, |a, b| natural(a.1, b.1).then(a.0.cmp(&b.0)));
        let mut places: Map<String, usize> = Map::default();
        for list in of_role(role::LIST) {
            self::list(bundle, list, &traces, &mut places, sink);
        }
        for (n, (_, stem)) in traces.iter().enumerate() {
            let next = places.len() + n;
            places.entry((*stem).to_owned()).or_insert(next);
        }
        order::sort_by_key(&mut traces, |(_, stem)| places.get(*stem).copied());
        let counted = of_role(role::COUNTS).flat_map(|id| counts(bundle, id, sink)).collect::<Vec<_>>();
        self.counts.extend(counted.into_iter().map(|of| (of.stem.clone(), of)));
        let mut stems: Map<&str, usize> = Map::default();
        for (_, entry) in bundle.iter() {
            *stems.entry(super::folder_stem(entry.name())).or_default() += 1;
        }
        // Traces of several folders or archives are told apart by these.
        let name = |entry, stem: &str| {
            let folder =
                bundle.short(entry).rsplit_once('/').filter(|_| stems.get(stem).is_some_and(|n| 1 < *n));
            folder.map_or_else(
                || stem.to_owned(),
                |(folder, _)| format!("{}/{stem}", folder.trim_end_matches('!')),
            )
        };
        let trace = |(entry, stem): (EntryId, &str)| Trace {
            entry,
            stem: stem.to_owned(),
            name: name(entry, stem),
            kernel: kernel_of(bundle, entry),
            leads: Vec::new(),
            read: None,
            is_whole: false,
        };
        self.traces = traces.into_iter().map(trace).collect();
        self.waiting = (0..self.traces.len()).collect();
    }

    /// A trace was read: those that show less of their kernel than others do wait to be read again, and what is whole is
    /// added in order.
    fn end_trace(&mut self, now: &Now, read: (Kernel, Fold), bundle: &Bundle, sink: &mut Sink) {
        let Some(trace) = self.traces.get_mut(now.row) else { return };
        trace.read = Some(Box::new(read));
        trace.is_whole |= now.is_again || trace.kernel.is_empty();
        let kernel = trace.kernel.clone();
        let is_own = |trace: &Trace| !trace.is_whole && trace.kernel == kernel;
        if self.traces.iter().filter(|trace| is_own(trace)).all(|trace| trace.read.is_some()) {
            let own =
                self.traces.iter().filter(|trace| is_own(trace)).filter_map(|trace| trace.read.as_deref());
            let leads = leads(&own.collect::<Vec<_>>());
            for (row, trace) in self.traces.iter_mut().enumerate().filter(|(_, trace)| is_own(trace)) {
                let has_more = trace.read.as_deref().is_some_and(|read| has_more(read, &leads));
                trace.is_whole = !has_more;
                if has_more {
                    (trace.leads, trace.read) = (leads.clone(), None);
                    self.waiting.push_back(row);
                }
            }
        }
        while let Some(trace) = self.traces.get_mut(self.added).filter(|trace| trace.is_whole)
            && let Some(read) = trace.read.take()
        {
            self.added += 1;
            let Some(of) = bundle.get(trace.entry) else { continue };
            let counted = self.counts.get(&trace.stem);
            let tool = counted.map(|of| (of.instructions, reason(&read.0, of.instructions)));
            result::add(sink, (trace.entry.0, trace.name.clone()), of.source.clone(), *read, tool);
        }
    }

    /// The end of a trace was reached.
    fn end_lines(now: &mut Now, bundle: &Bundle, sink: &mut Sink) {
        let rest = std::mem::take(&mut now.rest);
        let mut is_cut = now.kernel.is_open;
        if !rest.is_empty() && !now.is_full {
            // A cut line may look whole: it counts where nothing may follow it.
            let may_end = !is_cut && rest.len() <= LINE;
            is_cut |= !may_end || now.kernel.line(&rest, now.at, rest.len()).is_err();
        }
        let ended = now.kernel.end();
        if now.is_again {
            return;
        }
        let path = bundle.get(now.entry).map_or("", |entry| entry.path.as_str());
        let place = Place::byte(path, now.at).line(now.line + 1, 1);
        if is_cut && !now.is_full {
            let kind = Kind::Problem(message("the trace ends inside a thread block or a line"));
            let note = phrase("The part before this is shown.");
            sink.fault(Fault::new("ACS-CUT", Severity::Loss, place, kind).note(note));
        } else if let Err(trouble) = ended {
            sink.fault(now.fault(&trouble, b"", bundle));
        }
        if now.kernel.rows.len() == 0 {
            let kind = Kind::Problem(message("no instructions"));
            sink.fault(Fault::new("ACS-EMPTY", Severity::Loss, Place::entry(path), kind));
        }
    }
}

impl Now {
    /// Takes a line without its end.
    #[inline]
    fn take(&mut self, line: &[u8], len: usize, bundle: &Bundle, sink: &mut Sink) {
        self.line += 1;
        if let Err(trouble) = self.kernel.line(line, self.at, len) {
            self.trouble(&trouble, line, bundle, sink);
        }
        self.at += len as u64;
    }

    #[cold]
    fn trouble(&mut self, trouble: &Trouble, line: &[u8], bundle: &Bundle, sink: &mut Sink) {
        if self.is_full {
            return;
        }
        self.is_full = matches!(trouble, Trouble::Full);
        if !self.is_again {
            sink.fault(self.fault(trouble, line, bundle));
        }
    }

    fn fault(&self, trouble: &Trouble, line: &[u8], bundle: &Bundle) -> Fault {
        let path = bundle.get(self.entry).map_or("", |entry| entry.path.as_str());
        let place = Place::byte(path, self.at).line(self.line, 1);
        let (code, severity, kind, note) = match trouble {
            Trouble::Line(expected) => {
                let kind = Kind::Unexpected { expected: (*expected).into(), found: excerpt(line).into() };
                ("ACS-LINE", Severity::Loss, kind, phrase("The line is skipped."))
            }
            Trouble::Head(expected) => {
                let kind = Kind::Unexpected { expected: (*expected).into(), found: excerpt(line).into() };
                (
                    "ACS-HEAD",
                    Severity::Warning,
                    kind,
                    phrase("Only thread blocks and warps in the trace are counted."),
                )
            }
            Trouble::Lanes(wrong, lanes) => {
                let found = match wrong {
                    Wrong::Few => phrase("fewer"),
                    Wrong::Many => phrase("more"),
                    Wrong::Mode => phrase("an unknown encoding of them"),
                };
                let text = message("{n} active lanes need that many addresses, found {found}");
                let kind = Kind::Problem(text.with("n", lanes).with_message("found", found));
                ("ACS-LANES", Severity::Loss, kind, phrase("The instruction is shown without its addresses."))
            }
            Trouble::Count(warp, declared, found) => {
                let a = message("the header of warp {warp} gives {n} instructions");
                let a = a.with("warp", warp).with("n", declared);
                let kind = Kind::Contradiction { a, b: message("it has {n}").with("n", found) };
                ("ACS-COUNT", Severity::Warning, kind, phrase("The recorded text is shown."))
            }
            Trouble::Full => {
                let (what, n) = (phrase("instructions of a kernel"), u64::from(u32::MAX));
                let kind = Kind::Limit { what: what.into(), asked: n + 1, allowed: n };
                ("ACS-LIMIT", Severity::Loss, kind, phrase("The rest of the trace is not shown."))
            }
        };
        Fault::new(code, severity, place, kind).note(note)
    }
}

/// Bytes of a head in which the name of the kernel is looked for.
const HEAD: u64 = 16 << 10;

/// The name of the kernel of a trace; empty where its head says none.
fn kernel_of(bundle: &Bundle, id: EntryId) -> String {
    let head = bundle.get(id).and_then(|entry| read_range(&*entry.source, 0..HEAD).ok()).unwrap_or_default();
    let lines =
        head.split(|byte| *byte == b'\n').take_while(|line| line.starts_with(b"-") || line.is_empty());
    let mut names = lines.filter_map(|line| line.strip_prefix(b"-kernel name ="));
    names.next().map_or_else(String::new, |name| String::from_utf8_lossy(name.trim_ascii()).into_owned())
}

/// Where blocks begin in launches of one kernel; nothing where these do not run the same code.
fn leads(all: &[&(Kernel, Fold)]) -> Vec<u64> {
    let mut texts: Map<u64, &str> = Map::default();
    for of in all.iter().flat_map(|(kernel, _)| &kernel.statics) {
        if *texts.entry(of.pc).or_insert(of.text.as_str()) != of.text {
            return Vec::new();
        }
    }
    let mut leads: Vec<u64> =
        all.iter().flat_map(|(kernel, fold)| fold.layout.leading(&kernel.statics)).collect();
    order::sort(&mut leads);
    leads.dedup();
    leads
}

/// Whether blocks of a launch begin at more instructions that it ran than it shows.
fn has_more((kernel, fold): &(Kernel, Fold), leads: &[u64]) -> bool {
    let own: Set<u64> = fold.layout.leading(&kernel.statics).collect();
    kernel.statics.iter().any(|of| leads.binary_search(&of.pc).is_ok() && !own.contains(&of.pc))
}

/// The text of a small file.
fn text(bundle: &Bundle, id: EntryId) -> (String, String) {
    let Some(entry) = bundle.get(id) else { return Default::default() };
    let bytes = read_range(&*entry.source, 0..limits::RECORD_BYTES as u64).unwrap_or_default();
    // A character for each byte, so that places stay right.
    let ascii =
        |bytes: &[u8]| bytes.iter().map(|b| if b.is_ascii() { char::from(*b) } else { '?' }).collect();
    (entry.path.clone(), String::from_utf8(bytes).unwrap_or_else(|why| ascii(why.as_bytes())))
}

/// The lines of a text with their numbers, where they begin, and whether they have an end.
fn lines(text: &str) -> impl Iterator<Item = (u32, u64, &str, bool)> {
    let mut at = 0;
    (1..).zip(text.split_inclusive('\n')).map(move |(n, line)| {
        let begin = at;
        at += line.len() as u64;
        (n, begin, line.trim(), line.ends_with('\n'))
    })
}

fn list(
    bundle: &Bundle,
    id: EntryId,
    traces: &[(EntryId, &str)],
    order: &mut Map<String, usize>,
    sink: &mut Sink,
) {
    let (path, text) = text(bundle, id);
    for (n, at, line, _) in lines(&text) {
        let place = || Place::byte(&*path, at).line(n, 1);
        match super::folder_listed(line) {
            Some(Listed::Nothing) => {}
            Some(Listed::Kernel(name)) => {
                let (stem, next) = (super::folder_stem(name), order.len());
                order.entry(stem.to_owned()).or_insert(next);
                if traces.iter().all(|(_, known)| *known != stem) {
                    let kind =
                        Kind::Problem(message("{name} is not among the open files").with("name", name));
                    let note = phrase("The kernel is not shown.");
                    sink.fault(Fault::new("ACS-ABSENT", Severity::Loss, place(), kind).note(note));
                }
            }
            Some(Listed::Range(range)) => {
                sink.builder.head().extensions.get_or_default::<Recorded>().regions.push(range);
            }
            None => {
                let expected = phrase("kernel-…, Memcpy… or cudaMalloc").into();
                let kind = Kind::Unexpected { expected, found: excerpt(line.as_bytes()).into() };
                let fault = Fault::new("ACS-LIST", Severity::Loss, place(), kind);
                sink.fault(fault.note(phrase("The line is skipped.")));
            }
        }
    }
}

fn counts(bundle: &Bundle, id: EntryId, sink: &mut Sink) -> Vec<Counted> {
    let (path, text) = text(bundle, id);
    let mut out = Vec::new();
    for (n, at, line, has_end) in lines(&text) {
        match super::folder_counted(line) {
            Some(counted) => out.push(counted),
            None if line.is_empty() || line.starts_with(super::COUNTS) => {}
            None => {
                // The tool often ends before it has written the last line.
                let severity = if has_end { Severity::Warning } else { Severity::Note };
                let expected = phrase("a kernel with its counts").into();
                let kind = Kind::Unexpected { expected, found: excerpt(line.as_bytes()).into() };
                let fault = Fault::new("ACS-STATS", severity, Place::byte(&*path, at).line(n, 1), kind);
                sink.fault(fault.note(phrase("The line is skipped.")));
            }
        }
    }
    out
}

/// Why the tool's number of instructions is not ours.
fn reason(kernel: &Kernel, tool: u64) -> Message {
    let rows = u64::from(kernel.n_rows);
    match tool.checked_sub(rows) {
        Some(0) => Message::default(),
        Some(n) if n == kernel.copies && kernel.seconds == 0 => {
            message("each LDGSTS had two lines, of which the trace keeps one: {n}").with("n", n)
        }
        Some(n) if n == kernel.seconds => {
            message("both lines of each LDGSTS count as one instruction: {n}").with("n", n)
        }
        Some(n) => message("{n} are missing from the trace").with("n", n),
        None => message("the trace has {n} more").with("n", rows - tool),
    }
}

impl Reading for Files {
    fn next(&mut self, bundle: &Bundle, sink: &mut Sink) -> Result<Want, Fault> {
        if !self.has_begun {
            self.has_begun = true;
            self.begin(bundle, sink);
            return Ok(Want::Again);
        }
        let Some(now) = &mut self.now else {
            let next = self.waiting.pop_front().and_then(|row| Some((row, self.traces.get(row)?)));
            let Some((row, trace)) = next else {
                result::head(sink);
                return Ok(Want::Done);
            };
            sink.step = "Reading";
            let entry = trace.entry;
            self.now = Some(Now {
                row,
                entry,
                is_again: !trace.leads.is_empty(),
                kernel: Kernel::default(),
                fold: None,
                rest: Vec::new(),
                at: 0,
                line: 0,
                is_full: false,
            });
            let len = bundle.get(entry).map_or(0, |entry| entry.source.len());
            return Ok(Want::Stream { entry, range: 0..len });
        };
        let Some(folding) = &mut now.fold else {
            Self::end_lines(now, bundle, sink);
            let mut kernel = std::mem::take(&mut now.kernel);
            let leads = self.traces.get(now.row).map_or_else(Vec::new, |trace| trace.leads.clone());
            now.fold = Some(Job::new(async move |turn| {
                let fold = fold(&mut kernel, &leads, &turn).await;
                kernel.forget_rows();
                (kernel, fold)
            }));
            return Ok(Want::Again);
        };
        let Some(read) = folding.poll() else { return Ok(Want::Again) };
        if let Some(now) = self.now.take() {
            self.end_trace(&now, read, bundle, sink);
        }
        Ok(Want::Again)
    }

    fn feed(&mut self, chunk: &[u8], bundle: &Bundle, sink: &mut Sink) -> Result<(), Fault> {
        let Some(now) = &mut self.now else { return Ok(()) };
        let mut rest = chunk;
        if !now.rest.is_empty() {
            let end = memchr::memchr(b'\n', rest);
            let (head, tail) = rest.split_at(end.map_or(rest.len(), |end| end + 1));
            if now.rest.len() <= LINE {
                now.rest.extend_from_slice(head);
            } else {
                now.at += head.len() as u64;
            }
            rest = tail;
            if end.is_some() {
                let line = std::mem::take(&mut now.rest);
                now.take(line.strip_suffix(b"\n").unwrap_or(&line), line.len(), bundle, sink);
                now.rest = line;
                now.rest.clear();
            }
        }
        while let Some(end) = memchr::memchr(b'\n', rest) {
            let (line, tail) = rest.split_at(end);
            rest = tail.get(1..).unwrap_or(&[]);
            now.take(line, end + 1, bundle, sink);
        }
        now.rest.extend_from_slice(rest);
        Ok(())
    }

    fn position(&self) -> Option<(EntryId, u64)> {
        self.now.as_ref().map(|now| (now.entry, now.at))
    }
}
