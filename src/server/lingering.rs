//! Lingering close: delivers the last response even if the client is still sending.
//!
//! Closing a socket with unread input resets the connection, and the client may then lose a
//! response that it has not read. So only the sending side is closed, and further input is
//! discarded.

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

use super::{Limits, Traffic};
use crate::{app::SystemClock, http};

/// The timeout for writing a short error response.
const WRITING: Duration = Duration::from_secs(5);

/// The size of the buffer that receives discarded bytes.
const PIECE: usize = 32 << 10;

/// Sends an error response and closes the connection.
pub(super) async fn refuse_connection(
    mut stream: TcpStream,
    error: Error,
    limits: &Limits,
    traffic: &Traffic,
) {
    traffic.count_response(error.status());
    let answer = encode_error_response(error).await;
    if let Ok(Ok(())) = timeout(WRITING, stream.write_all(&answer)).await {
        let _ = close_lingering(stream, limits).await;
    }
}

/// Closes the sending side and discards input until the client closes or a limit is reached.
pub(super) async fn close_lingering(mut stream: TcpStream, limits: &Limits) -> io::Result<()> {
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

/// Encodes an error response as bytes.
async fn encode_error_response(error: Error) -> Vec<u8> {
    let response = http::unrouted_error_response(error, &HeaderMap::new());
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
