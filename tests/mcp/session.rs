//! A host that starts the server and talks with it.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

/// The session that the host tells the server.
pub const SESSION: &str = "5b7c0f6e-2c38-4d1c-9a53-0d6f4c4c1a11";

/// No answer takes longer, whatever goes wrong.
const PATIENCE: Duration = Duration::from_secs(60);

/// A server that runs, in the folder of a project.
pub struct Session {
    child: Child,
    input: Option<ChildStdin>,
    output: Receiver<String>,
    requests: u64,
}

impl Session {
    /// Starts the server, and introduces the host.
    pub fn begin(folder: &Path) -> Self {
        Self::begin_with(folder, &[])
    }

    pub fn begin_with(folder: &Path, options: &[&str]) -> Self {
        let mut session = Self::start(folder, options);
        let client = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}});
        let answer = session.request("initialize", client);
        assert_eq!(answer["result"]["serverInfo"]["name"], "outerloop", "{answer}");
        session.send(br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        session
    }

    /// Starts the server, and says nothing yet.
    pub fn start(folder: &Path, options: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_outerloop"));
        command.arg("mcp").args(options).current_dir(folder).env_remove("OUTERLOOP_ROOT");
        for variable in ["OUTERLOOP_RUN_ID", "CLOSEDLOOP_RUN_ID", "CLOSEDLOOP_WORKDIR", "OUTERLOOP_LEARNING"] {
            command.env_remove(variable);
        }
        command.env("CLAUDE_PROJECT_DIR", folder).env("CLAUDE_CODE_SESSION_ID", SESSION);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
        let input = child.stdin.take();
        let lines = BufReader::new(child.stdout.take().expect("stdout")).lines().map_while(Result::ok);
        let (sender, output) = mpsc::channel();
        thread::spawn(move || lines.for_each(|line| drop(sender.send(line))));
        Self { child, input, output, requests: 0 }
    }

    /// Sends a line as it is.
    pub fn send(&mut self, line: &[u8]) {
        let input = self.input.as_mut().expect("stdin");
        input.write_all(line).and_then(|()| input.write_all(b"\n")).expect("the server reads");
        input.flush().expect("the server reads");
    }

    /// The next line that the server says.
    #[track_caller]
    pub fn receive(&mut self) -> Value {
        let line = self.output.recv_timeout(PATIENCE).expect("the server answers");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
    }

    #[track_caller]
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        self.requests += 1;
        let request = json!({"jsonrpc": "2.0", "id": self.requests, "method": method, "params": params});
        self.send(request.to_string().as_bytes());
        let answer = self.receive();
        assert_eq!(answer["id"], self.requests, "{answer}");
        answer
    }

    /// Calls a tool, and gives whether it failed and what it says.
    #[track_caller]
    pub fn call(&mut self, tool: &str, arguments: Value) -> (bool, String) {
        let answer = self.request("tools/call", json!({"name": tool, "arguments": arguments}));
        let result = &answer["result"];
        let text = result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no text: {answer}")).to_owned();
        (result["isError"].as_bool().unwrap_or(false), text)
    }

    /// Calls a tool that must succeed.
    #[track_caller]
    pub fn answer(&mut self, tool: &str, arguments: Value) -> String {
        let (is_error, text) = self.call(tool, arguments);
        assert!(!is_error, "{tool}: {text}");
        text
    }

    /// Calls a tool that must refuse, with a remedy.
    #[track_caller]
    pub fn refusal(&mut self, tool: &str, arguments: Value) -> String {
        let (is_error, text) = self.call(tool, arguments);
        assert!(is_error && text.contains("\nremedy: "), "{tool}: {text}");
        text
    }

    /// Closes stdin. The server ends by itself, and what it logged moves nothing on a terminal.
    #[track_caller]
    pub fn end(mut self) {
        drop(self.input.take());
        let output = self.child.wait_with_output().expect("the server ends");
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        let log = String::from_utf8(output.stderr).expect("text");
        assert!(!log.contains(|letter: char| letter.is_control() && letter != '\n') && !log.contains("panicked"), "{log}");
    }

    /// Closes stdin without having said what a host says. The server ends by itself, whatever it thinks of that.
    #[track_caller]
    pub fn abandon(mut self) {
        drop(self.input.take());
        let output = self.child.wait_with_output().expect("the server ends");
        assert!(output.status.code().is_some_and(|code| code < 2), "{output:?}");
        assert!(String::from_utf8_lossy(&output.stderr).lines().count() <= 1, "{output:?}");
    }
}
