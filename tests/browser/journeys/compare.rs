//! Two files compared: baseline, difference, swap, end; the numbers are counted by hand.

use std::path::{Path, PathBuf};

use lanescope_browser::journey::scratch;
use lanescope_browser::{Outcome, Page, journey, traces};
use serde_json::json;

/// An Ascend container with base info alone: its duration in µs and its blocks.
pub(crate) fn bin(name: &str, duration: f64, blocks: u32) -> Outcome<PathBuf> {
    bin_of("scale_add", name, duration, blocks)
}

/// The same of an operator of another name.
fn bin_of(operator: &str, name: &str, duration: f64, blocks: u32) -> Outcome<PathBuf> {
    let info = json!({"name": operator, "soc": "Ascend910B4", "op_type": "vector", "device_id": "0", "pid": "7",
        "block_dim": blocks.to_string(), "duration": duration});
    let text = info.to_string();
    let padding = (4 - text.len() % 4) % 4;
    let mut bytes = ((text.len() + padding) as u64).to_le_bytes().to_vec();
    bytes.extend([5, padding as u8, 0x5a, 0x5a]);
    bytes.extend(text.as_bytes());
    bytes.resize(bytes.len() + padding, 0);
    let path = scratch().join("traces").join(name);
    std::fs::create_dir_all(path.parent().unwrap_or(&path))?;
    std::fs::write(&path, bytes)?;
    Ok(path)
}

/// Opens a file and waits until it can be used.
async fn open(page: &Page, path: &Path, name: &str) -> Outcome {
    page.drop_file(path).await?;
    page.until("its name in the title", 20, &format!("document.title.startsWith('{name}')")).await?;
    page.wait_state("ready", 20).await
}

/// Presses the entry of the open menu that begins with some words.
async fn choose(page: &Page, words: &str) -> Outcome {
    let body = "const row = [...document.querySelectorAll('.menu__row')]
        .find(row => row.innerText.trim().startsWith(arguments[0]));
        row?.click();
        return !!row";
    let is_there = |found: bool| if found { Ok(()) } else { Err(format!("the menu has no {words}").into()) };
    is_there(page.js::<bool>(body, &[json!(words)]).await?)
}

/// The row of a fact as the table of differences shows it: baseline, comparison, difference.
async fn fact(page: &Page, name: &str, shown: [&str; 3]) -> Outcome {
    let cells = format!(
        "[...document.querySelectorAll('#figure-base-info [role=row]')]
            .map(row => [...row.querySelectorAll('[role=gridcell]')].map(cell => cell.innerText.trim()))
            .find(cells => cells[0] === '{name}')?.slice(1).join('|')"
    );
    page.until(&format!("{name} is compared"), 10, &format!("{cells} === '{}'", shown.join("|"))).await
}

#[test]
fn two_files_are_compared_swapped_and_parted() {
    journey(async |page| {
        page.open("#view=details").await?;
        open(page, &bin("before.bin", 120.5, 2)?, "before.bin").await?;
        open(page, &bin("after.bin", 100.25, 8)?, "after.bin").await?;
        page.click_on(".top__compare").await?;
        page.until("the menu", 5, "document.querySelector('.menu__row')").await?;
        // The shown file is no baseline of itself.
        let denied =
            "document.querySelector('.menu__row[aria-disabled=true]')?.innerText.includes('after.bin')";
        page.until("itself cannot be chosen", 5, denied).await?;
        choose(page, "before.bin").await?;
        fact(page, "Duration", ["120.500 µs", "100.250 µs", "−20.250 µs (−16.8 %, 0.832×)"]).await?;
        fact(page, "Block dim", ["2", "8", "+6 (+300 %, 4×)"]).await?;
        let headline =
            "document.querySelector('.compare__headline')?.innerText.startsWith('Duration −16.8 %')";
        page.until("the headline says it first", 5, headline).await?;
        page.until(
            "less time is better",
            5,
            "document.querySelector('#figure-base-info .table__cell--better')",
        )
        .await?;
        page.until(
            "the bar names both",
            5,
            "/before[^]*after/.test(document.querySelector('.compare')?.innerText)",
        )
        .await?;
        page.until("the address says so", 5, "location.hash.includes('baseline=before.bin')").await?;
        page.click_on("[data-action=swap]").await?;
        page.until("the other file is shown", 5, "document.title.startsWith('before.bin')").await?;
        fact(page, "Duration", ["100.250 µs", "120.500 µs", "+20.250 µs (+20.2 %, 1.2×)"]).await?;
        page.until(
            "more time is worse",
            5,
            "document.querySelector('#figure-base-info .table__cell--worse')",
        )
        .await?;
        page.until("the headline stays", 5, "document.querySelector('.compare__headline')").await?;
        open(page, &bin("third.bin", 99.0, 2)?, "third.bin").await?;
        page.until(
            "the comparison has no headline above another file",
            5,
            "document.querySelector('.compare') && !document.querySelector('.compare__headline')",
        )
        .await?;
        page.click_on("[data-action=end-comparison]").await?;
        page.until(
            "nothing is compared",
            5,
            "!document.querySelector('.compare, #figure-base-info [role=row]')",
        )
        .await
    });
}

#[test]
fn what_is_compared_is_read_in_a_small_window_without_a_pointer() {
    journey(async |page| {
        let size = json!({"width": 1280, "height": 800, "deviceScaleFactor": 1, "mobile": false});
        page.devtools("Emulation.setDeviceMetricsOverride", size).await?;
        page.open("#view=details").await?;
        let operator =
            |end: &str| format!("flash_attention_fp16_causal_with_dropout_and_bias_of_{end}_mix_aic");
        let files = [("before.bin", 120.5, "the_first_round"), ("after.bin", 180.75, "the_second_round")];
        for (name, duration, end) in files {
            open(page, &bin_of(&operator(end), name, duration, 2)?, name).await?;
        }
        page.click_on(".top__compare").await?;
        page.until("the menu", 5, "document.querySelector('.menu__row')").await?;
        choose(page, "before.bin").await?;
        fact(page, "Duration", ["120.500 µs", "180.750 µs", "+60.250 µs (+50 %, 1.5×)"]).await?;
        // The headline names both operators: it has two lines.
        let lines = "const line = document.querySelector('.compare__headline');
            return line.clientHeight / parseFloat(getComputedStyle(line).lineHeight)";
        let lines = page.js::<f64>(lines, &[]).await?;
        assert!(2.0 <= lines, "{lines} lines");
        let mut wrong = Vec::new();
        for view in page.js::<Vec<String>>(crate::reach::VIEWS, &[]).await? {
            crate::reach::press(page, &view).await?;
            crate::reach::quiet(page).await?;
            wrong.extend(crate::reach::unseen(page, &view).await?);
        }
        assert_eq!(wrong, Vec::<String>::new());
        // Figures of the overview say how much they changed in percent and as a factor.
        crate::reach::press(page, "tab-overview").await?;
        let told = r"document.querySelector('.overview__tile')?.textContent.replace(/\u00a0/g, ' ')";
        let told = format!("{told}.includes('+50 %, 1.5×')");
        page.until("the factor", 10, &told).await
    });
}

/// Numbers of seven digits with a unit, of both: what differs stands beside them all the same.
#[test]
fn differences_of_lanes_are_in_sight_in_a_small_window() {
    journey(async |page| {
        let size = json!({"width": 1280, "height": 800, "deviceScaleFactor": 1, "mobile": false});
        page.devtools("Emulation.setDeviceMetricsOverride", size).await?;
        page.open("#view=overview").await?;
        for (name, times) in [("probed_before", 700), ("probed_after", 1_000)] {
            open(page, &traces::probed_of(name, times)?, name).await?;
        }
        page.click_on(".top__compare").await?;
        page.until("the menu", 5, "document.querySelector('.menu__row')").await?;
        choose(page, "…before").await?;
        page.until("differences", 10, "document.querySelector('.overview__table--compared')").await?;
        assert_eq!(crate::reach::unseen(page, "lanes").await?, Vec::<String>::new());
        Ok(())
    });
}

#[test]
fn two_files_of_one_name_keep_their_letters_in_the_address() {
    journey(async |page| {
        page.open("#view=details&baseline=visualize_data.bin%20(2)").await?;
        open(page, &bin("one/visualize_data.bin", 120.5, 2)?, "visualize_data.bin").await?;
        open(page, &bin("two/visualize_data.bin", 100.25, 8)?, "visualize_data.bin").await?;
        fact(page, "Duration", ["100.250 µs", "120.500 µs", "+20.250 µs (+20.2 %, 1.2×)"]).await?;
        let bar = r"/\(2\)[^]*\(1\)/.test(document.querySelector('.compare')?.innerText)";
        page.until("the bar tells them apart", 5, bar).await?;
        let says = |n: u32| {
            format!("decodeURIComponent(location.hash).includes('baseline=visualize_data.bin ({n})')")
        };
        page.until("the address says which", 5, &says(2)).await?;
        page.click_on("[data-action=swap]").await?;
        fact(page, "Duration", ["120.500 µs", "100.250 µs", "−20.250 µs (−16.8 %, 0.832×)"]).await?;
        page.until("the address follows", 5, &says(1)).await
    });
}

/// Answers for files of one name in two folders, which nothing serves.
const TWO_FOLDERS: &str = "const fetched = window.fetch;
    window.fetch = (url, ...of) => {
        const at = String(url?.url ?? url).match(/(round[25])\\/x\\.json$/);
        if (!at) return fetched(url, ...of);
        const event = { ph: 'X', pid: 1, tid: 1, name: 'load', ts: 0, dur: at[1] === 'round2' ? 6 : 3 };
        return Promise.resolve(new Response(JSON.stringify({ traceEvents: [event] })));
    }";

/// Opens an address as a user does who pastes it.
const PASTE: &str = "const data = new DataTransfer();
    data.setData('text/plain', new URL(arguments[0], location.href).href);
    window.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data }));
    return null";

#[test]
fn files_of_one_name_are_told_apart_by_their_folders() {
    journey(async |page| {
        page.before_load(TWO_FOLDERS).await?;
        page.open("?open=/a/round2/x.json#view=timeline").await?;
        page.wait_state("ready", 20).await?;
        page.js::<()>(PASTE, &[json!("/a/round5/x.json")]).await?;
        page.until("two documents", 20, "document.querySelectorAll('.rail__row--file').length === 2").await?;
        page.wait_state("ready", 20).await?;
        page.click_on(".top__compare").await?;
        page.until("the menu", 5, "document.querySelector('.menu__row')").await?;
        let baseline = "const row = [...document.querySelectorAll('.menu__row')]
            .find(row => row.innerText.includes('round2'));
            row?.click();
            return !!row";
        assert!(page.js::<bool>(baseline, &[]).await?, "the menu names the folder");
        let bar = "/round2[^]*round5/.test(document.querySelector('.compare')?.innerText)";
        page.until("the bar names both folders", 10, bar).await?;
        // The same of folders that were dropped, though the nearest one has one name in both.
        for (round, n) in [("fold2", 3), ("fold5", 4)] {
            bin(&format!("{round}/OPPROF_1/visualize_data.bin"), 100.0, 2)?;
            page.drop_file(&scratch().join("traces").join(round)).await?;
            let rows = format!("document.querySelectorAll('.rail__row--file').length === {n}");
            page.until("its row", 20, &rows).await?;
            page.wait_state("ready", 20).await?;
        }
        page.click_on(".top__compare").await?;
        page.until("the menu", 5, "document.querySelector('.menu__row')").await?;
        assert!(page.js::<bool>(&baseline.replace("round2", "fold2"), &[]).await?, "the menu names it");
        let bar = "/fold2[^]*fold5/.test(document.querySelector('.compare')?.innerText)";
        page.until("the bar names both folders", 10, bar).await
    });
}

#[test]
fn what_is_wrong_with_the_baseline_is_said_beside_the_comparison() {
    journey(async |page| {
        let before = bin("cut.bin", 120.5, 2)?;
        // A block whose header says more bytes than are left.
        let mut bytes = std::fs::read(&before)?;
        bytes.extend(9_812_u64.to_le_bytes());
        bytes.extend([6, 0, 0x5a, 0x5a, b'{', b'}']);
        std::fs::write(&before, bytes)?;
        page.open("#view=details").await?;
        open(page, &before, "cut.bin").await?;
        open(page, &bin("whole.bin", 100.25, 2)?, "whole.bin").await?;
        let section = "[...document.querySelectorAll('.rail__section')]
            .find(section => section.textContent.startsWith('Problems in the baseline'))";
        assert!(!page.js::<bool>(&format!("return !!({section})"), &[]).await?, "nothing is compared yet");
        page.click_on(".top__compare").await?;
        page.until("the menu", 5, "document.querySelector('.menu__row')").await?;
        choose(page, "cut.bin").await?;
        page.until("the rail says it", 10, section).await?;
        page.activate_one(&format!("{section}.querySelector('button.rail__row')")).await?;
        let titles = "[...document.querySelectorAll('.report__title')].map(title => title.textContent)";
        let both = format!("{titles}.includes('Problems') && {titles}.includes('Problems in the baseline')");
        page.until("the report says it", 10, &both).await
    });
}

#[test]
fn closing_either_file_ends_the_comparison() {
    journey(async |page| {
        page.open("#view=details").await?;
        open(page, &bin("before.bin", 120.5, 2)?, "before.bin").await?;
        open(page, &bin("after.bin", 100.25, 8)?, "after.bin").await?;
        page.click_on(".top__compare").await?;
        page.until("the menu", 5, "document.querySelector('.menu__row')").await?;
        choose(page, "before.bin").await?;
        fact(page, "Block dim", ["2", "8", "+6 (+300 %, 4×)"]).await?;
        // The baseline is closed; the comparison stays as it was alone.
        page.activate("[data-action=close-document]").await?;
        page.until(
            "nothing is compared",
            5,
            "!document.querySelector('.compare, #figure-base-info [role=row]')",
        )
        .await?;
        page.until("the other file is shown", 5, "document.title.startsWith('after.bin')").await
    });
}

#[test]
fn two_traces_share_their_window_and_tell_the_difference_by_name() {
    journey(async |page| {
        let trace = |load: u32, n: u32| {
            let one = |i: u32| {
                let ts = 5 + i * 10;
                format!(r#"{{"ph": "X", "pid": 1, "tid": 1, "name": "load", "ts": {ts}, "dur": {load}}}"#)
            };
            let events: Vec<String> = (0..n).map(one).collect();
            format!(r#"{{"traceEvents": [{}]}}"#, events.join(","))
        };
        page.open("#view=timeline").await?;
        open(page, &traces::written("slow.json", &trace(6, 4))?, "slow.json").await?;
        open(page, &traces::written("fast.json", &trace(5, 2))?, "fast.json").await?;
        page.click_on(".top__compare").await?;
        page.until("the menu", 5, "document.querySelector('.menu__row')").await?;
        choose(page, "slow.json").await?;
        page.until("two sets of lanes", 10, "document.querySelectorAll('.timeline__lanes').length === 2")
            .await?;
        // Four of 6 µs against two of 5 µs.
        let table = "document.querySelector('[role=grid][aria-label=\"Difference by name\"]')?.innerText";
        for words in ["24.000 µs", "10.000 µs", "−14.000 µs", "−58.3 %, 0.417×"] {
            page.until(&format!("{words} in the table"), 10, &format!("{table}?.includes('{words}')"))
                .await?;
        }
        Ok(())
    });
}

/// Drops a folder of operators of one name, of these µs, and waits until one of them is shown.
async fn open_round(page: &Page, round: &str, durations: &[f64]) -> Outcome {
    for (at, duration) in (1..).zip(durations) {
        bin(&format!("{round}/OPPROF_{at}/visualize_data.bin"), *duration, at * 2)?;
    }
    page.drop_file(&scratch().join("traces").join(round)).await?;
    page.until("its name in the title", 20, &format!("document.title.includes('{round}')")).await?;
    page.wait_state("ready", 20).await
}

#[test]
fn another_operator_is_compared_with_the_one_that_it_meets() {
    journey(async |page| {
        let size = json!({"width": 1280, "height": 800, "deviceScaleFactor": 1, "mobile": false});
        page.devtools("Emulation.setDeviceMetricsOverride", size).await?;
        page.open("#view=details").await?;
        open_round(page, "round1", &[100.0, 200.0, 50.0]).await?;
        open_round(page, "round2", &[90.0, 150.0, 40.0]).await?;
        page.click_on(".top__compare").await?;
        page.until("the menu", 5, "document.querySelector('.menu__row')").await?;
        choose(page, "…round1").await?;
        fact(page, "Duration", ["100.000 µs", "90.000 µs", "−10.000 µs (−10 %, 0.9×)"]).await?;
        let row = |n: u32| {
            format!(
                "[...document.querySelectorAll('[data-part=operators] button')]
                    .find(row => row.title.includes('OPPROF_{n}'))"
            )
        };
        let [first, second, third] = [1, 2, 3].map(row);
        page.until("the second operator in the rail", 10, &second).await?;
        page.activate_one(&second).await?;
        fact(page, "Duration", ["200.000 µs", "150.000 µs", "−50.000 µs (−25 %, 0.75×)"]).await?;
        // 350 and 280 µs.
        let headline = "document.querySelector('.compare__headline')?.innerText.startsWith('Duration −20 %')";
        page.until("the headline is of both operators", 10, headline).await?;
        // Both sides have given way; what is left is called what the bar calls it.
        let rail = "[...document.querySelectorAll('.rail__row--file .rail__name')].map(row => row.innerText.trim()).sort().join()";
        page.until("two files in the rail", 10, &format!("{rail} === 'round1,round2'")).await?;
        // Operators and files in the rail differ in what is seen of their names.
        assert_eq!(crate::reach::unseen(page, "operators").await?, Vec::<String>::new());
        // Of two that are chosen at once the last counts, although the first is still loading.
        page.until("the third operator in the rail", 10, &third).await?;
        page.js::<()>(&format!("{third}.click(); {first}.click()"), &[]).await?;
        fact(page, "Duration", ["100.000 µs", "90.000 µs", "−10.000 µs (−10 %, 0.9×)"]).await?;
        page.until("the address keeps the baseline", 5, "location.hash.includes('baseline=')").await
    });
}

#[test]
fn a_link_opens_an_operator_that_is_not_the_first() {
    journey(async |page| {
        page.open("#view=details&file=OPPROF_2%20%C2%B7%20round3").await?;
        open_round(page, "round3", &[100.0, 200.0]).await?;
        page.until("the operator of the link", 20, "document.title.startsWith('OPPROF_2')").await?;
        page.wait_state("ready", 20).await?;
        // The one that the folder was opened with has given way: nobody asked for it.
        let files = "document.querySelectorAll('.rail__row--file').length === 1";
        page.until("one file in the rail", 5, files).await
    });
}

/// A link to one of the last of many operators: its row stands inside of the list.
#[test]
fn the_chosen_operator_is_scrolled_into_the_rail() {
    const ROW: &str = "document.querySelector('[data-part=operators] .rail__row[aria-current=true]')";
    journey(async |page| {
        let mut last = PathBuf::new();
        for n in 0..40 {
            last = bin_of(
                &format!("operator_{n:02}"),
                &format!("many/op{n:02}/visualize_data.bin"),
                100.0 + f64::from(n),
                2,
            )?;
        }
        let folder = last.parent().and_then(Path::parent).expect("a folder");
        page.open("#view=details").await?;
        page.drop_file(folder).await?;
        page.wait_state("ready", 30).await?;
        let rows = "[...document.querySelectorAll('[data-part=operators] button.rail__row')]";
        page.until("all operators", 10, &format!("{rows}.length === 40")).await?;
        page.activate_one(&format!("{rows}[38]")).await?;
        let inside = format!(
            "((row, box) => {{
                const one = row?.getBoundingClientRect(), all = box.getBoundingClientRect();
                return one && all.top <= one.top + 1 && one.bottom <= all.bottom + 1 && one.bottom <= innerHeight;
            }})({ROW}, document.querySelector('.rail'))"
        );
        page.until("the chosen one in sight", 10, &format!("{ROW}?.innerText.includes('38') && {inside}"))
            .await?;
        page.until("the address says which", 10, "location.hash.includes('op38')").await?;
        let hash: String = page.js("return location.hash", &[]).await?;
        page.open(&format!("?again{hash}")).await?;
        page.drop_file(folder).await?;
        page.wait_state("ready", 30).await?;
        page.until("in sight after a link", 10, &format!("{ROW}?.innerText.includes('38') && {inside}")).await
    });
}

/// Chooses what is shown to be compared with a file.
async fn compare_with(page: &Page, words: &str) -> Outcome {
    page.click_on(".top__compare").await?;
    page.until("the menu", 5, "document.querySelector('.menu__row')").await?;
    choose(page, words).await
}

/// Boxes of executions and plans of buffers are not compared: their views say so, and which one compares.
#[test]
fn views_without_differences_say_so() {
    const HINT: &str = "document.querySelector('.compare__hint')?.innerText";
    journey(async |page| {
        let round = [(0, "MOV", u32::MAX), (0x10, "FADD", u32::MAX), (0x20, "BRA", u32::MAX)];
        page.open("#view=trace").await?;
        for (name, rounds) in [("before.traceg", 2), ("after.traceg", 3)] {
            open(page, &traces::program(name, "scan", 1, &round.repeat(rounds))?, name).await?;
        }
        compare_with(page, "before.traceg").await?;
        for view in ["tab-trace", "tab-plan"] {
            crate::reach::press(page, view).await?;
            let says = format!("{HINT} === 'This view shows no differences. See Details.'");
            page.until(&format!("{view} says so"), 10, &says).await?;
        }
        crate::reach::press(page, "tab-details").await?;
        page.until("Details compares", 10, &format!("{HINT} === 'Difference = B − A'")).await?;
        // 6 and 9 instructions.
        let table =
            "document.querySelector('#figure-instrumentation-kernels')?.innerText.replace(/\\s+/g, ' ')";
        page.until("the difference", 10, &format!("{table}?.includes(' 6 9 +3 (+50 %, 1.5×) ')")).await
    });
}

/// Four launches of a kernel that takes so many µs, by an operator.
fn launched(dur: u32) -> String {
    let mut events = vec![
        r#"{"ph": "M", "pid": 0, "tid": 0, "name": "process_labels", "args": {"labels": "GPU 0"}}"#
            .to_owned(),
    ];
    for n in 0..4 {
        let at = n * 100;
        for (on, cat, name, ts, dur) in [
            (r#""pid": 1, "tid": 1"#, "cpu_op", "aten::mm", at, 20),
            (r#""pid": 1, "tid": 1"#, "cuda_runtime", "cudaLaunchKernel", at + 5, 5),
            (r#""pid": 0, "tid": 7"#, "kernel", "gemm", at + 30, dur),
        ] {
            events.push(format!(
                r#"{{"ph": "X", {on}, "cat": "{cat}", "name": "{name}", "ts": {ts}, "dur": {dur}, "args": {{"correlation": {n}}}}}"#
            ));
        }
    }
    format!(r#"{{"traceEvents": [{}]}}"#, events.join(","))
}

#[test]
fn statistics_of_two_files_begin_with_kernels() {
    journey(async |page| {
        page.open("#view=statistics").await?;
        for (name, dur) in [("slow.json", 60), ("fast.json", 30)] {
            open(page, &traces::written(name, &launched(dur))?, name).await?;
        }
        compare_with(page, "slow.json").await?;
        let chosen = "document.querySelector('.statistics [role=radio][aria-checked=true]')?.innerText";
        page.until("kernels are chosen", 10, &format!("{chosen} === 'Kernels'")).await?;
        let rows = "[...document.querySelectorAll('.statistics [role=grid][aria-label=\"Difference by name\"] .table__row')]
            .map(row => [...row.querySelectorAll('[role=gridcell]')].slice(0, 5).map(cell => cell.innerText.trim()).join('|'))";
        // Neither the operator nor the call that launches it is among them.
        let expected = "gemm|240.000 µs|120.000 µs|−120.000 µs|−50 %, 0.5×";
        page.until("kernels alone", 10, &format!("{rows}.join() === '{expected}'")).await
    });
}

/// Neither is the first of its folder, both have one name; whichever folder is dropped first.
#[test]
fn a_link_restores_both_operators_of_one_name() {
    let link = "#view=details&file=OPPROF_2%20%C2%B7%20round5&baseline=OPPROF_2%20%C2%B7%20round4";
    journey(async |page| {
        for (round, durations) in [("round4", [100.0, 200.0]), ("round5", [90.0, 150.0])] {
            for (at, duration) in (1..).zip(durations) {
                bin(&format!("{round}/OPPROF_{at}/visualize_data.bin"), duration, at * 2)?;
            }
        }
        for order in [["round4", "round5"], ["round5", "round4"]] {
            page.open(&format!("?first={}{link}", order[0])).await?;
            for round in order {
                page.drop_file(&scratch().join("traces").join(round)).await?;
                let is_there = format!(
                    "[...document.querySelectorAll('.rail__row--file')].some(row => row.innerText.includes('{round}'))"
                );
                page.until(round, 20, &is_there).await?;
                page.wait_state("ready", 20).await?;
            }
            fact(page, "Duration", ["200.000 µs", "150.000 µs", "−50.000 µs (−25 %, 0.75×)"]).await?;
            // Bar, rail and address name both by what they differ in.
            let words = |selector: &str| {
                format!(
                    "[...document.querySelectorAll('{selector}')].map(one => one.innerText.replace(/\\s+/g, ' ')).join(' | ')"
                )
            };
            page.until("the bar", 10, &format!("{}.startsWith('A round4 B round5')", words(".compare")))
                .await?;
            let rail = words(".rail__row--file");
            page.until("the rail", 10, &format!("/round4 A/.test({rail}) && /round5 B/.test({rail})"))
                .await?;
            let address = "decodeURIComponent(location.hash)";
            for part in ["file=OPPROF_2 · round5", "baseline=OPPROF_2 · round4"] {
                page.until(part, 10, &format!("{address}.includes('{part}')")).await?;
            }
        }
        Ok(())
    });
}
