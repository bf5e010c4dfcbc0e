//! The overview: the first view of every profile, its findings, and the ways to their places and back.

use lanescope_browser::{Outcome, Page, journey, traces};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// 60 slices of 100 µs, two of which take 30 and 40 times as long, then nothing for 4 ms, then one more.
fn limited() -> String {
    let (mut text, mut time) = (String::from(r#"{"traceEvents":["#), 0);
    for at in 0..60 {
        let dur = match at {
            20 => 3_000,
            40 => 4_000,
            _ => 100,
        };
        let _ = write!(text, r#"{{"ph":"X","pid":1,"tid":1,"name":"work","ts":{time},"dur":{dur}}},"#);
        time += dur;
    }
    let _ = write!(text, r#"{{"ph":"X","pid":1,"tid":1,"name":"last","ts":{},"dur":100}}]}}"#, time + 4_000);
    text
}

/// What is known of the page, as text: number of findings, chosen one, its bold words.
const CHOSEN: &str = "(document.querySelector('.overview__finding[aria-selected=true]')?.dataset.rule ?? '')";

async fn whole(page: &Page) -> Outcome {
    page.until("all rules have looked", 30, "document.querySelector('.overview')?.dataset.findings > 0").await
}

#[test]
fn the_first_view_says_what_limits_it_and_leads_there_and_back() {
    journey(async |page| {
        let file = traces::written("limits.json", &limited())?;
        page.open("?first").await?;
        page.drop_file(&file).await?;
        page.wait_state("ready", 30).await?;
        whole(page).await?;
        page.until("it is the first view", 5, "location.hash.includes('view=overview')").await?;
        let tiles: u32 = page.js("return document.querySelectorAll('.overview__tile').length", &[]).await?;
        assert_eq!(tiles, 5);
        let first: String = page.js(&format!("return {CHOSEN}"), &[]).await?;
        assert!(!first.is_empty());
        let said = page.text(".overview__finding[aria-selected=true] b").await?;
        assert!(said.chars().any(|c| c.is_ascii_digit()), "{said}");

        // By a key to the place of the first and back: the keyboard is where it was.
        page.js::<()>("document.querySelector('.overview__findings').focus(); return null", &[]).await?;
        page.press("Enter", 0).await?;
        page.until("its place", 10, "!location.hash.includes('view=overview')").await?;
        page.js::<()>("history.back(); return null", &[]).await?;
        let is_at_findings = "document.activeElement?.matches('.overview__findings')";
        page.until("the keyboard is back at the findings", 10, is_at_findings).await?;

        // By keys to the second finding, by a button to its evidence, by the browser back to it.
        page.js::<()>("document.querySelector('.overview__findings').focus(); return null", &[]).await?;
        page.press("ArrowDown", 0).await?;
        page.until("the second is chosen", 5, &format!("{CHOSEN} !== '{first}'")).await?;
        let second: String = page.js(&format!("return {CHOSEN}"), &[]).await?;
        page.click_on(".overview__finding[aria-selected=true] .overview__to").await?;
        page.until("its view", 10, "!location.hash.includes('view=overview') && document.querySelector('.overview')?.checkVisibility() !== true").await?;
        page.js::<()>("history.back(); return null", &[]).await?;
        page.until(
            "back",
            10,
            &format!("document.querySelector('.overview')?.checkVisibility() && {CHOSEN} === '{second}'"),
        )
        .await?;
        page.until("the keyboard is at the findings", 5, is_at_findings).await?;

        // A link shows the same finding elsewhere.
        page.until("the address says which", 5, "location.hash.includes('finding')").await?;
        let address = page.address().await?;
        let hash = address.split_once('#').map_or("", |(_, hash)| hash).to_owned();
        page.open(&format!("?elsewhere#{hash}")).await?;
        page.drop_file(&file).await?;
        page.wait_state("ready", 30).await?;
        whole(page).await?;
        page.until("the same finding", 5, &format!("{CHOSEN} === '{second}'")).await
    });
}

/// What figures and the rows of parts say against the baseline, and what leads to all rows.
const BESIDE: &str = "
    const texts = (selector) => [...document.querySelectorAll(selector)].map(one => one.textContent);
    const heads = texts('.overview__part:first-child thead th');
    return [texts('.overview__value > span'), heads, texts('.overview__cell:last-child'), texts('.overview__more > a')]";

#[test]
fn beside_a_baseline_figures_and_rows_say_both_and_how_much_they_differ() {
    journey(async |page| {
        page.open("?open=samples/training_step.json&baseline=samples/training_step.json#view=overview")
            .await?;
        page.wait_state("ready", 60).await?;
        whole(page).await?;
        let is_compared = "[...document.querySelectorAll('.overview__value > span')].some(one => one.textContent.includes(' A'))";
        page.until("the figures of the baseline", 20, is_compared).await?;
        let [figures, heads, changes, more] = page.js::<[Vec<String>; 4]>(BESIDE, &[]).await?;
        assert!(figures.len() == 5 && figures.iter().all(|text| text == "the same in A"), "{figures:?}");
        assert_eq!(heads, ["Name", "A", "B", "Difference"]);
        assert!(changes.len() > 10 && changes.iter().all(|text| text == "="), "{changes:?}");
        // All kernels stand in the statistics.
        assert!(more.iter().any(|text| text.ends_with("more")), "{more:?}");
        page.activate(".overview__more > a").await?;
        page.until("their list", 10, "location.hash.includes('view=statistics')").await
    });
}

#[test]
fn a_data_set_says_what_became_slower_and_opens_the_trace_beside_it() {
    journey(async |page| {
        let tables = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/dataset/slower/nightly");
        let trace = traces::written("t10.json", &limited())?;
        page.open("?dataset").await?;
        page.drop_files(&[&tables, &trace]).await?;
        page.wait_state("ready", 60).await?;
        whole(page).await?;
        let said = page.text(".overview__finding[aria-selected=true]").await?.replace('\u{a0}', " ");
        assert!(said.contains("softmax takes 20.1 % longer from run run-6 on"), "{said}");
        // To the table of changes, and from its row to the trace.
        page.click_on(".overview__finding[aria-selected=true] .overview__to").await?;
        let row = "[...document.querySelectorAll('#figure-dataset-kernels [role=row]')].find(row => row.textContent.includes('softmax') && row.textContent.includes('t10.json'))";
        page.until("the row of the kernel", 20, &format!("!!{row}")).await?;
        let open = format!(
            "{row}.dispatchEvent(new MouseEvent('mousedown', {{ bubbles: true }})); {row}.dispatchEvent(new MouseEvent('click', {{ bubbles: true }})); {row}.dispatchEvent(new MouseEvent('dblclick', {{ bubbles: true }})); return null"
        );
        page.js::<()>(&open, &[]).await?;
        page.until("the trace is open", 20, "location.hash.includes('t10.json')").await?;
        page.wait_state("ready", 30).await
    });
}

/// A trace of a kernel with a long name, launched twice; the second launch runs one instruction more often.
fn long_named(launch: u32, rounds: usize) -> Outcome<PathBuf> {
    let name = "_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_15CUDAFunctor_addIfEESt5arrayIPcLm3EEEEviT0_T1_";
    let mut rows = vec![(0x10, "FADD", u32::MAX); rounds];
    rows.push((0x20, "EXIT", u32::MAX));
    traces::program(&format!("kernel-{launch}.traceg"), name, launch, &rows)
}

/// At 1280 no name of the breakdown has more than two lines or is narrower than twelve letters; Source begins with the
/// listing of all launches.
#[test]
fn long_names_take_two_lines_and_source_begins_with_all_launches() {
    journey(async |page| {
        let files = [long_named(1, 3)?, long_named(2, 5)?];
        let files: Vec<&Path> = files.iter().map(AsRef::as_ref).collect();
        page.open("?names").await?;
        page.drop_files(&files).await?;
        page.wait_state("ready", 30).await?;
        whole(page).await?;
        let wrong = "return [...document.querySelectorAll('.overview__name .name')].filter(name => {
            const line = parseFloat(getComputedStyle(name).lineHeight);
            if (!name.getClientRects().length) return false;
            const room = name.closest('th').clientWidth, letter = parseFloat(getComputedStyle(name).fontSize) / 2;
            return 2.2 * line < name.getBoundingClientRect().height || room < 12 * letter;
        }).map(name => name.textContent)";
        let wrong = page.js::<Vec<String>>(wrong, &[]).await?;
        assert!(wrong.is_empty(), "{wrong:?}");
        let wide = "return [...document.querySelectorAll('.overview__scroll')]
            .filter(part => part.clientWidth < part.scrollWidth).map(part => part.innerText)";
        let wide = page.js::<Vec<String>>(wide, &[]).await?;
        assert!(wide.is_empty(), "parts that scroll sideways: {wide:?}");
        crate::reach::press(page, "tab-source").await?;
        let shown = "document.querySelector('.listing__file')?.textContent.includes('all 2 launches')";
        page.until("the listing of all launches", 20, shown).await
    });
}

/// Two launches of an application, so many milliseconds long; its main thread runs in both.
fn launched(cold: u32, warm: u32) -> String {
    let mut rows: Vec<(u32, String)> = Vec::new();
    let mut row = |millis: u32, task: &str, text: &str| {
        let time = format!("{}.{:03}000", millis / 1000, millis % 1000);
        rows.push((millis, format!("{task} [001] d..2 {time}: {text}\n")));
    };
    let (server, idle, main) = ("server-100 (100)", "<idle>-0 (-----)", ".example.camera-300 (300)");
    let switch = |prev: &str, state: &str, next: &str| {
        format!("sched_switch: {prev} prev_prio=120 prev_state={state} ==> {next} next_prio=120")
    };
    for (n, kind, from, length) in [(1, "cold", 100, cold), (2, "warm", 1_000, warm)] {
        let name = format!("launchingActivity#{n}");
        row(from, server, &format!("tracing_mark_write: S|100|{name}|0"));
        let next = "next_comm=.example.camera next_pid=300";
        row(from + 10, idle, &switch("prev_comm=swapper/1 prev_pid=0", "R", next));
        let prev = "prev_comm=.example.camera prev_pid=300";
        row(from + 90, main, &switch(prev, "S", "next_comm=swapper/1 next_pid=0"));
        let end = format!("tracing_mark_write: I|100|{name}:completed-{kind}:com.example.camera");
        row(from + length, server, &end);
        row(from + length, server, &format!("tracing_mark_write: F|100|{name}|0"));
    }
    rows.sort_by_key(|(millis, _)| *millis);
    let rows: String = rows.into_iter().map(|(_, row)| row).collect();
    format!("# tracer: nop\n{rows}")
}

/// The bar does not cover the type of a launch, by which it is told from the others.
#[test]
fn names_of_compared_launches_are_read_beside_their_bars() {
    journey(async |page| {
        let size = serde_json::json!({"width": 1280, "height": 800, "deviceScaleFactor": 1, "mobile": false});
        page.devtools("Emulation.setDeviceMetricsOverride", size).await?;
        page.open("#view=overview&baseline=before.ftrace.txt").await?;
        for (name, cold, warm) in [("before.ftrace.txt", 423, 120), ("after.ftrace.txt", 200, 300)] {
            page.drop_file(&traces::written(name, &launched(cold, warm))?).await?;
            page.until("its name in the title", 20, &format!("document.title.startsWith('{name}')")).await?;
            page.wait_state("ready", 30).await?;
        }
        whole(page).await?;
        let compared = "document.querySelector('.overview__table--compared .overview__bar i')";
        page.until("launches beside the baseline", 20, compared).await?;
        let covered = "return [...document.querySelectorAll('.overview__table--bars tbody tr')].filter(row => {
            const [name, bar] = ['.name', '.overview__bar'].map(one => row.querySelector(one)?.getBoundingClientRect());
            return name && bar?.width && bar.left < name.right;
        }).map(row => row.innerText)";
        let covered = page.js::<Vec<String>>(covered, &[]).await?;
        assert!(covered.is_empty(), "{covered:?}");
        let names = "return [...document.querySelectorAll('.overview__table--compared .name:not(.name--cut)')].map(name => name.textContent)";
        let names = page.js::<Vec<String>>(names, &[]).await?;
        for kind in ["cold", "warm"] {
            assert!(names.contains(&format!("com.example.camera ({kind})")), "{names:?}");
        }
        Ok(())
    });
}

#[test]
fn a_file_that_is_read_in_part_says_so_above_its_figures_and_names_turn_nothing() {
    journey(async |page| {
        let bad = r#"{"ph":"X","pid":1,"tid":1,"name":"bad","ts":"never","dur":1},"#;
        let text =
            limited().replace("work", "work\u{202e}").replacen(r#"{"ph""#, &format!(r#"{bad}{{"ph""#), 1);
        let file = traces::written("in-part.json", &text)?;
        page.open("?in-part").await?;
        page.drop_file(&file).await?;
        page.wait_state("ready", 30).await?;
        whole(page).await?;
        let said = page.text(".page__lost").await?;
        assert!(said.starts_with("Data is missing: 1 problem, the first at "), "{said}");
        let is_above = "return document.querySelector('.page__lost').getBoundingClientRect().bottom
            <= document.querySelector('.overview__tiles').getBoundingClientRect().top + 1";
        assert!(page.js::<bool>(is_above, &[]).await?);
        // It stands above every view, as what is drawn there is of a part too.
        crate::reach::press(page, "tab-timeline").await?;
        crate::reach::quiet(page).await?;
        assert_eq!(page.text(".page__lost").await?, said);
        crate::reach::press(page, "tab-overview").await?;
        let findings = page.text(".overview__findings").await?;
        assert!(findings.contains("work‹U+202E›") && !findings.contains('\u{202e}'), "{findings}");
        Ok(())
    });
}
