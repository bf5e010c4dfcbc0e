//! Nothing that happens to a worker, a file, the browser's store or the tab ends the page: it says what happened, one click
//! goes on, and other files open.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use lanescope_browser::journey::scratch;
use lanescope_browser::{Outcome, Page, journey, page, traces};
use serde_json::json;

use crate::reach::quiet;
use crate::timeline::place;

/// A document of this name, which the page has open beside others, is read and answers.
async fn opens(page: &Page, name: &str) -> Outcome {
    page.drop_file(&traces::known(name)?).await?;
    page.until("its title", 60, &format!("document.title.startsWith('{name}')")).await?;
    page.wait_state("ready", 60).await?;
    answers(page, name).await
}

/// The timeline of [`traces::KNOWN`] is drawn, and says what is under the pointer.
async fn answers(page: &Page, name: &str) -> Outcome {
    page.activate("#tab-timeline").await?;
    quiet(page).await?;
    page.hover(place(page, "second", 0.1).await?).await?;
    page.hover(place(page, "second", 0.5).await?).await?;
    let said = page.tooltip_text().await?;
    assert!(said.contains("middle"), "{name}: {said}");
    Ok(())
}

/// Presses the button of this name.
async fn press_named(page: &Page, place: &str, name: &str) -> Outcome {
    let find = format!(
        "[...document.querySelectorAll('{place} button')].find(button => button.textContent.includes('{name}'))"
    );
    page.activate_one(&find).await
}

/// The window that the address names.
const WINDOW: &str = "new URLSearchParams(location.hash.slice(1)).get('window')";

/// Opens a file and shows a part of it in the timeline.
async fn open_part(page: &Page, path: &Path) -> Outcome {
    page.open("").await?;
    page.drop_file(path).await?;
    page.wait_state("ready", 60).await?;
    page.js::<()>("location.hash = '#view=timeline&window=100000,700000'; return null", &[]).await?;
    page.until("the window", 10, &format!("{WINDOW} === '100000,700000'")).await?;
    quiet(page).await
}

// Workers.

#[test]
fn a_worker_killed_while_a_view_is_used_is_said_and_one_click_shows_the_same_again() {
    journey(async |page| {
        page.probe_workers().await?;
        open_part(page, &traces::known("used.json")?).await?;
        page.kill_worker(0).await?;
        page.wait_state("failed", 20).await?;
        let said = page.text("[role=alert]").await?;
        assert!(said.contains("used.json") && said.contains("crashed"), "{said}");
        opens(page, "beside.json").await?;
        press_named(page, ".rail", "used.json").await?;
        press_named(page, "[role=alert]", "Try again").await?;
        page.wait_state("ready", 60).await?;
        page.until("the same part", 30, &format!("{WINDOW} === '100000,700000'")).await?;
        answers(page, "used.json").await
    });
}

#[test]
fn a_worker_that_a_browser_ended_while_a_view_is_used_is_noticed_when_it_is_asked() {
    journey(async |page| {
        page.probe_workers().await?;
        open_part(page, &traces::known("silent.json")?).await?;
        page.silence_worker(0).await?;
        page.activate("#tab-statistics").await?;
        page.until("the user is asked", 60, "document.querySelector('[data-action=give-up]')").await?;
        page.activate("[data-action=give-up]").await?;
        page.wait_state("failed", 20).await?;
        let said = page.text("[role=alert]").await?;
        assert!(said.contains("stopped answering"), "{said}");
        // It was read, and the user stopped it.
        assert!(!said.contains("Reading") && !said.contains("crashed"), "{said}");
        press_named(page, "[role=alert]", "Try again").await?;
        page.wait_state("ready", 60).await?;
        answers(page, "silent.json").await?;
        opens(page, "beside.json").await
    });
}

// Memory.

/// More than a worker needs for small files.
const LITTLE_MIB: u32 = 48;

#[test]
fn a_file_that_needs_more_memory_than_there_is_says_so_and_leaves_the_page() {
    journey(async |page| {
        page.expect_error("unreachable");
        page.limit_memory(LITTLE_MIB).await?;
        page.open("").await?;
        page.drop_file(&traces::large(400_000_000)?).await?;
        page.wait_state("failed", 120).await?;
        let said = page.text("[role=alert]").await?;
        assert!(said.contains("nested") && said.contains("memory"), "{said}");
        opens(page, "small.json").await
    });
}

#[test]
fn memory_that_runs_out_while_a_view_is_used_is_said_and_one_click_goes_on() {
    journey(async |page| {
        page.expect_error("unreachable");
        page.limit_memory(LITTLE_MIB).await?;
        page.probe_workers().await?;
        open_part(page, &traces::known("full.json")?).await?;
        page.take_all_memory(0).await?;
        page.activate("#tab-statistics").await?;
        page.wait_state("failed", 60).await?;
        let said = page.text("[role=alert]").await?;
        assert!(said.contains("full.json") && said.contains("memory"), "{said}");
        press_named(page, "[role=alert]", "Try again").await?;
        page.wait_state("ready", 60).await?;
        answers(page, "full.json").await?;
        opens(page, "beside.json").await
    });
}

// Cancelling.

/// Counts what workers say; `window.atMessage = [n, deed]` does something at the n-th from then on.
const COUNTED: &str = "window.atMessage = null;
    window.nAlive = 0;
    window.Worker = class extends Worker {
        constructor(...args) {
            super(...args);
            window.nAlive++;
            this.addEventListener('message', () => {
                if (window.atMessage && --window.atMessage[0] < 0) { const deed = window.atMessage[1]; window.atMessage = null; deed(); }
            });
        }
        terminate() { if (!this.isEnded) window.nAlive--; this.isEnded = true; super.terminate(); }
    };
    window.cancel = () => {
        const button = document.querySelector('[data-action=cancel]') ?? document.querySelector('[data-action=close-document]');
        button ? button.click() : requestAnimationFrame(cancel);
    };";

/// Moments that look random and are the same each time.
fn moments(n: u64, end: u64) -> impl Iterator<Item = u64> {
    (1..=n).map(move |i| (i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33) % end)
}

#[test]
fn a_file_is_cancelled_at_any_moment_of_loading() {
    journey(async |page| {
        page.before_load(COUNTED).await?;
        page.open("").await?;
        let path = traces::large(20_000_000)?;
        for moment in moments(24, 40) {
            page.js::<()>("window.atMessage = [arguments[0], cancel]; return null", &[json!(moment)]).await?;
            page.drop_file(&path).await?;
            // It may be read before so much was said.
            let over =
                "window.atMessage === null || document.documentElement.dataset.lanescopeState === 'ready'";
            page.until("the moment", 60, over).await?;
            page.js::<()>("if (window.atMessage) { window.atMessage = null; cancel(); } return null", &[])
                .await?;
            page.wait_state("idle", 30).await?;
        }
        page.until("no worker is left but the spare one", 30, "window.nAlive <= 1").await?;
        opens(page, "after.json").await
    });
}

#[test]
fn a_file_is_closed_at_any_moment_of_preparing_a_view() {
    journey(async |page| {
        page.before_load(COUNTED).await?;
        page.open("").await?;
        let path = page::dist().join("samples/flash_attention.bin");
        for moment in moments(24, 30) {
            page.drop_file(&path).await?;
            page.wait_state("ready", 60).await?;
            let body = "window.atMessage = [arguments[0] % 6, cancel];
                const tabs = [...document.querySelectorAll('.page__tabs [role=tab]')];
                tabs[arguments[0] % tabs.length].click();
                setTimeout(() => { if (window.atMessage) { window.atMessage = null; cancel(); } }, 500);
                return null";
            page.js::<()>(body, &[json!(moment)]).await?;
            page.wait_state("idle", 30).await?;
        }
        page.until("no worker is left but the spare one", 30, "window.nAlive <= 1").await?;
        opens(page, "after.json").await
    });
}

// Files on disk.

/// A trace on disk that a journey may change.
fn changing(name: &str) -> Outcome<PathBuf> {
    let path = scratch().join(name);
    // Small files stay in memory, and so does what stands near to what was read last.
    let far = format!("{}\n{{\"ph\": \"X\", \"pid\": 1, \"tid\": 2", " ".repeat(200_000));
    fs::write(&path, traces::KNOWN.replace("\n{\"ph\": \"X\", \"pid\": 1, \"tid\": 2", &far))?;
    Ok(path)
}

/// Chooses the slice in the middle of a track, whose details the worker reads from the file.
async fn choose_slice(page: &Page, track: &str) -> Outcome {
    page.activate("#tab-timeline").await?;
    quiet(page).await?;
    page.click(place(page, track, 0.5).await?).await
}

type Spoil = fn(&Path) -> std::io::Result<()>;

#[test]
fn a_file_that_is_changed_or_deleted_while_it_is_open_is_said_where_it_is_read_again() {
    let spoils: [(&str, Spoil); 2] = [
        ("changed", |path| fs::write(path, format!(" {}", traces::KNOWN))),
        ("deleted", |path| fs::remove_file(path)),
    ];
    for (name, spoil) in spoils {
        journey(async |page| {
            page.open("").await?;
            let path = changing(&format!("{name}.json"))?;
            page.drop_file(&path).await?;
            page.wait_state("ready", 30).await?;
            choose_slice(page, "first").await?;
            let arguments = "/4,?096/.test(document.querySelector('.page__view:not([hidden])')?.innerText)";
            page.until("what stands in the file", 30, arguments).await?;
            tokio::time::sleep(Duration::from_millis(1100)).await; // times of files count in seconds on some disks
            spoil(&path)?;
            choose_slice(page, "second").await?;
            page.until(
                "what is known of it",
                30,
                "document.querySelector('.detail__slice')?.innerText.includes('middle')",
            )
            .await?;
            // It lacks what stands in the file: that is said, and the file can be chosen again.
            page.until(
                "it is said",
                30,
                "/on disk|deleted/.test(document.querySelector('.status__disk')?.innerText)",
            )
            .await?;
            page.until(
                "and in passing",
                30,
                "/on disk|deleted/.test(document.querySelector('.toast')?.innerText)",
            )
            .await?;
            page.js::<()>(GIVE, &[json!(format!("{name}.json")), json!(traces::KNOWN)]).await?;
            page.activate(".status__disk [data-action=reopen]").await?;
            page.until("nothing is said any more", 60, "!document.querySelector('.status__disk')").await?;
            page.wait_state("ready", 60).await?;
            answers(page, name).await?;
            opens(page, "beside.json").await
        });
    }
}

#[test]
fn a_file_that_is_changed_while_it_is_read_is_said_and_chosen_again() {
    journey(async |page| {
        page.open("").await?;
        let path = scratch().join("growing.json");
        fs::copy(traces::large(400_000_000)?, &path)?;
        page.drop_file(&path).await?;
        page.until(
            "a part of it is read",
            60,
            "0 < Number(document.querySelector('[role=progressbar]')?.ariaValueNow ?? 0)",
        )
        .await?;
        fs::write(&path, traces::KNOWN)?;
        // What was read is shown, or nothing could be; either way it is said why.
        let over = "['ready', 'failed'].includes(document.documentElement.dataset.lanescopeState)";
        page.until("it is over", 120, over).await?;
        let said = "/on disk/.test(document.querySelector('.status__disk')?.innerText)";
        page.until("why", 30, said).await?;
        page.js::<()>(GIVE, &[json!("growing.json"), json!(traces::KNOWN)]).await?;
        page.activate(".status__disk [data-action=reopen]").await?;
        page.until("nothing is said any more", 60, "!document.querySelector('.status__disk')").await?;
        page.wait_state("ready", 60).await?;
        answers(page, "growing.json").await
    });
}

/// Lets the picker of files give one of this name and text.
const GIVE: &str = "const [name, text] = arguments;
    delete window.showOpenFilePicker;
    HTMLInputElement.prototype.click = function () {
        const files = new DataTransfer();
        files.items.add(new File([text], name));
        this.files = files.files;
        this.dispatchEvent(new Event('change'));
    };
    return null";

// The browser's store.

const TEXTS: &str = "[...document.querySelectorAll('.notes__text')].map(note => note.textContent)";

/// Opens the panel of notes and writes one, without waiting for it to be kept.
async fn write_note(page: &Page, text: &str) -> Outcome {
    if !page.js::<bool>("return !!document.querySelector('.notes__new')", &[]).await? {
        page.activate("[data-action=notes]").await?;
    }
    page.until("the field", 30, "document.querySelector('.notes__new textarea')").await?;
    let body = "document.querySelector('.notes__new textarea').value = arguments[0]; return null";
    page.js::<()>(body, &[json!(text)]).await?;
    page.activate("[data-action=add-note]").await
}

async fn close_panel(page: &Page) -> Outcome {
    page.js("document.querySelector('dialog[open]')?.close(); return null", &[]).await
}

/// While `window.isFull` holds, nothing can be written: the browser ends what tries.
const FULL: &str = "window.isFull = false;
    const full = () => new DOMException('No room is left', 'QuotaExceededError');
    const put = IDBObjectStore.prototype.put, set = Storage.prototype.setItem;
    IDBObjectStore.prototype.put = function (...args) {
        const request = put.apply(this, args);
        if (window.isFull) this.transaction.abort();
        return request;
    };
    Storage.prototype.setItem = function (...args) { if (window.isFull) throw full(); return set.apply(this, args); };";

#[test]
fn where_no_room_is_left_a_note_stays_in_its_field_and_is_kept_by_one_more_click() {
    journey(async |page| {
        page.before_load(FULL).await?;
        page.open("").await?;
        page.drop_file(&traces::known("noted-full.json")?).await?;
        page.wait_state("ready", 30).await?;
        page.js::<()>("window.isFull = true; return null", &[]).await?;
        write_note(page, "a long thought").await?;
        page.until(
            "it is said",
            30,
            "document.querySelector('.toast')?.innerText.includes('could not keep the note')",
        )
        .await?;
        let said: Vec<String> = page
            .js("return [...document.querySelectorAll('.toast')].map(toast => toast.innerText)", &[])
            .await?;
        assert_eq!(said.len(), 1, "{said:?}");
        assert!(!said[0].contains("JsValue"), "{said:?}");
        let left: String =
            page.js("return document.querySelector('.notes__new textarea').value", &[]).await?;
        assert_eq!(left, "a long thought");
        // Everything else goes on, and forgets what it cannot keep.
        close_panel(page).await?;
        opens(page, "beside.json").await?;
        page.js::<()>("window.isFull = false; return null", &[]).await?;
        press_named(page, ".rail", "noted-full.json").await?;
        write_note(page, "a long thought").await?;
        page.until("it is kept", 30, &format!("{TEXTS}.join() === 'a long thought'")).await?;
        // An edited text is not lost either.
        page.activate("[data-action=edit-note]").await?;
        page.until("the field", 30, "document.querySelector('.notes__one textarea')").await?;
        page.js::<()>("window.isFull = true; document.querySelector('.notes__one textarea').value = 'edited'; return null", &[]).await?;
        page.activate("[data-action=keep-note]").await?;
        page.until("it is said", 30, "1 < document.querySelectorAll('.toast').length").await?;
        page.js::<()>("window.isFull = false; return null", &[]).await?;
        page.activate("[data-action=keep-note]").await?;
        page.until("it is kept", 30, &format!("{TEXTS}.join() === 'edited'")).await
    });
}

#[test]
fn where_no_room_is_left_the_page_starts_opens_and_remembers_nothing() {
    journey(async |page| {
        page.before_load(&FULL.replace("isFull = false", "isFull = true")).await?;
        page.open("").await?;
        opens(page, "full.json").await?;
        page.js::<()>("location.hash = '#view=timeline&theme=dark&lang=zh'; return null", &[]).await?;
        page.until("the page is Chinese", 30, "document.documentElement.lang === 'zh-CN'").await?;
        page.open("?again").await?;
        opens(page, "again.json").await
    });
}

// Two tabs.

#[test]
fn two_tabs_with_one_file_keep_the_notes_of_both() {
    journey(async |page| {
        let path = traces::known("shared.json")?;
        page.open("").await?;
        page.drop_file(&path).await?;
        page.wait_state("ready", 30).await?;
        write_note(page, "of the first").await?;
        page.until("it is kept", 30, &format!("{TEXTS}.length === 1")).await?;
        let first = page.open_window("?second#view=timeline").await?;
        page.drop_file(&path).await?;
        page.wait_state("ready", 30).await?;
        page.until(
            "the first is known",
            30,
            "document.querySelector('[data-action=notes]')?.innerText.includes('1')",
        )
        .await?;
        write_note(page, "of the second").await?;
        let both = format!("{TEXTS}.join() === 'of the first,of the second'");
        page.until("both are there", 30, &both).await?;
        page.close_window(&first).await?;
        page.js::<()>("dispatchEvent(new Event('focus')); return null", &[]).await?;
        page.until("the tab that was hidden shows both", 30, &both).await?;
        write_note(page, "once more").await?;
        page.until(
            "nothing is overwritten",
            30,
            &format!("{TEXTS}.join() === 'of the first,of the second,once more'"),
        )
        .await?;
        // Each tab lists what either opened.
        opens(page, "of-the-first.json").await?;
        page.open("?list").await?;
        let names = "[...document.querySelectorAll('.recent__name')].map(name => name.textContent)";
        page.until(
            "all are listed",
            30,
            &format!("['shared.json', 'of-the-first.json'].every(name => {names}.includes(name))"),
        )
        .await
    });
}

// A tab that sleeps.

/// The page's clocks go on by `window.slept` milliseconds at once, as after a sleep.
const SLEPT: &str = "window.slept = 0;
    const now = Performance.prototype.now, today = Date.now;
    Performance.prototype.now = function () { return now.call(this) + window.slept; };
    Date.now = () => today() + window.slept;
    let isHidden = false, held = [];
    Object.defineProperty(Document.prototype, 'hidden', { get: () => isHidden });
    Object.defineProperty(Document.prototype, 'visibilityState', { get: () => isHidden ? 'hidden' : 'visible' });
    const frame = window.requestAnimationFrame;
    window.requestAnimationFrame = draw => isHidden ? held.push(draw) : frame.call(window, draw);
    window.hide = is => {
        isHidden = is;
        document.dispatchEvent(new Event('visibilitychange'));
        if (!is) held.splice(0).forEach(draw => frame.call(window, draw));
    };
    window.silences = 0;
    addEventListener('DOMContentLoaded', () => new MutationObserver(() => { window.silences += !!document.querySelector('[data-action=give-up]'); }).observe(document, { childList: true, subtree: true }));";

/// Hides the tab, lets an hour pass by its clocks, and shows it again. A browser without a screen hides none by itself.
async fn sleep(page: &Page) -> Outcome {
    page.js::<()>("hide(true); return null", &[]).await?;
    tokio::time::sleep(Duration::from_secs(2)).await;
    page.js::<()>("window.slept = 3600000; hide(false); return null", &[]).await
}

#[test]
fn a_tab_that_slept_for_an_hour_has_its_picture_and_answers() {
    journey(async |page| {
        page.before_load(SLEPT).await?;
        open_part(page, &traces::known("hour.json")?).await?;
        page.hover(lanescope_browser::screen::Point { x: 1.0, y: 1.0 }).await?;
        quiet(page).await?;
        let (area, before) = (page.biggest_canvas().await?, page.screen().await?);
        sleep(page).await?;
        quiet(page).await?;
        let part = page.screen().await?.difference(&before, &area)?;
        assert!(part < 0.001, "{part} of the picture differ");
        assert!(page.js::<bool>(&format!("return {WINDOW} === '100000,700000'"), &[]).await?);
        answers(page, "hour.json").await?;
        page.activate("#tab-statistics").await?;
        page.until("figures", 30, "document.querySelector('.page__view:not([hidden]) [role=gridcell]')")
            .await?;
        opens(page, "later.json").await
    });
}

#[test]
fn a_file_that_is_read_while_its_tab_sleeps_is_there_and_nobody_asked_whether_to_wait() {
    journey(async |page| {
        page.before_load(SLEPT).await?;
        page.open("").await?;
        page.drop_file(&traces::large(100_000_000)?).await?;
        page.until(
            "a part of it is read",
            60,
            "0 < Number(document.querySelector('[role=progressbar]')?.ariaValueNow ?? 0)",
        )
        .await?;
        sleep(page).await?;
        page.wait_state("ready", 300).await?;
        assert_eq!(page.js::<u32>("return silences", &[]).await?, 0, "the user was asked whether to wait");
        opens(page, "later.json").await
    });
}
