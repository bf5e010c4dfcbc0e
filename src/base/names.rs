//! What tells names apart: lists of files and comparisons show that first, since names are cut where there is no room.

use percent_encoding::percent_decode_str;
use std::borrow::Cow;
use std::fmt::{self, Write};

/// The shortest common beginning that is worth leaving out, in letters.
const WORTH: usize = 6;

/// Names as a list shows them: a long beginning that all of them share is one "…", unless all are equal, and so is a long
/// end, apart from what kind of file it is: what differs is seen. Costs the letters.
pub fn shortened(names: &[String]) -> Vec<String> {
    let Some(first) = names.first().filter(|first| names.iter().any(|name| name != *first)) else {
        return names.to_vec();
    };
    let is_worth = |text: &str| WORTH <= text.chars().count();
    let lead = Some(common_lead(names)).filter(|lead| is_worth(lead)).map_or(0, str::len);
    let rests = || names.iter().map(move |name| &name[lead..]);
    let tail = rests().map(|rest| common_tail(&first[lead..], rest)).min().unwrap_or(0);
    let tail = &first[first.len() - tail..];
    // Of an archive with what is inside of it all is left out.
    let kind = &tail[tail.rfind('.').unwrap_or(tail.len())..];
    let kind = if kind.contains('/') { "" } else { kind };
    let has_part = rests().all(|rest| tail.len() < rest.len());
    let is_cut = has_part && is_worth(&tail[..tail.len() - kind.len()]);
    let part = |rest: &str| match rest.strip_suffix(tail) {
        Some(part) if is_cut => format!("{part}…{kind}"),
        _ => rest.to_owned(),
    };
    let lead = if lead == 0 { "" } else { "…" };
    rests().map(|rest| format!("{lead}{}", part(rest))).collect()
}

/// An address as the path of what it is of, without what is no path: `host/round2/x.bin`.
pub fn of_address(url: &str) -> String {
    let path = url.split(['?', '#']).next().unwrap_or(url);
    let path = path.split_once("://").map_or(path, |(_, rest)| rest).trim_matches('/');
    let decoded = percent_decode_str(path).decode_utf8().ok();
    decoded.filter(|path| !path.is_empty()).map_or_else(|| url.to_owned(), Cow::into_owned)
}

/// What two documents that are compared are called: what differs of the names that tell them from others, where these are
/// equal of their paths. `None` where both are.
pub fn apart([a, b]: [&str; 2], [of_a, of_b]: [&str; 2]) -> Option<(String, String)> {
    let (a, b) = if a == b { (of_a, of_b) } else { (a, b) };
    let depth = |name: &str| name.matches('/').count();
    if depth(a) != depth(b) {
        // Paths that begin elsewhere, as of an address and of a folder: their ends tell them apart.
        let [a, b] = <[String; 2]>::try_from(ends(&[a.to_owned(), b.to_owned()])).ok()?;
        return (a != b).then(|| differing(&a, &b));
    }
    (a != b).then(|| differing(a, b))
}

/// The last parts of paths: the name, where that is of several as many parts before it as tell those apart.
pub fn ends(paths: &[String]) -> Vec<String> {
    fn end(path: &str, parts: usize) -> &str {
        path.rmatch_indices('/').nth(parts - 1).map_or(path, |(at, _)| &path[at + 1..])
    }
    let told = |path: &String| {
        let others = || paths.iter().filter(move |other| *other != path);
        let is_told = |parts: &usize| others().all(|other| end(other, *parts) != end(path, *parts));
        let most = path.matches('/').count() + 1;
        end(path, (1..most).find(is_told).unwrap_or(most)).to_owned()
    };
    paths.iter().map(told).collect()
}

/// What a file is called where its name is one that tools give to every file of a kind: the folder that it lies in. `None`
/// where the path has none, or the name is its own.
pub fn folder_of<'a>(path: &'a str, mut prescribed: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let (folders, name) = path.rsplit_once('/')?;
    let folder = folders.rsplit('/').next().filter(|folder| !folder.is_empty())?;
    prescribed.any(|known| known == name).then_some(folder)
}

/// A title with what it is of, where that is to be said.
pub fn scoped(title: &str, scope: &str) -> String {
    if scope.is_empty() { title.to_owned() } else { format!("{title} · {scope}") }
}

/// Names of parts like `file / device / stream`, without the parts that all of them share but the last, and without what
/// the others all begin and end with. Costs the letters.
pub fn parted(names: &[String]) -> Vec<String> {
    let mut parts: Vec<Vec<String>> =
        names.iter().map(|name| name.split(" / ").map(str::to_owned).collect()).collect();
    let n = parts.first().map_or(0, Vec::len);
    if parts.iter().any(|own| own.len() != n) {
        return names.to_vec();
    }
    for at in 0..n.saturating_sub(1) {
        let column: Vec<String> = parts.iter().map(|own| own[at].clone()).collect();
        for (own, part) in parts.iter_mut().zip(bare(&column)) {
            own[at] = part;
        }
    }
    let joined = |own: Vec<String>| -> String {
        let said: Vec<String> = own.into_iter().filter(|part| !part.is_empty()).collect();
        said.join(" / ")
    };
    parts.into_iter().map(joined).collect()
}

/// Names without a long beginning and end that all share; empty where all are equal. Costs the letters.
pub fn bare(names: &[String]) -> Vec<String> {
    let Some((first, others)) = names.split_first() else { return Vec::new() };
    if others.iter().all(|name| name == first) {
        return vec![String::new(); names.len()];
    }
    let lead = Some(common_lead(names).len()).filter(|lead| WORTH <= *lead).unwrap_or(0);
    let ends = others.iter().filter(|name| *name != first);
    let tail = ends.map(|name| common_tail(&first[lead..], &name[lead..])).min().unwrap_or(0);
    let tail = if tail < WORTH { 0 } else { tail };
    let own: Vec<String> = names.iter().map(|name| name[lead..name.len() - tail].to_owned()).collect();
    if own.iter().any(String::is_empty) { names.to_vec() } else { own }
}

/// Names of which no two are equal: those that are have their number among themselves behind them, `a.bin (2)`. Costs the
/// square of how many there are.
pub fn numbered(names: &[String]) -> Vec<String> {
    let same = |name: &String, list: &[String]| list.iter().filter(|other| *other == name).count();
    let number = |(at, name): (usize, &String)| {
        if same(name, names) < 2 { name.clone() } else { format!("{name} ({})", same(name, &names[..=at])) }
    };
    names.iter().enumerate().map(number).collect()
}

/// What two names differ in, without what both begin and end with; the names themselves where they are equal.
pub fn differing(a: &str, b: &str) -> (String, String) {
    if a == b {
        return (a.to_owned(), b.to_owned());
    }
    let names = [a.to_owned(), b.to_owned()];
    let lead = common_lead(&names).len();
    let tail = common_tail(&a[lead..], &b[lead..]);
    // A number alone says nothing: the word before it stays.
    let part = |lead: usize| [a, b].map(|name| name[lead..name.len() - tail].to_owned());
    let is_number = |name: &String| name.bytes().all(|letter| letter.is_ascii_digit());
    let [own, other] = match part(lead) {
        own if own.iter().all(is_number) => {
            let word = a[..lead].trim_end_matches(is_separator);
            part(word.rmatch_indices(is_separator).next().map_or(0, |(at, mark)| at + mark.len()))
        }
        own => own,
    };
    if own.is_empty() || other.is_empty() { (a.to_owned(), b.to_owned()) } else { (own, other) }
}

/// What all names begin with, up to a separator that lies before the end of each.
fn common_lead(names: &[String]) -> &str {
    let Some((first, others)) = names.split_first() else { return "" };
    let same = |name: &String| -> usize {
        let pairs = first.char_indices().zip(name.chars());
        let shared: usize = pairs.take_while(|((_, a), b)| a == b).map(|((_, a), _)| a.len_utf8()).sum();
        // A name that another one continues has nothing behind the separator that it ends with.
        shared.min(name.len().saturating_sub(1)).min(first.len().saturating_sub(1))
    };
    let shared = others.iter().map(same).min().unwrap_or(0);
    let shared = (0..=shared).rev().find(|at| first.is_char_boundary(*at)).unwrap_or(0);
    let end = first[..shared]
        .rfind(is_separator)
        .map_or(0, |at| at + first[at..].chars().next().map_or(0, char::len_utf8));
    &first[..end]
}

/// Bytes of what both end with, from a separator on.
fn common_tail(a: &str, b: &str) -> usize {
    let pairs = a.chars().rev().zip(b.chars().rev());
    let mut tail = 0;
    let mut at = 0;
    for (letter, other) in pairs {
        if letter != other {
            break;
        }
        at += letter.len_utf8();
        if is_separator(letter) {
            tail = at;
        }
    }
    tail
}

fn is_separator(letter: char) -> bool {
    matches!(letter, '/' | '\\' | '_' | '-' | '.' | ' ' | ':' | '·')
}

/// Where a name is cut when it does not fit: what stands behind this byte, its last letters, is always seen. Of a name
/// without its common beginning and end (see [`shortened`]) these are no longer than what says that there was an end: what
/// differs stands before them.
pub fn cut(name: &str) -> usize {
    const LAST: usize = 9;
    let n = name.chars().count();
    if n < 2 * LAST {
        return name.len();
    }
    let end = name.strip_prefix('…').and_then(|rest| Some('…'.len_utf8() + rest.rfind('…')?));
    end.or_else(|| Some(name.char_indices().nth(n - LAST)?.0)).unwrap_or(name.len())
}

// Names of functions as people write them: what compilers of C++ and Rust mangled is written out again.
//
// Symbols come from files, so they may be anything: the length of what is read and of what is written has a bound.

/// Longest symbol that is read.
const LONGEST: usize = 8 << 10;
/// Longest name that is written: short symbols may stand for very long names.
pub const WRITTEN: usize = 4 << 10;
/// Depth of what stands inside each other in a symbol.
const DEPTH: u32 = 96;

/// The name that a symbol stands for; `None` when it is no symbol that is known.
pub fn demangled(symbol: &str) -> Option<String> {
    // Descriptors of kernels have the symbol of the kernel with an ending.
    let symbol = symbol.strip_suffix(".kd").unwrap_or(symbol);
    if LONGEST < symbol.len() || !symbol.is_ascii() {
        return None;
    }
    let name = if is_rust(symbol) {
        let name = rustc_demangle::try_demangle(symbol).ok()?;
        written(|out| write!(out, "{name:#}"))
    } else if symbol.starts_with("_Z") {
        let reading = cpp_demangle::ParseOptions::default().recursion_limit(DEPTH);
        let options = cpp_demangle::DemangleOptions::default().recursion_limit(DEPTH);
        // Types of parameters repeat those of the template: a name too long with them stands without.
        let write = |name: cpp_demangle::BorrowedSymbol| {
            written(|out| name.structured_demangle(out, &options))
                .or_else(|| written(|out| name.structured_demangle(out, &options.no_params())))
        };
        let name = cpp_demangle::BorrowedSymbol::new_with_options(symbol.as_bytes(), &reading).ok();
        name.and_then(write).or_else(|| begun(symbol))
    } else {
        return None;
    }?;
    // What names a kernel may be the name of its type.
    let name = name.strip_prefix("typeinfo name for ").unwrap_or(&name);
    (!name.is_empty() && name != symbol).then(|| name.to_owned())
}

/// The path of a symbol of C++ that cannot be read to its end, with the rest as it is: what tells it from others.
fn begun(symbol: &str) -> Option<String> {
    let mut rest = symbol.strip_prefix("_ZN").filter(|rest| rest.len() < WRITTEN / 2)?;
    let mut path: Vec<&str> = Vec::new();
    while rest.starts_with(|c: char| c.is_ascii_digit()) {
        let Some(digits) = rest.find(|c: char| !c.is_ascii_digit()) else { break };
        let (length, behind) = rest.split_at(digits);
        let (part, more) = behind.split_at_checked(length.parse().ok()?).unwrap_or((behind, ""));
        path.push(if part.starts_with("_GLOBAL__N_") { "(anonymous namespace)" } else { part });
        rest = more;
    }
    let path = Some(path.join("::")).filter(|path| !path.is_empty())?;
    match rest.strip_prefix('I') {
        Some(rest) => Some(format!("{path}<{rest}…>")),
        None => (rest.is_empty() || rest.starts_with('E')).then(|| format!("{path}{rest}…")),
    }
}

/// Whether a symbol is of Rust: of its own scheme, or of that of C++ with a hash at the end.
fn is_rust(symbol: &str) -> bool {
    let has_hash = || {
        let hash = symbol.strip_suffix('E').and_then(|rest| rest.get(rest.len().checked_sub(19)?..));
        let hash = hash.and_then(|part| part.strip_prefix("17h"));
        hash.is_some_and(|hash| hash.bytes().all(|b| b.is_ascii_hexdigit()))
    };
    symbol.starts_with("_R") || (symbol.starts_with("_ZN") && has_hash())
}

/// What is written, unless it is too long.
fn written(write: impl FnOnce(&mut Bounded) -> fmt::Result) -> Option<String> {
    let mut out = Bounded(String::new());
    write(&mut out).ok()?;
    Some(out.0)
}

/// A text that takes no more than [`WRITTEN`] bytes.
struct Bounded(String);

impl Write for Bounded {
    fn write_str(&mut self, part: &str) -> fmt::Result {
        if WRITTEN < self.0.len() + part.len() {
            return Err(fmt::Error);
        }
        self.0.push_str(part);
        Ok(())
    }
}

/// What names that differ in a number at their end share: the part before it, which ends with `#` or a blank; or before
/// three numbers behind `__`, which some libraries give to each collective: those of its group, in the group, of the try.
pub fn stem(name: &str) -> Option<&str> {
    let is_digit = |c: char| c.is_ascii_digit();
    let stem = name.trim_end_matches(is_digit);
    if stem.len() < name.len() && stem.ends_with(['#', ' ']) && 1 < stem.len() {
        return Some(stem);
    }
    let (before, numbers) = name.rsplit_once("__").filter(|(before, _)| !before.is_empty())?;
    let mut parts = numbers.split('_');
    let is_number = |part: &str| !part.is_empty() && part.chars().all(is_digit);
    let are_three = parts.by_ref().take(3).filter(|part| is_number(part)).count() == 3;
    (are_three && parts.next().is_none()).then(|| &name[..before.len() + "__".len()])
}

/// What a name is joined under with those that differ in numbers only: its stem and `*`; a name without one as it is.
///
/// ```
/// use lanescope::base::names::joined;
/// assert_eq!(joined("step#12"), "step#*");
/// assert_eq!(joined("exchange__271_0_1"), "exchange__*");
/// assert_eq!(joined("fused__0"), "fused__0");
/// ```
pub fn joined(name: &str) -> Cow<'_, str> {
    stem(name).map_or(Cow::Borrowed(name), |stem| Cow::Owned(format!("{stem}*")))
}

/// A name without what tells instances of the same thing apart: without the numbers at its end that [`stem`] leaves out,
/// which become `*`; of a signature of C++ without what it returns, its template arguments and its parameters.
///
/// ```
/// use lanescope::base::names::normal;
/// assert_eq!(normal("step#12"), "step#*");
/// assert_eq!(normal("void at::native::fill<4, float>(int, float)"), "at::native::fill");
/// assert_eq!(normal("fill_128x64_nn"), "fill_128x64_nn");
/// ```
pub fn normal(name: &str) -> Cow<'_, str> {
    if let Some(stem) = stem(name) {
        return Cow::Owned(format!("{stem}*"));
    }
    let is_signature = name.contains("::") || name.starts_with("void ");
    if !is_signature {
        return Cow::Borrowed(name);
    }
    let name = name.strip_prefix("void ").unwrap_or(name);
    let (mut out, mut depth) = (String::new(), 0_usize);
    let unnamed = "(anonymous namespace)::";
    let mut rest = name;
    while let Some(c) = rest.chars().next() {
        // A namespace without a name is a part of the path, not a list of parameters.
        if depth == 0 && rest.starts_with(unnamed) {
            rest = &rest[unnamed.len()..];
            continue;
        }
        match c {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            '(' if depth == 0 => break,
            _ if depth == 0 => out.push(c),
            _ => {}
        }
        rest = &rest[c.len_utf8()..];
    }
    let out = out.trim();
    // Operators such as `operator<` leave nothing that is a name.
    if out.is_empty() || 0 < depth { Cow::Borrowed(name) } else { Cow::Owned(out.to_owned()) }
}

/// A text for a cell of CSV that no spreadsheet runs as a formula: what begins like one has an apostrophe before it. Names
/// such as `-O3` or `@P0 EXIT`, which call nothing, stay as they are.
pub fn sheet_cell(text: &str) -> Cow<'_, str> {
    let is_formula = match text.as_bytes().first() {
        Some(b'=' | b'\t' | b'\r') => true,
        Some(b'+' | b'-' | b'@') => text.contains(['(', '|']),
        _ => false,
    };
    if is_formula { format!("'{text}").into() } else { text.into() }
}
