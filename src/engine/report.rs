//! Files, claims, faults and blocks, and what exports and requests look at.

use crate::base::fault::{Fault, Severity, is_damage};
use crate::base::map::Map;
use crate::base::number;
use crate::base::visible::one_line;
use crate::base::words::{Message, message, phrase};
use crate::document::Document;
use crate::draw::ColorBy;
use crate::export::ExportInput;
use crate::format::Ranking;
use crate::input::{Entry, EntryId};
use crate::model::files::{Block, BlockState, OperatorHead};
use crate::systems;
use crate::wire::Answer;
use crate::wire::report::{BlockRow, Report};
use std::fmt::Write;
use std::rc::Rc;

/// Longest text of one block that is answered; the rest is only counted.
pub(crate) const TEXT_BYTES: u64 = 512 * 1024;

pub(crate) fn report(doc: &Document) -> Report {
    let path = |id: EntryId| doc.bundle().get(id).map_or(String::new(), |e| e.path.clone());
    let ranking = doc.ranking.as_ref();
    let mut readers: Map<EntryId, &str> = Map::default();
    for (format, claim) in ranking.iter().flat_map(|r| &r.chosen) {
        for (id, _) in &claim.entries {
            readers.entry(*id).or_insert(format.id);
        }
    }
    let reader = |id: EntryId| readers.get(&id).copied().unwrap_or_default().to_owned();
    let is_packed = |id: EntryId| {
        let path = path(id);
        doc.faults().rows().iter().any(|fault| fault.code == "INP-ARCHIVE" && fault.place.entry == path)
    };
    let obstacle = obstacle(doc);
    let mut report = Report {
        files: doc.bundle().iter().map(|(id, e)| (e.path.clone(), e.source.len(), reader(id))).collect(),
        claims: ranking.map_or_else(Vec::new, claims),
        near: ranking
            .iter()
            // Who was recognized and has nothing to show is no other format.
            .filter(|r| (r.chosen.is_empty() && obstacle.is_none()) || doc.is_ready())
            .flat_map(|r| &r.near)
            // What was not unpacked is an archive, and no format reads those.
            .filter(|(_, miss)| !is_packed(miss.entry))
            // What a format reads in one way need not be what it reads in another.
            .filter(|(f, miss)| readers.get(&miss.entry).is_none_or(|id| *id != f.id))
            .map(|(f, miss)| (f.title.to_owned(), path(miss.entry), miss.missed.clone()))
            .collect(),
        reason: obstacle.unwrap_or_else(|| reason(doc)),
        faults: doc.faults().rows().to_vec(),
        counts: Severity::ALL.map(|s| doc.faults().count(s)),
        dropped: doc.trace().dropped.clone(),
        missing: doc.missing(),
        blocks: block_rows(&doc.trace().blocks, |entry| path(EntryId(entry))),
        longest_step: doc.longest_step.clone(),
        text: String::new(),
    };
    report.text = text(&report);
    report
}

/// Why no format can read the files, whatever each of them looked for.
fn obstacle(doc: &Document) -> Option<Message> {
    let is_known = doc.ranking.as_ref().is_none_or(|ranking| !ranking.chosen.is_empty());
    if is_known || 0 < doc.faults().count(Severity::Loss) + doc.faults().count(Severity::Fatal) {
        return None;
    }
    let all = |is_so: fn(&Entry) -> bool| doc.bundle().iter().all(|(_, entry)| is_so(entry));
    let n = doc.bundle().len();
    if n == 0 {
        Some(message("The archive contains no files."))
    } else if all(|entry| entry.source.is_empty()) {
        Some(message(if n == 1 { phrase("The file is empty.") } else { phrase("All files are empty.") }))
    } else if all(is_utf16) {
        let one = phrase("The file is UTF-16 text; save it as UTF-8.");
        Some(message(if n == 1 { one } else { phrase("The files are UTF-16 text; save them as UTF-8.") }))
    } else {
        None
    }
}

/// Whether an entry begins as UTF-16 text: with its mark, or with JSON of two bytes a letter.
fn is_utf16(entry: &Entry) -> bool {
    let mut head = [0; 4];
    let n = entry.source.read_at(0, &mut head).unwrap_or(0);
    let is_marked = matches!(head, [0xFF, 0xFE, c, 0] | [0xFE, 0xFF, 0, c] if c != 0);
    n == head.len()
        && (is_marked || matches!(head, [b'{' | b'[', 0, c, 0] | [0, b'{' | b'[', 0, c] if c != 0))
}

/// Why nothing is shown of what the formats said.
fn reason(doc: &Document) -> Message {
    let ranking = doc.ranking.as_ref();
    if let Some((format, _)) = ranking.and_then(|r| r.chosen.first()) {
        if systems::is_only_recognized(format) {
            return message("Recognized as {format}, but part of Lanescope could not be loaded.")
                .with("format", format.title);
        }
        return message("Recognized as {format}, but there is nothing to show.").with("format", format.title);
    }
    let first = |code: &str| doc.faults().rows().iter().find(|fault| fault.code == code);
    let damaged = message("This archive is damaged and has no file of a known type. Damaged: {place}.");
    let large = message(
        "This archive unpacks to more than the limit, and what was read of it has no file of a known type. Larger than the limit: {place}.",
    );
    if let Some((fault, said)) =
        first("INP-UNPACK").map(|fault| (fault, damaged)).or_else(|| Some((first("INP-SIZE")?, large)))
    {
        return said.with_message("place", fault.place.message());
    }
    let Some((format, miss)) = ranking.and_then(Ranking::closest) else {
        return message("Unknown file type.");
    };
    message("Unknown file type. Closest match: {format}: {entry}, {missed}")
        .with("format", format.title)
        .with("entry", doc.bundle().get(miss.entry).map_or("", |entry| &entry.path))
        .with_message("missed", miss.missed.clone())
}

fn claims(ranking: &Ranking) -> Vec<(String, String, Message, bool)> {
    let chosen = ranking.chosen.iter().map(|c| (c, true));
    let withdrawn = ranking.withdrawn.iter().map(|c| (c, false));
    chosen
        .chain(withdrawn)
        .map(|((format, claim), is_chosen)| {
            (format.title.to_owned(), format!("{:?}", claim.degree), claim.reason.clone(), is_chosen)
        })
        .collect()
}

/// Blocks that differ only in their place stand in one row.
fn block_rows(blocks: &[Block], path: impl Fn(u32) -> String) -> Vec<BlockRow> {
    let mut rows: Vec<BlockRow> = Vec::new();
    let mut last: Option<&Block> = None;
    for (i, block) in blocks.iter().enumerate() {
        let is_alike = |b: &Block| {
            b.kind == block.kind && b.state == block.state && b.path == block.path && b.entry == block.entry
        };
        match (last.filter(|b| is_alike(b)), rows.last_mut()) {
            (Some(_), Some(row)) => row.more += 1,
            _ => rows.push(BlockRow {
                row: i as u32,
                entry: path(block.entry),
                offset: block.offset,
                kind: block.kind,
                name: block.name.clone(),
                path: block.path.clone().unwrap_or_default(),
                bytes: block.content_size,
                state: state_name(block.state).to_owned(),
                more: 0,
            }),
        }
        last = Some(block);
    }
    rows
}

/// The phrase for what became of a block.
pub(crate) fn state_name(state: BlockState) -> &'static str {
    match state {
        BlockState::Read => "Read",
        BlockState::ViewFollows => "No view yet",
        BlockState::Unknown => "Unknown type",
        BlockState::Superseded => "Superseded",
        BlockState::Damaged => "Damaged",
    }
}

/// Files that are listed; more of them are counted.
const LISTED: usize = 1_000;

/// Which file was read how, a line each: its path, its bytes and its format, empty where it was not read.
pub fn file_lines(files: &[(String, u64, String)]) -> String {
    let mut out = String::new();
    for (path, bytes, format) in files.iter().take(LISTED) {
        let format = if format.is_empty() { "not read" } else { format };
        let _ = writeln!(out, "file {}, {}: {format}", one_line(path), number::file_size(*bytes));
    }
    let more = files.get(LISTED..).unwrap_or_default();
    if !more.is_empty() {
        let n_read = more.iter().filter(|(.., format)| !format.is_empty()).count();
        let [n, n_read] = [more.len(), n_read].map(|n| number::thousands(n as i64));
        let _ = writeln!(out, "{n} more files, {n_read} of them read");
    }
    out
}

/// The report for the clipboard and the terminal: English, one fact a line.
fn text(report: &Report) -> String {
    let mut out = file_lines(&report.files);
    for (format, degree, reason, is_chosen) in &report.claims {
        let what = if *is_chosen { "claim" } else { "unused match" };
        let _ = writeln!(
            out,
            "{what} of {format} ({}): {}",
            degree.to_lowercase(),
            one_line(&reason.to_string())
        );
    }
    for (format, entry, missed) in &report.near {
        let _ = writeln!(out, "not {format}: {}, {}", one_line(entry), one_line(&missed.to_string()));
    }
    for (reason, n) in &report.dropped {
        let _ = writeln!(out, "skipped, {}: {reason}", number::thousands((*n).cast_signed()));
    }
    for missing in &report.missing {
        let _ = writeln!(
            out,
            "not in the files, {}: {}",
            missing.title.to_lowercase(),
            one_line(&missing.why.to_string())
        );
    }
    if let Some((what, millis)) = &report.longest_step {
        let _ = writeln!(out, "longest task: {millis:.0} ms, {}", what.to_lowercase());
    }
    for fault in &report.faults {
        let _ = writeln!(out, "{}", fault_line(fault));
    }
    out
}

/// A fault as one line: `loss INP-UNPACK: trace.json.gz: …`.
pub fn fault_line(fault: &Fault) -> String {
    one_line(&format!("{} {}: {fault}", fault.severity.name(), fault.code)).into_owned()
}

impl Document {
    /// What could not be read of the files, so that rows or views are missing: a line for each, as [`fault_line`] says it.
    pub fn damage(&self) -> Vec<String> {
        let is_lost = |fault: &&Fault| is_damage(fault);
        self.faults().rows().iter().filter(is_lost).map(fault_line).collect()
    }

    /// How many problems of those lines are not among the first so many, and not counted in them either.
    pub fn damage_beside(&self, listed: usize) -> u64 {
        let all = self.faults().count(Severity::Loss) + self.faults().count(Severity::Fatal);
        let told = self.faults().rows().iter().filter(|fault| is_damage(fault)).take(listed);
        all.saturating_sub(told.map(|fault| 1 + fault.repeats).sum())
    }
}

pub(crate) fn block(doc: &Document, block: u32) -> Answer {
    let Some(block) = doc.trace().blocks.get(block as usize) else {
        return Answer::Failed(format!("Unknown block {block}."));
    };
    let size = block.payload.end.saturating_sub(block.payload.start);
    let shown = size.min(TEXT_BYTES);
    let bytes = doc.bytes(block.entry, block.payload.start..block.payload.start + shown);
    let left_out = size - bytes.len() as u64;
    let text = if block.is_binary { hex(&bytes) } else { pretty(&bytes, left_out == 0) };
    Answer::Text { text, left_out }
}

/// JSON indented when it is whole and valid, else the text as it is.
fn pretty(bytes: &[u8], is_whole: bool) -> String {
    if is_whole && let Ok(value) = serde_json::from_slice::<&serde_json::value::RawValue>(bytes) {
        return indent(value.get());
    }
    String::from_utf8_lossy(bytes).into_owned()
}

/// Breaks valid JSON into lines without touching its digits.
fn indent(json: &str) -> String {
    let mut out = String::with_capacity(json.len() + json.len() / 2);
    let (mut depth, mut in_text, mut escaped) = (0_usize, false, false);
    let mut chars = json.chars().peekable();
    while let Some(c) = chars.next() {
        if in_text {
            out.push(c);
            in_text = escaped || c != '"';
            escaped = !escaped && c == '\\';
            continue;
        }
        match c {
            '"' => {
                in_text = true;
                out.push(c);
            }
            '{' | '[' => {
                out.push(c);
                while chars.next_if(|c| c.is_whitespace()).is_some() {}
                if let Some(close) = chars.next_if(|c| matches!(c, '}' | ']')) {
                    out.push(close);
                } else {
                    depth += 1;
                    line(&mut out, depth);
                }
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                line(&mut out, depth);
                out.push(c);
            }
            ',' => {
                out.push(c);
                line(&mut out, depth);
            }
            ':' => out.push_str(": "),
            c if c.is_whitespace() => {}
            c => out.push(c),
        }
    }
    out
}

fn line(out: &mut String, depth: usize) {
    out.push('\n');
    out.extend(std::iter::repeat_n("  ", depth));
}

/// Sixteen bytes a line with their offset and their text.
fn hex(bytes: &[u8]) -> String {
    let mut out = String::new();
    for (i, row) in bytes.chunks(16).enumerate() {
        let digits: Vec<String> = row.iter().map(|b| format!("{b:02x}")).collect();
        let text: String =
            row.iter().map(|&b| if (32..127).contains(&b) { b as char } else { '.' }).collect();
        let _ = writeln!(out, "{:08x}  {:<47}  {text}", i * 16, digits.join(" "));
    }
    out
}

/// The answer to a request: a text, or a file beside the message when it is long.
pub(crate) fn text_answer(text: String) -> (Answer, Option<Vec<u8>>) {
    if text.len() as u64 <= TEXT_BYTES {
        return (Answer::Text { text, left_out: 0 }, None);
    }
    let (name, mime) = ("answer.json".to_owned(), "application/json".to_owned());
    (Answer::File { name, mime, said: String::new(), is_whole: true }, Some(text.into_bytes()))
}

/// The time of day of the system; in wasm asking for it would panic, so the program passes a clock in.
#[allow(clippy::disallowed_methods, clippy::unnecessary_wraps)] // not in wasm
pub(crate) fn system_clock() -> Option<u64> {
    #[cfg(target_arch = "wasm32")]
    return None;
    #[cfg(not(target_arch = "wasm32"))]
    Some(std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).ok()?.as_secs())
}

/// Calls with everything that exports and requests may look at.
pub(crate) fn with_input<T>(
    doc: &Document,
    operators: &[OperatorHead],
    act: impl FnOnce(&ExportInput) -> T,
) -> T {
    let (formats, none) = (doc.formats(), Rc::default());
    let chosen = doc.ranking.iter().flat_map(|ranking| &ranking.chosen);
    let claimed: Vec<EntryId> = chosen.flat_map(|(_, claim)| &claim.entries).map(|(id, _)| *id).collect();
    act(&ExportInput {
        bundle: doc.bundle(),
        // Nothing is written before all is read.
        trace: doc.sink.builder.shared().unwrap_or(&none),
        derived: doc.derived(),
        compared: doc.compared.figures(),
        overview: doc.overview(),
        values: doc.values(),
        analyses: if doc.is_ready() { doc.analyses() } else { &[] },
        claimed: &claimed,
        faults: doc.faults(),
        formats: &formats,
        language: doc.language(),
        scheme: &doc.palette().scheme,
        color: ColorBy::choose(None, &doc.palette().scheme, doc.trace(), &systems::color_schemes()),
        operators,
        asked: None,
        now: doc.now(),
    })
}
