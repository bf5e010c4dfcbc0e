//! Notes are kept by the content of the files, lead to their places, and come back from a file.

use lanescope_browser::journey::scratch;
use lanescope_browser::{Outcome, Page, journey, traces};

/// Opens the panel and writes a note.
pub(crate) async fn note(page: &Page, text: &str) -> Outcome {
    page.activate("[data-action=notes]").await?;
    page.until("the field", 20, "document.querySelector('.notes__new textarea')").await?;
    let body = "document.querySelector('.notes__new textarea').value = arguments[0];
        document.querySelector('[data-action=add-note]').click();
        return null";
    page.js::<()>(body, &[text.into()]).await?;
    page.until("it is listed", 10, &format!("{TEXTS}.includes('{text}')")).await?;
    page.js("document.querySelector('.dialog--notes').close(); return null", &[]).await
}

pub(crate) const TEXTS: &str = "[...document.querySelectorAll('.notes__text')].map(note => note.textContent)";

/// Lets the picker of files give one with this text.
pub(crate) const GIVE: &str = "const text = arguments[0];
    HTMLInputElement.prototype.click = function () {
        const files = new DataTransfer();
        files.items.add(new File([text], 'given.notes.json'));
        this.files = files.files;
        this.dispatchEvent(new Event('change'));
    };
    return null";

/// Keeps what is saved as a text.
pub(crate) const KEEP_SAVED: &str = "window.saved = '';
    const make = URL.createObjectURL;
    URL.createObjectURL = blob => { blob.text().then(text => window.saved = text); return make.call(URL, blob); };
    HTMLAnchorElement.prototype.click = () => {};";

#[test]
#[allow(clippy::too_many_lines)] // one visit after the other
fn notes_are_kept_by_the_content_of_the_files() {
    journey(async |page| {
        page.before_load(KEEP_SAVED).await?;
        page.open("").await?;
        let one = traces::known("noted.json")?;
        let [other, edited] = ["renamed.json", "edited.json"].map(|name| scratch().join(name));
        std::fs::copy(&one, &other)?;
        std::fs::write(&edited, std::fs::read_to_string(&one)?.replacen('[', "[ ", 1))?;
        page.drop_file(&one).await?;
        page.wait_state("ready", 20).await?;
        page.js::<()>("location.hash = '#view=timeline&window=100,2000'; return null", &[]).await?;
        page.until("the window", 10, "location.hash.includes('window=100,2000')").await?;
        note(page, "here it begins").await?;
        page.js::<()>("location.hash = '#view=report'; return null", &[]).await?;
        page.until("the report", 10, "document.querySelector('.report')?.checkVisibility()").await?;
        note(page, "read with losses?").await?;
        // The same content under another name, on another visit; other content has none.
        page.open("?again").await?;
        page.drop_file(&other).await?;
        page.wait_state("ready", 20).await?;
        page.until("two notes", 10, "document.querySelector('[data-action=notes]')?.innerText.includes('2')")
            .await?;
        page.activate("[data-action=notes]").await?;
        page.until("both", 10, &format!("{TEXTS}.join() === 'here it begins,read with losses?'")).await?;
        page.activate("[data-action=go-to-note]").await?;
        page.until(
            "its place",
            10,
            "location.hash.includes('window=100,2000') && location.hash.includes('view=timeline')",
        )
        .await?;
        page.until("the panel is closed", 10, "!document.querySelector('.dialog--notes')").await?;
        // Exported, deleted, imported; edited.
        page.activate("[data-action=notes]").await?;
        page.activate("[data-action=export-notes]").await?;
        page.until("a file", 20, "saved.includes('here it begins')").await?;
        let saved: String = page.js("return saved", &[]).await?;
        page.activate("[data-action=delete-note]").await?;
        page.until("one is left", 10, &format!("{TEXTS}.join() === 'read with losses?'")).await?;
        page.activate("[data-action=edit-note]").await?;
        page.until("the field", 10, "document.querySelector('.notes__one textarea')").await?;
        page.js::<()>("document.querySelector('.notes__one textarea').value = 'edited'; return null", &[])
            .await?;
        page.activate("[data-action=keep-note]").await?;
        page.until("it is kept", 10, &format!("{TEXTS}.join() === 'edited'")).await?;
        page.js::<()>(GIVE, &[saved.clone().into()]).await?;
        page.activate("[data-action=import-notes]").await?;
        page.until(
            "three",
            20,
            &format!("{TEXTS}.join() === 'here it begins,read with losses?,edited' || {TEXTS}.length === 3"),
        )
        .await?;
        page.js::<()>(GIVE, &[saved[..saved.len() / 2].into()]).await?;
        page.activate("[data-action=import-notes]").await?;
        page.until("it is refused", 20, "[...document.querySelectorAll('.toast')].some(toast => /line \\d+, column \\d+/.test(toast.innerText))").await?;
        page.js::<()>("document.querySelector('.dialog--notes').close(); return null", &[]).await?;
        page.drop_file(&edited).await?;
        page.until("the other", 20, "document.title.startsWith('edited.json')").await?;
        page.wait_state("ready", 20).await?;
        page.activate("[data-action=notes]").await?;
        page.until(
            "it has none",
            10,
            "document.querySelector('.notes__new') && !document.querySelector('.notes__one')",
        )
        .await
    });
}

#[test]
fn notes_of_a_comparison_are_apart() {
    journey(async |page| {
        page.open("").await?;
        let (one, other) = (traces::known("apart.json")?, scratch().join("second.json"));
        std::fs::write(&other, std::fs::read_to_string(&one)?.replacen('[', "[  ", 1))?;
        for (path, name) in [(&one, "apart.json"), (&other, "second.json")] {
            page.drop_file(path).await?;
            page.until("its name in the title", 20, &format!("document.title.startsWith('{name}')")).await?;
            page.wait_state("ready", 20).await?;
            note(page, &format!("about {name}")).await?;
        }
        page.js::<()>(
            "location.hash = '#view=timeline&baseline=apart.json&file=second.json'; return null",
            &[],
        )
        .await?;
        page.until("they are compared", 20, "document.querySelector('.compare [data-side=A]')").await?;
        page.activate("[data-action=notes]").await?;
        let of = |side: &str| {
            format!("document.querySelector('.notes[data-side={side}] .notes__text')?.textContent")
        };
        let sides = format!("{} === 'about apart.json' && {} === 'about second.json'", of("A"), of("B"));
        page.until("each side has its own", 10, &sides).await
    });
}
