//! Notes of a user on what is shown: texts with the places that they are about.

use serde::{Deserialize, Serialize};

/// Most notes on the same files.
pub const MOST: usize = 500;
/// Longest text of one, in bytes.
pub const TEXT_BYTES: usize = 4_000;
/// Longest address, in bytes.
pub const ADDRESS_BYTES: usize = 8_000;
/// Most texts and addresses on the same files together, in bytes: a file of them is then one that is read.
pub const ALL_BYTES: usize = 400 << 10;
/// Longest file of notes that is read.
pub const FILE_BYTES: u64 = 1 << 20;

/// One note.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Note {
    pub text: String,
    /// The place, as the part of an address behind `#`: view, window, what is chosen, states of views with their marks.
    pub address: String,
    /// When it was written, in milliseconds since 1970: what it is known by among the notes on the same files.
    pub time: f64,
}

/// Notes on the same files.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Notes {
    /// What the files are known by.
    pub content: String,
    /// What they were called.
    pub name: String,
    /// In the order of their times.
    pub list: Vec<Note>,
}

impl Notes {
    /// Adds a note, or puts it in the place of the one of its time. `false` where there are too many, or it is too long.
    pub fn put(&mut self, note: Note) -> bool {
        let others = self.list.iter().filter(|own| own.time != note.time);
        let bytes: usize = others.chain([&note]).map(|own| own.text.len() + own.address.len()).sum();
        let is_short = note.text.len() <= TEXT_BYTES && note.address.len() <= ADDRESS_BYTES;
        let has_room = is_short && bytes <= ALL_BYTES;
        let before = self.list.len();
        match self.list.iter_mut().find(|own| own.time == note.time) {
            Some(own) if has_room => *own = note,
            None if has_room && before < MOST => {
                let at = self.list.partition_point(|own| own.time < note.time);
                self.list.insert(at, note);
            }
            _ => return false,
        }
        true
    }

    /// Adds those of another list that are not here yet: the same text on the same place counts once. Returns how many.
    pub fn join(&mut self, others: Vec<Note>) -> usize {
        let mut n = 0;
        for mut note in others {
            if self.list.iter().any(|own| own.text == note.text && own.address == note.address) {
                continue;
            }
            while self.list.iter().any(|own| own.time == note.time) {
                note.time += 1.0;
            }
            n += usize::from(self.put(note));
        }
        n
    }
}
