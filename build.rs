//! Tells the linker where the program finds the prebuilt `DuckDB` library: beside itself once installed, else where it was
//! found when building. A `bundled` build holds the library itself.

use std::env;

fn main() {
    println!("cargo:rerun-if-env-changed=DUCKDB_LIB_DIR");
    if env::var_os("CARGO_FEATURE_BUNDLED").is_some() {
        return;
    }
    let origin = if env::var("CARGO_CFG_TARGET_OS").is_ok_and(|os| os == "macos") { "@loader_path" } else { "$ORIGIN" };
    println!("cargo:rustc-link-arg=-Wl,-rpath,{origin}");
    println!("cargo:rustc-link-arg=-Wl,-rpath,{origin}/../lib");
    if let Ok(folder) = env::var("DUCKDB_LIB_DIR") {
        println!("cargo:rustc-link-arg=-Wl,-rpath,{folder}");
    }
}
