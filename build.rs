//! Keeps the relocations of the page's program: where it is split into parts that are loaded later, they say what belongs
//! to which. `cargo xtask seal` leaves them out again.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=LANESCOPE_DEMO");
    // Trunk gives each program its own features and no others.
    if std::env::var_os("LANESCOPE_DEMO").is_some() {
        println!("cargo::rustc-cfg=feature=\"demo\"");
    }
    if std::env::var("CARGO_CFG_TARGET_ARCH").is_ok_and(|arch| arch == "wasm32") {
        for program in ["page", "worker"] {
            println!("cargo::rustc-link-arg-bin={program}=--emit-relocs");
        }
    }
}
