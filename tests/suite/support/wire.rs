//! A client that writes exact bytes to a plain socket, at the speed that the test wants.

use std::{
    io::{self, ErrorKind, Read, Write},
    net::{SocketAddr, TcpStream},
    time::Duration,
};

use serde_json::Value;

/// The socket timeout, longer than any expected wait.
const TIMEOUT: Duration = Duration::from_secs(60);

pub struct Wire {
    stream: TcpStream,
    read: Vec<u8>,
}

/// A response, as received.
#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    /// The status line and headers, in lower case.
    pub head: String,
    pub text: String,
    /// `null` when the body is not JSON.
    pub body: Value,
}

impl Reply {
    /// Asserts this status and error code.
    #[track_caller]
    pub fn expect_refusal(self, status: u16, code: &str) -> Self {
        let told = self.body["code"].as_str().unwrap_or_default();
        assert_eq!((self.status, told), (status, code), "{self:?}");
        assert!(self.body["error"].is_string(), "{self:?}");
        for name in ["date", "x-request-id", "content-type", "cache-control"] {
            assert!(self.head.contains(&format!("\r\n{name}: ")), "{self:?}");
        }
        self
    }

    pub fn closes_connection(&self) -> bool {
        self.head.contains("\r\nconnection: close\r\n")
    }
}

impl Wire {
    pub fn open(address: impl Into<SocketAddr>) -> Self {
        Self::from_stream(TcpStream::connect(address.into()).expect("connects"))
    }

    pub fn from_stream(stream: TcpStream) -> Self {
        let set = stream.set_read_timeout(Some(TIMEOUT));
        set.and_then(|()| stream.set_write_timeout(Some(TIMEOUT)))
            .expect("a socket");
        stream.set_nodelay(true).expect("a socket");
        Self {
            stream,
            read: vec![],
        }
    }

    pub fn send(&mut self, bytes: impl AsRef<[u8]>) -> &mut Self {
        self.try_send(bytes).expect("sends");
        self
    }

    pub fn try_send(&mut self, bytes: impl AsRef<[u8]>) -> io::Result<()> {
        self.stream.write_all(bytes.as_ref())
    }

    /// Sends the bytes one by one with this pause, until the server closes the connection or a
    /// response arrives.
    pub fn send_slowly(&mut self, bytes: impl AsRef<[u8]>, pause: Duration) {
        self.stream.set_read_timeout(Some(pause)).expect("a socket");
        for byte in bytes.as_ref() {
            let mut piece = [0; 4096];
            match self.stream.read(&mut piece) {
                Ok(read) => {
                    self.read.extend_from_slice(&piece[..read]);
                    break;
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                Err(_) => break,
            }
            if self.try_send([*byte]).is_err() {
                break;
            }
        }
        let set = self.stream.set_read_timeout(Some(TIMEOUT));
        set.expect("a socket");
    }

    /// Reads and discards the head of the next response, which answers a HEAD request.
    #[track_caller]
    pub fn skip_head(&mut self) {
        loop {
            if let Some(at) = self.read.windows(4).position(|end| end == b"\r\n\r\n") {
                self.read.drain(..at + 4);
                return;
            }
            self.read_more().expect("a head");
        }
    }

    /// Reads the next response, up to its `Content-Length`; `None` if the connection ends first.
    pub fn try_read_reply(&mut self) -> Option<Reply> {
        let head = loop {
            if let Some(at) = self.read.windows(4).position(|end| end == b"\r\n\r\n") {
                break at + 4;
            }
            self.read_more()?;
        };
        let text = String::from_utf8_lossy(&self.read[..head]).to_lowercase();
        let status = text.split(' ').nth(1)?.parse().ok()?;
        let mut lines = text.split("\r\n");
        let length = lines.find_map(|line| line.strip_prefix("content-length: "));
        let length = length.map_or(0, |length| length.parse::<usize>().expect("a length"));
        while self.read.len() < head + length {
            self.read_more()?;
        }
        let body = String::from_utf8_lossy(&self.read[head..head + length]).into_owned();
        self.read.drain(..head + length);
        Some(Reply {
            status,
            head: text,
            body: serde_json::from_str(&body).unwrap_or_default(),
            text: body,
        })
    }

    #[track_caller]
    pub fn read_reply(&mut self) -> Reply {
        self.try_read_reply().expect("an answer")
    }

    /// Reads until the server closes the connection. Panics if the server resets the connection.
    #[track_caller]
    pub fn read_to_end(&mut self) -> String {
        self.stream.read_to_end(&mut self.read).expect("no reset");
        String::from_utf8_lossy(&std::mem::take(&mut self.read)).into_owned()
    }

    /// Whether the server closes or resets the connection before another byte arrives.
    pub fn is_closed(&mut self) -> bool {
        match self.stream.read(&mut [0]) {
            Ok(read) => read == 0,
            Err(error) => error.kind() != ErrorKind::WouldBlock,
        }
    }

    fn read_more(&mut self) -> Option<()> {
        let mut piece = [0; 16_384];
        let read = self.stream.read(&mut piece).ok().filter(|read| *read > 0)?;
        self.read.extend_from_slice(&piece[..read]);
        Some(())
    }
}

/// The head of a request. `lines` are additional header lines, each with its line end.
pub fn request_head(method: &str, path: &str, lines: &str) -> String {
    format!("{method} {path} HTTP/1.1\r\nHost: localhost\r\n{lines}\r\n")
}

/// Runs blocking work on a blocking thread.
pub async fn run_blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    tokio::task::spawn_blocking(work).await.expect("no panic")
}
