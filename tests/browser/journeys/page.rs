//! The page before anything is opened: it starts under a sub-path, under a policy.

use lanescope_browser::journey;

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

/// Without the timer after which all parts are loaded.
#[test]
fn parts_of_the_first_views_are_there_before_a_file_comes() {
    const TIMER: &str = "const usual = window.setTimeout.bind(window);
        window.setTimeout = (act, ms, ...more) => ms === 2000 ? 0 : usual(act, ms, ...more)";
    let is_asked = |part: &str| {
        format!("performance.getEntriesByType('resource').some(e => e.name.includes('split_{part}'))")
    };
    journey(async |page| {
        page.before_load(TIMER).await?;
        page.open("").await?;
        page.until("the overview", 10, &is_asked("overview")).await?;
        page.until("the timeline", 10, &is_asked("timeline")).await?;
        page.until("analyses that most traces want", 10, &is_asked("operators")).await?;
        assert!(!page.js::<bool>(&format!("return {}", is_asked("code")), &[]).await?);
        Ok(())
    });
}

/// What was seen whole is whole again, though the window was changed since.
#[test]
fn back_shows_the_whole_recording_where_it_was_seen() {
    const WINDOW: &str = "location.hash.includes('window=')";
    journey(async |page| {
        page.open("?open=samples/training_step.json#view=timeline").await?;
        page.wait_state("ready", 60).await?;
        page.until("the timeline", 10, "location.hash.includes('file=')").await?;
        page.activate("#tab-statistics").await?;
        page.until("statistics", 10, "location.hash.includes('view=statistics')").await?;
        page.activate("#tab-timeline").await?;
        page.until("the timeline again", 10, "location.hash.includes('view=timeline')").await?;
        page.js::<()>("location.hash += '&window=100000,700000'; return null", &[]).await?;
        page.until("a window", 10, WINDOW).await?;
        page.js::<()>("history.go(-2); return null", &[]).await?;
        page.until(
            "statistics of the whole",
            10,
            &format!("location.hash.includes('view=statistics') && !{WINDOW}"),
        )
        .await?;
        // Longer than until the address is written.
        page.js::<()>("return new Promise(done => setTimeout(() => done(null), 600))", &[]).await?;
        assert!(!page.js::<bool>(&format!("return {WINDOW}"), &[]).await?);
        Ok(())
    });
}

/// What waits to be written is written while the event of the change is still to come.
#[test]
fn an_address_that_is_changed_is_not_written_over() {
    const TIMER: &str = "const usual = window.setTimeout.bind(window);
        window.setTimeout = (act, ms, ...more) =>
            ms === 250 ? (window.writeAddress = act, 0) : usual(act, ms, ...more)";
    journey(async |page| {
        page.before_load(TIMER).await?;
        page.open("").await?;
        page.js::<()>("location.hash = 'lang=zh'; return null", &[]).await?;
        page.until("the page is Chinese", 5, "document.documentElement.lang === 'zh-CN'").await?;
        page.js::<()>("location.hash = 'lang=en'; window.writeAddress(); return null", &[]).await?;
        page.until("the page is English", 5, "document.documentElement.lang === 'en'").await
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
            page.activate("[data-sample=training]").await?;
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
        page.activate_one(CLASSES).await?;
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
