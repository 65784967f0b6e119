//! Runs the real binary in its own process, and sends requests over plain sockets.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    path::Path,
    process::{Child, ChildStderr, Command, ExitStatus, Stdio},
    thread,
};

use serde_json::Value;

use super::SECRET;

/// A server process, which is killed when dropped.
pub struct Server {
    process: Child,
    pub address: String,
}

impl Server {
    /// Starts the server in the directory, with additional settings as environment variables.
    pub fn start(database_url: &str, directory: &Path, settings: &[(&str, String)]) -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_pauta"))
            .args(["serve", "--listen", "127.0.0.1:0"])
            .env_clear()
            .envs([
                ("PAUTA_DATABASE_URL", database_url),
                ("PAUTA_SECRET", SECRET),
                ("PAUTA_LOG_FORMAT", "json"),
                ("PAUTA_DRAIN_TIME", "0"),
                ("RUST_LOG", "pauta::cli=info,warn"),
            ])
            .envs(settings.iter().map(|(name, value)| (name, value)))
            .current_dir(directory)
            .stderr(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .expect("the server starts");
        let log = BufReader::new(process.stderr.take().expect("a pipe"));
        let address = wait_for_address(log);
        Self { process, address }
    }

    /// The id of the server process.
    pub fn process_id(&self) -> u32 {
        self.process.id()
    }

    pub fn kill(&mut self) {
        self.process.kill().expect("the process still runs");
        self.process.wait().expect("the process has ended");
    }

    /// Sends SIGTERM to the process.
    pub fn send_sigterm(&self) {
        let id = self.process_id().to_string();
        let asked = Command::new("kill").args(["-TERM", &id]).status();
        assert!(asked.expect("a signal").success());
    }

    /// Waits until the process has ended.
    pub fn wait_for_exit(&mut self) -> ExitStatus {
        self.process.wait().expect("the process has ended")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Reads the log up to the line with the listening address and returns the address. A thread prints
/// the rest of the log.
fn wait_for_address(mut log: BufReader<ChildStderr>) -> String {
    let mut told = String::new();
    loop {
        let mut line = String::new();
        let read = log.read_line(&mut line).expect("a log");
        assert_ne!(read, 0, "the server ended: {told}");
        let entry: Value = serde_json::from_str(&line).expect("a JSON line");
        if entry["message"] == "no ar" {
            thread::spawn(move || {
                for line in log.lines().map_while(Result::ok) {
                    eprintln!("{line}");
                }
            });
            return entry["address"].as_str().expect("an address").to_owned();
        }
        told.push_str(&line);
    }
}

/// The bytes of an HTTP request, as text.
pub fn http_request(method: &str, path: &str, token: &str, headers: &str, body: &str) -> String {
    format!(
        "{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
         Authorization: Bearer {token}\r\nContent-Type: application/json\r\n{headers}\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

/// The server's response.
#[derive(Debug, PartialEq, Eq)]
pub struct Given {
    pub status: u16,
    pub replayed: bool,
    /// The operation's result, which is the same over REST and MCP.
    pub text: String,
}

/// Sends a request and reads the response; `None` if the response is missing or incomplete.
pub fn exchange_request(address: &str, request: &str) -> Option<Given> {
    let mut stream = TcpStream::connect(address).ok()?;
    stream.write_all(request.as_bytes()).ok()?;
    let mut bytes = vec![];
    stream.read_to_end(&mut bytes).ok()?;
    let response = String::from_utf8(bytes).ok()?;
    let (head, body) = response.split_once("\r\n\r\n")?;
    let head = head.to_ascii_lowercase();
    let length = head
        .split("\r\n")
        .find_map(|line| line.strip_prefix("content-length: "))?;
    if length.parse() != Ok(body.len()) {
        return None;
    }
    let message: Value = serde_json::from_str(body).unwrap_or_default();
    let tool_text = &message["result"]["content"][0]["text"];
    Some(Given {
        status: head.split(' ').nth(1)?.parse().ok()?,
        replayed: head.contains("idempotency-replayed: true"),
        text: tool_text.as_str().unwrap_or(body).to_owned(),
    })
}
