//! Assembles the service: store, keys, gateway and router.

use std::sync::Arc;

use anyhow::{Context, Result};
use domain::time::Millis;
use gateway::{Gateway, Keys, Parts, Services};
use identity::{
    Credentials, EmbeddedIdentity, HostedSessions, LoginLimiter, Passwords, SessionKeys,
    authorization::AuthorizationServer,
};
use ipnet::IpNet;
use ports::{BlobStore, Clock, IdentityProvider, ImageGenerator, Network};
use store::Db;
use tools::{
    artifacts::Renderer,
    knowledge::Semantics,
    media::{ImageReader, Links},
    publishing::Connections,
    system::TestWrite,
};

use crate::{
    artifacts::Artifacts,
    config::{Config, Images, Issuer, NetworkApp},
    intake::Intake,
    private,
    providers::{
        client_documents::PublicDocuments, issuer::HostedIssuer, local_images::LocalImages,
        networks::OAuthNetwork, openai_embeddings::OpenAiEmbeddings, openai_images::OpenAiImages,
        pictures::ImageFiles, storage::Storage,
    },
    reason,
};

/// The system clock.
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
    pub intake: Arc<Intake>,
    pub trusted_proxies: Arc<[IpNet]>,
}

/// Opens the configured database. The embedded one is created with its directory, and only its
/// owner can read its files.
pub async fn open_database(config: &Config) -> Result<Db> {
    if let Some(file) = config.database_file() {
        private::database(&file)?;
    }
    Db::open(&config.database_url).await.context(
        "o banco de dados não pôde ser aberto; confira PAUTA_DATABASE_URL e se ele está no ar",
    )
}

/// Applies the migrations.
pub async fn migrate(db: &Db) -> Result<()> {
    db.migrate().await.context("as migrações falharam")
}

/// Assembles the service over an open, migrated database.
pub async fn assemble(
    config: &Config,
    db: Db,
    public_url: String,
    clock: Arc<dyn Clock>,
) -> Result<App> {
    let passwords = Passwords::default();
    let identity: Arc<dyn IdentityProvider> = match &config.issuer {
        Some(issuer) => Arc::new(HostedIssuer::new(issuer.clone())?),
        None => Arc::new(EmbeddedIdentity::new(passwords.clone(), public_url.clone())),
    };
    assemble_with(config, db, public_url, clock, identity, passwords).await
}

/// Assembles it with the given identity provider.
pub async fn assemble_with(
    config: &Config,
    db: Db,
    public_url: String,
    clock: Arc<dyn Clock>,
    identity: Arc<dyn IdentityProvider>,
    passwords: Passwords,
) -> Result<App> {
    let used = is_used(&db).await?;
    let keys = Arc::new(config.keys(used)?);
    require_keys(&db, &keys).await?;
    let sessions = session_keys(&db, &keys, &public_url, clock.now()).await?;
    let blobs: Arc<dyn BlobStore> = Arc::new(Storage::open(&config.storage)?);
    let images = image_generator(config)?;
    let issuer = identity.issuer().map(str::to_owned);
    let registry = Arc::new(match &issuer {
        Some(_) => tools::hosted_registry(),
        None => tools::registry(),
    });
    let documents = Artifacts::new(registry.clone(), public_url.clone(), issuer);
    let mut parts = Parts::default()
        .with(sessions)
        .with(passwords)
        .with(LoginLimiter::default())
        .with(TestWrite::default())
        .with::<Renderer>(Arc::new(documents))
        .with::<ImageReader>(Arc::new(ImageFiles))
        .with(connections(config, &db, &clock, &keys)?)
        .with(AuthorizationServer::new(
            Arc::new(PublicDocuments),
            config.clients.documents.clone(),
            config.clients.registration,
        ))
        .with(Links::new(keys.purpose("media links"), public_url.clone()));
    if let Some(semantics) = semantics(config)? {
        parts = parts.with(semantics);
    }
    if let Some(issuer) = &config.issuer {
        parts = parts.with(hosted_sessions(issuer)?);
    }
    let services = Services {
        db,
        clock,
        keys,
        identity,
        reads: Default::default(),
        queue: Default::default(),
        blobs,
        images,
        parts,
        public_url,
    };
    Ok(App {
        gateway: Gateway::new(registry, services, Arc::new(Credentials))?,
        intake: Arc::default(),
        trusted_proxies: config.trusted_proxies.clone().into(),
    })
}

/// Refuses when a stored secret cannot be opened. Before its migrations a database has none to open.
async fn require_keys(db: &Db, keys: &Keys) -> Result<()> {
    if db.pending_migrations().await? > 0 {
        return Ok(());
    }
    let opened = identity::sealed::require_keys(db, keys).await;
    opened.map_err(|error| anyhow::anyhow!(reason::cause(&error)))
}

/// The registered social networks, and the team's connections to them.
fn connections(
    config: &Config,
    db: &Db,
    clock: &Arc<dyn Clock>,
    keys: &Arc<Keys>,
) -> Result<Connections> {
    let networks = networks(config)?;
    Ok(Connections::new(
        networks,
        db.clone(),
        clock.clone(),
        keys.clone(),
    ))
}

/// The registered social networks.
pub(crate) fn networks(config: &Config) -> Result<Vec<Arc<dyn Network>>> {
    let adapter = |app: &NetworkApp| Ok(Arc::new(OAuthNetwork::new(app.clone())?) as Arc<_>);
    config.networks.iter().map(adapter).collect()
}

/// Whether a service has run on this database, and its keys are from a master secret.
pub(crate) async fn is_used(db: &Db) -> Result<bool> {
    let keys = store::accounts::signing_keys(&db.reader()).await;
    Ok(!keys.map_err(reason::refusal)?.is_empty())
}

/// The keys of the sessions; the first is made where there is none.
pub(crate) async fn session_keys(
    db: &Db,
    keys: &Keys,
    public_url: &str,
    now: Millis,
) -> Result<SessionKeys> {
    let loaded = SessionKeys::load(db, keys, public_url, now).await;
    loaded.map_err(|error| {
        anyhow::anyhow!("a chave das sessões não abriu: {}", reason::cause(&error))
    })
}

/// Checks the sessions of the configured issuer.
fn hosted_sessions(issuer: &Issuer) -> Result<HostedSessions> {
    Ok(HostedSessions::new(
        issuer.issuer.clone(),
        issuer.profile.clone(),
        issuer.hs256_secret.as_deref(),
        Arc::new(HostedIssuer::new(issuer.clone())?),
    ))
}

/// The configured image generator.
pub(crate) fn image_generator(config: &Config) -> Result<Arc<dyn ImageGenerator>> {
    Ok(match &config.images {
        Images::Local => Arc::new(LocalImages),
        Images::OpenAi(provider) => Arc::new(OpenAiImages::new(provider.clone())?),
    })
}

/// The semantic search, if a provider of embeddings is configured.
pub(crate) fn semantics(config: &Config) -> Result<Option<Semantics>> {
    Ok(match &config.embeddings {
        None => None,
        Some(provider) => {
            let embedder = OpenAiEmbeddings::new(provider.clone())?;
            Some(Semantics::new(Arc::new(embedder), provider.timeout))
        }
    })
}

pub(crate) fn cause(error: &gateway::Error) -> String {
    std::error::Error::source(error).map_or_else(|| error.to_string(), ToString::to_string)
}
