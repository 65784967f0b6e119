//! Sends messages to devices through the push services of their browsers (RFC 8030).

use async_trait::async_trait;

use domain::Result;

/// A message, encrypted for its device.
#[derive(Debug)]
pub struct PushRequest {
    pub endpoint: String,
    pub headers: Vec<(&'static str, String)>,
    pub body: Vec<u8>,
}

/// The outcome of sending a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PushAnswer {
    /// The push service has answered.
    Status {
        status: u16,
        /// The header `Retry-After`.
        retry_after: Option<String>,
    },
    /// The push service was not reached, so it does not have the message.
    NotReached,
    /// The push service may have the message.
    Unknown,
}

/// Sends messages to endpoints that browsers of members have sent, so the endpoints are untrusted.
#[async_trait]
pub trait PushSender: Send + Sync {
    /// Fails with 400 if messages are never sent to this endpoint. A host that resolves to an address
    /// outside the public internet is refused only when the message is sent.
    fn check_endpoint(&self, endpoint: &str) -> Result<()>;

    /// Makes one attempt to send the message, and follows no redirect.
    async fn send(&self, request: PushRequest) -> PushAnswer;
}
