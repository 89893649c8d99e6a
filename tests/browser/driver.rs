//! A browser, and a page in it.

use std::env;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

/// The package that `./dev browser` fetches: version, machine, hash.
const PACKAGE: &str = include_str!("package.txt");

/// No answer takes longer.
const PATIENCE: Duration = Duration::from_secs(60);

/// A page of a browser of its own, which goes away with it.
pub struct Page {
    process: Child,
    input: ChildStdin,
    messages: Receiver<Value>,
    session: String,
    asked: u64,
    /// What the browser told without being asked.
    told: Vec<Value>,
    /// From the request to the end of loading, all scripts included.
    pub loading: Duration,
    _folder: TempDir,
}

/// How a page is looked at.
#[derive(Debug, Clone, Copy)]
pub struct Look {
    pub width: u32,
    pub height: u32,
    pub theme: &'static str,
}

/// A desk.
pub const DESK: Look = Look { width: 1200, height: 900, theme: "light" };

/// A telephone.
pub const PHONE: Look = Look { width: 390, height: 844, theme: "light" };

fn program() -> PathBuf {
    let version = PACKAGE.split(' ').next().expect("a version");
    let home = || env::var_os("HOME").map(|home| Path::new(&home).join(".cache"));
    let cache = env::var_os("XDG_CACHE_HOME").map(PathBuf::from).or_else(home).expect("a cache folder");
    let program = cache.join(format!("outerloop/chromium-{version}/chromium"));
    assert!(program.is_file(), "the browser is not at {}: run `./dev browser`, which fetches it", program.display());
    program
}

impl Page {
    /// Opens a file.
    pub fn open(file: &Path, look: Look) -> Self {
        let mut page = Self::start();
        page.ask("Page.enable", json!({}));
        page.ask("Runtime.enable", json!({}));
        page.ask("Log.enable", json!({}));
        page.ask("Network.enable", json!({}));
        let size = json!({"width": look.width, "height": look.height, "deviceScaleFactor": 1, "mobile": look.width < 500});
        page.ask("Emulation.setDeviceMetricsOverride", size);
        let media = json!({"features": [{"name": "prefers-color-scheme", "value": look.theme}]});
        page.ask("Emulation.setEmulatedMedia", media);
        let started = Instant::now();
        page.ask("Page.navigate", json!({"url": format!("file://{}", file.display())}));
        page.wait_for("Page.loadEventFired");
        page.loading = started.elapsed();
        page
    }

    fn start() -> Self {
        let folder = TempDir::new().expect("a temporary folder");
        let program = program();
        let home = program.parent().expect("a folder");
        let fonts = folder.path().join("fonts.conf");
        let list = format!(
            "<?xml version=\"1.0\"?><!DOCTYPE fontconfig SYSTEM \"fonts.dtd\"><fontconfig><dir>{}</dir><cachedir>{}</cachedir></fontconfig>",
            home.join("fonts").display(),
            folder.path().join("font-cache").display()
        );
        fs::write(&fonts, list).expect("a list of fonts");
        // The protocol uses the descriptors 3 and 4.
        let mut process = Command::new("sh")
            .args(["-c", "exec \"$0\" \"$@\" 3<&0 4>&1 >/dev/null"])
            .arg(&program)
            .args(["--headless=shell", "--no-sandbox", "--no-zygote", "--single-process", "--disable-gpu", "--hide-scrollbars"])
            .args(["--remote-debugging-pipe", "--disable-dev-shm-usage"])
            .arg(format!("--user-data-dir={}", folder.path().join("profile").display()))
            .arg("about:blank")
            .env("LD_LIBRARY_PATH", home.join("al2023/lib"))
            .env("FONTCONFIG_FILE", &fonts)
            .env("HOME", folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the browser starts");
        let (sender, messages) = channel();
        let mut output = BufReader::new(process.stdout.take().expect("stdout is piped"));
        thread::spawn(move || {
            let mut bytes = Vec::new();
            while output.read_until(0, &mut bytes).is_ok_and(|read| read > 0) {
                bytes.pop();
                let Ok(message) = serde_json::from_slice(&bytes) else { break };
                if sender.send(message).is_err() {
                    break;
                }
                bytes.clear();
            }
        });
        let input = process.stdin.take().expect("stdin is piped");
        let (session, told, loading) = (String::new(), Vec::new(), Duration::ZERO);
        let mut page = Self { process, input, messages, session, asked: 0, told, loading, _folder: folder };
        let targets = page.ask("Target.getTargets", json!({}));
        let target = targets["targetInfos"].as_array().expect("targets").iter().find(|target| target["type"] == "page");
        let id = target.expect("a page")["targetId"].clone();
        let attached = page.ask("Target.attachToTarget", json!({"targetId": id, "flatten": true}));
        attached["sessionId"].as_str().expect("a session").clone_into(&mut page.session);
        page
    }

    /// Asks the browser something.
    #[track_caller]
    pub fn ask(&mut self, method: &str, parameters: Value) -> Value {
        self.asked += 1;
        let mut message = json!({"id": self.asked, "method": method, "params": parameters});
        if !self.session.is_empty() {
            message["sessionId"] = self.session.clone().into();
        }
        self.input.write_all(format!("{message}\0").as_bytes()).expect("the browser listens");
        loop {
            let answer = self.messages.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("no answer to {method}"));
            if answer["id"] == self.asked {
                assert!(answer.get("error").is_none(), "{method}: {answer}");
                return answer["result"].clone();
            }
            self.told.push(answer);
        }
    }

    fn wait_for(&mut self, event: &str) {
        while !self.told.iter().any(|message| message["method"] == event) {
            let message = self.messages.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("{event} does not come"));
            self.told.push(message);
        }
    }

    /// Evaluates an expression in the page.
    #[track_caller]
    pub fn eval(&mut self, expression: &str) -> Value {
        let asked = json!({"expression": expression, "returnByValue": true, "awaitPromise": true});
        let answer = self.ask("Runtime.evaluate", asked);
        assert!(answer.get("exceptionDetails").is_none(), "{expression}: {}", answer["exceptionDetails"]);
        answer["result"]["value"].clone()
    }

    #[track_caller]
    pub fn text(&mut self, expression: &str) -> String {
        let value = self.eval(expression);
        value.as_str().unwrap_or_else(|| panic!("{expression} is {value}")).to_owned()
    }

    #[track_caller]
    pub fn number(&mut self, expression: &str) -> f64 {
        let value = self.eval(expression);
        value.as_f64().unwrap_or_else(|| panic!("{expression} is {value}"))
    }

    /// Presses a key as a person does.
    pub fn press(&mut self, key: &str) {
        let text = match key {
            "Enter" => "\r",
            "Tab" | "Escape" => "",
            letter => letter,
        };
        let code = match key {
            "Enter" => 13,
            "Tab" => 9,
            "Escape" => 27,
            _ => 0,
        };
        let down = json!({"type": "keyDown", "key": key, "code": key, "text": text, "windowsVirtualKeyCode": code});
        self.ask("Input.dispatchKeyEvent", down);
        self.ask("Input.dispatchKeyEvent", json!({"type": "keyUp", "key": key, "code": key, "windowsVirtualKeyCode": code}));
    }

    /// What went wrong in the page: exceptions, errors in its log, requests beyond the file itself.
    pub fn faults(&mut self) -> Vec<String> {
        // Whatever was told before this answer has arrived with it.
        self.eval("1");
        let is_fault = |message: &&Value| match message["method"].as_str().unwrap_or_default() {
            "Runtime.exceptionThrown" => true,
            "Runtime.consoleAPICalled" => message["params"]["type"] == "error",
            "Log.entryAdded" => message["params"]["entry"]["level"] == "error",
            "Network.requestWillBeSent" => {
                let url = message["params"]["request"]["url"].as_str().unwrap_or_default();
                !url.starts_with("file://") && !url.starts_with("data:")
            }
            _ => false,
        };
        self.told.iter().filter(is_fault).map(Value::to_string).collect()
    }

    /// The page as a picture.
    pub fn picture(&mut self) -> String {
        self.ask("Page.captureScreenshot", json!({"format": "png"}))["data"].as_str().expect("a picture").to_owned()
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
