//! What holds for every system: walks over a profile of each, its sample.

mod framed;
mod kept;
mod read;
mod told;

use std::{env, thread};

use lanescope_browser::{Outcome, Page, page};
use serde::Deserialize;

use crate::reach::{VIEWS, press, quiet};

/// A sample: what its button is called, and its file.
#[derive(Deserialize)]
pub(crate) struct Sample {
    id: String,
    files: Vec<String>,
}

impl Sample {
    fn file(&self) -> &str {
        &self.files[0]
    }
}

/// One of each system, as the page lists them, where `LANESCOPE_ALL` is set. Otherwise one of them, another one for each
/// journey: these walks are most of what a run takes.
fn samples() -> Vec<Sample> {
    let list = std::fs::read_to_string(page::dist().join("samples/index.json")).expect("the samples");
    let mut list: Vec<Sample> = serde_json::from_str(&list).expect("a list");
    assert_eq!(list.len(), 6, "five systems and Trace Event");
    if env::var_os("LANESCOPE_ALL").is_none() {
        let name = thread::current().name().unwrap_or_default().to_owned();
        list = vec![list.swap_remove(name.len() % list.len())];
    }
    list
}

/// Opens a sample by its address; `mark` makes the address another one than before, so that all is made anew.
async fn open(page: &Page, sample: &Sample, mark: &str, place: &str) -> Outcome {
    page.open(&format!("?open=samples/{}&{mark}{}#{place}", sample.file(), sample.id)).await?;
    page.wait_state("ready", 60).await?;
    quiet(page).await
}

/// Loads the page anew.
async fn reload(page: &Page) -> Outcome {
    page.js::<()>("window.wasmBindings = undefined; location.reload(); return null", &[]).await?;
    page.until("the program of the page runs", 30, "window.wasmBindings !== undefined").await?;
    page.wait_state("ready", 60).await?;
    quiet(page).await
}

/// Goes to each view of what is open, and collects what is said of it.
async fn each_view(
    page: &Page,
    mut look: impl AsyncFnMut(&str) -> Outcome<Vec<String>>,
) -> Outcome<Vec<String>> {
    let views: Vec<String> = page.js(VIEWS, &[]).await?;
    assert!(3 < views.len(), "only {views:?}");
    let mut said = Vec::new();
    for view in views {
        press(page, &view).await?;
        quiet(page).await?;
        let lines = look(&view).await?;
        said.extend(lines.into_iter().map(|line| format!("{view}: {line}")));
    }
    Ok(said)
}

/// The end of a walk that collects what is wrong.
fn nothing(wrong: &[String]) -> Outcome {
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n").into()) }
}

/// Lines with the file in front.
fn of(sample: &Sample, lines: Vec<String>) -> impl Iterator<Item = String> + '_ {
    lines.into_iter().map(move |line| format!("{} {line}", sample.file()))
}
