//! `pauta serve`

use std::{net::SocketAddr, sync::Arc, time::Duration};

use anyhow::{Context, Result, ensure};
use axum::{Router, http::header, routing::get};
use tokio::net::TcpListener;

use super::{init_logs, told};
use crate::{
    app::{self, App, SystemClock},
    config::{Config, Sources},
    server::{self, Limits},
};

/// How long requests in flight may take to finish once a stop is asked for.
const GRACE: Duration = Duration::from_secs(30);

/// Connections at once to the listener of the metrics.
const METRICS_CONNECTIONS: usize = 64;

pub(super) async fn serve(sources: &Sources) -> Result<()> {
    let config = Config::read(sources)?;
    init_logs(config.log_format, "info,sqlx=warn");
    for name in sources.unknown() {
        tracing::warn!(name, "variável desconhecida; veja `pauta doctor`");
    }
    let db = app::open_database(&config).await?;
    if config.database_file().is_some() {
        app::migrate(&db).await?;
    } else {
        let pending = db
            .pending_migrations()
            .await
            .context("não foi possível saber se o banco de dados está atualizado")?;
        ensure!(
            pending == 0,
            "o banco de dados não está atualizado; rode `pauta migrate`"
        );
    }
    let (listener, address) = listen("--listen", config.listen).await?;
    let public_url = config
        .public_url
        .clone()
        .unwrap_or_else(|| format!("http://{address}"));
    let app = app::assemble(&config, db, public_url, Arc::new(SystemClock)).await?;
    if !tools::operator::has_members(&app.gateway)
        .await
        .map_err(told)?
    {
        tracing::warn!(
            "a equipe está vazia; crie o primeiro admin: pauta admin create --name NOME --email E-MAIL"
        );
    }
    if let Some(address) = config.metrics_listen {
        let (listener, address) = listen("PAUTA_METRICS_LISTEN", address).await?;
        tracing::info!(%address, "métricas no ar");
        let limits = Limits {
            connections: METRICS_CONNECTIONS,
            ..Limits::default()
        };
        let serving = server::serve(listener, metrics(&app), limits, std::future::pending());
        tokio::spawn(serving);
    }
    tracing::info!(%address, public_url = app.gateway.services.public_url, "no ar");
    let limits = Limits {
        connections: bearable(config.max_connections),
        ..Limits::default()
    };
    run(app, listener, limits, stop_asked()).await
}

/// As many connections as the process may have files for.
fn bearable(connections: usize) -> usize {
    let borne = server::allow_open_files(connections);
    if borne < connections {
        tracing::warn!(
            conexoes = borne,
            "o limite de arquivos abertos (ulimit -n) não comporta PAUTA_MAX_CONNECTIONS"
        );
    }
    borne
}

/// `/metrics`, on a listener of its own.
fn metrics(app: &App) -> Router {
    let gateway = app.gateway.clone();
    let media_type = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    let text = move || async move { ([(header::CONTENT_TYPE, media_type)], gateway.meters.text()) };
    Router::new().route("/metrics", get(text))
}

/// Listens where `setting` says.
pub(super) async fn listen(
    setting: &str,
    address: SocketAddr,
) -> Result<(TcpListener, SocketAddr)> {
    let listener = TcpListener::bind(address).await.with_context(|| {
        format!("não foi possível escutar em {address}; escolha outro endereço em {setting}")
    })?;
    let bound = listener.local_addr()?;
    Ok((listener, bound))
}

/// Serves until `stop`, then lets requests in flight finish.
pub(super) async fn run(
    app: App,
    listener: TcpListener,
    limits: Limits,
    stop: impl Future<Output = ()> + Send + 'static,
) -> Result<()> {
    // Aborted when it is dropped.
    let mut housekeeping = tokio::task::JoinSet::new();
    let housekeeper = app.clone();
    housekeeping.spawn(async move { housekeeper.keep_house().await });
    let housekeeper = app.clone();
    housekeeping.spawn(async move { housekeeper.keep_embedded().await });
    let (stopping, stopped) = tokio::sync::oneshot::channel();
    let asked = async move {
        stop.await;
        tracing::info!("parando: pedidos em andamento terminam");
        let _ = stopping.send(());
    };
    let serving = server::serve(listener, app.router(), limits, asked);
    let finishing = async {
        serving.await;
        // Callers may have gone whose work goes on.
        app.gateway.finish().await;
    };
    tokio::select! {
        () = finishing => {}
        () = async {
            let _ = stopped.await;
            tokio::time::sleep(GRACE).await;
        } => tracing::warn!("pedidos ainda em andamento foram interrompidos"),
    }
    drop(housekeeping);
    app.settle().await;
    Ok(())
}

/// SIGTERM or Ctrl-C.
pub(super) async fn stop_asked() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = tokio::signal::ctrl_c() => {}
            }
            return;
        }
    }
    let _ = tokio::signal::ctrl_c().await;
}
