//! What is on the page equals what is in the file.

use lanescope_browser::{Outcome, Page, journey, page};
use std::path::Path;

#[test]
fn a_table_cell_has_the_number_that_the_file_states() {
    journey(async |page| {
        let sample = page::dist().join("samples/flash_attention.bin");
        let head = std::fs::read(&sample)?.into_iter().take(8).rev();
        let n_bytes = head.fold(0_u64, |size, byte| size << 8 | u64::from(byte)); // the first block's content length
        page.open("#view=report").await?;
        page.drop_file(&sample).await?;
        page.wait_state("ready", 30).await?;
        page.until(
            "the table of blocks",
            5,
            "document.querySelector('[role=grid][aria-label=\"File blocks\"]')",
        )
        .await?;
        let cell = page.cell_text("File blocks", "05 DETAILS_BASE_INFO", "Size").await?;
        assert_eq!(cell.replace(',', ""), n_bytes.to_string());
        Ok(())
    });
}

/// 168 slices of the sample name line 38 of `attention_cube.h` in their call stacks, as a script counts that reads the
/// container without this program; the first starts at 59 ns.
#[test]
fn a_line_of_source_leads_to_its_slices_and_back() {
    journey(async |page| {
        page.open("#view=source").await?;
        page.drop_file(&page::dist().join("samples/flash_attention.bin")).await?;
        page.wait_state("ready", 30).await?;
        let line =
            "[...document.querySelectorAll('.stalls__title')].some(t => t.textContent.includes('line 38'))";
        page.until("the hottest line is chosen", 10, line).await?;
        let press = "(b => b && (b.click(), true))([...document.querySelectorAll('.stalls__more')].find(b => b.textContent == 'Show slices'))";
        page.until("the way to the slices", 5, press).await?;
        let counted =
            "location.hash.includes('view=timeline') && document.body.textContent.includes('1 / 168')";
        page.until("the timeline with 168 hits", 10, counted).await?;
        let first = "document.querySelector('.detail__slice')?.textContent.includes('59 ns')";
        page.until("the first of them is chosen", 5, first).await?;
        let back = "(b => b && (b.click(), true))([...document.querySelectorAll('.detail__call')].find(b => b.textContent == 'attention_cube.h:38'))";
        page.until("the way back", 5, back).await?;
        page.until("the source again", 5, &format!("location.hash.includes('view=source') && {line}"))
            .await?;
        Ok(())
    });
}

/// Types into the control of a parameter and leaves it.
async fn enter(page: &Page, parameter: &str, text: &str) -> Outcome {
    let field = format!("document.querySelector('[data-parameter={parameter}] input')");
    page.until("the control", 10, &field).await?;
    let body = format!(
        "const f = {field}; f.focus(); f.value = '{text}'; f.dispatchEvent(new Event('change', {{bubbles: true}})); return null"
    );
    page.js::<()>(&body, &[]).await
}

/// Whether the table of work shows these nanoseconds for the unit `vector`: its slices last 100 and 50 ns.
fn work(nanos: u32) -> String {
    format!(
        "[...document.querySelectorAll('#figure-demo-work [role=row]')].some(r => r.textContent.includes('vector') && r.textContent.includes('{nanos}'))"
    )
}

/// The system to copy from has a parameter of each kind; the page under test is built with it.
#[test]
fn a_parameter_is_set_in_the_address_and_on_the_page() {
    journey(async |page| {
        let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/demo/units/trace.demo");
        page.open("#view=details&demo-least=60").await?;
        page.drop_file(&fixture).await?;
        page.wait_state("ready", 30).await?;
        page.until("the work of slices of at least 60 ns", 10, &work(100)).await?;
        enter(page, "demo-least", "0").await?;
        page.until("the work of all slices", 10, &work(150)).await?;
        page.until("a default leaves the address", 5, "!location.hash.includes('demo-least')").await?;
        enter(page, "demo-least", "70").await?;
        page.until("less work again", 10, &work(100)).await?;
        page.until("the value in the address", 5, "location.hash.includes('demo-least=70')").await?;
        // This one changes what is read: the file is read again, and what was set stays.
        enter(page, "demo-offset", "5000").await?;
        page.until("the offset in the address", 5, "location.hash.includes('demo-offset=5000')").await?;
        page.wait_state("ready", 30).await?;
        page.until("the work of the file that was read again", 10, &work(100)).await?;
        Ok(())
    });
}

/// Names of traffic are long: their numbers stand in rows of their own, and end where those of short names do.
#[test]
fn numbers_of_facts_end_at_one_edge() {
    journey(async |page| {
        let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/msinsight/folder");
        page.open("#view=details").await?;
        page.drop_file(&fixture).await?;
        page.wait_state("ready", 30).await?;
        let rows = "[...document.querySelectorAll('.facts')].filter(f => f.clientWidth <= 575).flatMap(f => [...f.querySelectorAll('.facts__row--number')])";
        page.until("numbers of facts", 30, &format!("0 < {rows}.length")).await?;
        let end = "of => of.getBoundingClientRect().right";
        let script = format!(
            "const end = {end}; return {rows}.filter(r => 1.5 < Math.abs(end(r) - end(r.querySelector('.facts__value')))).map(r => r.textContent)"
        );
        let off: Vec<String> = page.js(&script, &[]).await?;
        assert!(off.is_empty(), "{off:?}");
        Ok(())
    });
}
