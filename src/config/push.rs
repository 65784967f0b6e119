//! The settings of messages to devices.

use anyhow::{Result, bail};
use domain::Email;
use reqwest::Url;

use super::{AllowedOrigins, SmtpServer, Sources, origins};

const CONTACT: &str = "PAUTA_PUSH_CONTACT";

/// The settings of messages to the devices of members.
#[derive(Debug, Clone, Default)]
pub struct Push {
    /// The contact for a push service that has a problem with these messages (RFC 8292, section 2.1):
    /// `mailto:…` or `https://…`. Without a contact, the public URL is used.
    pub contact: Option<String>,
    /// Push services outside the public internet.
    pub origins: AllowedOrigins,
}

impl Push {
    /// Reads the settings. If no contact for push services is set, the contact of the privacy page is
    /// used, or else the sender address of e-mails.
    pub(super) fn read(
        sources: &Sources,
        privacy_contact: Option<&str>,
        smtp: Option<&SmtpServer>,
    ) -> Result<Self> {
        let contact = match sources.get(CONTACT) {
            Some(text) => Some(parse_contact(text.trim())?),
            None => privacy_contact
                .and_then(|text| parse_contact(text).ok())
                .or_else(|| smtp.map(|server| format!("mailto:{}", server.from.as_str()))),
        };
        Ok(Self {
            contact,
            origins: AllowedOrigins::read(sources, origins::PUSH)?,
        })
    }
}

fn parse_contact(text: &str) -> Result<String> {
    let email = text.strip_prefix("mailto:").unwrap_or(text);
    let is_page = text.starts_with("https://");
    if !is_page && let Ok(email) = email.parse::<Email>() {
        return Ok(format!("mailto:{}", email.as_str()));
    }
    let url = Url::parse(text).ok().filter(|url| url.scheme() == "https");
    match url {
        Some(url) if url.username().is_empty() && url.password().is_none() => Ok(url.to_string()),
        _ => bail!("{CONTACT} deve ser um e-mail ou um endereço https"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_contact_is_an_email_or_a_page() {
        for (text, contact) in [
            ("ti@pauta.test", "mailto:ti@pauta.test"),
            ("mailto:ti@pauta.test", "mailto:ti@pauta.test"),
            ("https://pauta.test/contato", "https://pauta.test/contato"),
        ] {
            assert_eq!(parse_contact(text).expect("a contact"), contact);
        }
        for wrong in ["", "http://pauta.test", "https://a:b@pauta.test", "equipe"] {
            assert!(parse_contact(wrong).is_err(), "{wrong}");
        }
    }
}
