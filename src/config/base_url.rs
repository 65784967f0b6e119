//! The base address of a provider.

use anyhow::{Context, Result};
use reqwest::Url;

/// The base address of a provider, with a slash at the end.
pub(super) fn base_url(name: &str, text: &str) -> Result<Url> {
    let base = Url::parse(&format!("{}/", text.trim_end_matches('/'))).ok();
    let base = base.filter(|url| {
        let plain = url.query().is_none() && url.fragment().is_none();
        let anonymous = url.username().is_empty() && url.password().is_none();
        matches!(url.scheme(), "http" | "https") && plain && anonymous
    });
    base.with_context(|| {
        format!("{name} deve ser um endereço http:// ou https:// sem busca, fragmento nem senha")
    })
}
