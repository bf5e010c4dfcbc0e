//! The timeline draws each slice where and as it should, in both themes.

use std::time::{Duration, Instant};

use lanescope_browser::journey::corpus;
use lanescope_browser::pointer::{ALT, CTRL, SHIFT};
use lanescope_browser::screen::{Color, Point, Rect};
use lanescope_browser::{Outcome, Page, journey, traces};
use serde_json::json;

use crate::reach::quiet;

#[test]
fn a_slice_stands_where_its_times_say_in_its_color_and_is_named() {
    journey(async |page| {
        for theme in ["light", "dark"] {
            page.open(&format!("?{theme}#view=timeline&window=0,1000000&theme={theme}")).await?;
            page.drop_file(&traces::known("known.json")?).await?;
            page.wait_state("ready", 20).await?;
            let (slice, beside) = (place(page, "second", 0.563).await?, place(page, "second", 0.237).await?);
            let ground = page.token("--s0").await?;
            let color = drawn(page, slice, ground).await?;
            assert!(slice_colors(page).await?.contains(&color), "{color:?} is no slice color of {theme}");
            assert_eq!(page.pixel(beside).await?, ground, "the lane is empty there");
            let whole = page.pixel(place(page, "first", 0.237).await?).await?;
            assert!(slice_colors(page).await?.contains(&whole), "{whole:?} is no slice color of {theme}");
            page.hover(slice).await?;
            let tip = page.tooltip_text().await?;
            assert!(tip.contains("middle") && tip.contains("200"), "{tip}");
            assert_eq!(page.background("[role=tooltip] .swatch").await?, color);
        }
        Ok(())
    });
}

/// A closed document leaves no tooltip behind, whichever way it goes.
#[test]
fn a_tooltip_goes_with_its_document() {
    journey(async |page| {
        page.open("#view=timeline&window=0,1000000").await?;
        page.drop_file(&traces::known("known.json")?).await?;
        page.wait_state("ready", 20).await?;
        let slice = place(page, "second", 0.563).await?;
        page.hover(slice).await?;
        page.tooltip_text().await?;
        page.drop_file(&traces::known("other.json")?).await?;
        page.until("no tooltip is left", 10, "!document.querySelector('[role=tooltip]')").await?;
        Ok(())
    });
}

/// Files of clocks that lie far apart are laid beside each other: the status bar says the window that is shown, not the
/// decades between them.
#[test]
fn the_status_bar_says_the_window_of_joined_files() {
    let file = |name: &str, ts: u64| {
        let slice = json!({"ph": "X", "name": "work", "pid": 1, "tid": 1, "ts": ts, "dur": 1_000});
        traces::written(name, &json!([slice]).to_string())
    };
    journey(async |page| {
        let files = [file("a.json", 0)?, file("b.json", 1_700_000_000_000_000)?];
        page.open("#view=timeline").await?;
        page.drop_files(&[&files[0], &files[1]]).await?;
        page.wait_state("ready", 20).await?;
        let text = "document.querySelector('.status__value')?.textContent";
        page.until("the window", 10, &format!("{text}?.includes(' – ')")).await?;
        let window: String = page.js(&format!("return {text}"), &[]).await?;
        assert!(window.ends_with("µs"), "{window}");
        Ok(())
    });
}

/// The line below the ruler is a filled rectangle of one pixel's height.
#[test]
fn a_filled_rectangle_has_the_color_of_its_token_and_no_other_pixel_has() {
    journey(async |page| {
        for theme in ["light", "dark"] {
            page.open(&format!("?{theme}#view=timeline&window=0,1000000&theme={theme}")).await?;
            page.drop_file(&traces::known("known.json")?).await?;
            page.wait_state("ready", 20).await?;
            let row = place(page, "second", 0.237).await?.y;
            let canvas = page.biggest_canvas().await?;
            let (above, line) = (page.token("--s1").await?, page.token("--line").await?);
            let ground = page.token("--s0").await?;
            drawn(page, Point { x: canvas.x + 1.0, y: canvas.y + 1.0 }, ground).await?;
            let screen = page.screen().await?;
            let column = |x: f64| (0..).map(move |y| Point { x, y: canvas.y + f64::from(y) });
            let mut first = None;
            for at in column(canvas.x + 2.0).take_while(|at| at.y < row) {
                if screen.pixel(at)? == line {
                    first = Some(at.y);
                    break;
                }
            }
            let y = first.ok_or("there is no line below the ruler")?;
            // Ticks stand on it, and rows of tracks begin below it.
            let mut n_above = 0;
            let width = canvas.width.floor() as u32;
            for x in (0..width).map(|x| canvas.x + f64::from(x)) {
                assert_eq!(screen.pixel(Point { x, y })?, line, "{x} of {theme}");
                assert_ne!(screen.pixel(Point { x, y: y + 1.0 })?, line, "{x} below in {theme}");
                let color = screen.pixel(Point { x, y: y - 1.0 })?;
                assert_ne!(color, line, "{x} above in {theme}");
                n_above += u32::from(color == above);
            }
            assert!(width * 9 / 10 < n_above, "{n_above} of {width} pixels above it are the ruler's");
        }
        Ok(())
    });
}

#[test]
fn gestures_change_the_window_the_range_and_the_search_and_can_be_undone() {
    journey(async |page| {
        page.open("#view=timeline").await?;
        page.drop_file(&traces::known("known.json")?).await?;
        page.wait_state("ready", 20).await?;
        let at = async |share: f64| place(page, "second", share).await;
        page.hover(at(0.5).await?).await?;
        page.wheel(at(0.5).await?, -100.0, CTRL).await?;
        shows(page, 83_333.0, 833_333.0).await?;
        page.press("Backspace", 0).await?;
        shows(page, 0.0, 1_000_000.0).await?;
        page.press("Backspace", SHIFT).await?;
        shows(page, 83_333.0, 833_333.0).await?;
        page.press("0", CTRL).await?;
        shows(page, 0.0, 1_000_000.0).await?;
        page.hover(at(0.25).await?).await?;
        page.press("w", 0).await?;
        shows(page, 83_333.0, 666_667.0).await?;
        page.press("d", 0).await?;
        shows(page, 183_333.0, 666_667.0).await?;
        page.press("0", CTRL).await?;
        shows(page, 0.0, 1_000_000.0).await?;
        page.drag(at(0.4).await?, at(0.6).await?, ALT).await?;
        shows(page, 400_000.0, 200_000.0).await?;
        page.press("0", CTRL).await?;
        shows(page, 0.0, 1_000_000.0).await?;

        page.drag(place(page, "first", 0.3).await?, at(0.7).await?, 0).await?;
        page.until("the sums", 5, "document.querySelector('[role=grid][aria-label=\"Range totals\"]')")
            .await?;
        let count = async |name: &str| page.cell_text("Range totals", name, "Count").await;
        assert_eq!((count("All names").await?, count("middle").await?), ("2".to_owned(), "1".to_owned()));
        assert_eq!(page.cell_text("Range totals", "middle", "Total").await?, "200.000 µs");
        assert_eq!(page.cell_text("Range totals", "whole", "Self").await?, "400.000 µs");
        page.drag(at(0.3).await?, at(0.7).await?, 0).await?; // one lane only
        let no_whole = "!document.querySelector('.detail__side').innerText.includes('whole')";
        page.until("the sums of the lane", 5, no_whole).await?;

        page.press("/", 0).await?;
        page.until("the search field", 5, "document.activeElement?.id === 'timeline-search'").await?;
        for letter in ["w", "h", "o"] {
            page.press(letter, 0).await?;
        }
        page.until(
            "a hit",
            5,
            "document.querySelector('[role=grid][aria-label=\"Slices found\"] [role=row][id]')",
        )
        .await?;
        page.press("Enter", 0).await?;
        page.until("the slice", 5, "document.querySelector('.detail__title')?.innerText.includes('whole')")
            .await?;
        page.until("its number", 5, "document.body.innerText.includes('1 / 1')").await
    });
}

/// The numbers were counted in the file by a script of a few lines, without this program.
#[test]
fn gestures_on_a_real_profile_tell_what_is_in_the_file() {
    let Some(corpus) = corpus() else { return };
    journey(async |page| {
        page.open("#view=timeline").await?;
        page.drop_file(&corpus.join("trace_event/pytorch/resnet50_autograd_workers0.pt.trace.json.gz"))
            .await?;
        page.wait_state("ready", 30).await?;
        page.until("the heads", 10, "document.querySelector('[role=tree] [role=treeitem]')").await?;
        let canvas = page.biggest_canvas().await?;
        let at = |share: f64, y: f64| Point { x: canvas.x + canvas.width * share, y: canvas.y + y };
        let dur = "Number(new URLSearchParams(location.hash.slice(1)).get('window')?.replace('all', '5333218000').split(',').at(-1) ?? 5333218000)";
        let shows = |nanos: f64| format!("Math.abs({dur} - {nanos}) < {nanos} / 40");
        page.wheel(at(0.5, 200.0), -100.0, CTRL).await?;
        page.until("a notch nearer", 5, &shows(5_333_218_000.0 / 1.2)).await?;
        page.press("Backspace", 0).await?;
        page.until("everything again", 5, &shows(5_333_218_000.0)).await?;
        page.drag(at(0.2, 200.0), at(0.3, 200.0), ALT).await?;
        page.until("a tenth", 5, &shows(533_321_800.0)).await?;
        page.press("0", CTRL).await?;
        page.until("everything", 5, &shows(5_333_218_000.0)).await?;

        page.drag(at(0.2, 10.0), at(0.8, 10.0), 0).await?;
        page.until("the sums", 5, "document.querySelector('[role=grid][aria-label=\"Range totals\"]')")
            .await?;
        assert_eq!(page.cell_text("Range totals", "aten::conv2d", "Count").await?, "53");
        page.press("/", 0).await?;
        page.until("the search field", 5, "document.activeElement?.id === 'timeline-search'").await?;
        for letter in "cudaLaunchKernel".chars() {
            page.press(&letter.to_string(), 0).await?;
        }
        page.until("all hits", 5, "document.body.innerText.includes('9,329')").await?;
        page.press("Enter", 0).await?;
        let named = "document.querySelector('.detail__title')?.innerText.includes('cudaLaunchKernel')";
        page.until("the slice", 5, named).await
    });
}

#[test]
fn rows_are_filtered_hidden_searched_by_pattern_and_aligned() {
    journey(async |page| {
        page.open("#view=timeline").await?;
        page.drop_file(&traces::written("two.json", traces::TWO)?).await?;
        page.wait_state("ready", 20).await?;
        let heads = async |n: usize| {
            let count = format!("document.querySelectorAll('[role=tree] [role=treeitem]').length === {n}");
            page.until(&format!("{n} heads"), 5, &count).await
        };
        heads(4).await?;
        page.press("f", CTRL | SHIFT).await?;
        page.until("the filter", 5, "document.activeElement?.id === 'timeline-filter'").await?;
        for letter in ["s", "e", "c"] {
            page.press(letter, 0).await?;
        }
        heads(2).await?;
        page.press("Escape", 0).await?;
        heads(4).await?;

        page.click(head(page, "second").await?).await?;
        page.press("Delete", 0).await?;
        heads(3).await?;
        page.until("it in the address", 5, "decodeURIComponent(location.hash).includes('hide=')").await?;
        page.click_on("#timeline-rows").await?;
        page.until("the menu", 5, "document.querySelector('.menu')?.innerText.includes('right / second')")
            .await?;
        let show = "[...document.querySelectorAll('.menu__row')].find(r => r.innerText.includes('second'))";
        page.activate_one(show).await?;
        heads(4).await?;

        page.click(place(page, "first", 0.15).await?).await?;
        let is_shown = "document.querySelector('.detail__title')?.innerText.includes('step')";
        page.until("the slice", 5, is_shown).await?;
        page.press("b", 0).await?;
        page.click(place(page, "second", 0.62).await?).await?;
        page.until(
            "the other slice",
            5,
            "document.querySelector('.detail')?.innerText.includes('600.000 µs')",
        )
        .await?;
        page.press("l", 0).await?;
        let shifted =
            "[...document.querySelectorAll('.heads__shift')].some(s => s.innerText === '−500.000 µs')";
        page.until("the offset", 5, shifted).await?;
        page.until("the new start", 5, "document.querySelector('.detail')?.innerText.includes('100.000 µs')")
            .await?;
        page.until("it in the address", 5, "decodeURIComponent(location.hash).includes(',-500000')").await?;

        page.press("/", 0).await?;
        page.until("the search field", 5, "document.activeElement?.id === 'timeline-search'").await?;
        for letter in ["s", "t", ".", "p"] {
            page.press(letter, 0).await?;
        }
        let pattern = "[...document.querySelectorAll('.switch')].find(s => s.innerText === 'Regex')";
        page.activate_one(pattern).await?;
        page.until("the count", 5, "document.querySelector('.field__count')?.innerText === '3'").await?;
        page.click_on("#timeline-search").await?;
        page.press("(", 0).await?;
        page.until("why it is none", 5, "document.querySelector('.detail__problem')?.innerText.length > 10")
            .await
    });
}

/// The middle of the head of a track.
async fn head(page: &Page, track: &str) -> Outcome<Point> {
    let find = "const head = [...document.querySelectorAll('[role=tree] [role=treeitem]')]
            .find(head => head.innerText.includes(arguments[0]));
        return head?.getBoundingClientRect().toJSON() ?? null";
    let row: Option<Rect> = page.js(find, &[json!(track)]).await?;
    Ok(row.ok_or_else(|| format!("no head names {track}"))?.middle())
}

/// Waits until the address shows this window, in ticks: start and length.
async fn shows(page: &Page, start: f64, dur: f64) -> Outcome {
    let near = 2_500.0; // the pointer is on whole pixels, and one is over a thousand ticks here
    let shown = format!(
        "(() => {{
            const said = new URLSearchParams(location.hash.slice(1)).get('window');
            const parts = (said ?? 'all').replace('all', '0,1000000').split(',').map(Number);
            return Math.abs(parts[0] - {start}) < {near} && Math.abs(parts.at(-1) - {dur}) < {near};
        }})()"
    );
    page.until(&format!("the window from {start} for {dur}"), 5, &shown).await
}

/// The place of a moment, as a share of the window, on the row of a track.
pub(crate) async fn place(page: &Page, track: &str, share: f64) -> Outcome<Point> {
    page.until("the heads of the tracks", 10, "document.querySelector('[role=tree] [role=treeitem]')")
        .await?;
    let y = head(page, track).await?.y;
    let canvas = page.biggest_canvas().await?;
    Ok(Point { x: canvas.x + canvas.width * share, y })
}

/// The color of a place, once something is drawn there.
async fn drawn(page: &Page, at: Point, ground: Color) -> Outcome<Color> {
    let began = Instant::now();
    loop {
        let color = page.pixel(at).await?;
        if color != ground || Duration::from_mins(2) < began.elapsed() {
            return Ok(color);
        }
    }
}

/// The twelve colors of slices in the theme shown.
async fn slice_colors(page: &Page) -> Outcome<Vec<Color>> {
    let mut colors = Vec::new();
    for n in 1..=12 {
        colors.push(page.token(&format!("--p{n}")).await?);
    }
    Ok(colors)
}

/// Slices from the last to the first, so that rows change their places while the file is read: on every track one that
/// starts at 300 µs is called the same.
fn backwards() -> String {
    let mut events = Vec::new();
    for n in (0..30_000).rev() {
        let (name, tid) = (if n == 300 { "same".to_owned() } else { format!("work {n}") }, n % 2);
        events.push(format!(r#"{{"ph":"X","pid":1,"tid":{tid},"name":"{name}","ts":{n},"dur":1}}"#));
        if n == 300 {
            events.push(r#"{"ph":"X","pid":1,"tid":1,"name":"same","ts":300,"dur":1}"#.to_owned());
        }
    }
    format!("[{}]", events.join(",\n"))
}

#[test]
fn a_link_leads_to_its_slice_in_every_reading_of_the_file() {
    journey(async |page| {
        let (file, other) = (traces::written("backwards.json", &backwards())?, traces::known("other.json")?);
        let shows_link = async |what: &str, window: &str| {
            let is_shown = format!(
                "document.title.startsWith('backwards.json')
                    && document.querySelector('.detail__name')?.innerText === 'same'
                    && document.querySelector('.detail__slice').innerText.includes('Thread 1')
                    && document.querySelector('[role=tab][aria-selected=true][id*=flame]')
                    && location.hash.includes('slice=300000,0,same&slice-track=Process%201%20/%20Thread%201')
                    && location.hash.includes('{window}') && location.hash.includes('s.panel=flame')"
            );
            page.until(what, 20, &is_shown).await
        };
        page.open("#view=timeline&window=290000,20000").await?;
        page.drop_file(&file).await?;
        page.wait_state("ready", 20).await?;
        page.click(place(page, "Thread 1", 0.525).await?).await?;
        page.until("the slice", 5, "document.querySelector('.detail__name')?.innerText === 'same'").await?;
        page.click_on("[role=tab][id*=flame]").await?;
        shows_link("the link", "window=290000,20000").await?;
        let address = page.address().await?;
        let link = address.split_once('#').map(|(_, link)| link.to_owned()).unwrap_or_default();

        // A new page in which another file is opened first.
        page.open(&format!("?other#{link}")).await?;
        page.drop_file(&other).await?;
        page.until("the other file", 20, "document.title.startsWith('other.json')").await?;
        page.wait_state("ready", 20).await?;
        page.drop_file(&file).await?;
        shows_link("the linked slice beside another file", "window=290000,20000").await?;

        // Another view is a step of the browser; back leads to the slice again, forward to the view.
        page.click_on("#tab-report").await?;
        page.until("the report", 5, "location.hash.includes('view=report')").await?;
        page.js::<()>("history.back()", &[]).await?;
        page.until("the timeline", 5, "location.hash.includes('view=timeline')").await?;
        shows_link("the slice after a step back", "window=290000,20000").await?;
        page.js::<()>("history.forward()", &[]).await?;
        page.until("the report again", 5, "location.hash.includes('view=report')").await?;

        // The window of a link is what was seen, also where the slice is hardly to be seen in it.
        let wide = link.replace("window=290000,20000", "window=100000,900000");
        page.open(&format!("?wide#{wide}")).await?;
        page.drop_file(&file).await?;
        shows_link("the linked slice in a wide window", "window=100000,900000").await?;
        quiet(page).await?;
        shows_link("the window stays", "window=100000,900000").await?;

        // Older links name the numbers of the track and the row: row 150 of the second track.
        page.open("?old#view=timeline&s.panel=flame&slice=2,150").await?;
        page.drop_file(&file).await?;
        page.until("the slice of an older link", 20, "document.querySelector('.detail__name')").await?;

        // A slice that is not in the file is said once.
        page.open("?wrong#view=timeline&slice=5,0,none&slice-track=none").await?;
        page.drop_file(&file).await?;
        let told = "[...document.querySelectorAll('.toast')].filter(toast => toast.innerText.includes('slice of this link')).length";
        page.until("a warning", 20, &format!("0 < {told}")).await?;
        quiet(page).await?;
        page.until("one warning", 5, &format!("{told} === 1")).await
    });
}

/// Of 1,008 kernels of the sample 64 are longer than 500 µs.
#[test]
fn the_search_tab_takes_categories_and_lengths_together() {
    journey(async |page| {
        page.open("?open=samples/training_step.json#view=timeline").await?;
        page.wait_state("ready", 60).await?;
        quiet(page).await?;
        page.press("/", 0).await?;
        page.until("the field has the keyboard", 5, "document.activeElement.matches('input')").await?;
        for letter in "cat:kernel dur>500us".chars() {
            page.press(&letter.to_string(), 0).await?;
        }
        let tab = "[...document.querySelectorAll('[role=tab][aria-selected=true]')].some(tab => tab.innerText.includes('Search'))";
        page.until("the tab", 10, tab).await?;
        let rows = "[...document.querySelectorAll('.table__tools')].some(one => one.checkVisibility() && one.innerText.includes('64 rows'))";
        page.until("its rows", 10, rows).await
    });
}
