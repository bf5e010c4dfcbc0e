//! A log that no format knows: a mapping is made in a dialog, saved, and used again.

use lanescope_browser::journey::scratch;
use lanescope_browser::{Outcome, Page, journey, traces};
use std::fmt::Write;
use std::path::PathBuf;

/// A log in words of its own.
fn log(name: &str) -> Outcome<PathBuf> {
    let mut text = "some simulator 1.0\nbegin saxpy 1\n".to_owned();
    for at in 0..200_u32 {
        let op = if at % 3 == 0 { "WR" } else { "RD" };
        writeln!(
            text,
            "@{} {op} unit {} {:x} {}",
            at * 10,
            at % 4,
            0x1000 + at % 50 * 32,
            if at < 50 { "fetched" } else { "found" }
        )?;
    }
    text.push_str("end after 2000\n");
    let path = scratch().join(name);
    std::fs::write(&path, text)?;
    Ok(path)
}

/// Writes into a field as a person would, at once.
async fn write(page: &Page, selector: &str, text: &str) -> Outcome {
    let body = "const [selector, text] = arguments;
        const field = document.querySelector(selector);
        field.value = text;
        field.dispatchEvent(new Event('input', { bubbles: true }));
        field.dispatchEvent(new Event('change', { bubbles: true }));
        return null";
    page.js(body, &[selector.into(), text.into()]).await
}

/// Presses a button, also one that must be scrolled to.
async fn press(page: &Page, action: &str) -> Outcome {
    page.activate(&format!("[data-action={action}]")).await
}

/// The field of an expression.
fn expression(id: &str) -> String {
    format!("[data-expression={id}] textarea")
}

const SAID: &str = "document.querySelector('.mapping__said')?.innerText";
const READY: &str = "document.documentElement.dataset.lanescopeState === 'ready'";
const ACCESS: &str = r"^@(?<cycle>\d+) (?<op>\w+) unit (?<unit>\d+) (?<address>[0-9a-f]+) (?<state>\w+)$";

#[test]
fn a_log_of_another_simulator_opens_with_a_mapping_that_is_saved() {
    journey(async |page| {
        page.open("").await?;
        page.drop_file(&log("other.log")?).await?;
        page.wait_state("failed", 20).await?;
        press(page, "open-mapping").await?;
        page.until("lines of the log", 10, "20 < document.querySelectorAll('.mapping__line').length").await?;
        write(page, &expression("access"), &ACCESS[..ACCESS.len() - 2]).await?;
        page.until(
            "what is wrong",
            5,
            "document.querySelector('.mapping__problem')?.innerText.startsWith('Character 68')",
        )
        .await?;
        write(page, &expression("access"), ACCESS).await?;
        page.until("all accesses match", 5, &format!("{SAID}?.startsWith('200 of 203')")).await?;
        page.until("their states are not understood", 5, &format!("{SAID}.includes('200 are not')")).await?;
        page.js::<()>("document.querySelector('.mapping__words').open = true; return null", &[]).await?;
        write(page, ".mapping__grid .field:nth-child(5) input", "found").await?;
        write(page, ".mapping__grid .field:nth-child(7) input", "fetched").await?;
        page.until("they are", 5, &format!("!{SAID}.includes('are not')")).await?;
        write(page, &expression("kernel_begin"), r"^begin (?<name>\S+) (?<id>\d+)").await?;
        write(page, &expression("kernel_end"), r"^end after (?<cycles>\d+)").await?;
        page.until("kernels match too", 5, &format!("{SAID}?.startsWith('202 of 203')")).await?;
        write(page, ".mapping__bar .field input", "mine").await?;
        press(page, "save-mapping").await?;
        page.until("it is saved", 5, "localStorage.getItem('lanescope.mappings')?.includes('mine')").await?;
        press(page, "open-with-mapping").await?;
        page.until("it is open", 30, READY).await?;
        page.until("the dialog is closed", 5, "!document.querySelector('dialog')").await?;
        page.until("the address has it", 5, "location.hash.includes('mapping=')").await?;
        // In another visit a log of this kind opens at once.
        page.open("").await?;
        page.drop_file(&log("another.log")?).await?;
        page.until("it is open again", 30, READY).await?;
        page.until("it is said", 5, "document.querySelector('.toast')?.innerText.includes('mine')").await
    });
}

#[test]
fn a_mapping_in_the_address_is_for_its_own_file() {
    journey(async |page| {
        page.open("").await?;
        let link = r#"const text = '{"access": "(?<cycle>[0-9]+).*(?<address>[0-9]+)"}';
            location.hash = `file=other.log&mapping=${encodeURIComponent(text)}`;
            return null"#;
        page.js::<()>(link, &[]).await?;
        page.drop_file(&traces::known("after.json")?).await?;
        page.wait_state("ready", 20).await?;
        let alone = "location.hash.includes('file=after.json') && !location.hash.includes('mapping=')";
        page.until("the address is of that file alone", 5, alone).await
    });
}
