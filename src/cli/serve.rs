//! `pauta serve`

use std::{fs::File, net::SocketAddr, sync::Arc, time::Duration};

use anyhow::{Context, Result, ensure};
use identity::FirstAccess;
use store::Db;
use tokio::{net::TcpListener, sync::watch, task::JoinSet, time::timeout};
use tools::system::{Draining, storage_fault};

use super::{logs::init_logs, metrics::metrics_router, terminal::out, waiting};
use crate::{
    app::{self, App, SystemClock},
    config::{Config, Sources},
    private,
    providers::{install_tls_provider, spool::Spool},
    reason::{self, into_anyhow},
    server::{self, Limits, Traffic},
    traces::{self, Exporter},
};

/// How long requests in flight may continue after a shutdown is requested.
const GRACE: Duration = Duration::from_secs(30);

/// The timeout of the storage check at startup.
const STORAGE_ANSWER: Duration = Duration::from_secs(3);

/// Maximum connections to the metrics listener.
const METRICS_CONNECTIONS: usize = 64;

pub(super) async fn serve(sources: &Sources) -> Result<()> {
    let mut stop = tokio::spawn(wait_for_stop_signal());
    let started = tokio::select! {
        biased;
        _ = &mut stop => {
            tracing::info!("parando antes de atender");
            return Ok(());
        }
        started = start_service(sources) => started?,
    };
    let stop = async move { drop(stop.await) };
    run(started.app, started.listener, started.serving, stop).await
}

/// A service that is ready to accept connections.
struct Started {
    app: App,
    listener: TcpListener,
    serving: Serving,
    /// The lock file of the embedded database, which keeps other services from opening it.
    _held: Option<File>,
}

async fn start_service(sources: &Sources) -> Result<Started> {
    let config = Config::read(sources)?;
    let (spans, exporter) = match &config.traces {
        None => (None, None),
        Some(settings) => {
            install_tls_provider();
            let (spans, exporter) = traces::start(settings, Arc::new(SystemClock))?;
            (Some(spans), Some(exporter))
        }
    };
    init_logs(config.log_format, "info", spans);
    for name in sources.unknown_names() {
        tracing::warn!("{name}; veja `pauta doctor`");
    }
    let file = config.database_file();
    let held = file.as_deref().map(private::lock_database).transpose()?;
    let (listener, address) = listen("--listen", config.listen).await?;
    let (db, listener) = waiting::open_when_available(&config, listener).await?;
    let migrations = if file.is_some() {
        app::migrate(&db).await?
    } else {
        let pending = db
            .pending_migrations()
            .await
            .context("não foi possível saber se o banco de dados está atualizado")?;
        ensure!(
            pending == 0,
            "o banco de dados não está atualizado; rode `pauta migrate`"
        );
        0
    };
    let database = database_location(&config, &db);
    let public_url = config
        .public_url
        .clone()
        .unwrap_or_else(|| format!("http://{address}"));
    if let Some(held) = &held {
        private::write_service_url(held, &public_url)
            .context("o arquivo ao lado do banco de dados não pôde ser escrito")?;
    }
    if config.public_url.is_none() && !address.ip().is_loopback() {
        tracing::warn!(
            "sem PAUTA_PUBLIC_URL, convites, links e documentos levam o endereço {public_url}, que \
             outras máquinas talvez não alcancem; defina PAUTA_PUBLIC_URL com o endereço público"
        );
    }
    let app = app::assemble(&config, db, public_url, Arc::new(SystemClock)).await?;
    offer_first_access(&app).await?;
    warn_about_storage(&app, &config).await;
    delete_incomplete_uploads(&app, &config).await;
    let traffic = Arc::<Traffic>::default();
    if let Some(exporter) = &exporter {
        app.gateway.metrics.add_source(exporter.measures());
        let receiver = config
            .traces
            .as_ref()
            .and_then(|export| export.url.host_str());
        tracing::info!(receiver, "rastros são exportados");
    }
    if let Some(address) = config.metrics_listen {
        let (listener, address) = listen("PAUTA_METRICS_LISTEN", address).await?;
        tracing::info!(%address, "métricas no ar");
        let limits = Limits {
            connections: METRICS_CONNECTIONS,
            ..Limits::default()
        };
        let own = Arc::<Traffic>::default();
        let serving = server::serve(
            listener,
            metrics_router(&app, traffic.clone()),
            limits,
            own,
            std::future::pending(),
        );
        tokio::spawn(serving);
    }
    tracing::info!(
        %address,
        public_url = app.gateway.services.public_url,
        version = env!("CARGO_PKG_VERSION"),
        commit = option_env!("GIT_COMMIT"),
        database,
        storage = %config.storage,
        migrations,
        "no ar"
    );
    let limits = Limits {
        connections: limit_connections(config.max_connections),
        ..Limits::default()
    };
    Ok(Started {
        app,
        listener,
        serving: Serving {
            limits,
            drain: config.drain,
            traffic,
            exporter,
        },
        _held: held,
    })
}

/// Returns the database type and location, without credentials.
fn database_location(config: &Config, db: &Db) -> String {
    match (db.server_location(), config.database_file()) {
        (Some(place), _) => format!("PostgreSQL {place}"),
        (None, Some(file)) => format!("SQLite {}", file.display()),
        (None, None) => "SQLite".into(),
    }
}

/// Warns if the media storage cannot be read. The check has a timeout, because a slow bucket must
/// not delay the start.
async fn warn_about_storage(app: &App, config: &Config) {
    let fault = storage_fault(&app.gateway.services);
    let late = |_| Some("a guarda de mídias demora a responder");
    if let Some(fault) = timeout(STORAGE_ANSWER, fault).await.unwrap_or_else(late) {
        tracing::warn!(
            storage = %config.storage,
            "{}; /readyz responde 503; confira PAUTA_STORAGE, se o disco está montado e, com um bucket, \
             PAUTA_S3_*",
            fault.trim_end()
        );
    }
}

/// Deletes incomplete uploads of earlier processes. Warns if the folder of uploads is in memory.
async fn delete_incomplete_uploads(app: &App, config: &Config) {
    let blobs = app.gateway.services.blobs.clone();
    let folder = config.incoming.display();
    match gateway::offload(move || blobs.delete_temporary_files())
        .await
        .flatten()
    {
        Ok(0) => {}
        Ok(files) => {
            tracing::info!(files, %folder, "arquivos de recebimentos interrompidos removidos");
        }
        Err(error) => tracing::warn!(
            %folder,
            error = reason::explain_cause(&error),
            "arquivos de recebimentos interrompidos não puderam ser removidos"
        ),
    }
    if Spool::in_folder(config.incoming.clone()).is_in_memory() {
        tracing::warn!(
            %folder,
            "os arquivos que chegam ficam nesta pasta até o fim, e ela está na memória (tmpfs); \
             ponha PAUTA_STORAGE ou o banco de dados em um disco"
        );
    }
}

/// Tells the operator how to create the first admin, if the team is empty. The one-time code is printed
/// and never logged.
async fn offer_first_access(app: &App) -> Result<()> {
    let services = &app.gateway.services;
    if tools::operator::has_members(&app.gateway)
        .await
        .map_err(into_anyhow)?
    {
        return Ok(());
    }
    if services.identity.issuer().is_none() {
        let code = services
            .parts
            .get::<FirstAccess>()
            .open_with_new_code()
            .map_err(into_anyhow)?;
        out!(
            "A equipe está vazia. Crie o primeiro admin em {}/primeiro-acesso\n\
             com este código, que vale até haver um admin ou este processo terminar: {code}",
            services.public_url
        );
    }
    tracing::warn!(
        "a equipe está vazia; crie o primeiro admin: pauta admin create --name NOME --email E-MAIL"
    );
    Ok(())
}

/// Reduces the number of connections to the process's limit of open files.
fn limit_connections(connections: usize) -> usize {
    let borne = server::allow_open_files(connections);
    if borne < connections {
        tracing::warn!(
            conexoes = borne,
            "o limite de arquivos abertos (ulimit -n) não comporta PAUTA_MAX_CONNECTIONS"
        );
    }
    borne
}

/// Binds the address and returns the listener with its address. Errors name `setting`.
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

/// The parameters of `run`.
pub(super) struct Serving {
    pub limits: Limits,
    /// How long `/readyz` responds with 503 while the service still accepts connections, at the
    /// start of a shutdown.
    pub drain: Duration,
    pub traffic: Arc<Traffic>,
    /// The exporter of traces, which ends last.
    pub exporter: Option<Exporter>,
}

/// Serves until `stop` completes, then waits for the requests in flight.
pub(super) async fn run(
    app: App,
    listener: TcpListener,
    serving: Serving,
    stop: impl Future<Output = ()> + Send + 'static,
) -> Result<()> {
    let (stopping, stopped) = watch::channel(false);
    // Dropping a set aborts its tasks.
    let (mut writing, mut jobs) = (JoinSet::new(), JoinSet::new());
    let (ended, has_ended) = watch::channel(false);
    let exporting = serving
        .exporter
        .map(|exporter| tokio::spawn(exporter.run(has_ended)));
    let writer = app.clone();
    writing.spawn(async move { writer.run_read_log().await });
    let counter = app.clone();
    writing.spawn(async move { counter.run_quotas().await });
    jobs.spawn(app.worker().run(wait_for_shutdown(stopped.clone())));
    let streams = app.clone();
    let traffic = serving.traffic.clone();
    let asked = async move {
        stop.await;
        traffic.close_after_responses();
        if !serving.drain.is_zero() {
            streams
                .gateway
                .services
                .parts
                .get::<Draining>()
                .begin_draining();
            tracing::info!("parando: /readyz já responde 503, e conexões novas ainda são aceitas");
            tokio::time::sleep(serving.drain).await;
        }
        tracing::info!("parando: pedidos em andamento terminam");
        let _ = stopping.send(true);
        if let Some(live) = streams.gateway.services.parts.find::<console::Live>() {
            live.end_streams();
        }
    };
    let router = crate::router(&app);
    let served = server::serve(listener, router, serving.limits, serving.traffic, asked);
    let finishing = async {
        served.await;
        // Some calls continue after their client has disconnected.
        app.gateway.wait_for_detached_calls().await;
        jobs.join_next().await;
    };
    tokio::select! {
        () = finishing => {}
        () = async {
            wait_for_shutdown(stopped).await;
            tokio::time::sleep(GRACE).await;
        } => tracing::warn!("pedidos ainda em andamento foram interrompidos"),
    }
    drop(writing);
    app.write_all_reads().await;
    app.share_counted_calls().await;
    let _ = ended.send(true);
    if let Some(exporting) = exporting {
        let _ = exporting.await;
    }
    Ok(())
}

/// Waits until the shutdown begins.
async fn wait_for_shutdown(mut stopped: watch::Receiver<bool>) {
    let _ = stopped.wait_for(|stopped| *stopped).await;
}

/// Waits for SIGTERM or Ctrl-C.
pub(super) async fn wait_for_stop_signal() {
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
