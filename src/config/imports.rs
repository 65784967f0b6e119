//! The origins outside the public internet from which files may be imported.

use anyhow::{Context, Result, ensure};
use reqwest::Url;

use super::Sources;

const SETTING: &str = "PAUTA_IMPORT_ORIGINS";

/// Origins (scheme, host and port) that an import may read although they are not public, such as
/// the media server of the team's own network.
#[derive(Debug, Clone, Default)]
pub struct ImportOrigins(Vec<Url>);

impl ImportOrigins {
    pub(super) fn read(sources: &Sources) -> Result<Self> {
        let listed = sources.get(SETTING).unwrap_or_default().split(',');
        let listed = listed.map(str::trim).filter(|text| !text.is_empty());
        Ok(Self(listed.map(parse_origin).collect::<Result<_>>()?))
    }

    /// True if the operator allows imports from the origin of this URL.
    #[must_use]
    pub fn contain(&self, url: &Url) -> bool {
        let mut listed = self.0.iter();
        listed.any(|listed| listed.origin() == url.origin())
    }
}

fn parse_origin(text: &str) -> Result<Url> {
    let message = || {
        format!(
            "{SETTING} deve ter origens separadas por vírgula, como https://midias.interna:8443; veja `{text}`"
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
