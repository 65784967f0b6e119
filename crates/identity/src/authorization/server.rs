//! The configuration of the authorization server and its rate limits.

use std::{collections::BTreeSet, sync::Arc};

use domain::{ClientId, Error, Result};
use gateway::Context;
use ports::ClientDocuments;
use store::agents::clients::Client;
use url::Url;

use super::{
    fetching::{self, Failure, Fetching},
    turns::Turns,
};
use crate::Limiter;

/// Maximum number of registrations, and of document fetches, per network in 15 minutes. It is high
/// because many people in an office may connect their applications on the same day.
const OF_NETWORK: i64 = 60;

/// The hosts from which client metadata documents are fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trust {
    Nobody,
    Hosts(BTreeSet<String>),
    Anybody,
}

impl Trust {
    fn includes_host(&self, host: &str) -> bool {
        match self {
            Self::Nobody => false,
            Self::Hosts(hosts) => hosts.contains(host),
            Self::Anybody => true,
        }
    }
}

/// The authorization server.
pub struct AuthorizationServer {
    fetching: Fetching,
    trust: Trust,
    pub(super) registers: bool,
    /// The text that the ChatGPT app directory expects at a URL of this domain.
    pub(super) apps_challenge: Option<String>,
    turns: Turns,
}

impl AuthorizationServer {
    /// Creates the server. `registers` enables dynamic client registration.
    #[must_use]
    pub fn new(documents: Arc<dyn ClientDocuments>, trust: Trust, registers: bool) -> Self {
        Self {
            fetching: Fetching::new(documents),
            trust,
            registers,
            apps_challenge: None,
            turns: Turns::new(),
        }
    }

    /// Sets the text that the ChatGPT app directory expects.
    #[must_use]
    pub fn with_apps_challenge(mut self, text: Option<String>) -> Self {
        self.apps_challenge = text;
        self
    }

    pub(super) fn from_context<'a>(ctx: &Context<'a>) -> &'a Self {
        ctx.services.parts.get::<AuthorizationServer>()
    }

    /// True if metadata documents are fetched from this host.
    pub(super) fn trusts(&self, host: &str) -> bool {
        self.trust.includes_host(host)
    }

    /// True if metadata documents are fetched from any host at all.
    pub(super) fn fetches_documents(&self) -> bool {
        self.trust != Trust::Nobody
    }

    /// Counts a registration. Fails with 429 after too many registrations from the same network.
    pub(super) async fn admit_registration(&self, ctx: &Context<'_>) -> Result<()> {
        let limiter = Limiter::from_context(ctx);
        let admitted = limiter.admit_request("registration", OF_NETWORK, ctx.origin.address);
        admitted.await
    }

    /// Finds the copy of a client's document in memory.
    pub(super) fn find_copy(&self, id: &ClientId) -> Option<Client> {
        self.fetching.copies.find(id)
    }

    /// Stores a copy of a client's document in memory.
    pub(super) fn store_copy(&self, copy: Client) {
        self.fetching.copies.store_copy(copy);
    }

    /// Fetches the client metadata document at this URL, unless a fetch is in progress or a fresh
    /// copy has just been stored.
    ///
    /// Fails with 429 after too many fetches from the same network, or if no turn becomes free.
    pub(super) async fn fetch_client(
        &self,
        url: &Url,
        ctx: &Context<'_>,
    ) -> Result<Result<Client, Failure>> {
        if let Some(under_way) = self.fetching.find_in_progress(url) {
            return fetching::wait_for_outcome(under_way).await;
        }
        let address = ctx.origin.address;
        let busy = |error: Error| match error.retry_after_seconds() {
            Some(seconds) => error.because(format!(
                "Há documentos demais de aplicativos sendo conferidos agora. Espere {seconds} \
                 segundos e tente de novo."
            )),
            None => error,
        };
        let limiter = Limiter::from_context(ctx);
        let admitted = limiter.admit_request("client document", OF_NETWORK, address);
        admitted.await.map_err(busy)?;
        let turn = self.turns.acquire(address).await.map_err(busy)?;
        let copy = self.find_copy(&url.as_str().into());
        if let Some(fresh) = copy.filter(|copy| copy.is_fresh(ctx.now)) {
            return Ok(Ok(fresh));
        }
        fetching::wait_for_outcome(self.fetching.join_or_start(url, turn, ctx.now)).await
    }
}
