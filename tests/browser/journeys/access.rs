//! Whoever cannot see or point: axe-core finds nothing serious, in both themes, on every view.

use lanescope_browser::{Outcome, Page, journey, page, traces};

#[test]
fn axe_finds_nothing_serious_on_the_first_screen() {
    journey(async |page| {
        for theme in ["light", "dark"] {
            page.open(&format!("?{theme}#theme={theme}")).await?;
            page.until("the first screen is drawn", 10, "document.querySelector('h1')").await?;
            nothing_serious(page, &format!("first screen, {theme}")).await?;
        }
        Ok(())
    });
}

#[test]
fn axe_finds_nothing_serious_on_any_view() {
    journey(async |page| {
        for theme in ["light", "dark"] {
            page.open(&format!("?{theme}#view=timeline&theme={theme}")).await?;
            page.drop_file(&traces::known("known.json")?).await?;
            page.wait_state("ready", 20).await?;
            // Those inside of the view come with its first picture.
            page.until("all tabs", 5, "5 < document.querySelectorAll('[role=tab]').length").await?;
            let tabs = "return [...document.querySelectorAll('[role=tab]')].map(tab => tab.id)";
            let tabs: Vec<String> = page.js(tabs, &[]).await?;
            for tab in tabs {
                // Tabs inside of a view follow those of the views: the view that they stand in comes first.
                let choose = "const tab = document.getElementById(arguments[0]);
                    const view = tab.parentElement.closest('[role=tabpanel]');
                    if (view) document.getElementById(view.getAttribute('aria-labelledby')).click();
                    tab.click();
                    return null";
                page.js::<()>(choose, &[tab.clone().into()]).await?;
                let shown = format!(
                    "document.getElementById(document.getElementById('{tab}').getAttribute('aria-controls'))?.checkVisibility()"
                );
                page.until(&format!("what {tab} controls"), 5, &shown).await?;
                nothing_serious(page, &format!("{tab}, {theme}")).await?;
            }
        }
        Ok(())
    });
}

#[test]
fn axe_finds_nothing_serious_in_source_and_figures() {
    journey(async |page| {
        for theme in ["light", "dark"] {
            page.open(&format!("?{theme}#view=source&theme={theme}")).await?;
            page.drop_file(&page::dist().join("samples/flash_attention.bin")).await?;
            page.wait_state("ready", 30).await?;
            page.until("lines of source", 10, "document.querySelector('.text-layer__row')").await?;
            nothing_serious(page, &format!("source, {theme}")).await?;
            page.activate("#tab-details").await?;
            page.until("figures", 10, "document.querySelector('.figure__drawing canvas, .figure__body')")
                .await?;
            nothing_serious(page, &format!("details, {theme}")).await?;
        }
        Ok(())
    });
}

async fn nothing_serious(page: &Page, what: &str) -> Outcome {
    match page.serious_findings().await? {
        Some(found) => assert!(found.is_empty(), "{what}: {found:#?}"),
        None => println!("SKIPPED: axe-core is not there ({what})"),
    }
    Ok(())
}

#[test]
fn a_place_in_a_table_is_a_link() {
    journey(async |page| {
        page.open("#view=details").await?;
        page.drop_file(&page::dist().join("samples/tile_product.traceg.gz")).await?;
        page.wait_state("ready", 30).await?;
        let link =
            "[...document.querySelectorAll('.table__link')].find(link => link.innerText.startsWith('CTA'))";
        page.until("the table of accesses", 30, link).await?;
        page.activate_one(link).await?;
        page.until("the box in Trace", 30, "location.hash.includes('view=trace')").await
    });
}
