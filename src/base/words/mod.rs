//! The page's words: English phrases are the keys, one table of Chinese for each area.
//!
//! A phrase is looked up where it is shown: `tr(language, "Open files…")`. Phrases in data (a table of shortcuts, say) are
//! marked with [`phrase`]; sentences with values are a [`Message`]. So the test in `tests/it/words.rs` finds all of them:
//! it fails when one has no translation, and when a translation has no phrase. To add words: a line in the table of
//! your area, in the order of the English bytes.
//!
//! Names of cores, pipes, instructions and file formats are never translated.

mod message;
mod systems;
mod zh_access;
mod zh_area;
mod zh_code;
mod zh_data;
mod zh_faults;
mod zh_figures;
mod zh_page;
mod zh_report;
mod zh_timeline;

pub use message::{Message, message};

use serde::{Deserialize, Serialize};

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

/// A table of one area: English and Chinese, sorted by the English bytes.
pub type Table = &'static [(&'static str, &'static str)];

/// The Chinese tables, by area.
pub static CHINESE: &[Table] = &[
    systems::zh_android::TABLE,
    systems::zh_perfetto::TABLE,
    zh_page::TABLE,
    zh_report::TABLE,
    zh_timeline::TABLE,
    zh_access::TABLE,
    zh_area::TABLE,
    zh_code::TABLE,
    zh_figures::TABLE,
    zh_data::TABLE,
    zh_faults::TABLE,
    systems::zh_lessons::TABLE,
    #[cfg(feature = "demo")]
    systems::zh_demo::TABLE,
];

/// The phrase in the language; the English text is the key. A phrase without translation stays as it is, so words of
/// the data (vendor names) can go through here too.
pub fn tr(language: Language, english: &str) -> &str {
    match language {
        Language::En => english,
        Language::Zh => CHINESE.iter().find_map(|table| look_up(table, english)).unwrap_or(english),
    }
}

fn look_up(table: Table, english: &str) -> Option<&'static str> {
    let at = table.binary_search_by_key(&english, |(key, _)| key).ok()?;
    table.get(at).map(|(_, chinese)| *chinese)
}

/// Marks an English phrase that stands in data and is translated where it is shown.
pub const fn phrase(english: &'static str) -> &'static str {
    english
}

/// Puts values into the `{names}` of a phrase: `fill("{n} files", &[("n", "3")])` is `3 files`.
pub fn fill(template: &str, values: &[(&str, &str)]) -> String {
    let mut out = String::with_capacity(template.len() + 16);
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        let Some((name, tail)) = after.split_once('}') else {
            out.push('{');
            rest = after;
            continue;
        };
        match values.iter().find(|(key, _)| *key == name) {
            Some((_, value)) => out.push_str(value),
            None => out.extend(["{", name, "}"]),
        }
        rest = tail;
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_are_filled_once_and_unknown_names_stay() {
        assert_eq!(fill("{n} of {m} {x}", &[("n", "{m}"), ("m", "3")]), "{m} of 3 {x}");
        assert_eq!(fill("open { brace", &[]), "open { brace");
    }

    #[test]
    fn vendor_names_stay_as_they_are() {
        assert_eq!(tr(Language::Zh, "MTE2"), "MTE2");
        assert_eq!(tr(Language::of_tag("zh-Hans").unwrap_or_default(), "Timeline"), "时间线");
    }
}
