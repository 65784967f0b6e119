//! Assembles the service: store, keys, gateway and router.

use std::sync::Arc;

use anyhow::{Context, Result};
use domain::time::{MINUTE, Millis};
use gateway::{Changes, Gateway, Keys, Parts, Pepper, Quotas, Services, SharedSecrets};
use identity::{
    CredentialCheck, EmbeddedIdentity, EntryCode, FirstAccess, HostedSessions, Passwords,
    SessionKeys, authorization::AuthorizationServer, mail::MailDelivery,
};
use ipnet::IpNet;
use ports::{
    BlobStore, Clock, IdentityProvider, ImageGenerator, Network, SalesSource, Topics,
    figures::PostFigures, publishing::PublishingNetwork,
};
use store::Db;
use tools::{
    artifacts::Renderer,
    knowledge::{DocumentReader, Semantics, script::Writer},
    mcp::ViewDrawer,
    media::{FileDownloader, ImageReader, Links},
    publishing::{
        Connections,
        results::{FiguresNetwork, ResultsDesk},
        scheduled::{PostDesk, PostNetwork},
        shortvideo::Desk,
    },
    push::Pushing,
    system::{Draining, TestWrite},
    timeline::{Connectors, LEAD_SECRET, Pace, Retention, TIMELINE_SECRET},
    video::Maker,
    webhooks::WebhookDelivery,
};

use crate::{
    artifacts::{Artifacts, CatalogSamples},
    config::{Config, Images, Issuer, NetworkApp, TextApi, VideoApi},
    intake::Intake,
    networks::{At, Base},
    privacy, private,
    providers::{
        anthropic_text::AnthropicText,
        client_documents::PublicDocuments,
        gemini_interactions::GeminiInteractions,
        hotmart::Hotmart,
        instagram::Instagram,
        install_tls_provider,
        issuer::HostedIssuer,
        linkedin::{LinkedIn, NoFigures},
        local_images::LocalImages,
        meta::Meta,
        networks::OAuthNetwork,
        openai_embeddings::OpenAiEmbeddings,
        openai_images::OpenAiImages,
        openai_text::OpenAiText,
        openai_videos::OpenAiVideos,
        pdf::PdfReader,
        pictures::ImageFiles,
        push::PushServices,
        remote_files::PublicFiles,
        runway::Runway,
        smtp::Smtp,
        sns::Sns,
        storage::Storage,
        tiktok::TikTok,
        tiktok::TikTokPosts,
        webhooks::PublicReceivers,
        youtube::YouTube,
    },
    reason,
    views::ConsoleViews,
};

/// The system clock.
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(
        clippy::disallowed_methods,
        reason = "only this clock reads the system time"
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

/// Opens the configured database. A missing embedded database is created with its folder, and its files
/// are restricted to their owner.
pub async fn open_database(config: &Config) -> Result<Db> {
    if let Some(file) = config.database_file() {
        private::protect_database_files(&file)?;
    }
    connect(config).await.context(
        "o banco de dados não pôde ser aberto; confira PAUTA_DATABASE_URL e se ele está no ar",
    )
}

/// Opens the configured database without creating it or changing its permissions.
pub(crate) async fn connect(config: &Config) -> Result<Db> {
    let direct = config.database_direct_url.as_deref();
    Ok(Db::open_with_direct(&config.database_url, direct).await?)
}

/// Applies the pending migrations and returns their number.
pub async fn migrate(db: &Db) -> Result<usize> {
    db.migrate().await.context("as migrações falharam")
}

/// Assembles the service over an open, migrated database.
pub async fn assemble(
    config: &Config,
    db: Db,
    public_url: String,
    clock: Arc<dyn Clock>,
) -> Result<App> {
    install_tls_provider();
    let passwords = Passwords::default();
    let identity: Arc<dyn IdentityProvider> = match &config.issuer {
        Some(issuer) => Arc::new(HostedIssuer::new(issuer.clone())?),
        None => Arc::new(EmbeddedIdentity::new(passwords.clone(), public_url.clone())),
    };
    assemble_with(config, db, public_url, clock, identity, passwords).await
}

/// Assembles the service with the given identity provider.
pub async fn assemble_with(
    config: &Config,
    db: Db,
    public_url: String,
    clock: Arc<dyn Clock>,
    identity: Arc<dyn IdentityProvider>,
    passwords: Passwords,
) -> Result<App> {
    let used = has_session_keys(&db).await?;
    let keys = Arc::new(config.load_keys(used)?);
    require_decryptable_secrets(&db, &keys).await?;
    let sessions = load_session_keys(&db, &keys, &public_url, clock.now()).await?;
    let blobs: Arc<dyn BlobStore> = Arc::new(Storage::open(config)?);
    let images = image_generator(config)?;
    let issuer = identity.issuer().map(str::to_owned);
    let table = match &issuer {
        Some(_) => tools::hosted_registry(),
        None => tools::registry(),
    };
    let registry = table
        .with_console(&console::AREA, console::page_entries())
        .with_console(&tools::media::AREA, tools::media::FOR_CONSOLE)
        .with_console(&tools::publishing::AREA, tools::publishing::FOR_CONSOLE);
    let registry = Arc::new(registry);
    let documents = Artifacts::new(registry.clone(), public_url.clone(), issuer);
    let mut parts = Parts::default()
        .with(sessions)
        .with(passwords)
        .with(FirstAccess::default())
        .with(EntryCode::default())
        .with(TestWrite::default())
        .with(Draining::default())
        .with(registry.clone())
        .with(console::build_table(
            registry.clone(),
            Arc::new(CatalogSamples::new(public_url.clone())),
        ))
        .with(console::Live::new(config.max_connections))
        .with(privacy::describe_installation(config))
        .with::<Renderer>(Arc::new(documents))
        .with::<ViewDrawer>(Arc::new(ConsoleViews))
        .with::<ImageReader>(Arc::new(ImageFiles))
        .with::<FileDownloader>(Arc::new(PublicFiles::new(config.import_origins.clone())?))
        .with::<WebhookDelivery>(Arc::new(PublicReceivers::new(
            config.webhook_origins.clone(),
        )?))
        .with(Pushing::new(
            Arc::new(PushServices::new(config.push.origins.clone())?),
            push_contact(config, &public_url),
        ))
        .with(DocumentReader::new(Arc::new(PdfReader::new()?)))
        .with(connections(config, &public_url, &db, &clock, &keys)?)
        .with(authorization_server(config))
        .with(Links::new(
            keys.purpose_key("media links"),
            public_url.clone(),
        ));
    let pepper = Pepper::load(&db, &keys, clock.now()).await;
    let timeline = &config.timeline;
    let secrets = SharedSecrets::default()
        .with_secret(TIMELINE_SECRET.setting, timeline.token.as_deref())
        .with_secret(LEAD_SECRET.setting, timeline.lead_token.as_deref());
    parts = parts
        .with(pepper.map_err(reason::into_anyhow)?)
        .with(secrets)
        .with(Pace::default())
        .with(Retention(timeline.months))
        .with(connectors(config)?);
    if !timeline.topics.arns.is_empty() {
        let sns = Sns::new(timeline.topics.clone())?;
        parts = parts.with::<Arc<dyn Topics>>(Arc::new(sns));
    }
    if let Some(sender) = mail_sender(config)? {
        parts = parts.with::<MailDelivery>(sender);
    }
    if let Some(semantics) = semantics(config)? {
        parts = parts.with(semantics);
    }
    if let Some(writer) = text_writer(config)? {
        parts = parts.with(writer);
    }
    if let Some(maker) = video_maker(config)? {
        parts = parts.with(maker);
    }
    if let Some(issuer) = &config.issuer {
        parts = parts.with(hosted_sessions(issuer)?);
    }
    if let Some(desk) = tiktok_publisher(config)? {
        parts = parts.with(desk);
    }
    if let Some(desk) = post_publisher(config, &blobs)? {
        parts = parts.with(desk);
    }
    if let Some(desk) = results_reader(config, &blobs)? {
        parts = parts.with(desk);
    }
    let services = Services {
        changes: Changes::new(db.clone()),
        db,
        clock,
        keys,
        identity,
        reads: Default::default(),
        refusals: Default::default(),
        quotas: Quotas::new(config.quotas),
        queue: Default::default(),
        blobs,
        images,
        parts,
        public_url,
    };
    Ok(App {
        gateway: Gateway::new(registry, services, Arc::new(CredentialCheck))?,
        intake: Arc::default(),
        trusted_proxies: config.trusted_proxies.clone().into(),
    })
}

/// Fails if a secret in the database cannot be decrypted with `keys`. Skipped while migrations are
/// pending.
async fn require_decryptable_secrets(db: &Db, keys: &Keys) -> Result<()> {
    if db.pending_migrations().await? > 0 {
        return Ok(());
    }
    let opened = identity::sealed::require_keys(db, keys).await;
    opened.map_err(|error| anyhow::anyhow!(reason::explain_cause(&error)))
}

/// Builds the authorization server from the configuration.
fn authorization_server(config: &Config) -> AuthorizationServer {
    let clients = &config.clients;
    let documents = Arc::new(PublicDocuments);
    AuthorizationServer::new(documents, clients.documents.clone(), clients.registration)
        .with_apps_challenge(clients.apps_challenge.clone())
}

/// Builds the service that connects the team to the registered social networks.
fn connections(
    config: &Config,
    public_url: &str,
    db: &Db,
    clock: &Arc<dyn Clock>,
    keys: &Arc<Keys>,
) -> Result<Connections> {
    let networks = network_adapters(config)?;
    Ok(Connections::new(
        networks,
        public_url,
        db.clone(),
        clock.clone(),
        keys.clone(),
    ))
}

/// Builds the publisher of TikTok posts; `None` if TikTok is not registered.
fn tiktok_publisher(config: &Config) -> Result<Option<Desk>> {
    let mut apps = config.networks.iter();
    let Some(app) = apps.find(|app| app.facts.name == "shortvideo") else {
        return Ok(None);
    };
    let adapter = TikTok::new(app.endpoint_url(At(Base::Api, "")), app.timeout)?;
    Ok(Some(Desk::new(Arc::new(adapter), config.tiktok_audited)))
}

/// Builds the publisher of variants; `None` if no registered network supports publishing.
fn post_publisher(config: &Config, blobs: &Arc<dyn BlobStore>) -> Result<Option<PostDesk>> {
    let mut networks = vec![];
    for app in &config.networks {
        let base = app.endpoint_url(At(Base::Api, ""));
        let (timeout, blobs) = (app.timeout, blobs.clone());
        let api: Arc<dyn PublishingNetwork> = match app.facts.name {
            "instagram" => Arc::new(Instagram::new(base, timeout)?),
            "youtube" => {
                let uploads = config.youtube_uploads_a_day;
                Arc::new(YouTube::new(base, timeout, blobs, uploads)?)
            }
            "linkedin" => {
                let version = config.linkedin_version.clone();
                Arc::new(LinkedIn::new(base, timeout, version, blobs)?)
            }
            "shortvideo" => {
                let is_audited = config.tiktok_audited;
                Arc::new(TikTokPosts::new(base, timeout, blobs, is_audited)?)
            }
            _ => continue,
        };
        networks.push(PostNetwork {
            name: app.facts.channel,
            connection: app.facts.name,
            title: app.facts.title,
            api,
        });
    }
    let late_after = i64::from(config.publish_late_minutes) * MINUTE;
    Ok((!networks.is_empty()).then(|| PostDesk::new(networks, late_after)))
}

/// Builds the reader of the figures of posts; `None` if no registered network supports reading figures.
fn results_reader(config: &Config, blobs: &Arc<dyn BlobStore>) -> Result<Option<ResultsDesk>> {
    let mut networks = vec![];
    for app in &config.networks {
        let base = app.endpoint_url(At(Base::Api, ""));
        let api: Arc<dyn PostFigures> = match app.facts.name {
            "instagram" => Arc::new(Instagram::new(base, app.timeout)?),
            "youtube" => {
                let uploads = config.youtube_uploads_a_day;
                Arc::new(YouTube::new(base, app.timeout, blobs.clone(), uploads)?)
            }
            "shortvideo" => Arc::new(TikTok::new(base, app.timeout)?),
            "linkedin" => Arc::new(NoFigures),
            _ => continue,
        };
        networks.push(FiguresNetwork {
            name: app.facts.channel,
            connection: app.facts.name,
            api,
        });
    }
    Ok((!networks.is_empty()).then(|| ResultsDesk::new(networks)))
}

/// Returns the adapters of the social networks that have client credentials.
pub(crate) fn network_adapters(config: &Config) -> Result<Vec<Arc<dyn Network>>> {
    let adapter = |app: &NetworkApp| Ok(Arc::new(OAuthNetwork::new(app.clone())?) as Arc<_>);
    config.networks.iter().map(adapter).collect()
}

/// Whether this database has session keys, which an earlier start encrypted under a master secret.
pub(crate) async fn has_session_keys(db: &Db) -> Result<bool> {
    let keys = store::accounts::list_signing_keys(&db.reader()).await;
    Ok(!keys.map_err(reason::into_anyhow)?.is_empty())
}

/// Loads the session keys; creates the first one if there is none.
pub(crate) async fn load_session_keys(
    db: &Db,
    keys: &Keys,
    public_url: &str,
    now: Millis,
) -> Result<SessionKeys> {
    let loaded = SessionKeys::load(db, keys, public_url, now).await;
    loaded.map_err(|error| {
        anyhow::anyhow!(
            "a chave das sessões não abriu: {}",
            reason::explain_cause(&error)
        )
    })
}

/// Builds the verifier of the issuer's session tokens.
fn hosted_sessions(issuer: &Issuer) -> Result<HostedSessions> {
    Ok(HostedSessions::new(
        issuer.issuer.clone(),
        issuer.profile.clone(),
        issuer.hs256_secret.as_deref(),
        issuer.sign_in_method(),
        Arc::new(HostedIssuer::new(issuer.clone())?),
    ))
}

/// Returns the configured image generator.
pub(crate) fn image_generator(config: &Config) -> Result<Arc<dyn ImageGenerator>> {
    Ok(match &config.images {
        Images::Local => Arc::new(LocalImages),
        Images::OpenAi(provider) => Arc::new(OpenAiImages::new(provider.clone())?),
    })
}

/// Builds the search by meaning; `None` without a configured embeddings provider.
pub(crate) fn semantics(config: &Config) -> Result<Option<Semantics>> {
    Ok(match &config.embeddings {
        None => None,
        Some(provider) => {
            let embedder = OpenAiEmbeddings::new(provider.clone())?;
            Some(Semantics::new(Arc::new(embedder), provider.timeout))
        }
    })
}

/// Returns the sender of e-mails; `None` without a configured server.
pub(crate) fn mail_sender(config: &Config) -> Result<Option<MailDelivery>> {
    let Some(server) = config.smtp.clone() else {
        return Ok(None);
    };
    Ok(Some(Arc::new(Smtp::new(server)?)))
}

/// Returns the contact that push services get with each message to a device: the configured contact,
/// otherwise the public URL.
fn push_contact(config: &Config, public_url: &str) -> String {
    let contact = config.push.contact.clone();
    contact.unwrap_or_else(|| public_url.to_owned())
}

/// Returns the text generator; `None` without a configured provider.
pub(crate) fn text_writer(config: &Config) -> Result<Option<Writer>> {
    let Some(provider) = config.text.clone() else {
        return Ok(None);
    };
    Ok(Some(match provider.api {
        TextApi::OpenAi => Arc::new(OpenAiText::new(provider)?),
        TextApi::Anthropic => Arc::new(AnthropicText::new(provider)?),
    }))
}

/// Returns the video generator; `None` without a configured provider.
pub(crate) fn video_maker(config: &Config) -> Result<Option<Maker>> {
    let Some(provider) = config.video.clone() else {
        return Ok(None);
    };
    Ok(Some(match provider.api {
        VideoApi::OpenAiVideos => Arc::new(OpenAiVideos::new(provider)?),
        VideoApi::Runway => Arc::new(Runway::new(provider)?),
        VideoApi::GeminiInteractions => Arc::new(GeminiInteractions::new(provider)?),
    }))
}

/// Returns the adapters of the configured stores and ad platforms.
pub(crate) fn connectors(config: &Config) -> Result<Connectors> {
    let mut sources: Vec<Arc<dyn SalesSource>> = vec![];
    if let Some(account) = &config.stores.hotmart {
        sources.push(Arc::new(Hotmart::new(account.clone())?));
    }
    if let Some(account) = &config.stores.meta {
        sources.push(Arc::new(Meta::new(account.clone())?));
    }
    Ok(Connectors {
        sources,
        every: config.stores.every,
    })
}

pub(crate) fn cause_text(error: &gateway::Error) -> String {
    std::error::Error::source(error).map_or_else(|| error.to_string(), ToString::to_string)
}
