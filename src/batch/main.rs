//! The same command with the SQL engine inside. `outerloop` hands over to it for what needs the engine, so that what runs
//! inside of an agent's turn does not pay for loading it.

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main(batch::run_with_engine)
}
