//! `pauta demo`

mod agenda;
pub mod calendar_feeds;
mod carousel;
mod clock;
mod earlier_launch;
mod example_events;
pub mod examples;
pub mod guest_links;
pub mod knowledge;
mod library;
mod mails;
mod pieces;
mod projects;
mod publications;
mod push_devices;
mod remarks;
mod sales;
mod seed;
mod studio;
mod webhooks;

use std::{net::SocketAddr, path::PathBuf, sync::Arc, time::Duration};

use anyhow::{Context, Result, ensure};
use clap::Args;
use serde_json::json;

use clock::DemoClock;

use super::{
    logs::init_logs,
    serve::{self, Serving},
    terminal::out,
};
use crate::{
    app,
    config::{Config, LogFormat, Sources},
    private,
    server::Limits,
};

#[derive(Args)]
pub(super) struct Demo {
    /// Endereço e porta; só a própria máquina.
    #[arg(long, value_name = "ENDEREÇO", default_value = "127.0.0.1:8080")]
    listen: String,
    /// Escreve os acessos neste arquivo JSON quando o serviço está no ar.
    #[arg(long, value_name = "ARQUIVO")]
    ready_file: Option<PathBuf>,
    /// Origens que recebem webhooks sem TLS, como http://127.0.0.1:9000 (PAUTA_WEBHOOK_ORIGINS).
    #[arg(long, value_name = "ORIGENS", default_value = "")]
    webhook_origins: String,
}

impl Demo {
    pub(super) async fn run(self) -> Result<()> {
        init_logs(LogFormat::Text, "warn", None);
        let address: SocketAddr = self.listen.parse().ok().context(
            "--listen deve ser um endereço IP com porta, como 127.0.0.1:8080 ou [::1]:8080",
        )?;
        ensure!(
            address.ip().is_loopback(),
            "a demonstração só escuta na própria máquina (127.0.0.1 ou [::1]); para servir outras \
             pessoas, use `pauta serve`"
        );
        let directory = private::temporary_folder()
            .context("a pasta temporária não pôde ser criada; confira TMPDIR")?;
        let database = directory.path().join("pauta.db");
        let (listener, bound) = serve::listen("--listen", address).await?;
        let url = format!("http://{bound}");
        let config = Config::read(&Sources::from_pairs([
            ("PAUTA_LISTEN", bound.to_string()),
            ("PAUTA_WEBHOOK_ORIGINS", self.webhook_origins.clone()),
            (
                "PAUTA_DATABASE_URL",
                format!("sqlite://{}", database.display()),
            ),
        ]))?;
        let db = app::open_database(&config).await?;
        app::migrate(&db).await?;
        let clock = Arc::new(DemoClock::default());
        let app = app::assemble(&config, db, url.clone(), clock.clone()).await?;
        let access = seed::seed_demo(&app, &clock).await?;
        clock.set(0);
        let mcp_url = format!("{url}{}", app.gateway.registry.mcp_path());
        if let Some(path) = &self.ready_file {
            let ready = json!({
                "url": url,
                "console_url": format!("{url}{}", access.entry),
                "mcp_url": mcp_url,
                "email": seed::ADMIN_EMAIL,
                "password": access.password,
                "session": access.session,
                "token": access.token,
                "reader_token": access.reader_token,
            });
            write_private_file(path, &serde_json::to_vec_pretty(&ready)?)?;
        }
        print_welcome(&url, &mcp_url, &access);
        let serving = Serving {
            limits: Limits::default(),
            drain: Duration::ZERO,
            traffic: Arc::default(),
            exporter: None,
        };
        serve::run(app, listener, serving, serve::wait_for_stop_signal()).await
    }
}

/// Writes a file that only its owner can read. It is written under another name and then renamed,
/// so that no reader sees an incomplete file.
fn write_private_file(path: &std::path::Path, bytes: &[u8]) -> Result<()> {
    use std::io::Write;
    let parent = path.parent().filter(|p| !p.as_os_str().is_empty());
    let mut file = tempfile::NamedTempFile::new_in(parent.unwrap_or(".".as_ref()))?;
    file.write_all(bytes)?;
    file.persist(path)
        .with_context(|| format!("{} não pôde ser escrito", path.display()))?;
    Ok(())
}

fn print_welcome(url: &str, mcp_url: &str, access: &seed::Access) {
    let cursor = json!({
        "mcpServers": {
            "pauta": {
                "url": mcp_url,
                "headers": { "Authorization": format!("Bearer {}", access.token) },
            },
        },
    });
    let cursor = serde_json::to_string_pretty(&cursor).unwrap_or_default();
    out!(
        "\
Abra no navegador   {url}{entry}
                    (entra uma vez, em até 15 minutos; depois, com o e-mail e a senha)

Pauta no ar, com uma equipe de demonstração: {people} pessoas, {events} eventos e dois lançamentos.
Os dados somem quando este comando termina (Ctrl-C).

Endereço        {url}
Índice          {url}/llms.txt  (abra no navegador)
Contrato        {url}/api/ai/openapi.json
Entrada         {email}  senha: {password}
Token pessoal   {token}

Experimente
  curl -H 'Authorization: Bearer {token}' {url}/api/tarefas

Para entrar com o e-mail e a senha, pela linha de comando (Node 18 ou mais novo)
  curl -O {url}/api/ai/cli.mjs
  node cli.mjs login --email {email}
  node cli.mjs list-my-tasks

Ou em uma sessão de 15 minutos
  curl -H 'Content-Type: application/json' \\
    -d '{{\"email\":\"{email}\",\"password\":\"{password}\"}}' \\
    '{url}/auth/v1/token?grant_type=password'

Claude Code
  claude mcp add --transport http pauta {mcp_url} --header 'Authorization: Bearer {token}'

Cursor (~/.cursor/mcp.json)
{cursor}
",
        entry = access.entry,
        people = access.people,
        events = access.events,
        email = seed::ADMIN_EMAIL,
        password = access.password,
        token = access.token,
    );
}
