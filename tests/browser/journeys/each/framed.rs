//! A profile of each system in the frame of another page: handed over, led through, asked, heard of.

use lanescope_browser::{Outcome, Page, journey, page as built};
use serde_json::{Value, json};

use super::samples;
use crate::embed::{LISTEN, say};

/// Hands a sample over as bytes, as an embedding page would.
const HAND_OVER: &str = "const [name, text] = arguments;
    const data = Uint8Array.from(text, letter => letter.charCodeAt(0));
    const frame = document.getElementById('lanescope');
    frame.contentWindow.postMessage({ lanescope: { open: [{ name, data }], id: name } }, location.origin);
    return null";

/// What the frame shows: its views, and what is chosen.
const VIEWS: &str = "return [...document.getElementById('lanescope').contentDocument.querySelectorAll('.page__tabs [role=tab]')]
    .map(tab => tab.id.replace('tab-', ''))";

/// A place in a profile with something chosen, and what is heard of it.
fn chosen(sample: &str) -> Option<(&'static str, &'static str)> {
    Some(match sample {
        "attention" => (
            "view=timeline&window=2432,9866&slice=6867,0,INSERT&slice-track=core0.cubecore0%20/%20SCALAR",
            "slice?.name === 'INSERT' && window.start === 2432",
        ),
        "nnapi" => (
            "view=timeline&window=8431230158050,90110574&slice=8431207942000,0,run%201&slice-track=NNAPI%20/%20Application%20phases",
            "slice?.name === 'run 1' && window.start === 8431230158050",
        ),
        "lifetimes" => (
            "view=timeline&window=3095,12557&slice=6483,0,gemm_2&slice-track=Kernels%20/%20Stream%200",
            "slice?.name === 'gemm_2' && window.start === 3095",
        ),
        "training" => (
            "view=timeline&window=1765432100023170577,93981732&slice=1765432100065313878,0,gemm_f16_256x128x64_tn_bwd&slice-track=Accelerator%200%20/%20stream%207%20compute",
            "slice?.name === 'gemm_f16_256x128x64_tn_bwd' && window.duration === 93981732",
        ),
        "instrumented" => {
            ("view=details&figure=instrumentation-kernels", "figure === 'instrumentation-kernels'")
        }
        "probes" => ("view=details&figure=neutrino-launches", "figure === 'neutrino-launches'"),
        _ => return None,
    })
}

async fn led(page: &Page, id: &str, file: &str) -> Outcome {
    page.js::<()>("told.length = 0; return null", &[]).await?;
    // A letter for each byte.
    let bytes: String =
        std::fs::read(built::dist().join("samples").join(file))?.into_iter().map(char::from).collect();
    page.js::<()>(HAND_OVER, &[json!(file), json!(bytes)]).await?;
    let opened = format!("told.some(({{opened}}) => opened?.requestId === '{file}' && opened.result)");
    page.until(&format!("{file} is open"), 60, &opened).await?;
    say(page, "{subscribe: true}").await?;
    page.until("it is heard of", 20, &format!("told.some(({{changed}}) => changed?.name === '{file}')"))
        .await?;
    let views: Vec<String> = page.js(VIEWS, &[]).await?;
    assert!(3 < views.len(), "{file}: {views:?}");
    for view in &views {
        say(page, &format!("{{set: {{view: '{view}'}}, id: '{file} {view}'}}")).await?;
        let went = format!("told.some(({{went}}) => went?.requestId === '{file} {view}' && went.result)");
        page.until(&format!("{file}: {view}"), 20, &went).await?;
        let heard = format!("told.findLast(said => said.changed)?.changed.view === '{view}'");
        page.until(&format!("{file}: {view} is heard of"), 20, &heard).await?;
    }
    let (place, heard) = chosen(id).ok_or_else(|| format!("no place in {file} is known"))?;
    say(page, &format!("{{go: '#{place}', id: '{file} place'}}")).await?;
    let heard = format!(
        "told.some(({{changed}}) => changed && (({{ slice, figure }}, window) => {heard})(changed.selection, changed.window))"
    );
    page.until(&format!("{file}: what is chosen"), 20, &heard).await?;
    // A question is answered by its own number.
    say(page, "{id: 1, moduleName: 'timeline', command: 'import/action'}").await?;
    page.until(&format!("{file}: an answer"), 20, "told.some(said => said.requestId === 1)").await?;
    let answer: Value = page.js("return told.find(said => said.requestId === 1).type", &[]).await?;
    assert_eq!(answer, "response", "{file}");
    Ok(())
}

#[test]
fn an_embedding_page_leads_through_every_sample_and_hears_what_is_chosen() {
    journey(async |page| {
        page.open("").await?;
        page.js::<()>("location.href = 'embed.html'; return null", &[]).await?;
        page.until("the frame is ready", 30, "document.querySelector('#files:enabled')").await?;
        page.js::<()>(LISTEN, &[]).await?;
        for sample in samples() {
            led(page, &sample.id, sample.file()).await?;
        }
        Ok(())
    });
}
