//! Opens the database at startup, and waits while the database server is unavailable.

use std::{sync::Arc, time::Duration};

use anyhow::{Context, Result};
use axum::{
    Router,
    extract::Request,
    http::{StatusCode, header},
    routing::get,
};
use gateway::{Code, Error};
use serde_json::json;
use store::Db;
use tokio::{
    net::TcpListener,
    sync::oneshot,
    task::JoinSet,
    time::{Instant, sleep, timeout},
};

use crate::{
    app,
    config::Config,
    http,
    reason::error_text,
    server::{self, Limits},
};

/// The first pause between two attempts. The backoff doubles it each time.
const PAUSE: Duration = Duration::from_millis(250);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// How often an unchanged error is logged again.
const SAID_EVERY: Duration = Duration::from_secs(60);

/// How long to wait for health check responses in flight before the service takes over the
/// listener.
const CLOSING: Duration = Duration::from_secs(2);

/// Opens the database and returns the listener. While the database server is unavailable, it
/// retries and responds to health checks. Errors that waiting cannot fix, such as a wrong password,
/// are returned.
pub(super) async fn open_when_available(
    config: &Config,
    listener: TcpListener,
) -> Result<(Db, TcpListener)> {
    let is_new = config.database_file().is_some_and(|file| !file.exists());
    let error = match app::open_database(config).await {
        Ok(db) => {
            if let Some(file) = config.database_file().filter(|_| is_new) {
                tracing::info!("nova base criada em {}", file.display());
            }
            return Ok((db, listener));
        }
        Err(error) => error,
    };
    if !is_retryable(config, &error) {
        return Err(error);
    }
    let listener = listener.into_std()?;
    let meanwhile = TcpListener::from_std(listener.try_clone()?)?;
    let (opened, stop) = oneshot::channel::<()>();
    // Dropping the set aborts its task.
    let mut answering = JoinSet::new();
    answering.spawn(server::serve(
        meanwhile,
        unavailable_router(config),
        Limits::default(),
        Arc::default(),
        async move { drop(stop.await) },
    ));
    let db = retry_open(config, error).await?;
    drop(opened);
    let _ = timeout(CLOSING, answering.join_next()).await;
    Ok((db, TcpListener::from_std(listener)?))
}

/// Retries with backoff until the database is open.
async fn retry_open(config: &Config, mut error: anyhow::Error) -> Result<Db> {
    let mut pause = PAUSE;
    let mut said: Option<(String, Instant)> = None;
    loop {
        let cause = error_text(&error);
        let is_said = said
            .as_ref()
            .is_some_and(|(before, at)| *before == cause && at.elapsed() < SAID_EVERY);
        if !is_said {
            tracing::warn!("{cause}; o serviço espera por ele");
            said = Some((cause, Instant::now()));
        }
        sleep(pause).await;
        pause = (pause * 2).min(LONGEST_PAUSE);
        error = match app::open_database(config).await {
            Ok(db) => {
                tracing::info!("o banco de dados respondeu");
                return Ok(db);
            }
            Err(error) if is_retryable(config, &error) => error,
            Err(error) => return Err(error).context("a espera pelo banco de dados terminou"),
        };
    }
}

fn is_retryable(config: &Config, error: &anyhow::Error) -> bool {
    config.database_file().is_none() && error.chain().any(store::is_server_unavailable)
}

/// Returns the routes while the database is unavailable: the process is healthy and not ready.
fn unavailable_router(config: &Config) -> Router {
    let providers: Vec<&str> = config.networks.iter().map(|app| app.facts.name).collect();
    let healthy = (
        [(header::CONTENT_TYPE, "application/json")],
        json!({ "ok": true, "service": "pauta", "providers": providers }).to_string(),
    );
    let unready = (
        StatusCode::SERVICE_UNAVAILABLE,
        [(header::CACHE_CONTROL, "no-store")],
        "o banco de dados ainda não respondeu\n",
    );
    Router::new()
        .route("/api/health", get(async move || healthy))
        .route("/readyz", get(async move || unready))
        .fallback(async |request: Request| {
            let error = Error::new(Code::UNAVAILABLE).with_retry_after(1);
            http::unrouted_error_response(error, request.headers())
        })
}
