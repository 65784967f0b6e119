//! Explains database failures to the operator.

use std::{error::Error, io};

use sea_orm::{DbErr, RuntimeErr};

use crate::driver::{Cause, DriverError, driver_error, is_unavailable};

const TLS: &str = "a conexão TLS com o servidor falhou; confira sslmode e sslrootcert em \
    PAUTA_DATABASE_URL, e o certificado do servidor";

/// The cause of a database failure.
pub enum Explained<'a> {
    /// An error of the operating system.
    System(&'a io::Error),
    /// An explanation, in Portuguese if the code is known.
    Text(String),
    /// The servers of the address, each with the explanation of its failure.
    Servers(Vec<(&'a str, Explained<'a>)>),
}

/// Explains a database failure; `None` for other errors.
#[must_use]
pub fn explain<'a>(error: &'a (dyn Error + 'static)) -> Option<Explained<'a>> {
    database_error(error).map(explain_database_error)
}

/// Returns whether the error means that the database server is only temporarily unavailable: it does not
/// answer, its name does not resolve, it is starting or stopping, or it accepts no more connections.
#[must_use]
pub fn is_server_unavailable(error: &(dyn Error + 'static)) -> bool {
    database_error(error).is_some_and(is_unavailable)
}

fn database_error<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a DbErr> {
    let cause = || error.downcast_ref::<Cause>().map(|Cause(error)| error);
    error.downcast_ref().or_else(cause)
}

fn explain_database_error(error: &DbErr) -> Explained<'_> {
    let Some(driver) = driver_error(error) else {
        return Explained::Text(match error {
            DbErr::ConnectionAcquire(_) => "não houve resposta no prazo".into(),
            DbErr::Custom(text) | DbErr::Conn(RuntimeErr::Internal(text)) => text.clone(),
            other => other.to_string(),
        });
    };
    explain_driver_error(driver)
}

fn explain_driver_error(driver: &DriverError) -> Explained<'_> {
    Explained::Text(match driver {
        DriverError::Tls(_) => TLS.into(),
        DriverError::Io(error) => return Explained::System(error),
        DriverError::NoServer(refused) => {
            let refused = refused.iter();
            let explained =
                refused.map(|(server, error)| (server.as_str(), explain_driver_error(error)));
            return Explained::Servers(explained.collect());
        }
        DriverError::Server { code, message } => explain_refusal(code, message),
        DriverError::Sqlite { code, message } => explain_refusal(&code.to_string(), message),
        DriverError::Protocol(_) | DriverError::Abandoned | DriverError::Value(_) => {
            driver.to_string()
        }
    })
}

fn explain_refusal(code: &str, message: &str) -> String {
    match explain_code(code) {
        Some(words) => words.into(),
        None => format!("{message} (código {code})"),
    }
}

/// Returns the explanation of an error code of PostgreSQL (Appendix A) or SQLite
/// (`sqlite.org/rescode.html`).
fn explain_code(code: &str) -> Option<&'static str> {
    Some(match code {
        "28P01" | "28000" => "o usuário ou a senha foram recusados",
        "25006" => "o servidor não aceita gravações (é uma réplica)",
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
