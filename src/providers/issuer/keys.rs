//! The published keys of the issuer, and their address.

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

use super::{HostedIssuer, lost, malformed, read, within};

#[async_trait]
impl KeyPublisher for HostedIssuer {
    async fn keys(&self) -> Result<PublishedKeys> {
        let span = tracing::info_span!("provider_request", issuer = self.config.issuer);
        within(self.config.timeout, self.published())
            .instrument(span)
            .await
    }
}

impl HostedIssuer {
    /// The number of published keys that can verify sessions.
    ///
    /// Refused when the keys cannot be fetched, or the discovery document names another issuer.
    pub async fn check_keys(&self) -> Result<usize> {
        Ok(KeySet::read(&self.keys().await?.set)?.len())
    }

    async fn published(&self) -> Result<PublishedKeys> {
        let answer = match (&self.config.jwks_url, &self.config.profile) {
            (Some(url), _) => self.get(url.as_str()).await?,
            (None, IssuerProfile::Supabase) => {
                self.get(&self.below(".well-known/jwks.json")).await?
            }
            (None, IssuerProfile::Oidc { .. }) => self.discover().await?,
        };
        let max_age = max_age(answer.headers());
        Ok(PublishedKeys {
            set: read(answer).await?.into(),
            max_age,
        })
    }

    /// Fetches the keys from the address in the discovery document.
    async fn discover(&self) -> Result<Response> {
        let url = self.discovered().await?.jwks_uri;
        let (client, url) = self.named(&url, "jwks_uri").await?;
        successful(client.get(url).send().await)
    }

    pub(super) async fn get(&self, url: &str) -> Result<Response> {
        successful(self.client.get(url).send().await)
    }
}

fn successful(sent: reqwest::Result<Response>) -> Result<Response> {
    let answer = sent.map_err(|error| lost(&error))?;
    if answer.status() == 200 {
        return Ok(answer);
    }
    let status = answer.status().as_u16();
    Err(malformed(&format!("status {status}")).with("provider_code", status.to_string().into()))
}

/// The remaining lifetime of the answer (RFC 9111): its `max-age`, less the time spent in caches.
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
    fn the_age_of_an_answer_counts() {
        let of = |control: &'static str, age: Option<&'static str>| {
            let mut headers = HeaderMap::new();
            headers.insert(CACHE_CONTROL, control.parse().expect("a value"));
            if let Some(age) = age {
                headers.insert(AGE, age.parse().expect("a value"));
            }
            max_age(&headers).map(|age| age.as_secs())
        };
        assert_eq!(of("public, max-age=600", None), Some(600));
        assert_eq!(of("max-age=600", Some("200")), Some(400));
        assert_eq!(of("max-age=600", Some("900")), Some(0));
        assert_eq!(of("no-store, max-age=600", None), Some(0));
        assert_eq!(of("max-age=much", None), None);
        assert_eq!(of("private", None), None);
    }
}
