//! What is on the page equals what is in the file.

use lanescope_browser::{journey, page};

#[test]
fn a_table_cell_has_the_number_that_the_file_states() {
    journey(async |page| {
        let sample = page::dist().join("samples/flash_attention.bin");
        let head = std::fs::read(&sample)?.into_iter().take(8).rev();
        let n_bytes = head.fold(0_u64, |size, byte| size << 8 | u64::from(byte)); // the first block's content length
        page.open("#view=report").await?;
        page.drop_file(&sample).await?;
        page.wait_state("ready", 30).await?;
        page.until("the table of blocks", 5, "document.querySelector('[role=grid][aria-label=Blocks]')")
            .await?;
        let cell = page.cell_text("Blocks", "05 DETAILS_BASE_INFO", "Size").await?;
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
        let press = "(b => b && (b.click(), true))([...document.querySelectorAll('.stalls__more')].find(b => b.textContent == 'Show its slices'))";
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
