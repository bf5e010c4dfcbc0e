//! What is done with a profile, whichever it is.

use lanescope_browser::journey::left_out;
use lanescope_browser::pointer::CTRL;
use lanescope_browser::screen::{Point, Screen};
use lanescope_browser::{Outcome, Page};

use crate::stage::{Stage, TIMELINE};

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
    page.activate(&format!("#{tab}")).await
}

/// Shows the view, and waits until it is built.
pub(crate) async fn to_stage(page: &Page, stage: &Stage) -> Outcome {
    press(page, stage.tab).await?;
    page.until("the view", 30, stage.built).await
}

/// Clicks something: its details are shown.
pub(crate) async fn select(page: &Page, stage: &Stage) -> Outcome {
    for _ in 0..100 {
        let Some(at) = something(page, stage.top).await? else { continue };
        page.click(at).await?;
        return page.until("details of what was clicked", 10, stage.detail).await;
    }
    Err("nothing is drawn".into())
}

/// A point of the first thing that can be hit, so many pixels below the top of the picture: some pixels of one color.
async fn something(page: &Page, top: u32) -> Outcome<Option<Point>> {
    let canvas = page.biggest_canvas().await?;
    let screen = page.screen().await?;
    let (columns, rows) = (canvas.width as u32 / 4, canvas.height as u32 / 4);
    for (row, column) in (top / 4 + 1..rows).flat_map(|row| (2..columns).map(move |column| (row, column))) {
        let at = Point { x: canvas.x + f64::from(column * 4), y: canvas.y + f64::from(row * 4) };
        if is_something(&screen, at) {
            return Ok(Some(at));
        }
    }
    Ok(None)
}

/// Whether all around has one color that is no shade of gray, as sums and the ground are.
fn is_something(screen: &Screen, at: Point) -> bool {
    let near = [(0.0, 0.0), (-3.0, 0.0), (3.0, 0.0), (0.0, -4.0), (0.0, 4.0)];
    let mut all = near.iter().map(|(x, y)| screen.pixel(Point { x: at.x + x, y: at.y + y }).ok());
    let Some(Some(first)) = all.next() else { return false };
    let has_color = first.iter().min().map(|least| least.saturating_add(30)) < first.iter().max().copied();
    has_color && all.all(|color| color == Some(first))
}

/// Zooms by the wheel, where the driver can, and by a key; less is shown each time.
pub(crate) async fn zoom(page: &Page, stage: &Stage) -> Outcome {
    let canvas = page.biggest_canvas().await?;
    if page.engine.turns_wheel_with_keys() {
        zoomed(page, stage, async || page.wheel(canvas.middle(), -100.0, CTRL).await).await?;
    } else {
        left_out("zooming by the wheel, which the driver does not turn while a key is held");
    }
    page.hover(canvas.middle()).await?;
    zoomed(page, stage, async || page.press("w", 0).await).await
}

/// Does something, and waits until a part of what was seen before is shown.
async fn zoomed(page: &Page, stage: &Stage, deed: impl AsyncFnOnce() -> Outcome) -> Outcome {
    let width = stage.width;
    let before: f64 = page.js(&format!("return {width}"), &[]).await?;
    deed().await?;
    page.until("less is shown", 10, &format!("{width} < {before:e}")).await
}

/// Saves rows as CSV and the picture as PNG.
pub(crate) async fn export(page: &Page, stage: &Stage) -> Outcome {
    page.js::<()>(KEEP, &[]).await?;
    let [title, end, head] = stage.csv;
    let (name, bytes) = saved(page, title).await?;
    assert!(name.ends_with(end), "{name}");
    let text = String::from_utf8(bytes)?;
    assert!(text.starts_with(head), "{text}");
    assert!(3 < text.lines().count(), "{text}");
    let (name, bytes) = saved(page, stage.png).await?;
    assert!(name.rsplit('.').next() == Some("png") && bytes.starts_with(b"\x89PNG\r\n\x1a\n"), "{name}");
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
    page.activate_one(&row).await?;
    page.until(&format!("{title} is saved"), 30, "window.savedName").await?;
    let name = page.js("return window.savedName", &[]).await?;
    let read = "const done = arguments[arguments.length - 1];
        window.saved.at(-1).arrayBuffer().then(bytes => done(Array.from(new Uint8Array(bytes))))";
    Ok((name, page.when_done(read, &[]).await?))
}

/// Both profiles are open: the bar is there, and what a view has of both.
pub(crate) async fn compared(page: &Page, stage: &Stage) -> Outcome {
    page.wait_state("ready", 60).await?;
    page.until("the bar", 30, "document.querySelector('.compare')").await?;
    if stage.tab == TIMELINE.tab { lanes_of_both(page).await } else { numbers_of_both(page, stage).await }
}

/// Their lanes lie below each other, and names are told apart.
async fn lanes_of_both(page: &Page) -> Outcome {
    press(page, TIMELINE.tab).await?;
    page.until("two sets of lanes", 30, "document.querySelectorAll('.timeline__lanes').length === 2").await?;
    let rows =
        "document.querySelectorAll('[role=grid][aria-label=\"Difference by name\"] [role=row]').length";
    page.until("differences", 30, &format!("1 < {rows}")).await
}

/// The overview has a headline of both and a table with differences, and the picture is drawn beside a baseline too.
async fn numbers_of_both(page: &Page, stage: &Stage) -> Outcome {
    page.until("the headline", 30, "document.querySelector('.compare__headline')?.innerText").await?;
    let tables = "[...document.querySelectorAll('.overview__table--compared')]";
    page.until("differences", 30, &format!("{tables}.some(table => /[+−-]\\d/.test(table.innerText))"))
        .await?;
    to_stage(page, stage).await?;
    for _ in 0..100 {
        if something(page, stage.top).await?.is_some() {
            return Ok(());
        }
    }
    Err("nothing is drawn beside a baseline".into())
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
