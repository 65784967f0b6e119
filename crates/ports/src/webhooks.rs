//! Sends messages to the receivers of webhooks.

use std::time::Duration;

use async_trait::async_trait;

use domain::Result;

/// The outcome of sending a message.
#[derive(Debug)]
pub struct WebhookAnswer {
    /// The HTTP status; if there was no answer, the reason (Portuguese).
    pub status: Result<u16, &'static str>,
    /// The beginning of the body.
    pub body: String,
    /// The header `Retry-After`.
    pub retry_after: Option<String>,
    pub took: Duration,
}

/// Sends messages to URLs that members have entered, so the URLs are untrusted.
#[async_trait]
pub trait WebhookSender: Send + Sync {
    /// Fails with 400 if messages are never sent to this URL. A host that resolves to an address
    /// outside the public internet is refused only when the message is sent.
    fn check_url(&self, url: &str) -> Result<()>;

    /// Sends the body as JSON with these headers, and follows no redirect.
    async fn send(&self, url: &str, headers: &[(&str, String)], body: String) -> WebhookAnswer;
}
