//! Work on batches that goes on beside the gathering of the next ones, where the machine has a thread for it.

use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::thread::{Builder, JoinHandle, available_parallelism};

/// Looks at batches, one after the other.
pub trait Work<B>: Default + Send + 'static {
    /// Looks at a batch, and leaves it empty but for what it has to tell.
    fn work(&mut self, batch: &mut B);
}

/// Batches that wait at most, beside the one that is looked at.
const WAITING: usize = 1;

/// Work that is done here, or by another thread.
#[derive(Default)]
pub struct Beside<W, B> {
    /// The work; an empty one while another thread has it.
    work: W,
    thread: Option<Thread<W, B>>,
}

/// The other thread.
struct Thread<W, B> {
    batches: SyncSender<B>,
    done: Receiver<B>,
    /// Batches that it has.
    n: usize,
    handle: JoinHandle<W>,
}

impl<W: Work<B>, B: Default + Send + 'static> Beside<W, B> {
    /// Begins without another thread.
    pub fn new(work: W) -> Self {
        Self { work, thread: None }
    }

    /// Has a batch looked at, now or soon, and leaves one in its place that was: what that has to tell is of an earlier
    /// batch. Another thread is begun for batches of many records only, as beginning one takes time.
    pub fn give(&mut self, batch: &mut B, has_many: bool) {
        if has_many && self.thread.is_none() {
            self.begin();
        }
        let Some(thread) = &mut self.thread else { return self.work.work(batch) };
        let next = if thread.n <= WAITING { Ok(B::default()) } else { thread.done.recv() };
        // One that cannot be given is lost with the thread, which is told when it is waited for.
        thread.n += usize::from(thread.n <= WAITING);
        let given = thread.batches.send(std::mem::replace(batch, next.unwrap_or_default()));
        drop(given);
    }

    /// Gives the work to another thread, if there can be one: in a browser there is none.
    fn begin(&mut self) {
        if available_parallelism().map_or(1, usize::from) < 2 {
            return;
        }
        let (batches, given) = sync_channel::<B>(WAITING);
        let (finished, done) = channel();
        let (lend, lent) = channel::<W>();
        let run = move || {
            let mut work = lent.recv().unwrap_or_default();
            for mut batch in given {
                work.work(&mut batch);
                if finished.send(batch).is_err() {
                    break;
                }
            }
            work
        };
        let Ok(handle) = Builder::new().name("combine".to_owned()).spawn(run) else { return };
        match lend.send(std::mem::take(&mut self.work)) {
            Ok(()) => self.thread = Some(Thread { batches, done, n: 0, handle }),
            Err(work) => self.work = work.0,
        }
    }

    /// Waits until all batches were looked at, and hands on those with something to tell.
    pub fn end(&mut self, mut take: impl FnMut(B)) {
        let Some(Thread { batches, done, handle, .. }) = self.thread.take() else { return };
        drop(batches);
        match handle.join() {
            Ok(work) => self.work = work,
            Err(panic) => std::panic::resume_unwind(panic),
        }
        done.into_iter().for_each(&mut take);
    }

    /// The work; all that was given must have ended.
    #[inline]
    pub fn work(&mut self) -> &mut W {
        debug_assert!(self.thread.is_none(), "another thread still has the work");
        &mut self.work
    }

    pub(super) fn into_work(self) -> W {
        self.work
    }
}
