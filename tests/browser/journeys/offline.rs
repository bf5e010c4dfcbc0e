//! An open tab needs no network.

use lanescope_browser::{journey, traces};

#[test]
fn an_open_tab_opens_more_files_without_the_network() {
    journey(async |page| {
        page.open("").await?;
        page.drop_file(&traces::known("online.json")?).await?;
        page.wait_state("ready", 20).await?;
        page.go_offline().await?;
        for name in ["offline.json", "once-more.json"] {
            page.drop_file(&traces::known(name)?).await?;
            page.until("its name in the title", 20, &format!("document.title.startsWith('{name}')")).await?;
            page.wait_state("ready", 20).await?;
        }
        Ok(())
    });
}
