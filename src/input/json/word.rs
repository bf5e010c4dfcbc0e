//! Small parts of reading JSON trees: where texts end, what is a number, how much room lists get.

/// Most room that is made before elements are there.
const ROOM: usize = 32;

/// A list with room for as many elements as the last one had.
pub(super) fn room<T>(like: usize) -> Vec<T> {
    Vec::with_capacity(like.min(ROOM))
}

/// Gives back room that was not needed.
pub(super) fn fitted<T>(mut list: Vec<T>) -> Vec<T> {
    if list.len() < list.capacity() / 2 {
        list.shrink_to_fit();
    }
    list
}

/// Length up to which a text is short.
const SHORT: usize = 16;

/// How many bytes stand before the closing quote; `None` when there is none.
pub(super) fn string_len(rest: &[u8]) -> Option<usize> {
    // Most names and values are short: looking at their bytes is faster than preparing a search.
    let mut at = 0;
    for &b in rest.iter().take(SHORT) {
        match b {
            b'"' => return Some(at),
            b'\\' => break,
            _ => at += 1,
        }
    }
    loop {
        at += memchr::memchr2(b'"', b'\\', rest.get(at..)?)?;
        if rest.get(at) == Some(&b'"') {
            return Some(at);
        }
        at += 2;
    }
}

/// Whether a word is a number of JSON or one of the three that JSON lacks; a leading `+` and `.5` are taken too.
pub(super) fn is_number(word: &[u8]) -> bool {
    let body = match word {
        [b'-' | b'+', rest @ ..] => rest,
        _ => word,
    };
    // Nearly all are digits, or digits with a point among them.
    let whole = body.iter().take_while(|b| b.is_ascii_digit()).count();
    match body.get(whole..) {
        Some([]) if 0 < whole => return true,
        Some([b'.', fraction @ ..]) if 0 < whole && fraction.iter().all(u8::is_ascii_digit) => return true,
        _ => {}
    }
    matches!(body, b"NaN" | b"Infinity")
        || (body.iter().any(u8::is_ascii_digit)
            && matches!(body.first(), Some(b'0'..=b'9' | b'.'))
            && std::str::from_utf8(word).is_ok_and(|text| text.parse::<f64>().is_ok()))
}
