//! Configuration: flags, then `PAUTA_*` variables, then `pauta.toml`.

mod authorization;
mod base_url;
mod identity;
mod keyring;
mod nearest;
mod networks;
mod origins;
mod providers;
mod push;
mod quotas;
mod secret;
mod settings;
mod smtp;
mod sources;
mod storage;
mod stores;
mod text;
mod timeline;
mod traces;
mod video;

use std::{
    net::{IpAddr, SocketAddr},
    path::PathBuf,
    time::Duration,
};

use anyhow::{Context, Result, bail, ensure};
use gateway::{Keys, QuotaLimits};
use ipnet::IpNet;
use percent_encoding::percent_decode_str;

pub use self::identity::Issuer;
pub use authorization::Clients;
pub use keyring::RingKeys;
pub(crate) use nearest::nearest_word;
pub use networks::NetworkApp;
pub use origins::AllowedOrigins;
pub use providers::{EmbeddingModel, ImageModel, Images, ProviderAccount};
pub use push::Push;
pub use settings::SETTINGS;
pub use smtp::{SmtpServer, SmtpTls};
pub use sources::{Mistyped, Sources};
pub use storage::{INCOMING, S3Bucket, StorageLocation};
pub use stores::{HotmartAccount, MetaAccount, Stores};
pub use text::{TextApi, TextModel};
pub use timeline::{EmailTopics, Timeline};
pub use traces::TraceExport;
pub use video::{VideoApi, VideoModel};

/// The format of the logs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogFormat {
    Text,
    Json,
}

/// The validated configuration.
#[derive(Debug, Clone)]
pub struct Config {
    pub listen: SocketAddr,
    pub database_url: String,
    /// The address of the PostgreSQL server without PgBouncer in between.
    pub database_direct_url: Option<String>,
    /// The public URL, without a trailing slash; `None` derives it from the bound address.
    pub public_url: Option<String>,
    pub secret: Option<String>,
    pub keyring: RingKeys,
    pub trusted_proxies: Vec<IpNet>,
    /// The maximum number of calls within ten minutes.
    pub quotas: QuotaLimits,
    pub log_format: LogFormat,
    pub max_connections: usize,
    /// How long the service reports "not ready" before it stops accepting connections.
    pub drain: Duration,
    pub metrics_listen: Option<SocketAddr>,
    /// Where traces are exported to; `None` exports none.
    pub traces: Option<TraceExport>,
    pub storage: StorageLocation,
    /// The folder of incomplete uploads.
    pub incoming: PathBuf,
    pub images: Images,
    pub embeddings: Option<EmbeddingModel>,
    pub text: Option<TextModel>,
    pub video: Option<VideoModel>,
    pub stores: Stores,
    pub timeline: Timeline,
    /// The hosted issuer of sessions; `None` uses the embedded identity provider.
    pub issuer: Option<Issuer>,
    /// The registered social networks.
    pub networks: Vec<NetworkApp>,
    /// Whether TikTok has audited the application.
    pub tiktok_audited: bool,
    /// The version of LinkedIn's API, as `YYYYMM`.
    pub linkedin_version: String,
    /// The maximum number of uploads to YouTube in a day of Pacific time.
    pub youtube_uploads_a_day: usize,
    /// The maximum delay with which a variant is published without asking a person, in minutes after its
    /// due time.
    pub publish_late_minutes: u32,
    /// The e-mail address or https page that the privacy page names as contact.
    pub privacy_contact: Option<String>,
    /// The OAuth clients that the authorization server accepts.
    pub clients: Clients,
    /// The origins outside the public internet from which files may be imported.
    pub import_origins: AllowedOrigins,
    /// The origins outside the public internet to which webhooks may be sent.
    pub webhook_origins: AllowedOrigins,
    /// The server through which e-mails are sent.
    pub smtp: Option<SmtpServer>,
    /// The settings of messages to the devices of members.
    pub push: Push,
}

impl Config {
    /// Reads and validates every setting.
    ///
    /// The error is one sentence that names the setting and its valid values.
    pub fn read(sources: &Sources) -> Result<Self> {
        let listen = sources.get("PAUTA_LISTEN").unwrap_or("127.0.0.1:8080");
        let database_url = sources
            .get("PAUTA_DATABASE_URL")
            .unwrap_or("sqlite://data/pauta.db")
            .to_owned();
        let postgres = is_postgres(&database_url);
        ensure!(
            postgres || database_url.starts_with("sqlite://"),
            "PAUTA_DATABASE_URL deve começar com sqlite:// ou postgres://"
        );
        let database_direct_url = sources.get("PAUTA_DATABASE_DIRECT_URL").map(str::to_owned);
        ensure!(
            database_direct_url.as_deref().is_none_or(is_postgres),
            "PAUTA_DATABASE_DIRECT_URL deve começar com postgres://"
        );
        let secret = sources.get("PAUTA_SECRET").map(str::to_owned);
        if let Some(secret) = &secret {
            ensure!(
                secret.chars().count() >= 32,
                "PAUTA_SECRET deve ter ao menos 32 caracteres; crie um com `openssl rand -base64 48`"
            );
        }
        ensure!(
            secret.is_some() || !postgres,
            "PAUTA_SECRET é obrigatório com PostgreSQL; crie um com `openssl rand -base64 48` e \
             use o mesmo em todas as instâncias"
        );
        let beside = sqlite_file(&database_url).unwrap_or_else(|| "data/pauta.db".into());
        let storage = match sources.get("PAUTA_STORAGE") {
            None => StorageLocation::Folder(beside.with_file_name("media")),
            Some(place) => storage::parse_storage(place, sources)?,
        };
        let privacy_contact = sources
            .get("PAUTA_PRIVACY_CONTACT")
            .map(parse_privacy_contact)
            .transpose()?;
        let smtp = SmtpServer::read(sources)?;
        Ok(Self {
            push: Push::read(sources, privacy_contact.as_deref(), smtp.as_ref())?,
            privacy_contact,
            smtp,
            incoming: storage.incoming_folder(&beside),
            storage,
            images: Images::read(sources)?,
            embeddings: EmbeddingModel::read(sources)?,
            text: TextModel::read(sources)?,
            video: VideoModel::read(sources)?,
            stores: Stores::read(sources)?,
            timeline: Timeline::read(sources)?,
            issuer: Issuer::read(sources)?,
            networks: NetworkApp::read(sources)?,
            tiktok_audited: match sources.get("PAUTA_TIKTOK_AUDITED") {
                None | Some("false") => false,
                Some("true") => true,
                Some(_) => bail!("PAUTA_TIKTOK_AUDITED deve ser `true` ou `false`"),
            },
            linkedin_version: networks::read_linkedin_version(sources)?,
            youtube_uploads_a_day: networks::read_youtube_uploads(sources)?,
            publish_late_minutes: {
                let minutes = sources.get("PAUTA_PUBLISH_LATE_MINUTES").unwrap_or("30");
                let minutes = minutes.parse().ok().filter(|n| (1..=1_440).contains(n));
                minutes.context(
                    "PAUTA_PUBLISH_LATE_MINUTES deve ser um número de minutos de 1 a 1440",
                )?
            },
            clients: Clients::read(sources)?,
            import_origins: AllowedOrigins::read(sources, origins::IMPORTS)?,
            webhook_origins: AllowedOrigins::read(sources, origins::WEBHOOKS)?,
            listen: parse_socket_address("PAUTA_LISTEN", listen)?,
            database_url,
            database_direct_url,
            public_url: sources
                .get("PAUTA_PUBLIC_URL")
                .map(parse_public_url)
                .transpose()?,
            secret,
            keyring: RingKeys::read(sources)?,
            trusted_proxies: parse_trusted_proxies(
                sources.get("PAUTA_TRUSTED_PROXIES").unwrap_or(""),
            )?,
            quotas: quotas::read(sources)?,
            log_format: match sources.get("PAUTA_LOG_FORMAT") {
                None | Some("texto" | "text") => LogFormat::Text,
                Some("json") => LogFormat::Json,
                Some(_) => bail!("PAUTA_LOG_FORMAT deve ser `texto` ou `json`"),
            },
            max_connections: parse_max_connections(sources.get("PAUTA_MAX_CONNECTIONS"))?,
            drain: parse_drain_time(sources.get("PAUTA_DRAIN_TIME"))?,
            traces: TraceExport::read(sources)?,
            metrics_listen: sources
                .get("PAUTA_METRICS_LISTEN")
                .map(|text| parse_socket_address("PAUTA_METRICS_LISTEN", text))
                .transpose()?,
        })
    }

    /// Whether the public URL has the scheme `https`.
    #[must_use]
    pub fn has_https(&self) -> bool {
        let url = self.public_url.as_deref();
        url.is_some_and(|url| url.starts_with("https://"))
    }

    /// Returns the file of the embedded database; `None` with PostgreSQL.
    #[must_use]
    pub fn database_file(&self) -> Option<PathBuf> {
        sqlite_file(&self.database_url)
    }

    /// Returns the file of the master secret; `None` if `PAUTA_SECRET` is set.
    #[must_use]
    pub fn secret_file(&self) -> Option<PathBuf> {
        if self.secret.is_some() {
            return None;
        }
        Some(self.database_file()?.with_file_name("pauta.secret"))
    }

    /// Returns the keys of this installation. `used` is true if the database already depends on a
    /// master secret.
    pub fn load_keys(&self, used: bool) -> Result<Keys> {
        let secret = self.master_secret(used)?;
        Ok(Keys::derive(secret.as_bytes(), &self.keyring.0))
    }

    /// Returns the master secret: the configured secret, or the content of a file next to the embedded
    /// database that only its owner can read. The first start creates the file. A used database never
    /// gets a new secret, because it depends on the old one.
    fn master_secret(&self, used: bool) -> Result<String> {
        if let Some(secret) = &self.secret {
            return Ok(secret.clone());
        }
        let file = self
            .secret_file()
            .context("PAUTA_SECRET é obrigatório com PostgreSQL")?;
        secret::read_or_create_secret(&file, used)
    }
}

/// Checks the contact of the privacy page: an e-mail address or an https URL.
fn parse_privacy_contact(text: &str) -> Result<String> {
    let text = text.trim();
    let is_page = text
        .strip_prefix("https://")
        .is_some_and(|rest| !rest.is_empty())
        && reqwest::Url::parse(text).is_ok();
    ensure!(
        is_page || text.parse::<domain::Email>().is_ok(),
        "PAUTA_PRIVACY_CONTACT deve ser um e-mail ou um endereço https://"
    );
    Ok(text.to_owned())
}

fn is_postgres(url: &str) -> bool {
    url.starts_with("postgres://") || url.starts_with("postgresql://")
}

fn sqlite_file(url: &str) -> Option<PathBuf> {
    let path = url.strip_prefix("sqlite://")?;
    let path = path.split('?').next().unwrap_or(path);
    // The SQLite driver also percent-decodes the path.
    let decoded = percent_decode_str(path).decode_utf8_lossy();
    Some(PathBuf::from(decoded.as_ref()))
}

fn parse_socket_address(name: &str, text: &str) -> Result<SocketAddr> {
    text.parse().ok().with_context(|| {
        format!("{name} deve ser um endereço IP com porta, como 127.0.0.1:8080 ou [::1]:8080")
    })
}

fn parse_max_connections(text: Option<&str>) -> Result<usize> {
    let Some(text) = text else { return Ok(1024) };
    let number = text.parse().ok().filter(|n| (16..=65_536).contains(n));
    number.context("PAUTA_MAX_CONNECTIONS deve ser um número de 16 a 65536")
}

fn parse_drain_time(text: Option<&str>) -> Result<Duration> {
    let Some(text) = text else {
        return Ok(Duration::from_secs(2));
    };
    let seconds = text.parse().ok().filter(|seconds| *seconds <= 60);
    let seconds = seconds.context("PAUTA_DRAIN_TIME deve ser um número de segundos, de 0 a 60")?;
    Ok(Duration::from_secs(seconds))
}

fn parse_public_url(text: &str) -> Result<String> {
    let url = text.trim_end_matches('/');
    let host = url
        .strip_prefix("https://")
        .or_else(|| url.strip_prefix("http://"));
    // The URL is inserted into links, shell commands and Markdown, so it must not contain special
    // characters.
    let plain = |c: char| c.is_ascii_alphanumeric() || "-._~%:/[]".contains(c);
    ensure!(
        host.is_some_and(|host| !host.is_empty() && host.chars().all(plain)),
        "PAUTA_PUBLIC_URL deve ser um endereço http:// ou https:// sem busca nem fragmento, só \
         com letras, números e -._~%:/[]"
    );
    Ok(url.to_owned())
}

fn parse_trusted_proxies(text: &str) -> Result<Vec<IpNet>> {
    let parts = text
        .split(',')
        .map(str::trim)
        .filter(|part| !part.is_empty());
    parts
        .map(|part| {
            let network = part
                .parse::<IpNet>()
                .or_else(|_| part.parse::<IpAddr>().map(IpNet::from));
            network.ok().with_context(|| {
                "PAUTA_TRUSTED_PROXIES deve ser uma lista de redes, como 10.0.0.0/8,::1".to_owned()
            })
        })
        .collect()
}

#[cfg(test)]
mod tests;
