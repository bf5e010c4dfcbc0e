//! Slice colors by name for what stands in listings: pipes and reasons to wait.

use crate::scene::palette::Ink;
use std::hash::Hasher;

/// The slice color of a name: hardware pipes have theirs, other names one by their hash. Never 9, which is "the rest".
pub(super) fn hue(name: &str) -> u8 {
    match name {
        "MTE2" => 1,
        "CUBE" => 2,
        "VECTOR" => 3,
        "MTE3" => 4,
        "MTE1" => 5,
        "FIXP" | "FIXPIPE" => 6,
        "CACHEMISS" => 8,
        "SCALAR" => 9,
        "FLOWCTRL" => 10,
        _ => {
            let mut hasher = rustc_hash::FxHasher::default();
            hasher.write(name.as_bytes());
            [1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12][(hasher.finish() % 11) as usize]
        }
    }
}

/// Gives names their colors: the same name the same, different names different ones while there are any.
#[derive(Default)]
pub(super) struct Hues {
    taken: [bool; 13],
}

impl Hues {
    /// The color of the next name; 9 when all are taken.
    pub(super) fn next(&mut self, name: &str) -> u8 {
        let wish = hue(name);
        let free = (0..12).map(|i| (wish - 1 + i) % 12 + 1).find(|&c| c != 9 && !self.taken[usize::from(c)]);
        let color = if self.taken[usize::from(wish)] { free.unwrap_or(9) } else { wish };
        self.taken[usize::from(color)] = true;
        color
    }
}

/// The ink of a name.
pub(super) fn ink(name: &str) -> Ink {
    Ink::Slice(hue(name))
}
