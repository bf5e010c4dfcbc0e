//! Probes that journeys put into the page: workers that can be killed, pauses of the main thread, axe-core.

use std::env;
use std::fs;

use serde::Deserialize;
use serde_json::json;

use crate::{Outcome, Page};

/// Keeps every worker that the page starts in `window.probedWorkers`, with how many messages it got.
const WORKERS: &str = "window.probedWorkers = [];
    window.Worker = class extends Worker {
        constructor(...args) { super(...args); this.nPosted = 0; window.probedWorkers.push(this); }
        postMessage(...args) { this.nPosted++; super.postMessage(...args); }
    };";

/// Measures the time between frames; the longest is `window.probedPause.longest`, in ms.
const PAUSES: &str = "window.probedPause = { longest: 0, last: performance.now() };
    (function frame() {
        const now = performance.now(), pause = now - probedPause.last;
        probedPause.last = now;
        probedPause.longest = Math.max(probedPause.longest, pause);
        requestAnimationFrame(frame);
    })();";

/// Programs of workers get at most so many pages of 64 KiB more than they begin with: their memory is declared with an end.
const LITTLE_MEMORY: &str = "const compile = WebAssembly.compile, more = PAGES;
    WebAssembly.compile = source => {
        const bytes = new Uint8Array(source.buffer ?? source);
        const number = at => { let n = 0, shift = 0, byte; do { byte = bytes[at++]; n |= (byte & 127) << shift; shift += 7; } while (127 < byte); return [n, at]; };
        const packed = n => { const all = []; do { all.push((n & 127) | (127 < n ? 128 : 0)); n >>>= 7; } while (n); return all; };
        for (let at = 8; at < bytes.length;) {
            const [length, begin] = number(at + 1);
            if (bytes[at] === 5) {
                const [least] = number(begin + 2);
                const body = [1, 1, ...packed(least), ...packed(least + more)];
                return compile(new Uint8Array([...bytes.subarray(0, at), 5, ...packed(body.length), ...body, ...bytes.subarray(begin + length)]));
            }
            at = begin + length;
        }
        return compile(bytes);
    };";

/// Workers take all memory that they can get when they are told so, by a message that their program does not hear.
const GREEDY: &str = "const address = URL.createObjectURL;
    const greedy = `const make = WebAssembly.instantiate;
        let program;
        WebAssembly.instantiate = async (...args) => { const made = await make(...args); program ??= (made.instance ?? made).exports; return made; };
        addEventListener('message', event => {
            if (event.data !== 'take all memory') return;
            event.stopImmediatePropagation();
            for (const size of [1 << 20, 1 << 16, 1 << 12, 1 << 8, 16]) try { for (;;) program.__wbindgen_malloc(size, 1); } catch {}
        });`;
    URL.createObjectURL = blob => address.call(URL, blob.type === 'text/javascript' ? new Blob([greedy, blob], { type: blob.type }) : blob);";

/// One thing that axe-core found.
#[derive(Debug, Deserialize)]
pub struct Finding {
    /// The rule, such as `color-contrast`.
    pub id: String,
    /// `minor`, `moderate`, `serious` or `critical`.
    pub impact: Option<String>,
    /// What should be.
    pub help: String,
    /// Which elements, as selectors.
    pub where_: Vec<String>,
}

impl Page {
    /// From the next opening on, keeps the workers in reach.
    pub async fn probe_workers(&self) -> Outcome {
        self.before_load(WORKERS).await
    }

    /// From the next opening on, workers get at most so many MiB of memory more than they begin with.
    pub async fn limit_memory(&self, mib: u32) -> Outcome {
        self.before_load(&LITTLE_MEMORY.replace("PAGES", &(mib * 16).to_string())).await?;
        self.before_load(GREEDY).await
    }

    /// Has a worker take all of that memory, so that its program gets none any more.
    pub async fn take_all_memory(&self, number: usize) -> Outcome {
        self.js("probedWorkers[arguments[0]].postMessage('take all memory'); return null", &[json!(number)])
            .await
    }

    /// Ends a worker without a word, as a browser does when memory runs out.
    pub async fn silence_worker(&self, number: usize) -> Outcome {
        self.js("probedWorkers[arguments[0]].terminate(); return null", &[json!(number)]).await
    }

    /// Ends a worker as a crash would: the page gets an error event.
    pub async fn kill_worker(&self, number: usize) -> Outcome {
        let body = "const worker = probedWorkers[arguments[0]];
            worker.terminate();
            worker.dispatchEvent(new ErrorEvent('error', { message: 'killed by a test', cancelable: true }));
            return null";
        self.js(body, &[json!(number)]).await
    }

    /// Ends a worker as a crash would, while it loads: it stops in the middle of what it does, and the page gets an error
    /// event.
    pub async fn kill_worker_while_loading(&self, number: usize) -> Outcome {
        let event = "new ErrorEvent('error', { message: 'killed by a test', cancelable: true })";
        self.while_loading(number, &format!("worker.terminate(); worker.dispatchEvent({event})")).await
    }

    /// Ends a worker without a word while it loads, as a browser may when memory runs out.
    pub async fn silence_worker_while_loading(&self, number: usize) -> Outcome {
        self.while_loading(number, "worker.terminate()").await
    }

    /// Does something to a worker when it has told of its progress a few times. The page itself does it: a fast machine
    /// reads the largest file between two questions of a test.
    async fn while_loading(&self, number: usize, deed: &str) -> Outcome {
        self.until("the worker", 20, &format!("{number} < probedWorkers.length")).await?;
        let body = format!(
            "const worker = probedWorkers[arguments[0]];
            let heard = 0;
            worker.addEventListener('message', () => {{
                heard += document.documentElement.dataset.lanescopeState === 'loading';
                if (heard === 5) {{ heard++; {deed}; }}
            }});
            return null"
        );
        self.js(&body, &[json!(number)]).await
    }

    /// Begins to measure pauses of the main thread, or begins anew.
    pub async fn probe_pauses(&self) -> Outcome {
        self.js(&format!("if (!window.probedPause) {{ {PAUSES} }} probedPause.longest = 0; return null"), &[])
            .await
    }

    /// The longest time between two frames since [`Page::probe_pauses`], in ms.
    pub async fn longest_pause(&self) -> Outcome<f64> {
        self.js("return probedPause.longest", &[]).await
    }

    /// Whatever axe-core finds on the page as it is; `None` when axe-core is not there.
    pub async fn findings(&self) -> Outcome<Option<Vec<Finding>>> {
        let Some(path) = env::var_os("LANESCOPE_AXE") else { return Ok(None) };
        let source = fs::read_to_string(path)?;
        let loaded: bool = self.js(&format!("{source}; return window.axe !== undefined"), &[]).await?;
        if !loaded {
            return Err("axe-core did not load".into());
        }
        let body = "const done = arguments[arguments.length - 1];
            axe.run({ resultTypes: ['violations'] }).then(
                found => done(found.violations.map(({ id, impact, help, nodes }) =>
                    ({ id, impact, help, where_: nodes.map(node => node.target.join(' ')) }))),
                error => done([{ id: 'axe', impact: 'critical', help: String(error), where_: [] }]))";
        let found: Vec<Finding> = self.when_done(body, &[]).await?;
        Ok(Some(found))
    }

    /// What axe-core calls serious or critical on the page as it is; `None` when axe-core is not there.
    pub async fn serious_findings(&self) -> Outcome<Option<Vec<Finding>>> {
        let is_serious =
            |finding: &Finding| matches!(finding.impact.as_deref(), Some("serious" | "critical"));
        Ok(self.findings().await?.map(|found| found.into_iter().filter(is_serious).collect()))
    }
}
