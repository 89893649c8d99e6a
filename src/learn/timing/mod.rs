//! Where the time of runs goes: by iteration, phase, step and agent.

mod event;
mod phase;
mod summary;

pub use event::{BadLine, TimingEvent, parse_perf};
pub use phase::{PhaseSpan, make_timeline};
pub use summary::{AgentTime, IterationTime, Iterations, PhaseTime, Stats, StepTime, SubStepTime, TimingSummary, summarize_timing};
