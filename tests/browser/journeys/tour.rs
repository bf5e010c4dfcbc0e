//! The first visit: a tour of four steps that can be skipped and called again.

use lanescope_browser::{Outcome, Page, journey};

const STEP: &str = ".tour__title";

async fn next(page: &Page) -> Outcome {
    page.activate(".tour [data-action=next-step]").await
}

#[test]
fn the_first_visit_is_offered_a_tour_that_comes_again_only_when_asked_for() {
    journey(async |page| {
        page.before_load("if (!sessionStorage.visited) { localStorage.removeItem('lanescope.tour'); sessionStorage.visited = 1; }").await?;
        page.open("?open=samples/training_step.json").await?;
        page.wait_state("ready", 60).await?;
        page.until("the tour is shown", 20, "document.querySelector('.tour')").await?;
        assert_eq!(page.text(STEP).await?, "What limits it");
        let framed = "(() => {
            const [ring, list] = ['.tour__ring', '.overview__list'].map(one => document.querySelector(one)?.getBoundingClientRect());
            return ring && list && Math.abs(ring.x - list.x) < 4 && Math.abs(ring.width - list.width) < 6;
        })()";
        page.until("the ring lies around what the step is about", 20, framed).await?;
        for title in ["Views", "Search and commands", "Compare, save, share"] {
            next(page).await?;
            page.until(
                title,
                20,
                &format!("document.querySelector('.tour__title')?.innerText === '{title}'"),
            )
            .await?;
        }
        page.activate(".tour [data-action=end-tour]").await?;
        page.until("the tour is over", 20, "!document.querySelector('.tour')").await?;
        page.open("?open=samples/nnapi.txt.gz").await?;
        page.wait_state("ready", 60).await?;
        assert!(!page.js::<bool>("return !!document.querySelector('.tour')", &[]).await?, "it comes once");
        Ok(())
    });
}
