//! Ending the programs that were started when this one is interrupted.

use std::io;
use std::mem;
use std::os::unix::process::CommandExt as _;
use std::process::{self, Command};
use std::ptr;
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Once, OnceLock};

/// What people and schedulers end this program with.
const SIGNALS: [i32; 3] = [libc::SIGINT, libc::SIGTERM, libc::SIGHUP];

/// How many process groups can be registered at once.
const PLACES: usize = 256;
const FREE: i32 = 0;
/// Taken for a process that does not run yet.
const TAKEN: i32 = -1;

/// The process groups that run. The handler of a signal may neither allocate nor wait for a lock. The memory is shared with processes
/// that are forked, because each registers itself: by the time its parent could, it may have started others, and an interruption in
/// between would leave those behind.
static GROUPS: OnceLock<&'static [AtomicI32; PLACES]> = OnceLock::new();

/// A process group that is killed when this program is interrupted, for as long as this lives.
#[derive(Debug)]
pub(super) struct Registration(Option<&'static AtomicI32>);

impl Registration {
    /// Takes a place for the group of a command that is about to be run, once. Where more run than there are places, or there is no
    /// memory for them, the system ends its first process, and no others.
    pub(super) fn of(command: &mut Command) -> Self {
        let take = |place: &&AtomicI32| place.compare_exchange(FREE, TAKEN, Ordering::SeqCst, Ordering::SeqCst).is_ok();
        let place = GROUPS.get().and_then(|groups| groups.iter().find(take));
        if let Some(place) = place {
            let register = move || {
                place.store(process::id().cast_signed(), Ordering::SeqCst);
                Ok(())
            };
            // SAFETY: between fork and exec only a system call and a store are made. The group is set before this runs.
            unsafe { command.pre_exec(register) };
        }
        Self(place)
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        if let Some(place) = self.0 {
            place.store(FREE, Ordering::SeqCst);
        }
    }
}

/// Has the interruptions handled that would end this program. Those that are ignored, as under `nohup`, stay so.
pub(super) fn install() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        // The handler reads it, and must not be the first to do so.
        if let Ok(groups) = share_memory() {
            let _ = GROUPS.set(groups);
        }
        SIGNALS.into_iter().for_each(install_for);
    });
}

fn share_memory() -> io::Result<&'static [AtomicI32; PLACES]> {
    let size = mem::size_of::<[AtomicI32; PLACES]>();
    // SAFETY: new memory of that size, zeroed and aligned to a page, which stays for as long as the program. Zeros are free places.
    unsafe {
        let (access, kind) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED | libc::MAP_ANONYMOUS);
        let memory = libc::mmap(ptr::null_mut(), size, access, kind, -1, 0);
        if memory == libc::MAP_FAILED { Err(io::Error::last_os_error()) } else { Ok(&*memory.cast()) }
    }
}

/// Has the system kill the program when the thread that starts it ends, also where no handler could run.
#[cfg(target_os = "linux")]
pub(super) fn bind(command: &mut Command) {
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
    for place in GROUPS.get().into_iter().flat_map(|groups| groups.iter()) {
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
