//! `pauta ready`: a health check for images that hold nothing but the binary.

use std::{
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    time::Duration,
};

use anyhow::{Context, Result, bail};

use super::terminal::out;
use crate::config::{Config, Sources};

/// The longest that `/readyz` takes, and some.
const TIMEOUT: Duration = Duration::from_secs(4);

/// Asks the service on this machine whether it can serve; fails when it cannot.
pub(super) async fn run(sources: &Sources) -> Result<()> {
    let address = reachable(Config::read(sources)?.listen);
    let client = reqwest::Client::builder()
        .timeout(TIMEOUT)
        .no_proxy()
        .build()?;
    let answer = client.get(format!("http://{address}/readyz")).send().await;
    let answer = answer.with_context(|| format!("o serviço não responde em {address}"))?;
    let ready = answer.status().is_success();
    let text = answer.text().await.unwrap_or_default();
    if !ready {
        bail!("o serviço em {address} não pode atender: {}", text.trim());
    }
    out!("O serviço em {address} pode atender.");
    Ok(())
}

/// Where a service that listens on all addresses is reached from its own machine.
fn reachable(listen: SocketAddr) -> SocketAddr {
    let ip = match listen.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, listen.port())
}
