//! Whoever cannot see or point: axe-core finds nothing serious, in both themes, on every view.

use lanescope_browser::{Outcome, Page, journey, traces};

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
            page.open(&format!("?{theme}#theme={theme}")).await?;
            page.drop_file(&traces::known("known.json")?).await?;
            page.wait_state("ready", 20).await?;
            let n_tabs: usize = page.js("return document.querySelectorAll('[role=tab]').length", &[]).await?;
            for at in 0..n_tabs {
                let choose = "const tab = document.querySelectorAll('[role=tab]')[arguments[0]];
                    tab.click();
                    return tab.innerText";
                let name: String = page.js(choose, &[at.into()]).await?;
                page.until("the view is shown", 5, "document.querySelector('[role=tabpanel]:not([hidden])')")
                    .await?;
                nothing_serious(page, &format!("{name}, {theme}")).await?;
            }
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
