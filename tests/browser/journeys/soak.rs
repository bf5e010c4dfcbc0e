//! Memory after many opens, closes and gestures is what it was after few. `LANESCOPE_SOAK=500` makes it 500 opens and
//! twenty gestures for each.

use lanescope_browser::{Outcome, Page, journey};
use serde_json::json;

/// Bytes that the page holds, and nodes and listeners of its documents, after what is left was collected.
async fn held(page: &Page) -> Outcome<[f64; 3]> {
    // Twice: what a finalizer lets go of is collected the second time.
    for _ in 0..2 {
        page.devtools("HeapProfiler.collectGarbage", json!({})).await?;
    }
    let heap = page.devtools("Runtime.getHeapUsage", json!({})).await?;
    let counted = page.devtools("Memory.getDOMCounters", json!({})).await?;
    let number = |of: &serde_json::Value, name: &str| of[name].as_f64().unwrap_or(0.0);
    let bytes = number(&heap, "usedSize") + number(&heap, "backingStorageSize");
    Ok([bytes, number(&counted, "nodes"), number(&counted, "jsEventListeners")])
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

#[test]
fn memory_after_many_opens_is_that_after_few() {
    let n: usize = std::env::var("LANESCOPE_SOAK").ok().and_then(|n| n.parse().ok()).unwrap_or(20);
    journey(async |page| {
        page.open("?soak").await?;
        for at in 0..10 {
            once(page, at).await?;
        }
        let few = held(page).await?;
        for at in 10..n.max(20) {
            once(page, at).await?;
        }
        let many = held(page).await?;
        println!("after 10 opens {few:?}, after {n} {many:?}");
        for (few, many) in few.into_iter().zip(many) {
            assert!(many <= few * 1.1 + 400.0, "after 10 opens {few}, after {n} {many}");
        }
        Ok(())
    });
}
