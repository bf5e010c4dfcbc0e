//! The help: keys beside examples, every example with its rows and numbers, and one opened as a trace.

use lanescope_browser::{Outcome, Page, journey};

/// Opens a topic by its row in the list.
async fn choose(page: &Page, topic: &str) -> Outcome {
    page.activate(&format!("[data-topic={topic}]")).await
}

/// The title of the example that is shown.
async fn until_titled(page: &Page, title: &str) -> Outcome {
    let shown = format!("document.querySelector('.lesson__title')?.innerText === '{title}'");
    page.until(title, 5, &shown).await
}

#[test]
fn a_key_opens_the_help_and_its_examples_can_be_walked_through() {
    journey(async |page| {
        page.open("").await?;
        page.js::<()>("document.body.dispatchEvent(new KeyboardEvent('keydown', { key: '?', bubbles: true })); return null", &[])
            .await?;
        page.until("the keys", 5, "document.querySelector('dialog[open] .help__row')").await?;
        let twice = "return [...document.querySelectorAll('.help__group')].filter(group => {
            const said = [...group.querySelectorAll('.help__what')].map(what => what.innerText);
            return new Set(said).size < said.length;
        }).length";
        assert_eq!(page.js::<usize>(twice, &[]).await?, 0, "what several keys do is one row");
        let topics: Vec<String> = page
            .js("return [...document.querySelectorAll('[data-topic]')].map(row => row.dataset.topic)", &[])
            .await?;
        assert_eq!((topics.len(), topics[0].as_str()), (28, "keys"));
        for topic in &topics[1..] {
            choose(page, topic).await?;
            let said = format!("location.hash.includes('help={topic}')");
            page.until("the address says so", 5, &said).await?;
            let titled = format!(
                "document.querySelector('.lesson__title')?.innerText === document.querySelector('[data-topic={topic}]').innerText"
            );
            page.until("its title", 5, &titled).await?;
            // A topic has terms, or it is an example.
            if page.js::<bool>("return document.querySelector('.terms') !== null", &[]).await? {
                let rows = "[...document.querySelectorAll('.terms__row')]";
                let full = format!("2 < {rows}.length && {rows}.every(row => row.children[1].innerText)");
                page.until("terms, each with its meaning", 5, &full).await?;
                continue;
            }
            // As many rows as begins and ends, each with the name of its event at a line of the program.
            let counts = "return ['.lesson__rows .mono tbody tr', '.strip__tick', '.strip__slice', '.lesson__sums tbody tr']
                .map(selector => document.querySelectorAll(selector).length)";
            let counts: Vec<usize> = page.js(counts, &[]).await?;
            assert!(
                counts[0] == counts[1] && counts[1] == 2 * counts[2] && 0 < counts[3],
                "{topic}: {counts:?}"
            );
            let named = "return [...document.querySelectorAll('.lesson__when')].flatMap(when => when.innerText.trim().split(' '))
                .filter(name => name).length";
            assert_eq!(page.js::<usize>(named, &[]).await?, counts[0], "{topic}");
        }
        Ok(())
    });
}

#[test]
fn an_address_opens_an_example_and_arrows_lead_to_the_next() {
    journey(async |page| {
        page.open("#help=switch").await?;
        until_titled(page, "Phase switch").await?;
        let numbers = "return [...document.querySelectorAll('.lesson__sums tbody td.lesson__number:nth-child(4)')].map(cell => cell.innerText)";
        assert_eq!(page.js::<Vec<String>>(numbers, &[]).await?, ["4.00", "6.00"]);
        let down = "const row = document.querySelector('[data-topic=switch]');
            row.focus();
            row.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowDown', bubbles: true }));
            return document.activeElement.dataset.topic";
        assert_eq!(page.js::<String>(down, &[]).await?, "subphases");
        until_titled(page, "Parts of an execution").await?;
        // A line of the program that is pressed lets its rows and its slice stand out.
        page.activate(".lesson__line--writes").await?;
        let hot = "document.querySelectorAll('tr.lesson__line--hot').length === 2 && document.querySelectorAll('.strip__slice--hot').length === 1";
        page.until("two rows and a slice stand out", 5, hot).await
    });
}

#[test]
fn the_trace_of_an_example_opens_as_a_file() {
    journey(async |page| {
        page.open("").await?;
        let lessons = "[...document.querySelectorAll('[data-action=lessons]')]";
        let press = format!("{lessons}.find(row => row.innerText.includes('NNAPI'))");
        page.activate_one(&press).await?;
        until_titled(page, "The basic case").await?;
        choose(page, "asynchronous-execution").await?;
        page.activate("[data-action=open-lesson]").await?;
        page.wait_state("ready", 30).await?;
        let name = page.text(".rail__row--file .rail__name").await?.replace('\n', "");
        assert_eq!(name, "asynchronous-execution.ftrace.txt");
        assert!(page.js::<bool>("return document.querySelector('dialog[open]') === null", &[]).await?);
        page.until("the address forgets the help", 5, "!location.hash.includes('help=')").await
    });
}

#[test]
fn axe_finds_nothing_serious_in_the_help() {
    journey(async |page| {
        for theme in ["light", "dark"] {
            page.open(&format!("#help=asynchronous-execution&theme={theme}")).await?;
            page.until("the help", 5, "document.querySelector('dialog[open] .lesson__title')").await?;
            match page.serious_findings().await? {
                Some(found) => assert!(found.is_empty(), "{theme}: {found:#?}"),
                None => println!("SKIPPED: axe-core is not there (help, {theme})"),
            }
        }
        Ok(())
    });
}
