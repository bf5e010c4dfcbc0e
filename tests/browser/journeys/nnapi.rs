//! A systrace with marks of NNAPI: its table, and a number that leads to its slices.

use lanescope_browser::{journey, traces};

#[test]
fn a_number_of_the_table_leads_to_its_slices() {
    journey(async |page| {
        page.open("").await?;
        page.drop_file(&traces::written("net.ftrace.txt", traces::NNAPI)?).await?;
        page.wait_state("ready", 30).await?;
        page.until("colors of layers", 5, "document.querySelector('.legend')?.innerText.includes('Runtime')")
            .await?;
        page.js::<()>("document.getElementById('tab-details').click(); return null", &[]).await?;
        let numbers =
            "[...document.querySelectorAll('#figure-nnapi-layers svg text')].map(text => text.textContent)";
        page.until("the table", 10, &format!("{numbers}.includes('(4.000)')")).await?;
        let shown: Vec<String> = page.js(&format!("return {numbers}"), &[]).await?;
        let has = |number: &str| shown.iter().any(|text| text == number);
        // Of the execution's 4 ms the runtime has 2 by itself, the CPU the other 2.
        assert!(has("2.000") && has("1.000") && has("15.000"), "{shown:?}");
        let press = "const text = [...document.querySelectorAll('#figure-nnapi-layers svg text')].find(text => text.textContent === '(4.000)');
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
