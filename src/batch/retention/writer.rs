//! Whether somebody has a file open for writing.

use std::fs::File;

/// Which signal tells of a broken lease: `F_SETSIG`, the same number on every processor that this program runs on.
#[cfg(target_os = "linux")]
const SET_SIGNAL: i32 = 10;

/// Whether any process has the file open for writing. None where the system cannot tell. The file is open for reading.
///
/// The kernel grants a read lease only on a file that nobody has open for writing. It is given back at once: what is asked
/// is the answer, not the lease. A program that opens the file in between waits for that instant, and the signal that it
/// would cause is one that does nothing.
#[cfg(target_os = "linux")]
pub(super) fn is_open_for_writing(file: &File) -> Option<bool> {
    use std::io;
    use std::os::fd::AsRawFd as _;
    let descriptor = file.as_raw_fd();
    // SAFETY: the descriptor is open for as long as `file` lives, and the calls take numbers only.
    let set = |command, value: i32| match unsafe { libc::fcntl(descriptor, command, value) } {
        -1 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    };
    set(SET_SIGNAL, libc::SIGURG).ok()?;
    match set(libc::F_SETLEASE, libc::F_RDLCK) {
        Ok(()) => set(libc::F_SETLEASE, libc::F_UNLCK).ok().map(|()| false),
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Some(true),
        Err(_) => None,
    }
}

/// Whether any process has the file open for writing: not known here.
#[cfg(not(target_os = "linux"))]
pub fn is_open_for_writing(_file: &File) -> Option<bool> {
    None
}
