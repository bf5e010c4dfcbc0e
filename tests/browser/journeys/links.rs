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

/// Every view of one sample, one after the other: what was changed before stays.
async fn walk(page: &Page, sample: &str) -> Outcome<(usize, Vec<String>)> {
    page.open(&format!("?open=samples/{sample}&links#view=report")).await?;
    page.wait_state("ready", 60).await?;
    let (mut n, mut wrong) = (0, Vec::new());
    for view in page.js::<Vec<String>>(VIEWS, &[]).await? {
        press(page, &view).await?;
        quiet(page).await?;
        n += page.when_done::<usize>(CONTROLS, &[json!("change")]).await?;
        let before: Shown = page.when_done(CONTROLS, &[json!("shown")]).await?;
        // The address follows a little later.
        page.when_done::<()>("setTimeout(arguments[0], 600)", &[]).await?;
        let address = page.address().await?;
        page.js::<()>("location.reload(); return null", &[]).await?;
        page.until("the program of the page runs", 30, "window.wasmBindings !== undefined").await?;
        page.wait_state("ready", 60).await?;
        quiet(page).await?;
        let after: Shown = page.when_done(CONTROLS, &[json!("shown")]).await?;
        let found = lost(&format!("{sample} {view}"), &before, &after);
        if !found.is_empty() {
            wrong.push(address);
            wrong.extend(found);
        }
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
