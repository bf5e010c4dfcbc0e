//! Files that the page saves: what is in them, and that a long one can be cancelled.

use std::path::Path;

use lanescope_browser::journey::scratch;
use lanescope_browser::pointer::CTRL;
use lanescope_browser::screen::Point;
use lanescope_browser::{Outcome, Page, journey, page, traces};
use serde_json::json;

use crate::reach;

/// Keeps what is saved instead of downloading it.
pub(crate) const KEEP: &str = "window.saved = [];
    const own = URL.createObjectURL;
    URL.createObjectURL = blob => { window.saved.push(blob); return own.call(URL, blob); };
    HTMLAnchorElement.prototype.click = function () { window.savedName = this.download; };";

/// The picture of a view in the menu of exports.
const SVG: &str = "Save as SVG";

/// The button that ends a long export.
const CANCEL: &str = "document.querySelector('[data-action=cancel-files]')";

#[test]
fn an_export_has_every_slice_of_the_file() {
    journey(async |page| {
        page.before_load(KEEP).await?;
        page.open("").await?;
        page.drop_file(&traces::known("known.json")?).await?;
        page.wait_state("ready", 20).await?;
        export(page, "slices-csv").await?;
        let text = saved(page).await?;
        assert_eq!(page.js::<String>("return window.savedName", &[]).await?, "known.slices.csv");
        let mut lines = text.lines();
        assert_eq!(lines.next(), Some("track_path,name,start_ns,duration_ns,depth,category,unfinished"));
        assert!(lines.any(|line| line.contains(",whole,0,1000000,0,")), "{text}");
        Ok(())
    });
}

#[test]
fn an_export_with_parameters_asks_for_them() {
    journey(async |page| {
        page.before_load(KEEP).await?;
        page.open("").await?;
        let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/demo/units/trace.demo");
        page.drop_file(&fixture).await?;
        page.wait_state("ready", 20).await?;
        export(page, "demo-csv").await?;
        let tab = "[...document.querySelectorAll('dialog [role=radio]')].find(e => e.innerText === 'Tab')";
        page.until("the choice", 5, tab).await?;
        page.activate_one(tab).await?;
        page.click_on("[data-action=save-export]").await?;
        let text = saved(page).await?;
        assert!(text.starts_with("unit\twork\tbytes\n"), "{text}");
        page.until("the dialog is closed", 5, "!document.querySelector('dialog')").await
    });
}

/// A report is chosen in a dialog, and is a page of its own that says what the overview says.
#[test]
fn a_report_is_read_without_the_page() {
    journey(async |page| {
        page.before_load(KEEP).await?;
        page.open("").await?;
        let fixture =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/trace_event/pytorch_like/trace.json");
        page.drop_file(&fixture).await?;
        page.wait_state("ready", 20).await?;
        export(page, "report-html").await?;
        let told = "document.querySelector('[data-report=contents]')?.innerText";
        page.until("what goes in", 20, &format!("{told}?.includes('finding')")).await?;
        let notes = "[...document.querySelectorAll('dialog label')].find(e => e.innerText === 'Notes')";
        page.activate_one(notes).await?;
        page.until("they are left out", 5, &format!("!{told}.includes('notes')")).await?;
        page.click_on("[data-action=save-report]").await?;
        page.until("the dialog is closed", 5, "!document.querySelector('dialog')").await?;
        let html = saved(page).await?;
        let name: String = page.js("return window.savedName", &[]).await?;
        assert!(name.ends_with(".report.html"), "{name}");
        let file = scratch().join("report.html");
        std::fs::write(&file, html)?;
        let address = format!("file://{}", file.display());
        page.devtools("Page.navigate", json!({ "url": address })).await?;
        page.until("its headline", 10, "document.querySelector('h1')?.innerText === 'trace.json'").await?;
        let parts = "return [...document.querySelectorAll('section')].map(section => section.id)";
        let parts: Vec<String> = page.js(parts, &[]).await?;
        assert!(parts.contains(&"findings".to_owned()) && !parts.contains(&"notes".to_owned()), "{parts:?}");
        Ok(())
    });
}

/// What is offered first is the picture of the view that is shown, whatever was shown before.
#[test]
fn every_view_exports_its_own_picture() {
    journey(async |page| {
        page.before_load(KEEP).await?;
        let ascend = page::dist().join("samples/flash_attention.bin");
        let traced = page::dist().join("samples/tile_product.traceg.gz");
        let opened: [(_, &[(&str, &str)]); 3] = [
            (ascend, &[("timeline", "Visible timeline as SVG"), ("source", SVG), ("details", SVG)]),
            (traced, &[("trace", SVG)]),
            (traces::probed()?, &[("schedule", SVG), ("heatmap", SVG), ("details", SVG)]),
        ];
        for (n, (path, views)) in opened.into_iter().enumerate() {
            page.open(&format!("?own={n}")).await?;
            page.drop_file(&path).await?;
            page.wait_state("ready", 30).await?;
            for (view, title) in views {
                reach::press(page, &format!("tab-{view}")).await?;
                reach::quiet(page).await?;
                page.js::<()>("window.savedName = window.savedText = undefined; return null", &[]).await?;
                export(page, title).await?;
                let text = saved(page).await?;
                let name: String = page.js("return window.savedName", &[]).await?;
                assert!(name.ends_with(&format!(".{view}.svg")), "{view}: {name}");
                assert!(text.starts_with("<svg") && text.contains("</text>"), "{view}: {text}");
            }
        }
        Ok(())
    });
}

#[test]
fn a_long_export_says_how_far_it_is_and_can_be_cancelled() {
    journey(async |page| {
        page.before_load(KEEP).await?;
        page.open("#view=timeline").await?;
        page.drop_file(&traces::large(400_000_000)?).await?;
        page.wait_state("ready", 120).await?;
        export(page, "slices-csv").await?;
        page.until("the status bar offers to cancel", 20, CANCEL).await?;
        // The document still answers while it writes.
        page.wheel(Point { x: 700.0, y: 300.0 }, -120.0, CTRL).await?;
        page.until("the window is smaller", 5, "location.hash.includes('window=')").await?;
        page.click_on("[data-action=cancel-files]").await?;
        page.until("nothing is written any more", 5, &format!("!{CANCEL}")).await?;
        assert!(page.js::<bool>("return window.savedName === undefined", &[]).await?, "nothing was saved");
        Ok(())
    });
}

/// Chooses an export in the menu.
pub(crate) async fn export(page: &Page, id: &str) -> Outcome {
    page.click_on("#top-export").await?;
    let row = "[...document.querySelectorAll('.menu__row')]";
    let row = format!("{row}.find(row => row.innerText.includes('{id}'))");
    page.until("the menu", 5, &row).await?;
    page.activate_one(&row).await
}

/// The text of the file that was saved.
pub(crate) async fn saved(page: &Page) -> Outcome<String> {
    page.until("the file is saved", 5, "window.savedName").await?;
    let read = "window.saved.at(-1).text().then(text => { window.savedText = text }); return null";
    page.js::<()>(read, &[]).await?;
    page.until("its text", 5, "window.savedText").await?;
    page.js("return window.savedText", &[]).await
}
