//! What other viewers drop, cut or let fall together is on the page, and the report tells what was odd about it.

use lanescope_browser::screen::Point;
use lanescope_browser::{Outcome, Page, journey, traces};

use crate::timeline::place;

#[test]
fn nothing_is_lost_of_crossing_tiny_and_unfinished_slices() {
    journey(async |page| {
        page.open("#view=timeline&window=0,1000000000").await?;
        page.drop_file(&traces::written("odd.json", traces::ODD)?).await?;
        page.wait_state("ready", 20).await?;
        // Two that cross have a lane each; the one that touches stands behind the first.
        for (share, lane, name) in
            [(0.15, 0, "left"), (0.35, 0, "left"), (0.35, 1, "right"), (0.65, 0, "touching")]
        {
            tells(page, lane_of(page, "crossing", share, lane, 2).await?, name).await?;
        }
        // One nanosecond in an empty second is seen, and told.
        let ground = page.token("--s0").await?;
        let blink = place(page, "lonely", 0.5).await?;
        let mut seen = Vec::new();
        for x in [-1.0, 0.0, 1.0] {
            seen.push(page.pixel(Point { x: blink.x + x, ..blink }).await?);
        }
        assert!(seen.iter().any(|color| *color != ground), "{seen:?} is all {ground:?}");
        tells(page, blink, "blink").await?;
        tells(page, place(page, "stubs", 0.7).await?, "nothing").await?;
        tells(page, place(page, "stubs", 0.9).await?, "unfinished").await?;
        tells(page, place(page, "pipe", 0.25).await?, "of text").await?;
        page.click_on("#tab-report").await?;
        for code in ["TEV-OPEN-FLOW", "TEV-ORPHAN-END", "TEV-OPEN-BEGIN"] {
            page.until(code, 5, &format!("document.querySelector('main').innerText.includes('{code}')"))
                .await?;
        }
        Ok(())
    });
}

#[test]
fn two_slices_a_nanosecond_apart_stay_two_in_the_time_of_an_epoch() {
    journey(async |page| {
        page.open("#view=timeline").await?;
        page.drop_file(&traces::written("epoch.json", traces::EPOCH)?).await?;
        page.wait_state("ready", 20).await?;
        for (share, name, start) in [(0.25, "one", "…000,001"), (0.75, "two", "…000,002")] {
            let at = place(page, "clock", share).await?;
            tells(page, at, name).await?;
            page.click(at).await?;
            let start = start.replace('…', "1,766,000,000,000,");
            page.until(
                &start,
                5,
                &format!("document.querySelector('.detail__slice').innerText.includes('{start}')"),
            )
            .await?;
        }
        Ok(())
    });
}

/// Waits until the tooltip of a place names a slice.
async fn tells(page: &Page, at: Point, name: &str) -> Outcome {
    page.hover(at).await?;
    let says = format!("document.querySelector('[role=tooltip]')?.innerText.includes('{name}')");
    page.until(&format!("{name} is told"), 5, &says).await
}

/// The place of a moment on one of the lanes of a track.
async fn lane_of(page: &Page, track: &str, share: f64, lane: u32, n_lanes: u32) -> Outcome<Point> {
    let middle = place(page, track, share).await?;
    let height = page
        .js::<f64>(
            "return [...document.querySelectorAll('[role=tree] [role=treeitem]')]
                .find(head => head.innerText.includes(arguments[0])).getBoundingClientRect().height",
            &[serde_json::json!(track)],
        )
        .await?;
    let from_middle = (f64::from(lane) + 0.5) / f64::from(n_lanes) - 0.5;
    Ok(Point { y: middle.y + height * from_middle, ..middle })
}
