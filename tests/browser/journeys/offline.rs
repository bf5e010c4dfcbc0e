//! The browser keeps the page: it opens without a network, a newer version waits until it is asked for, and nobody gets
//! half of one.

use std::fs;
use std::path::{Path, PathBuf};

use lanescope_browser::journey::scratch;
use lanescope_browser::{Outcome, Page, journey_kept, journey_recorded, page, traces};
use serde_json::json;
use xtask::page::{assemble, offline};

/// Waits until the page and the samples are kept; they are as many.
async fn until_kept(page: &Page) -> Outcome<usize> {
    page.until("it is kept", 120, "navigator.serviceWorker.controller?.state === 'activated'").await?;
    let body = "const done = arguments[arguments.length - 1];
        (async () => {
            const list = await (await fetch('samples/index.json')).json();
            const files = list.flatMap(sample => sample.files);
            for (;;) {
                const kept = await Promise.all(files.map(file => caches.match(new URL(`samples/${file}`, document.baseURI))));
                if (kept.every(file => file)) return done(files.length);
                await new Promise(later => setTimeout(later, 50));
            }
        })()";
    page.when_done(body, &[]).await
}

/// Opens a sample of the first screen.
async fn open_sample(page: &Page, sample: &str) -> Outcome {
    page.activate(&format!("[data-sample={sample}]")).await?;
    page.wait_state("ready", 60).await
}

/// Goes through all views of what is open: each shows something, and nothing that could not be loaded.
async fn walk(page: &Page) -> Outcome<usize> {
    let tabs = "return [...document.querySelectorAll('.page__tabs [role=tab]')].map(tab => tab.id)";
    let tabs: Vec<String> = page.js(tabs, &[]).await?;
    for tab in &tabs {
        page.activate(&format!("#{tab}")).await?;
        let shown = format!(
            "(view => view?.checkVisibility() && (view.querySelector('canvas') || 20 < view.innerText.length)
                && !view.querySelector('[data-action=load-again]'))
            (document.getElementById(document.getElementById('{tab}').getAttribute('aria-controls')))"
        );
        page.until(&format!("what {tab} shows"), 30, &shown).await?;
    }
    Ok(tabs.len())
}

const SAMPLES: [&str; 6] = ["attention", "training", "instrumented", "nnapi", "lifetimes", "probes"];

#[test]
fn the_page_opens_without_a_network_with_all_its_views_and_samples() {
    journey_kept(async |page| {
        page.open("").await?;
        assert_eq!(until_kept(page).await?, SAMPLES.len());
        page.until("it is said", 10, "document.querySelector('[data-action=offline][data-kept]')").await?;
        page.go_offline().await?;
        let mut n_views = 0;
        for (i, sample) in SAMPLES.into_iter().enumerate() {
            page.open(&format!("?{i}#lang=en")).await?;
            open_sample(page, sample).await?;
            n_views += walk(page).await?;
        }
        assert!(3 * SAMPLES.len() < n_views, "{n_views}");
        page.open("?dropped#lang=zh").await?;
        page.until("it is Chinese", 10, "document.querySelector('.page__skip')?.textContent === '跳到内容'")
            .await?;
        page.until("that too", 10, "document.querySelector('[data-kept]')?.innerText === '可离线使用'")
            .await?;
        page.drop_file(&traces::known("offline.json")?).await?;
        page.wait_state("ready", 30).await?;
        walk(page).await?;
        Ok(())
    });
}

/// Addresses that name a file, the frame's example, and the page by its file's name.
#[test]
fn every_way_to_the_page_works_without_a_network() {
    journey_kept(async |page| {
        page.open("").await?;
        until_kept(page).await?;
        page.go_offline().await?;
        page.open("?open=samples/nnapi.txt.gz#view=details").await?;
        page.wait_state("ready", 60).await?;
        page.open("index.html?open=samples/probes.zip").await?;
        page.wait_state("ready", 60).await?;
        page.js::<()>("location.href = 'embed.html'; return null", &[]).await?;
        page.until("the frame is ready", 30, "document.querySelector('#files:enabled')").await?;
        page.open("?home").await
    });
}

/// What newer versions are called.
const NEWER: &str = "2222222222222222";

/// The build of the page that is shown.
const BUILD: &str = "document.querySelector('meta[name=lanescope-build]')?.content";

/// A part of the worker's program; in newer versions it is 4 bytes longer.
const PART: &str = "worker_parts/split_tables.wasm";

/// A version of the page that differs in its build, in a part of its program, and in what its link to the main part is
/// called in Chinese.
fn newer(name: &str) -> Outcome<PathBuf> {
    let to = scratch().join("newer").join(name);
    let _ = fs::remove_dir_all(&to);
    assemble::copy(&page::dist(), &to)?;
    let named = "name=\"lanescope-build\" content=\"";
    let html = fs::read_to_string(to.join("index.html"))?;
    let (before, after) = html.split_once(named).ok_or("the page names no build")?;
    let (_, after) = after.split_once('"').ok_or("the build has no end")?;
    fs::write(to.join("index.html"), format!("{before}{named}{NEWER}\"{after}"))?;
    let part = [fs::read(to.join(PART))?, vec![0, 2, 1, b'x']].concat(); // a section that says nothing
    fs::write(to.join(PART), part)?;
    let words = to.join("words.zh-CN.txt");
    fs::write(&words, fs::read_to_string(&words)?.replace("\t跳到内容\n", "\t新的\n"))?;
    offline::write_worker(&to, NEWER, true)?;
    Ok(to)
}

/// Has the browser look for a newer version, as it does by itself in time, and waits until it is done with it.
async fn look_for_newer(page: &Page) -> Outcome {
    let body = "const done = arguments[arguments.length - 1];
        (async () => {
            const registration = await navigator.serviceWorker.ready;
            await registration.update();
            while (registration.installing) await new Promise(later => setTimeout(later, 20));
            done(null);
        })()";
    page.when_done(body, &[]).await
}

/// How long the part is that the page gets for its own.
async fn part_len(page: &Page) -> Outcome<usize> {
    let body = format!(
        "const done = arguments[arguments.length - 1];
        fetch('{PART}?b=' + {BUILD}).then(file => file.arrayBuffer()).then(bytes => done(bytes.byteLength))"
    );
    page.when_done(&body, &[]).await
}

/// How the link to the main part is called in Chinese, when the page shows it.
async fn until_named(page: &Page, name: &str) -> Outcome {
    page.js::<()>("location.hash = 'lang=zh'; return null", &[]).await?;
    page.until(name, 10, &format!("document.querySelector('.page__skip')?.textContent === '{name}'")).await
}

/// The builds that the browser keeps.
async fn kept_builds(page: &Page) -> Outcome<Vec<String>> {
    page.js("return caches.keys().then(names => names.map(name => name.split(' ').pop()))", &[]).await
}

const NOTICE: &str = "document.querySelector('[data-action=update]')";

#[test]
fn a_newer_version_waits_for_a_click_and_the_older_one_stays_whole() {
    journey_kept(async |page| {
        page.open("").await?;
        until_kept(page).await?;
        let build: String = page.js(&format!("return {BUILD}"), &[]).await?;
        let len = fs::metadata(page::dist().join(PART))?.len() as usize;
        page.serve(&newer("whole")?);
        assert!(page.js::<bool>(&format!("window.isOld = true; return {NOTICE} === null"), &[]).await?);
        look_for_newer(page).await?;
        page.until("the notice", 30, NOTICE).await?;
        // A window of the older version, opened while the newer one waits.
        let first = page.open_window("?second").await?;
        assert_eq!(page.js::<String>(&format!("return {BUILD}"), &[]).await?, build);
        page.until("the notice there too", 30, NOTICE).await?;
        page.go_to(&first).await?;
        // The server has no file of the older version that differs, and the page gets them.
        assert_eq!(part_len(page).await?, len);
        until_named(page, "跳到内容").await?;
        assert!(page.js::<bool>("return window.isOld === true", &[]).await?, "it reloaded by itself");
        page.click_on("[data-action=update]").await?;
        page.until("the newer version", 60, &format!("{BUILD} === '{NEWER}' && window.wasmBindings")).await?;
        page.until("it is not old", 10, &format!("{NOTICE} === null")).await?;
        assert_eq!(part_len(page).await?, len + 4);
        until_named(page, "新的").await?;
        until_kept(page).await?;
        assert!(kept_builds(page).await?.contains(&build), "a page of it lives");
        // The other window is as old as it was, with all that it may ask for.
        let second = page.other_window().await?;
        page.go_to(&second).await?;
        assert_eq!(page.js::<String>(&format!("return {BUILD}"), &[]).await?, build);
        assert_eq!(part_len(page).await?, len);
        until_named(page, "跳到内容").await?;
        page.close_window(&first).await?;
        // Without a page of it the older version goes.
        page.open("?again").await?;
        let only = format!(
            "(caches.keys().then(names => window.nKept = names.length), window.nKept === 1) && {BUILD} === '{NEWER}'"
        );
        page.until("one version is kept", 30, &only).await
    });
}

/// What is done to a file.
type Spoil = fn(&Path) -> std::io::Result<()>;

/// One file is missing, one is not what the list says: as when a server changes meanwhile.
#[test]
fn a_version_that_does_not_come_whole_changes_nothing() {
    journey_kept(async |page| {
        page.open("").await?;
        until_kept(page).await?;
        let build: String = page.js(&format!("return {BUILD}"), &[]).await?;
        let spoil: [(&str, Spoil); 2] =
            [("missing", |part| fs::remove_file(part)), ("other", |part| fs::write(part, "other"))];
        for (name, spoil) in spoil {
            let to = newer(name)?;
            spoil(&to.join(PART))?;
            page.serve(&to);
            look_for_newer(page).await?;
            assert_eq!(kept_builds(page).await?, std::slice::from_ref(&build), "{name}");
            assert!(page.js::<bool>(&format!("return {NOTICE} === null"), &[]).await?, "{name}");
            page.open(&format!("?{name}")).await?;
            assert_eq!(page.js::<String>(&format!("return {BUILD}"), &[]).await?, build, "{name}");
            open_sample(page, "training").await?;
            walk(page).await?;
        }
        Ok(())
    });
}

/// Browsers that have no service workers, or that refuse them by exceptions and errors.
#[test]
fn without_a_service_worker_the_page_works_as_ever() {
    const PLACE: &str = "Object.defineProperty(Navigator.prototype, 'serviceWorker'";
    const MISSING: &str = "delete Navigator.prototype.serviceWorker";
    let throws = format!("{PLACE}, {{ get() {{ throw new DOMException('no', 'SecurityError'); }} }})");
    let refuses =
        format!("{PLACE}, {{ get() {{ return {{ register: () => Promise.reject(new Error('no')) }}; }} }})");
    for script in [MISSING, &throws, &refuses] {
        journey_kept(async |page| {
            page.before_load(script).await?;
            page.open("").await?;
            open_sample(page, "nnapi").await?;
            // The last part is there: next the page would be kept.
            let all =
                "performance.getEntriesByType('resource').some(entry => entry.name.includes('split_tables'))";
            page.until("all parts", 60, all).await?;
            page.activate("[data-action=close-document]").await?;
            page.until("it is said", 10, "document.querySelector('[data-action=offline]:not([data-kept])')")
                .await?;
            assert_eq!(page.text("[data-action=offline]").await?, "Works offline while open");
            page.click_on("[data-action=offline]").await?;
            page.until("what it means", 10, "document.querySelector('dialog[open] .terms__row')").await
        });
    }
}

#[test]
fn where_no_storage_is_left_the_page_works_online() {
    journey_kept(async |page| {
        page.open("#lang=en").await?;
        let origin: String = page.js("return location.origin", &[]).await?;
        page.devtools("Storage.overrideQuotaForOrigin", json!({ "origin": origin, "quotaSize": 100_000 }))
            .await?;
        let ended = "(navigator.serviceWorker.getRegistration().then(r => window.isRefused = !r),
            performance.getEntriesByType('resource').some(entry => entry.name.includes('split_tables')) && window.isRefused)";
        page.until("it is not kept", 120, ended).await?;
        let said = "document.querySelector('[data-action=offline]:not([data-kept])')?.innerText === 'Works offline while open'";
        page.until("it is said", 10, said).await?;
        assert!(page.js::<bool>("return document.querySelector('.toast') === null", &[]).await?);
        page.open("?again").await?;
        open_sample(page, "training").await?;
        walk(page).await?;
        Ok(())
    });
}

#[test]
fn browsers_offer_to_install_the_page() {
    journey_kept(async |page| {
        page.open("").await?;
        let errors = page.devtools("Page.getInstallabilityErrors", json!({})).await?;
        assert_eq!(errors["installabilityErrors"], json!([]), "{errors}");
        let manifest = page.devtools("Page.getAppManifest", json!({})).await?;
        assert_eq!(manifest["errors"], json!([]), "{manifest}");
        assert!(manifest["url"].as_str().is_some_and(|url| url.ends_with("/lanescope/manifest.webmanifest")));
        Ok(())
    });
}

/// What pages, frames and workers of a session ask for, by the browser's own record.
#[test]
fn a_session_asks_no_other_origin() {
    let session = async |page: &Page| {
        page.open("").await?;
        until_kept(page).await?;
        for (i, sample) in SAMPLES.into_iter().enumerate() {
            page.open(&format!("?{i}#lang={}", if i == 0 { "zh" } else { "en" })).await?;
            open_sample(page, sample).await?;
            walk(page).await?;
        }
        page.drop_file(&traces::known("session.json")?).await?;
        page.wait_state("ready", 30).await?;
        walk(page).await?;
        Ok(())
    };
    journey_recorded(session, |asked| {
        // Of pages, and of what keeps them.
        for name in ["_bg.wasm", "samples/index.json", "service-worker.js", "embed.html", "worker_parts/"] {
            assert!(asked.iter().any(|address| address.contains(name)), "{name} is not among {asked:#?}");
        }
    });
}
