//! What a mapping makes of single lines, for a look before a log is opened with it; what is wrong with it, and where.

use super::read::{Event, Mapping};
use crate::base::words::{Message, message, phrase};
use crate::input::json::scan::{Members, unquoted};
use crate::model::parameter::{LineMatch, LineReader, PreviewProblem};
use crate::views::lifetimes::compute::{Operation, Outcome};
use regex_lite::{Regex, RegexBuilder};

/// Most bytes of a compiled expression: each byte of a line costs as many steps as it has states.
const SIZE: usize = 1 << 18;
/// Most expressions that are tried to find where one is wrong.
const TRIES: usize = 512;

/// Reads a mapping, to be tried on lines.
pub(super) fn preview(text: &str) -> Result<Box<dyn LineReader>, PreviewProblem> {
    Mapping::parse(text).map(|mapping| Box::new(mapping) as Box<dyn LineReader>)
}

/// An expression, or what is wrong with it.
pub(super) fn regex(text: &str) -> Result<Regex, PreviewProblem> {
    let build = |text: &str| RegexBuilder::new(text).size_limit(SIZE).build();
    build(text).map_err(|error| {
        let why = error.to_string();
        // The engine names no place. What follows the first wrong character changes nothing of what it says.
        let is_same = |end: &usize| build(text.get(..*end).unwrap_or("")).err().as_ref() == Some(&error);
        let ends = text.char_indices().map(|(at, _)| at).rev();
        let end = || ends.take(TRIES).take_while(is_same).last().unwrap_or(text.len());
        let wrong =
            || text.get(..end()).and_then(|before| before.char_indices().last()).map_or(0, |(at, _)| at);
        let at = unclosed(text, &why).unwrap_or_else(wrong);
        PreviewProblem { field: String::new(), at: Some(at as u64), why: plain(&why) }
    })
}

/// Where the group or the set of characters begins that is not closed, where that is what is wrong.
fn unclosed(text: &str, why: &str) -> Option<usize> {
    let is_group = why == UNCLOSED[0] || why == UNCLOSED[1];
    if !is_group && !is_unclosed_set(why) {
        return None;
    }
    let (mut groups, mut set) = (Vec::new(), None);
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match (c, set) {
            ('\\', _) => drop(chars.next()),
            (']', Some(start)) if start + 1 < at => set = None,
            (_, Some(_)) => {}
            ('[', None) => set = Some(at),
            ('(', None) => groups.push(at),
            (')', None) => drop(groups.pop()),
            _ => {}
        }
    }
    if is_group { groups.last().copied() } else { set }
}

/// What the engine says of a group that is not closed.
const UNCLOSED: [&str; 2] =
    ["found open group without closing ')'", "expected closing ')', but got end of pattern"];

fn is_unclosed_set(why: &str) -> bool {
    why.contains("class") && (why.contains("no closing bracket") || why.contains("unclosed"))
}

/// What the engine says, in plain words where there are some.
fn plain(why: &str) -> Message {
    match why {
        "found closing ')' without matching '('" => message("unmatched closing bracket"),
        "look-around is not supported" => message("look-around is not supported"),
        "backreferences are not supported" => message("backreferences are not supported"),
        "duplicate capture group name" => message("two groups have the same name"),
        "unrecognized escape sequence" => message("unknown escape sequence"),
        "invalid group name" | "empty capture group names are not allowed" => message("invalid group name"),
        _ if UNCLOSED.contains(&why) => message("a group is not closed"),
        _ if why.contains("repetition operator must be") => message("nothing to repeat"),
        _ if is_unclosed_set(why) => message("a set of characters is not closed"),
        _ if why.contains("size limit") => message("the expression is too large"),
        _ => message("{why}").with("why", why),
    }
}

/// A text that is no JSON.
pub(super) fn no_json(text: &str, why: &serde_json::Error) -> PreviewProblem {
    let before: usize = text.split_inclusive('\n').take(why.line().saturating_sub(1)).map(str::len).sum();
    let at = text.floor_char_boundary((before + why.column().saturating_sub(1)).min(text.len()));
    let said = why.to_string();
    let said = said.split(" at line ").next().unwrap_or(&said);
    PreviewProblem {
        field: String::new(),
        at: Some(at as u64),
        why: message("it is no JSON: {why}").with("why", said),
    }
}

/// The byte of the text of a mapping where a problem is.
pub(super) fn byte_of(text: &str, problem: &PreviewProblem) -> Option<usize> {
    let at = problem.at.and_then(|at| usize::try_from(at).ok());
    if problem.field.is_empty() {
        return at;
    }
    let name = |key: &[u8]| unquoted(key) == problem.field.as_bytes();
    let (_, value) = Members::new(text.as_bytes()).find(|(key, _)| name(key))?;
    // Both lie in the same text.
    let start = value.as_ptr().addr().checked_sub(text.as_ptr().addr())?;
    let Some(at) = at else { return Some(start) };
    let mut raw = 1;
    for _ in 0..at {
        raw += match (value.get(raw)?, value.get(raw + 1)) {
            (b'\\', Some(b'u')) => 6,
            (b'\\', _) => 2,
            _ => 1,
        };
    }
    Some(start + raw)
}

impl LineReader for Mapping {
    fn match_line(&self, line: &str) -> Option<LineMatch> {
        let (field, regex, caught) = self.find(line)?;
        let place = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        let groups = regex.capture_names().enumerate().filter_map(|(at, name)| {
            let group = caught.get(at)?;
            Some((name?.to_owned(), place(group.start()), place(group.end())))
        });
        let mut groups: Vec<_> = groups.collect();
        crate::base::order::sort_by_key(&mut groups, |(_, start, end)| (*start, *end));
        let mut found = LineMatch { field: field.to_owned(), groups, ..LineMatch::default() };
        let text = |name: &str| caught.name(name).map(|group| group.as_str().to_owned());
        let said: Vec<(&str, Option<String>)> = match self.event(field, &caught) {
            Event::Access(level, access, _) => vec![
                ("cycle", Some(access.cycle.to_string())),
                ("op", text("op").map(|_| operation(access.operation).to_owned())),
                ("size", text("size")),
                ("level", text("level").map(|_| ["L1", "L2"].get(level).copied().unwrap_or("").to_owned())),
                ("unit", text("unit")),
                ("bank", text("bank")),
                ("address", Some(format!("0x{:x}", access.address))),
                ("state", text("state").map(|_| outcome(access.outcome).to_owned())),
            ],
            Event::Begin(name, id, stream) => vec![
                ("name", Some(name)),
                ("id", id.map(|id| id.to_string())),
                ("stream", stream.map(|stream| stream.to_string())),
            ],
            Event::End(name, cycles) => vec![("name", name), ("cycles", cycles.map(|n| n.to_string()))],
            Event::Capacity(level, bytes) => vec![
                ("level", ["L1", "L2"].get(level).map(|&name| name.to_owned())),
                ("bytes", Some(bytes.to_string())),
            ],
            Event::Wrong(group, _) => {
                found.wrong = Some(group.to_owned());
                Vec::new()
            }
            Event::Nothing => {
                found.wrong = Some("bytes".to_owned());
                Vec::new()
            }
        };
        found.values = said.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect();
        Some(found)
    }
}

fn operation(operation: Operation) -> &'static str {
    match operation {
        Operation::Load => phrase("Load"),
        Operation::Store => phrase("Store"),
    }
}

fn outcome(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Hit => phrase("Hit"),
        Outcome::Pending => phrase("Pending hit"),
        Outcome::Miss => phrase("Miss"),
        Outcome::Retry => phrase("Retry"),
    }
}
