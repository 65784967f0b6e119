//! The service put together: store, keys, gateway and router.

use std::{sync::Arc, time::Duration};

use anyhow::{Context, Result};
use axum::Router;
use gateway::{Gateway, Keys, Parts, Registry, Services};
use identity::{Credentials, EmbeddedIdentity, LoginLimiter, Passwords, SessionKeys};
use ipnet::IpNet;
use ports::{BlobStore, Clock, IdentityProvider, ImageGenerator};
use store::Db;
use tools::{OPERATIONS, RAW_ROUTES, knowledge::Semantics, media::Links};

use crate::{
    artifacts::Artifacts,
    config::{Config, Images},
    intake::Intake,
    mcp, private,
    providers::{
        local_images::LocalImages, openai_embeddings::OpenAiEmbeddings,
        openai_images::OpenAiImages, storage::Storage,
    },
    reason, rest,
};

/// The machine's clock.
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(
        clippy::disallowed_methods,
        reason = "this is the clock that the others come from"
    )]
    fn now(&self) -> i64 {
        jiff::Timestamp::now().as_millisecond()
    }
}

/// A running service without its listener.
#[derive(Clone)]
pub struct App {
    pub gateway: Arc<Gateway>,
    pub artifacts: Arc<Artifacts>,
    pub intake: Arc<Intake>,
    pub trusted_proxies: Arc<[IpNet]>,
    pub tried_write: Arc<rest::TriedWrite>,
}

/// Opens the database of the configuration; the embedded one is made with its directory, and its
/// files are for their owner alone.
pub async fn open_database(config: &Config) -> Result<Db> {
    if let Some(file) = config.database_file() {
        private::database(&file)?;
    }
    Db::open(&config.database_url).await.context(
        "o banco de dados não pôde ser aberto; confira PAUTA_DATABASE_URL e se ele está no ar",
    )
}

/// Brings the schema up to date.
pub async fn migrate(db: &Db) -> Result<()> {
    db.migrate().await.context("as migrações falharam")
}

/// Puts the service together over an open, migrated database.
pub async fn assemble(
    config: &Config,
    db: Db,
    public_url: String,
    clock: Arc<dyn Clock>,
) -> Result<App> {
    let passwords = Passwords::default();
    let identity = Arc::new(EmbeddedIdentity::new(passwords.clone(), public_url.clone()));
    assemble_with(config, db, public_url, clock, identity, passwords).await
}

/// The same, with an identity provider of the caller's choice.
pub async fn assemble_with(
    config: &Config,
    db: Db,
    public_url: String,
    clock: Arc<dyn Clock>,
    identity: Arc<dyn IdentityProvider>,
    passwords: Passwords,
) -> Result<App> {
    let keys = Keys::derive(config.master_secret()?.as_bytes());
    let sessions = SessionKeys::load(&db, &keys, &public_url, clock.now())
        .await
        .map_err(|error| {
            anyhow::anyhow!("a chave das sessões não abriu: {}", reason::cause(&error))
        })?;
    let blobs: Arc<dyn BlobStore> = Arc::new(Storage::open(&config.storage)?);
    let images = image_generator(config)?;
    let mut parts = Parts::default()
        .with(sessions)
        .with(passwords)
        .with(LoginLimiter::default())
        .with(Links::new(keys.purpose("media links"), public_url.clone()));
    if let Some(semantics) = semantics(config)? {
        parts = parts.with(semantics);
    }
    let registry = Registry::new(OPERATIONS, RAW_ROUTES);
    let services = Services {
        db,
        clock,
        keys,
        identity,
        reads: Default::default(),
        blobs,
        images,
        parts,
        public_url,
    };
    Ok(App {
        gateway: Gateway::new(registry, services, Arc::new(Credentials)),
        artifacts: Arc::default(),
        intake: Arc::default(),
        trusted_proxies: config.trusted_proxies.clone().into(),
        tried_write: Arc::default(),
    })
}

/// The maker of images that is configured.
pub(crate) fn image_generator(config: &Config) -> Result<Arc<dyn ImageGenerator>> {
    Ok(match &config.images {
        Images::Local => Arc::new(LocalImages),
        Images::OpenAi(provider) => Arc::new(OpenAiImages::new(provider.clone())?),
    })
}

/// The search by sense, where a provider of embeddings is configured.
pub(crate) fn semantics(config: &Config) -> Result<Option<Semantics>> {
    Ok(match &config.embeddings {
        None => None,
        Some(provider) => {
            let embedder = OpenAiEmbeddings::new(provider.clone())?;
            Some(Semantics::new(Arc::new(embedder), provider.patience))
        }
    })
}

pub(crate) fn cause(error: &gateway::Error) -> String {
    std::error::Error::source(error).map_or_else(|| error.to_string(), ToString::to_string)
}

impl App {
    /// Every route of the service.
    pub fn router(&self) -> Router {
        rest::router(self, mcp::service(self))
    }

    /// Writes gathered reads every few seconds, and forgets what is over every hour.
    pub async fn keep_house(&self) {
        const EVERY: Duration = Duration::from_secs(5);
        const SWEEPS: u32 = 720;
        let services = &self.gateway.services;
        let mut tick = tokio::time::interval(EVERY);
        for round in 1u32.. {
            tick.tick().await;
            let now = services.clock.now();
            if let Err(error) = services.reads.flush(&services.db, now, false).await {
                tracing::warn!(error = cause(&error), "gathered reads could not be written");
            }
            if round % SWEEPS == 1
                && let Err(error) = self.sweep(now).await
            {
                tracing::warn!(error = cause(&error), "the sweep failed");
            }
        }
    }

    /// Forgets what is over, which may be much at once: on a thread for blocking work.
    async fn sweep(&self, now: i64) -> gateway::Result<()> {
        let gateway = self.gateway.clone();
        let here = tokio::runtime::Handle::current();
        let work = move || here.block_on(sweep(&gateway.services, now));
        let swept = tokio::task::spawn_blocking(work).await;
        swept.map_err(gateway::Error::internal)?
    }

    /// Embeds what comes into the knowledge base, where a provider is configured.
    pub async fn keep_embedded(&self) {
        const EVERY: Duration = Duration::from_secs(5);
        const AFTER_A_FAILURE: Duration = Duration::from_secs(60);
        const LONGEST: Duration = Duration::from_secs(600);
        let services = &self.gateway.services;
        let Some(semantics) = services.parts.find::<Semantics>() else {
            return;
        };
        loop {
            let kept = semantics.keep_up(&services.db, &*services.clock).await;
            let wait = match kept {
                Ok(()) => EVERY,
                Err(error) => {
                    tracing::warn!(error = cause(&error), "the embeddings are not up to date");
                    let told = error.wait().map(Duration::from_secs);
                    told.unwrap_or(AFTER_A_FAILURE).min(LONGEST)
                }
            };
            tokio::time::sleep(wait).await;
        }
    }

    /// Writes what is still in memory.
    pub async fn settle(&self) {
        let services = &self.gateway.services;
        if let Err(error) = services
            .reads
            .flush(&services.db, services.clock.now(), true)
            .await
        {
            tracing::warn!(error = cause(&error), "gathered reads were lost");
        }
    }
}

async fn sweep(services: &Services, now: i64) -> gateway::Result<()> {
    let tx = services.db.begin().await?;
    store::idempotency::sweep(&tx.conn(), now).await?;
    store::accounts::sweep(&tx.conn(), now).await?;
    store::media_jobs::sweep(&tx.conn(), now).await?;
    tx.commit().await?;
    let tx = services.db.begin().await?;
    let profile = services
        .parts
        .find::<Semantics>()
        .and_then(Semantics::profile);
    store::knowledge::vectors::sweep(&tx.conn(), profile.as_ref(), now).await?;
    tx.commit().await?;
    let removed = tools::media::sweep(services, now).await?;
    if removed > 0 {
        tracing::info!(removed, "unused files were removed from the storage");
    }
    Ok(())
}
