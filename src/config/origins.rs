//! The origins outside the public internet that the operator allows.

use anyhow::{Context, Result, ensure};
use reqwest::Url;

use super::Sources;

/// The origins from which files may be imported.
pub(super) const IMPORTS: &str = "PAUTA_IMPORT_ORIGINS";
/// The origins to which webhooks may be sent.
pub(super) const WEBHOOKS: &str = "PAUTA_WEBHOOK_ORIGINS";
/// The origins of push services that browsers of the team use.
pub(super) const PUSH: &str = "PAUTA_PUSH_ORIGINS";

/// Origins (scheme, host and port) that may be requested although they are not public, such as
/// servers of the team's own network.
#[derive(Debug, Clone, Default)]
pub struct AllowedOrigins(Vec<Url>);

impl AllowedOrigins {
    pub(super) fn read(sources: &Sources, setting: &str) -> Result<Self> {
        let listed = sources.get(setting).unwrap_or_default().split(',');
        let listed = listed.map(str::trim).filter(|text| !text.is_empty());
        let listed = listed.map(|text| parse_origin(setting, text));
        Ok(Self(listed.collect::<Result<_>>()?))
    }

    /// True if the operator allows requests to the origin of this URL.
    #[must_use]
    pub fn contain(&self, url: &Url) -> bool {
        let mut listed = self.0.iter();
        listed.any(|listed| listed.origin() == url.origin())
    }
}

fn parse_origin(setting: &str, text: &str) -> Result<Url> {
    let message = || {
        format!(
            "{setting} deve ter origens separadas por vírgula, como https://midias.interna:8443; veja `{text}`"
        )
    };
    let url = Url::parse(text).with_context(message)?;
    let is_plain = url.path() == "/" && url.query().is_none() && url.fragment().is_none();
    let is_web = ["http", "https"].contains(&url.scheme());
    ensure!(
        is_plain && is_web && url.username().is_empty() && url.password().is_none(),
        message()
    );
    Ok(url)
}
