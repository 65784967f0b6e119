//! Failures in words for the operator.

use std::{error::Error, io};

use sea_orm::{DbErr, RuntimeErr, SqlxError};

/// An error with its causes, down to the first one with an explanation here.
pub(crate) fn told(error: &anyhow::Error) -> String {
    let mut parts: Vec<String> = vec![];
    for cause in error.chain() {
        if let Some(words) = known(cause) {
            parts.push(words);
            break;
        }
        let text = cause.to_string();
        if !parts.last().is_some_and(|part| part.contains(&text)) {
            parts.push(text);
        }
    }
    parts.join(": ")
}

/// An operation's error, for the operator.
pub(crate) fn refusal(error: impl Into<gateway::Error>) -> anyhow::Error {
    let error = error.into();
    let body = error.body();
    let next = body
        .details
        .and_then(|details| details.get("next")?.as_str().map(str::to_owned));
    let because = error.source().map(|_| format!(" ({})", cause(&error)));
    let text = [
        Some(body.error),
        because,
        next.map(|next| format!(" {next}")),
    ];
    anyhow::anyhow!("{}", text.into_iter().flatten().collect::<String>())
}

/// The cause of a gateway error.
pub(crate) fn cause(error: &gateway::Error) -> String {
    match error.source() {
        Some(source) => known(source).unwrap_or_else(|| source.to_string()),
        None => error.to_string(),
    }
}

fn known(error: &(dyn Error + 'static)) -> Option<String> {
    if let Some(error) = error.downcast_ref::<io::Error>() {
        return system(error).map(Into::into);
    }
    if let Some(error) = error.downcast_ref::<DbErr>() {
        return Some(database(error));
    }
    let request = error.downcast_ref::<reqwest::Error>()?;
    if request.is_timeout() {
        Some("não houve resposta no prazo".into())
    } else if request.is_connect() {
        Some("a conexão não pôde ser feita".into())
    } else {
        None
    }
}

fn system(error: &io::Error) -> Option<&'static str> {
    use io::ErrorKind as K;
    Some(match error.kind() {
        K::PermissionDenied => "sem permissão; confira o dono e as permissões",
        K::NotFound => "não existe",
        K::AlreadyExists => "já existe",
        K::NotADirectory => "uma parte do caminho não é uma pasta",
        K::IsADirectory => "é uma pasta",
        K::ReadOnlyFilesystem => "o disco só permite leitura",
        K::StorageFull => "o disco está cheio",
        K::AddrInUse => "o endereço já está em uso",
        K::AddrNotAvailable => "o endereço não é desta máquina",
        K::ConnectionRefused => "a conexão foi recusada",
        K::TimedOut => "não houve resposta no prazo",
        // The resolver's error has no kind of its own.
        _ if error.to_string().starts_with("failed to lookup address") => {
            "o nome do servidor não foi encontrado"
        }
        _ => return None,
    })
}

fn database(error: &DbErr) -> String {
    let (DbErr::Conn(RuntimeErr::SqlxError(inner))
    | DbErr::Exec(RuntimeErr::SqlxError(inner))
    | DbErr::Query(RuntimeErr::SqlxError(inner))) = error
    else {
        return match error {
            DbErr::ConnectionAcquire(_) => "não houve resposta no prazo".into(),
            DbErr::Custom(text) | DbErr::Conn(RuntimeErr::Internal(text)) => text.clone(),
            other => other.to_string(),
        };
    };
    match &**inner {
        SqlxError::Io(error) => system(error).map_or_else(|| error.to_string(), Into::into),
        SqlxError::PoolTimedOut => "não houve resposta no prazo".into(),
        SqlxError::Database(error) => {
            let code = error.code().unwrap_or_default();
            match coded(&code) {
                Some(words) => words.into(),
                None => format!("{} (código {code})", error.message()),
            }
        }
        other => other.to_string(),
    }
}

/// The explanation of an error code of PostgreSQL (Appendix A) or SQLite
/// (`sqlite.org/rescode.html`).
fn coded(code: &str) -> Option<&'static str> {
    Some(match code {
        "28P01" | "28000" => "o usuário ou a senha foram recusados",
        "3D000" => "o banco de dados não existe; crie-o antes",
        "42501" => "o usuário não tem permissão",
        "42P01" => "faltam tabelas; rode `pauta migrate`",
        "53300" => "o servidor não aceita mais conexões",
        "57P03" => "o servidor ainda está subindo; tente de novo",
        "5" | "261" | "517" => "o arquivo está ocupado por outro processo",
        "8" | "1032" | "1544" => "o arquivo só permite leitura",
        "10" | "266" | "522" | "778" => "o disco falhou ao ler ou gravar",
        "11" => "o arquivo está danificado; restaure uma cópia",
        "13" => "o disco está cheio",
        "14" => "o arquivo não pôde ser aberto; confira a pasta, o dono e as permissões",
        "26" => "o arquivo não é um banco de dados SQLite",
        _ => return None,
    })
}
