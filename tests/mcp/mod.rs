//! `outerloop mcp`: its tools, as an agent's host calls them.

mod hostile;
mod report;
mod session;
mod tool;
