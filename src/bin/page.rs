//! Starts the page.

#[cfg(target_arch = "wasm32")]
fn main() {
    lanescope::page::start();
}

#[cfg(not(target_arch = "wasm32"))]
fn main() {
    eprintln!("This program runs in a browser: cargo xtask serve");
}
