//! HTTP clients for servers whose addresses were entered by members or by their browsers.

use gateway::Result;
use reqwest::{Client, Url};

use super::foreign;
use crate::config::AllowedOrigins;

/// The HTTP clients for receivers on the public internet, and at the origins that the operator listed.
pub(super) struct Receivers {
    listed: AllowedOrigins,
    /// The client for the listed origins.
    listed_client: Client,
    /// The client for the public internet.
    public_client: Client,
}

impl Receivers {
    /// Fails if the HTTP clients cannot be built.
    pub(super) fn new(listed: AllowedOrigins) -> reqwest::Result<Self> {
        Ok(Self {
            listed,
            listed_client: foreign::client_builder().no_proxy().build()?,
            public_client: foreign::public_client_builder().build()?,
        })
    }

    /// Finds the client for this URL; `None` if sending to this URL is not allowed.
    pub(super) fn find_client(&self, url: &Url) -> Option<&Client> {
        if self.listed.contain(url) {
            return Some(&self.listed_client);
        }
        let is_public = url.scheme() == "https" && !foreign::has_private_ip_host(url);
        is_public.then_some(&self.public_client)
    }

    /// Fails with the reason (Portuguese) if sending to this URL is never allowed. A name that resolves
    /// to an address outside the public internet is refused only when a message is sent.
    pub(super) fn check_url(&self, url: &str) -> Result<(), &'static str> {
        let url = Url::parse(url).map_err(|_| "não é um endereço")?;
        if !url.username().is_empty() || url.password().is_some() || url.fragment().is_some() {
            return Err("não deve conter usuário, senha nem âncora");
        }
        if self.find_client(&url).is_some() {
            return Ok(());
        }
        match url.scheme() {
            "https" => Err("deve ser de um servidor da internet pública"),
            _ => Err("deve começar com https://"),
        }
    }
}
