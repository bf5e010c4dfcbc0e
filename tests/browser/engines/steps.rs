//! What is done with a profile, whichever it is.

use lanescope_browser::pointer::CTRL;
use lanescope_browser::screen::{Color, Point, Screen};
use lanescope_browser::{Outcome, Page};
use serde_json::json;

/// Words or a picture in the view that is shown, and nothing that could not be loaded.
const SHOWN: &str =
    "(view => view?.checkVisibility() && (view.querySelector('canvas, svg') || 20 < view.innerText.length)
    && !view.querySelector('[data-action=load-again]'))";

/// Keeps what is saved instead of downloading it.
const KEEP: &str = "window.saved = [];
    const own = URL.createObjectURL;
    URL.createObjectURL = blob => { window.saved.push(blob); return own.call(URL, blob); };
    HTMLAnchorElement.prototype.click = function () { window.savedName = this.download; };
    return null";

/// The profile is read, and the view that comes first has tiles with figures.
pub(crate) async fn first_pictures(page: &Page) -> Outcome {
    page.wait_state("ready", 60).await?;
    page.until("figures of the overview", 60, "document.querySelector('.overview__tile')").await?;
    let panel = "document.getElementById(document.querySelector('.page__tabs [aria-selected=true]').getAttribute('aria-controls'))";
    page.until("pictures of the overview", 60, &format!("{panel}.querySelector('svg, canvas')")).await
}

/// Goes through all views: each shows something.
pub(crate) async fn views(page: &Page) -> Outcome {
    let tabs = "return [...document.querySelectorAll('.page__tabs [role=tab]')].map(tab => tab.id)";
    let tabs: Vec<String> = page.js(tabs, &[]).await?;
    assert!(4 <= tabs.len(), "{tabs:?}");
    for tab in &tabs {
        press(page, tab).await?;
        let panel = format!(
            "document.getElementById(document.getElementById('{tab}').getAttribute('aria-controls'))"
        );
        page.until(&format!("what {tab} shows"), 30, &format!("{SHOWN}({panel})")).await?;
    }
    Ok(())
}

async fn press(page: &Page, tab: &str) -> Outcome {
    page.js("document.getElementById(arguments[0]).click(); return null", &[json!(tab)]).await
}

/// Shows the timeline, and waits until slices are drawn.
pub(crate) async fn to_timeline(page: &Page) -> Outcome {
    press(page, "tab-timeline").await?;
    page.until("the heads", 30, "document.querySelector('[role=tree] [role=treeitem]')").await
}

/// Clicks a slice: its details are shown.
pub(crate) async fn select(page: &Page) -> Outcome {
    for _ in 0..100 {
        let Some(at) = a_slice(page).await? else { continue };
        page.click(at).await?;
        return page.until("details of the slice", 10, "document.querySelector('.detail__title')").await;
    }
    Err("no slice is drawn".into())
}

/// The middle of the first slice that can be hit: some pixels of one of the colors of slices, below the ruler.
async fn a_slice(page: &Page) -> Outcome<Option<Point>> {
    let canvas = page.biggest_canvas().await?;
    let mut colors: Vec<Color> = Vec::new();
    for n in 1..=12 {
        colors.push(page.token(&format!("--p{n}")).await?);
    }
    let screen = page.screen().await?;
    let (columns, rows) = (canvas.width as u32 / 4, canvas.height as u32 / 4);
    for (row, column) in (12..rows).flat_map(|row| (2..columns).map(move |column| (row, column))) {
        let at = Point { x: canvas.x + f64::from(column * 4), y: canvas.y + f64::from(row * 4) };
        if is_slice(&screen, at, &colors) {
            return Ok(Some(at));
        }
    }
    Ok(None)
}

fn is_slice(screen: &Screen, at: Point, colors: &[Color]) -> bool {
    let near = [(0.0, 0.0), (-3.0, 0.0), (3.0, 0.0), (0.0, -4.0), (0.0, 4.0)];
    let mut all = near.iter().map(|(x, y)| screen.pixel(Point { x: at.x + x, y: at.y + y }).ok());
    let Some(Some(first)) = all.next() else { return false };
    colors.contains(&first) && all.all(|color| color == Some(first))
}

/// Zooms by the wheel, where the driver can, and by a key; what is shown is another window each time.
pub(crate) async fn zoom(page: &Page) -> Outcome {
    let canvas = page.biggest_canvas().await?;
    if page.engine.turns_wheel_with_keys() {
        zoomed(page, async || page.wheel(canvas.middle(), -100.0, CTRL).await).await?;
    }
    page.hover(canvas.middle()).await?;
    zoomed(page, async || page.press("w", 0).await).await
}

/// Does something, and waits until a part of what was seen before is shown.
async fn zoomed(page: &Page, deed: impl AsyncFnOnce() -> Outcome) -> Outcome {
    const WINDOW: &str = "(new URLSearchParams(location.hash.slice(1)).get('window') ?? '')";
    let before: String = page.js(&format!("return {WINDOW}"), &[]).await?;
    deed().await?;
    let len = |window: &str| window.rsplit(',').next().and_then(|text| text.parse::<f64>().ok());
    page.until("another window", 10, &format!("{WINDOW} !== '{before}'")).await?;
    let after: String = page.js(&format!("return {WINDOW}"), &[]).await?;
    let is_part = len(&after) < len(&before).or(Some(f64::INFINITY));
    if is_part { Ok(()) } else { Err(format!("window {after} after {before}").into()) }
}

/// Saves all slices as CSV and the picture of the timeline as PNG.
pub(crate) async fn export(page: &Page) -> Outcome {
    page.js::<()>(KEEP, &[]).await?;
    let (name, bytes) = saved(page, "slices-csv").await?;
    assert!(name.ends_with(".slices.csv"), "{name}");
    let text = String::from_utf8(bytes)?;
    assert!(text.starts_with("track_path,name,start_ns,duration_ns,depth,category,unfinished\n"), "{text}");
    assert!(3 < text.lines().count(), "{text}");
    let (name, bytes) = saved(page, "Visible timeline as PNG").await?;
    assert!(name.ends_with(".png") && bytes.starts_with(b"\x89PNG\r\n\x1a\n"), "{name}");
    // What is in it was drawn by another canvas than that of the page.
    let picture = Screen::from_png(&bytes)?;
    let n_colors = picture.colors().len();
    assert!(4 < n_colors, "{n_colors} colors");
    Ok(())
}

/// Chooses an export in the menu: name and bytes of the file.
async fn saved(page: &Page, title: &str) -> Outcome<(String, Vec<u8>)> {
    page.js::<()>("window.savedName = undefined; return null", &[]).await?;
    page.click_on("#top-export").await?;
    let row = format!(
        "[...document.querySelectorAll('.menu__row')].find(row => row.innerText.includes('{title}'))"
    );
    page.until("the menu", 5, &row).await?;
    page.js::<()>(&format!("{row}.click(); return null"), &[]).await?;
    page.until(&format!("{title} is saved"), 30, "window.savedName").await?;
    let name = page.js("return window.savedName", &[]).await?;
    let read = "const done = arguments[arguments.length - 1];
        window.saved.at(-1).arrayBuffer().then(bytes => done(Array.from(new Uint8Array(bytes))))";
    Ok((name, page.when_done(read, &[]).await?))
}

/// Both profiles are open: the bar names them, their lanes lie below each other, and names are told apart.
pub(crate) async fn compared(page: &Page) -> Outcome {
    page.wait_state("ready", 60).await?;
    page.until("the bar", 30, "document.querySelector('.compare')").await?;
    page.until("two sets of lanes", 30, "document.querySelectorAll('.timeline__lanes').length === 2").await?;
    let rows =
        "document.querySelectorAll('[role=grid][aria-label=\"Difference by name\"] [role=row]').length";
    page.until("differences", 30, &format!("1 < {rows}")).await
}

/// Waits until the page and the samples are kept.
pub(crate) async fn until_kept(page: &Page) -> Outcome {
    page.until("it is kept", 120, "navigator.serviceWorker.controller?.state === 'activated'").await?;
    let body = "const done = arguments[arguments.length - 1];
        (async () => {
            const list = await (await fetch('samples/index.json')).json();
            const files = list.flatMap(sample => sample.files);
            for (;;) {
                const kept = await Promise.all(files.map(file => caches.match(new URL(`samples/${file}`, document.baseURI))));
                if (kept.every(file => file)) return done(null);
                await new Promise(later => setTimeout(later, 50));
            }
        })()";
    page.when_done(body, &[]).await
}
