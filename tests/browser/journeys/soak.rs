//! Memory after many opens, closes and gestures is what it was after few. `LANESCOPE_SOAK=500` makes it 500 opens and
//! twenty gestures for each.

use std::time::Duration;

use lanescope_browser::{Outcome, Page, journey};
use serde_json::json;

/// Keeps the memory of the page's program, which never shrinks: the first that is made.
const PROGRAM: &str = "for (const name of ['instantiate', 'instantiateStreaming']) {
        const make = WebAssembly[name];
        WebAssembly[name] = async (...args) => {
            const made = await make.apply(WebAssembly, args);
            window.programMemory ??= (made.instance ?? made).exports.memory;
            return made;
        };
    }";

/// Bytes that the page holds: those of scripts and of its program, and nodes and listeners of its documents, after what is left was collected.
async fn held(page: &Page) -> Outcome<[f64; 3]> {
    // Twice: what a finalizer lets go of is collected the second time.
    for _ in 0..2 {
        page.devtools("HeapProfiler.collectGarbage", json!({})).await?;
    }
    let heap = page.devtools("Runtime.getHeapUsage", json!({})).await?;
    let counted = page.devtools("Memory.getDOMCounters", json!({})).await?;
    let number = |of: &serde_json::Value, name: &str| of[name].as_f64().unwrap_or(0.0);
    let bytes = number(&heap, "usedSize") + number(&heap, "backingStorageSize");
    let of_program: f64 = page.js("return programMemory.buffer.byteLength", &[]).await?;
    println!("scripts hold {bytes} bytes, the program {of_program}");
    Ok([bytes + of_program, number(&counted, "nodes"), number(&counted, "jsEventListeners")])
}

/// Opens samples in the page that is there, moves through the timeline of each, and closes it. The page does all of it by
/// itself: what a driver is answered stays in the page's memory.
const MANY: &str = "const [from, to, done] = arguments;
    const root = document.documentElement;
    const until = what => new Promise(go => { const look = () => { const found = what(); found ? go(found) : setTimeout(look, 20); }; look(); });
    const area = canvas => canvas.clientWidth * canvas.clientHeight;
    const turn = n => {
        const canvas = [...document.querySelectorAll('canvas')].sort((a, b) => area(b) - area(a))[0];
        const rect = canvas?.getBoundingClientRect();
        canvas?.dispatchEvent(new WheelEvent('wheel', { bubbles: true, cancelable: true, ctrlKey: true,
            deltaY: n % 2 ? 40 : -40, clientX: rect.x + rect.width / 2, clientY: rect.y + rect.height / 2 }));
        return new Promise(requestAnimationFrame);
    };
    const once = async at => {
        const samples = () => { const all = [...document.querySelectorAll('[data-sample]')]; return all.some(one => one.checkVisibility()) && all; };
        const all = await until(samples);
        all[at % all.length].click();
        const state = await until(() => ['ready', 'failed'].find(state => root.dataset.lanescopeState === state));
        if (state === 'failed') throw `sample ${at % all.length} failed`;
        document.getElementById('tab-timeline')?.click();
        for (let n = 0; n < 20; n++) await turn(n);
        document.querySelector('[data-action=close-document]').click();
        await until(() => root.dataset.lanescopeState === 'idle');
    };
    (async () => { for (let at = from; at < to; at++) await once(at); })().then(() => done(null), error => done(String(error)))";

/// So many at a time, which a slow machine opens before the driver's patience ends: what it says to the page stays there.
const AT_A_TIME: usize = 25;

/// Opens and closes so many.
async fn open_many(page: &Page, from: usize, to: usize) -> Outcome {
    for at in (from..to).step_by(AT_A_TIME) {
        let said: Option<String> = page.when_done(MANY, &[json!(at), json!(to.min(at + AT_A_TIME))]).await?;
        assert_eq!(said, None);
    }
    Ok(())
}

/// After so many opens it is measured; the first measure is what all others are held against.
const MARKS: [usize; 6] = [5, 15, 50, 100, 250, 500];

/// The page forgets a closed document after a second.
const LET_GO: Duration = Duration::from_secs(3);

/// Workers that were made and have not been ended: the spare one, and one for each document that is open.
const ALIVE: &str = "window.nAlive = 0;
    window.Worker = class extends Worker {
        constructor(...args) { super(...args); window.nAlive++; }
        terminate() { if (!this.isEnded) window.nAlive--; this.isEnded = true; super.terminate(); }
    };";

#[test]
fn memory_after_many_opens_is_that_after_few() {
    let n: usize = std::env::var("LANESCOPE_SOAK").ok().and_then(|n| n.parse().ok()).unwrap_or(15);
    journey(async |page| {
        page.before_load(ALIVE).await?;
        page.before_load(PROGRAM).await?;
        page.open("?soak").await?;
        // What is fetched once and kept is there before anything is measured.
        page.until(
            "all parts",
            60,
            "performance.getEntriesByType('resource').some(entry => entry.name.includes('split_tables'))",
        )
        .await?;
        // Once each, so that no sample, and no part of the program, is there for the first time.
        let samples: usize = page.js("return document.querySelectorAll('[data-sample]').length", &[]).await?;
        open_many(page, 0, samples).await?;
        let (mut few, mut many, mut done) = (None, [0.0; 3], 0);
        for mark in MARKS.into_iter().filter(|mark| *mark <= n.max(15)) {
            open_many(page, samples + done, samples + mark).await?;
            done = mark;
            // What a closed document leaves goes a moment later.
            tokio::time::sleep(LET_GO).await;
            many = held(page).await?;
            let n_workers: u32 = page.js("return nAlive", &[]).await?;
            println!("after {mark} opens: {many:?}, {n_workers} workers");
            assert!(n_workers <= 1, "{n_workers} workers live with nothing open");
            few.get_or_insert(many);
        }
        for (few, many) in few.unwrap_or(many).into_iter().zip(many) {
            assert!(many <= few * 1.1 + 400.0, "after 5 opens {few}, after {done} {many}");
        }
        Ok(())
    });
}
