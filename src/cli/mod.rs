//! The command line: `pauta serve | demo | migrate | admin | token | artifacts | doctor`.

mod admin;
mod artifacts;
mod demo;
mod doctor;
mod serve;
mod token;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, Parser, Subcommand};
use tools::registry::Error;
use tracing_subscriber::EnvFilter;

use crate::{
    app::{self, App, SystemClock},
    config::{Config, LogFormat, Sources},
};

const TEMPLATE: &str = "{about}\n\nUso: {usage}\n\n{all-args}{after-help}";

/// Pauta: a agenda editorial da equipe, para pessoas e seus agentes.
#[derive(Parser)]
#[command(name = "pauta", version, help_template = TEMPLATE, disable_help_subcommand = true)]
#[command(subcommand_help_heading = "Comandos", next_help_heading = "Opções")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Sobe o serviço.
    #[command(help_template = TEMPLATE)]
    Serve {
        /// Endereço e porta (padrão 127.0.0.1:8080).
        #[arg(long, value_name = "ENDEREÇO")]
        listen: Option<String>,
    },
    /// Sobe uma equipe pronta, com um mês de agenda, em um banco descartável.
    #[command(help_template = TEMPLATE)]
    Demo(demo::Demo),
    /// Cria ou atualiza as tabelas do banco de dados.
    #[command(help_template = TEMPLATE)]
    Migrate,
    /// Administra a equipe a partir da máquina.
    #[command(help_template = TEMPLATE, subcommand_required = true)]
    Admin {
        #[command(subcommand)]
        command: AdminCommand,
    },
    /// Administra tokens pessoais a partir da máquina.
    #[command(help_template = TEMPLATE, subcommand_required = true)]
    Token {
        #[command(subcommand)]
        command: TokenCommand,
    },
    /// Gera os artefatos publicados em ai-artifacts/dist.
    #[command(help_template = TEMPLATE)]
    Artifacts {
        /// Só confere: falha se algum arquivo difere do registro.
        #[arg(long)]
        check: bool,
    },
    /// Confere a configuração, o banco de dados e o endereço público.
    #[command(help_template = TEMPLATE)]
    Doctor,
}

#[derive(Subcommand)]
enum AdminCommand {
    /// Cria um admin; sem senha, imprime o link de convite.
    #[command(help_template = TEMPLATE)]
    Create(admin::Create),
}

#[derive(Subcommand)]
enum TokenCommand {
    /// Cria um token pessoal para um membro e o imprime, uma única vez.
    #[command(help_template = TEMPLATE)]
    Create(token::Create),
}

/// Which member a command is about.
#[derive(Args)]
struct Email {
    /// E-mail do membro.
    #[arg(long)]
    email: String,
}

/// Runs the command line; 0 when it did what was asked.
#[must_use]
pub fn run() -> ExitCode {
    let cli = Cli::parse();
    let outcome = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(Into::into)
        .and_then(|runtime| runtime.block_on(dispatch(cli.command)));
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("pauta: {error:#}");
            ExitCode::FAILURE
        }
    }
}

async fn dispatch(command: Command) -> Result<()> {
    let mut sources = Sources::read()?;
    match command {
        Command::Serve { listen } => {
            sources.set("PAUTA_LISTEN", listen);
            serve::serve(&sources).await
        }
        Command::Demo(demo) => demo.run().await,
        Command::Migrate => {
            let config = Config::read(&sources)?;
            let db = app::open_database(&config).await?;
            app::migrate(&db).await?;
            println!("O banco de dados está atualizado.");
            Ok(())
        }
        Command::Admin {
            command: AdminCommand::Create(create),
        } => create.run(&sources).await,
        Command::Token {
            command: TokenCommand::Create(create),
        } => create.run(&sources).await,
        Command::Artifacts { check } => artifacts::run(check),
        Command::Doctor => doctor::run(&sources).await,
    }
}

/// The service without a listener, for commands that act on its database.
async fn offline(sources: &Sources) -> Result<App> {
    let config = Config::read(sources)?;
    let db = app::open_database(&config).await?;
    app::migrate(&db).await?;
    let public_url = config
        .public_url
        .clone()
        .unwrap_or_else(|| format!("http://{}", config.listen));
    app::assemble(&config, db, public_url, std::sync::Arc::new(SystemClock)).await
}

/// A refusal of an operation, as the operator reads it.
fn told(error: Error) -> anyhow::Error {
    let body = error.body();
    let next = body
        .details
        .and_then(|details| details.get("next")?.as_str().map(str::to_owned));
    let cause = std::error::Error::source(&error).map(|cause| format!(" ({cause})"));
    let text = [Some(body.error), cause, next.map(|next| format!(" {next}"))];
    anyhow::anyhow!("{}", text.into_iter().flatten().collect::<String>())
}

fn init_logs(format: LogFormat, default: &str) {
    let filter = EnvFilter::try_from_env("RUST_LOG").unwrap_or_else(|_| EnvFilter::new(default));
    let builder = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr);
    // A second initialisation in one process (tests) keeps the first.
    let _ = match format {
        LogFormat::Text => builder.try_init(),
        LogFormat::Json => builder.json().flatten_event(true).try_init(),
    };
}
