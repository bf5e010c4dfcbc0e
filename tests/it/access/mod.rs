//! Memory accesses from the file to the picture.

mod attributes;
mod damage;
mod front;
mod oracle;
mod windows;

use lanescope::document::Document;
use lanescope::views::access::messages::{AccessQuery, Reply};

/// Asks a question about accesses.
fn ask(doc: &mut Document, ask: AccessQuery) -> Reply {
    match doc.query(&ask).0 {
        Some(reply) => reply,
        other => panic!("{other:?}"),
    }
}
