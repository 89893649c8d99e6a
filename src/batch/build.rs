//! Where the program finds its library, and which commit it is built from. Only this crate knows the commit, so that a commit alone
//! rebuilds no other.

use std::env;
use std::path::Path;
use std::process::Command;

#[path = "../engine/link.rs"]
mod link;

fn main() {
    link::main();
    println!("cargo:rerun-if-env-changed=OUTERLOOP_COMMIT");
    let commit = env::var("OUTERLOOP_COMMIT").ok().or_else(|| {
        // What a branch points to stands in a file of its own, or in a list of many.
        let branch = ask_git(&["symbolic-ref", "--quiet", "HEAD"]);
        for name in ["HEAD", "packed-refs"].into_iter().chain(branch.as_deref()) {
            if let Some(path) = ask_git(&["rev-parse", "--git-path", name]).filter(|path| Path::new(path).exists()) {
                println!("cargo:rerun-if-changed={path}");
            }
        }
        ask_git(&["rev-parse", "--short=12", "HEAD"])
    });
    println!("cargo:rustc-env=OUTERLOOP_COMMIT={}", commit.as_deref().unwrap_or("unknown"));
}

/// One line of git's answer; none outside of a repository or without git.
fn ask_git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.trim().to_owned())
}
