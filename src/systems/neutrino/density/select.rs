//! Which blocks and warps are counted: numbers and ranges, as a person writes them.

/// Numbers and ranges; none lets all through.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Select(Vec<(u64, u64)>);

impl Select {
    /// Reads `0-131,200`; `None` when it is something else.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let words = text.split([',', ';', ' ']).filter(|word| !word.is_empty());
        let range = |word: &str| {
            let (from, to) = word.split_once(['-', '–']).unwrap_or((word, word));
            Some((from.trim().parse().ok()?, to.trim().parse().ok()?))
        };
        words.map(range).collect::<Option<_>>().map(Self)
    }

    /// Whether a number comes through.
    #[inline]
    pub(super) fn has(&self, number: u64) -> bool {
        self.0.is_empty() || self.0.iter().any(|(from, to)| *from <= number && number <= *to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_read_as_they_are_written() {
        for (text, inside, outside) in
            [("", &[0, 9_999][..], &[][..]), ("3", &[3], &[2, 4]), ("0-2, 7–8", &[0, 2, 7, 8], &[3, 6, 9])]
        {
            let select = Select::parse(text).unwrap();
            assert!(
                inside.iter().all(|n| select.has(*n)) && !outside.iter().any(|n| select.has(*n)),
                "{text}"
            );
        }
        assert_eq!(Select::parse("all"), None);
        assert_eq!(Select::parse("1-"), None);
    }
}
