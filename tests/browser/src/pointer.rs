//! Real input: files dragged in, pointer, wheel, keys. In Chromium through its developer protocol; elsewhere through
//! actions of the driver.

use std::path::Path;
use std::time::Duration;

use serde_json::json;

use crate::engine::Engine;
use crate::screen::Point;
use crate::{Outcome, Page};

/// The Alt key, as a bit of the protocol's `modifiers`.
pub const ALT: u8 = 1;

/// The Ctrl key, as a bit of the protocol's `modifiers`.
pub const CTRL: u8 = 2;

/// The Shift key.
pub const SHIFT: u8 = 8;

impl Page {
    /// Drags files or folders over the middle of the page and drops them there.
    pub async fn drop_files(&self, paths: &[&Path]) -> Outcome {
        let mut files = Vec::new();
        for path in paths {
            files.push(path.canonicalize().map_err(|e| format!("{}: {e}", path.display()))?);
        }
        let middle: Point = self.js("return { x: innerWidth / 2, y: innerHeight / 2 }", &[]).await?;
        let data = json!({ "items": [], "files": files, "dragOperationsMask": 1 });
        // A busy browser loses a drop that comes while it still asks the page about the drag, or opens a tab of its own
        // for it, and what is hidden draws nothing.
        for _ in 0..100 {
            let listen = "globalThis.testDropped = false;
                addEventListener('drop', () => { globalThis.testDropped = true }, { once: true, capture: true })";
            self.js::<()>(listen, &[]).await?;
            for kind in ["dragEnter", "dragOver", "drop"] {
                let event = json!({ "type": kind, "x": middle.x, "y": middle.y, "data": data });
                self.devtools("Input.dispatchDragEvent", event).await?;
            }
            for _ in 0..10 {
                if self.js::<bool>("return globalThis.testDropped", &[]).await? {
                    return self.devtools("Page.bringToFront", json!({})).await.map(drop);
                }
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
            self.devtools("Page.bringToFront", json!({})).await?;
        }
        Err("the page did not take the drop".into())
    }

    /// Drops one file.
    pub async fn drop_file(&self, path: &Path) -> Outcome {
        self.drop_files(&[path]).await
    }

    /// Moves the pointer to a point.
    pub async fn hover(&self, at: Point) -> Outcome {
        if self.engine != Engine::Chromium {
            return self.point(&[at], false, 0).await;
        }
        self.mouse(json!({ "type": "mouseMoved", "x": at.x, "y": at.y })).await
    }

    /// Clicks at a point.
    pub async fn click(&self, at: Point) -> Outcome {
        if self.engine != Engine::Chromium {
            return self.point(&[at], true, 0).await;
        }
        self.hover(at).await?;
        for kind in ["mousePressed", "mouseReleased"] {
            let event = json!({ "type": kind, "x": at.x, "y": at.y, "button": "left", "clickCount": 1 });
            self.mouse(event).await?;
        }
        Ok(())
    }

    /// Clicks the middle of the first element that matches.
    pub async fn click_on(&self, selector: &str) -> Outcome {
        let rect = self.rect(selector).await?;
        self.click(rect.middle()).await
    }

    /// Presses at one point, moves to another in a few steps and lets go, with [`ALT`], [`CTRL`], [`SHIFT`] or 0 held.
    pub async fn drag(&self, from: Point, to: Point, held: u8) -> Outcome {
        if self.engine != Engine::Chromium {
            let middle = Point { x: f64::midpoint(from.x, to.x), y: f64::midpoint(from.y, to.y) };
            return self.point(&[from, middle, to], true, held).await;
        }
        let event = |kind: &str, at: Point, buttons: u8| json!({ "type": kind, "x": at.x, "y": at.y, "button": "left", "buttons": buttons, "clickCount": 1, "modifiers": held });
        self.hover(from).await?;
        self.mouse(event("mousePressed", from, 1)).await?;
        for step in 1..=4 {
            let share = f64::from(step) / 4.0;
            let at = Point { x: from.x + (to.x - from.x) * share, y: from.y + (to.y - from.y) * share };
            self.mouse(event("mouseMoved", at, 1)).await?;
        }
        self.mouse(event("mouseReleased", to, 0)).await
    }

    /// Turns the wheel by some pixels at a point, with [`CTRL`], [`SHIFT`] or 0 held.
    pub async fn wheel(&self, at: Point, dy: f64, held: u8) -> Outcome {
        if self.engine != Engine::Chromium {
            return self.scroll(at, dy, held).await;
        }
        self.mouse(json!({ "type": "mouseWheel", "x": at.x, "y": at.y, "deltaX": 0, "deltaY": dy, "modifiers": held }))
            .await
    }

    /// Presses and releases a key by its DOM name, such as `Escape` or `w`.
    pub async fn press(&self, key: &str, held: u8) -> Outcome {
        if self.engine != Engine::Chromium {
            return self.strike(key, held).await;
        }
        let text = if key.chars().count() == 1 { key } else { "" };
        for kind in ["keyDown", "keyUp"] {
            let text = if kind == "keyDown" { text } else { "" };
            let event = json!({ "type": kind, "key": key, "text": text, "modifiers": held });
            self.devtools("Input.dispatchKeyEvent", event).await?;
        }
        Ok(())
    }

    async fn mouse(&self, event: serde_json::Value) -> Outcome {
        self.devtools("Input.dispatchMouseEvent", event).await.map(drop)
    }
}
