//! A log on its way through the scanner in steps: where a kernel ends, bytes wait until what it did is summed up.

use super::Scanner;
use crate::input::json::window::Window;

/// A log on its way through the scanner.
pub(in super::super) struct Scan {
    pub(in super::super) scanner: Scanner,
    window: Window,
    /// Whether the last line was read.
    is_over: bool,
}

impl Scan {
    pub(in super::super) fn new(scanner: Scanner) -> Self {
        Self { scanner, window: Window::default(), is_over: false }
    }

    /// Takes the next bytes.
    pub(in super::super) fn feed(&mut self, bytes: &[u8]) {
        let scanner = &mut self.scanner;
        self.window.feed(bytes, |bytes, at| scanner.read(bytes, at, false));
    }

    /// Sums up the kernel that ended for about 10 ms, and goes on with the bytes that waited for it; whether there was one.
    pub(in super::super) fn go_on(&mut self) -> bool {
        let scanner = &mut self.scanner;
        let was_ending = scanner.go_on();
        if was_ending && !scanner.is_ending() {
            self.window.again(|bytes, at| scanner.read(bytes, at, false));
        }
        was_ending
    }

    /// Reads what waits, as nothing follows; whether all was read before.
    pub(in super::super) fn finish(&mut self) -> bool {
        let was_over = self.is_over;
        if !was_over {
            let scanner = &mut self.scanner;
            self.window.again(|bytes, at| scanner.read(bytes, at, true));
            self.is_over = !scanner.is_ending();
            if self.is_over {
                scanner.finish();
            }
        }
        was_over
    }

    /// The byte that is read next.
    pub(in super::super) fn position(&self) -> u64 {
        self.window.position()
    }
}
