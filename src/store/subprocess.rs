//! Running other programs: with a limit of time, a limit of output, and nothing left running behind.

mod interrupt;

use std::io::{self, Read, Write as _};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use std::{mem, thread};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

use self::interrupt::Registration;

/// How long the outputs of a program are read on that has ended: what it left behind may hold them open.
const GRACE: Duration = Duration::from_secs(1);

/// What another program may cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Allowance {
    /// How long it may run. What lies beyond all clocks is no limit.
    pub time: Duration,
    /// How much of each of its outputs is kept, in bytes. What goes beyond is read and forgotten.
    pub output_bytes: usize,
}

/// How a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    Exited(ExitStatus),
    /// It ran longer than it may and was killed, with everything that it had started.
    TimedOut,
}

/// What a program wrote, and how it ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finished {
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
    pub fn is_success(&self) -> bool {
        matches!(self.ending, Ending::Exited(status) if status.success())
    }

    /// How it ended, in words.
    pub fn describe(&self) -> String {
        match self.ending {
            Ending::TimedOut => "it took too long and was stopped".to_owned(),
            Ending::Exited(status) => status.to_string(),
        }
    }
}

/// Runs a program in a process group of its own, hands it `input`, and waits until it has ended. What it left behind in its group
/// has a second to close the outputs. Then, and also when the program's time is over or this one is interrupted, the whole
/// group is killed: a test command's children must not outlive it.
pub fn run(command: &mut Command, input: &[u8], allowance: Allowance) -> io::Result<Finished> {
    let deadline = Instant::now().checked_add(allowance.time);
    let stdin = if input.is_empty() { Stdio::null() } else { Stdio::piped() };
    interrupt::install();
    interrupt::bind(command);
    let registration = Registration::of(command);
    let child = command.process_group(0).stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let mut group = Group { child, registration: Some(registration) };
    if let Some(mut stdin) = group.child.stdin.take() {
        let input = input.to_vec();
        // A program may answer without having read everything; that is its business.
        thread::spawn(move || stdin.write_all(&input));
    }
    let mut outputs = Outputs::new(&mut group.child, allowance.output_bytes);
    let has_ended = watch(&group, &mut outputs, deadline)?;
    // Also after a good end: what it left behind in its group would go on unseen.
    let status = group.end()?;
    if has_ended {
        outputs.read_for(GRACE)?;
    }
    let [(stdout, is_stdout_cut), (stderr, is_stderr_cut)] = outputs.kept.map(|kept| Kept::take(&kept));
    let ending = if has_ended { Ending::Exited(status) } else { Ending::TimedOut };
    Ok(Finished { ending, stdout, stderr, is_cut: is_stdout_cut || is_stderr_cut })
}

/// Waits for a program to end and for its outputs to be closed. Says whether it ended in its time.
fn watch(group: &Group, outputs: &mut Outputs, deadline: Option<Instant>) -> io::Result<bool> {
    const LONGEST_PAUSE: Duration = Duration::from_millis(20);
    let mut pause = Duration::from_micros(100);
    let mut ended: Option<Instant> = None;
    loop {
        if ended.is_none() && group.has_ended()? {
            ended = Some(Instant::now());
        }
        match ended {
            Some(ended) if outputs.open == 0 || ended.elapsed() >= GRACE => return Ok(true),
            None if deadline.is_some_and(|deadline| Instant::now() >= deadline) => return Ok(false),
            _ => {}
        }
        // A program that closes an output usually ends at once.
        pause = if outputs.wait(pause)? { Duration::from_micros(100) } else { (pause * 2).min(LONGEST_PAUSE) };
    }
}

/// A process and everything it started. Killed when it goes out of sight.
struct Group {
    child: Child,
    registration: Option<Registration>,
}

impl Group {
    fn id(&self) -> Option<Pid> {
        i32::try_from(self.child.id()).ok().and_then(Pid::from_raw)
    }

    /// Whether the first process has ended. Its status is left where it is: until somebody fetches it, the number of the group
    /// cannot come to belong to strangers.
    fn has_ended(&self) -> io::Result<bool> {
        let Some(id) = self.id() else { return Ok(true) };
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        Ok(waitid(WaitId::Pid(id), options)?.is_some())
    }

    fn end(&mut self) -> io::Result<ExitStatus> {
        // Only the first time: afterwards the number may be another's.
        if let Some(registration) = self.registration.take() {
            if let Some(id) = self.id() {
                let _ = kill_process_group(id, Signal::KILL);
            }
            drop(registration);
        }
        self.child.wait()
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let _ = self.end();
    }
}

/// The outputs of a program, each read by a thread. The threads are not waited for: what has left its group can hold the outputs
/// open for as long as it likes.
struct Outputs {
    kept: [Arc<Mutex<Kept>>; 2],
    open: usize,
    ends: Receiver<io::Result<()>>,
}

impl Outputs {
    fn new(child: &mut Child, most_bytes: usize) -> Self {
        let (sender, ends) = mpsc::channel();
        let kept = [take(&mut child.stdout), take(&mut child.stderr)].map(|output| {
            let kept = Arc::new(Mutex::new(Kept { room: most_bytes, ..Kept::default() }));
            let (sender, shared) = (sender.clone(), Arc::clone(&kept));
            thread::spawn(move || sender.send(read(output, &shared)));
            kept
        });
        Self { open: kept.len(), kept, ends }
    }

    /// Waits for an output to end. Says whether one did.
    fn wait(&mut self, time: Duration) -> io::Result<bool> {
        if self.open == 0 {
            thread::sleep(time);
            return Ok(false);
        }
        let Ok(end) = self.ends.recv_timeout(time) else { return Ok(false) };
        self.open -= 1;
        end.map(|()| true)
    }

    /// Waits for all outputs to end, but not for longer than this.
    fn read_for(&mut self, time: Duration) -> io::Result<()> {
        let started = Instant::now();
        while self.open > 0 && self.wait(time.saturating_sub(started.elapsed()))? {}
        Ok(())
    }
}

/// The beginning of an output.
#[derive(Debug, Default)]
struct Kept {
    bytes: Vec<u8>,
    room: usize,
    is_cut: bool,
}

impl Kept {
    fn add(&mut self, bytes: &[u8]) {
        let fitting = bytes.len().min(self.room);
        self.bytes.extend_from_slice(&bytes[..fitting]);
        self.room -= fitting;
        self.is_cut |= fitting < bytes.len();
    }

    /// What was kept, and whether there was more. From then on nothing is.
    fn take(shared: &Mutex<Self>) -> (Vec<u8>, bool) {
        let mut kept = shared.lock().unwrap_or_else(PoisonError::into_inner);
        kept.room = 0;
        (mem::take(&mut kept.bytes), kept.is_cut)
    }
}

fn take<T: Read + Send + 'static>(output: &mut Option<T>) -> Box<dyn Read + Send> {
    match output.take() {
        Some(output) => Box::new(output),
        None => Box::new(io::empty()),
    }
}

/// Reads an output to its end, and keeps its beginning. A writer whose reader stops would hang or die.
fn read(mut output: Box<dyn Read + Send>, shared: &Mutex<Kept>) -> io::Result<()> {
    let mut buffer = vec![0; 64 << 10];
    loop {
        match output.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(length) => shared.lock().unwrap_or_else(PoisonError::into_inner).add(&buffer[..length]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}
