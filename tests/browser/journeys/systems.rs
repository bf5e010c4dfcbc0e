//! Views that only some systems have: the table of a systrace with marks of NNAPI, block schedule and heat map of a
//! Neutrino folder.

use lanescope_browser::screen::Point;
use lanescope_browser::{Outcome, Page, journey, traces};
use std::fmt::Write;

#[test]
fn a_number_of_the_table_leads_to_its_slices() {
    journey(async |page| {
        page.open("").await?;
        page.drop_file(&traces::written("net.ftrace.txt", traces::NNAPI)?).await?;
        page.wait_state("ready", 30).await?;
        page.until("colors of layers", 5, "document.querySelector('.legend')?.innerText.includes('Runtime')")
            .await?;
        page.activate("#tab-details").await?;
        let numbers =
            "[...document.querySelectorAll('#figure-nnapi-layers svg text')].map(text => text.textContent)";
        page.until("the table", 10, &format!("{numbers}.includes('(4)')")).await?;
        let shown: Vec<String> = page.js(&format!("return {numbers}"), &[]).await?;
        let has = |number: &str| shown.iter().any(|text| text == number);
        // Of the execution's 4 ms the runtime has 2 by itself, the CPU the other 2.
        assert!(has("2") && has("1") && has("15"), "{shown:?}");
        let press = "const text = [...document.querySelectorAll('#figure-nnapi-layers svg text')].find(text => text.textContent === '(4)');
            const { x, y, width, height } = text.getBoundingClientRect();
            const at = { clientX: x + width / 2, clientY: y + height / 2, bubbles: true };
            text.dispatchEvent(new PointerEvent('pointermove', at));
            text.dispatchEvent(new MouseEvent('click', at));
            return null";
        page.js::<()>(press, &[]).await?;
        page.until(
            "the search on the timeline",
            5,
            "[...document.querySelectorAll('input')].some(input => input.value.startsWith('scope:LR PE'))",
        )
        .await?;
        page.until("the address of another view", 5, "!location.hash.includes('view=details')").await
    });
}

/// Opens the folder in a view and waits for the picture.
async fn open_probed(page: &Page, view: &str) -> Outcome {
    page.open(&format!("#view={view}")).await?;
    page.drop_file(&traces::probed()?).await?;
    page.wait_state("ready", 30).await?;
    // Another view may have been built before, hidden.
    let seen = "[...document.querySelectorAll('canvas')].some(canvas => canvas.checkVisibility())";
    page.until("the picture", 10, seen).await
}

/// Types into the control of a parameter and leaves it.
async fn enter(page: &Page, parameter: &str, control: &str, text: &str) -> Outcome {
    let body = format!(
        "const f = document.querySelector('[data-parameter={parameter}] {control}'); f.value = '{text}'; f.dispatchEvent(new Event('change', {{bubbles: true}})); return null"
    );
    page.js::<()>(&body, &[]).await
}

/// Waits until an element holds some words.
async fn says(page: &Page, selector: &str, words: &str) -> Outcome {
    let held = format!("document.querySelector('{selector}')?.innerText.includes('{words}')");
    page.until(&format!("{words} in {selector}"), 10, &held).await
}

#[test]
fn a_block_schedule_is_read_set_and_selected() {
    journey(async |page| {
        open_probed(page, "schedule").await?;
        says(
            page,
            ".schedule__head",
            "SM 0 – 1, 2 of 2 · up to 1 resident per SM · each from its first block",
        )
        .await?;
        // The median of 800 to 860 and 1,700 lies between the middle two.
        for words in ["835", "1,700"] {
            says(page, ".schedule__side", words).await?;
        }
        // No timer, no clock rate: the one cannot be chosen, the other is empty.
        let timer = "document.querySelector('[data-parameter=schedule-align] [aria-disabled=true]')";
        page.activate_one(timer).await?;
        page.until("why not", 5, &format!("{timer}.title.includes('global timer')")).await?;
        let clock = "document.querySelector('[data-parameter=schedule-clock] input')";
        page.until("no clock", 5, &format!("{clock}.value === '' && {clock}.placeholder === 'not set'"))
            .await?;
        enter(page, "schedule-clock", "input", "1000").await?;
        says(page, ".schedule__side", "1.700 µs").await?;
        let align = "document.querySelectorAll('[data-parameter=schedule-align] button')[2]";
        page.activate_one(align).await?;
        says(page, ".schedule__head", "raw clocks").await?;
        let address =
            "['schedule-clock=1000', 'schedule-align=raw'].every(part => location.hash.includes(part))";
        page.until("both in the address", 5, address).await?;
        page.activate_one(&align.replace("[2]", "[1]")).await?;
        says(page, ".schedule__head", "each from its first block").await?;
        // Block 0 runs on SM 0 from 0 to 800 of 4,700 cycles, beside block 1.
        let canvas = page.rect(".schedule__surface canvas").await?;
        let x = |time: f64| canvas.x + 112.0 + (canvas.width - 208.0) * time / 4_700.0;
        let block = Point { x: x(400.0), y: canvas.y + 74.0 + 12.0 };
        page.hover(block).await?;
        let tip = page.tooltip_text().await?;
        assert!(tip.contains("Block 0") && tip.contains("800 cycles"), "{tip}");
        says(page, ".schedule__count", "≈ 2 at pointer").await?;
        page.click(block).await?;
        says(page, ".schedule__detail .detail__name", "Block 0").await?;
        // The tables stand beside it, inside the window.
        let tabs = "document.querySelector('.schedule__detail [role=tablist]').getBoundingClientRect()";
        let seen = format!(
            "(({{ x, y, width, height }}) => document.elementFromPoint(x + width / 2, y + height / 2)?.closest('.schedule__detail'))({tabs})"
        );
        page.until("the tables in reach", 5, &seen).await?;
        let ruler = canvas.y + 60.0;
        page.drag(Point { x: x(100.0), y: ruler }, Point { x: x(900.0), y: ruler }, 0).await?;
        says(page, ".schedule__detail .table__tools", "2 rows").await?;
        page.until("the range in the address", 5, "/range%3D|range=/.test(location.hash)").await
    });
}

#[test]
fn a_heat_map_counts_and_tells_what_lies_under_the_pointer() {
    journey(async |page| {
        open_probed(page, "heatmap").await?;
        // As small as 200 rows allow, until somebody chooses.
        says(page, ".density__head", "64 pages of 32 B, 182 cycles").await?;
        enter(page, "page-size", "select", "65536").await?;
        says(page, ".density__head", "16 pages of 64.00 KiB, 182 cycles").await?;
        says(page, ".density__side", "1,024").await?;
        let canvas = page.rect(".density__picture canvas").await?;
        let strip = page.rect(".density__strip").await?;
        // At the first clock each of 8 blocks accesses a page of its own; the lowest is the first of x.
        let at = Point { x: strip.x + strip.width * 0.5 / 182.0, y: canvas.y + canvas.height - 38.0 };
        page.hover(at).await?;
        let tip = page.tooltip_text().await?;
        assert!(["x", "0x7f0000000000", "100 cycles"].iter().all(|words| tip.contains(words)), "{tip}");
        says(page, ".density__strip", "8").await?;
        enter(page, "page-size", "select", "4096").await?;
        page.until("the page size in the address", 5, "location.hash.includes('page-size=')").await?;
        says(page, ".density__head", "16 pages of 4.00 KiB").await
    });
}

/// A log of three kernels with accesses to L1 and L2, some of them again.
fn log_of_lifetimes() -> String {
    let mut text = "*** GPGPU-Sim Simulator Version 4.2.0  [build test] ***\n\n\
        -gpgpu_n_clusters 4 # clusters\n-gpgpu_clock_domains 1000.0:1000.0:1000.0:850.0 # clocks\n"
        .to_owned();
    // Writing into a String never fails.
    for kernel in 1..=3 {
        let _ = write!(
            text,
            "-kernel name = work{kernel}\n-kernel id = {kernel}\n\
             launching kernel name: work{kernel} uid: {kernel} cuda_stream_id: 0\n\
             GPGPU-Sim: Reconfigure L1 cache to 64KB\n"
        );
        for at in 0..60_u32 {
            let (cycle, sector) = (100 + 20 * at, (at % 20) * 32);
            let status = if at < 20 { 2 } else { 0 };
            let _ = write!(
                text,
                "GPGPU-Sim Cycle {cycle}: Load instr from L1D cache at SM {} bank 0 addr 7f00000{sector:05x} status {status}\n\
                 GPGPU-Sim Cycle {cycle}: Store instr from L2 cache at bank 0 addr 7f00000{sector:05x} status {status}\n",
                at % 2
            );
        }
        let _ = write!(
            text,
            "kernel_name = work{kernel} \nkernel_launch_uid = {kernel} \ngpu_sim_cycle = {}\ngpu_sim_insn = 64\n",
            2_000 * kernel
        );
    }
    text + "GPGPU-Sim: *** exit detected ***\n"
}

#[test]
fn kernels_of_lifetimes_are_seen_and_chosen_at_every_size() {
    journey(async |page| {
        page.open("#view=lifetimes").await?;
        page.drop_file(&traces::written("run.log", &log_of_lifetimes())?).await?;
        page.wait_state("ready", 30).await?;
        let rows = "[...document.querySelectorAll('.lifetimes__row')]";
        page.until("the kernels", 10, &format!("{rows}.length === 3")).await?;
        for (width, height) in [(1280, 720), (1280, 800), (1440, 900), (1920, 1080)] {
            let size = serde_json::json!({
                "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false
            });
            page.devtools("Emulation.setDeviceMetricsOverride", size).await?;
            // Each row can be brought into the window, and is what lies there.
            let seen = format!(
                "{rows}.every(row => {{
                    row.scrollIntoView({{ block: 'nearest' }});
                    const {{ x, y, height }} = row.getBoundingClientRect();
                    return row.contains(document.elementFromPoint(x + 40, y + height / 2));
                }})"
            );
            page.until(&format!("all kernels at {width} × {height}"), 5, &seen).await?;
            let scroll = "document.querySelector('.lifetimes__scroll').clientHeight";
            page.until("some rows at once", 5, &format!("60 <= {scroll}")).await?;
        }
        page.devtools("Emulation.clearDeviceMetricsOverride", serde_json::json!({})).await?;
        page.activate_one(&format!("{rows}[0]")).await?;
        page.until("the chosen kernel", 5, "/kernel%3D\\d|kernel=\\d/.test(location.hash)").await?;
        // Every figure has the choice of a kernel.
        let figures = "[...document.querySelectorAll('.lifetimes__head .segmented__option')]";
        for at in 0..6 {
            page.activate_one(&format!("{figures}.slice(-6)[{at}]")).await?;
            let select = "document.querySelector('.lifetimes__kernel select')";
            page.until("a choice of four", 5, &format!("{select}?.options.length === 4")).await?;
        }
        let choose = "const f = document.querySelector('.lifetimes__kernel select'); f.value = '1';
            f.dispatchEvent(new Event('change', { bubbles: true })); return null";
        page.js::<()>(choose, &[]).await?;
        page.until(
            "the other kernel",
            5,
            "document.querySelector('.lifetimes__row[aria-selected=true]')?.innerText.includes('work2')",
        )
        .await?;
        // Rows follow the clock: 4,000 cycles are 4 µs at 1 GHz, 2 µs at 2 GHz.
        let time = "document.querySelector('.lifetimes__row[aria-selected=true]')?.children[2].innerText";
        page.until("the time at 1 GHz", 5, &format!("{time} === '4.00'")).await?;
        enter(page, "clock-mhz", "input", "2000").await?;
        page.until("the time at 2 GHz", 5, &format!("{time} === '2.00'")).await?;
        says(page, ".lifetimes__assumptions", "2,000 MHz as set").await?;
        // Devices of one's own are chosen by a control of the page, not by the browser's.
        let own = "return [...document.querySelectorAll('input[type=file]')].filter(one => one.checkVisibility()).length";
        assert_eq!(page.js::<usize>(own, &[]).await?, 0);
        Ok(())
    });
}

#[test]
fn a_link_to_a_drawn_figure_of_lifetimes_is_drawn() {
    journey(async |page| {
        let log = traces::written("run.log", &log_of_lifetimes())?;
        for panel in ["time", "addresses"] {
            page.open(&format!("#view=lifetimes&s.lifetimes=panel%3D{panel}")).await?;
            page.drop_file(&log).await?;
            page.wait_state("ready", 30).await?;
            let drawn = "100 < document.querySelector('.lifetimes__surface canvas')?.width";
            page.until(&format!("the picture of {panel}"), 10, drawn).await?;
            let is_empty = "!document.querySelector('.lifetimes__empty')";
            page.until(&format!("something in {panel}"), 10, is_empty).await?;
        }
        Ok(())
    });
}

#[test]
fn the_focus_follows_the_chosen_kernel() {
    journey(async |page| {
        page.open("#view=lifetimes").await?;
        page.drop_file(&traces::written("run.log", &log_of_lifetimes())?).await?;
        page.wait_state("ready", 30).await?;
        let first = "document.querySelector('.lifetimes__row')";
        page.until("the kernels", 10, first).await?;
        page.js::<()>(&format!("{first}.focus(); return null"), &[]).await?;
        let keys =
            [("ArrowDown", 0), ("ArrowDown", 1), ("Enter", 1), ("End", 2), ("ArrowUp", 1), ("Home", 0)];
        for (key, at) in keys {
            page.press(key, 0).await?;
            let row = format!("document.querySelectorAll('.lifetimes__row')[{at}]");
            let is_there =
                format!("{row}.matches('[aria-selected=true]') && document.activeElement === {row}");
            page.until(&format!("row {at} after {key}"), 5, &is_there).await?;
        }
        Ok(())
    });
}

/// Kernels come first where a device worked, names where none did.
#[test]
fn statistics_begin_with_what_matters_most() {
    journey(async |page| {
        let known = traces::known("known.json")?;
        let opened = [(traces::ranks()?, "Kernels by name"), (known, "Slices by name")];
        for (n, (path, title)) in opened.iter().enumerate() {
            page.open(&format!("?own={n}#view=statistics")).await?;
            page.drop_file(path).await?;
            page.wait_state("ready", 30).await?;
            let first = "document.querySelector('.statistics .table__name')?.innerText";
            page.until(title, 10, &format!("{first} === '{title}'")).await?;
        }
        Ok(())
    });
}

/// Brackets choose the next block and the one before, but not while somebody types.
#[test]
fn brackets_change_the_block() {
    const CHOSEN: &str = "document.querySelector('.select__input[aria-label=\"Block ID\"]')?.selectedIndex";
    journey(async |page| {
        page.open("?open=samples/flash_attention.bin#view=details").await?;
        page.wait_state("ready", 60).await?;
        page.until("the choice of blocks", 10, &format!("0 <= {CHOSEN}")).await?;
        // Dozens of figures stand in the rail by what they are about.
        let groups = "[...document.querySelectorAll('.rail__group')].map(group => group.innerText)";
        let grouped = format!(
            "['Base info', 'Core occupancy', 'Compute workload'].every(name => {groups}.some(text => text.startsWith(name)))"
        );
        page.until("groups of figures", 10, &grouped).await?;
        let first = page.js::<i32>(&format!("return {CHOSEN}"), &[]).await?;
        page.press("]", 0).await?;
        page.until("the next block", 5, &format!("{CHOSEN} === {}", first + 1)).await?;
        page.press("[", 0).await?;
        page.until("the first block", 5, &format!("{CHOSEN} === {first}")).await
    });
}

/// What is chosen in a plan is named beside each choice; a click on a heat map draws no ring around it, Tab does.
#[test]
fn choices_are_named_and_rings_are_for_keys() {
    journey(async |page| {
        page.open("?open=samples/tile_product.traceg.gz#view=plan").await?;
        page.wait_state("ready", 60).await?;
        let labels = "[...document.querySelectorAll('.plan__tools .select')].map(one => {
            const label = one.querySelector('.select__label');
            return label?.checkVisibility() && 10 < label.getBoundingClientRect().width ? label.innerText : '';
        })";
        page.until("the choices", 10, &format!("{labels}.length === 3")).await?;
        assert_eq!(
            page.js::<Vec<String>>(&format!("return {labels}"), &[]).await?,
            ["Slack", "Page size", "Cap"]
        );
        // The factors of the product are told where it stands; what is left out is struck in each sum below it.
        let tips = "[...document.querySelectorAll('.plan thead th')].map(head => head.title || head.dataset.tip || '').join('|')";
        for words in [
            "r: records of this type written per execution of the block",
            "c: executions of the block, over all threads",
            "z: bytes per record of this type",
            "Flow records: one per block execution.",
        ] {
            page.until(words, 10, &format!("{tips}.includes({words:?})")).await?;
        }
        let include = ".plan input[aria-label=\"Include mem\"]";
        page.activate(include).await?;
        let is_struck = "[...document.querySelectorAll('.plan tfoot .plan__out')].filter(cell => getComputedStyle(cell).textDecorationLine === 'line-through').length";
        page.until("records, bytes of one and of all are struck", 10, &format!("{is_struck} === 3")).await?;
        page.activate(include).await?;
        page.until("nothing is struck", 10, &format!("{is_struck} === 0")).await?;
        page.activate("#tab-heatmap").await?;
        let seen = "[...document.querySelectorAll('canvas')].some(canvas => canvas.checkVisibility())";
        page.until("the picture", 10, seen).await?;
        let canvas = page.biggest_canvas().await?;
        page.click(Point { x: canvas.x + canvas.width / 2.0, y: canvas.y + canvas.height / 2.0 }).await?;
        let ring = "getComputedStyle(document.activeElement).outlineStyle";
        assert_eq!(page.js::<String>(&format!("return {ring}"), &[]).await?, "none");
        for kind in ["rawKeyDown", "keyUp"] {
            let event =
                serde_json::json!({"type": kind, "key": "Tab", "code": "Tab", "windowsVirtualKeyCode": 9});
            page.devtools("Input.dispatchKeyEvent", event).await?;
        }
        page.until("a ring behind a key", 5, &format!("{ring} !== 'none'")).await
    });
}

/// In a low window too: what shares are of, what is not known, numbers below the names of their levels.
#[test]
fn a_low_window_keeps_what_numbers_of_lifetimes_depend_on() {
    journey(async |page| {
        let size = serde_json::json!({"width": 1280, "height": 720, "deviceScaleFactor": 1, "mobile": false});
        page.devtools("Emulation.setDeviceMetricsOverride", size).await?;
        page.open("?open=samples/lifetimes.log.gz#view=lifetimes").await?;
        page.wait_state("ready", 60).await?;
        says(page, ".lifetimes__assumptions", "no energy: enter constants").await?;
        for words in [
            "93.9 % of all 14,241 were never reused and are left out",
            "47.1 % of all 8,253 were never reused and are left out",
            "no energy constants known",
        ] {
            says(page, ".lifetimes", words).await?;
        }
        let beside = "return [...document.querySelectorAll('.lifetimes aside th')].filter(head => /^L[12]$/.test(head.innerText)).map(head => {
            const own = head.getBoundingClientRect();
            return [...head.closest('table').tBodies[0].rows].filter(row => row.cells.length === 3).every(row => {
                const cell = row.cells[head.cellIndex].getBoundingClientRect();
                return Math.abs(own.left - cell.left) < 1 && Math.abs(own.right - cell.right) < 1;
            });
        })";
        let beside = page.js::<Vec<bool>>(beside, &[]).await?;
        assert!(2 <= beside.len() && beside.iter().all(|is| *is), "{beside:?}");
        Ok(())
    });
}

/// A large picture has most of the window: its controls stand in two rows at most.
#[test]
fn controls_of_a_heat_map_are_two_rows_at_most() {
    journey(async |page| {
        let size = serde_json::json!({"width": 1440, "height": 900, "deviceScaleFactor": 1, "mobile": false});
        page.devtools("Emulation.setDeviceMetricsOverride", size).await?;
        page.open("?open=samples/probes.zip#view=heatmap").await?;
        page.wait_state("ready", 60).await?;
        let rows = "[...document.querySelectorAll('.density__head :is(button, select, input)')].filter(one => one.checkVisibility()).map(one => {
            const { top, height } = one.getBoundingClientRect();
            return Math.round((top + height / 2) / 8);
        })";
        page.until("the controls", 10, &format!("2 < {rows}.length")).await?;
        let n = page.js::<usize>(&format!("return new Set({rows}).size"), &[]).await?;
        assert!(n <= 2, "{n} rows");
        Ok(())
    });
}

/// In Chinese and with everything twice as large the tip of a number lies in the window and has all of its words.
#[test]
fn tips_of_layers_are_read_in_another_language_and_in_little_room() {
    journey(async |page| {
        page.before_load("localStorage.setItem('lanescope.language', 'zh')").await?;
        for (width, height) in [(1280, 800), (640, 400)] {
            let size = serde_json::json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false});
            page.devtools("Emulation.setDeviceMetricsOverride", size).await?;
            page.open(&format!("?open=samples/nnapi.txt.gz&wide={width}#view=details")).await?;
            page.wait_state("ready", 60).await?;
            let number = "[...document.querySelectorAll('#figure-nnapi-layers svg text')].filter(text => /^[0-9(.]/.test(text.textContent))[3]";
            page.until("the table", 10, number).await?;
            page.js::<()>(&format!("{number}.scrollIntoView({{ block: 'center' }}); return null"), &[])
                .await?;
            crate::reach::quiet(page).await?;
            let at = format!(
                "const {{ x, y, width, height }} = {number}.getBoundingClientRect(); return {{ x: x + width / 2, y: y + height / 2 }}"
            );
            page.hover(page.js::<Point>(&at, &[]).await?).await?;
            let tip = page.tooltip_text().await?;
            assert!(["占该列比例", "总时间", "数量"].iter().all(|words| tip.contains(words)), "{tip}");
            let inside = "const tip = document.querySelector('[role=tooltip]');
                const { left, top, right, bottom } = tip.getBoundingClientRect();
                return 0 <= left && 0 <= top && right <= innerWidth && bottom <= innerHeight && tip.scrollWidth <= tip.clientWidth + 1 && tip.scrollHeight <= tip.clientHeight + 1";
            assert!(page.js::<bool>(inside, &[]).await?, "{width} × {height}");
        }
        Ok(())
    });
}

/// 60 lifetimes of L1 last 8 µs at 100 MHz; kernels of 12,000 cycles take 120 µs, on two SMs.
#[test]
fn the_mix_and_refreshes_stand_beside_what_they_are_of() {
    journey(async |page| {
        page.open("#view=lifetimes&clock-mhz=100").await?;
        page.drop_file(&traces::written("run.log", &log_of_lifetimes())?).await?;
        page.wait_state("ready", 30).await?;
        let rows = "[...document.querySelectorAll('.lifetimes aside tr')].map(row => row.innerText.replace(/\\s+/g, ' ').trim())";
        for words in ["refreshes 480 –", "L1 per SM and µs, of 2 used 2.000", "Counted 60 0"] {
            page.until(words, 10, &format!("{rows}.includes('{words}')")).await?;
        }
        let base = "Refreshes over the 120 µs of the kernels whose accesses are known, and over 2 SMs.";
        let tips = "[...document.querySelectorAll('.lifetimes aside tr')].map(row => row.dataset.tip)";
        page.until("the base of the rate", 10, &format!("{tips}.includes('{base}')")).await?;
        says(page, ".lifetimes aside", "L1: of 60 lifetimes").await?;
        says(page, ".lifetimes aside", "share of counted lifetimes").await?;
        let mix = "[...document.querySelectorAll('.lifetimes__mix')].map(row => row.innerText.replace(/\\s+/g, ' ').trim())";
        page.until("the base of the mix", 10, &format!("{mix}.join() === 'L1 100.0 % of 60,L2 –'")).await
    });
}

/// Keeps what the head and the table of a schedule say while they are computed.
const SAID: &str = "window.said = [];
    const note = () => {
        for (const part of ['.schedule__head > [role=status]', '.schedule__detail .field__count']) {
            const text = document.querySelector(part)?.textContent;
            if (text) window.said.push(text);
        }
    };
    new MutationObserver(note).observe(document, { childList: true, characterData: true, subtree: true });";

/// What is said of slow blocks is counted again from the rows below it; before they are known no number is said.
#[test]
fn what_slow_blocks_share_is_what_their_rows_say() {
    journey(async |page| {
        let size = serde_json::json!({"width": 1280, "height": 800, "deviceScaleFactor": 1, "mobile": false});
        page.devtools("Emulation.setDeviceMetricsOverride", size).await?;
        page.before_load(SAID).await?;
        page.open("?open=samples/probes.zip#view=schedule").await?;
        page.wait_state("ready", 60).await?;
        says(page, ".schedule__common", "5 of the 10 blocks over p50 + 15 % have x ≥ 77").await?;
        // The sentence is whole beside the tabs.
        let apart = "(({ right }, one) => right <= one.getBoundingClientRect().left && one.scrollWidth <= one.clientWidth)(
            [...document.querySelectorAll('.schedule__tabs [role=tab]')].at(-1).getBoundingClientRect(), document.querySelector('.schedule__common'))";
        page.until("the sentence beside the tabs", 5, apart).await?;
        let heads = "[...document.querySelectorAll('.schedule__detail [role=columnheader]')].map(head => head.innerText.replace(/\\s+/g, ' ').trim())";
        page.until("the rows", 10, &format!("{heads}.some(head => head.startsWith('Over p50'))")).await?;
        let counted = format!(
            "const over = {heads}.findIndex(head => head.startsWith('Over p50'));
            const rows = [...document.querySelectorAll('.schedule__detail .table__row')]
                .map(row => [...row.querySelectorAll('[role=gridcell]')].map(cell => parseFloat(cell.innerText)));
            const slow = rows.filter(row => 15 < row[over]);
            return [slow.filter(row => 77 <= row[0]).length, slow.length, rows.length]"
        );
        let [with, slow, all] = page.js::<[usize; 3]>(&counted, &[]).await?;
        assert!((with, slow) == (5, 10) && slow < all, "{with} of {slow} of {all}");
        let said = page.js::<Vec<String>>("return [...new Set(window.said)]", &[]).await?;
        let is_said = |words: &str| said.iter().any(|said| said == words);
        assert!(is_said("Computing…") && !is_said("0 rows"), "{said:?}");
        Ok(())
    });
}

/// The note below the table of executions says so: a row selects its execution, and Flame has the calls in it.
#[test]
fn an_execution_that_is_opened_has_its_calls_in_flame() {
    journey(async |page| {
        page.open("#view=details").await?;
        page.drop_file(&traces::written("net.ftrace.txt", traces::NNAPI)?).await?;
        page.wait_state("ready", 30).await?;
        let row = "document.querySelector('#figure-nnapi-executions .table__row')";
        page.until("the execution", 10, row).await?;
        let note = "the Flame tab then shows what all threads called in it.";
        says(page, "#figure-nnapi-executions", note).await?;
        let open =
            format!("{row}.dispatchEvent(new MouseEvent('dblclick', {{ bubbles: true }})); return null");
        page.js::<()>(&open, &[]).await?;
        page.until("its 4 ms", 10, "location.hash.includes('range=1011000000,1015000000')").await?;
        crate::reach::press(page, "tab-flame").await?;
        let table =
            "[...document.querySelectorAll('.detail [role=radio]')].find(one => one.innerText === 'Table')";
        // At once: what is asked first may be another element by the time of the click.
        let press = format!("(one => one && (one.click(), true))({table})");
        page.until("the choice of a table", 10, &press).await?;
        let calls = "[...document.querySelectorAll('.detail [role=grid][aria-label=\"Calls in range\"] .table__row')]
            .map(row => [...row.querySelectorAll('[role=gridcell]')].map(cell => cell.innerText.replace(/\\s+/g, '')))
            .map(cells => `${cells[0]} ${cells[3]} ${cells[5]}`).join()";
        let expected = "net 4.000ms 0ns,step 4.000ms 0ns,ANeuralNetworksExecution_compute 4.000ms 2.000ms,optimized::conv 2.000ms 2.000ms";
        page.until("its calls alone", 10, &format!("{calls} === '{expected}'")).await
    });
}
