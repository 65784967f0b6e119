//! `pauta doctor`

use std::{fs, io::ErrorKind, path::Path, time::Duration};

use anyhow::{Context, Result, anyhow, bail, ensure};
use axum::body::Bytes;
use futures::TryStreamExt;
use identity::{Entrance, IssuerProfile};
use ports::{BlobStore, Clock};
use store::{
    Db,
    backup::{self, Content},
    media::storage_path,
};

use super::terminal::out;
use crate::{
    app::{self, SystemClock},
    config::{Config, Issuer, SETTINGS, Sources, StorageLocation},
    providers::{issuer::HostedIssuer, storage::Storage},
    reason,
};

/// Prints one line per check; fails if any check fails.
pub(super) async fn run(sources: &Sources) -> Result<()> {
    let mut report = Report::default();
    for name in sources.unknown_names() {
        report.warn(&name.to_string());
    }
    if !report.clean {
        out!("       variáveis conhecidas:");
        for (name, purpose) in SETTINGS {
            out!("       {name}: {purpose}");
        }
    }
    let Some(config) = report.check("configuração", Config::read(sources)) else {
        return report.finish_report();
    };
    check_database(&mut report, &config).await?;
    let images = app::image_generator(&config)?;
    report.check(
        "provedor de imagens",
        images.check_available().await.map_err(reason::into_anyhow),
    );
    if let Some(semantics) = app::semantics(&config)? {
        let embeds = semantics.check_provider().await;
        report.check(
            "provedor de embeddings",
            embeds.map_err(reason::into_anyhow),
        );
    }
    if let Some(writer) = app::text_writer(&config)? {
        let writes = writer.check_available().await;
        report.check("provedor de textos", writes.map_err(reason::into_anyhow));
    }
    if let Some(maker) = app::video_maker(&config)? {
        let makes = maker.check_available().await;
        report.check("provedor de vídeos", makes.map_err(reason::into_anyhow));
    }
    if let Some(sender) = app::mail_sender(&config)? {
        let sends = sender.check_available().await;
        report.check("servidor de e-mail", sends.map_err(reason::into_anyhow));
    }
    if let Some(issuer) = &config.issuer {
        check_hosted_issuer(&mut report, issuer).await?;
    }
    for network in app::network_adapters(&config)? {
        let known = network.check_available().await.map_err(reason::into_anyhow);
        report.check(&format!("rede social {}", network.title()), known);
    }
    if !config.networks.is_empty() && !config.has_https() {
        report.warn(
            "redes sociais: elas só devolvem a pessoa a um endereço https://; defina PAUTA_PUBLIC_URL",
        );
    }
    for source in app::connectors(&config)?.sources {
        let checked = source.check_available().await.map_err(reason::into_anyhow);
        report.check(&format!("fonte de vendas `{}`", source.name()), checked);
    }
    match &config.public_url {
        Some(url) => {
            let answered = report.check("endereço público", check_public_url(url).await);
            if answered.is_some() && config.issuer.is_none() {
                report.check("autorização de agentes", check_discovery(url).await);
            }
        }
        None => report.warn(
            "endereço público: não foi conferido, porque PAUTA_PUBLIC_URL não está definido; convites \
             e links levam o endereço em que o serviço escuta",
        ),
    }
    report.finish_report()
}

/// Checks the hosted issuer: its keys, and its admin API if there is a key for it.
async fn check_hosted_issuer(report: &mut Report, config: &Issuer) -> Result<()> {
    let issuer = HostedIssuer::new(config.clone())?;
    if config.is_exposed() {
        report.warn(
            "provedor de identidade: PAUTA_IDENTITY_ISSUER não usa https; quem estiver no caminho \
             pode trocar as chaves e entrar como qualquer pessoa",
        );
    }
    let keys = issuer.check_keys().await.map_err(reason::into_anyhow);
    let keys = keys.and_then(|count| {
        ensure!(
            count > 0 || config.hs256_secret.is_some(),
            "nenhuma das chaves publicadas confere sessões; crie um par de chaves no provedor, ou \
             defina PAUTA_IDENTITY_HS256_SECRET"
        );
        Ok(())
    });
    report.check("provedor de identidade: chaves", keys);
    if config.sign_in_method() == Entrance::Closed {
        report.warn(
            "provedor de identidade: sem PAUTA_IDENTITY_CLIENT_ID, ninguém entra pelo navegador, nem na \
             console nem para ligar um agente",
        );
    }
    match issuer.check_accounts().await {
        Some(answered) => drop(report.check(
            "provedor de identidade: contas",
            answered.map_err(reason::into_anyhow),
        )),
        None if config.profile == IssuerProfile::Supabase => report.warn(
            "provedor de identidade: sem PAUTA_IDENTITY_ADMIN_KEY, só entra quem já entrou antes: o \
             token da Supabase não diz se o e-mail é confirmado, e ninguém é convidado por aqui",
        ),
        None => report.warn(
            "provedor de identidade: contas e senhas se criam e se \
             mudam no próprio provedor; quem é convidado aqui entra depois com o e-mail confirmado lá",
        ),
    }
    Ok(())
}

/// Checks the database, and the secret and media files that its rows require. Missing files are
/// reported and not created.
async fn check_database(report: &mut Report, config: &Config) -> Result<()> {
    if let Some(file) = config.database_file()
        && let Err(error) = fs::metadata(&file)
        && error.kind() == ErrorKind::NotFound
    {
        match config.secret_file().filter(|secret| secret.exists()) {
            Some(secret) => drop(report.check::<()>(
                "banco de dados",
                Err(anyhow!(
                    "{} não existe, mas {} sim; confira PAUTA_DATABASE_URL, ou restaure uma cópia",
                    file.display(),
                    secret.display()
                )),
            )),
            None => report.warn(&format!(
                "banco de dados: {} ainda não existe; `pauta serve` o cria",
                file.display()
            )),
        }
        return Ok(());
    }
    let opened = app::connect(config)
        .await
        .context("não pôde ser aberto; confira PAUTA_DATABASE_URL e se ele está no ar");
    if let Some(db) = report.check("banco de dados", opened) {
        check_contents(report, config, &db).await?;
        db.close().await?;
    }
    Ok(())
}

async fn check_contents(report: &mut Report, config: &Config, db: &Db) -> Result<()> {
    match count_pending_migrations(db).await {
        Ok(0) => drop(report.check("tabelas", Ok(()))),
        Ok(count) if config.database_file().is_some() => {
            let missing = migrations_text(count);
            report.warn(&format!(
                "tabelas: {missing} por aplicar; `pauta serve` aplica"
            ));
            return Ok(());
        }
        Ok(count) => {
            let missing = migrations_text(count);
            report.check::<()>(
                "tabelas",
                Err(anyhow!("{missing} por aplicar; rode `pauta migrate`")),
            );
            return Ok(());
        }
        Err(error) => {
            report.check::<()>("tabelas", Err(error));
            return Ok(());
        }
    }
    if app::has_session_keys(db).await? {
        report.check(
            "segredo mestre e chave de sessão",
            check_keys(config, db).await,
        );
        report.check("segredos guardados", check_secrets(config, db).await);
    } else {
        report.warn("chave de sessão: ainda não existe; `pauta serve` a cria");
    }
    let refers = backup::list_contents(&db.reader())
        .await
        .map_err(reason::into_anyhow)?;
    if let StorageLocation::Folder(folder) = &config.storage {
        if !folder.exists() && refers.is_empty() {
            let folder = folder.display();
            report.warn(&format!(
                "mídias: a pasta {folder} ainda não existe; `pauta serve` a cria"
            ));
            return Ok(());
        }
        report.check("mídias: arquivos", require_all_media(folder, &refers));
        if !folder.exists() {
            return Ok(());
        }
    }
    let kept = match Storage::open(config) {
        Ok(blobs) => check_round_trip(&blobs).await,
        Err(error) => Err(error),
    };
    let kept = kept.context("confira PAUTA_STORAGE e, com um bucket, PAUTA_S3_*");
    report.check("mídias: gravar, ler e apagar", kept);
    Ok(())
}

async fn check_keys(config: &Config, db: &Db) -> Result<()> {
    let keys = config.load_keys(true)?;
    app::load_session_keys(db, &keys, "", SystemClock.now()).await?;
    Ok(())
}

async fn check_secrets(config: &Config, db: &Db) -> Result<()> {
    let keys = config.load_keys(true)?;
    let opened = identity::sealed::require_keys(db, &keys).await;
    opened.map_err(|error| anyhow!(reason::explain_cause(&error)))
}

/// Fails unless the folder has the file of every medium in the database.
fn require_all_media(folder: &Path, refers: &[Content]) -> Result<()> {
    let paths = refers
        .iter()
        .map(|content| folder.join(storage_path(&content.sha256)));
    let missing: Vec<_> = paths.filter(|path| !path.exists()).collect();
    match &*missing {
        [] => Ok(()),
        [only] => bail!("falta {}; restaure-o de uma cópia", only.display()),
        [first, ..] => bail!(
            "faltam {} arquivos; o primeiro é {}; restaure-os de uma cópia",
            missing.len(),
            first.display()
        ),
    }
}

/// Returns the number of pending migrations.
async fn count_pending_migrations(db: &Db) -> Result<usize> {
    let pending = db.pending_migrations().await;
    pending.context("não puderam ser lidas")
}

fn migrations_text(count: usize) -> String {
    match count {
        1 => "1 migração".into(),
        _ => format!("{count} migrações"),
    }
}

/// Writes, reads and deletes a test object.
async fn check_round_trip(blobs: &dyn BlobStore) -> Result<()> {
    const BYTES: &[u8] = b"pauta doctor";
    let path = format!("doctor/{}", domain::random_text::<16>());
    let tried = async {
        blobs.store_bytes(&path, BYTES.into()).await?;
        let found = blobs.read_range(&path, 0..BYTES.len() as u64).await?;
        let parts: Vec<Bytes> = match found {
            Some(stream) => stream.try_collect().await?,
            None => vec![],
        };
        Ok::<_, gateway::Error>(parts.concat())
    };
    let found = tried
        .await
        .map_err(|error| anyhow!(reason::explain_cause(&error)));
    // The test object is deleted even if the read failed.
    let deleted = blobs.delete(&path).await;
    ensure!(found? == BYTES, "o que foi lido não é o que foi gravado");
    deleted.map_err(|error| anyhow!(reason::explain_cause(&error)))
}

/// Fails unless a Pauta service responds at the public URL.
async fn check_public_url(public_url: &str) -> Result<()> {
    let url = format!("{public_url}/api/health");
    let body = fetch_json(&url).await?;
    if body["service"] != "pauta" {
        bail!("em {url} responde outro serviço");
    }
    Ok(())
}

/// Fails unless MCP clients can discover the authorization server at the public URL and its
/// metadata contains that URL.
async fn check_discovery(public_url: &str) -> Result<()> {
    let origin_end = public_url
        .find("://")
        .and_then(|at| Some(at + 3 + public_url[at + 3..].find('/')?));
    let (origin, path) = public_url.split_at(origin_end.unwrap_or(public_url.len()));
    let resource = identity::authorization::mcp_endpoint_url(public_url);
    let server = identity::authorization::SERVER_METADATA;
    // The path of the public URL comes after the well-known prefix (RFC 8414, RFC 9728).
    let metadata = [
        (
            format!("{origin}/.well-known/oauth-protected-resource{path}/api/mcp"),
            "resource",
            resource.as_str(),
        ),
        (format!("{origin}{server}{path}"), "issuer", public_url),
    ];
    for (url, field, expected) in metadata {
        let body = fetch_json(&url).await?;
        ensure!(
            body[field] == expected,
            "{url} não diz `{field}` {expected}; confira PAUTA_PUBLIC_URL e o que o proxy encaminha"
        );
    }
    Ok(())
}

/// Fetches a URL as JSON.
async fn fetch_json(url: &str) -> Result<serde_json::Value> {
    let client = reqwest::Client::builder()
        .timeout(Duration::from_secs(10))
        .build()?;
    let response = client
        .get(url)
        .send()
        .await
        .with_context(|| format!("{url} não responde; o serviço está no ar?"))?;
    response
        .json()
        .await
        .with_context(|| format!("a resposta de {url} não é JSON"))
}

struct Report {
    clean: bool,
    failed: bool,
}

impl Default for Report {
    fn default() -> Self {
        Self {
            clean: true,
            failed: false,
        }
    }
}

impl Report {
    fn check<T>(&mut self, what: &str, outcome: Result<T>) -> Option<T> {
        match outcome {
            Ok(value) => {
                out!("ok     {what}");
                Some(value)
            }
            Err(error) => {
                out!("FALHA  {what}: {}", reason::error_text(&error));
                self.failed = true;
                None
            }
        }
    }

    fn warn(&mut self, text: &str) {
        out!("aviso  {text}");
        self.clean = false;
    }

    fn finish_report(self) -> Result<()> {
        ensure!(!self.failed, "há o que corrigir");
        Ok(())
    }
}
