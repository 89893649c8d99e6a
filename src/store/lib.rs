//! Files: the workspace, the inbox, the lake, what is published, the history of jobs; and other programs on a leash.

pub mod clock;
pub mod command;
pub mod deadline;
pub mod durable;
pub mod inbox;
pub mod job;
pub mod lake;
pub mod lock;
pub mod publish;
pub mod subprocess;
pub mod workspace;
