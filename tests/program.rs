//! The program with the SQL engine inside. That these tests belong to its package also makes `cargo test` build it, which the other
//! tests start through `outerloop`.
#![expect(clippy::expect_used, reason = "a test may fail loudly")]

use std::process::Command;

#[test]
fn it_is_the_same_command_as_the_one_without_the_engine() {
    let output = Command::new(env!("CARGO_BIN_EXE_outerloop-engine")).arg("--version").output().expect("it starts");
    assert!(output.status.success());
    assert_eq!(String::from_utf8_lossy(&output.stdout), format!("outerloop {}\n", env!("CARGO_PKG_VERSION")));
}
