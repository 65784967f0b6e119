//! `pauta doctor`

use std::{sync::Arc, time::Duration};

use anyhow::{Context, Result, anyhow, bail, ensure};
use axum::body::Bytes;
use futures::TryStreamExt;
use ports::BlobStore;
use store::Db;

use crate::{
    app::{self, SystemClock},
    config::{Config, SETTINGS, Sources},
    reason,
};

/// Prints one line per check; fails when any of them does.
pub(super) async fn run(sources: &Sources) -> Result<()> {
    let mut report = Report::default();
    for name in sources.unknown() {
        report.warn(&format!("{name} não é uma variável conhecida"));
    }
    if !report.clean {
        println!("       variáveis conhecidas:");
        for (name, purpose) in SETTINGS {
            println!("       {name}: {purpose}");
        }
    }
    let Some(config) = report.check("configuração", Config::read(sources)) else {
        return report.end();
    };
    if let Some(db) = report.check("banco de dados", app::open_database(&config).await) {
        let embedded = config.database_file().is_some();
        let current = match pending(&db).await {
            Ok(0) => Some(Ok(())),
            Ok(count) if embedded => {
                let missing = migrations(count);
                report.warn(&format!(
                    "tabelas: {missing} por aplicar; `pauta serve` aplica"
                ));
                None
            }
            Ok(count) => Some(Err(anyhow!(
                "{} por aplicar; rode `pauta migrate`",
                migrations(count)
            ))),
            Err(error) => Some(Err(error)),
        };
        if current.is_some_and(|current| report.check("tabelas", current).is_some()) {
            let url = config.public_url.clone().unwrap_or_default();
            let opened = app::assemble(&config, db, url, Arc::new(SystemClock)).await;
            let app = report.check("segredo mestre, chave de sessão e guarda", opened);
            if let Some(app) = app {
                let blobs = &*app.gateway.services.blobs;
                let kept = keeps(blobs).await;
                let kept = kept.context("confira PAUTA_STORAGE e, com um bucket, PAUTA_S3_*");
                report.check("mídias: gravar, ler e apagar", kept);
            }
        }
    }
    let images = app::image_generator(&config)?;
    report.check(
        "provedor de imagens",
        images.check().await.map_err(reason::refusal),
    );
    if let Some(semantics) = app::semantics(&config)? {
        let embeds = semantics.check().await;
        report.check("provedor de embeddings", embeds.map_err(reason::refusal));
    }
    if let Some(url) = &config.public_url {
        report.check("endereço público", answers(url).await);
    }
    report.end()
}

/// How many migrations are to be applied.
async fn pending(db: &Db) -> Result<usize> {
    let pending = db.pending_migrations().await;
    pending.context("não puderam ser lidas")
}

fn migrations(count: usize) -> String {
    match count {
        1 => "1 migração".into(),
        _ => format!("{count} migrações"),
    }
}

/// Whether the storage gives back what it is given.
async fn keeps(blobs: &dyn BlobStore) -> Result<()> {
    const BYTES: &[u8] = b"pauta doctor";
    let path = format!("doctor/{}", domain::random_text::<16>());
    let tried = async {
        blobs.put(&path, BYTES.into()).await?;
        let found = blobs.read(&path, 0..BYTES.len() as u64).await?;
        let parts: Vec<Bytes> = match found {
            Some(stream) => stream.try_collect().await?,
            None => vec![],
        };
        Ok::<_, gateway::Error>(parts.concat())
    };
    let found = tried.await.map_err(|error| anyhow!(reason::cause(&error)));
    // What was written goes, whatever else failed.
    let deleted = blobs.delete(&path).await;
    ensure!(found? == BYTES, "o que foi lido não é o que foi gravado");
    deleted.map_err(|error| anyhow!(reason::cause(&error)))
}

/// Whether a Pauta answers at the public address.
async fn answers(public_url: &str) -> Result<()> {
    let url = format!("{public_url}/api/health");
    let client = reqwest::Client::builder()
        .timeout(Duration::from_secs(10))
        .build()?;
    let response = client
        .get(&url)
        .send()
        .await
        .with_context(|| format!("{url} não responde; o serviço está no ar?"))?;
    let body: serde_json::Value = response.json().await.context("a resposta não é JSON")?;
    if body["service"] != "pauta" {
        bail!("em {url} responde outro serviço");
    }
    Ok(())
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
                println!("ok     {what}");
                Some(value)
            }
            Err(error) => {
                println!("FALHA  {what}: {}", reason::told(&error));
                self.failed = true;
                None
            }
        }
    }

    fn warn(&mut self, text: &str) {
        println!("aviso  {text}");
        self.clean = false;
    }

    fn end(self) -> Result<()> {
        ensure!(!self.failed, "há o que corrigir");
        Ok(())
    }
}
