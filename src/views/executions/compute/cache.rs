//! What was prepared of launches and asked last; kept because it is asked for often.

use super::arrange::{Arranged, Arranging};
use super::pair::{Parting, Seeking, compare};
use super::run::Run;
use super::{Launch, Program, Recorded};

/// Launches that are kept prepared.
const KEPT: usize = 3;

/// What was prepared.
#[derive(Default)]
pub struct Cache {
    /// Launches with what was prepared of them, the newest last.
    ready: Vec<(u32, Arranged)>,
    making: Option<(u32, Arranging)>,
    /// The pair that was compared last: launch, threads, how they part.
    pair: Option<(u32, [u32; 2], Parting)>,
    seeking: Option<(u32, Seeking)>,
}

/// A launch with its program.
fn find(recorded: &Recorded, launch: u32) -> Option<(&Launch, &Program)> {
    let launch = recorded.launches.get(launch as usize)?;
    Some((launch, recorded.programs.get(launch.program as usize)?))
}

impl Cache {
    /// Prepares a launch for some milliseconds; true when it is prepared, or cannot be.
    pub fn step(&mut self, recorded: &Recorded, launch: u32) -> bool {
        let Some((found, program)) = find(recorded, launch) else { return true };
        if self.ready.iter().any(|(ready, _)| *ready == launch) {
            return true;
        }
        if self.making.as_ref().is_none_or(|(making, _)| *making != launch) {
            self.making = Some((launch, Arranging::new(found)));
        }
        if let Some((_, arranging)) = &mut self.making
            && arranging.step(found, program)
        {
            return false;
        }
        if let Some((_, arranging)) = self.making.take() {
            if KEPT <= self.ready.len() {
                self.ready.remove(0);
            }
            self.ready.push((launch, arranging.finish()));
        }
        true
    }

    /// A launch that was prepared.
    pub fn run<'a>(&'a self, recorded: &'a Recorded, launch: u32) -> Option<Run<'a>> {
        let (found, program) = find(recorded, launch)?;
        let (_, arranged) = self.ready.iter().find(|(ready, _)| *ready == launch)?;
        Some(Run { launch: found, program, arranged })
    }

    /// Compares two threads, unless they were compared last.
    pub fn pair(&mut self, recorded: &Recorded, launch: u32, threads: [u32; 2]) -> Option<Parting> {
        let (found, _) = find(recorded, launch)?;
        let n = found.executions.starts.len().saturating_sub(1) as u32;
        if threads.iter().any(|thread| n <= *thread) || threads[0] == threads[1] {
            return None;
        }
        match self.pair {
            Some((of, own, parting)) if (of, own) == (launch, threads) => Some(parting),
            _ => {
                let parting = compare(&found.executions, threads);
                self.pair = Some((launch, threads, parting));
                Some(parting)
            }
        }
    }

    /// Searches the nearest thread that parts from one; true when it is found, or is none.
    pub fn seek(&mut self, recorded: &Recorded, launch: u32, thread: u32) -> bool {
        let Some((found, _)) = find(recorded, launch) else { return true };
        let is_same = |(of, seeking): &(u32, Seeking)| (*of, seeking.thread()) == (launch, thread);
        let seeking = self.seeking.take().filter(is_same);
        let (_, seeking) = self.seeking.insert(seeking.unwrap_or_else(|| (launch, Seeking::new(thread))));
        seeking.step(&found.executions)
    }

    /// What was found.
    pub fn nearest(&self, launch: u32, thread: u32) -> Option<u32> {
        let (of, seeking) = self.seeking.as_ref()?;
        if (*of, seeking.thread()) == (launch, thread) { seeking.found().flatten() } else { None }
    }
}
