//! `pauta doctor`

use std::{sync::Arc, time::Duration};

use anyhow::{Context, Result, anyhow, bail, ensure};
use migration::{Migrator, MigratorTrait};

use crate::{
    app::{self, SystemClock},
    config::{Config, SETTINGS, Sources},
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
        let pending = Migrator::get_pending_migrations(db.for_migration())
            .await?
            .len();
        let embedded = config.database_file().is_some();
        if pending > 0 && embedded {
            report.warn(&format!(
                "tabelas: {pending} migração pendente; `pauta serve` a aplica"
            ));
        } else {
            let current = match pending {
                0 => Ok(()),
                _ => Err(anyhow!("{pending} migração pendente; rode `pauta migrate`")),
            };
            if report.check("tabelas", current).is_some() {
                let url = config.public_url.clone().unwrap_or_default();
                let opened = app::assemble(&config, db, url, Arc::new(SystemClock)).await;
                report.check("segredo mestre e chave de sessão", opened.map(drop));
            }
        }
    }
    let images = app::image_generator(&config)?;
    report.check(
        "provedor de imagens",
        images.check().await.map_err(super::told),
    );
    if let Some(url) = &config.public_url {
        report.check("endereço público", answers(url).await);
    }
    report.end()
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
                println!("FALHA  {what}: {error:#}");
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
