//! The page in the frame of another: files are handed over, requests are asked and answered.

use lanescope_browser::{Outcome, Page, journey, traces};

/// Hands a file over as bytes, as an embedding page would.
const HAND_OVER: &str = "const frame = document.getElementById('lanescope');
    const data = new TextEncoder().encode(arguments[1]).buffer;
    frame.contentWindow.postMessage({lanescope: {open: [{name: arguments[0], data}], id: 'first'}}, location.origin);
    return null";

#[test]
fn an_embedding_page_hands_over_a_file_and_gets_answers() {
    journey(async |page| {
        page.open("").await?;
        page.js::<()>("location.href = 'embed.html'; return null", &[]).await?;
        page.until("the frame is ready", 30, "document.querySelector('#files:enabled')").await?;
        send(page, r#"{"id": "early", "command": "import/action"}"#).await?;
        page.until("nothing is open", 10, "document.getElementById('answer').value.includes('not-open')")
            .await?;
        let text = std::fs::read_to_string(traces::known("known.json")?)?;
        page.js::<()>(HAND_OVER, &["known.json".into(), text.into()]).await?;
        page.until("it is open", 20, "document.getElementById('status').textContent.includes('known.json')")
            .await?;
        send(page, r#"[{"id": 4769, "moduleName": "timeline", "command": "import/action"}, {"id": "x", "command": "no"}]"#)
            .await?;
        page.until("two answers", 10, "document.getElementById('answer').value.includes('unknown-command')")
            .await?;
        let told = "const [good, bad] = JSON.parse(document.getElementById('answer').value);
            return [good.type, good.requestId, good.result, good.body.result[0].rankId, good.body.units.length > 0, bad.requestId, bad.result]";
        let told: serde_json::Value = page.js(told, &[]).await?;
        assert_eq!(told, serde_json::json!(["response", 4769, true, "known.json", true, "x", false]));
        Ok(())
    });
}

/// Writes a request into the example page and sends it.
pub(crate) async fn send(page: &Page, request: &str) -> Outcome {
    let body = "document.getElementById('request').value = arguments[0];
        document.getElementById('send').click();
        return null";
    page.js(body, &[request.into()]).await
}

/// Keeps what the frame says.
pub(crate) const LISTEN: &str = "window.told = [];
    addEventListener('message', event => told.push(event.data.lanescope));
    return null";

#[test]
fn an_embedding_page_leads_and_hears_of_changes() {
    journey(async |page| {
        page.open("").await?;
        page.js::<()>("location.href = 'embed.html'; return null", &[]).await?;
        page.until("the frame is ready", 30, "document.querySelector('#files:enabled')").await?;
        page.js::<()>(LISTEN, &[]).await?;
        let text = std::fs::read_to_string(traces::known("known.json")?)?;
        page.js::<()>(HAND_OVER, &["known.json".into(), text.into()]).await?;
        page.until("it is open", 20, "told.some(said => said.opened)").await?;
        say(page, "{set: {view: 'report'}, id: 'early'}").await?;
        page.until("it went", 10, "told.some(said => said.went?.requestId === 'early' && said.went.result)")
            .await?;
        tokio::time::sleep(std::time::Duration::from_millis(300)).await;
        assert!(
            page.js::<bool>("return !told.some(said => said.changed)", &[]).await?,
            "nobody asked to hear of it"
        );
        say(page, "{subscribe: true}").await?;
        page.until("what is shown", 10, "told.find(said => said.changed)?.changed.view === 'report'").await?;
        say(page, "{go: '#view=timeline&window=1,2&range=1,2', id: 7}").await?;
        page.until("it went", 10, "told.some(said => said.went?.requestId === 7 && said.went.result)")
            .await?;
        let there = "told.some(({changed}) => changed?.view === 'timeline' && changed.window?.start === 1 && changed.window.duration === 2
            && changed.selection.range?.end === 2 && changed.what.includes('selection') && changed.address.startsWith('#'))";
        page.until("the place", 10, there).await?;
        say(page, "{set: {window: {start: '0', duration: 3}}, id: 8}").await?;
        let window =
            "told.some(({changed}) => changed?.window?.duration === 3 && changed.what.join() === 'window')";
        page.until("only the window", 10, window).await?;
        for wrong in [
            "{set: {view: 'no'}, id: 'bad'}",
            "{set: {view: 5}, id: 'bad'}",
            "{set: {window: 'wide'}, id: 'bad'}",
            "{set: {}, id: 'bad'}",
            "{go: 7, id: 'bad'}",
            "{go: '#view=report', document: 'first', id: 'bad'}",
        ] {
            page.js::<()>("told.length = 0; return null", &[]).await?;
            say(page, wrong).await?;
            page.until(wrong, 10, "told.some(said => said.went?.requestId === 'bad' && !said.went.result && said.went.error.message)").await?;
        }
        let refused = "told.some(said => said.type === 'response' && !said.result && said.error.message.startsWith('Expected'))";
        for odd in
            ["'open'", "5", "{paint: 'red'}", "{subscribe: 'yes'}", "{command: 'import/action', params: 1n}"]
        {
            page.js::<()>("told.length = 0; return null", &[]).await?;
            say(page, odd).await?;
            page.until(odd, 10, refused).await?;
        }
        say(page, "{subscribe: false}").await?;
        page.js::<()>("told.length = 0; return null", &[]).await?;
        say(page, "{set: {view: 'report'}, id: 9}").await?;
        page.until("it went", 10, "told.some(said => said.went?.requestId === 9)").await?;
        tokio::time::sleep(std::time::Duration::from_millis(300)).await;
        assert!(
            page.js::<bool>("return !told.some(said => said.changed)", &[]).await?,
            "it does not want to hear of it any more"
        );
        Ok(())
    });
}

/// Says something to the frame.
pub(crate) async fn say(page: &Page, what: &str) -> Outcome {
    let body = format!(
        "document.getElementById('lanescope').contentWindow.postMessage({{lanescope: {what}}}, location.origin); return null"
    );
    page.js(&body, &[]).await
}

#[test]
fn the_cell_of_the_notebook_shows_a_profile() {
    journey(async |page| {
        let example = xtask::place::root().join("examples/jupyter/show.py");
        let example = std::fs::read_to_string(example)?;
        let cell = example.split("\"\"\"").find(|text| text.starts_with("<iframe")).ok_or("no cell")?;
        page.open("").await?;
        page.js::<()>("location.href = 'embed.html'; return null", &[]).await?;
        page.until("a page with a frame", 30, "document.getElementById('lanescope')").await?;
        // A page of the same origin without a policy of its own, as that of a notebook is.
        let elsewhere = "document.getElementById('lanescope').src = 'samples/index.json'; return null";
        page.js::<()>(elsewhere, &[]).await?;
        let there =
            format!("{NOTEBOOK}?.location.href.endsWith('index.json') && {NOTEBOOK}.body?.textContent");
        page.until("another page", 10, &there).await?;
        let text = std::fs::read_to_string(traces::known("known.json")?)?;
        let body = format!(
            "const files = JSON.stringify([['cell.json', btoa(arguments[1])]]);
            const page = new URL('./', location.href).href;
            const cell = arguments[0].replaceAll('ID', 'cell').replaceAll('PAGE', page).replaceAll('FILES', files);
            {NOTEBOOK}.body.append({NOTEBOOK}.createRange().createContextualFragment(cell));
            return null"
        );
        page.js::<()>(&body, &[cell.into(), text.into()]).await?;
        let opened =
            format!("{NOTEBOOK}.getElementById('cell').contentDocument?.title.startsWith('cell.json')");
        page.until("the frame shows the file", 30, &opened).await
    });
}

/// The page that stands for a notebook.
const NOTEBOOK: &str = "document.getElementById('lanescope').contentDocument";
