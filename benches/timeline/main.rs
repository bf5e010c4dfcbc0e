//! How long the parts of the timeline take, over operator traces of 1, 5 and 20 million slices: `cargo bench`, and with
//! `cargo bench -- --bytes` how much memory a slice takes.

mod make;

use divan::{Bencher, black_box};
use lanescope::analysis::Derived;
use lanescope::analysis::area::{Scope, Work, flame, gaps, overlap};
use lanescope::analysis::summary::summarize;
use lanescope::analysis::timeline::search::{Found, SearchQuery};
use lanescope::base::geometry::Size;
use lanescope::base::time::{Span, Window};
use lanescope::document::Document;
use lanescope::input::Entry;
use lanescope::input::Memory;
use lanescope::input::unpack::MemoryStore;
use lanescope::model::Trace;
use lanescope::scene::palette::Palette;
use lanescope::views::timeline::scene::layout::Layout;
use lanescope::views::timeline::scene::{Folding, Frame, Setting, TimelineInput, draw};
use make::{Made, made};
use std::io::Write;
use std::rc::Rc;

const MILLIONS: [u64; 3] = [1, 5, 20];

fn main() {
    if std::env::args().any(|a| a == "--bytes") {
        MILLIONS.into_iter().for_each(bytes);
    } else {
        divan::main();
    }
}

/// Prints how much memory a slice takes.
fn bytes(millions: u64) {
    let Made { trace, derived } = made(millions);
    let n = trace.n_slices() as f64;
    let model: usize = trace.tracks.iter().map(|(_, t)| t.slices.bytes()).sum();
    let lanes = derived.timeline.bytes();
    println!(
        "{millions} M: {:.1} bytes of model, {:.1} of lanes and levels for each of {n} slices",
        model as f64 / n,
        lanes as f64 / n
    );
}

fn open(name: &str, bytes: Vec<u8>) -> Document {
    let entry = Entry { path: name.to_owned(), source: Rc::new(Memory(bytes)) };
    Document::open(vec![entry], Box::new(MemoryStore::default())).0
}

fn window(trace: &Trace, zoom: f64) -> Window {
    Window::of(trace.span.unwrap_or_default()).zoomed(zoom, 0.37)
}

/// Reads 50 MB of Trace Event JSON, with all that is computed while loading.
#[divan::bench(sample_count = 5)]
fn parse_50_mb(bencher: Bencher) {
    let text = make::json(50_000_000);
    let bytes = divan::counter::BytesCount::new(text.len());
    bencher.counter(bytes).bench_local(|| open("trace.json", text.clone()));
}

/// The same out of an archive, whose checksum is computed beside.
#[divan::bench(sample_count = 5)]
fn parse_50_mb_in_a_zip(bencher: Bencher) {
    let text = make::json(50_000_000);
    let bytes = divan::counter::BytesCount::new(text.len());
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let method = zip::CompressionMethod::Deflated;
    let options = zip::write::SimpleFileOptions::default().compression_method(method);
    archive.start_file("trace.json", options).expect("an archive in memory");
    archive.write_all(&text).expect("an archive in memory");
    let packed = archive.finish().expect("an archive in memory").into_inner();
    bencher.counter(bytes).bench_local(|| open("trace.zip", packed.clone()));
}

/// The part of that which is the checksum.
#[divan::bench(sample_count = 5)]
fn checksum_of_50_mb(bencher: Bencher) {
    let text = make::json(50_000_000);
    let bytes = divan::counter::BytesCount::new(text.len());
    bencher.counter(bytes).bench_local(|| {
        let mut crc = flate2::Crc::new();
        crc.update(black_box(&text));
        crc.sum()
    });
}

#[divan::bench(args = MILLIONS, sample_count = 3)]
fn derive(bencher: Bencher, millions: u64) {
    let Made { trace, .. } = made(millions);
    bencher.bench_local(|| {
        let mut derived = Derived::default();
        derived.extend_all(trace);
        derived.finish_all(trace);
        derived
    });
}

/// All lanes of all tracks.
#[divan::bench(args = MILLIONS, sample_count = 20)]
fn cut_whole_1280(bencher: Bencher, millions: u64) {
    cut(bencher, millions, 1.0);
}

#[divan::bench(args = MILLIONS, sample_count = 20)]
fn cut_16x_1280(bencher: Bencher, millions: u64) {
    cut(bencher, millions, 16.0);
}

#[divan::bench(args = MILLIONS, sample_count = 20)]
fn cut_1000x_1280(bencher: Bencher, millions: u64) {
    cut(bencher, millions, 1000.0);
}

fn cut(bencher: Bencher, millions: u64, zoom: f64) {
    let Made { trace, derived } = made(millions);
    let mut pieces = Vec::new();
    let mut shift = 0.0;
    bencher.bench_local(|| {
        // Another window each time, as when panning.
        shift += 1.7;
        let window = window(trace, zoom);
        let window = window.moved(window.dur * shift / 1280.0);
        let mut looks = 0;
        for (id, track) in trace.tracks.iter() {
            let lanes = derived.timeline.track(id);
            for lane in 0..lanes.len() {
                pieces.clear();
                looks += lanes.cut(&track.slices, lane, &window, 1280, &mut pieces);
                black_box(&pieces);
            }
        }
        looks
    });
}

#[divan::bench(args = MILLIONS, sample_count = 20)]
fn draw_1280(bencher: Bencher, millions: u64) {
    frame(bencher, millions, Size { w: 1280.0, h: 720.0 }, 1.0);
}

#[divan::bench(args = MILLIONS, sample_count = 20)]
fn draw_1920(bencher: Bencher, millions: u64) {
    frame(bencher, millions, Size { w: 1920.0, h: 1080.0 }, 1.0);
}

#[divan::bench(args = MILLIONS, sample_count = 20)]
fn draw_100x_1920(bencher: Bencher, millions: u64) {
    frame(bencher, millions, Size { w: 1920.0, h: 1080.0 }, 100.0);
}

fn frame(bencher: Bencher, millions: u64, size: Size, zoom: f64) {
    let Made { trace, derived } = made(millions);
    let palette = Palette::default();
    let on = TimelineInput { trace, timeline: &derived.timeline, palette: &palette };
    let mut shift = 0.0;
    bencher.bench_local(|| {
        shift += 1.7;
        let window = window(trace, zoom);
        let window = window.moved(window.dur * shift / f64::from(size.w));
        let frame = Frame { ratio: 1.0, folding: Folding::Open, ..Frame::default() };
        let setting = Setting { window, frame, ..Setting::default() };
        let layout = Layout::new(trace, on.timeline, &setting);
        draw(on, &setting, &layout, size)
    });
}

#[divan::bench(args = MILLIONS, sample_count = 3)]
fn search_one_name(bencher: Bencher, millions: u64) {
    search(bencher, millions, "instruction_7");
}

#[divan::bench(args = MILLIONS, sample_count = 3)]
fn search_all_names(bencher: Bencher, millions: u64) {
    search(bencher, millions, "i");
}

fn search(bencher: Bencher, millions: u64, text: &str) {
    let Made { trace, derived } = made(millions);
    let wanted = SearchQuery { text: text.to_owned(), ..SearchQuery::default() };
    bencher.bench_local(|| Found::search(trace, &derived.timeline, &wanted));
}

#[divan::bench(args = MILLIONS, sample_count = 3)]
fn sums_whole(bencher: Bencher, millions: u64) {
    sums(bencher, millions, 1);
}

#[divan::bench(args = MILLIONS, sample_count = 3)]
fn sums_tenth(bencher: Bencher, millions: u64) {
    sums(bencher, millions, 10);
}

/// All tracks, in one part of the time.
fn sums(bencher: Bencher, millions: u64, part: i64) {
    let Made { trace, derived } = made(millions);
    let tracks: Vec<_> = trace.tracks.shown().iter().map(|&id| (id, None)).collect();
    let whole = trace.span.unwrap_or_default();
    let range = Span::new(whole.start, whole.start + whole.dur() / part);
    bencher.bench_local(|| summarize(trace, &derived.timeline, &tracks, range));
}

/// The call tree of everything.
#[divan::bench(args = MILLIONS, sample_count = 3)]
fn flame_whole(bencher: Bencher, millions: u64) {
    area(bencher, millions, |scope| flame::flame(scope).frames.len());
}

/// Which tracks are busy at the same time.
#[divan::bench(args = MILLIONS, sample_count = 3)]
fn overlap_whole(bencher: Bencher, millions: u64) {
    area(bencher, millions, |scope| overlap::overlap(scope, Work::new(false)).n_left_out);
}

/// All gaps, the longest kept.
#[divan::bench(args = MILLIONS, sample_count = 3)]
fn gaps_whole(bencher: Bencher, millions: u64) {
    area(bencher, millions, |scope| {
        let work = Work::new(false);
        let tracks = scope.tracks.to_vec();
        let mut finding = gaps::Finding::longest(tracks, scope.span, work, gaps::MAX_LISTED);
        while finding.step(scope.trace, scope.timeline) {}
        finding.finish().listed.len()
    });
}

fn area(bencher: Bencher, millions: u64, work: impl Fn(Scope) -> usize) {
    let Made { trace, derived } = made(millions);
    let tracks: Vec<_> = trace.tracks.shown().iter().map(|&id| (id, None)).collect();
    let span = trace.span.unwrap_or_default();
    let scope = Scope { trace, timeline: &derived.timeline, tracks: &tracks, span };
    bencher.bench_local(|| work(scope));
}
