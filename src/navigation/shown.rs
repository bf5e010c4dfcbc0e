//! Which of several things is shown: the wanted view or another one, the next document, the one beside a closed one.

/// The wanted one when it is there, else the first.
pub fn wanted_or_first<T: Copy>(all: &[T], is_wanted: impl Fn(&T) -> bool) -> Option<T> {
    all.iter().copied().find(|one| is_wanted(one)).or(all.first().copied())
}

/// The one that stands `by` places behind `current`, around the ends.
pub fn neighbor(ids: &[u32], current: u32, by: isize) -> Option<u32> {
    let at = ids.iter().position(|id| *id == current)?;
    let to = (at.cast_signed() + by).rem_euclid(ids.len().cast_signed()).unsigned_abs();
    ids.get(to).copied()
}

/// The one to show when `closed` is gone: the next, else the one before.
pub fn beside(ids: &[u32], closed: u32) -> Option<u32> {
    let at = ids.iter().position(|id| *id == closed)?;
    ids.get(at + 1).or_else(|| ids.get(at.checked_sub(1)?)).copied()
}
