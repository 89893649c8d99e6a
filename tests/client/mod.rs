//! Conformance with the real client: Claude Code plays scenarios with the hooks that `outerloop init --claude` writes, against a
//! scripted model on loopback, in a home of its own, without credentials and without a network. Each scenario prints one line.

mod coin;
mod contract;
mod fault;
mod learned;
mod many;
mod mcp;
pub mod play;
mod server;
mod session;
mod stop;
mod tool;
