//! What comes back: places by the browser and by links, notes, files of the list, a baseline.

use lanescope_browser::pointer::CTRL;
use lanescope_browser::screen::{Point, Rect};
use lanescope_browser::{Outcome, Page, journey, page as built};
use serde::Deserialize;
use serde_json::json;

use super::{Sample, each_view, open, reload, samples};
use crate::notes::{self, GIVE, KEEP_SAVED, TEXTS};
use crate::reach::{VIEWS, quiet};
use crate::{reach, sessions};

/// What the shown view says of its place: words for its pictures, what is chosen and told of, the address.
const SHOWN: &str = r"const view = document.querySelector('.page__view:not([hidden])');
    const plain = text => text.replace(/\s+/g, ' ').trim();
    const all = (kind, say) => [...view.querySelectorAll(kind)].filter(one => one.checkVisibility()).map(say);
    return {
        pictures: all('canvas[aria-label]', one => one.getAttribute('aria-label')),
        chosen: all('[aria-selected=true], [aria-current=true], [aria-checked=true]', one => plain(one.innerText).slice(0, 80)),
        told: all('.detail__name, .detail__title', one => plain(one.innerText)),
        address: location.hash,
    }";

#[derive(Clone, Debug, Deserialize, PartialEq)]
struct Shown {
    pictures: Vec<String>,
    chosen: Vec<String>,
    told: Vec<String>,
    address: String,
}

/// What is shown when nothing moves any more; the address follows a little later.
async fn shown(page: &Page) -> Outcome<Shown> {
    quiet(page).await?;
    page.when_done::<()>("setTimeout(arguments[0], 500)", &[]).await?;
    page.js(SHOWN, &[]).await
}

/// Where the largest picture of the shown view is.
const PICTURE: &str = "const area = one => one.clientWidth * one.clientHeight;
    const all = [...document.querySelectorAll('.page__view:not([hidden]) canvas')].filter(one => one.checkVisibility());
    return all.sort((a, b) => area(b) - area(a))[0]?.getBoundingClientRect().toJSON() ?? null";

/// Zooms in and presses one thing after the other until one is chosen; says whether either changed something.
async fn change(page: &Page, picture: &Rect) -> Outcome<[bool; 2]> {
    let at =
        |share: f64| Point { x: picture.x + picture.width * 0.45, y: picture.y + picture.height * share };
    let before = shown(page).await?;
    for _ in 0..2 {
        page.wheel(at(0.4), -120.0, CTRL).await?;
    }
    let near = shown(page).await?;
    for share in [0.2, 0.3, 0.12, 0.45, 0.6, 0.8] {
        page.click(at(share)).await?;
        let now = shown(page).await?;
        if (&now.told, &now.chosen) != (&near.told, &near.chosen) {
            return Ok([near.address != before.address, true]);
        }
    }
    Ok([near.address != before.address, false])
}

/// Goes away and back by the browser, forward and back, then loads the page anew: what is shown stays.
async fn comes_back(page: &Page) -> Outcome<Vec<String>> {
    let before = shown(page).await?;
    let mut wrong = Vec::new();
    let is_there = format!("location.hash === {}", json!(before.address));
    reach::press(page, "tab-report").await?;
    page.until("the report", 10, "location.hash.includes('view=report')").await?;
    for step in ["back", "forward", "back"] {
        page.js::<()>(&format!("history.{step}(); return null"), &[]).await?;
        let there = if step == "back" { is_there.as_str() } else { "location.hash.includes('view=report')" };
        page.until(step, 10, there).await?;
    }
    let back = shown(page).await?;
    if back != before {
        wrong.push(format!("back: {before:?} became {back:?}"));
    }
    // What the link says is what the address says.
    page.js::<()>("window.copied = null; return null", &[]).await?;
    page.press("l", lanescope_browser::pointer::ALT).await?;
    page.until("the link is copied", 10, "window.copied === location.href").await?;
    let said = "[...document.querySelectorAll('.toast')].some(toast => toast.innerText.includes('The link opens the files automatically'))";
    page.until("nothing else is needed", 10, said).await?;
    reload(page).await?;
    let again = shown(page).await?;
    if again != before {
        wrong.push(format!("reload: {before:?} became {again:?}"));
    }
    Ok(wrong)
}

#[test]
fn window_and_choice_of_every_picture_come_back_by_the_browser_and_by_its_link() {
    journey(async |page| {
        page.before_load(sessions::KEEP_COPIED).await?;
        let mut wrong = Vec::new();
        for sample in samples() {
            open(page, &sample, "places=", "view=overview").await?;
            let (mut n_near, mut n_chosen) = (0, 0);
            let lines = each_view(page, async |view| {
                let is_drawn = !["tab-overview", "tab-details", "tab-report"].contains(&view);
                let picture: Option<Rect> = page.js(PICTURE, &[]).await?;
                let Some(picture) = picture.filter(|_| is_drawn) else { return Ok(Vec::new()) };
                let [is_near, is_chosen] = change(page, &picture).await?;
                n_near += u32::from(is_near);
                n_chosen += u32::from(is_chosen);
                comes_back(page).await
            });
            wrong.extend(super::of(&sample, lines.await?));
            assert!(0 < n_near && 0 < n_chosen, "{}: {n_near} near, {n_chosen} chosen", sample.file());
        }
        super::nothing(&wrong)
    });
}

/// The last view but the report, where a note is written.
async fn go_to_last(page: &Page) -> Outcome<String> {
    let views: Vec<String> = page.js(VIEWS, &[]).await?;
    let view = views.iter().rev().find(|view| *view != "tab-report").ok_or("there is no view")?;
    reach::press(page, view).await?;
    quiet(page).await?;
    let id = view.trim_start_matches("tab-").to_owned();
    page.until("the address says so", 10, &format!("location.hash.includes('view={id}')")).await?;
    Ok(id)
}

/// Writes a note, and finds it on another visit; it leads to its place, leaves as a file and comes back from it.
async fn noted(page: &Page, sample: &Sample) -> Outcome {
    open(page, sample, "noted=", "view=overview").await?;
    let view = go_to_last(page).await?;
    let text = format!("seen in {}", sample.id);
    notes::note(page, &text).await?;
    open(page, sample, "later=", "view=overview").await?;
    let badge = "document.querySelector('[data-action=notes]')?.innerText.includes('1')";
    page.until("one note", 10, badge).await?;
    page.activate("[data-action=notes]").await?;
    let is_listed = format!("{TEXTS}.join() === '{text}'");
    page.until("it is listed", 10, &is_listed).await?;
    page.activate("[data-action=go-to-note]").await?;
    page.until("its place", 20, &format!("location.hash.includes('view={view}')")).await?;
    page.activate("[data-action=notes]").await?;
    page.activate("[data-action=export-notes]").await?;
    page.until("a file", 20, &format!("window.saved.includes('{text}')")).await?;
    let saved: String = page.js("return window.saved", &[]).await?;
    page.activate("[data-action=delete-note]").await?;
    page.until("none is left", 10, &format!("{TEXTS}.length === 0")).await?;
    page.js::<()>(GIVE, &[saved.into()]).await?;
    page.activate("[data-action=import-notes]").await?;
    page.until("it is back", 20, &is_listed).await
}

#[test]
fn a_note_of_every_sample_leads_to_its_place_and_travels_as_a_file() {
    journey(async |page| {
        page.before_load(KEEP_SAVED).await?;
        for sample in samples() {
            noted(page, &sample).await?;
        }
        Ok(())
    });
}

/// Puts a sample into the browser's own file system, and lets the picker give its handle.
const WRITE: &str = "const [name, done] = arguments;
    (async () => {
        const bytes = await (await fetch(`samples/${name}`)).arrayBuffer();
        const root = await navigator.storage.getDirectory();
        const handle = await root.getFileHandle(name, { create: true });
        const file = await handle.createWritable();
        await file.write(bytes);
        await file.close();
        window.showOpenFilePicker = async () => [handle];
    })().then(() => done(null), error => done(String(error)))";

async fn write(page: &Page, sample: &Sample) -> Outcome {
    let said: Option<String> = page.when_done(WRITE, &[json!(sample.file())]).await?;
    assert_eq!(said, None);
    Ok(())
}

#[test]
fn every_sample_opens_again_from_the_list_as_it_was_seen_and_is_read_anew_where_it_changed() {
    journey(async |page| {
        for sample in samples() {
            page.open(&format!("?first={}", sample.id)).await?;
            write(page, &sample).await?;
            sessions::choose(page).await?;
            let view = go_to_last(page).await?;
            let kept = format!("localStorage['lanescope.recent'].split('\\n')[0].includes('{view}')");
            page.until("its place is kept", 10, &kept).await?;
            page.open(&format!("?again={}#view=report", sample.id)).await?;
            page.until("it is listed", 10, "document.querySelector('.recent__open .recent__name')").await?;
            assert_eq!(page.text(".recent__open .recent__name").await?, sample.file());
            assert!(!page.text(".recent__system").await?.is_empty(), "{}", sample.file());
            page.activate(".recent__open").await?;
            page.wait_state("ready", 30).await?;
            let is_there = format!("location.hash.includes('view={view}')");
            page.until("the view", 10, &is_there).await?;
            // Written by its tool once more while it is watched.
            sessions::of_menu(page, "Watch for changes").await?;
            page.until("it is watched", 10, "document.querySelector('[data-action=stop-watching]')").await?;
            write(page, &sample).await?;
            page.until("it changed", 20, "document.querySelector('.status__disk [data-action=reopen]')")
                .await?;
            page.activate("[data-action=reopen]").await?;
            page.until("nothing is said any more", 30, "!document.querySelector('[data-action=reopen]')")
                .await?;
            page.wait_state("ready", 30).await?;
            page.until("the view as before", 10, &is_there).await?;
        }
        Ok(())
    });
}

/// As in a browser that gives no handles of what is dropped: the list knows names alone, and a press lets one choose.
#[test]
fn every_sample_that_is_known_by_its_name_opens_as_it_was_seen_when_it_is_chosen_again() {
    journey(async |page| {
        page.before_load("delete DataTransferItem.prototype.getAsFileSystemHandle;").await?;
        for sample in samples() {
            page.open(&format!("?dropped={}", sample.id)).await?;
            page.drop_file(&built::dist().join("samples").join(sample.file())).await?;
            page.wait_state("ready", 30).await?;
            let view = go_to_last(page).await?;
            let kept = format!("localStorage['lanescope.recent'].split('\\n')[0].includes('{view}')");
            page.until("its place is kept", 10, &kept).await?;
            page.open(&format!("?chosen={}#view=report", sample.id)).await?;
            write(page, &sample).await?;
            page.until("it is listed", 10, "document.querySelector('.recent__open .recent__name')").await?;
            assert_eq!(page.text(".recent__open .recent__name").await?, sample.file());
            page.activate(".recent__open").await?;
            page.wait_state("ready", 30).await?;
            page.until("the view", 10, &format!("location.hash.includes('view={view}')")).await?;
        }
        Ok(())
    });
}

#[test]
fn every_sample_beside_itself_does_not_differ_and_a_link_keeps_the_baseline() {
    const WRONG: &str = "return [...document.querySelectorAll('.table__cell--better, .table__cell--worse')].map(cell => cell.innerText)";
    journey(async |page| {
        for sample in samples() {
            let file = sample.file();
            // Some tables hold differences of their own.
            open(page, &sample, "alone=", "view=details").await?;
            let own: Vec<String> = page.js(WRONG, &[]).await?;
            page.open(&format!("?open=samples/{file}&baseline=samples/{file}#view=overview")).await?;
            page.wait_state("ready", 60).await?;
            for visit in ["opened", "loaded anew"] {
                page.until(visit, 20, "document.querySelector('.compare [data-side=A]')").await?;
                let same = "[...document.querySelectorAll('.overview__value > span')].filter(one => one.innerText === 'the same in A').length";
                page.until("figures are the same", 30, &format!("2 < {same}")).await?;
                reach::press(page, "tab-details").await?;
                quiet(page).await?;
                let wrong: Vec<String> = page.js(WRONG, &[]).await?;
                assert_eq!(wrong, own, "{file} {visit}");
                reach::press(page, "tab-overview").await?;
                page.until(
                    "the address has it",
                    10,
                    "['baseline=', 'view=overview'].every(part => location.hash.includes(part))",
                )
                .await?;
                reload(page).await?;
            }
        }
        Ok(())
    });
}
