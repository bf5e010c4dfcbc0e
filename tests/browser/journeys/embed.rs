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
async fn send(page: &Page, request: &str) -> Outcome {
    let body = "document.getElementById('request').value = arguments[0];
        document.getElementById('send').click();
        return null";
    page.js(body, &[request.into()]).await
}
