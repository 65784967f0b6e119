//! The command line: `pauta serve | demo | migrate | admin | token | knowledge |
//! artifacts | doctor`.

mod admin;
mod artifacts;
pub mod demo;
mod doctor;
mod knowledge;
mod serve;
mod token;
mod usage;

use std::{io::IsTerminal, process::ExitCode};

use anyhow::Result;
use clap::{Arg, ArgAction, Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use gateway::Error;
use tracing_subscriber::EnvFilter;

use crate::{
    app::{self, App, SystemClock},
    config::{Config, LogFormat, Sources},
    providers, reason,
};

const TEMPLATE: &str = "{about}\n\nUso: {usage}\n\n{all-args}{after-help}";

/// Pauta: a agenda editorial da equipe, para pessoas e seus agentes.
#[derive(Parser)]
#[command(name = "pauta", version, disable_version_flag = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Sobe o serviço.
    Serve {
        /// Endereço e porta (padrão 127.0.0.1:8080).
        #[arg(long, value_name = "ENDEREÇO")]
        listen: Option<String>,
    },
    /// Sobe uma equipe pronta, com um mês de agenda, em um banco descartável.
    Demo(demo::Demo),
    /// Cria ou atualiza as tabelas do banco de dados.
    Migrate,
    /// Administra a equipe a partir da máquina.
    #[command(subcommand_required = true)]
    Admin {
        #[command(subcommand)]
        command: AdminCommand,
    },
    /// Administra tokens pessoais a partir da máquina.
    #[command(subcommand_required = true)]
    Token {
        #[command(subcommand)]
        command: TokenCommand,
    },
    /// Cuida da base de conhecimento em que os agentes pesquisam.
    #[command(subcommand_required = true)]
    Knowledge {
        #[command(subcommand)]
        command: KnowledgeCommand,
    },
    /// Gera os artefatos publicados em ai-artifacts/dist.
    Artifacts {
        /// Só confere: falha se algum arquivo difere do registro ou sobra.
        #[arg(long)]
        check: bool,
    },
    /// Confere a configuração, o banco de dados e o endereço público.
    Doctor,
}

#[derive(Subcommand)]
enum AdminCommand {
    /// Cria um admin; sem senha, imprime o link de convite.
    Create(admin::Create),
}

#[derive(Subcommand)]
enum TokenCommand {
    /// Cria um token pessoal para um membro e o imprime, uma única vez.
    Create(token::Create),
}

#[derive(Subcommand)]
enum KnowledgeCommand {
    /// Adiciona arquivos Markdown, texto, HTML ou PDF; de uma pasta, todos os que há nela.
    Add(knowledge::Add),
    /// Lista os documentos.
    List,
    /// Remove documentos pelos ids que `list` mostra.
    Remove(knowledge::Remove),
    /// Lê um PDF da entrada e escreve o texto dele: o processo que `add` abre.
    #[command(name = knowledge::READ_PDF, hide = true)]
    ReadPdf,
}

/// Which member a command is about.
#[derive(Args)]
struct Email {
    /// E-mail do membro.
    #[arg(long, value_name = "E-MAIL")]
    email: String,
}

/// Runs the command line; 0 when it did what was asked.
#[must_use]
pub fn run() -> ExitCode {
    let version = Arg::new("version")
        .short('V')
        .long("version")
        .action(ArgAction::Version);
    let command = Cli::command().arg(version.help("Mostra a versão"));
    let given = in_portuguese(command).try_get_matches();
    let cli = match given.and_then(|given| Cli::from_arg_matches(&given)) {
        Ok(cli) => cli,
        Err(error) => return usage::end(&error),
    };
    providers::choose_tls();
    let outcome = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(Into::into)
        .and_then(|runtime| runtime.block_on(dispatch(cli.command)));
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("pauta: {}", reason::told(&error));
            ExitCode::FAILURE
        }
    }
}

/// The help of a command and of those below it, in the language of its readers.
fn in_portuguese(command: clap::Command) -> clap::Command {
    let help = Arg::new("help")
        .short('h')
        .long("help")
        .action(ArgAction::Help);
    command
        .help_template(TEMPLATE)
        .disable_help_flag(true)
        .disable_help_subcommand(true)
        .subcommand_help_heading("Comandos")
        .subcommand_value_name("COMANDO")
        .arg(help.help("Mostra esta ajuda"))
        .mut_args(|arg| {
            let heading = if arg.is_positional() {
                "Argumentos"
            } else {
                "Opções"
            };
            arg.help_heading(heading)
        })
        .mut_subcommands(in_portuguese)
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
        Command::Knowledge { command } => match command {
            KnowledgeCommand::Add(add) => add.run(&sources).await,
            KnowledgeCommand::List => knowledge::list(&sources).await,
            KnowledgeCommand::ReadPdf => knowledge::read_pdf(),
            KnowledgeCommand::Remove(remove) => remove.run(&sources).await,
        },
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
fn told(error: impl Into<Error>) -> anyhow::Error {
    let error = error.into();
    let body = error.body();
    let next = body
        .details
        .and_then(|details| details.get("next")?.as_str().map(str::to_owned));
    let cause = std::error::Error::source(&error).map(|_| format!(" ({})", reason::cause(&error)));
    let text = [Some(body.error), cause, next.map(|next| format!(" {next}"))];
    anyhow::anyhow!("{}", text.into_iter().flatten().collect::<String>())
}

/// What is logged, in the words of `RUST_LOG`.
///
/// The protocol library logs what callers sent, even the text of tool arguments: it is heard only
/// when it is named.
#[must_use]
pub fn log_filter(directives: &str) -> EnvFilter {
    let quiet = if directives.contains("rmcp") {
        ""
    } else {
        ",rmcp=error"
    };
    EnvFilter::new(format!("{directives}{quiet}"))
}

fn init_logs(format: LogFormat, default: &str) {
    let asked = std::env::var("RUST_LOG").ok();
    let filter = log_filter(asked.as_deref().unwrap_or(default));
    let builder = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(std::io::stderr().is_terminal())
        .with_writer(std::io::stderr);
    // A second initialisation in one process (tests) keeps the first.
    let _ = match format {
        LogFormat::Text => builder.try_init(),
        LogFormat::Json => builder.json().flatten_event(true).try_init(),
    };
}
