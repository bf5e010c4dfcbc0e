//! What a new user meets with a profile of each system: what limits it and where, the tour, the report to pass on.

use lanescope_browser::journey::scratch;
use lanescope_browser::{Outcome, Page, journey};
use serde_json::json;

use super::{Sample, open, samples};
use crate::reach::{press, quiet};
use crate::{notes, saving};

/// Nobody was here before.
const FIRST_VISIT: &str = "localStorage.removeItem('lanescope.tour')";

/// Whether the ring of the tour lies inside of the window.
const RING: &str = "(ring => ring && 0 <= ring.left && 0 <= ring.top && ring.right <= innerWidth + 1 && ring.bottom <= innerHeight + 1)
    (document.querySelector('.tour__ring')?.getBoundingClientRect())";

/// Whether the first finding is seen whole without scrolling, has a number, and says where it leads.
const FIRST: &str = r"(one => {
        const box = one?.getBoundingClientRect();
        return box && 0 < box.height && box.bottom <= innerHeight && /\d/.test(one.querySelector('b')?.innerText)
            && one.querySelector('.overview__to')?.innerText.trim();
    })(document.querySelector('.overview__finding'))";

/// Opens a sample by its button, takes the tour, and follows the first finding.
async fn first_minute(page: &Page, sample: &Sample, width: u32) -> Outcome {
    page.open(&format!("?first={}-{width}#lang=en", sample.id)).await?;
    let button = format!("document.querySelector('[data-sample={}]')", sample.id);
    page.until("the sample", 20, &format!("0 < {button}?.querySelector('.sample__note').innerText.length"))
        .await?;
    page.activate_one(&button).await?;
    page.wait_state("ready", 60).await?;
    page.until("all rules have looked", 30, "0 < document.querySelector('.overview')?.dataset.findings")
        .await?;
    page.until("it is the first view", 5, "location.hash.includes('view=overview')").await?;
    for title in ["What limits it", "Views", "Search and commands", "Compare, save, share"] {
        let said = format!("document.querySelector('.tour__title')?.innerText === '{title}' && {RING}");
        page.until(&format!("{}: {title}", sample.file()), 20, &said).await?;
        let next = "document.querySelector('.tour [data-action=next-step]')?.click(); return null";
        page.js::<()>(next, &[]).await?;
    }
    page.js::<()>("document.querySelector('.tour [data-action=end-tour]')?.click(); return null", &[])
        .await?;
    page.until("the tour is over", 20, "!document.querySelector('.tour')").await?;
    page.until(&format!("{}: the first finding in sight", sample.file()), 10, FIRST).await?;
    page.activate(".overview__finding .overview__to").await?;
    let there = "!location.hash.includes('view=overview') && document.querySelector('.page__view:not([hidden])')?.checkVisibility()
        && !document.querySelector('[data-action=load-again], .page__view:not([hidden]) [role=alert]')";
    page.until(&format!("{}: its place", sample.file()), 20, there).await?;
    quiet(page).await
}

#[test]
fn a_new_user_sees_what_limits_every_sample_and_is_led_there_at_every_size() {
    journey(async |page| {
        page.before_load(FIRST_VISIT).await?;
        for (width, height) in [(1280, 720), (1440, 900), (1920, 1080)] {
            let size = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false});
            page.devtools("Emulation.setDeviceMetricsOverride", size).await?;
            for sample in samples() {
                first_minute(page, &sample, width).await?;
            }
        }
        Ok(())
    });
}

/// Saves the report of a sample with a note, and reads it as a file of its own.
async fn reported(page: &Page, sample: &Sample) -> Outcome {
    open(page, sample, "report=", "view=overview").await?;
    page.until("all rules have looked", 30, "0 < document.querySelector('.overview')?.dataset.findings")
        .await?;
    let findings =
        "return [...document.querySelectorAll('.overview__finding b')].map(said => said.innerText)";
    let findings: Vec<String> = page.js(findings, &[]).await?;
    notes::note(page, &format!("look at {}", sample.id)).await?;
    press(page, "tab-report").await?;
    saving::export(page, "report-html").await?;
    let told = "document.querySelector('[data-report=contents]')?.innerText";
    page.until("what goes in", 20, &format!("{told}?.includes('finding') && {told}.includes('note')"))
        .await?;
    page.click_on("[data-action=save-report]").await?;
    let html = saving::saved(page).await?;
    assert!(!html.contains("<script"), "{}", sample.file());
    let file = scratch().join(format!("{}.report.html", sample.id));
    std::fs::write(&file, html)?;
    let address = format!("file://{}", file.display());
    page.devtools("Page.navigate", json!({ "url": address })).await?;
    let title = format!("document.querySelector('h1')?.innerText === '{}'", sample.file());
    page.until("its headline", 10, &title).await?;
    let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = plain(&page.text("body").await?);
    for part in findings.iter().map(|finding| plain(finding)).chain([format!("look at {}", sample.id)]) {
        assert!(text.contains(&part), "{}: {part}", sample.file());
    }
    let pictures =
        "return [...document.querySelectorAll('[role=img], img')].map(one => one.ariaLabel ?? one.alt)";
    let pictures: Vec<String> = page.js(pictures, &[]).await?;
    assert!(!pictures.is_empty() && pictures.iter().all(|words| !words.is_empty()), "{pictures:?}");
    let is_wide = "return innerWidth < document.scrollingElement.scrollWidth";
    assert!(!page.js::<bool>(is_wide, &[]).await?, "{}: it scrolls sideways", sample.file());
    Ok(())
}

#[test]
fn a_report_of_every_sample_is_read_without_the_page() {
    journey(async |page| {
        page.before_load(saving::KEEP).await?;
        for sample in samples() {
            reported(page, &sample).await?;
        }
        Ok(())
    });
}

#[test]
fn a_report_of_every_sample_beside_a_baseline_says_what_is_compared() {
    journey(async |page| {
        page.before_load(saving::KEEP).await?;
        for sample in samples() {
            let file = sample.file();
            page.open(&format!("?open=samples/{file}&baseline=samples/{file}#view=report")).await?;
            page.wait_state("ready", 60).await?;
            page.until("they are compared", 20, "document.querySelector('.compare [data-side=A]')").await?;
            saving::export(page, "report-html").await?;
            let told = "document.querySelector('[data-report=contents]')?.innerText.includes('finding')";
            page.until("what goes in", 20, told).await?;
            page.click_on("[data-action=save-report]").await?;
            let html = saving::saved(page).await?;
            assert!(html.contains("A is the baseline, B is this file."), "{file}");
            assert!(html.contains("id=\"findings\"") && !html.contains("<script"), "{file}");
        }
        Ok(())
    });
}
