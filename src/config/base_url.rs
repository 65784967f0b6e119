//! Addresses of other services.

use anyhow::{Context, Result};
use reqwest::Url;

/// The base address of a provider, with a slash at the end.
pub(super) fn base_url(name: &str, text: &str) -> Result<Url> {
    address(name, &format!("{}/", text.trim_end_matches('/')))
}

/// An address without a query, a fragment or a password.
pub(super) fn address(name: &str, text: &str) -> Result<Url> {
    let url = Url::parse(text).ok().filter(|url| {
        let plain = url.query().is_none() && url.fragment().is_none();
        let anonymous = url.username().is_empty() && url.password().is_none();
        matches!(url.scheme(), "http" | "https") && plain && anonymous
    });
    url.with_context(|| {
        format!("{name} deve ser um endereço http:// ou https:// sem busca, fragmento nem senha")
    })
}
