//! The page before anything is opened: it starts under a sub-path, under a policy, and it is small.

use lanescope_browser::{journey, page};

/// The most that the built page may weigh without its samples, so that a slow line opens it in seconds: hosts send it
/// packed, 2 MB. Half a megabyte of it is speed: the worker is compiled for that before size.
const MAX_BYTES: u64 = 5_200_000;

#[test]
fn the_page_starts_under_a_sub_path() {
    journey(async |page| {
        page.open("").await?;
        assert_eq!(page.state().await?, "idle");
        let asked = page.requests().await?;
        assert!(asked.iter().any(|address| address.ends_with("_bg.wasm")), "{asked:?}");
        Ok(())
    });
}

#[test]
fn the_policy_forbids_what_it_should() {
    journey(async |page| {
        page.open("").await?;
        page.expect_error("Content Security Policy");
        page.expect_error("Refused to");
        // Scripts of the driver may evaluate text; what the page runs by itself later on may not.
        let attempts = "const script = document.createElement('script');
            script.textContent = 'window.intruder = true';
            document.head.append(script);
            setTimeout(() => { try { Function('window.intruder = true')(); } catch { window.isRefused = true; } });
            return null";
        page.js::<()>(attempts, &[]).await?;
        page.until("text is not evaluated", 5, "window.isRefused").await?;
        assert!(page.js::<bool>("return window.intruder === undefined", &[]).await?);
        Ok(())
    });
}

#[test]
fn the_built_page_is_small() {
    let files = std::fs::read_dir(page::dist())
        .map(|entries| entries.flatten().filter_map(|entry| entry.metadata().ok()));
    let files = files.unwrap_or_else(|e| panic!("{} is not built: {e}", page::dist().display()));
    let bytes: u64 = files.filter(std::fs::Metadata::is_file).map(|meta| meta.len()).sum();
    println!("the built page weighs {bytes} bytes without samples");
    if std::env::var_os("LANESCOPE_SMALL").is_some() {
        assert!((1..=MAX_BYTES).contains(&bytes), "{bytes}");
    } else {
        println!(
            "SKIPPED: the page was built without npm's wasm-opt and esbuild, so its weight is not judged"
        );
    }
}
