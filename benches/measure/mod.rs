//! What a process costs, as the kernel counts it.

use std::process::{Command, Stdio};
use std::time::Instant;

/// What a process cost.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cost {
    /// Seconds by the clock.
    pub wall: f64,
    /// Seconds of all processors.
    pub cpu: f64,
    /// The most memory it held, in MB.
    pub peak: f64,
}

/// The middle one by wall time.
pub(crate) fn median(mut costs: Vec<Cost>) -> Cost {
    costs.sort_by(|one, other| one.wall.total_cmp(&other.wall));
    costs[costs.len() / 2]
}

/// Runs a command to its end and asks the kernel what it cost. Earlier writes are on the disk before the clock starts.
pub(crate) fn cost(command: &mut Command) -> Cost {
    rustix::fs::sync();
    let start = Instant::now();
    #[expect(clippy::zombie_processes, reason = "wait4 below waits for it")]
    let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the contender starts");
    let (mut status, mut usage) = (0, std::mem::MaybeUninit::<libc::rusage>::zeroed());
    // SAFETY: the process is our child, and both pointers are to memory of ours that outlives the call.
    let usage = unsafe {
        let waited = libc::wait4(child.id().cast_signed(), &raw mut status, 0, usage.as_mut_ptr());
        assert_eq!((waited, status), (child.id().cast_signed(), 0), "the contender failed");
        usage.assume_init()
    };
    let seconds = |time: libc::timeval| Seconds::from(time).0;
    #[expect(clippy::cast_precision_loss, reason = "kilobytes")]
    let peak = usage.ru_maxrss as f64 / 1024.0;
    Cost { wall: start.elapsed().as_secs_f64(), cpu: seconds(usage.ru_utime) + seconds(usage.ru_stime), peak }
}

struct Seconds(f64);

impl From<libc::timeval> for Seconds {
    #[expect(clippy::cast_precision_loss, reason = "seconds of a benchmark")]
    fn from(time: libc::timeval) -> Self {
        Self(time.tv_sec as f64 + time.tv_usec as f64 / 1e6)
    }
}
