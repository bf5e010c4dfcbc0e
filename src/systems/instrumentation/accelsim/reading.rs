//! A folder of traces while it is read: the lists, then one kernel after the other.

use super::fold::{Fold, fold};
use super::kernel::{Kernel, Trouble};
use super::line::Wrong;
use super::{Counted, Listed, result, role};
use crate::base::fault::{Fault, Kind, Place, Severity, excerpt};
use crate::base::job::Job;
use crate::base::map::Map;
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
pub(super) struct Files {
    all: Vec<(EntryId, &'static str)>,
    /// Traces that were not read yet.
    waiting: VecDeque<EntryId>,
    counts: Map<String, Counted>,
    has_begun: bool,
    now: Option<Now>,
}

/// The trace that is being read.
struct Now {
    entry: EntryId,
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
        let (all, waiting) = (claim.entries.clone(), VecDeque::new());
        Self { all, waiting, counts: Map::default(), has_begun: false, now: None }
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
        self.waiting = traces.into_iter().map(|(id, _)| id).collect();
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
        sink.fault(self.fault(trouble, line, bundle));
    }

    fn fault(&self, trouble: &Trouble, line: &[u8], bundle: &Bundle) -> Fault {
        let path = bundle.get(self.entry).map_or("", |entry| entry.path.as_str());
        let place = Place::byte(path, self.at).line(self.line, 1);
        let (code, severity, kind, note) = match trouble {
            Trouble::Line(expected) => {
                let kind = Kind::Unexpected { expected: (*expected).into(), found: excerpt(line).into() };
                ("ACS-LINE", Severity::Loss, kind, phrase("The line is skipped."))
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
    let rows = u64::from(kernel.rows.len());
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
            let Some(entry) = self.waiting.pop_front() else {
                result::head(sink);
                return Ok(Want::Done);
            };
            sink.step = "Reading";
            self.now = Some(Now {
                entry,
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
            now.fold = Some(Job::new(async move |turn| {
                let fold = fold(&mut kernel, &turn).await;
                (kernel, fold)
            }));
            return Ok(Want::Again);
        };
        let Some((kernel, fold)) = folding.poll() else { return Ok(Want::Again) };
        if let Some(Now { entry, .. }) = self.now.take()
            && let Some(of) = bundle.get(entry)
        {
            let stem = super::folder_stem(of.name()).to_owned();
            let tool = self.counts.get(&stem).map(|of| (of.instructions, reason(&kernel, of.instructions)));
            result::add(sink, (entry.0, stem), of.source.clone(), (kernel, fold), tool);
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
