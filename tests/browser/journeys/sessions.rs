//! Files that are known by handles: opened again as they were seen, watched, and said when they are gone. Pickers cannot be
//! driven; a picker that gives a handle of the browser's own file system stands in their place.

use lanescope_browser::journey::scratch;
use lanescope_browser::{Outcome, Page, journey, traces};
use serde_json::json;

/// Writes a file of the browser's own file system and lets the picker give its handle.
const WRITE: &str = "const [name, text, done] = arguments;
    (async () => {
        const root = await navigator.storage.getDirectory();
        const handle = await root.getFileHandle(name, { create: true });
        const file = await handle.createWritable();
        await file.write(text);
        await file.close();
        window.showOpenFilePicker = async () => [handle];
    })().then(() => done(null), error => done(String(error)))";

/// Removes it.
const REMOVE: &str = "const [name, done] = arguments;
    navigator.storage.getDirectory().then(root => root.removeEntry(name)).then(() => done(null), error => done(String(error)))";

/// A trace with so many slices of one millisecond.
fn trace(n: usize) -> String {
    let slice = |i: usize| json!({"name": format!("step {i}"), "ph": "X", "ts": i * 2000, "dur": 1000, "pid": 1, "tid": 1});
    serde_json::Value::from((0..n).map(slice).collect::<Vec<_>>()).to_string()
}

async fn write(page: &Page, name: &str, text: &str) -> Outcome {
    let said: Option<String> = page.when_done(WRITE, &[name.into(), text.into()]).await?;
    assert_eq!(said, None);
    Ok(())
}

/// Opens the file that the picker gives.
pub(crate) async fn choose(page: &Page) -> Outcome {
    page.activate(".welcome .button--main").await?;
    page.wait_state("ready", 20).await
}

/// Chooses an item of the menu below the file's name.
pub(crate) async fn of_menu(page: &Page, title: &str) -> Outcome {
    page.activate(".top__file").await?;
    let find = format!(
        "[...document.querySelectorAll('[role^=menuitem]')].find(item => item.innerText.includes('{title}'))"
    );
    page.activate_one(&find).await
}

/// Says of the address whether it has this window.
fn has_window(window: &str) -> String {
    format!("new URLSearchParams(location.hash.slice(1)).get('window') === '{window}'")
}

/// Keeps what is copied.
pub(crate) const KEEP_COPIED: &str = "Object.defineProperty(navigator, 'clipboard', { value: { writeText: async text => { window.copied = text; } } });";

const WINDOW: &str = "1000000,4000000";

#[test]
fn a_file_opens_again_as_it_was_seen() {
    journey(async |page| {
        page.before_load(KEEP_COPIED).await?;
        page.open("").await?;
        write(page, "run.json", &trace(20)).await?;
        choose(page).await?;
        page.js::<()>(&format!("location.hash = '#view=timeline&window={WINDOW}'; return null"), &[]).await?;
        page.until("the window is shown", 10, &has_window(WINDOW)).await?;
        let kept = "localStorage['lanescope.recent'].includes('1000000%2C4000000') || localStorage['lanescope.recent'].includes('1000000,4000000')";
        page.until("it is kept", 10, kept).await?;
        page.open("?again#view=report").await?;
        page.until("it is listed", 10, "document.querySelector('.recent__open .recent__name')").await?;
        assert_eq!(page.text(".recent__open .recent__name").await?, "run.json");
        assert!(page.text(".recent__open .recent__when").await?.contains("today"));
        assert!(!page.text(".recent__system").await?.is_empty());
        page.activate(".recent__open").await?;
        page.wait_state("ready", 20).await?;
        page.until("the window is shown again", 10, &has_window(WINDOW)).await?;
        page.until("and the view", 10, "location.hash.includes('view=timeline')").await?;
        // A link to it does not bring the file along.
        page.press("l", lanescope_browser::pointer::ALT).await?;
        page.until("the link is copied", 10, "window.copied === location.href").await?;
        let said = "[...document.querySelectorAll('.toast')].some(toast => toast.innerText.includes('Open it with run.json'))";
        page.until("the file is named", 10, said).await?;
        // Another one of the same name takes its place; other names stand beside it.
        write(page, "other.json", &trace(3)).await?;
        page.open("?more").await?;
        write(page, "other.json", &trace(3)).await?;
        choose(page).await?;
        page.open("?list").await?;
        let names = "[...document.querySelectorAll('.recent__open .recent__name')].map(name => name.textContent).join()";
        page.until("both are listed", 10, &format!("{names} === 'other.json,run.json'")).await?;
        // What is gone is said, and goes.
        let said: Option<String> = page.when_done(REMOVE, &["other.json".into()]).await?;
        assert_eq!(said, None);
        page.activate(".recent__open").await?;
        page.until(
            "it is said",
            10,
            "document.querySelector('.toast')?.innerText.includes('moved, renamed or deleted')",
        )
        .await?;
        page.activate(".toast .toast__action, .toast .button--text").await?;
        page.until("one is left", 10, &format!("{names} === 'run.json'")).await?;
        // A changed one is opened, and that is said.
        write(page, "run.json", &trace(30)).await?;
        page.activate(".recent__open").await?;
        page.wait_state("ready", 20).await?;
        page.until(
            "it is said",
            10,
            "document.querySelector('.status__note').innerText.includes('has changed')",
        )
        .await?;
        page.open("?last").await?;
        page.activate("[data-action=forget-all]").await?;
        page.until("none is left", 10, "!document.querySelector('.recent__open')").await
    });
}

#[test]
fn a_watched_file_is_reopened_on_request_as_it_is_seen() {
    journey(async |page| {
        page.open("").await?;
        write(page, "run.json", &trace(20)).await?;
        choose(page).await?;
        page.js::<()>(&format!("location.hash = '#view=timeline&window={WINDOW}'; return null"), &[]).await?;
        page.until("the window is shown", 10, &has_window(WINDOW)).await?;
        of_menu(page, "Watch for changes").await?;
        page.until("it is watched", 10, "document.querySelector('[data-action=stop-watching]')").await?;
        write(page, "run.json", &trace(3000)).await?;
        page.until(
            "it changed",
            20,
            "document.querySelector('.status__disk')?.innerText.includes('Changed on disk')",
        )
        .await?;
        assert!(
            page.js::<bool>("return document.querySelector('.status').innerText.includes('20 slices')", &[])
                .await?
        );
        page.activate("[data-action=reopen]").await?;
        page.until("it was read", 20, "document.querySelector('.status').innerText.includes('3,000 slices')")
            .await?;
        page.wait_state("ready", 20).await?;
        page.until("the window is shown", 10, &has_window(WINDOW)).await?;
        page.until("it is watched", 10, "document.querySelector('[data-action=stop-watching]')").await?;
        // It is written anew: shorter, and at last not there.
        write(page, "run.json", &trace(2)).await?;
        page.until(
            "it is shorter",
            20,
            "document.querySelector('.status__disk')?.innerText.includes('Shorter on disk')",
        )
        .await?;
        let said: Option<String> = page.when_done(REMOVE, &["run.json".into()]).await?;
        assert_eq!(said, None);
        page.until(
            "it is gone",
            20,
            "document.querySelector('.status__disk')?.innerText.includes('moved, renamed or deleted')",
        )
        .await?;
        // What is open stays.
        assert!(
            page.js::<bool>(
                "return document.querySelector('.status').innerText.includes('3,000 slices')",
                &[]
            )
            .await?
        );
        Ok(())
    });
}

/// As in a browser that has no handles.
const NO_HANDLES: &str = "delete DataTransferItem.prototype.getAsFileSystemHandle;";

#[test]
fn a_dropped_file_that_changed_on_disk_is_chosen_again() {
    journey(async |page| {
        page.before_load(NO_HANDLES).await?;
        page.open("").await?;
        let path = scratch().join("changing.json");
        std::fs::write(&path, trace(20))?;
        page.drop_file(&path).await?;
        page.wait_state("ready", 20).await?;
        tokio::time::sleep(std::time::Duration::from_millis(1100)).await; // times of files count in seconds on some disks
        std::fs::write(&path, trace(40))?;
        page.activate("[data-action=reload-document]").await?;
        page.until(
            "it is said",
            20,
            "document.querySelector('.status__disk')?.innerText.includes('Changed on disk')",
        )
        .await?;
        page.until(
            "what is open stays",
            10,
            "document.querySelector('.status').innerText.includes('20 slices')",
        )
        .await?;
        write(page, "changing.json", &trace(40)).await?;
        page.activate(".status__disk [data-action=reopen]").await?;
        page.until("it was read", 20, "document.querySelector('.status').innerText.includes('40 slices')")
            .await?;
        page.until("nothing is said any more", 10, "!document.querySelector('.status__disk')").await
    });
}

#[test]
fn an_unchanged_dropped_file_reopens_in_place() {
    journey(async |page| {
        page.before_load(NO_HANDLES).await?;
        page.open("").await?;
        page.drop_file(&traces::known("known.json")?).await?;
        page.wait_state("ready", 20).await?;
        page.js::<()>("location.hash = '#view=timeline&window=1,2'; return null", &[]).await?;
        page.until("the window is shown", 10, &has_window("1,2")).await?;
        page.js::<()>("window.states = []; const root = document.documentElement;
            new MutationObserver(() => states.push(root.dataset.lanescopeState)).observe(root, { attributes: true });
            return null", &[]).await?;
        page.activate("[data-action=reload-document]").await?;
        page.until("it was read anew", 30, "states.includes('loading') && states.at(-1) === 'ready'").await?;
        page.until("the window is shown", 10, &has_window("1,2")).await
    });
}
