//! While a large file is being read: the page answers, cancel obeys, and a dead worker takes nobody along.

use std::time::Instant;

use lanescope_browser::pointer::CTRL;
use lanescope_browser::screen::Point;
use lanescope_browser::{Outcome, Page, journey, traces};

/// The size of the large trace.
const LARGE: u64 = 100_000_000;

/// The size of the one that is still being read when half of it was, whatever a journey does in between.
const HUGE: u64 = 400_000_000;

/// The percentage that the progress bar says, or nothing.
const PERCENT: &str =
    "Number(document.querySelector('[role=progressbar]')?.getAttribute('aria-valuenow') ?? 0)";

#[test]
fn half_of_a_large_file_can_be_zoomed_and_canceled() {
    journey(async |page| {
        half_open(page).await?;
        page.probe_pauses().await?;
        let middle = Point { x: 700.0, y: 400.0 };
        for _ in 0..5 {
            page.wheel(middle, -120.0, CTRL).await?;
        }
        assert_eq!(page.state().await?, "loading", "the file was read before the pointer was used");
        let asked = Instant::now();
        page.click_on("[data-action=cancel]").await?;
        page.until("the file is gone", 5, "document.documentElement.dataset.lanescopeState === 'idle'")
            .await?;
        let answered = asked.elapsed();
        let pause = page.longest_pause().await?;
        println!(
            "canceled after {} ms, longest pause of the main thread {pause:.0} ms",
            answered.as_millis()
        );
        Ok(())
    });
}

#[test]
fn a_worker_killed_while_loading_leaves_the_page_and_another_document_usable() {
    journey(async |page| {
        page.probe_workers().await?;
        page.open("").await?;
        page.kill_worker_while_loading(0).await?;
        page.drop_file(&traces::large(HUGE)?).await?;
        page.wait_state("failed", 20).await?;
        let said = page.text("[role=alert]").await?;
        assert!(said.contains("nested"), "{said}");
        page.drop_file(&traces::known("after.json")?).await?;
        page.wait_state("ready", 20).await?;
        assert_eq!(page.js::<String>("return document.title", &[]).await?, "after.json — Lanescope");
        Ok(())
    });
}

#[test]
fn a_worker_that_falls_silent_while_loading_is_ended_when_the_user_says_so() {
    journey(async |page| {
        page.probe_workers().await?;
        page.open("").await?;
        page.silence_worker_while_loading(0).await?;
        page.drop_file(&traces::large(HUGE)?).await?;
        page.until("the user is asked", 60, "document.querySelector('[data-action=give-up]') !== null")
            .await?;
        page.click_on("[data-action=wait]").await?;
        page.until("it waits", 5, "document.querySelector('[data-action=give-up]') === null").await?;
        page.until("the user is asked again", 60, "document.querySelector('[data-action=give-up]') !== null")
            .await?;
        page.click_on("[data-action=give-up]").await?;
        page.wait_state("failed", 5).await?;
        let said = page.text("[role=alert]").await?;
        assert!(said.contains("stopped answering"), "{said}");
        Ok(())
    });
}

#[test]
fn a_large_file_opens_without_a_long_pause() {
    journey(async |page| {
        let path = traces::large(LARGE)?;
        page.open("").await?;
        page.probe_pauses().await?;
        let began = Instant::now();
        page.drop_file(&path).await?;
        page.wait_state("loading", 5).await?;
        page.wait_state("ready", 120).await?;
        let pause = page.longest_pause().await?;
        println!(
            "100 MB ready after {:.1} s, longest pause of the main thread {pause:.0} ms",
            began.elapsed().as_secs_f64()
        );
        assert!(pause < 5_000.0, "{pause}"); // a bench measures it; here only a freeze counts
        Ok(())
    });
}

/// Opens the huge trace and comes back when half of it is read.
async fn half_open(page: &Page) -> Outcome {
    let path = traces::large(HUGE)?;
    page.open("").await?;
    page.drop_file(&path).await?;
    page.until("half of the file is read", 60, &format!("45 <= {PERCENT}")).await
}
