//! The page's words: English phrases are the keys, a translation is data that is loaded when somebody reads it.
//!
//! A phrase is looked up where it is shown: `tr(language, "Open files…")`. Phrases in data (a table of shortcuts, say) are
//! marked with [`phrase`]; sentences with values are a [`Message`]. So the test in `tests/it/words.rs` finds all of them:
//! it fails when one has no translation, and when a translation has no phrase.
//!
//! The tables stand in `words/<tag>/<area>.tsv`: an English phrase, a tab and its translation on each line, in the order of
//! the English bytes. The built page has the tables of a language as one file, which it fetches when the language is
//! chosen, takes into [`load`] and hands to the workers of documents.
//!
//! Names of cores, pipes, instructions and file formats are never translated.

pub mod message;
mod reader;

pub use message::{Arg, Message, message};
pub use reader::{for_reader, reader, set_reader};

use crate::base::map::Map;
use crate::base::visible::turned_told;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::sync::OnceLock;

/// A language of the page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Language {
    /// English.
    #[default]
    En,
    /// Simplified Chinese.
    Zh,
}

impl Language {
    /// All languages, in the order of the menu.
    pub const ALL: [Self; 2] = [Self::En, Self::Zh];

    /// The tag of the `lang` attribute.
    pub fn tag(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::Zh => "zh-CN",
        }
    }

    /// What its readers call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::En => "English",
            Self::Zh => "简体中文",
        }
    }

    /// The language of a tag such as `zh`, `zh-CN` or `en-US`; nothing for others.
    pub fn of_tag(tag: &str) -> Option<Self> {
        match tag.split(['-', '_']).next()? {
            "en" => Some(Self::En),
            "zh" => Some(Self::Zh),
            _ => None,
        }
    }
}

/// The words of a language other than English.
struct Words {
    text: &'static str,
    of_english: Map<&'static str, &'static str>,
}

static CHINESE: OnceLock<Words> = OnceLock::new();

fn words(language: Language) -> Option<&'static OnceLock<Words>> {
    match language {
        Language::En => None,
        Language::Zh => Some(&CHINESE),
    }
}

/// Takes the words of a language: an English phrase, a tab and its translation on each line. They stay until the program
/// ends; the first text that has any counts.
pub fn load(language: Language, text: &str) {
    let Some(words) = words(language).filter(|words| words.get().is_none() && text.contains('\t')) else {
        return;
    };
    words.get_or_init(|| {
        let text: &'static str = String::leak(text.to_owned());
        Words { text, of_english: text.lines().filter_map(|line| line.split_once('\t')).collect() }
    });
}

/// The text that [`load`] took; `None` while it is missing, an empty one for English, which needs none.
pub fn loaded(language: Language) -> Option<&'static str> {
    words(language).map_or(Some(""), |words| words.get().map(|words| words.text))
}

/// The phrase in the language; the English text is the key. A phrase without translation stays as it is, so words of
/// the data (vendor names) can go through here too, and so do all before [`load`].
pub fn tr(language: Language, english: &str) -> &str {
    let words = words(language).and_then(OnceLock::get);
    words.and_then(|words| words.of_english.get(english)).copied().unwrap_or(english)
}

/// The same of a text that was put together: phrases one after the other (`a, b`, `a / b`), one in front of a name (`a: b`),
/// or a number in the place of `{n}`. What is no phrase stays as it is.
pub fn tr_parts(language: Language, text: &str) -> Cow<'_, str> {
    let Some(words) = words(language).and_then(OnceLock::get) else { return text.into() };
    let known = |text: &str| words.of_english.get(text).copied();
    let counted = || {
        let digit = text.find(|letter: char| letter.is_ascii_digit())?;
        let from = text[..digit].trim_end_matches(['-', '−']).len();
        let behind =
            text[digit..].find(|letter: char| !letter.is_ascii_digit() && !['.', ','].contains(&letter));
        let to = behind.map_or(text.len(), |n| digit + n);
        let template = known(&format!("{}{{n}}{}", &text[..from], &text[to..]))?;
        Some(fill(template, &[("n", &text[from..to])]))
    };
    let divided = |(mark, between): (&str, &str)| {
        let (head, tail) = text.split_once(mark)?;
        let parts = [head, tail].map(|part| tr_parts(language, part));
        (parts != [head, tail]).then(|| parts.join(between))
    };
    let made =
        || counted().or_else(|| [(" / ", " / "), (", ", "，"), (": ", "：")].into_iter().find_map(divided));
    known(text).map(Cow::from).or_else(|| made().map(Cow::from)).unwrap_or(Cow::from(text))
}

/// Marks an English phrase that stands in data and is translated where it is shown.
pub const fn phrase(english: &'static str) -> &'static str {
    english
}

/// The names of a path in a language: `Executions`, `Region 2`, `GPU 0 / Stream 7`.
pub fn tr_path(language: Language, path: &str) -> String {
    tr_parts(language, path).into_owned()
}

/// Puts values into the `{names}` of a phrase: `fill("{n} files", &[("n", "3")])` is `3 files`. Behind a 1 the English
/// noun is singular: `1 file`. Chinese stands apart from a word or a number that a value brings: `{unit}用时` is
/// `vector1 用时`, but `单元用时`; a space in front of what is mostly a number goes where it is not: `空闲 {time}` is
/// `空闲每步 3 ms`. All names that stand in sentences go through here: signs of direction in them are told.
pub fn fill(template: &str, values: &[(&str, &str)]) -> String {
    let mut out = String::with_capacity(template.len() + 16);
    let mut rest = template;
    let (mut is_one, mut has_one) = (false, false);
    while let Some((before, after)) = rest.split_once('{') {
        keep_apart(&mut out, before, template);
        push_text(&mut out, before, is_one, &mut has_one);
        is_one = false;
        let Some((name, tail)) = after.split_once('}') else {
            out.push('{');
            rest = after;
            continue;
        };
        match values.iter().find(|(key, _)| *key == name) {
            Some((_, value)) => {
                close_up(&mut out, before, value);
                keep_apart(&mut out, value, template);
                out.push_str(&turned_told(value));
                is_one = *value == "1" && tail.starts_with(' ');
            }
            None => out.extend(["{", name, "}"]),
        }
        rest = tail;
    }
    keep_apart(&mut out, rest, template);
    push_text(&mut out, rest, is_one, &mut has_one);
    out
}

fn is_han(letter: char) -> bool {
    ('\u{4e00}'..='\u{9fff}').contains(&letter)
}

/// No space between the Chinese letters that a text ends with and a value begins with.
fn close_up(out: &mut String, before: &str, value: &str) {
    let text = before.trim_end_matches('⟦');
    if value.starts_with(is_han) && text.strip_suffix(' ').is_some_and(|text| text.ends_with(is_han)) {
        out.remove(out.len() - (before.len() - text.len()) - 1);
    }
}

/// A space between a Chinese letter and a word or number of another script, in front of what comes next.
fn keep_apart(out: &mut String, next: &str, template: &str) {
    let is_other = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '%' | 'µ');
    let Some((last, first)) = out.chars().next_back().zip(next.chars().next()) else { return };
    let is_seam = is_han(last) && is_other(first) || is_other(last) && is_han(first);
    if is_seam && template.chars().any(is_han) {
        out.push(' ');
    }
}

/// Nouns that stand behind numbers: many, a tab, one.
const NOUNS: &str = include_str!("nouns.tsv");

/// Many of what a noun names that stands behind a 1.
pub fn plural(noun: &str) -> Option<&'static str> {
    NOUNS.lines().find_map(|line| line.split_once('\t').filter(|(_, one)| *one == noun)).map(|(many, _)| many)
}

fn singular(noun: &str) -> Option<&'static str> {
    NOUNS.lines().find_map(|line| line.split_once('\t').filter(|(many, _)| *many == noun)).map(|(_, one)| one)
}

/// Text between values. Behind a 1 the first noun of its first two words becomes singular; the verb of that noun, and that
/// of what `1 of 7` says, follows it, here or behind the next value: `has_one` says that it is to come.
fn push_text(out: &mut String, text: &str, is_one: bool, has_one: &mut bool) {
    let marks = [' ', '.', ',', ';', ':', ')', '⟧'];
    let words = text.split_inclusive(' ').scan(0, |at, word| {
        *at += word.len();
        Some((*at - word.len(), word.trim_end_matches(marks)))
    });
    // The first is the blank behind the number.
    let first = words.skip(1).take(if is_one { 2 } else { 0 }).take_while(|(_, word)| word.is_ascii());
    let mut noun = None;
    for (at, many) in first {
        let end = at + many.len();
        noun = noun.or_else(|| Some((at, end, singular(many)?)));
        // Another clause has other nouns.
        if !text[end..].starts_with(' ') {
            break;
        }
    }
    let mut behind = text;
    if let Some((at, end, one)) = noun {
        out.extend([&text[..at], one]);
        behind = &text[end..];
    }
    *has_one |= noun.is_some() || is_one && text.starts_with(" of ");
    if !*has_one {
        return out.push_str(behind);
    }
    // The verb stands in the same clause, and all but the most usual ones right behind a noun or a value.
    let clause = behind.find([',', ';', ':', '.']).unwrap_or(behind.len());
    let (mut at, mut is_behind_noun) = (0, true);
    for word in behind[..clause].split_inclusive(' ') {
        let bare = word.trim_end();
        let verb = VERBS.iter().position(|(many, _)| *many == bare);
        if let Some(verb) = verb.filter(|verb| *verb < ANYWHERE || is_behind_noun) {
            *has_one = false;
            out.extend([&behind[..at], VERBS[verb].1, &behind[at + bare.len()..]]);
            return;
        }
        let name = bare.trim_end_matches(marks);
        is_behind_noun &= name.is_empty();
        is_behind_noun |= singular(name).is_some() || plural(name).is_some();
        at += word.len();
    }
    *has_one = clause == behind.len();
    out.push_str(behind);
}

/// Verbs of counted nouns: of many, of one.
const VERBS: [(&str, &str); 30] = [
    ("are", "is"),
    ("were", "was"),
    ("have", "has"),
    ("do", "does"),
    ("access", "accesses"),
    ("collide", "collides"),
    ("cover", "covers"),
    ("end", "ends"),
    ("fill", "fills"),
    ("give", "gives"),
    ("go", "goes"),
    ("lack", "lacks"),
    ("match", "matches"),
    ("start", "starts"),
    ("take", "takes"),
    ("use", "uses"),
    ("write", "writes"),
    ("begin", "begins"),
    ("come", "comes"),
    ("conflict", "conflicts"),
    ("differ", "differs"),
    ("hit", "hits"),
    ("jump", "jumps"),
    ("miss", "misses"),
    ("need", "needs"),
    ("run", "runs"),
    ("share", "shares"),
    ("stay", "stays"),
    ("wait", "waits"),
    ("waste", "wastes"),
];
/// So many of them are no nouns either.
const ANYWHERE: usize = 4;
