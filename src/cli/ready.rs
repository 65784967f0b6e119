//! `pauta ready`: the health check for images that contain only the binary.

use std::{
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    time::Duration,
};

use anyhow::{Context, Result, ensure};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::timeout,
};

use super::terminal::out;
use crate::config::{Config, Sources};

/// The timeout of the request. `/readyz` responds earlier, because its own checks have a timeout.
const TIMEOUT: Duration = Duration::from_secs(4);

/// Calls `/readyz` of the service on this machine; fails unless it is ready.
pub(super) async fn run(sources: &Sources) -> Result<()> {
    let address = loopback_if_unspecified(Config::read(sources)?.listen);
    let answer = timeout(TIMEOUT, request_ready(address))
        .await
        .map_err(Into::into);
    let answer = answer
        .and_then(|answer| answer)
        .with_context(|| format!("o serviço não responde em {address}"))?;
    let (head, text) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
    ensure!(
        head.split(' ').nth(1) == Some("200"),
        "o serviço em {address} não pode atender: {}",
        text.trim()
    );
    out!("O serviço em {address} pode atender.");
    Ok(())
}

/// Sends the request without an HTTP client, which would look for CA certificates that the image
/// may not have.
async fn request_ready(address: SocketAddr) -> Result<String> {
    let mut stream = TcpStream::connect(address).await?;
    let request = format!("GET /readyz HTTP/1.0\r\nHost: {address}\r\n\r\n");
    stream.write_all(request.as_bytes()).await?;
    let mut answer = vec![];
    stream.read_to_end(&mut answer).await?;
    Ok(String::from_utf8_lossy(&answer).into_owned())
}

/// Returns the address for reaching, from the same machine, a service that listens on all addresses.
fn loopback_if_unspecified(listen: SocketAddr) -> SocketAddr {
    let ip = match listen.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, listen.port())
}
