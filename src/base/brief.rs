//! Names of functions in short: what compilers and templates repeat gives way first, what tells a name from others stays.
//!
//! ```text
//! void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>, std::array<char*, 1ul> >(int, …)
//!      └── namespaces, here and inside ──┘ └──────────── arguments stay ────────────┘ what it returns and takes: not
//! vectorized_elementwise_kernel<4, FillFunctor<float>, array<char*, 1ul>>
//! ```
//!
//! Names that would be the same in short stay whole. All tables show names as [`told`] has them and the whole name beside;
//! sentences as [`in_sentence`] has them.

use super::map::Map;
use super::names::cut;

/// Names up to so many letters are never shortened.
const SHORT: usize = 40;
/// Most letters of a name in a sentence.
const SENTENCE: usize = 64;
/// Letters of a name that are shown from where it differs from the others.
const KEPT: usize = 14;
/// Letters at the end that are shown with them, rather than that something is left out behind.
const REST: usize = 8;
/// Letters of the beginning that are always seen.
const LEAD: usize = 8;
/// Most parts of a name that are kept.
const PARTS: usize = 4;

/// A name as a table shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    /// The name, short where that says the same.
    pub text: String,
    /// The bytes of it that are shown where not all has room: what tells it from the others.
    pub kept: Kept,
}

/// Parts of a name, in their order.
pub type Kept = Vec<(u32, u32)>;

/// Names that stand below each other, shortened so that different ones stay different: each in short, unless two are the
/// same then, with the parts that no other of them has. Costs sorting them.
pub fn told(names: &[&str]) -> Vec<Told> {
    let texts = apart(names);
    let mut order: Vec<&str> = texts.iter().map(String::as_str).collect();
    super::order::sort_by(&mut order, std::cmp::Ord::cmp);
    order.dedup();
    let kept = differing(&order);
    let kept: Map<&str, Kept> = order.iter().copied().zip(kept).collect();
    let kept: Vec<Kept> =
        texts.iter().map(|text| kept.get(text.as_str()).cloned().unwrap_or_default()).collect();
    let mut told: Vec<Told> = texts.into_iter().zip(kept).map(|(text, kept)| Told { text, kept }).collect();
    keep_lines(&mut told);
    told
}

/// Of names that are all lines of files, such as `attention_vector.h:26`, the end of the file and the whole line are kept,
/// unless two would be the same then.
fn keep_lines(told: &mut [Told]) {
    let places: Option<Vec<Kept>> = told.iter().map(|own| Some(vec![of_line(&own.text)?])).collect();
    let Some(places) = places else { return };
    let mut seen: Map<String, &str> = Map::default();
    for (own, kept) in told.iter().zip(&places) {
        if *seen.entry(shown(&own.text, kept)).or_insert(&own.text) != own.text {
            return;
        }
    }
    for (own, kept) in told.iter_mut().zip(places) {
        own.kept = kept;
    }
}

/// What is kept of a line of a file; `None` for other names.
fn of_line(name: &str) -> Option<(u32, u32)> {
    let (file, line) = name.rsplit_once(':')?;
    let is_line = !line.is_empty() && line.bytes().all(|byte| byte.is_ascii_digit());
    let (stem, _) = file.rsplit_once('.').filter(|_| is_line)?;
    let end = stem.char_indices().rev().nth(LEAD / 2).map_or(0, |(at, _)| at);
    let from = edge_before(name, end).filter(|from| end <= from + LEAD).unwrap_or(end);
    let from = if from <= at_letter(name, LEAD / 2) { 0 } else { from };
    Some((from as u32, name.len() as u32))
}

/// What is kept of sorted names.
fn differing(order: &[&str]) -> Vec<Kept> {
    // Among sorted names the nearest is a neighbor.
    let leads: Vec<usize> = order.iter().zip(order.iter().skip(1)).map(|(a, b)| lead(a, b)).collect();
    let nearest = |at: usize| {
        let before = at.checked_sub(1).and_then(|at| leads.get(at)).copied();
        before.unwrap_or(0).max(leads.get(at).copied().unwrap_or(0))
    };
    let mut kept: Vec<Kept> =
        order.iter().enumerate().map(|(at, name)| vec![part(name, nearest(at))]).collect();
    // What stands there may be the same in names that differ before: then that is shown too.
    for _ in 1..PARTS {
        let mut first: Map<String, usize> = Map::default();
        let mut wider: Vec<(usize, (u32, u32))> = Vec::new();
        for (at, (name, parts)) in order.iter().zip(&kept).enumerate() {
            let other = *first.entry(shown(name, parts)).or_insert(at);
            let other_name = order.get(other).filter(|_| other != at);
            let Some((from, other_name)) = other_name.map(|other| (lead(name, other), other)) else {
                continue;
            };
            wider.extend([(other, part(other_name, from)), (at, part(name, from))]);
        }
        if wider.is_empty() {
            break;
        }
        for (at, part) in wider {
            if let Some(parts) = kept.get_mut(at) {
                *parts = joined(parts, part);
            }
        }
    }
    kept
}

/// Parts with one more of them; those that touch are one.
fn joined(parts: &[(u32, u32)], more: (u32, u32)) -> Kept {
    let mut all: Vec<(u32, u32)> = parts.iter().copied().chain([more]).collect();
    super::order::sort_by(&mut all, std::cmp::Ord::cmp);
    let mut out: Kept = Vec::new();
    for (from, to) in all {
        match out.last_mut() {
            Some(last) if from <= last.1 + 1 => last.1 = last.1.max(to),
            _ => out.push((from, to)),
        }
    }
    out
}

/// The text of a name that is kept, behind its first letters: what is seen where there is little room.
pub fn shown(name: &str, kept: &[(u32, u32)]) -> String {
    begun(name, kept, LEAD)
}

/// The same behind so many letters.
fn begun(name: &str, kept: &[(u32, u32)], lead: usize) -> String {
    let first = kept.first().map_or(name.len(), |part| part.0 as usize);
    let mut at = first.min(at_letter(name, lead));
    let mut out = name.get(..at).unwrap_or_default().to_owned();
    for &(from, to) in kept {
        if at < from as usize {
            out.push('…');
        }
        at = to as usize;
        out.push_str(name.get(from as usize..at).unwrap_or_default());
    }
    if at < name.len() {
        out.push('…');
    }
    out
}

/// The names in short; those that would be the same are as they were.
fn apart(names: &[&str]) -> Vec<String> {
    let short: Vec<String> = names.iter().map(|name| brief(name)).collect();
    let mut of: Map<&str, Option<&str>> = Map::default();
    for (short, name) in short.iter().zip(names) {
        let first = of.entry(short).or_insert(Some(*name));
        // Names that are the same are no two.
        *first = first.filter(|first| first == name);
    }
    let is_own: Vec<bool> =
        short.iter().map(|short| of.get(short.as_str()).is_some_and(Option::is_some)).collect();
    let pairs = short.into_iter().zip(names).zip(is_own);
    pairs.map(|((short, name), is_own)| if is_own { short } else { (*name).to_owned() }).collect()
}

/// Bytes that two names begin with alike.
fn lead(a: &str, b: &str) -> usize {
    let same = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
    (0..=same).rev().find(|at| a.is_char_boundary(*at)).unwrap_or(0)
}

/// The byte of a letter, or the end.
fn at_letter(name: &str, letter: usize) -> usize {
    name.char_indices().nth(letter).map_or(name.len(), |(at, _)| at)
}

/// What is kept of a name that is like another up to a byte: from the word on that differs; the end where the first letters
/// differ already. Words and numbers are cut only where they are longer than what is kept.
fn part(name: &str, lead: usize) -> (u32, u32) {
    let end = name.len();
    let last = Some(cut(name)).filter(|last| *last < end).map_or(end, |last| begin_of_word(name, last));
    if lead < at_letter(name, LEAD) {
        return (last as u32, end as u32);
    }
    let from = begin_of_word(name, lead);
    let to = from + at_letter(name.get(from..).unwrap_or_default(), KEPT);
    let differs = name.get(lead..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
    let to = end_of_word(name, to.max(lead + differs));
    let is_last = name.get(to..).is_none_or(|rest| rest.chars().count() <= REST);
    // Where the end is near it is kept as a whole.
    let from = if is_last { from.min(last) } else { from };
    // What begins among the first letters, which are always seen, begins with them.
    let from = if from <= at_letter(name, LEAD) { 0 } else { from };
    (from as u32, if is_last { end } else { to } as u32)
}

/// Whether a word or a number ends between two letters: `float, 128`, `Loop_n`, `AddFunctor`, but not `0.5` and `128x64`.
fn is_edge(before: char, behind: char) -> bool {
    let is_decimal = before.is_ascii_digit() && behind == '.' || before == '.' && behind.is_ascii_digit();
    let is_inside = before.is_alphanumeric() && behind.is_alphanumeric();
    !is_decimal && (!is_inside || before.is_lowercase() && behind.is_uppercase())
}

/// The last place at or before a byte where no word or number is cut, among the last letters before it.
pub fn edge_before(name: &str, at: usize) -> Option<usize> {
    let (before, behind) = name.split_at_checked(at)?;
    let (mut from, mut next) = (at, behind.chars().next().unwrap_or(' '));
    for (place, letter) in before.char_indices().rev().take(KEPT) {
        if is_edge(letter, next) {
            return Some(from);
        }
        (from, next) = (place, letter);
    }
    (from == 0).then_some(0)
}

/// Where the word begins that a byte lies in; of a long one some letters before it. Blanks before a word are left out.
fn begin_of_word(name: &str, at: usize) -> usize {
    match edge_before(name, at) {
        Some(from) => {
            let word = name.get(from..).unwrap_or_default();
            from + word.len() - word.trim_start().len()
        }
        None => {
            let before = name.get(..at).unwrap_or_default();
            before.char_indices().rev().nth(KEPT / 2 - 1).map_or(at, |(place, _)| place)
        }
    }
}

/// Where the word ends that a byte lies in, if that is near.
fn end_of_word(name: &str, at: usize) -> usize {
    let Some((before, behind)) = name.split_at_checked(at) else { return at };
    let mut last = before.chars().next_back().unwrap_or(' ');
    for (place, letter) in behind.char_indices().take(KEPT) {
        if is_edge(last, letter) {
            return at + place;
        }
        last = letter;
    }
    if behind.chars().count() <= KEPT { name.len() } else { at }
}

/// Names as a sentence says them: in short, and where that is still long their beginning and what tells them apart.
pub fn in_sentence(names: &[&str]) -> Vec<String> {
    let said = |told: Told| {
        let is_long = SENTENCE < told.text.chars().count();
        if is_long { begun(&told.text, &told.kept, SENTENCE / 2) } else { told.text }
    };
    told(names).into_iter().map(said).collect()
}

/// A signature in short: without what it returns and takes, and without namespaces. Anything else is as it was.
pub fn brief(name: &str) -> String {
    if name.chars().count() <= SHORT {
        return name.to_owned();
    }
    let all = listed(name);
    if 1 < all.len() {
        return all.into_iter().map(brief).collect::<Vec<_>>().join(", ");
    }
    // What is set in keeps its place.
    let own = name.trim_start();
    let short = pieces(own).and_then(|pieces| signature(&pieces));
    short.map_or_else(|| name.to_owned(), |short| format!("{}{short}", &name[..name.len() - own.len()]))
}

/// The names of a list: commas outside of all brackets part them.
pub fn listed(names: &str) -> Vec<&str> {
    let (mut all, mut from, mut depth, mut before) = (Vec::new(), 0, 0_usize, ' ');
    for (at, letter) in names.char_indices() {
        match letter {
            '(' | '<' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            '>' if before != '-' => depth = depth.saturating_sub(1),
            ' ' if before == ',' && depth == 0 => {
                all.push(&names[from..at - 1]);
                from = at + 1;
            }
            _ => {}
        }
        before = letter;
    }
    all.push(&names[from..]);
    all
}

/// A piece of a signature.
enum Piece<'a> {
    Word(&'a str),
    /// `::`
    Path,
    Other(char),
    /// What stands in brackets, with the first of them.
    Group(char, Vec<Piece<'a>>),
}

/// How deep brackets are read.
const DEPTH: usize = 64;

/// The pieces of a text; `None` where its brackets do not fit.
fn pieces(text: &str) -> Option<Vec<Piece<'_>>> {
    let mut stack: Vec<(char, Vec<Piece<'_>>)> = vec![(' ', Vec::new())];
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let own = &mut stack.last_mut()?.1;
        let is_operator = matches!(own.last(), Some(Piece::Word("operator")));
        let word = rest.find(|c: char| !(c.is_alphanumeric() || "_$~'#.".contains(c))).unwrap_or(rest.len());
        let taken = if 0 < word {
            own.push(Piece::Word(&rest[..word]));
            word
        } else if rest.starts_with("::") {
            own.push(Piece::Path);
            2
        } else if is_operator && !letter.is_whitespace() {
            // What an operator is called by is part of its name.
            let marks = if rest.starts_with("()") || rest.starts_with("[]") {
                2
            } else {
                rest.find(|c: char| c == '(' || c.is_alphanumeric() || c.is_whitespace())
                    .filter(|n| 0 < *n)?
            };
            own.push(Piece::Word(&rest[..marks]));
            marks
        } else if matches!(letter, '(' | '<' | '[' | '{') {
            if DEPTH < stack.len() {
                return None;
            }
            stack.push((letter, Vec::new()));
            1
        } else if matches!(letter, ')' | ']' | '}')
            || (letter == '>' && !matches!(own.last(), Some(Piece::Other('-'))))
        {
            let (open, inside) = stack.pop()?;
            if close(open) != Some(letter) {
                return None;
            }
            stack.last_mut()?.1.push(Piece::Group(open, inside));
            1
        } else {
            own.push(Piece::Other(letter));
            letter.len_utf8()
        };
        rest = &rest[taken..];
    }
    let (_, all) = stack.pop()?;
    stack.is_empty().then_some(all)
}

fn close(open: char) -> Option<char> {
    Some(match open {
        '(' => ')',
        '<' => '>',
        '[' => ']',
        '{' => '}',
        _ => return None,
    })
}

/// A whole signature: a name with what it takes, or with the arguments of a template.
fn signature(pieces: &[Piece]) -> Option<String> {
    let is_const =
        |piece: &Piece| matches!(piece, Piece::Word("const" | "volatile") | Piece::Other(' ' | '&'));
    // `[clone .kd]` and the like.
    let end =
        pieces.iter().rposition(|piece| !is_const(piece) && !matches!(piece, Piece::Group('[', _)))? + 1;
    let mut own = pieces.get(..end)?;
    let is_name = |piece: Option<&Piece>| matches!(piece, Some(Piece::Word(_) | Piece::Group('<' | '{', _)));
    let takes = matches!(own.last(), Some(Piece::Group('(', _))) && is_name(own.get(end.checked_sub(2)?));
    if takes {
        own = &own[..own.len() - 1];
    }
    // What it returns stands before a blank; `operator new` has one in its name.
    let is_blank = |at: &usize| {
        let before = at.checked_sub(1).and_then(|at| own.get(at));
        matches!(own.get(*at), Some(Piece::Other(' '))) && !matches!(before, Some(Piece::Word("operator")))
    };
    let from = (0..own.len()).rev().find(is_blank).map_or(0, |at| at + 1);
    let own = own.get(from..)?;
    // Other words behind a signature: it is none.
    if !takes && !has_template(own) {
        return None;
    }
    let mut out = String::new();
    write(own, &mut out);
    (!out.trim().is_empty()).then(|| out.trim().to_owned())
}

fn has_template(pieces: &[Piece]) -> bool {
    let pairs = pieces.iter().zip(pieces.iter().skip(1));
    pairs.into_iter().any(|pair| matches!(pair, (Piece::Word(_), Piece::Group('<', _))))
}

/// Pieces without namespaces, and without what functions take that something is inside of.
#[allow(clippy::too_many_lines)] // most of it is texts and tables
fn write(pieces: &[Piece], out: &mut String) {
    let piece = |at: usize| pieces.get(at);
    let is_path = |at: usize| matches!(piece(at), Some(Piece::Path));
    // Where the path goes on behind what a function takes: at once, or behind ` const`.
    let around = |at: usize| {
        let is_const =
            matches!((piece(at), piece(at + 1)), (Some(Piece::Other(' ')), Some(Piece::Word("const"))));
        [at, at + 2].into_iter().find(|next| is_path(*next) && (*next == at || is_const))
    };
    let mut at = 0;
    while let Some(own) = piece(at) {
        let before = at.checked_sub(1).and_then(piece);
        let next = match own {
            // A namespace: a word alone before `::`, where nothing with brackets stands before it.
            Piece::Word(_) if is_path(at + 1) && !matches!(before, Some(Piece::Path)) => {
                after_spaces(pieces, at)
            }
            // What a lambda is called by says nothing.
            Piece::Word("operator") if matches!(before, Some(Piece::Path)) => {
                let is_call = matches!(
                    (piece(at + 1), piece(at + 2)),
                    (Some(Piece::Word("()")), Some(Piece::Group('(', _)))
                );
                match around(at + 3).filter(|_| is_call) {
                    Some(path) => path + 1,
                    None => {
                        out.push_str("operator");
                        at + 1
                    }
                }
            }
            Piece::Word(word) => {
                out.push_str(word);
                at + 1
            }
            Piece::Path => {
                out.push_str("::");
                at + 1
            }
            Piece::Other(letter) => {
                out.push(*letter);
                at + 1
            }
            Piece::Group('(', inside) => {
                let is_anonymous = matches!(inside.first(), Some(Piece::Word("anonymous")));
                let is_lambda = matches!(before, Some(Piece::Word("lambda")));
                let takes = matches!(before, Some(Piece::Word(_) | Piece::Group('<' | '{', _)));
                // A type before a number: `(int)4`.
                let is_cast = !takes && matches!(piece(at + 1), Some(Piece::Word(_)));
                match around(at + 1).filter(|_| takes) {
                    Some(path) => path,
                    None if is_lambda || is_cast => at + 1,
                    None if is_anonymous && is_path(at + 1) => at + 2,
                    None => {
                        out.push('(');
                        write(inside, out);
                        out.push(')');
                        at + 1
                    }
                }
            }
            Piece::Group(open, inside) => {
                out.push(*open);
                write(inside, out);
                out.truncate(out.trim_end().len());
                out.extend(close(*open));
                at + 1
            }
        };
        at = next.max(at + 1);
    }
}

/// Behind the namespaces that begin here: the last word, or what has brackets.
fn after_spaces(pieces: &[Piece], mut at: usize) -> usize {
    loop {
        let is_path = matches!(pieces.get(at + 1), Some(Piece::Path));
        match pieces.get(at) {
            Some(Piece::Word(_)) if is_path => at += 2,
            Some(Piece::Group('(', inside))
                if is_path && matches!(inside.first(), Some(Piece::Word("anonymous"))) =>
            {
                at += 2;
            }
            _ => return at,
        }
    }
}
