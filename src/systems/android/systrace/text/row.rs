//! One row of ftrace text, read as liberally as people expect.
//!
//! ```text
//!   NeuralNetworks-5143  ( 5143) [005] ...1   142.924145: tracing_mark_write: B|5143|[NN_LR_PE]…
//!   task           pid    tgid    cpu   flags time        event               rest
//! ```
//!
//! The task is any text, the process may be missing or dashes, flags of any kind may be missing. Rows of the function
//! tracer have no colon: `vfs_read <-ksys_read`.

use crate::base::words::phrase;
use memchr::{memchr_iter, memmem};

/// What a row says, as its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fields<'a> {
    /// Name of the thread; may be empty.
    pub(crate) task: &'a str,
    /// Number of the thread.
    pub(crate) pid: &'a str,
    /// Number of the process; empty where the row does not say it.
    pub(crate) tgid: &'a str,
    /// The processor.
    pub(crate) cpu: u32,
    /// Seconds as decimal text.
    pub(crate) time: &'a str,
    /// Name of the event.
    pub(crate) event: &'a [u8],
    /// What follows the event and its colon.
    pub(crate) rest: &'a [u8],
}

/// Dashes that are tried as the one before the thread's number.
const DASHES: usize = 32;

/// A row without what ends it in old pages, where the trace is a string of JavaScript: `\n\`, behind the last row `\n";`.
pub(crate) fn unquoted(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\\n\\").or_else(|| line.strip_suffix(b"\\n\";")).unwrap_or(line)
}

/// Reads a row; `None` when it is none.
pub(crate) fn fields(line: &[u8]) -> Option<Fields<'_>> {
    let line = unquoted(line);
    memchr_iter(b'-', line).take(DASHES).find_map(|dash| {
        let (task, rest) = line.split_at_checked(dash)?;
        behind_task(rest.get(1..)?)
            .map(|fields| Fields { task: std::str::from_utf8(task.trim_ascii()).unwrap_or(""), ..fields })
    })
}

fn behind_task(line: &[u8]) -> Option<Fields<'_>> {
    let (pid, rest) = digits(line)?;
    let mut rest = rest.trim_ascii_start();
    let mut tgid = "";
    if let Some(inner) = rest.strip_prefix(b"(") {
        let inner = inner.trim_ascii_start();
        let n = inner.iter().position(|b| !b.is_ascii_digit() && *b != b'-')?;
        let (text, behind) = inner.split_at_checked(n)?;
        rest = behind.trim_ascii_start().strip_prefix(b")")?.trim_ascii_start();
        let is_number = text.iter().all(u8::is_ascii_digit);
        tgid = std::str::from_utf8(text).ok().filter(|_| is_number).unwrap_or("");
    }
    let (cpu, rest) = digits(rest.strip_prefix(b"[")?)?;
    let rest = rest.strip_prefix(b"]")?.trim_ascii_start();
    let (time, rest) = match time(rest) {
        Some(found) => found,
        None => {
            // Flags.
            let n = rest.iter().take(16).position(|b| *b == b' ')?;
            time(rest.get(n..)?.trim_ascii_start())?
        }
    };
    let rest = rest.trim_ascii_start();
    let colon = rest.iter().take(64).position(|b| *b == b':');
    let n = colon.or_else(|| memmem::find(rest, b" <-"))?;
    let (event, rest) = rest.split_at_checked(n)?;
    let rest = rest.get(1..)?;
    Some(Fields {
        task: "",
        pid,
        tgid,
        cpu: cpu.parse().ok()?,
        time,
        event,
        rest: rest.strip_prefix(b" ").unwrap_or(rest),
    })
}

/// `142.924145:`, its digits and what follows.
fn time(bytes: &[u8]) -> Option<(&str, &[u8])> {
    let whole = bytes.iter().position(|b| !b.is_ascii_digit()).filter(|n| 0 < *n)?;
    let fraction = bytes.get(whole..)?.strip_prefix(b".")?;
    let n = fraction.iter().position(|b| !b.is_ascii_digit()).filter(|n| 0 < *n)?;
    let rest = fraction.get(n..)?.strip_prefix(b":")?;
    Some((std::str::from_utf8(bytes.get(..whole + 1 + n)?).ok()?, rest))
}

/// The digits at the head, at least one, and what follows.
pub(crate) fn digits(bytes: &[u8]) -> Option<(&str, &[u8])> {
    let n = bytes.iter().position(|b| !b.is_ascii_digit()).unwrap_or(bytes.len());
    let (head, rest) = bytes.split_at_checked(n).filter(|_| 0 < n)?;
    Some((std::str::from_utf8(head).ok()?, rest))
}

/// The process that a mark names, `550` of `B|550|text`; empty when it names none.
pub(crate) fn process_of(mark: &str) -> &str {
    let field = mark.split('|').nth(1).unwrap_or("").trim_end();
    if !field.is_empty() && field.bytes().all(|b| b.is_ascii_digit()) { field } else { "" }
}

/// What a row says, by the names of its columns, for a person who asks for it. Empty when the bytes are no row.
pub(crate) fn detail(bytes: &[u8]) -> Vec<(String, String)> {
    let line = bytes.trim_ascii_end();
    let Some(fields) = fields(line) else { return Vec::new() };
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let columns = [
        ("TASK", fields.task.to_owned()),
        ("PID", fields.pid.to_owned()),
        ("TGID", fields.tgid.to_owned()),
        ("CPU", fields.cpu.to_string()),
        ("TIMESTAMP", fields.time.to_owned()),
        ("FUNCTION", format!("{}: {}", text(fields.event), text(fields.rest))),
    ];
    let said = columns.into_iter().filter(|(_, value)| !value.is_empty());
    let said = said.map(|(name, value)| (name.to_owned(), value));
    said.chain(arguments(fields)).collect()
}

/// The priority of the thread that a processor goes over to: behind the arrow stands `next_prio=120`, or `sh:3 [120]` as
/// `trace-cmd report` writes it.
pub(crate) fn priority(bytes: &[u8]) -> Vec<(String, String)> {
    let number = fields(bytes.trim_ascii_end()).filter(|row| row.event == b"sched_switch").and_then(|row| {
        let next = row.rest.get(memmem::rfind(row.rest, b"==> ")?..)?;
        let behind = |text: &[u8]| next.get(memmem::rfind(next, text)? + text.len()..);
        let rest = behind(b" next_prio=").or_else(|| behind(b" ["))?;
        let n = rest.iter().take_while(|b| b.is_ascii_digit() || **b == b'-').count();
        rest.get(..n).filter(|number| !number.is_empty())
    });
    let said = number.map(|n| (phrase("Priority").to_owned(), String::from_utf8_lossy(n).into_owned()));
    said.into_iter().collect()
}

/// Whether an event holds a mark.
pub(crate) fn is_mark(event: &[u8]) -> bool {
    matches!(event, b"tracing_mark_write" | b"print" | b"0")
}

/// Arguments like `prev_comm=two words prev_pid=3`: a value reaches to the next key. Marks have none.
fn arguments(row: Fields) -> Vec<(String, String)> {
    let text = String::from_utf8_lossy(if is_mark(row.event) { b"" } else { row.rest });
    let is_key = |key: &str| {
        key.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
    };
    let mut all: Vec<(String, String)> = Vec::new();
    for word in text.split_ascii_whitespace().filter(|word| *word != "==>") {
        match (word.split_once('=').filter(|(key, _)| is_key(key)), all.last_mut()) {
            (Some((key, value)), _) => all.push((key.to_owned(), value.to_owned())),
            (None, Some((_, value))) => value.extend([" ", word]),
            (None, None) => {}
        }
    }
    all
}
