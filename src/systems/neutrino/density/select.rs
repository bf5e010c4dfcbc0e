//! Which blocks and warps are counted: numbers and ranges, as a person writes them.

/// Numbers and ranges; none lets all through.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Select(Vec<(u64, u64)>);

impl Select {
    /// Reads `0-131,200`; `None` when it is something else.
    pub fn parse(text: &str) -> Option<Self> {
        let words = text.split([',', ';', ' ']).filter(|word| !word.is_empty());
        let range = |word: &str| {
            let (from, to) = word.split_once(['-', '–']).unwrap_or((word, word));
            Some((from.trim().parse().ok()?, to.trim().parse().ok()?))
        };
        words.map(range).collect::<Option<_>>().map(Self)
    }

    /// Whether a number comes through.
    #[inline]
    pub fn has(&self, number: u64) -> bool {
        self.0.is_empty() || self.0.iter().any(|(from, to)| *from <= number && number <= *to)
    }
}
