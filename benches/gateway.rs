//! Compares the service with a bare axum handler and a server written by hand.
//!
//! `cargo bench --bench gateway` builds the release binary, fills a database, runs each server in
//! its own process and prints one table. See `benches/README.md`.

#[path = "gateway/data.rs"]
mod data;
#[path = "gateway/load.rs"]
mod load;
#[path = "support/options.rs"]
mod options;
#[path = "gateway/process.rs"]
mod process;
#[path = "gateway/report.rs"]
mod report;
#[path = "gateway/scenario.rs"]
mod scenario;
#[path = "support/stopped.rs"]
mod stopped;

use std::{collections::BTreeMap, path::PathBuf, time::Duration};

use anyhow::{Context, Result, ensure};
use by_hand::{bare, over_rusqlite};
use clap::{Args, Parser, Subcommand};

use data::Data;
use load::Load;
use options::Measurement;
use process::{Server, cpu_time, measure_startup};
use report::{Report, Sample};
use scenario::{Scenario, ServerKind};

// The same allocator as in the service, so that it does not influence the comparison.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The number of measured starts; the median is reported.
const STARTS: usize = 10;

/// The cost of the gateway, compared with a bare axum handler and a server written by hand.
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
    #[arg(long, default_value_t = 32)]
    connections: usize,
    /// The number of events in the database.
    #[arg(long, default_value_t = 10_000)]
    events: usize,
    /// The number of history entries of each event.
    #[arg(long, default_value_t = 1)]
    history: usize,
    /// Also measures the servers over sqlx and over other MCP libraries. `benches/peers/install`
    /// installs them in this folder.
    #[arg(long)]
    peers: Option<PathBuf>,
    /// Compares over PostgreSQL instead of SQLite, with the server by hand in the folder of
    /// `--peers`. Replaces the databases `pauta_bench_hand` and `pauta_bench_service` of the server
    /// at this URL.
    #[arg(long, requires = "peers")]
    postgres: Option<String>,
    /// Measures only the scenarios with these names.
    #[arg(long, value_delimiter = ',')]
    only: Vec<Scenario>,
}

// This program also contains the baseline servers and starts them as child processes of itself.
#[derive(Subcommand)]
enum Role {
    #[command(hide = true)]
    ServeBare { port: u16, answer: PathBuf },
    #[command(hide = true)]
    ServeHand { port: u16, database: PathBuf },
}

fn main() -> Result<()> {
    let cli = Cli::parse();
    match cli.role {
        Some(Role::ServeBare { port, answer }) => serve(bare::serve(port, answer)),
        Some(Role::ServeHand { port, database }) => serve(over_rusqlite::serve(port, database)),
        None => {
            let options = &cli.options;
            options.measurement.run("gateway", measure(options))
        }
    }
}

fn serve(server: impl Future<Output = Result<()>>) -> Result<()> {
    tokio::runtime::Runtime::new()?.block_on(server)
}

async fn measure(options: &Options) -> Result<()> {
    ensure!(
        options.measurement.rounds > 0 && options.connections > 0 && options.history > 0,
        "rounds, connections and history must be positive"
    );
    // The scenarios of peers need SQLite.
    let with_peers = options.peers.is_some() && options.postgres.is_none();
    let chosen = Scenario::select(&options.only, with_peers);
    let folder = tempfile::tempdir()?;
    eprintln!("filling {} events…", options.events);
    let mut data = Data::create(
        folder.path(),
        &options.measurement.binary,
        [options.events, options.history],
        options.connections,
    )?;

    if let Some(server) = &options.postgres {
        data.copy_to_server(server).await?;
    }
    let data = data;

    let mut report = Report::default();
    let with_pauta = chosen.iter().any(|s| s.server() == ServerKind::Pauta);
    if with_pauta {
        eprintln!("starting up {STARTS} times…");
        // The first start creates the keys, so that the measured starts find them.
        measure_startup(&data).await?;
        for _ in 0..STARTS {
            report.starts.push(measure_startup(&data).await?);
        }
    }

    let hand = Server::start_by_hand(&data, options.peers.as_deref()).await?;
    let mut servers = BTreeMap::from([(ServerKind::Hand, hand)]);
    if with_pauta {
        servers.insert(ServerKind::Pauta, Server::start_service(&data).await?);
    }
    if let Some(packages) = &options.peers {
        let is_chosen = |kind| chosen.iter().any(|s| s.server() == kind);
        if is_chosen(ServerKind::Sqlx) {
            servers.insert(ServerKind::Sqlx, Server::start_sqlx(&data, packages).await?);
        }
        if is_chosen(ServerKind::Typescript) {
            let typescript = Server::start_typescript(&data, packages).await?;
            servers.insert(ServerKind::Typescript, typescript);
        }
        if is_chosen(ServerKind::Fastmcp) {
            let fastmcp = Server::start_fastmcp(&data, packages).await?;
            servers.insert(ServerKind::Fastmcp, fastmcp);
        }
    }
    let answer = scenario::check_answers(&chosen, &data, &servers).await?;
    servers.insert(ServerKind::Bare, Server::start_bare(&data, &answer).await?);
    tokio::time::sleep(Duration::from_secs(1)).await;
    let resident = |servers: &BTreeMap<ServerKind, Server>| {
        [ServerKind::Hand, ServerKind::Pauta].map(|kind| servers.get(&kind)?.resident_memory())
    };
    report.idle = resident(&servers);

    let mut runs = vec![];
    for scenario in &chosen {
        let server = &servers[&scenario.server()];
        let load = Load::new(
            server.address,
            scenario.build_requests(&data, options.connections),
        );
        runs.push((*scenario, server, load));
    }
    for round in 1..=options.measurement.rounds {
        for (scenario, server, load) in &mut runs {
            eprintln!(
                "round {round}: {} (pid {})…",
                scenario.title(),
                server.pid()
            );
            load.run(Duration::from_millis(500)).await?;
            let before = [cpu_time(server.pid()), cpu_time(std::process::id())];
            let measured = load
                .run(options.measurement.length())
                .await
                .with_context(|| format!("{}: {}", scenario.title(), server.log_tail()))?;
            let after = [cpu_time(server.pid()), cpu_time(std::process::id())];
            report.add_sample(*scenario, Sample::from_run(measured, before, after));
        }
    }
    report.loaded = resident(&servers);
    println!(
        "\n{} connections, {} events, {} rounds of {} s, {} bytes in a read\n\n{report}",
        options.connections,
        options.events,
        options.measurement.rounds,
        options.measurement.length().as_secs(),
        answer.len()
    );
    Ok(())
}
