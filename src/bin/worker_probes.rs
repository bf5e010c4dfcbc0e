//! Starts the worker that owns one document of probes or of instrumented programs.

#[cfg(target_arch = "wasm32")]
fn main() {
    lanescope::systems::install(&lanescope::systems::PROBES);
    lanescope::worker::start();
}

#[cfg(not(target_arch = "wasm32"))]
fn main() {
    eprintln!("This program runs in a browser: cargo xtask serve");
}
