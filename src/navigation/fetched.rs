//! Files that are fetched by their addresses: what of an address is kept, why nothing came, and whether all came.

use crate::base::number::thousands;
use crate::base::words::{Message, message, phrase};

/// Schemes whose addresses name a host, whatever slashes follow.
const SCHEMES: [&str; 5] = ["https", "http", "ftp", "wss", "ws"];

/// An address without the user name and password in it: these are not sent, shown, kept or copied. Finds them as browsers
/// do, which take `\` for `/`, any number of these, and pass over line breaks and tabs.
pub fn without_login(url: &str) -> String {
    let is_slash = |c: char| matches!(c, '/' | '\\');
    let url = url.trim_matches(|c: char| c <= ' ').replace(['\t', '\n', '\r'], "");
    let scheme = url.split_once(':').map_or("", |(scheme, _)| scheme);
    let begin =
        if scheme.contains(['/', '\\', '?', '#']) || scheme.is_empty() { 0 } else { scheme.len() + 1 };
    let rest = &url[begin..];
    let slashes = rest.len() - rest.trim_start_matches(is_slash).len();
    let has_host = 2 <= slashes || SCHEMES.contains(&scheme.to_ascii_lowercase().as_str());
    let host = begin + slashes;
    let end =
        url[host..].find(|c: char| is_slash(c) || matches!(c, '?' | '#')).map_or(url.len(), |at| host + at);
    match url[host..end].rfind('@').filter(|_| has_host) {
        Some(at) => format!("{}{}", &url[..host], &url[host + at + 1..]),
        None => url,
    }
}

/// Why nothing came of an address: a sentence, and whether it may come where the user asks for it without this page.
pub type Why = (&'static str, bool);

/// Why no answer came, as far as a page may know: its origin, the address that it asked for with its origin, and whether
/// the browser has a network.
pub fn without_answer(page: &str, (url, origin): (&str, &str), is_online: bool) -> Why {
    let is_of = |scheme: &str| url.starts_with(scheme);
    let host = origin.trim_start_matches("http://");
    let is_named =
        |name: &&str| host.strip_prefix(*name).is_some_and(|port| port.is_empty() || port.starts_with(':'));
    let is_here = ["localhost", "127.0.0.1", "[::1]"].iter().any(is_named);
    let is_own = page == origin;
    if !is_of("https://") && !is_of("http://") {
        (phrase("Only addresses that begin with https:// or http:// can be fetched."), true)
    } else if is_of("http://") && !is_own && page.starts_with("https://") && !is_here {
        (phrase("A page loaded over https cannot fetch http:// addresses (mixed content)."), true)
    } else if is_of("http://") && !is_own {
        (phrase("This page can only fetch https:// addresses and files of its own site."), true)
    } else if !is_online {
        (phrase("The browser is offline."), false)
    } else if is_own {
        (phrase("The server did not answer."), false)
    } else {
        (
            phrase(
                "The server did not answer, or it does not allow pages of other sites to read the file (CORS).",
            ),
            true,
        )
    }
}

/// What a status other than success means for whoever wants the file.
pub fn of_status(status: u16) -> Why {
    match status {
        401 | 403 | 407 => {
            (phrase("Access denied. User names and passwords in addresses are not sent."), true)
        }
        404 | 410 => (phrase("There is no file at this address."), false),
        429 | 500..=599 => (phrase("The server is unavailable. Try again later."), false),
        _ => (phrase("The server refused the request."), true),
    }
}

/// What came of a file.
#[derive(Clone, Debug, Default)]
pub struct Came {
    /// The status of the answer.
    pub status: u16,
    /// Bytes that came.
    pub bytes: u64,
    /// Whether the answer came to its end.
    pub is_whole: bool,
    /// How long the server says that it is.
    pub length: Option<u64>,
    /// Whether that may be the length of packed bytes.
    pub may_be_packed: bool,
    /// Which part of the file it is, as the server says.
    pub range: Option<String>,
}

impl Came {
    /// How much of the file came, in words, where it was not all.
    pub fn part(&self) -> Option<Message> {
        let all = match self.status {
            206 => self.all_of_range().filter(|all| self.bytes <= *all),
            _ => self.length.filter(|all| self.bytes < *all),
        };
        // Bytes that cannot be packed take little more where somebody tries.
        let slack = if self.may_be_packed { 64 + self.bytes / 1_024 } else { 0 };
        let is_all = match self.status {
            206 => all == Some(self.bytes),
            _ => self.is_whole && all.is_none_or(|all| all <= self.bytes.saturating_add(slack)),
        };
        let got = thousands(self.bytes);
        let words = match all {
            Some(all) => message("{got} of {n} bytes came. What can be read of them is shown.")
                .with("n", thousands(all)),
            None if self.status == 206 => message(
                "The server sent {got} bytes as a part of the file. What can be read of them is shown.",
            ),
            None => message("The connection broke after {got} bytes. What can be read of them is shown."),
        };
        (!is_all).then(|| words.with("got", got))
    }

    /// How long the file is of which this is a part: `bytes 0-99/1000`.
    fn all_of_range(&self) -> Option<u64> {
        self.range.as_ref()?.rsplit_once('/')?.1.trim().parse().ok()
    }
}
