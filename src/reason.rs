//! Error texts for the operator.

use std::{error::Error, io};

use store::Explained;

/// Returns the text of an error and its causes, ending at the first cause that `explain_source` knows.
pub(crate) fn error_text(error: &anyhow::Error) -> String {
    let mut parts: Vec<String> = vec![];
    for cause in error.chain() {
        if let Some(words) = explain_source(cause) {
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

/// Converts an operation's error to an error text for the operator.
pub(crate) fn into_anyhow(error: impl Into<gateway::Error>) -> anyhow::Error {
    let error = error.into();
    let body = error.body();
    let next = body
        .details
        .and_then(|details| details.get("next")?.as_str().map(str::to_owned));
    let because = error
        .source()
        .map(|_| format!(" ({})", explain_cause(&error)));
    let text = [
        Some(body.error),
        because,
        next.map(|next| format!(" {next}")),
    ];
    anyhow::anyhow!("{}", text.into_iter().flatten().collect::<String>())
}

/// Returns the cause of a gateway error, explained if possible.
pub(crate) fn explain_cause(error: &gateway::Error) -> String {
    match error.source() {
        Some(source) => explain_source(source).unwrap_or_else(|| source.to_string()),
        None => error.to_string(),
    }
}

fn explain_source(error: &(dyn Error + 'static)) -> Option<String> {
    if let Some(error) = error.downcast_ref::<io::Error>() {
        return explain_io(error).map(Into::into);
    }
    if let Some(explained) = store::explain(error) {
        return Some(explained_text(explained));
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

fn explained_text(explained: Explained<'_>) -> String {
    match explained {
        Explained::System(error) => explain_io(error).map_or_else(|| error.to_string(), Into::into),
        Explained::Text(text) => text,
        Explained::Servers(servers) => {
            let texts = servers.into_iter();
            let texts =
                texts.map(|(server, explained)| format!("{server}: {}", explained_text(explained)));
            texts.collect::<Vec<_>>().join("; ")
        }
    }
}

fn explain_io(error: &io::Error) -> Option<&'static str> {
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
        K::NotConnected => "não há conexão com o servidor",
        K::HostUnreachable | K::NetworkUnreachable => "o servidor não está ao alcance desta rede",
        K::TimedOut => "não houve resposta no prazo",
        // The resolver's error has no kind, so it is recognised by its text.
        _ if error.to_string().starts_with("failed to lookup address") => {
            "o nome do servidor não foi encontrado"
        }
        _ => return None,
    })
}
