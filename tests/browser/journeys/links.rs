//! Whether the address holds what a view shows: every control is changed, the page is loaded anew, and shows the same.

use std::collections::BTreeMap;

use super::reach::{VIEWS, press, quiet};
use super::timeline::place;
use lanescope_browser::{Outcome, Page, journey, page, traces};
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

/// Loads the page anew, once the address followed.
async fn reload(page: &Page) -> Outcome {
    page.when_done::<()>("setTimeout(arguments[0], 600)", &[]).await?;
    page.js::<()>("location.reload(); return null", &[]).await?;
    page.until("the program of the page runs", 30, "window.wasmBindings !== undefined").await?;
    page.wait_state("ready", 60).await
}

/// Goes a step of the browser to another view.
async fn step(page: &Page, way: &str, view: &str) -> Outcome {
    page.js::<()>(&format!("history.{way}(); return null"), &[]).await?;
    page.until(way, 10, &format!("location.hash.includes('view={view}')")).await
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
    reload(page).await?;
    let address = page.address().await?;
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

/// The short slice is less than what an address that names it alone leads to.
const SHORT: &str = r#"[{"ph":"X","pid":1,"tid":1,"name":"long","ts":0,"dur":1000000},
    {"ph":"X","pid":1,"tid":2,"name":"short","ts":500000,"dur":1900}]"#;

#[test]
fn a_slice_chosen_while_all_is_seen_is_linked_in_the_same_window() {
    journey(async |page| {
        let file = traces::written("short.json", SHORT)?;
        page.open("#view=timeline").await?;
        page.drop_file(&file).await?;
        page.wait_state("ready", 20).await?;
        page.click(place(page, "Thread 2", 0.500_95).await?).await?;
        let named = "document.querySelector('.detail__name')?.innerText === 'short' && location.hash.includes('slice=500000000,0,short')";
        let whole = format!("{named} && location.hash.includes('window=all')");
        page.until("the slice among everything", 10, &whole).await?;
        let address = page.address().await?;
        let link = address.split_once('#').map(|(_, link)| link.to_owned()).unwrap_or_default();
        press(page, "tab-report").await?;
        page.until("the report", 10, "location.hash.includes('view=report')").await?;
        for (way, view) in [("back", "timeline"), ("forward", "report"), ("back", "timeline")] {
            step(page, way, view).await?;
        }
        page.until("the same after steps", 10, &whole).await?;
        page.open(&format!("?whole#{link}")).await?;
        page.drop_file(&file).await?;
        page.until("the same where it is opened", 20, &whole).await?;
        quiet(page).await?;
        page.until("it stays", 5, &whole).await?;
        // A link that says the slice alone leads to it.
        page.open(&format!("?alone#{}", link.replace("window=all&", ""))).await?;
        page.drop_file(&file).await?;
        page.until("near the slice", 20, &format!("{named} && /window=4\\d{{8}},/.test(location.hash)")).await
    });
}

#[test]
fn lifetimes_that_are_read_anew_are_seen_as_before_and_a_link_can_reset_their_cells() {
    journey(async |page| {
        page.open("?open=samples/lifetimes.log.gz&anew#view=lifetimes").await?;
        page.wait_state("ready", 60).await?;
        for view in ["report", "lifetimes"] {
            press(page, &format!("tab-{view}")).await?;
            page.until(view, 10, &format!("location.hash.includes('view={view}')")).await?;
        }
        let option = |words: &str| {
            format!(
                "[...document.querySelectorAll('.segmented__option')].find(one => one.checkVisibility() && one.innerText.trim() === '{words}')"
            )
        };
        page.until("the kernels", 10, "document.querySelector('.lifetimes__row')").await?;
        page.activate_one("document.querySelector('.lifetimes__row')").await?;
        for words in ["Over time", "All columns", "On replacement"] {
            page.activate_one(&option(words)).await?;
        }
        let chosen = |words: &str| format!("{}?.getAttribute('aria-checked') === 'true'", option(words));
        let kept = format!(
            "document.documentElement.dataset.lanescopeState === 'ready' && {} && {} && {}
                && document.querySelector('.lifetimes__row[aria-selected=true]')
                && ['kernel%3D', 'panel%3Dtime', 'columns%3Dall', 'lifetime=resident'].every(part => location.hash.includes(part))",
            chosen("Over time"), chosen("All columns"), chosen("On replacement"),
        );
        page.until("the same by the other definition", 30, &kept).await?;
        step(page, "back", "report").await?;
        step(page, "forward", "lifetimes").await?;
        page.until("the same after steps", 30, &kept).await?;
        let retention = "[...document.querySelectorAll('.lifetimes__device-table input')].find(one => one.getAttribute('aria-label') === 'Silicon gain cell')";
        let change = format!(
            "const field = {retention}; field.value = '2'; field.dispatchEvent(new Event('change', {{ bubbles: true }})); return null"
        );
        page.js::<()>(&change, &[]).await?;
        let reset = "[...document.querySelectorAll('.lifetimes__devices button')].find(one => one.innerText === 'Reset')";
        let changed =
            format!("{reset} && {retention}?.value === '2' && location.hash.includes('devices=') && {kept}");
        page.until("other cells", 10, &changed).await?;
        reload(page).await?;
        page.until("other cells of a link", 30, &changed).await?;
        page.activate_one(reset).await?;
        let usual = format!("!{reset} && {retention}?.value === '1' && !location.hash.includes('devices=')");
        page.until("the usual cells", 10, &usual).await
    });
}

#[test]
fn the_chosen_row_of_statistics_is_kept_and_gone_back_from() {
    journey(async |page| {
        page.open("?open=samples/training_step.json&row#view=statistics").await?;
        page.wait_state("ready", 60).await?;
        let rows = "[...document.querySelectorAll('.statistics [role=grid]')][0]?.querySelectorAll('[role=row][id]')";
        let shown = "document.querySelector('.statistics [role=row][aria-selected=true]')";
        let again = async || {
            for view in ["report", "statistics"] {
                press(page, &format!("tab-{view}")).await?;
                page.until(view, 10, &format!("location.hash.includes('view={view}')")).await?;
            }
            quiet(page).await
        };
        let choose = async || {
            page.until("rows", 30, &format!("2 < {rows}?.length")).await?;
            let other = format!("[...{rows}].slice(1).find(row => !row.matches('[aria-selected=true]'))");
            let id: String = page.js(&format!("return {other}.id"), &[]).await?;
            page.activate_one(&other).await?;
            page.until("it is chosen", 10, &format!("{shown}?.id === '{id}'")).await?;
            page.text(".statistics__title--row").await
        };
        let is_kept = |name: &str| {
            format!(
                "document.querySelector('.statistics__title--row')?.innerText === {name} && {shown}?.innerText.replaceAll('\\n', '').includes({name})
                    && location.hash.includes('row%3D')",
                name = json!(name)
            )
        };
        again().await?;
        let first = choose().await?;
        page.until("it in the address", 10, &is_kept(&first)).await?;
        // In another order it stands elsewhere.
        page.activate(".statistics [role=columnheader] button").await?;
        page.until("the other order", 10, "location.hash.includes('order%3D')").await?;
        page.until("the same row", 10, &is_kept(&first)).await?;
        reload(page).await?;
        page.until("its slices after loading anew", 30, &is_kept(&first)).await?;
        again().await?;
        let second = choose().await?;
        page.until("another row", 10, &is_kept(&second)).await?;
        for view in ["report", "statistics"] {
            step(page, "back", view).await?;
        }
        page.until("the row before", 10, &is_kept(&first)).await?;
        for view in ["report", "statistics"] {
            step(page, "back", view).await?;
        }
        page.until("no row", 10, &format!("!{shown} && !location.hash.includes('row%3D')")).await
    });
}
