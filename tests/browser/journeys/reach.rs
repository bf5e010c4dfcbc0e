//! Whether everything that a view shows can be seen: each pane can be reached, no words are cut without a way to read
//! them. Every view of every sample is measured at the smallest of the usual sizes and at a larger one.

use lanescope_browser::pointer::{ALT, CTRL};
use lanescope_browser::screen::Point;
use lanescope_browser::{Outcome, Page, journey, page, traces};
use serde_json::json;

/// The views of the opened document; then, in the one that is shown, the tabs of its lower pane. Views that were shown before
/// keep theirs, hidden.
pub(crate) const VIEWS: &str =
    "return [...document.querySelectorAll('.page__tabs [role=tab]')].map(tab => tab.id)";
const TABS: &str = "return [...document.querySelectorAll('.detail__tabs [role=tab]')].filter(tab => tab.checkVisibility()).map(tab => tab.id)";

/// Calls back when nothing moves any more: no words came or went for so many frames, and nothing is marked as loading.
const WHEN_QUIET: &str = "const [frames, done] = arguments;
    let n = 0;
    const changes = new MutationObserver(() => { n = 0; });
    changes.observe(document.body, { childList: true, characterData: true, subtree: true });
    const frame = () => {
        n = document.querySelector('[aria-busy=true]') ? 0 : n + 1;
        if (n < frames) return requestAnimationFrame(frame);
        changes.disconnect();
        done(null);
    };
    requestAnimationFrame(frame)";

/// Waits until pictures stand still too.
pub(crate) async fn quiet(page: &Page) -> Outcome {
    page.when_done(WHEN_QUIET, &[json!(18)]).await
}

pub(crate) async fn press(page: &Page, tab: &str) -> Outcome {
    page.activate(&format!("[id=\"{tab}\"]")).await
}

/// What nobody can see of what is shown, a line each.
pub(crate) async fn unseen(page: &Page, shown: &str) -> Outcome<Vec<String>> {
    page.when_done::<()>(WHEN_QUIET, &[json!(12)]).await?;
    let lines: Vec<String> = page.js(include_str!("reach.js"), &[]).await?;
    Ok(lines.into_iter().map(|line| format!("{shown}: {line}")).collect())
}

/// Sizes of windows that are usual, the smallest first.
const SIZES: [(u32, u32); 2] = [(1280, 800), (1440, 900)];

/// What nobody can see of what is shown, at any size.
async fn unseen_at_all_sizes(page: &Page, shown: &str) -> Outcome<Vec<String>> {
    let mut wrong = Vec::new();
    for (width, height) in SIZES {
        let size = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false});
        page.devtools("Emulation.setDeviceMetricsOverride", size).await?;
        wrong.extend(unseen(page, &format!("{shown} {width} × {height}")).await?);
    }
    Ok(wrong)
}

/// Every view of one sample, at every size.
async fn walk(page: &Page, sample: &str) -> Outcome<Vec<String>> {
    page.open(&format!("?open=samples/{sample}")).await?;
    page.wait_state("ready", 60).await?;
    walk_opened(page, sample).await
}

/// Every view of what is opened, at every size.
async fn walk_opened(page: &Page, sample: &str) -> Outcome<Vec<String>> {
    let mut wrong = Vec::new();
    let views: Vec<String> = page.js(VIEWS, &[]).await?;
    assert!(2 < views.len(), "{sample} has only {views:?}");
    for view in views {
        press(page, &view).await?;
        wrong.extend(unseen_at_all_sizes(page, &format!("{sample} {view}")).await?);
        let tabs = page.js::<Vec<String>>(TABS, &[]).await?;
        assert!(view != "tab-timeline" || 2 < tabs.len(), "{sample} has only {tabs:?} below the timeline");
        for tab in tabs {
            press(page, &tab).await?;
            wrong.extend(unseen_at_all_sizes(page, &format!("{sample} {view} {tab}")).await?);
        }
    }
    Ok(wrong)
}

/// Nothing has the keyboard, as after the last control of the page.
const NOWHERE: &str = "document.activeElement.blur(); return null";
const PLACE: &str = "const at = document.activeElement;
    return at.closest('.top') ? 'top' : at.closest('.page__view') ? 'view' : at.tagName";

pub(crate) async fn tab_key(page: &Page) -> Outcome {
    for kind in ["rawKeyDown", "keyUp"] {
        let event = json!({"type": kind, "key": "Tab", "code": "Tab", "windowsVirtualKeyCode": 9});
        page.devtools("Input.dispatchKeyEvent", event).await?;
    }
    Ok(())
}

#[test]
fn the_keyboard_leaves_every_view_by_tab_and_keys_pressed_nowhere_are_answered() {
    journey(async |page| {
        // A view of each kind: lanes, lists, tables to be edited, charts.
        let views = [
            ("flash_attention.bin", ["tab-timeline", "tab-source"]),
            ("tile_product.traceg.gz", ["tab-plan", "tab-trace"]),
            ("lifetimes.log.gz", ["tab-lifetimes", "tab-details"]),
        ];
        for (sample, views) in views {
            page.open(&format!("?open=samples/{sample}&keys")).await?;
            page.wait_state("ready", 60).await?;
            for view in views {
                press(page, view).await?;
                quiet(page).await?;
                page.js::<()>(NOWHERE, &[]).await?;
                let mut places = Vec::new();
                // Tables to be edited have hundreds of fields.
                while places.len() < 600 && places.last().is_none_or(|place| place != "top") {
                    tab_key(page).await?;
                    places.push(page.js::<String>(PLACE, &[]).await?);
                }
                assert!(places.last().is_some_and(|place| place == "top"), "{sample} {view}: {places:?}");
                // The view hears it, and then the page: an error of either is seen at the end.
                for (key, held) in [("t", ALT), ("b", CTRL), ("b", CTRL), ("k", CTRL)] {
                    page.js::<()>(NOWHERE, &[]).await?;
                    page.press(key, held).await?;
                }
                page.until("the palette", 5, "document.querySelector('dialog[open] input')").await?;
                page.js::<()>("document.querySelector('dialog[open]').close(); return null", &[]).await?;
                page.until("no palette", 5, "!document.querySelector('dialog[open]')").await?;
            }
        }
        Ok(())
    });
}

#[test]
fn escape_leaves_a_field_of_search() {
    const IS_TYPING: &str = "document.activeElement.matches('input')";
    journey(async |page| {
        page.open("#view=timeline").await?;
        page.drop_file(&traces::known("known.json")?).await?;
        page.wait_state("ready", 20).await?;
        quiet(page).await?;
        page.press("/", 0).await?;
        page.until("the field has the keyboard", 5, IS_TYPING).await?;
        page.press("Escape", 0).await?;
        page.until("it is left", 5, &format!("!{IS_TYPING}")).await
    });
}

/// Calls in each other, of two categories, long enough for wide columns.
fn nested() -> String {
    let event = |i: u32| {
        let (ts, dur, cat) = (i * 40_000, 30_000 + i * 997, if i.is_multiple_of(2) { "even" } else { "odd" });
        let call = |ts: u32, dur: u32| {
            format!(
                r#"{{"ph": "X", "pid": 1, "tid": 1, "name": "call", "cat": "{cat}", "ts": {ts}, "dur": {dur}}}"#
            )
        };
        [call(ts, dur), call(ts + 10, dur / 2)].join(",")
    };
    format!(r#"{{"traceEvents": [{}]}}"#, (0..8).map(event).collect::<Vec<_>>().join(","))
}

#[test]
fn columns_without_room_are_named_and_can_be_shown() {
    const HEADS: &str =
        "[...document.querySelectorAll('.statistics .table__title')].map(title => title.textContent)";
    journey(async |page| {
        let size = json!({"width": 1280, "height": 800, "deviceScaleFactor": 1, "mobile": false});
        page.devtools("Emulation.setDeviceMetricsOverride", size).await?;
        page.open("#view=statistics").await?;
        page.drop_file(&traces::written("nested.json", &nested())?).await?;
        page.wait_state("ready", 20).await?;
        quiet(page).await?;
        assert_eq!(unseen(page, "statistics").await?, Vec::<String>::new());
        let button = ".statistics .table__hidden";
        let told = "/\\d+ columns? hidden/.test(document.querySelector(arguments[0])?.textContent ?? '')";
        assert!(page.js::<bool>(&format!("return {told}"), &[json!(button)]).await?);
        let tip = format!("return document.querySelector('{button}').dataset.tip");
        let tip = page.js::<String>(&tip, &[]).await?;
        let heads = page.js::<Vec<String>>(&format!("return {HEADS}"), &[]).await?;
        assert!(tip.contains("Longest") && !heads.contains(&"Longest".to_owned()), "{tip} {heads:?}");
        page.click_on(button).await?;
        page.until("all columns", 5, &format!("{HEADS}.includes('Longest')")).await?;
        let scrolls = "const table = document.querySelector('.statistics .table__scroll');
            return table.clientWidth < table.scrollWidth";
        assert!(page.js::<bool>(scrolls, &[]).await?, "what has no room is scrolled to");
        page.click_on(button).await?;
        page.until("as before", 5, &format!("!{HEADS}.includes('Longest')")).await
    });
}

/// Devices with constants of energy, whose table has columns for it at both levels.
const ENERGIES: &str = r#"{"array_efficiency": 0.3, "devices": [
    {"name": "SRAM", "family": "sram", "cell_um2_per_bit": 0.242, "reference": true, "retention_us": null,
        "read_fj_per_bit": 10, "write_fj_per_bit": 20, "refresh_fj_per_bit": 15},
    {"name": "Silicon gain cell", "family": "silicon", "cell_um2_per_bit": 0.12584, "retention_us": 1,
        "read_fj_per_bit": 10, "write_fj_per_bit": 20, "refresh_fj_per_bit": 15}]}"#;

/// Enters how often the second block of a plan runs.
const COUNTED: &str = "const field = document.querySelectorAll('.plan__row')[1].querySelector('.plan__edit');
    field.value = '131072';
    field.dispatchEvent(new Event('change', { bubbles: true }));
    return null";

#[test]
fn columns_of_numbers_give_way_before_the_last_is_out_of_sight() {
    journey(async |page| {
        page.open("?open=samples/tile_product.traceg.gz&plan#view=plan").await?;
        page.wait_state("ready", 60).await?;
        quiet(page).await?;
        page.js::<()>(COUNTED, &[]).await?;
        let total = "document.querySelector('.plan__total .plan__share')?.textContent.endsWith('MiB')";
        page.until("the plan with it", 10, total).await?;
        let mut wrong = unseen_at_all_sizes(page, "plan").await?;
        let devices =
            page.js::<String>("return encodeURIComponent(arguments[0])", &[json!(ENERGIES)]).await?;
        page.open(&format!("?open=samples/lifetimes.log.gz&energies#view=lifetimes&devices={devices}"))
            .await?;
        page.wait_state("ready", 60).await?;
        page.until("energies", 10, "document.querySelector('.lifetimes__devices--energy')").await?;
        wrong.extend(unseen_at_all_sizes(page, "energies").await?);
        assert_eq!(wrong, Vec::<String>::new());
        Ok(())
    });
}

#[test]
fn a_line_of_code_that_is_cut_is_told_at_the_pointer() {
    journey(async |page| {
        let size = json!({"width": 1280, "height": 800, "deviceScaleFactor": 1, "mobile": false});
        page.devtools("Emulation.setDeviceMetricsOverride", size).await?;
        page.open("?open=samples/flash_attention.bin&line#view=source").await?;
        page.wait_state("ready", 60).await?;
        quiet(page).await?;
        // The text of a row in the layer over the picture: one that is longer than its cell, and one that is not.
        let cells = "[...document.querySelectorAll('.listing .text-layer__cell--code')]
            .filter(cell => 10 < cell.textContent.trim().length && cell.getBoundingClientRect().top > 160
                && cell.getBoundingClientRect().bottom < 600 && cell.getBoundingClientRect().left < 400)
            .map(cell => {
                const { left, top, height } = cell.getBoundingClientRect();
                const is_cut = cell.clientWidth < cell.scrollWidth;
                return [is_cut, left + 30, top + height / 2, cell.textContent.trim().replace(/\\s+/g, ' ')];
            })";
        let first = format!("[true, false].map(cut => {cells}.find(cell => cell[0] === cut))");
        page.until("both are there", 30, &format!("{first}.every(cell => cell)")).await?;
        let both: [(bool, f64, f64, String); 2] = page.js(&format!("return {first}"), &[]).await?;
        let [cut, whole] = both.map(|(_, x, y, text)| (Point { x, y }, text));
        page.hover(cut.0).await?;
        assert_eq!(page.tooltip_text().await?, cut.1);
        page.hover(whole.0).await?;
        page.until("nothing more to tell", 5, "!document.querySelector('[role=tooltip]')").await
    });
}

/// The least height of what a selector finds in the view that is shown.
async fn least_height(page: &Page, selector: &str) -> Outcome<f64> {
    let body = "const all = [...document.querySelectorAll('.page__view:not([hidden]) ' + arguments[0])];
        const heights = all.filter(one => !one.closest('[hidden]')).map(one => one.getBoundingClientRect().height);
        return heights.length ? Math.min(...heights) : 0";
    page.js(body, &[json!(selector)]).await
}

/// 1280 × 800 with everything twice as large.
#[test]
fn a_low_window_scrolls_before_panes_have_no_room() {
    journey(async |page| {
        let size = json!({"width": 640, "height": 400, "deviceScaleFactor": 2, "mobile": false});
        page.devtools("Emulation.setDeviceMetricsOverride", size).await?;
        page.open("?open=samples/training_step.json").await?;
        page.wait_state("ready", 60).await?;
        let panes = [("tab-timeline", ".timeline__lanes"), ("tab-statistics", ".split__pane .table__scroll")];
        for (view, pane) in panes {
            press(page, view).await?;
            quiet(page).await?;
            let height = least_height(page, pane).await?;
            assert!(100.0 < height, "{pane}: {height}");
            let theme = page.js::<String>("return document.documentElement.dataset.theme", &[]).await?;
            assert_eq!(theme, "light", "{pane}");
        }
        let scrolls = "return innerHeight < document.scrollingElement.scrollHeight";
        assert!(page.js::<bool>(scrolls, &[]).await?);
        Ok(())
    });
}

/// Whether source and instructions stand one below the other, each as wide as the sheet at most.
const BELOW: &str = "
    const sides = [...document.querySelectorAll('.listing')].map(one => one.getBoundingClientRect());
    return sides.length === 2 && sides[0].bottom <= sides[1].top + 1 && sides.every(one => one.width <= innerWidth)";

/// How many rows of each listing are printed, and how many it has.
const PRINTED: &str = "
    const rows = one => one.querySelectorAll('.listing__sheet tbody tr').length;
    const all = one => Number(one.querySelector('[aria-rowcount]').getAttribute('aria-rowcount')) - 1;
    return [...document.querySelectorAll('.listing')].map(one => [rows(one), all(one)])";

/// Tables that show some of their rows without saying which.
const SILENT: &str = "
    const isCut = table => {
        const scroll = table.querySelector('.table__scroll');
        return scroll && scroll.clientHeight + 20 < scroll.scrollHeight;
    };
    const says = table => table.querySelector('.table__paper')?.checkVisibility();
    return [...document.querySelectorAll('.table')].filter(one => isCut(one) && !says(one)).length";

/// A frame that is still dark is turned on paper, one that was drawn light is not.
#[test]
fn no_canvas_is_dark_on_paper() {
    journey(async |page| {
        let dark = json!([{"name": "prefers-color-scheme", "value": "dark"}]);
        page.devtools("Emulation.setEmulatedMedia", json!({"media": "screen", "features": dark})).await?;
        page.open("?open=samples/flash_attention.bin#view=timeline").await?;
        page.wait_state("ready", 60).await?;
        quiet(page).await?;
        let n_dark = "return document.querySelectorAll('.canvas[data-dark]').length";
        assert_ne!(page.js::<usize>(n_dark, &[]).await?, 0);
        page.devtools("Emulation.setEmulatedMedia", json!({"media": "print", "features": dark})).await?;
        quiet(page).await?;
        assert_eq!(page.js::<usize>(n_dark, &[]).await?, 0, "drawn light");
        let filters = "
            const canvas = document.querySelector('.timeline .canvas, .canvas');
            const filter = () => getComputedStyle(canvas).filter;
            const light = filter();
            canvas.setAttribute('data-dark', '');
            return [light, filter()]";
        let [light, still_dark] = page.js::<[String; 2]>(filters, &[]).await?;
        assert!(light == "none" && still_dark.contains("invert"), "{light}, {still_dark}");
        Ok(())
    });
}

#[test]
fn advice_leaves_the_first_screen_to_the_pipes() {
    journey(async |page| {
        page.open("?open=samples/flash_attention.bin#view=details").await?;
        page.wait_state("ready", 60).await?;
        let shown =
            "[...document.querySelectorAll('.advice__row')].filter(row => row.checkVisibility()).length";
        page.until("three of the advice", 30, &format!("{shown} === 3")).await?;
        let pipes = "document.getElementById('figure-pipes')";
        page.until("the pipes", 20, &format!("{pipes} && {pipes}.getBoundingClientRect().top < 700")).await?;
        let all = "document.querySelectorAll('.advice__row').length";
        page.click_on(".advice__fold").await?;
        page.until("all of it", 10, &format!("{shown} === {all} && 3 < {all}")).await?;
        page.click_on(".advice__fold").await?;
        page.until("three again", 10, &format!("{shown} === 3")).await?;
        Ok(())
    });
}

#[test]
fn what_is_printed_has_a_height_and_no_scroll_bars() {
    journey(async |page| {
        let dark = json!([{"name": "prefers-color-scheme", "value": "dark"}]);
        page.devtools("Emulation.setEmulatedMedia", json!({"media": "print", "features": dark})).await?;
        let panes = [
            ("flash_attention.bin", "tab-source", ".listing__sheet"),
            ("tile_product.traceg.gz", "tab-trace", ".executions__surface"),
            ("flash_attention.bin", "tab-details", ".details"),
        ];
        for (sample, view, pane) in panes {
            page.open(&format!("?open=samples/{sample}&{view}")).await?;
            page.wait_state("ready", 60).await?;
            // Tabs are not printed, but can be pressed.
            press(page, view).await?;
            page.until(pane, 20, &format!("document.querySelector('{pane}')")).await?;
            quiet(page).await?;
            let height = least_height(page, pane).await?;
            assert!(100.0 < height, "{pane}: {height}");
            if view == "tab-source" {
                assert!(
                    page.js::<bool>(BELOW, &[]).await?,
                    "source and instructions stand beside each other"
                );
                let rows = page.js::<Vec<[usize; 2]>>(PRINTED, &[]).await?;
                assert!(
                    rows.len() == 2 && rows.iter().all(|[printed, all]| 20 < *all && printed == all),
                    "{rows:?}"
                );
            }
        }
        let tall = "return [...document.querySelectorAll('.details, .figure__tall')]
            .filter(one => one.clientHeight + 1 < one.scrollHeight).length";
        assert_eq!(page.js::<usize>(tall, &[]).await?, 0);
        // What is folded on the screen is on paper.
        let folded = "return [...document.querySelectorAll('.advice__row')].filter(row => !row.checkVisibility()).length";
        assert_eq!(page.js::<usize>(folded, &[]).await?, 0);
        press(page, "tab-statistics").await?;
        quiet(page).await?;
        let named = page.text(".statistics .table__name").await?;
        assert_eq!(named, "Slices by name", "tables name themselves");
        let silent = page.js::<usize>(SILENT, &[]).await?;
        assert_eq!(silent, 0, "tables that do not say which of their rows are on paper");
        Ok(())
    });
}

/// Panes of the shown view that hold more than paper shows of them and do not say so; then how wide its pictures are, of
/// the width of the sheet.
pub(crate) const CUT: &str = "
    const view = document.querySelector('.page__view:not([hidden])');
    const cut = [...view.querySelectorAll('*')].filter(one => {
        const { overflowX, overflowY, textOverflow } = getComputedStyle(one);
        // Listings are printed as a sheet of all their lines beside them.
        const isOther = one.closest('svg, canvas, button, label, .unseen, .listing__scroll');
        if (!one.clientWidth || textOverflow === 'ellipsis' || isOther) return false;
        const is = how => /auto|scroll|hidden/.test(how);
        const wide = is(overflowX) && one.clientWidth + 2 < one.scrollWidth;
        const high = is(overflowY) && one.clientHeight + 20 < one.scrollHeight;
        const says = one.closest('.table')?.querySelector('.table__paper')?.innerText ?? '';
        return wide && !/columns/.test(says) || high && !says;
    });
    const px = [...view.querySelectorAll('canvas')].filter(one => one.checkVisibility()).map(one => one.getBoundingClientRect().width);
    const names = cut.map(one => `${one.className}: ${one.clientWidth} of ${one.scrollWidth}, ${one.clientHeight} of ${one.scrollHeight}`);
    return [names, Math.max(0, ...px) / innerWidth]";

#[test]
fn paper_has_all_of_a_view_and_its_pictures_are_as_wide_as_the_sheet() {
    let sheet = |width: u32, height: u32| json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false});
    journey(async |page| {
        let views = [
            ("lifetimes.log.gz", "tab-lifetimes", 0.6),
            ("tile_product.traceg.gz", "tab-heatmap", 0.9),
            ("training_step.json", "tab-statistics", 0.0),
        ];
        for (sample, view, least) in views {
            page.devtools("Emulation.setEmulatedMedia", json!({"media": "screen"})).await?;
            page.devtools("Emulation.setDeviceMetricsOverride", sheet(1440, 900)).await?;
            page.open(&format!("?open=samples/{sample}&paper")).await?;
            page.wait_state("ready", 60).await?;
            press(page, view).await?;
            quiet(page).await?;
            page.devtools("Emulation.setEmulatedMedia", json!({"media": "print"})).await?;
            page.devtools("Emulation.setDeviceMetricsOverride", sheet(718, 1047)).await?;
            quiet(page).await?;
            let (cut, width) = page.js::<(Vec<String>, f64)>(CUT, &[]).await?;
            assert!(cut.is_empty() && least <= width, "{view}: {width}, {cut:#?}");
        }
        Ok(())
    });
}

#[test]
fn every_pane_of_every_view_can_be_reached_and_read() {
    let samples = std::fs::read_to_string(page::dist().join("samples/index.json")).expect("the samples");
    let samples: Vec<serde_json::Value> = serde_json::from_str(&samples).expect("a list");
    journey(async |page| {
        let mut wrong = Vec::new();
        for sample in samples.iter().filter_map(|sample| sample["files"][0].as_str()) {
            wrong.extend(walk(page, sample).await?);
        }
        page.open("?ranks").await?;
        page.drop_file(&traces::ranks()?).await?;
        page.wait_state("ready", 30).await?;
        wrong.extend(walk_opened(page, "two ranks").await?);
        let mut operator = std::path::PathBuf::new();
        for (at, duration) in [(1, 120.5), (2, 80.25), (3, 310.0)] {
            let path = format!("walked/OPPROF_{at}/visualize_data.bin");
            operator = crate::compare::bin(&path, duration, 2 * at)?;
        }
        page.open("?project").await?;
        page.drop_file(operator.ancestors().nth(2).unwrap_or(&operator)).await?;
        page.wait_state("ready", 30).await?;
        wrong.extend(walk_opened(page, "a project").await?);
        if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n").into()) }
    });
}
