//! Names and values in the text of an address: `view=timeline&line=a%2Fb.h:12`. Used for the hash and the query of a URL.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// What is escaped: everything that could be misread in an address.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~')
    .remove(b':')
    .remove(b',')
    .remove(b'/')
    .remove(b';')
    .remove(b'@');

/// Splits `name=value&name=value`; values are decoded, damaged escapes stay as they are. Names may repeat.
pub fn split(text: &str) -> Vec<(String, String)> {
    let text = text.trim_start_matches(['#', '?']);
    let pairs = text.split('&').filter(|pair| !pair.is_empty());
    pairs
        .map(|pair| {
            let pair = pair.replace('+', " ");
            let decode = |text| percent_decode_str(text).decode_utf8_lossy().into_owned();
            let (name, value) = pair.split_once('=').unwrap_or((&pair, ""));
            (decode(name), decode(value))
        })
        .collect()
}

/// Joins names and values; what could be misread in an address is escaped.
pub fn join<'a>(pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let encode = |text| utf8_percent_encode(text, ESCAPED);
    let pairs = pairs.into_iter().map(|(name, value)| format!("{}={}", encode(name), encode(value)));
    pairs.collect::<Vec<_>>().join("&")
}
