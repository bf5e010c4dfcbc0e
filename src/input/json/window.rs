//! Chunks of a text joined where it matters: what was not used up is kept and seen again with what follows.

/// Joins chunks.
#[derive(Default)]
pub struct Window {
    kept: Vec<u8>,
    /// Place of the first byte that was not used yet.
    at: u64,
    /// Not worth trying before so many bytes are kept: keeps tiny chunks from costing a look each.
    next_try: usize,
}

impl Window {
    /// A window whose first byte stands at this place.
    pub fn new(at: u64) -> Self {
        Self { at, ..Self::default() }
    }

    /// Place of the first byte that was not used yet.
    pub fn position(&self) -> u64 {
        self.at
    }

    /// How many bytes wait for more.
    pub fn waiting(&self) -> usize {
        self.kept.len()
    }

    /// Shows the next bytes to `read`, which gets them with the place of the first and says how many it used.
    pub fn feed(&mut self, chunk: &[u8], mut read: impl FnMut(&[u8], u64) -> usize) {
        let mut rest = chunk;
        while !self.kept.is_empty() {
            if rest.is_empty() {
                return;
            }
            let (piece, tail) = rest.split_at(rest.len().min(self.kept.len().max(4096)));
            let before = self.kept.len();
            self.kept.extend_from_slice(piece);
            if self.kept.len() < self.next_try {
                rest = tail;
                continue;
            }
            let used = read(&self.kept, self.at).min(self.kept.len());
            self.at += used as u64;
            if let Some(into) = used.checked_sub(before) {
                // Everything that was kept is used: go on in the chunk itself, without copies.
                self.kept.clear();
                rest = rest.get(into..).unwrap_or(&[]);
            } else {
                self.kept.drain(..used);
                rest = tail;
            }
            self.next_try = self.kept.len() + self.kept.len() / 4 + 1;
        }
        let used = read(rest, self.at).min(rest.len());
        self.at += used as u64;
        self.kept.extend_from_slice(rest.get(used..).unwrap_or(&[]));
        self.next_try = 0;
    }

    /// Shows what waits once more, as more of it can be used now.
    pub fn again(&mut self, read: impl FnOnce(&[u8], u64) -> usize) {
        let used = read(&self.kept, self.at).min(self.kept.len());
        self.at += used as u64;
        self.kept.drain(..used);
        self.next_try = 0;
    }

    /// Forgets what waits: too long for one record. Returns how many bytes it was.
    pub fn discard(&mut self) -> u64 {
        let n = self.kept.len() as u64;
        self.at += n;
        self.kept = Vec::new();
        n
    }

    /// Shows what still waits once more: nothing follows.
    pub fn finish(&mut self, read: impl FnOnce(&[u8], u64) -> usize) {
        let kept = std::mem::take(&mut self.kept);
        let used = read(&kept, self.at).min(kept.len());
        self.at += used as u64;
    }
}
