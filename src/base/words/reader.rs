//! The language of who reads what this thread writes now.
//!
//! Units that are words stand inside numbers, and numbers are written deep inside of pictures, tables and tooltips. So
//! their language is not handed down: the page and the front door of documents set it once. Whatever is written for
//! files, scripts and the command line stays English.

use super::Language;
use std::cell::Cell;

thread_local! {
    static READER: Cell<Language> = const { Cell::new(Language::En) };
}

/// The language in which units are written now; English where nobody has set one.
pub fn reader() -> Language {
    READER.get()
}

/// Writes units in this language from now on, as the page does.
pub fn set_reader(language: Language) {
    READER.set(language);
}

/// Does something for a reader of this language.
pub fn for_reader<T>(language: Language, act: impl FnOnce() -> T) -> T {
    let before = READER.replace(language);
    let made = act();
    READER.set(before);
    made
}
