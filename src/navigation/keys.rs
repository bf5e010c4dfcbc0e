//! Which command a key press means.

/// A key press, as browsers report it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeyPress {
    /// What the key writes, or its name: `k`, `?`, `PageDown`.
    pub key: String,
    /// Its place on the keyboard: `KeyK`, `Digit1`.
    pub code: String,
    /// Whether Ctrl or ⌘ is held.
    pub control: bool,
    /// Whether Alt is held.
    pub alt: bool,
    /// Whether Shift is held.
    pub shift: bool,
}

impl KeyPress {
    /// Whether it means these keys: modifiers, then the key. Letters are taken by their place too, for keyboards with
    /// other letters.
    pub fn is(&self, keys: &[&str]) -> bool {
        let Some((key, modifiers)) = keys.split_last() else { return false };
        let has = |name: &str| modifiers.contains(&name);
        let is_letter = key.len() == 1 && key.bytes().all(|b| b.is_ascii_alphabetic());
        let same = self.key.eq_ignore_ascii_case(key) || (is_letter && self.code == format!("Key{key}"));
        // A sign such as "?" brings its own Shift.
        let shift = if is_letter { self.shift == has("Shift") } else { true };
        same && self.control == has("Ctrl") && self.alt == has("Alt") && shift
    }

    /// The index of the view that Alt and a digit choose.
    pub fn view_index(&self) -> Option<usize> {
        if !self.alt || self.control {
            return None;
        }
        self.code.strip_prefix("Digit")?.parse::<usize>().ok()?.checked_sub(1)
    }

    /// Whether it could also be typed into a field.
    pub fn is_plain(&self) -> bool {
        !(self.control || self.alt)
    }
}
