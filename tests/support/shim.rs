//! A library that makes the program's system calls fail, or kills it at one of them. Compiled once, with the C compiler
//! that building the program needs anyway.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

static LIBRARY: LazyLock<PathBuf> = LazyLock::new(|| {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/support/shim.c");
    let library = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("shim-{}.so", std::process::id()));
    let status = Command::new("cc").args(["-shared", "-fPIC", "-O1", "-o"]).arg(&library).arg(&source).arg("-ldl").status();
    assert!(status.expect("a C compiler").success(), "the shim does not compile");
    library
});

/// What happens at the n-th call.
#[derive(Debug, Clone, Copy)]
pub enum Strike {
    Fail(u32),
    Kill(u32),
}

/// Loads the shim into a command. `only` names the calls that count: sync, rename, write, mkdir, unlink, symlink, remove.
pub fn load(command: &mut Command, strike: Strike, only: &str) {
    command.env("LD_PRELOAD", &*LIBRARY).env("SHIM_ONLY", only);
    match strike {
        Strike::Fail(number) => command.env("SHIM_FAIL_AT", number.to_string()),
        Strike::Kill(number) => command.env("SHIM_KILL_AT", number.to_string()),
    };
}

/// Runs a command and counts its calls.
pub fn count(command: &mut Command, only: &str) -> u32 {
    let folder = tempfile::TempDir::new().expect("a folder");
    let path = folder.path().join("count");
    let output = command.env("LD_PRELOAD", &*LIBRARY).env("SHIM_ONLY", only).env("SHIM_COUNT", &path).output();
    let output = output.expect("the program starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    std::fs::read_to_string(&path).expect("a count").parse().expect("a number")
}
