//! Parts of the program that do not come: what cannot be shown says so, and is shown as soon as they can be had.

use lanescope_browser::{Outcome, Page, journey};

/// A network that brings no part of the worker of some name, while `window.isCut` holds.
fn cut(part: &str) -> String {
    format!(
        "const fetched = window.fetch; window.isCut = true;
        window.fetch = (what, ...more) => window.isCut && String(what.url ?? what).includes('worker_parts/{part}')
            ? Promise.reject(new TypeError('no network')) : fetched(what, ...more)"
    )
}

/// Opens a sample where a part does not come, chooses something first, and waits until that is said at a place.
async fn open_cut(
    page: &Page,
    part: &str,
    sample: &str,
    view: &str,
    first: Option<&str>,
    place: &str,
) -> Outcome<String> {
    // The worker that warms up misses the part too.
    page.expect_error("WebAssembly");
    page.before_load(&cut(part)).await?;
    page.open(&format!("#view={view}")).await?;
    page.activate(&format!("[data-sample={sample}]")).await?;
    page.wait_state("ready", 60).await?;
    if let Some(first) = first {
        page.until("the view itself", 30, &format!("document.querySelector('{first}')")).await?;
        page.click_on(first).await?;
    }
    let again = format!("{place} [data-action=load-again]");
    page.until("it is said", 30, &format!("document.querySelector('{again}')")).await?;
    page.text(&format!("{place} [role=alert]")).await
}

/// Gives the network back, does something, and waits for what is shown then.
async fn mend(page: &Page, again: &str, shown: &str) -> Outcome {
    page.js::<()>("window.isCut = false; return null", &[]).await?;
    page.click_on(again).await?;
    let alert = "document.querySelector('.page__view:not([hidden]) [role=alert]')";
    page.until("the view is there", 30, &format!("!({alert}) && ({shown})")).await
}

const VIEW: &str = ".page__view:not([hidden])";
const AGAIN: &str = ".page__view:not([hidden]) [data-action=load-again]";

#[test]
fn source_whose_part_did_not_come_says_so_and_is_tried_again() {
    for again in [AGAIN, "#tab-source"] {
        journey(async |page| {
            let said = open_cut(page, "split_code", "attention", "source", None, VIEW).await?;
            assert!(said.starts_with("Source could not be loaded"), "{said}");
            // The view has nothing else to say: it reads nothing, and nothing is zero.
            assert_eq!(page.text(VIEW).await?, said);
            mend(page, again, "document.querySelector('.text-layer__row')").await
        });
    }
}

#[test]
fn a_view_whose_part_did_not_come_is_asked_anew_by_who_comes_back() {
    journey(async |page| {
        open_cut(page, "split_code", "attention", "source", None, VIEW).await?;
        page.click_on("#tab-details").await?;
        page.until("figures", 30, "document.querySelector('.facts__row')").await?;
        mend(page, "#tab-source", "document.querySelector('.text-layer__row')").await
    });
}

#[test]
fn a_heat_map_whose_part_did_not_come_shows_no_zeros() {
    journey(async |page| {
        let said = open_cut(page, "split_planes", "instrumented", "heatmap", None, VIEW).await?;
        assert!(said.starts_with("Heat map could not be loaded"), "{said}");
        assert_eq!(page.text(VIEW).await?, said);
        mend(page, AGAIN, "document.querySelector('.accesses__surface canvas')").await
    });
}

#[test]
fn tables_whose_part_did_not_come_say_so_and_show_their_rows_then() {
    const ROWS: &str = "document.querySelector('.page__view:not([hidden]) [role=gridcell]')";
    journey(async |page| {
        let said = open_cut(page, "split_figures", "attention", "tables", None, VIEW).await?;
        assert!(said.starts_with("Tables could not be loaded"), "{said}");
        mend(page, AGAIN, ROWS).await
    });
}

/// The timeline itself needs other parts.
#[test]
fn a_panel_of_the_timeline_whose_part_did_not_come_leaves_the_timeline() {
    const SIDE: &str = ".detail__side";
    const ROWS: &str = "document.querySelector('.detail__side [role=gridcell]')";
    journey(async |page| {
        let said = open_cut(page, "split_figures", "training", "timeline", Some("#tab-idle"), SIDE).await?;
        assert!(said.contains("could not be loaded"), "{said}");
        assert!(
            page.js::<bool>("return !document.querySelector('.timeline__surface').closest('[hidden]')", &[])
                .await?
        );
        mend(page, &format!("{SIDE} [data-action=load-again]"), ROWS).await
    });
}
