//! The settings of the authorization server.

use anyhow::{Result, bail, ensure};
use identity::authorization::Trust;

use super::Sources;

/// The OAuth clients that the authorization server accepts.
#[derive(Debug, Clone)]
pub struct Clients {
    /// The hosts from which client id metadata documents are fetched and trusted.
    pub documents: Trust,
    /// Whether clients may register themselves (dynamic client registration).
    pub registration: bool,
    /// The token that the ChatGPT app directory expects at its challenge URL.
    pub apps_challenge: Option<String>,
}

impl Clients {
    pub(super) fn read(sources: &Sources) -> Result<Self> {
        let documents = sources.get("PAUTA_CLIENT_DOCUMENTS").unwrap_or("todos");
        let registration = match sources.get("PAUTA_CLIENT_REGISTRATION") {
            None | Some("sim") => true,
            Some("nao" | "não") => false,
            Some(_) => bail!("PAUTA_CLIENT_REGISTRATION deve ser `sim` ou `nao`"),
        };
        Ok(Self {
            documents: match documents.trim() {
                "todos" => Trust::Anybody,
                "nenhum" => Trust::Nobody,
                hosts => Trust::Hosts(
                    hosts
                        .split(',')
                        .map(|host| self::parse_host(host.trim()))
                        .collect::<Result<_>>()?,
                ),
            },
            registration,
            apps_challenge: sources
                .get("PAUTA_OPENAI_APPS_CHALLENGE")
                .map(|text| text.trim().to_owned()),
        })
    }
}

fn parse_host(text: &str) -> Result<String> {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '.';
    ensure!(
        !text.is_empty() && text.chars().all(plain),
        "PAUTA_CLIENT_DOCUMENTS deve ser `todos`, `nenhum` ou domínios separados por vírgula, como \
         claude.ai,chatgpt.com"
    );
    Ok(text.to_owned())
}
