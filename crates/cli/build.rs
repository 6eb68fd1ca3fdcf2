//! Tells the program where the library of `tandem-fmu-export` lies, so that it can carry it inside.
//!
//! Cargo builds the library (a Rust library and a shared one at once) before the program and lays
//! it beside the other dependencies; the output folder of this script has a fixed place relative to
//! them.

#![allow(clippy::print_stdout)] // how a build script speaks

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let out = std::path::PathBuf::from(std::env::var_os("OUT_DIR").unwrap_or_default());
    let name = if cfg!(target_os = "macos") {
        "libtandem_fmu_export.dylib"
    } else if cfg!(windows) {
        "tandem_fmu_export.dll"
    } else {
        "libtandem_fmu_export.so"
    };
    let library = out.join("../../../deps").join(name);
    // A check or a lint builds no library, and yet the program is read with what it carries: an
    // empty file stands in until the first build.
    if !library.exists() {
        let _ = std::fs::write(&library, []);
    }
    println!("cargo::rustc-env=TANDEM_LIBRARY={}", library.display());
}
