//! What an OpenID Connect issuer says of itself.

use gateway::{Error, Result};
use reqwest::{Client, Url};
use serde::Deserialize;

use super::{HostedIssuer, foreign, malformed, read};

/// The discovery document, as far as it is needed.
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
    /// Refused when the issuer calls itself by another name than the configured one.
    pub(super) async fn discovered(&self) -> Result<Discovered> {
        let document = self.below(".well-known/openid-configuration");
        let document = read(self.get(&document).await?).await?;
        let found: Discovered = serde_json::from_slice(&document).map_err(|_| {
            malformed("o documento de descoberta (openid-configuration) não é o esperado")
        })?;
        if found.issuer != self.config.issuer {
            return Err(malformed(
                "o nome que ele se dá (`issuer`) não é PAUTA_IDENTITY_ISSUER, letra por letra",
            ));
        }
        Ok(found)
    }

    /// An address that the document gives, and the client that may ask it. It may be of another origin,
    /// which must then be public.
    pub(super) async fn named(&self, address: &str, field: &str) -> Result<(Client, Url)> {
        let refused = || malformed(&format!("o endereço `{field}` não é aceito"));
        let url = Url::parse(address).map_err(|_| refused())?;
        let own = Url::parse(&self.config.issuer).map_err(Error::internal)?;
        if url.origin() == own.origin() {
            return Ok((self.client.clone(), url));
        }
        let client = foreign::client_for(&url).await.ok_or_else(refused)?;
        Ok((client, url))
    }
}
