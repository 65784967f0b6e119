//! A hosted issuer: its keys, browser sign-in, and the Supabase Auth admin API.
//!
//! <https://openid.net/specs/openid-connect-discovery-1_0.html>,
//! <https://github.com/supabase/auth#endpoints>

mod accounts;
mod discovery;
mod keys;
mod sign_in;

use std::time::Duration;

use gateway::{Code, Error, Result};
use reqwest::{Client, Response};

use super::foreign;
use crate::config::Issuer;

/// Maximum bytes of a response.
const MOST_BYTES: usize = 256_000;

/// The adapter of the hosted issuer.
pub struct HostedIssuer {
    client: Client,
    config: Issuer,
}

impl HostedIssuer {
    pub fn new(config: Issuer) -> anyhow::Result<Self> {
        Ok(Self {
            client: foreign::client_builder().build()?,
            config,
        })
    }

    /// Returns the URL of a path below the issuer.
    fn endpoint_url(&self, path: &str) -> String {
        format!("{}/{path}", self.config.issuer.trim_end_matches('/'))
    }
}

/// Reads the whole body, up to the maximum size.
async fn read_body(mut answer: Response) -> Result<Vec<u8>> {
    let mut bytes = vec![];
    while let Some(chunk) = answer
        .chunk()
        .await
        .map_err(|error| to_provider_error(&error))?
    {
        if bytes.len() + chunk.len() > MOST_BYTES {
            return Err(malformed_error("a resposta é grande demais"));
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes)
}

async fn with_timeout<T>(limit: Duration, work: impl Future<Output = Result<T>>) -> Result<T> {
    let done = tokio::time::timeout(limit, work).await;
    done.unwrap_or_else(|_| Err(timeout_error()))
}

fn to_provider_error(error: &reqwest::Error) -> Error {
    if error.is_connect() || error.is_builder() {
        return Error::new(Code::PROVIDER_FAILED)
            .because("O provedor de identidade não responde.")
            .with_detail(
                "next",
                "Repita o mesmo pedido mais tarde; se persistir, peça a quem opera o serviço que \
                 confira PAUTA_IDENTITY_ISSUER e a rede."
                    .into(),
            );
    }
    timeout_error()
}

fn timeout_error() -> Error {
    Error::new(Code::PROVIDER_TIMEOUT)
        .because("O provedor de identidade não respondeu até o fim.")
        .with_detail("next", "Repita o mesmo pedido.".into())
}

fn malformed_error(fault: &str) -> Error {
    Error::new(Code::PROVIDER_FAILED).because(format!("O provedor de identidade falhou: {fault}."))
}
