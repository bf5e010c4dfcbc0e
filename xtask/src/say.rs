//! Words to the user: what is going on, what went wrong, and how long a thing took.

use std::fmt;
use std::process::{Command, ExitStatus};
use std::time::Instant;

/// Something that could not be done, as one or two sentences: what, why, and what the user can do.
#[derive(Clone, Debug)]
pub struct Issue(pub String);

impl fmt::Display for Issue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Issue {}

/// Ends with a [`Issue`] made from a format string.
#[macro_export]
macro_rules! trouble {
    ($($words:tt)*) => { $crate::say::Issue(format!($($words)*)) };
}

/// Prints a line about what is being done.
pub fn doing(words: &str) {
    eprintln!("\x1b[1m• {words}\x1b[0m");
}

/// Prints the one line that says what is left out and why; hard to overlook among the output of builds.
pub fn skipping(words: &str) {
    eprintln!("\x1b[1;33m!!! SKIPPED: {words}\x1b[0m");
}

/// A running stopwatch.
pub struct Watch(Instant);

impl Watch {
    /// Starts now.
    pub fn start() -> Self {
        Self(Instant::now())
    }

    /// The time since the start, such as `4.2 s` or `3 min 08 s`.
    pub fn text(&self) -> String {
        let secs = self.0.elapsed().as_secs_f64();
        if secs < 60.0 {
            format!("{secs:.1} s")
        } else {
            format!("{:.0} min {:02.0} s", (secs / 60.0).floor(), secs % 60.0)
        }
    }
}

/// Runs a program with its output shown; `Err` says that it could not be started.
pub fn run(command: &mut Command) -> Result<ExitStatus, Issue> {
    let program = command.get_program().to_string_lossy().into_owned();
    command.status().map_err(|e| trouble!("{program} could not be started: {e}."))
}

/// The first line that a program prints on standard output, or nothing when it cannot be run.
pub fn first_line(command: &mut Command) -> Option<String> {
    let output = command.output().ok().filter(|output| output.status.success())?;
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines().next().map(|line| line.trim().to_owned())
}
