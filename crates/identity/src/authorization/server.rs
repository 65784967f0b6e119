//! What the authorization server is configured to do, and its limits.

use std::{collections::BTreeSet, sync::Arc};

use domain::{Result, time::Millis};
use gateway::Context;
use ports::{ClientDocument, ClientDocuments};
use tokio::sync::Semaphore;

use crate::LoginLimiter;

/// Maximum documents that are fetched at the same time.
const AT_ONCE: usize = 4;

/// Whose documents are fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trust {
    Nobody,
    Hosts(BTreeSet<String>),
    Anybody,
}

impl Trust {
    fn holds(&self, host: &str) -> bool {
        match self {
            Self::Nobody => false,
            Self::Hosts(hosts) => hosts.contains(host),
            Self::Anybody => true,
        }
    }
}

/// The authorization server.
pub struct AuthorizationServer {
    documents: Arc<dyn ClientDocuments>,
    trust: Trust,
    pub(super) registers: bool,
    /// What the ChatGPT directory looks for at this address.
    pub(super) apps_challenge: Option<String>,
    registrations: LoginLimiter,
    fetches: LoginLimiter,
    turns: Semaphore,
}

impl AuthorizationServer {
    /// `registers` says whether clients may register themselves.
    #[must_use]
    pub fn new(documents: Arc<dyn ClientDocuments>, trust: Trust, registers: bool) -> Self {
        Self {
            documents,
            trust,
            registers,
            apps_challenge: None,
            registrations: LoginLimiter::default(),
            fetches: LoginLimiter::default(),
            turns: Semaphore::new(AT_ONCE),
        }
    }

    /// With the text that the ChatGPT directory looks for.
    #[must_use]
    pub fn with_apps_challenge(mut self, text: Option<String>) -> Self {
        self.apps_challenge = text;
        self
    }

    pub(super) fn of<'a>(ctx: &Context<'a>) -> &'a Self {
        ctx.services.parts.get::<AuthorizationServer>()
    }

    /// Whether documents are fetched from this host.
    pub(super) fn trusts(&self, host: &str) -> bool {
        self.trust.holds(host)
    }

    /// Whether documents are fetched at all.
    pub(super) fn fetches_documents(&self) -> bool {
        self.trust != Trust::Nobody
    }

    /// Refused (429) after too many registrations.
    pub(super) async fn admit_registration(&self, ctx: &Context<'_>) -> Result<()> {
        self.admit(&self.registrations, "registro", ctx).await
    }

    /// Fetches a document. Refused (429) after too many from the same network.
    pub(super) async fn fetch(&self, url: &url::Url, ctx: &Context<'_>) -> Result<ClientDocument> {
        let host = url.host_str().unwrap_or_default();
        self.admit(&self.fetches, host, ctx).await?;
        let turn = self.turns.acquire().await;
        let fetched = self.documents.fetch(url.as_str()).await;
        drop(turn);
        fetched
    }

    async fn admit(&self, limiter: &LoginLimiter, what: &str, ctx: &Context<'_>) -> Result<()> {
        let (address, now): (_, Millis) = (ctx.origin.address, ctx.now);
        limiter
            .admit(what, address, std::future::ready(Ok(false)), now)
            .await
    }
}
