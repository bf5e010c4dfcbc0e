//! What one gesture brought in: a flat list of entries with their paths. (Not called `Drop`: that is a std trait.)
//!
//! Most systems write folders, so formats claim entries of a bundle, not a file.

use super::source::Source;
use crate::base::order;

/// Row number of an entry in its [`Bundle`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntryId(pub u32);

/// One file: where it was, and its bytes.
#[derive(Clone)]
pub struct Entry {
    /// Path below what was dropped, with `/`; members of archives follow a `!`: `run.zip!/a/b.json`.
    pub path: String,
    /// The bytes.
    pub source: Source,
}

impl Entry {
    /// The last part of the path.
    pub fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }
}

/// All files of one gesture, sorted by path, so that the same files in another order are the same bundle.
#[derive(Clone, Default)]
pub struct Bundle {
    entries: Vec<Entry>,
    is_part: bool,
}

impl Bundle {
    /// A bundle of these entries; they are sorted by path.
    pub fn new(mut entries: Vec<Entry>) -> Self {
        if !entries.is_sorted_by(|a, b| a.path <= b.path) {
            order::sort_by(&mut entries, |a, b| a.path.cmp(&b.path));
        }
        Self { entries, is_part: false }
    }

    /// All entries in order, with their numbers.
    pub fn iter(&self) -> impl Iterator<Item = (EntryId, &Entry)> {
        (0u32..).map(EntryId).zip(&self.entries)
    }

    /// One entry; `None` for a number that is not of this bundle.
    pub fn get(&self, id: EntryId) -> Option<&Entry> {
        self.entries.get(id.0 as usize)
    }

    /// The bundle of some of the entries.
    #[must_use]
    pub fn part(&self, ids: &[EntryId]) -> Self {
        let own = Self::new(ids.iter().filter_map(|id| self.get(*id)).cloned().collect());
        Self { is_part: true, ..own }
    }

    /// Whether it was made of some entries of another bundle: what is not here may be there.
    pub fn is_part(&self) -> bool {
        self.is_part
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether nothing was brought.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The path of an entry without the folders that all entries share: what tells it from the others.
    pub fn short(&self, id: EntryId) -> &str {
        let Some(path) = self.get(id).map(|e| e.path.as_str()) else { return "" };
        // Paths are sorted: what the first and the last share, all share.
        let ends = self.entries.first().zip(self.entries.last());
        let shared = ends.map_or(0, |(first, last)| {
            let same = first.path.bytes().zip(last.path.bytes()).take_while(|(a, b)| a == b).map(|(a, _)| a);
            (1..).zip(same).filter(|(_, b)| *b == b'/').last().map_or(0, |(n, _)| n)
        });
        path.get(shared..).unwrap_or(path)
    }

    /// The common first folder or the first file's name: what a person would call the bundle.
    pub fn title(&self) -> String {
        let Some(first) = self.entries.first() else { return String::new() };
        let same_folder =
            |folder: &str| self.entries.iter().all(|e| e.path.split('/').next() == Some(folder));
        match first.path.split_once('/') {
            Some((folder, _)) if 1 < self.entries.len() && same_folder(folder) => folder.to_owned(),
            _ => first.name().to_owned(),
        }
    }
}
