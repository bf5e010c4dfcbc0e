//! What typed words find among titles, in any order and in both languages.

/// Whether all typed words stand in the title or in its English.
pub fn matches(title: &str, english: &str, typed: &str) -> bool {
    let text = format!("{title}\n{english}").to_lowercase();
    typed.to_lowercase().split_whitespace().all(|word| text.contains(word))
}

/// The title in pieces, each with whether it was typed.
pub fn marked<'a>(title: &'a str, typed: &str) -> Vec<(&'a str, bool)> {
    let lower = title.to_lowercase();
    let mut is_marked = vec![false; title.len()];
    // Where lower case has another length, offsets of the one do not hold in the other.
    if lower.len() == title.len() {
        for word in typed.to_lowercase().split_whitespace() {
            if let Some(at) = lower.find(word) {
                is_marked[at..at + word.len()].fill(true);
            }
        }
    }
    let mut pieces = Vec::new();
    let mut start = 0;
    for (at, _) in title.char_indices().skip(1).chain([(title.len(), ' ')]) {
        if start < at && (at == title.len() || is_marked[at] != is_marked[start]) {
            pieces.push((&title[start..at], is_marked[start]));
            start = at;
        }
    }
    pieces
}
