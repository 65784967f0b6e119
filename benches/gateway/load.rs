//! The load generator: HTTP/1.1 over keep-alive connections, each with one request in flight.
//!
//! It parses only the responses of the measured servers: a status line, headers, and a body with
//! `Content-Length` or in chunks.

use std::{
    io::{ErrorKind, Write as _},
    net::SocketAddr,
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail, ensure};
use tokio::{net::TcpStream, task::JoinSet};

/// The requests that one connection sends in a loop.
#[derive(Clone)]
pub enum Request {
    /// The same bytes every time.
    Same(Arc<[u8]>),
    /// Saves drafts of one event, each with the revision of the previous response.
    Draft(Draft),
    /// Sends nine reads, then saves one draft.
    Mixed {
        read: Arc<[u8]>,
        draft: Draft,
        sent: usize,
    },
}

#[derive(Clone)]
pub struct Draft {
    pub token: String,
    pub event_id: String,
    pub revision: i64,
    pub over_mcp: bool,
}

/// The measurement of one run over all connections.
pub struct Measured {
    pub lasted: Duration,
    /// All latencies in ascending order.
    pub latencies: Vec<Duration>,
}

/// The server's address, and the requests of each connection.
pub struct Load {
    address: SocketAddr,
    requests: Vec<Request>,
}

impl Load {
    #[must_use]
    pub fn new(address: SocketAddr, requests: Vec<Request>) -> Self {
        Self { address, requests }
    }

    /// Opens the connections and keeps each of them busy for `duration`. Fails on the first
    /// response whose status is not 200.
    pub async fn run(&mut self, duration: Duration) -> Result<Measured> {
        let mut connections = vec![];
        for request in self.requests.drain(..) {
            connections.push(Connection::open(self.address, request).await?);
        }
        let began = Instant::now();
        let mut tasks = JoinSet::new();
        for mut connection in connections {
            tasks.spawn(async move {
                let mut latencies = vec![];
                while began.elapsed() < duration {
                    let sent = Instant::now();
                    connection.send_next().await?;
                    latencies.push(sent.elapsed());
                }
                anyhow::Ok((connection.request, latencies))
            });
        }
        let mut latencies = vec![];
        while let Some(ended) = tasks.join_next().await {
            let (request, seen) = ended??;
            self.requests.push(request);
            latencies.extend(seen);
        }
        let lasted = began.elapsed();
        latencies.sort_unstable();
        Ok(Measured { lasted, latencies })
    }
}

/// Sends one request on a new connection and returns the response body.
pub async fn send_once(address: SocketAddr, request: Request) -> Result<Vec<u8>> {
    let mut connection = Connection::open(address, request).await?;
    Ok(connection.send_next().await?.to_vec())
}

struct Connection {
    stream: TcpStream,
    request: Request,
    output: Vec<u8>,
    input: Vec<u8>,
}

impl Connection {
    async fn open(address: SocketAddr, request: Request) -> Result<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Self {
            stream,
            request,
            output: vec![],
            input: vec![0; 256 * 1024],
        })
    }

    /// Sends the next request and returns the response body.
    async fn send_next(&mut self) -> Result<&[u8]> {
        let (read, draft) = match &mut self.request {
            Request::Same(bytes) => (Some(bytes), None),
            Request::Draft(draft) => (None, Some(draft)),
            Request::Mixed { read, draft, sent } => {
                *sent += 1;
                if sent.is_multiple_of(10) {
                    (None, Some(draft))
                } else {
                    (Some(read), None)
                }
            }
        };
        if let Some(bytes) = read {
            write_all(&self.stream, bytes).await?;
        } else if let Some(draft) = &draft {
            self.output.clear();
            draft.write_request(&mut self.output)?;
            write_all(&self.stream, &self.output).await?;
        }
        let body = read_response(&self.stream, &mut self.input).await?;
        if let Some(draft) = draft {
            draft.revision = parse_revision(body)?;
        }
        Ok(body)
    }
}

impl Draft {
    fn write_request(&self, output: &mut Vec<u8>) -> Result<()> {
        let Self {
            token,
            event_id,
            revision,
            over_mcp,
        } = self;
        let body = format!(
            r#"{{"event_id":"{event_id}","expected_revision":{revision},"caption":"Versão {revision}: a coleção de verão chega na sexta-feira às nove, com frete grátis até domingo. Comente AQUI para receber o link antes de todo mundo. #lançamento #verão"}}"#
        );
        if *over_mcp {
            let body = format!(
                r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"save_draft","arguments":{body}}}}}"#
            );
            write!(
                output,
                "POST /api/mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {token}\r\n\
                 Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n\
                 MCP-Protocol-Version: 2025-11-25\r\nContent-Length: {}\r\n\r\n{body}",
                body.len()
            )?;
            return Ok(());
        }
        write!(
            output,
            "POST /api/draft HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {token}\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        )?;
        Ok(())
    }
}

fn parse_revision(body: &[u8]) -> Result<i64> {
    let text = std::str::from_utf8(body)?;
    let (_, rest) = text
        .split_once(r#""api_revision":"#)
        .with_context(|| format!("the response has no `api_revision`: {text}"))?;
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(0);
    Ok(rest[..digits].parse()?)
}

async fn write_all(stream: &TcpStream, mut bytes: &[u8]) -> Result<()> {
    while !bytes.is_empty() {
        match stream.try_write(bytes) {
            Ok(n) => bytes = &bytes[n..],
            Err(e) if e.kind() == ErrorKind::WouldBlock => stream.writable().await?,
            Err(e) => return Err(e.into()),
        }
    }
    Ok(())
}

async fn read_response<'b>(stream: &TcpStream, buffer: &'b mut Vec<u8>) -> Result<&'b [u8]> {
    let mut filled = 0;
    let mut body = None;
    loop {
        if body.is_none()
            && let Some(head) = buffer[..filled].windows(4).position(|w| w == b"\r\n\r\n")
        {
            body = Some((head + 4, body_length(&buffer[..head])?));
        }
        let end = match body {
            Some((start, Length::Bytes(bytes))) => Some(start + bytes),
            Some((start, Length::Chunked)) => {
                let ended = buffer[start..filled].ends_with(b"0\r\n\r\n");
                ended.then_some(filled)
            }
            None => None,
        };
        if let (Some((start, length)), Some(end)) = (body, end) {
            if filled >= end {
                ensure!(
                    buffer.starts_with(b"HTTP/1.1 200"),
                    "{}",
                    String::from_utf8_lossy(&buffer[..end])
                );
                let end = match length {
                    Length::Bytes(_) => end,
                    Length::Chunked => start + join_chunks(&mut buffer[start..end])?,
                };
                return Ok(&buffer[start..end]);
            }
            if buffer.len() < end {
                buffer.resize(end, 0);
            }
        }
        if filled == buffer.len() {
            buffer.resize(filled * 2, 0);
        }
        match stream.try_read(&mut buffer[filled..]) {
            Ok(0) => bail!("the server closed the connection"),
            Ok(n) => filled += n,
            Err(e) if e.kind() == ErrorKind::WouldBlock => stream.readable().await?,
            Err(e) => return Err(e.into()),
        }
    }
}

/// The length of a body: known from `Content-Length`, or determined by the last chunk.
#[derive(Clone, Copy)]
enum Length {
    Bytes(usize),
    Chunked,
}

fn body_length(head: &[u8]) -> Result<Length> {
    let head = std::str::from_utf8(head)?;
    let header = |name: &str| {
        let lines = head.lines().filter_map(|line| line.split_once(':'));
        let mut named = lines.filter(|(given, _)| given.eq_ignore_ascii_case(name));
        named.next().map(|(_, value)| value.trim())
    };
    if let Some(bytes) = header("content-length") {
        return Ok(Length::Bytes(bytes.parse()?));
    }
    ensure!(
        header("transfer-encoding") == Some("chunked"),
        "the answer has neither a length nor chunks:\n{head}"
    );
    Ok(Length::Chunked)
}

/// Joins the chunks at the start of the buffer and returns their total length.
fn join_chunks(body: &mut [u8]) -> Result<usize> {
    let (mut from, mut to) = (0, 0);
    loop {
        let line = body[from..].windows(2).position(|w| w == b"\r\n");
        let line = from + line.context("a chunk has no size line")?;
        let size = usize::from_str_radix(std::str::from_utf8(&body[from..line])?, 16)?;
        if size == 0 {
            return Ok(to);
        }
        body.copy_within(line + 2..line + 2 + size, to);
        to += size;
        from = line + 2 + size + 2;
    }
}
