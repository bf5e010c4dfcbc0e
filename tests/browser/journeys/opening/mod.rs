//! What a dropped file becomes: a document among others, or a sentence that says why not.

mod mapping;

use lanescope_browser::journey::scratch;
use lanescope_browser::{Outcome, Page, journey, page, traces};

/// How many documents the page lists.
const N_DOCUMENTS: &str = "document.querySelectorAll('.rail__row--file').length";

#[test]
fn a_dropped_file_becomes_a_document() {
    journey(async |page| {
        page.open("").await?;
        page.drop_file(&traces::known("known.json")?).await?;
        page.wait_state("ready", 20).await?;
        assert_eq!(page.text(".rail__row--file .rail__name").await?.replace('\n', ""), "known.json");
        assert_eq!(page.js::<String>("return document.title", &[]).await?, "known.json — Lanescope");
        Ok(())
    });
}

#[test]
fn the_address_chooses_the_first_view_and_keeps_it() {
    journey(async |page| {
        page.open("#view=report").await?;
        page.drop_file(&traces::known("known.json")?).await?;
        page.wait_state("ready", 20).await?;
        page.until("the report is shown", 5, "document.querySelector('.report')?.checkVisibility()").await?;
        page.until("the address says so", 5, "location.hash.includes('view=report')").await
    });
}

/// A link leads to a view that the file has nothing for: its place says so, and what to record.
#[test]
fn a_view_without_anything_says_in_its_place_what_to_record() {
    journey(async |page| {
        page.open("#view=source").await?;
        page.drop_file(&crate::compare::bin("alone.bin", 120.5, 2)?).await?;
        page.wait_state("ready", 20).await?;
        let said = "document.body.innerText.includes('No source in this file: compile the kernel with -g, and record with msprof op')";
        page.until("why there is none", 10, said).await?;
        page.until("the address stays", 5, "location.hash.includes('view=source')").await
    });
}

/// Remembers each worker without holding it.
const KEEP_WORKERS: &str = "window.workers = []; window.Worker = class extends Worker {
    constructor(...of) { super(...of); workers.push(new WeakRef(this)); }
}";
const WORKERS_LEFT: &str = "workers.length === 3 && workers.filter(w => w.deref()).length === 1";

#[test]
fn a_second_file_opens_beside_the_first_and_closes_again() {
    journey(async |page| {
        page.before_load(KEEP_WORKERS).await?;
        page.open("").await?;
        for name in ["one.json", "two.json"] {
            page.drop_file(&traces::known(name)?).await?;
            page.until("its name in the title", 20, &format!("document.title.startsWith('{name}')")).await?;
            page.wait_state("ready", 20).await?;
        }
        page.until("two documents", 5, &format!("{N_DOCUMENTS} === 2")).await?;
        close(page).await?;
        page.until("one document", 5, &format!("{N_DOCUMENTS} === 1")).await?;
        close(page).await?;
        page.wait_state("idle", 5).await?;
        let recent = "[...document.querySelectorAll('.recent__name')].map(e => e.textContent).join()";
        let both = format!("{recent}.includes('two.json,one.json')");
        page.until("the first screen names both, the last first", 5, &both).await?;
        // Nothing holds a closed document, and the page has it collected: of three workers the spare one is left.
        page.until("two of three workers are gone from memory", 20, WORKERS_LEFT).await
    });
}

/// Keeps all states of the page from now on.
const KEEP_STATES: &str = "window.states = []; const root = document.documentElement;
    new MutationObserver(() => states.push(root.dataset.lanescopeState)).observe(root, { attributes: true });
    return null";

#[test]
fn a_reload_brings_no_closed_file_back() {
    journey(async |page| {
        let sample = page::dist().join("samples/flash_attention.bin");
        let [one, two] = ["one.bin", "two.bin"].map(|name| scratch().join(name));
        std::fs::copy(&sample, &one)?;
        std::fs::copy(&sample, &two)?;
        page.open("").await?;
        page.drop_files(&[&one, &two]).await?;
        page.until("two documents", 20, &format!("{N_DOCUMENTS} === 2")).await?;
        page.wait_state("ready", 30).await?;
        let button = |row: u8, action: &str| {
            format!(
                "document.querySelectorAll('.rail__row--file')[{row}].querySelector('[data-action={action}]')"
            )
        };
        page.activate_one(&button(1, "close-document")).await?;
        page.until("one document", 5, &format!("{N_DOCUMENTS} === 1")).await?;
        page.js::<()>(KEEP_STATES, &[]).await?;
        page.activate_one(&button(0, "reload-document")).await?;
        page.until("it was read anew", 30, "states.includes('loading') && states.at(-1) === 'ready'").await?;
        page.until("still one document", 5, &format!("{N_DOCUMENTS} === 1")).await
    });
}

#[test]
fn a_file_that_no_format_knows_is_refused_in_words() {
    journey(async |page| {
        let path = scratch().join("noise.bin");
        std::fs::write(
            &path,
            (0..4096_u32).flat_map(|i| i.wrapping_mul(2_654_435_761).to_le_bytes()).collect::<Vec<_>>(),
        )?;
        page.open("").await?;
        page.drop_file(&path).await?;
        page.wait_state("failed", 20).await?;
        let said = page.text("[role=alert]").await?;
        assert!(said.contains("noise.bin"), "{said}");
        Ok(())
    });
}

/// Closes the document that is shown, with the visible control.
async fn close(page: &Page) -> Outcome {
    let shown = ".rail__row--file:has([aria-current=true]) [data-action=close-document], [data-action=close-document]";
    page.activate(shown).await
}

#[test]
fn an_address_opens_files_and_stays_as_it_is_said() {
    journey(async |page| {
        page.open("?open=samples/flash_attention.bin#view=report").await?;
        page.wait_state("ready", 30).await?;
        assert_eq!(page.text(".rail__row--file .rail__name").await?.replace('\n', ""), "flash_attention.bin");
        page.until("the address names the view", 5, "location.hash.includes('view=report')").await?;
        assert!(
            page.js::<bool>("return location.search.includes('open=samples/flash_attention.bin')", &[])
                .await?
        );
        Ok(())
    });
}

/// The address of a file of the page with a login in it.
async fn with_login(page: &Page, file: &str) -> Outcome<String> {
    let body = "return new URL(arguments[0], document.baseURI).href.replace('://', '://me:secret@')";
    page.js(body, &[file.into()]).await
}

/// Whether the login can be found anywhere.
const HAS_LOGIN: &str =
    "[location.href, document.title, document.body.innerText, ...Object.values(localStorage)]
    .some(text => text.includes('secret'))";

#[test]
fn a_login_in_an_address_is_nowhere_shown_or_kept() {
    journey(async |page| {
        page.open("").await?;
        let address = with_login(page, "samples/flash_attention.bin").await?;
        page.open(&format!("?open={address}#view=report")).await?;
        page.wait_state("ready", 30).await?;
        page.until("it is remembered", 10, "localStorage['lanescope.recent']?.includes('flash_attention')")
            .await?;
        assert!(!page.js::<bool>(&format!("return {HAS_LOGIN}"), &[]).await?);
        let address = with_login(page, "samples/none.bin").await?;
        page.expect_error("404");
        page.open(&format!("?open={address}")).await?;
        let said = "document.body.innerText.includes('Could not fetch none.bin')";
        page.until("why it cannot be fetched", 10, said).await?;
        let said = page.js::<String>("return document.body.innerText", &[]).await?;
        assert!(said.contains("There is no file at this address.") && !said.contains("CORS"), "{said}");
        assert!(!page.js::<bool>(&format!("return {HAS_LOGIN}"), &[]).await?);
        Ok(())
    });
}

#[test]
fn a_part_of_a_file_is_shown_and_said() {
    journey(async |page| {
        let text = std::fs::read_to_string(traces::known("known.json")?)?;
        let part = &text[..text.floor_char_boundary(text.len() / 4 * 3)];
        let (all, part_bytes) = (text.len(), part.len());
        let part = serde_json::to_string(part)?;
        page.before_load(&format!(
            "const asked = window.fetch;
            const headers = {{'content-range': 'bytes 0-{}/{all}'}};
            window.fetch = (url, ...rest) => String(url).endsWith('/part.json')
                ? Promise.resolve(new Response({part}, {{status: 206, headers}})) : asked(url, ...rest);",
            part_bytes - 1
        ))
        .await?;
        page.open("?open=part.json").await?;
        page.wait_state("ready", 20).await?;
        page.until("it says so", 10, "document.body.innerText.includes('Only a part of part.json came')")
            .await?;
        let bytes = format!(
            "document.body.innerText.replaceAll(',', '').includes('{part_bytes} of {all} bytes came.')"
        );
        page.until("how much came", 10, &bytes).await
    });
}

#[test]
fn an_open_tab_opens_more_files_without_the_network() {
    journey(async |page| {
        page.open("").await?;
        page.drop_file(&traces::known("online.json")?).await?;
        page.wait_state("ready", 20).await?;
        // What is loaded ahead, when nothing else is to do, is there.
        let all_loaded = "(() => {
            const n = performance.getEntriesByType('resource').length;
            if (window.nLoaded !== n) [window.nLoaded, window.loadedAt] = [n, performance.now()];
            return 3000 < performance.now() - window.loadedAt;
        })()";
        page.until("nothing more is loaded", 120, all_loaded).await?;
        page.go_offline().await?;
        for name in ["offline.json", "once-more.json"] {
            page.drop_file(&traces::known(name)?).await?;
            page.until("its name in the title", 20, &format!("document.title.startsWith('{name}')")).await?;
            page.wait_state("ready", 20).await?;
        }
        Ok(())
    });
}

/// The program waits until it is let go.
const HOLD_PROGRAM: &str = "window.wasmBindings = 'held';
for (const name of ['instantiateStreaming', 'instantiate']) {
    const made = WebAssembly[name];
    WebAssembly[name] = (...of) => new Promise(done => { window.letGo = () => done(made.call(WebAssembly, ...of)); });
}";

#[test]
fn a_file_dropped_before_the_program_runs_is_opened() {
    journey(async |page| {
        page.before_load(HOLD_PROGRAM).await?;
        page.probe_workers().await?;
        page.open("").await?;
        page.until("the program waits", 10, "window.letGo").await?;
        page.drop_file(&traces::known("early.json")?).await?;
        assert_eq!(page.js::<usize>("return document.body.querySelectorAll('canvas').length", &[]).await?, 0);
        page.js::<()>("letGo(); return null", &[]).await?;
        page.wait_state("ready", 20).await?;
        assert_eq!(page.text(".rail__row--file .rail__name").await?.replace('\n', ""), "early.json");
        // The first worker was not ready yet: the document waited for it instead of starting another.
        assert!(page.js::<usize>("return probedWorkers[0].nPosted", &[]).await? > 1);
        // From now on the program takes what is dropped, once.
        page.drop_file(&traces::known("late.json")?).await?;
        page.until("two documents", 20, &format!("{N_DOCUMENTS} === 2")).await
    });
}
