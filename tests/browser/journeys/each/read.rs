//! For who does not see, does not point, reads Chinese, has a small screen or paper: every view of every sample.

use lanescope_browser::{Outcome, Page, journey, page};
use serde_json::{Value, json};

use super::{each_view, nothing, of, open, samples};
use crate::reach::{CUT, quiet, tab_key, unseen};

/// From now on it is known where the keyboard was; it stands at the beginning of the page.
const BEGIN: &str = "if (!window.tabbed) {
        // The page itself gets the keyboard with the first key, and its beginning once more with it.
        const isBegin = one => one.matches('.page__skip') && tabbed.size < 5;
        addEventListener('focusin', ({ target }) => isBegin(target) || tabbed.add(target));
    }
    window.tabbed = new Set();
    document.querySelector('.page__skip').focus();
    window.tabbed.clear();
    return null";

/// Whether it has been around.
const IS_AROUND: &str = "return tabbed.has(document.querySelector('.page__skip'))";

/// Presses Tab until it comes back to the beginning.
async fn tab_through(page: &Page) -> Outcome {
    page.js::<()>(BEGIN, &[]).await?;
    // Tables to be edited have hundreds of fields.
    for _ in 0..90 {
        for _ in 0..10 {
            tab_key(page).await?;
        }
        if page.js(IS_AROUND, &[]).await? {
            return Ok(());
        }
    }
    Err("Tab does not come around".into())
}

#[test]
fn every_control_has_a_name_and_a_way_by_keys_and_every_picture_has_words() {
    journey(async |page| {
        let mut wrong = Vec::new();
        for sample in samples() {
            open(page, &sample, "keys=", "view=overview").await?;
            let lines = each_view(page, async |_| {
                tab_through(page).await?;
                page.js(include_str!("names.js"), &[]).await
            });
            wrong.extend(of(&sample, lines.await?));
        }
        nothing(&wrong)
    });
}

/// Those that are not serious too.
#[test]
fn axe_finds_nothing_in_any_view_of_any_sample_in_both_themes_and_languages() {
    journey(async |page| {
        let mut wrong = Vec::new();
        for (sample, (theme, language)) in
            samples().iter().flat_map(|sample| [("light", "en"), ("dark", "zh")].map(|look| (sample, look)))
        {
            let place = format!("view=overview&theme={theme}&lang={language}");
            open(page, sample, &format!("{theme}="), &place).await?;
            let lines = each_view(page, async |view| {
                let Some(found) = page.findings().await? else {
                    println!("SKIPPED: axe-core is not there ({view}, {theme})");
                    return Ok(Vec::new());
                };
                Ok(found
                    .into_iter()
                    .map(|found| format!("{theme} {}: {:?}", found.id, found.where_))
                    .collect())
            });
            wrong.extend(of(sample, lines.await?));
        }
        nothing(&wrong)
    });
}

/// English words of the page, their Chinese, and what stays as tools and files have it.
fn translated() -> Outcome<String> {
    let root = xtask::place::root().join("words/zh-CN");
    let all = std::fs::read_to_string(page::dist().join("words.zh-CN.txt"))?;
    let written = std::fs::read_to_string(root.join("written.tsv"))?;
    // Names of devices can be edited; a sample is called "lifetimes", a report of the simulator's tool has rows "max"; the
    // others are also parts of names of other things.
    let others = [
        "Silicon gain cell",
        "Hybrid gain cell",
        "Oxide gain cell",
        "lifetimes",
        "max",
        "Operation",
        "Arguments",
        "elapsed",
        "clock",
    ];
    let is_ours = |line: &&str| {
        !written.contains(line) && !others.contains(&line.split('\t').next().unwrap_or_default())
    };
    Ok(all.lines().filter(is_ours).collect::<Vec<_>>().join("\n"))
}

#[test]
fn no_word_of_any_view_stays_english_in_chinese() {
    let words = translated().expect("the words");
    journey(async |page| {
        let mut wrong = Vec::new();
        for sample in samples() {
            open(page, &sample, "zh=", "view=overview&lang=zh").await?;
            page.until("it is Chinese", 20, "document.documentElement.lang === 'zh-CN'").await?;
            let lines = each_view(page, async |_| page.js(include_str!("chinese.js"), &[json!(words)]).await);
            wrong.extend(of(&sample, lines.await?));
        }
        nothing(&wrong)
    });
}

fn window(width: u32, height: u32, ratio: u32) -> Value {
    json!({"width": width, "height": height, "deviceScaleFactor": ratio, "mobile": false})
}

/// 1280 × 800 at 300 % and at 200 %, and a phone.
const SMALL: [(u32, u32, u32); 3] = [(427, 267, 3), (640, 400, 2), (390, 844, 2)];

/// What nobody gets to; words may be cut and columns scrolled to where there is little room. Heads of rows move with the
/// rows.
fn is_lost(line: &str) -> bool {
    let kinds = ["out of reach", "no size", "no room", "covered", "cut control"];
    kinds.iter().any(|kind| line.contains(&format!(": {kind}"))) && !line.ends_with("> div.heads")
}

#[test]
fn everything_is_got_to_at_three_times_the_size_and_on_a_phone() {
    const SIDEWAYS: &str = "return innerWidth < document.scrollingElement.scrollWidth";
    journey(async |page| {
        let mut wrong = Vec::new();
        for (sample, (width, height, ratio)) in
            samples().iter().flat_map(|sample| SMALL.map(|size| (sample, size)))
        {
            page.devtools("Emulation.setDeviceMetricsOverride", window(width, height, ratio)).await?;
            open(page, sample, &format!("{width}="), "view=overview").await?;
            let lines = each_view(page, async |_| {
                let mut lines = unseen(page, &format!("{width} × {height}")).await?;
                lines.retain(|line| is_lost(line));
                if page.js(SIDEWAYS, &[]).await? {
                    lines.push(format!("{width} × {height}: the page moves sideways"));
                }
                Ok(lines)
            });
            wrong.extend(of(sample, lines.await?));
        }
        nothing(&wrong)
    });
}

#[test]
fn paper_has_all_of_every_view_of_every_sample() {
    journey(async |page| {
        let mut wrong = Vec::new();
        for sample in samples() {
            page.devtools("Emulation.setEmulatedMedia", json!({"media": "screen"})).await?;
            page.devtools("Emulation.setDeviceMetricsOverride", window(1440, 900, 1)).await?;
            open(page, &sample, "paper=", "view=overview").await?;
            let lines = each_view(page, async |_| {
                page.devtools("Emulation.setEmulatedMedia", json!({"media": "print"})).await?;
                page.devtools("Emulation.setDeviceMetricsOverride", window(718, 1047, 1)).await?;
                quiet(page).await?;
                let (mut cut, _) = page.js::<(Vec<String>, f64)>(CUT, &[]).await?;
                if page.text(".page__view:not([hidden])").await?.len() < 100 {
                    cut.push("there is next to nothing on it".to_owned());
                }
                page.devtools("Emulation.setEmulatedMedia", json!({"media": "screen"})).await?;
                page.devtools("Emulation.setDeviceMetricsOverride", window(1440, 900, 1)).await?;
                Ok(cut)
            });
            wrong.extend(of(&sample, lines.await?));
        }
        nothing(&wrong)
    });
}
