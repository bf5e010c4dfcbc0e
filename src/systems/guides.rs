//! What the page itself says of systems before a file is opened: lessons, as plain data and without any reader.
//!
//! A system with something to explain has a `guide.rs` with one `pub static GUIDE: Guide`, and an item in [`GUIDES`]. The
//! page knows nothing else of systems, so that no reader is linked into it. (Samples stand in `public/samples`.)

pub use super::GUIDES;
use crate::base::words::phrase;
use crate::scene::palette::Ink;
use std::ops::Range;

/// How the page itself is used, whatever wrote the file.
pub(super) static PAGE: Guide = Guide {
    subject: "Lanescope",
    title: phrase("Using the page"),
    lessons: Vec::new,
    terms: Some(Terms { id: "questions", title: phrase("Reading and comparing"), rows: PAGE_ROWS }),
};

const PAGE_ROWS: &[(&str, &str)] = &[
    (
        phrase("How do I read a timeline?"),
        phrase(
            "Each row is a track, such as a thread or a stream; time runs from left to right. A slice has a start and an end; slices drawn inside it happened during it. Click a slice to see its details below. Zoom with W and S, move with A and D.",
        ),
    ),
    (
        phrase("How do I summarize a range?"),
        phrase(
            "Drag across tracks to select a range: the pane below the timeline summarizes it. Statistics does so for the entire trace, or for the range.",
        ),
    ),
    (
        phrase("How do I compare two files?"),
        phrase(
            "Open the first file, choose Compare in the top bar and then the other file, and look at the views of B. If a view shows no differences, the bar above it says so.",
        ),
    ),
    (
        phrase("How do I read a difference?"),
        phrase(
            "Differences are B − A: a minus sign means less in B. Rows are matched by name; rows in only one file have no counterpart. Two runs of the same program also differ: a small difference between two files may be chance.",
        ),
    ),
    (
        phrase("How do I follow a run that goes on?"),
        phrase(
            "Choose Watch for changes on disk: the status bar says when the files change, and Reopen reads them with window, selection and filters as they are. Nothing is read again by itself. The first screen opens recent files as they were seen.",
        ),
    ),
    (
        phrase("How do I keep what I have found out?"),
        phrase(
            "Write a note with Alt N: it is kept in this browser with the place that is shown, for files of the same content under any name. Notes are exported and imported as a file; a link to the view leads others to the place.",
        ),
    ),
];

/// What a topic of the help is found by beside its title, in English: what it is about, and its group.
pub fn found_by(topic: &str) -> String {
    let has_it = |guide: &&&Guide| {
        guide.terms.is_some_and(|terms| terms.id == topic)
            || (guide.lessons)().iter().any(|lesson| lesson.id == topic)
    };
    let guide = GUIDES.iter().find(has_it);
    guide.map_or_else(|| "Help".to_owned(), |guide| format!("Help {} {}", guide.subject, guide.title))
}

/// What the page says of one system.
pub struct Guide {
    /// What the lessons are about, such as a part of the system; a name that is not translated.
    pub subject: &'static str,
    /// Title of the group of lessons.
    pub title: &'static str,
    /// Makes all lessons, in the order of reading; at least one, unless there are terms.
    pub lessons: fn() -> Vec<Lesson>,
    /// What its terms mean.
    pub terms: Option<Terms>,
}

impl Guide {
    /// What it is called in a list of all guides: its group, and its topic where it has no lessons.
    pub fn titles(&self) -> impl Iterator<Item = &'static str> {
        let is_topic = (self.lessons)().is_empty();
        [self.title].into_iter().chain(self.terms.filter(|_| is_topic).map(|terms| terms.title))
    }
}

/// Terms and their meanings.
#[derive(Clone, Copy, Debug)]
pub struct Terms {
    /// Its name in addresses; none of a lesson.
    pub id: &'static str,
    /// What they are about.
    pub title: &'static str,
    /// Each with its meaning.
    pub rows: &'static [(&'static str, &'static str)],
}

impl Terms {
    /// How many they are, as a phrase with `{n}`: questions, or terms.
    pub fn count(&self) -> &'static str {
        let is_questions = self.rows.iter().all(|(term, _)| term.ends_with('?'));
        if is_questions { phrase("{n} questions") } else { phrase("{n} terms") }
    }
}

/// One example explained: a program, the rows that it writes, their timeline, and the results that follow.
///
/// Events are named by their number: `t0` is the first.
#[derive(Clone, Debug)]
pub struct Lesson {
    /// Its name in addresses; no two lessons of all systems share one.
    pub id: &'static str,
    pub title: &'static str,
    /// What there is to know of it.
    pub paragraphs: &'static [&'static str],
    /// Lines of the program, in pseudo code.
    pub program: &'static [&'static str],
    /// Rows that the program writes, in the order of time.
    pub events: Vec<Event>,
    /// Heads of the cells of events; names that are not translated.
    pub columns: &'static [&'static str],
    /// Unit of the times of events.
    pub unit: &'static str,
    /// Rows of the timeline.
    pub lanes: Vec<Lane>,
    /// What is drawn on the lanes, in the order of their begins.
    pub scopes: Vec<Scope>,
    pub colors: Vec<Key>,
    pub patterns: Vec<&'static str>,
    pub results: Results,
    pub note: &'static str,
    /// Name of the file with these rows.
    pub file_name: String,
    pub file: String,
}

/// One row that the program writes.
#[derive(Clone, Debug)]
pub struct Event {
    /// When, in the lesson's unit.
    pub at: u32,
    /// The line of the program that writes it, from 0.
    pub line: usize,
    /// The scope that it begins or ends.
    pub scope: usize,
    /// What stands in the row.
    pub cells: Vec<String>,
}

/// A row of the timeline.
#[derive(Clone, Debug)]
pub struct Lane {
    /// What it is for.
    pub title: &'static str,
    /// What the file calls it.
    pub name: String,
}

/// A slice of the timeline.
#[derive(Clone, Debug)]
pub struct Scope {
    pub lane: usize,
    /// How deep it lies, from 0.
    pub depth: usize,
    /// The events that it lies between, by their numbers.
    pub events: Range<usize>,
    pub name: &'static str,
    pub tip: String,
    pub ink: Ink,
    pub pattern: Pattern,
    /// The events between which it is still open without counting.
    pub rest: Option<Range<usize>>,
}

/// How a slice of the timeline is filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// In full.
    Full,
    /// Hatched.
    Hatched,
    /// Only half as high.
    Thin,
}

/// A term with its abbreviation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key {
    /// The color that stands for it, a token.
    pub token: Option<&'static str>,
    /// What a person calls it.
    pub title: &'static str,
    /// The abbreviation.
    pub letters: &'static str,
}

/// A table of results.
#[derive(Clone, Debug)]
pub struct Results {
    /// What they are.
    pub title: &'static str,
    /// Heads of the columns.
    pub columns: &'static [&'static str],
    /// A cell for each column; cells of one column are of one kind.
    pub rows: Vec<Vec<Cell>>,
}

/// A cell of a table of results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cell {
    /// What the row is about.
    Term(Key),
    /// How a number is computed of events, such as `(t3 − t0) − (t2 − t1)`.
    Formula(&'static str),
    /// A number.
    Number(String),
}

/// The terms of all systems.
pub fn terms() -> impl Iterator<Item = Terms> {
    GUIDES.iter().filter_map(|guide| guide.terms)
}

/// The lessons of all systems.
pub fn lessons() -> impl Iterator<Item = Lesson> {
    GUIDES.iter().flat_map(|guide| (guide.lessons)())
}
