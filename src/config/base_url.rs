//! URLs of other services.

use anyhow::{Context, Result};
use reqwest::Url;

use super::Sources;

/// Reads the base URL of a provider from its setting. The path of the URL ends with a slash.
pub(super) fn read_base_url(sources: &Sources, name: &str, default: &str) -> Result<Url> {
    let text = sources.get(name).unwrap_or(default);
    parse_url(name, &format!("{}/", text.trim_end_matches('/')))
}

/// Parses a URL without a query, a fragment or a password.
pub(super) fn parse_url(name: &str, text: &str) -> Result<Url> {
    let url = Url::parse(text).ok().filter(|url| {
        let plain = url.query().is_none() && url.fragment().is_none();
        let anonymous = url.username().is_empty() && url.password().is_none();
        matches!(url.scheme(), "http" | "https") && plain && anonymous
    });
    url.with_context(|| {
        format!("{name} deve ser um endereço http:// ou https:// sem busca, fragmento nem senha")
    })
}
