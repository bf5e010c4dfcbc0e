//! The page before anything is opened: it starts under a sub-path, under a policy, and it is small.

use lanescope_browser::{journey, page};

/// The most that the page and its worker may weigh without samples, packed as hosts send them, so that a slow line
/// opens them in seconds.
const MAX_PAGE: usize = 750_000;
const MAX_WORKER: usize = 1_300_000;
/// The most that the translations may weigh.
const MAX_WORDS: usize = 80_000;

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
    let (mut page, mut worker, mut probes, mut lifetimes, mut words) = (0, 0, 0, 0, 0);
    for entry in std::fs::read_dir(page::dist()).expect("the page is built").flatten() {
        if entry.path().is_file() {
            let weight = packed(&std::fs::read(entry.path()).expect("a file of the page"));
            let name = entry.file_name().to_string_lossy().into_owned();
            let sum = match name.split('.').next().map(|stem| stem.trim_end_matches("_bg")) {
                Some("worker") => &mut worker,
                Some("worker_probes") => &mut probes, // for those who open what it reads
                Some("worker_lifetimes") => &mut lifetimes,
                _ if name.starts_with("words.") => &mut words, // of a language, for those who read it
                _ => &mut page,
            };
            *sum += weight;
        }
    }
    println!(
        "packed, the page weighs {page} bytes without samples, its workers {worker}, {probes} and {lifetimes}, translations {words}"
    );
    if std::env::var_os("LANESCOPE_SMALL").is_some() {
        assert!((1..=MAX_PAGE).contains(&page), "{page}");
        let workers = [worker, probes, lifetimes];
        assert!(workers.iter().all(|sum| (1..=MAX_WORKER).contains(sum)), "{workers:?}");
        assert!((1..=MAX_WORDS).contains(&words), "{words}");
    } else {
        println!(
            "SKIPPED: the page was built without npm's wasm-opt and esbuild, so its weight is not judged"
        );
    }
}

/// Bytes of a file as hosts send it.
fn packed(file: &[u8]) -> usize {
    let mut out = Vec::new();
    let params = brotli::enc::BrotliEncoderParams { quality: 11, lgwin: 24, ..Default::default() };
    brotli::BrotliCompress(&mut &*file, &mut out, &params).expect("memory takes everything");
    out.len()
}
