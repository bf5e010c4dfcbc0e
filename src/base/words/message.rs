//! Messages: sentences for people that are made in one place and shown in another, in the language of the reader.

use super::{Language, fill, for_reader, tr};
use crate::base::number::counted;
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
            Self::Value(value) if language == Language::En => value.into(),
            Self::Value(value) => for_reader(language, || counted(value)).into(),
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
            let is_untold = language != Language::En && template == self.key;
            return if is_untold {
                for_reader(language, || counted(template)).into()
            } else {
                template.into()
            };
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
