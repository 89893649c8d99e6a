//! The command: arguments in, exit code out.

use std::process::ExitCode;

fn main() -> ExitCode {
    outerloop::cli::main(outerloop::cli::hand_over)
}
