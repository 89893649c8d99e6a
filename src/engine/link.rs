//! Tells the linker where a program finds the prebuilt `DuckDB` library: beside itself once installed, else where it was
//! found when building. A `bundled` build holds the library itself.

use std::env;

/// Prints the folders that a program looks for the library in.
pub(crate) fn main() {
    say("rerun-if-env-changed=DUCKDB_LIB_DIR");
    if env::var_os("CARGO_FEATURE_BUNDLED").is_some() {
        return;
    }
    // The program without the engine is named like its package, and needs no library.
    let kinds: &[&str] =
        if env::var("CARGO_PKG_NAME").is_ok_and(|name| name == "outerloop") { &["-tests", "-benches"] } else { &[""] };
    let origin = if env::var("CARGO_CFG_TARGET_OS").is_ok_and(|os| os == "macos") { "@loader_path" } else { "$ORIGIN" };
    let built_with = env::var("DUCKDB_LIB_DIR").ok();
    for kind in kinds {
        for folder in [origin.to_owned(), format!("{origin}/../lib")].into_iter().chain(built_with.clone()) {
            say(&format!("rustc-link-arg{kind}=-Wl,-rpath,{folder}"));
        }
    }
}

#[allow(
    clippy::print_stdout,
    reason = "a build script talks to cargo so; clippy knows only one of those that this file is part of"
)]
fn say(instruction: &str) {
    println!("cargo:{instruction}");
}
