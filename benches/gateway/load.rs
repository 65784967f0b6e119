//! The load generator: HTTP/1.1 over keep-alive connections, one request in flight on each.
//!
//! It only understands the answers of the servers measured here: a status line, `Content-Length`, a body.

use std::{
    io::{ErrorKind, Write as _},
    net::SocketAddr,
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail, ensure};
use tokio::{net::TcpStream, task::JoinSet};

/// What one connection sends repeatedly.
#[derive(Clone)]
pub enum Request {
    /// The same bytes each time.
    Same(Arc<[u8]>),
    /// Drafts of one event, each with the revision from the last answer.
    Draft(Draft),
}

#[derive(Clone)]
pub struct Draft {
    pub token: String,
    pub event_id: String,
    pub revision: i64,
}

/// The results of a run over all connections.
pub struct Measured {
    pub lasted: Duration,
    /// Sorted.
    pub latencies: Vec<Duration>,
}

/// What each connection sends, and where.
pub struct Load {
    address: SocketAddr,
    requests: Vec<Request>,
}

impl Load {
    #[must_use]
    pub fn new(address: SocketAddr, requests: Vec<Request>) -> Self {
        Self { address, requests }
    }

    /// Keeps every connection busy for this long; they are opened before. Fails on the first answer that is
    /// not 200.
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
                    connection.once().await?;
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

/// One request on a new connection; returns the body of the answer.
pub async fn once(address: SocketAddr, request: Request) -> Result<Vec<u8>> {
    let mut connection = Connection::open(address, request).await?;
    Ok(connection.once().await?.to_vec())
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

    /// Sends the next request and returns the body of its answer.
    async fn once(&mut self) -> Result<&[u8]> {
        match &self.request {
            Request::Same(bytes) => write_all(&self.stream, bytes).await?,
            Request::Draft(draft) => {
                self.output.clear();
                draft.write(&mut self.output)?;
                write_all(&self.stream, &self.output).await?;
            }
        }
        let body = read_answer(&self.stream, &mut self.input).await?;
        if let Request::Draft(draft) = &mut self.request {
            draft.revision = revision(body)?;
        }
        Ok(body)
    }
}

impl Draft {
    fn write(&self, output: &mut Vec<u8>) -> Result<()> {
        let Self {
            token,
            event_id,
            revision,
        } = self;
        let body = format!(
            r#"{{"event_id":"{event_id}","expected_revision":{revision},"caption":"Versão {revision}: a coleção de verão chega na sexta-feira às nove, com frete grátis até domingo. Comente AQUI para receber o link antes de todo mundo. #lançamento #verão"}}"#
        );
        write!(
            output,
            "POST /api/draft HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {token}\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        )?;
        Ok(())
    }
}

fn revision(body: &[u8]) -> Result<i64> {
    let text = std::str::from_utf8(body)?;
    let (_, rest) = text
        .split_once(r#""api_revision":"#)
        .context("a draft answers its revision")?;
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

async fn read_answer<'b>(stream: &TcpStream, buffer: &'b mut Vec<u8>) -> Result<&'b [u8]> {
    let mut filled = 0;
    let mut body = None;
    loop {
        if body.is_none()
            && let Some(head) = buffer[..filled].windows(4).position(|w| w == b"\r\n\r\n")
        {
            body = Some((head + 4, head + 4 + content_length(&buffer[..head])?));
        }
        if let Some((start, end)) = body {
            if filled >= end {
                ensure!(
                    buffer.starts_with(b"HTTP/1.1 200"),
                    "{}",
                    String::from_utf8_lossy(&buffer[..end])
                );
                return Ok(&buffer[start..end]);
            }
            if buffer.len() < end {
                buffer.resize(end, 0);
            }
        }
        match stream.try_read(&mut buffer[filled..]) {
            Ok(0) => bail!("the server closed the connection"),
            Ok(n) => filled += n,
            Err(e) if e.kind() == ErrorKind::WouldBlock => stream.readable().await?,
            Err(e) => return Err(e.into()),
        }
    }
}

fn content_length(head: &[u8]) -> Result<usize> {
    let head = std::str::from_utf8(head)?;
    let value = head
        .lines()
        .filter_map(|line| line.split_once(':'))
        .find(|(name, _)| name.eq_ignore_ascii_case("content-length"))
        .map(|(_, value)| value.trim())
        .with_context(|| format!("an answer without Content-Length:\n{head}"))?;
    Ok(value.parse()?)
}
