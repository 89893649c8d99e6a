//! Ending the programs that were started when this one is interrupted.

use std::mem;
use std::process::Command;
use std::ptr;
use std::sync::Once;
use std::sync::atomic::{AtomicI32, Ordering};

/// What people and schedulers end this program with.
const SIGNALS: [i32; 3] = [libc::SIGINT, libc::SIGTERM, libc::SIGHUP];

/// The process groups that run. A free place holds 0. The handler of a signal may neither allocate nor wait for a lock.
static GROUPS: [AtomicI32; 256] = [const { AtomicI32::new(0) }; 256];

/// A process group that is killed when this program is interrupted, for as long as this lives.
#[derive(Debug)]
pub(super) struct Registration(Option<&'static AtomicI32>);

impl Registration {
    /// Registers a group. Where more run than there are places, the system ends its first process, and no others.
    pub(super) fn of(group: i32) -> Self {
        let free = |place: &&AtomicI32| place.compare_exchange(0, group, Ordering::SeqCst, Ordering::SeqCst).is_ok();
        Self(GROUPS.iter().find(free))
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        if let Some(place) = self.0 {
            place.store(0, Ordering::SeqCst);
        }
    }
}

/// Has the interruptions handled that would end this program. Those that are ignored, as under `nohup`, stay so.
pub(super) fn install() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| SIGNALS.into_iter().for_each(install_for));
}

/// Has the system kill the program when the thread that starts it ends, also where no handler could run.
#[cfg(target_os = "linux")]
pub(super) fn bind(command: &mut Command) {
    use std::io;
    use std::os::unix::process::CommandExt as _;

    use rustix::process::{Signal, getpid, getppid, set_parent_process_death_signal};
    let parent = getpid();
    let bind = move || {
        set_parent_process_death_signal(Some(Signal::KILL))?;
        // A parent that ended before this was asked for is not noticed any more.
        if getppid() == Some(parent) { Ok(()) } else { Err(io::Error::from_raw_os_error(libc::ESRCH)) }
    };
    // SAFETY: between fork and exec only system calls are made, and nothing is allocated.
    unsafe { command.pre_exec(bind) };
}

/// Other systems have no such signal.
#[cfg(not(target_os = "linux"))]
pub(super) fn bind(_command: &mut Command) {}

fn install_for(signal: i32) {
    // SAFETY: both actions are plain data for which zeros are valid, and they outlive the calls. The handler only makes calls
    // that are allowed in one.
    unsafe {
        let mut before: libc::sigaction = mem::zeroed();
        if libc::sigaction(signal, ptr::null(), &raw mut before) != 0 || before.sa_sigaction != libc::SIG_DFL {
            return;
        }
        let mut action: libc::sigaction = mem::zeroed();
        action.sa_sigaction = handle as *const () as libc::sighandler_t;
        libc::sigaction(signal, &raw const action, ptr::null_mut());
    }
}

/// Kills what runs, and lets the signal do what it does without a handler as soon as this returns.
extern "C" fn handle(signal: i32) {
    for place in &GROUPS {
        let group = place.load(Ordering::SeqCst);
        if group > 1 {
            // SAFETY: the call takes numbers only.
            unsafe { libc::kill(-group, libc::SIGKILL) };
        }
    }
    // SAFETY: the action is plain data for which zeros mean the default, and it outlives the call.
    unsafe {
        let mut action: libc::sigaction = mem::zeroed();
        action.sa_sigaction = libc::SIG_DFL;
        libc::sigaction(signal, &raw const action, ptr::null_mut());
        libc::raise(signal);
    }
}
