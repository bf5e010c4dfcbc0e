//! Views that are changed before they are there: in the end each looks as it does for who waits.

use std::path::{Path, PathBuf};

use lanescope_browser::journey::corpus;
use lanescope_browser::screen::{Point, Rect, Screen};
use lanescope_browser::{Outcome, Page, journey, page, traces};
use serde_json::Value;

use crate::reach::{VIEWS, press, quiet};

/// Goes to every view as soon as its tab is there, and on to the next without waiting, until the file is read.
const HURRY: &str = "const gone = new Set();
    window.lanescopeHurried = false;
    const step = () => {
        const tabs = [...document.querySelectorAll('.page__tabs [role=tab]')];
        const next = tabs.find(tab => !gone.has(tab.id));
        next?.click();
        gone.add(next?.id);
        window.lanescopeHurried = !next && document.documentElement.dataset.lanescopeState === 'ready';
        if (!window.lanescopeHurried) setTimeout(step, 0);
    };
    step();
    return null";

/// The part of the pixels that may differ: less than a line of text.
const MOST: f64 = 0.001;

/// What a view looks like: its tab, its place and the page.
type Look = (String, Rect, Screen);

/// Goes to each view and waits until nothing moves any more.
async fn visit(page: &Page, mut seen: impl AsyncFnMut(String) -> Outcome) -> Outcome {
    // The pointer rests where the file was dropped, which may be over a row.
    page.hover(Point { x: 1.0, y: 1.0 }).await?;
    for view in page.js::<Vec<String>>(VIEWS, &[]).await? {
        // It says how long reading took.
        if view == "tab-report" {
            continue;
        }
        press(page, &view).await?;
        quiet(page).await?;
        seen(view).await?;
    }
    Ok(())
}

/// What each view looks like then.
async fn looks(page: &Page) -> Outcome<Vec<Look>> {
    let mut looks = Vec::new();
    visit(page, async |view| {
        let area = page.rect(".page__view:not([hidden])").await?;
        looks.push((view, area, page.screen().await?));
        Ok(())
    })
    .await?;
    Ok(looks)
}

/// Opens a file for who waits, and for who does not; says which views differ then.
async fn compare(page: &Page, path: &Path, n: usize) -> Outcome<Vec<String>> {
    page.open(&format!("?calm={n}")).await?;
    page.drop_file(path).await?;
    page.wait_state("ready", 60).await?;
    quiet(page).await?;
    // What one view chooses is seen in others: each is looked at when all were there.
    visit(page, async |_| Ok(())).await?;
    let calm = looks(page).await?;
    page.open(&format!("?hurried={n}")).await?;
    page.js::<()>(HURRY, &[]).await?;
    page.drop_file(path).await?;
    page.until("all views were called", 60, "window.lanescopeHurried").await?;
    quiet(page).await?;
    let hurried = looks(page).await?;
    let tabs = |looks: &[Look]| looks.iter().map(|(view, ..)| view.clone()).collect::<Vec<_>>();
    assert_eq!(tabs(&calm), tabs(&hurried), "{}", path.display());
    let mut wrong = Vec::new();
    for ((view, area, before), (_, place, after)) in calm.iter().zip(&hurried) {
        let part = before.difference(after, area)?;
        if area != place || MOST < part {
            wrong.push(format!("{} {view}: {:.1} % of the picture differ", path.display(), part * 100.0));
        }
    }
    Ok(wrong)
}

async fn compare_all(page: &Page, paths: &[PathBuf]) -> Outcome {
    let mut wrong = Vec::new();
    for (n, path) in paths.iter().enumerate() {
        wrong.extend(compare(page, path, n).await?);
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n").into()) }
}

#[test]
fn views_that_are_changed_at_once_look_as_they_do_for_who_waits() {
    journey(async |page| {
        let folder = page::dist().join("samples");
        let samples: Vec<Value> = serde_json::from_str(&std::fs::read_to_string(folder.join("index.json"))?)?;
        let files = samples.iter().filter_map(|sample| sample["files"][0].as_str());
        let mut paths: Vec<PathBuf> = files.map(|file| folder.join(file)).collect();
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures");
        paths.extend([traces::probed()?, fixtures.join("gpu_multitrace/plan_only/manifest.json")]);
        compare_all(page, &paths).await
    });
}

/// Recorded blocks have a plan beside their instructions, which come first.
#[test]
fn instructions_and_plan_that_are_changed_at_once_look_as_they_do_for_who_waits() {
    let Some(corpus) = corpus() else { return };
    journey(async |page| compare_all(page, &[corpus.join("instrumentation/gmt_pti_gemm_plan")]).await);
}
