//! Runs the servers as processes, and reads their CPU time and memory from the kernel.

use std::{
    fs::{self, File},
    net::SocketAddr,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail};

use crate::{
    data::Data,
    load::{self, Request},
    stopped::Stopped,
};

/// The folder with the sources of servers that use other libraries.
const PEERS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/peers");

/// A running server process.
pub struct Server {
    child: Stopped,
    pub address: SocketAddr,
    log: PathBuf,
}

impl Server {
    /// Starts the bare handler, which only returns `answer`.
    pub async fn start_bare(data: &Data, answer: &[u8]) -> Result<Self> {
        let file = data.folder.join("answer.json");
        fs::write(&file, answer)?;
        Self::start(data, "bare", |port| {
            let mut command = Command::new(std::env::current_exe()?);
            command.arg("serve-bare").arg(port.to_string()).arg(file);
            Ok(command)
        })
        .await
    }

    /// Starts the server written by hand, without the gateway. `packages` contains the one over
    /// tokio-postgres.
    pub async fn start_by_hand(data: &Data, packages: Option<&Path>) -> Result<Self> {
        Self::start(data, "hand", |port| {
            if let Some([url, _]) = &data.on_server {
                let packages = packages.context("--postgres needs --peers")?;
                let mut command = Command::new(packages.join("postgres/release/by-hand-postgres"));
                command.arg(port.to_string()).arg(url);
                return Ok(command);
            }
            let mut command = Command::new(std::env::current_exe()?);
            command
                .arg("serve-hand")
                .arg(port.to_string())
                .arg(&data.for_hand);
            Ok(command)
        })
        .await
    }

    /// Starts the same server over sqlx. `packages` contains its binary.
    pub async fn start_sqlx(data: &Data, packages: &Path) -> Result<Self> {
        Self::start(data, "sqlx", |port| {
            let mut command = Command::new(packages.join("sqlx/release/by-hand-sqlx"));
            command.arg(port.to_string()).arg(&data.for_sqlx);
            Ok(command)
        })
        .await
    }

    /// Starts the service.
    pub async fn start_service(data: &Data) -> Result<Self> {
        Self::start(data, "pauta", |port| {
            let mut command = data.service_command();
            command
                .arg("serve")
                .arg("--listen")
                .arg(format!("127.0.0.1:{port}"));
            Ok(command)
        })
        .await
    }

    /// Starts a server with the same tools over the TypeScript SDK of MCP. `packages` contains the
    /// SDK.
    pub async fn start_typescript(data: &Data, packages: &Path) -> Result<Self> {
        Self::start(data, "typescript", |port| {
            let mut command = Command::new("node");
            command.arg(PEERS.to_owned() + "/typescript.mjs");
            command.arg(port.to_string()).arg(&data.for_typescript);
            command.current_dir(packages);
            Ok(command)
        })
        .await
    }

    /// Starts a server with the same tools over FastMCP. `packages` contains its virtual
    /// environment.
    pub async fn start_fastmcp(data: &Data, packages: &Path) -> Result<Self> {
        Self::start(data, "fastmcp", |port| {
            let mut command = Command::new(packages.join("venv/bin/python"));
            command.arg(PEERS.to_owned() + "/fastmcp_server.py");
            command.arg(port.to_string()).arg(&data.for_fastmcp);
            Ok(command)
        })
        .await
    }

    async fn start(
        data: &Data,
        name: &str,
        command: impl FnOnce(u16) -> Result<Command>,
    ) -> Result<Self> {
        let address = free_address()?;
        let log = data.folder.join(format!("{name}.log"));
        let output = File::create(&log)?;
        let child = command(address.port())?
            .stdin(Stdio::null())
            .stdout(output.try_clone()?)
            .stderr(output)
            .spawn()?;
        let mut server = Self {
            child: Stopped(child),
            address,
            log,
        };
        server
            .wait_until_ready()
            .await
            .with_context(|| format!("{name}: {}", server.log_tail()))?;
        Ok(server)
    }

    async fn wait_until_ready(&mut self) -> Result<()> {
        let request = Request::Same(b"GET /readyz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"[..].into());
        let began = Instant::now();
        while began.elapsed() < Duration::from_secs(20) {
            if let Some(status) = self.child.0.try_wait()? {
                bail!("the server ended with {status}");
            }
            if load::send_once(self.address, request.clone()).await.is_ok() {
                return Ok(());
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        bail!("the server was not ready after 20 s")
    }

    pub fn pid(&self) -> u32 {
        self.child.0.id()
    }

    /// Reads the resident memory in bytes; `None` without `/proc`.
    pub fn resident_memory(&self) -> Option<u64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.pid())).ok()?;
        let line = status.lines().find_map(|l| l.strip_prefix("VmRSS:"))?;
        let kib: u64 = line.trim().trim_end_matches(" kB").parse().ok()?;
        Some(kib * 1024)
    }

    /// Returns the last ten lines of the server's log.
    pub fn log_tail(&self) -> String {
        let text = fs::read_to_string(&self.log).unwrap_or_default();
        let lines: Vec<_> = text.lines().collect();
        lines[lines.len().saturating_sub(10)..].join("\n")
    }
}

/// Builds a command of the service's binary on this database.
pub fn pauta_command(binary: &Path, database: &Path) -> Command {
    let mut command = Command::new(binary);
    command
        .env(
            "PAUTA_DATABASE_URL",
            format!("sqlite://{}", database.display()),
        )
        .env("PAUTA_SECRET", "a secret of this benchmark and no other")
        // The callers share one credential and one address.
        .env("PAUTA_QUOTA_CREDENTIAL", "0")
        .env("PAUTA_QUOTA_MEMBER", "0")
        .env("PAUTA_QUOTA_ADDRESS", "0")
        .env_remove("RUST_LOG");
    command
}

/// Measures the time from spawning the service to its first 200 from `/readyz`.
pub async fn measure_startup(data: &Data) -> Result<Duration> {
    let began = Instant::now();
    let _server = Server::start_service(data).await?;
    Ok(began.elapsed())
}

/// Returns the CPU time of a process so far; `None` without `/proc`.
pub fn cpu_time(pid: u32) -> Option<Duration> {
    /// Milliseconds per clock tick. Linux reports hundredths of a second here, independently of the
    /// kernel's own tick.
    const TICK: u64 = 10;
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The program name is in parentheses and may contain any character. utime and stime are fields
    // 14 and 15.
    let (_, fields) = stat.rsplit_once(") ")?;
    let ticks = fields.split(' ').skip(11).take(2);
    let ticks: u64 = ticks.map_while(|t| t.parse::<u64>().ok()).sum();
    Some(Duration::from_millis(ticks * TICK))
}

fn free_address() -> Result<SocketAddr> {
    Ok(std::net::TcpListener::bind("127.0.0.1:0")?.local_addr()?)
}
