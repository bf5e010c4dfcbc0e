//! The timeline draws each slice where and as it should, in both themes.

use std::time::{Duration, Instant};

use lanescope_browser::screen::{Color, Point, Rect};
use lanescope_browser::{Outcome, Page, journey, traces};
use serde_json::json;

#[test]
fn a_slice_stands_where_its_times_say_in_its_color_and_is_named() {
    journey(async |page| {
        for theme in ["light", "dark"] {
            page.open(&format!("?{theme}#view=timeline&window=0,1000000&theme={theme}")).await?;
            page.drop_file(&traces::known("known.json")?).await?;
            page.wait_state("ready", 20).await?;
            let (slice, beside) = (place(page, "second", 0.563).await?, place(page, "second", 0.237).await?);
            let ground = page.token("--s0").await?;
            let color = drawn(page, slice, ground).await?;
            assert!(slice_colors(page).await?.contains(&color), "{color:?} is no slice color of {theme}");
            assert_eq!(page.pixel(beside).await?, ground, "the lane is empty there");
            let whole = page.pixel(place(page, "first", 0.237).await?).await?;
            assert!(slice_colors(page).await?.contains(&whole), "{whole:?} is no slice color of {theme}");
            page.hover(slice).await?;
            let tip = page.tooltip_text().await?;
            assert!(tip.contains("middle") && tip.contains("200"), "{tip}");
            assert_eq!(page.background("[role=tooltip] .swatch").await?, color);
        }
        Ok(())
    });
}

/// The place of a moment, as a share of the window, on the row of a track.
async fn place(page: &Page, track: &str, share: f64) -> Outcome<Point> {
    let find = "const head = [...document.querySelectorAll('[role=tree] [role=treeitem]')]
            .find(head => head.innerText.includes(arguments[0]));
        return head?.getBoundingClientRect().toJSON() ?? null";
    page.until("the heads of the tracks", 10, "document.querySelector('[role=tree] [role=treeitem]')")
        .await?;
    let row: Option<Rect> = page.js(find, &[json!(track)]).await?;
    let row = row.ok_or_else(|| format!("no head names {track}"))?;
    let canvas = page.biggest_canvas().await?;
    Ok(Point { x: canvas.x + canvas.width * share, y: row.middle().y })
}

/// The color of a place, once something is drawn there.
async fn drawn(page: &Page, at: Point, ground: Color) -> Outcome<Color> {
    let began = Instant::now();
    loop {
        let color = page.pixel(at).await?;
        if color != ground || Duration::from_secs(5) < began.elapsed() {
            return Ok(color);
        }
    }
}

/// The twelve colors of slices in the theme shown.
async fn slice_colors(page: &Page) -> Outcome<Vec<Color>> {
    let mut colors = Vec::new();
    for n in 1..=12 {
        colors.push(page.token(&format!("--p{n}")).await?);
    }
    Ok(colors)
}
