//! Files of addresses: logins in them, why nothing came, and whether all came.

use lanescope::base::words::Language;
use lanescope::navigation::fetched::{Came, of_status, without_answer, without_login};

#[test]
fn a_login_in_an_address_is_left_out() {
    for (given, kept) in [
        ("https://me:secret@host/a.json?x=1#y", "https://host/a.json?x=1#y"),
        ("https://secret@host:8080/a.json", "https://host:8080/a.json"),
        ("HTTPS://me:se@cret@host/a", "HTTPS://host/a"),
        ("//me:secret@host/a", "//host/a"),
        ("https:\\\\me:secret@host\\a", "https:\\\\host\\a"),
        ("https:me:secret@host/a", "https:host/a"),
        (" ht\ntps://me:sec\tret@host/a ", "https://host/a"),
        ("https://me:secret@host", "https://host"),
        ("https://me:secret@host:99999/a", "https://host:99999/a"),
    ] {
        assert_eq!(without_login(given), kept);
    }
    for plain in [
        "https://host/@scope/a@2.json",
        "https://host/a?mail=me@host",
        "samples/a@2.bin",
        "/folder:x/a@2.bin",
        "data:text/plain,a@b",
        "a@b.json",
    ] {
        assert_eq!(without_login(plain), plain);
    }
}

#[test]
fn each_reason_is_told_where_it_can_be_the_cause() {
    let page = "https://page.example";
    let why = |page, url: &str, is_online| {
        let end = url.match_indices('/').nth(2).map_or(url.len(), |(at, _)| at);
        without_answer(page, (url, &url[..end]), is_online).0
    };
    assert!(why(page, "https://other.example/a", true).contains("CORS"));
    assert!(why(page, "http://other.example/a", true).contains("mixed content"));
    for (page, url, is_online) in [
        (page, "https://page.example/a", true),
        (page, "https://page.example/a", false),
        (page, "https://other.example/a", false),
        (page, "http://other.example/a", true),
        (page, "ftp://other.example/a", true),
        (page, "http://localhost:8080/a", true),
        ("http://127.0.0.1:9", "http://other.example/a", true),
    ] {
        let said = why(page, url, is_online);
        assert!(!said.contains("CORS"), "{url}: {said}");
        let is_mixed = url == "http://other.example/a" && page.starts_with("https");
        assert_eq!(said.contains("mixed"), is_mixed, "{url}: {said}");
    }
    assert!(why(page, "http://localhost.example/a", true).contains("mixed content"), "another host");
    assert_eq!(why(page, "https://other.example/a", false), "The browser is offline.");
    for status in [400, 401, 403, 404, 410, 429, 500, 503] {
        assert!(!of_status(status).0.contains("CORS"), "{status}");
    }
    assert_eq!(of_status(404), ("There is no file at this address.", false));
}

#[test]
fn a_part_is_not_taken_for_the_whole() {
    let part = |came: Came| came.part().map(|words| words.text(Language::En).into_owned());
    let whole = Came { status: 200, bytes: 5_000, is_whole: true, ..Came::default() };
    let sent = |bytes: u64, range: &str| Came {
        status: 206,
        bytes,
        length: Some(bytes),
        range: (!range.is_empty()).then(|| range.to_owned()),
        ..whole.clone()
    };
    // All of it: also where nobody says how long it is, and where it was packed on its way.
    for came in [
        whole.clone(),
        Came { length: Some(5_000), ..whole.clone() },
        Came { length: Some(900), may_be_packed: true, ..whole.clone() },
        Came { length: Some(5_020), may_be_packed: true, ..whole.clone() },
        sent(5_000, "bytes 0-4999/5000"),
    ] {
        assert_eq!(part(came.clone()), None, "{came:?}");
    }
    let of = "5,000 of 9,000 bytes came. What can be read of them is shown.";
    for came in [
        Came { length: Some(9_000), ..whole.clone() },
        Came { length: Some(9_000), may_be_packed: true, ..whole.clone() },
        Came { length: Some(9_000), is_whole: false, ..whole.clone() },
        sent(5_000, "bytes 0-4999/9000"),
    ] {
        assert_eq!(part(came.clone()).as_deref(), Some(of), "{came:?}");
    }
    for (came, begin) in [
        (sent(5_000, ""), "The server sent 5,000 bytes as a part of the file."),
        (sent(5_000, "bytes 0-4999/*"), "The server sent 5,000 bytes as a part of the file."),
        (Came { is_whole: false, ..whole }, "The connection broke after 5,000 bytes."),
    ] {
        assert!(part(came.clone()).is_some_and(|said| said.starts_with(begin)), "{came:?}");
    }
}
