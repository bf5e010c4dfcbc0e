//! A kernel before and after it was probed: the probed text is the other with lines inserted, except that the last
//! parameter gets a comma.

use crate::base::words::phrase;
use crate::model::code::RowClass;
use crate::systems::neutrino::folder::Probe;

/// What became of the lines of two texts.
#[derive(Default)]
pub(super) struct Alignment {
    /// Rows that belong together: of the pruned text, then of the probed one.
    pub(super) pairs: Vec<(u32, u32)>,
    /// Rows that are not the same in the other text, of the pruned and of the probed one.
    pub(super) classes: [Vec<(u32, RowClass)>; 2],
    /// Rows that were inserted into the probed text.
    pub(super) inserted: Vec<Inserted>,
}

/// One inserted row.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Inserted {
    /// Its number in the probed text.
    pub(super) row: u32,
    /// The row of the pruned text before which it stands.
    pub(super) before: u32,
    pub(super) kind: Purpose,
    /// The map that it belongs to; empty for none.
    pub(super) map: String,
    /// The probe that it belongs to; `None` for none.
    pub(super) probe: Option<usize>,
}

/// What an inserted line is there for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Purpose {
    /// A parameter that hands a map over.
    Parameter,
    Register,
    /// The number of the thread or warp.
    Buffer,
    /// The place of the thread or warp in a map.
    Map,
    #[default]
    Probe,
    /// Stores a record.
    Save,
}

impl Purpose {
    /// Its name in tables.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Parameter => phrase("parameter"),
            Self::Register => phrase("register"),
            Self::Buffer => phrase("thread index"),
            Self::Map => phrase("map address"),
            Self::Probe => phrase("probe"),
            Self::Save => phrase("save"),
        }
    }
}

/// Walks through both texts in step.
pub(super) fn align(pruned: &[&str], probed: &[&str], probes: &[Probe]) -> Alignment {
    let mut out = Alignment::default();
    let mut at = 0;
    let mut section: Option<(Purpose, String)> = None;
    let row = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    for (number, line) in probed.iter().enumerate() {
        match pruned.get(at) {
            Some(same) if same == line => out.pairs.push((row(at), row(number))),
            Some(same) if line.strip_suffix(',') == Some(same) => {
                out.pairs.push((row(at), row(number)));
                out.classes[0].push((row(at), RowClass::Changed));
                out.classes[1].push((row(number), RowClass::Changed));
            }
            _ => {
                // A blank line belongs to what stands above it.
                let above = out
                    .inserted
                    .last()
                    .filter(|above| line.trim().is_empty() && above.row + 1 == row(number));
                let (kind, map) = match above {
                    Some(above) => (above.kind, above.map.clone()),
                    None => classify(line, &mut section),
                };
                out.classes[1].push((row(number), RowClass::Inserted));
                out.inserted.push(Inserted { row: row(number), before: row(at), kind, map, probe: None });
                continue;
            }
        }
        at += 1;
    }
    out.classes[0].extend((at..pruned.len()).map(|at| (row(at), RowClass::Removed)));
    name_probes(pruned, probed, probes, &mut out.inserted);
    out
}

/// What a line is there for, and the map it belongs to.
fn classify(line: &str, section: &mut Option<(Purpose, String)>) -> (Purpose, String) {
    let text = bare(line);
    if let Some((begun, rest)) = text.strip_prefix("// ").and_then(|text| text.split_once(' ')) {
        let of_map = rest.strip_suffix(" map").or_else(|| rest.strip_suffix(" buffer"));
        let found = match of_map {
            _ if rest == "buffer calculation" => Some((Purpose::Buffer, String::new())),
            Some(map) => Some((Purpose::Map, map.strip_suffix(" dynamic").unwrap_or(map).to_owned())),
            None => None,
        };
        if let (Some(found), "begin" | "end") = (found, begun) {
            *section = (begun == "begin").then(|| found.clone());
            return found;
        }
    }
    if let Some(open) = section {
        return open.clone();
    }
    let word = |text: &str| -> String {
        text.chars().take_while(|c| c.is_alphanumeric() || *c == '_' || *c == '$').collect()
    };
    if text.starts_with(".param") {
        let name = text.trim_end_matches(',').rsplit(' ').next().unwrap_or("");
        let map = name.strip_prefix("param_").or_else(|| name.strip_prefix("bytes_"));
        return (Purpose::Parameter, map.unwrap_or(name).to_owned());
    }
    if text.starts_with(".reg") {
        let name = text.split('%').nth(1).map(word).unwrap_or_default();
        let map = name.strip_suffix("_u32_").unwrap_or("").to_owned();
        return (Purpose::Register, map);
    }
    // %map_NAME1 is the next free record; in the older form its register is %buf_NAME1.
    let register = ["%map_", "%buf_"].iter().find_map(|prefix| text.split(prefix).nth(1));
    if let Some(name) = register.map(word) {
        return (Purpose::Save, name.strip_suffix('1').unwrap_or(&name).to_owned());
    }
    if let Some(name) = text.strip_prefix("cvt.u32.u64").and_then(|rest| rest.split('%').nth(1)).map(word)
        && let Some((map, _)) = name.split_once("_u32_")
    {
        return (Purpose::Save, map.to_owned());
    }
    (Purpose::Probe, String::new())
}

/// A line without blanks and the predicate in front of it.
pub(super) fn bare(line: &str) -> &str {
    let line = line.trim();
    match line.strip_prefix('@').and_then(|rest| rest.split_once(char::is_whitespace)) {
        Some((_, rest)) => rest.trim_start(),
        None => line,
    }
}

/// Says which probe put a line there: the text of one of those whose position is next to it.
fn name_probes(pruned: &[&str], probed: &[&str], probes: &[Probe], inserted: &mut [Inserted]) {
    for line in inserted.iter_mut().filter(|line| {
        line.kind == Purpose::Probe || line.kind == Purpose::Save || line.kind == Purpose::Register
    }) {
        let text = bare(probed.get(line.row as usize).copied().unwrap_or(""));
        let at = line.before as usize;
        let after = at.checked_sub(1).and_then(|at| pruned.get(at)).copied().unwrap_or("");
        let before = pruned.get(at).copied().unwrap_or("");
        let own = probes.iter().enumerate().flat_map(|(number, probe)| {
            let is_kernel = probe.positions.iter().any(|position| position == "kernel");
            let hits = |line: &str| probe.positions.iter().any(|position| line.contains(position.as_str()));
            let is_begin = after.trim_end().ends_with('{');
            let (of_before, of_after) = if is_kernel {
                (is_begin, bare(before).starts_with("ret"))
            } else {
                (hits(before), hits(after))
            };
            let texts = [(of_before, &probe.before), (of_after, &probe.after)];
            texts
                .into_iter()
                .filter(|(is_near, text)| *is_near && !text.is_empty())
                .map(move |(_, t)| (number, t))
        });
        let saves = |text: &str, map: &str| {
            let is_of = |rest: &str| rest.trim_start().trim_start_matches('[').trim_start().starts_with(map);
            text.split("SAVE").skip(1).any(|rest| rest.starts_with('.') || is_of(rest))
        };
        let candidates: Vec<(usize, &String)> = own.collect();
        let found = candidates.iter().find(|(_, snippet)| {
            if line.kind == Purpose::Save {
                saves(snippet, &line.map)
            } else {
                !text.is_empty() && snippet.lines().any(|own| is_same(own, text))
            }
        });
        let only = candidates.first().filter(|_| line.kind != Purpose::Register);
        line.probe = found.or(only).map(|(number, _)| *number);
    }
}

/// Whether a line came of a line of a probe, where words in capitals such as `ADDR` stand for parts of the instruction.
fn is_same(own: &str, line: &str) -> bool {
    let words = |text: &str| -> Vec<String> {
        let is_between = |c: char| c.is_whitespace() || ",;{}[]".contains(c);
        text.split(is_between).filter(|word| !word.is_empty()).map(str::to_owned).collect()
    };
    let is_name = |word: &str| word.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
    let (own, line) = (words(own), words(line));
    own.len() == line.len() && own.iter().zip(&line).all(|(own, word)| own == word || is_name(own))
}
