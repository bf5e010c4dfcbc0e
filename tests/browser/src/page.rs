//! The page under test: opening it, asking it, waiting for it, and what it left in the console.

use std::cell::RefCell;
use std::env;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use thirtyfour::bidi::events::LogEntryAdded;
use thirtyfour::{WebDriver, WindowHandle};
use xtask::server::{self, Offer, Site};

use crate::Outcome;
use crate::driver::{self, Driver};
use crate::engine::{self, Engine};

/// How long until it is asked again: each question costs the driver and the browser some milliseconds.
const POLL: Duration = Duration::from_millis(50);

/// How long is waited for anything: a busy machine is slow, and a wait that ends early says nothing.
pub(crate) const PATIENCE: Duration = Duration::from_mins(2);

/// How high `WebKit`'s window is on its display: its bar takes 38 pixels, the page 800.
const WEBKIT_HEIGHT: u32 = 838;

/// The path the page is served under.
const BASE: &str = "/lanescope/";

/// What the browser keeps of the page for use without a network.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Keeps {
    Nothing,
    Page,
}

/// Registers no service worker, and says nothing of it.
const KEEP_NOTHING: &str =
    "if (navigator.serviceWorker) navigator.serviceWorker.register = () => new Promise(() => {})";

/// What Firefox says of files that a page no longer waits for, as it is left.
const ABORTED: &[&str] = &[
    "A ServiceWorker intercepted the request and encountered an unexpected error",
    "AbortError: The operation was aborted",
];

/// A browser with the page, and the server it came from.
pub struct Page {
    pub(crate) driver: WebDriver,
    /// What the page runs in.
    pub engine: Engine,
    /// Such as `http://127.0.0.1:40123`.
    origin: String,
    served: Arc<RwLock<PathBuf>>,
    server_is_down: Arc<AtomicBool>,
    /// What the console has said so far; asking the driver takes its lines away, or it tells them by itself.
    console: Arc<Mutex<Vec<Line>>>,
    /// Parts of error lines that the journey brings about on purpose.
    expected: RefCell<Vec<String>>,
}

/// One line of the console.
#[derive(Clone)]
struct Line {
    is_error: bool,
    text: String,
}

impl Drop for Page {
    /// One that was not closed ends with its driver: a browser that is asked to end while it starts may take minutes.
    fn drop(&mut self) {
        let _ = self.driver.clone().leak(); // says no where it was closed
    }
}

impl Page {
    /// With further flags for Chromium, and with files that are served beside the page.
    pub(crate) async fn new(
        driven_by: &Driver,
        flags: &[String],
        keeps: Keeps,
        offers: Vec<Offer>,
    ) -> Outcome<Self> {
        let engine = driven_by.engine;
        let server_is_down = Arc::default();
        let root = if engine.tells_console() { dist() } else { engine::listening()? };
        let served = Arc::new(RwLock::new(root));
        let site = Site {
            root: Arc::clone(&served),
            base: BASE.into(),
            offers,
            is_down: Arc::clone(&server_is_down),
        };
        let address = server::start(site, server::bind(0)?)?;
        let wanted = driver::capabilities(engine, flags)?;
        let driver = WebDriver::new(driven_by.address.clone(), wanted).await?;
        let page = Self {
            driver,
            engine,
            origin: format!("http://{address}"),
            served,
            server_is_down,
            console: Arc::default(),
            expected: RefCell::default(),
        };
        page.driver.set_script_timeout(PATIENCE).await?;
        match engine {
            Engine::Chromium => {}
            Engine::Firefox => page.listen().await?,
            Engine::WebKit => page.driver.set_window_rect(0, 0, 1280, WEBKIT_HEIGHT).await?,
        }
        if engine.tells_console() {
            // Whoever was here before is not offered the tour.
            page.before_load("localStorage.setItem('lanescope.tour', 'seen')").await?;
            if keeps == Keeps::Nothing {
                page.before_load(KEEP_NOTHING).await?;
            }
        }
        Ok(page)
    }

    /// Keeps what the console says, as `WebDriver` `BiDi` tells it.
    async fn listen(&self) -> Outcome {
        // BiDi asks for a provider of encryption, though nothing is encrypted here. Another page may have given one.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut entries = self.driver.bidi().await?.subscribe::<LogEntryAdded>().await?;
        let console = Arc::clone(&self.console);
        tokio::spawn(async move {
            while let Some(entry) = entries.next().await {
                let is_error = entry.level.as_str() == "error";
                let first = &entry.stack_trace["callFrames"][0];
                let place = first["url"].as_str().map_or(String::new(), |url| {
                    format!(" ({}, {url}:{})", first["functionName"], first["lineNumber"])
                });
                let text = format!("{} {}{place}", entry.level.as_str(), entry.text.unwrap_or_default());
                console.lock().unwrap_or_else(PoisonError::into_inner).push(Line { is_error, text });
            }
        });
        Ok(())
    }

    pub(crate) async fn close(&self) {
        let _ = self.driver.clone().quit().await; // the driver is ended next in any case
    }

    /// Opens the page with something after its address, such as `#view=source`, and waits until its program runs. With
    /// nothing the timeline is shown, not the view that comes first.
    pub async fn open(&self, rest: &str) -> Outcome {
        let rest = if rest.is_empty() { "#view=timeline" } else { rest };
        let n_said = self.lines().len();
        self.driver.goto(format!("{}{BASE}{rest}", self.origin)).await?;
        self.until("the page's program runs", 30, "window.wasmBindings !== undefined").await?;
        if self.engine == Engine::Firefox {
            self.forget_aborted(n_said);
        }
        Ok(())
    }

    /// What the page that was left had still been loading then is no error, though Firefox tells of it as of one: such lines
    /// behind the first few are dropped.
    fn forget_aborted(&self, first: usize) {
        let mut at = 0;
        self.lines().retain(|line| {
            at += 1;
            at <= first || !ABORTED.iter().any(|part| line.text.contains(part))
        });
    }

    /// The address shown, with its hash.
    pub async fn address(&self) -> Outcome<String> {
        Ok(self.driver.current_url().await?.to_string())
    }

    /// Runs the body of a function in the page and returns what it returns; `arguments` holds `args`.
    pub async fn js<T: DeserializeOwned>(&self, body: &str, args: &[Value]) -> Outcome<T> {
        let answer = self.driver.execute(body, args.to_vec()).await?;
        serde_json::from_value(answer.json().clone())
            .map_err(|e| format!("`{body}` gave {}: {e}", answer.json()).into())
    }

    /// Waits until an expression holds, at most so many seconds, but no fewer than two minutes.
    pub async fn until(&self, what: &str, seconds: u64, expression: &str) -> Outcome {
        let (start, seconds) = (Instant::now(), seconds.max(PATIENCE.as_secs()));
        loop {
            if self.js(&format!("return !!({expression})"), &[]).await? {
                return Ok(());
            }
            if Duration::from_secs(seconds) < start.elapsed() {
                return Err(format!("waited {seconds} s for: {what}").into());
            }
            tokio::time::sleep(POLL).await;
        }
    }

    /// Presses what a selector finds first, as soon as it is there.
    pub async fn activate(&self, selector: &str) -> Outcome {
        self.activate_one(&format!("document.querySelector('{selector}')")).await
    }

    /// Presses the element that an expression gives, as soon as there is one. Found and pressed at once: by the time of a
    /// second question it may be another one, or gone.
    pub async fn activate_one(&self, element: &str) -> Outcome {
        self.until(element, 10, &format!("(one => one && (one.click(), true))({element})")).await
    }

    /// `idle`, `loading`, `ready` or `failed`, as the page says itself.
    pub async fn state(&self) -> Outcome<String> {
        self.js("return document.documentElement.dataset.lanescopeState ?? ''", &[]).await
    }

    /// Waits for a state, at most so many seconds. Ends at once when the page says `failed` instead.
    pub async fn wait_state(&self, state: &str, seconds: u64) -> Outcome {
        let either =
            format!("['failed', '{state}'].includes(document.documentElement.dataset.lanescopeState)");
        loop {
            self.until(&format!("state {state}"), seconds, &either).await?;
            match self.state().await? {
                reached if reached == state => return Ok(()),
                failed if failed == "failed" => {
                    return Err(format!("the page failed instead of {state}").into());
                }
                _ => {} // between both looks another document began to load
            }
        }
    }

    /// The visible text of the first element, without blanks at its ends; an error when there is none.
    pub async fn text(&self, selector: &str) -> Outcome<String> {
        let body = "return document.querySelector(arguments[0])?.innerText?.trim() ?? null";
        let text: Option<String> = self.js(body, &[json!(selector)]).await?;
        text.ok_or_else(|| format!("nothing matches {selector}").into())
    }

    /// What a table says in the column of some heading, on the first row in view that has a cell with some text; waits
    /// for the row.
    pub async fn cell_text(&self, table: &str, row_with: &str, column: &str) -> Outcome<String> {
        let body = "const [table, word, column] = arguments;
            const grid = document.querySelector(`[role=grid][aria-label=\"${table}\"]`);
            // The parts of a name are elements of their own.
            const text = element => element.innerText.replaceAll('\\n', '').trim();
            const heads = [...grid?.querySelectorAll('[role=columnheader]') ?? []].map(text);
            const at = heads.findIndex(head => head.startsWith(column));
            const rows = [...grid?.querySelectorAll('[role=row]') ?? []].map(row => [...row.querySelectorAll('[role=gridcell]')].map(text));
            return rows.find(cells => cells.includes(word))?.[at] ?? null";
        let began = Instant::now();
        loop {
            let text: Option<String> = self.js(body, &[json!(table), json!(row_with), json!(column)]).await?;
            if let Some(text) = text {
                return Ok(text);
            }
            if PATIENCE < began.elapsed() {
                let words = format!("table {table} shows no row with {row_with} and no column {column}");
                return Err(words.into());
            }
            tokio::time::sleep(POLL).await;
        }
    }

    /// Runs the body of a function that calls the last of its `arguments` when it is done, and returns what it says then.
    pub async fn when_done<T: DeserializeOwned>(&self, body: &str, args: &[Value]) -> Outcome<T> {
        let answer = self.driver.execute_async(body, args.to_vec()).await?;
        serde_json::from_value(answer.json().clone())
            .map_err(|e| format!("`{body}` gave {}: {e}", answer.json()).into())
    }

    /// Sends a command of the developer protocol.
    pub async fn devtools(&self, method: &str, params: Value) -> Outcome<Value> {
        Ok(self.driver.cdp().send_raw(method, params).await?)
    }

    /// Runs a script in every page opened from now on, before the page's own. `WebKit`'s driver has no way to.
    pub async fn before_load(&self, source: &str) -> Outcome {
        match self.engine {
            Engine::Chromium => {
                let script = json!({ "source": source });
                self.devtools("Page.addScriptToEvaluateOnNewDocument", script).await.map(drop)
            }
            Engine::Firefox => {
                // The empty page that comes first has no storage, whatever its address says.
                let script = format!("() => {{ if (origin.startsWith('http')) {{ {source} }} }}");
                let script = json!({ "functionDeclaration": script });
                Ok(self.driver.bidi().await?.send_raw("script.addPreloadScript", script).await.map(drop)?)
            }
            Engine::WebKit => Err("WebKit's driver runs nothing before the page's own scripts".into()),
        }
    }

    /// Takes the network away: the server answers nobody, and Chromium is told that it is offline.
    pub async fn go_offline(&self) -> Outcome {
        self.server_is_down.store(true, Ordering::Relaxed);
        if self.engine != Engine::Chromium {
            return Ok(());
        }
        self.devtools("Network.enable", json!({})).await?;
        let none = json!({ "offline": true, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1 });
        self.devtools("Network.emulateNetworkConditions", none).await.map(drop)
    }

    /// From now on the server has another page.
    pub fn serve(&self, dist: &Path) {
        dist.clone_into(&mut self.served.write().unwrap_or_else(PoisonError::into_inner));
    }

    /// Opens a window and drives it; returns the one that was driven before.
    pub async fn open_window(&self, rest: &str) -> Outcome<WindowHandle> {
        let before = self.driver.window().await?;
        let new = self.driver.new_tab().await?;
        self.go_to(&new).await?;
        self.open(rest).await?;
        Ok(before)
    }

    /// A window beside the one that is driven.
    pub async fn other_window(&self) -> Outcome<WindowHandle> {
        let driven = self.driver.window().await?;
        let other = self.driver.windows().await?.into_iter().find(|window| *window != driven);
        other.ok_or_else(|| "there is one window only".into())
    }

    /// Drives another window.
    pub async fn go_to(&self, window: &WindowHandle) -> Outcome {
        Ok(self.driver.switch_to_window(window.clone()).await?)
    }

    /// Closes the window that is driven, and drives another one.
    pub async fn close_window(&self, next: &WindowHandle) -> Outcome {
        self.driver.close_window().await?;
        self.go_to(next).await
    }

    /// Addresses that the page has asked for, in their order.
    pub async fn requests(&self) -> Outcome<Vec<String>> {
        self.js("return performance.getEntriesByType('resource').map(entry => entry.name)", &[]).await
    }

    /// Everything that the console has said so far.
    pub async fn console(&self) -> Outcome<Vec<String>> {
        let mut new = Vec::new();
        match self.engine {
            Engine::Chromium => {
                for entry in self.driver.browser_log().await? {
                    let text = format!("{} {}", entry.level, entry.message);
                    new.push(Line { is_error: entry.level == "SEVERE", text });
                }
            }
            Engine::Firefox => {} // heard already
            Engine::WebKit => {
                self.lines().clear();
                let heard: Vec<String> = self.js(engine::HEARD, &[]).await?;
                new.extend(heard.into_iter().map(|text| Line { is_error: true, text }));
            }
        }
        let mut lines = self.lines();
        lines.extend(new);
        Ok(lines.iter().map(|line| line.text.clone()).collect())
    }

    fn lines(&self) -> MutexGuard<'_, Vec<Line>> {
        self.console.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says that an error line with this text is brought about by the journey itself.
    pub fn expect_error(&self, part: &str) {
        self.expected.borrow_mut().push(part.to_owned());
    }

    /// What holds at the end of every journey: no error in the console, no request to another origin.
    pub(crate) async fn is_clean(&self) -> Outcome {
        self.console().await?;
        if let Some(text) = self.surprise() {
            return Err(format!("the console says: {text}").into());
        }
        self.are_ours(&self.requests().await?)
    }

    /// Whether all these addresses are of the page's own.
    pub(crate) fn are_ours(&self, asked: &[String]) -> Outcome {
        let ours = format!("{}{BASE}", self.origin);
        let own = |address: &&String| {
            [ours.as_str(), "blob:", "data:"].iter().any(|start| address.starts_with(start))
        };
        match asked.iter().find(|address| !own(address)) {
            Some(address) => Err(format!("the page asked {address}").into()),
            None => Ok(()),
        }
    }

    /// The first error line that the journey did not bring about itself.
    fn surprise(&self) -> Option<String> {
        let expected = self.expected.borrow();
        let is_surprise =
            |line: &&Line| line.is_error && !expected.iter().any(|part| line.text.contains(part));
        self.lines().iter().find(is_surprise).map(|line| line.text.clone())
    }

    /// Writes a picture of the page.
    pub(crate) async fn keep_picture(&self, path: &Path) -> Outcome {
        Ok(self.driver.screenshot(path).await?)
    }
}

/// The built page: `LANESCOPE_DIST`, or `dist/` of the project.
pub fn dist() -> PathBuf {
    env::var_os("LANESCOPE_DIST").map_or_else(xtask::place::dist, PathBuf::from)
}
