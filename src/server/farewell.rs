//! The end of a connection: the last answer arrives although the client may still be sending.
//!
//! A socket that is closed with bytes unread resets the connection, and the reset overtakes what the
//! client has not read yet. So only the sending side is closed, and what still comes is discarded.

use std::{io, time::Duration};

use axum::{
    body::to_bytes,
    http::{HeaderMap, HeaderValue, header},
};
use gateway::Error;
use ports::Clock;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::{Instant, timeout, timeout_at},
};

use super::Limits;
use crate::{app::SystemClock, http};

/// For an answer that is a few hundred bytes long.
const WRITING: Duration = Duration::from_secs(5);

/// Bytes discarded at once.
const PIECE: usize = 32 << 10;

/// Answers with this refusal and ends the connection.
pub(super) async fn refuse(mut stream: TcpStream, error: Error, limits: &Limits) {
    let answer = answer(error).await;
    if let Ok(Ok(())) = timeout(WRITING, stream.write_all(&answer)).await {
        let _ = linger(stream, limits).await;
    }
}

/// Ends the sending side, and discards what comes until the client is done, or for a while.
pub(super) async fn linger(mut stream: TcpStream, limits: &Limits) -> io::Result<()> {
    stream.shutdown().await?;
    let end = Instant::now() + limits.linger;
    let mut room = limits.linger_bytes;
    let mut piece = vec![0; PIECE];
    loop {
        let until = end.min(Instant::now() + limits.linger_gap);
        let read = timeout_at(until, stream.read(&mut piece)).await??;
        let Some(less) = room.checked_sub(read as u64).filter(|_| read > 0) else {
            return Ok(());
        };
        room = less;
    }
}

/// A refusal as it goes over the wire.
async fn answer(error: Error) -> Vec<u8> {
    let response = http::refusal(error, &HeaderMap::new());
    let (mut parts, body) = response.into_parts();
    let body = to_bytes(body, usize::MAX).await.unwrap_or_default();
    let headers = &mut parts.headers;
    headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
    headers.insert(header::CONTENT_LENGTH, HeaderValue::from(body.len()));
    let date = jiff::Timestamp::from_millisecond(SystemClock.now())
        .map(|now| now.strftime("%a, %d %b %Y %H:%M:%S GMT").to_string());
    if let Some(date) = date.ok().and_then(|date| date.parse().ok()) {
        headers.insert(header::DATE, date);
    }
    let mut bytes = format!("HTTP/1.1 {}\r\n", parts.status).into_bytes();
    for (name, value) in &parts.headers {
        for part in [name.as_str().as_bytes(), b": ", value.as_bytes(), b"\r\n"] {
            bytes.extend_from_slice(part);
        }
    }
    bytes.extend_from_slice(b"\r\n");
    bytes.extend_from_slice(&body);
    bytes
}
