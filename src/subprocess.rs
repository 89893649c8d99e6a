//! Running other programs: with a limit of time, a limit of output, and nothing left running behind.

use std::io::{self, Read, Write as _};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

/// What another program may cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Allowance {
    /// How long it may run.
    pub time: Duration,
    /// How much of each of its outputs is kept, in bytes. What goes beyond is read and forgotten.
    pub output_bytes: usize,
}

/// How a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// It ended by itself.
    Exited(ExitStatus),
    /// It ran longer than it may and was killed, with everything that it had started.
    TimedOut,
}

/// What a program wrote, and how it ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finished {
    /// How it ended.
    pub ending: Ending,
    /// The beginning of what it wrote to stdout.
    pub stdout: Vec<u8>,
    /// The beginning of what it wrote to stderr.
    pub stderr: Vec<u8>,
    /// Whether it wrote more to either than is kept.
    pub is_cut: bool,
}

impl Finished {
    /// Whether it ended by itself and says that all went well.
    #[must_use]
    pub fn is_success(&self) -> bool {
        matches!(self.ending, Ending::Exited(status) if status.success())
    }

    /// How it ended, in words.
    #[must_use]
    pub fn describe(&self) -> String {
        match self.ending {
            Ending::TimedOut => "it took too long and was stopped".to_owned(),
            Ending::Exited(status) => status.to_string(),
        }
    }
}

/// Runs a program in a process group of its own, hands it `input`, and waits until it has ended and closed its outputs. When
/// its time is over the whole group is killed: a test command's children must not outlive it.
pub fn run(command: &mut Command, input: &[u8], allowance: Allowance) -> io::Result<Finished> {
    let deadline = Instant::now() + allowance.time;
    let stdin = if input.is_empty() { Stdio::null() } else { Stdio::piped() };
    let child = command.process_group(0).stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let mut group = Group { child, is_over: false };
    let (sender, receiver) = mpsc::channel();
    // The threads are not waited for: what has left its group can hold the outputs open for as long as it likes.
    for (place, output) in [take(&mut group.child.stdout), take(&mut group.child.stderr)].into_iter().enumerate() {
        let sender = sender.clone();
        thread::spawn(move || sender.send((place, keep(output, allowance.output_bytes))));
    }
    if let Some(mut stdin) = group.child.stdin.take() {
        let input = input.to_vec();
        // A program may answer without having read everything; that is its business.
        thread::spawn(move || stdin.write_all(&input));
    }
    let mut kept = [Kept::default(), Kept::default()];
    let mut is_late = false;
    for _ in 0..kept.len() {
        match receiver.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok((place, read)) => kept[place] = read?,
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => is_late = true,
        }
    }
    let exited = if is_late { None } else { wait(&mut group.child, deadline)? };
    // Also after a good end: what it left behind in its group would go on unseen.
    group.end();
    let is_cut = kept.iter().any(|kept| kept.is_cut);
    let [stdout, stderr] = kept.map(|kept| kept.bytes);
    Ok(Finished { ending: exited.map_or(Ending::TimedOut, Ending::Exited), stdout, stderr, is_cut })
}

/// A process and everything it started. Killed when it goes out of sight.
struct Group {
    child: Child,
    is_over: bool,
}

impl Group {
    fn end(&mut self) {
        if self.is_over {
            return;
        }
        self.is_over = true;
        if let Some(group) = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw) {
            let _ = kill_process_group(group, Signal::KILL);
        }
        let _ = self.child.wait();
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.end();
    }
}

#[derive(Debug, Default)]
struct Kept {
    bytes: Vec<u8>,
    is_cut: bool,
}

fn take<T: Read + Send + 'static>(output: &mut Option<T>) -> Box<dyn Read + Send> {
    match output.take() {
        Some(output) => Box::new(output),
        None => Box::new(io::empty()),
    }
}

/// Reads an output to its end, and keeps its beginning. A writer whose reader stops would hang or die.
fn keep(mut output: Box<dyn Read + Send>, most: usize) -> io::Result<Kept> {
    let mut kept = Kept::default();
    output.by_ref().take(most as u64).read_to_end(&mut kept.bytes)?;
    kept.is_cut = io::copy(&mut output, &mut io::sink())? > 0;
    Ok(kept)
}

/// Waits for a program that has closed its outputs, which usually ends at once.
fn wait(child: &mut Child, deadline: Instant) -> io::Result<Option<ExitStatus>> {
    let mut pause = Duration::from_micros(100);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        let remaining = deadline.saturating_duration_since(Instant::now());
        if remaining.is_zero() {
            return Ok(None);
        }
        thread::sleep(pause.min(remaining));
        pause = (pause * 2).min(Duration::from_millis(50));
    }
}
