//! Messages: sentences for people that are made in one place and shown in another, in the language of the reader.

use super::{Language, fill, tr};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;

/// A sentence: an English template, which is the key of its translations, and the values of its `{names}`. A text of a
/// file is a message without translation, unless it is a key. In JSON it is the English text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Message {
    /// The English template.
    pub key: Cow<'static, str>,
    /// Names and values.
    pub args: Vec<(Cow<'static, str>, Arg)>,
}

/// What stands for a name of a template.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Arg {
    /// A value, the same in all languages.
    Value(String),
    /// A phrase, translated too.
    Message(Message),
}

impl Arg {
    fn text(&self, language: Language) -> Cow<'_, str> {
        match self {
            Self::Value(value) => value.into(),
            Self::Message(phrase) => phrase.text(language),
        }
    }
}

/// The message with this English template.
pub fn message(key: &'static str) -> Message {
    key.into()
}

impl Message {
    /// The same message with a value for a name.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl fmt::Display) -> Self {
        self.args.push((name.into(), Arg::Value(value.to_string())));
        self
    }

    /// The same message with a phrase for a name.
    #[must_use]
    pub fn with_message(mut self, name: &'static str, phrase: impl Into<Message>) -> Self {
        self.args.push((name.into(), Arg::Message(phrase.into())));
        self
    }

    /// Whether it says nothing.
    pub fn is_empty(&self) -> bool {
        self.key.is_empty()
    }

    /// The text in a language.
    pub fn text(&self, language: Language) -> Cow<'_, str> {
        let template = tr(language, &self.key);
        if self.args.is_empty() {
            return template.into();
        }
        let values: Vec<_> = self.args.iter().map(|(name, arg)| (&**name, arg.text(language))).collect();
        let values: Vec<_> = values.iter().map(|(name, value)| (*name, &**value)).collect();
        fill(template, &values).into()
    }
}

impl<T: Into<Cow<'static, str>>> From<T> for Message {
    fn from(key: T) -> Self {
        Self { key: key.into(), args: Vec::new() }
    }
}

/// Whether it says this in English.
impl<T: AsRef<str> + ?Sized> PartialEq<T> for Message {
    fn eq(&self, english: &T) -> bool {
        self.text(Language::En) == english.as_ref()
    }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(Language::En))
    }
}

impl Serialize for Message {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        if to.is_human_readable() { to.collect_str(self) } else { (&self.key, &self.args).serialize(to) }
    }
}

impl<'de> Deserialize<'de> for Message {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        if from.is_human_readable() {
            return String::deserialize(from).map(Self::from);
        }
        Deserialize::deserialize(from).map(|(key, args)| Self { key, args })
    }
}

/// Words of the tests of this folder; what is loaded first counts.
#[cfg(test)]
pub(super) const TEST_WORDS: &str = "expected {expected}, found {found}\t应为{expected}，实为 {found}\n\
    a number\t数字\n\
    stride {n}\t步长 {n}\n\
    stride {n}: each\t步长 {n}：各占\n\
    {n} % used\t使用 {n} %\n\
    {n} of the chip's {m} cores were used.\t芯片的 {m} 个核中有 {n} 个参与了运行。\n";

#[cfg(test)]
mod tests {
    use super::super::load;
    use super::*;

    #[test]
    fn messages_are_told_in_any_language_with_their_values() {
        load(Language::Zh, TEST_WORDS);
        let cores = message("{n} of the chip's {m} cores were used.").with("n", "1,206").with("m", 20);
        assert_eq!(cores.to_string(), "1,206 of the chip's 20 cores were used.");
        assert_eq!(cores.text(Language::Zh), "芯片的 20 个核中有 1,206 个参与了运行。");
        let expected = message("expected {expected}, found {found}");
        let expected = expected.with_message("expected", "a number").with("found", "a number");
        assert_eq!(expected.text(Language::Zh), "应为数字，实为 a number");
        assert_eq!(Message::from("MTE2 took {1.5} µs".to_owned()).text(Language::Zh), "MTE2 took {1.5} µs");
    }
}
