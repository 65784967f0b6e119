//! URLs of other services.

use anyhow::{Context, Result};
use reqwest::Url;

/// Parses the base URL of a provider and ends its path with a slash.
pub(super) fn parse_base_url(name: &str, text: &str) -> Result<Url> {
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
