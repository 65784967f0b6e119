//! Configuration: flags, then `PAUTA_*` variables, then `pauta.toml`.

use std::{
    collections::BTreeMap,
    net::{IpAddr, SocketAddr},
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::{Context, Result, bail, ensure};
use ipnet::IpNet;
use reqwest::Url;

/// Every setting: its variable, and what it is for.
pub const SETTINGS: &[(&str, &str)] = &[
    (
        "PAUTA_LISTEN",
        "endereço e porta em que o serviço escuta (padrão 127.0.0.1:8080)",
    ),
    (
        "PAUTA_DATABASE_URL",
        "banco de dados: sqlite://caminho (padrão) ou postgres://…",
    ),
    (
        "PAUTA_STORAGE",
        "pasta das mídias (padrão: `media` ao lado do banco) ou s3://bucket[/prefixo]",
    ),
    (
        "PAUTA_S3_ENDPOINT",
        "endereço do serviço compatível com S3 (padrão: o da AWS)",
    ),
    ("PAUTA_S3_REGION", "região do bucket (padrão us-east-1)"),
    (
        "PAUTA_S3_ACCESS_KEY_ID",
        "credencial do bucket; ausente, valem as AWS_* e o papel da máquina",
    ),
    ("PAUTA_S3_SECRET_ACCESS_KEY", "segredo da credencial"),
    (
        "PAUTA_IMAGE_PROVIDER",
        "local (padrão, composição tipográfica) ou openai",
    ),
    (
        "PAUTA_OPENAI_BASE_URL",
        "endereço da API de imagens, sem /v1 (padrão https://api.openai.com)",
    ),
    ("PAUTA_OPENAI_API_KEY", "chave da API de imagens"),
    (
        "PAUTA_OPENAI_IMAGE_MODEL",
        "modelo de imagens (padrão gpt-image-2)",
    ),
    (
        "PAUTA_IMAGE_TIMEOUT",
        "segundos de espera por uma imagem do provedor, de 1 a 200 (padrão 120)",
    ),
    (
        "PAUTA_PUBLIC_URL",
        "endereço público, sem barra no fim; usado em links e na MCP",
    ),
    (
        "PAUTA_SECRET",
        "segredo mestre, ao menos 32 caracteres; obrigatório com PostgreSQL",
    ),
    (
        "PAUTA_TRUSTED_PROXIES",
        "redes (CIDR) cujo X-Forwarded-For vale, separadas por vírgula",
    ),
    ("PAUTA_LOG_FORMAT", "texto (padrão) ou json"),
    (
        "PAUTA_METRICS_LISTEN",
        "endereço e porta de /metrics (desligado por padrão)",
    ),
];

/// Where values come from, in order.
#[derive(Debug, Default)]
pub struct Sources {
    variables: BTreeMap<String, String>,
    file: BTreeMap<String, String>,
}

impl Sources {
    /// Reads the environment and `pauta.toml` of the working directory.
    pub fn read() -> Result<Self> {
        let file = match std::fs::read_to_string("pauta.toml") {
            Ok(text) => parse_file(&text).context("pauta.toml não pôde ser lido")?,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => BTreeMap::new(),
            Err(error) => return Err(error).context("pauta.toml não pôde ser aberto"),
        };
        let variables = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .filter(|(name, _)| name.starts_with("PAUTA_"))
            .collect();
        Ok(Self { variables, file })
    }

    /// Sources for tests and for the demo.
    #[must_use]
    pub fn of<'a>(pairs: impl IntoIterator<Item = (&'a str, String)>) -> Self {
        let variables = pairs
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value))
            .collect();
        Self {
            variables,
            file: BTreeMap::new(),
        }
    }

    /// A flag goes before all else.
    pub fn set(&mut self, name: &str, value: Option<String>) {
        if let Some(value) = value {
            self.variables.insert(name.to_owned(), value);
        }
    }

    fn get(&self, name: &str) -> Option<&str> {
        self.variables
            .get(name)
            .or_else(|| self.file.get(name))
            .map(String::as_str)
    }

    /// `PAUTA_*` names that mean nothing here.
    #[must_use]
    pub fn unknown(&self) -> Vec<&str> {
        let known = |name: &str| {
            SETTINGS.iter().any(|(setting, _)| *setting == name) || name.starts_with("PAUTA_TEST_")
        };
        let names = self
            .variables
            .keys()
            .chain(self.file.keys())
            .map(String::as_str);
        names.filter(|name| !known(name)).collect()
    }
}

fn parse_file(text: &str) -> Result<BTreeMap<String, String>> {
    let table: toml::Table = text.parse()?;
    table
        .into_iter()
        .map(|(key, value)| {
            let name = format!("PAUTA_{}", key.to_uppercase());
            match value {
                toml::Value::String(text) => Ok((name, text)),
                toml::Value::Integer(number) => Ok((name, number.to_string())),
                toml::Value::Boolean(flag) => Ok((name, flag.to_string())),
                _ => bail!("`{key}` deve ser texto"),
            }
        })
        .collect()
}

/// How logs are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogFormat {
    Text,
    Json,
}

/// Checked configuration.
#[derive(Debug, Clone)]
pub struct Config {
    pub listen: SocketAddr,
    pub database_url: String,
    /// Without a trailing slash; `None` follows the bound address.
    pub public_url: Option<String>,
    pub secret: Option<String>,
    pub trusted_proxies: Vec<IpNet>,
    pub log_format: LogFormat,
    pub metrics_listen: Option<SocketAddr>,
    pub storage: StorageLocation,
    pub images: Images,
}

/// Where the bytes of media are.
#[derive(Debug, Clone)]
pub enum StorageLocation {
    Folder(PathBuf),
    S3(S3Bucket),
}

/// A bucket of S3 or of a server that speaks it.
#[derive(Clone)]
pub struct S3Bucket {
    pub bucket: String,
    /// Before every path; may be empty.
    pub prefix: String,
    pub endpoint: Option<String>,
    pub region: Option<String>,
    /// Id and secret; without them `AWS_*` and the machine's role count.
    pub credential: Option<(String, String)>,
}

impl std::fmt::Debug for S3Bucket {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("S3Bucket")
            .field("bucket", &self.bucket)
            .field("prefix", &self.prefix)
            .field("endpoint", &self.endpoint)
            .finish_non_exhaustive()
    }
}

/// Who makes images.
#[derive(Debug, Clone)]
pub enum Images {
    Local,
    OpenAi(OpenAi),
}

/// The OpenAI Images API, or a server that speaks it.
#[derive(Debug, Clone)]
pub struct OpenAi {
    /// Without `/v1`, with a slash at the end.
    pub base: Url,
    pub key: String,
    pub model: String,
    /// How long an image may take.
    pub patience: Duration,
}

impl OpenAi {
    fn read(sources: &Sources) -> Result<Self> {
        let base = sources.get("PAUTA_OPENAI_BASE_URL");
        let base = base.unwrap_or("https://api.openai.com");
        let base = Url::parse(&format!("{}/", base.trim_end_matches('/'))).ok();
        let base = base.filter(|url| {
            let plain = url.query().is_none() && url.fragment().is_none();
            let anonymous = url.username().is_empty() && url.password().is_none();
            matches!(url.scheme(), "http" | "https") && plain && anonymous
        });
        let key = sources
            .get("PAUTA_OPENAI_API_KEY")
            .context("PAUTA_IMAGE_PROVIDER=openai pede PAUTA_OPENAI_API_KEY")?
            .trim();
        ensure!(
            !key.is_empty() && key.bytes().all(|b| b.is_ascii_graphic()),
            "PAUTA_OPENAI_API_KEY deve ser uma chave, sem espaços nem quebras de linha"
        );
        let model = sources.get("PAUTA_OPENAI_IMAGE_MODEL");
        let seconds = sources.get("PAUTA_IMAGE_TIMEOUT").unwrap_or("120");
        let seconds = seconds.parse().ok().filter(|n| (1..=200).contains(n));
        Ok(Self {
            base: base.context(
                "PAUTA_OPENAI_BASE_URL deve ser um endereço http:// ou https:// sem busca, \
                 fragmento nem senha",
            )?,
            key: key.to_owned(),
            model: model.unwrap_or("gpt-image-2").to_owned(),
            patience: seconds
                .map(Duration::from_secs)
                .context("PAUTA_IMAGE_TIMEOUT deve ser um número de segundos de 1 a 200")?,
        })
    }
}

impl Config {
    /// Reads and checks every setting.
    ///
    /// Refused with one sentence that names the setting and what it must be.
    pub fn read(sources: &Sources) -> Result<Self> {
        let listen = sources.get("PAUTA_LISTEN").unwrap_or("127.0.0.1:8080");
        let database_url = sources
            .get("PAUTA_DATABASE_URL")
            .unwrap_or("sqlite://data/pauta.db")
            .to_owned();
        let postgres =
            database_url.starts_with("postgres://") || database_url.starts_with("postgresql://");
        ensure!(
            postgres || database_url.starts_with("sqlite://"),
            "PAUTA_DATABASE_URL deve começar com sqlite:// ou postgres://"
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
        let images = match sources.get("PAUTA_IMAGE_PROVIDER") {
            None | Some("local") => Images::Local,
            Some("openai") => Images::OpenAi(OpenAi::read(sources)?),
            Some(_) => bail!("PAUTA_IMAGE_PROVIDER deve ser `local` ou `openai`"),
        };
        let beside = sqlite_file(&database_url).unwrap_or_else(|| "data/pauta.db".into());
        Ok(Self {
            storage: match sources.get("PAUTA_STORAGE") {
                None => StorageLocation::Folder(beside.with_file_name("media")),
                Some(place) => storage(place, sources)?,
            },
            images,
            listen: address("PAUTA_LISTEN", listen)?,
            database_url,
            public_url: sources
                .get("PAUTA_PUBLIC_URL")
                .map(public_url)
                .transpose()?,
            secret,
            trusted_proxies: networks(sources.get("PAUTA_TRUSTED_PROXIES").unwrap_or(""))?,
            log_format: match sources.get("PAUTA_LOG_FORMAT") {
                None | Some("texto" | "text") => LogFormat::Text,
                Some("json") => LogFormat::Json,
                Some(_) => bail!("PAUTA_LOG_FORMAT deve ser `texto` ou `json`"),
            },
            metrics_listen: sources
                .get("PAUTA_METRICS_LISTEN")
                .map(|text| address("PAUTA_METRICS_LISTEN", text))
                .transpose()?,
        })
    }

    /// The file of the embedded database; `None` with PostgreSQL.
    #[must_use]
    pub fn database_file(&self) -> Option<PathBuf> {
        sqlite_file(&self.database_url)
    }

    /// The master secret: the given one, or the one beside the embedded database, made on the
    /// first start and readable by its owner alone.
    pub fn master_secret(&self) -> Result<String> {
        if let Some(secret) = &self.secret {
            return Ok(secret.clone());
        }
        let database = self
            .database_file()
            .context("PAUTA_SECRET é obrigatório com PostgreSQL")?;
        let path = database.with_file_name("pauta.secret");
        match std::fs::read_to_string(&path) {
            Ok(secret) if secret.trim().len() >= 32 => Ok(secret.trim().to_owned()),
            Ok(_) => bail!(
                "{} está incompleto; restaure-o de uma cópia",
                path.display()
            ),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => make_secret(&path),
            Err(error) => {
                Err(error).with_context(|| format!("{} não pôde ser lido", path.display()))
            }
        }
    }
}

fn storage(place: &str, sources: &Sources) -> Result<StorageLocation> {
    let Some(bucket) = place.strip_prefix("s3://") else {
        ensure!(
            !place.is_empty() && !place.contains("://"),
            "PAUTA_STORAGE deve ser uma pasta ou s3://bucket"
        );
        return Ok(StorageLocation::Folder(place.into()));
    };
    let (bucket, prefix) = bucket.split_once('/').unwrap_or((bucket, ""));
    let named = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '.';
    ensure!(
        (3..=63).contains(&bucket.len()) && bucket.chars().all(named),
        "PAUTA_STORAGE deve ser s3://bucket, com 3 a 63 letras minúsculas, números, `-` e `.`"
    );
    let endpoint = sources.get("PAUTA_S3_ENDPOINT");
    ensure!(
        endpoint.is_none_or(|url| url.starts_with("https://") || url.starts_with("http://")),
        "PAUTA_S3_ENDPOINT deve ser um endereço http:// ou https://"
    );
    let id = sources.get("PAUTA_S3_ACCESS_KEY_ID");
    let secret = sources.get("PAUTA_S3_SECRET_ACCESS_KEY");
    ensure!(
        id.is_some() == secret.is_some(),
        "PAUTA_S3_ACCESS_KEY_ID e PAUTA_S3_SECRET_ACCESS_KEY vêm juntas"
    );
    Ok(StorageLocation::S3(S3Bucket {
        bucket: bucket.to_owned(),
        prefix: prefix.trim_matches('/').to_owned(),
        endpoint: endpoint.map(|url| url.trim_end_matches('/').to_owned()),
        region: sources.get("PAUTA_S3_REGION").map(str::to_owned),
        credential: id
            .zip(secret)
            .map(|(id, secret)| (id.into(), secret.into())),
    }))
}

fn sqlite_file(url: &str) -> Option<PathBuf> {
    let path = url.strip_prefix("sqlite://")?;
    Some(PathBuf::from(path.split('?').next().unwrap_or(path)))
}

fn make_secret(path: &Path) -> Result<String> {
    use std::io::Write;
    let secret = tools::domain::random_text::<48>();
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let write = || -> std::io::Result<()> {
        let mut file = options.open(path)?;
        file.write_all(secret.as_bytes())?;
        file.sync_all()
    };
    write().with_context(|| format!("{} não pôde ser criado", path.display()))?;
    Ok(secret)
}

fn address(name: &str, text: &str) -> Result<SocketAddr> {
    text.parse().ok().with_context(|| {
        format!("{name} deve ser um endereço IP com porta, como 127.0.0.1:8080 ou [::1]:8080")
    })
}

fn public_url(text: &str) -> Result<String> {
    let url = text.trim_end_matches('/');
    let host = url
        .strip_prefix("https://")
        .or_else(|| url.strip_prefix("http://"));
    // It stands in links, shell lines and Markdown: nothing in it may mean more than itself.
    let plain = |c: char| c.is_ascii_alphanumeric() || "-._~%:/[]".contains(c);
    ensure!(
        host.is_some_and(|host| !host.is_empty() && host.chars().all(plain)),
        "PAUTA_PUBLIC_URL deve ser um endereço http:// ou https:// sem busca nem fragmento, só \
         com letras, números e -._~%:/[]"
    );
    Ok(url.to_owned())
}

fn networks(text: &str) -> Result<Vec<IpNet>> {
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
mod tests {
    use super::*;

    fn refusal(name: &str, value: &str) -> String {
        let sources = Sources::of([(name, value.to_owned())]);
        Config::read(&sources).expect_err("refused").to_string()
    }

    #[test]
    fn the_default_is_the_embedded_database_on_loopback() {
        let config = Config::read(&Sources::default()).expect("valid");
        assert_eq!(config.listen.to_string(), "127.0.0.1:8080");
        assert_eq!(config.database_file(), Some("data/pauta.db".into()));
    }

    #[test]
    fn wrong_values_are_refused_by_name() {
        for (name, value) in [
            ("PAUTA_LISTEN", "porta"),
            ("PAUTA_DATABASE_URL", "mysql://x"),
            ("PAUTA_PUBLIC_URL", "ftp://x"),
            ("PAUTA_PUBLIC_URL", "https://"),
            ("PAUTA_PUBLIC_URL", "https://x.test/`id`"),
            ("PAUTA_PUBLIC_URL", "https://x.test/)<b>"),
            ("PAUTA_SECRET", "curto"),
            ("PAUTA_TRUSTED_PROXIES", "10.0.0.0/99"),
            ("PAUTA_LOG_FORMAT", "xml"),
            ("PAUTA_METRICS_LISTEN", ":9"),
            ("PAUTA_STORAGE", ""),
            ("PAUTA_STORAGE", "s3://"),
            ("PAUTA_STORAGE", "s3://Bucket"),
            ("PAUTA_STORAGE", "gs://bucket"),
            ("PAUTA_IMAGE_PROVIDER", "outro"),
        ] {
            assert!(refusal(name, value).contains(name), "{name}");
        }
        assert!(refusal("PAUTA_DATABASE_URL", "postgres://x/y").contains("PAUTA_SECRET"));
    }

    #[test]
    fn an_outside_provider_of_images_needs_a_key_an_address_and_a_patience() {
        let read = |name: &'static str, value: &str| {
            let given = [
                ("PAUTA_IMAGE_PROVIDER", "openai".to_owned()),
                ("PAUTA_OPENAI_API_KEY", " sk-x\n".to_owned()),
            ];
            // Of two values for a name the last one holds.
            Config::read(&Sources::of(
                given.into_iter().chain([(name, value.to_owned())]),
            ))
        };
        for (name, value) in [
            ("PAUTA_OPENAI_API_KEY", " "),
            ("PAUTA_OPENAI_API_KEY", "sk x"),
            ("PAUTA_OPENAI_BASE_URL", "api.openai.com"),
            ("PAUTA_OPENAI_BASE_URL", "ftp://x"),
            ("PAUTA_OPENAI_BASE_URL", "https://x?y"),
            ("PAUTA_OPENAI_BASE_URL", "https://a:b@x"),
            ("PAUTA_IMAGE_TIMEOUT", "0"),
            ("PAUTA_IMAGE_TIMEOUT", "201"),
        ] {
            let refused = read(name, value).expect_err("refused").to_string();
            assert!(refused.contains(name), "{name}: {refused}");
        }
        let config = read("PAUTA_OPENAI_BASE_URL", "https://x/prefixo//").expect("valid");
        let Images::OpenAi(images) = config.images else {
            panic!("the provider is openai");
        };
        assert_eq!(images.base.as_str(), "https://x/prefixo/");
        assert_eq!(images.key, "sk-x");
        assert_eq!(images.patience, Duration::from_secs(120));
    }

    #[test]
    fn the_public_url_may_have_a_path_and_loses_its_slash() {
        let read = |value: &str| {
            let sources = Sources::of([("PAUTA_PUBLIC_URL", value.to_owned())]);
            Config::read(&sources).expect("valid").public_url
        };
        assert_eq!(
            read("https://x.com.br/pauta/"),
            Some("https://x.com.br/pauta".into())
        );
        assert_eq!(read("http://[::1]:8080"), Some("http://[::1]:8080".into()));
    }

    #[test]
    fn a_bucket_may_have_a_prefix_and_a_credential_never_shows() {
        let sources = Sources::of([
            ("PAUTA_STORAGE", "s3://redacao/pauta/".to_owned()),
            ("PAUTA_S3_ACCESS_KEY_ID", "id".to_owned()),
            ("PAUTA_S3_SECRET_ACCESS_KEY", "escondido".to_owned()),
        ]);
        let config = Config::read(&sources).expect("valid");
        let StorageLocation::S3(bucket) = &config.storage else {
            panic!("a bucket was asked for");
        };
        assert_eq!((&*bucket.bucket, &*bucket.prefix), ("redacao", "pauta"));
        assert!(!format!("{:?}", config.storage).contains("escondido"));
    }

    #[test]
    fn unknown_variables_are_named() {
        let sources = Sources::of([("PAUTA_LISTN", String::new())]);
        assert_eq!(sources.unknown(), ["PAUTA_LISTN"]);
    }
}
