//! Warms the program up while it waits: browsers compile a function when it is first called, and anew and better when
//! it was called often. A small trace that nobody sees is read and drawn, so that a real one finds all that done. The
//! compiled code belongs to the module: later workers have it too.

use super::Surface;
use crate::analysis::device::Options as DeviceOptions;
use crate::analysis::rows::Only;
use crate::analysis::statistics::Options;
use crate::base::geometry::Size;
use crate::base::window::Window;
use crate::document::Document;
use crate::engine::Need;
use crate::input::unpack::MemoryStore;
use crate::input::{Entry, Memory};
use crate::scene::palette::Palette;
use crate::scene::table::{Order, PageRequest};
use crate::systems;
use crate::views::Part;
use crate::views::overview::messages::{EvidencePicture, OverviewQuery};
use crate::views::timeline::messages as timeline;
use crate::views::timeline::messages::Area;
use crate::wire::rows::{RowsQuery, Source};
use crate::wire::{Ask, Query, pack};
use std::collections::VecDeque;
use std::fmt::Write;
use std::rc::Rc;

/// How many slices the trace has: enough for the browser to compile well what reads and arranges them.
const SLICES: u32 = 4_000;
/// How long after that the first questions are asked, if still nothing is open.
const LATER_MS: u32 = 800;
/// Ticks of the trace for each of them.
const TICKS: f64 = 100e3 / 32.0;
/// How many windows each picture is drawn in: enough for the browser to compile well what draws.
const WINDOWS: u32 = 8;
/// Pictures that are drawn.
const PICTURES: [timeline::Picture; 2] = [timeline::Picture::Rows, timeline::Picture::Overview];
/// Findings of the trace by rule and subject: lanes beside each other, and bars.
const EVIDENCE: [[&str; 2]; 2] = [["device-launched-late", ""], ["device-hottest-kernel", "kernel 0"]];
/// Size of pictures.
const SIZE: Size = Size { w: 1280.0, h: 640.0 };

/// Does it, unless a document came first.
pub(super) fn up() {
    wasm_bindgen_futures::spawn_local(async {
        super::load_views([Part::Timeline]).await;
        for &row in systems::with_core() {
            super::load_systems(row).await;
        }
        if super::with(|state| state.document.is_none()) {
            let source = Rc::new(Memory(text().into_bytes()));
            let mut document = open(source);
            let canvas = web_sys::OffscreenCanvas::new(SIZE.w as u32, SIZE.h as u32).ok();
            let Some(mut surface) = canvas.and_then(Surface::new) else { return };
            let palette = Palette::default();
            let turns = super::Turns::new();
            for picture in PICTURES {
                for parts in 1..=WINDOWS {
                    let window = Some(Window::new(0, 0.0, f64::from(SLICES) * TICKS / f64::from(parts)));
                    let frame = timeline::Frame { picture, window, ratio: 1.0, ..timeline::Frame::default() };
                    let (scene, _) = document.draw(&frame, SIZE, &palette);
                    surface.show(&scene, &palette, 1.0);
                    turns.give_way().await;
                    if super::with(|state| state.document.is_some()) {
                        return;
                    }
                }
            }
            // Whoever has a file at hand drops it at once: that comes first.
            gloo::timers::callback::Timeout::new(LATER_MS, || {
                wasm_bindgen_futures::spawn_local(async {
                    if super::with(|state| state.document.is_none()) {
                        super::load_views([Part::Overview, Part::Figures]).await;
                        ask(document, VecDeque::from(first_questions()), EVIDENCE.to_vec());
                    }
                });
            })
            .forget();
        }
    });
}

/// Asks what the views of a trace ask first, one question after the other and each in steps, then for pictures of evidence;
/// a document that comes meanwhile is not kept waiting.
fn ask(mut document: Document, mut questions: VecDeque<Query>, mut pictures: Vec<[&'static str; 2]>) {
    if questions.is_empty() && pictures.is_empty() {
        return;
    }
    gloo::timers::callback::Timeout::new(0, move || {
        if super::with(|state| state.document.is_some()) {
            return;
        }
        if let Some(query) = questions.pop_front_if(|query| document.prepare_query(query)) {
            let (answer, _) = document.query(&query);
            // What is written here is read by the page.
            drop(pack(&answer));
        } else if questions.is_empty()
            && let Some([rule, subject]) = pictures.pop()
        {
            let picture = EvidencePicture { rule: rule.to_owned(), subject: subject.to_owned() };
            drop(document.draw(&picture, SIZE, &Palette::default()));
        }
        ask(document, questions, pictures);
    })
    .forget();
}

/// Opens the trace as a file is opened, shown while it grows.
fn open(source: Rc<Memory>) -> Document {
    let entry = Entry { path: "warm.json".to_owned(), source: source.clone() };
    let mut document = Document::new(vec![entry], Box::new(MemoryStore::default()));
    loop {
        match document.step() {
            Need::Again => {}
            Need::Ready | Need::Failed => return document,
            Need::Part(part) => document.go_without(part), // what is beside comes with a file
            Need::Stream { .. } => {
                for piece in source.0.chunks(1 << 16) {
                    document.feed(piece);
                    document.grow();
                }
            }
        }
    }
}

/// Slices nested in each other on some threads, with arguments; kernels of a stream, and what leads to them.
fn text() -> String {
    let mut text = String::from("{\"traceEvents\": [\n");
    for i in 0..SLICES {
        let (thread, at) = (i % 8, i / 32 * 100 + i / 8 % 4);
        let _ = writeln!(
            text,
            r#"{{"name": "slice {}", "ph": "X", "pid": {}, "tid": "thread {thread}", "ts": {at}.{:03}, "dur": {}.5, "cat": "c", "args": {{"line": {i}, "of": "a kernel"}}}},"#,
            i % 50,
            thread / 4,
            i % 1000,
            90 - i / 8 % 4 * 20,
        );
        if thread == 0 {
            let begin =
                format!(r#""pid": 0, "tid": "thread 0", "ts": {at}.500, "id": {i}, "cat": "f", "name": "f""#);
            let end = format!(r#""pid": 2, "tid": "stream 7", "ts": {}.000"#, at + 40);
            let _ = writeln!(
                text,
                r#"{{"name": "kernel {}", "ph": "X", {end}, "dur": 9.5, "cat": "kernel"}},
                {{"ph": "s", {begin}}}, {{"ph": "f", "bp": "e", {end}, "id": {i}, "cat": "f", "name": "f"}},"#,
                i % 9,
            );
        }
    }
    text
}

/// What the views of a trace with host and device ask first: mostly rows.
fn first_questions() -> Vec<Query> {
    let order = Some(Order { column: 1, is_descending: true });
    let wanted = PageRequest { order, n: 50, ..PageRequest::default() };
    let rows = |source| Query::Rows(RowsQuery { table: 0, source, wanted: wanted.clone() });
    let (of_device, area) = (DeviceOptions::default(), Area::default());
    vec![
        rows(Source::Statistics(Options::default())),
        of_device.query(),
        rows(Source::KernelSums(of_device.clone())),
        rows(Source::Operators(of_device)),
        rows(Source::Sums(area.clone())),
        rows(Source::Slices { area, only: Only::default() }),
        OverviewQuery::Findings { known: u32::MAX }.query(),
        Query::Report,
    ]
}
