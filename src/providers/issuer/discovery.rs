//! The discovery document of an OpenID Connect issuer.

use gateway::{Error, Result};
use reqwest::{Client, Url};
use serde::Deserialize;

use super::{HostedIssuer, foreign, malformed_error, read_body};

/// The fields of the discovery document that this adapter uses.
#[derive(Deserialize)]
pub(super) struct Discovered {
    issuer: String,
    pub jwks_uri: String,
    pub authorization_endpoint: Option<String>,
    pub token_endpoint: Option<String>,
    #[serde(rename = "token_endpoint_auth_methods_supported")]
    pub token_methods: Option<Vec<String>>,
}

impl HostedIssuer {
    /// Fetches the discovery document. Fails if it names another issuer than the configured one.
    pub(super) async fn fetch_discovery(&self) -> Result<Discovered> {
        let document = self.endpoint_url(".well-known/openid-configuration");
        let document = read_body(self.get(&document).await?).await?;
        let found: Discovered = serde_json::from_slice(&document).map_err(|_| {
            malformed_error("o documento de descoberta (openid-configuration) não é o esperado")
        })?;
        if found.issuer != self.config.issuer {
            return Err(malformed_error(
                "o nome que ele se dá (`issuer`) não é PAUTA_IDENTITY_ISSUER, letra por letra",
            ));
        }
        Ok(found)
    }

    /// Parses a URL from the discovery document and returns it with a client. If its origin differs
    /// from the issuer's, its host must be public.
    pub(super) async fn resolve_endpoint(
        &self,
        address: &str,
        field: &str,
    ) -> Result<(Client, Url)> {
        let refused = || malformed_error(&format!("o endereço `{field}` não é aceito"));
        let url = Url::parse(address).map_err(|_| refused())?;
        let own = Url::parse(&self.config.issuer).map_err(Error::internal)?;
        if url.origin() == own.origin() {
            return Ok((self.client.clone(), url));
        }
        let client = foreign::public_client(&url).await.ok_or_else(refused)?;
        Ok((client, url))
    }
}
