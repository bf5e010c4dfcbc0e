//! Memory after many opens, closes and gestures is what it was after few. `LANESCOPE_SOAK=500` makes it 500 opens and
//! twenty gestures for each.

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
async fn held(page: &Page) -> Outcome<[f64; 4]> {
    // Twice: what a finalizer lets go of is collected the second time.
    for _ in 0..2 {
        page.devtools("HeapProfiler.collectGarbage", json!({})).await?;
    }
    let heap = page.devtools("Runtime.getHeapUsage", json!({})).await?;
    let counted = page.devtools("Memory.getDOMCounters", json!({})).await?;
    let number = |of: &serde_json::Value, name: &str| of[name].as_f64().unwrap_or(0.0);
    let bytes = number(&heap, "usedSize") + number(&heap, "backingStorageSize");
    let of_program: f64 = page.js("return programMemory.buffer.byteLength", &[]).await?;
    Ok([bytes, of_program, number(&counted, "nodes"), number(&counted, "jsEventListeners")])
}

/// Opens a sample in the page that is there, moves through its timeline, and closes it.
async fn once(page: &Page, sample: usize) -> Outcome {
    let samples = "[...document.querySelectorAll('[data-sample]')]";
    page.until("the samples are offered", 30, &format!("{samples}.some(one => one.checkVisibility())"))
        .await?;
    page.js::<()>(
        &format!("const all = {samples}; all[arguments[0] % all.length].click(); return null"),
        &[json!(sample)],
    )
    .await?;
    page.wait_state("ready", 60).await?;
    page.js::<()>("document.getElementById('tab-timeline')?.click(); return null", &[]).await?;
    let gestures = "const done = arguments[0];
        let n = 0;
        const turn = () => {
            const canvas = [...document.querySelectorAll('canvas')].sort((a, b) => b.clientWidth * b.clientHeight - a.clientWidth * a.clientHeight)[0];
            const rect = canvas?.getBoundingClientRect();
            canvas?.dispatchEvent(new WheelEvent('wheel', { bubbles: true, cancelable: true, ctrlKey: true,
                deltaY: n % 2 ? 40 : -40, clientX: rect.x + rect.width / 2, clientY: rect.y + rect.height / 2 }));
            if (++n < 20) requestAnimationFrame(turn); else done(null);
        };
        requestAnimationFrame(turn)";
    page.when_done::<()>(gestures, &[]).await?;
    page.js::<()>("document.querySelector('[data-action=close-document]').click(); return null", &[]).await?;
    page.wait_state("idle", 30).await
}

/// After so many opens it is measured; the first measure is what all others are held against.
const MARKS: [usize; 6] = [5, 20, 50, 100, 250, 500];

/// Workers that were made and have not been ended: the spare one, and one for each document that is open.
const ALIVE: &str = "window.nAlive = 0;
    window.Worker = class extends Worker {
        constructor(...args) { super(...args); window.nAlive++; }
        terminate() { if (!this.isEnded) window.nAlive--; this.isEnded = true; super.terminate(); }
    };";

#[test]
fn memory_after_many_opens_is_that_after_few() {
    let n: usize = std::env::var("LANESCOPE_SOAK").ok().and_then(|n| n.parse().ok()).unwrap_or(20);
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
        let (mut few, mut many) = (None, [0.0; 4]);
        for at in 1..=n.max(20) {
            once(page, at).await?;
            if !MARKS.contains(&at) {
                continue;
            }
            many = held(page).await?;
            let n_workers: u32 = page.js("return nAlive", &[]).await?;
            println!("after {at} opens: {many:?}, {n_workers} workers");
            assert!(n_workers <= 1, "{n_workers} workers live with nothing open");
            few.get_or_insert(many);
        }
        for (few, many) in few.unwrap_or(many).into_iter().zip(many) {
            assert!(many <= few * 1.1 + 400.0, "after 5 opens {few}, after {n} {many}");
        }
        Ok(())
    });
}
