//! The parts, each some times, with the median and the shortest time in milliseconds.

use crate::make::{Made, json, made};
use crate::pen::{Options, Pen};
use crate::runs;
use lanescope::analysis::Derived;
use lanescope::base::geometry::Size;
use lanescope::base::time::Window;
use lanescope::document::Document;
use lanescope::engine::Need;
use lanescope::input::Entry;
use lanescope::input::Memory;
use lanescope::input::limits;
use lanescope::input::unpack::MemoryStore;
use lanescope::scene::palette::Palette;
use lanescope::views::timeline::scene::layout::Layout;
use lanescope::views::timeline::scene::{Folding, Frame, Setting, TimelineInput, draw};
use std::hint::black_box;
use std::rc::Rc;

/// Bytes of the trace that is read.
const BYTES: usize = 50_000_000;

/// Runs every part and prints a line for each.
pub(crate) fn all() {
    for foreign in [0.98, 0.9, 0.5] {
        let options = Options { bytes: Some(BYTES as u64), foreign, ..Options::default() };
        systrace(&format!("open_systrace of 50 MB, {foreign} of the rows foreign"), options);
    }
    for thousands in [250, 500, 1000] {
        let options = Options { rows: thousands * 1000, runs: Some(1), foreign: 0.2, ..Options::default() };
        systrace(&format!("open_systrace of one run with {thousands}000 rows"), options);
    }
    let source = Rc::new(Memory(json(BYTES)));
    let parse = measure("parse_50_mb (with all that is computed while loading)", 9, || open(&source));
    print(&format!("  {:.0} MB/s", BYTES as f64 / 1e3 / parse));
    for millions in [1, 5, 20] {
        let Made { trace, derived } = made(millions);
        measure(&format!("derive {millions} M"), 3, || {
            let mut derived = Derived::default();
            derived.extend_all(trace);
            derived.finish_all(trace);
            black_box(derived.timeline.bytes());
        });
        let window = |zoom: f64, shift: f64| {
            let window = Window::of(trace.span.unwrap_or_default()).zoomed(zoom, 0.37);
            window.moved(window.dur * shift / 1280.0)
        };
        for zoom in [1.0, 100.0] {
            let (palette, mut shift) = (Palette::default(), 0.0);
            let on = TimelineInput { trace, timeline: &derived.timeline, palette: &palette };
            measure(&format!("draw_1280 {millions} M, {zoom} x"), 20, || {
                shift += 1.7; // another window each time, as when panning
                let window = window(zoom, shift);
                let frame = Frame { ratio: 1.0, folding: Folding::Open, ..Frame::default() };
                let setting = Setting { window, frame, ..Setting::default() };
                let layout = Layout::new(trace, on.timeline, &setting);
                black_box(draw(on, &setting, &layout, Size { w: 1280.0, h: 720.0 }));
            });
            let (mut shift, mut pieces) = (0.0, Vec::new());
            measure(&format!("cut_1280 {millions} M, {zoom} x, all lanes"), 20, || {
                shift += 1.7;
                let window = window(zoom, shift);
                for (id, track) in trace.tracks.iter() {
                    let lanes = derived.timeline.track(id);
                    for lane in 0..lanes.len() {
                        pieces.clear();
                        lanes.cut(&track.slices, lane, &window, 1280, &mut pieces);
                        black_box(&pieces);
                    }
                }
            });
        }
    }
}

/// Opens a systrace of Android's NNAPI.
fn systrace(name: &str, options: Options) {
    let mut out = Vec::new();
    if runs::write(&mut Pen::new(&mut out, options)).is_ok() {
        let source = Rc::new(Memory(out));
        let millis = measure(name, 3, || open(&source));
        print(&format!("  {:.0} MB/s", source.0.len() as f64 / 1e3 / millis));
    }
}

/// Opens the trace in pieces as the browser hands them over.
fn open(source: &Rc<Memory>) {
    let entry = Entry { path: "trace.json".to_owned(), source: source.clone() };
    let mut document = Document::new(vec![entry], Box::new(MemoryStore::default()));
    loop {
        match document.step() {
            Need::Again => {}
            Need::Ready | Need::Failed => break,
            Need::Stream { .. } => {
                source.0.chunks(limits::CHUNK).take_while(|chunk| document.feed(chunk)).for_each(drop);
            }
        }
    }
    black_box(document.head().contents.slices);
}

/// Does it so many times, after once more to warm up; the median in milliseconds.
fn measure(name: &str, times: usize, mut work: impl FnMut()) -> f64 {
    work();
    let mut millis: Vec<f64> = (0..times)
        .map(|_| {
            let began = now();
            work();
            now() - began
        })
        .collect();
    millis.sort_by(f64::total_cmp);
    print(&format!("{name}: {:.2} ms, at best {:.2}", millis[times / 2], millis[0]));
    millis[times / 2]
}

fn print(line: &str) {
    web_sys::console::log_1(&line.into());
}

fn now() -> f64 {
    let performance = js_sys::Reflect::get(&js_sys::global(), &"performance".into());
    performance.map_or(0.0, |p| wasm_bindgen::JsCast::unchecked_into::<web_sys::Performance>(p).now())
}
