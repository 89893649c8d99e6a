//! A Messages API on loopback that answers from a script: what the real client believes to be its model.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

/// A script that goes round in circles ends here.
const MOST_REQUESTS: usize = 500;
const MOST_BODY_BYTES: usize = 64 << 20;
const PATIENCE: Duration = Duration::from_secs(60);

/// What the model answers.
pub enum Say {
    Text(String),
    Tool(&'static str, Value),
}

/// An answer that is only text.
pub fn text(said: impl Into<String>) -> Vec<Say> {
    vec![Say::Text(said.into())]
}

/// An answer that starts an agent, in the background.
pub fn start_agent(agent: &str, task: &str) -> Say {
    Say::Tool("Agent", json!({"description": "a part of the work", "prompt": task, "subagent_type": agent}))
}

/// The same, and waits for it.
pub fn await_agent(agent: &str, task: &str) -> Say {
    let input = json!({"description": "a part", "prompt": task, "subagent_type": agent, "run_in_background": false});
    Say::Tool("Agent", input)
}

/// What the client asks its model.
#[derive(Clone)]
pub struct Ask {
    body: Value,
}

impl Ask {
    fn messages(&self) -> &[Value] {
        self.body["messages"].as_array().map_or(&[], Vec::as_slice)
    }

    /// How often the model has answered in this conversation.
    pub fn turn(&self) -> usize {
        self.messages().iter().filter(|message| message["role"] == "assistant").count()
    }

    /// What stands before the first answer: who is asked tells itself by its task.
    pub fn opening(&self) -> String {
        let before = self.messages().iter().take_while(|message| message["role"] != "assistant");
        before.map(words).collect::<Vec<_>>().join("\n")
    }

    /// What has come since the last answer.
    pub fn news(&self) -> String {
        let since: Vec<String> =
            self.messages().iter().rev().take_while(|message| message["role"] != "assistant").map(words).collect();
        since.into_iter().rev().collect::<Vec<_>>().join("\n")
    }

    /// Everything in the conversation, results of tools included.
    pub fn all(&self) -> String {
        self.messages().iter().map(words).collect::<Vec<_>>().join("\n")
    }
}

/// The text of a message, of whatever parts it consists.
fn words(message: &Value) -> String {
    fn gather(value: &Value, found: &mut Vec<String>) {
        match value {
            Value::String(text) => found.push(text.clone()),
            Value::Array(parts) => parts.iter().for_each(|part| gather(part, found)),
            Value::Object(part) => {
                ["text", "content"].iter().filter_map(|name| part.get(*name)).for_each(|part| gather(part, found));
                found.extend(part.get("input").map(Value::to_string));
            }
            _ => {}
        }
    }
    let mut found = Vec::new();
    gather(&message["content"], &mut found);
    found.join("\n")
}

/// What the model answers to what it is asked.
pub type Script = Box<dyn Fn(&Ask) -> Vec<Say> + Send + Sync>;

struct Shared {
    script: Script,
    asked: Mutex<Vec<Ask>>,
    is_over: AtomicBool,
}

/// The server, as long as it is held.
pub struct Server {
    port: u16,
    shared: Arc<Shared>,
}

impl Server {
    pub fn start(script: Script) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port on loopback");
        let port = listener.local_addr().expect("an address").port();
        let shared = Arc::new(Shared { script, asked: Mutex::default(), is_over: AtomicBool::new(false) });
        let own = Arc::clone(&shared);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if own.is_over.load(Ordering::SeqCst) {
                    break;
                }
                let shared = Arc::clone(&own);
                // A client that goes away in the middle is no fault of the server.
                thread::spawn(move || drop(serve(&stream, &shared)));
            }
        });
        Self { port, shared }
    }

    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Everything that was asked so far, in the order of arrival.
    pub fn asked(&self) -> Vec<Ask> {
        self.shared.asked.lock().expect("no script failed").clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.is_over.store(true, Ordering::SeqCst);
        // Wakes the thread that waits for a connection.
        drop(TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)));
    }
}

/// Answers the requests of one connection.
fn serve(stream: &TcpStream, shared: &Shared) -> std::io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    let mut reader = BufReader::new(stream);
    while let Some((target, body)) = read_request(&mut reader)? {
        let body: Value = serde_json::from_slice(&body).unwrap_or_default();
        let (kind, answer) = if target.contains("count_tokens") {
            ("application/json", json!({"input_tokens": 100}).to_string())
        } else if target.contains("/v1/messages") {
            answer(shared, &Ask { body })
        } else {
            ("application/json", "{}".to_owned())
        };
        let status = if answer.is_empty() { "500 Too many requests for one scenario" } else { "200 OK" };
        let head = format!("HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {}\r\n\r\n", answer.len());
        (&*stream).write_all((head + &answer).as_bytes())?;
    }
    Ok(())
}

/// The target and the body of the next request; none at the end.
fn read_request(reader: &mut BufReader<&TcpStream>) -> std::io::Result<Option<(String, Vec<u8>)>> {
    let mut line = String::new();
    if reader.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    let target = line.split(' ').nth(1).unwrap_or_default().to_owned();
    let mut length = 0;
    loop {
        let mut header = String::new();
        if reader.read_line(&mut header)? == 0 || header.trim().is_empty() {
            break;
        }
        if let Some((name, value)) = header.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().unwrap_or(0);
        }
    }
    let mut body = vec![0; std::cmp::min(length, MOST_BODY_BYTES)];
    reader.read_exact(&mut body)?;
    Ok(Some((target, body)))
}

/// What a message is answered with, as the client reads it; nothing if it asks without end.
fn answer(shared: &Shared, ask: &Ask) -> (&'static str, String) {
    let number = {
        let mut asked = shared.asked.lock().expect("no script failed");
        asked.push(ask.clone());
        asked.len()
    };
    if number > MOST_REQUESTS {
        return ("application/json", String::new());
    }
    let said = (shared.script)(ask);
    let blocks: Vec<Value> =
        said.iter().enumerate().map(|(place, say)| block(say, &format!("toolu_{number:04}_{place}"))).collect();
    let is_tool = said.iter().any(|say| matches!(say, Say::Tool(..)));
    let reason = if is_tool { "tool_use" } else { "end_turn" };
    let usage = json!({"input_tokens": 10, "output_tokens": 1, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0});
    let message = |content: &[Value], reason: Option<&str>| {
        json!({"id": format!("msg_{number:04}"), "type": "message", "role": "assistant", "model": ask.body["model"],
               "content": content, "stop_reason": reason, "stop_sequence": null, "usage": usage})
    };
    if ask.body["stream"] != true {
        return ("application/json", message(&blocks, Some(reason)).to_string());
    }
    let mut stream = event(&json!({"type": "message_start", "message": message(&[], None)}));
    for (index, block) in blocks.iter().enumerate() {
        let (start, delta) = if block["type"] == "text" {
            (json!({"type": "text", "text": ""}), json!({"type": "text_delta", "text": block["text"]}))
        } else {
            let mut start = block.clone();
            start["input"] = json!({});
            (start, json!({"type": "input_json_delta", "partial_json": block["input"].to_string()}))
        };
        stream += &event(&json!({"type": "content_block_start", "index": index, "content_block": start}));
        stream += &event(&json!({"type": "content_block_delta", "index": index, "delta": delta}));
        stream += &event(&json!({"type": "content_block_stop", "index": index}));
    }
    let delta = json!({"stop_reason": reason, "stop_sequence": null});
    stream += &event(&json!({"type": "message_delta", "delta": delta, "usage": {"output_tokens": 20}}));
    stream += &event(&json!({"type": "message_stop"}));
    ("text/event-stream", stream)
}

fn block(say: &Say, id: &str) -> Value {
    match say {
        Say::Text(text) => json!({"type": "text", "text": text}),
        Say::Tool(name, input) => json!({"type": "tool_use", "id": id, "name": name, "input": input}),
    }
}

fn event(data: &Value) -> String {
    format!("event: {}\ndata: {data}\n\n", data["type"].as_str().unwrap_or_default())
}
