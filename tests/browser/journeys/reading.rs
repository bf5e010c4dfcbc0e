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
