//! Input by the actions of `WebDriver`, which every driver has: for engines without Chromium's developer protocol.

use serde_json::{Value, json};
use thirtyfour::common::command::{Actions, Command};

use crate::pointer::{ALT, CTRL, SHIFT};
use crate::screen::Point;
use crate::{Outcome, Page};

/// Keys that have no letter, as `WebDriver` writes them.
const KEYS: &[(&str, &str)] = &[
    ("Enter", "\u{e007}"),
    ("Escape", "\u{e00c}"),
    ("Backspace", "\u{e003}"),
    ("Tab", "\u{e004}"),
    ("ArrowLeft", "\u{e012}"),
    ("ArrowUp", "\u{e013}"),
    ("ArrowRight", "\u{e014}"),
    ("ArrowDown", "\u{e015}"),
];

/// Nothing, for one tick.
fn pause() -> Value {
    json!({ "type": "pause", "duration": 0 })
}

fn key(kind: &str, value: &str) -> Value {
    json!({ "type": kind, "value": value })
}

/// The keys that are held, as `WebDriver` writes them.
fn held_keys(held: u8) -> impl Iterator<Item = &'static str> {
    [(SHIFT, "\u{e008}"), (CTRL, "\u{e009}"), (ALT, "\u{e00a}")]
        .into_iter()
        .filter(move |(bit, _)| held & bit != 0)
        .map(|(_, key)| key)
}

/// The place of a pointer, in whole pixels.
fn moved(at: Point) -> Value {
    json!({ "type": "pointerMove", "duration": 0, "origin": "viewport", "x": at.x.round() as i64, "y": at.y.round() as i64 })
}

impl Page {
    /// Moves the pointer, presses where told and lets go at the last place, with keys held.
    pub(crate) async fn point(&self, to: &[Point], presses: bool, held: u8) -> Outcome {
        let mut actions = Vec::new();
        for (n, at) in to.iter().enumerate() {
            actions.push(moved(*at));
            if n == 0 && presses {
                actions.push(json!({ "type": "pointerDown", "button": 0 }));
            }
        }
        if presses {
            actions.push(json!({ "type": "pointerUp", "button": 0 }));
        }
        self.act(json!({ "type": "pointer", "id": "mouse" }), &actions, held).await
    }

    /// Turns the wheel.
    pub(crate) async fn scroll(&self, at: Point, dy: f64, held: u8) -> Outcome {
        let turn = json!({ "type": "scroll", "duration": 0, "origin": "viewport", "x": at.x.round() as i64, "y": at.y.round() as i64,
            "deltaX": 0, "deltaY": dy.round() as i64 });
        self.act(json!({ "type": "wheel", "id": "wheel" }), &[turn], held).await
    }

    /// Presses and releases a key.
    pub(crate) async fn strike(&self, name: &str, held: u8) -> Outcome {
        let value = KEYS.iter().find(|(known, _)| *known == name).map_or(name, |(_, value)| value);
        let mut actions: Vec<Value> = held_keys(held).map(|value| key("keyDown", value)).collect();
        actions.extend([key("keyDown", value), key("keyUp", value)]);
        actions.extend(held_keys(held).map(|value| key("keyUp", value)));
        self.perform(json!([{ "type": "key", "id": "keys", "actions": actions }])).await
    }

    /// Actions of one device while keys are held; each tick has one of the keys or of the device.
    async fn act(&self, mut device: Value, actions: &[Value], held: u8) -> Outcome {
        let n_held = held_keys(held).count();
        let pauses = |n: usize| std::iter::repeat_with(pause).take(n);
        device["actions"] = pauses(n_held).chain(actions.iter().cloned()).chain(pauses(n_held)).collect();
        let mut keys: Vec<Value> = held_keys(held).map(|value| key("keyDown", value)).collect();
        keys.extend(pauses(actions.len()));
        keys.extend(held_keys(held).map(|value| key("keyUp", value)));
        let devices = if n_held == 0 {
            json!([device])
        } else {
            json!([{ "type": "key", "id": "keys", "actions": keys }, device])
        };
        self.perform(devices).await
    }

    async fn perform(&self, devices: Value) -> Outcome {
        // The driver puts the list under the name that the protocol wants.
        let actions = Actions::from(devices);
        Ok(self.driver.cmd(Command::PerformActions(actions)).await.map(drop)?)
    }
}
