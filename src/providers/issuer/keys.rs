//! Fetches the issuer's published keys.

use std::time::Duration;

use async_trait::async_trait;
use gateway::Result;
use identity::{IssuerProfile, KeySet};
use ports::{KeyPublisher, PublishedKeys};
use reqwest::{
    Response,
    header::{AGE, CACHE_CONTROL, HeaderMap},
};
use tracing::Instrument;

use super::{HostedIssuer, malformed_error, read_body, to_provider_error, with_timeout};
use crate::providers::outgoing;

#[async_trait]
impl KeyPublisher for HostedIssuer {
    async fn fetch_keys(&self) -> Result<PublishedKeys> {
        let span = tracing::info_span!("provider_request", issuer = self.config.issuer);
        with_timeout(self.config.timeout, self.download_keys())
            .instrument(span)
            .await
    }
}

impl HostedIssuer {
    /// Returns the number of published keys that can verify session tokens.
    ///
    /// Fails if the keys cannot be fetched, or if the discovery document names another issuer.
    pub async fn check_keys(&self) -> Result<usize> {
        Ok(KeySet::parse(&self.download_keys().await?.set)?.len())
    }

    async fn download_keys(&self) -> Result<PublishedKeys> {
        let answer = match (&self.config.jwks_url, &self.config.profile) {
            (Some(url), _) => self.get(url.as_str()).await?,
            (None, IssuerProfile::Supabase) => {
                self.get(&self.endpoint_url(".well-known/jwks.json"))
                    .await?
            }
            (None, IssuerProfile::Oidc { .. }) => self.fetch_discovered_keys().await?,
        };
        let max_age = max_age(answer.headers());
        Ok(PublishedKeys {
            set: read_body(answer).await?.into(),
            max_age,
        })
    }

    /// Fetches the keys from the URL in the discovery document.
    async fn fetch_discovered_keys(&self) -> Result<Response> {
        let url = self.fetch_discovery().await?.jwks_uri;
        let (client, url) = self.resolve_endpoint(&url, "jwks_uri").await?;
        require_ok(outgoing::send_untraced(client.get(url)).await)
    }

    pub(super) async fn get(&self, url: &str) -> Result<Response> {
        require_ok(outgoing::send(self.client.get(url)).await)
    }
}

fn require_ok(sent: reqwest::Result<Response>) -> Result<Response> {
    let answer = sent.map_err(|error| to_provider_error(&error))?;
    if answer.status() == 200 {
        return Ok(answer);
    }
    let status = answer.status().as_u16();
    Err(malformed_error(&format!("status {status}"))
        .with_detail("provider_code", status.to_string().into()))
}

/// Returns how long the response may be cached (RFC 9111): its `max-age` minus its `Age`.
fn max_age(headers: &HeaderMap) -> Option<Duration> {
    let text = headers.get(CACHE_CONTROL)?.to_str().ok()?;
    let mut directives = text.split(',').map(str::trim);
    if directives
        .clone()
        .any(|d| d == "no-store" || d == "no-cache")
    {
        return Some(Duration::ZERO);
    }
    let seconds: u64 = directives
        .find_map(|directive| directive.strip_prefix("max-age="))?
        .parse()
        .ok()?;
    let age = headers
        .get(AGE)
        .and_then(|age| age.to_str().ok()?.parse().ok());
    Some(Duration::from_secs(
        seconds.saturating_sub(age.unwrap_or(0)),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn max_age_is_reduced_by_the_age_of_the_response() {
        let max_age_of = |control: &'static str, age: Option<&'static str>| {
            let mut headers = HeaderMap::new();
            headers.insert(CACHE_CONTROL, control.parse().expect("a value"));
            if let Some(age) = age {
                headers.insert(AGE, age.parse().expect("a value"));
            }
            max_age(&headers).map(|age| age.as_secs())
        };
        assert_eq!(max_age_of("public, max-age=600", None), Some(600));
        assert_eq!(max_age_of("max-age=600", Some("200")), Some(400));
        assert_eq!(max_age_of("max-age=600", Some("900")), Some(0));
        assert_eq!(max_age_of("no-store, max-age=600", None), Some(0));
        assert_eq!(max_age_of("max-age=much", None), None);
        assert_eq!(max_age_of("private", None), None);
    }
}
