//! Files that the page saves: what is in them, and that a long one can be cancelled.

use lanescope_browser::pointer::CTRL;
use lanescope_browser::screen::Point;
use lanescope_browser::{Outcome, Page, journey, traces};

/// Keeps what is saved instead of downloading it.
const KEEP: &str = "window.saved = [];
    const own = URL.createObjectURL;
    URL.createObjectURL = blob => { window.saved.push(blob); return own.call(URL, blob); };
    HTMLAnchorElement.prototype.click = function () { window.savedName = this.download; };";

#[test]
fn an_export_has_every_slice_of_the_file() {
    journey(async |page| {
        page.before_load(KEEP).await?;
        page.open("").await?;
        page.drop_file(&traces::known("known.json")?).await?;
        page.wait_state("ready", 20).await?;
        export(page, "slices-csv").await?;
        page.until("the file is saved", 5, "window.savedName === 'known.slices.csv'").await?;
        page.js::<()>(
            "window.saved.at(-1).text().then(text => { window.savedText = text }); return null",
            &[],
        )
        .await?;
        page.until("its text", 5, "window.savedText").await?;
        let text = page.js::<String>("return window.savedText", &[]).await?;
        let mut lines = text.lines();
        assert_eq!(lines.next(), Some("track_path,name,start_ns,duration_ns,depth,category"));
        assert!(lines.any(|line| line.contains(",whole,0,1000000,0,")), "{text}");
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

const CANCEL: &str = "document.querySelector('[data-action=cancel-files]')";

/// Chooses an export in the menu.
async fn export(page: &Page, id: &str) -> Outcome {
    page.click_on("#top-export").await?;
    let row =
        format!("[...document.querySelectorAll('.menu__row')].find(row => row.innerText.includes('{id}'))");
    page.until("the menu", 5, &row).await?;
    page.js::<()>(&format!("{row}.click(); return null"), &[]).await
}
