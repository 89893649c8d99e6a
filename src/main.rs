//! The command: arguments in, exit code out.

use std::process::ExitCode;

/// The ingest path allocates and frees large buffers for every batch; this allocator gives them back without the kernel.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    outerloop::cli::main(outerloop::cli::hand_over)
}
