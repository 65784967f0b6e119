//! The command line: `pauta serve | demo | migrate | admin | token | keys | knowledge | import |
//! privacy | artifacts | backup | restore | move | doctor | ready`.

mod admin;
mod artifacts;
mod backup;
pub mod demo;
mod doctor;
mod import;
mod keys;
mod knowledge;
mod logs;
mod metrics;
mod offline;
mod privacy;
mod ready;
mod relocate;
mod serve;
mod terminal;
mod token;
mod usage;
mod waiting;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Arg, ArgAction, CommandFactory, FromArgMatches, Parser, Subcommand};
use futures::FutureExt as _;

use crate::{
    config::{Config, Sources},
    providers, reason,
};

pub use logs::log_filter;

use terminal::{err, out};

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
    /// Cuida das chaves que cifram senhas e conexões.
    #[command(subcommand_required = true)]
    Keys {
        #[command(subcommand)]
        command: KeysCommand,
    },
    /// Cuida da base de conhecimento em que os agentes pesquisam.
    #[command(subcommand_required = true)]
    Knowledge {
        #[command(subcommand)]
        command: KnowledgeCommand,
    },
    /// Importa vendas e o que as explica, de CSV ou JSON Lines; `--help` de cada uma lista as colunas.
    #[command(subcommand_required = true)]
    Import {
        #[command(subcommand)]
        command: import::Import,
    },
    /// Atende a pessoas sobre os próprios dados (LGPD).
    #[command(subcommand_required = true)]
    Privacy {
        #[command(subcommand)]
        command: privacy::Privacy,
    },
    /// Gera os artefatos publicados em ai-artifacts/dist.
    Artifacts {
        /// Só confere: falha se algum arquivo difere do registro ou sobra.
        #[arg(long)]
        check: bool,
    },
    /// Copia o banco de dados, o segredo e as mídias para uma pasta nova, com o serviço no ar ou não.
    Backup(backup::Backup),
    /// Restaura uma cópia de `backup` onde ainda não há nada.
    Restore(backup::Restore),
    /// Copia tudo de um banco SQLite para um PostgreSQL vazio, com o serviço parado.
    Move(relocate::Move),
    /// Confere a configuração, o banco de dados, as mídias e o endereço público; não muda nada.
    Doctor,
    /// Pergunta ao serviço desta máquina se ele pode atender; serve de verificação de saúde.
    Ready {
        /// Endereço e porta em que o serviço escuta (padrão 127.0.0.1:8080).
        #[arg(long, value_name = "ENDEREÇO")]
        listen: Option<String>,
    },
}

#[derive(Subcommand)]
enum AdminCommand {
    /// Cria um admin; sem senha, imprime o link de convite.
    Create(admin::Create),
    /// Faz um convite novo para quem perdeu o seu ou a senha, e o imprime.
    Invite(admin::Invite),
    /// Define a senha de um membro, lida da entrada padrão; encerra sessões e tokens pessoais.
    Password(admin::Password),
}

#[derive(Subcommand)]
enum TokenCommand {
    /// Cria um token pessoal para um membro e o imprime, uma única vez.
    Create(token::Create),
}

#[derive(Subcommand)]
enum KeysCommand {
    /// Cifra de novo, sob a primeira chave de PAUTA_KEYRING, o que está sob outras; pode ser repetido.
    Rotate,
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

/// Runs the command line. The exit code is 0 on success.
#[must_use]
pub fn run() -> ExitCode {
    let version = Arg::new("version")
        .short('V')
        .long("version")
        .action(ArgAction::Version);
    let command = Cli::command().arg(version.help("Mostra a versão"));
    let command = import::with_column_help(command);
    let given = translate_help(command).try_get_matches();
    let cli = match given.and_then(|given| Cli::from_arg_matches(&given)) {
        Ok(cli) => cli,
        Err(error) => return usage::print_and_exit(&error),
    };
    providers::install_tls_provider();
    let outcome = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(Into::into)
        // Boxing the future makes the compiler generate its code once instead of once per runtime
        // type.
        .and_then(|runtime| runtime.block_on(dispatch(cli.command).boxed_local()));
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            err!("pauta: {}", reason::error_text(&error));
            ExitCode::FAILURE
        }
    }
}

/// Translates the help of a command and its subcommands to Portuguese.
fn translate_help(command: clap::Command) -> clap::Command {
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
        .mut_subcommands(translate_help)
}

async fn dispatch(command: Command) -> Result<()> {
    let mut sources = Sources::read_settings()?;
    match command {
        Command::Serve { listen } => {
            sources.set("PAUTA_LISTEN", listen);
            serve::serve(&sources).await
        }
        Command::Demo(demo) => demo.run().await,
        Command::Migrate => {
            let config = Config::read(&sources)?;
            offline::open_migrated(&config).await?;
            out!("O banco de dados está atualizado.");
            Ok(())
        }
        Command::Admin { command } => match command {
            AdminCommand::Create(create) => create.run(&sources).await,
            AdminCommand::Invite(invite) => invite.run(&sources).await,
            AdminCommand::Password(password) => password.run(&sources).await,
        },
        Command::Token {
            command: TokenCommand::Create(create),
        } => create.run(&sources).await,
        Command::Keys {
            command: KeysCommand::Rotate,
        } => keys::rotate_keys(&sources).await,
        Command::Knowledge { command } => match command {
            KnowledgeCommand::Add(add) => add.run(&sources).await,
            KnowledgeCommand::List => knowledge::list_documents(&sources).await,
            KnowledgeCommand::ReadPdf => knowledge::read_pdf(),
            KnowledgeCommand::Remove(remove) => remove.run(&sources).await,
        },
        Command::Import { command } => command.run(&sources).await,
        Command::Privacy { command } => command.run(&sources).await,
        Command::Artifacts { check } => artifacts::run(check),
        Command::Backup(backup) => backup.run(&sources).await,
        Command::Restore(restore) => restore.run(&sources).await,
        Command::Move(relocate) => relocate.run(&mut sources).await,
        Command::Doctor => doctor::run(&sources).await,
        Command::Ready { listen } => {
            sources.set("PAUTA_LISTEN", listen);
            ready::run(&sources).await
        }
    }
}
