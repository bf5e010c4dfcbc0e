//! Recorded and probed programs: lanes of what ran, a kernel beside the one that probes were put into.

use lanescope_browser::screen::Point;
use lanescope_browser::{journey, traces};
use serde_json::json;

use crate::reach::quiet;

/// Three lanes do not take the branch of the first block: its lanes are a mean, those of the last block are all.
#[test]
fn lanes_of_an_execution_are_a_mean_where_they_differ() {
    journey(async |page| {
        let round = [(0, "MOV", u32::MAX), (0x10, "FADD", u32::MAX), (0x20, "BRA", 0x1fff_ffff)];
        let rows = [round.repeat(2), vec![(0x30, "EXIT", u32::MAX)]].concat();
        page.open("#view=trace").await?;
        page.drop_file(&traces::program("lanes.traceg", "scan", 1, &rows)?).await?;
        page.wait_state("ready", 30).await?;
        let seen = "document.querySelector('.executions__surface canvas')?.checkVisibility()";
        page.until("the boxes", 10, seen).await?;
        quiet(page).await?;
        let canvas = page.rect(".executions__surface canvas").await?;
        // Two executions of the first block and one of the last share the width.
        for (part, words) in [(1.0 / 6.0, "lanes, mean 31.0 of 32"), (5.0 / 6.0, "lanes 32 of 32")] {
            page.click(Point { x: canvas.x + canvas.width * part, y: canvas.y + 80.0 }).await?;
            let said = format!(
                "[...document.querySelectorAll('.executions__fact')].some(fact => fact.innerText.trim() === '{words}')"
            );
            page.until(words, 10, &said).await?;
        }
        Ok(())
    });
}

/// Rows that belong together stand beside each other, whichever side is scrolled.
#[test]
fn a_kernel_and_the_probed_one_share_a_scroll_bar() {
    const PANES: &str = "[...document.querySelectorAll('.page__view:not([hidden]) .listing__scroll')]";
    journey(async |page| {
        let size = json!({"width": 1280, "height": 800, "deviceScaleFactor": 1, "mobile": false});
        page.devtools("Emulation.setDeviceMetricsOverride", size).await?;
        let folder = traces::probed_as("probed_kernel")?;
        let kernel = folder.join("kernel/0_00000000000000000000000000000000abcdef01");
        std::fs::create_dir_all(&kernel)?;
        let rows: Vec<String> = (0..200).map(|n| format!("\tadd.u64 %rd{n}, %rd{n}, {n};\n")).collect();
        let pruned = format!(
            ".version 8.0\n.entry copy(\n\t.param .u64 copy_param_0\n)\n{{\n\t.reg .b64 %rd<300>;\n{}\tret;\n}}\n",
            rows.concat()
        );
        // Twenty lines more before the first row.
        let probe = "mov.u64 %NR0, %clock64;\n".repeat(20);
        std::fs::write(kernel.join("probed.ptx"), pruned.replace("\t.reg", &format!("{probe}\t.reg")))?;
        std::fs::write(kernel.join("pruned.ptx"), &pruned)?;
        page.open("#view=source").await?;
        page.drop_file(&folder).await?;
        page.wait_state("ready", 30).await?;
        page.until("two listings", 10, &format!("{PANES}.length === 2")).await?;
        quiet(page).await?;
        let bars = format!(
            "return {PANES}.filter(pane => /auto|scroll/.test(getComputedStyle(pane).overflowY)).length"
        );
        assert_eq!(page.js::<usize>(&bars, &[]).await?, 1, "scroll bars");
        for (side, dy, row) in [(0, 1_000.0, 40), (1, -700.0, 5)] {
            let at = format!(
                "const {{ x, y, width, height }} = {PANES}[{side}].getBoundingClientRect(); return {{ x: x + width / 2, y: y + height / 2 }}"
            );
            page.wheel(page.js::<Point>(&at, &[]).await?, dy, 0).await?;
            let beside = format!(
                "(([a, b, ...more]) => a && a === b && more.length === 0)({PANES}.map(pane =>
                    [...pane.querySelectorAll('.text-layer__row')].find(row => row.textContent.includes('%rd{row},'))?.getBoundingClientRect().top))"
            );
            page.until(&format!("row {row} beside itself"), 10, &beside).await?;
        }
        Ok(())
    });
}

/// A head that the keyboard reaches beyond the edge brings its column along, and nothing scrolls farther than the columns
/// are wide: heads stand above their columns.
#[test]
fn heads_stand_above_their_columns_wherever_one_goes() {
    journey(async |page| {
        let size = json!({"width": 900, "height": 700, "deviceScaleFactor": 1, "mobile": false});
        page.devtools("Emulation.setDeviceMetricsOverride", size).await?;
        page.open("?open=samples/tile_product.traceg.gz#view=source").await?;
        page.wait_state("ready", 60).await?;
        let heads =
            "[...document.querySelectorAll('.page__view:not([hidden]) .listing__shift .listing__sort')]";
        page.until("the heads", 10, &format!("1 < {heads}.length")).await?;
        quiet(page).await?;
        page.js::<()>(&format!("{heads}.at(-2).focus(); return null"), &[]).await?;
        for kind in ["rawKeyDown", "keyUp"] {
            let event = json!({"type": kind, "key": "Tab", "code": "Tab", "windowsVirtualKeyCode": 9});
            page.devtools("Input.dispatchKeyEvent", event).await?;
        }
        let is_above = format!(
            "(() => {{
                const head = {heads}.at(-1), pane = head.closest('.listing');
                const [row, scroll, shift] = ['.listing__head', '.listing__scroll', '.listing__shift'].map(one => pane.querySelector(one));
                const [own, all] = [head, row].map(one => one.getBoundingClientRect());
                const moved = -new DOMMatrix(getComputedStyle(shift).transform).m41;
                return document.activeElement === head && row.scrollLeft === 0 && 0 < scroll.scrollLeft
                    && Math.abs(moved - scroll.scrollLeft) < 1 && all.left <= own.left && own.right <= all.right + 1;
            }})()"
        );
        page.until("the last head above its column", 10, &is_above).await?;
        page.open("?open=samples/flash_attention.bin#view=source").await?;
        page.wait_state("ready", 60).await?;
        page.until("two listings", 10, "document.querySelectorAll('.listing__space').length === 2").await?;
        quiet(page).await?;
        let farther = "return [...document.querySelectorAll('.listing__space')]
            .filter(space => space.getBoundingClientRect().width + 1 < space.parentElement.scrollWidth).length";
        assert_eq!(page.js::<usize>(farther, &[]).await?, 0, "scrolls beyond its columns");
        Ok(())
    });
}
