//! Whether the address holds what a view shows: every control is changed, the page is loaded anew, and shows the same.

use std::collections::BTreeMap;

use super::reach::{VIEWS, press, quiet};
use lanescope_browser::{Outcome, Page, journey, page};
use serde_json::json;

const CONTROLS: &str = include_str!("links.js");

/// What the controls of the shown view show, by name.
type Shown = BTreeMap<String, String>;

/// What differs after loading the page anew, a line each.
fn lost(view: &str, before: &Shown, after: &Shown) -> Vec<String> {
    let differs = before.iter().filter(|(name, value)| after.get(*name) != Some(value));
    differs.map(|(name, value)| format!("{view}: {name}: {value:?} became {:?}", after.get(name))).collect()
}

/// What the controls of each view show, one view after the other.
async fn shown(page: &Page, views: &[String]) -> Outcome<Vec<Shown>> {
    let mut all = Vec::new();
    for view in views {
        press(page, view).await?;
        quiet(page).await?;
        all.push(page.when_done(CONTROLS, &[json!("shown")]).await?);
    }
    Ok(all)
}

/// Every view of one sample: all are changed, and then the page is loaded anew.
async fn walk(page: &Page, sample: &str) -> Outcome<(usize, Vec<String>)> {
    page.open(&format!("?open=samples/{sample}&links#view=report")).await?;
    page.wait_state("ready", 60).await?;
    let views = page.js::<Vec<String>>(VIEWS, &[]).await?;
    let mut n = 0;
    for view in &views {
        press(page, view).await?;
        quiet(page).await?;
        n += page.when_done::<usize>(CONTROLS, &[json!("change")]).await?;
    }
    let before = shown(page, &views).await?;
    // The address follows a little later.
    page.when_done::<()>("setTimeout(arguments[0], 600)", &[]).await?;
    let address = page.address().await?;
    page.js::<()>("location.reload(); return null", &[]).await?;
    page.until("the program of the page runs", 30, "window.wasmBindings !== undefined").await?;
    page.wait_state("ready", 60).await?;
    let after = shown(page, &views).await?;
    let differs = views.iter().zip(before.iter().zip(&after));
    let mut wrong: Vec<String> = differs
        .flat_map(|(view, (before, after))| lost(&format!("{sample} {view}"), before, after))
        .collect();
    if !wrong.is_empty() {
        wrong.insert(0, address);
    }
    Ok((n, wrong))
}

#[test]
fn the_address_holds_what_every_control_of_every_view_shows() {
    let samples = std::fs::read_to_string(page::dist().join("samples/index.json")).expect("the samples");
    let samples: Vec<serde_json::Value> = serde_json::from_str(&samples).expect("a list");
    journey(async |page| {
        let (mut n, mut wrong) = (0, Vec::new());
        for sample in samples.iter().filter_map(|sample| sample["files"][0].as_str()) {
            let (changed, lost) = walk(page, sample).await?;
            n += changed;
            wrong.extend(lost);
        }
        assert!(150 < n, "only {n} controls were changed");
        if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n").into()) }
    });
}
