//! Measures image rendering, uploads and downloads, and compares downloads with bare handlers that
//! serve the same bytes.
//!
//! `cargo bench --bench media` builds the release binary, starts a demo and prints its figures. See
//! `benches/README.md`.

#[path = "media/bare.rs"]
mod bare;
#[path = "media/calls.rs"]
mod calls;
#[path = "gateway/load.rs"]
#[expect(dead_code, reason = "the other bench uses all of it")]
mod load;
#[path = "support/options.rs"]
mod options;
#[path = "support/stopped.rs"]
mod stopped;

use std::{
    net::SocketAddr,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail};
use clap::{Args, Parser, Subcommand};

use calls::{Access, Service};
use load::{Load, Request};
use options::Measurement;
use stopped::Stopped;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Bytes of the downloaded file.
const FILE: usize = 1_000_000;
/// Bytes of the uploaded video.
const VIDEO: usize = 500_000_000;

/// The cost of media and documents, compared with bare handlers that serve the same bytes.
#[derive(Parser)]
#[command(disable_help_subcommand = true)]
struct Cli {
    #[command(flatten)]
    options: Options,
    #[command(subcommand)]
    role: Option<Role>,
}

#[derive(Args)]
struct Options {
    #[command(flatten)]
    measurement: Measurement,
    #[arg(long, default_value_t = 16)]
    connections: usize,
}

// This program also contains the baseline server and starts it as a child process of itself.
#[derive(Subcommand)]
enum Role {
    #[command(hide = true)]
    ServeBare { port: u16, folder: PathBuf },
}

fn main() -> Result<()> {
    let cli = Cli::parse();
    match cli.role {
        Some(Role::ServeBare { port, folder }) => {
            tokio::runtime::Runtime::new()?.block_on(bare::serve(port, folder))
        }
        None => {
            let options = &cli.options;
            options.measurement.run("media", measure(options))
        }
    }
}

fn spawn_silent(command: &mut Command) -> Result<Stopped> {
    let quiet = command.stdin(Stdio::null()).stdout(Stdio::null());
    Ok(Stopped(quiet.stderr(Stdio::null()).spawn()?))
}

async fn wait_until_ready<T>(what: &str, mut ready: impl AsyncFnMut() -> Option<T>) -> Result<T> {
    let began = Instant::now();
    while began.elapsed() < Duration::from_secs(20) {
        if let Some(value) = ready().await {
            return Ok(value);
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    bail!("{what} was not ready after 20 s")
}

/// Starts `pauta demo`, on all processors or on a single one.
async fn start_demo(binary: &Path, folder: &Path, one_core: bool) -> Result<(Stopped, Service)> {
    let ready = folder.join(format!("ready-{one_core}.json"));
    let mut command = if one_core {
        let mut command = Command::new("taskset");
        command.args(["-c", "0"]).arg(binary);
        command
    } else {
        Command::new(binary)
    };
    command.args(["demo", "--listen", "127.0.0.1:0", "--ready-file"]);
    let process = spawn_silent(command.arg(&ready).env_remove("RUST_LOG"))?;
    let access = wait_until_ready("the demo", async || {
        serde_json::from_slice::<Access>(&std::fs::read(&ready).ok()?).ok()
    });
    let service = Service::new(access.await?, process.0.id())?;
    Ok((process, service))
}

async fn measure(options: &Options) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let (_demo, service) = start_demo(&options.measurement.binary, folder.path(), false).await?;
    measure_rendering(&service, "two cores or more").await?;
    measure_upload(&service).await?;
    measure_downloads(&service, options, folder.path()).await?;
    let (_demo, service) = start_demo(&options.measurement.binary, folder.path(), true).await?;
    measure_rendering(&service, "one core").await
}

/// Measures rendering: art of 1024 × 1536 in each style, and a carousel of ten cards.
async fn measure_rendering(service: &Service, where_: &str) -> Result<()> {
    const TRIES: usize = 5;
    for style in ["epico", "minimalista", "editorial", "vibrante"] {
        let mut times = vec![];
        for n in 0..TRIES {
            times.push(service.generate_art(style, n).await?);
        }
        println!(
            "art 1024×1536, {style}, {where_}: {} ms",
            median(times).as_millis()
        );
    }
    let mut times = vec![];
    for n in 0..TRIES {
        times.push(service.generate_carousel(n).await?);
    }
    println!(
        "carousel of ten, {where_}: {} ms",
        median(times).as_millis()
    );
    Ok(())
}

/// Measures the duration of a video upload and the memory that it needs.
async fn measure_upload(service: &Service) -> Result<()> {
    // The first upload is not measured, because of its one-time allocations.
    service.upload_video(20_000_000).await?;
    let before = service.resident_memory().context("there is no /proc")?;
    service.reset_peak()?;
    let took = service.upload_video(VIDEO).await?;
    let peak = service.peak_memory().context("there is no /proc")?;
    println!(
        "upload of {} MB: {:.1} s, resident {:.1} MB before, {:.1} MB at most ({:+.1}; under +30)",
        VIDEO / 1_000_000,
        took.as_secs_f64(),
        before as f64 / 1e6,
        peak as f64 / 1e6,
        (peak as f64 - before as f64) / 1e6,
    );
    Ok(())
}

/// Compares downloads from the service with the bare handlers.
async fn measure_downloads(service: &Service, options: &Options, folder: &Path) -> Result<()> {
    let file = calls::incompressible_image(FILE);
    std::fs::write(folder.join("file"), &file)?;
    let link = service.upload_image(&file).await?;
    let document = "/api/ai/openapi.json";
    std::fs::write(folder.join("document"), service.get(document).await?)?;
    let address = std::net::TcpListener::bind("127.0.0.1:0")?.local_addr()?;
    let mut command = Command::new(std::env::current_exe()?);
    command
        .arg("serve-bare")
        .arg(address.port().to_string())
        .arg(folder);
    let _bare = spawn_silent(&mut command)?;
    wait_until_ready("the bare server", async || {
        load::send_once(address, get_request("/file")).await.ok()
    })
    .await?;

    let pairs = [
        ("1 MB file ÷ bare file handler", "/file", &*link, 0.6),
        ("document ÷ bare handler", "/document", document, 0.8),
    ];
    for (what, plain, path, least) in pairs {
        let mut bare = build_load(address, plain, options);
        let mut ours = build_load(service.address, path, options);
        let mut ratios = vec![];
        for _ in 0..options.measurement.rounds {
            let rates = [
                measure_rate(&mut bare, options).await?,
                measure_rate(&mut ours, options).await?,
            ];
            ratios.push(rates[1] / rates[0]);
        }
        ratios.sort_unstable_by(f64::total_cmp);
        let ratio = ratios[ratios.len() / 2];
        let judged = if ratio >= least { "met   " } else { "MISSED" };
        println!("{judged} {what}: {ratio:.2} (at least {least})");
    }
    Ok(())
}

fn get_request(path: &str) -> Request {
    let text = format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
    Request::Same(text.as_bytes().into())
}

fn build_load(address: SocketAddr, path: &str, options: &Options) -> Load {
    Load::new(address, vec![get_request(path); options.connections])
}

/// Requests per second.
async fn measure_rate(load: &mut Load, options: &Options) -> Result<f64> {
    load.run(Duration::from_millis(300)).await?;
    let measured = load.run(options.measurement.length()).await?;
    Ok(measured.latencies.len() as f64 / measured.lasted.as_secs_f64())
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}
