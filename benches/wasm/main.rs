//! The same parts as in the benches of the timeline and of systraces, as the page runs them: WebAssembly with simd128, in node.
//! `cargo xtask bench` builds and runs it.

#[cfg(target_arch = "wasm32")]
#[path = "../timeline/make.rs"]
#[allow(dead_code)] // the other bench uses the rest
mod make;

#[cfg(target_arch = "wasm32")]
#[path = "../../examples/make_systrace/pen.rs"]
mod pen;
#[cfg(target_arch = "wasm32")]
#[path = "../../examples/make_systrace/runs.rs"]
mod runs;

#[cfg(target_arch = "wasm32")]
mod run;

#[cfg(target_arch = "wasm32")]
fn main() {
    run::all();
}

#[cfg(not(target_arch = "wasm32"))]
fn main() {
    eprintln!("This bench runs in node: cargo xtask bench");
}
