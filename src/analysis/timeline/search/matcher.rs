//! Whether a name is what is searched for: as plain text, or as a regular expression.

use super::SearchQuery;
use super::automaton::Automaton;
use regex_lite::{Regex, RegexBuilder};

/// A search made ready, so that looking at a name costs its length.
pub enum Matcher {
    /// Plain text.
    Text {
        /// The text; in small letters unless capitals matter.
        text: String,
        /// Whether capitals matter.
        is_case_sensitive: bool,
        /// Whether it must stand alone.
        is_whole_word: bool,
    },
    /// A regular expression.
    Pattern(Box<Pattern>),
}

/// A regular expression made ready.
pub struct Pattern {
    regex: Regex,
    /// The same, much faster, when it is of the usual kind.
    automaton: Option<Automaton>,
}

impl SearchQuery {
    /// Makes the search ready. Says what is wrong with a pattern that is none, in the words of the library.
    ///
    /// In patterns only ASCII letters are equal to their capitals and only ASCII words have ends: the tables for all of
    /// Unicode would be larger than everything else that searches.
    pub fn matcher(&self) -> Result<Matcher, String> {
        if self.is_pattern {
            let pattern =
                if self.is_whole_word { format!(r"\b(?:{})\b", self.text) } else { self.text.clone() };
            let regex = RegexBuilder::new(&pattern).case_insensitive(!self.is_case_sensitive).build();
            let automaton = || Automaton::new(&pattern, self.is_case_sensitive);
            let pattern = regex.map(|regex| Pattern { regex, automaton: automaton() });
            return pattern.map(|pattern| Matcher::Pattern(Box::new(pattern))).map_err(|why| why.to_string());
        }
        let Self { is_case_sensitive, is_whole_word, .. } = *self;
        let text = if is_case_sensitive { self.text.clone() } else { self.text.to_lowercase() };
        Ok(Matcher::Text { text, is_case_sensitive, is_whole_word })
    }
}

impl Matcher {
    /// Whether the search is in a name; an empty text is in none.
    pub fn is_in(&self, name: &str) -> bool {
        match self {
            Self::Pattern(pattern) => match &pattern.automaton {
                Some(automaton) => automaton.is_in(name),
                None => pattern.regex.is_match(name),
            },
            Self::Text { text, .. } if text.is_empty() => false,
            Self::Text { text, is_case_sensitive: true, is_whole_word } => {
                is_text_in(name, text, *is_whole_word)
            }
            Self::Text { text, is_whole_word, .. } => is_text_in(&name.to_lowercase(), text, *is_whole_word),
        }
    }
}

fn is_text_in(name: &str, text: &str, is_whole_word: bool) -> bool {
    if !is_whole_word {
        return name.contains(text);
    }
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let mut from = 0;
    while let Some(at) = name[from..].find(text).map(|at| at + from) {
        let before = name[..at].chars().next_back();
        let after = name[at + text.len()..].chars().next();
        if !before.is_some_and(is_part) && !after.is_some_and(is_part) {
            return true;
        }
        from = at + name[at..].chars().next().map_or(1, char::len_utf8);
    }
    false
}
