//! The page before anything is opened: it starts under a sub-path, under a policy, and it is small.

use std::io::Write;

use lanescope_browser::{journey, page};

/// The most that may come over the network, packed as hosts send it, until the first picture of an operator is seen: the
/// page, its worker and the part that reads operators. So a slow line opens it in seconds.
const MAX_FIRST: usize = 2_700_000;
/// The most that a part of the page or of the worker may weigh that is loaded later.
const MAX_PART: usize = 700_000;
/// The most that all programs may weigh unpacked.
const MAX_PROGRAMS: usize = 10_500_000;
/// The most that the translations may weigh.
const MAX_WORDS: usize = 100_000;

#[test]
fn the_page_starts_under_a_sub_path() {
    journey(async |page| {
        page.open("").await?;
        assert_eq!(page.state().await?, "idle");
        let asked = page.requests().await?;
        assert!(asked.iter().any(|address| address.ends_with("_bg.wasm")), "{asked:?}");
        Ok(())
    });
}

const WORDS_ASKED: &str =
    "return performance.getEntriesByType('resource').filter(entry => entry.name.includes('/words.')).length";

/// Translations are fetched by those who read them, and only once.
#[test]
fn words_of_a_language_come_when_it_is_chosen() {
    journey(async |page| {
        page.open("").await?;
        assert_eq!(page.js::<usize>(WORDS_ASKED, &[]).await?, 0);
        page.js::<()>("location.hash = 'lang=zh'; return null", &[]).await?;
        page.until(
            "the page is Chinese",
            5,
            "document.querySelector('.page__skip').textContent === '跳到内容'",
        )
        .await?;
        assert_eq!(page.js::<usize>(WORDS_ASKED, &[]).await?, 1);
        page.js::<()>("location.hash = 'lang=en'; return null", &[]).await?;
        page.until("the page is English", 5, "document.documentElement.lang === 'en'").await?;
        page.js::<()>("location.hash = 'lang=zh'; return null", &[]).await?;
        page.until("the page is Chinese again", 5, "document.documentElement.lang === 'zh-CN'").await?;
        assert_eq!(page.js::<usize>(WORDS_ASKED, &[]).await?, 1);
        Ok(())
    });
}

/// By the button beside what is said, and by its tab.
#[test]
fn a_view_that_could_not_be_loaded_is_tried_again() {
    const CUT: &str = "const fetched = window.fetch; window.isCut = true;
        window.fetch = (what, ...more) => window.isCut && String(what.url ?? what).includes('/parts-')
            ? Promise.reject(new TypeError('no network')) : fetched(what, ...more)";
    const SAID: &str = "document.querySelector('[data-action=load-again]') !== null";
    const SHOWN: &str = "200 < document.querySelector('.page__view:not([hidden])').innerText.length";
    for again in ["[data-action=load-again]", "#tab-statistics"] {
        journey(async |page| {
            page.expect_error("no network");
            page.before_load(CUT).await?;
            page.open("#view=statistics").await?;
            page.js::<()>("document.querySelector('[data-sample=training]').click(); return null", &[])
                .await?;
            page.wait_state("ready", 30).await?;
            page.until("it is said", 10, SAID).await?;
            page.js::<()>("window.isCut = false; return null", &[]).await?;
            page.click_on(again).await?;
            page.until("the view is there", 10, &format!("!({SAID}) && {SHOWN}")).await
        });
    }
}

#[test]
fn a_link_keeps_how_idle_time_is_told() {
    const CLASSES: &str = "document.querySelectorAll('.device__figure [role=radio]')[1]";
    journey(async |page| {
        page.open("?open=samples/training_step.json#view=statistics").await?;
        page.wait_state("ready", 60).await?;
        page.until("idle time", 10, CLASSES).await?;
        page.js::<()>(&format!("{CLASSES}.click(); return null"), &[]).await?;
        page.until("it stands in the address", 10, "location.hash.includes('classes')").await?;
        let hash: String = page.js("return location.hash", &[]).await?;
        page.open(&format!("?open=samples/training_step.json&again{hash}")).await?;
        page.wait_state("ready", 60).await?;
        page.until("it is chosen", 10, &format!("{CLASSES}?.ariaChecked === 'true'")).await
    });
}

#[test]
fn the_policy_forbids_what_it_should() {
    journey(async |page| {
        page.open("").await?;
        page.expect_error("Content Security Policy");
        page.expect_error("Refused to");
        // Scripts of the driver may evaluate text; what the page runs by itself later on may not.
        let attempts = "const script = document.createElement('script');
            script.textContent = 'window.intruder = true';
            document.head.append(script);
            setTimeout(() => { try { Function('window.intruder = true')(); } catch { window.isRefused = true; } });
            return null";
        page.js::<()>(attempts, &[]).await?;
        page.until("text is not evaluated", 5, "window.isRefused").await?;
        assert!(page.js::<bool>("return window.intruder === undefined", &[]).await?);
        Ok(())
    });
}

#[test]
fn the_built_page_is_small() {
    let (mut first, mut parts, mut words, mut programs) = (0, Vec::new(), 0, 0);
    let folders = || std::fs::read_dir(page::dist()).expect("the page is built").flatten();
    let mut files: Vec<_> = folders().map(|entry| entry.path()).filter(|path| path.is_file()).collect();
    for folder in folders().map(|entry| entry.path()).filter(|path| path.is_dir()) {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name.starts_with("parts-") || name == "worker_parts" {
            files.extend(std::fs::read_dir(folder).expect("parts").flatten().map(|entry| entry.path()));
        }
    }
    for path in files {
        let bytes = std::fs::read(&path).expect("a file of the page");
        let weight = packed(&bytes);
        let name = path.strip_prefix(page::dist()).unwrap_or(&path).to_string_lossy().into_owned();
        if path.extension().is_some_and(|extension| extension == "wasm") {
            programs += bytes.len();
            println!("{name}: {} bytes, {weight} packed", bytes.len());
        }
        let is_part = name.contains('/') && !name.contains("operators");
        if is_part {
            parts.push((weight, name));
        } else if name.starts_with("words.") {
            words += weight; // of a language, for those who read it
        } else {
            first += weight;
        }
    }
    println!(
        "packed, {first} bytes until the first picture, translations {words}; all programs have {programs}"
    );
    if std::env::var_os("LANESCOPE_SMALL").is_some() {
        assert!((1..=MAX_FIRST).contains(&first), "{first}");
        assert!(parts.iter().all(|(weight, _)| (1..=MAX_PART).contains(weight)), "{parts:?}");
        assert!((1..=MAX_PROGRAMS).contains(&programs), "{programs}");
        assert!((1..=MAX_WORDS).contains(&words), "{words}");
    } else {
        println!(
            "SKIPPED: the page was built without npm's wasm-opt and esbuild, so its weight is not judged"
        );
    }
}

/// Bytes of a file as GitHub Pages sends it.
fn packed(file: &[u8]) -> usize {
    let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    out.write_all(file).and_then(|()| out.finish()).expect("memory takes everything").len()
}
