//! What each fuzz target does with an input: opens it by the front door as a dropped file is, asks and draws.
//!
//! `cargo xtask fuzz` runs them. An input that broke something lies in `artifacts/<target>`. Once that is mended it moves, as
//! small as it can be, to `tests/regressions/<target>`: later fuzzing begins with it, and a test is to open it, which finds
//! its files by [`bundle::split`].

pub mod bundle;
mod seeds;

use bundle::Files;
use lanescope::base::geometry::Size;
use lanescope::document::Document;
use lanescope::engine::{Need, pictures};
use lanescope::input::unpack::MemoryStore;
use lanescope::input::{Entry, Memory};
use lanescope::model::id::SliceId;
use lanescope::scene::palette::Palette;
use lanescope::scene::table::PageRequest;
use lanescope::systems;
use lanescope::views::timeline::messages::TimelineQuery;
use lanescope::wire::Query;
use lanescope::wire::rows::{RowsQuery, Source};
use libfuzzer_sys::Corpus;
use std::rc::Rc;
use std::sync::LazyLock;

/// The colors of the page, which are read once.
static PALETTE: LazyLock<Palette> =
    LazyLock::new(|| Palette::from_css(include_str!("../../../style/tokens.css"), "light"));

/// The size of pictures: small, as what is drawn of a row is the same in all.
const SIZE: Size = Size { w: 640.0, h: 400.0 };

/// Makes the program of one target: the id of a system, whose inputs it keeps, and what a file is called whose input has
/// no name for it.
#[macro_export]
macro_rules! target {
    ($target:literal, $name:literal) => {
        libfuzzer_sys::fuzz_target!(
            init: $crate::begin($target),
            |input: &[u8]| -> libfuzzer_sys::Corpus { $crate::run($target, $name, input) }
        );
    };
}

/// What is done once, before inputs are made up.
pub fn begin(target: &str) {
    seeds::write(target);
}

/// Opens an input and looks at it. Those that another system reads, or nobody, are not kept: each target stays at its
/// readers.
pub fn run(target: &str, name: &str, input: &[u8]) -> Corpus {
    // From the input itself, so that the same bytes do the same.
    let chosen = input.iter().fold(input.len(), |sum, &b| sum.wrapping_mul(31).wrapping_add(b.into()));
    let (mut doc, is_ready) = open(bundle::split(input, name), [61, 1_024, 1 << 20][chosen % 3]);
    look(&mut doc, is_ready, chosen / 3);
    let Some(system) = systems::SYSTEMS.iter().find(|system| system.id == target) else {
        return Corpus::Keep;
    };
    let is_own = |id| system.formats.iter().any(|format| format.id == id);
    if doc.formats().iter().any(|format| is_own(format.id)) { Corpus::Keep } else { Corpus::Reject }
}

/// Opens files that are fed in pieces of `chunk` bytes, to their end; whether the document became ready.
fn open(files: Files, chunk: usize) -> (Document, bool) {
    let entry = |(path, bytes)| Entry { path, source: Rc::new(Memory(bytes)) };
    let mut doc = Document::new(files.into_iter().map(entry).collect(), Box::new(MemoryStore::default()));
    let mut buffer = vec![0; chunk];
    loop {
        match doc.step() {
            Need::Again => {}
            Need::Ready => return (doc, true),
            Need::Failed | Need::Part(_) => return (doc, false),
            Need::Stream { source, range } => {
                let mut at = range.start;
                while at < range.end {
                    let wanted = usize::try_from(range.end - at).map_or(chunk, |left| left.min(chunk));
                    let n = source.read_at(at, &mut buffer[..wanted]).unwrap_or(0);
                    if n == 0 || !doc.feed(&buffer[..n]) {
                        break;
                    }
                    at += n as u64;
                }
            }
        }
    }
}

/// Asks what the page asks first, computes what limits the program, and draws one picture.
fn look(doc: &mut Document, is_ready: bool, chosen: usize) {
    doc.query(&Query::Report);
    if !is_ready {
        return;
    }
    doc.query(&Query::Headline);
    doc.whole_overview();
    let wanted = PageRequest { n: 50, ..PageRequest::default() };
    let source = Source::Statistics(lanescope::analysis::statistics::Options::default());
    doc.query(&Query::Rows(RowsQuery { table: 1, source, wanted }));
    // A slice whose details are read back from the file.
    let tracks = doc.trace().tracks.iter().filter(|(_, track)| !track.slices.is_empty());
    let ids: Vec<_> = tracks.map(|(id, track)| (id, track.slices.len())).collect();
    if let Some((track, n)) = ids.get(chosen % ids.len().max(1)) {
        let row = u32::try_from(chosen % n).unwrap_or(0);
        doc.query(&TimelineQuery::Slice(SliceId { track: *track, row }));
    }
    // The chosen picture, or the next one that there is.
    let all: Vec<&str> = pictures().map(|picture| picture.id).collect();
    let from = chosen % all.len().max(1);
    all[from..].iter().chain(&all[..from]).find(|id| doc.svg(id, SIZE, &PALETTE).is_ok());
}
