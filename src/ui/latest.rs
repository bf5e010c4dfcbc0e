//! Of what is asked again and again only the latest counts: answers that a newer question has overtaken are dropped.

use leptos::prelude::*;
use leptos::reactive::traits::IsDisposed;
use leptos::task::spawn_local;
use std::future::poll_fn;
use std::task::Poll;
use std::time::Duration;

/// Runs a task as long as a value is there: a view that is closed takes its values with it, and what its tasks would
/// do with them afterwards would be a panic.
pub fn spawn_while(value: impl IsDisposed + 'static, task: impl Future<Output = ()> + 'static) {
    let mut task = Box::pin(task);
    spawn_local(poll_fn(
        move |waker| {
            if value.is_disposed() { Poll::Ready(()) } else { task.as_mut().poll(waker) }
        },
    ));
}

/// Numbers questions of one kind, so that an answer knows whether it is still wanted.
#[derive(Clone, Copy, Default)]
pub struct Latest(StoredValue<u32>);

/// One question among others of its kind.
#[derive(Clone, Copy)]
pub struct Turn {
    latest: Latest,
    number: u32,
}

impl Turn {
    /// Whether no newer question was begun, and whoever asked is still there.
    pub fn is_latest(self) -> bool {
        self.latest.0.try_get_value() == Some(self.number)
    }
}

impl Latest {
    /// Begins a question; all before it are overtaken.
    pub fn begin(self) -> Turn {
        let number = self.0.try_update_value(|number| {
            *number = number.wrapping_add(1);
            *number
        });
        Turn { latest: self, number: number.unwrap_or_default() }
    }

    /// The question that was begun last.
    pub fn current(self) -> Turn {
        Turn { latest: self, number: self.0.try_get_value().unwrap_or_default() }
    }

    /// Awaits an answer and hands it to `take`, unless another question was begun meanwhile.
    pub fn ask<T: 'static>(self, answer: impl Future<Output = T> + 'static, take: impl FnOnce(T) + 'static) {
        let turn = self.begin();
        spawn_local(async move {
            let answer = answer.await;
            if turn.is_latest() {
                take(answer);
            }
        });
    }

    /// Does something after a while, unless another question was begun meanwhile.
    pub fn after(self, rest: Duration, act: impl FnOnce() + 'static) {
        let turn = self.begin();
        set_timeout(
            move || {
                if turn.is_latest() {
                    act();
                }
            },
            rest,
        );
    }
}

/// Asks one question at a time; of those that wait meanwhile only the newest is asked.
pub struct OneAtATime<T: 'static>(StoredValue<(bool, Option<T>)>);

impl<T> Clone for OneAtATime<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for OneAtATime<T> {}

impl<T: Send + Sync> Default for OneAtATime<T> {
    fn default() -> Self {
        Self(StoredValue::new((false, None)))
    }
}

impl<T: Send + Sync> OneAtATime<T> {
    /// Asks now, or when the question under way is answered.
    pub fn ask<F: Future<Output = ()>>(self, question: T, ask: impl Fn(T) -> F + 'static) {
        let is_busy = self.0.with_value(|(is_busy, _)| *is_busy);
        self.0.set_value((true, Some(question)));
        if is_busy {
            return;
        }
        spawn_local(async move {
            while let Some(Some(question)) = self.0.try_update_value(|(_, waiting)| waiting.take()) {
                ask(question).await;
            }
            self.0.try_update_value(|(is_busy, _)| *is_busy = false);
        });
    }

    /// Forgets the question that waits.
    pub fn forget(self) {
        self.0.try_update_value(|(_, waiting)| *waiting = None);
    }
}
